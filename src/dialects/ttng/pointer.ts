/**
 * Pointers: `tt.addptr`, `tt.load`, `tt.store`, `ttg.global_scratch_alloc`.
 *
 * A tensor of pointers is a tile of them; an offset counts elements of the pointee. `tt.splat`, `tt.broadcast` and the like
 * (`tensor.ts`) make one of a parameter:
 *
 *     %pa_13 = tt.splat %a : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #b>      splat('pa_13', a, [64, 1], b)
 *     %pa_14 = tt.addptr %pa_13, %pa_12                                         addptr('pa_14', pa13, pa12)
 *     %v     = tt.load %pa_14, %mask, %other                                    load('v', pa14, { mask, other })
 *     %n     = tt.load %size : !tt.ptr<i32>                                     loadOne('n', size)
 *
 * Where the mask is false nothing is read, and the element is that of `other`; without `other` it is 0 here, and nothing at all in Triton.
 *
 * Scratch is global memory that the launcher brings, so many bytes for each program: one more tensor parameter, `u8`.
 *
 * Source: Triton, Triton and TritonGPU dialects.
 */
import type { Dtype } from '../../numerics/dtype.js'
import {
  block,
  letIn,
  loadPtr,
  run,
  tensorParam,
  typeHere,
  type Build,
  type ElementIndex,
} from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Condition, Expr, Int, Ptr } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { PtrIndex, ScalarName, TileIndex, TileType } from '../../semantics/language/types.js'
import { isPowerOfTwo } from '../../layouts/linear/linear-layout.js'
import { refused, type Code } from './codes.js'
import { sameShapes, shown } from './tensor.js'
import { tensorHere, type Tensor } from './types.js'

// ---------------------------------------------------------------- addresses

/** `tt.addptr %ptr, %offset`: of pointers, or tensors of them. */
export const addptr = <I extends PtrIndex | TileIndex<PtrIndex, number>>(
  label: string,
  ptr: Expr<I>,
  offset: Expr<'i32' | 'i64' | TileIndex<'i32' | 'i64', number>>,
): Build<Expr<I>> =>
  block(function* () {
    const of = yield* typeHere(ptr)
    const by = yield* typeHere(offset)
    const tensors = of._tag === 'tile' && of.element._tag === 'ptr' && by._tag === 'tile'
    if (!tensors && !(of._tag === 'ptr' && by._tag === 'scalar'))
      return yield* refused(
        'ttng.addptr.operands',
        `${label}: addptr takes a pointer and an integer, or a tensor of each, found ${shown(of)} and ${shown(by)}`,
      )
    if (tensors)
      yield* sameShapes(label, 'ttng.addptr.shape', 'ptr and offset must have one shape', of.shape, by.shape)
    return yield* letIn(
      label,
      checked<Expr<I>, Expr>(X.addptr(checked<Ptr, Expr>(ptr), checked<Int, Expr>(offset))),
    )
  })

// ---------------------------------------------------------------- accesses

const pointersHere = (
  label: string,
  op: 'load' | 'store' | 'async_copy',
  ptr: Tensor<PtrIndex>,
): Build<TileType> =>
  block(function* () {
    const type = yield* tensorHere(label, 'ptr', ptr)
    return type.element._tag === 'ptr'
      ? type
      : yield* refused('ttng.pointers', `${label}: ${op} takes a tensor of pointers, found ${shown(type)}`)
  })

const shaped = (
  label: string,
  code: Code,
  field: string,
  pointers: TileType,
  tensor: Tensor | undefined,
): Build<void> =>
  block(function* () {
    if (tensor === undefined) return
    const { shape } = yield* tensorHere(label, field, tensor)
    yield* sameShapes(label, code, `${field} must have the shape of ptr`, pointers.shape, shape)
  })

export interface LoadPointers<D extends Dtype, R extends number> {
  readonly mask?: Tensor<'i1', R>
  readonly other?: Tensor<ElementIndex<D>, R>
}
/** `tt.load %ptr (, %mask (, %other))`. */
export const load = <D extends Dtype, R extends number>(
  label: string,
  ptr: Tensor<PtrIndex<D>, R>,
  options: LoadPointers<D, R> = {},
): Build<Tensor<ElementIndex<D>, R>> =>
  block(function* () {
    const type = yield* pointersHere(label, 'load', ptr)
    const { mask, other } = options
    if (other !== undefined && mask === undefined)
      return yield* refused('ttng.load.other', `${label}: other replaces masked elements, found no mask`)
    yield* shaped(label, 'ttng.load.shape', 'mask', type, mask)
    yield* shaped(label, 'ttng.load.shape', 'other', type, other)
    return yield* loadPtr(label, ptr, {
      ...(type.layout === 'any' ? {} : { layout: type.layout }),
      ...(mask === undefined ? {} : { mask }),
      ...(other === undefined ? {} : { other: checked<Tensor<ScalarName>, Tensor>(other) }),
    })
  })

