import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { describe, expect, it } from 'vitest'
import { unit } from '../../../../src/numerics/unit.js'
import { launch, noArguments } from '../../../../src/semantics/execution/launch.js'
import { embed } from '../../../../src/semantics/schedules/naive/embed.js'
import { explore, walk } from '../../../../src/semantics/schedules/naive/explore.js'
import { follow } from '../../../../src/semantics/schedules/naive/follow.js'
import { show } from '../../../../src/semantics/schedules/naive/notation.js'
import {
  allFamilies,
  allocatingAsItShouldBe,
  allocatingOf,
  dice,
  hopperFamilies,
  ringOf,
  skeletonOf,
  type Style,
} from '../../../../src/semantics/schedules/naive/random.js'
import { place } from '../../../../src/semantics/language/place.js'
import { ignore, run, settings } from '../../../../src/semantics/execution/run.js'
import { validate } from '../../../../src/semantics/language/validate.js'
import { skeleton } from './skeletons.js'
import { nightly } from '../../../extent.js'
import { right } from '../../../either.js'

const styles: ReadonlyArray<Style> = [
  'generic',
  'load',
  'wgmma',
  'tensor',
  'store',
  'remote',
  'mixed',
  'copy',
  'multicast',
  'pair',
]

describe('random', () => {
  it('is the same on every platform', () => {
    const die = dice(1)
    expect([die.below(1000), die.below(1000), die.below(1000)]).toEqual([367, 81, 820])
    expect(show(skeletonOf(7))).toBe(
      'f0@0:1 f0@1:1 d0@0:1 d0@1:1 e0@0:2 | p@0: wait #4 1; arx #0 1; ld > s0.x0:#0:1 s1.x0:#1:1; rdv x 0,1,2 ~; rdv exit0 0,1; dea t0.y | c@0: wait #0 0; mma s0.x0 > t0.y; com #2,#3; wait #2 0 ^; arr #4; rdv x 0,1,2 ~; rdv exit0 0,1 | d@1: wait #1 0; arx #1 1; rd s1.x0; wait #3 0 ^; arr #4; rdv x 0,1,2 ~',
    )
  })

  it.each(styles)('law 1: a whole ring is clean: %s', (style) => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 60; seed++) {
      const s = ringOf(seed, style)
      if (seen.has(show(s))) continue
      seen.add(show(s))
      const found = explore(s)
      expect(found !== 'too large' && found.clean, show(s)).toBe(true)
    }
    expect(seen.size).toBeGreaterThan(style === 'multicast' || style === 'pair' ? 3 : 9)
  })

  it.each(['lend', 'own', 'twice', 'both'] as const)('law 1: so is one that allocates: %s', (style) => {
    const all = new Set(Array.from({ length: 30 }, (_, seed) => show(allocatingAsItShouldBe(seed, style))))
    expect(all.size).toBeGreaterThan(2)
    for (const text of all) {
      const found = explore(skeleton(text))
      expect(found !== 'too large' && found.clean, text).toBe(true)
    }
  })
  it('law 3: of those that allocate, too', () => {
    const seen = { clean: 0, refused: 0, unwritten: 0, race: 0, exit: 0 }
    const count = nightly ? 150 : 40
    for (let seed = 0; seed < count; seed++) {
      const found = explore(allocatingOf(seed), { states: 20_000, stop: false })
      if (found === 'too large') continue
      if (found.clean) seen.clean += 1
      for (const kind of ['refused', 'unwritten', 'race', 'exit'] as const)
        if (found[kind].length > 0) seen[kind] += 1
    }
    expect(Math.min(seen.clean, seen.refused)).toBeGreaterThan(count / 5)
    expect(Math.min(seen.unwritten, seen.race, seen.exit)).toBeGreaterThan(count / 20)
  })

  it('law 3: the clean ones and the faulty ones are both common, and every kind of fault occurs', () => {
    const seen = { clean: 0, race: 0, visibility: 0, fault: 0, deadlock: 0, exit: 0 }
    const count = nightly ? 400 : 80
    for (let seed = 0; seed < count; seed++) {
      const found = explore(skeletonOf(seed), { states: 50_000, stop: false })
      if (found === 'too large') continue
      if (found.clean) seen.clean += 1
      for (const kind of ['race', 'visibility', 'fault', 'deadlock', 'exit'] as const)
        if (found[kind].length > 0) seen[kind] += 1
    }
    expect(seen.clean).toBeGreaterThan(count / 5)
    expect(seen.clean).toBeLessThan((4 * count) / 5)
    expect(Math.min(seen.race, seen.visibility, seen.deadlock, seen.exit)).toBeGreaterThan(count / 5)
    expect(seen.fault).toBeGreaterThan(count / 20)
  })
})

