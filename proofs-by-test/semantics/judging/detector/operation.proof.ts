/** Operations in flight: their numbers, and by what others know that they are done; the table of the module, written down as clocks. */
import { describe, expect, test } from 'vitest'
import { doneBy, notYet } from '../../../../src/semantics/judging/detector/access-record.js'
import type { AgentState, Context } from '../../../../src/semantics/judging/detector/context.js'
import { agentState, context } from '../../../../src/semantics/judging/detector/context.js'
import type { Options } from '../../../../src/semantics/judging/detector/index.js'
import { defaults } from '../../../../src/semantics/judging/detector/index.js'
import type { ClockName } from '../../../../src/semantics/judging/detector/knowledge.js'
import { clockOf, nothing } from '../../../../src/semantics/judging/detector/knowledge.js'
import type { Operation } from '../../../../src/semantics/judging/detector/operation.js'
import {
  completionOf,
  doneAt,
  numbered,
  partOf,
  placeOf,
} from '../../../../src/semantics/judging/detector/operation.js'
import { inOrder, listed, tensorQueue } from '../../../../src/semantics/judging/detector/queue.js'
import type { Issue, TensorEntry, Unit } from '../../../../src/semantics/log/events.js'
import { units } from '../../../../src/semantics/log/units.js'
import { script } from './script.js'
import './rows.js'

const agent = (): AgentState => agentState(true)
const numbers = (a: AgentState, unit: Unit, n: number): ReadonlyArray<number> =>
  Array.from({ length: n }, () => numbered(a, units[unit]))

describe('numbers', () => {
  test.each<readonly [Unit, ReadonlyArray<number>]>([
    // known by their signal
    ['tmaLoad', [0, 0, 0]],
    ['stAsync', [0, 0, 0]],
    ['clc', [0, 0, 0]],
    // by the group that is open
    ['tmaStore', [1, 1, 1]],
    ['wgmma', [1, 1, 1]],
    // one after the other
    ['cpAsync', [1, 2, 3]],
    ['tcgen05', [1, 2, 3]],
    ['tcgen05Ld', [1, 2, 3]],
    ['tcgen05St', [1, 2, 3]],
  ])('%s: %j', (unit, expected) => {
    expect(numbers(agent(), unit, 3)).toEqual(expected)
  })
  test('a group is closed by its own commit alone', () => {
    const a = agent()
    a.bulkGroups = 4
    a.wgmmaGroups = 7
    expect([numbered(a, units.tmaStore), numbered(a, units.wgmma)]).toEqual([5, 8])
  })
  test('sequences do not touch one another', () => {
    const a = agent()
    const counted = ['cpAsync', 'tcgen05', 'tcgen05Ld', 'tcgen05St'] as const
    counted.forEach((unit, i) => numbers(a, unit, i + 1))
    expect([a.copies, a.queue, a.loads, a.stores]).toEqual([1, 2, 3, 4])
  })
})

const operation = (unit: Unit, part = 0): Operation => ({
  id: 5,
  stamp: { agent: 1, at: 3, site: 0, iteration: [] },
  unit,
  row: units[unit],
  reads: doneAt(units[unit].reads, 1, 6),
  writes: doneAt(units[unit].writes, 1, 6),
  knowledge: nothing(),
  issuers: null,
  others: 0,
  number: 6,
  covers: 6,
  instance: 0,
  lastWait: -1,
  lastObserved: -1,
  fences: 0,
  place: undefined,
  offset: false,
  parts: [],
  ctas: [],
  part,
  owed: 1,
})

describe('done for whoever knows', () => {
  type Clocks = readonly [ClockName, ClockName?]
  test.each<readonly [Unit, reads: Clocks, writes: Clocks]>([
    ['tmaStore', ['bulkRead', 'bulkFull'], ['bulkFull']],
    ['cpAsync', ['cpAsync'], ['cpAsync']],
    ['wgmma', ['wgmma'], ['wgmma']],
    ['tcgen05', ['queue'], ['queue']],
    ['tcgen05Ld', ['tensorLoad'], ['loadedRegisters', 'tensorLoad']],
    ['tcgen05St', ['tensorStore'], ['tensorStore']],
  ])('%s: reads %j, writes %j', (unit, ...sides) => {
    const given = (['r', 'w'] as const).map((rw) => completionOf(operation(unit), rw))
    expect(given).toEqual(
      sides.map(([clock, other]) =>
        doneBy(clockOf(clock, 1), 6, other === undefined ? undefined : clockOf(other, 1)),
      ),
    )
  })
  test.each<Unit>(['tmaLoad', 'stAsync', 'clc'])(
    '%s: the signal of its part, which is yet to come',
    (unit) => {
      const op = operation(unit, 2)
      const done = completionOf(op, 'w')
      expect(done).toEqual(notYet())
      // the same for its reads, and filled in for all that hold it
      expect(completionOf(op, 'r')).toBe(done)
      expect(partOf(op, 2)).toBe(done)
      expect(op.parts).toEqual([notYet(), notYet(), notYet()])
      expect(partOf(op, 0)).not.toBe(done)
      expect(op.parts.length).toBe(3)
    },
  )
})

describe('places in an in-order unit', () => {
  const at = (options: Partial<Options>): Context =>
    context(script({ agents: ['a@0', 'b@0'], barriers: [], bare: true }).header, { ...defaults, ...options })
  const issue = (unit: Unit, over: Partial<Issue> = {}): Issue => ({
    _tag: 'issue',
    stamp: { agent: 3, at: 3, site: 0, iteration: [] },
    operation: 0,
    unit,
    bytes: 0,
    macs: 0,
    accumulates: false,
    ...over,
  })
  /** Units of agent 3: its products are unit 6, its tensor queue is unit 7. */
  test('wgmma: one after the other, a unit for each agent', () => {
    const [c, a] = [at({}), agent()]
    expect([1, 2].map(() => placeOf(c, a, issue('wgmma'), units.wgmma, 9))).toEqual([
      inOrder(6, 1, 'mma', false),
      inOrder(6, 2, 'mma', false),
    ])
    expect(placeOf(at({ wgmmaOrder: 'documented' }), a, issue('wgmma'), units.wgmma, 9)).toBeUndefined()
  })
  test.each<readonly [string, Partial<Issue>, TensorEntry, number, boolean]>([
    ['a product unless it says otherwise', {}, 'mma', 0, false],
    ['a copy', { tensor: 'cp' }, 'cp', 0, false],
    ['of a pipe', { pipe: 4 }, 'mma', 4, false],
    ['for a pair', { ctaGroup: 2 }, 'mma', 0, true],
    ['for itself', { ctaGroup: 1 }, 'mma', 0, false],
  ])('tensor queue: %s', (_, over, entry, pipe, pair) => {
    for (const tensorPipe of ['issueOrder', 'documented'] as const)
      expect(placeOf(at({ tensorPipe }), agent(), issue('tcgen05', over), units.tcgen05, 9)).toEqual(
        listed(tensorQueue(), 7, 9, entry, pipe, pair),
      )
  })
  test.each<Unit>(['tmaLoad', 'tmaStore', 'cpAsync', 'tcgen05Ld', 'tcgen05St', 'stAsync', 'clc'])(
    '%s: none',
    (unit) => {
      expect(placeOf(at({}), agent(), issue(unit), units[unit], 1)).toBeUndefined()
    },
  )
})
