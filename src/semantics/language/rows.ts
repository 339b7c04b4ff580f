/**
 * The instruction set on one page: a row for each instruction, and in a row each field in a few words.
 *
 * This is where an instruction is said. Its TypeScript type is derived from the words (`derive.ts`), and so are, at run time, its operands and
 * attributes (`signature.ts`) and with them its JSON Schema, its codec, linking and printing. `docs/instructions.md` is this page for readers.
 *
 * | words                           | what is there                                                                  |
 * |---------------------------------|--------------------------------------------------------------------------------|
 * | `i1`, `i32`, `i64`              | a scalar that the agent computes                                               |
 * | `ptr`, `descriptor`             | a pointer into global memory; a tensor map                                     |
 * | `barrier`                       | one mbarrier                                                                   |
 * | `tensor barrier`                | one whose arrives and waits carry tensor-core order                            |
 * | `view smem\|regs`               | a view in one of these spaces: the whole footprint of the access               |
 * | `view tmem of f32\|f16 rank 2`  | one of these dtypes only, of two axes only                                     |
 * | `tile i32 rank 1`               | values in registers; `tile scalar` of any scalar, `tile ptr` of pointers       |
 * | `i32 ...`                       | a list of these                                                                |
 * | `completion ...`                | a list of the record `completion`, below                                       |
 * | `nat`, `nat ...`, `bool`, `dtype`, `= cta \| gpu` | no operand but a part of the instruction: a number from 0 on, a list of them, yes or no, an element type, one of these words |
 *
 * A field whose name ends in `?` may be left out. The order of the fields is the order in which an instruction is printed and its operands are read.
 *
 * `count` of an arrive is logical, one per agent. `scope` is how far a release or acquire reaches. A group wait names how many of the newest
 * groups may still be open (`pending`).
 *
 * Source: PTX ISA 9, the operand lists of mbarrier, cp.async, cp.async.bulk(.tensor), wgmma, tcgen05, proxies.
 */

/** One arrival when an MMA completes, unless its predicate is false. */
export const completion = { barrier: 'tensor barrier', when: 'i1', 'multicast?': 'i32' } as const

