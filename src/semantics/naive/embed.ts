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
 *     load without source             a copy from an input that nobody writes
 *     rendezvous                      bar.sync, or the cluster barrier when its members are not of one CTA
 *
 * Before the bodies stands a prologue, as in every kernel: one agent of each CTA initialises its barriers and writes every atom
 * once, with the fences that make these writes visible to every proxy; then all agents meet. These edges come first
 * and are common to all, so they decide nothing.
 *
 * A statement's site is labelled `x.i op`: agent, index in its operations, and the operation.
 *
 * Not every skeleton is a program. Refused: a wait, an access or an operand in another CTA's memory; a load whose parts are not
 * the same atom and barrier name in each CTA; more than one atom where an instruction has one operand; wgmma
 * beside tcgen05; a barrier of which only some arrivals carry tensor-core order.
 *
 * Laws
 * 1. Every drawn skeleton (`random.ts`) is embedded, and the result is valid.
 * 2. The embedded program has, per agent and in order, one effect for each operation that is on (more where one skeleton
 *    operation stands for several instructions), all under the label of that operation.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { failure } from '../../failure.js'
import * as T from '../../transforms/transform.js'
import type { Build } from '../builder.js'
import * as B from '../builder.js'
import type { Barrier, Descriptor, Int, Tile, View } from '../expression.js'
import * as X from '../expression.js'
import type { Scope, TensorBarrier } from '../instruction.js'
import type { Program, Stmt } from '../program.js'
import type { PtrIndex } from '../types.js'
import { showOp } from './notation.js'
import type { Atom, Atoms, Op, Skeleton } from './skeleton.js'
import { atomsOf, barriersOf, footprint, isOn, showAtom } from './skeleton.js'

// ---------------------------------------------------------------- model

export interface Embedded {
  readonly program: Program
  /** per agent of the skeleton: its agent among all agents of the cluster, CTA after CTA */
  readonly agents: ReadonlyArray<number>
  /** per agent of the skeleton and operation: the program-order indices of its events, empty when it is off */
  readonly events: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>
  readonly unitBytes: number
}

/** What the memory of a skeleton is made of. */
interface Sizes {
  readonly arch: 'sm90a' | 'sm100a'
  /** of an smem atom, in f16 */
  readonly shape: ReadonlyArray<number>
  readonly transforms: ReadonlyArray<T.Transform>
  readonly swizzle: 16 | 32
  /** rows and columns of an accumulator, in f32 */
  readonly accumulator: readonly [number, number]
}

interface Places {
  readonly sizes: Sizes
  readonly smem: ReadonlyMap<string, View<'smem', 'f16'>>
  readonly tmem: ReadonlyMap<string, View<'tmem', 'f32', 2>>
  readonly regs: ReadonlyMap<string, View<'regs', 'f32', 2>>
  readonly gmem: ReadonlyMap<string, B.Tensor<'f16'>>
  readonly descriptors: ReadonlyMap<string, Descriptor<'f16'>>
  readonly barriers: ReadonlyMap<string, Barrier>
  readonly ordering: ReadonlyMap<string, TensorBarrier>
  readonly scope: Scope
  readonly unitBytes: number
  /** named barriers by id of the rendezvous */
  readonly named: ReadonlyMap<string, number>
}

const source = 'in'

// ---------------------------------------------------------------- what cannot be embedded

/** `embed.` says: legal as a skeleton, but no program has it. */
export type EmbedError = 'naive.embed'

const one = <A>(what: string, list: ReadonlyArray<A>): Build<A> =>
  list.length === 1
    ? B.of(list[0]!)
    : B.fail(failure('naive.embed', `${what}: expected one, found ${String(list.length)}`))
const need = (holds: boolean, what: string): Build<void> =>
  holds ? B.of(undefined) : B.fail(failure('naive.embed', what))
const lookup = <A>(map: ReadonlyMap<string, A>, key: string, what: string): Build<A> => {
  const found = map.get(key)
  return found === undefined ? B.fail(failure('naive.embed', `${key} is not ${what}`)) : B.of(found)
}

// ---------------------------------------------------------------- memory

const matrices = (skeleton: Skeleton, tag: Op['_tag']): boolean =>
  skeleton.agents.some((agent) => agent.ops.some((op) => op._tag === tag))

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
])

