/** The smallest counterexamples to weaker conditions, each in the run that the weaker rule calls ok. */
import { describe, expect, it } from 'vitest'
import { settledVerdictOf, standard, verdictOf } from '../../../../src/semantics/judging/detector/index.js'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import type { Script } from './script.js'
import { ids, script, slotBytes } from './script.js'
import { nightly } from '../../../extent.js'

const failing = (j: Judgement): ReadonlyArray<string> =>
  Object.entries(j.conditions)
    .filter(([, c]) => !c.holds)
    .map(([name]) => name)

const pair = (counts: ReadonlyArray<number>, agents: ReadonlyArray<string> = ['t0@0', 't1@0']): Script =>
  script({ agents, barriers: counts.map((count, i) => ({ name: `b${String(i)}`, count })) })

describe('C3: events of one generation come before those of the next', () => {
  // T0: arrive b.  T1: expectTx b; wait b 0.  In this order: ok by counted arrivals. In the other: a deadlock.
  const early = (): Script => {
    const s = pair([1])
    s.arrive(0, 0)
    s.expect(1, 0, 16)
    s.wait(1, 0, 0)
    return s
  }
  it('arrive and expectTx unordered: undecided, B3', () => {
    const j = early().judge()
    expect(failing(j)).toEqual(['C3'])
    expect(j.conditions.C3.findings.map((f) => [f.id, f.a.site, f.b?.site])).toEqual([
      ['B3', 'arrive b0', 'expect b0'],
    ])
    expect(verdictOf(j)).toBe('undecided')
  })
  it('between counted arrivals alone it is called ok', () => {
    expect(verdictOf(early().judge({ rules: { ...standard, c3CountedOnly: true } }))).toBe('ok')
  })
  it('the other timing deadlocks with 16 bytes missing', () => {
    const s = pair([1])
    s.expect(1, 0, 16)
    s.arrive(0, 0)
    s.wait(1, 0, 0, { blocked: true })
    const j = s.judge()
    expect(verdictOf(j)).toBe('deadlock')
    expect(ids(j)).toEqual(['B4'])
    expect(j.deadlock[0]?.waitsFor).toBe('b0@0 generation 0: all arrivals came, 16 bytes missing')
  })
  it('two producers, count 1: B3', () => {
    const s = pair([1])
    s.arrive(0, 0)
    s.arrive(1, 0)
    const j = s.judge()
    expect(failing(j)).toEqual(['C3'])
    expect(verdictOf(j)).toBe('undecided')
  })
  it('named barriers pair by count: a third arrival that knows nothing of the first two is B3', () => {
    const s = pair([], ['a@0', 'b@0', 'c@0'])
    s.sync([0, 1])
    s.push({ _tag: 'rendezvous', stamp: s.stamp(2, 'late'), kind: 'arrive', id: 1, count: 256, threads: 128 })
    expect(failing(s.judge())).toEqual(['C3'])
    const t = pair([], ['a@0', 'b@0', 'c@0'])
    t.sync([0, 1])
    t.sync([1, 2], 2)
    t.push({ _tag: 'rendezvous', stamp: t.stamp(2, 'late'), kind: 'arrive', id: 1, count: 256, threads: 128 })
    expect(failing(t.judge())).toEqual([])
  })
})

