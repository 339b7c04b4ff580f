/**
 * Float formats as data, and the two functions that every one of them is: `decode`, from bit patterns to
 * numbers (exact: every format fits inside f64), and `encode`, its rounding inverse.
 *
 * With E exponent bits, f fraction bits and bias B, the magnitude bits read as an integer are
 * `biased * 2^f + fraction`, and
 *
 *   value = fraction * 2^(1 - B - f)                    biased = 0 (subnormal)
 *   value = (2^f + fraction) * 2^(biased - B - f)       otherwise
 *
 * so a magnitude is a piecewise linear, monotone function of its pattern, and the distance in units in the last
 * place is a difference of patterns. By hand, f16 (E 5, f 10, B 15):
 *
 * | pattern | biased | fraction | value                                   |
 * |---------|--------|----------|-----------------------------------------|
 * | 0x0001  | 0      | 1        | 2^-24, the smallest subnormal           |
 * | 0x0400  | 1      | 0        | 2^-14, the smallest normal              |
 * | 0x3C00  | 15     | 0        | 1                                       |
 * | 0x3C01  | 15     | 1        | 1 + 2^-10                               |
 * | 0x7BFF  | 30     | 1023     | 65504; 65520 and above round to 0x7C00  |
 * | 0x7C00  | 31     | 0        | infinity; with a fraction: NaN          |
 *
 * `encode` rounds an f64 *once*: there is no intermediate f32 (65519.999999 would become 65520 there, and then
 * infinity instead of 65504). A NaN of any payload becomes the format's one canonical NaN, sign cleared, which
 * is what NVIDIA's conversions write: `cvt.rn.f16.f32` and `cvt.rn.bf16.f32` give 0x7FFF, arithmetic in f32
 * 0x7FFFFFFF. Formats without a NaN give their largest finite value.
 *
 * Laws
 * 1. `encode(decode(p)) = p` for every p that is not a NaN (padding bits of tf32 aside).
 * 2. `encode` is the nearest representable value, ties to the even pattern ('rn') or away from zero ('rna'), or the nearest not larger in
 *    magnitude ('rz'), not larger ('rm'), not smaller ('rp').
 * 3. `encode` is monotone; `decode` is strictly monotone in `ordinal`, the two zeros being one point.
 * 4. `saturate`: the same, but the largest finite magnitude wherever the result would be infinite or overflow.
 * 5. `ulpDistance` is a metric on the non-NaN values (zero between the two zeros).
 *
 * Source: IEEE 754-2019, 3.4; OCP 8-bit Floating Point Specification; OCP Microscaling Formats; PTX ISA, "cvt".
 */
import { pipe } from 'fp-ts/lib/function.js'
import * as RR from 'fp-ts/lib/ReadonlyRecord.js'
import type { FloatDtype } from './dtype.js'

/** To nearest, ties to even; toward zero; to nearest, ties away from zero; down; up. */
export const roundingModes = ['rn', 'rz', 'rna', 'rm', 'rp'] as const
export type RoundingMode = (typeof roundingModes)[number]

export interface FloatFormat {
  readonly dtype: FloatDtype
  readonly signBits: 0 | 1
  readonly exponentBits: number
  /** Fraction bits, without the hidden one. */
  readonly fractionBits: number
  /** Low bits of the container that are ignored when read and written as zero. */
  readonly paddingBits: number
  readonly bias: number
  /** Does biased exponent 0 drop the hidden bit? */
  readonly subnormals: boolean
  /**
   * `ieee`: the top exponent holds infinity and NaN. `nanOnly`: only the all-ones magnitude is special, a NaN.
   * `none`: every pattern is a finite number.
   */
  readonly specials: 'ieee' | 'nanOnly' | 'none'
  /** The pattern that stands for every NaN on output. */
  readonly canonicalNaN: number
}

const format = (
  dtype: FloatDtype,
  [exponentBits, fractionBits, bias]: readonly [number, number, number],
  specials: FloatFormat['specials'],
  canonicalNaN: number,
  { signBits = 1, paddingBits = 0, subnormals = true }: Partial<FloatFormat> = {},
): FloatFormat => ({
  dtype,
  signBits,
  exponentBits,
  fractionBits,
  paddingBits,
  bias,
  subnormals,
  specials,
  canonicalNaN,
})

