/**
 * The suite `conversions`: what an instruction of `cvt` makes of each element of a tensor (`numerics/scalar`).
 *
 *     {"instruction": "cvt.rn.satfinite.e4m3x2.f32", "x": {"dtype": "f32", "shape": [1], "bits": [1138819072]}}     432 is a tie: {"result": {"dtype": "e4m3", ..., "bits": [126]}}, 448
 *
 * An instruction that converts two values at once is asked as if it converted one: both places of its word are made alike, and a tensor has no words.
 *
 * Mistakes of a conversion are at the edges of the type that it makes: where a value rounds up or down, at the first normal number, at the last one. So
 * its operands are mostly values of that type, the numbers halfway to the next, and the neighbours of these. Infinities and NaN are a rule of their own: a
 * back end that leaves them to others is asked about the rest.
 *
 * Laws
 * 1. Of finite operands an instruction has a rule: the first one in `families` that takes its types. So every `cvt` of the table without a type of 64 bits is
 *    asked about. Operands that are not finite are asked under the rules of `specials`, and nowhere else.
 * 2. The answer about an element is the word of the instruction in either place.
 * 3. The instructions of a rule that is known from the chip are among the forms that were captured.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import { pack, unpack } from '../../numerics/conversion.js'
import { bitsOf, isDtype, isFloat, type Dtype } from '../../numerics/dtype.js'
import { decoder, encoder, formatOf } from '../../numerics/float-format.js'
import { clamp, wrap } from '../../numerics/integer.js'
import { doingOf, scalarOperations, type ScalarOperation } from '../../numerics/scalar/index.js'
import { record, text, type Wire } from '../../wire.js'
import {
  firstWrong,
  isSmall,
  picked,
  suite,
  tensorOf,
  tensorWire,
  type Case,
  type Feature,
  type Fidelity,
  type Suite,
  type Tensor,
} from './suite.js'

interface Question {
  /** as PTX writes it */
  readonly instruction: string
  readonly x: Tensor
}
interface Answer {
  readonly result: Tensor
}

const question: Wire<Question> = record<Question>()(
  'an instruction and its operands',
  { instruction: text, x: tensorWire },
  {},
)
const answer: Wire<Answer> = record<Answer>()('results', { result: tensorWire }, {})

// ---------------------------------------------------------------- instructions

interface Conversion {
  readonly name: string
  readonly from: Dtype
  readonly to: Dtype
  /** of one pattern */
  readonly compute: (pattern: number) => number
}

/** The dtype of a type of PTX. */
const dtypeOf = (type: string): Dtype | null => {
  const name = type === 'ue8m0' ? 'e8m0' : type.replace(/^s(?=\d)/u, 'i')
  return isDtype(name) ? name : null
}

/** The pattern of a word that holds one value, maybe with its sign above it. */
const patternIn = (dtype: Dtype, word: number): number =>
  bitsOf(dtype) === 32 ? word >>> 0 : word & (2 ** bitsOf(dtype) - 1)

/** Two values as a word of a type; an integer is never one of two. */
const bothOf = (dtype: Dtype, pattern: number): number =>
  isFloat(dtype) ? pack(dtype, pattern, pattern) : pattern
const firstOf = (dtype: Dtype, word: number): number => (isFloat(dtype) ? unpack(dtype, word >>> 0)[0] : word)

const conversionOf = (row: ScalarOperation): ReadonlyArray<Conversion> => {
  const doing = doingOf(row.name)
  if (doing._tag !== 'converts') return []
  const [from, to] = [dtypeOf(doing.from), dtypeOf(doing.to)]
  if (from === null || to === null || bitsOf(from) > 32 || bitsOf(to) > 32) return []
  const { name, operands, compute } = row
  const word = (x: number): number =>
    operands.length === 2 ? compute(x | 0, x | 0) : compute(doing.count === 2 ? bothOf(from, x) | 0 : x | 0)
  return [
    {
      name,
      from,
      to,
      compute: (x) => (doing.count === 2 ? firstOf(to, word(x)) : patternIn(to, word(x))),
    },
  ]
}

const conversions: ReadonlyMap<string, Conversion> = new Map(
  scalarOperations.flatMap(conversionOf).map((one) => [one.name, one]),
)

