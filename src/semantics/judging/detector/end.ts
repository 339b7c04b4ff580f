/**
 * Ends: of a cluster, and of the log.
 *
 * At the end of a cluster, in this order: reads of what nothing has written (I1, M6); if waits stand, the wait-for cycle (B1, B4 to B7); what is left in barriers (U1, C6); if
 * nothing is stuck, what is still in flight or can still reach a CTA that has gone (U2, K1), tensor memory that is still allocated or was not given back by both of a pair (T1, T4, T5), and registers that not all warps of a warpgroup set (A2). At the end of the log also: output bytes that were not
 * wrote (O1), and the conditions C1 and C5, which sum up the rest.
 *
 * | condition | fails if                                                                      |
 * |-----------|-------------------------------------------------------------------------------|
 * | C1        | the header says that control may depend on timing                              |
 * | C2        | the log contradicts itself (a parity, an operation)                            |
 * | C3, C4, C6 | asked at every barrier event (`barriers.ts`)                                  |
 *
 * Worked: two clusters, output of 32 bytes; cluster 0 writes [0, 16), cluster 1 stands blocked. B5 of cluster 1, C5 fails, and O1 is not asked: the
 * missing 16 bytes are the deadlock's.
 *
 * A log may stop before its run has ended: out of fuel, at a fault, cut. Then nothing is asked that only the end can answer (U1, U2, K1, T1, O1 of the
 * cluster under way, C6 of an open generation); what was found before stands, and C5 is not known to hold.
 *
 * Laws
 * 1. Clusters are judged apart, but for what they did to global memory.
 * 2. What is found in a log that stops is found in every longer one, as far as it is no read before the write (I1 becomes the race that it is).
 *
 * Source: docs/hazards.md, the theorem.
 */
import type { Condition, Diagnosis, Judgement, Place } from '../finding.js'
import { hazards } from '../hazards.js'
import { ofPlane } from '../subject.js'
import type { AccessRecord } from './access-record.js'
import { eachPiece } from './atoms.js'
import { actorOf } from './conflicts.js'
import { atEnd, barrierState } from './barriers.js'
import { agentState, restart } from './context.js'
import { settle } from './cell.js'
import { deadlock } from './deadlock.js'
import * as Digest from './digest.js'
import { atExit } from './obligations.js'
import { isQuiet } from './quiet.js'
import { otherwiseIn } from './readings.js'
import { forgetResponses } from './responses.js'
import { forgetStrong } from './strong-state.js'
import { unequalRegisters } from './register-groups.js'
import { actor, conditionOf, draft, fail, file, findingsOf, planeName, reported } from './report.js'
import { bites } from './rules.js'
import type { Detector } from './state.js'
import { forget, leaked } from './tensor-memory.js'
import { eachMissing } from './written-once.js'

// ---------------------------------------------------------------- clusters

/** I1 and M6: reads that found nothing, and that no later write explains. */
const unwritten = (d: Detector): void => {
  d.context.early = false
  const reads = new Set<AccessRecord>()
  for (const plane of d.planes)
    eachPiece(plane, (_start, _end, atom) => {
      settle(atom.payload, d.context.cluster, { nothingThere: (read) => reads.add(read) })
    })
  reads.forEach(d.conflicts.nothingThere)
}

/** What a log shows as far as it has come. The state is as it was: the log may go on. */
export const soFar = (d: Detector): Pick<Judgement, 'findings' | 'conditions'> => {
  const { report, options, early, cluster } = d.context
  const before = new Map(report.drafts)
  if (early)
    for (const plane of d.planes)
      eachPiece(plane, (_start, _end, { payload }) => {
        if (payload.cluster === cluster) payload.early.forEach(d.conflicts.nothingThere)
      })
  const findings = findingsOf(report).filter((f) => bites(f.severity, options))
  for (const key of [...report.drafts.keys()]) if (!before.has(key)) report.drafts.delete(key)
  return { findings, conditions: conditionsIn(d) }
}

