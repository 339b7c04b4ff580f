/**
 * Instruction descriptors: which product a tcgen05.mma computes, in 32 bits.
 *
 * The kind stands in the instruction's name; types, shape, signs and majors stand in the descriptor. Bits, low to high:
 *
 * | bits  | dense                              | block-scaled                          |
 * |-------|------------------------------------|---------------------------------------|
 * | 0-1   | sparsity selector                  | the same                              |
 * | 2     | A is sparse                        | the same                              |
 * | 3     | saturate (i8)                      | 0                                     |
 * | 4-5   | accumulator: f16 0, f32 1, i32 2   | scale id of B                         |
 * | 7-9   | type of A                          | the same                              |
 * | 10-12 | type of B                          | the same                              |
 * | 13 14 | negate A, B                        | the same                              |
 * | 15 16 | A, B transposed: MN-major          | the same                              |
 * | 17-22 | N div 8                            | the same                              |
 * | 23    | 0                                  | scales: ue4m3 0, e8m0 1               |
 * | 24-28 | M div 16                           | the same (M is 128 or 256)            |
 * | 29    | 0                                  | scale id of A, low bit                |
 * | 30-31 | maximum shift (.ws)                | scale id of A, high bit; K is 96      |
 *
 * Type codes: f16 0, bf16 1; tf32 2; e4m3 0, e5m2 1, e2m3 3, e3m2 4, e2m1 5; u8 0, i8 1; e2m1 1 in the mxf4 kinds. So a word means nothing without
 * its kind.
 *
 *     f16 kind, bf16 x bf16 -> f32, 128 x 256:   1 << 4 | 1 << 7 | 1 << 10 | 32 << 17 | 8 << 24 = 0x08400490
 *
 * | kind             | K (sparse)          | M, one CTA; pair      | N, one CTA; pair                                       |
 * |------------------|---------------------|-----------------------|--------------------------------------------------------|
 * | f16              | 16 (32)             | 64, 128; 128, 256     | 8 to 256 by 8; 16 to 256 by 16                         |
 * | tf32             | 8 (16)              | the same              | the same                                               |
 * | f8f6f4           | 32 (64)             | the same              | the same                                               |
 * | i8               | 32 (64)             | the same              | 8, 24, 16 to 256 by 16; 32 to 256 by 32                |
 * | mxf8f6f4         | 32 (64)             | 128; 128, 256         | 8 to 256 by 8; 16 to 256 by 16                         |
 * | mxf4, mxf4nvf4   | 64 (128); or 96     | the same              | the same                                               |
 *
 * Sparse block-scaled pairs have M 256 only; so has K 96, which is of pairs and dense. `.ws` is of one CTA and of the first four kinds: M 32, 64, 128, N 64,
 * 128, 256 (sparse: 64, 128). An 8-bit B that is transposed makes N a multiple of 16, of 32 for a pair; 4- and 6-bit operands and those of the mxf4
 * kinds cannot be transposed. Only f16 has an f16 accumulator besides 8-bit and narrower floats; only i8 saturates, and does not negate.
 *
 * Names: CuTe `UMMA::InstrDescriptor`, `InstrDescriptorBlockScaled`; Mosaic `_create_instr_descriptor`; Mojo `UMMAInsDescriptor`.
 *
 * Laws
 * 1. `decode(kind)(encode(d)) = d` for every legal d, and `encode(decode(kind)(w)) = w` for every word that is accepted.
 * 2. `productShape` accepts exactly the shapes of the table.
 *
 * @fidelity documented
 *
 * Source: PTX ISA, tcgen05.mma: instruction descriptor, kinds and shapes.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'

// ---------------------------------------------------------------------------------------------- model

export type DenseKind = 'f16' | 'tf32' | 'f8f6f4' | 'i8'
export type ScaledKind = 'mxf8f6f4' | 'mxf4' | 'mxf4nvf4'
export type MmaKind = DenseKind | ScaledKind

interface Common {
  readonly a: Dtype
  readonly b: Dtype
  readonly m: number
  readonly n: number
  readonly negateA: boolean
  readonly negateB: boolean
  /** MN-major instead of K-major. */
  readonly transposeA: boolean
  readonly transposeB: boolean
  readonly sparse: boolean
  /** 0 to 3. */
  readonly sparsitySelector: number
}

export interface DenseInstruction extends Common {
  readonly _tag: 'dense'
  readonly kind: DenseKind
  readonly accumulator: 'f16' | 'f32' | 'i32'
  readonly saturate: boolean
  /** 0 to 3, for `.ws`. */
  readonly maxShift: number
}

