/**
 * The suite `linear`: layouts over GF(2), their operations, and what other vocabularies are in them (`layouts/linear`, `layouts/conversion`).
 *
 * A linear layout travels as its inputs with their bases, low bit first, and its outputs with their sizes:
 *
 *     {"inputs": [{"name": "register", "bases": [[0, 1], [8, 0]]}, ...], "outputs": [{"name": "dim0", "size": 16}, {"name": "dim1", "size": 8}]}
 *
 * The operation `of` asks for the layout that something else is: an encoding of Triton's, a named layout of registers, a description. `apply` asks for values
 * at coordinates, `invert_and_compose` for the place in `other` of what `layout` has.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import {
  fullRankLinearLayout,
  linearLayout as anyLinear,
  linearSizes,
  type LinearSizes,
} from '../../arbitraries/linear.js'
import { failure, type Failure } from '../../failure.js'
import { linearPlainWire } from '../../layouts/layout-wire.js'
import { compose, divideLeft, divideRight, product } from '../../layouts/linear/algebra.js'
import { invert, invertAndCompose, pseudoinvert } from '../../layouts/linear/inverse.js'
import {
  apply,
  inputDimensions,
  linearLayout,
  type LinearLayout,
  type LinearSpec,
} from '../../layouts/linear/linear-layout.js'
import { flattenIns, flattenOuts } from '../../layouts/linear/reshape.js'
import {
  anything,
  dictionary,
  either,
  list,
  nat,
  nothing,
  oneOf,
  record,
  type Json,
  type Wire,
} from '../../wire.js'
import { linearOfJson } from '../cli/linears.js'
import { drawn, noQuestion, suite, type Case, type Suite } from './suite.js'

interface Question {
  readonly operation: (typeof operations)[number]
  /** inputs and outputs; or a description or an encoding: `{"kind": "blocked", "sizePerThread": [1, 8], ...}` */
  readonly layout: Json
  /** the second operand, where there is one */
  readonly other?: LinearSpec
  /** of the array, where `layout` is for every shape */
  readonly shape?: ReadonlyArray<number>
  /** of `apply`: a coordinate for each input, by name */
  readonly at?: ReadonlyArray<Readonly<Record<string, number>>>
}

interface Answer {
  readonly layout: LinearSpec | null
  /** of `apply`: a coordinate for each output */
  readonly values: ReadonlyArray<ReadonlyArray<number>> | null
}

const unary = ['of', 'invert', 'pseudoinvert', 'flatten'] as const
const binary = ['compose', 'invert_and_compose', 'product', 'divide_left', 'divide_right'] as const
const operations = [...unary, ...binary, 'apply'] as const

const question: Wire<Question> = record<Question>()(
  'a question about linear layouts',
  { operation: oneOf(...operations), layout: anything },
  { other: linearPlainWire, shape: list(nat), at: list(dictionary('coordinates', nat)) },
)
const answer: Wire<Answer> = record<Answer>()(
  'a linear layout, or values',
  {
    layout: either('null or a layout', nothing, linearPlainWire),
    values: either('null or values', nothing, list(list(nat))),
  },
  {},
)

type Made = E.Either<Failure, LinearLayout>

const divided = (found: O.Option<LinearLayout>): Made =>
  pipe(
    found,
    E.fromOption(() => failure('linear.divide', 'The second layout is no factor of the first')),
  )

const applied = (operation: Question['operation'], l: LinearLayout, other: LinearLayout | null): Made => {
  switch (operation) {
    case 'of':
    case 'apply':
      return E.right(l)
    case 'invert':
      return invert(l)
    case 'pseudoinvert':
      return pseudoinvert(l)
    case 'flatten':
      return pipe(flattenIns(l), E.chain(flattenOuts))
    case 'compose':
    case 'invert_and_compose':
    case 'product':
    case 'divide_left':
    case 'divide_right':
      if (other === null) return noQuestion(`${operation}: expected a second layout, found none`)
      switch (operation) {
        case 'compose':
          return compose(l, other)
        case 'invert_and_compose':
          return invertAndCompose(l, other)
        case 'product':
          return product(l, other)
        case 'divide_left':
          return divided(divideLeft(l, other))
        case 'divide_right':
          return divided(divideRight(l, other))
      }
  }
}

const plain = ({ inputs, outputs }: LinearSpec): LinearSpec => ({ inputs, outputs })

const ask = (q: Question): E.Either<Failure, Answer> =>
  pipe(
    E.Do,
    E.bindW('l', () => linearOfJson(q.layout, q.shape ?? null)),
    E.bindW('other', (): E.Either<Failure, LinearLayout | null> =>
      q.other === undefined ? E.right(null) : linearLayout(q.other),
    ),
    E.chainW(({ l, other }): E.Either<Failure, Answer> =>
      q.operation !== 'apply'
        ? pipe(
            applied(q.operation, l, other),
            E.map((made) => ({ layout: plain(made), values: null })),
          )
        : q.at === undefined
          ? noQuestion('apply: expected coordinates, found none')
          : E.right({ layout: null, values: q.at.map((at) => apply(l)(at)) }),
    ),
  )

