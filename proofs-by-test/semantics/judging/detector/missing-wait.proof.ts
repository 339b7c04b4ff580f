/** Unheard releases: who should have been waited for, on logs by hand. */
import { describe, expect, test } from 'vitest'
import {
  earlyRelease,
  hasSilentRelease,
  isUnheard,
  mistakenWait,
  releaseBefore,
  releaseOf,
  silentPartner,
} from '../../../../src/semantics/judging/detector/missing-wait.js'
import type { Finding, Operation as Side } from '../../../../src/semantics/judging/finding.js'
import type { Script } from './script.js'
import { script } from './script.js'
import { asSpans } from '../../../../src/semantics/log/events.js'

const world = {
  agents: ['p@0', 'c@0', 'd@0', 'e@1'],
  barriers: [
    { name: 'full[0]', count: 1 },
    { name: 'full[1]', count: 1 },
    { name: 'empty[0]', count: 1 },
    { name: 'empty[1]', count: 1 },
    { name: 'far[0]', count: 1, cta: 1 },
    { name: 'plain', count: 1 },
  ],
}
const [full0, full1, empty0, empty1, far0, plain] = [0, 1, 2, 3, 4, 5] as const
const side = (index: number, at: number, does: string): Side => ({
  index,
  agent: world.agents[index]!,
  site: 'a site',
  path: [],
  iteration: [],
  at,
  does,
})
const made = (write: (s: Script) => void): Script => {
  const s = script({ ...world, bare: true })
  write(s)
  return s
}
/** Bytes 0 to 16 of the shared memory of CTA 0. */
const finding = (spans: ReadonlyArray<readonly [number, number]> = [[0, 16]]): Finding => ({
  id: 'W1',
  severity: 'E',
  text: '',
  a: side(0, 1, 'writes'),
  b: side(0, 2, 'writes'),
  place: { plane: 'smem@0', spans },
})

describe('what nobody waits for', () => {
  test.each([
    ['passed', false],
    ['blocked', true],
  ] as const)('a wait that %s hears', (_, blocked) => {
    const s = made((x) => {
      x.arrive(1, empty0)
      x.wait(0, empty0, 0, { blocked })
    })
    expect(world.barriers.map((__, b) => isUnheard(s.events, b))).toEqual([
      true,
      true,
      false,
      true,
      true,
      true,
    ])
  })
  test('its partner: of the same CTA, with its index, else the first', () => {
    const s = made((x) => {
      x.wait(1, full0, 0)
      x.wait(1, full1, 0)
    })
    expect(silentPartner(s.header, s.events, full0)).toBe(empty0)
    expect(silentPartner(s.header, s.events, full1)).toBe(empty1)
    expect(silentPartner(s.header, s.events, far0)).toBe(far0)
    const heard = made((x) => {
      x.wait(1, full0, 0)
      x.wait(1, full1, 0)
      x.wait(0, empty1, 0)
    })
    expect(silentPartner(heard.header, heard.events, full1)).toBe(empty0)
    // a name without an index is like one without
    expect(silentPartner(heard.header, heard.events, plain)).toBe(plain)
    const none = made((x) => {
      for (const b of [full0, full1, empty0, empty1, plain]) x.wait(0, b, 0)
    })
    expect(silentPartner(none.header, none.events, full0)).toBe(undefined)
  })
})

