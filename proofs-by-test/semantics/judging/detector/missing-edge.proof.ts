/** Missing edges: the first kind in the table that mends the log, in words that name the place. */
import { describe, expect, it, test } from 'vitest'
import { without } from '../../../../src/kernels/broken/without.js'
import { hopperMatmul } from '../../../../src/kernels/hopper/hopper-matmul.js'
import { unit } from '../../../../src/numerics/unit.js'
import { check, standardOptions } from '../../../../src/semantics/verdict/check.js'
import { defaults, detector, explain } from '../../../../src/semantics/judging/detector/index.js'
import { isAnsweredById } from '../../../../src/semantics/judging/detector/missing-edge.js'
import { other } from '../../../../src/semantics/judging/deed.js'
import type { Diagnosis, Finding, HazardId, MissingEdge } from '../../../../src/semantics/judging/finding.js'
import { ofBarrier, ofRendezvous, type Subject } from '../../../../src/semantics/judging/subject.js'
import { launch, noArguments } from '../../../../src/semantics/execution/launch.js'
import { eager, lazy, seeded } from '../../../../src/semantics/execution/policy.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import * as Run from '../../../../src/semantics/execution/run.js'
import { startOf, type Footprint } from '../../../../src/semantics/log/events.js'
import type { Script } from './script.js'
import { load, script, semaphore, slotBytes } from './script.js'
import { right } from '../../../either.js'

const world = {
  agents: ['p@0', 'c@0'],
  barriers: [
    { name: 'full', count: 1 },
    { name: 'empty', count: 1 },
    { name: 'other', count: 1 },
  ],
}
/** Kind and words alone. What edges are about is held against their words in `subject.proof.ts`. */
const said = ({ kind, text }: MissingEdge): MissingEdge => ({ kind, text })

const explained = (run: (s: Script) => void): MissingEdge => {
  const s = script(world)
  run(s)
  const j = s.judge()
  expect(j.findings.length).toBeGreaterThan(0)
  return said(explain(s.header, s.events, j.findings[0]!))
}

describe('smallest missing edge', () => {
  it('a fence', () => {
    const e = explained((s) => {
      s.w(0, 's0 0', 'epilogue')
      const op = s.issue(0, 'tmaStore', 'store')
      s.commit(0, 'bulk')
      s.perform(op, ['s0 0'], [])
      s.group(op, 'bulk', 'read')
      s.perform(op, [], ['g 0'])
      s.group(op, 'bulk', 'full')
      s.awaits(0, 'bulk', 0)
    })
    expect(e).toEqual({
      kind: 'fence',
      text: 'add a proxy fence after `epilogue` of p@0',
    })
  })
  it('a semaphore among the two: an order before it, or the release of whoever read', () => {
    const read = explained((s) => {
      semaphore(s, 0, 'signal', { place: 'g 5' })
      s.r(1, 'g 5', 'load')
    })
    expect([read.kind, read.text]).toEqual(['arrive-wait', expect.stringMatching(/`signal`.*`load`/)])
    const copied = explained((s) => {
      semaphore(s, 0, 'signal', { place: 's0 0' })
      load(s, 1, 0, 's0 0')
    })
    expect(copied.kind).not.toBe('none-found')
  })
  it('both thread-sync fences', () => {
    const e = explained((s) => {
      const st = s.issue(0, 'tcgen05St', 'st')
      s.perform(st, [], ['t0 0'])
      s.awaits(0, 'tcgen05St', 0)
      s.arrive(0, 0)
      s.wait(1, 0, 0)
      const ld = s.issue(1, 'tcgen05Ld', 'ld')
      s.perform(ld, ['t0 0'], [])
      s.awaits(1, 'tcgen05Ld', 0)
    })
    expect(e.kind).toBe('fence')
    expect(e.text).toContain('before_thread_sync')
    expect(e.text).toContain('after_thread_sync')
  })
  it('a stronger group wait before the release', () => {
    const e = explained((s) => {
      const op = s.issue(1, 'wgmma', 'mma')
      s.commit(1, 'wgmma')
      s.perform(op, ['s0 0'], ['r1 0'])
      s.group(op, 'wgmma', 'full')
      s.awaits(1, 'wgmma', 1)
      s.arrive(1, 1, { site: 'release' })
      s.wait(0, 1, 0)
      load(s, 0, 0, 's0 0', 'refill')
      s.wait(0, 0, 0)
      s.awaits(1, 'wgmma', 0)
    })
    expect(e).toEqual({
      kind: 'group-wait',
      text: 'add a wgmma group wait that covers `mma` of c@0, before `release` of c@0',
    })
  })
  it('a group wait before the accumulator is read, also when the unit is late', () => {
    const e = explained((s) => {
      const op = s.issue(0, 'wgmma', 'mma')
      s.commit(0, 'wgmma')
      s.r(0, 'r0 0', 'deref')
      s.perform(op, [], ['r0 0'])
      s.awaits(0, 'wgmma', 0)
    })
    expect(e).toEqual({
      kind: 'group-wait',
      text: 'add a wgmma group wait that covers `mma` of p@0, before `deref` of p@0',
    })
  })
  it.each([false, true])('a wait on the generation that exists anyway (copy late: %s)', (late) => {
    const e = explained((s) => {
      s.arrive(0, 0, { bytes: slotBytes })
      const op = s.issue(0, 'tmaLoad', 'load')
      if (late) s.r(1, 's0 0', 'consume')
      s.perform(op, [], ['s0 0'])
      s.bytes(op, 0, slotBytes)
      if (!late) s.r(1, 's0 0', 'consume')
      s.wait(0, 0, 0)
    })
    expect(e.kind).toBe('wait')
    expect(e.text).toBe('wait for full@0 (phase 0) before `consume` of c@0')
  })
  it('a wait for the release', () => {
    const e = explained((s) => {
      load(s, 0, 0, 's0 0')
      s.wait(0, 0, 0)
      s.wait(1, 0, 0)
      s.r(1, 's0 0', 'consume')
      s.arrive(1, 1)
      load(s, 0, 0, 's0 0', 'refill')
      s.wait(0, 0, 1)
    })
    expect(e).toEqual({
      kind: 'wait',
      text: 'wait for empty@0 (phase 0) before `refill` of p@0; nothing waits for it now',
    })
  })
  it('a moved arrive', () => {
    const e = explained((s) => {
      const op = s.issue(1, 'tcgen05', 'mma', 0)
      s.arrive(1, 1, { site: 'release' })
      s.perform(op, ['s0 0'], ['t0 0'])
      s.wait(0, 1, 0)
      load(s, 0, 0, 's0 0', 'refill')
      s.wait(0, 0, 0)
      const com = s.issue(1, 'tcgen05', 'commit')
      s.arrives(com, 2)
      s.wait(1, 2, 0, { site: 'drain' })
    })
    // a wait on the commit's own barrier would do as well and comes first
    expect(['wait', 'arrive']).toContain(e.kind)
  })
  it('released before the last read: the arrive is moved, and the read waits for no later contents', () => {
    const s = script(world)
    load(s, 0, 0, 's0 0')
    s.wait(1, 0, 0)
    s.arrive(1, 1, { site: 'early' })
    s.r(1, 's0 0', 'late read')
    s.wait(0, 1, 0)
    load(s, 0, 0, 's0 0')
    s.wait(1, 0, 1)
    s.arrive(1, 1)
    const e = explain(s.header, s.events, s.judge().findings[0]!)
    expect([e.kind, e.moves]).toEqual(['arrive', { site: 'early' }])
    expect(e.text).toMatch(/^move the arrive .* on empty@0 after `late read` of c@0$/)
  })
  it('a new pair where nothing carries the access', () => {
    const e = explained((s) => {
      s.w(0, 's0 0', 'produce')
      s.r(1, 's0 0', 'consume')
    })
    expect(e).toEqual({
      kind: 'arrive-wait',
      text: 'add an arrive when `produce` of p@0 is done, and a wait for it before `consume` of c@0',
    })
  })
  it('bytes', () => {
    const e = explained((s) => {
      s.arrive(0, 0, { bytes: 32 })
      s.wait(1, 0, 0, { blocked: true })
    })
    expect(e.kind).toBe('bytes')
  })
  it('an exit obligation: a group wait', () => {
    const e = explained((s) => {
      const op = s.issue(0, 'tmaStore', 'store')
      s.commit(0, 'bulk')
      s.perform(op, ['s0 0'], [])
      s.group(op, 'bulk', 'read')
      s.perform(op, [], ['g 0'])
      s.group(op, 'bulk', 'full')
    })
    expect(e).toEqual({
      kind: 'group-wait',
      text: 'add a bulk group wait that covers `store` of p@0 (reads), before the exit of p@0',
    })
  })
})