describe('C4: a wait can be overrun neither above nor below', () => {
  // T0: arrive b0; wait b1 1; write x; wait b0 0.   T1: arrive b1; wait b0 0; wait b0 0; write x; arrive b1
  const head = (s: Script): void => {
    s.wait(1, 0, 0)
    s.wait(1, 0, 0)
    s.w(1, 's0 0', 'write x by t1')
  }
  const tail = (s: Script): void => {
    s.arrive(1, 1)
  }
  const late = (): Script => {
    const s = pair([1, 1])
    s.arrive(0, 0)
    s.arrive(1, 1)
    head(s)
    tail(s)
    s.wait(0, 1, 1)
    s.w(0, 's0 0', 'write x by t0')
    s.wait(0, 0, 0)
    return s
  }
  it('late timing: everything is ordered, but the wait could have passed on a fresh barrier: undecided', () => {
    const j = late().judge()
    expect(ids(j)).toEqual([])
    expect(failing(j)).toEqual(['C4'])
    expect(j.conditions.C4.findings.map((f) => f.id)).toEqual(['B3'])
    expect(verdictOf(j)).toBe('undecided')
    expect(verdictOf(late().judge({ rules: { ...standard, oneSidedC4: true } }))).toBe('ok')
  })
  it('early timing: the writes race', () => {
    const s = pair([1, 1])
    s.arrive(0, 0)
    s.wait(0, 1, 1)
    s.w(0, 's0 0', 'write x by t0')
    s.arrive(1, 1)
    head(s)
    tail(s)
    s.wait(0, 0, 0)
    const j = s.judge()
    expect(ids(j)).toEqual(['D1'])
    expect(verdictOf(j)).toBe('hazard')
    expect(settledVerdictOf(j)).toBe(j.candidates ? 'undecided' : 'hazard')
  })
  it('upper: the next generation does not wait for the waiter: B1', () => {
    const s = pair([1])
    s.arrive(0, 0)
    s.wait(1, 0, 0)
    s.arrive(0, 0)
    const j = s.judge()
    expect(failing(j)).toEqual(['C4'])
    expect(j.conditions.C4.findings.map((f) => [f.id, f.a.site, f.b?.site])).toEqual([
      ['B1', 'wait b0', 'arrive b0'],
    ])
  })
  it('a release back to the producer mends it', () => {
    const s = pair([1, 1])
    s.arrive(0, 0)
    s.wait(1, 0, 0)
    s.arrive(1, 1)
    s.wait(0, 1, 0)
    s.arrive(0, 0)
    expect(verdictOf(s.judge())).toBe('ok')
  })
})

describe('C6: bytes are expected before the arrival that could complete without them', () => {
  // T0: expectTx b.  T1: arrive b; wait b 1.
  const run = (): Script => {
    const s = pair([1])
    s.expect(0, 0, 16)
    s.arrive(1, 0)
    s.wait(1, 0, 1)
    return s
  }
  it('undecided, B4, also for a generation that never completes', () => {
    const j = run().judge()
    expect(failing(j)).toEqual(['C6'])
    expect(j.conditions.C6.findings.map((f) => f.id)).toEqual(['B4'])
    expect(verdictOf(j)).toBe('undecided')
    expect(verdictOf(run().judge({ rules: { ...standard, noC6: true } }))).toBe('ok')
  })
  it('the other timing deadlocks', () => {
    const s = pair([1])
    s.arrive(1, 0)
    s.wait(1, 0, 1, { blocked: true })
    s.expect(0, 0, 16)
    expect(verdictOf(s.judge())).toBe('deadlock')
  })
})

describe('visibility is not cumulative over bulk completions (V1)', () => {
  const run = (): Script => {
    const s = pair([1, 1], ['t0@0', 't1@0', 't2@0'])
    const [b, c] = [0, 1]
    s.arrive(0, b, { bytes: slotBytes })
    const x = s.issue(0, 'tmaLoad', 'TMA x')
    s.perform(x, [], ['s0 0'])
    s.bytes(x, b, slotBytes)
    s.wait(1, b, 0)
    const z = s.issue(1, 'tmaLoad', 'TMA z')
    const y = s.issue(1, 'tmaLoad', 'TMA y')
    s.arrive(2, c, { bytes: slotBytes })
    s.perform(z, [], ['s0 1'])
    s.bytes(z, c, slotBytes)
    s.wait(2, c, 0)
    s.arrive(2, b, { bytes: slotBytes })
    s.perform(y, [], ['s0 2'])
    s.bytes(y, b, slotBytes)
    s.wait(2, b, 1)
    s.r(2, 's0 0', 'read x')
    return s
  }
  it('the read of x is V1', () => {
    const j = run().judge()
    expect(ids(j)).toEqual(['V1'])
    expect([j.findings[0]!.a.site, j.findings[0]!.b!.site]).toEqual(['TMA x', 'read x'])
    expect(j.candidates).toBe(false)
  })
  it('the highest generation alone calls it ok', () => {
    expect(verdictOf(run().judge({ rules: { ...standard, maxGenerations: true } }))).toBe('ok')
  })
})

describe('a write over a write that was read needs no visibility', () => {
  // TMA write, MMA read, commit, TMA write: the commit does not publish the first write
  const run = (): Script => {
    const s = pair([1, 1], ['p@0', 'm@0'])
    s.arrive(0, 0, { bytes: slotBytes })
    const first = s.issue(0, 'tmaLoad', 'fill')
    s.perform(first, [], ['s0 0'])
    s.bytes(first, 0, slotBytes)
    s.wait(1, 0, 0)
    const mma = s.issue(1, 'tcgen05', 'mma', 0)
    const com = s.issue(1, 'tcgen05', 'commit')
    s.perform(mma, ['s0 0'], ['t0 0'])
    s.arrives(com, 1)
    s.wait(0, 1, 0)
    s.arrive(0, 0, { bytes: slotBytes })
    const second = s.issue(0, 'tmaLoad', 'refill')
    s.perform(second, [], ['s0 0'])
    s.bytes(second, 0, slotBytes)
    s.wait(1, 0, 1)
    return s
  }
  it('clean', () => {
    expect(verdictOf(run().judge())).toBe('ok')
  })
  it('without the exception every refill is refused', () => {
    expect(ids(run().judge({ rules: { ...standard, noWriteWriteException: true } }))).toEqual(['V1'])
  })
})