const formats: Readonly<Record<FloatDtype, FloatFormat>> = {
  f32: format('f32', [8, 23, 127], 'ieee', 0x7fffffff),
  tf32: format('tf32', [8, 10, 127], 'ieee', 0x7fffffff, { paddingBits: 13 }),
  f16: format('f16', [5, 10, 15], 'ieee', 0x7fff),
  bf16: format('bf16', [8, 7, 127], 'ieee', 0x7fff),
  e5m2: format('e5m2', [5, 2, 15], 'ieee', 0x7f),
  e4m3: format('e4m3', [4, 3, 7], 'nanOnly', 0x7f),
  ue4m3: format('ue4m3', [4, 3, 7], 'nanOnly', 0x7f, { signBits: 0 }),
  e8m0: format('e8m0', [8, 0, 127], 'nanOnly', 0xff, { signBits: 0, subnormals: false }),
  e2m3: format('e2m3', [2, 3, 1], 'none', 0x1f),
  e3m2: format('e3m2', [3, 2, 3], 'none', 0x1f),
  e2m1: format('e2m1', [2, 1, 1], 'none', 0x7),
}

/** The format of a dtype. */
export const formatOf = (dtype: FloatDtype): FloatFormat => formats[dtype]

/** Exponent of the smallest normal value. */
export const minExponent = (f: FloatFormat): number => (f.subnormals ? 1 : 0) - f.bias

/** Number of magnitudes: patterns without sign and padding. */
const magnitudes = (f: FloatFormat): number => 2 ** (f.exponentBits + f.fractionBits)

/** The largest magnitude pattern (padding removed) that is a finite number. */
const maxFiniteMagnitude = (f: FloatFormat): number => {
  switch (f.specials) {
    case 'ieee':
      return magnitudes(f) - 2 ** f.fractionBits - 1
    case 'nanOnly':
      return magnitudes(f) - 2
    case 'none':
      return magnitudes(f) - 1
  }
}

/** Exponent of the largest finite value. */
export const maxExponent = (f: FloatFormat): number =>
  Math.floor(maxFiniteMagnitude(f) / 2 ** f.fractionBits) - f.bias

// Powers of two by doubling and halving: exact by construction, whatever the host's `pow` does.
const lowestPower = -1074
const powers: Float64Array = (() => {
  const table = new Float64Array(2098)
  table[-lowestPower] = 1
  for (let e = 1; e <= 1023; e++) table[e - lowestPower] = table[e - 1 - lowestPower]! * 2
  for (let e = -1; e >= lowestPower; e--) table[e - lowestPower] = table[e + 1 - lowestPower]! / 2
  return table
})()

/** 2^e for an integer e in [-1074, 1023]; exact. */
export const powerOfTwo = (e: number): number => powers[e - lowestPower]!

/** floor(log2 x) of a finite x > 0; exact. */
export const binaryExponent: (x: number) => number = (() => {
  const value = new Float64Array(1)
  const words = new Uint32Array(value.buffer)
  value[0] = 1
  const high = words[1] === 0 ? 0 : 1
  return (x: number): number => {
    value[0] = x
    const biased = (words[high]! >>> 20) & 0x7ff
    if (biased > 0) return biased - 1023
    value[0] = x * 18014398509481984 // 2^54: an f64 subnormal becomes normal
    return ((words[high]! >>> 20) & 0x7ff) - 1077
  }
})()

// In [2^52, 2^53) f64 holds exactly the integers, so adding this and taking it away rounds to one, ties to even.
const integerBit = 2 ** 52

/** Nearest integer to x in [0, 2^51), ties to even. */
const roundHalfEven = (x: number): number => x + integerBit - integerBit

/** Does a number of this sign lose magnitude, whatever is beyond its last bit? */
const inwards = (rounding: RoundingMode, negative: boolean): boolean =>
  rounding === 'rz' || rounding === (negative ? 'rp' : 'rm')

