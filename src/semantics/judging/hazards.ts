/**
 * The taxonomy: all that is known of a hazard id. Whatever asks which ids have a property reads it here.
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
 * | property     | read by                                | says                                                              |
 * |--------------|----------------------------------------|-------------------------------------------------------------------|
 * | title, definition, severity, by | docs/hazards.md, render | what it is, and which part gives it                             |
 * | rank         | `detector/report.ts`                   | causes stand before consequences                                  |
 * | generation   | `mutation/naming.ts`                   | the generations of a barrier do not come as they are meant        |
 * | exit         | `detector/end.ts`                      | found at an exit: C5 fails                                        |
 * | fault        | `detector/verdict.ts`                  | a run that reaches it is wrong, whatever else can happen          |
 * | condition    | `detector/barriers.ts`                 | the finding behind a condition of the theorem                     |
 * | blocks       | `detector/deadlock.ts`                 | why a wait stands for ever                                        |
 * | answer       | `detector/missing-edge.ts`             | the id says what is missing, without a search                     |
 * | writeFirst   | `detector/missing-edge.ts`, the picture | of a read and a write, the write was meant first                 |
 * | readFirst    | the picture                            | of a read and a write, the read was meant first                   |
 * | overwrites   | `detector/candidate-edges.ts`, `missing-edge.ts` | what is overwritten is released by the agent that consumes it     |
 * | cause        | `verdict/check.ts`                     | what a deadlock may be caused by                                  |
 * | witness      | `verdict/confirm.ts`                   | what a search of schedules sees in a state where the detector says this |
 * | outside      | `verdict/confirm.ts`                   | a search does not look for it                                     |
 * | ptxAlone     | `vectors/kernels.ts`, the page         | only PTX has it, and why: its kernel, if it has one, is PTX |
 * | mistakes     | `mutation/labels.ts`                   | what kinds of change are expected to show it                      |
 *
 * The page docs/hazards.md is made of this table, and so are the words of the verdict's schema.
 *
 * Laws
 * 1. `by` names exactly the parts whose source gives the id.
 * 2. An id has a witness, or a search does not look for it, or it explains why a wait blocks, a condition
 * fails or a run ends.
 */

// ---------------------------------------------------------------- model

/** E: wrong or undefined in some schedule. C: a documented contract is broken. L: a note. */
export type Severity = 'E' | 'C' | 'L'

export type By =
  'detector' | 'validation' | 'machine' | 'provenance' | 'terms' | 'otherwise' | 'ends' | 'hardware'

/** What can be seen in one state of a search. */
export type Witness = 'race' | 'visibility' | 'exit' | 'overrun' | 'lifecycle' | 'unwritten'

/** An agent is not supplied (a wait stands, a generation is skipped or left over); it goes on too early; a barrier is a generation ahead. */
export type Mistake = 'stuck' | 'early' | 'ahead'

export interface Hazard {
  readonly title: string
  /** one sentence */
  readonly definition: string
  readonly severity: Severity
  readonly by: ReadonlyArray<By>
  /** 0: two operations that conflict; 1: a barrier misused; 2: a wait that stands; 3: what is left over */
  readonly rank: 0 | 1 | 2 | 3
  readonly generation?: true
  readonly fault?: true
  readonly exit?: true
  readonly condition?: true
  readonly blocks?: true
  /** the id says what is missing; `at least`: unless the log says more */
  readonly answer?: 'always' | 'of one operation' | 'at least'
  readonly writeFirst?: true
  readonly readFirst?: true
  readonly overwrites?: true
  /** two operations that conflict, or an arrival too many or at another time */
  readonly cause?: 'conflict' | 'arrival'
  readonly witness?: ReadonlyArray<Witness>
  /** clusters that run together are searched together */
  readonly outside?: 'always' | 'clusters apart'
  /** only PTX has it: why other programs do not */
  readonly ptxAlone?: string
  readonly mistakes?: ReadonlyArray<Mistake>
}

// ---------------------------------------------------------------- the table

