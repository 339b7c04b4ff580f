/**
 * Traffic: what of a grid's loads comes from L2, and what from DRAM.
 *
 * One multiprocessor is run in full. The others run the same program at the same time, at other places of global memory, and share L2: a tile of B that all CTAs of
 * one column load comes from DRAM once. So what each cluster loads is listed, in the order in which it does, and the clusters of a wave are taken to go on in step. Their
 * boxes pass through a memory as large as L2 that forgets what it has had longest. It has two halves, each for half of the multiprocessors, and each is the home of every second line; what
 * the multiprocessors of the other half ask for is copied there, and takes less room than a line (`l2.copy`). Measured on an H200: what one half reads stays up to some 50 MB, and what both read up to some 38 MB.
 * What neighbouring multiprocessors ask for at the same time is asked of L2 once: measured on an
 * H200, two neighbours that read the same get twice the bytes, and two that are far from one another do not.
 *
 * What the other clusters load is known by what a few of them do:
 *
 * | how                                                                            | borne out by                                     |
 * |--------------------------------------------------------------------------------|--------------------------------------------------|
 * | along each axis of the grid every box moves by so many bytes a cluster          | the last cluster, and where they are run, one in the middle |
 * | else one is run and the others are followed; who does something else is next    | each is followed                                 |
 * | else each cluster is run, as long as there is time                              | nothing: the others are taken to be like those   |
 *
 * Where data steer, a cluster that is followed may load something else than what is known of it, so it is asked whether all find the same (`findAlike`); else each is run.
 *
 * Of many boxes a part stands for all, and so large a part of L2 for L2.
 *
 * Law 1. A grid of one cluster misses every byte that it loads once, and no byte that it loads again while L2 holds it.
 *
 * Not modelled: which slice of L2 holds a line, and lines that are evicted early.
 */
import { greatest } from '../../greatest.js'
import { bitsOf } from '../../numerics/dtype.js'
import { eager } from '../execution/policy.js'
import { findAlike } from '../execution/find-alike.js'
import * as Run from '../execution/run.js'
import type { Launched } from '../execution/launch.js'
import type { Fold, Footprint, Header } from '../log/events.js'
import { offsetsIn } from '../machine/footprint.js'
import { nextWave } from '../machine/launch.js'
import type { Arguments } from '../machine/source.js'
import { withWave } from '../machine/state.js'
import type { World } from '../machine/world.js'
import { fellowship, type Fellowship } from '../machine/fellowship.js'

// ---------------------------------------------------------------- model

interface Touch {
  readonly site: number
  /** its number among all */
  readonly footprint: number
  readonly plane: number
  readonly byte: number
  readonly bytes: number
  readonly reads: boolean
  /** in which way the fellows are moved, if some are followed */
  readonly way: number
}

/** The launch once more, with other clusters that are followed; null: it is refused. */
export type Launching = (given: Pick<Arguments, 'fellows'>) => Launched | null

/**
 * Bytes that a statement loads in all clusters: those that L2 is asked for, those that were not there, and those that are late: they are not there either, because
 * a cluster that goes on in step has just asked for them.
 */
export interface Loaded {
  readonly loaded: number
  readonly asked: number
  readonly missed: number
  readonly late: number
}
/** By site. */
export type Traffic = ReadonlyMap<number, Loaded>

// ---------------------------------------------------------------- what a cluster touches

/** A launch of which these clusters are run; each is the first of a wave of so many at most, and with `alone` the only one. */
export const visiting = (
  { world, machine }: Launched,
  visits: ReadonlyArray<number>,
  alone = false,
): Launched | null => {
  // places behind the last cluster stay empty
  const count = alone ? greatest(0)(visits) + 1 : world.clusterCount
  const only = Object.assign({}, world, { visits, clusterCount: count })
  const { wave } = machine
  const begins = nextWave(
    only,
    withWave(machine, { clusters: wave.clusters, next: 0, requests: 0, refused: wave.refused }),
  )
  return begins === null ? null : { world: only, machine: begins }
}

