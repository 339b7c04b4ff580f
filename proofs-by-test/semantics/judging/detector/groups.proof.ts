/**
 * Groups and fences: which clocks of which vectors an agent has afterwards. The tables of `groups.ts` and `fences.ts`, a row for each.
 *
 * Vectors are written `order`, `visible`, `async`, `tensor`, then the clock and how far it is known.
 */
import { describe, expect, test } from 'vitest'
import type { AgentState, Context } from '../../../../src/semantics/judging/detector/context.js'
import { agentState, context } from '../../../../src/semantics/judging/detector/context.js'
import type { FenceName } from '../../../../src/semantics/judging/subject.js'
import { applyFence } from '../../../../src/semantics/judging/detector/fences.js'
import { awaitGroup } from '../../../../src/semantics/judging/detector/groups.js'
import { defaults } from '../../../../src/semantics/judging/detector/index.js'
import type { ClockName, Knowledge } from '../../../../src/semantics/judging/detector/knowledge.js'
import { clockOf } from '../../../../src/semantics/judging/detector/knowledge.js'
import type { Family, LogEvent } from '../../../../src/semantics/log/events.js'
import { ids, script, type Script } from './script.js'
import { put, valueAt } from '../../../../src/semantics/judging/detector/sparse.js'
import { joinVector } from '../../../../src/semantics/judging/detector/knowledge.js'
import './rows.js'

const vectors = {
  order: (k: Knowledge) => k.order,
  visible: (k: Knowledge) => k.visible.counters,
  async: (k: Knowledge) => k.async.counters,
  tensor: (k: Knowledge) => k.tensor,
} as const
type Told = Readonly<Partial<Record<keyof typeof vectors, Readonly<Partial<Record<ClockName, number>>>>>>
/** What stands in the vectors, of the agent's own clocks; everybody else's are asked to be as they were. */
const set = (k: Knowledge, x: number, told: Told): Knowledge => {
  for (const name of ['order', 'visible', 'async', 'tensor'] as const)
    for (const [clock, at] of Object.entries(told[name] ?? {}))
      put(vectors[name](k), clockOf(clock as ClockName, x), at)
  return k
}

describe('a wait for groups', () => {
  /** Agent 1 has closed 5 bulk and 6 wgmma groups, 3 of copies with 2, 4 and 9 of them, and issued 7 loads and 8 stores. */
  const busy = (): AgentState => {
    const a = agentState(true)
    a.bulkGroups = 5
    a.wgmmaGroups = 6
    a.copiesAtCommit.push(2, 4, 9)
    a.loads = 7
    a.stores = 8
    return a
  }
  const everywhere = (clock: ClockName, at: number): Told => ({
    order: { [clock]: at },
    visible: { [clock]: at },
    async: { [clock]: at },
  })
  test.each<readonly [Family, pending: number, read: boolean, Told]>([
    ['bulk', 0, true, { order: { bulkRead: 5 } }],
    ['bulk', 2, true, { order: { bulkRead: 3 } }],
    ['bulk', 2, false, { ...everywhere('bulkFull', 3), order: { bulkRead: 3, bulkFull: 3 } }],
    ['wgmma', 0, false, everywhere('wgmma', 6)],
    ['wgmma', 1, false, everywhere('wgmma', 5)],
    // generic data: an asynchronous reader needs a fence still
    ['cpAsync', 0, false, { order: { cpAsync: 9 }, visible: { cpAsync: 9 } }],
    ['cpAsync', 1, false, { order: { cpAsync: 4 }, visible: { cpAsync: 4 } }],
    ['cpAsync', 2, false, { order: { cpAsync: 2 }, visible: { cpAsync: 2 } }],
    ['cpAsync', 3, false, {}],
    ['tcgen05Ld', 0, true, { order: { loadedRegisters: 7 }, visible: { loadedRegisters: 7 } }],
    ['tcgen05Ld', 3, true, { order: { loadedRegisters: 4 }, visible: { loadedRegisters: 4 } }],
    ['tcgen05Ld', 3, false, { ...everywhere('tensorLoad', 4), tensor: { tensorLoad: 4 } }],
    ['tcgen05St', 0, false, { order: { tensorStore: 8 }, tensor: { tensorStore: 8 } }],
    ['tcgen05St', 3, false, { order: { tensorStore: 5 }, tensor: { tensorStore: 5 } }],
  ])('%s, pending %i, read side alone: %s', (family, pending, read, told) => {
    const a = busy()
    awaitGroup(a, a.knowledge, 1, family, pending, read)
    const expected = busy()
    set(expected.knowledge, 1, told)
    expect(a).toEqual(expected)
    // law 1: a weaker wait adds nothing to it
    awaitGroup(a, a.knowledge, 1, family, pending + 1, read)
    expect(a).toEqual(expected)
  })
})