describe('bytes that come are no release', () => {
  /** Copies have signalled these; a commit arrives on `empty[0]`; these are waited for. */
  const log = (delivered: ReadonlyArray<number>, waited: ReadonlyArray<number>): Script =>
    made((x) => {
      const commit = x.issue(1, 'tcgen05', 'commit')
      x.arrives(commit, empty0)
      for (const b of delivered) x.bytes(x.issue(0, 'tmaLoad'), b, 16)
      for (const b of waited) x.wait(2, b, 0)
    })
  test.each([
    ['the release of that index', [full0, full1], [], full0, empty0, true],
    ['of the other index', [full0, full1], [], full1, empty1, true],
    ['where copies signal nothing, the first', [], [], full1, full1, true],
    ['the release is heard: what the copy signals', [full0, full1], [empty0], full0, full0, false],
    ['nothing of that index: the first of all', [full0], [full1, empty1], full1, full0, false],
    ['a release of another index', [full1], [full1, empty1, full0], full1, empty0, false],
    ['no index', [], [], plain, plain, false],
    ['all are heard', [], [full0, full1, empty0, empty1, plain], full0, undefined, false],
  ] as const)('%s', (_, delivered, waited, own, partner, isRelease) => {
    const s = log(delivered, waited)
    expect(silentPartner(s.header, s.events, own)).toBe(partner)
    expect(hasSilentRelease(s.header, s.events, own)).toBe(isRelease)
  })
  test('an index is what stands in brackets at the end of the name', () => {
    const partners = (...names: ReadonlyArray<string>): ReadonlyArray<string | undefined> => {
      const s = script({ agents: ['p@0'], barriers: names.map((name) => ({ name, count: 1 })), bare: true })
      s.wait(0, 0, 0)
      const partner = silentPartner(s.header, s.events, 0)
      return partner === undefined ? [] : [names[partner], String(hasSilentRelease(s.header, s.events, 0))]
    }
    expect(partners('full[1]', 'empty[0]', 'empty[1]')).toEqual(['empty[1]', 'true'])
    expect(partners('full[1][0]', 'empty[0]', 'empty[1]', 'empty[1][0]')).toEqual(['empty[1][0]', 'true'])
    expect(partners('full[1]', 'empty[1]done', 'empty[0]')).toEqual(['empty[1]done', 'false'])
    expect(partners('full', 'empty[0]', 'empty')).toEqual(['empty', 'false'])
  })
})

