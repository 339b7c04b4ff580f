/**
 * Which buffers the tensor cores can read.
 *
 * A matrix descriptor names a swizzle and two distances: between groups of 8 rows, and between tiles that follow each other along
 * the contiguous dimension. So a buffer is an operand if, somewhere in its low bits, it is the core tile of a swizzle, 8 rows of
 * W bytes (16 without a swizzle), and the next tiles are one distance apart in each direction. Then the distances are where the
 * next bits of each dimension lie:
 *
 *     nvmma_shared W = 128, 16 bits, on (128, 128):  tile 8 x 64;  rows 8 apart: 1024 bytes;  columns 64 apart: 16384 bytes
 *
 * Any encoding may turn out to be one, and the flat buffer of `nvmma_shared` with W = 0 is none: without a swizzle the
 * instruction reads tiles of 8 x 16 bytes, each contiguous.
 *
 * Names: Triton `getNvmmaSmemAttrs`, `DotOpMmaSmemLoader`; the fields are those of PTX's matrix descriptor, LBO and SBO.
 *
 * Laws
 * 1. `nvmma_shared` with a swizzle is found as itself, transposed or not, padded or not.
 * 2. The flat buffer, W = 0 and wider than 16 bytes, is refused; in tiles of 8 x 16 bytes it is found, W = 0.
 * 3. Element (r, c) of an instruction's operand lies at start + tile offset + (r div tile rows) stride + (c div tile columns) lead.
 *
 * Source: Triton, the lowering of operands in shared memory; PTX ISA, matrix descriptors.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { showShape } from '../../transforms/shape.js'
import { product } from '../linear/algebra.js'
import { pseudoinvert } from '../linear/inverse.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import { apply, basesOf, identity1D, inputSize, linearLayout } from '../linear/linear-layout.js'
import type { ToLinearError } from './blocks.js'
import { repetitions } from './repetition.js'
import { coreTile } from './shared.js'

export interface OperandForm {
  /** Bytes: 0, 32, 64 or 128. */
  readonly swizzle: number
  /** Dimension 0 is contiguous. */
  readonly transposed: boolean
  readonly fp4Padded: boolean
}

export interface RecognisedOperand extends OperandForm {
  /** The extents of the core tile in the dimensions of the buffer, in elements. */
  readonly tile: Shape
  /** LBO and SBO: bytes, 0 where the instruction needs no second tile. */
  readonly leadingBytes: number
  readonly strideBytes: number
  /** (dim0, dim1) -> (offset, block), in elements. */
  readonly places: LinearLayout
}

export interface OperandRequest {
  /** 4, 8, 16, 32 or 64. */
  readonly bits: number
  /** What one instruction reads, along dimensions 0 and 1. */
  readonly instruction: readonly [number, number]
  /** The dimension that is M or N, the other is K. */
  readonly mnDim: 0 | 1
}

export type OperandError = ToLinearError | 'triton.element-bits' | 'triton.not-an-operand'

/** In the order in which they are tried. Only whole bytes are padded. */
const forms = (bits: number): ReadonlyArray<OperandForm> =>
  (bits === 8 ? [false, true] : [false]).flatMap((fp4Padded) =>
    (fp4Padded ? [128] : [0, 32, 64, 128]).flatMap((swizzle) =>
      [false, true].map((transposed) => ({ swizzle, transposed, fp4Padded })),
    ),
  )

const swapped = (layout: LinearLayout): E.Either<Failure<ToLinearError>, LinearLayout> =>
  linearLayout({
    inputs: layout.inputs.map(({ name, bases }) => ({ name, bases: bases.map(([r, c]) => [c!, r!]) })),
    outputs: layout.outputs.map(({ name }, d) => ({ name, size: layout.outputs[1 - d]!.size })),
  })

/** The core tile of a form, (dim0, dim1) -> offset. */
const tilePlaces = (form: OperandForm, bits: number): E.Either<Failure<ToLinearError>, LinearLayout> =>
  pipe(
    E.Do,
    E.bindW('bytes', () =>
      coreTile({
        swizzlingByteWidth: form.swizzle,
        elementBitWidth: Math.max(8, bits),
        fp4Padded: form.fp4Padded,
      }),
    ),
    E.bindW('parts', () => identity1D(8 / Math.min(8, bits), 'offset', 'dim1')),
    E.chainW(({ bytes, parts }) => product(parts, bytes)),
    E.chainW((layout) => (form.transposed ? swapped(layout) : E.right(layout))),
    E.chainW(pseudoinvert),
  )

