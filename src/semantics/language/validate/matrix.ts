/**
 * Matrix instructions: which products a tensor core computes.
 *
 * An MMA is D (m x n) = A (m x k) B (k x n) + D. Types, M, N and the K of one instruction are those of `layouts/shared-memory/wgmma-shape.ts` and
 * `instruction-descriptor.ts`; here a whole statement is made of such instructions:
 *
 * | instruction   | m                        | n                                | k                | run by                  |
 * |---------------|--------------------------|----------------------------------|------------------|-------------------------|
 * | wgmma         | any number of 64 rows    | one instruction's                | any number of steps | whole warpgroups, sm90a |
 * | tcgen05.mma   | one instruction's; of a pair, half of it in each CTA | one instruction's, or 512 for two of 256; B has half for a pair | any number of steps | sm100a |
 *
 * | operand               | how it lies                                                                        | code                       |
 * |-----------------------|------------------------------------------------------------------------------------|----------------------------|
 * | in shared memory      | as a matrix descriptor describes (`matrix-descriptor.ts`)                          | mma.unsupported-transforms |
 * | D, A in tensor memory | as the data path of the instruction puts it (`layouts/tensor-memory/accumulator.ts`) | mma.tensor-memory        |
 * | scales                | both or none, e8m0 or ue4m3: row x in lane x mod 32, word x div 32; 4 factors a word | mma.scales               |
 * | sparsity              | words of 32 bits, a line of them in each of M lanes (`layouts/tensor-memory/sparsity.ts`); A has half of k | mma.sparsity |
 *
 * Sums of integers, and no others, may saturate; operands of floats, and no others, may be negated (mma.dtype).
 *
 * A sparse A doubles the K of an instruction, and what a scale stands for. Operands of 4 and 6 bits in shared memory whose kind has wider ones, too, are padded to
 * 16 elements in 16 bytes (`transforms/padded-operand.ts`).
 *
 * Laws
 * 1. Shapes and dtypes: exactly what the two modules say (mma.shape, mma.dtype).
 * 2. An operand in shared memory is one that a descriptor describes; one in tensor memory lies where the instruction looks.
 * 3. An instruction of one architecture is refused in a program for another (arch), and a warpgroup's in the code of less (mma.agent).
 *
 * Source: PTX ISA 9, wgmma.mma_async and tcgen05.mma: shapes, types, data paths, block scaling, sparsity.
 */
import * as E from 'fp-ts/lib/Either.js'
import {
  kindOf,
  productShape,
  type InstructionDescriptor,
  type MmaKind,
} from '../../../layouts/shared-memory/instruction-descriptor.js'
import { descriptorOf, type MatrixUnit } from '../../../layouts/shared-memory/matrix-descriptor.js'
import { wgmmaShape } from '../../../layouts/shared-memory/wgmma-shape.js'
import * as Acc from '../../../layouts/tensor-memory/accumulator.js'
import { tmemLaneBytes } from '../../../layouts/tensor-memory/geometry.js'
import { metadataByte, scaleByte } from '../../../layouts/tensor-memory/operand-bytes.js'
import { kOfWord } from '../../../layouts/tensor-memory/sparsity.js'
import { type Dtype, bitsOf } from '../../../numerics/dtype.js'
import { mmaOperand } from '../../../transforms/mma-operand.js'
import { paddedBytes } from '../../../transforms/padded-operand.js'
import * as Ref from '../../../transforms/ref.js'
import { sameShape, showShape } from '../../../transforms/shape.js'
import type { InstructionOf } from '../instruction.js'
import type { Program } from '../program.js'
import { showType } from '../typecheck.js'
import { type ViewType } from '../types.js'
import type { Operands } from './operands.js'
import { type Checked, each, first, no } from './problem.js'
import type { Here } from './scope.js'

// ---------------------------------------------------------------- how an operand lies

/** Shared operands must be what a matrix descriptor can describe. */
const described = (unit: MatrixUnit, side: 'a' | 'b', view: ViewType, rows: number): Checked => {
  if (view.space !== 'smem') return null
  return describedAs(unit, side, view.layout, rows)
}

const describedAs = (
  unit: MatrixUnit,
  side: 'a' | 'b',
  layout: Ref.TransformedRef,
  rows: number,
): Checked => {
  const found = descriptorOf({ unit, operand: side, rows })(layout, 0)
  if (E.isRight(found)) return null
  return found.left.code === 'descriptor.extent'
    ? no('mma.shape', `${side}: ${found.left.message}`)
    : no('mma.unsupported-transforms', `${side}: ${found.left.message}`)
}

