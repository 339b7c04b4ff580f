/**
 * Verdicts as JSON, schema `tcspec.verdict/2`.
 *
 * The JSON of a verdict is the verdict, as with programs: `check --json` prints it, and whoever reads it in another language has the
 * JSON Schema. What is read back is checked for its form only: that a finding is true is shown by replaying its schedule.
 *
 *     decodeVerdict: unknown -> Either<Failure, Verdict>
 *     $.findings[0].id: expected one of "D1", "D2", ..., found "D9"
 *
 * Laws
 * 1. `decodeVerdict(JSON of v) = v` for every verdict of `check`.
 * 2. An error is one line: JSON path, what was expected, what was found.
 * 3. Every schedule of what is read is one (`schedule.ts`), and every finding's is in the table.
 *
 * Source: the taxonomy of hazards in docs/hazards.md.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import type {
  Condition,
  Conditions,
  Finding,
  HazardId,
  MissingEdge,
  Operation,
  Place,
  Severity,
} from './finding.js'
import { readSchedule } from './schedule.js'
import {
  verdictSchema,
  type Counts,
  type Provenance,
  type ReplayableFinding,
  type Searched,
  type Verdict,
  type VerdictName,
} from './verdict.js'
import {
  bool,
  decode,
  define,
  dictionary,
  either,
  finite,
  integer,
  list,
  nat,
  nothing,
  oneOf,
  pair,
  record,
  refined,
  text,
  wordOf,
  type Wire,
} from '../wire.js'

// ---------------------------------------------------------------- words

const hazardId: Wire<HazardId> = define('HazardId', () =>
  wordOf<HazardId>()({
    D1: true,
    D2: true,
    D3: true,
    D4: true,
    P1: true,
    P2: true,
    P3: true,
    P4: true,
    P5: true,
    R1: true,
    R2: true,
    R3: true,
    W1: true,
    W2: true,
    W3: true,
    W4: true,
    W5: true,
    B1: true,
    B2: true,
    B3: true,
    B4: true,
    B5: true,
    B6: true,
    B7: true,
    B8: true,
    B9: true,
    U1: true,
    U2: true,
    M1: true,
    M2: true,
    M3: true,
    M4: true,
    M5: true,
    M6: true,
    M7: true,
    M8: true,
    T1: true,
    T2: true,
    T3: true,
    T4: true,
    T5: true,
    K1: true,
    K2: true,
    K3: true,
    A1: true,
    A2: true,
    A3: true,
    A4: true,
    L1: true,
    L2: true,
    I1: true,
    I2: true,
    V1: true,
    O1: true,
    N1: true,
    N2: true,
    N3: true,
  }),
)
const severity: Wire<Severity> = wordOf<Severity>()({ E: true, C: true, L: true })
const verdictName: Wire<VerdictName> = wordOf<VerdictName>()({
  ok: true,
  invalid: true,
  hazard: true,
  deadlock: true,
  'wrong-result': true,
  undecided: true,
  'out-of-fuel': true,
})

// ---------------------------------------------------------------- findings

const operation: Wire<Operation> = define('Operation', () =>
  record<Operation>()(
    'an operation',
    {
      index: nat,
      agent: text,
      site: text,
      path: list(text),
      iteration: list(integer),
      at: nat,
      does: text,
    },
    { loc: text, operation: nat },
  ),
)

const place: Wire<Place> = define('Place', () =>
  record<Place>()('a place', { plane: text, spans: list(pair(nat)) }, { more: nat }),
)

const missingEdge: Wire<MissingEdge> = define('MissingEdge', () =>
  record<MissingEdge>()(
    'a missing edge',
    {
      kind: wordOf<MissingEdge['kind']>()({
        fence: true,
        'group-wait': true,
        wait: true,
        arrive: true,
        'arrive-wait': true,
        bytes: true,
        'none-found': true,
      }),
      text,
    },
    {},
  ),
)

const finding: Wire<Finding> = define('Finding', () =>
  record<Finding>()(
    'a finding',
    { id: hazardId, severity, text, a: operation },
    { b: operation, place, knew: text, missing: missingEdge },
  ),
)

/** A place in the table of schedules. */
const scheduled: Wire<number | null> = either('null or the number of a schedule', nothing, nat)

