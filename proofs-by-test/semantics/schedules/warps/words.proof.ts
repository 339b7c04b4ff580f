/**
 * What words of memory order, and what they decide: random kernels that store, add, ask and wait, whose verdicts meet an enumeration of all interleavings that
 * shares no code with the machine, the detector or the search of outcomes.
 *
 *     sound       verdict ok                      =>  no interleaving races or gets stuck
 *     complete    no interleaving does            =>  verdict ok, or what V2 says
 *     told        two of them end otherwise       =>  V2, or N1 beside the ok; V2 only then, and where nothing asks or waits for what differs always
 *
 * In the enumeration an event has its past, a set: what is before it in its agent, and what it hears by release and acquire, as the memory model of PTX has them.
 */
import { expect, test } from 'vitest'
import { elaborate } from '../../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../../src/dialects/ptx/index.js'
import { bits } from '../../../../src/numerics/bits.js'
import { usualSharedBase, warpSource } from '../../../../src/semantics/execution/launch-warps.js'
import { eager, seeded } from '../../../../src/semantics/execution/policy.js'
import { dice, type Dice } from '../../../../src/semantics/schedules/naive/random.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { checkSource, standardOptions } from '../../../../src/semantics/verdict/check.js'
import { right } from '../../../either.js'
import { nightly } from '../../../extent.js'

// ---------------------------------------------------------------- programs

type Op =
  | { readonly is: 'read' | 'write'; readonly x: number }
  | { readonly is: 'fence' }
  | { readonly is: 'store'; readonly f: number; readonly value: number; readonly orders: boolean }
  | { readonly is: 'add'; readonly f: number; readonly orders: boolean }
  /** `spins`: its loop counts its turns, so that it stays a loop */
  | {
      readonly is: 'wait'
      readonly f: number
      readonly least: number
      readonly orders: boolean
      readonly spins?: true
    }
  /** adds one, and writes the place that the number says */
  | { readonly is: 'fetch'; readonly f: number; readonly orders: boolean }
  /** goes on with the next `skip` operations only where what it finds is `value` */
  | {
      readonly is: 'ask' | 'addAsk'
      readonly f: number
      readonly value: number
      readonly orders: boolean
      readonly skip: number
    }
  /** nothing is made of what is found, but what is heard */
  | { readonly is: 'glance'; readonly f: number; readonly orders: boolean }

const opOf = (d: Dice, left: number): Op => {
  const f = d.below(2)
  const orders = d.chance(0.5)
  switch (d.pick(['r', 'w', 'r', 'w', 'f', 's', 'a', 'W', 'W', 'q', 'Q', 'g', 'F', 'S'])) {
    case 'r':
      return { is: 'read', x: d.below(2) }
    case 'w':
      return { is: 'write', x: d.below(2) }
    case 'f':
      return { is: 'fence' }
    case 's':
      return { is: 'store', f, value: d.below(2) + 1, orders }
    case 'a':
      return { is: 'add', f, orders }
    case 'W':
      return { is: 'wait', f, least: d.below(2) + 1, orders }
    case 'g':
      return { is: 'glance', f, orders }
    case 'F':
      return { is: 'fetch', f, orders }
    case 'S':
      return { is: 'wait', f, least: d.below(2) + 1, orders, spins: true }
    case 'q':
      return { is: 'ask', f, value: d.below(2), orders, skip: Math.min(left, 1 + d.below(2)) }
    default:
      return { is: 'addAsk', f, value: d.below(2), orders, skip: Math.min(left, 1 + d.below(2)) }
  }
}

/** Places are fetched, one after another; and perhaps something else is done. */
const fetching = (d: Dice, agents: number): ReadonlyArray<ReadonlyArray<Op>> => {
  const orders = d.chance(0.3)
  return Array.from({ length: agents }, () => {
    const n = 1 + d.below(agents === 2 ? 3 : 2)
    const ops = Array.from({ length: n }, (): Op => ({ is: 'fetch', f: 0, orders }))
    if (d.chance(0.6)) return ops
    const k = d.below(n + 1)
    return [...ops.slice(0, k), opOf(d, 0), ...ops.slice(k)]
  })
}

