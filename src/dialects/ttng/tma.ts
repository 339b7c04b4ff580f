/**
 * Copies through tensor descriptors: `async_tma_copy_global_to_local`, `..._local_to_global`, `async_tma_reduce`, `async_tma_gather`,
 * `async_tma_scatter`, `async_tma_store_wait`.
 *
 * A copy takes as many messages as its buffer has boxes (`nvmma.ts`), spread over the agents of the partition. A load completes the bytes
 * of its buffer on its barrier, which must expect them; a store and its relatives close a group of their own, and `store_wait` waits for the
 * groups of its own thread.
 *
 *     async_tma_copy_global_to_local %desc[%i, %j] %buffer, %full, %p        f16 (128, 128), W = 128
 *       tma.load (i, j)      to columns 0 to 63        when p
 *       tma.load (i, j + 64) to columns 64 to 127      when p
 *
 * Several CTAs: `cga` says how the block is dealt to them. Each loads its share; with `multicast` the lowest CTA of those that have the same
 * share loads it for all of them. `layout` is that of the barrier: shared by a pair (a module of two_ctas) both complete the lead's.
 *
 * | operation            | seed's form                                       | today's                                                              |
 * |----------------------|---------------------------------------------------|----------------------------------------------------------------------|
 * | ..._global_to_local  | cacheModifier, evictionPolicy, isVolatile         | offsets, multicast, tensorMode (im2col: refused, not in this library) |
 * | ..._local_to_global  | no attributes                                     | evictionPolicy                                                       |
 * | async_tma_gather     | no attributes                                     | multicast                                                            |
 * | async_tma_store_wait | waits for the reads of the source, that is `readOnly` | without `read_only` also for the writes: say `readOnly: false`   |
 *
 * An eviction policy is a hint for the cache: it is checked and changes nothing.
 *
 * Source: Triton, TritonNvidiaGPU dialect and its lowering; PTX ISA, cp.async.bulk.tensor.
 */
import * as E from 'fp-ts/lib/Either.js'
import { elementTable, laneCount, warpCount } from '../../layouts/register-layout.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import { block, build, run, typeHere, type Build } from '../../semantics/writing/builder.js'
import { environment } from '../../semantics/writing/builder/state.js'
import { add, i32, slice, type Int } from '../../semantics/language/expression.js'
import type { ReduceKind } from '../../semantics/language/instruction.js'
import type { DescriptorParam } from '../../semantics/language/program.js'
import { descriptorOf } from '../../semantics/language/typecheck.js'
import type { ViewType } from '../../semantics/language/types.js'
import { sameShape, showShape, sizeOf } from '../../transforms/shape.js'
import { resolve } from './barrier.js'
import { groupMask, isLead, shareStart, sharedBits, type CgaLayout } from './cluster-layout.js'
import { refused, type Code } from './codes.js'
import {
  CacheModifier,
  DescriptorReduceKind,
  EvictionPolicy,
  TensorMode,
  nameOf,
  showTable,
  type Attribute,
} from './enums.js'
import { isAgent, on } from './issue.js'
import { boxOf, messagesOf, stripped, type Message } from './nvmma.js'
import {
  memDescHere,
  tensorHere,
  type BarrierDesc,
  type MemDesc,
  type OpOptions,
  type Tensor,
  type TensorDesc,
} from './types.js'

// ---------------------------------------------------------------- model

export interface StoreOptions extends OpOptions {
  readonly evictionPolicy?: Attribute<typeof EvictionPolicy>
  /** how the block is distributed over the CTAs: a row for each bit of the rank; default: one CTA has all of
   * it */
  readonly cga?: CgaLayout
}
export interface LoadOptions extends StoreOptions {
  readonly cacheModifier?: Attribute<typeof CacheModifier>
  readonly isVolatile?: boolean
  /** today's: one load for all CTAs that have the same share */
  readonly multicast?: boolean
  /** today's: of im2col */
  readonly offsets?: ReadonlyArray<Int>
  /** today's */
  readonly tensorMode?: Attribute<typeof TensorMode>
  /** of the barrier: a row for each bit of the rank */
  readonly layout?: CgaLayout
}

type Op =
  | 'async_tma_copy_global_to_local'
  | 'async_tma_copy_local_to_global'
  | 'async_tma_reduce'
  | 'async_tma_gather'
  | 'async_tma_scatter'

// ---------------------------------------------------------------- what is asked of all

const knownDescriptor = (desc: TensorDesc): Build<DescriptorParam | undefined> =>
  build((state) => E.right([descriptorOf(environment(state))(desc), state]))

