/**
 * What a command is about: a kernel of the catalogue with settings, or a program from a file; with statements left out if asked.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { without } from '../../kernels/broken/without.js'
import {
  instanceOf,
  kernelNamed,
  isOfZoo,
  type Expects,
  type Input,
  type Instance,
} from '../../kernels/catalogue/index.js'
import { shapeOf, tensorsOf } from '../../kernels/reference.js'
import { parseProgram } from '../../semantics/files/codec.js'
import type { Program } from '../../semantics/language/program.js'
import { asText } from '../tensor-files/files.js'
import type { World } from './command.js'
import type { Settings } from './flags/setting.js'

export interface Subject {
  readonly name: string
  readonly settings: Settings
  readonly program: Program
  /** labels of the statements that were left out */
  readonly dropped: ReadonlyArray<string>
  readonly expects?: Expects
  readonly multiplyAdds?: number
}

const leavingOut = (labels: ReadonlyArray<string>, instance: Instance): E.Either<Failure, Subject> =>
  pipe(
    labels.reduce<E.Either<Failure, Program>>(
      (program, label) => pipe(program, E.chainW(without(label))),
      E.right(instance.program),
    ),
    E.map((program) => ({
      name: instance.kernel,
      settings: instance.settings,
      program,
      dropped: labels,
      ...(instance.expects === undefined ? {} : { expects: instance.expects }),
      ...(instance.multiplyAdds === undefined ? {} : { multiplyAdds: instance.multiplyAdds }),
    })),
  )

/** A kernel by name, for what is given. */
export const kernelSubject = (
  name: string,
  given: Settings,
  inputs: ReadonlyArray<Input>,
  dropped: ReadonlyArray<string>,
): E.Either<Failure, Subject> =>
  pipe(
    kernelNamed(name),
    E.chainW((kernel) => instanceOf(kernel, given, inputs)),
    E.chain((instance) => leavingOut(dropped, instance)),
  )

const isFileName = (name: string): boolean => !isOfZoo(name) && (name.includes('/') || name.includes('.'))

/** Inputs that are brought to a program: of its parameters, of their dtypes and shapes. */
const inputsFit = (program: Program, inputs: ReadonlyArray<Input>): E.Either<Failure<'input'>, null> => {
  const params = tensorsOf(program).filter((p) => p.role !== 'out')
  for (const { name, source, dtype, shape } of inputs) {
    const param = params.find((p) => p.name === name)
    if (param === undefined)
      return refuse(
        'input',
        `${source}: expected an input of ${program.name}, ${params.map((p) => p.name).join(', ') || 'which has none'}, found '${name}'`,
      )
    const expected = shapeOf(param)
    if (dtype !== param.dtype)
      return refuse('input', `${source}: expected elements of ${param.dtype} for ${name}, found ${dtype}`)
    if (expected !== null && expected.join() !== shape.join())
      return refuse(
        'input',
        `${source}: expected ${name} of shape (${expected.join(', ')}), found shape (${shape.join(', ')})`,
      )
  }
  return E.right(null)
}

/** A kernel by name, or a program in a JSON file. */
export const namedSubject = (
  world: World,
  name: string,
  given: Settings,
  inputs: ReadonlyArray<Input>,
  dropped: ReadonlyArray<string>,
): E.Either<Failure, Subject> => {
  if (!isFileName(name)) return kernelSubject(name, given, inputs, dropped)
  if (name.endsWith('.jsonl'))
    return refuse('kernel.unknown', `kernel: expected a kernel or a program, found the trace '${name}'`)
  const setting = Object.keys(given)[0]
  if (setting !== undefined)
    return refuse('bad-flag', `--set: a program in a file has no settings, found '${setting}'`)
  return pipe(
    world.files.read(name)(),
    E.chainW(asText(name)),
    E.chainW(parseProgram),
    E.mapLeft((f) => (f.message.startsWith(`${name}: `) ? f : failure(f.code, `${name}: ${f.message}`))),
    E.chainFirstW((program) => inputsFit(program, inputs)),
    E.chain((program) => leavingOut(dropped, { kernel: program.name, settings: {}, program })),
  )
}
