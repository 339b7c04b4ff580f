/**
 * Looks: a process looks after itself while something is computed.
 *
 * Memory runs out while something is computed, and so ends a process without a word; what is computed holds the process until it is done. So what
 * computes says here what it spends (`effort.ts`), and every tenth of a second the process may look how much memory it has left, and end.
 *
 * Effort alone does not say it: an event that spends nothing leaves kilobytes in the machine, in the folds of its log, and in the states of a search. In a grid whose
 * CTAs met at a counter, events that spent next to nothing filled a heap of 150 MB before the first look, and the engine aborted. So an event counts as well.
 *
 * Laws
 * 1. Between two looks no more is spent than `betweenLooks` and what the last one takes.
 * 2. Between two looks there are at most `eventsBetweenLooks` events, in whatever run or search.
 */

/** Ticks after which it is asked whether there is room: some tenth of a second. */
export const betweenLooks: number = 2 ** 18

/** Events after which it is asked, whatever they spend: a few megabytes. */
export const eventsBetweenLooks = 256

/** Asked now and then while something is computed, in whatever run. */
interface Looks {
  look: () => void
  left: number
}
const looks: Looks = { look: () => undefined, left: betweenLooks }

/** From now on this is asked. */
export const lookingForRoom = (look: () => void): void => {
  looks.look = look
}

const lookNow = (): void => {
  looks.left = betweenLooks
  looks.look()
}

/** So many ticks more are spent. */
export const lookAfter = (ticks: number): void => {
  looks.left -= ticks
  if (looks.left < 0) lookNow()
}

/** An event happens. */
export const lookAfterEvent = (): void => {
  lookAfter(betweenLooks / eventsBetweenLooks)
}