const sizes = new WeakMap<Footprint, readonly [byte: number, bytes: number]>()
/** The first byte of a footprint, and how many it has. */
const sizeOf = (f: Footprint): readonly [number, number] => {
  const known = sizes.get(f)
  if (known !== undefined) return known
  const [offsets, origin] = offsetsIn(f)
  let first = Infinity
  let there = 0
  for (let i = 0; i < offsets.length; i++) {
    const at = offsets[i]!
    if (at < 0) continue
    there++
    if (at < first) first = at
  }
  const made = [there === 0 ? 0 : first + origin, (there * bitsOf(f.dtype)) / 8] as const
  sizes.set(f, made)
  return made
}

/** A load finds what its own cluster has written nowhere else than in L2, so writes are listed as well. */
const touches = (
  fellows: Fellowship | null,
): Fold<
  { readonly header: Header; readonly list: Touch[]; readonly sent: Map<number, Set<number>> },
  ReadonlyArray<Touch>
> => ({
  init: (header) => ({ header, list: [], sent: new Map() }),
  observe: (s, e) => {
    if (e._tag !== 'access' || s.header.planes[e.footprint.plane]?.space !== 'gmem') return s
    if (e.operation !== undefined) {
      // what goes to several CTAs of a cluster is asked for once
      const sent = s.sent.get(e.operation) ?? new Set()
      s.sent.set(e.operation, sent)
      if (sent.has(e.footprint.id)) return s
      sent.add(e.footprint.id)
    }
    const [byte, bytes] = sizeOf(e.footprint)
    if (bytes > 0)
      s.list.push({
        site: e.stamp.site,
        footprint: e.footprint.id,
        plane: e.footprint.plane,
        byte,
        bytes,
        reads: e.rw === 'r',
        way: fellows?.latest.get(e.footprint.id) ?? 0,
      })
    return s
  },
  finish: ({ list }) => list,
})

interface Ran {
  readonly touches: ReadonlyArray<Touch>
  readonly steps: number
}

const ranIn = (launched: Launched, cluster: number, fellows: Fellowship | null = null): Ran | null => {
  const begins = visiting(launched, [cluster], true)
  if (begins === null) return null
  const { world } = begins
  const { outcome, result, steps } = Run.run(
    world,
    begins.machine,
    { policy: eager, fuel: Run.standardFuel, keepSchedule: false, transient: true, ahead: false },
    touches(fellows),
  )
  return outcome._tag === 'completed' ? { touches: result, steps } : null
}

// ---------------------------------------------------------------- of all clusters

const isAlike = (a: ReadonlyArray<Touch>, b: ReadonlyArray<Touch>): boolean =>
  a.length === b.length &&
  a.every((t, i) => t.site === b[i]!.site && t.plane === b[i]!.plane && t.bytes === b[i]!.bytes)

const coordinatesOf = (cluster: number, clusters: ReadonlyArray<number>): ReadonlyArray<number> => {
  let left = cluster
  return clusters.map((extent) => {
    const here = left % extent
    left = Math.floor(left / extent)
    return here
  })
}

/** Where a cluster touches memory, in its order; null: it is not known. */
type Of = (
  cluster: number,
) => { readonly list: ReadonlyArray<Touch>; readonly byte: (i: number) => number } | null

/** The clusters that say how boxes move: the next one along each axis that has several. */
const neighbours = ({
  clusters,
}: World): ReadonlyArray<{ readonly axis: number; readonly cluster: number }> => {
  let stride = 1
  return clusters.flatMap((extent, axis) => {
    const cluster = stride
    stride *= extent
    return extent > 1 ? [{ axis, cluster }] : []
  })
}

/** `moved[f]`: how far from where cluster 0 has them its touches are in the cluster `asked[f]`, and last in the last one. Null: they do not move by so many bytes along each axis. */
const along = (
  { clusters, clusterCount }: World,
  own: ReadonlyArray<Touch>,
  asked: ReadonlyArray<{ readonly axis: number }>,
  moved: ReadonlyArray<Float64Array>,
  middle: { readonly cluster: number; readonly moved: Float64Array } | null = null,
): Of | null => {
  const by = (cluster: number, i: number): number => {
    const c = coordinatesOf(cluster, clusters)
    return asked.reduce((byte, { axis }, f) => byte + c[axis]! * moved[f]![i]!, 0)
  }
  const last = moved.at(-1)!
  if (!own.every((_, i) => last[i] === by(clusterCount - 1, i))) return null
  if (middle !== null && !own.every((_, i) => middle.moved[i] === by(middle.cluster, i))) return null
  return (cluster) => ({ list: own, byte: (i) => own[i]!.byte + by(cluster, i) })
}

