/**
 * What is known to have happened: whether those who make an access know one of some events of the log.
 *
 * A grid that depends on another one waits for it with `griddepcontrol.wait`, in one thread or in all. What comes after the wait of any thread comes after the other grid,
 * also by way of a barrier; only the clocks of the detector say what comes after.
 *
 *     warp 0: griddepcontrol.wait    warp 0: read x        knows the wait: it has made it
 *     warp 0, warp 1: bar.sync       warp 1: read y        knows it
 *     warp 2: read z                                       does not
 *
 * Laws
 * 1. An access that follows an awaited event in the program order of its thread knows it.
 * 2. `knows` is monotone: an event more among those that are looked for never makes it false.
 *
 * Source: PTX ISA, griddepcontrol; memory consistency model, causality order.
 */
import type { Access } from '../../log/events.js'
import { allLanes } from './activity.js'
import { programOf, type Knowledge } from './knowledge.js'
import * as Pace from './pace.js'
import { valueAt } from './sparse.js'
import type { Detector } from './state.js'

/** An event of some lanes of an agent, by its program-order index. */
export interface Happened {
  readonly agent: number
  readonly at: number
  readonly lanes: number
}

const program = Pace.slotNamed('order', 'program')

/** Do these lanes of `agent`, who know this at its event `now`, know the event? */
const lanesKnow = (k: Knowledge, agent: number, lanes: number, now: number, e: Happened): boolean => {
  if (e.agent === agent) {
    if (e.at > now) return false
    if ((lanes & ~e.lanes) === 0) return true
    const { together } = k
    return (
      together === null || anyLane(e.lanes, (lane) => Pace.paceOf(together.paced, lane)[program]! >= e.at)
    )
  }
  if (valueAt(k.order, programOf(e.agent)) < e.at) return false
  const lags = k.lags?.get(e.agent) ?? Pace.noLags
  return anyLane(e.lanes, (lane) =>
    lags.every((lag) => ((lag.lanes >>> lane) & 1) === 0 || lag.pace[program]! >= e.at),
  )
}

const anyLane = (lanes: number, holds: (lane: number) => boolean): boolean => {
  for (let lane = 0; lane < 32; lane++) if (((lanes >>> lane) & 1) !== 0 && holds(lane)) return true
  return false
}

/** Do all who make this access know one of the events? Asked right after the detector has observed it. */
export const knows = (d: Detector, e: Access, events: ReadonlyArray<Happened>): boolean => {
  if (events.length === 0) return false
  const op = e.operation === undefined ? undefined : d.operations.get(e.operation)
  const stamp = op?.stamp ?? e.stamp
  const lanes = stamp.lanes ?? allLanes
  const know = (own: number, k: Knowledge): boolean =>
    events.some((x) => lanesKnow(k, stamp.agent, own, stamp.at, x))
  if (op !== undefined)
    return op.issuers === null
      ? know(lanes, op.knowledge)
      : op.issuers.every((issuer) => know(issuer.lanes, issuer.knowledge))
  const a = d.context.agents[stamp.agent]!
  if (a.strands === null || (lanes & ~a.acting) === 0) return know(lanes, a.knowledge)
  return a.strands.every((s) => (s.lanes & lanes) === 0 || know(s.lanes & lanes, s.knowledge))
}
