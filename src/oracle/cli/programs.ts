/**
 * Programs of a host (`tcspec.host/1`) on a command line: the program in a file or a folder, and with `--operation` one launch of it.
 *
 *     tcspec check run                     all of the program that `tcspec cuda --save run` or `tcspec capture -o run` wrote
 *     tcspec view run --operation 8        its launch that is operation 8
 *     tcspec view run --operation 9:n2     node n2 of the graph that is operation 9
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { own } from '../../own.js'
import { decodeHost, isHostProgram, type HostProgram } from '../host/file.js'
import type { Which } from '../host/single.js'
import { beside } from '../launch/beside.js'
import { asText } from '../tensor-files/files.js'
import type { Options, World } from './command.js'
import { refuseFlag } from './flags/choice.js'
import { wordOf } from './flags/words.js'

// ---------------------------------------------------------------- programs

/** A program, and the file that it is in. */
export interface FoundProgram {
  readonly file: string
  readonly program: E.Either<Failure, HostProgram>
}

/** What a folder of a program calls it. */
const programFile = 'program.json'

/** The program that a file holds, or a folder that `tcspec cuda --save` or `tcspec capture` wrote; null: it is something else. */
export const hostProgramIn = (world: Pick<World, 'files'>, name: string): FoundProgram | null => {
  const isFile = name.toLowerCase().endsWith('.json')
  if (!isFile && /\.\w+$/u.test(name)) return null
  const file = isFile ? name : beside(`${name}/`, programFile)
  const read = pipe(world.files.read(file)(), E.chainW(asText(file)))
  if (E.isLeft(read)) return null
  const document = E.tryCatch(
    (): unknown => JSON.parse(read.right),
    () => null,
  )
  if (E.isLeft(document) || !isHostProgram(document.right)) return null
  return {
    file,
    program: pipe(
      decodeHost(document.right),
      E.mapLeft((f): Failure => ({ code: f.code, message: `${file}: ${f.message}` })),
    ),
  }
}

// ---------------------------------------------------------------- one launch

export const operationOption = (command: Command): Command =>
  command.option(
    '--operation <n>',
    'one launch of a program (tcspec.host/1), by its operation: 8, or 9:n2 for node n2 of a graph',
  )

/** Whether one launch of a program is asked for. */
export const asksOperation = (options: Options): boolean => wordOf(options, 'operation') !== null

/** What a program says of its launches itself. */
const ofProgram: ReadonlyArray<string> = [
  'set',
  'launch',
  'grid',
  'arg',
  'block',
  'cluster',
  'shared',
  'entry',
  'computes',
  'in',
  'over',
  'known',
  'data',
  'level',
  'judge',
  'junit',
  'report',
]

/** The program and the launch of it that a command line asks for. */
export const operationAsked = (
  world: Pick<World, 'files'>,
  name: string,
  options: Options,
): E.Either<Failure, { readonly file: string; readonly program: HostProgram; readonly which: Which }> => {
  const said = wordOf(options, 'operation') ?? ''
  const [, operation, node] = /^(\d{1,9})(?::(.+))?$/u.exec(said) ?? []
  if (operation === undefined)
    return refuseFlag('--operation', 'the number of an operation such as 8, or 9:n2', said)
  const found = hostProgramIn(world, name)
  if (found === null) return refuseFlag('--operation', 'a program (tcspec.host/1)', name)
  const meaningless = ofProgram.find((key) => own(options, key) !== undefined)
  if (meaningless !== undefined)
    return refuse('bad-flag', `--${meaningless}: the program says it of its launches (--operation ${said})`)
  return pipe(
    found.program,
    E.map((program) => ({
      file: found.file,
      program,
      which: { operation: Number(operation), node: node ?? null },
    })),
  )
}
