/** Programs as data: what a site and a region are when less is said, and which statements stand inside others, by hand. */
import { expect, test } from 'vitest'
import * as X from '../../../src/semantics/language/expression.js'
import {
  effectsOf,
  expressionsOf,
  mapRegions,
  region,
  regionsOf,
  site,
  statementsOf,
  type Binder,
  type Do,
  type Region,
  type Stmt,
} from '../../../src/semantics/language/program.js'

const at = site('here')
const int = (name: string): Binder => ({ name, type: { _tag: 'scalar', dtype: 'i32' } })
const effect = (label: string): Do => ({
  _tag: 'Do',
  results: [],
  instruction: { _tag: 'trap' },
  site: site(label),
})
const one = (label: string): Region => region([effect(label)])
const statements: ReadonlyArray<readonly [Stmt, ReadonlyArray<string>]> = [
  [{ _tag: 'Let', binder: int('x'), expr: X.i32(1), site: at }, []],
  [
    {
      _tag: 'For',
      index: int('i'),
      from: X.i32(0),
      to: X.i32(1),
      step: X.i32(1),
      carried: [],
      body: one('body'),
      results: [],
      site: at,
    },
    ['body'],
  ],
  [
    { _tag: 'While', carried: [], before: one('before'), after: one('after'), results: [], site: at },
    ['before', 'after'],
  ],
  [
    { _tag: 'If', cond: X.i1(true), then: one('then'), else: one('else'), results: [], site: at },
    ['then', 'else'],
  ],
  [
    {
      _tag: 'Fork',
      branches: [
        { agent: 'a', captures: [], body: one('parent') },
        { agent: 'b', captures: [], body: one('child') },
      ],
      results: [],
      site: at,
    },
    ['parent', 'child'],
  ],
]
const labels = (body: ReadonlyArray<Stmt>): ReadonlyArray<string> => effectsOf(body).map((s) => s.site.label)

test.each(statements.map(([s, inside]) => [s._tag, s, inside] as const))(
  '%s: its regions, in the order of the listing',
  (_, s, inside) => {
    expect(regionsOf(s).map((r) => r.body[0]!.site.label)).toEqual(inside)
    expect(labels([s])).toEqual(inside)
    // inside of another, and beside effects
    const outer: Stmt = {
      _tag: 'If',
      cond: X.i1(true),
      then: region([s]),
      else: region([]),
      results: [],
      site: at,
    }
    expect(labels([effect('first'), outer, effect('last')])).toEqual(['first', ...inside, 'last'])
  },
)
test('an effect has no regions and is one', () => {
  expect(regionsOf(effect('it'))).toEqual([])
  expect(labels([effect('it')])).toEqual(['it'])
})
test('a site has a place in a text only if there is one', () => {
  expect(site('a')).toStrictEqual({ label: 'a', path: [] })
  expect(site('a', ['b'], 'f:1:2')).toStrictEqual({ label: 'a', path: ['b'], loc: 'f:1:2' })
})
test('a region takes and yields nothing unless it is said', () => {
  expect(region([])).toEqual({ params: [], body: [], yields: [] })
  expect(region([effect('e')], [X.i32(1)], [int('p')])).toEqual({
    params: [int('p')],
    body: [effect('e')],
    yields: [X.i32(1)],
  })
})

test.each(statements.map(([s]) => [s._tag, s] as const))(
  'mapRegions, %s: the identity changes nothing, and the regions come in their order',
  (_, s) => {
    const seen: (readonly [Region, number])[] = []
    const same = mapRegions(s, (r, k) => {
      seen.push([r, k])
      return r
    })
    expect(same).toEqual(s)
    expect(seen).toEqual(regionsOf(s).map((r, k) => [r, k]))
    const other = mapRegions(s, (_, k) => one(`region ${String(k)}`))
    expect(regionsOf(other)).toEqual(regionsOf(s).map((_, k) => one(`region ${String(k)}`)))
  },
)

test('statementsOf: each before those inside it, in the order of the listing', () => {
  const loop = statements[1]![0]
  const both = statements[3]![0]
  const outer = mapRegions(both, (r, k) => (k === 0 ? region([loop, ...r.body]) : r))
  expect(
    statementsOf([outer, effect('last')]).map(({ site: { label }, _tag }) => `${_tag} ${label}`),
  ).toEqual(['If here', 'For here', 'Do body', 'Do then', 'Do else', 'Do last'])
})

test('expressionsOf: operands, then what the regions yield', () => {
  const yielding = mapRegions(statements[3]![0], (r, k) => region(r.body, [X.i32(k)]))
  expect(expressionsOf(yielding)).toEqual([X.i1(true), X.i32(0), X.i32(1)])
  expect(expressionsOf(statements[1]![0])).toEqual([X.i32(0), X.i32(1), X.i32(1)])
  const held: Do = { ...effect('held'), when: X.i1(false) }
  expect(expressionsOf(held)).toEqual([X.i1(false)])
})
