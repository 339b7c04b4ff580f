/**
 * Work: what is done at one point of a sweep, and what is said of it.
 *
 * A point is a command line of `tcspec`, so what is said there can be asked again by hand; the answer is what of its document is worth a line.
 *
 * | case                        | a task of it                        | answer                                              |
 * |-----------------------------|-------------------------------------|-----------------------------------------------------|
 * | `check NAME ...`            | the one                             | its verdict                                         |
 * | `run NAME ... --over X`     | the one                             | the same, and how its output compares               |
 * | `mutate NAME ...`           | one mutant, `--mutant KEY`          | `killed`, `survived`, `undecided` or `equivalent`    |
 * | `time NAME --chip X ...`    | the one                             | `timed`: how long, and what it waits for            |
 * | any of them                 |                                     | `refused` with its code, or `failed` with its line  |
 *
 * Cases and tasks are plain data, so a task can be done in any thread. The mutants of a case have a judge together, which is kept until another case is
 * asked: the tasks of a case belong together.
 *
 * Laws
 * 1. An answer depends on its task and on the files that it reads, and on nothing else: not on the thread, not on what was done before, not on the time.
 * 2. Every task has an answer: what throws is `failed`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import type { JudgedMutant } from '../../semantics/mutation/index.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import { decodeVerdict } from '../../semantics/files/verdict-codec.js'
import type { Listed, Outcome, World } from '../cli/command.js'
import { mutantsAsked, type Mutants } from '../cli/mutants.js'
import { tcspec } from '../cli/program.js'
import { decode, finite, record, text, type Wire } from '../../wire.js'
import type { Answer, Case, PointComparison, PointOutcome, PointTime, Task } from './model.js'

// ---------------------------------------------------------------- words

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`

/** Flags that are given again for each value; the others take all of theirs at once. */
const repeated: ReadonlyArray<string> = ['class', 'operator']

/** The command line of a case. */
export const wordsOfCase = ({ command, name, options }: Case): ReadonlyArray<string> => [
  command,
  name,
  ...Object.entries(options).flatMap(([option, value]): ReadonlyArray<string> => {
    const flag = flagOf(option)
    if (value === true) return [flag]
    if (typeof value === 'string') return [flag, value]
    return repeated.includes(option) ? value.flatMap((v) => [flag, v]) : [flag, ...value]
  }),
]

// ---------------------------------------------------------------- one point

const oneLine = (text: string): string => text.replace(/\s*[\r\n]\s*/g, ' ').trim()

export const refusedAnswer = ({ code, message }: Failure): Answer => ({
  outcome: 'refused',
  ids: [code],
  reason: oneLine(message),
})

/** A point of which nothing is known but that it could not be answered. */
export const failedAnswer = (why: string): Answer => ({ outcome: 'failed', ids: [], reason: oneLine(why) })

const different = (ids: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(ids)]

const comparisonOf = ({ comparison, approximation }: Verdict): PointComparison | null =>
  comparison !== undefined
    ? { different: comparison.different, elements: comparison.elements, maxUlp: comparison.maxUlp }
    : approximation !== undefined
      ? {
          different: approximation.outputs.filter((o) => o.farthest !== null).length,
          elements: approximation.outputs.reduce((n, o) => n + o.elements, 0),
          maxUlp: null,
        }
      : null

export const ofVerdict = (v: Verdict): Answer => {
  const comparison = comparisonOf(v)
  return {
    outcome: v.verdict,
    ids: different(v.findings.map((f) => f.id)),
    reason: oneLine(v.reason),
    verdict: {
      ...(v.decidedBy === undefined ? {} : { decidedBy: v.decidedBy }),
      ...(v.lookedAt === undefined ? {} : { lookedAt: v.lookedAt }),
      notes: different(v.notes.map((f) => f.id)),
      proved: v.provenance?.proved ?? null,
      digest: v.digest,
      events: v.counts.events,
      ...(comparison === null ? {} : { comparison }),
    },
  }
}

const isObject = (u: unknown): u is Readonly<Record<string, unknown>> => typeof u === 'object' && u !== null

/** The refusal or the bug that a document tells of. */
const errorIn = (document: unknown): Failure => {
  const error = isObject(document) ? document['error'] : null
  return isObject(error)
    ? failure(String(error['code']), String(error['message']))
    : failure('bug', 'not a document of an error')
}