const conditionsIn = ({ context: { report } }: Detector): Judgement['conditions'] => ({
  C1: conditionOf(report, 'C1'),
  C2: conditionOf(report, 'C2'),
  C3: conditionOf(report, 'C3'),
  C4: conditionOf(report, 'C4'),
  C5: conditionOf(report, 'C5'),
  C6: conditionOf(report, 'C6'),
})

/** Closes the cluster under way: exits, left-overs, deadlock. `whole`: it has come to its end, and owes all this. */
const endCluster = (d: Detector, whole: boolean): void => {
  const c = d.context
  const stuck = d.blocked.length > 0
  if (c.early) unwritten(d)
  if (!whole) {
    Digest.closeCluster(c.digest, c.cluster)
    return
  }
  if (stuck) deadlock(c, d.barriers, d.named, d.blocked, d.ahead, d.worked)
  for (const b of d.barriers) atEnd(c, b, stuck)
  if (!stuck) atExit(c, d.obligations)
  if (!stuck) leaked(c, d.allocations)
  unequalRegisters(c, d.registers)
  for (const { quiet } of d.barriers) if (quiet !== null && !isQuiet(quiet)) c.restless = true
  Digest.closeCluster(c.digest, c.cluster)
}

export const nextCluster = (d: Detector, id: number): void => {
  const c = d.context
  if (d.anyEvent) {
    endCluster(d, true)
    c.agents.forEach((a, x) => {
      restart(a, agentState(c.header.agents[x]!.starts))
    })
    d.operations.clear()
    d.instances.fill(0)
    d.named.clear()
    d.registers.clear()
    d.semaphores.clear()
    forgetStrong(d.strong)
    forgetResponses(d.responses)
    d.blocked.length = 0
    d.ahead.length = 0
    forget(d.allocations)
    d.over = -1
    d.obligations.pending = []
    d.obligations.remote.clear()
    d.obligations.words.clear()
    d.worked.fill(0)
    for (const b of d.barriers) {
      Object.assign(b, barrierState(c.extent, b.index))
    }
  }
  c.cluster = id
  c.report.standsFor = c.options.part?.standsFor.get(id) ?? 1
  d.anyEvent = false
}

// ---------------------------------------------------------------- the log

/** Intervals of an output that are listed: a column that is left out is one in every row. */
const listed = 64

const placeOf = (plane: string, spans: Place['spans']): Place =>
  spans.length <= listed
    ? { plane, spans }
    : { plane, spans: spans.slice(0, listed), more: spans.length - listed }

type Interval = readonly [start: number, end: number]

/** What is left of ascending intervals without ascending spans. */
const without = (
  intervals: ReadonlyArray<Interval>,
  spans: Float64Array = nothingElse,
): ReadonlyArray<Interval> => {
  if (spans.length === 0) return intervals
  const out: Interval[] = []
  let k = 0
  for (const [start, end] of intervals) {
    let at = start
    while (k < spans.length && spans[k + 1]! <= at) k += 2
    for (let j = k; j < spans.length && spans[j]! < end; j += 2) {
      if (spans[j]! > at) out.push([at, spans[j]!])
      at = Math.max(at, spans[j + 1]!)
    }
    if (at < end) out.push([at, end])
  }
  return out
}
const nothingElse = new Float64Array(0)

