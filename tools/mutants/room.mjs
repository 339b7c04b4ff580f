/**
 * What a room is: its sources, the mutants that can be made of them, and which of its proofs are near.
 *
 * `settings/mutants/rooms.json` names the rooms: the sources of each, and the proofs that judge them first, those of the room and what else is quick
 * and comes through it.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { createInstrumenter } from '@stryker-mutator/instrumenter'

export const rooms = JSON.parse(readFileSync('settings/mutants/rooms.json', 'utf8'))

/** Files of a folder and of those in it. */
export const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
  )

/** The sources of a room: what lies in one of its folders, without the doors, which only name what others say. */
export const sourcesOf = ({ source }) =>
  source
    .flatMap(filesIn)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('/index.ts'))
    .sort()

/** `a/{b,c}/*.ts` as regular expressions. */
const patternsOf = (text) => {
  const braces = /^(.*?)\{(.*?)\}(.*)$/u.exec(text)
  if (braces !== null) {
    const [, before, words, after] = braces
    return words.split(',').flatMap((word) => patternsOf(`${before}${word}${after}`))
  }
  const written = text
    .split('**/')
    .map((part) => part.replaceAll('.', '\\.').replaceAll('*', '[^/]*'))
    .join('(?:.*/)?')
  return [new RegExp(`^${written}$`, 'u')]
}

/** Is a proof one of those that judge a room first? */
export const isNear = (room) => {
  const [some, none] = [rooms[room].proofs, rooms[room].without ?? []].map((all) => all.flatMap(patternsOf))
  return (proof) => some.some((p) => p.test(proof)) && !none.some((p) => p.test(proof))
}

// texts are left alone: what a message says is no meaning
export const excludedMutations = ['StringLiteral']

const silent = { isDebugEnabled: () => false, debug: () => {}, info: () => {}, warn: () => {} }
const injector = { provideValue: () => injector, injectClass: (Class) => new Class(silent) }

/** Files with mutants in them, and these: `{ name, content, mutate }`, where `mutate` is true or a list of places. */
export const instrumented = async (files) => {
  const { files: written, mutants } = await createInstrumenter(injector).instrument(files, {
    plugins: null,
    ignorers: [],
    excludedMutations,
  })
  return { files: written, mutants: mutants.filter(({ status }) => status !== 'Ignored') }
}

/** What a mutant is, whatever its number. */
export const keyOf = ({ fileName, location: { start, end }, mutatorName, replacement }) =>
  JSON.stringify([fileName, start.line, start.column, end.line, end.column, mutatorName, replacement])

/** Mulberry32. */
const randomOf = (from) => {
  let state = from >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** So many mutants of a room, each as likely as any other; and how many there are. */
export const drawnFrom = async (room, count, seed) => {
  const { mutants } = await instrumented(
    sourcesOf(rooms[room]).map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true })),
  )
  const random = randomOf(seed)
  const drawn = mutants
    .map((mutant) => ({ mutant, key: random() }))
    .sort((x, y) => x.key - y.key)
    .slice(0, count)
    .map(({ mutant: { fileName, location, mutatorName, replacement } }, rank) => ({
      room,
      rank,
      fileName,
      location,
      mutatorName,
      replacement,
    }))
  return { all: mutants.length, drawn }
}

/** Where a place is in a text. */
const offsetOf = (text, { line, column }) => {
  let at = 0
  for (let k = 0; k < line; k++) at = text.indexOf('\n', at) + 1
  return at + column
}

/** The text of a file with a mutant in it. */
export const changed = (text, { location: { start, end }, replacement }) =>
  text.slice(0, offsetOf(text, start)) + replacement + text.slice(offsetOf(text, end))

/** A mutant as a line: where it is, what stands there, and what instead. */
export const lineOf = (m) => {
  const { start, end } = m.location
  const lines = readFileSync(m.fileName, 'utf8')
    .split('\n')
    .slice(start.line, end.line + 1)
  const was = lines
    .map((line, i) =>
      line.slice(i === 0 ? start.column : 0, i === lines.length - 1 ? end.column : undefined).trim(),
    )
    .join(' ')
  const short = (text) => (text.length > 160 ? `${text.slice(0, 157)}...` : text)
  return `${m.fileName}:${start.line + 1}:${start.column}  ${short(was)}  ->  ${short(m.replacement.replaceAll(/\s+/gu, ' '))}`
}
