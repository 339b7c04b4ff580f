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
 * | smem  | two copies of different CTAs in one generation of a barrier | K3 |
 * | smem  | what W replaces signalled another barrier of W's own array | W5 |
 * | smem  | the side meant second last waited on a fresh barrier (generation -1) in which the other side takes part | B6 |
 * | smem  | both are agents' own accesses                              | D1 |
 * | smem  | two writes                                                 | W1 |
 * | smem  | R meant first, W's issuer knew of R's issue, R is a TMA store / wgmma / tcgen05 or cp.async | W4 / W3 / W2 |
 * | smem  | R meant first, else                                        | W1 |
 * | smem  | W meant first, R's agent last waited for W's own barrier (a generation too early)        | R3 |
 * | smem  | W meant first, ... for another barrier of the same array   | R2 |
 * | smem  | W meant first, an agent reads itself what a copy brings that it issued itself            | P4 |
 * | smem  | W meant first, else                                        | R1 |
 *
 * The first row that fits. P4 and R1 are one mistake at two distances: who issues a copy and reads on takes it for synchronous (P4); who
 * consumes what another agent, or another unit, brings does not take part in the handshake (R1).
 *
 * | ordered, but the write is not visible                              | id |
 * |--------------------------------------------------------------------|----|
 * | a tensor map that a copy reads                                     | P5 |
 * | any, the reader is a load for memory that the kernel does not write | V3 |
 * | tensor proxy, a tcgen05.st of the same agent                       | M4 |
 * | tensor proxy, else                                                 | M8 |
 * | generic write, the reader is generic or does not see it generically either | V1 |
 * | generic write to gmem, asynchronous reader                         | P5 |
 * | generic write, asynchronous reader, its writer fenced in vain before the write, or its issuer before the issue | P2 |
 * | generic write, asynchronous reader, else                           | P1 |
 * | asynchronous write                                                 | V1 |
 * | generic read under an asynchronous write (`strictProxies`)         | P3 |
 *
 * Source: PTX ISA (asynchronous operations, proxies); the names are docs/hazards.md's.
 */
import type { HazardId } from '../finding.js'
import { units } from '../../log/units.js'
import type { Space } from '../../language/types.js'
import type { AccessRecord } from './access-record.js'
import { known, seen } from './access-record.js'
import type { Cell } from './cell.js'
import type { Knowledge, Vector } from './knowledge.js'
import { programOf } from './knowledge.js'
import { valueAt } from './sparse.js'

/** How the two accesses of a race were meant to be ordered. */
export interface Direction {
  /** 'readFirst': overwritten too early; 'writeFirst': read too early */
  readonly meant: 'readFirst' | 'writeFirst' | 'twoWrites'
  /** the second of the meant order knew that the first was issued (but not that it was done) */
  readonly knewIssue: boolean
  /** the write whose bytes the later write of the pair replaces, if one is remembered */
  readonly replaced: AccessRecord | undefined
}

/** What a classification asks of the run, when the log is at its end. */
export interface Facts {
  /** the array that a barrier belongs to */
  readonly array: (barrier: number) => string
  /** the CTA of an agent */
  readonly cta: (agent: number) => number
  /** whether the agent ever took part in a generation of the barrier */
  readonly tookPart: (agent: number, barrier: number) => boolean
}

const knewIssueOf = (order: Vector | undefined, r: AccessRecord): boolean =>
  order !== undefined && valueAt(order, programOf(r.stamp.agent)) >= r.stamp.at

/** `k` is what the later access (in log order) knew. */
export const direction = (earlier: AccessRecord, later: AccessRecord, c: Cell, k: Knowledge): Direction => {
  const told = (
    meant: Direction['meant'],
    knewIssue: boolean,
    replaced: AccessRecord | undefined,
  ): Direction => ({ meant, knewIssue, replaced })
  if (earlier.rw === 'w' && later.rw === 'w') return told('twoWrites', knewIssueOf(k.order, earlier), earlier)
  const readIsEarlier = earlier.rw === 'r'
  const read = readIsEarlier ? earlier : later
  const write = readIsEarlier ? later : earlier
  const replaced = readIsEarlier ? c.write : c.before
  if (read.stamp.agent === write.stamp.agent)
    return told(read.stamp.at <= write.stamp.at ? 'readFirst' : 'writeFirst', true, replaced)
  const readOrder = readIsEarlier ? read.order : k.order
  const writeOrder = readIsEarlier ? k.order : write.order
  if (knewIssueOf(writeOrder, read)) return told('readFirst', true, replaced)
  if (knewIssueOf(readOrder, write)) return told('writeFirst', true, replaced)
  if (readIsEarlier) return told(replaced === undefined ? 'writeFirst' : 'readFirst', false, replaced)
  const expected =
    replaced !== undefined &&
    known(k.order, replaced.completion) &&
    ((c.readersBefore >> (read.stamp.agent & 31)) & 1) === 0
  return told(expected ? 'readFirst' : 'writeFirst', false, replaced)
}

