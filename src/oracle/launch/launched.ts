/**
 * A launch of a module in a file: the text, what a launch file and a command line say of its arguments, and the tensors in their files, as a program
 * with its inputs.
 *
 *     launched(files)('k.ttgir', { launch: 'launch.json' })        the program, what its inputs hold, what its outputs should
 *
 * A word of the command line stands in the place of what the launch file says. Every refusal names the file or the flag.
 *
 * Before the launch an output holds zeros: what a kernel adds to it, or leaves out, is then as its file says.
 *
 * Law 1. The files of the inputs, and those of what is expected, have the element types and extents of the parameters.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import {
  attributeOf,
  elaborate,
  everyOperation,
  functionOf,
  labelledIn,
  launchOf,
  numberAttribute,
  onlyInPtx,
  placeOf as authorOf,
  readModule,
  signatureOf,
  type Argument,
  type Asked,
  type Elaborate,
  type Labelled,
  type Module,
  type Role,
  type Signature,
} from '../../dialects/ttgir/index.js'
import type { Program } from '../../semantics/language/program.js'
import { asText, type Files } from '../tensor-files/files.js'
import { placeOf } from '../tensor-files/place.js'
import { readTensor } from '../tensor-files/tensor-file.js'
import { zerosLike, type Tensor } from '../tensor-files/tensor.js'
import { beside, inFile } from './beside.js'
import { decodeLaunch, dtypeNamed, type LaunchArgument, type LaunchFile } from './file.js'
import { markIn } from './guess-mark.js'
import { parseWord } from './words.js'

// ---------------------------------------------------------------- model

/** What a command line says of a launch. */
export interface Asking {
  readonly grid?: ReadonlyArray<number>
  /** `name=text`: an argument by the name of its parameter */
  readonly args?: ReadonlyArray<readonly [name: string, text: string]>
  /** a launch file */
  readonly launch?: string
  readonly computes?: string
}

/** A tensor, and the file that it was read from. */
export interface Brought {
  readonly tensor: Tensor
  readonly source: string
}

/** A module with its launch, before it is a program. */
export interface OpenedModule {
  readonly module: Module
  /** of the module */
  readonly text: string
  readonly signature: Signature
  readonly launch: Elaborate
  /** the launch file, where one is given, and what it is called */
  readonly said: LaunchFile | null
  readonly saidIn: string
  /** contents of tensors before the launch, by the name of the tensor; the others are seeded */
  readonly inputs: ReadonlyMap<string, Brought>
  /** what is expected in tensors behind it */
  readonly expected: ReadonlyMap<string, Brought>
  /** outputs that hold what their caller gave */
  readonly kept: ReadonlySet<string>
  /** arguments whose sizes or values are a guess (`:guess`) */
  readonly guessed: ReadonlyArray<string>
}

export interface LaunchedModule {
  readonly module: Module
  /** of the module */
  readonly text: string
  readonly program: Program
  readonly launch: Elaborate
  /** operations of its function, by their labels */
  readonly operations: ReadonlyMap<string, Labelled>
  /** lines of the author's files that lie beside the module, by the names of the files */
  readonly sources: ReadonlyMap<string, ReadonlyArray<string>>
  /** tensors of its arguments; what else a program has is scratch */
  readonly tensors: ReadonlySet<string>
  /** contents of tensors before the launch, by the name of the tensor; the others are seeded */
  readonly inputs: ReadonlyMap<string, Brought>
  /** what is expected in tensors after it */
  readonly expected: ReadonlyMap<string, Brought>
  /** outputs that hold what their caller gave */
  readonly kept: ReadonlySet<string>
  /** arguments whose sizes or values are a guess (`:guess`) */
  readonly guessed: ReadonlyArray<string>
}

/** A refusal of an operation, at the line of its author; where the text has none, at its place in the file. */
const atAuthor =
  (m: Module, file: string) =>
  (f: Failure): Failure => {
    const [head = '', line] = /^(\d+):\d+: /.exec(f.message) ?? []
    const op = everyOperation(m.operations).find(({ at }) => String(at.line) === line)
    const place = op === undefined ? null : authorOf(m, op.location)
    return place === null
      ? inFile(file)(f)
      : failure(f.code, `${place}: ${f.message.slice(head.length)} (line ${line ?? ''} of the TTGIR)`)
  }