const hints = (label: string, options: LoadOptions): Build<void> =>
  block(function* () {
    const { evictionPolicy = 'evict_normal', cacheModifier = 'none', isVolatile = false } = options
    if (nameOf(EvictionPolicy, evictionPolicy) === null)
      return yield* refused(
        'ttng.async_tma.eviction_policy',
        `${label}: evictionPolicy is one of ${showTable(EvictionPolicy)}, found ${String(evictionPolicy)}`,
      )
    const cache = nameOf(CacheModifier, cacheModifier)
    if (cache !== 'none')
      return yield* refused(
        'ttng.async_tma.cache_modifier',
        `${label}: a TMA copy takes no cache modifier but none (1), found ${cache ?? String(cacheModifier)}`,
      )
    if (isVolatile)
      return yield* refused('ttng.async_tma.volatile', `${label}: a TMA copy cannot be volatile`)
  })

interface Copy {
  readonly buffer: ViewType
  readonly messages: ReadonlyArray<Message>
  /** of each message, its coordinates */
  readonly at: ReadonlyArray<ReadonlyArray<Int>>
}

const plus = (x: Int, y: Int | null): Int => (y === null ? x : add(x, y))

/** What the descriptor and the buffer must have in common, and the messages between them. */
const copyOf = (
  label: string,
  op: Op,
  desc: TensorDesc,
  coord: ReadonlyArray<Int>,
  field: 'result' | 'src',
  memdesc: MemDesc<'smem'>,
  cga: CgaLayout | undefined,
): Build<Copy> =>
  block(function* () {
    const type = yield* typeHere(desc)
    if (type._tag !== 'descriptor')
      return yield* refused(
        'ttng.async_tma.descriptor',
        `${label}: desc must be a tensor descriptor, found a ${type._tag}`,
      )
    const buffer = yield* memDescHere(label, field, memdesc)
    const { layout } = buffer
    if (coord.length < 1 || coord.length > 5)
      return yield* refused(
        'ttng.async_tma.coords',
        `${label}: a TMA copy takes 1 to 5 coordinates, found ${String(coord.length)}`,
      )
    if (coord.length !== type.rank)
      return yield* refused(
        'ttng.async_tma.coords',
        `${label}: expected as many coordinates as the descriptor's block has dimensions, ${String(type.rank)}, found ${String(coord.length)}`,
      )
    if (buffer.dtype !== type.dtype)
      return yield* refused(
        'ttng.async_tma.element_type',
        `${label}: ${field} and the descriptor must have one element type, found ${buffer.dtype} and ${type.dtype}`,
      )
    const messages = messagesOf(layout)
    if (E.isLeft(messages))
      return yield* refused(
        'ttng.async_tma.layout',
        `${label}: ${field} of ${op} must be ${messages.left}, found ${showShape(layout.shape)} with tiling ${layout.tiling.map(showShape).join(' ') || 'none'} and strides ${showShape(layout.strides)}`,
      )
    const param = yield* knownDescriptor(desc)
    if (param !== undefined) {
      const box = boxOf(layout)
      if (!sameShape(stripped(box), stripped(param.box)))
        return yield* refused(
          'ttng.async_tma.shape',
          `${label}: ${field} ${showShape(layout.shape)} is copied in boxes of ${showShape(box)}, and the descriptor ${param.name} is of boxes of ${showShape(param.box)}: the block and ${field} must have the same shape`,
        )
      if (param.swizzle !== layout.swizzle)
        return yield* refused(
          'ttng.async_tma.layout',
          `${label}: ${field} must be swizzled as the descriptor ${param.name}, by ${String(param.swizzle)} bytes, found ${String(layout.swizzle)}`,
        )
    }
    const rank = coord.length
    if (cga?.some((row) => row.length !== rank) === true)
      return yield* refused(
        'ttng.async_tma.cga',
        `${label}: a row of cga has an entry for each of the ${String(rank)} dimensions, found ${cga.map(showShape).join(' ')}`,
      )
    /** dimension d of the descriptor, in the buffer: ranks may differ by leading extents of 1 */
    const inBuffer = (d: number): number => d + layout.shape.length - rank
    const at = messages.right.map(({ starts }) =>
      coord.map((c, d) => {
        const start = starts[inBuffer(d)] ?? 0
        const share = cga === undefined ? null : shareStart(cga, d, layout.shape[inBuffer(d)] ?? 1)
        return plus(plus(c, share), start === 0 ? null : i32(start))
      }),
    )
    return { buffer, messages: messages.right, at }
  })

const partOf = (memdesc: MemDesc<'smem'>, all: ReadonlyArray<Message>, one: Message): MemDesc<'smem'> =>
  all.length === 1
    ? memdesc
    : slice(
        memdesc,
        one.starts.map((s) => i32(s)),
        one.sizes,
      )

