/**
 * Evaluation of expressions: a function of the world, the agent's standpoint and its frame.
 *
 * Total: what cannot be computed is a fault value, and it propagates. This module resolves names and sends every other expression to
 * its kind: numbers (`evaluate-number`), tiles (`evaluate-tile`), places (`evaluate-place`).
 *
 * Law: an expression's value depends on nothing but its operands (no memory, no clock, no order).
 */
import type { ExprNode } from '../expression.js'
import { outOfFuel, spend } from './effort.js'
import { evaluateNumber } from './evaluate-number.js'
import { evaluatePlace } from './evaluate-place.js'
import { evaluateTile } from './evaluate-tile.js'
import { constantOf } from './scalar.js'
import * as V from './value.js'
import type { Value } from './value.js'
import type { Standpoint, World } from './world.js'

/** The names of a `reduce`'s combine; everything else is resolved to slots. */
type Names = ReadonlyMap<string, Value>
const noNames: Names = new Map()

/** A frame: the values of the names bound so far. */
export type Frame = ReadonlyArray<Value | undefined>

/** Tiles cost by their elements. */
const charged = (world: World, v: Value): Value =>
  typeof v !== 'object' || v._tag !== 'tile' || v.data === null || spend(world.effort, v.data.length >> 4)
    ? v
    : outOfFuel

const evaluateIn = (world: World, at: Standpoint, frame: Frame, names: Names, e: ExprNode): Value => {
  switch (e._tag) {
    case 'local':
      return (
        frame[e.slot] ??
        V.fault('name.unset', `slot ${String(e.slot)} is read before it is bound: its statement was skipped`)
      )
    case 'name':
      return (
        names.get(e.name) ?? world.scalars.get(e.name) ?? V.fault('name.unbound', `${e.name} is not bound`)
      )
    case 'const':
      return constantOf(world, e.dtype, e.value)
    default:
      return composed(world, at, frame, names, e)
  }
}

/** Of what has operands of its own, or a place. */
const composed = (
  world: World,
  at: Standpoint,
  frame: Frame,
  names: Names,
  e: Exclude<ExprNode, { readonly _tag: 'local' | 'name' | 'const' }>,
): Value => {
  const go = (x: ExprNode): Value => evaluateIn(world, at, frame, names, x)
  switch (e._tag) {
    case 'unary':
    case 'binary':
    case 'fma':
    case 'compare':
    case 'select':
    case 'convert':
    case 'pack':
    case 'unpack':
      return charged(world, evaluateNumber(world, e, go))
    case 'iota':
    case 'splat':
    case 'broadcast':
    case 'expandDims':
    case 'reshape':
    case 'transpose':
    case 'convertLayout':
    case 'reduce':
    case 'vote':
    case 'item':
      return charged(
        world,
        evaluateTile(world, e, go, (inner, x) => evaluateIn(world, at, frame, inner, x)),
      )
    case 'place':
    case 'dim':
    case 'paramPtr':
    case 'addptr':
    case 'storage':
    case 'tensor':
    case 'descriptor':
    case 'slot':
    case 'slice':
    case 'transposeView':
    case 'reshapeView':
    case 'reinterpret':
    case 'remote':
      return evaluatePlace(world, at, e, go)
  }
}

/** The value of `e` for the agent at `at` whose names are in `frame`. */
export const evaluate = (world: World, at: Standpoint, frame: Frame, e: ExprNode): Value =>
  evaluateIn(world, at, frame, noNames, e)