/** What an output holds before its launch, in place of a file. */
export const zeros = 'zeros'

// ---------------------------------------------------------------- an argument, and the file that belongs to it

/** An argument of which the extents may be those of a file. */
interface Open {
  readonly argument: Argument | null
  /** holds what is there before the launch, and what is expected behind it */
  readonly file: string | null
  readonly expected: string | null
  readonly tensor: string
  readonly role: Role
  /** how the command line said it */
  readonly said: string | null
  /** its size or its value is a guess */
  readonly guess: boolean
}

const number = (p: Asked, value: number | bigint, said: string | null, guess: boolean = false): Open => ({
  guess,
  argument: value,
  file: null,
  expected: null,
  tensor: p.name,
  role: 'in',
  said,
})

const ofWord = (p: Asked, marked: string): E.Either<Failure, Open> => {
  const { text, guess } = markIn(marked)
  return pipe(
    parseWord(p, text),
    E.map((word): Open => {
      const said = `${p.name}=${text}`
      const role = p._tag === 'scalar' ? 'in' : p.role
      switch (word._tag) {
        case 'number':
          return number(p, word.value, said, guess)
        case 'tensor':
          return {
            argument: word.tensor,
            file: null,
            expected: null,
            tensor: p.name,
            role: word.tensor.role ?? role,
            said,
            guess,
          }
        case 'file': {
          const isOut = (word.role ?? role) === 'out'
          return {
            argument: null,
            file: isOut ? null : word.file,
            expected: isOut ? word.file : null,
            tensor: p.name,
            role: word.role ?? role,
            said,
            guess,
          }
        }
      }
    }),
  )
}

const ofFile = (
  p: Asked,
  a: LaunchArgument,
  { outputs }: LaunchFile,
  at: string,
): E.Either<Failure, Open> => {
  const refused = (expected: string, found: string): E.Either<Failure, never> =>
    refuse('ttgir.launch', `${at}: %${p.name}: expected ${expected}, found ${found}`)
  if (typeof a === 'boolean') return E.right(number(p, Number(a), null))
  if (typeof a === 'number') return E.right(number(p, a, null))
  if (p._tag === 'scalar') {
    const word = typeof a === 'string' ? parseWord(p, a) : null
    return word !== null && E.isRight(word) && word.right._tag === 'number'
      ? E.right(number(p, word.right.value, null))
      : refused(`a number of type ${p.dtype}`, `the tensor '${typeof a === 'string' ? a : a.tensor}'`)
  }
  const said = typeof a === 'string' ? { tensor: a } : a
  const { tensor, strides, block, kind, padding, pointers } = said
  const shape = said.shape ?? (pointers === undefined ? undefined : [pointers.length])
  if (kind !== undefined && (kind === 'tensordesc') !== (p._tag === 'descriptor'))
    return refused(`a ${p._tag}, as in the text`, kind)
  if (p.dtype === 'f64') return refuse('ttgir.type', `${at}: %${p.name}: ${onlyInPtx}`)
  const dtype = said.dtype === undefined ? undefined : dtypeNamed(said.dtype)
  if (dtype === null) return refused(`elements of ${p.dtype}`, `'${said.dtype ?? ''}'`)
  const isOutput = outputs?.includes(tensor) === true
  const role: Role =
    said.role ??
    (isOutput
      ? p.role === 'inout'
        ? 'inout'
        : 'out'
      : outputs !== undefined && p.role === 'out'
        ? 'inout'
        : p.role)
  const own = beside(at, `${tensor}.npy`)
  const file =
    said.file === null || pointers !== undefined
      ? null
      : said.file === undefined
        ? own
        : beside(at, said.file)
  const isExpected = said.role === undefined ? isOutput : said.role === 'out'
  return E.right({
    argument:
      shape === undefined
        ? null
        : {
            tensor,
            shape,
            role,
            ...(dtype === undefined ? {} : { dtype }),
            ...(strides === undefined ? {} : { strides }),
            ...(block === undefined ? {} : { block }),
            ...(padding === undefined ? {} : { padding }),
          },
    file: isExpected ? null : file,
    // with another file for what was there before, its own holds what is expected
    expected: isExpected ? file : isOutput && file !== null && file !== own ? own : null,
    tensor,
    role,
    said: null,
    guess: false,
  })
}

// ---------------------------------------------------------------- what a launch file says again

