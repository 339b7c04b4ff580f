/**
 * Where an agent stands, as a text: two stands that go on in different ways have different texts, and two that go on alike have one.
 */
import { describe, expect, test } from 'vitest'
import { where } from '../../../src/semantics/core/where.js'
import {
  barrier,
  otherOrigin,
  peek,
  tile,
  token,
  zeroOrigin,
  type Value,
} from '../../../src/semantics/machine/value.js'
import type { CoreStand } from '../../../src/semantics/machine/stand.js'

type Stack = ReadonlyArray<readonly [region: object, pc: number, after: object]>
const [one, two] = [{ name: 'one' }, { name: 'two' }]
const stand = (frame: ReadonlyArray<Value | undefined>, stack: Stack = []): CoreStand =>
  ({
    _tag: 'core',
    frame,
    control: stack.reduceRight<object | null>(
      (next, [region, pc, after]) => ({ region, pc, after, iteration: [1, 2], next }),
      null,
    ),
  }) as unknown as CoreStand
const textOf = (s: CoreStand): string =>
  (where as (s: CoreStand, w: null, n: (r: object) => number) => string)(s, null, (r) => (r === one ? 1 : 2))

const end = { _tag: 'end' }
const loop = (index: number, to: number, step: number): object => ({ _tag: 'for', stmt: {}, index, to, step })
const branch = (...frame: ReadonlyArray<Value | undefined>): object => ({
  _tag: 'branch',
  stmt: {},
  frame,
  fellows: null,
})
const words = (...xs: ReadonlyArray<number>): Value =>
  tile([xs.length], 'i32', 'any', Float64Array.from(xs), otherOrigin)
const ptr = (plane: number, address: number): Value => ({ _tag: 'ptr', dtype: 'f16', plane, address })
const view = (plane: number, base: number, shape: number): Value =>
  ({ _tag: 'view', space: 'smem', dtype: 'f16', plane, layout: { shape: [shape] }, base }) as unknown as Value
const descriptor = (name: string, base: number): Value =>
  ({ _tag: 'descriptor', name, base }) as unknown as Value

describe('what goes on in another way has another text', () => {
  test.each<readonly [string, ReadonlyArray<CoreStand>]>([
    [
      'values',
      [
        undefined,
        0,
        1,
        0n,
        true,
        false,
        { _tag: 'float', dtype: 'f32', x: 1 } as const,
        { _tag: 'float', dtype: 'f32', x: 2 } as const,
        ptr(0, 0),
        ptr(0, 4),
        ptr(1, 0),
        view(0, 0, 8),
        view(1, 0, 8),
        view(0, 8, 8),
        view(0, 0, 4),
        barrier(0, [], 'ptx', false),
        barrier(1, [], 'ptx', false),
        barrier(0, [2], 'ptx', false),
        barrier(0, [2, 3], 'ptx', false),
        descriptor('a', 0),
        descriptor('b', 0),
        descriptor('a', 128),
        words(1, 2),
        words(2, 1),
        words(12),
        tile([2], 'i32', 'any', null, otherOrigin),
        peek(true, 3),
        peek(false, 3),
        peek(true, 4),
        token,
      ].map((v) => stand([v])),
    ],
    [
      'slots',
      [stand([]), stand([1]), stand([undefined, 1]), stand([1, undefined]), stand([1, 1]), stand([11])],
    ],
    [
      'control',
      [
        stand([]),
        stand([], [[one, 0, end]]),
        stand([], [[two, 0, end]]),
        stand([], [[one, 1, end]]),
        stand([], [[one, 0, { _tag: 'if', stmt: {} }]]),
        stand([], [[one, 0, loop(0, 4, 1)]]),
        stand([], [[one, 0, loop(1, 4, 1)]]),
        stand([], [[one, 0, loop(0, 5, 1)]]),
        stand([], [[one, 0, loop(0, 4, 2)]]),
        stand([], [[one, 0, branch(1)]]),
        stand([], [[one, 0, branch(2)]]),
        stand([], [[one, 0, branch(1, 2)]]),
        stand(
          [],
          [
            [one, 0, end],
            [two, 0, end],
          ],
        ),
        stand(
          [],
          [
            [two, 0, end],
            [one, 0, end],
          ],
        ),
      ],
    ],
  ])('%s', (_, stands) => {
    expect(new Set(stands.map(textOf)).size).toBe(stands.length)
  })
})

test('what decides nothing is left out: where a tile came from, how often a loop has gone round', () => {
  const tiles = [otherOrigin, zeroOrigin].map((o) => stand([tile([2], 'f16', 'any', null, o)]))
  expect(new Set(tiles.map(textOf)).size).toBe(1)
  const turn = (n: number): object => ({ _tag: 'before', stmt: {}, turn: n })
  expect(textOf(stand([], [[one, 0, turn(1)]]))).toBe(textOf(stand([], [[one, 0, turn(2)]])))
})

test('a stand in words', () => {
  expect(
    textOf(
      stand(
        [3, undefined],
        [
          [two, 4, loop(1, 8, 2)],
          [one, 0, end],
        ],
      ),
    ),
  ).toBe('2.4 1 8 2/1.0 end|number 3;?')
})