describe('deadlocks', () => {
  it('names the cycle with generations and counts', () => {
    const s = pair([1, 1], ['a@0', 'b@0', 'bystander@0'])
    s.arrive(0, 0)
    s.wait(1, 0, 0)
    s.arrive(1, 1)
    s.wait(0, 1, 0)
    s.w(0, 's0 0')
    s.w(1, 's0 1')
    s.wait(2, 0, 1, { blocked: true })
    s.wait(0, 1, 1, { blocked: true })
    s.wait(1, 0, 1, { blocked: true })
    const j = s.judge()
    expect(verdictOf(j)).toBe('deadlock')
    expect(ids(j)).toEqual(['B5'])
    expect(j.deadlock.map((d) => [d.agent, d.waitsFor, d.suppliers])).toEqual([
      ['a@0', 'b1@0 generation 1: 1 of 1 arrivals missing', ['b@0']],
      ['b@0', 'b0@0 generation 1: 1 of 1 arrivals missing', ['a@0']],
      ['bystander@0', 'b0@0 generation 1: 1 of 1 arrivals missing', ['a@0']],
    ])
    expect(j.conditions.C5.holds).toBe(false)
  })
  it('a first wait that nobody primes is B6', () => {
    const s = pair([1, 1])
    s.wait(0, 0, 0, { blocked: true })
    s.wait(1, 1, 0, { blocked: true })
    expect(ids(s.judge())).toEqual(['B6'])
  })
  it.each([
    ['r0 0', 'B6'],
    ['s0 0', 'B5'],
  ])('what an agent writes to its registers first is no work: %s, then %s', (place, id) => {
    const s = pair([1, 1])
    s.w(0, place)
    s.wait(0, 0, 0, { blocked: true })
    s.wait(1, 1, 0, { blocked: true })
    expect(ids(s.judge())).toEqual([id])
  })
  it('a wait that contradicts its parity fails C2', () => {
    const s = pair([1])
    s.wait(0, 0, 0)
    expect(failing(s.judge())).toEqual(['C2'])
  })
})

describe('fork and join carry control only', () => {
  it('children know what the parent did; the parent knows what they did, but not their copies', () => {
    const s = pair([1], ['parent@0', 'child@0'])
    s.w(0, 's0 0')
    s.fork('fork', 0, [1])
    s.r(1, 's0 0')
    s.w(1, 's0 1')
    s.arrive(1, 0, { bytes: slotBytes })
    const op = s.issue(1, 'tmaLoad', 'copy')
    s.perform(op, [], ['s0 2'])
    s.bytes(op, 0, slotBytes)
    s.fork('join', 0, [1])
    s.r(0, 's0 1')
    expect(ids(s.judge())).toEqual(['U2'])
    s.r(0, 's0 2')
    s.wait(0, 0, 0)
    expect(ids(s.judge())).toEqual(['R1'])
  })
})

describe('cp.async is generic data of its issuer', () => {
  const run = (how: 'group' | 'barrier' | 'none', fence: boolean, reader: 'generic' | 'async'): Judgement => {
    const s = pair([1, 1], ['p@0', 'c@0'])
    const op = s.issue(0, 'cpAsync', 'copy')
    s.commit(0, 'cpAsync')
    s.perform(op, ['g 0'], ['s0 0'], { proxy: 'generic' })
    s.group(op, 'cpAsync', 'full')
    if (how === 'barrier') {
      const arrive = s.issue(0, 'cpAsync', 'arrive when done')
      s.arrives(arrive, 0)
    } else {
      if (how === 'group') s.awaits(0, 'cpAsync', 0)
      if (fence) s.fence(0)
      s.arrive(0, 0)
    }
    s.wait(1, 0, 0)
    if (how === 'barrier' && fence) s.fence(1)
    if (reader === 'generic') s.r(1, 's0 0')
    else {
      const mma = s.issue(1, 'wgmma', 'mma')
      s.commit(1, 'wgmma')
      s.perform(mma, ['s0 0'], ['r1 0'])
      s.group(mma, 'wgmma', 'full')
      s.awaits(1, 'wgmma', 0)
    }
    return s.judge()
  }
  it.each([
    ['group', false, 'generic', []],
    ['barrier', false, 'generic', []],
    ['group', false, 'async', ['P1']],
    ['group', true, 'async', []],
    ['barrier', false, 'async', ['P1']],
    ['barrier', true, 'async', []],
  ] as const)('waited by %s, fence %s, %s reader: %j', (how, fence, reader, found) => {
    expect(ids(run(how, fence, reader))).toEqual(found)
  })
  it('not waited for: a race, and outstanding at exit', () => {
    expect(ids(run('none', false, 'generic'))).toEqual(['R1', 'U2'])
  })
})

