/**
 * Launch: what is launched, whatever it is written in, becomes a world and a machine.
 *
 * A front brings agents and what they execute. Beside it stands what the machine has to know of a launch, as plain data: the planes of global
 * memory, the planes that every CTA has for itself, the barriers of a CTA by their addresses, the grid. The machine stands before the first effects
 * of its first *wave*: one cluster, or all of them where clusters meet. A wave follows another with global memory handed on (`nextWave`);
 * a cluster that was cancelled is never launched.
 *
 *     planes     gmem 0    gmem 1  | smem of CTA 0   regs ... | smem of CTA 1   regs ... | ...
 *                `memory`, in order |  `cta`, in order, for each CTA of the clusters that are resident together
 *
 * | a launch says            | a core program                             | where addresses are integers                       |
 * |--------------------------|--------------------------------------------|----------------------------------------------------|
 * | `memory`                 | one plane a tensor parameter               | the same, parameters and constants: its front says which addresses are which plane |
 * | `cta`                    | shared memory, tensor memory, a plane for each storage of registers | shared memory, static and dynamic, is one plane |
 * | `barriers`               | those of its storages                      | found by a run that looks for them; `barrierAt` finds one by its address |
 * | `storages`, `scalars`, `descriptors` | what its expressions name      | nothing                                            |
 *
 * Laws
 * 1. Every CTA has the same planes and barriers, `planesPerCta` and `barriersPerCta` apart.
 * 2. The machine of a wave depends on global memory and its number alone.
 *
 * Source: PTX ISA, state spaces; CUDA driver API, tensor maps.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../../failure.js'
import { tmemLaneBytes, tmemLanes } from '../../layouts/tensor-memory/geometry.js'
import type { Algebra } from '../../numerics/algebra.js'
import type { Dtype } from '../../numerics/dtype.js'
import * as Ref from '../../transforms/ref.js'
import { mostAttendances, mostBarriers, mostPlaneBytes, mostResidentAgents } from '../language/limits.js'
import type { Refusal } from '../language/refusal.js'
import { traceSchema, type Header, type LoggedBarrier, type Plane as LoggedPlane } from '../log/events.js'
import { effort, launching, within, type Effort } from './effort.js'
import { footprints, layoutAddresses, type Footprints } from './footprint.js'
import type { Front } from './front.js'
import { lookAfterEvent } from './looks.js'
import { datumOfPlane } from './marks.js'
import * as Plane from './plane.js'
import * as Registers from './registers.js'
import { idle, machine, noTensorMemory, type AgentState, type Machine } from './state.js'
import type { DescriptorValue, Value } from './value.js'
import type { PlacedBarrier, PlacedStorage, TensorPipe, TensorPlace, World } from './world.js'

// ---------------------------------------------------------------- model

/** How a grid is covered: which clusters there are, and how many of them run together. */
export interface Coverage {
  readonly grid: ReadonlyArray<number>
  readonly cluster: ReadonlyArray<number>
  /** clusters along each grid axis, and their product */
  readonly clusters: ReadonlyArray<number>
  readonly clusterCount: number
  readonly resident: number
}

/** A plane of global memory. */
export interface GlobalPlane {
  readonly name: string
  readonly bytes: number
  /** the kernel's to write; all others are there before it begins */
  readonly output: boolean
  /** its elements, for what brings them, compares them or shows them by name; null: bytes that are no tensor */
  readonly tensor: {
    readonly dtype: Dtype
    readonly layout: TensorPlace['layout']
    readonly shape: ReadonlyArray<number>
    readonly strides: ReadonlyArray<number>
  } | null
  /** of a plane that is no tensor, kept where planes hold bytes */
  readonly contents: Uint8Array | null
  /** as an earlier launch has left it, in place of `contents`: of a run over memory of its kind */
  readonly left?: Plane.Plane
  /** what a claim is about begins as zeros */
  readonly zeros?: true
  /** of an output: its caller gave what it holds before the launch */
  readonly given?: true
  /** memory of the kernel's own: it holds nothing before the launch, and nothing reads it after */
  readonly scratch?: true
  /** its contents are data that a run over shadows does not know */
  readonly unknown?: boolean
  /** the plane whose datum they are, where several are of one tensor; absent: it is its own */
  readonly datumOf?: number
  /** holds integers, zeros unless they are brought, where an algebra keeps no data otherwise */
  readonly counted: boolean
}

