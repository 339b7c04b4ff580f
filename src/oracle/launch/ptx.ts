/**
 * A launch of a module of PTX: its text, what a launch file and a command line say of its arguments, and the tensors in their files, as a program of
 * warps with its arguments.
 *
 *     launchedPtx(files)('k.ptx', 'launch.json')                                          as the file says
 *     launchedPtx(files)('k.ptx', { grid: [2], block: [128], args: [['0', 'x.npy']] })    as the words say
 *
 * A word stands in the place of what the launch file says. Every refusal names the file or the flag; what nothing says is asked for in one line, with
 * the type and the offset of every parameter.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import { computesOf, type NotComputed } from '../../dialects/computes.js'
import { bitsOf } from '../../numerics/dtype.js'
import type { Spec } from '../../semantics/language/program.js'
import { ofStrides } from '../../transforms/ref.js'
import { rowMajorStrides } from '../../transforms/shape.js'
import { mapBytes } from '../../semantics/instructions/tma/object.js'
import { functionsOf, type Module } from '../../dialects/ptx/index.js'
import { authorOfLine } from '../../dialects/ptx/elaboration/sources.js'
import { entryNamed } from '../../dialects/ptx/names/entries.js'
import { shownName } from '../../dialects/ptx/names/itanium.js'
import { elaborate, type Elaborated, type EntryParameter } from '../../dialects/ptx/elaboration/elaborate.js'
import {
  usualSharedBase,
  type GivenTensor,
  type WarpArguments,
} from '../../semantics/execution/launch-warps.js'
import { asText, type Files } from '../tensor-files/files.js'
import type { NpyArray } from '../tensor-files/npy.js'
import { inFile } from './beside.js'
import {
  decodePtxLaunch,
  type PtxArgument,
  type PtxLaunch,
  type PtxStruct,
  type PtxTensor,
} from './ptx-file.js'
import { dtypeOf, fieldsOf, mapOfDescriptor, product, tensorOf } from './ptx-maps.js'
import { elementBytes, layArgument, objectOf, type Laying } from './ptx-parameters.js'
import { filesInLaunch, heldTensor, shortName, together, type FilesOf, type Whole } from './ptx-tensors.js'
import { readPtx } from './ptx-text.js'
import { calledIn } from './ptx-called.js'
import { ptxWord, spotOf, typeText } from './ptx-words.js'
import { own } from '../../own.js'

// ---------------------------------------------------------------- model

/** What a launch has beside its arguments, and `tcspec kernels` may have guessed. */
export type GuessedOfLaunch = 'grid' | 'block' | 'shared'

/** What a command line says of a launch. */
export interface AskingPtx {
  /** a launch file */
  readonly launch?: string
  /** the entry */
  readonly entry?: string
  readonly grid?: ReadonlyArray<number>
  readonly block?: ReadonlyArray<number>
  readonly cluster?: ReadonlyArray<number>
  /** bytes of dynamic shared memory */
  readonly shared?: number
  /** which of these are a guess (`:guess`) */
  readonly guessed?: ReadonlyArray<GuessedOfLaunch>
  /** `name=text`: an argument by the name of its parameter, or its number (`ptx-words.ts`) */
  readonly args?: ReadonlyArray<readonly [name: string, text: string]>
  /** `matmul:a,b,c` or `copy:a,b` (`dialects/computes.ts`) */
  readonly computes?: string
}

/** A launch of which the grid, the block and arguments may not be said yet. */
type Said = Omit<PtxLaunch, 'grid' | 'args'> & Partial<Pick<PtxLaunch, 'grid' | 'args'>>

export interface LaunchedPtx {
  /** as it is launched, and its name */
  readonly module: Module
  readonly file: string
  readonly elaborated: Elaborated
  readonly launch: PtxLaunch
  readonly arguments: WarpArguments
  /** inputs that no file brings, with their element types */
  readonly seeded: ReadonlyMap<string, string>
  /** what of the launch is a guess (`:guess`): `block 128`, and arguments as they are called */
  readonly guessed: ReadonlyArray<string>
  /** of each parameter what it is called (`ptx-called.ts`) */
  readonly called: ReadonlyArray<string>
  /** tensors by what else an argument is called: its number, the name of its parameter */
  readonly aliases: ReadonlyMap<string, string>
  /** element type, extents and expected bytes of what the kernel writes */
  readonly outputs: ReadonlyMap<
    string,
    { readonly dtype: string; readonly shape: ReadonlyArray<number>; readonly expected: NpyArray | null }
  >
}

