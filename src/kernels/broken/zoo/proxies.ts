/** P: an ordinary access and an asynchronous one see memory through different doors. */
import * as S from './twin.js'
import type { Twin } from './twin.js'

const noFence = S.twin({
  id: 'P1',
  title: 'a tile is written and stored by TMA without a proxy fence between the two',
  fix: 'fence.proxy.async between the write and the store',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'write s', b: 'store s' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const out = yield* S.global('out')
    yield* S.write('write s', s)
    if (fixed) yield* S.fence('fence')
    yield* S.store('store s', s, out, 0)
    yield* S.commitStores
    yield* S.waitStores('wait stores')
  },
})

const noRegisterFence = S.twin({
  id: 'P1',
  word: 'registers',
  title: 'an accumulator is set to zero and given to a wgmma without wgmma.fence',
  fix: 'wgmma.fence between the write and the product',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'zero acc', b: 'wgmma' },
  *body(fixed) {
    const s = yield* S.operand('s')
    const acc = yield* S.fragment('acc', 'block')
    yield* S.fill('fill s', s)
    yield* S.zero('zero acc', acc)
    if (fixed) yield* S.wgmmaFence
    yield* S.wgmma('wgmma', acc, s)
    yield* S.commitWgmma
    yield* S.waitWgmma('wait wgmma', 0)
  },
})

const earlyFence = S.twin({
  id: 'P2',
  title: 'the proxy fence comes before the write that it should cover',
  fix: 'the fence after the write',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'write s', b: 'store s' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const out = yield* S.global('out')
    if (!fixed) yield* S.fence('fence')
    yield* S.write('write s', s)
    if (fixed) yield* S.fence('fence')
    yield* S.store('store s', s, out, 0)
    yield* S.commitStores
    yield* S.waitStores('wait stores')
  },
})

const foreignFence = S.twin({
  id: 'P2',
  word: 'agent',
  title: 'an agent that has not acquired the write executes the fence',
  fix: 'wait for the writer first, then fence',
  shows: { verdict: 'hazard', a: 'write s', b: 'store s' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const out = yield* S.global('out')
    const full = yield* S.barrier('full')
    yield* S.together({
      *producer() {
        yield* S.write('write s', s)
        yield* S.arrive('arrive full', full)
      },
      *consumer() {
        if (!fixed) yield* S.fence('fence')
        yield* S.wait('wait full', full, 0)
        if (fixed) yield* S.fence('fence')
        yield* S.store('store s', s, out, 0)
        yield* S.commitStores
        yield* S.waitStores('wait stores')
      },
    })
  },
})

const readThenRefill = S.twin({
  id: 'P3',
  title: 'a copy refills a slot that was read by ordinary loads, in order but without a proxy fence',
  fix: 'fence.proxy.async between the read and the refill',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'read s', b: 'refill s', strictProxies: true },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const first = yield* S.barrier('first')
    const second = yield* S.barrier('second')
    yield* S.fetch('load s', x, 0, s, first)
    yield* S.wait('wait first', first, 0)
    yield* S.read('read s', s)
    if (fixed) yield* S.fence('fence')
    yield* S.fetch('refill s', x, 8, s, second)
    yield* S.wait('wait second', second, 0)
  },
})

const releasedUnfenced = S.twin({
  id: 'P3',
  word: 'blackwell',
  title:
    'the consumer reads a slot and releases it, and the producer refills it, on a chip on which such reads went wrong',
  fix: 'fence.proxy.async of the consumer before it releases (or of the producer after its wait)',
  stage: { arch: 'sm100a' },
  shows: { verdict: 'hazard', a: 'read s', b: 'refill s' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    const empty = yield* S.barrier('empty')
    yield* S.together({
      *producer() {
        yield* S.fetch('load s', x, 0, s, full)
        yield* S.wait('wait empty', empty, 0)
        yield* S.fetch('refill s', x, 8, s, full)
      },
      *consumer() {
        yield* S.wait('wait full', full, 0)
        yield* S.read('read s', s)
        if (fixed) yield* S.fence('fence')
        yield* S.arrive('arrive empty', empty)
        yield* S.wait('wait full again', full, 1)
      },
    })
  },
})

const synchronous = S.twin({
  id: 'P4',
  title: 'an agent issues a bulk copy and reads its destination at once, as if the copy were done',
  fix: 'wait for the barrier of the copy before the read',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'load s', b: 'read s' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    yield* S.fetch('load s', x, 0, s, full)
    if (fixed) yield* S.wait('wait full', full, 0)
    yield* S.read('read s', s)
    if (!fixed) yield* S.wait('wait full', full, 0)
  },
})

const globalFence = S.twin({
  id: 'P5',
  title: 'global memory is written by ordinary stores and read by TMA across a fence for shared memory only',
  fix: 'a proxy fence of global scope',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'write x', b: 'load s' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    yield* S.writeGlobal('write x', S.rows(x, 0))
    yield* S.fence('fence', fixed ? 'global' : 'cta')
    yield* S.fetch('load s', x, 0, s, full)
    yield* S.wait('wait full', full, 0)
  },
})

export const proxies: ReadonlyArray<Twin> = [
  noFence,
  noRegisterFence,
  earlyFence,
  foreignFence,
  readThenRefill,
  releasedUnfenced,
  synchronous,
  globalFence,
]
