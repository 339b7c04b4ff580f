/**
 * Locks: a loop that does nothing but exchange a word if it is what it compares with, until it was, is a wait for that.
 *
 *     again: atom.cas.b32 %r1, [lock], 0, 1            the exchange is blocked while the word is not 0
 *            setp.ne %p1, %r1, 0
 *            @%p1 bra again
 *
 * | asked                                                                                  | else            |
 * |----------------------------------------------------------------------------------------|-----------------|
 * | L1 one `cas` of one word of 32 bits is in the loop, and what computes, sleeps and goes round (`spins.ts`) | it stays a loop |
 * | L2 the loop is left just where the word is what it is compared with                      | it stays a loop |
 * | L3 by one lane; the lanes of a warp that try together are parted                         | it is not blocked |
 * | L4 of one warp no lane waits while another has it: the machine lets who has left a loop go on without the others only when nothing else can | no search says ok (`verdict/check.ts`) |
 *
 * Why that is the same. An exchange in vain leaves the word as it was, and its turn leaves registers as any other turn does. Take a run with exchanges in vain, and leave them out: its agents do what they did, and have
 * heard no more. Who has heard less finds all that who has heard more finds, and may take every value that that one may take. The other way round a run without any is one of the loop. A lock that is never free
 * was asked for ever, and is waited for for ever.
 *
 * L4 was learned from two of 2,520 random locks: a lane that had the lock stored a flag, and another CTA looked at the flag before that in every order that was followed.
 *
 * Law 1. With such waits and without, the same is found: something, or nothing.
 */
import type { Instruction, Row } from './program.js'
import { copiedAt, roundAt } from './spins.js'

const isLock = (
  code: ReadonlyArray<Instruction>,
  pc: number,
  constants: ReadonlyMap<Row, number>,
): boolean => {
  const { operation: o, guard } = code[pc]!
  if (o._tag !== 'atomic' || o.op !== 'cas' || guard !== null || o.type !== 'b32') return false
  const [word] = o.to ?? []
  const [compare] = o.compare
  if (word === undefined || compare === undefined) return false
  const round = roundAt(code, pc, word, constants)
  if (round === null || round.until.comparison !== 'eq') return false
  const [awaited, compared] = [round.until.value, copiedAt(code, pc, compare)]
  const constant = constants.get(awaited)
  return awaited === compared || (constant !== undefined && constant === constants.get(compared))
}

/** The code, in which such exchanges wait. */
export const withLocks = (
  code: ReadonlyArray<Instruction>,
  constants: ReadonlyMap<Row, number>,
): ReadonlyArray<Instruction> =>
  code.map((one, pc) =>
    isLock(code, pc, constants)
      ? {
          site: one.site,
          guard: one.guard,
          operation: Object.assign({}, one.operation, { awaits: true as const }),
        }
      : one,
  )
