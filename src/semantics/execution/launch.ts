/**
 * Launch: a program, its parameters and an algebra become a world and a machine.
 *
 * Every tensor parameter gets a plane of global memory; every CTA of a cluster its shared memory, and one plane for each storage of
 * registers. Parameter shapes, the grid and the descriptors are evaluated once. The machine stands before the first effects of its first
 * *wave*: one cluster, or all of them where clusters meet (`residency.ts`). A wave follows another with global memory handed on
 * (`nextWave`); a cluster that was cancelled is never launched.
 *
 * Source: PTX ISA, state spaces; CUDA driver API, tensor maps.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, refuse } from '../../failure.js'
import { tmemLaneBytes, tmemLanes } from '../../layouts/tensor-memory/geometry.js'
import type { Algebra } from '../../numerics/algebra.js'
import { bitsOf, isFloat } from '../../numerics/dtype.js'
import * as Ref from '../../transforms/ref.js'
import type { ExprNode } from '../language/expression.js'
import { link, type LinkError, type Linked } from '../language/link.js'
import {
  traceSchema,
  type Header,
  type LoggedAgent,
  type LoggedBarrier,
  type Plane as LoggedPlane,
} from '../log/events.js'
import { coreFront } from '../core/front.js'
import type { Front } from '../machine/front.js'
import { effort, launching, within } from '../machine/effort.js'
import { evaluate } from '../machine/evaluate.js'
import { countedTensors, meets } from '../language/residency.js'
import * as Registers from '../machine/registers.js'
import { asBefore, footprints, layoutAddresses } from '../machine/footprint.js'
import * as Plane from '../machine/plane.js'
import { idle, machine, noTensorMemory, type AgentState, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import type { DescriptorValue, Value } from '../machine/value.js'
import type { PlacedStorage, TensorPipe, TensorPlace, World } from '../machine/world.js'
import { mostBarriers, mostPlaneBytes, mostResidentAgents } from '../language/limits.js'
import { place } from '../language/place.js'
import type { Program } from '../language/program.js'
import { about, declared, type Refusal } from '../language/refusal.js'
import { showBarrierName } from '../log/barrier-name.js'

// ---------------------------------------------------------------- model

/** What a caller brings: scalars by name, and the contents of the input tensors as carriers of the algebra, row-major. */
export interface Arguments {
  readonly scalars: ReadonlyMap<string, Value>
  readonly tensors: ReadonlyMap<string, Float64Array>
  /** how tcgen05.mma of one agent follow one another; `issueOrder` if it is not said */
  readonly tensorPipe?: TensorPipe
  /** clusters that run together; if it is not said, one, or all when they meet (`residency.ts`) */
  readonly resident?: number
  /** how many requests to cancel a cluster are granted before one fails; if it is not said, as long as there is one to cancel */
  readonly grants?: number
}

export const noArguments: Arguments = { scalars: new Map(), tensors: new Map() }

export interface Launched {
  readonly world: World
  readonly machine: Machine
}

export type LaunchError =
  | LinkError
  | Refusal<
      | 'launch.scalar'
      | 'launch.shape'
      | 'launch.tensor'
      | 'launch.grid'
      | 'launch.barriers'
      | 'launch.descriptor'
      | 'launch.place'
      | 'launch.resident'
    >

/** Shared memory that a CTA may use: 227 KiB. */
export const smemBytes: number = 227 * 1024
/** Tensor memory of an SM: 128 lanes x 512 columns x 4 bytes, lane-major with 2048 bytes a lane. */
export const tmemBytes: number = tmemLanes * tmemLaneBytes

// ---------------------------------------------------------------- launching

const nowhere = { agent: 0, cta: 0, place: 0, cluster: 0 }

const intsOf = (
  world: World,
  what: string,
  es: ReadonlyArray<ExprNode>,
): E.Either<LaunchError, ReadonlyArray<number>> => {
  const out: number[] = []
  for (const e of es) {
    const v = evaluate(world, nowhere, [], e)
    if (typeof v !== 'number')
      return refuse(
        'launch.shape',
        `${what}: expected an i32, found ${V.isFault(v) ? v.message : V.kindOf(v)}`,
      )
    out.push(v)
  }
  return E.right(out)
}

