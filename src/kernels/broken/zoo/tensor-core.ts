/** M, T, N3: the tensor cores run by themselves, and tensor memory belongs to the agent that allocated it. */
import { checked } from '../../../semantics/language/index-types.js'
import { eq, i32, place, type Barrier } from '../../../semantics/language/expression.js'
import * as S from './twin.js'
import type { Twin } from './twin.js'

const blackwell: S.Stage = { arch: 'sm100a', agents: ['block'] }
const pair: S.Stage = { arch: 'sm100a', agents: ['first', 'second'] }
const two: S.Stage = { arch: 'sm100a', agents: ['block'], cluster: [2] }
const leads = eq(place('ctaRank'), i32(0))
const follows = eq(place('ctaRank'), i32(1))

// ---------------------------------------------------------------- M

const fragmentEarly = S.twin({
  id: 'M1',
  title: 'the sums of a wgmma are read before a group wait covers it',
  fix: 'wait for the group first',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'wgmma', b: 'read acc' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.fragment('acc', 'block')
    yield* S.fill('fill s', s)
    yield* S.wgmmaFence
    yield* S.wgmma('wgmma', acc, s)
    yield* S.commitWgmma
    if (fixed) yield* S.waitWgmma('wait wgmma', 0)
    yield* S.readFragment('read acc', acc)
    if (!fixed) yield* S.waitWgmma('wait wgmma', 0)
  },
})

/** Two products whose accumulators share half of their columns. */
const issueOrder = S.twin({
  id: 'N3',
  title:
    'a product overwrites columns of another product’s accumulator, and only the order in the queue separates the two',
  fix: 'wait for the first product before the second is issued',
  stage: blackwell,
  shows: { verdict: 'ok', a: 'mma', b: 'mma over it' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.accumulator('acc', 64, 0)
    yield* S.accumulator('left of it', 32, 1)
    const over = yield* S.accumulator('over it', 64, 1)
    const done = yield* S.tensorBarrier('done')
    yield* S.allocate('allocate', 128)
    yield* S.fill('fill s', s)
    yield* S.mma('mma', acc, s)
    yield* S.commit('commit', done)
    if (fixed) yield* S.wait('wait done', done, 0)
    yield* S.mma('mma over it', over, s)
    if (!fixed) yield* S.wait('wait done', done, 0)
    yield* S.commit('commit both', done)
    yield* S.wait('wait both', done, 1)
    yield* S.deallocate('deallocate', 128)
  },
})

const accumulatorEarly = S.twin({
  id: 'M2',
  title: 'the accumulator is loaded from tensor memory before the commit of the MMA was observed',
  fix: 'wait for the barrier of the commit',
  stage: blackwell,
  shows: { verdict: 'hazard', a: 'mma', b: 'load acc' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.accumulator('acc')
    const into = yield* S.fragment('into', 'block')
    const done = yield* S.tensorBarrier('done')
    yield* S.allocate()
    yield* S.fill('fill s', s)
    yield* S.mma('mma', acc, s)
    yield* S.commit('commit', done)
    if (fixed) yield* S.wait('wait done', done, 0)
    yield* S.loadAccumulator('load acc', acc, into)
    yield* S.waitLoads('wait loads')
    if (!fixed) yield* S.wait('wait done', done, 0)
    yield* S.deallocate()
  },
})

const overwrittenUnderLoad = S.twin({
  id: 'M3',
  title: 'an accumulator is overwritten while a load from it may still be under way',
  fix: 'wait for the load first',
  stage: blackwell,
  shows: { verdict: 'hazard', a: 'load acc', b: 'store acc' },
  *body(fixed) {
    const acc = yield* S.accumulator('acc')
    const into = yield* S.fragment('into', 'block')
    yield* S.allocate()
    yield* S.storeAccumulator('zero acc', acc)
    yield* S.waitAccumulator('wait zero')
    yield* S.loadAccumulator('load acc', acc, into)
    if (fixed) yield* S.waitLoads('wait loads')
    yield* S.storeAccumulator('store acc', acc)
    yield* S.waitAccumulator('wait store')
    if (!fixed) yield* S.waitLoads('wait loads')
    yield* S.deallocate()
  },
})

const storeNotWaitedFor = S.twin({
  id: 'M4',
  title: 'an MMA adds to an accumulator that a tensor-memory store has not reached yet',
  fix: 'wait for the store before the product',
  stage: blackwell,
  shows: { verdict: 'hazard', a: 'store acc', b: 'mma' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.accumulator('acc')
    const done = yield* S.tensorBarrier('done')
    yield* S.allocate()
    yield* S.fill('fill s', s)
    yield* S.storeAccumulator('store acc', acc)
    if (fixed) yield* S.waitAccumulator('wait store')
    yield* S.mma('mma', acc, s, true)
    yield* S.commit('commit', done)
    yield* S.wait('wait done', done, 0)
    if (!fixed) yield* S.waitAccumulator('wait store')
    yield* S.deallocate()
  },
})

const orderlessBarrier = S.twin({
  id: 'M5',
  title: 'the tensor core signals a barrier that was declared without tensor-core order',
  fix: 'declare the barrier with tensor-core order',
  stage: blackwell,
  shows: { verdict: 'invalid' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.accumulator('acc')
    const done = fixed ? yield* S.tensorBarrier('done') : yield* S.barrier('done')
    yield* S.allocate()
    yield* S.fill('fill s', s)
    yield* S.mma('mma', acc, s)
    // the types of this library refuse it too
    yield* S.commit('commit', checked<Barrier<'ptx', true>, Barrier>(done))
    yield* S.wait('wait done', done, 0)
    yield* S.deallocate()
  },
})

