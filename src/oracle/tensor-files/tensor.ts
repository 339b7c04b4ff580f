/**
 * A tensor outside the machine: a dtype, a shape, and one bit pattern per element in C order.
 *
 * What an npy file calls its elements and what this project calls them differ, because NumPy has no bfloat16 and
 * no 8-bit float. A *carrier* is the npy element type that holds the bits of a dtype:
 *
 * | dtype                        | written as | also read from | read by default from |
 * |------------------------------|------------|----------------|----------------------|
 * | f16 f32 f64                  | f2 f4 f8   | u2 u4 u8       | f2 f4 f8             |
 * | tf32                         | f4         | u4             | (name it)            |
 * | bf16                         | u2         | V2             | (name it)            |
 * | e4m3 e5m2 ue4m3 e8m0         | u1         | V1             | (name it)            |
 * | e2m3 e3m2 e2m1 i1            | u1, one element in a byte, upper bits zero | | (name it) |
 * | i8 .. i64, u8 .. u64         | i1 .. u8   | u1 .. u8       | i1 .. u8             |
 *
 * Elements of V1 and V2 are bytes of which nothing is known: they are of any dtype of that size, and it has to be named.
 *
 * 1.0 in bf16, by hand: bits 0x3f80, on disk the bytes 80 3f in a file of `<u2`.
 *
 * A safetensors file says more, so that less has to be named:
 *
 * | dtype                        | written as                     | also read from   |
 * |------------------------------|--------------------------------|------------------|
 * | f16 f32 f64 bf16             | F16 F32 F64 BF16               | U16 U32 U64 U16  |
 * | e4m3 e5m2 e8m0               | F8_E4M3 F8_E5M2 F8_E8M0        | U8               |
 * | i1                           | BOOL                           | U8               |
 * | tf32                         | F32 (name it)                  | U32              |
 * | ue4m3 e2m3 e3m2 e2m1         | U8, one element in a byte (name it) |             |
 * | i8 .. i64, u8 .. u64         | I8 .. U64                      | U8 .. U64        |
 *
 * f64 is not an element type of the machine; it is how the results of the `real64` algebra travel.
 *
 * Laws
 *  1. tensorOfNpy(dtype)(npyOfTensor(t)) = t, for t of that dtype; and tensorOfStored(dtype)(storedOfTensor(t)) = t
 *  2. npyOfTensor(tensorOfNpy(dtype)(a)) = a, when a's element type is the one that dtype is written as
 *  3. a pattern has no bit above the dtype's width
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { bitsOf, dtypes, type Dtype, type IntDtype } from '../../numerics/dtype.js'
import { descrBytes, shapeElements, shapeText, type Descr, type NpyArray } from './npy.js'
import { elementBytes, type ElementType, type StoredTensor } from './safetensors.js'

// ---------------------------------------------------------------- model

export type TensorDtype = Dtype | 'f64'

/** Bit patterns, in the narrowest array that holds them; 64-bit elements are bigints. */
export type BitPatterns = Uint8Array | Uint16Array | Uint32Array | BigUint64Array

export interface Tensor {
  readonly dtype: TensorDtype
  readonly shape: ReadonlyArray<number>
  readonly bits: BitPatterns
}

/** Zeros of the same element type and shape. */
export const zerosLike = ({ dtype, shape, bits }: Tensor): Tensor => ({
  dtype,
  shape,
  bits: bits instanceof BigUint64Array ? bits.slice().fill(0n) : bits.slice().fill(0),
})

export type TensorFault = 'tensor-dtype' | 'tensor-bits' | 'tensor-shape'
export type TensorFailure = Failure<TensorFault>

export const tensorDtypes: ReadonlyArray<TensorDtype> = ['f64', ...dtypes]
export const isTensorDtype = (name: string): name is TensorDtype => tensorDtypes.some((d) => d === name)

