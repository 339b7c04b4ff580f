/**
 * The digest of a run: logs that do other things have other digests, logs that do the same things at other times have the same.
 *
 * Rows of two logs that differ in one word each (law 2), then of two that are the same but for their timing (law 1); and both lanes of the hash on all
 * small words, where no two may meet.
 */
import { describe, expect, test } from 'vitest'
import type { Digest } from '../../../../src/semantics/judging/detector/digest.js'
import {
  closeCluster,
  digest,
  ofAgent,
  ofOperation,
  ofSpans,
  show,
} from '../../../../src/semantics/judging/detector/digest.js'
import type { LogEvent, Proxy } from '../../../../src/semantics/log/events.js'
import { script, type Script } from './script.js'
import { asSpans } from '../../../../src/semantics/log/events.js'

const digestOf = (run: (s: Script) => void): string => {
  const s = script({
    agents: ['a@0', 'b@0'],
    barriers: [
      { name: 'x', count: 8 },
      { name: 'y', count: 8 },
    ],
    bare: true,
  })
  s.init(0, 0, 8)
  s.init(0, 1, 8)
  run(s)
  return s.judge().digest
}
type Run = (s: Script) => void

const touch = (s: Script, agent: number, rw: 'r' | 'w', place: string, proxy: Proxy = 'generic'): void =>
  s.push({
    _tag: 'access',
    stamp: s.stamp(agent, 'x'),
    rw,
    proxy,
    footprint: s.footprint(place),
    role: 'source',
    atomic: false,
  })
const acts =
  (rw: 'r' | 'w', place: string, proxy: Proxy = 'async', part = 0): Run =>
  (s) => {
    const op = s.issue(0, 'tmaLoad', 'op', 4)
    s.perform(op, rw === 'r' ? [place] : [], rw === 'w' ? [place] : [], { proxy, part })
  }
const grouped =
  (over: Partial<Extract<LogEvent, { readonly _tag: 'group' }>>): Run =>
  (s) =>
    s.push({
      _tag: 'group',
      stamp: s.stamp(0, 'g'),
      kind: 'wait',
      family: 'bulk',
      pending: 1,
      read: false,
      blocked: false,
      ...over,
    })
const signals =
  (run: (s: Script, op: number) => void): Run =>
  (s) => {
    const op = s.issue(0, 'tmaLoad', 'op', 4)
    run(s, op)
  }
const registers =
  (count: number, blocked = false): Run =>
  (s) =>
    s.push({ _tag: 'registers', stamp: s.stamp(0, 'r'), count, needs: 1, free: 9, blocked })

