/**
 * The edge that lanes of a warp lack: a `__syncwarp()`.
 *
 *     st.shared s[t]      ld.shared s[31 - t]       between the two
 *     st.global d[t]      st.release f (lane 0)     behind the store: lane 0 then tells what all lanes did
 *     ld.acquire f (lane 0)      ld.global d[t]     before the load: what lane 0 has heard all lanes know
 *     ld.shared s[t]      mbarrier.arrive (lane 0)  before the arrive: one meeting there serves everything before it
 *
 * Law 1. No hypothesis is about an agent whose lanes act as one.
 *
 * Source: PTX ISA, bar.warp.sync.
 */
import type { LogEvent } from '../../log/events.js'
import { allLanes } from './activity.js'
import { sideIn, statementAt, statementOf, type Hypothesis, type Kind, type Seen } from './candidate-edges.js'
import { isAmong } from './lanes.js'
import { meetAll } from './meeting.js'
import type { Action } from './replay.js'

const hasLanes = (events: ReadonlyArray<LogEvent>, { index }: Seen): boolean => {
  const e = events[index]
  return e !== undefined && 'stamp' in e && e.stamp.lanes !== undefined
}

const before = (index: number, x: number, at: number): Action => ({
  before: index,
  act: (d) => {
    meetAll(d, x, allLanes, at)
  },
})

/** The first arrive of the agent after what it did, by lanes that have not all done that. */
const arriveAfter = (events: ReadonlyArray<LogEvent>, { index, side }: Seen): number => {
  const done = events[index]
  return done === undefined || !('stamp' in done)
    ? -1
    : events.findIndex(
        (e, i) =>
          i > index &&
          e._tag === 'barrier' &&
          e.kind === 'arrive' &&
          e.stamp.agent === side.index &&
          !isAmong(done.stamp, e.stamp),
      )
}

export const warpSyncs: Kind = function* (header, events, options, finding, a, b) {
  if (options.lanes === 'off') return
  const [first, second] = [sideIn(finding, a), sideIn(finding, b)]
  const sync = (
    text: string,
    actions: ReadonlyArray<Action>,
    [after, ahead]: readonly [Hypothesis['after'], Hypothesis['before']],
  ): Hypothesis => ({
    kind: 'warp-sync',
    text,
    about: [],
    after,
    before: ahead,
    actions,
  })
  const front = before(a.index + 1, a.side.index, a.side.at)
  const behind = before(b.index, b.side.index, b.side.at - 1)
  if (a.side.index === b.side.index) {
    if (hasLanes(events, b) && b.index > a.index)
      yield sync(
        `add a \`__syncwarp()\` (bar.warp.sync) between ${statementOf(a.side)} and ${statementOf(b.side)}`,
        [behind],
        [first, second],
      )
    return
  }
  const [after, ahead] = [
    `add a \`__syncwarp()\` (bar.warp.sync) after ${statementOf(a.side)}`,
    `add a \`__syncwarp()\` (bar.warp.sync) before ${statementOf(b.side)}`,
  ]
  const arrive = hasLanes(events, a) ? arriveAfter(events, a) : -1
  const arrives = events[arrive]
  if (arrives?._tag === 'barrier') {
    const { site, at } = arrives.stamp
    const place = statementAt(header, site)
    yield {
      kind: 'warp-sync',
      text: `add a \`__syncwarp()\` (bar.warp.sync) before ${place}`,
      about: [],
      ahead: place,
      actions: [before(arrive, a.side.index, at - 1)],
    }
  }
  if (hasLanes(events, a)) yield sync(after, [front], [first, undefined])
  if (hasLanes(events, b)) yield sync(ahead, [behind], [undefined, second])
  if (hasLanes(events, a) && hasLanes(events, b))
    yield sync(`${after}, and ${ahead}`, [front, behind], [first, second])
}
