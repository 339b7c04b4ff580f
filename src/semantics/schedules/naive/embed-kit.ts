/**
 * Memory of an embedded program: a storage, a barrier or a tensor for each atom and each barrier of the skeleton.
 *
 * One of each kind is built by the builder, with its layout and its checks, and then renamed for each atom: a theorem test makes many thousands of programs, and nearly all of
 * building one would be spent on the same layouts.
 *
 * Law 1. Each atom and barrier of a skeleton has one storage or parameter in its program, and no two share bytes.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, unreachable, type Failure } from '../../../failure.js'
import * as T from '../../../transforms/transform.js'
import * as B from '../../writing/builder.js'
import * as X from '../../language/expression.js'
import type { Int, Tile } from '../../language/expression.js'
import type { Scope } from '../../language/instruction.js'
import type { DescriptorParam, Param, Program, Storage, TensorParam } from '../../language/program.js'
import { scalar, tile, type TileType } from '../../language/types.js'
import { allocates, atomColumns, atomsOf, barriersOf, type Op, type Skeleton } from './skeleton.js'

/** What the memory of a skeleton is made of: one storage and one parameter of each kind, to be had under any name. */
export interface Kit {
  readonly arch: Program['arch']
  /** of an smem atom, in f16 */
  readonly shape: ReadonlyArray<number>
  /** rows and columns of an accumulator, in f32 */
  readonly accumulator: readonly [number, number]
  readonly tensor: TensorParam
  readonly descriptor: DescriptorParam
  readonly smem: Storage
  readonly tmem: Storage
  readonly regs: Storage
  readonly barrier: Storage
  readonly ordering: Storage
  readonly smemTile: TileType
  readonly regsTile: TileType
  readonly zeros: Tile<'f16'>
  readonly zeroAccumulator: Tile<'f32'>
  readonly origin: ReadonlyArray<Int>
  /** element numbers in the shape of an atom */
  readonly offsets: Tile<'i32', number>
}

/** A skeleton and what its operations need to know of the whole. */
export interface Plan {
  readonly skeleton: Skeleton
  readonly kit: Kit
  readonly scope: Scope
  readonly unitBytes: number
  /** named barriers by id of the rendezvous */
  readonly named: ReadonlyMap<string, number>
  readonly storage: ReadonlyMap<string, Storage>
  readonly params: ReadonlyMap<string, Param>
}

export const source = 'in'

const kit = (
  arch: Program['arch'],
  shape: ReadonlyArray<number>,
  tiled: boolean,
  accumulator: readonly [number, number],
): Kit => {
  const transforms = [T.tile([8, 16]), T.swizzle(32)].flatMap((t) => (tiled && E.isRight(t) ? [t.right] : []))
  const made = B.draft({ name: 'kit', arch, agents: [] }, function* () {
    const tensor = yield* B.tensorParam('tensor', 'f16', shape, { role: 'inout' })
    yield* B.descriptorParam('descriptor', tensor, shape, { swizzle: tiled ? 32 : 16 })
    yield* B.sharedMemory('smem', 'f16', shape, transforms)
    yield* B.tensorMemory('tmem', 'f32', accumulator)
    yield* B.registers('regs', 'agent', 'f32', accumulator)
    yield* B.barriers('barrier', [])
    yield* B.barriers('ordering', [], { ordersTensorCore: true })
  })
  if (E.isLeft(made)) return unreachable(made.left.message)
  const [tensor, descriptor] = made.right.params
  const [smem, tmem, regs, barrier, ordering] = made.right.storage
  if (tensor?._tag !== 'tensor' || descriptor?._tag !== 'descriptor')
    return unreachable('declared in this order')
  const inner = shape[shape.length - 1] ?? 1
  const column: Tile<'i32', number> = X.iota(shape, shape.length - 1)
  return {
    arch,
    shape,
    accumulator,
    tensor,
    descriptor,
    smem: smem!,
    tmem: tmem!,
    regs: regs!,
    barrier: barrier!,
    ordering: ordering!,
    smemTile: tile(shape, scalar('f16'), 'any'),
    regsTile: tile(accumulator, scalar('f32'), 'any'),
    zeros: X.splat(X.float('f16', 0), shape),
    zeroAccumulator: X.splat(X.float('f32', 0), accumulator),
    origin: shape.map(() => X.i32(0)),
    offsets:
      shape.length === 1
        ? column
        : X.add(X.mul(X.iota<number>(shape, 0), X.splat<'i32', number>(X.i32(inner), shape)), column),
  }
}

