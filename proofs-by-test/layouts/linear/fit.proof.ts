import fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { expect, test } from 'vitest'
import { divideRight, products } from '../../../src/layouts/linear/algebra.js'
import * as Fit from '../../../src/layouts/linear/fit.js'
import * as L from '../../../src/layouts/linear/linear-layout.js'
import { transposeOuts } from '../../../src/layouts/linear/reshape.js'
import { range } from '../captured.js'
import { layout, layouts, plain } from './small.js'
import { code, right } from '../../either.js'

const sizes = (...all: readonly (readonly [string, number])[]): readonly L.Dimension[] =>
  all.map(([name, size]) => ({ name, size }))

const tile = (): L.LinearLayout =>
  layout(
    [
      ['register', [[1, 0]]],
      [
        'lane',
        [
          [2, 0],
          [4, 0],
          [0, 1],
        ],
      ],
    ],
    [
      ['dim0', 8],
      ['dim1', 2],
    ],
  )
const wanted = sizes(['dim0', 4], ['dim1', 8])

test('the example of the header', () => {
  const grown = right(Fit.ensureNotSmaller(wanted)(tile()))
  expect(plain(grown)).toEqual({
    inputs: [
      [
        'register',
        [
          [1, 0],
          [0, 2],
          [0, 4],
        ],
      ],
      [
        'lane',
        [
          [2, 0],
          [4, 0],
          [0, 1],
        ],
      ],
    ],
    outputs: [
      ['dim0', 8],
      ['dim1', 8],
    ],
  })
  expect(plain(right(Fit.ensureNotLarger(wanted)(grown)))).toEqual({
    inputs: [
      [
        'register',
        [
          [1, 0],
          [0, 2],
          [0, 4],
        ],
      ],
      [
        'lane',
        [
          [2, 0],
          [0, 0],
          [0, 1],
        ],
      ],
    ],
    outputs: [
      ['dim0', 4],
      ['dim1', 8],
    ],
  })
})

const some = layouts(['register', 'lane'], ['dim0', 'dim1'])
const size = fc.constantFrom(1, 2, 4, 8)

test('law 1: growth is a product with identities of the first input, in the order of the outputs', () => {
  fc.assert(
    fc.property(some, size, size, (l, m, n) => {
      if (l.inputs.length === 0) return
      const to = new Map([
        ['dim0', m],
        ['dim1', n],
      ])
      const named = sizes(...to).filter(({ name }) => L.outputNames(l).includes(name))
      const first = L.inputNames(l)[0]!
      const repeats = l.outputs.map(({ name, size: has }) =>
        right(L.identity1D(Math.max(1, to.get(name)! / has), first, name)),
      )
      // The order of the sizes does not matter.
      for (const order of [named, [...named].reverse()])
        expect(right(Fit.ensureNotSmaller(order)(l))).toEqual(right(products([l, ...repeats])))
    }),
    { numRuns: 40 },
  )
  expect(right(Fit.ensureNotSmaller(sizes(['dim1', 2]))(tile()))).toEqual(tile())
})

test('law 2: shrinking zeroes what does not fit', () => {
  fc.assert(
    fc.property(some, size, size, (l, m, n) => {
      const to: Readonly<Record<string, number>> = { dim0: m, dim1: n }
      const named = sizes(...Object.entries(to)).filter(({ name }) => L.outputNames(l).includes(name))
      const small = right(Fit.ensureNotLarger(named)(l))
      expect(small.outputs).toEqual(
        l.outputs.map(({ name, size: has }) => ({ name, size: Math.min(has, to[name]!) })),
      )
      expect(small.inputs).toEqual(
        l.inputs.map(({ name, bases }) => ({
          name,
          bases: bases.map((basis) => basis.map((v, d) => (v < small.outputs[d]!.size ? v : 0))),
        })),
      )
    }),
    { numRuns: 40 },
  )
})

