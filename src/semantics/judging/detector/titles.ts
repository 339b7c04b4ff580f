/**
 * The taxonomy: what each hazard id is, in one line and in one sentence.
 *
 * | letter | about                                    |
 * |--------|------------------------------------------|
 * | D      | races between plain accesses             |
 * | P      | proxies: a fence is missing              |
 * | R, W   | a ring: read too early, overwritten too early |
 * | B, U   | barriers and what is left over           |
 * | M, T   | tensor cores and tensor memory           |
 * | K      | clusters                                 |
 * | A, L   | addresses, limits, layouts               |
 * | I, V, O, N | contents                             |
 *
 * `by` says who gives the id.
 * The page docs/hazards.md is made of this table.
 *
 * Law 1. `by` names exactly the parts whose source gives the id.
 */
import type { HazardId, Severity } from '../finding.js'

export type By = 'detector' | 'validation' | 'machine' | 'provenance'

export interface Hazard {
  readonly title: string
  readonly severity: Severity
  /** one sentence */
  readonly definition: string
  readonly by: ReadonlyArray<By>
}

const found = (
  by: ReadonlyArray<By>,
  title: string,
  definition: string,
  severity: Severity = 'E',
): Hazard => ({
  title,
  severity,
  definition,
  by,
})
const detected = (title: string, definition: string, severity: Severity = 'E'): Hazard =>
  found(['detector'], title, definition, severity)
