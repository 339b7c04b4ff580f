/**
 * Where in the author's source an instruction comes from: the line of the kernel's own file, also of what was inlined from a library.
 *
 * Source: PTX ISA, .loc and .file.
 */
import {
  fileOf,
  functionsOf,
  type Instruction,
  type Module,
  type SourceLocation,
  type Statement,
} from '../text/module.js'

interface Source {
  readonly file: number
  readonly line: number
  readonly column: number
}

/**
 * Number of the file that a function's own lines are in (-1: none is known), and where every line of the text was inlined.
 *
 * A line of a library may be inlined at several: its caller is the one that the text has named last.
 */
export interface Sources {
  readonly module: Module
  /** name of the text itself */
  readonly file: string
  /** by a line that was inlined the one that called it, as far as the text is read */
  readonly inlined: Map<string, Source>
  /** the lines that a line was inlined into, innermost first */
  readonly callers: Map<SourceLocation, ReadonlyArray<Source>>
  author: number
}

const showSource = ({ file, line, column }: Source): string =>
  `${String(file)}:${String(line)}:${String(column)}`

/** Deepest chain of functions that were inlined into one another. */
const deepest = 32

export const sources = (module: Module, file: string): Sources => ({
  module,
  file,
  inlined: new Map(),
  callers: new Map(),
  author: -1,
})

const locate = (s: Sources, at: SourceLocation): void => {
  if (at.inlined === null) {
    if (s.author < 0) s.author = at.file
    return
  }
  s.inlined.set(showSource(at), at.inlined.at)
  const callers: Source[] = []
  for (
    let caller: Source | undefined = at.inlined.at;
    caller !== undefined && callers.length < deepest;
    caller = s.inlined.get(showSource(caller))
  )
    callers.push(caller)
  s.callers.set(at, callers)
}

/** What a body says of its lines. */
export const readLines = (s: Sources, body: ReadonlyArray<Statement>): void => {
  for (const one of body)
    if (one._tag === 'loc') locate(s, one.location)
    else if (one._tag === 'scope') readLines(s, one.body)
}

/** The line of an instruction, and those that it was inlined into. */
const chainOf = (s: Sources, i: Instruction): ReadonlyArray<Source> =>
  i.location === null ? [] : [i.location, ...(s.callers.get(i.location) ?? [])]

/** The line of the author: of what was inlined from another file, the line that called it; null: the text does not say. */
const authorOf = (s: Sources, i: Instruction): Source | null => {
  const chain = chainOf(s, i)
  return chain.find(({ file }) => file === s.author) ?? chain[chain.length - 1] ?? null
}

/** `kernel.cu:31` and the column; of a text without lines of its source, the line of the text. */
export const sourceOf = (s: Sources, i: Instruction): { readonly line: string; readonly column: number } => {
  const from = authorOf(s, i)
  const path = from === null ? null : fileOf(s.module, from.file)
  return path === null || from === null
    ? { line: `${s.file}:${String(i.at.line)}`, column: i.at.column }
    : { line: `${path.split('/').pop() ?? path}:${String(from.line)}`, column: from.column }
}

/** The lines of an instruction and of the calls that were inlined around it, innermost first: `kernel.cu:11`, `kernel.cu:40`. */
export const placesOf = (s: Sources, i: Instruction): ReadonlyArray<string> => {
  const out: string[] = []
  for (const at of chainOf(s, i)) {
    const path = fileOf(s.module, at.file)
    if (path !== null) out.push(`${path.split('/').pop() ?? path}:${String(at.line)}`)
  }
  return out
}

/** Where the line of the author was inlined into other functions of the same file, innermost first; none where it stands in the kernel itself. */
export const callersOf = (s: Sources, i: Instruction): ReadonlyArray<string> => {
  const chain = chainOf(s, i)
  const own = chain.findIndex(({ file }) => file === s.author)
  const path = fileOf(s.module, s.author)
  const name = path?.split('/').pop() ?? path
  return own < 0 || name === null || name === undefined
    ? []
    : chain.slice(own + 1).flatMap(({ file, line }) => (file === s.author ? [`${name}:${String(line)}`] : []))
}

const instructionAt = (body: ReadonlyArray<Statement>, line: number): Instruction | null => {
  for (const one of body) {
    if (one._tag === 'instruction' && one.at.line === line) return one
    const inner = one._tag === 'scope' ? instructionAt(one.body, line) : null
    if (inner !== null) return inner
  }
  return null
}

/** What is said of the instruction in a line of the text, by the lines of its function; null: there is none there. */
const ofLine =
  <A>(say: (s: Sources, i: Instruction) => A | null) =>
  (module: Module, line: number): A | null => {
    for (const { body } of functionsOf(module)) {
      const i = instructionAt(body ?? [], line)
      if (i === null || i.location === null) continue
      const s = sources(module, '')
      readLines(s, body ?? [])
      return say(s, i)
    }
    return null
  }

/** The line of the author that an instruction of this line of the text comes from; null: there is none, or the text does not say. */
export const authorOfLine: (module: Module, line: number) => string | null = ofLine(
  (s, i) => sourceOf(s, i).line,
)

/** Where the author calls the function that this line of the text was inlined from (`callersOf`). */
export const callersOfLine = (module: Module, line: number): ReadonlyArray<string> =>
  ofLine(callersOf)(module, line) ?? []

/** What findings call an instruction: its line of the source, its opcode, and its line of the text, by which it is one of several. */
export const siteLabel = (place: string, opcode: string, line: number): string =>
  `${place} ${opcode} (line ${String(line)})`
