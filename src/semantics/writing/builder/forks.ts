/**
 * Forks: other agents start, run their branches beside the parent, and are joined.
 *
 * A branch runs on other warps with other registers, so its body sees the values it captures and nothing else, under the same keys.
 * Only the parent's branch yields; what it yields is what the fork gives.
 *
 *     const { last } = yield* fork('roles',
 *       { agent: 'consumer', captures: { ring, full }, body: function* (c) { ... return { last } } },
 *       [branch('producer', { ring, full, map }, function* (c) { ... })])
 *
 * Named `warp_map` with `lax.cond` on the thread in Pallas, `ttg.warp_specialize` in Triton, and a test of the warp's index in
 * Mojo and CuTe.
 *
 * Laws
 * 1. A name that a branch does not capture is not bound in it.
 * 2. Captures and results are matched by key; only the parent's branch gives results.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import * as X from '../../language/expression.js'
import { checked } from '../../language/index-types.js'
import { type Branch } from '../../language/program.js'
import { noNames } from '../../language/typecheck.js'
import type { Type, TypeIndex } from '../../language/types.js'
import { type Build, type Steps, build } from './monad.js'
import { type Bodies, type Exprs, bodyRecord, inRegion, named, typesOf } from './regions.js'
import { type State, amend, freshAll, push, siteOf } from './state.js'

// ---------------------------------------------------------------- branches

/** A branch of a fork: the agent that runs it, what it captures, and its body over the captured names. */
export interface BranchSpec {
  readonly agent: string
  /** opens the branch in a state: opaque to users */
  readonly open: (
    state: State,
    label: string,
  ) => E.Either<
    Failure,
    { readonly branch: Branch; readonly after: State; readonly types: ReadonlyArray<readonly [string, Type]> }
  >
}

const openBranch = (
  agent: string,
  captures: Bodies,
  body: (captured: Bodies) => Steps<unknown>,
): BranchSpec => ({
  agent,
  open: (state, label) =>
    pipe(
      typesOf(state, `${label}.${agent}`, captures),
      E.chain((types) => {
        const [binders, entered] = freshAll(amend(state, { names: noNames }), types)
        return pipe(
          inRegion(entered, agent, () => body(named(captures, binders)), entered.names),
          E.chain((opened) => {
            const record = bodyRecord(opened.result)
            return pipe(
              typesOf(opened.inside, `${label}.${agent}`, record),
              E.map((results) => ({
                branch: {
                  agent,
                  captures: Object.values(captures).map((value, k) => ({ binder: binders[k]!, value })),
                  body: opened.region(Object.values(record), []),
                },
                after: amend(opened.outside, { names: state.names }),
                types: results,
              })),
            )
          }),
        )
      }),
    ),
})

/** A branch that another agent runs. Its body sees what it captures and nothing else. */
export const branch = <C extends Readonly<Record<string, TypeIndex>>>(
  agent: string,
  captures: Exprs<C>,
  body: (captured: Exprs<C>) => Steps<void>,
): BranchSpec => openBranch(agent, captures, (captured) => body(checked<Exprs<C>, unknown>(captured)))

// ---------------------------------------------------------------- forks

type ForkBuilder = {
  <C extends Readonly<Record<string, TypeIndex>>>(
    label: string,
    parent: {
      readonly agent: string
      readonly captures: Exprs<C>
      readonly body: (captured: Exprs<C>) => Steps<void>
    },
    branches: ReadonlyArray<BranchSpec>,
  ): Build<void>
  <C extends Readonly<Record<string, TypeIndex>>, R extends Readonly<Record<string, TypeIndex>>>(
    label: string,
    parent: {
      readonly agent: string
      readonly captures: Exprs<C>
      readonly body: (captured: Exprs<C>) => Steps<Exprs<R>>
    },
    branches: ReadonlyArray<BranchSpec>,
  ): Build<Exprs<R>>
}

/** Starts the other agents; the parent goes on in its own branch, whose yields are the results; joins them all. */
export const fork: ForkBuilder = <C extends Readonly<Record<string, TypeIndex>>>(
  label: string,
  parent: {
    readonly agent: string
    readonly captures: Exprs<C>
    readonly body: (captured: Exprs<C>) => Steps<unknown>
  },
  branches: ReadonlyArray<BranchSpec>,
): Build<never> =>
  build((state) => {
    const first = openBranch(parent.agent, parent.captures, (captured) =>
      parent.body(checked<Exprs<C>, unknown>(captured)),
    )
    let after = state
    let types: ReadonlyArray<readonly [string, Type]> = []
    const opened: Branch[] = []
    for (const spec of [first, ...branches]) {
      const next = spec.open(after, label)
      if (E.isLeft(next)) return next
      after = next.right.after
      if (spec === first) types = next.right.types
      opened.push(next.right.branch)
    }
    const [results, done] = freshAll(after, types)
    return checked<E.Either<Failure, readonly [never, State]>, unknown>(
      E.right([
        Object.fromEntries(types.map(([key], k) => [key, X.name(results[k]!.name)])),
        push(done, { _tag: 'Fork', branches: opened, results, site: siteOf(state, label) }),
      ]),
    )
  })