describe('in the words of whoever wrote the kernel', () => {
  it('bytes that nothing expects lack the arrive that expects them', () => {
    const e = explained((s) => {
      s.bytes(s.issue(0, 'tmaLoad', 'load'), 0, slotBytes)
      s.wait(1, 0, 0, { blocked: true, site: 'wait' })
    })
    expect([e?.kind, e?.text]).toEqual([
      'arrive',
      'arrive on full@0 and expect 16 bytes before the copy, so that `wait` of c@0 can pass: the bytes have arrived, and nothing expects them',
    ])
  })
  it('bytes that are too many are called so', () => {
    const s = script(world)
    s.arrive(0, 0, { bytes: slotBytes })
    const op = s.issue(0, 'tmaLoad', 'load')
    s.perform(op, [], ['s0 0'])
    s.bytes(op, 0, 2 * slotBytes)
    s.wait(1, 0, 0, { blocked: true })
    expect(s.judge().deadlock[0]?.waitsFor).toBe(
      'full@0 generation 0: all arrivals came, 16 bytes more than expected have arrived',
    )
  })
  it('one arrival too many: how many are counted, how many came, what holds it back', () => {
    const s = script(world)
    s.arrive(0, 0, { bytes: slotBytes })
    s.wait(1, 1, 0, { blocked: true })
    s.arrive(0, 0, { site: 'again' })
    s.arrive(0, 0, { site: 'and again' })
    const [first, second] = s.judge().findings
    expect([first?.id, first?.text]).toEqual([
      'B2',
      'full@0: generation 0 counts 1 arrivals and 2 come before it is complete (16 bytes are still missing)',
    ])
    expect(second?.text).toContain('counts 1 arrivals and 3 come')
    expect(explain(s.header, s.events, first!).text).toMatch(
      /^wait for full@0 \(phase 0\) before `again` of p@0, or use fewer arrivals or a larger count; nothing waits for it now$/,
    )
  })
  it('one arrival too many because the release is not waited for', () => {
    const s = script(world)
    s.arrive(0, 0, { bytes: slotBytes })
    const op = s.issue(0, 'tmaLoad', 'load')
    s.wait(1, 0, 1)
    s.arrive(1, 1, { site: 'release' })
    s.arrive(0, 0, { site: 'again' })
    s.perform(op, [], ['s0 0'])
    s.bytes(op, 0, slotBytes)
    const found = s.judge().findings.find((f) => f.id === 'B2')!
    expect(explain(s.header, s.events, found).text).toBe(
      'wait for empty@0 (phase 0) before `again` of p@0; nothing waits for it now',
    )
  })
  it('a barrier used by an agent that does not know its initialisation: a block barrier', () => {
    const s = script({ ...world, bare: true })
    world.barriers.forEach((b, i) => {
      s.init(0, i, b.count)
    })
    s.arrive(0, 0)
    s.arrive(1, 1, { site: 'use' })
    const found = s.judge().findings.find((f) => f.id === 'B7')!
    expect(said(explain(s.header, s.events, found))).toEqual({
      kind: 'arrive-wait',
      text: 'add a block barrier (bar.sync, or an arrive and a wait) between `init` of p@0 and `use` of c@0',
    })
  })
  it('initialised twice: no edge mends that', () => {
    const s = script(world)
    s.init(0, 0, 1)
    const found = s.judge().findings.find((f) => f.id === 'B7')!
    expect(explain(s.header, s.events, found).kind).toBe('none-found')
  })
  it('a read before the load: both sides, and the wait, not a read of nothing', () => {
    const s = script({ ...world, initialised: false })
    s.arrive(0, 0, { bytes: slotBytes })
    const op = s.issue(0, 'tmaLoad', 'load')
    s.r(1, 's0 0', 'consume')
    s.r(1, 's0 0', 'consume later')
    s.perform(op, [], ['s0 0'])
    s.bytes(op, 0, slotBytes)
    s.wait(0, 0, 0)
    const j = s.judge()
    expect(j.findings.map((f) => [f.id, f.a.site, f.b?.site])).toEqual([
      ['R1', 'consume', 'load'],
      ['R1', 'consume later', 'load'],
    ])
    expect(explain(s.header, s.events, j.findings[0]!).text).toBe(
      'wait for full@0 (phase 0) before `consume` of c@0',
    )
  })
  it('a read of nothing stays one: nobody writes, or only after it', () => {
    const s = script({ ...world, initialised: false })
    s.r(1, 's0 0', 'consume')
    s.r(1, 's0 1', 'consume 1')
    s.arrive(1, 1)
    s.wait(0, 1, 0)
    s.w(0, 's0 1')
    expect(s.judge().findings.map((f) => [f.id, f.a.site, f.b])).toEqual([
      ['I1', 'consume', undefined],
      ['I1', 'consume 1', undefined],
    ])
  })
})

