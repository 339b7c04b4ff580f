/**
 * Every rule of `certificate.ts` is a theorem: about drawn programs of which the naive engine knows every schedule, and about the ways they can end,
 * of which the search of the machine's states knows every one.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { defaultExplore, explore as search, showEnd } from '../../../src/semantics/schedules/explore/index.js'
import { noArguments } from '../../../src/semantics/execution/launch.js'
import { embed, explore, skeletonOf } from '../../../src/semantics/schedules/naive/index.js'
import type { Op, Skeleton } from '../../../src/semantics/schedules/naive/skeleton.js'
import * as S from '../../../src/semantics/schedules/naive/skeleton.js'
import { skeleton } from '../schedules/naive/skeletons.js'
import { nightly } from '../../extent.js'

/** Enough tries, and enough of them with their ends compared; the most programs that are drawn for it. */
const enough = nightly ? 4000 : 16
const enoughEnds = nightly ? 1000 : 4
const seeds = nightly ? 20_000 : 2000
const states = nightly ? 20_000 : 3000

/** What an agent does instead, at operation `i`; null where the rule says nothing. */
type Rule = (ops: ReadonlyArray<Op>, i: number, s: Skeleton, x: number) => ReadonlyArray<Op> | null

const at = (ops: ReadonlyArray<Op>, i: number, by: ReadonlyArray<Op>, many = 1): ReadonlyArray<Op> => [
  ...ops.slice(0, i),
  ...by,
  ...ops.slice(i + many),
]
const twice =
  (...tags: ReadonlyArray<Op['_tag']>): Rule =>
  (ops, i) =>
    tags.includes(ops[i]!._tag) ? at(ops, i, [ops[i]!, ops[i]!]) : null

const barrierOf = (op: Op): number | null =>
  op._tag === 'arrive' && op.barriers.length === 1
    ? op.barriers[0]!
    : op._tag === 'arriveExpect' || op._tag === 'expect' || op._tag === 'wait'
      ? op.barrier
      : null
const isWait = (op: Op): boolean => op._tag === 'wait'

const commuting: Rule = (ops, i) => {
  const [a, b] = [ops[i]!, ops[i + 1]]
  if (b === undefined) return null
  const [p, q] = [barrierOf(a), barrierOf(b)]
  const fences = a._tag === b._tag && ['fence', 'fenceBefore', 'fenceAfter'].includes(a._tag)
  return fences || (p !== null && q !== null && p !== q && isWait(a) === isWait(b))
    ? at(ops, i, [b, a], 2)
    : null
}

const inTime: Rule = (ops, i) => {
  const [a, b] = [ops[i]!, ops[i + 1]]
  return a._tag === 'arriveExpect' &&
    b?._tag === 'load' &&
    b.destinations.every((d) => d.barrier === a.barrier)
    ? at(ops, i, [b, a], 2)
    : null
}

const stronger: Rule = (ops, i) => {
  const op = ops[i]!
  if (op._tag === 'bulkWait')
    return op.pending > 0
      ? at(ops, i, [S.bulkWait(op.pending - 1, op.side)])
      : op.side === 'read'
        ? at(ops, i, [S.bulkWait(0, 'full')])
        : null
  if (op._tag === 'wgmmaWait' && op.pending > 0) return at(ops, i, [S.wgmmaWait(op.pending - 1)])
  return op._tag === 'copyWait' && op.pending > 0 ? at(ops, i, [S.copyWait(op.pending - 1)]) : null
}

const implied: Rule = (ops, i) => {
  const op = ops[i]!
  if (op._tag === 'arrive' && op.tensor) return at(ops, i, [S.fenceBefore, op])
  return op._tag === 'wait' && op.tensor ? at(ops, i, [op, S.fenceAfter]) : null
}

const ofOne: Rule = (ops, i, _, x) =>
  at(ops, i, [S.rendezvous(`one-${String(x)}-${String(i)}`, [x]), ops[i]!])

