/**
 * Which hazard a pair of accesses is.
 *
 * The detector knows two things about a pair: whether it is ordered, and whether the write is visible. The id says what a
 * programmer did wrong, so it also depends on who was meant to be first. Let W be the write, R the read of the pair.
 *
 * Meant first (`direction`):
 *   one agent issued both                          program order
 *   W's issuer knew of R's issue                   R first: something released the slot, too early
 *   R's issuer knew of W's issue                   W first
 *   R came first in the log                        R first, unless nothing had been written there
 *   W came first in the log                        R first, if R knew the version that W replaced and its agent had not read it yet
 *
 * | space | pair, unordered                                            | id |
 * |-------|------------------------------------------------------------|----|
 * | gmem  | in two clusters                                            | D3 |
 * | gmem  | else                                                       | D2 |
 * | regs  | with a wgmma; the wgmma only reads the register            | W3 |
 * | regs  | with a wgmma, else                                         | M1 |
 * | regs  | with a tcgen05.ld                                          | M3 |
 * | regs  | else                                                       | D1 |
 * | tmem  | R is a tcgen05.ld, meant first                             | M3 |
 * | tmem  | W is an mma, R a tcgen05.ld, W meant first                 | M2 |
 * | tmem  | one is a tcgen05.st of which its agent issued the other, or W is a tcgen05.st meant first | M4 |
 * | tmem  | two agents issued both, for a pair of CTAs                  | M7 |
 * | tmem  | else                                                       | D4 |
 * | tmem  | a use or a dealloc that is not ordered after the allocation (`tensor-memory.ts`) | D4 |
 * | smem  | both are agents' own accesses                              | D1 |
 * | smem  | two writes                                                 | W1 |
 * | smem  | R meant first, W's issuer knew of R's issue, R is a TMA store / wgmma / tcgen05 or cp.async | W4 / W3 / W2 |
 * | smem  | R meant first, else                                        | W1 |
 * | smem  | W meant first, R's agent last waited for W's own barrier (a generation too early)        | R3 |
 * | smem  | W meant first, ... for another barrier of the same array   | R2 |
 * | smem  | W meant first, else                                        | R1 |
 *
 * | ordered, but the write is not visible                              | id |
 * |--------------------------------------------------------------------|----|
 * | a tensor map that a copy reads                                     | P5 |
 * | tensor proxy, a tcgen05.st of the same agent                       | M4 |
 * | tensor proxy, else                                                 | M8 |
 * | generic write, the reader is generic or does not see it generically either | V1 |
 * | generic write to gmem, asynchronous reader                         | P5 |
 * | generic write, asynchronous reader, a fence right before the write, or by the wrong agent after it | P2 |
 * | generic write, asynchronous reader, else                           | P1 |
 * | asynchronous write                                                 | V1 |
 * | generic read under an asynchronous write (`strictProxies`)         | P3 |
 *
 * P4 is R1 by another name and never given; W5 (a slot reused because there are too few) shows as W1.
 *
 * Source: PTX ISA (asynchronous operations, proxies); the names are docs/hazards.md's.
 */
import type { HazardId } from '../finding.js'
import type { Space } from '../types.js'
import type { AccessRecord } from './access-record.js'
import { known, seen } from './access-record.js'
import type { Cell } from './cell.js'
import type { Knowledge } from './knowledge.js'
import { programOf } from './knowledge.js'

/** How the two accesses of a race were meant to be ordered. */
export interface Direction {
  /** 'readFirst': overwritten too early; 'writeFirst': read too early */
  readonly meant: 'readFirst' | 'writeFirst' | 'twoWrites'
  /** the second of the meant order knew that the first was issued (but not that it was done) */
  readonly knewIssue: boolean
}

const knewIssueOf = (order: Int32Array | undefined, r: AccessRecord): boolean =>
  order !== undefined && order[programOf(r.stamp.agent)]! >= r.stamp.at

