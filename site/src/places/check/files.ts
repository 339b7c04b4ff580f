/**
 * What is dropped, chosen or pasted: several files at once, each for what its name says it is, or a line that says why not.
 *
 * | file                       | is                                                                  |
 * |----------------------------|---------------------------------------------------------------------|
 * | `.ttgir`, `.ptx`           | the module                                                          |
 * | `.json`, `.jaxpr.json`     | a program, a kernel as JAX traced it; a launch; a verdict           |
 * | `.jsonl`                   | a trace                                                             |
 * | `.py`, `.cu`, `.cuh`, `.h` | lines of an author                                                  |
 * | `k.ptx`, `k.json`, with `k.ttgir` | the PTX of the module, and what its compiler says of a launch   |
 * | `.npy`                     | extents of a tensor beside a launch; beside PTX its elements, too   |
 */
import { isMembers } from '../../machine/members.js'
import { npyShape } from './launch.js'
import { nameOf } from './subject.js'

/** Characters of a text that is taken: what a worker can read with patience. */
export const mostCharacters = 16_000_000

export interface Taken {
  /** what is to be checked; null: nothing of these */
  readonly subject: { readonly name: string; readonly text: string } | null
  readonly beside: Readonly<Record<string, string>>
  readonly launch: unknown
  readonly shapes: ReadonlyMap<string, ReadonlyArray<number>>
  /** whole files of tensors, by their names */
  readonly tensors: ReadonlyMap<string, Uint8Array>
  /** a line for each that is not taken */
  readonly refused: ReadonlyArray<string>
}

const count = (n: number): string => n.toLocaleString('en')

/** Why a text is no text; null: it is one. */
export const textRefusal = (name: string, text: string): string | null =>
  text.length > mostCharacters
    ? `${name}: expected at most ${count(mostCharacters)} characters, found ${count(text.length)}`
    : text.trim() === ''
      ? `${name}: expected text, found nothing`
      : // a text has no such byte, and not every third letter is one that is none
        text.slice(0, 4096).includes('\u0000') || tooManyUnknown(text.slice(0, 4096))
        ? `${name}: expected text, found binary data`
        : null

const tooManyUnknown = (head: string): boolean => (head.match(/\ufffd/g)?.length ?? 0) * 8 > head.length

const isLaunch = (text: string): boolean =>
  text.length < 1_000_000 && /"grid"\s*:/.test(text) && /"args"\s*:/.test(text)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const known = '.ttgir, .ptx, .json, .jaxpr.json, .jsonl, .py, .cu or .npy'

/** Endings of what an author wrote. */
const authored: ReadonlyArray<string> = ['.py', '.cu', '.cuh', '.h', '.hpp', '.cpp']

interface Given {
  readonly name: string
  /** bytes of an npy file, the text of any other; null: it is too long to be read */
  readonly text: string | null
  readonly bytes: Uint8Array | null
  readonly size: number
}

export const taken = (files: ReadonlyArray<Given>): Taken => {
  let subject: Taken['subject'] = null
  let launch: unknown = null
  const beside: Record<string, string> = {}
  const shapes = new Map<string, ReadonlyArray<number>>()
  const tensors = new Map<string, Uint8Array>()
  const refused: string[] = []
  const modules = new Set(
    files.flatMap(({ name }) => (/\.ttgir$/i.test(name) ? [name.replace(/\.ttgir$/i, '')] : [])),
  )
  /** what Triton keeps in the folder of a module: its PTX, and what the compiler says of a launch */
  const isOfModule = (name: string): boolean => modules.has(name.replace(/\.(?:ptx|json)$/i, ''))
  for (const { name, text, bytes, size } of files) {
    const ending = /\.[^.]*$/.exec(name.toLowerCase())?.[0] ?? ''
    if (bytes !== null) {
      const shape = npyShape(bytes)
      if (shape === null) refused.push(`${name}: expected an npy file, found something else`)
      else {
        shapes.set(name.replace(/\.npy$/i, ''), shape)
        if (bytes.length >= size) tensors.set(name, bytes)
      }
      continue
    }
    if (text === null) {
      refused.push(`${name}: expected at most ${count(mostCharacters)} bytes, found ${count(size)}`)
      continue
    }
    const wrong = textRefusal(name, text)
    if (wrong !== null) refused.push(wrong)
    else if (authored.includes(ending)) beside[name] = text
    else if (ending === '.ptx' && isOfModule(name)) beside[name] = text
    else if (ending === '.ttgir' || ending === '.ptx' || ending === '.jsonl') subject = { name, text }
    else if (ending === '.json') {
      const document = isLaunch(text) ? parsed(text) : null
      if (isMembers(document)) launch = document
      else if (isOfModule(name)) beside[name] = text
      else subject = { name, text }
    } else if (ending === '.mlir' || ending === '.txt' || ending === '') {
      const called = nameOf(text)
      subject = {
        name: ending === '' ? called : `${name.slice(0, -ending.length)}${/\..*$/.exec(called)?.[0] ?? ''}`,
        text,
      }
    } else refused.push(`${name}: expected ${known}, found a different file`)
  }
  return { subject, beside, launch, shapes, tensors, refused }
}

/** Files of a drop or a chooser, read. What is too long is not read at all. */
export const readFiles = async (files: ReadonlyArray<File>): Promise<Taken> => {
  const hasPtx = files.some(({ name }) => /\.ptx$/i.test(name))
  return taken(
    await Promise.all(
      files.slice(0, 64).map(async (file): Promise<Given> => {
        const isNpy = file.name.toLowerCase().endsWith('.npy')
        const part = isNpy && (!hasPtx || file.size > mostCharacters) ? file.slice(0, 256) : file
        return {
          name: file.name,
          size: file.size,
          bytes: isNpy ? new Uint8Array(await part.arrayBuffer()) : null,
          text: isNpy || file.size > mostCharacters ? null : await part.text(),
        }
      }),
    ),
  )
}