export const rows = {
  // ---------------------------------------------------------------- mbarrier

  'mbarrier.init': { barrier: 'barrier', count: 'nat' },
  'mbarrier.inval': { barrier: 'barrier' },
  'mbarrier.arrive': {
    barrier: 'barrier',
    count: 'nat',
    release: 'bool',
    scope: '= cta | cluster | gpu | sys',
  },
  'mbarrier.expectTx': { barrier: 'barrier', bytes: 'i32' },
  /** The agent itself completes bytes, as a copy would; relaxed, as an expect is. */
  'mbarrier.completeTx': { barrier: 'barrier', bytes: 'i32' },
  'mbarrier.arriveExpectTx': {
    barrier: 'barrier',
    bytes: 'i32',
    release: 'bool',
    scope: '= cta | cluster | gpu | sys',
  },
  'mbarrier.arriveDrop': {
    barrier: 'barrier',
    count: 'nat',
    release: 'bool',
    scope: '= cta | cluster | gpu | sys',
  },
  /** Blocks while the barrier's current phase has parity `parity`. */
  'mbarrier.wait': {
    barrier: 'barrier',
    parity: 'i32',
    acquire: 'bool',
    scope: '= cta | cluster | gpu | sys',
  },
  /** Does not block; the result says whether the wait would have passed. */
  'mbarrier.test': {
    barrier: 'barrier',
    parity: 'i32',
    acquire: 'bool',
    scope: '= cta | cluster | gpu | sys',
  },
  /** An arrive that happens once all earlier `cp.async` of this agent are done. */
  'mbarrier.cpAsyncArrive': { barrier: 'barrier', noIncrement: 'bool' },

  // ---------------------------------------------------------------- rendezvous

  /** `count` in threads, as in PTX; an agent of w warps contributes 32 w. Pairing is by count, not by members. */
  'bar.sync': { id: 'nat', count: 'nat' },
  /** Does not wait. */
  'bar.arrive': { id: 'nat', count: 'nat' },
  'cluster.arrive': { relaxed: 'bool' },
  'cluster.wait': {},

  // ---------------------------------------------------------------- TMA

  /** `multicast` is a mask of CTA ranks. Signals `bytes of the box` on the barrier of every destination CTA. */
  'tma.load': {
    descriptor: 'descriptor',
    coords: 'i32 ...',
    destination: 'view smem',
    barrier: 'barrier',
    'multicast?': 'i32',
    ctaGroup: '= 1 | 2',
  },
  /** Four rows `rows` of a rank-2 tensor a message, from column `column`. */
  'tma.gather': {
    descriptor: 'descriptor',
    rows: 'tile i32 rank 1',
    column: 'i32',
    destination: 'view smem',
    barrier: 'barrier',
    'multicast?': 'i32',
    ctaGroup: '= 1 | 2',
  },
  'tma.store': { descriptor: 'descriptor', coords: 'i32 ...', source: 'view smem' },
  'tma.scatter': { descriptor: 'descriptor', rows: 'tile i32 rank 1', column: 'i32', source: 'view smem' },
  'tma.reduce': {
    kind: '= add | min | max | inc | dec | and | or | xor',
    descriptor: 'descriptor',
    coords: 'i32 ...',
    source: 'view smem',
  },
  'tma.prefetch': { descriptor: 'descriptor', coords: 'i32 ...' },
  'bulk.commitGroup': {},
  /** `read`: only the reads of the source need to be done. */
  'bulk.waitGroup': { pending: 'nat', read: 'bool' },
  /** Writes a descriptor of `tensor` (dims and strides in elements, innermost last) into 128 bytes of memory. */
  'tensormap.create': {
    at: 'ptr',
    tensor: 'ptr',
    dims: 'i32 ...',
    strides: 'i64 ...',
    box: 'nat ...',
    dtype: 'dtype',
    swizzle: '= 16 | 32 | 64 | 128',
    fill: '= zero | nan',
  },
  /** Makes a descriptor in memory usable; the result is the descriptor. */
  'tensormap.acquire': { at: 'ptr', dtype: 'dtype', rank: 'nat' },

  // ---------------------------------------------------------------- generic accesses

  'smem.load': { source: 'view smem' },
  'smem.store': { destination: 'view smem', value: 'tile scalar' },
  'gmem.load': { source: 'view gmem' },
  'gmem.store': { destination: 'view gmem', value: 'tile scalar' },
  /** Loads through a tile of pointers; where `mask` is false the element is `other` (zero without one). */
  'gmem.loadPtr': { source: 'tile ptr', 'mask?': 'tile i1', 'other?': 'tile scalar' },
  'gmem.storePtr': { destination: 'tile ptr', value: 'tile scalar', 'mask?': 'tile i1' },
  'smem.atomic': {
    op: '= add | min | max | and | or | xor | exchange | cas',
    destination: 'view smem',
    value: 'tile scalar',
    'compare?': 'tile scalar',
    scope: '= cta | cluster | gpu | sys',
  },
  'gmem.atomicPtr': {
    op: '= add | min | max | and | or | xor | exchange | cas',
    destination: 'tile ptr',
    value: 'tile scalar',
    'compare?': 'tile scalar',
    'mask?': 'tile i1',
    scope: '= cta | cluster | gpu | sys',
  },
  'regs.read': { source: 'view regs' },
  'regs.write': { destination: 'view regs', value: 'tile scalar' },

  // ---------------------------------------------------------------- cp.async, st.async

  /** Where `mask` is false the destination is filled with zero. */
  'cpAsync.copy': { source: 'tile ptr', 'mask?': 'tile i1', destination: 'view smem' },
  'cpAsync.commitGroup': {},
  'cpAsync.waitGroup': { pending: 'nat' },
  'stAsync.store': { destination: 'view smem', value: 'tile scalar', barrier: 'barrier' },

  // ---------------------------------------------------------------- fences

  /** Makes this agent's generic accesses visible to the async proxy: of its own shared memory, of the cluster's, or of global memory. */
  'fence.proxyAsync': { scope: '= cta | cluster | global' },
  'fence.tensormap': { at: 'ptr' },
  'fence.mbarrierInit': {},

  // ---------------------------------------------------------------- wgmma

  /** Orders the warpgroup's register accesses before the wgmma that follow. */
  'wgmma.fence': {},
  /**
   * accumulator (m x n) = accumulator * scaleD + A (m x k) * B (k x n): the instructions of 64 rows and one k block each, issued together, k
   * innermost. A may be in registers; B may not. `saturate`, of integers: a sum beyond 32 bits is the nearest number there is; without it, it wraps.
   */
  'wgmma.mma': {
    accumulator: 'view regs of f32|f16|i32 rank 2',
    a: 'view smem|regs rank 2',
    b: 'view smem rank 2',
    scaleD: 'i1',
    negateA: 'bool',
    negateB: 'bool',
    'saturate?': 'bool',
  },
  'wgmma.commitGroup': {},
  'wgmma.waitGroup': { pending: 'nat' },

  // ---------------------------------------------------------------- tcgen05

  /** `columns`: a power of two from 32 to 512. The TMEM storages of the program live inside the allocation. */
  'tcgen05.alloc': { columns: 'nat', ctaGroup: '= 1 | 2' },
  'tcgen05.dealloc': { columns: 'nat', ctaGroup: '= 1 | 2' },
  'tcgen05.relinquish': { ctaGroup: '= 1 | 2' },
  /** `completions`: for each, one arrival when the product completes, unless its predicate is false. `saturate` as of wgmma.mma. */
  'tcgen05.mma': {
    accumulator: 'view tmem of f32|f16|i32 rank 2',
    a: 'view smem|tmem rank 2',
    b: 'view smem rank 2',
    accumulate: 'i1',
    ctaGroup: '= 1 | 2',
    'scaleA?': 'view tmem',
    'scaleB?': 'view tmem',
    'sparsity?': 'view tmem',
    'saturate?': 'bool',
    completions: 'completion ...',
  },
  'tcgen05.commit': { barrier: 'tensor barrier', 'multicast?': 'i32', ctaGroup: '= 1 | 2' },
  /** Rows of shared memory to lanes of tensor memory; the shape says to which. */
  'tcgen05.cp': {
    source: 'view smem',
    destination: 'view tmem',
    shape: '= 128x256b | 128x128b | 64x128b.warpx2::02_13 | 64x128b.warpx2::01_23 | 32x128b.warpx4 | 4x256b',
    ctaGroup: '= 1 | 2',
  },
  /** Rows of 32 bytes, each to the next lane. */
  'tcgen05.shift': { destination: 'view tmem', ctaGroup: '= 1 | 2' },
  /** Asynchronous: the registers hold the data after `tcgen05.waitLd`. */
  'tcgen05.ld': { source: 'view tmem', destination: 'view regs' },
  'tcgen05.st': { destination: 'view tmem', value: 'tile scalar' },
  'tcgen05.waitLd': {},
  /**
   * The registers of the loads so far hold the data. It says nothing of the columns: those may still be read, until `tcgen05.waitLd`. No instruction
   * of PTX: it is what the compiler does when the result of a load is used, where a language says that it may be used at once.
   */
  'tcgen05.useLd': {},
  'tcgen05.waitSt': {},
  'tcgen05.fenceBefore': {},
  'tcgen05.fenceAfter': {},

  // ---------------------------------------------------------------- the rest

  'semaphore.signal': { at: 'ptr', value: 'i32', scope: '= cta | cluster | gpu | sys' },
  'semaphore.wait': { at: 'ptr', value: 'i32', decrement: 'bool', scope: '= cta | cluster | gpu | sys' },
  'clc.tryCancel': { response: 'view smem', barrier: 'barrier', multicast: 'bool' },
  /** Results: `i1` granted, then the three coordinates of the cancelled cluster. */
  'clc.query': { response: 'view smem' },
  /** Result: `i1`, true for the one thread that speaks for the agent. */
  elect: {},
  setMaxRegisters: { count: 'nat', action: '= increase | decrease' },
  trap: {},
} as const