/** Two rings of two barriers, one that is no ring, and one that nobody uses unless a row says so. */
const rings = (...more: ReadonlyArray<string>): Script =>
  script({
    agents: ['p@0', 'c@0', 'd@0'],
    barriers: ['full[0]', 'full[1]', 'empty[0]', 'empty[1]', ...more].map((name) => ({ name, count: 1 })),
  })
const [full0, full1, empty0, empty1] = [0, 1, 2, 3] as const
/** The answer for the finding between these two statements. */
const between = (s: Script, a: string, b: string): MissingEdge & { readonly id: HazardId } => {
  const found = s.judge().findings.find((f) => f.a.site === a && f.b?.site === b)
  if (found === undefined) throw new Error(`nothing between ${a} and ${b}`)
  return { id: found.id, ...said(explain(s.header, s.events, found)) }
}

describe('two blocks and a word of memory that orders them, or does not', () => {
  type Step = readonly [agent: 0 | 1, rw: 'r' | 'w', place: string, how: 'atomic' | 'plain', site: string]
  const write: Step = [0, 'w', 'g 0', 'plain', 'data']
  const read: Step = [1, 'r', 'g 0', 'plain', 'load']
  const announce: Step = [0, 'w', 'g 1', 'atomic', 'count']
  const look: Step = [1, 'r', 'g 1', 'atomic', 'look']
  const flag: Step = [0, 'w', 'g 1', 'plain', 'flag']
  const claim: Step = [1, 'w', 'g 1', 'atomic', 'claim']
  /** A place as one word of 32 bits. */
  const wordAt = (f: Footprint): Footprint => ({
    id: f.id,
    plane: f.plane,
    spans: f.spans,
    dtype: 'i32',
    map: { _tag: 'scatter', shape: [1], offsets: Int32Array.of(startOf(f.spans)), by: 0 },
  })
  /** What is said of the race between these two places of these steps in this order. */
  const saidOf = (steps: ReadonlyArray<Step>, first: string, second: string): MissingEdge => {
    const s = script({ agents: ['a@0', 'b@1'], barriers: [] })
    for (const [agent, rw, place, how, site] of steps)
      s.push({
        _tag: 'access',
        stamp: s.stamp(agent, site),
        rw,
        proxy: 'generic',
        footprint: wordAt(s.footprint(place)),
        role: rw === 'r' ? 'source' : 'destination',
        atomic: how === 'atomic',
      })
    const found = s.judge().findings.find((f) => f.a.site === first && f.b?.site === second)
    if (found === undefined) throw new Error(`nothing between ${first} and ${second}`)
    return explain(s.header, s.events, Object.assign({}, found, { id: 'D3' as const }))
  }
  test.each([
    [
      'heard',
      [write, announce, look, read],
      'add a fence of memory at the scope of the GPU after `data` of a@0',
    ],
    // an order of the two atomic operations changes nothing: the one looks before the other has announced
    [
      'late',
      [write, look, announce, read],
      'let `load` of b@1 wait until the other block has announced `data` of a@0',
    ],
    ['late, then heard', [write, look, announce, look, read], 'add a fence of memory'],
    ['announced before the write', [announce, write, look, read], 'move `count` after `data` of a@0'],
    ['announced before the write, and looked at before', [look, announce, write, read], 'give `data` of a@0'],
    ['never announced', [write, look, read], 'different bytes'],
    ['another word', [write, [0, 'w', 'g 2', 'atomic', 'count'], look, read], 'different bytes'],
    [
      'by a store',
      [write, flag, look, read],
      'make `flag` an atomic operation that releases: it announces `data` of a@0',
    ],
    ['by a store that nobody reads in time', [write, look, flag, read], 'different bytes'],
  ] as ReadonlyArray<readonly [string, ReadonlyArray<Step>, string]>)('%s', (_, steps, says) => {
    const { text, fence } = saidOf(steps, 'data', 'load')
    expect(text).toContain(says)
    expect(fence).toBe(says.startsWith('add a fence') ? 'threads' : undefined)
  })
  test.each([
    [
      'the first',
      [announce, [1, 'w', 'g 1', 'plain', 'reset']],
      'count',
      'reset',
      'make `reset` of b@1 an atomic operation, as `count` of a@0 is',
    ],
    [
      'the second',
      [flag, claim],
      'flag',
      'claim',
      'make `flag` of a@0 an atomic operation, as `claim` of b@1 is',
    ],
    ['neither', [flag, [1, 'w', 'g 1', 'plain', 'reset']], 'flag', 'reset', 'different bytes'],
    // it is its own announcement
    [
      'the first, and the second has read it',
      [announce, look, [1, 'w', 'g 1', 'plain', 'reset']],
      'count',
      'reset',
      'add a fence of memory',
    ],
  ] as ReadonlyArray<readonly [string, ReadonlyArray<Step>, string, string, string]>)(
    'the word itself, atomic in %s',
    (_, steps, first, second, says) => {
      expect(saidOf(steps, first, second).text).toContain(says)
    },
  )
})