/** Width of an element's pattern, in bits. */
export const patternBits = (dtype: TensorDtype): number => (dtype === 'f64' ? 64 : bitsOf(dtype))

// ---------------------------------------------------------------- carriers

/** The npy element type that a dtype is written as. */
export const carrierOf = (dtype: TensorDtype): Descr => {
  switch (dtype) {
    case 'f64':
      return 'f8'
    case 'f32':
    case 'tf32':
      return 'f4'
    case 'f16':
      return 'f2'
    case 'bf16':
    case 'u16':
      return 'u2'
    case 'e4m3':
    case 'e5m2':
    case 'ue4m3':
    case 'e8m0':
    case 'e2m3':
    case 'e3m2':
    case 'e2m1':
    case 'i1':
    case 'i4':
    case 'u4':
    case 'u8':
      return 'u1'
    case 'i8':
      return 'i1'
    case 'i16':
      return 'i2'
    case 'i32':
      return 'i4'
    case 'u32':
      return 'u4'
    case 'i64':
      return 'i8'
    case 'u64':
      return 'u8'
  }
}

/** The unsigned element type of the same size: bits and nothing else. */
const rawOf = (descr: Descr): Descr => {
  switch (descrBytes(descr)) {
    case 1:
      return 'u1'
    case 2:
      return 'u2'
    case 4:
      return 'u4'
    default:
      return 'u8'
  }
}

/** What a file's elements are when no dtype is named; null where that does not say. */
export const dtypeOfDescr = (descr: Descr): TensorDtype | null => {
  switch (descr) {
    case 'f2':
      return 'f16'
    case 'f4':
      return 'f32'
    case 'f8':
      return 'f64'
    case 'i1':
      return 'i8'
    case 'i2':
      return 'i16'
    case 'i4':
      return 'i32'
    case 'i8':
      return 'i64'
    case 'u1':
      return 'u8'
    case 'u2':
      return 'u16'
    case 'u4':
      return 'u32'
    case 'u8':
      return 'u64'
    case 'V1':
    case 'V2':
      return null
  }
}

/** Bytes of that size, of which nothing is said. */
const voidOf = (descr: Descr): ReadonlyArray<Descr> => {
  const size = descrBytes(descr)
  return size === 1 ? ['V1'] : size === 2 ? ['V2'] : []
}

// ---------------------------------------------------------------- carriers in safetensors

/** The safetensors element type that a dtype is written as. */
export const storedAs = (dtype: TensorDtype): ElementType => {
  switch (dtype) {
    case 'f64':
      return 'F64'
    case 'f32':
    case 'tf32':
      return 'F32'
    case 'f16':
      return 'F16'
    case 'bf16':
      return 'BF16'
    case 'e4m3':
      return 'F8_E4M3'
    case 'e5m2':
      return 'F8_E5M2'
    case 'e8m0':
      return 'F8_E8M0'
    case 'i1':
      return 'BOOL'
    case 'ue4m3':
    case 'e2m3':
    case 'e3m2':
    case 'e2m1':
    case 'i4':
    case 'u4':
    case 'u8':
      return 'U8'
    case 'i8':
      return 'I8'
    case 'i16':
      return 'I16'
    case 'u16':
      return 'U16'
    case 'i32':
      return 'I32'
    case 'u32':
      return 'U32'
    case 'i64':
      return 'I64'
    case 'u64':
      return 'U64'
  }
}

/** What elements of a safetensors file are when no dtype is named. */
const dtypeOfStored: { readonly [T in ElementType]: TensorDtype } = {
  F64: 'f64',
  F32: 'f32',
  F16: 'f16',
  BF16: 'bf16',
  F8_E4M3: 'e4m3',
  F8_E5M2: 'e5m2',
  F8_E8M0: 'e8m0',
  BOOL: 'i1',
  I8: 'i8',
  U8: 'u8',
  I16: 'i16',
  U16: 'u16',
  I32: 'i32',
  U32: 'u32',
  I64: 'i64',
  U64: 'u64',
}

