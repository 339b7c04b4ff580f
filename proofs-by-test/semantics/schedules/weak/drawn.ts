/**
 * Random programs of strong and weak accesses, as the axioms have them and as PTX: two to four threads, words that they share, fences, branches and waits.
 *
 *     thread  P0  cta 0   st.relaxed.gpu x, 1; fence.sc.gpu; r0 = ld.relaxed.gpu y
 *     thread  P1  cta 1   st.relaxed.gpu y, 1; fence.sc.gpu; r0 = ld.relaxed.gpu x
 *
 * Every register that an access of a thread gives comes into a word of its own at the end, so all of them reach an output. A *control* register decides a branch: behind it
 * stands one instruction that is left out where it has another value. A *wait* asks a word that is stored once, until it holds 1.
 */
import {
  atomic,
  branch,
  fence,
  label,
  load,
  place,
  store,
  strong,
  thread,
  weak,
  type How,
  type Instruction,
  type Place,
  type Program,
  type Scope,
} from '../../../../src/semantics/axioms/index.js'
import type { Dice } from '../../../../src/semantics/schedules/naive/random.js'

export interface Drawn {
  readonly program: Program
  /** registers that decide a branch, and those of atomics, as `P0:r1` */
  readonly controls: ReadonlySet<string>
  /** registers that decide a branch */
  readonly branches: ReadonlySet<string>
  /** registers that must be 1 in the end: their threads wait for it */
  readonly waits: ReadonlySet<string>
  /** words that are read for control, by waits, or by atomics that give what they find */
  readonly controlled: ReadonlySet<string>
  readonly text: string
  /** threads of one CTA are lanes of one warp; else each is in a warp of its own */
  readonly lanes: boolean
}

const words = ['x', 'y', 'z', 'f']
const scopes: ReadonlyArray<Scope> = ['cta', 'gpu', 'gpu', 'gpu', 'sys']
/** Words of the output of one thread. */
export const registersOfThread = 8

/** Where threads stand: CTAs, and warps of them. */
const places: ReadonlyArray<ReadonlyArray<number>> = [
  [0, 1],
  [0, 1],
  [0, 0],
  [0, 1, 2],
  [0, 0, 1],
  [0, 1, 1],
  [0, 0, 0],
  [0, 0, 1, 1],
  [0, 1, 2, 3],
]

interface Body {
  readonly body: Instruction[]
  readonly lines: string[]
  registers: number
}

/** A register of a thread, among those of the kernel: threads share none. */
const own = (t: number, register: string): string =>
  `r${String(registersOfThread * t + Number(register.slice(1)))}`

const suffix = (how: How): string => (how.sem === 'weak' ? '' : `.${how.sem}.${how.scope}`)

const howTo = (die: Dice, sem: 'acquire' | 'release', weakly: number): How =>
  die.chance(weakly) ? weak : strong(die.chance(0.7) ? 'relaxed' : sem, die.pick(scopes))

