/**
 * Methods: what can be asked of `tcspec serve`, and what a request of it says.
 *
 * The methods are the commands of the command line that have a document, under their names, and `ask/SUITE` for every suite of the vectors. What a
 * request may say is what the command declares, and nothing else: its operands and options by their names, in camel case. So there is one declaration
 * of each, and a new option can be asked for as soon as it is there.
 *
 *     tcspec layout WGMMA --shape 64x16               layout {"layout": "WGMMA", "shape": [64, 16]}
 *     tcspec check k.json --set m=64 --without wgmma  check  {"kernel": {...}, "set": {"m": 64}, "without": ["wgmma"]}
 *     tcspec run k --in a:bf16=a.npy --out c=c.npy    run    {"kernel": "k", "in": {"a": {"dtype": "bf16", ...}}, "out": ["c"]}
 *
 * The form of a value follows from what the command line calls it:
 *
 * | called                                          | form                                                              |
 * |-------------------------------------------------|-------------------------------------------------------------------|
 * | `n`, `events`, `count`, ...                     | a number                                                          |
 * | `extents`, `x,y,z`, `coordinates`, ...          | a list of numbers, or the word                                    |
 * | `file` that is read, `layout`, `kernel`, ...    | a word, or what the file would hold (`content.ts`)                |
 * | `file` that is written                          | the name under which the answer has it                            |
 * | `name=value`, `name=file`                       | an object                                                         |
 * | any other                                       | a word                                                            |
 *
 * Every method takes `files` (what names of files stand for), `printed` (the text of the command line beside the document) and `progress`.
 *
 * Laws
 *  1. a request and the command line that it spells have one answer: the same document
 *  2. what a request says and its method does not know is refused, with what is known
 *  3. what decodes satisfies the published schema (`schemas/requests.schema.json`)
 */
import { Command, type Argument, type Option } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import {
  bool,
  decode,
  define,
  described,
  dictionary,
  either,
  fields,
  finite,
  integer,
  list,
  nat,
  nothing,
  oneOf,
  record,
  text,
  type AnyWire,
  type Json,
  type Wire,
} from '../../wire.js'
import type { CliCommand, Options } from '../cli/command.js'
import { tensorDtypes, type TensorDtype } from '../tensor-files/tensor.js'
import { broughtBy, endingOf, fileWire, wordOrContent, type Brought, type Content } from './content.js'
import { own } from '../../own.js'

// ---------------------------------------------------------------- which

export interface Served {
  readonly command: string
  /** schemas of its documents */
  readonly documents: ReadonlyArray<string>
  /** its answer may take seconds and more: it is given where no quick question waits for it */
  readonly long: boolean
}

/** Commands that can be asked for, in the order in which they are listed. */
export const served: ReadonlyArray<Served> = [
  {
    command: 'layout',
    documents: [
      'tcspec.layout/1',
      'tcspec.layout-check/1',
      'tcspec.layout-names/1',
      'tcspec.layout-words/1',
      'tcspec.written/1',
    ],
    long: false,
  },
  { command: 'transform', documents: ['tcspec.transform/1', 'tcspec.written/1'], long: false },
  { command: 'image', documents: ['tcspec.image/1', 'tcspec.written/1'], long: false },
  { command: 'linear', documents: ['tcspec.linear/1', 'tcspec.written/1'], long: false },
  { command: 'cute', documents: ['tcspec.cute/1', 'tcspec.written/1'], long: false },
  {
    command: 'tmem',
    documents: ['tcspec.tmem/1', 'tcspec.tmem-map/1', 'tcspec.written/1'],
    long: false,
  },
  { command: 'banks', documents: ['tcspec.banks/1', 'tcspec.written/1'], long: false },
  { command: 'tiling', documents: ['tcspec.tiling/1', 'tcspec.written/1'], long: false },
  {
    command: 'litmus',
    documents: ['tcspec.litmus/1', 'tcspec.litmus-answer/1', 'tcspec.written/1'],
    long: false,
  },
  { command: 'kernels', documents: ['tcspec.kernels/1', 'tcspec.signature/1'], long: false },
  { command: 'mma', documents: ['tcspec.mma/1'], long: true },
  { command: 'compare', documents: ['tcspec.comparison/1'], long: true },
  { command: 'check', documents: ['tcspec.verdict/2', 'tcspec.host-verdict/1'], long: true },
  { command: 'run', documents: ['tcspec.verdict/2', 'tcspec.host-verdict/1'], long: true },
  {
    command: 'trace',
    documents: ['tcspec.events/1', 'tcspec.timeline/1', 'tcspec.written/1'],
    long: true,
  },
  {
    command: 'time',
    documents: ['tcspec.time/1', 'tcspec.chip/1', 'tcspec.timeline/1', 'tcspec.written/1'],
    long: true,
  },
  { command: 'view', documents: ['tcspec.recording/1', 'tcspec.values/1', 'tcspec.written/1'], long: true },
  { command: 'mutate', documents: ['tcspec.mutation/1'], long: true },
]

