/**
 * Classes of clusters: what is found by running one of them.
 *
 * A grid of production size is a few hundred or thousand clusters that do the same at other addresses. Where they share nothing but global memory, each is judged by its
 * own run; and clusters that come the same way are one *class*, of which one is run and judged. What is left to be asked is asked of addresses alone.
 *
 * | asked                                                                             | by                       | otherwise: every cluster is run |
 * |-----------------------------------------------------------------------------------|--------------------------|---------------------------------|
 * | C1 clusters do not wait for one another, nor tell one another anything            | `resident`, `heard`      | yes                             |
 * | C2 the others of a class have the same events, moved in global memory             | `warps/fellows.ts`       | they are no class               |
 * | C3 what is read at other places is not known, or what is there is the same        | `findAlike`            | yes                             |
 * | C4 of what one writes, no other reads or writes a byte; nor does it by another way of being moved itself | `collision` | yes                |
 * | C5 what one stores that others do not is never read                               | `findAlike`              | yes                             |
 * | C6 the run of each class decides, by one schedule that has a name                 | `Checked`                | yes                             |
 * | C7 nothing that was found is excused by numbers of one cluster                    | `excused`                | yes                             |
 * | C8 what is said to be computed is proved of those that are not run as well        | `provenance/kin.ts`      | yes                             |
 *
 *     ring, 2,048 CTAs of a matrix product       one class: 1 CTA is run, and 2,047 are the same up to addresses
 *     causal attention, 32 tiles of queries      a class for each number of turns: 32 are run
 *
 * A grid of one class is run once: the log of the run that found the class is kept, if it is short, and judged.
 *
 * Laws
 * 1. Where the answer is not null, name and findings of the verdict are those of a run of every cluster.
 * 2. Classes are disjoint, and together they are the grid.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Algebra } from '../../numerics/algebra.js'
import { collision, heardBy, joined, united, type Touched } from '../execution/independence.js'
import type { AnyPolicy } from '../execution/policy.js'
import { findAlike } from '../execution/find-alike.js'
import * as Run from '../execution/run.js'
import { noted } from '../files/schedule.js'
import type { Launched } from '../execution/launch.js'
import type { Fold, Footprint, Header } from '../log/events.js'
import type { Kin, Moves } from '../judging/provenance/index.js'
import { nextWave } from '../machine/launch.js'
import type { Arguments, Source } from '../machine/source.js'
import { withWave } from '../machine/state.js'
import { fellowship, type Fellowship } from '../machine/fellowship.js'
import type { World } from '../machine/world.js'

// ---------------------------------------------------------------- model

/** Clusters that come the same way. */
export interface Class {
  /** the one that is run: the first of them */
  readonly cluster: number
  /** all of them, ascending */
  readonly members: ReadonlyArray<number>
}

/** How the clusters are run. */
export interface How {
  readonly algebra: Algebra
  readonly arguments: Arguments
  readonly policy: AnyPolicy
  readonly fuel: number
}

export interface Classes {
  readonly classes: ReadonlyArray<Class>
  /** by plane of global memory, what all clusters write */
  readonly written: ReadonlyMap<number, Float64Array>
  /** by the cluster of a class, how far the others are moved from it */
  readonly kin: Kin
  /** where there is one class, its run, if the log is short: it is the run to be judged */
  readonly logged: Run.Logged | null
}

/** Events of a log that is kept to be judged: some tens of megabytes. */
const mostKept = 2 ** 17

// ---------------------------------------------------------------- some clusters

/** A launch of which these clusters are run, ascending, and no other. */
export const visiting = ({ world, machine }: Launched, visits: ReadonlyArray<number>): Launched | null => {
  const only = Object.assign({}, world, { visits })
  const { wave } = machine
  const begins = nextWave(
    only,
    withWave(machine, { clusters: wave.clusters, next: 0, requests: 0, refused: wave.refused }),
  )
  return begins === null ? null : { world: only, machine: begins }
}

/** The source of such launches. */
export const sourceVisiting = (source: Source, visits: ReadonlyArray<number>): Source => ({
  name: source.name,
  launch: (algebra, given) =>
    E.map((launched: Launched) => visiting(launched, visits) ?? launched)(source.launch(algebra, given)),
})

