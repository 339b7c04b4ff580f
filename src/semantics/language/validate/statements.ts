/**
 * Statements and regions: one walk through a program, in the order in which it is written.
 *
 * Validating a statement takes a scope to the scope after it, or to a problem. What a statement demands of the outside (operands,
 * bounds, initial values, the types of its results) is checked first and told with its own site; then its regions, whose statements tell
 * theirs; then its results are bound outside.
 *
 * | statement | region        | parameters     | yields                         | results          |
 * |-----------|---------------|----------------|--------------------------------|------------------|
 * | For       | body          | (index, carried by name) | as carried           | as carried       |
 * | While     | before        | (carried by name) | i1, then the arguments of after | as those arguments |
 * |           | after         | the arguments  | as carried                     |                  |
 * | If        | then, else    | none           | as the results                 | those            |
 * | Fork      | each branch   | (captures by name) | the parent's: as the results; the others': none | those |
 *
 * A branch of a fork sees what it captures and nothing else: it runs on other warps, with other registers.
 *
 * Laws
 * 1. An accepted region binds each name once and uses it only where it is in scope.
 * 2. The table: other types or numbers of parameters, yields and results are refused with type.mismatch.
 * 3. What is known of a value, its descriptor and where it starts, is known of the name that it is bound to or captured under.
 * 4. A problem begins with the path and label of the innermost statement that has it, once.
 */
import type { ExprNode } from '../expression.js'
import { type Binder, type Branch, type Do, type Fork, type Region, type Stmt } from '../program.js'
import { about, statement } from '../refusal.js'
import { operandsOf, resultTypes } from '../signature.js'
import { bindingOf, noNames } from '../typecheck.js'
import { type Type, i1, i32 } from '../types.js'
import { forkRules } from './agents.js'
import { ownRegisters, rule } from './instructions.js'
import { operands } from './operands.js'
import { type Checked, type Problem, each, first } from './problem.js'
import {
  type Here,
  bindAll,
  bindIn,
  environment,
  expect,
  expectAll,
  isProblem,
  sameTypes,
  typesOf,
} from './scope.js'

// ---------------------------------------------------------------- sites

const atSite = (stmt: Stmt, problem: Problem): Problem => {
  const where = [...stmt.site.path, stmt.site.label].join(' / ')
  const loc = stmt.site.loc === undefined ? '' : ` (${stmt.site.loc})`
  const what = stmt._tag === 'Do' ? `${stmt.instruction._tag}, ` : ''
  return about(
    { code: problem.code, message: `${where}${loc}: ${what}${problem.message}`, about: problem.about ?? [] },
    statement(stmt.site),
  )
}

// ---------------------------------------------------------------- instructions

const validateDo = (here: Here, stmt: Do): Here | Problem => {
  const found = operands(here, stmt.instruction)
  if ('code' in found) return found
  const problem = first([
    () => (stmt.when === undefined ? null : expect(here, 'when', stmt.when, i1)),
    () => rule(here, stmt.instruction, found),
    () => each(operandsOf(stmt.instruction), ({ field, expr }) => ownRegisters(here, field, expr)),
    () => {
      if (stmt.results.length === 0) return null
      const results = resultTypes(stmt.instruction, found.type)
      return results === undefined ? null : sameTypes('result', stmt.results, results)
    },
  ])
  return problem ?? bindAll(here, stmt.results)
}

// ---------------------------------------------------------------- regions

/** A region with parameters and yields of these types. */
export const validateRegion = (
  here: Here,
  region: Region,
  params: ReadonlyArray<Type>,
  yields: ReadonlyArray<Type>,
): Checked => {
  const wrong = sameTypes('a parameter of the region', region.params, params)
  if (wrong !== null) return wrong
  const entered = bindAll(here, region.params)
  return isProblem(entered) ? entered : validateBody(entered, region, yields)
}

const validateBody = (here: Here, region: Region, yields: ReadonlyArray<Type>): Checked => {
  let at = here
  for (const stmt of region.body) {
    const next = validateStmt(at, stmt)
    // An inner statement has said where it is already.
    if (isProblem(next)) return next
    at = next
  }
  return expectAll(at, 'yield', region.yields, yields)
}

