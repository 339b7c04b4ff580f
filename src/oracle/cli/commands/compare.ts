/**
 * `tcspec compare got.npy expected.npy [--dtype bf16] [--json]`: are the bits equal, and if not, how far apart?
 *
 * A file may be given as `dtype=file`; that, or `--dtype`, holds for both. Exit status 1 when a bit differs.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as IOE from 'fp-ts/lib/IOEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../../failure.js'
import { compare, printComparison, type CompareFailure, type Comparison } from '../../compare.js'
import { readTensor } from '../../tensor-files/tensor-file.js'
import type { CliCommand, Options, Report } from '../command.js'
import { parseDtype, parseOperand, type Operand } from '../flags/binding.js'
import { refuseFlag, type FlagFailure } from '../flags/choice.js'

const define = (command: Command): Command =>
  command

    .argument(
      '<got>',
      '.npy, .npz or .safetensors file (FILE:NAME for one of several), or dtype=file (npy files hold bf16 and 8-bit floats as u2 and u1)',
    )
    .argument('<expected>', 'the same')
    .option('--dtype <dtype>', 'read both files as this dtype')
    .option('--json', 'print one JSON document')

interface Operands {
  readonly got: Operand
  readonly expected: Operand
}

/** A dtype said once holds for both files: nothing else could be compared. Said twice, it must be the same. */
const parseOperands = (texts: ReadonlyArray<string>, options: Options): E.Either<FlagFailure, Operands> =>
  pipe(
    E.Do,
    E.bind('flag', () =>
      typeof options['dtype'] === 'string' ? parseDtype('--dtype', options['dtype']) : E.right(undefined),
    ),
    E.bind('got', () => parseOperand(texts[0] ?? '')),
    E.bind('expected', () => parseOperand(texts[1] ?? '')),
    E.chain(({ flag, got, expected }) => {
      const dtype = flag ?? got.dtype ?? expected.dtype
      const other = [got, expected].find((o) => o.dtype !== undefined && o.dtype !== dtype)
      return other === undefined || dtype === undefined
        ? E.right({ got: { dtype, file: got.file }, expected: { dtype, file: expected.file } })
        : refuseFlag(other.file, `one dtype for both files, ${dtype}`, other.dtype ?? '')
    }),
  )

const report = (c: Comparison): Report => ({
  good: c.equal,
  text: () => printComparison(c),
  json: () => ({ schema: 'tcspec.comparison/1', ...c }),
})

/** Names the files. A dtype that differs is often a file whose dtype was not said. */
const explain =
  ({ got, expected }: Operands) =>
  (f: CompareFailure): Failure =>
    failure(
      f.code,
      `${got.file} against ${expected.file}: ${f.message}${f.code === 'compare-dtype' ? ' (--dtype names one for both)' : ''}`,
    )

const run: CliCommand['run'] = (world) => (texts, options) =>
  pipe(
    TE.fromEither<Failure, Operands>(parseOperands(texts, options)),
    TE.chain((operands) =>
      TE.fromIOEither(
        pipe(
          IOE.Do,
          IOE.bindW('got', () => readTensor(world.files)(operands.got.file, operands.got.dtype)),
          IOE.bindW('expected', () =>
            readTensor(world.files)(operands.expected.file, operands.expected.dtype),
          ),
          IOE.chainW(({ got, expected }) =>
            IOE.fromEither(pipe(compare(got, expected), E.mapLeft(explain(operands)))),
          ),
          IOE.map(report),
        ),
      ),
    ),
  )

export const compareCommand: CliCommand = { define, run }