export const drawn = (die: Dice): Drawn => {
  const where = die.pick(places)
  const lanes = die.chance(0.12)
  const weakly = die.chance(0.3) ? 0.25 : 0
  const controls = new Set<string>()
  const waits = new Set<string>()
  const branches = new Set<string>()
  const controlled = new Set<string>()
  let accesses = 0
  const flag = die.chance(0.35)
  const bodies = where.map((_, t): Body => {
    const b: Body = { body: [], lines: [], registers: 0 }
    const kept: string[] = []
    const name = (r: string): string => `P${String(t)}:${r}`
    const address = (w: string): string => `[%rd1+${String(4 * words.indexOf(w))}]`
    const length = 1 + die.below(where.length === 2 ? 4 : 3)
    let skips = 0
    let stops = false
    let ends: string | null = null
    const end = (): void => {
      if (ends === null) return
      b.body.push(label(ends))
      b.lines.push(`${ends}_${String(t)}:`)
      ends = null
    }
    /** what follows is left out where the register has another value */
    const skip = (r: string): void => {
      const value = die.below(2)
      ends = `E${String(skips++)}`
      b.body.push(branch('ne', r, value, ends))
      b.lines.push(`setp.ne.u32 %p1, %${own(t, r)}, ${String(value)};`, `@%p1 bra ${ends}_${String(t)};`)
      branches.add(name(r))
    }
    for (let i = 0; i < length && accesses < 8; i++) {
      const w = die.pick(['x', 'x', 'y', 'y', 'z'])
      const kind = die.below(20)
      const r = `r${String(b.registers)}`
      const open = ends
      if (flag && open === null && kind >= 17 && t > 0) {
        const how = strong(die.chance(0.5) ? 'relaxed' : 'acquire', die.pick(scopes))
        b.registers++
        accesses++
        b.body.push(load(r, 'f', how), branch('ne', r, 1, 'Stop'))
        stops = true
        b.lines.push(
          `W${String(i)}_${String(t)}:`,
          `ld${suffix(how)}.global.u32 %${own(t, r)}, ${address('f')};`,
          `setp.ne.u32 %p1, %${own(t, r)}, 1;`,
          `@%p1 bra W${String(i)}_${String(t)};`,
        )
        waits.add(name(r))
        controls.add(name(r))
        controlled.add('f')
      } else if (flag && t === 0 && i === length - 1) {
        const how = strong(die.chance(0.5) ? 'relaxed' : 'release', die.pick(scopes))
        accesses++
        b.body.push(store('f', 1, how))
        b.lines.push(`st${suffix(how)}.global.u32 ${address('f')}, 1;`)
      } else if (kind < 7) {
        const how = howTo(die, 'acquire', weakly)
        b.registers++
        accesses++
        b.body.push(load(r, w, how))
        b.lines.push(`ld${suffix(how)}.global.u32 %${own(t, r)}, ${address(w)};`)
        // the store that threads wait for is made in any case
        if (open === null && i + 1 < length && !(flag && t === 0 && i + 2 === length) && die.chance(0.25)) {
          skip(r)
          controls.add(name(r))
          controlled.add(w)
          continue
        }
        kept.push(r)
      } else if (kind < 13) {
        const how = howTo(die, 'release', weakly)
        const value: number | string = kept.length > 0 && die.chance(0.2) ? die.pick(kept) : 1 + die.below(2)
        accesses++
        b.body.push(store(w, value, how))
        b.lines.push(
          `st${suffix(how)}.global.u32 ${address(w)}, ${typeof value === 'number' ? String(value) : `%${own(t, value)}`};`,
        )
      } else if (kind < 15) {
        const sem = die.pick(['relaxed', 'acq_rel'] as const)
        const scope = die.pick(scopes)
        const op = die.pick(['add', 'exch'] as const)
        const how = strong(sem, scope)
        const gives = die.chance(0.6)
        accesses++
        if (gives) {
          b.registers++
          b.body.push(atomic(r, w, op, 1, how))
          b.lines.push(
            `atom.${sem}.${scope}.global.${op === 'add' ? 'add.u32' : 'exch.b32'} %${own(t, r)}, ${address(w)}, 1;`,
          )
          controls.add(name(r))
          controlled.add(w)
          if (open === null && i + 1 < length && !(flag && t === 0 && i + 2 === length) && die.chance(0.4)) {
            skip(r)
            continue
          }
        } else {
          b.body.push(atomic(undefined, w, 'add', 1, how.sem === 'acq_rel' ? strong('relaxed', scope) : how))
          b.lines.push(`red.relaxed.${scope}.global.add.u32 ${address(w)}, 1;`)
        }
      } else {
        const sem = die.pick(['acq_rel', 'sc', 'sc'] as const)
        const scope = die.pick(scopes)
        b.body.push(fence(sem, scope))
        b.lines.push(`fence.${sem}.${scope};`)
      }
      if (open !== null) end()
    }
    end()
    if (stops) b.body.push(label('Stop'))
    return b
  })
  const ctas: ReadonlyArray<Place> = where.map((cta) => place(cta))
  const program: Program = {
    memory: new Map(words.map((w) => [w, 0])),
    threads: bodies.map(({ body }, t) => thread(`P${String(t)}`, ctas[t]!, body)),
  }
  const warps = where.map((cta, t) => where.slice(0, t).filter((c) => c === cta).length)
  const text = [
    '.version 8.5',
    '.target sm_90a',
    '.address_size 64',
    '.visible .entry weak(.param .u64 words, .param .u64 out)',
    '{',
    '  .reg .pred %p<4>;',
    `  .reg .b32 %r<${String(registersOfThread * where.length)}>;`,
    '  .reg .b32 %t<8>;',
    '  .reg .b64 %rd<4>;',
    '  ld.param.u64 %rd1, [words];',
    '  ld.param.u64 %rd2, [out];',
    '  mov.u32 %t0, %tid.x;',
    ...(lanes
      ? ['  setp.ge.u32 %p1, %t0, 4;', '  @%p1 ret;', '  mov.u32 %t1, %t0;']
      : ['  and.b32 %t1, %t0, 31;', '  setp.ne.u32 %p1, %t1, 0;', '  @%p1 ret;', '  shr.u32 %t1, %t0, 5;']),
    '  mov.u32 %t2, %ctaid.x;',
    '  shl.b32 %t2, %t2, 2;',
    '  or.b32 %t1, %t1, %t2;',
    ...bodies.flatMap(({ lines, registers }, t) => [
      `  setp.ne.u32 %p1, %t1, ${String(4 * where[t]! + warps[t]!)};`,
      `  @%p1 bra N${String(t)};`,
      // what is skipped reads 0
      ...Array.from({ length: registers }, (_, k) => `  mov.u32 %${own(t, `r${String(k)}`)}, 0;`),
      ...lines.map((l) => `  ${l}`),
      ...Array.from(
        { length: registers },
        (_, k) =>
          `  st.global.u32 [%rd2+${String(4 * (registersOfThread * t + k))}], %${own(t, `r${String(k)}`)};`,
      ),
      '  ret;',
      `N${String(t)}:`,
    ]),
    '  ret;',
    '}',
    '',
  ].join('\n')
  return { program, controls, branches, waits, controlled, text, lanes }
}

export const gridOf = ({ program, lanes }: Drawn): { readonly ctas: number; readonly threads: number } => {
  const ctas = 1 + Math.max(...program.threads.map((t) => t.place.cta))
  const warps = lanes
    ? 1
    : Math.max(
        ...Array.from({ length: ctas }, (_, c) => program.threads.filter((t) => t.place.cta === c).length),
      )
  return { ctas, threads: 32 * warps }
}
