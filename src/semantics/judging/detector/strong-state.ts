/**
 * What is remembered of strong accesses: per word what was told through it, what was left there and who waited; per agent what it knew at its fences of
 * memory, and what it has read and not yet taken over; and who has found which writes of a word.
 *
 *     A: write x, fence, store f 1 (relaxed)        fenced A, told f
 *     B: load f (relaxed)                           pending B
 *     B: fence                                      B knows what A knew at its fence
 *
 * The rules over it are `strong.ts`'s.
 *
 * Law 1. Of the writes of a word only those are kept that some running agent does not know.
 */
import type { Comparison, Stamp } from '../../log/events.js'
import type { Reach } from '../../log/reach.js'
import type { Knowledge, Together } from './knowledge.js'
import { noReadings, type OpenRead, type Readings, type Sighting, type Touch } from './readings-state.js'

// ---------------------------------------------------------------- model

/** What was told through a word, by whom, and how far. `sequential`: by a fence.sc, perhaps of others; only a fence.sc takes it over. */
export interface Told {
  readonly agent: number
  /** of a warp: by which of its lanes; 0: the agent acts as one */
  readonly lanes: number
  readonly reach: Reach
  readonly knowledge: Knowledge
  readonly sequential: boolean
}
/** A wait that is over: of the word it has asked this. */
export interface Passed {
  readonly stamp: Stamp
  readonly until: Comparison
  readonly value: number
}
/** A wait that is over, behind so many writes of the word. */
export interface Reached {
  readonly stamp: Stamp
  readonly written: number
  /** of one of which nothing comes but that it is over: what it has asked, of what, and the writes that it did not know; null: another */
  readonly asks: {
    readonly until: Comparison
    readonly value: number
    readonly before: number
    readonly needs: ReadonlyArray<Left>
  } | null
  /** what writes that came later have added that do not know of it; NaN: they did something else */
  readonly more: number
}
/** A write: what it left, what was there before, and whether its agent knew all earlier ones. */
export interface Left {
  readonly stamp: Stamp
  /** how many writes of the word have come before it */
  readonly nth: number
  readonly before: number
  readonly after: number
  readonly adds: boolean
  readonly knewAll: boolean
}
/** An atomic of whose finding the sign is used: at least this was there, and so much more may have been. */
export interface Signed {
  readonly stamp: Stamp
  /** how many writes of the word have come before it */
  readonly nth: number
  readonly low: number
  readonly more: number
}
/** Where lanes have found the writes of a word: of each writer up to which of its events. */
export interface Found {
  readonly stamp: Stamp
  readonly writers: ReadonlyArray<Writer>
}
/** The last write of lanes. */
export interface Writer {
  readonly stamp: Stamp
}
/** The last write of a word: who made it, how far it is strong, and of how many bits. Only a read that is morally strong with it observes it. */
export interface Last {
  readonly agent: number
  readonly reach: Reach
  readonly width: number
}
/** What lanes have told by releases of a word: their later stores of it tell it, too. */
export interface Released {
  readonly width: number
  readonly told: Told
}
/** What lanes have heard by reads of a word that do not acquire: an access of it that acquires takes it over. `awaited`: by a wait. */
export interface Unacquired {
  readonly lanes: number
  readonly width: number
  readonly awaited: boolean
  readonly told: ReadonlyArray<Told>
}
/** A word behind one of its writes: what was told through it then, and who had written it. */
export interface Past {
  readonly told: ReadonlyArray<Told>
  readonly writers: ReadonlyArray<Writer>
  readonly found: ReadonlyMap<number, Sighting>
  readonly last: Last | null
}
export interface Word {
  told: ReadonlyArray<Told>
  /** null: nothing strong has written it since something else has */
  last: Last | null
  /** by agent */
  readonly released: Map<number, ReadonlyArray<Released>>
  readonly heard: Map<number, ReadonlyArray<Unacquired>>
  /** behind each of its last writes, the newest last: a read may take an older one */
  readonly past: Past[]
  /** its strong accesses, the newest last */
  readonly touches: Touch[]
  open: ReadonlyArray<OpenRead>
  left: Left[]
  /** who has written it since the last store, and of the agent of that store whom its lane knew */
  writers: ReadonlyArray<Writer>
  found: Found[]
  /** the last read by each of its lanes that decides something */
  asked: ReadonlyArray<Stamp>
  /** the last wait of each of its lanes that asked the same of it */
  passed: ReadonlyArray<Passed>
  /** atomics of whose finding the sign is used, which some running agent does not know */
  signed: ReadonlyArray<Signed>
  /** how many writes there were */
  written: number
  /** waits that are over, which some running agent does not know */
  reached: ReadonlyArray<Reached>
}
/**
 * What lanes of a warp knew at their last fence. They tell it themselves: a lane that has met them since has not fenced. `sequential`: at a fence.sc, and those that have met
 * them since hand it on.
 */
