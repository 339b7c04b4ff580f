/**
 * What a command is about: a kernel of the catalogue with settings, a program from a file, a kernel that JAX traced, or a module of Triton's with its
 * launch; with statements left out if asked.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import { without } from '../../kernels/broken/without.js'
import {
  instanceOf,
  kernelNamed,
  kernelsOf,
  type Expects,
  type Input,
  type Instance,
} from '../../kernels/catalogue/index.js'
import { shapeOf, tensorsOf } from '../../kernels/reference.js'
import { isOfZoo } from '../../kernels/zoo-name.js'
import type { Compiler } from '../../numerics/special-functions/index.js'
import { parseProgram } from '../../semantics/files/codec.js'
import type { Program, Site } from '../../semantics/language/program.js'
import { launched, type Asking, type LaunchedModule } from '../launch/launched.js'
import {
  documentIn,
  quoteOfTraced,
  sourceInTraced,
  traced,
  withoutEquations,
  type TracedKernel,
} from '../launch/traced.js'
import { quoteOf, sourceIn } from '../launch/quote.js'
import { withoutOperations } from '../launch/without.js'
import type { Tensor } from '../tensor-files/tensor.js'
import { asText } from '../tensor-files/files.js'
import type { Options, World } from './command.js'
import type { FlagFailure } from './flags/choice.js'
import { launchAsked } from './flags/launch.js'
import { parseSettings, type Settings } from './flags/setting.js'
import { wordsOf } from './flags/words.js'
import { languageOfFile } from './written-in.js'

export interface Subject {
  readonly name: string
  readonly settings: Settings
  readonly program: Program
  /** labels of the statements that were left out */
  readonly dropped: ReadonlyArray<string>
  readonly expects?: Expects
  readonly multiplyAdds?: number
  /** whose approximate functions its source means */
  readonly compiler: Compiler | null
  /** inputs that the command line brings */
  readonly given: ReadonlyMap<string, Tensor>
  /** of a module: its launch, and the text */
  readonly launched?: LaunchedModule
  /** of a kernel that JAX traced: its equations */
  readonly traced?: TracedKernel
}

const nothingGiven: Subject['given'] = new Map()

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
      compiler: null,
      given: nothingGiven,
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

/** Folders of kernels that are no files. */
const folders: ReadonlyArray<string> = ['zoo', 'foreign', 'printed']

const isFileName = (name: string): boolean => !isOfZoo(name) && (name.includes('/') || name.includes('.'))

