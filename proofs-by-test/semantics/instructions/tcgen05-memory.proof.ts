/**
 * Columns of tensor memory: what an allocation takes and gives back, which accesses lie in it, which lanes an agent reaches.
 *
 * Tables by hand, in CTA 1 of a pair, so that nothing of CTA 0 can stand in for it.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import * as B from '../../../src/semantics/writing/builder.js'
import {
  executeAlloc,
  executeDealloc,
  executeRelinquish,
  freedBy,
  notAllocated,
  notAllocatedInGroup,
  outOfReach,
} from '../../../src/semantics/instructions/tcgen05-memory.js'
import type { LogEvent } from '../../../src/semantics/log/events.js'
import type { Executing } from '../../../src/semantics/machine/effect.js'
import * as Footprint from '../../../src/semantics/machine/footprint.js'
import type { Elements } from '../../../src/semantics/machine/operation.js'
import { noTensorMemory, withTensorMemory, type Machine } from '../../../src/semantics/machine/state.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import * as Ref from '../../../src/transforms/ref.js'
import { launched } from '../machine/machine-samples.js'
import { spansOf, startOf } from '../../../src/semantics/log/events.js'
import { right } from '../../either.js'

const agents = [B.warpgroup('four', 0), B.warp('warp 5', 5), B.partition('warps 6 and 7', 6, 2)]
const of = (arch: 'sm90a' | 'sm100a') =>
  launched(
    right(B.draft({ name: 'columns', arch, grid: [2], cluster: [2], agents }, () => B.of(undefined))),
    bits('blackwell'),
  )
const { world, machine } = of('sm100a')
const planeOf = (space: string, cta: number): number =>
  world.header.planes.findIndex((p) => p.space === space && p.cta === cta)
/** The first agent of CTA 1. */
const x: Executing = {
  world,
  agent: agents.length,
  stamp: { agent: agents.length, at: 4, site: 0, iteration: [2] },
}

type Taken = ReadonlyArray<readonly [start: number, columns: number]>
const having = (cta: number, taken: Taken, m: Machine = machine): Machine =>
  withTensorMemory(m, cta, {
    allocated: taken.map(([start, columns]) => ({ start, columns, agent: x.agent })),
    largest: 512,
    relinquished: false,
    ahead: [],
    outOfStep: false,
  })
const lane = 2048
const columns = (from: number, count: number, cta = 1): Elements =>
  Footprint.ofLayout(
    world.footprints,
    planeOf('tmem', cta),
    'f32',
    right(Ref.ofStrides([128, count], 32, [lane / 4, 1])),
    4 * from,
  )
const cells = (addresses: ReadonlyArray<number>, dtype: Dtype = 'u32'): Elements =>
  Footprint.ofAddresses(
    world.footprints,
    planeOf('tmem', 1),
    dtype,
    [addresses.length],
    Int32Array.from(addresses),
  )

// ---------------------------------------------------------------- what is accessed is allocated

