/**
 * Epilogues: what a kernel makes of its sums before it stores them, said as one formula of whole tensors.
 *
 *     0.5 * {A[2, :] B[:, 7]} + 2 * c[2, 7] + bias[7]        d = 0.5 * (a @ b) + 2 * c + bias
 *
 * Sums and products of an element are a tree (`terms.ts`); its leaves are sums of products, elements of tensors, and numbers. All elements of an output must have one
 * tree, and each of its leaves must be in all of them at one place of its tensor as seen from the element's own (i, j):
 *
 * | a leaf                              | at element (i, j) of the output     | said as        |
 * |-------------------------------------|-------------------------------------|----------------|
 * | the sum for row i and column j      | every k of it once                  | `a @ b`        |
 * | an element of a matrix              | (i, j), or (j, i)                   | `c`, `c.T`     |
 * | an element of a vector, or a row    | j                                   | `bias`         |
 * | an element of a vector, or a column | i                                   | `scale[:, None]` |
 * | a number                            | of the same bits everywhere         | `0.5`          |
 *
 * Sums and products commute, so their operands are put in an order of their own: a compiler deals them to instructions as it likes.
 *
 * Laws
 * 1. `formulaOf` of elements that were worked out from a formula is that formula, up to the order of its operands.
 * 2. an output of which one element is something else has none, and the element is named.
 */
import * as E from 'fp-ts/lib/Either.js'
import { bitsOf, isFloat, type Dtype } from '../../../numerics/dtype.js'
import { decoder } from '../../../numerics/float-format.js'
import type { LoggedTensor } from '../../log/events.js'
import type { Element } from './terms.js'

// ---------------------------------------------------------------- model

type Sum = Extract<Element, { readonly _tag: 'sum' }>
type Input = Extract<Element, { readonly _tag: 'input' }>
type Made = Extract<Element, { readonly _tag: 'made' }>

/** What a leaf may be, in the words of whole tensors. */
type Ways = ReadonlyArray<string>

/** A tree of one element: the same of all elements but for the ways of its leaves. */
interface Tree {
  readonly kind: 'zero' | 'number' | 'sum' | 'input' | 'add' | 'multiply'
  readonly shape: string
  readonly leaves: ReadonlyArray<Ways>
  /** of the ways that are left one each */
  readonly show: (leaves: ReadonlyArray<string>) => string
}

export interface Asking {
  readonly tensors: ReadonlyArray<LoggedTensor>
  /** what a sum is said as at (i, j); a sentence if it is not that of its place */
  readonly sumAt: (sum: Sum, i: number, j: number) => E.Either<string, string>
}

// ---------------------------------------------------------------- leaves

export const showNumber = (dtype: Dtype, word: number): string => {
  if (isFloat(dtype)) return String(decoder(dtype)(bitsOf(dtype) === 32 ? word >>> 0 : word))
  return String(word | 0)
}

/** The coordinates of an address of a tensor; null: no element begins there. */
const coordinatesOf = (t: LoggedTensor, address: number): ReadonlyArray<number> | null => {
  const bytes = bitsOf(t.dtype) / 8
  let rest = address / bytes
  const order = t.strides.map((_, d) => d).sort((p, q) => t.strides[q]! - t.strides[p]!)
  const out = t.shape.map(() => 0)
  for (const d of order) {
    if (t.shape[d] === 1) continue
    out[d] = Math.floor(rest / t.strides[d]!)
    rest -= out[d]! * t.strides[d]!
  }
  return rest === 0 && out.every((x, d) => x < t.shape[d]!) ? out : null
}

const waysOf = (t: LoggedTensor, at: ReadonlyArray<number>, i: number, j: number): Ways => {
  const [row, column] = at
  const ofVector = (x: number, name: string): Ways => [
    ...(x === j ? [name] : []),
    ...(x === i ? [`${name}[:, None]`] : []),
  ]
  if (at.length === 1) return ofVector(row!, t.name)
  if (at.length !== 2) return []
  return [
    ...(row === i && column === j ? [t.name] : []),
    ...(row === j && column === i ? [`${t.name}.T`] : []),
    ...(t.shape[0] === 1 && column === j ? [t.name] : []),
    ...(t.shape[1] === 1 && row === i ? [t.name] : []),
  ]
}