/** Blindly drawn; or places that are fetched; or a message that is passed, with something left out or added. */
const drawn = (seed: number): ReadonlyArray<ReadonlyArray<Op>> => {
  const d = dice(seed)
  const agents = d.pick([2, 2, 3])
  if (d.chance(0.2)) return fetching(d, agents)
  if (d.chance(0.4))
    return Array.from({ length: agents }, () => {
      const n = 1 + d.below(agents === 2 ? 5 : 3)
      return Array.from({ length: n }, (_, k) => opOf(d, n - k - 1))
    })
  const orders = d.chance(0.7)
  const counted = d.chance(0.5)
  const tells = (): ReadonlyArray<Op> => [
    ...(orders ? [] : [{ is: 'fence' as const }]),
    counted ? { is: 'add', f: 0, orders } : { is: 'store', f: 0, value: 1, orders },
  ]
  const hears = (least: number): ReadonlyArray<Op> => [
    d.chance(0.6)
      ? Object.assign(
          { is: 'wait' as const, f: 0, least, orders },
          d.chance(0.3) ? { spins: true as const } : {},
        )
      : { is: counted ? 'addAsk' : 'ask', f: 0, value: least, orders, skip: orders ? 1 : 2 },
    ...(orders ? [] : [{ is: 'fence' as const }]),
  ]
  const all = Array.from({ length: agents }, (_, x): ReadonlyArray<Op> =>
    x < agents - 1
      ? [{ is: 'write', x }, ...tells()]
      : [
          ...(d.chance(0.2)
            ? [{ is: 'glance' as const, f: 0, orders }]
            : hears(counted ? d.pick([1, agents - 1]) : 1)),
          { is: 'read', x: d.below(2) },
        ],
  )
  const wrong = d.pick([0, 0, 1])
  return all.map((ops) => {
    const k = d.below(ops.length)
    if (wrong === 0 || d.chance(0.5)) return ops
    return d.chance(0.6) ? ops.filter((_, i) => i !== k) : [...ops.slice(0, k), opOf(d, 0), ...ops.slice(k)]
  })
}

// ---------------------------------------------------------------- all interleavings

interface Agent {
  readonly pc: number
  readonly past: bigint
  readonly pending: bigint
  readonly fenced: bigint
}
interface Access {
  readonly bit: bigint
  readonly past: bigint
  readonly x: number
  readonly writes: boolean
  readonly agent: number
}

/** `bad`: some interleaving races, or gets stuck; `open`: none does, and two of them end with different contents of memory; `chance`: so it is where all that asks finds the
 * same in each of them, and nothing waits, so that all of them do the same. */
