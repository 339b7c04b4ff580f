/**
 * Environments: what an expression's value depends on.
 *
 * The world, where the agent stands, the values of the names bound so far, and inside of a combine those of its own.
 */
import type { ExprNode } from '../language/expression.js'
import type { Value } from './value.js'
import type { Standpoint } from './front.js'
import type { World } from './world.js'

/** The values of the names bound so far, by slot. */
export type Frame = ReadonlyArray<Value | undefined>

/** The names of a `reduce`'s combine; everything else is resolved to slots. */
export type Names = ReadonlyMap<string, Value>

export interface Environment {
  readonly world: World
  readonly at: Standpoint
  readonly frame: Frame
  readonly names: Names
}

/** How the operands of an expression are come by. */
export type Evaluate = (env: Environment, e: ExprNode) => Value

export const noNames: Names = new Map()

export const environment = (
  world: World,
  at: Standpoint,
  frame: Frame,
  names: Names = noNames,
): Environment => ({
  world,
  at,
  frame,
  names,
})