describe('an access lies in what is allocated', () => {
  type Row = readonly [what: string, taken: Taken, e: Elements, reach: readonly [number, number], at: number]
  const none = -1
  const rows: ReadonlyArray<Row> = [
    ['nothing is allocated', [], columns(0, 8), [0, 7], 0],
    ['all of it', [[0, 32]], columns(0, 32), [0, 31], none],
    ['one column too many', [[0, 32]], columns(0, 33), [0, 32], 32],
    ['the last column', [[0, 32]], columns(31, 1), [31, 31], none],
    ['the one behind the last', [[0, 32]], columns(32, 1), [32, 32], 32],
    ['the first column', [[32, 32]], columns(32, 1), [32, 32], none],
    ['the one before the first', [[32, 32]], columns(31, 2), [31, 32], 31],
    [
      'two allocations beside each other',
      [
        [0, 32],
        [32, 32],
      ],
      columns(16, 48),
      [16, 63],
      none,
    ],
    [
      'the later one made first',
      [
        [32, 32],
        [0, 32],
      ],
      columns(16, 48),
      [16, 63],
      none,
    ],
    [
      'a hole between two',
      [
        [0, 32],
        [64, 32],
      ],
      columns(16, 56),
      [16, 71],
      32,
    ],
    ['every column there is', [[0, 512]], columns(0, 512), [0, 511], none],
    ['every column, half of them allocated', [[0, 256]], columns(0, 512), [0, 511], 256],
    ['cells of two lanes, the first further on', [[0, 32]], cells([4 * 40, lane + 4 * 8]), [8, 40], 32],
    ['the same, the first column missing', [[32, 32]], cells([4 * 40, lane + 4 * 8]), [8, 40], 8],
    ['the same, allocated', [[0, 64]], cells([4 * 40, lane + 4 * 8]), [8, 40], none],
    ['the second further on', [[0, 32]], cells([4 * 8, lane + 4 * 40]), [8, 40], 32],
    ['a byte of a column', [[0, 32]], cells([4 * 31 + 3], 'u8'), [31, 31], none],
    ['a byte of the next', [[0, 32]], cells([4 * 32], 'u8'), [32, 32], 32],
    ['the last cell of a lane and the first of the next', [[0, 64]], cells([lane - 4, lane]), [0, 511], 64],
    ['nothing is accessed', [], cells([]), [0, 0], none],
    ['no element of it is', [], cells([-1, -1]), [512, -1], none],
  ]
  test.each(rows)('%s', (_what, taken, e, [first, last], at) => {
    const found = notAllocated(world, having(1, taken), 'place', e)
    if (at < 0) expect(found).toBeNull()
    else
      expect(found).toEqual({
        _tag: 'fault',
        code: 'I2',
        columns: true,
        message: `place: columns ${String(first)} to ${String(last)} of tensor memory are used, and column ${String(at)} is not allocated`,
      })
  })
  test('the columns of the CTA whose memory it is; other memory is no concern', () => {
    const only0 = having(0, [[0, 32]])
    expect(notAllocated(world, only0, 'place', columns(0, 8, 0))).toBeNull()
    expect(notAllocated(world, only0, 'place', columns(0, 8, 1))).toMatchObject({ code: 'I2' })
    const shared = Footprint.ofAddresses(
      world.footprints,
      planeOf('smem', 1),
      'u32',
      [1],
      Int32Array.of(4 * 100),
    )
    expect(notAllocated(world, machine, 'place', shared)).toBeNull()
  })

  const other: Taken = [[32, 32]]
  type Grouped = readonly [what: string, taken: Taken, group: 1 | 2, code: string | null]
  test.each<Grouped>([
    ['of a pair, nothing at all', [], 2, 'M7'],
    ['of one CTA, nothing at all', [], 1, 'I2'],
    ['of a pair, other columns', other, 2, 'I2'],
    ['of one CTA, other columns', other, 1, 'I2'],
    ['of a pair, these', [[0, 32]], 2, null],
    ['of one CTA, these', [[0, 32]], 1, null],
  ])('%s', (_what, taken, group, code) => {
    // CTA 0 has what is asked for, whatever CTA 1 has
    const m = having(1, taken, having(0, [[0, 512]]))
    const found = notAllocatedInGroup(world, m, group, 'place', columns(0, 8))
    expect(found?.code ?? null).toBe(code)
    if (code === 'M7') expect(found!.message).toContain('CTA 1 of the pair')
    expect(notAllocatedInGroup(world, m, group, 'place', columns(0, 8, 0))).toBeNull()
  })
})

// ---------------------------------------------------------------- lanes

