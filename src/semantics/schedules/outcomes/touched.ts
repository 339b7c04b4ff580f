/**
 * What is touched: by paths that lead to one state, by what follows it, and by groups of clusters.
 *
 * Two paths whose agents have executed the same kinds of events, on other bytes, come to one state as far as nothing that follows touches these bytes, unless all of it reads.
 *
 *     block 0 has written tile 0, block 1 tile 1     or the other way round: what follows writes tiles 2, 3 ...
 *
 * Laws
 * 1. `mayDiffer` of a path with itself is true, whatever is ahead.
 * 2. Groups meet just where both have touched a byte, one of them has written it, and one of them by an access that is not strong.
 */
import { spansOf, type Access, type Footprint, type Header, type LogEvent } from '../../log/events.js'
import { keyOfWord, wordsOf } from '../../judging/detector/words.js'

// ---------------------------------------------------------------- model

type Log = ReadonlyArray<ReadonlyArray<LogEvent>>
/** Footprints, each once. */
type Footprints = Map<number, Footprint>
export interface Touched {
  readonly reads: Footprints
  readonly writes: Footprints
  /** those of `reads` and `writes` that are no strong accesses */
  readonly plainReads: Footprints
  readonly plainWrites: Footprints
}
export const nothing = (): Touched => ({
  reads: new Map(),
  writes: new Map(),
  plainReads: new Map(),
  plainWrites: new Map(),
})

// ---------------------------------------------------------------- combinators

const footprintIn = (
  e: LogEvent,
): { readonly footprint: Footprint; readonly writes: boolean; readonly plain: boolean } | null =>
  e._tag === 'access'
    ? { footprint: e.footprint, writes: e.rw === 'w', plain: !e.atomic }
    : e._tag === 'semaphore'
      ? { footprint: e.footprint, writes: e.kind === 'signal' || e.decrement, plain: false }
      : e._tag === 'dealloc'
        ? { footprint: e.footprint, writes: true, plain: true }
        : null

const put = (into: Touched, f: Footprint, writes: boolean, plain: boolean): void => {
  if (writes) into.writes.set(f.id, f)
  else into.reads.set(f.id, f)
  if (plain) (writes ? into.plainWrites : into.plainReads).set(f.id, f)
}

export const add = (into: Touched, log: Log, isOurs: (agent: number) => boolean): void => {
  for (const events of log)
    for (const e of events) {
      const found = footprintIn(e)
      if (found === null || !('stamp' in e) || !isOurs(e.stamp.agent)) continue
      put(into, found.footprint, found.writes, found.plain)
    }
}

/** Takes over what another has; true: there was something new. */
const join = (into: Touched, from: Touched): boolean => {
  let grew = false
  const each = (to: Footprints, more: Footprints): void => {
    for (const [id, f] of more)
      if (!to.has(id)) {
        to.set(id, f)
        grew = true
      }
  }
  each(into.reads, from.reads)
  each(into.writes, from.writes)
  each(into.plainReads, from.plainReads)
  each(into.plainWrites, from.plainWrites)
  return grew
}

/** Of each state what any way from it touches. */
export const aheadOf = (
  states: ReadonlyArray<{ readonly to: ReadonlyArray<{ readonly state: number; readonly events: Log }> }>,
): ReadonlyArray<Touched> => {
  const ahead = states.map(({ to }) => {
    const out = nothing()
    for (const { events } of to) add(out, events, () => true)
    return out
  })
  for (let grew = true; grew;) {
    grew = false
    for (let k = states.length - 1; k >= 0; k--)
      for (const { state } of states[k]!.to) grew = join(ahead[k]!, ahead[state]!) || grew
  }
  return ahead
}

// ---------------------------------------------------------------- bytes

