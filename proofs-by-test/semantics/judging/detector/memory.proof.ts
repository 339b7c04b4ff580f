/** What an access is asked besides its order: barriers under its bytes, planes that were only read, atomics of an operation; logs by hand. */
import { describe, expect, test } from 'vitest'
import type { Access, Footprint } from '../../../../src/semantics/log/events.js'
import { script, type Script, type World } from './script.js'
import { asSpans } from '../../../../src/semantics/log/events.js'

const show = (s: Script): ReadonlyArray<string> =>
  s
    .judge()
    .findings.map(
      (f) => `${f.id} ${[f.a, f.b].flatMap((o) => (o === undefined ? [] : [o.site])).join(' / ')}`,
    )

describe('B7: bytes of a barrier', () => {
  /** Barrier b lies in the bytes 3072 to 3080 of shared memory, x after it; they are written by whoever the step says. */
  const world: World = {
    agents: ['p@0', 'c@0'],
    barriers: [
      { name: 'b', count: 1 },
      { name: 'x', count: 1 },
    ],
    bare: true,
  }
  let footprints = 1000
  const write = (s: Script, agent: number, from: number, to: number, place = 's0 0'): void => {
    const footprint: Footprint = {
      ...s.footprint(place),
      id: footprints++,
      spans: asSpans(Int32Array.of(from, to)),
    }
    s.push({
      _tag: 'access',
      stamp: s.stamp(agent, 'clobber'),
      rw: 'w',
      proxy: 'generic',
      footprint,
      role: 'destination',
      atomic: false,
    })
  }
  const found = (run: (s: Script) => void): ReadonlyArray<string> => {
    const s = script(world)
    run(s)
    return show(s)
  }
  test.each<readonly [string, from: number, to: number, place: string, ReadonlyArray<string>]>([
    ['its first byte', 3072, 3073, 's0 0', ['B7 init / clobber']],
    ['its last', 3079, 3080, 's0 0', ['B7 init / clobber']],
    ['more than it', 3000, 3080, 's0 0', ['B7 init / clobber']],
    ['up to it', 3000, 3072, 's0 0', []],
    ['from its end on', 3080, 3096, 's0 0', []],
    ['the same bytes of another memory', 3072, 3080, 't0 0', []],
    ['of global memory', 3072, 3080, 'g 0', []],
  ])('%s', (_, from, to, place, expected) => {
    expect(
      found((s) => {
        s.init(0, 0, 1)
        write(s, 0, from, to, place)
      }),
    ).toEqual(expected)
  })
  test('of two barriers: each of them', () => {
    const over = (from: number, to: number): number =>
      found((s) => {
        s.init(0, 0, 1)
        s.init(0, 1, 1)
        write(s, 0, from, to)
      }).length
    expect([over(3072, 3080), over(3080, 3088), over(3072, 3088), over(3088, 3096)]).toEqual([1, 1, 2, 0])
  })
  test.each<readonly [string, (s: Script) => void, ReadonlyArray<string>]>([
    ['before it is initialised', (s) => write(s, 1, 3072, 3080), []],
    [
      'when it is over, and that is known',
      (s) => {
        s.init(0, 0, 1)
        s.inval(0, 0)
        s.sync([0, 1])
        write(s, 1, 3072, 3080)
      },
      [],
    ],
    [
      'when it is over, by an agent that knows nothing of it',
      (s) => {
        s.init(0, 0, 1)
        s.inval(0, 0)
        write(s, 1, 3072, 3080)
      },
      ['B7 init / clobber'],
    ],
    [
      'when it is over, by the agent itself',
      (s) => {
        s.init(0, 0, 1)
        s.inval(0, 0)
        write(s, 0, 3072, 3080)
      },
      [],
    ],
    [
      'while it lives, whoever knows it',
      (s) => {
        s.init(0, 0, 1)
        s.sync([0, 1])
        write(s, 1, 3072, 3080)
      },
      ['B7 init / clobber'],
    ],
  ])('%s', (_, run, expected) => {
    expect(found(run)).toEqual(expected)
  })
})

