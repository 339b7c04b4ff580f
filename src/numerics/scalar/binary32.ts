/**
 * Arithmetic of f32 in four roundings, with subnormals or without.
 *
 * The exact result is held in f64: a product of two f32 has 48 bits, and a sum that does not fit is rounded to odd (`addToOdd`), which
 * any later rounding to fewer bits undoes rightly. Then one rounding to 24 bits. A quotient or root is rounded to nearest through f64, and a directed
 * rounding looks at the sign of the exact remainder, which f64 holds.
 *
 * | modifier    | what it does                                                                             |
 * |-------------|------------------------------------------------------------------------------------------|
 * | rn rz rm rp | to nearest even, toward zero, down, up; an exact sum of zero is -0 in rm, else +0        |
 * | ftz         | subnormal operands, and results that are tiny after rounding, become zeros of their sign |
 * | sat         | the result clamped to [0, 1]; a NaN is +0                                                |
 *
 * By hand: 1 + 2^-24 is halfway to 1 + 2^-23: rn, rz and rm give 1, rp gives 1 + 2^-23.
 *
 * Every NaN that arithmetic makes is 0x7FFFFFFF, whatever came in.
 *
 * Laws
 * 1. Each operation is the exact result rounded once in the direction.
 * 2. rm(x) <= rz or rn(x) <= rp(x); rm = rp where the result is exact.
 * 3. The ftz form is flush of the operation on flushed operands, but where that is 2^-126 and inexact.
 *
 * Source: PTX ISA, "Floating-Point Instructions"; IEEE 754-2019, 4.3; measured on an H100.
 */
import { addToOdd } from '../rounded-arithmetic.js'
import { operation, type Compute, type ScalarOperation, type ScalarType } from './operation.js'
import { floatOf, signBit, wordOf } from './words.js'

export const directions = ['rn', 'rz', 'rm', 'rp'] as const
export type Direction = (typeof directions)[number]

export const nan32 = 0x7fffffff
const one = 0x3f800000
const smallestNormal = 0x00800000

/** Subnormals to zeros of their sign. */
export const flush32 = (word: number): number => ((word & 0x7f800000) === 0 ? word & signBit : word)

/** Is this word a NaN? */
export const isNaN32 = (word: number): boolean => (word & 0x7fffffff) > 0x7f800000

/** Clamped to [0, 1]; a NaN is 0. */
export const saturate32 = (word: number): number =>
  word < 0 || word > 0x7f800000 ? 0 : word > one ? one : word

/** The neighbour of a word below (the value). */
const below = (word: number): number => (word >= 0 ? word - 1 : word + 1)
/** The neighbour above. */
const above = (word: number): number => (word >= 0 ? word + 1 : word - 1)

/** A nearest word moved to the side of a direction, where `excess` has the sign of word - exact value. */
const moved = (direction: Direction, word: number, excess: number): number => {
  switch (direction) {
    case 'rn':
      return word
    case 'rz':
      return word >= 0 ? (excess > 0 ? word - 1 : word) : excess < 0 ? word - 1 : word
    case 'rm':
      return excess > 0 ? below(word) : word
    case 'rp':
      return excess < 0 ? above(word) : word
  }
}

/** An f64, exact or rounded to odd, to an f32 word. */
export const roundTo32 = (direction: Direction): ((x: number) => number) =>
  direction === 'rn'
    ? (x) => (x !== x ? nan32 : wordOf(x))
    : (x) => {
        if (x !== x) return nan32
        const word = wordOf(x)
        // an infinity that x is not is in excess by itself; of one that x is the excess is no number, and moves nothing
        return moved(direction, word, floatOf(word) - x)
      }

/**
 * The same with ftz: a zero of the sign where the result, rounded to 24 bits of whatever exponent, is below 2^-126. So what rounds up to 2^-126 only for
 * want of a bit is flushed; doubled, it has that bit.
 */
