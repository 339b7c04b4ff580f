/**
 * `tcspec trace KERNEL|program.json|kernel.jaxpr.json|module.ttgir|trace.jsonl`: what happened in a run, event by event.
 *
 * | `--format` | form                                                              | with `-o`, from the ending |
 * |------------|-------------------------------------------------------------------|----------------------------|
 * | `table`    | a row an event; the default                                       | `.txt`                     |
 * | `lanes`    | a column an agent                                                 |                            |
 * | `perfetto` | a timeline for ui.perfetto.dev: time is the place in the log      | `.json`                    |
 * | `svg`      | a picture of the first clusters: a lane an agent and a unit         | `.svg`                     |
 * | `jsonl`    | the trace itself, schema `tcspec.trace/1`                         | `.jsonl`                   |
 *
 * A picture marks what this one run shows in red (the detector alone: no other schedule, and no verdict), or with `--verdict FILE` the findings of a
 * verdict document, by what program it may be.
 *
 * A run is over the algebra with one value, as for `check`, and on seeded inputs where control depends on data; of PTX on the data of its launch, or over shadows. There is no verdict: the exit status is
 * 0 whatever happened, if it is shown whole or as far as `--first` asks. A run that was stopped before its end, by its fuel or a fault, is shown up to
 * there, and so is one of more than a million events in every form but `jsonl`; then a line on standard error says so, and the exit status is 3 (1 at a fault).
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { eventLanes, eventRows, eventSources, eventTable } from '../../../render/event-table.js'
import { plain } from '../../../render/palette.js'
import { write } from '../../../render/svg.js'
import { thousands } from '../../../render/table.js'
import { timelineSvg } from '../../../render/timeline-svg.js'
import { timeline, timelineText } from '../../../render/timeline.js'
import { showFault, wantsData } from '../../../semantics/verdict/settled.js'
import {
  conclusion,
  observeAll,
  type Fold,
  type Header,
  type LogEvent,
} from '../../../semantics/log/events.js'
import type { World as Launched } from '../../../semantics/machine/world.js'
import { run, settings, type Ran } from '../../../semantics/execution/run.js'
import { decodeVerdict } from '../../../semantics/files/verdict-codec.js'
import { defaults, detector } from '../../../semantics/judging/detector/index.js'
import type { Finding } from '../../../semantics/judging/finding.js'
import { foldTrace, type Writer } from '../../../semantics/files/trace/index.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { oneOf, refuseFlag } from '../flags/choice.js'
import { formatOfEnding, outputAsked, outputFile } from '../answer.js'
import { fuelOption, scheduleAsked, scheduleOption } from '../judging.js'
import { launchOptions } from '../flags/launch.js'
import { again, wordOf } from '../flags/words.js'
import { operationOption } from '../programs.js'
import { dataOptions } from '../ptx-data.js'
import { runningSubject } from '../running.js'
import { policyOf } from '../schedule.js'
import { readJson } from '../layouts.js'
import { inFile, linesOf, traceBytes } from '../traces.js'
import { own } from '../../../own.js'

const define = (command: Command): Command =>
  operationOption(
    fuelOption(
      scheduleOption(
        dataOptions(
          launchOptions(
            command
              .argument(
                '<kernel>',
                'a name that `tcspec kernels` lists, a program (.json), a kernel that JAX traced (.jaxpr.json), a module (.ttgir), PTX (.ptx) or a trace (.jsonl)',
              )
              .option('--set <name=value...>', 'settings of the kernel'),
          ).option(
            '--without <label>',
            'leave out the statements with this label, an operation of a module or an instruction of PTX by its line; may be repeated',
            again,
          ),
        ),
      ),
    ),
  )
    .option('--format <format>', 'table, lanes, perfetto, svg or jsonl')
    .option('--first <events>', 'stop the table after this many events')
    .option(
      '--verdict <file>',
      'mark the findings of a verdict document in the picture, not those of this run',
    )
    .option('-o, --output <file>', 'write to a file; its ending chooses the format')
    .option('--json', 'print one JSON document: the timeline with --format perfetto, else the rows')

// ---------------------------------------------------------------- what is asked

const formats = ['table', 'lanes', 'perfetto', 'svg', 'jsonl'] as const
type Format = (typeof formats)[number]

const ofEnding = formatOfEnding<Format>({
  '': 'table',
  txt: 'table',
  jsonl: 'jsonl',
  json: 'perfetto',
  svg: 'svg',
})

const formatOf = (options: Options): E.Either<Failure, Format> => {
  const said = wordOf(options, 'format')
  if (said !== null) return oneOf('--format', formats)(said)
  const file = outputFile(options)
  return file === null ? E.right('table') : ofEnding(file)
}

/** Null: all of them. */
const firstOf = (options: Options): E.Either<Failure, number | null> => {
  const said = wordOf(options, 'first')
  if (said === null) return E.right(null)
  return /^[1-9]\d{0,8}$/.test(said)
    ? E.right(Number(said))
    : refuseFlag('--first', 'a positive integer', said)
}

