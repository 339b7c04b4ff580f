/**
 * Copies of a thread's own: `async_copy_global_to_local`, `async_commit_group`, `async_wait`.
 *
 * Each thread copies what its pointers point to; where the mask is false it writes zeros. Copies belong to no group until they are
 * committed; a wait leaves at most so many of the newest groups of its own thread running.
 *
 *     %t = ttg.async_copy_global_to_local %p, %buffer mask %m      cpAsync.copy
 *     %g = ttg.async_commit_group tokens %t                        cpAsync.commitGroup
 *     %w = ttg.async_wait %g {num = 1}                             cpAsync.waitGroup 1
 *
 * Tokens order nothing: the groups do. What is copied is a generic access: a unit of the async proxy that reads it needs a fence.
 *
 * A copy is of 4, 8 or 16 bytes: as many as `contiguity` says are next to each other, in both memories. `other` of a text is
 * not looked at, as in Triton's lowering: its pipeliner puts a select of what is not zero behind the load from shared memory.
 *
 * Source: Triton, TritonGPU dialect and its lowering; PTX ISA, cp.async.
 */
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import {
  block,
  commitAsync,
  copyAsync,
  typeHere,
  waitAsync,
  type Build,
} from '../../semantics/writing/builder.js'
import type { Expr } from '../../semantics/language/expression.js'
import type { PtrIndex } from '../../semantics/language/types.js'
import { refused } from './codes.js'
import { sameShapes, shown } from './tensor.js'
import { memDescHere, tensorHere, type MemDesc, type Tensor } from './types.js'

export type AsyncToken = Expr<'token'>

export interface AsyncCopyOptions<R extends number> {
  readonly mask?: Tensor<'i1', R>
  /** elements that lie next to each other for one thread; as many as are needed if not given */
  readonly contiguity?: number
}

const tokenHere = (label: string, k: number, one: AsyncToken): Build<void> =>
  block(function* () {
    const type = yield* typeHere(one)
    if (type._tag !== 'token')
      return yield* refused(
        'ttng.async_token',
        `${label}: operand ${String(k)} must be an async token, found ${shown(type)}`,
      )
  })

/** `ttg.async_copy_global_to_local %src, %result (mask %mask)`. */
export const asyncCopyGlobalToLocal = <D extends Dtype, R extends number>(
  label: string,
  src: Tensor<PtrIndex<D>, R>,
  result: MemDesc<'smem', D, R>,
  options: AsyncCopyOptions<R> = {},
): Build<AsyncToken> =>
  block(function* () {
    const from = yield* tensorHere(label, 'src', src)
    const to = yield* memDescHere(label, 'result', result)
    if (from.element._tag !== 'ptr' || from.element.dtype !== to.dtype)
      return yield* refused(
        'ttng.async_copy.element_type',
        `${label}: src must be a tensor of pointers to ${to.dtype}, as result, found ${shown(from)}`,
      )
    yield* sameShapes(
      label,
      'ttng.async_copy.shape',
      'src must have the shape of result',
      to.layout.shape,
      from.shape,
    )
    const { mask, contiguity } = options
    if (mask !== undefined) {
      const { shape } = yield* tensorHere(label, 'mask', mask)
      yield* sameShapes(
        label,
        'ttng.async_copy.shape',
        'mask must have the shape of result',
        to.layout.shape,
        shape,
      )
    }
    const bits = bitsOf(to.dtype)
    if (contiguity !== undefined && contiguity * bits < 32)
      return yield* refused(
        'ttng.async_copy.contiguity',
        `${label}: a copy is of 4, 8 or 16 bytes, found ${String(contiguity)} elements of ${String(bits)} bits next to each other`,
      )
    return yield* copyAsync(label, src, result, mask === undefined ? {} : { mask })
  })

/** `ttg.async_commit_group tokens %tokens`: what was copied since the last one is a group. */
export const asyncCommitGroup = (label: string, tokens: ReadonlyArray<AsyncToken> = []): Build<AsyncToken> =>
  block(function* () {
    for (const [k, one] of tokens.entries()) yield* tokenHere(label, k, one)
    return yield* commitAsync(label)
  })

/** `ttg.async_wait %tokens {num}`. */
export const asyncWait = (label: string, tokens: ReadonlyArray<AsyncToken>, num: number): Build<AsyncToken> =>
  block(function* () {
    for (const [k, one] of tokens.entries()) yield* tokenHere(label, k, one)
    if (!Number.isInteger(num) || num < 0)
      return yield* refused(
        'ttng.async_wait.num',
        `${label}: num is a number of groups of 0 or more, found ${String(num)}`,
      )
    return yield* waitAsync(label, num)
  })
