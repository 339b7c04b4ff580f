/**
 * Expressions: what an agent computes by itself.
 *
 * An expression is pure and total. It reads names and the agent's own coordinates, never memory: a load is a
 * statement, so every effect has a place in program order. Division by zero yields zero; an integer wraps at its
 * width; a view that leaves its allocation is still a value, and the instruction that uses it is at fault.
 *
 * An expression is a first-order tree (`ExprNode`) with a phantom index (`Expr<I>`): `Expr<'i32'>`,
 * `View<'smem', 'f16', 2>`, `Barrier<'ptx'>`, `Tile<'f32', 2>`. The constructors below are the only way to
 * get an index; they take their operands with theirs. Example: slot `k mod 2` of a ring,
 *
 *     slot(storageView(ring), rem(k, i32(2)))   :   View<'smem', 'f16', 2>   when ring is declared with rank 3
 *
 * Two divisions: `quo`/`rem` truncate (PTX, C, `lax.rem`), `div`/`mod` floor (Python's `//` and `%`).
 *
 * The nodes stand in `nodes.ts`, a row each; their types are read off the rows, and so are `children` and `mapChildren`.
 *
 * Source: PTX ISA, integer and floating-point instructions; MLIR `arith`, `math`, `tt` for the tile operations.
 */
import type { UnaryOp } from '../../numerics/algebra.js'
import type { Dtype, FloatDtype } from '../../numerics/dtype.js'
import type { SpecialBinary, SpecialDtype, SpecialUnary } from '../../numerics/special-functions/names.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import type { TransformedRef } from '../../transforms/ref.js'
import { checked, indexed, type Indexed } from './index-types.js'
import { nodeRows, nodes, type binaryNames } from './nodes.js'
import type {
  BarrierIndex,
  Contract,
  DescriptorIndex,
  PtrIndex,
  ScalarName,
  Space,
  TileIndex,
  TypeIndex,
  ViewIndex,
} from './types.js'
import type { Choice } from './words.js'

// ---------------------------------------------------------------- model

/** A source's function, or a special function of the chip by its own name (`ex2.approx.ftz.f32`). */
export type UnaryName = UnaryOp
export type BinaryName = (typeof binaryNames)[number] | SpecialBinary

/** The pure fragment of a region: parameters, lets, one result. Used by `reduce`. */
export interface Combine {
  readonly params: readonly [string, string]
  readonly body: ReadonlyArray<{ readonly name: string; readonly value: ExprNode }>
  readonly result: ExprNode
}

/** What stands in a part of a node, by its word in `nodes.ts`. */
interface ByWord {
  readonly expr: ExprNode
  readonly 'expr ...': ReadonlyArray<ExprNode>
  readonly text: string
  readonly bool: boolean
  readonly nat: number
  readonly 'nat ...': ReadonlyArray<number>
  readonly integer: number
  readonly scalar: ScalarName
  readonly dtype: Dtype
  readonly literal: number | string
  readonly ref: TransformedRef
  readonly layout: RegisterLayout | 'any'
  readonly unary: UnaryName
  readonly binary: BinaryName
  readonly combine: Combine
}
/** A part with its word, which says its type. */
export type NodePart =
  | { readonly [W in keyof ByWord]: { readonly word: W; readonly value: ByWord[W] } }[keyof ByWord]
  | { readonly word: 'choice'; readonly value: string }
type Part<W> = W extends keyof ByWord ? ByWord[W] : Choice<W>
type Nodes = typeof nodes
export type NodeKind = keyof Nodes
type Node<K, R> = { readonly [F in '_tag' | keyof R]: F extends keyof R ? Part<R[F]> : K }
type InKind<Rows> = { readonly [K in keyof Rows]: Node<K, Rows[K]> }[keyof Rows]
/** The nodes of these kinds. */
export type NodeOf<Kind extends NodeKind> = { readonly [K in Kind]: InKind<Nodes[K]> }[Kind]

export type ExprNode = NodeOf<NodeKind>

