import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import { describe, expect, test } from 'vitest'
import * as A from '../../../src/layouts/linear/algebra.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import * as L from '../../../src/layouts/linear/linear-layout.js'
import { transposeIns, transposeOuts } from '../../../src/layouts/linear/reshape.js'
import { every, imageSize, key, layout, layouts, plain, pointsIn, valueAt } from './small.js'
import type { Point } from './small.js'
import { code, right } from '../../either.js'

const ins = ['register', 'lane', 'warp']
const outs = ['dim0', 'dim1', 'dim2']
const some = layouts(ins, outs)
const few = layouts(ins, outs, 1)
const runs = { numRuns: 40 }

const some1 = (o: O.Option<LinearLayout>): LinearLayout | null => O.toNullable(o)

describe('product', () => {
  test('the example of the header', () => {
    const made = right(
      A.products([
        right(L.identity1D(2, 'register', 'dim1')),
        right(L.identity1D(4, 'lane', 'dim1')),
        right(L.identity1D(8, 'lane', 'dim0')),
      ]),
    )
    expect(plain(made)).toEqual({
      inputs: [
        ['register', [[1, 0]]],
        [
          'lane',
          [
            [2, 0],
            [4, 0],
            [0, 1],
            [0, 2],
            [0, 4],
          ],
        ],
      ],
      outputs: [
        ['dim1', 8],
        ['dim0', 8],
      ],
    })
  })

  test('law 1: acts on low and high parts', () => {
    fc.assert(
      fc.property(few, few, (a, b) => {
        const whole = right(A.product(a, b))
        const part = (x: Point, name: string): readonly [number, number] => {
          const low = L.inputSize(a, name)
          return [x[name]! % low, Math.floor(x[name]! / low)]
        }
        for (const x of pointsIn(whole)) {
          const low = valueAt(a)(Object.fromEntries(Object.keys(x).map((name) => [name, part(x, name)[0]])))
          const high = valueAt(b)(Object.fromEntries(Object.keys(x).map((name) => [name, part(x, name)[1]])))
          expect(valueAt(whole)(x)).toEqual(
            Object.fromEntries(
              L.outputNames(whole).map((name) => [
                name,
                (low[name] ?? 0) + L.outputSize(a, name) * (high[name] ?? 0),
              ]),
            ),
          )
        }
        for (const name of L.inputNames(whole))
          expect(L.inputSize(whole, name)).toBe(L.inputSize(a, name) * L.inputSize(b, name))
        for (const name of L.outputNames(whole))
          expect(L.outputSize(whole, name)).toBe(L.outputSize(a, name) * L.outputSize(b, name))
        if (L.isSurjective(a) && L.isSurjective(b)) expect(L.isSurjective(whole)).toBe(true)
      }),
      runs,
    )
  })

  test('law 1: a monoid, but for the order of the dimensions', () => {
    let compared = 0
    fc.assert(
      fc.property(few, few, few, (a, b, c) => {
        expect(right(A.product(a, L.empty))).toEqual(a)
        expect(right(A.product(L.empty, a))).toEqual(a)
        const first = pipe(
          A.product(a, b),
          E.chain((ab) => A.product(ab, c)),
        )
        const last = pipe(
          A.product(b, c),
          E.chain((bc) => A.product(a, bc)),
        )
        if (E.isLeft(first) || E.isLeft(last)) return
        compared++
        const { inputs, outputs } = last.right
        const reordered = pipe(
          first,
          E.chain(transposeIns(inputs.map(({ name }) => name))),
          E.chain(transposeOuts(outputs.map(({ name }) => name))),
        )
        expect(right(reordered)).toEqual(last.right)
      }),
      { numRuns: 60 },
    )
    expect(compared).toBeGreaterThan(20)
    expect(right(A.products([]))).toBe(L.empty)
  })

  test('orders that conflict, sizes that overflow', () => {
    const of = (...names: readonly string[]): LinearLayout =>
      layout(
        names.map((name) => [name, []]),
        [],
      )
    const to = (...names: readonly string[]): LinearLayout =>
      layout(
        [],
        names.map((name) => [name, 2]),
      )
    expect(A.product(of('a', 'b'), of('b', 'a'))).toEqual({
      _tag: 'Left',
      left: { code: 'linear.order', message: 'Dimensions a, b and b, a list a and b in different orders' },
    })
    expect(code(A.product(to('a', 'b'), to('b', 'a')))).toBe('linear.order')
    expect(code(A.products([of('a', 'b'), of('b', 'a'), of('c')]))).toBe('linear.order')
    const large = right(L.identity1D(2 ** 20, 'in', 'out'))
    expect(code(A.product(large, large))).toBe('linear.output-size')
  })
})

