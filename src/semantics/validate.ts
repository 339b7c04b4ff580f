/**
 * Validation: which programs have a meaning at all.
 *
 * A program that comes from a file, from a mutation or from a builder is a plain tree. Validation decides everything about it that
 * does not need a run, and gives it back with its indices: the only way from a tree to a `Program`.
 *
 * | rule                                                                       | code            |
 * |----------------------------------------------------------------------------|-----------------|
 * | a name is bound once, and used where it is in scope; a branch of a fork sees only its captures | name.* |
 * | operands, results, conditions, bounds and yields have the types that are expected | type.*      |
 * | tiles in registers have the layouts that are expected                       | L2              |
 * | storages fit: 227 KiB of shared memory; 512 columns of tensor memory        | A1, T3          |
 * | a swizzled storage starts at a multiple of the swizzle's period             | A3              |
 * | tensor maps: box <= 256, inner bytes, strides; 128-byte aligned destinations| A4              |
 * | a tensor core arrives only on barriers that order it                        | M5              |
 * | counts of barriers and rendezvous, columns of an allocation                 | barrier.*, T3   |
 * | shapes, dtypes and layouts of the operands of an MMA                        | mma.*           |
 * | agents: distinct, their warps disjoint or nested; forks start idle ones      | agent.*         |
 *
 * A failure is one line: where (path and label of the statement), what, expected, found.
 *
 * Laws
 * 1. Sound: an accepted program has a type for every expression, and every name it uses is bound on the way to it.
 * 2. Accepting is invariant under `encodeProgram`, `decodeProgram`.
 * 3. Validation changes nothing: the program that comes out is the one that went in.
 *
 * Source: PTX ISA 9, the restrictions of each instruction; CUDA driver API, tensor map encoding.
 */
import * as E from 'fp-ts/lib/Either.js'
import { type Failure, failure } from '../failure.js'
import { bitsOf, type Dtype } from '../numerics/dtype.js'
import { mmaOperand } from '../transforms/mma-operand.js'
import { sameShape, showShape, sizeOf } from '../transforms/shape.js'
import type { ExprNode } from './expression.js'
import { checked } from './index-types.js'
import type { Instruction } from './instruction.js'
import { checkLimits, extentOf, tmemColumns, usedOf } from './place.js'
import type { Agent, Binder, Branch, DescriptorParam, Do, Fork, Program, Region, Stmt } from './program.js'
import { programSchema } from './program.js'
import { elementOf, type OperandKind, operandsOf, resultTypes } from './signature.js'
import {
  accepts,
  baseOf,
  bind,
  type Binding,
  bindingOf,
  checkType,
  constantOf,
  type Declarations,
  descriptorOf,
  type Environment,
  mismatch,
  type Names,
  noNames,
  showType,
  storageType,
  type TypeErrorCode,
  typeOf,
} from './typecheck.js'
import type { TileType, Type, ViewType } from './types.js'
import { i1, i32, ptr, tile } from './types.js'

// ---------------------------------------------------------------- model

/** A structure without the phantom indices of its expressions: what a decoded program is before it is checked. */
export type Unindexed<T> = T extends ExprNode
  ? ExprNode
  : T extends string | number | boolean | Type
    ? T
    : { readonly [K in keyof T]: Unindexed<T[K]> }

export type ProgramShape = Unindexed<Program>
export type InstructionShape = Unindexed<Instruction>

export type ValidationCode =
  | TypeErrorCode
  | 'name.bound-twice'
  | 'agent.unknown'
  | 'agent.duplicate'
  | 'agent.warps'
  | 'agent.fork'
  | 'launch.grid'
  | 'param.shape'
  | 'storage.overlap'
  | 'storage.owner'
  | 'barrier.count'
  | 'barrier.id'
  | 'registers.count'
  | 'arch'
  | 'mma.shape'
  | 'mma.dtype'
  | 'mma.agent'
  | 'mma.unsupported-transforms'
  | 'A1'
  | 'A3'
  | 'A4'
  | 'M5'
  | 'T3'

type Problem = Failure<ValidationCode>
type Checked = Problem | null

interface Scene {
  readonly program: Program
  readonly declarations: Declarations
  readonly agents: ReadonlyMap<string, Agent>
  /** every name bound so far; grows during the one walk that this module makes */
  readonly bound: Set<string>
}

/** Where a statement stands. */
interface Here {
  readonly scene: Scene
  readonly names: Names
  /** the agents that may run it */
  readonly runners: ReadonlyArray<Agent>
  /** agents busy outside: a fork may not start them */
  readonly busy: ReadonlyArray<string>
}

const no = (code: ValidationCode, message: string): Problem => failure(code, message)

const first = (checks: ReadonlyArray<() => Checked>): Checked => {
  for (const check of checks) {
    const problem = check()
    if (problem !== null) return problem
  }
  return null
}
const each = <A>(list: ReadonlyArray<A>, check: (a: A, k: number) => Checked): Checked => {
  for (const [k, a] of list.entries()) {
    const problem = check(a, k)
    if (problem !== null) return problem
  }
  return null
}

const environment = (here: Here): Environment => ({
  declarations: here.scene.declarations,
  names: here.names,
})

const isNat = (n: number): boolean => Number.isSafeInteger(n) && n >= 0

// ---------------------------------------------------------------- names and types

/** Binds a name once. The new scope, or why not. */
const bindIn = (here: Here, binder: Binder, binding: Binding): Here | Problem => {
  if (here.scene.bound.has(binder.name))
    return no('name.bound-twice', `The name ${binder.name} is bound twice: names are bound once in a program`)
  here.scene.bound.add(binder.name)
  const type = checkType(binder.type)
  if (E.isLeft(type)) return no(type.left.code, `${binder.name}: ${type.left.message}`)
  return {
    scene: here.scene,
    names: bind(here.names, binder.name, binding),
    runners: here.runners,
    busy: here.busy,
  }
}
const isProblem = (value: Here | Problem): value is Problem => 'code' in value

