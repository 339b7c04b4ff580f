/**
 * Search: all schedules of a text and of a changed one, at smaller launches.
 *
 * A program of warps is searched with its data: what memory holds is part of a state. A launch of one cluster, and of loops of a few turns, has few enough
 * states: its grid is one cluster, and integers among its arguments are at most 1, 2, 3, 4, or as they are. Those launches count where every schedule of
 * the text itself is followed and shows nothing, and one of them has to come to the changed instruction.
 *
 * Equal are two texts that show nothing under any schedule of any of these launches and end alike: phases and arrivals of mbarriers, threads at named
 * barriers. If only phases of the barriers differ that the changed instruction touches, no warp waits for that generation any more.
 *
 * Laws
 * 1. The text is equal to itself.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Algebra } from '../../../numerics/algebra.js'
import { launchWarps, type WarpArguments } from '../../../semantics/execution/launch-warps.js'
import { eager } from '../../../semantics/execution/policy.js'
import { run, settings } from '../../../semantics/execution/run.js'
import { noArguments } from '../../../semantics/machine/source.js'
import { exploreLaunched, type End } from '../../../semantics/schedules/explore/index.js'
import type { WarpProgram } from '../../../semantics/warps/program.js'
import { touched, type Touched } from './touched.js'

/** Integers among the parameters: where they lie, how wide they are, what they are. */
export interface IntegerAt {
  readonly offset: number
  readonly bytes: 4 | 8
  readonly value: number
}

export interface SmallLaunch {
  readonly given: WarpArguments
  readonly algebra: Algebra
  readonly states: number
  /** null where a search does not come to its end, or finds something: it is asked for verdicts alone */
  readonly ends: ReadonlyArray<End> | null
  /** what one schedule comes to */
  readonly touched: Touched
}

/** Where it was initialised is no part of a barrier. */
const bare = (text: string): string => text.replaceAll(/ \(init [^)]*\)/gu, '')

/** Ends in text, but for mbarriers at these addresses. */
const shownEnds = (ends: ReadonlyArray<End>, but: ReadonlySet<string>): string =>
  [
    ...new Set(
      ends.map(({ wave, left }) =>
        [
          String(wave),
          ...left
            .filter(({ storage }) => storage === null || !but.has(keyOfStorage(storage)))
            .map(({ text }) => bare(text))
            .sort(),
        ].join(' '),
      ),
    ),
  ]
    .sort()
    .join('\n')

/** `mbarrier at 1032 (init k.cu:20)` as `touched.ts` calls it. */
const keyOfStorage = (storage: string): string =>
  `mbarrier ${/^mbarrier at (\d+)/u.exec(storage)?.[1] ?? storage}`

/** All ends of a program; null where a search does not come to its end, or finds something. */
const endsOf = (
  p: WarpProgram,
  given: WarpArguments,
  algebra: Algebra,
  states: number,
): ReadonlyArray<End> | null => {
  const launched = launchWarps(p, given, algebra)
  if (E.isLeft(launched)) return null
  const all = exploreLaunched(launched.right, {
    arguments: noArguments,
    states,
    depth: 100_000,
    reduced: true,
    stop: true,
  })
  return E.isRight(all) && all.right.complete && all.right.clean ? all.right.ends : null
}

const capped = (
  p: WarpProgram,
  given: WarpArguments,
  integers: ReadonlyArray<IntegerAt>,
  most: number,
): WarpArguments => {
  const parameters = given.parameters.slice()
  const view = new DataView(parameters.buffer)
  for (const { offset, bytes, value } of integers) {
    const n = Math.min(value, most)
    view.setInt32(offset, n, true)
    if (bytes === 8) view.setInt32(offset + 4, n < 0 ? -1 : 0, true)
  }
  return {
    grid: given.cluster ?? p.cluster ?? [1, 1, 1],
    block: given.block,
    cluster: given.cluster,
    dynamicBytes: given.dynamicBytes,
    parameters,
    pointers: given.pointers,
    maps: given.maps ?? [],
    // one cluster does not write all outputs
    tensors: given.tensors.map(({ name, role, contents, bytes: size, elements, symbol }) => ({
      name,
      role: role === 'out' ? 'inout' : role,
      contents,
      bytes: size,
      elements,
      symbol,
    })),
    sharedBase: given.sharedBase,
  }
}

/** The smaller launches of a text that count. */
export const smallLaunches = (
  p: WarpProgram,
  given: WarpArguments,
  algebra: Algebra,
  integers: ReadonlyArray<IntegerAt>,
  states: number,
): ReadonlyArray<SmallLaunch> => {
  const sizes = [...[1, 2, 3, 4].filter((n) => integers.some(({ value }) => value > n)), Infinity]
  return sizes.flatMap((most): ReadonlyArray<SmallLaunch> => {
    const small = capped(p, given, integers, most)
    const launched = launchWarps(p, small, algebra)
    if (E.isLeft(launched)) return []
    const { world, machine } = launched.right
    const { result, outcome } = run(world, machine, settings(eager), touched)
    if (outcome._tag !== 'completed') return []
    return [{ given: small, algebra, states, ends: endsOf(p, small, algebra, states), touched: result }]
  })
}

export type Answer = 'equal' | 'unobserved' | 'different'

/** What a search of a changed text says. `own`: barriers that the changed instruction touches. */
export const compared = (
  small: ReadonlyArray<SmallLaunch>,
  changed: WarpProgram,
  label: string,
  own: ReadonlySet<string>,
): Answer => {
  if (!small.some(({ touched: its, ends }) => ends !== null && its.sites.has(label))) return 'different'
  let answer: Answer = 'equal'
  for (const { given, algebra, states, ends, touched: reached } of small) {
    // what it does not come to is not changed
    if (ends === null || !reached.sites.has(label)) continue
    const its = endsOf(changed, given, algebra, 2 * states + 1000)
    if (its === null) return 'different'
    if (shownEnds(ends, new Set()) === shownEnds(its, new Set())) continue
    if (shownEnds(ends, own) !== shownEnds(its, own)) return 'different'
    answer = 'unobserved'
  }
  return answer
}
