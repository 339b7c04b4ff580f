/**
 * Type checking of expressions.
 *
 * `typeOf` is the meaning of an expression in types: a function from the types of the names in scope, and of what the
 * program declares, to the type of the value, or to the reason why there is none. Everything static about a view
 * is settled here: a slot, a slice, a transposition act on its layout, only its base stays for the run.
 *
 *     ring: view smem f16 (2, 64, 32), tiled and swizzled
 *     slot(ring, rem(k, 2))               view smem f16 (64, 32), the same tiles
 *     slot(ring, 1.0)                     refused: an index is an i32
 *     slice(slot(ring, 0), [0, 4], [64, 8])     refused: 4 is not a multiple of the tile
 *
 * Tiles. Elementwise operations take tiles of one shape and one layout, or a tile and a scalar. The layout 'any' goes
 * with every layout, a splat with every layout that is not one; the result has the more definite of the two.
 *
 * Laws
 * 1. `typeOf` does not depend on names that the expression does not contain.
 * 2. A view's type is the layout algebra's: `typeOf(slot(v, k)).layout = slotShape(layout of v)`, and so on for every combinator.
 * 3. `accepts` is reflexive; between types without tiles it is equality.
 *
 * Source: MLIR `arith` and `tt` for the tile operations; JAX docs, Pallas:MGPU reference (memory reference transforms).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, refuse } from '../failure.js'
import * as Layouts from '../layouts/register-layout.js'
import type { RegisterLayout } from '../layouts/register-layout.js'
import { bitsOf, isFloat } from '../numerics/dtype.js'
import type { BatchError, IndexError, RefError, ReshapeError, TransposeError } from '../transforms/ref.js'
import * as Ref from '../transforms/ref.js'
import { sameShape, showShape, sizeOf } from '../transforms/shape.js'
import { isPermutation } from '../transforms/transpose.js'
import type { Combine, ExprNode } from './expression.js'
import type { DescriptorParam, Param, Storage } from './program.js'
import type { ScalarName, ScalarType, TileType, Type, ViewType } from './types.js'
import { barrier, descriptor, i1, i32, isInteger, ptr, scalar, tile, view } from './types.js'

// ---------------------------------------------------------------- model

export type TypeErrorCode =
  | 'name.unbound'
  | 'param.unknown'
  | 'storage.unknown'
  | 'type.mismatch'
  | 'type.shape'
  | 'type.constant'
  | 'view.dynamic'
  | 'ir.linked'
  | 'L2'
  | RefError
  | IndexError
  | TransposeError
  | ReshapeError
  | BatchError

export type Typing = E.Either<Failure<TypeErrorCode>, Type>

/** What a name stands for. A descriptor remembers which parameter it is, so that copies can be checked against its box. */
export interface Binding {
  readonly type: Type
  readonly descriptor?: DescriptorParam
  /** where a view is known to start */
  readonly base?: Base
}

/** An address in a CTA's plane: `offset` plus an unknown multiple of `step` bytes. */
export interface Base {
  readonly offset: number
  readonly step: number
}

/** Names in scope: a persistent map that shares what it does not change. */
export interface Names {
  readonly recent: ReadonlyMap<string, Binding>
  readonly older: Names | null
}

/** A parameter and a storage by name. */
export interface Declarations {
  readonly params: ReadonlyMap<string, Param>
  readonly storage: ReadonlyMap<string, Storage>
}

export interface Environment {
  readonly declarations: Declarations
  readonly names: Names
}

// ---------------------------------------------------------------- constructors

export const noNames: Names = { recent: new Map(), older: null }

const chunk = 32
export const bind = (names: Names, name: string, binding: Binding): Names =>
  names.recent.size < chunk
    ? { recent: new Map([...names.recent, [name, binding]]), older: names.older }
    : { recent: new Map([[name, binding]]), older: names }

export const lookup = (names: Names, name: string): Binding | undefined => {
  for (let at: Names | null = names; at !== null; at = at.older) {
    const found = at.recent.get(name)
    if (found !== undefined) return found
  }
  return undefined
}

// ---------------------------------------------------------------- showing

const showLayout = (layout: RegisterLayout | 'any'): string =>
  layout === 'any' ? 'any' : (Layouts.nameOf(layout) ?? layout._tag)

