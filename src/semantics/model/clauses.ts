/**
 * The memory model, clause by clause: what each says, where it comes from, and what it shows.
 *
 * A clause of order or visibility is a set of arrows (`views.ts`) and stands beside its definition. The others are questions: they are asked in `race.ts`, `conditions.ts`,
 * `ends.ts` and `allocations.ts` under the name that they have here. docs/MemoryModel.md is made of this table; which hazards
 * need which clause it finds out by leaving them out.
 *
 * A litmus test is a log, an event a line; its verdict, and the verdict that it would have without the clause, are computed. `expect` and `without` say what has to
 * be in them.
 *
 * | in a litmus test       | is                                                                                              |
 * |------------------------|--------------------------------------------------------------------------------------------------|
 * | T0, T1 ...; U0, U1 ... | agents of CTA 0; of CTA 1                                                                        |
 * | x, y, z; x'            | shared memory of CTA 0; of CTA 1                                                                 |
 * | g, h, s; t; r          | global memory; tensor memory of CTA 0; registers of T0                                           |
 * | b, c, d; b'            | barriers of CTA 0 that count 1; of CTA 1. They are initialised, and all agents know it           |
 * | T0, T1: sync           | bar.warp.sync of lanes of one warp, each an agent of its own                                     |
 * | #1                     | an operation, between its issue and its signals                                                 |
 *
 * Sources: *PTX n* is a section of the PTX ISA as 9.1 numbers it, where the number has been looked up; any other section stands by its title, “Title”; "documented nowhere" is a rule that shipped kernels rely on or that the conditions need, and that no manual states.
 */
import type { Choices, Judging } from './judging.js'
import * as Order from './order.js'
import * as Visible from './visible.js'
import type { Reading } from './reading.js'
import type { Arrow } from './views.js'

export interface Litmus {
  readonly log: ReadonlyArray<string>
  readonly expect: string
  readonly without: string
  readonly options?: Partial<Choices>
}
export interface Clause {
  readonly id: string
  readonly part: 'order' | 'visibility' | 'conflict' | 'conditions' | 'ends'
  readonly says: string
  readonly source: string
  readonly litmus: Litmus
  /** of a clause of order or visibility */
  readonly arrows?: (r: Reading, has: Judging['has']) => ReadonlyArray<Arrow>
}

const ok = 'ok'

