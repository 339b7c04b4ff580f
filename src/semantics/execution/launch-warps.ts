/**
 * Launch of a program of warps: with bytes for its parameters and tensors it becomes a world and a machine (`machine/launch.ts`).
 *
 * Every tensor, every variable of the module and the parameters are a region of memory with an upper address word of its own (`warps/launched.ts`); what
 * nothing writes is read silently. Shared memory of a CTA is one plane: its variables, and behind them the dynamic bytes.
 *
 * Where mbarriers lie is known when they are initialised. So a *scout* runs first: one schedule, in which the addresses of `mbarrier.init` are
 * collected until there is no new one; then the launch has them. An mbarrier is called by its byte, and by where it is initialised:
 * `mbarrier at 1032 (init ring.cu:57)`.
 *
 * Source: PTX ISA, kernel function parameters; state spaces; CUDA driver API, cuLaunchKernel.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { withoutProducts, type Algebra } from '../../numerics/algebra.js'
import type { Site, Spec } from '../language/program.js'
import type { Fold } from '../log/events.js'
import { encoded, mapOf, type MapFields } from '../instructions/tma/object.js'
import { effort } from '../machine/effort.js'
import { footprints } from '../machine/footprint.js'
import {
  covering,
  launchWith,
  tmemBytes,
  type CtaPlane,
  type GlobalPlane,
  type Launched,
} from '../machine/launch.js'
import type { Ledger } from '../machine/ledger.js'
import { fellowship, type Fellowship, type Fellowships } from '../machine/fellowship.js'
import { datumOfPlane } from '../machine/marks.js'
import type * as Plane from '../machine/plane.js'
import { noArguments, type Arguments, type Source } from '../machine/source.js'
import { isFloat } from '../../numerics/dtype.js'
import * as V from '../machine/value.js'
import type { Machine } from '../machine/state.js'
import type { PlacedBarrier, World } from '../machine/world.js'
import { linkWarps, warpFront } from '../warps/front.js'
import {
  firstRegion,
  mostWholeBytes,
  pieceBytes,
  placedIn,
  windowBytes,
  type Region,
  type WarpLaunch,
} from '../warps/launched.js'
import type { Space, WarpProgram } from '../warps/program.js'
import { flightOf, planeBytes } from '../warps/flight.js'
import { togetherIn } from '../warps/lone-threads.js'
import { scoutOf } from '../warps/scout.js'
import { productsSteer } from '../warps/steering.js'
import { controlling, decisive, signing, watches } from '../warps/timing.js'
import { mbarrierNames } from './mbarrier-names.js'
import { eager } from './policy.js'
import { run, settings, type Ran } from './run.js'

// ---------------------------------------------------------------- model

/** Memory that is there before the launch. */
export interface GivenTensor {
  readonly name: string
  readonly role: 'in' | 'out' | 'inout'
  /** null: not given; a function: drawn when a run asks for them, which one without their data does not */
  readonly contents: Uint8Array | (() => Uint8Array) | null
  readonly bytes: number
  readonly elements: GlobalPlane['tensor']
  /** the variable of the module, instead of memory of its own */
  readonly symbol: string | null
  /** memory of the kernel's own: nothing reads it after the launch */
  readonly scratch?: true
}

/** Memory that outlasts a launch, at an address of its own (`warps/launched.ts`): a program has many launches, and a pointer means the same in all of them. */
export interface HeldMemory {
  readonly name: string
  /** the number of its region */
  readonly region: number
  readonly bytes: number
  /** what it holds; a text: it is there no more, and what became of it */
  readonly holds: Plane.Plane | string
  /** the host sees it at the same address */
  readonly ofHost: boolean
  /** the variable of the module */
  readonly symbol: string | null
}
/** What a tensor holds; null: it is not given. */
export const contentsOf = ({ contents }: GivenTensor): Uint8Array | null =>
  typeof contents === 'function' ? contents() : contents

/** Eight bytes that are the address of a tensor. */
export interface PointerTo {
  /** the tensor that holds them; absent: the parameters */
  readonly into?: string
  readonly offset: number
  readonly tensor: string
  /** bytes from its beginning; absent: none */
  readonly at?: number
}