export interface Fenced {
  readonly lanes: number
  readonly knowledge: Knowledge
  /** how far each of them knew the others then; null: it was handed on to them */
  readonly together: Together | null
  readonly sequential: boolean
}
/** What lanes have read and not yet taken over. */
export interface Pending {
  readonly lanes: number
  readonly knowledge: Knowledge
  /** of what a fence.sc told: the next fence.sc takes it over, also of who has met them since */
  readonly sequential: boolean
}
/** What those who come to a barrier hand on, by reach. */
export interface Handed {
  readonly fenced: Map<Reach, Knowledge>
  readonly pending: Map<Reach, Knowledge>
  readonly awaited: Map<Reach, Knowledge>
  /** what fences have shown to them */
  shown: Knowledge | null
}
export const handed = (): Handed => ({
  fenced: new Map(),
  pending: new Map(),
  awaited: new Map(),
  shown: null,
})

/** What fences have shown to lanes. */
export interface Shown {
  readonly lanes: number
  readonly knowledge: Knowledge
}

export interface Strong {
  /** by plane and byte */
  readonly words: Map<string, Word>
  readonly planes: Set<number>
  /** by agent and scope: what it knew at its last fence */
  readonly fenced: Map<number, ReadonlyArray<Fenced>>
  /** by agent and distance of who told it: what its next fence takes over */
  readonly pending: Map<number, ReadonlyArray<Pending>>
  /** the same of what it has waited for */
  readonly awaited: Map<number, ReadonlyArray<Pending>>
  /** by barrier of a CTA and generation */
  readonly handed: Map<string, Handed>
  /** what else reads may take, and which stores are in no order */
  readonly readings: Readings
  /** by agent: of each other one the last of its events that has been found, directly or through others, in order or not */
  readonly found: Map<number, ReadonlyMap<number, Sighting>>
  /** by cluster and agent: the last times that it has come to a barrier, the newest first */
  readonly came: Map<number, Map<number, ReadonlyArray<Stamp>>>
  /** the event of the last atomic of which something comes that it has found; -1: of that of the last nothing does */
  decided: number
  /** the same of the last of which more comes than what memory holds */
  controlling: number
  /** from which site on it decides what its thread does */
  branch: number | null
  /** the event of the last atomic of whose finding the sign is used; -1: that of the last is not */
  signs: number
  /** a fence.sc was executed */
  sequential: boolean
  /** by agent and scope: what it knew at its last fence.sc, and what those before it had shown to it */
  readonly inOrder: Map<number, Knowledge>
  /** the same of the last of those that reach every agent: it comes after all others of them */
  widest: Knowledge | null
  /** by agent: what the fence.sc before those of its lanes have shown to them, in the order that all of them are in; no read may take what that says is over */
  readonly shown: Map<number, ReadonlyArray<Shown>>
}

export const strongState = (): Strong => ({
  words: new Map(),
  planes: new Set(),
  fenced: new Map(),
  pending: new Map(),
  awaited: new Map(),
  handed: new Map(),
  readings: noReadings(),
  found: new Map(),
  came: new Map(),
  decided: -1,
  controlling: -1,
  branch: null,
  signs: -1,
  sequential: false,
  inOrder: new Map(),
  widest: null,
  shown: new Map(),
})

export const forgetStrong = (s: Strong): void => {
  s.words.clear()
  s.planes.clear()
  s.fenced.clear()
  s.pending.clear()
  s.awaited.clear()
  s.handed.clear()
  s.decided = -1
  s.controlling = -1
  s.branch = null
  s.signs = -1
  s.sequential = false
  s.inOrder.clear()
  s.widest = null
  s.found.clear()
  s.came.clear()
  s.readings.hearing.clear()
  s.shown.clear()
}