const order: ReadonlyArray<Clause> = [
  {
    id: 'program',
    part: 'order',
    says: 'Each event of an agent comes after the one before it, and sees what that one saw.',
    source: 'PTX, “Program Order”',
    litmus: { log: ['T0: write x', 'T0: read x'], expect: ok, without: 'race' },
    arrows: Order.program,
  },
  {
    id: 'issue',
    part: 'order',
    says: 'The accesses of an operation come after its issue and see what the issuer saw. Its signals come after its issue too, and pass on nothing of what the issuer saw.',
    source:
      'PTX 8.9.1.1 (asynchronous operations; the implicit complete_tx orders the accesses of its own instruction alone)',
    litmus: {
      log: [
        'T0: write x',
        'T0: fence async',
        'T0: issue #1 store',
        '#1: read x',
        'T0: commit bulk',
        'T0: wait.group bulk 0 read',
      ],
      expect: ok,
      without: 'race',
    },
    arrows: Order.issue,
  },
  {
    id: 'fork',
    part: 'order',
    says: 'A branch comes after its fork, and a join after the last event of each branch. Neither waits for what is in flight.',
    source:
      'not in the ISA, which has no fork: the surfaces have one, and Triton lowers it to bar.sync (PTX, “bar, barrier”)',
    litmus: { log: ['T0: write x', 'T0: fork T1', 'T1: read x'], expect: ok, without: 'race' },
    arrows: Order.fork,
  },
  {
    id: 'release',
    part: 'order',
    says: 'A release arrive comes before each wait that observes its phase, and tells it what its agent saw if the wait acquires; between CTAs both have to be of a wider scope than a CTA. So do the signals of operations, whose own accesses are all that they tell.',
    source:
      'PTX 9.7.13.15.16 (order guarantees of a successful acquire wait); “Release and Acquire Patterns”',
    litmus: {
      log: ['T0: write x', 'T0: arrive b', 'T1: wait b 0', 'T1: read x'],
      expect: ok,
      without: 'race',
    },
    arrows: Order.release,
  },
  {
    id: 'relaxed',
    part: 'order',
    says: 'Every other event of a phase (a relaxed arrive, an expectation, an arrive whose wait is relaxed or whose scope is too narrow) comes before the waits that observe it, and tells nothing. Under `strict` it orders no access at all; otherwise a pair that is ordered by it alone is noted.',
    source:
      'documented nowhere: PTX 9.7.13.15 gives relaxed arrives and waits no order; shipped kernels leave through relaxed cluster barriers',
    litmus: {
      log: ['T0: read x', 'T0: arrive b relaxed', 'T1: wait b 0', 'T1: write x'],
      expect: ok,
      without: 'race',
    },
    arrows: Order.relaxed,
  },
  {
    id: 'complete',
    part: 'order',
    says: 'The copies whose signals joined a phase are done, and seen, for each acquiring wait that observes that phase.',
    source:
      'PTX 9.7.13.15.16, 8.9.1.1 (complete_tx is release.cluster, and its completion an implicit proxy fence); captured: mbarrier.json, tma.json (phase0_complete)',
    litmus: {
      log: [
        'T0: arrive b +16',
        'T0: issue #1 load',
        '#1: write x',
        '#1: bytes b 16',
        'T1: wait b 0',
        'T1: read x',
      ],
      expect: ok,
      without: 'race',
    },
    arrows: Order.complete,
  },
  {
    id: 'certain-peeks',
    part: 'order',
    says: 'A peek (a test that no more than spares a later wait) is judged as if it were false, and that wait as if it were made. But where the agent knows every event of a phase, a peek that is true of it cannot be false: it observes the phase there, and the wait does not.',
    source:
      'PTX, mbarrier.test_wait (true of a phase that is complete); src/semantics/judging/detector/peeks.ts',
    litmus: {
      log: [
        'T0: write x',
        'T0: arrive b',
        'T0: arrive c relaxed',
        'T1: wait c 0',
        'T1: peek b 0 true',
        'T1: read x',
        'T1: wait b 0 spared',
      ],
      expect: ok,
      without: 'not visible',
    },
  },
  {
    id: 'phases',
    part: 'order',
    says: 'The phases of a barrier end one after another: to know that one is over is to know that the copies of the earlier ones are done. It is not to see what they brought.',
    source: 'PTX 9.7.13.15.6 (phase completion); follows from C3 where that holds; captured: mbarrier.json',
    litmus: {
      log: [
        'T0: arrive b +16',
        'T0: issue #1 load',
        '#1: read g',
        '#1: write x',
        '#1: bytes b 16',
        'T1: arrive b',
        'T2: wait b 1',
        'T2: write g',
      ],
      expect: 'C3',
      without: 'race',
    },
    arrows: Order.phases,
  },
  {
    id: 'commit',
    part: 'order',
    says: 'A tcgen05.commit arrives when the entries before it in its queue are done, and its earlier commits have arrived; it tells of their tensor memory alone.',
    source:
      'PTX 9.7.16.6 (mma, cp, shift before commit); that commits arrive in their order is documented nowhere, and without it matmul1 to matmul5 end with arrivals pending',
    litmus: {
      log: [
        'T0: issue #1 mma',
        '#1: write t',
        'T0: issue #2 commit',
        '#2: arrive b',
        'T1: wait b 0 tensor',
        'T1: issue #3 ld',
        '#3: read t',
        'T1: wait.ld',
      ],
      expect: ok,
      without: 'race',
    },
    arrows: Order.commit,
  },
  {
    id: 'copies',
    part: 'order',
    says: 'The arrive of cp.async is made when the copies of its agent before it are done, and tells of them.',
    source: 'PTX 9.7.13.15.16 (2) (cp.async before cp.async.mbarrier.arrive)',
    litmus: {
      log: [
        'T0: issue #1 copy',
        '#1: write x generic',
        'T0: issue #2 copy',
        '#2: arrive b',
        'T1: wait b 0',
        'T1: read x',
      ],
      expect: ok,
      without: 'race',
    },
    arrows: Order.copies,
  },
  {
    id: 'group',
    part: 'order',
    says: 'A group wait comes after the accesses of the groups that it covers, and sees them: with `.read` after the reads of a bulk store alone; after the registers of a tensor-memory load, or its columns too.',
    source:
      'PTX, “cp.async.bulk.wait_group”, “wgmma.wait_group”, “cp.async.wait_group”; 9.7.16.6 (tcgen05.wait)',
    litmus: {
      log: [
        'T0: issue #1 store',
        '#1: read x',
        'T0: commit bulk',
        'T0: wait.group bulk 0 read',
        'T0: write x',
      ],
      expect: ok,
      without: 'race',
    },
    arrows: Order.group,
  },
  {
    id: 'meet',
    part: 'order',
    says: 'Where agents meet (bar.sync, the cluster barrier), a leave comes after every arrival of its generation; neither relaxed, it is told what they saw.',
    source: 'PTX, “bar, barrier” and “barrier.cluster”',
    litmus: { log: ['T0: write x', 'T0, T1: meet', 'T1: read x'], expect: ok, without: 'race' },
    arrows: Order.meet,
  },
  {
    id: 'lanes',
    part: 'order',
    says: 'The lanes of a warp are threads. bar.warp.sync orders those of its mask: each sees after it what all of them saw before it. Being converged orders nothing. Program order, a release, an acquire, an arrival, an issue and a proxy fence belong to the lanes that execute them. shfl, vote, match and redux order no memory; but a lane has loaded what it gives to them. ldmatrix, stmatrix and wgmma are accesses by every lane. In this test each lane is an agent of its own.',
    source:
      'PTX, “bar.warp.sync” (it orders memory among the threads that take part), “Program Order” (of a thread), 8.9.5 (a proxy fence along the causality order of threads); CUDA C++ Programming Guide, “Warp Shuffle Functions” and “Warp Vote Functions” (no memory barrier, no memory ordering); which thread performs ldmatrix and stmatrix the manual leaves open (docs/Ptx.md)',
    litmus: { log: ['T0: write x', 'T0, T1: sync', 'T1: read x'], expect: ok, without: 'race' },
    arrows: Order.lanes,
  },
  {
    id: 'semaphore',
    part: 'order',
    says: 'A semaphore wait comes after every signal so far. Each signal for itself tells it what its agent saw, if the scopes of the two reach the other.',
    source:
      'PTX, “Observation Order” and “Release and Acquire Patterns”; 8.7.1 (each in the scope of the other: morally strong)',
    litmus: {
      log: ['T0: write g', 'T0: signal s 1', 'T1: wait.semaphore s 1', 'T1: read g'],
      expect: ok,
      without: 'race',
    },
    arrows: Order.semaphore,
  },
  {
    id: 'synchronises',
    part: 'order',
    says: 'TODO',
    source: 'TODO',
    litmus: {
      log: ['T0: write g', 'T0: store s release', 'T0, T1: meet relaxed', 'T1: load s acquire', 'T1: read g'],
      expect: ok,
      without: 'not visible',
    },
    arrows: Order.synchronises,
  },
  {
    id: 'fence-sc',
    part: 'order',
    says: 'TODO',
    source: 'TODO',
    litmus: { log: ['T0: write x'], expect: ok, without: 'race' },
    arrows: Order.fenceSc,
  },
  {
    id: 'fence-order',
    part: 'order',
    says: 'TODO',
    source: 'TODO',
    litmus: { log: ['T0: write x'], expect: ok, without: 'race' },
    arrows: Order.fenceShows,
  },
  {
    id: 'fence-arrive',
    part: 'order',
    says: 'TODO',
    source: 'TODO',
    litmus: { log: ['T0: write x'], expect: ok, without: 'race' },
    arrows: Order.fenceArrive,
  },
  {
    id: 'pipe',
    part: 'order',
    says: 'In one unit of one agent some operations happen as they are issued, and the later sees what the earlier wrote: wgmma after wgmma; product after product, product after copy or shift, copy 4x256b after shift, shift after product. Every other pair needs a completion. That products with different accumulators are in order is an assumption (`tensorPipe`), and what rests on it is noted.',
    source:
      'PTX 9.7.16.6 (pipelined pairs), 8.9.1.1 (wgmma); products after any product: documented nowhere, FA4 and CUTLASS rely on it',
    litmus: {
      log: [
        'T0: issue #1 mma',
        '#1: write t',
        'T0: issue #2 mma',
        '#2: write t',
        'T0: issue #3 commit',
        '#3: arrive b',
        'T0: wait b 0',
      ],
      expect: ok,
      without: 'race',
    },
  },
]

