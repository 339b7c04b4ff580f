/**
 * Candidate edges: all hypotheses of each kind on minimal logs, in their order, and which of them mend the log.
 *
 * The tables are by hand: what a programmer could add at each place, and whether that is enough.
 */
import { describe, expect, test } from 'vitest'
import type {
  Completed,
  Hypothesis,
  Kind,
  Seen,
} from '../../../../src/semantics/judging/detector/candidate-edges.js'
import {
  commits,
  doneKnowledge,
  fences,
  groupWaits,
  knows,
  lateArrives,
  movedArrives,
  newPairs,
  released,
  uncounted,
  waits,
  waitsElsewhere,
} from '../../../../src/semantics/judging/detector/candidate-edges.js'
import { told } from '../../../../src/semantics/judging/detector/generation.js'
import type { Knowledge } from '../../../../src/semantics/judging/detector/knowledge.js'
import { clockOf, copy, type ClockName } from '../../../../src/semantics/judging/detector/knowledge.js'
import type { Operation } from '../../../../src/semantics/judging/detector/operation.js'
import { replay } from '../../../../src/semantics/judging/detector/replay.js'
import { defaults } from '../../../../src/semantics/judging/detector/rules.js'
import type { Finding } from '../../../../src/semantics/judging/finding.js'
import type { Family, LogEvent, Unit } from '../../../../src/semantics/log/events.js'
import type { Script } from './script.js'
import { load, script, slotBytes } from './script.js'
import { put, valueAt } from '../../../../src/semantics/judging/detector/sparse.js'
import { fillRow } from './rows.js'

const world = {
  agents: ['p@0', 'c@0'],
  barriers: ['full', 'empty', 'other'].map((name) => ({ name, count: 1 })),
}

interface Case {
  readonly s: Script
  readonly finding: Finding
  readonly a: Seen
  readonly b: Seen
  readonly completed: ReadonlyArray<Completed>
}
/** The first finding of the log, and what a pass over it sees of its sides. */
const caseOf = (write: (s: Script) => void, more: object = {}): Case => {
  const s = script({ ...world, ...more })
  write(s)
  const finding = s.judge().findings[0]!
  const sides = [finding.a, finding.b!]
  const at = sides.map((side) =>
    s.events.findIndex(
      (e) =>
        'stamp' in e &&
        !(e._tag === 'access' && e.operation !== undefined) &&
        e.stamp.agent === side.index &&
        e.stamp.at === side.at,
    ),
  )
  const operations = new Map<number, Operation>()
  const after = new Map<number, Knowledge>()
  const completed: Array<Completed> = []
  const numbers = s.header.barriers.map(() => 0)
  replay(s.header, s.events, defaults, [], (d, i) => {
    const n = at.indexOf(i)
    if (n >= 0) {
      const e = s.events[i]!
      const op = e._tag === 'issue' ? d.operations.get(e.operation) : undefined
      if (op !== undefined) operations.set(n, op)
      else after.set(n, copy(d.context.agents[sides[n]!.index]!.knowledge))
    }
    d.barriers.forEach((b, k) => {
      if (b.number > numbers[k]!)
        completed.push({ barrier: k, generation: numbers[k]!, message: told(b.last!), index: i })
      numbers[k] = b.number
    })
  })
  const [a, b] = sides.map((side, n): Seen => {
    const operation = operations.get(n)
    return {
      side,
      writes: false,
      index: at[n]!,
      operation,
      done: operation === undefined ? after.get(n) : doneKnowledge(operation),
    }
  })
  return { s, finding, a: a!, b: b!, completed }
}

const hypotheses = (c: Case, kind: Kind): ReadonlyArray<Hypothesis> => [
  ...kind(c.s.header, c.s.events, defaults, c.finding, c.a, c.b, c.completed),
]
const mends = (c: Case, h: Hypothesis): boolean =>
  !replay(c.s.header, c.s.events, defaults, h.actions, () => undefined).findings.some(
    (f) => f.a.index === c.finding.a.index && f.a.at === c.finding.a.at && f.b?.at === c.finding.b?.at,
  )
const listed = (c: Case, kind: Kind): ReadonlyArray<readonly [string, boolean]> =>
  hypotheses(c, kind).map((h) => [h.text, mends(c, h)])

const storing = (s: Script): void => {
  const op = s.issue(0, 'tmaStore', 'store')
  s.commit(0, 'bulk')
  s.perform(op, ['s0 0'], [])
  s.group(op, 'bulk', 'read')
  s.perform(op, [], ['g 0'])
  s.group(op, 'bulk', 'full')
  s.awaits(0, 'bulk', 0)
}

