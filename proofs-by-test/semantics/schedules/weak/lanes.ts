/**
 * Kernels in which lanes of one warp read a flag together, and what they find decides together who goes on to the data: against a plain enumeration of executions, in which
 * each lane is a thread that reads for itself, and those are kept in which the lanes decide so.
 *
 *     block 0    data = 1; st.release flag, 1
 *     block 1    r = ld.acquire flag, by lanes 0 to n - 1; if (any of them is 1) those of some lanes read data
 *
 * A vote or a shuffle orders no memory: so the executions are those of lanes that read the data in any case, and a race counts where the lanes that decide have found so.
 */
import * as E from 'fp-ts/lib/Either.js'
import {
  atomic,
  behaviours,
  fence,
  load,
  place,
  store,
  strong,
  thread,
  weak,
  type Instruction,
  type Program,
} from '../../../../src/semantics/axioms/index.js'
import { dataRaces } from '../../../../src/semantics/axioms/orders.js'
import { verdictOfText } from './sweep.js'
import { dice, type Dice } from '../../../../src/semantics/schedules/naive/random.js'

// ---------------------------------------------------------------- model

/** How lanes decide who goes on, of what they have found: whether lane i does. */
type Deciding = 'any' | 'all' | 'own' | 'last' | 'next' | 'one' | 'most'
const deciding: Readonly<Record<Deciding, (r: ReadonlyArray<boolean>, i: number) => boolean>> = {
  any: (r) => r.some((x) => x),
  all: (r) => r.every((x) => x),
  own: (r, i) => r[i]!,
  last: (r) => r[r.length - 1]!,
  next: (r, i) => r[(i + 1) % r.length]!,
  one: (r) => r.filter((x) => x).length === 1,
  most: (r) => r.filter((x) => x).length === r.length - 1,
}
const everyWay: ReadonlyArray<Deciding> = ['any', 'all', 'own', 'last', 'next', 'one', 'most']

export interface LanesDrawn {
  readonly program: Program
  /** what a lane must have found to be for going on */
  readonly value: number
  readonly lanes: number
  readonly decides: Deciding
  readonly text: string
}

const kinds = ['word', 'word', 'word', 'twice', 'vector', 'words', 'atomic'] as const

// ---------------------------------------------------------------- drawing

const vote = (decides: Deciding, n: number): ReadonlyArray<string> => {
  const mask = `0x${((1 << n) - 1).toString(16)}`
  const counted = (count: number): ReadonlyArray<string> => [
    `vote.sync.ballot.b32 %r4, %p2, ${mask};`,
    'popc.b32 %r4, %r4;',
    `setp.eq.u32 %p3, %r4, ${String(count)};`,
  ]
  const shuffled = (from: string): ReadonlyArray<string> => [
    'selp.u32 %r4, 1, 0, %p2;',
    `shfl.sync.idx.b32 %r5, %r4, ${from}, 31, ${mask};`,
    'setp.eq.u32 %p3, %r5, 1;',
  ]
  switch (decides) {
    case 'any':
      return [`vote.sync.any.pred %p3, %p2, ${mask};`]
    case 'all':
      return [`vote.sync.all.pred %p3, %p2, ${mask};`]
    case 'own':
      return ['mov.pred %p3, %p2;']
    case 'last':
      return shuffled(String(n - 1))
    case 'next':
      return ['add.u32 %r6, %r1, 1;', `rem.u32 %r6, %r6, ${String(n)};`, ...shuffled('%r6')]
    case 'one':
      return counted(1)
    case 'most':
      return counted(n - 1)
  }
}

