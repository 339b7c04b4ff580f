/**
 * Tensor memory: `tmem_alloc`, `tmem_load`, `tmem_store`, `tmem_subslice`, `tmem_copy`.
 *
 * A kernel has one allocation of columns, made before everything else (`tcgen5GlobalAlloc`); `tmem_alloc` names a part of it. Loads and stores
 * are synchronous: each ends with its own wait. A copy from shared memory is not: it stands in the queue of the products behind it, and what
 * else wants to see it waits for a commit.
 *
 *     tmem_alloc %src      storage, tcgen05.st, tcgen05.waitSt          tmem_load       tcgen05.ld, tcgen05.waitLd, regs.read
 *     tmem_alloc           storage                                      tmem_store      tcgen05.st, tcgen05.waitSt
 *     tmem_copy            tcgen05.cp (and tcgen05.commit)              tmem_subslice   a view of some columns
 *
 * A wait is of one warp: another agent that reads what was stored, or overwrites what was loaded, needs a barrier between.
 *
 * | operation | seed's form              | today's                                                            |
 * |-----------|--------------------------|--------------------------------------------------------------------|
 * | tmem_copy | an optional barrier      | without: a commit follows                                          |
 * | tmem_load | src, dep                 | redOp, abs: the result `red` of a minimum or maximum of each row (NaN: refused) |
 *
 * Laws
 * 1. `memoryOf` is the linear layout of the encoding, read off the view of an allocation.
 *
 * Source: Triton, TritonNvidiaGPU dialect and its lowering; PTX ISA, tcgen05.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure } from '../../failure.js'
import { linearLayout, standardOutputs, type LinearLayout } from '../../layouts/linear/linear-layout.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import {
  isAllocation,
  tmemColumns,
  tmemLaneBytes,
  tmemQuarterLanes,
} from '../../layouts/tensor-memory/geometry.js'
import type { TensorMemorySpec } from '../../layouts/triton/encoding.js'
import { allocation } from '../../layouts/triton/tensor-memory.js'
import { onShape } from '../../layouts/triton/to-linear.js'
import { toRef } from '../../layouts/triton/to-ref.js'
import { transferOf } from '../../layouts/triton/tmem-atoms.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import {
  block,
  freshStorage,
  fromEither,
  letIn,
  regsRead,
  run,
  tensorMemory,
  type Build,
  type ElementIndex,
} from '../../semantics/writing/builder.js'
import {
  abs,
  i32,
  max,
  min,
  reduce,
  reinterpret,
  slice,
  slot,
  type Expr,
  type Tile,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { AnyTile } from '../../semantics/language/instruction.js'
import type { ViewType } from '../../semantics/language/types.js'
import * as Ref from '../../transforms/ref.js'
import type { TransformedRef } from '../../transforms/ref.js'
import { sameShape, showShape, sizeOf } from '../../transforms/shape.js'
import { evenCta } from './cluster-layout.js'
import { refused } from './codes.js'
import { TMEMLoadReduceModifier, nameOf, showTable, type Attribute } from './enums.js'
import { on, partitionSync, speaks } from './issue.js'
import { tcGen5Commit } from './tensor-core.js'
import {
  freshRegisters,
  memDescHere,
  tensorHere,
  token,
  type BarrierDesc,
  type Issuer,
  type MemDesc,
  type OpOptions,
  type Tensor,
  type Token,
  type WithToken,
} from './types.js'

// ---------------------------------------------------------------- layouts

/** The place of a view, as a linear layout (row, col, block) -> index; null if it is not linear, or if no
 * load moves its elements. */
export const memoryOf = ({ layout }: ViewType): LinearLayout | null => {
  const { shape, bits } = layout
  if (shape.length !== 2 || ![8, 16, 32].includes(bits)) return null
  const addresses = Ref.swizzledAddresses(layout, 0)
  const start = addresses[0]!
  const cells = new Map<string, number>()
  let last = 0
  addresses.forEach((address, element) => {
    const lane = Math.floor(address / tmemLaneBytes) - Math.floor(start / tmemLaneBytes)
    const column = (((address % tmemLaneBytes) - (start % tmemLaneBytes)) * 8) / bits
    cells.set(`${String(lane)} ${String(column)}`, element)
    last = Math.max(last, column)
  })
  const at = (lane: number, column: number): ReadonlyArray<number> => {
    const element = cells.get(`${String(lane)} ${String(column)}`) ?? 0
    return [Math.floor(element / shape[1]!), element % shape[1]!]
  }
  const powers = (limit: number): ReadonlyArray<number> =>
    Array.from({ length: Math.ceil(Math.log2(limit)) }, (_, k) => 2 ** k)
  const made = linearLayout({
    inputs: [
      { name: 'row', bases: powers(128).map((lane) => at(lane, 0)) },
      { name: 'col', bases: powers(last + 1).map((column) => at(0, column)) },
      { name: 'block', bases: [] },
    ],
    outputs: standardOutputs(shape),
  })
  return E.isRight(made) ? made.right : null
}