/** The accumulator is f32. */
export interface ScaledInstruction extends Common {
  readonly _tag: 'scaled'
  readonly kind: ScaledKind
  readonly scale: 'e8m0' | 'ue4m3'
  readonly scaleIdA: number
  readonly scaleIdB: number
  /** K is 96 (sm_103a). */
  readonly k96: boolean
}

export type InstructionDescriptor = DenseInstruction | ScaledInstruction

/** How the instruction is issued. */
export interface IssueMode {
  readonly ctaGroup: 1 | 2
  /** The `.ws` form. */
  readonly weightStationary: boolean
}

export interface ProductShape {
  readonly m: number
  readonly n: number
  readonly k: number
}

export type InstructionError =
  | 'instruction.type'
  | 'instruction.accumulator'
  | 'instruction.modifier'
  | 'instruction.scale'
  | 'instruction.field'
  | 'instruction.word'
  | 'instruction.reserved'
export type ShapeError = InstructionError | 'instruction.shape' | 'instruction.mode'

// ------------------------------------------------------------------------------------------ the tables

type Codes = ReadonlyArray<readonly [dtype: Dtype, code: number]>

const narrowFloats: Codes = [
  ['e4m3', 0],
  ['e5m2', 1],
  ['e2m3', 3],
  ['e3m2', 4],
  ['e2m1', 5],
]

/** Types of the operands with their codes, and K of a dense product. */
const kinds: Readonly<Record<MmaKind, { readonly types: Codes; readonly k: number }>> = {
  f16: {
    types: [
      ['f16', 0],
      ['bf16', 1],
    ],
    k: 16,
  },
  tf32: { types: [['tf32', 2]], k: 8 },
  f8f6f4: { types: narrowFloats, k: 32 },
  i8: {
    types: [
      ['u8', 0],
      ['i8', 1],
    ],
    k: 32,
  },
  mxf8f6f4: { types: narrowFloats, k: 32 },
  mxf4: { types: [['e2m1', 1]], k: 64 },
  mxf4nvf4: { types: [['e2m1', 1]], k: 64 },
}

/** The kind of instruction that multiplies these types: with scales, of so many stored elements each, or without. f32 is read as tf32. */
export const kindOf = (
  a: Dtype,
  b: Dtype,
  scaling: { readonly dtype: 'e8m0' | 'ue4m3'; readonly block: number } | null,
): MmaKind => {
  if (scaling === null) {
    if (bitsOf(a) === 32) return 'tf32'
    if (a === 'i8' || a === 'u8') return 'i8'
    return bitsOf(a) === 16 ? 'f16' : 'f8f6f4'
  }
  if (bitsOf(a) !== 4 || bitsOf(b) !== 4) return 'mxf8f6f4'
  return scaling.block === 32 && scaling.dtype === 'e8m0' ? 'mxf4' : 'mxf4nvf4'
}

const accumulators = ['f16', 'f32', 'i32'] as const
const scales = ['ue4m3', 'e8m0'] as const

/** A field: its first bit and its value. */
type Field = readonly [from: number, value: number]

const bit = (on: boolean): number => (on ? 1 : 0)

const codeOf = (kind: MmaKind, dtype: Dtype): number | undefined =>
  kinds[kind].types.find(([own]) => own === dtype)?.[1]

const fieldsOf = (d: InstructionDescriptor, codeA: number, codeB: number): ReadonlyArray<Field> => [
  [0, d.sparsitySelector],
  [2, bit(d.sparse)],
  [7, codeA],
  [10, codeB],
  [13, bit(d.negateA)],
  [14, bit(d.negateB)],
  [15, bit(d.transposeA)],
  [16, bit(d.transposeB)],
  [17, d.n / 8],
  [24, d.m / 16],
  ...(d._tag === 'dense'
    ? ([
        [3, bit(d.saturate)],
        [4, accumulators.indexOf(d.accumulator)],
        [30, d.maxShift],
      ] as const)
    : ([
        [4, d.scaleIdB],
        [23, scales.indexOf(d.scale)],
        [29, d.scaleIdA],
        [31, bit(d.k96)],
      ] as const)),
]

// ---------------------------------------------------------------------------------------- constructors

const eightBit = (kind: MmaKind): boolean => kind === 'f8f6f4' || kind === 'mxf8f6f4' || kind === 'i8'

