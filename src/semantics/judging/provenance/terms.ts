/**
 * Terms: what the elements of one access are made of.
 *
 *     zero      nothing yet
 *     input     elements of a tensor parameter, by byte address
 *     sum       A[row, k] * B[k, column] added for the k in ks
 *     each      of an epilogue, one by one: numbers, and sums and products of such and of the above (`epilogue.ts`)
 *     other     something that this fold cannot say, with the reason
 *
 * The elements of an access have terms of one kind. Which element of a tensor each is stands in a shared table and an origin. An element that is
 * nowhere, as those of a box that leaves its tensor, is at address -1, in row -1, in column -1: it is zero, and so is every product with it.
 *
 * Laws
 * 1. `pick(terms, elements)` has at i the term of element elements[i].
 *
 * Source: the free-semiring reading of data movement (Green, Karvounarakis and Tannen, provenance semirings).
 */
import type { Dtype } from '../../../numerics/dtype.js'
import type { Intervals } from './intervals.js'
import { picked, type Table, type Tables } from './tables.js'

export interface InputTerms {
  readonly _tag: 'input'
  readonly plane: number
  /** element e is at byte `origin + offsets[e]` */
  readonly offsets: Table
  readonly origin: number
}
export interface SumTerms {
  readonly _tag: 'sum'
  readonly a: number
  readonly b: number
  /** element e sums over row `row + rows[e]` of A and column `column + columns[e]` of B */
  readonly rows: Table
  readonly row: number
  readonly columns: Table
  readonly column: number
  readonly ks: Intervals
  /** with each element times its scale, as the program says they lie */
  readonly scaled: boolean
}
export interface EachTerms {
  readonly _tag: 'each'
  readonly elements: ReadonlyArray<Element>
}
export type Terms =
  | { readonly _tag: 'zero' }
  | InputTerms
  | SumTerms
  | EachTerms
  | { readonly _tag: 'other'; readonly why: string }

export const zero: Terms = { _tag: 'zero' }
export const other = (why: string): Terms => ({ _tag: 'other', why })
export const input = (plane: number, offsets: Table, origin: number): InputTerms => ({
  _tag: 'input',
  plane,
  offsets,
  origin,
})
export const sum = (
  a: number,
  b: number,
  rows: Table,
  row: number,
  columns: Table,
  column: number,
  ks: Intervals,
  scaled: boolean,
): SumTerms => ({ _tag: 'sum', a, b, rows, row, columns, column, ks, scaled })

/** The address, row or column of an element that is nowhere. */
export const nowhere = -1
/** Is one of the elements nowhere? */
export const leavesTensor = (t: InputTerms): boolean => t.origin + t.offsets.least < 0

export const addressOf = (t: InputTerms, e: number): number => t.origin + t.offsets.values[e]!
export const rowOf = (t: SumTerms, e: number): number => t.row + t.rows.values[e]!
export const columnOf = (t: SumTerms, e: number): number => t.column + t.columns.values[e]!

/** The term of one element. */
export type Element =
  | { readonly _tag: 'zero' }
  | { readonly _tag: 'input'; readonly plane: number; readonly address: number }
  | {
      readonly _tag: 'sum'
      readonly a: number
      readonly b: number
      readonly row: number
      readonly column: number
      readonly ks: Intervals
      readonly scaled: boolean
    }
  /** a number that no data has made */
  | { readonly _tag: 'number'; readonly dtype: Dtype; readonly word: number }
  | { readonly _tag: 'made'; readonly how: 'add' | 'multiply'; readonly of: ReadonlyArray<Element> }
  | { readonly _tag: 'other'; readonly why: string }

export const zeroElement: Element = { _tag: 'zero' }

export const elementOf = (terms: Terms, e: number): Element => {
  switch (terms._tag) {
    case 'zero':
    case 'other':
      return terms
    case 'each':
      return terms.elements[e]!
    case 'input':
      return { _tag: 'input', plane: terms.plane, address: addressOf(terms, e) }
    case 'sum':
      return {
        _tag: 'sum',
        a: terms.a,
        b: terms.b,
        row: rowOf(terms, e),
        column: columnOf(terms, e),
        ks: terms.ks,
        scaled: terms.scaled,
      }
  }
}

/** The terms of some elements of one access. */
export const pick = (s: Tables, terms: Terms, elements: Table): Terms => {
  switch (terms._tag) {
    case 'zero':
    case 'other':
      return terms
    case 'each':
      return { _tag: 'each', elements: Array.from(elements.values, (e) => terms.elements[e]!) }
    case 'input': {
      const offsets = picked(s, terms.offsets, elements)
      return input(terms.plane, offsets.table, terms.origin + offsets.by)
    }
    case 'sum': {
      const rows = picked(s, terms.rows, elements)
      const columns = picked(s, terms.columns, elements)
      return sum(
        terms.a,
        terms.b,
        rows.table,
        terms.row + rows.by,
        columns.table,
        terms.column + columns.by,
        terms.ks,
        terms.scaled,
      )
    }
  }
}
