/**
 * Words of memory, as strong accesses see them: which words an access names, which write of each it takes, and whether it observes that write.
 *
 * A word is remembered from the first strong write on. A read may take an older write than the last one, so a word keeps what it was after each of its last writes
 * (`past`), counted from the end: `back` 0 is the last write.
 *
 *     store w 1 (release, .gpu)   store w 2 (release, .cta)      past: [1, 2]
 *     a load of another CTA with back 0 takes 2 and observes nothing: it is outside of the scope .cta
 *     the same load with back 1 takes 1 and observes it
 *
 * Observing is a relation of two accesses and not of values: each is in the other's scope, and both are equally wide. The parts that say what a reader inherits
 * (`strong-heard.ts`), what it finds (`strong-found.ts`) and what it waits for (`strong-waits.ts`) all rest on this one relation, so it is defined once.
 *
 * Laws
 * 1. Who reads a word after something that is not strong has written it observes nothing; patterns that have begun are not over.
 * 2. Nothing is remembered of a word of which nothing was released and nothing was heard.
 */
import { addressesIn, type Access } from '../../log/events.js'
import { bitsOf } from '../../../numerics/dtype.js'
import { farTo, type Context } from './context.js'
import { countOf } from '../../log/lane-mask.js'
import type { Detector } from './state.js'
import { keyOfWord, wordsOf } from './words.js'
import type { Last, Past, Told, Word } from './strong-state.js'

// ---------------------------------------------------------------- words

export const wordAt = (d: Detector, plane: number, byte: number): Word => {
  const key = keyOfWord(plane, byte)
  const found = d.strong.words.get(key)
  if (found !== undefined) return found
  const made: Word = {
    told: [],
    last: null,
    released: new Map(),
    heard: new Map(),
    past: [],
    touches: [],
    open: [],
    left: [],
    writers: [],
    found: [],
    asked: [],
    passed: [],
    signed: [],
    written: 0,
    reached: [],
  }
  d.strong.words.set(key, made)
  d.strong.planes.add(plane)
  return made
}

/** Of an agent to itself: it is in its own CTA. */
export const distance = (c: Context, x: number, y: number): 1 | 2 | 3 =>
  farTo(c, c.header.agents[x]!.cta, c.header.agents[y]!.cta)

/** Something that is not strong has written it: who reads it now observes nothing. Patterns that have begun are not over. */
export const forgetWord = (d: Detector, key: string): void => {
  const w = d.strong.words.get(key)
  if (w === undefined) return
  if (w.passed.length > 0) d.strong.readings.unsteady.add(key)
  if (w.asked.length > 0) d.strong.readings.overtaken.add(key)
  if (w.released.size === 0 && w.heard.size === 0) {
    d.strong.words.delete(key)
    return
  }
  w.told = []
  w.last = null
  w.past.length = 0
  w.touches.length = 0
  w.open = []
  w.left = []
  w.writers = []
  w.found = []
  w.passed = []
  w.asked = []
  w.signed = []
  w.reached = []
}

/** A write by an operation, through whatever proxy: no strong access of an agent is morally strong with it. */
export const overwritten = (d: Detector, e: Access): void => {
  if (e.rw === 'w' && d.strong.planes.has(e.footprint.plane))
    for (const byte of wordsOf(e.footprint)) forgetWord(d, keyOfWord(e.footprint.plane, byte))
}

/** Bits of one scalar. */
export const widthOf = (e: Pick<Access, 'footprint' | 'words'>): number =>
  (e.words ?? 1) * bitsOf(e.footprint.dtype)

/** Are a write and what comes to its word next morally strong: each in the other's scope, and equally wide? */
export const isObserved = (d: Detector, last: Last | null, by: Last): boolean =>
  last !== null &&
  (d.context.options.rules.anyWordScope ||
    (last.width === by.width && Math.min(last.reach, by.reach) >= distance(d.context, by.agent, last.agent)))

export const joins = (e: Access): boolean => e.combine !== undefined

/** Writes of a word that a read may still take, at least: of those before them it is forgotten what they told. */
export const mostPast = 64

/** Before the first write of a word. */
export const never: Past = { told: [], writers: [], found: new Map(), last: null }

/** A word as it was so many writes before the last. */
export const pastOf = (w: Word, back: number): Pick<Past, 'told' | 'writers' | 'last'> =>
  back <= 0 ? w : (w.past[w.past.length - 1 - back] ?? never)

export const toldTo = (w: Word | undefined, back: number): ReadonlyArray<Told> =>
  w === undefined ? never.told : pastOf(w, back).told

/** The words that an access names, and how many writes before the last of each it takes, or lies under. */
export const takenBy = (e: Access): ReadonlyArray<readonly [byte: number, back: number]> => {
  const { older } = e
  if (older === undefined || e.footprint.map._tag !== 'scatter')
    return wordsOf(e.footprint).map((byte) => [byte, 0])
  return [...addressesIn(e.footprint.map)].flatMap((byte, i) =>
    byte < 0 ? [] : [[byte, older[i] ?? 0] as const],
  )
}

/** Which words of a read that controls only come into memory, of so many in all. */
export const onlyShown = (
  { shows, stamp, words = 1 }: Access,
  count: number,
): ((word: number) => boolean) => {
  if (shows === undefined) return () => false
  const each = stamp.lanes === undefined || stamp.whole === true ? count : count / countOf(stamp.lanes)
  return (word) => shows.includes(Math.floor((word % each) / words))
}
