/**
 * The table of scalar operations: one row an opcode form, found by its name.
 *
 * A name is the opcode with its modifiers in PTX's order: `add.rn.ftz.f32`, `setp.lt.and.s32`, `cvt.rzi.u32.f32`, `mad.wide.u32`. Every form that an
 * H100 has is here.
 *
 * By hand: `scalarOperation('add.s32')?.compute(2, 3)` is 5.
 *
 * Laws
 * 1. Names are unique.
 * 2. Every row satisfies the laws of `operation.ts`.
 */
import { approximateRows, quotientRows } from './approximate.js'
import { binary32Rows } from './binary32.js'
import { binary64Rows } from './binary64.js'
import { comparisonRows } from './comparison.js'
import { conversionRows } from './conversion.js'
import { halfRows } from './half.js'
import { extendedRows, integer64Rows } from './integer64.js'
import { integerRows } from './integer.js'
import { logicRows } from './logic.js'
import type { ScalarOperation } from './operation.js'
import { videoRows } from './video.js'

export const scalarOperations: readonly ScalarOperation[] = [
  ...integerRows,
  ...integer64Rows,
  ...extendedRows,
  ...logicRows,
  ...videoRows,
  ...binary32Rows,
  ...binary64Rows,
  ...halfRows,
  ...comparisonRows,
  ...approximateRows,
  ...conversionRows,
]

const byName: ReadonlyMap<string, ScalarOperation> = new Map(
  [...scalarOperations, ...quotientRows].map((row) => [row.name, row]),
)

/** The row of an opcode form, or nothing. */
export const scalarOperation = (name: string): ScalarOperation | undefined => byName.get(name)
