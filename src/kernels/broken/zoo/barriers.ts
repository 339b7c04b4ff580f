/** B and U: barriers that count wrong, are used wrong, or are left with something no wait has seen. */
import * as B from '../../../semantics/writing/builder.js'
import * as S from './twin.js'
import type { Twin } from './twin.js'

// ---------------------------------------------------------------- generations

const overrun = S.twin({
  id: 'B1',
  title:
    'the producer arrives twice, and the second generation can end before the consumer has seen the first',
  fix: 'wait for the consumer before the next arrive',
  shows: { verdict: 'deadlock', a: 'wait tick', b: 'arrive 2' },
  *body(fixed) {
    const tick = yield* S.barrier('tick')
    const seen = yield* S.barrier('seen')
    yield* S.together({
      *producer() {
        yield* S.arrive('arrive 1', tick)
        if (fixed) yield* S.wait('wait seen', seen, 0)
        yield* S.arrive('arrive 2', tick)
      },
      *consumer() {
        yield* S.wait('wait tick', tick, 0)
        yield* S.arrive('arrive seen', seen)
      },
    })
  },
})

const overArrival = S.twin({
  id: 'B2',
  title: 'one arrive more than the barrier counts, while the generation still waits for its bytes',
  fix: 'one arrive per generation, or a larger count',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'load s.expect', b: 'arrive full' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    yield* S.expect('load s.expect', full)
    if (!fixed) yield* S.arrive('arrive full', full)
    yield* S.load('load s', x, 0, s, full)
    yield* S.wait('wait full', full, 0)
  },
})

const ambiguous = S.twin({
  id: 'B3',
  title:
    'two producers share a barrier that counts one arrival: which of them opens it is a matter of timing',
  fix: 'count both',
  stage: { agents: ['left', 'right', 'consumer'] },
  shows: { verdict: 'deadlock', a: 'arrive left', b: 'arrive right' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const t = yield* S.tile('t')
    const full = yield* S.barrier('full', fixed ? 2 : 1)
    yield* S.together({
      *left() {
        yield* S.write('write s', s)
        yield* S.arrive('arrive left', full)
      },
      *right() {
        yield* S.write('write t', t)
        yield* S.arrive('arrive right', full)
      },
      *consumer() {
        yield* S.wait('wait full', full, 0)
        yield* S.read('read s', s)
        yield* S.read('read t', t)
      },
    })
  },
})

const tooManyBytes = S.twin({
  id: 'B4',
  title: 'sixteen bytes more are expected than the copy delivers',
  fix: 'expect the bytes of the box',
  stage: { agents: ['block'] },
  shows: { verdict: 'deadlock', a: 'wait full', b: 'expect' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    yield* S.expect('expect', full, S.tileBytes + (fixed ? 0 : 16))
    yield* S.load('load s', x, 0, s, full)
    yield* S.wait('wait full', full, 0)
  },
})

const lateExpect = S.twin({
  id: 'B4',
  word: 'late',
  title: 'the bytes are announced apart from the arrival, and nothing orders the two',
  fix: 'announce them with the arrival, or before it',
  shows: { verdict: 'hazard', a: 'expect', b: 'arrive full' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    const announced = yield* S.barrier('announced')
    yield* S.together({
      *producer() {
        yield* S.expectOnly('expect', full)
        yield* S.arrive('arrive announced', announced)
        yield* S.load('load s', x, 0, s, full)
      },
      *consumer() {
        if (fixed) yield* S.wait('wait announced', announced, 0)
        yield* S.arrive('arrive full', full)
        yield* S.wait('wait full', full, 0)
        yield* S.read('read s', s)
      },
    })
  },
})

const crossed = S.twin({
  id: 'B5',
  title: 'each of two agents waits for the other first',
  fix: 'one of them arrives before it waits',
  shows: { verdict: 'deadlock', a: 'wait pong' },
  *body(fixed) {
    const ping = yield* S.barrier('ping')
    const pong = yield* S.barrier('pong')
    const s = yield* S.tile('s')
    yield* S.write('write s', s)
    yield* S.together({
      *producer() {
        yield* S.read('read s', s)
        if (fixed) yield* S.arrive('arrive ping', ping)
        yield* S.wait('wait pong', pong, 0)
        if (!fixed) yield* S.arrive('arrive ping', ping)
      },
      *consumer() {
        yield* S.wait('wait ping', ping, 0)
        yield* S.arrive('arrive pong', pong)
      },
    })
  },
})