/** Of the suites of the vectors. */
export const askPrefix = 'ask/'
/** What speaks of the process itself. */
export const aboutItself = ['methods', 'version'] as const

/** Whether an answer may take long. */
export const isLong = (method: string): boolean =>
  served.some(({ command, long }) => command === method && long)

// ---------------------------------------------------------------- forms of values

/** A value of a request as words of the command line, and the files that it brings. */
interface Spelled {
  readonly words: ReadonlyArray<string>
  readonly files: ReadonlyArray<readonly [file: string, held: Brought]>
}

interface Form {
  readonly wire: AnyWire
  readonly spell: (value: unknown, name: string) => E.Either<Failure, Spelled>
}

const words = (...said: ReadonlyArray<string>): E.Either<Failure, Spelled> =>
  E.right({ words: said, files: [] })

/** A form whose value is one word. */
const oneWord = (wire: AnyWire, spell: (value: unknown) => string): Form => ({
  wire,
  spell: (value) => words(spell(value)),
})

const word: Form = oneWord(text, String)

const numberWire: Wire<number | string> = either('a number', finite, text)
const number: Form = oneWord(numberWire, String)

/** `null` is what the command line writes `-`: an inactive lane. */
const numbersWire: Wire<number | string | ReadonlyArray<number | null>> = either(
  'a list of integers, or a word such as 64x16',
  list(either<number, null>('an integer or null', integer, nothing)),
  numberWire,
)
const numbers: Form = oneWord(numbersWire, (value) =>
  Array.isArray(value) ? value.map((n) => (n === null ? '-' : String(n))).join(',') : String(value),
)

/** The word, or what is brought in its place, in a file of this name. */
const spellContent = (
  value: unknown,
  name: string,
): E.Either<Failure, Spelled & { readonly held: Brought | null }> =>
  typeof value !== 'object' || value === null
    ? E.right({ words: [String(value)], files: [], held: null })
    : pipe(
        broughtBy(value),
        E.bimap(
          (f) => failure(f.code, `${name}: ${f.message}`),
          (held) => {
            const file = `${name}.${endingOf(held)}`
            return { words: [file], files: [[file, held] as const], held }
          },
        ),
      )

const content: Form = {
  wire: either<string | Content, number>('a name, or an inline object', wordOrContent, finite),
  spell: spellContent,
}

/** `dtype=file`, as `compare` takes a file whose element type its bytes do not say. */
const tensorWord: Form = {
  wire: wordOrContent,
  spell: (value, name) =>
    pipe(
      spellContent(value, name),
      E.map(({ words: said, files, held }) => ({
        words: held?._tag === 'tensor' ? said.map((file) => `${held.tensor.dtype}=${file}`) : said,
        files,
      })),
    ),
}

const all = (spelled: ReadonlyArray<Spelled>): Spelled => ({
  words: spelled.flatMap((s) => s.words),
  files: spelled.flatMap((s) => s.files),
})

const eachOf =
  (spell: (value: unknown, key: string) => E.Either<Failure, Spelled>) =>
  (values: unknown): E.Either<Failure, Spelled> =>
    pipe(
      Object.entries(values ?? {}),
      E.traverseArray(([key, value]) => spell(value, key)),
      E.map(all),
    )

const listOf = ({ wire, spell }: Form): Form => ({
  wire: list(wire),
  spell: (values, name) => eachOf((value, k) => spell(value, `${name}.${k}`))(values),
})

/** `--set name=value ...` */
const settings: Form = {
  wire: dictionary(
    'settings by name',
    either<number | string, boolean>('a number, true, false or a word', numberWire, bool),
  ),
  spell: eachOf((value, key) => words(`${key}=${String(value)}`)),
}

/** `--in name=file ...` */
const tensorsByName: Form = {
  wire: dictionary('tensors by name', wordOrContent),
  spell: (values, name) =>
    eachOf((value, key) =>
      pipe(
        spellContent(value, `${name}.${key}`),
        E.map(({ words: [file = ''], files, held }) => ({
          words: [held?._tag === 'tensor' ? `${key}:${held.tensor.dtype}=${file}` : `${key}=${file}`],
          files,
        })),
      ),
    )(values),
}