/**
 * The view puts every element where `byteOf` says, counted from the element of index 0. Without a swizzle rows and columns add up, so the
 * first row and the first column tell.
 */
const lies = (
  field: string,
  view: ViewType,
  code: 'mma.tensor-memory' | 'mma.scales' | 'mma.sparsity',
  byteOf: (row: number, column: number) => number,
): Checked => {
  const [rows = 0, columns = 0] = view.layout.shape
  const start = Ref.addressOf(view.layout, 0, [0, 0])
  const wrong = (row: number, column: number): boolean =>
    Ref.addressOf(view.layout, 0, [row, column]) - start !== byteOf(row, column) - byteOf(0, 0)
  const at = (address: number): string =>
    `lane ${String(Math.floor(address / tmemLaneBytes))}, byte ${String(address % tmemLaneBytes)}`
  const problem = (row: number, column: number): Checked =>
    no(
      code,
      `${field}: expected element [${String(row)}, ${String(column)}] ${at(byteOf(row, column) - byteOf(0, 0))} after the first, found ${at(Ref.addressOf(view.layout, 0, [row, column]) - start)}`,
    )
  if (view.layout.swizzle !== 16) return no(code, `${field}: tensor memory has no swizzle`)
  for (let row = 0; row < rows; row++) if (wrong(row, 0)) return problem(row, 0)
  for (let column = 0; column < columns; column++) if (wrong(0, column)) return problem(0, column)
  return null
}

const cellByte = ({ lane, column }: Acc.PairCell): number => lane * tmemLaneBytes + column * 4

// ---------------------------------------------------------------- wgmma

export const wgmmaRules = (operand: Operands, i: InstructionOf<'wgmma.mma'>): Checked => {
  const accumulator = operand.view('accumulator')
  const a = operand.view('a')
  const b = operand.view('b')
  if (accumulator === undefined || a === undefined || b === undefined) return null
  const [m = 0, n = 0] = accumulator.layout.shape
  const k = b.layout.shape[0] ?? 0
  const shape = wgmmaShape(a.dtype, b.dtype, accumulator.dtype, n)
  return first([
    () => operandShapes(a, b, [m, n], [m, k], [k, n]),
    () => (m > 0 && m % 64 === 0 ? null : no('mma.shape', `M must be a multiple of 64, found ${String(m)}`)),
    () =>
      E.isRight(shape)
        ? null
        : no(shape.left.code === 'wgmma.type' ? 'mma.dtype' : 'mma.shape', shape.left.message),
    () => modifiers(accumulator.dtype, i.negateA || i.negateB, i.saturate === true),
    () => (E.isRight(shape) ? stepsOfK(a.dtype, k, shape.right.k) : null),
    () => described('wgmma', 'a', a, 64),
    () => described('wgmma', 'b', b, n),
  ])
}

const operandShapes = (
  a: ViewType,
  b: ViewType,
  d: ReadonlyArray<number>,
  wantedA: ReadonlyArray<number>,
  wantedB: ReadonlyArray<number>,
): Checked =>
  sameShape(a.layout.shape, wantedA) && sameShape(b.layout.shape, wantedB)
    ? null
    : no(
        'mma.shape',
        `accumulator ${showShape(d)} = a ${showShape(wantedA)} x b ${showShape(wantedB)}, found a ${showShape(a.layout.shape)} and b ${showShape(b.layout.shape)}`,
      )

/** Floats are negated and integers saturate, and not the other way round. */
const modifiers = (into: Dtype, negates: boolean, saturates: boolean): Checked =>
  into === 'i32'
    ? negates
      ? no('mma.dtype', 'operands of integers cannot be negated')
      : null
    : saturates
      ? no('mma.dtype', `sums of integers saturate, found an accumulator of ${into}`)
      : null

const stepsOfK = (dtype: Dtype, k: number, step: number): Checked =>
  k % step === 0
    ? null
    : no('mma.shape', `K of ${dtype} must be a multiple of ${String(step)}, found ${String(k)}`)

// ---------------------------------------------------------------- tcgen05.mma

/** f32 is read as tf32. */
const asOperand = (dtype: Dtype): Dtype => (dtype === 'f32' ? 'tf32' : dtype)

interface Scaling {
  readonly dtype: 'e8m0' | 'ue4m3'
  /** stored elements of A that share a scale */
  readonly block: number
}

