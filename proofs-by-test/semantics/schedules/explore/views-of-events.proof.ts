/**
 * Who sees the last write of which place, an event at a time: what a log can say and few programs do. Tensor maps and their fences, meetings that carry
 * tensor-core order, and what an operation sees at its issue, through each proxy. Events and the few fields of machines that views look at are written by
 * hand; expected are the faults of the last access.
 */
import { describe, expect, it } from 'vitest'
import { Places, Views } from '../../../../src/semantics/schedules/explore/index.js'
import type {
  Access,
  Fence,
  Footprint,
  Group,
  LogEvent,
  Proxy,
  Signal,
} from '../../../../src/semantics/log/events.js'
import { footprints, ofAddresses } from '../../../../src/semantics/machine/footprint.js'
import type { InFlight } from '../../../../src/semantics/machine/operation.js'
import { noVotes, type Machine } from '../../../../src/semantics/machine/state.js'
import type { World } from '../../../../src/semantics/machine/world.js'

// ---------------------------------------------------------------- a world of two agents

const planes = [
  { space: 'gmem', name: 'g', bytes: 512, initialised: true },
  { space: 'smem', name: 'smem', cta: 0, bytes: 512, initialised: true },
  { space: 'tmem', name: 'tmem', cta: 0, bytes: 512, initialised: true },
  { space: 'regs', name: 'acc', cta: 0, agent: 0, bytes: 512, initialised: true },
] as const
const world = {
  agentsPerCta: 2,
  ctas: 1,
  resident: 1,
  header: {
    planes,
    ctas: 1,
    agents: [{ cta: 0 }, { cta: 0 }],
    barriers: [{ cta: 0, contract: 'ptx', plane: 1, address: 256 }],
  },
} as unknown as World

const store = footprints()
const at = (plane: number, from = 0): Footprint =>
  ofAddresses(
    store,
    plane,
    'e4m3',
    [16],
    Int32Array.from({ length: 16 }, (_, k) => from + k),
  ).footprint
const where = { g: at(0), s: at(1), t: at(2), r: at(3), h: at(0, 128) } as const
type Where = keyof typeof where
const seen: Places.Seen = new Map()
for (const f of Object.values(where)) Places.note(seen, f, true)
const places = Places.places(world.header, seen)

// ---------------------------------------------------------------- words

/** Events of one step, and what they do to the machine. */
interface Step {
  readonly events: ReadonlyArray<LogEvent>
  readonly then?: (m: Machine) => Machine
}
const stamp = (agent: number): Access['stamp'] => ({ agent, at: 1, site: 0, iteration: [] })
const access = (agent: number, rw: 'r' | 'w', place: Where, proxy: Proxy, operation?: number): Access => ({
  _tag: 'access',
  stamp: stamp(agent),
  rw,
  proxy,
  footprint: where[place],
  role: rw === 'r' ? 'source' : 'destination',
  atomic: false,
  ...(operation === undefined ? {} : { operation }),
})
const reads = (agent: number, place: Where): Step => ({ events: [access(agent, 'r', place, 'generic')] })
const writes = (agent: number, place: Where): Step => ({ events: [access(agent, 'w', place, 'generic')] })

/** The operation `id` begins: what it sees, it sees now. */
const issue = (agent: number, id: number, tag: InFlight['_tag'], more: object = {}): Step => ({
  events: [],
  then: (m) => ({
    ...m,
    issued: id + 1,
    inFlight: [
      ...m.inFlight,
      { _tag: tag, id, agent, at: id, part: 0, group: 1, barriers: [0], ...more } as unknown as InFlight,
    ],
  }),
})
/** It reads or writes. */
const does = (agent: number, id: number, rw: 'r' | 'w', place: Where, proxy: Proxy): Step => ({
  events: [{ _tag: 'perform', operation: id, stage: 'all', part: 0 }, access(agent, rw, place, proxy, id)],
})
const over =
  (id: number): ((m: Machine) => Machine) =>
  (m) => ({
    ...m,
    inFlight: m.inFlight.filter((f) => f.id !== id),
  })