/** What lane 0 alone tells of a warp of 32. The log with the `__syncwarp()` in it is the oracle: it has no finding. */
describe('lanes that have not met the one that arrives', () => {
  const of = (s: Script, agent: number, site: string, lanes: number) =>
    Object.assign({}, s.stamp(agent, site), { lanes })
  const wait = (s: Script, agent: number, barrier: number, parity: 0 | 1, lanes: number): void => {
    s.push({
      _tag: 'wait',
      stamp: of(s, agent, `wait ${String(barrier)}`, lanes),
      barrier,
      parity,
      acquire: true,
      scope: 'cta',
      tensor: false,
      outcome: 'passed',
    })
  }
  const arrive = (s: Script, agent: number, barrier: number): void => {
    s.arrive(agent, barrier, { site: `arrive ${String(barrier)}` })
    const e = s.events.at(-1)!
    if (!('stamp' in e)) throw new Error('an arrive has a stamp')
    Object.assign(e.stamp, { lanes: 1 })
  }
  const ring = (heard: boolean, meets: boolean): Script => {
    const s = script(world)
    arrive(s, 0, 0)
    wait(s, 1, 0, 0, -1)
    if (meets) s.push({ _tag: 'warpSync', stamp: of(s, 1, 'meet', -1) })
    if (heard) {
      arrive(s, 1, 1)
      wait(s, 0, 1, 0, 1)
    }
    arrive(s, 0, 0)
    wait(s, 1, 0, 1, -1)
    return s
  }
  const overrun = (s: Script): ReadonlyArray<Diagnosis> =>
    s.judge().conditions.C4.findings.filter(({ id }) => id === 'B1')
  const answer = (s: Script): MissingEdge => said(explain(s.header, s.events, overrun(s)[0]!))
  test('an overrun: they must meet before the arrive', () => {
    expect(answer(ring(true, false))).toEqual({
      kind: 'warp-sync',
      text: 'add a `__syncwarp()` (bar.warp.sync) before `arrive 1`',
    })
    expect(overrun(ring(true, true))).toEqual([])
  })
  test('an overrun that no meeting ends: a handshake', () => {
    expect(answer(ring(false, false)).kind).toBe('arrive-wait')
    expect(answer(ring(false, true)).kind).toBe('arrive-wait')
  })
})

describe('by id', () => {
  const answers: ReadonlyArray<readonly [HazardId, MissingEdge['kind'], says: string]> = [
    ['M7', 'none-found', 'issue it once'],
    ['T4', 'none-found', 'allocate and free the same columns'],
    ['T5', 'none-found', 'allocate and free the same columns'],
    ['K1', 'arrive-wait', 'cluster barrier'],
    ['K2', 'arrive', 'every CTA'],
    ['N1', 'arrive-wait', 'is done'],
    ['B1', 'arrive-wait', 'add an arrive of p@0'],
    ['B3', 'arrive-wait', 'order `site 0` of p@0 and'],
    ['B4', 'bytes', 'bytes'],
    ['B5', 'arrive', 'signal full@0, so that `site 0` of p@0 can pass'],
    ['B8', 'wait', 'wait for every generation of full@0'],
    ['U1', 'wait', 'wait for the last completion of full@0'],
    ['I1', 'none-found', 'nothing in this run does'],
    ['M6', 'none-found', 'nothing in this run does'],
    ['O1', 'none-found', 'before the kernel ends'],
    ['D3', 'none-found', 'nothing orders the blocks of a grid'],
    ['T1', 'none-found', 'dealloc'],
  ]
  const s = script(world)
  const side = (index: number): Finding['a'] => ({
    index,
    agent: world.agents[index]!,
    site: `site ${String(index)}`,
    path: [],
    iteration: [],
    at: 1,
    does: 'writes',
  })
  const about = [ofBarrier(0)]
  const finding = (id: HazardId): Diagnosis => ({
    id,
    severity: 'E',
    text: 'what is wrong',
    about,
    deeds: { a: other, b: other },
    a: side(0),
  })
  /** An answer in the words of the finding is about what the finding is about. */
  const subjects = (id: HazardId): ReadonlyArray<Subject> =>
    (['B5', 'B6', 'B8', 'U1'] as const).some((x) => x === id)
      ? about
      : id === 'K1'
        ? [ofRendezvous('cluster')]
        : []
  const both = (id: HazardId): Diagnosis => ({ ...finding(id), b: side(1) })
  test.each(answers)('%s: %s, whatever the log', (id, kind, says) => {
    expect([isAnsweredById(finding(id)), isAnsweredById(both(id))]).toEqual([true, true])
    const text: unknown = expect.stringContaining(says)
    expect(explain(s.header, s.events, finding(id))).toEqual({ kind, text, about: subjects(id) })
    expect(explain(s.header, [], both(id))).toEqual({ kind, text, about: subjects(id) })
  })
  test('a read of an output is answered with its other role, too; of what is no output it is not', () => {
    const { header } = script({ ...world, output: true })
    const of = (space: string): string => {
      const plane = header.planes.findIndex((p) => p.space === space)
      return explain(header, [], { ...finding('I1'), about: [{ _tag: 'plane', plane }] }).text
    }
    expect(of('gmem')).toMatch(
      /; if the caller fills them before the launch, give the tensor the role inout$/,
    )
    expect(of('smem')).toMatch(/nothing in this run does$/)
  })
  test('a first wait that nobody supplies is answered by its id, two accesses around a wrong phase are not', () => {
    expect([isAnsweredById(finding('B6')), isAnsweredById(both('B6'))]).toEqual([true, false])
    expect(explain(s.header, [], finding('B6')).kind).toBe('arrive')
  })
  test.each(['B2', 'B7', 'D1', 'M5', 'P1', 'R1', 'W1', 'U2', 'V1'] as const)(
    '%s is looked for in the log',
    (id) => {
      expect([isAnsweredById(finding(id)), isAnsweredById(both(id))]).toEqual([false, false])
    },
  )
  test('both sides are named, or what comes instead of the second', () => {
    const texts = (id: HazardId): ReadonlyArray<string> =>
      [finding(id), both(id)].map((f) => explain(s.header, [], f).text)
    const [one, other] = ['`site 0` of p@0', '`site 1` of c@0']
    expect(texts('B1')).toEqual([
      `add an arrive of p@0 after ${one}, and a wait for it before the generation after the next`,
      `add an arrive of p@0 after ${one}, and a wait for it before ${other}`,
    ])
    expect(texts('B3').map((text) => text.split(':')[0])).toEqual([
      `order ${one} and the next arrival`,
      `order ${one} and ${other}`,
    ])
    expect(texts('N1')).toEqual([
      `if the order matters, add an arrive when ${one} is done, and a wait for it before the other`,
      `if the order matters, add an arrive when ${one} is done, and a wait for it before ${other}`,
    ])
  })
})