describe('law 2: another digest', () => {
  test.each<readonly [string, Run, Run]>([
    ['nothing, something', () => undefined, (s) => s.r(0, 's0 0')],
    ['an access: read, write', (s) => touch(s, 0, 'r', 's0 0'), (s) => touch(s, 0, 'w', 's0 0')],
    ['its proxy', (s) => touch(s, 0, 'r', 's0 0'), (s) => touch(s, 0, 'r', 's0 0', 'async')],
    ['generic, tensor', (s) => touch(s, 0, 'r', 's0 0'), (s) => touch(s, 0, 'r', 's0 0', 'tensor')],
    [
      'tensor, tensor map',
      (s) => touch(s, 0, 'r', 's0 0', 'tensor'),
      (s) => touch(s, 0, 'r', 's0 0', 'tensormap'),
    ],
    ['its start', (s) => touch(s, 0, 'r', 's0 0-3'), (s) => touch(s, 0, 'r', 's0 1-3')],
    ['its end', (s) => touch(s, 0, 'r', 's0 0-3'), (s) => touch(s, 0, 'r', 's0 0-2')],
    ['its plane', (s) => touch(s, 0, 'r', 's0 0'), (s) => touch(s, 0, 'r', 't0 0')],
    ['its agent', (s) => touch(s, 0, 'r', 's0 0'), (s) => touch(s, 1, 'r', 's0 0')],
    ['an operation’s access: read, write', acts('r', 's0 0'), acts('w', 's0 0')],
    ['its proxy', acts('r', 's0 0'), acts('r', 's0 0', 'generic')],
    ['its place', acts('r', 's0 0'), acts('r', 's0 1')],
    ['its part', acts('w', 's0 0'), acts('w', 's0 0', 'async', 1)],
    ['once, twice', acts('r', 's0 0'), (s) => (acts('r', 's0 0')(s), acts('r', 's0 0')(s))],
    [
      'of the first operation, of the second',
      (s) => {
        const [first] = [s.issue(0, 'tmaLoad', 'x', 4), s.issue(0, 'tmaLoad', 'x', 4)]
        s.perform(first, ['s0 0'], [])
      },
      (s) => {
        const [, second] = [s.issue(0, 'tmaLoad', 'x', 4), s.issue(0, 'tmaLoad', 'x', 4)]
        s.perform(second, ['s0 0'], [])
      },
    ],
    ['the unit of an issue', (s) => s.issue(0, 'tmaLoad'), (s) => s.issue(0, 'tcgen05Ld')],
    [
      'bytes on a barrier, on another',
      signals((s, op) => s.bytes(op, 0, 16)),
      signals((s, op) => s.bytes(op, 1, 16)),
    ],
    [
      'of a part, of another',
      signals((s, op) => s.bytes(op, 0, 16)),
      signals((s, op) => s.bytes(op, 0, 16, 1)),
    ],
    ['bytes, an arrival', signals((s, op) => s.bytes(op, 0, 16)), signals((s, op) => s.arrives(op, 0))],
    [
      'an arrival on a barrier, on another',
      signals((s, op) => s.arrives(op, 0)),
      signals((s, op) => s.arrives(op, 1)),
    ],
    ['a signal, none', signals((s, op) => s.bytes(op, 0, 16)), signals(() => undefined)],
    ['a group wait: the family', grouped({}), grouped({ family: 'wgmma' })],
    ['how many pending', grouped({}), grouped({ pending: 0 })],
    ['the read side', grouped({}), grouped({ read: true })],
    ['a wait, a commit', grouped({}), grouped({ kind: 'commit' })],
    ['a fence: its kind', (s) => s.fence(0, 'proxyAsync'), (s) => s.fence(0, 'wgmma')],
    ['its scope', (s) => s.fence(0, 'proxyAsync', 'cta'), (s) => s.fence(0, 'proxyAsync', 'global')],
    ['a fork: how many', (s) => s.fork('fork', 0, []), (s) => s.fork('fork', 0, [1])],
    ['a meeting: its number', (s) => s.sync([0, 1], 1), (s) => s.sync([0, 1], 2)],
    [
      'its generation',
      (s) => s.sync([0, 1], 1),
      (s) => {
        s.sync([1], 1)
        s.sync([0, 1], 1)
      },
    ],
    ['registers: how many', registers(40), registers(48)],
    ['registers: taken, and waited for', registers(40), registers(40, true)],
    ['the order of an agent', (s) => (s.r(0, 's0 0'), s.fence(0)), (s) => (s.fence(0), s.r(0, 's0 0'))],
    [
      'in one cluster, in the next',
      (s) => (s.cluster(1), s.r(0, 's0 0'), s.cluster(2), s.fence(0)),
      (s) => (s.cluster(1), s.fence(0), s.cluster(2), s.r(0, 's0 0')),
    ],
    ['which cluster it is', (s) => (s.cluster(1), s.r(0, 's0 0')), (s) => (s.cluster(2), s.r(0, 's0 0'))],
  ])('%s', (_, first, second) => {
    expect(digestOf(first)).not.toBe(digestOf(second))
  })
})

