/**
 * Meetings of a whole warp: instructions that all its lanes execute together, and barriers that count warps.
 *
 * A barrier of the CTA counts the warp once, and an instruction that is .aligned has no meaning for some of the lanes. So a part that comes there waits until all lanes of
 * the warp that have not ended are there. At the barrier of the cluster the halves are apart: the warp arrives with the last of its lanes, and waits with the first.
 *
 * Where the others wait for something else, the meeting cannot take place: for .aligned that is a fault at once, for a barrier only if no part that is parked at a join can
 * still come.
 *
 * Law 1. An instruction of a meeting is executed once, by all lanes of the warp that have not ended.
 *
 * Source: PTX ISA, .aligned instructions, bar, barrier, barrier.cluster.
 */
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import * as Lanes from './lanes.js'
import { gatheringOf, isAligned, isOneMeeting } from './meeting.js'
import type { Operation } from './program.js'
import {
  siteAt,
  go,
  stop,
  released,
  meet,
  latest,
  byLane,
  arrive,
  type Walk,
  type Of,
  type Walking,
} from './walking.js'
import { synced } from './together.js'

/** Lanes come to the barrier of the cluster: the warp does with the last of them. */
export const whollyArrived = (w: Walk, mask: number): boolean => {
  const there = w.atCluster | mask
  const whole = (there | w.ended) === -1
  w.atCluster = whole ? 0 : there
  return whole
}

/** Lanes come there, and not all of their warp need come with them. */
export const isComing = (o: Operation | undefined): o is Of<'clusterArrive'> =>
  o?._tag === 'clusterArrive' && !o.aligned

/** Has another part of the warp waited there since it came, and these lanes have not? Then they have nothing to wait for. */
export const isWaitedFor = (w: Walk, mask: number): boolean =>
  (w.atCluster & mask) === 0 && w.fromCluster !== 0 && (w.fromCluster & mask) === 0

/** Lanes wait there for what another part of the warp has waited for since it came: the warp has, and does no more. */
export const waitedBefore = (w: Walk, s: Walking, mask: number): boolean => {
  const others = isWaitedFor(w, mask)
  w.fromCluster = others ? w.fromCluster | mask : mask
  // what the barrier tells it tells these lanes, too
  if (others) synced(w, s, w.fromCluster)
  return others
}

/** A part that waits for the rest of its warp. */
export const isHeld = (w: Walk, s: Walking): boolean => {
  const o = w.launch.code[s.pc]?.instruction.operation
  return (s.mask | w.ended) !== -1 && o !== undefined && gatheringOf(o) !== null
}

/** Why the lanes of a meeting cannot come together: where the others wait. */
const notTogether = (w: Walk, o: Operation, there: number): FaultValue => {
  const label = (t: Walking): string => w.launch.program.sites[siteAt(w, t)]?.label ?? 'the end'
  const elsewhere = w.splits
    .filter((t) => (t.mask & there) === 0)
    .map((t) => `${Lanes.showLanes(t.mask)} ${waitOrWaits(t.mask)} at ${label(t)}`)
    .join(', ')
  const lanes = `${Lanes.showLanes(there)} ${waitOrWaits(there)} here`
  return isAligned(o)
    ? V.fault(
        'warp.aligned',
        `all lanes of the warp must execute this instruction together (it is .aligned), but ${lanes} and ${elsewhere}`,
      )
    : V.fault(
        'warp.barrier',
        `a barrier waits for all lanes of its warp that have not ended, but ${lanes} and ${elsewhere}`,
      )
}

const waitOrWaits = (mask: number): string => ((mask & (mask - 1)) === 0 ? 'waits' : 'wait')

/**
 * The parts that execute this with the part `s`, when all lanes of the warp that have not ended are there. Null: they are not, and it or the walk
 * is stopped.
 */
export const gathered = (
  w: Walk,
  s: Walking,
  o: Operation,
  mask: number,
  last: boolean,
): ReadonlyArray<Walking> | null => {
  // lanes whose guard does not hold go on: it is a branch around the instruction
  if (mask !== s.mask) {
    go(
      w,
      s,
      [
        { mask, pc: s.pc },
        { mask: s.mask & ~mask, pc: s.pc + 1 },
      ],
      s.pc + 1,
    )
    return null
  }
  const others = w.splits.filter(
    (t) => t !== s && t.now === 'waiting' && isOneMeeting(w.rows, w.launch.code, s, t),
  )
  const there = others.reduce((lanes, t) => lanes | t.mask, mask)
  if ((there | w.ended) === -1) return others
  s.now = 'waiting'
  if (!last) return null
  const parked = isAligned(o) ? undefined : w.splits.find((t) => t.now === 'parked')
  if (parked === undefined) stop(w, s, notTogether(w, o, there))
  else {
    released(w, parked)
    meet(w)
  }
  return null
}

/** The parts of a meeting go on; those that stand together are one part from here. */
export const goOnTogether = (w: Walk, s: Walking, others: ReadonlyArray<Walking>): void => {
  const same = others.filter((t) => t.pc === s.pc && t.frame === s.frame)
  if (same.length > 0) {
    s.turns = latest([s, ...same])
    s.mask = same.reduce((lanes, t) => lanes | t.mask, s.mask)
    w.splits = w.splits.filter((t) => !same.includes(t)).sort(byLane)
  }
  for (const t of others)
    if (!same.includes(t)) {
      t.now = 'running'
      arrive(w, t, t.pc + 1)
    }
}
