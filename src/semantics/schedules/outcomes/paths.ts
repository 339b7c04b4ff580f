/**
 * Paths: what has happened on the way to a state, the newest event first, so that ways that part share what is behind them.
 *
 * Of what an event left behind it memory alone is kept: where all agents of a grid stand is as long as the grid, and an event moves one of them.
 *
 * Law 1. The schedule of a path replays to its memory.
 */
import type { LogEvent } from '../../log/events.js'
import type { Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import { leaving, type EventKey } from '../../execution/step.js'
import type { Effect } from '../../machine/effect.js'

export type Planes = Machine['planes']

/** A path: what happened last, and what before. */
export interface Path {
  readonly before: Path | null
  readonly key: EventKey
  /** behind it; null: it faults */
  readonly planes: Planes | null
  /** behind it, by itself: of an event that took or kept other words, before these were put back; null: that is not known */
  readonly left: Planes | null
  readonly events: ReadonlyArray<LogEvent>
  readonly length: number
  /** clusters that others can have heard of */
  readonly heard: ReadonlySet<number>
  /** it writes a word strongly */
  readonly writes: boolean
  /** the last event before it that does */
  readonly written: Path | null
}
export interface Node {
  readonly machine: Machine
  readonly path: Path | null
}

const writesStrongly = (e: LogEvent): boolean => e._tag === 'access' && e.atomic && e.rw === 'w'

/** A path and one more event. `done`: what that does; null: it faults. */
export const onward = (
  world: World,
  { machine, path }: Node,
  key: EventKey,
  done: Effect | null,
  heard: ReadonlySet<number>,
): Path => {
  const isPlain = key.older === undefined && key.below === undefined
  return {
    before: path,
    key,
    planes: done === null ? null : done.machine.planes,
    left:
      done === null ? null : isPlain ? done.machine.planes : (leaving(world, machine, key)?.planes ?? null),
    events: done === null ? [] : done.events,
    length: (path?.length ?? 0) + 1,
    heard,
    writes: done?.events.some(writesStrongly) === true,
    written: lastWrite(path),
  }
}

/** The last event of a path that writes strongly. */
export const lastWrite = (path: Path | null): Path | null =>
  path === null || path.writes ? path : path.written

export const scheduleOf = (p: Path | null): ReadonlyArray<EventKey> => {
  const out: EventKey[] = []
  for (let at = p; at !== null; at = at.before) out.push(at.key)
  return out.reverse()
}
/** What has happened on a path behind one that it goes on from. */
export const logOf = (p: Path | null, behind: Path | null = null): ReadonlyArray<ReadonlyArray<LogEvent>> => {
  const out: ReadonlyArray<LogEvent>[] = []
  for (let at = p; at !== null && at !== behind; at = at.before) out.push(at.events)
  return out.reverse()
}

export const isBehind = (path: Path | null, before: Path | null): boolean => {
  const length = before?.length ?? 0
  let at = path
  while (at !== null && at.length > length) at = at.before
  return at === before
}
