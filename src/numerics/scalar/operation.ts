/**
 * Scalar operations of PTX as functions on words.
 *
 * A row of the table (`table.ts`) is one opcode form, named as PTX writes it, and its arithmetic as one function from the words of the
 * operands to the words of the results. A word is a 32-bit pattern as a JavaScript number in [-2^31, 2^31), whatever it stands for:
 *
 * | type                                   | words                                     | read               | written                   |
 * |----------------------------------------|-------------------------------------------|--------------------|---------------------------|
 * | pred                                   | one                                       | 0 or 1             | 0 or 1                    |
 * | u8 s8 u16 s16 b16 f16 bf16 and pairs of 8 bits | one                               | upper bits ignored | s8, s16: sign extended; else zero extended |
 * | b32 u32 s32 f32 tf32, pairs of 16 bits | one                                       | all 32 bits        | all 32 bits               |
 * | b64 u64 s64 f64                        | two, the lower one first                  |                    |                           |
 *
 * `compute` takes all words of all operands in their order and returns the first word of the results; the others it leaves in `rest`, the
 * second word in `rest[0]`. So nothing is allocated in a call. `rest` is written in every call that has more than one word of results.
 *
 * By hand: `mul.wide.u32` has two operands of one word and one result of two. compute(0x10000, 0x30000) is 0 and leaves 3 in rest[0].
 * `setp.lt.s32` has the results p and q of `setp p|q`: compute(1, 2) is 1, and leaves 0. `add.cc.u32` has the results d and the carry.
 *
 * A carry is a predicate at the end of the operands (`addc`, `subc`, `madc`) or of the results (`.cc`).
 *
 * Laws
 * 1. `compute` reads only what the types of the operands say: bits above a narrow operand change nothing.
 * 2. A result word is normal: what `written` says.
 * 3. `compute` has no state: the same words give the same words.
 */

export const scalarTypes = [
  'pred',
  'u8',
  's8',
  'e2m1x2',
  'b16',
  'u16',
  's16',
  'f16',
  'bf16',
  'e4m3x2',
  'e5m2x2',
  'e2m3x2',
  'e3m2x2',
  'ue8m0x2',
  'b32',
  'u32',
  's32',
  'f32',
  'tf32',
  'f16x2',
  'bf16x2',
  'u16x2',
  's16x2',
  'b64',
  'u64',
  's64',
  'f64',
] as const
export type ScalarType = (typeof scalarTypes)[number]

/** Bits of a value of a type: 1, 8, 16, 32 or 64. */
export const widthOf = (type: ScalarType): 1 | 8 | 16 | 32 | 64 => {
  switch (type) {
    case 'pred':
      return 1
    case 'u8':
    case 's8':
    case 'e2m1x2':
      return 8
    case 'b16':
    case 'u16':
    case 's16':
    case 'f16':
    case 'bf16':
    case 'e4m3x2':
    case 'e5m2x2':
    case 'e2m3x2':
    case 'e3m2x2':
    case 'ue8m0x2':
      return 16
    case 'b64':
    case 'u64':
    case 's64':
    case 'f64':
      return 64
    case 'b32':
    case 'u32':
    case 's32':
    case 'f32':
    case 'tf32':
    case 'f16x2':
    case 'bf16x2':
    case 'u16x2':
    case 's16x2':
      return 32
  }
}

/** Words of a value of a type: 2 of 64 bits, else 1. */
export const wordsOf = (type: ScalarType): 1 | 2 => (widthOf(type) === 64 ? 2 : 1)

/** Words of the operands to the first word of the results; the others are left in `rest`. */
export type Compute = (...words: number[]) => number

/** What a call of `compute` leaves beside its first word. */
export const rest: Int32Array = new Int32Array(3)

export const families = [
  'integer',
  'extended',
  'logic',
  'comparison',
  'f32',
  'f64',
  'half',
  'approximate',
  'conversion',
] as const
export type Family = (typeof families)[number]

export interface ScalarOperation {
  /** The opcode with its modifiers, as PTX writes it. */
  readonly name: string
  readonly family: Family
  readonly operands: readonly ScalarType[]
  readonly results: readonly ScalarType[]
  readonly compute: Compute
}

/** A row. */
export const operation = (
  family: Family,
  name: string,
  operands: readonly ScalarType[],
  results: readonly ScalarType[],
  compute: Compute,
): ScalarOperation => ({ name, family, operands, results, compute })
