/**
 * The load warp: Q, and every tile of K and V in turn.
 *
 *     K0 and Q0 on one barrier    Q1    V0    then for n = 1, 2, ...: acquire, K_n, acquire, V_n
 *
 * The first two tiles need no acquire, their slots are fresh.
 *
 * Source: Mojo, mha_sm100_2q, load warp.
 */
import { perform } from '../../../dialects/mojo/index.js'
import * as B from '../../../semantics/writing/builder.js'
import { add, i32, mul, slot, type Int } from '../../../semantics/language/expression.js'
import type { KeyBlocks } from './key-blocks.js'
import type { Memory, Ring, Commits } from './memory.js'
import { tileRows, type Fa4 } from './model.js'
import type { Place, Producing, TileOf } from './rings.js'

/** Where a block stands. */
export interface Block {
  readonly batch: Int
  readonly head: Int
  /** of K and V */
  readonly kvHead: Int
  /** first row */
  readonly row: Int
  readonly keys: KeyBlocks
}

export const loadWarp = (c: Fa4, m: Memory, ring: Producing, block: Block): B.Build<void> =>
  B.block(function* () {
    const { batch, head, kvHead, row, keys } = block
    const qBytes = tileRows * c.headDim * 2
    const copyQ = (label: string, i: number, barriers: Commits, barrier: Int): B.Build<void> =>
      B.run(label, {
        _tag: 'tma.load',
        descriptor: m.maps.q,
        coords: [batch, head, i32(0), add(row, i32(i * tileRows)), i32(0)],
        destination: slot(m.q, i32(i)),
        barrier: slot(barriers, barrier),
        ctaGroup: 1,
      })
    const copy = (label: string, descriptor: Memory['maps']['k'], place: Place, n: Int): B.Build<void> =>
      B.block(function* () {
        if (place.operation !== null) yield* perform(`expect ${label}`, place.ring.barriers, place.operation)
        yield* issue(label, descriptor, place.tile, place.ring, place.barrier, n)
      })
    const issue = (
      label: string,
      descriptor: Memory['maps']['k'],
      destination: TileOf,
      { barriers }: Ring,
      barrier: Int,
      n: Int,
    ): B.Build<void> =>
      B.run(`copy ${label}`, {
        _tag: 'tma.load',
        descriptor,
        coords: [batch, kvHead, i32(0), mul(add(keys.from, n), i32(c.blockKv)), i32(0)],
        destination,
        barrier: slot(barriers, barrier),
        ctaGroup: 1,
      })

    let at = ring.start
    if (c.guardFirst) yield* ring.acquireK('acquire K0', at)
    // K0's barrier hears of Q0 too
    const k0 = ring.getK(at, false)
    yield* perform('expect K0 Q0', k0.ring.barriers, {
      _tag: 'expectBytes',
      barrier: k0.barrier,
      bytes: ring.kvBytes + qBytes,
    })
    yield* copyQ('copy Q0', 0, k0.ring.barriers, k0.barrier)
    yield* copy('K0', m.maps.k, k0, i32(0))
    at = yield* ring.commitK('K0', at)
    yield* perform('expect Q1', m.q1, { _tag: 'expectBytes', barrier: i32(0), bytes: qBytes })
    yield* copyQ('copy Q1', 1, m.q1, i32(0))
    if (c.guardFirst) yield* ring.acquireV('acquire V0', at)
    yield* copy('V0', m.maps.v, ring.getV(at), i32(0))
    at = yield* ring.commitV('V0', at)

    yield* B.forRange({ label: 'n', from: i32(1), to: keys.count, carried: at }, function* (n, carried) {
      yield* ring.acquireK('acquire Kn', carried)
      yield* copy('Kn', m.maps.k, ring.getK(carried, true), n)
      const next = yield* ring.commitK('Kn', carried)
      yield* ring.acquireV('acquire Vn', next)
      yield* copy('Vn', m.maps.v, ring.getV(next), n)
      return yield* ring.commitV('Vn', next)
    })
  })
