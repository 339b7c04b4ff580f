/**
 * Explore: every schedule of a program, by a search of the machine's states.
 *
 * Depth first over the real machine, under the algebra with one value: what a program does to barriers, groups, queues and fences does not
 * depend on data, unless its control does, and then the search is refused. Two states with equal keys are one (`key.ts`), and of the
 * events on offer only as many are followed as are enough (`reduction.ts`). Each finding carries the schedule that leads to it.
 *
 *     t0: arrive b; wait b 0          start -> arrive -> wait (t0)   end
 *     t1: wait b 0                              |
 *                                               -> wait (t1) ...     the waits commute: one of them is enough
 *
 * | kind       | found when                                                                                     | ids        |
 * |------------|------------------------------------------------------------------------------------------------|------------|
 * | deadlock   | nothing is offered and an agent is not at the end                                                | B5, B6, B4 |
 * | fault      | an event faults: what a check of the instruction refuses                                         | T2, T3, I2 ... |
 * | overrun    | an mbarrier is reached by an arrival that it does not count                                      | B2         |
 * | lifecycle  | an mbarrier is used before its initialisation or after it was given up, or its bytes are         | B7         |
 * | race       | one state offers two conflicting accesses, or a use of an mbarrier and its init or inval          | D, R, W, M1-M3 |
 * | visibility | an access whose view does not show the last write                                                | P, M4, M8, V1 |
 * | unwritten  | a read of what was never written                                                                | I1, M6     |
 * | exit       | a CTA has ended and an operation on its memory or barriers is open (U2), or is arrived at (K1); columns are left (T1); a barrier's bytes are used again with completions unobserved (U1) | U2, K1, T1, U1 |
 *
 * Why views and not the detector along each path: what a detector knows is a history, and hardly two schedules have the same one; and
 * what it infers from missing order is only a candidate where generations are ambiguous, which is where a search is asked for. Bits
 * are part of the state. They say what the smallest reading of the model says, and `naive/explore.ts` says the same on skeletons.
 *
 * Ends of CTAs. "The CTA can end before the operation has" is about leaving an event out for as long as possible, which a reduced
 * search does not try. So where one event is enough and it is owed to a CTA, the search also goes on without it (*frozen*) until
 * nothing else can move, and looks whether the CTA has ended.
 *
 * Lanes that could go ahead of others of their warp are not followed so; that there are such lanes is said (`ahead.ts`).
 *
 * What is left to the one run: contracts (B8, M5), outputs that are not written (O1), what one cluster does to another (D3), and results. None of
 * them depends on the schedule. Waves of clusters are searched one after another.
 *
 * Laws
 * 1. `reduced: false` finds the same kinds.
 * 2. The schedule of a finding replays to it.
 * 3. A search that says complete has followed every schedule; one that does not says which bound it has reached.
 * 4. `reduced: false` finds the same ways to end.
 * 5. On the programs of skeletons the kinds are those of `naive/explore.ts`.
 *
 * Names: explicit-state model checking with partial-order reduction; Tier B.
 * Source: PTX ISA, memory consistency model; docs/hazards.md, the theorem.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../../failure.js'
import { unit } from '../../../numerics/unit.js'
import { sourceOf, type Launched } from '../../execution/launch.js'
import type { Source } from '../../machine/source.js'
import type { Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import type { Program } from '../../language/program.js'
import type { EventKey } from '../../execution/step.js'
import { inOrder, type End } from './ends.js'
import type { Bound, Exploration, ExploreError, ExploreOptions, Found } from './model.js'
import { followWave, following, searchWave, type Search } from './search.js'

// ---------------------------------------------------------------- the grid

type EachWave = (world: World, m: Machine, options: ExploreOptions, prefix: ReadonlyArray<EventKey>) => Search

const overWaves = (
  { world, machine }: Launched,
  options: ExploreOptions,
  each: EachWave,
): E.Either<ExploreError, Exploration> => {
  const found: Found[] = []
  const ends: End[] = []
  let states = 0
  let transitions = 0
  let waves = 0
  let tellers = 0
  let bound: Bound | null = null
  let ahead = false
  let prefix: ReadonlyArray<EventKey> = []
  for (let next: Machine | null = machine; next !== null;) {
    const s = each(
      world,
      next,
      {
        arguments: options.arguments,
        states: options.states - states,
        depth: options.depth,
        reduced: options.reduced,
        stop: options.stop,
      },
      prefix,
    )
    if (s.data !== null)
      return refuse(
        'explore.data',
        `control depends on data, which a search of schedules does not keep: ${s.data}`,
      )
    tellers += s.tellers.size
    // those of two clusters are two
    if (s.words || tellers > 1)
      return refuse(
        'explore.words',
        'words of memory, or fences of tensor maps that do not reach all agents, release and acquire what was done before, which a search of states does not keep',
      )
    for (const f of s.found) found.push(f)
    for (const left of s.ends.values()) ends.push({ wave: waves, left })
    states += s.keys.size()
    transitions += s.transitions
    waves++
    ahead ||= s.ahead
    bound = s.bound
    next = bound !== null || (options.stop && found.length > 0) ? null : following(s)
    prefix = s.endPath === null ? prefix : [...prefix, ...s.endPath]
  }
  const clean = found.length === 0
  return E.right({
    found,
    clean,
    complete: bound === null && (clean || !options.stop),
    bound,
    states,
    transitions,
    waves,
    ahead,
    ends: inOrder(ends),
  })
}

/** All schedules of what is launched; it must have been launched under `unit`. */
export const exploreLaunched = (
  launched: Launched,
  options: ExploreOptions,
): E.Either<ExploreError, Exploration> => overWaves(launched, options, searchWave)

/**
 * One schedule, and what is wrong in its states: nothing that is inferred, so it is real whatever conditions fail. `complete` says
 * nothing here.
 */
export const along = (
  launched: Launched,
  options: ExploreOptions,
  schedule: ReadonlyArray<EventKey>,
): E.Either<ExploreError, Exploration> =>
  overWaves(launched, options, (world, m, how, prefix) =>
    followWave(world, m, how, prefix, schedule.slice(prefix.length)),
  )

/**
 * All schedules of a program. Refuses what cannot be launched, and control that depends on data.
 *
 * @example
 * ```ts
 * import { instanceOf, kernelNamed } from 'tensorcore-spec/kernels'
 * import { defaultExplore, explore } from 'tensorcore-spec/semantics'
 * import * as E from 'fp-ts/lib/Either.js'
 * import { pipe } from 'fp-ts/lib/function.js'
 *
 * const all = pipe(
 *   kernelNamed('zoo/R1'),
 *   E.chainW((kernel) => instanceOf(kernel, {}, [])),
 *   E.chainW(({ program }) => explore(program, { ...defaultExplore, arguments: { scalars: new Map(), tensors: new Map() } })),
 * )
 * console.log(E.isRight(all) ? [...new Set(all.right.found.map((f) => f.kind))].join(' ') : all.left.message) // race
 * ```
 */
export const explore = (program: Program, options: ExploreOptions): E.Either<Failure, Exploration> =>
  exploreSource(sourceOf(program), options)

/** The same of anything that can be launched (`machine/source.ts`). */
export const exploreSource = (source: Source, options: ExploreOptions): E.Either<Failure, Exploration> => {
  const launched = source.launch(unit, options.arguments)
  return E.isLeft(launched) ? launched : exploreLaunched(launched.right, options)
}
