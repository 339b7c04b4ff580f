/** Bank conflicts: the captured counts, and a simulation of 32 banks lane by lane. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { invertAndCompose } from '../../../src/layouts/linear/inverse.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { apply, inputSize, linearLayout } from '../../../src/layouts/linear/linear-layout.js'
import type { BankConflicts } from '../../../src/layouts/triton/bank-conflicts.js'
import { bankConflicts } from '../../../src/layouts/triton/bank-conflicts.js'
import type { EncodingSpec } from '../../../src/layouts/triton/encoding.js'
import type { Shape } from '../../../src/transforms/shape.js'
import { blocked, computed, golden, linearOf, mmaV2, mmaV3, nvmma, range, specOf } from './readers.js'
import { code, right } from '../../either.js'
import { sampled } from '../../extent.js'

const count = (register: EncodingSpec, shared: EncodingSpec, shape: Shape, bits: number): BankConflicts =>
  right(bankConflicts(linearOf(register, shape), linearOf(shared, shape), bits))

/** Element offset of every register of a lane. */
const offsetsOf = (
  register: LinearLayout,
  shared: LinearLayout,
): ((warp: number, lane: number) => readonly number[]) => {
  const at = apply(right(invertAndCompose(register, shared)))
  return (warp, lane) =>
    range(inputSize(register, 'register')).map((one) => at({ warp, lane, register: one })[0]!)
}

/** Most distinct words of one bank in any phase of any access: every lane moves one aligned run of `vector` elements. */
const simulate = (register: LinearLayout, shared: LinearLayout, bits: number, vector: number): number => {
  const offsets = offsetsOf(register, shared)
  const bytes = (vector * bits) / 8
  const lanesPerPhase = Math.min(32, 128 / Math.max(4, bytes))
  let worst = 0
  for (const warp of range(Math.min(2, inputSize(register, 'warp')))) {
    const lanes = range(32).map((lane) => offsets(warp, lane))
    for (const one of range(lanes[0]!.length))
      for (let first = 0; first < 32; first += lanesPerPhase) {
        const wanted = new Map<number, Set<number>>()
        for (const lane of range(lanesPerPhase)) {
          const start = Math.floor(lanes[first + lane]![one]! / vector) * bytes
          for (let word = start >> 2; word < Math.max(start + bytes, start + 1) / 4; word++)
            wanted.set(word % 32, (wanted.get(word % 32) ?? new Set()).add(word))
        }
        worst = Math.max(worst, ...[...wanted.values()].map((words) => words.size))
      }
  }
  return worst
}

/**
 * The largest vector: in every lane of every warp the registers fall into aligned runs, the same ones, and the registers of a run
 * are numbered alike in all runs.
 */
const widest = (register: LinearLayout, shared: LinearLayout, bits: number): number => {
  const offsets = offsetsOf(register, shared)
  const lanes = range(inputSize(register, 'warp')).flatMap((warp) =>
    range(32).map((lane) => offsets(warp, lane)),
  )
  /** Registers of each run, in the order of their places; null if a run has a gap. */
  const runs = (values: readonly number[], vector: number): readonly (readonly number[])[] | null => {
    const found = new Map<number, number[]>()
    values.forEach((offset, one) => {
      const start = Math.floor(offset / vector)
      found.set(start, found.get(start) ?? [])
      found.get(start)![offset % vector] = one
    })
    const all = [...found.values()]
    return all.every((run) => Object.keys(run).length === vector) ? all : null
  }
  return (
    [16, 8, 4, 2].find((vector) => {
      const first = vector * bits > 128 ? null : runs(lanes[0]!, vector)
      return (
        first !== null &&
        first.every((run) => run.every((one, k) => one - run[0]! === first[0]![k]! - first[0]![0]!)) &&
        lanes.every((values) => JSON.stringify(runs(values, vector)) === JSON.stringify(first))
      )
    }) ?? 1
  )
}

describe('the counts of the compiler', () => {
  test.each(golden('bankConflicts').map((one) => [one.name, one] as const))(
    '%s',
    (_, { inputs, expected }) => {
      expect(count(specOf(inputs.register), specOf(inputs.shared), inputs.shape, inputs.bitwidth)).toEqual(
        expected,
      )
    },
  )

  test('drawn at random', () => {
    for (const { register, shared, shape, bitwidth, conflicts } of computed().bankConflicts)
      expect(
        count(specOf(register), specOf(shared), shape, bitwidth).extraWavefrontsPerPhase,
        JSON.stringify({ register, shared, shape, bitwidth }),
      ).toBe(conflicts)
  })
})

