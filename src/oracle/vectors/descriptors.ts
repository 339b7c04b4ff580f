/**
 * The suite `descriptors`: words that say where an operand lies in shared memory, and the bytes that the tensor core reads by them
 * (`layouts/shared-memory/matrix-descriptor.ts`); and the instruction descriptor's word (`instruction-descriptor.ts`).
 *
 * Two questions. `encode`: fields to the word of 64 bits. `addresses`: fields, the operand's major and width, to the byte of every element (mn, k) of one instruction.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import {
  checkDescriptor,
  elementAddress,
  encode,
  type MatrixDescriptor,
} from '../../layouts/shared-memory/matrix-descriptor.js'
import { isSwizzle } from '../../transforms/swizzle.js'
import { either, integer, nothing, oneOf, record, refined, text, type Wire } from '../../wire.js'
import { noQuestion, suite, tensorOf, tensorWire, type Case, type Suite, type Tensor } from './suite.js'

interface Fields {
  readonly unit: 'wgmma' | 'tcgen05'
  readonly startBytes: number
  readonly leadingBytes: number
  readonly strideBytes: number
  readonly baseOffset: number
  /** span in bytes; 16 is none */
  readonly swizzle: number
  /** bytes that the swizzle moves as one: 16, or 32 of tcgen05 */
  readonly atomBytes: number
}

interface Question {
  readonly operation: 'encode' | 'addresses'
  readonly descriptor: Fields
  /** of `addresses`: which dimension is contiguous, and bits of an element */
  readonly major?: 'k' | 'mn'
  readonly bits?: number
  /** of `addresses`: rows of a or columns of b */
  readonly rows?: number
}

interface Answer {
  /** 16 digits */
  readonly word: string | null
  /** u32, rows x the elements of 32 bytes of k */
  readonly addresses: Tensor | null
}

const question: Wire<Question> = record<Question>()(
  'a question about a matrix descriptor',
  {
    operation: oneOf<'encode' | 'addresses'>('encode', 'addresses'),
    descriptor: record<Fields>()(
      'fields',
      {
        unit: oneOf<'wgmma' | 'tcgen05'>('wgmma', 'tcgen05'),
        startBytes: integer,
        leadingBytes: integer,
        strideBytes: integer,
        baseOffset: integer,
        swizzle: integer,
        atomBytes: oneOf<number>(16, 32),
      },
      {},
    ),
  },
  {
    major: oneOf<'k' | 'mn'>('k', 'mn'),
    bits: oneOf<number>(4, 8, 16, 32),
    rows: refined(integer, 'rows from 1 to 256', (n): n is number => n >= 1 && n <= 256),
  },
)
const answer: Wire<Answer> = record<Answer>()(
  'a word, or addresses',
  {
    word: either('null or a word', nothing, text),
    addresses: either('null or addresses', nothing, tensorWire),
  },
  {},
)

const descriptorOf = (f: Fields): E.Either<Failure, MatrixDescriptor> => {
  const { startBytes, leadingBytes, strideBytes, baseOffset, swizzle } = f
  if (!isSwizzle(swizzle))
    return E.left({
      code: 'descriptor.swizzle',
      message: `A swizzle spans 16, 32, 64 or 128 bytes, found ${String(swizzle)}`,
    })
  const fields = { startBytes, leadingBytes, strideBytes, baseOffset, swizzle }
  return checkDescriptor(
    f.unit === 'wgmma'
      ? { _tag: 'wgmma', ...fields }
      : { _tag: 'tcgen05', ...fields, atomBytes: f.atomBytes === 32 ? 32 : 16, leadingMode: 'relative' },
  )
}

const ask = (q: Question): E.Either<Failure, Answer> =>
  pipe(
    descriptorOf(q.descriptor),
    E.chainW((d): E.Either<Failure, Answer> => {
      if (q.operation === 'encode')
        return pipe(
          encode(d),
          E.map((word) => ({ word: word.toString(16).padStart(16, '0'), addresses: null })),
        )
      const { major, bits, rows } = q
      if (major === undefined || bits === undefined || rows === undefined)
        return noQuestion('addresses: expected major, bits and rows, found not all of them')
      const columns = 256 / bits
      return pipe(
        elementAddress(d)({ major, bits }),
        E.map((address) => ({
          word: null,
          addresses: tensorOf(
            'u32',
            [rows, columns],
            Array.from({ length: rows * columns }, (_, i) => address(Math.floor(i / columns), i % columns)),
          ),
        })),
      )
    }),
  )

// ---------------------------------------------------------------- cases

const fields = (
  unit: Fields['unit'],
  swizzle: number,
  startBytes: number,
  leadingBytes: number,
  strideBytes: number,
  baseOffset: number = 0,
  atomBytes: 16 | 32 = 16,
): Fields => ({ unit, startBytes, leadingBytes, strideBytes, baseOffset, swizzle, atomBytes })

const reading = (descriptor: Fields, major: 'k' | 'mn', bits: number, rows: number): Question => ({
  operation: 'addresses',
  descriptor,
  major,
  bits,
  rows,
})

const refusals: ReadonlyArray<readonly [string, Question]> = [
  ['start-misaligned', { operation: 'encode', descriptor: fields('wgmma', 128, 8, 16, 1024) }],
  ['stride-too-large', { operation: 'encode', descriptor: fields('wgmma', 128, 0, 16, 2 ** 18) }],
  ['no-such-swizzle', { operation: 'encode', descriptor: fields('wgmma', 256, 0, 16, 1024) }],
  ['base-offset', { operation: 'encode', descriptor: fields('wgmma', 128, 0, 16, 1024, 8) }],
  ['atoms-of-32-without-128', { operation: 'encode', descriptor: fields('tcgen05', 64, 0, 16, 512, 0, 32) }],
  ['mn-major-bytes-of-wgmma', reading(fields('wgmma', 128, 0, 4096, 1024), 'mn', 8, 64)],
  ['k-major-atoms-of-32', reading(fields('tcgen05', 128, 0, 16, 1024, 0, 32), 'k', 32, 64)],
]

