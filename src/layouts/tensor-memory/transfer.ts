/**
 * From tensor memory to registers and back: which register layout goes with which layout of tensor memory.
 *
 * A warp reaches the lanes of its own quarter only, so the register layout must give each warp the elements of its quarter. The pairs that Pallas takes:
 *
 * | tensor memory          | registers                        | when                                | instruction                   |
 * |------------------------|----------------------------------|-------------------------------------|-------------------------------|
 * | default(p)             | TCGEN05 (the one by default)     |                                     | 16x256b, or 16x128b if p = 2  |
 * | half-lane(c, p)        | WGMMA (by default)               |                                     | likewise, once for each half  |
 * | m64-collective(c, p)   | TCGEN05_M64_COLLECTIVE(c) (by default) |                               | likewise                      |
 * | any but metadata       | its own tiled layout             | p * bits = 32                       | 32x32b                        |
 * | default(p)             | TMEM_NATIVE(2)                   | 32 bits, or 16 bits with p = 1      | 32x32b                        |
 *
 *     default(1), f32 (128, 64):  TCGEN05 by default; TMEM_NATIVE(1) is its own; TMEM_NATIVE(2) goes as well; WGMMA does not: its warp 1 wants rows 16 to 31
 *
 * The tiled layout of the B scales of a pair names other rows than the copy writes to a quarter, so that pair is taken and no instruction does it.
 *
 * Names: `plgpu.async_load_tmem(ref, layout=...)`, `plgpu.async_store_tmem`.
 *
 * Laws
 * 1. In a pair that `accessOf` takes every warp has exactly elements of its own quarter.
 * 2. The shape of `accessOf` takes each register of a lane from where the element lies (of scales: one block of 128 rows, or of 4 columns).
 * 3. `defaultRegisters` gives a legal pair.
 *
 * Source: JAX docs, Pallas:MGPU reference (tensor memory); PTX ISA, tcgen05.ld.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse, unreachable } from '../../failure.js'
import { nameOf } from '../named.js'
import type { TiledLayout } from '../tiled.js'
import * as Tiled from '../tiled.js'
import type { AccessShapeName } from './access-shape.js'
import { tmemColumnBits } from './geometry.js'
import type { TensorMemoryLayout } from './tensor-memory-layout.js'
import { checkPacking, showTensorMemoryLayout, vectorLength } from './tensor-memory-layout.js'

export type TransferError = 'tmem.transfer' | 'tmem.packing' | 'tmem.metadata'

/** Metadata go nowhere, and elements must go into the columns. */
const checkSource = (
  layout: TensorMemoryLayout,
  bits: number,
): E.Either<Failure<TransferError>, TensorMemoryLayout> =>
  layout.kind === 'sparse-metadata'
    ? refuse(
        'tmem.metadata',
        'Sparse metadata in tensor memory are not loaded into registers, nor stored from them',
      )
    : checkPacking(layout, bits)

const fullyPacked = (layout: TensorMemoryLayout, bits: number): boolean =>
  vectorLength(layout) * bits === tmemColumnBits

/** The register layout of the fragment that matrix products know, if the layout holds accumulators. */
const fragmentOf = (layout: TensorMemoryLayout): TiledLayout | null => {
  switch (layout.kind) {
    case 'default':
      return Tiled.TCGEN05
    case 'half-lane':
      return Tiled.WGMMA
    case 'm64-collective':
      return pipe(
        Tiled.TCGEN05_M64_COLLECTIVE(Tiled.baseTileShape(layout.tiled)[1]!),
        E.getOrElseW((why) => unreachable(why.message)),
      )
    case 'scales':
    case 'b-scales-m64-collective':
    case 'sparse-metadata':
      return null
    default:
      return unreachable(layout.kind)
  }
}

/** The register layout that a load has if none is asked for. */
export const defaultRegisters = (
  layout: TensorMemoryLayout,
  bits: number,
): E.Either<Failure<TransferError>, TiledLayout> => {
  return pipe(
    checkSource(layout, bits),
    E.map(() => fragmentOf(layout) ?? layout.tiled),
  )
}

const pairs: TiledLayout = pipe(
  Tiled.TMEM_NATIVE(2),
  E.getOrElseW((why) => unreachable(why.message)),
)

const isPairsOfColumns = (layout: TensorMemoryLayout, registers: TiledLayout, bits: number): boolean =>
  layout.kind === 'default' && Tiled.sameTiledLayout(registers, pairs) && (bits === 32 || bits === 16)

/** May elements go between the two? All register layouts that do are in the message of a refusal. */
export const checkTransfer = (
  layout: TensorMemoryLayout,
  registers: TiledLayout,
  bits: number,
): E.Either<Failure<TransferError>, null> => {
  const source = checkSource(layout, bits)
  if (E.isLeft(source)) return source
  const fragment = fragmentOf(layout)
  const own = fullyPacked(layout, bits) ? layout.tiled : null
  const known = [fragment, own].flatMap((one) => (one === null ? [] : [one]))
  if (known.some((one) => Tiled.sameTiledLayout(one, registers)) || isPairsOfColumns(layout, registers, bits))
    return E.right(null)
  const show = (one: TiledLayout): string => nameOf(one) ?? 'its own tiled layout'
  return refuse(
    'tmem.transfer',
    `Registers of layout ${nameOf(registers) ?? 'without a name'} do not go with ${showTensorMemoryLayout(layout)} for elements of ${String(bits)} bits: expected ${known.map(show).join(' or ')}`,
  )
}

export type AccessError = TransferError | 'tmem.no-access-shape'

/** The shape of tcgen05.ld and tcgen05.st that moves a legal pair. Refused where no one shape does, as for 8-bit fragments. */
export const accessOf = (
  layout: TensorMemoryLayout,
  registers: TiledLayout,
  bits: number,
): E.Either<Failure<AccessError>, AccessShapeName> =>
  pipe(
    checkTransfer(layout, registers, bits),
    E.chainW((): E.Either<Failure<AccessError>, AccessShapeName> => {
      if (layout.kind === 'b-scales-m64-collective')
        return refuse(
          'tmem.no-access-shape',
          `${showTensorMemoryLayout(layout)}: warps 1 and 2 do not reach the rows that its tiled layout gives them`,
        )
      const fragment = fragmentOf(layout)
      if (fragment === null || !Tiled.sameTiledLayout(fragment, registers)) return E.right('32x32b')
      switch (vectorLength(layout)) {
        case 1:
          return E.right('16x256b')
        case 2:
          return E.right('16x128b')
        default:
          return refuse(
            'tmem.no-access-shape',
            `No shape of tcgen05.ld brings ${showTensorMemoryLayout(layout)} to ${nameOf(registers) ?? 'these registers'}: the lanes of a fragment have pairs of elements, a column has ${String(vectorLength(layout))}`,
          )
      }
    }),
  )
