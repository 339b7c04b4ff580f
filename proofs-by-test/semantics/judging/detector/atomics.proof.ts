/**
 * Atomic accesses. Independent oracle: every pair of accesses of the log, ordered by reachability in the graph of its edges.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Scope } from '../../../../src/semantics/language/instruction.js'
import type { Access, Combine, Proxy } from '../../../../src/semantics/log/events.js'
import { ids, script, type Script } from './script.js'
import { nightly } from '../../../extent.js'

interface Atomic {
  readonly scope: Scope
  readonly combine: Combine
}
const put = (
  s: Script,
  agent: number,
  rw: 'r' | 'w',
  place: string,
  atomic: Atomic | null,
  site: string,
  dtype: Access['footprint']['dtype'] = 'i32',
  proxy: Proxy = 'generic',
): void => {
  const base = s.footprint(place)
  // one id for the bytes and the element
  const footprint = {
    id: base.id * 3 + (dtype === 'i32' ? 0 : dtype === 'f32' ? 1 : 2),
    plane: base.plane,
    spans: base.spans,
    dtype,
    map: base.map,
  }
  const plain: Access = {
    _tag: 'access',
    stamp: s.stamp(agent, site),
    rw,
    proxy,
    footprint,
    role: 'source',
    atomic: atomic !== null,
  }
  s.push(atomic === null ? plain : { ...plain, scope: atomic.scope, combine: atomic.combine })
}
const add: Atomic = { scope: 'gpu', combine: 'add' }

describe('two atomic accesses of the same bytes', () => {
  const two = (
    x: Atomic | null,
    y: Atomic | null,
    o: {
      readonly agents?: ReadonlyArray<string>
      readonly rw?: readonly ['r' | 'w', 'r' | 'w']
      readonly dtypes?: readonly [Access['footprint']['dtype'], Access['footprint']['dtype']]
      readonly proxies?: readonly [Proxy, Proxy]
      readonly ordered?: boolean
      readonly clusters?: boolean
    } = {},
  ): string => {
    const s = script({ agents: o.agents ?? ['a@0', 'b@1'], barriers: [] })
    const [ra, rb] = o.rw ?? ['w', 'w']
    const [da, db] = o.dtypes ?? ['i32', 'i32']
    const [pa, pb] = o.proxies ?? ['generic', 'generic']
    put(s, 0, ra, 'g 0', x, 'first', da, pa)
    if (o.ordered === true) s.sync([0, 1], 20)
    if (o.clusters === true) s.cluster(1)
    put(s, 1, rb, 'g 0', y, 'second', db, pb)
    const j = s.judge()
    return [...j.findings, ...j.notes].map((f) => f.id).join(' ')
  }
  const cta: Atomic = { scope: 'cta', combine: 'add' }
  const cluster: Atomic = { scope: 'cluster', combine: 'add' }
  const max: Atomic = { scope: 'gpu', combine: 'max' }

  test('table by hand: atomic for one another or a race', () => {
    expect(two(add, add)).toBe('')
    expect(two(add, null)).toBe('D2')
    expect(two(null, add)).toBe('D2')
    expect(two(add, null, { rw: ['w', 'r'] })).toBe('D2')
    expect(two(add, null, { rw: ['r', 'r'] })).toBe('')
    expect(two(add, null, { rw: ['r', 'w'] })).toBe('D2')
    expect(two(add, add, { rw: ['r', 'w'] })).toBe('')
    expect(two(null, add, { rw: ['r', 'w'] })).toBe('D2')
    expect(two(null, add, { rw: ['r', 'r'] })).toBe('')
    // scopes: each has to be in the other's
    expect(two(cta, add)).toBe('D2')
    expect(two(add, cta)).toBe('D2')
    expect(two(cluster, add)).toBe('')
    expect(two(cta, add, { agents: ['a@0', 'b@0'] })).toBe('')
    expect(two(cta, cta, { agents: ['a@0', 'b@0'] })).toBe('')
    expect(two(cluster, add, { clusters: true })).toBe('D3')
    expect(two(add, add, { clusters: true })).toBe('')
    expect(two(add, null, { clusters: true })).toBe('D3')
    expect(two(add, null, { clusters: true, rw: ['r', 'r'] })).toBe('')
    // one proxy, one width
    expect(two(add, add, { proxies: ['generic', 'async'] })).toBe('D2')
    expect(two(add, add, { dtypes: ['i32', 'f16'] })).toBe('D2')
  })

  test('N1: what does not commute and is not ordered, and nothing else', () => {
    expect(two(add, max)).toBe('N1')
    expect(two(max, max)).toBe('')
    expect(two(add, add, { dtypes: ['f32', 'f32'] })).toBe('N1')
    expect(two(add, add, { dtypes: ['f32', 'i32'] })).toBe('N1')
    expect(two(max, max, { dtypes: ['f32', 'f32'] })).toBe('')
    expect(two(add, add, { dtypes: ['f32', 'f32'], ordered: true })).toBe('')
    expect(two(add, add, { dtypes: ['f32', 'f32'], clusters: true })).toBe('N1')
    expect(two({ scope: 'gpu', combine: 'xor' }, { scope: 'gpu', combine: 'xor' })).toBe('')
    expect(two({ scope: 'gpu', combine: 'inc' }, { scope: 'gpu', combine: 'inc' })).toBe('N1')
    expect(two({ scope: 'gpu', combine: 'exchange' }, { scope: 'gpu', combine: 'exchange' })).toBe('N1')
  })

  test('N1 is a note of severity L with both operations', () => {
    const s = script({ agents: ['a@0', 'b@1'], barriers: [] })
    put(s, 0, 'w', 'g 0', add, 'first', 'f32')
    put(s, 1, 'w', 'g 0', add, 'second', 'f32')
    const j = s.judge()
    expect(j.findings).toEqual([])
    expect(j.notes.map((f) => [f.id, f.severity, f.a.site, f.b?.site])).toEqual([
      ['N1', 'L', 'first', 'second'],
    ])
  })

  test('C1: sums of floats differ in their rounding and no more; with anything else memory itself depends on the order', () => {
    const holds = (x: Atomic, y: Atomic): boolean => {
      const s = script({ agents: ['a@0', 'b@1'], barriers: [] })
      put(s, 0, 'w', 'g 0', x, 'first', 'f32')
      put(s, 1, 'w', 'g 0', y, 'second', 'f32')
      return s.judge().conditions.C1.holds
    }
    const exchange: Atomic = { scope: 'gpu', combine: 'exchange' }
    expect([holds(add, add), holds(add, exchange), holds(exchange, add), holds(exchange, exchange)]).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  test('a plain access has to follow every atomic, not only the last', () => {
    const s = script({ agents: ['a@0', 'b@0', 'c@0'], barriers: [] })
    put(s, 0, 'w', 'g 0', add, 'one')
    put(s, 1, 'w', 'g 0', add, 'two')
    s.sync([1, 2])
    put(s, 2, 'r', 'g 0', null, 'three')
    const found = s.judge().findings
    expect(found.map((f) => [f.id, f.a.site, f.b?.site])).toEqual([['D2', 'one', 'three']])
  })

  test('a plain write ends what the atomics before it were asked for: the next access is asked about the write', () => {
    const s = script({ agents: ['a@0', 'b@0', 'c@0'], barriers: [] })
    put(s, 0, 'w', 'g 0', add, 'one')
    s.sync([0, 1, 2])
    put(s, 1, 'w', 'g 0', null, 'two')
    put(s, 2, 'r', 'g 0', null, 'three')
    expect(s.judge().findings.map((f) => [f.id, f.a.site, f.b?.site])).toEqual([['D2', 'two', 'three']])
  })

  test('a read before an atomic does not show that the atomic has landed', () => {
    const s = script({ agents: ['a@0', 'b@0'], barriers: [] })
    put(s, 1, 'r', 'g 0', null, 'look')
    s.sync([0, 1])
    put(s, 0, 'w', 'g 0', add, 'join')
    s.sync([0, 1], 2, true)
    put(s, 1, 'w', 'g 0', null, 'write')
    expect(s.judge().findings.map((f) => [f.id, f.a.site, f.b?.site])).toEqual([['V1', 'join', 'write']])
  })

  test('an atomic has to follow the plain write and the plain reads, whatever atomics came between', () => {
    const s = script({ agents: ['a@0', 'b@0', 'c@0', 'd@0'], barriers: [] })
    put(s, 0, 'w', 'g 0', null, 'write')
    s.sync([0, 1, 3])
    put(s, 3, 'r', 'g 0', null, 'read')
    put(s, 1, 'w', 'g 0', add, 'late')
    put(s, 2, 'w', 'g 0', add, 'apart')
    expect(
      s
        .judge()
        .findings.map((f) => `${f.a.site} ${f.b!.site}`)
        .sort(),
    ).toEqual(['read apart', 'read late', 'write apart'])
  })
})

describe('against all pairs', () => {
  interface Step {
    readonly agent: number
    readonly what: 'r' | 'w' | 'add' | 'max' | 'float' | 'look' | 'near' | 'sync'
    readonly with: number
    readonly slot: number
  }
  const step: fc.Arbitrary<Step> = fc.record({
    agent: fc.nat(3),
    what: fc.constantFrom<Step['what']>(
      'r',
      'w',
      'add',
      'add',
      'max',
      'float',
      'look',
      'near',
      'sync',
      'sync',
    ),
    with: fc.nat(3),
    slot: fc.nat(1),
  })
  const ctas = [0, 0, 1, 1]

  /** by hand: events with what they knew, as sets */
  const oracle = (steps: ReadonlyArray<Step>): { readonly race: boolean; readonly n1: boolean } => {
    const knows: Set<number>[] = ctas.map(() => new Set())
    const done: { readonly s: Step; readonly before: ReadonlySet<number> }[] = []
    let race = false
    let n1 = false
    for (const s of steps) {
      if (s.what === 'sync') {
        const both = new Set([...knows[s.agent]!, ...knows[s.with]!])
        knows[s.agent] = new Set(both)
        knows[s.with] = new Set(both)
        continue
      }
      done.forEach((d, i) => {
        if (knows[s.agent]!.has(i) || d.s.slot !== s.slot) return
        const reads = (x: Step): boolean => x.what === 'r' || x.what === 'look'
        if (reads(d.s) && reads(s)) return
        const plain = (x: Step): boolean => x.what === 'r' || x.what === 'w'
        const far = ctas[d.s.agent] !== ctas[s.agent] && (d.s.what === 'near' || s.what === 'near')
        if (plain(d.s) || plain(s) || far) race = true
        else if (!reads(d.s) && !reads(s)) {
          const kind = (x: Step): string => (x.what === 'near' ? 'add' : x.what)
          if (kind(d.s) !== kind(s) || kind(s) === 'float') n1 = true
        }
      })
      knows[s.agent]!.add(done.length)
      done.push({ s, before: new Set(knows[s.agent]) })
    }
    return { race, n1 }
  }

  test('a race is found iff two conflicting accesses are not ordered and not atomic for one another', () => {
    let races = 0
    let notes = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 24 }), (steps) => {
        const s = script({ agents: ['a@0', 'b@0', 'c@1', 'd@1'], barriers: [] })
        steps.forEach((e, i) => {
          const place = `g ${String(e.slot)}`
          const site = `${e.what} ${String(i)}`
          switch (e.what) {
            case 'sync':
              if (e.agent !== e.with) s.sync([e.agent, e.with], 20 + i)
              return
            case 'r':
            case 'w':
              put(s, e.agent, e.what, place, null, site)
              return
            case 'look':
              put(s, e.agent, 'r', place, add, site)
              return
            case 'near':
              put(s, e.agent, 'w', place, { scope: 'cta', combine: 'add' }, site)
              return
            case 'float':
              put(s, e.agent, 'w', place, add, site, 'f32')
              return
            case 'add':
            case 'max':
              put(s, e.agent, 'w', place, { scope: 'gpu', combine: e.what }, site)
          }
        })
        const j = s.judge()
        const by = oracle(steps)
        expect(ids(j).length > 0).toBe(by.race)
        if (by.race) races++
        else {
          expect(j.notes.length > 0).toBe(by.n1)
          if (by.n1) notes++
        }
      }),
      { numRuns: nightly ? 3000 : 250, seed: 5 },
    )
    expect(races).toBeGreaterThan(nightly ? 300 : 75)
    expect(notes).toBeGreaterThan(nightly ? 50 : 12)
  })
})