describe('the release before a write', () => {
  const first = side(0, 1, 'writes')
  const writer = side(0, 9, 'writes')
  const asked = (s: Script, of = first, by = writer, f = finding()): unknown => {
    const r = releaseBefore(s.header, s.events, f, of, of.does === 'writes', by)
    return r === undefined ? undefined : [s.events[r.index]!._tag, r.index, r.agent, r.barrier]
  }
  test('two writes: the first other agent that reads those bytes, its first arrive after that which nobody waits for', () => {
    const s = made((x) => {
      x.r(2, 's0 0', 'before the write')
      x.w(0, 's0 0')
      x.r(0, 's0 0', 'its own')
      x.r(1, 's0 1', 'other bytes')
      x.r(1, 's1 0', 'another plane')
      x.arrive(1, empty1, { site: 'too early' })
      x.r(1, 's0 0', 'the read')
      x.r(2, 's0 0', 'a later read')
      x.arrive(2, empty1)
      x.arrive(1, full0, { site: 'heard' })
      x.arrive(1, empty0, { site: 'the release' })
      x.wait(2, full0, 0)
    })
    expect(asked(s)).toEqual(['barrier', 10, 1, empty0])
  })
  test('what the writer waits for behind its write is not heard in time, unless it has waited; what another waits for is heard', () => {
    const waited = (who: number, when: 'before' | 'behind', other = false): unknown => {
      const s = made((x) => {
        x.w(0, 's0 0')
        x.r(1, 's0 0')
        x.arrive(1, empty0)
        x.arrive(1, empty1)
        if (when === 'before') x.wait(who, empty0, 0)
        if (other) x.wait(0, full1, 0)
        x.w(0, 's0 0')
        if (when === 'behind') x.wait(who, empty0, 0)
      })
      return asked(s, first, side(0, other || (when === 'before' && who === 0) ? 3 : 2, 'writes'))
    }
    expect(waited(0, 'behind')).toEqual(['barrier', 2, 1, empty0])
    expect(waited(0, 'before')).toEqual(['barrier', 3, 1, empty1])
    expect(waited(2, 'behind')).toEqual(['barrier', 3, 1, empty1])
    expect(waited(0, 'behind', true)).toEqual(['barrier', 3, 1, empty1])
  })
  test('waiting before the first write is no patience; who overwrites another’s bytes need not have any', () => {
    const s = made((x) => {
      x.wait(0, plain, 0)
      x.w(0, 's0 0')
      x.r(1, 's0 0')
      x.arrive(1, empty0)
      x.w(0, 's0 0')
      x.wait(0, empty0, 0)
    })
    expect(asked(s, side(0, 2, 'writes'), side(0, 3, 'writes'))).toEqual(['barrier', 3, 1, empty0])
    const others = made((x) => {
      x.w(2, 's0 0')
      x.r(1, 's0 0')
      x.arrive(1, empty0)
      x.arrive(1, empty1)
      x.w(0, 's0 0')
      x.wait(0, empty0, 0)
    })
    expect(asked(others, side(2, 1, 'writes'), side(0, 1, 'writes'))).toEqual(['barrier', 3, 1, empty1])
  })
  test('what it waits for in time is heard, also before the first write', () => {
    const s = made((x) => {
      x.wait(0, empty0, 0)
      x.w(0, 's0 0')
      x.r(1, 's0 0')
      x.arrive(1, empty0)
      x.arrive(1, empty1)
      x.w(0, 's0 0')
      x.wait(0, empty1, 0)
    })
    expect(asked(s, side(0, 2, 'writes'), side(0, 3, 'writes'))).toEqual(['barrier', 4, 1, empty1])
  })
  test('only arrivals release: bytes that are expected, that come, and commits of nobody do not', () => {
    const s = made((x) => {
      x.w(0, 's0 0')
      x.r(1, 's0 0')
      x.expect(1, empty0, 16)
      const copy = x.issue(1, 'tmaLoad')
      x.bytes(copy, empty0, 16)
      // an operation that was issued before the log begins
      x.push({ _tag: 'signal', operation: 99, part: 0, to: 'arrive', barrier: empty0 })
      const heard = x.issue(1, 'tcgen05', 'heard')
      x.arrives(heard, full1)
      x.arrive(1, empty1)
      x.wait(2, full1, 0)
    })
    expect(asked(s)).toEqual(['barrier', 8, 1, empty1])
  })
  test('a read of the agent itself begins where it stands, whatever has been issued before', () => {
    const s = made((x) => {
      x.w(0, 's0 0')
      // an issue of the reader, and one of another agent with the number of the read
      x.issue(1, 'wgmma', 'its own')
      x.fence(2)
      x.fence(2)
      x.issue(2, 'wgmma', 'another’s')
      x.arrive(1, empty0)
      x.r(1, 's0 0')
      x.arrive(1, empty1)
    })
    expect(asked(s)).toEqual(['barrier', 7, 1, empty1])
  })
  test('bytes touch, or they do not, whichever of several spans they are', () => {
    const reading = (place: string): Script =>
      made((x) => {
        x.w(0, 's0 0')
        x.r(1, place)
        x.arrive(1, empty0)
      })
    const touches = (place: string, spans: ReadonlyArray<readonly [number, number]>): boolean =>
      asked(reading(place), first, writer, finding(spans)) !== undefined
    // slot n is bytes 16 n to 16 n + 16
    expect(touches('s0 1', [[0, 16]])).toBe(false)
    expect(touches('s0 1', [[0, 17]])).toBe(true)
    expect(touches('s0 1', [[32, 48]])).toBe(false)
    expect(touches('s0 1', [[31, 48]])).toBe(true)
    expect(touches('s0 1-3', [[40, 41]])).toBe(true)
    expect(
      touches('s0 5', [
        [0, 16],
        [80, 96],
      ]),
    ).toBe(true)
    expect(touches('s0 5', [])).toBe(false)
    expect(touches('s1 0', [[0, 16]])).toBe(false)
  })
  test('a footprint of several spans', () => {
    const s = made((x) => {
      x.w(0, 's0 0')
      const f = x.footprint('s0 4')
      x.push({
        _tag: 'access',
        stamp: x.stamp(1, 'two rows'),
        rw: 'r',
        proxy: 'generic',
        footprint: { ...f, id: 99, spans: asSpans(Int32Array.of(64, 80, 8, 12)) },
        role: 'source',
        atomic: false,
      })
      x.arrive(1, empty0)
    })
    expect(asked(s)).toEqual(['barrier', 2, 1, empty0])
  })
  test('an operation reads at its issue, and its commit arrives at its issue', () => {
    const s = made((x) => {
      x.w(0, 's0 0')
      const mma = x.issue(1, 'tcgen05', 'mma', 0)
      const commit = x.issue(1, 'tcgen05', 'commit')
      x.perform(mma, ['s0 0'], [])
      x.arrives(commit, empty0)
    })
    expect(asked(s)).toEqual(['issue', 2, 1, empty0])
  })
  test('a side that reads: itself, and not the writer’s own release', () => {
    const s = made((x) => {
      x.arrive(1, empty0, { site: 'before it' })
      x.r(1, 's0 0', 'the read')
      x.arrive(0, empty0, { site: 'the writer’s' })
      x.arrive(1, empty1, { site: 'the release' })
    })
    expect(asked(s, side(1, 2, 'reads'))).toEqual(['barrier', 3, 1, empty1])
    expect(asked(s, side(1, 2, 'reads'), side(1, 9, 'writes'))).toBe(undefined)
  })
  test('nobody reads, or nothing is known of the place', () => {
    const s = made((x) => {
      x.w(0, 's0 0')
      x.w(1, 's0 0')
      x.arrive(1, empty0)
    })
    expect(asked(s)).toBe(undefined)
    const { id, severity, text, a, b } = finding()
    const reading = made((x) => {
      x.w(0, 's0 0')
      x.r(1, 's0 0')
      x.arrive(1, empty0)
    })
    expect(asked(reading, first, writer, { id, severity, text, a, b: b! })).toBe(undefined)
    expect(asked(reading)).toEqual(['barrier', 2, 1, empty0])
  })
})

