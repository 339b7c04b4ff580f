import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import * as L from '../../../src/layouts/linear/linear-layout.js'
import * as I from '../../../src/layouts/linear/inverse.js'
import { range } from '../captured.js'
import { every, imageSize, key, layout, layouts, plain, pointsIn, pointsOut, valueAt } from './small.js'
import type { Point } from './small.js'
import { code, right } from '../../either.js'

const bits = (...values: readonly number[]): readonly (readonly number[])[] => values.map((v) => [v])

/** All square layouts of 3 bits. */
const square = (): readonly LinearLayout[] => every([['in', 3]], [['out', 8]])

// ------------------------------------------------------------------------------------------------ oracle

const basesText = (l: L.LinearSpec, name: string): string =>
  JSON.stringify(
    L.basesOf(l, name).map((basis) =>
      key(Object.fromEntries(l.outputs.map((out, d) => [out.name, basis[d]!]))),
    ),
  )

/** The place in `b` of every input bit of `a`, by search: itself, or the least with the same value. */
const search = (a: LinearLayout, b: LinearLayout): readonly (Point | undefined)[] => {
  const stays = (name: string): boolean => basesText(a, name) === basesText(b, name)
  const names = L.inputNames(b)
  const weighty = [...names.filter((name) => !stays(name)), ...names.filter(stays)]
  const places = [...pointsIn(b)]
    .map((at) => ({ at, value: key(valueAt(b)(at)) }))
    .sort((p, q) => {
      const first = [...weighty].reverse().find((name) => p.at[name] !== q.at[name])
      return first === undefined ? 0 : p.at[first]! - q.at[first]!
    })
  return a.inputs.flatMap(({ name, bases }) =>
    bases.map((_, bit) => {
      const one = { [name]: 2 ** bit }
      if (stays(name)) return { ...Object.fromEntries(names.map((other) => [other, 0])), ...one }
      return places.find(({ value }) => value === key(valueAt(a)(one)))?.at
    }),
  )
}

/** Agrees with the search, and has the dimensions of `a` and `b`. */
const check = (a: LinearLayout, b: LinearLayout): void => {
  const places = search(a, b)
  const x = I.invertAndCompose(a, b)
  if (places.some((place) => place === undefined)) {
    expect(code(x)).toBe('linear.outside-image')
    return
  }
  const found = right(x)
  expect([L.inputDimensions(found), found.outputs]).toEqual([L.inputDimensions(a), L.inputDimensions(b)])
  expect(found.inputs.flatMap(({ bases }) => bases)).toEqual(
    places.map((place) => L.inputNames(b).map((name) => place![name]!)),
  )
}

// ------------------------------------------------------------------------------------------- the inverses