describe('planes that were only read: the first write finds every read', () => {
  const world: World = { agents: ['p@0', 'c@0', 'd@0'], barriers: [], bare: true }
  const found = (run: (s: Script) => void): ReadonlyArray<string> => {
    const s = script(world)
    run(s)
    return show(s)
  }
  test.each<readonly [string, (s: Script) => void, ReadonlyArray<string>]>([
    [
      'reads of several agents and places',
      (s) => (s.r(0, 'g 0'), s.r(1, 'g 0-2', 'wide'), s.r(2, 'g 5'), s.w(2, 'g 0')),
      ['D2 read g 0 / write g 0', 'D2 wide / write g 0'],
    ],
    ['reads alone', (s) => (s.r(0, 'g 0'), s.r(1, 'g 0')), []],
    ['a read that is known', (s) => (s.r(0, 'g 0'), s.sync([0, 1]), s.w(1, 'g 0')), []],
    ['elsewhere', (s) => (s.r(0, 'g 0'), s.w(1, 'g 1')), []],
    [
      'reads after the first write are held against it as any',
      (s) => (s.r(0, 'g 0'), s.w(0, 'g 0'), s.r(1, 'g 0', 'after'), s.w(2, 'g 1'), s.r(1, 'g 1', 'last')),
      ['D2 write g 0 / after', 'D2 write g 1 / last'],
    ],
    [
      'each read in its own cluster',
      (s) => {
        s.cluster(1)
        s.r(0, 'g 0', 'first')
        s.cluster(2)
        s.r(1, 'g 0', 'second')
        s.w(2, 'g 0')
      },
      ['D3 first / write g 0', 'D2 second / write g 0'],
    ],
    [
      'an atomic read is none of them',
      (s) => {
        s.push({
          _tag: 'access',
          stamp: s.stamp(0, 'look'),
          rw: 'r',
          proxy: 'generic',
          footprint: s.footprint('g 0'),
          role: 'source',
          atomic: true,
          combine: 'add',
        })
        s.w(1, 'g 0')
      },
      ['D2 look / write g 0'],
    ],
  ])('%s', (_, run, expected) => {
    expect(found(run)).toEqual(expected)
  })
  test('how many atoms were looked at: a read that waits for a write is none', () => {
    const looked = (run: (s: Script) => void): number => {
      const s = script(world)
      run(s)
      return s.judge().looked
    }
    expect(looked((s) => (s.r(0, 'g 0'), s.r(0, 'g 1')))).toBe(0)
    expect(looked((s) => (s.r(0, 's0 0'), s.r(0, 's0 1')))).toBe(2)
    // an output is there to be written, and of private memory each agent has little
    const s = script({ ...world, output: true })
    s.r(0, 'g 0')
    expect(s.judge().looked).toBe(1)
    // two atoms under the wide one: what the first had, and the rest
    expect(looked((s) => (s.r(0, 's0 0'), s.r(0, 's0 0-2')))).toBe(3)
    // the kept read is looked at with the write
    expect(looked((s) => (s.r(0, 'g 0'), s.w(0, 'g 1')))).toBe(2)
  })
})

describe('an operation that combines with what is there', () => {
  const atomic = (s: Script, operation: number, rw: 'r' | 'w', site: string): void => {
    const e: Access = {
      _tag: 'access',
      stamp: s.stamp(0, site),
      operation,
      rw,
      proxy: 'async',
      footprint: s.footprint('g 0'),
      role: 'destination',
      atomic: true,
      scope: 'gpu',
      combine: 'add',
    }
    s.push(e)
  }
  const after = (side: 'read' | 'full' | 'none'): ReadonlyArray<string> => {
    const s = script({ agents: ['p@0'], barriers: [], bare: true })
    const op = s.issue(0, 'tmaStore', 'reduce')
    s.commit(0, 'bulk')
    s.perform(op, [], [])
    atomic(s, op, 'r', 'ignored')
    if (side !== 'none') s.awaits(0, 'bulk', 0, side === 'read')
    s.w(0, 'g 0')
    s.awaits(0, 'bulk', 0)
    return show(s)
  }
  test('its read of the destination is done with its write, not with its source', () => {
    expect(after('none')).toEqual(['D2 reduce / write g 0'])
    expect(after('read')).toEqual(['D2 reduce / write g 0'])
    expect(after('full')).toEqual([])
  })
})

describe('who was meant first depends on what the operation knew', () => {
  test('kept for its accesses in shared memory: an operation that knew the release was meant to read', () => {
    // c issues a product that reads slot 0, knowing p's issue of the load into it, and the load lands later
    const reads = (knew: boolean): ReadonlyArray<string> => {
      const s = script({ agents: ['p@0', 'c@0'], barriers: [{ name: 'full', count: 1 }] })
      s.w(1, 's0 0', 'old')
      s.arrive(0, 0, { bytes: 16 })
      const op = s.issue(0, 'tmaLoad', 'load')
      if (knew) s.sync([0, 1])
      const mma = s.issue(1, 'wgmma', 'mma')
      s.commit(1, 'wgmma')
      s.perform(mma, ['s0 0'], [])
      s.perform(op, [], ['s0 0'])
      s.bytes(op, 0, 16)
      s.wait(0, 0, 0)
      s.wait(1, 0, 0)
      s.awaits(1, 'wgmma', 0)
      return show(s).filter((f) => f.includes('mma / load') || f.includes('load / mma'))
    }
    // read too early, or overwritten too early
    expect(reads(true)).toEqual(['R1 mma / load'])
    expect(reads(false)).toEqual(['W1 mma / load'])
  })
})

describe('whoever has touched memory or issued anything has begun: a barrier that nobody primes is a lost prime before that alone', () => {
  const ids = (run: (s: Script) => void): ReadonlyArray<string> => {
    const s = script({
      agents: ['p@0', 'c@0'],
      barriers: [
        { name: 'x', count: 1 },
        { name: 'y', count: 1 },
      ],
    })
    run(s)
    s.wait(0, 0, 0, { blocked: true })
    s.wait(1, 1, 0, { blocked: true })
    return s.judge().findings.map((f) => f.id)
  }
  test.each<readonly [string, (s: Script) => void, id: 'B5' | 'B6']>([
    ['nothing', () => undefined, 'B6'],
    ['a meeting', (s) => s.sync([0, 1]), 'B6'],
    ['a read', (s) => s.r(1, 's0 0'), 'B5'],
    ['an issue', (s) => s.issue(0, 'wgmma'), 'B5'],
    [
      'in another cluster',
      (s) => [s.r(1, 's0 0'), s.cluster(1), s.init(0, 0, 1), s.init(0, 1, 1), s.sync([0, 1])],
      'B6',
    ],
  ])('%s', (_, run, id) => {
    expect(ids(run)).toEqual([id])
  })
})