// ---------------------------------------------------------------- the log

/** What is shown of a log. */
interface Log {
  readonly header: Header
  /** none where its trace is asked for, which stands in `trace` */
  readonly events: ReadonlyArray<LogEvent>
  readonly trace: Uint8Array | null
  readonly count: number
  /** there are more */
  readonly more: boolean
}

/** The first events, kept, or written as they come; it can hear no more than those. */
const showing = (format: Format, most: number) => {
  const written = traceBytes()
  const isWritten = format === 'jsonl'
  const fold: Fold<
    { readonly header: Header; readonly kept: LogEvent[]; writer: Writer; count: number },
    Log
  > = {
    init: (header) => ({ header, kept: [], writer: written.init(header), count: 0 }),
    observe: (s, e) => {
      s.count++
      if (s.count > most) return s
      if (isWritten) s.writer = written.observe(s.writer, e)
      else s.kept.push(e)
      return s
    },
    finish: ({ header, kept, writer, count }) => ({
      header,
      events: kept,
      trace: isWritten ? written.finish(writer).bytes : null,
      count: Math.min(count, most),
      more: count > most,
    }),
    exhausted: ({ count }) => count > most,
  }
  return fold
}

/** More events than that are only written, unless they are asked for. */
const longest = 1_000_000

const mostOf = (format: Format, first: number | null): number =>
  first ?? (format === 'jsonl' ? Infinity : longest)

/** A log, and what is not shown of its run: why, and what that makes of the answer. */
interface Found {
  readonly log: Log
  readonly stopped: { readonly why: string; readonly good: false | null } | null
}

const ofFile = (
  world: World,
  file: string,
  options: Options,
  format: Format,
  most: number,
): E.Either<Failure, Found> => {
  const meaningless = [
    'set',
    'launch',
    'grid',
    'arg',
    'block',
    'cluster',
    'shared',
    'entry',
    'computes',
    'without',
    'schedule',
    'fuel',
    'over',
    'known',
  ].find((name) => own(options, name) !== undefined)
  return meaningless !== undefined
    ? refuseFlag(`--${meaningless}`, 'a kernel or a program', `the trace ${file}`)
    : pipe(
        world.files.read(file)(),
        E.chainW((bytes) =>
          pipe(
            firstLines(linesOf(bytes), most),
            // the lines end by themselves
            foldTrace({ ...showing(format, most), exhausted: () => false }),
            E.mapLeft(inFile(file)),
          ),
        ),
        E.map((log) => ({ log, stopped: null })),
      )
}

/** A header, the first events, and one that says that there are more. */
function* firstLines(lines: Iterable<string>, most: number): Generator<string> {
  let left = most + 2
  for (const line of lines) {
    if (line.trim() !== '' && left-- <= 0) return
    yield line
  }
}

const stoppedBy = (launched: Launched, { outcome, steps, result }: Ran<Log>): Found['stopped'] =>
  outcome._tag === 'fault'
    ? {
        why: `the run was stopped by a fault, ${showFault(launched, outcome.fault)}`,
        good: wantsData(outcome) ? null : false,
      }
    : outcome._tag === 'outOfFuel' && !result.more
      ? {
          why: `the run was stopped by its fuel after ${thousands(steps)} steps, before its end: --fuel EVENTS lets it go on`,
          good: null,
        }
      : null

const ofRun = (
  world: World,
  name: string,
  options: Options,
  format: Format,
  most: number,
): E.Either<Failure, Found> =>
  pipe(
    E.Do,
    E.bindW('schedule', () => scheduleAsked(options)),
    E.bindW('subject', () => runningSubject(world, name, options)),
    E.bindW('fuel', ({ subject }) => subject.fuel()),
    E.bindW('policy', ({ schedule }) => policyOf(world.files)(schedule)()),
    E.chainW(({ subject, policy, fuel }) =>
      subject.over(
        ({ source, algebra, given }) =>
          pipe(
            source.launch(algebra, given),
            E.map(({ world: launched, machine }) => ({
              launched,
              ran: run(launched, machine, { ...settings(policy), fuel }, showing(format, most)),
            })),
          ),
        ({ ran }) => wantsData(ran.outcome),
      ),
    ),
    E.map(({ launched, ran }) => ({ log: ran.result, stopped: stoppedBy(launched, ran) })),
  )

// ---------------------------------------------------------------- what is marked