/** `k` is what the later access (in log order) knew. */
export const direction = (earlier: AccessRecord, later: AccessRecord, c: Cell, k: Knowledge): Direction => {
  if (earlier.rw === 'w' && later.rw === 'w')
    return { meant: 'twoWrites', knewIssue: knewIssueOf(k.order, earlier) }
  const readIsEarlier = earlier.rw === 'r'
  const read = readIsEarlier ? earlier : later
  const write = readIsEarlier ? later : earlier
  if (read.stamp.agent === write.stamp.agent)
    return { meant: read.stamp.at <= write.stamp.at ? 'readFirst' : 'writeFirst', knewIssue: true }
  const readOrder = readIsEarlier ? read.order : k.order
  const writeOrder = readIsEarlier ? k.order : write.order
  if (knewIssueOf(writeOrder, read)) return { meant: 'readFirst', knewIssue: true }
  if (knewIssueOf(readOrder, write)) return { meant: 'writeFirst', knewIssue: true }
  if (readIsEarlier) return { meant: c.write === undefined ? 'writeFirst' : 'readFirst', knewIssue: false }
  const replaced = c.before
  const expected =
    replaced !== undefined &&
    known(k.order, replaced.completion) &&
    ((c.readersBefore >> (read.stamp.agent & 31)) & 1) === 0
  return { meant: expected ? 'readFirst' : 'writeFirst', knewIssue: false }
}

/** `array` gives the array that a barrier belongs to. Called at the end of the log, when every signal has come. */
export const raceId = (
  space: Space,
  a: AccessRecord,
  b: AccessRecord,
  d: Direction,
  array: (barrier: number) => string,
): HazardId => {
  const read = a.rw === 'r' ? a : b
  const write = a.rw === 'r' ? b : a
  const involves = (unit: AccessRecord['unit']): boolean => a.unit === unit || b.unit === unit
  switch (space) {
    case 'gmem':
      return 'D2'
    case 'regs':
      if (involves('wgmma')) return d.meant !== 'twoWrites' && read.unit === 'wgmma' ? 'W3' : 'M1'
      return involves('tcgen05Ld') ? 'M3' : 'D1'
    case 'tmem':
      if (d.meant !== 'twoWrites' && read.unit === 'tcgen05Ld') {
        if (d.meant === 'readFirst') return 'M3'
        return write.unit === 'tcgen05St' ? 'M4' : 'M2'
      }
      if (a.queue?.pair === true && b.queue?.pair === true && a.stamp.agent !== b.stamp.agent) return 'M7'
      return involves('tcgen05St') && (d.meant !== 'readFirst' || a.stamp.agent === b.stamp.agent)
        ? 'M4'
        : 'D4'
    case 'smem': {
      if (a.unit === 'agent' && b.unit === 'agent') return 'D1'
      if (d.meant === 'twoWrites') return 'W1'
      if (d.meant === 'readFirst') {
        if (!d.knewIssue) return 'W1'
        switch (read.unit) {
          case 'tmaStore':
            return 'W4'
          case 'wgmma':
            return 'W3'
          case 'agent':
          case 'tmaLoad':
          case 'stAsync':
            return 'W1'
          case 'tcgen05':
          case 'tcgen05Ld':
          case 'tcgen05St':
          case 'cpAsync':
            return 'W2'
        }
      }
      const barrier = write.completion.barrier
      if (barrier < 0 || read.lastWait < 0) return 'R1'
      if (read.lastWait === barrier) return 'R3'
      return array(read.lastWait) === array(barrier) ? 'R2' : 'R1'
    }
  }
}

/** `fencedSince`: the issuer of the later access had executed a fence after the write (in the log). */
export const invisibleId = (
  earlier: AccessRecord,
  later: AccessRecord,
  k: Knowledge,
  fencedSince: boolean,
): HazardId => {
  if (later.proxy === 'tensormap') return 'P5'
  if (earlier.proxy === 'tensor')
    return earlier.unit === 'tcgen05St' && earlier.stamp.agent === later.stamp.agent ? 'M4' : 'M8'
  if (earlier.proxy === 'async' || later.proxy !== 'async') return 'V1'
  if (earlier.fence === 'registers') return 'P1'
  if (!seen(earlier, 'generic', k, false)) return 'V1'
  if (earlier.fence === 'global') return 'P5'
  return fencedSince || earlier.fencesBefore > 0 ? 'P2' : 'P1'
}
