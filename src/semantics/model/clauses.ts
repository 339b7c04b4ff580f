/**
 * The memory model, clause by clause: what each says, where it comes from, and what it shows.
 *
 * A clause of order or visibility is a set of arrows (`views.ts`) and stands beside its definition. Those of strong accesses that draw none say which arrows `synchronises` and `fence-sc` draw (`strong.ts`).
 * The others are questions: they are asked in `race.ts`, `readings.ts`, `conditions.ts`, `ends.ts` and `allocations.ts` under the name that they have here. docs/MemoryModel.md is made of this table; which hazards
 * need which clause it finds out by leaving them out.
 *
 * A litmus test is a log, an event a line; its verdict, and the verdict that it would have without the clause, are computed. `expect` and `without` say what has to
 * be in them.
 *
 * | in a litmus test       | is                                                                                              |
 * |------------------------|--------------------------------------------------------------------------------------------------|
 * | T0, T1 ...; U0, U1 ... | agents of CTA 0; of CTA 1. V0, V1 ... are of a CTA of another cluster that runs beside it         |
 * | load, store, atomic    | strong accesses: relaxed and of the whole grid, if nothing else is said                          |
 * | wait.word s            | a loop that loads s until it has a value                                                         |
 * | x, y, z; x'            | shared memory of CTA 0; of CTA 1                                                                 |
 * | g, h, s; t; r          | global memory; tensor memory of CTA 0; registers of T0                                           |
 * | b, c, d; b'            | barriers of CTA 0 that count 1; of CTA 1. They are initialised, and all agents know it           |
 * | T0, T1: sync           | bar.warp.sync of lanes of one warp, each an agent of its own                                     |
 * | #1                     | an operation, between its issue and its signals                                                 |
 *
 * Sources: *PTX n* is a section of the PTX ISA as 9.1 numbers it, where the number has been looked up; any other section stands by its title, “Title”; "not documented" is a rule that shipped kernels rely on or that the conditions need, and that no manual states.
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
  readonly part: 'order' | 'visibility' | 'conflict' | 'readings' | 'conditions' | 'ends'
  readonly says: string
  /** `model`: what no manual states, and the model takes to be so */
  readonly evidence: 'silicon' | 'documented' | 'model'
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
    says: 'Each event of an agent comes after the one before it, and sees what the earlier event saw.',
    evidence: 'documented',
    source: 'PTX, “Program Order”',
    litmus: { log: ['T0: write x', 'T0: read x'], expect: ok, without: 'race' },
    arrows: Order.program,
  },
  {
    id: 'issue',
    part: 'order',
    says: 'The accesses of an operation come after its issue and see what the issuer saw. Its signals come after its issue, too, and publish nothing that its issuer saw.',
    evidence: 'documented',
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
    says: 'A branch comes after its fork, and a join after the last event of each branch. Neither waits for operations in flight.',
    evidence: 'model',
    source:
      'not in the ISA, which has no fork: the surfaces have one, and Triton lowers it to bar.sync (PTX, “bar, barrier”)',
    litmus: { log: ['T0: write x', 'T0: fork T1', 'T1: read x'], expect: ok, without: 'race' },
    arrows: Order.fork,
  },
  {
    id: 'release',
    part: 'order',
    says: 'A release arrive comes before each wait that observes its phase, and publishes to it what its agent saw, if the wait acquires. Between CTAs, both need a scope wider than a CTA. The signals of operations do the same, but they tell only the accesses of their own operation.',
    evidence: 'documented',
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
    says: 'Every other event of a phase (a relaxed arrive, an expectation, an arrive whose wait is relaxed or whose scope is too narrow) comes before the waits that observe it, and publishes nothing. Under `strict` it orders no access at all; otherwise a pair that is ordered by it alone is noted.',
    evidence: 'model',
    source:
      'not documented: PTX 9.7.13.15 gives relaxed arrives and waits no order; shipped kernels leave through relaxed cluster barriers',
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
    evidence: 'silicon',
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
    says: 'A peek (a test that only saves a later wait) is judged as false, and the wait as executed. If the agent knows every event of a phase, a peek that is true of it cannot be false: the peek observes the phase, and the wait does not.',
    evidence: 'documented',
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
    says: 'The phases of a barrier end one after another: an agent that knows the end of one knows that the copies of all earlier ones are done. That does not make their bytes visible.',
    evidence: 'silicon',
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
    says: 'A tcgen05.commit arrives when the entries before it in its queue are done, and its earlier commits have arrived. It publishes only their accesses to tensor memory.',
    evidence: 'model',
    source:
      'PTX 9.7.16.6 (mma, cp, shift before commit); it is not documented that commits arrive in order, and without this matmul1 to matmul5 end with arrivals pending',
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
    says: 'The arrive of cp.async happens when the earlier copies of its agent are done, and announces them.',
    evidence: 'documented',
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
    says: 'A group wait comes after the accesses of the groups that it covers, and sees them. With `.read` it comes only after the reads of a bulk store. For a tensor-memory load it covers the registers, or the columns too.',
    evidence: 'documented',
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
    says: 'When agents meet (bar.sync, the cluster barrier), a leave comes after every arrival of its generation. If neither is relaxed, the leave learns what the arrivals saw.',
    evidence: 'documented',
    source: 'PTX, “bar, barrier” and “barrier.cluster”',
    litmus: { log: ['T0: write x', 'T0, T1: meet', 'T1: read x'], expect: ok, without: 'race' },
    arrows: Order.meet,
  },
  {
    id: 'lanes',
    part: 'order',
    says: 'The lanes of a warp are threads. bar.warp.sync orders the lanes of its mask: after it, each lane sees what all of them saw before it. Being converged orders nothing. Program order, a release, an acquire, an arrival, an issue and a proxy fence belong to the lanes that execute them. shfl, vote, match and redux order no memory; but a lane has loaded what it gives to them. ldmatrix, stmatrix and wgmma are accesses by every lane. In this test each lane is a separate agent.',
    evidence: 'model',
    source:
      'PTX, “bar.warp.sync” (it orders memory among the threads that take part), “Program Order” (of a thread), 8.9.5 (a proxy fence along the causality order of threads); CUDA C++ Programming Guide, “Warp Shuffle Functions” and “Warp Vote Functions” (no memory barrier, no memory ordering); which thread performs ldmatrix and stmatrix the manual leaves open (docs/Ptx.md)',
    litmus: { log: ['T0: write x', 'T0, T1: sync', 'T1: read x'], expect: ok, without: 'race' },
    arrows: Order.lanes,
  },
  {
    id: 'semaphore',
    part: 'order',
    says: 'A semaphore wait comes after every signal so far. Each of these signals publishes what its agent saw to the wait, if the scope of each includes the other agent.',
    evidence: 'documented',
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
    says: 'A release and an acquire of one word synchronise if the acquire observes what the release has written. The reader then comes after everything that the releasing thread saw, and sees it. A strong read observes the last write before it in the log, if the two are morally strong: `scope` and `width` say when. A signal of a semaphore counts here as a relaxed atomic.',
    evidence: 'documented',
    source:
      'PTX 8.9.4 (a release pattern synchronises with an acquire pattern), 8.8 (patterns), 8.9.2 (observation)',
    litmus: {
      log: ['T0: write g', 'T0: store s release', 'T1: wait.word s acquire', 'T1: read g'],
      expect: ok,
      without: 'race',
    },
    arrows: Order.synchronises,
  },
  {
    id: 'observation',
    part: 'order',
    says: 'An atomic passes on what it observes: a read that observes its write observes that, too. Every step must be morally strong.',
    evidence: 'documented',
    source: 'PTX 8.9.2 (a write, an atomic operation, a read)',
    litmus: {
      log: ['T0: write g', 'T0: atomic s release', 'T1: atomic s', 'T2: wait.word s acquire', 'T2: read g'],
      expect: ok,
      without: 'race',
    },
  },
  {
    id: 'store-hides',
    part: 'order',
    says: 'A store hands on nothing. A read that takes its value observes no earlier write of another thread.',
    evidence: 'documented',
    source: 'PTX 8.9.2 (only an atomic operation continues observation order)',
    litmus: {
      log: [
        'T0: write g',
        'T0: store s release',
        'T0, T1: bar',
        'T1: store s',
        'T2: wait.word s acquire',
        'T2: read g',
      ],
      expect: 'race',
      without: ok,
    },
  },
  {
    id: 'release-again',
    part: 'order',
    says: 'A release of a word also counts for each later strong write of that word by the same thread, even if other threads have written in between.',
    evidence: 'documented',
    source: 'PTX 8.8 (release patterns, the second form)',
    litmus: {
      log: ['T0: write g', 'T0: store s release', 'T0: store s', 'T1: wait.word s acquire', 'T1: read g'],
      expect: ok,
      without: 'race',
    },
  },
  {
    id: 'fence-release',
    part: 'order',
    says: 'A fence turns every later strong write of its thread into a release, which publishes what the thread saw at the fence. The scope of the pattern is the scope of the fence.',
    evidence: 'documented',
    source: 'PTX 8.8 (release patterns, the third form)',
    litmus: {
      log: ['T0: write g', 'T0: fence acq_rel', 'T0: store s', 'T1: wait.word s acquire', 'T1: read g'],
      expect: ok,
      without: 'race',
    },
  },
  {
    id: 'acquire-again',
    part: 'order',
    says: 'An acquire of a word also takes over what earlier strong reads of that word by the same thread have observed.',
    evidence: 'documented',
    source: 'PTX 8.8 (acquire patterns, the second form)',
    litmus: {
      log: ['T0: write g', 'T0: store s release', 'T1: wait.word s', 'T1: load s acquire', 'T1: read g'],
      expect: ok,
      without: 'C1',
    },
  },
  {
    id: 'fence-acquire',
    part: 'order',
    says: 'A fence turns every earlier strong read of its thread into an acquire.',
    evidence: 'documented',
    source:
      'PTX 8.8 (acquire patterns, the third form; the read of `red` forms none, which a log does not tell from an atomic without a result)',
    litmus: {
      log: ['T0: write g', 'T0: store s release', 'T1: wait.word s', 'T1: fence acq_rel', 'T1: read g'],
      expect: ok,
      without: 'race',
    },
  },
  {
    id: 'half-fence',
    part: 'order',
    says: '`fence.acquire` releases nothing, and `fence.release` acquires nothing.',
    evidence: 'documented',
    source: 'PTX 8.8 (which fences begin and end a pattern)',
    litmus: {
      log: ['T0: write g', 'T0: fence acquire', 'T0: store s', 'T1: wait.word s acquire', 'T1: read g'],
      expect: 'race',
      without: ok,
    },
  },
  {
    id: 'scope',
    part: 'order',
    says: 'Two strong operations are morally strong only if each has a scope that includes the thread of the other. This applies to the two ends of a synchronisation, to each step of an observation, and to two accesses that would otherwise race. `volatile` is relaxed with the widest scope.',
    evidence: 'documented',
    source: 'PTX 8.7 (morally strong), 8.5 (scopes), 8.4.2 (volatile), 8.9.4',
    litmus: {
      log: ['T0: write g', 'T0: store s release cta', 'U0: wait.word s acquire', 'U0: read g'],
      expect: 'race',
      without: ok,
    },
  },
  {
    id: 'width',
    part: 'order',
    says: 'Two strong accesses are morally strong only if they overlap completely. Accesses of different widths do not observe one another, so they race.',
    evidence: 'documented',
    source: 'PTX 8.7 (overlap completely), 8.7.2 (mixed-size data races)',
    litmus: { log: ['T0: store s wide', 'T1: load s'], expect: 'race', without: ok },
  },
  {
    id: 'fence-sc',
    part: 'order',
    says: 'Two `fence.sc` synchronise if every run with these reads has them in this order: the first comes before a write by program order and barriers of its CTA, a read observes the write, and the second comes after the read, too. In the other order, the read would come before the write that it takes. Other ways from a fence to a write are not followed: a race may be reported that the ISA excludes.',
    evidence: 'documented',
    source: 'PTX 8.9.3 (Fence-SC order), 8.9.4, 8.10.2 and 8.10.6 (why the order is forced)',
    litmus: {
      log: [
        'T0: write g',
        'T0: fence sc',
        'T0, T1: bar',
        'T1: store s',
        'T2: wait.word s',
        'T2, T3: bar',
        'T3: fence sc',
        'T3: read g',
      ],
      expect: ok,
      without: 'race',
    },
    arrows: Order.fenceSc,
  },
  {
    id: 'fence-arrive',
    part: 'order',
    says: 'Barriers are words, too. A relaxed arrive after a fence publishes what its agent saw at the fence. If a fence follows a relaxed wait, the fence acquires what the arrivals released. A relaxed arrival at a cluster barrier publishes in the same way. The fence must reach the CTA of the barrier, or the cluster if the barrier is of another CTA.',
    evidence: 'documented',
    source:
      'PTX 8.8 (third forms), 9.7.13.15 (relaxed arrives and waits), “barrier.cluster” (an explicit fence with `.relaxed`)',
    litmus: {
      log: ['T0: write x', 'T0: fence acq_rel cta', 'T0: arrive b relaxed', 'T1: wait b 0', 'T1: read x'],
      expect: ok,
      without: 'not visible',
    },
    arrows: Order.fenceArrive,
  },
  {
    id: 'pipe',
    part: 'order',
    says: 'Some operations of one unit of one agent happen in the order of issue, and the later one sees what the earlier one wrote: wgmma after wgmma; product after product, product after copy or shift, copy 4x256b after shift, shift after product. Every other pair needs a completion. That products with different accumulators are in order is an assumption (`tensorPipe`), and verdicts that rely on it say so.',
    evidence: 'model',
    source:
      'PTX 9.7.16.6 (pipelined pairs), 8.9.1.1 (wgmma); products after any product: not documented, but FA4 and CUTLASS rely on it',
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
    says: 'An ordinary write is visible to an asynchronous access if an agent that sees the write executes fence.proxy.async, and the access sees that fence. The fence is limited to its space: global memory, shared memory of the cluster, or, with `.shared::cta`, shared memory of the CTA that executes it.',
    evidence: 'documented',
    source:
      'PTX 8.9.5 (proxy-preserved causality order), 9.7.13.4 (the state space of the fence), “Shared State Space” (`.shared::cta` is the window of the executing CTA)',
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
    says: 'A register that its agent has written is visible to the wgmma that it issues after a wgmma.fence.',
    evidence: 'documented',
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
    says: 'A tensor map is visible to a copy if an agent that sees it releases it (fence.proxy.tensormap), and one that sees the release acquires it at its address. An acquire covers only the maps in its bytes. The agents that release, acquire and copy are all within the scope of both fences.',
    evidence: 'documented',
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
    says: 'fence.mbarrier_init makes the initialisations of its agent visible to every agent that acquires from that agent afterwards, even over a relaxed arrive.',
    evidence: 'documented',
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
    evidence: 'documented',
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
    says: 'A write after a write need not see the first one if each byte of it was read in between. The read must have seen the first write and everything before it, through the proxy of the second write if the first was generic. It shows that the first write has landed.',
    evidence: 'model',
    source:
      'not documented: without it every refill of a ring by TMA is refused (TMA write, MMA read, commit, TMA write)',
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
    says: 'Before an asynchronous access overwrites shared memory that was read by ordinary loads, an agent that knows these reads must execute the fence, as for writes. On Hopper, and where a compiler placed the fences, a read without the fence is only a note. Under `strictProxies` it must be fenced on every chip, and in global memory, too.',
    evidence: 'documented',
    source:
      "PTX 8.9.5 by its wording, CUTLASS's epilogue, ConSan; public reports of wrong results on GB200 without the fence (DeepEP #621, #642); shipped main loops for Hopper omit it, and no H100 is known to need it",
    litmus: {
      log: [
        'T0: read x',
        'T0: arrive b +16',
        'T0: issue #1 load',
        '#1: write x',
        '#1: bytes b 16',
        'T0: wait b 0',
      ],
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
    evidence: 'documented',
    source: 'PTX 8.7.1 (data race)',
    litmus: { log: ['T0: write x', 'T1: read x'], expect: 'race', without: ok },
  },
  {
    id: 'visibility',
    part: 'conflict',
    says: 'A write that meets an access, is ordered before it and is not visible to it is a visibility hazard.',
    evidence: 'documented',
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
    says: 'Two strong accesses do not race if they are morally strong: each in the scope of the other, both through one proxy, and equally wide. A strong and a weak access race like two weak ones (D1 to D5), and their visibility is checked in the same way (V1).',
    evidence: 'documented',
    source: 'PTX 8.7 (morally strong), 8.7.1 (a data race is of accesses that are not)',
    litmus: { log: ['T0: atomic g', 'T1: atomic g'], expect: ok, without: 'race' },
  },
  {
    id: 'found',
    part: 'conflict',
    says: 'A strong access comes before a weak one if a read that comes before the weak one has observed it, or a later write of the word by the same thread. The read must be a wait, or one that decides something: its value is then the same in every schedule that comes here.',
    evidence: 'model',
    source:
      'PTX 8.9.5 (causality: observation, then base causality); it is not documented that the earlier accesses of the word by the same thread come before, too: strictly speaking they race, although SC-per-location leaves the weak access no older value',
    litmus: { log: ['T0: store s', 'T1: wait.word s', 'T1: write s'], expect: ok, without: 'race' },
  },
  {
    id: 'coherence',
    part: 'conflict',
    says: 'Coherence orders two strong writes of one word that are morally strong, but a run chooses how. If nothing orders them and they do not commute, the contents of memory depend on their order: N1, and C1 but for the rounding of sums.',
    evidence: 'documented',
    source: 'PTX 8.9.6 (coherence order), 8.10.1',
    litmus: { log: ['T0: store s', 'T1: store s'], expect: 'any order', without: ok },
  },
  {
    id: 'nothing',
    part: 'conflict',
    says: 'A read of unwritten bytes races with the first later write that is not ordered after it. If there is no such write, it is a read of unwritten memory.',
    evidence: 'documented',
    source: 'PTX, “Axioms” (a read takes its value from a write)',
    litmus: { log: ['nothing is written before', 'T0: read x'], expect: 'nothing there', without: ok },
  },
  {
    id: 'replaced',
    part: 'conflict',
    says: 'An exchange whose result is not used may read anything: its own write replaces what it finds, written or not.',
    evidence: 'documented',
    source: 'PTX, “atom” (exch)',
    litmus: {
      log: ['nothing is written before', 'T0: atomic x exchange'],
      expect: ok,
      without: 'nothing there',
    },
  },
  {
    id: 'foreign',
    part: 'conflict',
    says: 'Nothing orders clusters that run one after the other.',
    evidence: 'documented',
    source: 'the CUDA programming model (blocks of a grid are independent)',
    litmus: { log: ['T0: write g', 'next cluster', 'T0: write g'], expect: 'race of clusters', without: ok },
  },
]

