import fc from 'fast-check'
import { expect, test } from 'vitest'
import { removeZeroBases } from '../../../src/layouts/linear/algebra.js'
import * as C from '../../../src/layouts/linear/column-action.js'
import { range } from '../captured.js'
import type { LinearLayout } from './small.js'
import { layout, layouts, plain, pointsIn, valueAt } from './small.js'
import { code, right } from '../../either.js'

const of = (...action: readonly number[]): C.ColumnAction => right(C.columnAction('register', 3, action))
const eight = (): LinearLayout =>
  layout(
    [
      ['register', [[1], [2], [4]]],
      ['lane', [[8]]],
    ],
    [['x', 16]],
  )

test('the examples of the header', () => {
  expect(plain(right(C.actOnLayout(of(2, 0, 1))(eight())))).toEqual({
    inputs: [
      ['register', [[4], [1], [2]]],
      ['lane', [[8]]],
    ],
    outputs: [['x', 16]],
  })
  expect(right(C.actOnValues(of(2, 0, 1))(range(8)))).toEqual([0, 4, 1, 5, 2, 6, 3, 7])
  expect(right(C.actOnValues(of(2, 0))(range(8)))).toEqual([0, 4, 1, 5])
  expect(right(C.actOnValues(of())(range(8)))).toEqual([0])
})

/** All lists of distinct bits of 3. */
const lists = range(4)
  .flatMap((n) =>
    n === 0 ? [[]] : range(3 ** n).map((code) => range(n).map((k) => Math.floor(code / 3 ** k) % 3)),
  )
  .filter((list) => new Set(list).size === list.length)

test('law 1: layouts and values agree, all actions on 3 bits', () => {
  for (const list of lists) {
    const after = right(C.actOnLayout(of(...list))(eight()))
    const old = right(C.actOnValues(of(...list))(range(8)))
    expect(old.length).toBe(2 ** list.length)
    for (const x of pointsIn(after))
      expect(valueAt(after)(x)).toEqual(valueAt(eight())({ ...x, register: old[x['register']!]! }))
  }
})

test('laws 2 and 3: inverses and sequences, all actions on 3 bits', () => {
  for (const list of lists) {
    const a = of(...list)
    const values = right(C.actOnValues(a)(range(8)))
    expect(C.isIdentityAction(a)).toBe(values.length === 8 && values.every((v, x) => v === x))
    if (list.length < 3) expect(code(C.inverse(a))).toBe('linear.action-drops')
    else {
      expect(right(C.actOnValues(right(C.inverse(a)))(values))).toEqual(range(8))
      for (const second of lists) {
        const b = of(...second)
        expect(right(C.actOnValues(right(C.andThen(a, b)))(range(8)))).toEqual(
          right(C.actOnValues(b)(values)),
        )
      }
    }
  }
  const same = right(C.identityAction('register', 3))
  expect(same).toEqual(of(0, 1, 2))
  expect(code(C.andThen(of(0, 1), same))).toBe('linear.action-size')
  expect(code(C.andThen(same, right(C.identityAction('lane', 3))))).toBe('linear.action-size')
  expect(right(C.andThen(of(2, 0), right(C.columnAction('register', 2, [1]))))).toEqual(of(0))
})

test('law 4: dropping zero bases', () => {
  fc.assert(
    fc.property(layouts(['register', 'lane'], ['x', 'y'], 3), (l) => {
      const name = l.inputs[0]?.name
      if (name === undefined) return
      const drop = right(C.dropZeroBases(l, name))
      expect(right(C.actOnLayout(drop)(l))).toEqual(right(removeZeroBases(name)(l)))
    }),
    { numRuns: 50 },
  )
})

test('refusals by code', () => {
  for (const wrong of [[0, 0], [3], [-1], [0.5]])
    expect(code(C.columnAction('register', 3, wrong))).toBe('linear.action')
  expect(code(C.actOnLayout(right(C.identityAction('warp', 0)))(eight()))).toBe('linear.size')
  expect(code(C.actOnLayout(right(C.identityAction('lane', 2)))(eight()))).toBe('linear.size')
  expect(code(C.actOnValues(of(0))(range(4)))).toBe('linear.action-size')
})