/** An argument of a launch: a number, a word, a tensor that is brought, or one that has no elements yet. */
interface Extents {
  readonly dtype: TensorDtype
  readonly shape: ReadonlyArray<number>
  readonly role?: 'in' | 'out' | 'inout'
}
const extents: Wire<Extents> = define('Extents', () =>
  record<Extents>()(
    'a tensor without its elements',
    { dtype: described(oneOf(...tensorDtypes), 'element type'), shape: described(list(nat), 'extents') },
    { role: described(oneOf('in', 'out', 'inout'), 'what the kernel does with it') },
  ),
)

const launchArguments: Form = {
  wire: dictionary(
    'arguments by the name of the parameter',
    either<number | boolean | Extents, string | Content>(
      'a number, a word or a tensor',
      either<number | boolean, Extents>(
        'a number, or a tensor without its elements',
        either<number, boolean>('a number', finite, bool),
        extents,
      ),
      wordOrContent,
    ),
  ),
  spell: (values, name) =>
    eachOf((value, key) => {
      if (extents.codec.is(value))
        return words(
          `${key}=${value.dtype}[${value.shape.join(',')}]${value.role === undefined ? '' : `:${value.role}`}`,
        )
      return pipe(
        spellContent(value, `${name}.${key}`),
        E.map(({ words: [said = ''], files }) => ({ words: [`${key}=${said}`], files })),
      )
    })(values),
}

/** `--out name=file ...`: without a file, `NAME.npy`; `*`: of every output. */
const outputs: Form = {
  wire: list(text),
  spell: (values) =>
    pipe(
      eachOf((value) => words(String(value)))(values),
      E.map(({ words: said, files }) => ({
        words: said.map((one) =>
          one === '*' || one.includes('=') ? one : `${one}=${one.replace(/:.*$/s, '')}.npy`,
        ),
        files,
      })),
    ),
}

/** By what the command line calls a value: `--shape <extents>`, `<kernel>`. */
const forms: Readonly<Record<string, Form>> = {
  n: number,
  events: number,
  count: number,
  address: number,
  dim: number,
  extents: numbers,
  'x,y,z': numbers,
  coordinates: numbers,
  steps: numbers,
  bytes: numbers,
  MxNxK: numbers,
  'name=value': settings,
  'name=file': tensorsByName,
  layout: content,
  file: content,
  kernel: content,
  test: content,
  words: content,
  layouts: content,
  got: tensorWord,
  expected: tensorWord,
}

/** Options whose file is written. */
const written: ReadonlyArray<string> = [
  'output',
  'record',
  'trace',
  'timeline',
  'svg',
  'write',
  'acceptWrite',
]

// ---------------------------------------------------------------- what a command declares

interface Param {
  readonly name: string
  readonly says: string
  readonly required: boolean
  readonly form: Form
  /** of an option: what the command reads; null for an operand */
  readonly option: Option | null
}

const toggle: Form = { wire: bool, spell: () => words() }

const formOf = (option: Option): Form => {
  const called = /[<[](.*?)(\.\.\.)?[>\]]/.exec(option.flags)?.[1]
  const name = option.attributeName()
  if (called === undefined) return toggle
  if (name === 'out') return outputs
  if (name === 'arg') return launchArguments
  if (written.includes(name)) return word
  const form = own(forms, called) ?? word
  // pairs are an object however many there are
  return (option.variadic && !called.includes('=')) || option.parseArg !== undefined ? listOf(form) : form
}

const ofOption = (option: Option): Param => ({
  name: option.attributeName(),
  says: option.description,
  required: false,
  form: formOf(option),
  option,
})

const ofOperand = (argument: Argument): Param => {
  const form = own(forms, argument.name()) ?? word
  return {
    name: argument.name(),
    says: argument.description,
    required: argument.required,
    form: argument.variadic ? listOf(form) : form,
    option: null,
  }
}

/** That a document is printed, and which form of an answer, is no question. */
const notAsked: ReadonlyArray<string> = ['json']

/** A method: what a request of it says, and the question that this is. */
export interface Method {
  readonly name: string
  readonly says: string
  readonly documents: ReadonlyArray<string>
  readonly params: AnyWire
  readonly question: (params: unknown) => E.Either<Failure<'params'> | Failure, Question>
}

export interface Question {
  readonly operands: ReadonlyArray<string>
  readonly options: Options
  readonly files: ReadonlyMap<string, Brought>
  /** the text for people is wanted, too */
  readonly printed: boolean
}

const common: ReadonlyArray<readonly [name: string, form: AnyWire]> = [
  [
    'files',
    described(dictionary('files by name', fileWire), 'contents of files with these names, for this request'),
  ],
  ['printed', described(bool, 'also return the text that the command line prints, as `printed`')],
  ['progress', described(bool, 'report progress: `$/progress` with the id of the request')],
]
/** What every method takes. */
export const commonParams: ReadonlyArray<string> = common.map(([name]) => name)

const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> => typeof u === 'object' && u !== null