/** Can clusters be followed beside one that runs? Where memory holds data, they cannot. */
const isFollowed = ({ front, algebra: { memory } }: World): boolean =>
  front.hasFellows && (memory === 'shadow' || memory === 'none')

/** Do the fellows that are alike find what the cluster has found? Where data steer, they may load something else. */
const isFound = (launched: Launched, own: ReadonlyArray<Touch>, of: Fellowship): boolean =>
  findAlike(
    launched,
    own.map(({ footprint: id, plane, reads }) => ({ footprint: { id, plane }, reads })),
    of,
    of.clusters.flatMap((_, fellow) => (of.alike[fellow] === 1 ? [fellow] : [])),
  )

/** One cluster is run, and others are followed beside it. */
const byFellows = (launching: Launching, world: World): Of | null => {
  if (!isFollowed(world) || world.clusterCount < 2) return null
  const asked = neighbours(world)
  const fellows = fellowship([...asked.map(({ cluster }) => cluster), world.clusterCount - 1])
  const launched = launching({ fellows: new Map([[0, fellows]]) })
  const own = launched === null ? undefined : ranIn(launched, 0)?.touches
  if (launched === null || own === undefined || fellows.alike.some((alike) => alike === 0)) return null
  if (!isFound(launched, own, fellows)) return null
  const ways = own.map(({ footprint }) => fellows.moves.get(footprint)?.[0])
  if (ways.includes(undefined)) return null
  const moved = fellows.clusters.map((_, f) => Float64Array.from(ways, (way) => fellows.ways[way!]![f]!))
  return along(world, own, asked, moved)
}

/** Cluster 0 and its neighbours are run, one after the other. */
const byRuns = (launched: Launched): Of | null => {
  const { world } = launched
  const own = ranIn(launched, 0)?.touches
  if (own === undefined) return null
  if (world.clusterCount === 1) return () => ({ list: own, byte: (i) => own[i]!.byte })
  const asked = neighbours(world)
  const moved: Float64Array[] = []
  const middle = Math.floor(world.clusterCount / 2)
  for (const cluster of [...asked.map((n) => n.cluster), world.clusterCount - 1, middle]) {
    const other = ranIn(launched, cluster)?.touches
    if (other === undefined || !isAlike(own, other)) return null
    moved.push(Float64Array.from(own, (t, i) => other[i]!.byte - t.byte))
  }
  return along(world, own, asked, moved.slice(0, -1), { cluster: middle, moved: moved.at(-1)! })
}

/** Clusters that are followed beside one that runs, at most, and how often the rest is asked for one more. */
const mostFellows = 16_384
/** So few are followed at once: it costs less than to find out how they move. */
const fewClusters = 256
const mostCompanies = 12

/** All clusters, each in the company of one that runs. */
const inCompany = (launching: Launching, world: World): Of | null => {
  if (!isFollowed(world) || world.clusterCount > mostFellows) return null
  const found = new Map<
    number,
    { readonly list: ReadonlyArray<Touch>; readonly of: Fellowship | null; readonly fellow: number }
  >()
  let left: ReadonlyArray<number> = Array.from({ length: world.clusterCount }, (_, cluster) => cluster)
  for (let company = 0; left.length > 0; company++) {
    const [leader = 0, ...others] = left
    if (company === mostCompanies) return null
    const of = fellowship(others)
    const launched = launching({ fellows: new Map([[leader, of]]) })
    const list = launched === null ? undefined : ranIn(launched, leader, of)?.touches
    if (launched === null || list === undefined || !isFound(launched, list, of)) return null
    found.set(leader, { list, of: null, fellow: 0 })
    others.forEach((cluster, fellow) => {
      if (of.alike[fellow] === 1) found.set(cluster, { list, of, fellow })
    })
    left = others.filter((_, fellow) => of.alike[fellow] !== 1)
  }
  return (cluster) => {
    const one = found.get(cluster)
    if (one === undefined) return null
    const { list, of, fellow } = one
    return {
      list,
      byte: of === null ? (i) => list[i]!.byte : (i) => list[i]!.byte + of.ways[list[i]!.way]![fellow]!,
    }
  }
}

