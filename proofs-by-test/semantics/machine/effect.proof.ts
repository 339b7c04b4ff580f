/**
 * Accesses before they are made: which bytes of a plane a layout may take, at its ends byte by byte; and who an agent is among those that are
 * resident. Operands of instructions are in `instruction-operands.proof.ts`.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import * as B from '../../../src/semantics/writing/builder.js'
import type { Expr, ExprNode } from '../../../src/semantics/language/expression.js'
import * as X from '../../../src/semantics/language/expression.js'
import { mostElements } from '../../../src/semantics/language/limits.js'
import {
  barrierOperand,
  ctaOf,
  elementsAt,
  intsOperand,
  placeOf,
  threadsOf,
} from '../../../src/semantics/machine/effect.js'
import { environment } from '../../../src/semantics/machine/environment.js'
import { addressesOf } from '../../../src/semantics/machine/footprint.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import type { World } from '../../../src/semantics/machine/world.js'
import { ofStrides, ofTransforms, type TransformedRef } from '../../../src/transforms/ref.js'
import { swizzle } from '../../../src/transforms/transform.js'
import { launched } from './machine-samples.js'
import { right } from '../../either.js'

const worldOf = (): World =>
  launched(
    right(
      B.draft(
        {
          name: 'accesses',
          arch: 'sm90a',
          grid: [8],
          cluster: [2],
          agents: [B.warpgroup('wg', 0), B.warp('w', 4), B.partition('pair', 6, 2)],
        },
        function* () {
          yield* B.tensorParam('t', 'u8', [1000], { role: 'in' })
          yield* B.barriers('one', [], {})
          yield* B.barriers('single', [1, 1], {})
          yield* B.barriers('two', [2], {})
        },
      ),
    ),
    bits('hopper'),
    { resident: 2 },
  ).world
const world = worldOf()
/** The plane of t: 1000 bytes. */
const plane = 0

describe('bytes of a plane', () => {
  const row = (count: number, stride = 1, offset = 0): TransformedRef => ({
    ...right(ofStrides([count], 32, [stride])),
    byteOffset: offset,
  })
  const at = (layout: TransformedRef, base: number): string | null => {
    const e = elementsAt(world, 'field', plane, 'i32', layout, base)
    return isFault(e) ? e.code : null
  }
  test.each<readonly [string, TransformedRef, number, string | null]>([
    ['all of it', row(250), 0, null],
    ['one element too many', row(251), 0, 'I2'],
    ['from one byte too late on', row(250), 1, 'I2'],
    ['the last four bytes', row(1), 996, null],
    ['one byte behind', row(1), 997, 'I2'],
    ['all behind', row(1), 5000, 'I2'],
    ['one byte before', row(1), -1, 'I2'],
    ['an offset of the layout, up to the end', row(1, 1, 900), 96, null],
    ['and beyond', row(1, 1, 900), 97, 'I2'],
    ['an offset that brings a base below zero back', row(1, 1, 8), -8, null],
    ['and one that does not', row(1, 1, 8), -9, 'I2'],
    ['with steps, the last element at the end', row(2, 249), 0, null],
    ['with steps, the last element beyond', row(2, 250), 0, 'I2'],
  ])('%s', (_, layout, base, code) => {
    expect(at(layout, base)).toBe(code)
    // the same answer when it is asked again
    expect(at(layout, base)).toBe(code)
  })
  test('a swizzle that leaves the plane, where the rows before it do not', () => {
    const codeOf = (layout: TransformedRef, base: number): string | null => {
      const e = elementsAt(world, 'field', plane, 'f16', layout, base)
      return isFault(e) ? e.code : null
    }
    // seven whole lines of 128 bytes stay what they are as a set
    expect(codeOf(right(ofTransforms([7, 64], 16, [right(swizzle(128))])), 0)).toBeNull()
    // half of line 7 would end at 896 + 64; its unit 0 is swizzled to unit 7, which ends at 896 + 128
    const half = { ...right(ofStrides([32], 16, [1])), swizzle: 128 } as const
    expect([codeOf(half, 896), codeOf(half, 896)]).toEqual(['I2', 'I2'])
    expect(codeOf(right(ofStrides([32], 16, [1])), 896)).toBeNull()
  })
  test('how many elements: so many, and no more', () => {
    const huge = (count: number): unknown => {
      const e = elementsAt(worldOf(), 'field', 1, 'u8', right(ofStrides([count], 8, [0])), 0)
      return isFault(e) ? e.code : addressesOf(e).length
    }
    expect([mostElements, mostElements + 1].map(huge)).toEqual([mostElements, 'access.size'])
  })
})

describe('operands', () => {
  const o = environment(world, { agent: 0, cta: 0, place: 0, cluster: 0 }, [])
  const tree = (e: Expr): ExprNode => e as unknown as ExprNode
  test('one barrier: alone, or an array of one', () => {
    const of = (storage: string): unknown => {
      const v = barrierOperand(o, 'barrier', { _tag: 'storage', storage })
      return isFault(v) ? v.code : v.first
    }
    expect(['one', 'single', 'two'].map(of)).toEqual([0, 1, 'type.mismatch'])
  })
  test('integers in their order; the first that is none is the fault', () => {
    expect(intsOperand(o, 'ints', [X.i32(3), X.i32(1), X.i32(2)].map(tree))).toEqual([3, 1, 2])
    expect(intsOperand(o, 'ints', [])).toEqual([])
    expect(intsOperand(o, 'ints', [X.i32(3), X.i64(1n), X.i1(true)].map(tree))).toMatchObject({
      code: 'type.mismatch',
      message: 'ints: expected an i32, found i64',
    })
  })
})

test('agents: three in a CTA, two CTAs in a cluster, two clusters resident', () => {
  const agents = [0, 2, 3, 5, 6, 11]
  expect(agents.map((a) => ctaOf(world, a))).toEqual([0, 0, 1, 1, 2, 3])
  expect(agents.map((a) => placeOf(world, a))).toEqual([0, 0, 0, 0, 1, 1])
  expect(agents.map((a) => threadsOf(world, a))).toEqual([128, 64, 128, 64, 128, 64])
  expect(threadsOf(world, 4)).toBe(32)
})
