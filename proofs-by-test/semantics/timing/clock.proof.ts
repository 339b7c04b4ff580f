/**
 * A timed run: it is a run of the machine, its times are those of a chip, and more of a resource does no harm.
 *
 * The oracle is `run`: it replays the schedule without the clock. Times are compared with numbers worked out by hand from the table of the chip.
 */
import { describe, expect, it } from 'vitest'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { bits } from '../../../src/numerics/bits.js'
import { shadow } from '../../../src/numerics/shadow.js'
import { unit } from '../../../src/numerics/unit.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { recordedOnly } from '../../../src/semantics/execution/policy.js'
import * as Run from '../../../src/semantics/execution/run.js'
import { noArguments } from '../../../src/semantics/machine/source.js'
import {
  allNames,
  b200,
  changed,
  criticalOf,
  footingOf,
  frequencyOf,
  h100,
  h200,
  knownBy,
  pathOf,
  residencyOf,
  time,
  valueOf,
  type Chip,
  type Moment,
  type Timing,
} from '../../../src/semantics/timing/index.js'
import { visiting } from '../../../src/semantics/timing/traffic.js'
import { gridOfLines } from '../verdict/grids.js'
import { kernelSource, right, timedKernel } from './timed.js'

const matmul = { m: 256, n: 256, k: 512 }
const kernels: ReadonlyArray<readonly [string, Readonly<Record<string, number>>]> = [
  ['hopper-matmul', matmul],
  ['matmul2', { m: 256, n: 256, k: 256 }],
  ['queue', {}],
  ['fa3-attention', {}],
]

describe('law 1 of time: without the times it is a run of the machine', () => {
  it.each(kernels)('%s: the schedule is taken by the machine alone, with the same log', (name, settings) => {
    const t = timedKernel(name, settings)
    const source = kernelSource(name, settings)
    const launched = right(source.launch(unit, { ...noArguments, resident: t.header.resident ?? 1 }))
    const begins = visiting(launched, t.visits)!
    const ran = Run.run(
      begins.world,
      begins.machine,
      { ...Run.settings(recordedOnly(t.schedule)), ahead: false },
      Run.collect,
    )
    expect(ran.outcome._tag).toBe('completed')
    expect(ran.steps).toBe(t.steps)
    expect(t.timed.moments.length).toBe(t.steps)
  })
})

describe('law 2 of time: it is deterministic', () => {
  it('two timed runs are equal', () => {
    const [a, b] = [timedKernel('hopper-matmul', matmul), timedKernel('hopper-matmul', matmul)]
    expect(a.timed).toEqual(b.timed)
    expect(a.schedule).toEqual(b.schedule)
    expect(a.cycles).toBe(b.cycles)
  })
})

describe('the clock', () => {
  it.each(kernels)(
    '%s: law 1, times do not decrease; law 2, nothing comes before what it waits for',
    (name, settings) => {
      const { moments, waves } = timedKernel(name, settings).timed
      moments.forEach((m, i) => {
        expect(m.to).toBeGreaterThanOrEqual(m.from)
        expect(m.after).toBeLessThan(i)
        if (m.after >= 0) expect(moments[m.after]!.to).toBeLessThanOrEqual(m.to + 1e-6)
      })
      if (waves.length === 1)
        moments.slice(1).forEach((m, i) => {
          expect(m.to).toBeGreaterThanOrEqual(moments[i]!.to)
        })
    },
  )

  it('law 3: the tensor cores are busy for the multiply-adds that there are, and the path from L2 for the bytes', () => {
    const t = timedKernel('hopper-matmul', matmul)
    // one CTA of 128 x 128 x 512, at 2048 multiply-adds a cycle
    expect(t.timed.macs).toBe(128 * 128 * 512)
    expect(t.timed.busy['tensor core']).toBeCloseTo((128 * 128 * 512) / valueOf(h100, 'wgmma.rate'), 6)
    expect(t.timed.bytes.loaded).toBe(2 * 128 * 512 * 2)
    expect(t.timed.bytes.stored).toBe(128 * 128 * 2)
    expect(t.macs).toBe(256 * 256 * 512)
  })

  it('a copy alone takes the latency of the table', () => {
    const t = timedKernel('hopper-matmul', matmul)
    const first = t.timed.moments.findIndex(({ unit: u }) => u === 'tmaLoad')
    const { from, to, served } = t.timed.moments[first]!
    expect(to - from).toBeGreaterThanOrEqual(valueOf(h100, 'tma.latency'))
    expect(served).toBeGreaterThanOrEqual(from)
    // twice the latency delays the first copy by as much, when nothing else is in its way
    const slower = timedKernel('hopper-matmul', matmul, right(changed('tma.latency', 'x2')(h100)))
    const other = slower.timed.moments.find(({ unit: u }) => u === 'tmaLoad')!
    expect(other.to - to).toBeCloseTo(valueOf(h100, 'tma.latency'), 6)
  })
})

