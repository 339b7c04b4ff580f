/** What agents share with one another: a release, an acquire, and a new cluster; the vectors that change, by hand. */
import { describe, expect, test } from 'vitest'
import type { AgentState } from '../../../../src/semantics/judging/detector/context.js'
import {
  agentState,
  context,
  publish,
  receive,
  restart,
  tick,
} from '../../../../src/semantics/judging/detector/context.js'
import { defaults } from '../../../../src/semantics/judging/detector/index.js'
import type { Knowledge } from '../../../../src/semantics/judging/detector/knowledge.js'
import { nothing, programOf } from '../../../../src/semantics/judging/detector/knowledge.js'
import { listed } from '../../../../src/semantics/judging/detector/queue.js'
import { script } from './script.js'
import { put, valueAt } from '../../../../src/semantics/judging/detector/sparse.js'
import { fillRow } from './rows.js'

/** Each vector has a number of its own at its first clock. */
const marked = (k: Knowledge): Knowledge => {
  put(k.order, 0, 1)
  put(k.visible.counters, 0, 2)
  put(k.visible.acquired, 0, [2, 3])
  put(k.async.counters, 0, 3)
  put(k.async.acquired, 0, [3, 4])
  put(k.tensor, 0, 4)
  return k
}
const marks = (k: Knowledge): ReadonlyArray<unknown> => [
  valueAt(k.order, 0),
  valueAt(k.visible.counters, 0),
  valueAt(k.visible.acquired, 0),
  valueAt(k.async.counters, 0),
  valueAt(k.async.acquired, 0),
  valueAt(k.tensor, 0),
]
const agent = (): AgentState => {
  const a = agentState(true)
  marked(a.knowledge)
  put(a.published, 0, 5)
  put(a.received, 0, 6)
  return a
}

describe('a release', () => {
  test.each([
    ['tells all that is known, of tensor memory what was released', false, 5],
    ['with tensor order: of tensor memory all', true, 4],
  ] as const)('%s', (_, tensor, expected) => {
    const message = nothing()
    const a = agent()
    publish(message, a, tensor)
    expect(marks(message)).toEqual([1, 2, [2, 3], 3, [3, 4], expected])
    expect(a).toEqual(agent())
  })
})

describe('an acquire', () => {
  const message = marked(nothing())
  const fresh = (): AgentState => agentState(true)
  const received = (acquire: boolean, tensor: boolean, a: AgentState = fresh()): AgentState => {
    receive(a, message, acquire, tensor)
    return a
  }
  test('order alone', () => {
    for (const tensor of [false, true]) {
      const a = received(false, tensor)
      expect([marks(a.knowledge), valueAt(a.received, 0)]).toEqual([[1, 0, [], 0, [], 0], 0])
    }
  })
  test('all of it; tensor knowledge waits for its fence', () => {
    const a = received(true, false)
    expect([marks(a.knowledge), valueAt(a.received, 0), valueAt(a.published, 0)]).toEqual([
      [1, 2, [2, 3], 3, [3, 4], 0],
      4,
      0,
    ])
  })
  test('with tensor order: that too, and what had been received before', () => {
    const a = received(true, true)
    expect([valueAt(a.knowledge.tensor, 0), valueAt(a.received, 0)]).toEqual([4, 4])
    const before = fresh()
    put(before.received, 1, 7)
    received(true, true, before)
    expect([valueAt(before.knowledge.tensor, 0), valueAt(before.knowledge.tensor, 1)]).toEqual([4, 7])
  })
})

describe('an event of an agent', () => {
  test('is known to it, in order and visibly, and to no other vector', () => {
    const c = context(script({ agents: ['a@0', 'b@0'], barriers: [], bare: true }).header, defaults)
    const a = tick(c, { agent: 1, at: 7, site: 0, iteration: [] })
    expect(a).toBe(c.agents[1])
    const expected = agentState(true)
    put(expected.knowledge.order, programOf(1), 7)
    put(expected.knowledge.visible.counters, programOf(1), 7)
    expect(a).toEqual(expected)
    expect(c.agents[0]).toEqual(agentState(true))
  })
})

describe('another cluster', () => {
  test.each([true, false])(
    'an agent that runs from the start (%s) knows nothing and has done nothing',
    (starts) => {
      const a = agent()
      const { knowledge: k } = a
      for (const v of [k.order, k.visible.counters, k.async.counters, k.tensor, a.published, a.received])
        fillRow(v, 9)
      put(k.visible.acquired, 1, [0, 1])
      put(k.async.acquired, 1, [0, 1])
      a.bulkGroups = 1
      a.wgmmaGroups = 2
      a.copies = 3
      a.copiesAtCommit.push(1, 2)
      a.queue = 4
      listed(a.tensorQueue, 1, 5, 'mma', 0, false)
      a.products = 7
      a.loads = 8
      a.stores = 9
      a.lastWait = 1
      a.lastObserved = 2
      a.fences = 3
      a.increment = 4
      a.started = !starts
      a.exited = true
      a.forked = { stamp: { agent: 0, at: 1, site: 0, iteration: [] }, children: [1] }
      a.parent = 1
      restart(a, agentState(starts))
      expect(a).toEqual(agentState(starts))
    },
  )
  test('at first nobody has done anything: waits, increments and parents are none', () => {
    expect(agentState(false)).toMatchObject({
      bulkGroups: 0,
      wgmmaGroups: 0,
      copies: 0,
      copiesAtCommit: [],
      queue: 0,
      products: 0,
      loads: 0,
      stores: 0,
      lastWait: -1,
      lastObserved: -1,
      fences: 0,
      increment: -1,
      started: false,
      exited: false,
      forked: undefined,
      parent: -1,
    })
  })
  test('who starts is what the header says', () => {
    const { header } = script({ agents: ['a@0', 'b@0'], barriers: [], bare: true })
    const agents = header.agents.map((a, x) => ({ ...a, starts: x === 0 }))
    expect(context({ ...header, agents }, defaults).agents.map((a) => a.started)).toEqual([true, false])
  })
})
