/**
 * Exchange: clusters that are one another's equals.
 *
 * A hundred CTAs count themselves at one word, and which of them is the first is no matter: they run one program, and differ in where they read and write. So where several
 * such clusters have done nothing yet that another could have heard of (they are *fresh*), one of them goes first for all.
 *
 *     six blocks count themselves, the last one adds        64 states: which have counted
 *     the same, and they are equals                         7 states: how many have
 *
 * A permutation of equals carries each schedule to another one. It is as right as the first, if what a cluster's number decides is carried along:
 *
 * | asked                                                                                   | of                       | otherwise                        |
 * |-----------------------------------------------------------------------------------------|--------------------------|----------------------------------|
 * | X1 each would do what the other does, but at other places of global memory               | `alike` of `warps/fellows.ts`, both ways | they are no equals |
 * | X2 words that decide are at one place for all, and what is written there is the same for all | `moves`, `unlike`     | no equals in this grid           |
 * | X3 where a place of its own is touched that another touches, none writes it, or else      | `moves`                  | no equals in this grid           |
 * | X4 one reads it plainly, and then that is judged as if it had read wherever they read, and what all have written there | `wider`           | no equals in this grid           |
 * | X5 what is read at places that differ, or of what others have written at such places, is not known | `known`       | no equals in this grid           |
 *
 *     the last block reads part[0..n-1]        it would find another's first: so it must know of all of them, whichever of these bytes it reads
 *
 * All of this is asked at the end of the search, of all that it has seen; where it does not hold the search begins again without. A read that is *wider* and found to race
 * is looked at once more as it is: what is found then is real.
 *
 * Laws
 * 1. With equals or without, the same is found: something, or nothing.
 * 2. Equals are an equivalence, whatever fellowships say.
 */
import type { Footprint, LogEvent } from '../../log/events.js'
import { asSpans, clusterOf, spansOf } from '../../log/events.js'
import { joined } from '../../execution/independence.js'
import type { Launched } from '../../machine/launch.js'
import * as Plane from '../../machine/plane.js'
import type { Machine } from '../../machine/state.js'
import type { Fellowship, Fellowships } from '../../machine/warp-stand.js'
import type { World } from '../../machine/world.js'
import { fellowship } from '../../warps/fellows.js'
import type { Offered } from '../../execution/step.js'

// ---------------------------------------------------------------- model

/** A footprint of global memory, and how a cluster touches it. */
interface Use {
  readonly footprint: Footprint
  reads: boolean
  writes: boolean
  strong: boolean
  /** an operation reads it, or the read-only path: whether what that finds is known is not asked */
  apart: boolean
}
export interface Exchange {
  readonly world: World
  readonly planes: Machine['planes']
  readonly fellows: Fellowships
  /** by cluster, each footprint once */
  readonly uses: ReadonlyMap<number, Map<number, Use>>
}
/** By cluster the first of its equals. */
export type Equals = ReadonlyArray<number>
/** Footprints of plain reads, and what they are judged as. */
export type Wider = ReadonlyMap<number, Footprint>

// ---------------------------------------------------------------- constructors

/** Instructions that hand on something beside memory. */
const handing: ReadonlyArray<string> = ['clc.tryCancel', 'clc.query', 'tensormap.create', 'tensormap.acquire']

/** May clusters of this launch be equals? Then each is followed in the place of every other. */
export const fellowsOf = ({ front, algebra, clusterCount, resident, header }: World): Fellowships | null => {
  const clusters = Array.from({ length: clusterCount }, (_, cluster) => cluster)
  return clusterCount > 1 &&
    resident === clusterCount &&
    front.hasFellows &&
    algebra.memory === 'shadow' &&
    header.computes === null &&
    header.nondeterminism.length === 0 &&
    !handing.some((name) => front.instructions.has(name))
    ? new Map(clusters.map((cluster) => [cluster, fellowship(clusters)]))
    : null
}

