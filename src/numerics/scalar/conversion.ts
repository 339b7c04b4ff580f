/**
 * cvt: integers and floats into each other, one or two at a time.
 *
 * | from, to         | what happens                                                                                       |
 * |------------------|----------------------------------------------------------------------------------------------------|
 * | integer, integer | modulo 2^bits; `.sat`: the nearest value of the type                                               |
 * | integer, float   | rounded once                                                                                       |
 * | float, integer   | rounded to an integer (rni rzi rmi rpi), then the nearest value of the type; NaN: see below         |
 * | float, float     | rounded once; with rni rzi rmi rpi to an integral value; widening is exact                         |
 *
 * | modifier  | what it does                                                                                              |
 * |-----------|-----------------------------------------------------------------------------------------------------------|
 * | ftz       | a subnormal f32 operand or result becomes a zero of its sign                                              |
 * | sat       | a float result clamped to [0, 1], a NaN is +0                                                             |
 * | satfinite | the largest finite value instead of an infinity                                                           |
 * | relu      | a negative result is +0                                                                                   |
 * | x2        | two results in a word, the first operand in the upper part                                                |
 * | pack      | two integers clamped to 16, 8, 4 or 2 bits; the third operand is shifted in above them                    |
 *
 * By hand: cvt.rni.s32.f32 of 2.5 is 2, of 3.5 is 4; cvt.rzi.u32.f32 of -1 is 0; cvt.rn.f32.u32 of 0x1000001 is 0x4B800000, a tie.
 *
 * Laws
 * 1. A conversion is the exact value rounded once.
 * 2. A narrow form of an exact value and the widening form back are the identity, but for NaN.
 *
 * Source: PTX ISA, "cvt" and "cvt.pack"; measured on an H100.
 */
import { decoder, encoder, type RoundingMode } from '../float-format.js'
import { addToOdd } from '../rounded-arithmetic.js'
import {
  directions,
  flush32,
  isNaN32,
  nan32,
  roundFlushedTo32,
  roundTo32,
  saturate32,
  type Direction,
} from './binary32.js'
import { isNaN64, quiet64, words64 } from './binary64.js'
import { half, nan16, relu16, isNaN16, type Half } from './half.js'
import { operation, rest, wordsOf, type Compute, type ScalarOperation, type ScalarType } from './operation.js'
import { doubleOf, floatOf, highWordOf, lowWordOf, narrow } from './words.js'

const pair = (low: number, high: number): number => {
  rest[0] = high
  return low
}

const integers = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64'] as const
type Integer = (typeof integers)[number]
type NarrowInteger = Exclude<Integer, 'u64' | 's64'>
const floats = ['f16', 'bf16', 'f32', 'f64'] as const
type Float = (typeof floats)[number]

const isSigned = (type: Integer): boolean =>
  type === 's8' || type === 's16' || type === 's32' || type === 's64'
const isNarrow = (type: Integer): type is NarrowInteger => type !== 'u64' && type !== 's64'

const bitsOf = { u8: 8, s8: 8, u16: 16, s16: 16, u32: 32, s32: 32, u64: 64, s64: 64 } as const

const least = (type: Integer): number => (isSigned(type) ? -(2 ** (bitsOf[type] - 1)) : 0)
/** Of 64 bits: the power of two above. */
const greatest = (type: Integer): number => {
  const values = 2 ** (bitsOf[type] - (isSigned(type) ? 1 : 0))
  return isNarrow(type) ? values - 1 : values
}

/** The integer in the words of a type, of at most 32 bits. */
const integerIn = (type: NarrowInteger): ((word: number) => number) =>
  type === 'u32' ? (word) => word >>> 0 : narrow[type]

// Integer to integer

const extendSign = (type: NarrowInteger): Compute => {
  const value = narrow[type]
  return type === 'u32' || !isSigned(type)
    ? (a) => pair(value(a), 0)
    : (a) => {
        const low = value(a)
        return pair(low, low >> 31)
      }
}