const rawStored = (type: ElementType): ElementType => {
  switch (elementBytes[type]) {
    case 1:
      return 'U8'
    case 2:
      return 'U16'
    case 4:
      return 'U32'
    case 8:
      return 'U64'
  }
}

// ---------------------------------------------------------------- patterns and bytes

/** `count` zero patterns of the narrowest array for the dtype. */
export const zeroPatterns = (dtype: TensorDtype, count: number): BitPatterns => {
  switch (rawOf(carrierOf(dtype))) {
    case 'u1':
      return new Uint8Array(count)
    case 'u2':
      return new Uint16Array(count)
    case 'u4':
      return new Uint32Array(count)
    default:
      return new BigUint64Array(count)
  }
}

/** Little-endian on every host: hence DataView. */
export const patternsOfBytes = (dtype: TensorDtype, data: Uint8Array): BitPatterns => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const bits = zeroPatterns(dtype, data.length / descrBytes(carrierOf(dtype)))
  if (bits instanceof Uint8Array) bits.set(data)
  else if (bits instanceof Uint16Array)
    for (let i = 0; i < bits.length; i++) bits[i] = view.getUint16(2 * i, true)
  else if (bits instanceof Uint32Array)
    for (let i = 0; i < bits.length; i++) bits[i] = view.getUint32(4 * i, true)
  else for (let i = 0; i < bits.length; i++) bits[i] = view.getBigUint64(8 * i, true)
  return bits
}

export const bytesOfPatterns = (bits: BitPatterns): Uint8Array => {
  const data = new Uint8Array(bits.byteLength)
  const view = new DataView(data.buffer)
  if (bits instanceof Uint8Array) data.set(bits)
  else if (bits instanceof Uint16Array)
    bits.forEach((b, i) => {
      view.setUint16(2 * i, b, true)
    })
  else if (bits instanceof Uint32Array)
    bits.forEach((b, i) => {
      view.setUint32(4 * i, b, true)
    })
  else
    bits.forEach((b, i) => {
      view.setBigUint64(8 * i, b, true)
    })
  return data
}

/** Law 3, for the dtypes that do not fill their carrier. */
export const patternsFit = (dtype: TensorDtype, bits: BitPatterns): E.Either<TensorFailure, BitPatterns> => {
  const limit = 2 ** patternBits(dtype)
  const at = bits instanceof Uint8Array && limit < 256 ? bits.findIndex((b) => b >= limit) : -1
  return at < 0
    ? E.right(bits)
    : refuse(
        'tensor-bits',
        `expected ${dtype} patterns below ${String(limit)}, found ${String(bits[at])} at element ${String(at)}`,
      )
}

// ---------------------------------------------------------------- constructors

/** A tensor from patterns. Refuses a count that is not the shape's, and patterns wider than the dtype. */
export const tensor = (
  dtype: TensorDtype,
  shape: ReadonlyArray<number>,
  patterns: ArrayLike<number | bigint>,
): E.Either<TensorFailure, Tensor> => {
  const expected = shapeElements(shape)
  if (patterns.length !== expected) {
    return refuse(
      'tensor-shape',
      `expected ${String(expected)} elements for shape ${shapeText(shape)}, found ${String(patterns.length)}`,
    )
  }
  const bits = zeroPatterns(dtype, expected)
  const width = patternBits(dtype)
  const limit = 2 ** width
  for (let i = 0; i < expected; i++) {
    const pattern = patterns[i]!
    const legal = typeof pattern === 'bigint' || Number.isSafeInteger(pattern)
    // a comparison of a bigint with a number is exact
    if (!legal || pattern < 0 || pattern >= limit) {
      return refuse(
        'tensor-bits',
        `expected ${dtype} patterns of ${String(width)} bits, found ${String(pattern)} at element ${String(i)}`,
      )
    }
    if (bits instanceof BigUint64Array) bits[i] = BigInt(pattern)
    else bits[i] = Number(pattern)
  }
  return E.right({ dtype, shape, bits })
}

