/**
 * Launch of a core program: with its parameters and an algebra it becomes a world and a machine (`machine/launch.ts`).
 *
 * Every tensor parameter gets a plane of global memory; every CTA of a cluster its shared memory, and one plane for each storage of
 * registers. Parameter shapes, the grid and the descriptors are evaluated once. All clusters are resident together where clusters meet
 * (`residency.ts`), else one.
 *
 * Source: PTX ISA, state spaces; CUDA driver API, tensor maps.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, refuse } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import { bitsOf, isFloat } from '../../numerics/dtype.js'
import * as Ref from '../../transforms/ref.js'
import { coreFront } from '../core/front.js'
import type { ExprNode } from '../language/expression.js'
import { mostBarriers, mostPlaneBytes } from '../language/limits.js'
import { link, type LinkError, type Linked } from '../language/link.js'
import { place } from '../language/place.js'
import type { Program } from '../language/program.js'
import { about, declared, type Refusal } from '../language/refusal.js'
import { countedTensors, meets } from '../language/residency.js'
import { showBarrierName } from '../log/barrier-name.js'
import { effort } from '../machine/effort.js'
import { evaluate } from '../machine/evaluate.js'
import { asBefore, footprints } from '../machine/footprint.js'
import type { Front } from '../machine/front.js'
import {
  covering,
  headerOf,
  launchWith,
  smemBytes,
  tmemBytes,
  tooLarge,
  worldOf,
  type Coverage,
  type CtaPlane,
  type GlobalPlane,
  type Launch,
  type Launched,
  type UnlaunchedCode,
} from '../machine/launch.js'
import type { Arguments, Source } from '../machine/source.js'
import * as V from '../machine/value.js'
import type { DescriptorValue } from '../machine/value.js'
import type { PlacedBarrier, PlacedStorage, World } from '../machine/world.js'

// ---------------------------------------------------------------- model

export { noArguments, type Arguments } from '../machine/source.js'
export { nextWave, readTensor, smemBytes, tmemBytes, type Launched } from '../machine/launch.js'

export type LaunchError =
  LinkError | Refusal<UnlaunchedCode | 'launch.scalar' | 'launch.descriptor' | 'launch.place'>

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

const oneCluster: Coverage = { grid: [1], cluster: [1], clusters: [1], clusterCount: 1, resident: 1 }

const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

interface Ready {
  readonly program: Program
  readonly linked: Linked
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
    : E.map((linked: Linked): Ready => ({
        program: placed.right,
        linked,
        front: coreFront(linked),
      }))(link(placed.right))
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
  const { program, linked } = prepared.right
  const front = given.fellows === undefined ? prepared.right.front : coreFront(linked, given.fellows)

  for (const p of program.params)
    if (p._tag === 'scalar' && !given.scalars.has(p.name))
      return refuse('launch.scalar', `scalar parameter ${p.name} (${p.dtype}) has no value`)

  const memory: GlobalPlane[] = []
  const descriptors = new Map<string, DescriptorValue>()
  const work = effort()
  const listed = footprints()
  const launching = (
    coverage: Coverage,
    cta: Launch['cta'],
    barriers: Launch['barriers'],
    storages: Launch['storages'],
  ): Launch => ({
    name: program.name,
    arch: program.arch,
    front,
    coverage,
    memory,
    cta,
    barriers,
    computes: program.computes ?? null,
    data: null,
    tensorPipe: given.tensorPipe ?? 'issueOrder',
    grants: given.grants ?? Infinity,
    tensors: given.tensors,
    storages,
    scalars: given.scalars,
    descriptors,
  })
  /** in which shapes and the grid are evaluated: it has the tensors so far */
  const bare = (): World => {
    const l = launching(oneCluster, [], [], new Map())
    return worldOf(l, algebra, headerOf(l), work, listed)
  }

  // ---- global memory: one plane a tensor
  const counted = countedTensors(program)
  for (const p of program.params) {
    if (p._tag !== 'tensor') continue
    const shape = intsOf(bare(), `shape of ${p.name}`, p.shape)
    if (E.isLeft(shape)) return shape
    const strides = intsOf(bare(), `strides of ${p.name}`, p.strides)
    if (E.isLeft(strides)) return strides
    const layout = Ref.ofStrides(shape.right, bitsOf(p.dtype), strides.right)
    if (E.isLeft(layout)) return refuse('launch.shape', `tensor ${p.name}: ${layout.left.message}`)
    const bytes = Ref.extentBytes(layout.right)
    if (bytes > mostPlaneBytes) return tooLarge(p.name, bytes)
    const plane: GlobalPlane = {
      name: p.name,
      bytes,
      output: p.role === 'out',
      tensor: {
        dtype: p.dtype,
        layout: asBefore(p, layout.right),
        shape: shape.right,
        strides: strides.right,
      },
      contents: null,
      counted: counted.has(p.name),
    }
    const isKept = p.role === 'out' && given.kept?.has(p.name) === true
    memory.push(isKept ? Object.assign({ given: true as const }, plane) : plane)
  }
  for (const p of program.params) {
    if (p._tag !== 'descriptor') continue
    const plane = memory.findIndex(({ name }) => name === p.tensor)
    const tensor = memory[plane]?.tensor ?? null
    if (tensor === null)
      return refuse('launch.descriptor', `descriptor ${p.name}: no tensor parameter ${p.tensor}`)
    if (p.fill === 'nan' && (!isFloat(tensor.dtype) || bitsOf(tensor.dtype) < 16))
      return refuse(
        'launch.descriptor',
        `descriptor ${p.name}: a tensor map fills floats of 16 or 32 bits with NaN, found ${tensor.dtype}`,
      )
    const dims = intsOf(bare(), `dims of ${p.name}`, p.dims)
    if (E.isLeft(dims)) return dims
    const strides = intsOf(bare(), `strides of ${p.name}`, p.strides)
    if (E.isLeft(strides)) return strides
    const last = dims.right.reduce((n, d, i) => n + (d - 1) * strides.right[i]!, 0)
    const bytes = ((last + 1) * bitsOf(tensor.dtype)) / 8
    const there = memory[plane]!.bytes
    if (bytes > there)
      return refuse(
        'launch.descriptor',
        `descriptor ${p.name} sees ${String(bytes)} bytes of ${p.tensor}, which has ${String(there)}`,
      )
    descriptors.set(p.name, {
      _tag: 'descriptor',
      name: p.name,
      plane,
      base: 0,
      dtype: tensor.dtype,
      dims: dims.right,
      strides: strides.right,
      box: p.box,
      elementStrides: p.elementStrides,
      swizzle: p.swizzle,
      fill: p.fill,
      padded: p.padded === true,
      window: null,
      rounds: false,
      flushes: false,
      map: null,
    })
  }

  // ---- the grid
  const grid = intsOf(bare(), 'grid', program.launch.grid)
  if (E.isLeft(grid)) return grid
  const coverage = covering(
    grid.right,
    program.launch.cluster,
    front.agents.length,
    (clusters) => given.resident ?? (meets(program) === null ? 1 : clusters),
  )
  if (E.isLeft(coverage)) return coverage

  // ---- one CTA: its shared memory, tensor memory, and the registers of its agents
  const gmemPlanes = memory.length
  const storages = new Map<string, PlacedStorage>()
  const perCta: CtaPlane[] = [{ space: 'smem', name: 'smem', agent: null, bytes: smemBytes }]
  if (program.arch === 'sm100a' || program.storage.some((s) => s.space === 'tmem'))
    perCta.push({ space: 'tmem', name: 'tmem', agent: null, bytes: tmemBytes })
  const barriers: PlacedBarrier[] = []
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
          first: barriers.length,
        },
        offset,
        plane: gmemPlanes,
      })
      for (let i = 0; i < count; i++)
        barriers.push({
          name: showBarrierName(s.id, count, i),
          storage: s.id,
          address: offset + 8 * i,
          contract: s.contents.contract,
          ordersTensorCore: s.contents.ordersTensorCore,
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

  return launchWith(launching(coverage.right, perCta, barriers, storages), algebra, work, listed)
}

/** A core program as a source of launches. */
export const sourceOf = (program: Program): Source => ({
  name: program.name,
  launch: (algebra, given) => launch(program, algebra, given),
})