// ---------------------------------------------------------------- launches of Triton

const scratch = 'global scratch'

/** Arguments as its kernel was called with them, as those of the entry: maps with extents and strides, and scratch behind them. */
const lowered = (
  l: Said,
  args: ReadonlyArray<PtxArgument>,
  parameters: ReadonlyArray<EntryParameter>,
): ReadonlyArray<PtxArgument> | Failure => {
  const out: PtxArgument[] = []
  for (const a of args) {
    if (typeof a !== 'object' || a.kind !== 'tensordesc') {
      out.push(a)
      continue
    }
    const map = mapOfDescriptor(a)
    if (!('kind' in map)) return map
    out.push(map)
    for (const n of a.shape) out.push(n)
    for (const [k] of a.shape.entries()) out.push(a.strides?.[k] ?? product(a.shape.slice(k + 1)))
  }
  if (parameters.length - out.length === 2) {
    const each = l.extra?.['global_scratch_size']
    const bytes = typeof each === 'number' ? each * product(l.grid ?? []) * (l.num_ctas ?? 1) : 0
    out.push(bytes > 0 ? { tensor: scratch, dtype: 'b8', shape: [bytes], role: 'out' } : 0, 0)
  }
  return out
}

/** Whether a launch of Triton has descriptors that its caller made. */
const descriptorsIn = ({ args }: Said): boolean =>
  Object.values(args ?? []).some((a) => typeof a === 'object' && a.kind === 'tensordesc')

// ---------------------------------------------------------------- arguments

/** The arguments of a launch file in the order of the parameters; null: it says none for this one. */
const ordered = (
  l: Said,
  parameters: ReadonlyArray<EntryParameter>,
): ReadonlyArray<PtxArgument | null> | Failure => {
  const isList = (a: PtxLaunch['args']): a is ReadonlyArray<PtxArgument> => Array.isArray(a)
  const { args } = l
  if (args === undefined) return parameters.map(() => null)
  if (isList(args)) {
    const given = l.num_warps === undefined ? args : lowered(l, args, parameters)
    return 'code' in given || given.length >= parameters.length
      ? given
      : parameters.map((_, i) => given[i] ?? null)
  }
  const names = parameters.map(({ name }) => name)
  const unknown = Object.keys(args).find((name) => !names.includes(name))
  return unknown === undefined
    ? names.map((name) => own(args, name) ?? null)
    : failure(
        'launch.arguments',
        `args: expected a parameter of the entry, found '${unknown}'; ${didYouMean(names)(unknown)}`,
      )
}

/** A refusal of an instruction, at the line of its author; where the text has none, at its place in the file. */
const atAuthor =
  (m: Module, file: string) =>
  (f: Failure): Failure => {
    const [head = '', line = ''] = /^(\d+):\d+: /u.exec(f.message) ?? []
    const place = line === '' ? null : authorOfLine(m, Number(line))
    return place === null
      ? inFile(file)(f)
      : failure(f.code, `${place}: ${f.message.slice(head.length)} (line ${line} of the PTX)`)
  }

// ---------------------------------------------------------------- what is to be computed

const specOf = (
  text: string | undefined,
  where: string,
  wholes: ReadonlyMap<string, Whole>,
  aliases: ReadonlyMap<string, string>,
): E.Either<Failure, Spec | null> => {
  if (text === undefined) return E.right(null)
  const all = [...wholes, ...[...aliases].map(([name, tensor]) => [name, wholes.get(tensor)!] as const)]
  const tensors = new Map(
    all.flatMap(([name, { dtype, shape }]) => {
      const elements = dtypeOf(dtype)
      return elements === null ? [] : [[name, { dtype: elements, shape }] as const]
    }),
  )
  return E.bimap(
    ({ expected, found }: NotComputed) =>
      failure('launch.computes', `${where}: computes: expected ${expected}, found ${found}`),
    (spec: Spec) => renamed(spec, (name) => aliases.get(name) ?? name),
  )(computesOf(text, tensors))
}

const renamed = (spec: Spec, nameOf: (name: string) => string): Spec =>
  spec._tag === 'copy'
    ? { ...spec, from: nameOf(spec.from), out: nameOf(spec.out) }
    : { ...spec, a: nameOf(spec.a), b: nameOf(spec.b), out: nameOf(spec.out) }