const schedule: Wire<string> = refined(
  text,
  'a schedule',
  (s): s is string => s !== '' && E.isRight(readSchedule(s)),
  { type: 'string', minLength: 1 },
)

const replayable: Wire<ReplayableFinding> = define('ReplayableFinding', () =>
  record<ReplayableFinding>()(
    'a finding with its schedule',
    { id: hazardId, severity, text, a: operation, schedule: scheduled },
    { b: operation, place, knew: text, missing: missingEdge },
  ),
)

const condition: Wire<Condition> = define('Condition', () =>
  record<Condition>()('a condition', { holds: bool, failures: list(text), findings: list(finding) }, {}),
)

const conditions: Wire<Conditions> = define('Conditions', () =>
  record<Conditions>()(
    'the conditions',
    { C1: condition, C2: condition, C3: condition, C4: condition, C5: condition, C6: condition },
    {},
  ),
)

// ---------------------------------------------------------------- verdicts

const provenance: Wire<Provenance> = define('Provenance', () =>
  record<Provenance>()('a provenance', { proved: bool, inOrder: bool, text }, {}),
)

const searched: Wire<Searched> = define('Searched', () =>
  record<Searched>()(
    'a search',
    {
      complete: bool,
      bound: either('null or a bound', nothing, wordOf<'states' | 'depth'>()({ states: true, depth: true })),
      states: nat,
      transitions: nat,
    },
    {},
  ),
)

const counts: Wire<Counts> = define('Counts', () =>
  record<Counts>()(
    'counts',
    { events: nat, steps: nat, agents: nat, ctas: nat, clusters: nat, runs: nat },
    {},
  ),
)

const written: Wire<Verdict> = define('Verdict', () =>
  record<Verdict>()(
    'a verdict',
    {
      schema: oneOf(verdictSchema),
      kernel: text,
      settings: dictionary(
        'settings',
        either('text, a number or a truth value', text, either('a number or a truth value', finite, bool)),
      ),
      verdict: verdictName,
      reason: text,
      decidedBy: wordOf<Verdict['decidedBy']>()({ 'one-schedule': true, exploration: true }),
      search: either('null or a search', nothing, searched),
      schedule: scheduled,
      conditions,
      findings: list(replayable),
      notes: list(replayable),
      schedules: list(schedule),
      waitFor: list(text),
      provenance: either('null or a provenance', nothing, provenance),
      digest: record<Verdict['digest']>()('a digest', { order: text, output: text }, {}),
      counts,
      scope: list(text),
    },
    {},
  ),
)

/** What stands for a schedule that the table does not have, if anything does: where it stands. */
const astray = ({ schedule: own, findings, notes, schedules }: Verdict): string | undefined => {
  const places: ReadonlyArray<readonly [string, number | null]> = [
    ['schedule', own],
    ...findings.map((f, i) => [`findings[${String(i)}].schedule`, f.schedule] as const),
    ...notes.map((f, i) => [`notes[${String(i)}].schedule`, f.schedule] as const),
  ]
  return places.find(([, at]) => at !== null && at >= schedules.length)?.[0]
}

export const verdictWire: Wire<Verdict> = refined(
  written,
  'a verdict',
  (v): v is Verdict => astray(v) === undefined,
  written.schema,
  (v) => `${astray(v) ?? ''} to be the number of one of ${String(v.schedules.length)} schedules`,
)

/** A verdict that was written down, or where its form is wrong. */
export const decodeVerdict = (json: unknown): E.Either<Failure<'json.form'>, Verdict> =>
  decode(verdictWire, 'json.form')(json)