describe('a commit closes the group of its family alone', () => {
  /** Each family's operation is waited for with one group left open; another family's commit in between closes none of its. */
  const store = (s: Script, slot: number): void => {
    const op = s.issue(0, 'tmaStore', `store ${String(slot)}`)
    s.commit(0, 'bulk')
    s.perform(op, [`s0 ${String(slot)}`], [])
    s.group(op, 'bulk', 'read')
    s.group(op, 'bulk', 'full')
  }
  const product = (s: Script, slot: number): void => {
    const op = s.issue(0, 'wgmma', `product ${String(slot)}`)
    s.commit(0, 'wgmma')
    s.perform(op, [`s0 ${String(slot)}`], [])
    s.group(op, 'wgmma', 'full')
  }
  const copy = (s: Script, slot: number): void => {
    const op = s.issue(0, 'cpAsync', `copy ${String(slot)}`)
    s.commit(0, 'cpAsync')
    s.perform(op, [`s0 ${String(slot)}`], [], { proxy: 'generic' })
    s.group(op, 'cpAsync', 'full')
  }
  const rows = [
    ['bulk', store, 'W4'],
    ['wgmma', product, 'W3'],
    ['cpAsync', copy, 'W2'],
  ] as const
  test.each(rows)('%s', (family, one, id) => {
    const found = (pending: number, others: boolean): ReadonlyArray<string> => {
      const s = script({ agents: ['a@0'], barriers: [], bare: true })
      one(s, 0)
      if (others) for (const [f, other] of rows) if (f !== family) other(s, 5)
      if (others) for (const f of ['tcgen05Ld', 'tcgen05St'] as const) s.commit(0, f)
      s.awaits(0, family, pending)
      s.w(0, 's0 0')
      for (const f of ['bulk', 'wgmma', 'cpAsync'] as const) s.awaits(0, f, 0)
      return ids(s.judge())
    }
    expect(found(0, false)).toEqual([])
    expect(found(1, false)).toEqual([id])
    expect(found(0, true)).toEqual([])
    expect(found(1, true)).toEqual([id])
  })
  test('an empty group counts (law 2)', () => {
    const s = script({ agents: ['a@0'], barriers: [], bare: true })
    product(s, 0)
    s.commit(0, 'wgmma')
    s.awaits(0, 'wgmma', 1)
    s.w(0, 's0 0')
    expect(ids(s.judge())).toEqual([])
  })
})