const majorOf = (side: 'a' | 'b', view: ViewType): 'k' | 'mn' => {
  const found = view.space === 'smem' ? mmaOperand(side)(view.layout) : null
  return found !== null && E.isRight(found) ? found.right.major : 'k'
}

/** Two scale views of one type, or none. */
const scalingOf = (
  scaleA: ViewType | undefined,
  scaleB: ViewType | undefined,
  stored: number,
): Scaling | null | 'wrong' => {
  if (scaleA === undefined && scaleB === undefined) return null
  if (scaleA === undefined || scaleB === undefined || scaleA.dtype !== scaleB.dtype) return 'wrong'
  const { dtype } = scaleA
  if (dtype !== 'e8m0' && dtype !== 'ue4m3') return 'wrong'
  return { dtype, block: stored / (scaleA.layout.shape[1] ?? 1) }
}

export const tcgen05Rules = (operand: Operands, i: InstructionOf<'tcgen05.mma'>): Checked => {
  const accumulator = operand.view('accumulator')
  const a = operand.view('a')
  const b = operand.view('b')
  if (accumulator === undefined || a === undefined || b === undefined) return null
  const [m = 0, n = 0] = accumulator.layout.shape
  const k = b.layout.shape[0] ?? 0
  const { ctaGroup } = i
  const scaleA = operand.view('scaleA')
  const scaleB = operand.view('scaleB')
  const metadata = operand.view('sparsity')
  const sparse = metadata !== undefined
  const stored = sparse ? k / 2 : k
  const scaling = scalingOf(scaleA, scaleB, stored)
  if (scaling === 'wrong')
    return no(
      'mma.scales',
      `expected scales of A and of B, both e8m0 or both ue4m3, found ${scaleA === undefined ? 'none' : scaleA.dtype} and ${scaleB === undefined ? 'none' : scaleB.dtype}`,
    )
  const kind = kindOf(a.dtype, b.dtype, scaling)
  // 512 columns are two instructions, of one CTA
  const weightStationary = i.weightStationary === true
  const oneN = n === 512 && ctaGroup === 1 && !weightStationary ? 256 : n
  const common = {
    a: asOperand(a.dtype),
    b: asOperand(b.dtype),
    m: m * ctaGroup,
    n: oneN,
    negateA: false,
    negateB: false,
    transposeA: majorOf('a', a) === 'mn',
    transposeB: majorOf('b', b) === 'mn',
    sparse,
    sparsitySelector: 0,
  } as const
  const into = accumulator.dtype
  const descriptor: InstructionDescriptor | null =
    kind === 'mxf8f6f4' || kind === 'mxf4' || kind === 'mxf4nvf4'
      ? scaling === null
        ? null
        : Object.assign(
            { _tag: 'scaled', kind, scale: scaling.dtype, scaleIdA: 0, scaleIdB: 0, k96: false } as const,
            common,
          )
      : into === 'f16' || into === 'f32' || into === 'i32'
        ? Object.assign(
            { _tag: 'dense', kind, accumulator: into, saturate: i.saturate === true, maxShift: 0 } as const,
            common,
          )
        : null
  const shape = descriptor === null ? null : productShape({ ctaGroup, weightStationary })(descriptor)
  const id = Acc.accumulatorIdOf(
    m * ctaGroup,
    weightStationary ? 'ws' : ctaGroup === 1 ? 'one' : sparse ? 'pair-sparse' : 'pair',
  )
  return first([
    () => operandShapes(a, b, [m, n], [m, stored], [k, n / ctaGroup]),
    () => modifiers(into, false, i.saturate === true),
    () =>
      shape === null || (scaling !== null && into !== 'f32')
        ? no('mma.dtype', `no tensor core multiplies ${a.dtype} by ${b.dtype} into ${into}`)
        : E.isRight(shape)
          ? null
          : no(
              shape.left.code === 'instruction.shape' || shape.left.code === 'instruction.field'
                ? 'mma.shape'
                : shape.left.code === 'instruction.modifier'
                  ? 'mma.unsupported-transforms'
                  : 'mma.dtype',
              shape.left.message,
            ),
    () => (shape !== null && E.isRight(shape) ? stepsOfK(a.dtype, k, shape.right.k) : null),
    () => operandLies('a', a, kind, m),
    () => operandLies('b', b, kind, oneN / ctaGroup),
    () => {
      const acc = id === null ? null : Acc.accumulator(id, n)
      return acc === null || E.isLeft(acc)
        ? null
        : lies('accumulator', accumulator, 'mma.tensor-memory', (row, column) =>
            cellByte(Acc.accumulatorCell(acc.right, row, column)),
          )
    },
    () => {
      if (a.space !== 'tmem') return null
      if (weightStationary && m !== 128)
        return no(
          'mma.tensor-memory',
          `a: ${String(m)} rows of a weight-stationary product are in shared memory here`,
        )
      const bits = bitsOf(a.dtype)
      const cells = Acc.leftOperandCells({ m: m * ctaGroup, pair: ctaGroup === 2, bits }, 0, 0)
      if (E.isLeft(cells)) return no('mma.tensor-memory', `a: ${cells.left.message}`)
      return lies('a', a, 'mma.tensor-memory', (row, column) => {
        const found = Acc.leftOperandCells({ m: m * ctaGroup, pair: ctaGroup === 2, bits }, row, column)
        const cell = E.isRight(found) ? found.right[0]! : { cta: 0, lane: 0, column: 0, part: 0 }
        return cellByte(cell) + Math.floor((cell.part * bits) / 8)
      })
    },
    () =>
      scaling === null || scaleA === undefined || scaleB === undefined
        ? null
        : scales(scaling, scaleA, scaleB, [m, n, stored], ctaGroup === 2 && m === 64),
    () => {
      if (metadata === undefined) return null
      const words = k / kOfWord(a.dtype)
      return metadata.dtype === 'u32' && sameShape(metadata.layout.shape, [m, words])
        ? lies('sparsity', metadata, 'mma.sparsity', metadataByte)
        : no(
            'mma.sparsity',
            `sparsity: expected u32 ${showShape([m, words])}, a word for ${String(kOfWord(a.dtype))} of k, found ${showType(metadata)}`,
          )
    },
  ])
}