/** Tensors that a launch file names. */
const namedElsewhere = (
  given: ReadonlyArray<PtxArgument | null>,
  { globals = [], memory = [] }: Said,
): ReadonlySet<string> =>
  new Set(
    [...given, ...globals, ...memory].flatMap((a) =>
      typeof a !== 'object' || a === null || a.kind === 'scalar'
        ? []
        : a.kind === 'struct'
          ? a.fields.flatMap((f) => (f.kind === 'scalar' ? [] : [f.tensor]))
          : [a.tensor],
    ),
  )

/** `0`, `k_param_0`, `k_param_0+16`: the tensor that is called `x`, `x+16`. */
const aliasesOf = (
  parameters: ReadonlyArray<EntryParameter>,
  called: ReadonlyArray<string>,
  wholes: ReadonlyMap<string, Whole>,
): ReadonlyMap<string, string> =>
  new Map(
    [...wholes.keys()].flatMap((tensor) =>
      parameters.flatMap((p, i) => {
        const name = called[i]!
        const rest = tensor.slice(name.length)
        return tensor.startsWith(name) && /^(\+\d+)?$/u.test(rest)
          ? [p.name, String(i)]
              .map((alias) => [`${alias}${rest}`, tensor] as const)
              .filter(([alias]) => !wholes.has(alias))
          : []
      }),
    ),
  )

/** A tensor with its elements, row-major, for what follows them. */
const withElements = (t: GivenTensor, { dtype, shape }: Whole): GivenTensor => {
  const elements = dtypeOf(dtype)
  const strides = rowMajorStrides(shape)
  const layout = elements === null ? null : ofStrides(shape, bitsOf(elements), strides)
  return elements === null || layout === null || E.isLeft(layout)
    ? t
    : { ...t, elements: { dtype: elements, layout: layout.right, shape, strides } }
}

/** What is given to the parameters, and the files of the tensors that words speak of. */
interface Arguments {
  readonly given: ReadonlyArray<PtxArgument | null>
  /** parameters of which a word speaks */
  readonly worded: ReadonlySet<number>
  readonly files: ReadonlyMap<string, FilesOf>
  readonly outputs: ReadonlyArray<string>
  readonly guessed: ReadonlyArray<string>
}

/** A tensor of addresses, which its kernel reads. */
const holder = (t: PtxTensor, pointers: ReadonlyArray<string>): PtxTensor => ({
  tensor: t.tensor,
  dtype: t.dtype ?? 's64',
  shape: t.shape ?? [pointers.length],
  role: 'in',
  pointers,
})

/** Integers and bits: what counts, locks and flags are made of. */
const isCount = (dtype: string | undefined): boolean => /^[sub]\d/u.test(dtype ?? '')

/** A struct with one more field; one of the same offset goes. */
const withField = (s: PtxArgument | null, bytes: number, field: PtxStruct['fields'][number]): PtxStruct => ({
  kind: 'struct',
  bytes,
  fields: [
    ...(typeof s === 'object' && s?.kind === 'struct'
      ? s.fields.filter((f) => (f.offset ?? 0) !== field.offset)
      : []),
    field,
  ],
})

const withWords = (
  files: Files,
  parameters: ReadonlyArray<EntryParameter>,
  called: ReadonlyArray<string>,
  before: ReadonlyArray<PtxArgument | null>,
  words: ReadonlyArray<readonly [string, string]>,
): E.Either<Failure, Arguments> => {
  const given = [...before]
  const worded = new Set<number>()
  const fresh = new Set<number>()
  const own = new Map<string, FilesOf>()
  const outputs: string[] = []
  const guessed: string[] = []
  const names = parameters.map(({ name }) => name)
  for (const [key, text] of words) {
    const spot = spotOf(parameters, called, key)
    if (spot === null)
      return refuse(
        'bad-flag',
        `--arg: expected a parameter of the entry, ${listed(parameters)}, found '${key}'; ${didYouMean(names)(key)}`,
      )
    const p = parameters[spot.parameter]!
    const name = called[spot.parameter]!
    const word = ptxWord(files)(p, spot.offset, text, name)
    if (E.isLeft(word)) return word
    const { argument, before: from, behind, guess } = word.right
    if (guess) guessed.push(spot.offset === null ? name : `${name}+${String(spot.offset)}`)
    if (spot.offset === null) {
      if (fresh.has(spot.parameter))
        return refuse('bad-flag', `--arg: expected ${p.name} once, found it twice`)
      fresh.add(spot.parameter)
      given[spot.parameter] = argument
    } else
      given[spot.parameter] = withField(given[spot.parameter] ?? null, p.bytes, {
        ...argument,
        offset: spot.offset,
      })
    worded.add(spot.parameter)
    if (argument.kind !== 'scalar') {
      own.set(argument.tensor, {
        before: from,
        behind,
        optional: false,
        seeded: true,
        // a counter, a lock or a flag begins at zero
        zeros: guess && argument.role === 'inout' && isCount(argument.dtype),
      })
      if (argument.role === 'out' || argument.role === 'inout') outputs.push(argument.tensor)
    }
  }
  return E.right({ given, worded, files: own, outputs, guessed })
}