/** What a command reads where nothing is said, and in the place of words what was said. */
const optionOf = ({ option, form }: Param, value: unknown, spelled: Spelled): unknown => {
  if (option === null) return undefined
  if (form === toggle) return value
  return option.variadic || option.parseArg !== undefined ? spelled.words : spelled.words[0]
}

const broughtFiles = (given: unknown): E.Either<Failure, ReadonlyArray<readonly [string, Brought]>> =>
  pipe(
    Object.entries(given ?? {}),
    E.traverseArray(([name, value]: readonly [string, unknown]) =>
      typeof value === 'string'
        ? E.right([name, { _tag: 'text', text: value, ending: '' }] as const)
        : pipe(
            broughtBy(value),
            E.bimap(
              (f) => failure(f.code, `${name}: ${f.message}`),
              (held) => [name, held] as const,
            ),
          ),
    ),
  )

/** The method that asks a command. */
export const methodOf = (
  { command: name, documents }: Served,
  description: string,
  command: CliCommand,
): Method => {
  const declared = command.define(new Command(name))
  // of `--x` with `--no-x` one param says both, and where it is not said neither is
  const isSaidBy = (o: Option): boolean =>
    o.negate && declared.options.some((p) => p !== o && p.attributeName() === o.attributeName())
  const options = declared.options.filter((o) => !isSaidBy(o))
  const params: ReadonlyArray<Param> = [
    ...declared.registeredArguments.map(ofOperand),
    ...options.map(ofOption).filter((p) => !notAsked.includes(p.name)),
  ]
  const entries = (required: boolean): ReadonlyArray<readonly [string, AnyWire]> =>
    params.filter((p) => p.required === required).map((p) => [p.name, described(p.form.wire, p.says)])
  const wire: Wire<Readonly<Record<string, unknown>>> = fields(
    `the params of ${name}`,
    new Map(entries(true)),
    new Map([...entries(false), ...common]),
  )
  const standing = Object.fromEntries(
    options.flatMap((o) =>
      o.negate
        ? [[o.attributeName(), true]]
        : o.defaultValue === undefined
          ? []
          : [[o.attributeName(), o.defaultValue]],
    ),
  )
  const names = [...params.map((p) => p.name), ...commonParams]
  /** A param that there is none of may be another, misspelt. */
  const meant =
    (said: unknown) =>
    (f: Failure<'params'>): Failure<'params'> => {
      const isObject = isRecord(said) && !Array.isArray(said)
      const unknown = isObject ? Object.keys(said).find((key) => !names.includes(key)) : undefined
      return unknown === undefined ? f : failure(f.code, `${f.message}; ${didYouMean(names)(unknown)}`)
    }
  const question: Method['question'] = (said) =>
    pipe(
      decode(wire, 'params')(said),
      E.mapLeft(meant(said)),
      E.bindTo('values'),
      E.bindW('brought', ({ values }) => broughtFiles(values['files'])),
      E.bindW('spelled', ({ values }) =>
        pipe(
          params.filter((p) => own(values, p.name) !== undefined),
          E.traverseArray((p) =>
            pipe(
              p.form.spell(own(values, p.name), p.name),
              E.map((spelled) => ({ p, spelled })),
            ),
          ),
        ),
      ),
      E.chainW(({ values, brought, spelled }) => {
        const operands = spelled.filter(({ p }) => p.option === null).flatMap((s) => s.spelled.words)
        const empty = declared.registeredArguments.find(
          (a) => a.required && a.variadic && operands.length === 0,
        )
        if (empty !== undefined)
          return refuse('params', `$.${empty.name()}: expected one or more, found an empty list`)
        const printed = values['printed'] === true
        if (printed && (values['format'] === 'json' || values['format'] === 'jsonl'))
          return refuse(
            'params',
            `$.printed: expected no format whose text is data, found ${values['format']}`,
          )
        return E.right({
          operands,
          options: {
            ...standing,
            ...Object.fromEntries(
              spelled
                .filter(({ p }) => p.option !== null)
                .map(({ p, spelled: s }) => [p.name, optionOf(p, own(values, p.name), s)]),
            ),
            // else what is printed would be the document
            json: !printed,
          },
          files: new Map([...brought, ...spelled.flatMap((s) => s.spelled.files)]),
          printed,
        })
      }),
    )
  return { name, says: description, documents, params: wire, question }
}

// ---------------------------------------------------------------- the list

/** The params of a request as JSON Schema, for the list of methods. */
export const paramsSchema = ({ params }: Pick<Method, 'params'>): Json => ({
  ...(isRecord(params.schema) && !Array.isArray(params.schema) ? params.schema : {}),
  $defs: Object.fromEntries([...params.definitions(new Set())].sort(([a], [b]) => (a < b ? -1 : 1))),
})
