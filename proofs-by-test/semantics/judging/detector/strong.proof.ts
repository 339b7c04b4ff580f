/**
 * Strong accesses on logs by hand: message passing in every form that the memory model of PTX has for it, release sequences, and waits for a word. What should come
 * of each is said by the model's own words: a release pattern and an acquire pattern on one word, each in the other's scope.
 */
import { describe, expect, test } from 'vitest'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import { standard, type Rules } from '../../../../src/semantics/judging/detector/rules.js'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import {
  asSpans,
  type Access,
  type Comparison,
  type Fence,
  type Footprint,
} from '../../../../src/semantics/log/events.js'
import type { Scope } from '../../../../src/semantics/language/instruction.js'
import { script, type Script } from './script.js'
import { nightly } from '../../../extent.js'

/** Two clusters of two CTAs each; CTA 0 has two agents. */
const agents = ['a@0', 'a2@0', 'b@1', 'c@2', 'd@3']
const judged = (write: (s: Script) => void, rules: Partial<Rules> = {}): Judgement => {
  const s = script({ agents, barriers: [], bare: true })
  write(s)
  return judgeLog({ ...s.header, resident: 2 }, s.events, { ...defaults, rules: { ...standard, ...rules } })
}

const word = (s: Script, byte: number): Footprint => ({
  id: 1000 + byte,
  plane: s.header.planes.findIndex((p) => p.space === 'gmem'),
  spans: asSpans(Int32Array.of(byte, byte + 4)),
  dtype: 'i32',
  map: { _tag: 'scatter', shape: [1], offsets: Int32Array.of(0), by: byte },
})

interface How {
  readonly scope?: Scope
  readonly orders?: boolean
  readonly decides?: boolean
  readonly left?: number
  readonly found?: number
  readonly site?: string
}
const base = (s: Script, x: number, rw: 'r' | 'w', site: string, byte: number): Access => ({
  _tag: 'access',
  stamp: s.stamp(x, site),
  rw,
  proxy: 'generic',
  footprint: word(s, byte),
  role: rw === 'r' ? 'source' : 'destination',
  atomic: true,
})
const store = (s: Script, x: number, h: How = {}, byte = 0): void =>
  s.push({
    ...base(s, x, 'w', h.site ?? 'store', byte),
    scope: h.scope ?? 'gpu',
    ...(h.orders === true ? { releases: true as const } : {}),
    ...(h.left === undefined ? {} : { left: [h.left], found: [h.found ?? h.left - 1] }),
  })
const load = (s: Script, x: number, h: How = {}, byte = 0): void =>
  s.push({
    ...base(s, x, 'r', h.site ?? 'load', byte),
    scope: h.scope ?? 'gpu',
    ...(h.orders === true ? { acquires: true as const } : {}),
    ...(h.decides === true ? { decides: true as const } : {}),
  })
const atomic = (s: Script, x: number, h: How & { acquires?: boolean } = {}, byte = 0): void => {
  const read = base(s, x, 'r', h.site ?? 'atomic', byte)
  const scope = h.scope ?? 'gpu'
  s.push({ ...read, scope, ...(h.decides === true ? { decides: true as const } : {}) })
  s.push({
    ...read,
    rw: 'w',
    role: 'destination',
    scope,
    combine: 'add',
    ...(h.acquires === true ? { acquires: true as const } : {}),
    ...(h.orders === true ? { releases: true as const } : {}),
    ...(h.left === undefined ? {} : { left: [h.left], found: [h.found ?? h.left - 1] }),
  })
}
const fence = (s: Script, x: number, scope: Fence['scope']): void =>
  s.push({ _tag: 'fence', stamp: s.stamp(x, `fence ${scope}`), kind: 'memory', scope })
const wait = (
  s: Script,
  x: number,
  until: Comparison,
  value: number,
  before: number,
  relaxed = false,
  byte = 0,
): void =>
  s.push({
    _tag: 'semaphore',
    stamp: s.stamp(x, 'wait'),
    kind: 'wait',
    footprint: word(s, byte),
    value,
    decrement: false,
    scope: 'gpu',
    before,
    outcome: 'passed',
    until,
    ...(relaxed ? { relaxed: true as const } : {}),
  })

