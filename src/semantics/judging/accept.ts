/**
 * Accepted findings: what a reader has seen, judged and taken, so that a check passes and a new finding does not hide beside it.
 *
 * A finding that a compiler or a library causes stays as long as they do. Who checks his kernels in every build then has two choices: to look past red
 * verdicts, or to leave the check out. A baseline is the third. It is a list of rows; a row names a mistake so that it is found again after an edit elsewhere, and no
 * other mistake is.
 *
 * | a row says                 | why                                                                            |
 * |----------------------------|--------------------------------------------------------------------------------|
 * | the kernel, the id         |                                                                                |
 * | the launch                 | another grid or another size reaches other statements, by other agents; a row without one means every launch |
 * | of both sides the statement | its text and its file, not its line: lines move                               |
 * | which of several alike it is | a text may stand twice in a file                                             |
 * | of both sides the access   | one line may read and write                                                    |
 * | the memory                 | two arrays may race between the same two lines                                 |
 * | the reason                 | free text; nothing reads it                                                    |
 *
 * Which side came first is the run's affair: a row has its sides in either order.
 *
 * A check passes if it is a hazard, each of its findings is accepted (and each that is told with it as alike), and nothing else is open:
 *
 * | left open                                                                     | then                                                 |
 * |-------------------------------------------------------------------------------|------------------------------------------------------|
 * | the verdict is neither `ok` nor `hazard`                                      | fails: nothing after a deadlock or a fault was run   |
 * | a hazard without a finding, or with a result that is wrong                    | fails: no row accepts it                             |
 * | a condition fails, in the run that decided or in the first one, and by what no row accepts | fails, unless a search followed every schedule |
 * | a condition fails by the lanes of a warp                                      | fails: no search follows them                        |
 *
 * Laws
 * 1. A verdict with a finding that no row names does not pass.
 * 2. A verdict passes with the rows that were written of it, if it may pass at all.
 * 3. What is accepted changes no finding: the verdict keeps its name.
 * 4. What passes with some rows passes with more.
 */
import { deedIn } from './deed.js'
import type { Conditions, Finding, HazardId, Operation, Place } from './finding.js'
import { memoryInName } from './plane-name.js'
import type { AcceptedFinding, AcceptedPlace, ReplayableFinding, Verdict } from './verdict.js'

export const acceptSchema = 'tcspec.accept/1'

/** A mistake that is accepted. */
export interface AcceptedRow {
  readonly kernel: string
  /** in words; empty where a kernel has one launch; absent: every launch */
  readonly launch?: string
  readonly id: HazardId
  readonly a: AcceptedPlace
  readonly b: AcceptedPlace | null
  readonly memory: string | null
  readonly reason: string
}

export interface Baseline {
  readonly schema: typeof acceptSchema
  readonly accepted: ReadonlyArray<AcceptedRow>
}

/** Where a statement of a finding stands: its file, its text, and which of several alike; null: its label says it. */
export type StatementAt = (
  o: Operation,
) => { readonly file: string; readonly statement: string; readonly nth: number } | null

// ---------------------------------------------------------------- rows

const accessOf = ({ does }: Operation): string => (deedIn(does)._tag === 'other' ? 'other' : does)

const placeOf = (at: StatementAt, o: Operation): AcceptedPlace => {
  const known = at(o)
  const does = accessOf(o)
  return known === null
    ? { statement: [...o.path, o.site].join(' / '), nth: 0, does }
    : { file: known.file, statement: known.statement, nth: known.nth, does }
}

/** `smem a_smem`, `gmem out`, `acc`: without the CTA or the agent, of which there are many. */
const memoryOf = (place: Place | undefined): string | null =>
  place === undefined
    ? null
    : [memoryInName(place.plane), ...(place.within ?? []).map((s) => s.name)].join(' ')

type Told = Pick<Finding, 'a' | 'b' | 'place'>

/** What is checked: a kernel, in one launch, and where its statements stand. */
export interface Launching {
  readonly kernel: string
  readonly launch: string
  readonly at: StatementAt
}

const rowOf = ({ kernel, launch, at }: Launching, id: HazardId, f: Told, reason: string): AcceptedRow => ({
  kernel,
  launch,
  id,
  a: placeOf(at, f.a),
  b: f.b === undefined ? null : placeOf(at, f.b),
  memory: memoryOf(f.place),
  reason,
})

const placeKey = (p: AcceptedPlace | null): string =>
  JSON.stringify(p === null ? null : [p.file ?? null, p.statement, p.nth, p.does])

/** Rows with one key name one mistake. */
const keyOf = (r: AcceptedRow): string =>
  JSON.stringify([r.kernel, r.launch, r.id, r.memory, ...[placeKey(r.a), placeKey(r.b)].sort()])

/** A finding, and those that it stands for. */
const rowsOf = (
  of: Launching,
  f: Finding & Pick<ReplayableFinding, 'alike'>,
  reason: string,
): ReadonlyArray<AcceptedRow> => [f, ...(f.alike ?? [])].map((told: Told) => rowOf(of, f.id, told, reason))

const isOf =
  ({ kernel, launch }: Launching) =>
  (r: AcceptedRow): boolean =>
    r.kernel === kernel && (r.launch === undefined || r.launch === launch)

