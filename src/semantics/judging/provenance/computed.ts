/**
 * Sums and products of elements, as a warp makes them in its registers.
 *
 * A product of an element of A and one of B is a sum over one k, if they meet there. Sums that are added must be of one row and one column. What else is multiplied or
 * added, by numbers too, is kept as it was made: an epilogue (`epilogue.ts`).
 *
 *     a[2, 5] * b[5, 7]                                   {A[2, 5] B[5, 7]}
 *     {A[2, 0:5] B[0:5, 7]} + {A[2, 5] B[5, 7]}           {A[2, 0:6] B[0:6, 7]}: one chain
 *     {A[2, 0:64] B[0:64, 7]} + {A[2, 64:128] ...}        {0:64, 64:128}: every k once, not in one chain
 *     a[2, 5] * b[6, 7]                                   other: they do not meet
 *     0 * b[6, 7]                                         other: zero only if b[6, 7] is finite
 *
 * Laws
 * 1. `addElements` is commutative and associative as of multisets, with zero neutral.
 * 2. where every element is a number, a sum's is that of the products that it names.
 */
import type { Computed } from '../../log/computed.js'
import { andThen } from './intervals.js'
import { coordinatesAt, factors, product, type Products } from './product.js'
import { input, nowhere, zeroElement, type Element, type Terms } from './terms.js'
import { table } from './tables.js'

const other = (why: string): Element => ({ _tag: 'other', why })

type Sum = Extract<Element, { readonly _tag: 'sum' }>

/** Is it a zero that no data has made? An element that is nowhere is one. */
const isZero = (x: Element): boolean => x._tag === 'zero' || (x._tag === 'input' && x.address < 0)

const isOneProduct = ({ ks }: Sum): boolean => ks.length === 2 && ks[1]! - ks[0]! === 1

/** A product joins the chain of those before it, and of two products either is the first; two sums are two lists. */
const ksOf = (x: Sum, y: Sum): Sum['ks'] => {
  if (isOneProduct(y) && !(isOneProduct(x) && y.ks[0]! < x.ks[0]!)) return andThen(x.ks, y.ks)
  return isOneProduct(x) ? andThen(y.ks, x.ks) : [...x.ks, ...y.ks]
}

export const addElements = (x: Element, y: Element): Element => {
  if (x._tag === 'other') return x
  if (y._tag === 'other') return y
  if (isZero(x)) return isZero(y) ? zeroElement : y
  if (isZero(y)) return x
  return x._tag === 'sum' && y._tag === 'sum' ? addSums(x, y) : addMade(x, y)
}

const addSums = (x: Sum, y: Sum): Element => {
  if (x.a !== y.a || x.b !== y.b || x.scaled !== y.scaled)
    return other('products of two pairs of tensors are added')
  return x.row === y.row && x.column === y.column
    ? {
        _tag: 'sum',
        a: x.a,
        b: x.b,
        row: x.row,
        column: x.column,
        ks: ksOf(x, y),
        scaled: x.scaled,
      }
    : other(
        `the sum for row ${String(y.row)} and column ${String(y.column)} is added to that for row ${String(x.row)} and column ${String(x.column)}`,
      )
}

/** An epilogue has no more operands in one place: what has is not one. */
const mostOperands = 8

const operandsOf = (how: 'add' | 'multiply', x: Element): ReadonlyArray<Element> =>
  x._tag === 'made' && x.how === how ? x.of : [x]

const made = (how: 'add' | 'multiply', of: ReadonlyArray<Element>): Element =>
  of.length > mostOperands
    ? other(
        `more than ${String(mostOperands)} values other than products of the two tensors are ${how === 'add' ? 'added' : 'multiplied'}`,
      )
    : { _tag: 'made', how, of }

/** Products of one chain go on in it, whatever was added in between. */
const addMade = (x: Element, y: Element): Element => {
  const out = [...operandsOf('add', x)]
  for (const one of operandsOf('add', y)) {
    const at = one._tag === 'sum' ? out.findIndex(({ _tag }) => _tag === 'sum') : -1
    if (at < 0) out.push(one)
    else out[at] = addElements(out[at]!, one)
  }
  return out.find(({ _tag }) => _tag === 'other') ?? made('add', out)
}