describe('fences', () => {
  test('written by an agent, read by its copy: the proxy fence, at both places', () => {
    const c = caseOf((s) => {
      s.w(0, 's0 0', 'epilogue')
      storing(s)
    })
    expect([c.finding.id, listed(c, fences)]).toEqual([
      'P1',
      [
        ['add a proxy fence after `epilogue` of p@0', true],
        ['add a proxy fence before `store` of p@0', true],
        ['add a wgmma fence after `epilogue` of p@0', false],
        ['add a wgmma fence before `store` of p@0', false],
        ['add a proxy fence for global memory after `epilogue` of p@0', false],
        ['add a proxy fence for global memory before `store` of p@0', false],
      ],
    ])
    // nothing else does: it is known already
    expect([groupWaits, waits, movedArrives].flatMap((kind) => listed(c, kind))).toEqual([])
    expect(listed(c, newPairs)).toEqual([
      ['add an arrive when `epilogue` of p@0 is done, and a wait for it before `store` of p@0', false],
    ])
  })
  test('registers written before a wgmma takes them: the wgmma fence', () => {
    const c = caseOf((s) => {
      s.w(0, 'r0 0', 'clear')
      const op = s.issue(0, 'wgmma', 'mma')
      s.commit(0, 'wgmma')
      s.perform(op, ['r0 0'], ['r0 0'])
      s.group(op, 'wgmma', 'full')
      s.awaits(0, 'wgmma', 0)
    })
    expect([c.finding.id, listed(c, fences)]).toEqual([
      'P1',
      [
        ['add a proxy fence after `clear` of p@0', false],
        ['add a proxy fence before `mma` of p@0', false],
        ['add a wgmma fence after `clear` of p@0', true],
        ['add a wgmma fence before `mma` of p@0', true],
        ['add a proxy fence for global memory after `clear` of p@0', false],
        ['add a proxy fence for global memory before `mma` of p@0', false],
      ],
    ])
  })
  const handedOver = (place: string, proxy: 'async' | 'tensormap') => (s: Script) => {
    s.w(0, place, 'produce')
    s.arrive(0, 1)
    s.wait(1, 1, 0)
    s.arrive(1, 0, { bytes: slotBytes })
    const op = s.issue(1, 'tmaLoad', 'load')
    s.perform(op, [place], [], { proxy })
    s.perform(op, [], ['s0 0'])
    s.bytes(op, 0, slotBytes)
    s.wait(1, 0, 0)
  }
  test('global memory: the fence for global memory, of either', () => {
    const c = caseOf(handedOver('g 0', 'async'))
    expect([c.finding.id, listed(c, fences)]).toEqual([
      'P5',
      [
        ['add a proxy fence for global memory after `produce` of p@0', true],
        ['add a proxy fence for global memory before `load` of c@0', true],
        ['add a tensor-map fence after `produce` of p@0', false],
        ['add a tensor-map fence before `load` of c@0', false],
        ['add an acquire of the tensor map after `produce` of p@0', false],
        ['add an acquire of the tensor map before `load` of c@0', false],
        [
          'add a tensor-map fence after `produce` of p@0, and an acquire of the map before `load` of c@0',
          false,
        ],
      ],
    ])
  })
  test('a tensor map: released by the one and acquired by the other', () => {
    const c = caseOf(handedOver('g 1', 'tensormap'))
    expect([c.finding.id, listed(c, fences)]).toEqual([
      'P5',
      [
        ['add a proxy fence for global memory after `produce` of p@0', false],
        ['add a proxy fence for global memory before `load` of c@0', false],
        ['add a tensor-map fence after `produce` of p@0', false],
        ['add a tensor-map fence before `load` of c@0', false],
        ['add an acquire of the tensor map after `produce` of p@0', false],
        ['add an acquire of the tensor map before `load` of c@0', false],
        [
          'add a tensor-map fence after `produce` of p@0, and an acquire of the map before `load` of c@0',
          true,
        ],
      ],
    ])
  })
  const tensor = (o: { before?: boolean; after?: boolean; arrives?: number }) => (s: Script) => {
    const st = s.issue(0, 'tcgen05St', 'st')
    s.perform(st, [], ['t0 0'])
    s.awaits(0, 'tcgen05St', 0)
    if (o.before === true) s.fence(0, 'tensorBefore')
    s.arrive(0, 0, { site: 'first' })
    // heard by nobody, and by another agent than the store's: no places
    s.arrive(1, 1, { site: 'unrelated' })
    for (let i = 1; i < (o.arrives ?? 1); i++) s.arrive(0, 2, { site: `arrive ${String(i)}` })
    s.wait(1, 0, 0)
    if (o.after === true) s.fence(1, 'tensorAfter')
    const ld = s.issue(1, 'tcgen05Ld', 'ld')
    s.perform(ld, ['t0 0'], [])
    s.awaits(1, 'tcgen05Ld', 0)
    s.arrive(0, 0, { site: 'later' })
  }
  const after = 'add an after_thread_sync fence before `ld` of c@0'
  const before = (site: string): string => `add a before_thread_sync fence before \`${site}\` of p@0`
  test.each([
    [{}, [false, false, true]],
    [{ before: true }, [true, false, true]],
    [{ after: true }, [false, true, true]],
  ] as const)('tensor memory of another agent, with %o', (o, mended) => {
    const c = caseOf(tensor(o))
    expect([c.finding.id, listed(c, fences)]).toEqual([
      'M8',
      [after, before('first'), `${before('first')}, and ${after}`].map((text, i) => [text, mended[i]]),
    ])
  })
  test('before each release in between, up to eight: only what is before the one that is waited for mends', () => {
    const c = caseOf(tensor({ arrives: 10 }))
    const sites = ['first', ...[1, 2, 3, 4, 5, 6, 7].map((i) => `arrive ${String(i)}`)]
    expect(listed(c, fences)).toEqual([
      [after, false],
      ...sites.flatMap((site): ReadonlyArray<readonly [string, boolean]> => [
        [before(site), false],
        [`${before(site)}, and ${after}`, site === 'first'],
      ]),
    ])
  })
})

