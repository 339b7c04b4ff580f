/**
 * The laws of `sameness.ts`. Where a program says what it computes, provenance is another way to know: a mutant that runs clean has the terms of the
 * program iff provenance proves it, in order. For attention, what the words must be is known by hand.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { cutDownTo, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { check } from '../../../src/semantics/verdict/check.js'
import { mutantsOf } from '../../../src/semantics/mutation/index.js'
import { boxAround, sameAs, termsOf } from '../../../src/semantics/mutation/sameness.js'
import { lazy, seeded } from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { options, programOf } from './settings.js'
import { nightly, sampled } from '../../extent.js'
import { right } from '../../either.js'

describe('against provenance', () => {
  const programs = [
    ['queue', programOf('queue', { m: 3, n: 8, rows: 1, buffering: 2 })],
    [
      'hopper-matmul',
      programOf('hopper-matmul', { m: 64, n: 16, k: 48, tileM: 64, tileN: 16, tileK: 16, stages: 2 }),
    ],
  ] as const
  test.each(programs)('%s: the same terms iff proved, and in order', (_, program) => {
    const compared = sameAs(program, options)
    let [same, other] = [0, 0]
    for (const m of mutantsOf(program, undefined, ['data']).filter((_, i) => nightly || i % 3 === 0)) {
      const checked = check(m.program, options)
      if (E.isLeft(checked)) continue
      const { verdict, provenance } = checked.right.verdict
      if (verdict !== 'ok' && verdict !== 'wrong-result') continue
      const result = compared(m.program)
      const proved = provenance?.proved === true && provenance.inOrder
      expect([m.key, result._tag]).toEqual([m.key, proved ? 'same' : 'other'])
      if (proved) same++
      else other++
    }
    expect([same > 0, other > 0]).toEqual([true, true])
  })
})

describe('a row of an output', () => {
  const queue = programOf('queue', { m: 3, n: 8, rows: 1, buffering: 2 })
  const compared = sameAs(queue, options)
  const programs = new Map(mutantsOf(queue, undefined, ['data']).map((m) => [m.key, m.program]))
  // rows 0 and 2 are in slot 0, row 1 in slot 1; where row 1 is read, row 2 is in slot 0 already
  test.each([
    [
      'SLOT | consumer / i / value | always slot 0 of source',
      'out[1, 0:8], written by consumer / i / consume, is another term than in queue: without x[1, 0:8]; with x[2, 0:8]',
    ],
    [
      'DROP | consumer / i / consume | left out',
      'out[0:3, 0:8], which nothing writes, is another term than in queue: less often x',
    ],
  ])('%s', (key, text) => {
    expect(compared(programs.get(key) ?? expect.fail(key))).toEqual({ _tag: 'other', text })
  })
})

describe('fa3-attention', () => {
  const fa3 = (steps: number): Program =>
    right(cutDownTo(right(kernelNamed('fa3-attention')), steps, 1)).program
  const program = fa3(2)
  const compared = sameAs(program, options)
  const mutants = mutantsOf(program)
  const mutant = (key: string): Program => {
    const found = mutants.find((m) => m.key === key)
    if (found === undefined) throw new Error(key)
    return found.program
  }
  test('law 1: it is itself, under every schedule', () => {
    expect(compared(program)).toEqual({ _tag: 'same' })
    const terms = termsOf(program, options)
    expect(terms).not.toBeNull()
    for (const policy of nightly ? [lazy, seeded(1), seeded(2)] : [seeded(1)])
      expect(termsOf(program, { ...options, policy })).toBe(terms)
  })
  test('other numbers of steps are other terms', () => {
    expect(new Set((nightly ? [1, 2, 3] : [1, 2]).map((steps) => termsOf(fa3(steps), options))).size).toBe(
      nightly ? 3 : 2,
    )
  })
  test('law 2: the box around elements', () => {
    const t = { name: 't', plane: 0, dtype: 'f32', shape: [2, 3, 4], strides: [12, 4, 1] } as const
    expect(boxAround(t, [1, 6])).toBe('t[0, 0:2, 1:3]')
    expect(boxAround(t, [23])).toBe('t[1, 2, 3]')
  })
  const others: ReadonlyArray<readonly [key: string, text: string]> = [
    [
      'DROP | wg1 / whole / p @ v / p @ v | left out',
      'out[0, 64:128, 0, 0:64], written by wg1 / copy out, is another term than in fa3-attention: without v; less often q[0, 64:128, 0, 0:64], k',
    ],
    [
      'DROP | wg0 / qo_smem[...] = out | left out',
      'out[0, 0:64, 0, 0:64], written by wg0 / copy out, is another term than in fa3-attention: without k, v; less often q[0, 0:64, 0, 0:64]',
    ],
    [
      'SLOT | wg1 / whole / p @ v / p @ v | always slot 0 of b',
      'out[0, 64:128, 0, 0:64], written by wg1 / copy out, is another term than in fa3-attention: without v[0, 64:128, 0, 0:64]; more often v[0, 0:64, 0, 0:64]',
    ],
  ]
  test.each(sampled(3, others))('%s', (key, text) => {
    expect(compared(mutant(key))).toEqual({ _tag: 'other', text })
  })
  test('what only synchronises is the same', () => {
    expect(compared(mutant('DROP | wg0 / copy out.group | left out'))).toEqual({ _tag: 'same' })
  })
})