const visibility: ReadonlyArray<Clause> = [
  {
    id: 'proxy-fence',
    part: 'visibility',
    says: 'An ordinary write is visible to an asynchronous access if an agent that sees the write executes fence.proxy.async, of CTA or cluster scope for shared memory, global for global memory, and the access sees that fence.',
    source: 'PTX 8.9.5 (proxy-preserved causality order)',
    litmus: {
      log: [
        'T0: write x',
        'T0: arrive b',
        'T1: wait b 0',
        'T1: fence async',
        'T1: issue #1 store',
        '#1: read x',
        'T1: commit bulk',
        'T1: wait.group bulk 0 read',
      ],
      expect: ok,
      without: 'not visible',
    },
    arrows: Visible.proxyFence,
  },
  {
    id: 'register-fence',
    part: 'visibility',
    says: 'A register that its agent has written is visible to the wgmma that it issues behind a wgmma.fence.',
    source: 'PTX 9.7.15 (wgmma.fence)',
    litmus: {
      log: [
        'T0: write r',
        'T0: fence wgmma',
        'T0: issue #1 wgmma',
        '#1: write r',
        'T0: commit wgmma',
        'T0: wait.group wgmma 0',
      ],
      expect: ok,
      without: 'not visible',
    },
    arrows: Visible.registerFence,
  },
  {
    id: 'map-fence',
    part: 'visibility',
    says: 'A tensor map is visible to a copy if an agent that sees it releases it (fence.proxy.tensormap), and one that sees the release acquires it at its address: an acquire takes the maps in its bytes alone.',
    source: 'PTX 9.7.13.4 (fence.proxy.tensormap), 8.9.5',
    litmus: {
      log: [
        'T0: write g',
        'T0: fence map.release',
        'T0: fence map.acquire g',
        'T0: issue #1 store',
        '#1: read g tensormap',
        'T0: commit bulk',
        'T0: wait.group bulk 0',
      ],
      expect: ok,
      without: 'not visible',
    },
    arrows: Visible.mapFence,
  },
  {
    id: 'init-fence',
    part: 'visibility',
    says: 'fence.mbarrier_init makes the initialisations of its agent visible to whatever acquires from that agent afterwards, be the arrive relaxed.',
    source: 'PTX 9.7.13.4 (fence.mbarrier_init.release.cluster, then a relaxed barrier.cluster.arrive)',
    litmus: {
      log: [
        'bare',
        'T0: init b',
        'T0: fence init',
        'T0: come relaxed',
        'U0: come relaxed',
        'T0: go',
        'U0: go',
        'U0: arrive b cluster',
        'T0: wait b 0 cluster',
      ],
      expect: ok,
      without: 'B9',
    },
    arrows: Visible.initFence,
  },
  {
    id: 'thread-sync',
    part: 'visibility',
    says: 'Tensor memory is visible to another agent across before_thread_sync of the one that sees it, a release and an acquire, and after_thread_sync of the other. A commit implies the first; a barrier that orders the tensor core implies both.',
    source: 'PTX 9.7.16.6 (tcgen05.fence; commit implies before_thread_sync)',
    litmus: {
      log: [
        'T0: issue #1 st',
        '#1: write t',
        'T0: wait.st',
        'T0: fence before',
        'T0: arrive b',
        'T1: wait b 0',
        'T1: fence after',
        'T1: issue #2 ld',
        '#2: read t',
        'T1: wait.ld',
      ],
      expect: ok,
      without: 'not visible',
    },
    arrows: Visible.threadSync,
  },
  {
    id: 'landed',
    part: 'visibility',
    says: "A write over a write need not be told of the first where each byte of it was read in between, by a read that saw it and all else that was there, through the second write's proxy if the first was generic: that read shows that the first has landed.",
    source:
      'documented nowhere: without it every refill of a ring by TMA is refused (TMA write, MMA read, commit, TMA write)',
    litmus: {
      log: [
        'T0: arrive b +16',
        'T0: issue #1 load',
        '#1: write x',
        '#1: bytes b 16',
        'T1: wait b 0',
        'T1: issue #2 mma',
        '#2: read x',
        'T1: issue #3 commit',
        '#3: arrive c',
        'T0: wait c 0',
        'T0: arrive b +16',
        'T0: issue #4 load',
        '#4: write x',
        '#4: bytes b 16',
        'T1: wait b 1',
      ],
      expect: ok,
      without: 'not visible',
    },
  },
  {
    id: 'fenced-read',
    part: 'visibility',
    says: 'Under `strictProxies` an ordinary read must be fenced like a write before an asynchronous access overwrites it.',
    source:
      "PTX 8.9.5 by its wording, CUTLASS's epilogue, ConSan; shipped main loops do without, and no chip is known to need it",
    litmus: {
      log: [
        'T0: read x',
        'T0: arrive b +16',
        'T0: issue #1 load',
        '#1: write x',
        '#1: bytes b 16',
        'T0: wait b 0',
      ],
      options: { strictProxies: true },
      expect: 'unfenced',
      without: ok,
    },
  },
]

