/**
 * The search of all schedules against that of skeletons; its bounds, its waves and its words; that witnesses replay; how a wave can end; and that equal
 * keys have equal futures.
 */
import { describe, expect, it } from 'vitest'
import { contestedPair } from '../../../../src/semantics/verdict/race-witness.js'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import {
  along,
  Claims,
  Keys,
  Places,
  Views,
  type Found,
} from '../../../../src/semantics/schedules/explore/index.js'
import { leftIn, showLeft, withoutStorages } from '../../../../src/semantics/schedules/explore/ends.js'
import type { Launched } from '../../../../src/semantics/execution/launch.js'
import type { Machine } from '../../../../src/semantics/machine/state.js'
import { dice, skeletonOf } from '../../../../src/semantics/schedules/naive/random.js'
import { show } from '../../../../src/semantics/schedules/naive/notation.js'
import type { World } from '../../../../src/semantics/machine/world.js'
import { eager, recorded } from '../../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../../src/semantics/execution/run.js'
import { offered, showKey, step, take, type EventKey } from '../../../../src/semantics/execution/step.js'
import { skeleton } from '../naive/skeletons.js'
import {
  kindsOf,
  launchedProgram,
  launchedSkeleton,
  naiveKinds,
  naively,
  options,
  searched,
} from './programs.js'
import { gather, gathered, rdFar, team, wr, wrG, type Word } from './team.js'
import { nightly } from '../../../extent.js'
import { right } from '../../../either.js'

