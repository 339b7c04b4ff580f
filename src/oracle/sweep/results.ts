/**
 * The results of a sweep: a file of JSON lines (`tcspec.sweep-results/1`), a head and one row a point.
 *
 *     {"schema":"tcspec.sweep-results/1","version":"0.2.0","hash":"5b1c...","points":4,"shard":[1,1],"spec":{...},"files":{}}
 *     {"point":0,"hash":"9e10...","key":"check queue --set m=8","subject":"queue","outcome":"ok","ids":[],...}
 *
 * While a sweep runs, rows stand in the order in which they were answered; merged, in the order of the grid. A row says nothing of the machine, the
 * thread or the time, so merged results are the same bytes however the sweep was shared out and however often it was interrupted.
 *
 * | shard i of n | has the points p with p mod n = i - 1 |
 *
 * Laws
 * 1. merged (results of the shards) = merged (results of the whole)
 * 2. merged (merged r) = merged r
 * 3. what is read satisfies `schemas/sweep-results.schema.json`, each line
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { table, thousands } from '../../render/table.js'
import { classes, operators } from '../../semantics/mutation/index.js'
import type { VerdictName } from '../../semantics/judging/verdict.js'
import {
  bool,
  decode,
  define,
  described,
  dictionary,
  either,
  finite,
  list,
  nat,
  nothing,
  oneOf,
  pair,
  record,
  text,
  wordOf,
  type Wire,
} from '../../wire.js'
import type { Grid } from './grid.js'
import { sweepWire, type SweepSpec } from './spec.js'
import type { Answer, PointComparison, PointMutant, PointOutcome, PointTime, PointVerdict } from './model.js'

export const resultsSchema = 'tcspec.sweep-results/1'

// ---------------------------------------------------------------- model

/** Which part of the points: the first of four is [1, 4]. */
export type Shard = readonly [part: number, of: number]
export const whole: Shard = [1, 1]

export interface Head {
  readonly schema: typeof resultsSchema
  /** of the library */
  readonly version: string
  /** of the grid */
  readonly hash: string
  /** of the grid, all shards together */
  readonly points: number
  readonly shard: Shard
  readonly spec: SweepSpec
  readonly files: Readonly<Record<string, string>>
}

export interface Row extends Answer {
  readonly point: number
  readonly hash: string
  readonly key: string
  readonly subject: string
}

/** A file of results, read. */
export interface Results {
  readonly file: string
  readonly head: Head
  readonly rows: ReadonlyArray<Row>
}

export const headOf = (version: string, spec: SweepSpec, grid: Grid, shard: Shard): Head => ({
  schema: resultsSchema,
  version,
  hash: grid.hash,
  points: grid.points.length,
  shard,
  spec,
  files: grid.files,
})

export const rowOf = ({ points }: Grid, point: number, answer: Answer): Row => {
  const { hash, key, subject } = points[point]!
  return { point, hash, key, subject, ...answer }
}

/** Points of a shard. */
export const pointsOf = ([part, of]: Shard, points: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, Math.ceil((points - part + 1) / of)) }, (_, k) => part - 1 + k * of)

// ---------------------------------------------------------------- form

const outcomes: Readonly<Record<PointOutcome, true>> = {
  ok: true,
  hazard: true,
  deadlock: true,
  invalid: true,
  'wrong-result': true,
  undecided: true,
  'out-of-fuel': true,
  killed: true,
  survived: true,
  equivalent: true,
  timed: true,
  refused: true,
  failed: true,
}
const verdicts: Readonly<Record<VerdictName, true>> = {
  ok: true,
  hazard: true,
  deadlock: true,
  invalid: true,
  'wrong-result': true,
  undecided: true,
  'out-of-fuel': true,
}

const comparison: Wire<PointComparison> = record<PointComparison>()(
  'a comparison',
  {
    different: described(
      nat,
      'elements that differ; outputs that are too far, where an output is to be near',
    ),
    elements: described(nat, 'elements that were compared'),
    maxUlp: described(
      either<null, number>('null or a number', nothing, nat),
      'the two bit patterns that are farthest apart; null if an output need only be close',
    ),
  },
  {},
)
const verdict: Wire<PointVerdict> = define('PointVerdict', () =>
  record<PointVerdict>()(
    'a verdict',
    {
      notes: described(list(text), 'ids of the notes, each once'),
      proved: described(
        either<null, boolean>('null or a truth value', nothing, bool),
        'whether the subject computes what it claims; null if nothing was to be proved',
      ),
      digest: described(
        record<PointVerdict['digest']>()(
          'digests',
          {
            order: described(text, 'digest of the order of the run'),
            output: described(text, 'of the outputs'),
          },
          {},
        ),
        'of the run',
      ),
      events: described(nat, 'events of the run'),
    },
    {
      decidedBy: described(oneOf('one-schedule', 'exploration'), 'the method that decided it, if any'),
      lookedAt: described(
        oneOf('one-schedule', 'exploration'),
        'the schedules that were examined without deciding',
      ),
      comparison: described(comparison, 'the outputs compared with their expected values'),
    },
  ),
)
const mutant: Wire<PointMutant> = define('PointMutant', () =>
  record<PointMutant>()(
    'a mutant',
    {
      class: described(oneOf(...classes), 'synchronisation or data movement'),
      operator: described(oneOf(...operators), 'kind of the change'),
      site: described(text, 'label of the statement that is changed'),
      change: described(text, 'the change in words'),
      verdict: described(wordOf<VerdictName>()(verdicts), 'the verdict on it'),
      strict: described(bool, 'whether it was killed by a contract that the subject keeps'),
      named: described(bool, 'whether the first findings name the place'),
      accurate: described(bool, 'whether the first finding has the id that the change asks for'),
      certificate: described(
        either<null, string>('null or text', nothing, text),
        'the reason why the mutant is equivalent; null if there is none',
      ),
    },
    {},
  ),
)

