/**
 * The typing of expressions: `typeOf` is the meaning of an expression in types, a function from the types of the names in scope, and
 * of what the program declares, to the type of the value, or to the reason why there is none.
 *
 * Names are looked up here; arithmetic (`scalars.ts`), tiles (`tiles.ts`) and places (`places.ts`) have a module each, and this
 * one closes the recursion between them.
 *
 * What is no expression has no type: a number from JavaScript is `type.expression`, at the statement where it was given.
 *
 * Laws
 * 1. `typeOf` does not depend on names that the expression does not contain.
 * 2. A name has the type it is bound to; a scalar parameter is a name in scope everywhere, unless something else is bound to it.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../../../failure.js'
import { isOf, type ExprNode } from '../expression.js'
import { scalar } from '../types.js'
import { type Environment, lookup } from './environment.js'
import type { Typer } from './operand.js'
import { typeOfPlaces } from './places.js'
import { typeOfScalars } from './scalars.js'
import { typeOfTiles } from './tiles.js'
import type { Typing } from './typing.js'

/** The type of an expression, or why it has none. */
export const typeOf: Typer =
  (env: Environment) =>
  (expr: ExprNode): Typing => {
    // types say that it is one, and JavaScript does not read them
    if (!isTagged(expr)) return notAnExpression(expr)
    if (expr._tag === 'name') {
      const found = lookup(env.names, expr.name)
      if (found !== undefined) return E.right(found.type)
      const param = env.declarations.params.get(expr.name)
      return param?._tag === 'scalar'
        ? E.right(scalar(param.dtype))
        : refuse('name.unbound', `The name ${expr.name} is not bound here`)
    }
    if (expr._tag === 'local') return refuse('ir.linked', 'A frame slot is allowed only in a linked program')
    if (isOf('places', expr)) return typeOfPlaces(env.declarations, typeOf(env))(expr)
    if (isOf('tiles', expr)) return typeOfTiles(typeOf, env)(expr)
    if (expr._tag === 'const' || isOf('coordinates', expr) || isOf('numbers', expr))
      return typeOfScalars(env.declarations, typeOf(env))(expr)
    return notAnExpression(expr)
  }

const isTagged = (value: unknown): boolean => typeof value === 'object' && value !== null && '_tag' in value

/** A number where an expression belongs, say: without types nothing else refuses it. */
const notAnExpression = (value: unknown): Typing => {
  const [found, remedy] =
    typeof value === 'number'
      ? [
          `the number ${String(value)}`,
          `: a constant is ${Number.isInteger(value) ? `i32(${String(value)})` : `float(dtype, ${String(value)})`}`,
        ]
      : typeof value === 'boolean'
        ? [`${String(value)}`, `: a constant is i1(${String(value)})`]
        : [value === null ? 'null' : typeof value === 'object' ? 'another object' : typeof value, '']
  return refuse('type.expression', `Expected an expression, found ${found}${remedy}`)
}