/** A tensor map that lies in the parameters, or in a tensor of 128 bytes. */
export interface MapOf {
  readonly into: string | null
  readonly offset: number
  readonly tensor: string
  readonly fields: MapFields
}

export interface WarpArguments {
  readonly grid: ReadonlyArray<number>
  readonly block: ReadonlyArray<number>
  /** null: none was asked for */
  readonly cluster: ReadonlyArray<number> | null
  readonly dynamicBytes: number
  readonly parameters: Uint8Array
  readonly pointers: ReadonlyArray<PointerTo>
  readonly maps?: ReadonlyArray<MapOf>
  readonly tensors: ReadonlyArray<GivenTensor>
  /** all memory of a launch that is one of several: every byte of its parameters is there, addresses too. Absent: memory is made for this launch, of `tensors` */
  readonly held?: ReadonlyArray<HeldMemory>
  /** tensors of whose contents a run over shadows knows nothing; absent: it knows all */
  readonly unknown?: ReadonlySet<string>
  /** address of the first byte of a CTA's own shared memory */
  readonly sharedBase: number
  /** what the outputs must be, by the names of the tensors; absent: it is not asked */
  readonly computes?: Spec
}

export interface LaunchedWarps extends Launched {
  readonly launch: WarpLaunch
  /** by tensor or variable: its plane */
  readonly planeOf: ReadonlyMap<string, number>
}

/** The chip keeps the first KiB of shared memory. */
export const usualSharedBase = 1024
/** Most shared memory of a CTA. */
const mostShared = 227 * 1024
const mostThreads = 1024
/** Most CTAs of a grid, and most threads of a CTA, along x, y and z. Source: CUDA C++ Programming Guide, compute capabilities. */
export const mostAlong: Readonly<Record<'grid' | 'block', readonly [number, number, number]>> = {
  grid: [2 ** 31 - 1, 65_535, 65_535],
  block: [1024, 1024, 64],
}
/** Most CTAs of a cluster: 8 of any launch, 16 of one that asks for more than the portable size. */
const mostClusterCtas = 16

// ---------------------------------------------------------------- memory

interface Memory {
  readonly planes: ReadonlyArray<GlobalPlane>
  readonly regions: ReadonlyArray<Region>
  readonly symbols: ReadonlyMap<string, number>
  readonly parameters: number
}

const address = (bytes: Uint8Array, at: number, region: number, offset: number): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  view.setInt32(at, offset, true)
  view.setInt32(at + 4, firstRegion + region, true)
}

/** Windows beside a pieced tensor: 2^31 elements of 16 bytes lie in them. */
const gapWindows = 8

/** What is read of data that no run knows: zeros, each with its mark. */
const nothingKept = new Uint8Array(0)

const tensorsOf = (spec: Spec): ReadonlyArray<string> =>
  spec._tag === 'matmul' ? [spec.a, spec.b] : [spec.from]

/**
 * What a claim is about for all values: its tensors, and whatever holds numbers that are measured. Integers elsewhere are tickets, turns and flags: they are
 * as the launch has them.
 */
const isData =
  (spec: Spec) =>
  ({ name, tensor }: Pick<GlobalPlane, 'name' | 'tensor'>): boolean =>
    [...tensorsOf(spec), spec.out].includes(name) || (tensor !== null && isFloat(tensor.dtype))

