/**
 * Scopes: where a statement stands while a program is validated.
 *
 * A scope (`Here`) is the program with its declarations, the names visible at this point, the agents that may run the code, and
 * those busy outside, whom a fork may not start. Going into a region makes a new one; binding a name makes a new one. One thing
 * is not scoped: the set of all names bound so far, since a name is bound once in a program and not once in a scope.
 *
 *     entry                  names {}             runners: all that no fork starts
 *       let x                names {x}
 *       for k                names {x, k}         x may not be bound again in here, nor after
 *       fork producer        names {captures}     runners {producer}, busy {the parent, its siblings}
 *
 * Laws
 * 1. `bindIn` refuses a name that was bound anywhere before, in scope or not.
 * 2. `bindIn` refuses a type that is none (`checkType`).
 * 3. `expect` accepts what `accepts` does, and says otherwise what, expected, found.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { ExprNode } from '../expression.js'
import { sizeOf } from '../../../transforms/shape.js'
import { mostElementsInScope } from '../limits.js'
import type { Agent, Binder, Program } from '../program.js'
import {
  type Binding,
  type Declarations,
  type Environment,
  type Names,
  accepts,
  bind,
  checkType,
  mismatch,
  typeOf,
} from '../typecheck.js'
import type { Type } from '../types.js'
import { type Checked, type Problem, each, no } from './problem.js'

// ---------------------------------------------------------------- model

/** The program, and what every place in it shares. */
export interface Scene {
  readonly program: Program
  readonly declarations: Declarations
  readonly agents: ReadonlyMap<string, Agent>
  /** every name bound so far; grows during the one walk that this module makes */
  readonly bound: Set<string>
}

/** Where a statement stands. */
export interface Here {
  readonly scene: Scene
  readonly names: Names
  /** the agents that may run it */
  readonly runners: ReadonlyArray<Agent>
  /** agents busy outside: a fork may not start them */
  readonly busy: ReadonlyArray<string>
  /** elements of the tiles in scope */
  readonly elements: number
}

// ---------------------------------------------------------------- destructors

export const environment = (here: Here): Environment => ({
  declarations: here.scene.declarations,
  names: here.names,
})

export const isProblem = (value: Here | Problem): value is Problem => 'code' in value

export const typesOf = (binders: ReadonlyArray<Binder>): ReadonlyArray<Type> =>
  binders.map(({ type }) => type)

// ---------------------------------------------------------------- binding

/** Binds a name once. The new scope, or why not. */
export const bindIn = (here: Here, binder: Binder, binding: Binding): Here | Problem => {
  if (here.scene.bound.has(binder.name))
    return no('name.bound-twice', `The name ${binder.name} is bound twice: names are bound once in a program`)
  here.scene.bound.add(binder.name)
  const type = checkType(binder.type)
  if (E.isLeft(type)) return no(type.left.code, `${binder.name}: ${type.left.message}`)
  const elements = here.elements + (binder.type._tag === 'tile' ? sizeOf(binder.type.shape) : 0)
  if (elements > mostElementsInScope)
    return no(
      'type.shape',
      `${binder.name}: the tiles in scope have at most ${String(mostElementsInScope)} elements, found ${String(elements)}`,
    )
  return {
    scene: here.scene,
    names: bind(here.names, binder.name, binding),
    runners: here.runners,
    busy: here.busy,
    elements,
  }
}

export const bindAll = (here: Here, binders: ReadonlyArray<Binder>): Here | Problem => {
  let at = here
  for (const binder of binders) {
    const next = bindIn(at, binder, { type: binder.type })
    if (isProblem(next)) return next
    at = next
  }
  return at
}

// ---------------------------------------------------------------- expecting

/** The expression has the expected type here. */
export const expect = (here: Here, what: string, expr: ExprNode, expected: Type): Checked => {
  const found = typeOf(environment(here))(expr)
  if (E.isLeft(found)) return no(found.left.code, `${what}: ${found.left.message}`)
  return accepts(expected, found.right) ? null : mismatch(what, expected, found.right)
}

export const expectAll = (
  here: Here,
  what: string,
  exprs: ReadonlyArray<ExprNode>,
  expected: ReadonlyArray<Type>,
): Checked =>
  exprs.length === expected.length
    ? each(exprs, (expr, k) => expect(here, `${what} ${String(k)}`, expr, expected[k]!))
    : no(
        'type.mismatch',
        `${what}: expected ${String(expected.length)} values, found ${String(exprs.length)}`,
      )

/** Binders of the expected types. */
export const sameTypes = (
  what: string,
  binders: ReadonlyArray<Binder>,
  expected: ReadonlyArray<Type>,
): Checked =>
  binders.length === expected.length
    ? each(binders, ({ name, type }, k) =>
        accepts(expected[k]!, type) ? null : mismatch(`${what} ${name}`, expected[k]!, type),
      )
    : no('type.mismatch', `${what}: expected ${String(expected.length)}, found ${String(binders.length)}`)