const showRefForm = (layout: ViewType['layout']): string => {
  const tiles = layout.tiling.length === 0 ? '' : ` tiled ${layout.tiling.map(showShape).join('')}`
  const swizzled = layout.swizzle === 16 ? '' : ` swizzle ${String(layout.swizzle)}`
  return `${tiles}${swizzled}`
}

/** `view smem f16 (64, 32) tiled (8, 32) swizzle 64`: how messages and listings write a type. */
export const showType = (type: Type): string => {
  switch (type._tag) {
    case 'scalar':
      return type.dtype
    case 'ptr':
      return `ptr ${type.dtype}`
    case 'view':
      return `view ${type.space} ${type.dtype} ${showShape(type.layout.shape)}${showRefForm(type.layout)}`
    case 'barrier': {
      const many = type.shape.length === 0 ? 'barrier' : `barriers ${showShape(type.shape)}`
      return `${many} ${type.contract}${type.ordersTensorCore ? ' tensor-core' : ''}`
    }
    case 'descriptor':
      return `descriptor ${type.dtype} rank ${String(type.rank)}`
    case 'tile':
      return `tile ${showType(type.element)} ${showShape(type.shape)}${type.layout === 'any' ? '' : ` ${showLayout(type.layout)}`}`
    case 'token':
      return 'token'
  }
}

// ---------------------------------------------------------------- instances

const sameElement = (a: TileType['element'], b: TileType['element']): boolean =>
  a._tag === b._tag && a.dtype === b.dtype

/** Do two layouts say the same of an array of this shape? 'any' does not contradict. */
export const layoutsAgree = (
  a: RegisterLayout | 'any',
  b: RegisterLayout | 'any',
  shape: ReadonlyArray<number>,
): boolean =>
  a === 'any' ||
  b === 'any' ||
  Layouts.sameLayout(a, b) ||
  (a._tag !== b._tag &&
    E.isRight(Layouts.checkShape(a, shape)) &&
    E.isRight(Layouts.checkShape(b, shape)) &&
    Layouts.sameFunction(a, b, shape))

/** May a value of type `found` be bound to a name of type `expected`? Equality, but that 'any' layouts go with all. */
export const accepts = (expected: Type, found: Type): boolean => {
  switch (expected._tag) {
    case 'scalar':
    case 'ptr':
      return found._tag === expected._tag && found.dtype === expected.dtype
    case 'view':
      return (
        found._tag === 'view' &&
        found.space === expected.space &&
        found.dtype === expected.dtype &&
        Ref.sameRef(found.layout, expected.layout)
      )
    case 'barrier':
      return (
        found._tag === 'barrier' &&
        found.contract === expected.contract &&
        found.ordersTensorCore === expected.ordersTensorCore &&
        sameShape(found.shape, expected.shape)
      )
    case 'descriptor':
      return found._tag === 'descriptor' && found.dtype === expected.dtype && found.rank === expected.rank
    case 'tile':
      return (
        found._tag === 'tile' &&
        sameElement(found.element, expected.element) &&
        sameShape(found.shape, expected.shape) &&
        layoutsAgree(found.layout, expected.layout, expected.shape)
      )
    case 'token':
      return found._tag === 'token'
  }
}

/** Why not: a layout of registers that does not fit is L2, all else a mismatch. */
export const mismatch = (what: string, expected: Type, found: Type): Failure<'type.mismatch' | 'L2'> => ({
  code:
    expected._tag === 'tile' &&
    found._tag === 'tile' &&
    sameElement(expected.element, found.element) &&
    sameShape(expected.shape, found.shape)
      ? 'L2'
      : 'type.mismatch',
  message: `${what}: expected ${showType(expected)}, found ${showType(found)}`,
})

/** The type is fit to be a type at all: its layouts describe arrays of its shape. */
export const checkType = (type: Type): Typing => {
  switch (type._tag) {
    case 'view':
      return pipe(
        Ref.check(type.layout),
        E.chainW(() =>
          type.layout.bits === bitsOf(type.dtype)
            ? E.right<Failure<TypeErrorCode>, Type>(type)
            : refuse(
                'type.mismatch',
                `A ${type.dtype} view needs a layout of ${String(bitsOf(type.dtype))}-bit elements, found ${String(type.layout.bits)}`,
              ),
        ),
      )
    case 'tile':
      return withLayout(type.shape, type.element, type.layout)
    default:
      return E.right(type)
  }
}

