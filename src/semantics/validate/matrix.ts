/**
 * Matrix instructions: which products a tensor core computes.
 *
 * An MMA is D (m x n) = A (m x k) B (k x n) + D, on operands that a matrix descriptor can describe.
 *
 * | a and b                 | accumulator | k a multiple of                    |
 * |-------------------------|-------------|------------------------------------|
 * | f16, f16                | f32, f16    | 16                                 |
 * | bf16, bf16              | f32         | 16                                 |
 * | tf32, tf32 and f32, f32 | f32         | 8                                  |
 * | e4m3 or e5m2, either    | f32, f16    | 32                                 |
 * | i8 or u8, either        | i32         | 32                                 |
 * | e2m1, e2m1              | f32         | 64                                 |
 *
 * One step of k is 256 bits of an operand. Floats of 6 bits do not divide it, and are refused for their shape.
 *
 * | instruction  | m                                | n                         | run by                  |
 * |--------------|----------------------------------|---------------------------|-------------------------|
 * | wgmma        | a multiple of 64                 | a multiple of 8 up to 256 | whole warpgroups, sm90a |
 * | tcgen05.mma  | 64 or 128; 256 for a pair of CTAs | a multiple of 8 up to 512; b holds half of it for a pair | sm100a |
 *
 * Laws
 * 1. Shapes and dtypes: exactly the tables (mma.shape, mma.dtype).
 * 2. An operand in shared memory is one that a descriptor describes (`mmaOperand`); only 16-bit operands may be contiguous along M or N.
 * 3. An instruction of one architecture is refused in a program for another (arch), and a warpgroup's in the code of less (mma.agent).
 *
 * Source: PTX ISA 9, wgmma.mma_async and tcgen05.mma: shapes and types.
 */
import * as E from 'fp-ts/lib/Either.js'
import { type Dtype, bitsOf } from '../../numerics/dtype.js'
import { mmaOperand } from '../../transforms/mma-operand.js'
import { sameShape, showShape } from '../../transforms/shape.js'
import type { Program } from '../program.js'
import { showType } from '../typecheck.js'
import { type ViewType } from '../types.js'
import type { Operands } from './operands.js'
import { type Checked, each, first, no } from './problem.js'
import type { Here } from './scope.js'

// ---------------------------------------------------------------- dtypes

const eightBit: ReadonlyArray<Dtype> = ['e4m3', 'e5m2']
const accumulates = (accumulator: Dtype, a: Dtype, b: Dtype): boolean => {
  if (eightBit.includes(a) && eightBit.includes(b)) return accumulator === 'f32' || accumulator === 'f16'
  if ((a === 'i8' || a === 'u8') && (b === 'i8' || b === 'u8')) return accumulator === 'i32'
  if (a !== b) return false
  switch (a) {
    case 'f16':
      return accumulator === 'f32' || accumulator === 'f16'
    case 'bf16':
    case 'tf32':
    case 'f32':
    case 'e2m1':
    case 'e2m3':
    case 'e3m2':
      return accumulator === 'f32'
    default:
      return false
  }
}

// ---------------------------------------------------------------- operands

/** Shared operands must be what a matrix descriptor can describe. */
const legalOperand = (side: 'a' | 'b', view: ViewType): Checked => {
  if (view.space !== 'smem') return null
  const operand = mmaOperand(side)(view.layout)
  if (E.isLeft(operand)) return no(operand.left.code, operand.left.message)
  return operand.right.major === 'mn' && bitsOf(view.dtype) !== 16
    ? no(
        'mma.unsupported-transforms',
        `${side}: only 16-bit operands may be contiguous along ${side === 'a' ? 'M' : 'N'}, found ${showType(view)}`,
      )
    : null
}

// ---------------------------------------------------------------- shapes

/** `rows` says which M there are and `rowsText` says it in words; B holds one `split`th of N; `exactK`: A is not sparse. */
export const matmulShapes = (
  operand: Operands,
  rows: (m: number) => boolean,
  rowsText: string,
  maxColumns: number,
  split: 1 | 2,
  exactK: boolean,
): Checked => {
  const accumulator = operand.view('accumulator')
  const a = operand.view('a')
  const b = operand.view('b')
  if (accumulator === undefined || a === undefined || b === undefined) return null
  const [m = 0, n = 0] = accumulator.layout.shape
  const k = b.layout.shape[0] ?? 0
  const kStep = 256 / Math.min(32, bitsOf(a.dtype))
  const wanted = exactK ? [m, k] : [m, a.layout.shape[1] ?? 0]
  return first([
    () =>
      sameShape(a.layout.shape, wanted) && sameShape(b.layout.shape, [k, n / split])
        ? null
        : no(
            'mma.shape',
            `accumulator ${showShape([m, n])} = a (${String(m)}, k) x b (k, ${String(n / split)}), found a ${showShape(a.layout.shape)} and b ${showShape(b.layout.shape)}`,
          ),
    () => (rows(m) ? null : no('mma.shape', `M must be ${rowsText}, found ${String(m)}`)),
    () =>
      n % 8 === 0 && n <= maxColumns
        ? null
        : no('mma.shape', `N must be a multiple of 8 up to ${String(maxColumns)}, found ${String(n)}`),
    () =>
      k % kStep === 0
        ? null
        : no('mma.shape', `K of ${a.dtype} must be a multiple of ${String(kStep)}, found ${String(k)}`),
    () =>
      accumulates(accumulator.dtype, a.dtype, b.dtype)
        ? null
        : no('mma.dtype', `no tensor core multiplies ${a.dtype} by ${b.dtype} into ${accumulator.dtype}`),
    () => legalOperand('a', a),
    () => legalOperand('b', b),
  ])
}

// ---------------------------------------------------------------- who and where

/** The instruction exists on the architecture of the program. */
export const onArch = (here: Here, name: string, arch: Program['arch']): Checked =>
  here.scene.program.arch === arch
    ? null
    : no('arch', `${name} exists on ${arch} only, found a program for ${here.scene.program.arch}`)

/** All that may run it are whole warpgroups. */
export const wholeWarpgroups = (here: Here, name: string): Checked =>
  each(here.runners, (agent) =>
    agent.warps % 4 === 0
      ? null
      : no(
          'mma.agent',
          `${name} is run by whole warpgroups, found agent ${agent.name} of ${String(agent.warps)} warps`,
        ),
  )