/** Some shape of tcgen05.ld and st moves the tensor to or from the view, or a text says why not. */
const moves = (registers: RegisterLayout | 'any', view: ViewType): string | null => {
  const memory = memoryOf(view)
  if (registers === 'any' || registers._tag !== 'linear' || memory === null) return null
  const found = transferOf(registers, memory, view.layout.bits)
  return E.isRight(found) ? null : found.left.message
}

const inTmem = (label: string, field: string, of: MemDesc): Build<ViewType> =>
  block(function* () {
    const view = yield* memDescHere(label, field, of)
    if (view.space !== 'tmem')
      return yield* refused(
        'ttng.tmem.memory',
        `${label}: ${field} must be in tensor memory, found ${view.space}`,
      )
    return view
  })

// ---------------------------------------------------------------- the kernel's allocation

export interface AllocationOptions {
  readonly from?: Issuer
  readonly twoCtas?: boolean
}

/**
 * The columns of the kernel: `tcgen05.alloc` by one warp, which lets others allocate then. For a pair, the
 * cluster meets first, as in Triton's lowering: the other CTA must have started.
 */
export const tcgen5GlobalAlloc = (
  label: string,
  columns: number,
  { from, twoCtas = false }: AllocationOptions = {},
): Build<void> =>
  block(function* () {
    if (!isAllocation(columns))
      return yield* refused(
        'ttng.tmem_alloc.columns',
        `${label}: a kernel allocates 32, 64, 128, 256 or 512 columns, found ${String(columns)}`,
      )
    const ctaGroup = twoCtas ? 2 : 1
    if (twoCtas) {
      yield* run(`${label}.arrive`, { _tag: 'cluster.arrive', relaxed: true })
      yield* run(`${label}.meet`, { _tag: 'cluster.wait' })
    }
    yield* run(label, { _tag: 'tcgen05.alloc', columns, ctaGroup }, on(speaks(from)))
    yield* run(`${label}.relinquish`, { _tag: 'tcgen05.relinquish', ctaGroup }, on(speaks(from)))
    yield* partitionSync(`${label}.sync`, from)
  })

/** Frees the columns of the kernel. */
export const tcgen5GlobalDealloc = (
  label: string,
  columns: number,
  { from, twoCtas = false }: AllocationOptions = {},
): Build<void> =>
  block(function* () {
    yield* partitionSync(`${label}.sync`, from)
    yield* run(label, { _tag: 'tcgen05.dealloc', columns, ctaGroup: twoCtas ? 2 : 1 }, on(speaks(from)))
  })

// ---------------------------------------------------------------- allocations

export interface AllocOptions extends OpOptions {
  readonly encoding: TensorMemorySpec
  readonly src?: AnyTile
  /** a memdesc that is not mutable needs a source; true if not given */
  readonly mutable?: boolean
}

