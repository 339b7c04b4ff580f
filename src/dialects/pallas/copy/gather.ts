/**
 * Gathers and scatters: rows of a matrix that an array of indices names.
 *
 * The copy engine takes four rows a message, from boxes of one row. The indices are a register array in a layout that gives each message its
 * four: `TMA_INDICES` (16 at a time, four to a warp) or `TMA_INDICES_4`. In SMEM the rows lie one under the other:
 *
 *     SMEM (16, 64) f16, Tiling (8, 64), Swizzle 128     rows of 128 bytes, one column of tiles: one gather of 16 rows
 *     SMEM (16, 128) f16, the same                       two columns of tiles: a gather for each of the 2 x 2 tiles, with its own 8 indices
 *
 * | rule                                                        | else                       |
 * |-------------------------------------------------------------|----------------------------|
 * | a matrix; no collective copy, no predicate, no reduction    | pallas.copy.gather         |
 * | a ref that is a matrix, tiles of 8 rows or none             | pallas.copy.gather         |
 * | one index a row of the ref, in one of the two layouts       | pallas.copy.gather.indices |
 * | four rows are a multiple of 128 bytes                       | pallas.copy.gather.rows    |
 *
 * Law 1. Gathering rows r is copying the slices (1, n) at rows r, one under the other; scattering them puts them back.
 *
 * Names: `copy_gmem_to_smem(x.at[idx], ...)`, `copy_smem_to_gmem(..., x.at[idx])`.
 *
 * Source: JAX docs, Pallas:MGPU reference; PTX ISA, tile::gather4 and tile::scatter4.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { nameOf as layoutName, showLayout } from '../../../layouts/register-layout.js'
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import {
  block,
  descriptorParam,
  build,
  letIn,
  run,
  typeHere,
  type Build,
} from '../../../semantics/writing/builder.js'
import {
  add,
  eq,
  i32,
  iota,
  reduce,
  reinterpret,
  reshape,
  select,
  slot,
  splat,
  type Barrier as BarrierExpr,
  type Condition,
  type Descriptor,
  type Int,
  type Tile,
  type View,
} from '../../../semantics/language/expression.js'
import { constantOf, showType } from '../../../semantics/language/typecheck.js'
import type { Contract } from '../../../semantics/language/types.js'
import * as Ref from '../../../transforms/ref.js'
import { showShape } from '../../../transforms/shape.js'
import { swizzleElements } from '../../../transforms/swizzle.js'
import { refuse, refused, type Code } from '../codes.js'
import { onceInThread } from '../core-map.js'
import type { CopyOptions } from './options.js'
import { contiguousTensor, orRefused, type SmemRef } from './map.js'
import type { GmemRows } from './slice.js'

const rowsOfTile = 8

// ---------------------------------------------------------------- what can be gathered

/** How the rows lie in the ref: columns of tiles, each `width` elements wide. */
interface Columns {
  readonly count: number
  readonly width: number
}

const columnsOf = (label: string, ref: SmemRef): E.Either<Failure<Code>, Columns> => {
  const { shape, tiling, swizzle, strides } = ref.layout
  const [rows = 0, columns = 0] = shape
  if (shape.length !== 2)
    return refuse(
      'pallas.copy.gather',
      `${label}: expected a matrix to gather or scatter rows, found ${ref.name} of shape ${showShape(shape)}`,
    )
  const [tileRows, width] = tiling[0] ?? [rows, columns]
  if (
    tiling.length > 1 ||
    (tiling[0] !== undefined && (tiling[0].length !== 2 || tileRows !== rowsOfTile)) ||
    (swizzle !== 16 && width !== swizzleElements(swizzle, ref.layout.bits))
  )
    return refuse(
      'pallas.copy.gather',
      `${label}: rows are gathered and scattered with tiles of 8 rows and one swizzle span, found ${ref.name} of tiles ${showShape(tiling[0] ?? shape)} and a swizzle of ${String(swizzle)} bytes`,
    )
  const extents = Ref.tiledShape(ref.layout)
  const plain = extents.map((_, d) => extents.slice(d + 1).reduce((product, n) => product * n, 1))
  const off = extents.findIndex((n, d) => n > 1 && strides[d] !== plain[d])
  if (off >= 0)
    return refuse(
      'pallas.copy.contiguous',
      `${label}: ${ref.name} is a part of an SMEM ref with gaps between its elements (strides ${showShape(strides)} for ${showShape(extents)}): only contiguous SMEM can be copied`,
    )
  const bytes = (4 * width! * ref.layout.bits) / 8
  return bytes % 128 === 0
    ? E.right({ count: columns / width!, width: width! })
    : refuse(
        'pallas.copy.gather.rows',
        `${label}: four rows must be a multiple of 128 bytes, found ${String(bytes)}: ${String(width)} elements of ${ref.dtype} each`,
      )
}

