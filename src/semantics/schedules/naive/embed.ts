/**
 * Real programs with the synchronisation of a skeleton.
 *
 * `embed` writes a program of the core language that does to barriers, groups, queues and fences what the skeleton does, and
 * to bytes what the skeleton does to atoms. So the machine and the detector can be asked about a program of which `explore` knows
 * everything.
 *
 *     skeleton                        program
 *     agent x of CTA c                the k-th warpgroup of CTA c, k = how many agents of c stand before x
 *     smem atom                       one buffer; 16 bytes, or a matrix operand when the skeleton has matrix products
 *     tmem atom, regs atom            one storage: an accumulator
 *     gmem atom                       one tensor parameter and a descriptor of it
 *     unit                            the bytes of one smem atom
 *     load without source             a copy from an input that is not written
 *     peek, and a wait after it       mbarrier.test, and a wait that its outcome may spare, in one of the ways in which that is written
 *     rendezvous                      bar.sync, or the cluster barrier when its members are not of one CTA
 *
 * Before the bodies stands a prologue, as in every kernel: one agent of each CTA initialises its barriers and writes every atom
 * once, with the fences that make these writes visible to every proxy; then all agents meet. These edges come first
 * and are common to all, so they decide nothing. Barriers that are not published are initialised behind it, and all meet once more, relaxed.
 *
 * A statement's site is labelled `x.i op`: agent, index in its operations, and the operation.
 *
 * Not every skeleton is a program. Refused: a wait, an access or an operand in another CTA's memory; a load whose parts are not
 * the same atom and barrier name in each CTA; more than one atom where an instruction has one operand; wgmma
 * beside tcgen05; a barrier of which only some arrivals carry tensor-core order.
 *
 * The program is plain data, written without checking every statement: a theorem test asks for many thousands. What such
 * programs share (layouts, storages, conditions) is built once, by the builder. `launch` places it.
 *
 * Laws
 * 1. Every drawn skeleton (`random.ts`) is embedded, and the result can be placed and is valid.
 * 2. The embedded program has, per agent and in order, one effect for each operation that is on (more where one skeleton
 *    operation stands for several instructions), all under the label of that operation.
 */
import * as E from 'fp-ts/lib/Either.js'
import { greatest } from '../../../greatest.js'
import type { Failure } from '../../../failure.js'
import { refuse, unreachable } from '../../../failure.js'
import * as T from '../../../transforms/transform.js'
import * as B from '../../writing/builder.js'
import type { Barrier, Condition, Descriptor, Int, Tile, View } from '../../language/expression.js'
import * as X from '../../language/expression.js'
import type { Instruction, Scope, TensorBarrier } from '../../language/instruction.js'
import type {
  Agent,
  DescriptorParam,
  Do,
  Param,
  Program,
  Site,
  Stmt,
  Storage,
  TensorParam,
} from '../../language/program.js'
import { programSchema, region, site } from '../../language/program.js'
import type { PtrIndex, TileType } from '../../language/types.js'
import { scalar, tile } from '../../language/types.js'
import { showOp } from './notation.js'
import type { Atom, Atoms, Op, Skeleton, SkeletonBarrier } from './skeleton.js'
import { allocates, atomColumns, atomsOf, barriersOf, footprint, isOn, peekOf, showAtom } from './skeleton.js'

// ---------------------------------------------------------------- model

export interface Embedded {
  readonly program: Program
  /** per agent of the skeleton: its agent among all agents of the cluster, CTA after CTA */
  readonly agents: ReadonlyArray<number>
  /** per agent of the skeleton and operation: the program-order indices of its events, empty when it is off */
  readonly events: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>
  readonly unitBytes: number
}