const ends = (id: number, family: Group['family']): Step => ({
  events: [{ _tag: 'signal', operation: id, part: 0, to: 'group', family, side: 'full' } satisfies Signal],
  then: over(id),
})
const group = (agent: number, kind: Group['kind'], family: Group['family']): Step => ({
  events: [
    {
      _tag: 'group',
      stamp: stamp(agent),
      kind,
      family,
      pending: 0,
      read: false,
      blocked: false,
    } satisfies Group,
  ],
})
const fence = (
  agent: number,
  kind: Fence['kind'],
  scope: Fence['scope'] = 'cta',
  over: Partial<Fence> = {},
): Step => ({
  events: [{ _tag: 'fence', stamp: stamp(agent), kind, scope, ...over } satisfies Fence],
})
const arrive = (agent: number): Step => ({
  events: [
    {
      _tag: 'barrier',
      stamp: stamp(agent),
      kind: 'arrive',
      barrier: 0,
      count: 1,
      bytes: 0,
      release: true,
      scope: 'cta',
      tensor: false,
    },
  ],
  then: (m) => ({ ...m, barriers: m.barriers.map((b) => b && { ...b, completed: b.completed + 1 }) }),
})
const wait = (agent: number): Step => ({
  events: [
    {
      _tag: 'wait',
      stamp: stamp(agent),
      barrier: 0,
      parity: 0,
      acquire: true,
      scope: 'cta',
      tensor: false,
      outcome: 'passed',
    },
  ],
})
const handed = [arrive(0), wait(1)]

interface Flags {
  readonly tensor?: boolean
  readonly relaxed?: boolean
}
const meets = (agent: number, id: number, kind: 'arrive' | 'leave', flags: Flags): LogEvent => ({
  _tag: 'rendezvous',
  stamp: stamp(agent),
  kind,
  id,
  count: 64,
  threads: 32,
  ...flags,
})
const agentsOf = (m: Machine, x: number, by: object): Machine => ({
  ...m,
  agents: m.agents.map((a, k) => (k === x ? { ...a, ...by } : a)),
})
/** Both agents at the barrier of the cluster. */
const ofCluster = (arrives: Flags, leaves: Flags): ReadonlyArray<Step> => [
  ...[0, 1].map((x): Step => ({
    events: [meets(x, 16, 'arrive', x === 0 ? arrives : {})],
    then: (m) => agentsOf(m, x, { groups: { ...m.agents[x]!.groups, cluster: 1 } }),
  })),
  ...[0, 1].map((x): Step => ({ events: [meets(x, 16, 'leave', x === 1 ? leaves : {})] })),
]
/** Both agents at a named barrier; the second ends the generation. */
const named = (arrives: Flags, leaves: Flags): ReadonlyArray<Step> => [
  ...[0, 1].map((x): Step => ({
    events: [meets(x, 1, 'arrive', x === 0 ? arrives : {})],
    then: (m) =>
      agentsOf(
        {
          ...m,
          named: [
            { cta: 0, id: 1, arrived: x === 0 ? 32 : 0, generation: x, votes: noVotes, outcome: noVotes },
          ],
        },
        x,
        {
          ready: { _tag: 'do', prepared: { _tag: 'bar.leave' } },
        },
      ),
  })),
  ...[0, 1].map((x): Step => ({
    events: [meets(x, 1, 'leave', x === 1 ? leaves : {})],
    then: (m) => agentsOf(m, x, { ready: null }),
  })),
]

/** The faults of each step, and whatever comes before the last must have none. */
const told = (...steps: ReadonlyArray<Step | ReadonlyArray<Step>>): string => {
  let m = {
    barriers: [{ completed: 0, expected: 1, pending: 1, tx: 0 }],
    named: [],
    agents: [0, 1].map(() => ({ groups: { cluster: 0 }, ready: null })),
    inFlight: [],
    issued: 0,
  } as unknown as Machine
  let views = Views.start(world, places)
  const all = steps.flat()
  const faults = all.map((step) => {
    const after = step.then?.(m) ?? m
    const next = Views.follow(world, places, views, m, after, step.events)
    m = after
    views = next.views
    return next.faults.join(' ')
  })
  expect(faults.slice(0, -1).filter((f) => f !== '')).toEqual([])
  return faults[faults.length - 1]!
}