const racy = (j: Judgement): boolean => j.findings.length > 0

const scopes = ['cta', 'cluster', 'gpu'] as const
const width: Readonly<Record<string, number>> = { cta: 1, cluster: 2, gpu: 3, global: 3 }
const fences = [null, 'cta', 'cluster', 'global'] as const

describe('message passing', () => {
  test.each([
    ['in one CTA', 1, 1],
    ['in one cluster', 2, 2],
    ['in the grid', 3, 3],
  ] as const)('%s', (_, reader, needed) => {
    let [both, at] = [0, 0]
    for (const by of ['store', 'atomic'] as const)
      for (const told of scopes)
        for (const releases of [false, true])
          for (const before of fences)
            for (const heard of scopes)
              for (const hears of ['load', 'atomic'] as const)
                for (const acquires of [false, true])
                  for (const behind of fences) {
                    // by day every seventh
                    if (at++ % 7 !== 0 && !nightly) continue
                    const j = judged((s) => {
                      s.w(0, 'g 5')
                      if (before !== null) fence(s, 0, before)
                      if (by === 'store') store(s, 0, { scope: told, orders: releases })
                      else atomic(s, 0, { scope: told, orders: releases })
                      if (hears === 'load') load(s, reader, { scope: heard, orders: acquires })
                      else atomic(s, reader, { scope: heard, acquires })
                      if (behind !== null) fence(s, reader, behind)
                      s.r(reader, 'g 5')
                    })
                    const strong = width[told]! >= needed && width[heard]! >= needed
                    const release = releases || (before !== null && width[before]! >= needed)
                    const acquire = acquires || (behind !== null && width[behind]! >= needed)
                    const expected = strong && release && acquire
                    if (expected) both++
                    const found = j.findings.some((f) => f.a.site === 'write g 5')
                    expect([by, told, releases, before, hears, heard, acquires, behind, !found]).toEqual([
                      by,
                      told,
                      releases,
                      before,
                      hears,
                      heard,
                      acquires,
                      behind,
                      expected,
                    ])
                  }
    expect(both).toBeGreaterThan(nightly ? 20 : 5)
  })
  test('a fence before the write, or behind the read, is another thing', () => {
    expect(
      racy(
        judged((s) => {
          fence(s, 0, 'global')
          s.w(0, 'g 5')
          store(s, 0)
          load(s, 3)
          fence(s, 3, 'global')
          s.r(3, 'g 5')
        }),
      ),
    ).toBe(true)
    expect(
      racy(
        judged((s) => {
          s.w(0, 'g 5')
          store(s, 0, { orders: true })
          fence(s, 3, 'global')
          load(s, 3)
          s.r(3, 'g 5')
        }),
      ),
    ).toBe(true)
  })
})

describe('what a word tells', () => {
  const passing = (between: (s: Script) => void): boolean =>
    !racy(
      judged((s) => {
        s.w(0, 'g 5')
        store(s, 0, { orders: true })
        between(s)
        load(s, 3, { orders: true })
        s.r(3, 'g 5')
      }),
    )
  test('goes through atomics that read and write, and ends with a store', () => {
    expect(passing(() => undefined)).toBe(true)
    expect(
      passing((s) => {
        atomic(s, 2)
      }),
    ).toBe(true)
    expect(
      passing((s) => {
        store(s, 2)
      }),
    ).toBe(false)
    expect(
      passing((s) => {
        store(s, 2)
        atomic(s, 2)
      }),
    ).toBe(false)
  })
  test('is of all who have added to it', () => {
    const j = judged((s) => {
      s.w(0, 'g 5')
      s.w(2, 'g 6')
      fence(s, 0, 'global')
      fence(s, 2, 'global')
      atomic(s, 0)
      atomic(s, 2)
      atomic(s, 3)
      fence(s, 3, 'global')
      s.r(3, 'g 5')
      s.r(3, 'g 6')
    })
    expect(racy(j)).toBe(false)
  })
  test('is of its own word', () => {
    const j = judged((s) => {
      s.w(0, 'g 5')
      store(s, 0, { orders: true }, 0)
      load(s, 3, { orders: true }, 4)
      s.r(3, 'g 5')
    })
    expect(racy(j)).toBe(true)
  })
})

