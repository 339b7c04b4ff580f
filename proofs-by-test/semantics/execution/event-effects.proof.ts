/**
 * What the next event of an operation in flight touches, and whose end it must come before; what an agent touches that stands ready; which
 * atomic accesses are atomic for one another: tables by hand, an event of every kind over memory and barriers of two CTAs.
 */
import { describe, expect, test } from 'vitest'
import { footprints } from '../../../src/semantics/machine/footprint.js'
import type { InFlight } from '../../../src/semantics/machine/operation.js'
import type { Machine, Ready } from '../../../src/semantics/machine/state.js'
import type { World } from '../../../src/semantics/machine/world.js'
import {
  atomicTogether,
  ctasOf,
  ofOperation,
  ofReady,
} from '../../../src/semantics/execution/event-effects.js'
import { clusterPlaceOf, isClusterPlace } from '../../../src/semantics/instructions/rendezvous.js'
import { mapTable, placeOf, type MemoryTouch, type Touch } from '../../../src/semantics/machine/touches.js'
import { spansOf } from '../../../src/semantics/log/events.js'

const planes = [
  { space: 'gmem', name: 'g' },
  { space: 'smem', name: 'smem', cta: 0 },
  { space: 'smem', name: 'smem', cta: 1 },
  { space: 'tmem', name: 'tmem', cta: 0 },
  { space: 'tmem', name: 'tmem', cta: 1 },
  { space: 'regs', name: 'acc', cta: 1 },
] as const
const world = {
  agentsPerCta: 2,
  ctas: 2,
  front: { agents: [{ warps: 1 }, { warps: 4 }] },
  footprints: footprints(),
  header: {
    planes,
    barriers: [{ cta: 0 }, { cta: 1 }],
    agents: [{ cta: 0 }, { cta: 0 }, { cta: 1 }, { cta: 1 }],
  },
} as unknown as World
const [G, S0, S1, T0, T1, R] = [0, 1, 2, 3, 4, 5].map((plane) => ({ plane, footprint: { plane } }))
const of = (f: object): ReadonlyArray<number> => ctasOf(world, f as InFlight)

const rows: ReadonlyArray<readonly [what: string, f: object, ctas: ReadonlyArray<number>]> = [
  ['an answer: its bytes and its barrier', { _tag: 'clc', response: S1, barrier: 0 }, [1, 0]],
  [
    'a load: where it goes and its barrier',
    { _tag: 'tmaLoad', source: G, destination: S0, barrier: 1 },
    [0, 1],
  ],
  ['a store to another CTA', { _tag: 'stAsync', destination: S1, barrier: 1 }, [1, 1]],
  ['a store that has to be read', { _tag: 'tmaStore', stage: 'read', source: S1 }, [1]],
  ['a store that is read', { _tag: 'tmaStore', stage: 'write', source: S1 }, []],
  ['a copy', { _tag: 'cpAsync', destination: S1 }, [1]],
  ['a copy to global memory or registers is nobody’s', { _tag: 'cpAsync', destination: G }, []],
  ['registers', { _tag: 'cpAsync', destination: R }, []],
  ['an arrive behind copies', { _tag: 'cpAsyncArrive', barrier: 1 }, [1]],
  ['a warpgroup’s product: its own CTA', { _tag: 'wgmma', agent: 3 }, [1]],
  ['another’s', { _tag: 'wgmma', agent: 1 }, [0]],
  [
    'copies into tensor memory',
    { _tag: 'tcgen05Copy', copy: { moves: [{ source: S0, destination: T1 }] } },
    [0, 1],
  ],
  [
    'a product in tensor memory: everything that it reads and writes',
    {
      _tag: 'tcgen05',
      mma: {
        shares: [
          { a: [S0], scaleA: [T0], scaleB: [T1], sparsity: T1, accumulator: T0 },
          { a: [G, S1], scaleA: [], scaleB: [], sparsity: null, accumulator: T1 },
        ],
        b: [S1],
      },
    },
    [0, 0, 1, 1, 1, 1, 0, 1],
  ],
  ['an announcement: its barriers', { _tag: 'tcgen05Commit', barriers: [1, 0, 1] }, [1, 0, 1]],
  ['a load from tensor memory', { _tag: 'tcgen05Ld', source: T0 }, []],
  ['a store to it', { _tag: 'tcgen05St', destination: T1 }, []],
]
test.each(rows)('%s', (_, f, ctas) => {
  expect(of(f)).toEqual(ctas)
})