describe('invertAndCompose', () => {
  test('the examples of the header', () => {
    const b = layout([['offset', bits(0, 1, 2)]], [['dim0', 4]])
    const a = layout([['lane', bits(2, 1)]], [['dim0', 4]])
    expect(plain(right(I.invertAndCompose(a, b)))).toEqual({
      inputs: [['lane', bits(4, 2)]],
      outputs: [['offset', 8]],
    })
    const replicated = (name: string): LinearLayout =>
      layout(
        [
          [name, bits(1)],
          ['warp', bits(0, 0)],
        ],
        [['dim0', 2]],
      )
    expect(plain(right(I.invertAndCompose(replicated('lane'), replicated('offset'))))).toEqual({
      inputs: [
        ['lane', [[1, 0]]],
        [
          'warp',
          [
            [0, 1],
            [0, 2],
          ],
        ],
      ],
      outputs: [
        ['offset', 2],
        ['warp', 4],
      ],
    })
  })

  test('law 1: the least place, all 3 x 3 bits and all values', () => {
    for (const b of square()) {
      const image = new Set(pointsIn(b).map((x) => valueAt(b)(x)['out']!))
      // Bits are solved for one by one, so all that has a solution can be asked at once.
      check(layout([['x', bits(...image)]], [['out', 8]]), b)
      for (const y of range(8).filter((v) => !image.has(v)))
        expect(code(I.invertAndCompose(layout([['x', bits(y)]], [['out', 8]]), b))).toBe(
          'linear.outside-image',
        )
    }
  })

  test('law 1: inputs of the same bases stay put, all pairs of two bits to 4', () => {
    const pairs = every(
      [
        ['u', 1],
        ['v', 1],
      ],
      [['out', 4]],
    )
    for (const a of pairs) for (const b of pairs) check(a, b)
  })

  test('law 1: any layouts, outputs in another order and larger', () => {
    let solved = 0
    fc.assert(
      fc.property(
        layouts(['register', 'lane', 'warp'], ['x', 'y']),
        layouts(['offset', 'lane', 'warp'], ['y', 'x'], 3),
        (a, b) => {
          const same = [L.outputNames(a), L.outputNames(b)].map((names) => [...names].sort().join())
          const x = I.invertAndCompose(a, b)
          const refusal =
            same[0] !== same[1]
              ? 'linear.dimension'
              : a.outputs.some(({ name, size }) => size > L.outputSize(b, name))
                ? 'linear.size'
                : null
          if (refusal === null) check(a, b)
          else expect(code(x)).toBe(refusal)
          if (E.isLeft(x)) return
          solved++
          for (const at of pointsIn(a))
            expect(key(valueAt(b)(valueAt(x.right)(at)))).toBe(key(valueAt(a)(at)))
        },
      ),
      { numRuns: 300 },
    )
    expect(solved).toBeGreaterThan(20)
  })

  test('an input that stays put lends its bits where nothing else has them', () => {
    const a = layout(
      [
        ['lane', bits(1)],
        ['warp', bits(2)],
      ],
      [['x', 4]],
    )
    const b = layout(
      [
        ['warp', bits(2)],
        ['lane', bits(2)],
        ['offset', bits(3)],
      ],
      [['x', 4]],
    )
    // lane asks for 1 = 3 xor 2, and the lane of b has 2
    expect(plain(right(I.invertAndCompose(a, b)))).toEqual({
      inputs: [
        ['lane', [[0, 1, 1]]],
        ['warp', [[1, 0, 0]]],
      ],
      outputs: [
        ['warp', 2],
        ['lane', 2],
        ['offset', 2],
      ],
    })
    const c = layout(
      [
        ['warp', bits(2)],
        ['offset', bits(3)],
      ],
      [['x', 4]],
    )
    expect(plain(right(I.invertAndCompose(a, c)))).toEqual({
      inputs: [
        ['lane', [[1, 1]]],
        ['warp', [[1, 0]]],
      ],
      outputs: [
        ['warp', 2],
        ['offset', 2],
      ],
    })
  })

  test('quick: 18 bits, 32 output bits and more', () => {
    const wide = layout(
      [
        ['offset', range(30).map((bit) => [2 ** bit, 0])],
        ['bank', range(30).map((bit) => [0, 2 ** (29 - bit)])],
      ],
      [
        ['x', 2 ** 30],
        ['y', 2 ** 30],
      ],
    )
    const a = layout(
      [['lane', range(18).map((bit) => [2 ** (29 - bit), 2 ** bit])]],
      [
        ['x', 2 ** 30],
        ['y', 2 ** 30],
      ],
    )
    expect(right(I.invertAndCompose(a, wide)).inputs[0]!.bases).toEqual(
      range(18).map((bit) => [2 ** (29 - bit), 2 ** (29 - bit)]),
    )
  })

  test('a refusal names the bit', () => {
    const a = layout([['lane', bits(1, 2)]], [['x', 4]])
    expect(I.invertAndCompose(a, layout([['offset', bits(1)]], [['x', 4]]))).toEqual({
      _tag: 'Left',
      left: {
        code: 'linear.outside-image',
        message: 'Bit 1 of lane, [2] of (x 4), is not in the layout to invert',
      },
    })
    expect(code(I.invertAndCompose(a, layout([['offset', bits(1)]], [['x', 2]])))).toBe('linear.size')
    expect(code(I.invertAndCompose(a, layout([], [['y', 4]])))).toBe('linear.dimension')
  })
})

describe('inverses', () => {
  test('laws 2 and 3: all layouts of 3 x 3 bits', () => {
    for (const l of square()) {
      const onto = imageSize(l) === 8
      expect(I.isInvertible(l)).toBe(onto)
      const back = I.pseudoinvert(l)
      if (!onto) {
        expect([code(back), code(I.invert(l))]).toEqual(['linear.not-surjective', 'linear.not-invertible'])
        continue
      }
      const inverse = right(I.invert(l))
      expect(inverse).toEqual(right(back))
      expect(range(8).map((y) => valueAt(l)({ in: valueAt(inverse)({ out: y })['in']! })['out'])).toEqual(
        range(8),
      )
      expect(range(8).map((x) => valueAt(inverse)({ out: valueAt(l)({ in: x })['out']! })['in'])).toEqual(
        range(8),
      )
    }
  })

  test('law 2: onto but not one-to-one, more than one dimension', () => {
    let inverted = 0
    fc.assert(
      fc.property(layouts(['offset', 'x'], ['x', 'y'], 3), (l) => {
        const back = I.pseudoinvert(l)
        expect(E.isRight(back)).toBe(imageSize(l) === pointsOut(l).length)
        if (E.isLeft(back)) return
        inverted++
        expect([L.inputDimensions(back.right), back.right.outputs]).toEqual([l.outputs, L.inputDimensions(l)])
        for (const y of pointsOut(l)) expect(key(valueAt(l)(valueAt(back.right)(y)))).toBe(key(y))
        const bijection = pointsIn(l).length === pointsOut(l).length
        expect(I.isInvertible(l)).toBe(bijection)
        expect(code(I.invert(l))).toBe(bijection ? null : 'linear.not-invertible')
      }),
      { numRuns: 150 },
    )
    expect(inverted).toBeGreaterThan(20)
  })
})

