/**
 * The typing of places: pointers, storages, tensors, descriptors, and the views and barriers made from them.
 *
 * Everything static about a view is settled here. A slot, a slice, a transposition act on its layout; only its base stays for the run.
 *
 *     ring: view smem f16 (2, 64, 32), tiled and swizzled
 *     slot(ring, rem(k, 2))                     view smem f16 (64, 32), the same tiles
 *     slot(ring, 1.0)                           refused: an index is an i32
 *     slot(ring, 2)                             refused: out of bounds
 *     slice(slot(ring, 0), [0, 4], [64, 8])     refused: 4 is not a multiple of the tile
 *
 * An index that is not constant is taken for one in bounds: the machine checks it.
 *
 * | here          | Pallas               | Triton                  | PTX                     |
 * |---------------|----------------------|-------------------------|-------------------------|
 * | slot          | `ref.at[i]`          | memdesc_index           | address arithmetic      |
 * | slice         | `ref.at[pl.ds(..)]`  | memdesc_subslice        | address arithmetic      |
 * | transposeView | `transpose_ref`      | memdesc_trans           | (descriptor's major)    |
 * | reshapeView   | `ref.reshape`        | memdesc_reshape         | (nothing)               |
 * | reinterpret   | `ref.bitcast`        | memdesc_reinterpret     | (nothing)               |
 * | remote        |                      |                         | mapa                    |
 *
 * Laws
 * 1. A view's type is the layout algebra's: the layout of `slot(v, k)` is `slotShape` of v's, wherever the slot is, and so on
 *    for every combinator.
 * 2. `transposeView` by a permutation and by its inverse is the view.
 * 3. A reinterpretation never reaches beyond the view that it reinterprets.
 *
 * Source: JAX docs, Pallas:MGPU reference (memory reference transforms); Triton `ttg` memdesc operations; PTX ISA 9, mapa.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../../../failure.js'
import { bitsOf } from '../../../numerics/dtype.js'
import * as Ref from '../../../transforms/ref.js'
import type { NodeOf } from '../expression.js'
import type { Storage } from '../program.js'
import { type Type, type ViewType, barrier, descriptor, ptr, tile, view } from '../types.js'
import { constantOf, constantsOf } from './constant.js'
import type { Declarations } from './environment.js'
import {
  type TypeOf,
  after,
  allI32,
  elementOfType,
  joint,
  needI32,
  needView,
  onView,
  withBoth,
} from './operand.js'
import { showType } from './show-type.js'
import { type Typing, checkType } from './typing.js'

// ---------------------------------------------------------------- model

/** Expressions that say where something lies. */
export type PlaceNode = NodeOf<'places'>

// ---------------------------------------------------------------- declared places

/** The view of a whole storage, or its barriers. */
export const storageType = (of: Storage): Type =>
  of.contents._tag === 'elements'
    ? view(of.space, of.contents.dtype, of.contents.layout)
    : barrier(of.contents.contract, of.contents.ordersTensorCore, of.contents.shape)

const tensorView = (declarations: Declarations, name: string): Typing => {
  const param = declarations.params.get(name)
  if (param?._tag !== 'tensor') return refuse('param.unknown', `There is no tensor parameter ${name}`)
  const shape = constantsOf(param.shape)
  const strides = constantsOf(param.strides)
  if (shape === undefined || strides === undefined)
    return refuse(
      'view.dynamic',
      `Tensor ${name} has a shape or strides that depend on scalar parameters, so it has no static view: use pointers or a descriptor`,
    )
  return after(
    Ref.ofStrides(
      shape,
      bitsOf(param.dtype),
      strides.map((stride, k) => (shape[k] === 1 ? 0 : stride)),
    ),
    (layout) => E.right(view('gmem', param.dtype, layout)),
  )
}

// ---------------------------------------------------------------- parts of places

const slotType = (of: TypeOf, expr: Extract<PlaceNode, { readonly _tag: 'slot' }>): Typing => {
  const index = after(of(expr.index), (type) => needI32('the index of a slot', type))
  return after(
    after(index, () => of(expr.of)),
    (was): Typing => {
      const at = constantOf(expr.index)
      switch (was._tag) {
        case 'view':
          return after(Ref.slotShape(was.layout), (layout) =>
            after(at === undefined || at === 0 ? E.right(null) : Ref.slot(at)(was.layout), () =>
              E.right(view(was.space, was.dtype, layout)),
            ),
          )
        case 'barrier': {
          const count = was.shape[0]
          if (count === undefined)
            return refuse('type.mismatch', `slot: expected barriers, found a single one`)
          return at !== undefined && (at < 0 || at >= count)
            ? refuse('ref.bounds', `Index ${String(at)} is out of bounds for ${showType(was)}`)
            : E.right(barrier(was.contract, was.ordersTensorCore, was.shape.slice(1)))
        }
        case 'descriptor':
        case 'ptr':
        case 'scalar':
        case 'tile':
        case 'token':
          return refuse('type.mismatch', `slot: expected a view or barriers, found ${showType(was)}`)
      }
    },
  )
}

