/**
 * By threads: in which order lanes of a warp go on is left open by a search of warps, and asked of the same threads as agents of their own.
 *
 * A warp as one agent lets its lanes go on in one order. Where another may matter, a search of all schedules of warps is none of all schedules: lanes could go ahead of others
 * (`schedules/outcomes/ahead.ts`), one lane has a lock that another of its warp waits for, or lanes make strong accesses that nothing orders. Then the kernel is judged again, launched with each
 * thread as an agent (`warps/lone-threads.ts`): with the same detector, the same conditions and the same search, which now follows every order of lanes.
 *
 *     if (lane == 0) store(a, 1); else store(b, 1)      another CTA looks at both: all orders of two agents, ok
 *
 * | judged by threads                                | undecided by warps becomes                 | ok in all schedules of warps becomes     |
 * |--------------------------------------------------|--------------------------------------------|------------------------------------------|
 * | ok                                               | ok in all schedules                        | the same                                 |
 * | ok, with a note that the runs of warps do not have | the same, and the scope says what: no schedule of warps replays that note | the same     |
 * | a hazard, a deadlock, a fault                    | undecided, with its reason: no schedule of warps replays it | the same                |
 * | open, or threads of a warp do something together | undecided, as before                       | ok, as before, and the scope says of what |
 *
 * It is an `ok` of every schedule because each run of warps is one of these threads. What else a verdict tells is of the warps: its runs, its conditions, its outputs.
 *
 * So many threads have more orders than so many warps. So of a grid with more threads than `most` it is not asked, and not further than the standard budget goes.
 *
 * Laws
 * 1. A verdict that leaves no order of lanes open stays as it is.
 * 2. What both ask costs no more than the budget, and one run.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Refusal } from '../language/refusal.js'
import type { Finding } from '../judging/finding.js'
import { renamed, type Verdict } from '../judging/verdict.js'
import { standardBudget, type Budget } from './budget.js'
import { oneOrderOfLanes } from './scope.js'

export interface JudgedByWarps {
  readonly verdict: Verdict
  /** in which order lanes of a warp go on is open, and nothing else: what is left of the budget */
  readonly byLanes?: Budget
}

/** Most threads of a grid, by what is said of its warps: where nothing is decided yet, more is worth while. */
export const most = { undecided: 256, ok: 16 } as const

/** What a note is about, whichever agents it names. */
const aboutOf = ({ id, a, b }: Pick<Finding, 'id' | 'a' | 'b'>): string =>
  [id, ...[a.site, b?.site ?? ''].sort()].join('|')

const isShown = ({ verdict }: Verdict): boolean =>
  verdict !== 'ok' && verdict !== 'undecided' && verdict !== 'out-of-fuel'

/** The verdict of warps, if threads decide what it leaves open. */
export const byThreads = <A extends JudgedByWarps>(
  judged: A,
  again: (budget: Budget, threads: number) => E.Either<Refusal, { readonly verdict: Verdict }>,
): A => {
  const { verdict, byLanes } = judged
  if (byLanes === undefined) return judged
  const threads = again(
    Math.min(byLanes, standardBudget),
    most[verdict.verdict === 'ok' ? 'ok' : 'undecided'],
  )
  if (E.isLeft(threads)) return judged
  const of = threads.right.verdict
  if (isShown(of))
    return Object.assign({}, judged, {
      verdict: renamed(
        verdict,
        'undecided',
        `${verdict.reason}: where each thread goes on by itself, ${of.reason}`,
      ),
    })
  if (of.verdict !== 'ok') return judged
  const known = new Set(verdict.notes.map(aboutOf))
  const scope = [...verdict.scope.filter((line) => line !== oneOrderOfLanes)]
  for (const note of of.notes) {
    if (known.has(aboutOf(note))) continue
    known.add(aboutOf(note))
    scope.push(`other orders of lanes of one warp, of which a note would say: ${note.text}`)
  }
  const ok = renamed(verdict, 'ok', `${of.reason}, where each thread goes on by itself`)
  return Object.assign({}, judged, { verdict: Object.assign(ok, { scope }) })
}
