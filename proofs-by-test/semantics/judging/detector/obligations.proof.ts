/** What is owed at an exit, however much it is, by whom, to which CTA: by hand, with more of it than is kept before what is met is forgotten. */
import { describe, expect, test } from 'vitest'
import { doneBy } from '../../../../src/semantics/judging/detector/access-record.js'
import { context } from '../../../../src/semantics/judging/detector/context.js'
import { clockOf } from '../../../../src/semantics/judging/detector/knowledge.js'
import { obligations, owe } from '../../../../src/semantics/judging/detector/obligations.js'
import { defaults } from '../../../../src/semantics/judging/detector/rules.js'
import { asSpans, scattered, type Footprint, type Stamp } from '../../../../src/semantics/log/events.js'
import { load, script, type Script } from './script.js'
import { put } from '../../../../src/semantics/judging/detector/sparse.js'

const world = { agents: ['w@0'], barriers: [{ name: 'full', count: 1 }] }
/** The sites whose operations the exit does not know to be done. */
const owed = (s: Script): ReadonlyArray<string> =>
  s
    .judge()
    .findings.filter((f) => f.id === 'U2')
    .map((f) => f.a.site)

const counts = [1, 63, 64, 65, 128, 200] as const

describe('at an exit', () => {
  test.each(counts)('each of %d products that nobody has waited for', (count) => {
    const s = script(world)
    const sites = Array.from({ length: count }, (_, i) => `mma ${String(i)}`)
    for (const site of sites) s.perform(s.issue(0, 'wgmma', site), ['s0 0'], ['r0 0'])
    expect(owed(s)).toEqual(sites)
  })
  test.each(counts)('none of %d that are waited for, and those behind the wait', (count) => {
    const s = script(world)
    for (let i = 0; i < count; i++) {
      s.perform(s.issue(0, 'wgmma', `mma ${String(i)}`), ['s0 0'], ['r0 0'])
      s.commit(0, 'wgmma')
      if (i % 7 === 6) s.awaits(0, 'wgmma', 0)
    }
    const last = count - (count % 7)
    expect(owed(s)).toEqual(Array.from({ length: count % 7 }, (_, i) => `mma ${String(last + i)}`))
  })
  test('a copy among many that is not waited for, whenever it was', () => {
    for (const lost of [0, 40, 90]) {
      const s = script({ agents: ['w@0', 'v@0'], barriers: [...world.barriers, { name: 'lost', count: 1 }] })
      for (let i = 0, turn = 0; i < 100; i++) {
        if (i === lost) load(s, 0, 1, 's0 1', 'lost')
        else {
          load(s, 0, 0, 's0 0', `load ${String(i)}`)
          s.wait(0, 0, turn++ % 2 === 0 ? 0 : 1)
        }
      }
      expect(owed(s)).toEqual(['lost'])
    }
  })
})

describe('copies of two lanes of a warp are owed by each', () => {
  const footprint: Footprint = {
    id: 100,
    plane: 0,
    spans: asSpans(Int32Array.of(0, 8)),
    dtype: 'f32',
    map: scattered([2], Int32Array.of(0, 4)),
  }
  /** Both lanes copy; `parted`: one of them knows more. Of the copies of these lanes it is told that they are done. */
  const copies = (parted: boolean, told: ReadonlyArray<number>, by: 'group' | 'arrival'): Script => {
    const s = script({ agents: ['w@0'], barriers: [{ name: 'full', count: Math.max(1, told.length) }] })
    const stamp = (site: string, lanes: number): Stamp => ({ ...s.stamp(0, site), lanes })
    const issue = (operation: number, site: string, lanes: number): Stamp => {
      const own = stamp(site, lanes)
      const [macs, accumulates, bytes] = [0, false, 0]
      s.push({ _tag: 'issue', stamp: own, operation, unit: 'cpAsync', bytes, macs, accumulates })
      return own
    }
    if (parted) s.push({ _tag: 'fence', stamp: stamp('fence', 1), kind: 'proxyAsync', scope: 'cta' })
    const own = issue(0, 'copies', 3)
    s.push({ _tag: 'perform', operation: 0, stage: 'all', part: 0 })
    const [role, proxy, atomic] = ['destination', 'generic', false] as const
    s.push({ _tag: 'access', operation: 0, stamp: own, rw: 'w', proxy, footprint, role, atomic })
    s.group(0, 'cpAsync', 'full')
    const group = (kind: 'commit' | 'wait', lanes: number): void => {
      const [family, pending, read, blocked] = ['cpAsync', 0, false, false] as const
      s.push({ _tag: 'group', stamp: stamp(kind, lanes), kind, family, pending, read, blocked })
    }
    if (by === 'group') {
      group('commit', 3)
      for (const lane of told) group('wait', lane)
      return s
    }
    told.forEach((lane, i) => {
      issue(i + 1, 'arrival', lane)
      s.arrives(i + 1, 0)
    })
    const [barrier, parity, acquire, scope, tensor] = [0, 0, true, 'cta', false] as const
    if (told.length > 0)
      s.push({
        _tag: 'wait',
        stamp: stamp('wait', 3),
        barrier,
        parity,
        acquire,
        scope,
        tensor,
        outcome: 'passed',
      })
    return s
  }
  describe.each([false, true])('one of them knows more: %s', (parted) => {
    describe.each(['group', 'arrival'] as const)('told by %s', (by) => {
      test.each([
        ['neither', []],
        ['the first', [1]],
        ['the second', [2]],
        ['both', [1, 2]],
      ] as const)('of %s', (_, told) => {
        expect(owed(copies(parted, told, by))).toEqual(told.length < 2 ? ['copies'] : [])
      })
    })
  })
})