export type CompareName = Extract<ExprNode, { readonly _tag: 'compare' }>['op']
export type ConvertName = Extract<ExprNode, { readonly _tag: 'convert' }>['op']
export type PlaceName = Extract<ExprNode, { readonly _tag: 'place' }>['of']

export type Expr<I extends TypeIndex = TypeIndex> = Indexed<ExprNode, I>

export type Condition = Expr<'i1'>
export type Int = Expr<'i32'>
export type View<S extends Space = Space, D extends Dtype = Dtype, R extends number = number> = Expr<
  ViewIndex<S, D, R>
>
export type Barrier<C extends Contract = Contract, O extends boolean = boolean, R extends number = 0> = Expr<
  BarrierIndex<C, O, R>
>
export type Descriptor<D extends Dtype = Dtype, R extends number = number> = Expr<DescriptorIndex<D, R>>
export type Tile<E extends ScalarName | PtrIndex = ScalarName | PtrIndex, R extends number = number> = Expr<
  TileIndex<E, R>
>
export type Ptr<D extends Dtype = Dtype> = Expr<PtrIndex<D>>

/** A name together with the index of what it will hold; the statement that binds it says so once. */
export interface Name<I extends TypeIndex> {
  readonly name: string
  readonly expr: Expr<I>
}

/** Indices whose values can be added and compared: scalars, and tiles of scalars, element by element. */
export type Arithmetic = ScalarName | TileIndex<ScalarName, number>
type Integral = 'i1' | 'i32' | 'i64' | TileIndex<'i1' | 'i32' | 'i64', number>
type Floating = FloatDtype | TileIndex<FloatDtype, number>
/** The index of a comparison: `i1`, or a tile of them. */
export type Truth<I extends Arithmetic> = I extends TileIndex<ScalarName, infer R> ? TileIndex<'i1', R> : 'i1'
export type Like<I extends Arithmetic, D extends ScalarName> =
  I extends TileIndex<ScalarName, infer R> ? TileIndex<D, R> : D
/** One rank less. */
export type Below<R extends number> = number extends R
  ? number
  : R extends 5
    ? 4
    : R extends 4
      ? 3
      : R extends 3
        ? 2
        : R extends 2
          ? 1
          : R extends 1
            ? 0
            : number
export type Above<R extends number> = number extends R
  ? number
  : R extends 0
    ? 1
    : R extends 1
      ? 2
      : R extends 2
        ? 3
        : R extends 3
          ? 4
          : R extends 4
            ? 5
            : number

// ---------------------------------------------------------------- constructors: scalars

const node = <I extends TypeIndex>(tree: ExprNode): Expr<I> => indexed<I, ExprNode>(tree)

export const name = <I extends TypeIndex>(text: string): Expr<I> => node({ _tag: 'name', name: text })
export const i1 = (value: boolean): Expr<'i1'> => node({ _tag: 'const', dtype: 'i1', value: value ? 1 : 0 })
/** A literal of 32 bits. A value that has no such literal is kept, for validation to refuse by its value: wrapped, it would be another program. */
export const i32 = (value: number): Int =>
  node({ _tag: 'const', dtype: 'i32', value: value === 0 ? 0 : value })
/** A 64-bit constant travels as decimal text: JSON numbers stop at 2^53. */
export const i64 = (value: bigint): Expr<'i64'> =>
  node({ _tag: 'const', dtype: 'i64', value: value.toString() })
/** A float literal. Infinities and NaN travel as text. */
export const float = <D extends FloatDtype>(dtype: D, value: number): Expr<D> =>
  node({
    _tag: 'const',
    dtype,
    value:
      Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? '-0' : String(value),
  })

export const place = (of: PlaceName, axis: number = 0): Int => node({ _tag: 'place', of, axis })
/** Extent of a tensor parameter along `axis`, in elements. */
export const dim = (param: string, axis: number): Int => node({ _tag: 'dim', param, axis })

const unaryOf =
  (op: UnaryName, standard: 'rn' | 'approx' = 'rn') =>
  <I extends Floating>(x: Expr<I>, mode: 'rn' | 'approx' = standard): Expr<I> =>
    node({ _tag: 'unary', op, mode, x })