const ask = ({ instruction, x }: Question): E.Either<Failure, Answer> => {
  const one = conversions.get(instruction)
  if (one === undefined)
    return refuse(
      'conversions.instruction',
      `expected a cvt of PTX, found '${instruction}'; ${didYouMean([...conversions.keys()])(instruction)}`,
    )
  return x.dtype === one.from && isSmall(x.shape) && x.bits.every((p) => p < 2 ** bitsOf(one.from))
    ? E.right({ result: tensorOf(one.to, x.shape, x.bits.map(one.compute)) })
    : refuse('conversions.operands', `expected a tensor of ${one.from}, found one of ${x.dtype}`)
}

// ---------------------------------------------------------------- rules

interface Family {
  readonly word: string
  readonly says: string
  readonly fidelity: Fidelity
  readonly takes: (from: Dtype, to: Dtype) => boolean
}

const isSmallFloat = (dtype: Dtype): boolean => isFloat(dtype) && (bitsOf(dtype) < 8 || dtype === 'e8m0')
const isFp8 = (dtype: Dtype): boolean => dtype === 'e4m3' || dtype === 'e5m2'
const isByte = (dtype: Dtype): boolean => dtype === 'i8' || dtype === 'u8'

const captured = 'every form of cvt on an H100, captured'
const documented = 'PTX ISA, "cvt": not captured'

const families: ReadonlyArray<Family> = [
  {
    word: 'small',
    says: 'Floats of 4 and 6 bits, block scales, and bytes to and from bf16: rounded once and saturated',
    fidelity: 'documented',
    takes: (from, to) =>
      isSmallFloat(from) ||
      isSmallFloat(to) ||
      (isByte(from) && to === 'bf16') ||
      (from === 'bf16' && isByte(to)),
  },
  {
    word: 'integers',
    says: 'An integer keeps its low bits; .sat takes the nearest value of the other type',
    fidelity: 'silicon',
    takes: (from, to) => !isFloat(from) && !isFloat(to),
  },
  {
    word: 'to-integer',
    says: 'A float is rounded to an integer and takes the nearest value of the type, with and without .sat; rni takes ties to even',
    fidelity: 'silicon',
    takes: (_, to) => !isFloat(to),
  },
  {
    word: 'from-integer',
    says: 'An integer is rounded once; .sat takes it to 0 or 1',
    fidelity: 'silicon',
    takes: (from) => !isFloat(from),
  },
  {
    word: 'fp8',
    says: 'To e4m3 and e5m2: rounded once, ties to even, subnormals kept; what is too large is the largest finite value',
    fidelity: 'silicon',
    takes: (_, to) => isFp8(to),
  },
  {
    word: 'tf32',
    says: 'To tf32: rounded to 10 bits of fraction, rna with ties away from zero, and the 13 bits below are 0',
    fidelity: 'silicon',
    takes: (_, to) => to === 'tf32',
  },
  {
    word: 'wider',
    says: 'A float to a wider type is the same number',
    fidelity: 'silicon',
    takes: (from, to) => bitsOf(from) < bitsOf(to),
  },
  {
    word: 'same',
    says: 'A float to its own type is the same number, or, with rni, rzi, rmi and rpi, an integer; .sat takes it into [0, 1]',
    fidelity: 'silicon',
    takes: (from, to) => from === to,
  },
  {
    word: 'half',
    says: 'To f16 and bf16: rounded once, into subnormals too; a value that is too large becomes infinity when rounding to nearest, and the largest finite value when rounding toward zero or with .satfinite; .relu makes negative values 0',
    fidelity: 'silicon',
    takes: () => true,
  },
]

const familyOf = (one: Conversion): string =>
  (families.find(({ takes }) => takes(one.from, one.to)) ?? families[0]!).word

const inFamily = (word: string): ReadonlyArray<Conversion> =>
  [...conversions.values()].filter((one) => familyOf(one) === word)

const featuresOf = ({ from, to }: Conversion): ReadonlyArray<Feature> => {
  const has = (...names: ReadonlyArray<Dtype>): boolean => names.includes(from) || names.includes(to)
  return [
    'conversion',
    ...(has('tf32') ? (['tf32'] as const) : []),
    ...(has('bf16') ? (['bf16'] as const) : []),
    ...(has('e4m3', 'e5m2') ? (['fp8'] as const) : []),
    ...(has('e2m1', 'e2m3', 'e3m2') ? (['fp4'] as const) : []),
    ...(has('e8m0') ? (['block-scaled'] as const) : []),
  ]
}

