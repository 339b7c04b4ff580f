/**
 * Copies of padded elements by a program of the core: without gaps in the tensor, 16 of them in 16 bytes of shared memory. Where every bit lies is counted by
 * hand, over bits; over a field elements arrive as they are.
 */
import { expect, test } from 'vitest'
import { bitsOf } from '../../../../src/numerics/dtype.js'
import { field } from '../../../../src/numerics/index.js'
import * as Policy from '../../../../src/semantics/execution/policy.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import * as X from '../../../../src/semantics/language/expression.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import { paddedOf } from '../../../../src/transforms/padded-operand.js'
import * as Ref from '../../../../src/transforms/ref.js'
import { right } from '../../../either.js'
import { blackwell, expecting, init, program, running, shared, waiting } from './steps.js'

const rows = 4
const columns = 256
type Narrow = 'e2m3' | 'e3m2' | 'e2m1'
const codes = Array.from({ length: rows * columns }, (_, i) => (11 * i + Math.floor(i / 64)) % 64)

/** The second box of the tensor. */
const loading = (dtype: Narrow, swizzle: 16 | 128, column = 128): Program =>
  program('load', function* () {
    const a = yield* B.tensorParam('a', dtype, [rows, columns], { role: 'in' })
    const from = yield* B.descriptorParam('from', a, [rows, 128], {
      swizzle,
      ...(dtype === 'e2m1' ? { padded: true } : {}),
    })
    const image = yield* B.sharedMemory('image', 'u8', [rows, 128], [], { align: 1024 })
    const lying = paddedOf(dtype === 'e2m1' ? 4 : 6)(
      1,
      right(Ref.ofStrides([rows, 128], 8, [128, 1], swizzle)),
    )!
    const full = yield* B.barriers('full', [])
    yield* init(full)
    yield* expecting(full, (rows * 128 * bitsOf(dtype)) / 8)
    yield* B.run('load', {
      _tag: 'tma.load',
      descriptor: from,
      coords: [X.i32(0), X.i32(column)],
      destination: X.reinterpret(image, dtype, lying),
      barrier: full,
      ctaGroup: 1,
    })
    yield* waiting(full)
  })

/** A bit of the image, by its byte and its place there; null: in a gap. */
const bitOf = (bits: number, swizzle: number, byte: number, b: number): number | null => {
  const row = Math.floor(byte / 128)
  const chunk = Math.floor((byte % 128) / 16) ^ (swizzle === 128 ? row % 8 : 0)
  const bit = 8 * (byte % 16) + b
  if (bit >= 16 * bits) return null
  const code = codes[row * columns + 128 + 16 * chunk + Math.floor(bit / bits)]! % 2 ** bits
  return (code >> (bit % bits)) & 1
}

test.each([
  ['e2m3', 128],
  ['e3m2', 16],
  ['e2m1', 128],
  ['e2m1', 16],
] as const)('%s, swizzle %i: every bit of shared memory that is an element', (dtype, swizzle) => {
  const bits = bitsOf(dtype)
  const given = { a: Float64Array.from(codes, (c) => c % 2 ** bits) }
  const r = running(loading(dtype, swizzle), given)
  expect(r.outcome._tag).toBe('completed')
  const bytes = shared(
    r,
    'image',
    'u8',
    Array.from({ length: rows * 128 }, (_, i) => i),
  )
  const wrong = Array.from({ length: rows * 1024 }, (_, i) => i).filter((i) => {
    const wanted = bitOf(bits, swizzle, i >> 3, i & 7)
    return wanted !== null && ((bytes[i >> 3]! >> (i & 7)) & 1) !== wanted
  })
  expect(wrong).toEqual([])
})

test('over a field an element is where its bits begin', () => {
  const given = { a: Float64Array.from(codes, (_, i) => i + 1) }
  const r = running(loading('e3m2', 16), given, Policy.eager, field(3))
  expect(r.outcome._tag).toBe('completed')
  // quarters of bytes; the image is the first of shared memory
  expect(r.launched.world.storages.get('image')!.offset).toBe(0)
  const quarters = Array.from(
    { length: rows * 128 },
    (_, i) => 512 * Math.floor(i / 128) + 64 * Math.floor((i % 128) / 16) + 3 * (i % 16),
  )
  expect(Array.from(shared(r, 'image', 'e3m2', quarters))).toEqual(
    Array.from({ length: rows * 128 }, (_, i) => columns * Math.floor(i / 128) + 128 + (i % 128) + 1),
  )
})

test('a box begins at a multiple of 128 elements', () => {
  const given = { a: Float64Array.from(codes) }
  const r = running(loading('e3m2', 16, 64), given, Policy.eager, blackwell)
  expect(r.outcome).toMatchObject({ _tag: 'fault', fault: { code: 'A4' } })
})