describe('supremum', () => {
  test('law 2: by hand', () => {
    const of = (a: string, b: string): string | null =>
      E.getOrElseW(() => null)(
        E.map((names: readonly string[]) => names.join(''))(A.supremum([...a], [...b])),
      )
    expect(of('ab', 'ac')).toBe('abc')
    expect(of('ac', 'ab')).toBe('acb')
    expect(of('ab', 'bc')).toBe('abc')
    expect(of('bc', 'ab')).toBe('abc')
    expect(of('b', 'ab')).toBe('ab')
    expect(of('', 'ab')).toBe('ab')
    expect(of('ab', '')).toBe('ab')
    expect(of('', '')).toBe('')
    expect(of('abc', 'dbe')).toBe('adbce')
    expect(of('ab', 'ba')).toBeNull()
    expect(of('axb', 'bya')).toBeNull()
    expect(of('abcd', 'cb')).toBeNull()
  })

  test('law 2: sublists of it, and none only if some pair is listed both ways', () => {
    const list = fc.shuffledSubarray(['a', 'b', 'c', 'd'])
    fc.assert(
      fc.property(list, list, (a, b) => {
        const common = a.filter((name) => b.includes(name))
        const agree = b.filter((name) => a.includes(name)).join() === common.join()
        const sup = A.supremum(a, b)
        expect(E.isRight(sup)).toBe(agree)
        if (E.isLeft(sup)) return
        expect([...sup.right].sort()).toEqual([...new Set([...a, ...b])].sort())
        expect(sup.right.filter((name) => a.includes(name))).toEqual(a)
        expect(sup.right.filter((name) => b.includes(name))).toEqual(b)
      }),
      { numRuns: 300 },
    )
  })
})

describe('quotients of products', () => {
  test('law 3: dividing undoes multiplying', () => {
    fc.assert(
      fc.property(some, some, (b, c) => {
        const whole = right(A.product(b, c))
        // The quotient has all dimensions of the whole: those missing have size 1.
        const frame = layout(
          L.inputNames(whole).map((name) => [name, []]),
          L.outputNames(whole).map((name) => [name, 1]),
        )
        expect(some1(A.divideLeft(whole, b))).toEqual(right(A.product(frame, c)))
        expect(some1(A.divideRight(whole, c))).toEqual(right(A.product(frame, b)))
      }),
      runs,
    )
  })

  test('law 3: what exists is a factor, what does not has none; all layouts of 2 bits to 2 x 2', () => {
    const wholes = every(
      [['a', 2]],
      [
        ['x', 2],
        ['y', 2],
      ],
    )
    const factors = [
      ...every(
        [['a', 1]],
        [
          ['x', 2],
          ['y', 1],
        ],
      ),
      ...every(
        [['a', 1]],
        [
          ['x', 2],
          ['y', 2],
        ],
      ),
      ...every([['a', 1]], [['y', 2]]),
      ...every([['a', 0]], [['x', 2]]),
      ...every([], [['y', 2]]),
    ]
    // Everything with the dimensions of the whole.
    const candidates = [0, 1, 2].flatMap((n) =>
      [1, 2].flatMap((x) =>
        [1, 2].flatMap((y) =>
          every(
            [['a', n]],
            [
              ['x', x],
              ['y', y],
            ],
          ),
        ),
      ),
    )
    const productOf = (a: LinearLayout, b: LinearLayout): string =>
      JSON.stringify(plain(right(A.product(a, b))))
    for (const b of factors) {
      const left = new Map(candidates.map((c) => [productOf(b, c), c]))
      const last = new Map(candidates.map((c) => [productOf(c, b), c]))
      for (const whole of wholes) {
        const name = JSON.stringify(plain(whole))
        expect(some1(A.divideLeft(whole, b))).toEqual(left.get(name) ?? null)
        expect(some1(A.divideRight(whole, b))).toEqual(last.get(name) ?? null)
      }
    }
  })

  test('dimensions that the dividend has not, or in another order, or too large', () => {
    const whole = right(L.identity1D(4, 'a', 'x'))
    for (const b of [
      layout([['b', []]], [['x', 2]]),
      layout([['a', []]], [['y', 1]]),
      right(L.identity1D(8, 'a', 'x')),
      layout([['a', [[0], [0], [0]]]], [['x', 1]]),
    ]) {
      expect(A.divideLeft(whole, b)).toEqual(O.none)
      expect(A.divideRight(whole, b)).toEqual(O.none)
    }
    const flat = layout(
      [
        ['a', []],
        ['b', []],
      ],
      [],
    )
    expect(
      A.divideLeft(
        flat,
        layout(
          [
            ['b', []],
            ['a', []],
          ],
          [],
        ),
      ),
    ).toEqual(O.none)
  })
})