const checkTypes = (d: InstructionDescriptor): Failure<InstructionError> | null => {
  const { kind, a, b } = d
  if (codeOf(kind, a) === undefined || codeOf(kind, b) === undefined || (!eightBit(kind) && a !== b))
    return {
      code: 'instruction.type',
      message: `kind ${kind} multiplies ${eightBit(kind) ? 'any two' : 'two equal'} of ${kinds[kind].types.map(([t]) => t).join(', ')}, found ${a} and ${b}`,
    }
  for (const [name, dtype, transposed] of [
    ['A', a, d.transposeA],
    ['B', b, d.transposeB],
  ] as const)
    if (transposed && bitsOf(dtype) < 8)
      return {
        code: 'instruction.modifier',
        message: `${name} of ${dtype} cannot be transposed: it must be K-major`,
      }
  return null
}

const checkDense = (d: DenseInstruction): Failure<InstructionError> | null => {
  const legal: ReadonlyArray<string> =
    d.kind === 'i8' ? ['i32'] : d.kind === 'tf32' || d.a === 'bf16' ? ['f32'] : ['f16', 'f32']
  if (!legal.includes(d.accumulator))
    return {
      code: 'instruction.accumulator',
      message: `kind ${d.kind} of ${d.a} accumulates in ${legal.join(' or ')}, found ${d.accumulator}`,
    }
  if (d.kind === 'i8' ? d.negateA || d.negateB : d.saturate)
    return {
      code: 'instruction.modifier',
      message: 'kind i8 can saturate but not negate, and the others can negate but not saturate',
    }
  return null
}

const checkScaled = (d: ScaledInstruction): Failure<InstructionError> | null => {
  if (d.scale === 'ue4m3' && d.kind !== 'mxf4nvf4')
    return {
      code: 'instruction.scale',
      message: `kind ${d.kind} has scales of type e8m0, found ${d.scale}`,
    }
  // One scale in a word of 4 can be any byte; two a half; four are all of it.
  const ids = d.kind === 'mxf8f6f4' ? [0, 1, 2, 3] : d.scale === 'ue4m3' ? [0] : [0, 2]
  if (!ids.includes(d.scaleIdA) || !ids.includes(d.scaleIdB))
    return {
      code: 'instruction.scale',
      message: `kind ${d.kind} with scales of ${d.scale} has scale ids ${ids.join(', ')}, found ${String(d.scaleIdA)} and ${String(d.scaleIdB)}`,
    }
  return d.k96 && (d.kind === 'mxf8f6f4' || d.sparse)
    ? {
        code: 'instruction.modifier',
        message: `K of 96 is for dense products of the mxf4 kinds, found ${d.sparse ? 'sparse ' : ''}${d.kind}`,
      }
    : null
}

/** Does the descriptor describe a product, whatever its shape? */
export const checkInstruction = <D extends InstructionDescriptor>(
  d: D,
): E.Either<Failure<InstructionError>, D> => {
  const wrong = checkTypes(d) ?? (d._tag === 'dense' ? checkDense(d) : checkScaled(d))
  if (wrong !== null) return E.left(wrong)
  for (const [name, value, step, limit] of [
    ['m', d.m, 16, 496],
    ['n', d.n, 8, 504],
    ['sparsitySelector', d.sparsitySelector, 1, 3],
    ['maxShift', d._tag === 'dense' ? d.maxShift : 0, 1, 3],
  ] as const)
    if (!Number.isInteger(value / step) || value < 0 || value > limit)
      return refuse(
        'instruction.field',
        `${name} must be a multiple of ${String(step)} from 0 to ${String(limit)}, found ${String(value)}`,
      )
  return E.right(d)
}

const isDense = (kind: MmaKind): kind is DenseKind =>
  kind === 'f16' || kind === 'tf32' || kind === 'f8f6f4' || kind === 'i8'

