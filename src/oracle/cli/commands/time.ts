/**
 * `tcspec time KERNEL|program.json|kernel.jaxpr.json|module.ttgir|kernel.ptx`: how long it takes on a chip, what is busy, and what it waits for.
 *
 * | flag                              | means                                                                        |
 * |-----------------------------------|------------------------------------------------------------------------------|
 * | `--chip h100`                     | the table of a chip; without it, that of the architecture the kernel is for   |
 * | `--chip h100:l2.bandwidth=x1.2`   | the same with another number; several, with commas                            |
 * | `--registers 168`                 | registers of a thread, where the assembler has said it (`ptxas -v`)           |
 * | `--set stages=5`                  | another setting of a kernel by name                                           |
 * | `--format perfetto`, `-o run.json`| the timeline, to scale                                                        |
 * | `-o run.svg`                      | the same as a picture; `--svg run.svg` draws it and prints the prediction too |
 *
 * It is a prediction, and no verdict: a kernel that deadlocks is refused, one with a race has a time. The numbers that it rests on are listed by `--numbers`.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import {
  chipDocument,
  chipText,
  timeDocument,
  timeText,
  timeTimeline,
  type LineOf,
} from '../../../render/time.js'
import { write } from '../../../render/svg.js'
import { thousands } from '../../../render/table.js'
import { timeSvg } from '../../../render/time-svg.js'
import { b200, changed, h100, h200, time, type Chip, type Timing } from '../../../semantics/timing/index.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { oneOf, refuseFlag, refuseWord } from '../flags/choice.js'
import { formatOfEnding, outputAsked, outputFile } from '../answer.js'
import { launchOptions } from '../flags/launch.js'
import type { AskedFile } from '../outputs.js'
import { again, wordOf } from '../flags/words.js'
import { dataOptions } from '../ptx-data.js'
import { timedSubject } from '../running.js'
import type { OutputFile } from '../../tensor-files/files.js'

const define = (command: Command): Command =>
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
  )
    .option(
      '--chip <name:number=value,...>',
      'chip to predict for, with changed numbers: h100, h200, b200, h100:l2.bandwidth=x1.2; default: by the architecture',
    )
    .option('--registers <n>', 'registers per thread; default: as many as the PTX needs')
    .option('--numbers', 'only list the numbers of the chip, with their sources')
    .option('--format <format>', 'table, perfetto or svg')
    .option('-o, --output <file>', 'write to a file; .json is the timeline, .svg its picture')
    .option('--svg <file>', 'also draw the timeline to scale')
    .option('--json', 'print one JSON document: the timeline with --format perfetto, else the prediction')

// ---------------------------------------------------------------- what is asked

const chips: ReadonlyArray<Chip> = [h100, h200, b200]

/** `h100:l2.bandwidth=x1.2,clock=1800`; null: it is not said. */
const chipAsked = (options: Options): E.Either<Failure, Chip | null> => {
  const said = wordOf(options, 'chip')
  if (said === null) return E.right(null)
  const [name = '', ...rest] = said.split(':')
  const chip = chips.find((c) => c.name === name)
  const all = chips.map((c) => c.name)
  if (chip === undefined) return refuseWord('--chip', all, name, all.join(', '))
  return rest
    .join(':')
    .split(',')
    .filter((word) => word !== '')
    .reduce<E.Either<Failure, Chip>>((made, word) => {
      const [number = '', value = ''] = word.split('=')
      return pipe(made, E.chainW(changed(number, value)))
    }, E.right(chip))
}

const registersAsked = (options: Options): E.Either<Failure, number | null> => {
  const said = wordOf(options, 'registers')
  if (said === null) return E.right(null)
  return /^[1-9]\d{0,2}$/.test(said) && Number(said) <= 255
    ? E.right(Number(said))
    : refuseFlag('--registers', 'a number from 1 to 255', said)
}

const formats = ['table', 'perfetto', 'svg'] as const
type Format = (typeof formats)[number]

const ofEnding = formatOfEnding<Format>({ '': 'table', txt: 'table', json: 'perfetto', svg: 'svg' })