export const exchange = ({ world, machine }: Launched, fellows: Fellowships): Exchange => ({
  world,
  planes: machine.planes,
  fellows,
  uses: new Map([...fellows.keys()].map((cluster) => [cluster, new Map<number, Use>()])),
})

/** Each cluster by itself. */
export const noEquals = (clusters: number): Equals =>
  Array.from({ length: clusters }, (_, cluster) => cluster)

/** X1, of all that has been seen. */
export const equalsIn = (fellows: Fellowships): Equals => {
  const firsts: number[][] = []
  return [...fellows.keys()].map((cluster) => {
    const isLike = (x: number, y: number): boolean => fellows.get(x)!.alike[y] === 1
    const own = firsts.find((all) => all.every((one) => isLike(one, cluster) && isLike(cluster, one)))
    if (own === undefined) {
      firsts.push([cluster])
      return cluster
    }
    own.push(cluster)
    return own[0]!
  })
}
export const hasEquals = (equals: Equals): boolean => equals.some((first, cluster) => first !== cluster)

// ---------------------------------------------------------------- what is seen

const isGlobal = ({ header }: World, { plane }: Footprint): boolean => header.planes[plane]?.space === 'gmem'

export const see = (x: Exchange, agent: number, events: ReadonlyArray<LogEvent>): void => {
  const { header } = x.world
  const uses = x.uses.get(clusterOf(header, header.agents[agent]!.cta))
  if (uses === undefined) return
  for (const e of events) {
    if ((e._tag !== 'access' && e._tag !== 'semaphore') || !isGlobal(x.world, e.footprint)) continue
    const { footprint } = e
    let use = uses.get(footprint.id)
    if (use === undefined) {
      use = { footprint, reads: false, writes: false, strong: false, apart: false }
      uses.set(footprint.id, use)
    }
    const isWrite = e._tag === 'access' ? e.rw === 'w' : e.kind === 'signal' || e.decrement
    if (isWrite) use.writes = true
    else use.reads = true
    if (e._tag === 'semaphore' || e.atomic) use.strong = true
    if (e._tag === 'access' && !isWrite && (e.operation !== undefined || e.proxy !== 'generic'))
      use.apart = true
  }
}

/** Can another cluster have heard of it? */
export const isHeard = (world: World, events: ReadonlyArray<LogEvent>): boolean =>
  events.some(
    (e) => e._tag === 'semaphore' || (e._tag === 'access' && e.atomic && isGlobal(world, e.footprint)),
  )

// ---------------------------------------------------------------- who goes first

/** Do they stand at the same, agent by agent? */
const standAlike = ({ header }: World, m: Machine, one: number, other: number): boolean => {
  const each = m.agents.length / (header.resident ?? 1)
  for (let k = 0; k < each; k++) {
    const [a, b] = [m.agents[one * each + k]!, m.agents[other * each + k]!]
    if (a.status !== b.status || a.at !== b.at || a.ready?._tag !== b.ready?._tag) return false
    if (a.ready?.site !== b.ready?.site) return false
  }
  return true
}

/** What is on offer, of fresh clusters that are equals what the first of them offers. */
export const ofFirsts = (
  world: World,
  m: Machine,
  equals: Equals,
  heard: ReadonlySet<number>,
  choices: ReadonlyArray<Offered>,
): ReadonlyArray<Offered> => {
  const { header } = world
  const firsts = new Map<number, number>()
  return choices.filter(({ key, operation }) => {
    const cluster = clusterOf(header, header.agents[key.agent]!.cta)
    if (heard.has(cluster) || operation !== null) return true
    const first = firsts.get(equals[cluster]!)
    if (first === undefined) firsts.set(equals[cluster]!, cluster)
    return first === undefined || first === cluster || !standAlike(world, m, first, cluster)
  })
}

// ---------------------------------------------------------------- is it so?