describe('an agent reaches the quarters of its warps', () => {
  const quarters = [0, 1, 2, 3]
  test.each([
    ['four', 0, [0, 1, 2, 3]],
    ['warp 5', 1, [1]],
    ['warps 6 and 7', 2, [2, 3]],
  ] as const)('%s', (_name, agent, reached) => {
    for (const dtype of ['u32', 'u8', 'e2m1'] as const)
      for (const quarter of quarters)
        for (const cta of [0, 1]) {
          // an address of 4 bits is a half of a byte
          const scale = dtype === 'e2m1' ? 2 : 1
          const ends = [32 * quarter * lane * scale, (32 * (quarter + 1) * lane - 4) * scale]
          for (const end of ends) {
            const found = outOfReach(world, agents.length * cta + agent, 'place', cells([end], dtype))
            expect(found?.code ?? null).toBe(reached.some((q) => q === quarter) ? null : 'tcgen05.lanes')
          }
        }
  })
  test('one lane of many is enough, and the message names it', () => {
    const found = outOfReach(world, 2, 'place', cells([64 * lane, 40 * lane + 8, 0]))
    expect(found!.message).toContain('place: lane 40 is out of reach of warps 6 and 7')
    expect(found!.message).toContain('it has warps 6 to 7')
  })
})

// ---------------------------------------------------------------- allocations

type Step = number | 'relinquish'
/** `n` allocates n columns, `-n` gives n back. What is left, or the code of the first fault; and the log. */
const after = (
  steps: ReadonlyArray<Step>,
): { readonly left: ReadonlyArray<string> | string; readonly m: Machine; readonly log: LogEvent[] } => {
  let m = machine
  const log: LogEvent[] = []
  for (const step of steps) {
    const done =
      step === 'relinquish'
        ? executeRelinquish(x, m)
        : step > 0
          ? executeAlloc(x, m, { _tag: 'tcgen05.alloc', columns: step, ctaGroup: 2 })
          : executeDealloc(x, m, { _tag: 'tcgen05.dealloc', columns: -step, ctaGroup: 2 })
    if (isFault(done)) return { left: done.code, m, log }
    m = done.machine
    log.push(...done.events)
  }
  const { allocated } = m.tensorMemory[1]!
  return { left: allocated.map((a) => `${String(a.start)}+${String(a.columns)}`), m, log }
}