const sizesOf = (skeleton: Skeleton): E.Either<Failure, Sizes> => {
  const hopper = matrices(skeleton, 'wgmma')
  const blackwell = skeleton.agents.some((agent) => agent.ops.some((op) => tensorOps.has(op._tag)))
  if (hopper && blackwell) return E.left(failure('naive.embed', 'wgmma and tcgen05 are not of one machine'))
  if (!hopper && !matrices(skeleton, 'mma'))
    return E.right({
      arch: blackwell ? 'sm100a' : 'sm90a',
      shape: [8],
      transforms: [],
      swizzle: 16,
      accumulator: [128, 16],
    })
  const tile = T.tile([8, 16])
  const swizzle = T.swizzle(32)
  if (E.isLeft(tile)) return tile
  if (E.isLeft(swizzle)) return swizzle
  return E.right({
    arch: hopper ? 'sm90a' : 'sm100a',
    shape: [hopper ? 64 : 128, 16],
    transforms: [tile.right, swizzle.right],
    swizzle: 32,
    accumulator: hopper ? [64, 8] : [128, 16],
  })
}

const nameOf = (atom: Atom): string => atom.name.replaceAll('-', '_')
const registerName = (agent: number, name: string): string =>
  `${name.replaceAll('-', '_')}_of_${String(agent)}`
const landing = (agent: number, op: number): string => `landing_${String(agent)}_${String(op)}`

/** Declares all storage and parameters. */
const declare = (skeleton: Skeleton, sizes: Sizes, machineName: (agent: number) => string): Build<Places> =>
  B.block(function* () {
    const { shape, transforms, accumulator } = sizes
    const atoms = atomsOf(skeleton)
    const smem = new Map<string, View<'smem', 'f16'>>()
    const tmem = new Map<string, View<'tmem', 'f32', 2>>()
    const regs = new Map<string, View<'regs', 'f32', 2>>()
    const gmem = new Map<string, B.Tensor<'f16'>>()
    const descriptors = new Map<string, Descriptor<'f16'>>()
    const tensor = function* (name: string, role: 'in' | 'inout'): Generator<B.Step, void, B.State> {
      const param = yield* B.tensorParam(name, 'f16', shape, { role })
      gmem.set(name, param)
      descriptors.set(name, yield* B.descriptorParam(`${name}_map`, param, shape, { swizzle: sizes.swizzle }))
    }
    yield* tensor(source, 'in')
    for (const atom of atoms) {
      const name = nameOf(atom)
      switch (atom._tag) {
        case 'smem':
          if (!smem.has(name)) smem.set(name, yield* B.sharedMemory(name, 'f16', shape, transforms))
          break
        case 'tmem':
          if (!tmem.has(name)) tmem.set(name, yield* B.tensorMemory(name, 'f32', accumulator))
          break
        case 'regs': {
          const id = registerName(atom.agent, name)
          if (!regs.has(id)) regs.set(id, yield* B.registers(id, machineName(atom.agent), 'f32', accumulator))
          break
        }
        case 'gmem':
          if (!gmem.has(name)) yield* tensor(name, 'inout')
          break
      }
    }
    for (const [x, agent] of skeleton.agents.entries())
      for (const [i, op] of agent.ops.entries())
        if (op._tag === 'tensorLoad') {
          const id = landing(x, i)
          regs.set(id, yield* B.registers(id, machineName(x), 'f32', accumulator))
        }

    const barriers = new Map<string, Barrier>()
    const ordering = new Map<string, TensorBarrier>()
    for (const { name } of skeleton.barriers) {
      const id = nameOf({ _tag: 'gmem', name })
      if (barriers.has(id)) continue
      const flags = skeleton.agents.flatMap((agent) =>
        agent.ops
          .filter((op) => barriersOf(op).some((b) => skeleton.barriers[b]!.name === name))
          .flatMap((op) =>
            op._tag === 'arrive' || op._tag === 'arriveExpect' || op._tag === 'wait'
              ? [op.tensor]
              : op._tag === 'commit'
                ? [true]
                : [],
          ),
      )
      const ordered = flags.includes(true)
      yield* need(!ordered || !flags.includes(false), `only some arrivals on ${name} carry tensor-core order`)
      if (ordered) {
        const barrier = yield* B.barriers(id, [], { ordersTensorCore: true })
        barriers.set(id, barrier)
        ordering.set(id, barrier)
      } else barriers.set(id, yield* B.barriers(id, []))
    }

    const named = new Map<string, number>()
    for (const agent of skeleton.agents)
      for (const op of agent.ops)
        if (op._tag === 'rendezvous' && !named.has(op.id)) named.set(op.id, named.size + 1)
    yield* need(named.size < 16, `there are 15 named barriers for ${String(named.size)} kinds of rendezvous`)

    const elements = shape.reduce((n, extent) => n * extent, 1)
    return {
      sizes,
      smem,
      tmem,
      regs,
      gmem,
      descriptors,
      barriers,
      ordering,
      scope: skeleton.agents.some((agent) => agent.cta > 0) ? 'cluster' : 'cta',
      unitBytes: 2 * elements,
      named,
    }
  })