describe('group waits', () => {
  /** The agent touches what its own operation moves, without a wait. */
  const hasty =
    (
      unit: Unit,
      family: Family,
      o: { reads?: string; writes?: string; commits?: boolean },
      access: 'r' | 'w',
    ) =>
    (s: Script): void => {
      const place = (o.writes ?? o.reads)!
      const op = s.issue(0, unit, 'op')
      if (o.commits !== false) s.commit(0, family)
      s.perform(op, o.reads === undefined ? [] : [o.reads], o.writes === undefined ? [] : [o.writes])
      if (access === 'r') s.r(0, place, 'use')
      else s.w(0, place, 'use')
      if (o.commits === false) s.commit(0, family)
      s.awaits(0, family, 0)
    }
  const text = (family: Family, read = false): string =>
    `add a ${family === 'tcgen05Ld' ? 'tcgen05.wait::ld' : `${family} group wait`} that covers \`op\` of p@0${read ? ' (reads)' : ''}, before \`use\` of p@0`
  test.each([
    ['wgmma', 'wgmma', { writes: 'r0 0' }, 'r'],
    ['cpAsync', 'cpAsync', { writes: 's0 0' }, 'r'],
    ['tcgen05Ld', 'tcgen05Ld', { reads: 't0 0', writes: 'r0 0' }, 'r'],
  ] as const)('%s: one, and it is enough', (unit, family, o, access) => {
    expect(listed(caseOf(hasty(unit, family, o, access)), groupWaits)).toEqual([[text(family), true]])
  })
  test('bulk: for the reads first; what is read may be overwritten then', () => {
    expect(listed(caseOf(hasty('tmaStore', 'bulk', { reads: 's0 0' }, 'w')), groupWaits)).toEqual([
      [text('bulk', true), true],
      [text('bulk'), true],
    ])
  })
  test('bulk: what is written is there when all is done, not when it is read', () => {
    const c = caseOf((s) => {
      const op = s.issue(0, 'tmaStore', 'op')
      s.commit(0, 'bulk')
      s.perform(op, ['s0 0'], [])
      s.group(op, 'bulk', 'read')
      s.perform(op, [], ['g 0'])
      s.group(op, 'bulk', 'full')
      s.r(0, 'g 0', 'use')
      s.awaits(0, 'bulk', 0)
    })
    expect(listed(c, groupWaits)).toEqual([
      [text('bulk', true), false],
      [text('bulk'), true],
    ])
  })
  const committing = (family: Family): string =>
    `add a commit that closes the ${family} group of \`op\` of p@0, and a ${family} group wait that covers it, before \`use\` of p@0`
  test('a group that is not committed cannot be waited for: with a commit it can', () => {
    expect(
      listed(caseOf(hasty('wgmma', 'wgmma', { writes: 'r0 0', commits: false }, 'r')), groupWaits),
    ).toEqual([
      [text('wgmma'), false],
      [committing('wgmma'), true],
    ])
    expect(
      listed(caseOf(hasty('tmaStore', 'bulk', { reads: 's0 0', commits: false }, 'w')), groupWaits),
    ).toEqual([
      [text('bulk', true), false],
      [text('bulk'), false],
      [committing('bulk'), true],
    ])
    // loads of tensor memory have none to commit
    expect(
      listed(caseOf(hasty('tcgen05Ld', 'tcgen05Ld', { writes: 'r0 0', commits: false }, 'r')), groupWaits),
    ).toEqual([[text('tcgen05Ld'), true]])
  })
  test('closed is what its agent commits between the two, of that family', () => {
    const c = caseOf((s) => {
      s.commit(0, 'wgmma')
      const op = s.issue(0, 'wgmma', 'op')
      s.commit(0, 'cpAsync')
      s.commit(1, 'wgmma')
      s.awaits(0, 'wgmma', 1)
      s.perform(op, [], ['r0 0'])
      s.r(0, 'r0 0', 'use')
      s.commit(0, 'wgmma')
      s.awaits(0, 'wgmma', 0)
    })
    expect(listed(c, groupWaits)).toEqual([
      [text('wgmma'), false],
      [committing('wgmma'), true],
    ])
  })
  test('copies by load, st.async and the tensor queue have no groups', () => {
    const c = caseOf((s) => {
      const op = s.issue(0, 'tcgen05', 'mma', 0)
      s.w(0, 's0 0', 'use')
      s.perform(op, ['s0 0'], ['t0 0'])
    })
    expect(hypotheses(c, groupWaits)).toEqual([])
    const loaded = caseOf((s) => {
      load(s, 0, 0, 's0 0')
      s.r(0, 's0 0', 'use')
      s.wait(0, 0, 0)
    })
    expect(hypotheses(loaded, groupWaits)).toEqual([])
  })
  test('of another agent: before each of its releases in between', () => {
    const c = caseOf((s) => {
      const op = s.issue(1, 'wgmma', 'mma')
      s.commit(1, 'wgmma')
      s.perform(op, ['s0 0'], ['r1 0'])
      s.arrive(1, 1, { site: 'release' })
      s.arrive(1, 2, { site: 'again' })
      s.wait(0, 1, 0)
      load(s, 0, 0, 's0 0', 'refill')
      s.wait(0, 0, 0)
      s.awaits(1, 'wgmma', 0)
    })
    expect(listed(c, groupWaits)).toEqual([
      ['add a wgmma group wait that covers `mma` of c@0, before `release` of c@0', true],
      ['add a wgmma group wait that covers `mma` of c@0, before `again` of c@0', false],
    ])
  })
  test('releases are arrives, drops and what arrives at a named barrier; between the two, to the last', () => {
    const c = caseOf((s) => {
      load(s, 0, 0, 's0 0', 'fill')
      s.wait(0, 0, 0)
      s.wait(1, 0, 0)
      s.arrive(1, 2, { site: 'right before' })
      const op = s.issue(1, 'wgmma', 'mma')
      s.commit(1, 'wgmma')
      s.perform(op, ['s0 0'], ['r1 0'])
      s.expect(1, 2, 0)
      s.arrive(1, 2, { site: 'arrive' })
      s.push({
        _tag: 'barrier',
        stamp: s.stamp(1, 'drop'),
        kind: 'drop',
        barrier: 2,
        count: 1,
        bytes: 0,
        release: true,
        scope: 'cta',
        tensor: false,
      })
      for (const kind of ['arrive', 'leave'] as const)
        s.push({
          _tag: 'rendezvous',
          stamp: s.stamp(1, `meet: ${kind}`),
          kind,
          id: 1,
          count: 128,
          threads: 128,
        })
      s.arrive(0, 0, { bytes: slotBytes })
      s.arrive(1, 1, { site: 'the last' })
      const refill = s.issue(0, 'tmaLoad', 'refill')
      s.arrive(1, 1, { site: 'right after' })
      s.perform(refill, [], ['s0 0'])
      s.bytes(refill, 0, slotBytes)
      s.awaits(1, 'wgmma', 0)
    })
    const places = (sites: ReadonlyArray<string>): ReadonlyArray<string> =>
      sites.map((site) => `add a wgmma group wait that covers \`mma\` of c@0, before \`${site}\` of c@0`)
    expect([c.a.side.site, c.b.side.site]).toEqual(['mma', 'refill'])
    expect(hypotheses(c, groupWaits).map((h) => h.text)).toEqual(
      places(['arrive', 'drop', 'meet: arrive', 'the last']),
    )
  })
  test('tensor memory: before the fence that speaks for the release; behind it the wait is not handed on', () => {
    const c = caseOf((s) => {
      const op = s.issue(1, 'tcgen05St', 'store')
      // fences that do not speak for a release are no places for a wait
      s.fence(1, 'proxyAsync')
      s.fence(1, 'tensorAfter')
      s.fence(1, 'tensorBefore')
      s.arrive(1, 1, { site: 'publish' })
      s.wait(0, 1, 0)
      s.fence(0, 'tensorAfter')
      const read = s.issue(0, 'tcgen05Ld', 'load')
      s.perform(op, [], ['t0 0'])
      s.perform(read, ['t0 0'], ['r0 0'])
      s.awaits(1, 'tcgen05St', 0)
      s.awaits(0, 'tcgen05Ld', 0)
    })
    expect([c.finding.id, listed(c, groupWaits)]).toEqual([
      'M4',
      [
        ['add a tcgen05.wait::st that covers `store` of c@0, before `fence tensorBefore` of c@0', true],
        ['add a tcgen05.wait::st that covers `store` of c@0, before `publish` of c@0', false],
      ],
    ])
  })
  /** Three operations, each a group of its own; the second is the one that is too late. */
  test.each([
    ['tmaStore', 'bulk', 'bulkRead', 's0 0'],
    ['wgmma', 'wgmma', 'wgmma', 's0 0'],
    ['cpAsync', 'cpAsync', 'cpAsync', 'g 0'],
    ['tcgen05Ld', 'tcgen05Ld', 'tensorLoad', 't0 0'],
    ['tcgen05St', 'tcgen05St', 'tensorStore', 't0 0'],
  ] as const)('%s: those after it are left open', (unit, family: Family, clock: ClockName, place) => {
    const c = caseOf((s) => {
      const ops = [1, 2, 3].map((i) => {
        const op = s.issue(0, unit, `op ${String(i)}`)
        s.commit(0, family)
        return op
      })
      ops.forEach((op, i) => {
        const at = i === 1 ? place : place.replace(/ .*/, ` ${String(5 + i)}`)
        s.perform(op, unit === 'tcgen05St' ? [] : [at], unit === 'tcgen05St' ? [at] : [])
      })
      if (unit === 'tcgen05St') {
        const ld = s.issue(0, 'tcgen05Ld', 'use')
        s.perform(ld, [place], [])
      } else s.w(0, place, 'use')
    })
    expect(c.a.side.site).toBe('op 2')
    const found = hypotheses(c, groupWaits).map((h) => {
      const known: number[] = []
      replay(c.s.header, c.s.events, defaults, h.actions, (d, i) => {
        if (i === c.b.index) known.push(valueAt(d.context.agents[0]!.knowledge.order, clockOf(clock, 0)))
      })
      return known[0]
    })
    expect(found).toEqual(family === 'bulk' ? [2, 2] : [2])
  })
})