const wrapInteger = (to: Integer, from: Integer): Compute => {
  if (isNarrow(to)) {
    const word = narrow[to]
    if (!isNarrow(from)) return (low) => word(low)
    const value = narrow[from]
    return (a) => word(value(a))
  }
  return isNarrow(from) ? extendSign(from) : pair
}

const clampInteger = (to: Integer, from: Integer): Compute => {
  if (isNarrow(from)) {
    const value = integerIn(from)
    if (isNarrow(to)) {
      const [low, high] = [least(to), greatest(to)]
      const word = narrow[to]
      return (a) => word(Math.min(Math.max(value(a), low), high))
    }
    return to === 'u64'
      ? (a) => {
          const x = value(a)
          return x < 0 ? pair(0, 0) : pair(x | 0, 0)
        }
      : extendSign(from)
  }
  const negative = isSigned(from) ? (h: number): boolean => h < 0 : (): boolean => false
  if (isNarrow(to)) {
    const word = narrow[to]
    const [bottom, top] = [least(to), greatest(to)]
    return (l, h) => {
      if (negative(h)) return word(h === -1 && l < 0 ? Math.max(l, bottom) : bottom)
      return word(h === 0 ? Math.min(l >>> 0, top) : top)
    }
  }
  if (to === from) return pair
  return to === 'u64'
    ? (l, h) => (h < 0 ? pair(0, 0) : pair(l, h))
    : (l, h) => (h < 0 ? pair(-1, 0x7fffffff) : pair(l, h))
}

// Numbers to words of a float type

interface FloatForm {
  /** The exact value, or NaN. */
  readonly value: (l: number, h: number) => number
  readonly isNaN: (l: number, h: number) => boolean
  readonly round: (direction: Direction) => (x: number) => number
  readonly nan: (l: number, h: number) => number
  readonly saturate: (l: number, h: number) => number
}

const saturateHalf =
  (type: Half) =>
  (word: number): number =>
    word >= 0x8000 || word > half[type].infinity ? 0 : Math.min(word, half[type].one)

const formOfHalf = (type: Half): FloatForm => ({
  value: half[type].value,
  isNaN: (word) => isNaN16(type, word),
  round: (direction) => (direction === 'rn' ? half[type].round : encoder(type, direction)),
  nan: () => nan16,
  saturate: saturateHalf(type),
})

const formOf: Readonly<Record<Float, FloatForm>> = {
  f16: formOfHalf('f16'),
  bf16: formOfHalf('bf16'),
  f32: {
    value: floatOf,
    isNaN: isNaN32,
    round: roundTo32,
    nan: () => nan32,
    saturate: saturate32,
  },
  f64: {
    value: doubleOf,
    isNaN: isNaN64,
    round: () => words64,
    nan: () => pair(0, -0x80000),
    saturate: (l, h) => {
      const x = doubleOf(l, h)
      return x > 0 ? (x < 1 ? pair(l, h) : pair(0, 0x3ff00000)) : pair(0, 0)
    },
  },
}

/** Saturation of a result in words. */
const saturated = (type: Float, f: Compute): Compute => {
  const { saturate } = formOf[type]
  return wordsOf(type) === 2 ? (l, h) => saturate(f(l, h), rest[0]!) : (l, h) => saturate(f(l, h), 0)
}

/** hi 2^32 + lo, in a direction: the sum in f64, moved where it is not exact. */
const sumTo64 = (direction: Direction, high: number, low: number): number => {
  const x = high * 4294967296
  const sum = x + low
  const excess = sum - x - low
  if (direction === 'rn' || excess === 0) return sum
  const up = excess > 0
  // The sum is at least 2^53: its neighbours are an even number of units away.
  const l = lowWordOf(sum)
  const h = highWordOf(sum)
  const inner = (): number => doubleOf((l - 1) | 0, l === 0 ? h - 1 : h)
  const outer = (): number => doubleOf((l + 1) | 0, l === -1 ? h + 1 : h)
  switch (direction) {
    case 'rz':
      return up === sum > 0 ? inner() : sum
    case 'rm':
      return up ? (sum > 0 ? inner() : outer()) : sum
    case 'rp':
      return up ? sum : sum > 0 ? outer() : inner()
  }
}

