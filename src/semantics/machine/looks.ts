/**
 * Looks: a process looks after itself while something is computed.
 *
 * Memory runs out while something is computed, and so ends a process without a word; what is computed holds the process until it is done. So what
 * computes says here what it spends (`effort.ts`), and every tenth of a second the process may look how much memory it has left, and end.
 *
 * Law 1. Between two looks no more is spent than `betweenLooks` and what the last one takes.
 */

/** Ticks after which it is asked whether there is room: some tenth of a second. */
export const betweenLooks: number = 2 ** 18

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