const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

/** Elements of a large tensor that are written and read at once. */
const slab = 2 ** 18

/** The elements of a tensor: all at once, or of a large matrix some rows at a time, which all have the offsets of the first. */
function* slabsOf({
  dtype,
  layout,
  shape,
  strides,
}: TensorPlace): Generator<{ readonly cells: Plane.Cells; readonly from: number }> {
  const [rows, columns] = [shape[0] ?? 1, product(shape.slice(1))]
  const some = Math.min(rows, Math.ceil(slab / columns))
  const rest = rows % some
  const offsetsOf = (count: number): Int32Array | null => {
    const part = Ref.ofStrides([count, ...shape.slice(1)], layout.bits, strides)
    return E.isRight(part) ? layoutAddresses(part.right, 0) : null
  }
  const step = (strides[0]! * layout.bits * Plane.addressesInByte(dtype)) / 8
  const [first, last] =
    some === rows || !Number.isInteger(step) ? [null, null] : [offsetsOf(some), offsetsOf(rest)]
  if (first === null || (rest > 0 && last === null)) {
    yield { cells: Plane.cells(dtype, layoutAddresses(layout, 0)), from: 0 }
    return
  }
  for (let row = 0; row < rows; row += some)
    yield {
      cells: { dtype, offsets: row + some <= rows ? first : last!, origin: row * step },
      from: row * columns,
    }
}

interface Ready {
  readonly program: Program
  readonly front: Front<World>
}
const ready = new WeakMap<Program, E.Either<LaunchError, Ready>>()
/** Placed and linked, which no argument of a launch changes. */
const preparedOnce = (unplaced: Program): E.Either<LaunchError, Ready> => {
  const known = ready.get(unplaced)
  if (known !== undefined) return known
  const placed = place(unplaced)
  const made: E.Either<LaunchError, Ready> = E.isLeft(placed)
    ? E.left(about(failure('launch.place', placed.left.message), ...(placed.left.about ?? [])))
    : E.map((linked: Linked): Ready => ({ program: placed.right, front: coreFront(linked) }))(
        link(placed.right),
      )
  ready.set(unplaced, made)
  return made
}