// ---------------------------------------------------------------- operands

const masked = (dtype: Dtype, pattern: number): number => {
  const count = 2 ** bitsOf(dtype)
  return ((pattern % count) + count) % count
}

const valueOf = (dtype: Dtype): ((pattern: number) => number) =>
  isFloat(dtype) ? decoder(dtype) : wrap(dtype)

const patternOf = (dtype: Dtype): ((value: number) => number) => {
  if (isFloat(dtype)) return encoder(dtype)
  const nearest = clamp(dtype)
  return (value) => masked(dtype, nearest(Math.trunc(value)))
}

/** A unit of the places that tf32 has: its low 13 bits are no part of it. */
const unitOf = (dtype: Dtype): number => (dtype === 'tf32' ? 2 ** 13 : 1)

const isFinitePattern = (dtype: Dtype): ((pattern: number) => boolean) => {
  const value = valueOf(dtype)
  return (pattern) => Number.isFinite(value(pattern))
}

/** Operands about a pattern of the result: its value, and the number halfway to the next with its neighbours. */
const about = ({ from, to }: Conversion): ((pattern: number) => ReadonlyArray<number>) => {
  const [value, operand] = [valueOf(to), patternOf(from)]
  return (pattern) => {
    const here = value(pattern)
    const halfway = operand((here + value(masked(to, pattern + unitOf(to)))) / 2)
    return [operand(here), ...[-1, 0, 1].map((d) => masked(from, halfway + d))].filter(isFinitePattern(from))
  }
}

/** The ends of a type, and where a wider one has to round: each with its neighbours, and of both signs. Of 8 bits or less, every pattern. */
const edges = (dtype: Dtype): ReadonlyArray<number> => {
  const bits = bitsOf(dtype)
  if (bits <= 8) return Array.from({ length: 2 ** bits }, (_, p) => p)
  const sign = 2 ** (bits - 1)
  const unit = unitOf(dtype)
  const middles = (): ReadonlyArray<number> => {
    if (!isFloat(dtype)) return [0, 2 ** 8, 2 ** 11, 2 ** 24].filter((p) => p < sign)
    const { bias, exponentBits } = formatOf(dtype)
    const exponent = 2 ** (bits - 1 - exponentBits)
    return [0, exponent, bias * exponent, (bias + 1) * exponent, sign - exponent, sign - exponent / 2]
  }
  const places = middles().flatMap((p) => [-2, -1, 0, 1, 2].map((d) => p + d * unit))
  return places.flatMap((p) => [masked(dtype, p), masked(dtype, p + sign)])
}

const operandsOf = (one: Conversion): ReadonlyArray<number> => [
  ...new Set([...edges(one.from).filter(isFinitePattern(one.from)), ...edges(one.to).flatMap(about(one))]),
]

/** Infinities and NaN of a type, quiet and not, of both signs. */
const specialsOf = ({ from }: Conversion): ReadonlyArray<number> => {
  const isFinite = isFinitePattern(from)
  return edges(from).filter((p) => !isFinite(p))
}

const asked = ({ name, from }: Conversion, x: ReadonlyArray<number>): Question => ({
  instruction: name,
  x: tensorOf(from, [x.length], x),
})

const pattern = (dtype: Dtype): fc.Arbitrary<number> => fc.nat(2 ** bitsOf(dtype) - 1)

const arrayOf = (one: Conversion, operand: fc.Arbitrary<number>): fc.Arbitrary<Question> =>
  fc.array(operand, { minLength: 1, maxLength: 16 }).map((x) => asked(one, x))

const questionOf = (one: Conversion): fc.Arbitrary<Question> => {
  const isFinite = isFinitePattern(one.from)
  const near = edges(one.to).map(about(one))
  const nearAny = pattern(one.to)
    .map(about(one))
    .filter((some) => some.length > 0)
  const operand = fc.oneof(
    pattern(one.from).filter(isFinite),
    fc
      .oneof(fc.constantFrom(...near.filter((some) => some.length > 0)), nearAny)
      .chain((some) => fc.constantFrom(...some)),
  )
  return arrayOf(one, operand)
}