export const hazards: Readonly<Record<HazardId, Hazard>> = {
  D1: detected(
    'generic race',
    'Two agents access the same shared memory or registers themselves, one of them writes, and nothing orders the two.',
  ),
  D2: detected(
    'race on global memory',
    'The same with bytes of global memory, inside one CTA or cluster, by an agent or by an operation.',
  ),
  D3: detected(
    'race on global memory between clusters',
    'Two clusters of the grid touch the same byte and one of them writes it; between clusters there is no order.',
  ),
  D4: detected(
    'race on tensor memory',
    'Loads, stores, copies and MMAs overlap in tensor memory without an order, and no narrower id (M2, M3, M4) fits.',
  ),
  P1: detected(
    'missing fence between a generic write and an asynchronous access',
    'Bytes written by ordinary stores are handed to an asynchronous unit in order, but without the proxy fence that lets the unit see them.',
  ),
  P2: detected(
    'fence on the wrong side or by the wrong agent',
    'There is a proxy fence, but it stands before the write, or an agent executes it that does not see the write.',
  ),
  P3: detected(
    'generic read and asynchronous overwrite without a fence',
    'An asynchronous write replaces bytes after an ordinary read, in order but without a fence; looked for under strict proxies alone.',
  ),
  P4: detected(
    'asynchronous write read without waiting for its completion',
    'The agent that issued a bulk copy reads its destination itself, as if the copy were done when it is issued.',
  ),
  P5: detected(
    'global memory written generically and read asynchronously without a global fence',
    'As P1 for global memory: the fence has to cover the global scope.',
  ),
  R1: detected(
    'read before arrival',
    'A slot is consumed with no wait on its barrier: the read and the copy that fills the slot are not ordered.',
  ),
  R2: detected(
    'wait on the wrong slot or barrier',
    'The reader waited, but for another barrier of the array: the generation that it saw does not cover the data.',
  ),
  R3: detected(
    'wait that some of the copies have no part in',
    'The reader waited for the right barrier and passed on a generation that this copy did not belong to, because too few arrivals are counted.',
  ),
  W1: detected(
    'overwritten before it was consumed',
    'A slot is filled again without waiting for the release by the agent or operation that reads it.',
  ),
  W2: detected(
    'released before the asynchronous consumer was done',
    'The release follows the issue of the consumer (an MMA, cp.async) and not its completion.',
  ),
  W3: detected(
    'wgmma operand overwritten in flight',
    'The wait on wgmma groups before the release leaves open the group that still reads the slot.',
  ),
  W4: detected(
    'source of a store reused before it was read',
    'A buffer is written again while the store from it may still be reading.',
  ),
  W5: detected(
    'fewer slots than the protocol assumes',
    'Two steps of one ring have barriers of their own and share a slot: what the one brings is replaced by what the other brings.',
  ),
  B1: detected(
    'overrun: the next generation can complete before a waiter has seen this one',
    'Nothing in generation g + 1 is ordered after a wait for g, so the parity can flip twice under the waiter; or it has, and the waiter sleeps for ever.',
  ),
  B2: detected(
    'more arrivals than the barrier counts',
    'A generation gets more arrivals than its count before it is complete.',
  ),
  B3: detected(
    'generations of a barrier can be confused',
    'Events of two generations are not ordered, so which generation an arrival joins, or a wait passes on, is a matter of timing.',
  ),
  B4: detected(
    'bytes expected and bytes delivered do not agree',
    'A generation waits for bytes that no operation delivers, gets more than it expects, or can complete before the bytes are announced.',
  ),
  B5: detected('a wait that never completes', 'Nothing can move any more and this wait stands: a deadlock.'),
  B6: detected(
    'lost prime, or the wrong initial phase',
    'The first wait on a barrier blocks for ever, because no arrival has primed it or its parity is that of the next generation; or it passes on the fresh barrier, and what it should have waited for is under way.',
  ),
  B7: detected(
    'barrier used outside its life',
    'Used or waited for before its initialisation is known or after its invalidation, initialised twice, or its bytes are used as data meanwhile.',
  ),
  B8: detected(
    'a waiter that skips generations',
    'An agent that waits for a barrier does not observe each of its generations: those before the one that it observes, or the last ones. Pallas asks it of every waiter.',
    'C',
  ),
  B9: detected(
    'barrier used by a peer to which its initialisation is not published',
    'An agent of another CTA arrives on a barrier, or an operation of its signals it, in order behind the initialisation over nothing but relaxed cluster barriers, with no fence.mbarrier_init behind the initialisation.',
  ),
  U1: detected(
    'completions that no wait observed',
    'A Pallas barrier is given up with generations that no wait has seen; a hazard, not a note, when its storage is used again.',
    'C',
  ),
  U2: detected(
    'asynchronous operation outstanding at exit',
    'A CTA exits, or frees tensor memory, and no agent of it knows that an operation of its own is over.',
  ),
  M1: detected(
    'wgmma accumulator touched before the wait',
    'Registers that a wgmma writes are used before a group wait covers it, or without the wgmma fence before it.',
  ),
  M2: detected(
    'MMA accumulator read before its commit was observed',
    'Tensor memory is loaded while the MMA that fills it may still run.',
  ),
  M3: detected(
    'tensor memory or registers of a load used before the load was waited for',
    'A tensor-memory load is still under way when its columns are overwritten or its registers are used.',
  ),
  M4: detected(
    'tensor-memory store not waited for',
    'A tensor-memory store is used by an MMA or another load before a wait for stores.',
  ),
  M5: found(
    ['detector', 'validation'],
    'barrier does not order the tensor core',
    'A commit signals a Pallas barrier that was declared without tensor-core order.',
    'C',
  ),
  M6: detected(
    'first MMA accumulates what nothing has written',
    'An MMA adds to columns of tensor memory that have never been written.',
  ),
  M7: found(
    ['validation', 'machine', 'detector'],
    'collective MMA issued by the wrong agents',
    'An MMA over two CTAs has to be issued once, by the leader, while both CTAs live.',
  ),
  M8: detected(
    'tensor memory passed on without the thread-sync fences',
    'Another agent uses tensor memory in order, but over a barrier that carries no tensor-core order and without before_thread_sync and after_thread_sync.',
  ),
  T1: detected('tensor memory leaked', 'An allocation of tensor-memory columns is not freed by the end.'),
  T2: found(
    ['machine', 'detector'],
    'tensor memory freed twice',
    'Columns are freed that are not allocated.',
  ),
  T3: found(
    ['validation', 'machine'],
    'illegal number of tensor-memory columns',
    'An allocation is not a power of two from 32 to 512 columns, or the CTA has no such number left.',
  ),
  T4: detected(
    'collective allocation differs between the CTAs',
    'The two CTAs of a pair do not allocate the same columns.',
  ),
  T5: detected(
    'peer exits before the deallocation',
    'A CTA of a pair is gone when the other frees what both allocated.',
  ),
  K1: detected(
    'CTA can exit while others still reach into it',
    'A remote arrive, multicast or access of another CTA is not ordered before the exit of the CTA that it reaches.',
  ),
  K2: detected(
    'collective operation not reached by all',
    'An operation of the whole cluster is executed by some of its CTAs only, and the others end without it; if they wait elsewhere, it is a deadlock (B5).',
  ),
  K3: detected(
    'multicast does not cover its destinations once',
    'Copies of several CTAs bring the same bytes of one CTA in one generation of its barrier; what they leave out shows as I1 or as bytes that never come (B4).',
  ),
  A1: found(
    ['validation'],
    'shared memory over its limit',
    'What a CTA places in shared memory is more than it can have.',
    'C',
  ),
  A2: found(
    ['validation', 'machine'],
    'registers over their limit',
    'A thread has more than 256 registers, or the agents of a CTA together more than the 65536 of an SM; or one asks to decrease to more, or to increase to fewer, than it has.',
    'C',
  ),
  A3: found(
    ['validation'],
    'misaligned base',
    'A view starts where its swizzle does not allow it to start.',
    'C',
  ),
  A4: found(
    ['validation', 'machine'],
    'descriptor rule broken',
    'A box, stride, coordinate or address breaks a rule of tensor maps; coordinates that are computed are checked when they are used.',
    'C',
  ),
  L1: found(
    ['provenance'],
    'written and read under different layouts',
    'Writer and reader take the same bytes for different elements; looked for where an output is not what the program says it computes.',
  ),
  L2: found(
    ['validation'],
    'register layout misused',
    'A tile of registers is used under a layout that it does not have.',
    'C',
  ),
  I1: detected(
    'read of what nothing has written',
    'Bytes are read that have no write before them and none that should have come before them.',
  ),
  I2: found(
    ['machine'],
    'out of bounds',
    'An access leaves what it belongs to where the hardware does not clip it.',
  ),
  V1: detected(
    'published only by the completion of another operation',
    'A write reaches its reader through nothing but the completion of a bulk copy, which publishes the bytes of that copy alone.',
  ),
  O1: detected('output never written', 'A byte of an output has no write when the kernel ends.'),
  N1: detected(
    'result depends on the order of operations',
    'Atomic writes of the same bytes that nothing orders do not commute: sums of floats, or operations of different kinds.',
    'L',
  ),
  N2: detected(
    'order that rests on a relaxed arrive or wait',
    'Two accesses, or an access and the exit of its CTA, are ordered over relaxed arrives or waits alone; by the manual these order no ordinary access, and a hazard under strict.',
    'L',
  ),
  N3: detected(
    'order that rests on the issue order of products',
    'Two products of one agent with different accumulators, shapes or kinds are taken to happen in the order of their issue, which the manual does not say; a race under the documented tensor pipe.',
    'L',
  ),
}