describe('products wait in a queue, and a warpgroup before it when it is full', () => {
  // one warpgroup makes tiles of 128 x 128, 64 deep: eight products of 64 x 128 x 16
  const instructions = 8
  const issues = (queue: string): ReadonlyArray<{ readonly next: number; readonly least: number }> => {
    // descriptors in no time, so that nothing else holds it
    const chip = right(changed('wgmma.descriptor', '0.001')(right(changed('wgmma.queue', queue)(h100))))
    const { moments } = timedKernel('hopper-matmul', matmul, chip).timed
    return moments.flatMap((m) => {
      if (m.unit !== 'wgmma') return []
      const next = moments.find((e) => e.unit === 'agent' && e.agent === m.agent && e.to > m.from)
      if (next === undefined) return []
      const done = (instructions - Number(queue)) / instructions
      return [{ next: next.to, least: m.served + done * (m.to - m.served) }]
    })
  }
  it.each(['1', '3', '5'])('of %s: it goes on when no more than these are left', (queue) => {
    const found = issues(queue)
    expect(found.length).toBe(8)
    for (const { next, least } of found) expect(next).toBeGreaterThanOrEqual(least - 1e-6)
    // and then it does go on: the first one waits for no other
    expect(found[0]!.next).toBeCloseTo(found[0]!.least, -1)
  })
  it('where more have room, it goes on at once', () => {
    expect(issues('8').some(({ next, least }) => next < least + 128)).toBe(true)
    const at = (queue: string): number =>
      timedKernel('hopper-matmul', matmul, right(changed('wgmma.queue', queue)(h100))).cycles
    expect(at('1')).toBeGreaterThanOrEqual(at('3'))
    expect(at('3')).toBeGreaterThanOrEqual(at('16'))
  })
})

describe('what is written', () => {
  const times = (numbers: ReadonlyArray<readonly [string, string]>): Chip =>
    numbers.reduce((chip, [name, value]) => right(changed(name, value)(chip)), h100)

  const last = (moments: ReadonlyArray<Moment>): number => Math.max(...moments.map((m) => m.to))

  const fences = Array.from({ length: 12 }, () => 'fence.acq_rel.gpu;')
  /** CTAs of two warps, each of which writes 128 bytes so many times. By then they have their share in reserve. */
  const writing = (
    stores: number,
    numbers: ReadonlyArray<readonly [string, string]>,
    ctas: number,
  ): Timing['timed'] => {
    const { program, given } = gridOfLines(
      [
        'mul.wide.u32 %rd5, %r14, 4;',
        'add.u64 %rd6, %rd2, %rd5;',
        ...fences,
        ...Array.from({ length: stores }, () => 'st.global.u32 [%rd6], %r1;'),
      ],
      [ctas],
      true,
    )
    const source = warpSource(program, given)
    const values = bits('hopper')
    const { world } = right(source.launch(values, noArguments))
    return right(time(source, values, noArguments, footingOf(world), times(numbers))).timed
  }
  const lastStore = (stores: number, ...numbers: ReadonlyArray<readonly [string, string]>): number =>
    last(writing(stores, numbers, 1).moments)
  it('a warp waits until its stores are taken, which the port does at its rate', () => {
    const port = valueOf(h100, 'write.port')
    expect(lastStore(96) - lastStore(32)).toBeCloseTo((64 * 2 * 128) / port, 6)
    const narrow = ['write.port', String(port / 4)] as const
    expect(lastStore(96, narrow) - lastStore(32, narrow)).toBeCloseTo((64 * 2 * 128) / (port / 4), 6)
  })

  it('DRAM is done the earlier, by what it has in reserve', () => {
    const slow = ['dram.bandwidth', 'x0.2'] as const
    const after = (burst: number): number =>
      writing(96, [slow, ['l2.write', 'x10'], ['write.burst', String(burst)]], 132).end
    expect(after(0.001) - after(1000)).toBeCloseTo(1000, -1)
    expect(after(0.001) - after(2000)).toBeCloseTo(2000, -1)
  })

  /** When the last event is done of a product whose grid fills the chip. */
  const multiplying = (...numbers: ReadonlyArray<readonly [string, string]>): number =>
    last(timedKernel('hopper-matmul', { m: 128 * 12, n: 128 * 11, k: 512 }, times(numbers)).timed.moments)
  it('is taken at once as long as less than its share was written before', () => {
    const slow = ['l2.write', 'x0.1'] as const
    const after = (burst: number): number => multiplying(slow, ['write.burst', String(burst)])
    expect(after(0.001) - after(1000)).toBeCloseTo(1000, -2)
    // beyond its share, no reserve makes the port wider
    const port = (burst: number): number =>
      multiplying(['write.port', 'x0.1'], ['write.burst', String(burst)])
    expect(port(100000)).toBe(port(10000))
    expect(port(10000)).toBeGreaterThan(multiplying(['write.burst', '10000']) + 1000)
  })
})