// ---------------------------------------------------------------- operations

const zeros = (p: Places): Tile<'f16'> => X.splat(X.float('f16', 0), p.sizes.shape)
const zeroAccumulator = (p: Places): Tile<'f32'> => X.splat(X.float('f32', 0), p.sizes.accumulator)
const maskOf = (ctas: ReadonlyArray<number>): Int => X.i32(ctas.reduce((m, cta) => m | (1 << cta), 0))
const origin = (p: Places): ReadonlyArray<Int> => p.sizes.shape.map(() => X.i32(0))

/** The right operand that a matrix buffer also holds: its first rows, transposed. */
const rightOperand = (p: Places, of: View<'smem', 'f16', 2>): View<'smem', 'f16', 2> =>
  X.transposeView(X.slice(of, [X.i32(0), X.i32(0)], [p.sizes.accumulator[1], p.sizes.shape[1] ?? 1]), [1, 0])

/** A matrix operand is a view of rank 2; the shape says so where the atom is declared. */
const asMatrix = (p: Places, name: string): View<'smem', 'f16', 2> =>
  X.reshapeView<2, 'smem', 'f16'>(
    X.storage<{ view: { space: 'smem'; dtype: 'f16'; rank: 2 } }>(name),
    p.sizes.shape,
  )

/** Pointers to the elements of a tensor, in the shape of an atom. */
const pointers = (p: Places, tensor: B.Tensor<'f16'>): Tile<PtrIndex<'f16'>, number> => {
  const { shape } = p.sizes
  const inner = shape[shape.length - 1] ?? 1
  const column: Tile<'i32', number> = X.iota(shape, shape.length - 1)
  const offsets =
    shape.length === 1
      ? column
      : X.add(X.mul(X.iota<number>(shape, 0), X.splat<'i32', number>(X.i32(inner), shape)), column)
  return X.addptr(X.splat<PtrIndex<'f16'>, number>(tensor.ptr, shape), offsets)
}

const sameCta = (skeleton: Skeleton, agents: ReadonlyArray<number>): boolean =>
  new Set(agents.map((x) => skeleton.agents[x]!.cta)).size <= 1

