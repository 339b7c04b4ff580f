/**
 * Words of lanes that were not there: what a shuffle gives that reads from a lane outside its member mask, or from one that has ended.
 *
 * Such a word is not known (`rows.ts`), and what is computed from it is not. Nothing is wrong until something comes of it: a lane that drops it has read
 * nothing. A branch, an address and a count ask for known words anyway; what is stored, or given to another instruction that acts on memory, is asked here.
 *
 *     shfl.sync.down %r2, %r1, 8, 31, 0xffff     lanes 0..15: lane 8 reads from lane 16, which is not there
 *     add.s32 %r1, %r1, %r2                      lane 8 of %r1 is absent, too
 *     @%p0 st.global [%rd1], %r1                 by lane 0: nothing is wrong; by lane 8: I1
 *
 * Words that memory does not have are another matter: the load is what is wrong.
 *
 * Laws
 * 1. A lane of a place is absent only if it is unknown.
 * 2. A program whose shuffles all read from lanes that are there has no absent word, and pays nothing.
 *
 * Source: PTX ISA, shfl.sync: a source lane that is inactive or not in membermask gives an undefined value.
 */
import type { Operation, Place } from './program.js'
import type { Rows } from './rows.js'
import { usesOf } from './uses.js'

const unknownAt = (r: Rows, place: Place): number =>
  place < 0 ? r.unknownPredicates[-1 - place]! : r.unknown[place]!

/** Lanes of a place that hold what no lane gave. */
export const absentAt = (r: Rows, place: Place): number => (r.absent.get(place) ?? 0) & unknownAt(r, place)

/** The lanes of `mask` hold what no lane gave where `absent` says so. */
export const setAbsent = (r: Rows, place: Place, mask: number, absent: number): void => {
  const after = ((r.absent.get(place) ?? 0) & ~mask) | (absent & mask)
  if (after !== 0) r.absent.set(place, after)
  else if (r.absent.size > 0) r.absent.delete(place)
}

/** Is a word of one lane made of words of others? */
const mixes = (o: Operation): boolean =>
  o._tag === 'vote' ||
  o._tag === 'match' ||
  o._tag === 'reduce' ||
  o._tag === 'multiply' ||
  o._tag === 'transposeMatrix'

/** After an instruction that computes: what it wrote is absent where it is unknown and was made of absent words. */
export const follow = (r: Rows, o: Operation, mask: number): void => {
  const { reads, writes, computes } = usesOf(o)
  if (!computes) return
  let from = 0
  for (const place of reads) from |= absentAt(r, place)
  if (mixes(o) && (from & mask) !== 0) from = mask
  for (const place of writes) setAbsent(r, place, mask, from & unknownAt(r, place))
}

/** What an instruction that acts on memory gives to these lanes is not absent. */
export const came = (r: Rows, o: Operation, mask: number): void => {
  for (const place of usesOf(o).writes) setAbsent(r, place, mask, 0)
}

/** Lanes for which an instruction that acts on memory takes an absent word. */
export const taken = (r: Rows, o: Operation, mask: number): number => {
  if (o._tag === 'store' && o.into.space === 'local') return 0
  let lanes = 0
  for (const place of usesOf(o).reads) lanes |= absentAt(r, place)
  return lanes & mask
}
