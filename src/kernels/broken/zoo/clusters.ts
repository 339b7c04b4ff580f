/** K: clusters: who may still be reached, and who brings what to whom. */
import * as B from '../../../semantics/builder.js'
import { eq, i32, mul, place, remote, slot } from '../../../semantics/expression.js'
import * as S from './twin.js'
import type { Twin } from './twin.js'

const pair: S.Stage = { agents: ['block'], cluster: [2] }
const rank = place('ctaRank')

const peerGone = S.twin({
  id: 'K1',
  title: 'a CTA arrives on a barrier of its peer, and the peer may have exited by then',
  fix: 'meet at the end of the kernel',
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
  title: 'one CTA meets the cluster, the other ends without it',
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

export const clusters: ReadonlyArray<Twin> = [peerGone, notEverybody, wrongAxis]
