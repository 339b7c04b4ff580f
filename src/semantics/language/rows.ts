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
 * | `text`                          | no operand either: words for who reads it                                     |
 *
 * A field whose name ends in `?` may be left out. The order of the fields is the order in which an instruction is printed and its operands are read.
 *
 * Below the rows stand their meanings: what each instruction does, and what stands in each field. Schemas and pages say these words.
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
  'mbarrier.wait': {
    barrier: 'barrier',
    parity: 'i32',
    acquire: 'bool',
    scope: '= cta | cluster | gpu | sys',
  },
  'mbarrier.test': {
    barrier: 'barrier',
    parity: 'i32',
    acquire: 'bool',
    scope: '= cta | cluster | gpu | sys',
  },
  'mbarrier.cpAsyncArrive': { barrier: 'barrier', noIncrement: 'bool' },

  // ---------------------------------------------------------------- rendezvous

  'bar.sync': { id: 'nat', count: 'nat' },
  'bar.arrive': { id: 'nat', count: 'nat' },
  'cluster.arrive': { relaxed: 'bool' },
  'cluster.wait': {},

  // ---------------------------------------------------------------- TMA

  'tma.load': {
    descriptor: 'descriptor',
    coords: 'i32 ...',
    destination: 'view smem',
    barrier: 'barrier',
    'multicast?': 'i32',
    ctaGroup: '= 1 | 2',
  },
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
  'bulk.waitGroup': { pending: 'nat', read: 'bool' },
  'tensormap.create': {
    at: 'ptr',
    tensor: 'ptr',
    dims: 'i32 ...',
    strides: 'i64 ...',
    box: 'nat ...',
    'elementStrides?': 'nat ...',
    dtype: 'dtype',
    swizzle: '= 16 | 32 | 64 | 128',
    fill: '= zero | nan',
  },
  'tensormap.acquire': { at: 'ptr', dtype: 'dtype', rank: 'nat' },

  // ---------------------------------------------------------------- generic accesses

  'smem.load': { source: 'view smem' },
  'smem.store': { destination: 'view smem', value: 'tile scalar' },
  'gmem.load': { source: 'view gmem' },
  'gmem.store': { destination: 'view gmem', value: 'tile scalar' },
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

  'cpAsync.copy': { source: 'tile ptr', 'mask?': 'tile i1', destination: 'view smem' },
  'cpAsync.commitGroup': {},
  'cpAsync.waitGroup': { pending: 'nat' },
  'stAsync.store': { destination: 'view smem', value: 'tile scalar', barrier: 'barrier' },
  'stAsync.reduce': {
    kind: '= add | min | max | inc | dec | and | or | xor',
    destination: 'view smem',
    value: 'tile scalar',
    barrier: 'barrier',
  },

  // ---------------------------------------------------------------- fences

  'fence.proxyAsync': { scope: '= cta | cluster | global' },
  'fence.tensormap': { at: 'ptr' },
  'fence.mbarrierInit': {},

  // ---------------------------------------------------------------- wgmma

  'wgmma.fence': {},
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

  'tcgen05.alloc': { columns: 'nat', ctaGroup: '= 1 | 2' },
  'tcgen05.dealloc': { columns: 'nat', ctaGroup: '= 1 | 2' },
  'tcgen05.relinquish': { ctaGroup: '= 1 | 2' },
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
    'weightStationary?': 'bool',
    completions: 'completion ...',
  },
  'tcgen05.commit': { barrier: 'tensor barrier', 'multicast?': 'i32', ctaGroup: '= 1 | 2' },
  'tcgen05.cp': {
    source: 'view smem',
    destination: 'view tmem',
    shape: '= 128x256b | 128x128b | 64x128b.warpx2::02_13 | 64x128b.warpx2::01_23 | 32x128b.warpx4 | 4x256b',
    ctaGroup: '= 1 | 2',
  },
  'tcgen05.shift': { destination: 'view tmem', ctaGroup: '= 1 | 2' },
  'tcgen05.ld': { source: 'view tmem', destination: 'view regs' },
  'tcgen05.st': { destination: 'view tmem', value: 'tile scalar' },
  'tcgen05.waitLd': {},
  'tcgen05.useLd': {},
  'tcgen05.waitSt': {},
  'tcgen05.fenceBefore': {},
  'tcgen05.fenceAfter': {},

  // ---------------------------------------------------------------- the rest

  'semaphore.signal': { at: 'ptr', value: 'i32', scope: '= cta | cluster | gpu | sys' },
  'semaphore.wait': { at: 'ptr', value: 'i32', decrement: 'bool', scope: '= cta | cluster | gpu | sys' },
  'clc.tryCancel': { response: 'view smem', barrier: 'barrier', multicast: 'bool' },
  'clc.query': { response: 'view smem' },
  elect: {},
  setMaxRegisters: { count: 'nat', action: '= increase | decrease' },
  trap: { 'why?': 'text', 'left?': 'i64', 'right?': 'i64' },
} as const

