/**
 * Replay: a log judged again, with something done to the detector's state on the way.
 *
 * A hypothesis ("had there been a fence here") is a list of actions, each before the event of an index; the last index plus one is
 * the end. The log itself is not changed, so the events stay those of the run and only what is known changes.
 *
 *     events   0 write x   1 issue store of x        judged: P1
 *     action   before 1: a proxy fence by the writer  judged: nothing
 *
 * Laws
 * 1. Without actions it is the judgement of the log.
 * 2. `replayUntil` that is never stopped is `replay`; stopped, it judges nothing, and has looked at no event behind that one.
 */
import type { Judgement, Operation as Side } from '../finding.js'
import type { Header, LogEvent } from '../../log/events.js'
import { observe } from './detector.js'
import { conclude } from './end.js'
import type { Options } from './rules.js'
import type { Detector } from './state.js'
import { start } from './state.js'

/** Something done to the detector's state before the event of this index (or after the last). */
export interface Action {
  readonly before: number
  readonly act: (d: Detector) => void
}

/** Judges the log with the actions; `after` is told of the state after each event. */
export const replay = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  options: Options,
  actions: ReadonlyArray<Action>,
  after: (d: Detector, index: number) => void,
): Judgement => {
  const d = start(header, options)
  events.forEach((e, i) => {
    for (const a of actions) if (a.before === i) a.act(d)
    observe(d, e)
    after(d, i)
  })
  return ended(d, events, actions)
}

const ended = (d: Detector, events: ReadonlyArray<LogEvent>, actions: ReadonlyArray<Action>): Judgement => {
  for (const a of actions) if (a.before >= events.length) a.act(d)
  return conclude(d, true)
}

/** The same up to the event after which enough has been seen; null if there is one. */
export const replayUntil = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  options: Options,
  actions: ReadonlyArray<Action>,
  enough: (d: Detector, index: number) => boolean,
): Judgement | null => {
  const d = start(header, options)
  for (const [i, e] of events.entries()) {
    for (const a of actions) if (a.before === i) a.act(d)
    observe(d, e)
    if (enough(d, i)) return null
  }
  return ended(d, events, actions)
}

/** Who did it and at which point of its program; undefined for what an operation does. */
export const stampOf = (e: LogEvent): { readonly agent: number; readonly at: number } | undefined => {
  switch (e._tag) {
    case 'perform':
    case 'signal':
    case 'exit':
    case 'cluster':
    case 'ahead':
      return undefined
    case 'access':
      return e.operation === undefined ? e.stamp : undefined
    case 'issue':
    case 'barrier':
    case 'wait':
    case 'group':
    case 'fence':
    case 'rendezvous':
    case 'semaphore':
    case 'registers':
    case 'fork':
    case 'join':
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
      return e.stamp
  }
}

/** Index in the log of a side of a finding (of the issue, if it is an operation), -1 if it is not there. */
export const indexOf = (events: ReadonlyArray<LogEvent>, s: Side): number =>
  events.findIndex((e) => {
    const t = stampOf(e)
    return t !== undefined && t.agent === s.index && t.at === s.at
  })
