/**
 * The suite `functions`: what the special function unit computes, bit for bit (`numerics/special-functions`), over tensors of patterns.
 *
 *     {"function": "ex2.approx.ftz.f32", "x": {"dtype": "f32", "shape": [1], "bits": [1073741824]}, "y": null}      2^2 = 4: {"result": {..., "bits": [1082130432]}}
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { Dtype } from '../../numerics/dtype.js'
import { bitsOf } from '../../numerics/dtype.js'
import { binaryFunction, unaryFunction } from '../../numerics/special-functions/index.js'
import { either, nothing, record, text, type Wire } from '../../wire.js'
import {
  drawn,
  firstWrong,
  isSmall,
  picked,
  suite,
  tensorOf,
  tensorWire,
  type Case,
  type Suite,
  type Tensor,
} from './suite.js'

interface Question {
  readonly function: string
  readonly x: Tensor
  /** the divisor of a quotient */
  readonly y: Tensor | null
}
interface Answer {
  readonly result: Tensor
}

const question: Wire<Question> = record<Question>()(
  'a function and its operands',
  { function: text, x: tensorWire, y: either('null or a tensor', nothing, tensorWire) },
  {},
)
const answer: Wire<Answer> = record<Answer>()('results', { result: tensorWire }, {})

const dtypeOf = (name: string): Dtype =>
  name.endsWith('bf16') ? 'bf16' : name.endsWith('f16') ? 'f16' : 'f32'

const unary = new Map(Object.entries(unaryFunction))
const binary = new Map(Object.entries(binaryFunction))

const wrong = (expected: string, found: string): E.Either<Failure<'functions.operands'>, never> =>
  refuse('functions.operands', `expected ${expected}, found ${found}`)

const fits = (name: string, t: Tensor): boolean =>
  t.dtype === dtypeOf(name) && isSmall(t.shape) && t.bits.every((p) => p < 2 ** bitsOf(t.dtype))

const ask = ({ function: name, x, y }: Question): E.Either<Failure, Answer> => {
  const one = unary.get(name)
  const two = binary.get(name)
  if (one === undefined && two === undefined)
    return refuse(
      'functions.name',
      `expected one of ${[...unary.keys(), ...binary.keys()].join(', ')}, found '${name}'`,
    )
  if (!fits(name, x)) return wrong(`a tensor of ${dtypeOf(name)}`, `one of ${x.dtype}`)
  if (one !== undefined)
    return y === null
      ? E.right({ result: tensorOf(x.dtype, x.shape, x.bits.map(one)) })
      : wrong('one operand', 'two')
  if (two === undefined || y === null) return wrong('two operands', 'one')
  return fits(name, y) && y.bits.length === x.bits.length
    ? E.right({
        result: tensorOf(
          x.dtype,
          x.shape,
          x.bits.map((a, k) => two(a, y.bits[k] ?? 0)),
        ),
      })
    : wrong('operands of one shape', 'two shapes')
}

// ---------------------------------------------------------------- cases

const families: ReadonlyArray<readonly [word: string, says: string, names: ReadonlyArray<string>]> = [
  [
    'ex2',
    'Powers of two: a quadratic in each of 64 segments of the fraction, in integers, cut off once',
    ['ex2.approx.ftz.f32', 'ex2.approx.f32', 'exp2f'],
  ],
  ['exp', "CUDA's expf and __expf: a product with log2 e, then a power of two", ['expf', '__expf']],
  ['rcp', 'Reciprocals: a quadratic in each of 128 segments', ['rcp.approx.ftz.f32', 'rcp.approx.f32']],
  ['lg2', 'Logarithms to the base 2', ['lg2.approx.ftz.f32', 'lg2.approx.f32']],
  [
    'rsqrt',
    'Reciprocal square roots: a table for even and one for odd exponents',
    ['rsqrt.approx.ftz.f32', 'rsqrt.approx.f32'],
  ],
  ['tanh', 'Hyperbolic tangents: a table an exponent', ['tanh.approx.f32']],
  [
    'half',
    'The functions of f16 and bf16: computed in f32, rounded',
    ['ex2.approx.f16', 'ex2.approx.ftz.bf16', 'tanh.approx.f16', 'tanh.approx.bf16'],
  ],
  [
    'quotient',
    'Quotients: a reciprocal and what it lacks',
    ['div.full.f32', 'div.full.ftz.f32', 'div.approx.ftz.f32'],
  ],
]

