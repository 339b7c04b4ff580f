/**
 * The tensor queue: where a commit arrives, which CTAs a pair is, and who waits for whom.
 *
 * Tables by hand. (Which entry is pipelined behind which stands in `detector/queue.proof.ts`, a queue that runs in `tcgen05.proof.ts`.)
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import {
  arrive,
  checkGroup,
  ctasOf,
  elsewhere,
  held,
  ownMemory,
  peerOf,
  type Queued,
} from '../../../src/semantics/instructions/tcgen05-queue.js'
import type { Environment } from '../../../src/semantics/machine/environment.js'
import * as Footprint from '../../../src/semantics/machine/footprint.js'
import { init } from '../../../src/semantics/machine/mbarrier.js'
import type { InFlight } from '../../../src/semantics/machine/operation.js'
import { prepare } from '../../../src/semantics/core/prepare.js'
import { environment } from '../../../src/semantics/machine/environment.js'
import { withBarrier, withInFlight } from '../../../src/semantics/machine/state.js'
import type { World } from '../../../src/semantics/machine/world.js'
import * as Ref from '../../../src/transforms/ref.js'
import { launched } from '../machine/machine-samples.js'
import { declarations, one } from '../language/operands.js'
import { spansOf } from '../../../src/semantics/log/events.js'
import { right } from '../../either.js'

const samples = launched(
  right(
    B.draft(
      { name: 'queue', arch: 'sm100a', grid: [8], cluster: [4], agents: [B.warpgroup('wg', 0)] },
      declarations,
    ),
  ),
  bits('blackwell'),
  { resident: 2 },
)
const { world, machine } = samples
/** A CTA of a cluster of so many. */
const at = (cta: number, ctas: number, place = 0): Environment =>
  environment({ ...world, ctas }, { agent: 0, cta, place, cluster: 0 }, [])

describe('pairs', () => {
  test('the peer: the other of ranks 2i and 2i + 1, if the cluster has it', () => {
    const peers = (ctas: number): ReadonlyArray<number | string> =>
      Array.from({ length: ctas }, (_, cta) => {
        const peer = peerOf(at(cta, ctas), 'mma')
        return typeof peer === 'number' ? peer : peer.code
      })
    expect(peers(1)).toEqual(['M7'])
    expect(peers(2)).toEqual([1, 0])
    expect(peers(3)).toEqual([1, 0, 'M7'])
    expect(peers(4)).toEqual([1, 0, 3, 2])
  })
  test('one CTA needs no peer', () => {
    expect(checkGroup(at(0, 1), 'mma', 1)).toBeNull()
    expect(checkGroup(at(0, 1), 'mma', 2)).toMatchObject({ code: 'M7' })
    expect(checkGroup(at(0, 2), 'mma', 2)).toBeNull()
    expect(checkGroup(at(2, 3), 'mma', 2)).toMatchObject({ code: 'M7' })
  })
  test('the CTAs of it, counted from the one that issues, the even one first', () => {
    const counted = (cta: number, group: 1 | 2): ReadonlyArray<number> =>
      ctasOf(at(cta, 4), group).map((c) => cta + c)
    expect([0, 1, 2, 3].map((cta) => counted(cta, 1))).toEqual([[0], [1], [2], [3]])
    expect([0, 1, 2, 3].map((cta) => counted(cta, 2))).toEqual([
      [0, 1],
      [0, 1],
      [2, 3],
      [2, 3],
    ])
  })
  test('operands are memory of the CTA that issues, also in the second cluster that runs', () => {
    const of = (cta: number) => {
      const plane = world.header.planes.findIndex((p) => p.space === 'smem' && p.cta === cta)
      return Footprint.ofAddresses(world.footprints, plane, 'u32', [1], Int32Array.of(0))
    }
    const own = (rank: number, place: number): ReadonlyArray<number> =>
      [0, 1, 2, 3, 4, 5, 6, 7].filter((cta) => ownMemory(at(rank, 4, place), 'a', of(cta)) === null)
    expect([own(0, 0), own(3, 0), own(0, 1), own(3, 1)]).toEqual([[0], [3], [4], [7]])
    expect(ownMemory(at(0, 4), 'a', of(1))).toMatchObject({ code: 'mma.remote' })
  })
  test('the same place elsewhere: so many CTAs and bytes on; single addresses stay where they are', () => {
    const layout = right(Ref.ofStrides([4], 32, [1]))
    const e = Footprint.ofLayout(world.footprints, 3, 'u32', layout, 16)
    const moved = (ctas: number, bytes: number): ReadonlyArray<unknown> => {
      const { plane, footprint, dtype } = elsewhere(world, e, ctas, bytes)
      return [plane, footprint.plane, [...spansOf(footprint)], dtype]
    }
    const on = world.planesPerCta
    expect(moved(0, 0)).toEqual([3, 3, [16, 32], 'u32'])
    expect(moved(1, 0)).toEqual([3 + on, 3 + on, [16, 32], 'u32'])
    expect(moved(2, 8)).toEqual([3 + 2 * on, 3 + 2 * on, [24, 40], 'u32'])
    expect(moved(0, 8)).toEqual([3, 3, [24, 40], 'u32'])
    const scattered = Footprint.ofAddresses(world.footprints, 3, 'u32', [1], Int32Array.of(64))
    expect(elsewhere(world, scattered, 1, 8)).toBe(scattered)
  })
})