export const roundFlushedTo32 = (direction: Direction): ((x: number) => number) => {
  const round = roundTo32(direction)
  return (x) => {
    const word = round(x)
    const magnitude = word & 0x7fffffff
    if (magnitude > smallestNormal) return word
    return magnitude < smallestNormal || (round(2 * x) & 0x7fffffff) < 2 * smallestNormal
      ? word & signBit
      : word
  }
}

/** The rounding of a form, with ftz or without. */
const rounding = (direction: Direction, ftz: boolean): ((x: number) => number) =>
  ftz ? roundFlushedTo32(direction) : roundTo32(direction)

/** x + y rounded to odd; where it cancels to zero, the zero of the direction. Infinities and NaN as IEEE 754 says. */
const exactSum = (direction: Direction): ((x: number, y: number) => number) =>
  direction === 'rm'
    ? (x, y) => {
        const sum = addToOdd(x, y)
        return sum === 0 && !(Object.is(x, 0) && Object.is(y, 0)) ? -0 : sum
      }
    : addToOdd

const add = (direction: Direction, ftz: boolean): Compute => {
  const round = rounding(direction, ftz)
  const sum = exactSum(direction)
  // To nearest, f64 has enough bits: rounding twice is rounding once.
  if (direction === 'rn') return (a, b) => round(floatOf(a) + floatOf(b))
  return (a, b) => round(sum(floatOf(a), floatOf(b)))
}

/** The sign bit turned, but of a NaN. */
const negated = (word: number): number => word ^ signBit

const mul = (direction: Direction, ftz: boolean): Compute => {
  const round = rounding(direction, ftz)
  return (a, b) => round(floatOf(a) * floatOf(b))
}

const fma = (direction: Direction, ftz: boolean): Compute => {
  const round = rounding(direction, ftz)
  const sum = exactSum(direction)
  return (a, b, c) => round(sum(floatOf(a) * floatOf(b), floatOf(c)))
}

const quotient =
  (direction: Direction): Compute =>
  (a, b) => {
    const x = floatOf(a)
    const y = floatOf(b)
    const q = x / y
    if (q !== q) return nan32
    const word = wordOf(q)
    if (direction === 'rn' || y === 0 || x === 0 || Math.abs(q) === Infinity || Math.abs(y) === Infinity)
      return word
    // word - x / y has the sign of (word * y - x) / y; an infinite word is in excess, or too small.
    const near = floatOf(word)
    if (near === Infinity || near === -Infinity) return moved(direction, word, near)
    return moved(direction, word, (near * y - x) * Math.sign(y))
  }

const div = (direction: Direction, ftz: boolean): Compute => {
  const plain = quotient(direction)
  if (!ftz) return plain
  return (a, b) => {
    const word = plain(a, b)
    if ((word & 0x7fffffff) !== smallestNormal) return word
    const doubled = plain(wordOf(2 * floatOf(a)), b)
    return (doubled & 0x7fffffff) < 2 * smallestNormal ? word & signBit : word
  }
}

const sqrt =
  (direction: Direction): Compute =>
  (a) => {
    const x = floatOf(a)
    const root = Math.sqrt(x)
    if (root !== root) return nan32
    const word = wordOf(root)
    if (direction === 'rn' || root === Infinity) return word
    const near = floatOf(word)
    return moved(direction, word, near * near - x)
  }

const rcp = (direction: Direction, ftz: boolean): Compute => {
  const divide = div(direction, ftz)
  return (a) => divide(one, a)
}

/** On flushed operands, with a flushed result. */
export const flushed32 = (arity: number, f: Compute): Compute => {
  switch (arity) {
    case 1:
      return (a) => flush32(f(flush32(a)))
    case 2:
      return (a, b) => flush32(f(flush32(a), flush32(b)))
    default:
      return (a, b, c) => flush32(f(flush32(a), flush32(b), flush32(c)))
  }
}

const saturated32 =
  (f: Compute): Compute =>
  (a, b, c) =>
    saturate32(f(a, b, c))