type Unary = <I extends Floating>(x: Expr<I>, mode?: 'rn' | 'approx') => Expr<I>
export const neg: Unary = unaryOf('neg')
export const abs: Unary = unaryOf('abs')
export const rcp: Unary = unaryOf('rcp')
export const sqrt: Unary = unaryOf('sqrt')
/** Nothing rounds these correctly: they are what the compiler makes of them. */
export const exp2: Unary = unaryOf('exp2', 'approx')
export const log2: Unary = unaryOf('log2', 'approx')
export const exp: Unary = unaryOf('exp', 'approx')
export const log: Unary = unaryOf('log', 'approx')
export const rsqrt: Unary = unaryOf('rsqrt', 'approx')
export const tanh: Unary = unaryOf('tanh', 'approx')

/** A scalar or a tile of what a special function takes and gives. */
type OfSpecial<N extends SpecialUnary | SpecialBinary> = SpecialDtype<N> | TileIndex<SpecialDtype<N>, number>
/** A special function of the chip, by its name, whatever compiles the kernel. */
export const special = <N extends SpecialUnary, I extends OfSpecial<N>>(op: N, x: Expr<I>): Expr<I> =>
  node({ _tag: 'unary', op, mode: 'rn', x })
/** One of two operands: a quotient. */
export const specialQuotient = <N extends SpecialBinary, I extends OfSpecial<N>>(
  op: N,
  x: Expr<I>,
  y: Expr<I>,
): Expr<I> => node({ _tag: 'binary', op, x, y })

const binaryOf =
  (op: BinaryName) =>
  <I extends Arithmetic>(x: Expr<I>, y: Expr<I>): Expr<I> =>
    node({ _tag: 'binary', op, x, y })
type Binary = <I extends Arithmetic>(x: Expr<I>, y: Expr<I>) => Expr<I>
type BinaryInt = <I extends Integral>(x: Expr<I>, y: Expr<I>) => Expr<I>
export const add: Binary = binaryOf('add')
export const sub: Binary = binaryOf('sub')
export const mul: Binary = binaryOf('mul')
export const min: Binary = binaryOf('min')
export const max: Binary = binaryOf('max')
export const fdiv: <I extends Floating>(x: Expr<I>, y: Expr<I>) => Expr<I> = binaryOf('fdiv')
/** Truncating quotient. */
export const quo: BinaryInt = binaryOf('quo')
/** Remainder of `quo`: the sign of the dividend. */
export const rem: BinaryInt = binaryOf('rem')
/** Floor quotient. */
export const div: BinaryInt = binaryOf('div')
/** Remainder of `div`: the sign of the divisor. */
export const mod: BinaryInt = binaryOf('mod')
export const and: BinaryInt = binaryOf('and')
export const or: BinaryInt = binaryOf('or')
export const xor: BinaryInt = binaryOf('xor')
export const shl: BinaryInt = binaryOf('shl')
export const shrS: BinaryInt = binaryOf('shrS')
export const shrU: BinaryInt = binaryOf('shrU')

export const fma = <I extends Floating>(x: Expr<I>, y: Expr<I>, z: Expr<I>): Expr<I> =>
  node({ _tag: 'fma', x, y, z })

const compareOf =
  (op: CompareName, signed: boolean = true) =>
  <I extends Arithmetic>(x: Expr<I>, y: Expr<I>): Expr<Truth<I>> =>
    node({ _tag: 'compare', op, signed, x, y })
type Compare = <I extends Arithmetic>(x: Expr<I>, y: Expr<I>) => Expr<Truth<I>>
export const eq: Compare = compareOf('eq')
export const ne: Compare = compareOf('ne')
export const lt: Compare = compareOf('lt')
export const le: Compare = compareOf('le')
export const gt: Compare = compareOf('gt')
export const ge: Compare = compareOf('ge')
export const ltU: Compare = compareOf('lt', false)
export const leU: Compare = compareOf('le', false)

