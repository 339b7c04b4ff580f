/**
 * Atomics through pointers: `tt.atomic_rmw`, `tt.atomic_cas`.
 *
 *     %old = tt.atomic_rmw add, relaxed, gpu, %ptr, %val, %mask         atomicRmw('old', 'add', ptr, val, { mask, scope: 'gpu' })
 *
 * Of one pointer as of a tensor of them. Of two elements that name one address both count; who is first a chip does not say, and here it is the first.
 *
 * Source: Triton, Triton dialect.
 */
import type { Dtype } from '../../numerics/dtype.js'
import {
  block,
  letIn,
  run,
  runFor,
  typeHere,
  type Build,
  type ElementIndex,
} from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Condition, Expr, Ptr } from '../../semantics/language/expression.js'
import type { AtomicOp } from '../../semantics/language/instruction.js'
import { checked } from '../../semantics/language/index-types.js'
import type { PtrIndex, ScalarName } from '../../semantics/language/types.js'
import { alone } from './pointer.js'
import type { Tensor } from './types.js'

type Scope = 'cta' | 'cluster' | 'gpu' | 'sys'
export interface AtomicOptions {
  readonly mask?: Condition | Tensor<'i1'>
  /** the scope in which it is atomic; default: the GPU */
  readonly scope?: Scope
}

type Pointers<D extends Dtype> = Ptr<D> | Tensor<PtrIndex<D>>
type Values<D extends Dtype> = Expr<ElementIndex<D>> | Tensor<ElementIndex<D>>

const atomic = <D extends Dtype>(
  label: string,
  op: AtomicOp,
  ptr: Pointers<D>,
  value: Values<D>,
  compare: Values<D> | undefined,
  { mask, scope = 'gpu' }: AtomicOptions,
): Build<Expr> =>
  block(function* () {
    const type = yield* typeHere(ptr)
    const isOne = type._tag === 'ptr'
    const tensor = (x: Expr): Tensor<ScalarName> =>
      checked<Tensor<ScalarName>, Expr>(isOne ? alone(checked<Expr<ScalarName>, Expr>(x)) : x)
    const destination = isOne
      ? alone<PtrIndex>(checked<Ptr, Expr>(ptr))
      : checked<Tensor<PtrIndex>, Expr>(ptr)
    const [old] = yield* runFor([isOne ? `${label}.0` : label], {
      _tag: 'gmem.atomicPtr',
      op,
      destination,
      value: tensor(value),
      ...(compare === undefined ? {} : { compare: tensor(compare) }),
      ...(mask === undefined ? {} : { mask: checked<Tensor<'i1'>, Tensor>(tensor(mask)) }),
      scope,
    })
    return isOne ? yield* letIn(label, X.item(checked<X.Tile<'i32', 0>, Expr>(old!))) : old!
  })

/** Returns the old value; the element becomes the combination of the old value and the operand. */
export const atomicRmw = <D extends Dtype>(
  label: string,
  op: Exclude<AtomicOp, 'cas'>,
  ptr: Pointers<D>,
  value: Values<D>,
  options: AtomicOptions = {},
): Build<Expr> => atomic(label, op, ptr, value, undefined, options)

/** Returns the old value; the element becomes `value` if it was `compare`. */
export const atomicCas = <D extends Dtype>(
  label: string,
  ptr: Pointers<D>,
  compare: Values<D>,
  value: Values<D>,
  options: AtomicOptions = {},
): Build<Expr> => atomic(label, 'cas', ptr, value, compare, options)

/** The message for a false condition; the values replace {left} and {right}. */
export interface Told {
  readonly why: string
  readonly left?: Expr<'i64'>
  readonly right?: Expr<'i64'>
}

/** `tt.assert %condition`: a program whose condition is false anywhere stops. */
export const assert = (label: string, condition: Condition | Tensor<'i1'>, told?: Told): Build<void> =>
  block(function* () {
    const type = yield* typeHere(condition)
    const holds = type._tag === 'tile' ? X.all(checked<Tensor<'i1'>, Expr>(condition)) : condition
    yield* run(label, { _tag: 'trap', ...told }, { when: X.not(checked<Condition, Expr>(holds)) })
  })