describe('embed', () => {
  it('law 1: every drawn skeleton is a valid program', () => {
    for (let seed = 0; seed < (nightly ? 250 : 80); seed++) {
      const s = skeletonOf(seed, seed % 2 === 1 ? allFamilies : hopperFamilies)
      const valid = pipe(
        embed(s),
        E.chainW(({ program }) => place(program)),
        E.chainW(validate),
      )
      expect(E.isRight(valid) ? '' : valid.left.message, show(s)).toBe('')
    }
    for (let seed = 0; seed < (nightly ? 100 : 40); seed++) {
      const valid = pipe(
        embed(allocatingOf(seed)),
        E.chainW(({ program }) => place(program)),
        E.chainW(validate),
      )
      expect(E.isRight(valid) ? '' : valid.left.message, show(allocatingOf(seed))).toBe('')
    }
  })

  it('an operation becomes the instruction that it means', () => {
    const instructions = (text: string): ReadonlyArray<unknown> => {
      const embedded = right(embed(skeleton(text)))
      return embedded.program.entry.body.flatMap((stmt) =>
        stmt._tag === 'If' && stmt.site.label === 'agent 0'
          ? stmt.then.body.flatMap((inner) => (inner._tag === 'Do' ? [inner.instruction] : []))
          : [],
      )
    }
    expect(instructions(' | t@0: st s0.x > g.z; bc; bw 1 full; bw 0 read; fen global')).toMatchObject([
      { _tag: 'tma.store' },
      { _tag: 'bulk.commitGroup' },
      { _tag: 'bulk.waitGroup', pending: 1, read: false },
      { _tag: 'bulk.waitGroup', pending: 0, read: true },
      { _tag: 'fence.proxyAsync', scope: 'global' },
    ])
    expect(
      instructions(
        'b@0:1 b@1:1 | t@0: ld > s0.x:#0:1 s1.x:#1:1; arr #1 ~; rdv a 0,1 ~; rdv b 0,1 | u@1: rdv a 0,1 ~; rdv b 0,1',
      ),
    ).toMatchObject([
      { _tag: 'tma.load', multicast: { value: 3 } },
      { _tag: 'mbarrier.arrive', release: false, scope: 'cluster', barrier: { _tag: 'remote' } },
      { _tag: 'cluster.arrive', relaxed: true },
      { _tag: 'cluster.wait' },
      { _tag: 'cluster.arrive', relaxed: false },
      { _tag: 'cluster.wait' },
    ])
  })

  it('refuses what no program has, and says why', () => {
    const wrong = [
      'b@1:1 | t@0: wait #0 0 | u@1: arr #0',
      ' | t@0: rd s1.x | u@1: wr s1.x',
      'b@0:1 | t@0: ld > s0.x:#0:2',
      'b@0:1 | t@0: wg s0.x > r0.a; wc; com #0',
      'b@0:2 | t@0: arr #0 ^; arr #0; wait #0 0',
      ' | t@0: rd t0.x',
    ]
    const found = wrong.map((text) => embed(skeleton(text)))
    expect(found.map((e) => (E.isLeft(e) ? `${e.left.code}: ${e.left.message}` : 'embedded'))).toEqual([
      'naive.embed: 0.0 wait #0 0: the barrier is in another CTA',
      'naive.embed: 0.0 rd s1.x: s1.x is in another CTA',
      'naive.embed: 0.0 ld > s0.x:#0:2: one unit per atom, found 2',
      'naive.embed: wgmma and tcgen05 are not of one machine',
      'naive.embed: only some arrivals on b carry tensor-core order',
      'naive.embed: 0.0 rd t0.x: tensor memory has no generic accesses',
    ])
  })
})

describe('follow', () => {
  it('law 1: the machine takes every walk, and ends where it ends', () => {
    const count = nightly ? 5000 : 150
    const ends = { completed: 0, stuck: 0 }
    for (let seed = 0; seed < count; seed++) {
      const s = skeletonOf(seed, hopperFamilies)
      const die = dice(seed + 1000)
      const { schedule, outcome } = walk(s, (n) => die.below(n))
      if (outcome === 'fault') continue
      const embedded = right(embed(s))
      const { world, machine } = right(launch(embedded.program, unit, noArguments))
      const ran = run(world, machine, settings(follow(s, embedded, schedule)), ignore)
      const ended = outcome === 'finished' ? 'completed' : 'stuck'
      expect(ran.outcome._tag, show(s)).toBe(ended)
      ends[ended] += 1
    }
    expect(Math.min(ends.completed, ends.stuck)).toBeGreaterThan(count / 8)
  })
})
