/**
 * `tcspec view KERNEL|program.json|kernel.jaxpr.json|module.ttgir`: a run to step through.
 *
 * The program is run and judged as by `check`, and the run is recorded: of each step what it does and what it changes (`render/recording/`). Recorded is the
 * run that `--schedule` asks for; without it, that of the first finding, which another schedule may show.
 *
 * | asked         | answer                                                                     |
 * |---------------|----------------------------------------------------------------------------|
 * | nothing       | the verdict, and how much would be recorded                                |
 * | `--json`      | the recording, `tcspec.recording/1`, with the verdict in it                |
 * | `-o run.html` | a page that plays it, in one file                                          |
 * | `-o run.json` | the recording                                                              |
 *
 * The exit status is that of the verdict.
 *
 * A trace is refused: it has events, and neither a program to list nor states, so it does not say who was ready and what else could have happened.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { didYouMean } from '../../../nearest.js'
import { unit } from '../../../numerics/unit.js'
import { plain, type Palette } from '../../../render/palette.js'
import { recordingPage, type Player } from '../../../render/recording/page.js'
import type { Recording } from '../../../render/recording/model.js'
import { record, type Recorded } from '../../../render/recording/record.js'
import { placeName, placesOf, valuesOf, type Values } from '../../../render/recording/values.js'
import { fields, table, thousands } from '../../../render/table.js'
import { recorded as replaying, recordedOnly } from '../../../semantics/execution/policy.js'
import { ignore, run as runOn } from '../../../semantics/execution/run.js'
import type { Arguments } from '../../../semantics/machine/source.js'
import { outputAsked, outputFile } from '../answer.js'
import { judge } from '../checking.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { refuseFlag } from '../flags/choice.js'
import { launchOptions } from '../flags/launch.js'
import { numberOption } from '../flags/number.js'
import { again, wordOf } from '../flags/words.js'
import { judgedText, type Judged } from '../judged.js'
import {
  exploringOptions,
  goodOf,
  judgingOptions,
  record as written,
  recordAsked,
  writtenText,
} from '../judging.js'
import { mendOption } from '../mending.js'
import { dataOptions } from '../ptx-data.js'
import { operationOption } from '../programs.js'

const define = (command: Command): Command =>
  operationOption(
    exploringOptions(
      judgingOptions(
        mendOption(
          dataOptions(
            launchOptions(
              command
                .argument(
                  '<kernel>',
                  'a name that `tcspec kernels` lists, a program (.json), a kernel that JAX traced (.jaxpr.json), a module (.ttgir) or PTX (.ptx)',
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
    ),
  )
    .option('-o, --output <file>', 'write a page that plays the run (.html), or the recording (.json)')
    .option(
      '--values <array>',
      'print what a tensor, an array or registers hold instead: a_smem, or a_smem@1 of CTA 1; ? lists them',
    )
    .option('--at <steps>', 'number of steps before --values looks; default: all')
    .option('--corner <row,column>', 'the first element that --values prints; default: 0,0')
    .option('--json', 'print the recording as one JSON document')

// ---------------------------------------------------------------- the recording

/** Which of the verdict's schedules is recorded. */
const rowOf = ({ verdict }: Judged, options: Options): number =>
  wordOf(options, 'schedule') === null ? (verdict.findings[0]?.schedule ?? 0) : 0

/** Elements are not asked for, so the run is made again without them, unless what happens depends on them or there is no run without. */
const recordingOf = (judged: Judged, options: Options): E.Either<Failure, Recording> => {
  const { source, script, checked, algebra, given, verdict, fuel } = judged
  const row = rowOf(judged, options)
  const keys = checked.recorded[row] ?? []
  const facts = {
    settings: judged.settings,
    without: judged.dropped,
    schedule: verdict.schedules[row] ?? null,
    verdict,
    source: judged.authored,
  }
  const over = (of: typeof algebra, arguments_: Arguments): E.Either<Failure, Recorded> =>
    pipe(
      source.launch(of, arguments_),
      E.map((launched) => record(script, launched, { policy: replaying(keys), fuel }, facts)),
    )
  const { scalars, tensorPipe } = given
  const bare: Arguments =
    tensorPipe === undefined ? { scalars, tensors: new Map() } : { scalars, tensors: new Map(), tensorPipe }
  return pipe(
    over(unit, bare),
    E.fold(
      () => over(algebra, given),
      (found) => (found.steps === keys.length ? E.right(found) : over(algebra, given)),
    ),
    E.map(({ recording }) => recording),
  )
}

