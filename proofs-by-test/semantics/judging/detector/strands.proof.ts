/**
 * Strands. Oracle: 32 lanes with a set each, of the events that they know: by an event of theirs, by meeting, by a message that they hear. A message is the union of what those
 * who release know. Events of a lane are known in their order, so that a set is a prefix of each lane's events.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allLanes, does } from '../../../../src/semantics/judging/detector/activity.js'
import {
  agentState,
  publish,
  receive,
  type AgentState,
} from '../../../../src/semantics/judging/detector/context.js'
import { nothing, programOf, type Knowledge } from '../../../../src/semantics/judging/detector/knowledge.js'
import * as Pace from '../../../../src/semantics/judging/detector/pace.js'
import {
  act,
  counted,
  exchange,
  meetLanes,
  partLanes,
  strandsOf,
} from '../../../../src/semantics/judging/detector/strands.js'
import { nightly } from '../../../extent.js'
import { valueAt } from '../../../../src/semantics/judging/detector/sparse.js'
import './rows.js'

// ---------------------------------------------------------------- sequences

type Step =
  | { readonly does: 'access' | 'meet' | 'part'; readonly lanes: number }
  /** an arrival at a mailbox, and a wait for what is in it */
  | { readonly does: 'tell' | 'hear'; readonly lanes: number; readonly box: number }
  /** another agent tells of its own events, up to a number */
  | { readonly does: 'other'; readonly lanes: number; readonly upTo: number }

const masks = fc.constantFrom(-1, -1, 1, 2, 3, 0xff, 0xff00, 0xffff, 0xffff0000 | 0, ~1, 1 << 31)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: masks.map((lanes): Step => ({ does: 'access', lanes })) },
  { weight: 2, arbitrary: masks.map((lanes): Step => ({ does: 'meet', lanes })) },
  { weight: 1, arbitrary: masks.map((lanes): Step => ({ does: 'part', lanes })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom<'tell' | 'hear'>('tell', 'hear'), masks, fc.integer({ min: 0, max: 1 }))
      .map(([what, lanes, box]): Step => ({ does: what, lanes, box })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(masks, fc.integer({ min: 1, max: 5 }))
      .map(([lanes, upTo]): Step => ({ does: 'other', lanes, upTo })),
  },
)

// ---------------------------------------------------------------- both sides

const [warp, other] = [0, 1]
const lanesOf = (mask: number): ReadonlyArray<number> =>
  Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => ((mask >>> lane) & 1) === 1)
const stepSlot = Pace.slotNamed('order', 'program')

/** Of each lane what is known: up to which of its events, by lane; and of the other agent up to which. */
interface Known {
  readonly lanes: number[]
  other: number
}
const ignorant = (): Known => ({ lanes: new Array<number>(32).fill(0), other: 0 })
const learn = (into: Known, from: Known): void => {
  from.lanes.forEach((at, lane) => {
    into.lanes[lane] = Math.max(into.lanes[lane]!, at)
  })
  into.other = Math.max(into.other, from.other)
}

interface Both {
  readonly a: AgentState
  readonly boxes: ReadonlyArray<Knowledge>
  readonly known: ReadonlyArray<Known>
  readonly told: ReadonlyArray<Known>
  /** the accesses so far */
  readonly events: Array<{ readonly at: number; readonly lanes: number }>
  at: number
}
const begin = (): Both => ({
  a: agentState(true),
  boxes: [nothing(), nothing()],
  known: Array.from({ length: 32 }, ignorant),
  told: [ignorant(), ignorant()],
  events: [],
  at: 0,
})

/** As the detector does an event: strand by strand. */
const byStrands = ({ a }: Both, lanes: number, at: number, f: () => void): void => {
  for (const part of strandsOf(a).map((s) => s.lanes & lanes)) {
    if (part === 0) continue
    act(a, warp, part, at)
    counted(a.knowledge, warp, at)
    f()
  }
}

const take = (b: Both, s: Step): void => {
  const { a, known } = b
  const those = lanesOf(s.lanes)
  switch (s.does) {
    case 'access': {
      const at = ++b.at
      byStrands(b, s.lanes, at, () => {
        does(a.did.accesses, a.acting, at)
      })
      b.events.push({ at, lanes: s.lanes })
      for (const lane of those) known[lane]!.lanes[lane] = at
      return
    }
    case 'meet': {
      meetLanes(a, warp, s.lanes, b.at)
      const all = ignorant()
      for (const lane of those) learn(all, known[lane]!)
      for (const lane of those) learn(known[lane]!, all)
      return
    }
    case 'part':
      partLanes(a, s.lanes)
      return
    case 'tell':
      byStrands(b, s.lanes, ++b.at, () => {
        publish(b.boxes[s.box]!, a, false)
      })
      for (const lane of those) learn(b.told[s.box]!, known[lane]!)
      return
    case 'hear': {
      if (s.lanes !== allLanes) partLanes(a, s.lanes)
      byStrands(b, s.lanes, ++b.at, () => {
        receive(a, b.boxes[s.box]!, true, false)
      })
      for (const lane of those) learn(known[lane]!, b.told[s.box]!)
      return
    }
    case 'other': {
      if (s.lanes !== allLanes) partLanes(a, s.lanes)
      const message = nothing()
      counted(message, other, s.upTo)
      byStrands(b, s.lanes, ++b.at, () => {
        receive(a, message, true, false)
      })
      for (const lane of those) known[lane]!.other = Math.max(known[lane]!.other, s.upTo)
    }
  }
}

