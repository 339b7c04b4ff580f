/**
 * Reading a trace: a fold over lines that believes nothing.
 *
 * A line is decoded strictly; indices must lie in the header's lists, bytes in their plane; an operation performs and signals only
 * after its issue; an agent's program order does not go back. Generations are not in a trace; who reads it computes them.
 *
 * | asked of                                   | that                                                    |
 * |--------------------------------------------|---------------------------------------------------------|
 * | `i`                                        | it counts up from 0                                     |
 * | the first event                            | it is the beginning of a cluster                        |
 * | agent, site, barrier, plane, children      | the header has them                                     |
 * | `stamp.at` of what an agent does itself    | from 1 to 2^31 - 1, not before the agent's last         |
 * | an issue                                   | its number is new in its cluster                        |
 * | an access of an operation, perform, signal | the operation was issued in this cluster                |
 * | the threads and counts of barriers         | below 2^31; 1 to 2^20 - 1 for an initialisation         |
 *
 * Laws
 * 1. `decodeTrace(encodeTrace(h, es))` is h and es.
 * 2. Nothing is kept that the fold does not keep, but for footprints and the numbers of issued operations.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { read } from '../../../wire.js'
import type { Fold, Header, LogEvent, Stamp } from '../../log/events.js'
import { onLine, wrong, type Fault, type TraceError } from './error.js'
import { eventOf, footedOf, isFooted, lineWire, type Line } from './event.js'
import { known, readFootprint, type Known } from './footprint.js'
import { checkHeader, headerWire } from './header.js'

// ---------------------------------------------------------------- model

export interface Trace {
  readonly header: Header
  readonly events: ReadonlyArray<LogEvent>
}

/** What a reader has heard so far. */
interface Reader {
  readonly header: Header
  readonly known: Known
  /** operations of the clusters that are running */
  readonly issued: Set<number>
  /** where each agent is in its program */
  readonly at: Int32Array
  begun: boolean
  /** what the beginnings of clusters have cost the judge: the square of agents and barriers, each time */
  begins: number
}

const reader = (header: Header): Reader => ({
  header,
  known: known(header),
  issued: new Set(),
  at: new Int32Array(header.agents.length),
  begun: false,
  begins: 0,
})

// ---------------------------------------------------------------- checks

type Checked = Fault | null
const fault = (found: E.Either<Fault, unknown>): Checked => (E.isLeft(found) ? found.left : null)

/** `index` must be one of the header's list of `what`. */
const within = (field: string, what: string, count: number, index: number): Checked =>
  index < count
    ? null
    : fault(wrong('trace.reference', field, `one of ${String(count)} ${what} of the header`, index))

const largest = 2 ** 31 - 1
const mostBegins = 2 ** 29
const small = (field: string, value: number): Checked =>
  Math.abs(value) <= largest ? null : fault(wrong('trace.size', field, `at most ${String(largest)}`, value))

const mostCounted = 2 ** 20 - 1
const counts = (count: number): Checked =>
  count >= 1 && count <= mostCounted
    ? null
    : fault(wrong('trace.size', '$.count', `1 to ${String(mostCounted)} arrivals`, count))

/** What an agent does itself: its place in the program does not go back. `passing`: it stands for an operation issued there. */
const checkStamp = (r: Reader, s: Stamp, passing: boolean): Checked => {
  const where =
    within('$.stamp.agent', 'agents', r.header.agents.length, s.agent) ??
    within('$.stamp.site', 'sites', r.header.sites.length, s.site) ??
    small('$.stamp.at', s.at)
  if (where !== null || passing) return where
  const before = Math.max(1, r.at[s.agent]!)
  if (s.at < before)
    return fault(wrong('trace.order', '$.stamp.at', `${String(before)} or more, in program order`, s.at))
  r.at[s.agent] = s.at
  return null
}

const checkBarrier = (r: Reader, barrier: number): Checked =>
  within('$.barrier', 'barriers', r.header.barriers.length, barrier)

const checkIssued = (r: Reader, operation: number): Checked =>
  r.issued.has(operation)
    ? null
    : fault(wrong('trace.order', '$.operation', 'an operation that has been issued', operation))

/** An operation has a part for each CTA that it reaches, or for each barrier that it completes on. */
const checkPart = (r: Reader, part: number): Checked =>
  within('$.part', 'CTAs or barriers', Math.max(r.header.ctas, r.header.barriers.length), part)