/** `tt.store %ptr, %value (, %mask)`. */
export const store = <D extends Dtype, R extends number>(
  label: string,
  ptr: Tensor<PtrIndex<D>, R>,
  value: Tensor<ElementIndex<D>, R>,
  options: { readonly mask?: Tensor<'i1', R> } = {},
): Build<void> =>
  block(function* () {
    const type = yield* pointersHere(label, 'store', ptr)
    yield* shaped(label, 'ttng.store.shape', 'value', type, value)
    yield* shaped(label, 'ttng.store.shape', 'mask', type, options.mask)
    yield* run(label, {
      _tag: 'gmem.storePtr',
      destination: ptr,
      value: checked<Tensor<ScalarName>, Tensor>(value),
      ...(options.mask === undefined ? {} : { mask: options.mask }),
    })
  })

// ---------------------------------------------------------------- of one pointer

/** The pointer as a tensor without dimensions. */
export const alone = <D extends ScalarName | PtrIndex>(x: Expr<D>): Tensor<D, 0> => X.splat<D, 0>(x, [])

/** `tt.load %ptr` of one pointer: a scalar. */
export const loadOne = <D extends Dtype>(
  label: string,
  ptr: Ptr<D>,
  options: { readonly mask?: Condition; readonly other?: Expr<ElementIndex<D>> } = {},
): Build<Expr<ElementIndex<D>>> =>
  block(function* () {
    const { mask, other } = options
    if (other !== undefined && mask === undefined)
      return yield* refused('ttng.load.other', `${label}: other replaces masked elements, found no mask`)
    const found = yield* loadPtr(`${label}.0`, alone<PtrIndex<D>>(ptr), {
      ...(mask === undefined ? {} : { mask: alone(mask) }),
      ...(other === undefined ? {} : { other: checked<Tensor<ScalarName>, Tensor>(alone(other)) }),
    })
    return yield* letIn(label, X.item(found))
  })

/** `tt.store %ptr, %value` of one pointer. */
export const storeOne = <D extends Dtype>(
  label: string,
  ptr: Ptr<D>,
  value: Expr<ElementIndex<D>>,
  options: { readonly mask?: Condition } = {},
): Build<void> =>
  run(label, {
    _tag: 'gmem.storePtr',
    destination: alone<PtrIndex<D>>(ptr),
    value: checked<Tensor<ScalarName>, Tensor>(alone(value)),
    ...(options.mask === undefined ? {} : { mask: alone(options.mask) }),
  })

// ---------------------------------------------------------------- scratch

export interface Scratch {
  readonly nbytes: number
  /** bytes; a power of two */
  readonly alignment: number
  /** the grid's extents, if there is more than one program: each has bytes of its own */
  readonly grid?: ReadonlyArray<number | Int>
}
/** `ttg.global_scratch_alloc {nbytes, alignment}`: a tensor parameter of the label's name. */
export const globalScratchAlloc = (
  label: string,
  { nbytes, alignment, grid = [] }: Scratch,
): Build<Ptr<'u8'>> =>
  block(function* () {
    if (!isPowerOfTwo(alignment) || !Number.isInteger(nbytes) || nbytes < 1)
      return yield* refused(
        'ttng.global_scratch_alloc.size',
        `${label}: expected a number of bytes at a power of two, found ${String(nbytes)} at ${String(alignment)}`,
      )
    const each = Math.ceil(nbytes / alignment) * alignment
    const extents = grid.map((n): Int => (typeof n === 'number' ? X.i32(n) : n))
    const known = grid.reduce<number>((all, n) => (typeof n === 'number' ? all * n : all), each)
    const open = grid.filter((n) => typeof n !== 'number')
    const bytes = open.reduce<Int>((all, n) => X.mul(all, n), X.i32(known))
    const tensor = yield* tensorParam(label, 'u8', [bytes], { role: 'inout' })
    if (extents.length === 0) return tensor.ptr
    const program = extents.reduceRight<Int>(
      (outer, n, axis) => X.add(X.mul(outer, n), X.place('programId', axis)),
      X.i32(0),
    )
    return yield* letIn(label, X.addptr(tensor.ptr, X.mul(program, X.i32(each))))
  })
