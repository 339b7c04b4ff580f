/**
 * Optimized accesses: those that take no more passes through the banks of SMEM than they must.
 *
 * A register layout and a ref with transforms say which bytes each lane touches. If the lanes of an instruction ask one bank for several words
 * the access takes longer, or if a lane's elements do not lie together it takes more instructions; Pallas then has no optimized
 * implementation, and refuses unless `optimized=False`.
 *
 *     WGMMA, f16 (64, 64), Tiling (8, 64), Swizzle 128     no conflicts
 *     the same without a swizzle                           8 rows in the same 4 banks: refused
 *     WGMMA, f32 (64, 32), Tiling (8, 32), Swizzle 128     two rows in the same banks; none where the lanes of odd rows take every two
 *                                                          instructions the other way about, as JAX has them
 *
 * A layout of `any` is chosen by inference, and so that it fits. A splat and layouts of other than 32 lanes are not judged.
 *
 * Source: JAX docs, Pallas:MGPU reference (`plgpu.load`); conflicts as in `layouts/shared-memory/banks.ts`.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { showLayout, type RegisterLayout } from '../../../layouts/register-layout.js'
import { wavefronts } from '../../../layouts/shared-memory/banks.js'
import { accessOf, type RegisterAccess } from '../../../layouts/shared-memory/register-access.js'
import { refuse, type Code } from '../codes.js'
import type { SmemRef } from './map.js'

/** Refuses a layout that meets conflicts in the ref. */
export const checkOptimized = (
  label: string,
  direction: 'load' | 'store',
  layout: RegisterLayout | 'any',
  ref: SmemRef,
): E.Either<Failure<Code>, null> => {
  if (layout === 'any' || layout._tag === 'splat') return E.right(null)
  const no = (why: string): E.Either<Failure<Code>, never> =>
    refuse(
      'pallas.load.optimized',
      `${label}: there is no optimized ${direction} between ${ref.name} and the layout ${showLayout(layout)}: ${why}; optimized=False allows it`,
    )
  const found = accessOf({ direction })(layout, ref.layout)
  if (E.isLeft(found)) return found.left.code === 'banks.layout' ? E.right(null) : no(found.left.message)
  const { conflicts, wavefronts: passes } = found.right
  return conflicts === 0 || isStaggered(found.right)
    ? E.right(null)
    : no(`${String(conflicts)} of its ${String(passes)} passes are bank conflicts`)
}

/** Are there two halves of the lanes, told by a bit of their numbers, such that none meets a conflict if one half takes every two instructions the other way about? */
const isStaggered = ({ access, instructions }: RegisterAccess): boolean => {
  const addresses = instructions.filter(({ warp }) => warp === 0).map((one) => one.addresses)
  const isFree = (jump: number, bit: number): boolean =>
    addresses.every((own, k) => {
      const mixed = own.map((at, lane) => ((lane >>> bit) & 1 ? (addresses[k ^ jump]?.[lane] ?? at) : at))
      const met = wavefronts(access)(mixed)
      return E.isRight(met) && met.right.conflicts === 0
    })
  return powers(addresses.length).some((jump) => powers(32).some((_, bit) => isFree(jump, bit)))
}

const powers = (end: number): ReadonlyArray<number> =>
  Array.from({ length: Math.ceil(Math.log2(Math.max(1, end))) }, (_, k) => 2 ** k)
