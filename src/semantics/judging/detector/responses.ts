/**
 * Answers of cluster launch control: opaque objects, and requests whose order decides who is granted.
 *
 * An answer lives in 16 bytes of shared memory from the moment it arrives. From then on those bytes are no payload: an access of them that is neither a
 * query nor another answer to the same place is B7. (That a query came too early is a read of nothing, I1, or a race, like any other.)
 *
 * Requests are granted one after another. Which of them gets which cluster is settled if each knows all earlier ones; else C1 fails.
 *
 *     CTA 0 and CTA 1 of a cluster both ask, unordered: who gets cluster 1 is a matter of timing (C1)
 *     one warp asks, again and again: in program order
 *
 * Law 1. A program without cluster launch control is judged as if this module were not there.
 *
 * Source: PTX ISA, clusterlaunchcontrol.
 */
import type { Footprint, Stamp } from '../../log/events.js'
import { spansOf } from '../../log/events.js'
import { ofPlane } from '../subject.js'
import type { AccessRecord } from './access-record.js'
import { overlap } from './atoms.js'
import { actorOf, whoAccesses } from './conflicts.js'
import type { Context } from './context.js'
import { programOf, type Vector } from './knowledge.js'
import { actor, draft, fail, file, keyOf, planeName, where } from './report.js'
import { valueAt } from './sparse.js'

// ---------------------------------------------------------------- model

interface Live {
  readonly footprint: Footprint
  readonly record: AccessRecord
}
export interface Responses {
  readonly live: Array<Live>
  /** the latest request of each agent */
  readonly requests: Map<number, Stamp>
}

export const responses = (): Responses => ({ live: [], requests: new Map() })

// ---------------------------------------------------------------- combinators

const sameBytes = (a: Footprint, b: Footprint): boolean => {
  const [x, y] = [spansOf(a), spansOf(b)]
  return a.plane === b.plane && x.length === y.length && x.every((byte, i) => byte === y[i])
}

/** Against the answers that lie in memory. `answer`: the access is one of cluster launch control itself. */
export const overResponses = (c: Context, all: Responses, r: AccessRecord, answer: boolean): void => {
  for (const l of all.live) {
    if (l.footprint.plane !== r.footprint.plane) continue
    if (answer && sameBytes(l.footprint, r.footprint)) continue
    const spans = overlap(l.footprint.spans, r.footprint.spans)
    if (spans.length > 0)
      file(c.report, keyOf(`B7|response|${String(l.footprint.id)}`, r.stamp, undefined), () =>
        draft(
          'B7',
          'E',
          `${whoAccesses(c.header, r)} bytes of an answer of cluster launch control while it lives`,
          [ofPlane(r.footprint.plane)],
          actorOf(l.record),
          actorOf(r),
          { plane: planeName(c.header, r.footprint.plane), spans },
        ),
      )
  }
  if (!answer || r.rw === 'r') return
  const i = all.live.findIndex((l) => sameBytes(l.footprint, r.footprint))
  const made: Live = { footprint: r.footprint, record: r }
  if (i < 0) all.live.push(made)
  else all.live[i] = made
}

/** C1: a request knows the requests before it. */
export const requested = (c: Context, all: Responses, stamp: Stamp, order: Vector): void => {
  for (const [agent, earlier] of all.requests)
    if (valueAt(order, programOf(agent)) < earlier.at)
      fail(c.report, 'C1', keyOf('cancel', earlier, stamp), () => {
        const text = `which cluster is granted depends on who asks first: ${where(c.header, earlier)} or ${where(c.header, stamp)}`
        return {
          text,
          draft: draft('B3', 'E', text, [], actor(earlier, 'asks'), actor(stamp, 'asks')),
        }
      })
  all.requests.set(stamp.agent, stamp)
}

export const forgetResponses = (all: Responses): void => {
  all.live.length = 0
  all.requests.clear()
}