/** `same`: whatever was wrong stays wrong, and nothing else. `clean`: what is clean stays clean. `both`: said of two that are clean. */
const theorems: ReadonlyArray<readonly [string, Rule, 'same' | 'clean' | 'both']> = [
  ['idempotent fence', twice('fence', 'fenceBefore', 'fenceAfter'), 'same'],
  ['idempotent wait', twice('bulkWait', 'copyWait', 'wgmmaWait', 'waitLoads', 'waitStores'), 'same'],
  ['repeated access', twice('read', 'write'), 'same'],
  ['repeated wait', twice('wait'), 'both'],
  ['empty group', twice('bulkCommit', 'copyCommit', 'wgmmaCommit'), 'clean'],
  ['stronger wait', stronger, 'clean'],
  // not more: an arrive that comes later may find the other CTA gone
  ['commuting neighbours', commuting, 'both'],
  ['expected in time', inTime, 'clean'],
  ['implied fence', implied, 'same'],
  ['rendezvous of one', ofOne, 'same'],
]

const withOps = (s: Skeleton, x: number, ops: ReadonlyArray<Op>): Skeleton => ({
  agents: s.agents.map((a, k) => (k === x ? { ...a, ops } : a)),
  barriers: s.barriers,
})

/** The doubled rendezvous is doubled for all its members. */
const metTwice = (s: Skeleton): Skeleton | null =>
  s.agents.some((a) => a.ops.some((op) => op._tag === 'rendezvous'))
    ? {
        agents: s.agents.map((a) => ({
          ...a,
          ops: a.ops.flatMap((op): ReadonlyArray<Op> => (op._tag === 'rendezvous' ? [op, op] : [op])),
        })),
        barriers: s.barriers,
      }
    : null

const kindsOf = (s: Skeleton): string | null => {
  const all = explore(s, { states, stop: false })
  if (all === 'too large') return null
  return (['race', 'visibility', 'fault', 'deadlock', 'exit'] as const)
    .filter((k) => all[k].length > 0)
    .join()
}

const endsOf = (s: Skeleton): string | null => {
  const embedded = embed(s)
  if (E.isLeft(embedded)) return null
  const all = search(embedded.right.program, {
    ...defaultExplore,
    states,
    arguments: noArguments,
  })
  return E.isLeft(all) || !all.right.complete ? null : all.right.ends.map(showEnd).join('\n')
}

/** How often the rule was tried, and where it does not hold. */
const tried = (rule: (s: Skeleton) => ReadonlyArray<Skeleton>, how: 'same' | 'clean' | 'both') => {
  const wrong: Array<readonly [number, string | null, string | null]> = []
  let times = 0
  let ended = 0
  // among the first programs there may be few that are clean
  for (let seed = 1; seed <= seeds && (times < enough || ended <= 3); seed++) {
    const s = skeletonOf(seed)
    const others = rule(s)
    const before = others.length === 0 ? null : kindsOf(s)
    if (before === null || (how !== 'same' && before !== '')) continue
    for (const other of others) {
      const after = kindsOf(other)
      if (after === null || (how === 'both' && after !== '')) continue
      times++
      if (after !== before) wrong.push([seed, before, after])
      if (before !== '' || after !== '' || ended >= enoughEnds) continue
      const [mine, its] = [endsOf(s), endsOf(other)]
      if (mine === null || its === null) continue
      ended++
      if (mine !== its) wrong.push([seed, mine, its])
    }
  }
  return { wrong: wrong.slice(0, 3), times, ended }
}

const everywhere =
  (rule: Rule) =>
  (s: Skeleton): ReadonlyArray<Skeleton> =>
    s.agents
      .flatMap(({ ops }, x) =>
        ops.flatMap((_, i) => {
          const other = rule(ops, i, s, x)
          return other === null ? [] : [withOps(s, x, other)]
        }),
      )
      .slice(0, 3)

test('an exchange of two arrives may be told by the end of the other CTA, so a certificate is given to what was found clean', () => {
  const last = (a: string, b: string): Skeleton =>
    skeleton(`b0@0:1 b1@0:1 | t@0: wait #0 0 | u@1: ${a}; ${b}`)
  expect(kindsOf(last('arr #1', 'arr #0'))).toBe('')
  expect(kindsOf(last('arr #0', 'arr #1'))).toBe('exit')
})

describe('rules, on drawn programs', () => {
  test.each(theorems)('%s', (_, rule, how) => {
    const { wrong, times, ended } = tried(everywhere(rule), how)
    expect(wrong).toEqual([])
    expect([times > 15, ended > 3]).toEqual([true, true])
  })
  test('idempotent barrier', () => {
    const { wrong, times } = tried((s) => [metTwice(s)].flatMap((x) => (x === null ? [] : [x])), 'same')
    expect(wrong).toEqual([])
    expect(times).toBeGreaterThan(15)
  })
})
