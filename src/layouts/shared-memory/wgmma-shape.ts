/**
 * Which products wgmma computes. (Those of tcgen05.mma: `instruction-descriptor.ts`.)
 *
 * One instruction has 64 rows, N columns and 32 bytes of K:
 *
 * | a and b                | accumulator | K  | N                                   |
 * |------------------------|-------------|----|-------------------------------------|
 * | f16, f16               | f32, f16    | 16 | 8 to 256 by 8                       |
 * | bf16, bf16             | f32         | 16 | the same                            |
 * | tf32, tf32             | f32         | 8  | the same                            |
 * | e4m3 or e5m2, any two  | f32, f16    | 32 | the same                            |
 * | i8 or u8, any two      | i32         | 32 | 8, 24, 16 to 256 by 16              |
 *
 * A tile of f32 is an operand too: its low 13 bits are ignored, as of tf32.
 *
 * Law 1. `wgmmaShape` accepts exactly the table.
 *
 * Source: PTX ISA, wgmma.mma_async: shapes and types.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Dtype } from '../../numerics/dtype.js'

export type WgmmaError = 'wgmma.type' | 'wgmma.shape'

interface Row {
  readonly operands: ReadonlyArray<Dtype>
  readonly accumulators: ReadonlyArray<Dtype>
  readonly k: number
}
const rows: ReadonlyArray<Row> = [
  { operands: ['f16'], accumulators: ['f32', 'f16'], k: 16 },
  { operands: ['bf16'], accumulators: ['f32'], k: 16 },
  { operands: ['tf32'], accumulators: ['f32'], k: 8 },
  { operands: ['f32'], accumulators: ['f32'], k: 8 },
  { operands: ['e4m3', 'e5m2'], accumulators: ['f32', 'f16'], k: 32 },
  { operands: ['i8', 'u8'], accumulators: ['i32'], k: 32 },
]

/** M, N and K of one instruction. Errors: types that it does not multiply, an N that it has not. */
export const wgmmaShape = (
  a: Dtype,
  b: Dtype,
  accumulator: Dtype,
  n: number,
): E.Either<Failure<WgmmaError>, { readonly m: 64; readonly n: number; readonly k: number }> => {
  const row = rows.find(({ operands }) => operands.includes(a) && operands.includes(b))
  if (row === undefined || !row.accumulators.includes(accumulator))
    return refuse('wgmma.type', `no tensor core multiplies ${a} by ${b} into ${accumulator}`)
  const step = accumulator === 'i32' && n !== 8 && n !== 24 ? 16 : 8
  return Number.isInteger(n / step) && n >= 8 && n <= 256
    ? E.right({ m: 64, n, k: row.k })
    : refuse(
        'wgmma.shape',
        `N must be a multiple of 8 up to 256${accumulator === 'i32' ? ' (of 16, or 8 or 24, for integers)' : ''}, found ${String(n)}`,
      )
}
