/**
 * The suites `dot` and `dot-tcgen05`: d = c + a b on the tensor cores of Hopper and of Blackwell, bit for bit (`numerics/tensor-core.ts`,
 * `numerics/integer-product.ts`).
 *
 * A question has a batch of independent products: a is batch x m x k, b batch x k x n, c and d batch x m x n. An instruction takes 16 products of f16
 * and bf16, 8 of tf32, 32 of 8-bit types; a longer k is a chain of instructions through d, a shorter one is filled with zeros.
 *
 *     {"a": {"dtype": "f16", "shape": [1, 1, 2], "bits": [15360, 15360]}, "b": {"dtype": "f16", "shape": [1, 2, 1], "bits": [15360, 20480]},
 *      "c": {"dtype": "f32", "shape": [1, 1, 1], "bits": [1065353216]}, "saturate": false}       1 * 1 + 1 * 32 + 1 = 34
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { refuse, unreachable, type Failure } from '../../failure.js'
import { mmaTypes } from '../../numerics/algebra.js'
import { bits } from '../../numerics/bits.js'
import type { Dtype } from '../../numerics/dtype.js'
import { bitsOf, isFloat } from '../../numerics/dtype.js'
import { minExponent, formatOf } from '../../numerics/float-format.js'
import { bool, record, type Wire } from '../../wire.js'
import { capturedProducts, type CapturedProduct } from './captured-products.js'
import { operandsOf, type Extents, type Kind, type Types } from './products.js'
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
  type Fidelity,
  type Rule,
  type Suite,
  type Tensor,
} from './suite.js'
import { own } from '../../own.js'

export interface Question {
  readonly a: Tensor
  readonly b: Tensor
  readonly c: Tensor
  /** of integers: sums stop at the limits of 32 bits, after every instruction */
  readonly saturate: boolean
}

export interface Answer {
  readonly d: Tensor
}

const question: Wire<Question> = record<Question>()(
  'a matrix product',
  { a: tensorWire, b: tensorWire, c: tensorWire, saturate: bool },
  {},
)
const answer: Wire<Answer> = record<Answer>()('a matrix', { d: tensorWire }, {})

// ---------------------------------------------------------------- the answer

/** Carriers of bits: patterns of floats, values of integers. */
const carriersOf = ({ dtype, bits: patterns }: Tensor): Float64Array => {
  const half = 2 ** (bitsOf(dtype) - 1)
  const signed = dtype === 'i8' || dtype === 'i32'
  return Float64Array.from(patterns, (p) => (signed && p >= half ? p - 2 * half : p))
}

/** Extents, or where a, b and c do not fit together. */
const extentsOf = ({ a, b, c }: Question): E.Either<Failure, Extents> => {
  const [batch, m, k] = a.shape
  const [batchB, kB, n] = b.shape
  const fits =
    batch !== undefined &&
    m !== undefined &&
    k !== undefined &&
    n !== undefined &&
    [a, b, c].every((t) => t.shape.length === 3 && t.bits.every((p) => p < 2 ** bitsOf(t.dtype))) &&
    batchB === batch &&
    kB === k &&
    c.shape[0] === batch &&
    c.shape[1] === m &&
    c.shape[2] === n
  if (!fits)
    return refuse(
      'dot.shape',
      `expected a of batch x m x k, b of batch x k x n and c of batch x m x n, found ${[a, b, c].map((t) => t.shape.join(' x ')).join(', ')}`,
    )
  return isSmall([batch, m, n, Math.max(k, 1)])
    ? E.right({ batch, m, n, k })
    : refuse('dot.shape', 'expected at most a million products, found more')
}

/** Matrix `at` of a batch, its rows or columns filled with zeros. */
const filled = (
  from: Float64Array,
  at: number,
  rows: number,
  columns: number,
  toRows: number,
  toColumns: number,
): Float64Array => {
  const out = new Float64Array(toRows * toColumns)
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) out[i * toColumns + j] = from[(at * rows + i) * columns + j]!
  return out
}

/** The product of one row and one column: the first whose result is wrong. */
const projected = (q: Question, expected: Answer, got: Answer): Question | null => {
  const at = firstWrong(expected.d, got.d)
  const extents = extentsOf(q)
  if (at === null || E.isLeft(extents) || expected.d.bits.length === 1) return null
  const { m, n, k } = extents.right
  const row = Math.floor(at / n)
  const [which, column] = [Math.floor(row / m), at % n]
  const along = Array.from({ length: k }, (_, p) => p)
  return {
    a: picked(
      q.a,
      [1, 1, k],
      along.map((p) => row * k + p),
    ),
    b: picked(
      q.b,
      [1, k, 1],
      along.map((p) => (which * k + p) * n + column),
    ),
    c: picked(q.c, [1, 1, 1], [at]),
    saturate: q.saturate,
  }
}