const bindAll = (here: Here, binders: ReadonlyArray<Binder>): Here | Problem => {
  let at = here
  for (const binder of binders) {
    const next = bindIn(at, binder, { type: binder.type })
    if (isProblem(next)) return next
    at = next
  }
  return at
}

const expect = (here: Here, what: string, expr: ExprNode, expected: Type): Checked => {
  const found = typeOf(environment(here))(expr)
  if (E.isLeft(found)) return no(found.left.code, `${what}: ${found.left.message}`)
  return accepts(expected, found.right) ? null : mismatch(what, expected, found.right)
}

const expectAll = (
  here: Here,
  what: string,
  exprs: ReadonlyArray<ExprNode>,
  expected: ReadonlyArray<Type>,
): Checked =>
  exprs.length === expected.length
    ? each(exprs, (expr, k) => expect(here, `${what} ${String(k)}`, expr, expected[k]!))
    : no(
        'type.mismatch',
        `${what}: expected ${String(expected.length)} values, found ${String(exprs.length)}`,
      )

const typesOf = (binders: ReadonlyArray<Binder>): ReadonlyArray<Type> => binders.map(({ type }) => type)

const sameTypes = (what: string, binders: ReadonlyArray<Binder>, expected: ReadonlyArray<Type>): Checked =>
  binders.length === expected.length
    ? each(binders, ({ name, type }, k) =>
        accepts(expected[k]!, type) ? null : mismatch(`${what} ${name}`, expected[k]!, type),
      )
    : no('type.mismatch', `${what}: expected ${String(expected.length)}, found ${String(binders.length)}`)

// ---------------------------------------------------------------- operands

const showKind = (kind: OperandKind): string => {
  switch (kind._tag) {
    case 'scalar':
      return kind.dtype
    case 'view':
      return `a view in ${kind.spaces.join(' or ')}${kind.rank === 'any' ? '' : ` of rank ${String(kind.rank)}`}${kind.dtypes === 'any' ? '' : ` of ${kind.dtypes.join(', ')}`}`
    case 'barrier':
      return kind.ordersTensorCore ? 'a barrier that orders the tensor core' : 'a barrier'
    case 'descriptor':
      return 'a descriptor'
    case 'ptr':
      return 'a pointer'
    case 'tile':
      return `a tile of ${kind.element === 'scalar' ? 'numbers' : kind.element === 'ptr' ? 'pointers' : kind.element}${kind.rank === 'any' ? '' : ` of rank ${String(kind.rank)}`}`
  }
}

const isOfKind = (kind: OperandKind, type: Type): boolean => {
  switch (kind._tag) {
    case 'scalar':
      return type._tag === 'scalar' && type.dtype === kind.dtype
    case 'view':
      return (
        type._tag === 'view' &&
        kind.spaces.includes(type.space) &&
        (kind.rank === 'any' || kind.rank === type.layout.shape.length) &&
        (kind.dtypes === 'any' || kind.dtypes.includes(type.dtype))
      )
    case 'barrier':
      return (
        type._tag === 'barrier' &&
        type.shape.length === 0 &&
        (!kind.ordersTensorCore || type.ordersTensorCore)
      )
    case 'descriptor':
      return type._tag === 'descriptor'
    case 'ptr':
      return type._tag === 'ptr'
    case 'tile':
      return (
        type._tag === 'tile' &&
        (kind.rank === 'any' || kind.rank === type.shape.length) &&
        (kind.element === 'ptr'
          ? type.element._tag === 'ptr'
          : type.element._tag === 'scalar' &&
            (kind.element === 'scalar' || kind.element === type.element.dtype))
      )
  }
}

const wrongKind = (field: string, kind: OperandKind, type: Type): Problem =>
  no(
    kind._tag === 'barrier' && kind.ordersTensorCore && type._tag === 'barrier' && type.shape.length === 0
      ? 'M5'
      : 'type.mismatch',
    `${field}: expected ${showKind(kind)}, found ${showType(type)}`,
  )

/** The types of the operands by field. */
interface Operands {
  readonly type: (field: string) => Type | undefined
  readonly view: (field: string) => ViewType | undefined
  readonly tile: (field: string) => TileType | undefined
  readonly expr: (field: string) => ExprNode | undefined
}

const operands = (here: Here, instruction: Instruction): Operands | Problem => {
  const types = new Map<string, Type>()
  const exprs = new Map<string, ExprNode>()
  for (const { field, expr, kind } of operandsOf(instruction)) {
    const type = typeOf(environment(here))(expr)
    if (E.isLeft(type)) return no(type.left.code, `${field}: ${type.left.message}`)
    if (!isOfKind(kind, type.right)) return wrongKind(field, kind, type.right)
    types.set(field, type.right)
    exprs.set(field, expr)
  }
  return {
    type: (field) => types.get(field),
    view: (field) => {
      const type = types.get(field)
      return type?._tag === 'view' ? type : undefined
    },
    tile: (field) => {
      const type = types.get(field)
      return type?._tag === 'tile' ? type : undefined
    },
    expr: (field) => exprs.get(field),
  }
}

// ---------------------------------------------------------------- rules of single instructions

const shapeLike = (what: string, field: string, found: TileType | undefined, expected: Type): Checked =>
  found === undefined || accepts(expected, found) ? null : mismatch(`${what}: ${field}`, expected, found)

/** A value that goes into a view has its shape, and its elements once they are in registers. */
const fits = (operand: Operands, view: string, value: string): Checked => {
  const into = operand.view(view)
  const found = operand.tile(value)
  return into === undefined || found === undefined
    ? null
    : shapeLike(`into ${showType(into)}`, value, found, tile(into.layout.shape, elementOf(into.dtype), 'any'))
}

