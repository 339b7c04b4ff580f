/** Every id: a bad log is flagged with exactly that id, naming both operations; its repaired twin is clean. */
import { describe, expect, it } from 'vitest'
import { verdictOf } from '../../../../src/semantics/judging/detector/index.js'
import type { HazardId } from '../../../../src/semantics/judging/finding.js'
import type { Options } from '../../../../src/semantics/judging/detector/index.js'
import type { Script, World } from './script.js'
import { ids, load, script, slotBytes } from './script.js'

interface Twin {
  readonly id: HazardId
  readonly world: World
  readonly run: (s: Script, fixed: boolean) => void
  readonly a: string
  readonly b?: string
  readonly options?: Partial<Options>
}

const two: World = {
  agents: ['p@0', 'c@0'],
  barriers: [
    { name: 'full[0]', count: 1 },
    { name: 'full[1]', count: 1 },
    { name: 'empty', count: 1 },
  ],
}
const cold: World = { ...two, initialised: false }

/** Everybody is done with everything. */
const twins: ReadonlyArray<readonly [string, Twin]> = [
  [
    'generic race',
    {
      id: 'D1',
      world: two,
      a: 'write s0 0',
      b: 'read s0 0',
      run: (s, ok) => {
        s.w(0, 's0 0')
        if (ok) {
          s.arrive(0, 0)
          s.wait(1, 0, 0)
        }
        s.r(1, 's0 0')
      },
    },
  ],
  [
    'two warpgroups store the same tile',
    {
      id: 'D2',
      world: two,
      a: 'write g 0',
      b: 'again',
      run: (s, ok) => {
        s.w(0, 'g 0')
        if (ok) s.sync([0, 1])
        s.w(1, 'g 0', 'again')
      },
    },
  ],
  [
    'two clusters store the same tile',
    {
      id: 'D3',
      world: { ...two, barriers: [] },
      a: 'write g 0',
      b: 'later',
      run: (s, ok) => {
        s.cluster(1)
        s.w(0, 'g 0')
        s.cluster(2)
        s.w(0, ok ? 'g 1' : 'g 0', 'later')
      },
    },
  ],
  [
    'no wait for the load',
    {
      id: 'R1',
      world: cold,
      a: 'load s0 0',
      b: 'read s0 0',
      run: (s, ok) => {
        s.arrive(0, 0, { bytes: slotBytes })
        const op = s.issue(0, 'tmaLoad', 'load s0 0')
        s.perform(op, [], ['s0 0'])
        s.bytes(op, 0, slotBytes)
        if (ok) s.wait(1, 0, 0)
        s.r(1, 's0 0')
        s.wait(0, 0, 0)
      },
    },
  ],
  [
    'wait on the other slot',
    {
      id: 'R2',
      world: cold,
      a: 'load s0 0',
      b: 'read s0 0',
      run: (s, ok) => {
        load(s, 0, 0, 's0 0')
        load(s, 0, 1, 's0 1')
        s.wait(1, ok ? 0 : 1, 0)
        s.r(1, 's0 0')
        s.wait(0, 0, 0)
        s.wait(0, 1, 0)
      },
    },
  ],
  [
    'two copies, one arrival',
    {
      id: 'R3',
      world: { agents: ['p@0', 'c@0'], barriers: [{ name: 'full', count: 2 }], initialised: false },
      a: 'load s0 1',
      b: 'read s0 1',
      run: (s, ok) => {
        if (ok) {
          load(s, 0, 0, 's0 0')
          load(s, 0, 0, 's0 1')
          s.wait(1, 0, 0)
          s.r(1, 's0 1')
        } else {
          s.arrive(0, 0)
          load(s, 0, 0, 's0 0')
          s.wait(1, 0, 0)
          s.arrive(0, 0)
          load(s, 0, 0, 's0 1')
          s.r(1, 's0 1')
          s.wait(1, 0, 1)
        }
      },
    },
  ],
  [
    'refill without waiting for the release',
    {
      id: 'W1',
      world: two,
      a: 'read s0 0',
      b: 'refill',
      run: (s, ok) => {
        load(s, 0, 0, 's0 0')
        s.wait(0, 0, 0)
        s.wait(1, 0, 0)
        s.r(1, 's0 0')
        s.arrive(1, 2)
        if (ok) s.wait(0, 2, 0)
        load(s, 0, 0, 's0 0', 'refill')
        s.wait(0, 0, 1)
      },
    },
  ],
  [
    'release before the MMA is done',
    {
      id: 'W2',
      world: two,
      a: 'mma',
      b: 'refill',
      run: (s, ok) => {
        const op = s.issue(1, 'tcgen05', 'mma', 0)
        if (!ok) s.arrive(1, 2)
        s.perform(op, ['s0 0'], ['t0 0'])
        const com = s.issue(1, 'tcgen05', 'commit')
        s.arrives(com, ok ? 2 : 1)
        s.wait(0, 2, 0)
        load(s, 0, 0, 's0 0', 'refill')
        s.wait(0, 0, 0)
        if (!ok) s.wait(0, 1, 0)
      },
    },
  ],
  [
    'wait_group too weak, then release',
    {
      id: 'W3',
      world: two,
      a: 'mma',
      b: 'refill',
      run: (s, ok) => {
        const op = s.issue(1, 'wgmma', 'mma')
        s.commit(1, 'wgmma')
        s.perform(op, ['s0 0'], ['r1 0'])
        s.group(op, 'wgmma', 'full')
        s.awaits(1, 'wgmma', ok ? 0 : 1)
        s.arrive(1, 2)
        s.wait(0, 2, 0)
        load(s, 0, 0, 's0 0', 'refill')
        s.wait(0, 0, 0)
        s.awaits(1, 'wgmma', 0)
      },
    },
  ],
  [
    'source of a store written again',
    {
      id: 'W4',
      world: two,
      a: 'store',
      b: 'write s0 0',
      run: (s, ok) => {
        const op = s.issue(0, 'tmaStore', 'store')
        s.commit(0, 'bulk')
        s.perform(op, ['s0 0'], [])
        s.group(op, 'bulk', 'read')
        if (ok) s.awaits(0, 'bulk', 0, true)
        s.w(0, 's0 0')
        s.perform(op, [], ['g 0'])
        s.group(op, 'bulk', 'full')
        s.awaits(0, 'bulk', 0)
      },
    },
  ],
  [
    'store without a fence',
    {
      id: 'P1',
      world: two,
      a: 'write s0 0',
      b: 'store',
      run: (s, ok) => {
        s.w(0, 's0 0')
        if (ok) s.fence(0)
        store(s, 0)
      },
    },
  ],
  [
    'fence before the write',
    {
      id: 'P2',
      world: two,
      a: 'write s0 0',
      b: 'store',
      run: (s, ok) => {
        if (!ok) s.fence(0)
        s.w(0, 's0 0')
        if (ok) s.fence(0)
        store(s, 0)
      },
    },
  ],
  [
    'refill under a generic read',
    {
      id: 'P3',
      world: two,
      a: 'read s0 0',
      b: 'refill',
      options: { strictProxies: true },
      run: (s, ok) => {
        s.r(1, 's0 0')
        if (ok) s.fence(1)
        s.arrive(1, 2)
        s.wait(0, 2, 0)
        load(s, 0, 0, 's0 0', 'refill')
        s.wait(0, 0, 0)
      },
    },
  ],
  [
    'global memory written generically, then copied',
    {
      id: 'P5',
      world: two,
      a: 'write g 0',
      b: 'load s0 0',
      run: (s, ok) => {
        s.w(0, 'g 0')
        s.fence(0, 'proxyAsync', ok ? 'global' : 'cta')
        load(s, 0, 0, 's0 0')
        s.wait(0, 0, 0)
      },
    },
  ],
  [
    'registers written, wgmma without its fence',
    {
      id: 'P1',
      world: two,
      a: 'write r0 0',
      b: 'mma',
      run: (s, ok) => {
        s.w(0, 'r0 0')
        if (ok) s.fence(0, 'wgmma')
        wgmma(s, 0)
        s.awaits(0, 'wgmma', 0)
      },
    },
  ],
  [
    'accumulator read without wait',
    {
      id: 'M1',
      world: two,
      a: 'mma',
      b: 'read r0 0',
      run: (s, ok) => {
        wgmma(s, 0)
        if (ok) s.awaits(0, 'wgmma', 0)
        s.r(0, 'r0 0')
        s.awaits(0, 'wgmma', 0)
      },
    },
  ],
  [
    'the same, the unit being late',
    {
      id: 'M1',
      world: two,
      a: 'read r0 0',
      b: 'mma',
      run: (s, ok) => {
        const op = s.issue(0, 'wgmma', 'mma')
        s.commit(0, 'wgmma')
        if (ok) {
          s.perform(op, [], ['r0 0'])
          s.awaits(0, 'wgmma', 0)
        }
        s.r(0, 'r0 0')
        if (!ok) {
          s.perform(op, [], ['r0 0'])
          s.awaits(0, 'wgmma', 0)
        }
      },
    },
  ],
  [
    'tensor-memory accumulator read early',
    {
      id: 'M2',
      world: two,
      a: 'mma',
      b: 'ld',
      run: (s, ok) => {
        const op = s.issue(0, 'tcgen05', 'mma', 0)
        s.perform(op, [], ['t0 0'])
        const com = s.issue(0, 'tcgen05', 'commit')
        s.arrives(com, 0)
        if (ok) s.wait(0, 0, 0, { tensor: true })
        const ld = s.issue(0, 'tcgen05Ld', 'ld')
        s.perform(ld, ['t0 0'], [])
        s.awaits(0, 'tcgen05Ld', 0)
        if (!ok) s.wait(0, 0, 0)
      },
    },
  ],
  [
    'overwritten while a load reads',
    {
      id: 'M3',
      world: two,
      a: 'ld',
      b: 'st',
      run: (s, ok) => {
        const ld = s.issue(0, 'tcgen05Ld', 'ld')
        s.perform(ld, ['t0 0'], [])
        if (ok) s.awaits(0, 'tcgen05Ld', 0)
        const st = s.issue(0, 'tcgen05St', 'st')
        s.perform(st, [], ['t0 0'])
        s.awaits(0, 'tcgen05St', 0)
      },
    },
  ],
  [
    'tensor-memory store not waited for',
    {
      id: 'M4',
      world: two,
      a: 'st',
      b: 'ld',
      run: (s, ok) => {
        const st = s.issue(0, 'tcgen05St', 'st')
        s.perform(st, [], ['t0 0'])
        if (ok) s.awaits(0, 'tcgen05St', 0)
        const ld = s.issue(0, 'tcgen05Ld', 'ld')
        s.perform(ld, ['t0 0'], [])
        s.awaits(0, 'tcgen05Ld', 0)
      },
    },
  ],
  [
    'tensor memory passed on without the fences',
    {
      id: 'M8',
      world: two,
      a: 'st',
      b: 'ld',
      run: (s, ok) => {
        const st = s.issue(0, 'tcgen05St', 'st')
        s.perform(st, [], ['t0 0'])
        s.awaits(0, 'tcgen05St', 0)
        if (ok) s.fence(0, 'tensorBefore')
        s.arrive(0, 0)
        s.wait(1, 0, 0)
        if (ok) s.fence(1, 'tensorAfter')
        const ld = s.issue(1, 'tcgen05Ld', 'ld')
        s.perform(ld, ['t0 0'], [])
        s.awaits(1, 'tcgen05Ld', 0)
      },
    },
  ],
  [
    'two queues on one accumulator',
    {
      id: 'D4',
      world: two,
      a: 'mma',
      b: 'other',
      run: (s, ok) => {
        const op = s.issue(0, 'tcgen05', 'mma', 0)
        s.perform(op, [], ['t0 0'])
        const com = s.issue(0, 'tcgen05', 'commit')
        s.arrives(com, 0)
        if (ok) s.wait(1, 0, 0, { tensor: true })
        const two = s.issue(1, 'tcgen05', 'other', 0)
        s.perform(two, [], ['t0 0'])
        const com2 = s.issue(1, 'tcgen05', 'commit2')
        s.arrives(com2, 1)
        s.wait(1, 1, 0)
        if (!ok) s.wait(1, 0, 0)
      },
    },
  ],
  [
    'first MMA accumulates nothing',
    {
      id: 'M6',
      world: cold,
      a: 'mma',
      run: (s, ok) => {
        const op = s.issue(0, 'tcgen05', 'mma', 0)
        s.perform(op, ok ? [] : ['t0 0'], ['t0 0'])
        const com = s.issue(0, 'tcgen05', 'commit')
        s.arrives(com, 0)
        s.wait(0, 0, 0)
      },
    },
  ],
  [
    'read of nothing',
    {
      id: 'I1',
      world: cold,
      a: 'read s0 0',
      run: (s, ok) => {
        if (ok) s.w(0, 's0 0')
        s.r(0, 's0 0')
      },
    },
  ],
  [
    'output not written whole',
    {
      id: 'O1',
      world: { ...two, output: true },
      a: 'write g 0',
      run: (s, ok) => {
        s.w(0, 'g 0')
        if (ok) s.w(0, 'g 1')
      },
    },
  ],
  [
    'flag published only by a copy',
    {
      id: 'V1',
      world: two,
      a: 'write s0 5',
      b: 'read s0 5',
      run: (s, ok) => {
        s.arrive(1, 0, { bytes: slotBytes })
        s.w(0, 's0 5')
        if (ok) s.arrive(0, 1)
        const op = s.issue(0, 'tmaLoad', 'load')
        s.perform(op, [], ['s0 0'])
        s.bytes(op, 0, slotBytes)
        s.wait(1, 0, 0)
        if (ok) s.wait(1, 1, 0)
        s.r(1, 's0 5')
      },
    },
  ],
  [
    'one arrival too many',
    {
      id: 'B2',
      world: two,
      a: 'arrive full[0]',
      b: 'arrive full[0]',
      run: (s, ok) => {
        s.arrive(0, 0)
        s.expect(0, 0, 16)
        // count 1 is used up and bytes are missing: the generation cannot complete
        s.wait(1, 0, 0)
        if (ok) return
        s.push({
          _tag: 'barrier',
          stamp: s.stamp(0, 'arrive full[0]'),
          kind: 'arrive',
          barrier: 1,
          count: 2,
          bytes: 0,
          release: true,
          scope: 'cta',
          tensor: false,
        })
      },
    },
  ],
  [
    'used before its initialisation is known',
    {
      id: 'B7',
      world: { ...two, bare: true },
      a: 'init',
      b: 'arrive full[0]',
      run: (s, ok) => {
        s.init(0, 0, 1)
        if (ok) s.sync([0, 1], 16, true)
        s.arrive(1, 0)
        s.wait(1, 0, 0)
      },
    },
  ],
  [
    'initialised twice',
    {
      id: 'B7',
      world: two,
      a: 'init',
      b: 'init',
      run: (s, ok) => {
        if (ok) s.inval(0, 0)
        s.init(0, 0, 1)
      },
    },
  ],
  [
    'payload over a live barrier',
    {
      id: 'B7',
      world: { agents: ['p@0'], barriers: [{ name: 'b', count: 1 }] },
      a: 'init',
      b: 'clobber',
      run: (s, ok) => {
        s.w(0, ok ? 's0 191' : 's0 192', 'clobber')
      },
    },
  ],
  [
    'completions never awaited, then the storage again',
    {
      id: 'U1',
      world: { agents: ['p@0'], barriers: [{ name: 'b', count: 1, contract: 'pallas' }] },
      a: 'inval',
      b: 'init',
      run: (s, ok) => {
        s.arrive(0, 0)
        if (ok) s.wait(0, 0, 0)
        s.inval(0, 0)
        s.init(0, 0, 1)
      },
    },
  ],
  [
    'a waiter skips a generation',
    {
      id: 'B8',
      world: { agents: ['p@0'], barriers: [{ name: 'b', count: 1, contract: 'pallas' }] },
      a: 'wait b',
      options: { strict: true },
      run: (s, ok) => {
        s.arrive(0, 0)
        if (ok) s.wait(0, 0, 0)
        s.arrive(0, 0)
        s.wait(0, 0, 1)
      },
    },
  ],
  [
    'commit on a barrier without tensor order',
    {
      id: 'M5',
      world: {
        agents: ['p@0'],
        barriers: [
          { name: 'b', count: 1, contract: 'pallas', tensor: false },
          { name: 'c', count: 1, contract: 'pallas' },
        ],
      },
      a: 'commit',
      options: { strict: true },
      run: (s, ok) => {
        const com = s.issue(0, 'tcgen05', 'commit')
        s.arrives(com, ok ? 1 : 0)
        s.wait(0, ok ? 1 : 0, 0)
      },
    },
  ],
  [
    'store outstanding at exit',
    {
      id: 'U2',
      world: two,
      a: 'store',
      run: (s, ok) => {
        const op = s.issue(0, 'tmaStore', 'store')
        s.commit(0, 'bulk')
        s.perform(op, ['s0 0'], [])
        s.group(op, 'bulk', 'read')
        s.perform(op, [], ['g 0'])
        s.group(op, 'bulk', 'full')
        if (ok) s.awaits(0, 'bulk', 0, true)
      },
    },
  ],
  [
    'MMA in flight at dealloc',
    {
      id: 'U2',
      world: two,
      a: 'mma',
      b: 'dealloc',
      run: (s, ok) => {
        const op = s.issue(0, 'tcgen05', 'mma', 0)
        s.perform(op, [], ['t0 0'])
        const com = s.issue(0, 'tcgen05', 'commit')
        s.arrives(com, 0)
        if (ok) s.wait(0, 0, 0)
        s.push({ _tag: 'dealloc', stamp: s.stamp(0, 'dealloc'), footprint: s.footprint('t0 0-8') })
        if (!ok) s.wait(0, 0, 0)
      },
    },
  ],
  [
    'arrive at a CTA that may be gone',
    {
      id: 'K1',
      world: { agents: ['a@0', 'b@1'], barriers: [{ name: 'b', count: 1, cta: 1 }] },
      a: 'arrive b',
      run: (s, ok) => {
        s.arrive(0, 0)
        if (ok) s.wait(1, 0, 0)
      },
    },
  ],
]