const integerToFloat = (to: Float, from: Integer, direction: Direction): Compute => {
  const round = formOf[to].round(direction)
  if (isNarrow(from)) {
    const value = integerIn(from)
    return (a) => round(value(a))
  }
  const top = isSigned(from) ? (h: number): number => h : (h: number): number => h >>> 0
  return to === 'f64'
    ? (l, h) => words64(sumTo64(direction, top(h), l >>> 0))
    : (l, h) => round(addToOdd(top(h) * 4294967296, l >>> 0))
}

// To integral values

const integralRoundings = ['rni', 'rzi', 'rmi', 'rpi'] as const
type Integral = (typeof integralRoundings)[number]

/** An integral value beside x, with the sign of x. */
const integral: Readonly<Record<Integral, (x: number) => number>> = {
  rni: (x) => {
    const below = Math.floor(x)
    const lost = x - below
    const nearest = lost > 0.5 || (lost === 0.5 && below % 2 !== 0) ? below + 1 : below
    return nearest === 0 && (x < 0 || Object.is(x, -0)) ? -0 : nearest
  },
  rzi: Math.trunc,
  rmi: Math.floor,
  rpi: Math.ceil,
}

const signOfWord = -0x80000000

/** What a NaN becomes: 0, or of f64 and in 64 bits the highest bit alone. */
const nanToInteger = (to: Integer, from: Float): number =>
  isNarrow(to) ? (from === 'f64' ? narrow[to](2 ** (bitsOf[to] - 1)) : 0) : pair(0, signOfWord)

const floatToInteger = (to: Integer, from: Float, rounding: Integral): Compute => {
  const { value } = formOf[from]
  const round = integral[rounding]
  const low = least(to)
  const high = greatest(to)
  if (isNarrow(to)) {
    const word = narrow[to]
    return (l, h) => {
      const x = round(value(l, h))
      return x !== x ? nanToInteger(to, from) : word(x < low ? low : x > high ? high : x)
    }
  }
  return (l, h) => {
    const x = round(value(l, h))
    if (x !== x) return nanToInteger(to, from)
    if (x <= low) return pair(0, isSigned(to) ? signOfWord : 0)
    if (x >= high) return pair(-1, isSigned(to) ? 0x7fffffff : -1)
    const upper = Math.floor(x / 4294967296)
    return pair((x - upper * 4294967296) | 0, upper | 0)
  }
}

/** A NaN that goes into f64 or out of it keeps its sign and the payload that fits, and is quiet. */
const nanTo64: Readonly<Record<Float, (l: number, h: number) => number>> = {
  f16: (word) => pair(0, ((word & 0x8000) << 16) | 0x7ff80000 | ((word & 0x3ff) << 10)),
  bf16: (word) => pair(0, ((word & 0x8000) << 16) | 0x7ff80000 | ((word & 0x7f) << 13)),
  f32: (word) => pair(word << 29, (word & signOfWord) | 0x7ff80000 | ((word & 0x7fffff) >> 3)),
  f64: quiet64,
}
const nanFrom64: Readonly<Record<Float, (l: number, h: number) => number>> = {
  f16: (_l, h) => ((h >>> 16) & 0x8000) | 0x7e00 | ((h >> 10) & 0x3ff),
  bf16: (_l, h) => ((h >>> 16) & 0x8000) | 0x7fc0 | ((h >> 13) & 0x7f),
  f32: (l, h) => (h & signOfWord) | 0x7fc00000 | ((h & 0xfffff) << 3) | (l >>> 29),
  f64: quiet64,
}
const nanTo = (to: Float, from: Float, ftz: boolean): ((l: number, h: number) => number) =>
  to === 'f64'
    ? ftz
      ? (): number => pair(-0x20000000, 0x7fffffff)
      : nanTo64[from]
    : from === 'f64'
      ? nanFrom64[to]
      : formOf[to].nan

