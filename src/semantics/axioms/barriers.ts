/**
 * Which threads meet at a barrier: the phases of `bar.sync` and `bar.arrive` (PTX ISA, "bar, barrier").
 *
 * | a barrier         | a phase of it                                                                                                        |
 * |-------------------|----------------------------------------------------------------------------------------------------------------------|
 * | with a count      | exactly that many arrivals, one a thread; then the barrier is ready for the next phase; which arrivals, the run chooses |
 * | without a count   | the k-th arrival of every thread of the CTA that comes to it in this execution                                        |
 *
 * A thread that waits in a phase to which too few come waits for ever. A run in which every thread does so has no final state. Barriers without a count that wait for
 * each other in a circle have none either.
 *
 * Laws
 * 1. An arrival is of one phase at most, and a thread's arrivals at one barrier are of phases in its own order.
 * 2. Phases are acyclic: none is complete before one that it has to wait for.
 */
import type { Event } from './events.js'
import { sameCta } from './orders.js'
import { isAcyclic, relation, type Relation } from './relation.js'

/** An arrival, with its operands known. */
interface Arrival {
  readonly event: number
  readonly key: string
  readonly count: number | undefined
  readonly syncs: boolean
  /** its thread waits there for ever */
  readonly waits: boolean
}

/** A complete phase: the events that arrived. */
type Phase = ReadonlyArray<number>

/** The ways to take one arrival of each of some threads, `count` in all. */
const choices = <A>(of: ReadonlyArray<A>, count: number): ReadonlyArray<ReadonlyArray<A>> =>
  count === 0 ? [[]] : of.flatMap((a, k) => choices(of.slice(k + 1), count - 1).map((rest) => [a, ...rest]))

/** The ways to divide the arrivals at one barrier, a queue for each thread, into complete phases. */
const phasesOf = (queues: ReadonlyArray<ReadonlyArray<Arrival>>): ReadonlyArray<ReadonlyArray<Phase>> => {
  const heads = queues.flatMap((q, k) => (q[0] === undefined ? [] : [{ arrival: q[0], k }]))
  if (heads.length === 0) return [[]]
  const counts = new Set(heads.map(({ arrival }) => arrival.count))
  const [count] = counts
  const without = (taken: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<Arrival>> =>
    queues.map((q, k) => (taken.includes(k) ? q.slice(1) : q))
  if (counts.size > 1) return []
  if (count === undefined) {
    const all = heads.map(({ arrival }) => arrival.event)
    return phasesOf(without(heads.map(({ k }) => k))).map((rest) => [all, ...rest])
  }
  // too few ever come: who waits, waits for ever
  if (count < 1 || heads.length < count)
    return queues.every((q) => q.every((a) => !a.syncs || a.waits)) ? [[]] : []
  return choices(heads, count).flatMap((taken) =>
    taken.some(({ arrival }) => arrival.waits)
      ? []
      : phasesOf(without(taken.map(({ k }) => k))).map((rest) => [
          taken.map(({ arrival }) => arrival.event),
          ...rest,
        ]),
  )
}

/** The ways in which the barriers of an execution are passed: for each, which arrivals synchronize with which (8.9.4). `waits`: the last event of a thread that waits for ever. */
export const meetings = (
  events: ReadonlyArray<Event>,
  valueAt: (event: number, which: 'id' | 'count') => number | undefined,
  waits: (event: number) => boolean,
): ReadonlyArray<Relation> => {
  const arrivals = events.flatMap(({ does }, event): ReadonlyArray<Arrival> => {
    if (does._tag !== 'barrier') return []
    const first = events.findIndex((o) => sameCta(o.place, events[event]!.place))
    return [
      {
        event,
        key: `${String(first)} ${does.name} ${String(valueAt(event, 'id'))}`,
        count: does.count === undefined ? undefined : valueAt(event, 'count'),
        syncs: does.act === 'sync',
        waits: waits(event),
      },
    ]
  })
  const keys = [...new Set(arrivals.map(({ key }) => key))]
  const threads = [...new Set(arrivals.map(({ event }) => events[event]!.thread))]
  const divided = keys.map((key) =>
    phasesOf(threads.map((t) => arrivals.filter((a) => a.key === key && events[a.event]!.thread === t))),
  )
  const together = divided.reduce<ReadonlyArray<ReadonlyArray<ReadonlyArray<Phase>>>>(
    (all, ways) => all.flatMap((before) => ways.map((way) => [...before, way])),
    [[]],
  )
  const syncs = (event: number): boolean => arrivals.some((a) => a.event === event && a.syncs)
  return together.flatMap((barriers) => {
    const phases = barriers.flatMap((one, barrier) => one.map((phase, k) => ({ phase, barrier, k })))
    // a phase is complete before the next of its barrier begins, and before what comes after it in a thread that waits for it
    const before = relation(
      phases.length,
      (p, q) =>
        p !== q &&
        ((phases[p]!.barrier === phases[q]!.barrier && phases[p]!.k < phases[q]!.k) ||
          phases[p]!.phase.some(
            (a) => syncs(a) && phases[q]!.phase.some((b) => events[a]!.thread === events[b]!.thread && a < b),
          )),
    )
    if (!isAcyclic(before)) return []
    return [
      relation(
        events.length,
        (a, b) => a !== b && syncs(b) && phases.some(({ phase }) => phase.includes(a) && phase.includes(b)),
      ),
    ]
  })
}