const conflict: ReadonlyArray<Clause> = [
  {
    id: 'race',
    part: 'conflict',
    says: 'Two accesses that meet on a byte, one of them a write, and are not ordered, are a race.',
    source: 'PTX 8.7.1 (data race)',
    litmus: { log: ['T0: write x', 'T1: read x'], expect: 'race', without: ok },
  },
  {
    id: 'visibility',
    part: 'conflict',
    says: 'A write that meets an access, is ordered before it and is not visible to it is a visibility hazard.',
    source: 'PTX 8.9.5, 8.9.1.1 (not cumulative over bulk completions)',
    litmus: {
      log: [
        'b counts 1',
        'T0: arrive b +16',
        'T0: issue #1 load',
        '#1: write x',
        '#1: bytes b 16',
        'T1: wait b 0',
        'T2: arrive c +16',
        'T1: issue #2 load',
        '#2: write z',
        '#2: bytes c 16',
        'T2: wait c 0',
        'T2: arrive b +16',
        'T1: issue #3 load',
        '#3: write y',
        '#3: bytes b 16',
        'T2: wait b 1',
        'T2: read x',
      ],
      expect: 'not visible',
      without: ok,
    },
  },
  {
    id: 'atomic',
    part: 'conflict',
    says: 'Two atomic accesses do not conflict if each is in the scope of the other, both go through one proxy and their elements are equally wide. If they do not commute, what memory holds is a matter of their order (C1, but for the rounding of sums).',
    source: 'PTX 8.7.1 (morally strong)',
    litmus: { log: ['T0: atomic g', 'T1: atomic g'], expect: ok, without: 'race' },
  },
  {
    id: 'nothing',
    part: 'conflict',
    says: 'A read of bytes that nothing has written before it races with the first later write that is not ordered after it; if there is none, it has read nothing.',
    source: 'PTX, “Axioms” (a read takes its value from a write)',
    litmus: { log: ['nothing is written before', 'T0: read x'], expect: 'nothing there', without: ok },
  },
  {
    id: 'foreign',
    part: 'conflict',
    says: 'Nothing orders clusters that run one after the other.',
    source: 'the CUDA programming model (blocks of a grid are independent)',
    litmus: { log: ['T0: write g', 'next cluster', 'T0: write g'], expect: 'race of clusters', without: ok },
  },
]

