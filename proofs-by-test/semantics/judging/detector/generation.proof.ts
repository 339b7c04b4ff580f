/** One generation of a barrier: what counts, who knows all of its events, and what it tells; rows by hand. */
import { describe, expect, test } from 'vitest'
import type { Contribution, Generation } from '../../../../src/semantics/judging/detector/generation.js'
import {
  contribute,
  generation,
  renewed,
  told,
  unknownEvent,
} from '../../../../src/semantics/judging/detector/generation.js'
import { singleton } from '../../../../src/semantics/judging/detector/generation-set.js'
import {
  clockOf,
  nothing,
  programOf,
  type Knowledge,
} from '../../../../src/semantics/judging/detector/knowledge.js'
import type { Stamp } from '../../../../src/semantics/log/events.js'
import { put, valueAt } from '../../../../src/semantics/judging/detector/sparse.js'
import { joinVector, type Vector } from '../../../../src/semantics/judging/detector/knowledge.js'
import { fillRow } from './rows.js'

const extent = { agents: 3, barriers: 2 }
const event = (agent: number, at: number, over: Partial<Contribution> = {}): Contribution => ({
  clock: programOf(agent),
  at,
  counted: true,
  offset: false,
  announces: false,
  stamp: { agent, at, site: 0, iteration: [] },
  does: 'arrives',
  ...over,
})
/** What an agent knows of the agents' programs. */
const knowing = (...counters: ReadonlyArray<number>): Vector => {
  const { order } = nothing()
  counters.forEach((at, x) => put(order, programOf(x), at))
  return order
}
const knowledgeOf = (order: Vector): Knowledge => {
  const k = nothing()
  joinVector(k.order, order)
  return k
}
const asker: Stamp = { agent: 2, at: 9, site: 0, iteration: [] }
const of = (...events: ReadonlyArray<readonly [Contribution, Vector]>): Generation => {
  const g = generation(extent)
  for (const [e, order] of events) contribute(g, e, order)
  return g
}

describe('arrivals', () => {
  test.each<
    readonly [string, Partial<Contribution>, arrivals: number, based: number, counted: ReadonlyArray<number>]
  >([
    ['a counted one', {}, 1, 1, [4, 0, 7]],
    ['bytes', { counted: false }, 0, 0, [0, 0, 0]],
    ['one that answers an increment', { offset: true }, 1, 0, [0, 0, 0]],
  ])('%s', (_, over, arrivals, based, counted) => {
    const e = event(0, 4, over)
    const g = of([e, knowing(4, 0, 7)])
    expect([g.arrivals, g.based, [...g.counted], g.events]).toEqual([arrivals, based, counted, [e]])
  })
  test('what some arrival knew, agent by agent', () => {
    const g = of(
      [event(0, 4), knowing(4, 1, 7)],
      [event(1, 3), knowing(2, 3, 9)],
      [event(2, 1), knowing(0, 5, 1)],
    )
    expect([[...g.counted], g.arrivals, g.based]).toEqual([[4, 5, 9], 3, 3])
  })
})

describe('an event that somebody does not know', () => {
  const bytes = event(0, 3, { counted: false })
  const first = event(0, 4)
  const second = event(1, 2)
  const g = of([bytes, knowing(3)], [first, knowing(4)], [second, knowing(0, 2)])
  const barrier = clockOf('program', extent.agents)
  const ofBarrier = (known: number): Vector => {
    const order = knowing()
    put(order, barrier, known)
    return order
  }
  test.each<readonly [string, Vector, clock: number, countedOnly: boolean, Contribution | undefined]>([
    ['nothing known: the first', knowing(), -1, false, bytes],
    ['nothing known: the first that counts', knowing(), -1, true, first],
    ['one known', knowing(3), -1, false, first],
    ['two known', knowing(4), -1, false, second],
    ['the second agent’s alone', knowing(0, 2), -1, false, bytes],
    ['all known', knowing(4, 2), -1, false, undefined],
    // to know generation 5 (stored plus one) is to know its events
    ['the generation known', ofBarrier(6), barrier, false, undefined],
    ['a later one known', ofBarrier(7), barrier, false, undefined],
    ['the one before it known', ofBarrier(5), barrier, false, bytes],
  ])('%s', (_, order, clock, countedOnly, expected) => {
    expect(unknownEvent(g, 5, knowledgeOf(order), asker, clock, countedOnly)).toBe(expected)
  })
  test('the barrier whose clock is the first', () => {
    const order = nothing().order
    put(order, 0, 6)
    expect(unknownEvent(of([second, knowing()]), 5, knowledgeOf(order), asker, 0, false)).toBeUndefined()
  })
})

describe('what it tells', () => {
  test('its message; and joined with what came from far, without changing either', () => {
    const g = generation(extent)
    put(g.message.order, 0, 3)
    expect(told(g)).toEqual(g.message)
    put(told(g).order, 0, 8)
    expect(valueAt(g.message.order, 0)).toBe(3)
    g.far = nothing()
    put(g.far.order, 0, 1)
    put(g.far.visible.counters, 1, 5)
    const all = told(g)
    expect([valueAt(all.order, 0), valueAt(all.visible.counters, 1)]).toEqual([3, 5])
    expect([valueAt(g.message.visible.counters, 1), valueAt(g.far.order, 0)]).toEqual([0, 1])
  })
})

test('law 2: renewed, it is as if it had just begun, in the same arrays', () => {
  const g = of([event(0, 4), knowing(4, 1, 7)], [event(1, 3, { offset: true }), knowing(2, 3, 9)])
  for (const k of [g.message, (g.far = nothing())]) {
    for (const xs of [k.order, k.visible.counters, k.async.counters, k.tensor]) fillRow(xs, 5)
    fillRow(k.visible.acquired, singleton(2))
    fillRow(k.async.acquired, singleton(3))
  }
  const again = renewed(g)
  expect(again).toEqual(generation(extent))
  expect(again.message).toBe(g.message)
})