describe('laws 1 and 2: the simulation', () => {
  const swizzled = (vec: number, perPhase: number, maxPhase: number): EncodingSpec => ({
    _tag: 'swizzled_shared',
    vec,
    perPhase,
    maxPhase,
    order: [1, 0],
  })
  const registers: readonly EncodingSpec[] = [
    mmaV3(32),
    mmaV2([2, 2]),
    blocked([1, 8], [8, 4], [4, 1], [1, 0]),
    blocked([1, 32], [32, 1], [4, 1], [0, 1]),
    blocked([2, 2], [4, 8], [2, 2], [0, 1]),
    blocked([1, 2], [1, 32], [4, 1], [1, 0]),
    blocked([1, 128], [32, 1], [4, 1], [1, 0]),
  ]
  const shared: readonly (readonly [EncodingSpec, number])[] = [
    ...[8, 16, 32].flatMap((bits) => [0, 32, 128].map((w) => [nvmma(w, bits), bits] as const)),
    [nvmma(64, 16, true), 16],
    [nvmma(64, 64), 64],
    [swizzled(4, 2, 4), 16],
    // Within a word: lanes of one word need another word as well.
    [swizzled(1, 4, 4), 16],
    [swizzled(1, 2, 8), 8],
    [swizzled(1, 1, 8), 128],
  ]
  test.each(sampled(3, shared).map(([spec, bits]) => [JSON.stringify(spec), spec, bits] as const))(
    '%s',
    (_, spec, bits) => {
      const memory = linearOf(spec, [64, 128])
      for (const one of registers) {
        const layout = linearOf(one, [64, 64])
        const found = right(bankConflicts(layout, memory, bits))
        const vector = widest(layout, memory, bits)
        const ways = simulate(layout, memory, bits, vector)
        expect(found, JSON.stringify(one)).toEqual({
          elementsPerVector: vector,
          ways,
          extraWavefrontsPerPhase: ways - 1,
        })
      }
    },
  )
})

test('by hand: wgmma in 16 bits has no conflict with a swizzle of 128 bytes, and 8 ways without', () => {
  expect(count(mmaV3(64), nvmma(128, 16), [64, 64], 16)).toEqual({
    elementsPerVector: 2,
    ways: 1,
    extraWavefrontsPerPhase: 0,
  })
  expect(count(mmaV3(64), nvmma(0, 16), [64, 64], 16)).toEqual({
    elementsPerVector: 2,
    ways: 8,
    extraWavefrontsPerPhase: 7,
  })
})

test('registers that repeat, or are sums of others, are moved once; their numbers do not matter', () => {
  const flat: EncodingSpec = { _tag: 'shared_linear', offsetBases: range(10).map((bit) => [2 ** bit]) }
  const memory = linearOf(flat, [1024])
  const vector = (register: readonly number[], lane: readonly number[] = [16, 32, 64, 128, 256]): number =>
    right(
      bankConflicts(
        right(
          linearLayout({
            inputs: [
              { name: 'register', bases: register.map((v) => [v]) },
              { name: 'lane', bases: lane.map((v) => [v]) },
              { name: 'warp', bases: [[512]] },
              { name: 'block', bases: [] },
            ],
            outputs: [{ name: 'dim0', size: 1024 }],
          }),
        ),
        memory,
        16,
      ),
    ).elementsPerVector
  expect(vector([1, 2, 4, 8])).toBe(8)
  expect(vector([1, 1, 2])).toBe(4)
  expect(vector([1, 0, 2])).toBe(4)
  expect(vector([2, 1, 3, 4])).toBe(8)
  expect(vector([4, 1])).toBe(2)
  expect(vector([2, 4])).toBe(1)
  expect(vector([1, 3])).toBe(1)
  expect(vector([1, 6])).toBe(2)
  expect(vector([1], [3, 32, 64, 128, 256])).toBe(1)
  expect(vector([1, 2], [2, 32, 64, 128, 256])).toBe(2)
})

test('elements of other sizes, and layouts of other tensors, are refused', () => {
  expect(bankConflicts(linearOf(mmaV3(8), [64, 8]), linearOf(nvmma(0, 16), [64, 8]), 4)).toEqual(
    E.left({
      code: 'triton.element-bits',
      message: 'Elements must have 8, 16, 32, 64 or 128 bits, found 4',
    }),
  )
  expect(code(bankConflicts(linearOf(mmaV3(8), [64, 8]), linearOf(nvmma(0, 16), [64, 4]), 16))).toBe(
    'linear.size',
  )
})