/** What the memory of a skeleton is made of: one storage and one parameter of each kind, to be had under any name. */
interface Kit {
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
interface Plan {
  readonly skeleton: Skeleton
  readonly kit: Kit
  readonly scope: Scope
  readonly unitBytes: number
  /** named barriers by id of the rendezvous */
  readonly named: ReadonlyMap<string, number>
  readonly storage: ReadonlyMap<string, Storage>
  readonly params: ReadonlyMap<string, Param>
}

const source = 'in'

/** `embed.` says: legal as a skeleton, but no program has it. */
export type EmbedError = 'naive.embed'

// ---------------------------------------------------------------- memory

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

const kitOf = (skeleton: Skeleton): E.Either<Failure, Kit> => {
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

const nameOf = (name: string): string => name.replaceAll('-', '_')
const registerName = (agent: number, name: string): string => `${nameOf(name)}_of_${String(agent)}`
const landing = (agent: number, op: number): string => `landing_${String(agent)}_${String(op)}`
const mapOf = (name: string): string => `${name}_map`

/** Which arrivals, waits and commits on barriers of this name carry tensor-core order. */
const orderOf = (skeleton: Skeleton, name: string): ReadonlyArray<boolean> =>
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

const storages = (
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

const parameters = (skeleton: Skeleton, k: Kit): ReadonlyMap<string, Param> => {
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

// ---------------------------------------------------------------- what cannot be embedded

const sameCta = (skeleton: Skeleton, agents: ReadonlyArray<number>): boolean =>
  agents.every((x) => skeleton.agents[x]!.cta === skeleton.agents[agents[0]!]!.cta)

/** Why no program has this operation, or null. */
const obstacle = (skeleton: Skeleton, x: number, op: Op): string | null => {
  const { cta } = skeleton.agents[x]!
  const counted = (what: string, list: ReadonlyArray<unknown>): string | null =>
    list.length === 1 ? null : `${what}: expected one, found ${String(list.length)}`
  const within = (atom: Atom): string | null =>
    (atom._tag === 'smem' || atom._tag === 'tmem') && atom.cta !== cta
      ? `${showAtom(atom)} is in another CTA`
      : null
  const single = (atoms: Atoms, tag: Atom['_tag'], where: string): string | null => {
    const atom = atoms[0]
    return (
      counted('operands', atoms) ??
      within(atom!) ??
      (atom?._tag === tag ? null : `${showAtom(atom!)} is not in ${where}`)
    )
  }
  const smem = (atoms: Atoms): string | null => single(atoms, 'smem', 'shared memory')
  const tmem = (atoms: Atoms): string | null => single(atoms, 'tmem', 'tensor memory')
  const gmem = (atoms: Atoms): string | null =>
    atoms.length === 0 ? null : single(atoms, 'gmem', 'global memory')
  const own = (b: number): string | null =>
    skeleton.barriers[b]!.cta === cta ? null : 'the barrier is in another CTA'
  const regs = (atom: Atom): string | null =>
    atom._tag === 'regs' && atom.agent === x ? null : `${showAtom(atom)} is not a register of this agent`
  const first = (reasons: ReadonlyArray<string | null>): string | null =>
    reasons.find((reason) => reason !== null) ?? null
  switch (op._tag) {
    case 'read':
      return first(
        op.atoms.map((atom) =>
          atom._tag === 'regs'
            ? regs(atom)
            : atom._tag === 'tmem'
              ? 'tensor memory has no generic accesses'
              : within(atom),
        ),
      )
    case 'write':
      return first(
        op.atoms.map((atom) =>
          atom._tag === 'regs' || atom._tag === 'tmem'
            ? 'an accumulator is not written through the generic proxy'
            : within(atom),
        ),
      )
    case 'wait':
    case 'peek':
    case 'copyArrive':
      return own(op.barrier)
    case 'load': {
      const parts = op.destinations.map((part): string | null => {
        const atom = part.atoms[0]
        return (
          counted('atoms of a part', part.atoms) ??
          (atom?._tag !== 'smem' || atom.cta !== skeleton.barriers[part.barrier]!.cta
            ? 'a load signals in the CTA that it writes'
            : part.units === 1
              ? null
              : `one unit per atom, found ${String(part.units)}`)
        )
      })
      return (
        gmem(op.reads) ??
        first(parts) ??
        (new Set(op.destinations.map((part) => part.atoms[0]!.name)).size === 1 &&
        new Set(op.destinations.map((part) => skeleton.barriers[part.barrier]!.name)).size === 1
          ? null
          : 'the parts must be the same place in each CTA')
      )
    }
    case 'store':
      return gmem(op.writes) ?? smem(op.reads)
    case 'copy':
      return gmem(op.reads) ?? smem(op.writes)
    case 'wgmma':
      return smem(op.reads) ?? counted('accumulators', op.writes) ?? regs(op.writes[0]!)
    case 'rendezvous':
      if (op.tensor) return 'a rendezvous carries no tensor-core order by itself'
      if (sameCta(skeleton, op.members)) return op.relaxed ? 'bar.sync is not relaxed' : null
      return op.members.length === skeleton.agents.length ? null : 'the cluster barrier is one of all agents'
    case 'mma':
      return op.tensorReads.length > 0
        ? 'the left operand is in shared memory'
        : (smem(op.reads) ?? tmem(op.writes))
    case 'commit':
      return new Set(op.barriers.map((b) => skeleton.barriers[b]!.name)).size === 1
        ? null
        : 'a commit arrives on one barrier, in each CTA of a mask'
    case 'tensorLoad':
    case 'tensorStore':
      return tmem(op.atoms)
    case 'namedArrive':
    case 'namedSync':
    case 'clusterArrive':
    case 'clusterWait':
    case 'tell':
    case 'hear':
    case 'fenceMemory':
      return 'only the PTX says it'
    case 'arrive':
    case 'arriveExpect':
    case 'expect':
    case 'bulkCommit':
    case 'bulkWait':
    case 'copyCommit':
    case 'copyWait':
    case 'wgmmaCommit':
    case 'wgmmaWait':
    case 'fence':
    case 'waitLoads':
    case 'waitStores':
    case 'fenceBefore':
    case 'fenceAfter':
    case 'dealloc':
    case 'alloc':
    case 'free':
    case 'relinquish':
      return null
  }
}

/** The same of a whole skeleton. */
const obstacles = (skeleton: Skeleton, named: ReadonlyMap<string, number>): string | null => {
  for (const { name } of skeleton.barriers) {
    const flags = orderOf(skeleton, name)
    if (flags.includes(true) && flags.includes(false))
      return `only some arrivals on ${nameOf(name)} carry tensor-core order`
  }
  if (named.size > 15) return `there are 15 named barriers for ${String(named.size)} kinds of rendezvous`
  for (const [x, agent] of skeleton.agents.entries())
    for (const [i, op] of agent.ops.entries()) {
      const reason = obstacle(skeleton, x, op)
      if (reason !== null) return `${labelOf(x, i, op)}: ${reason}`
    }
  return null
}

// ---------------------------------------------------------------- operations

const labelOf = (x: number, i: number, op: Op): string => `${String(x)}.${String(i)} ${showOp(op)}`

const maskOf = (ctas: ReadonlyArray<number>): Int => X.i32(ctas.reduce((m, cta) => m | (1 << cta), 0))

const smemView = (atoms: Atoms): View<'smem', 'f16'> =>
  X.storage<{ view: { space: 'smem'; dtype: 'f16'; rank: number } }>(nameOf(atoms[0]!.name))
const tmemView = (atoms: Atoms): View<'tmem', 'f32', 2> =>
  X.storage<{ view: { space: 'tmem'; dtype: 'f32'; rank: 2 } }>(nameOf(atoms[0]!.name))
const regsView = (id: string): View<'regs', 'f32', 2> =>
  X.storage<{ view: { space: 'regs'; dtype: 'f32'; rank: 2 } }>(id)
const globalName = (atoms: Atoms): string => (atoms.length === 0 ? source : nameOf(atoms[0]!.name))
const mapOfAtoms = (atoms: Atoms): Descriptor<'f16'> => X.descriptor(mapOf(globalName(atoms)))
const localBarrier = (name: string): Barrier =>
  X.storage<{ barrier: { contract: 'ptx'; ordersTensorCore: boolean; rank: 0 } }>(nameOf(name))
const tensorBarrier = (name: string): TensorBarrier =>
  X.storage<{ barrier: { contract: 'ptx'; ordersTensorCore: true; rank: 0 } }>(nameOf(name))

/** Pointers to the elements of a tensor, in the shape of an atom. */
const pointers = (k: Kit, name: string): Tile<PtrIndex<'f16'>, number> =>
  X.addptr(X.splat<PtrIndex<'f16'>, number>(X.paramPtr<'f16'>(name), k.shape), k.offsets)

/** A matrix operand is a view of rank 2; the shape says so where the atom is declared. */
const asMatrix = (k: Kit, atoms: Atoms): View<'smem', 'f16', 2> =>
  X.reshapeView<2, 'smem', 'f16'>(smemView(atoms), k.shape)

/** The right operand that a matrix buffer also holds: its first rows, transposed. */
const rightOperand = (k: Kit, of: View<'smem', 'f16', 2>): View<'smem', 'f16', 2> =>
  X.transposeView(X.slice(of, [X.i32(0), X.i32(0)], [k.accumulator[1], k.shape[1] ?? 1]), [1, 0])

const never: Condition = X.i1(false)

/** The instructions of operation `i` of agent `x`; each result has a type. */
const instructions = (
  p: Plan,
  x: number,
  i: number,
): ReadonlyArray<Instruction | readonly [Instruction, TileType]> => {
  const { skeleton, kit: k } = p
  const { cta, ops } = skeleton.agents[x]!
  const op = ops[i]!
  const barrierAt = (b: number): Barrier => {
    const target = skeleton.barriers[b]!
    const own = localBarrier(target.name)
    return target.cta === cta ? own : X.remote(own, X.i32(target.cta))
  }
  switch (op._tag) {
    case 'read':
      return op.atoms.map((atom): readonly [Instruction, TileType] =>
        atom._tag === 'gmem'
          ? [{ _tag: 'gmem.load', source: X.tensor<'f16', number>(nameOf(atom.name)) }, k.smemTile]
          : atom._tag === 'regs'
            ? [{ _tag: 'regs.read', source: regsView(registerName(x, atom.name)) }, k.regsTile]
            : [{ _tag: 'smem.load', source: smemView([atom]) }, k.smemTile],
      )
    case 'write':
      return op.atoms.map((atom): Instruction =>
        atom._tag === 'gmem'
          ? { _tag: 'gmem.store', destination: X.tensor<'f16', number>(nameOf(atom.name)), value: k.zeros }
          : { _tag: 'smem.store', destination: smemView([atom]), value: k.zeros },
      )
    case 'arrive':
      return op.barriers.map((b): Instruction => ({
        _tag: 'mbarrier.arrive',
        barrier: barrierAt(b),
        count: 1,
        release: !op.relaxed,
        scope: op.narrow === true ? 'cta' : p.scope,
      }))
    case 'arriveExpect':
      return [
        {
          _tag: 'mbarrier.arriveExpectTx',
          barrier: barrierAt(op.barrier),
          bytes: X.i32(op.units * p.unitBytes),
          release: !op.relaxed,
          scope: op.narrow === true ? 'cta' : p.scope,
        },
      ]
    case 'expect':
      return [
        {
          _tag: 'mbarrier.expectTx',
          barrier: barrierAt(op.barrier),
          bytes: X.i32(op.units * p.unitBytes),
        },
      ]
    case 'wait':
      return [
        {
          _tag: 'mbarrier.wait',
          barrier: barrierAt(op.barrier),
          parity: X.i32(op.parity),
          acquire: !op.relaxed,
          scope: op.narrow === true ? 'cta' : p.scope,
        },
      ]
    case 'peek':
      return [
        {
          _tag: 'mbarrier.test',
          barrier: barrierAt(op.barrier),
          parity: X.i32(op.parity),
          acquire: !op.relaxed,
          scope: op.narrow === true ? 'cta' : p.scope,
        },
      ]
    case 'load': {
      const [part] = op.destinations
      const ctas = op.destinations.map(({ barrier }) => skeleton.barriers[barrier]!.cta)
      const descriptor = mapOfAtoms(op.reads)
      const destination = smemView(part!.atoms)
      const barrier = localBarrier(skeleton.barriers[part!.barrier]!.name)
      const coords = k.origin
      return [
        ctas.length === 1 && ctas[0] === cta
          ? { _tag: 'tma.load', descriptor, coords, destination, barrier, ctaGroup: 1 }
          : {
              _tag: 'tma.load',
              descriptor,
              coords,
              destination,
              barrier,
              multicast: maskOf(ctas),
              ctaGroup: 1,
            },
      ]
    }
    case 'store':
      return [
        {
          _tag: 'tma.store',
          descriptor: mapOfAtoms(op.writes),
          coords: k.origin,
          source: smemView(op.reads),
        },
      ]
    case 'bulkCommit':
      return [{ _tag: 'bulk.commitGroup' }]
    case 'bulkWait':
      return [{ _tag: 'bulk.waitGroup', pending: op.pending, read: op.side === 'read' }]
    case 'copy':
      return [
        {
          _tag: 'cpAsync.copy',
          source: pointers(k, globalName(op.reads)),
          destination: smemView(op.writes),
        },
      ]
    case 'copyCommit':
      return [{ _tag: 'cpAsync.commitGroup' }]
    case 'copyWait':
      return [{ _tag: 'cpAsync.waitGroup', pending: op.pending }]
    case 'copyArrive':
      return [{ _tag: 'mbarrier.cpAsyncArrive', barrier: barrierAt(op.barrier), noIncrement: true }]
    case 'wgmma': {
      const a = asMatrix(k, op.reads)
      return [
        { _tag: 'wgmma.fence' },
        {
          _tag: 'wgmma.mma',
          accumulator: regsView(registerName(x, op.writes[0]!.name)),
          a,
          b: rightOperand(k, a),
          scaleD: never,
          negateA: false,
          negateB: false,
        },
      ]
    }
    case 'wgmmaCommit':
      return [{ _tag: 'wgmma.commitGroup' }]
    case 'wgmmaWait':
      return [{ _tag: 'wgmma.waitGroup', pending: op.pending }]
    case 'fence':
      return [
        {
          _tag: 'fence.proxyAsync',
          scope: op.scope === 'global' ? 'global' : p.scope === 'cluster' ? 'cluster' : 'cta',
        },
      ]
    case 'rendezvous':
      return sameCta(skeleton, op.members)
        ? [{ _tag: 'bar.sync', id: p.named.get(op.id) ?? 0, count: 128 * op.members.length }]
        : [{ _tag: 'cluster.arrive', relaxed: op.relaxed }, { _tag: 'cluster.wait' }]
    case 'mma': {
      const a = asMatrix(k, op.reads)
      return [
        {
          _tag: 'tcgen05.mma',
          accumulator: tmemView(op.writes),
          a,
          b: rightOperand(k, a),
          accumulate: never,
          ctaGroup: 1,
          completions: [],
        },
      ]
    }
    case 'commit': {
      const targets = op.barriers.map((b) => skeleton.barriers[b]!)
      const barrier = tensorBarrier(targets[0]!.name)
      return [
        targets.length === 1 && targets[0]!.cta === cta
          ? { _tag: 'tcgen05.commit', barrier, ctaGroup: 1 }
          : {
              _tag: 'tcgen05.commit',
              barrier,
              multicast: maskOf(targets.map((b) => b.cta)),
              ctaGroup: 1,
            },
      ]
    }
    case 'tensorLoad':
      return [{ _tag: 'tcgen05.ld', source: tmemView(op.atoms), destination: regsView(landing(x, i)) }]
    case 'tensorStore':
      return [{ _tag: 'tcgen05.st', destination: tmemView(op.atoms), value: k.zeroAccumulator }]
    case 'waitLoads':
      return [{ _tag: 'tcgen05.waitLd' }]
    case 'waitStores':
      return [{ _tag: 'tcgen05.waitSt' }]
    case 'fenceBefore':
      return [{ _tag: 'tcgen05.fenceBefore' }]
    case 'fenceAfter':
      return [{ _tag: 'tcgen05.fenceAfter' }]
    case 'dealloc':
      return [{ _tag: 'tcgen05.dealloc', columns: tmemColumns(p), ctaGroup: 1 }]
    case 'alloc':
      return [{ _tag: 'tcgen05.alloc', columns: op.columns, ctaGroup: op.ctaGroup }]
    case 'free':
      return [{ _tag: 'tcgen05.dealloc', columns: op.columns, ctaGroup: op.ctaGroup }]
    case 'relinquish':
      return [{ _tag: 'tcgen05.relinquish', ctaGroup: op.ctaGroup }]
    case 'namedArrive':
    case 'namedSync':
    case 'clusterArrive':
    case 'clusterWait':
    case 'tell':
    case 'hear':
    case 'fenceMemory':
      return unreachable(`${op._tag} is refused before`)
  }
}

/** The smallest allocation that holds all accumulators. */
const tmemColumns = (p: Plan): number => {
  const used = accumulatorsIn(p) * p.kit.accumulator[1]
  let columns = 32
  while (columns < used) columns *= 2
  return columns
}

const accumulatorsIn = (p: Plan): number => {
  let count = 0
  for (const { space } of p.storage.values()) if (space === 'tmem') count += 1
  return count
}

const run = (label: string, path: ReadonlyArray<string>, instruction: Instruction): Do => ({
  _tag: 'Do',
  results: [],
  instruction,
  site: site(label, path),
})

const truth = scalar('i1')
const yes: Condition = X.i1(true)

/** A test, and how its outcome gets to the name `name`: at once, by a let, around a loop of one turn, or out of a branch. */
const outcome = (name: string, instruction: Instruction, at: Site): ReadonlyArray<Stmt> => {
  const [first, carried] = [`${name}'`, `${name}''`]
  const from = X.name<'i1'>(first)
  const test = (to: string): Stmt => ({
    _tag: 'Do',
    results: [{ name: to, type: truth }],
    instruction,
    site: at,
  })
  switch ((at.label.length * 7 + at.label.charCodeAt(2)) % 4) {
    case 0:
      return [test(name)]
    case 1:
      return [test(first), { _tag: 'Let', binder: { name, type: truth }, expr: from, site: at }]
    case 2:
      return [
        test(first),
        {
          _tag: 'For',
          index: { name: `${name} turn`, type: scalar('i32') },
          from: X.i32(0),
          to: X.i32(1),
          step: X.i32(1),
          carried: [{ binder: { name: carried, type: truth }, init: X.i1(true) }],
          body: region([], [from]),
          results: [{ name, type: truth }],
          site: at,
        },
      ]
    default:
      return [
        {
          _tag: 'If',
          cond: yes,
          then: region([test(first)], [from]),
          else: region([], [never]),
          results: [{ name, type: truth }],
          site: at,
        },
      ]
  }
}

/** A wait that is not made if `name` is true, in one of three ways. */
const sparedBy = (name: string, instruction: Instruction, at: Site, i: number): ReadonlyArray<Stmt> => {
  const ready = X.name<'i1'>(name)
  const wait: Do = { _tag: 'Do', results: [], instruction, site: at }
  const branch = (cond: Condition, then: ReadonlyArray<Stmt>, otherwise: ReadonlyArray<Stmt>): Stmt => ({
    _tag: 'If',
    cond,
    then: region(then),
    else: region(otherwise),
    results: [],
    site: at,
  })
  switch (i % 3) {
    case 0:
      return [{ _tag: 'Do', results: [], instruction, when: X.not(ready), site: at }]
    case 1:
      return [branch(X.not(ready), [wait], [])]
    default:
      return [branch(ready, [], [wait])]
  }
}

/** The statements of an operation. */
const statements = (p: Plan, x: number, i: number, path: ReadonlyArray<string>): ReadonlyArray<Stmt> => {
  const { ops } = p.skeleton.agents[x]!
  const op = ops[i]!
  const at = site(labelOf(x, i, op), path)
  if (op._tag === 'peek')
    return instructions(p, x, i).flatMap((one) =>
      '_tag' in one ? outcome(`peek ${String(x)}.${String(i)}`, one, at) : [],
    )
  const peek = peekOf(ops, i)
  if (peek >= 0 && isOn(op))
    return instructions(p, x, i).flatMap((one) =>
      '_tag' in one ? sparedBy(`peek ${String(x)}.${String(peek)}`, one, at, i) : [],
    )
  return instructions(p, x, i).map((one, k): Do => {
    if ('_tag' in one)
      return isOn(op)
        ? { _tag: 'Do', results: [], instruction: one, site: at }
        : { _tag: 'Do', results: [], instruction: one, when: never, site: at }
    const [instruction, type] = one
    const name = k === 0 ? at.label : `${at.label} (${String(k)})`
    return { _tag: 'Do', results: [{ name, type }], instruction, site: at }
  })
}

// ---------------------------------------------------------------- programs

const initialised = ({ name, count }: SkeletonBarrier, path: ReadonlyArray<string>): Do =>
  run(`init ${name}`, path, { _tag: 'mbarrier.init', barrier: localBarrier(name), count })

/** What the first agent of a CTA initialises behind the prologue. */
const latecomers = (skeleton: Skeleton, cta: number, path: ReadonlyArray<string>): ReadonlyArray<Do> =>
  skeleton.barriers.flatMap((barrier) =>
    barrier.cta === cta && barrier.unpublished === true ? [initialised(barrier, path)] : [],
  )

/** The prologue of one CTA, run by its first agent. */
const prologue = (p: Plan, cta: number, path: ReadonlyArray<string>): ReadonlyArray<Do> => {
  const { kit: k, skeleton } = p
  const stored = [...p.storage.values()]
  const smem = stored.filter((s) => s.space === 'smem' && s.contents._tag === 'elements')
  // a CTA allocates what its agents use: it has a dealloc of its own then
  const uses =
    !allocates(skeleton) &&
    skeleton.agents.some(
      (agent) =>
        agent.cta === cta &&
        agent.ops.some((op) => {
          const { reads, writes } = footprint(op)
          return [...reads, ...writes].some((atom) => atom._tag === 'tmem')
        }),
    )
  const tmem = uses ? stored.filter((s) => s.space === 'tmem') : []
  const named = ({ id }: Storage): Atoms => [{ _tag: 'gmem', name: id }]
  return [
    ...skeleton.barriers
      .filter((barrier) => barrier.cta === cta && barrier.unpublished !== true)
      .map((barrier) => initialised(barrier, path)),
    ...smem.map((s) =>
      run(`init ${s.id}`, path, { _tag: 'smem.store', destination: smemView(named(s)), value: k.zeros }),
    ),
    run('init fence', path, { _tag: 'fence.proxyAsync', scope: 'cta' }),
    run('init barriers', path, { _tag: 'fence.mbarrierInit' }),
    ...(tmem.length === 0
      ? []
      : [
          run('alloc', path, { _tag: 'tcgen05.alloc', columns: tmemColumns(p), ctaGroup: 1 }),
          run('relinquish', path, { _tag: 'tcgen05.relinquish', ctaGroup: 1 }),
          ...tmem.map((s) =>
            run(`init ${s.id}`, path, {
              _tag: 'tcgen05.st',
              destination: tmemView(named(s)),
              value: k.zeroAccumulator,
            }),
          ),
          run('init wait', path, { _tag: 'tcgen05.waitSt' }),
          run('init before', path, { _tag: 'tcgen05.fenceBefore' }),
        ]),
  ]
}

/** An accumulator that is read generically is first written: its reader may come before any product. */
const accumulators = (p: Plan, x: number, path: ReadonlyArray<string>): ReadonlyArray<Do> => {
  const read = new Set<string>()
  for (const op of p.skeleton.agents[x]!.ops)
    for (const atom of op._tag === 'read' ? footprint(op).reads : [])
      if (atom._tag === 'regs') read.add(registerName(atom.agent, atom.name))
  if (read.size === 0) return []
  return [
    ...[...read].map((id) =>
      run(`init ${id}`, path, {
        _tag: 'regs.write',
        destination: regsView(id),
        value: p.kit.zeroAccumulator,
      }),
    ),
    run('init registers', path, { _tag: 'wgmma.fence' }),
    run('init registers', path, { _tag: 'fence.proxyAsync', scope: 'cta' }),
  ]
}

/** Events of a statement: a bar.sync arrives and leaves, a statement that is off has none, a wait that may be spared has one. */
const eventsOf = (stmt: Stmt): number =>
  stmt._tag === 'If'
    ? 1
    : stmt._tag !== 'Do' || stmt.when === never
      ? 0
      : stmt.instruction._tag === 'bar.sync'
        ? 2
        : 1
const eventsOfAll = (stmts: ReadonlyArray<Stmt>): number => stmts.reduce((n, stmt) => n + eventsOf(stmt), 0)

const warpgroups: ReadonlyArray<Agent> = Array.from({ length: 16 }, (_, k) =>
  B.warpgroup(`wg${String(k)}`, k),
)
const emptyRegion = region([])
const conditions = (of: Int, count: number): ReadonlyArray<Condition> =>
  Array.from({ length: count }, (_, k) => X.eq(of, X.i32(k)))
const isAgent = conditions(X.place('agent'), warpgroups.length)

const ifThen = (label: string, cond: Condition, body: ReadonlyArray<Stmt>): Stmt => ({
  _tag: 'If',
  cond,
  then: region(body),
  else: emptyRegion,
  results: [],
  site: site(label),
})

/** The program of a skeleton, or why there is none. */
export const embed = (skeleton: Skeleton): E.Either<Failure, Embedded> => {
  const chosen = kitOf(skeleton)
  if (E.isLeft(chosen)) return chosen
  const k = chosen.right
  const named = new Map<string, number>()
  for (const agent of skeleton.agents)
    for (const op of agent.ops)
      if (op._tag === 'rendezvous' && !named.has(op.id)) named.set(op.id, named.size + 1)
  const reason = obstacles(skeleton, named)
  if (reason !== null) return refuse('naive.embed', reason)

  const ctas = greatest(0)(skeleton.agents.map((agent) => agent.cta)) + 1
  const members = Array.from({ length: ctas }, (_, cta) =>
    skeleton.agents.flatMap((agent, x) => (agent.cta === cta ? [x] : [])),
  )
  const perCta = greatest(1)(members.map((of) => of.length))
  if (perCta > warpgroups.length)
    return refuse('naive.embed', `a CTA has ${String(warpgroups.length)} warpgroups, found ${String(perCta)}`)
  const placeOf = (x: number): number => members[skeleton.agents[x]!.cta]!.indexOf(x)
  const p: Plan = {
    skeleton,
    kit: k,
    scope: ctas > 1 ? 'cluster' : 'cta',
    unitBytes: 2 * k.shape.reduce((n, extent) => n * extent, 1),
    named,
    storage: storages(skeleton, k, (x) => warpgroups[placeOf(x)]!.name),
    params: parameters(skeleton, k),
  }
  const only = (cta: number, agent: number): Condition =>
    X.and(ctas === 1 ? X.i1(true) : X.eq(X.place('ctaRank'), X.i32(cta)), isAgent[agent]!)

  const prologues = members.map((_, cta) => prologue(p, cta, [`prologue of CTA ${String(cta)}`]))
  const meeting = [
    ...(perCta > 1 ? [run('meet', [], { _tag: 'bar.sync', id: 0, count: 128 * perCta })] : []),
    ...(ctas > 1
      ? [
          run('meet', [], { _tag: 'cluster.arrive', relaxed: false }),
          run('meet', [], { _tag: 'cluster.wait' }),
        ]
      : []),
    ...(accumulatorsIn(p) > 0 ? [run('meet', [], { _tag: 'tcgen05.fenceAfter' })] : []),
  ]
  const late = members.map((_, cta) => latecomers(skeleton, cta, [`late barriers of CTA ${String(cta)}`]))
  const again = late.every((body) => body.length === 0)
    ? []
    : [
        run('meet again', [], { _tag: 'cluster.arrive', relaxed: true }),
        run('meet again', [], { _tag: 'cluster.wait' }),
      ]
  const events: ReadonlyArray<number>[][] = []
  const bodies = skeleton.agents.map((agent, x): Stmt => {
    const path = [`agent ${String(x)}`]
    const body: Stmt[] = [...accumulators(p, x, path)]
    let at =
      (placeOf(x) === 0 ? eventsOfAll(prologues[agent.cta]!) + eventsOfAll(late[agent.cta]!) : 0) +
      eventsOfAll(meeting) +
      eventsOfAll(again) +
      eventsOfAll(body)
    events.push(
      agent.ops.map((_, i) => {
        const stmts = statements(p, x, i, path)
        for (const stmt of stmts) body.push(stmt)
        return Array.from({ length: eventsOfAll(stmts) }, () => ++at)
      }),
    )
    return ifThen(path[0]!, only(agent.cta, placeOf(x)), body)
  })
  // an agent that the skeleton does not have still belongs to the cluster barrier
  const idle = members.flatMap((of, cta) =>
    Array.from({ length: perCta - of.length }, (_, j): Stmt => {
      const label = `idle ${String(of.length + j)}@${String(cta)}`
      const body = (skeleton.agents[0]?.ops ?? []).flatMap((op) =>
        op._tag === 'rendezvous' && !sameCta(skeleton, op.members)
          ? [
              run('idle', [label], { _tag: 'cluster.arrive', relaxed: op.relaxed }),
              run('idle', [label], { _tag: 'cluster.wait' }),
            ]
          : [],
      )
      return ifThen(label, only(cta, of.length + j), body)
    }),
  )
  const program: Program = {
    schema: programSchema,
    name: 'skeleton',
    arch: k.arch,
    params: [...p.params.values()],
    launch: { grid: [X.i32(ctas)], cluster: [ctas], agents: warpgroups.slice(0, perCta) },
    storage: [...p.storage.values()],
    entry: region([
      ...prologues.map((body, cta) => ifThen(`prologue of CTA ${String(cta)}`, only(cta, 0), body)),
      ...meeting,
      ...late.flatMap((body, cta) =>
        body.length === 0 ? [] : [ifThen(`late barriers of CTA ${String(cta)}`, only(cta, 0), body)],
      ),
      ...again,
      ...bodies,
      ...idle,
    ]),
  }
  return E.right({
    program,
    agents: skeleton.agents.map((agent, x) => agent.cta * perCta + placeOf(x)),
    events,
    unitBytes: p.unitBytes,
  })
}