describe('the release before another arrival', () => {
  const arriver = side(0, 9, 'arrives')
  const asked = (s: Script, barrier: number): unknown => {
    const r = releaseOf(s.header, s.events, barrier, arriver)
    return r === undefined ? undefined : [r.index, r.agent, r.barrier]
  }
  test('of an agent that waits for the barrier, after it: the one with its index, else the first', () => {
    const s = made((x) => {
      x.arrive(1, empty1, { site: 'before it waits' })
      x.wait(0, full1, 0, { site: 'the arriver itself' })
      x.arrive(0, empty1, { site: 'the arriver’s' })
      x.wait(1, full0, 0)
      x.wait(1, full1, 0)
      x.arrive(1, plain)
      x.arrive(1, empty0)
      x.arrive(1, empty1)
    })
    expect(asked(s, full0)).toEqual([6, 1, empty0])
    expect(asked(s, full1)).toEqual([7, 1, empty1])
    expect(asked(s, far0)).toBe(undefined)
  })
  test('no index of its own: the first', () => {
    const s = made((x) => {
      x.wait(1, far0, 0)
      x.arrive(1, empty1)
      x.arrive(1, plain)
    })
    expect(asked(s, far0)).toEqual([1, 1, empty1])
  })
  test('who waits and releases nothing is passed over', () => {
    const s = made((x) => {
      x.wait(1, full0, 0)
      x.wait(2, full0, 0)
      x.arrive(2, empty0)
    })
    expect(asked(s, full0)).toEqual([2, 2, empty0])
  })
})

