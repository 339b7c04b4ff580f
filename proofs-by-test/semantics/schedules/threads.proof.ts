/**
 * One run of warps decides for their threads: random programs in which lanes of warps act each for itself (`simt/drawn.ts`), run and judged, against a search of all schedules of the
 * threads that knows nothing of warps (`simt/sweep.ts`). And of each run the log is read as one of threads (`threadsOf`): the detector and the model say of that what the detector says
 * of the warps.
 *
 * By day a sample, by night 100,000; and each rule about lanes is needed (`LaneRule`).
 */
import { describe, expect, test } from 'vitest'
import {
  defaults,
  standard,
  verdictOf,
  type LaneRule,
} from '../../../src/semantics/judging/detector/index.js'
import { explore } from '../../../src/semantics/schedules/naive/explore.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import * as S from '../../../src/semantics/schedules/naive/skeleton.js'
import { nightly } from '../../extent.js'
import { asItShouldBe, carefulStyles, simtOf } from './simt/drawn.js'
import { meet, show, skeletonOf, statement, type Simt, type Statement } from './simt/program.js'
import { run } from './simt/run.js'
import { judged, sweep } from './simt/sweep.js'

const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 100_000 : 800))

const rules: ReadonlyArray<LaneRule> = [
  'lanesInOrder',
  'noLags',
  'partialMeets',
  'anyLaneWaits',
  'anyLaneFences',
  'jointLanes',
  'anyLaneReads',
  'anyLaneCommits',
  'allCopies',
  'anyLaneTells',
  'lastLaneTells',
  'lastLaneWaits',
  'warpArrivals',
  'warpExpects',
  'accessesAlone',
  'warpExit',
]

