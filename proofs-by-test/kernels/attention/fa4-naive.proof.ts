/**
 * FA4, law 1: it is naive attention. In real arithmetic to 1e-12, for any threshold; on the chip's arithmetic within the tolerances of its dtype.
 * The oracle is `naive.ts`: all keys of a row at once, in f64.
 */
import { describe, expect, test } from 'vitest'
import {
  causal,
  farthest,
  largest,
  noMask,
  slidingWindow,
  tolerances,
  type AttentionShape,
} from '../../../src/kernels/attention/index.js'
import { fa4, type Fa4 } from '../../../src/kernels/attention/fa4/index.js'
import { decoder } from '../../../src/numerics/float-format.js'
import { lazy, seeded } from '../../../src/semantics/execution/policy.js'
import { computed, expected, patternsOf, type Rest } from './fa4-runs.js'
import { nightly, sampled } from '../../extent.js'

// ---------------------------------------------------------------- configurations

const one = (q: number, kv: number, headDim: number, more: Partial<AttentionShape> = {}): AttentionShape => ({
  batch: 1,
  q,
  kv,
  heads: 1,
  kvHeads: 1,
  headDim,
  ...more,
})
const usual = (headDim: number): number => headDim ** -0.5

/** d: also by day. Tiles of keys are 192 for heads of 64 and 128 for those of 128, unless said. */
const table: ReadonlyArray<readonly [day: 'd' | '', shape: AttentionShape, rest: Rest]> = [
  // lengths below, at and above a tile; odd numbers of tiles; fewer and more slots than tiles
  ['', one(256, 192, 64), {}],
  ['', one(256, 100, 64), {}],
  ['', one(256, 193, 64), {}],
  ['', one(300, 500, 64), {}],
  ['', one(128, 576, 64), {}],
  ['', one(1, 1, 64), {}],
  ['d', one(3, 65, 64), {}],
  ['d', one(256, 128, 128), {}],
  ['', one(256, 127, 128), {}],
  ['', one(255, 129, 128), {}],
  ['', one(257, 384, 128), {}],
  ['', one(512, 640, 128), { stages: 2 }],
  ['', one(256, 640, 128), { stages: 3 }],
  ['', one(256, 144, 64), { blockKv: 16, stages: 2 }],
  ['', one(256, 144, 64), { blockKv: 48, stages: 4 }],
  // causal, both alignments: square, more keys, more queries
  ['', one(256, 256, 64), { mask: causal('top-left') }],
  ['', one(300, 300, 128), { mask: causal('top-left') }],
  ['', one(239, 400, 64), { mask: causal('top-left') }],
  ['', one(400, 239, 64), { mask: causal('top-left') }],
  ['', one(200, 400, 64), { mask: causal('bottom-right') }],
  ['', one(113, 203, 128), { mask: causal('bottom-right') }],
  ['', one(256, 512, 128), { mask: causal('bottom-right') }],
  ['', one(400, 239, 64), { mask: causal('bottom-right') }],
  ['', one(777, 120, 64), { mask: causal('bottom-right') }],
  ['d', one(140, 70, 64), { mask: causal('top-left'), blockKv: 32, stages: 2 }],
  ['d', one(70, 140, 64), { mask: causal('bottom-right'), blockKv: 32, stages: 2 }],
  // windows
  ['d', one(140, 160, 64), { mask: slidingWindow(30, 3), blockKv: 32, stages: 3 }],
  ['', one(300, 300, 64), { mask: slidingWindow(77) }],
  ['', one(300, 300, 64), { mask: slidingWindow(0) }],
  ['', one(256, 500, 128), { mask: slidingWindow(100, 20) }],
  ['', one(333, 340, 64), { mask: slidingWindow(50, 3), blockKv: 32 }],
  ['', one(256, 400, 64), { mask: slidingWindow(null, 10, 'top-left') }],
  ['', one(256, 400, 64), { mask: slidingWindow(10, null, 'top-left') }],
  ['', one(260, 512, 64), { mask: slidingWindow(200, -100, 'bottom-right') }],
  // heads in groups, batches
  ['d', one(20, 40, 64, { heads: 2, kvHeads: 1, batch: 2 }), { blockKv: 32, stages: 2 }],
  ['', one(128, 160, 64, { heads: 2, kvHeads: 1, batch: 2 }), {}],
  ['', one(200, 200, 64, { heads: 4, kvHeads: 2 }), { mask: causal('top-left') }],
  ['', one(130, 130, 128, { heads: 6, kvHeads: 3 }), { mask: causal('bottom-right') }],
  ['', one(256, 192, 128, { heads: 3, kvHeads: 3 }), { mask: slidingWindow(64) }],
  // what a hidden key counts: a finite score, nothing, or a division by zero where there is no other
  ['d', one(400, 40, 64), { mask: causal('bottom-right'), hidden: { _tag: 'sentinel', score: -10000 } }],
  ['', one(300, 300, 64), { mask: causal('top-left'), hidden: { _tag: 'sentinel', score: -10000 } }],
  ['d', one(300, 40, 64), { mask: causal('bottom-right'), hidden: { _tag: 'minus-infinity', empty: 'nan' } }],
  ['', one(300, 300, 64), { mask: slidingWindow(9), hidden: { _tag: 'minus-infinity', empty: 'nan' } }],
  // the sources' forms
  ['d', one(256, 80, 64), { blockKv: 32, barriers: 'combined' }],
  ['', one(256, 640, 128), { barriers: 'combined', rescale: 'vote', threshold: 8 }],
  ['d', one(256, 80, 64), { blockKv: 16, rings: 'separate', stages: 4 }],
  ['', one(256, 500, 128), { rings: 'separate', stages: 4, mask: causal('bottom-right') }],
  ['', one(256, 400, 64), { factorAcquire: false, outputWait: false, rescale: 'vote' }],
  ['', one(256, 400, 64), { release: 'arrive', stages: 8 }],
]