/** Rules of operands that are not finite, apart by what is known of their instructions. */
interface Specials {
  readonly word: string
  readonly says: string
  readonly source: string
  readonly fidelity: Fidelity
  readonly all: ReadonlyArray<Conversion>
}

const withSpecials = (small: boolean): ReadonlyArray<Conversion> =>
  [...conversions.values()].filter(
    (one) => (familyOf(one) === 'small') === small && specialsOf(one).length > 0,
  )

const specials: ReadonlyArray<Specials> = [
  {
    word: 'specials',
    says: 'Infinities and NaN: .satfinite makes an infinity the largest finite value; to an integer it is an end of the range, and a NaN is 0 or the least value',
    source: captured,
    fidelity: 'silicon',
    all: withSpecials(false),
  },
  {
    word: 'small-specials',
    says: 'Infinities and NaN to floats of 4 and 6 bits are the largest value; to a scale a NaN is a NaN; of bf16 to a byte an infinity is an end of the range',
    source: documented,
    fidelity: 'documented',
    all: withSpecials(true),
  },
]

const refusals: ReadonlyArray<readonly [string, Question]> = [
  ['no-such-rounding', { instruction: 'cvt.rn.s32.f32', x: tensorOf('f32', [1], [0]) }],
  ['no-such-type', { instruction: 'cvt.rn.e4m3x2.f32', x: tensorOf('f32', [1], [0]) }],
  ['another-dtype', { instruction: 'cvt.rn.f16.f32', x: tensorOf('f16', [1], [0]) }],
]

const wordOf = (name: string): string => name.slice('cvt.'.length).replaceAll('.', '-')

/** Random questions ask about every form. A case has one of each kind: of forms that flush, and of integers and floats with .sat, there are as many again. */
const hasCase = ({ name, from, to }: Conversion): boolean =>
  !name.includes('.ftz.') && (isFloat(from) === isFloat(to) || !name.includes('.sat.'))

function* cases(): Iterable<Case<Question>> {
  for (const { word } of families)
    for (const one of inFamily(word).filter(hasCase))
      yield {
        name: wordOf(one.name),
        rule: `conversions.${word}`,
        features: featuresOf(one),
        question: asked(one, operandsOf(one)),
      }
  for (const { word, all } of specials)
    for (const one of all.filter(hasCase))
      yield {
        name: `specials-${wordOf(one.name)}`,
        rule: `conversions.${word}`,
        features: featuresOf(one),
        question: asked(one, specialsOf(one)),
      }
  for (const [name, q] of refusals)
    yield {
      name: `refused-${name}`,
      rule: 'conversions.refused',
      features: ['conversion', 'refusal'],
      question: q,
    }
}

export const conversionsSuite: Suite = suite({
  name: 'conversions',
  arch: 'any',
  profile: 'arithmetic',
  title: 'Conversions between types of numbers, as the instructions of cvt make them',
  rules: [
    ...families.map(({ word, says, fidelity }) => ({
      id: `conversions.${word}`,
      says,
      source: fidelity === 'silicon' ? captured : documented,
      fidelity,
    })),
    ...specials.map(({ word, says, source, fidelity }) => ({
      id: `conversions.${word}`,
      says,
      source,
      fidelity,
    })),
    {
      id: 'conversions.refused',
      says: 'Forms of cvt that PTX does not have, and operands of another type',
      source: 'PTX ISA, "cvt"',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  projected: (q, expected, got) => {
    const at = firstWrong(expected.result, got.result)
    return at === null || expected.result.bits.length === 1
      ? null
      : { instruction: q.instruction, x: picked(q.x, [1], [at]) }
  },
  cases,
  questions: (rule) => {
    const family = families.find(({ word }) => rule === `conversions.${word}`)
    if (family !== undefined) return fc.constantFrom(...inFamily(family.word)).chain(questionOf)
    const special = specials.find(({ word }) => rule === `conversions.${word}`)
    return special === undefined
      ? fc.constantFrom(...refusals.map(([, q]) => q))
      : fc.constantFrom(...special.all).chain((one) => arrayOf(one, fc.constantFrom(...specialsOf(one))))
  },
})
