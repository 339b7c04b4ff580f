/**
 * Search: all schedules of a text and of a changed one, at smaller launches.
 *
 * Where conditions C1 to C6 hold in one run of both texts, and it shows nothing, that run stands for every schedule, and what it leaves of barriers is what each of them leaves: the arrivals
 * are the same, in another order. So it is where C3 alone fails, in generations that no agent looks at any more (`judging/detector/quiet.ts`). Else all schedules are followed. A program of
 * warps is searched with its data: what memory holds is part of a state. A launch of one cluster, and of loops of a few turns, has few enough states: its grid is one cluster, and integers
 * among its arguments are at most 1, 2, 3, 4, or as they are. Where a text is not ok with all of them so small, because a row of a matrix is then narrower than a tile, say, one integer at a
 * time is. Those launches count where either way is gone to its end for both texts and shows nothing, and one of them has to come to the changed instruction. Larger launches have more states:
 * behind the first search that does not come to its end, none is begun.
 *
 *     ring, one turn to five, an arrival more        five runs of either text, half a second each
 *                                                    by search: two minutes
 *
 * Equal are two texts that show nothing under any schedule of any of these launches and end alike: phases and arrivals of mbarriers, threads at named
 * barriers. If only phases of the barriers differ that the changed instruction touches, no warp waits for that generation any more.
 *
 * Laws
 * 1. The text is equal to itself.
 * 2. Where one run stands for all, a search that comes to its end finds its end and no other.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Algebra } from '../../../numerics/algebra.js'
import { launchWarps, warpSource, type WarpArguments } from '../../../semantics/execution/launch-warps.js'
import { eager } from '../../../semantics/execution/policy.js'
import { run, settings } from '../../../semantics/execution/run.js'
import { noArguments } from '../../../semantics/machine/source.js'
import { exploreLaunched, leftIn, type End } from '../../../semantics/schedules/explore/index.js'
import {
  checkSource,
  standardOptions,
  type Checked,
  type CheckOptions,
} from '../../../semantics/verdict/check.js'
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
  /** how the one run ends that stands for all; null where none does */
  readonly end: End | null
  /** how every schedule ends, which is found out when it is asked; null where a search does not come to its end, or finds something */
  readonly ends: () => ReadonlyArray<End> | null
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

/**
 * Does one run stand for all schedules but for who joins which generation of those that no agent looks at? Which one an arrival has joined, its own lane may look at too: in the state that
 * it returns.
 */
export const isQuiet = ({ quiet }: Checked, { code }: WarpProgram): boolean =>
  quiet === true &&
  !code.some(({ operation: o }) => o._tag === 'mbarrierArrive' && o.kind !== 'expect' && o.state !== null)

/** How the one run of a program ends that stands for every schedule; `wrong`: it shows something; null: it does not stand for them. */
const byRun = (p: WarpProgram, given: WarpArguments, algebra: Algebra): End | 'wrong' | null => {
  const checked = checkSource(
    warpSource(p, given),
    Object.assign({}, standardOptions, {
      algebra,
      provenance: false,
      explore: false,
      explain: false,
      // a race of equal values is looked for among all schedules
      equalWrites: 'none',
      quiet: true,
    } satisfies Partial<CheckOptions>),
  )
  if (E.isLeft(checked)) return null
  const { verdict, world, machine } = checked.right
  switch (verdict.verdict) {
    case 'hazard':
    case 'deadlock':
    case 'invalid':
    case 'wrong-result':
      return 'wrong'
    case 'ok':
      return verdict.decidedBy === 'one-schedule' ? { wave: 0, left: leftIn(world, machine) } : null
    case 'undecided':
    case 'out-of-fuel':
      return isQuiet(checked.right, p) ? { wave: 0, left: leftIn(world, machine) } : null
  }
}

/** The same end; null where the run shows something, too. */
export const endOfRun = (p: WarpProgram, given: WarpArguments, algebra: Algebra): End | null => {
  const end = byRun(p, given, algebra)
  return end === 'wrong' ? null : end
}

