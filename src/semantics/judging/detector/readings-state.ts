/**
 * What is remembered of strong accesses so that it can be asked what else they may find: per word its accesses, and reads that later writes may still reach; of the run what
 * else was possible.
 *
 * The rules over it are `readings.ts`'s.
 */
import type { Ahead, LaterStore, OtherReading } from '../finding.js'
import type { Stamp } from '../../log/events.js'
import type { Reach } from '../../log/reach.js'
import type { Knowledge } from './knowledge.js'

// ---------------------------------------------------------------- of a word

/** A write of a word, or a strong read of it: it stands right behind the write that it took. */
export interface Touch {
  readonly rw: 'r' | 'w'
  readonly stamp: Stamp
  /** of an atomic: it has read the write before it, so nothing comes between the two */
  readonly joined: Joined | null
}
/** An atomic. `blind`: it leaves its own whatever it has found, and nothing comes of that; it is as good as a store, but for what it hears. */
export interface Joined {
  readonly blind: boolean
  readonly heard: Heard
  /** what it finds decides what its thread does from this site on; null: it only shows, or nothing comes of it */
  readonly controls: number | null
  /** a sum of words of which nothing comes but what it leaves */
  readonly sums: boolean
  /** an exchange: what it has found, where that only gives what memory holds */
  readonly shows: OpenRead | null
}

/** What a strong read has heard: how far its thread takes it over, at once, or since then at a fence or an acquire of the word. Of each reach from 1 on, at which of its events; as many as it reaches far, none: not at all. */
export interface Heard {
  readonly since: number[]
}
/** A strong read, while no one who knows it has come to its word. */
export interface OpenRead {
  readonly stamp: Stamp
  readonly bytes: number
  /** it decides what its thread does from this site on; null: it only gives what memory holds */
  readonly controls: number | null
  /** how far it is strong, and of how many bits */
  readonly by: { readonly agent: number; readonly reach: Reach; readonly width: number }
  readonly heard: Heard
}

/** What a write tells an agent that is so far away, if that takes over so far. */
export interface Message {
  readonly reach: Reach
  readonly far: Reach
  readonly knowledge: Knowledge
}
/** A write that comes after a read in the log, and that it may take: what the reader would have heard. */
export interface Rumour {
  readonly one: OtherReading
  readonly heard: Heard
  readonly messages: ReadonlyArray<Message>
}

// ---------------------------------------------------------------- of a run

/** An event of another agent that was found, directly or through others, and at which event of the agent that found it. */
export interface Sighting {
  readonly event: Stamp
  readonly at: number
}

export interface Readings {
  readonly reads: Map<string, OtherReading[]>
  readonly stores: Map<string, LaterStore[]>
  readonly ahead: Map<string, Ahead[]>
  /** words that are read for control, or by atomics of which something comes: in which order these are written is meant */
  readonly controlled: Set<string>
  /** the first read that decides and may take an older value in some schedule */
  stale: Stamp | null
  /** a read has taken a write that was over for it: no execution is like that */
  over: boolean
  /** by agent: what it has heard and not taken over as far as it goes */
  readonly hearing: Map<number, Heard[]>
  /** atomics, and writes of their word that come behind them in every schedule that was followed, and not in every execution */
  behind: { readonly atomic: Stamp; readonly write: Stamp } | null
  /** by agent: of what later writes it may have heard */
  readonly rumours: Map<number, Rumour[]>
  /** readings that no execution has: behind them, their reader took what is over for who has heard that */
  readonly refuted: Set<OtherReading>
  /** words of which some write lies under writes that were there before it */
  readonly under: Set<string>
  /** words that some read has asked which a later write does not know */
  readonly overtaken: Set<string>
  /** words that a wait was for which would not be over behind a write that may come before it */
  readonly unsteady: Set<string>
}
export const noReadings = (): Readings => ({
  reads: new Map(),
  stores: new Map(),
  ahead: new Map(),
  controlled: new Set(),
  stale: null,
  over: false,
  hearing: new Map(),
  behind: null,
  rumours: new Map(),
  refuted: new Set(),
  under: new Set(),
  overtaken: new Set(),
  unsteady: new Set(),
})
