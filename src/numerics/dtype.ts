/**
 * Element types.
 *
 * A dtype names how many bits an element takes in memory and which family reads those bits; it says nothing
 * about arithmetic. Floats are described as data in `float-format.ts`, integers in `integer.ts`.
 *
 * | here          | Pallas / JAX        | Triton (MLIR)  | PTX         | note                                     |
 * |---------------|---------------------|----------------|-------------|------------------------------------------|
 * | f16 bf16 f32  | float16 bfloat16 .. | f16 bf16 f32   | .f16 .bf16  |                                          |
 * | tf32          | (a precision)       | tf32           | .tf32       | an f32 container, low 13 bits are ignored |
 * | e4m3 e5m2     | float8_e4m3fn ..    | f8E4M3FN ..    | .e4m3 .e5m2 | OCP 8-bit floats                         |
 * | e2m1 e2m3 e3m2| float4_e2m1fn ..    | f4E2M1FN ..    | .e2m1 ..    | OCP micro-scaling elements               |
 * | e8m0 ue4m3    | float8_e8m0fnu ..   | f8E8M0FNU ..   | .ue8m0 ..   | block scales, unsigned                   |
 * | i1            | bool                | i1             | .pred       | one bit of information, one bit wide     |
 *
 * Laws
 * 1. The float and the integer lists partition the dtypes.
 * 2. `bitsOf` is the storage width: PTX ISA, "Fundamental Types" and "Alternate Floating-Point Data Formats".
 */

/** Every float dtype, by storage width downwards. */
export const floatDtypes = [
  'f32',
  'tf32',
  'f16',
  'bf16',
  'e4m3',
  'e5m2',
  'ue4m3',
  'e8m0',
  'e2m3',
  'e3m2',
  'e2m1',
] as const

/** Every integer dtype, by storage width upwards. */
export const intDtypes = ['i1', 'i4', 'u4', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64'] as const

export type FloatDtype = (typeof floatDtypes)[number]
export type IntDtype = (typeof intDtypes)[number]
export type Dtype = FloatDtype | IntDtype

/** Every dtype, floats first. */
export const dtypes: readonly Dtype[] = [...floatDtypes, ...intDtypes]

const storageBits: Readonly<Record<Dtype, number>> = {
  f32: 32,
  tf32: 32,
  f16: 16,
  bf16: 16,
  e4m3: 8,
  e5m2: 8,
  ue4m3: 8,
  e8m0: 8,
  e2m3: 6,
  e3m2: 6,
  e2m1: 4,
  i1: 1,
  i4: 4,
  u4: 4,
  i8: 8,
  u8: 8,
  i16: 16,
  u16: 16,
  i32: 32,
  u32: 32,
  i64: 64,
  u64: 64,
}

const floatNames: ReadonlySet<string> = new Set(floatDtypes)
const intNames: ReadonlySet<string> = new Set(intDtypes)

/**
 * Storage width of one element, in bits.
 *
 * @example
 * ```ts
 * import { bitsOf } from 'tensorcore-spec/numerics'
 *
 * console.log(bitsOf('bf16'), bitsOf('e2m1')) // 16 4
 * ```
 */
export const bitsOf = (dtype: Dtype): number => storageBits[dtype]

/** Is this the name of a float dtype? */
export const isFloat = (name: string): name is FloatDtype => floatNames.has(name)

/** Is this the name of an integer dtype? */
export const isInt = (name: string): name is IntDtype => intNames.has(name)

/** Is this the name of a dtype? */
export const isDtype = (name: string): name is Dtype => isFloat(name) || isInt(name)