const time: Wire<PointTime> = define('PointTime', () =>
  record<PointTime>()(
    'a prediction',
    {
      chip: described(text, 'name of the chip'),
      microseconds: described(finite, 'how long a launch takes'),
      tensorCores: described(finite, 'share of what the tensor cores of the chip can do, from 0 to 1'),
      bound: described(text, 'what it waits for'),
    },
    {},
  ),
)

const headWire: Wire<Head> = define('Head', () =>
  record<Head>()(
    'the head of the results of a sweep',
    {
      schema: described(oneOf(resultsSchema), 'name and version of this schema'),
      version: described(text, 'version of the library that judged'),
      hash: described(
        text,
        'hash of the document and of all files that it names; results with the same hash belong together',
      ),
      points: described(nat, 'points of the whole grid'),
      shard: described(pair(nat), 'which part of the points is here, and of how many: [1, 1] is all'),
      spec: described(sweepWire, 'the document'),
      files: described(dictionary('hashes by file', text), 'SHA-256 of every file that a point reads'),
    },
    {},
  ),
)
const rowWire: Wire<Row> = define('Row', () =>
  record<Row>()(
    'the row of a point',
    {
      point: described(nat, 'its place in the grid, from 0'),
      hash: described(text, 'hash of the key and of the files that its subject reads'),
      key: described(text, 'the command line of `tcspec` that repeats it, given the document'),
      subject: described(text, 'the kernel or the file'),
      outcome: described(
        wordOf<PointOutcome>()(outcomes),
        'a verdict; what became of a mutant; `timed`; `refused`; or `failed`: it could not be answered',
      ),
      ids: described(list(text), 'ids of the findings, each once; the code of a refusal'),
      reason: described(text, 'one line: why'),
    },
    {
      verdict: described(verdict, 'for a subject as it is: what its verdict says'),
      mutant: described(mutant, 'for a mutant: the change, and whether it was killed'),
      time: described(time, 'for a prediction: the time, and what it waits for'),
    },
  ),
)
/** A line of the file. */
export const lineWire: Wire<Head | Row> = either<Head, Row>('a head or a row', headWire, rowWire)

// ---------------------------------------------------------------- reading

export const showLine = (line: Head | Row): string => JSON.stringify(line)

const parsed = (line: string): E.Either<Failure, unknown> =>
  E.tryCatch(
    (): unknown => JSON.parse(line),
    (why) => failure('json.syntax', `not JSON: ${String(why)}`),
  )

const atLine =
  (file: string, k: number) =>
  (f: Failure): Failure =>
    failure(f.code, `${file}: line ${String(k + 1)}: ${f.message}`)

/** What whole lines say; null if there are none. A last line without its end was torn, and says nothing. */
export const readResults = (file: string, content: string): E.Either<Failure, Results | null> => {
  const lines = content.split('\n').slice(0, -1)
  const [first, ...others] = lines
  if (first === undefined) return E.right(null)
  return pipe(
    parsed(first),
    E.chainW(decode(headWire, 'json.form')),
    E.mapLeft(atLine(file, 0)),
    E.bindTo('head'),
    E.bindW('rows', ({ head }) =>
      pipe(
        others,
        E.traverseArrayWithIndex((k, line) =>
          pipe(
            parsed(line),
            E.chainW(decode(rowWire, 'json.form')),
            E.filterOrElseW(
              (row) => row.point < head.points,
              (row) =>
                failure(
                  'sweep.results',
                  `point: expected one below ${String(head.points)}, found ${String(row.point)}`,
                ),
            ),
            E.mapLeft(atLine(file, k + 1)),
          ),
        ),
      ),
    ),
    E.map(({ head, rows }) => ({ file, head, rows })),
  )
}

/** Left where results do not belong to a sweep; `with`: what they are held against. */
export const belongs = (
  { file, head }: Results,
  expected: Pick<Head, 'version' | 'hash'>,
  what: string,
): E.Either<Failure<'sweep.results'>, null> => {
  if (head.version !== expected.version)
    return refuse(
      'sweep.results',
      `${file}: expected results of version ${expected.version} of the library, as ${what}, found version ${head.version}`,
    )
  return head.hash === expected.hash
    ? E.right(null)
    : refuse(
        'sweep.results',
        `${file}: expected results of the sweep of ${what} (${expected.hash.slice(0, 12)}), found those of another one (${head.hash.slice(0, 12)}): the document or one of its files is another`,
      )
}

