/**
 * Descriptors of the ring: what `wait_k` and `wait_v` give, the word by which the tensor core reads the tile that was waited for.
 *
 * A descriptor of Mojo is a word, and `descriptor + bytes` moves its start: the low bits count 16 bytes. The pipeline keeps one of the ring's start
 * for K and one for V, and adds the offset that `wait` returns. Tiles are swizzled over 128 bytes; K is multiplied transposed, so it is contiguous along
 * K of the product, and V along N:
 *
 *     BN 128, depth 128, two bytes      leading   stride
 *     K   8 rows of 128 bytes on        not used  1024
 *     V   8 keys on: stride             16384     1024       leading: the next 64 columns, BN rows of 128 bytes on
 *
 * Laws
 * 1. The word of `advanced(d, n)` is that of d plus n / 16.
 * 2. The tensor core finds at (row, k) of a part what the copy engine has put there: element (row, column) of the tile.
 *
 * Names: Mojo `MMASmemDescriptor`, `k_smem_descriptor`, `v_smem_descriptor`. Source: Mojo, mha_sm100_2q; PTX ISA, matrix descriptors of tcgen05.
 */
import type { Tcgen05Descriptor } from '../../layouts/shared-memory/matrix-descriptor.js'
import type { KVPipeline } from './kv-pipeline.js'
import type { Words } from './words.js'

// ---------------------------------------------------------------- model

/** A descriptor whose start comes from a pipeline; everything else is a compile-time constant. */
export interface SmemDescriptor<W = number> {
  /** address of the first element, in bytes */
  readonly startBytes: W
  readonly leadingBytes: number
  readonly strideBytes: number
}

/** bytes of a row of the swizzle, and of eight of them */
const rowBytes = 128
const tileBytes = 8 * rowBytes
/** what a descriptor holds where the leading stride is not used */
const unused = 16

// ---------------------------------------------------------------- constructors

/** The descriptor of K in a ring that starts at this address. */
export const kSmemDescriptor = <W>(smem: W): SmemDescriptor<W> => ({
  startBytes: smem,
  leadingBytes: unused,
  strideBytes: tileBytes,
})

/** The descriptor of V in a ring that starts at this address. */
export const vSmemDescriptor = <W>(smem: W, { bn }: KVPipeline): SmemDescriptor<W> => ({
  startBytes: smem,
  leadingBytes: bn * rowBytes,
  strideBytes: tileBytes,
})

/** `descriptor + bytes`. */
export const advanced = <W>(
  words: Words<W>,
  { startBytes, leadingBytes, strideBytes }: SmemDescriptor<W>,
  bytes: W,
): SmemDescriptor<W> => ({ startBytes: words.add(startBytes, bytes), leadingBytes, strideBytes })

// ---------------------------------------------------------------- destructors

/** The descriptor in the format of the tensor core. */
export const matrixDescriptor = ({
  startBytes,
  leadingBytes,
  strideBytes,
}: SmemDescriptor): Tcgen05Descriptor => ({
  _tag: 'tcgen05',
  startBytes,
  leadingBytes,
  strideBytes,
  baseOffset: 0,
  swizzle: rowBytes,
  atomBytes: 16,
  leadingMode: 'relative',
})