const withLayout = (
  shape: ReadonlyArray<number>,
  element: TileType['element'],
  layout: RegisterLayout | 'any',
): Typing => {
  if (!shape.every((extent) => Number.isSafeInteger(extent) && extent > 0))
    return refuse('type.shape', `Extents of a tile must be positive integers, found ${showShape(shape)}`)
  if (layout === 'any') return E.right(tile(shape, element, 'any'))
  const legal = Layouts.checkShape(layout, shape)
  return E.isLeft(legal)
    ? refuse(
        'L2',
        `A ${showLayout(layout)} layout for a tile of shape ${showShape(shape)}: ${legal.left.message}`,
      )
    : E.right(tile(shape, element, layout))
}

// ---------------------------------------------------------------- constants

/** The value of an integer expression without names, if it is one. */
export const constantOf = (expr: ExprNode): number | undefined => {
  switch (expr._tag) {
    case 'const':
      return typeof expr.value === 'number' && isInteger(expr.dtype) ? expr.value : undefined
    case 'binary': {
      const x = constantOf(expr.x)
      const y = constantOf(expr.y)
      if (x === undefined || y === undefined) return undefined
      switch (expr.op) {
        case 'add':
          return x + y
        case 'sub':
          return x - y
        case 'mul':
          return x * y
        case 'quo':
          return y === 0 ? 0 : Math.trunc(x / y)
        case 'div':
          return y === 0 ? 0 : Math.floor(x / y)
        default:
          return undefined
      }
    }
    default:
      return undefined
  }
}

const constantsOf = (exprs: ReadonlyArray<ExprNode>): ReadonlyArray<number> | undefined => {
  const values = exprs.flatMap((expr) => {
    const value = constantOf(expr)
    return value === undefined ? [] : [value]
  })
  return values.length === exprs.length ? values : undefined
}

// ---------------------------------------------------------------- elementwise

const elementOfType = (type: Type): ScalarType | null =>
  type._tag === 'scalar' ? type : type._tag === 'tile' && type.element._tag === 'scalar' ? type.element : null

/** The same shape with other elements. */
const like = (type: Type, element: ScalarType): Type =>
  type._tag === 'tile' ? tile(type.shape, element, type.layout) : element

const definite = (a: RegisterLayout | 'any', b: RegisterLayout | 'any'): RegisterLayout | 'any' =>
  a === 'any' || (a._tag === 'splat' && b !== 'any') ? b : a

const splatted = (a: RegisterLayout | 'any'): boolean => a !== 'any' && a._tag === 'splat'

/** The common type of operands that are combined element by element: equal scalars, equal tiles, or a tile with scalars. */
const joint = (what: string, x: Type, y: Type): Typing => {
  const [a, b] = [x, y]
  if (a._tag !== 'tile' || b._tag !== 'tile') {
    const left = a._tag === 'tile' ? a.element : a
    const right = b._tag === 'tile' ? b.element : b
    return accepts(left, right) ? E.right(a._tag === 'tile' ? a : b) : E.left(mismatch(what, x, y))
  }
  if (!sameElement(a.element, b.element) || !sameShape(a.shape, b.shape)) return E.left(mismatch(what, x, y))
  if (!layoutsAgree(a.layout, b.layout, a.shape) && !splatted(a.layout) && !splatted(b.layout))
    return refuse(
      'L2',
      `${what}: both operands must have one register layout, found ${showType(a)} and ${showType(b)}`,
    )
  return E.right(tile(a.shape, a.element, definite(a.layout, b.layout)))
}