const name = ({ q, kv, heads, kvHeads, headDim }: AttentionShape, rest: Rest): string =>
  `${String(q)} x ${String(kv)}, heads ${String(heads)}/${String(kvHeads)} of ${String(headDim)} ${JSON.stringify(rest)}`

/** The scores of a chip that has no scale are large: the usual one. */
const configured = (shape: AttentionShape, rest: Rest, dtype: Fa4['dtype']): Fa4 =>
  fa4(shape, { scale: usual(shape.headDim), dtype, ...rest })

const worst = (c: Fa4, over: 'real64' | 'bits') => {
  const operands = patternsOf(c)
  const [found, wanted] = [computed(c, over, operands), expected(c, operands)]
  const size = largest(Float64Array.from(operands.v, decoder(c.dtype)))
  const of = over === 'real64' ? tolerances.real64 : tolerances[c.dtype]
  return {
    out: farthest(of, found.out, wanted.out, size),
    // an f32 of 10000 has steps of 2^-10
    lse: farthest(
      over === 'real64' ? tolerances.real64 : tolerances.lse,
      found.lse,
      wanted.lse,
      Math.max(8, largest(wanted.lse.filter(Number.isFinite)) / 64),
    ),
  }
}
const exact = { out: null, lse: null }

test('at least 40 configurations', () => {
  expect(table.length).toBeGreaterThanOrEqual(40)
})

describe.each(
  nightly
    ? table
    : sampled(
        4,
        table.filter(([day]) => day === 'd'),
      ),
)('%s', (_day, shape, rest) => {
  test(`real arithmetic: ${name(shape, rest)}`, () => {
    expect(worst(configured(shape, rest, 'f16'), 'real64')).toEqual(exact)
  })
  test.runIf(nightly)(`f16: ${name(shape, rest)}`, () => {
    expect(worst(configured(shape, rest, 'f16'), 'bits')).toEqual(exact)
  })
  test.runIf(nightly)(`bf16: ${name(shape, rest)}`, () => {
    expect(worst(configured(shape, rest, 'bf16'), 'bits')).toEqual(exact)
  })
})

describe("the chip's arithmetic, by day", () => {
  test.each(
    sampled(2, [
      ['bf16', one(nightly ? 128 : 20, nightly ? 130 : 40, nightly ? 128 : 64, { heads: 2, kvHeads: 1 }), {}],
      ['f16', nightly ? one(256, 200, 64) : one(140, 70, 64), { mask: causal('bottom-right') }],
      [
        'f16',
        one(nightly ? 300 : 150, 96, 64),
        { mask: slidingWindow(20), blockKv: 32, stages: 3, threshold: 8 },
      ],
    ] as const),
  )('%s %o %o', (dtype, shape, rest) => {
    expect(worst(configured(shape, rest, dtype), 'bits')).toEqual(exact)
  })
})

// ---------------------------------------------------------------- the threshold

test('real arithmetic: any threshold, by every form of rescaling', () => {
  const shape = one(140, nightly ? 130 : 50, 64)
  for (const threshold of nightly ? [0, 0.5, 1, 2, 3, 8, 20, 100, 1000] : [1])
    for (const rescale of nightly
      ? (['always', 'vote'] as const)
      : [threshold === 1 ? ('vote' as const) : ('always' as const)])
      for (const scale of nightly ? [1, 0.125] : [1])
        expect(
          worst(fa4(shape, { blockKv: 16, stages: 3, threshold, rescale, scale }), 'real64'),
          `${String(threshold)} ${rescale} ${String(scale)}`,
        ).toEqual(exact)
})

test('a threshold leaves factors out: with a large one the maximum is that of the first tile', () => {
  // scores grow from tile to tile: keys are multiples of the query, and more so
  const c = fa4(one(1, 48, 64), { blockKv: 16, stages: 2 })
  const operands = patternsOf(c)
  const pattern = (x: number): number => (x === 0 ? 0 : x === 1 ? 0x3c00 : x === 2 ? 0x4000 : 0x4200)
  const q = operands.q.map((_, i) => pattern(i % 64 === 0 ? 1 : 0))
  const k = operands.k.map((_, i) => pattern(i % 64 === 0 ? Math.floor(i / 64 / 16) + 1 : 0))
  for (const threshold of nightly ? [0, 1.4, 1.5, 8] : [8]) {
    const { out, lse } = computed({ ...c, threshold }, 'real64', { ...operands, q, k })
    const wanted = expected(c, { ...operands, q, k })
    expect(farthest(tolerances.real64, out, wanted.out, 4)).toBeNull()
    expect(farthest(tolerances.real64, lse, wanted.lse, 8)).toBeNull()
  }
})

// ---------------------------------------------------------------- schedules

test('the bits do not depend on the schedule', () => {
  const c = fa4(one(256, 80, 64), { blockKv: 16, stages: 2, mask: noMask })
  const first = computed(c, 'bits')
  for (const policy of [lazy, ...Array.from({ length: nightly ? 100 : 1 }, (_, s) => seeded(s))])
    expect(computed(c, 'bits', patternsOf(c), policy)).toEqual(first)
})
