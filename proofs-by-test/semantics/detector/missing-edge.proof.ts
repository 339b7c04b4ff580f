/** Missing edges: the first kind in the table that mends the log, in words that name the place. */
import { describe, expect, it } from 'vitest'
import { explain } from '../../../src/semantics/detector/index.js'
import type { MissingEdge } from '../../../src/semantics/finding.js'
import type { Script } from './script.js'
import { load, script, slotBytes } from './script.js'

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
    expect(e).toEqual({ kind: 'wait', text: 'a wait for generation 0 of empty@0 before `refill` of p@0' })
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
