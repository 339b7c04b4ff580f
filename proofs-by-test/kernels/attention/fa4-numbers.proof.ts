/** FA4: known bugs that are wrong numbers and no hazard (H4, H5, H8), and settings that are no kernel. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { fa4, type Fa4 } from '../../../src/kernels/attention/fa4/index.js'
import { farthest, tolerances } from '../../../src/kernels/attention/index.js'
import { answer, clean, computed, expected, patternsOf, programOf, type Rest } from './fa4-runs.js'
import { sampled } from '../../extent.js'

// ---------------------------------------------------------------- H4, H5, H8: numbers

describe('wrong numbers, without a hazard', () => {
  const one = (rest: Rest): Fa4 =>
    fa4({ batch: 1, q: 2, kv: 40, heads: 1, kvHeads: 1, headDim: 64 }, { blockKv: 16, stages: 2, ...rest })
  const wrong = (c: Fa4, over: 'real64' | 'bits', operands = patternsOf(c)): boolean => {
    const of = over === 'bits' ? tolerances.f16 : tolerances.real64
    return farthest(of, computed(c, over, operands).out, expected(c, operands).out, 4) !== null
  }
  /** q is 1 in its first component, k is `score` there, by the tile: scores are known */
  const scored = (c: Fa4, scores: ReadonlyArray<number>) => {
    const operands = patternsOf(c)
    // halves of small integers, as patterns of f16
    const pattern = (x: number): number => {
      const sign = x < 0 ? 0x8000 : 0
      const y = Math.abs(x)
      if (y === 0) return sign
      const e = Math.floor(Math.log2(y))
      return sign + ((e + 15) << 10) + Math.round((y / 2 ** e - 1) * 1024)
    }
    return {
      ...operands,
      q: operands.q.map((_, i) => (i % 64 === 0 ? pattern(1) : 0)),
      k: operands.k.map((_, i) => (i % 64 === 0 ? pattern(scores[Math.floor(i / 64 / 16)] ?? 0) : 0)),
    }
  }

  test('H4: a threshold that P does not hold', () => {
    // the maximum grows by 13 tile by tile: 2^(13 log2 e) = 2^18.75 is more than f16 holds
    const scores = [0, 13, 0]
    for (const [threshold, found] of sampled(2, [
      [0, false],
      [8, false],
      [20, true],
    ] as const)) {
      const c = one({ threshold })
      expect(wrong(c, 'bits', scored(c, scores)), String(threshold)).toBe(found)
      expect(wrong(c, 'real64', scored(c, scores))).toBe(false)
    }
  })

  test('H5: a maximum that is none', () => {
    // row 20 sees nothing of the first tile, and low scores in the next
    const low = [-300, -300, -300]
    const later = { _tag: 'window', left: 0, right: null, alignment: 'top-left' } as const
    for (const [rest, found] of [
      [{}, false],
      [{ safeMax: 'stored' }, true],
    ] as const) {
      const c = { ...one({ mask: later, ...rest }), q: 40 }
      expect(wrong(c, 'bits', scored(c, low)), JSON.stringify(rest)).toBe(found)
    }
    for (const [firstMax, found] of [
      [-Infinity, false],
      [-50, true],
    ] as const) {
      const c = one({ firstMax })
      expect(wrong(c, 'bits', scored(c, low)), String(firstMax)).toBe(found)
    }
  })

  test('H8: keys past the last, and what lies there of V', () => {
    expect(wrong(one({}), 'real64')).toBe(false)
    expect(wrong(one({ residual: false }), 'real64')).toBe(true)
    const poisoned = computed(one({ fill: 'nan' }), 'bits').out
    expect(poisoned.some(Number.isNaN)).toBe(true)
    expect(answer(programOf(one({ fill: 'nan', residual: false })))).toEqual(clean)
  })
})

test('settings that are no kernel are refused, each by its name', () => {
  const shape = { batch: 1, q: 256, kv: 64, heads: 2, kvHeads: 1, headDim: 64 }
  const why = (told: Fa4): string => {
    const made = E.tryCatch(
      () => programOf(told),
      (e) => String(e),
    )
    return E.isLeft(made) ? made.left : 'ok'
  }
  for (const [change, text] of [
    [{ headDim: 96 }, 'headDim is 96: expected 64 or 128'],
    [{ kvHeads: 3 }, 'heads is 2: expected a multiple of kvHeads, which is 3'],
    [{ blockKv: 24 }, 'blockKv is 24: expected a multiple of 16 up to 192'],
    [{ blockKv: 208 }, 'blockKv is 208: expected a multiple of 16 up to 192'],
    [{ headDim: 128, blockKv: 192 }, 'blockKv is 192: expected a multiple of 16 up to 128'],
    [{ rings: 'separate', stages: 3 }, 'stages is 3: expected an even number'],
    [{ stages: 0 }, 'stages is 0: expected a positive integer'],
    [{ threshold: -1 }, 'threshold is -1: expected 0 or more'],
    [{ q: 1.5 }, 'q is 1.5: expected a positive integer'],
  ] as const)
    expect(why({ ...fa4(shape, { blockKv: 16, stages: 2 }), ...change })).toContain(text)
})