// ---------------------------------------------------------------- meanings

type Bare<F> = F extends `${infer Name}?` ? Name : F
type FieldOf<R> = R extends unknown ? Bare<keyof R> : never
type Rows = typeof rows

/** What each does. */
export const meanings: { readonly [K in keyof Rows]: string } = {
  'mbarrier.init': 'Makes the barrier: its first phase waits for `count` arrivals.',
  'mbarrier.inval': 'Invalidates the barrier: its bytes are free for other use.',
  'mbarrier.arrive': 'Arrives `count` times, and does not wait.',
  'mbarrier.expectTx': 'Announces bytes that the current phase waits for; no arrival.',
  'mbarrier.completeTx': 'The agent itself completes bytes, as a copy would; relaxed, as an expect is.',
  'mbarrier.arriveExpectTx': 'Announces bytes that the current phase waits for, and arrives once.',
  'mbarrier.arriveDrop': 'Arrives `count` times, and lowers the count of later phases by as much.',
  'mbarrier.wait': "Blocks while the barrier's current phase has parity `parity`.",
  'mbarrier.test': 'Does not block; the result says whether the wait would have passed.',
  'mbarrier.cpAsyncArrive': 'An arrive that happens once all earlier `cp.async` of this agent are done.',
  'bar.sync':
    'Arrives and waits. `count` in threads, as in PTX; an agent of w warps contributes 32 w. Threads are paired by count, not by identity.',
  'bar.arrive': 'Arrives, and does not wait.',
  'cluster.arrive': 'Arrives at the barrier of the cluster, and does not wait.',
  'cluster.wait': 'Waits until every running agent of the cluster has arrived as often as this one.',
  'tma.load':
    'Copies a box of a tensor into shared memory. `multicast` is a mask of CTA ranks. Signals the bytes of the box on the barrier of every destination CTA.',
  'tma.gather':
    'Copies rows `rows` of a rank-2 tensor, four per message, from column `column`, into shared memory.',
  'tma.store': 'Copies a box from shared memory into a tensor, as part of a bulk group.',
  'tma.scatter':
    'Copies shared memory, four rows per message, into rows `rows` of a rank-2 tensor, from column `column`.',
  'tma.reduce':
    'Combines a box in shared memory with one of a tensor, element by element, as part of a bulk group.',
  'tma.prefetch': 'Requests a box of a tensor into the cache; it orders and changes nothing.',
  'bulk.commitGroup':
    'Closes a bulk group: the copies out of shared memory that this agent has issued since the last group.',
  'bulk.waitGroup':
    'Waits until at most `pending` of the newest bulk groups are open. `read`: only the reads of the source need to be done.',
  'tensormap.create':
    'Writes a descriptor of `tensor` (dims and strides in elements, innermost last) into 128 bytes of memory.',
  'tensormap.acquire': 'Makes a descriptor in memory usable; the result is the descriptor.',
  'smem.load': 'Reads a view of shared memory into registers.',
  'smem.store': 'Writes registers into a view of shared memory.',
  'gmem.load': 'Reads a view of global memory into registers.',
  'gmem.store': 'Writes registers into a view of global memory.',
  'gmem.loadPtr':
    'Loads through a tile of pointers; where `mask` is false the element is `other` (zero without one).',
  'gmem.storePtr': 'Stores through a tile of pointers, where `mask` is true.',
  'smem.atomic':
    'Reads, combines and writes each element of a view of shared memory at once; the result is the old value.',
  'gmem.atomicPtr': 'The same through a tile of pointers, where `mask` is true.',
  'regs.read': 'Reads registers that an asynchronous unit reads or writes.',
  'regs.write': 'Writes registers that an asynchronous unit reads or writes.',
  'cpAsync.copy':
    'Copies through pointers into shared memory, asynchronously. Where `mask` is false the destination is filled with zero.',
  'cpAsync.commitGroup':
    'Closes a group of the `cp.async` operations that this agent has issued since the last group.',
  'cpAsync.waitGroup': 'Waits until at most `pending` of the newest groups of `cp.async` are open.',
  'stAsync.store':
    'Writes registers into shared memory of the cluster, asynchronously, and signals the bytes on the barrier.',
  'stAsync.reduce':
    'Combines registers with shared memory of the cluster, element by element, asynchronously, and signals the bytes on the barrier.',
  'fence.proxyAsync':
    "Makes this agent's generic accesses visible to the async proxy: of its own shared memory, of the cluster's, or of global memory.",
  'fence.tensormap': 'Releases the descriptor in memory to those who acquire it.',
  'fence.mbarrierInit': 'Makes the barriers that this agent has made visible to the cluster.',
  'wgmma.fence': "Orders the warpgroup's register accesses before the wgmma that follow.",
  'wgmma.mma':
    'accumulator (m x n) = accumulator * scaleD + A (m x k) * B (k x n): the instructions of 64 rows and one k block each, issued together, k innermost. A may be in registers; B may not. `saturate`, of integers: a sum beyond 32 bits becomes the nearest 32-bit number; without it, it wraps.',
  'wgmma.commitGroup':
    'Closes a group of the wgmma operations that this warpgroup has issued since the last group.',
  'wgmma.waitGroup': 'Waits until at most `pending` of the newest groups of wgmma are open.',
  'tcgen05.alloc':
    '`columns`: a power of two from 32 to 512. The TMEM storages of the program live inside the allocation.',
  'tcgen05.dealloc': 'Frees the columns of tensor memory.',
  'tcgen05.relinquish': 'From now on the CTA allocates no more tensor memory.',
  'tcgen05.mma':
    'accumulator (m x n) = accumulator, if `accumulate`, + A (m x k) * B (k x n), asynchronously. `completions`: for each, one arrival when the product completes, unless its predicate is false. `saturate` is as in wgmma.mma. `weightStationary`: the `.ws` form, whose accumulator lies in the data paths of 32, 64 and 128 rows of that form.',
  'tcgen05.commit':
    'Arrives at the barrier when all earlier operations of this agent in the tensor pipe are done.',
  'tcgen05.cp': 'Copies rows of shared memory to lanes of tensor memory; the shape selects the lanes.',
  'tcgen05.shift': 'Copies rows of 32 bytes, each to the next lane.',
  'tcgen05.ld': 'Asynchronous: the registers hold the data after `tcgen05.waitLd`.',
  'tcgen05.st': 'Writes registers into tensor memory, asynchronously: it is done after `tcgen05.waitSt`.',
  'tcgen05.waitLd': 'Waits until the loads of tensor memory that this agent has issued are done.',
  'tcgen05.useLd':
    'The registers of the loads so far hold the data. The columns may still be read until `tcgen05.waitLd`. Not a PTX instruction: the compiler does this at the first use of a load, if the language allows an immediate use.',
  'tcgen05.waitSt': 'Waits until the stores to tensor memory that this agent has issued are done.',
  'tcgen05.fenceBefore':
    'Orders earlier tensor-core accesses before the thread synchronisation that follows.',
  'tcgen05.fenceAfter': 'Orders later tensor-core accesses after the preceding thread synchronisation.',
  'semaphore.signal': 'Adds `value` to 32 bits of global memory, atomically and as a release.',
  'semaphore.wait':
    'Blocks until 32 bits of global memory are at least `value`, as an acquire; `decrement` subtracts `value`.',
  'clc.tryCancel':
    'Asks asynchronously to replace a cluster that has not started: the answer is written, and signalled on the barrier.',
  'clc.query': 'Results: `i1` granted, then the three coordinates of the cancelled cluster.',
  elect: 'Result: `i1`, true for the one elected thread of the agent.',
  setMaxRegisters: 'Takes registers from the pool of the CTA (and waits for them), or gives them back.',
  trap: 'Ends the run with a fault, which says `why`.',
}