// ---------------------------------------------------------------- cases

const blocked = {
  kind: 'blocked',
  sizePerThread: [1, 8],
  threadsPerWarp: [8, 4],
  warpsPerCTA: [4, 1],
  order: [1, 0],
}
const mma3 = {
  kind: 'nvidia_mma',
  versionMajor: 3,
  versionMinor: 0,
  instrShape: [16, 64, 16],
  warpsPerCTA: [4, 1],
}
const mma2 = {
  kind: 'nvidia_mma',
  versionMajor: 2,
  versionMinor: 0,
  instrShape: [16, 8],
  warpsPerCTA: [2, 2],
}

/** What other vocabularies are, on a shape. */
const encodings: ReadonlyArray<readonly [name: string, layout: Json, shape: ReadonlyArray<number>]> = [
  ['blocked', blocked, [32, 64]],
  ['blocked-small-array', blocked, [8, 16]],
  ['blocked-large-array', blocked, [128, 64]],
  ['blocked-columns', { ...blocked, sizePerThread: [4, 1], order: [0, 1] }, [64, 64]],
  ['mma-v3', mma3, [64, 64]],
  ['mma-v3-128-rows', mma3, [128, 64]],
  ['mma-v2', mma2, [64, 32]],
  ['slice-of-mma', { kind: 'slice', dim: 1, parent: mma3 }, [64]],
  ['slice-of-blocked', { kind: 'slice', dim: 0, parent: blocked }, [64]],
  ['dot-operand-a', { kind: 'dot_operand', opIdx: 0, parent: mma3, kWidth: 2 }, [64, 32]],
  ['dot-operand-v2-b', { kind: 'dot_operand', opIdx: 1, parent: mma2, kWidth: 2 }, [32, 32]],
  ['swizzled-shared', { kind: 'swizzled_shared', vec: 8, perPhase: 1, maxPhase: 8, order: [1, 0] }, [64, 64]],
  [
    'nvmma-shared-128',
    {
      kind: 'nvmma_shared',
      swizzlingByteWidth: 128,
      transposed: false,
      elementBitWidth: 16,
      fp4Padded: false,
    },
    [64, 64],
  ],
  [
    'nvmma-shared-64-transposed',
    { kind: 'nvmma_shared', swizzlingByteWidth: 64, transposed: true, elementBitWidth: 16, fp4Padded: false },
    [64, 64],
  ],
  ['named-wgmma', { kind: 'named', name: 'WGMMA' }, [64, 16]],
  ['named-tmem-native', { kind: 'named', name: 'TMEM_NATIVE(4)' }, [128, 16]],
  ['strided', { kind: 'strided', shape: [8, 128], vectorLength: 4 }, [8, 128]],
]

const reads = (q: Question): boolean => E.isRight(ask(q))

const small: LinearSizes = {
  inputs: [
    { name: 'register', bits: 2 },
    { name: 'lane', bits: 3 },
    { name: 'warp', bits: 1 },
  ],
  outputs: [
    { name: 'dim0', bits: 3 },
    { name: 'dim1', bits: 3 },
  ],
}
const jsonOf = ({ inputs, outputs }: LinearSpec): Json => ({
  inputs: inputs.map(({ name, bases }) => ({ name, bases })),
  outputs: outputs.map(({ name, size }) => ({ name, size })),
})

/** As many bits in as out, however they are cut: onto and one to one. */
const squareSizes: fc.Arbitrary<LinearSizes> = fc.tuple(fc.nat(3), fc.nat(4), fc.nat(2)).chain(([r, l, w]) =>
  fc.nat(r + l + w).map((rows) => ({
    inputs: [
      { name: 'register', bits: r },
      { name: 'lane', bits: l },
      { name: 'warp', bits: w },
    ],
    outputs: [
      { name: 'dim0', bits: rows },
      { name: 'dim1', bits: r + l + w - rows },
    ],
  })),
)

const named = (names: ReadonlyArray<string>, bits: number): LinearSizes['inputs'] =>
  names.map((name) => ({ name, bits }))