describe('composition', () => {
  const through = { l: layouts(['lane', 'warp'], ['x', 'y']), o: layouts(['y', 'x'], ['dim0', 'dim1']) }

  test('law 4: the function', () => {
    let composed = 0
    fc.assert(
      fc.property(through.l, through.o, (inner, outer) => {
        const names = [L.outputNames(inner), L.inputNames(outer)].map((list) => [...list].sort().join())
        const fits = inner.outputs.every(({ name, size }) => size <= L.inputSize(outer, name))
        const both = A.compose(inner, outer)
        if (names[0] !== names[1]) expect(code(both)).toBe('linear.dimension')
        else if (!fits) expect(code(both)).toBe('linear.size')
        else {
          composed++
          expect(right(both).outputs).toEqual(outer.outputs)
          for (const x of pointsIn(inner))
            expect(valueAt(right(both))(x)).toEqual(valueAt(outer)(valueAt(inner)(x)))
        }
      }),
      { numRuns: 200 },
    )
    expect(composed).toBeGreaterThan(10)
  })

  test('law 4: associative', () => {
    const [a, b, c] = [
      every([['i', 2]], [['x', 4]]),
      every([['x', 2]], [['y', 4]]),
      every([['y', 2]], [['z', 4]]),
    ]
    for (const f of a)
      for (const g of b) {
        const h = c[(a.indexOf(f) * 7 + b.indexOf(g)) % c.length]!
        expect(right(A.compose(right(A.compose(f, g)), h))).toEqual(
          right(A.compose(f, right(A.compose(g, h)))),
        )
      }
  })
})

