/**
 * From an encoding of a buffer to a ref: where every element lies, in bytes, as the machine addresses it.
 *
 *     shared memory    (offset, block) -> index      element at byte offset * bits / 8
 *     tensor memory    (row, col, block) -> index    element at lane row, byte col * bits / 8 of the lane
 *
 * A linear layout allows any XOR of bits; a ref is strides, and one of the four swizzles. So the ref of an encoding exists if some
 * swizzle takes the XORs away and leaves every bit of the index with a bit of the address of its own. Then runs of bits are the modes of
 * the ref, major to minor:
 *
 *     nvmma_shared 128 bytes, f16, on (64, 128)        two panels of 64 columns, each 64 rows of 128 bytes
 *       index bits      c0 .. c5   r0 .. r5   c6
 *       address bits    1 .. 6     7 .. 12    13       swizzle 128
 *       modes           dim 0: 8 by 512 elements, 8 by 64       dim 1: 2 by 4096, 64 by 1
 *
 * (Rows of a swizzle are cut by eight, as `Tile (8, 64)` cuts them: two refs of one buffer are equal data.)
 *
 * Dimensions before those of the encoding count buffers behind each other, each of the whole extent of the layout: (3, 64, 64) is three
 * buffers of (64, 64). An encoding that does not say its rank (`nvmma_shared` of one block) has two dimensions.
 *
 * With blocks the ref is that of one block's share.
 *
 * Laws
 * 1. The element at every address is the one that the linear layout has there: `apply(toLinear)(address) = index`, buffer by buffer.
 * 2. Buffers do not overlap, and lie behind each other without a gap but that to the next column of tensor memory.
 * 3. On one panel of a swizzle it is the ref of `Tile (8, W)` and `Swizzle W`.
 * 4. Refused exactly if no swizzle leaves a permutation of bits.
 *
 * Source: Triton, `toLinearLayout` and the lowering of `ttg.memdesc_index`; PTX ISA, swizzling modes.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { rememberedBy } from '../../remembered.js'
import { refuse } from '../../failure.js'
import { ofChains, type Mode, type TransformedRef } from '../../transforms/ref.js'
import { showShape, sizeOf, type Index, type Shape } from '../../transforms/shape.js'
import { swizzleAddress, swizzles, type Swizzle } from '../../transforms/swizzle.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import { basesOf } from '../linear/linear-layout.js'
import { tmemLaneBytes } from '../tensor-memory/geometry.js'
import { blockLayout, shapePerBlock, type ToLinearError } from './blocks.js'
import type { EncodingError, SharedSpec, TensorMemorySpec } from './encoding.js'
import { rankOf } from './encoding.js'
import { onShape } from './to-linear.js'

// ---------------------------------------------------------------------------------------------- model

export type BufferSpec = SharedSpec | TensorMemorySpec
export type ToRefError = EncodingError | ToLinearError | 'triton.not-a-ref'

/** One bit of an address, and what it is worth in elements. */
interface AddressBit {
  readonly worth: number
  /** the index that this bit alone stands for */
  readonly basis: Index
}

// ---------------------------------------------------------------------------------------------- bits

const cgaOf = (spec: BufferSpec): ReadonlyArray<Index> | undefined =>
  spec._tag === 'shared_linear' ? spec.blockBases : spec.cgaBases

/** The dimensions that the encoding lays out; those before count buffers. */
export const layoutRank = (spec: BufferSpec): number => rankOf(spec) ?? cgaOf(spec)?.[0]?.length ?? 2

/** Is it in tensor memory? */
export const isTensorMemory = (spec: BufferSpec): spec is TensorMemorySpec =>
  spec._tag === 'tensor_memory' || spec._tag === 'tensor_memory_scales'

const xor = (a: Index, b: Index): Index => a.map((v, d) => v ^ b[d]!)

/** The bits of an address in shared memory once the swizzle is taken away. */
const sharedBits = (layout: LinearLayout, bits: number, swizzle: Swizzle): ReadonlyArray<AddressBit> => {
  const bases = basesOf(layout, 'offset')
  const bytes = bits / 8
  return bases.map((_, k) => {
    let offset = swizzleAddress(swizzle)(2 ** k * bytes) / bytes
    let basis: Index = layout.outputs.map(() => 0)
    for (const one of bases) {
      if (offset % 2 === 1) basis = xor(basis, one)
      offset = Math.floor(offset / 2)
    }
    return { worth: 2 ** k, basis }
  })
}

const tensorMemoryBits = (layout: LinearLayout, bits: number): ReadonlyArray<AddressBit> => [
  ...basesOf(layout, 'row').map((basis, k) => ({ worth: (2 ** k * tmemLaneBytes * 8) / bits, basis })),
  ...basesOf(layout, 'col').map((basis, k) => ({ worth: 2 ** k, basis })),
]