/** Of one row and one column: fewer products, and nothing to add them to. */
const smaller = function* (q: Question): Iterable<Question> {
  const extents = extentsOf(q)
  if (E.isLeft(extents) || q.c.bits.length !== 1) return
  for (const stay of fewer(extents.right.k))
    yield {
      a: picked(q.a, [1, 1, stay.length], stay),
      b: picked(q.b, [1, stay.length, 1], stay),
      c: q.c,
      saturate: q.saturate,
    }
  const c = zeroed(q.c, () => false)
  if (c !== null) yield { a: q.a, b: q.b, c, saturate: q.saturate }
}

type Chip = 'hopper' | 'blackwell'

const ask =
  (chip: Chip) =>
  (q: Question): E.Either<Failure, Answer> => {
    const extents = extentsOf(q)
    if (E.isLeft(extents)) return extents
    const { batch, m, n, k } = extents.right
    const types = mmaTypes(q.a.dtype, q.b.dtype, q.c.dtype, q.saturate)
    const algebra = bits(chip)
    // the shortest whole number of instructions
    const whole = O.isNone(types)
      ? undefined
      : [8, 16, 32]
          .map((block) => Math.ceil(k / block) * block)
          .find((padded) => O.isSome(algebra.mma(types.value, { m, n, k: padded })))
    const product =
      O.isNone(types) || whole === undefined ? O.none : algebra.mma(types.value, { m, n, k: whole })
    if (O.isNone(product) || whole === undefined)
      return refuse(
        'dot.types',
        `expected a product that ${chip} has, found ${q.a.dtype} x ${q.b.dtype} into ${q.c.dtype}${q.saturate ? ', saturating' : ''}`,
      )
    const [a, b, c] = [carriersOf(q.a), carriersOf(q.b), carriersOf(q.c)]
    const d = new Float64Array(batch * m * n)
    for (let at = 0; at < batch; at++)
      d.set(
        product.value(
          filled(a, at, m, k, m, whole),
          filled(b, at, k, n, whole, n),
          filled(c, at, m, n, m, n),
        ),
        at * m * n,
      )
    const patterns = q.c.dtype === 'i32' ? Array.from(d, (x) => (x < 0 ? x + 2 ** 32 : x)) : d
    return E.right({ d: tensorOf(q.c.dtype, q.c.shape, patterns) })
  }

// ---------------------------------------------------------------- questions

/** Types that are asked about; `k` is that of one instruction. */
interface Asked extends Types {
  readonly k: number
  readonly saturate: boolean
}

const asked = (a: Dtype, b: Dtype, acc: Dtype, saturate: boolean = false): Asked => ({
  a,
  b,
  acc,
  saturate,
  k: a === 'tf32' ? 8 : bitsOf(a) === 16 ? 16 : 32,
})

const sixteen = [asked('f16', 'f16', 'f32'), asked('f16', 'f16', 'f16'), asked('bf16', 'bf16', 'f32')]
const wide: ReadonlyArray<Asked> = [...sixteen, asked('tf32', 'tf32', 'f32')]
const eight: ReadonlyArray<Asked> = [
  asked('e4m3', 'e4m3', 'f32'),
  asked('e5m2', 'e5m2', 'f32'),
  asked('e4m3', 'e5m2', 'f32'),
  asked('e5m2', 'e4m3', 'f32'),
  asked('e4m3', 'e4m3', 'f16'),
  asked('e5m2', 'e5m2', 'f16'),
]
const four: ReadonlyArray<Asked> = [asked('e2m1', 'e2m1', 'f32'), asked('e2m1', 'e4m3', 'f32')]
const bytes = (saturate: boolean): ReadonlyArray<Asked> => [
  asked('i8', 'i8', 'i32', saturate),
  asked('u8', 'u8', 'i32', saturate),
  asked('i8', 'u8', 'i32', saturate),
  asked('u8', 'i8', 'i32', saturate),
]

/** Do products of these types reach the least exponent that is aligned to? */
const reachesFloor = ({ a, b, acc }: Asked): boolean =>
  isFloat(a) &&
  isFloat(b) &&
  isFloat(acc) &&
  minExponent(formatOf(a)) + minExponent(formatOf(b)) <= minExponent(formatOf(acc)) - 7

