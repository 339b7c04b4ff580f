/**
 * The suite `cute`: CuTe's algebra of layouts (`layouts/cute`, `cute-expression.ts`).
 *
 * A question is an operation and its operands as CuTe writes them; a layout answers with its text and its values at 0, 1, 2, ... (the first 1024), which is what makes
 * two layouts equal as functions; a back end may write a layout otherwise, so only the values are compared.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { compactCuteLayout, cuteLayout } from '../../arbitraries/cute.js'
import type { Failure } from '../../failure.js'
import * as Cute from '../../layouts/cute/index.js'
import type { IntTuple } from '../../layouts/cute/index.js'
import { define, either, finite, integer, list, nothing, record, text, type Wire } from '../../wire.js'
import { valueOf } from '../cute-expression.js'
import { drawn, sameJson, suite, type Case, type Suite } from './suite.js'

interface Question {
  /** `['composition', '(6,2):(8,2)', '(4,3):(3,1)']` */
  readonly words: ReadonlyArray<string>
}

/** A layout, a composed layout or a number. */
interface Answer {
  readonly text: string
  /** number of coordinates; null of a number */
  readonly size: number | null
  /** values at 0, 1, 2, ..., the first dimension fastest; of a number the number itself */
  readonly values: ReadonlyArray<IntTuple>
}

const nested: Wire<IntTuple> = define('IntTuple', () => either('an integer or a list', integer, list(nested)))
const question: Wire<Question> = record<Question>()('an expression', { words: list(text) }, {})
const answer: Wire<Answer> = record<Answer>()(
  'a layout or a number',
  { text, size: either('null or a number', nothing, finite), values: list(nested) },
  {},
)

const mostValues = 1024

const ask = ({ words }: Question): E.Either<Failure, Answer> =>
  pipe(
    valueOf(words),
    E.chainW((value): E.Either<Failure, Answer> => {
      if (value._tag === 'tuple')
        return E.right({ text: Cute.showTuple(value.tuple), size: null, values: [value.tuple] })
      const inner = value._tag === 'layout' ? value.layout : value.layout.inner
      const size = Cute.size(inner)
      const indices = Array.from({ length: Math.min(size, mostValues) }, (_, i) => i)
      const of = value
      return pipe(
        indices,
        E.traverseArray((i) =>
          of._tag === 'layout'
            ? E.right<Failure, IntTuple>(Cute.at(of.layout, i))
            : Cute.composedLayouts.at(of.layout, i),
        ),
        E.map((values) => ({
          text: of._tag === 'layout' ? Cute.showLayout(of.layout) : Cute.showComposed(of.layout),
          size,
          values,
        })),
      )
    }),
  )

/** Operations, what is said of them, and examples. */
interface Row {
  readonly word: string
  readonly says: string
  readonly operations: ReadonlyArray<string>
  readonly examples: ReadonlyArray<ReadonlyArray<string>>
}

const rows: ReadonlyArray<Row> = [
  {
    word: 'layout',
    says: 'A layout is the function from coordinates, and from their colexicographic number, to the sum of coordinates times strides',
    operations: ['', 'size', 'cosize', 'coalesce', 'flatten'],
    examples: [
      ['(4,2):(1,4)'],
      ['(4,(2,2)):(2,(1,8))'],
      ['((2,2),(2,2)):((1,4),(2,8))'],
      ['(3,(2,4)):(8,(0,1))'],
      ['size', '(4,(2,3)):(1,(4,8))'],
      ['cosize', '(4,(2,3)):(2,(9,20))'],
      ['coalesce', '(2,(1,6)):(1,(6,2))'],
      ['coalesce', '(2,2,2):(1,2,8)'],
      ['flatten', '((2,2),(4,(3))):((1,2),(4,(16)))'],
      ['at', '(4,(2,2)):(2,(1,8))', '(3,(1,1))'],
    ],
  },
  {
    word: 'composition',
    says: 'composition(A, B) is A after B: R(c) = A(B(c))',
    operations: ['composition'],
    examples: [
      ['composition', '(6,2):(8,2)', '(4,3):(3,1)'],
      ['composition', '20:2', '(5,4):(4,1)'],
      ['composition', '(10,2):(16,4)', '(5,4):(1,5)'],
      ['composition', '(4,2):(1,4)', '[2:2;2:1]'],
      ['composition', 'S<3,4,3>', '(8,64):(64,1)'],
      ['composition', '(8,8):(8,1)', '[4:2;_]'],
    ],
  },
  {
    word: 'complement',
    says: 'complement(A, N) walks what A leaves out of N, in order',
    operations: ['complement'],
    examples: [
      ['complement', '4:1', '24'],
      ['complement', '6:4', '24'],
      ['complement', '(4,6):(1,4)', '24'],
      ['complement', '4:2', '24'],
      ['complement', '(2,4):(1,6)', '24'],
      ['complement', '(2,2):(1,6)', '24'],
    ],
  },
  {
    word: 'inverse',
    says: 'right_inverse and left_inverse undo a layout as far as it goes',
    operations: ['right_inverse', 'left_inverse'],
    examples: [
      ['right_inverse', '(4,8):(8,1)'],
      ['right_inverse', '((2,2),(2,4)):((0,2),(0,4))'],
      ['left_inverse', '(4,8):(8,1)'],
      ['left_inverse', '(4,2):(2,16)'],
      ['max_common_vector', '(4,8):(1,4)', '(2,16):(1,2)'],
      ['max_common_layout', '(4,8):(1,4)', '(8,4):(4,1)'],
    ],
  },
  {
    word: 'divide',
    says: 'A divided by a tiler is its tiles and their places',
    operations: ['logical_divide', 'zipped_divide', 'tiled_divide', 'flat_divide'],
    examples: [
      ['logical_divide', '(4,2,3):(2,1,8)', '4:2'],
      ['logical_divide', '(9,(4,8)):(59,(13,1))', '[3:3;(2,4):(1,8)]'],
      ['zipped_divide', '(9,(4,8)):(59,(13,1))', '[3:3;(2,4):(1,8)]'],
      ['tiled_divide', '(6,8):(8,1)', '[3:1;4:1]'],
      ['flat_divide', '(6,8):(8,1)', '(3,4)'],
    ],
  },
  {
    word: 'product',
    says: 'A times B is a copy of A at each place of B',
    operations: ['logical_product', 'blocked_product', 'raked_product'],
    examples: [
      ['logical_product', '(2,2):(4,1)', '6:1'],
      ['logical_product', '(2,2):(4,1)', '(4,2):(2,1)'],
      ['zipped_product', '(2,5):(5,1)', '[3:5;4:6]'],
      ['tiled_product', '(2,5):(5,1)', '[3:5;4:6]'],
      ['flat_product', '(2,5):(5,1)', '[3:5;4:6]'],
      ['blocked_product', '(2,5):(5,1)', '(3,4):(1,3)'],
      ['raked_product', '(2,5):(5,1)', '(3,4):(1,3)'],
    ],
  },
  {
    word: 'recast',
    says: 'upcast and downcast count in elements of more and of fewer bits',
    operations: ['upcast', 'downcast'],
    examples: [
      ['upcast', '(8,64):(64,1)', '4'],
      ['downcast', '(8,16):(16,1)', '2'],
    ],
  },
]

