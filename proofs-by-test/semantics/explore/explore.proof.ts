import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { contestedPair } from '../../../src/semantics/contested.js'
import { defaults, judgeLog } from '../../../src/semantics/detector/index.js'
import { Claims, Keys, Places, Views, type Found } from '../../../src/semantics/explore/index.js'
import type { Launched } from '../../../src/semantics/launch.js'
import type { Machine } from '../../../src/semantics/machine/state.js'
import { dice, skeletonOf } from '../../../src/semantics/naive/random.js'
import { show } from '../../../src/semantics/naive/notation.js'
import { recorded } from '../../../src/semantics/policy.js'
import { collect, run, settings } from '../../../src/semantics/run.js'
import { offered, showKey, step, take, type EventKey } from '../../../src/semantics/step.js'
import { skeleton } from '../naive/skeletons.js'
import { kindsOf, launchedSkeleton, naiveKinds, naively, searched } from './programs.js'

describe('explore', () => {
  it('law 5: finds on a program what the search of its skeleton finds', () => {
    const wrong: string[] = []
    const many = { programs: 0, clean: 0 }
    for (let seed = 500_000; seed < 500_150; seed++) {
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
    expect(many.programs).toBeGreaterThan(140)
    expect(many.clean).toBeGreaterThan(25)
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
    for (let seed = 700_000; seed < 700_080; seed++) {
      const s = skeletonOf(seed)
      const launched = launchedSkeleton(s)
      const whole = searched(launched, { reduced: false, states: 30_000 })
      if (!whole.complete) continue
      const part = searched(launched)
      expect(kindsOf(part), show(s)).toBe(kindsOf(whole))
      if (whole.clean) expect(part.ends, show(s)).toEqual(whole.ends)
      if (part.states < whole.states) fewer++
    }
    expect(fewer).toBeGreaterThan(40)
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
  return schedule.reduce((m, key) => {
    const next = take(key)(m)
    if (E.isLeft(next)) throw new Error(`${showKey(key)}: ${next.left.message}`)
    return next.right[1]
  }, launched.machine)
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
      // a dealloc beside an operation on its columns is the detector's U2
      return contestedPair(world, offered(world, m)) !== null || said().includes('U2')
    case 'deadlock':
      return offered(world, m).length === 0 && m.agents.some((a) => a.status === 'running')
    case 'overrun':
      return said().includes('B2')
    case 'visibility':
      return said().some((id) => /^([PDRWMV]|B6)/.test(id))
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
    for (let seed = 800_000; seed < 800_250; seed++) {
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
      expect(shown[kind], kind).toBeGreaterThan(10)
  })
})

describe('keys', () => {
  it('law 1: states with equal keys offer equal events, and those lead to equal keys', () => {
    let met = 0
    for (let seed = 900_000; seed < 900_120; seed++) {
      const { world, machine } = launchedSkeleton(skeletonOf(seed))
      const touched = Claims.future(world, machine)
      const seen: Places.Seen = new Map()
      Claims.mapFuture(touched, (t) => Claims.noteAll(seen, t))
      const places = Places.places(world.header, seen)
      const names = Keys.names()
      const key = (m: Machine, v: Views.Views): string => Keys.stateKey(names, true, m, v, null).join()
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
    expect(met).toBeGreaterThan(3000)
  })

  it('without control and frames they tell the same states apart', () => {
    for (let seed = 910_000; seed < 910_150; seed++) {
      const { world, machine } = launchedSkeleton(skeletonOf(seed))
      const places = Places.places(world.header, new Map())
      const names = Keys.names()
      const views = Views.start(world, places)
      const bySmall = new Map<string, string>()
      for (let walk = 0; walk < 10; walk++) {
        const die = dice(seed * 31 + walk)
        let m = machine
        for (let k = 0; k < 60; k++) {
          const small = Keys.stateKey(names, false, m, views, null).join()
          const large = Keys.stateKey(names, true, m, views, null).join()
          expect(bySmall.get(small) ?? large).toBe(large)
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