const conditions: ReadonlyArray<Clause> = [
  {
    id: 'C1',
    part: 'conditions',
    says: 'No control depends on timing; atomic writes that do not commute, and requests for clusters, are ordered.',
    evidence: 'model',
    source: 'docs/hazards.md',
    litmus: { log: ['T0: atomic g', 'T1: atomic g or'], expect: 'C1', without: 'any order' },
  },
  {
    id: 'C1-hears',
    part: 'conditions',
    says: 'A read takes over only what its thread knew already. Otherwise it depends on whether the read comes before or after the write. Waits are exempt: a wait passes after the write.',
    evidence: 'model',
    source: 'docs/hazards.md',
    litmus: { log: ['T0: store s release', 'T1: load s acquire'], expect: 'C1', without: ok },
  },
  {
    id: 'C1-decides',
    part: 'conditions',
    says: 'A strong read whose value decides something, in control or in memory, is ordered with each strong write of its word.',
    evidence: 'model',
    source: 'docs/hazards.md',
    litmus: { log: ['T0: store s', 'T1: load s kept'], expect: 'C1', without: 'another value' },
  },
  {
    id: 'C1-word',
    part: 'conditions',
    says: 'A strong write knows each wait for its word that comes before it. Otherwise it could come first. Which writes let the wait pass is checked only if the log has values.',
    evidence: 'model',
    source: 'docs/hazards.md',
    litmus: { log: ['T0: atomic s', 'T1: wait.word s', 'T0: atomic s'], expect: 'C1', without: ok },
  },
  {
    id: 'C1-peek',
    part: 'conditions',
    says: 'A wait can be saved by its agent’s last peek of that barrier, with the same parity. The peek saves no other wait, and acquires what the wait would.',
    evidence: 'documented',
    source: 'src/semantics/judging/detector/peeks.ts',
    litmus: { log: ['T0: arrive b', 'T1: peek b 0 true', 'T1: wait c 0 spared'], expect: 'C1', without: ok },
  },
  {
    id: 'C2',
    part: 'conditions',
    says: 'A wait passes iff the parity that it names is that of the last complete phase; it observes that phase, and none on a fresh barrier.',
    evidence: 'silicon',
    source: 'PTX 9.7.13.15.16; captured: mbarrier.json (test_wait.parity after each operation)',
    litmus: { log: ['T0: arrive b', 'T1: wait b 1'], expect: 'C2', without: ok },
  },
  {
    id: 'C3',
    part: 'conditions',
    says: 'Every event of a phase (arrive, expectation, delivery) knows every event of the phase before.',
    evidence: 'model',
    source: 'docs/hazards.md, "Why each condition is as it is"',
    litmus: { log: ['T0: arrive b', 'T1: expect b 16'], expect: 'C3', without: ok },
  },
  {
    id: 'C4-upper',
    part: 'conditions',
    says: 'If the next phase completes, one of its events is ordered after the wait.',
    evidence: 'model',
    source: 'docs/hazards.md; PTX 9.7.13.15.4 (one phase ahead)',
    litmus: { log: ['T0: arrive b', 'T1: wait b 0', 'T0: arrive b'], expect: 'C4', without: ok },
  },
  {
    id: 'C4-lower',
    part: 'conditions',
    says: 'An agent that observes a phase knew every event of the phase before, without this wait.',
    evidence: 'model',
    source: 'docs/hazards.md',
    litmus: { log: ['T0: arrive b', 'T0: arrive b', 'T1: wait b 1'], expect: 'C4', without: ok },
  },
  {
    id: 'C4-peek',
    part: 'conditions',
    says: 'A wait that a peek may save observes the phase of that peek. At the peek, its agent knew every event of the previous phase.',
    evidence: 'documented',
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
    says: 'A signal after a semaphore wait knows that wait. Each signal before the wait is needed, together with the later ones of its agent. No other wait could have taken what this one takes.',
    evidence: 'model',
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
    says: 'If a phase is complete or has an arrival, one of its counted arrivals knows each of its expectations and each arrival that was added to its count.',
    evidence: 'model',
    source: 'docs/hazards.md; captured: mbarrier.json (an expect_tx may complete a phase)',
    litmus: { log: ['T0: expect b 16', 'T1: arrive b'], expect: 'C6', without: ok },
  },
]

