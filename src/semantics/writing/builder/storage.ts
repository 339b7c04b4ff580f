/**
 * Storages: memory of the kernel's own, and the views of the whole of it.
 *
 * | builder         | space | bytes of (64, 64) f16             | belongs to | Pallas            |
 * |-----------------|-------|-----------------------------------|------------|-------------------|
 * | `sharedMemory`  | smem  | 8192, tiled and swizzled as told  | the CTA    | `plgpu.SMEM`      |
 * | `tensorMemory`  | tmem  | 32 columns of 4 bytes in 128 lanes | the CTA   | `plgpu.TMEM`      |
 * | `registers`     | regs  | 8192                              | an agent   | `plgpu.ACC`       |
 * | `globalScratch` | gmem  | 8192                              | the CTA    | `plgpu.GMEM`      |
 * | `barriers`      | smem  | 8 each                            | the CTA    | `plgpu.Barrier`   |
 *
 * Where a storage lies is decided later, by `place`; here it gets its size and alignment. Storages may share bytes: the members of
 * a union overlap, equal member numbers lie behind each other.
 *
 * Laws
 * 1. The view of a storage has the shape, dtype and transforms that were asked for, or the failure is the layout's.
 * 2. A storage of shared memory starts at a multiple of its swizzle's period, unless told otherwise.
 * 3. An id is a storage's once; `freshStorage` gives one that is no storage's.
 *
 * Source: JAX docs, Pallas:MGPU reference (memory spaces); PTX ISA 9, tensor memory addressing.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, refuse } from '../../../failure.js'
import { type Dtype, bitsOf } from '../../../numerics/dtype.js'
import * as Ref from '../../../transforms/ref.js'
import { tmemLaneBytes } from '../../../layouts/tensor-memory/geometry.js'
import type { TransformedRef } from '../../../transforms/ref.js'
import { rowMajorStrides } from '../../../transforms/shape.js'
import type { Transform } from '../../../transforms/transform.js'
import * as X from '../../language/expression.js'
import type { Barrier, Expr, View } from '../../language/expression.js'
import { checked } from '../../language/index-types.js'
import { tmemColumnsOf } from '../../language/place.js'
import type { Storage } from '../../language/program.js'
import type { Contract, Space } from '../../language/types.js'
import { type Build, build, chain, fromEither } from './monad.js'
import { type State, amend } from './state.js'

// ---------------------------------------------------------------- model

export interface StorageOptions {
  /** bytes; a swizzled buffer starts at a multiple of its period by default, others at 128 */
  readonly align?: number
  /** member of a union: all members of one number lie behind each other, different members overlap */
  readonly alias?: { readonly union: string; readonly member: number }
  /** in place of the layout that the transforms give */
  readonly layout?: TransformedRef
}

// ---------------------------------------------------------------- a storage

const store = (state: State, storage: Storage): E.Either<Failure, State> =>
  state.storage.has(storage.id)
    ? refuse('name.bound-twice', `There are two storages ${storage.id}`)
    : E.right(amend(state, { storage: new Map([...state.storage, [storage.id, storage]]) }))

const storageRecord = (
  id: string,
  space: Space,
  owner: Storage['owner'],
  contents: Storage['contents'],
  bits: number,
  align: number,
  options: StorageOptions,
): Storage =>
  options.alias === undefined
    ? { id, space, owner, contents, bits, align }
    : { id, space, owner, contents, bits, align, alias: options.alias }

const declareElements = <S extends Space, D extends Dtype, R extends number>(
  id: string,
  space: S,
  owner: Storage['owner'],
  dtype: D,
  layout: TransformedRef,
  bits: number,
  options: StorageOptions,
): Build<View<S, D, R>> =>
  build((state) => {
    const align = options.align ?? (space === 'smem' ? Math.max(128, layout.swizzle * 8) : 4)
    return pipe(
      store(
        state,
        storageRecord(id, space, owner, { _tag: 'elements', dtype, layout }, bits, align, options),
      ),
      E.map((after) => [checked<View<S, D, R>, Expr>(X.storage(id)), after]),
    )
  })

const layoutOf = (
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  transforms: ReadonlyArray<Transform>,
  options: StorageOptions,
): E.Either<Failure, TransformedRef> =>
  options.layout === undefined ? Ref.ofTransforms(shape, bitsOf(dtype), transforms) : E.right(options.layout)

// ---------------------------------------------------------------- shared memory