// ---------------------------------------------------------------- merging

/** Results of shards, put together: their rows in the order of the grid. Not all of them need be there. */
export const merged = (parts: readonly [Results, ...Results[]]): E.Either<Failure, Results> => {
  const [first, ...others] = parts
  for (const other of others) {
    const fits = belongs(other, first.head, first.file)
    if (E.isLeft(fits)) return fits
  }
  const rows = new Map<number, { readonly row: Row; readonly file: string; readonly line: string }>()
  for (const { file, rows: of } of parts)
    for (const row of of) {
      const line = showLine(row)
      const before = rows.get(row.point)
      if (before !== undefined && before.line !== line)
        return refuse(
          'sweep.results',
          `${file}: point ${String(row.point)} (${row.key}): expected what ${before.file} says of it, ${before.row.outcome} (${before.row.reason}), found ${row.outcome} (${row.reason})`,
        )
      if (before === undefined) rows.set(row.point, { row, file, line })
    }
  return E.right({
    file: first.file,
    head: { ...first.head, shard: whole },
    rows: [...rows.values()].map(({ row }) => row).sort((a, b) => a.point - b.point),
  })
}

/** Points that have no row. */
export const missingIn = ({ head, rows }: Results, of: Shard = whole): ReadonlyArray<number> => {
  const there = new Set(rows.map((r) => r.point))
  return pointsOf(of, head.points).filter((p) => !there.has(p))
}

export const showResults = ({ head, rows }: Results): string =>
  `${[head, ...rows].map(showLine).join('\n')}\n`

// ---------------------------------------------------------------- counting

export interface SubjectCounts {
  readonly subject: string
  readonly points: number
  readonly outcomes: Readonly<Record<string, number>>
  /** of hazards and refusals, by their first id */
  readonly ids: Readonly<Record<string, number>>
}

const times = (of: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const w of of) counts.set(w, (counts.get(w) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)))
}

/** By subject, in the order of the grid. */
export const counted = (rows: ReadonlyArray<Row>): ReadonlyArray<SubjectCounts> => {
  const by = new Map<string, Row[]>()
  for (const row of [...rows].sort((a, b) => a.point - b.point)) {
    const of = by.get(row.subject)
    if (of === undefined) by.set(row.subject, [row])
    else of.push(row)
  }
  return [...by].map(([subject, of]) => ({
    subject,
    points: of.length,
    outcomes: times(of.map((r) => r.outcome)),
    ids: times(of.flatMap((r) => (r.outcome === 'killed' ? [] : r.ids.slice(0, 1)))),
  }))
}

const shown = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, n]) => `${name} ${String(n)}`)
    .join(', ')

/** A table, by subject: only the columns of outcomes that there are. */
export const countsText = (counts: ReadonlyArray<SubjectCounts>): string => {
  const there = Object.keys(outcomes).filter((o) => counts.some((c) => (c.outcomes[o] ?? 0) > 0))
  const sum = (of: (c: SubjectCounts) => number): string => thousands(counts.reduce((n, c) => n + of(c), 0))
  return table([
    ['subject', 'points', ...there, 'first ids'],
    ...counts.map((c) => [
      c.subject,
      thousands(c.points),
      ...there.map((o) => thousands(c.outcomes[o] ?? 0)),
      shown(c.ids),
    ]),
    ['all', sum((c) => c.points), ...there.map((o) => sum((c) => c.outcomes[o] ?? 0)), ''],
  ])
}

/** A prediction, and the command that makes it. */
export interface Ranked {
  readonly command: string
  readonly microseconds: number
  readonly tensorCores: number
  readonly bound: string
}

/** Predictions, the fastest first. */
export const rankedOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Ranked> =>
  rows
    .flatMap(({ time: t, key }) =>
      t === undefined
        ? []
        : [{ command: key, microseconds: t.microseconds, tensorCores: t.tensorCores, bound: t.bound }],
    )
    .sort((a, b) => a.microseconds - b.microseconds || (a.command < b.command ? -1 : 1))

/** The same as a table; without any, nothing. */
export const rankedText = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const ranked = rankedOf(rows)
  if (ranked.length === 0) return []
  const cells = ranked.map((t) => [
    t.microseconds.toFixed(1),
    `${(100 * t.tensorCores).toFixed(1)} %`,
    t.bound,
    t.command,
  ])
  return ['', table([['us', 'tensor cores', 'bound', 'command'], ...cells])]
}

const bad: ReadonlyArray<PointOutcome> = [
  'hazard',
  'deadlock',
  'invalid',
  'wrong-result',
  'survived',
  'failed',
]
const open: ReadonlyArray<PointOutcome> = ['undecided', 'out-of-fuel']

/** Good where every point is ok, killed, equivalent or refused; null where one is not decided. */
export const goodOf = (rows: ReadonlyArray<Row>): boolean | null =>
  rows.some((r) => bad.includes(r.outcome)) ? false : rows.some((r) => open.includes(r.outcome)) ? null : true