const bare = (kind: 'zero' | 'number' | 'sum', text: string): Tree => ({
  kind,
  shape: kind === 'number' ? text : kind,
  leaves: [],
  show: () => text,
})

const ofInput = (asking: Asking, e: Input, i: number, j: number): E.Either<string, Tree> => {
  const t = asking.tensors.find(({ plane }) => plane === e.plane)
  const at = t === undefined ? null : coordinatesOf(t, e.address)
  if (t === undefined || at === null) return E.left('contains an element of no tensor')
  const ways = waysOf(t, at, i, j)
  return ways.length === 0
    ? E.left(`has ${t.name}[${at.map(String).join(', ')}] in it`)
    : E.right({ kind: 'input', shape: `of ${t.name}`, leaves: [ways], show: ([way]) => way! })
}

// ---------------------------------------------------------------- trees

const treeOf = (asking: Asking, e: Element, i: number, j: number): E.Either<string, Tree> => {
  switch (e._tag) {
    case 'zero':
      return E.right(bare('zero', '0'))
    case 'other':
      return E.left(e.why)
    case 'number':
      return E.right(bare('number', showNumber(e.dtype, e.word)))
    case 'input':
      return ofInput(asking, e, i, j)
    case 'sum':
      return E.map((text: string) => bare('sum', text))(asking.sumAt(e, i, j))
    case 'made':
      return madeOf(asking, e, i, j)
  }
}

/** Numbers first, then sums, then what comes of tensors. */
const order: ReadonlyArray<Tree['kind']> = ['zero', 'number', 'sum', 'multiply', 'add', 'input']
const inOrder = (x: Tree, y: Tree): number =>
  order.indexOf(x.kind) - order.indexOf(y.kind) || (x.shape < y.shape ? -1 : x.shape > y.shape ? 1 : 0)

const madeOf = (asking: Asking, { how, of }: Made, i: number, j: number): E.Either<string, Tree> => {
  const parts: Tree[] = []
  for (const one of of) {
    const part = treeOf(asking, one, i, j)
    if (E.isLeft(part)) return part
    parts.push(part.right)
  }
  parts.sort(inOrder)
  return E.right({
    kind: how,
    shape: `${how}(${parts.map(({ shape }) => shape).join(', ')})`,
    leaves: parts.flatMap(({ leaves }) => leaves),
    show: (leaves) => {
      let from = 0
      return parts
        .map((part) => {
          const text = part.show(leaves.slice(from, (from += part.leaves.length)))
          return how === 'add' || (part.kind !== 'sum' && part.kind !== 'add') ? text : `(${text})`
        })
        .join(how === 'add' ? ' + ' : ' * ')
    },
  })
}

// ---------------------------------------------------------------- formulas

/** What the elements that have been looked at have in common. */
export interface Formula {
  readonly tree: Tree
  readonly leaves: ReadonlyArray<Ways>
}

export const showFormula = ({ tree, leaves }: Formula): string => tree.show(leaves.map(([way]) => way!))

/** The formula of element (i, j), and of those before it; a sentence if it has none in common with them. */
export const formulaWith = (
  asking: Asking,
  before: Formula | null,
  e: Element,
  i: number,
  j: number,
): E.Either<string, Formula> => {
  const found = treeOf(asking, e, i, j)
  if (E.isLeft(found)) return found
  const tree = found.right
  if (before === null) return E.right({ tree, leaves: tree.leaves })
  const leaves = before.leaves.map((ways, n) => ways.filter((way) => tree.leaves[n]?.includes(way) === true))
  return before.tree.shape === tree.shape && leaves.every(({ length }) => length > 0)
    ? E.right({ tree, leaves })
    : E.left(
        `is ${showFormula({ tree, leaves: tree.leaves })}, where elements before it are ${showFormula(before)}`,
      )
}