/** An f64 tensor: results of the `real64` algebra. */
export const tensorOfReals = (
  shape: ReadonlyArray<number>,
  values: Float64Array,
): E.Either<TensorFailure, Tensor> =>
  tensor('f64', shape, new BigUint64Array(new Float64Array(values).buffer))

/** A tensor of integers from their values, which are patterns modulo 2^bits. */
export const tensorOfIntegers = (
  dtype: IntDtype,
  shape: ReadonlyArray<number>,
  values: ArrayLike<number>,
): E.Either<TensorFailure, Tensor> => {
  const bits = patternBits(dtype)
  const pattern = (x: number): number | bigint =>
    bits === 64 ? BigInt.asUintN(64, BigInt(x)) : x < 0 ? x + 2 ** bits : x
  return tensor(
    dtype,
    shape,
    Array.from(values, (x) => pattern(x)),
  )
}

const tensorOfBytes = (
  dtype: TensorDtype,
  { shape, data }: { readonly shape: ReadonlyArray<number>; readonly data: Uint8Array },
): E.Either<TensorFailure, Tensor> =>
  pipe(
    patternsFit(dtype, patternsOfBytes(dtype, data)),
    E.map((bits) => ({ dtype, shape, bits })),
  )

/** The elements of a tensor of a safetensors file as `dtype` (undefined: what its element type is called here). */
export const tensorOfStored =
  (dtype: TensorDtype | undefined) =>
  (stored: StoredTensor): E.Either<TensorFailure, Tensor> => {
    const wanted = dtype ?? dtypeOfStored[stored.dtype]
    const own = storedAs(wanted)
    const readable = own === rawStored(own) ? [own] : [own, rawStored(own)]
    return readable.includes(stored.dtype)
      ? tensorOfBytes(wanted, stored)
      : refuse(
          'tensor-dtype',
          `expected elements of ${readable.join(' or ')} for dtype ${wanted}, found ${stored.dtype}`,
        )
  }

/** The elements of a file as `dtype` (undefined: what the file's element type is called here). */
export const tensorOfNpy =
  (dtype: TensorDtype | undefined) =>
  (array: NpyArray): E.Either<TensorFailure, Tensor> => {
    const wanted = dtype ?? dtypeOfDescr(array.descr)
    if (wanted === null)
      return refuse(
        'tensor-dtype',
        `expected the dtype to be named, such as ${array.descr === 'V1' ? 'e4m3' : 'bf16'}, since elements of ${array.descr} are bytes and no more; found none`,
      )
    const carrier = carrierOf(wanted)
    const readable = carrier === rawOf(carrier) ? [carrier] : [carrier, rawOf(carrier)]
    return readable.includes(array.descr) || voidOf(carrier).includes(array.descr)
      ? tensorOfBytes(wanted, array)
      : refuse(
          'tensor-dtype',
          `expected elements of ${readable.join(' or ')} for dtype ${wanted}, found ${array.descr}`,
        )
  }

// ---------------------------------------------------------------- destructors

/** The array that `encodeNpy` writes. */
export const npyOfTensor = (t: Tensor): NpyArray => ({
  descr: carrierOf(t.dtype),
  shape: t.shape,
  data: bytesOfPatterns(t.bits),
})

/** The tensor that `encodeSafetensors` writes. */
export const storedOfTensor = (t: Tensor): StoredTensor => ({
  dtype: storedAs(t.dtype),
  shape: t.shape,
  data: bytesOfPatterns(t.bits),
})

/** Element `flat` as an index along each axis: the reverse of C order. */
export const indexOfFlat = (shape: ReadonlyArray<number>, flat: number): ReadonlyArray<number> =>
  shape.map((d, axis) => Math.floor(flat / shapeElements(shape.slice(axis + 1))) % d)