const barrierCount = (count: number): Checked =>
  isNat(count) && count >= 1 && count < 2 ** 20
    ? null
    : no(
        'barrier.count',
        `count: a barrier counts from 1 to ${String(2 ** 20 - 1)} arrivals, found ${String(count)}`,
      )

const rendezvous = (id: number, count: number): Checked =>
  !isNat(id) || id > 15
    ? no('barrier.id', `id: there are 16 named barriers, found ${String(id)}`)
    : isNat(count) && count > 0 && count % 32 === 0 && count <= 1024
      ? null
      : no('barrier.count', `count: expected a multiple of 32 threads up to 1024, found ${String(count)}`)

/** A4 where it can be known: some copy through this view is not 128-byte aligned. */
const aligned = (here: Here, operand: Operands, field: string): Checked => {
  const expr = operand.expr(field)
  const base = expr === undefined ? undefined : baseOf(environment(here))(expr)
  if (base === undefined || (base.offset % 128 === 0 && base.step % 128 === 0)) return null
  return no(
    'A4',
    `${field}: a bulk tensor copy needs shared memory aligned to 128 bytes, found a view at ${String(base.offset)}${base.step === 0 ? '' : ` plus multiples of ${String(base.step)}`} bytes`,
  )
}

const copyRules = (
  here: Here,
  operand: Operands,
  field: string,
  coords: number | null,
  size: number | null,
): Checked => {
  const type = operand.type('descriptor')
  const view = operand.view(field)
  const expr = operand.expr('descriptor')
  if (type?._tag !== 'descriptor' || view === undefined || expr === undefined) return null
  const param = descriptorOf(environment(here))(expr)
  const elements = param === undefined ? null : sizeOf(param.box)
  return first([
    () =>
      coords === null || coords === type.rank
        ? null
        : no(
            'type.shape',
            `coords: a descriptor of rank ${String(type.rank)} needs as many coordinates, found ${String(coords)}`,
          ),
    () =>
      view.dtype === type.dtype
        ? null
        : no(
            'type.mismatch',
            `${field}: expected ${type.dtype} as in the descriptor, found ${showType(view)}`,
          ),
    () =>
      size === null || elements === null || elements === sizeOf(view.layout.shape)
        ? null
        : no(
            'type.shape',
            `${field}: the box ${showShape(param!.box)} has ${String(elements)} elements, found ${showType(view)}`,
          ),
    () => aligned(here, operand, field),
  ])
}

const notNegative = (coords: ReadonlyArray<ExprNode>): Checked =>
  each(coords, (coord, k) => {
    const at = constantOf(coord)
    return at !== undefined && at < 0
      ? no('A4', `coords[${String(k)}]: a store starts at 0 or more, found ${String(at)}`)
      : null
  })

const eightBit: ReadonlyArray<Dtype> = ['e4m3', 'e5m2']
const accumulates = (accumulator: Dtype, a: Dtype, b: Dtype): boolean => {
  if (eightBit.includes(a) && eightBit.includes(b)) return accumulator === 'f32' || accumulator === 'f16'
  if ((a === 'i8' || a === 'u8') && (b === 'i8' || b === 'u8')) return accumulator === 'i32'
  if (a !== b) return false
  switch (a) {
    case 'f16':
      return accumulator === 'f32' || accumulator === 'f16'
    case 'bf16':
    case 'tf32':
    case 'f32':
    case 'e2m1':
    case 'e2m3':
    case 'e3m2':
      return accumulator === 'f32'
    default:
      return false
  }
}

/** Shared operands must be what a matrix descriptor can describe. */
const legalOperand = (side: 'a' | 'b', view: ViewType): Checked => {
  if (view.space !== 'smem') return null
  const operand = mmaOperand(side)(view.layout)
  if (E.isLeft(operand)) return no(operand.left.code, operand.left.message)
  return operand.right.major === 'mn' && bitsOf(view.dtype) !== 16
    ? no(
        'mma.unsupported-transforms',
        `${side}: only 16-bit operands may be contiguous along ${side === 'a' ? 'M' : 'N'}, found ${showType(view)}`,
      )
    : null
}

const matmulShapes = (
  operand: Operands,
  rows: (m: number) => boolean,
  rowsText: string,
  maxColumns: number,
  split: 1 | 2,
  exactK: boolean,
): Checked => {
  const accumulator = operand.view('accumulator')
  const a = operand.view('a')
  const b = operand.view('b')
  if (accumulator === undefined || a === undefined || b === undefined) return null
  const [m = 0, n = 0] = accumulator.layout.shape
  const k = b.layout.shape[0] ?? 0
  const kStep = 256 / Math.min(32, bitsOf(a.dtype))
  const wanted = exactK ? [m, k] : [m, a.layout.shape[1] ?? 0]
  return first([
    () =>
      sameShape(a.layout.shape, wanted) && sameShape(b.layout.shape, [k, n / split])
        ? null
        : no(
            'mma.shape',
            `accumulator ${showShape([m, n])} = a (${String(m)}, k) x b (k, ${String(n / split)}), found a ${showShape(a.layout.shape)} and b ${showShape(b.layout.shape)}`,
          ),
    () => (rows(m) ? null : no('mma.shape', `M must be ${rowsText}, found ${String(m)}`)),
    () =>
      n % 8 === 0 && n <= maxColumns
        ? null
        : no('mma.shape', `N must be a multiple of 8 up to ${String(maxColumns)}, found ${String(n)}`),
    () =>
      k % kStep === 0
        ? null
        : no('mma.shape', `K of ${a.dtype} must be a multiple of ${String(kStep)}, found ${String(k)}`),
    () =>
      accumulates(accumulator.dtype, a.dtype, b.dtype)
        ? null
        : no('mma.dtype', `no tensor core multiplies ${a.dtype} by ${b.dtype} into ${accumulator.dtype}`),
    () => legalOperand('a', a),
    () => legalOperand('b', b),
  ])
}