// ---------------------------------------------------------------- what a run touches

/** A footprint of global memory, and how it is touched. */
export interface Use {
  readonly footprint: Footprint
  reads: boolean
  writes: boolean
}

export const uses: Fold<{ readonly header: Header; readonly seen: Map<number, Use> }, ReadonlyArray<Use>> = {
  init: (header) => ({ header, seen: new Map() }),
  observe: (s, e) => {
    if (e._tag !== 'access' || s.header.planes[e.footprint.plane]?.space !== 'gmem') return s
    const { footprint } = e
    let use = s.seen.get(footprint.id)
    if (use === undefined) {
      use = { footprint, reads: false, writes: false }
      s.seen.set(footprint.id, use)
    }
    if (e.rw === 'r') use.reads = true
    else use.writes = true
    return s
  },
  finish: ({ seen }) => [...seen.values()],
}

/** What the clusters of a class touch, each in the ways in which it is moved; null: it is not known. */
const touchedBy = (
  found: ReadonlyArray<Use>,
  { moves, ways }: Fellowship,
  fellows: ReadonlyArray<number>,
): ReadonlyArray<ReadonlyArray<Touched>> | null => {
  const byWay = new Map<number, Map<number, { readonly reads: Footprint[]; readonly writes: Footprint[] }>>()
  for (const { footprint, reads, writes } of found) {
    const { plane } = footprint
    const those = moves.get(footprint.id)
    if (those === undefined) return null
    for (const way of those) {
      const planes =
        byWay.get(way) ?? new Map<number, { readonly reads: Footprint[]; readonly writes: Footprint[] }>()
      byWay.set(way, planes)
      const lists = planes.get(plane) ?? { reads: [], writes: [] }
      planes.set(plane, lists)
      if (reads) lists.reads.push(footprint)
      if (writes) lists.writes.push(footprint)
    }
  }
  const touched: ReadonlyArray<Touched>[] = []
  for (const [way, planes] of byWay) {
    const own = [...planes].map(([plane, { reads, writes }]): Touched => ({
      plane,
      reads: united(reads),
      writes: united(writes),
    }))
    touched.push(own)
    for (const fellow of fellows) {
      const by = ways[way]![fellow]!
      touched.push(
        own.map(({ plane, reads, writes }): Touched => ({
          plane,
          reads: further(reads, by),
          writes: further(writes, by),
        })),
      )
    }
  }
  return touched
}

const further = (spans: Float64Array, by: number): Float64Array =>
  by === 0 ? spans : spans.map((byte) => byte + by)

/** Without what is read of planes that nothing writes. */
const ofWritten = (touched: ReadonlyArray<ReadonlyArray<Touched>>): ReadonlyArray<ReadonlyArray<Touched>> => {
  const written = new Set(
    touched.flatMap((planes) => planes.filter((t) => t.writes.length > 0).map((t) => t.plane)),
  )
  return touched.map((planes) => planes.filter(({ plane }) => written.has(plane)))
}

/** What is written, plane by plane. */
const writtenBy = (touched: ReadonlyArray<ReadonlyArray<Touched>>): ReadonlyMap<number, Float64Array> => {
  const pieces = new Map<number, (readonly [number, number])[]>()
  for (const planes of touched)
    for (const { plane, writes } of planes) {
      const list = pieces.get(plane) ?? []
      pieces.set(plane, list)
      for (let i = 0; i < writes.length; i += 2) list.push([writes[i]!, writes[i + 1]!])
    }
  return new Map([...pieces].map(([plane, list]) => [plane, joined(list)]))
}

// ---------------------------------------------------------------- the grid in classes

/** Of so many clusters that are run, one at least stands for another; else it is dearer to look for classes than to run them all. */
const leastSaved = 2

