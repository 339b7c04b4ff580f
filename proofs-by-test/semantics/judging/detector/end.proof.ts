/**
 * Ends: what is asked at the end of a cluster and of the log, and what is forgotten in between. Each row is a log by hand; what it leaves is read off
 * the rule (O1: the bytes without a write; C5: whatever an end can say; a stuck run: nothing but why).
 */
import { describe, expect, test } from 'vitest'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import { hazardIds, hazards } from '../../../../src/semantics/judging/hazards.js'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import type { Access } from '../../../../src/semantics/log/events.js'
import { ids, load, script, slotBytes, type Script, type World } from './script.js'
import { asSpans } from '../../../../src/semantics/log/events.js'

const world: World = {
  agents: ['p@0', 'c@0'],
  barriers: [
    { name: 'b', count: 1 },
    { name: 'x', count: 1 },
  ],
}
const judged = (write: (s: Script) => void, more: Partial<World> = {}): Judgement => {
  const s = script({ ...world, ...more })
  write(s)
  return s.judge()
}
/** Bytes of global memory, read or written, perhaps atomically. */
const touch = (
  s: Script,
  agent: number,
  rw: 'r' | 'w',
  spans: ReadonlyArray<number>,
  o: Partial<Access> & { readonly site?: string } = {},
): void => {
  const { site, ...rest } = o
  const base = s.footprint('g 0')
  s.push({
    _tag: 'access',
    stamp: s.stamp(agent, site ?? rw),
    rw,
    proxy: 'generic',
    footprint: { ...base, id: 1000 + s.events.length, spans: asSpans(Int32Array.from(spans)) },
    role: 'source',
    atomic: false,
    ...rest,
  })
}

// ---------------------------------------------------------------- outputs

describe('O1: the output has 32 bytes', () => {
  const left = (write: (s: Script) => void): unknown => {
    const found = judged(write, { output: true }).findings.filter((f) => f.id === 'O1')
    return found.map((f) => [f.text, f.a.site, f.a.does, f.b, f.place])
  }
  const missing = (
    bytes: number,
    spans: ReadonlyArray<readonly [number, number]>,
    last: string,
    does = 'writes',
  ): ReadonlyArray<unknown> => [
    [
      `${String(bytes)} bytes of output g are never written`,
      last,
      last === 'the end' ? 'ends' : does,
      undefined,
      { plane: 'gmem g', spans },
    ],
  ]
  const add = { atomic: true, combine: 'add', scope: 'gpu' } as const
  test.each<readonly [string, (s: Script) => void, ReadonlyArray<unknown>]>([
    ['nothing is written', () => undefined, missing(32, [[0, 32]], 'the end')],
    ['all of it', (s) => touch(s, 0, 'w', [0, 32]), []],
    ['all of it, in pieces', (s) => [touch(s, 0, 'w', [16, 32]), touch(s, 0, 'w', [0, 16])], []],
    ['the first half', (s) => touch(s, 0, 'w', [0, 16], { site: 'half' }), missing(16, [[16, 32]], 'half')],
    ['the second half', (s) => touch(s, 0, 'w', [16, 32], { site: 'half' }), missing(16, [[0, 16]], 'half')],
    [
      'the middle',
      (s) => touch(s, 0, 'w', [8, 20], { site: 'middle' }),
      missing(
        20,
        [
          [0, 8],
          [20, 32],
        ],
        'middle',
      ),
    ],
    ['the ends', (s) => touch(s, 0, 'w', [0, 4, 28, 32], { site: 'ends' }), missing(24, [[4, 28]], 'ends')],
    ['a read is no write', (s) => touch(s, 0, 'r', [8, 16]), missing(32, [[0, 32]], 'the end')],
    [
      'what is read in pieces lacks in one piece',
      (s) => {
        for (const at of [0, 4, 12, 20]) touch(s, 0, 'r', [at, at + 4])
        touch(s, 0, 'w', [24, 32], { site: 'last' })
      },
      missing(24, [[0, 24]], 'last'),
    ],
    [
      'the latest write is named, wherever it lies',
      (s) => {
        touch(s, 0, 'w', [16, 20], { site: 'first' })
        touch(s, 0, 'w', [0, 4], { site: 'second' })
        touch(s, 0, 'w', [8, 12], { site: 'third' })
        touch(s, 0, 'w', [16, 20], { site: 'latest' })
        touch(s, 0, 'w', [4, 8], { site: 'last of all' })
        touch(s, 0, 'r', [0, 4], { site: 'a read' })
      },
      missing(
        16,
        [
          [12, 16],
          [20, 32],
        ],
        'last of all',
      ),
    ],
    ['atomically added is written', (s) => touch(s, 0, 'w', [0, 32], add), []],
    [
      'atomically read is not',
      (s) => touch(s, 0, 'r', [0, 32], { ...add, site: 'look' }),
      missing(32, [[0, 32]], 'the end'),
    ],
    [
      'by several clusters together',
      (s) => {
        s.cluster(1)
        touch(s, 0, 'w', [0, 8])
        touch(s, 0, 'w', [8, 16], add)
        s.cluster(2)
        touch(s, 0, 'w', [16, 24])
        s.cluster(3)
        touch(s, 0, 'w', [24, 32], add)
      },
      [],
    ],
    [
      'by another cluster, and read since',
      (s) => {
        s.cluster(1)
        touch(s, 0, 'w', [0, 24], add)
        s.cluster(2)
        touch(s, 0, 'r', [0, 24], add)
      },
      missing(8, [[24, 32]], 'w', 'writes atomically'),
    ],
  ])('%s', (_, write, expected) => {
    expect(left(write)).toEqual(expected)
  })
  test('what is no output may stay unwritten', () => {
    expect(ids(judged(() => undefined))).toEqual([])
  })
  test('64 intervals are listed, and the others counted', () => {
    const gaps = (count: number): unknown => {
      const s = script(world)
      for (let i = 0; i < count; i++) touch(s, 0, 'w', [2 * i + 1, 2 * i + 2])
      const planes = s.header.planes.map((p) =>
        p.space === 'gmem' ? { ...p, bytes: 2 * count, output: true } : p,
      )
      const [o1] = judgeLog({ ...s.header, planes }, s.events, defaults).findings.filter((f) => f.id === 'O1')
      return [o1?.text, o1?.place?.spans.length, o1?.place?.spans.at(-1), o1?.place?.more]
    }
    expect(gaps(64)).toEqual(['64 bytes of output g are never written', 64, [126, 127], undefined])
    expect(gaps(200)).toEqual(['200 bytes of output g are never written', 64, [126, 127], 136])
  })
  test('of several outputs each is asked', () => {
    const s = script(world)
    const planes = [...s.header.planes, ...['y', 'z'].map((name) => ({ ...s.header.planes[2]!, name }))]
    const header = {
      ...s.header,
      planes: planes.map((p) => ({ ...p, bytes: 64, output: 'yz'.includes(p.name) })),
    }
    expect(judgeLog(header, s.events, defaults).findings.map((f) => [f.text, f.place?.plane])).toEqual([
      ['64 bytes of output y are never written', 'gmem y'],
      ['64 bytes of output z are never written', 'gmem z'],
    ])
  })
})

