/**
 * Findings of one cause: what one change of the kernel mends is shown as one thing to mend.
 *
 * A wait that is left out of a ring of four slots is a race at each slot, an overrun of each barrier and a confusion of its generations: thirty findings, and one line to
 * write. A report shows the first of them in full and counts the others; a document has all of them.
 *
 *     W1  copy a, copy a      wait for consumed[0]
 *     B1  wait loaded, copy b wait for consumed[1]     ->   W1  copy a, copy a   wait for consumed[0]
 *     B3  copy a, copy a      wait for consumed[2]              same fix  2 more findings: B1 (1), B3 (1)
 *
 * | missing                          | one cause where these agree                                     |
 * |----------------------------------|-----------------------------------------------------------------|
 * | a wait for a barrier, an arrive  | the ring of the barrier, and the program that waits or arrives  |
 * | an arrive that is there          | the arrive: it comes too early, or its lanes have met too few   |
 * | a fence, a wait for a group      | the fence or the group, and the statement that it stands next to |
 * | others                           | nothing: where they stand depends on both sides                 |
 *
 * Laws
 * 1. No finding is lost: they are those that are shown, and those that are counted with one of them.
 * 2. Findings of one cause have one severity, one owner, and are accepted alike.
 */
import { ringOf } from '../semantics/log/barrier-name.js'
import type { Finding, MissingEdge, Operation } from '../semantics/judging/finding.js'
import { sidesOf } from '../semantics/judging/fix.js'
import type { ReplayableFinding } from '../semantics/judging/verdict.js'

/** A finding that is shown, with those that have its cause. */
export interface Cause {
  readonly shown: ReplayableFinding
  readonly others: ReadonlyArray<ReplayableFinding>
}

const placeOf = ({ path, site, loc = '' }: Operation): string => [...path, site, loc].join('/')

/** The statement that it stands next to. */
const nextTo = (f: Finding, { after, before }: MissingEdge): string => {
  const [x, y] = sidesOf(f) ?? [f.a, f.a]
  return after === undefined && before !== undefined ? `before ${placeOf(y)}` : `after ${placeOf(x)}`
}

/** What the edge is, and where; null: that is another one for each finding. */
const edgeOf = (f: Finding, missing: MissingEdge): ReadonlyArray<string> | null => {
  const { moves, ahead, barrier, fence, family } = missing
  switch (missing.kind) {
    case 'wait':
    case 'arrive': {
      if (moves !== undefined)
        return ['arrive', `\`${moves.site}\`${moves.loc === undefined ? '' : ` (${moves.loc})`}`]
      // in a language it may be a barrier between the two statements, in the place of the wait
      if (barrier === undefined || (missing.distance !== undefined && f.fix !== undefined)) return null
      const [, later] = sidesOf(f) ?? [f.a, f.a]
      return [missing.kind, ringOf(barrier.name), ...later.path]
    }
    case 'warp-sync':
      return ahead === undefined ? null : ['arrive', ahead]
    case 'fence':
      return fence === undefined ? null : [fence, nextTo(f, missing)]
    case 'group-wait':
      return family === undefined ? null : [family, missing.lacks ?? 'wait', nextTo(f, missing)]
    case 'arrive-wait':
    case 'bytes':
    case 'none-found':
      return null
  }
}

const causeOf = (f: ReplayableFinding): string | null => {
  const edge = f.missing === undefined ? null : edgeOf(f, f.missing)
  return edge === null ? null : [f.severity, f.whose ?? '', f.accepted ?? '', ...edge].join('\n')
}

/** The findings, those of one cause together, in the order of the first of each. */
export const byCause = (findings: ReadonlyArray<ReplayableFinding>): ReadonlyArray<Cause> => {
  const causes = new Map<string, ReplayableFinding[]>()
  findings.forEach((f, i) => {
    const cause = causeOf(f) ?? `alone ${String(i)}`
    const known = causes.get(cause)
    if (known === undefined) causes.set(cause, [f])
    else known.push(f)
  })
  return [...causes.values()].map(([shown, ...others]) => ({ shown: shown!, others }))
}