// ---------------------------------------------------------------- what nothing says

/** The parameters, each with its number, its type and its offset. */
const listed = (parameters: ReadonlyArray<EntryParameter>): string =>
  parameters.length === 0
    ? 'which has none'
    : parameters.map((p, i) => `${String(i)} ${p.name}: ${typeText(p)} at ${String(p.offset)}`).join(', ')

/** What nothing says, as options with question marks; arguments by their numbers. */
const asked = (
  name: string,
  parameters: ReadonlyArray<EntryParameter>,
  l: { readonly file: boolean; readonly grid: boolean; readonly block: boolean },
  given: ReadonlyArray<PtxArgument | null>,
): string => {
  const open = parameters.flatMap((_, i) => (given[i] === null ? [i] : []))
  const missing = [
    ...(l.grid ? [] : ['the grid']),
    ...(l.block ? [] : ['the block']),
    ...(open.length === 0 ? [] : [`${open.length === 1 ? 'argument' : 'arguments'} ${open.join(', ')}`]),
  ]
  const words = [
    ...(l.grid ? [] : ['--grid ?']),
    ...(l.block ? [] : ['--block ?']),
    ...(open.length === 0 ? [] : [`--arg ${open.map((i) => `${String(i)}=?`).join(' ')}`]),
  ].join(' ')
  const count = `${String(parameters.length)} argument${parameters.length === 1 ? '' : 's'}`
  return `entry ${shownName(name)}: expected a grid, a block and ${count}${parameters.length === 0 ? '' : ` (${listed(parameters)})`}, ${l.file ? '' : '--launch FILE or '}${words}, found nothing for ${missing.join(', ')}`
}

// ---------------------------------------------------------------- what does not go together

const bytesSaid = ({ dtype, shape }: PtxTensor): number | null =>
  dtype === undefined || shape === undefined ? null : elementBytes(shortName(dtype)) * product(shape)

/** Two arguments that are one tensor, of which they do not say the same. */
const unlike = (args: ReadonlyArray<PtxArgument | null>): Failure | null => {
  const known = new Map<string, number>()
  const all = args.flatMap((a): ReadonlyArray<Exclude<PtxArgument, string | number | boolean>> =>
    typeof a !== 'object' || a === null ? [] : a.kind === 'struct' ? a.fields : [a],
  )
  for (const a of all) {
    if (a.kind !== undefined && a.kind !== 'pointer') continue
    const bytes = bytesSaid(a)
    if (bytes === null) continue
    const before = known.get(a.tensor)
    if (before !== undefined && before !== bytes)
      return failure(
        'launch.tensor',
        `${a.tensor}: expected the same bytes everywhere it is an argument, found ${String(before)} and ${String(bytes)}`,
      )
    known.set(a.tensor, bytes)
  }
  return null
}

/** More threads than the entry allows (`.maxntid`); a launch of them fails. */
const tooMany = (m: Module, entry: string, block: ReadonlyArray<number>): Failure | null => {
  const most = functionsOf(m)
    .find(({ kind, name }) => kind === 'entry' && name === entry)
    ?.directives.find(({ name }) => name === 'maxntid')?.numbers
  return most === undefined || product(block) <= product(most)
    ? null
    : failure(
        'launch.block',
        `block: the entry allows at most ${String(product(most))} threads (.maxntid ${most.join(', ')}), and the launch has ${block.join(' x ')}`,
      )
}

// ---------------------------------------------------------------- all of it

