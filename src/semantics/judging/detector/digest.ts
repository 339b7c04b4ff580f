/**
 * The digest of a run: what each agent did and observed, not when.
 *
 * Two lanes of 32 bits. The events of an agent are hashed in program order; the stages of asynchronous operations,
 * whose order among agents is a matter of timing, are hashed alone and added. A wait hashes the generation that it observed, an
 * arrive and a signal the generation that they joined. Runs with the same digest did the same things with the same generations.
 *
 * Laws
 * 1. Exchanging two neighbours of the log that belong to different agents or operations changes nothing.
 * 2. Exchanging two events of one agent, or changing a generation, changes it (up to collisions of 2^-64).
 *
 * Source: FNV-1a; the finaliser is MurmurHash3's.
 */
import type { Spans } from '../../log/events.js'

export interface Digest {
  readonly low: Uint32Array
  readonly high: Uint32Array
  totalLow: number
  totalHigh: number
}

const seedLow = 0x811c9dc5
const seedHigh = 0x9e3779b9

export const digest = (agents: number): Digest => ({
  low: new Uint32Array(agents).fill(seedLow),
  high: new Uint32Array(agents).fill(seedHigh),
  totalLow: 0,
  totalHigh: 0,
})

const step = (h: number, word: number): number => Math.imul(h ^ word, 0x01000193) ^ (h >>> 15)

const finish = (h: number): number => {
  let x = h
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/** Appends to an agent's sequence. */
export const ofAgent = (d: Digest, agent: number, a: number, b: number, c: number, e: number): void => {
  d.low[agent] = step(step(step(step(d.low[agent]!, a), b), c), e)
  d.high[agent] = step(step(step(step(d.high[agent]!, e ^ 0x5bd1), c), b), a)
}

/** Adds what stands in no sequence: `instance` numbers the agent's operations. */
export const ofOperation = (
  d: Digest,
  agent: number,
  instance: number,
  a: number,
  b: number,
  c: number,
): void => {
  d.totalLow = (d.totalLow + finish(step(step(step(step(step(seedLow, agent), instance), a), b), c))) >>> 0
  d.totalHigh = (d.totalHigh + finish(step(step(step(step(step(seedHigh, c), b), a), instance), agent))) >>> 0
}

/** Closes the sequences of a cluster. */
export const closeCluster = (d: Digest, cluster: number): void => {
  for (let x = 0; x < d.low.length; x++) {
    d.totalLow = (d.totalLow + finish(step(step(d.low[x]!, cluster), x))) >>> 0
    d.totalHigh = (d.totalHigh + finish(step(step(d.high[x]!, x), cluster))) >>> 0
    d.low[x] = seedLow
    d.high[x] = seedHigh
  }
}

const hex = (x: number): string => (x >>> 0).toString(16).padStart(8, '0')

export const show = (d: Digest): string => hex(d.totalHigh) + hex(d.totalLow)

const names = new Map<string, number>()
/** Hash of a unit, a kind, a scope: of its letters, not of its place in a list. */
export const ofName = (name: string): number => {
  const known = names.get(name)
  if (known !== undefined) return known
  let h = seedLow
  for (let i = 0; i < name.length; i++) h = step(h, name.charCodeAt(i))
  const made = finish(h)
  names.set(name, made)
  return made
}

const lists = new WeakMap<Int32Array, number>()
const ofList = (list: Int32Array): number => {
  const known = lists.get(list)
  if (known !== undefined) return known
  let h = seedLow
  for (const byte of list) h = step(h, byte)
  lists.set(list, h)
  return h
}

/** Hash of a footprint by content, its list and by how much it is moved: ids depend on the schedule. */
export const ofSpans = (plane: number, { list, by }: Spans): number =>
  finish(step(step(ofList(list), by), plane))