const named = (label: string, k: number, of: number): string => (of === 1 ? label : `${label}.${String(k)}`)

// ---------------------------------------------------------------- loads

/** Whose barrier a load completes, and for whom it loads. */
const targets = (label: string, op: Op, barrier: BarrierDesc, options: LoadOptions) =>
  block(function* () {
    const resolved = yield* resolve(label, barrier, options)
    if (resolved.bits !== 0 && resolved.bits !== 1)
      return yield* refused(
        'ttng.async_tma.barrier',
        `${label}: the barrier of ${op} is each CTA's own, or that of the lead of a pair, found one that is shared over rank bits ${resolved.bits.toString(2)}`,
      )
    const bits = options.multicast === true ? sharedBits(options.cga ?? []) : 0
    if (options.multicast === true && bits === 0)
      return yield* refused(
        'ttng.async_tma.multicast',
        `${label}: multicast needs a result that several CTAs have the same share of: expected a zero row in cga, found ${options.cga === undefined || options.cga.length === 0 ? 'none' : options.cga.map(showShape).join(' ')}`,
      )
    return {
      barrier: resolved.lead,
      issues: isLead(bits),
      ctaGroup: resolved.bits === 1 ? (2 as const) : (1 as const),
      cast: bits === 0 ? {} : { multicast: groupMask(bits) },
    }
  })

/** `ttng.async_tma_copy_global_to_local %desc[%coord] %result, %barrier, %pred`. */
export const asyncTmaCopyGlobalToLocal = (
  label: string,
  desc: TensorDesc,
  coord: ReadonlyArray<Int>,
  result: MemDesc<'smem'>,
  barrier: BarrierDesc,
  options: LoadOptions = {},
): Build<void> =>
  block(function* () {
    const op = 'async_tma_copy_global_to_local'
    yield* hints(label, options)
    const mode = nameOf(TensorMode, options.tensorMode ?? 'tiled')
    if (mode !== 'tiled')
      return yield* refused(
        'ttng.async_tma.mode',
        `${label}: tensorMode is tiled (0); copies in mode im2col (1) are not in this library, found ${mode ?? String(options.tensorMode)}`,
      )
    if ((options.offsets ?? []).length > 0)
      return yield* refused(
        'ttng.async_tma.offsets',
        `${label}: offsets belong to mode im2col, found ${String(options.offsets?.length)} in mode tiled`,
      )
    const { messages, at } = yield* copyOf(label, op, desc, coord, 'result', result, options.cga)
    const to = yield* targets(label, op, barrier, options)
    for (const [k, message] of messages.entries())
      yield* run(
        named(label, k, messages.length),
        {
          _tag: 'tma.load',
          descriptor: desc,
          coords: at[k]!,
          destination: partOf(result, messages, message),
          barrier: to.barrier,
          ctaGroup: to.ctaGroup,
          ...to.cast,
        },
        on(options.when, to.issues, isAgent(options.from, k)),
      )
  })

// ---------------------------------------------------------------- stores

/** `ttng.async_tma_copy_local_to_global %desc[%coord] %src`: a group of its own. */
export const asyncTmaCopyLocalToGlobal = (
  label: string,
  desc: TensorDesc,
  coord: ReadonlyArray<Int>,
  src: MemDesc<'smem'>,
  options: StoreOptions = {},
): Build<void> =>
  block(function* () {
    yield* hints(label, options)
    const { messages, at } = yield* copyOf(
      label,
      'async_tma_copy_local_to_global',
      desc,
      coord,
      'src',
      src,
      options.cga,
    )
    for (const [k, message] of messages.entries())
      yield* run(
        named(label, k, messages.length),
        { _tag: 'tma.store', descriptor: desc, coords: at[k]!, source: partOf(src, messages, message) },
        on(options.when, isAgent(options.from, k)),
      )
    yield* run(`${label}.group`, { _tag: 'bulk.commitGroup' })
  })

const whole: ReadonlyArray<Dtype> = ['i32', 'u32', 'i64', 'u64']
const ordered: ReadonlyArray<Dtype> = [...whole, 'f16', 'bf16']
/**
 * The element types of each kind, as Triton's verifier has them: none for inc and dec, which PTX has for u32. So a module with one of the two is refused here, and
 * PTX with it is run. A signed i64 is not added.
 */
const reducible: Readonly<Record<ReduceKind, ReadonlyArray<Dtype>>> = {
  add: ['i32', 'u32', 'u64', 'f32', 'f16', 'bf16'],
  min: ordered,
  max: ordered,
  inc: [],
  dec: [],
  and: whole,
  or: whole,
  xor: whole,
}