describe('what nothing mends', () => {
  it('a broken contract that is only noted', () => {
    const s = script({
      agents: ['p@0', 'c@0'],
      barriers: [{ name: 'b', count: 1, contract: 'pallas', tensor: false }],
    })
    const commit = s.issue(0, 'tcgen05', 'commit')
    s.arrives(commit, 0)
    s.arrive(0, 0)
    s.wait(0, 0, 0)
    const noted = s.judge().notes.find((f) => f.id === 'M5')!
    expect(said(explain(s.header, s.events, noted))).toEqual({
      kind: 'none-found',
      text: 'no single fence, wait or arrive fixes this',
    })
  })
  it('a hypothesis that turns a race into another hazard of the two does not mend it', () => {
    const s = script(world)
    s.arrive(1, 0, { bytes: slotBytes })
    s.w(0, 's0 5', 'flag')
    const op = s.issue(0, 'tmaLoad', 'load')
    s.perform(op, [], ['s0 0'])
    s.bytes(op, 0, slotBytes)
    s.r(1, 's0 5', 'look')
    s.wait(1, 0, 0)
    // a wait for the copy orders the two, and publishes nothing of the flag
    expect(between(s, 'flag', 'look')).toEqual({
      id: 'D1',
      kind: 'arrive-wait',
      text: 'add an arrive when `flag` of p@0 is done, and a wait for it before `look` of c@0',
    })
  })
})

describe('what is mended is the finding that was asked about', () => {
  const pair = (a: string, b: string): MissingEdge => ({
    kind: 'arrive-wait',
    text: `add an arrive when ${a} is done, and a wait for it before ${b}`,
  })
  it('two agents read what one has written, at the same point of their programs: each by itself', () => {
    const s = rings()
    s.w(0, 's0 0', 'produce')
    s.r(1, 's0 0', 'consume')
    s.r(2, 's0 0', 'consume too')
    expect(new Set(s.events.slice(-2).map((e) => ('stamp' in e ? e.stamp.at : 0))).size).toBe(1)
    expect(between(s, 'produce', 'consume')).toMatchObject(pair('`produce` of p@0', '`consume` of c@0'))
    expect(between(s, 'produce', 'consume too')).toMatchObject(
      pair('`produce` of p@0', '`consume too` of d@0'),
    )
  })
  it('one agent reads what two have written', () => {
    const s = rings()
    s.w(0, 's0 0', 'produce')
    s.w(2, 's0 1', 'produce too')
    s.r(1, 's0 0-2', 'consume')
    expect(between(s, 'produce', 'consume')).toMatchObject(pair('`produce` of p@0', '`consume` of c@0'))
    expect(between(s, 'produce too', 'consume')).toMatchObject(
      pair('`produce too` of d@0', '`consume` of c@0'),
    )
  })
  it('one agent overwrites early what it reads late: two findings of one pair of agents', () => {
    const s = rings()
    s.w(0, 's0 0', 'produce')
    s.w(0, 's0 1', 'produce next')
    s.r(1, 's0 0', 'consume')
    s.r(1, 's0 1', 'consume next')
    expect(between(s, 'produce', 'consume')).toMatchObject(pair('`produce` of p@0', '`consume` of c@0'))
    expect(between(s, 'produce next', 'consume next')).toMatchObject(
      pair('`produce next` of p@0', '`consume next` of c@0'),
    )
  })
  it('a race of two agents is not asked for a release, although one comes', () => {
    const s = rings()
    s.w(0, 's0 0', 'produce')
    s.r(1, 's0 0', 'consume')
    s.arrive(1, empty0)
    expect(between(s, 'produce', 'consume')).toEqual({
      id: 'D1',
      kind: 'wait',
      text: 'wait for empty[0]@0 (phase 0) before `produce` of p@0',
    })
  })
  it('what an agent overwrites before its own store has read it: the wait goes in front of the write', () => {
    const s = rings()
    const op = s.issue(0, 'tmaStore', 'store')
    s.commit(0, 'bulk')
    s.w(0, 's0 0', 'overwrite')
    s.perform(op, ['s0 0'], [])
    s.group(op, 'bulk', 'read')
    s.perform(op, [], ['g 0'])
    s.group(op, 'bulk', 'full')
    s.awaits(0, 'bulk', 0)
    expect(between(s, 'overwrite', 'store')).toMatchObject({
      kind: 'group-wait',
      text: 'add a bulk group wait that covers `store` of p@0 (reads), before `overwrite` of p@0',
    })
  })
  it('a release that comes before the product is done is not enough, though nobody waits for it', () => {
    const s = rings()
    load(s, 0, full0, 's0 0', 'fill')
    s.wait(1, full0, 0)
    const op = s.issue(1, 'wgmma', 'mma')
    s.commit(1, 'wgmma')
    s.arrive(1, empty0, { site: 'release' })
    s.perform(op, ['s0 0'], ['r1 0'])
    load(s, 0, full0, 's0 0', 'refill')
    const { id, text } = between(s, 'mma', 'refill')
    expect(id[0]).toBe('W')
    expect(text).not.toContain('empty[0]')
  })
})

