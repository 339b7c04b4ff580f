/**
 * Arithmetic of f16 and bf16, and of two in a word.
 *
 * The exact result is held in f64 (a sum that does not fit is rounded to odd) and rounded once, to nearest even.
 *
 * | modifier | what it does                                                           |
 * |----------|------------------------------------------------------------------------|
 * | ftz      | subnormal operands, and results tiny after rounding, become zeros of their sign (f16) |
 * | sat      | the result clamped to [0, 1]; a NaN is +0                              |
 * | relu     | a negative result is +0; a NaN is the canonical one                    |
 * | NaN      | min and max give a NaN if an operand is one                            |
 * | xorsign.abs | min and max of magnitudes, with the product of the signs            |
 *
 * By hand, f16: 0x3C00 + 0x1000 (1 + 2^-11) is halfway to 1 + 2^-10 and goes to the even 0x3C00.
 *
 * Every NaN that arithmetic makes is 0x7FFF.
 *
 * Laws
 * 1. Each operation is the exact result rounded once.
 * 2. A pair is its halves.
 *
 * Source: PTX ISA, "Half Precision Floating-Point Instructions"; measured on an H100.
 */
import { decoder, encoder } from '../float-format.js'
import { addToOdd } from '../rounded-arithmetic.js'
import { highWordOf, lowWordOf } from './words.js'
import { operation, type Compute, type ScalarOperation } from './operation.js'

export type Half = 'f16' | 'bf16'

export const nan16 = 0x7fff

interface HalfFormat {
  readonly value: (word: number) => number
  readonly round: (x: number) => number
  /** The pattern of infinity. */
  readonly infinity: number
  readonly one: number
}

/** The value of every pattern, made when the first is asked for. */
const tableOf = (type: Half): ((word: number) => number) => {
  const decode = decoder(type)
  const table = new Float64Array(65536)
  const made = { done: false }
  return (word) => {
    if (!made.done) {
      for (let i = 0; i < 65536; i++) table[i] = decode(i)
      made.done = true
    }
    return table[word & 0xffff]!
  }
}

/**
 * A number to the nearest pattern. What is normal in the format is rounded in the words of the f64: its upper one has 20 fraction bits,
 * of which the format keeps the first; a carry out of them goes into the exponent by itself. All else goes the general way.
 */
const rounderOf = (type: Half, fractionBits: number, bias: number): ((x: number) => number) => {
  const general = encoder(type)
  const drop = 20 - fractionBits
  const half = 1 << (drop - 1)
  const top = 2 * bias + 1
  return (x) => {
    const high = highWordOf(x)
    const exponent = ((high >>> 20) & 0x7ff) - 1023 + bias
    if (exponent < 1 || exponent >= top) return general(x)
    const magnitude = (exponent << 20) | (high & 0xfffff)
    const kept = magnitude >> drop
    const lost = magnitude & (2 * half - 1)
    const up = lost > half || (lost === half && ((kept & 1) === 1 || lowWordOf(x) !== 0))
    return (kept + (up ? 1 : 0)) | ((high >>> 16) & 0x8000)
  }
}

export const half: Readonly<Record<Half, HalfFormat>> = {
  f16: { value: tableOf('f16'), round: rounderOf('f16', 10, 15), infinity: 0x7c00, one: 0x3c00 },
  bf16: { value: tableOf('bf16'), round: rounderOf('bf16', 7, 127), infinity: 0x7f80, one: 0x3f80 },
}

/** Subnormals to zeros of their sign. */
export const flush16 = (type: Half, word: number): number =>
  (word & half[type].infinity) === 0 ? word & 0x8000 : word & 0xffff

export const isNaN16 = (type: Half, word: number): boolean => (word & 0x7fff) > half[type].infinity

const saturate = (type: Half, word: number): number =>
  word >= 0x8000 || word > half[type].infinity ? 0 : Math.min(word, half[type].one)

/** A negative number is +0, a NaN the canonical one. */
export const relu16 = (type: Half, word: number): number =>
  isNaN16(type, word) ? nan16 : word >= 0x8000 ? 0 : word

/** The rounding of the ftz forms: zeros for what is tiny after rounding, whatever the exponent (`binary32.ts`). */
const roundFlushed = (x: number): number => {
  const word = half.f16.round(x)
  const magnitude = word & 0x7fff
  if (magnitude > 0x0400) return word
  return magnitude < 0x0400 || (half.f16.round(2 * x) & 0x7fff) < 0x0800 ? word & 0x8000 : word
}

type Words = (a: number, b: number, c: number) => number

const zeros =
  (type: Half, f: Words): Words =>
  (a, b, c) =>
    flush16(type, f(flush16(type, a), flush16(type, b), flush16(type, c)))

/** On both halves of words. */
export const onHalves =
  (f: Words): Compute =>
  (a, b, c) =>
    (f(a >>> 16, b >>> 16, c >>> 16) << 16) | f(a & 0xffff, b & 0xffff, c & 0xffff)

/** A row of the halves, and one of the pairs. */
const both = (name: string, type: Half, arity: number, f: Words): readonly ScalarOperation[] => {
  const list = <A>(x: A): readonly A[] => Array.from({ length: arity }, () => x)
  return [
    operation('half', `${name}.${type}`, list(type), [type], f),
    operation('half', `${name}.${type}x2`, list(`${type}x2` as const), [`${type}x2`], onHalves(f)),
  ]
}

