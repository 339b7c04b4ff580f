/**
 * The suite `dot-scaled`: d = c + (a sa)(b sb) on the tensor cores of Blackwell, every `block` elements along k sharing a scale
 * (`numerics/scaled-tensor-core.ts`).
 *
 * a is m x k, b k x n, c and d m x n of f32; sa is m x k/block, sb n x k/block. An instruction takes 32 products, or 64 of e2m1; a longer k is a chain.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { refuse, type Failure } from '../../failure.js'
import type { ScaledTypes } from '../../numerics/algebra.js'
import { bits } from '../../numerics/bits.js'
import type { Dtype, FloatDtype } from '../../numerics/dtype.js'
import { bitsOf, isFloat } from '../../numerics/dtype.js'
import { oneOf, record, type Wire } from '../../wire.js'
import { operandsOf, type Kind } from './products.js'
import {
  drawn,
  fewer,
  firstWrong,
  isSmall,
  picked,
  suite,
  tensorOf,
  tensorWire,
  zeroed,
  type Case,
  type Feature,
  type Suite,
  type Tensor,
} from './suite.js'

interface Question {
  readonly a: Tensor
  readonly b: Tensor
  readonly sa: Tensor
  readonly sb: Tensor
  readonly c: Tensor
  /** elements along k that share a scale */
  readonly block: 16 | 32
}
interface Answer {
  readonly d: Tensor
}

const question: Wire<Question> = record<Question>()(
  'a block-scaled product',
  {
    a: tensorWire,
    b: tensorWire,
    sa: tensorWire,
    sb: tensorWire,
    c: tensorWire,
    block: oneOf<16 | 32>(16, 32),
  },
  {},
)
const answer: Wire<Answer> = record<Answer>()('a matrix', { d: tensorWire }, {})

const is = (shape: ReadonlyArray<number>, ...expected: ReadonlyArray<number>): boolean =>
  shape.length === expected.length && shape.every((extent, d) => extent === expected[d])

const typesOf = ({ a, b, sa, sb, c, block }: Question): O.Option<ScaledTypes> => {
  const scale = sa.dtype
  return isFloat(a.dtype) &&
    isFloat(b.dtype) &&
    isFloat(c.dtype) &&
    sb.dtype === scale &&
    (scale === 'e8m0' || scale === 'ue4m3')
    ? O.some({ a: a.dtype, b: b.dtype, acc: c.dtype, scale, block })
    : O.none
}

const ask = (q: Question): E.Either<Failure, Answer> => {
  const [m = 0, k = 0] = q.a.shape
  const n = q.b.shape[1] ?? 0
  const scales = k / q.block
  const fits =
    is(q.a.shape, m, k) &&
    is(q.b.shape, k, n) &&
    is(q.c.shape, m, n) &&
    is(q.sa.shape, m, scales) &&
    is(q.sb.shape, n, scales) &&
    [q.a, q.b, q.sa, q.sb, q.c].every((t) => t.bits.every((p) => p < 2 ** bitsOf(t.dtype)))
  if (!fits || m * n * k === 0 || !isSmall([m, n, k]))
    return refuse(
      'dot-scaled.shape',
      `expected a m x k, b k x n, c m x n, sa m x k/block and sb n x k/block, of at most a million products, found ${[q.a, q.b, q.c, q.sa, q.sb].map((t) => t.shape.join(' x ')).join(', ')}`,
    )
  const types = typesOf(q)
  const product = O.isNone(types) ? O.none : bits('blackwell').scaledMma(types.value, { m, n, k })
  if (O.isNone(product))
    return refuse(
      'dot-scaled.types',
      `expected a block-scaled product that tcgen05 has, in whole instructions, found ${q.a.dtype} x ${q.b.dtype} into ${q.c.dtype}, scales of ${q.sa.dtype} for ${String(q.block)}, k ${String(k)}`,
    )
  const of = (t: Tensor): Float64Array => Float64Array.from(t.bits)
  return E.right({
    d: tensorOf(q.c.dtype, [m, n], product.value(of(q.a), of(q.b), of(q.sa), of(q.sb), of(q.c))),
  })
}

