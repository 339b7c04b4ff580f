/**
 * Verdicts: what is known about a program, and how it is known.
 *
 * The verdict is the first that applies of: invalid, deadlock, hazard, wrong-result, undecided, out-of-fuel, ok. It says whether one
 * schedule decided (conditions C1 to C6 hold in a run without a finding, so the run stands for all) or an exploration did, and
 * says of every finding which schedule shows it.
 *
 * Schedules stand in one table, each once and in as few words as replay it (`schedule.ts`), so a verdict is as long as what it says and not
 * as the run: version 2 of the schema. In version 1 each finding carried the keys of all events of its run.
 *
 * Severity E is a hazard. C is a note unless the caller is strict. L is a note.
 *
 * A verdict is a document: findings stand in it as they are published, without what they are about as data (`subject.ts`).
 */
import type { Header } from '../log/events.js'
import type { Condition, Conditions, Diagnosis, Finding, HazardId } from './finding.js'
import { hazards } from './hazards.js'
import type { LevelName } from './level-names.js'
import { publishedMissing } from './missing.js'
import { titleOf } from './titles.js'
import { siliconClause } from './silicon.js'

/** Not checked where a kernel asks cluster launch control: in `scope`. */
export const otherGrants = 'grants of cluster launch control other than those of this run'

export const verdictSchema = 'tcspec.verdict/2'

export type VerdictName =
  'ok' | 'invalid' | 'hazard' | 'deadlock' | 'wrong-result' | 'undecided' | 'out-of-fuel'

/** From the worst: a verdict is the first that applies. */
export const worstFirst: ReadonlyArray<VerdictName> = [
  'invalid',
  'deadlock',
  'hazard',
  'wrong-result',
  'undecided',
  'out-of-fuel',
  'ok',
]

/** What became of a kernel at a level. */
export interface AtLevel {
  readonly level: LevelName
  readonly result: VerdictName | 'refused' | 'not-judged'
  /** one line: why */
  readonly reason: string
}

/** Of a verdict on several levels: what each came to, from the coarser to the finer, and why they differ where they do. */
export interface Level {
  readonly at: ReadonlyArray<AtLevel>
  readonly difference?: string
}

/** A finding that is alike to another: its operations, its bytes, its schedule. */
export interface AlikeFinding extends Pick<Finding, 'a' | 'b' | 'place'> {
  readonly schedule: number | null
}

/** A finding and the schedule that replays it: its place in `schedules`; null in a trace, which is its own. */
export interface ReplayableFinding extends Finding {
  readonly schedule: number | null
  /** how to reproduce it, in the words of the command (`details.ts`) */
  readonly replay?: string
  /** others of its id, between the same lines of the source (`alike.ts`) */
  readonly alike?: ReadonlyArray<AlikeFinding>
  /** why it is accepted, if a baseline accepts it (`accept.ts`) */
  readonly accepted?: string
  /** of a verdict on several levels: those that have it; the first tells it */
  readonly levels?: ReadonlyArray<LevelName>
}

/** A statement of an accepted finding: by its text, which an edit elsewhere leaves as it is. */
export interface AcceptedPlace {
  readonly file?: string
  readonly statement: string
  /** which of the lines with this text */
  readonly nth: number
  readonly does: string
}

/** A row of a baseline, and how many findings of the verdict it names; 0: it may be deleted. */
export interface AcceptedFinding {
  readonly id: HazardId
  readonly a: AcceptedPlace
  readonly b: AcceptedPlace | null
  readonly memory: string | null
  readonly launch: string
  readonly reason: string
  readonly findings: number
}

// ---------------------------------------------------------------- publishing

/** The finding without what it is about as data. */
const published = (header: Header, f: Diagnosis): Finding => {
  const core: { -readonly [K in keyof Finding]: Finding[K] } = {
    id: f.id,
    title: titleOf(header, f),
    severity: f.severity,
    text: f.text,
    a: f.a,
  }
  if (f.b !== undefined) core.b = f.b
  if (f.place !== undefined) core.place = f.place
  if (f.knew !== undefined) core.knew = f.knew
  if (f.knows !== undefined) core.knows = f.knows
  const missing = publishedMissing(header, f)
  if (missing !== undefined) core.missing = missing
  // a hazard that is a note here is one of another kernel
  const seen =
    f.severity !== 'E' && f.severity !== hazards[f.id].severity ? undefined : siliconClause(header, f)
  if (seen !== undefined) core.silicon = seen
  return core
}

