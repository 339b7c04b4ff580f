import { describe, expect, it } from 'vitest'
import {
  CURRENT,
  MASK,
  MET,
  OWN,
  TOLD,
  fenceWidth,
  layoutOf,
  namedWidth,
  slotWidth,
  tooManyAtoms,
  viewWidth,
  wordWidth,
  type Layout,
} from '../../../../src/semantics/schedules/naive/layout.js'
import { skeletonOf } from '../../../../src/semantics/schedules/naive/random.js'
import { wordsOf, type Skeleton } from '../../../../src/semantics/schedules/naive/skeleton.js'
import { clusteredOf } from '../warps/drawn.js'

const range = (from: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, k) => from + k)

interface Part {
  readonly name: string
  readonly places: ReadonlyArray<number>
  /** those of them that are views */
  readonly views: ReadonlyArray<number>
}

/** The parts of a state as the essay names them, each asked of the layout by itself. */
const partsOf = (skeleton: Skeleton, l: Layout): ReadonlyArray<Part> => {
  const n = skeleton.agents.length
  const barrierWidth = l.scoped ? 15 : 9
  const flying = l.steps.flatMap((of) => of.filter((step) => step.slot >= 0))
  const slots = flying.flatMap((step) =>
    range(0, Math.max(step.op._tag === 'load' ? step.parts.length : 1, 0)).map(
      (j) => step.slot + j * slotWidth,
    ),
  )
  const truths = new Set(
    skeleton.agents.flatMap(({ ops }, x) =>
      ops.flatMap((op, i) =>
        op._tag === 'peek' || (op._tag === 'wait' && op.after !== undefined) ? [l.truthAt(x, i)] : [],
      ),
    ),
  )
  const named = new Set(
    skeleton.agents.flatMap(({ cta, ops }) =>
      ops.flatMap((op) =>
        op._tag === 'namedArrive' || op._tag === 'namedSync' ? [l.namedAt(cta, op.id)] : [],
      ),
    ),
  )
  const words = wordsOf(skeleton).map(l.wordAt)
  const part = (name: string, at: number, width: number, views: ReadonlyArray<number> = []): Part => ({
    name,
    places: range(at, width),
    views,
  })
  return [
    part('pc', 0, n),
    ...skeleton.barriers.map((_, b) =>
      part('barrier', l.barrierAt(b), barrierWidth, range(l.barrierAt(b) + CURRENT, barrierWidth - CURRENT)),
    ),
    ...range(0, n).map((x) => part('view', l.viewAt(x), viewWidth, range(l.viewAt(x), viewWidth))),
    part('landed', l.landedAt, 3),
    ...slots.map((at) => part('slot', at, slotWidth, [at + MASK, at + OWN])),
    part('written', l.writtenAt, 1),
    ...l.ctas.map((cta) => part('history', l.historyAt(cta), l.longest)),
    ...[...truths].map((at) => part('truth', at, 1)),
    ...(l.fencing
      ? range(0, n).map((x) => part('fenced', l.fencedAt(x), fenceWidth, range(l.fencedAt(x), fenceWidth)))
      : []),
    ...words.map((at) => part('word', at, wordWidth, range(at + TOLD, wordWidth - TOLD))),
    ...[...named].map((at) => part('named', at, namedWidth, range(at + MET, namedWidth - MET))),
    ...(named.size > 0 ? range(0, n).map((x) => part('stands', l.standsAt(x), 1)) : []),
    ...(l.meets
      ? [
          ...range(0, n).map((x) => part('joined', l.joinedAt(x), 1)),
          part('met', l.metAt, 6, range(l.metAt, 6)),
          part('lacking', l.lackingAt, 1),
        ]
      : []),
    ...(l.ordering
      ? [
          part('happened', l.happenedAt, 1),
          ...range(0, n).map((x) => part('order', l.orderOf(x), 1)),
          ...skeleton.barriers.map((_, b) => part('order of a barrier', l.orderOfBarrier(b), 2)),
          ...slots.map((at) => part('order of a slot', l.orderOfSlot(at), 1)),
          ...[...named].map((at) => part('order of a name', l.orderOfNamed(at), 1)),
          part('order of the cluster', l.orderOfCluster, 2),
          ...words.flatMap((at) => range(0, 4).map((k) => part('order of a word', l.orderOfWord(at, k), 1))),
          ...range(0, n).map((x) => part('order of a fence', l.orderOfFence(x), 4)),
        ]
      : []),
  ]
}

const drawn: ReadonlyArray<Skeleton> = range(0, 600)
  .map((seed) => (seed % 2 === 0 ? skeletonOf(seed) : clusteredOf(seed)))
  .filter((s) => !tooManyAtoms(s))
const sorted = (some: Iterable<number>): ReadonlyArray<number> => [...some].sort((a, b) => a - b)

describe('the layout of a state', () => {
  it('1: the parts of a state are side by side: none shares a number, and none is left over', () => {
    const seen = new Set<string>()
    for (const s of drawn) {
      const l = layoutOf(s)
      const parts = partsOf(s, l)
      for (const { name, places } of parts) if (places.length > 0) seen.add(name)
      expect(sorted(parts.flatMap(({ places }) => places))).toEqual(range(0, l.width))
    }
    // each kind of part has been seen
    expect(seen.size).toBe(22)
  })

  it('2: masks are the numbers that are views', () => {
    for (const s of drawn) {
      const l = layoutOf(s)
      expect(sorted(l.masks)).toEqual(sorted(partsOf(s, l).flatMap(({ views }) => views)))
    }
  })
})