/** The product of one row and one column: the first whose result is wrong. */
const projected = (q: Question, expected: Answer, got: Answer): Question | null => {
  const at = firstWrong(expected.d, got.d)
  const [, k = 0] = q.a.shape
  const n = q.b.shape[1] ?? 0
  if (at === null || expected.d.bits.length === 1) return null
  const [row, column, scales] = [Math.floor(at / n), at % n, k / q.block]
  const counted = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, p) => p)
  return {
    a: picked(
      q.a,
      [1, k],
      counted(k).map((p) => row * k + p),
    ),
    b: picked(
      q.b,
      [k, 1],
      counted(k).map((p) => p * n + column),
    ),
    sa: picked(
      q.sa,
      [1, scales],
      counted(scales).map((s) => row * scales + s),
    ),
    sb: picked(
      q.sb,
      [1, scales],
      counted(scales).map((s) => column * scales + s),
    ),
    c: picked(q.c, [1, 1], [at]),
    block: q.block,
  }
}

/** Of one row and one column: zeros in place of products, since an instruction takes a whole number of blocks. */
const smaller = function* (q: Question): Iterable<Question> {
  if (E.isLeft(ask(q)) || q.c.bits.length !== 1) return
  for (const stay of fewer(q.a.bits.length)) {
    const stays = new Set(stay)
    const [a, b] = [zeroed(q.a, (p) => stays.has(p)), zeroed(q.b, (p) => stays.has(p))]
    if (a !== null || b !== null)
      yield { a: a ?? q.a, b: b ?? q.b, sa: q.sa, sb: q.sb, c: q.c, block: q.block }
  }
  const c = zeroed(q.c, () => false)
  if (c !== null) yield { a: q.a, b: q.b, sa: q.sa, sb: q.sb, c, block: q.block }
}

// ---------------------------------------------------------------- cases

interface Asked {
  readonly word: string
  readonly a: FloatDtype
  readonly b: FloatDtype
  readonly scale: 'e8m0' | 'ue4m3'
  readonly block: 16 | 32
  readonly k: number
}

const mx = (a: FloatDtype, b: FloatDtype): Asked => ({
  word: 'mxf8f6f4',
  a,
  b,
  scale: 'e8m0',
  block: 32,
  k: 32,
})
const rows: ReadonlyArray<Asked> = [
  mx('e4m3', 'e4m3'),
  mx('e5m2', 'e5m2'),
  mx('e4m3', 'e2m1'),
  { word: 'mxf4', a: 'e2m1', b: 'e2m1', scale: 'e8m0', block: 32, k: 64 },
  { word: 'mxf4nvf4', a: 'e2m1', b: 'e2m1', scale: 'ue4m3', block: 16, k: 64 },
  { word: 'mxf4nvf4', a: 'e2m1', b: 'e2m1', scale: 'e8m0', block: 16, k: 64 },
]

const kinds: ReadonlyArray<Kind> = ['alignment', 'truncation', 'cancellation', 'specials']

/** A scale about one; NaN now and then, where specials are asked about. */
const scaleOf = (kind: Kind, dtype: 'e8m0' | 'ue4m3', raw: number): number => {
  const nan = dtype === 'e8m0' ? 0xff : 0x7f
  if (kind === 'specials' && raw % 7 === 0) return nan
  return dtype === 'e8m0' ? 127 + (raw % 13) - 6 : (raw >>> 4) % nan
}

const raws = (count: number): fc.Arbitrary<ReadonlyArray<number>> =>
  fc.array(fc.nat(0xffffffff), { minLength: count, maxLength: count })

const productOf = (
  kind: Kind,
  { a, b, scale, block, k: one }: Asked,
  m: number,
  n: number,
  chain: number = 1,
): fc.Arbitrary<Question> => {
  const k = chain * one
  return fc
    .record({
      a: raws(m * k),
      b: raws(k * n),
      c: raws(m * n),
      sa: raws((m * k) / block),
      sb: raws((n * k) / block),
    })
    .map((raw) => {
      const made = operandsOf(kind, { a, b, acc: 'f32' }, { batch: 1, m, n, k }, raw)
      const flat = (t: Tensor): Tensor => ({ ...t, shape: t.shape.slice(1) })
      const scales = (count: number, drawnRaws: ReadonlyArray<number>): Tensor =>
        tensorOf(
          scale,
          [count, k / block],
          drawnRaws.map((r) => scaleOf(kind, scale, r)),
        )
      return {
        a: flat(made.a),
        b: flat(made.b),
        sa: scales(m, raw.sa),
        sb: scales(n, raw.sb),
        c: flat(made.c),
        block,
      }
    })
}

const zeros = (dtype: Dtype, ...shape: ReadonlyArray<number>): Tensor =>
  tensorOf(
    dtype,
    shape,
    Array.from({ length: shape.reduce((x, y) => x * y, 1) }, () => 0),
  )
