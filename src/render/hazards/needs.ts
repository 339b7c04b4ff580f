/**
 * Which clauses of the memory model each hazard needs: found by leaving each clause out, on one run of each of its twins in the zoo.
 *
 * Laws
 * 1. Of a bad twin: without a clause of `missed` something that is wrong with it is no longer said.
 * 2. Of a mended one: without a clause of `refused` it is called wrong.
 */
import * as E from 'fp-ts/lib/Either.js'
import { zoo } from '../../kernels/broken/zoo/index.js'
import { unit } from '../../numerics/unit.js'
import { remembered } from '../../remembered.js'
import { launch, noArguments } from '../../semantics/execution/launch.js'
import { eager } from '../../semantics/execution/policy.js'
import { collect, run, settings } from '../../semantics/execution/run.js'
import type { HazardId } from '../../semantics/judging/finding.js'
import { hazardIds } from '../../semantics/judging/hazards.js'
import type { Program } from '../../semantics/language/program.js'
import { clauses, model, usual, type Modelled } from '../../semantics/model/index.js'

/** What the model says, without the numbers of a run. */
const items = (m: Modelled): ReadonlySet<string> =>
  new Set([
    ...m.clusters.flatMap((c) => [
      ...c.found.pairs.map(
        (p) => `${p.kind} ${String(p.a.access.stamp.site)} ${String(p.b.access.stamp.site)}`,
      ),
      ...c.found.nothing.map((t) => `nothing ${String(t.access.stamp.site)}`),
      ...c.failing.map((f) => f.condition),
      ...c.left.map((l) => l.id),
      ...c.misused.misuses.map((x) => x.id),
    ]),
    ...m.unwritten.map(() => 'O1'),
  ])
/** And what a verdict rests on, which is no finding. */
const notes = (m: Modelled): ReadonlyArray<string> =>
  m.clusters.flatMap((c) => [...c.found.leaning.map((l) => l.on), ...c.misused.leaning.map(() => 'relaxed')])

export interface Needs {
  readonly id: HazardId
  /** clauses without which something is no longer said of a bad twin */
  readonly missed: ReadonlyArray<string>
  /** clauses without which something is said of a mended one */
  readonly refused: ReadonlyArray<string>
}

/** Runs of the zoo's twins, each under every clause left out once: a page, its guide and the site ask for the same. */
export const needs = (): ReadonlyArray<Needs> => needsOf(zoo)

const needsOf = remembered((all: typeof zoo): ReadonlyArray<Needs> => {
  const without = (
    program: E.Either<unknown, Program>,
    strict: boolean,
    strictProxies: boolean,
    mended: boolean,
  ): ReadonlyArray<string> => {
    if (E.isLeft(program)) return []
    const launched = launch(program.right, unit, noArguments)
    if (E.isLeft(launched)) return []
    const { world, machine } = launched.right
    const { result: log, outcome } = run(world, machine, settings(eager), collect)
    const isWhole = outcome._tag === 'completed' || outcome._tag === 'stuck'
    const options = { ...usual, strict, strictProxies }
    const of = (leftOut: ReadonlyArray<string>): ReadonlySet<string> => {
      const m = model(world.header, log, options, leftOut, isWhole)
      return mended ? items(m) : new Set([...items(m), ...notes(m)])
    }
    const whole = of([])
    return clauses.flatMap(({ id }) => {
      const less = of([id])
      return (mended ? lost(less, whole) : lost(whole, less)) ? [id] : []
    })
  }
  const lost = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => [...a].some((x) => !b.has(x))
  return hazardIds.map((id) => {
    const twins = all.filter((t) => t.id === id)
    const ask = (mended: boolean): ReadonlyArray<string> => [
      ...new Set(
        twins.flatMap((t) =>
          without(t.program(mended), t.shows.strict ?? false, t.shows.strictProxies ?? false, mended),
        ),
      ),
    ]
    return { id, missed: ask(false), refused: ask(true) }
  })
})