export const not = <I extends 'i1' | TileIndex<'i1', number>>(x: Expr<I>): Expr<I> =>
  node({ _tag: 'binary', op: 'xor', x, y: i1(true) })
/** `cond` is an `i1`, or a tile of them of the shape of `x`. */
export const select = <I extends TypeIndex>(cond: Condition | Tile<'i1'>, x: Expr<I>, y: Expr<I>): Expr<I> =>
  node({ _tag: 'select', cond, x, y })

const convertOf =
  (op: ConvertName) =>
  <I extends Arithmetic, D extends ScalarName>(
    x: Expr<I>,
    to: D,
    rounding: 'rn' | 'rz' = 'rn',
    saturate: boolean = false,
  ): Expr<Like<I, D>> =>
    node({ _tag: 'convert', op, to, rounding, saturate, x })
type Convert = <I extends Arithmetic, D extends ScalarName>(
  x: Expr<I>,
  to: D,
  rounding?: 'rn' | 'rz',
  saturate?: boolean,
) => Expr<Like<I, D>>
export const trunc: Convert = convertOf('trunc')
export const extS: Convert = convertOf('extS')
export const extU: Convert = convertOf('extU')
/** Numeric conversion between floats, and between floats and integers. */
export const cast: Convert = convertOf('cast')
/** The same bits under another dtype of the same width; of a narrower float, the low ones of an i32 (zeros above). */
export const bitcast: Convert = convertOf('bitcast')
/** Narrow values side by side in one wider register, low bits first. */
export const pack = <D extends ScalarName>(to: D, parts: ReadonlyArray<Expr<ScalarName>>): Expr<D> =>
  node({ _tag: 'pack', to, parts })
export const unpack = <D extends ScalarName>(to: D, part: number, x: Expr<ScalarName>): Expr<D> =>
  node({ _tag: 'unpack', to, part, x })

// ---------------------------------------------------------------- constructors: tiles

type Layout = RegisterLayout | 'any'
/** Counts from `start` along `axis`. */
export const iota = <R extends number>(
  shape: ReadonlyArray<number>,
  axis: number,
  layout: Layout = 'any',
  start: number = 0,
): Tile<'i32', R> => node({ _tag: 'iota', shape, axis, start, layout })
export const splat = <E extends ScalarName | PtrIndex, R extends number>(
  x: Expr<E>,
  shape: ReadonlyArray<number>,
  layout: Layout = 'any',
): Tile<E, R> => node({ _tag: 'splat', x, shape, layout })
/** Repeats along dimensions of size one. */
export const broadcast = <E extends ScalarName | PtrIndex, R extends number>(
  x: Tile<E, R>,
  shape: ReadonlyArray<number>,
  layout: Layout = 'any',
): Tile<E, R> => node({ _tag: 'broadcast', x, shape, layout })
export const expandDims = <E extends ScalarName | PtrIndex, R extends number>(
  x: Tile<E, R>,
  axis: number,
  layout: Layout = 'any',
): Tile<E, Above<R>> => node({ _tag: 'expandDims', x, axis, layout })
export const reshape = <E extends ScalarName | PtrIndex, R extends number>(
  x: Tile<E>,
  shape: ReadonlyArray<number>,
  layout: Layout = 'any',
): Tile<E, R> => node({ _tag: 'reshape', x, shape, layout })
export const transpose = <E extends ScalarName | PtrIndex, R extends number>(
  x: Tile<E, R>,
  perm: ReadonlyArray<number>,
  layout: Layout = 'any',
): Tile<E, R> => node({ _tag: 'transpose', x, perm, layout })
/**
 * Combines along `axis`, in the order that the layout of `x` defines: registers, then the elements of a vector,
 * then lanes by xor-butterfly from the smallest stride, then warps.
 */
export const reduce = <E extends ScalarName, R extends number>(
  x: Tile<E, R>,
  axis: number,
  combine: (x: Expr<E>, y: Expr<E>) => Expr<E>,
  layout: Layout = 'any',
): Tile<E, Below<R>> =>
  node({
    _tag: 'reduce',
    x,
    axis,
    combine: { params: ['lhs', 'rhs'], body: [], result: combine(name('lhs'), name('rhs')) },
    layout,
  })