test('a relaxed arrive right before the access, or behind the other one, is none behind it', () => {
  const c = caseOf((s) => {
    s.arrive(0, 2, { site: 'right before', release: false })
    s.w(0, 's0 0', 'fill')
    s.arrive(0, 0, { site: 'relaxed', release: false })
    s.r(1, 's0 0', 'consume')
    s.arrive(0, 0, { site: 'behind', release: false })
  })
  expect(hypotheses(c, released).map((h) => h.text)).toEqual([
    'make the arrive `relaxed` of p@0 on full@0 a release',
  ])
  // its own write is done when it stands there: no arrive of it comes too early
  expect(hypotheses(c, movedArrives)).toEqual([])
})

test('a relaxed arrive behind the access, as a release: the first eight of them', () => {
  const c = caseOf((s) => {
    s.w(0, 's0 0', 'fill')
    s.arrive(0, 2, { site: 'release' })
    for (let i = 0; i < 9; i++) s.arrive(0, i === 8 ? 0 : 1, { site: `relaxed ${String(i)}`, release: false })
    s.wait(1, 0, 0)
    s.r(1, 's0 0', 'consume')
  })
  expect(hypotheses(c, released).map((h) => h.text)).toEqual(
    Array.from(
      { length: 8 },
      (_, i) => `make the arrive \`relaxed ${String(i)}\` of p@0 on empty@0 a release`,
    ),
  )
  const one = caseOf((s) => {
    s.w(0, 's0 0', 'fill')
    s.arrive(0, 0, { site: 'relaxed', release: false })
    s.wait(1, 0, 0)
    s.r(1, 's0 0', 'consume')
  })
  expect(listed(one, released)).toEqual([['make the arrive `relaxed` of p@0 on full@0 a release', true]])
})

describe('commits', () => {
  /** A slot that is given back when the product has been issued, and filled again. */
  const early =
    (release: (s: Script) => void): ((s: Script) => void) =>
    (s) => {
      const op = s.issue(1, 'tcgen05', 'mma', 0)
      release(s)
      s.wait(0, 1, 0)
      s.perform(op, ['s0 0'], ['t0 0'])
      load(s, 0, 0, 's0 0', 'refill')
      s.wait(0, 0, 0)
    }
  const asCommit = (site: string, barrier: string): string =>
    `make the arrive \`${site}\` of c@0 on ${barrier}@0 a tcgen05.commit, which arrives when \`mma\` of c@0 is done`
  test('an arrive behind the product comes too early; the one that is waited for mends it', () => {
    const c = caseOf(
      early((s) => {
        s.arrive(1, 1, { site: 'release' })
        s.arrive(1, 2, { site: 'again' })
      }),
    )
    expect(listed(c, commits)).toEqual([
      [asCommit('release', 'empty'), true],
      [asCommit('again', 'other'), false],
    ])
  })
  test('not one of another agent, and not one before the product', () => {
    const c = caseOf((s) => {
      s.arrive(1, 2, { site: 'before' })
      early((t) => {
        t.arrive(0, 1, { site: 'own' })
      })(s)
    })
    expect(hypotheses(c, commits)).toEqual([])
  })
  test('between the two alone, and arrives alone', () => {
    const c = caseOf((s) => {
      load(s, 0, 0, 's0 0', 'fill')
      s.wait(0, 0, 0)
      s.wait(1, 0, 0)
      s.arrive(1, 2, { site: 'right before' })
      const op = s.issue(1, 'tcgen05', 'mma', 0)
      s.expect(1, 2, 0)
      s.arrive(1, 1, { site: 'release' })
      s.perform(op, ['s0 0'], ['t0 0'])
      load(s, 0, 0, 's0 0', 'refill')
      s.arrive(1, 1, { site: 'behind' })
    })
    expect(hypotheses(c, commits).map((h) => h.text)).toEqual([asCommit('release', 'empty')])
  })
  test('a warpgroup waits for its products by group', () => {
    const c = caseOf((s) => {
      const op = s.issue(1, 'wgmma', 'mma')
      s.commit(1, 'wgmma')
      s.arrive(1, 1, { site: 'release' })
      s.wait(0, 1, 0)
      s.perform(op, ['s0 0'], ['r1 0'])
      load(s, 0, 0, 's0 0', 'refill')
      s.wait(0, 0, 0)
      s.awaits(1, 'wgmma', 0)
    })
    expect(hypotheses(c, commits)).toEqual([])
  })
  test('nobody announces a product to itself', () => {
    const c = caseOf((s) => {
      const op = s.issue(1, 'tcgen05', 'mma', 0)
      s.arrive(1, 1, { site: 'expect' })
      s.wait(1, 1, 0)
      s.perform(op, ['s0 0'], ['t0 0'])
      load(s, 1, 0, 's0 0', 'refill')
      s.wait(0, 0, 0)
    })
    expect(hypotheses(c, commits)).toEqual([])
  })
})