/** Of a prediction what is worth a line. */
const timeWire: Wire<PointTime> = record<PointTime>()(
  'a prediction',
  { chip: text, microseconds: finite, tensorCores: finite, bound: text },
  {},
)
const timed = (document: unknown): E.Either<Failure, PointTime> => {
  const { chip, microseconds, tensorCores, bound } = isObject(document) ? document : {}
  return decode(timeWire, 'json.form')({ chip, microseconds, tensorCores, bound })
}
const ofTime = (time: PointTime): Answer => ({
  outcome: 'timed',
  ids: [],
  reason: `${time.microseconds.toFixed(1)} us on ${time.chip}, bound: ${time.bound}`,
  time,
})

/** What a command said, in a line. */
const ofOutcome = ({ command }: Case, { status, stdout }: Outcome): Answer => {
  const document: unknown = JSON.parse(stdout)
  if (status === 2) return refusedAnswer(errorIn(document))
  if (status === 70) return failedAnswer(errorIn(document).message)
  if (command === 'time')
    return pipe(
      timed(document),
      E.match((f) => failedAnswer(f.message), ofTime),
    )
  const verdict = decodeVerdict(document)
  return E.isLeft(verdict) ? failedAnswer(verdict.left.message) : ofVerdict(verdict.right)
}

const mutantOutcome = ({ fate, certificate }: JudgedMutant): PointOutcome =>
  fate === 'killed' ? 'killed' : certificate !== null ? 'equivalent' : fate

export const ofMutant = (m: JudgedMutant): Answer => ({
  outcome: mutantOutcome(m),
  ids: different(m.ids),
  reason: oneLine(m.reason),
  mutant: {
    class: m.mutant.class,
    operator: m.mutant.operator,
    site: m.mutant.site,
    change: m.mutant.change,
    verdict: m.verdict,
    strict: m.strict,
    named: m.named,
    accurate: m.accurate,
    certificate: m.certificate,
  },
})

/** The other way round; null where the answer is about no mutant. */
export const judgedIn = (key: string, { outcome, ids, reason, mutant }: Answer): JudgedMutant | null => {
  if (mutant === undefined) return null
  const { class: of, operator, site, change, verdict, strict, named, accurate, certificate } = mutant
  return {
    mutant: { class: of, operator, site, change, key },
    verdict,
    fate: outcome === 'killed' || outcome === 'undecided' ? outcome : 'survived',
    strict,
    named,
    accurate,
    certificate,
    ids,
    reason,
  }
}

/** The commands that a point may be; they are loaded when the first one asks. */
const commands: ReadonlyArray<Listed> = [
  {
    name: 'check',
    description: '',
    load: async () => (await import('../cli/commands/check.js')).checkCommand,
  },
  { name: 'run', description: '', load: async () => (await import('../cli/commands/run.js')).runCommand },
  { name: 'time', description: '', load: async () => (await import('../cli/commands/time.js')).timeCommand },
]

/** The mutants of a case; Left where there is none to ask, for it is refused as a whole. */
export const mutantsOfCase = (world: World, { name, options }: Case): E.Either<Failure, Mutants> =>
  mutantsAsked(world, name, options)

/** One who does tasks. */
export const workerOf = (world: World, cases: ReadonlyArray<Case>): ((task: Task) => Promise<Answer>) => {
  let kept: { readonly case: number; readonly mutants: E.Either<Failure, Mutants> } | null = null
  const mutantsOf = (k: number, of: Case): E.Either<Failure, Mutants> => {
    if (kept?.case !== k) kept = { case: k, mutants: mutantsOfCase(world, of) }
    return kept.mutants
  }
  const ask = async ({ case: k, mutant }: Task): Promise<Answer> => {
    const of = cases[k]!
    if (of.command !== 'mutate')
      return ofOutcome(of, await tcspec(commands, world)([...wordsOfCase(of), '--json'])())
    return pipe(
      mutantsOf(k, of),
      E.chain((mutants) =>
        mutant === null
          ? refuse('sweep.mutant', `${of.name}: expected a mutant to ask for, found none`)
          : E.right(ofMutant(mutants.judge(mutant))),
      ),
      E.getOrElse(refusedAnswer),
    )
  }
  return async (task) => {
    try {
      return await ask(task)
    } catch (error) {
      return failedAnswer(
        `this is a bug in tensorcore-spec: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
}