/** Memory that is there already. Nothing of it is read silently: what other launches do to it is not this one's to know. */
const heldMemory = (
  p: WarpProgram,
  held: ReadonlyArray<HeldMemory>,
  bytes: Uint8Array,
): E.Either<Failure, Memory> => {
  const planes: GlobalPlane[] = []
  const regions: Region[] = []
  const symbols = new Map<string, number>()
  for (const { name, region, bytes: size, holds, ofHost, symbol } of held) {
    const isGone = typeof holds === 'string'
    const there: Region = {
      name,
      bytes: size,
      plane: isGone ? -1 : planes.length,
      datum: null,
      constant: null,
    }
    regions[region] = Object.assign(
      there,
      ofHost ? { ofHost: true as const } : null,
      isGone ? { gone: holds } : null,
    )
    if (symbol !== null) symbols.set(symbol, region)
    if (!isGone)
      planes.push({
        name,
        bytes: size,
        output: false,
        tensor: null,
        contents: null,
        left: holds,
        unknown: false,
        counted: false,
      })
  }
  const missing = p.variables.find(({ symbol }) => !symbols.has(symbol))
  if (missing !== undefined)
    return refuse('launch.symbol', `there is no memory for the variable ${missing.symbol}`)
  if (bytes.length < p.parameterBytes)
    return refuse(
      'launch.parameters',
      `expected ${String(p.parameterBytes)} bytes of parameters, found ${String(bytes.length)}`,
    )
  const parameters = regions.length
  regions.push({ name: 'the parameters', bytes: bytes.length, plane: -1, datum: null, constant: bytes })
  symbols.set('%param', parameters)
  return E.right({ planes, regions, symbols, parameters })
}