// ---------------------------------------------------------------- text

const recordedText = ({ steps, count, clusters: { shown, of } }: Recording): string => {
  if (steps.length === count) return `all ${thousands(count)} steps`
  const clusters = shown === 1 ? 'the first cluster' : `the first ${thousands(shown)} clusters`
  return `${thousands(steps.length)} of ${thousands(count)} steps${shown < of ? `: of ${clusters}, of ${thousands(of)}` : ''}`
}

const textOf = (
  palette: Palette,
  judged: Judged,
  recording: Recording,
  more: ReadonlyArray<readonly [string, string]>,
): string =>
  judgedText(
    { palette, judged: true, most: 4 },
    judged,
    judged.verdict,
    recording.reason === '' ? [] : [['ended', recording.reason]],
    [['recorded', recordedText(recording)], ...more],
  )

// ---------------------------------------------------------------- the answer

const formatOf = (file: string): E.Either<Failure, 'html' | 'json'> => {
  const format = (['html', 'json'] as const).find((ending) => file.toLowerCase().endsWith(`.${ending}`))
  return format === undefined
    ? refuseFlag('--output', 'a file that ends in .html or .json', file)
    : E.right(format)
}

/** The file, its form, and what plays it: what cannot be written is refused before anything is run. */
interface Asked {
  readonly file: string
  readonly format: 'html' | 'json'
  readonly player: Player
}

const noPlayer: Player = { script: '', style: '' }

const asked = (world: World, options: Options): E.Either<Failure, Asked | null> => {
  const file = outputFile(options)
  if (file === null) return E.right(null)
  return pipe(
    formatOf(file),
    E.chainW((format): E.Either<Failure, Asked> => {
      if (format === 'json') return E.right({ file, format, player: noPlayer })
      const player = world.player?.() ?? null
      return player === null
        ? refuse(
            'view.page',
            `--output: expected the page that plays a run (site/dist, made by npm run site), found none; -o ${file.replace(/\.html$/i, '.json')} writes the recording`,
          )
        : E.right({ file, format, player })
    }),
  )
}

const refuseTrace = (name: string): E.Either<Failure, null> =>
  name.endsWith('.jsonl')
    ? refuse(
        'view.trace',
        `kernel: expected a kernel or a program, found the trace '${name}', which has events and no states to step through: tcspec trace ${name} -o run.svg draws it, tcspec check ${name} judges it`,
      )
    : E.right(null)

// ---------------------------------------------------------------- values

interface Looked {
  readonly at: number | null
  readonly name: string
  readonly row: number
  readonly column: number
}

const lookedAt = (options: Options): E.Either<Failure, Looked | null> => {
  const name = wordOf(options, 'values')
  if (name === null) {
    const alone = ['at', 'corner'].find((flag) => wordOf(options, flag) !== null)
    return alone === undefined ? E.right(null) : refuseFlag(`--${alone}`, '--values', 'none')
  }
  const corner = wordOf(options, 'corner') ?? '0,0'
  const [, row, column] = /^(\d{1,9}),(\d{1,9})$/.exec(corner) ?? []
  if (row === undefined) return refuseFlag('--corner', 'a row and a column such as 0,64', corner)
  return pipe(
    numberOption(options, 'at', -1),
    E.map((at) => ({ at: at < 0 ? null : at, name, row: Number(row), column: Number(column) })),
  )
}

