/**
 * The report under way: findings and failures of conditions, each kept once per pair of program places.
 *
 * A loop that races does so in every iteration. What is kept is the first instance for each (id or kind, agents, sites);
 * a count says how many more there were. Ids that depend on signals still to come are decided when the log ends.
 *
 * Laws
 * 1. The size of a report is bounded by the program text, not by the length of the run.
 * 2. Two accesses count once, into however many atoms the bytes that they share are cut: how often something is found does not depend on what else the log has touched.
 */
import type {
  Blocked,
  Condition,
  ConditionName,
  Diagnosis,
  HazardId,
  Operation,
  Place,
  Severity,
  Supply,
} from '../finding.js'
import { hazards } from '../hazards.js'
import { other, waiting, wordsOf, type AccessDeed, type Deed } from '../deed.js'
import type { Subject } from '../subject.js'
import type { Header, Stamp, Unit } from '../../log/events.js'
import { clusterOf } from '../../log/events.js'

// ---------------------------------------------------------------- model

/** One side of a finding: whose event, and what it does. `operation` is -1 for the agent's own. */
export interface Actor {
  readonly stamp: Stamp
  readonly does: string
  readonly operation: number
  readonly deed: Deed
  readonly unit: Unit | 'agent'
}

/** A finding before the end of the log. */
export interface Draft {
  readonly id: () => HazardId
  readonly severity: Severity
  readonly text: string
  /** what it is about, but for the units of its actors */
  readonly about: ReadonlyArray<Subject>
  readonly a: Actor
  readonly b: Actor | undefined
  readonly place: Place | undefined
  readonly knew: string | undefined
  readonly knows?: number | undefined
  readonly supply?: Supply
  readonly lanes?: Diagnosis['lanes']
  /** how often it was told, atom by atom */
  times: number
  /** how many instances there are, with the clusters for which others stand */
  seen: number
}

export interface Failure {
  readonly text: string
  readonly draft: Draft | undefined
}

export interface Report {
  readonly header: Header
  readonly drafts: Map<string, Draft>
  /** drafts of pairs that every schedule has in order, over relaxed edges alone (`strict`) */
  readonly byManual: Set<Draft>
  readonly failures: Readonly<Record<ConditionName, Map<string, Failure>>>
  readonly deadlock: Array<Blocked>
  /** so many clusters do what the one does that is heard of now */
  standsFor: number
}

// ---------------------------------------------------------------- constructors

export const report = (header: Header): Report => ({
  header,
  drafts: new Map(),
  byManual: new Set(),
  failures: { C1: new Map(), C2: new Map(), C3: new Map(), C4: new Map(), C5: new Map(), C6: new Map() },
  deadlock: [],
  standsFor: 1,
})

export const actor = (
  stamp: Stamp,
  does: string,
  operation = -1,
  deed: Deed = other,
  unit: Actor['unit'] = 'agent',
): Actor => ({ stamp, does, operation, deed, unit })

/** Who reads or writes. */
export const accessing = (stamp: Stamp, deed: AccessDeed, operation = -1): Actor => ({
  stamp,
  does: wordsOf(deed),
  operation,
  deed,
  unit: deed.unit,
})

/** Who is held up. */
export const held = (stamp: Stamp): Actor => actor(stamp, 'waits', -1, waiting)

/** A draft whose id is clear at once. */
export const draft = (
  id: HazardId,
  severity: Severity,
  text: string,
  about: ReadonlyArray<Subject>,
  a: Actor,
  b?: Actor,
  place?: Place,
  knew?: string,
): Draft => ({ id: () => id, severity, text, about, a, b, place, knew, times: 1, seen: 1 })

// ---------------------------------------------------------------- combinators

/** Whose a missing fence is. */
export const leftByCompiler = ': the compiler that wrote this text has put none there'

/** What makes two drafts the same one. */
export const keyOf = (kind: string, a: Stamp, b: Stamp | undefined): string =>
  b === undefined
    ? `${kind}|${String(a.agent)}|${String(a.site)}`
    : `${kind}|${String(a.agent)}|${String(a.site)}|${String(b.agent)}|${String(b.site)}`

/** Told of another atom, and no other instance. */
export const retold = (d: Draft): void => {
  d.times++
}

/** One instance more. */
export const again = ({ standsFor }: Report, d: Draft): void => {
  d.times++
  d.seen += standsFor
}

/** The draft under this key, one time more, or a new one. */
export const filed = (r: Report, key: string, make: () => Draft): Draft => {
  const old = r.drafts.get(key)
  if (old !== undefined) {
    again(r, old)
    return old
  }
  const made = make()
  made.seen = r.standsFor
  r.drafts.set(key, made)
  return made
}
export const file = (r: Report, key: string, make: () => Draft): void => {
  filed(r, key, make)
}

/** Of a draft that stands for many pairs: is each of them in order, if relaxed edges are? */
export const noteManual = (r: Report, d: Draft, inOrder: boolean): void => {
  if (!inOrder) r.byManual.delete(d)
  else if (d.times === 1) r.byManual.add(d)
}