/** An operation, by the rounding of its exact result. */
type Rounded = (round: (x: number) => number) => Words

/** The modifiers of a sum or product, with what they do. */
const sums = (type: Half, name: string, marks: readonly string[], f: Rounded): readonly ScalarOperation[] =>
  marks.flatMap((mark) => {
    const plain = f(half[type].round)
    if (type === 'bf16') return both(`${name}${mark}`, type, 2, plain)
    const flushed = zeros(type, f(roundFlushed))
    return [
      ...both(`${name}${mark}`, type, 2, plain),
      ...both(`${name}${mark}.ftz`, type, 2, flushed),
      ...both(`${name}${mark}.sat`, type, 2, (a, b, c) => saturate(type, plain(a, b, c))),
      ...both(`${name}${mark}.ftz.sat`, type, 2, (a, b, c) => saturate(type, flushed(a, b, c))),
    ]
  })

/** The NaN, of either sign, that a tensor map puts where there is no tensor: a product of it and all that is added to it are zero. */
const outOfBounds = 0x7ff7
const inBounds =
  (f: Words): Words =>
  (a, b, c) =>
    (a & 0x7fff) === outOfBounds || (b & 0x7fff) === outOfBounds ? 0 : f(a, b, c)

const arithmetic = (type: Half): readonly ScalarOperation[] => {
  const { value } = half[type]
  const fused: Rounded = (round) => (a, b, c) => round(addToOdd(value(a) * value(b), value(c)))
  const fma = fused(half[type].round)
  const flushed = zeros(type, fused(roundFlushed))
  const relu =
    (f: Words): Words =>
    (a, b, c) =>
      relu16(type, f(a, b, c))
  return [
    ...sums(type, 'add', ['', '.rn'], (round) => (a, b) => round(value(a) + value(b))),
    ...sums(type, 'sub', ['', '.rn'], (round) => (a, b) => round(value(a) - value(b))),
    ...sums(type, 'mul', ['', '.rn'], (round) => (a, b) => round(value(a) * value(b))),
    ...both('fma.rn', type, 3, fma),
    ...both('fma.rn.relu', type, 3, relu(fma)),
    ...both('fma.rn.oob', type, 3, inBounds(fma)),
    ...both('fma.rn.oob.relu', type, 3, inBounds(relu(fma))),
    ...(type === 'f16'
      ? [
          ...both('fma.rn.ftz', type, 3, flushed),
          ...both('fma.rn.sat', type, 3, (a, b, c) => saturate(type, fma(a, b, c))),
          ...both('fma.rn.ftz.sat', type, 3, (a, b, c) => saturate(type, flushed(a, b, c))),
          ...both('fma.rn.ftz.relu', type, 3, relu(flushed)),
        ]
      : []),
  ]
}

const signs = (type: Half): readonly ScalarOperation[] =>
  (
    [
      ['abs', (a) => (isNaN16(type, a) ? nan16 : a & 0x7fff)],
      ['neg', (a) => (isNaN16(type, a) ? nan16 : (a ^ 0x8000) & 0xffff)],
    ] satisfies readonly (readonly [string, (a: number) => number])[]
  ).flatMap(([name, f]) => [
    ...both(name, type, 1, f),
    ...(type === 'f16' ? both(`${name}.ftz`, type, 1, (a) => flush16(type, f(a))) : []),
  ])

/** The order of numbers in patterns: -0 below +0. */
const orderOf = (word: number): number => (word >= 0x8000 ? 0x7fff - word : word)

const extremes = (type: Half): readonly ScalarOperation[] =>
  (
    [
      ['min', (a, b) => (orderOf(a) < orderOf(b) ? a : b)],
      ['max', (a, b) => (orderOf(a) > orderOf(b) ? a : b)],
    ] satisfies readonly (readonly [string, (a: number, b: number) => number])[]
  ).flatMap(([name, of]) =>
    [false, true].flatMap((propagate) => {
      const core: Words = (x, y) => {
        const a = x & 0xffff
        const b = y & 0xffff
        if (isNaN16(type, a)) return propagate || isNaN16(type, b) ? nan16 : b
        if (isNaN16(type, b)) return propagate ? nan16 : a
        return of(a, b)
      }
      const magnitudes: Words = (a, b, c) => {
        const d = core(a & 0x7fff, b & 0x7fff, c)
        return isNaN16(type, d) ? d : d | ((a ^ b) & 0x8000)
      }
      const mark = propagate ? '.NaN' : ''
      return [
        ...both(`${name}${mark}`, type, 2, core),
        ...both(`${name}${mark}.xorsign.abs`, type, 2, magnitudes),
        ...(type === 'f16'
          ? [
              ...both(`${name}.ftz${mark}`, type, 2, zeros(type, core)),
              ...both(`${name}.ftz${mark}.xorsign.abs`, type, 2, zeros(type, magnitudes)),
            ]
          : []),
      ]
    }),
  )

export const halfRows: readonly ScalarOperation[] = (['f16', 'bf16'] as const).flatMap((type) => [
  ...arithmetic(type),
  ...signs(type),
  ...extremes(type),
])
