/**
 * Details: what a finding is told with beside what a log shows, so that a verdict document needs no program to be read with.
 *
 *     place    smem@0 0 to 16,384     within    a_smem 0 to 32,768
 *     site     L107                   source    kernel.py:31: acc = tl.dot(x, y, acc)  (ttng.warp_group_dot, line 107)
 *     operation #7 at L107            tensor    A
 *     schedule eager                  replay    --schedule eager (a run is deterministic)
 *     P1 of a pipelined tl.load       whose     compiler
 *
 * The names of storages are the program's, the quotes its author's text's, and how to see a run again is said in the words of the one who asks. A trace
 * has none of them.
 *
 * Laws
 * 1. Nothing that the verdict says is changed; what is not known is not there.
 * 2. Every operation of every finding, also of a condition's, has its quote.
 */
import type { Condition, Conditions, Finding, MissingEdge, NamedBytes, Operation, Place } from './finding.js'
import { isSharedByName } from './plane-name.js'
import { fixOf, type Spoken } from './fix.js'
import type { Whose } from './finding.js'
import type { ReplayableFinding, Verdict } from './verdict.js'

// ---------------------------------------------------------------- model

export interface Details {
  /** storages of shared memory, in the order in which they lie; they lie alike in every CTA */
  readonly smem: ReadonlyArray<NamedBytes>
  /** what the author wrote there, and what the compiler made of it; null: there is no text */
  readonly quote?: (o: Pick<Operation, 'site' | 'loc'>) => string | null
  /** the tensor that an asynchronous operation copies, by the schedule of its finding (null: the first run); null: its statement names it, or it is of none */
  readonly tensor?: (o: Operation, schedule: number | null) => string | null
  /** who has written what is wrong; absent: the author (`ownership.ts`) */
  readonly whose?: (f: Finding, beside: ReadonlyArray<Finding>) => Whose
  /** the language that findings are fixed in; absent: that of programs of the core */
  readonly spoken?: Spoken
  /** how to see again what replays by a schedule; empty for nothing */
  readonly replay: (schedule: string) => string
}

// ---------------------------------------------------------------- combinators

const detailedOperation = ({ quote, tensor }: Details, o: Operation, schedule: number | null): Operation => {
  const of = tensor?.(o, schedule) ?? null
  const source = quote?.(o) ?? null
  return of === null && source === null
    ? o
    : Object.assign({}, o, of === null ? {} : { tensor: of }, source === null ? {} : { source })
}

const detailedPlace = ({ smem }: Details, place: Place): Place => {
  if (!isSharedByName(place.plane)) return place
  const within = smem.filter((s) => place.spans.some(([start, end]) => start < s.end && s.start < end))
  return within.length === 0 ? place : Object.assign({}, place, { within })
}

export const detailedFinding = <F extends Finding>(
  details: Details,
  f: F,
  schedule: number | null = null,
): F => {
  const told: { a: Operation; b?: Operation; place?: Place; missing?: MissingEdge } = {
    a: detailedOperation(details, f.a, schedule),
  }
  if (f.b !== undefined) told.b = detailedOperation(details, f.b, schedule)
  if (f.place !== undefined) told.place = detailedPlace(details, f.place)
  const moves = f.missing?.moves
  const source = moves === undefined ? null : (details.quote?.(moves) ?? null)
  if (f.missing !== undefined && moves !== undefined && source !== null)
    told.missing = Object.assign({}, f.missing, { moves: Object.assign({}, moves, { source }) })
  return Object.assign({}, f, told)
}

const detailedCondition = (details: Details, c: Condition): Condition => ({
  holds: c.holds,
  failures: c.failures,
  findings: c.findings.map((f) => detailedFinding(details, f)),
})

/** The verdict, its findings with their details. */
export const detailed = (details: Details, v: Verdict): Verdict => {
  const replayable = (f: ReplayableFinding): ReplayableFinding => {
    const schedule = f.schedule === null ? undefined : v.schedules[f.schedule]
    const replay = schedule === undefined ? '' : details.replay(schedule)
    const told = detailedFinding(details, f, f.schedule)
    const alike = f.alike?.map((one) =>
      one.place === undefined ? one : Object.assign({}, one, { place: detailedPlace(details, one.place) }),
    )
    const whose = details.whose?.(f, v.findings) ?? 'author'
    const own: ReplayableFinding = Object.assign(
      {},
      told,
      replay === '' ? {} : { replay },
      whose === 'author' ? {} : { whose },
      alike === undefined ? {} : { alike },
    )
    const fix = details.spoken === undefined ? null : fixOf(details.spoken, own, v.findings)
    return fix === null ? own : Object.assign({}, own, { fix })
  }
  const { C1, C2, C3, C4, C5, C6 } = v.conditions
  const conditions: Conditions = {
    C1: detailedCondition(details, C1),
    C2: detailedCondition(details, C2),
    C3: detailedCondition(details, C3),
    C4: detailedCondition(details, C4),
    C5: detailedCondition(details, C5),
    C6: detailedCondition(details, C6),
  }
  return Object.assign({}, v, {
    conditions,
    findings: v.findings.map(replayable),
    notes: v.notes.map(replayable),
  })
}
