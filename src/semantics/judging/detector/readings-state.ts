/**
 * What is remembered of strong accesses so that it can be asked what else they may find: per word its accesses, and reads that later writes may still reach; of the run what
 * else was possible.
 *
 * The rules over it are `readings.ts`'s.
 */
import type { Ahead, LaterStore, OtherReading } from '../finding.js'
import type { Stamp } from '../../log/events.js'
import type { Reach } from '../../log/reach.js'

// ---------------------------------------------------------------- of a word

/** A write of a word, or a strong read: how many writes before the last one it took. */
export interface Touch {
  readonly rw: 'r' | 'w'
  readonly stamp: Stamp
  readonly back: number
}

/** A strong read, while no one who knows it has come to its word. */
export interface OpenRead {
  readonly stamp: Stamp
  readonly bytes: number
  /** it decides what its thread does from this site on; null: it only gives what memory holds */
  readonly controls: number | null
  /** how far it is strong, and of how many bits */
  readonly by: { readonly agent: number; readonly reach: Reach; readonly width: number }
  /** how far its thread acquires what it hears by it: at once, or at a fence since; 0: not at all */
  acquires: Reach
}

// ---------------------------------------------------------------- of a run

export interface Readings {
  readonly reads: Map<string, OtherReading[]>
  readonly stores: Map<string, LaterStore[]>
  readonly ahead: Map<string, Ahead[]>
  /** words that are read for control, or by atomics of which something comes: in which order these are written is meant */
  readonly controlled: Set<string>
  /** the first read that decides and may take an older value in some schedule */
  stale: Stamp | null
  /** open reads by agent, which have not acquired */
  readonly hearing: Map<number, OpenRead[]>
}
export const noReadings = (): Readings => ({
  reads: new Map(),
  stores: new Map(),
  ahead: new Map(),
  controlled: new Set(),
  stale: null,
  hearing: new Map(),
})