describe('waits', () => {
  const generation = (g: number, name: string): string =>
    `wait for ${name}@0 (phase ${String(g % 2)}) before \`consume\` of c@0`
  test('generations that cover the copy, in the order in which they complete; not those before it', () => {
    const c = caseOf((s) => {
      s.arrive(0, 1, { site: 'before' })
      load(s, 0, 0, 's0 0', 'load')
      s.r(1, 's0 0', 'consume')
      s.wait(1, 0, 0)
      s.wait(0, 0, 0)
      s.arrive(0, 2, { site: 'after' })
    })
    // full is the reader's to wait for, other is nobody's
    expect(listed(c, waits)).toEqual([
      [generation(0, 'full'), true],
      [generation(0, 'other'), true],
    ])
    expect(listed(c, waitsElsewhere)).toEqual([])
  })
  test('what only others wait for comes apart, but for what the copy itself signals', () => {
    const c = caseOf((s) => {
      load(s, 0, 0, 's0 0', 'load')
      s.r(1, 's0 0', 'consume')
      s.wait(0, 0, 0)
      s.arrive(0, 2, { site: 'after' })
      s.wait(0, 2, 0)
    })
    expect(listed(c, waits)).toEqual([[generation(0, 'full'), true]])
    expect(listed(c, waitsElsewhere)).toEqual([[generation(0, 'other'), true]])
  })
  test('not what depends on the reader itself', () => {
    const c = caseOf((s) => {
      load(s, 0, 0, 's0 0', 'load')
      s.r(1, 's0 0', 'consume')
      s.arrive(1, 1)
      s.wait(0, 0, 0)
      s.wait(0, 1, 0)
      s.arrive(0, 2)
    })
    expect(listed(c, waits)).toEqual([[generation(0, 'full'), true]])
    expect(listed(c, waitsElsewhere)).toEqual([])
  })
  test.each([true, false])('at most twelve (for the reader to wait for: %s)', (near) => {
    const c = caseOf((s) => {
      load(s, 0, 0, 's0 0', 'load')
      s.r(1, 's0 0', 'consume')
      s.wait(0, 0, 0)
      for (let i = 0; i < 14; i++) {
        s.arrive(0, 2)
        s.wait(0, 2, i % 2 === 0 ? 0 : 1)
      }
      if (near) {
        s.wait(1, 0, 0)
        s.wait(1, 2, 1)
      }
    })
    const others = (length: number): ReadonlyArray<string> =>
      Array.from({ length }, (_, g) => generation(g, 'other'))
    expect([waits, waitsElsewhere].map((kind) => hypotheses(c, kind).map((h) => h.text))).toEqual(
      near ? [[generation(0, 'full'), ...others(11)], []] : [[generation(0, 'full')], others(12)],
    )
  })
  test('the copy’s own generation, although it never completes', () => {
    const c = caseOf((s) => {
      const op = s.issue(0, 'tmaLoad', 'load')
      s.expect(0, 0, slotBytes)
      s.perform(op, [], ['s0 0'])
      s.bytes(op, 0, slotBytes)
      s.r(1, 's0 0', 'consume')
    })
    expect(hypotheses(c, waits).map((h) => h.text)).toEqual([generation(0, 'full')])
  })
  test('the same beside generations that do complete: of another barrier, of its own before it', () => {
    const c = caseOf((s) => {
      s.arrive(0, 0)
      s.wait(1, 0, 0)
      s.arrive(0, 2)
      s.wait(1, 2, 0)
      s.arrive(0, 2)
      const op = s.issue(0, 'tmaLoad', 'load')
      s.expect(0, 0, slotBytes)
      s.perform(op, [], ['s0 0'])
      s.bytes(op, 0, slotBytes)
      s.r(1, 's0 0', 'consume')
    })
    expect(hypotheses(c, waits).map((h) => h.text)).toEqual([generation(1, 'full')])
    expect(hypotheses(c, waitsElsewhere)).toEqual([])
  })
  test('the same where it completes with an arrive of the reader behind its read', () => {
    const c = caseOf(
      (s) => {
        load(s, 0, 0, 's0 0', 'load')
        s.r(1, 's0 0', 'consume')
        s.arrive(1, 0)
        s.wait(0, 0, 0)
      },
      { barriers: [{ name: 'full', count: 2 }, ...world.barriers.slice(1)] },
    )
    expect(listed(c, waits)).toEqual([[generation(0, 'full'), true]])
    expect(hypotheses(c, waitsElsewhere)).toEqual([])
  })
  test('a part that never signals is nothing to know', () => {
    const c = caseOf((s) => {
      s.arrive(0, 0, { bytes: slotBytes })
      const op = s.issue(0, 'tmaLoad', 'load', 2)
      s.perform(op, [], ['s0 0'], { part: 1 })
      s.bytes(op, 0, slotBytes, 1)
      s.r(1, 's0 0', 'consume')
    })
    expect(hypotheses(c, waits).map((h) => h.text)).toEqual([generation(0, 'full')])
  })
  test.each([
    ['read', 'R1', ['full', 'other']],
    ['overwritten', 'W1', ['other', 'full']],
  ] as const)('%s too early: %s, first %o', (what, id, order) => {
    const c = caseOf((s) => {
      load(s, 0, 0, 's0 0', 'load')
      s.wait(0, 0, 0)
      s.arrive(0, 2)
      if (what === 'read') s.r(1, 's0 0', 'consume')
      else s.w(1, 's0 0', 'consume')
      s.wait(1, 0, 0)
    })
    expect([c.finding.id, hypotheses(c, waits).map((h) => h.text)]).toEqual([
      id,
      order.map((name) => generation(0, name)),
    ])
  })
})

