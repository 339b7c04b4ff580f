/**
 * The lanes of a warp among themselves: shuffles, votes, matches, reductions, elections.
 *
 * They are done by the lanes of a mask together. A lane that another one reads from and that is not there gives nothing that is known.
 *
 * | by hand, lanes 0..3 hold 5 6 5 7                     |                                    |
 * |------------------------------------------------------|------------------------------------|
 * | shfl.up by 1, clamp 0                                | 5 5 6 5, in range in lanes 1..3    |
 * | vote.ballot of `> 5`                                 | 0b1010 in all                      |
 * | match.any                                            | 0b0101 0b0010 0b0101 0b1000        |
 * | redux.add                                            | 23 in all                          |
 *
 * Laws
 * 1. `shfl.bfly` by the same number twice is the identity.
 * 2. `match.any` is an equivalence: lanes with one word have one mask, and are in it.
 * 3. `vote.all` is not `vote.any` of the negation.
 *
 * Source: PTX ISA, shfl.sync, vote.sync, match.sync, redux.sync, elect.sync, activemask.
 */
import { unreachable } from '../../failure.js'
import { extremeWord, scalarOperation } from '../../numerics/scalar/index.js'
import { electedOf, type Election } from '../machine/election.js'
import { absentAt, setAbsent } from './absent.js'
import type { Operation } from './program.js'
import {
  countOf,
  everyLane,
  everyLaneInOrder,
  forget,
  holding,
  lowest,
  setLane,
  setLanes,
  setPredicate,
  wordAt,
  type Rows,
} from './rows.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

/** The lane that a lane reads from, and if it is in range; the lane itself if not. */
export const sourceLane = (
  mode: Of<'shuffle'>['mode'],
  lane: number,
  by: number,
  clamp: number,
): { readonly lane: number; readonly inRange: boolean } => {
  const b = by & 31
  const segment = (clamp >>> 8) & 31
  const last = (lane & segment) | (clamp & 31 & ~segment)
  const first = lane & segment
  const from =
    mode === 'up'
      ? lane - b
      : mode === 'down'
        ? lane + b
        : mode === 'bfly'
          ? lane ^ b
          : first | (b & ~segment & 31)
  const inRange = mode === 'up' ? from >= last : from <= last
  return { lane: inRange ? from : lane, inRange }
}

/** Where all lanes read from if they ask alike: the lane, and 32 more if it is in range. */
const sources = new Map<number, Uint8Array>()
const modes: ReadonlyArray<Of<'shuffle'>['mode']> = ['up', 'down', 'bfly', 'idx']

const sourcesOf = (mode: Of<'shuffle'>['mode'], by: number, clamp: number): Uint8Array => {
  // no other bits matter
  const key = (modes.indexOf(mode) * 32 + (by & 31)) * 8192 + (clamp & 0x1f1f)
  const known = sources.get(key)
  if (known !== undefined) return known
  const made = Uint8Array.from(everyLaneInOrder, (lane) => packed(sourceLane(mode, lane, by, clamp)))
  sources.set(key, made)
  return made
}
const packed = (from: ReturnType<typeof sourceLane>): number => from.lane + (from.inRange ? 32 : 0)

const found = new Int32Array(32)

export const shuffle = (r: Rows, o: Of<'shuffle'>, mask: number): void => {
  const alike =
    r.uniform[o.lane] === 1 && r.uniform[o.clamp] === 1
      ? sourcesOf(o.mode, wordAt(r, o.lane, 0), wordAt(r, o.clamp, 0))
      : null
  const lost = ~mask | r.unknown[o.value]!
  let reached = 0
  const gone = ~mask | absentAt(r, o.value)
  let unknown = 0
  let absent = 0
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    const from =
      alike === null
        ? packed(sourceLane(o.mode, lane, wordAt(r, o.lane, lane), wordAt(r, o.clamp, lane)))
        : alike[lane]!
    if (from >= 32) reached |= 1 << lane
    found[lane] = wordAt(r, o.value, from & 31)
    if ((lost & (1 << (from & 31))) !== 0) unknown |= 1 << lane
    if ((gone & (1 << (from & 31))) !== 0) absent |= 1 << lane
  }
  const controls = (r.unknown[o.lane]! | r.unknown[o.clamp]!) & mask
  if (o.to !== null) {
    if (mask === everyLane) setLanes(r, o.to, found, 0)
    else for (let m = mask; m !== 0; m &= m - 1) setLane(r, o.to, lowest(m), found[lowest(m)]!)
    forget(r, o.to, unknown | controls)
    setAbsent(r, o.to, mask, absent)
  }
  if (o.inRange !== null) setPredicate(r, o.inRange, mask, reached, controls)
}

