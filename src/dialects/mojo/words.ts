/**
 * Words: the few operations that a pipeline does with its index and its phase.
 *
 * A pipeline of Mojo computes with registers: an index, a phase bit, a count. Written once over an interface, the same text counts with
 * numbers, which a table can be compared with, and with expressions of a program, which a kernel carries round its loop.
 *
 *     the same step, S = 3             of numbers      of expressions
 *     where(index + 1 == 3, 0, ...)    0               select(eq(add(index, 1), 3), 0, add(index, 1))
 *
 * Laws
 * 1. An expression of `expressions` evaluates to what `numbers` gives for the values of its names.
 */
import * as X from '../../semantics/language/expression.js'
import type { Int } from '../../semantics/language/expression.js'

// ---------------------------------------------------------------- model

export interface Words<W> {
  readonly constant: (n: number) => W
  readonly add: (x: W, y: W) => W
  readonly times: (n: number, x: W) => W
  readonly xor: (x: W, y: W) => W
  /** `yes` where x is n, else `no` */
  readonly where: (x: W, n: number, yes: W, no: W) => W
}

// ---------------------------------------------------------------- instances

export const numbers: Words<number> = {
  constant: (n) => n,
  add: (x, y) => x + y,
  times: (n, x) => n * x,
  xor: (x, y) => x ^ y,
  where: (x, n, yes, no) => (x === n ? yes : no),
}

const valueOf = (x: Int): number | null => (x._tag === 'const' ? Number(x.value) : null)

/** Constants are folded, so the program of one tile has no sums of constants. */
export const expressions: Words<Int> = {
  constant: X.i32,
  add: (x, y) => {
    const [a, b] = [valueOf(x), valueOf(y)]
    if (a !== null && b !== null) return X.i32(a + b)
    return a === 0 ? y : b === 0 ? x : X.add(x, y)
  },
  times: (n, x) => {
    const a = valueOf(x)
    return a !== null ? X.i32(n * a) : n === 1 ? x : X.mul(x, X.i32(n))
  },
  xor: (x, y) => {
    const [a, b] = [valueOf(x), valueOf(y)]
    return a !== null && b !== null ? X.i32(a ^ b) : X.xor(x, y)
  },
  where: (x, n, yes, no) => {
    const a = valueOf(x)
    return a === null ? X.select(X.eq(x, X.i32(n)), yes, no) : a === n ? yes : no
  },
}