const rows = {
  D1: {
    title: 'generic race',
    definition:
      'Two agents access the same shared memory or registers themselves, one of them writes, and nothing orders the two.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  D2: {
    title: 'race on global memory',
    definition:
      'The same with bytes of global memory, inside one CTA or cluster, by an agent or by an operation.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  D3: {
    title: 'race on global memory between blocks',
    definition:
      'Two blocks of the grid, of different clusters, touch the same byte, and one of them writes it. Nothing orders them.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    outside: 'clusters apart',
    answer: 'always',
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  D4: {
    title: 'race on tensor memory',
    definition:
      'Loads, stores, copies and MMAs overlap in tensor memory without an order, and no narrower id (M2, M3, M4) fits.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  D5: {
    title: 'race between lanes of one warp',
    definition:
      'Two lanes of one warp access the same byte of shared or global memory, one of them writes, and neither `bar.warp.sync` nor a barrier orders the two. Lanes are threads, even if they run together.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    outside: 'always',
    cause: 'conflict',
    witness: ['race'],
    ptxAlone: 'agents of other programs have no lanes',
    mistakes: ['early', 'ahead'],
  },
  D6: {
    title: 'asynchronous access of a warp that races with its lanes',
    definition:
      'Lanes of a warp start an asynchronous operation on bytes that other lanes of the warp have written or will write. Nothing orders these lanes with those that started it or waited for it.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    outside: 'always',
    cause: 'conflict',
    witness: ['race'],
    ptxAlone: 'agents of other programs have no lanes',
    mistakes: ['early', 'ahead'],
  },
  P1: {
    title: 'missing fence between a generic write and an asynchronous access',
    definition:
      'Bytes written by ordinary stores are handed to an asynchronous unit in order, but without the proxy fence that lets the unit see them.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['visibility'],
    cause: 'conflict',
  },
  P2: {
    title: 'fence on the wrong side or by the wrong agent',
    definition:
      'There is a proxy fence, but it comes before the write, or an agent executes it that does not see the write.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['visibility'],
    cause: 'conflict',
  },
  P3: {
    title: 'generic read and asynchronous overwrite without a fence',
    definition:
      'An asynchronous write replaces bytes of shared memory after an ordinary read, in order but without a proxy fence between the two. On sm_100a it is a hazard: chips have read what came later. It is a note on sm_90a, where no chip was seen to do so, and where a compiler omitted the fence. With strict proxies it is a hazard everywhere, in global memory, too.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['visibility'],
    outside: 'always',
    cause: 'conflict',
  },
  P4: {
    title: 'asynchronous write read without waiting for its completion',
    definition:
      'The agent that issued a bulk copy reads its destination itself, as if the copy were done when it is issued.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    writeFirst: true,
    cause: 'conflict',
  },
  P5: {
    title: 'global memory written generically and read asynchronously without a global fence',
    definition: 'The same as P1, for global memory: the fence must cover the global scope.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['visibility'],
    cause: 'conflict',
  },
  P6: {
    title: 'barrier given to an asynchronous unit without a fence',
    definition:
      'A bulk copy or a commit of the tensor core completes on a barrier without a fence after its initialisation: neither fence.mbarrier_init by the thread that initialised it, nor fence.proxy.async.',
    severity: 'E',
    by: ['detector'],
    rank: 1,
    outside: 'always',
    ptxAlone: 'the lowering of another program publishes its barriers',
  },
  R1: {
    title: 'read before arrival',
    definition:
      'A slot is consumed with no wait on its barrier: the read and the copy that fills the slot are not ordered.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility', 'unwritten'],
    writeFirst: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  R2: {
    title: 'wait on the wrong slot or barrier',
    definition:
      'The reader waited, but for another barrier of the array: the generation that it saw does not cover the data.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility', 'unwritten'],
    writeFirst: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  R3: {
    title: 'wait on a generation that does not include this copy',
    definition:
      'The reader waited for the right barrier and passed on a generation that this copy did not belong to, because too few arrivals are counted.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility', 'unwritten'],
    writeFirst: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  W1: {
    title: 'overwritten before it was consumed',
    definition:
      'A slot is filled again without waiting for the release by the agent or operation that reads it.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    readFirst: true,
    overwrites: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  W2: {
    title: 'released before the asynchronous consumer was done',
    definition: 'The release follows the issue of the consumer (an MMA, cp.async) and not its completion.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    readFirst: true,
    overwrites: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  W3: {
    title: 'wgmma operand overwritten in flight',
    definition:
      'The wait on wgmma groups before the release leaves open the group that still reads the slot.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    readFirst: true,
    overwrites: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  W4: {
    title: 'source of a store reused before it was read',
    definition: 'A buffer is written again while the store from it may still be reading.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    readFirst: true,
    overwrites: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  W5: {
    title: 'fewer slots than the protocol assumes',
    definition:
      'Two steps of one ring have barriers of their own and share a slot: what the one brings is replaced by what the other brings.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    overwrites: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  B1: {
    title: 'overrun: the next generation can complete before a waiter has seen this one',
    definition:
      'Nothing in generation g + 1 is ordered after a wait for g, so the parity can flip twice before the waiter looks. Or it has flipped twice, and the waiter sleeps forever.',
    severity: 'E',
    by: ['detector'],
    rank: 1,
    generation: true,
    condition: true,
    blocks: true,
    answer: 'at least',
    mistakes: ['stuck', 'ahead'],
  },
  B2: {
    title: 'more arrivals than the barrier counts',
    definition: 'A generation gets more arrivals than its count before it is complete.',
    severity: 'E',
    by: ['detector'],
    rank: 1,
    generation: true,
    fault: true,
    witness: ['overrun'],
    cause: 'arrival',
    mistakes: ['ahead'],
  },
  B3: {
    title: 'generations of a barrier can be confused',
    definition:
      'Events of two generations are not ordered, so which generation an arrival joins, or a wait passes on, is a matter of timing.',
    severity: 'E',
    by: ['detector'],
    rank: 1,
    generation: true,
    condition: true,
    answer: 'at least',
    cause: 'arrival',
    mistakes: ['ahead'],
  },
  B4: {
    title: 'bytes expected and bytes delivered do not agree',
    definition:
      'A generation waits for bytes that no operation delivers, gets more than it expects, or can complete before the bytes are announced.',
    severity: 'E',
    by: ['detector'],
    rank: 2,
    generation: true,
    condition: true,
    blocks: true,
    answer: 'always',
    mistakes: ['stuck', 'ahead'],
  },
  B5: {
    title: 'a wait that never completes',
    definition: 'Every agent is blocked or has ended, and this wait never passes: a deadlock.',
    severity: 'E',
    by: ['detector'],
    rank: 2,
    generation: true,
    blocks: true,
    answer: 'always',
    mistakes: ['stuck', 'ahead'],
  },
  B6: {
    title: 'missing first arrival, or the wrong initial phase',
    definition:
      'The first wait on a barrier blocks forever, because no arrival has primed it or its parity is that of the next generation. Or it passes on the fresh barrier, while the operation that it should wait for is still running.',
    severity: 'E',
    by: ['detector'],
    rank: 2,
    generation: true,
    blocks: true,
    witness: ['race', 'visibility'],
    answer: 'of one operation',
    cause: 'conflict',
    mistakes: ['stuck'],
  },
  B7: {
    title: 'barrier used before its initialisation or after its end',
    definition:
      'A barrier is used before its initialisation is visible or after its invalidation, is initialised twice, or has its bytes used as data.',
    severity: 'E',
    by: ['detector'],
    rank: 1,
    fault: true,
    blocks: true,
    witness: ['race', 'lifecycle'],
    mistakes: ['early'],
  },
  B8: {
    title: 'a waiter that skips generations',
    definition:
      'An agent that waits for a barrier does not observe each of its generations: those before the one that it observes, or the last ones. Pallas requires this of every agent that waits.',
    severity: 'C',
    by: ['detector'],
    rank: 3,
    exit: true,
    outside: 'always',
    answer: 'always',
    mistakes: ['stuck'],
  },
  B9: {
    title: 'barrier used by another CTA before its initialisation is published',
    definition:
      'An agent of another CTA arrives on a barrier, or an operation of its signals it, after the initialisation, but only by relaxed cluster barriers and without a fence.mbarrier_init.',
    severity: 'E',
    by: ['detector'],
    rank: 1,
    witness: ['visibility'],
  },
  U1: {
    title: 'completions that no wait observed',
    definition:
      'A Pallas barrier is invalidated although no wait has seen some of its generations. It is a hazard, not a note, when its storage is used again.',
    severity: 'C',
    by: ['detector'],
    rank: 3,
    exit: true,
    witness: ['exit'],
    outside: 'always',
    answer: 'always',
    mistakes: ['stuck'],
  },
  U2: {
    title: 'asynchronous operation outstanding at exit',
    definition: 'A CTA exits, or frees tensor memory, while an operation that it issued may still run.',
    severity: 'E',
    by: ['detector'],
    rank: 3,
    exit: true,
    witness: ['race', 'exit'],
    mistakes: ['early', 'ahead'],
  },
  M1: {
    title: 'wgmma accumulator touched before the wait',
    definition:
      'Registers that a wgmma writes are used before a group wait covers the wgmma, or without a wgmma fence before it.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    writeFirst: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  M2: {
    title: 'MMA accumulator read before its commit was observed',
    definition: 'Tensor memory is loaded while the MMA that fills it may still run.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    writeFirst: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  M3: {
    title: 'tensor memory or registers of a load used before the load was waited for',
    definition:
      'A tensor-memory load is still under way when its columns are overwritten or freed, or its registers are used.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  M4: {
    title: 'tensor-memory store not waited for',
    definition: 'A tensor-memory store is used by an MMA or another load before a wait for stores.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    writeFirst: true,
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  M5: {
    title: 'barrier does not order the tensor core',
    definition: 'A commit signals a Pallas barrier that was declared without tensor-core order.',
    severity: 'C',
    by: ['detector', 'validation'],
    rank: 3,
    witness: ['race', 'visibility'],
    outside: 'always',
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  M6: {
    title: 'first MMA accumulates what nothing has written',
    definition: 'An MMA adds to columns of tensor memory that have never been written.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility', 'unwritten'],
    answer: 'always',
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  M7: {
    title: 'collective MMA issued by the wrong agents',
    definition: 'An MMA over two CTAs must be issued once, by the leader, while both CTAs are running.',
    severity: 'E',
    by: ['validation', 'machine', 'detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    outside: 'always',
    answer: 'always',
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  M8: {
    title: 'tensor memory passed on without the thread-sync fences',
    definition:
      'Another agent uses tensor memory in order, but over a barrier that carries no tensor-core order and without before_thread_sync and after_thread_sync.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility'],
    cause: 'conflict',
    mistakes: ['early', 'ahead'],
  },
  T1: {
    title: 'tensor memory leaked',
    definition: 'An allocation of tensor-memory columns is not freed by the end.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    exit: true,
    witness: ['exit'],
    answer: 'always',
  },
  T2: {
    title: 'tensor memory freed twice',
    definition: 'Columns are freed that are not allocated.',
    severity: 'E',
    by: ['machine', 'detector'],
    rank: 0,
    witness: ['exit'],
  },
  T3: {
    title: 'illegal number of tensor-memory columns',
    definition:
      'An allocation is not a power of two from 32 to 512 columns, or the CTA has no such number left.',
    severity: 'E',
    by: ['validation', 'machine'],
    rank: 0,
    witness: ['exit'],
  },
  T4: {
    title: 'collective allocation differs between the CTAs',
    definition: 'The two CTAs of a pair do not allocate the same columns.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    exit: true,
    witness: ['exit'],
    answer: 'always',
  },
  T5: {
    title: 'peer exits before the deallocation',
    definition: 'A CTA of a pair has exited when the other one frees what both allocated.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    exit: true,
    witness: ['exit'],
    answer: 'always',
  },
  K1: {
    title: 'CTA can exit while others still reach into it',
    definition:
      'A remote arrive, multicast or access of another CTA is not ordered before the exit of the CTA that it reaches.',
    severity: 'E',
    by: ['detector'],
    rank: 3,
    exit: true,
    witness: ['race', 'visibility', 'exit'],
    answer: 'always',
    cause: 'conflict',
    mistakes: ['early'],
  },
  K2: {
    title: 'collective operation not reached by all',
    definition:
      'An operation of the whole cluster is executed by some of its CTAs only, and the others end without it; if they wait elsewhere, it is a deadlock (B5).',
    severity: 'E',
    by: ['detector'],
    rank: 3,
    exit: true,
    witness: ['race', 'visibility', 'exit'],
    outside: 'always',
    answer: 'always',
    cause: 'conflict',
  },
  K3: {
    title: 'multicast does not cover its destinations once',
    definition:
      'Copies of several CTAs write the same bytes of one CTA in one generation of its barrier. Bytes that they leave out are reported as I1, or never come (B4).',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['race', 'visibility', 'exit'],
    cause: 'conflict',
  },
  K4: {
    title: 'peer CTA that may not have started, or not allocated',
    definition:
      'A CTA accesses the memory of another CTA, or allocates tensor memory for a pair, and the other CTA may not have started. Or the pair frees memory that the other CTA may not have allocated yet.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['exit'],
    outside: 'always',
    answer: 'always',
    mistakes: ['early'],
  },
  A1: {
    title: 'shared memory over its limit',
    definition: 'The buffers of a CTA need more shared memory than a CTA can have.',
    severity: 'C',
    by: ['validation'],
    rank: 0,
    outside: 'always',
  },
  A2: {
    title: 'registers over their limit',
    definition:
      'A thread has more than 256 registers, or the agents of a CTA have more than the 65536 of an SM. Or a warpgroup decreases to more registers than it has, increases to fewer, or its warps do not all execute the same setmaxnreg.',
    severity: 'C',
    by: ['detector', 'validation', 'machine'],
    answer: 'always',
    rank: 0,
    outside: 'always',
  },
  A3: {
    title: 'misaligned base',
    definition: 'A view starts where its swizzle does not allow it to start.',
    severity: 'C',
    by: ['validation'],
    rank: 0,
    outside: 'always',
  },
  A4: {
    title: 'descriptor rule broken',
    definition:
      'A box, stride, coordinate or address breaks a rule of tensor maps; coordinates that are computed are checked when they are used.',
    severity: 'C',
    by: ['validation', 'machine'],
    rank: 0,
    outside: 'always',
  },
  L1: {
    title: 'written and read under different layouts',
    definition:
      'Writer and reader take the same bytes for different elements. It is looked for when an output is not what the program should compute.',
    severity: 'E',
    by: ['provenance'],
    rank: 0,
    outside: 'always',
  },
  L2: {
    title: 'register layout misused',
    definition: 'A tile of registers is used under a layout that it does not have.',
    severity: 'C',
    by: ['validation'],
    rank: 0,
    outside: 'always',
  },
  I1: {
    title: 'read of memory that nothing has written',
    definition: 'A read finds bytes that nothing has written, and that no late write should have filled.',
    severity: 'E',
    by: ['machine', 'detector'],
    rank: 0,
    witness: ['unwritten'],
    answer: 'always',
    mistakes: ['early'],
  },
  I2: {
    title: 'out of bounds',
    definition:
      'An access goes out of bounds where the hardware does not clip it, or stays in bounds only because its offset wrapped round in 32 bits.',
    severity: 'E',
    by: ['machine'],
    rank: 0,
    answer: 'always',
  },
  V1: {
    title: 'published only by the completion of another operation',
    definition:
      'A write reaches its reader only through the completion of a bulk copy, which publishes the bytes of that copy alone.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['visibility'],
    cause: 'conflict',
    mistakes: ['early'],
  },
  V2: {
    title: 'the result depends on the order of strong accesses',
    definition:
      'A strong read and a strong write of one word, or two strong writes, are not ordered. The read may take either value, or either write may be the last. The final contents of global memory depend on this, but no branch does.',
    severity: 'E',
    by: ['otherwise'],
    rank: 0,
    outside: 'always',
    ptxAlone: 'other programs do not read or write single words strongly',
  },
  V3: {
    title: 'read-only load of memory that the kernel writes',
    definition:
      'A load for memory that the kernel does not write (ld.global.nc, `__ldg`, or a `const __restrict__` pointer) reads bytes that the kernel has written. It may find old bytes, even if the two are ordered.',
    severity: 'E',
    by: ['detector'],
    rank: 0,
    witness: ['visibility'],
    cause: 'conflict',
    ptxAlone: 'other programs have one kind of load of global memory',
  },
  O1: {
    title: 'output never written',
    definition: 'Nothing has written a byte of an output when the kernel ends.',
    severity: 'E',
    by: ['detector'],
    rank: 3,
    exit: true,
    outside: 'always',
    answer: 'always',
  },
  N1: {
    title: 'result may differ from run to run',
    definition:
      'Unordered atomic writes of the same bytes do not commute: sums of floats, or operations of different kinds. Or schedules end with different contents of a tensor, because an atomic or strong read finds different values. Or bytes of a tensor hold what hardware alone knows, such as a clock or `%smid`.',
    severity: 'L',
    by: ['detector', 'ends', 'hardware'],
    rank: 0,
    outside: 'always',
    answer: 'always',
  },
  N2: {
    title: 'order that rests on a relaxed arrive or wait',
    definition:
      'Two accesses, or an access and the exit of its CTA, are ordered only by relaxed arrives or waits. According to the manual these do not order ordinary accesses, and with `--strict` it is a hazard.',
    severity: 'L',
    by: ['detector'],
    rank: 0,
    outside: 'always',
    answer: 'always',
  },
  N3: {
    title: 'order that rests on the issue order of products',
    definition:
      'Two products of one agent with different accumulators, shapes or kinds are assumed to happen in the order of their issue, which the manual does not promise. With `--tensor-pipe documented` it is a race.',
    severity: 'L',
    by: ['detector'],
    rank: 0,
    outside: 'always',
    answer: 'always',
  },
  N4: {
    title: 'unordered writes of the same value',
    definition:
      'Two unordered writes of the same bytes store the same value in every run: a race without a visible effect.',
    severity: 'L',
    by: ['detector', 'terms'],
    rank: 0,
    outside: 'always',
  },
  N5: {
    title: '.aligned barrier without all threads of the warp',
    definition:
      'A warp executes an .aligned barrier after some of its threads have ended, or its threads execute it at different places. PTX says that all threads of the warp must execute the same instruction; a barrier waits for those that have not ended, wherever they execute it.',
    severity: 'L',
    by: ['detector'],
    rank: 0,
    outside: 'always',
    answer: 'always',
    ptxAlone: 'agents of other programs have no lanes',
  },
} as const

// ---------------------------------------------------------------- what follows

export type HazardId = keyof typeof rows

/** Those with a property. */
type With<P extends keyof Hazard> = {
  readonly [K in HazardId]: (typeof rows)[K] extends { readonly [Q in P]: unknown } ? K : never
}[HazardId]
export type ConditionId = With<'condition'>
export type BlockingId = With<'blocks'>

/** The part of the taxonomy that an id belongs to. */
export type Letter = LetterOf<HazardId>
type LetterOf<I> = I extends `${infer L}${number}` ? L : never

export const hazards: Readonly<Record<HazardId, Hazard>> = rows

const ids: ReadonlyArray<HazardId> = Object.keys(rows).filter((k): k is HazardId => k in rows)

/** Every id, in the order of the taxonomy. */
export const hazardIds: ReadonlyArray<HazardId> = ids