/** A finding of a verdict, and the place of the schedule that replays it. */
export const replayable = (header: Header, f: Diagnosis, schedule: number | null): ReplayableFinding =>
  Object.assign({ schedule }, published(header, f))

const publishedCondition = (
  header: Header,
  { holds, failures, findings }: Condition<Diagnosis>,
): Condition => ({
  holds,
  failures,
  findings: findings.map((f) => published(header, f)),
})

/** The conditions of a verdict. */
export const publishedConditions = (header: Header, c: Conditions<Diagnosis>): Conditions => ({
  C1: publishedCondition(header, c.C1),
  C2: publishedCondition(header, c.C2),
  C3: publishedCondition(header, c.C3),
  C4: publishedCondition(header, c.C4),
  C5: publishedCondition(header, c.C5),
  C6: publishedCondition(header, c.C6),
})

// ---------------------------------------------------------------- the document

/** Does the program compute what it says? Decided for all inputs of the shape, from one run. */
export interface Provenance {
  readonly proved: boolean
  /** every output adds its products in ascending order of k, so it is the naive chain bit for bit */
  readonly inOrder: boolean
  /** the statement that was proved, or what is wrong: output cell, k-slices missing or repeated, statement */
  readonly text: string
}

/** A search of all schedules: how far it went. `complete`: there are no others. */
export interface Searched {
  readonly complete: boolean
  /** what stopped it, if something did */
  readonly bound: 'states' | 'depth' | null
  readonly states: number
  readonly transitions: number
  /** what it does not follow, and what a condition fails by */
  readonly leaves?: 'lanes'
  /** states that differ by an exchange of CTAs were counted once (`schedules/outcomes/exchange.ts`) */
  readonly exchanged?: boolean
}

export interface Counts {
  /** log events, steps of the machine, agents, CTAs, clusters, runs that were made */
  readonly events: number
  readonly steps: number
  readonly agents: number
  readonly ctas: number
  readonly clusters: number
  readonly runs: number
}

/** Clusters that come the same way up to addresses of global memory: one of them was run (`verdict/classes.ts`). */
export interface ClusterClass {
  /** the one that was run */
  readonly cluster: number
  /** their number, including it */
  readonly of: number
}

/** What other schedules have cost, and might (`verdict/budget.ts`), in events; `budget`: null is no limit. */
export interface Spent {
  readonly events: number
  readonly budget: number | null
}

/** An element that is not what it should be. */
export interface Mismatch {
  readonly index: ReadonlyArray<number>
  /** Values; `'nan'`, `'inf'`, `'-inf'`, `'-0'` and integers beyond 2^52 are strings. */
  readonly got: number | string
  readonly expected: number | string
  readonly gotBits: string
  readonly expectedBits: string
  /** null where one of the two is a NaN. Exact up to 2^53. */
  readonly ulp: number | null
}

/** How far an output is from what it should be, bit for bit (`oracle/compare.ts`). */
export interface Comparison {
  readonly equal: boolean
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly elements: number
  readonly different: number
  readonly maxUlp: number
  readonly ulpHistogram: Readonly<Record<string, number>>
  readonly nanMismatch: number
  readonly nanPayload: number
  readonly zeroSign: number
  readonly first: ReadonlyArray<Mismatch>
}

/** How far outputs are from what they should be near. */
export interface Approximation {
  /** what they are compared with */
  readonly to: string
  readonly outputs: ReadonlyArray<{
    readonly tensor: string
    readonly elements: number
    readonly tolerance: { readonly kind: string; readonly bound: number }
    /** the largest value, which an absolute bound grows with */
    readonly size: number | null
    /** null where all are within the tolerance */
    readonly farthest: {
      readonly at: number
      readonly found: number | null
      readonly expected: number | null
      readonly by: number | null
    } | null
    readonly largestError: number | null
  }>
}