/** `ttng.async_tma_reduce kind, %desc[%coord] %src`: element by element, relaxed. */
export const asyncTmaReduce = (
  label: string,
  kind: Attribute<typeof DescriptorReduceKind>,
  desc: TensorDesc,
  coord: ReadonlyArray<Int>,
  src: MemDesc<'smem'>,
  options: StoreOptions = {},
): Build<void> =>
  block(function* () {
    const op = nameOf(DescriptorReduceKind, kind)
    if (op === null)
      return yield* refused(
        'ttng.async_tma_reduce.kind',
        `${label}: kind is one of ${showTable(DescriptorReduceKind)}, found ${String(kind)}`,
      )
    yield* hints(label, options)
    const { buffer, messages, at } = yield* copyOf(
      label,
      'async_tma_reduce',
      desc,
      coord,
      'src',
      src,
      options.cga,
    )
    if (!reducible[op].includes(buffer.dtype))
      return yield* refused(
        'ttng.async_tma_reduce.element_type',
        reducible[op].length === 0
          ? `${label}: Triton takes ${op} for no element type (PTX has it for u32, in cp.reduce.async.bulk.tensor), found ${buffer.dtype}`
          : `${label}: ${op} is a reduction of ${reducible[op].join(', ')}, found ${buffer.dtype}`,
      )
    for (const [k, message] of messages.entries())
      yield* run(
        named(label, k, messages.length),
        {
          _tag: 'tma.reduce',
          kind: op,
          descriptor: desc,
          coords: at[k]!,
          source: partOf(src, messages, message),
        },
        on(options.when, isAgent(options.from, k)),
      )
    yield* run(`${label}.group`, { _tag: 'bulk.commitGroup' })
  })

/** `ttng.async_tma_store_wait {pendings}`: at most this many groups of this thread are still writing, or
 * still reading. */
export const asyncTmaStoreWait = (
  label: string,
  pendings: number,
  options: { readonly readOnly?: boolean } = {},
): Build<void> =>
  block(function* () {
    if (!Number.isInteger(pendings) || pendings < 0)
      return yield* refused(
        'ttng.async_tma_store_wait.pendings',
        `${label}: pendings is a number of groups of 0 or more, found ${String(pendings)}`,
      )
    yield* run(label, { _tag: 'bulk.waitGroup', pending: pendings, read: options.readOnly ?? true })
  })

// ---------------------------------------------------------------- rows

interface RowCopy {
  readonly width: number
  readonly panels: number
  readonly rows: number
}

/** Rows of a matrix, each by its number: what gather and scatter have in common. */
const rowsOf = (
  label: string,
  op: 'async_tma_gather' | 'async_tma_scatter',
  desc: TensorDesc,
  xOffsets: Tensor<'i32', 1>,
  field: 'result' | 'src',
  memdesc: MemDesc<'smem'>,
): Build<RowCopy> =>
  block(function* () {
    const no = (
      what: 'block' | 'shape' | 'offsets' | 'element_type' | 'layout',
      message: string,
    ): Build<never> => {
      const code: Code = `ttng.async_tma_rows.${what}`
      return refused(code, `${label}: ${message}`)
    }
    const type = yield* typeHere(desc)
    if (type._tag !== 'descriptor')
      return yield* refused(
        'ttng.async_tma.descriptor',
        `${label}: desc must be a tensor descriptor, found a ${type._tag}`,
      )
    const param = yield* knownDescriptor(desc)
    if (type.rank !== 2 || (param !== undefined && param.box[0] !== 1))
      return yield* no(
        'block',
        `the block of a descriptor of ${op} must be one row of a matrix, found ${param === undefined ? `rank ${String(type.rank)}` : showShape(param.box)}`,
      )
    const x = yield* tensorHere(label, 'x_offsets', xOffsets)
    if (x.shape.length !== 1)
      return yield* no('offsets', `x_offsets must have one dimension, found ${showShape(x.shape)}`)
    const buffer = yield* memDescHere(label, field, memdesc)
    const { shape, swizzle } = buffer.layout
    const bits = bitsOf(buffer.dtype)
    const [rows = 0, columns = 0] = shape
    if (shape.length !== 2 || rows !== x.shape[0])
      return yield* no(
        'shape',
        `${field} must be a matrix with a row for each of the ${String(x.shape[0])} x_offsets, found ${showShape(shape)}`,
      )
    if (rows < 8) return yield* no('shape', `${op} must have at least 8 rows, found ${String(rows)}`)
    if (bits > 32)
      return yield* no('element_type', `${op} must have elements of at most 32 bits, found ${buffer.dtype}`)
    if (buffer.dtype !== type.dtype)
      return yield* refused(
        'ttng.async_tma.element_type',
        `${label}: ${field} and the descriptor must have one element type, found ${buffer.dtype} and ${type.dtype}`,
      )
    if (columns < (8 * 32) / bits)
      return yield* no(
        'shape',
        `${op} of ${buffer.dtype} must have at least ${String((8 * 32) / bits)} columns, found ${String(columns)}`,
      )
    const width = Math.min(columns, swizzle === 16 ? 256 : (8 * swizzle) / bits)
    if (param !== undefined && param.box[1] !== width)
      return yield* no(
        'shape',
        `${field} ${showShape(shape)} is copied ${String(width)} columns at a time, and the descriptor ${param.name} is of boxes of ${showShape(param.box)}`,
      )
    if (E.isLeft(messagesOf(buffer.layout)))
      return yield* no('layout', `${field} must be nvmma_shared, not transposed, found ${showShape(shape)}`)
    if (x.layout !== 'any' && x.layout._tag !== 'splat') {
      const held = elementTable(x.layout, x.shape)
      const lanes = laneCount(x.layout)
      const warps = warpCount(x.layout)
      const perLane = held.length / (lanes * warps)
      const wrong = [...held].some((element, place) => {
        const register = place % perLane
        const lane0 = place - (place % (lanes * perLane)) + register
        return held[lane0] !== element || element % 4 !== register % 4 || perLane % 4 !== 0
      })
      if (wrong)
        return yield* no(
          'offsets',
          'x_offsets must have 4 neighbours or more in a thread, and the same in every thread of a warp',
        )
    }
    return { width, panels: columns / width, rows }
  })