/** All ends of a program; null where a search does not come to its end, or finds something. */
export const endsOf = (
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

/** A launch of one cluster in which none of these integers is larger. */
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

/** Made when it is first asked, and kept. */
const once = <A>(make: () => A): (() => A) => {
  let held: { readonly value: A } | null = null
  return () => (held ??= { value: make() }).value
}

/** The smaller launches of a text that count, from the smallest on. `isRight`: nothing is wrong with it there, in any schedule. */
export const smallLaunches = (
  p: WarpProgram,
  given: WarpArguments,
  algebra: Algebra,
  integers: ReadonlyArray<IntegerAt>,
  states: number,
  isRight: (given: WarpArguments) => boolean,
): ReadonlyArray<SmallLaunch> => {
  const found: SmallLaunch[] = []
  /** Does this launch count? */
  const counts = (small: WarpArguments): boolean => {
    const launched = launchWarps(p, small, algebra)
    if (E.isLeft(launched)) return false
    const { world, machine } = launched.right
    const { result, outcome } = run(world, machine, settings(eager), touched)
    if (outcome._tag !== 'completed') return false
    const end = endOfRun(p, small, algebra)
    if (end === null && !isRight(small)) return false
    const before = found.at(-1)
    found.push({
      given: small,
      algebra,
      states,
      end,
      ends: once(() =>
        before !== undefined && before.ends() === null ? null : endsOf(p, small, algebra, states),
      ),
      touched: result,
    })
    return true
  }
  // together, or, once that is wrong, each of those alone of which it is not
  let groups: ReadonlyArray<ReadonlyArray<IntegerAt>> = [integers]
  for (const most of [1, 2, 3, 4]) {
    const ofSize = (group: ReadonlyArray<IntegerAt>): boolean => counts(capped(p, given, group, most))
    const larger = groups.filter((group) => group.some(({ value }) => value > most))
    const right = larger.filter(ofSize)
    const alone = larger.filter((group) => group.length > 1 && !right.includes(group)).flat()
    const next = [...right, ...alone.filter((one) => one.value > most && ofSize([one])).map((one) => [one])]
    if (next.length > 0) groups = next
  }
  counts(capped(p, given, [], Infinity))
  return found
}

export type Answer = 'equal' | 'unobserved' | 'different'

/** What a changed text comes to at a launch: ends of both, found the same way; null: the launch does not count; `different`: it shows something, or is not followed to its end. */
const bothEnds = (
  { given, algebra, states, end, ends }: SmallLaunch,
  changed: WarpProgram,
): readonly [ReadonlyArray<End>, ReadonlyArray<End>] | 'different' | null => {
  const its = end === null ? null : byRun(changed, given, algebra)
  if (its === 'wrong') return 'different'
  if (end !== null && its !== null) return [[end], [its]]
  const all = ends()
  if (all === null) return null
  const found = endsOf(changed, given, algebra, 2 * states + 1000)
  return found === null ? 'different' : [all, found]
}

/** What one schedule of a text comes to at a launch. */
const touchedBy = (p: WarpProgram, { given, algebra }: SmallLaunch): Touched | null => {
  const launched = launchWarps(p, given, algebra)
  return E.isLeft(launched)
    ? null
    : run(launched.right.world, launched.right.machine, settings(eager), touched).result
}

const at = (found: Touched | null, label: string): ReadonlySet<string> =>
  found?.barriers.get(label) ?? new Set()

/** What a search of a changed text says. `own`: barriers that the changed instruction touches at the launch itself; those that it touches at a smaller one are added. */
export const compared = (
  small: ReadonlyArray<SmallLaunch>,
  changed: WarpProgram,
  label: string,
  own: ReadonlySet<string>,
): Answer => {
  let answer: Answer = 'equal'
  let counted = 0
  for (const launch of small) {
    // what it does not come to is not changed
    if (!launch.touched.sites.has(label)) continue
    const both = bothEnds(launch, changed)
    if (both === null) continue
    if (both === 'different') return 'different'
    counted++
    const [ends, its] = both
    if (shownEnds(ends, new Set()) === shownEnds(its, new Set())) continue
    const touches = new Set([...own, ...at(launch.touched, label), ...at(touchedBy(changed, launch), label)])
    if (shownEnds(ends, touches) !== shownEnds(its, touches)) return 'different'
    answer = 'unobserved'
  }
  return counted === 0 ? 'different' : answer
}