/** A magnitude in [0, 2^51) to an integer; the sign says where up and down are. */
const rounded = (rounding: RoundingMode, negative: boolean, x: number): number => {
  if (rounding === 'rn') return roundHalfEven(x)
  const below = Math.floor(x)
  if (rounding === 'rna') return x - below >= 0.5 ? below + 1 : below
  return inwards(rounding, negative) ? below : Math.ceil(x)
}

/** The value of a pattern in [0, 2^bits); exact. By the definition in the header. */
export const decodeBy = (f: FloatFormat): ((pattern: number) => number) => {
  const { paddingBits, fractionBits, exponentBits, bias } = f
  const signed = f.signBits === 1
  const magnitudeBits = exponentBits + fractionBits
  const magnitudeMask = magnitudes(f) - 1
  const hidden = 2 ** fractionBits
  const maxFinite = maxFiniteMagnitude(f)
  const infinity = f.specials === 'ieee' ? maxFinite + 1 : -1
  return (pattern) => {
    const bits = pattern >>> paddingBits
    const negative = signed && bits >>> magnitudeBits === 1
    const magnitude = bits & magnitudeMask
    if (magnitude === infinity) return negative ? -Infinity : Infinity
    if (magnitude > maxFinite) return NaN
    const biased = magnitude >>> fractionBits
    const fraction = magnitude & (hidden - 1)
    const value =
      f.subnormals && biased === 0
        ? fraction * powerOfTwo(1 - bias - fractionBits)
        : (hidden + fraction) * powerOfTwo(biased - bias - fractionBits)
    return negative ? -value : value
  }
}

/**
 * The pattern of an f64, rounded once. Unsigned formats have no pattern for a negative number: it encodes to
 * NaN. A zero in e8m0, which has none, becomes its smallest value.
 */
export const encodeBy = (
  f: FloatFormat,
  rounding: RoundingMode,
  saturate: boolean,
): ((x: number) => number) => {
  const padding = 2 ** f.paddingBits
  const signBit = magnitudes(f)
  const minimum = minExponent(f)
  const maximum = maxExponent(f)
  const hidden = 2 ** f.fractionBits
  const maxFinite = maxFiniteMagnitude(f)
  // What a magnitude above the largest finite one becomes, and what an infinite argument does.
  const above = f.specials === 'ieee' ? maxFinite + 1 : f.specials === 'nanOnly' ? -1 : maxFinite
  const beyond = (inward: boolean): number => (saturate || inward ? maxFinite : above)
  const overflow = (negative: boolean): number => beyond(inwards(rounding, negative))
  const infinity = saturate ? maxFinite : above
  const place = (magnitude: number, negative: boolean): number =>
    magnitude < 0 ? f.canonicalNaN : (negative ? signBit + magnitude : magnitude) * padding
  return (x) => {
    if (x !== x || (x < 0 && f.signBits === 0)) return f.canonicalNaN
    const negative = f.signBits === 1 && (x < 0 || Object.is(x, -0))
    const ax = Math.abs(x)
    if (ax === Infinity) return place(infinity, negative)
    const exponent = ax === 0 ? minimum : Math.max(binaryExponent(ax), minimum)
    if (exponent > maximum) return place(overflow(negative), negative)
    // Exact: a power of two times x, well inside the range of f64 (a tiny x only gains precision).
    const scaled = ax * powerOfTwo(f.fractionBits - exponent)
    const significand = rounded(rounding, negative, scaled)
    // The hidden bit carries into the exponent field by itself.
    const magnitude = Math.max((exponent + f.bias - 1) * hidden + significand, 0)
    return place(magnitude > maxFinite ? overflow(negative) : magnitude, negative)
  }
}

// f32 is the host's own format: the same two functions, faster.
const f32Codec: { readonly decode: (pattern: number) => number; readonly encode: (x: number) => number } =
  (() => {
    const value = new Float32Array(1)
    const word = new Uint32Array(value.buffer)
    return {
      decode: (pattern) => {
        word[0] = pattern
        return value[0]!
      },
      encode: (x) => {
        if (x !== x) return formats.f32.canonicalNaN
        value[0] = x
        return word[0]!
      },
    }
  })()