// ---------------------------------------------------------------- a run that is stuck

describe('a run that is stuck owes nothing', () => {
  const front: ReadonlyArray<readonly [string, (s: Script) => void, Partial<World>, string]> = [
    ['an output', () => undefined, { output: true }, 'O1'],
    ['a product in flight', (s) => s.perform(s.issue(0, 'wgmma'), ['s0 0'], ['r0 0']), {}, 'U2'],
    [
      'an arrival at a CTA that may be gone',
      (s) => s.arrive(0, 1),
      { agents: ['p@0', 'c@1'], barriers: [world.barriers[0]!, { name: 'far', count: 1, cta: 1 }] },
      'K1',
    ],
    [
      'tensor memory',
      (s) => s.push({ _tag: 'alloc', stamp: s.stamp(0, 'alloc'), footprint: s.footprint('t0 0-8') }),
      {},
      'T1',
    ],
  ]
  test.each(front)('%s', (_, write, more, id) => {
    expect(ids(judged(write, more))).toEqual([id])
    const stuck = judged((s) => {
      s.r(1, 'g 0')
      write(s)
      s.wait(1, 0, 0, { blocked: true })
    }, more)
    expect(ids(stuck)).toEqual(['B5'])
    expect(stuck.conditions.C5.failures).toEqual(['the run does not complete'])
  })
  test('nor anything to the clusters after it', () => {
    for (const [, write, more] of front.slice(1)) {
      const j = judged((s) => {
        s.cluster(1)
        s.init(0, 0, 1)
        s.sync([0, 1])
        s.r(1, 'g 0')
        write(s)
        s.wait(1, 0, 0, { blocked: true })
        s.cluster(2)
        s.r(1, 'g 0')
      }, more)
      expect(ids(j)).not.toContain('U2')
      expect(ids(j)).not.toContain('K1')
      expect(ids(j)).not.toContain('T1')
      expect(j.deadlock.map((d) => d.agent)).toEqual([more.agents === undefined ? 'c@0' : 'c@1'])
    }
  })
})

// ---------------------------------------------------------------- one cluster after another