type All = 'bad' | 'open' | 'chance' | 'clean'
const allOf = (p: ReadonlyArray<ReadonlyArray<Op>>): All => {
  const seen = new Set<string>()
  let bits = 0n
  const number = new Map<string, bigint>()
  const ends = new Set<string>()
  let steered = false
  const finds = new Map<bigint, number>()
  const find = (bit: bigint, value: number): void => {
    if ((finds.get(bit) ?? value) !== value) steered = true
    finds.set(bit, value)
  }
  const bitOf = (agent: number, pc: number): bigint => {
    const key = `${String(agent)} ${String(pc)}`
    const known = number.get(key) ?? 1n << bits
    if (!number.has(key)) bits++
    number.set(key, known)
    return known
  }
  const step = (
    agents: ReadonlyArray<Agent>,
    words: ReadonlyArray<number>,
    told: ReadonlyArray<bigint>,
    places: ReadonlyArray<number>,
    accesses: ReadonlyArray<Access>,
  ): boolean => {
    const key = [
      ...agents.flatMap((a) => [a.pc, a.past, a.pending, a.fenced]),
      ...words,
      ...told,
      ...places,
      ...accesses.map((a) => `${String(a.bit)}:${String(a.past)}:${String(a.x)}`).sort(),
    ].join()
    if (seen.has(key)) return false
    seen.add(key)
    let moved = false
    let running = false
    for (const [x, a] of agents.entries()) {
      const op = p[x]![a.pc]
      if (op === undefined) continue
      running = true
      if (op.is === 'wait' && words[op.f]! < op.least) continue
      moved = true
      const bit = bitOf(x, a.pc)
      let { past, pending, fenced } = a
      let next = a.pc + 1
      const now = words.slice()
      const says = told.slice()
      const holds = places.slice()
      let more = accesses
      /** the write of a fetch, which its atomic does not tell */
      let behind = 0n
      const hear = (f: number, acquires: boolean): void => {
        if (acquires) past |= told[f]!
        else pending |= told[f]!
      }
      /** races with what is there already? */
      const touches = (place: number, writes: boolean, before = past, own = bit): boolean => {
        for (const b of accesses)
          if (b.agent !== x && b.x === place && (writes || b.writes) && (before & b.bit) === 0n) return true
        more = [...accesses, { bit: own, past: before, x: place, writes, agent: x }]
        return false
      }
      const tell = (orders: boolean): bigint => (orders ? past | bit : fenced)
      switch (op.is) {
        case 'read':
        case 'write':
          if (touches(op.x, op.is === 'write')) return true
          if (op.is === 'write') holds[op.x] = x
          else holds[4 + x] = places[op.x]!
          break
        case 'fetch':
          find(bit, words[op.f]!)
          hear(op.f, op.orders)
          now[op.f] = words[op.f]! + 1
          says[op.f] = told[op.f]! | tell(op.orders)
          behind = bitOf(x, a.pc + 0.5)
          if (touches(words[op.f]! & 3, true, past | bit, behind)) return true
          holds[words[op.f]! & 3] = x
          break
        case 'fence':
          past |= pending
          pending = 0n
          fenced = past | bit
          break
        case 'store':
          now[op.f] = op.value
          says[op.f] = tell(op.orders)
          break
        case 'wait':
          steered = true
          hear(op.f, op.orders)
          break
        case 'glance':
          // whom it hears is decided by what it finds
          if (op.orders) find(bit, words[op.f]!)
          hear(op.f, op.orders)
          break
        case 'ask':
          find(bit, words[op.f]!)
          hear(op.f, op.orders)
          if (words[op.f] !== op.value) next += op.skip
          break
        case 'add':
        case 'addAsk':
          if (op.is === 'addAsk') find(bit, words[op.f]!)
          hear(op.f, op.orders)
          now[op.f] = words[op.f]! + 1
          says[op.f] = told[op.f]! | tell(op.orders)
          if (op.is === 'addAsk' && words[op.f] !== op.value) next += op.skip
          break
      }
      const after = agents.map((b, y) =>
        y === x ? { pc: next, past: past | bit | behind, pending, fenced } : b,
      )
      if (step(after, now, says, holds, more)) return true
    }
    if (!running) ends.add([...words, ...places].join())
    return running && !moved
  }
  const bad = step(
    p.map(() => ({ pc: 0, past: 0n, pending: 0n, fenced: 0n })),
    [0, 0],
    [0n, 0n],
    [0, 0, 0, 0, 0, 0, 0, 0],
    [],
  )
  return bad ? 'bad' : ends.size === 1 ? 'clean' : steered ? 'open' : 'chance'
}

// ---------------------------------------------------------------- kernels