// ---------------------------------------------------------------- tensor maps

type Row = readonly [what: string, faults: string, steps: ReadonlyArray<Step | ReadonlyArray<Step>>]

const release = fence(0, 'tensormap')
const acquire = (x: number): Step => fence(x, 'tensormapAcquire')
/** A copy of agent x reads its map, which lies in global memory. */
const copies = (x: number, tag: 'tmaLoad' | 'tmaStore' = 'tmaLoad'): ReadonlyArray<Step> => [
  issue(x, 7, tag),
  does(x, 7, 'r', 'g', 'tensormap'),
]
const acquireAt = (x: number, place: Where): Step =>
  fence(x, 'tensormapAcquire', 'global', { footprint: where[place] })
const maps: ReadonlyArray<Row> = [
  ['acquired at its address', '', [writes(0, 'g'), release, handed, acquireAt(1, 'g'), copies(1)]],
  [
    'acquired at another address',
    'visibility',
    [writes(0, 'g'), writes(0, 'h'), release, handed, acquireAt(1, 'h'), copies(1)],
  ],
  ['a map of before', '', [copies(0)]],
  ['written, released, handed on, acquired', '', [writes(0, 'g'), release, handed, acquire(1), copies(1)]],
  ['for a store, too', '', [writes(0, 'g'), release, handed, acquire(1), copies(1, 'tmaStore')]],
  ['not released', 'visibility', [writes(0, 'g'), handed, acquire(1), copies(1)]],
  ['released before it is written', 'visibility', [release, writes(0, 'g'), handed, acquire(1), copies(1)]],
  ['released by who has heard', '', [writes(0, 'g'), handed, fence(1, 'tensormap'), acquire(1), copies(1)]],
  ['not acquired', 'visibility', [writes(0, 'g'), release, handed, copies(1)]],
  ['acquired before it is heard', 'visibility', [writes(0, 'g'), release, acquire(1), handed, copies(1)]],
  ['acquired and handed on', '', [writes(0, 'g'), release, acquire(0), handed, copies(1)]],
  [
    'acquired after the copy has begun',
    'visibility',
    [writes(0, 'g'), release, issue(0, 7, 'tmaLoad'), acquire(0), does(0, 7, 'r', 'g', 'tensormap')],
  ],
  ['in one agent', '', [writes(0, 'g'), release, acquire(0), copies(0)]],
  ['in one agent, not acquired', 'visibility', [writes(0, 'g'), release, copies(0)]],
  [
    'a proxy fence is none of maps',
    'visibility',
    [writes(0, 'g'), fence(0, 'proxyAsync', 'global'), copies(0)],
  ],
  [
    'a fence of maps is none of data',
    'visibility',
    [writes(0, 'g'), release, acquire(0), issue(0, 7, 'tmaLoad'), does(0, 7, 'r', 'g', 'async')],
  ],
  [
    'a map that a copy has brought is seen as data are',
    '',
    [
      issue(0, 3, 'tmaStore'),
      does(0, 3, 'w', 'g', 'async'),
      ends(3, 'bulk'),
      group(0, 'commit', 'bulk'),
      group(0, 'wait', 'bulk'),
      copies(0),
    ],
  ],
  [
    'one that has not landed is not',
    'visibility',
    [issue(0, 3, 'tmaStore'), does(0, 3, 'w', 'g', 'async'), copies(0)],
  ],
]

describe('tensor maps', () => {
  it.each(maps)('%s', (_, faults, steps) => {
    expect(told(...steps)).toBe(faults)
  })
})

// ---------------------------------------------------------------- tensor memory over meetings