describe('law 2: units, kinds, scopes and families, every two of them', () => {
  const units = [
    'tmaLoad',
    'tmaStore',
    'cpAsync',
    'wgmma',
    'tcgen05',
    'tcgen05Ld',
    'tcgen05St',
    'stAsync',
    'clc',
  ] as const
  const kinds = ['arrive', 'expect', 'drop', 'increment'] as const
  const families = ['bulk', 'wgmma', 'cpAsync', 'tcgen05Ld', 'tcgen05St'] as const
  const arrives =
    (kind: (typeof kinds)[number], bytes: number): Run =>
    (s) =>
      s.push({
        _tag: 'barrier',
        stamp: s.stamp(0, 'b'),
        kind,
        barrier: 0,
        count: 1,
        bytes,
        release: true,
        scope: 'cta',
        tensor: false,
      })
  test.each<readonly [string, () => ReadonlyArray<Run>]>([
    ['units of an issue', () => units.map((unit) => (s) => s.issue(0, unit))],
    [
      'what a barrier is told, with bytes and without',
      () => kinds.flatMap((kind) => [0, 1, 2].map((bytes) => arrives(kind, bytes))),
    ],
    [
      'families of groups',
      () =>
        families.flatMap((family) => (['commit', 'wait'] as const).map((kind) => grouped({ family, kind }))),
    ],
    [
      'kinds and scopes of fences',
      () =>
        (['proxyAsync', 'wgmma', 'tensorBefore', 'tensorAfter'] as const).flatMap((kind) =>
          (['cta', 'global'] as const).map((scope) => (s: Script) => s.fence(0, kind, scope)),
        ),
    ],
  ])('%s', (_, runs) => {
    const digests = runs().map(digestOf)
    expect(new Set(digests).size).toBe(digests.length)
  })
})

describe('law 1: the same digest', () => {
  test.each<readonly [string, Run, Run]>([
    [
      'two agents, each in its order',
      (s) => (s.r(0, 's0 0'), s.w(1, 's0 1')),
      (s) => (s.w(1, 's0 1'), s.r(0, 's0 0')),
    ],
    [
      'two operations that perform either way round',
      (s) => {
        const [x, y] = [s.issue(0, 'tmaLoad', 'x', 4), s.issue(0, 'tmaLoad', 'y', 4)]
        s.perform(x, ['s0 0'], [])
        s.perform(y, ['s0 1'], [])
        s.bytes(x, 0, 16)
        s.bytes(y, 0, 16)
      },
      (s) => {
        const [x, y] = [s.issue(0, 'tmaLoad', 'x', 4), s.issue(0, 'tmaLoad', 'y', 4)]
        s.perform(y, ['s0 1'], [])
        s.bytes(y, 0, 16)
        s.perform(x, ['s0 0'], [])
        s.bytes(x, 0, 16)
      },
    ],
    [
      'an operation that performs before or after what its agent does next',
      (s) => {
        const x = s.issue(0, 'tmaLoad', 'x', 4)
        s.perform(x, ['s0 0'], [])
        s.fence(0)
      },
      (s) => {
        const x = s.issue(0, 'tmaLoad', 'x', 4)
        s.fence(0)
        s.perform(x, ['s0 0'], [])
      },
    ],
    [
      'places by their bytes, not by the order in which they are met',
      (s) => (s.r(0, 's0 0'), s.r(1, 's0 1')),
      (s) => (s.footprint('s0 1'), s.r(0, 's0 0'), s.r(1, 's0 1')),
    ],
  ])('%s', (_, first, second) => {
    expect(digestOf(first)).toBe(digestOf(second))
  })
})