describe('parts', () => {
  test('law 5: sublayouts', () => {
    fc.assert(
      fc.property(some, fc.subarray(ins), fc.subarray(outs), (l, i, o) => {
        const [keptIn, keptOut] = [
          i.filter((name) => L.inputNames(l).includes(name)),
          o.filter((name) => L.outputNames(l).includes(name)),
        ]
        // In any order of the arguments.
        const part = right(A.sublayout([...keptIn].reverse(), [...keptOut].reverse())(l))
        expect(L.inputNames(part)).toEqual(L.inputNames(l).filter((name) => keptIn.includes(name)))
        expect(part.outputs).toEqual(l.outputs.filter(({ name }) => keptOut.includes(name)))
        let zero = true
        for (const x of pointsIn(part)) {
          const whole = Object.entries(valueAt(l)(x)).filter(([name]) => keptOut.includes(name))
          zero &&= whole.every(([, v]) => v === 0)
          expect(valueAt(part)(x)).toEqual(Object.fromEntries(whole))
        }
        expect(right(A.sublayoutIsZero(keptIn, keptOut)(l))).toBe(zero)
      }),
      runs,
    )
    const l = right(L.identity1D(2, 'a', 'x'))
    expect(A.sublayout(['b'], [])(l)).toEqual({
      _tag: 'Left',
      left: { code: 'linear.dimension', message: 'No input b among a' },
    })
    expect(code(A.sublayout([], ['b'])(l))).toBe('linear.dimension')
    expect(code(A.sublayoutIsZero(['a'], ['b'])(l))).toBe('linear.dimension')
  })

  test('law 6: quotients, all layouts from 2 x 2 to 2 x 2', () => {
    for (const l of every(
      [
        ['a', 1],
        ['b', 1],
      ],
      [
        ['a', 2],
        ['b', 2],
      ],
    )) {
      const value = (a: number, b: number): readonly number[] => Object.values(valueAt(l)({ a, b }))
      // By points: b is passed on, and a's output does not depend on it.
      const carried = [0, 1].every((a) => [0, 1].every((b) => value(a, b)[1] === b))
      const trivial = carried && [0, 1].every((a) => value(a, 0)[0] === value(a, 1)[0])
      expect(A.isIdentityOnOutDim('b')(l)).toBe(carried)
      expect(A.isTrivialOver(['b'])(l)).toBe(trivial)
      const identity = [0, 1].every((a) => [0, 1].every((b) => key({ a, b }) === key(valueAt(l)({ a, b }))))
      expect(A.isTrivialOver(['a', 'b'])(l)).toBe(identity)
      expect(some1(A.quotient(['b'])(l))).toEqual(
        trivial ? layout([['a', [[value(1, 0)[0]!]]]], [['a', 2]]) : null,
      )
      expect(some1(A.quotient([])(l))).toEqual(l)
    }
  })

  test('law 6: dimensions on one side only, sizes that differ, bits above', () => {
    const l = layout(
      [
        ['a', [[1, 0, 0]]],
        [
          'b',
          [
            [0, 1, 0],
            [0, 2, 0],
          ],
        ],
        ['c', []],
      ],
      [
        ['a', 4],
        ['b', 4],
        ['d', 1],
      ],
    )
    expect(A.isTrivialOver(['a'])(l)).toBe(false)
    expect(A.isTrivialOver(['b'])(l)).toBe(true)
    expect(A.isTrivialOver(['c'])(l)).toBe(false)
    expect(A.isTrivialOver(['d'])(l)).toBe(false)
    expect(A.isTrivialOver(['e'])(l)).toBe(false)
    expect(A.isIdentityOnOutDim('c')(l)).toBe(false)
    expect(A.isIdentityOnOutDim('d')(l)).toBe(false)
    expect(plain(some1(A.quotient(['b'])(l))!)).toEqual({
      inputs: [
        ['a', [[1, 0]]],
        ['c', []],
      ],
      outputs: [
        ['a', 4],
        ['d', 1],
      ],
    })
    // The first bit of b reaches d too, the second does not.
    const leak = layout(
      [
        [
          'b',
          [
            [1, 1],
            [2, 0],
          ],
        ],
      ],
      [
        ['b', 4],
        ['d', 2],
      ],
    )
    expect([A.isIdentityOnOutDim('b')(leak), A.isTrivialOver(['b'])(leak)]).toEqual([true, false])
    expect(A.isTrivialOver(['a'])(layout([['a', [[1], [0]]]], [['a', 2]]))).toBe(false)
  })
})

describe('side by side', () => {
  test('law 7: inputs beside inputs, outputs beside outputs', () => {
    const a = layout(
      [
        [
          'i',
          [
            [1, 0],
            [2, 1],
          ],
        ],
      ],
      [
        ['x', 4],
        ['y', 2],
      ],
    )
    const b = layout(
      [
        ['j', [[3, 1]]],
        ['k', []],
      ],
      [
        ['x', 4],
        ['y', 2],
      ],
    )
    const both = right(A.concatIns(a, b))
    for (const x of pointsIn(both)) {
      const [p, q] = [valueAt(a)(x), valueAt(b)(x)]
      expect(valueAt(both)(x)).toEqual({ x: p['x']! ^ q['x']!, y: p['y']! ^ q['y']! })
    }
    expect(L.inputNames(both)).toEqual(['i', 'j', 'k'])
    const c = layout([['i', [[1], [4]]]], [['z', 8]])
    const wide = right(A.concatOuts(a, c))
    for (const x of pointsIn(wide)) expect(valueAt(wide)(x)).toEqual({ ...valueAt(a)(x), ...valueAt(c)(x) })
    expect(L.outputNames(wide)).toEqual(['x', 'y', 'z'])
  })

  test('dimensions that differ, or should', () => {
    const a = layout([['i', [[1]]]], [['x', 2]])
    for (const other of [
      [['x', 4]],
      [['y', 2]],
      [],
      [
        ['x', 2],
        ['y', 1],
      ],
    ] as const)
      expect(code(A.concatIns(a, layout([['j', []]], other)))).toBe('linear.dimension')
    expect(code(A.concatIns(a, a))).toBe('linear.name')
    for (const other of [
      [['i', []]],
      [['j', [[]]]],
      [],
      [
        ['i', [[]]],
        ['j', []],
      ],
    ] as const)
      expect(code(A.concatOuts(a, layout(other, [])))).toBe('linear.dimension')
    expect(code(A.concatOuts(a, a))).toBe('linear.name')
  })
})

