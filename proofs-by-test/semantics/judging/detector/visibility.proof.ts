/** What publishes and what does not; and rules of the classification that the zoo leaves open. */
import { describe, expect, it } from 'vitest'
import { settledVerdictOf, verdictOf } from '../../../../src/semantics/judging/detector/index.js'
import type { Script } from './script.js'
import { ids, load, script, slotBytes } from './script.js'

const world = {
  agents: ['p@0', 'c@0', 'd@0'],
  barriers: [
    { name: 'full', count: 1 },
    { name: 'empty', count: 1 },
    { name: 'other', count: 1 },
  ],
}
const found = (run: (s: Script) => void): ReadonlyArray<string> => {
  const s = script(world)
  run(s)
  return s.judge().findings.map((f) => `${f.id} ${f.a.site} / ${f.b?.site ?? ''}`)
}

describe('visibility (b): relaxed operations order and publish nothing', () => {
  it.each([
    [true, true, []],
    [false, true, ['V1 write s0 0 / read s0 0']],
    [true, false, ['V1 write s0 0 / read s0 0']],
  ] as const)('release %s, acquire %s', (release, acquire, expected) => {
    expect(
      found((s) => {
        s.w(0, 's0 0')
        s.arrive(0, 0, { release })
        s.wait(1, 0, 0, { acquire })
        s.r(1, 's0 0')
      }),
    ).toEqual(expected)
  })
  it.each([
    [false, []],
    [true, ['V1 write s0 0 / read s0 0']],
  ] as const)('bar.sync relaxed %s', (relaxed, expected) => {
    expect(
      found((s) => {
        s.w(0, 's0 0')
        s.sync([0, 1], 1, relaxed)
        s.r(1, 's0 0')
      }),
    ).toEqual(expected)
  })
  it('an expectTx orders and publishes nothing', () => {
    expect(
      found((s) => {
        s.w(0, 's0 0')
        s.expect(0, 0, slotBytes)
        s.sync([0, 1], 1, true)
        s.arrive(1, 0)
        const op = s.issue(1, 'tmaLoad')
        s.perform(op, [], ['s0 1'])
        s.bytes(op, 0, slotBytes)
        s.wait(2, 0, 0)
        s.r(2, 's0 0')
      }),
    ).toEqual(['V1 write s0 0 / read s0 0'])
  })
})

describe('write over write: what shows that the first has landed', () => {
  it('a generic read shows nothing to an asynchronous overwrite of a generic write', () => {
    const run =
      (fence: boolean) =>
      (s: Script): void => {
        s.w(0, 's0 0')
        s.arrive(0, 2)
        s.wait(1, 2, 0)
        s.r(1, 's0 0')
        if (fence) s.fence(1)
        load(s, 1, 0, 's0 0', 'refill')
        s.wait(1, 0, 0)
      }
    expect(found(run(false))).toEqual(['P1 write s0 0 / refill'])
    expect(found(run(true))).toEqual([])
  })
  it('a read that was not sound shows nothing', () => {
    expect(
      found((s) => {
        s.w(0, 's0 0')
        s.arrive(0, 0, { release: false })
        s.wait(1, 0, 0)
        s.r(1, 's0 0')
        s.w(1, 's0 0', 'again')
      }),
    ).toEqual(['V1 write s0 0 / read s0 0', 'V1 write s0 0 / again'])
  })
})

describe('bulk groups', () => {
  const store = (s: Script, from: string, to: string, name: string): void => {
    const op = s.issue(0, 'tmaStore', name)
    s.commit(0, 'bulk')
    s.perform(op, [from], [])
    s.group(op, 'bulk', 'read')
    s.perform(op, [], [to])
    s.group(op, 'bulk', 'full')
  }
  it('a wait that leaves one group open covers the older one only', () => {
    expect(
      found((s) => {
        store(s, 's0 0', 'g 0', 'first')
        store(s, 's0 1', 'g 1', 'second')
        s.awaits(0, 'bulk', 1, true)
        s.w(0, 's0 0')
        s.w(0, 's0 1')
        s.awaits(0, 'bulk', 0, true)
      }),
    ).toEqual(['W4 second / write s0 1'])
  })
  it.each([
    [true, ['D2 store / read g 0']],
    [false, []],
  ] as const)('the read side is not the whole (read side only: %s)', (read, expected) => {
    expect(
      found((s) => {
        store(s, 's0 0', 'g 0', 'store')
        s.awaits(0, 'bulk', 0, read)
        s.r(0, 'g 0')
      }),
    ).toEqual(expected)
  })
})