/** Place, link and launch. Refuses a missing scalar, a shape that is not positive, an input of the wrong size. */
export const launch = (
  unplaced: Program,
  algebra: Algebra,
  given: Arguments,
): E.Either<LaunchError, Launched> => {
  const prepared = preparedOnce(unplaced)
  if (E.isLeft(prepared)) return prepared
  const { program, front } = prepared.right

  for (const p of program.params)
    if (p._tag === 'scalar' && !given.scalars.has(p.name))
      return refuse('launch.scalar', `scalar parameter ${p.name} (${p.dtype}) has no value`)

  const tensors = new Map<string, TensorPlace>()
  const descriptors = new Map<string, DescriptorValue>()
  const storages = new Map<string, PlacedStorage>()
  const planeBytes: number[] = []
  const planes: LoggedPlane[] = []
  const store = footprints()
  const work = effort()
  const header: Header = {
    schema: traceSchema,
    arch: program.arch,
    program: program.name,
    agents: [],
    ctas: 1,
    planes: [],
    tensors: [],
    computes: null,
    barriers: [],
    sites: front.sites,
    nondeterminism: front.nondeterminism,
  }
  const worldWith = (
    grid: ReadonlyArray<number>,
    cluster: ReadonlyArray<number>,
    resident: number,
    planesPerCta: number,
    barriersPerCta: number,
    withHeader: Header,
  ): World => {
    const clusters = grid.map((g, d) => Math.ceil(g / (cluster[d] ?? 1)))
    return {
      front,
      algebra,
      header: withHeader,
      grid,
      cluster,
      clusters,
      clusterCount: product(clusters),
      ctas: product(cluster),
      resident,
      grants: given.grants ?? Infinity,
      agentsPerCta: front.agents.length,
      storages,
      tensors,
      scalars: given.scalars,
      descriptors,
      planesPerCta,
      barriersPerCta,
      planeBytes,
      footprints: store,
      effort: work,
      tensorPipe: given.tensorPipe ?? 'issueOrder',
    }
  }
  const bare = worldWith([1], [1], 1, 0, 0, header)

  // ---- global memory: one plane a tensor
  for (const p of program.params) {
    if (p._tag !== 'tensor') continue
    const shape = intsOf(bare, `shape of ${p.name}`, p.shape)
    if (E.isLeft(shape)) return shape
    const strides = intsOf(bare, `strides of ${p.name}`, p.strides)
    if (E.isLeft(strides)) return strides
    const layout = Ref.ofStrides(shape.right, bitsOf(p.dtype), strides.right)
    if (E.isLeft(layout)) return refuse('launch.shape', `tensor ${p.name}: ${layout.left.message}`)
    const plane = planes.length
    const bytes = Ref.extentBytes(layout.right)
    if (bytes > mostPlaneBytes)
      return refuse(
        'launch.shape',
        `tensor ${p.name}: expected at most ${String(mostPlaneBytes)} bytes, found ${String(bytes)}`,
      )
    tensors.set(p.name, {
      name: p.name,
      dtype: p.dtype,
      plane,
      layout: asBefore(p, layout.right),
      shape: shape.right,
      strides: strides.right,
    })
    planeBytes.push(bytes)
    planes.push({
      space: 'gmem',
      name: p.name,
      bytes,
      output: p.role === 'out',
      initialised: p.role !== 'out',
    })
  }
  for (const p of program.params) {
    if (p._tag !== 'descriptor') continue
    const tensor = tensors.get(p.tensor)
    if (tensor === undefined)
      return refuse('launch.descriptor', `descriptor ${p.name}: no tensor parameter ${p.tensor}`)
    if (p.fill === 'nan' && (!isFloat(tensor.dtype) || bitsOf(tensor.dtype) < 16))
      return refuse(
        'launch.descriptor',
        `descriptor ${p.name}: a tensor map fills floats of 16 or 32 bits with NaN, found ${tensor.dtype}`,
      )
    const dims = intsOf(bare, `dims of ${p.name}`, p.dims)
    if (E.isLeft(dims)) return dims
    const strides = intsOf(bare, `strides of ${p.name}`, p.strides)
    if (E.isLeft(strides)) return strides
    const last = dims.right.reduce((n, d, i) => n + (d - 1) * strides.right[i]!, 0)
    const bytes = ((last + 1) * bitsOf(tensor.dtype)) / 8
    if (bytes > planeBytes[tensor.plane]!)
      return refuse(
        'launch.descriptor',
        `descriptor ${p.name} sees ${String(bytes)} bytes of ${p.tensor}, which has ${String(planeBytes[tensor.plane])}`,
      )
    descriptors.set(p.name, {
      _tag: 'descriptor',
      name: p.name,
      plane: tensor.plane,
      base: 0,
      dtype: tensor.dtype,
      dims: dims.right,
      strides: strides.right,
      box: p.box,
      elementStrides: p.elementStrides,
      swizzle: p.swizzle,
      fill: p.fill,
      map: null,
    })
  }

  // ---- the grid
  const grid = intsOf(bare, 'grid', program.launch.grid)
  if (E.isLeft(grid)) return grid
  const cluster = program.launch.cluster
  const uneven = grid.right.findIndex((g, d) => g < 1 || g % (cluster[d] ?? 1) !== 0)
  if (uneven >= 0)
    return refuse(
      'launch.grid',
      `grid dimension ${String(uneven)} is ${String(grid.right[uneven])}: expected a positive multiple of the cluster's ${String(cluster[uneven] ?? 1)}`,
    )
  const clusterCount = product(grid.right.map((g, d) => Math.ceil(g / (cluster[d] ?? 1))))
  const wanted = given.resident ?? (meets(program) === null ? 1 : clusterCount)
  if (!Number.isSafeInteger(wanted) || wanted < 1)
    return refuse('launch.resident', `expected at least one resident cluster, found ${String(wanted)}`)
  const resident = Math.min(wanted, clusterCount)
  const ctas = product(cluster) * resident
  if (ctas * front.agents.length > mostResidentAgents)
    return refuse(
      'launch.resident',
      `expected at most ${String(mostResidentAgents)} agents in the clusters that are resident together, found ${String(ctas * front.agents.length)}`,
    )

  // ---- one CTA: its shared memory, tensor memory, and the registers of its agents
  const gmemPlanes = planes.length
  const perCta: {
    readonly space: 'smem' | 'tmem' | 'regs'
    readonly name: string
    readonly agent: number | null
    readonly bytes: number
  }[] = [{ space: 'smem', name: 'smem', agent: null, bytes: smemBytes }]
  if (program.arch === 'sm100a' || program.storage.some((s) => s.space === 'tmem'))
    perCta.push({ space: 'tmem', name: 'tmem', agent: null, bytes: tmemBytes })
  const barriersOf: { readonly name: string; readonly storage: string; readonly address: number }[] = []
  for (const s of program.storage) {
    const owner =
      s.owner === 'cta' ? null : front.agents.findIndex((a) => s.owner !== 'cta' && a.name === s.owner.agent)
    const offset = s.offset ?? 0
    if (s.contents._tag === 'barriers') {
      const count = product(s.contents.shape)
      if (count > mostBarriers)
        return E.left(
          about(
            failure(
              'launch.barriers',
              `storage ${s.id}: expected at most ${String(mostBarriers)} barriers, found ${String(count)}`,
            ),
            declared(s.id),
          ),
        )
      storages.set(s.id, {
        id: s.id,
        space: s.space,
        contents: {
          _tag: 'barriers',
          contract: s.contents.contract,
          ordersTensorCore: s.contents.ordersTensorCore,
          shape: s.contents.shape,
          first: barriersOf.length,
        },
        offset,
        plane: gmemPlanes,
      })
      for (let i = 0; i < count; i++)
        barriersOf.push({
          name: showBarrierName(s.id, count, i),
          storage: s.id,
          address: offset + 8 * i,
        })
      continue
    }
    let plane = gmemPlanes
    if (s.space === 'regs' || s.space === 'gmem') {
      plane = gmemPlanes + perCta.length
      perCta.push({
        space: 'regs',
        name: s.id,
        agent: owner,
        bytes: Ref.extentBytes(s.contents.layout),
      })
    } else if (s.space === 'tmem') plane = gmemPlanes + 1
    storages.set(s.id, {
      id: s.id,
      space: s.space,
      contents: { _tag: 'elements', dtype: s.contents.dtype, layout: s.contents.layout },
      offset: s.space === 'regs' || s.space === 'gmem' ? 0 : offset,
      plane,
    })
  }

  if (barriersOf.length * ctas > mostBarriers)
    return refuse(
      'launch.barriers',
      `expected at most ${String(mostBarriers)} barriers in the clusters that are resident together, found ${String(barriersOf.length * ctas)}`,
    )

  const agents: LoggedAgent[] = []
  const barriers: LoggedBarrier[] = []
  for (let cta = 0; cta < ctas; cta++) {
    front.agents.forEach((a, i) =>
      agents.push({ name: a.name, cta, warps: a.warps, firstWarp: a.firstWarp, starts: front.starts[i]! }),
    )
    for (const p of perCta) {
      planeBytes.push(p.bytes)
      planes.push(
        p.agent === null
          ? { space: p.space, name: p.name, cta, bytes: p.bytes, initialised: false }
          : {
              space: p.space,
              name: p.name,
              cta,
              agent: cta * front.agents.length + p.agent,
              bytes: p.bytes,
              initialised: false,
            },
      )
    }
    for (const b of barriersOf) {
      const s = storages.get(b.storage)!
      if (s.contents._tag === 'barriers')
        barriers.push({
          name: b.name,
          cta,
          contract: s.contents.contract,
          ordersTensorCore: s.contents.ordersTensorCore,
          plane: gmemPlanes + cta * perCta.length,
          address: b.address,
        })
    }
  }

  const logged: Header = {
    schema: traceSchema,
    arch: program.arch,
    program: program.name,
    agents,
    ctas,
    resident,
    clusters: Math.min(clusterCount, Number.MAX_SAFE_INTEGER),
    planes,
    computes: program.computes ?? null,
    tensors: [...tensors.values()].map((t) => ({
      name: t.name,
      plane: t.plane,
      dtype: t.dtype,
      shape: t.shape,
      strides: t.strides,
    })),
    barriers,
    sites: front.sites,
    nondeterminism: front.nondeterminism,
  }
  const world = worldWith(grid.right, cluster, resident, perCta.length, barriersOf.length, logged)

  // ---- contents of the tensors
  const memory: Plane.Plane[] = planes.map((p) => Plane.empty(algebra.memory, p.bytes, algebra.runs))
  if (algebra.memory === 'none')
    for (const name of countedTensors(program)) {
      const t = tensors.get(name)!
      const zeros = new Float64Array(product(t.shape))
      const kept = Plane.empty('slots', planeBytes[t.plane]!)
      memory[t.plane] = planes[t.plane]!.initialised
        ? Plane.write(kept, Plane.cells(t.dtype, layoutAddresses(t.layout, 0)), zeros, null)
        : kept
    }
  for (const [name, data] of given.tensors) {
    const t = tensors.get(name)
    if (t === undefined) return refuse('launch.tensor', `there is no tensor parameter ${name}`)
    if (data.length !== product(t.shape))
      return refuse(
        'launch.tensor',
        `tensor ${name}: expected ${String(product(t.shape))} elements for shape (${t.shape.join(', ')}), found ${String(data.length)}`,
      )
    const own = { run: Symbol('launch') }
    for (const { cells, from } of slabsOf(t))
      memory[t.plane] = Plane.write(
        memory[t.plane]!,
        cells,
        data.subarray(from, from + cells.offsets.length),
        own,
      )
  }
  return E.right({ world, machine: startWave(world, 0, 0, memory, [], null) })
}