/** O1: bytes of outputs that nothing wrote. */
const outputs = (d: Detector): void => {
  const c = d.context
  // a byte is a byte of the grid
  c.report.standsFor = 1
  c.header.planes.forEach((p, i) => {
    if (p.output !== true) return
    const missing: Array<readonly [number, number]> = []
    let newest: AccessRecord | undefined
    let at = 0
    const gap = (to: number): void => {
      if (to <= at) return
      const last = missing[missing.length - 1]
      if (last !== undefined && last[1] === at) missing[missing.length - 1] = [last[0], to]
      else missing.push([at, to])
    }
    const once = d.writtenOnce[i]!
    if (once.writes !== null) {
      eachMissing(once, (from, to) => missing.push([from, to]))
      newest = once.writes.at(-1)?.record
      at = p.bytes
    }
    eachPiece(d.planes[i]!, (from, to, owner) => {
      gap(from)
      at = from
      const { write, atomics, foreignWrite, foreignAtomic } = owner.payload
      let by: AccessRecord | undefined
      const found = (x: AccessRecord | undefined): void => {
        if (x?.rw === 'w' && (by === undefined || x.when > by.when)) by = x
      }
      atomics.forEach(found)
      found(write)
      found(foreignAtomic)
      found(foreignWrite)
      if (by !== undefined && (newest === undefined || by.when > newest.when)) newest = by
      if (by === undefined) gap(to)
      at = to
    })
    gap(p.bytes)
    const nowhere = without(missing, c.options.part?.written.get(i))
    if (nowhere.length > 0) {
      const last = newest
      const bytes = nowhere.reduce((n, [from, to]) => n + to - from, 0)
      file(c.report, `O1|${String(i)}`, () =>
        draft(
          'O1',
          c.options.guessed === true || p.given === true ? 'L' : 'E',
          `${String(bytes)} bytes of output ${p.name} are never written${p.given === true ? '; they keep what the caller gave' : ''}`,
          [ofPlane(i)],
          last === undefined ? actor({ agent: 0, at: 0, site: -1, iteration: [] }, 'ends') : actorOf(last),
          undefined,
          placeOf(planeName(c.header, i), nowhere),
        ),
      )
    }
  })
}

/** A condition that fails by findings, besides. */
const failingBy = (
  { holds, failures, findings }: Condition<Diagnosis>,
  more: ReadonlyArray<Diagnosis>,
): Condition<Diagnosis> => ({ holds, failures, findings: [...findings, ...more] })

/** Closes the last cluster and says what the log shows; `whole`: it is that of a run which has ended. The state is spent. */
export const conclude = (d: Detector, whole: boolean): Judgement => {
  const c = d.context
  endCluster(d, whole)
  const stuck = c.report.deadlock.length > 0
  if (!stuck && whole) outputs(d)
  for (const why of c.header.nondeterminism)
    fail(c.report, 'C1', why, () => ({ text: why, draft: undefined }))
  const listed = reported(c.report)
  const all = listed.map(({ finding }) => finding)
  const isBad = (f: Diagnosis): boolean => bites(f.severity, c.options)
  const findings = all.filter(isBad)
  // alike ones are one failure
  const exits = findings.filter(
    (f, i) => hazards[f.id].exit && findings.findIndex((g) => g.id === f.id && g.text === f.text) === i,
  )
  for (const f of exits)
    fail(c.report, 'C5', `${f.id}: ${f.text}`, () => ({ text: `${f.id}: ${f.text}`, draft: undefined }))
  if (stuck) fail(c.report, 'C5', 'stuck', () => ({ text: 'the run does not complete', draft: undefined }))
  if (!whole)
    fail(c.report, 'C5', 'stopped', () => ({ text: 'how the run ends is not known', draft: undefined }))
  const { C1, C2, C3, C4, C5, C6 } = conditionsIn(d)
  const conditions = { C1, C2, C3, C4, C5: failingBy(C5, exits), C6 }
  return {
    findings,
    notes: all.filter((f) => !isBad(f)),
    conditions,
    deadlock: c.report.deadlock,
    byManual: listed.flatMap(({ finding, byManual }) => (byManual && isBad(finding) ? [finding] : [])),
    candidates:
      d.allocations.contested || c.misled || c.passedEarly || !(conditions.C3.holds && conditions.C6.holds),
    lanesInTurn: c.lanesInTurn,
    quiet: c.options.quiet === true && !c.restless,
    otherwise: otherwiseIn(c.header, d.strong.readings),
    looked: c.looked,
    digest: Digest.show(c.digest),
    events: c.when,
  }
}
