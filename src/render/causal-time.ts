/**
 * Causal time: when the events of a log could happen at the earliest, if each took one unit of time and no agent were late.
 *
 * A log is one order out of many that the same run could have had. What it means by "before" is less: an agent's statements one after the other, an
 * operation after its issue, a wait after the arrivals and signals that it saw. The time of an event is the length of the longest chain of such
 * befores that leads to it. Pipelines then look like pipelines, whatever the schedule did.
 *
 *     log   memory: copy 0   copy 1          compute: wait 0   mma 0                     wait 1   mma 1
 *     time           0        1                        3        4                         5        6
 *     copy 0 performs at 1 and signals at 2; copy 1 performs at 2, signals at 3: wait 1 could pass at 4, but its agent gets there at 5
 *
 * | event                                    | comes behind                                                       |
 * |------------------------------------------|--------------------------------------------------------------------|
 * | an agent's own                           | the statement before it; its causes (`semantics/files/trace/chronicle`)   |
 * | leave of a rendezvous                    | every arrival, not the last one's alone                            |
 * | perform                                  | the issue; a read of the same operation; in a queue of tensor cores, what was issued before it and holds it back |
 * | signal                                   | the last perform of the operation                                  |
 * | access                                   | no time: that of the event it belongs to                           |
 *
 * Laws
 * 1. A cause is earlier than what it causes; statements of one agent are one behind the other.
 * 2. Between two schedules of a program whose control does not depend on them, no event changes its time.
 * 3. Every event of clusters that begin later is counted from 0 again.
 *
 * @fidelity model: nothing takes one unit of time on a chip.
 */
import { clusterOf, type Header, type LogEvent, type TensorEntry } from '../semantics/log/events.js'
import { holdsBack } from '../semantics/log/tensor-queue.js'
import { units } from '../semantics/log/units.js'
import type { Entry } from '../semantics/files/trace/index.js'

/** Times of the entries of one kind in a queue, in the order of their issue, and the latest up to each, as far as it was asked for. */
interface Lane {
  readonly times: number[]
  readonly latest: number[]
}
const lane = (): Lane => ({ times: [], latest: [] })

/** The latest of the first `n` entries, which have all performed; -1 if there are none. */
const latestOf = (l: Lane, n: number): number => {
  for (let k = l.latest.length; k < n; k++) l.latest.push(Math.max(l.latest[k - 1] ?? -1, l.times[k]!))
  return n === 0 ? -1 : l.latest[n - 1]!
}

/** What one agent gives its tensor cores: products, copies, shifts and commits. */
type Queue = Readonly<Record<'mma' | 'cp' | 'shift' | 'commit', Lane>>
const queue = (): Queue => ({ mma: lane(), cp: lane(), shift: lane(), commit: lane() })
type LaneName = keyof Queue
const laneNames: ReadonlyArray<LaneName> = ['mma', 'cp', 'shift', 'commit']

/**
 * The kinds of entries that an entry comes behind, if they were issued before it: those of the table, and products behind products, as shipped kernels
 * have it. Both kinds of copies hold back alike.
 */
const behindOf = (entry: TensorEntry): ReadonlyArray<LaneName> =>
  laneNames.filter((name) => holdsBack(name, entry, true))

/** An entry of a queue: its kind, its number there, and how many of each kind were issued before it. */
interface Entered {
  readonly queue: Queue
  readonly entry: TensorEntry
  readonly before: Readonly<Record<LaneName, number>>
}

const laneOf = (entry: TensorEntry): LaneName => (entry === 'cp.4x256b' ? 'cp' : entry)

const entered = (q: Queue, entry: TensorEntry): Entered => {
  const before = {
    mma: q.mma.times.length,
    cp: q.cp.times.length,
    shift: q.shift.times.length,
    commit: q.commit.times.length,
  }
  q[laneOf(entry)].times.push(-1)
  return { queue: q, entry, before }
}

/** The earliest that it can perform. */
const queuedAt = ({ queue: q, entry, before }: Entered): number =>
  1 + behindOf(entry).reduce((time, name) => Math.max(time, latestOf(q[name], before[name])), -1)

/** What an operation has done so far. */
interface Going {
  readonly entered: Entered | null
  issue: number
  read: number
  last: number
}

type RendezvousEvent = Extract<LogEvent, { readonly _tag: 'rendezvous' }>

/** Those who have arrived at a meeting: their threads, and when the last of them did. */
interface Meeting {
  threads: number
  time: number
}
const meetingOf = (header: Header, agent: number, e: RendezvousEvent): string => {
  const { cta } = header.agents[agent]!
  return e.id > 15
    ? `cluster ${String(clusterOf(header, cta))} ${String(e.id)}`
    : `cta ${String(cta)} ${String(e.id)}`
}

/** The time of each event, in the order of the log. */
export const causalTimes = (header: Header, entries: ReadonlyArray<Entry>): Int32Array => {
  const times = new Int32Array(entries.length)
  let operations = new Map<number, Going>()
  /** of each agent: the statement it is at, and its last event's time */
  let agents = new Map<number, { readonly at: number; readonly time: number }>()
  let queues = new Map<number, Queue>()
  let meetings = new Map<string, Meeting>()
  /** of the arrival that completed a meeting: when all were there */
  const complete = new Map<number, number>()
  for (const { i, event, agent, stamp, issue, causes } of entries) {
    if (event._tag === 'cluster') {
      operations = new Map()
      agents = new Map()
      queues = new Map()
      meetings = new Map()
      continue
    }
    const behind = causes.reduce((time, c) => Math.max(time, (complete.get(c) ?? times[c]!) + 1), 0)
    if (issue >= 0) {
      const o = operations.get(issue)
      if (o === undefined) continue
      if (event._tag === 'perform') {
        const queued = o.entered === null ? 0 : queuedAt(o.entered)
        times[i] = Math.max(o.issue + 1, o.read + 1, queued)
        if (o.entered !== null) {
          const { queue: q, entry, before: at } = o.entered
          q[laneOf(entry)].times[at[laneOf(entry)]] = times[i]!
        }
        if (event.stage === 'read') o.read = times[i]!
        o.last = Math.max(o.last, times[i]!)
      } else if (event._tag === 'signal') times[i] = o.last + 1
      else times[i] = o.last
      continue
    }
    const before = agents.get(agent)
    const own = before === undefined ? 0 : stamp?.at === before.at ? before.time : before.time + 1
    times[i] = Math.max(own, behind)
    if (stamp !== null) agents.set(agent, { at: stamp.at, time: times[i]! })
    if (event._tag === 'rendezvous' && event.kind === 'arrive') {
      const key = meetingOf(header, agent, event)
      const met = meetings.get(key) ?? { threads: 0, time: 0 }
      meetings.set(key, met)
      met.threads += event.threads
      met.time = Math.max(met.time, times[i]!)
      if (met.threads >= event.count) {
        complete.set(i, met.time)
        meetings.delete(key)
      }
    }
    if (event._tag === 'issue') {
      const inOrder = units[event.unit].pipeline !== null
      const q = queues.get(agent) ?? queue()
      if (inOrder) queues.set(agent, q)
      operations.set(i, {
        entered: inOrder ? entered(q, event.tensor ?? 'mma') : null,
        issue: times[i]!,
        read: -1,
        last: times[i]!,
      })
    }
  }
  return times
}