/** What the form cannot say. */
const check = (r: Reader, e: Line): Checked => {
  switch (e._tag) {
    case 'access':
      return (
        checkStamp(r, e.stamp, e.operation !== undefined) ??
        (e.operation === undefined ? null : checkIssued(r, e.operation))
      )
    case 'alloc':
    case 'dealloc':
    case 'warpSync':
    case 'relinquish':
    case 'semaphore':
    case 'registers':
    case 'fence':
      return checkStamp(r, e.stamp, false)
    case 'group':
      return checkStamp(r, e.stamp, false) ?? small('$.pending', e.pending)
    case 'rendezvous':
      return (
        checkStamp(r, e.stamp, false) ??
        small('$.id', e.id) ??
        small('$.count', e.count) ??
        small('$.threads', e.threads)
      )
    case 'issue':
      if (r.issued.has(e.operation))
        return fault(wrong('trace.order', '$.operation', 'one that has not been issued', e.operation))
      r.issued.add(e.operation)
      return checkStamp(r, e.stamp, false) ?? small('$.signals', e.signals ?? 0)
    case 'perform':
      return checkIssued(r, e.operation) ?? checkPart(r, e.part)
    case 'signal':
      return (
        checkIssued(r, e.operation) ??
        checkPart(r, e.part) ??
        (e.to === 'group' ? null : checkBarrier(r, e.barrier)) ??
        (e.to === 'barrier' ? small('$.bytes', e.bytes) : null)
      )
    case 'barrier':
      return (
        checkStamp(r, e.stamp, false) ??
        checkBarrier(r, e.barrier) ??
        (e.kind === 'init' ? counts(e.count) : small('$.count', e.count)) ??
        small('$.bytes', e.bytes)
      )
    case 'wait':
      return checkStamp(r, e.stamp, false) ?? checkBarrier(r, e.barrier)
    case 'fork':
    case 'join': {
      const stamped = checkStamp(r, e.stamp, false)
      if (stamped !== null) return stamped
      for (const [k, child] of e.children.entries()) {
        const there = within(`$.children[${String(k)}]`, 'agents', r.header.agents.length, child)
        if (there !== null) return there
      }
      return null
    }
    case 'exit':
      return within('$.agent', 'agents', r.header.agents.length, e.agent)
    case 'ahead': {
      const agents = r.header.agents.length
      return (
        checkStamp(r, e.stamp, true) ??
        within('$.behind', 'agents', agents, e.behind) ??
        within('$.helps', 'agents', agents, e.helps)
      )
    }
    case 'cluster':
      if (r.header.clusters !== undefined && e.id >= r.header.clusters)
        return within('$.id', 'clusters', r.header.clusters, e.id)
      // every cluster counts anew
      r.issued.clear()
      r.at.fill(0)
      r.begun = true
      r.begins += (r.header.agents.length + r.header.barriers.length) ** 2
      return r.begins <= mostBegins
        ? null
        : fault(wrong('trace.size', '$._tag', 'no more clusters of so many agents and barriers', e._tag))
  }
}

const readEvent = (r: Reader, i: number, e: Line): E.Either<Fault, LogEvent> => {
  if (e.i !== i) return wrong('trace.order', '$.i', String(i), e.i)
  if (!r.begun && e._tag !== 'cluster')
    return wrong('trace.order', '$._tag', '"cluster" before all other events', JSON.stringify(e._tag))
  const found = check(r, e)
  if (found !== null) return E.left(found)
  return isFooted(e)
    ? pipe(
        readFootprint(r.known, e.footprint),
        E.map((f) => footedOf(e, f)),
      )
    : E.right(eventOf(e))
}

// ---------------------------------------------------------------- lines

const parse = (line: string): E.Either<Fault, unknown> =>
  pipe(
    E.tryCatch(
      (): unknown => JSON.parse(line),
      (why): Fault => ({
        code: 'trace.syntax',
        field: '$',
        expected: 'JSON',
        found: (why instanceof Error ? why.message : String(why)).replace(/\s+/g, ' '),
      }),
    ),
  )

const ofForm = E.mapLeft(
  (m: { readonly field: string; readonly expected: string; readonly found: string }): Fault => ({
    code: 'trace.form',
    field: m.field,
    expected: m.expected,
    found: m.found,
  }),
)

const readHeader = (line: string): E.Either<Fault, Header> =>
  pipe(
    parse(line),
    E.chain((u) => ofForm(read(headerWire)(u))),
    E.chain(checkHeader),
  )

/** Events between two questions whether a fold can hear more. */
const patience = 256

/**
 * Runs a fold over the lines of a trace. Empty lines do not count. Refuses the first line that is not JSON, not of its form, out of order,
 * or points to something that is not there; and the first after which the fold can hear no more.
 */
export const foldTrace =
  <S, R>(fold: Fold<S, R>) =>
  (lines: Iterable<string>): E.Either<TraceError, R> => {
    let line = 0
    let i = 0
    let open: { readonly reader: Reader; state: S } | null = null
    for (const source of lines) {
      line++
      if (source.trim() === '') continue
      if (open === null) {
        const header = readHeader(source)
        if (E.isLeft(header)) return E.left(onLine(line)(header.left))
        open = { reader: reader(header.right), state: fold.init(header.right) }
        continue
      }
      const r: Reader = open.reader
      const event: E.Either<Fault, LogEvent> = pipe(
        parse(source),
        E.chain((u) => ofForm(read(lineWire)(u))),
        E.chain((e) => readEvent(r, i, e)),
      )
      if (E.isLeft(event)) return E.left(onLine(line)(event.left))
      i++
      open.state = fold.observe(open.state, event.right)
      if (i % patience === 0 && fold.exhausted?.(open.state) === true)
        return E.left(
          onLine(line)({
            code: 'trace.size',
            field: '$',
            expected: 'no more places that overlap than can be judged',
            found: `too many after ${String(i)} events`,
          }),
        )
    }
    return open === null
      ? E.left(
          onLine(line + 1)({
            code: 'trace.empty',
            field: '$',
            expected: 'the line of a header',
            found: 'nothing',
          }),
        )
      : E.right(fold.finish(open.state))
  }

const keeping: Fold<{ readonly header: Header; readonly events: LogEvent[] }, Trace> = {
  init: (header) => ({ header, events: [] }),
  observe: (state, event) => {
    state.events.push(event)
    return state
  },
  finish: (state) => state,
}

/** The whole trace. */
export const decodeTrace: (lines: Iterable<string>) => E.Either<TraceError, Trace> = foldTrace(keeping)