/** Along `axis` the element that `index` says, for each element of `index`; along the others its own place. */
export const gather = <E extends ScalarName | PtrIndex, R extends number>(
  x: Tile<E, R>,
  index: Tile<'i32', R>,
  axis: number,
  layout: Layout = 'any',
): Tile<E, R> => node({ _tag: 'gather', x, index, axis, layout })
export const convertLayout = <E extends ScalarName | PtrIndex, R extends number>(
  x: Tile<E, R>,
  layout: RegisterLayout,
): Tile<E, R> => node({ _tag: 'convertLayout', x, layout })
/** What a warp multiplies: the low bits of i32 as bytes, f32 as tf32, any other float as what it is. */
export type DotDtype = 'f16' | 'bf16' | 'tf32' | 'i8' | 'u8'
/** z + x y on the tensor core, synchronously, of matrices in registers (`mma.sync`). */
export const dot = <A extends 'f32' | 'f16' | 'i32'>(
  x: Tile<ScalarName, 2>,
  y: Tile<ScalarName, 2>,
  z: Tile<A, 2>,
  as: DotDtype,
  saturate: boolean = false,
): Tile<A, 2> => node({ _tag: 'dot', x, y, z, as, saturate })
export const any = (x: Tile<'i1'>): Condition => node({ _tag: 'vote', of: 'any', x })
/** The element of a tile of rank 0. */
export const item = <E extends ScalarName | PtrIndex>(x: Tile<E, 0>): Expr<E> => node({ _tag: 'item', x })
export const all = (x: Tile<'i1'>): Condition => node({ _tag: 'vote', of: 'all', x })

// ---------------------------------------------------------------- constructors: places

/** Pointer to the first element of a tensor parameter. */
export const paramPtr = <D extends Dtype>(param: string): Ptr<D> => node({ _tag: 'paramPtr', param })
type Addptr = {
  <D extends Dtype>(ptr: Ptr<D>, offset: Expr<'i32' | 'i64'>): Ptr<D>
  <D extends Dtype, R extends number>(
    ptr: Tile<PtrIndex<D>, R>,
    offset: Tile<'i32' | 'i64', R>,
  ): Tile<PtrIndex<D>, R>
}
/** `offset` counts elements of the pointee. */
export const addptr: Addptr = <I extends PtrIndex | TileIndex<PtrIndex, number>>(
  of: Expr<I>,
  offset: Expr,
): Expr<I> => node({ _tag: 'addptr', ptr: of, offset })

type CastPtr = {
  <D extends Dtype>(ptr: Ptr, dtype: D): Ptr<D>
  <D extends Dtype, R extends number>(ptr: Tile<PtrIndex, R>, dtype: D): Tile<PtrIndex<D>, R>
}
/** The same address, of elements of another dtype. */
export const castPtr: CastPtr = <I extends PtrIndex | TileIndex<PtrIndex, number>>(
  of: Expr,
  dtype: Dtype,
): Expr<I> => node({ _tag: 'castPtr', ptr: of, dtype })

/** The whole of a declared storage: a view, or the barriers of a barrier storage. */
export const storage = <I extends ViewIndex | BarrierIndex<Contract, boolean, number>>(id: string): Expr<I> =>
  node({ _tag: 'storage', storage: id })
/** A tensor parameter as a GMEM view. */
export const tensor = <D extends Dtype, R extends number>(param: string): View<'gmem', D, R> =>
  node({ _tag: 'tensor', param })
/** A descriptor parameter. */
export const descriptor = <D extends Dtype, R extends number>(param: string): Descriptor<D, R> =>
  node({ _tag: 'descriptor', param })

type Slot = {
  <S extends Space, D extends Dtype, R extends number>(of: View<S, D, R>, index: Int): View<S, D, Below<R>>
  <C extends Contract, O extends boolean, R extends number>(
    of: Barrier<C, O, R>,
    index: Int,
  ): Barrier<C, O, Below<R> extends infer B extends number ? B : never>
}
/** Element `index` of the leading dimension, of a view or of an array of barriers. */
export const slot: Slot = <I extends TypeIndex>(of: Expr, index: Int): Expr<I> =>
  node({ _tag: 'slot', of, index })