const ends: ReadonlyArray<Clause> = [
  {
    id: 'exit',
    part: 'ends',
    says: 'Every effect on a CTA (its shared and tensor memory, its barriers) by an operation or by another CTA is known to an agent of that CTA when it exits.',
    evidence: 'documented',
    source:
      "PTX, “Shared State Space” (a CTA that has exited has no shared memory) and “barrier.cluster”; CUTLASS's producer_tail",
    litmus: { log: ['T0: issue #1 store', '#1: read x', 'T0: commit bulk'], expect: 'U2', without: ok },
  },
  {
    id: 'start',
    part: 'ends',
    says: 'An agent that reaches into the memory of another CTA, or allocates tensor memory for the pair, knows an event of that CTA: it has started. An operation may reach another CTA if its issuer knows such an event.',
    evidence: 'documented',
    source:
      'PTX, “Cluster of Cooperative Thread Arrays” and “barrier.cluster”; the CUDA programming guide, distributed shared memory (all blocks must have started)',
    litmus: { log: ['bare', "T0: write x'", 'T0, U0: meet'], expect: 'K4', without: ok },
  },
  {
    id: 'absent',
    part: 'ends',
    says: 'A cluster barrier is left when an agent of each CTA has come.',
    evidence: 'documented',
    source: 'PTX, “barrier.cluster” (every thread of the cluster that has not exited)',
    litmus: { log: ['bare', 'T0: come', 'T0: go', "U0: write x'"], expect: 'K2', without: ok },
  },
  {
    id: 'output',
    part: 'ends',
    says: 'Every byte of an output has a write.',
    evidence: 'model',
    source: 'the definition of an output',
    litmus: { log: ['g is an output', 'T0: read x'], expect: 'O1', without: ok },
  },
  {
    id: 'life',
    part: 'ends',
    says: 'A barrier is used only by agents that know its initialisation, and only before its invalidation. In between, its bytes hold no data.',
    evidence: 'documented',
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
    evidence: 'documented',
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
    id: 'unit-told',
    part: 'ends',
    says: 'Where fences are written by hand, as in PTX, an operation of the asynchronous proxy signals it only if the initialisation was fenced before the issue. The fence is fence.mbarrier_init of the agent that initialised it, or a proxy fence of an agent that sees it.',
    evidence: 'documented',
    source:
      'PTX 9.7.13.4 (fence.mbarrier_init), 8.9.5 (a generic write is found through another proxy across a fence alone); FlashKDA #24 (public report)',
    litmus: {
      log: [
        'fenced by hand',
        'T0: arrive b +16',
        'T0: issue #1 load',
        '#1: write x',
        '#1: bytes b 16',
        'T0: wait b 0',
      ],
      expect: 'P6',
      without: ok,
    },
  },
  {
    id: 'count',
    part: 'ends',
    says: 'A phase gets no more arrivals than it counts, and its transaction count stays within 2^20 - 1 in both directions. All threads at a named barrier give the same count and arrive once, and only threads that arrived leave.',
    evidence: 'silicon',
    source:
      'PTX 9.7.13.15 (ranges of the counts), “bar, barrier”; captured: mbarrier_limits.json (an arrive too many is a launch failure)',
    litmus: { log: ['T0: expect b 16', 'T0: arrive b', 'T0: arrive b'], expect: 'B2', without: ok },
  },
  {
    id: 'contract',
    part: 'ends',
    says: 'Every agent that waits on a Pallas barrier observes every phase, and every phase is observed.',
    evidence: 'documented',
    source:
      'Pallas, mosaic_gpu (barrier rules); a contract, and a hazard only where the storage is used again',
    litmus: { log: ['b is of Pallas', 'T0: arrive b'], expect: 'U1', without: ok },
  },
  {
    id: 'allocation',
    part: 'ends',
    says: 'Tensor memory is used between its allocation and its release, and both are known; it is released once. Both CTAs of a pair release it, and neither does so before it knows the allocation of the other.',
    evidence: 'documented',
    source: 'PTX 9.7.16 (tcgen05.alloc, dealloc)',
    litmus: {
      log: ['T0: alloc t', 'T0, T1: meet', 'T1: issue #1 st', '#1: write t', 'T0: dealloc t', 'T1: wait.st'],
      expect: 'U2',
      without: ok,
    },
  },
]

