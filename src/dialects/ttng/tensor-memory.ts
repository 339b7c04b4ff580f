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
 * | encoding                       | row r, column c lies in lane              | column, in elements                                   |
 * |--------------------------------|-------------------------------------------|--------------------------------------------------------|
 * | blockM 128                     | r mod 128                                 | colStride (c mod bN + bN (r div 128 + R/128 (c div bN))) |
 * | blockM 64                      | 32 (r div 16 mod 4) + r mod 16, the next block of rows (or of columns) 16 more | the same, two blocks to a column |
 * | blockM 64 of a pair            | r, the right half of the columns 64 more  | c mod N/2                                              |
 * | scales (bytes)                 | r mod 32, and 32, 64, 96 more             | 4 (r mod 128 div 32 + 4 (r div 128 + R/128 (c div 4))) + c mod 4 |
 *
 * | operation | seed's form              | today's                                                            |
 * |-----------|--------------------------|--------------------------------------------------------------------|
 * | tmem_copy | an optional barrier      | without: a commit follows                                          |
 * | tmem_load | src, dep                 | redOp, abs: the result `red` of a minimum or maximum of each row (NaN: refused) |
 *
 * Laws
 * 1. `tmemRef` puts every element where the linear layout of the encoding puts it.
 * 2. `memoryOf` is that linear layout, read off the view.
 *
 * Not here: rows with gaps of 4-bit elements, and blocks of 64 rows beyond two.
 *
 * Source: Triton, TritonNvidiaGPU dialect and its lowering; PTX ISA, tcgen05.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { linearLayout, standardOutputs, type LinearLayout } from '../../layouts/linear/linear-layout.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { isAllocation, tmemLaneBytes } from '../../layouts/tensor-memory/geometry.js'
