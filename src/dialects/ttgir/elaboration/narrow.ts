/**
 * Integers of 8 and 16 bits in registers.
 *
 * The language has them in memory only: in a register they are an i32, as after `ld.s8` and `ld.s16`, with the sign in all upper bits. So an operation
 * is that of i32, and its result is brought back where it may have left the range; one that takes its operands as unsigned is given them with zeros above.
 *
 *     i8   -128 .. 127         addi 100, 100      200 in i32, -56 of it in eight bits
 *                              shrui -1, 1        255 shifted, 127
 *                              cmpi ult           the order of i32 is theirs, the signs above included
 *
 * Laws
 * 1. What an operation gives is what it gives on integers of n bits, with the sign in all upper bits.
 *
 * Source: PTX ISA, operand size conversions; MLIR, arith.
 */
import { block, letIn, typeHere, type Build } from '../../../semantics/writing/builder.js'
import * as X from '../../../semantics/language/expression.js'
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import { elementOf } from './kinds.js'
import type { Type } from '../text/syntax.js'

/** Of 8 or of 16 bits; null: of another type. */
export const narrowOf = (t: Type): 8 | 16 | null => {
  const element = elementOf(t)
  return element._tag === 'integer' && (element.bits === 8 || element.bits === 16) ? element.bits : null
}

type Tile = Expr<'i32'>

/** A number for each element of an expression. */
const everywhere = (e: Expr, n: number): Build<Tile> =>
  block(function* () {
    const type = yield* typeHere(e)
    return type._tag === 'tile' ? checked<Tile, Expr>(X.splat(X.i32(n), type.shape)) : X.i32(n)
  })

/** The low bits, with their sign above. */
export const signed = (label: string, e: Expr, bits: 8 | 16): Build<Expr> =>
  block(function* () {
    const by = yield* everywhere(e, 32 - bits)
    return yield* letIn(label, X.shrS(X.shl(checked<Tile, Expr>(e), by), by))
  })

/** The next bits above the low ones, with their sign above. */
export const above = (label: string, e: Expr, bits: 8 | 16): Build<Expr> =>
  block(function* () {
    const up = yield* everywhere(e, 32 - 2 * bits)
    const down = yield* everywhere(e, 32 - bits)
    return yield* letIn(label, X.shrS(X.shl(checked<Tile, Expr>(e), up), down))
  })

/** The low bits, with zeros above. */
export const unsigned = (label: string, e: Expr, bits: 8 | 16): Build<Expr> =>
  block(function* () {
    return yield* letIn(label, X.and(checked<Tile, Expr>(e), yield* everywhere(e, 2 ** bits - 1)))
  })