describe('B1, B3: what holds the next generation back', () => {
  /** p completes full[0] twice; c waits for the first and releases it, and q waits for p's releases if `heard`. */
  const ring = (
    o: { readonly released?: boolean; readonly heard?: boolean },
    ...more: ReadonlyArray<string>
  ): Script => {
    const s = rings(...more)
    s.arrive(0, full0, { site: 'first' })
    s.wait(1, full0, 0, { site: 'look' })
    if (o.released !== false) s.arrive(1, empty0, { site: 'release' })
    if (o.heard === true) s.wait(2, empty0, 0)
    s.arrive(0, full0, { site: 'second' })
    return s
  }
  const asked = (s: Script, id: 'B1' | 'B3'): string => {
    const { conditions } = s.judge()
    const found = [...conditions.C3.findings, ...conditions.C4.findings].find((f) => f.id === id)
    if (found === undefined) throw new Error(`no ${id}`)
    return explain(s.header, s.events, found).text
  }
  const handshake = 'add an arrive of c@0 after `look` of c@0, and a wait for it before `second` of p@0'
  const waitFor = (barrier: string): string =>
    `wait for ${barrier}@0 before \`second\` of p@0; nothing waits for it now`
  it.each([
    ['the release that nobody waits for', {}, [], waitFor('empty[0]')],
    [
      'no release: the barrier of a ring that nothing waits for',
      { released: false },
      [],
      waitFor('empty[0]'),
    ],
    ['a release that is waited for: a handshake', { heard: true }, [], handshake],
    ['nor one of another ring’s slot', { heard: true }, ['spare[1]'], handshake],
  ] as const)('B1: %s', (_, o, more, expected) => {
    expect(asked(ring(o, ...more), 'B1')).toBe(expected)
  })
  it('B1: another waiter’s release does not say that this one has looked', () => {
    const s = rings('spare')
    s.arrive(0, full0, { site: 'first' })
    s.wait(2, full0, 0, { site: 'other' })
    s.arrive(2, 4, { site: 'release' })
    s.wait(1, empty1, 1)
    s.wait(1, full0, 0, { site: 'look' })
    s.wait(0, 4, 0)
    s.arrive(0, full0, { site: 'second' })
    expect(asked(s, 'B1')).toBe(handshake)
  })
  it('B3: the release by who waits for the earlier generation', () => {
    const s = rings()
    s.arrive(2, full0, { site: 'first' })
    s.wait(1, full0, 0, { site: 'look' })
    s.arrive(1, empty0, { site: 'release' })
    s.arrive(0, full0, { site: 'second' })
    expect(asked(s, 'B3')).toBe(waitFor('empty[0]'))
  })
  it('without a log the id answers', () => {
    const s = ring({})
    const { conditions } = s.judge()
    const found = conditions.C4.findings.find((f) => f.id === 'B1')!
    expect(explain(s.header, [], found).text).toBe(handshake)
  })
})