const checkIndices = (label: string, rows: Tile<'i32', 1>, count: number): Build<void> =>
  block(function* () {
    const type = yield* typeHere(rows)
    const no = (what: string): Build<never> => refused('pallas.copy.gather.indices', `${label}: ${what}`)
    if (
      type._tag !== 'tile' ||
      type.shape.length !== 1 ||
      type.element._tag !== 'scalar' ||
      type.element.dtype !== 'i32'
    )
      return yield* no(`expected a 1-D array of indices of at most 32 bits, found ${showType(type)}`)
    if (type.shape[0] !== count)
      return yield* no(
        `expected ${String(count)} indices, one for each row of the ref, found ${String(type.shape[0])}`,
      )
    const name = type.layout === 'any' ? 'TMA_INDICES' : layoutName(type.layout)
    if (name !== 'TMA_INDICES' && name !== 'TMA_INDICES_4')
      return yield* no(
        `expected indices in the layout TMA_INDICES or TMA_INDICES_4, found ${type.layout === 'any' ? 'any' : showLayout(type.layout)}`,
      )
    const unit = name === 'TMA_INDICES_4' || type.layout === 'any' ? 4 : 16
    if (count % unit !== 0)
      return yield* no(`${name} holds indices ${String(unit)} at a time, found ${String(count)}`)
  })

// ---------------------------------------------------------------- messages

/** One gather or scatter: which indices, from which column, and what part of the ref. */
interface Message {
  readonly label: string
  readonly rows: Tile<'i32', 1>
  readonly column: Int
  readonly part: View<'smem'>
}

/** Indices 8 k to 8 k + 7: all others become zero, and the sum over the tiles is what remains. */
const eightOf = (label: string, rows: Tile<'i32', 1>, count: number, k: number): Build<Tile<'i32', 1>> => {
  const shape = [count / rowsOfTile, rowsOfTile]
  const cut = reshape<'i32', 2>(rows, shape)
  const mine = eq(iota<2>(shape, 0), splat<'i32', 2>(i32(k), shape))
  return letIn(label, reduce(select(mine, cut, splat<'i32', 2>(i32(0), shape)), 0, add))
}