describe('in whose words', () => {
  const world = {
    agents: ['p@0', 'helper@0', 'q@1', 'r@2'],
    barriers: [{ name: 'own', count: 1 }, ...[1, 2].map((cta) => ({ name: 'far', count: 3, cta }))],
  }
  const said = (write: (s: Script) => void): ReadonlyArray<string> => {
    const s = script(world)
    write(s)
    return s
      .judge()
      .findings.filter((f) => ['U2', 'K1'].includes(f.id))
      .map((f) => `${f.id} ${f.text} (${f.a.agent} ${f.a.site}: ${f.a.does}, ${String(f.a.operation)})`)
  }
  const own = 'U2 CTA 0 can exit before this tmaLoad is done (p@0 load: tmaLoad, 0)'
  const reaching = (cta: number, site: string): string =>
    `K1 CTA ${String(cta)} can exit before this reaches it: arrive on far@${String(cta)} (p@0 ${site}: arrive on far@${String(cta)}, undefined)`
  test.each<readonly [string, (s: Script) => void, ReadonlyArray<string>]>([
    ['its own CTA', (s) => load(s, 0, 0, 's0 0', 'load'), [own]],
    ['known to whoever issued it', (s) => [load(s, 0, 0, 's0 0', 'load'), s.wait(0, 0, 0)], []],
    ['known to another agent of that CTA', (s) => [load(s, 0, 0, 's0 0', 'load'), s.wait(1, 0, 0)], []],
    ['known to agents of other CTAs alone', (s) => [load(s, 0, 0, 's0 0', 'load'), s.wait(2, 0, 0)], [own]],
    [
      'a copy into another CTA',
      (s) => {
        const op = s.issue(0, 'tmaLoad', 'far copy')
        s.perform(op, [], ['s1 0'])
        s.bytes(op, 1, 16)
      },
      ['K1 CTA 1 can exit before this reaches it: tmaLoad (p@0 far copy: tmaLoad, 0)'],
    ],
    [
      'an agent itself: the last of what it did there, of each CTA',
      (s) => {
        s.arrive(0, 1, { site: 'first' })
        s.arrive(0, 1, { site: 'second' })
        s.arrive(0, 2, { site: 'third' })
      },
      [reaching(1, 'second'), reaching(2, 'third')],
    ],
    [
      'each agent for itself',
      (s) => [s.arrive(0, 2, { site: 'one' }), s.arrive(3, 1, { site: 'other' })],
      [reaching(2, 'one'), reaching(1, 'other').replace('p@0', 'r@2')],
    ],
    [
      'what is known there since is no debt, what came later is one',
      (s) => {
        s.arrive(0, 1, { site: 'first' })
        s.sync([0, 2], 20)
        s.arrive(0, 1, { site: 'later' })
      },
      [reaching(1, 'later')],
    ],
    ['known there', (s) => [s.arrive(0, 1), s.sync([0, 2], 20)], []],
  ])('%s', (_, write, expected) => {
    expect(said(write)).toEqual(expected)
  })
})

describe('what is met is forgotten whenever the list has doubled', () => {
  const { header } = script(world)
  /** So many obligations, of which the agent of the CTA knows the first `known`; how long the list is after each, and its limit. */
  const lengths = (count: number, known: number): ReadonlyArray<readonly [length: number, limit: number]> => {
    const c = context(header, defaults)
    put(c.agents[0]!.knowledge.order, clockOf('wgmma', 0), known)
    const all = obligations()
    return Array.from({ length: count }, (_, i) => {
      const stamp = { agent: 0, at: i + 1, site: 0, iteration: [] }
      owe(c, all, doneBy(clockOf('wgmma', 0), i + 1), 0, stamp, i, 'wgmma')
      return [all.pending.length, all.limit] as const
    })
  }
  test('all are met: 63 at most', () => {
    expect(lengths(200, 200)).toEqual(Array.from({ length: 200 }, (_, i) => [(i + 1) % 64, 64]))
  })
  test('none is met: all stay, and the next look is when they are twice as many', () => {
    expect(lengths(300, 0)).toEqual(
      Array.from({ length: 300 }, (_, i) => [
        i + 1,
        i + 1 < 64 ? 64 : i + 1 < 128 ? 128 : i + 1 < 256 ? 256 : 512,
      ]),
    )
  })
  test('some are met: the others stay', () => {
    expect(lengths(64, 20)[63]).toEqual([44, 88])
    expect(lengths(64, 50)[63]).toEqual([14, 64])
  })
})
