/**
 * Readings: what else a strong read of the log could have found, or a strong write left.
 *
 * In the log a read finds the last write before it. The ISA gives it more to choose from: a write is *over* for a read only if the read sees a later write of the
 * word, or sees a read that took a later one. Every write that is not over may be taken, and every older one down to the one that is.
 *
 *     T0: store s #0; store s #1        T1: load s #2; load s #3        2 and 3 may each take 0, 1, or what was there before; but 3 takes no older one than 2
 *
 * The Fence-SC order counts here and in no race: each `fence.sc` sees what those before it in the log had seen, for the reads that come after it. In a run that has the
 * fences in another order the reads that come after the other one see more, and either run is asked for itself.
 *
 * | asked                                                                      | of                                         |
 * |----------------------------------------------------------------------------|--------------------------------------------|
 * | which older writes may it take?                                            | a read whose value only comes into memory  |
 * | may it take another write, older or newer?                                 | a read that a branch depends on            |
 * | may the first of the two be the later one?                                 | two strong writes that nothing orders      |
 *
 * What comes of another value is no matter of one log. A search runs the program again with it (`semantics/schedules/outcomes`, `verdict/otherwise.ts`), and
 * `semantics/axioms` enumerates every execution of a small program.
 *
 * Law 1. The last write may always be taken; what more is seen, the fewer others may be.
 *
 * Source: PTX 8.10.5 (SC-per-location), 8.10.6 (causality), 8.9.3 (Fence-SC).
 */
import { isFloat, bitsOf } from '../../numerics/dtype.js'
import { common, wordsOf } from './bytes.js'
import type { Asked, Pair } from './race.js'
import type { Touch } from './reading.js'
import { foundBefore, isStrong, wordsIn, type Word } from './strong.js'

// ---------------------------------------------------------------- model

/** What a run could have had otherwise. */
export type Otherwise =
  /** the read may take what was there before this write, the newest that it would miss */
  | {
      readonly _tag: 'older'
      readonly read: Touch
      readonly back: number
      readonly missed: Touch
      readonly byte: number
    }
  /** a branch depends on the read, and it may take another write than the last */
  | { readonly _tag: 'stale'; readonly read: Touch; readonly write: Touch }
  /** the first may be the later one */
  | { readonly _tag: 'order'; readonly first: Touch; readonly second: Touch }

// ---------------------------------------------------------------- which writes are over

const isWrite = (t: Touch): boolean => t.access.rw === 'w'
/** A read that writes nothing. */
const onlyReads = (t: Touch): boolean => isStrong(t) && !isWrite(t) && t.access.joins !== true

/** The strong accesses of a word before one, since something else wrote it. */
const since = ({ touches }: Word, by: Touch): ReadonlyArray<Touch> => {
  const before = touches.slice(0, touches.indexOf(by))
  const plain = before.filter((t) => isWrite(t) && !isStrong(t)).at(-1)
  return before
    .slice(plain === undefined ? 0 : before.indexOf(plain) + 1)
    .filter((t) => isStrong(t) && (isWrite(t) || onlyReads(t)))
}

/** The writes that a read would miss, newest first: each of them may come after what it takes. */
const missable = (
  q: Asked,
  all: ReadonlyArray<Touch>,
  read: Touch,
  byFences: boolean,
): ReadonlyArray<Touch> => {
  const sees = (t: Touch): boolean =>
    q.knows(read.at, 'found', t.at) || (byFences && q.knows(read.at, 'shown', t.at))
  const out: Touch[] = []
  for (const t of [...all].reverse()) {
    // who sees a read takes nothing older than what that one took
    if (sees(t) && q.how.has('over')) return out
    if (isWrite(t)) out.push(t)
  }
  return out
}

// ---------------------------------------------------------------- reads

const onlyKept = (t: Touch): boolean =>
  onlyReads(t) && t.access.decides === true && t.access.controls === undefined
const controls = (t: Touch): boolean =>
  onlyReads(t) && t.access.decides === true && t.access.controls !== undefined

/** The first words of the scalars of an access. */
const firstWords = (t: Touch): ReadonlyArray<number> =>
  wordsOf(t.access.footprint).filter((_, i) => i % (t.access.words ?? 1) === 0)

const older = (q: Asked, word: Word): ReadonlyArray<Otherwise> =>
  word.touches
    .filter((t) => onlyKept(t) && firstWords(t).includes(word.byte))
    .flatMap((read) =>
      missable(q, since(word, read), read, true).map((missed, k): Otherwise => ({
        _tag: 'older',
        read,
        back: k + 1,
        missed,
        byte: word.byte,
      })),
    )

/** Later writes that do not know the read, as long as no write or read of the word has come that knows it. */
const newer = (q: Asked, word: Word, read: Touch): ReadonlyArray<Touch> => {
  const out: Touch[] = []
  for (const t of word.touches.slice(word.touches.indexOf(read) + 1)) {
    if (isWrite(t) && !isStrong(t)) return out
    if (!isStrong(t) || !(isWrite(t) || onlyReads(t))) continue
    if (q.knows(t.at, 'before', read.at)) return out
    if (isWrite(t)) out.push(t)
  }
  return out
}

const stale = (q: Asked, word: Word): ReadonlyArray<Otherwise> =>
  word.touches
    .filter(controls)
    .flatMap((read) =>
      [
        ...missable(q, since(word, read), read, false),
        ...(firstWords(read).includes(word.byte) ? newer(q, word, read) : []),
      ].map((write): Otherwise => ({ _tag: 'stale', read, write })),
    )

// ---------------------------------------------------------------- stores

const joins = (t: Touch): boolean => t.access.combine !== undefined
/** Another order can be tried: the first leaves its own value, or adds to an integer. */
const isTried = ({ access: a }: Touch): boolean =>
  a.combine === undefined ||
  a.combine === 'exchange' ||
  (a.combine === 'add' &&
    a.rounds !== true &&
    !isFloat(a.footprint.dtype) &&
    bitsOf(a.footprint.dtype) === 32)

const orders = (q: Asked, pairs: ReadonlyArray<Pair>): ReadonlyArray<Otherwise> =>
  pairs
    .filter(
      ({ kind, a, b }) =>
        kind === 'anyOrder' &&
        !(joins(a) && joins(b)) &&
        isTried(a) &&
        !foundBefore(q.r, q.how.has, q.knows, a, b, common(a.bytes, b.bytes)),
    )
    .map(({ a, b }): Otherwise => ({ _tag: 'order', first: a, second: b }))

/** What one log shows of other values. */
export const otherwise = (q: Asked, pairs: ReadonlyArray<Pair>): ReadonlyArray<Otherwise> => {
  const words: ReadonlyArray<Word> = wordsIn(q.r)
  return [
    ...(q.how.has('older') ? words.flatMap((w) => older(q, w)) : []),
    ...(q.how.has('stale') ? words.flatMap((w) => stale(q, w)) : []),
    ...(q.how.has('store-order') ? orders(q, pairs) : []),
  ]
}
