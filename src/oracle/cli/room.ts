/**
 * Room: a run that fills the memory of its process ends with a line, before the engine ends the process without one.
 *
 * The heap that an engine counts as used includes garbage. So where little is left, the engine is told to collect, and what remains is compared. Collecting takes
 * as long as there is much to keep: the next time is when half of what was left is used.
 *
 *     limit 4.0 GB, used 3.0     collected: 1.0 is left    asked again at 2.5 used
 *                                collected: 2.9 is left    asked again at 3.45
 *                                collected: 3.5 is left    less than an eighth: the end
 *
 * A table doubles when it is full, so in a small heap an eighth is less than one step of a table. There `least` bytes have to be free instead.
 *
 * Laws
 * 1. The end comes only where an eighth of the limit (at least `least` bytes), or less, is free after a collection, or the process holds more than the machine has.
 * 2. Between two collections half of what was free has been used.
 */
import { thousands } from '../../semantics/judging/counted.js'

/** What a process can say of its memory, in bytes, and do for it. */
export interface Memory {
  readonly limit: () => number
  readonly used: () => number
  /** what it holds altogether, and what there is for it */
  readonly held: () => number
  readonly machine: number
  readonly collect: () => void
}

/** Of the limit that must be free, and bytes that must be free in any case; and of the machine that may be taken. */
const free = 1 / 8
export const least: number = 16 * 2 ** 20
const taken = 0.95
/** Of the limit that may be used before anything is collected. */
const early = 3 / 4

const megabytes = (bytes: number): string => thousands(Math.round(bytes / 2 ** 20))

/** Why a process has to end now; null: it goes on. Asked again and again. */
export const roomOf = (memory: Memory): (() => string | null) => {
  const soon = (limit: number): number => Math.max(0, Math.min(limit * early, limit - 2 * least))
  let next = soon(memory.limit())
  return () => {
    const held = memory.held()
    if (held > memory.machine * taken)
      return `out of memory: this run holds ${megabytes(held)} MB of the ${megabytes(memory.machine)} MB of this machine. Make the launch smaller`
    if (memory.used() < next) return null
    const limit = memory.limit()
    memory.collect()
    const kept = memory.used()
    if (kept > limit - Math.max(limit * free, least))
      return `out of memory: this run needs more than the ${megabytes(limit)} MB that Node.js may use. Give it more with NODE_OPTIONS=--max-old-space-size=MEGABYTES, or make the launch smaller`
    next = Math.max(soon(limit), kept + (limit - kept) / 2)
    return null
  }
}