const stored = [
  issue(0, 0, 'tcgen05St'),
  does(0, 0, 'w', 't', 'tensor'),
  ends(0, 'tcgen05St'),
  group(0, 'wait', 'tcgen05St'),
]
const loads = [issue(1, 1, 'tcgen05Ld'), does(1, 1, 'r', 't', 'tensor')]
const before = fence(0, 'tensorBefore')
const after = fence(1, 'tensorAfter')
const tensor = { tensor: true }

describe.each([
  ['the barrier of a cluster', ofCluster],
  ['a named barrier', named],
] as const)('tensor memory over %s', (name, meeting) => {
  const rows: ReadonlyArray<Row> = [
    ['both with the order of the tensor core', '', [stored, meeting(tensor, tensor), loads]],
    ['who arrives without it', 'visibility', [stored, meeting({}, tensor), loads]],
    ['unless it has published', '', [stored, before, meeting({}, tensor), loads]],
    ['who leaves without it', 'visibility', [stored, meeting(tensor, {}), loads]],
    ['unless it receives', '', [stored, meeting(tensor, {}), after, loads]],
    ['neither, with both fences', '', [stored, before, meeting({}, {}), after, loads]],
    ['neither, and one fence', 'visibility', [stored, before, meeting({}, {}), loads]],
    ['what was not waited for', 'visibility', [stored.slice(0, 3), meeting(tensor, tensor), loads]],
    ['other memory needs no such order', '', [writes(0, 's'), meeting({}, {}), reads(1, 's')]],
  ]
  it.each(rows)('%s', (_, faults, steps) => {
    expect(told(...steps)).toBe(faults)
  })
  if (name === 'the barrier of a cluster')
    it('relaxed on either side it tells nothing, tensor memory or not', () => {
      const relaxed = { tensor: true, relaxed: true }
      for (const [a, b] of [
        [relaxed, tensor],
        [tensor, relaxed],
      ] as const) {
        expect(told(stored, meeting(a, b), loads)).toBe('visibility')
        expect(told(stored, meeting(a, b), after, loads)).toBe('visibility')
        expect(told(writes(0, 's'), meeting(a, b), reads(1, 's'))).toBe('visibility')
      }
    })
})

// ---------------------------------------------------------------- what an operation sees

const tags: ReadonlyArray<readonly [tag: InFlight['_tag'], rw: 'r' | 'w', proxy: Proxy, generic: boolean]> = [
  ['tmaLoad', 'w', 'async', false],
  ['tmaStore', 'r', 'async', false],
  ['clc', 'w', 'async', false],
  ['wgmma', 'r', 'async', false],
  ['tcgen05', 'r', 'async', false],
  ['tcgen05Copy', 'r', 'async', false],
  ['stAsync', 'w', 'async', true],
  ['cpAsync', 'w', 'generic', true],
  ['tcgen05Ld', 'w', 'generic', true],
  ['tcgen05St', 'r', 'generic', true],
]

