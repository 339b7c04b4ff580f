/**
 * Scopes: what an expression's value depends on.
 *
 * The world, where the agent stands, the values of the names bound so far, and inside of a combine those of its own.
 */
import type { ExprNode } from '../expression.js'
import type { Value } from './value.js'
import type { Standpoint, World } from './world.js'

/** The values of the names bound so far, by slot. */
export type Frame = ReadonlyArray<Value | undefined>

/** The names of a `reduce`'s combine; everything else is resolved to slots. */
export type Names = ReadonlyMap<string, Value>

export interface Scope {
  readonly world: World
  readonly at: Standpoint
  readonly frame: Frame
  readonly names: Names
}

/** How whoever computes an expression comes by its operands. */
export type Evaluate = (s: Scope, e: ExprNode) => Value

export const noNames: Names = new Map()

export const scope = (world: World, at: Standpoint, frame: Frame, names: Names = noNames): Scope => ({
  world,
  at,
  frame,
  names,
})
