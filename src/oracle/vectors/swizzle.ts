/**
 * The suite `swizzle`: the byte address of every element of an array in shared memory.
 *
 * The array has `shape`, is cut into tiles if `tile` is not null (the tiles row-major, each dense and row-major), and its bytes are swizzled by
 * absolute address (`transforms/swizzle.ts`, `transforms/ref.ts`). Two rows of tiles of f16 (16, 128) with tile (8, 64) and a swizzle of 128 bytes:
 * element [9, 70] is element 6 of line 1 of tile 3, byte 3 * 1024 + 128 + 12, of which chunk 0 goes to chunk 1: 3228.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { Dtype } from '../../numerics/dtype.js'
import { bitsOf, dtypes } from '../../numerics/dtype.js'
import { elementOffsets, ofTransforms, strideBits, swizzledAddresses } from '../../transforms/ref.js'
import { swizzleElements, swizzles, type Swizzle } from '../../transforms/swizzle.js'
import { swizzle as swizzleBy, tile as tileBy, type Transform } from '../../transforms/transform.js'
import { either, integer, list, nothing, oneOf, record, refined, type Wire } from '../../wire.js'
import {
  drawn,
  smallShape,
  suite,
  tensorOf,
  tensorWire,
  type Case,
  type Feature,
  type Suite,
  type Tensor,
} from './suite.js'

interface Question {
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  /** extents of a tile of the last dimensions; null: nothing is cut */
  readonly tile: ReadonlyArray<number> | null
  /** bytes of its span */
  readonly swizzle: number
  /** absolute address of the array in shared memory */
  readonly base: number
}

interface Answer {
  /** u32, of the shape asked for */
  readonly addresses: Tensor
  /** bit within the byte, where elements are not whole bytes */
  readonly bitOffsets?: Tensor
}

/** One more than the largest byte address that is asked about. */
const mostBase = 2 ** 24

const question: Wire<Question> = record<Question>()(
  'a question about a swizzle',
  {
    dtype: oneOf(...dtypes),
    shape: smallShape,
    tile: either('null or extents of a tile', nothing, list(integer)),
    swizzle: integer,
    base: refined(
      integer,
      `an address below ${String(mostBase)}`,
      (n): n is number => n >= 0 && n < mostBase,
    ),
  },
  {},
)

const answer: Wire<Answer> = record<Answer>()(
  'addresses',
  { addresses: tensorWire },
  { bitOffsets: tensorWire },
)

const ask = (q: Question): E.Either<Failure, Answer> => {
  const bits = bitsOf(q.dtype)
  return pipe(
    E.Do,
    E.bindW('cut', (): E.Either<Failure, ReadonlyArray<Transform>> =>
      q.tile === null ? E.right([]) : E.map((t: Transform) => [t])(tileBy(q.tile)),
    ),
    E.bindW('swizzled', () => swizzleBy(q.swizzle)),
    E.chainW(({ cut, swizzled }) => ofTransforms(q.shape, bits, [...cut, swizzled])),
    E.map((ref) => {
      const addresses = tensorOf('u32', q.shape, swizzledAddresses(ref, q.base))
      if (bits % 8 === 0) return { addresses }
      const bitOffsets = Array.from(elementOffsets(ref), (position) => (position * strideBits(bits)) % 8)
      return { addresses, bitOffsets: tensorOf('u8', q.shape, bitOffsets) }
    }),
  )
}

const ofSpan = (span: Swizzle): string => `swizzle.${String(span)}`

const wholeBytes = ['f32', 'f16', 'bf16', 'e4m3', 'i8', 'tf32'] as const

const row = (dtype: Dtype, swizzle: Swizzle, rows: number, base: number): Question => ({
  dtype,
  shape: [rows, swizzleElements(swizzle, bitsOf(dtype))],
  tile: null,
  swizzle,
  base,
})

const tiledBy = (dtype: Dtype, swizzle: Swizzle, down: number, across: number, base: number): Question => {
  const columns = swizzleElements(swizzle, bitsOf(dtype))
  return { dtype, shape: [8 * down, across * columns], tile: [8, columns], swizzle, base }
}

/** Bases that a swizzle of any span tells apart; 1024 is the longest period. */
const bases: fc.Arbitrary<number> = fc.nat(255).map((k) => 16 * k)
const span: fc.Arbitrary<Swizzle> = fc.constantFrom(...swizzles)
const dtype: fc.Arbitrary<Dtype> = fc.constantFrom(...wholeBytes)

const refusals: ReadonlyArray<readonly [string, Question]> = [
  ['no-such-span', { dtype: 'f16', shape: [8, 64], tile: null, swizzle: 48, base: 0 }],
  ['row-too-short', { dtype: 'f16', shape: [8, 32], tile: null, swizzle: 128, base: 0 }],
  ['row-too-long', { dtype: 'f16', shape: [8, 128], tile: null, swizzle: 128, base: 0 }],
  ['f32-row-of-f16', { dtype: 'f32', shape: [8, 64], tile: null, swizzle: 128, base: 0 }],
  ['tile-does-not-divide', { dtype: 'f16', shape: [12, 64], tile: [8, 64], swizzle: 128, base: 0 }],
  ['tile-of-more-dimensions', { dtype: 'f16', shape: [64], tile: [8, 64], swizzle: 128, base: 0 }],
  ['tile-not-a-span', { dtype: 'f16', shape: [16, 64], tile: [8, 32], swizzle: 128, base: 0 }],
]