const questions = (rule: string): fc.Arbitrary<Question> => {
  switch (rule) {
    case 'linear.apply':
      return linearSizes()
        .chain(anyLinear)
        .chain((l) =>
          fc
            .array(fc.tuple(...inputDimensions(l).map(({ size }) => fc.nat(size - 1))), {
              minLength: 1,
              maxLength: 4,
            })
            .map((points) => ({
              operation: 'apply',
              layout: jsonOf(l),
              at: points.map((point) =>
                Object.fromEntries(inputDimensions(l).map(({ name }, k) => [name, point[k] ?? 0])),
              ),
            })),
        )
    case 'linear.inverse':
      return fc
        .tuple(fc.constantFrom('invert', 'pseudoinvert'), squareSizes.chain(fullRankLinearLayout))
        .map(([operation, l]) => ({ operation, layout: jsonOf(l) }))
    case 'linear.conversion':
      return fc
        .tuple(fullRankLinearLayout(small), fullRankLinearLayout(small))
        .map(([from, to]) => ({ operation: 'invert_and_compose', layout: jsonOf(from), other: plain(to) }))
    case 'linear.algebra':
      return fc.oneof(
        fc
          .tuple(
            anyLinear({ inputs: named(['register', 'lane'], 2), outputs: named(['dim0', 'dim1'], 2) }),
            anyLinear({ inputs: named(['dim0', 'dim1'], 2), outputs: named(['offset'], 4) }),
          )
          .map(([inner, outer]): Question => ({
            operation: 'compose',
            layout: jsonOf(inner),
            other: plain(outer),
          })),
        fc
          .tuple(
            anyLinear({ inputs: named(['register', 'lane'], 2), outputs: named(['dim0', 'dim1'], 2) }),
            anyLinear({ inputs: named(['register', 'lane'], 1), outputs: named(['dim0', 'dim1'], 2) }),
          )
          .map(([a, b]): Question => ({ operation: 'product', layout: jsonOf(a), other: plain(b) })),
        linearSizes()
          .chain(anyLinear)
          .map((l): Question => ({ operation: 'flatten', layout: jsonOf(l) })),
      )
    case 'linear.of':
      return fc.constantFrom(...encodings).map(([, layout, shape]) => ({ operation: 'of', layout, shape }))
    default:
      return fc.constantFrom(...refusals.map(([, q]) => q))
  }
}

const oneBit = (name: string, value: number): LinearSpec => ({
  inputs: [{ name, bases: [[value]] }],
  outputs: [{ name: 'dim0', size: 2 }],
})
const refusals: ReadonlyArray<readonly [string, Question]> = [
  ['not-invertible', { operation: 'invert', layout: jsonOf(oneBit('lane', 0)) }],
  ['basis-out-of-range', { operation: 'invert', layout: jsonOf(oneBit('lane', 2)) }],
  [
    'size-no-power-of-two',
    {
      operation: 'flatten',
      layout: { inputs: [{ name: 'lane', bases: [[1]] }], outputs: [{ name: 'dim0', size: 3 }] },
    },
  ],
  ['no-factor', { operation: 'divide_left', layout: jsonOf(oneBit('lane', 1)), other: oneBit('lane', 0) }],
  ['other-dimensions', { operation: 'compose', layout: jsonOf(oneBit('lane', 1)), other: oneBit('lane', 1) }],
  [
    'blocked-without-order',
    { operation: 'of', layout: { kind: 'blocked', sizePerThread: [1] }, shape: [32] },
  ],
]

const ruled: ReadonlyArray<readonly [word: string, says: string]> = [
  [
    'of',
    'A layout of registers, of shared memory or of tensor memory is a linear layout: its values at the powers of two',
  ],
  ['apply', 'The value at a coordinate is the sum without carry of the bases that its bits choose'],
  ['inverse', 'A bijection has one inverse; a pseudoinverse takes each element to its least place'],
  ['conversion', 'Where `other` keeps what `layout` has: the inverse of one after the other'],
  [
    'algebra',
    'Composition applies one after the other; a product takes the low bits from the first; flattening makes one dimension of several',
  ],
]

function* cases(): Iterable<Case<Question>> {
  const tagged = (name: string, rule: string, q: Question): Case<Question> => ({
    name,
    rule,
    features: ['linear-layout', ...(reads(q) ? [] : (['refusal'] as const))],
    question: q,
  })
  for (const [name, layout, shape] of encodings)
    yield tagged(`of-${name}`, 'linear.of', { operation: 'of', layout, shape })
  for (const word of ['apply', 'inverse', 'conversion', 'algebra'])
    for (const [k, q] of drawn(questions(`linear.${word}`), 12).entries())
      yield tagged(`${word}-random-${String(k)}`, `linear.${word}`, q)
  for (const [name, q] of refusals) yield tagged(`refused-${name}`, 'linear.refused', q)
}

export const linearSuite: Suite = suite({
  name: 'linear',
  arch: 'any',
  profile: 'layouts',
  title: 'Linear layouts: bases over GF(2), operations, and layouts of other vocabularies',
  rules: [
    ...ruled.map(([word, says]) => ({
      id: `linear.${word}`,
      says,
      source: 'Triton, LinearLayout (arXiv 2505.23819); compared with what its compiler computes',
      fidelity: 'documented' as const,
    })),
    {
      id: 'linear.refused',
      says: 'Bases outside of their outputs, sizes that are no powers of two, and layouts without an inverse are refused',
      source: 'Triton, LinearLayout (arXiv 2505.23819)',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  cases,
  questions,
})