/** `ttng.tmem_alloc (%src)`: a part of the kernel's columns, with the contents of `src`. */
export const tmemAlloc = <D extends Dtype, const S extends ReadonlyArray<number>>(
  label: string,
  dtype: D,
  shape: S,
  options: AllocOptions,
): Build<WithToken<MemDesc<'tmem', D, S['length']>>> =>
  block(function* () {
    const { src } = options
    if (options.mutable === false && src === undefined)
      return yield* refused(
        'ttng.tmem_alloc.mutable',
        `${label}: an allocation that is not mutable needs a source, since nothing else can write it`,
      )
    const bits = bitsOf(dtype)
    if (options.encoding._tag === 'tensor_memory_scales' && bits !== 8)
      return yield* refused(
        'ttng.tmem_alloc.encoding',
        `${label}: scales have 8 bits, found elements of ${dtype} under tensor_memory_scales_encoding`,
      )
    const layout = yield* fromEither(
      pipe(
        toRef(options.encoding, shape, bits),
        E.mapLeft((why) =>
          failure(
            'ttng.tmem_alloc.encoding',
            `${label}: a ${options.encoding._tag} is not an encoding of ${dtype} ${showShape(shape)}: ${why.message}`,
          ),
        ),
      ),
    )
    const linear = onShape(options.encoding)(shape.slice(-2))
    const columns =
      sizeOf(shape.slice(0, -2)) * (E.isRight(linear) ? allocation(linear.right, bits).columns : 0)
    if (columns > tmemColumns)
      return yield* refused(
        'ttng.tmem_alloc.columns',
        `${label}: tensor memory has ${String(tmemColumns)} columns, and ${showShape(shape)} of ${dtype} takes ${String(columns)}`,
      )
    if (options.encoding._tag === 'tensor_memory_scales' && src !== undefined)
      return { result: yield* scalesStored(label, dtype, shape, layout, src, options), token }
    const result = yield* tensorMemory(yield* freshStorage(label), dtype, shape, { layout })
    if (src !== undefined) yield* store(label, src, result, options)
    return { result, token }
  })

/**
 * Scales that come from registers. A product reads a copy in each quarter of the lanes, and each warp stores what it holds, which is all of them, in its own: so
 * the storage is four quarters, and the first of them is the memdesc.
 */
const scalesStored = <D extends Dtype, const S extends ReadonlyArray<number>>(
  label: string,
  dtype: D,
  shape: S,
  layout: TransformedRef,
  src: AnyTile,
  options: OpOptions,
): Build<MemDesc<'tmem', D, S['length']>> =>
  block(function* () {
    const whole = yield* fromEither(Ref.batch(4, tmemQuarterLanes * tmemLaneBytes)(layout))
    const storage = yield* tensorMemory(yield* freshStorage(label), dtype, [4, ...shape], { layout: whole })
    const quarter = (q: number): MemDesc<'tmem', D, 2> =>
      checked<MemDesc<'tmem', D, 2>, Expr>(slot(storage, i32(q)))
    for (let q = 0; q < 4; q++)
      yield* store(q === 0 ? label : `${label}.${String(q)}`, src, quarter(q), options)
    return checked<MemDesc<'tmem', D, S['length']>, Expr>(quarter(0))
  })

// ---------------------------------------------------------------- loads and stores

export interface TmemLoadOptions {
  readonly from: Issuer
  readonly dep?: Token
  /** today's: also the minimum or maximum of each row */
  readonly redOp?: Attribute<typeof TMEMLoadReduceModifier>
  /** of the magnitudes */
  readonly abs?: boolean
  /** NaN wins: refused */
  readonly NaN?: boolean
}

export interface TmemLoaded<D extends Dtype> extends WithToken<Tensor<ElementIndex<D>, 2>> {
  readonly red?: Tensor<'f32', 1>
}

/** `ttng.tmem_load %src`: with the layout of the result. */
export const tmemLoad = <D extends Dtype>(
  label: string,
  src: MemDesc<'tmem', D, 2>,
  layout: RegisterLayout,
  options: TmemLoadOptions,
): Build<TmemLoaded<D>> =>
  block(function* () {
    const view = yield* inTmem(label, 'src', src)
    const { shape } = view.layout
    const [rows = 0, columns = 0] = shape
    if (shape.length !== 2)
      return yield* refused(
        'ttng.tmem_load.shape',
        `${label}: src must have rank 2, found ${showShape(shape)}`,
      )
    if (view.dtype === 'e8m0' || view.dtype === 'ue4m3')
      return yield* refused(
        'ttng.tmem_load.encoding',
        `${label}: src must have a tensor_memory_encoding, found scales of ${view.dtype}`,
      )
    const wrong = moves(layout, view)
    if (wrong !== null)
      return yield* refused(
        'ttng.tmem_load.layout',
        `${label}: no shape of tcgen05.ld gives ${showShape(shape)} of ${view.dtype} in this layout: ${wrong}`,
      )
    const into = yield* freshRegisters(label, options.from, checked<D, Dtype>(view.dtype), [rows, columns])
    yield* run(`${label}.ld`, { _tag: 'tcgen05.ld', source: src, destination: into })
    yield* run(`${label}.wait`, { _tag: 'tcgen05.waitLd' })
    const result = yield* regsRead(label, into, { layout })
    if (options.redOp === undefined) return { result, token }
    const op = nameOf(TMEMLoadReduceModifier, options.redOp)
    if (op === null)
      return yield* refused(
        'ttng.tmem_load.reduction',
        `${label}: redOp is one of ${showTable(TMEMLoadReduceModifier)}, found ${String(options.redOp)}`,
      )
    const spread =
      layout._tag === 'linear' &&
      layout.inputs.some(({ name, bases }) => name !== 'register' && bases.some((b) => b[1] !== 0))
    if (view.dtype !== 'f32' || options.NaN === true || spread)
      return yield* refused(
        'ttng.tmem_load.reduction',
        `${label}: a reduction is of f32 without NaN, a row in one thread, found ${options.NaN === true ? 'NaN' : spread ? 'a row in several threads' : view.dtype}`,
      )
    const values = checked<Tile<'f32', 2>, Tile>(result)
    const red = yield* letIn(
      `${label}.red`,
      reduce(options.abs === true ? abs(values) : values, 1, op === 'min' ? min : max),
    )
    return { result, token, red }
  })

