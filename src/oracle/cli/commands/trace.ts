/**
 * `tcspec trace KERNEL|program.json|trace.jsonl`: what happened in a run, event by event.
 *
 * | `--format` | form                                                              | with `-o`, from the ending |
 * |------------|-------------------------------------------------------------------|----------------------------|
 * | `table`    | a row an event; the default                                       | `.txt`                     |
 * | `lanes`    | a column an agent                                                 |                            |
 * | `perfetto` | a timeline for ui.perfetto.dev: time is the place in the log      | `.json`                    |
 * | `svg`      | a picture of the first clusters: a lane an agent and a unit         | `.svg`                     |
 * | `jsonl`    | the trace itself, schema `tcspec.trace/1`                         | `.jsonl`                   |
 *
 * A run is over the algebra with one value, as for `check`. Nothing is judged: the exit status is 0 whatever happened. A run that is longer than
 * a million events is shown up to there.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import { unit } from '../../../numerics/unit.js'
import { eventLanes, eventRows, eventTable } from '../../../render/event-table.js'
import { plain } from '../../../render/palette.js'
import { write } from '../../../render/svg.js'
import { thousands } from '../../../render/table.js'
import { timelineSvg } from '../../../render/timeline-svg.js'
import { timeline, timelineText } from '../../../render/timeline.js'
import { launch, noArguments } from '../../../semantics/launch.js'
import { collect, run, settings } from '../../../semantics/run.js'
import { decodeTrace, encodeTrace, type Trace } from '../../../semantics/trace/index.js'
import { paletteOf } from '../colours.js'
import { asText } from '../../tensor-files/files.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { oneOf, refuseFlag } from '../flags/choice.js'
import { formatOfEnding, outputAsked, outputFile } from '../answer.js'
import { scheduleAsked, scheduleOption } from '../judging.js'
import { parseSettings } from '../flags/setting.js'
import { wordOf, wordsOf } from '../flags/words.js'
import { policyOf } from '../schedule.js'
import { namedSubject } from '../subject.js'
import { inFile, linesOf } from '../traces.js'

const define = (command: Command): Command =>
  scheduleOption(
    command

      .argument('<kernel>', 'a name that `tcspec kernels` lists, a program (.json) or a trace (.jsonl)')
      .option('--set <name=value...>', 'settings of the kernel')
      .option('--without <label...>', 'leave out the statements with this label'),
  )
    .option('--format <format>', 'table, lanes, perfetto, svg or jsonl')
    .option('--first <events>', 'only so many events')
    .option('-o, --output <file>', 'write to a file; its ending says the format')
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

const longest = 1_000_000

const firstOf = (options: Options): E.Either<Failure, number> => {
  const said = wordOf(options, 'first')
  if (said === null) return E.right(longest)
  return /^[1-9]\d{0,8}$/.test(said)
    ? E.right(Number(said))
    : refuseFlag('--first', 'a positive integer', said)
}

// ---------------------------------------------------------------- the log

const ofFile = (world: World, file: string, options: Options): E.Either<Failure, Trace> => {
  const meaningless = ['set', 'without', 'schedule'].find((name) => options[name] !== undefined)
  return meaningless !== undefined
    ? refuseFlag(`--${meaningless}`, 'a kernel or a program', `the trace ${file}`)
    : pipe(
        world.files.read(file)(),
        E.chainW(asText(file)),
        E.chainW((text) => pipe(decodeTrace(linesOf(text)), E.mapLeft(inFile(file)))),
      )
}

const ofProgram = (world: World, name: string, options: Options): E.Either<Failure, Trace> =>
  pipe(
    E.Do,
    E.bindW('given', () => parseSettings(wordsOf(options, 'set'))),
    E.bindW('schedule', () => scheduleAsked(options)),
    E.bindW('subject', ({ given }) => namedSubject(world, name, given, wordsOf(options, 'without'))),
    E.bindW('policy', ({ schedule }) => policyOf(world.files)(schedule)()),
    E.bindW('launched', ({ subject }) => launch(subject.program, unit, noArguments)),
    E.map(({ launched, policy }) => {
      const how = Object.assign({}, settings(policy), { fuel: longest })
      const { result } = run(launched.world, launched.machine, how, collect)
      return { header: launched.world.header, events: result }
    }),
  )

// ---------------------------------------------------------------- the answer

const textOf = (world: World, { header, events }: Trace, format: Format, toFile: boolean): string => {
  const palette = toFile ? plain : paletteOf(world.colours)
  switch (format) {
    case 'table':
      return `${eventTable(palette, eventRows(header, events))}\n`
    case 'lanes':
      return `${eventLanes(palette, header, events, 120)}\n`
    case 'perfetto':
      return timelineText(timeline(header, events))
    case 'svg':
      return write(timelineSvg(header, events))
    case 'jsonl':
      return `${encodeTrace(header, events).join('\n')}\n`
  }
}

const documentOf = ({ header, events }: Trace, format: Format): unknown =>
  format === 'perfetto'
    ? timeline(header, events)
    : { program: header.program, arch: header.arch, events: eventRows(header, events) }

const report = (world: World, options: Options, log: Trace, format: Format): E.Either<Failure, Report> => {
  const file = outputFile(options)
  if (file === null)
    return E.right({
      good: true,
      text: () => textOf(world, log, format, false),
      json: () => documentOf(log, format),
    })
  const bytes = new TextEncoder().encode(textOf(world, log, format, true))
  const events = log.events.length
  return E.right({
    good: true,
    text: () => `wrote ${file}: ${format}, ${thousands(events)} events, ${thousands(bytes.length)} bytes\n`,
    json: () => ({ output: file, format, events, bytes: bytes.length }),
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
      E.bindW('log', () =>
        name.endsWith('.jsonl') ? ofFile(world, name, options) : ofProgram(world, name, options),
      ),
      E.chainW(({ format, first, log }) =>
        report(world, options, { header: log.header, events: log.events.slice(0, first) }, format),
      ),
    )
  })

export const traceCommand: CliCommand = { define, outputs: outputAsked, run: run_ }