import { encoding, type TensorMemory, type TensorMemorySpec } from '../../layouts/triton/encoding.js'
import { transferOf } from '../../layouts/triton/tmem-atoms.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import {
  block,
  fromEither,
  letIn,
  regsRead,
  run,
  tensorMemory,
  type Build,
  type ElementIndex,
} from '../../semantics/builder.js'
import { abs, i32, max, min, reduce, reinterpret, slice, type Tile } from '../../semantics/expression.js'
import { checked } from '../../semantics/index-types.js'
import type { AnyTile } from '../../semantics/instruction.js'
import { tmemColumnsOf } from '../../semantics/place.js'
import type { ViewType } from '../../semantics/types.js'
import * as Ref from '../../transforms/ref.js'
import type { TransformedRef } from '../../transforms/ref.js'
import { sameShape, showShape, sizeOf, type Shape } from '../../transforms/shape.js'
import { evenCta } from './cluster-layout.js'
import { refuse, refused, type Code } from './codes.js'
import { TMEMLoadReduceModifier, nameOf, showTable, type Attribute } from './enums.js'
import { on, partitionSync, speaks } from './issue.js'
import { tcGen5Commit } from './tensor-core.js'
import {
  freshRegisters,
  freshStorage,
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

// ---------------------------------------------------------------- encodings

const cut = (
  shape: Shape,
  bits: number,
  tiling: ReadonlyArray<ReadonlyArray<number>>,
  strides: ReadonlyArray<number>,
): TransformedRef => {
  const ref: TransformedRef = {
    _tag: 'TransformedRef',
    shape,
    bits,
    tiling,
    strides,
    byteOffset: 0,
    swizzle: 16,
  }
  const extents = Ref.tiledShape(ref)
  return { ...ref, strides: strides.map((s, k) => (extents[k] === 1 ? 0 : s)) }
}

const no = (code: Code, message: string): E.Either<Failure<Code>, never> => refuse(code, message)

const matrix = (
  spec: TensorMemory,
  bits: number,
  [rows, columns]: readonly [number, number],
): E.Either<Failure, TransformedRef> => {
  const { blockM, colStride, twoCTAs, fp4Padded } = spec
  const blockN = Math.min(spec.blockN, columns)
  const lane = (8 * tmemLaneBytes) / bits
  if (fp4Padded)
    return no('ttng.tmem_alloc.encoding', 'tensor_memory_encoding with fp4Padded is no view of this library')
  if (rows % blockM !== 0 || columns % blockN !== 0)
    return no(
      'ttng.tmem_alloc.encoding',
      `tensor_memory_encoding of blocks of (${String(blockM)}, ${String(spec.blockN)}) on ${showShape([rows, columns])}: expected a multiple of it`,
    )
  // blocks side by side lie behind one another, so one row of them needs no cut
  if (blockM === 128 && rows === 128) return E.right(cut([rows, columns], bits, [], [lane, colStride]))
  const wide = blockN * colStride
  if (blockM === 128)
    return E.right(cut([rows, columns], bits, [[128, blockN]], [wide, (wide * rows) / 128, lane, colStride]))
  if (twoCTAs)
    return rows === 64 && columns === blockN
      ? E.right(cut([64, columns], bits, [[64, columns / 2]], [0, 64 * lane, lane, colStride]))
      : no(
          'ttng.tmem_alloc.encoding',
          `tensor_memory_encoding of blocks of 64 rows of a pair: expected one block of (64, ${String(blockN)}), found ${showShape([rows, columns])}`,
        )
  const [down, across] = [rows / 64, columns / blockN]
  if (down === 1 && across === 1)
    return E.right(cut([rows, columns], bits, [[16, 1]], [32 * lane, colStride, lane, 0]))
  // the second block lies in the lanes between
  if (down > 2 || (down === 1 && across > 2))
    return no(
      'ttng.tmem_alloc.encoding',
      `tensor_memory_encoding of blocks of 64 rows: expected one or two in a column of blocks, found ${showShape([rows, columns])} in blocks of (64, ${String(blockN)})`,
    )
  return E.right(
    cut(
      [rows, columns],
      bits,
      [
        [64, blockN],
        [16, blockN],
      ],
      [16 * lane, down === 2 ? wide : 16 * lane, 32 * lane, 0, lane, colStride],
    ),
  )
}

const scales = (
  bits: number,
  [rows, factors]: readonly [number, number],
): E.Either<Failure, TransformedRef> => {
  if (bits !== 8)
    return no(
      'ttng.tmem_alloc.encoding',
      `tensor_memory_scales_encoding: scales have 8 bits, found elements of ${String(bits)}`,
    )
  const high = Math.min(rows, 128)
  const wide = Math.min(factors, 4)
  if (rows % 32 !== 0 || rows % high !== 0 || factors % wide !== 0)
    return no(
      'ttng.tmem_alloc.encoding',
      `tensor_memory_scales_encoding: expected a multiple of 128 rows, or 32, 64 or 96, of a multiple of 4 factors, found ${showShape([rows, factors])}`,
    )
  return E.right(
    cut(
      [rows, factors],
      8,
      [
        [high, wide],
        [32, wide],
      ],
      [16, (16 * rows) / high, 4, 0, tmemLaneBytes, 1],
    ),
  )
}

/** The layout of a buffer of elements of `bits`: the share of one CTA; a leading dimension counts buffers. */
export const tmemRef = (
  spec: TensorMemorySpec,
  bits: number,
  shape: Shape,
): E.Either<Failure, TransformedRef> =>
  pipe(
    encoding(spec),
    E.chainW(() => {
      const [columns = 0, rows = 0] = [...shape].reverse()
      if (shape.length !== 2 && shape.length !== 3)
        return no(
          'ttng.tmem_alloc.encoding',
          `tensor memory has buffers of rank 2, or 3 with their number, found ${showShape(shape)}`,
        )
      if (spec._tag === 'tensor_memory') return matrix(spec, bits, [rows, columns])
      return spec.blockRepOrder === 'kThenMn'
        ? no(
            'ttng.tmem_alloc.encoding',
            'tensor_memory_scales_encoding with blockRepOrder kThenMn is not in this library',
          )
        : scales(bits, [rows, columns])
    }),
    E.chainW((ref) =>
      shape.length === 3 ? Ref.batch(shape[0]!, 4 * tmemColumnsOf(ref))(ref) : E.right(ref),
    ),
  )

/** Where a view lies, as a linear layout (row, col, block) -> index; null if it is none, or of elements that no load moves. */
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

/** The columns of the kernel: `tcgen05.alloc` by one warp, which lets others allocate then. */
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
    yield* run(label, { _tag: 'tcgen05.alloc', columns, ctaGroup }, on(speaks(from)))
    yield* run(`${label}.relinquish`, { _tag: 'tcgen05.relinquish', ctaGroup }, on(speaks(from)))
    yield* partitionSync(`${label}.sync`, from)
  })

/** The kernel's columns are free again. */
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
    const layout = yield* fromEither(
      pipe(
        tmemRef(options.encoding, bits, shape),
        E.mapLeft((why) => ({ code: why.code, message: `${label}: ${why.message}` })),
      ),
    )
    if (tmemColumnsOf(layout) > 512)
      return yield* refused(
        'ttng.tmem_alloc.columns',
        `${label}: tensor memory has 512 columns, and ${showShape(shape)} of ${dtype} takes ${String(tmemColumnsOf(layout))}`,
      )
    const result = yield* tensorMemory(yield* freshStorage(label), dtype, shape, { layout })
    if (src !== undefined) yield* store(label, src, result, options)
    return { result, token }
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
  cut(
    [rows, factors],
    8,
    [
      [128, 4],
      [32, 4],
    ],
    [128 * factors, 512, 4, 0, 16, 1],
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
      const dense =
        source.layout.swizzle === 16 && Ref.elementOffsets(source.layout).every((at, i) => at === i)
      if (!dense)
        return yield* refused(
          'ttng.tmem_copy.layout',
          `${label}: scales are copied from chunks of 32 rows of 16 bytes without a swizzle, behind one another, found ${showShape(source.layout.shape)} with swizzle ${String(source.layout.swizzle)} and strides ${showShape(source.layout.strides)}`,
        )
      if (rows % 128 !== 0 || columns % 4 !== 0 || sizeOf(source.layout.shape) !== rows * columns)
        return yield* refused(
          'ttng.tmem_copy.shape',
          `${label}: scales are copied in chunks of 128 rows of 4 factors: expected ${String(rows * columns)} scales for ${showShape([rows, columns])}, found ${showShape(source.layout.shape)}`,
        )
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