describe('W: what the writer should have waited for', () => {
  it('the release behind the read, of the generation that comes with it', () => {
    const s = rings()
    for (const parity of [0, 1] as const) {
      load(s, 0, full0, 's0 0', parity === 0 ? 'fill' : 'refill')
      s.wait(1, full0, parity)
      s.r(1, 's0 0', `read ${String(parity)}`)
      s.arrive(1, empty0)
    }
    load(s, 0, full0, 's0 0', 'last')
    const text = (generation: number, before: string): string =>
      `wait for empty[0]@0 (phase ${String(generation % 2)}) before \`${before}\` of p@0; nothing waits for it now`
    expect(between(s, 'read 0', 'refill')).toMatchObject({ kind: 'wait', text: text(0, 'refill') })
    expect(between(s, 'read 1', 'last')).toMatchObject({ kind: 'wait', text: text(1, 'last') })
  })
  it('also where its generation is not complete in this run, or comes only with what is written', () => {
    const s = script({
      agents: ['p@0', 'c@0'],
      barriers: [
        { name: 'full', count: 1 },
        { name: 'empty', count: 2 },
      ],
    })
    load(s, 0, 0, 's0 0', 'fill')
    s.wait(1, 0, 0)
    s.r(1, 's0 0', 'read')
    s.arrive(1, 1)
    load(s, 0, 0, 's0 0', 'refill')
    const text = 'wait for empty@0 (phase 0) before `refill` of p@0; nothing waits for it now'
    expect(between(s, 'read', 'refill')).toMatchObject({ kind: 'wait', text })
    // the second arrival is the writer's own, behind the write
    s.arrive(0, 1)
    expect(between(s, 'read', 'refill')).toMatchObject({ kind: 'wait', text })
  })

  /** p fills slot 0 twice and has waited for something in between; nobody has read. */
  const twice = (
    o: { readonly primed?: boolean; readonly spent?: boolean; readonly waited?: number },
    ...more: ReadonlyArray<string>
  ): MissingEdge => {
    const s = rings(...more)
    if (o.primed === true) s.arrive(1, empty0, { site: 'release' })
    load(s, 0, full0, 's0 0', 'fill')
    const waited = o.waited ?? empty0
    if (waited >= 0) s.wait(0, waited, o.primed === true ? 0 : 1, { site: 'look' })
    if (o.spent === true) load(s, 0, full1, 's0 1', 'fill 1')
    load(s, 0, full0, 's0 0', 'refill')
    s.wait(2, full0, 0)
    s.wait(2, full1, 0)
    s.wait(2, empty1, 1)
    s.wait(2, empty0, 1)
    const { kind, text } = between(s, 'fill', 'refill')
    return { kind, text }
  }
  const tooEarly = {
    kind: 'arrive',
    text: 'move the arrive `release` on empty[0]@0 after the statement that reads the bytes of `fill` of p@0',
  }
  const fresh = {
    kind: 'wait',
    text: 'wait for empty[0]@0 (phase 0) before `refill` of p@0: `look` passes one phase too early',
  }
  const silent = {
    kind: 'wait',
    text: 'wait for spare[0]@0 before `refill` of p@0; nothing waits for it now',
  }
  it.each([
    ['an arrive that came before anybody had read', { primed: true }, [], tooEarly],
    ['no arrive at all: the wait is one phase early', {}, [], fresh],
    ['a barrier that nobody waits for does not change that', { primed: true }, ['spare[0]'], tooEarly],
    ['unless what was waited for was for another copy', { primed: true, spent: true }, ['spare[0]'], silent],
    ['the same without an arrive', { spent: true }, ['spare[0]'], silent],
    ['one of another index is none of its own', { primed: true, spent: true }, ['spare[1]'], tooEarly],
    ['and without such a barrier it was for this one', { primed: true, spent: true }, [], tooEarly],
    ['no wait in between: the barrier that nobody waits for', { waited: -1 }, ['spare[0]'], silent],
    ['a wait for another ring’s slot: the same', { waited: empty1 }, ['spare[0]'], silent],
  ] as const)('two writes, %s', (_, o, more, expected) => {
    expect(twice(o, ...more)).toEqual(expected)
  })
  it('two writes of two agents: what the first has waited for is not the second’s', () => {
    const s = rings('spare[0]')
    s.arrive(1, empty0, { site: 'release' })
    load(s, 0, full0, 's0 0', 'fill')
    s.wait(2, empty0, 0)
    load(s, 2, full0, 's0 0', 'refill')
    for (const b of [full0, full1, empty0, empty1]) s.wait(1, b, b === empty1 ? 1 : 0)
    expect(between(s, 'fill', 'refill')).toMatchObject({
      kind: 'wait',
      text: 'wait for spare[0]@0 before `refill` of d@0; nothing waits for it now',
    })
  })

  /** Slot 1 is released before slot 0 is read; p looks at the wrong one of the two. */
  const mistaken = (late: boolean, between: (s: Script) => void = () => undefined): Script => {
    const s = rings('spare')
    load(s, 0, full0, 's0 0', 'fill 0')
    load(s, 0, full1, 's0 1', 'fill 1')
    s.wait(1, full1, 0)
    s.r(1, 's0 1', 'read 1')
    s.arrive(1, empty1)
    s.wait(1, full0, 0)
    if (!late) s.r(1, 's0 0', 'read 0')
    s.wait(0, empty1, 0, { site: 'look' })
    s.arrive(0, full0, { bytes: slotBytes, site: 'expect' })
    const op = s.issue(0, 'tmaLoad', 'refill')
    if (late) s.r(1, 's0 0', 'read 0')
    s.perform(op, ['g 0'], ['s0 0'])
    between(s)
    s.arrive(1, empty0)
    s.bytes(op, full0, slotBytes)
    s.wait(0, empty0, 0, { site: 'too late' })
    return s
  }
  it.each([false, true])('the other index of the ring (read when the refill is on its way: %s)', (late) => {
    expect(between(mistaken(late), 'read 0', 'refill')).toMatchObject({
      kind: 'wait',
      text: 'wait for empty[0]@0 (phase 0) before `refill` of p@0, instead of what `look` waits for',
    })
  })
  it('of that barrier, also where another one knows of the read before', () => {
    const s = mistaken(false, (x) => {
      x.arrive(1, 4)
      x.wait(2, 4, 0)
    })
    expect(between(s, 'read 0', 'refill').text).toContain('wait for empty[0]@0 (phase 0)')
  })
})