/** Zeros, subnormals, the ends of the normal numbers, one and its neighbours, infinities, NaN; of both signs. */
const edges = (dtype: Dtype): ReadonlyArray<number> => {
  const bits = bitsOf(dtype)
  const fraction = dtype === 'f32' ? 23 : dtype === 'f16' ? 10 : 7
  const bias = dtype === 'f16' ? 15 : 127
  const unit = 2 ** fraction
  const top = (2 * bias + 1) * unit
  const some = [0, 1, 2, unit - 1, unit, unit + 1, bias * unit - 1, bias * unit, bias * unit + 1]
  const more = [
    (bias + 1) * unit,
    (bias + 5) * unit + unit / 2,
    (bias - 5) * unit + 3,
    top - 1,
    top,
    top + 1,
    2 * top - bias * unit,
  ]
  const magnitudes = [...some, ...more].filter((p) => p < 2 ** (bits - 1))
  return [...magnitudes, ...magnitudes.map((p) => p + 2 ** (bits - 1))]
}

/** Any pattern, or an exponent that most functions have something to say about. */
const pattern = (dtype: Dtype): fc.Arbitrary<number> => {
  const bits = bitsOf(dtype)
  const fraction = dtype === 'f32' ? 23 : dtype === 'f16' ? 10 : 7
  const bias = dtype === 'f16' ? 15 : 127
  return fc.oneof(
    fc.nat(2 ** bits - 1),
    fc
      .tuple(fc.boolean(), fc.integer({ min: bias - 8, max: bias + 8 }), fc.nat(2 ** fraction - 1))
      .map(([sign, exponent, rest]) => (sign ? 2 ** (bits - 1) : 0) + exponent * 2 ** fraction + rest),
  )
}

const asked = (name: string, x: ReadonlyArray<number>, y: ReadonlyArray<number> | null): Question => {
  const dtype = dtypeOf(name)
  return {
    function: name,
    x: tensorOf(dtype, [x.length], x),
    y: y === null ? null : tensorOf(dtype, [y.length], y),
  }
}

const questionOf = (name: string, most: number, least: number = 1): fc.Arbitrary<Question> => {
  const one = pattern(dtypeOf(name))
  return fc.array(fc.tuple(one, one), { minLength: least, maxLength: most }).map((pairs) =>
    asked(
      name,
      pairs.map(([x]) => x),
      binary.has(name) ? pairs.map(([, y]) => y) : null,
    ),
  )
}

const one = asked('ex2.approx.f32', [0], null)
const refusals: ReadonlyArray<readonly [string, Question]> = [
  ['no-such-function', { ...one, function: 'sin.approx.f32' }],
  ['another-dtype', { ...one, x: tensorOf('f16', [1], [0]) }],
  ['two-operands', { ...one, y: one.x }],
  ['one-operand', { ...one, function: 'div.full.f32' }],
]

const wordOf = (name: string): string => name.replace(/[^a-z0-9_]+/g, '-').replace(/^_+/, 'intrinsic-')

function* cases(): Iterable<Case<Question>> {
  for (const [word, , names] of families)
    for (const name of names) {
      const all = edges(dtypeOf(name))
      const pairs = all.flatMap((x) =>
        [x, x].map((_, k) => [x, all[(7 * x + 3 * k + 1) % all.length] ?? 0] as const),
      )
      const common = { rule: `functions.${word}`, features: ['special-function'] as const }
      yield {
        ...common,
        name: `${wordOf(name)}-edges`,
        question: binary.has(name)
          ? asked(
              name,
              pairs.map(([x]) => x),
              pairs.map(([, y]) => y),
            )
          : asked(name, all, null),
      }
      for (const q of drawn(questionOf(name, 256, 256), 1))
        yield { ...common, name: `${wordOf(name)}-random`, question: q }
    }
  for (const [name, q] of refusals)
    yield {
      name: `refused-${name}`,
      rule: 'functions.refused',
      features: ['special-function', 'refusal'],
      question: q,
    }
}

export const functionsSuite: Suite = suite({
  name: 'functions',
  arch: 'sm_90a',
  profile: 'arithmetic',
  title: 'The special functions of Hopper, bit for bit',
  rules: [
    ...families.map(([word, says]) => ({
      id: `functions.${word}`,
      says,
      source: 'all operands, captured on an H100; 65536 operands for quotients and rsqrt.approx.f32',
      fidelity: 'silicon' as const,
    })),
    {
      id: 'functions.refused',
      says: 'Functions that are not known here, and operands that a function does not take',
      source: 'PTX ISA, floating point instructions',
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
      : { function: q.function, x: picked(q.x, [1], [at]), y: q.y === null ? null : picked(q.y, [1], [at]) }
  },
  cases,
  questions: (rule) => {
    const family = families.find(([word]) => rule === `functions.${word}`)
    return family === undefined
      ? fc.constantFrom(...refusals.map(([, q]) => q))
      : fc.constantFrom(...family[2]).chain((name) => questionOf(name, 8))
  },
})