const textOf = (p: ReadonlyArray<ReadonlyArray<Op>>): string => {
  let labels = 0
  const word = (f: number): string => `[%g+${String(4 * f)}]`
  const place = (x: number): string => `[%g+${String(16 + 4 * x)}]`
  const said = (ops: ReadonlyArray<Op>, x: number): ReadonlyArray<string> => {
    const ends = new Map<number, string[]>()
    const out = ops.flatMap((op, k): ReadonlyArray<string> => {
      const here = (ends.get(k) ?? []).map((l) => `${l}:`)
      const over = `L${String(labels++)}`
      const asks = (value: number, skip: number): ReadonlyArray<string> => {
        ends.set(k + 1 + skip, [...(ends.get(k + 1 + skip) ?? []), over])
        return [`setp.ne.u32 %p, %v, ${String(value)};`, `@%p bra ${over};`]
      }
      const one = (): ReadonlyArray<string> => {
        switch (op.is) {
          case 'read':
            // kept, in a place of its agent's own, behind those that are fetched: a read of which nothing comes harms nobody
            return [`ld.global.u32 %v, ${place(op.x)};`, `st.global.u32 ${place(4 + x)}, %v;`]
          case 'write':
            // what no other agent stores: two that store the same constant do no harm
            return ['mov.u32 %v, %ctaid.x;', `st.global.u32 ${place(op.x)}, %v;`]
          case 'fence':
            return ['fence.acq_rel.gpu;']
          case 'store':
            return [
              `st.${op.orders ? 'release' : 'relaxed'}.gpu.global.u32 ${word(op.f)}, ${String(op.value)};`,
            ]
          case 'add':
            return [`red.${op.orders ? 'release' : 'relaxed'}.gpu.global.add.u32 ${word(op.f)}, 1;`]
          case 'wait':
            return [
              `${over}:`,
              `ld.${op.orders ? 'acquire' : 'relaxed'}.gpu.global.u32 %v, ${word(op.f)};`,
              `setp.lt.u32 %p, %v, ${String(op.least)};`,
              ...(op.spins === true ? ['add.u32 %n, %n, 1;'] : []),
              `@%p bra ${over};`,
            ]
          case 'fetch':
            return [
              `atom.${op.orders ? 'acq_rel' : 'relaxed'}.gpu.global.add.u32 %v, ${word(op.f)}, 1;`,
              'and.b32 %v, %v, 3;',
              'mul.wide.u32 %a, %v, 4;',
              'add.u64 %a, %a, %g;',
              'mov.u32 %v, %ctaid.x;',
              'st.global.u32 [%a+16], %v;',
            ]
          case 'glance':
            return [`ld.${op.orders ? 'acquire' : 'relaxed'}.gpu.global.u32 %v, ${word(op.f)};`]
          case 'ask':
            return [
              `ld.${op.orders ? 'acquire' : 'relaxed'}.gpu.global.u32 %v, ${word(op.f)};`,
              ...asks(op.value, op.skip),
            ]
          case 'addAsk':
            return [
              `atom.${op.orders ? 'acq_rel' : 'relaxed'}.gpu.global.add.u32 %v, ${word(op.f)}, 1;`,
              ...asks(op.value, op.skip),
            ]
        }
      }
      return [...here, ...one()]
    })
    return [
      ...out,
      ...[...ends].flatMap(([k, ls]) => (k >= ops.length ? ls.map((l) => `${l}:`) : [])),
      'ret;',
    ]
  }
  return [
    '.version 9.0',
    '.target sm_90a',
    '.address_size 64',
    '.visible .entry k(.param .u64 k_g)',
    '{',
    '.reg .pred %p;',
    '.reg .b32 %v, %c, %t, %n;',
    '.reg .b64 %g, %a;',
    'ld.param.u64 %g, [k_g];',
    'mov.u32 %n, 0;',
    'mov.u32 %c, %ctaid.x;',
    'mov.u32 %t, %tid.x;',
    'setp.ne.u32 %p, %t, 0;',
    '@%p ret;',
    ...p.flatMap((_, x) => [`setp.eq.u32 %p, %c, ${String(x)};`, `@%p bra A${String(x)};`]),
    'ret;',
    ...p.flatMap((ops, x) => [`A${String(x)}:`, ...said(ops, x)]),
    '}',
    '',
  ].join('\n')
}