/** A form with its modifiers: ftz and sat, and the direction where it stands. */
const forms = (
  name: string,
  arity: number,
  core: (direction: Direction, ftz: boolean) => Compute,
  { unrounded, sat }: { readonly unrounded: boolean; readonly sat: boolean },
): readonly ScalarOperation[] => {
  const operands: readonly ScalarType[] = Array.from({ length: arity }, () => 'f32')
  const named: readonly (readonly [string, Direction])[] = [
    ...(unrounded ? [['', 'rn'] as const] : []),
    ...directions.map((d) => [`.${d}`, d] as const),
  ]
  return named.flatMap(([mark, direction]) => {
    const plain = core(direction, false)
    const flushed = flushed32(arity, core(direction, true))
    const row = (modifiers: string, compute: Compute): ScalarOperation =>
      operation('f32', `${name}${mark}${modifiers}.f32`, operands, ['f32'], compute)
    return [
      row('', plain),
      row('.ftz', flushed),
      ...(sat ? [row('.sat', saturated32(plain)), row('.ftz.sat', saturated32(flushed))] : []),
    ]
  })
}

const difference = (direction: Direction, ftz: boolean): Compute => {
  const sum = add(direction, ftz)
  return (a, b) => sum(a, negated(b))
}

const sum = { unrounded: true, sat: true } as const
const alone = { unrounded: false, sat: false } as const

/** The sign bit alone; the ftz form flushes. A NaN is the NaN of arithmetic. */
const signs: readonly ScalarOperation[] = (
  [
    ['abs', (a) => (isNaN32(a) ? nan32 : a & 0x7fffffff)],
    ['neg', (a) => (isNaN32(a) ? nan32 : negated(a))],
  ] satisfies readonly (readonly [string, (a: number) => number])[]
).flatMap(([name, f]) => [
  operation('f32', `${name}.f32`, ['f32'], ['f32'], f),
  operation('f32', `${name}.ftz.f32`, ['f32'], ['f32'], (a) => flush32(f(a))),
])

/** The order of numbers in words: -0 below +0. */
const orderOf = (word: number): number => (word >= 0 ? word : signBit - word - 1)

const smaller = (a: number, b: number): number => (orderOf(a) < orderOf(b) ? a : b)
const larger = (a: number, b: number): number => (orderOf(a) > orderOf(b) ? a : b)

/** Of two words that may be NaN: the number, or the NaN. */
const selected =
  (of: (a: number, b: number) => number, propagate: boolean): Compute =>
  (a, b) => {
    if (isNaN32(a)) return propagate || isNaN32(b) ? nan32 : b
    if (isNaN32(b)) return propagate ? nan32 : a
    return of(a, b)
  }

const extremes: readonly ScalarOperation[] = (
  [
    ['min', smaller],
    ['max', larger],
  ] as const
).flatMap(([name, of]) =>
  [false, true].flatMap((propagate) => {
    const core = selected(of, propagate)
    const magnitudes: Compute = (a, b) => {
      const d = core(a & 0x7fffffff, b & 0x7fffffff)
      return isNaN32(d) ? d : d | ((a ^ b) & signBit)
    }
    const mark = propagate ? '.NaN' : ''
    const row = (modifiers: string, compute: Compute): ScalarOperation =>
      operation('f32', `${name}${modifiers}.f32`, ['f32', 'f32'], ['f32'], compute)
    return [
      row(mark, core),
      row(`.ftz${mark}`, flushed32(2, core)),
      row(`${mark}.xorsign.abs`, magnitudes),
      row(`.ftz${mark}.xorsign.abs`, flushed32(2, magnitudes)),
    ]
  }),
)

export const binary32Rows: readonly ScalarOperation[] = [
  ...forms('add', 2, add, sum),
  ...forms('sub', 2, difference, sum),
  ...forms('mul', 2, mul, sum),
  ...forms('fma', 3, fma, { unrounded: false, sat: true }),
  ...forms('mad', 3, fma, { unrounded: false, sat: true }),
  ...forms('div', 2, div, alone),
  ...forms('rcp', 1, rcp, alone),
  ...forms('sqrt', 1, sqrt, alone),
  ...signs,
  ...extremes,
  operation('f32', 'copysign.f32', ['f32', 'f32'], ['f32'], (a, b) => (a & signBit) | (b & 0x7fffffff)),
]
