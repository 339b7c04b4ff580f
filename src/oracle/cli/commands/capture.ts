/**
 * `tcspec capture -o run -- program arguments`: on a machine with a GPU, what a program launches is recorded as data (`tcspec.host/1`), with what memory held before and after each
 * launch. `tcspec check run` then judges the launches anywhere, and says whether every bit is the GPU's.
 *
 * Any program can be recorded, one with a static runtime, too: the driver loads the recording library (CUPTI). Exit status: that of the program; 2 if nothing was recorded.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { refuse, type Failure } from '../../../failure.js'
import { fields, thousands } from '../../../render/table.js'
import { own } from '../../../own.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Options, Recording, World } from '../command.js'
import { again, wordOf } from '../flags/words.js'

const define = (command: Command): Command =>
  command
    .argument('<command...>', 'the program and its arguments, after --')
    .requiredOption('-o, --output <folder>', 'new folder for the recording')
    .option('--only <name>', 'only launches whose kernel name contains this')
    .option('--launches <range>', 'take only launches n to m of these, counted from 0: 3..5')
    .option('--most <MiB>', 'memories larger than this are left out', '64')
    .option('--ptx <folder>', 'folder with the PTX of kernels that come as machine code', again)

const recordingAsked = (options: Options): E.Either<Failure, Recording> => {
  const range = wordOf(options, 'launches')
  const found = range === null ? null : /^(\d{1,9})(?:\.\.(\d{1,9}))?$/u.exec(range)
  if (range !== null && found === null)
    return refuse('bad-flag', `--launches: expected a range such as 3..5, found '${range}'`)
  const most = wordOf(options, 'most') ?? '64'
  if (!/^[1-9]\d{0,4}$/u.test(most))
    return refuse('bad-flag', `--most: expected a number of MiB below 100,000, found '${most}'`)
  const [, first, last] = found ?? []
  return E.right({
    folder: wordOf(options, 'output') ?? '',
    only: wordOf(options, 'only'),
    first: Number(first ?? 0),
    last: first === undefined ? null : Number(last ?? first),
    most: Number(most) * 2 ** 20,
  })
}

const run: CliCommand['run'] = (world: World) => (operands, options) => {
  const [command = '', ...words] = operands
  const { recorder } = world
  if (recorder === undefined)
    return TE.left({ code: 'cuda.program', message: 'programs cannot be started here' })
  return async () => {
    const asked = recordingAsked(options)
    if (E.isLeft(asked)) return asked
    const ended = await recorder.record(asked.right, command, words)
    if (E.isLeft(ended)) return ended
    const { folder } = asked.right
    if (!ended.right.connected)
      return refuse(
        'capture.nothing',
        `${command}: expected launches on a GPU, found none that were recorded in ${folder}; is it there already?`,
      )
    const ptx = own(options, 'ptx')
    const kept = await recorder.withPtx(folder, Array.isArray(ptx) ? ptx.map(String) : [])
    if (E.isLeft(kept)) return kept
    const { launches, without, large } = kept.right
    const status = ended.right.status ?? 128 + (ended.right.number ?? 0)
    return E.right({
      good: status === 0,
      status,
      json: () => ({ folder, launches, without, large }),
      text: () =>
        `${fields(paletteOf(world), 12, [
          ['recorded', `${thousands(launches)} launches in ${folder}`],
          ...(without.length === 0
            ? []
            : [
                [
                  'without PTX',
                  `${without.join(', ')}: only machine code was launched, and what it wrote was recorded; name the folder of its PTX with --ptx`,
                ] as const,
              ]),
          ...(large.length === 0
            ? []
            : [
                [
                  'left out',
                  `${large.join(', ')}: a memory is larger than --most, and what was written elsewhere was recorded`,
                ] as const,
              ]),
          ['next', `tcspec check ${folder}`],
        ])}\n`,
    })
  }
}

export const captureCommand: CliCommand = { define, run }
