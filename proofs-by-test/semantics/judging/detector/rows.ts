/** Sparse rows in proofs: made of lists, filled, and equal where they read the same, whatever chunks they share. */
import { expect } from 'vitest'
import { forEach, put, row, type Sparse } from '../../../../src/semantics/judging/detector/sparse.js'

/** As many clocks or barriers as the agents of a proof have. */
const most = 64

export const rowOf = (values: ReadonlyArray<number>): Sparse<number> => {
  const out = row(0)
  values.forEach((value, i) => {
    put(out, i, value)
  })
  return out
}

export const fillRow = <T>(r: Sparse<T>, value: T): void => {
  for (let i = 0; i < most; i++) put(r, i, value)
}

/** What is anywhere in it. */
export const entriesOf = <T>(r: Sparse<T>): ReadonlyArray<readonly [number, T]> => {
  const out: (readonly [number, T])[] = []
  forEach(r, (value, i) => {
    if (!(Array.isArray(value) && value.length === 0)) out.push([i, value])
  })
  return out
}

const isRow = (x: unknown): x is Sparse<unknown> =>
  typeof x === 'object' && x !== null && 'chunks' in x && 'none' in x

expect.addEqualityTesters([
  function (this, a, b) {
    return isRow(a) && isRow(b) ? this.equals(entriesOf(a), entriesOf(b)) : undefined
  },
])