describe('sizes and names', () => {
  const l = (): LinearLayout =>
    layout(
      [
        [
          'a',
          [
            [1, 0],
            [6, 2],
            [4, 3],
          ],
        ],
        [
          'b',
          [
            [0, 0],
            [8, 4],
            [0, 0],
          ],
        ],
      ],
      [
        ['x', 16],
        ['y', 8],
      ],
    )

  test('law 8: by hand', () => {
    expect(plain(right(A.resizeIn('a', 2)(l())))).toEqual({
      inputs: [
        ['a', [[1, 0]]],
        [
          'b',
          [
            [0, 0],
            [8, 4],
            [0, 0],
          ],
        ],
      ],
      outputs: [
        ['x', 16],
        ['y', 8],
      ],
    })
    expect(right(A.resizeIn('a', 8)(l()))).toEqual(l())
    expect(L.basesOf(right(A.resizeIn('a', 1)(l())), 'a')).toEqual([])
    expect(plain(right(A.resizeOut('x', 8)(l())))).toEqual({
      inputs: [
        [
          'a',
          [
            [1, 0],
            [6, 2],
            [4, 3],
          ],
        ],
        [
          'b',
          [
            [0, 0],
            [0, 4],
            [0, 0],
          ],
        ],
      ],
      outputs: [
        ['x', 8],
        ['y', 8],
      ],
    })
    expect(L.basesOf(right(A.resizeOut('x', 4)(l())), 'a')).toEqual([
      [1, 0],
      [0, 2],
      [0, 3],
    ])
    expect(right(A.resizeOut('y', 8)(l()))).toEqual(l())
  })

  test('law 8: restrictions, and sizes that are none', () => {
    fc.assert(
      fc.property(some, (one) => {
        for (const { name, size } of L.inputDimensions(one)) {
          const half = right(A.resizeIn(name, Math.ceil(size / 2))(one))
          for (const x of pointsIn(half)) expect(valueAt(half)(x)).toEqual(valueAt(one)(x))
        }
      }),
      runs,
    )
    for (const size of [16, 3, 0]) expect(code(A.resizeIn('a', size)(l()))).toBe('linear.size')
    for (const size of [32, 3, 0]) expect(code(A.resizeOut('x', size)(l()))).toBe('linear.size')
    expect(code(A.resizeIn('x', 1)(l()))).toBe('linear.dimension')
    expect(code(A.resizeOut('a', 1)(l()))).toBe('linear.dimension')
  })

  test('zero bases go from one input only', () => {
    const zeros = layout(
      [
        [
          'a',
          [
            [0, 0],
            [0, 1],
          ],
        ],
        ['b', [[0, 0]]],
      ],
      [
        ['x', 2],
        ['y', 2],
      ],
    )
    expect(plain(right(A.removeZeroBases('a')(zeros)))).toEqual({
      inputs: [
        ['a', [[0, 1]]],
        ['b', [[0, 0]]],
      ],
      outputs: [
        ['x', 2],
        ['y', 2],
      ],
    })
    expect(L.basesOf(right(A.removeZeroBases('b')(zeros)), 'b')).toEqual([])
    expect(imageSize(right(A.removeZeroBases('b')(zeros)))).toBe(imageSize(zeros))
    expect(code(A.removeZeroBases('c')(zeros))).toBe('linear.dimension')
  })

  test('renaming', () => {
    expect(L.inputNames(right(A.renameIn('a', 'c')(l())))).toEqual(['c', 'b'])
    expect(L.outputNames(right(A.renameOut('y', 'a')(l())))).toEqual(['x', 'a'])
    expect(right(A.renameIn('c', 'a')(right(A.renameIn('a', 'c')(l()))))).toEqual(l())
    expect(right(A.renameOut('z', 'x')(right(A.renameOut('x', 'z')(l()))))).toEqual(l())
    expect(code(A.renameIn('a', 'b')(l()))).toBe('linear.name')
    expect(code(A.renameOut('x', 'y')(l()))).toBe('linear.name')
    expect(code(A.renameIn('x', 'c')(l()))).toBe('linear.dimension')
    expect(code(A.renameOut('a', 'c')(l()))).toBe('linear.dimension')
  })
})