const inits = (
  here: Here,
  stmt: { readonly carried: ReadonlyArray<{ readonly binder: Binder; readonly init: ExprNode }> },
): Checked =>
  each(stmt.carried, ({ binder, init }) =>
    expect(here, `the initial value of ${binder.name}`, init, binder.type),
  )

// ---------------------------------------------------------------- statements

/** Results are bound outside, with the names that the inner regions used up. */
const validateStmt = (here: Here, stmt: Stmt): Here | Problem => {
  const located = (problem: Problem): Problem => atSite(stmt, problem)
  switch (stmt._tag) {
    case 'Let': {
      const problem = expect(here, stmt.binder.name, stmt.expr, stmt.binder.type)
      if (problem !== null) return located(problem)
      const next = bindIn(here, stmt.binder, bindingOf(environment(here))(stmt.expr, stmt.binder.type))
      return isProblem(next) ? located(next) : next
    }
    case 'Do': {
      const next = validateDo(here, stmt)
      return isProblem(next) ? located(next) : next
    }
    case 'For': {
      const carried = typesOf(stmt.carried.map(({ binder }) => binder))
      const outside = first([
        () => expect(here, 'from', stmt.from, i32),
        () => expect(here, 'to', stmt.to, i32),
        () => expect(here, 'step', stmt.step, i32),
        () => inits(here, stmt),
        () => sameTypes('index', [stmt.index], [i32]),
        () => sameTypes('result', stmt.results, carried),
      ])
      if (outside !== null) return located(outside)
      const entered = bindAll(here, [stmt.index, ...stmt.carried.map(({ binder }) => binder)])
      if (isProblem(entered)) return located(entered)
      const inside = validateRegion(entered, stmt.body, [], carried)
      if (inside !== null) return inside
      const after = bindAll(here, stmt.results)
      return isProblem(after) ? located(after) : after
    }
    case 'While': {
      const carried = typesOf(stmt.carried.map(({ binder }) => binder))
      const args = typesOf(stmt.after.params)
      const outside = first([() => inits(here, stmt), () => sameTypes('result', stmt.results, args)])
      if (outside !== null) return located(outside)
      const entered = bindAll(
        here,
        stmt.carried.map(({ binder }) => binder),
      )
      if (isProblem(entered)) return located(entered)
      const inside = first([
        () => validateRegion(entered, stmt.before, [], [i1, ...args]),
        () => validateRegion(here, stmt.after, args, carried),
      ])
      if (inside !== null) return inside
      const after = bindAll(here, stmt.results)
      return isProblem(after) ? located(after) : after
    }
    case 'If': {
      const results = typesOf(stmt.results)
      const outside = expect(here, 'condition', stmt.cond, i1)
      if (outside !== null) return located(outside)
      const inside = first([
        () => validateRegion(here, stmt.then, [], results),
        () => validateRegion(here, stmt.else, [], results),
      ])
      if (inside !== null) return inside
      const after = bindAll(here, stmt.results)
      return isProblem(after) ? located(after) : after
    }
    case 'Fork': {
      const outside = forkRules(here, stmt)
      if (outside !== null) return located(outside)
      const inside = each(stmt.branches, (branch, k) => {
        const problem = validateBranch(here, stmt, branch, k === 0 ? typesOf(stmt.results) : [])
        return problem
      })
      if (inside !== null) return inside
      const after = bindAll(here, stmt.results)
      return isProblem(after) ? located(after) : after
    }
  }
}

const validateBranch = (here: Here, stmt: Fork, branch: Branch, yields: ReadonlyArray<Type>): Checked => {
  const agent = here.scene.agents.get(branch.agent)!
  const wrong = each(branch.captures, ({ binder, value }) =>
    expect(here, `the capture ${binder.name}`, value, binder.type),
  )
  if (wrong !== null) return atSite(stmt, wrong)
  let at: Here | Problem = {
    scene: here.scene,
    names: noNames,
    runners: [agent],
    busy: [...here.busy, ...here.runners.map(({ name }) => name), ...stmt.branches.map((one) => one.agent)],
    elements: 0,
  }
  for (const { binder, value } of branch.captures) {
    if (isProblem(at)) break
    at = bindIn(at, binder, bindingOf(environment(here))(value, binder.type))
  }
  return isProblem(at) ? atSite(stmt, at) : validateRegion(at, branch.body, [], yields)
}
