/**
 * Writing a trace: a fold over a log that hands out lines as they come to be.
 *
 * Keys stand in one order, so that a trace that is read and written again is the same text.
 *
 * Law 1. `encodeTrace` is `tracing` over the log, into an array.
 */
import type { Fold, Header, LogEvent } from '../../log/events.js'
import { numbering, writeFootprint, type Numbering } from './footprint.js'

/** What has been written so far; it grows in place, so use each state once. */
export interface Writer {
  readonly numbering: Numbering
  lines: number
}

const lineOf = (w: Writer, e: LogEvent): string => {
  const i = w.lines - 1
  switch (e._tag) {
    case 'access':
      return JSON.stringify({
        i,
        _tag: e._tag,
        stamp: e.stamp,
        operation: e.operation,
        rw: e.rw,
        proxy: e.proxy,
        footprint: writeFootprint(w.numbering, e.footprint),
        role: e.role,
        atomic: e.atomic ? true : undefined,
        scope: e.scope,
        combine: e.combine,
        outside: e.outside,
        value: e.value,
        origin: e.origin?._tag === 'terms' || e.origin?._tag === 'led' ? undefined : e.origin,
        acquires: e.acquires,
        releases: e.releases,
        agrees: e.agrees,
        rounds: e.rounds,
        joins: e.joins,
        decides: e.decides,
        controls: e.controls,
        signs: e.signs,
        words: e.words,
        older: e.older,
        found: e.found,
        left: e.left,
      })
    case 'alloc':
    case 'dealloc':
      return JSON.stringify({
        i,
        _tag: e._tag,
        stamp: e.stamp,
        footprint: writeFootprint(w.numbering, e.footprint),
        ctaGroup: e.ctaGroup,
      })
    case 'fence':
      return JSON.stringify({
        i,
        _tag: e._tag,
        stamp: e.stamp,
        kind: e.kind,
        scope: e.scope,
        footprint: e.footprint === undefined ? undefined : writeFootprint(w.numbering, e.footprint),
        sequential: e.sequential,
        half: e.half,
      })
    case 'semaphore':
      return JSON.stringify({
        i,
        _tag: e._tag,
        stamp: e.stamp,
        kind: e.kind,
        footprint: writeFootprint(w.numbering, e.footprint),
        value: e.value,
        decrement: e.decrement,
        scope: e.scope,
        before: e.before,
        outcome: e.outcome,
        until: e.until,
        relaxed: e.relaxed,
        unheeded: e.unheeded,
      })
    case 'barrier':
    case 'group':
    case 'issue':
    case 'perform':
    case 'signal':
    case 'wait':
    case 'rendezvous':
    case 'warpSync':
    case 'registers':
    case 'fork':
    case 'join':
    case 'relinquish':
    case 'exit':
    case 'cluster':
    case 'ahead':
      return JSON.stringify(Object.fromEntries([['i', i], ...Object.entries(e)]))
  }
}

/** Hands every line of the trace to `write` as it comes to be; the result is the number of lines. */
export const tracing = (write: (line: string) => void): Fold<Writer, number> => ({
  init: (header) => {
    write(JSON.stringify(header))
    return { numbering: numbering(), lines: 1 }
  },
  observe: (w, event) => {
    write(lineOf(w, event))
    w.lines++
    return w
  },
  finish: (w) => w.lines,
})

/** The lines of a trace, without line ends. */
export const encodeTrace = (header: Header, events: Iterable<LogEvent>): ReadonlyArray<string> => {
  const lines: string[] = []
  const fold = tracing((line) => lines.push(line))
  let state = fold.init(header)
  for (const event of events) state = fold.observe(state, event)
  fold.finish(state)
  return lines
}