// ---------------------------------------------------------------- typing

export const typeOfPlaces =
  (declarations: Declarations, of: TypeOf) =>
  (expr: PlaceNode): Typing => {
    switch (expr._tag) {
      case 'paramPtr': {
        const param = declarations.params.get(expr.param)
        return param?._tag === 'tensor'
          ? E.right(ptr(param.dtype))
          : refuse('param.unknown', `There is no tensor parameter ${expr.param}`)
      }
      case 'addptr':
        return withBoth(of, expr.ptr, expr.offset, (p, offset) => {
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
          return after(joint('addptr', tile(p.shape, element, p.layout), offset), (both) =>
            E.right(both._tag === 'tile' ? tile(p.shape, p.element, both.layout) : p),
          )
        })
      case 'castPtr':
        return after(of(expr.ptr), (p): Typing =>
          p._tag === 'ptr'
            ? E.right(ptr(expr.dtype))
            : p._tag === 'tile' && p.element._tag === 'ptr'
              ? E.right(tile(p.shape, ptr(expr.dtype), p.layout))
              : refuse('type.mismatch', `castPtr: expected a pointer, found ${showType(p)}`),
        )
      case 'storage': {
        const found = declarations.storage.get(expr.storage)
        return found === undefined
          ? refuse('storage.unknown', `There is no storage ${expr.storage}`)
          : E.right(storageType(found))
      }
      case 'tensor':
        return tensorView(declarations, expr.param)
      case 'descriptor': {
        const param = declarations.params.get(expr.param)
        if (param?._tag !== 'descriptor')
          return refuse('param.unknown', `There is no descriptor parameter ${expr.param}`)
        const tensor = declarations.params.get(param.tensor)
        return tensor?._tag === 'tensor'
          ? E.right(descriptor(tensor.dtype, param.box.length))
          : refuse('param.unknown', `Descriptor ${expr.param} is of an unknown tensor ${param.tensor}`)
      }
      case 'slot':
        return slotType(of, expr)
      case 'slice':
        return after(allI32(of, 'the start of a slice in dimension', expr.starts), () =>
          onView(of, 'slice', expr.of, (layout) => {
            if (expr.starts.length !== layout.shape.length)
              return refuse(
                'ref.rank',
                `slice: expected ${String(layout.shape.length)} starts, found ${String(expr.starts.length)}`,
              )
            const starts = expr.starts.map(constantOf)
            const at = starts.map((start) => start ?? 0)
            return after(Ref.slice(at, expr.sizes)(layout), () => Ref.sliceShape(expr.sizes)(layout))
          }),
        )
      case 'transposeView':
        return onView(of, 'transposeView', expr.of, Ref.transpose(expr.perm))
      case 'reshapeView':
        return onView(of, 'reshapeView', expr.of, Ref.reshape(expr.shape))
      case 'reinterpret':
        return after(
          after(of(expr.of), (type) => needView('reinterpret', type)),
          (was) => {
            const end = (layout: ViewType['layout']): number => layout.byteOffset + Ref.extentBytes(layout)
            return end(expr.layout) <= end(was.layout)
              ? checkType(view(was.space, expr.dtype, expr.layout))
              : refuse(
                  'type.shape',
                  `reinterpret: ${showType(view(was.space, expr.dtype, expr.layout))} of ${String(end(expr.layout))} bytes does not fit in the ${String(end(was.layout))} of ${showType(was)}`,
                )
          },
        )
      case 'remote':
        return after(
          after(
            after(of(expr.rank), (rank) => needI32('the rank of a remote view', rank)),
            () => of(expr.of),
          ),
          (type) =>
            type._tag === 'barrier' ||
            (type._tag === 'view' && (type.space === 'smem' || type.space === 'tmem'))
              ? E.right(type)
              : refuse(
                  'type.mismatch',
                  `remote: expected a barrier or a view of smem or tmem, found ${showType(type)}`,
                ),
        )
    }
  }