// ---------------------------------------------------------------- races on shared memory

/** K3: two CTAs bring the same bytes in one generation. */
const coveredTwice = (a: AccessRecord, b: AccessRecord, facts: Facts): boolean =>
  a.completion.barrier >= 0 &&
  a.completion.barrier === b.completion.barrier &&
  a.completion.generation === b.completion.generation &&
  facts.cta(a.stamp.agent) !== facts.cta(b.stamp.agent)

/** W5: two steps of one ring, kept apart by their barriers, in the same bytes. */
const slotShared = (write: AccessRecord, replaced: AccessRecord | undefined, facts: Facts): boolean => {
  if (replaced === undefined) return false
  const x = write.completion.barrier
  const y = replaced.completion.barrier
  return x >= 0 && y >= 0 && x !== y && facts.array(x) === facts.array(y)
}

/** B6: the wait before it passed on a fresh barrier, and it was the other side that should have been waited for. */
const passedFresh = (second: AccessRecord, first: AccessRecord, facts: Facts): boolean =>
  second.lastWait >= 0 &&
  second.lastObserved < 0 &&
  second.stamp.agent !== first.stamp.agent &&
  facts.tookPart(first.stamp.agent, second.lastWait)

/** The slot was released when this unit had only begun to read it. */
const releasedTooEarly = (unit: AccessRecord['unit']): HazardId =>
  unit === 'agent' ? 'W1' : units[unit].tooEarly

const sharedMemoryId = (a: AccessRecord, b: AccessRecord, d: Direction, facts: Facts): HazardId => {
  const read = a.rw === 'r' ? a : b
  const write = a.rw === 'r' ? b : a
  if (d.meant === 'twoWrites' && coveredTwice(a, b, facts)) return 'K3'
  if (slotShared(d.meant === 'twoWrites' ? b : write, d.replaced, facts)) return 'W5'
  if (d.meant === 'twoWrites') {
    if (passedFresh(b, a, facts)) return 'B6'
    return a.unit === 'agent' && b.unit === 'agent' ? 'D1' : 'W1'
  }
  const readFirst = d.meant === 'readFirst'
  if (readFirst ? passedFresh(write, read, facts) : passedFresh(read, write, facts)) return 'B6'
  if (a.unit === 'agent' && b.unit === 'agent') return 'D1'
  if (readFirst) return d.knewIssue ? releasedTooEarly(read.unit) : 'W1'
  const barrier = write.completion.barrier
  if (barrier >= 0 && read.lastWait >= 0) {
    if (read.lastWait === barrier) return 'R3'
    if (facts.array(read.lastWait) === facts.array(barrier)) return 'R2'
  }
  return read.unit === 'agent' && write.proxy === 'async' && read.stamp.agent === write.stamp.agent
    ? 'P4'
    : 'R1'
}

// ---------------------------------------------------------------- races

/** Called at the end of the log, when every signal has come. */
export const raceId = (
  space: Space,
  a: AccessRecord,
  b: AccessRecord,
  d: Direction,
  facts: Facts,
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
    case 'smem':
      return sharedMemoryId(a, b, d, facts)
  }
}

/** Of two accesses of one warp, by different lanes. */
export const laneId = (a: AccessRecord, b: AccessRecord): HazardId =>
  a.unit === 'agent' && b.unit === 'agent' ? 'D5' : 'D6'

// ---------------------------------------------------------------- visibility

export const invisibleId = (earlier: AccessRecord, later: AccessRecord, k: Knowledge): HazardId => {
  if (later.proxy === 'tensormap') return 'P5'
  if (later.proxy === 'readOnly') return 'V3'
  if (earlier.proxy === 'tensor')
    return earlier.unit === 'tcgen05St' && earlier.stamp.agent === later.stamp.agent ? 'M4' : 'M8'
  if (earlier.proxy === 'async' || later.proxy !== 'async') return 'V1'
  if (earlier.fence === 'registers') return 'P1'
  if (!seen(earlier, 'generic', k, false)) return 'V1'
  if (earlier.fence === 'global') return 'P5'
  // a fence in vain: of the writer before it wrote, or of the issuer, who had not seen the write
  return later.fencesBefore > 0 || earlier.fencesBefore > 0 ? 'P2' : 'P1'
}