/** A touch in a word: `r S0`, `w T1`, `count 1 +1 -16`. */
const word = (t: Touch): string => {
  switch (t._tag) {
    case 'memory': {
      const where = ['G', 'S0', 'S1', 'T0', 'T1', 'R'][t.footprint.plane]!
      const more = [
        t.reach === 0 ? '' : ` atomic ${String(t.reach)} ${t.proxy}`,
        t.role === 'access' ? '' : ` ${t.role}`,
      ]
      return `${t.rw} ${where}${more.join('')}`
    }
    case 'count':
      return `count ${String(t.barrier)} ${String(t.arrivals)} ${String(t.bytes)}`
    case 'wait':
      return `${t.blocks ? 'wait' : 'ask'} ${String(t.barrier)} ${String(t.parity)}`
    case 'life':
      return `life ${String(t.barrier)}${t.ends ? ' ends' : ''}`
    case 'meet':
      return `meet ${String(t.place)} ${String(t.threads)} of ${String(t.count)}`
    case 'leave':
      return `leave ${String(t.place)}`
    case 'table': {
      const which = t.table >= 0 ? `columns@${String(t.table)}` : t.table === mapTable ? 'maps' : 'other'
      return `table ${which} ${t.changes ? 'changes' : 'uses'}`
    }
    case 'start':
      return `start ${t.agents.join(' ')}`
  }
}
const product = {
  shares: [
    { a: [S0], scaleA: [T0], scaleB: [T1], sparsity: R, accumulator: T0 },
    { a: [G], scaleA: [], scaleB: [], sparsity: null, accumulator: T1 },
  ],
  b: [S1],
}
const events: ReadonlyArray<readonly [what: string, f: object, touches: ReadonlyArray<string>]> = [
  ['an answer is written', { _tag: 'clc', stage: 'write', response: S0, barrier: 1, bytes: 16 }, ['w S0']],
  ['and told', { _tag: 'clc', stage: 'signal', response: S0, barrier: 1, bytes: 16 }, ['count 1 0 -16']],
  [
    'a load by a map of the host',
    {
      _tag: 'tmaLoad',
      stage: 'write',
      map: null,
      source: G,
      destination: S0,
      barrier: 1,
      bytes: 32,
      combine: null,
    },
    ['r G', 'w S0'],
  ],
  [
    'a load by a map in memory',
    {
      _tag: 'tmaLoad',
      stage: 'write',
      map: S1,
      source: G,
      destination: S0,
      barrier: 1,
      bytes: 32,
      combine: null,
    },
    ['r S1', 'r G', 'w S0'],
  ],
  [
    'its bytes',
    {
      _tag: 'tmaLoad',
      stage: 'signal',
      map: S1,
      source: G,
      destination: S0,
      barrier: 1,
      bytes: 32,
      combine: null,
    },
    ['count 1 0 -32'],
  ],
  [
    'a store reads',
    { _tag: 'tmaStore', stage: 'read', map: null, source: S0, destination: G, combine: null },
    ['r S0'],
  ],
  [
    'by a map in memory',
    { _tag: 'tmaStore', stage: 'read', map: G, source: S0, destination: G, combine: null },
    ['r G', 'r S0'],
  ],
  [
    'and writes',
    { _tag: 'tmaStore', stage: 'write', map: G, source: S0, destination: G, combine: null },
    ['w G'],
  ],
  [
    'or combines',
    {
      _tag: 'tmaStore',
      stage: 'write',
      map: null,
      source: S0,
      destination: G,
      combine: { kind: 'add', words: null },
    },
    ['r G atomic 3 unit', 'w G atomic 3 unit'],
  ],
  [
    'a store to another CTA',
    { _tag: 'stAsync', stage: 'write', destination: S1, barrier: 0, bytes: 8, combine: null },
    ['w S1'],
  ],
  [
    'its bytes',
    { _tag: 'stAsync', stage: 'signal', destination: S1, barrier: 0, bytes: 8, combine: null },
    ['count 0 0 -8'],
  ],
  ['a copy', { _tag: 'cpAsync', source: G, destination: S0 }, ['r G', 'w S0']],
  ['an arrive behind copies', { _tag: 'cpAsyncArrive', barrier: 1 }, ['count 1 1 0']],
  [
    'a product in registers',
    { _tag: 'wgmma', mma: { a: S0, b: S1, accumulator: R, accumulates: true } },
    ['r S0', 'r S1', 'r R', 'w R'],
  ],
  [
    'from nothing',
    { _tag: 'wgmma', mma: { a: S0, b: S1, accumulator: R, accumulates: false } },
    ['r S0', 'r S1', 'w R'],
  ],
  [
    'in tensor memory',
    { _tag: 'tcgen05', mma: { ...product, accumulates: true } },
    ['r S0', 'r T0', 'r T1', 'r R', 'r G', 'r S1', 'r T0', 'r T1', 'w T0', 'w T1'],
  ],
  [
    'from nothing, in tensor memory',
    { _tag: 'tcgen05', mma: { ...product, accumulates: false } },
    ['r S0', 'r T0', 'r T1', 'r R', 'r G', 'r S1', 'w T0', 'w T1'],
  ],
  [
    'copies into it',
    {
      _tag: 'tcgen05Copy',
      copy: {
        moves: [
          { source: S0, destination: T0 },
          { source: S1, destination: T1 },
        ],
      },
    },
    ['r S0', 'w T0', 'r S1', 'w T1'],
  ],
  ['an announcement', { _tag: 'tcgen05Commit', barriers: [1, 0] }, ['count 1 1 0', 'count 0 1 0']],
  ['a load from it', { _tag: 'tcgen05Ld', source: T0, destination: R }, ['r T0', 'w R']],
  ['a store to it', { _tag: 'tcgen05St', destination: T1 }, ['w T1']],
]
test.each(events)('%s', (_, f, touches) => {
  expect(ofOperation(f as InFlight).map(word)).toEqual(touches)
})

