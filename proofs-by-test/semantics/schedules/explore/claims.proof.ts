/**
 * Claims: a table by hand of what every touch becomes, and law 1 of the lists: in every schedule tried the events of an agent, and those of what it issues,
 * are the ones that were written down.
 */
import { describe, expect, it } from 'vitest'
import { Claims, Places } from '../../../../src/semantics/schedules/explore/index.js'
import { footprints, ofAddresses } from '../../../../src/semantics/machine/footprint.js'
import type { Footprint } from '../../../../src/semantics/log/events.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { offered, partOf, stageOf, take } from '../../../../src/semantics/execution/step.js'
import { ofReady } from '../../../../src/semantics/execution/event-effects.js'
import type { Touch } from '../../../../src/semantics/machine/touches.js'
import { skeleton } from '../naive/skeletons.js'
import { header } from '../../judging/provenance/terms.js'
import { launchedProgram, launchedSkeleton } from './programs.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import { arr, forked, init, signal, team, wait, wr, type Word } from './team.js'

const texts = [
  'b@0:1 e@0:1 | t@0: arx #0 1; ld > s0.x:#0:1; wait #1 0; arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0; rd s0.x; arr #1; wait #0 1; rd s0.x',
  ' | t@0: wr s0.x; fen cta; st s0.x > g.z; bc; bw 0 read; cp > s0.y; cc; cw 0; bw 0 full | u@0: rd s0.y',
  ' | t@0: wg s0.x > r0.a; wc; ww 0 | u@0: wg s0.x > r1.a; wc; ww 0',
  'b@0:1 b@1:1 | t@0: arx #0 1; arx #1 1; ld > s0.x:#0:1 s1.x:#1:1; wait #0 0; rdv c 0,1 ~ | u@1: wait #1 0; rdv c 0,1 ~',
  'b@0:1 b@1:1 | t@0: mma s0.x > t0.y; com #0,#1; wait #0 0 ^; tld t0.y; wld; tst t0.y; wst; dea t0.y; rdv c 0,1 ~ | u@1: wait #1 0 ^; rdv c 0,1 ~',
  'b@0:2 | t@0: arr #0; wait #0 0 | u@0: wr s0.x; rdv a 1,2 | v@0: rdv a 1,2; rd s0.x',
  // stuck: the lists go on where the run does not
  'b@0:1 | t@0: wait #0 0; wr s0.x; arr #0 | u@0: wait #0 0; rd s0.x',
]