/** Warps of a CTA, those of partitions too: they come in fours. */
const warpsOf = (m: Module): number => {
  const partitions = everyOperation(m.operations)
    .filter((op) => op.name === 'ttg.warp_specialize')
    .flatMap((op) => {
      const a = attributeOf(op.attributes, 'partitionNumWarps')
      return a?._tag === 'array' ? a.items : []
    })
    .reduce((n, item) => n + (item._tag === 'integer' ? Number(item.value) : 0), 0)
  return (numberAttribute(m, 'ttg.num-warps') ?? 4) + partitions
}
const inFours = (warps: number): string => String(4 * Math.ceil(warps / 4))

const agrees = (m: Module, s: Signature, l: LaunchFile): E.Either<Failure, null> => {
  const target = attributeOf(m.attributes, 'ttg.target')
  const chip = target?._tag === 'string' ? target.value.replace('cuda:', 'sm_') : ''
  const rows: ReadonlyArray<readonly [what: string, said: string | undefined, text: string]> = [
    ['kernel', l.kernel, s.name],
    [
      'num_warps',
      l.num_warps === undefined || l.num_warps === numberAttribute(m, 'ttg.num-warps')
        ? undefined
        : inFours(l.num_warps),
      inFours(warpsOf(m)),
    ],
    ['num_ctas', l.num_ctas?.toString(), String(numberAttribute(m, 'ttg.num-ctas') ?? 1)],
    ['arch', l.arch?.replace(/[af]$/, ''), chip],
  ]
  const other = rows.find(([, said, text]) => said !== undefined && said !== text)
  return other === undefined
    ? E.right(null)
    : refuse('ttgir.launch', `${other[0]}: expected ${other[2]}, as in the text, found ${other[1] ?? ''}`)
}

// ---------------------------------------------------------------- all of it

const readLaunch = (files: Files, file: string): E.Either<Failure, LaunchFile> =>
  pipe(files.read(file)(), E.chainW(asText(file)), E.chainW(decodeLaunch), E.mapLeft(inFile(file)))

/** What the launch file and the words say, by parameter. */
const openArguments = (
  s: Signature,
  launch: { readonly file: string; readonly said: LaunchFile } | null,
  words: ReadonlyArray<readonly [string, string]>,
): E.Either<Failure, ReadonlyMap<string, Open>> => {
  const names = s.parameters.map((p) => p.name)
  const open = new Map<string, Open>()
  const isList = (a: LaunchFile['args']): a is ReadonlyArray<LaunchArgument> => Array.isArray(a)
  if (launch !== null) {
    const { args } = launch.said
    if (isList(args) && args.length > names.length)
      return refuse(
        'ttgir.launch',
        `${launch.file}: args: expected ${String(names.length)}, for ${names.join(', ')}, found ${String(args.length)}`,
      )
    const byName = isList(args) ? args.map((a, k) => [names[k]!, a] as const) : Object.entries(args)
    for (const [name, a] of byName) {
      const p = s.parameters.find((q) => q.name === name)
      if (p === undefined)
        return refuse(
          'ttgir.launch',
          `${launch.file}: args: expected a parameter of @${s.name}, found '${name}'; ${didYouMean(names)(name)}`,
        )
      const one = ofFile(p, a, launch.said, launch.file)
      if (E.isLeft(one)) return one
      open.set(name, one.right)
    }
  }
  for (const [name, text] of words) {
    const p = s.parameters.find((q) => q.name === name)
    if (p === undefined)
      return refuse(
        'bad-flag',
        `--arg: expected a parameter of @${s.name}, found '${name}'; ${didYouMean(names)(name)}`,
      )
    const one = ofWord(p, text)
    if (E.isLeft(one)) return one
    open.set(name, one.right)
  }
  return E.right(open)
}

/** The files in which operations were written, as far as they lie beside the module. */
const sourcesOf = (
  files: Files,
  file: string,
  operations: ReadonlyMap<string, Labelled>,
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const names = new Set([...operations.values()].flatMap(({ place }) => place?.replace(/:\d+$/, '') ?? []))
  return new Map(
    [...names].flatMap((name) => {
      const text = pipe(files.read(beside(file, name))(), E.chainW(asText(name)))
      return E.isLeft(text) ? [] : [[name, text.right.split(/\r?\n/)] as const]
    }),
  )
}

