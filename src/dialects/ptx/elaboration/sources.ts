/**
 * Where in the author's source an instruction comes from: the line of the kernel's own file, also of what was inlined from a library.
 *
 * Source: PTX ISA, .loc and .file.
 */
import { fileOf, type Instruction, type Module, type SourceLocation, type Statement } from '../text/module.js'

interface Source {
  readonly file: number
  readonly line: number
  readonly column: number
}

/** Number of the file that a function's own lines are in (-1: none is known), and by a line that was inlined the one that called it. */
export interface Sources {
  readonly module: Module
  /** name of the text itself */
  readonly file: string
  readonly inlined: Map<string, Source>
  author: number
}

const showSource = ({ file, line, column }: Source): string =>
  `${String(file)}:${String(line)}:${String(column)}`

export const sources = (module: Module, file: string): Sources => ({
  module,
  file,
  inlined: new Map(),
  author: -1,
})

const locate = (s: Sources, at: SourceLocation): void => {
  if (at.inlined !== null) s.inlined.set(showSource(at), at.inlined.at)
  else if (s.author < 0) s.author = at.file
}

/** What a body says of its lines. */
export const readLines = (s: Sources, body: ReadonlyArray<Statement>): void => {
  for (const one of body)
    if (one._tag === 'loc') locate(s, one.location)
    else if (one._tag === 'scope') readLines(s, one.body)
}

/** Deepest chain of functions that were inlined into one another. */
const deepest = 32

/** The line of the author: of what was inlined from another file, the line that called it; null: the text does not say. */
const authorOf = (s: Sources, i: Instruction): Source | null => {
  let at: Source | null = i.location
  let caller: Source | null = i.location?.inlined?.at ?? null
  for (let depth = 0; depth < deepest && at !== null && at.file !== s.author && caller !== null; depth++) {
    at = caller
    caller = s.inlined.get(showSource(at)) ?? null
  }
  return at
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
  let at: Source | null = i.location
  let caller: Source | null = i.location?.inlined?.at ?? null
  for (let depth = 0; depth < deepest && at !== null; depth++) {
    const path = fileOf(s.module, at.file)
    if (path !== null) out.push(`${path.split('/').pop() ?? path}:${String(at.line)}`)
    at = caller
    caller = at === null ? null : (s.inlined.get(showSource(at)) ?? null)
  }
  return out
}

/** What findings call an instruction: its line of the source, its opcode, and its line of the text, by which it is one of several. */
export const siteLabel = (place: string, opcode: string, line: number): string =>
  `${place} ${opcode} (line ${String(line)})`
