/**
 * The chapters of the library as the page brings them to a worker: `machine/NAME.js`, each loaded once, when it is wanted or likely to be.
 *
 * From a server a text is fetched, and read by workers alone. A page from a folder may not fetch; there a chapter is a classic script, and its
 * text is that of the function which it holds.
 */
import { loadScript } from './script.js'
import { shelf } from './shelf.js'

/** Chapters that every worker begins with, and those that a question of a method on a file with an ending was seen to want (`tools/site.mjs`). */
declare const tcspecChapters: {
  readonly start: ReadonlyArray<string>
  readonly ahead: Readonly<Record<string, ReadonlyArray<string>>>
}

const fileOf = (name: string): string => `machine/${name}.js`

// ---------------------------------------------------------------- texts

const isServed = location.protocol.startsWith('http')

const fetched = async (name: string): Promise<Blob> => {
  const response = await fetch(fileOf(name))
  return response.ok
    ? response.blob()
    : Promise.reject(new Error(`${fileOf(name)}: could not be loaded (${String(response.status)})`))
}

/** Texts of chapters that scripts have held out. */
const held = new Map<string, string>()
const scripted = async (name: string): Promise<Blob> => {
  Object.assign(globalThis, {
    tcspecChapter: (called: string, body: () => void) => {
      held.set(called, `tcspecChapter(${JSON.stringify(called)},${body.toString()})\n`)
    },
  })
  await loadScript(fileOf(name))
  const text = held.get(name)
  return text === undefined
    ? Promise.reject(new Error(`${fileOf(name)}: holds no chapter`))
    : new Blob([text])
}

const loading = new Map<string, Promise<Blob>>()

const textOf = (name: string): Promise<Blob> => {
  const before = loading.get(name)
  if (before !== undefined) return before
  const text = (isServed ? fetched : scripted)(name)
  loading.set(name, text)
  // who asks again tries again
  text.catch(() => loading.delete(name))
  return text
}

export const textsOf = (names: ReadonlyArray<string>): Promise<ReadonlyArray<Blob>> =>
  Promise.all(names.map(textOf))

// ---------------------------------------------------------------- workers

/** A worker with the chapters of the start. */
export const begin = async (): Promise<Worker> => {
  const texts = await textsOf(tcspecChapters.start)
  const parts = [`const open=(${shelf.toString()})();\n`, ...texts, '\nopen("worker")\n']
  const url = URL.createObjectURL(new Blob(parts, { type: 'text/javascript' }))
  const worker = new Worker(url)
  URL.revokeObjectURL(url)
  return worker
}

/** What is asked about: a name of the catalogue, or the ending of a file. */
const kindOf = (params: unknown): string => {
  const kernel = typeof params === 'object' && params !== null && 'kernel' in params ? params.kernel : ''
  if (typeof kernel !== 'string') return 'program'
  return /\.(?:jaxpr\.json|[a-z]+)$/i.exec(kernel)?.[0].toLowerCase() ?? (kernel === '' ? '' : 'name')
}

/** Begins to load what a question is likely to want, and what every one does. */
export const ahead = (method: string, params: unknown): void => {
  const names = tcspecChapters.ahead[`${method} ${kindOf(params)}`] ?? []
  textsOf([...tcspecChapters.start, ...names]).catch(() => undefined)
}