/** The statements of one operation of agent `x`, in CTA `cta`. */
const statements = (skeleton: Skeleton, p: Places, x: number, i: number): Build<void> =>
  B.block(function* () {
    const agent = skeleton.agents[x]!
    const op = agent.ops[i]!
    const { cta } = agent
    const label = `${String(x)}.${String(i)} ${showOp(op)}`
    const options = isOn(op) ? {} : { when: X.i1(false) }
    const here = (atom: Atom): Build<void> =>
      need(
        (atom._tag !== 'smem' && atom._tag !== 'tmem') || atom.cta === cta,
        `${label}: ${showAtom(atom)} is in another CTA`,
      )
    const smemOf = function* (atoms: Atoms): Generator<B.Step, string, B.State> {
      const atom = yield* one(`${label}: operands`, atoms)
      yield* here(atom)
      yield* need(atom._tag === 'smem', `${label}: ${showAtom(atom)} is not in shared memory`)
      return nameOf(atom)
    }
    const viewOf = function* (atoms: Atoms): Generator<B.Step, View<'smem', 'f16'>, B.State> {
      return yield* lookup(p.smem, yield* smemOf(atoms), 'in shared memory')
    }
    const tmemOf = function* (atoms: Atoms): Generator<B.Step, View<'tmem', 'f32', 2>, B.State> {
      const atom = yield* one(`${label}: operands`, atoms)
      yield* here(atom)
      yield* need(atom._tag === 'tmem', `${label}: ${showAtom(atom)} is not in tensor memory`)
      return yield* lookup(p.tmem, nameOf(atom), 'in tensor memory')
    }
    const globalOf = function* (atoms: Atoms): Generator<B.Step, string, B.State> {
      if (atoms.length === 0) return source
      const atom = yield* one(`${label}: operands`, atoms)
      yield* need(atom._tag === 'gmem', `${label}: ${showAtom(atom)} is not in global memory`)
      return nameOf(atom)
    }
    const regsOf = (atom: Atom): Build<View<'regs', 'f32', 2>> =>
      atom._tag === 'regs' && atom.agent === x
        ? lookup(p.regs, registerName(x, nameOf(atom)), 'in registers')
        : B.fail(failure('naive.embed', `${label}: ${showAtom(atom)} is not a register of this agent`))
    const barrierAt = function* (b: number): Generator<B.Step, Barrier, B.State> {
      const target = skeleton.barriers[b]!
      const own = yield* lookup(p.barriers, nameOf({ _tag: 'gmem', name: target.name }), 'a barrier')
      return target.cta === cta ? own : X.remote(own, X.i32(target.cta))
    }
    const ownBarrier = function* (b: number): Generator<B.Step, Barrier, B.State> {
      yield* need(skeleton.barriers[b]!.cta === cta, `${label}: the barrier is in another CTA`)
      return yield* barrierAt(b)
    }

    switch (op._tag) {
      case 'read':
        for (const atom of op.atoms) {
          yield* here(atom)
          switch (atom._tag) {
            case 'smem':
              yield* B.smemLoad(label, yield* lookup(p.smem, nameOf(atom), 'in shared memory'))
              break
            case 'gmem':
              yield* B.gmemLoad(label, (yield* lookup(p.gmem, nameOf(atom), 'a tensor')).view)
              break
            case 'regs':
              yield* B.regsRead(label, yield* regsOf(atom))
              break
            case 'tmem':
              yield* need(false, `${label}: tensor memory has no generic accesses`)
          }
        }
        return
      case 'write':
        for (const atom of op.atoms) {
          yield* here(atom)
          switch (atom._tag) {
            case 'smem': {
              const destination = yield* lookup(p.smem, nameOf(atom), 'in shared memory')
              yield* B.run(label, { _tag: 'smem.store', destination, value: zeros(p) })
              break
            }
            case 'gmem': {
              const destination = (yield* lookup(p.gmem, nameOf(atom), 'a tensor')).view
              yield* B.run(label, { _tag: 'gmem.store', destination, value: zeros(p) })
              break
            }
            case 'regs':
            case 'tmem':
              yield* need(false, `${label}: an accumulator is not written through the generic proxy`)
          }
        }
        return
      case 'arrive':
        for (const b of op.barriers) {
          const barrier = yield* barrierAt(b)
          const instruction = {
            _tag: 'mbarrier.arrive',
            barrier,
            count: 1,
            release: !op.relaxed,
            scope: p.scope,
          } as const
          yield* B.run(label, instruction, options)
        }
        return
      case 'arriveExpect': {
        const barrier = yield* barrierAt(op.barrier)
        const bytes = X.i32(op.units * p.unitBytes)
        yield* B.run(
          label,
          { _tag: 'mbarrier.arriveExpectTx', barrier, bytes, release: !op.relaxed, scope: p.scope },
          options,
        )
        return
      }
      case 'expect': {
        const barrier = yield* barrierAt(op.barrier)
        yield* B.run(
          label,
          { _tag: 'mbarrier.expectTx', barrier, bytes: X.i32(op.units * p.unitBytes) },
          options,
        )
        return
      }
      case 'wait': {
        const barrier = yield* ownBarrier(op.barrier)
        yield* B.run(
          label,
          {
            _tag: 'mbarrier.wait',
            barrier,
            parity: X.i32(op.parity),
            acquire: !op.relaxed,
            scope: p.scope,
          },
          options,
        )
        return
      }
      case 'load': {
        const descriptor = yield* lookup(p.descriptors, yield* globalOf(op.reads), 'a tensor')
        const names: string[] = []
        const targets: string[] = []
        for (const part of op.destinations) {
          const atom = yield* one(`${label}: atoms of a part`, part.atoms)
          const target = skeleton.barriers[part.barrier]!
          yield* need(
            atom._tag === 'smem' && atom.cta === target.cta,
            `${label}: a load signals in the CTA that it writes`,
          )
          yield* need(part.units === 1, `${label}: one unit per atom, found ${String(part.units)}`)
          names.push(nameOf(atom))
          targets.push(target.name)
        }
        yield* need(
          new Set(names).size === 1 && new Set(targets).size === 1,
          `${label}: the parts must be the same place in each CTA`,
        )
        const destination = yield* lookup(p.smem, names[0]!, 'in shared memory')
        const barrier = yield* lookup(p.barriers, nameOf({ _tag: 'gmem', name: targets[0]! }), 'a barrier')
        const ctas = op.destinations.map((part) => skeleton.barriers[part.barrier]!.cta)
        const coords = origin(p)
        yield* B.run(
          label,
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
          options,
        )
        return
      }
      case 'store': {
        const descriptor = yield* lookup(p.descriptors, yield* globalOf(op.writes), 'a tensor')
        yield* B.run(
          label,
          { _tag: 'tma.store', descriptor, coords: origin(p), source: yield* viewOf(op.reads) },
          options,
        )
        return
      }
      case 'bulkCommit':
        yield* B.run(label, { _tag: 'bulk.commitGroup' })
        return
      case 'bulkWait':
        yield* B.run(label, { _tag: 'bulk.waitGroup', pending: op.pending, read: op.side === 'read' })
        return
      case 'copy': {
        const tensor = yield* lookup(p.gmem, yield* globalOf(op.reads), 'a tensor')
        yield* B.run(
          label,
          { _tag: 'cpAsync.copy', source: pointers(p, tensor), destination: yield* viewOf(op.writes) },
          options,
        )
        return
      }
      case 'copyCommit':
        yield* B.run(label, { _tag: 'cpAsync.commitGroup' })
        return
      case 'copyWait':
        yield* B.run(label, { _tag: 'cpAsync.waitGroup', pending: op.pending })
        return
      case 'copyArrive':
        yield* B.run(label, {
          _tag: 'mbarrier.cpAsyncArrive',
          barrier: yield* ownBarrier(op.barrier),
          noIncrement: true,
        })
        return
      case 'wgmma': {
        const a = asMatrix(p, yield* smemOf(op.reads))
        const accumulator = yield* regsOf(yield* one(`${label}: accumulators`, op.writes))
        yield* B.run(label, { _tag: 'wgmma.fence' })
        yield* B.run(label, {
          _tag: 'wgmma.mma',
          accumulator,
          a,
          b: rightOperand(p, a),
          scaleD: X.i1(false),
          negateA: false,
          negateB: false,
        })
        return
      }
      case 'wgmmaCommit':
        yield* B.run(label, { _tag: 'wgmma.commitGroup' })
        return
      case 'wgmmaWait':
        yield* B.run(label, { _tag: 'wgmma.waitGroup', pending: op.pending })
        return
      case 'fence':
        yield* B.run(label, {
          _tag: 'fence.proxyAsync',
          scope: op.scope === 'global' ? 'global' : p.scope === 'cluster' ? 'cluster' : 'cta',
        })
        return
      case 'rendezvous': {
        yield* need(!op.tensor, `${label}: a rendezvous carries no tensor-core order by itself`)
        if (sameCta(skeleton, op.members)) {
          yield* need(!op.relaxed, `${label}: bar.sync is not relaxed`)
          yield* B.run(label, {
            _tag: 'bar.sync',
            id: yield* lookup(p.named, op.id, 'a rendezvous'),
            count: 128 * op.members.length,
          })
          return
        }
        yield* need(
          op.members.length === skeleton.agents.length,
          `${label}: the cluster barrier is one of all agents`,
        )
        yield* B.run(label, { _tag: 'cluster.arrive', relaxed: op.relaxed })
        yield* B.run(label, { _tag: 'cluster.wait' })
        return
      }
      case 'mma': {
        yield* need(op.tensorReads.length === 0, `${label}: the left operand is in shared memory`)
        const a = asMatrix(p, yield* smemOf(op.reads))
        yield* B.run(label, {
          _tag: 'tcgen05.mma',
          accumulator: yield* tmemOf(op.writes),
          a,
          b: rightOperand(p, a),
          accumulate: X.i1(false),
          ctaGroup: 1,
          completions: [],
        })
        return
      }
      case 'commit': {
        const targets = op.barriers.map((b) => skeleton.barriers[b]!)
        yield* need(
          new Set(targets.map((b) => b.name)).size === 1,
          `${label}: a commit arrives on one barrier, in each CTA of a mask`,
        )
        const barrier = yield* lookup(
          p.ordering,
          nameOf({ _tag: 'gmem', name: targets[0]!.name }),
          'a barrier with tensor-core order',
        )
        yield* B.run(
          label,
          targets.length === 1 && targets[0]!.cta === cta
            ? { _tag: 'tcgen05.commit', barrier, ctaGroup: 1 }
            : {
                _tag: 'tcgen05.commit',
                barrier,
                multicast: maskOf(targets.map((b) => b.cta)),
                ctaGroup: 1,
              },
        )
        return
      }
      case 'tensorLoad':
        yield* B.run(label, {
          _tag: 'tcgen05.ld',
          source: yield* tmemOf(op.atoms),
          destination: yield* lookup(p.regs, landing(x, i), 'in registers'),
        })
        return
      case 'tensorStore':
        yield* B.run(label, {
          _tag: 'tcgen05.st',
          destination: yield* tmemOf(op.atoms),
          value: zeroAccumulator(p),
        })
        return
      case 'waitLoads':
        yield* B.run(label, { _tag: 'tcgen05.waitLd' })
        return
      case 'waitStores':
        yield* B.run(label, { _tag: 'tcgen05.waitSt' })
        return
      case 'fenceBefore':
        yield* B.run(label, { _tag: 'tcgen05.fenceBefore' })
        return
      case 'fenceAfter':
        yield* B.run(label, { _tag: 'tcgen05.fenceAfter' })
        return
      case 'dealloc':
        yield* B.run(label, { _tag: 'tcgen05.dealloc', columns: tmemColumns(p), ctaGroup: 1 })
    }
  })