/** A plane that each CTA has; `agent`, among those of the CTA, if it is one agent's alone. */
export interface CtaPlane {
  readonly space: 'smem' | 'tmem' | 'regs'
  readonly name: string
  readonly agent: number | null
  readonly bytes: number
  /** zeros before anything has happened; else nothing */
  readonly filled?: true
}

export interface Launch {
  readonly name: string
  readonly arch: Header['arch']
  readonly front: Front<World>
  readonly coverage: Coverage
  readonly memory: ReadonlyArray<GlobalPlane>
  /** the first is the shared memory */
  readonly cta: ReadonlyArray<CtaPlane>
  /** of one CTA, in its shared memory */
  readonly barriers: ReadonlyArray<PlacedBarrier>
  readonly computes: Header['computes']
  /** by tensor of `memory`, whether what it holds is data; null: it is not asked what no data decides */
  readonly data: ReadonlyArray<boolean> | null
  readonly tensorPipe: TensorPipe
  readonly grants: number
  /** contents of tensors as carriers of the algebra, row-major */
  readonly tensors: ReadonlyMap<string, Float64Array>
  // what expressions name
  readonly storages: ReadonlyMap<string, PlacedStorage>
  readonly scalars: ReadonlyMap<string, Value>
  readonly descriptors: ReadonlyMap<string, DescriptorValue>
}

export interface Launched {
  readonly world: World
  readonly machine: Machine
}

export type UnlaunchedCode =
  'launch.shape' | 'launch.bytes' | 'launch.grid' | 'launch.resident' | 'launch.barriers' | 'launch.tensor'
type Unlaunched = Refusal<UnlaunchedCode>

/** Shared memory that a CTA may use: 227 KiB. */
export const smemBytes: number = 227 * 1024
/** Tensor memory of an SM: 128 lanes x 512 columns x 4 bytes, lane-major with 2048 bytes a lane. */
export const tmemBytes: number = tmemLanes * tmemLaneBytes

const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

// ---------------------------------------------------------------- the grid

/** Clusters of a grid, `wanted` of them together. `agents`: of a CTA. */
export const covering = (
  grid: ReadonlyArray<number>,
  cluster: ReadonlyArray<number>,
  agents: number,
  wantedOf: (clusters: number) => number,
): E.Either<Unlaunched, Coverage> => {
  const uneven = grid.findIndex((g, d) => g < 1 || g % (cluster[d] ?? 1) !== 0)
  if (uneven >= 0)
    return refuse(
      'launch.grid',
      `grid dimension ${String(uneven)} is ${String(grid[uneven])}: expected a positive multiple of the cluster's ${String(cluster[uneven] ?? 1)}`,
    )
  const clusters = grid.map((g, d) => Math.ceil(g / (cluster[d] ?? 1)))
  const clusterCount = product(clusters)
  const wanted = wantedOf(clusterCount)
  if (!Number.isSafeInteger(wanted) || wanted < 1)
    return refuse('launch.resident', `expected at least one resident cluster, found ${String(wanted)}`)
  const resident = Math.min(wanted, clusterCount)
  const together = product(cluster) * resident * agents
  if (together > mostResidentAgents)
    return refuse(
      'launch.resident',
      `expected at most ${String(mostResidentAgents)} agents in the clusters that are resident together, found ${String(together)}`,
    )
  return E.right({ grid, cluster, clusters, clusterCount, resident })
}

// ---------------------------------------------------------------- worlds

/** The world of a launch: what was computed on the way to it counts for it. */
export const worldOf = (
  l: Launch,
  algebra: Algebra,
  header: Header,
  work: Effort = effort(),
  listed: Footprints = footprints(),
): World => {
  const { grid, cluster, clusters, clusterCount, resident } = l.coverage
  return {
    front: l.front,
    algebra,
    header,
    grid,
    cluster,
    clusters,
    clusterCount,
    visits: null,
    ctas: product(cluster),
    resident,
    grants: l.grants,
    agentsPerCta: l.front.agents.length,
    storages: l.storages,
    tensors: tensorsOf(l.memory),
    scalars: l.scalars,
    descriptors: l.descriptors,
    planesPerCta: l.cta.length,
    barriersPerCta: l.barriers.length,
    barriers: l.barriers,
    barrierAt: new Map(l.barriers.map((b, i) => [b.address, i])),
    planeBytes: header.planes.map((p) => p.bytes),
    footprints: listed,
    effort: work,
    tensorPipe: l.tensorPipe,
  }
}