export const lanesDrawn = (die: Dice): LanesDrawn => {
  const kind = die.pick(kinds)
  const n = kind === 'atomic' || kind === 'words' ? die.pick([2, 3]) : die.pick([2, 3, 5, 6])
  const decides = die.pick(everyWay)
  const reading = [...new Set([die.below(n), die.below(n)])].sort((a, b) => a - b)
  const far = die.chance(0.85) ? 'gpu' : 'cta'
  const [acquires, fenced] = [die.chance(0.5), die.chance(0.7)]
  const releases = die.chance(0.6)
  const fences = die.chance(0.6)
  const raised = die.chance(0.15) ? 2 : 1
  const body: Instruction[] = [store('d', 1, weak)]
  const writer = ['st.global.u32 [%rd1], 1;']
  const raise = (word: string, byte: number, value: number): void => {
    if (!releases && fences) {
      body.push(fence('acq_rel', 'gpu'))
      writer.push('fence.acq_rel.gpu;')
    }
    body.push(store(word, value, strong(releases ? 'release' : 'relaxed', far)))
    writer.push(
      `st.${releases ? 'release' : 'relaxed'}.${far}.global.u32 [%rd1+${String(byte)}], ${String(value)};`,
    )
  }
  const words = kind === 'words' ? n : kind === 'vector' ? 2 : 1
  for (let k = 0; k < words; k++) raise(`f${String(k)}`, 16 + 4 * k, 1)
  if (kind === 'twice') raise('f0', 16, 2)
  const value = kind === 'twice' ? raised : 1
  const word = (lane: number): string =>
    kind === 'words' ? `f${String(lane)}` : kind === 'vector' ? 'f1' : 'f0'
  const how = strong(acquires && kind !== 'vector' ? 'acquire' : 'relaxed', 'gpu')
  const lanes = Array.from({ length: n }, (_, lane) =>
    thread(`L${String(lane)}`, place(1), [
      kind === 'atomic' ? atomic('r', 'f0', 'add', 0, how) : load('r', word(lane), how),
      ...(kind === 'vector' ? [load('s', 'f0', how)] : []),
      ...(fenced ? [fence('acq_rel', 'gpu')] : []),
      ...(reading.includes(lane) ? [load('q', 'd', weak)] : []),
    ]),
  )
  const program: Program = {
    memory: new Map(['d', ...Array.from({ length: words }, (_, k) => `f${String(k)}`)].map((w) => [w, 0])),
    threads: [thread('P', place(0), body), ...lanes],
  }
  const sem = `${how.sem}.gpu`
  const asked =
    kind === 'vector'
      ? `ld.${sem}.global.v2.u32 {%r3, %r2}, [%rd1+16];`
      : kind === 'atomic'
        ? `atom.${sem}.global.add.u32 %r2, [%rd1+16], 0;`
        : kind === 'words'
          ? `ld.${sem}.global.u32 %r2, [%rd3+16];`
          : `ld.${sem}.global.u32 %r2, [%rd1+16];`
  const isReading = reading.reduce((mask, lane) => mask | (1 << lane), 0)
  const text = [
    '.version 8.5',
    '.target sm_90a',
    '.address_size 64',
    '.visible .entry lanes(.param .u64 words, .param .u64 out)',
    '{',
    '  .reg .pred %p<8>;',
    '  .reg .b32 %r<16>;',
    '  .reg .b64 %rd<6>;',
    '  ld.param.u64 %rd1, [words];',
    '  ld.param.u64 %rd2, [out];',
    '  mov.u32 %r1, %tid.x;',
    '  mov.u32 %r0, %ctaid.x;',
    '  setp.ne.u32 %p1, %r0, 0;',
    '  @%p1 bra READ;',
    '  setp.ne.u32 %p1, %r1, 0;',
    '  @%p1 ret;',
    ...writer.map((l) => `  ${l}`),
    '  ret;',
    'READ:',
    `  setp.ge.u32 %p1, %r1, ${String(n)};`,
    '  @%p1 ret;',
    '  mul.wide.u32 %rd4, %r1, 4;',
    '  add.u64 %rd3, %rd1, %rd4;',
    '  add.u64 %rd5, %rd2, %rd4;',
    `  ${asked}`,
    ...(fenced ? ['  fence.acq_rel.gpu;'] : []),
    `  setp.eq.u32 %p2, %r2, ${String(value)};`,
    ...vote(decides, n).map((l) => `  ${l}`),
    '  mov.u32 %r8, 1;',
    '  shl.b32 %r8, %r8, %r1;',
    `  and.b32 %r8, %r8, ${String(isReading)};`,
    '  setp.ne.and.u32 %p4, %r8, 0, %p3;',
    '  @!%p4 ret;',
    '  ld.global.u32 %r9, [%rd1];',
    '  st.global.u32 [%rd5], %r9;',
    '  ret;',
    '}',
    '',
  ].join('\n')
  return { program, value, lanes: n, decides, text }
}

// ---------------------------------------------------------------- what is right

/** Does some execution have a race of a lane that the others have let go on? Null: not all were looked at. */
export const lanesRace = (d: LanesDrawn): boolean | null => {
  const names = Array.from({ length: d.lanes }, (_, lane) => `L${String(lane)}`)
  let races = false
  const all = behaviours(d.program, {
    most: 400_000,
    each: ({ shape, causality }, state) => {
      const found = names.map((name) => state.registers.get(`${name}:r`) === d.value)
      const { events, overlap, strong: morally } = shape
      races ||= dataRaces(events, overlap, morally, causality).some((pair) => {
        const sides = pair.map((e) => events[e]!)
        if (sides.some((e) => e.does._tag === 'start')) return false
        // what the lanes decide on they read in any case
        return sides.every(
          ({ thread: t, does }) =>
            t === 0 ||
            (does._tag === 'access' && does.to.location !== 'd') ||
            deciding[d.decides](found, t - 1),
        )
      })
    },
  })
  return E.isLeft(all) || !all.right.complete || all.right.cut ? null : races
}

// ---------------------------------------------------------------- asking

export interface LanesRow {
  readonly verdict: string
  /** what is wrong with it; null: nothing */
  readonly wrong: string | null
}

export const lanesAsked = (seed: number): LanesRow => {
  const d = lanesDrawn(dice(seed))
  const races = lanesRace(d)
  if (races === null) return { verdict: 'unasked', wrong: null }
  const v = verdictOfText(d.text, 'lanes', { ctas: 2, threads: 32, words: 32, out: 32 })
  const ids = v.findings.map(({ id }) => id)
  const isRight = races ? v.verdict === 'hazard' && ids.every((id) => id.startsWith('D')) : v.verdict === 'ok'
  return {
    verdict: `${v.verdict}${d.lanes > 3 ? ' of many' : ''}`,
    wrong: isRight
      ? null
      : `seed ${String(seed)}: ${races ? 'a race' : 'no race'}, ${v.verdict} ${ids.join()} ${v.reason.slice(0, 160)}\n${d.text}`,
  }
}