const extents = (tile: LinearLayout): readonly [number, number] => [
  inputSize(tile, 'dim0'),
  inputSize(tile, 'dim1'),
]

/** The tile repeated at one distance along each dimension, up to the instruction's extent. */
const upTo =
  (tile: LinearLayout, places: LinearLayout, instruction: readonly [number, number]) =>
  (name: string, d: 0 | 1): ReadonlyArray<Index> => {
    const low = basesOf(tile, name).map(([offset]) => [offset!, 0])
    const bits = Math.max(low.length, Math.log2(instruction[d]))
    const next = basesOf(places, name)[low.length]?.[0] ?? 0
    return [...low, ...Array.from({ length: bits - low.length }, (_, i) => [next * 2 ** i, 0])]
  }

const tryForm = (
  places: LinearLayout,
  { bits, instruction, mnDim }: OperandRequest,
  form: OperandForm,
): O.Option<RecognisedOperand> =>
  pipe(
    O.fromEither(tilePlaces(form, bits)),
    O.chain((tile) => {
      const repeated = upTo(tile, places, instruction)
      const whole = {
        inputs: [
          { name: 'dim0', bases: repeated('dim0', 0) },
          { name: 'dim1', bases: repeated('dim1', 1) },
        ],
        outputs: places.outputs,
      }
      const contiguous = form.transposed ? 0 : 1
      // Without a swizzle, an operand that is contiguous along M or N has the two distances exchanged.
      const leading = form.swizzle === 0 && contiguous === mnDim ? 1 - contiguous : contiguous
      const distance = (d: number): number => {
        const name = `dim${String(d)}`
        const bit = Math.log2(inputSize(tile, name))
        return 2 ** bit < instruction[d]! ? (basesOf(places, name)[bit]![0]! * bits) / 8 : 0
      }
      return pipe(
        repetitions(places, whole),
        O.map(() => ({
          ...form,
          tile: extents(tile),
          leadingBytes: distance(leading),
          strideBytes: distance(1 - leading),
          places,
        })),
      )
    }),
  )

/**
 * The form in which the tensor cores read a buffer, (offset, block) -> (dim0, dim1). Errors: instructions larger than the buffer,
 * and buffers that are no operand.
 */
export const recogniseOperand = (
  layout: LinearLayout,
  request: OperandRequest,
): E.Either<Failure<OperandError>, RecognisedOperand> => {
  const { bits, instruction } = request
  if (![4, 8, 16, 32, 64].includes(bits))
    return refuse(
      'triton.element-bits',
      `Operands have elements of 4, 8, 16, 32 or 64 bits, found ${String(bits)}`,
    )
  return pipe(
    pseudoinvert(layout),
    E.chainW((places): E.Either<Failure<OperandError>, RecognisedOperand> => {
      const size = extents(places)
      if (instruction.some((extent, d) => extent > size[d]!))
        return refuse(
          'triton.too-small',
          `The instruction reads ${showShape(instruction)}, but the buffer has ${showShape(size)}`,
        )
      return pipe(
        forms(bits).reduce<O.Option<RecognisedOperand>>(
          (found, form) => (O.isSome(found) ? found : tryForm(places, request, form)),
          O.none,
        ),
        E.fromOption(() => ({
          code: 'triton.not-an-operand' as const,
          message: `No core tile of 8 rows of 16, 32, 64 or 128 bytes, plain or transposed, is repeated at one distance in this buffer of ${showShape(size)}`,
        })),
      )
    }),
  )
}

/** Where the operand at an index starts: bytes, and the descriptor's base offset field. */
export const operandStart =
  ({ places, swizzle }: RecognisedOperand, bits: number) =>
  (index: readonly [number, number]): { readonly bytes: number; readonly baseOffset: number } => {
    const bytes = (apply(places)({ dim0: index[0], dim1: index[1] })[0]! * bits) / 8
    return { bytes, baseOffset: Math.floor(bytes / 128) % Math.max(1, swizzle / 16) }
  }
