/** Pipelines: slots released too early, bytes announced wrong. */
import * as B from '../../../semantics/writing/builder.js'
import { div, eq, ge, i1, i32, place, rem, slot, sub } from '../../../semantics/language/expression.js'
import * as S from '../zoo/twin.js'
import type { Twin } from '../zoo/twin.js'

/**
 * A loop of four steps over a ring of two: TMA fills, the tensor core reads. The consumer's thread arrives on `empty` right after it has issued
 * the MMA; nothing says that the MMA has read. With as many stages as steps it goes unnoticed.
 *
 * Source: modular/modular, the SM100 attention kernel, whose release of K and V was an arrive and became a commit.
 */
const arriveForCommit = S.foreignTwin('early-release', {
  id: 'W2',
  title:
    'the ring slot is released by an arrive after the issue of the MMA, in a loop with more steps than stages',
  fix: 'release by a commit, which arrives when the tensor core has read',
  stage: { arch: 'sm100a', agents: ['load', 'mma'] },
  shows: { verdict: 'hazard', a: 'mma', b: 'copy' },
  *body(fixed) {
    const x = yield* B.tensorParam('x', 'f16', [256, 64], { role: 'in' })
    const map = yield* B.descriptorParam('x_map', x, [64, 64], { swizzle: 128 })
    const s = yield* S.operandRing('s', 2)
    const acc = yield* S.accumulator('acc')
    const full = yield* S.tensorBarriers('full', 2)
    const empty = yield* S.tensorBarriers('empty', 2)
    const done = yield* S.tensorBarrier('done')
    yield* S.allocate()
    yield* S.together({
      *load() {
        yield* B.forRange({ label: 'k', from: i32(0), to: i32(4) }, function* (k) {
          const at = rem(k, i32(2))
          const phase = rem(div(sub(k, i32(2)), i32(2)), i32(2))
          yield* S.wait('wait empty', slot(empty, at), phase, ge(k, i32(2)))
          yield* S.expect('copy.expect', slot(full, at), 8192)
          yield* B.run('copy', {
            _tag: 'tma.load',
            descriptor: map,
            coords: [i32(0), i32(0)],
            destination: slot(s, at),
            barrier: slot(full, at),
            ctaGroup: 1,
          })
        })
      },
      *mma() {
        yield* B.forRange({ label: 'k', from: i32(0), to: i32(4) }, function* (k) {
          const at = rem(k, i32(2))
          yield* S.wait('wait full', slot(full, at), rem(div(k, i32(2)), i32(2)))
          yield* B.run('mma', {
            _tag: 'tcgen05.mma',
            accumulator: acc,
            a: slot(s, at),
            b: slot(s, at),
            accumulate: ge(k, i32(1)),
            ctaGroup: 1,
            completions: [],
          })
          const free = slot(empty, at)
          yield* fixed ? S.commit('release', free) : S.arrive('release', free)
        })
        yield* S.commit('commit', done)
        yield* S.wait('wait done', done, 0)
      },
    })
    yield* S.deallocate()
  },
})

/** Source: triton-lang/triton, matrix products over several CTAs in which the first CTA alone announced its bytes. */
const onlyTheFirstExpects = S.foreignTwin('one-cta-expects', {
  id: 'B5',
  title: 'a multicast reaches two CTAs, and the first alone announces its bytes: the other waits forever',
  fix: 'every CTA announces the bytes that it will get',
  stage: { agents: ['block'], cluster: [2] },
  shows: { verdict: 'deadlock', a: 'wait full' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    const leads = eq(place('ctaRank'), i32(0))
    yield* S.clusterMeets('start')
    yield* B.ifThen('expects', fixed ? i1(true) : leads, () => S.expect('expect', full))
    yield* B.ifThen('issues', leads, () => S.load('multicast', x, 0, s, full, i32(3)))
    yield* S.wait('wait full', full, 0)
    yield* S.read('read s', s)
    yield* S.clusterMeets('end')
  },
})

/** Source: tile-ai/tilelang, bytes of a two-CTA copy multiplied by the size of the cluster. */
const bytesTwice = S.foreignTwin('bytes-of-the-cluster', {
  id: 'B4',
  title: 'each CTA of a cluster announces the bytes of all of them for a copy that brings its own',
  fix: 'announce the bytes that arrive in this CTA',
  stage: { agents: ['block'], cluster: [2] },
  shows: { verdict: 'deadlock', a: 'wait full', b: 'expect' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    yield* S.expect('expect', full, S.tileBytes * (fixed ? 1 : 2))
    yield* S.load('copy', x, 0, s, full)
    yield* S.wait('wait full', full, 0)
    yield* S.read('read s', s)
  },
})

/** Source: tile-ai/tilelang, barriers of count 1 at which all lanes of a warp arrive. */
const everyLane = S.foreignTwin('every-lane-arrives', {
  id: 'B2',
  title: 'the barrier counts one arrival, and all 32 lanes of the warp arrive',
  fix: 'one lane arrives; or the count is 32',
  stage: { agents: ['block'] },
  shows: { verdict: 'deadlock', a: 'arrive full', b: 'arrive full' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full', fixed ? 32 : 1)
    yield* S.write('write s', s)
    yield* B.run('arrive full', {
      _tag: 'mbarrier.arrive',
      barrier: full,
      count: 32,
      release: true,
      scope: 'cta',
    })
    yield* S.wait('wait full', full, 0)
    yield* S.read('read s', s)
  },
})

/** Source: triton-lang/triton, stores through TMA whose fence stood before the store to shared memory. */
const fenceBefore = S.foreignTwin('fence-before-store', {
  id: 'P2',
  title: 'in a loop the fence for the next store comes after the last one, before the tile is written',
  fix: 'the fence between the write and the store, in every step',
  stage: { agents: ['block'] },
  shows: { verdict: 'hazard', a: 'write s', b: 'store s' },
  *body(fixed) {
    const s = yield* S.tile('s')
    const out = yield* S.global('out')
    yield* B.forRange({ label: 'i', from: i32(0), to: i32(3) }, function* () {
      if (!fixed) yield* S.fence('fence')
      yield* S.write('write s', s)
      if (fixed) yield* S.fence('fence')
      yield* S.store('store s', s, out, 0)
      yield* S.commitStores
      yield* S.waitStores('wait stores')
    })
  },
})

export const pipelines: ReadonlyArray<Twin> = [
  arriveForCommit,
  onlyTheFirstExpects,
  bytesTwice,
  everyLane,
  fenceBefore,
]
