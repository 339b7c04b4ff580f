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
 * Law 1. Where every element is a number, a sum's is that of the products that it names.
 */
import type { Computed } from '../../log/computed.js'
import { coordinatesAt, factors, product, type Products } from './product.js'
import {
  addElements,
  isZero,
  made,
  operandsOf,
  otherElement as other,
  timesNumbers,
  withoutNumbers,
} from './sums.js'
import { input, nowhere, zeroElement, type Element, type Terms } from './terms.js'
import { table } from './tables.js'

type Input = Extract<Element, { readonly _tag: 'input' }>

/** The product of an element of A and one of B; a sentence, if they do not meet. */
const meet = (s: Products, x: Input, y: Input): Element | string => {
  const [left, right] = [coordinatesAt(s, 'a', x.plane, x.address), coordinatesAt(s, 'b', y.plane, y.address)]
  if (left === null || right === null) return 'a product with a value that is not an element'
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
    : `the operands do not match: k-slice ${String(left[1])} of A with k-slice ${String(right[0])} of B`
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
  // numbers inside of a sum are taken out of it
  const hasFactor = (e: Element): boolean =>
    isFactor(e) || (e._tag === 'made' && e.of.filter((of) => of._tag !== 'number').some(isFactor))
  if ((x._tag === 'made' || y._tag === 'made') && hasFactor(x) && hasFactor(y)) {
    const [p, q] = [withoutNumbers(x), withoutNumbers(y)]
    if (typeof p === 'string') return other(`a factor ${p}`)
    if (typeof q === 'string') return other(`a factor ${q}`)
    if (isFactor(p.of) && isFactor(q.of))
      return timesNumbers(multiplyElements(s, p.of, q.of), [...p.numbers, ...q.numbers])
  }
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
