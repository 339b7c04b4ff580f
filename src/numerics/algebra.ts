/**
 * Scalar algebras: what an element of a tensor *is*, and what may be done to it.
 *
 * The machine moves elements and never looks inside one. What an element holds is the business of an algebra,
 * so one run of one program can be read in several ways:
 *
 * | algebra | an element is                          | a run tells                                               |
 * |---------|----------------------------------------|-----------------------------------------------------------|
 * | bits    | the bit pattern of its dtype           | what the chip computes, bit for bit                       |
 * | real64  | an f64 value, never rounded to a dtype | what the kernel means, up to f64 rounding                 |
 * | field   | a residue modulo 2^26 - 5              | whether two kernels are the same polynomial in the inputs |
 * | terms   | the term that computes it (a hash)     | whether two kernels do the same to the same inputs        |
 * | uses    | how often marked inputs occur in it    | what one of them has too little or too often              |
 * | unit    | nothing (always 0)                     | synchronisation alone                                     |
 * | shadow  | bits, where they are known             | the same of a program that keeps addresses among its data |
 *
 * 2.0 * 3.0 in f16, by hand: `bits` 0x4000, 0x4200 -> 0x4600; `real64` 2, 3 -> 6; `field` 2, 3 -> 6;
 * `unit` 0, 0 -> 0.
 *
 * The carrier is one JavaScript number per element, bulk data is a `Float64Array`. An element of *integer*
 * dtype is not the algebra's business: in every algebra its carrier is its value (exact below 2^53), and only
 * `cast` crosses between the two worlds.
 *
 * An algebra that cannot do an operation answers `none`: the caller turns that into a typed error. It never
 * gives a wrong answer. Each operation is asked for once, outside the loops, and then applied many times.
 *
 * Laws (each instance states which it keeps; the proofs quote these numbers)
 * 1. Constants: `fromBits(dtype, encode(dtype, x))` and `constant(dtype, x)` are the same element when x is
 *    representable in the dtype.
 * 2. Closure: an operation on carriers of the algebra gives a carrier of the algebra.
 * 3. `mma` of zero k-steps is the identity on c; `mma` over k1 + k2 is `mma` over k2 after `mma` over k1, for
 *    k1 and k2 multiples of the instruction's k.
 * 4. `real64` and `field` are rings: add and mul commute, associate and distribute (field: exactly).
 * 5. A special function is, in `real64`, the function that it approximates; so it is in `field` where a field has that (rcp, quotients).
 * 6. `scaledMma` in `real64` and `field` is `mma` of the operands times their scales.
 * 7. `mma` of integers is `integerMma` in every algebra.
 * 8. `chain` of links is `mma` of the first, then of the second after it, and so on.
 */
import { isSome, none, some, type Option } from 'fp-ts/lib/Option.js'
import { isFloat, type Dtype, type FloatDtype } from './dtype.js'
import type { RoundingMode } from './float-format.js'
import type { SpecialBinary, SpecialUnary } from './special-functions/names.js'

export type { RoundingMode } from './float-format.js'

export const unaryOps = ['neg', 'abs', 'exp2', 'log2', 'rcp', 'sqrt', 'rsqrt', 'exp', 'log', 'tanh'] as const
export const binaryOps = ['add', 'sub', 'mul', 'div', 'min', 'max'] as const
export const compareOps = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const

/** An operation by the name in the source. */
export type ElementaryUnary = (typeof unaryOps)[number]
export type ElementaryBinary = (typeof binaryOps)[number]
/** That, or a special function of the chip by its own name, whose mode says nothing more. */
export type UnaryOp = ElementaryUnary | SpecialUnary
export type BinaryOp = ElementaryBinary | SpecialBinary
export type CompareOp = (typeof compareOps)[number]

/** `rn`: correctly rounded, to nearest even. `approx`: the code of the kernel's compiler, on the special
 * function unit. */
export type UnaryMode = 'rn' | 'approx'

/** Dtypes of a matrix product's operands and accumulator: floats. */
export interface FloatMmaTypes {
  readonly a: FloatDtype
  readonly b: FloatDtype
  readonly acc: FloatDtype
}

/** Integers, of which a product is the same in every algebra (`integer-product.ts`). */
export interface IntegerMmaTypes {
  readonly a: 'i8' | 'u8'
  readonly b: 'i8' | 'u8'
  readonly acc: 'i32'
  /** What does not fit in 32 bits becomes the nearest number that does; else it wraps. */
  readonly saturate: boolean
}

export type MmaTypes = FloatMmaTypes | IntegerMmaTypes

const isByte = (dtype: Dtype): dtype is 'i8' | 'u8' => dtype === 'i8' || dtype === 'u8'

