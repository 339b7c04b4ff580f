/**
 * Atomics: each element of a ref is combined with one of a value, at once.
 *
 *     atomic_add(bins.at[1:3], (5, 7))      bins (1, 1, 1, 1) -> (1, 6, 8, 1), whatever is added meanwhile
 *
 * Of shared memory an atomic is one instruction over the ref. Of global memory it goes through pointers to the elements, which follow from the
 * tensor's strides and from how the ref was cut out of it. What was there before is not given back.
 *
 * Laws
 * 1. Atomics of integers by several blocks leave what they leave in any order.
 *
 * Names: `plgpu.atomic_add`, `atomic_max`, `atomic_min`, `atomic_and`, `atomic_or`, `atomic_xor`.
 *
 * Source: JAX docs, Pallas:MGPU reference; PTX ISA, atom and red (which dtypes).
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Dtype } from '../../numerics/dtype.js'
import {
  atomicPtr,
  block,
  build,
  smemAtomic,
  typeHere,
  type Build,
  type ResultOptions,
} from '../../semantics/writing/builder.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr, ExprNode, Int, Tile, View } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { AnyTile } from '../../semantics/language/instruction.js'
import { isAtomic } from '../../semantics/instructions/atomic.js'
import { elementOf } from '../../semantics/language/signature.js'
import { showType } from '../../semantics/language/typecheck.js'
import type { Param } from '../../semantics/language/program.js'
import type { PtrIndex, ScalarName } from '../../semantics/language/types.js'
import { sameShape, showShape } from '../../transforms/shape.js'
import { refused } from './codes.js'
import { onceInThread } from './core-map.js'

// ---------------------------------------------------------------- model

type Op = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor'

export interface AtomicOptions {
  readonly when?: X.Condition
}

// ---------------------------------------------------------------- pointers

/** Where the elements of a ref of global memory lie in its tensor. */
interface Cut {
  readonly param: string
  readonly offset: Int
  readonly strides: ReadonlyArray<Int>
}

const moved = (c: Cut, starts: ReadonlyArray<Int>): Int =>
  starts.reduce((sum, start, d) => X.add(sum, X.mul(start, c.strides[d]!)), c.offset)

const asInt = (e: ExprNode): Int => checked<Int, ExprNode>(e)

/** How a ref was cut out of its tensor; null: not so that it can be told. */
const cutOf = (params: ReadonlyMap<string, Param>, e: ExprNode): Cut | null => {
  switch (e._tag) {
    case 'tensor': {
      const p = params.get(e.param)
      return p?._tag === 'tensor' ? { param: e.param, offset: X.i32(0), strides: p.strides } : null
    }
    case 'slice': {
      const of = cutOf(params, e.of)
      return of === null ? null : { ...of, offset: moved(of, e.starts.map(asInt)) }
    }
    case 'slot': {
      const of = cutOf(params, e.of)
      return of === null ? null : { ...of, offset: moved(of, [asInt(e.index)]), strides: of.strides.slice(1) }
    }
    case 'transposeView': {
      const of = cutOf(params, e.of)
      return of === null ? null : { ...of, strides: e.perm.map((d) => of.strides[d]!) }
    }
    default:
      return null
  }
}

const cutHere = (ref: View): Build<Cut | null> => build((state) => E.right([cutOf(state.params, ref), state]))

const pointersTo = <D extends Dtype, R extends number>(
  cut: Cut,
  shape: ReadonlyArray<number>,
  layout: RegisterLayout | 'any',
): Tile<PtrIndex<D>, R> => {
  const offsets = cut.strides.reduce<Tile<'i32', R>>(
    (sum, stride, d) =>
      X.add(sum, X.mul(X.iota<R>(shape, d, layout), X.splat<'i32', R>(stride, shape, layout))),
    X.splat<'i32', R>(cut.offset, shape, layout),
  )
  return X.addptr(X.splat<PtrIndex<D>, R>(X.paramPtr<D>(cut.param), shape, layout), offsets)
}

// ---------------------------------------------------------------- operations

const atomic =
  (op: Op) =>
  <D extends Dtype, R extends number>(
    label: string,
    ref: View<'smem' | 'gmem', D, R>,
    value: AnyTile | Expr<ScalarName>,
    options: AtomicOptions = {},
  ): Build<void> =>
    block(function* () {
      const of = yield* typeHere(ref)
      const given = yield* typeHere(value)
      if (of._tag !== 'view' || (of.space !== 'smem' && of.space !== 'gmem'))
        return yield* refused(
          'pallas.atomic.ref',
          `${label}: atomic_${op} of ${showType(of)}: expected a ref of SMEM or GMEM`,
        )
      if (!isAtomic(op, of.dtype))
        return yield* refused('pallas.atomic.dtype', `${label}: there is no atomic_${op} of ${of.dtype}`)
      const { shape } = of.layout
      const element = elementOf(of.dtype).dtype
      const dtype =
        given._tag === 'scalar'
          ? given.dtype
          : given._tag === 'tile' && given.element._tag === 'scalar'
            ? given.element.dtype
            : null
      if (dtype !== element)
        return yield* refused(
          'pallas.atomic.value',
          `${label}: atomic_${op} of a ref of ${of.dtype}: expected a value of ${element}, found ${showType(given)}`,
        )
      if (given._tag === 'tile' && !sameShape(given.shape, shape))
        return yield* refused(
          'pallas.atomic.value',
          `${label}: atomic_${op} of a ref of shape ${showShape(shape)}: expected a value of that shape, found ${showShape(given.shape)}`,
        )
      const layout = given._tag === 'tile' ? given.layout : 'any'
      const tile =
        given._tag === 'tile'
          ? checked<AnyTile, Expr>(value)
          : X.splat(checked<Expr<ScalarName>, Expr>(value), shape)
      const once = yield* onceInThread(label, options.when)
      const how: ResultOptions = once === null ? {} : { when: once }
      if (of.space === 'smem') {
        yield* smemAtomic(label, op, checked<View<'smem', D, R>, Expr>(ref), tile, how)
        return
      }
      const cut = yield* cutHere(ref)
      if (cut === null)
        return yield* refused(
          'pallas.atomic.ref',
          `${label}: atomic_${op}: expected a tensor, or slices of it, where the operation stands`,
        )
      yield* atomicPtr(label, op, pointersTo<D, R>(cut, shape, layout), tile, how)
    })

type Atomic = <D extends Dtype, R extends number>(
  label: string,
  ref: View<'smem' | 'gmem', D, R>,
  value: AnyTile | Expr<ScalarName>,
  options?: AtomicOptions,
) => Build<void>
export const atomicAdd: Atomic = atomic('add')
export const atomicMax: Atomic = atomic('max')
export const atomicMin: Atomic = atomic('min')
export const atomicAnd: Atomic = atomic('and')
export const atomicOr: Atomic = atomic('or')
export const atomicXor: Atomic = atomic('xor')