const memoryOf = (p: WarpProgram, a: WarpArguments): E.Either<Failure, Memory> => {
  if (a.held !== undefined) return heldMemory(p, a.held, a.parameters)
  const planes: GlobalPlane[] = []
  const regions: Region[] = []
  const symbols = new Map<string, number>()
  // of these every read is to be told
  const isAsked = a.computes === undefined ? () => false : isData(a.computes)
  const numbers = new Map<string, number>()
  const add = (
    name: string,
    bytes: number,
    role: GivenTensor['role'],
    contents: Uint8Array | null,
    elements: GlobalPlane['tensor'],
  ): number => {
    const region = regions.length
    const unknown = a.unknown?.has(name) === true
    regions.push({
      name,
      bytes,
      plane: planes.length,
      datum: unknown ? datumOfPlane(planes.length) : null,
      constant: role === 'in' && !isAsked({ name, tensor: elements }) ? contents : null,
    })
    const plane: GlobalPlane = {
      name,
      bytes,
      output: role === 'out',
      tensor: elements,
      contents: contents ?? new Uint8Array(bytes),
      unknown,
      counted: false,
    }
    if (a.tensors.some((t) => t.name === name && t.scratch === true)) {
      planes.push(Object.assign({}, plane, { output: false, scratch: true as const }))
      return region
    }
    const isZero = (): boolean => role === 'inout' && plane.contents!.every((byte) => byte === 0)
    const said = role === 'out' && contents !== null ? Object.assign({ given: true as const }, plane) : plane
    planes.push(name === a.computes?.out && isZero() ? Object.assign({ zeros: true as const }, said) : said)
    return region
  }
  /** No memory: what is reached from a neighbour by an offset that has wrapped round. */
  const addGap = (beside: string): void => {
    for (let n = 0; n < gapWindows; n++)
      regions.push({
        name: `the addresses around ${beside}`,
        bytes: 0,
        gone: 'where no memory is',
        constant: null,
        datum: null,
        plane: -1,
      })
  }
  const addPieces = (t: GivenTensor): number => {
    addGap(t.name)
    const region = regions.length
    const unknown = a.unknown?.has(t.name) === true
    const datumOf = planes.length
    const called = (at: number): string => (at === 0 ? t.name : `${t.name} from byte ${String(at)}`)
    for (let at = 0; at < t.bytes; at += windowBytes) {
      const bytes = Math.min(windowBytes, t.bytes - at)
      regions.push({
        name: called(at),
        bytes,
        plane: planes.length,
        pieced: true,
        datum: unknown ? datumOfPlane(datumOf) : null,
        constant: t.role === 'in' ? nothingKept : null,
      })
      for (let within = 0; within < bytes; within += pieceBytes)
        planes.push({
          name: called(at + within),
          bytes: Math.min(pieceBytes, bytes - within),
          output: t.role === 'out',
          tensor: null,
          contents: null,
          // what nothing writes is read without its plane
          unknown: unknown && t.role !== 'in',
          datumOf,
          counted: false,
        })
    }
    addGap(t.name)
    return region
  }
  const contentsBy = new Map<string, Uint8Array>()
  for (const t of a.tensors) {
    if (t.bytes > mostWholeBytes) {
      if (t.symbol !== null || (t.role !== 'out' && a.unknown?.has(t.name) !== true))
        return refuse(
          'launch.tensor',
          `tensor ${t.name}: expected at most ${String(mostWholeBytes)} bytes of a tensor whose data is kept, found ${String(t.bytes)}; check takes it without data`,
        )
      numbers.set(t.name, addPieces(t))
      continue
    }
    const held =
      a.unknown?.has(t.name) === true && t.contents !== null ? new Uint8Array(t.bytes) : contentsOf(t)
    if (held !== null && held.length !== t.bytes)
      return refuse(
        'launch.tensor',
        `tensor ${t.name}: expected ${String(t.bytes)} bytes, found ${String(held.length)}`,
      )
    if (t.symbol !== null) continue
    // what holds addresses is made here, where they are known
    const contents =
      a.maps?.some(({ into }) => into === t.name) === true || a.pointers.some(({ into }) => into === t.name)
        ? new Uint8Array(t.bytes)
        : held
    if (contents !== null) contentsBy.set(t.name, contents)
    numbers.set(t.name, add(t.name, t.bytes, t.role, contents, t.elements))
  }
  const relocated: (readonly [WarpProgram['variables'][number], Uint8Array])[] = []
  for (const v of p.variables) {
    const t = a.tensors.find(({ symbol }) => symbol === v.symbol)
    if (t !== undefined && t.bytes !== v.bytes)
      return refuse(
        'launch.symbol',
        `${v.symbol}: expected ${String(v.bytes)} bytes, found ${String(t.bytes)} of ${t.name}`,
      )
    const given = t === undefined ? null : contentsOf(t)
    const contents = (given ?? v.initial).slice()
    const region = add(
      t?.name ?? v.symbol,
      v.bytes,
      v.space === 'const' ? 'in' : 'inout',
      contents,
      t?.elements ?? null,
    )
    symbols.set(v.symbol, region)
    if (t !== undefined) {
      numbers.set(t.name, region)
      contentsBy.set(t.name, contents)
    }
    if (given === null) relocated.push([v, contents])
  }
  for (const [v, contents] of relocated)
    for (const { at, symbol, offset } of v.addresses) {
      const region = symbols.get(symbol)
      if (region === undefined)
        return refuse(
          'launch.symbol',
          `${v.symbol} holds the address of ${symbol}, which is not a variable of the module`,
        )
      address(contents, at, region, offset)
    }
  for (const t of a.tensors)
    if (t.symbol !== null && !symbols.has(t.symbol))
      return refuse('launch.symbol', `${t.name}: the module has no variable ${t.symbol}`)
  const bytes = a.parameters.slice()
  if (bytes.length < p.parameterBytes)
    return refuse(
      'launch.parameters',
      `expected ${String(p.parameterBytes)} bytes of parameters, found ${String(bytes.length)}`,
    )
  for (const { into, offset, tensor, at = 0 } of a.pointers) {
    const region = numbers.get(tensor)
    const held = into === undefined ? bytes : contentsBy.get(into)
    if (region === undefined || held === undefined)
      return refuse('launch.tensor', `there is no tensor ${region === undefined ? tensor : (into ?? '')}`)
    address(held, offset, region, at)
  }
  for (const { into, offset, tensor, fields } of a.maps ?? []) {
    const region = numbers.get(tensor)
    const held = into === null ? bytes : contentsBy.get(into)
    if (region === undefined || held === undefined)
      return refuse('launch.tensor', `there is no tensor ${region === undefined ? tensor : (into ?? '')}`)
    const map = encoded(fields, 0, firstRegion + region)
    const seen = mapOf(map, `the tensor map of ${tensor}`, placedIn(regions), null)
    if (V.isFault(seen)) return refuse('launch.map', seen.message)
    held.set(map, offset)
  }
  const parameters = regions.length
  regions.push({ name: 'the parameters', bytes: bytes.length, plane: -1, datum: null, constant: bytes })
  symbols.set('%param', parameters)
  return E.right({ planes, regions, symbols, parameters })
}