const ids: ReadonlyArray<HazardId> = Object.keys(hazards).filter((k): k is HazardId => k in hazards)

/** Every id, in the order of the taxonomy. */
export const hazardIds: ReadonlyArray<HazardId> = ids

const titleOf = (id: HazardId): string => hazards[id].title

/** One line per id, for people. */
export const titles: Readonly<Record<HazardId, string>> = {
  D1: titleOf('D1'),
  D2: titleOf('D2'),
  D3: titleOf('D3'),
  D4: titleOf('D4'),
  P1: titleOf('P1'),
  P2: titleOf('P2'),
  P3: titleOf('P3'),
  P4: titleOf('P4'),
  P5: titleOf('P5'),
  R1: titleOf('R1'),
  R2: titleOf('R2'),
  R3: titleOf('R3'),
  W1: titleOf('W1'),
  W2: titleOf('W2'),
  W3: titleOf('W3'),
  W4: titleOf('W4'),
  W5: titleOf('W5'),
  B1: titleOf('B1'),
  B2: titleOf('B2'),
  B3: titleOf('B3'),
  B4: titleOf('B4'),
  B5: titleOf('B5'),
  B6: titleOf('B6'),
  B7: titleOf('B7'),
  B8: titleOf('B8'),
  B9: titleOf('B9'),
  U1: titleOf('U1'),
  U2: titleOf('U2'),
  M1: titleOf('M1'),
  M2: titleOf('M2'),
  M3: titleOf('M3'),
  M4: titleOf('M4'),
  M5: titleOf('M5'),
  M6: titleOf('M6'),
  M7: titleOf('M7'),
  M8: titleOf('M8'),
  T1: titleOf('T1'),
  T2: titleOf('T2'),
  T3: titleOf('T3'),
  T4: titleOf('T4'),
  T5: titleOf('T5'),
  K1: titleOf('K1'),
  K2: titleOf('K2'),
  K3: titleOf('K3'),
  A1: titleOf('A1'),
  A2: titleOf('A2'),
  A3: titleOf('A3'),
  A4: titleOf('A4'),
  L1: titleOf('L1'),
  L2: titleOf('L2'),
  I1: titleOf('I1'),
  I2: titleOf('I2'),
  V1: titleOf('V1'),
  O1: titleOf('O1'),
  N1: titleOf('N1'),
  N2: titleOf('N2'),
  N3: titleOf('N3'),
}