/** A buffer of shared memory. */
export const sharedMemory = <D extends Dtype, const S extends ReadonlyArray<number>>(
  id: string,
  dtype: D,
  shape: S,
  transforms: ReadonlyArray<Transform> = [],
  options: StorageOptions = {},
): Build<View<'smem', D, S['length']>> =>
  pipe(
    fromEither(layoutOf(dtype, shape, transforms, options)),
    chain((layout) =>
      declareElements<'smem', D, S['length']>(
        id,
        'smem',
        'cta',
        dtype,
        layout,
        Ref.extentBytes(layout) * 8,
        options,
      ),
    ),
  )

// ---------------------------------------------------------------- tensor memory

/** Rows of 128 lanes side by side, elements packed in the columns unless `columnBits` spreads them out; leading dimensions are buffers behind each other. */
export const tensorMemory = <D extends Dtype, const S extends ReadonlyArray<number>>(
  id: string,
  dtype: D,
  shape: S,
  options: StorageOptions & { readonly columnBits?: number } = {},
): Build<View<'tmem', D, S['length']>> => {
  const bits = bitsOf(dtype)
  const step = (options.columnBits ?? bits) / bits
  const rank = shape.length
  const columns = shape[rank - 1] ?? 1
  const strides = rowMajorStrides([...shape.slice(0, Math.max(0, rank - 2)), columns]).map((s) => s * step)
  const leading = strides.slice(0, -1)
  const layout =
    options.layout === undefined
      ? Ref.ofStrides(shape, bits, rank < 2 ? [step] : [...leading, (tmemLaneBytes * 8) / bits, step])
      : E.right(options.layout)
  return pipe(
    fromEither<TransformedRef>(layout),
    chain((legal) =>
      declareElements<'tmem', D, S['length']>(
        id,
        'tmem',
        'cta',
        dtype,
        legal,
        tmemColumnsOf(legal) * 32 * 128,
        options,
      ),
    ),
  )
}

// ---------------------------------------------------------------- names

/** A name that no storage has yet: of what an operation declares by itself. One text, several threads or loops: each gets its own. */
export const freshStorage = (id: string): Build<string> =>
  build((state) => {
    let name = id
    for (let k = 1; state.storage.has(name); k++) name = `${id}_${String(k)}`
    return E.right([name, state])
  })

// ---------------------------------------------------------------- registers and global memory

/** Registers of one agent that an asynchronous unit reads or writes. */
export const registers = <D extends Dtype, const S extends ReadonlyArray<number>>(
  id: string,
  agent: string,
  dtype: D,
  shape: S,
  options: StorageOptions = {},
): Build<View<'regs', D, S['length']>> =>
  pipe(
    fromEither(layoutOf(dtype, shape, [], options)),
    chain((layout) =>
      declareElements<'regs', D, S['length']>(
        id,
        'regs',
        { agent },
        dtype,
        layout,
        Ref.extentBytes(layout) * 8,
        options,
      ),
    ),
  )

/** Global memory of the kernel's own. */
export const globalScratch = <D extends Dtype, const S extends ReadonlyArray<number>>(
  id: string,
  dtype: D,
  shape: S,
  options: StorageOptions = {},
): Build<View<'gmem', D, S['length']>> =>
  pipe(
    fromEither(layoutOf(dtype, shape, [], options)),
    chain((layout) =>
      declareElements<'gmem', D, S['length']>(id, 'gmem', 'cta', dtype, layout, Ref.extentBytes(layout) * 8, {
        align: 128,
      }),
    ),
  )

// ---------------------------------------------------------------- barriers

/** One barrier (shape `[]`) or an array of them. `ordersTensorCore`: a tensor core may arrive on it. */
export const barriers = <
  const S extends ReadonlyArray<number>,
  C extends Contract = 'ptx',
  const O extends boolean = false,
>(
  id: string,
  shape: S,
  options: { readonly contract?: C; readonly ordersTensorCore?: O } = {},
): Build<Barrier<C, O, S['length']>> =>
  build((state) =>
    pipe(
      store(
        state,
        storageRecord(
          id,
          'smem',
          'cta',
          {
            _tag: 'barriers',
            contract: options.contract ?? 'ptx',
            ordersTensorCore: options.ordersTensorCore ?? false,
            shape,
          },
          64 * shape.reduce((product, extent) => product * extent, 1),
          8,
          {},
        ),
      ),
      E.map((after) => [checked<Barrier<C, O, S['length']>, Expr>(X.storage(id)), after]),
    ),
  )