/** A cluster that is run with the others beside it, and those that came the same way; null: it did not come to its end, or was not followed. */
const oneClass = (
  source: Source,
  { algebra, arguments: given, policy, fuel }: How,
  cluster: number,
  others: ReadonlyArray<number>,
): {
  readonly members: ReadonlyArray<number>
  readonly touched: ReadonlyArray<ReadonlyArray<Touched>>
  readonly moves: Moves
  readonly logged: Run.Logged | null
} | null => {
  const fellows = fellowship(others)
  const launched = source.launch(
    algebra,
    Object.assign({}, given, { fellows: new Map([[cluster, fellows]]) }),
  )
  if (E.isLeft(launched)) return null
  const begins = visiting(launched.right, [cluster])
  if (begins === null) return null
  const { effort } = begins.world
  const before = effort.spent
  // which name a schedule has is heard while it is taken, but for a policy that is one
  const isKept = noted(policy).policy === policy
  const ran = Run.run(
    begins.world,
    begins.machine,
    { policy, fuel, keepSchedule: true, transient: true, ahead: false },
    Run.both(uses, Run.collectUpTo(isKept ? mostKept : 0)),
  )
  const [result, log] = ran.result
  if (ran.outcome._tag !== 'completed') return null
  const alike = others.flatMap((_, fellow) => (fellows.alike[fellow] === 1 ? [fellow] : []))
  if (!findAlike(launched.right, result, fellows, alike)) return null
  const touched = touchedBy(result, fellows, alike)
  return touched === null
    ? null
    : {
        members: [cluster, ...alike.map((fellow) => others[fellow]!)],
        touched,
        moves: movesOf(result, fellows, alike),
        logged:
          log === null
            ? null
            : {
                machine: ran.machine,
                steps: ran.steps,
                clusters: ran.clusters,
                schedule: ran.schedule,
                result: log,
                spent: effort.spent - before,
              },
      }
}

/** How far each of these is moved, by plane; of a plane that is touched in places moved differently it is not said. */
const movesOf = (
  found: ReadonlyArray<Use>,
  { moves, ways }: Fellowship,
  fellows: ReadonlyArray<number>,
): Moves => {
  const byPlane = new Map<number, Set<number>>()
  for (const { footprint } of found) {
    const known = byPlane.get(footprint.plane) ?? new Set()
    byPlane.set(footprint.plane, known)
    for (const way of moves.get(footprint.id) ?? []) known.add(way)
  }
  return new Map(
    [...byPlane].flatMap(([plane, own]) => {
      const [way] = own
      return own.size === 1 && way !== undefined
        ? [[plane, Float64Array.from(fellows, (fellow) => ways[way]![fellow]!)] as const]
        : []
    }),
  )
}

/** From so many clusters on one is asked for another: those of a core program are run in a few milliseconds each. Where memory holds data, never. */
const fewest: Readonly<Partial<Record<Algebra['memory'], number>>> = { shadow: 2, none: 64 }

/** To so many: each value that differs from cluster to cluster is a number for each of them. */
const most = 2 ** 20

/** May the clusters of this launch be judged one by one? */
const isParted = ({ front, resident, clusterCount, algebra }: World): boolean =>
  front.hasFellows &&
  clusterCount >= (fewest[algebra.memory] ?? Infinity) &&
  clusterCount <= most &&
  resident === 1 &&
  heardBy(front) === undefined

/** The classes of a grid; null: every cluster is to be run. */
export const classesOf = (source: Source, world: World, how: How): Classes | null => {
  if (!isParted(world)) return null
  const classes: Class[] = []
  const touched: ReadonlyArray<Touched>[] = []
  const kin = new Map<number, Moves>()
  let logged: Run.Logged | null = null
  let left: ReadonlyArray<number> = Array.from({ length: world.clusterCount }, (_, cluster) => cluster)
  while (left.length > 0) {
    const [cluster = 0, ...others] = left
    const one = oneClass(source, how, cluster, others)
    if (one === null) return null
    classes.push({ cluster, members: one.members })
    kin.set(cluster, one.moves)
    logged = classes.length === 1 ? one.logged : null
    for (const planes of one.touched) touched.push(planes)
    const known = new Set(one.members)
    left = left.filter((c) => !known.has(c))
    if (classes.length * leastSaved > world.clusterCount) return null
  }
  return collision(ofWritten(touched)) === null ? { classes, written: writtenBy(touched), kin, logged } : null
}