/** What the events show by themselves; of the end of a run that is not whole they say nothing. */
const foundIn = ({ log: { header, events, more }, stopped }: Found): ReadonlyArray<Finding> => {
  const fold = detector(defaults)
  const state = observeAll(fold, fold.init(header), events)
  return conclusion(fold, state, stopped === null && !more).findings
}

/** The findings of the document that `--verdict` names; null where it is not said. */
const verdictAsked = (
  world: World,
  options: Options,
  format: Format,
): E.Either<Failure, ReadonlyArray<Finding> | null> => {
  const file = wordOf(options, 'verdict')
  if (file === null) return E.right(null)
  return format !== 'svg'
    ? refuseFlag('--verdict', 'a picture (--format svg) to mark its findings in', format)
    : pipe(
        readJson(world, file),
        E.chain((json) => pipe(decodeVerdict(json), E.mapLeft(inFile(file)))),
        E.map((v) => v.findings),
      )
}

/** What is shown, and the findings that are marked in it. */
interface Shown extends Found {
  readonly marked: ReadonlyArray<Finding>
}

// ---------------------------------------------------------------- the answer

/** A string has no more. */
const longestText = 2 ** 28

const textOf = (world: World, { log, marked }: Shown, format: Format, toFile: boolean): string => {
  const palette = toFile ? plain : paletteOf(world)
  const { header, events } = log
  switch (format) {
    case 'table':
      return `${eventTable(palette, eventRows(header, events), eventSources(header, events))}\n`
    case 'lanes':
      return `${eventLanes(palette, header, events, world.columns ?? 120)}\n`
    case 'perfetto':
      return timelineText(timeline(header, events))
    case 'svg':
      return write(timelineSvg(header, events, marked))
    case 'jsonl':
      return new TextDecoder().decode(log.trace ?? new Uint8Array(0))
  }
}

const documentOf = ({ header, events }: Log, format: Format): unknown =>
  format === 'perfetto'
    ? timeline(header, events)
    : {
        schema: 'tcspec.events/1',
        program: header.program,
        arch: header.arch,
        events: eventRows(header, events),
      }

/** What a report says of a log that does not show a whole run; nothing, if as much is shown as was asked for. */
const partOf = (
  { log, stopped }: Found,
  first: number | null,
): { readonly good: boolean | null; readonly notice?: string } => {
  if (log.more)
    return first !== null
      ? { good: true }
      : {
          good: null,
          notice: `only the first ${thousands(log.count)} events are shown: --first EVENTS shows so many, -o FILE.jsonl writes all`,
        }
  return stopped === null
    ? { good: true }
    : { good: stopped.good, notice: `${thousands(log.count)} events, not a whole run: ${stopped.why}` }
}

const report = (
  world: World,
  options: Options,
  found: Shown,
  format: Format,
  first: number | null,
): E.Either<Failure, Report> => {
  const { log } = found
  const file = outputFile(options)
  const json = options['json'] === true
  if (file === null && format === 'jsonl' && !json && (log.trace?.length ?? 0) > longestText)
    return refuse(
      'trace.size',
      `trace: expected at most ${thousands(longestText)} bytes to print, found ${thousands(log.trace?.length ?? 0)}: -o FILE.jsonl`,
    )
  const part = partOf(found, first)
  if (file === null)
    return E.right({
      ...part,
      text: () => textOf(world, found, format, false),
      json: () => documentOf(log, format),
    })
  const bytes = log.trace ?? new TextEncoder().encode(textOf(world, found, format, true))
  const events = log.count
  return E.right({
    ...part,
    text: () => `wrote ${file}: ${format}, ${thousands(events)} events, ${thousands(bytes.length)} bytes\n`,
    json: () => ({
      schema: 'tcspec.written/1',
      output: file,
      format,
      events,
      bytes: bytes.length,
      whole: part.notice === undefined && !log.more,
    }),
    files: [{ file, bytes }],
  })
}

const run_: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither(() => {
    const name = operands[0] ?? ''
    return pipe(
      E.Do,
      E.bindW('format', () => formatOf(options)),
      E.bindW('first', () => firstOf(options)),
      E.bind('kept', ({ format }) =>
        E.right(
          options['json'] === true && format === 'jsonl' && outputFile(options) === null ? 'table' : format,
        ),
      ),
      E.bindW('said', ({ kept }) => verdictAsked(world, options, kept)),
      E.bindW('found', ({ kept, first }) => {
        const most = mostOf(kept, first)
        return name.endsWith('.jsonl')
          ? ofFile(world, name, options, kept, most)
          : ofRun(world, name, options, kept, most)
      }),
      E.chainW(({ kept, first, found, said }) => {
        const marked = kept === 'svg' ? (said ?? foundIn(found)) : []
        return report(world, options, { ...found, marked }, kept, first)
      }),
    )
  })

export const traceCommand: CliCommand = { define, outputs: outputAsked, run: run_ }