const needInteger = (what: string, type: Type): Typing => {
  const element = elementOfType(type)
  return element !== null && isInteger(element.dtype)
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected an integer or a tile of integers, found ${showType(type)}`)
}
const needFloat = (what: string, type: Type): Typing => {
  const element = elementOfType(type)
  return element !== null && isFloat(element.dtype)
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected a float or a tile of floats, found ${showType(type)}`)
}
const needNumber = (what: string, type: Type): Typing => {
  const element = elementOfType(type)
  return element !== null && element.dtype !== 'i1'
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected numbers, found ${showType(type)}`)
}
const needTile = (what: string, type: Type): E.Either<Failure<TypeErrorCode>, TileType> =>
  type._tag === 'tile'
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected a tile, found ${showType(type)}`)
const needView = (what: string, type: Type): E.Either<Failure<TypeErrorCode>, ViewType> =>
  type._tag === 'view'
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected a view, found ${showType(type)}`)
const needI32 = (what: string, type: Type): Typing =>
  accepts(i32, type) ? E.right(type) : E.left(mismatch(what, i32, type))

// ---------------------------------------------------------------- typeOf

const convert = (expr: Extract<ExprNode, { readonly _tag: 'convert' }>, x: Type): Typing => {
  const what = `${expr.op} to ${expr.to}`
  const from = elementOfType(x)
  if (from === null)
    return refuse('type.mismatch', `${what}: expected a scalar or a tile of scalars, found ${showType(x)}`)
  const integers = isInteger(from.dtype) && isInteger(expr.to)
  const [was, is] = [bitsOf(from.dtype), bitsOf(expr.to)]
  const legal =
    expr.op === 'trunc'
      ? integers && is < was
      : expr.op === 'cast'
        ? !integers
        : expr.op === 'bitcast'
          ? is === was
          : integers && is > was
  return legal
    ? E.right(like(x, scalar(expr.to)))
    : refuse('type.mismatch', `${what}: not a conversion from ${from.dtype}`)
}

const combineType = (env: Environment, combine: Combine, element: ScalarType): Typing => {
  const [left, right] = combine.params
  let names = bind(bind(noNames, left, { type: element }), right, { type: element })
  for (const { name, value } of combine.body) {
    const type = typeOf({ declarations: env.declarations, names })(value)
    if (E.isLeft(type)) return type
    names = bind(names, name, { type: type.right })
  }
  return pipe(
    typeOf({ declarations: env.declarations, names })(combine.result),
    E.chainW((type) =>
      accepts(element, type)
        ? E.right(type)
        : E.left<Failure<TypeErrorCode>>(mismatch('the combination of a reduce', element, type)),
    ),
  )
}

const constant = (dtype: ScalarName, value: number | string): Typing => {
  const wrong = refuse(
    'type.constant',
    `A constant of ${dtype} cannot be ${typeof value === 'string' ? `"${value}"` : String(value)}`,
  )
  switch (dtype) {
    case 'i1':
      return value === 0 || value === 1 ? E.right(i1) : wrong
    case 'i32':
      return typeof value === 'number' && (value | 0) === value ? E.right(i32) : wrong
    case 'i64':
      return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? E.right(scalar('i64')) : wrong
    default:
      return typeof value === 'number' || ['-0', 'Infinity', '-Infinity', 'NaN'].includes(value)
        ? E.right(scalar(dtype))
        : wrong
  }
}

const tensorView = (env: Environment, name: string): Typing => {
  const param = env.declarations.params.get(name)
  if (param?._tag !== 'tensor') return refuse('param.unknown', `There is no tensor parameter ${name}`)
  const shape = constantsOf(param.shape)
  const strides = constantsOf(param.strides)
  if (shape === undefined || strides === undefined)
    return refuse(
      'view.dynamic',
      `Tensor ${name} has a shape or strides that depend on scalar parameters, so it has no static view: use pointers or a descriptor`,
    )
  return pipe(
    Ref.ofStrides(
      shape,
      bitsOf(param.dtype),
      strides.map((stride, k) => (shape[k] === 1 ? 0 : stride)),
    ),
    E.map((layout): Type => view('gmem', param.dtype, layout)),
  )
}

const slotType = (env: Environment, expr: Extract<ExprNode, { readonly _tag: 'slot' }>): Typing =>
  pipe(
    typeOf(env)(expr.index),
    E.chain((index) => needI32('the index of a slot', index)),
    E.chain(() => typeOf(env)(expr.of)),
    E.chain((of): Typing => {
      const at = constantOf(expr.index)
      switch (of._tag) {
        case 'view':
          return pipe(
            Ref.slotShape(of.layout),
            E.chainFirstW(() => (at === undefined ? E.right(null) : Ref.slot(at)(of.layout))),
            E.map((layout) => view(of.space, of.dtype, layout)),
          )
        case 'barrier': {
          const count = of.shape[0]
          if (count === undefined)
            return refuse('type.mismatch', `slot: expected barriers, found a single one`)
          return at !== undefined && (at < 0 || at >= count)
            ? refuse('ref.bounds', `Index ${String(at)} is out of bounds for ${showType(of)}`)
            : E.right(barrier(of.contract, of.ordersTensorCore, of.shape.slice(1)))
        }
        default:
          return refuse('type.mismatch', `slot: expected a view or barriers, found ${showType(of)}`)
      }
    }),
  )

const allI32 = (
  what: string,
  env: Environment,
  exprs: ReadonlyArray<ExprNode>,
): E.Either<Failure<TypeErrorCode>, null> => {
  for (const [k, expr] of exprs.entries()) {
    const type = pipe(
      typeOf(env)(expr),
      E.chain((found) => needI32(`${what} ${String(k)}`, found)),
    )
    if (E.isLeft(type)) return type
  }
  return E.right(null)
}

const onView = (
  env: Environment,
  what: string,
  of: ExprNode,
  f: (layout: ViewType['layout']) => E.Either<Failure<TypeErrorCode>, ViewType['layout']>,
): Typing =>
  pipe(
    typeOf(env)(of),
    E.chain((type) => needView(what, type)),
    E.chain((of) =>
      pipe(
        f(of.layout),
        E.map((layout): Type => view(of.space, of.dtype, layout)),
      ),
    ),
  )

const onTile = (env: Environment, what: string, x: ExprNode, f: (of: TileType) => Typing): Typing =>
  pipe(
    typeOf(env)(x),
    E.chain((type) => needTile(what, type)),
    E.chain(f),
  )

const axisIn = (what: string, axis: number, rank: number): E.Either<Failure<TypeErrorCode>, null> =>
  Number.isInteger(axis) && axis >= 0 && axis < rank
    ? E.right(null)
    : refuse('type.shape', `${what}: axis ${String(axis)} is not one of ${String(rank)}`)

/** The type of an expression, or why it has none. */
export const typeOf =
  (env: Environment) =>
  (expr: ExprNode): Typing => {
    const of = typeOf(env)
    switch (expr._tag) {
      case 'const':
        return constant(expr.dtype, expr.value)
      case 'name': {
        const found = lookup(env.names, expr.name)
        if (found !== undefined) return E.right(found.type)
        const param = env.declarations.params.get(expr.name)
        return param?._tag === 'scalar'
          ? E.right(scalar(param.dtype))
          : refuse('name.unbound', `The name ${expr.name} is not bound here`)
      }
      case 'local':
        return refuse('ir.linked', 'A frame slot stands only in a linked program')
      case 'place':
        return pipe(
          axisIn(expr.of, expr.axis, 3),
          E.map(() => i32),
        )
      case 'dim': {
        const param = env.declarations.params.get(expr.param)
        return param?._tag === 'tensor'
          ? pipe(
              axisIn(`dim of ${expr.param}`, expr.axis, param.shape.length),
              E.map(() => i32),
            )
          : refuse('param.unknown', `There is no tensor parameter ${expr.param}`)
      }
      case 'unary':
        return pipe(
          of(expr.x),
          E.chain((x) => needFloat(expr.op, x)),
        )
      case 'binary':
        return pipe(
          of(expr.x),
          E.chain((x) =>
            pipe(
              of(expr.y),
              E.chain((y) => joint(expr.op, x, y)),
            ),
          ),
          E.chain((type) => {
            switch (expr.op) {
              case 'add':
              case 'sub':
              case 'mul':
              case 'min':
              case 'max':
                return needNumber(expr.op, type)
              case 'fdiv':
                return needFloat(expr.op, type)
              default:
                return needInteger(expr.op, type)
            }
          }),
        )
      case 'fma':
        return pipe(
          of(expr.x),
          E.chain((x) =>
            pipe(
              of(expr.y),
              E.chain((y) => joint('fma', x, y)),
            ),
          ),
          E.chain((xy) =>
            pipe(
              of(expr.z),
              E.chain((z) => joint('fma', xy, z)),
            ),
          ),
          E.chain((type) => needFloat('fma', type)),
        )
      case 'compare':
        return pipe(
          of(expr.x),
          E.chain((x) =>
            pipe(
              of(expr.y),
              E.chain((y) => joint(expr.op, x, y)),
            ),
          ),
          E.chain((type) =>
            elementOfType(type) === null
              ? refuse('type.mismatch', `${expr.op}: expected scalars, found ${showType(type)}`)
              : E.right(like(type, i1)),
          ),
        )
      case 'select':
        return pipe(
          of(expr.x),
          E.chain((x) =>
            pipe(
              of(expr.y),
              E.chain((y) =>
                x._tag === 'tile' || y._tag === 'tile'
                  ? joint('select', x, y)
                  : accepts(x, y)
                    ? E.right(x)
                    : E.left(mismatch('select', x, y)),
              ),
            ),
          ),
          E.chain((type) =>
            pipe(
              of(expr.cond),
              E.chain((cond): Typing => {
                if (accepts(i1, cond)) return E.right(type)
                const element = elementOfType(cond)
                if (
                  cond._tag !== 'tile' ||
                  element === null ||
                  element.dtype !== 'i1' ||
                  type._tag !== 'tile'
                )
                  return E.left(mismatch('the condition of a select', i1, cond))
                return sameShape(cond.shape, type.shape) && layoutsAgree(cond.layout, type.layout, type.shape)
                  ? E.right(tile(type.shape, type.element, definite(type.layout, cond.layout)))
                  : E.left(mismatch('the condition of a select', tile(type.shape, i1, type.layout), cond))
              }),
            ),
          ),
        )
      case 'convert':
        return pipe(
          of(expr.x),
          E.chain((x) => convert(expr, x)),
        )
      case 'pack': {
        let bits = 0
        let first: Type | null = null
        for (const part of expr.parts) {
          const type = of(part)
          if (E.isLeft(type)) return type
          if (type.right._tag !== 'scalar' || (first !== null && !accepts(first, type.right)))
            return refuse(
              'type.mismatch',
              `pack: expected scalars of one type, found ${showType(type.right)}`,
            )
          first ??= type.right
          bits += bitsOf(type.right.dtype)
        }
        return bits === bitsOf(expr.to)
          ? E.right(scalar(expr.to))
          : refuse(
              'type.mismatch',
              `pack: the parts have ${String(bits)} bits, ${expr.to} has ${String(bitsOf(expr.to))}`,
            )
      }
      case 'unpack':
        return pipe(
          of(expr.x),
          E.chain((x): Typing => {
            if (x._tag !== 'scalar')
              return refuse('type.mismatch', `unpack: expected a scalar, found ${showType(x)}`)
            const parts = bitsOf(x.dtype) / bitsOf(expr.to)
            return Number.isInteger(parts) && expr.part >= 0 && expr.part < parts
              ? E.right(scalar(expr.to))
              : refuse('type.mismatch', `unpack: ${x.dtype} has no part ${String(expr.part)} of ${expr.to}`)
          }),
        )
      case 'iota':
        return pipe(
          axisIn('iota', expr.axis, expr.shape.length),
          E.chain(() => withLayout(expr.shape, i32, expr.layout)),
        )
      case 'splat':
        return pipe(
          of(expr.x),
          E.chain((x) =>
            x._tag === 'scalar' || x._tag === 'ptr'
              ? withLayout(expr.shape, x, expr.layout)
              : refuse('type.mismatch', `splat: expected a scalar or a pointer, found ${showType(x)}`),
          ),
        )
      case 'broadcast':
        return onTile(env, 'broadcast', expr.x, (x) =>
          x.shape.length === expr.shape.length &&
          x.shape.every((extent, k) => extent === 1 || extent === expr.shape[k])
            ? withLayout(expr.shape, x.element, expr.layout)
            : refuse(
                'type.shape',
                `broadcast: ${showShape(x.shape)} repeats along dimensions of size one only, found target ${showShape(expr.shape)}`,
              ),
        )
      case 'expandDims':
        return onTile(env, 'expandDims', expr.x, (x) =>
          pipe(
            axisIn('expandDims', expr.axis, x.shape.length + 1),
            E.chain(() =>
              withLayout(
                [...x.shape.slice(0, expr.axis), 1, ...x.shape.slice(expr.axis)],
                x.element,
                expr.layout,
              ),
            ),
          ),
        )
      case 'reshape':
        return onTile(env, 'reshape', expr.x, (x) =>
          sizeOf(x.shape) === sizeOf(expr.shape)
            ? withLayout(expr.shape, x.element, expr.layout)
            : refuse(
                'type.shape',
                `reshape: ${showShape(expr.shape)} has not as many elements as ${showShape(x.shape)}`,
              ),
        )
      case 'transpose':
        return onTile(env, 'transpose', expr.x, (x) =>
          expr.perm.length === x.shape.length && isPermutation(expr.perm)
            ? withLayout(
                expr.perm.map((d) => x.shape[d]!),
                x.element,
                expr.layout,
              )
            : refuse(
                'type.shape',
                `transpose: ${showShape(expr.perm)} is not a permutation of the dimensions of ${showShape(x.shape)}`,
              ),
        )
      case 'reduce':
        return onTile(env, 'reduce', expr.x, (x) => {
          const element = x.element
          return element._tag !== 'scalar'
            ? refuse('type.mismatch', `reduce: expected a tile of scalars, found ${showType(x)}`)
            : pipe(
                axisIn('reduce', expr.axis, x.shape.length),
                E.chain(() => combineType(env, expr.combine, element)),
                E.chain(() =>
                  withLayout(
                    x.shape.filter((_, k) => k !== expr.axis),
                    element,
                    expr.layout,
                  ),
                ),
              )
        })
      case 'convertLayout':
        return onTile(env, 'convertLayout', expr.x, (x) => withLayout(x.shape, x.element, expr.layout))
      case 'vote':
        return onTile(env, expr.of, expr.x, (x) =>
          x.element._tag === 'scalar' && x.element.dtype === 'i1'
            ? E.right(i1)
            : refuse('type.mismatch', `${expr.of}: expected a tile of i1, found ${showType(x)}`),
        )
      case 'item':
        return onTile(env, 'item', expr.x, (x) =>
          x.shape.length === 0
            ? E.right(x.element)
            : refuse('type.shape', `item: expected a tile of rank 0, found ${showType(x)}`),
        )
      case 'paramPtr': {
        const param = env.declarations.params.get(expr.param)
        return param?._tag === 'tensor'
          ? E.right(ptr(param.dtype))
          : refuse('param.unknown', `There is no tensor parameter ${expr.param}`)
      }
      case 'addptr':
        return pipe(
          of(expr.ptr),
          E.chain((p) =>
            pipe(
              of(expr.offset),
              E.chain((offset): Typing => {
                const element = elementOfType(offset)
                if (element === null || (element.dtype !== 'i32' && element.dtype !== 'i64'))
                  return refuse(
                    'type.mismatch',
                    `addptr: expected an offset of i32 or i64, found ${showType(offset)}`,
                  )
                if (p._tag === 'ptr' && offset._tag === 'scalar') return E.right(p)
                if (p._tag !== 'tile' || p.element._tag !== 'ptr')
                  return refuse(
                    'type.mismatch',
                    `addptr: expected a pointer for ${showType(offset)}, found ${showType(p)}`,
                  )
                if (offset._tag === 'scalar') return E.right(p)
                return pipe(
                  joint('addptr', tile(p.shape, element, p.layout), offset),
                  E.map((both) => (both._tag === 'tile' ? tile(p.shape, p.element, both.layout) : p)),
                )
              }),
            ),
          ),
        )
      case 'storage': {
        const found = env.declarations.storage.get(expr.storage)
        return found === undefined
          ? refuse('storage.unknown', `There is no storage ${expr.storage}`)
          : E.right(storageType(found))
      }
      case 'tensor':
        return tensorView(env, expr.param)
      case 'descriptor': {
        const param = env.declarations.params.get(expr.param)
        if (param?._tag !== 'descriptor')
          return refuse('param.unknown', `There is no descriptor parameter ${expr.param}`)
        const tensor = env.declarations.params.get(param.tensor)
        return tensor?._tag === 'tensor'
          ? E.right(descriptor(tensor.dtype, param.box.length))
          : refuse('param.unknown', `Descriptor ${expr.param} is of an unknown tensor ${param.tensor}`)
      }
      case 'slot':
        return slotType(env, expr)
      case 'slice':
        return pipe(
          allI32('the start of a slice in dimension', env, expr.starts),
          E.chain(() =>
            onView(env, 'slice', expr.of, (layout) => {
              if (expr.starts.length !== layout.shape.length)
                return refuse(
                  'ref.rank',
                  `slice: expected ${String(layout.shape.length)} starts, found ${String(expr.starts.length)}`,
                )
              const starts = expr.starts.map(constantOf)
              const at = starts.map((start) => start ?? 0)
              return pipe(
                Ref.slice(at, expr.sizes)(layout),
                E.chainW(() => Ref.sliceShape(expr.sizes)(layout)),
              )
            }),
          ),
        )
      case 'transposeView':
        return onView(env, 'transposeView', expr.of, Ref.transpose(expr.perm))
      case 'reshapeView':
        return onView(env, 'reshapeView', expr.of, Ref.reshape(expr.shape))
      case 'reinterpret':
        return pipe(
          of(expr.of),
          E.chain((type) => needView('reinterpret', type)),
          E.chain((was) => {
            const end = (layout: ViewType['layout']): number => layout.byteOffset + Ref.extentBytes(layout)
            return end(expr.layout) <= end(was.layout)
              ? checkType(view(was.space, expr.dtype, expr.layout))
              : refuse(
                  'type.shape',
                  `reinterpret: ${showType(view(was.space, expr.dtype, expr.layout))} of ${String(end(expr.layout))} bytes does not fit in the ${String(end(was.layout))} of ${showType(was)}`,
                )
          }),
        )
      case 'remote':
        return pipe(
          of(expr.rank),
          E.chain((rank) => needI32('the rank of a remote view', rank)),
          E.chain(() => of(expr.of)),
          E.chain((type) =>
            type._tag === 'barrier' ||
            (type._tag === 'view' && (type.space === 'smem' || type.space === 'tmem'))
              ? E.right(type)
              : refuse(
                  'type.mismatch',
                  `remote: expected a barrier or a view of smem or tmem, found ${showType(type)}`,
                ),
          ),
        )
    }
  }

/** The view of a whole storage, or its barriers. */
export const storageType = (of: Storage): Type =>
  of.contents._tag === 'elements'
    ? view(of.space, of.contents.dtype, of.contents.layout)
    : barrier(of.contents.contract, of.contents.ordersTensorCore, of.contents.shape)

/** What a name bound to this expression stands for. */
export const bindingOf =
  (env: Environment) =>
  (expr: ExprNode, type: Type): Binding => {
    const param = descriptorOf(env)(expr)
    if (param !== undefined) return { type, descriptor: param }
    const base = type._tag === 'view' ? baseOf(env)(expr) : undefined
    return base === undefined ? { type } : { type, base }
  }

/** The descriptor parameter that an expression certainly is, if any. */
export const descriptorOf =
  (env: Environment) =>
  (expr: ExprNode): DescriptorParam | undefined => {
    if (expr._tag === 'name') return lookup(env.names, expr.name)?.descriptor
    if (expr._tag !== 'descriptor') return undefined
    const param = env.declarations.params.get(expr.param)
    return param?._tag === 'descriptor' ? param : undefined
  }

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

const moved = (base: Base, index: ExprNode, bytes: number, unit: number): Base => {
  const at = constantOf(index)
  return at === undefined
    ? { offset: base.offset, step: gcd(base.step, bytes) }
    : { offset: base.offset + Math.floor(at / unit) * bytes, step: base.step }
}

/** Where a view starts in its CTA's plane, as far as it is known before the run. */
export const baseOf =
  (env: Environment) =>
  (expr: ExprNode): Base | undefined => {
    switch (expr._tag) {
      case 'name':
        return lookup(env.names, expr.name)?.base
      case 'storage': {
        const found = env.declarations.storage.get(expr.storage)
        if (found === undefined) return undefined
        return found.offset === undefined
          ? { offset: 0, step: found.align }
          : { offset: found.offset, step: 0 }
      }
      case 'transposeView':
      case 'reshapeView':
      case 'reinterpret':
      case 'remote':
        return baseOf(env)(expr.of)
      case 'slot': {
        const base = baseOf(env)(expr.of)
        const of = typeOf(env)(expr.of)
        return base !== undefined && E.isRight(of) && of.right._tag === 'view'
          ? moved(base, expr.index, Ref.slotStrideBytes(of.right.layout), 1)
          : undefined
      }
      case 'slice': {
        const base = baseOf(env)(expr.of)
        const of = typeOf(env)(expr.of)
        if (base === undefined || E.isLeft(of) || of.right._tag !== 'view') return undefined
        const units = Ref.startUnits(of.right.layout)
        return expr.starts.reduce<Base>(
          (from, start, d) =>
            moved(from, start, Math.floor(units[d]?.strideBytes ?? 1), units[d]?.multipleOf ?? 1),
          base,
        )
      }
      default:
        return undefined
    }
  }