type Input = Extract<Element, { readonly _tag: 'input' }>

/** The product of an element of A and one of B; a sentence, if they do not meet. */
const meet = (s: Products, x: Input, y: Input): Element | string => {
  const [left, right] = [coordinatesAt(s, 'a', x.plane, x.address), coordinatesAt(s, 'b', y.plane, y.address)]
  if (left === null || right === null) return 'a product of what is no element'
  return left[1] === right[0]
    ? {
        _tag: 'sum',
        a: x.plane,
        b: y.plane,
        row: left[0],
        column: right[1],
        ks: [left[1], left[1] + 1],
        scaled: false,
      }
    : `the operands do not meet: k-slice ${String(left[1])} of A with k-slice ${String(right[0])} of B`
}

const multiplyElements = (s: Products, x: Element, y: Element): Element => {
  if (x._tag === 'other') return x
  if (y._tag === 'other') return y
  if (isZero(x) && isZero(y)) return zeroElement
  if ((isZero(x) && y._tag === 'number') || (isZero(y) && x._tag === 'number')) return zeroElement
  if (isZero(x) || isZero(y))
    return other('a product of zero and of data, which is zero only if that is finite')
  const planes = factors(s)
  const isFactor = (e: Element): boolean => e._tag === 'input' && planes?.includes(e.plane) === true
  if (x._tag !== 'input' || y._tag !== 'input' || planes === null || !(isFactor(x) && isFactor(y)))
    return made('multiply', [...operandsOf('multiply', x), ...operandsOf('multiply', y)])
  const [a, b] = planes
  const ways: ReadonlyArray<readonly [Input, Input]> = [
    ...(x.plane === a && y.plane === b ? [[x, y] as const] : []),
    ...(y.plane === a && x.plane === b ? [[y, x] as const] : []),
  ]
  if (ways.length === 0) return other('a product of two elements that are not one of each factor')
  const met = ways.map(([left, right]) => meet(s, left, right))
  const [first] = met
  return met.find((m) => typeof m !== 'string') ?? other(typeof first === 'string' ? first : '')
}

// ---------------------------------------------------------------- values

/** Operands as a computed value names them. */
export interface Operands {
  /** elements of stretches, of a type */
  readonly elements: (stretches: ReadonlyArray<number>, dtype: Computed['dtype']) => ReadonlyArray<Element>
  /** their terms together */
  readonly together: (elements: ReadonlyArray<Element>) => Terms
}

/** A fragment of a factor; what is zero in it is nowhere. */
const fragment = (s: Products, o: Operands, elements: ReadonlyArray<Element>): Terms => {
  const held = elements.find((e) => !isZero(e))
  if (held?._tag !== 'input') return o.together(elements)
  const { plane } = held
  return elements.every((e) => isZero(e) || (e._tag === 'input' && e.plane === plane))
    ? input(
        plane,
        table(
          s.tables,
          Int32Array.from(elements, (e) => (e._tag === 'input' ? e.address : nowhere)),
        ),
        0,
      )
    : o.together(elements)
}

/** What a computed value is: its elements, or the terms of all of them. */
export const valueOf = (s: Products, o: Operands, c: Computed): ReadonlyArray<Element> | Terms => {
  if (c._tag === 'matrices') {
    const [a, b] = [o.elements(c.a, c.aType), o.elements(c.b, c.bType)]
    const old = o.elements(c.c, c.cType)
    if ([...a, ...b].every(isZero)) return o.together(old)
    return product(
      s,
      [{ terms: fragment(s, o, a), shape: [c.m, c.k] }],
      [{ terms: fragment(s, o, b), shape: [c.k, c.n] }],
      { a: [], b: [] },
      o.together(old),
      [c.m, c.n],
    )
  }
  const [x, y] = [o.elements(c.x, c.dtype), o.elements(c.y, c.dtype)]
  switch (c._tag) {
    case 'add':
      return x.map((one, i) => addElements(one, y[i]!))
    case 'multiply':
      return x.map((one, i) => multiplyElements(s, one, y[i]!))
    case 'multiplyAdd': {
      const z = o.elements(c.z, c.dtype)
      return x.map((one, i) => addElements(z[i]!, multiplyElements(s, one, y[i]!)))
    }
  }
}