// ---------------------------------------------------------------- launching

/** An extent that no launch has: of more than three axes, of none or too many along one. */
const misfit = (
  what: 'grid' | 'block' | 'cluster',
  extents: ReadonlyArray<number>,
  most: ReadonlyArray<number>,
): Failure | null => {
  if (extents.length < 1 || extents.length > 3)
    return failure(
      `launch.${what}`,
      `${what}: expected one to three extents, found ${String(extents.length)}`,
    )
  const bad = extents.findIndex((n, k) => !Number.isSafeInteger(n) || n < 1 || n > most[k]!)
  return bad < 0
    ? null
    : failure(
        `launch.${what}`,
        `${what}: expected 1 to ${String(most[bad])} along ${'xyz'[bad]!}, found ${String(extents[bad])}`,
      )
}

/** The first thing that a launch of this program cannot have. */
const unlaunchable = (p: WarpProgram, a: WarpArguments): Failure | null => {
  const along =
    misfit('grid', a.grid, mostAlong.grid) ??
    misfit('block', a.block, mostAlong.block) ??
    (a.cluster === null
      ? null
      : misfit('cluster', a.cluster, [mostClusterCtas, mostClusterCtas, mostClusterCtas]))
  if (along !== null) return along
  const threads = product(a.block)
  if (threads > mostThreads)
    return failure(
      'launch.block',
      `block: expected 1 to ${String(mostThreads)} threads, found ${String(threads)}`,
    )
  if (p.threads !== null && product(p.threads) !== threads)
    return failure(
      'launch.block',
      `block: the entry asks for ${p.threads.join(' x ')} threads, and the launch has ${a.block.join(' x ')}`,
    )
  const cluster = a.cluster ?? p.cluster
  if (cluster !== null && product(cluster) > mostClusterCtas)
    return failure(
      'launch.cluster',
      `cluster: expected at most ${String(mostClusterCtas)} CTAs, found ${String(product(cluster))}`,
    )
  return p.cluster !== null && a.cluster !== null && three(p.cluster).join() !== three(a.cluster).join()
    ? failure(
        'launch.cluster',
        `cluster: the entry asks for ${p.cluster.join(' x ')} CTAs, and the launch has ${a.cluster.join(' x ')}`,
      )
    : null
}

const three = (xs: ReadonlyArray<number>): readonly [number, number, number] => [
  xs[0] ?? 1,
  xs[1] ?? 1,
  xs[2] ?? 1,
]
const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)
const up = (n: number, to: number): number => Math.ceil(n / to) * to

/** An mbarrier of a CTA: its byte in shared memory, and the site that initialised it first, if one has. */
interface Found {
  readonly at: number
  readonly site: number | null
}

/** The author's line of a site, without its column. */
const lineOf = ({ loc, label }: Site): string => loc?.replace(/^(.*:\d+):\d+$/su, '$1') ?? label

const barriersOf = (p: WarpProgram, found: ReadonlyArray<Found>): ReadonlyArray<PlacedBarrier> => {
  const names = mbarrierNames(
    p.shared,
    found.map(({ at }) => at),
  )
  return found.map(({ at, site }) => {
    const from = site === null ? undefined : p.sites[site]
    const place = `mbarrier at ${String(at)}`
    const called = names.get(at) ?? place
    const name = from === undefined ? called : `${called} (init ${lineOf(from)})`
    return { name, storage: place, address: at, contract: 'ptx', ordersTensorCore: false }
  })
}

/** A plane for each warp, of its registers that can be in flight. */
const registersOf = ({ flight }: WarpLaunch, warps: number): ReadonlyArray<CtaPlane> =>
  flight === null
    ? []
    : Array.from({ length: warps }, (_, agent): CtaPlane => ({
        space: 'regs',
        name: 'registers',
        agent,
        bytes: planeBytes(flight),
      }))

/** The tensor memory of a CTA, behind all else that it has. */
const tensorMemoryOf = (p: WarpProgram): ReadonlyArray<CtaPlane> =>
  p.code.some(({ operation }) => operation._tag === 'tcgen05Alloc')
    ? [{ space: 'tmem', name: 'tmem', agent: null, bytes: tmemBytes }]
    : []