describe('a wait for another slot', () => {
  const asked = (s: Script, own: number, at: number): unknown => {
    const w = mistakenWait(s.header, s.events, side(0, at, 'writes'), own)
    return w === undefined ? undefined : [s.header.sites[w.site]!.label, w.barrier]
  }
  const waiting = (barrier: number, more: (x: Script) => void = () => undefined): Script =>
    made((x) => {
      x.wait(0, barrier, 1, { site: 'the wait' })
      more(x)
      x.w(0, 's0 0')
    })
  test.each([
    ['of the ring, the other index', empty1, full0, empty0],
    ['of the ring, the other way round', empty0, full1, empty1],
  ] as const)('%s', (_, waited, own, meant) => {
    expect(asked(waiting(waited), own, 2)).toEqual(['the wait', meant])
  })
  test.each([
    ['its own index', empty0, full0],
    ['no index', plain, full0],
    ['the ring of the copy itself', full1, full0],
    ['a ring without that index', far0, full1],
  ] as const)('%s: no mistake', (_, waited, own) => {
    expect(asked(waiting(waited), own, 2)).toBe(undefined)
  })
  test('of the ring in the CTA of the barrier that was waited for', () => {
    const names = ['full[0]', 'empty[0]', 'empty[1]', 'empty[0]', 'empty[1]']
    const s = script({
      agents: ['p@0', 'q@1'],
      barriers: names.map((name, i) => ({ name, count: 1, cta: i === 1 || i === 2 ? 1 : 0 })),
      bare: true,
    })
    s.wait(0, 4, 1, { site: 'the wait' })
    s.w(0, 's0 0')
    expect(asked(s, 0, 2)).toEqual(['the wait', 3])
  })
  test('a writer that is not in the log has waited for nothing', () => {
    expect(asked(waiting(empty1), full0, 99)).toBe(undefined)
  })
  test('the last wait of the writer that passed', () => {
    const others = waiting(empty1, (x) => {
      x.wait(1, empty0, 1)
      x.wait(0, empty0, 0, { blocked: true })
    })
    expect(asked(others, full0, 3)).toEqual(['the wait', empty0])
    const right = waiting(empty1, (x) => {
      x.wait(0, empty0, 1)
    })
    expect(asked(right, full0, 3)).toBe(undefined)
    expect(
      asked(
        made((x) => x.w(0, 's0 0')),
        full0,
        1,
      ),
    ).toBe(undefined)
  })
})