const pointerTile = (
  operand: Operands,
  field: string,
):
  | { readonly shape: ReadonlyArray<number>; readonly layout: TileType['layout']; readonly dtype: Dtype }
  | undefined => {
  const type = operand.tile(field)
  return type?.element._tag === 'ptr'
    ? { shape: type.shape, layout: type.layout, dtype: type.element.dtype }
    : undefined
}

const throughPointers = (operand: Operands, field: string, values: ReadonlyArray<string>): Checked => {
  const at = pointerTile(operand, field)
  return at === undefined
    ? null
    : first([
        () => shapeLike(field, 'mask', operand.tile('mask'), tile(at.shape, i1, at.layout)),
        () =>
          each(values, (value) =>
            shapeLike(field, value, operand.tile(value), tile(at.shape, elementOf(at.dtype), at.layout)),
          ),
      ])
}

const rule = (here: Here, instruction: Instruction, operand: Operands): Checked => {
  switch (instruction._tag) {
    case 'mbarrier.init':
    case 'mbarrier.arrive':
    case 'mbarrier.arriveDrop':
      return barrierCount(instruction.count)
    case 'bar.sync':
    case 'bar.arrive':
      return rendezvous(instruction.id, instruction.count)
    case 'tma.load':
      return copyRules(here, operand, 'destination', instruction.coords.length, 1)
    case 'tma.gather':
      return copyRules(here, operand, 'destination', null, null)
    case 'tma.store':
    case 'tma.reduce':
      return first([
        () => copyRules(here, operand, 'source', instruction.coords.length, 1),
        () => notNegative(instruction.coords),
      ])
    case 'tma.scatter':
      return copyRules(here, operand, 'source', null, null)
    case 'tma.prefetch': {
      const type = operand.type('descriptor')
      return type?._tag !== 'descriptor' || type.rank === instruction.coords.length
        ? null
        : no(
            'type.shape',
            `coords: expected ${String(type.rank)}, found ${String(instruction.coords.length)}`,
          )
    }
    case 'tensormap.create':
      return instruction.dims.length === instruction.box.length &&
        instruction.strides.length === instruction.box.length
        ? boxRules('box', instruction.box, instruction.dtype, instruction.swizzle)
        : no(
            'param.shape',
            `dims, strides and box must have one rank, found ${String(instruction.dims.length)}, ${String(instruction.strides.length)} and ${String(instruction.box.length)}`,
          )
    case 'smem.store':
    case 'gmem.store':
    case 'regs.write':
    case 'tcgen05.st':
    case 'stAsync.store':
      return fits(operand, 'destination', 'value')
    case 'smem.atomic':
      return first([
        () => fits(operand, 'destination', 'value'),
        () => fits(operand, 'destination', 'compare'),
        () => casNeedsCompare(instruction.op, instruction.compare !== undefined),
      ])
    case 'gmem.loadPtr':
      return throughPointers(operand, 'source', ['other'])
    case 'gmem.storePtr':
      return throughPointers(operand, 'destination', ['value'])
    case 'gmem.atomicPtr':
      return first([
        () => throughPointers(operand, 'destination', ['value', 'compare']),
        () => casNeedsCompare(instruction.op, instruction.compare !== undefined),
      ])
    case 'cpAsync.copy': {
      const from = pointerTile(operand, 'source')
      const into = operand.view('destination')
      if (from === undefined || into === undefined) return null
      return first([
        () => throughPointers(operand, 'source', []),
        () =>
          from.dtype === into.dtype && sameShape(from.shape, into.layout.shape)
            ? null
            : no(
                'type.mismatch',
                `source: expected pointers to ${into.dtype} of shape ${showShape(into.layout.shape)}, found ${showType(tile(from.shape, ptr(from.dtype), 'any'))}`,
              ),
      ])
    }
    case 'wgmma.fence':
    case 'wgmma.commitGroup':
    case 'wgmma.waitGroup':
      return first([
        () => onArch(here, instruction._tag, 'sm90a'),
        () => wholeWarpgroups(here, instruction._tag),
      ])
    case 'wgmma.mma':
      return first([
        () => onArch(here, instruction._tag, 'sm90a'),
        () => wholeWarpgroups(here, instruction._tag),
        () => matmulShapes(operand, (m) => m > 0 && m % 64 === 0, 'a multiple of 64', 256, 1, true),
      ])
    case 'tcgen05.mma':
      return first([
        () => onArch(here, instruction._tag, 'sm100a'),
        () =>
          matmulShapes(
            operand,
            (m) => m === 64 || m === 128 || (instruction.ctaGroup === 2 && m === 256),
            '64 or 128 in each CTA',
            512,
            instruction.ctaGroup,
            instruction.sparsity === undefined,
          ),
      ])
    case 'tcgen05.alloc':
    case 'tcgen05.dealloc':
      return first([
        () => onArch(here, instruction._tag, 'sm100a'),
        () =>
          [32, 64, 128, 256, 512].includes(instruction.columns)
            ? null
            : no(
                'T3',
                `columns: expected a power of two from 32 to ${String(tmemColumns)}, found ${String(instruction.columns)}`,
              ),
      ])
    case 'tcgen05.ld': {
      const from = operand.view('source')
      const into = operand.view('destination')
      return first([
        () => onArch(here, instruction._tag, 'sm100a'),
        () =>
          from === undefined ||
          into === undefined ||
          (from.dtype === into.dtype && sameShape(from.layout.shape, into.layout.shape))
            ? null
            : no(
                'type.mismatch',
                `destination: expected ${from.dtype} ${showShape(from.layout.shape)} as in the source, found ${showType(into)}`,
              ),
      ])
    }
    case 'tcgen05.relinquish':
    case 'tcgen05.commit':
    case 'tcgen05.cp':
    case 'tcgen05.shift':
    case 'tcgen05.waitLd':
    case 'tcgen05.waitSt':
    case 'tcgen05.fenceBefore':
    case 'tcgen05.fenceAfter':
    case 'clc.tryCancel':
    case 'clc.query':
      return onArch(here, instruction._tag, 'sm100a')
    case 'setMaxRegisters':
      return instruction.count % 8 === 0 && instruction.count >= 24 && instruction.count <= 256
        ? null
        : no(
            'registers.count',
            `count: expected a multiple of 8 from 24 to 256, found ${String(instruction.count)}`,
          )
    default:
      return null
  }
}

