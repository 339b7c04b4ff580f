/**
 * `tcspec sweep SPEC`: a grid of kernels, settings, schedules and mutants, point by point on all cores; `tcspec sweep merge FILE...`: its results, put
 * together.
 *
 *     tcspec sweep grid.json -o results.jsonl                  a line a point; the table at the end
 *     tcspec sweep grid.json -o results.jsonl --resume         the points that are not there yet
 *     tcspec sweep grid.json -o part-2.jsonl --shard 2/4       every fourth point, from the second
 *     tcspec sweep merge part-*.jsonl -o merged.jsonl          all of them, in the order of the grid
 *
 * A signal (Ctrl-C) stops the sweep: the rows that are there stay, and the status is 130. Without `-o` rows are counted and not kept.
 *
 * Exit status 1 when a point is bad (or failed: it could not be answered), 3 when one is not decided, 130 when the sweep was stopped; a point that is
 * refused is no fault: its combination of settings is not legal.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../../failure.js'
import { thousands } from '../../../render/table.js'
import { besideDocument, gridOf, type Grid } from '../../sweep/grid.js'
import type { Journal } from '../../sweep/journal.js'
import {
  belongs,
  counted,
  countsText,
  goodOf,
  headOf,
  merged,
  missingIn,
  pointsOf,
  rankedOf,
  rankedText,
  readResults,
  rowOf,
  showLine,
  showResults,
  whole,
  type Results,
  type Row,
  type Shard,
} from '../../sweep/results.js'
import { decodeSweep, type SweepSpec } from '../../sweep/spec.js'
import { alone } from '../../sweep/staff.js'
import type { Task } from '../../sweep/model.js'
import { asText } from '../../tensor-files/files.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { refuseFlag, type FlagFailure } from '../flags/choice.js'
import { threadsAsked, threadsOption } from '../flags/threads.js'
import { switchOf, wordOf } from '../flags/words.js'
import { own } from '../../../own.js'

export const summarySchema = 'tcspec.sweep-summary/1'

const define = (command: Command): Command =>
  threadsOption(
    command
      .argument('<spec...>', 'a sweep document (tcspec.sweep/1), or the word merge and files of results')
      .option(
        '-o, --output <file>',
        'write the results, one line of JSON for each point; merge sorts them in the order of the grid',
      )
      .option('--resume', 'continue with existing results: points that have an answer are skipped')
      .option('--shard <i/n>', 'the i-th of n parts of the points, from 1/n to n/n'),
  ).option('--json', 'print the counts and the ranking as one JSON document')

const shardAsked = (options: Options): E.Either<FlagFailure, Shard> => {
  const said = wordOf(options, 'shard')
  if (said === null) return E.right(whole)
  const [part, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(said) ?? []).slice(1).map(Number)
  return part === undefined || of === undefined || part < 1 || part > of
    ? refuseFlag('--shard', 'i/n, a part from 1/n to n/n', said)
    : E.right([part, of])
}

const inFile =
  (file: string) =>
  (f: Failure): Failure =>
    f.message.startsWith(`${file}: `) ? f : failure(f.code, `${file}: ${f.message}`)

// ---------------------------------------------------------------- what is said at the end

interface Ended {
  readonly what: string
  readonly results: Results
  /** points that were to be answered */
  readonly asked: number
  readonly shard: Shard
  readonly stopped: boolean
  readonly output: string | null
}

const reportOf = ({ what, results, asked, shard, stopped, output }: Ended): Report => {
  const { head, rows } = results
  const counts = counted(rows)
  const failed = rows.filter((r) => r.outcome === 'failed')
  const first = failed[0]
  const [part, of] = shard
  const notices = [
    ...(stopped
      ? [
          `stopped after ${thousands(rows.length)} of ${thousands(asked)} points${output === null ? '' : `: tcspec sweep ${what} -o ${output} --resume goes on`}`,
        ]
      : []),
    ...(first === undefined
      ? []
      : [
          `failed: ${thousands(failed.length)} of ${thousands(rows.length)} points, the first of them '${first.key}': ${first.reason}`,
        ]),
  ]
  return {
    good: goodOf(rows),
    stopped,
    text: () =>
      `${[
        `${what}: ${thousands(rows.length)} of ${thousands(asked)} points${of === 1 ? '' : ` (part ${String(part)} of ${String(of)})`}, judged by version ${head.version}`,
        '',
        countsText(counts),
        ...rankedText(rows),
        ...(output === null ? [] : ['', `written to ${output}`]),
      ].join('\n')}\n`,
    json: () => ({
      schema: summarySchema,
      version: head.version,
      hash: head.hash,
      points: head.points,
      shard: { part, of },
      asked,
      answered: rows.length,
      stopped,
      output,
      subjects: counts,
      ranking: rankedOf(rows),
    }),
    ...(notices.length === 0 ? {} : { notice: notices.join('; ') }),
  }
}