// ---------------------------------------------------------------- agents

/** Agents 0 and 1 are of CTA 0, 2 and 3 of CTA 1; the odd ones have four warps. */
const ready = (agent: number, prepared: object, m: Machine | null = null): ReadonlyArray<Touch> =>
  ofReady(world, m, agent, { _tag: 'do', prepared } as unknown as Ready)

const agents: ReadonlyArray<
  readonly [what: string, agent: number, prepared: object, touches: ReadonlyArray<string>]
> = [
  ['a load', 0, { _tag: 'load', source: G }, ['r G']],
  ['a store', 0, { _tag: 'store', destination: S0 }, ['w S0']],
  [
    'an atomic: both, and its place in the order of its plane',
    0,
    { _tag: 'atomic', destination: S1, scope: 'cluster' },
    ['r S1 atomic 2 agent', 'w S1 atomic 2 agent', 'table other changes'],
  ],
  [
    'a signal',
    0,
    { _tag: 'semaphore', kind: 'signal', decrement: false, counter: G, scope: 'gpu' },
    ['r G atomic 3 agent', 'table other changes', 'w G atomic 3 agent'],
  ],
  [
    'a wait that only looks',
    0,
    { _tag: 'semaphore', kind: 'wait', decrement: false, counter: G, scope: 'cta' },
    ['r G atomic 1 agent', 'table other uses'],
  ],
  [
    'a wait that takes away',
    0,
    { _tag: 'semaphore', kind: 'wait', decrement: true, counter: G, scope: 'sys' },
    ['r G atomic 3 agent', 'table other changes', 'w G atomic 3 agent'],
  ],
  ['a request for a cluster', 0, { _tag: 'clc.tryCancel', parts: [] }, ['table other changes']],
  ['its answer', 0, { _tag: 'clc.query', response: S0 }, ['r S0', 'table other changes']],
  ['registers', 0, { _tag: 'setMaxRegisters' }, ['table other changes']],
  ['a tensor map is made', 0, { _tag: 'tensormap.create', object: S0 }, ['w S0', 'table maps changes']],
  ['and acquired', 0, { _tag: 'tensormap.acquire', object: S0 }, ['table maps uses']],
  ['a barrier begins', 0, { _tag: 'mbarrier.init', barrier: 1, count: 4 }, ['life 1 ends']],
  ['and is given up', 0, { _tag: 'mbarrier.inval', barrier: 1 }, ['life 1 ends']],
  [
    'an arrival',
    0,
    { _tag: 'mbarrier.arrive', kind: 'arrive', barrier: 1, count: 2, bytes: 0 },
    ['count 1 2 0'],
  ],
  [
    'with bytes',
    0,
    { _tag: 'mbarrier.arrive', kind: 'arrive', barrier: 1, count: 1, bytes: 64 },
    ['count 1 1 64'],
  ],
  [
    'bytes alone are no arrival, whatever the count says',
    0,
    { _tag: 'mbarrier.arrive', kind: 'expect', barrier: 1, count: 1, bytes: 64 },
    ['count 1 0 64'],
  ],
  [
    'who drops out changes what is counted from now on',
    0,
    { _tag: 'mbarrier.arrive', kind: 'drop', barrier: 1, count: 1, bytes: 0 },
    ['count 1 1 0', 'life 1'],
  ],
  ['a wait', 0, { _tag: 'mbarrier.wait', barrier: 1, parity: 1, blocks: true }, ['wait 1 1']],
  ['a test', 0, { _tag: 'mbarrier.wait', barrier: 0, parity: 0, blocks: false }, ['ask 0 0']],
  [
    'an arrival behind copies that asks for itself',
    0,
    { _tag: 'mbarrier.cpAsyncArrive', barrier: 1, increment: true },
    ['count 1 0 0', 'life 1'],
  ],
  [
    'one that is counted already touches nothing yet',
    0,
    { _tag: 'mbarrier.cpAsyncArrive', barrier: 1, increment: false },
    [],
  ],
  ['a named barrier', 0, { _tag: 'bar', id: 3, count: 160 }, ['meet 3 32 of 160']],
  ['of another CTA, a warpgroup', 3, { _tag: 'bar', id: 3, count: 160 }, ['meet 35 128 of 160']],
  ['left', 2, { _tag: 'bar.leave', id: 15 }, ['leave 47']],
  ['the barrier of a cluster', 3, { _tag: 'cluster.arrive' }, ['meet 16 0 of 0']],
  ['of the next cluster', 5, { _tag: 'cluster.arrive' }, ['meet 80 0 of 0']],
  ['left', 7, { _tag: 'cluster.wait' }, ['leave 80']],
  ['columns are asked for', 2, { _tag: 'tcgen05.alloc', columns: 32 }, ['table columns@1 changes']],
  ['and never again', 0, { _tag: 'tcgen05.relinquish' }, ['table columns@0 changes']],
  [
    'a product uses the columns of all that lies in tensor memory',
    2,
    { _tag: 'tcgen05.mma', ...product },
    ['table columns@0 uses', 'table columns@1 uses', 'table columns@0 uses', 'table columns@1 uses'],
  ],
  [
    'a copy into it',
    2,
    { _tag: 'tcgen05.copy', moves: [{ source: S0, destination: T1 }] },
    ['table columns@1 uses'],
  ],
  ['a load from it', 2, { _tag: 'tcgen05.ld', source: T0, destination: R }, ['table columns@0 uses']],
  ['a store to it', 0, { _tag: 'tcgen05.st', destination: T1 }, ['table columns@1 uses']],
  // what an operation does is its own affair
  ...[
    'tma.load',
    'tma.store',
    'stAsync',
    'group.commit',
    'group.wait',
    'cpAsync.copy',
    'fence',
    'wgmma.mma',
    'tcgen05.commit',
    'nothing',
    'trap',
  ].map((_tag) => [`${_tag} by itself`, 0, { _tag, source: S0, destination: S1, barrier: 0 }, []] as const),
]