/** Bytes that equals touch, each at a place of its own or all at one. */
interface Place {
  readonly plane: number
  /** the first of the equals that have one each; -1: it is at one place for all */
  readonly of: number
  readonly list: Int32Array
  /** by the members of its class: how much is added */
  readonly at: ReadonlyArray<number>
  /** footprints that are touched so */
  readonly footprints: Set<number>
  reads: boolean
  writes: boolean
  strong: boolean
  apart: boolean
  known: boolean
}

const listNames = new WeakMap<Int32Array, string>()
const nameOf = (list: Int32Array): string => {
  const known = listNames.get(list)
  if (known !== undefined) return known
  const name = list.join()
  listNames.set(list, name)
  return name
}

/** Every place once, of all clusters; null: of some it is not known how it is moved. */
const placesOf = (x: Exchange, equals: Equals): ReadonlyArray<Place> | null => {
  const members = new Map<number, number[]>()
  equals.forEach((first, cluster) => {
    const all = members.get(first)
    if (all === undefined) members.set(first, [cluster])
    else all.push(cluster)
  })
  const places = new Map<string, Place>()
  for (const [cluster, uses] of x.uses) {
    const those = members.get(equals[cluster]!)!
    const { loads, others, ways, known }: Fellowship = x.fellows.get(cluster)!
    for (const { footprint, reads, writes, strong, apart } of uses.values()) {
      const { plane, spans } = footprint
      const loaded = loads.get(footprint.id) ?? []
      const moved = [...loaded, ...(others.get(footprint.id) ?? [])]
      if (moved.length === 0) return null
      for (const [i, way] of moved.entries()) {
        const isLoad = i < loaded.length
        const at = those.map((member) => spans.by + ways[way]![member]!)
        const isMoved = at.some((by) => by !== at[0])
        const of = isMoved ? equals[cluster]! : -1
        const own = isMoved ? at : at.slice(0, 1)
        const key = `${String(plane)} ${String(of)} ${own.join()} ${nameOf(spans.list)}`
        const same = places.get(key)
        const place = same ?? {
          plane,
          of,
          list: spans.list,
          at: own,
          footprints: new Set<number>(),
          reads: false,
          writes: false,
          strong: false,
          apart: false,
          known: false,
        }
        if (same === undefined) places.set(key, place)
        place.footprints.add(footprint.id)
        place.reads ||= reads
        place.writes ||= writes && !isLoad
        place.strong ||= strong
        place.apart ||= apart
        place.known ||= known.has(footprint.id)
      }
    }
  }
  return [...places.values()]
}

const isMoved = ({ of }: Place): boolean => of >= 0

/** A stretch of a place where one member has it. */
interface Stretch {
  readonly start: number
  readonly end: number
  readonly place: Place
  readonly member: number
}
const stretchesOf = (place: Place): ReadonlyArray<Stretch> =>
  place.at.flatMap((by, member) => {
    const out: Stretch[] = []
    for (let i = 0; i < place.list.length; i += 2)
      out.push({ start: place.list[i]! + by, end: place.list[i + 1]! + by, place, member })
    return out
  })

/** Each two stretches that overlap. */
const eachOverlap = (
  stretches: ReadonlyArray<Stretch>,
  see: (a: Stretch, b: Stretch) => boolean,
): boolean => {
  let open: Stretch[] = []
  for (const s of [...stretches].sort((a, b) => a.start - b.start)) {
    open = open.filter(({ end }) => end > s.start)
    for (const o of open) if (!see(o, s)) return false
    open.push(s)
  }
  return true
}

/** Nothing is found at a plain read but what is not known, so that it is no matter where it is. */
const isBlind = ({ writes, strong, apart, known }: Place): boolean => !writes && !strong && !apart && !known

/** Do two places lie in the same way wherever they are? */
const liesAlike = (a: Place, b: Place): boolean =>
  a.of === b.of && a.at.every((by, i) => by - b.at[i]! === a.at[0]! - b.at[0]!)