// ---------------------------------------------------------------- sweep

/** A sweep, before its first point. */
interface Begun {
  readonly spec: SweepSpec
  readonly grid: Grid
  /** of the document, as far as its last separator */
  readonly directory: string
  /** files as the document names them */
  readonly beside: World
  readonly shard: Shard
  readonly threads: number | null
}

const begin = (world: World, file: string, options: Options): E.Either<Failure, Begun> => {
  const directory = /^.*[/\\]/s.exec(file)?.[0] ?? ''
  const beside: World = { ...world, files: besideDocument(directory, world.files) }
  return pipe(
    E.Do,
    E.bindW('shard', () => shardAsked(options)),
    E.bindW('threads', () => threadsAsked(options)),
    E.bindW('spec', () =>
      pipe(world.files.read(file)(), E.chainW(asText(file)), E.chainW(decodeSweep), E.mapLeft(inFile(file))),
    ),
    E.bindW('grid', ({ spec }) => E.mapLeft(inFile(file))(gridOf(beside, spec))),
    E.map((found) => ({ ...found, directory, beside })),
  )
}

/** How a line of results begins: what a killed process leaves of one is a part of it. */
const rowBegins = '{"point":'
const isPartOf = (torn: string, line: string): boolean => {
  // the last character may be torn itself
  const whole = torn.replace(/\uFFFD+$/, '')
  return line.startsWith(whole) || whole.startsWith(line)
}

/** The file of the results, and what is in it; null where none is asked for. */
const open = (
  world: World,
  file: string,
  options: Options,
  { spec, grid, shard }: Begun,
): E.Either<Failure, { readonly journal: Journal | null; readonly before: ReadonlyArray<Row> }> => {
  const output = wordOf(options, 'output')
  const goesOn = switchOf(options, 'resume')
  if (output === null)
    return goesOn
      ? refuse('bad-flag', '--resume: expected the results so far as -o FILE, found no -o')
      : E.right({ journal: null, before: [] })
  if (world.sweeps === undefined) return refuse('bad-flag', `-o: cannot append to '${output}'`)
  const journal = world.sweeps.journal(output, goesOn)
  if (E.isLeft(journal)) return journal
  const head = headOf(world.version, spec, grid, shard)
  const there = pipe(
    isPartOf(journal.right.torn, journal.right.text === '' ? showLine(head) : rowBegins)
      ? readResults(output, journal.right.text)
      : refuse(
          'sweep.results',
          `${output}: expected the results so far, found a last line that is not the beginning of a result; the file is unchanged`,
        ),
    E.chain((results): E.Either<Failure, ReadonlyArray<Row>> => {
      if (results === null)
        return pipe(
          journal.right.append(showLine(head)),
          E.map(() => []),
        )
      const [part, of] = results.head.shard
      return pipe(
        belongs(results, head, file),
        E.chain(() =>
          part === shard[0] && of === shard[1]
            ? merged([results])
            : refuse(
                'sweep.results',
                `${output}: expected results of part ${shard.join(' of ')}, found those of part ${String(part)} of ${String(of)}`,
              ),
        ),
        E.map(({ rows }) => rows),
      )
    }),
  )
  if (E.isLeft(there)) {
    journal.right.leave()
    return there
  }
  return E.right({ journal: journal.right, before: there.right })
}