/** The smallest allocation that holds all accumulators. */
const tmemColumns = (p: Places): number => {
  let columns = 32
  while (columns < p.tmem.size * p.sizes.accumulator[1]) columns *= 2
  return columns
}

// ---------------------------------------------------------------- programs

/** The prologue of one CTA, run by its first agent. */
const prologue = (skeleton: Skeleton, p: Places, cta: number): Build<void> =>
  B.block(function* () {
    for (const { name, cta: home, count } of skeleton.barriers)
      if (home === cta) {
        const barrier = yield* lookup(p.barriers, nameOf({ _tag: 'gmem', name }), 'a barrier')
        yield* B.run(`init ${name}`, { _tag: 'mbarrier.init', barrier, count })
      }
    for (const [name, destination] of p.smem)
      yield* B.run(`init ${name}`, { _tag: 'smem.store', destination, value: zeros(p) })
    yield* B.run('init fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
    yield* B.run('init barriers', { _tag: 'fence.mbarrierInit' })
    if (p.tmem.size > 0) {
      yield* B.run('alloc', { _tag: 'tcgen05.alloc', columns: tmemColumns(p), ctaGroup: 1 })
      yield* B.run('relinquish', { _tag: 'tcgen05.relinquish', ctaGroup: 1 })
      for (const [name, destination] of p.tmem)
        yield* B.run(`init ${name}`, { _tag: 'tcgen05.st', destination, value: zeroAccumulator(p) })
      yield* B.run('init wait', { _tag: 'tcgen05.waitSt' })
      yield* B.run('init before', { _tag: 'tcgen05.fenceBefore' })
    }
  })

/** An accumulator that is read generically is first written: its reader may come before any product. */
const accumulators = (skeleton: Skeleton, p: Places, x: number): Build<void> =>
  B.block(function* () {
    const read = new Set<string>()
    for (const op of skeleton.agents[x]!.ops)
      for (const atom of op._tag === 'read' ? footprint(op).reads : [])
        if (atom._tag === 'regs') read.add(registerName(atom.agent, nameOf(atom)))
    for (const id of read) {
      const destination = yield* lookup(p.regs, id, 'in registers')
      yield* B.run(`init ${id}`, { _tag: 'regs.write', destination, value: zeroAccumulator(p) })
    }
    if (read.size > 0) {
      yield* B.run('init registers', { _tag: 'wgmma.fence' })
      yield* B.run('init registers', { _tag: 'fence.proxyAsync', scope: 'cta' })
    }
  })

/** Events of a straight line of statements: a bar.sync arrives and leaves, a statement that is off has none. */
const eventsOf = (stmt: Stmt): number =>
  stmt._tag !== 'Do' || stmt.when !== undefined ? 0 : stmt.instruction._tag === 'bar.sync' ? 2 : 1

/** Numbers the events of one agent: `runs` says which branches of the entry are its own. */
const number = (
  program: Program,
  runs: (label: string) => boolean,
  x: number,
  ops: number,
): ReadonlyArray<ReadonlyArray<number>> => {
  const events: number[][] = Array.from({ length: ops }, () => [])
  let at = 0
  for (const stmt of program.entry.body) {
    const body = stmt._tag === 'If' ? (runs(stmt.site.label) ? stmt.then.body : []) : [stmt]
    for (const inner of body) {
      const [owner, op] = (inner.site.label.split(' ')[0] ?? '').split('.')
      for (let k = eventsOf(inner); k > 0; k--) {
        at += 1
        if (owner === String(x)) events[Number(op)]?.push(at)
      }
    }
  }
  return events
}

/** The program of a skeleton, or why there is none. */
export const embed = (skeleton: Skeleton): E.Either<Failure, Embedded> => {
  const sizes = sizesOf(skeleton)
  if (E.isLeft(sizes)) return sizes
  const ctas = Math.max(0, ...skeleton.agents.map((agent) => agent.cta)) + 1
  const members = Array.from({ length: ctas }, (_, cta) =>
    skeleton.agents.flatMap((agent, x) => (agent.cta === cta ? [x] : [])),
  )
  const perCta = Math.max(1, ...members.map((of) => of.length))
  const placeOf = (x: number): number => members[skeleton.agents[x]!.cta]!.indexOf(x)
  const machineName = (x: number): string => `wg${String(placeOf(x))}`
  const body = function* (): Generator<B.Step, void, B.State> {
    const p = yield* declare(skeleton, sizes.right, machineName)
    const isCta = (cta: number): X.Condition =>
      ctas === 1 ? X.i1(true) : X.eq(X.place('ctaRank'), X.i32(cta))
    const isAgent = (k: number): X.Condition => X.eq(X.place('agent'), X.i32(k))
    for (let cta = 0; cta < ctas; cta++)
      yield* B.ifThen(`prologue of CTA ${String(cta)}`, X.and(isCta(cta), isAgent(0)), () =>
        prologue(skeleton, p, cta),
      )
    if (perCta > 1) yield* B.run('meet', { _tag: 'bar.sync', id: 0, count: 128 * perCta })
    if (ctas > 1) {
      yield* B.run('meet', { _tag: 'cluster.arrive', relaxed: false })
      yield* B.run('meet', { _tag: 'cluster.wait' })
    }
    if (p.tmem.size > 0) yield* B.run('meet', { _tag: 'tcgen05.fenceAfter' })
    for (const [x, agent] of skeleton.agents.entries())
      yield* B.ifThen(`agent ${String(x)}`, X.and(isCta(agent.cta), isAgent(placeOf(x))), function* () {
        yield* accumulators(skeleton, p, x)
        for (let i = 0; i < agent.ops.length; i++) yield* statements(skeleton, p, x, i)
      })
    // an agent that the skeleton does not have still belongs to the cluster barrier
    for (let cta = 0; cta < ctas; cta++)
      for (let k = members[cta]!.length; k < perCta; k++)
        yield* B.ifThen(`idle ${String(k)}@${String(cta)}`, X.and(isCta(cta), isAgent(k)), function* () {
          for (const op of skeleton.agents[0]!.ops)
            if (op._tag === 'rendezvous' && !sameCta(skeleton, op.members)) {
              yield* B.run('idle', { _tag: 'cluster.arrive', relaxed: op.relaxed })
              yield* B.run('idle', { _tag: 'cluster.wait' })
            }
        })
  }
  const program = B.kernel(
    {
      name: 'skeleton',
      arch: sizes.right.arch,
      grid: [ctas],
      cluster: [ctas],
      agents: Array.from({ length: perCta }, (_, k) => B.warpgroup(`wg${String(k)}`, k)),
    },
    body,
  )
  if (E.isLeft(program)) return program
  return E.right({
    program: program.right,
    agents: skeleton.agents.map((agent, x) => agent.cta * perCta + placeOf(x)),
    events: skeleton.agents.map((agent, x) =>
      number(
        program.right,
        (label) =>
          label === `agent ${String(x)}` ||
          (placeOf(x) === 0 && label === `prologue of CTA ${String(agent.cta)}`),
        x,
        agent.ops.length,
      ),
    ),
    unitBytes: 2 * sizes.right.shape.reduce((n, extent) => n * extent, 1),
  })
}