/** A word for every lane of the mask; those of `unknown` have none. */
const giveAll = (r: Rows, to: number, mask: number, word: number, unknown: number): void => {
  for (let m = mask; m !== 0; m &= m - 1) setLane(r, to, lowest(m), word)
  forget(r, to, unknown)
}

export const vote = (r: Rows, o: Of<'vote'>, mask: number): void => {
  const yes = holding(r, o.by.predicate, o.by.negated, mask)
  const unknown = (r.unknownPredicates[o.by.predicate]! & mask) === 0 ? 0 : mask
  if (o.to !== null) giveAll(r, o.to, mask, yes, unknown)
  if (o.toPredicate === null) return
  const outcome = o.mode === 'all' ? yes === mask : o.mode === 'any' ? yes !== 0 : yes === mask || yes === 0
  setPredicate(r, o.toPredicate, mask, outcome ? mask : 0, unknown)
}

export const match = (r: Rows, o: Of<'match'>, mask: number): void => {
  const wordsOf = (lane: number): string => o.value.map((row) => wordAt(r, row, lane)).join()
  let unknown = 0
  for (const row of o.value) unknown |= r.unknown[row]! & mask
  const alike = new Map<string, number>()
  for (let m = mask; m !== 0; m &= m - 1) {
    const words = wordsOf(lowest(m))
    alike.set(words, (alike.get(words) ?? 0) | (1 << lowest(m)))
  }
  const one = alike.size === 1
  const found: number[] = []
  for (let m = mask; m !== 0; m &= m - 1)
    found[lowest(m)] = o.mode === 'any' ? alike.get(wordsOf(lowest(m)))! : one ? mask : 0
  for (let m = mask; m !== 0; m &= m - 1) setLane(r, o.to, lowest(m), found[lowest(m)]!)
  forget(r, o.to, unknown === 0 ? 0 : mask)
  if (o.all !== null) setPredicate(r, o.all, mask, one ? mask : 0, unknown === 0 ? 0 : mask)
}

/** The least or the greatest of the lanes as f32. */
const extreme = (
  r: Rows,
  o: Of<'reduce'>,
  { magnitudes, propagates }: NonNullable<Of<'reduce'>['float']>,
  mask: number,
): number => {
  const of = scalarOperation(`${o.op}${propagates ? '.NaN' : ''}.f32`) ?? unreachable(o.op)
  const words: number[] = []
  for (let m = mask; m !== 0; m &= m - 1) words.push(wordAt(r, o.value, lowest(m)))
  return extremeWord(of, magnitudes, words)
}

export const reduce = (r: Rows, o: Of<'reduce'>, mask: number): void => {
  const isMissing = (r.unknown[o.value]! & mask) === 0 ? 0 : mask
  if (o.float !== undefined) {
    giveAll(r, o.to, mask, extreme(r, o, o.float, mask), isMissing)
    return
  }
  const lesser = (a: number, b: number): boolean => (o.signed ? a < b : a >>> 0 < b >>> 0)
  let word = wordAt(r, o.value, lowest(mask))
  for (let m = mask & (mask - 1); m !== 0; m &= m - 1) {
    const x = wordAt(r, o.value, lowest(m))
    switch (o.op) {
      case 'add':
        word = (word + x) | 0
        break
      case 'min':
        word = lesser(x, word) ? x : word
        break
      case 'max':
        word = lesser(word, x) ? x : word
        break
      case 'and':
        word &= x
        break
      case 'or':
        word |= x
        break
      case 'xor':
        word ^= x
        break
    }
  }
  giveAll(r, o.to, mask, word, isMissing)
}

export const elect = (r: Rows, o: Of<'elect'>, mask: number, election: Election): void => {
  const leader = electedOf(election, mask)
  if (o.to !== null) giveAll(r, o.to, mask, leader, 0)
  setPredicate(r, o.elected, mask, 1 << leader, 0)
}

export const activeLanes = (r: Rows, o: Of<'activeLanes'>, mask: number): void => {
  giveAll(r, o.to, mask, mask, 0)
}

/** What a count of lanes is, for people: `lanes 0, 4..7`. */
export const showLanes = (mask: number): string => {
  const parts: string[] = []
  for (let l = 0; l < 32; l++) {
    if ((mask & (1 << l)) === 0) continue
    const from = l
    while (l < 31 && (mask & (1 << (l + 1))) !== 0) l++
    parts.push(from === l ? String(l) : `${String(from)}..${String(l)}`)
  }
  return `${countOf(mask) === 1 ? 'lane' : 'lanes'} ${parts.join(', ')}`
}