describe('explore', () => {
  it('law 5: finds on a program what the search of its skeleton finds', () => {
    const wrong: string[] = []
    const many = { programs: 0, clean: 0 }
    const drawn = nightly ? 150 : 20
    for (let seed = 500_000; seed < 500_000 + drawn; seed++) {
      const s = skeletonOf(seed)
      const all = naively(s)
      if (all === null) continue
      const found = searched(launchedSkeleton(s))
      many.programs++
      if (all.clean) many.clean++
      if (kindsOf(found) !== naiveKinds(all) || !found.complete)
        wrong.push(`${String(seed)} [${kindsOf(found)}] and not [${naiveKinds(all)}]: ${show(s)}`)
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(many.programs).toBeGreaterThan((nightly ? 0.93 : 0.9) * drawn)
    expect(many.clean).toBeGreaterThan(drawn / 6)
  })

  /** Found by the long sweep: no schedule of these goes on for ever, each runs into an arrival too many after a CTA has ended. */
  it.each([
    'b0@1:1 | t0@0: arr #0; st s0.x0 > g.z; bc; arr #0; cw 1; fen global; cw 0 | t1@1: arx #0 1; rd s1.x0; arx #0 1; ld > s1.x0:#0:1; st s1.x0 > g.z; bc',
    'b0@0:1 b1@0:1 | t0@0: wait #1 1 !; st s0.x0 > g.z; bc | t1@1: st s1.x0 > g.z; bc; rd r1.acc; st s1.x0 > g.z; bc; arx #1 2 | t2@0: wr s0.x0; arx #1 2; wait #1 0; rd r2.acc',
    'b0@1:1 | t0@0: st s0.x1 > g.z; bc; tst t0.y; wr s0.x1; arx #0 1 ^; dea t0.y | t1@1: wst; arx #0 1 ^; rd s1.x0; arr #0 ^; rd s1.x1; com #0',
  ])('law 5: %s', (text) => {
    const s = skeleton(text)
    expect(kindsOf(searched(launchedSkeleton(s)))).toBe(naiveKinds(naively(s)!))
  })

  it('laws 1, 4: following only what is enough finds the same kinds, and the same ways to end', () => {
    let fewer = 0
    const programs = nightly ? 800 : 5
    for (let seed = 700_000; seed < 700_000 + programs; seed++) {
      const s = skeletonOf(seed)
      const launched = launchedSkeleton(s)
      const whole = searched(launched, { reduced: false, states: 30_000 })
      if (!whole.complete) continue
      const part = searched(launched)
      expect(kindsOf(part), show(s)).toBe(kindsOf(whole))
      if (whole.clean) expect(part.ends, show(s)).toEqual(whole.ends)
      if (part.states < whole.states) fewer++
    }
    expect(fewer).toBeGreaterThan(programs / 2)
  })

  it('law 3: says which bound it has reached', () => {
    const s = launchedSkeleton(
      skeleton('b@0:1 | t@0: wr s0.x; arr #0; wait #0 0; wr s0.y | u@0: wait #0 0; rd s0.x'),
    )
    const all = searched(s)
    expect([all.complete, all.bound, all.clean]).toEqual([true, null, true])
    const few = searched(s, { states: 5 })
    expect([few.complete, few.bound, few.clean, few.states]).toEqual([false, 'states', true, 6])
    const short = searched(s, { depth: 5 })
    expect([short.complete, short.bound]).toEqual([false, 'depth'])
    const bad = launchedSkeleton(skeleton(' | t@0: wr s0.x | u@0: wr s0.x'))
    const first = searched(bad, { stop: true })
    expect([first.complete, first.found.length]).toEqual([false, 1])
  })
})

/** The machine after a schedule. */
const after = (launched: Launched, schedule: ReadonlyArray<EventKey>): Machine => {
  const take = step(launched.world)
  return schedule.reduce((m, key) => right(take(key)(m))[1], launched.machine)
}

/** What somebody else says of the schedule of a finding: the machine, or the detector. */
const isShown = (launched: Launched, f: Found): boolean => {
  const { world } = launched
  const m = after(launched, f.schedule)
  const said = (): ReadonlyArray<string> => {
    const ran = run(world, launched.machine, settings(recorded(f.schedule)), collect)
    return judgeLog(world.header, ran.result, defaults).findings.map((x) => x.id)
  }
  const ended = (cta: number): boolean =>
    m.agents.every((a, x) => Math.floor(x / world.agentsPerCta) !== cta || a.status !== 'running')
  switch (f.kind) {
    case 'race':
      // a dealloc beside an operation on its columns is the detector's U2, or M3
      return (
        contestedPair(world, offered(world, m)) !== null || said().some((id) => id === 'U2' || id === 'M3')
      )
    case 'deadlock':
      return offered(world, m).length === 0 && m.agents.some((a) => a.status === 'running')
    case 'overrun':
      return said().includes('B2')
    case 'visibility':
      return said().some((id) => /^([PDRWMV]|B6|B9|K3)/.test(id))
    case 'exit': {
      const [key] = f.events
      const flies = m.inFlight.some((op) => op.agent === key?.agent && op.at === key.at)
      const stands = m.agents[key?.agent ?? 0]!.at === key?.at
      return (flies || stands) && Array.from({ length: world.ctas }, (_, c) => c).some(ended)
    }
    case 'fault':
    case 'lifecycle':
    case 'unwritten':
      return false
  }
}

describe('witnesses', () => {
  it('law 2: the schedule of a finding replays to it', () => {
    const shown: Record<string, number> = {}
    const programs = nightly ? 2500 : 24
    for (let seed = 800_000; seed < 800_000 + programs; seed++) {
      const launched = launchedSkeleton(skeletonOf(seed))
      const all = searched(launched, { states: 3000 })
      const overrun = all.found.some((f) => f.kind === 'overrun')
      for (const f of all.found) {
        // after an arrival too many the machine goes on, and the search does not
        if (f.kind === 'deadlock' && overrun) continue
        shown[f.kind] = (shown[f.kind] ?? 0) + 1
        expect(isShown(launched, f), `${String(seed)} ${f.kind} ${f.text} ${show(skeletonOf(seed))}`).toBe(
          true,
        )
      }
    }
    for (const kind of ['race', 'deadlock', 'overrun', 'visibility', 'exit'])
      expect(shown[kind], kind).toBeGreaterThan(programs / 25)
  })
})

describe('keys', () => {
  it('law 1: states with equal keys offer equal events, and those lead to equal keys', () => {
    let met = 0
    const programs = nightly ? 1200 : 4
    for (let seed = 900_000; seed < 900_000 + programs; seed++) {
      const { world, machine } = launchedSkeleton(skeletonOf(seed))
      const touched = Claims.future(world, machine)
      const seen: Places.Seen = new Map()
      Claims.mapFuture(touched, (t) => Claims.noteAll(seen, t))
      const places = Places.places(world.header, seen)
      const names = Keys.names()
      const key = (m: Machine, v: Views.Views): string =>
        Keys.stateKey(names, world.front.where, m, v, null).join()
      /** all that can be seen of a state in one step */
      const known = new Map<string, string>()
      for (let walk = 0; walk < 12; walk++) {
        const die = dice(seed * 100 + walk)
        let m = machine
        let v = Views.start(world, places)
        for (let k = 0; k < 80; k++) {
          const here = key(m, v)
          const next = offered(world, m).flatMap((o) => {
            const done = take(world, m, o)
            if ('kind' in done) return []
            const seenThere = Views.follow(world, places, v, m, done.machine, done.events)
            return [{ o, machine: done.machine, views: seenThere.views, faults: seenThere.faults.join() }]
          })
          const future = next
            .map((n) => `${showKey(n.o.key)} ${n.faults} ${key(n.machine, n.views)}`)
            .sort()
            .join('|')
          if (known.has(here)) met++
          expect(known.get(here) ?? future).toBe(future)
          known.set(here, future)
          const chosen = next[die.below(next.length)]
          if (chosen === undefined) break
          m = chosen.machine
          v = chosen.views
        }
      }
    }
    expect(met).toBeGreaterThan(25 * programs)
  })

  it('without control and frames they tell the same states apart', () => {
    for (let seed = 910_000; seed < 910_000 + (nightly ? 1500 : 6); seed++) {
      const { world, machine } = launchedSkeleton(skeletonOf(seed))
      const places = Places.places(world.header, new Map())
      const names = Keys.names()
      const views = Views.start(world, places)
      const bySmall = new Map<string, string>()
      for (let walk = 0; walk < 10; walk++) {
        const die = dice(seed * 31 + walk)
        let m = machine
        for (let k = 0; k < 60; k++) {
          const small = Keys.stateKey(names, null, m, views, null).join()
          const large = Keys.stateKey(names, world.front.where, m, views, null).join()
          if ((bySmall.get(small) ?? large) !== large) expect.fail(show(skeletonOf(seed)))
          bySmall.set(small, large)
          const choices = offered(world, m)
          const o = choices[die.below(choices.length)]
          if (o === undefined) break
          const done = take(world, m, o)
          if ('kind' in done) break
          m = done.machine
        }
      }
    }
  })
})

describe('one schedule', () => {
  it('that leads to a finding shows it, and one that stops before does not', () => {
    const followed: Record<string, number> = {}
    for (let seed = 820_000; seed < 820_000 + (nightly ? 80 : 20); seed++) {
      const launched = launchedSkeleton(skeletonOf(seed))
      const all = searched(launched, { states: 2000 })
      for (const f of all.found) {
        const path = right(along(launched, options({ stop: false }), f.schedule))
        const kinds = path.found.map((x) => `${x.kind} ${x.text}`)
        // where nothing is left but an arrival that is not counted, only a search sees that all is over
        if (f.kind === 'deadlock' && all.found.some((x) => x.kind === 'overrun')) continue
        expect(kinds, `${String(seed)} ${f.text}`).toContain(`${f.kind} ${f.text}`)
        followed[f.kind] = (followed[f.kind] ?? 0) + 1
        // an event that is at fault is the last of its schedule
        if (f.kind === 'visibility' || f.kind === 'overrun') {
          const short = right(along(launched, options({ stop: false }), f.schedule.slice(0, -1)))
          expect(short.found.map((x) => `${x.kind} ${x.text}`)).not.toContain(`${f.kind} ${f.text}`)
        }
      }
    }
    for (const kind of ['race', 'deadlock', 'overrun', 'visibility', 'exit'])
      expect(followed[kind], kind).toBeGreaterThan(nightly ? 2 : 0)
  })
  it('is followed as far as it fits', () => {
    const launched = launchedSkeleton(skeleton('b@0:1 | t@0: wr s0.x; arr #0 | u@0: wait #0 0; rd s0.x'))
    const whole = right(
      along(
        launched,
        options({}),
        run(launched.world, launched.machine, settings(eager, true), collect).schedule,
      ),
    )
    expect([whole.clean, whole.waves, whole.ends.length, whole.bound]).toEqual([true, 1, 1, null])
    const foreign = right(along(launched, options({}), [{ agent: 1, at: 99, stage: 'agent', part: 0 }]))
    expect([foreign.clean, foreign.waves, foreign.ends, foreign.transitions]).toEqual([true, 1, [], 0])
  })
})

describe('words', () => {
  const words = (launched: Launched, how: object = {}): ReadonlyArray<string> =>
    searched(launched, how).found.map((f) => f.text.replace(/\d+:\d+/g, (key) => key.split(':')[0]!))
  const of = (text: string, how: object = {}): ReadonlyArray<string> =>
    words(launchedSkeleton(skeleton(text)), how)
  it('an arrival at a CTA that has ended, and who may still arrive', () => {
    expect(of('b@1:1 | t@0: arr #0 | u@1: rd s1.x')).toEqual(['K1: 0 reaches CTA 1, which has ended'])
    expect(of('b@0:1 b@1:1 | t@0: arr #0 | u@1: rd s1.x')).toEqual([])
  })
  it('memory of a CTA that has ended', () => {
    const far = (back: ReadonlyArray<Word>): Launched =>
      launchedProgram(team({ words: [[[rdFar(1)]], [back]], cluster: 2 }))
    expect(words(far([]))).toEqual(['K1: 0 reaches CTA 1, which has ended'])
    const waiting = launchedProgram(
      team({ words: [[[rdFar(1), gather(), gathered]], [[gather(), gathered]]], cluster: 2 }),
    )
    expect(words(waiting)).toEqual([])
    // its own is there as long as it is
    expect(words(launchedProgram(team({ words: [[[rdFar(0)]], [[]]], cluster: 2 })))).toEqual([])
  })
  it('an operation that outlives its CTA', () => {
    expect(of('b@0:1 | t@0: arx #0 1; ld > s0.x:#0:1')).toEqual([
      'U2: tmaLoad of 0/all.0 is open when CTA 0 has ended',
    ])
  })
  it('two accesses that one state offers, in their order', () => {
    expect(of(' | t@0: rd s0.x | u@0: wr s0.x').filter((t) => t.includes('offers'))).toEqual([
      'one state offers 0 and 1',
    ])
  })
  it('who stands where nothing can move', () => {
    expect(of('b@0:1 | t@0: wait #0 0 | u@0: rd s0.x | v@0: wait #0 0')).toEqual(['nothing can move: 0, 2'])
  })
  it('a dealloc waits for loads, and for stores', () => {
    const text = ' | t@0: tst t0.y; wst; tld t0.y; dea t0.y; wld'
    expect(of(text)).toEqual(['one state offers 0 and 0/all.0'])
    expect(of(' | t@0: tst t0.y; dea t0.y; wst').some((t) => t.startsWith('one state offers'))).toBe(true)
  })
})

describe('waves', () => {
  const clean: ReadonlyArray<Word> = [wrG]
  const bad: ReadonlyArray<ReadonlyArray<Word>> = [[wr], [wr]]
  const three = launchedProgram(
    team({
      words: [
        [clean, []],
        [clean, []],
        [[], []],
      ],
    }),
  )
  it('are searched one after another, and counted together', () => {
    const all = searched(three)
    expect([all.waves, all.complete, all.clean, all.ends.length]).toEqual([3, true, true, 3])
    expect(all.ends.map((end) => end.wave)).toEqual([0, 1, 2])
    // a bound is one of all of them
    const first = searched(launchedProgram(team({ words: [[clean, []]] })))
    const cut = searched(three, { states: first.states + 2 })
    expect([cut.complete, cut.bound, cut.waves, cut.states]).toEqual([false, 'states', 2, first.states + 3])
    expect(cut.ends.length).toBe(1)
  })
  it('the schedule of a finding begins with those before it', () => {
    const launched = launchedProgram(team({ words: [[clean, []], bad] }))
    const { found, waves } = searched(launched, { stop: true })
    expect([waves, found.length]).toEqual([2, 1])
    const { schedule } = found[0]!
    const ran = run(launched.world, launched.machine, settings(recorded(schedule), true), collect)
    expect(ran.schedule.slice(0, schedule.length).map(showKey)).toEqual(schedule.map(showKey))
    expect(ran.clusters).toBe(2)
    expect(ran.result.filter((e) => e._tag === 'cluster').length).toBe(2)
    const path = right(along(launched, options({ stop: true }), schedule))
    expect(path.found.map((f) => f.text)).toEqual(found.map((f) => f.text))
    expect(path.waves).toBe(2)
  })
  it('where the first finding is the end, no further wave is asked; else all are', () => {
    const launched = launchedProgram(team({ words: [bad, [clean, []], bad] }))
    const first = searched(launched, { stop: true })
    expect([first.waves, first.found.length, first.complete]).toEqual([1, 1, false])
    const all = searched(launched, { stop: false })
    expect([all.waves, all.complete, all.clean]).toEqual([3, true, false])
    expect(kindsOf(all)).toBe('race visibility')
  })
})

describe('how a wave can end', () => {
  const world = {
    header: {
      barriers: [
        { name: 'full[0]', cta: 0 },
        { name: 'full[1]', cta: 0 },
        { name: 'full[0]', cta: 1 },
      ],
    },
    barriersPerCta: 2,
    barriers: [{ storage: 'full' }, { storage: 'full' }],
  } as unknown as World
  const endOf = (w: World, m: Machine): string => showLeft(leftIn(w, m))
  const rings = {
    header: {
      barriers: [
        { name: 'x[0]', cta: 0 },
        { name: 'x[1]', cta: 0 },
        { name: 'xx', cta: 0 },
      ],
    },
    barriersPerCta: 3,
    barriers: [{ storage: 'x' }, { storage: 'x' }, { storage: 'xx' }],
  } as unknown as World
  const machine = (by: object): Machine =>
    ({ barriers: [], named: [], tensorMemory: [], ...by }) as unknown as Machine
  const barrier = (completed: number, pending: number, expected: number, tx: number): object => ({
    completed,
    pending,
    expected,
    tx,
  })
  it('barriers that are there: parity, arrivals and bytes that are missing', () => {
    expect(endOf(world, machine({}))).toBe('')
    expect(endOf(world, machine({ barriers: [barrier(2, 1, 3, 16), null, barrier(1, 2, 2, 0)] }))).toBe(
      'full[0]@0 0:1/3+16  full[0]@1 1:2/2+0',
    )
  })
  it('without the barriers of a storage, and of no other whose name contains its name', () => {
    const all = [barrier(0, 1, 1, 0), barrier(1, 1, 1, 0), barrier(2, 1, 1, 0)]
    const left = leftIn(rings, machine({ barriers: all }))
    const rest = (...names: ReadonlyArray<string>): string =>
      showLeft(withoutStorages({ wave: 0, left }, names).left)
    expect(rest()).toBe('x[0]@0 0:1/1+0  x[1]@0 1:1/1+0  xx@0 0:1/1+0')
    expect(rest('x')).toBe('xx@0 0:1/1+0')
    expect(rest('xx')).toBe('x[0]@0 0:1/1+0  x[1]@0 1:1/1+0')
  })
  it('who stands at a named barrier, and columns, in an order of their own', () => {
    const named = [
      { cta: 1, id: 2, arrived: 64, generation: 5 },
      { cta: 0, id: 3, arrived: 0, generation: 1 },
      { cta: 0, id: 2, arrived: 32, generation: 0 },
    ]
    const tensorMemory = [
      { allocated: [] },
      {
        allocated: [
          { start: 32, columns: 64 },
          { start: 0, columns: 32 },
        ],
      },
    ]
    expect(endOf(world, machine({ barriers: [null, barrier(0, 1, 1, 0)], named, tensorMemory }))).toBe(
      'full[1]@0 0:1/1+0  barrier 2@0 32  barrier 2@1 64  columns@1 0+32  columns@1 32+64',
    )
  })
})