const kits = {
  hopper: kit('sm90a', [8], false, [128, 16]),
  hopperMatrix: kit('sm90a', [64, 16], true, [64, 8]),
  blackwell: kit('sm100a', [8], false, [128, 16]),
  blackwellMatrix: kit('sm100a', [128, 16], true, [128, 16]),
  allocating: kit('sm100a', [8], false, [128, atomColumns]),
} as const

const tensorOps: ReadonlySet<Op['_tag']> = new Set([
  'mma',
  'commit',
  'tensorLoad',
  'tensorStore',
  'waitLoads',
  'waitStores',
  'fenceBefore',
  'fenceAfter',
  'dealloc',
  'alloc',
  'free',
  'relinquish',
])

export const kitOf = (skeleton: Skeleton): E.Either<Failure, Kit> => {
  const some = (is: (op: Op) => boolean): boolean => skeleton.agents.some((agent) => agent.ops.some(is))
  const hopper = some((op) => op._tag === 'wgmma')
  const blackwell = some((op) => tensorOps.has(op._tag))
  if (hopper && blackwell) return refuse('naive.embed', 'wgmma and tcgen05 are not of one machine')
  if (hopper) return E.right(kits.hopperMatrix)
  if (!blackwell) return E.right(kits.hopper)
  if (allocates(skeleton))
    return some((op) => op._tag === 'mma' || op._tag === 'dealloc')
      ? refuse('naive.embed', 'what is allocated is loaded and stored, and given back by free')
      : E.right(kits.allocating)
  return E.right(some((op) => op._tag === 'mma') ? kits.blackwellMatrix : kits.blackwell)
}

export const nameOf = (name: string): string => name.replaceAll('-', '_')
export const registerName = (agent: number, name: string): string => `${nameOf(name)}_of_${String(agent)}`
export const landing = (agent: number, op: number): string => `landing_${String(agent)}_${String(op)}`
export const mapOf = (name: string): string => `${name}_map`

/** Which arrivals, waits and commits on barriers of this name carry tensor-core order. */
export const orderOf = (skeleton: Skeleton, name: string): ReadonlyArray<boolean> =>
  skeleton.agents.flatMap((agent) =>
    agent.ops
      .filter((op) => barriersOf(op).some((b) => skeleton.barriers[b]!.name === name))
      .flatMap((op) =>
        op._tag === 'arrive' || op._tag === 'arriveExpect' || op._tag === 'wait' || op._tag === 'peek'
          ? [op.tensor]
          : op._tag === 'commit'
            ? [true]
            : [],
      ),
  )

const storageOf = (like: Storage, id: string, owner: Storage['owner']): Storage => ({
  id,
  space: like.space,
  owner,
  contents: like.contents,
  bits: like.bits,
  align: like.align,
})

const descriptorOf = (like: DescriptorParam, tensor: string): DescriptorParam => ({
  _tag: 'descriptor',
  name: mapOf(tensor),
  tensor,
  dims: like.dims,
  strides: like.strides,
  box: like.box,
  elementStrides: like.elementStrides,
  swizzle: like.swizzle,
  fill: like.fill,
})

export const storages = (
  skeleton: Skeleton,
  k: Kit,
  machineName: (agent: number) => string,
): ReadonlyMap<string, Storage> => {
  const storage = new Map<string, Storage>()
  const registers = (id: string, x: number): void => {
    if (!storage.has(id)) storage.set(id, storageOf(k.regs, id, { agent: machineName(x) }))
  }
  for (const atom of atomsOf(skeleton)) {
    const id = nameOf(atom.name)
    if (atom._tag === 'regs') registers(registerName(atom.agent, atom.name), atom.agent)
    else if (atom._tag !== 'gmem' && !storage.has(id)) storage.set(id, storageOf(k[atom._tag], id, 'cta'))
  }
  skeleton.agents.forEach((agent, x) => {
    agent.ops.forEach((op, i) => {
      if (op._tag === 'tensorLoad') registers(landing(x, i), x)
    })
  })
  for (const { name } of skeleton.barriers) {
    const id = nameOf(name)
    if (!storage.has(id))
      storage.set(id, storageOf(orderOf(skeleton, name).includes(true) ? k.ordering : k.barrier, id, 'cta'))
  }
  return storage
}

export const parameters = (skeleton: Skeleton, k: Kit): ReadonlyMap<string, Param> => {
  const params = new Map<string, Param>()
  const tensor = (name: string, role: 'in' | 'inout'): void => {
    const { dtype, shape, strides } = k.tensor
    params.set(name, { _tag: 'tensor', name, dtype, shape, strides, role })
    params.set(mapOf(name), descriptorOf(k.descriptor, name))
  }
  tensor(source, 'in')
  for (const atom of atomsOf(skeleton))
    if (atom._tag === 'gmem' && !params.has(nameOf(atom.name))) tensor(nameOf(atom.name), 'inout')
  return params
}