/** X2 to X5: null where they do not hold; else the plain reads that are to be judged as wider ones. */
export const judged = (x: Exchange, equals: Equals): Wider | null => {
  const places = placesOf(x, equals)
  if (places === null) return null
  const written = new Set(places.filter(({ writes }) => writes).map(({ plane }) => plane))
  const decides = new Set(places.filter(({ strong }) => strong).map(({ plane }) => plane))
  const unlike = new Set([...x.fellows.values()].flatMap((f) => [...f.unlike]))
  if ([...unlike].some((plane) => decides.has(plane))) return null
  for (const p of places) {
    const isFound = p.known || p.apart
    if (!written.has(p.plane)) {
      if (isMoved(p) && isFound && !Plane.isOfOneKind(x.planes[p.plane]!)) return null
      continue
    }
    if (isMoved(p) && (p.strong || isFound)) return null
    if (isFound && unlike.has(p.plane)) return null
  }
  /** by plain read, the places that others have written */
  const read = new Map<Place, Set<Place>>()
  const stretches = new Map<number, Stretch[]>()
  for (const p of places) {
    if (!written.has(p.plane)) continue
    const all = stretches.get(p.plane) ?? []
    stretches.set(p.plane, all)
    for (const s of stretchesOf(p)) all.push(s)
  }
  const isRight = (a: Stretch, b: Stretch): boolean => {
    if (!isMoved(a.place) && !isMoved(b.place)) return true
    if (!a.place.writes && !b.place.writes) return true
    if (a.member === b.member && liesAlike(a.place, b.place)) return true
    const [reader, writer] = isBlind(a.place) ? [a.place, b.place] : [b.place, a.place]
    if (!isBlind(reader) || writer.strong) return false
    read.set(reader, (read.get(reader) ?? new Set()).add(writer))
    return true
  }
  for (const all of stretches.values()) if (!eachOverlap(all, isRight)) return null
  const wider = new Map<number, Footprint>()
  for (const [reader, writers] of read) {
    const spans = [reader, ...writers].flatMap((p) =>
      stretchesOf(p).map(({ start, end }) => [start, end] as const),
    )
    const list = Int32Array.from(joined(spans))
    for (const id of reader.footprints) {
      const before = wider.get(id)
      const all = before === undefined ? list : Int32Array.from(joined([...pairs(before), ...pairsIn(list)]))
      wider.set(id, widened(id, reader.plane, all))
    }
  }
  return wider
}

const pairsIn = (list: Int32Array): ReadonlyArray<readonly [number, number]> =>
  Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i]!, list[2 * i + 1]!] as const)
const pairs = (f: Footprint): ReadonlyArray<readonly [number, number]> => pairsIn(spansOf(f))

/** Bytes of a read that are every lane's; a number that no other footprint has. */
const widened = (id: number, plane: number, list: Int32Array): Footprint => ({
  id: -(2 ** 30) - id,
  plane,
  spans: asSpans(list),
  dtype: 'u8',
  map: everyone,
})
const everyone: Footprint['map'] = {
  _tag: 'view',
  layout: { _tag: 'TransformedRef', shape: [], bits: 8, tiling: [], strides: [], byteOffset: 0, swizzle: 16 },
  base: 0,
}

/** Have all of these been known before? */
export const isWithin = (some: Wider, all: Wider): boolean =>
  [...some].every(([id, { spans }]) => {
    const known = all.get(id)
    return known !== undefined && nameOf(known.spans.list) === nameOf(spans.list)
  })

/** The event as it is judged. */
export const asWider = (wider: Wider, e: LogEvent): LogEvent => {
  if (wider.size === 0 || e._tag !== 'access' || e.rw === 'w' || e.atomic) return e
  const footprint = wider.get(e.footprint.id)
  return footprint === undefined ? e : Object.assign({}, e, { footprint })
}