describe('classification', () => {
  it('overwritten by one who did not even know of the consumer: W1, not W3', () => {
    expect(
      found((s) => {
        load(s, 0, 0, 's0 0', 'first')
        s.wait(0, 0, 0)
        s.wait(1, 0, 0)
        const op = s.issue(1, 'wgmma', 'mma')
        s.commit(1, 'wgmma')
        s.perform(op, ['s0 0'], ['r1 0'])
        s.group(op, 'wgmma', 'full')
        s.awaits(1, 'wgmma', 0)
        load(s, 0, 2, 's0 0', 'refill')
        s.wait(0, 2, 0)
      }),
    ).toEqual(['W1 mma / refill'])
  })
  it('an agent that has read the old version and reads again wants the new one: R1', () => {
    expect(
      found((s) => {
        load(s, 0, 0, 's0 0', 'first')
        s.wait(1, 0, 0)
        s.r(1, 's0 0')
        s.arrive(1, 1)
        s.wait(0, 1, 0)
        load(s, 0, 2, 's0 0', 'second')
        s.r(1, 's0 0', 'too early')
        s.wait(0, 2, 0)
      }),
    ).toEqual(['R1 second / too early'])
  })
  it('an agent that waited for the version and comes too late: W1', () => {
    expect(
      found((s) => {
        load(s, 0, 0, 's0 0', 'first')
        s.wait(0, 0, 0)
        s.wait(1, 0, 0)
        load(s, 0, 2, 's0 0', 'second')
        s.r(1, 's0 0', 'late')
        s.wait(0, 2, 0)
      }).filter((f) => f.endsWith('late')),
    ).toEqual(['W1 second / late'])
  })
  it('one cluster reads what another writes: D3', () => {
    expect(
      found((s) => {
        s.cluster(0)
        s.r(0, 'g 0')
        s.cluster(1)
        s.w(0, 'g 0')
      }),
    ).toEqual(['D3 read g 0 / write g 0'])
  })
  it('shared memory of one cluster is not that of the next', () => {
    const s = script({ agents: ['p@0', 'c@0'], barriers: [], initialised: false })
    s.w(0, 's0 0')
    s.cluster(1)
    s.r(1, 's0 0')
    expect(ids(s.judge())).toEqual(['I1'])
  })
})

describe('U1', () => {
  const pallas = (again: boolean): Script => {
    const s = script({ agents: ['p@0'], barriers: [{ name: 'b', count: 1, contract: 'pallas' }] })
    s.arrive(0, 0)
    s.inval(0, 0)
    if (again) s.w(0, 's0 192')
    return s
  }
  it('a note when only the end follows, a hazard when strict or when the bytes are used again', () => {
    const end = pallas(false).judge()
    expect(verdictOf(end)).toBe('ok')
    expect(end.notes.map((f) => f.id)).toEqual(['U1'])
    expect(ids(pallas(false).judge({ strict: true }))).toEqual(['U1'])
    expect(ids(pallas(true).judge())).toEqual(['U1'])
  })
})

describe('verdicts', () => {
  it('law 2: a race in a run whose generations are ambiguous is a candidate', () => {
    const s = script(world)
    s.arrive(0, 0)
    s.arrive(1, 0)
    s.w(0, 's0 0')
    s.r(1, 's0 0')
    const j = s.judge()
    expect([verdictOf(j), settledVerdictOf(j)]).toEqual(['hazard', 'undecided'])
  })
})