const conditions: ReadonlyArray<Clause> = [
  {
    id: 'C1',
    part: 'conditions',
    says: 'No control depends on timing; atomic writes that do not commute, and requests for clusters, are ordered.',
    source: 'docs/hazards.md',
    litmus: { log: ['T0: atomic g', 'T1: atomic g or'], expect: 'C1', without: 'any order' },
  },
  {
    id: 'C1-peek',
    part: 'conditions',
    says: 'A wait is spared by its agent’s last peek of that barrier, which spares no other; of the same parity; and it acquires what the wait would.',
    source: 'src/semantics/judging/detector/peeks.ts',
    litmus: { log: ['T0: arrive b', 'T1: peek b 0 true', 'T1: wait c 0 spared'], expect: 'C1', without: ok },
  },
  {
    id: 'C2',
    part: 'conditions',
    says: 'A wait passes iff the parity that it names is that of the last complete phase; it observes that phase, and none on a fresh barrier.',
    source: 'PTX 9.7.13.15.16; captured: mbarrier.json (test_wait.parity after each operation)',
    litmus: { log: ['T0: arrive b', 'T1: wait b 1'], expect: 'C2', without: ok },
  },
  {
    id: 'C3',
    part: 'conditions',
    says: 'Every event of a phase (arrive, expectation, delivery) knows every event of the phase before.',
    source: 'docs/hazards.md, "Why each condition is as it is"',
    litmus: { log: ['T0: arrive b', 'T1: expect b 16'], expect: 'C3', without: ok },
  },
  {
    id: 'C4-upper',
    part: 'conditions',
    says: 'If the next phase completes, one of its events knows the wait.',
    source: 'docs/hazards.md; PTX 9.7.13.15.4 (one phase ahead)',
    litmus: { log: ['T0: arrive b', 'T1: wait b 0', 'T0: arrive b'], expect: 'C4', without: ok },
  },
  {
    id: 'C4-lower',
    part: 'conditions',
    says: 'An agent that observes a phase knew every event of the phase before, without this wait.',
    source: 'docs/hazards.md',
    litmus: { log: ['T0: arrive b', 'T0: arrive b', 'T1: wait b 1'], expect: 'C4', without: ok },
  },
  {
    id: 'C4-peek',
    part: 'conditions',
    says: 'A wait that a peek may spare observes the phase that the peek was of; and at the peek its agent knew every event of the phase before.',
    source: 'src/semantics/judging/detector/peeks.ts',
    litmus: {
      log: [
        'T0: arrive b',
        'T0: arrive b',
        'T0: arrive c',
        'T1: peek b 1 true',
        'T1: wait c 0',
        'T1: wait b 1 spared',
      ],
      expect: 'C4',
      without: ok,
    },
  },
  {
    id: 'C4-semaphore',
    part: 'conditions',
    says: 'Signals behind a semaphore wait know it; no signal before it could be spared, with those of its agent behind it; what one wait takes away no other could have taken.',
    source: 'docs/hazards.md',
    litmus: {
      log: ['T0: signal s 1', 'T1: signal s 1', 'T2: wait.semaphore s 1'],
      expect: 'C4',
      without: ok,
    },
  },
  {
    id: 'C6',
    part: 'conditions',
    says: 'Every expectation of a phase that is complete or has an arrival is known to a counted arrival of it; so is every arrival that is asked for.',
    source: 'docs/hazards.md; captured: mbarrier.json (an expect_tx may complete a phase)',
    litmus: { log: ['T0: expect b 16', 'T1: arrive b'], expect: 'C6', without: ok },
  },
]

