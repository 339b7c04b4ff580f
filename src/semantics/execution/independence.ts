/**
 * Independence: may the clusters of a launch run apart from one another?
 *
 * Clusters share global memory, and nothing else, if none of their instructions speaks with another cluster. Then a cluster computes from the
 * memory of the launch what it computes after all others, as long as no cluster writes a byte that another reads or writes. What a
 * cluster touches is known when it has run, so it is asked afterwards: clusters that turn out to be dependent have run for nothing.
 *
 * | by hand, 2 clusters of a matmul of 2 tiles | plane a        | plane b  | plane out      |
 * |--------------------------------------------|----------------|----------|----------------|
 * | cluster 0 reads                            | [0, 64)        | [0, 256) |                |
 * | cluster 0 writes                           |                |          | [0, 32)        |
 * | cluster 1 reads                            | [64, 128)      | [0, 256) |                |
 * | cluster 1 writes                           |                |          | [32, 64)       |
 * | a byte written by one, touched by another  | no unit writes | no unit  | none: apart    |
 *
 * Laws
 * 1. `together` is null only for programs whose clusters touch one another in global memory alone.
 * 2. `collision` finds a byte if and only if one is written by a cluster and read or written by another.
 */
import type { Fold, Footprint, Header } from '../log/events.js'
import { spansOf } from '../log/events.js'
import type { World } from '../machine/world.js'

// ---------------------------------------------------------------- by the text

/** Instructions by which a cluster is heard in another, or that change what is handed from one to the next beside memory. */
const heard: ReadonlyArray<string> = [
  'semaphore.signal',
  'semaphore.wait',
  'gmem.atomicPtr',
  'clc.tryCancel',
  'clc.query',
  'tensormap.create',
  'tensormap.acquire',
]

/** An instruction by which a cluster is heard in another, if its program has one. */
export const heardBy = ({ instructions }: World['front']): string | undefined =>
  heard.find((name) => instructions.has(name))

/** Why the clusters of a launch must not be parted, or null. */
export const together = ({ front, resident, clusterCount }: World): string | null => {
  if (clusterCount < 2) return 'there is one cluster'
  if (resident > 1) return 'its clusters are resident together'
  const one = heardBy(front)
  return one === undefined ? null : `it has a ${one}`
}

// ---------------------------------------------------------------- by what they touch

/** Bytes of a plane of global memory: ascending, disjoint spans [start, end), flat. */
export interface Touched {
  readonly plane: number
  readonly reads: Float64Array
  readonly writes: Float64Array
}

type Seen = Map<number, Footprint>
interface Touching {
  readonly header: Header
  readonly reads: Seen
  readonly writes: Seen
}

/** Spans in any order and number as ascending, disjoint ones. */
export const united = (footprints: Iterable<Footprint>): Float64Array => {
  const pieces: (readonly [number, number])[] = []
  for (const footprint of footprints) {
    const spans = spansOf(footprint)
    for (let i = 0; i < spans.length; i += 2) pieces.push([spans[i]!, spans[i + 1]!])
  }
  return joined(pieces)
}

/** Intervals in any order and number as ascending, disjoint spans. */
export const joined = (pieces: ReadonlyArray<readonly [number, number]>): Float64Array => {
  const out: number[] = []
  for (const [start, end] of [...pieces].sort(([a], [b]) => a - b)) {
    const last = out.length - 1
    if (last >= 0 && start <= out[last]!) out[last] = Math.max(out[last]!, end)
    else out.push(start, end)
  }
  return Float64Array.from(out)
}

/** What is touched, by planes, where these are read and those are written. */
export const touchedBy = (
  read: Iterable<Footprint>,
  written: Iterable<Footprint>,
): ReadonlyArray<Touched> => {
  const [reads, writes] = [[...read], [...written]]
  const planes = new Set([...reads, ...writes].map((f) => f.plane))
  const of = (all: ReadonlyArray<Footprint>, plane: number): Float64Array =>
    united(all.filter((f) => f.plane === plane))
  return [...planes].map((plane) => ({ plane, reads: of(reads, plane), writes: of(writes, plane) }))
}

/** What a run touches of global memory. */
export const touching: Fold<Touching, ReadonlyArray<Touched>> = {
  init: (header) => ({ header, reads: new Map(), writes: new Map() }),
  observe: (s, e) => {
    if (e._tag === 'access' && s.header.planes[e.footprint.plane]?.space === 'gmem')
      (e.rw === 'r' ? s.reads : s.writes).set(e.footprint.id, e.footprint)
    return s
  },
  finish: ({ reads, writes }) => touchedBy(reads.values(), writes.values()),
}

interface Interval {
  readonly start: number
  readonly end: number
  readonly cluster: number
  readonly writes: boolean
}

/** The two intervals that reach furthest, of different clusters. */
interface Furthest {
  readonly first: Interval | null
  readonly second: Interval | null
}
const none: Furthest = { first: null, second: null }

const reaching = ({ first, second }: Furthest, x: Interval): Furthest => {
  if (first === null || x.end > first.end)
    return { first: x, second: first === null || first.cluster === x.cluster ? second : first }
  return x.cluster !== first.cluster && (second === null || x.end > second.end)
    ? { first, second: x }
    : { first, second }
}

/** One that reaches beyond `start`, of another cluster. */
const beyond = ({ first, second }: Furthest, x: Interval): Interval | null =>
  [first, second].find((f) => f !== null && f.cluster !== x.cluster && f.end > x.start) ?? null

export interface Collision {
  readonly plane: number
  readonly byte: number
  readonly clusters: readonly [number, number]
}

/** A byte that one cluster writes and another reads or writes, if there is one; `touched[c]` is what cluster c touches. */
export const collision = (touched: ReadonlyArray<ReadonlyArray<Touched>>): Collision | null => {
  const written = new Set(
    touched.flatMap((planes) => planes.filter((t) => t.writes.length > 0).map((t) => t.plane)),
  )
  for (const plane of written) {
    const intervals: Interval[] = []
    touched.forEach((planes, cluster) => {
      for (const t of planes)
        if (t.plane === plane)
          for (const [spans, writes] of [
            [t.reads, false],
            [t.writes, true],
          ] as const)
            for (let i = 0; i < spans.length; i += 2)
              intervals.push({ start: spans[i]!, end: spans[i + 1]!, cluster, writes })
    })
    intervals.sort((a, b) => a.start - b.start)
    let reads = none
    let writes = none
    for (const x of intervals) {
      const other = beyond(writes, x) ?? (x.writes ? beyond(reads, x) : null)
      if (other !== null) return { plane, byte: x.start, clusters: [other.cluster, x.cluster] }
      if (x.writes) writes = reaching(writes, x)
      else reads = reaching(reads, x)
    }
  }
  return null
}