type Conversion = (x: number) => number

interface Codec {
  readonly decode: Conversion
  readonly encode: Readonly<Record<RoundingMode, Conversion>>
  readonly saturating: Readonly<Record<RoundingMode, Conversion>>
}

// Built once: `decoder` and `encoder` are also called for single elements.
const codecs: Readonly<Record<FloatDtype, Codec>> = pipe(
  formats,
  RR.map((f): Codec => {
    const each = (saturate: boolean): Readonly<Record<RoundingMode, Conversion>> => ({
      rn: f.dtype === 'f32' && !saturate ? f32Codec.encode : encodeBy(f, 'rn', saturate),
      rz: encodeBy(f, 'rz', saturate),
      rna: encodeBy(f, 'rna', saturate),
      rm: encodeBy(f, 'rm', saturate),
      rp: encodeBy(f, 'rp', saturate),
    })
    return {
      decode: f.dtype === 'f32' ? f32Codec.decode : decodeBy(f),
      encode: each(false),
      saturating: each(true),
    }
  }),
)

/** Pattern to value, exactly. A NaN of any payload is the one NaN. The same function each time. */
export const decoder = (dtype: FloatDtype): ((pattern: number) => number) => codecs[dtype].decode

/** Value to pattern, rounded once. The same function each time, for the same arguments. */
export const encoder = (
  dtype: FloatDtype,
  rounding: RoundingMode = 'rn',
  saturate = false,
): ((x: number) => number) => codecs[dtype][saturate ? 'saturating' : 'encode'][rounding]

/**
 * The value of one pattern of a dtype.
 *
 * @example
 * ```ts
 * import { decode } from 'tensorcore-spec/numerics'
 *
 * console.log(decode('f16', 0x3c01), decode('bf16', 0x7f80)) // 1.0009765625 Infinity
 * ```
 */
export const decode = (dtype: FloatDtype, pattern: number): number => decoder(dtype)(pattern)

/**
 * The pattern of one value in a dtype, to nearest even.
 *
 * @example
 * ```ts
 * import { decode, encode } from 'tensorcore-spec/numerics'
 *
 * const pattern = encode('e4m3', 0.3)
 * console.log(pattern, decode('e4m3', pattern)) // 42 0.3125
 * ```
 */
export const encode = (dtype: FloatDtype, x: number): number => encoder(dtype)(x)

/** Is this pattern a NaN of the dtype? */
export const isNaNPattern = (dtype: FloatDtype, pattern: number): boolean =>
  Number.isNaN(decode(dtype, pattern))

/** The values of all patterns of a dtype of at most 16 bits, indexed by pattern. */
export const valueTable = (dtype: Exclude<FloatDtype, 'f32' | 'tf32'>): Float64Array => {
  const f = formats[dtype]
  const table = new Float64Array(magnitudes(f) * 2 ** f.signBits)
  const value = decoder(dtype)
  for (let pattern = 0; pattern < table.length; pattern++) table[pattern] = value(pattern)
  return table
}

/** Position on the number line, in units in the last place from zero; both zeros at 0. Meaningless for a NaN. */
export const ordinal = (dtype: FloatDtype, pattern: number): number => {
  const f = formats[dtype]
  const signBit = magnitudes(f)
  const bits = Math.floor(pattern / 2 ** f.paddingBits)
  // An unsigned format may leave the top bit of its container unused (ue4m3): `decode` ignores it too.
  const magnitude = bits % signBit
  return f.signBits === 1 && bits >= signBit ? 0 - magnitude : magnitude
}

/**
 * How many representable values apart two patterns are. Infinity counts as the next value after the largest
 * finite one; two NaNs are 0 apart, a NaN and a number infinitely far.
 */
export const ulpDistance = (dtype: FloatDtype, a: number, b: number): number => {
  const nanA = isNaNPattern(dtype, a)
  const nanB = isNaNPattern(dtype, b)
  if (nanA || nanB) return nanA && nanB ? 0 : Infinity
  return Math.abs(ordinal(dtype, a) - ordinal(dtype, b))
}
