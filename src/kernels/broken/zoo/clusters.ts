/** K, B9, N2: clusters: what may not be there yet, what may still be reached, what a CTA brings to another, and what a relaxed cluster barrier does not tell. */
import * as B from '../../../semantics/writing/builder.js'
import { eq, i32, mul, place, remote, slot } from '../../../semantics/language/expression.js'
import * as S from './twin.js'
import type { Twin } from './twin.js'

const pair: S.Stage = { agents: ['block'], cluster: [2] }
const rank = place('ctaRank')

const peerGone = S.twin({
  id: 'K1',
  title: 'a CTA arrives on a barrier of its peer, and the peer may have exited by then',
  fix: 'synchronise the cluster at the end of the kernel',
  stage: pair,
  shows: { verdict: 'hazard', a: 'arrive at peer' },
  *body(fixed) {
    const b = yield* S.barrier('b')
    yield* S.clusterMeets('start')
    yield* B.ifThen('rank 0', eq(rank, i32(0)), () =>
      S.arrive('arrive at peer', remote(b, i32(1)), 'cluster'),
    )
    if (fixed) yield* S.clusterMeets('end')
  },
})

const notEverybody = S.twin({
  id: 'K2',
  title: 'one CTA waits at the cluster barrier, the other ends without it',
  fix: 'every CTA meets',
  stage: pair,
  shows: { verdict: 'hazard', a: 'meet.arrive' },
  *body(fixed) {
    if (fixed) yield* S.clusterMeets('meet')
    else yield* B.ifThen('rank 0', eq(rank, i32(0)), () => S.clusterMeets('meet'))
  },
})

const wrongAxis = S.twin({
  id: 'K3',
  title: 'each CTA multicasts its half of a tile to both, and both halves go to the same place',
  fix: 'the place of a half depends on the rank that brings it',
  stage: pair,
  shows: { verdict: 'hazard', a: 'multicast', b: 'multicast' },
  *body(fixed) {
    const x = yield* S.global('x')
    const s = yield* S.ring('s', 2)
    const full = yield* S.barrier('full')
    yield* S.clusterMeets('start')
    yield* S.expect('expect both', full, 2 * S.tileBytes)
    const half = fixed ? rank : i32(0)
    yield* S.load('multicast', x, mul(rank, i32(8)), slot(s, half), full, i32(3))
    yield* S.wait('wait full', full, 0)
    yield* S.read('read s', slot(s, i32(0)))
    yield* S.clusterMeets('end')
  },
})

const notStarted = S.twin({
  id: 'K4',
  title: 'a CTA writes into the shared memory of its peer, and the peer may not have started',
  fix: 'synchronise before the write',
  stage: pair,
  shows: { verdict: 'hazard', a: 'write at peer' },
  *body(fixed) {
    const s = yield* S.tile('s')
    if (fixed) yield* S.clusterMeets('start')
    yield* B.ifThen('rank 0', eq(rank, i32(0)), () => S.write('write at peer', remote(s, i32(1))))
    yield* S.clusterMeets('end')
    yield* B.ifThen('rank 1', eq(rank, i32(1)), () =>
      B.block(function* () {
        yield* S.read('read s', s)
      }),
    )
  },
})

const unpublished = S.twin({
  id: 'B9',
  title:
    'a CTA arrives on a barrier of its peer, and a relaxed cluster barrier has not published its initialisation',
  fix: 'fence.mbarrier_init after the initialisation',
  stage: pair,
  shows: { verdict: 'hazard', a: 'init b', b: 'arrive at peer' },
  *body(fixed) {
    const b = yield* S.barrier('b')
    if (fixed) yield* B.run('publish barriers', { _tag: 'fence.mbarrierInit' })
    yield* S.clusterMeets('start', true)
    yield* B.ifThen('rank 0', eq(rank, i32(0)), () =>
      S.arrive('arrive at peer', remote(b, i32(1)), 'cluster'),
    )
    yield* S.clusterMeets('end')
  },
})

const relaxedBody = function* (fixed: boolean): B.Steps<void> {
  const x = yield* S.global('x')
  yield* B.ifThen('rank 0', eq(rank, i32(0)), () =>
    B.block(function* () {
      yield* S.readGlobal('read x', S.rows(x, 0))
    }),
  )
  yield* S.clusterMeets('meet', !fixed)
  yield* B.ifThen('rank 1', eq(rank, i32(1)), () => S.writeGlobal('write x', S.rows(x, 0)))
}

const relaxedOrder = S.twin({
  id: 'N2',
  title:
    'a CTA overwrites what its peer has read, and nothing but a relaxed cluster barrier is between the two',
  fix: 'let the arrives of the cluster barrier release',
  stage: pair,
  shows: { verdict: 'ok', a: 'read x', b: 'write x' },
  body: relaxedBody,
})

const relaxedStrictly = S.twin({
  id: 'D2',
  word: 'strict',
  title: 'the same according to the manual: a relaxed cluster barrier orders no ordinary access',
  fix: 'let the arrives of the cluster barrier release',
  stage: pair,
  shows: { verdict: 'hazard', a: 'read x', b: 'write x', strict: true },
  body: relaxedBody,
})

export const clusters: ReadonlyArray<Twin> = [
  peerGone,
  notEverybody,
  wrongAxis,
  notStarted,
  unpublished,
  relaxedOrder,
  relaxedStrictly,
]