/** The same row, of this launch alone. */
const within =
  ({ launch }: Launching) =>
  (r: AcceptedRow): AcceptedRow & { readonly launch: string } =>
    Object.assign({}, r, { launch })

/** A row written of a finding, and why it may stand. */
const unread = 'not reviewed yet: say here why this is accepted'
const reasonOf = ({ whose }: Finding): string =>
  whose === 'compiler' ? 'inserted by the compiler' : whose === 'library' ? 'inserted by the library' : unread

/** The baseline of a verdict: rows of `before` keep their reasons, those of other kernels and other launches stay. */
export const baselineOf = (v: Verdict, of: Launching, before: ReadonlyArray<AcceptedRow> = []): Baseline => {
  const isMine = isOf(of)
  const known = new Map(before.filter(isMine).map((r) => [keyOf(within(of)(r)), r]))
  const mine = new Map<string, AcceptedRow>()
  for (const f of v.findings)
    for (const row of rowsOf(of, f, reasonOf(f)))
      if (!mine.has(keyOf(row))) mine.set(keyOf(row), known.get(keyOf(row)) ?? row)
  return {
    schema: acceptSchema,
    accepted: [...new Set([...before.filter((r) => !isMine(r) || r.launch === undefined), ...mine.values()])],
  }
}

/** Baselines of one kernel, which was judged in several forms, as one: each row once. */
export const baselinesTogether = (all: ReadonlyArray<Baseline>): Baseline => {
  const rows = new Map<string, AcceptedRow>()
  for (const { accepted } of all)
    for (const row of accepted) if (!rows.has(keyOf(row))) rows.set(keyOf(row), row)
  return { schema: acceptSchema, accepted: [...rows.values()] }
}

// ---------------------------------------------------------------- acceptance

/** Conditions that fail by something that is not accepted. */
const failingIn = (c: Conditions | undefined, isAccepted: (f: Finding) => boolean): ReadonlyArray<string> =>
  c === undefined
    ? []
    : (['C1', 'C2', 'C3', 'C4', 'C5', 'C6'] as const).filter(
        (name) =>
          !c[name].holds &&
          (c[name].findings.length === 0 ||
            c[name].findings.length < c[name].failures.length ||
            !c[name].findings.every(isAccepted)),
      )

/** What is left open where all findings are accepted; null: nothing. */
const openBeside = (v: Verdict, isAccepted: (f: Finding) => boolean): string | null => {
  if (v.verdict !== 'hazard') return v.verdict === 'ok' ? null : `the verdict is ${v.verdict}`
  if (v.findings.length === 0) return 'no row can accept this hazard, because it has no findings'
  if (v.provenance?.proved === false) return `the result is wrong: ${v.provenance.text}`
  const isWhole = v.search?.complete === true
  if (isWhole && v.search.leaves === undefined) return null
  const failing = [
    ...new Set([...failingIn(v.conditions, isAccepted), ...failingIn(v.firstConditions, isAccepted)]),
  ].sort()
  return failing.length === 0
    ? null
    : `${failing.join(', ')} ${failing.length === 1 ? 'fails' : 'fail'}, so other schedules${isWhole ? ', in which the lanes of a warp come in another order,' : ''} may have other findings`
}

/** The verdict with what is accepted of it: its findings say why, and rows that name none of them are told. */
export const withAccepted = (v: Verdict, of: Launching, rows: ReadonlyArray<AcceptedRow>): Verdict => {
  const mine = rows.filter(isOf(of)).map(within(of))
  const known = new Map(mine.map((r) => [keyOf(r), r]))
  const found = new Map<string, number>()
  const keysOf = (f: Finding): ReadonlyArray<string> => rowsOf(of, f, '').map(keyOf)
  /** The row of a finding all of whose keys are accepted. */
  const rowBy = (keys: ReadonlyArray<string>): AcceptedRow | undefined =>
    keys.every((key) => known.has(key)) ? known.get(keys[0] ?? '') : undefined
  const findings = v.findings.map((f): ReplayableFinding => {
    const keys = keysOf(f)
    for (const key of keys) found.set(key, (found.get(key) ?? 0) + 1)
    const row = rowBy(keys)
    return row === undefined ? f : Object.assign({}, f, { accepted: row.reason })
  })
  const accepted = mine.map(({ id, a, b, memory, launch, reason }, i): AcceptedFinding => ({
    id,
    a,
    b,
    memory,
    launch,
    reason,
    findings: found.get(keyOf(mine[i]!)) ?? 0,
  }))
  const fresh = findings.filter((f) => f.accepted === undefined).length
  const open =
    fresh > 0
      ? `${String(fresh)} ${fresh === 1 ? 'finding is' : 'findings are'} not accepted`
      : openBeside(v, (f) => rowBy(keysOf(f)) !== undefined)
  // new findings stand before those that are known
  const ordered = [
    ...findings.filter((f) => f.accepted === undefined),
    ...findings.filter((f) => f.accepted !== undefined),
  ]
  const told: Pick<Verdict, 'findings' | 'accepted' | 'passes'> & { open?: string } = {
    findings: ordered,
    accepted,
    passes: open === null,
  }
  if (open !== null) told.open = open
  return Object.assign({}, v, told)
}