const casNeedsCompare = (op: string, given: boolean): Checked =>
  (op === 'cas') === given
    ? null
    : no('type.mismatch', `compare: ${op === 'cas' ? 'a compare-and-swap needs it' : `${op} takes none`}`)

const onArch = (here: Here, name: string, arch: Program['arch']): Checked =>
  here.scene.program.arch === arch
    ? null
    : no('arch', `${name} exists on ${arch} only, found a program for ${here.scene.program.arch}`)

const wholeWarpgroups = (here: Here, name: string): Checked =>
  each(here.runners, (agent) =>
    agent.warps % 4 === 0
      ? null
      : no(
          'mma.agent',
          `${name} is run by whole warpgroups, found agent ${agent.name} of ${String(agent.warps)} warps`,
        ),
  )

/** A register storage belongs to one agent. */
const ownRegisters = (here: Here, field: string, expr: ExprNode): Checked => {
  if (expr._tag === 'storage') {
    const owner = here.scene.declarations.storage.get(expr.storage)?.owner
    return owner === undefined || owner === 'cta' || here.runners.some(({ name }) => name === owner.agent)
      ? null
      : no(
          'storage.owner',
          `${field}: registers ${expr.storage} belong to ${owner.agent}, found in the code of ${here.runners.map(({ name }) => name).join(', ')}`,
        )
  }
  return expr._tag === 'slot' ||
    expr._tag === 'slice' ||
    expr._tag === 'transposeView' ||
    expr._tag === 'reshapeView' ||
    expr._tag === 'reinterpret'
    ? ownRegisters(here, field, expr.of)
    : null
}

// ---------------------------------------------------------------- statements

const atSite = (stmt: Stmt, problem: Problem): Problem => {
  const where = [...stmt.site.path, stmt.site.label].join(' / ')
  const loc = stmt.site.loc === undefined ? '' : ` (${stmt.site.loc})`
  const what = stmt._tag === 'Do' ? `${stmt.instruction._tag}, ` : ''
  return no(problem.code, `${where}${loc}: ${what}${problem.message}`)
}

const validateDo = (here: Here, stmt: Do): Here | Problem => {
  const found = operands(here, stmt.instruction)
  if ('code' in found) return found
  const problem = first([
    () => (stmt.when === undefined ? null : expect(here, 'when', stmt.when, i1)),
    () => rule(here, stmt.instruction, found),
    () => each(operandsOf(stmt.instruction), ({ field, expr }) => ownRegisters(here, field, expr)),
    () => {
      if (stmt.results.length === 0) return null
      const results = resultTypes(stmt.instruction, found.type)
      return results === undefined ? null : sameTypes('result', stmt.results, results)
    },
  ])
  return problem ?? bindAll(here, stmt.results)
}

const validateRegion = (
  here: Here,
  region: Region,
  params: ReadonlyArray<Type>,
  yields: ReadonlyArray<Type>,
): Checked => {
  const wrong = sameTypes('a parameter of the region', region.params, params)
  if (wrong !== null) return wrong
  const entered = bindAll(here, region.params)
  return isProblem(entered) ? entered : validateBody(entered, region, yields)
}

const validateBody = (here: Here, region: Region, yields: ReadonlyArray<Type>): Checked => {
  let at = here
  for (const stmt of region.body) {
    const next = validateStmt(at, stmt)
    // An inner statement has said where it is already.
    if (isProblem(next)) return next
    at = next
  }
  return expectAll(at, 'yield', region.yields, yields)
}

const inits = (
  here: Here,
  stmt: { readonly carried: ReadonlyArray<{ readonly binder: Binder; readonly init: ExprNode }> },
): Checked =>
  each(stmt.carried, ({ binder, init }) =>
    expect(here, `the initial value of ${binder.name}`, init, binder.type),
  )