const addsToNothing = S.twin({
  id: 'M6',
  title: 'the first MMA adds to an unwritten accumulator',
  fix: 'accumulate from the second product on',
  stage: blackwell,
  shows: { verdict: 'hazard', a: 'mma' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.accumulator('acc')
    const done = yield* S.tensorBarrier('done')
    yield* S.allocate()
    yield* S.fill('fill s', s)
    yield* S.mma('mma', acc, s, !fixed)
    yield* S.commit('commit', done)
    yield* S.wait('wait done', done, 0)
    yield* S.deallocate()
  },
})

const noThreadSync = S.twin({
  id: 'M8',
  title: 'tensor memory passes to another agent over an ordinary barrier, without the thread-sync fences',
  fix: 'before_thread_sync before the arrive, after_thread_sync after the wait',
  stage: pair,
  shows: { verdict: 'hazard', a: 'store acc', b: 'load acc' },
  *body(fixed) {
    const acc = yield* S.accumulator('acc')
    const into = yield* S.fragment('into', 'second')
    const full = yield* S.barrier('full')
    yield* S.allocate()
    yield* S.together({
      *first() {
        yield* S.storeAccumulator('store acc', acc)
        yield* S.waitAccumulator('wait store')
        if (fixed) yield* S.fenceBefore
        yield* S.arrive('arrive full', full)
      },
      *second() {
        yield* S.wait('wait full', full, 0)
        if (fixed) yield* S.fenceAfter
        yield* S.loadAccumulator('load acc', acc, into)
        yield* S.waitLoads('wait loads')
      },
    })
    yield* S.deallocate()
  },
})

const issuedTwice = S.twin({
  id: 'M7',
  title: 'a product of two CTAs is issued by both of them',
  fix: 'the leader issues it, for both',
  stage: two,
  shows: { verdict: 'hazard', a: 'mma' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.pairAccumulator('acc')
    const done = yield* S.tensorBarrier('done')
    yield* S.clusterMeets('start')
    yield* S.allocatePair('allocate', 64)
    yield* S.fill('fill s', s, 'cluster')
    yield* S.clusterMeets('ready')
    yield* S.mmaPair('mma', acc, s, fixed ? leads : undefined)
    yield* S.commitPair('commit', done, leads)
    yield* S.wait('wait done', done, 0)
    yield* S.clusterMeets('end')
    yield* S.deallocatePair('deallocate', 64)
  },
})

// ---------------------------------------------------------------- T

const leak = S.twin({
  id: 'T1',
  title: 'columns of tensor memory are allocated and never freed',
  fix: 'free them before the kernel ends',
  stage: blackwell,
  shows: { verdict: 'hazard', a: 'allocate' },
  *body(fixed) {
    yield* S.allocate()
    if (fixed) yield* S.deallocate()
  },
})

const freedTwice = S.twin({
  id: 'T2',
  title: 'columns of tensor memory are freed twice',
  fix: 'free them once',
  stage: blackwell,
  shows: { verdict: 'invalid', a: 'deallocate again' },
  *body(fixed) {
    yield* S.allocate()
    yield* S.deallocate()
    if (!fixed) yield* S.deallocate('deallocate again')
  },
})

const oddColumns = S.twin({
  id: 'T3',
  title: '48 columns are requested, which is not a power of two',
  fix: 'allocate 64',
  stage: blackwell,
  shows: { verdict: 'invalid' },
  *body(fixed) {
    const columns = fixed ? 64 : 48
    yield* S.allocate('allocate', columns)
    yield* S.deallocate('deallocate', columns)
  },
})

const noColumnsLeft = S.twin({
  id: 'T3',
  word: 'full',
  title: 'more columns are requested than are left',
  fix: 'allocate at most 512 columns',
  stage: blackwell,
  shows: { verdict: 'invalid', a: 'allocate more' },
  *body(fixed) {
    yield* S.allocate('allocate', fixed ? 256 : 512)
    yield* S.allocate('allocate more', 32)
    yield* S.deallocate('deallocate', fixed ? 256 : 512)
    yield* S.deallocate('deallocate more', 32)
  },
})

const unequal = S.twin({
  id: 'T4',
  title: 'the CTAs of a pair allocate different numbers of columns together',
  fix: 'the same allocation in both',
  stage: two,
  shows: { verdict: 'hazard', a: 'allocate', b: 'allocate less' },
  *body(fixed) {
    const all = fixed ? undefined : leads
    yield* S.clusterMeets('start')
    yield* S.allocatePair('allocate', 64, all)
    if (!fixed) yield* S.allocatePair('allocate less', 32, follows)
    yield* S.clusterMeets('end')
    yield* S.deallocatePair('deallocate', 64, all)
    if (!fixed) yield* S.deallocatePair('deallocate less', 32, follows)
  },
})

const peerGone = S.twin({
  id: 'T5',
  title: 'one CTA of a pair frees what both allocated, and the other exits without its part',
  fix: 'both free it',
  stage: two,
  shows: { verdict: 'hazard', a: 'deallocate', b: 'allocate' },
  *body(fixed) {
    yield* S.clusterMeets('start')
    yield* S.allocatePair('allocate', 64)
    yield* S.clusterMeets('end')
    yield* S.deallocatePair('deallocate', 64, fixed ? undefined : leads)
  },
})

export const tensorCore: ReadonlyArray<Twin> = [
  fragmentEarly,
  accumulatorEarly,
  issueOrder,
  overwrittenUnderLoad,
  storeNotWaitedFor,
  orderlessBarrier,
  addsToNothing,
  issuedTwice,
  noThreadSync,
]

export const tensorMemory: ReadonlyArray<Twin> = [
  leak,
  freedTwice,
  oddColumns,
  noColumnsLeft,
  unequal,
  peerGone,
]