describe('the critical path', () => {
  it.each(kernels)('%s: its stretches add up to the whole run', (name, settings) => {
    const { timed: t } = timedKernel(name, settings)
    const sum = criticalOf(t).reduce((n, s) => n + s.cycles, 0)
    expect(sum).toBeCloseTo(t.end, 3)
    const path = pathOf(t)
    path.slice(1).forEach((m, k) => {
      expect(m.to).toBeLessThanOrEqual(path[k]!.to + 1e-6)
    })
  })
})

describe('more of a resource', () => {
  /** How much slower a kernel of a fixed order may get: an event that comes earlier may go before another one in a queue. */
  const bound = 1.02
  it.each([
    'l2.bandwidth',
    'l2.port',
    'wgmma.rate',
    'shared.bandwidth',
    'dram.bandwidth',
    'l2.write',
    'write.port',
    'write.burst',
    'clock',
  ])('%s, doubled, makes no kernel slower by more than the bound', (number) => {
    const before = timedKernel('hopper-matmul', matmul).microseconds
    const after = timedKernel('hopper-matmul', matmul, right(changed(number, 'x2')(h100))).microseconds
    expect(after).toBeLessThanOrEqual(before * bound)
  })
  it('of what bounds it, it makes it faster', () => {
    const one = { m: 128, n: 128, k: 4096 }
    const t = timedKernel('hopper-matmul', one)
    const slow = timedKernel('hopper-matmul', one, right(changed('wgmma.rate', 'x0.25')(h100)))
    expect(slow.cycles).toBeGreaterThan(2 * t.cycles)
  })
})

describe('the frequency', () => {
  const at = (tensorCores: number, loaded: number): number => frequencyOf(h200, tensorCores, loaded)
  it('is the highest without products, and one step lower as soon as there are any', () => {
    expect(at(0, 100)).toBe(valueOf(h200, 'clock'))
    expect(at(0.01, 1)).toBe(valueOf(h200, 'clock.products'))
  })
  it('never rises with what is done, and falls along a line when the reserve is used', () => {
    for (let u = 0; u < 1; u += 0.1)
      for (let b = 0; b < 100; b += 10) {
        expect(at(u + 0.1, b)).toBeLessThanOrEqual(at(u, b))
        expect(at(u, b + 10)).toBeLessThanOrEqual(at(u, b))
      }
    expect(at(0.9, 60) - at(1, 60)).toBeCloseTo(valueOf(h200, 'clock.tensor') / 10, 6)
    expect(at(1, 50) - at(1, 60)).toBeCloseTo(10 * valueOf(h200, 'clock.loads'), 6)
  })
})

describe('what is on its way from DRAM', () => {
  it('is late for all that ask for it in step, and is missed once', () => {
    // four CTAs in a row of the grid share A, or B, and nothing is loaded twice by one of them
    const { traffic } = timedKernel('hopper-matmul', { m: 512, n: 512, k: 512 })
    const loads = [...traffic.values()]
    expect(loads.length).toBeGreaterThan(0)
    for (const { loaded, missed, late, asked } of loads) {
      expect(late).toBe(loaded)
      expect(missed).toBe(loaded / 4)
      expect(asked).toBeGreaterThanOrEqual(missed)
    }
  })
})