describe('digest', () => {
  const order = (swap: boolean): string => {
    const s = pair([2])
    if (swap) {
      s.arrive(1, 0)
      s.arrive(0, 0)
    } else {
      s.arrive(0, 0)
      s.arrive(1, 0)
    }
    s.wait(0, 0, 0)
    return s.judge().digest
  }
  it('law 1: commuting neighbours change nothing', () => {
    expect(order(true)).toBe(order(false))
  })
  it('law 2: the order of one agent, and the generation observed, count', () => {
    const s = pair([1])
    s.r(0, 's0 0')
    s.w(0, 's0 1')
    const t = pair([1])
    t.w(0, 's0 1')
    t.r(0, 's0 0')
    expect(s.judge().digest).not.toBe(t.judge().digest)
    const observing = (early: boolean): string => {
      const u = pair([1])
      if (early) u.wait(1, 0, 1)
      u.arrive(0, 0)
      u.arrive(0, 0)
      if (!early) u.wait(1, 0, 1)
      return u.judge().digest
    }
    expect(observing(true)).not.toBe(observing(false))
  })
})

describe('speed', () => {
  const rounds = nightly ? 20_000 : 5_000
  it(`a 4-stage queue of ${String(rounds)} rounds is judged in one pass, and the report stays small`, () => {
    const s = script({
      agents: ['p@0', 'c@0'],
      barriers: [0, 1, 2, 3].flatMap((i) => [
        { name: `full[${String(i)}]`, count: 1 },
        { name: `empty[${String(i)}]`, count: 1 },
      ]),
    })
    for (let k = 0; k < rounds; k++) {
      const slot = k % 4
      const phase = (Math.floor(k / 4) & 1) === 0 ? 0 : 1
      if (k >= 4) s.wait(0, 2 * slot + 1, phase === 0 ? 1 : 0)
      s.arrive(0, 2 * slot, { bytes: slotBytes })
      const op = s.issue(0, 'tmaLoad')
      s.perform(op, [`g ${String(k % 64)}`], [`s0 ${String(slot)}`])
      s.bytes(op, 2 * slot, slotBytes)
      s.wait(1, 2 * slot, phase)
      s.r(1, `s0 ${String(slot)}`)
      s.arrive(1, 2 * slot + 1)
    }
    const j = s.judge()
    expect(verdictOf(j)).toBe('ok')
  })
})

describe('M7: who issues for a pair', () => {
  const pair = (issuer: number, others: 'live' | 'ended' | 'absent'): ReadonlyArray<string> => {
    const s = script({ agents: ['even@0', 'odd@1'], barriers: [] })
    s.w(0, 's0 0')
    if (others !== 'absent') s.w(1, 's1 0')
    if (others === 'ended') s.push({ _tag: 'exit', agent: 1 })
    s.push({
      _tag: 'issue',
      stamp: s.stamp(issuer, 'mma'),
      operation: 0,
      unit: 'tcgen05',
      bytes: 0,
      macs: 0,
      accumulates: false,
      signals: 0,
      tensor: 'mma',
      ctaGroup: 2,
    })
    return s
      .judge()
      .findings.filter((f) => f.id === 'M7')
      .map((f) => f.text)
  }
  it('the even CTA, while the odd one is there', () => {
    expect(pair(0, 'live')).toEqual([])
    expect(pair(1, 'live')).toEqual([
      'odd@1 issues an mma for the pair from CTA 1: the even CTA, 0, is the one that issues',
    ])
    expect(pair(0, 'ended')).toEqual([
      'even@0 issues an mma for the pair, and CTA 1 does not take part: it is not there, or has exited',
    ])
  })
})