const floatToFloat =
  (to: Float, from: Float, direction: Direction) =>
  (ftz: boolean): Compute => {
    // What only moves bits moves those of a NaN too.
    if (to === 'f32' && from === 'bf16' && !ftz) return (word) => word << 16
    if ((to === 'f32' && from === 'f32' && !ftz) || (to === 'f64' && from === 'f64')) return pair
    const { value } = formOf[from]
    const nan = nanTo(to, from, ftz)
    const rounded = ftz && to === 'f32' ? roundFlushedTo32(direction) : formOf[to].round(direction)
    return (l, h) => {
      const x = value(l, h)
      return x !== x ? nan(l, h) : rounded(x)
    }
  }

const toIntegral = (type: Float, rounding: Integral): Compute => {
  const { value, round } = formOf[type]
  const nan = nanTo(type, type, false)
  const rounded = round('rn')
  const whole = integral[rounding]
  return (l, h) => {
    const x = whole(value(l, h))
    return x !== x ? nan(l, h) : rounded(x)
  }
}

/** Flushes what is f32 of the operand and the result. */
const flushed = (to: ScalarType, from: ScalarType, f: Compute): Compute => {
  // Measured: into f16 the operand is not flushed.
  const inner: Compute = from === 'f32' && to !== 'f16' ? (a) => f(flush32(a)) : f
  return to === 'f32' ? (l, h) => flush32(inner(l, h)) : inner
}

const row = (name: string, to: ScalarType, from: ScalarType, compute: Compute): ScalarOperation =>
  operation('conversion', `cvt${name}.${to}.${from}`, [from], [to], compute)

/** Forms with and without ftz (where f32 takes part) and sat. */
const modified = (
  mark: string,
  to: Float | Integer,
  from: Float | Integer,
  sat: ((f: Compute) => Compute) | null,
  f: (ftz: boolean) => Compute,
): readonly ScalarOperation[] => {
  const flushing: readonly boolean[] = to === 'f32' || from === 'f32' ? [false, true] : [false]
  return flushing.flatMap((ftz) => {
    const core = ftz ? flushed(to, from, f(true)) : f(false)
    const name = `${mark}${ftz ? '.ftz' : ''}`
    return [row(name, to, from, core), ...(sat === null ? [] : [row(`${name}.sat`, to, from, sat(core))])]
  })
}

const same = (f: Compute): Compute => f

/** Is every value of one type a value of the other? Then nothing saturates. */
const contains = (to: Integer, from: Integer): boolean =>
  least(to) <= least(from) && greatest(from) <= greatest(to)

const fromIntegers: readonly ScalarOperation[] = integers.flatMap((from) => [
  ...integers.flatMap((to) => [
    row('', to, from, wrapInteger(to, from)),
    ...(contains(to, from) ? [] : [row('.sat', to, from, clampInteger(to, from))]),
  ]),
  ...floats.flatMap((to) =>
    directions.flatMap((d) => [
      row(`.${d}`, to, from, integerToFloat(to, from, d)),
      ...(to === 'bf16' ? [] : [row(`.${d}.sat`, to, from, saturated(to, integerToFloat(to, from, d)))]),
    ]),
  ),
])

const order: Readonly<Record<Float, number>> = { f16: 0, bf16: 0, f32: 1, f64: 2 }

const fromFloats: readonly ScalarOperation[] = floats.flatMap((from) => [
  ...integers.flatMap((to) =>
    integralRoundings.flatMap((r) =>
      modified(`.${r}`, to, from, from === 'bf16' ? null : same, () => floatToInteger(to, from, r)),
    ),
  ),
  ...floats.flatMap((to) => {
    const sat = to === 'bf16' || from === 'bf16' ? null : (f: Compute): Compute => saturated(to, f)
    if (to === from)
      return [
        ...modified('', to, from, sat, floatToFloat(to, from, 'rn')),
        ...integralRoundings.flatMap((r) => modified(`.${r}`, to, from, sat, () => toIntegral(to, r))),
      ]
    const nearest = floatToFloat(to, from, 'rn')
    if (order[to] > order[from])
      return [
        ...modified('', to, from, sat, nearest),
        ...(from === 'bf16' ? [row('.rn', to, from, nearest(false))] : []),
      ]
    return [
      ...(order[to] === order[from] ? [row('', to, from, nearest(false))] : []),
      ...directions.flatMap((d) => modified(`.${d}`, to, from, sat, floatToFloat(to, from, d))),
    ]
  }),
])