const readLaunch =
  (files: Files) =>
  (launchFile: string): E.Either<Failure, PtxLaunch> =>
    pipe(
      files.read(launchFile)(),
      E.chainW(asText(launchFile)),
      E.chainW(decodePtxLaunch),
      E.mapLeft(inFile(launchFile)),
    )

/** A change of a text, given the entry that is launched and the name of the file. */
export type ChangeOfText = (entry: string, file: string) => (m: Module) => E.Either<Failure, Module>

const unchanged: ChangeOfText = () => (m) => E.right(m)

/** The entry that is meant; of what names none the elaboration says why. */
const meantEntry = (m: Module, said: string | null): string => {
  const entries = functionsOf(m).flatMap(({ kind, name }) => (kind === 'entry' ? [name] : []))
  const found = entryNamed(entries, said)
  return E.isRight(found) ? found.right : (said ?? entries[0] ?? '')
}

/** The module in a file, changed if that is asked, with its launch: a launch file, or what a command line says. */
export const launchedPtx =
  (files: Files, change: ChangeOfText = unchanged) =>
  (file: string, asking: string | AskingPtx): E.Either<Failure, LaunchedPtx> => {
    const name = file.split(/[/\\]/u).pop() ?? file
    const words: AskingPtx = typeof asking === 'string' ? { launch: asking } : asking
    /** of refusals of what no word says */
    const where = words.launch ?? file
    const read = pipe(
      E.Do,
      E.bindW('parsed', () => readPtx(files)(file)),
      E.bindW('said', () =>
        words.launch === undefined ? E.right<Failure, Said>({}) : readLaunch(files)(words.launch),
      ),
      E.bindW('module', ({ parsed, said }) =>
        pipe(
          change(meantEntry(parsed, words.entry ?? said.kernel ?? null), name)(parsed),
          E.mapLeft(inFile(file)),
        ),
      ),
      E.bindW('elaborated', ({ module, said }) =>
        pipe(elaborate(module, words.entry ?? said.kernel ?? null, name), E.mapLeft(atAuthor(module, file))),
      ),
    )
    if (E.isLeft(read)) return read
    const { said, elaborated, module } = read.right
    const { parameters, program } = elaborated
    const ctas = said.num_ctas ?? 1
    if (ctas !== 1 && descriptorsIn(said))
      return refuse(
        'launch.cluster',
        `${where}: num_ctas: expected 1 of a launch with descriptors, for which part of a block a CTA copies is in no PTX; found ${String(ctas)}`,
      )
    const before = ordered(words.grid === undefined ? said : { ...said, grid: words.grid }, parameters)
    if ('code' in before) return E.left(inFile(where)(before))
    if (before.length > parameters.length)
      return refuse(
        'launch.arguments',
        `${where}: expected ${String(parameters.length)} arguments (${listed(parameters)}), found ${String(before.length)}`,
      )
    const called = calledIn(files, file, elaborated, namedElsewhere(before, said))
    const made = withWords(files, parameters, called, before, words.args ?? [])
    if (E.isLeft(made)) return made
    const { given, worded, files: own, outputs: written, guessed } = made.right
    const programs = words.grid ?? said.grid
    const grid = ctas === 1 ? programs : programs?.map((n, axis) => (axis === 0 ? n * ctas : n))
    const block =
      words.block ??
      said.block ??
      program.threads ??
      (said.num_warps === undefined ? null : [32 * said.num_warps])
    if (grid === undefined || block === null || given.includes(null))
      return refuse(
        'launch.arguments',
        `${where}: ${asked(program.name, parameters, { file: words.launch !== undefined, grid: grid !== undefined, block: block !== null }, given)}`,
      )
    const cluster = words.cluster ?? said.cluster ?? (ctas === 1 ? undefined : [ctas])
    const shared = words.shared ?? said.shared
    const launch: PtxLaunch = {
      ...said,
      grid,
      block,
      args: given.flatMap((a) => (a === null ? [] : [a])),
      outputs: [...new Set([...(said.outputs ?? []), ...written])],
      ...(cluster === undefined ? {} : { cluster }),
      ...(shared === undefined ? {} : { shared }),
    }
    const misfit = tooMany(module, program.name, block) ?? unlike(given)
    if (misfit !== null) return E.left(inFile(where)(misfit))
    const laying: Laying = {
      bytes: new Uint8Array(program.parameterBytes),
      pointers: [],
      maps: [],
      tensors: [],
    }
    for (const [i, p] of parameters.entries()) {
      const bad = layArgument(laying, p, given[i]!)
      if (bad !== null) return E.left(inFile(worded.has(i) ? '--arg' : where)(bad))
    }
    for (const g of said.globals ?? []) {
      if (g.kind !== 'tensormap') {
        laying.tensors.push(g)
        continue
      }
      const fields = fieldsOf(g.tensor, g)
      if (!('elements' in fields)) return E.left(inFile(where)(fields))
      const object = objectOf(g.tensor)
      const { symbol } = g
      laying.tensors.push(tensorOf(g))
      laying.tensors.push({
        tensor: object,
        dtype: 'b8',
        shape: [mapBytes],
        role: 'in',
        ...(symbol === undefined ? {} : { symbol }),
      })
      laying.maps.push({ into: object, offset: 0, tensor: g.tensor, fields })
    }
    for (const t of said.memory ?? []) laying.tensors.push(t)
    const holders = together(laying.tensors).flatMap((t) => (t.pointers === undefined ? [] : [t.tensor]))
    for (const t of together(laying.tensors))
      for (const [k, tensor] of (t.pointers ?? []).entries())
        laying.pointers.push({ into: t.tensor, offset: 8 * k, tensor })
    const short = laying.tensors.find(
      (t) => product(t.shape ?? [0]) < (t.shape && t.pointers ? t.pointers.length : 0),
    )
    if (short !== undefined)
      return refuse(
        'launch.tensor',
        `${where}: ${short.tensor}: expected at most ${String(product(short.shape ?? []))} pointers, found ${String(short.pointers?.length)}`,
      )
    const tensors: GivenTensor[] = []
    const seeded = new Map<string, string>()
    const wholes = new Map<string, Whole>()
    const outputs = new Map<
      string,
      { dtype: string; shape: ReadonlyArray<number>; expected: NpyArray | null }
    >()
    const objects = new Set([...laying.maps.flatMap(({ into }) => (into === null ? [] : [into])), ...holders])
    const all = together(laying.tensors).map((t) => (t.pointers === undefined ? t : holder(t, t.pointers)))
    for (const [i, t] of all.entries()) {
      const from = objects.has(t.tensor)
        ? { before: null, behind: null, optional: true, seeded: false }
        : (own.get(t.tensor) ?? filesInLaunch(where, launch, t))
      const held = heldTensor(files, where, launch)(t, from, i)
      if (E.isLeft(held)) return held
      const { whole, expected } = held.right
      wholes.set(t.tensor, whole)
      tensors.push(
        t.tensor === scratch ? Object.assign({ scratch: true as const }, held.right.given) : held.right.given,
      )
      if (held.right.seeded) seeded.set(t.tensor, whole.dtype)
      if (launch.outputs?.includes(t.tensor) === true)
        outputs.set(t.tensor, { dtype: whole.dtype, shape: whole.shape, expected })
    }
    const unknown = launch.outputs?.find((name) => !tensors.some((t) => t.name === name))
    if (unknown !== undefined)
      return refuse(
        'launch.outputs',
        `${where}: outputs: expected a tensor of the arguments, found '${unknown}'; ${didYouMean(all.map((t) => t.tensor))(unknown)}`,
      )
    const aliases = aliasesOf(parameters, called, wholes)
    const computes = specOf(
      words.computes ?? launch.computes,
      words.computes === undefined ? where : '--computes',
      wholes,
      aliases,
    )
    if (E.isLeft(computes)) return computes
    const spec = computes.right
    return E.right({
      module,
      file: name,
      elaborated,
      launch,
      seeded,
      guessed: [
        ...(words.guessed ?? []).map((what) => `${what} ${[launch[what] ?? 0].flat().join(' x ')}`),
        ...guessed,
      ],
      called,
      aliases,
      arguments: {
        grid: launch.grid,
        block,
        cluster: launch.cluster ?? null,
        dynamicBytes: launch.shared ?? 0,
        parameters: laying.bytes,
        pointers: laying.pointers,
        maps: laying.maps,
        tensors: spec === null ? tensors : tensors.map((t) => withElements(t, wholes.get(t.name)!)),
        sharedBase: usualSharedBase,
        ...(spec === null ? {} : { computes: spec }),
      },
      outputs,
    })
  }