describe('a fence', () => {
  /** Three agents, of which agent 1 fences; a number of its own for every clock and vector. */
  const knows = (): Context => {
    const c = context(
      script({ agents: ['a@0', 'b@0', 'c@0'], barriers: [{ name: 'b', count: 1 }], bare: true }).header,
      defaults,
    )
    const a = c.agents[1]!
    for (let x = 0; x < 3; x++)
      set(a.knowledge, x, {
        order: { program: 10 + x },
        visible: { program: 20 + x, cpAsync: 30 + x, wgmma: 40 + x },
        tensor: { queue: 50 + x },
      })
    put(a.knowledge.visible.acquired, 0, [0, 2])
    a.knowledge.visible.released = [[], [], [2, 3, 4]]
    put(a.received, clockOf('queue', 0), 99)
    return c
  }
  type Change = (a: AgentState) => void
  const each =
    (told: (x: number) => Told): Change =>
    (a) => {
      for (const x of [0, 1, 2]) set(a.knowledge, x, told(x))
    }
  test.each<readonly [FenceName, string, Change]>([
    // in a cluster of one CTA its shared memory is all that there is
    ...(['shared', 'cluster'] as const).map((name): readonly [FenceName, string, Change] => [
      name,
      'what it sees of shared memory, for asynchronous units',
      (a) => {
        each((x) => ({ async: { program: 20 + x, cpAsync: 30 + x, fencedAfar: 20 + x } }))(a)
        put(a.knowledge.async.acquired, 0, [0, 2])
      },
    ]),
    [
      'global',
      'what it sees of global memory, for asynchronous units',
      each((x) => ({ async: { fencedGlobal: 20 + x } })),
    ],
    ['wgmma', 'its own register accesses', (a) => set(a.knowledge, 1, { async: { fencedRegisters: 11 } })],
    [
      'tensorBefore',
      'what its next arrives publish',
      (a) => {
        joinVector(a.published, a.knowledge.tensor)
      },
    ],
    ['tensorAfter', 'what it has received', (a) => set(a.knowledge, 0, { tensor: { queue: 99 } })],
    ['mapRelease', 'the maps that it sees', (a) => (a.knowledge.visible.released = [[], [], [20, 21, 22]])],
    ['mapAcquire', 'the maps that were released', (a) => (a.knowledge.visible.maps = [[2, 3, 4]])],
  ])('%s: %s', (kind, _, change) => {
    const [c, expected] = [knows(), knows()]
    applyFence(c, 1, kind)
    change(expected.agents[1]!)
    expect(c.agents).toEqual(expected.agents)
    // law 2: a second one adds nothing
    applyFence(c, 1, kind)
    expect(c.agents).toEqual(expected.agents)
  })
  test('shared: generations that were fenced before stay', () => {
    const c = knows()
    put(c.agents[1]!.knowledge.async.acquired, 0, [5, 6])
    applyFence(c, 1, 'shared')
    expect(valueAt(c.agents[1]!.knowledge.async.acquired, 0)).toEqual([0, 2, 5, 6])
    const [d, e] = [knows(), knows()]
    applyFence(d, 1, 'global')
    expect(d.agents[1]!.knowledge.async.acquired).toEqual(e.agents[1]!.knowledge.async.acquired)
  })
})