/** Static sizes, run-time starts (in elements of each dimension). */
export const slice = <S extends Space, D extends Dtype, R extends number>(
  of: View<S, D, R>,
  starts: ReadonlyArray<Int>,
  sizes: ReadonlyArray<number>,
): View<S, D, R> => node({ _tag: 'slice', of, starts, sizes })
export const transposeView = <S extends Space, D extends Dtype, R extends number>(
  of: View<S, D, R>,
  perm: ReadonlyArray<number>,
): View<S, D, R> => node({ _tag: 'transposeView', of, perm })
export const reshapeView = <R extends number, S extends Space, D extends Dtype>(
  of: View<S, D>,
  shape: ReadonlyArray<number>,
): View<S, D, R> => node({ _tag: 'reshapeView', of, shape })
/** The same bytes read as another dtype and layout. */
export const reinterpret = <D extends Dtype, R extends number, S extends Space>(
  of: View<S>,
  dtype: D,
  layout: TransformedRef,
): View<S, D, R> => node({ _tag: 'reinterpret', of, dtype, layout })
type Remote = {
  <S extends 'smem' | 'tmem', D extends Dtype, R extends number>(of: View<S, D, R>, rank: Int): View<S, D, R>
  <C extends Contract, O extends boolean>(of: Barrier<C, O>, rank: Int): Barrier<C, O>
}
/** The same place in the CTA of rank `rank` of this cluster. */
export const remote: Remote = <I extends TypeIndex>(of: Expr, rank: Int): Expr<I> =>
  node({ _tag: 'remote', of, rank })

// ---------------------------------------------------------------- destructors

/** Is this a node of the kind? */
export const isOf = <K extends NodeKind>(kind: K, e: ExprNode): e is Extract<ExprNode, NodeOf<K>> =>
  Object.hasOwn(nodes[kind], e._tag)

/** The parts of a node, in the order of its row. */
export const partsOf = (e: ExprNode): ReadonlyArray<NodePart> => {
  const parts: Readonly<Record<string, unknown>> = e
  return (nodeRows.get(e._tag) ?? []).map(({ name, word }) =>
    checked<NodePart, { readonly word: string; readonly value: unknown }>({ word, value: parts[name] }),
  )
}

/** The immediate sub-expressions, left to right (not the body of a `reduce`). */
export const children = (e: ExprNode): ReadonlyArray<ExprNode> => {
  const found: ExprNode[] = []
  const parts: Readonly<Record<string, unknown>> = e
  for (const { name, word } of nodeRows.get(e._tag) ?? []) {
    const part = parts[name]
    if (word === 'expr ...' && Array.isArray(part)) for (const child of part) found.push(child)
    else if (isOperand(word)) found.push(checked<ExprNode, unknown>(part))
  }
  return found
}

/** The same node with other operands: what `f` makes of each, left to right. */
export const mapChildren = (e: ExprNode, f: (child: ExprNode) => ExprNode): ExprNode => {
  const row = nodeRows.get(e._tag) ?? []
  if (!row.some(({ word }) => isOperand(word))) return e
  const parts: Readonly<Record<string, unknown>> = e
  const made: Record<string, unknown> = Object.assign({}, e)
  for (const { name, word } of row) {
    if (word === 'expr') made[name] = f(checked<ExprNode, unknown>(parts[name]))
    else if (word === 'expr ...') made[name] = checked<ReadonlyArray<ExprNode>, unknown>(parts[name]).map(f)
  }
  return checked<ExprNode, unknown>(made)
}
const isOperand = (word: string): boolean => word === 'expr' || word === 'expr ...'

/** Adds the names that an expression reads. The combination of a `reduce` reads its own alone. */
export const namesOf = (e: ExprNode, into: Set<string>): void => {
  if (e._tag === 'name') into.add(e.name)
  for (const c of children(e)) namesOf(c, into)
}
