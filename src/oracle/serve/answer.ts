/**
 * An answer: from a method and the params of a request to the text of a document, or a refusal.
 *
 * A function that keeps nothing: what it loads are modules, and two requests that say the same have the same answer (but for measured times).
 *
 * Laws
 *  1. every request has an answer: nothing is thrown
 *  2. the document is the one that the command prints with `--json`; `files`, `printed` and `notice` stand beside its members where there are such
 *  3. an answer is no longer than the limit
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { didYouMean } from '../../nearest.js'
import type { Json } from '../../wire.js'
import type { Listed, Report, World } from '../cli/command.js'
import { outputsFit } from '../cli/outputs.js'
import { printableJson, printablePlain } from '../cli/printable.js'
import type { Files } from '../tensor-files/files.js'
import type { ListedSuite } from '../vectors/index.js'
import { filesOf, givenBack } from './content.js'
import { aboutItself, askPrefix, methodOf, paramsSchema, served, type Method } from './methods.js'
import { refusal, refusedBy, type Refusal } from './refusal.js'

/** The text of a result. */
export type Answer = E.Either<Refusal, string>

/** How far a request has come: of what, how many of how many. */
export interface Progress {
  readonly what: string
  readonly done: number
  readonly of: number
}

export interface Answering {
  readonly commands: ReadonlyArray<Listed>
  readonly suites: ReadonlyArray<ListedSuite>
  /** what a command may touch, but for files and progress, which are the request's */
  readonly world: Omit<World, 'files' | 'progress'>
  /** files behind those that requests bring */
  readonly behind: Files['read'] | null
  /** bytes of a result */
  readonly mostBytes: number
}

export type Answers = (
  method: string,
  params: unknown,
  progress: ((at: Progress) => void) | null,
) => Promise<Answer>

// ---------------------------------------------------------------- methods

export const methodNames = (suites: ReadonlyArray<ListedSuite>): ReadonlyArray<string> => [
  ...served.map(({ command }) => command),
  ...aboutItself,
  ...suites.map(({ name }) => `${askPrefix}${name}`),
]

/** The methods that ask commands. */
export const methodsOf = async (commands: ReadonlyArray<Listed>): Promise<ReadonlyArray<Method>> =>
  Promise.all(
    served.flatMap((one) => {
      const listed = commands.find((c) => c.name === one.command)
      return listed === undefined
        ? []
        : [listed.load().then((command) => methodOf(one, listed.description, command))]
    }),
  )

const methodsDocument = async (asked: Answering): Promise<unknown> => ({
  schema: 'tcspec.methods/1',
  methods: [
    ...(await methodsOf(asked.commands)).map((m) => ({
      name: m.name,
      says: m.says,
      params: paramsSchema(m),
      result: m.documents,
    })),
    ...aboutItself.map((name) => ({
      name,
      says:
        name === 'methods' ? 'the methods and their params' : 'versions of the package and of its runtime',
      params: { type: 'object', additionalProperties: false },
      result: [`tcspec.${name}/1`],
    })),
    ...(await Promise.all(
      asked.suites.map(async ({ name, load }) => {
        const suite = await load()
        return {
          name: `${askPrefix}${name}`,
          says: suite.title,
          params: paramsSchema({ params: suite.question }),
          result: [],
        }
      }),
    )),
  ],
})

// ---------------------------------------------------------------- a document as text

const tooLarge = (most: number): Refusal =>
  refusal('too-large', `result: expected at most ${String(most)} bytes, found more`)

/** Whether a text has no more than so many bytes in UTF-8, where a character has one to three. */
const fits = (text: string, most: number): boolean =>
  text.length * 3 <= most || (text.length <= most && new TextEncoder().encode(text).length <= most)

/** A text has an end, and its JSON may be longer than a text can be. */
const textOf = (document: unknown, most: number): Answer =>
  pipe(
    E.tryCatch(
      () => printableJson(JSON.stringify(document)),
      () => tooLarge(most),
    ),
    E.filterOrElse(
      (text) => fits(text, most),
      () => tooLarge(most),
    ),
  )

const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> => typeof u === 'object' && u !== null