const lostPrime = S.twin({
  id: 'B6',
  title:
    'the producer waits for an empty slot first, and no arrival has said that all slots are empty at the start',
  fix: 'the consumer arrives once before its loop',
  shows: { verdict: 'deadlock', a: 'wait empty' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    const empty = yield* S.barrier('empty')
    yield* S.together({
      *producer() {
        yield* S.wait('wait empty', empty, 0)
        yield* S.write('write s', s)
        yield* S.arrive('arrive full', full)
      },
      *consumer() {
        if (fixed) yield* S.arrive('prime empty', empty)
        yield* S.wait('wait full', full, 0)
        yield* S.read('read s', s)
      },
    })
  },
})

const wrongPhase = S.twin({
  id: 'B6',
  word: 'early',
  title: 'the consumer begins with parity 1, on which a fresh barrier lets every wait pass',
  fix: 'the first wait of a consumer has parity 0',
  shows: { verdict: 'deadlock', a: 'write s', b: 'read s' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    yield* S.together({
      *producer() {
        yield* S.write('write s', s)
        yield* S.arrive('arrive full', full)
      },
      *consumer() {
        yield* S.wait('wait full', full, fixed ? 0 : 1)
        yield* S.read('read s', s)
      },
    })
  },
})

// ---------------------------------------------------------------- lives

const initTwice = S.twin({
  id: 'B7',
  title: 'a live barrier is initialised again',
  fix: 'initialise it once',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'init full', b: 'init again' },
  *body(fixed) {
    const full = yield* S.barrier('full')
    if (!fixed) yield* S.init('init again', full)
    yield* S.arrive('arrive full', full)
    yield* S.wait('wait full', full, 0)
  },
})

const gone = S.twin({
  id: 'B7',
  word: 'gone',
  title: 'a barrier is invalidated before the wait for it',
  fix: 'invalidate it after the last wait',
  stage: { agents: ['block'] },
  shows: { verdict: 'deadlock', a: 'give up', b: 'wait full' },
  *body(fixed) {
    const full = yield* S.barrier('full')
    const giveUp = B.run('give up', { _tag: 'mbarrier.inval', barrier: full })
    yield* S.arrive('arrive full', full)
    if (!fixed) yield* giveUp
    yield* S.wait('wait full', full, 0)
    if (fixed) yield* giveUp
  },
})

const skipped = S.twin({
  id: 'B8',
  title: 'the consumer waits for every other generation of a Pallas barrier',
  fix: 'wait for every generation',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'wait 1', strict: true },
  *body(fixed) {
    const tick = yield* S.pallasBarrier('tick')
    yield* S.arrive('arrive 0', tick)
    if (fixed) yield* S.wait('wait 0', tick, 0)
    yield* S.arrive('arrive 1', tick)
    yield* S.wait('wait 1', tick, 1)
  },
})

// ---------------------------------------------------------------- what is left

const unobserved = S.twin({
  id: 'U1',
  title: 'a Pallas barrier completes and the kernel ends without a wait for it',
  fix: 'wait for every completion',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'arrive tick', strict: true },
  *body(fixed) {
    const tick = yield* S.pallasBarrier('tick')
    yield* S.arrive('arrive tick', tick)
    if (fixed) yield* S.wait('wait tick', tick, 0)
  },
})

const reused = S.twin({
  id: 'U1',
  word: 'reused',
  title:
    'a Pallas barrier is invalidated with a completion that no wait observed, and its storage is used for another barrier',
  fix: 'wait for every completion before the barrier is invalidated',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'give up', b: 'init again' },
  *body(fixed) {
    const tick = yield* S.pallasBarrier('tick')
    yield* S.arrive('arrive tick', tick)
    if (fixed) yield* S.wait('wait tick', tick, 0)
    yield* B.run('give up', { _tag: 'mbarrier.inval', barrier: tick })
    yield* S.init('init again', tick)
  },
})

const storeAtExit = S.twin({
  id: 'U2',
  title: 'the kernel ends while a bulk store is under way',
  fix: 'wait for the store',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'store s' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const out = yield* S.global('out')
    yield* S.write('write s', s)
    yield* S.fence('fence')
    yield* S.store('store s', s, out, 0)
    yield* S.commitStores
    if (fixed) yield* S.waitStores('wait stores')
  },
})

export const barriers: ReadonlyArray<Twin> = [
  overrun,
  overArrival,
  ambiguous,
  tooManyBytes,
  lateExpect,
  crossed,
  lostPrime,
  wrongPhase,
  initTwice,
  gone,
  skipped,
  unobserved,
  reused,
  storeAtExit,
]
