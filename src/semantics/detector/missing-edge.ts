/**
 * The smallest missing edge: what to add so that a finding disappears.
 *
 * The log is judged again with one hypothesis put in (`candidate-edges.ts`: fence, group wait, wait, moved arrive, new pair, in this
 * order), and the first hypothesis under which the finding is gone wins.
 *
 *     log         write x by P; issue of a store of x by P              P1
 *     fence       after `write x`, judged again                        gone: that is the edge
 *
 * A finding whose cause is no edge (bytes that do not add up, a wait that nobody supplies) is answered by its id.
 *
 * Laws
 * 1. Judged with the edge, the finding is gone (that is how it was chosen).
 * 2. No kind earlier in the table makes it disappear.
 *
 * Cost: one pass over the log per hypothesis tried. The log has to be kept for this, and for nothing else.
 */
import type { Finding, Judgement, MissingEdge, Operation as Side } from '../finding.js'
import type { Header, LogEvent } from '../log.js'
import type { Completed, Hypothesis, Seen } from './candidate-edges.js'
import { doneKnowledge, fences, groupWaits, knows, movedArrives, newPairs, waits } from './candidate-edges.js'
import type { Knowledge } from './knowledge.js'
import { copy } from './knowledge.js'
import type { Operation } from './operation.js'
import { indexOf, replay } from './replay.js'
import { agentName } from './report.js'
import type { Options } from './rules.js'
import { defaults } from './rules.js'

// ---------------------------------------------------------------- what is gone

const sameSide = (x: Side | undefined, y: Side | undefined): boolean =>
  x === undefined || y === undefined ? x === y : x.index === y.index && x.at === y.at

const present = (j: Judgement, f: Finding): boolean =>
  [
    ...j.findings,
    ...j.notes,
    ...j.conditions.C3.findings,
    ...j.conditions.C4.findings,
    ...j.conditions.C6.findings,
  ].some((g) => g.id === f.id && sameSide(g.a, f.a) && sameSide(g.b, f.b)) ||
  // under another id, between the same two events, it is still there
  j.findings.some((g) => g.b !== undefined && sameSide(g.a, f.a) && sameSide(g.b, f.b))

// ---------------------------------------------------------------- the search

const readBefore: ReadonlyArray<Finding['id']> = ['R1', 'R2', 'R3', 'M1', 'M2', 'M4']

/** The finding has a cause that is not an edge; what to do is said by the id. */
const byRule = (f: Finding): MissingEdge => {
  switch (f.id) {
    case 'B4':
      return {
        kind: 'bytes',
        text: 'make the bytes expected equal to the bytes delivered, and expect them before the arrival that they belong to',
      }
    case 'B5':
    case 'B6':
      return { kind: 'arrive', text: `somebody has to arrive: ${f.text}` }
    case 'B8':
    case 'U1':
      return { kind: 'wait', text: `a wait for the completions that nobody observed: ${f.text}` }
    default:
      return { kind: 'none-found', text: 'no single fence, wait or arrive removes this' }
  }
}

/**
 * The smallest missing edge of a finding of this log. `events` is the whole log; `options` those of the judgement that
 * made the finding.
 */
export const explain = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  finding: Finding,
  options: Options = defaults,
): MissingEdge => {
  const other = finding.b
  const sides =
    other === undefined
      ? [finding.a]
      : readBefore.includes(finding.id) && !finding.a.does.includes('writes')
        ? [other, finding.a]
        : [finding.a, other]
  if (['B4', 'B5', 'B6', 'B8', 'U1', 'I1', 'M6', 'O1', 'D3'].includes(finding.id)) return byRule(finding)

  // first pass: where the sides are, what their completion carries, which generations complete
  const positions = sides.map((s) => indexOf(events, s))
  const operations: Array<Operation | undefined> = sides.map(() => undefined)
  const after: Array<Knowledge | undefined> = sides.map(() => undefined)
  const completed: Array<Completed> = []
  const counts = header.barriers.map(() => 0)
  replay(header, events, options, [], (d, i) => {
    sides.forEach((s, n) => {
      if (positions[n] !== i) return
      const e = events[i]!
      if (e._tag === 'issue') operations[n] = d.operations.get(e.operation)
      else after[n] = copy(d.context.agents[s.index]!.knowledge)
    })
    d.barriers.forEach((b, n) => {
      if (b.number > counts[n]! && b.last !== undefined)
        completed.push({ barrier: n, generation: b.number - 1, message: b.last.message })
      counts[n] = b.number
    })
  })
  const seen = sides.map((side, n): Seen => {
    const operation = operations[n]
    return {
      side,
      index: positions[n]!,
      operation,
      done: operation === undefined ? after[n] : doneKnowledge(operation),
    }
  })
  // The log may hold the accesses against the order that the edge demands. Then the one that stands first has to know the other.
  const [early, late] = sides[0] === finding.a ? [seen[0]!, seen[1]] : [seen[1]!, seen[0]]
  const gone = (h: Hypothesis): boolean => {
    let turned = false
    const j = replay(header, events, options, h.actions, (d, i) => {
      if (i !== early.index || late === undefined) return
      const e = events[i]!
      const op = e._tag === 'issue' ? d.operations.get(e.operation) : undefined
      turned = knows((op ?? d.context.agents[early.side.index]!).knowledge, late)
    })
    return turned || !present(j, finding)
  }
  const first = seen[0]!
  const orders: ReadonlyArray<readonly [Seen, Seen]> =
    other === undefined
      ? exits(header, events, finding, first)
      : [
          [first, seen[1]!],
          [seen[1]!, first],
        ]
  for (const kind of [fences, groupWaits, waits, movedArrives, newPairs]) {
    for (const [a, b] of orders) {
      for (const h of kind(header, events, options, finding, a, b, completed)) {
        if (gone(h)) return { kind: h.kind, text: h.text }
      }
    }
  }
  return byRule(finding)
}

/** An exit obligation: the second side is the end of some agent of the CTA. */
const exits = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  finding: Finding,
  first: Seen,
): ReadonlyArray<readonly [Seen, Seen]> =>
  header.agents.flatMap((_, x): ReadonlyArray<readonly [Seen, Seen]> => [
    [
      first,
      {
        side: {
          index: x,
          agent: agentName(header, x),
          site: 'its exit',
          path: [],
          iteration: [],
          at: finding.a.index === x ? Number.MAX_SAFE_INTEGER : 0x3fffffff,
          does: 'exits',
        },
        index: events.length,
        operation: undefined,
        done: undefined,
      },
    ],
  ])