describe('block-local', () => {
  const block = (a: readonly (readonly number[])[]): LinearLayout =>
    layout(
      [
        ['lane', [[1, 0]]],
        ['block', a],
      ],
      [
        ['x', 2],
        ['y', 4],
      ],
    )

  test('law 5: by hand', () => {
    const memory = layout(
      [
        ['offset', [[1, 0]]],
        [
          'block',
          [
            [0, 0],
            [0, 1],
          ],
        ],
      ],
      [
        ['x', 2],
        ['y', 4],
      ],
    )
    const asked = block([
      [0, 1],
      [1, 0],
    ])
    const plainly = right(I.invertAndCompose(asked, memory))
    expect(plainly.inputs).toEqual([
      { name: 'lane', bases: [[1, 0]] },
      {
        name: 'block',
        bases: [
          [0, 2],
          [1, 0],
        ],
      },
    ])
    // Block bit 0 of the memory replicates: a block reads its own copy. Bit 1 does not.
    expect(right(I.invertAndComposeBlockLocal(asked, memory)).inputs).toEqual([
      { name: 'lane', bases: [[1, 0]] },
      {
        name: 'block',
        bases: [
          [0, 3],
          [1, 0],
        ],
      },
    ])
    expect(right(I.invertAndComposeBlockLocal(asked, memory, 'cta'))).toEqual(plainly)
    expect(code(I.invertAndComposeBlockLocal(block([[0, 2]]), memory))).toBe('linear.outside-image')
  })

  test('law 5: still in the right place, and in the own block where that is all the same', () => {
    fc.assert(
      fc.property(
        layouts(['lane', 'block'], ['x']).filter((l) => l.outputs.length === 1),
        layouts(['offset', 'block'], ['x']).filter((l) => l.outputs.length === 1),
        (a, b) => {
          const x = I.invertAndComposeBlockLocal(a, b)
          if (E.isLeft(x)) {
            expect(x.left.code).toBe(code(I.invertAndCompose(a, b)))
            return
          }
          for (const at of pointsIn(a))
            expect(key(valueAt(b)(valueAt(x.right)(at)))).toBe(key(valueAt(a)(at)))
          L.basesOf(b, 'block').forEach((basis, bit) => {
            if (basis.some((v) => v !== 0) || !L.inputNames(a).includes('block')) return
            for (const at of pointsIn(a)) {
              const [from, to] = [at['block']!, valueAt(x.right)(at)['block']!]
              expect((to >> bit) & 1).toBe((from >> bit) & 1)
            }
          })
        },
      ),
      { numRuns: 200 },
    )
  })
})

test('law 4: free variables by the size of the image, all layouts of 3 x 3 bits and of two inputs', () => {
  for (const l of square()) {
    const free = range(3).filter((bit) => {
      const image = (n: number): number =>
        new Set(range(2 ** n).map((x) => valueAt(l)({ in: x })['out'])).size
      return image(bit + 1) === image(bit)
    })
    expect(I.freeVariableMasks(l)).toEqual([
      { name: 'in', mask: free.reduce((mask, bit) => mask + 2 ** bit, 0) },
    ])
  }
  expect(
    I.freeVariableMasks(
      layout(
        [
          [
            'in1',
            [
              [1, 1],
              [2, 2],
              [0, 0],
            ],
          ],
          [
            'in2',
            [
              [1, 0],
              [0, 1],
              [2, 0],
            ],
          ],
          ['in3', []],
        ],
        [
          ['out1', 4],
          ['out2', 4],
        ],
      ),
    ),
  ).toEqual([
    { name: 'in1', mask: 4 },
    { name: 'in2', mask: 2 },
    { name: 'in3', mask: 0 },
  ])
  expect(I.freeVariableMasks(layout([['a', range(30).map(() => [])]], []))).toEqual([
    { name: 'a', mask: 2 ** 30 - 1 },
  ])
})