describe('what an agent is about to touch', () => {
  test.each(agents)('%s', (_, agent, prepared, touches) => {
    expect(ready(agent, prepared).map(word)).toEqual(touches)
  })
  test('nothing, where it does not stand ready, joins or is refused', () => {
    expect(ofReady(world, null, 0, null)).toEqual([])
    expect(ofReady(world, null, 0, { _tag: 'join', children: [1] } as unknown as Ready)).toEqual([])
    expect(ofReady(world, null, 0, { _tag: 'fault' } as unknown as Ready)).toEqual([])
  })
  test('a fork starts its children', () => {
    const fork = { _tag: 'fork', children: [3, 5] } as unknown as Ready
    expect(ofReady(world, null, 4, fork).map(word)).toEqual(['start 3 5'])
  })
  test('a dealloc writes the columns that it would free now: the newest of so many', () => {
    const columns = (start: number, count: number): object => ({ start, columns: count, agent: 1 })
    const m = {
      tensorMemory: [
        { allocated: [columns(0, 64), columns(64, 32), columns(96, 64)] },
        { allocated: [columns(0, 32)] },
      ],
    } as unknown as Machine
    const spans = (agent: number, count: number): ReadonlyArray<number> =>
      ready(agent, { _tag: 'tcgen05.dealloc', columns: count }, m).flatMap((t) =>
        t._tag === 'memory' ? [...spansOf(t.footprint).slice(0, 4)] : [],
      )
    expect(ready(1, { _tag: 'tcgen05.dealloc', columns: 32 }, m).map(word)).toEqual([
      'table columns@0 changes',
      'w T0 frees',
    ])
    // four bytes a column, lanes 2048 bytes apart
    expect(spans(0, 64)).toEqual([384, 640, 2048 + 384, 2048 + 640])
    expect(spans(0, 32)).toEqual([256, 384, 2048 + 256, 2048 + 384])
    expect(ready(2, { _tag: 'tcgen05.dealloc', columns: 32 }, m).map(word)).toEqual([
      'table columns@1 changes',
      'w T1 frees',
    ])
    // it is no atomic access
    for (const t of ready(0, { _tag: 'tcgen05.dealloc', columns: 32 }, m))
      if (t._tag === 'memory') expect([t.reach, t.proxy]).toEqual([0, 'agent'])
    // it is not asked which, or there are none of that size
    expect(ready(1, { _tag: 'tcgen05.dealloc', columns: 32 }).map(word)).toEqual(['table columns@0 changes'])
    expect(ready(1, { _tag: 'tcgen05.dealloc', columns: 128 }, m).map(word)).toEqual([
      'table columns@0 changes',
    ])
    // in whatever state: all columns; and a pair frees in both CTAs
    const any = (ctaGroup: 1 | 2): ReadonlyArray<string> =>
      ofReady(world, 'any', 1, {
        _tag: 'do',
        prepared: { _tag: 'tcgen05.dealloc', columns: 32, ctaGroup },
      } as unknown as Ready).map((t) =>
        t._tag === 'memory'
          ? `${String(world.header.planes[t.footprint.plane]!.cta)}: ${[...spansOf(t.footprint)].join(' ')}`
          : word(t),
      )
    const whole = String(512 * 4 * 128)
    expect(any(1)).toEqual(['table columns@0 changes', `0: 0 ${whole}`])
    expect(any(2)).toEqual(['table columns@0 changes', `0: 0 ${whole}`, `1: 0 ${whole}`])
  })
  test('tables are told apart: grants, registers, maps, and the atomics of each plane', () => {
    const tableOf = (prepared: object): number =>
      ready(0, prepared).flatMap((t) => (t._tag === 'table' ? [t.table] : []))[0]!
    const atomicOn = (destination: object | undefined): number =>
      tableOf({ _tag: 'atomic', destination, scope: 'gpu' })
    const all = [
      tableOf({ _tag: 'clc.tryCancel' }),
      tableOf({ _tag: 'setMaxRegisters' }),
      tableOf({ _tag: 'tensormap.create', object: S0 }),
      ...[G, S0, S1].map(atomicOn),
    ]
    expect(new Set(all).size).toBe(6)
    // those of CTAs are 0 and above
    expect(all.every((table) => table < 0)).toBe(true)
    expect(tableOf({ _tag: 'clc.query', response: S0 })).toBe(all[0])
    expect(tableOf({ _tag: 'tensormap.acquire', object: S0 })).toBe(mapTable)
    for (const kind of ['signal', 'wait'])
      expect(tableOf({ _tag: 'semaphore', kind, decrement: false, counter: S1, scope: 'gpu' })).toBe(
        atomicOn(S1),
      )
  })
})

