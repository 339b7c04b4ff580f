/**
 * fa3-attention is attention: within the tolerances of its dtype in bits, to 1e-12 in real arithmetic; clean, and one schedule says so for all.
 *
 * By day every eighth configuration is judged, and a few are computed with numbers; by night all of them, under several seeds.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { causal, fa3Attention, type Fa3Attention } from '../../../src/kernels/attention/index.js'
import { base, inBits, inReals, judged, nothingOutside } from './attending.js'
import { configurations } from './configurations.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

const clean = { verdict: 'ok', decidedBy: 'one-schedule', findings: [] }

test('at least 40, and each differs from the others', () => {
  expect(new Set(configurations.map(([, c]) => JSON.stringify(c))).size).toBeGreaterThanOrEqual(40)
  const some = (holds: (c: Fa3Attention) => boolean): boolean => configurations.some(([, c]) => holds(c))
  expect([
    some((c) => c.q < c.blockQ && c.kv < c.blockKv),
    some((c) => c.q === 2 * c.blockQ && c.kv === 3 * c.blockKv),
    some((c) => c.q > 2 * c.blockQ && c.kv % c.blockKv !== 0),
    some((c) => Math.ceil(c.kv / c.blockKv) % 2 === 1 && Math.ceil(c.q / c.blockQ) % 2 === 1),
    some((c) => c.heads > c.kvHeads && c.kvHeads > 1),
    some((c) => c.mask._tag === 'causal' && c.q > c.kv),
    some((c) => c.headDim === 128 && c.dtype === 'bf16'),
  ]).toEqual([true, true, true, true, true, true, true])
})

describe('law 1', () => {
  test.each(configurations.filter((_, i) => nightly || i % 8 === 0))(
    '%s: clean, decided by one schedule',
    (_, c) => {
      expect(judged(right(fa3Attention(c))).verdict).toMatchObject(clean)
    },
  )
  const every = nightly ? 1 : 32
  const seeds = nightly ? [1, 2, 3] : [1]
  const numbers = configurations.filter((_, i) => i % every === 0)
  test.each(numbers)('%s: bits are within the tolerance', (_, c) => {
    const p = right(fa3Attention(c))
    for (const seed of seeds) {
      const { run, distance } = inBits(c, p, seed)
      expect([run.verdict.verdict, distance]).toEqual(['ok', nothingOutside])
    }
  })
  test.each(configurations.filter((_, i) => i % every === (nightly ? 0 : 1)))(
    '%s: real arithmetic to 1e-12',
    (_, c) => {
      for (const seed of seeds) expect(inReals(c, right(fa3Attention(c)), seed)).toEqual(nothingOutside)
    },
  )
})

test('batches and heads of 128 columns: six dimensions under the tiles, of which the copy engine sees five', () => {
  const c = { ...base, q: 64, kv: 64, batch: 2, heads: 2, kvHeads: 2, headDim: 128 }
  const p = right(fa3Attention(c))
  const maps = p.params.filter((param) => param._tag === 'descriptor')
  expect(maps.map(({ box }) => box)).toContainEqual([1, 8, 2, 8, 64])
  expect(maps.every(({ box }) => box.length <= 5)).toBe(true)
  const { run, distance } = inBits(c, p, 1)
  expect(run.verdict).toMatchObject(clean)
  expect(distance).toEqual(nothingOutside)
})

test('not by chance: a scale of another value is outside', () => {
  const p = right(fa3Attention({ ...base, scale: 0.126 }))
  expect(inReals({ ...base, scale: 0.125 }, p, 1)).not.toEqual(nothingOutside)
  expect(
    inReals({ ...base, mask: causal('bottom-right') }, right(fa3Attention({ ...base, mask: causal() })), 1),
  ).not.toEqual(nothingOutside)
})

test.each<readonly [Partial<Fa3Attention>, RegExp]>([
  [{ headDim: 80 }, /headDim is 80: expected 64, 128, 192 or 256/],
  [{ blockQ: 32 }, /blockQ is 32: expected a multiple of 64 up to 256/],
  [{ blockKv: 96 }, /blockKv is 96: expected a multiple of 64 up to 256/],
  [{ heads: 3, kvHeads: 2 }, /heads is 3: expected a multiple of kvHeads, which is 2/],
  [{ kv: 0 }, /kv is 0: expected a positive integer/],
  [{ scale: -1 }, /scale is -1: expected a positive number/],
  [{ maxConcurrentSteps: 33 }, /maxConcurrentSteps is 33: expected 2 to 32/],
  [{ maxConcurrentSteps: 1 }, /maxConcurrentSteps is 1: expected 2 to 32/],
  [{ q: 6 }, /q is 6: expected a multiple of 8/],
  [{ kv: 100 }, /kv is 100: expected a multiple of 8/],
  [{ numerics: { ilp: 0, update: 'fused' } }, /ilp is 0: expected a positive integer/],
])('refuses %j', (c, message) => {
  expect(fa3Attention({ ...base, ...c })).toMatchObject(
    E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
  )
})