describe('B2: what should have held the arrival back', () => {
  const over = (s: Script): MissingEdge => {
    const found = s.judge().findings.find((f) => f.id === 'B2')!
    return said(explain(s.header, s.events, found))
  }
  it('a commit is an arrival, of the generation in which it comes', () => {
    const s = script(world)
    s.arrive(0, 0)
    s.wait(1, 0, 0)
    s.arrive(0, 0, { bytes: slotBytes })
    s.arrive(0, 1)
    s.arrives(s.issue(0, 'tcgen05', 'another commit'), 2)
    const commit = s.issue(0, 'tcgen05', 'commit')
    s.arrives(commit, 0)
    expect(over(s)).toEqual({
      kind: 'wait',
      text: 'wait for full@0 (phase 1) before `commit` of p@0, or use fewer arrivals or a larger count',
    })
  })
  it('an arrival on a barrier that is waited for, by agents who release nothing', () => {
    const s = script(world)
    s.wait(1, 0, 1)
    s.arrive(1, 1)
    s.wait(0, 1, 0)
    s.arrive(0, 0, { bytes: slotBytes })
    s.arrive(0, 0, { site: 'again' })
    expect(over(s)).toEqual({
      kind: 'wait',
      text: 'wait for full@0 (phase 0) before `again` of p@0, or use fewer arrivals or a larger count',
    })
  })
  it('threads that are too many for a named barrier wait for none', () => {
    const s = script(world)
    for (const x of [0, 1])
      s.push({
        _tag: 'rendezvous',
        stamp: s.stamp(x, 'meet'),
        kind: 'arrive',
        id: 1,
        count: 192,
        threads: 128,
      })
    expect(over(s)).toEqual({
      kind: 'none-found',
      text: 'remove one arrival, or increase the count of the barrier',
    })
  })
})

describe('an exit', () => {
  const exit = (write: (s: Script) => void): MissingEdge => {
    const s = script(world)
    write(s)
    const found = s.judge().findings.find((f) => f.id === 'U2')!
    return said(explain(s.header, s.events, found))
  }
  it('a copy: a wait for its generation, by whoever is first', () => {
    expect(exit((s) => load(s, 0, 0, 's0 0', 'load'))).toEqual({
      kind: 'wait',
      text: 'wait for full@0 (phase 0) before the exit of p@0',
    })
  })
  it('a product: a group wait before the exit', () => {
    expect(
      exit((s) => {
        const op = s.issue(1, 'wgmma', 'mma')
        s.commit(1, 'wgmma')
        s.perform(op, ['s0 0'], ['r1 0'])
      }),
    ).toEqual({
      kind: 'group-wait',
      text: 'add a wgmma group wait that covers `mma` of c@0, before the exit of c@0',
    })
  })
  it('a product of the tensor core that nothing announces', () => {
    expect(
      exit((s) => {
        const op = s.issue(0, 'tcgen05', 'mma', 0)
        s.perform(op, ['s0 0'], ['t0 0'])
      }),
    ).toEqual({
      kind: 'arrive-wait',
      text: 'add an arrive when `mma` of p@0 is done, and a wait for it before the exit of p@0',
    })
  })
  it('one that an arrive behind it could announce', () => {
    expect(
      exit((s) => {
        const op = s.issue(0, 'tcgen05', 'mma', 0)
        s.perform(op, ['s0 0'], ['t0 0'])
        s.arrive(0, 0, { site: 'done' })
        s.wait(1, 0, 0)
      }),
    ).toEqual({
      kind: 'arrive',
      text: 'make the arrive `done` of p@0 on full@0 a tcgen05.commit, which arrives when `mma` of p@0 is done',
    })
  })
})

describe('hopper-matmul without one of its statements', () => {
  const settings = { dtype: 'f16', m: 64, n: 16, k: 112, tileM: 64, tileN: 16, tileK: 16, stages: 3 } as const
  const policies = { eager, lazy, 'seed 1': seeded(1), 'seed 2': seeded(2), 'seed 3': seeded(3) }
  const cases: ReadonlyArray<readonly [label: string, named: RegExp]> = [
    ['wait loaded', /wait: wait for loaded\[0\]@0 \(phase 0\) before `wgmma`/],
    [
      'wait consumed',
      /wait: wait for consumed\[0\]@0 .*before `copy a` of memory@0; nothing waits for it now/,
    ],
    ['commit_smem', /fence: add a proxy fence after `out_smem\[...\] = acc`/],
    ['wait out', /group-wait: add a bulk group wait that covers `copy out`/],
    ['arrive consumed', /arrive: let another agent arrive on consumed\[0\]@0: none does so in this run/],
    ['wgmma_wait 1', /group-wait: add a wgmma group wait that covers `wgmma` .* before `arrive consumed`/],
  ]
  const dropped = (label: string): Program => right(without(label)(right(hopperMatmul(settings))))
  it.each(cases)('%s: the first finding names it, under five policies', (label, named) => {
    const p = dropped(label)
    for (const [name, policy] of Object.entries(policies)) {
      const { verdict } = right(
        check(p, {
          ...standardOptions,
          policy,
          strict: true,
          provenance: false,
          fuel: 1_000_000,
        }),
      )
      const missing = verdict.findings[0]?.missing
      expect([name, `${missing?.kind ?? ''}: ${missing?.text ?? ''}`]).toEqual([
        name,
        expect.stringMatching(named),
      ])
    }
  })
  it('wait consumed: whatever else comes of it is answered by the same barrier', () => {
    const { verdict } = right(
      check(dropped('wait consumed'), { ...standardOptions, policy: eager, provenance: false }),
    )
    const others = verdict.findings.filter((f) => ['B1', 'B2', 'B3'].includes(f.id))
    expect(new Set(others.map((f) => f.id)).size).toBeGreaterThan(1)
    for (const f of others)
      expect([f.text, f.missing?.text]).toEqual([f.text, expect.stringContaining('wait for consumed[')])
  })
  it('wait consumed: the read by the wgmma and the copy over it', () => {
    const { world, machine } = right(launch(dropped('wait consumed'), unit, noArguments))
    const { result } = Run.run(
      world,
      machine,
      Run.settings(seeded(2)),
      Run.both(detector(defaults), Run.collect),
    )
    const pair = result[0].findings.find((f) => f.id === 'W1' && f.a.does === 'wgmma reads')!
    expect(explain(world.header, result[1], pair).text).toMatch(
      /consumed\[.\]@0 .*; nothing waits for it now/,
    )
  })
})