/** A rule, the kinds of operands that show it, and the types that they are of. */
interface Row {
  readonly word: string
  readonly says: string
  readonly kinds: ReadonlyArray<Kind>
  readonly types: ReadonlyArray<Asked>
  /** instructions in a chain; 1 if not given */
  readonly chain?: number
  readonly source?: string
}

const rowsOf = (chip: Chip): ReadonlyArray<Row> => {
  const hopper = chip === 'hopper'
  // where the chips are said to agree, a few types stand for all
  const small = hopper
    ? [...wide, ...eight.slice(0, 2), ...eight.slice(4)]
    : [...sixteen, ...eight.slice(1, 2)]
  const aligned = hopper
    ? wide
    : [...wide, ...eight.slice(0, 1), ...eight.slice(2, 3), ...eight.slice(4, 5), ...four]
  return [
    {
      word: 'alignment',
      says: 'All terms, c too, are aligned to the largest exponent among them, cut off toward zero 25 bits below it, and added exactly',
      kinds: ['alignment'],
      types: aligned,
    },
    {
      word: 'truncation',
      says: 'A term loses what lies more than 25 bits below the largest exponent, each term by itself, toward zero',
      kinds: ['truncation'],
      types: aligned,
    },
    {
      word: 'cancellation',
      says: 'The terms of one instruction are one sum: there is no order in which they are added',
      kinds: ['cancellation'],
      types: aligned,
    },
    {
      word: 'rounding',
      says: 'The sum is rounded once: toward zero into f32, to nearest even into f16',
      kinds: ['rounding'],
      types: aligned,
    },
    {
      word: 'subnormals',
      says: 'Subnormal inputs count, and subnormal results are kept',
      kinds: ['subnormals'],
      types: small.filter(({ a }) => bitsOf(a) > 8),
    },
    {
      word: 'floor',
      says: 'The exponent that terms are aligned to is at least -133 into f32 and -21 into f16',
      kinds: ['floor'],
      types: small.filter(reachesFloor),
    },
    {
      word: 'range',
      says: 'A finite product beyond the range is not infinite; a sum that reaches 2^128, or 65520 into f16, is',
      kinds: ['range'],
      types: small,
    },
    {
      word: 'specials',
      says: 'NaN if an input is, or of infinity times 0 or of both infinities; there is one NaN, 7fffffff or 7fff',
      kinds: ['specials'],
      types: small,
    },
    { word: 'zeros', says: 'A sum of zero is +0, whatever the signs', kinds: ['zeros'], types: small },
    ...(hopper
      ? [
          {
            word: 'fp8',
            says: 'For 8-bit floats 13 bits are kept below the largest exponent, and 13 fraction bits of an f32 result',
            kinds: ['alignment', 'truncation', 'cancellation', 'rounding'] as const,
            types: eight,
          },
        ]
      : []),
    {
      word: 'chain',
      says: 'A longer k is a chain of instructions through d, which rounds each time',
      kinds: ['alignment'],
      types: [...wide, ...eight.slice(0, 1)],
      chain: 4,
    },
    {
      word: 'integers',
      says: 'Bytes are multiplied and added exactly, and an instruction wraps modulo 2^32',
      kinds: ['bytes', 'extremes'],
      types: bytes(false),
    },
    {
      word: 'saturation',
      says: 'A saturating instruction clamps its sum to 32 bits, once for each instruction',
      kinds: ['bytes', 'extremes'],
      types: hopper ? bytes(true).slice(0, 1) : bytes(true),
      chain: 2,
    },
  ]
}

const raws = (count: number): fc.Arbitrary<ReadonlyArray<number>> =>
  fc.array(fc.nat(0xffffffff), { minLength: count, maxLength: count })

const productsOf = (kind: Kind, types: Asked, extents: Extents): fc.Arbitrary<Question> => {
  const { batch, m, n, k } = extents
  return fc
    .record({ a: raws(batch * m * k), b: raws(batch * k * n), c: raws(batch * m * n) })
    .map((raw) => ({ ...operandsOf(kind, types, extents, raw), saturate: types.saturate }))
}