describe('a cluster begins with nothing', () => {
  test('who was blocked before is not blocked now', () => {
    const j = judged((s) => {
      s.wait(0, 0, 0, { blocked: true })
      s.cluster(1)
      s.w(0, 's0 0')
    })
    expect(j.deadlock.map((d) => d.agent)).toEqual(['p@0'])
    expect(ids(j)).toEqual(['B6'])
  })
  test('nobody has worked yet', () => {
    const first = (works: boolean): ReadonlyArray<string> =>
      ids(
        judged((s) => {
          if (works) s.w(0, 's0 0')
          s.cluster(1)
          s.init(0, 0, 1)
          s.wait(0, 0, 0, { blocked: true })
        }),
      )
    expect(first(true)).toEqual(['B6'])
    expect(first(false)).toEqual(['B6'])
  })
  test('a named barrier counts from nothing', () => {
    const j = judged((s) => {
      const half = (): void =>
        s.push({
          _tag: 'rendezvous',
          stamp: s.stamp(0, 'half'),
          kind: 'arrive',
          id: 1,
          count: 256,
          threads: 128,
        })
      half()
      s.cluster(1)
      half()
      s.push({
        _tag: 'rendezvous',
        stamp: s.stamp(0, 'half'),
        kind: 'leave',
        id: 1,
        count: 256,
        threads: 128,
      })
    })
    expect(j.conditions.C2.failures).toEqual([
      'the log is not well formed: p@0 half leaves named barrier 1@0 before its generation is complete',
    ])
  })
  test('a semaphore tells nothing of what another cluster has signalled', () => {
    const signal = (s: Script, agent: number, kind: 'signal' | 'wait'): void =>
      s.push({
        _tag: 'semaphore',
        stamp: s.stamp(agent, kind),
        kind,
        footprint: s.footprint('g 0'),
        value: 1,
        decrement: false,
        scope: 'gpu',
        before: kind === 'wait' ? 1 : 0,
        outcome: 'passed',
      })
    const j = judged((s) => {
      s.arrive(0, 0)
      signal(s, 0, 'signal')
      s.cluster(1)
      s.init(0, 0, 1)
      signal(s, 1, 'wait')
      // what p knew of itself then would pass for what it knows of b now
      s.arrive(1, 0)
    })
    expect(ids(j)).toEqual(['B7'])
  })
  test('an operation of another cluster is over', () => {
    const j = judged((s) => {
      const op = s.issue(0, 'tmaLoad', 'load')
      s.cluster(1)
      s.init(0, 0, 1)
      s.bytes(op, 0, slotBytes)
    })
    expect(j.conditions.C2.failures).toEqual([
      'the log is not well formed: signal of operation 0, which was not issued or is over',
    ])
  })
  test('an agent that waits for its start waits again', () => {
    // M7 asks whether the other CTA is there: it is, in a cluster in which its agent has been forked
    const s = script({ agents: ['even@0', 'odd@1'], barriers: [], bare: true })
    const pair = (operation: number): void =>
      s.push({
        _tag: 'issue',
        stamp: s.stamp(0, `mma ${String(operation)}`),
        operation,
        unit: 'tcgen05',
        bytes: 0,
        macs: 0,
        accumulates: false,
        signals: 0,
        tensor: 'mma',
        ctaGroup: 2,
      })
    s.fork('fork', 0, [0, 1])
    pair(0)
    s.cluster(1)
    pair(1)
    const header = { ...s.header, agents: s.header.agents.map((a, x) => ({ ...a, starts: x === 0 })) }
    const found = judgeLog(header, s.events, defaults).findings.filter((f) => f.id === 'M7')
    expect(found.map((f) => f.a.site)).toEqual(['mma 1'])
  })
  test('the order of the clusters, and a mark of the first, is nothing to the digest; what a cluster is, is', () => {
    const cluster = (s: Script, id: number, slots: ReadonlyArray<number>): void => {
      s.cluster(id)
      for (const slot of slots) {
        const op = s.issue(0, 'wgmma')
        s.commit(0, 'wgmma')
        s.perform(op, [`s0 ${String(slot)}`], [])
        s.awaits(0, 'wgmma', 0)
      }
    }
    const digest = (...all: ReadonlyArray<readonly [number, ReadonlyArray<number>]>): string => {
      // stamps of an agent count within its cluster
      const s = script({ agents: ['p@0'], barriers: [], bare: true })
      all.forEach(([id, slots]) => {
        cluster(s, id, slots)
      })
      let at = 0
      const events = s.events.map((e) => {
        if (e._tag === 'cluster') at = 0
        return 'stamp' in e && e._tag !== 'access' ? { ...e, stamp: { ...e.stamp, at: ++at } } : e
      })
      return judgeLog(s.header, events, defaults).digest
    }
    expect(digest([1, [0]], [2, [1, 2]])).toBe(digest([2, [1, 2]], [1, [0]]))
    expect(digest([1, [0]], [2, [1, 2]])).not.toBe(digest([1, [1, 2]], [2, [0]]))
    const unmarked = script({ agents: ['p@0'], barriers: [], bare: true })
    unmarked.r(0, 's0 0')
    const zero = script({ agents: ['p@0'], barriers: [], bare: true })
    zero.cluster(0)
    zero.r(0, 's0 0')
    expect(zero.judge().digest).toBe(unmarked.judge().digest)
  })
})