describe('lists', () => {
  it.each(texts)('law 1: %s', (text) => {
    const { world, machine } = launchedSkeleton(skeleton(text))
    const listed = Claims.future(world, machine)
    expect(listed.open.every((open) => !open)).toBe(true)
    for (let seed = 0; seed < 8; seed++) {
      const die = dice(seed)
      let m = machine
      for (;;) {
        for (const f of m.inFlight) {
          const left = Claims.remaining(listed, f)!
          const now = offered(world, m).find((o) => o.operation === f)
          expect(left.length).toBeGreaterThan(0)
          if (now !== undefined) expect(left[0]).toEqual(Claims.touchesOf(world, m, now))
          const all = listed.events[f.agent]![f.at]!.operations.filter((s) => s.part === partOf(f))
          expect(left).toEqual(all.slice(all.findIndex((s) => s.stage === stageOf(f))).map((s) => s.what))
        }
        const choices = offered(world, m)
        const o = choices[die.below(choices.length)]
        if (o === undefined) break
        const { agent, at, stage, part } = o.key
        const entry = listed.events[agent]![at]!
        const found =
          o.operation === null
            ? entry.own
            : entry.operations.find((s) => s.stage === stage && s.part === part)?.what
        // which columns a dealloc frees is known when it is on offer: the list has all that it may free
        const frees = found!.some((t) => t._tag === 'memory' && t.role === 'frees')
        expect(found).toEqual(
          frees ? ofReady(world, 'any', agent, m.agents[agent]!.ready) : Claims.touchesOf(world, m, o),
        )
        const done = take(world, m, o)
        if ('kind' in done) throw new Error(done.message)
        m = done.machine
      }
      // whoever has come to its end has come to the end of its list
      m.agents.forEach((a, x) => {
        if (a.status === 'done')
          expect(listed.events[x]!.length).toBe(Math.max(a.at, listed.events[x]!.length === 0 ? 0 : a.at))
      })
    }
  })
  it('a program that is stuck is listed to its end', () => {
    const { world, machine } = launchedSkeleton(skeleton(texts[6]!))
    const listed = Claims.future(world, machine)
    const kinds = listed.events.map((of) =>
      of.flatMap((e) => (e === undefined ? [] : e.own.map((t) => t._tag))),
    )
    for (const [x, last] of [
      [0, ['wait', 'memory', 'count']],
      [1, ['wait', 'memory']],
    ] as const)
      expect(kinds[x]!.slice(-last.length)).toEqual(last)
  })
  it('an agent that faults is open, and the others are not', () => {
    // columns that are given back twice
    const { world, machine } = launchedSkeleton(
      skeleton('b@0:1 | t@0: dea t0.y; dea t0.y; wr s0.x | u@0: wr s0.x'),
    )
    const listed = Claims.future(world, machine)
    expect(listed.open).toEqual([true, false])
  })
  it('so is whoever waits for the end of one that faults; the other children are not', () => {
    const stop: Word = () => B.run('stop', { _tag: 'trap' })
    const open = (children: readonly [ReadonlyArray<Word>, ReadonlyArray<Word>]): ReadonlyArray<boolean> => {
      const { world, machine } = launchedProgram(forked({ children, after: [wr] }))
      return Claims.future(world, machine).open
    }
    expect(open([[wr], [wr]])).toEqual([false, false, false])
    expect(open([[stop], [wr]])).toEqual([true, true, false])
    expect(open([[wr], [wr, stop]])).toEqual([true, false, true])
    expect(open([[stop], [stop]])).toEqual([true, true, true])
  })
  it('a list names the events of an agent at their places, and of each operation its stages in their order', () => {
    const { world, machine } = launchedSkeleton(
      skeleton('b@0:1 | t@0: arx #0 1; ld > s0.x:#0:1; wait #0 0; rd s0.x; st s0.x > g.z; bc; bw 0 full'),
    )
    const { events } = Claims.future(world, machine)
    const of = events[0]!
      .slice(-8)
      .map((e) => [
        ...e!.own.map((t) => t._tag),
        ...e!.operations.map((s) => `${s.stage}: ${s.what.map((t) => t._tag).join(' ')}`),
      ])
    expect(of.slice(-7)).toEqual([
      ['count'],
      ['write: memory memory', 'signal: count'],
      ['wait'],
      ['memory'],
      ['read: memory', 'write: memory'],
      [],
      [],
    ])
    // places are counted from 1
    expect(events[0]![0]).toBeUndefined()
    expect(events[0]![1]).toBeDefined()
  })
  it('whoever is stuck is pushed on, one after another, and not who waits for the end of another', () => {
    // the child waits for what only its parent gives, behind the join
    const { world, machine } = launchedProgram(
      forked({ before: [init(0)], children: [[wait(0), wr], []], after: [arr(0)] }),
    )
    const { events, open } = Claims.future(world, machine)
    expect(open).toEqual([false, false, false])
    expect(events[1]!.flatMap((e) => (e === undefined ? [] : e.own.map((t) => t._tag)))).toEqual([
      'wait',
      'memory',
    ])
    const parent = events[0]!.flatMap((e) => (e === undefined ? [] : [e.own.map((t) => t._tag).join()]))
    // init, fork, join, arrive
    expect(parent).toEqual(['life', 'start', '', 'count'])
  })
  it('where control may depend on timing nothing is known', () => {
    const { world, machine } = launchedProgram(
      team({
        words: [
          [
            [wr, arr(0)],
            [wait(0), signal()],
          ],
        ],
      }),
    )
    const timed = { ...world, front: { ...world.front, timed: true } }
    expect(Claims.future(timed, machine)).toEqual({ events: [[], []], open: [true, true] })
    expect(Claims.future(world, machine).open).toEqual([false, false])
    const { world: w, machine: m } = launchedSkeleton(skeleton(' | t@0: st s0.x > g.z; bc'))
    let flying = m
    while (flying.inFlight.length === 0) {
      const done = take(w, flying, offered(w, flying)[0]!)
      if ('kind' in done) throw new Error(done.message)
      flying = done.machine
    }
    const [op] = flying.inFlight
    expect(Claims.remaining(Claims.future(w, m), op!)).not.toBe(null)
    expect(Claims.remaining({ events: [[]], open: [true] }, op!)).toBe(null)
    const empty = {
      events: [Array.from({ length: 200 }, () => ({ own: [], operations: [] }))],
      open: [false],
    }
    expect(Claims.remaining(empty, op!)).toBe(null)
  })
})