const panelOf = (memdesc: MemDesc<'smem'>, copy: RowCopy, k: number): MemDesc<'smem'> =>
  copy.panels === 1 ? memdesc : slice(memdesc, [i32(0), i32(k * copy.width)], [copy.rows, copy.width])

/** `ttng.async_tma_gather %desc[%x_offsets, %y_offset] %result, %barrier, %pred`: row i of the result is row x_offsets[i], from column y. */
export const asyncTmaGather = (
  label: string,
  desc: TensorDesc,
  xOffsets: Tensor<'i32', 1>,
  yOffset: Int,
  result: MemDesc<'smem'>,
  barrier: BarrierDesc,
  options: LoadOptions = {},
): Build<void> =>
  block(function* () {
    yield* hints(label, options)
    const copy = yield* rowsOf(label, 'async_tma_gather', desc, xOffsets, 'result', result)
    const to = yield* targets(label, 'async_tma_gather', barrier, options)
    for (let k = 0; k < copy.panels; k++)
      yield* run(
        named(label, k, copy.panels),
        {
          _tag: 'tma.gather',
          descriptor: desc,
          rows: xOffsets,
          column: k === 0 ? yOffset : add(yOffset, i32(k * copy.width)),
          destination: panelOf(result, copy, k),
          barrier: to.barrier,
          ctaGroup: to.ctaGroup,
          ...to.cast,
        },
        on(options.when, to.issues, isAgent(options.from, k)),
      )
  })

/** `ttng.async_tma_scatter %desc[%x_offsets, %y_offset] %src`: a group of its own. */
export const asyncTmaScatter = (
  label: string,
  desc: TensorDesc,
  xOffsets: Tensor<'i32', 1>,
  yOffset: Int,
  src: MemDesc<'smem'>,
  options: StoreOptions = {},
): Build<void> =>
  block(function* () {
    yield* hints(label, options)
    const copy = yield* rowsOf(label, 'async_tma_scatter', desc, xOffsets, 'src', src)
    for (let k = 0; k < copy.panels; k++)
      yield* run(
        named(label, k, copy.panels),
        {
          _tag: 'tma.scatter',
          descriptor: desc,
          rows: xOffsets,
          column: k === 0 ? yOffset : add(yOffset, i32(k * copy.width)),
          source: panelOf(src, copy, k),
        },
        on(options.when, isAgent(options.from, k)),
      )
    yield* run(`${label}.group`, { _tag: 'bulk.commitGroup' })
  })

/** The bytes that a copy into this buffer completes, for `barrier_expect`. */
export const bytesOf = (label: string, memdesc: MemDesc<'smem'>): Build<number> =>
  block(function* () {
    const { dtype, layout } = yield* memDescHere(label, 'memdesc', memdesc)
    return (sizeOf(layout.shape) * bitsOf(dtype)) / 8
  })