/** Sorted and disjoint, by plane. */
const bytesIn = (fs: Iterable<Footprint>): ReadonlyMap<number, ReadonlyArray<readonly [number, number]>> => {
  const all = new Map<number, [number, number][]>()
  for (const f of fs) {
    const list = all.get(f.plane) ?? []
    all.set(f.plane, list)
    const spans = spansOf(f)
    for (let k = 0; k < spans.length; k += 2) list.push([spans[k]!, spans[k + 1]!])
  }
  for (const [plane, list] of all) {
    list.sort((a, b) => a[0] - b[0])
    const merged: [number, number][] = []
    for (const [from, to] of list) {
      const last = merged[merged.length - 1]
      if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
      else merged.push([from, to])
    }
    all.set(plane, merged)
  }
  return all
}

const overlaps = (x: Iterable<Footprint>, y: Iterable<Footprint>): boolean => {
  const [a, b] = [bytesIn(x), bytesIn(y)]
  for (const [plane, list] of a) {
    const others = b.get(plane) ?? []
    let k = 0
    for (const [from, to] of list) {
      while (k < others.length && others[k]![1] <= from) k++
      if (k < others.length && others[k]![0] < to) return true
    }
  }
  return false
}

const all = (...fs: ReadonlyArray<Footprints>): ReadonlyArray<Footprint> => fs.flatMap((f) => [...f.values()])

/** Do both touch a byte that one of them writes, and one of them plainly? */
const conflict = (a: Touched, b: Touched): boolean =>
  overlaps(all(a.plainWrites), all(b.reads, b.writes)) ||
  overlaps(all(b.plainWrites), all(a.reads, a.writes)) ||
  overlaps(all(a.plainReads), all(b.writes)) ||
  overlaps(all(b.plainReads), all(a.writes))

/** All bytes that were written, by any agent. */
export const writtenIn = ({ writes }: Touched): string =>
  JSON.stringify([...bytesIn(writes.values())].sort((a, b) => a[0] - b[0]))

// ---------------------------------------------------------------- paths

/** The accesses of a log, each by its agent, its place in its program, and how many that has made before. */
const accessesOf = (log: Log): ReadonlyMap<string, Access> => {
  const out = new Map<string, Access>()
  const counts = new Map<string, number>()
  for (const events of log)
    for (const e of events) {
      if (e._tag !== 'access') continue
      const by = `${String(e.stamp.agent)}:${String(e.stamp.at)}:${e.rw}:${e.role}`
      const n = counts.get(by) ?? 0
      counts.set(by, n + 1)
      out.set(`${by}:${String(n)}`, e)
    }
  return out
}

/** May these paths be taken for one, of which this is ahead? Agents that have not ended have executed the same kinds of events. */
export const mayDiffer = (
  header: Header,
  one: Log,
  other: Log,
  ahead: Touched,
  ended: (agent: number) => boolean,
): boolean => {
  const [a, b] = [accessesOf(one), accessesOf(other)]
  const some = nothing()
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const [x, y] = [a.get(key), b.get(key)]
    if (x?.footprint.id === y?.footprint.id) continue
    const both = [x, y].flatMap((e) => e ?? [])
    if (both.length < 2 && both.some((e) => !ended(e.stamp.agent))) return false
    const planes = both.map((e) => header.planes[e.footprint.plane]!)
    const isData = both.every((e) => e.role !== 'map' && e.role !== 'response')
    // what is owed to a CTA, and to its tensor memory, depends on where it was
    const isKept =
      planes.every(({ space }) => space === 'gmem') ||
      planes.every((p) => p.space === 'smem' && p === planes[0])
    if (!isData || !isKept) return false
    for (const e of both) put(some, e.footprint, e.rw === 'w', !e.atomic)
  }
  return !conflict(some, ahead)
}

/** Is a word touched by an access that is not strong? */
export const plainly = (ahead: Touched, word: string): boolean =>
  [...ahead.plainReads.values(), ...ahead.plainWrites.values()].some((f) =>
    wordsOf(f).some((byte) => keyOfWord(f.plane, byte) === word),
  )

/** Two groups that meet. */
export const meeting = (groups: ReadonlyMap<number, Touched>): readonly [number, number] | null => {
  const list = [...groups]
  for (const [i, [x, a]] of list.entries())
    for (const [y, b] of list.slice(i + 1)) if (conflict(a, b)) return [x, y]
  return null
}