describe('claims', () => {
  const store = footprints()
  const at = (plane: number, from: number, count: number): Footprint =>
    ofAddresses(
      store,
      plane,
      'e4m3',
      [count],
      Int32Array.from({ length: count }, (_, k) => from + k),
    ).footprint
  const own = { ...header.planes[5]!, bytes: 512 }
  const barriers = [
    { name: 'b', cta: 0, contract: 'ptx', ordersTensorCore: false, plane: 0, address: 8 } as const,
  ]
  const few = { ...header, planes: [own], barriers }
  const [x, y, z] = [at(0, 0, 4), at(0, 4, 4), at(0, 8, 4)]
  const seen: Places.Seen = new Map()
  for (const f of [x, y, z]) Places.note(seen, f, true)
  const places = Places.places(few, seen)
  const memory = (rw: 'r' | 'w', footprint: Footprint, by: object = {}): Touch => ({
    _tag: 'memory',
    rw,
    footprint,
    reach: 0,
    proxy: 'agent',
    role: 'access',
    words: 1,
    ...by,
  })
  const bits = (m: Places.Mask): number => m[0]!
  const of = (f: Footprint): number => bits(places.masks.get(f.id)!)
  it('by hand', () => {
    const nothing = Claims.claim(places, [])
    expect(nothing).toMatchObject({
      empty: true,
      frees: false,
      counts: [],
      asks: [],
      lives: [],
      ends: [],
      under: [],
      meets: [],
      leaves: [],
      tables: [],
      changesTables: false,
      starts: [],
    })
    expect([nothing.reads, nothing.writes, nothing.atomics].map(bits)).toEqual([0, 0, 0])
    const reads = Claims.claim(places, [memory('r', x), memory('r', y), memory('w', z)])
    expect(reads.empty).toBe(false)
    expect([reads.reads, reads.writes, reads.atomics].map(bits)).toEqual([of(x) | of(y), of(z), 0])
    expect(reads.under).toEqual([0])
    expect(Claims.claim(places, [memory('r', y)]).under).toEqual([])
    const both = Claims.claim(places, [
      memory('r', x, { reach: 1 }),
      memory('w', x, { reach: 1 }),
      memory('w', y),
    ])
    expect([both.reads, both.writes, both.atomics].map(bits)).toEqual([of(x), of(x) | of(y), of(x)])
    expect(both.frees).toBe(false)
    const frees = Claims.claim(places, [memory('w', x, { role: 'frees' }), memory('r', y)])
    expect(frees.frees).toBe(true)
    expect(bits(Claims.claim(places, [memory('r', at(0, 100, 1))]).reads)).toBe(0)
    const all = Claims.claim(places, [
      { _tag: 'count', barrier: 1, arrivals: 2, bytes: 3 },
      { _tag: 'wait', barrier: 4, parity: 1, blocks: true },
      { _tag: 'life', barrier: 5, ends: true },
      { _tag: 'life', barrier: 6, ends: false },
      { _tag: 'meet', place: 7, threads: 32, count: 64 },
      { _tag: 'leave', place: 8 },
      { _tag: 'table', table: 9, changes: false },
      { _tag: 'start', agents: [10, 11] },
    ])
    expect(all).toMatchObject({
      counts: [{ barrier: 1, arrivals: 2, bytes: 3 }],
      asks: [{ barrier: 4, parity: 1, blocks: true }],
      lives: [5, 6],
      ends: [5],
      meets: [{ place: 7, threads: 32, count: 64 }],
      leaves: [8],
      tables: [9],
      changesTables: false,
      starts: [10, 11],
    })
    const changes = (...which: ReadonlyArray<boolean>): boolean =>
      Claims.claim(
        places,
        which.map((c): Touch => ({ _tag: 'table', table: 1, changes: c })),
      ).changesTables
    expect([changes(true), changes(true, false), changes(false, true), changes(false)]).toEqual([
      true,
      true,
      true,
      false,
    ])
  })
  it('what is new of the memory that is touched', () => {
    const known: Places.Seen = new Map()
    expect(Claims.noteAll(known, [{ _tag: 'leave', place: 1 }])).toBe(false)
    expect(Claims.noteAll(known, [memory('r', x), memory('r', x)])).toBe(true)
    expect(Claims.noteAll(known, [memory('r', x)])).toBe(false)
    expect(Claims.noteAll(known, [memory('w', x), memory('r', x)])).toBe(true)
    expect(Claims.noteAll(known, [memory('w', x), memory('r', y)])).toBe(true)
    expect(Claims.noteAll(known, [memory('w', x), memory('r', y)])).toBe(false)
    expect([...known.values()].map((s) => s.written)).toEqual([true, false])
  })
})