describe('the hash', () => {
  const small = [0, 1, 2, 3, 4, 5]
  const quads = small.flatMap((a) =>
    small.flatMap((b) => small.flatMap((c) => small.map((e) => [a, b, c, e] as const))),
  )
  const lanes = (d: Digest): readonly [string, string] => [show(d).slice(0, 8), show(d).slice(8)]
  const apart = (all: ReadonlyArray<readonly [string, string]>): void => {
    for (const lane of [0, 1] as const) expect(new Set(all.map((d) => d[lane])).size).toBe(all.length)
  }
  test('sixteen digits, of nothing as well', () => {
    expect(show(digest(2))).toBe('0'.repeat(16))
    const d = digest(2)
    closeCluster(d, 0)
    expect(show(d)).toMatch(/^[0-9a-f]{16}$/)
  })
  test('of an agent’s event: every word counts, in either lane', () => {
    apart(
      quads.map((q) => {
        const d = digest(1)
        ofAgent(d, 0, ...q)
        closeCluster(d, 0)
        return lanes(d)
      }),
    )
  })
  test('of two events: so does their order', () => {
    const pairs = quads.filter(([, , c, e]) => c < 2 && e < 1)
    apart(
      pairs.flatMap((q) =>
        pairs.slice(0, 12).map((r) => {
          const d = digest(1)
          ofAgent(d, 0, ...q)
          ofAgent(d, 0, ...r)
          closeCluster(d, 0)
          return lanes(d)
        }),
      ),
    )
  })
  test('of an operation’s stage: every word and the agent count', () => {
    apart(
      quads.flatMap((q) =>
        [0, 1].map((agent) => {
          const d = digest(2)
          ofOperation(d, agent, ...q)
          return lanes(d)
        }),
      ),
    )
  })
  test('of a cluster: which it is, and which agent did what', () => {
    apart(
      [0, 1, 2].flatMap((cluster) =>
        [0, 1, 2].map((agent) => {
          const d = digest(3)
          ofAgent(d, agent, 1, 2, 3, 4)
          closeCluster(d, cluster)
          return lanes(d)
        }),
      ),
    )
  })
  test('a cluster that is closed is over: its agents begin anew', () => {
    const d = digest(1)
    ofAgent(d, 0, 1, 2, 3, 4)
    closeCluster(d, 0)
    expect([...d.low, ...d.high]).toEqual([...digest(1).low, ...digest(1).high])
  })
  test('of places: their plane, and every edge', () => {
    const all = small.flatMap((plane) =>
      small.flatMap((from) => small.map((to) => ofSpans(plane, asSpans(Int32Array.of(from, 8 + to))))),
    )
    expect(new Set(all).size).toBe(all.length)
    const list = Int32Array.of(0, 4, 8, 12)
    expect(ofSpans(0, asSpans(list))).not.toBe(ofSpans(0, asSpans(Int32Array.of(0, 4))))
    expect(ofSpans(0, { list, by: 4 })).not.toBe(ofSpans(0, { list, by: 8 }))
    expect(ofSpans(0, { list, by: 4 })).toBe(ofSpans(0, { list: Int32Array.from(list), by: 4 }))
    for (const h of all) expect(h).toBeGreaterThanOrEqual(0)
  })
  test('what stands in no sequence is added: any order gives the same sum, and nothing is lost', () => {
    const sum = (...all: ReadonlyArray<readonly [number, number, number, number]>): string => {
      const d = digest(1)
      for (const q of all) ofOperation(d, 0, ...q)
      return show(d)
    }
    const [x, y, z] = [
      [0, 1, 2, 3],
      [4, 1, 0, 0],
      [2, 2, 2, 2],
    ] as const
    expect(sum(x, y, z)).toBe(sum(z, x, y))
    expect(new Set([sum(x), sum(x, x), sum(x, y), sum(x, z), sum(x, y, z)]).size).toBe(5)
    const words = (hex: string): readonly [number, number] => [
      Number.parseInt(hex.slice(0, 8), 16),
      Number.parseInt(hex.slice(8), 16),
    ]
    const [a, b, both] = [words(sum(x)), words(sum(y)), words(sum(x, y))]
    for (const lane of [0, 1] as const) expect(both[lane]).toBe((a[lane] + b[lane]) % 2 ** 32)
  })
})