/** For every bit of every dimension the worth of its address bit; null if they do not go one to one. */
const permutation = (
  all: ReadonlyArray<AddressBit>,
  share: Shape,
): ReadonlyArray<ReadonlyArray<number>> | null => {
  const worths = share.map((extent) => new Array<number>(Math.log2(extent)).fill(-1))
  for (const { worth, basis } of all) {
    const touched = basis.flatMap((v, d) => (v === 0 ? [] : [d]))
    if (touched.length === 0) continue
    const d = touched[0]!
    const bit = Math.log2(basis[d]!)
    if (touched.length > 1 || !Number.isInteger(bit) || worths[d]![bit] === undefined) return null
    // of copies the first
    if (worths[d]![bit] === -1) worths[d]![bit] = worth
  }
  return worths.some((dim) => dim.includes(-1)) ? null : worths
}

/** Runs of bits that double with the address are one mode; major to minor. */
const modes = (worths: ReadonlyArray<number>): ReadonlyArray<Mode> => {
  const runs: { size: number; readonly stride: number; next: number }[] = []
  for (const worth of worths) {
    const last = runs[runs.length - 1]
    if (last?.next === worth) {
      last.size *= 2
      last.next *= 2
    } else runs.push({ size: 2, stride: worth, next: 2 * worth })
  }
  return runs.length === 0
    ? [{ size: 1, stride: 0 }]
    : runs.reverse().map(({ size, stride }) => ({ size, stride }))
}

/** A mode in two, at so many elements. One that is alone is cut even if its major part is of one. */
const cutAt = (all: ReadonlyArray<Mode>, at: number, stride: number): ReadonlyArray<Mode> =>
  all.flatMap((mode) =>
    mode.stride === stride && (mode.size > at || (mode.size === at && all.length === 1))
      ? [
          { size: mode.size / at, stride: stride * at },
          { size: at, stride },
        ]
      : [mode],
  )

/** Swizzled dimensions are cut into the tiles of the swizzle, 8 rows of its span, as those of transforms are. */
const inTiles = (
  dimensions: ReadonlyArray<ReadonlyArray<Mode>>,
  swizzle: Swizzle,
  bits: number,
): ReadonlyArray<ReadonlyArray<Mode>> => {
  const span = (8 * swizzle) / bits
  return swizzle === 16 ? dimensions : dimensions.map((all) => cutAt(cutAt(all, span, 1), 8, span))
}

// ---------------------------------------------------------------------------------------------- the ref

/** Elements from one buffer to the next. */
const bufferStride = (layout: LinearLayout, spec: BufferSpec, bits: number): number => {
  if (!isTensorMemory(spec)) return 2 ** basesOf(layout, 'offset').length
  const columns = Math.ceil((2 ** basesOf(layout, 'col').length * bits) / 32)
  return (columns * 32) / bits
}

/** The ref of a buffer of elements of `bits` bits; leading dimensions count buffers. Refuses what is not an encoding of this shape, and XORs that no swizzle does. */
export const toRef = (
  spec: BufferSpec,
  shape: Shape,
  bits: number,
  rank: number = layoutRank(spec),
): E.Either<Failure<ToRefError>, TransformedRef> =>
  refs(spec, `${shape.join()}:${String(bits)}:${String(rank)}`, () => made(spec, shape, bits, rank))

const refs = rememberedBy<BufferSpec, string, E.Either<Failure<ToRefError>, TransformedRef>>()

const made = (
  spec: BufferSpec,
  shape: Shape,
  bits: number,
  rank: number,
): E.Either<Failure<ToRefError>, TransformedRef> => {
  const buffers = shape.slice(0, Math.max(0, shape.length - rank))
  const inner = shape.slice(buffers.length)
  return pipe(
    E.Do,
    E.bindW('layout', () => onShape(spec)(inner)),
    E.bindW('blocks', () => blockLayout(cgaOf(spec), inner.length)),
    E.chainW(({ layout, blocks }) => {
      const share = shapePerBlock(blocks, inner)
      const stride = bufferStride(layout, spec, bits)
      for (const swizzle of isTensorMemory(spec) || bits % 8 !== 0 ? ([16] as const) : swizzles) {
        const worths = permutation(
          isTensorMemory(spec) ? tensorMemoryBits(layout, bits) : sharedBits(layout, bits, swizzle),
          share,
        )
        if (worths === null) continue
        const outer = buffers.map((size, d): ReadonlyArray<Mode> => [
          { size, stride: stride * sizeOf(buffers.slice(d + 1)) },
        ])
        return E.right(ofChains([...outer, ...inTiles(worths.map(modes), swizzle, bits)], bits, 0, swizzle))
      }
      return refuse(
        'triton.not-a-ref',
        `A ${spec._tag} of ${String(bits)}-bit elements on ${showShape(inner)}: no swizzle of 16, 32, 64 or 128 bytes has these XORs`,
      )
    }),
  )
}