describe('where a commit arrives', () => {
  const commit = (mask: number | null, ctaGroup: 1 | 2 = 1): Instruction => ({
    _tag: 'tcgen05.commit',
    barrier: one,
    ctaGroup,
    ...(mask === null ? {} : { multicast: X.i32(mask) }),
  })
  // three barriers a CTA, and `one` is the third
  test.each([
    [null, [8]],
    [0, []],
    [0b0001, [2]],
    [0b0100, [8]],
    [0b1010, [5, 11]],
    [0b1111, [2, 5, 8, 11]],
    [0b1_0000, 'I2'],
    [0b1_0001, 'I2'],
    [-1, 'I2'],
  ] as const)('mask %s: barriers %s', (mask, barriers) => {
    const from = { agent: 2, cta: 2, place: 0, cluster: 0 }
    expect(prepare(environment(world, from, []), commit(mask))).toMatchObject(
      typeof barriers === 'string' ? { code: barriers } : { barriers },
    )
    expect(
      prepare(environment(world, from, []), {
        _tag: 'tcgen05.mma',
        accumulator: { _tag: 'storage', storage: 'd' } as never,
        a: { _tag: 'storage', storage: 'ta' } as never,
        b: { _tag: 'storage', storage: 'tb' } as never,
        accumulate: X.i1(true),
        ctaGroup: 1,
        completions: [
          { barrier: one, when: X.i1(false) },
          { barrier: one, when: X.i1(true), ...(mask === null ? {} : { multicast: X.i32(mask) }) },
        ],
      }),
    ).toMatchObject(typeof barriers === 'string' ? { code: barriers } : { completions: [barriers] })
  })
  test('of a pair: what group it is for stays with it', () => {
    const from = { agent: 2, cta: 2, place: 0, cluster: 0 }
    expect(prepare(environment(world, from, []), commit(0b1100, 2))).toEqual({
      _tag: 'tcgen05.commit',
      barriers: [8, 11],
      ctaGroup: 2,
    })
  })
  test('once on each of its barriers, and it is in the queue no more', () => {
    const stamp = { agent: 0, at: 3, site: 0, iteration: [] }
    const f = {
      _tag: 'tcgen05Commit',
      id: 7,
      agent: 0,
      at: 3,
      stamp,
      alone: false,
      part: 2,
      barriers: [2, 5, 2],
    } as const
    const other = { ...f, id: 8 }
    const before = [2, 5].reduce((m, b) => withBarrier(m, b, init(3)), withInFlight(machine, [f, other]))
    const { machine: m, events } = arrive(before, f)
    expect([m.barriers[2]!.pending, m.barriers[5]!.pending, m.barriers[8]]).toEqual([1, 2, null])
    expect(m.inFlight).toEqual([other])
    const signal = { _tag: 'signal', operation: 7, to: 'arrive' }
    expect(events).toEqual([
      { _tag: 'perform', operation: 7, stage: 'all', part: 0 },
      { ...signal, part: 2, barrier: 2 },
      { ...signal, part: 3, barrier: 5 },
      { ...signal, part: 4, barrier: 2 },
    ])
  })
})

describe('who is held', () => {
  const product = (agent: number, pipe = 0): Queued =>
    ({ _tag: 'tcgen05', agent, mma: { pipe } }) as unknown as Queued
  const copy = (agent: number): Queued =>
    ({ _tag: 'tcgen05Copy', agent, copy: { entry: 'cp' } }) as unknown as Queued
  const commit = (agent: number): Queued => ({ _tag: 'tcgen05Commit', agent }) as unknown as Queued
  const load = { _tag: 'tcgen05Ld', agent: 0 } as unknown as InFlight
  const wgmma = { _tag: 'wgmma', agent: 0 } as unknown as InFlight
  const shown = (order: World['tensorPipe'], inFlight: ReadonlyArray<InFlight>): string =>
    inFlight
      .flatMap((f) =>
        f._tag === 'tcgen05' || f._tag === 'tcgen05Copy' || f._tag === 'tcgen05Commit'
          ? [held({ ...world, tensorPipe: order }, withInFlight(machine, inFlight), f) ? 'h' : '-']
          : ['.'],
      )
      .join('')
  test.each<readonly [what: string, inFlight: ReadonlyArray<InFlight>, inOrder: string, documented: string]>([
    ['the first of each agent is not', [product(0), product(1), copy(2), commit(3)], '----', '----'],
    ['two products of one accumulator', [product(0, 1), product(0, 1)], '-h', '-h'],
    ['of two accumulators', [product(0, 1), product(0, 2)], '-h', '--'],
    ['a copy behind a product', [product(0), copy(0)], '--', '--'],
    ['a copy behind a copy', [copy(0), copy(0)], '--', '--'],
    ['a product behind a copy', [copy(0), product(0)], '-h', '-h'],
    ['a product behind a commit', [commit(0), product(0)], '-h', '--'],
    ['a commit behind a product', [product(0), commit(0)], '-h', '-h'],
    ['behind what is in no queue', [load, wgmma, product(0)], '..-', '..-'],
    ['behind a product of somebody else', [product(1), product(0), product(0)], '--h', '--h'],
    ['not by the next one alone', [product(0, 1), copy(0), product(0, 2)], '--h', '--h'],
    ['by the one before the last', [product(0, 1), product(1), product(0, 1)], '--h', '--h'],
  ])('%s', (_what, inFlight, inOrder, documented) => {
    expect([shown('issueOrder', inFlight), shown('documented', inFlight)]).toEqual([inOrder, documented])
  })
})