const tensorsOf = (memory: ReadonlyArray<GlobalPlane>): ReadonlyMap<string, TensorPlace> =>
  new Map(
    memory.flatMap(({ name, tensor }, plane) =>
      tensor === null
        ? []
        : [
            [
              name,
              {
                name,
                dtype: tensor.dtype,
                plane,
                layout: tensor.layout,
                shape: tensor.shape,
                strides: tensor.strides,
              },
            ] as const,
          ],
    ),
  )

/** What the log of its runs begins with. */
export const headerOf = (l: Launch): Header => {
  const { front, memory } = l
  const { cluster, clusterCount, resident } = l.coverage
  const ctas = product(cluster) * resident
  const numbers = Array.from({ length: ctas }, (_, cta) => cta)
  const smemOf = (cta: number): number => memory.length + cta * l.cta.length
  const header: Header = {
    schema: traceSchema,
    arch: l.arch,
    program: l.name,
    agents: numbers.flatMap((cta) =>
      front.agents.map((a, i) => ({
        name: a.name,
        cta,
        warps: a.warps,
        firstWarp: a.firstWarp,
        starts: front.starts[i]!,
      })),
    ),
    ctas,
    resident,
    clusters: Math.min(clusterCount, Number.MAX_SAFE_INTEGER),
    planes: [
      ...memory.map(({ name, bytes, output, contents, zeros, given, scratch }): LoggedPlane => {
        const bare: LoggedPlane = {
          space: 'gmem',
          name,
          bytes,
          output,
          initialised: scratch === undefined && (!output || contents !== null),
        }
        const plane = given === undefined ? bare : Object.assign({ given }, bare)
        return zeros === undefined ? plane : Object.assign({ zeros }, plane)
      }),
      ...numbers.flatMap((cta) =>
        l.cta.map(({ space, name, agent, bytes, filled }): LoggedPlane =>
          agent === null
            ? { space, name, cta, bytes, initialised: filled === true }
            : { space, name, cta, agent: cta * front.agents.length + agent, bytes, initialised: false },
        ),
      ),
    ],
    computes: l.computes,
    tensors: memory.flatMap(({ name, tensor }, plane) =>
      tensor === null
        ? []
        : [{ name, plane, dtype: tensor.dtype, shape: tensor.shape, strides: tensor.strides }],
    ),
    barriers: numbers.flatMap((cta) =>
      l.barriers.map(({ name, contract, ordersTensorCore, address }): LoggedBarrier => ({
        name,
        cta,
        contract,
        ordersTensorCore,
        plane: smemOf(cta),
        address,
      })),
    ),
    sites: front.sites,
    nondeterminism: front.nondeterminism,
  }
  return front.fences === null ? header : Object.assign({ fences: front.fences }, header)
}

// ---------------------------------------------------------------- contents of tensors

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

/** A memory of a CTA that holds zeros when the CTA begins. */
const zeros = ({ memory, runs }: Algebra, bytes: number): Plane.Plane =>
  memory === 'bytes'
    ? Plane.ofBytes(new Uint8Array(bytes), runs)
    : memory === 'shadow'
      ? Plane.ofShadow(new Uint8Array(bytes), null, runs)
      : Plane.empty(memory, bytes, runs)