describe('what was found comes before what follows', () => {
  const plain = (s: Script, x: number, rw: 'r' | 'w' = 'w', byte = 0): void =>
    s.push({ ...base(s, x, rw, 'plain', byte), atomic: false })
  const found = (write: (s: Script) => void): boolean => !racy(judged(write))
  test('an atomic that decides, and a plain access of the word behind it', () => {
    for (const rw of ['r', 'w'] as const)
      for (const told of scopes)
        for (const heard of scopes)
          for (const decides of [false, true]) {
            const is = found((s) => {
              atomic(s, 0, { scope: told })
              atomic(s, 3, { scope: heard, decides })
              plain(s, 3, rw)
            })
            expect([rw, told, heard, decides, is]).toEqual([
              rw,
              told,
              heard,
              decides,
              decides && told === 'gpu' && heard === 'gpu',
            ])
          }
  })
  test('a load that decides, a wait; and what an agent does that knows of them', () => {
    expect(
      found((s) => {
        store(s, 0)
        load(s, 3, { decides: true })
        plain(s, 3)
      }),
    ).toBe(true)
    expect(
      found((s) => {
        atomic(s, 0, { left: 1 })
        wait(s, 3, 'eq', 1, 1)
        plain(s, 3)
      }),
    ).toBe(true)
    expect(
      found((s) => {
        atomic(s, 0, { left: 1 })
        wait(s, 3, 'eq', 1, 1)
        store(s, 3, { orders: true }, 4)
        load(s, 2, { orders: true }, 4)
        plain(s, 2)
      }),
    ).toBe(true)
  })
  test('not what is written after it was found, nor another word, nor what a store has overwritten, nor what the writer did besides', () => {
    const not: ReadonlyArray<(s: Script) => void> = [
      (s) => {
        atomic(s, 3, { decides: true })
        atomic(s, 0)
        plain(s, 3)
      },
      (s) => {
        atomic(s, 0)
        atomic(s, 0, {}, 4)
        atomic(s, 3, { decides: true })
        plain(s, 3, 'w', 4)
      },
      (s) => {
        atomic(s, 0)
        store(s, 2)
        load(s, 3, { decides: true })
        plain(s, 3)
      },
      (s) => {
        plain(s, 0, 'w', 8)
        atomic(s, 0)
        atomic(s, 3, { decides: true })
        plain(s, 3, 'r', 8)
      },
      (s) => {
        atomic(s, 0)
        atomic(s, 3, { decides: true })
        plain(s, 2)
      },
    ]
    for (const write of not) expect(found(write)).toBe(false)
  })
})

describe('what decides', () => {
  const c1 = (write: (s: Script) => void): ReadonlyArray<string> =>
    judged(write).conditions.C1.failures.filter((text) => text.includes('may decide'))
  test('a load that nothing orders with a write of its word; not one that is ordered, nor one that decides nothing', () => {
    expect(
      c1((s) => {
        store(s, 0)
        load(s, 3, { decides: true })
      }),
    ).toHaveLength(1)
    expect(
      c1((s) => {
        load(s, 3, { decides: true })
        store(s, 0)
      }),
    ).toHaveLength(1)
    expect(
      c1((s) => {
        store(s, 0)
        load(s, 3)
      }),
    ).toHaveLength(0)
    expect(
      c1((s) => {
        store(s, 0)
        store(s, 0, { orders: true, left: 1 }, 4)
        wait(s, 3, 'eq', 1, 1, false, 4)
        load(s, 3, { decides: true })
      }),
    ).toHaveLength(0)
  })
  test('an atomic, although the next one hears it', () => {
    const one = { decides: true, acquires: true, orders: true }
    expect(
      c1((s) => {
        atomic(s, 0, one)
        atomic(s, 3, { acquires: true, orders: true })
      }),
    ).toHaveLength(1)
    expect(
      c1((s) => {
        atomic(s, 0, { acquires: true, orders: true })
        atomic(s, 3, one)
      }),
    ).toHaveLength(1)
    expect(
      c1((s) => {
        atomic(s, 0, one)
      }),
    ).toHaveLength(0)
  })
})