const store = (label: string, src: AnyTile, dst: MemDesc<'tmem'>, options: OpOptions): Build<void> =>
  block(function* () {
    const view = yield* inTmem(label, 'dst', dst)
    const type = yield* tensorHere(label, 'src', src)
    const element = type.element._tag === 'scalar' ? type.element.dtype : 'pointers'
    if (!sameShape(type.shape, view.layout.shape))
      return yield* refused(
        'ttng.tmem_store.shape',
        `${label}: src and dst must have one shape, found ${showShape(type.shape)} and ${showShape(view.layout.shape)}`,
      )
    const wrong = moves(type.layout, view)
    if (wrong !== null)
      return yield* refused(
        'ttng.tmem_store.layout',
        `${label}: no shape of tcgen05.st moves ${showShape(type.shape)} of ${element} from this layout: ${wrong}`,
      )
    yield* run(`${label}.st`, { _tag: 'tcgen05.st', destination: dst, value: src }, on(options.when))
    yield* run(`${label}.wait`, { _tag: 'tcgen05.waitSt' })
  })

export interface TmemStoreOptions extends OpOptions {
  readonly dep?: Token
}

/** `ttng.tmem_store %src, %dst, %pred`. */
export const tmemStore = (
  label: string,
  src: AnyTile,
  dst: MemDesc<'tmem', Dtype, 2>,
  options: TmemStoreOptions = {},
): Build<Token> =>
  block(function* () {
    yield* store(label, src, dst, options)
    return token
  })

// ---------------------------------------------------------------- views

/** `ttng.tmem_subslice %src {N}`: columns N to N + n - 1. */
export const tmemSubslice = <D extends Dtype>(
  label: string,
  src: MemDesc<'tmem', D, 2>,
  N: number,
  n: number,
): Build<MemDesc<'tmem', D, 2>> =>
  block(function* () {
    const { layout } = yield* inTmem(label, 'src', src)
    const [rows = 0, columns = 0] = layout.shape
    if (layout.shape.length !== 2)
      return yield* refused(
        'ttng.tmem_subslice.rank',
        `${label}: src must have rank 2, found ${showShape(layout.shape)}`,
      )
    if (!Number.isInteger(n) || !Number.isInteger(N) || n < 1 || N < 0 || N % n !== 0)
      return yield* refused(
        'ttng.tmem_subslice.offset',
        `${label}: N must be a multiple of the columns of the result, ${String(n)}, found ${String(N)}`,
      )
    if (N + n > columns)
      return yield* refused(
        'ttng.tmem_subslice.offset',
        `${label}: columns ${String(N)} to ${String(N + n - 1)} are not all in src, which has ${String(columns)}`,
      )
    return slice(src, [i32(0), i32(N)], [rows, n])
  })

// ---------------------------------------------------------------- copies

/** Chunks of 32 rows of 16 bytes, as (rows, factors): row x, factor j is byte 16 (x mod 32) + 4 (x div 32 mod 4) + j mod 4 of a chunk. */
const chunked = (rows: number, factors: number): TransformedRef =>
  Ref.ofChains(
    [
      [
        { size: rows / 128, stride: 128 * factors },
        { size: 4, stride: 4 },
        { size: 32, stride: 16 },
      ],
      [
        { size: factors / 4, stride: 512 },
        { size: 4, stride: 1 },
      ],
    ],
    8,
    0,
    16,
  )

