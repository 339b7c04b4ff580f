/**
 * Peeks: tests of barriers, put before the waits of a skeleton.
 *
 * A peek whose outcome spares the wait synchronises where it is made and not where the wait stands, so it goes right before the wait, some operations before, or anywhere.
 * Some are damaged: another parity, another barrier, relaxed.
 *
 * Law 1. The same seed puts the same peeks.
 */
import * as S from './skeleton.js'
import type { BarrierIndex, Op, Skeleton } from './skeleton.js'
import { parityOf, dice, type Dice } from './dice.js'

/** Where the peek of the wait at `i` goes: right before it, a few operations before, behind what its agent did to a barrier last, or anywhere. */
const placeOfPeek = (die: Dice, ops: ReadonlyArray<Op>, i: number): number => {
  const m = die.below(100)
  if (m < 12) return i
  if (m < 55) return Math.max(0, i - 1 - die.below(3))
  if (m < 80) {
    for (let k = i - 1; k > 0; k--) if (S.barriersOf(ops[k]!).length > 0 && die.chance(0.7)) return k
    return 0
  }
  return die.below(i + 1)
}

/** What is wrong with a peek: its parity, its barrier, or what it acquires. */
const damagedPeek = (
  die: Dice,
  p: Op,
  near: ReadonlyArray<BarrierIndex>,
  tensor: ReadonlyArray<boolean>,
): Op => {
  if (p._tag !== 'peek') return p
  const m = die.below(3)
  if (m === 0) return S.peek(p.name, p.barrier, parityOf(p.parity ^ 1), p.relaxed, p.tensor)
  if (m === 1) return S.peek(p.name, p.barrier, p.parity, !p.relaxed, p.tensor)
  const b = die.pick(near)
  return S.peek(p.name, b, p.parity, p.relaxed, tensor[b]!)
}

/** Some of the waits of an agent get peeks; of `wrong` ones in a hundred something is wrong. */
const peeking = (
  die: Dice,
  drawn: ReadonlyArray<Op>,
  own: ReadonlyArray<BarrierIndex>,
  tensor: ReadonlyArray<boolean>,
  wrong: number,
): ReadonlyArray<Op> => {
  const ops = [...drawn]
  const names: string[] = []
  for (let i = ops.length - 1; i >= 0; i--) {
    const op = ops[i]!
    if (op._tag !== 'wait' || !op.on || !die.chance(0.6)) continue
    const fresh = `p${String(names.length)}`
    const again = die.below(100) < wrong / 2 && names.length > 0
    const name = again ? die.pick(names) : fresh
    if (!again) names.push(fresh)
    const near = (made: Op): Op => (op.narrow === true ? S.narrow(made) : made)
    const p = near(S.peek(name, op.barrier, op.parity, op.relaxed, op.tensor))
    // with nothing that it spares, with two waits, or with something else
    if (die.below(100) >= wrong / 4)
      ops[i] = near(S.waitAfter(name, op.barrier, op.parity, op.relaxed, op.tensor))
    if (die.below(100) < wrong / 2) ops.splice(i, 0, ops[i]!)
    ops.splice(placeOfPeek(die, ops, i), 0, die.below(100) < wrong ? damagedPeek(die, p, own, tensor) : p)
  }
  return ops
}

/** The skeleton with peeks before some of its waits. */
export const withPeeks = (seed: number, s: Skeleton): Skeleton => {
  const die = dice(seed ^ 0x5eed)
  // tensor-core order belongs to all barriers of a name
  const ordering = new Set(
    s.agents.flatMap(({ ops }) =>
      ops.flatMap((op) =>
        op._tag === 'commit' || ('tensor' in op && op.tensor)
          ? S.barriersOf(op).map((b) => s.barriers[b]!.name)
          : [],
      ),
    ),
  )
  const tensor = s.barriers.map(({ name }) => ordering.has(name))
  const wrong = die.pick([0, 0, 0, 12, 30])
  return behindRelaxed(dice(seed ^ 0x2e1a), {
    barriers: s.barriers,
    agents: s.agents.map(({ name, cta, ops }) => {
      const near = s.barriers.flatMap((b, k) => (b.cta === cta ? [k] : []))
      return { name, cta, ops: peeking(die, ops, near, tensor, wrong) }
    }),
  })
}

/** Some peeks come behind an arrival of their barrier in every schedule, over a relaxed arrive and a relaxed wait that tell nothing else. */
const behindRelaxed = (die: Dice, s: Skeleton): Skeleton => {
  if (!die.chance(0.15)) return s
  const pairs = s.agents.flatMap((to, x) =>
    to.ops.flatMap((peek, i) =>
      peek._tag !== 'peek'
        ? []
        : s.agents.flatMap((from, y) =>
            from.cta !== to.cta || x === y
              ? []
              : from.ops.flatMap((arrive, j) =>
                  arrive._tag === 'arrive' && arrive.on && arrive.barriers.includes(peek.barrier)
                    ? [{ x, i, y, j, cta: to.cta }]
                    : [],
                ),
          ),
    ),
  )
  if (pairs.length === 0) return s
  const { x, i, y, j, cta } = die.pick(pairs)
  const told = s.barriers.length
  const put = (ops: ReadonlyArray<Op>, at: number, op: Op): ReadonlyArray<Op> => [
    ...ops.slice(0, at),
    op,
    ...ops.slice(at),
  ]
  return {
    barriers: [...s.barriers, { name: 'told', cta, count: 1 }],
    agents: s.agents.map(({ name, cta: own, ops }, z) => ({
      name,
      cta: own,
      ops:
        z === x
          ? put(ops, i, S.wait(told, 0, true))
          : z === y
            ? put(ops, j + 1, S.arrive([told], true))
            : ops,
    })),
  }
}
