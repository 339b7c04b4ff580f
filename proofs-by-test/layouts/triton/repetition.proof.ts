/** Maps made of tiles. */
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, test } from 'vitest'
import { divideLeft, product } from '../../../src/layouts/linear/algebra.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { apply, basesOf, inputSize, linearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { registersFirst, repetitions } from '../../../src/layouts/triton/repetition.js'
import { indices } from './readers.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

type Columns = readonly (readonly [number, number])[]
const map = (register: Columns, lane: Columns, rows = 16, cols = 16): LinearLayout =>
  right(
    linearLayout({
      inputs: [
        { name: 'register', bases: register },
        { name: 'lane', bases: lane },
      ],
      outputs: [
        { name: 'row', size: rows },
        { name: 'col', size: cols },
      ],
    }),
  )

const some = <A>(option: O.Option<A>): A => {
  if (O.isNone(option)) throw new Error('expected some')
  return option.value
}

const column = fc.tuple(fc.nat(3), fc.nat(3))
const small = fc.record({
  register: fc.array(column, { maxLength: 2 }),
  lane: fc.array(column, { maxLength: 2 }),
})

/** Law 1, taken literally: the tile on the tile's inputs, and otherwise only other bits than the tile ever uses. */
const isMadeOf = (whole: LinearLayout, tile: LinearLayout): boolean => {
  const bits = (layout: LinearLayout, name: string): number => basesOf(layout, name).length
  if (['register', 'lane'].some((name) => bits(tile, name) > bits(whole, name))) return false
  const of = (layout: LinearLayout, register: number, lane: number): readonly number[] =>
    apply(layout)({ register, lane })
  const sizes = [inputSize(tile, 'register'), inputSize(tile, 'lane')] as const
  const used = indices(sizes).reduce((mask, [r, l]) => of(tile, r!, l!).map((v, d) => v | mask[d]!), [
    0, 0,
  ] as readonly number[])
  return indices([inputSize(whole, 'register'), inputSize(whole, 'lane')]).every(([r, l]) => {
    const low = of(tile, r! % sizes[0], l! % sizes[1])
    if (r! < sizes[0] && l! < sizes[1] && of(whole, r!, l!).join() !== low.join()) return false
    return of(whole, r!, l!).every((v, d) => ((v ^ low[d]!) & used[d]!) === 0)
  })
}

describe('law 1', () => {
  test('exists exactly when the map is tile xor repetition without a common bit, and is that', () => {
    fc.assert(
      fc.property(small, small, (a, t) => {
        const [whole, tile] = [map(a.register, a.lane, 4, 4), map(t.register, t.lane, 4, 4)]
        const found = repetitions(whole, tile)
        expect(O.isSome(found)).toBe(isMadeOf(whole, tile))
        if (O.isSome(found))
          for (const [register, lane] of indices([inputSize(whole, 'register'), inputSize(whole, 'lane')])) {
            const low = apply(tile)({
              register: register! % inputSize(tile, 'register'),
              lane: lane! % inputSize(tile, 'lane'),
            })
            const rest = apply(found.value)({ register: register!, lane: lane! })
            expect(low.map((v, d) => v ^ rest[d]!)).toEqual(
              apply(whole)({ register: register!, lane: lane! }),
            )
          }
      }),
      { numRuns: nightly ? 300 : 60 },
    )
  })

  test('by hand', () => {
    const tile = map([[0, 1]], [[0, 2]], 1, 4)
    const whole = map(
      [
        [0, 1],
        [0, 8],
      ],
      [
        [0, 2],
        [1, 4],
      ],
    )
    expect(some(repetitions(whole, tile)).inputs).toEqual([
      {
        name: 'register',
        bases: [
          [0, 0],
          [0, 8],
        ],
      },
      {
        name: 'lane',
        bases: [
          [0, 0],
          [1, 4],
        ],
      },
    ])
    // A bit of the tile is touched; a basis differs; an input is too short.
    expect(
      repetitions(
        map(
          [
            [0, 1],
            [0, 9],
          ],
          [[0, 2]],
        ),
        tile,
      ),
    ).toEqual(O.none)
    expect(repetitions(map([[0, 4]], [[0, 2]]), tile)).toEqual(O.none)
    expect(repetitions(map([[0, 1]], []), tile)).toEqual(O.none)
    // Outputs go by name, in whatever order.
    const turned = right(
      linearLayout({
        inputs: [{ name: 'register', bases: [[1]] }],
        outputs: [{ name: 'col', size: 2 }],
      }),
    )
    expect(O.isSome(repetitions(whole, turned))).toBe(true)
  })
})

test('law 2: a quotient is a repetition', () => {
  fc.assert(
    fc.property(small, small, (a, b) => {
      const [tile, rest] = [map(a.register, a.lane, 4, 4), map(b.register, b.lane, 4, 4)]
      const whole = right(product(tile, rest))
      expect(O.isSome(divideLeft(whole, tile))).toBe(true)
      expect(O.isSome(repetitions(whole, tile))).toBe(true)
    }),
    { numRuns: 50 },
  )
})

describe('law 3', () => {
  test('the registers of the tile come first, the others keep their order', () => {
    const whole = map(
      [
        [4, 0],
        [0, 2],
        [8, 0],
        [0, 1],
      ],
      [[1, 0]],
    )
    expect(
      some(
        registersFirst(
          whole,
          map(
            [
              [0, 1],
              [0, 2],
            ],
            [[1, 0]],
          ),
        ),
      ).inputs,
    ).toEqual([
      {
        name: 'register',
        bases: [
          [0, 1],
          [0, 2],
          [4, 0],
          [8, 0],
        ],
      },
      { name: 'lane', bases: [[1, 0]] },
    ])
    expect(some(registersFirst(whole, map([], [])))).toEqual(whole)
    expect(registersFirst(whole, map([[0, 4]], []))).toEqual(O.none)
  })
})