/** The machine after so many steps of the run that is recorded. */
const valuesIn = (
  name: string,
  options: Options,
  judged: Judged,
  looked: Looked,
): E.Either<Failure, Values> => {
  const keys = judged.checked.recorded[rowOf(judged, options)] ?? []
  const taken = looked.at === null ? keys : keys.slice(0, looked.at)
  return pipe(
    judged.onBits(name),
    E.chain(({ algebra, given }) => judged.source.launch(algebra, given)),
    E.chainW((launched) => {
      const ran = runOn(
        launched.world,
        launched.machine,
        {
          policy: recordedOnly(taken),
          fuel: judged.fuel,
          keepSchedule: false,
          transient: true,
          ahead: false,
        },
        ignore,
      )
      const after = { world: launched.world, machine: ran.machine }
      const found = valuesOf(after, judged.script.name, ran.steps, looked.name, looked)
      if (found !== null) return E.right(found)
      const names = placesOf(launched.world).map(placeName)
      if (names.length === 0)
        return refuse('view.values', `--values: ${name} names no arrays, because PTX has only addresses`)
      return refuse(
        'view.values',
        `--values: expected ${names.join(', ')}, found '${looked.name}'; ${didYouMean(names)(looked.name)}`,
      )
    }),
  )
}

/** Numbers of a row that a line has room for. */
const mostPrinted = 8

const valuesText = (palette: Palette, v: Values): string => {
  const { row, column, rows, columns } = v.window
  const shown = Math.min(columns, mostPrinted)
  return `${[
    fields(palette, 12, [
      [
        'values',
        `${placeName(v)}: ${v.dtype} ${v.shape.join('x')}, ${v.space}, after ${thousands(v.at)} steps`,
      ],
    ]),
    table([
      ['', ...Array.from({ length: shown }, (_, k) => String(column + k))],
      ...Array.from({ length: Math.min(rows, mostPrinted) }, (_, r) => [
        String(row + r),
        ...v.values.slice(r * columns, r * columns + shown).map(String),
      ]),
    ]),
  ].join('\n\n')}\n`
}

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither(() =>
    pipe(
      refuseTrace(operands[0] ?? ''),
      E.chainW(() => lookedAt(options)),
      E.chainW((looked) =>
        looked === null
          ? recordedRun(world, operands, options)
          : pipe(
              judge(world, operands[0] ?? '', { ...options, everyCta: true }),
              E.chain((judged) => valuesIn(operands[0] ?? '', options, judged, looked)),
              E.map((values): Report => ({
                good: true,
                json: () => values,
                text: () => valuesText(paletteOf(world), values),
              })),
            ),
      ),
    ),
  )

const recordedRun = (
  world: World,
  operands: ReadonlyArray<string>,
  options: Options,
): E.Either<Failure, Report> =>
  pipe(
    E.right(null),
    E.chainW(() => asked(world, options)),
    E.bindTo('out'),
    E.bindW('judged', () => judge(world, operands[0] ?? '', { ...options, everyCta: true })),
    E.bindW('recording', ({ judged }) => recordingOf(judged, options)),
    E.map(({ out, judged, recording }): Report => {
      const good = goodOf(judged.verdict)
      const schedules = written(options, judged.checked)
      const kept = schedules.length === 0 ? [] : [['written', writtenText(schedules)] as const]
      if (out === null)
        return {
          good,
          files: schedules,
          json: () => recording,
          text: () =>
            textOf(paletteOf(world), judged, recording, [
              ...kept,
              ['next', '-o run.html writes a page that plays it; --json prints it'],
            ]),
        }
      const bytes = new TextEncoder().encode(
        out.format === 'json'
          ? `${JSON.stringify(recording)}\n`
          : recordingPage(recording, textOf(plain, judged, recording, []), out.player),
      )
      return {
        good,
        json: () => ({
          schema: 'tcspec.written/1',
          output: out.file,
          format: out.format,
          bytes: bytes.length,
        }),
        text: () =>
          textOf(paletteOf(world), judged, recording, [
            ...kept,
            ['written', `${out.file}: ${out.format}, ${thousands(bytes.length)} bytes`],
          ]),
        files: [...schedules, { file: out.file, bytes }],
      }
    }),
  )

const outputs: CliCommand['outputs'] = (options) => [...recordAsked(options), ...outputAsked(options)]

export const viewCommand: CliCommand = { define, outputs, run }
