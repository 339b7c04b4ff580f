/**
 * Traffic: what clusters touch is the same, however it is found out, and L2 has two halves.
 *
 * The oracle of a company is a run of each cluster; what misses is worked out by hand for two waves of four clusters.
 */
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { shadow } from '../../../src/numerics/shadow.js'
import { unit } from '../../../src/numerics/unit.js'
import { noArguments } from '../../../src/semantics/machine/source.js'
import type { Elements } from '../../../src/semantics/machine/elements.js'
import { sectorsOf, writesOf } from '../../../src/semantics/timing/accesses.js'
import { h100, valueOf } from '../../../src/semantics/timing/index.js'
import { trafficOf, type Launching, type Traffic } from '../../../src/semantics/timing/traffic.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { gridOfLines } from '../verdict/grids.js'
import { kernelSource, right, timedKernel } from './timed.js'

type Settings = Readonly<Record<string, number>>

const launchingOf =
  (name: string, settings: Settings): Launching =>
  (more) =>
    right(
      kernelSource(name, settings).launch(unit, {
        ...noArguments,
        resident: 1,
        oneWave: true as const,
        ...more,
      }),
    )

interface Grid {
  readonly together: number
  readonly bytes: number
  readonly merging: number
  readonly copy?: number
}
const big: Grid = { together: 64, bytes: 2 ** 40, merging: 4 }

const traffic = (
  name: string,
  settings: Settings,
  { together, bytes, merging, copy = 1 }: Grid,
  isAlone = false,
): Traffic => {
  const launching = launchingOf(name, settings)
  const launched = launching({})!
  // where no launch can be had again, each cluster is run
  return trafficOf(isAlone ? () => null : launching, launched, together, together, bytes, merging, copy)
}

const total = (t: Traffic, part: 'loaded' | 'missed' | 'asked'): number =>
  [...t.values()].reduce((sum, l) => sum + l[part], 0)

describe('clusters that are followed touch what they touch when they are run', () => {
  it.each([
    // some stay in a row of tiles when others go on to the next one
    ['matmul4', { m: 1024, n: 512, k: 128, clusters: 5 }],
    ['matmul6', { m: 1024, n: 1280, k: 128, clusters: 7, gridTileWidth: 1 }],
    ['hopper-matmul', { m: 256, n: 384, k: 128 }],
  ] as const)('%s', (name, settings) => {
    const followed = traffic(name, settings, big)
    expect(total(followed, 'loaded')).toBeGreaterThan(0)
    expect(followed).toEqual(traffic(name, settings, big, true))
  })
})

describe('where data steer, no cluster stands for another', () => {
  // a CTA stores its number c, finds it again, and loads 64 words from 16 c c on. What is followed beside CTA 0 is taken to find 0, as that does
  const lines = [
    'mul.wide.u32 %rd5, %r14, 4;',
    'add.u64 %rd6, %rd2, %rd5;',
    'st.global.u32 [%rd6], %r2;',
    'ld.global.u32 %r9, [%rd6];',
    'mul.lo.u32 %r9, %r9, %r9;',
    'shl.b32 %r9, %r9, 4;',
    'add.u32 %r9, %r9, %r1;',
    'mul.wide.u32 %rd5, %r9, 4;',
    'add.u64 %rd6, %rd2, %rd5;',
    'ld.global.u32 %r9, [%rd6];',
  ]
  const loaded = (isAlone: boolean): Traffic => {
    const { program, given } = gridOfLines(lines, [4], false)
    const launching: Launching = (more) =>
      right(
        warpSource(program, given).launch(shadow(bits('hopper')), {
          ...noArguments,
          resident: 1,
          oneWave: true,
          ...more,
        }),
      )
    const launched = launching({})!
    return trafficOf(isAlone ? () => null : launching, launched, 4, 4, 2 ** 40, 4, 1)
  }
  it('each of four CTAs loads what is its own', () => {
    const found = loaded(false)
    expect(found).toEqual(loaded(true))
    expect(found.size).toBe(2)
    // of the places that four neighbours load none is that of another
    expect(total(found, 'asked')).toBe(total(found, 'loaded'))
  })
})

describe('L2 has two halves, and each is the home of every second line', () => {
  // 2 x 4 clusters of 128 x 128: a wave of four reads 128 KiB that all of it share, and 128 KiB more for each, which the next wave reads again; each writes 32 KiB.
  // 768 KiB in all, of which each half is the home of 384. Two clusters to a half ask for 448 KiB, and have copies of the 224 of them whose home is the other half
  const KiB = 1024
  const settings = { m: 256, n: 512, k: 512 }
  const missed = (half: number, merging: number, copy: number): number =>
    total(traffic('hopper-matmul', settings, { together: 4, bytes: 2 * half * KiB, merging, copy }), 'missed')
  const once = 6 * 128 * KiB

  it.each([
    ['as large as a line', 1, 608],
    ['half as large', 0.5, 496],
    ['in no room at all', 0, 384],
  ] as const)('a copy %s: a half keeps what it is the home of, and the copies', (_, copy, kept) => {
    expect(missed(kept + 12, 2, copy)).toBe(once)
    expect(missed(kept - 40, 2, copy)).toBeGreaterThan(once)
  })
  it('where all of them are in one half, it has copies of all that is of the other', () => {
    expect(missed(780, 4, 1)).toBe(once)
    expect(missed(600, 4, 1)).toBeGreaterThan(once)
    expect(missed(396, 4, 0)).toBe(once)
  })
})

describe('a sector that is written in part costs as much as two', () => {
  const written = (bytes: ReadonlyArray<number>): readonly [sectors: number, writes: number] => {
    const e = { dtype: 'f32', offsets: Int32Array.from(bytes) } as unknown as Elements
    return [sectorsOf(e), writesOf(e)]
  }
  const lanes = Array.from({ length: 32 }, (_, lane) => lane)
  it('side by side none is', () => {
    expect(written(lanes.map((lane) => 4 * lane))).toEqual([4, 4])
  })
  it('as the registers of a product lie, each is: 16 bytes of each of eight rows', () => {
    expect(written(lanes.map((lane) => 8192 * (lane >> 2) + 4 * (lane & 3)))).toEqual([8, 16])
  })
  it('lanes that write nothing do not count', () => {
    expect(written(lanes.map((lane) => (lane < 12 ? 4 * lane : -1)))).toEqual([2, 3])
  })
})

describe('neighbours in step', () => {
  it('what they ask for as well takes little of the path that they have together', () => {
    const { timed, traffic: found } = timedKernel('hopper-matmul', settings)
    const asked = [...found.values()].map((l) => l.asked / l.loaded)
    expect(asked.length).toBe(2)
    // A and B are of one size; sixteen multiprocessors are so few that the port bounds what one of them has of the path
    const few = valueOf(h100, 'sms') / 16
    const cycles = (share: number): number =>
      share / valueOf(h100, 'l2.port') + (1 - share) / (valueOf(h100, 'l2.step') * few)
    expect(timed.busy.L2).toBeCloseTo(
      asked.reduce((sum, share) => sum + (cycles(share) * timed.bytes.loaded) / 2, 0),
      6,
    )
    expect(asked.every((share) => share < 1)).toBe(true)
  })
  const settings = { m: 512, n: 512, k: 512 }
})
