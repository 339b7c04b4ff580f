/**
 * Sums and products that a warp makes of data in its registers, as they are said to the log (`log/computed.ts`).
 *
 * | of PTX                                            | computed                                  |
 * |---------------------------------------------------|-------------------------------------------|
 * | add, mul of floats; add, mul.lo of 32 bits         | a sum, a product of each lane's elements   |
 * | fma, mad; mad.lo of 32 bits                        | both at once                              |
 * | the same with x2                                  | two elements a lane                       |
 * | mma, wmma.mma                                     | a product of matrices                     |
 *
 * However it rounds, a sum is a sum. What is multiplied by a one that no data has made is as it was, as what an epilogue multiplies by its alpha. What clamps (`.sat`, `.relu`), takes the upper half or the other sign is none.
 *
 * Law 1. the elements of an operand are those that the operation reads, in the order of lanes, or row by row.
 *
 * Source: PTX ISA, add, mul, fma, mad, mma, wmma.mma.
 */
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import { doingOf, type Doing } from '../../numerics/scalar/index.js'
import type { WarpAccumulator, WarpInput } from '../../numerics/warp-product.js'
import type { Computed, Stretches } from '../log/computed.js'
import { own } from '../../own.js'
import { remembered } from '../../remembered.js'

/** What a scalar operation computes: how, of which type, how many bytes of a row are an operand's, and how many rows it has. */
export interface Arithmetic {
  readonly how: 'add' | 'multiply' | 'multiplyAdd'
  readonly dtype: 'f32' | 'f16' | 'bf16' | 'i32'
  readonly bytes: 2 | 4
  readonly rows: 1 | 2
}

/** The word of an operand that is one, in each of its elements. */
export const oneOf = ({ dtype, bytes }: Arithmetic): number => {
  const one = ones[dtype]
  return bytes === 4 && bitsOf(dtype) === 16 ? one * 0x10001 : one
}
const ones: Readonly<Record<Arithmetic['dtype'], number>> = {
  f32: 0x3f800000,
  f16: 0x3c00,
  bf16: 0x3f80,
  i32: 1,
}

const ways: Readonly<Record<string, Arithmetic['how']>> = {
  add: 'add',
  mul: 'multiply',
  fma: 'multiplyAdd',
  mad: 'multiplyAdd',
}

const typed = (type: string): Omit<Arithmetic, 'how'> | null => {
  switch (type) {
    case 'f32':
      return { dtype: 'f32', bytes: 4, rows: 1 }
    case 'f32x2':
      return { dtype: 'f32', bytes: 4, rows: 2 }
    case 'f16':
    case 'bf16':
      return { dtype: type, bytes: 2, rows: 1 }
    case 'f16x2':
      return { dtype: 'f16', bytes: 4, rows: 1 }
    case 'bf16x2':
      return { dtype: 'bf16', bytes: 4, rows: 1 }
    case 's32':
    case 'u32':
      return { dtype: 'i32', bytes: 4, rows: 1 }
    default:
      return null
  }
}

/** Modifiers that change how a result is rounded, and not what it is of. */
const roundings: ReadonlySet<string> = new Set(['rn', 'rz', 'rm', 'rp', 'ftz'])

const ofDoing: (does: Doing) => { readonly is: Arithmetic | null } = remembered((does) => {
  const how = does._tag === 'computes' ? own(ways, does.op) : undefined
  const type = does._tag === 'computes' ? typed(does.type) : null
  if (does._tag !== 'computes' || how === undefined || type === null) return { is: null }
  // of integers a product is of their lower halves
  const isOfHalves = type.dtype === 'i32' && how !== 'add'
  const isPlain = isOfHalves
    ? does.modifiers.length === 1 && does.modifiers[0] === 'lo'
    : does.modifiers.every((m) => roundings.has(m))
  return { is: isPlain ? { how, dtype: type.dtype, bytes: type.bytes, rows: type.rows } : null }
})

/** Null: it is no sum or product. */
export const arithmeticOf = (name: string): Arithmetic | null => ofDoing(doingOf(name)).is

/** The value of an operation whose operands are these. */
export const computedOf = ({ how, dtype }: Arithmetic, [x, y, z]: ReadonlyArray<Stretches>): Computed =>
  how === 'multiplyAdd' ? { _tag: how, dtype, x: x!, y: y!, z: z! } : { _tag: how, dtype, x: x!, y: y! }

/** The type of elements of a matrix; null: it is not followed. */
export const matrixType = (type: WarpInput | WarpAccumulator): Dtype | null => {
  switch (type) {
    case 's8':
      return 'i8'
    case 's32':
      return 'i32'
    case 'f64':
    case 's4':
    case 'u4':
    case 'b1':
      return null
    default:
      return type
  }
}
