/** Missing edges: the first kind in the table that mends the log, in words that name the place. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { without } from '../../../src/kernels/broken/without.js'
import { hopperMatmul } from '../../../src/kernels/hopper/hopper-matmul.js'
import { unit } from '../../../src/numerics/unit.js'
import { check } from '../../../src/semantics/check.js'
import { defaults, detector, explain } from '../../../src/semantics/detector/index.js'
import type { MissingEdge } from '../../../src/semantics/finding.js'
import { launch, noArguments } from '../../../src/semantics/launch.js'
import { eager, lazy, seeded } from '../../../src/semantics/policy.js'
import type { Program } from '../../../src/semantics/program.js'
import * as Run from '../../../src/semantics/run.js'
import type { Script } from './script.js'
import { load, script, slotBytes } from './script.js'

const right = <A>(e: E.Either<{ readonly message: string }, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.message)
  return e.right
}

const world = {
  agents: ['p@0', 'c@0'],
  barriers: [
    { name: 'full', count: 1 },
    { name: 'empty', count: 1 },
    { name: 'other', count: 1 },
  ],
}
const explained = (run: (s: Script) => void): MissingEdge => {
  const s = script(world)
  run(s)
  const j = s.judge()
  expect(j.findings.length).toBeGreaterThan(0)
  return explain(s.header, s.events, j.findings[0]!)
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
    expect(e).toEqual({ kind: 'fence', text: 'a proxy fence after `epilogue` of p@0' })
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
      text: 'a wgmma group wait that covers `mma` of c@0, before `release` of c@0',
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
      text: 'a wgmma group wait that covers `mma` of p@0, before `deref` of p@0',
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
    expect(e.text).toBe('a wait for generation 0 of full@0 before `consume` of c@0')
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
      text: 'a wait for generation 0 of empty@0, for which nobody waits in this run, before `refill` of p@0',
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
  it('a new pair where nothing carries the access', () => {
    const e = explained((s) => {
      s.w(0, 's0 0', 'produce')
      s.r(1, 's0 0', 'consume')
    })
    expect(e).toEqual({
      kind: 'arrive-wait',
      text: 'an arrive when `produce` of p@0 is done, and a wait for it before `consume` of c@0',
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
      text: 'a bulk group wait that covers `store` of p@0 (reads), before `its exit` of p@0',
    })
  })
})

describe('in the words of whoever wrote the kernel', () => {
  it('bytes that are too many are called so', () => {
    const s = script(world)
    s.arrive(0, 0, { bytes: slotBytes })
    const op = s.issue(0, 'tmaLoad', 'load')
    s.perform(op, [], ['s0 0'])
    s.bytes(op, 0, 2 * slotBytes)
    s.wait(1, 0, 0, { blocked: true })
    expect(s.judge().deadlock[0]?.waitsFor).toBe(
      'full@0 generation 0: 0 of 1 arrivals missing, 16 bytes more than expected have arrived',
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
      /^a wait for generation 0 of full@0, for which nobody waits in this run, before `again` of p@0/,
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
      'a wait for generation 0 of empty@0, for which nobody waits in this run, before `again` of p@0',
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
    expect(explain(s.header, s.events, found)).toEqual({
      kind: 'arrive-wait',
      text: 'a block barrier (bar.sync, or an arrive and a wait) between `init` of p@0 and `use` of c@0',
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
      'a wait for generation 0 of full@0 before `consume` of c@0',
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

describe('hopper-matmul without one of its statements', () => {
  const settings = { dtype: 'f16', m: 64, n: 16, k: 112, tileM: 64, tileN: 16, tileK: 16, stages: 3 } as const
  const policies = { eager, lazy, 'seed 1': seeded(1), 'seed 2': seeded(2), 'seed 3': seeded(3) }
  const cases: ReadonlyArray<readonly [label: string, named: RegExp]> = [
    ['wait loaded', /wait: a wait for generation 0 of loaded\[0\]@0 before `wgmma`/],
    [
      'wait consumed',
      /wait: a wait for .*consumed\[0\]@0, for which nobody waits in this run, before `copy a`/,
    ],
    ['commit_smem', /fence: a proxy fence after `out_smem\[...\] = acc`/],
    ['wait out', /group-wait: a bulk group wait that covers `copy out`/],
    ['arrive consumed', /arrive: somebody has to arrive: .* waits for consumed\[0\]@0 generation 0/],
    ['wgmma_wait 1', /group-wait: a wgmma group wait that covers `wgmma` .* before `arrive consumed`/],
  ]
  const dropped = (label: string): Program => right(without(label)(right(hopperMatmul(settings))))
  it.each(cases)('%s: the first finding names it, under five policies', (label, named) => {
    const p = dropped(label)
    for (const [name, policy] of Object.entries(policies)) {
      const { verdict } = right(
        check(p, {
          settings: {},
          algebra: unit,
          arguments: noArguments,
          policy,
          strict: true,
          strictProxies: false,
          hazards: true,
          provenance: false,
          explore: true,
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
  it('wait consumed: the read by the wgmma and the copy over it', () => {
    const { world, machine } = right(launch(dropped('wait consumed'), unit, noArguments))
    const { result } = Run.run(
      world,
      machine,
      Run.settings(seeded(2)),
      Run.both(detector(defaults), Run.collect),
    )
    const pair = result[0].findings.find((f) => f.id === 'W1' && f.a.does === 'wgmma reads')!
    expect(explain(world.header, result[1], pair).text).toMatch(/consumed\[.\]@0, for which nobody waits/)
  })
})