const nothingScaled = (a: Dtype, scale: Dtype, block: 16 | 32, k: number): Question => ({
  a: zeros(a, 1, k),
  b: zeros(a, k, 1),
  sa: zeros(scale, 1, Math.floor(k / block)),
  sb: zeros(scale, 1, Math.floor(k / block)),
  c: zeros('f32', 1, 1),
  block,
})
const refusals: ReadonlyArray<readonly [string, Question]> = [
  ['f16', nothingScaled('f16', 'e8m0', 32, 32)],
  ['scales-of-f32', nothingScaled('e4m3', 'f32', 32, 32)],
  ['e4m3-by-16', nothingScaled('e4m3', 'e8m0', 16, 32)],
  ['half-an-instruction', nothingScaled('e2m1', 'e8m0', 32, 32)],
  ['k-no-whole-block', nothingScaled('e4m3', 'e8m0', 32, 40)],
]

const tags = ({ a, b }: Question): ReadonlyArray<Feature> => [
  'tcgen05',
  'block-scaled',
  ...([a, b].some(({ dtype }) => dtype === 'e4m3' || dtype === 'e5m2') ? (['fp8'] as const) : []),
  ...([a, b].some(({ dtype }) => dtype === 'e2m1') ? (['fp4'] as const) : []),
]

function* cases(): Iterable<Case<Question>> {
  for (const row of rows) {
    const types = `${row.a}-${row.b}-${row.scale}-${String(row.block)}`
    for (const kind of kinds)
      for (const q of drawn(productOf(kind, row, 4, 4), 1))
        yield {
          name: `${row.word}-${types}-${kind}`,
          rule: kind === 'specials' ? 'dot-scaled.specials' : `dot-scaled.${row.word}`,
          features: tags(q),
          question: q,
        }
    for (const q of drawn(productOf('alignment', row, 4, 4, 2), 1))
      yield {
        name: `chain-${row.word}-${types}`,
        rule: 'dot-scaled.chain',
        features: tags(q),
        question: q,
      }
  }
  for (const [name, q] of refusals)
    yield {
      name: `refused-${name}`,
      rule: 'dot-scaled.refused',
      features: [...tags(q), 'refusal'],
      question: q,
    }
}

const source =
  "the model of Blackwell's block-scaled products in arXiv 2511.10909; PTX ISA, tcgen05.mma, block scaling"

export const dotScaledSuite: Suite = suite({
  name: 'dot-scaled',
  arch: 'sm_100a',
  profile: 'arithmetic',
  title: "Block-scaled matrix products of Blackwell's tcgen05.mma, by the published rule",
  rules: [
    {
      id: 'dot-scaled.mxf8f6f4',
      says: 'Each product takes the exponents of both scales, and is aligned with them, 25 bits below the largest',
      source,
      fidelity: 'documented',
    },
    {
      id: 'dot-scaled.mxf4',
      says: 'Sixteen products of e2m1 are added exactly, take the exponents of both scales, and are one term of four, aligned 35 bits below the largest',
      source,
      fidelity: 'documented',
    },
    {
      id: 'dot-scaled.mxf4nvf4',
      says: 'The same with a scale for every 16; one of ue4m3 multiplies the sum by its significand, too',
      source,
      fidelity: 'documented',
    },
    {
      id: 'dot-scaled.specials',
      says: 'NaN if an input or a scale is',
      source,
      fidelity: 'documented',
    },
    {
      id: 'dot-scaled.chain',
      says: 'A longer k is a chain of instructions through d, which rounds each time',
      source,
      fidelity: 'documented',
    },
    {
      id: 'dot-scaled.refused',
      says: 'Scales are of e8m0 for 32 elements, or of e8m0 and ue4m3 for 16 of e2m1; k is whole instructions',
      source: 'PTX ISA, tcgen05.mma, block scaling',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  projected,
  smaller,
  cases,
  questions: (rule) => {
    const of = rows.filter(({ word }) => rule === `dot-scaled.${word}`)
    const any = fc.constantFrom(...(of.length === 0 ? rows : of))
    switch (rule) {
      case 'dot-scaled.refused':
        return fc.constantFrom(...refusals.map(([, q]) => q))
      case 'dot-scaled.specials':
        return any.chain((row) => productOf('specials', row, 1, 1))
      case 'dot-scaled.chain':
        return any.chain((row) => productOf('alignment', row, 1, 1, 2))
      default:
        return fc
          .tuple(any, fc.constantFrom<Kind>('alignment', 'truncation', 'cancellation'))
          .chain(([row, kind]) => productOf(kind, row, 1, 1))
    }
  },
})