const verdictOf = (p: ReadonlyArray<ReadonlyArray<Op>>, seed: number): Verdict => {
  const { program } = right(elaborate(right(parseModule(textOf(p))), 'k', 'k.ptx'))
  const source = warpSource(program, {
    grid: [p.length],
    block: [32],
    cluster: null,
    dynamicBytes: 0,
    parameters: new Uint8Array(8),
    pointers: [{ offset: 0, tensor: 'g' }],
    tensors: [
      { name: 'g', role: 'inout', contents: new Uint8Array(48), bytes: 48, elements: null, symbol: null },
    ],
    sharedBase: usualSharedBase,
  })
  return right(
    checkSource(source, {
      ...standardOptions,
      algebra: bits('hopper'),
      policy: seed % 2 === 0 ? eager : seeded(seed),
      provenance: false,
      explore: false,
      explain: false,
      fuel: 5_000,
    }),
  ).verdict
}

/** What a verdict that is decided comes to. */
type Says = 'bad' | 'V2' | 'N1' | 'ok'
const saidBy = ({ verdict, findings, notes }: Verdict): Says =>
  verdict === 'ok'
    ? notes.some(({ id }) => id === 'N1')
      ? 'N1'
      : 'ok'
    : verdict === 'hazard' && findings.every(({ id }) => id === 'V2')
      ? 'V2'
      : 'bad'

/** Of writes in no order there may be a note that makes no difference: two that store the same. */
const allowed: Readonly<Record<All, ReadonlyArray<Says>>> = {
  bad: ['bad'],
  open: ['V2', 'N1'],
  chance: ['V2'],
  clean: ['ok', 'N1'],
}

const from = nightly ? 7_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0) : 0
const count = nightly ? Number(process.env['TCSPEC_PROGRAMS'] ?? 50_000) : 60

test('sound and complete, on random kernels', { timeout: 14_400_000 }, () => {
  const tally = {
    kernels: 0,
    clean: 0,
    open: 0,
    chance: 0,
    V2: 0,
    ok: 0,
    searched: 0,
    undecided: 0,
    cleanUndecided: 0,
  }
  const wrong: string[] = []
  // one whose states must be told apart by the bytes that were touched, one that V2 is said of, and one whose ends write other bytes each
  const first = [7_000_510, 5_000_075, 14_100_806]
  for (let k = -first.length; tally.kernels < count; k++) {
    const seed = first[k + first.length] ?? from + k
    const p = drawn(seed)
    const all = allOf(p)
    const v = verdictOf(p, seed)
    tally.kernels++
    if (all !== 'bad') tally.clean++
    if (all === 'open') tally.open++
    if (all === 'chance') tally.chance++
    if (v.verdict === 'ok') tally.ok++
    if (v.decidedBy === 'exploration') tally.searched++
    const open = v.verdict === 'undecided' || v.verdict === 'out-of-fuel'
    if (open) tally.undecided++
    if (open && all !== 'bad') tally.cleanUndecided++
    const says = saidBy(v)
    if (says === 'V2') tally.V2++
    if (!(open || allowed[all].includes(says)))
      wrong.push(`${String(seed)}: ${all}, and ${says} (${v.reason})\n${JSON.stringify(p)}`)
  }
  if (nightly || process.env['TALLY'] !== undefined)
    console.log(tally, wrong.length, wrong.slice(0, 4).join('\n'))
  expect(wrong[0]).toBeUndefined()
  expect(tally.clean).toBeGreaterThan(count / 6)
  expect(tally.kernels - tally.clean).toBeGreaterThan(count / 6)
  expect(tally.searched).toBeGreaterThan(count / 20)
  // a loop that asks for what never comes runs out of fuel
  expect(tally.undecided).toBeLessThan(count / 5)
  expect(tally.cleanUndecided).toBeLessThan(count / 20)
})
