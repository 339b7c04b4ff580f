/**
 * Evaluation of expressions: a function of its environment.
 *
 * Total: what cannot be computed is a fault value, and it propagates. This module resolves names and sends every other expression to
 * its kind: numbers (`evaluate-number`), tiles (`evaluate-tile`), places (`evaluate-place`).
 *
 * Law: an expression's value depends on nothing but its operands (no memory, no clock, no order).
 */
import type { ExprNode } from '../language/expression.js'
import { outOfFuel, spend } from './effort.js'
import { evaluateNumber } from './evaluate-number.js'
import { evaluatePlace } from './evaluate-place.js'
import { evaluateTile } from './evaluate-tile.js'
import { constantOf } from './scalar.js'
import { environment, type Frame, type Environment } from './environment.js'
import * as V from './value.js'
import type { Value } from './value.js'
import type { Standpoint } from './front.js'
import type { World } from './world.js'

/** Tiles cost by their elements. */
const charged = (world: World, v: Value): Value =>
  typeof v !== 'object' || v._tag !== 'tile' || v.data === null || spend(world.effort, v.data.length >> 4)
    ? v
    : outOfFuel

/** The value of `e`. */
export const valueIn = (env: Environment, e: ExprNode): Value => {
  switch (e._tag) {
    case 'local':
      return (
        env.frame[e.slot] ??
        V.fault('name.unset', `slot ${String(e.slot)} is read before it is bound: its statement was skipped`)
      )
    case 'name':
      return (
        env.names.get(e.name) ??
        env.world.scalars.get(e.name) ??
        V.fault('name.unbound', `${e.name} is not bound`)
      )
    case 'const':
      return constantOf(env.world, e.dtype, e.value)
    default:
      return composed(env, e)
  }
}

/** Of what has operands of its own, or a place; the most frequent first. */
const composed = (
  env: Environment,
  e: Exclude<ExprNode, { readonly _tag: 'local' | 'name' | 'const' }>,
): Value => {
  switch (e._tag) {
    case 'binary':
    case 'compare':
    case 'select':
    case 'convert':
    case 'unary':
    case 'fma':
    case 'pack':
    case 'unpack':
      return charged(env.world, evaluateNumber(env, e, valueIn))
    case 'slot':
    case 'storage':
    case 'place':
    case 'tensor':
    case 'descriptor':
    case 'slice':
    case 'dim':
    case 'paramPtr':
    case 'addptr':
    case 'castPtr':
    case 'transposeView':
    case 'reshapeView':
    case 'reinterpret':
    case 'remote':
      return evaluatePlace(env, e, valueIn)
    case 'iota':
    case 'splat':
    case 'broadcast':
    case 'expandDims':
    case 'reshape':
    case 'transpose':
    case 'gather':
    case 'convertLayout':
    case 'dot':
    case 'reduce':
    case 'vote':
    case 'item':
      return charged(env.world, evaluateTile(env, e, valueIn))
  }
}

/** The value of `e` for the agent at `at` whose names are in `frame`. */
export const evaluate = (world: World, at: Standpoint, frame: Frame, e: ExprNode): Value =>
  valueIn(environment(world, at, frame), e)