/** The descriptor that a word of this kind stands for. Errors: not 32 bits, a code that means nothing, a fixed bit that is set. */
export const decode =
  (kind: MmaKind) =>
  (word: number): E.Either<Failure<InstructionError>, InstructionDescriptor> => {
    if (word >>> 0 !== word)
      return refuse(
        'instruction.word',
        `An instruction descriptor is an unsigned number of 32 bits, found ${String(word)}`,
      )
    const at = (from: number, bits: number): number => (word >>> from) & (2 ** bits - 1)
    const type = (from: number): Dtype | undefined =>
      kinds[kind].types.find(([, code]) => code === at(from, 3))?.[0]
    const [a, b] = [type(7), type(10)]
    if (a === undefined || b === undefined)
      return refuse(
        'instruction.type',
        `kind ${kind} has no type codes ${String(at(7, 3))} and ${String(at(10, 3))}`,
      )
    const common = {
      a,
      b,
      m: 16 * at(24, 5),
      n: 8 * at(17, 6),
      negateA: at(13, 1) === 1,
      negateB: at(14, 1) === 1,
      transposeA: at(15, 1) === 1,
      transposeB: at(16, 1) === 1,
      sparse: at(2, 1) === 1,
      sparsitySelector: at(0, 2),
    }
    const accumulator = accumulators[at(4, 2)]
    if (isDense(kind) && accumulator === undefined)
      return refuse('instruction.accumulator', 'The code 3 is not an accumulator type')
    const d: InstructionDescriptor = isDense(kind)
      ? {
          _tag: 'dense',
          kind,
          ...common,
          accumulator: accumulator!,
          saturate: at(3, 1) === 1,
          maxShift: at(30, 2),
        }
      : {
          _tag: 'scaled',
          kind,
          ...common,
          scale: scales[at(23, 1)]!,
          scaleIdA: at(29, 2),
          scaleIdB: at(4, 2),
          k96: at(31, 1) === 1,
        }
    return wordOf(d) === word
      ? checkInstruction(d)
      : refuse('instruction.reserved', `kind ${kind}: a bit that must be 0 is set in 0x${word.toString(16)}`)
  }

// ----------------------------------------------------------------------------------------- destructors

const wordOf = (d: InstructionDescriptor): number =>
  fieldsOf(d, codeOf(d.kind, d.a)!, codeOf(d.kind, d.b)!).reduce(
    (word, [from, value]) => (word | (value << from)) >>> 0,
    0,
  )

/** The 32 bits, unsigned. Errors: those of `checkInstruction`. */
export const encode = (d: InstructionDescriptor): E.Either<Failure<InstructionError>, number> =>
  pipe(checkInstruction(d), E.map(wordOf))

/** Multiples of `step` from `from` to 256. */
const upTo256 = (from: number, step: number): ReadonlyArray<number> =>
  Array.from({ length: (256 - from) / step + 1 }, (_, i) => from + i * step)

const legalM = (d: InstructionDescriptor, mode: IssueMode): ReadonlyArray<number> => {
  if (mode.weightStationary) return [32, 64, 128]
  if (mode.ctaGroup === 1) return d._tag === 'dense' ? [64, 128] : [128]
  return d._tag === 'scaled' && (d.sparse || d.k96) ? [256] : [128, 256]
}

const legalN = (d: InstructionDescriptor, mode: IssueMode): ReadonlyArray<number> => {
  if (mode.weightStationary) return d.sparse ? [64, 128] : [64, 128, 256]
  const pair = mode.ctaGroup
  if (d.transposeB && bitsOf(d.b) === 8) return upTo256(16 * pair, 16 * pair)
  if (d.kind !== 'i8') return upTo256(8 * pair, 8 * pair)
  return pair === 1 ? [8, 24, ...upTo256(16, 16)] : upTo256(32, 32)
}

/**
 * M, N and K of the product (of the dense B, if A is sparse), or why no tensor core computes it. Errors: those of `checkInstruction`, a mode that the kind has
 * not, an M or N that is not in the table.
 */
export const productShape =
  (mode: IssueMode) =>
  (d: InstructionDescriptor): E.Either<Failure<ShapeError>, ProductShape> =>
    pipe(
      checkInstruction(d),
      E.chainW((): E.Either<Failure<ShapeError>, ProductShape> => {
        const { weightStationary, ctaGroup } = mode
        const form = `kind ${d.kind}${d.sparse ? ', sparse' : ''}, ${weightStationary ? '.ws, ' : ''}cta_group ${String(ctaGroup)}`
        if (weightStationary && (d._tag === 'scaled' || ctaGroup === 2))
          return refuse('instruction.mode', `.ws is for one CTA and no block scales, found ${form}`)
        if (d._tag === 'dense' && d.maxShift !== 0 && !weightStationary)
          return refuse('instruction.mode', `A maximum shift is for .ws only, found ${form}`)
        if (d._tag === 'scaled' && d.k96 && ctaGroup === 1)
          return refuse('instruction.mode', `K of 96 is for a pair of CTAs, found ${form}`)
        for (const [name, value, legal] of [
          ['M', d.m, legalM(d, mode)],
          ['N', d.n, legalN(d, mode)],
        ] as const)
          if (!legal.includes(value))
            return refuse(
              'instruction.shape',
              `${form}: ${name} must be one of ${legal.join(', ')}, found ${String(value)}`,
            )
        const k = d._tag === 'scaled' && d.k96 ? 96 : kinds[d.kind].k * (d.sparse ? 2 : 1)
        return E.right({ m: d.m, n: d.n, k })
      }),
    )