const units = ['wgmma', 'tcgen05'] as const
const spans = [16, 32, 64, 128] as const

function* cases(): Iterable<Case<Question>> {
  const tagged = (name: string, rule: string, q: Question): Case<Question> => ({
    name,
    rule,
    features: [
      'descriptor',
      q.descriptor.unit,
      ...(q.descriptor.swizzle === 16 ? [] : (['swizzle'] as const)),
      ...(rule === 'descriptors.refused' ? (['refusal'] as const) : []),
    ],
    question: q,
  })
  for (const unit of units)
    for (const span of spans) {
      const dense = fields(unit, span, 1024, span === 16 ? 128 : 16, span === 16 ? 256 : 8 * span)
      yield tagged(`${unit}-word-${String(span)}`, 'descriptors.word', {
        operation: 'encode',
        descriptor: dense,
      })
      for (const bits of [8, 16, 32])
        yield tagged(
          `${unit}-k-${String(span)}-${String(bits)}-bits`,
          'descriptors.k-major',
          reading(dense, 'k', bits, 64),
        )
      const across =
        span === 16 ? fields(unit, span, 0, 128, 1024) : fields(unit, span, 0, 16 * span, 8 * span)
      yield tagged(
        `${unit}-mn-${String(span)}-16-bits`,
        'descriptors.mn-major',
        reading(across, 'mn', 16, 128),
      )
      yield tagged(
        `${unit}-start-${String(span)}`,
        'descriptors.start',
        reading({ ...dense, startBytes: 1024 + (span === 128 ? 32 : 0) + 256 }, 'k', 16, 32),
      )
    }
  yield tagged(
    'wgmma-base-offset-3',
    'descriptors.start',
    reading(fields('wgmma', 128, 1408, 16, 1024, 3), 'k', 16, 32),
  )
  for (const bits of [8, 32])
    yield tagged(
      `tcgen05-mn-128-${String(bits)}-bits`,
      'descriptors.mn-major',
      reading(fields('tcgen05', 128, 0, 4096, 1024, 0, bits === 32 ? 32 : 16), 'mn', bits, 64),
    )
  for (const [name, q] of refusals) yield tagged(`refused-${name}`, 'descriptors.refused', q)
}

const anyFields = (unit: fc.Arbitrary<Fields['unit']>): fc.Arbitrary<Fields> =>
  fc
    .tuple(unit, fc.constantFrom(...spans), fc.nat(255), fc.nat(63), fc.nat(255), fc.nat(7))
    .map(([u, span, start, leading, stride, offset]) =>
      fields(u, span, 16 * start, 16 * leading, 16 * stride, span === 16 ? 0 : offset),
    )

const source = 'PTX ISA, matrix descriptors of wgmma and tcgen05; maps captured on an H100'

export const descriptorsSuite: Suite = suite({
  name: 'descriptors',
  arch: 'any',
  profile: 'layouts',
  title: 'Matrix descriptors of shared memory: their words, and the bytes that are read by them',
  rules: [
    {
      id: 'descriptors.word',
      says: 'Start, LBO and SBO in units of 16 bytes at bits 0, 16 and 32, base offset at 49, the code of the swizzle at 61',
      source: 'PTX ISA, matrix descriptors of wgmma and tcgen05',
      fidelity: 'documented',
    },
    {
      id: 'descriptors.k-major',
      says: 'K-major: rows 8 apart lie SBO apart, chunks of 16 bytes of k LBO apart without a swizzle and in a row of the span with one',
      source,
      fidelity: 'silicon',
    },
    {
      id: 'descriptors.mn-major',
      says: 'MN-major: spans along mn lie LBO apart and eights of k SBO apart; without a swizzle the two change places',
      source,
      fidelity: 'silicon',
    },
    {
      id: 'descriptors.start',
      says: 'The swizzle is applied to the whole address, start included, with the line counted from the base offset',
      source,
      fidelity: 'silicon',
    },
    {
      id: 'descriptors.refused',
      says: 'Fields are multiples of 16 below 2^18; of wgmma only 16-bit operands are MN-major; atoms of 32 are for MN-major 32-bit operands of tcgen05',
      source: 'PTX ISA, matrix descriptors of wgmma and tcgen05',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  cases,
  questions: (rule) => {
    const both = fc.constantFrom(...units)
    switch (rule) {
      case 'descriptors.word':
        return anyFields(both).map((descriptor) => ({ operation: 'encode', descriptor }))
      case 'descriptors.k-major':
        return fc
          .tuple(anyFields(both), fc.constantFrom(8, 16, 32), fc.integer({ min: 1, max: 24 }))
          .map(([d, bits, rows]) => reading({ ...d, baseOffset: 0 }, 'k', bits, rows))
      case 'descriptors.mn-major':
        return fc
          .tuple(anyFields(both), fc.integer({ min: 1, max: 72 }))
          .map(([d, rows]) => reading({ ...d, baseOffset: 0 }, 'mn', 16, rows))
      case 'descriptors.start':
        return fc
          .tuple(anyFields(both), fc.integer({ min: 1, max: 24 }))
          .map(([d, rows]) => reading(d, 'k', 16, rows))
      default:
        return fc.constantFrom(...refusals.map(([, q]) => q))
    }
  },
})
