/** Tensor memory: used before it is there, or handed on before it is written. */
import * as B from '../../../semantics/writing/builder.js'
import { eq, i32, place } from '../../../semantics/language/expression.js'
import * as S from '../zoo/twin.js'
import type { Twin } from '../zoo/twin.js'

const leads = eq(place('ctaRank'), i32(0))

/**
 * Each CTA of a pair allocates its columns; the leader's product writes into both. The cluster meets before the allocations, not after them. If the
 * peer is late there is nothing to write into (M7, a fault); if it is early, nothing says so (D4).
 *
 * Source: triton-lang/triton, a cluster barrier that two-CTA allocations needed; NVIDIA/cutlass, allocation and deallocation across two CTAs.
 */
const allocationOfThePeer = S.foreignTwin('two-cta-allocation', {
  id: 'M7',
  title: 'the product of a pair writes into tensor memory that the other CTA may not have allocated yet',
  fix: 'synchronise after the allocations',
  stage: { arch: 'sm100a', agents: ['block'], cluster: [2] },
  shows: { verdict: 'invalid', a: 'mma' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.pairAccumulator('acc')
    const done = yield* S.tensorBarrier('done')
    yield* S.fill('fill s', s, 'cluster')
    yield* S.clusterMeets('start')
    yield* S.allocatePair('allocate', 64)
    if (fixed) yield* S.clusterMeets('allocated')
    yield* S.mmaPair('mma', acc, s, leads)
    yield* S.commitPair('commit', done, leads)
    yield* S.wait('wait done', done, 0)
    yield* S.clusterMeets('end')
    yield* S.deallocatePair('deallocate', 64)
  },
})

/**
 * The correction warps wait for the allocation in the first step of their loop over the tiles of K and V. A block without tiles has no first step,
 * and goes on to the epilogue.
 *
 * Source: the attention kernels of modular/modular and Dao-AILab/flash-attention, which had to treat zero tiles apart.
 */
const noTiles = S.foreignTwin('zero-tiles', {
  id: 'D4',
  title: 'the wait for the allocation is in a loop over tiles, and there are no tiles',
  fix: 'wait before the loop',
  stage: { arch: 'sm100a', agents: ['allocator', 'epilogue'] },
  shows: { verdict: 'hazard', a: 'allocate', b: 'clear acc' },
  *body(fixed) {
    const acc = yield* S.accumulator('acc')
    const ready = yield* S.barrier('ready')
    yield* S.together({
      *allocator() {
        yield* S.allocate()
        yield* S.arrive('arrive ready', ready)
      },
      *epilogue() {
        if (fixed) yield* S.wait('wait ready', ready, 0)
        yield* B.forRange({ label: 'tile', from: i32(0), to: i32(0) }, function* (tile) {
          if (!fixed) yield* S.wait('wait ready', ready, 0, eq(tile, i32(0)))
        })
        yield* S.storeAccumulator('clear acc', acc)
        yield* S.waitAccumulator('wait clear')
      },
    })
    yield* S.deallocate()
  },
})

/** Source: a public tutorial on Blackwell's tensor core, whose listing used an address that nothing had allocated. */
const neverAllocated = S.foreignTwin('never-allocated', {
  id: 'I2',
  title: 'a product goes to tensor memory that the kernel never allocates',
  fix: 'allocate it, and free it',
  stage: { arch: 'sm100a', agents: ['block'] },
  shows: { verdict: 'invalid', a: 'mma' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.accumulator('acc')
    const done = yield* S.tensorBarrier('done')
    if (fixed) yield* S.allocate()
    yield* S.fill('fill s', s)
    yield* S.mma('mma', acc, s)
    yield* S.commit('commit', done)
    yield* S.wait('wait done', done, 0)
    if (fixed) yield* S.deallocate()
  },
})

/**
 * The statistics of a row go through tensor memory to another warpgroup. The barrier is there, and the thread-sync fences; the store has not
 * been waited for.
 *
 * Source: NVIDIA/cutlass, pull requests on its Blackwell attention example; modular/modular, which moved the statistics to shared memory.
 */
const statistics = S.foreignTwin('statistics-without-wait', {
  id: 'M4',
  title: 'row statistics are published through tensor memory without a wait for the store',
  fix: 'wait for stores before the arrive',
  stage: { arch: 'sm100a', agents: ['softmax', 'correction'] },
  shows: { verdict: 'hazard', a: 'store statistics', b: 'load statistics' },
  *body(fixed) {
    const acc = yield* S.accumulator('acc')
    const into = yield* S.fragment('into', 'correction')
    const full = yield* S.barrier('full')
    yield* S.allocate()
    yield* S.together({
      *softmax() {
        yield* S.storeAccumulator('store statistics', acc)
        if (fixed) yield* S.waitAccumulator('wait store')
        yield* S.fenceBefore
        yield* S.arrive('arrive full', full)
        if (!fixed) yield* S.waitAccumulator('wait store')
      },
      *correction() {
        yield* S.wait('wait full', full, 0)
        yield* S.fenceAfter
        yield* S.loadAccumulator('load statistics', acc, into)
        yield* S.waitLoads('wait loads')
      },
    })
    yield* S.deallocate()
  },
})

/** Source: NVIDIA/cutlass, a pull request on loads not waited for before tensor memory is freed. */
const freedUnderLoad = S.foreignTwin('freed-under-load', {
  id: 'M3',
  title: 'tensor memory is freed by another agent while a load from it may still be under way',
  fix: 'wait for the load before the release',
  stage: { arch: 'sm100a', agents: ['owner', 'reader'] },
  shows: { verdict: 'hazard', a: 'load acc', b: 'deallocate' },
  *body(fixed) {
    const acc = yield* S.accumulator('acc')
    const into = yield* S.fragment('into', 'reader')
    const done = yield* S.barrier('done')
    yield* S.allocate()
    yield* S.together({
      *owner() {
        yield* S.wait('wait done', done, 0)
        yield* S.deallocate()
      },
      *reader() {
        yield* S.storeAccumulator('clear acc', acc)
        yield* S.waitAccumulator('wait clear')
        yield* S.loadAccumulator('load acc', acc, into)
        if (fixed) yield* S.waitLoads('wait loads')
        yield* S.arrive('arrive done', done)
        if (!fixed) yield* S.waitLoads('wait loads')
      },
    })
  },
})

export const tensorMemory: ReadonlyArray<Twin> = [
  allocationOfThePeer,
  noTiles,
  neverAllocated,
  statistics,
  freedUnderLoad,
]