/** Results are bound outside, with the names that the inner regions used up. */
const validateStmt = (here: Here, stmt: Stmt): Here | Problem => {
  const located = (problem: Problem): Problem => atSite(stmt, problem)
  switch (stmt._tag) {
    case 'Let': {
      const problem = expect(here, stmt.binder.name, stmt.expr, stmt.binder.type)
      if (problem !== null) return located(problem)
      const next = bindIn(here, stmt.binder, bindingOf(environment(here))(stmt.expr, stmt.binder.type))
      return isProblem(next) ? located(next) : next
    }
    case 'Do': {
      const next = validateDo(here, stmt)
      return isProblem(next) ? located(next) : next
    }
    case 'For': {
      const carried = typesOf(stmt.carried.map(({ binder }) => binder))
      const outside = first([
        () => expect(here, 'from', stmt.from, i32),
        () => expect(here, 'to', stmt.to, i32),
        () => expect(here, 'step', stmt.step, i32),
        () => inits(here, stmt),
        () => sameTypes('index', [stmt.index], [i32]),
        () => sameTypes('result', stmt.results, carried),
      ])
      if (outside !== null) return located(outside)
      const entered = bindAll(here, [stmt.index, ...stmt.carried.map(({ binder }) => binder)])
      if (isProblem(entered)) return located(entered)
      const inside = validateRegion(entered, stmt.body, [], carried)
      if (inside !== null) return inside
      const after = bindAll(here, stmt.results)
      return isProblem(after) ? located(after) : after
    }
    case 'While': {
      const carried = typesOf(stmt.carried.map(({ binder }) => binder))
      const args = typesOf(stmt.after.params)
      const outside = first([() => inits(here, stmt), () => sameTypes('result', stmt.results, args)])
      if (outside !== null) return located(outside)
      const entered = bindAll(
        here,
        stmt.carried.map(({ binder }) => binder),
      )
      if (isProblem(entered)) return located(entered)
      const inside = first([
        () => validateRegion(entered, stmt.before, [], [i1, ...args]),
        () => validateRegion(here, stmt.after, args, carried),
      ])
      if (inside !== null) return inside
      const after = bindAll(here, stmt.results)
      return isProblem(after) ? located(after) : after
    }
    case 'If': {
      const results = typesOf(stmt.results)
      const outside = expect(here, 'condition', stmt.cond, i1)
      if (outside !== null) return located(outside)
      const inside = first([
        () => validateRegion(here, stmt.then, [], results),
        () => validateRegion(here, stmt.else, [], results),
      ])
      if (inside !== null) return inside
      const after = bindAll(here, stmt.results)
      return isProblem(after) ? located(after) : after
    }
    case 'Fork': {
      const outside = forkRules(here, stmt)
      if (outside !== null) return located(outside)
      const inside = each(stmt.branches, (branch, k) => {
        const problem = validateBranch(here, stmt, branch, k === 0 ? typesOf(stmt.results) : [])
        return problem
      })
      if (inside !== null) return inside
      const after = bindAll(here, stmt.results)
      return isProblem(after) ? located(after) : after
    }
  }
}

const lastWarp = (agent: Agent): number => agent.firstWarp + agent.warps
const disjoint = (a: Agent, b: Agent): boolean => lastWarp(a) <= b.firstWarp || lastWarp(b) <= a.firstWarp
const inside = (a: Agent, b: Agent): boolean => a.firstWarp >= b.firstWarp && lastWarp(a) <= lastWarp(b)

const forkRules = (here: Here, stmt: Fork): Checked => {
  const { agents } = here.scene
  const parent = stmt.branches[0]
  if (parent === undefined) return no('agent.fork', 'a fork has at least the branch of its parent')
  return first([
    () =>
      each(stmt.branches, ({ agent }) =>
        agents.has(agent) ? null : no('agent.unknown', `no agent ${agent} is declared`),
      ),
    () =>
      here.runners.some(({ name }) => name === parent.agent)
        ? null
        : no(
            'agent.fork',
            `branch 0 is the parent's own: expected ${here.runners.map(({ name }) => name).join(' or ')}, found ${parent.agent}`,
          ),
    () =>
      each(stmt.branches.slice(1), ({ agent }) =>
        here.busy.includes(agent) || here.runners.some(({ name }) => name === agent)
          ? no('agent.fork', `${agent} runs already and cannot be started`)
          : null,
      ),
    () =>
      each(stmt.branches, ({ agent }, k) => {
        const mine = agents.get(agent)!
        return each(stmt.branches.slice(0, k), (other, j) => {
          const theirs = agents.get(other.agent)!
          return (agent !== other.agent && disjoint(mine, theirs)) ||
            (j === 0 && agent !== other.agent && inside(mine, theirs))
            ? null
            : no('agent.fork', `${agent} and ${other.agent} share warps, so they cannot run side by side`)
        })
      }),
  ])
}

const validateBranch = (here: Here, stmt: Fork, branch: Branch, yields: ReadonlyArray<Type>): Checked => {
  const agent = here.scene.agents.get(branch.agent)!
  const wrong = each(branch.captures, ({ binder, value }) =>
    expect(here, `the capture ${binder.name}`, value, binder.type),
  )
  if (wrong !== null) return atSite(stmt, wrong)
  let at: Here | Problem = {
    scene: here.scene,
    names: noNames,
    runners: [agent],
    busy: [...here.busy, ...here.runners.map(({ name }) => name), ...stmt.branches.map((one) => one.agent)],
  }
  for (const { binder, value } of branch.captures) {
    if (isProblem(at)) break
    at = bindIn(at, binder, bindingOf(environment(here))(value, binder.type))
  }
  return isProblem(at) ? atSite(stmt, at) : validateRegion(at, branch.body, [], yields)
}

// ---------------------------------------------------------------- declarations

const boxRules = (name: string, box: ReadonlyArray<number>, dtype: Dtype, swizzle: number): Checked => {
  const innerBytes = ((box[box.length - 1] ?? 0) * bitsOf(dtype)) / 8
  return first([
    () =>
      box.length >= 1 && box.length <= 5
        ? null
        : no('A4', `${name}: a tensor map has rank 1 to 5, found ${String(box.length)}`),
    () =>
      each(box, (extent, k) =>
        Number.isSafeInteger(extent) && extent >= 1 && extent <= 256
          ? null
          : no('A4', `${name}: box dimension ${String(k)} must be 1 to 256, found ${String(extent)}`),
      ),
    () =>
      innerBytes % 16 === 0
        ? null
        : no(
            'A4',
            `${name}: the inner box dimension must be a multiple of 16 bytes, found ${String(innerBytes)}`,
          ),
    () =>
      swizzle === 16 || innerBytes <= swizzle
        ? null
        : no(
            'A4',
            `${name}: the inner box dimension must fit in the swizzle of ${String(swizzle)} bytes, found ${String(innerBytes)}`,
          ),
  ])
}