describe('allocations', () => {
  test.each<readonly [what: string, steps: ReadonlyArray<Step>, left: ReadonlyArray<string> | string]>([
    ['one after another', [128, 64, 32], ['0+128', '128+64', '192+32']],
    ['all there is', [512], ['0+512']],
    ['more than there is', [512, 32], 'T3'],
    ['the last columns', [256, 128, 64, 32, 32], ['0+256', '256+128', '384+64', '448+32', '480+32']],
    ['one more', [256, 128, 64, 32, 32, 32], 'T3'],
    ['a larger one', [64, 128], 'T3'],
    ['an equal one', [64, 64], ['0+64', '64+64']],
    ['a larger one, when the smaller is given back', [64, -64, 128], 'T3'],
    ['an equal one, when it is given back', [64, -64, 64], ['0+64']],
    ['no power of two', [96], 'T3'],
    ['the newest of equals is given back', [64, 64, 64, -64], ['0+64', '64+64']],
    ['the one of this size is given back', [128, 64, -128], ['128+64']],
    ['a hole is filled', [256, 128, 64, -256, 64], ['256+128', '384+64', '0+64']],
    ['what remains of the hole', [256, 128, 64, -256, 64, 64], ['256+128', '384+64', '0+64', '64+64']],
    ['a hole that is filled to its end', [64, 32, -64, 32, 32], ['64+32', '0+32', '32+32']],
    ['behind what fills it', [64, 32, -64, 32, 32, 32], ['64+32', '0+32', '32+32', '96+32']],
    ['no hole that is large enough', [128, 256], 'T3'],
    ['of no such size', [64, -32], 'T2'],
    ['twice', [64, -64, -64], 'T2'],
    ['behind a promise', [64, 'relinquish', 32], 'tcgen05.relinquished'],
    ['behind a promise, when all is given back', [64, 'relinquish', -64, 64], 'tcgen05.relinquished'],
    ['a promise keeps what there is', [64, 'relinquish'], ['0+64']],
    ['what there is is given back behind it', [64, 32, 'relinquish', -64], ['64+32']],
  ])('%s', (_what, steps, left) => {
    const found = after(steps)
    expect(found.left).toEqual(left)
    expect(found.m.tensorMemory[0]).toBe(noTensorMemory)
  })

  test('in the log: the bytes of all lanes, of the CTA that asks', () => {
    const { log } = after([64, 32, -64])
    const plane = planeOf('tmem', 1)
    const bytes = (start: number, count: number): ReadonlyArray<number> =>
      Array.from({ length: 128 }, (_, l) => [l * lane + 4 * start, l * lane + 4 * (start + count)]).flat()
    expect(
      log.map((e) =>
        e._tag === 'alloc' || e._tag === 'dealloc'
          ? [e._tag, e.stamp, e.ctaGroup, e.footprint.plane, [...spansOf(e.footprint)]]
          : null,
      ),
    ).toEqual([
      ['alloc', x.stamp, 2, plane, bytes(0, 64)],
      ['alloc', x.stamp, 2, plane, bytes(64, 32)],
      ['dealloc', x.stamp, 2, plane, bytes(0, 64)],
    ])
  })

  test('what a dealloc would give back: the newest of its size, or nothing; of a pair in both CTAs', () => {
    const { m } = after([64, 64, 32])
    const places = (agent: number, columns: number, ctaGroup: 1 | 2 = 1): ReadonlyArray<string> =>
      freedBy(world, m, agent, { columns, ctaGroup }).map(
        (f) => `${world.header.planes[f.plane]!.name} ${String(startOf(f.spans) / 4)}`,
      )
    const [own, peer] = [1, 0].map((cta) => world.header.planes[planeOf('tmem', cta)]!.name)
    expect(places(x.agent, 64)).toEqual([`${own!} 64`])
    expect(places(x.agent, 32)).toEqual([`${own!} 128`])
    expect(places(x.agent, 32, 2)).toEqual([`${own!} 128`, `${peer!} 128`])
    expect(places(x.agent, 128)).toEqual([])
    expect(places(0, 64)).toEqual([])
  })
  test('an agent gives back its own newest; one that has none of the size, the newest of the CTA', () => {
    const [one, two, three] = [0, 1, 2].map((k): Executing => ({
      world,
      agent: x.agent + k,
      stamp: { ...x.stamp, agent: x.agent + k },
    }))
    const freed = (
      allocs: ReadonlyArray<readonly [Executing, number]>,
      by: Executing,
      size: number,
    ): number | string => {
      let m = machine
      for (const [who, columns] of allocs) {
        const done = executeAlloc(who, m, { _tag: 'tcgen05.alloc', columns, ctaGroup: 1 })
        if (isFault(done)) return done.code
        m = done.machine
      }
      const done = executeDealloc(by, m, { _tag: 'tcgen05.dealloc', columns: size, ctaGroup: 1 })
      if (isFault(done)) return done.code
      const [e] = done.events
      return e?._tag === 'dealloc' ? startOf(e.footprint.spans) / 4 : 'no dealloc'
    }
    const all: ReadonlyArray<readonly [Executing, number]> = [
      [one!, 64],
      [two!, 64],
      [one!, 64],
      [two!, 64],
      [one!, 32],
    ]
    expect(freed(all, one!, 64)).toBe(128)
    expect(freed(all, two!, 64)).toBe(192)
    expect(freed(all, three!, 64)).toBe(192)
    expect(freed(all, two!, 32)).toBe(256)
    expect(freed(all, one!, 128)).toBe('T2')
  })

  test('a chip without tensor memory has no columns', () => {
    const hopper = of('sm90a')
    const there = { world: hopper.world, agent: x.agent, stamp: x.stamp }
    const some = having(1, [[0, 64]], hopper.machine)
    expect([
      executeAlloc(there, hopper.machine, { _tag: 'tcgen05.alloc', columns: 64, ctaGroup: 1 }),
      executeDealloc(there, some, { _tag: 'tcgen05.dealloc', columns: 64, ctaGroup: 1 }),
    ]).toMatchObject([
      { _tag: 'fault', code: 'arch' },
      { _tag: 'fault', code: 'arch' },
    ])
    expect(freedBy(hopper.world, some, x.agent, { columns: 64, ctaGroup: 1 })).toEqual([])
  })
})