const store = (s: Script, x: number): void => {
  const op = s.issue(x, 'tmaStore', 'store')
  s.commit(x, 'bulk')
  s.perform(op, ['s0 0'], [])
  s.group(op, 'bulk', 'read')
  s.perform(op, [], ['g 0'])
  s.group(op, 'bulk', 'full')
  s.awaits(x, 'bulk', 0)
}
const wgmma = (s: Script, x: number): void => {
  const op = s.issue(x, 'wgmma', 'mma')
  s.commit(x, 'wgmma')
  s.perform(op, [], [`r${String(x)} 0`])
  s.group(op, 'wgmma', 'full')
}

describe('the hazard zoo: each bad log has exactly its id, each twin is clean', () => {
  for (const [name, t] of twins) {
    it(`${t.id}: ${name}`, () => {
      const bad = script(t.world)
      t.run(bad, false)
      const j = bad.judge(t.options)
      expect(ids(j)).toEqual([t.id])
      const f = j.findings[0]!
      expect(f.a.site).toBe(t.a)
      expect(f.b?.site).toBe(t.b)
      expect(verdictOf(j)).toBe('hazard')

      const good = script(t.world)
      t.run(good, true)
      const k = good.judge(t.options)
      expect(ids(k)).toEqual([])
      expect(verdictOf(k)).toBe('ok')
    })
  }
})
