/**
 * Optimized accesses: those that take no more passes through the banks of SMEM than they must.
 *
 * A register layout and a ref with transforms say which bytes each lane touches. If the lanes of an instruction ask one bank for several words
 * the access takes longer, or if a lane's elements do not lie together it takes more instructions; Pallas then has no optimized
 * implementation, and refuses unless `optimized=False`.
 *
 *     WGMMA, f16 (64, 64), Tiling (8, 64), Swizzle 128     no conflicts
 *     the same without a swizzle                           8 rows in the same 4 banks: refused
 *
 * A layout of `any` is chosen by inference, and so that it fits. A splat and layouts of other than 32 lanes are not judged.
 *
 * Source: JAX docs, Pallas:MGPU reference (`plgpu.load`); conflicts as in `layouts/shared-memory/banks.ts`.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { showLayout, type RegisterLayout } from '../../../layouts/register-layout.js'
import { accessOf } from '../../../layouts/shared-memory/register-access.js'
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
  const { conflicts, wavefronts } = found.right
  return conflicts === 0
    ? E.right(null)
    : no(`${String(conflicts)} of its ${String(wavefronts)} passes are bank conflicts`)
}