/** The types of a product of floats or of bytes; none for a mixture, or for a saturating product of floats. */
export const mmaTypes = (a: Dtype, b: Dtype, acc: Dtype, saturate: boolean = false): Option<MmaTypes> =>
  isByte(a) && isByte(b) && acc === 'i32'
    ? some({ a, b, acc, saturate })
    : isFloat(a) && isFloat(b) && isFloat(acc) && !saturate
      ? some({ a, b, acc })
      : none

/** Those of a block-scaled product: `block` elements along k share a scale. */
export interface ScaledTypes {
  readonly a: FloatDtype
  readonly b: FloatDtype
  readonly acc: FloatDtype
  readonly scale: 'e8m0' | 'ue4m3'
  readonly block: 16 | 32
  /** both e2m1, in the kind that has wider elements, too; without it, in one of those that have no others */
  readonly kind?: 'mxf8f6f4'
}

/** The same types with a kind, if one is given. */
export const ofKind = (kind: ScaledTypes['kind'], types: ScaledTypes): ScaledTypes =>
  kind === undefined
    ? types
    : { a: types.a, b: types.b, acc: types.acc, scale: types.scale, block: types.block, kind }

/** Extents of a matrix product: a is m x k, b is k x n, c and d are m x n. */
export interface MmaShape {
  readonly m: number
  readonly n: number
  readonly k: number
}

/** d = c + a b. All matrices row-major, one carrier per element; the operands are not changed. */
export interface Mma {
  (a: Float64Array, b: Float64Array, c: Float64Array): Float64Array
  /** The same link after link, where that is quicker than each alone; nothing may change the matrices of a link any more. */
  readonly chain?: MmaChain
}

/** Operands of one product of a chain. */
export interface Link {
  readonly a: Float64Array
  readonly b: Float64Array
}

/** Products through one accumulator, in their order. */
export type MmaChain = (links: ReadonlyArray<Link>, c: Float64Array) => Float64Array

/** d = c + (a sa)(b sb): sa m x k/block, sb n x k/block, the scales of a row of a and of a column of b. */
export type ScaledMma = (
  a: Float64Array,
  b: Float64Array,
  sa: Float64Array,
  sb: Float64Array,
  c: Float64Array,
) => Float64Array

export type Unary = (x: number) => number
export type Binary = (x: number, y: number) => number
export type Ternary = (x: number, y: number, z: number) => number
export type Compare = (x: number, y: number) => boolean

export interface Algebra {
  readonly name: 'bits' | 'real64' | 'field' | 'terms' | 'uses' | 'unit' | 'shadow'
  /** One line for people: which carrier, which arithmetic. */
  readonly description: string
  /** How a memory plane stores the elements: as bytes, as bytes with a mark each, as one slot an element, or not at all. */
  readonly memory: 'bytes' | 'shadow' | 'slots' | 'none'
  /** Adjacent bytes are moved together, which only affects speed. */
  readonly runs?: true
  /** A float literal of the program, or an input element given as an f64 value (rounded to the dtype in `bits`). */
  readonly constant: (dtype: FloatDtype, x: number) => number
  /** An input element given as the bit pattern of its dtype. */
  readonly fromBits: (dtype: FloatDtype, pattern: number) => number
  readonly unary: (op: UnaryOp, mode: UnaryMode, dtype: FloatDtype) => Option<Unary>
  /** Both operands and the result have the same dtype; rounding is to nearest even. */
  readonly binary: (op: BinaryOp, dtype: FloatDtype) => Option<Binary>
  /** x * y + z with one rounding. */
  readonly fma: (dtype: FloatDtype) => Option<Ternary>
  readonly compare: (op: CompareOp, dtype: FloatDtype) => Option<Compare>
  /** A conversion between any two dtypes; `saturate` gives the nearest finite value instead of an overflow. */
  readonly cast: (from: Dtype, to: Dtype, rounding: RoundingMode, saturate: boolean) => Option<Unary>
  readonly mma: (types: MmaTypes, shape: MmaShape) => Option<Mma>
  readonly scaledMma: (types: ScaledTypes, shape: MmaShape) => Option<ScaledMma>
}

/** A product that is skipped: the accumulator is unchanged. */
export const unmade: Mma = (_a, _b, c) => c

/** The same algebra without products, for runs that ask which operations occur and not for their results. */
export const withoutProducts = (algebra: Algebra): Algebra => ({
  ...algebra,
  mma: (types, shape) => (isSome(algebra.mma(types, shape)) ? some(unmade) : none),
})

/** The initial value of an accumulator. */
export const zeroOf = (algebra: Algebra, { acc }: MmaTypes): number =>
  acc === 'i32' ? 0 : algebra.constant(acc, 0)