// Forms with relu and satfinite, and pairs

/** One f32 to a narrow float, as the packed forms convert it. */
const narrowing = (
  type: Half,
  direction: RoundingMode,
  satfinite: boolean,
  relu: boolean,
): ((word: number) => number) => {
  const round = direction === 'rn' && !satfinite ? half[type].round : encoder(type, direction, satfinite)
  return (word) => {
    const x = floatOf(word)
    const d = x !== x ? nan16 : round(x)
    return relu ? relu16(type, d) : d
  }
}

const tf32Unit = 0x2000
const tf32Bits = -tf32Unit

const tf32 = (rounding: 'rn' | 'rz' | 'rna', satfinite: boolean, relu: boolean): Compute => {
  const round = encoder('tf32', rounding, satfinite)
  // A NaN loses its low bits like a number, but to nearest even or toward zero, where it is all ones.
  const nan =
    rounding !== 'rna'
      ? (): number => nan32 & tf32Bits
      : satfinite
        ? (word: number): number => (word & tf32Bits) - tf32Unit
        : (word: number): number => word & tf32Bits
  return (word) => {
    const x = floatOf(word)
    if (x !== x) return nan(word)
    const d = round(x) | 0
    return relu && d < 0 ? 0 : d
  }
}

const combinations: readonly (readonly [string, boolean, boolean])[] = [
  ['', false, false],
  ['.relu', false, true],
  ['.satfinite', true, false],
  ['.relu.satfinite', true, true],
]

const two = ['f32', 'f32'] as const

const pairsOfHalves: readonly ScalarOperation[] = (['f16', 'bf16'] as const).flatMap((type) =>
  (['rn', 'rz'] as const).flatMap((d) =>
    combinations.flatMap(([mark, satfinite, relu]) => {
      const one = narrowing(type, d, satfinite, relu)
      return [
        operation(
          'conversion',
          `cvt.${d}${mark}.${type}x2.f32`,
          two,
          [`${type}x2`],
          (a, b) => (one(a) << 16) | one(b),
        ),
        ...(mark === '' ? [] : [row(`.${d}${mark}`, type, 'f32', one)]),
      ]
    }),
  ),
)

const tf32Rows: readonly ScalarOperation[] = [
  row('.rna', 'tf32', 'f32', tf32('rna', false, false)),
  row('.rna.satfinite', 'tf32', 'f32', tf32('rna', true, false)),
  ...(['rn', 'rz'] as const).flatMap((d) =>
    [false, true].map((relu) => row(`.${d}${relu ? '.relu' : ''}`, 'tf32', 'f32', tf32(d, false, relu))),
  ),
]

const bytePairs: readonly ScalarOperation[] = (['e4m3', 'e5m2'] as const).flatMap((type) => {
  const round = encoder(type, 'rn', true)
  const value = decoder(type)
  const { value: valueOfHalf, round: roundToHalf } = half.f16
  const toByte =
    (relu: boolean) =>
    (x: number): number => {
      if (x !== x) return 0x7f
      return relu && (x < 0 || Object.is(x, -0)) ? 0 : round(x)
    }
  const toHalf =
    (relu: boolean) =>
    (byte: number): number => {
      const x = value(byte)
      if (x !== x) return nan16
      const word = roundToHalf(x)
      return relu ? relu16('f16', word) : word
    }
  return [false, true].flatMap((relu) => {
    const mark = relu ? '.relu' : ''
    const byte = toByte(relu)
    const widened = toHalf(relu)
    return [
      operation(
        'conversion',
        `cvt.rn.satfinite${mark}.${type}x2.f32`,
        two,
        [`${type}x2`],
        (a, b) => (byte(floatOf(a)) << 8) | byte(floatOf(b)),
      ),
      row(
        `.rn.satfinite${mark}`,
        `${type}x2`,
        'f16x2',
        (a) => (byte(valueOfHalf(a >>> 16)) << 8) | byte(valueOfHalf(a & 0xffff)),
      ),
      row(`.rn${mark}`, 'f16x2', `${type}x2`, (a) => (widened((a >>> 8) & 0xff) << 16) | widened(a & 0xff)),
    ]
  })
})