const ends: ReadonlyArray<Clause> = [
  {
    id: 'exit',
    part: 'ends',
    says: 'Every effect on a CTA (its shared and tensor memory, its barriers) by an operation or by another CTA is known to an agent of that CTA when it exits.',
    source:
      "PTX, “Shared State Space” (a CTA that has exited has no shared memory) and “barrier.cluster”; CUTLASS's producer_tail",
    litmus: { log: ['T0: issue #1 store', '#1: read x', 'T0: commit bulk'], expect: 'U2', without: ok },
  },
  {
    id: 'absent',
    part: 'ends',
    says: 'A cluster barrier is left when an agent of each CTA has come.',
    source: 'PTX, “barrier.cluster” (every thread of the cluster that has not exited)',
    litmus: { log: ['bare', 'T0: come', 'T0: go', "U0: write x'"], expect: 'K2', without: ok },
  },
  {
    id: 'output',
    part: 'ends',
    says: 'Every byte of an output has a write.',
    source: 'what an output is',
    litmus: { log: ['g is an output', 'T0: read x'], expect: 'O1', without: ok },
  },
  {
    id: 'life',
    part: 'ends',
    says: 'A barrier is used between its initialisation and its invalidation, by agents that know of the one, and before the other; meanwhile its bytes are no payload.',
    source: 'PTX 9.7.13.15 (operations on an object that is not initialised are undefined)',
    litmus: {
      log: ['bare', 'T0: init b', 'T0: arrive b', 'T1: wait b 0'],
      expect: 'B7',
      without: ok,
    },
  },
  {
    id: 'life-told',
    part: 'ends',
    says: 'An agent of another CTA uses it only if the initialisation was released to it, or fenced (init-fence).',
    source: 'PTX 9.7.13.4 (fence.mbarrier_init)',
    litmus: {
      log: [
        'bare',
        'T0: init b',
        'T0: come relaxed',
        'U0: come relaxed',
        'T0: go',
        'U0: go',
        'U0: arrive b cluster',
        'T0: wait b 0 cluster',
      ],
      expect: 'B9',
      without: ok,
    },
  },
  {
    id: 'count',
    part: 'ends',
    says: 'A phase gets no more arrivals than it counts, its transaction count stays within 2^20 - 1 either way; the threads at a named barrier are counted alike and come once, and who leaves has come.',
    source:
      'PTX 9.7.13.15 (ranges of the counts), “bar, barrier”; captured: mbarrier_limits.json (an arrive too many is a launch failure)',
    litmus: { log: ['T0: expect b 16', 'T0: arrive b', 'T0: arrive b'], expect: 'B2', without: ok },
  },
  {
    id: 'contract',
    part: 'ends',
    says: 'Of a Pallas barrier every agent that waits observes every phase, and every phase is observed.',
    source:
      'Pallas, mosaic_gpu (barrier rules); a contract, and a hazard only where the storage is used again',
    litmus: { log: ['b is of Pallas', 'T0: arrive b'], expect: 'U1', without: ok },
  },
  {
    id: 'allocation',
    part: 'ends',
    says: 'Tensor memory is used between its allocation and its release, and both are known; it is released once, by both CTAs of a pair alike.',
    source: 'PTX 9.7.16 (tcgen05.alloc, dealloc)',
    litmus: {
      log: ['T0: alloc t', 'T0, T1: meet', 'T1: issue #1 st', '#1: write t', 'T0: dealloc t', 'T1: wait.st'],
      expect: 'U2',
      without: ok,
    },
  },
]

export const clauses: ReadonlyArray<Clause> = [...order, ...visibility, ...conflict, ...conditions, ...ends]

/** An arrow, and the clause that draws it. */
export interface Drawn {
  readonly clause: string
  readonly arrow: Arrow
}

/** All arrows of the clauses that stand. */
export const drawn = (r: Reading, { has }: Judging): ReadonlyArray<Drawn> =>
  clauses.flatMap(({ id, arrows }) =>
    arrows === undefined || !has(id) ? [] : arrows(r, has).map((arrow) => ({ clause: id, arrow })),
  )
export const arrowsOf = (r: Reading, how: Judging): ReadonlyArray<Arrow> =>
  drawn(r, how).map(({ arrow }) => arrow)