/** A finding whose missing edge was added to the program before this verdict (`mending/`). */
export interface MendedFinding {
  /** its number in the verdict before */
  readonly finding: number
  readonly id: HazardId
  readonly text: string
  /** the verdict before */
  readonly was: VerdictName
  /** statements, as a listing prints them, and where they stand */
  readonly added: ReadonlyArray<{ readonly statement: string; readonly where: string }>
}

/** How schedules were looked at: one, or several. */
export type Way = 'one-schedule' | 'exploration'

/** A way decides, or was looked at without deciding. */
export const wayOf = (verdict: VerdictName, way: Way): Pick<Verdict, 'decidedBy' | 'lookedAt'> =>
  verdict === 'undecided' || verdict === 'out-of-fuel' ? { lookedAt: way } : { decidedBy: way }

export interface Verdict {
  readonly schema: typeof verdictSchema
  readonly kernel: string
  readonly settings: Readonly<Record<string, string | number | boolean>>
  readonly verdict: VerdictName
  /** one line: why */
  readonly reason: string
  /** absent if nothing decided: for `undecided` and `out-of-fuel`, `lookedAt` lists the examined schedules */
  readonly decidedBy?: Way
  readonly lookedAt?: Way
  /** null where no search was made: one schedule decided, a few did, or it was not asked */
  readonly search: Searched | null
  /** of the run that conditions, notes, counts and the digest of order speak of: its place in `schedules`; null for a trace */
  readonly schedule: number | null
  readonly conditions: Conditions
  /** those of the first run, where `schedule` is another one */
  readonly firstConditions?: Conditions
  /** of a deadlock, or a fault, that some schedules do not have: the place of one that completes. Outputs are those that it leaves */
  readonly completes?: number
  readonly findings: ReadonlyArray<ReplayableFinding>
  readonly notes: ReadonlyArray<ReplayableFinding>
  /** the runs that this verdict speaks of, the first one first: names of policies, or event keys (`schedule.ts`) */
  readonly schedules: ReadonlyArray<string>
  /** blocked agents of a deadlock, one line each: who, where, for which barrier, generation, count and bytes missing */
  readonly waitFor: ReadonlyArray<string>
  /** null when the program does not say what it computes, or provenance was not asked for */
  readonly provenance: Provenance | null
  readonly digest: { readonly order: string; readonly output: string }
  readonly counts: Counts
  /** if one run did not decide, the cost of the others */
  readonly spent?: Spent
  /** arguments of the launch whose sizes or values are a guess of the checker; absent: all were given */
  readonly guessed?: ReadonlyArray<string>
  /** edges that were added first, in this order: of the program with them all is this verdict */
  readonly mended?: ReadonlyArray<MendedFinding>
  /** of the output with what it should be: where a run had data and was compared */
  readonly comparison?: Comparison
  readonly approximation?: Approximation
  /** rows of a baseline that were asked for, whether a check passes with them, and if not, why (`accept.ts`) */
  readonly accepted?: ReadonlyArray<AcceptedFinding>
  readonly passes?: boolean
  readonly open?: string
  /** the result of each level, if several were judged (`verdict/levels.ts`) */
  readonly levels?: Level
  /** of a grid of which not every cluster was run: its classes */
  readonly classes?: ReadonlyArray<ClusterClass>
  /** what the verdict does not speak of */
  readonly scope: ReadonlyArray<string>
}

/** The verdict by another name, for another reason: what had decided is what was looked at, or the other way round. */
export const renamed = (v: Verdict, name: VerdictName, reason: string): Verdict => {
  const way = v.decidedBy ?? v.lookedAt
  const other = Object.assign({}, v, { verdict: name, reason })
  if (way === undefined) return other
  Reflect.deleteProperty(other, 'decidedBy')
  Reflect.deleteProperty(other, 'lookedAt')
  return Object.assign(other, wayOf(name, way))
}
