/**
 * What the next event of an operation in flight touches, and whose end it must come before: tables by hand, an operation of every kind over memory and
 * barriers of two CTAs.
 */
import { expect, test } from 'vitest'
import type { InFlight } from '../../src/semantics/machine/operation.js'
import type { World } from '../../src/semantics/machine/world.js'
import { ctasOf, ofOperation, type Touch } from '../../src/semantics/touches.js'

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
  ['a load: where it goes and its barrier', { _tag: 'tmaLoad', destination: S0, barrier: 1 }, [0, 1]],
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
    default:
      return t._tag
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
    { _tag: 'tmaLoad', stage: 'write', map: null, source: G, destination: S0, barrier: 1, bytes: 32 },
    ['r G', 'w S0'],
  ],
  [
    'a load by a map in memory',
    { _tag: 'tmaLoad', stage: 'write', map: S1, source: G, destination: S0, barrier: 1, bytes: 32 },
    ['r S1', 'r G', 'w S0'],
  ],
  [
    'its bytes',
    { _tag: 'tmaLoad', stage: 'signal', map: S1, source: G, destination: S0, barrier: 1, bytes: 32 },
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
    { _tag: 'tmaStore', stage: 'write', map: null, source: S0, destination: G, combine: 'add' },
    ['r G atomic 3 unit', 'w G atomic 3 unit'],
  ],
  [
    'a store to another CTA',
    { _tag: 'stAsync', stage: 'write', destination: S1, barrier: 0, bytes: 8 },
    ['w S1'],
  ],
  [
    'its bytes',
    { _tag: 'stAsync', stage: 'signal', destination: S1, barrier: 0, bytes: 8 },
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
  ['a load from it', { _tag: 'tcgen05Ld', source: T0, destination: R }, ['r T0 loads', 'w R loads']],
  ['a store to it', { _tag: 'tcgen05St', destination: T1 }, ['w T1']],
]
test.each(events)('%s', (_, f, touches) => {
  expect(ofOperation(f as InFlight).map(word)).toEqual(touches)
})