/** Why threads of this program cannot be agents; null: they can. */
const notAlone = (p: WarpProgram, { grid, block }: WarpArguments, most: number): Failure | null => {
  const threads = product(grid) * product(block)
  if (threads > most)
    return failure(
      'launch.alone',
      `threads as agents: expected at most ${String(most)}, found ${String(threads)}`,
    )
  const one = togetherIn(p)
  return one === undefined
    ? null
    : failure('launch.alone', `threads of a warp do \`${p.sites[one.site]?.label ?? ''}\` together`)
}

/** What PTX leaves open about lanes, and who is an agent. */
type OpenLanes = Pick<Arguments, 'grouping' | 'election' | 'alone'>

/** Launched with these mbarriers. */
const launchedWith = (
  p: WarpProgram,
  a: WarpArguments,
  algebra: Algebra,
  barriers: ReadonlyArray<Found>,
  scout: WarpLaunch['scout'],
  resident: number | null,
  ledger: Ledger | null = null,
  fellows: Fellowships | null = null,
  { grouping, election, alone }: OpenLanes = noArguments,
): E.Either<Failure, LaunchedWarps> => {
  const bad = unlaunchable(p, a) ?? (alone === undefined ? null : notAlone(p, a, alone))
  if (bad !== null) return E.left(bad)
  const memory = memoryOf(p, a)
  if (E.isLeft(memory)) return memory
  const { planes, regions, symbols, parameters } = memory.right
  const threads = product(a.block)
  const sharedBytes = a.dynamicBytes === 0 ? p.sharedBytes : up(p.sharedBytes, p.sharedAlign) + a.dynamicBytes
  if (sharedBytes > mostShared)
    return refuse(
      'launch.shared',
      `shared: expected at most ${String(mostShared)} bytes of shared memory, found ${String(sharedBytes)}`,
    )
  const cluster = a.cluster ?? p.cluster ?? [1, 1, 1]
  const launch: WarpLaunch = {
    program: p,
    code: linkWarps(p),
    block: three(a.block),
    threads,
    grid: three(a.grid),
    cluster: three(cluster),
    explicitCluster: a.cluster !== null || p.cluster !== null,
    dynamicBytes: a.dynamicBytes,
    sharedBytes,
    sharedBase: a.sharedBase,
    regions,
    pieced: regions.some(({ pieced }) => pieced === true),
    symbols,
    parameters,
    decisive: decisive(p),
    controlling: controlling(p),
    signing: signing(p),
    followed: ledger ?? (a.computes === undefined ? null : 'bytes'),
    fellows,
    grouping: grouping ?? null,
    election: election ?? 'lowest',
    alone: alone !== undefined,
    watches: watches(p),
    flight: flightOf(p),
    scout,
  }
  const front = warpFront(launch)
  const coverage = covering(
    launch.grid,
    launch.cluster,
    front.agents.length,
    (clusters) => resident ?? (communicates(p) ? clusters : 1),
  )
  if (E.isLeft(coverage)) return coverage
  const launched = launchWith(
    {
      name: p.name,
      arch: p.arch,
      front,
      coverage: coverage.right,
      memory: planes,
      cta: [
        { space: 'smem', name: 'smem', agent: null, bytes: sharedBytes },
        ...registersOf(launch, front.agents.length),
        ...tensorMemoryOf(p),
        ...(p.reserved === true
          ? [
              {
                space: 'smem',
                name: 'reserved smem',
                agent: null,
                bytes: a.sharedBase,
                filled: true,
              } as const,
            ]
          : []),
      ],
      barriers: barriersOf(p, barriers),
      computes: a.computes ?? null,
      data: a.computes === undefined ? null : planes.map(isData(a.computes)),
      tensorPipe: 'issueOrder',
      grants: Infinity,
      tensors: new Map(),
      storages: new Map(),
      scalars: new Map(),
      descriptors: new Map(),
    },
    algebra,
    effort(),
    footprints(p),
  )
  return E.map(({ world, machine }: Launched): LaunchedWarps => ({
    world,
    machine,
    launch,
    planeOf: new Map(regions.flatMap(({ name, plane }) => (plane < 0 ? [] : [[name, plane] as const]))),
  }))(launched)
}