describe('arrives that come too early for what they should tell', () => {
  const early = (o: { waits?: boolean; other?: boolean; own?: boolean } = {}): Case =>
    caseOf((s) => {
      s.arrive(0, 0, { site: 'early' })
      if (o.own !== false) s.arrive(0, 1, { site: 'on another barrier' })
      s.w(0, 's0 0', 'produce')
      if (o.waits !== false) s.wait(1, o.other === true ? 2 : 0, o.other === true ? 1 : 0)
      s.r(1, 's0 0', 'consume')
      s.wait(1, 1, 1, { site: 'later' })
    })
  test('the arrive that the reader has waited for, behind what it should tell of', () => {
    expect(listed(early(), lateArrives)).toEqual([
      ['move the arrive `early` of p@0 on full@0 after `produce` of p@0', true],
    ])
  })
  test.each([
    [1, 3, ', and add a `__syncwarp()` (bar.warp.sync) between the two'],
    [1, 1, ''],
    [3, 1, ''],
  ])('an arrive of lanes %d behind what lanes %d do', (arrives, produces, meets) => {
    const c = early()
    for (const e of c.s.events)
      if ('stamp' in e && e.stamp.agent === 0 && (e._tag === 'access' || e._tag === 'barrier'))
        Object.assign(e.stamp, { lanes: e._tag === 'access' ? produces : arrives })
    expect(hypotheses(c, lateArrives).map((h) => h.text)).toEqual([
      `move the arrive \`early\` of p@0 on full@0 after \`produce\` of p@0${meets}`,
    ])
  })
  test('not where the reader has waited for nothing, or for what nobody of that agent arrives on', () => {
    expect(hypotheses(early({ waits: false }), lateArrives)).toEqual([])
    expect(hypotheses(early({ other: true }), lateArrives)).toEqual([])
  })
  test('the last one before, whether it is the agent’s or of what it has issued', () => {
    const c = caseOf((s) => {
      s.arrive(0, 0, { site: 'first' })
      s.wait(1, 0, 0)
      const commit = s.issue(0, 'tcgen05', 'commit')
      s.arrives(commit, 0)
      s.w(0, 's0 0', 'produce')
      s.wait(1, 0, 1)
      s.r(1, 's0 0', 'consume')
    })
    expect(listed(c, lateArrives)).toEqual([
      ['move the arrive `commit` of p@0 on full@0 after `produce` of p@0', true],
    ])
  })
  test('only what its agent has arrived with before, on that barrier', () => {
    const c = (write: (s: Script) => void): Case =>
      caseOf(
        (s) => {
          write(s)
          s.w(0, 's0 0', 'produce')
          s.wait(1, 0, 0)
          s.push({
            _tag: 'wait',
            stamp: s.stamp(1, 'a look'),
            barrier: 2,
            parity: 1,
            acquire: true,
            scope: 'cta',
            tensor: false,
            outcome: 'tested',
          })
          s.wait(2, 1, 1)
          s.r(1, 's0 0', 'consume')
          s.arrive(0, 0, { site: 'behind' })
        },
        { agents: ['p@0', 'c@0', 'x@0'] },
      )
    const moved = (site: string): unknown => [
      [`move the arrive \`${site}\` of p@0 on full@0 after \`produce\` of p@0`, true],
    ]
    const commit = (s: Script, agent: number, barrier: number): void =>
      s.arrives(s.issue(agent, 'tcgen05', 'commit'), barrier)
    expect(
      listed(
        c((s) => s.arrive(0, 0, { site: 'early' })),
        lateArrives,
      ),
    ).toEqual(moved('early'))
    // another barrier, by its agent or by what it has issued
    expect(
      listed(
        c((s) => [s.arrive(0, 0, { site: 'early' }), s.arrive(0, 2), commit(s, 0, 2)]),
        lateArrives,
      ),
    ).toEqual(moved('early'))
    // another agent, or what that one has issued
    expect(
      listed(
        c((s) => s.arrive(2, 0)),
        lateArrives,
      ),
    ).toEqual([])
    expect(
      listed(
        c((s) => commit(s, 2, 0)),
        lateArrives,
      ),
    ).toEqual([])
  })
  test('who stores, waits for its own arrive and overwrites, waits for itself: neither moved nor missing', () => {
    const c = caseOf((s) => {
      s.arrive(0, 1, { site: 'early' })
      const op = s.issue(0, 'tmaStore', 'store')
      s.commit(0, 'bulk')
      s.perform(op, ['s0 0'], [])
      s.wait(0, 1, 0)
      s.w(0, 's0 0', 'overwrite')
      s.arrive(0, 1, { site: 'late' })
      s.awaits(0, 'bulk', 0)
    })
    expect([c.finding.id, c.a.side.site, c.b.side.site]).toEqual(['W4', 'store', 'overwrite'])
    expect(hypotheses(c, lateArrives)).toEqual([])
    expect(hypotheses(c, uncounted)).toEqual([])
  })
  test('nor does it lack its own arrive where another agent has arrived in its place', () => {
    const c = caseOf((s) => {
      s.arrive(1, 1, { site: 'another' })
      const op = s.issue(0, 'tmaStore', 'store')
      s.commit(0, 'bulk')
      s.perform(op, ['s0 0'], [])
      s.wait(0, 1, 0)
      s.w(0, 's0 0', 'overwrite')
      s.arrive(0, 1, { site: 'late' })
      s.awaits(0, 'bulk', 0)
    })
    expect([c.finding.id, c.a.side.site, c.b.side.site]).toEqual(['W4', 'store', 'overwrite'])
    expect(hypotheses(c, uncounted)).toEqual([])
  })
  test('one agent cannot wait for itself', () => {
    const c = early()
    expect(hypotheses({ ...c, b: { ...c.b, side: { ...c.b.side, index: 0 } } }, lateArrives)).toEqual([])
  })
})