const sweep = async (world: World, file: string, options: Options): Promise<E.Either<Failure, Report>> => {
  const begun = begin(world, file, options)
  if (E.isLeft(begun)) return begun
  const { spec, grid, directory, beside, shard, threads } = begun.right
  const opened = open(world, file, options, begun.right)
  if (E.isLeft(opened)) return opened
  const { journal, before } = opened.right

  const asked = pointsOf(shard, grid.points.length)
  const answered = new Set(before.map((r) => r.point))
  const rows: Row[] = [...before]
  const pointOf = new Map<string, number>()
  const tasks = asked.flatMap((p): ReadonlyArray<Task> => {
    if (answered.has(p)) return []
    const { case: k, mutant } = grid.points[p]!
    pointOf.set(taskName({ case: k, mutant }), p)
    return [{ case: k, mutant }]
  })

  const stop = new AbortController()
  const stopListening = world.sweeps?.interrupted(() => {
    stop.abort()
  })
  let fault: Failure | null = null
  const bar = world.progress('sweeping')
  const staff =
    world.sweeps === undefined
      ? alone(beside, grid.cases)
      : world.sweeps.hire({ cases: grid.cases, directory }, threads ?? world.sweeps.count)
  await staff.perform(
    tasks,
    (task, answer) => {
      if (stop.signal.aborted) return
      const row = rowOf(grid, pointOf.get(taskName(task))!, answer)
      rows.push(row)
      bar.update(rows.length, asked.length)
      const kept = journal?.append(showLine(row))
      if (kept !== undefined && E.isLeft(kept)) {
        fault = kept.left
        stop.abort()
      }
    },
    stop.signal,
  )
  bar.stop()
  stopListening?.()
  const closed = journal?.close()
  if (fault !== null) return E.left(fault)
  if (closed !== undefined && E.isLeft(closed)) return closed
  const head = headOf(world.version, spec, grid, shard)
  return E.right(
    reportOf({
      what: file,
      results: { file, head, rows },
      asked: asked.length,
      shard,
      stopped: rows.length < asked.length,
      output: wordOf(options, 'output'),
    }),
  )
}

const taskName = ({ case: k, mutant }: Task): string => `${String(k)} ${String(mutant)}`

// ---------------------------------------------------------------- merge

/** Points that are named where some are missing. */
const mostNamed = 3

/** What a point is called: its command line, where the document's files are at hand, and its place. */
const namesOf = (world: World, { spec, hash }: Results['head']): ((point: number) => string) => {
  const grid = gridOf(world, spec)
  return (p) =>
    E.isRight(grid) && grid.right.hash === hash
      ? `point ${String(p)} (${grid.right.points[p]?.key ?? ''})`
      : `point ${String(p)}`
}

const complete = (
  world: World,
  files: ReadonlyArray<string>,
  results: Results,
): E.Either<Failure, Results> => {
  const missing = missingIn(results)
  if (missing.length === 0) return E.right(results)
  const name = namesOf(world, results.head)
  const named = missing.slice(0, mostNamed).map(name).join(', ')
  const more = missing.length - mostNamed
  return refuse(
    'sweep.missing',
    `${files.join(', ')}: expected a row for each of ${thousands(results.head.points)} points, found none for ${named}${more > 0 ? ` and ${thousands(more)} more` : ''}`,
  )
}

const merge = (world: World, files: ReadonlyArray<string>, options: Options): E.Either<Failure, Report> => {
  const meaningless = ['resume', 'shard', 'threads'].find((name) => own(options, name) !== undefined)
  if (meaningless !== undefined)
    return refuse('bad-flag', `--${meaningless}: expected a sweep, found merge, which judges nothing`)
  const output = wordOf(options, 'output')
  return pipe(
    files,
    E.traverseArray((file) =>
      pipe(
        world.files.read(file)(),
        E.chainW(asText(file)),
        E.chainW((content) => readResults(file, content)),
        E.chainW((results) =>
          results === null
            ? refuse('sweep.results', `${file}: expected results of a sweep, found no complete line`)
            : E.right(results),
        ),
      ),
    ),
    E.chainW(([first, ...others]) =>
      first === undefined
        ? refuse('bad-flag', 'merge: expected files of results, found none')
        : merged([first, ...others]),
    ),
    E.chain((results) => complete(world, files, results)),
    E.map((results) => ({
      ...reportOf({
        what: `merged of ${thousands(files.length)} files`,
        results,
        asked: results.head.points,
        shard: whole,
        stopped: false,
        output,
      }),
      files: output === null ? [] : [{ file: output, bytes: new TextEncoder().encode(showResults(results)) }],
    })),
  )
}

const run: CliCommand['run'] = (world) => (operands, options) => {
  const [first = '', ...others] = operands
  if (first === 'merge') return () => Promise.resolve(merge(world, others, options))
  const second = others[0]
  return () =>
    second === undefined
      ? sweep(world, first, options)
      : Promise.resolve(
          refuse(
            'bad-flag',
            `sweep: expected one document, or merge and files, found '${first}' and '${second}'`,
          ),
        )
}

export const sweepCommand: CliCommand = {
  define,
  outputs: (options) => {
    const file = wordOf(options, 'output')
    return file === null ? [] : [{ flag: '-o', file }]
  },
  run,
}