const refusals: ReadonlyArray<ReadonlyArray<string>> = [
  ['composition', '(6,2):(8,2)', '4:5'],
  ['(4,2):(1,4,8)'],
  ['complement', '(4,4):(1,1)', '24'],
  ['logical_divide', '(6,8):(8,1)', '[3:1;4:1;2:1]'],
  ['frobnicate', '4:1'],
  ['(4,2:(1,4)'],
]

const shown = (l: Cute.Layout): string => Cute.showLayout(l)

const questions = (rule: string): fc.Arbitrary<Question> => {
  const any = cuteLayout({ maxSize: 64 }).map(shown)
  const compact = compactCuteLayout({ maxSize: 64 }).map(shown)
  const unary = (...names: ReadonlyArray<string>): fc.Arbitrary<Question> =>
    fc.tuple(fc.constantFrom(...names), any).map(([name, l]) => ({ words: name === '' ? [l] : [name, l] }))
  switch (rule) {
    case 'cute.layout':
      return unary('', 'size', 'cosize', 'coalesce', 'flatten')
    case 'cute.inverse':
      return fc
        .tuple(fc.constantFrom('right_inverse', 'left_inverse'), compact)
        .map(([name, l]) => ({ words: [name, l] }))
    case 'cute.composition':
      return fc
        .tuple(compact, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }))
        .map(([l, size, stride]) => ({ words: ['composition', l, `${String(size)}:${String(stride)}`] }))
    case 'cute.complement':
      return fc
        .tuple(
          fc.integer({ min: 1, max: 8 }),
          fc.integer({ min: 1, max: 8 }),
          fc.integer({ min: 1, max: 96 }),
        )
        .map(([size, stride, within]) => ({
          words: ['complement', `${String(size)}:${String(stride)}`, String(within)],
        }))
    case 'cute.divide':
    case 'cute.product': {
      const row = rows.find(({ word }) => rule === `cute.${word}`)
      return fc
        .tuple(
          fc.constantFrom(...(row?.operations ?? [])),
          compact,
          fc.constantFrom(1, 2, 4),
          fc.constantFrom(1, 2, 4),
        )
        .map(([name, l, size, stride]) => ({
          words: [name, l, `${String(size)}:${String(rule === 'cute.product' ? 1 : stride)}`],
        }))
    }
    default: {
      const row = rows.find(({ word }) => rule === `cute.${word}`)
      return fc.constantFrom(...(row?.examples ?? refusals)).map((words) => ({ words }))
    }
  }
}

const answered = (words: ReadonlyArray<string>): boolean => E.isRight(ask({ words }))

function* cases(): Iterable<Case<Question>> {
  for (const { word, examples } of rows) {
    for (const [k, words] of examples.entries())
      yield {
        name: `${word}-${String(k)}`,
        rule: `cute.${word}`,
        features: ['cute', ...(answered(words) ? [] : (['refusal'] as const))],
        question: { words },
      }
    for (const [k, q] of drawn(questions(`cute.${word}`), 8).entries())
      yield {
        name: `${word}-random-${String(k)}`,
        rule: `cute.${word}`,
        features: ['cute', ...(answered(q.words) ? [] : (['refusal'] as const))],
        question: q,
      }
  }
  for (const [k, words] of refusals.entries())
    yield {
      name: `refused-${String(k)}`,
      rule: 'cute.refused',
      features: ['cute', 'refusal'],
      question: { words },
    }
}

export const cuteSuite: Suite = suite({
  name: 'cute',
  arch: 'any',
  profile: 'layouts',
  title: "CuTe's algebra of layouts",
  rules: [
    ...rows.map(({ word, says }) => ({
      id: `cute.${word}`,
      says,
      source: 'CUTLASS documentation, CuTe layout algebra; compared with pycute',
      fidelity: 'documented' as const,
    })),
    {
      id: 'cute.refused',
      says: 'Operations whose conditions are not met are refused',
      source: 'CUTLASS documentation, CuTe layout algebra',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  cases,
  questions,
  same: (expected, got) => expected.size === got.size && sameJson(expected.values, got.values),
})