const descriptorRules = (scene: Scene, param: DescriptorParam): Checked => {
  const { name, dims, strides, box, elementStrides } = param
  const tensor = scene.declarations.params.get(param.tensor)
  if (tensor?._tag !== 'tensor')
    return no('param.unknown', `descriptor ${name}: there is no tensor parameter ${param.tensor}`)
  const bits = bitsOf(tensor.dtype)
  return first([
    () =>
      dims.length === box.length && strides.length === box.length && elementStrides.length === box.length
        ? null
        : no(
            'param.shape',
            `descriptor ${name}: dims, strides, box and elementStrides must have one rank, found ${[dims, strides, box, elementStrides].map(({ length }) => String(length)).join(', ')}`,
          ),
    () => boxRules(`descriptor ${name}`, box, tensor.dtype, param.swizzle),
    () =>
      each(elementStrides, (stride) =>
        Number.isSafeInteger(stride) && stride >= 1 && stride <= 8
          ? null
          : no('A4', `descriptor ${name}: element strides are 1 to 8, found ${String(stride)}`),
      ),
    () =>
      each(strides, (stride, k) => {
        const elements = constantOf(stride)
        if (elements === undefined) return null
        if (k === strides.length - 1)
          return elements === 1
            ? null
            : no('A4', `descriptor ${name}: the innermost stride must be 1, found ${String(elements)}`)
        return ((elements * bits) / 8) % 16 === 0
          ? null
          : no(
              'A4',
              `descriptor ${name}: stride ${String(k)} must be a multiple of 16 bytes, found ${String((elements * bits) / 8)}`,
            )
      }),
  ])
}

const paramRules = (scene: Scene, here: Here): Checked =>
  each(scene.program.params, (param, k) => {
    if (scene.program.params.slice(0, k).some(({ name }) => name === param.name))
      return no('name.bound-twice', `there are two parameters ${param.name}`)
    const ints = (what: string, exprs: ReadonlyArray<ExprNode>): Checked =>
      each(exprs, (expr, d) => expect(here, `${what} ${String(d)} of ${param.name}`, expr, i32))
    switch (param._tag) {
      case 'scalar':
        return null
      case 'tensor':
        return param.shape.length === param.strides.length
          ? first([() => ints('extent', param.shape), () => ints('stride', param.strides)])
          : no(
              'param.shape',
              `tensor ${param.name}: expected ${String(param.shape.length)} strides, found ${String(param.strides.length)}`,
            )
      case 'descriptor':
        return first([
          () => ints('extent', param.dims),
          () => ints('stride', param.strides),
          () => descriptorRules(scene, param),
        ])
    }
  })

const agentRules = ({ program }: Scene): Checked => {
  const { agents, grid, cluster } = program.launch
  return first([
    () => (agents.length > 0 ? null : no('agent.unknown', 'a program needs at least one agent')),
    () =>
      each(agents, (agent, k) =>
        first([
          () =>
            agents.slice(0, k).some(({ name }) => name === agent.name)
              ? no('agent.duplicate', `there are two agents ${agent.name}`)
              : null,
          () =>
            [1, 2, 4, 8].includes(agent.warps) && isNat(agent.firstWarp) && lastWarp(agent) <= 32
              ? null
              : no(
                  'agent.warps',
                  `agent ${agent.name}: expected 1, 2, 4 or 8 of the 32 warps, found warps ${String(agent.firstWarp)} to ${String(lastWarp(agent) - 1)}`,
                ),
          () =>
            agent.kind !== 'warpgroup' || (agent.warps === 4 && agent.firstWarp % 4 === 0)
              ? null
              : no(
                  'agent.warps',
                  `agent ${agent.name}: a warpgroup is 4 warps from a multiple of 4, found ${String(agent.warps)} from ${String(agent.firstWarp)}`,
                ),
          () =>
            agent.kind !== 'warp' || agent.warps === 1
              ? null
              : no('agent.warps', `agent ${agent.name}: a warp is one warp, found ${String(agent.warps)}`),
          () =>
            each(agents.slice(0, k), (other) =>
              disjoint(agent, other) || inside(agent, other) || inside(other, agent)
                ? null
                : no(
                    'agent.warps',
                    `agents ${other.name} and ${agent.name} overlap without one containing the other`,
                  ),
            ),
        ]),
      ),
    () =>
      grid.length >= 1 && grid.length <= 3
        ? null
        : no('launch.grid', `a grid has one to three axes, found ${String(grid.length)}`),
    () =>
      cluster.length <= 3 && cluster.every((n) => Number.isSafeInteger(n) && n >= 1) && sizeOf(cluster) <= 16
        ? null
        : no('launch.grid', `a cluster has up to three axes and 16 CTAs, found ${showShape(cluster)}`),
  ])
}

const storageRules = (scene: Scene): Checked => {
  const { storage, name } = scene.program
  return first([
    () =>
      each(storage, (one, k) =>
        first([
          () =>
            storage.slice(0, k).some(({ id }) => id === one.id)
              ? no('name.bound-twice', `there are two storages ${one.id}`)
              : null,
          () => {
            const type = checkType(storageType(one))
            return E.isLeft(type) ? no(type.left.code, `storage ${one.id}: ${type.left.message}`) : null
          },
          () =>
            one.contents._tag === 'elements' || one.space === 'smem'
              ? null
              : no('storage.owner', `storage ${one.id}: barriers lie in shared memory, found ${one.space}`),
          () =>
            (one.space === 'regs') === (one.owner !== 'cta')
              ? null
              : no(
                  'storage.owner',
                  `storage ${one.id}: registers belong to an agent and all else to the CTA, found ${one.space} of ${one.owner === 'cta' ? 'the CTA' : one.owner.agent}`,
                ),
          () =>
            one.owner === 'cta' || scene.agents.has(one.owner.agent)
              ? null
              : no('agent.unknown', `storage ${one.id}: no agent ${one.owner.agent} is declared`),
          () => swizzleBase(one),
          () =>
            one.offset === undefined || one.offset % one.align === 0
              ? null
              : no(
                  'A3',
                  `storage ${one.id}: expected an offset that is a multiple of ${String(one.align)}, found ${String(one.offset)}`,
                ),
        ]),
      ),
    () => {
      const limits = checkLimits(name, storage)
      return E.isLeft(limits) ? limits.left : null
    },
    () => overlaps(scene),
  ])
}