test('places of named barriers: 32 numbers a CTA, and the barrier of a cluster among those of its first CTA', () => {
  expect(placeOf(0, 0)).toBe(0)
  expect(placeOf(2, 15)).toBe(79)
  expect([0, 3, 4, 7].map((agent) => clusterPlaceOf(world, agent))).toEqual([16, 16, 80, 80])
  expect([0, 15, 16, 17, 31, 32, 48, 79, 80].filter(isClusterPlace)).toEqual([16, 48, 80])
})

describe('atomic for one another', () => {
  const access = (reach: 0 | 1 | 2 | 3, more: Partial<MemoryTouch> = {}, dtype = 'i32'): MemoryTouch => ({
    _tag: 'memory',
    rw: 'w',
    footprint: { dtype } as MemoryTouch['footprint'],
    reach,
    proxy: 'agent',
    role: 'access',
    words: 1,
    ...more,
  })
  // agents 0 and 1 of one CTA; 2 of the other of its cluster; 4 of another cluster
  const rows: ReadonlyArray<
    readonly [
      what: string,
      together: boolean,
      x: MemoryTouch,
      y: MemoryTouch,
      agents: readonly [number, number],
    ]
  > = [
    ['one CTA', true, access(1), access(1), [0, 1]],
    ['one of them is not atomic', false, access(0), access(3), [0, 1]],
    ['nor is the other', false, access(3), access(0), [0, 1]],
    ['a cluster, at its scope', true, access(2), access(2), [0, 2]],
    ['a cluster, one at the scope of its CTA', false, access(1), access(2), [0, 2]],
    ['turned', false, access(3), access(1), [0, 2]],
    ['two clusters', true, access(3), access(3), [0, 4]],
    ['two clusters, one at the scope of its own', false, access(3), access(2), [0, 4]],
    ['a copy engine and an agent', false, access(3, { proxy: 'unit' }), access(3), [0, 1]],
    ['two copy engines', true, access(3, { proxy: 'unit' }), access(3, { proxy: 'unit' }), [0, 4]],
    ['elements of another width', false, access(3), access(3, {}, 'i64'), [0, 1]],
    ['other elements of one width', true, access(3), access(3, {}, 'f32'), [0, 1]],
  ]
  test.each(rows)('%s', (_, together, x, y, [a, b]) => {
    expect(atomicTogether(world, x, a, y, b)).toBe(together)
    expect(atomicTogether(world, y, b, x, a)).toBe(together)
  })
})