describe('what an operation sees is what its agent saw through its proxy when it was issued', () => {
  it.each(tags)('%s', (tag, rw, proxy, generic) => {
    const act = [issue(0, 7, tag), does(0, 7, rw, 's', proxy)]
    const fenced = fence(0, 'proxyAsync')
    expect(told(act)).toBe('')
    expect(told(writes(0, 's'), act)).toBe(generic ? '' : 'visibility')
    expect(told(writes(0, 's'), fenced, act)).toBe('')
    expect(told(fenced, writes(0, 's'), act)).toBe(generic ? '' : 'visibility')
    expect(told(writes(0, 's'), fence(0, 'proxyAsync', 'global'), act)).toBe(generic ? '' : 'visibility')
    expect(told(writes(0, 's'), issue(0, 7, tag), fenced, does(0, 7, rw, 's', proxy))).toBe(
      generic ? '' : 'visibility',
    )
    // another agent's write, handed on
    expect(told(writes(1, 's'), act)).toBe('visibility')
    expect(told(writes(1, 's'), arrive(1), wait(0), fenced, act)).toBe('')
    // written since
    expect(told(issue(0, 7, tag), writes(1, 's'), does(0, 7, rw, 's', proxy))).toBe('visibility')
  })
  it('global memory has its own scope', () => {
    const act = [issue(0, 7, 'tmaLoad'), does(0, 7, 'r', 'g', 'async')]
    expect(told(writes(0, 'g'), fence(0, 'proxyAsync', 'global'), act)).toBe('')
    expect(told(writes(0, 'g'), fence(0, 'proxyAsync'), act)).toBe('visibility')
  })
  it('registers of a product: the fence of warpgroups alone', () => {
    const act = [issue(0, 7, 'wgmma'), does(0, 7, 'r', 'r', 'async')]
    expect(told(writes(0, 'r'), act)).toBe('visibility')
    expect(told(writes(0, 'r'), fence(0, 'wgmma'), act)).toBe('')
    expect(told(writes(0, 'r'), fence(0, 'proxyAsync'), act)).toBe('visibility')
    expect(told(writes(0, 's'), fence(0, 'wgmma'), issue(0, 7, 'wgmma'), does(0, 7, 'r', 's', 'async'))).toBe(
      'visibility',
    )
  })
  it('registers are told to nobody', () => {
    for (const way of [handed, ofCluster({}, {}), named({}, {})]) {
      expect(told(writes(0, 's'), way, reads(1, 's'))).toBe('')
      expect(told(writes(0, 'r'), way, reads(1, 'r'))).toBe('visibility')
      expect(told(writes(0, 'r'), way, reads(0, 'r'))).toBe('')
    }
  })
  it('loaded and copied data are seen once they are waited for', () => {
    const load = [issue(0, 7, 'tcgen05Ld'), does(0, 7, 'w', 's', 'generic'), ends(7, 'tcgen05Ld')]
    expect(told(load, reads(0, 's'))).toBe('visibility')
    expect(told(load, group(0, 'wait', 'tcgen05Ld'), reads(0, 's'))).toBe('')
    expect(told(load, group(1, 'wait', 'tcgen05Ld'), reads(0, 's'))).toBe('visibility')
    expect(told(load, group(0, 'wait', 'tcgen05St'), reads(0, 's'))).toBe('visibility')
    const copy = [
      issue(0, 7, 'cpAsync'),
      group(0, 'commit', 'cpAsync'),
      does(0, 7, 'w', 's', 'generic'),
      ends(7, 'cpAsync'),
    ]
    expect(told(copy, reads(0, 's'))).toBe('visibility')
    expect(told(copy, group(0, 'wait', 'cpAsync'), reads(0, 's'))).toBe('')
    expect(told(copy, group(0, 'wait', 'bulk'), reads(0, 's'))).toBe('visibility')
    expect(told(copy, group(1, 'wait', 'cpAsync'), reads(0, 's'))).toBe('visibility')
  })
  it('the arrival of copies tells of those of its agent that were issued before it, and of nothing else in flight', () => {
    const arrives = (id: number): Step => ({
      events: [{ _tag: 'signal', operation: id, part: 0, to: 'arrive', barrier: 0 } satisfies Signal],
      then: (m) => over(id)(arrive(0).then!(m)),
    })
    const heard = (...before: ReadonlyArray<Step>): string =>
      told(before, issue(0, 8, 'cpAsyncArrive'), arrives(8), wait(1), reads(1, 's'))
    const lands = (agent: number, tag: InFlight['_tag'], proxy: Proxy): ReadonlyArray<Step> => [
      issue(agent, 7, tag),
      does(agent, 7, 'w', 's', proxy),
    ]
    expect(heard(...lands(0, 'cpAsync', 'generic'))).toBe('')
    expect(heard(...lands(1, 'cpAsync', 'generic'))).toBe('visibility')
    expect(heard(...lands(0, 'tmaLoad', 'async'))).toBe('visibility')
  })
})