const questions = (rule: string): fc.Arbitrary<Question> => {
  const found = swizzles.find((s) => ofSpan(s) === rule)
  if (found !== undefined)
    return fc.tuple(dtype, fc.integer({ min: 1, max: 16 })).map(([d, rows]) => row(d, found, rows, 0))
  switch (rule) {
    case 'swizzle.base':
      return fc
        .tuple(dtype, span, fc.integer({ min: 1, max: 9 }), bases)
        .map(([d, s, rows, base]) => row(d, s, rows, base))
    case 'swizzle.tile':
      return fc
        .tuple(dtype, span, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }), bases)
        .map(([d, s, down, across, base]) => tiledBy(d, s, down, across, base))
    case 'swizzle.sub-byte':
      return fc
        .tuple(span, fc.integer({ min: 1, max: 8 }), bases)
        .map(([s, rows, base]) => row('e2m1', s, rows, base))
    default:
      // any row but the whole span
      return fc
        .tuple(dtype, span, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 64 }))
        .map(([d, s, rows, columns]) => ({
          dtype: d,
          shape: [rows, columns === swizzleElements(s, bitsOf(d)) ? columns + 1 : columns],
          tile: null,
          swizzle: s,
          base: 0,
        }))
  }
}

const tags = (q: Question, ...more: ReadonlyArray<Feature>): ReadonlyArray<Feature> => [
  ...(q.swizzle === 16 ? [] : (['swizzle'] as const)),
  ...(q.tile === null ? [] : (['tile'] as const)),
  ...more,
]
const named = (q: Question): string =>
  `${q.dtype}-${q.shape.join('x')}${q.tile === null ? '' : `-tile-${q.tile.join('x')}`}-at-${String(q.base)}`
const of = (rule: string, q: Question): Case<Question> => ({
  name: `${rule.slice('swizzle.'.length)}-${String(q.swizzle)}-${named(q)}`,
  rule,
  features: tags(q, ...(bitsOf(q.dtype) % 8 === 0 ? [] : (['sub-byte'] as const))),
  question: q,
})

function* cases(): Iterable<Case<Question>> {
  for (const s of swizzles)
    for (const d of wholeBytes)
      yield { ...of(ofSpan(s), row(d, s, 16, 0)), name: `${String(s)}-${d}-16-rows` }
  for (const s of swizzles)
    for (const base of [16, 128, 384, 1008, 1024]) yield of('swizzle.base', row('f16', s, 9, base))
  for (const s of swizzles)
    for (const [d, down, across] of [
      ['f16', 2, 2],
      ['f32', 3, 1],
      ['e4m3', 1, 3],
    ] as const)
      yield of('swizzle.tile', tiledBy(d, s, down, across, 1024))
  for (const s of swizzles) yield of('swizzle.sub-byte', row('e2m1', s, 8, 256))
  for (const [name, q] of refusals)
    yield { name: `refused-${name}`, rule: 'swizzle.refused', features: tags(q, 'refusal'), question: q }
  for (const [k, q] of drawn(questions('swizzle.tile'), 8).entries())
    yield { ...of('swizzle.tile', q), name: `tile-random-${String(k)}` }
}

export const swizzleSuite: Suite = suite({
  name: 'swizzle',
  arch: 'any',
  profile: 'layouts',
  title: 'The byte address of every element of a tiled, swizzled array in shared memory',
  rules: [
    ...swizzles.map((s) => ({
      id: ofSpan(s),
      says:
        s === 16
          ? 'A span of 16 bytes moves nothing'
          : `A span of ${String(s)} bytes: byte address b goes to b xor (((b >> 7) mod ${String(s / 16)}) << 4)`,
      source: 'PTX ISA, tensor swizzling modes; images captured on an H100',
      fidelity: 'silicon' as const,
    })),
    {
      id: 'swizzle.base',
      says: 'The swizzle acts on the absolute address, whatever the base of the array is',
      source: 'PTX ISA, tensor swizzling modes; images captured on an H100',
      fidelity: 'silicon',
    },
    {
      id: 'swizzle.tile',
      says: 'A tiled array is its tiles row-major, each tile dense and row-major, swizzled as a whole',
      source: 'JAX documentation, Pallas:MGPU reference, memory reference transforms',
      fidelity: 'documented',
    },
    {
      id: 'swizzle.sub-byte',
      says: 'Elements of 4 bits lie two in a byte, the first in the low bits',
      source: 'PTX ISA, sub-byte types of tensor maps',
      fidelity: 'documented',
    },
    {
      id: 'swizzle.refused',
      says: 'A swizzled row is exactly one span, tiles divide the shape, and spans are 16, 32, 64 or 128 bytes',
      source: 'PTX ISA, tensor swizzling modes; JAX documentation, Pallas:MGPU reference',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  cases,
  questions,
})