const formatOf = (options: Options): E.Either<Failure, Format> => {
  const said = wordOf(options, 'format')
  if (said !== null) return oneOf('--format', formats)(said)
  const file = outputFile(options)
  return file === null ? E.right('table') : ofEnding(file)
}

// ---------------------------------------------------------------- the run

interface Found {
  readonly timing: Timing
  readonly lineOf: LineOf
}

const chipFor = (asked: Chip | null, arch: 'sm90a' | 'sm100a'): Chip =>
  asked ?? (arch === 'sm90a' ? h100 : b200)

const timed = (
  world: World,
  name: string,
  options: Options,
  chip: Chip | null,
  registers: number | null,
): E.Either<Failure, Found> =>
  pipe(
    timedSubject(world, name, options),
    E.chain(({ over, footing, lineOf }) =>
      over(
        ({ source, algebra, given }): E.Either<Failure, Found> =>
          pipe(
            source.launch(algebra, given),
            E.chainW(({ world: launched }) => {
              const takes = footing(launched)
              return time(
                source,
                algebra,
                given,
                registers === null ? takes : Object.assign({}, takes, { registers }),
                chipFor(chip, launched.header.arch),
              )
            }),
            E.map((timing) => ({ timing, lineOf })),
          ),
        () => false,
      ),
    ),
  )

// ---------------------------------------------------------------- the answer

/** The picture that is asked for. */
const drawn = (options: Options, { timing, lineOf }: Found): ReadonlyArray<OutputFile> => {
  const file = wordOf(options, 'svg')
  if (file === null) return []
  return [{ file, bytes: new TextEncoder().encode(write(timeSvg(timing, lineOf))) }]
}

const textOf = (world: World, { timing, lineOf }: Found, format: Format): string => {
  switch (format) {
    case 'perfetto':
      return `${JSON.stringify(timeTimeline(timing, lineOf))}\n`
    case 'svg':
      return write(timeSvg(timing, lineOf))
    case 'table':
      return timeText(paletteOf(world), timing, lineOf)
  }
}

const report = (world: World, options: Options, found: Found, format: Format): E.Either<Failure, Report> => {
  const { timing, lineOf } = found
  const pictures = drawn(options, found)
  const alsoWrote = pictures
    .map(({ file, bytes }) => `wrote ${file}: svg, ${thousands(bytes.length)} bytes\n`)
    .join('')
  const file = outputFile(options)
  if (file === null)
    return E.right({
      good: true,
      text: () => `${textOf(world, found, format)}${alsoWrote}`,
      json: () => (format === 'perfetto' ? timeTimeline(timing, lineOf) : timeDocument(timing, lineOf)),
      files: pictures,
    })
  const bytes = new TextEncoder().encode(textOf(world, found, format))
  const events = timing.timed.moments.length
  return E.right({
    good: true,
    text: () =>
      `wrote ${file}: ${format}, ${String(events)} events, ${String(bytes.length)} bytes\n${alsoWrote}`,
    json: () => ({
      schema: 'tcspec.written/1',
      output: file,
      format,
      events,
      bytes: bytes.length,
      whole: true,
    }),
    files: [{ file, bytes }, ...pictures],
  })
}

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither(() => {
    const name = operands[0] ?? ''
    return pipe(
      E.Do,
      E.bindW('chip', () => chipAsked(options)),
      E.bindW('registers', () => registersAsked(options)),
      E.bindW('format', () => formatOf(options)),
      E.chainW(({ chip, registers, format }): E.Either<Failure, Report> =>
        options['numbers'] === true
          ? E.right({
              good: true,
              text: () => `${chipText(chip ?? h100)}\n`,
              json: () => chipDocument(chip ?? h100),
            })
          : pipe(
              timed(world, name, options, chip, registers),
              E.chain((found) => report(world, options, found, format)),
            ),
      ),
    )
  })

/** Files that it writes. */
const outputs = (options: Options): ReadonlyArray<AskedFile> => {
  const file = wordOf(options, 'svg')
  return [...outputAsked(options), ...(file === null ? [] : [{ flag: '--svg', file }])]
}

export const timeCommand: CliCommand = { define, outputs, run }