const readings: ReadonlyArray<Clause> = [
  {
    id: 'older',
    part: 'readings',
    says: 'A strong read whose value only reaches memory may take any write of its word that is not over, and the value before the first of them. If two of these values lead to different results, the read is V2. In the log, the read takes the last one.',
    evidence: 'documented',
    source: 'PTX 8.10.6 (causality forbids no other)',
    litmus: {
      log: ['T0: store s', 'T0, T1: meet relaxed', 'T1: load s kept'],
      expect: 'another value',
      without: ok,
    },
  },
  {
    id: 'over',
    part: 'readings',
    says: 'A write is over for a read that sees a later write of the word, or sees a read that took a later one.',
    evidence: 'documented',
    source:
      'PTX 8.10.6 (a write that a causally earlier one has overwritten), 8.10.5 (SC-per-location: two reads)',
    litmus: { log: ['T0: store s', 'T0, T1: meet', 'T1: load s kept'], expect: ok, without: 'another value' },
  },
  {
    id: 'fence-order',
    part: 'readings',
    says: 'All `fence.sc` that are morally strong are in one order, here that of the log. Each sees what earlier ones had seen, for the reads after it in program order and by barriers of its CTA. This removes no race: another run may have them in another order.',
    evidence: 'documented',
    source: 'PTX 8.9.3 (an order determined at runtime), 8.9.4',
    litmus: {
      log: ['T0: store s', 'T0: fence sc', 'T1: fence sc', 'T1: load s kept'],
      expect: 'C1',
      without: 'another value',
    },
    arrows: Order.fenceShows,
  },
  {
    id: 'stale',
    part: 'readings',
    says: 'A strong read on which a branch depends may take an older write that is not over, or a later one whose thread does not know the read. Then another run may decide differently, and no verdict covers every schedule until a search has tried it.',
    evidence: 'documented',
    source: 'PTX 8.10.4 (load buffering without dependency is allowed), 8.10.6',
    litmus: {
      log: ['T0: store s', 'T0, T1: meet relaxed', 'T1: load s decides'],
      expect: 'another value',
      without: ok,
    },
  },
  {
    id: 'store-order',
    part: 'readings',
    says: 'The first of two strong writes that nothing orders may be the later one, unless both are atomics, which take over what they find. If that order leads to another result and no thread branches on the word, the pair is V2.',
    evidence: 'documented',
    source: 'PTX 8.9.6 (coherence order is determined at runtime)',
    litmus: { log: ['T0: store s', 'T1: store s'], expect: 'another order', without: 'any order' },
  },
]

export const clauses: ReadonlyArray<Clause> = [
  ...order,
  ...visibility,
  ...conflict,
  ...readings,
  ...conditions,
  ...ends,
]

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