describe('a generation that is complete without the arrive that it was to wait for', () => {
  /** c reads; x arrives in its place, so p passes and writes; c arrives when it is too late. */
  const intruded = (
    o: {
      readonly released?: 'behind' | 'between' | 'before' | 'never'
      readonly waits?: boolean
      readonly other?: boolean
      readonly reads?: boolean
    } = {},
  ): Case =>
    caseOf(
      (s) => {
        const at = o.released ?? 'behind'
        const release = (): void => s.arrive(1, 1, { site: 'release' })
        load(s, 0, 0, 's0 0', 'fill')
        s.wait(0, 0, 0)
        s.wait(1, 0, 0)
        if (at === 'before') release()
        if (o.reads === false) s.w(1, 's0 0', 'consume')
        else s.r(1, 's0 0', 'consume')
        if (at === 'between') release()
        else if (at !== 'before') s.arrive(2, 1, { site: 'intrude' })
        // what another agent waits for does not count
        if (o.other === true) s.wait(2, 1, 0)
        if (o.waits !== false) s.wait(0, 1, 0)
        load(s, 0, 0, 's0 0', 'produce')
        if (at === 'behind') {
          s.arrive(1, 2, { site: 'elsewhere' })
          release()
          s.arrive(1, 1, { site: 'once more' })
        }
      },
      { agents: ['p@0', 'c@0', 'x@0'] },
    )
  const told = [
    'count the arrive `release` of c@0 on empty@0 before `produce` of p@0: the generation that is waited for completes without it',
    true,
  ] as const
  test('is told by the first arrive of the reader behind its read', () => {
    expect(listed(intruded(), uncounted)).toEqual([told])
    expect(listed(intruded({ other: true }), uncounted)).toEqual([told])
  })
  test('not where the reader has arrived as often as the writer has waited, never arrives, or nobody waits', () => {
    for (const released of ['before', 'never'] as const)
      expect(hypotheses(intruded({ released }), uncounted)).toEqual([])
    expect(hypotheses(intruded({ waits: false }), uncounted)).toEqual([])
  })
  test('only of a write over what is read, by another agent that does not know of it', () => {
    expect(hypotheses(intruded({ reads: false }), uncounted)).toHaveLength(1)
    const c = intruded()
    const race: Case = { ...c, finding: { ...c.finding, id: 'R1' } }
    expect(hypotheses(race, uncounted)).toEqual([])
    expect(hypotheses({ ...c, a: { ...c.a, done: undefined } }, uncounted)).toEqual([])
    expect(hypotheses({ ...c, b: { ...c.b, side: { ...c.b.side, index: 1 } } }, uncounted)).toEqual([])
    const known: Knowledge = copy(c.a.done!)
    put(known.order, clockOf('program', 0), c.b.side.at)
    expect(hypotheses({ ...c, a: { ...c.a, done: known } }, uncounted)).toEqual([])
  })
  /** Slot 0 is filled, read by c, and filled again by p, which waits for `empty`, the first barrier of all. */
  const turn = (o: {
    readonly before?: number
    readonly behind?: (s: Script) => void
    readonly after?: (s: Script) => void
  }): Case =>
    caseOf(
      (s) => {
        load(s, 0, 1, 's0 0', 'fill')
        s.wait(1, 1, 0)
        s.wait(0, 1, 0)
        for (let i = 0; i < (o.before ?? 0); i++) s.arrive(1, 0, { site: 'before' })
        s.r(1, 's0 0', 'consume')
        if ((o.before ?? 0) === 0) s.arrive(2, 0, { site: 'intrude' })
        s.wait(0, 0, 0)
        load(s, 0, 1, 's0 0', 'produce')
        if (o.behind === undefined) s.arrive(1, 0, { site: 'release' })
        else o.behind(s)
        o.after?.(s)
      },
      {
        agents: ['p@0', 'c@0', 'x@0'],
        barriers: ['empty', 'full', 'other'].map((name) => ({ name, count: 1 })),
      },
    )
  test('whichever barrier it is', () => {
    expect(listed(turn({}), uncounted)).toEqual([told])
  })
  test('what the writer waits for behind its write does not count, nor what is no arrive', () => {
    expect(listed(turn({ after: (s) => s.wait(0, 0, 1) }), uncounted)).toEqual([told])
    const expects = turn({
      behind: (s) => {
        s.expect(1, 0, 0)
        s.arrive(1, 0, { site: 'release' })
      },
    })
    expect(listed(expects, uncounted)).toEqual([told])
    expect(hypotheses(turn({ behind: (s) => s.expect(1, 0, 0) }), uncounted)).toEqual([])
  })
  test('as many arrivals before as waits: nothing is missing, whatever comes behind', () => {
    expect(hypotheses(turn({ before: 1 }), uncounted)).toEqual([])
  })
  test('an arrive with which the generation is complete has been counted: it came too early', () => {
    const counted = (rounds: number): Case =>
      caseOf((s) => {
        load(s, 0, 0, 's0 0', 'fill')
        s.wait(1, 0, 0)
        for (let i = 1; i < rounds; i++) {
          s.arrive(1, 1, { site: 'round' })
          s.wait(0, 1, i % 2 === 1 ? 0 : 1)
        }
        const op = s.issue(1, 'tcgen05', 'mma', 0)
        s.arrive(1, 1, { site: 'release' })
        s.wait(0, 1, rounds % 2 === 1 ? 0 : 1)
        s.perform(op, ['s0 0'], ['t0 0'])
        load(s, 0, 0, 's0 0', 'produce')
      })
    for (const rounds of [1, 2, 3]) {
      const c = counted(rounds)
      expect([c.finding.id, c.a.side.site, c.b.side.site]).toEqual(['W2', 'mma', 'produce'])
      expect(hypotheses(c, uncounted)).toEqual([])
      expect(listed(c, commits)).toEqual([[asEarly, true]])
    }
  })
  const asEarly =
    'make the arrive `release` of c@0 on empty@0 a tcgen05.commit, which arrives when `mma` of c@0 is done'
  test('the second time is counted, too', () => {
    const twice = (arrivals: number): Case =>
      caseOf(
        (s) => {
          load(s, 0, 0, 's0 0', 'fill')
          s.wait(0, 0, 0)
          s.wait(1, 0, 0)
          for (let i = 0; i < arrivals; i++) s.arrive(1, 1, { site: `release ${String(i)}` })
          s.wait(0, 1, 0)
          s.r(1, 's0 0', 'consume')
          s.arrive(2, 1, { site: 'intrude' })
          s.wait(0, 1, 1)
          load(s, 0, 0, 's0 0', 'produce')
          s.arrive(1, 1, { site: 'late' })
        },
        {
          agents: ['p@0', 'c@0', 'x@0'],
          barriers: [...world.barriers.slice(0, 1), { name: 'empty', count: 1 }],
        },
      )
    expect(hypotheses(twice(1), uncounted).map((h) => h.text)).toEqual([told[0].replace('release', 'late')])
  })
})

describe('arrives', () => {
  const early = (arrives: number, knowing: boolean): Case =>
    caseOf((s) => {
      const op = s.issue(1, 'wgmma', 'mma')
      s.commit(1, 'wgmma')
      for (let i = 0; i < arrives; i++) s.arrive(1, 1, { site: `release ${String(i)}` })
      s.perform(op, ['s0 0'], ['r1 0'])
      s.group(op, 'wgmma', 'full')
      if (knowing) s.awaits(1, 'wgmma', 0)
      s.wait(0, 1, arrives % 2 === 1 ? 0 : 1)
      s.w(0, 's0 0', 'refill')
    })
  test('the arrive that came too early, behind the event after which its agent knows', () => {
    expect(listed(early(1, true), movedArrives)).toEqual([
      ['move the arrive `release 0` of c@0 on empty@0 after `wait_group wgmma`', true],
    ])
  })
  test('not one that stands in front of the operation', () => {
    const c = caseOf((s) => {
      s.arrive(1, 2, { site: 'right before' })
      const op = s.issue(1, 'wgmma', 'mma')
      s.commit(1, 'wgmma')
      s.arrive(1, 1, { site: 'release' })
      s.perform(op, ['s0 0'], ['r1 0'])
      s.group(op, 'wgmma', 'full')
      s.awaits(1, 'wgmma', 0)
      s.wait(0, 1, 0)
      s.w(0, 's0 0', 'refill')
    })
    expect(listed(c, movedArrives)).toEqual([
      ['move the arrive `release` of c@0 on empty@0 after `wait_group wgmma`', true],
    ])
  })
  test('not where it never knows', () => {
    expect(listed(early(1, false), movedArrives)).toEqual([])
  })
  test('at most twelve', () => {
    expect(hypotheses(early(14, true), movedArrives).map((h) => h.text)).toEqual(
      Array.from(
        { length: 12 },
        (_, i) => `move the arrive \`release ${String(i)}\` of c@0 on empty@0 after \`wait_group wgmma\``,
      ),
    )
  })
  test('a new pair: mends, unless what it would tell depends on where it would arrive', () => {
    const c = caseOf((s) => {
      s.w(0, 's0 0', 'produce')
      s.r(1, 's0 0', 'consume')
    })
    expect(listed(c, newPairs)).toEqual([
      ['add an arrive when `produce` of p@0 is done, and a wait for it before `consume` of c@0', true],
    ])
    expect(hypotheses({ ...c, a: c.b, b: c.a }, newPairs).map((h) => h.text)).toEqual([
      'add an arrive when `consume` of c@0 is done, and a wait for it before `produce` of p@0',
    ])
    const known: Knowledge = copy(c.a.done!)
    put(known.order, clockOf('program', 1), c.b.side.at)
    expect(hypotheses({ ...c, a: { ...c.a, done: known } }, newPairs)).toEqual([])
    put(known.order, clockOf('program', 1), c.b.side.at - 1)
    expect(hypotheses({ ...c, a: { ...c.a, done: known } }, newPairs)).toHaveLength(1)
  })
})