test('what is heard by chance', () => {
  const byChance = (write: (s: Script) => void): number =>
    judged(write).conditions.C1.failures.filter((text) => text.includes('synchronises or not')).length
  // a release that a load may find or not; one that it finds in any case; one that tells nothing
  expect([
    byChance((s) => {
      s.w(0, 'g 5')
      store(s, 0, { orders: true })
      load(s, 3, { orders: true })
    }),
    byChance((s) => {
      store(s, 0, { orders: true, left: 1 })
      wait(s, 3, 'eq', 1, 1)
      load(s, 3, { orders: true })
    }),
    byChance((s) => {
      store(s, 0)
      load(s, 3, { orders: true })
    }),
    byChance((s) => {
      s.w(0, 'g 5')
      store(s, 0, { orders: true })
      load(s, 3)
      fence(s, 3, 'global')
    }),
  ]).toEqual([1, 0, 0, 1])
})

describe('a wait for a word', () => {
  const unsettled = (write: (s: Script) => void): number => judged(write).conditions.C1.failures.length
  test('passes on one write, and on no fewer', () => {
    expect(
      unsettled((s) => {
        store(s, 0, { orders: true, left: 1 })
        wait(s, 3, 'eq', 1, 1)
      }),
    ).toBe(0)
    // the first of two stores would do
    expect(
      unsettled((s) => {
        store(s, 0, { orders: true, left: 1 })
        store(s, 0, { orders: true, left: 2 })
        wait(s, 3, 'ge', 1, 2)
      }),
    ).toBe(1)
    expect(
      unsettled((s) => {
        store(s, 0, { orders: true, left: 1 })
        store(s, 0, { orders: true, left: 2 })
        wait(s, 3, 'eq', 2, 2)
      }),
    ).toBe(0)
  })
  test('that could have passed before any write', () => {
    expect(
      unsettled((s) => {
        store(s, 0, { orders: true, left: 1, found: 1 })
        wait(s, 3, 'eq', 1, 1)
      }),
    ).toBe(1)
  })
  test('counts what adds, in whatever order', () => {
    const both = (until: Comparison, value: number): number =>
      unsettled((s) => {
        store(s, 3, { left: 0, found: 0 })
        store(s, 3, { orders: true, left: 1 }, 4)
        wait(s, 0, 'eq', 1, 1, false, 4)
        wait(s, 2, 'eq', 1, 1, false, 4)
        atomic(s, 0, { orders: true, left: 1 })
        atomic(s, 2, { orders: true, left: 2 })
        wait(s, 3, until, value, 2)
      })
    expect([both('ge', 2), both('eq', 2), both('ge', 1), both('ne', 0)]).toEqual([0, 0, 1, 1])
  })
  test('a write behind it has to know it', () => {
    const next = (knows: boolean): number =>
      unsettled((s) => {
        store(s, 0, { orders: true, left: 1 })
        wait(s, 3, 'eq', 1, 1)
        if (knows) {
          store(s, 3, { orders: true, left: 1 }, 4)
          wait(s, 0, 'eq', 1, 1, false, 4)
        }
        store(s, 0, { orders: true, left: 2 })
      })
    expect([next(true), next(false)]).toEqual([0, 1])
  })
  test('it hears what it waits for: at once, or at its next fence', () => {
    const hears = (relaxed: boolean, fenced: boolean): boolean =>
      !racy(
        judged((s) => {
          s.w(0, 'g 5')
          store(s, 0, { orders: true, left: 1 })
          wait(s, 3, 'eq', 1, 1, relaxed)
          if (fenced) fence(s, 3, 'global')
          s.r(3, 'g 5')
        }),
      )
    expect([hears(false, false), hears(true, false), hears(true, true)]).toEqual([true, false, true])
  })
})