export interface TmemCopyOptions extends OpOptions {
  /** the seed's operand: one arrival when the copy, and all that was issued before, is done */
  readonly barrier?: BarrierDesc
  readonly twoCtas?: boolean
}

/** `ttng.tmem_copy %src, %dst (, %barrier)`: asynchronous, in the queue of the products. */
export const tmemCopy = (
  label: string,
  src: MemDesc<'smem'>,
  dst: MemDesc<'tmem', Dtype, 2>,
  options: TmemCopyOptions = {},
): Build<void> =>
  block(function* () {
    const { from, when, twoCtas = false } = options
    const source = yield* memDescHere(label, 'src', src)
    const to = yield* inTmem(label, 'dst', dst)
    const [rows = 0, columns = 0] = to.layout.shape
    if (source.space !== 'smem')
      return yield* refused(
        'ttng.tmem_copy.memory',
        `${label}: src must be in shared memory, found ${source.space}`,
      )
    if (source.dtype !== to.dtype)
      return yield* refused(
        'ttng.tmem_copy.element_type',
        `${label}: src and dst must have one element type, found ${source.dtype} and ${to.dtype}`,
      )
    const isScales = bitsOf(to.dtype) === 8
    const ctaGroup = twoCtas ? 2 : 1
    const issuing = on(when, twoCtas ? evenCta : undefined, speaks(from))
    if (isScales) {
      const offsets = Ref.elementOffsets(source.layout)
      const dense = source.layout.swizzle === 16 && offsets.every((at, i) => at === i)
      // a view of the chunks as the rows and factors that they hold
      const isView =
        source.layout.swizzle === 16 &&
        sameShape(source.layout.shape, [rows, columns]) &&
        rows % 128 === 0 &&
        columns % 4 === 0 &&
        Ref.elementOffsets(chunked(rows, columns)).every((at, i) => at === offsets[i])
      if (!dense && !isView)
        return yield* refused(
          'ttng.tmem_copy.layout',
          `${label}: scales are copied from chunks of 32 rows of 16 bytes without a swizzle, one after another, found ${showShape(source.layout.shape)} with swizzle ${String(source.layout.swizzle)} and strides ${showShape(source.layout.strides)}`,
        )
      if (rows % 128 !== 0 || columns % 4 !== 0 || sizeOf(source.layout.shape) !== rows * columns)
        return yield* refused(
          'ttng.tmem_copy.shape',
          `${label}: scales are copied in chunks of 128 rows of 4 factors: expected ${String(rows * columns)} scales for ${showShape([rows, columns])}, found ${showShape(source.layout.shape)}`,
        )
      // TMA brought them in this order, whatever they are seen as
      const seen = reinterpret<Dtype, 2, 'smem'>(src, to.dtype, chunked(rows, columns))
      yield* run(
        label,
        { _tag: 'tcgen05.cp', source: seen, destination: dst, shape: '32x128b.warpx4', ctaGroup },
        issuing,
      )
    } else {
      if (!sameShape(source.layout.shape, to.layout.shape) || rows !== 128)
        return yield* refused(
          'ttng.tmem_copy.shape',
          `${label}: src and dst must have one shape, of 128 rows, found ${showShape(source.layout.shape)} and ${showShape(to.layout.shape)}`,
        )
      if (bitsOf(to.dtype) !== 32)
        return yield* refused(
          'ttng.tmem_copy.element_type',
          `${label}: a copy that is not of scales has elements of 32 bits, found ${to.dtype}`,
        )
      if (source.layout.swizzle === 16)
        return yield* refused(
          'ttng.tmem_copy.layout',
          `${label}: src must be nvmma_shared with a swizzle, not transposed, found none`,
        )
      yield* run(
        label,
        {
          _tag: 'tcgen05.cp',
          source: src,
          destination: dst,
          shape: (columns * 4) % 32 === 0 ? '128x256b' : '128x128b',
          ctaGroup,
        },
        issuing,
      )
    }
    if (options.barrier !== undefined)
      yield* tcGen5Commit(`${label}.commit`, options.barrier, {
        ...(when === undefined ? {} : { when }),
        ...(from === undefined ? {} : { from }),
        twoCtas,
      })
  })