/** Steps of the runs that ask what other clusters touch. */
const patience = 1_500_000

/** Each is run, as long as there is time. */
const oneByOne = (launched: Launched): Of => {
  let spent = 0
  return (cluster) => {
    if (spent > patience) return null
    const ran = ranIn(launched, cluster)
    if (ran === null) return null
    spent += ran.steps
    return { list: ran.touches, byte: (i) => ran.touches[i]!.byte }
  }
}

// ---------------------------------------------------------------- L2

/** Most boxes that are followed. */
const mostBoxes = 400_000

/** Half of L2: the pieces that it has got, when, and how much room they have taken since the launch. */
interface Half {
  /** of boxes whose home it is */
  readonly own: Map<number, number>
  /** of those that its multiprocessors have asked for, and that the other half is the home of */
  readonly copies: Map<number, number>
  came: number
}
const half = (): Half => ({ own: new Map(), copies: new Map(), came: 0 })

/**
 * `together`: clusters that run at the same time, one on each of the places of so many `groups` first; `bytes`: of L2; `merging`: neighbours of which a line is
 * asked for once; `copy`: the room that a copy in the other half takes, as a share of a line's.
 */
export const trafficOf = (
  launching: Launching,
  launched: Launched,
  together: number,
  groups: number,
  bytes: number,
  merging: number,
  copy: number,
): Traffic => {
  const { clusterCount } = launched.world
  const { world } = launched
  const of =
    (clusterCount <= fewClusters ? inCompany(launching, world) : null) ??
    byFellows(launching, world) ??
    inCompany(launching, world) ??
    byRuns(launched) ??
    oneByOne(launched)
  const found = new Map<number, { loaded: number; asked: number; missed: number; late: number }>()
  const halves = [half(), half()] as const
  let fraction = 0
  for (let from = 0; from < clusterCount; from += together) {
    const wave = Array.from({ length: Math.min(together, clusterCount - from) }, (_, i) => from + i).flatMap(
      (cluster) => of(cluster) ?? [],
    )
    const first = wave[0]
    if (first === undefined) break
    const length = greatest(0)(wave.map(({ list }) => list.length))
    if (fraction === 0) fraction = Math.min(1, mostBoxes / (length * clusterCount))
    // a part of the boxes, the same for all clusters
    const every = Math.max(1, Math.round(1 / fraction))
    for (let i = 0; i < length; i++) {
      if ((Math.imul(i, 0x9e3779b1) >>> 8) % every !== 0) continue
      let near = new Set<number>()
      const coming = new Set<number>()
      for (const [c, { list, byte }] of wave.entries()) {
        if (c % merging === 0) near = new Set()
        const t = list[i]
        if (t === undefined) continue
        const key = t.plane * 2 ** 42 + byte(i)
        const asks = Math.floor((c % groups) / merging) % 2
        const piece = t.bytes / 2
        let there = 0
        // each half is the home of every second piece of a box; where it is not, it keeps a copy, which takes less room
        halves.forEach((home, h) => {
          const holds = (of: Half, pieces: ReadonlyMap<number, number>): boolean => {
            const before = pieces.get(key)
            return before !== undefined && (of.came - before) * every < bytes / 2
          }
          if (holds(home, home.own)) there += 1 / 2
          else {
            home.own.set(key, home.came)
            home.came += piece
          }
          const other = halves[asks]!
          if (h === asks || holds(other, other.copies)) return
          other.copies.set(key, other.came)
          other.came += piece * copy
        })
        if (there < 1) coming.add(key)
        if (!t.reads) continue
        const sum = found.get(t.site) ?? { loaded: 0, asked: 0, missed: 0, late: 0 }
        found.set(t.site, sum)
        sum.loaded += t.bytes
        if (!near.has(key)) sum.asked += t.bytes
        near.add(key)
        sum.missed += t.bytes * (1 - there)
        if (coming.has(key)) sum.late += t.bytes
      }
    }
  }
  return found
}