describe('a fence in a log', () => {
  type Kind = Extract<LogEvent, { readonly _tag: 'fence' }>['kind']
  type Scope = Extract<LogEvent, { readonly _tag: 'fence' }>['scope']
  const fence = (s: Script, agent: number, kind: Kind, scope: Scope = 'cta', place?: string): void =>
    s.push({
      _tag: 'fence',
      stamp: s.stamp(agent, kind),
      kind,
      scope,
      ...(place === undefined ? {} : { footprint: s.footprint(place) }),
    })
  const found = (run: (s: Script) => void): ReadonlyArray<string> => {
    const s = script({ agents: ['a@0', 'b@0'], barriers: [], bare: true })
    run(s)
    return ids(s.judge())
  }
  test.each<readonly [Scope, place: string, ReadonlyArray<string>]>([
    ['cta', 's0 0', []],
    ['cluster', 's0 0', []],
    ['global', 's0 0', ['P2']],
    ['cta', 'g 0', ['P5']],
    ['cluster', 'g 0', ['P5']],
    ['global', 'g 0', []],
  ])('scope %s, a write of %s that a unit reads: %j', (scope, place, expected) => {
    expect(
      found((s) => {
        s.w(0, place)
        fence(s, 0, 'proxyAsync', scope)
        s.perform(s.issue(0, 'tmaStore'), [place], [])
        s.commit(0, 'bulk')
        s.awaits(0, 'bulk', 0)
      }),
    ).toEqual(expected)
  })
  /** a writes a tensor map, b copies with it; the fences between them. */
  const maps = (
    before: ReadonlyArray<Kind>,
    after: ReadonlyArray<Kind>,
    early: ReadonlyArray<Kind> = [],
  ): ReadonlyArray<string> =>
    found((s) => {
      const footprint = s.footprint('g 0')
      const access = { _tag: 'access', footprint, role: 'map', atomic: false } as const
      for (const kind of early) fence(s, 1, kind)
      s.push({ ...access, stamp: s.stamp(0, 'write'), rw: 'w', proxy: 'generic' })
      for (const kind of before) fence(s, 0, kind)
      s.sync([0, 1])
      for (const kind of after) fence(s, 1, kind)
      const op = s.issue(1, 'tmaStore', 'copy')
      s.commit(1, 'bulk')
      s.perform(op, [], [])
      s.push({ ...access, stamp: s.stamp(1, 'copy'), operation: op, rw: 'r', proxy: 'tensormap' })
      s.awaits(1, 'bulk', 0)
    })
  test.each<readonly [string, () => ReadonlyArray<string>, ReadonlyArray<string>]>([
    ['released and acquired', () => maps(['tensormap'], ['tensormapAcquire']), []],
    ['not released', () => maps([], ['tensormapAcquire']), ['P5']],
    ['not acquired', () => maps(['tensormap'], []), ['P5']],
    ['acquired too early', () => maps(['tensormap'], [], ['tensormapAcquire']), ['P5']],
    ['both by the reader, who sees the write', () => maps([], ['tensormap', 'tensormapAcquire']), []],
    ['in the wrong order', () => maps([], ['tensormapAcquire', 'tensormap']), ['P5']],
    ['the fence of bulk copies is another', () => maps(['proxyAsync'], ['proxyAsync']), ['P5']],
    ['the fence of initialised barriers too', () => maps(['mbarrierInit'], ['mbarrierInit']), ['P5']],
  ])('a tensor map: %s', (_, given, expected) => {
    expect(given()).toEqual(expected)
  })
  /** Agent 0 writes maps at these places; agent 1 acquires some and copies through one. */
  const acquired = (
    written: ReadonlyArray<string>,
    at: ReadonlyArray<string>,
    through: string,
  ): ReadonlyArray<string> =>
    found((s) => {
      const access = { _tag: 'access', role: 'map', atomic: false } as const
      for (const place of written) {
        s.push({
          ...access,
          footprint: s.footprint(place),
          stamp: s.stamp(0, 'write'),
          rw: 'w',
          proxy: 'generic',
        })
        fence(s, 0, 'tensormap', 'global')
      }
      s.sync([0, 1])
      for (const place of at) fence(s, 1, 'tensormapAcquire', 'global', place)
      const op = s.issue(1, 'tmaStore', 'copy')
      s.commit(1, 'bulk')
      s.perform(op, [], [])
      s.push({
        ...access,
        footprint: s.footprint(through),
        stamp: s.stamp(1, 'copy'),
        operation: op,
        rw: 'r',
        proxy: 'tensormap',
      })
      s.awaits(1, 'bulk', 0)
    })
  test.each<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>, string, ReadonlyArray<string>]>([
    ['at its address', ['g 0', 'g 1'], ['g 1'], 'g 1', []],
    ['at the other one', ['g 0', 'g 1'], ['g 0'], 'g 1', ['P5']],
    ['of both, in turn', ['g 0', 'g 1'], ['g 0', 'g 1'], 'g 1', []],
    ['where nothing was written', ['g 0'], ['g 1'], 'g 0', ['P5']],
  ])('an acquire of a tensor map %s', (_, written, at, through, expected) => {
    expect(acquired(written, at, through)).toEqual(expected)
  })
  test('what one has acquired, others know of whom it has told', () => {
    const run = (place: string): ReadonlyArray<string> =>
      found((s) => {
        const access = { _tag: 'access', footprint: s.footprint('g 0'), role: 'map', atomic: false } as const
        s.push({ ...access, stamp: s.stamp(0, 'write'), rw: 'w', proxy: 'generic' })
        fence(s, 0, 'tensormap', 'global')
        fence(s, 0, 'tensormapAcquire', 'global', place)
        s.sync([0, 1])
        const op = s.issue(1, 'tmaStore', 'copy')
        s.commit(1, 'bulk')
        s.perform(op, [], [])
        s.push({ ...access, stamp: s.stamp(1, 'copy'), operation: op, rw: 'r', proxy: 'tensormap' })
        s.awaits(1, 'bulk', 0)
      })
    expect(run('g 0')).toEqual([])
    expect(run('g 1')).toEqual(['P5'])
  })
})
