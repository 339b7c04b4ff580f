/**
 * FA4: the thirteen invariants, each a theorem of its own, in many schedules; and each one broken by something, so that none is empty.
 *
 * I1 operand freshness. I2 no copy into a slot that an issued product has still to read. I3 S is read once between its product and P. I4 P is consumed before the next
 * S. I5 C is read before it is overwritten. I6 O is scaled once between two products into it, and begins at zero. I7 correction touches no O with a
 * product pending. I8 a wait is never more than one completion behind. I9 a slot is given back behind the products that read it. I10 O is staged when all readers
 * of Q are done. I11 it ends; all copies landed; slots are given back as often as they are filled, but for the last V. I12 tensor memory goes
 * after both final reads. I13 no barrier is arrived at more often than it counts.
 */
import { describe, expect, test } from 'vitest'
import { without } from '../../../src/kernels/broken/without.js'
import {
  eager,
  lazy,
  roundRobin,
  seeded,
  starvingAgent,
  type AnyPolicy,
} from '../../../src/semantics/execution/policy.js'
import { i32 } from '../../../src/semantics/language/expression.js'
import type { Program, Region } from '../../../src/semantics/language/program.js'
import { broken, type Invariant } from './fa4-invariants.js'
import { logOf, programOf, small, type Rest } from './fa4-runs.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

const upTo = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, k) => k)

const invariants: ReadonlyArray<Invariant> = [
  'I1',
  'I2',
  'I3',
  'I4',
  'I5',
  'I6',
  'I7',
  'I8',
  'I9',
  'I10',
  'I11',
  'I12',
  'I13',
]
const policies: ReadonlyArray<AnyPolicy> = [
  eager,
  lazy,
  roundRobin,
  ...(nightly ? upTo(5) : [1]).map((agent) => starvingAgent(agent, agent)),
  ...upTo(nightly ? 200 : 2).map(seeded),
]
const sizes: ReadonlyArray<readonly [tiles: number, slots: number]> = nightly
  ? [1, 2, 3, 4, 5, 8].flatMap((n) => [2, 3, 4, 5].map((s) => [n, s] as const))
  : [
      [1, 2],
      [3, 2],
      [4, 3],
    ]
const forms: ReadonlyArray<Rest> = [{}, { factorAcquire: false, outputWait: false }]

describe('in every schedule that was tried', () => {
  const seen = new Map<Invariant, string>()
  for (const [tiles, slots] of sizes)
    for (const rest of forms) {
      const c = small(tiles, slots, rest)
      const program = programOf(c)
      for (const policy of policies)
        for (const [name, why] of broken(c, program, logOf(program, policy)))
          seen.set(name, `${String(tiles)} tiles, ${String(slots)} slots: ${why}`)
    }
  test.each(invariants)('%s', (name) => {
    expect(seen.get(name) ?? 'holds').toBe('holds')
  })
})

describe('none is empty: what breaks it', () => {
  const leaving =
    (...labels: ReadonlyArray<string>) =>
    (p: Program): Program =>
      labels.reduce((q, label) => right(without(label)(q)), p)
  const as = (p: Program): Program => p
  const inRegion = (r: Region): Region => ({
    ...r,
    body: r.body.map((s) => {
      if (s._tag === 'Fork')
        return { ...s, branches: s.branches.map((b) => ({ ...b, body: inRegion(b.body) })) }
      if (s._tag !== 'Do' || s.site.label !== 'stage O0' || s.instruction._tag !== 'smem.store') return s
      const { destination } = s.instruction
      return destination._tag === 'slot'
        ? { ...s, instruction: { ...s.instruction, destination: { ...destination, index: i32(1) } } }
        : s
    }),
  })
  const elsewhere = (p: Program): Program => ({ ...p, entry: inRegion(p.entry) })
  test.each<readonly [ReadonlyArray<Invariant>, string, Rest, (p: Program) => Program]>([
    [['I1'], 'no wait for a tile of K', {}, leaving('wait Kn')],
    [['I2', 'I9'], 'slots given back when products are issued', { release: 'arrive' }, as],
    [['I3', 'I4'], 'no wait for S', {}, leaving('wait S0')],
    [['I5', 'I6'], 'no acquire of O', {}, leaving('acquire O0', 'acquire O1')],
    [
      ['I7'],
      'no acquire of O, and no wait for it',
      { outputWait: false },
      leaving('acquire O0', 'acquire O1'),
    ],
    [['I8', 'I13'], 'no acquire of slots', {}, leaving('acquire Kn', 'acquire Vn')],
    [['I10'], 'O0 is staged over Q1, without a wait', {}, (p) => elsewhere(leaving('wait O0')(p))],
    [['I11'], 'no release of V', {}, leaving('release V')],
    [['I12'], 'no rendezvous of the tiles of rows', {}, leaving('rows are done')],
  ])('%s: %s', (names, _what, rest, change) => {
    const c = small(3, 2, rest)
    const program = change(programOf(c))
    const seen = new Set<string>()
    for (const policy of [...policies, ...upTo(20).map((s) => seeded(100 + s))]) {
      if (names.every((name) => seen.has(name))) break
      for (const name of broken(c, program, logOf(program, policy)).keys()) seen.add(name)
    }
    for (const name of names) expect([...seen]).toContain(name)
  })
})