/** The module of a file, with what it is launched with; Left is one line. */
export const opened =
  (files: Files) =>
  (file: string, asking: Asking): E.Either<Failure, OpenedModule> => {
    const read = pipe(
      files.read(file)(),
      E.chainW(asText(file)),
      E.bindTo('text'),
      E.bindW('module', ({ text }) => E.mapLeft(inFile(file))(readModule(text))),
      E.bindW('s', ({ module }) => E.mapLeft(inFile(file))(signatureOf(module))),
    )
    if (E.isLeft(read)) return read
    const { text, module, s } = read.right
    const said = asking.launch === undefined ? null : readLaunch(files, asking.launch)
    if (said !== null && E.isLeft(said)) return said
    const launch = said === null ? null : { file: asking.launch ?? '', said: said.right }
    if (launch !== null) {
      const same = E.mapLeft(inFile(launch.file))(agrees(module, s, launch.said))
      if (E.isLeft(same)) return same
    }
    const found = openArguments(s, launch, asking.args ?? [])
    if (E.isLeft(found)) return found

    const args = new Map<string, Argument>()
    const inputs = new Map<string, Brought>()
    const expected = new Map<string, Brought>()
    for (const [name, { argument, file: before, expected: behind, tensor, role }] of found.right) {
      if (argument !== null) args.set(name, argument)
      const p = s.parameters.find((q) => q.name === name)
      for (const source of [before, behind]) {
        if (source === null || p === undefined) continue
        // of an output that says its extents nothing need be there
        const isThere =
          source !== behind || argument === null || E.isRight(files.read(placeOf(source).file)())
        if (!isThere) continue
        const brought = readTensor(files)(source, p.dtype, tensor)()
        if (E.isLeft(brought)) return brought
        const { shape } = brought.right
        const known = args.get(name)
        if (known === undefined) args.set(name, { tensor, shape, role })
        else if (typeof known === 'object' && known.shape.join() !== shape.join())
          return refuse(
            'ttgir.launch',
            `${source}: expected a tensor of extents (${known.shape.join(', ')}) for %${name}, found (${shape.join(', ')})`,
          )
        ;(source === behind ? expected : inputs).set(tensor, { tensor: brought.right, source })
        if (before === null) inputs.set(tensor, { tensor: zerosLike(brought.right), source: zeros })
      }
    }
    const grid = asking.grid ?? launch?.said.grid
    const computes = asking.computes ?? launch?.said.computes
    return pipe(
      launchOf(module, {
        ...(grid === undefined ? {} : { grid }),
        args: Object.fromEntries(args),
        ...(computes === undefined ? {} : { computes }),
        said: new Map(
          [...found.right].flatMap(([name, o]) => (o.said === null ? [] : [[name, o.said] as const])),
        ),
      }),
      E.bimap(inFile(file), (made): OpenedModule => ({
        module,
        text,
        signature: s,
        launch: made,
        said: launch?.said ?? null,
        saidIn: launch?.file ?? '',
        inputs,
        expected,
        kept: new Set([
          ...(launch?.said.kept ?? []),
          ...[...inputs].flatMap(([tensor, { source }]) => (source === zeros ? [] : [tensor])),
        ]),
        guessed: [...found.right].flatMap(([name, { guess }]) => (guess ? [name] : [])),
      })),
    )
  }

/** What was opened, as a program. */
export const elaborated =
  (files: Files) =>
  (
    file: string,
    { module, text, signature, launch, inputs, expected, kept, guessed }: OpenedModule,
  ): E.Either<Failure, LaunchedModule> =>
    pipe(
      E.mapLeft(atAuthor(module, file))(elaborate(module, launch)),
      E.bindTo('program'),
      E.bindW('func', () => E.mapLeft(inFile(file))(functionOf(module, signature.name))),
      E.map(({ program, func }) => ({
        module,
        text,
        program,
        launch,
        operations: labelledIn(module, func, launch),
        sources: sourcesOf(files, file, labelledIn(module, func, launch)),
        tensors: new Set([...launch.tensors.values()].map((t) => t.tensor)),
        inputs,
        expected,
        kept,
        guessed,
      })),
    )

/** The module of a file, launched; Left is one line. */
export const launched =
  (files: Files) =>
  (file: string, asking: Asking): E.Either<Failure, LaunchedModule> =>
    pipe(
      opened(files)(file, asking),
      E.chain((one) => elaborated(files)(file, one)),
    )