/** What stands in a field of this name, in whichever instruction. */
export const fieldMeanings: { readonly [F in FieldOf<Rows[keyof Rows] | typeof completion>]: string } = {
  barrier: 'the barrier',
  count: 'number of logical arrivals, one per agent',
  release: 'whether it publishes what its agent sees; else it is relaxed',
  acquire: 'whether its agent then sees what was published; else it is relaxed',
  scope: 'scope of the release or acquire',
  bytes: 'bytes that will be copied',
  parity: 'parity of the awaited phase: the wait passes when that phase has completed',
  noIncrement: 'whether the phase counts the arrival already; if not, the phase waits for one more',
  id: 'number of the named barrier in its CTA',
  relaxed: 'whether it orders, but publishes nothing',
  descriptor: 'the tensor map',
  coords: 'start of the box: an index for each dimension of the tensor, outermost first',
  destination: 'what is written',
  source: 'what is read',
  multicast: 'mask of the CTA ranks that it reaches; without it, its own CTA',
  ctaGroup: 'how many CTAs act together: 1, or a pair',
  rows: 'rows of the tensor',
  column: 'the first column of the tensor',
  kind: 'how an element combines with the old value',
  pending: 'how many of the newest groups may still be open',
  read: 'whether the reads of the source are enough',
  at: 'address in global memory',
  tensor: 'the first element of the tensor',
  dims: 'extent of each dimension, innermost last',
  strides: 'distance between neighbours in each dimension, in elements, innermost last',
  box: 'extent of what one copy moves, in elements',
  elementStrides: 'step between copied elements in each dimension, innermost last; 1 if not given',
  dtype: 'type of the elements',
  swizzle: 'span of the swizzle in shared memory, in bytes; 16 is none',
  fill: 'value of the elements where a box leaves the tensor',
  rank: 'number of dimensions',
  value: 'the values that are written or joined',
  mask: 'which elements take part; without it, all',
  other: 'value of masked elements; default: zero',
  op: 'how an element combines with the old value',
  compare: 'with `cas`: the expected old value',
  accumulator: 'where the product is added',
  a: 'the left factor, (m, k)',
  b: 'the right factor, (k, n)',
  scaleD: 'whether the old accumulator is added',
  negateA: 'whether the left operand is negated',
  negateB: 'whether the right operand is negated',
  weightStationary: 'whether it is the `.ws` form',
  saturate: 'whether an integer sum beyond 32 bits becomes the nearest 32-bit number; else it wraps',
  columns: 'columns of tensor memory: a power of two from 32 to 512',
  accumulate: 'whether the old accumulator is added',
  scaleA: 'scales of the left operand, each shared by a block of k',
  scaleB: 'scales of the right operand, each shared by a block of k',
  sparsity: 'which elements of the left operand are stored, if half of them are zero',
  completions: 'the barrier that it signals when it completes',
  shape: 'which rows go to which lanes',
  decrement: 'whether the wait subtracts `value` when it passes',
  response: 'the 16 bytes of the answer',
  action: 'whether registers are acquired or released',
  why: 'the message of the fault, with the values instead of {left} and {right}',
  left: 'a value that the message shows',
  right: 'a value that the message shows',
  when: 'nothing arrives when this is false',
}

/** Where a field says something else than elsewhere. */
export const particular: {
  readonly [K in keyof Rows]?: { readonly [F in FieldOf<Rows[K]>]?: string }
} = {
  'mbarrier.init': { count: 'number of arrivals of a phase' },
  'mbarrier.completeTx': { bytes: 'bytes that are completed' },
  'bar.sync': { count: 'threads that meet' },
  'bar.arrive': { count: 'threads that meet' },
  'fence.proxyAsync': {
    scope: 'which memory: shared memory of the CTA, of the cluster, or global memory',
  },
  'smem.atomic': { scope: 'scope of the atomic operation' },
  'gmem.atomicPtr': { scope: 'scope of the atomic operation' },
  'semaphore.signal': { value: 'what is added' },
  'semaphore.wait': { value: 'the value that must be there' },
  'clc.tryCancel': { multicast: 'whether every CTA of the cluster gets the answer, or only this one' },
  setMaxRegisters: { count: 'registers of a thread from now on' },
}
