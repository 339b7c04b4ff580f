/**
 * The manifest of the zoo: what each kernel is and what must be said of it, as data for a checker of your own.
 *
 * | field     | meaning                                                                    |
 * |-----------|----------------------------------------------------------------------------|
 * | name, id  | `R1`; the kernels are `zoo/R1` and `zoo/R1-fixed`                           |
 * | verdict   | of the bad one; the mended one is `ok`                                     |
 * | sites     | labels of the statements that the finding names, in no order               |
 * | options   | without which the bad one is no error                                      |
 * | lines     | statements of the bad kernel and of the mended one (0: refused before it is written) |
 * | events    | events of the log of each, under the eager schedule (0: it does not run)   |
 *
 * Law 1. The committed manifest is `manifest()`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { linesOf, zoo, type Twin } from '../../kernels/broken/zoo/index.js'
import { unit } from '../../numerics/unit.js'
import { launch, noArguments } from '../../semantics/execution/launch.js'
import { eager } from '../../semantics/execution/policy.js'
import { collect, run, settings } from '../../semantics/execution/run.js'

export interface Entry {
  readonly name: string
  readonly id: string
  readonly title: string
  readonly fix: string
  readonly verdict: string
  readonly sites: ReadonlyArray<string>
  readonly options: ReadonlyArray<string>
  readonly lines: readonly [bad: number, fixed: number]
  readonly events: readonly [bad: number, fixed: number]
}

const linesIn = (t: Twin, fixed: boolean): number => {
  const made = t.draft(fixed)
  return E.isLeft(made) ? 0 : linesOf(made.right)
}

const eventsIn = (t: Twin, fixed: boolean): number => {
  const made = t.program(fixed)
  if (E.isLeft(made)) return 0
  const launched = launch(made.right, unit, noArguments)
  if (E.isLeft(launched)) return 0
  return run(launched.right.world, launched.right.machine, settings(eager), collect).result.length
}

export const manifest = (): ReadonlyArray<Entry> =>
  zoo.map((t) => ({
    name: t.name,
    id: t.id,
    title: t.title,
    fix: t.fix,
    verdict: t.shows.verdict,
    sites: [t.shows.a, t.shows.b].flatMap((s) => (s === undefined ? [] : [s])),
    options: [
      ...(t.shows.strict === true ? ['strict'] : []),
      ...(t.shows.strictProxies === true ? ['strictProxies'] : []),
    ],
    lines: [linesIn(t, false), linesIn(t, true)],
    events: [eventsIn(t, false), eventsIn(t, true)],
  }))