/** Elements of 4 and of 6 bits, two at a time: they have no NaN, which becomes the largest of them. */
const narrowPairs: readonly ScalarOperation[] = (
  [
    ['e2m1', 4],
    ['e2m3', 8],
    ['e3m2', 8],
  ] as const
).flatMap(([type, bits]) => {
  const round = encoder(type, 'rn', true)
  const value = decoder(type)
  const most = round(Infinity)
  const low = (1 << (bits === 4 ? 4 : 6)) - 1
  const element = (word: number): number => {
    const x = floatOf(word)
    return x !== x ? most : round(x)
  }
  const toHalf = (bitsOfOne: number): number => half.f16.round(value(bitsOfOne & low))
  return [
    operation(
      'conversion',
      `cvt.rn.satfinite.${type}x2.f32`,
      two,
      [`${type}x2`],
      (a, b) => (element(a) << bits) | element(b),
    ),
    row('.rn', 'f16x2', `${type}x2`, (a) => (toHalf(a >>> bits) << 16) | toHalf(a)),
  ]
})

/** Powers of two as block scales have them, two at a time: of a magnitude, zero as the smallest. */
const scalePairs: readonly ScalarOperation[] = [
  ...(['rz', 'rp'] as const).map((d) => {
    const round = encoder('e8m0', d, true)
    const scale = (word: number): number => round(Math.abs(floatOf(word)))
    return operation(
      'conversion',
      `cvt.${d}.satfinite.ue8m0x2.f32`,
      two,
      ['ue8m0x2'],
      (a, b) => (scale(a) << 8) | scale(b),
    )
  }),
  row('.rn', 'bf16x2', 'ue8m0x2', (a) => {
    const power = (byte: number): number => (byte === 0xff ? 0x7fff : byte === 0 ? 0x40 : byte << 7)
    return (power((a >>> 8) & 0xff) << 16) | power(a & 0xff)
  }),
]

const packedTypes: readonly (readonly [string, number, boolean])[] = [
  ['u16', 16, false],
  ['s16', 16, true],
  ['u8', 8, false],
  ['s8', 8, true],
  ['u4', 4, false],
  ['s4', 4, true],
  ['u2', 2, false],
  ['s2', 2, true],
]

const packs: readonly ScalarOperation[] = packedTypes.map(([type, bits, signed]) => {
  const top = 2 ** (signed ? bits - 1 : bits) - 1
  const bottom = signed ? -top - 1 : 0
  const mask = 2 ** bits - 1
  const clamp = (x: number): number => Math.min(Math.max(x, bottom), top) & mask
  return bits === 16
    ? operation(
        'conversion',
        `cvt.pack.sat.${type}.s32`,
        ['s32', 's32'],
        ['b32'],
        (a, b) => (clamp(a) << 16) | clamp(b),
      )
    : operation(
        'conversion',
        `cvt.pack.sat.${type}.s32.b32`,
        ['s32', 's32', 'b32'],
        ['b32'],
        (a, b, c) => (c << (2 * bits)) | (clamp(a) << bits) | clamp(b),
      )
})

export const conversionRows: readonly ScalarOperation[] = [
  ...fromIntegers,
  ...fromFloats,
  ...pairsOfHalves,
  ...tf32Rows,
  ...bytePairs,
  ...narrowPairs,
  ...scalePairs,
  ...packs,
]
