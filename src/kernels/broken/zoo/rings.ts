/** R and W: a slot is read before it is full, or filled before it is empty. */
import { i32, slot } from '../../../semantics/language/expression.js'
import * as S from './twin.js'
import type { Twin } from './twin.js'

// ---------------------------------------------------------------- read too early

const noWait = S.twin({
  id: 'R1',
  title: 'the consumer reads a slot without waiting for the copy that fills it',
  fix: 'wait for the barrier of the slot before the read',
  shows: { verdict: 'hazard', a: 'load s', b: 'read s' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    yield* S.together({
      *producer() {
        yield* S.fetch('load s', x, 0, s, full)
      },
      *consumer() {
        if (fixed) yield* S.wait('wait full', full, 0)
        yield* S.read('read s', s)
        if (!fixed) yield* S.wait('wait full', full, 0)
      },
    })
  },
})

const wrongSlot = S.twin({
  id: 'R2',
  title: 'the consumer waits for the barrier of the next slot',
  fix: 'wait for the barrier of the slot that is read',
  shows: { verdict: 'hazard', a: 'load s[0]', b: 'read s[0]' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.ring('s', 2)
    const full = yield* S.barriers('full', 2)
    yield* S.together({
      *producer() {
        yield* S.fetch('load s[0]', x, 0, slot(s, i32(0)), full(0))
        yield* S.fetch('load s[1]', x, 8, slot(s, i32(1)), full(1))
      },
      *consumer() {
        yield* S.wait('wait full', full(fixed ? 0 : 1), 0)
        yield* S.read('read s[0]', slot(s, i32(0)))
        yield* S.wait('wait other', full(fixed ? 1 : 0), 0)
      },
    })
  },
})

const partial = S.twin({
  id: 'R3',
  title: 'two copies complete one barrier that counts one arrival, so the first of them alone opens it',
  fix: 'count both arrivals',
  shows: { verdict: 'deadlock', a: 'load b', b: 'read b' },
  *body(fixed) {
    const x = yield* S.global('x')
    const a = yield* S.tile('a')
    const b = yield* S.tile('b')
    const full = yield* S.barrier('full', fixed ? 2 : 1)
    yield* S.together({
      *producer() {
        yield* S.fetch('load a', x, 0, a, full)
        yield* S.fetch('load b', x, 8, b, full)
      },
      *consumer() {
        yield* S.wait('wait full', full, 0)
        yield* S.read('read b', b)
      },
    })
  },
})

// ---------------------------------------------------------------- overwritten too early

const noRelease = S.twin({
  id: 'W1',
  title: 'the producer refills a slot without waiting for the consumer to release it',
  fix: 'wait for the release before the refill',
  shows: { verdict: 'hazard', a: 'read s', b: 'refill s' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    const empty = yield* S.barrier('empty')
    const again = yield* S.barrier('again')
    yield* S.together({
      *producer() {
        yield* S.fetch('load s', x, 0, s, full)
        yield* S.wait('wait full', full, 0)
        if (fixed) yield* S.wait('wait empty', empty, 0)
        yield* S.fetch('refill s', x, 8, s, again)
        yield* S.wait('wait again', again, 0)
      },
      *consumer() {
        yield* S.wait('wait full', full, 0)
        yield* S.read('read s', s)
        yield* S.arrive('arrive empty', empty)
      },
    })
  },
})

const releaseAtIssue = S.twin({
  id: 'W2',
  title: 'the slot is released when the MMA is issued, not when it is done',
  fix: 'let the tensor core release it: commit on the barrier',
  stage: { arch: 'sm100a' },
  shows: { verdict: 'hazard', a: 'mma', b: 'refill s' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.accumulator('acc')
    const empty = yield* S.tensorBarrier('empty')
    const done = yield* S.tensorBarrier('done')
    yield* S.allocate()
    yield* S.fill('fill s', s)
    yield* S.together({
      *producer() {
        yield* S.wait('wait empty', empty, 0)
        yield* S.refill('refill s', s)
        if (!fixed) yield* S.wait('wait done', done, 0)
      },
      *consumer() {
        yield* S.mma('mma', acc, s)
        yield* fixed ? S.commit('commit empty', empty) : S.arrive('arrive empty', empty)
        if (!fixed) yield* S.commit('commit done', done)
      },
    })
    yield* S.deallocate()
  },
})

const weakGroupWait = S.twin({
  id: 'W3',
  title: 'wgmma_wait leaves open the group that still reads the slot, which is then released',
  fix: 'wait until no group is open',
  shows: { verdict: 'hazard', a: 'wgmma', b: 'refill s' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.fragment('acc', 'consumer')
    const empty = yield* S.barrier('empty')
    yield* S.fill('fill s', s)
    yield* S.together({
      *producer() {
        yield* S.wait('wait empty', empty, 0)
        yield* S.refill('refill s', s)
      },
      *consumer() {
        yield* S.wgmmaFence
        yield* S.wgmma('wgmma', acc, s)
        yield* S.commitWgmma
        yield* S.waitWgmma('wait wgmma', fixed ? 0 : 1)
        yield* S.arrive('arrive empty', empty)
        if (!fixed) yield* S.waitWgmma('wait all', 0)
      },
    })
  },
})

const sourceReused = S.twin({
  id: 'W4',
  title: 'the source of a bulk store is written again while the store may still read it',
  fix: 'wait until the group has read its sources',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'store s', b: 'write again' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const out = yield* S.global('out')
    yield* S.write('write s', s)
    yield* S.fence('fence')
    yield* S.store('store s', s, out, 0)
    yield* S.commitStores
    if (fixed) yield* S.waitStores('wait read', 'reads')
    yield* S.write('write again', s)
    yield* S.waitStores('wait stores')
  },
})

const collapsed = S.twin({
  id: 'W5',
  title: 'two steps have barriers of their own and one slot between them',
  fix: 'as many slots as barriers',
  shows: { verdict: 'hazard', a: 'load 0', b: 'load 1' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.ring('s', 2)
    const full = yield* S.barriers('full', 2)
    const second = slot(s, i32(fixed ? 1 : 0))
    yield* S.together({
      *producer() {
        yield* S.fetch('load 0', x, 0, slot(s, i32(0)), full(0))
        yield* S.fetch('load 1', x, 8, second, full(1))
      },
      *consumer() {
        yield* S.wait('wait full[0]', full(0), 0)
        yield* S.read('read 0', slot(s, i32(0)))
        yield* S.wait('wait full[1]', full(1), 0)
        yield* S.read('read 1', second)
      },
    })
  },
})

export const rings: ReadonlyArray<Twin> = [
  noWait,
  wrongSlot,
  partial,
  noRelease,
  releaseAtIssue,
  weakGroupWait,
  sourceReused,
  collapsed,
]