/** In shared memory as a descriptor describes it, 4 and 6 bits of a kind with wider elements padded; in tensor memory below. */
const operandLies = (side: 'a' | 'b', view: ViewType, kind: MmaKind, rows: number): Checked => {
  const bits = bitsOf(view.dtype)
  if (bits >= 8 || (kind !== 'f8f6f4' && kind !== 'mxf8f6f4')) return described('tcgen05', side, view, rows)
  if (view.space !== 'smem')
    return no(
      'mma.unsupported-transforms',
      `${side}: elements of ${view.dtype} for kind ${kind} must be in shared memory: which bits of a byte of tensor memory they are is not known here`,
    )
  const bytes = paddedBytes(side === 'a' ? 1 : 0, view.layout)
  return bytes === null
    ? no(
        'mma.unsupported-transforms',
        `${side}: elements of ${view.dtype} for kind ${kind} are padded along K: 16 of them in the first ${String(2 * bits)} of every 16 bytes`,
      )
    : describedAs('tcgen05', side, bytes, rows)
}

const scales = (
  { dtype, block }: Scaling,
  scaleA: ViewType,
  scaleB: ViewType,
  [m, n, stored]: readonly [m: number, n: number, stored: number],
  halves: boolean,
): Checked =>
  first([
    () =>
      (block === 32 && dtype === 'e8m0') || block === 16
        ? null
        : no(
            'mma.scales',
            `a scale of ${dtype} stands for ${dtype === 'e8m0' ? '16 or 32' : '16'} elements, found ${String(block)} (${String(stored)} in ${String(scaleA.layout.shape[1])})`,
          ),
    () =>
      sameShape(scaleA.layout.shape, [m, stored / block]) &&
      sameShape(scaleB.layout.shape, [n, stored / block])
        ? null
        : no(
            'mma.scales',
            `expected scales ${showShape([m, stored / block])} of A and ${showShape([n, stored / block])} of B, found ${showShape(scaleA.layout.shape)} and ${showShape(scaleB.layout.shape)}`,
          ),
    () => lies('scaleA', scaleA, 'mma.scales', scaleByte(m, false)),
    () => lies('scaleB', scaleB, 'mma.scales', scaleByte(n, halves)),
  ])

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

/** The same, and the first warp is the first of a warpgroup. */
export const alignedWarpgroups = (here: Here, name: string): Checked =>
  wholeWarpgroups(here, name) ??
  each(here.runners, (agent) =>
    agent.firstWarp % 4 === 0
      ? null
      : no(
          'mma.agent',
          `${name} is run by whole warpgroups, found agent ${agent.name} from warp ${String(agent.firstWarp)}`,
        ),
  )
