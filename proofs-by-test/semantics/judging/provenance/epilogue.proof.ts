/**
 * What is made of sums, as one formula. Oracle: formulas drawn as trees, each element worked out from its own coordinates with its operands in an order of its own.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { encode } from '../../../../src/numerics/float-format.js'
import type { LoggedTensor } from '../../../../src/semantics/log/events.js'
import {
  formulaWith,
  showFormula,
  type Asking,
  type Formula,
} from '../../../../src/semantics/judging/provenance/epilogue.js'
import type { Element } from '../../../../src/semantics/judging/provenance/terms.js'
import { dice, type Dice } from '../../../../src/semantics/schedules/naive/random.js'

const [rows, columns] = [3, 5]
const tensor = (
  name: string,
  plane: number,
  shape: ReadonlyArray<number>,
  strides: ReadonlyArray<number>,
): LoggedTensor => ({ name, plane, dtype: 'f32', shape, strides })
const tensors = [
  tensor('c', 2, [rows, columns], [columns, 1]),
  tensor('turned', 3, [columns, rows], [rows, 1]),
  tensor('bias', 4, [columns], [1]),
  tensor('row', 5, [1, columns], [columns, 1]),
  tensor('scale', 6, [rows], [1]),
  tensor('column', 7, [rows, 1], [1, 1]),
  tensor('late', 8, [rows, columns], [1, rows]),
]
/** By name: which of the tensor's elements stands at (i, j), in elements; and how that is said. */
const places: Readonly<Record<string, readonly [at: (i: number, j: number) => number, said: string]>> = {
  c: [(i, j) => i * columns + j, 'c'],
  turned: [(i, j) => j * rows + i, 'turned.T'],
  bias: [(_, j) => j, 'bias'],
  row: [(_, j) => j, 'row'],
  scale: [(i) => i, 'scale[:, None]'],
  column: [(i) => i, 'column'],
  late: [(i, j) => j * rows + i, 'late'],
}

type Tree =
  | { readonly leaf: string }
  | { readonly number: number }
  | { readonly sum: true }
  | { readonly how: 'add' | 'multiply'; readonly of: ReadonlyArray<Tree> }

const elementAt = (die: Dice, t: Tree, i: number, j: number): Element => {
  if ('leaf' in t) {
    const { plane } = tensors.find(({ name }) => name === t.leaf)!
    return { _tag: 'input', plane, address: 4 * places[t.leaf]![0](i, j) }
  }
  if ('number' in t) return { _tag: 'number', dtype: 'f32', word: encode('f32', t.number) | 0 }
  if ('sum' in t) return { _tag: 'sum', a: 0, b: 1, row: i, column: j, ks: [0, 8], scaled: false }
  const of = t.of.map((one) => elementAt(die, one, i, j))
  return { _tag: 'made', how: t.how, of: die.chance(0.5) ? of : of.reverse() }
}

const asking: Asking = {
  tensors,
  sumAt: (sum, i, j) =>
    sum.row === i && sum.column === j ? E.right('a @ b') : E.left('has a sum of another place in it'),
}

/** The formula of all elements, of which `edit` may be another. */
const ofAll = (element: (i: number, j: number) => Element): E.Either<string, string> => {
  let found: Formula | null = null
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const next = formulaWith(asking, found, element(i, j), i, j)
      if (E.isLeft(next)) return E.left(`[${String(i)}, ${String(j)}] ${next.left}`)
      found = next.right
    }
  return E.right(showFormula(found!))
}

const a: Tree = { sum: true }
const half: Tree = { how: 'multiply', of: [{ number: 0.5 }, a] }
const table: ReadonlyArray<readonly [said: string, tree: Tree]> = [
  ['a @ b', a],
  ['0.5 * (a @ b)', half],
  ['a @ b + bias', { how: 'add', of: [{ leaf: 'bias' }, a] }],
  [
    'bias + 0.5 * (a @ b) + 2 * c',
    { how: 'add', of: [half, { how: 'multiply', of: [{ number: 2 }, { leaf: 'c' }] }, { leaf: 'bias' }] },
  ],
  [
    '0.25 * (a @ b + turned.T)',
    { how: 'multiply', of: [{ how: 'add', of: [a, { leaf: 'turned' }] }, { number: 0.25 }] },
  ],
  ...Object.entries(places).map(([leaf, [, said]]): readonly [string, Tree] => [
    `a @ b + ${said}`,
    { how: 'add', of: [a, { leaf }] },
  ]),
  ['(a @ b) * scale[:, None]', { how: 'multiply', of: [a, { leaf: 'scale' }] }],
]
const sortedWords = (text: string): string =>
  text
    .split(/(?<=^|[^*]) \+ /u)
    .sort()
    .join(' + ')

describe('law 1: a formula, whatever the order of its operands', () => {
  it.each(table)('%s', (said, tree) => {
    for (let seed = 0; seed < 20; seed++) {
      const die = dice(seed)
      const found = ofAll((i, j) => elementAt(die, tree, i, j))
      expect(E.isRight(found) && sortedWords(found.right)).toBe(sortedWords(said))
    }
  })
})

describe('law 2: one element that is something else', () => {
  it.each(table)('of %s', (_, tree) => {
    for (let at = 0; at < rows * columns; at++) {
      const others: ReadonlyArray<Tree> = [
        { how: 'add', of: [tree, { number: 1 }] },
        { how: 'multiply', of: [tree, { number: 2 }] },
        { leaf: 'c' },
      ]
      for (const other of others) {
        const found = ofAll((i, j) => elementAt(dice(at), i * columns + j === at ? other : tree, i, j))
        expect(E.isLeft(found)).toBe(true)
      }
      // the element of a neighbour
      const moved = ofAll((i, j) =>
        i * columns + j === at
          ? elementAt(dice(at), tree, (i + 1) % rows, (j + 1) % columns)
          : elementAt(dice(at), tree, i, j),
      )
      expect(E.isLeft(moved)).toBe(true)
    }
  })
  it('is named', () => {
    const of = (k: number): Tree => ({ how: 'multiply', of: [a, { number: k }] })
    expect(ofAll((i, j) => elementAt(dice(1), i === 1 && j === 2 ? of(3) : of(2), i, j))).toEqual(
      E.left('[1, 2] is 3 * (a @ b), where elements before it are 2 * (a @ b)'),
    )
    expect(
      ofAll((i, j) => (i === 0 && j === 1 ? { _tag: 'other', why: 'is lost' } : elementAt(dice(1), a, i, j))),
    ).toEqual(E.left('[0, 1] is lost'))
  })
})