/** Global memory before anything has happened, and the memories of the CTAs. */
const memoryOf = (world: World, l: Launch): E.Either<Unlaunched, ReadonlyArray<Plane.Plane>> => {
  const { algebra, tensors, header } = world
  const memory: Plane.Plane[] = header.planes.map((p) =>
    p.space === 'smem' && p.initialised
      ? zeros(algebra, p.bytes)
      : Plane.empty(algebra.memory, p.bytes, algebra.runs),
  )
  l.memory.forEach(({ name, bytes, output, contents, left, counted, unknown = false, datumOf }, plane) => {
    if (left !== undefined && left._tag === algebra.memory) memory[plane] = left
    if (contents !== null && algebra.memory === 'bytes') memory[plane] = Plane.ofBytes(contents, algebra.runs)
    if (contents !== null && algebra.memory === 'shadow')
      memory[plane] = Plane.ofShadow(contents, unknown ? datumOfPlane(plane) : null, algebra.runs)
    if (contents === null && unknown && algebra.memory === 'shadow') {
      const one = plane - 1
      const isAlike =
        datumOf !== undefined && l.memory[one]?.datumOf === datumOf && l.memory[one].bytes === bytes
      // pieces of one tensor are one plane until something is written
      memory[plane] = isAlike
        ? memory[one]!
        : Plane.ofUnknown(bytes, datumOfPlane(datumOf ?? plane), algebra.runs)
    }
    if (!counted || algebra.memory !== 'none') return
    const t = tensors.get(name)
    const kept = Plane.empty('slots', bytes)
    memory[plane] =
      output || t === undefined
        ? kept
        : Plane.write(
            kept,
            Plane.cells(t.dtype, layoutAddresses(t.layout, 0)),
            new Float64Array(product(t.shape)),
            null,
          )
  })
  for (const [name, data] of l.tensors) {
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
  const { data } = l
  return E.right(
    data === null
      ? memory
      : memory.map((plane, i) =>
          ['gmem', 'smem'].includes(header.planes[i]!.space)
            ? Plane.asked(plane, i < data.length && !data[i]!)
            : plane,
        ),
  )
}

// ---------------------------------------------------------------- launching

/** Refuses a plane that is too large, too many barriers, an input of the wrong size. */
export const launchWith = (
  l: Launch,
  algebra: Algebra,
  work: Effort = effort(),
  listed: Footprints = footprints(),
): E.Either<Unlaunched, Launched> => {
  const ctas = product(l.coverage.cluster) * l.coverage.resident
  if (l.barriers.length * ctas > mostBarriers)
    return refuse(
      'launch.barriers',
      `expected at most ${String(mostBarriers)} barriers in the clusters that are resident together, found ${String(l.barriers.length * ctas)}`,
    )
  const attendances = l.barriers.length * ctas * l.front.agents.length * ctas
  if (attendances > mostAttendances)
    return refuse(
      'launch.barriers',
      `expected at most ${String(mostAttendances)} agents times barriers in the clusters that are resident together, found ${String(attendances)}`,
    )
  const large = l.memory.find(({ bytes }) => bytes > mostPlaneBytes)
  if (large !== undefined) return tooLarge(large.name, large.bytes)
  const world = worldOf(l, algebra, headerOf(l), work, listed)
  return E.map((memory: ReadonlyArray<Plane.Plane>): Launched => ({
    world,
    machine: startWave(world, 0, 0, memory, [], null),
  }))(memoryOf(world, l))
}

/** Of a tensor that no plane of global memory takes. */
export const tooLarge = (name: string, bytes: number): E.Either<Unlaunched, never> =>
  refuse(
    'launch.bytes',
    `tensor ${name}: expected at most ${String(mostPlaneBytes)} bytes, found ${String(bytes)}`,
  )

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
      // what an agent begins with is more than an event leaves
      lookAfterEvent()
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
    [],
    0,
    0,
    null,
  )
}

/** The next clusters of the grid, or null after the last ones. Global memory is handed on; everything else is fresh. */
export const nextWave = (world: World, m: Machine): Machine | null => {
  const next = world.visits === null ? m.wave.next : world.visits.find((cluster) => cluster >= m.wave.next)
  return next === undefined || next >= world.clusterCount
    ? null
    : startWave(
        world,
        next,
        m.wave.requests,
        m.planes.map((p, i) => {
          const { space, initialised } = world.header.planes[i]!
          return space === 'gmem'
            ? p
            : space === 'smem' && initialised
              ? zeros(world.algebra, p.size)
              : Plane.blankOf(p, world.algebra.memory, world.algebra.runs)
        }),
        m.tensormaps,
        m.edit,
      )
}

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