describe('one run of warps decides for their threads', () => {
  test('the theorem, on random programs', { timeout: 14_400_000 }, () => {
    const { counts, unlike, unmodelled, unsound, incomplete, unreal, weak } = sweep({
      from: Number(process.env['TCSPEC_FROM'] ?? 0),
      count,
      drawn: simtOf,
      modelled: 40,
      weakened: nightly || process.env['TALLY'] !== undefined ? rules : [],
    })
    if (nightly || process.env['TALLY'] !== undefined) console.log(counts, [...weak])
    expect([unsound[0], incomplete[0], unreal[0], unlike[0], unmodelled[0]]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(counts.clean).toBeGreaterThan(count / 4)
    expect(counts.ok).toBeGreaterThan(count / 4)
    expect(counts.tooLarge).toBeLessThan(count / 20)
    for (const [rule, { times }] of count < 100_000 ? [] : weak) expect(times, rule).toBeGreaterThan(0)
  })

  test('a program as it should be is clean, and is found to be', { timeout: 600_000 }, () => {
    for (const style of carefulStyles)
      for (let seed = 0; seed < (nightly ? 400 : 6); seed++) {
        const p = asItShouldBe(seed, style)
        const all = explore(skeletonOf(p), { states: 100_000, stop: true })
        expect(all === 'too large' || all.clean, `${style} ${String(seed)}\n${show(p)}`).toBe(true)
        const { header, log } = run(p, dice(seed), seed % 2 === 0)
        expect(verdictOf(judged(header, log, defaults)), `${style} ${String(seed)}\n${show(p)}`).toBe('ok')
      }
  })
})

// ---------------------------------------------------------------- each rule is needed

const x = (k: number): S.Atom => S.smem(0, `x${String(k)}`)
const f = S.gmem('f')
const by = (warp: number, lanes: ReadonlyArray<number>, op: (lane: number) => S.Op): Statement =>
  statement(warp, lanes, op)
const one = (warp: number, lane: number, ...ops: ReadonlyArray<S.Op>): ReadonlyArray<Statement> =>
  ops.map((op) => by(warp, [lane], () => op))
/** Both lanes write, each its own place. */
const both = by(0, [0, 1], (lane) => S.write([x(lane)]))
const again = {}

/** The smallest program that a run without the rule says something wrong of. */
const needed: Readonly<Record<LaneRule, Simt>> = {
  lanesInOrder: {
    warps: [2],
    counts: [],
    statements: [...one(0, 0, S.write([x(0)])), ...one(0, 1, S.read([x(0)]))],
  },
  // lane 0 arrives, and has not met lane 1
  noLags: {
    warps: [2, 1],
    counts: [1],
    statements: [both, ...one(0, 0, S.arrive([0])), ...one(1, 0, S.wait(0, 0), S.read([x(1)]))],
  },
  partialMeets: {
    warps: [3],
    counts: [],
    statements: [...one(0, 0, S.write([x(0)])), meet(0, [0, 1]), ...one(0, 2, S.read([x(0)]))],
  },
  anyLaneWaits: {
    warps: [1, 2],
    counts: [1],
    statements: [
      ...one(0, 0, S.write([x(0)]), S.arrive([0])),
      ...one(1, 0, S.wait(0, 0)),
      ...one(1, 1, S.read([x(0)])),
    ],
  },
  // lane 0 issues the store, and lane 1 has fenced since they met
  anyLaneFences: {
    warps: [2],
    counts: [],
    statements: [
      both,
      meet(0, [0, 1]),
      ...one(0, 1, S.fence('cta')),
      ...one(0, 0, S.store([x(0), x(1)], [S.gmem('g')]), S.bulkCommit, S.bulkWait(0, 'full')),
    ],
  },
  jointLanes: {
    warps: [1, 2],
    counts: [1],
    statements: [
      ...one(0, 0, S.write([x(0)]), S.arrive([0])),
      ...one(1, 0, S.wait(0, 0)),
      by(1, [0, 1], () => S.read([x(0)])),
    ],
  },
  // lane 1 reads at the same place of the text, and arrives
  anyLaneReads: {
    warps: [2, 1],
    counts: [1],
    statements: [
      ...[0, 1].map((lane) =>
        Object.assign(
          { again },
          by(0, [lane], () => S.read([x(0)])),
        ),
      ),
      ...one(0, 1, S.arrive([0])),
      ...one(1, 0, S.wait(0, 0), S.write([x(0)])),
    ],
  },
  // the copy of lane 1 is in no group
  anyLaneCommits: {
    warps: [2],
    counts: [],
    statements: [
      by(0, [0, 1], (lane) => S.copy([], [x(lane)])),
      ...one(0, 0, S.copyCommit),
      by(0, [0, 1], () => S.copyWait(0)),
      ...one(0, 1, S.read([x(1)])),
    ],
  },
  allCopies: {
    warps: [2],
    counts: [],
    statements: [
      by(0, [0, 1], (lane) => S.copy([], [x(lane)])),
      by(0, [0, 1], () => S.copyCommit),
      ...one(0, 0, S.copyWait(0)),
      meet(0, [0, 1]),
      ...one(0, 0, S.read([x(1)])),
    ],
  },
  anyLaneTells: {
    warps: [2, 1],
    counts: [],
    statements: [
      ...one(0, 0, S.write([x(0)]), S.fenceMemory()),
      meet(0, [0, 1]),
      ...one(0, 1, S.tell(f, 'store', 1, false)),
      ...one(1, 0, S.hear(f, 'ge', 1), S.read([x(0)])),
    ],
  },
  // here every schedule is right
  lastLaneTells: {
    warps: [2, 1],
    counts: [],
    statements: [
      both,
      ...one(0, 0, S.tell(f, 'add', 1)),
      ...one(0, 1, S.tell(f, 'add', 1)),
      ...one(1, 0, S.hear(f, 'ge', 2), S.read([x(0)])),
    ],
  },
  // lane 0 may come to its wait when the next phase is over
  lastLaneWaits: {
    warps: [1, 2],
    counts: [1, 1],
    statements: [
      ...one(0, 0, S.arrive([0]), S.wait(1, 0), S.arrive([0])),
      ...one(1, 0, S.wait(0, 0)),
      ...one(1, 1, S.wait(0, 0), S.arrive([1])),
    ],
  },
  // lane 0 may arrive twice before lane 1 does
  warpArrivals: {
    warps: [2, 1],
    counts: [2, 1],
    statements: [
      both,
      by(0, [0, 1], () => S.arrive([0])),
      ...one(0, 1, S.wait(1, 0)),
      by(0, [0, 1], () => S.arrive([0])),
      ...one(1, 0, S.wait(0, 0), S.read([x(1)]), S.arrive([1]), S.wait(0, 1)),
    ],
  },
  // lane 1 may arrive before lane 0 has announced the bytes
  warpExpects: {
    warps: [2],
    counts: [1],
    statements: [
      ...one(0, 0, S.expect(0, 1)),
      ...one(0, 1, S.arrive([0])),
      ...one(0, 0, S.load([], [{ atoms: [x(0)], barrier: 0, units: 1 }]), S.wait(0, 0), S.read([x(0)])),
    ],
  },
  // lane 1 may come to its wait when the next phase is over
  accessesAlone: {
    warps: [1, 2],
    counts: [1, 1],
    statements: [
      ...one(0, 0, S.arrive([0]), S.wait(1, 0), S.arrive([0])),
      by(1, [0, 1], () => S.wait(0, 0)),
      ...one(1, 0, S.arrive([1])),
    ],
  },
  // lane 0 waits for its own groups, and the store is lane 1's
  warpExit: {
    warps: [2],
    counts: [],
    statements: [
      ...one(0, 1, S.store([x(0)], [S.gmem('g')])),
      ...one(0, 0, S.bulkCommit, S.bulkWait(0, 'full')),
    ],
  },
}

describe('each rule about lanes is needed', () => {
  test.each(rules)('%s', (rule) => {
    const p = needed[rule]
    const refusesTheRight = rule === 'lastLaneTells'
    const all = explore(skeletonOf(p))
    expect(all !== 'too large' && all.clean).toBe(refusesTheRight)
    const verdicts = Array.from({ length: 12 }, (_, seed) => {
      const { header, log, split } = run(p, dice(seed), seed === 0)
      return split
        ? []
        : [
            [defaults, { ...defaults, rules: { ...standard, [rule]: true } }].map((options) =>
              verdictOf(judged(header, log, options)),
            ),
          ]
    }).flat()
    const [whole, weak] = [0, 1].map((k) => new Set(verdicts.map((of) => of[k]!)))
    expect(whole!.has('ok')).toBe(refusesTheRight)
    expect(weak!.has(refusesTheRight ? 'hazard' : 'ok')).toBe(true)
  })
})
