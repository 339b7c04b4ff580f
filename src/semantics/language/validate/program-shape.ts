/**
 * Shapes of programs: a program as plain data, before anything about it is believed.
 *
 * What a file, a mutation or a builder hands over has the keys and tags of a `Program`, but its expressions carry no index that tsc could
 * use: nothing says yet that a name which stands where a barrier should is one. `Unindexed<T>` is `T` without those
 * promises; validation is the only way back.
 *
 *     Unindexed<{ cond: Expr<'i1'>, label: string }>  =  { cond: ExprNode, label: string }
 *
 * Laws
 * 1. Every `T` is an `Unindexed<T>`: forgetting is free (checked by tsc: encoding is the identity).
 */
import type { ExprNode } from '../expression.js'
import type { Instruction } from '../instruction.js'
import type { Program } from '../program.js'
import type { Type } from '../types.js'

/** A structure without the phantom indices of its expressions: what a decoded program is before it is checked. */
export type Unindexed<T> = T extends ExprNode
  ? ExprNode
  : T extends string | number | boolean | Type
    ? T
    : { readonly [K in keyof T]: Unindexed<T[K]> }

export type ProgramShape = Unindexed<Program>
export type InstructionShape = Unindexed<Instruction>
