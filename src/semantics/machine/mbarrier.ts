/**
 * The mbarrier: four numbers.
 *
 *     (completed, expected, pending, tx)
 *
 * `completed` counts the phases that have ended; its parity is the phase bit that a wait looks at. Any operation that
 * leaves pending = 0 and tx = 0 ends the phase at once, a bare expect_tx included: then pending is `expected` again.
 *
 *     init 1        (0, 1, 1, 0)
 *     expect 16     (0, 1, 1, 16)
 *     arrive        (0, 1, 0, 16)     still open: 16 bytes missing
 *     complete 16   (1, 1, 1, 0)      phase 0 ended
 *
 * `wait(p)` passes iff `completed mod 2 != p`: on a fresh barrier parity 1 passes at once, parity 0 blocks.
 *
 * Laws (recorded sequences of an H100 replay all of them)
 * 1. test(p) after any sequence is `(completed & 1) !== p`.
 * 2. tx may be negative while arrivals are pending: complete before expect is the same as expect before complete.
 * 3. an arrive of more than pending, and tx outside +-(2^20 - 1), trap; the state is left as it was. (The bound
 *    is that of PTX; recorded stops are at -2^20 - 1 and 2^21 - 2.)
 * 4. drop lowers `expected` for the following phases too.
 * 5. an increment and an arrive by as much leave the barrier as it was; an increment beyond 2^20 - 1 pending traps.
 *
 * Source: PTX ISA, parallel synchronization: mbarrier; limits as observed on an H100.
 */

export interface Mbarrier {
  readonly completed: number
  readonly expected: number
  readonly pending: number
  readonly tx: number
}

/** Largest arrival count and largest magnitude of the transaction count. */
export const limit: number = 2 ** 20 - 1

export type Trap = 'over-arrival' | 'tx-range' | 'count-range'

const make = (completed: number, expected: number, pending: number, tx: number): Mbarrier => ({
  completed,
  expected,
  pending,
  tx,
})

/** Ends the phase if nothing is missing. */
const settle = (completed: number, expected: number, pending: number, tx: number): Mbarrier =>
  pending === 0 && tx === 0
    ? make(completed + 1, expected, expected, 0)
    : make(completed, expected, pending, tx)

/** A fresh barrier that `count` arrivals complete. With a count of 0, which PTX forbids, phase 0 is over at once, as on the chip. */
export const init = (count: number): Mbarrier => settle(0, count, count, 0)

/**
 * One operation: `arrivals` logical arrivals, `bytes` added to the transaction count first (negative: a complete_tx),
 * `dropped` of the arrivals leaving for good.
 */
export const update = (
  b: Mbarrier,
  arrivals: number,
  bytes: number,
  dropped: number = 0,
): Mbarrier | Trap => {
  if (b.expected < 1 || b.expected > limit) return 'count-range'
  const tx = b.tx + bytes
  if (tx > limit || tx < -limit) return 'tx-range'
  if (arrivals > b.pending) return 'over-arrival'
  return settle(b.completed, b.expected - dropped, b.pending - arrivals, tx)
}

/** The open phase asks for `arrivals` more; `expected` of the following phases stays. */
export const increment = (b: Mbarrier, arrivals: number): Mbarrier | Trap =>
  b.pending + arrivals > limit ? 'count-range' : make(b.completed, b.expected, b.pending + arrivals, b.tx)

/** Does a wait for parity `p` pass? */
export const passes = (b: Mbarrier, p: number): boolean => (b.completed & 1) !== (p & 1)

export const isTrap = (x: Mbarrier | Trap): x is Trap => typeof x === 'string'

/**
 * The upper word of the object in memory, as an arrival gives it back: the phase, and below it the arrivals and the bytes that are missing, both
 * negative. (Its lower word is the operand of the arrival. Source: recorded sequences of an H100; PTX leaves the object opaque.)
 *
 *     (0, 1, 1, 0)      0x7ffff800
 *     (1, 3, 2, 0)      0xfffff000
 *     (0, 1, 1, 256)    0x7ffffbff
 */
export const stateWord = ({ completed, pending, tx }: Mbarrier): number =>
  ((completed & 1) << 31) | ((-pending & 0xfffff) << 11) | ((-tx & 0x1fffff) >>> 11)