/** Inputs that are brought to a program: of its parameters, of their dtypes and shapes. */
const inputsFit = (
  program: Program,
  inputs: ReadonlyArray<Input>,
  params: ReturnType<typeof tensorsOf> = tensorsOf(program).filter((p) => p.role !== 'out'),
): E.Either<Failure<'input'>, null> => {
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

/** Contents that the launch of a module or the command line brings, by the name of the tensor; and those of counters, which begin with zero. */
export const broughtOf = ({
  launched: module,
  traced: kernel,
  given,
}: Subject): ReadonlyMap<string, Tensor> =>
  new Map([
    ...[...(module?.inputs ?? [])].map(([name, { tensor }]) => [name, tensor] as const),
    ...(kernel?.hidden ?? []),
    ...given,
  ])

/** Counters of a kernel that JAX traced, where there are no other data. */
export const countersOf = ({ traced: kernel }: Subject): ReadonlyMap<string, Float64Array> =>
  new Map([...(kernel?.hidden ?? [])].map(([name, { bits }]) => [name, new Float64Array(bits.length)]))

/** Whether a name is that of a module in a file. */
export const isModule = (name: string): boolean => languageOfFile(name).name === 'ttgir'

/** Whether a name is one that a kernel of JAX's has in a file; what is in it says so itself. */
export const isTracedName = (name: string): boolean => name.toLowerCase().endsWith('.jaxpr.json')

/** What the flags of a command say of its subject. */
export interface Asked {
  readonly given: Settings
  readonly inputs: ReadonlyArray<Input>
  readonly dropped: ReadonlyArray<string>
  readonly launch: Asking
}

/** The words of `--set`, `--without` and those of a launch. */
export const subjectAsked = (options: Options): E.Either<FlagFailure, Asked> =>
  pipe(
    E.Do,
    E.bind('given', () => parseSettings(wordsOf(options, 'set'))),
    E.bind('launch', () => launchAsked(options)),
    E.map(({ given, launch }) => ({ given, launch, inputs: [], dropped: wordsOf(options, 'without') })),
  )

const refuseSettings = (what: string, given: Settings): E.Either<Failure, null> => {
  const setting = Object.keys(given)[0]
  return setting === undefined
    ? E.right(null)
    : refuse('bad-flag', `--set: ${what} has no settings, found '${setting}'`)
}

/** Left if a launch is given of what is no module. */
export const refuseLaunch = (
  name: string,
  { grid, args = [], launch, computes }: Asking,
): E.Either<Failure, null> => {
  const flag = Object.entries({ launch, grid, arg: args[0], computes }).find(([, said]) => said !== undefined)
  return flag === undefined
    ? E.right(null)
    : refuse('bad-flag', `--${flag[0]}: expected a module that is launched (.ttgir, .ptx), found '${name}'`)
}

/** A module in a file, launched. */
const moduleSubject = (
  world: World,
  name: string,
  { given, inputs, dropped, launch }: Asked,
): E.Either<Failure, Subject> =>
  pipe(
    refuseSettings('a module', given),
    E.chainW(() => launched(world.files)(name, launch)),
    // what is written, too, holds something before the launch
    E.chainFirstW(({ program, tensors }) =>
      inputsFit(
        program,
        inputs,
        tensorsOf(program).filter((p) => tensors.has(p.name)),
      ),
    ),
    E.chain((module) =>
      pipe(
        withoutOperations(module, dropped),
        E.mapLeft((f) => failure(f.code, `${name}: ${f.message}`)),
        E.map((program): Subject => ({
          name: program.name,
          settings: {},
          program,
          dropped,
          compiler: 'triton',
          given: nothingGiven,
          launched: module,
        })),
      ),
    ),
  )

/** A kernel that JAX traced, in a file. */
const tracedSubject = (
  name: string,
  document: unknown,
  { inputs, dropped, launch: { computes, ...launch } }: Asked,
): E.Either<Failure, Subject> =>
  pipe(
    refuseLaunch(name, launch),
    E.chain(() => traced(document, computes)),
    E.chainFirstW(({ program }) => inputsFit(program, inputs)),
    E.chain((kernel) =>
      pipe(
        withoutEquations(kernel, dropped),
        E.map((program): Subject => ({
          name: program.name,
          settings: {},
          program,
          dropped,
          compiler: null,
          given: nothingGiven,
          traced: kernel,
        })),
      ),
    ),
  )

/** The author's line of a statement, where the subject has a text. */
export const quoteOfSubject = ({
  launched: module,
  traced: kernel,
}: Subject): { readonly quote?: (o: { readonly site: string }) => string | null } =>
  module !== undefined
    ? { quote: quoteOf(module) }
    : kernel !== undefined
      ? { quote: quoteOfTraced(kernel) }
      : {}

/** Where an author wrote a statement, and what stands there, if the subject has a text. */
export const sourceOfSubject = ({
  launched: module,
  traced: kernel,
}: Subject): ((site: Site) => { readonly place: string; readonly text: string } | null) => {
  const known =
    module !== undefined ? sourceIn(module) : kernel !== undefined ? sourceInTraced(kernel) : () => null
  return ({ label, loc }) => known({ site: label }) ?? (loc === undefined ? null : { place: loc, text: '' })
}

/** Lines of a file of its author. */
export const linesOfSubject =
  ({ launched: module }: Subject): ((file: string) => ReadonlyArray<string>) =>
  (file) =>
    module?.sources.get(file) ?? []

/** A file whose text is no program, by what its name says that it is. */
const unreadable = (name: string, f: Failure): Failure =>
  /\.json$/iu.test(name)
    ? f
    : failure(
        'kernel.unknown',
        /\.(cu|cuh|cpp|cc|c|h|py|cubin|fatbin|o|so|sass|ll|ttir|txt)$/iu.test(name)
          ? `${name}: expected a program (.json), a module (.ttgir), PTX (.ptx) or a trace (.jsonl), found ${
              /\.cuh?$/iu.test(name)
                ? 'CUDA C++; `nvcc -ptx -lineinfo` compiles it to PTX'
                : `none of them by its ending '${name.replace(/^.*\./su, '.')}'`
            }`
          : f.message,
      )

/** A kernel by name, a program or a kernel that JAX traced in a JSON file, or a module in a file. */
export const namedSubject = (world: World, name: string, asked: Asked): E.Either<Failure, Subject> => {
  const { given, inputs, dropped } = asked
  if (isModule(name)) return moduleSubject(world, name, asked)
  if (!isFileName(name))
    return pipe(
      refuseLaunch(name, asked.launch),
      E.chain(() => kernelSubject(name, given, inputs, dropped)),
    )
  if (name.endsWith('.jsonl'))
    return refuse('kernel.unknown', `kernel: expected a kernel or a program, found the trace '${name}'`)
  const settings = refuseSettings('a program in a file', given)
  if (E.isLeft(settings)) return settings
  const read = world.files.read(name)()
  // a name like that of a kernel of the zoo, and no file: the kernel was misspelt
  if (E.isLeft(read) && read.left.code === 'file-missing' && !name.includes('.'))
    return refuse(
      'file-missing',
      `${name}: no such file, and no kernel of this name; ${didYouMean(folders.flatMap((folder) => kernelsOf(folder).map((k) => k.name)))(name)}`,
    )
  return pipe(
    read,
    E.chainW(asText(name)),
    E.chainW((text) => {
      const document = documentIn(text)
      return document === null
        ? pipe(
            refuseLaunch(name, asked.launch),
            E.chainW(() => parseProgram(text)),
            E.chainFirstW((program) => inputsFit(program, inputs)),
            E.chain((program) => leavingOut(dropped, { kernel: program.name, settings: {}, program })),
          )
        : tracedSubject(name, document, asked)
    }),
    E.mapLeft((f) => (f.message.startsWith(`${name}: `) ? f : failure(f.code, `${name}: ${f.message}`))),
    E.mapLeft((f) => (f.code === 'json.syntax' ? unreadable(name, f) : f)),
  )
}