describe('what threads load from inputs that nothing writes', () => {
  /** CTAs of 64 threads, each of which loads a word of its own, and writes it or not. */
  const loading = (keeps: boolean, algebra: Algebra): Timing => {
    const { program, given } = gridOfLines(
      [
        ...['mul.wide.u32 %rd5, %r14, 4;', 'add.u64 %rd6, %rd1, %rd5;', 'ld.global.u32 %r9, [%rd6];'],
        ...['add.u64 %rd6, %rd2, %rd5;', keeps ? 'st.global.u32 [%rd6], %r9;' : ''],
      ],
      [4],
      true,
    )
    const source = warpSource(program, given)
    const { world } = right(source.launch(algebra, noArguments))
    return right(time(source, algebra, noArguments, footingOf(world), h100))
  }
  it.each([
    [true, bits('hopper')],
    [false, bits('hopper')],
    [true, shadow(bits('hopper'))],
    [false, shadow(bits('hopper'))],
  ])('is loaded by all, and missed once (written: %s)', (keeps, algebra) => {
    const { traffic, timed } = loading(keeps, algebra)
    expect([...traffic.values()]).toEqual([{ loaded: 1024, asked: 1024, missed: 1024, late: 1024 }])
    expect(timed.bytes).toEqual({ loaded: 256, missed: 256, stored: keeps ? 256 : 0 })
    // what is written waits for it, and it is not in L2
    const latency = valueOf(h100, 'l2.latency') + valueOf(h100, 'dram.latency')
    if (keeps) expect(timed.end).toBeGreaterThan(latency)
  })
})

describe('places on a multiprocessor', () => {
  it('what is scarcest limits them', () => {
    // 65,536 registers: 154 a thread are 160 a thread, for 8 warps 40,960
    expect(residencyOf(h100, { threads: 256, registers: 154, shared: 1000 })).toEqual({
      ctas: 1,
      by: 'registers',
    })
    expect(residencyOf(h100, { threads: 128, registers: 32, shared: 100 * 1024 })).toEqual({
      ctas: 2,
      by: 'shared memory',
    })
    expect(residencyOf(h100, { threads: 1024, registers: 32, shared: 0 })).toEqual({ ctas: 2, by: 'threads' })
    expect(residencyOf(h100, { threads: 32, registers: 16, shared: 0 })).toEqual({ ctas: 32, by: 'CTAs' })
  })
})

describe('the tables', () => {
  it.each([h100, h200, b200])(
    '$name: every number has a value and a source; at most a third are fitted',
    (chip) => {
      let fitted = 0
      for (const name of allNames) {
        const [how, by] = knownBy(chip.parameters[name])
        expect(valueOf(chip, name)).toBeGreaterThan(0)
        expect(by, name).not.toBe('')
        if (how === 'fitted') fitted++
      }
      expect(3 * fitted).toBeLessThanOrEqual(allNames.length)
    },
  )
  it.each([
    ['matmul2', h100, 'NVIDIA H100 SXM 80 GB has no tcgen05'],
    ['matmul2', h200, 'NVIDIA H200 SXM 141 GB has no tcgen05'],
    ['hopper-matmul', b200, 'NVIDIA B200 has no wgmma'],
    ['hopper-matmul', right(changed('clock', '1800')(b200)), 'NVIDIA B200 has no wgmma'],
  ] as const)('%s: a chip without its instructions has no time for it', (name, chip, message) => {
    expect(() => timedKernel(name, { m: 256, n: 256, k: 128 }, chip)).toThrow(message)
  })
  it('a kernel without products of either has a time on all of them', () => {
    for (const chip of [h100, h200, b200]) expect(timedKernel('zoo/R1', {}, chip).cycles).toBeGreaterThan(0)
  })
  it('law 1 of chip: one number changes', () => {
    const other = right(changed('l2.bandwidth', 'x1.5')(h100))
    expect(valueOf(other, 'l2.bandwidth')).toBe(1.5 * valueOf(h100, 'l2.bandwidth'))
    for (const name of allNames)
      if (name !== 'l2.bandwidth') expect(other.parameters[name]).toEqual(h100.parameters[name])
    expect(changed('l2.bandwith', 'x2')(h100)).toMatchObject({ left: { code: 'chip.name' } })
    expect(changed('clock', '-1')(h100)).toMatchObject({ left: { code: 'chip.value' } })
  })
})