/** The document, and what was asked for beside it. */
const withBeside = (report: Report, printed: boolean): unknown => {
  const document = report.json()
  const files = report.files ?? []
  if (!isRecord(document) || (files.length === 0 && !printed && report.notice === undefined)) return document
  return {
    ...document,
    ...(files.length === 0 ? {} : { files: givenBack(files) }),
    ...(printed ? { printed: printablePlain(report.text()) } : {}),
    ...(report.notice === undefined ? {} : { notice: report.notice }),
  }
}

// ---------------------------------------------------------------- answers

const paramsOf = (params: unknown): unknown => params ?? {}

export const answering = (asked: Answering): Answers => {
  const { commands, suites, world, behind, mostBytes } = asked
  const known = new Map<string, Promise<readonly [Method, Listed]>>()
  /** A method, made once: what it reads of a request does not change. */
  const methodNamed = (name: string): Promise<readonly [Method, Listed]> | null => {
    const before = known.get(name)
    if (before !== undefined) return before
    const one = served.find(({ command }) => command === name)
    const listed = commands.find((c) => c.name === name)
    if (one === undefined || listed === undefined) return null
    const made = listed
      .load()
      .then((command) => [methodOf(one, listed.description, command), listed] as const)
    known.set(name, made)
    return made
  }

  const ofCommand = async (
    method: Method,
    listed: Listed,
    params: unknown,
    progress: Parameters<Answers>[2],
  ): Promise<Answer> => {
    const question = method.question(paramsOf(params))
    if (E.isLeft(question)) {
      const { code, message } = question.left
      return E.left(
        code === 'params' ? refusal('params', `${method.name}: ${message}`) : refusedBy(question.left),
      )
    }
    const { operands, options, files, printed } = question.right
    const own = filesOf(files, behind)
    const command = await listed.load()
    const fit = outputsFit(own, operands, command.outputs?.(options) ?? [])
    if (E.isLeft(fit)) return E.left(refusedBy(fit.left))
    const report = await command.run({
      ...world,
      files: own,
      progress: (what) => ({
        update: (done, of) => progress?.({ what, done, of }),
        stop: () => undefined,
      }),
    })(operands, options)()
    return pipe(
      report,
      E.mapLeft(refusedBy),
      E.chain((found) => textOf(withBeside(found, printed), mostBytes)),
    )
  }

  const ofSuite = async (name: string, params: unknown): Promise<Answer | null> => {
    const listed = suites.find((s) => s.name === name)
    if (listed === undefined) return null
    const suite = await listed.load()
    return pipe(
      suite.ask(paramsOf(params)),
      E.mapLeft(refusedBy),
      E.chain((answer: Json) => textOf(answer, mostBytes)),
    )
  }

  const nothing = (name: string, params: unknown): E.Either<Refusal, null> =>
    isRecord(paramsOf(params)) && Object.keys(paramsOf(params) ?? {}).length === 0
      ? E.right(null)
      : E.left(refusal('params', `${name}: expected no params, found some`))

  const answer = async (name: string, params: unknown, progress: Parameters<Answers>[2]): Promise<Answer> => {
    if (name === 'methods' || name === 'version') {
      const none = nothing(name, params)
      if (E.isLeft(none)) return none
      return textOf(
        name === 'methods'
          ? await methodsDocument(asked)
          : {
              schema: 'tcspec.version/1',
              version: world.version,
              ...(world.node === undefined ? {} : { node: world.node }),
            },
        mostBytes,
      )
    }
    if (name.startsWith(askPrefix)) {
      const answered = await ofSuite(name.slice(askPrefix.length), params)
      if (answered !== null) return answered
    }
    const made = await methodNamed(name)
    return made === null ? E.left(noMethod(name, suites)) : ofCommand(...made, params, progress)
  }

  return async (name, params, progress) => {
    try {
      return await answer(name, params, progress)
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error)
      return E.left(refusal('bug', `this is a bug in tensorcore-spec: ${what}`))
    }
  }
}

export const noMethod = (name: string, suites: ReadonlyArray<ListedSuite>): Refusal => {
  const names = methodNames(suites)
  return refusal(
    'method',
    `expected a method (${names.join(', ')}), found '${name.slice(0, 100)}'; ${didYouMean(names)(name.slice(0, 100))}`,
  )
}