/** Products of the same types and extents as one batch. */
const together = (parts: ReadonlyArray<Question>): Question => {
  const joined = (of: (q: Question) => Tensor): Tensor => {
    const all = parts.map(of)
    const first = all[0] ?? unreachable('a batch has a product')
    const batch = all.reduce((sum, t) => sum + (t.shape[0] ?? 0), 0)
    return tensorOf(
      first.dtype,
      [batch, ...first.shape.slice(1)],
      all.flatMap((t) => t.bits),
    )
  }
  return {
    a: joined((q) => q.a),
    b: joined((q) => q.b),
    c: joined((q) => q.c),
    saturate: parts[0]?.saturate ?? false,
  }
}

/** One dot product of a few terms: it shrinks to fewer and to zeros. */
const dotOf = (kind: Kind, types: Asked, most: number): fc.Arbitrary<Question> =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff)), { minLength: 1, maxLength: most }),
      fc.nat(0xffffffff),
    )
    .map(([pairs, c]) => ({
      ...operandsOf(
        kind,
        types,
        { batch: 1, m: 1, n: 1, k: pairs.length },
        { a: pairs.map(([x]) => x), b: pairs.map(([, y]) => y), c: [c] },
      ),
      saturate: types.saturate,
    }))

const one = (a: Dtype, b: Dtype, c: Dtype, saturate: boolean = false): Question => ({
  a: tensorOf(
    a,
    [1, 1, 8],
    Array.from({ length: 8 }, () => 0),
  ),
  b: tensorOf(
    b,
    [1, 8, 1],
    Array.from({ length: 8 }, () => 0),
  ),
  c: tensorOf(c, [1, 1, 1], [0]),
  saturate,
})

const refusalsOf = (chip: Chip): ReadonlyArray<readonly [string, Question]> => [
  ['bf16-into-f16', one('bf16', 'bf16', 'f16')],
  ['f16-with-bf16', one('f16', 'bf16', 'f32')],
  ['bytes-into-f32', one('i8', 'i8', 'f32')],
  ['floats-that-saturate', one('f16', 'f16', 'f32', true)],
  ['f16-with-fp8', one('f16', 'e4m3', 'f32')],
  ...(chip === 'hopper' ? ([['e2m1', one('e2m1', 'e2m1', 'f32')]] as const) : []),
  ['k-of-a-is-not-k-of-b', { ...one('f16', 'f16', 'f32'), b: tensorOf('f16', [1, 4, 1], [0, 0, 0, 0]) }],
]

const featuresOf = (
  chip: Chip,
  { a, b, c }: Question,
  ...more: ReadonlyArray<Feature>
): ReadonlyArray<Feature> => {
  const has = (...of: ReadonlyArray<Dtype>): boolean => [a, b, c].some((t) => of.includes(t.dtype))
  return [
    chip === 'hopper' ? 'wgmma' : 'tcgen05',
    ...(has('bf16') ? (['bf16'] as const) : []),
    ...(has('tf32') ? (['tf32'] as const) : []),
    ...(has('e4m3', 'e5m2') ? (['fp8'] as const) : []),
    ...(has('e2m1') ? (['fp4'] as const) : []),
    ...(has('i8', 'u8') ? (['int8'] as const) : []),
    ...more,
  ]
}

const typesName = ({ a, b, acc }: Types): string => `${a}-${b}-${acc}`