type Scouted = E.Either<Failure, ReadonlyArray<Found>>

/** Fuel of a run that looks for mbarriers. */
const scoutFuel = 2_000_000

/** By its number in the header: the first site that initialises an mbarrier. */
const initialised: Fold<Map<number, number>, ReadonlyMap<number, number>> = {
  init: () => new Map(),
  observe: (first, e) => {
    if (e._tag === 'barrier' && e.kind === 'init' && !first.has(e.barrier)) first.set(e.barrier, e.stamp.site)
    return first
  },
  finish: (first) => first,
}

/** The mbarriers that one schedule initialises, by their bytes in shared memory, ascending. */
const scouted = (p: WarpProgram, a: WarpArguments, algebra: Algebra, oneWave = false): Scouted => {
  if (!p.code.some(({ operation }) => operation._tag === 'mbarrierInit')) return E.right([])
  const shorter = scoutOf(p)
  const found = shorter === null ? null : scoutedBy(shorter, a, algebra, true, oneWave)
  // what steers nothing need not be computed
  return (
    found ??
    scoutedBy(p, a, productsSteer(p) ? algebra : withoutProducts(algebra), false, oneWave) ??
    E.right([])
  )
}

const together = (known: ReadonlyArray<Found>, found: ReadonlyMap<number, unknown>): ReadonlyArray<Found> =>
  [...new Set([...known.map(({ at }) => at), ...found.keys()])]
    .sort((x, y) => x - y)
    .map((at) => ({ at, site: null }))

/** Of a launch in which clusters run one after another, those to be followed beside the first. */
const besideFirst = ({ clusterCount, resident }: World): Fellowship | null =>
  resident === 1 && clusterCount > 1 && clusterCount <= mostFollowed
    ? fellowship(Array.from({ length: clusterCount - 1 }, (_, i) => i + 1))
    : null

/** Each value that differs from cluster to cluster is a number for each of them. */
const mostFollowed = 2 ** 20

/** The clusters that are resident at first, and no other. */
const firstWave = (world: World): World =>
  Object.assign({}, world, { clusterCount: Math.min(world.resident, world.clusterCount) })

/** A run of a scout: what became of it, and the first site of each mbarrier that was known. */
type ScoutRun = Pick<Ran<ReadonlyMap<number, number>>, 'outcome' | 'result'>
const scoutRun = (world: World, machine: Machine): ScoutRun =>
  run(
    world,
    machine,
    { policy: settings(eager).policy, fuel: scoutFuel, keepSchedule: false, transient: true, ahead: false },
    initialised,
  )

/**
 * The same by a run of this program; null: it must come to its end, and does not. Then no word of memory decides what it does, and clusters that come the way of the first
 * initialise what it does: they need not be run.
 */
const scoutedBy = (
  p: WarpProgram,
  a: WarpArguments,
  algebra: Algebra,
  toItsEnd: boolean,
  oneWave: boolean,
): Scouted | null => {
  let known: ReadonlyArray<Found> = []
  for (;;) {
    const found = new Map<number, number | null>()
    const launchedBeside = (of: Fellowship | null): E.Either<Failure, LaunchedWarps> =>
      launchedWith(p, a, algebra, known, found, null, null, of === null ? null : new Map([[0, of]]))
    const launched = launchedBeside(null)
    if (E.isLeft(launched)) return launched
    const { world, machine } = launched.right
    const beside = toItsEnd && !oneWave ? besideFirst(world) : null
    const first = beside === null ? launched : launchedBeside(beside)
    const ofFirst =
      beside === null || E.isLeft(first) ? null : scoutRun(firstWave(first.right.world), first.right.machine)
    const { result, outcome } =
      ofFirst !== null && beside!.alike.every((alike) => alike === 1)
        ? ofFirst
        : scoutRun(oneWave ? firstWave(world) : world, machine)
    // a run to its end that knew every site has met them all: with these mbarriers it would be the same
    const all = outcome._tag === 'completed' && [...found.values()].every((site) => site !== null)
    if (found.size === 0 || all) {
      if (toItsEnd && outcome._tag !== 'completed') return null
      const sites = new Map<number, number | null>(found)
      for (const [barrier, site] of result) {
        const at = world.header.barriers[barrier]?.address
        if (at !== undefined && !sites.has(at)) sites.set(at, site)
      }
      return E.right(together(known, found).map(({ at }) => ({ at, site: sites.get(at) ?? null })))
    }
    known = together(known, found)
  }
}

