import { unit } from '../../../../src/numerics/unit.js'
import {
  check,
  standardOptions,
  type Checked,
  type CheckOptions,
} from '../../../../src/semantics/verdict/check.js'
import {
  defaultExplore,
  exploreLaunched,
  type Exploration,
  type ExploreOptions,
} from '../../../../src/semantics/schedules/explore/index.js'
import { launch, noArguments, type Launched } from '../../../../src/semantics/execution/launch.js'
import { embed } from '../../../../src/semantics/schedules/naive/embed.js'
import {
  explore as naive,
  type Exploration as Naive,
} from '../../../../src/semantics/schedules/naive/explore.js'
import type { Skeleton } from '../../../../src/semantics/schedules/naive/skeleton.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import { skeleton } from '../naive/skeletons.js'
import { right } from '../../../either.js'

export const options = (how: Partial<ExploreOptions>): ExploreOptions => ({
  ...defaultExplore,
  arguments: noArguments,
  ...how,
})

export const launchedProgram = (program: Program): Launched => right(launch(program, unit, noArguments))
export const launchedSkeleton = (s: Skeleton): Launched => launchedProgram(right(embed(s)).program)

/** Everything that a search of the machine finds. */
export const searched = (launched: Launched, how: Partial<ExploreOptions> = {}): Exploration =>
  right(exploreLaunched(launched, options({ stop: false, ...how })))

export const kindsOf = (x: Exploration): string => [...new Set(x.found.map((f) => f.kind))].sort().join(' ')

/** The kinds of the search of skeletons, in the words of the other. */
export const naiveKinds = (x: Naive): string =>
  [
    x.race.length > 0 ? 'race' : '',
    x.visibility.length > 0 ? 'visibility' : '',
    x.fault.length > 0 ? 'overrun' : '',
    x.deadlock.length > 0 ? 'deadlock' : '',
    x.exit.length > 0 ? 'exit' : '',
  ]
    .filter((kind) => kind !== '')
    .sort()
    .join(' ')

/** Everything that the search of skeletons finds, or null where there are too many states. */
export const naively = (s: Skeleton): Naive | null => {
  const all = naive(s, { states: 20_000, stop: false })
  return all === 'too large' ? null : all
}

/** The program of a skeleton in its notation. */
export const programOf = (text: string): Program => right(embed(skeleton(text))).program

/** Checked under the eager policy with a search behind it, unless it is said otherwise; missing edges are not asked for. */
export const checked = (program: Program, how: Partial<CheckOptions> = {}): Checked =>
  right(
    check(program, {
      ...standardOptions,
      provenance: false,
      explain: false,
      bounds: { states: 100_000, depth: 100_000 },
      fuel: 1_000_000,
      ...how,
    }),
  )