/** The registers of a thread at the launch, by resident CTA and warp: what its agent asks for, else an equal share of the rest. */
const registersAtLaunch = (world: World): ReadonlyArray<number> => {
  const share = Registers.atLaunch(world.front.agents)
  return Array.from({ length: world.resident * world.ctas }, () => share).flat()
}

/** The machine of the clusters from `first` on, as many as are resident together, before anything has happened: fresh CTAs on the given global memory. */
const startWave = (
  world: World,
  first: number,
  requests: number,
  memory: ReadonlyArray<Plane.Plane>,
  tensormaps: Machine['tensormaps'],
  edit: Machine['edit'],
): Machine => {
  const clusters = Array.from({ length: world.resident }, (_, place) =>
    first + place < world.clusterCount ? first + place : -1,
  )
  const agents = within(world.effort, launching, () =>
    world.header.agents.map((a, agent): AgentState => {
      const place = Math.floor(a.cta / world.ctas)
      const cluster = clusters[place]!
      return a.starts && cluster >= 0
        ? world.front.begin(world, { agent, cta: a.cta - place * world.ctas, place, cluster }, edit)
        : idle
    }),
  )
  return machine(
    {
      clusters,
      next: Math.min(first + world.resident, world.clusterCount),
      requests,
      refused: clusters.map(() => false),
    },
    agents,
    world.header.barriers.map(() => null),
    [],
    memory,
    Array.from({ length: world.resident * world.ctas }, () => noTensorMemory),
    [],
    registersAtLaunch(world),
    tensormaps,
    [],
    0,
    0,
    null,
  )
}

/** The next clusters of the grid, or null after the last ones. Global memory is handed on; everything else is fresh. */
export const nextWave = (world: World, m: Machine): Machine | null =>
  m.wave.next >= world.clusterCount
    ? null
    : startWave(
        world,
        m.wave.next,
        m.wave.requests,
        m.planes.map((p, i) =>
          world.header.planes[i]!.space === 'gmem'
            ? p
            : Plane.empty(world.algebra.memory, p.size, world.algebra.runs),
        ),
        m.tensormaps,
        m.edit,
      )

/** The carriers of a tensor parameter, row-major; null when the algebra keeps no data. */
export const readTensor = (world: World, m: Machine, name: string): Float64Array | null => {
  const t = world.tensors.get(name)
  if (t === undefined || m.planes[t.plane]!._tag === 'none') return null
  const out = new Float64Array(product(t.shape))
  for (const { cells, from } of slabsOf(t)) {
    const { data } = Plane.read(m.planes[t.plane]!, cells)
    if (data === null) return null
    out.set(data, from)
  }
  return out
}
