/**
 * fa3-attention against what JAX's attention_mgpu gave on an H100 (JAX 0.11.2, `conformance/kernels`): every bit of out and of lse.
 *
 * The order of the row sums and the one rounding of a l + rowsum(p) are facts about that compiler. Each is needed: with another choice some
 * element differs.
 */
import { describe, expect, test } from 'vitest'
import {
  causal,
  fa3Attention,
  mosaicNumerics,
  type Fa3Attention,
} from '../../../src/kernels/attention/index.js'
import { base, differing } from './attending.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

interface Captured {
  readonly name: string
  readonly outputs: ReadonlyArray<'out' | 'lse'>
  readonly of: ReadonlyArray<number>
  readonly c: Partial<Fa3Attention>
}

const square = { q: 256, kv: 256 } as const
const all: ReadonlyArray<Captured> = [
  {
    name: 'full_256x256x2x1x64',
    outputs: ['out'],
    of: [32768],
    c: { ...square, heads: 2, lse: false },
  },
  {
    name: 'causal_256x256x2x1x64',
    outputs: ['out', 'lse'],
    of: [32768, 512],
    c: { ...square, heads: 2, mask: causal() },
  },
  {
    name: 'full_128x384x1x1x128',
    outputs: ['out', 'lse'],
    of: [16384, 128],
    c: { q: 128, kv: 384, headDim: 128 },
  },
  {
    name: 'causal_256x256x1x1x128_b64x128',
    outputs: ['out', 'lse'],
    of: [32768, 256],
    c: { ...square, headDim: 128, blockKv: 128, mask: causal() },
  },
  {
    name: 'full_256x256x1x1x64_b128x64',
    outputs: ['out', 'lse'],
    of: [16384, 256],
    c: { ...square, blockQ: 128, maxConcurrentSteps: 3 },
  },
]

const differ = ({ name, outputs, c }: Captured, numerics = mosaicNumerics) =>
  differing(name, right(fa3Attention({ ...base, ...c, numerics })), outputs)

describe('law 2: every bit', () => {
  test.each(sampled(4, all).map((one) => [one.name, one] as const))('%s', (_, one) => {
    expect(differ(one)).toEqual({ verdict: 'ok', differ: one.outputs.map(() => 0), of: one.of })
  })
})

describe('other choices give other bits', () => {
  test('one partial sum: two elements of lse', () => {
    expect(differ(all[1]!, { ilp: 1, update: 'fused' }).differ).toEqual([0, 2])
  })
  test('one partial sum, without lse: two elements of out, each by its last bit', () => {
    expect(differ(all[0]!, { ilp: 1, update: 'fused' }).differ).toEqual([2])
  })
  test('product and sum rounded apart: three elements of lse', () => {
    expect(differ(all[4]!, { ilp: 8, update: 'separate' }).differ).toEqual([0, 3])
  })
})