test('an operation that has signalled nothing is known to be done to nobody', () => {
  const c = caseOf((s) => {
    load(s, 0, 0, 's0 0', 'load')
    s.r(1, 's0 0', 'consume')
    s.wait(1, 0, 0)
  })
  expect(c.a.operation?.unit).toBe('tmaLoad')
  const silent: Seen = { ...c.a, operation: { ...c.a.operation!, parts: [] } }
  const everything: Knowledge = copy(c.a.done!)
  fillRow(everything.order, 99)
  expect([knows(everything, c.a), knows(everything, silent)]).toEqual([true, false])
})

describe('who knows the end of it', () => {
  test('of an agent’s own access: whoever knows the agent that far', () => {
    const c = caseOf((s) => {
      s.w(0, 's0 0', 'produce')
      s.r(1, 's0 0', 'consume')
    })
    const up = (to: number): boolean => {
      const k = copy(c.a.done!)
      put(k.order, clockOf('program', 0), c.a.side.at + to)
      return knows(k, c.a)
    }
    expect([up(-1), up(0), up(1)]).toEqual([false, true, true])
    expect(knows(c.a.done!, { ...c.a, done: undefined })).toBe(false)
  })
  test('of a copy: whoever knows all of its parts', () => {
    const c = caseOf((s) => {
      const op = s.issue(0, 'tmaLoad', 'load', 2)
      s.perform(op, [], ['s0 0'])
      s.bytes(op, 0, slotBytes)
      s.perform(op, [], ['s0 1'], { part: 1 })
      s.bytes(op, 2, slotBytes, 1)
      s.r(1, 's0 0', 'consume')
    })
    const parts = c.a.operation!.parts
    expect(parts).toHaveLength(2)
    const told = (...of: ReadonlyArray<number>): boolean => {
      const k = copy(c.a.operation!.knowledge)
      for (const n of of) put(k.order, parts[n]!.clock, parts[n]!.at)
      return knows(k, c.a)
    }
    expect([told(), told(0), told(1), told(0, 1)]).toEqual([false, false, false, true])
  })
  test('of a copy of cp.async that arrives: whoever knows the generation, and not the number', () => {
    const c = caseOf((s) => {
      const op = s.issue(0, 'cpAsync', 'copy')
      s.perform(op, [], ['s0 0'])
      s.arrives(op, 2)
      s.r(1, 's0 0', 'consume')
    })
    const [part] = c.a.operation!.parts
    const numbered = copy(c.a.operation!.knowledge)
    put(numbered.order, clockOf('cpAsync', 0), c.a.operation!.number)
    expect(knows(numbered, c.a)).toBe(false)
    put(numbered.order, part!.clock, part!.at)
    expect(knows(numbered, c.a)).toBe(true)
  })
})

describe('what is known of an operation that is done', () => {
  const opOf = (unit: Unit, events: (s: Script, op: number) => void): Operation => {
    const s = script(world)
    const op = s.issue(1, unit, 'op')
    events(s, op)
    let found: Operation | undefined
    replay(s.header, s.events, defaults, [], (d, i) => {
      const e: LogEvent = s.events[i]!
      if (e._tag === 'issue') found = d.operations.get(e.operation)
    })
    return found!
  }
  const numbered: ReadonlyArray<readonly [Unit, ReadonlyArray<ClockName>]> = [
    ['tmaStore', ['bulkRead', 'bulkFull']],
    ['wgmma', ['wgmma']],
    ['cpAsync', ['cpAsync']],
    ['tcgen05', ['queue']],
    ['tcgen05Ld', ['tensorLoad']],
    ['tcgen05St', ['tensorStore']],
  ]
  const all: ReadonlyArray<ClockName> = [
    'bulkRead',
    'bulkFull',
    'wgmma',
    'cpAsync',
    'queue',
    'tensorLoad',
    'tensorStore',
    'loadedRegisters',
  ]
  test.each(numbered)('%s: its number, in every vector', (unit, names) => {
    const k = doneKnowledge(opOf(unit, () => undefined))
    const expected = all.map((n) => (names.includes(n) ? 1 : 0))
    for (const v of [k.order, k.visible.counters, k.async.counters, k.tensor])
      expect(all.map((n) => valueAt(v, clockOf(n, 1)))).toEqual(expected)
  })
  test.each(['tmaLoad', 'stAsync'] as const)('%s: the generation that its bytes joined', (unit) => {
    const k = doneKnowledge(
      opOf(unit, (s, op) => {
        s.perform(op, [], ['s0 0'])
        s.bytes(op, 2, slotBytes)
      }),
    )
    expect([0, 1, 2].map((b) => valueAt(k.visible.acquired, b).length > 0)).toEqual([false, false, true])
    expect([0, 1, 2].map((b) => valueAt(k.async.acquired, b).length > 0)).toEqual([
      false,
      false,
      unit === 'tmaLoad',
    ])
    expect(all.map((n) => valueAt(k.order, clockOf(n, 1)))).toEqual(all.map(() => 0))
  })
  test('an arrival of cp.async: its generation is known, and brings nothing to see but the copies', () => {
    const op = opOf('cpAsync', (s, o) => {
      s.perform(o, [], ['s0 0'])
      s.arrives(o, 2)
    })
    const k = doneKnowledge(op)
    expect([k.visible, k.async].flatMap((v) => [0, 1, 2].map((b) => valueAt(v.acquired, b).length))).toEqual([
      0, 0, 0, 0, 0, 0,
    ])
    expect(valueAt(k.order, op.parts[0]!.clock)).toBe(1)
    expect(valueAt(k.visible.counters, clockOf('cpAsync', 1))).toBe(1)
  })
})