/** Rule of each kind of captured tile. */
const ruleOfTile: Readonly<Record<string, string>> = {
  random_bits: 'specials',
  finite_random_bits: 'alignment',
  normal: 'alignment',
  narrow_exponent: 'alignment',
  sparse_wide: 'alignment',
  ones_plus_small: 'truncation',
  truncation_probe: 'truncation',
  c_dominates: 'truncation',
  cancellation: 'cancellation',
  huge_cancel: 'cancellation',
  denormal: 'subnormals',
  tiny_results: 'subnormals',
  floor_probe: 'floor',
  tie_probe: 'rounding',
  sticky_tie_ladder: 'rounding',
  specials: 'specials',
  overflow_edge: 'range',
  zeros_and_signs: 'zeros',
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(atob(text), (c) => c.charCodeAt(0))

/** The rule that a captured tile shows. */
const ruleOfCaptured = ({ types, saturate }: CapturedProduct, kind: string): string => {
  const word = own(ruleOfTile, kind) ?? 'alignment'
  if (types.acc === 'i32') return saturate ? 'saturation' : 'integers'
  const eightBits = bitsOf(types.a) === 8
  return eightBits && ['alignment', 'truncation', 'cancellation', 'rounding', 'subnormals'].includes(word)
    ? 'fp8'
    : word
}

/** A tile as a batch of one. */
const capturedTile = (of: CapturedProduct, operands: string): Question => {
  const { types, saturate, m, n, k } = of
  const bytes = bytesOf(operands)
  const view = new DataView(bytes.buffer)
  let at = 0
  const next = (dtype: Dtype, shape: ReadonlyArray<number>): Tensor => {
    const width = bitsOf(dtype) / 8
    const from = at
    const count = shape.reduce((product, extent) => product * extent, 1)
    at += count * width
    return tensorOf(
      dtype,
      shape,
      Array.from({ length: count }, (_, i) =>
        width === 1
          ? view.getUint8(from + i)
          : width === 2
            ? view.getUint16(from + 2 * i, true)
            : view.getUint32(from + 4 * i, true),
      ),
    )
  }
  return {
    a: next(types.a, [1, m, k]),
    b: next(types.b, [1, k, n]),
    c: next(types.acc, [1, m, n]),
    saturate,
  }
}

/** Tiles that an H100 multiplied: those of the same types, the same k and one rule are a case. */
function* captured(): Iterable<Case<Question>> {
  const groups = new Map<string, { readonly word: string; readonly tiles: Question[] }>()
  for (const of of capturedProducts)
    for (const { kind, operands } of of.tiles) {
      const word = ruleOfCaptured(of, kind)
      const chained = of.k > asked(of.types.a, of.types.b, of.types.acc).k ? '-chain' : ''
      const name = `captured-${typesName(of.types)}${chained}-${word}`
      const group = groups.get(name) ?? { word, tiles: [] }
      group.tiles.push(capturedTile(of, operands))
      groups.set(name, group)
    }
  for (const [name, { word, tiles }] of groups) {
    const q = together(tiles)
    yield {
      name,
      rule: `dot.${word}`,
      features: featuresOf('hopper', q, ...(word === 'subnormals' ? (['subnormals'] as const) : [])),
      question: q,
    }
  }
}

const suiteOf = (chip: Chip, name: string, fidelity: Fidelity, source: string, title: string): Suite => {
  const rows = rowsOf(chip)
  const cases = function* (): Iterable<Case<Question>> {
    for (const { word, kinds, types, chain = 1 } of rows)
      for (const type of types) {
        const extents = { batch: 1, m: 8, n: 8, k: chain * type.k }
        const q = together(kinds.flatMap((kind) => drawn(productsOf(kind, type, extents), 1)))
        yield {
          name: `${word}-${typesName(type)}`,
          rule: `${name}.${word}`,
          features: featuresOf(chip, q, ...(word === 'subnormals' ? (['subnormals'] as const) : [])),
          question: q,
        }
      }
    for (const [word, q] of refusalsOf(chip))
      yield {
        name: `refused-${word}`,
        rule: `${name}.refused`,
        features: featuresOf(chip, q, 'refusal'),
        question: q,
      }
    if (chip === 'hopper') yield* captured()
  }
  const rules: ReadonlyArray<Rule> = [
    ...rows.map(({ word, says }) => ({ id: `${name}.${word}`, says, source, fidelity })),
    {
      id: `${name}.refused`,
      says: 'There is no product of other types: a and b are of one family, and into f16 only of f16 and 8-bit floats',
      source: `PTX ISA, ${chip === 'hopper' ? 'wgmma.mma_async' : 'tcgen05.mma'}`,
      fidelity: 'documented',
    },
  ]
  return suite<Question, Answer>({
    name,
    arch: chip === 'hopper' ? 'sm_90a' : 'sm_100a',
    profile: 'arithmetic',
    title,
    rules,
    question,
    answer,
    ask: ask(chip),
    projected,
    smaller,
    cases,
    questions: (rule) => {
      const row = rows.find(({ word }) => `${name}.${word}` === rule)
      return row === undefined
        ? fc.constantFrom(...refusalsOf(chip).map(([, q]) => q))
        : fc
            .tuple(fc.constantFrom(...row.types), fc.constantFrom(...row.kinds))
            .chain(([type, kind]) => dotOf(kind, type, (row.chain ?? 1) * type.k))
    },
  })
}

export const dotSuite: Suite = suiteOf(
  'hopper',
  'dot',
  'silicon',
  'wgmma results of an H100, captured',
  "Matrix products of Hopper's wgmma, bit for bit",
)

export const dotTcgen05Suite: Suite = suiteOf(
  'blackwell',
  'dot-tcgen05',
  'documented',
  'arXiv 2512.07004 and arXiv 2511.10909; PTX ISA, tcgen05.mma',
  "Matrix products of Blackwell's tcgen05.mma, by the published rule",
)