const messagesOf = <D extends Dtype>(
  label: string,
  source: GmemRows<D>,
  view: View<'smem'>,
  ref: SmemRef,
): Build<{ readonly descriptor: Descriptor<D>; readonly messages: ReadonlyArray<Message> }> =>
  block(function* () {
    const { tensor, rows, start, size } = source
    if (tensor.param.shape.length !== 2)
      return yield* refused(
        'pallas.copy.gather',
        `${label}: rows are gathered from and scattered to a matrix, found ${tensor.param.name} of ${String(tensor.param.shape.length)} dimensions`,
      )
    if (tensor.dtype !== ref.dtype)
      return yield* refused(
        'pallas.copy.dtype',
        `${label}: Expected dtypes to match, found ${tensor.dtype} of ${tensor.param.name} and ${ref.dtype} of ${ref.name}`,
      )
    const { count, width } = yield* orRefused(columnsOf(label, ref))
    const [height, columns] = [ref.layout.shape[0]!, ref.layout.shape[1]!]
    yield* checkIndices(label, rows, height)
    if (size !== columns)
      return yield* refused(
        'pallas.copy.shape',
        `${label}: Expected shapes to match, found rows of ${String(size)} elements and ${ref.name} of shape ${showShape(ref.layout.shape)}`,
      )
    const extents = yield* orRefused(contiguousTensor(label, tensor))
    const bits = bitsOf(tensor.dtype)
    if ((extents[1]! * bits) % 128 !== 0 || width > 256)
      return yield* refused(
        width > 256 ? 'pallas.copy.box' : 'pallas.copy.stride',
        width > 256
          ? `${label}: a copy takes at most 256 elements of each dimension, found rows of ${String(width)} of ${tensor.param.name}`
          : `${label}: all strides but the last must be multiples of 16 bytes, found ${String((extents[1]! * bits) / 8)} bytes in dimension 0 of ${tensor.param.name}`,
      )
    const descriptor = yield* build<Descriptor<D>>((state) => {
      let name = `${label}.map`
      for (let k = 1; state.params.has(name); k++) name = `${label}.map_${String(k)}`
      return descriptorParam(name, tensor, [1, width], { swizzle: ref.layout.swizzle }).run(state)
    })
    if (count === 1) return { descriptor, messages: [{ label, rows, column: start, part: view }] }

    const flat = Ref.ofStrides(
      [(height / rowsOfTile) * count, rowsOfTile, width],
      bits,
      [rowsOfTile * width, width, 1],
      ref.layout.swizzle,
    )
    if (E.isLeft(flat)) return yield* refused('pallas.copy.gather', `${label}: ${flat.left.message}`)
    const tiles = reinterpret<D, 3, 'smem'>(view, tensor.dtype, {
      ...flat.right,
      byteOffset: ref.layout.byteOffset,
    })
    const messages: Message[] = []
    for (let k = 0; k < height / rowsOfTile; k++) {
      const eight = yield* eightOf(`${label}.rows[${String(k)}]`, rows, height, k)
      for (let c = 0; c < count; c++) {
        const known = constantOf(start)
        messages.push({
          label: `${label}[${String(k)}, ${String(c)}]`,
          rows: eight,
          column: c === 0 ? start : known === undefined ? add(start, i32(c * width)) : i32(known + c * width),
          part: slot(tiles, i32(k * count + c)),
        })
      }
    }
    return { descriptor, messages }
  })

/** A gather: the bytes of the ref are expected once, for all messages. */
export const gatherRows = <D extends Dtype>(
  label: string,
  source: GmemRows<D>,
  destination: View<'smem'>,
  ref: SmemRef,
  barrier: BarrierExpr<Contract>,
  bytes: number,
  options: CopyOptions,
): Build<void> =>
  block(function* () {
    const asked =
      options.predicate !== undefined
        ? 'a predicate'
        : options.collectiveAxes !== undefined ||
            options.leaderTracked !== undefined ||
            options.partitionedAxis !== undefined
          ? 'collective axes'
          : null
    if (asked !== null)
      return yield* refused('pallas.copy.gather', `${label}: gathers do not support ${asked}`)
    const { descriptor, messages } = yield* messagesOf(label, source, destination, ref)
    const once = yield* onceInThread(label, options.when)
    const guard = once === null ? {} : { when: once }
    yield* run(
      `${label}.expect`,
      { _tag: 'mbarrier.arriveExpectTx', barrier, bytes: i32(bytes), release: true, scope: 'cta' },
      guard,
    )
    for (const m of messages)
      yield* run(
        m.label,
        {
          _tag: 'tma.gather',
          descriptor,
          rows: m.rows,
          column: m.column,
          destination: m.part,
          barrier,
          ctaGroup: 1,
        },
        guard,
      )
  })

/** A scatter: all messages are in the open group. */
export const scatterRows = <D extends Dtype>(
  label: string,
  destination: GmemRows<D>,
  source: View<'smem'>,
  ref: SmemRef,
  options: { readonly when?: Condition | undefined },
): Build<void> =>
  block(function* () {
    const { descriptor, messages } = yield* messagesOf(label, destination, source, ref)
    for (const m of messages)
      yield* run(
        m.label,
        { _tag: 'tma.scatter', descriptor, rows: m.rows, column: m.column, source: m.part },
        options.when === undefined ? {} : { when: options.when },
      )
  })