/** Up to which access of each lane this lane knows it, as the strands say. */
const viewOf = (b: Both, lane: number): unknown => {
  const { knowledge: k } = strandsOf(b.a).find((s) => ((s.lanes >>> lane) & 1) === 1)!
  const met = k.together?.paced ?? Pace.standing
  return {
    other: valueAt(k.order, programOf(other)),
    lanes: Array.from({ length: 32 }, (_, m) =>
      b.events.reduce(
        (most, e) =>
          ((e.lanes >>> m) & 1) === 1 && (m === lane || Pace.reaches(met, 1 << m, stepSlot, e.at))
            ? e.at
            : most,
        0,
      ),
    ),
  }
}
/** The same of what another agent hears from a mailbox. */
const heardOf = (b: Both, k: Knowledge): unknown => ({
  other: valueAt(k.order, programOf(other)),
  lanes: Array.from({ length: 32 }, (_, m) =>
    b.events.reduce(
      (most, e) =>
        ((e.lanes >>> m) & 1) === 1 &&
        valueAt(k.order, programOf(warp)) >= e.at &&
        Pace.lagsReach(k.lags?.get(warp) ?? Pace.noLags, 1 << m, stepSlot, e.at)
          ? e.at
          : most,
      0,
    ),
  ),
})
const views = (b: Both): unknown => b.known.map((_, lane) => viewOf(b, lane))

const runs = { numRuns: nightly ? 3000 : 150 }
const sequences = fc.array(step, { maxLength: 14 })

describe('what lanes know', () => {
  test('of one another, and what they tell: what 32 sets know', () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const b = begin()
        for (const s of steps) {
          take(b, s)
          expect(views(b)).toEqual(b.known)
          expect(b.boxes.map((k) => heardOf(b, k))).toEqual(b.told)
        }
      }),
      runs,
    )
  })
  test('law 1: strands are disjoint, and their lanes are all lanes', () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const b = begin()
        for (const s of steps) {
          take(b, s)
          const all = strandsOf(b.a).flatMap(({ lanes }) => lanesOf(lanes))
          expect([...all].sort((x, y) => x - y)).toEqual(lanesOf(allLanes))
        }
      }),
      runs,
    )
  })
  test('law 2: who meet again at once learn nothing', () => {
    fc.assert(
      fc.property(sequences, masks, (steps, lanes) => {
        const b = begin()
        for (const s of steps) take(b, s)
        take(b, { does: 'meet', lanes })
        const before = views(b)
        const strands = strandsOf(b.a).map((s) => s.lanes)
        take(b, { does: 'meet', lanes })
        expect(views(b)).toEqual(before)
        expect(strandsOf(b.a).map((s) => s.lanes)).toEqual(strands)
      }),
      runs,
    )
  })
  test('law 3: to part changes nothing that any lane knows', () => {
    fc.assert(
      fc.property(sequences, masks, (steps, lanes) => {
        const b = begin()
        for (const s of steps) take(b, s)
        const before = views(b)
        partLanes(b.a, lanes)
        expect(views(b)).toEqual(before)
        expect(strandsOf(b.a).every((s) => (s.lanes & lanes) === 0 || (s.lanes & ~lanes) === 0)).toBe(true)
      }),
      runs,
    )
  })
  test('an exchange orders no access', () => {
    fc.assert(
      fc.property(sequences, masks, (steps, lanes) => {
        const b = begin()
        for (const s of steps) take(b, s)
        const before = views(b)
        exchange(b.a, warp, { lanes, before: b.at + 1, loads: new Set([1]) })
        expect(views(b)).toEqual(before)
      }),
      runs,
    )
  })
})

describe('worked', () => {
  test('one elected lane tells what all did before they met; without a meeting its own alone', () => {
    for (const meets of [true, false]) {
      const b = begin()
      take(b, { does: 'access', lanes: -1 })
      if (meets) take(b, { does: 'meet', lanes: -1 })
      take(b, { does: 'tell', lanes: 1, box: 0 })
      expect(heardOf(b, b.boxes[0]!)).toEqual({
        other: 0,
        lanes: Array.from({ length: 32 }, (_, lane) => (meets || lane === 0 ? 1 : 0)),
      })
    }
  })
  test('what lane 0 alone hears parts it from the others; when all meet they are one again', () => {
    const b = begin()
    take(b, { does: 'other', lanes: 1, upTo: 4 })
    expect(strandsOf(b.a).map((s) => [s.lanes, valueAt(s.knowledge.order, programOf(other))])).toEqual([
      [1, 4],
      [~1, 0],
    ])
    take(b, { does: 'meet', lanes: -1 })
    expect(strandsOf(b.a).map((s) => [s.lanes, valueAt(s.knowledge.order, programOf(other))])).toEqual([
      [-1, 4],
    ])
  })
})
