/**
 * Operations of a skeleton, as statements of a program.
 *
 *     skeleton          program
 *     write atom        a store of a tile of zeros
 *     arrive            one mbarrier.arrive for each barrier that it names
 *     peek, wait        mbarrier.test, and a wait that its outcome may spare: by a predicate, a branch, or the other side of a branch
 *
 * A test is written in several ways (at once, through a let, around a loop, out of a branch), chosen by its label: a machine that knows only one of them is then found.
 *
 * Law 1. An operation that is off becomes the same statements under a condition that is false.
 */
import { unreachable } from '../../../failure.js'
import * as X from '../../language/expression.js'
import type { Barrier, Condition, Descriptor, Int, Tile, View } from '../../language/expression.js'
import type { Instruction, TensorBarrier } from '../../language/instruction.js'
import { region, site, type Do, type Site, type Stmt } from '../../language/program.js'
import { scalar, type PtrIndex, type TileType } from '../../language/types.js'
import { isOn, peekOf, type Atoms } from './skeleton.js'
import { nameOf, source, mapOf, registerName, landing, type Kit, type Plan } from './embed-kit.js'
import { sameCta, labelOf } from './embed-obstacles.js'

const maskOf = (ctas: ReadonlyArray<number>): Int => X.i32(ctas.reduce((m, cta) => m | (1 << cta), 0))

export const smemView = (atoms: Atoms): View<'smem', 'f16'> =>
  X.storage<{ view: { space: 'smem'; dtype: 'f16'; rank: number } }>(nameOf(atoms[0]!.name))
export const tmemView = (atoms: Atoms): View<'tmem', 'f32', 2> =>
  X.storage<{ view: { space: 'tmem'; dtype: 'f32'; rank: 2 } }>(nameOf(atoms[0]!.name))
export const regsView = (id: string): View<'regs', 'f32', 2> =>
  X.storage<{ view: { space: 'regs'; dtype: 'f32'; rank: 2 } }>(id)
const globalName = (atoms: Atoms): string => (atoms.length === 0 ? source : nameOf(atoms[0]!.name))
const mapOfAtoms = (atoms: Atoms): Descriptor<'f16'> => X.descriptor(mapOf(globalName(atoms)))
export const localBarrier = (name: string): Barrier =>
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

export const never: Condition = X.i1(false)

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
export const tmemColumns = (p: Plan): number => {
  const used = accumulatorsIn(p) * p.kit.accumulator[1]
  let columns = 32
  while (columns < used) columns *= 2
  return columns
}

export const accumulatorsIn = (p: Plan): number => {
  let count = 0
  for (const { space } of p.storage.values()) if (space === 'tmem') count += 1
  return count
}

export const run = (label: string, path: ReadonlyArray<string>, instruction: Instruction): Do => ({
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
export const statements = (
  p: Plan,
  x: number,
  i: number,
  path: ReadonlyArray<string>,
): ReadonlyArray<Stmt> => {
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