describe('a release before anybody has read', () => {
  const asked = (s: Script, first: number, second: number, own: number = full0): unknown => {
    const r = earlyRelease(s.header, s.events, side(0, first, 'writes'), side(0, second, 'writes'), own)
    const label = (site: number): string => s.header.sites[site]!.label
    return r === undefined
      ? undefined
      : [r.arrive === null ? `none before ${label(r.wait)}` : label(r.arrive), r.barrier]
  }
  const between = (barrier: number, arrives: boolean, o: { blocked?: boolean; who?: number } = {}): Script =>
    made((x) => {
      if (arrives) x.arrive(1, barrier, { site: 'the arrive' })
      x.w(0, 's0 0')
      x.wait(o.who ?? 0, barrier, 0, { blocked: o.blocked ?? false, site: 'the wait' })
      x.w(0, 's0 0')
      x.arrive(1, barrier, { site: 'too late' })
    })
  test('the wait between the two writes, and the last arrive before it', () => {
    expect(asked(between(empty0, true), 1, 3)).toEqual(['the arrive', empty0])
  })
  test.each([
    ['for another index', empty1, full0],
    ['for the ring of the copy', full0, full0],
    ['for a barrier without an index', plain, full0],
  ] as const)('not a wait %s', (_, barrier, own) => {
    expect(asked(between(barrier, true), 1, 3, own)).toBe(undefined)
  })
  test('the wait itself, where nothing has arrived before it', () => {
    expect(asked(between(empty0, false), 1, 3)).toEqual(['none before the wait', empty0])
    // a commit arrives without a statement of its own
    const committed = made((x) => {
      const commit = x.issue(1, 'tcgen05', 'commit')
      x.arrives(commit, empty0)
      x.w(0, 's0 0')
      x.wait(0, empty0, 0)
      x.w(0, 's0 0')
    })
    expect(asked(committed, 1, 3)).toBe(undefined)
  })
  test('not one that blocks, not another agent’s, not before the first write', () => {
    expect(asked(between(empty0, true, { blocked: true }), 1, 3)).toBe(undefined)
    expect(asked(between(empty0, true, { who: 1 }), 1, 2)).toBe(undefined)
    const before = made((x) => {
      x.arrive(1, empty0)
      x.wait(0, empty0, 0)
      x.w(0, 's0 0')
      x.w(0, 's0 0')
    })
    expect(asked(before, 2, 3)).toBe(undefined)
  })
  test('the last of its waits decides', () => {
    const twice = (first: number, second: number): Script =>
      made((x) => {
        x.arrive(1, empty0, { site: 'the arrive' })
        x.w(0, 's0 0')
        x.wait(0, first, 0)
        x.wait(0, second, 0)
        x.w(0, 's0 0')
      })
    expect(asked(twice(empty1, empty0), 1, 4)).toEqual(['the arrive', empty0])
    expect(asked(twice(empty0, empty1), 1, 4)).toBe(undefined)
    expect(asked(twice(empty0, full0), 1, 4)).toBe(undefined)
  })
  test('arrivals of that barrier: not bytes expected there, not arrivals elsewhere, the last of several', () => {
    const s = (more: (x: Script) => void): Script =>
      made((x) => {
        x.expect(1, empty0, 16)
        x.arrive(1, empty1)
        x.bytes(x.issue(1, 'tmaLoad'), empty0, 16)
        x.arrives(x.issue(1, 'tcgen05', 'commit'), empty1)
        more(x)
        x.w(0, 's0 0')
        x.wait(0, empty0, 0, { site: 'the wait' })
        x.w(0, 's0 0')
      })
    expect(
      asked(
        s(() => undefined),
        1,
        3,
      ),
    ).toEqual(['none before the wait', empty0])
    expect(
      asked(
        s((x) => {
          x.arrive(1, empty0, { site: 'first' })
          x.arrive(2, empty0, { site: 'second' })
          x.arrive(1, empty1, { site: 'elsewhere' })
        }),
        1,
        3,
      ),
    ).toEqual(['second', empty0])
  })
  /** Behind its wait the writer announces a copy on another barrier: what it waited for was for that one. */
  test.each([
    ['nothing', () => undefined, false],
    ['bytes on another barrier', (x: Script) => x.arrive(0, full1, { bytes: 16 }), true],
    ['bytes expected there', (x: Script) => x.expect(0, full1, 16), true],
    ['bytes on its own', (x: Script) => x.arrive(0, full0, { bytes: 16 }), false],
    ['an arrive without bytes', (x: Script) => x.arrive(0, full1), false],
    ['another agent’s bytes', (x: Script) => x.arrive(1, full1, { bytes: 16 }), false],
  ] as const)('spent by %s', (_, behind, spent) => {
    for (const arrives of [true, false]) {
      const s = made((x) => {
        if (arrives) x.arrive(1, empty0)
        x.w(0, 's0 0', 'first')
        x.arrive(0, full1, { bytes: 16, site: 'before the wait' })
        x.wait(0, empty0, 0)
        behind(x)
        x.w(0, 's0 0', 'second')
      })
      const last = s.events.filter((e) => 'stamp' in e && e.stamp.agent === 0).length
      const r = earlyRelease(s.header, s.events, side(0, 1, 'writes'), side(0, last, 'writes'), full0)
      expect([r?.arrive !== null, r?.spent]).toEqual([arrives, spent])
    }
  })
})