test('law 3: a tile among thread blocks, by hand', () => {
  const blocks = layout(
    [
      [
        'block',
        [
          [0, 1],
          [1, 0],
        ],
      ],
    ],
    [
      ['dim1', 2],
      ['dim0', 2],
    ],
  )
  const whole = right(Fit.combine(tile(), blocks, sizes(['dim1', 8], ['dim0', 8])))
  expect(plain(whole)).toEqual({
    inputs: [
      [
        'register',
        [
          [0, 1],
          [2, 0],
        ],
      ],
      [
        'lane',
        [
          [0, 2],
          [0, 0],
          [1, 0],
        ],
      ],
      [
        'block',
        [
          [0, 4],
          [4, 0],
        ],
      ],
    ],
    outputs: [
      ['dim1', 8],
      ['dim0', 8],
    ],
  })
  // More blocks than elements: the blocks replicate, the tile shrinks to one.
  const crowd = right(Fit.combine(tile(), blocks, sizes(['dim0', 1], ['dim1', 2])))
  expect(plain(crowd)).toEqual({
    inputs: [
      ['register', [[0, 0]]],
      [
        'lane',
        [
          [0, 0],
          [0, 0],
          [0, 0],
        ],
      ],
      [
        'block',
        [
          [0, 0],
          [0, 1],
        ],
      ],
    ],
    outputs: [
      ['dim0', 1],
      ['dim1', 2],
    ],
  })
})

test('law 3: covers the sizes; the tile is the whole divided by the blocks', () => {
  /** Every power of two of both outputs and a zero, shuffled and dealt to one or two inputs. */
  const onto = (first: string, second?: string): fc.Arbitrary<L.LinearLayout> =>
    fc.tuple(fc.nat(2), fc.nat(2)).chain(([p, q]) => {
      const units = [...range(p).map((k) => [2 ** k, 0]), [0, 0], ...range(q).map((k) => [0, 2 ** k])]
      return fc
        .tuple(fc.shuffledSubarray(units, { minLength: units.length }), fc.nat(units.length))
        .map(([bases, cut]) =>
          layout(
            second === undefined
              ? [[first, bases]]
              : [
                  [first, bases.slice(0, cut)],
                  [second, bases.slice(cut)],
                ],
            [
              ['dim0', 2 ** p],
              ['dim1', 2 ** q],
            ],
          ),
        )
    })
  const [tiles, splits] = [onto('register', 'lane'), onto('block')]
  fc.assert(
    fc.property(tiles, splits, size, size, (cta, cga, m, n) => {
      const shape = sizes(['dim0', m], ['dim1', n])
      const whole = right(Fit.combine(cta, cga, shape))
      expect(whole.outputs).toEqual(shape)
      expect(L.isSurjective(whole)).toBe(true)
      const blocks = right(Fit.ensureNotLarger(shape)(cga))
      expect(O.isSome(divideRight(whole, blocks))).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test('refusals by code', () => {
  for (const fit of [Fit.ensureNotSmaller, Fit.ensureNotLarger]) {
    expect(code(fit(sizes(['dim0', 48]))(tile()))).toBe('linear.output-size')
    expect(code(fit(sizes(['dim2', 4]))(tile()))).toBe('linear.dimension')
  }
  const still = layout([], [['dim0', 2]])
  expect(code(Fit.ensureNotSmaller(sizes(['dim0', 4]))(still))).toBe('linear.dimension')
  expect(right(Fit.ensureNotSmaller(sizes(['dim0', 2]))(still))).toEqual(still)
  const blocks = layout(
    [['block', []]],
    [
      ['dim0', 1],
      ['dim1', 1],
    ],
  )
  expect(code(Fit.combine(tile(), blocks, sizes(['dim0', 8])))).toBe('linear.dimension')
  expect(code(Fit.combine(tile(), layout([], [['dim0', 1]]), sizes(['dim0', 8])))).toBe('linear.dimension')
  expect(right(transposeOuts(['dim1', 'dim0'])(blocks)).outputs).toEqual(sizes(['dim1', 1], ['dim0', 1]))
})