const swizzleBase = (one: Program['storage'][number]): Checked => {
  if (one.contents._tag !== 'elements' || one.contents.layout.swizzle === 16) return null
  const period = 8 * one.contents.layout.swizzle
  const base = one.offset ?? one.align
  return base % period === 0
    ? null
    : no(
        'A3',
        `storage ${one.id}: a swizzle of ${String(one.contents.layout.swizzle)} bytes starts at a multiple of ${String(period)}, found ${one.offset === undefined ? `alignment ${String(one.align)}` : `offset ${String(one.offset)}`}`,
      )
}

const overlaps = ({ program }: Scene): Checked =>
  each(['smem', 'tmem'] as const, (space) => {
    const placed = program.storage
      .filter((one) => one.space === space && one.offset !== undefined)
      .sort((a, b) => extentOf(a).start - extentOf(b).start)
    return each(placed, (one, k) =>
      each(placed.slice(0, k), (other) => {
        const apart = extentOf(other).end <= extentOf(one).start
        const union = one.alias !== undefined && one.alias.union === other.alias?.union
        return apart || (union && one.alias.member !== other.alias.member)
          ? null
          : no(
              'storage.overlap',
              `storages ${other.id} and ${one.id} overlap in ${space} and are not members of one union`,
            )
      }),
    )
  })

/** The columns that the program allocates must hold its tensor memory. */
const allocatedColumns = ({ program }: Scene, regions: ReadonlyArray<Region>): Checked => {
  const allocations = regions.flatMap(columnsIn)
  const needed = usedOf(program.storage, 'tmem') / 4
  const given = allocations.reduce((sum, columns) => sum + columns, 0)
  return allocations.length === 0 || needed <= given
    ? null
    : no(
        'T3',
        `${program.name}: the tensor memory takes ${String(needed)} columns, but only ${String(given)} are allocated`,
      )
}

const columnsIn = (region: Region): ReadonlyArray<number> =>
  region.body.flatMap((stmt): ReadonlyArray<number> => {
    switch (stmt._tag) {
      case 'Let':
        return []
      case 'Do':
        return stmt.instruction._tag === 'tcgen05.alloc' ? [stmt.instruction.columns] : []
      case 'For':
        return columnsIn(stmt.body)
      case 'While':
        return [...columnsIn(stmt.before), ...columnsIn(stmt.after)]
      case 'If':
        return [...columnsIn(stmt.then), ...columnsIn(stmt.else)]
      case 'Fork':
        return stmt.branches.flatMap(({ body }) => columnsIn(body))
    }
  })

const forkedAgents = (region: Region): ReadonlyArray<string> =>
  region.body.flatMap((stmt): ReadonlyArray<string> => {
    switch (stmt._tag) {
      case 'Let':
      case 'Do':
        return []
      case 'For':
        return forkedAgents(stmt.body)
      case 'While':
        return [...forkedAgents(stmt.before), ...forkedAgents(stmt.after)]
      case 'If':
        return [...forkedAgents(stmt.then), ...forkedAgents(stmt.else)]
      case 'Fork':
        return stmt.branches.flatMap(({ agent, body }, k) => [
          ...(k === 0 ? [] : [agent]),
          ...forkedAgents(body),
        ])
    }
  })

/** The agents that no fork starts: they run the entry. */
export const startingAgents = (program: Program): ReadonlyArray<Agent> => {
  const forked = new Set(forkedAgents(program.entry))
  return program.launch.agents.filter(({ name }) => !forked.has(name))
}

const specRules = ({ program, declarations }: Scene): Checked => {
  const spec = program.computes
  if (spec === undefined) return null
  const tensors = spec._tag === 'matmul' ? [spec.a, spec.b, spec.out] : [spec.from, spec.out]
  return each(tensors, (name) =>
    declarations.params.get(name)?._tag === 'tensor'
      ? null
      : no('param.unknown', `computes: there is no tensor parameter ${name}`),
  )
}

/** The program with its indices, or the first thing that is wrong with it. */
export const validate = (shape: ProgramShape): E.Either<Failure<ValidationCode>, Program> => {
  const program = checked<Program, ProgramShape>(shape)
  const scene: Scene = {
    program,
    declarations: {
      params: new Map(program.params.map((param) => [param.name, param])),
      storage: new Map(program.storage.map((one) => [one.id, one])),
    },
    agents: new Map(program.launch.agents.map((agent) => [agent.name, agent])),
    bound: new Set(program.params.flatMap((param) => (param._tag === 'scalar' ? [param.name] : []))),
  }
  const here: Here = { scene, names: noNames, runners: startingAgents(program), busy: [] }
  const problem = first([
    () =>
      program.schema === programSchema
        ? null
        : no('type.mismatch', `schema: expected ${programSchema}, found ${String(program.schema)}`),
    () => agentRules(scene),
    () => paramRules(scene, here),
    () => each(program.launch.grid, (extent, k) => expect(here, `grid ${String(k)}`, extent, i32)),
    () => storageRules(scene),
    () => specRules(scene),
    () => validateRegion(here, program.entry, [], []),
    () => allocatedColumns(scene, [program.entry]),
  ])
  return problem === null ? E.right(program) : E.left(problem)
}