/** A verdict says once what it rests on: the first pair that asks for it. With the assumption turned off each pair is a finding. */
export const restsOn = (r: Report, id: HazardId, make: (id: HazardId) => Draft): void => {
  if (!r.drafts.has(id)) r.drafts.set(id, make(id))
}

export const fail = (r: Report, condition: ConditionName, key: string, make: () => Failure): void => {
  const failures = r.failures[condition]
  if (!failures.has(key)) failures.set(key, make())
}

// ---------------------------------------------------------------- destructors

/** A CTA: its rank, and where several clusters run together the place of its cluster: `1`, `1.c3`. */
export const ctaName = (header: Header, cta: number): string => {
  const resident = header.resident ?? 1
  return resident === 1
    ? String(cta)
    : `${String(cta % (header.ctas / resident))}.c${String(clusterOf(header, cta))}`
}

/** The agent's name with its CTA. */
export const agentName = (header: Header, agent: number): string => {
  const a = header.agents[agent]
  return a === undefined ? `agent ${String(agent)}` : `${a.name}@${ctaName(header, a.cta)}`
}

/** An agent, or its unit, and what it does. */
export const whoActs = (header: Header, { agent }: Stamp, unit: Actor['unit'], does: string): string =>
  `${agentName(header, agent)}${unit === 'agent' ? '' : "'s"} ${does}`

export const planeName = (header: Header, plane: number): string => {
  const p = header.planes[plane]
  if (p === undefined) return `plane ${String(plane)}`
  switch (p.space) {
    case 'gmem':
      return `gmem ${p.name}`
    case 'smem':
    case 'tmem':
      return `${p.space}@${ctaName(header, p.cta ?? 0)}`
    case 'regs':
      return `${p.name}@${p.agent === undefined ? '?' : agentName(header, p.agent)}`
  }
}

export const barrierName = (header: Header, barrier: number): string => {
  const b = header.barriers[barrier]
  return b === undefined ? `barrier ${String(barrier)}` : `${b.name}@${ctaName(header, b.cta)}`
}

/** `agent site` for texts. */
export const siteName = ({ sites }: Header, { site }: Stamp): string =>
  sites[site]?.label ?? `site ${String(site)}`

export const where = (header: Header, s: Stamp): string =>
  `${agentName(header, s.agent)} ${siteName(header, s)}`

export const operation = (header: Header, a: Actor): Operation => {
  const site = header.sites[a.stamp.site]
  const index = a.stamp.agent
  const agent = agentName(header, index)
  const label = site?.label ?? (a.stamp.site < 0 ? 'the end' : `site ${String(a.stamp.site)}`)
  const path = site?.path ?? []
  const iteration = a.stamp.iteration
  const at = a.stamp.at
  const does = a.does
  const loc = site?.loc
  if (a.operation >= 0) {
    const op = a.operation
    return loc === undefined
      ? { index, agent, site: label, path, iteration, at, does, operation: op }
      : { index, agent, site: label, path, loc, iteration, at, does, operation: op }
  }
  return loc === undefined
    ? { index, agent, site: label, path, iteration, at, does }
    : { index, agent, site: label, path, loc, iteration, at, does }
}

const unitOf = (side: 'a' | 'b', actor: Actor | undefined): ReadonlyArray<Subject> =>
  actor === undefined || actor.unit === 'agent' ? [] : [{ _tag: 'unit', unit: actor.unit, side }]

export const findingOf = (header: Header, d: Draft): Diagnosis => {
  const core: { -readonly [K in keyof Diagnosis]: Diagnosis[K] } = {
    id: d.id(),
    severity: d.severity,
    text: d.seen > 1 ? `${d.text} (${String(d.seen)} times)` : d.text,
    a: operation(header, d.a),
    deeds: { a: d.a.deed, b: d.b?.deed ?? null },
    about: [...d.about, ...unitOf('a', d.a), ...unitOf('b', d.b)],
  }
  if (d.b !== undefined) core.b = operation(header, d.b)
  if (d.place !== undefined) core.place = d.place
  if (d.knew !== undefined) core.knew = d.knew
  if (d.knows !== undefined) core.knows = d.knows
  if (d.supply !== undefined) core.supply = d.supply
  if (d.lanes !== undefined) core.lanes = d.lanes
  return core
}

/** Two operations that conflict say more than what followed from it: a fault, a deadlock, something left over. */
const rank = (f: Diagnosis): number => hazards[f.id].rank

export interface Reported {
  readonly finding: Diagnosis
  readonly byManual: boolean
}

/** Causes before consequences, else in the order of the log. */
export const reported = (r: Report): ReadonlyArray<Reported> =>
  [...r.drafts.values()]
    .map((d) => ({ finding: findingOf(r.header, d), byManual: r.byManual.has(d) }))
    .sort((x, y) => rank(x.finding) - rank(y.finding))

export const findingsOf = (r: Report): ReadonlyArray<Diagnosis> => reported(r).map(({ finding }) => finding)

export const conditionOf = (r: Report, name: ConditionName): Condition<Diagnosis> => {
  const all = [...r.failures[name].values()]
  return {
    holds: all.length === 0,
    failures: all.map((f) => f.text),
    findings: all.flatMap((f) => (f.draft === undefined ? [] : [findingOf(r.header, f.draft)])),
  }
}