const isShared = (space: Space): boolean => space === 'shared' || space === 'sharedCluster'

/** May the clusters of a grid wait for one another, or tell one another something? They order accesses to memory that they share, or what one finds there decides. */
const communicates = (p: WarpProgram): boolean => {
  const decides = decisive(p)
  return p.code.some(({ operation: o }) => {
    switch (o._tag) {
      case 'atomic':
        return !isShared(o.at.space) && (o.ordering !== 'weak' || decides.has(o))
      case 'load':
        return !isShared(o.from.space) && o.ordering !== 'weak'
      case 'store':
        return !isShared(o.into.space) && o.ordering !== 'weak'
      case 'fence':
        return o.kind === 'memory' && o.scope === 'global'
      default:
        return false
    }
  })
}

const launchedAt = (
  p: WarpProgram,
  a: WarpArguments,
  algebra: Algebra,
  resident: number | null,
  ledger: Ledger | null,
  fellows: Fellowships | null,
  open: OpenLanes,
  barriersOf: () => Scouted,
): E.Either<Failure, LaunchedWarps> =>
  algebra.memory === 'bytes' || algebra.memory === 'shadow'
    ? E.chain((barriers: ReadonlyArray<Found>) =>
        launchedWith(p, a, algebra, barriers, null, resident, ledger, fellows, open),
      )(barriersOf())
    : refuse(
        'launch.algebra',
        `a program of warps keeps addresses in its registers: expected the algebra of bits or of shadows, found ${algebra.name}`,
      )

/**
 * Refuses a grid, a block, parameters or tensors that do not fit the program. `resident`: clusters that run together; null: one, or all where they may
 * wait for one another.
 */
export const launchWarps = (
  p: WarpProgram,
  a: WarpArguments,
  algebra: Algebra,
  resident: number | null = null,
): E.Either<Failure, LaunchedWarps> =>
  launchedAt(p, a, algebra, resident, null, null, noArguments, () => scouted(p, a, algebra))

/** The same arguments where inputs are read aloud: as memory that could be written, of which a run over shadows knows nothing. */
const readAloud = (a: WarpArguments, { memory }: Algebra): WarpArguments => {
  const inputs = a.tensors.flatMap(({ name, role }) => (role === 'in' ? [name] : []))
  return Object.assign({}, a, {
    tensors: a.tensors.map((t) => (t.role === 'in' ? Object.assign({}, t, { role: 'inout' as const }) : t)),
    unknown: new Set([...(a.unknown ?? []), ...(memory === 'shadow' ? inputs : [])]),
  })
}

/** A program of warps, and what it is launched with, as a source of launches. The scout runs once for all of them over bits, and once for those over shadows; and once more where they read aloud. */
export const warpSource = (p: WarpProgram, silent: WarpArguments): Source => {
  const known = {
    silent: new Map<Algebra['memory'], Scouted>(),
    aloud: new Map<Algebra['memory'], Scouted>(),
  }
  return {
    name: p.name,
    launch: (algebra, given) => {
      const { resident, ledger, fellows, oneWave, aloud } = given
      const a = aloud === true ? readAloud(silent, algebra) : silent
      const scouts = aloud === true ? known.aloud : known.silent
      return launchedAt(p, a, algebra, resident ?? null, ledger ?? null, fellows ?? null, given, () => {
        const before = scouts.get(algebra.memory)
        if (before !== undefined) return before
        const found = scouted(p, a, algebra, oneWave === true)
        scouts.set(algebra.memory, found)
        return found
      })
    },
  }
}
