/**
 * What fences of one CTA's shared memory have covered that agents of other CTAs did there.
 *
 * `fence.proxy.async.shared::cta` is limited to objects in the shared memory of the CTA that executes it. An agent's accesses of its own CTA's memory are covered where
 * its clock says so (`knowledge.ts`). Those of another CTA's memory are covered by a fence of the cluster's shared memory, which has a clock too, or by a fence of the CTA
 * that holds the memory, and then those in this memory alone: so it is kept by CTA, agent and lane.
 *
 *     T0 of CTA 0   write x of CTA 1 #3; write y of CTA 2 #4; meet
 *     T1 of CTA 1   meet; fence.proxy.async.shared::cta         near: CTA 1, T0: 4 (x is covered, y is not)
 *
 * Few agents write to other CTAs, so the table holds these alone, and is empty in most runs.
 *
 * Laws
 * 1. `join` is the pointwise maximum, `meet` the pointwise minimum, where what is not there is 0.
 * 2. What all lanes are covered to alike is one number, and says the same as 32 of them.
 *
 * Source: PTX ISA, fence.proxy.async (its state space); `.shared::cta`, the window of the executing CTA.
 */

/** Up to which event: of all lanes, or lane by lane. */
export type Covered = ReadonlyArray<number>
/** By CTA and agent. */
export type Near = ReadonlyArray<ReadonlyArray<Covered>>

export const nowhere: Near = []

const nothing: Covered = [0]

/** Up to which event of one lane. */
const ofLane = (x: Covered, lane: number): number => (x.length === 1 ? x[0]! : x[lane]!)

const laneByLane = (x: Covered, y: Covered, f: (a: number, b: number) => number): Covered =>
  Array.from({ length: Math.max(x.length, y.length) }, (_, lane) => f(ofLane(x, lane), ofLane(y, lane)))

const pointwise = (x: Near, y: Near, f: (a: number, b: number) => number): Near =>
  x === y
    ? x
    : Array.from({ length: Math.max(x.length, y.length) }, (_, cta) => {
        const [a = [], b = []] = [x[cta], y[cta]]
        return Array.from({ length: Math.max(a.length, b.length) }, (_agent, agent) =>
          laneByLane(a[agent] ?? nothing, b[agent] ?? nothing, f),
        )
      })

export const join = (x: Near, y: Near): Near =>
  y === nowhere ? x : x === nowhere ? y : pointwise(x, y, Math.max)

export const meet = (x: Near, y: Near): Near =>
  x === nowhere || y === nowhere ? nowhere : pointwise(x, y, Math.min)

/** With what a fence of this CTA's memory covers of an agent. */
export const heard = (x: Near, cta: number, agent: number, covered: Covered): Near =>
  join(
    x,
    Array.from({ length: cta + 1 }, (_, at) =>
      at < cta ? [] : Array.from({ length: agent + 1 }, (_of, of) => (of < agent ? nothing : covered)),
    ),
  )

/** The lanes of an agent of which an access at `at` is covered. */
export const lanesCovered = (x: Near, cta: number, agent: number, at: number): number => {
  const covered = x[cta]?.[agent] ?? nothing
  let lanes = 0
  for (let lane = 0; lane < 32; lane++) if (ofLane(covered, lane) >= at) lanes |= 1 << lane
  return lanes
}