test('reads of nothing: of each cluster, at its end', () => {
  const j = judged(
    (s) => {
      s.cluster(1)
      s.r(0, 's0 0', 'first')
      s.cluster(2)
      s.r(0, 's0 1', 'second')
      s.cluster(3)
      s.w(0, 's0 2')
    },
    { initialised: false, bare: true },
  )
  expect(j.findings.map((f) => `${f.id} ${f.a.site}`)).toEqual(['I1 first', 'I1 second'])
})

// ---------------------------------------------------------------- the conditions that sum up

describe('C5 and C1', () => {
  test('what only an end can say fails C5, in its words; what an access says does not', () => {
    const exit = judged((s) => [s.w(0, 's0 0'), s.r(1, 's0 0'), s.perform(s.issue(0, 'wgmma'), ['s0 1'], [])])
    const u2 = exit.findings.find((f) => f.id === 'U2')!
    expect(ids(exit)).toEqual(['D1', 'U2'])
    expect(exit.conditions.C5).toEqual({ holds: false, failures: [`U2: ${u2.text}`], findings: [u2] })
    const race = judged((s) => [s.w(0, 's0 0'), s.r(1, 's0 0')])
    expect([ids(race), race.conditions.C5.holds]).toEqual([['D1'], true])
  })
  test('those are: outstanding effects, memory that is not given back, outputs, the ends of contracts', () => {
    const atExit = hazardIds.filter((id) => hazards[id].exit)
    expect([...atExit].sort()).toEqual(['B8', 'K1', 'K2', 'O1', 'T1', 'T4', 'T5', 'U1', 'U2'])
  })
  test('a broken contract is a note, unless it is to be strict', () => {
    const run = (strict: boolean): unknown => {
      const s = script({ agents: ['p@0'], barriers: [{ name: 'b', count: 1, contract: 'pallas' }] })
      s.arrive(0, 0)
      const j = s.judge({ strict })
      return [ids(j), j.notes.map((f) => f.id), j.conditions.C5.holds]
    }
    expect(run(false)).toEqual([[], ['U1'], true])
    expect(run(true)).toEqual([['U1'], [], false])
  })
  test('reasons why control may depend on timing, each once', () => {
    const s = script(world)
    const c1 = (...nondeterminism: ReadonlyArray<string>): unknown =>
      judgeLog({ ...s.header, nondeterminism }, s.events, defaults).conditions.C1
    expect(c1()).toEqual({ holds: true, failures: [], findings: [] })
    expect(c1('a test', 'a clock', 'a test')).toEqual({
      holds: false,
      failures: ['a test', 'a clock'],
      findings: [],
    })
  })
  test.each<readonly [string, (s: Script) => void, boolean]>([
    ['nothing fails', (s) => s.arrive(0, 0), false],
    ['C3', (s) => [s.arrive(0, 0), s.arrive(1, 0)], true],
    ['the upper half of C4', (s) => [s.arrive(0, 0), s.wait(1, 0, 0), s.arrive(0, 0)], false],
    [
      'the lower half of C4',
      (s) => [s.arrive(0, 0), s.arrive(0, 0), s.wait(1, 0, 1), s.arrive(0, 0), s.wait(0, 0, 0)],
      true,
    ],
    ['C6', (s) => [s.expect(0, 0, slotBytes), s.arrive(1, 0)], true],
    ['C2 alone', (s) => s.wait(0, 0, 0), false],
    ['C5 alone', (s) => s.perform(s.issue(0, 'wgmma'), ['s0 1'], []), false],
  ])('findings are candidates where %s (fails)', (_, write, candidates) => {
    expect(judged(write).candidates).toBe(candidates)
  })
  test('events are counted, whatever they are', () => {
    const s = script({ agents: ['p@0'], barriers: [], bare: true })
    expect(s.judge().events).toBe(0)
    s.cluster(0)
    s.w(0, 's0 0')
    s.push({ _tag: 'exit', agent: 0 })
    expect(s.judge().events).toBe(3)
  })
})

test('a barrier that waits for bytes of a stuck run asks C6 all the same', () => {
  const j = judged((s) => {
    s.expect(0, 0, slotBytes)
    s.arrive(1, 0)
    s.wait(1, 1, 0, { blocked: true })
    load(s, 0, 1, 's0 0')
  })
  expect(j.conditions.C6.holds).toBe(false)
})
