/**
 * What becomes of one statement, by hand: every change of its fields and of its place, as the tables of `fields.ts` and `presence.ts` have them.
 *
 * The program has a ring of tiles and arrays of barriers of which each is one case: fewer slots, none, another contract, not for the tensor core.
 */
import { describe, expect, it, test } from 'vitest'
import {
  i32,
  name as named,
  place,
  eq,
  type ExprNode,
  type Int,
} from '../../../src/semantics/language/expression.js'
import { checked } from '../../../src/semantics/language/index-types.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import {
  effectsOf,
  region,
  site,
  type Do,
  type Program,
  type Stmt,
  type Storage,
} from '../../../src/semantics/language/program.js'
import { barriersOf, isDoSite, type DoSite } from '../../../src/semantics/mutation/change.js'
import { declarations } from '../../../src/semantics/mutation/declarations.js'
import { fields } from '../../../src/semantics/mutation/fields.js'
import { isExpected } from '../../../src/semantics/mutation/labels.js'
import type { Change, Mutant } from '../../../src/semantics/mutation/model.js'
import { otherThan } from '../../../src/semantics/mutation/operands.js'
import { presence } from '../../../src/semantics/mutation/presence.js'
import {
  boundIn,
  effectsBehind,
  exchanged,
  isDispatch,
  neighbour,
  sitesOf,
} from '../../../src/semantics/mutation/sites.js'
import { ofStrides } from '../../../src/transforms/ref.js'
import { right } from '../../either.js'
import { act, bind, branch, loop, params, programOf as written, shown } from './by-hand.js'

// ---------------------------------------------------------------- a program

const barriers = (
  id: string,
  shape: ReadonlyArray<number>,
  contract: 'ptx' | 'pallas' = 'ptx',
  ordersTensorCore = true,
): Storage => ({
  id,
  space: 'smem',
  owner: 'cta',
  contents: { _tag: 'barriers', contract, ordersTensorCore, shape },
  bits: 64,
  align: 8,
})
const storage: ReadonlyArray<Storage> = [
  barriers('four', [4]),
  barriers('two', [2]),
  barriers('one', []),
  barriers('plain', [4], 'ptx', false),
  barriers('other rules', [4], 'pallas'),
  {
    id: 'ring',
    space: 'smem',
    owner: 'cta',
    contents: { _tag: 'elements', dtype: 'f16', layout: right(ofStrides([3, 8, 8], 16, [64, 8, 1])) },
    bits: 16 * 192,
    align: 128,
  },
]

const of = (id: string): ExprNode => ({ _tag: 'storage', storage: id })
const slotOf = (id: string, index: ExprNode): ExprNode => ({ _tag: 'slot', of: of(id), index })
const truth = (value: 0 | 1): ExprNode => ({ _tag: 'const', dtype: 'i1', value })
const s = named<'i32'>('s')
const programOf = (body: ReadonlyArray<Stmt>, cluster = 1): Program =>
  written(body, { arch: 'sm100a', params, storage, cluster })
const siteOf = (program: Program, label: string): DoSite =>
  sitesOf(program)
    .filter(isDoSite)
    .find((x) => x.statement.site.label === label)!

const told = ({ operator, change, manner }: Change): string =>
  `${operator} ${change}${manner === 'other' ? '' : `, ${manner}`}`
/** What of the first statement another one says. */
const difference = (program: Program, change: Change): string => {
  const [was] = effectsOf(program.entry.body)
  const after = effectsOf(change.apply(program).entry.body)
  const is = after[0]!
  if (after.length > 1) return after.map((d) => d.instruction._tag).join(' and ')
  const text = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(text).join(', ')
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    return '_tag' in value ? shown(value as ExprNode) : Object.values(value).map(text).join(' if ')
  }
  const before: Readonly<Record<string, unknown>> = Object.assign({}, was!.instruction)
  const changed = Object.entries(is.instruction).flatMap(([k, v]) =>
    JSON.stringify(before[k]) === JSON.stringify(v) ? [] : [`${k} ${text(v)}`],
  )
  return [...changed, ...(was!.when !== undefined && is.when === undefined ? ['no predicate'] : [])].join(
    ', ',
  )
}

const wait = (barrier: ExprNode): object => ({
  _tag: 'mbarrier.wait',
  barrier,
  parity: named('p'),
  acquire: true,
  scope: 'cluster',
})
const arrive = (barrier: ExprNode, count: number): object => ({
  _tag: 'mbarrier.arrive',
  barrier,
  count,
  release: true,
  scope: 'cta',
})
const mma = (accumulate: ExprNode, when: ExprNode): object => ({
  _tag: 'tcgen05.mma',
  accumulator: of('acc'),
  a: slotOf('ring', s),
  b: { _tag: 'slice', of: slotOf('ring', i32(0)), starts: [i32(0), s], sizes: [8, 4] },
  accumulate,
  ctaGroup: 2,
  completions: [{ barrier: slotOf('four', i32(2)), when }],
})
const copy = (more: object = {}): object =>
  Object.assign(
    {
      _tag: 'tma.load',
      descriptor: { _tag: 'descriptor', param: 'map' },
      coords: [named('i'), i32(0)],
      destination: slotOf('ring', s),
      barrier: of('one'),
      ctaGroup: 1,
    },
    more,
  )

// ---------------------------------------------------------------- fields

const rows: ReadonlyArray<
  readonly [name: string, instruction: object, cluster: number, expected: ReadonlyArray<string>]
> = [
  [
    'a wait',
    wait(slotOf('four', s)),
    1,
    [
      'RETARGET the next slot: barrier @four[mod(add(s, 1), 4)]',
      'SLOT always slot 0: barrier @four[0]',
      'RETARGET two in place of four: barrier @two[mod(s, 2)]',
      'RETARGET plain in place of four: barrier @plain[s]',
      'PRIME the other parity: parity xor(p, 1)',
      'FLAG relaxed: acquire false',
    ],
  ],
  [
    'a wait in a cluster, for slot 0',
    wait(slotOf('two', i32(0))),
    2,
    [
      'RETARGET the next slot: barrier @two[mod(add(0, 1), 2)]',
      'RETARGET four in place of two: barrier @four[0]',
      'RETARGET plain in place of two: barrier @plain[0]',
      'PRIME the other parity: parity xor(p, 1)',
      'FLAG relaxed: acquire false',
      'FLAG of CTA scope: scope "cta"',
    ],
  ],
  [
    'an arrive of one',
    arrive({ _tag: 'remote', of: slotOf('four', s), rank: i32(1) }, 1),
    2,
    [
      'RETARGET the next slot: barrier @four[mod(add(s, 1), 4)] of 1',
      'SLOT always slot 0: barrier @four[0] of 1',
      'RETARGET two in place of four: barrier @two[mod(s, 2)] of 1',
      'RETARGET plain in place of four: barrier @plain[s] of 1',
      'RETARGET its own CTA in place of the other: barrier @four[s]',
      'COUNT one more, more: count 2',
      'FLAG relaxed: release false',
    ],
  ],
  [
    'an arrive of two, on a barrier that is alone',
    arrive(of('one'), 2),
    1,
    ['COUNT one more, more: count 3', 'COUNT one less, less: count 1', 'FLAG relaxed: release false'],
  ],
  [
    'an initialisation',
    { _tag: 'mbarrier.init', barrier: slotOf('four', i32(1)), count: 1 },
    1,
    ['COUNT one more, more: count 2', 'PRIME and an arrive: mbarrier.init and mbarrier.arrive'],
  ],
  [
    'an arrive that expects',
    { _tag: 'mbarrier.arriveExpectTx', barrier: of('one'), bytes: i32(64), release: false, scope: 'cta' },
    1,
    [
      'COUNT 16 bytes more, more: bytes add(64, 16)',
      'COUNT 16 bytes less, less: bytes add(64, -16)',
      'FLAG expects without arriving: _tag "mbarrier.expectTx"',
      'FLAG arrives without expecting: _tag "mbarrier.arrive", count 1',
    ],
  ],
  [
    'a commit: only what orders the tensor core will do',
    { _tag: 'tcgen05.commit', barrier: slotOf('four', s), ctaGroup: 1 },
    1,
    [
      'RETARGET the next slot: barrier @four[mod(add(s, 1), 4)]',
      'SLOT always slot 0: barrier @four[0]',
      'RETARGET two in place of four: barrier @two[mod(s, 2)]',
    ],
  ],
  [
    'what is of other rules stays among them',
    arrive(slotOf('other rules', i32(0)), 1),
    1,
    [
      'RETARGET the next slot: barrier @other rules[mod(add(0, 1), 4)]',
      'COUNT one more, more: count 2',
      'FLAG relaxed: release false',
    ],
  ],
  [
    'a copy to two CTAs',
    copy({ multicast: named('mask') }),
    2,
    [
      'RETARGET the first CTA of the mask alone: multicast sub(mask, and(mask, sub(mask, 1)))',
      'RETARGET the mask without its first CTA: multicast and(mask, sub(mask, 1))',
      'SLOT the next slot of destination: destination @ring[mod(add(s, 1), 3)]',
      'SLOT always slot 0 of destination: destination @ring[0]',
      'SLICE the next tile along axis 0: coords add(i, 8), 0',
      'SLICE the next tile along axis 1: coords i, add(0, 16)',
    ],
  ],
  [
    'a product of two CTAs',
    mma(named('c'), truth(1)),
    2,
    [
      'RETARGET the next slot of completions[0].barrier: completions @four[mod(add(2, 1), 4)] if 1',
      'SLOT always slot 0 of completions[0].barrier: completions @four[0] if 1',
      'RETARGET two in place of four of completions[0].barrier: completions @two[mod(2, 2)] if 1',
      'SLOT the next slot of a: a @ring[mod(add(s, 1), 3)]',
      'SLOT always slot 0 of a: a @ring[0]',
      'SLOT the next slot of b: b @ring[mod(add(0, 1), 3)]{0,s}',
      'SLICE the next slice along axis 0 of b: b @ring[0]{add(0, 8),s}',
      'SLICE the next slice along axis 1 of b: b @ring[0]{0,add(s, 4)}',
      'FLAG accumulates always: accumulate 1',
      'FLAG never accumulates: accumulate 0',
      'FLAG completion 0 never: completions @four[2] if 0',
      'FLAG not collective: ctaGroup 1',
    ],
  ],
  [
    'columns',
    { _tag: 'tcgen05.alloc', columns: 64, ctaGroup: 1 },
    1,
    ['ALLOC twice the columns, more: columns 128', 'ALLOC half the columns, less: columns 32'],
  ],
  [
    'a group that leaves none',
    { _tag: 'bulk.waitGroup', pending: 0, read: true },
    1,
    ['COUNT one more, more: pending 1', 'FLAG in full, stronger: read false'],
  ],
  [
    'a group that leaves one',
    { _tag: 'bulk.waitGroup', pending: 1, read: false },
    1,
    ['COUNT one more, more: pending 2', 'COUNT one less, less: pending 0', 'FLAG reads only: read true'],
  ],
  [
    'a meeting of two warps',
    { _tag: 'bar.sync', id: 1, count: 64 },
    1,
    ['COUNT one warp more, more: count 96', 'COUNT one warp less, less: count 32'],
  ],
  ['a meeting of one', { _tag: 'bar.sync', id: 1, count: 32 }, 1, ['COUNT one warp more, more: count 64']],
  [
    'a relaxed arrival',
    { _tag: 'cluster.arrive', relaxed: true },
    2,
    ['FLAG not relaxed, stronger: relaxed false'],
  ],
  ['an arrival', { _tag: 'cluster.arrive', relaxed: false }, 2, ['FLAG relaxed: relaxed true']],
  [
    'a semaphore',
    { _tag: 'semaphore.wait', semaphore: named('sem'), value: i32(0), decrement: true, scope: 'cluster' },
    2,
    [
      'COUNT one more, more: value add(0, 1)',
      'COUNT one less, less: value add(0, -1)',
      'FLAG takes nothing: decrement false',
      'FLAG of CTA scope: scope "cta"',
    ],
  ],
  ['what asks is never changed', { _tag: 'mbarrier.test', barrier: of('one'), parity: i32(0) }, 1, []],
]

describe('fields', () => {
  test.each(rows)('%s', (_, instruction, cluster, expected) => {
    const program = programOf([act('it', instruction)], cluster)
    const changes = fields(program)(siteOf(program, 'it'))
    expect(changes.map((c) => `${told(c)}: ${difference(program, c)}`)).toEqual(expected)
  })

  it('a predicate goes, whatever it guards', () => {
    const program = programOf([act('it', undefined, [], eq(s, i32(0)))])
    const [change] = fields(program)(siteOf(program, 'it'))
    expect([told(change!), difference(program, change!)]).toEqual([
      'FLAG even if its predicate is false',
      'no predicate',
    ])
  })

  it('a constant that says whether a product accumulates has one other', () => {
    for (const [is, text] of [
      [truth(1), 'FLAG never accumulates'],
      [truth(0), 'FLAG accumulates always'],
    ] as const) {
      const program = programOf([act('it', mma(is, named('c')))])
      const flags = fields(program)(siteOf(program, 'it')).filter((c) => c.operator === 'FLAG')
      expect(flags.map(told)).toEqual([text, 'FLAG completion 0 always', 'FLAG not collective'])
    }
  })

  it('what is ordered and what is moved are told apart: a barrier of a copy, half of a pair', () => {
    const program = programOf([act('it', mma(truth(1), truth(1)))], 2)
    const classes = fields(program)(siteOf(program, 'it')).map((c) => `${c.class} ${c.operator} ${c.change}`)
    expect(classes.filter((c) => c.startsWith('synchronisation'))).toEqual([
      'synchronisation RETARGET the next slot of completions[0].barrier',
      'synchronisation SLOT always slot 0 of completions[0].barrier',
      'synchronisation RETARGET two in place of four of completions[0].barrier',
      'synchronisation FLAG completion 0 never',
      'synchronisation FLAG not collective',
    ])
  })

  it('a change is about the barriers before and after it', () => {
    const program = programOf([act('it', wait(slotOf('four', s)))])
    expect(fields(program)(siteOf(program, 'it')).map((c) => c.barriers)).toEqual([
      ['four'],
      ['four'],
      ['four', 'two'],
      ['four', 'plain'],
      ['four'],
      ['four'],
    ])
  })
})

test.each([
  ['of two arrays', of('one'), slotOf('four', s), true],
  ['of two slots', slotOf('four', i32(0)), slotOf('four', i32(1)), true],
  ['one slot', slotOf('four', i32(1)), slotOf('four', i32(1)), false],
  ['a slot that a name says', slotOf('four', i32(1)), slotOf('four', s), false],
  ['one that a name says first', slotOf('four', s), slotOf('four', i32(1)), false],
  ['one array', of('one'), of('one'), false],
  ['what no storage is', named('b'), of('one'), false],
] as const)('barriers that cannot be one: %s', (_, x, y, expected) => {
  expect(otherThan(x, y)).toBe(expected)
})

// ---------------------------------------------------------------- presence and place

const read = (label: string): Do => act(label, { _tag: 'tma.prefetch', descriptor: named('map'), coords: [] })
const write = (label: string, value: Int = s): Do =>
  act(label, { _tag: 'smem.store', destination: slotOf('ring', value), value: named('v') })
const labelsOf = (body: ReadonlyArray<Stmt>): string => body.map((x) => x.site.label).join(' ')

describe('presence and place', () => {
  const changesOf = (body: ReadonlyArray<Stmt>, label: string): ReadonlyArray<string> => {
    const program = programOf(body)
    return presence(program)(siteOf(program, label)).map(
      (c) => `${told(c)}: ${labelsOf(c.apply(program).entry.body)}`,
    )
  }

  it('a wait between accesses goes to either side of them', () => {
    expect(changesOf([write('a'), act('w', wait(of('one'))), write('b')], 'w')).toEqual([
      'DROP left out, absent: a b',
      'DUP twice: a w w b',
      'MOVE before a, earlier: w a b',
      'MOVE behind b, later: a b w',
    ])
  })

  it('a wait behind which nothing is accessed is for the end', () => {
    expect(changesOf([write('a'), act('w', wait(of('one'))), read('p')], 'w')).toEqual([
      'EXIT left out, absent: a p',
      'DUP twice: a w w p',
      'MOVE before a, earlier: w a p',
    ])
  })

  it('an arrive outside of loops primes, in a loop it does not', () => {
    expect(changesOf([act('r', arrive(of('one'), 1))], 'r')[0]).toBe('PRIME left out, absent: ')
    expect(changesOf([loop('k', [act('r', arrive(of('one'), 1))])], 'r')[0]).toBe('DROP left out, absent: k')
  })

  it('a fence is moved as a fence, past a neighbour that accesses and past none that does not', () => {
    const fence = act('f', { _tag: 'wgmma.fence' })
    expect(changesOf([write('a'), fence, act('w', wait(of('one')))], 'f')).toEqual([
      'DROP left out, absent: a w',
      'DUP twice: a f f w',
      'FENCE before a, earlier: f a w',
      // a wait is of its own class: the two change places
      'ORDER behind w, later: a w f',
    ])
  })

  it('a statement goes past a loop in which something happens, with what it needs', () => {
    const body = [loop('k', [write('a')]), bind('q', i32(0)), act('w', wait(slotOf('four', named('q'))))]
    expect(changesOf(body, 'w')).toContain('MOVE before all of k, earlier: let q w k')
    expect(changesOf([loop('k', [bind('z', i32(0))]), act('w', wait(of('one')))], 'w')).toHaveLength(2)
  })

  it('what it needs may not come from what it is moved over', () => {
    const body = [loop('k', [write('a')]), act('w', wait(slotOf('four', named('k result'))))]
    expect(changesOf(body, 'w')).toHaveLength(2)
  })

  it('a meeting of the cluster is left out with its wait', () => {
    const meet = [
      act('m', { _tag: 'cluster.arrive', relaxed: true }),
      bind('q', i32(0)),
      act('w', { _tag: 'cluster.wait' }),
    ]
    expect(changesOf(meet, 'm')).toContain('EXIT left out with its wait, absent: let q')
    expect(changesOf(meet, 'w').some((c) => c.includes('with its wait'))).toBe(false)
  })

  it('data of one class change places with data, and not with what orders', () => {
    expect(changesOf([write('a'), write('b'), act('w', wait(of('one')))], 'a')).toEqual([
      'DROP left out, absent: b w',
      'DUP twice: a a b w',
      'ORDER behind b, later: b a w',
    ])
    expect(changesOf([write('a'), act('w', wait(of('one')))], 'a')).toHaveLength(2)
  })

  it('a load that is left out brings zeros; what gives back no numbers is asked never', () => {
    const load = (type: object): Do => ({
      _tag: 'Do',
      results: [checked<Do['results'][number], unknown>({ name: 'v', type })],
      instruction: checked<Instruction, unknown>({ _tag: 'smem.load', source: slotOf('ring', s) }),
      site: site('load'),
    })
    const tile = { _tag: 'tile', element: { _tag: 'scalar', dtype: 'f16' }, shape: [8, 8], layout: 'any' }
    const of_ = (type: object): Stmt => {
      const program = programOf([load(type)])
      return presence(program)(siteOf(program, 'load'))[0]!.apply(program).entry.body[0]!
    }
    expect(of_(tile)).toMatchObject({
      _tag: 'Let',
      binder: { name: 'v' },
      expr: { _tag: 'splat', x: { dtype: 'f16', value: 0 }, shape: [8, 8] },
    })
    expect(of_({ _tag: 'scalar', dtype: 'i32' })).toMatchObject({
      _tag: 'Do',
      when: { _tag: 'const', dtype: 'i1', value: 0 },
    })
  })

  it('a second load gives other names back, which nothing has', () => {
    const load: Do = {
      _tag: 'Do',
      results: [{ name: 'v', type: { _tag: 'scalar', dtype: 'i32' } }],
      instruction: checked<Instruction, unknown>({ _tag: 'smem.load', source: slotOf('ring', s) }),
      site: site('load'),
    }
    const again = (more: ReadonlyArray<Stmt>): string | undefined => {
      const program = programOf([load, ...more])
      const change = presence(program)(siteOf(program, 'load')).find((c) => c.operator === 'DUP')!
      return effectsOf(change.apply(program).entry.body)[1]?.results[0]?.name
    }
    expect(again([])).toBe('v.again')
    expect(again([bind('v.again', i32(0))])).toBe('v.again.again')
  })
})

// ---------------------------------------------------------------- sites

describe('sites', () => {
  const who = eq(place('warp'), i32(0))
  const all = programOf([
    bind('a', i32(0)),
    write('w0'),
    loop('k', [bind('b', named('k')), write('w1'), branch(who, [write('w2')], [write('w3')]), write('w4')]),
    branch(eq(s, i32(0)), [write('w5')]),
    write('w6'),
  ])
  test.each([
    // its own branch asks who comes; what stands behind that is for all
    ['w1', ['w4', 'w5', 'w6']],
    ['w2', ['w4', 'w5', 'w6']],
    ['w5', ['w6']],
    ['w0', ['w1', 'w2', 'w3', 'w4', 'w5', 'w6']],
    ['w6', []],
  ] as const)('effects behind %s', (label, expected) => {
    const found = effectsBehind(siteOf(all, label)).map((d) => d.site.label)
    expect([...found].sort()).toEqual(expected)
  })

  it('a dispatch asks for the agent or the warp, and not for the CTA', () => {
    expect(isDispatch(branch(eq(place('agent'), i32(0)), []))).toBe(true)
    expect(isDispatch(branch(who, []))).toBe(true)
    expect(isDispatch(branch(eq(place('ctaRank'), i32(0)), []))).toBe(false)
    expect(isDispatch(loop('k', []))).toBe(false)
  })

  it('all names that are bound, at any depth', () => {
    const spin: Stmt = {
      _tag: 'While',
      carried: [{ binder: { name: 'carried', type: { _tag: 'scalar', dtype: 'i32' } }, init: i32(0) }],
      before: region([bind('before', i32(0))]),
      after: region(
        [bind('after', i32(0))],
        [],
        [{ name: 'passed', type: { _tag: 'scalar', dtype: 'i32' } }],
      ),
      results: [{ name: 'result', type: { _tag: 'scalar', dtype: 'i32' } }],
      site: site('spin'),
    }
    const fork: Stmt = {
      _tag: 'Fork',
      branches: [
        {
          agent: 'one',
          captures: [{ binder: { name: 'captured', type: { _tag: 'scalar', dtype: 'i32' } }, value: i32(0) }],
          body: region([loop('k', [bind('inner', i32(0))])]),
        },
      ],
      results: [],
      site: site('fork'),
    }
    expect(
      [
        ...boundIn(region([spin, fork], [], [{ name: 'param', type: { _tag: 'scalar', dtype: 'i32' } }])),
      ].sort(),
    ).toEqual([
      'after',
      'before',
      'captured',
      'carried',
      'inner',
      'k',
      'k carried',
      'k result',
      'param',
      'passed',
      'result',
    ])
  })

  it('a neighbour is what stands next and is no name', () => {
    expect(neighbour(siteOf(all, 'w0'), -1)).toBeNull()
    expect(neighbour(siteOf(all, 'w0'), 1)).toBe(2)
    expect(neighbour(siteOf(all, 'w6'), -1)).toBe(3)
    expect(neighbour(siteOf(all, 'w6'), 1)).toBeNull()
  })

  it('two statements change places, and with the later one goes what it needs', () => {
    const body = [
      write('x'),
      bind('p', s),
      bind('q', named('p')),
      bind('free', s),
      write('y', named('q')),
      write('z'),
    ]
    expect(labelsOf(exchanged(body, 0, 4)!)).toBe('let p let q y x let free z')
    // what it needs is what the earlier one brings, directly or through a name
    const brings: Do = { ...write('x'), results: [{ name: 'r', type: { _tag: 'scalar', dtype: 'i32' } }] }
    expect(exchanged([brings, write('y', named('r'))], 0, 1)).toBeNull()
    expect(exchanged([brings, bind('q', named('r')), write('y', named('q'))], 0, 2)).toBeNull()
    expect(exchanged([brings, bind('q', named('r')), write('y')], 0, 2)).not.toBeNull()
  })

  it('what a statement needs is what it mentions anywhere inside it', () => {
    const brings: Do = { ...write('x'), results: [{ name: 'r', type: { _tag: 'scalar', dtype: 'i32' } }] }
    const r = named<'i32'>('r')
    const needing: ReadonlyArray<Stmt> = [
      loop('k', [write('y', r)]),
      { ...loop('k', []), to: r } as Stmt,
      branch(eq(r, i32(0)), []),
      branch(eq(s, i32(0)), [], [write('y', r)]),
      act('y', undefined, [], eq(r, i32(0))),
      {
        _tag: 'While',
        carried: [{ binder: { name: 'c', type: { _tag: 'scalar', dtype: 'i32' } }, init: r }],
        before: region([]),
        after: region([]),
        results: [],
        site: site('spin'),
      },
      {
        _tag: 'While',
        carried: [],
        before: region([], [eq(r, i32(0))]),
        after: region([]),
        results: [],
        site: site('spin'),
      },
      {
        _tag: 'Fork',
        branches: [
          {
            agent: 'one',
            captures: [{ binder: { name: 'c', type: { _tag: 'scalar', dtype: 'i32' } }, value: r }],
            body: region([]),
          },
        ],
        results: [],
        site: site('fork'),
      },
    ]
    for (const y of needing) {
      expect([y._tag, exchanged([brings, y], 0, 1)]).toEqual([y._tag, null])
      expect(exchanged([write('x'), y], 0, 1)).toEqual([y, write('x')])
    }
  })
})

// ---------------------------------------------------------------- declarations and predicates

describe('declarations and predicates', () => {
  const storagesAfter = (program: Program, operator: string): ReadonlyArray<string> =>
    declarations(program)
      .filter((c) => c.operator === operator && c.instruction === 'declaration')
      .map((c) => {
        const after = c.apply(program).storage.find((x) => x.id === c.label)!
        const before = program.storage.find((x) => x.id === c.label)!
        const { contents } = after
        const shape = contents._tag === 'barriers' ? contents.shape : contents.layout.shape
        expect(c.apply(program).storage.filter((x) => x.id !== c.label)).toEqual(
          program.storage.filter((x) => x.id !== c.label),
        )
        return `${c.label}: ${told(c)}: ${shape.join()}, ${String(after.bits)} of ${String(before.bits)} bits, at ${String(after.offset ?? 'no place')}`
      })

  it('a ring that slots are picked from has one more, and one less, which stays where it is', () => {
    const placed = storage.map((x) => (x.id === 'four' ? { ...x, bits: 256, offset: 64 } : x))
    const program = {
      ...programOf([act('w', wait(slotOf('four', s))), write('x'), act('v', wait(of('one')))]),
      storage: placed,
    }
    expect(storagesAfter(program, 'ALLOC')).toEqual([
      'four: ALLOC a slot more, more: 5, 320 of 256 bits, at no place',
      'four: ALLOC a slot less, less: 3, 192 of 256 bits, at 64',
      'ring: ALLOC a slot more, more: 4,8,8, 4096 of 3072 bits, at no place',
      'ring: ALLOC a slot less, less: 2,8,8, 2048 of 3072 bits, at no place',
    ])
    const about = declarations(program).filter((c) => c.operator === 'ALLOC')
    expect(about.map((c) => [c.label, c.barriers, c.statements.map((d) => d.site.label)])).toEqual([
      ['four', ['four'], ['w']],
      ['four', ['four'], ['w']],
      ['ring', [], ['x']],
      ['ring', [], ['x']],
    ])
  })

  it('of one slot there is none less; what lies over others still does; registers and tensors are none', () => {
    const alias = { union: 'u', member: 1 }
    const single = barriers('single', [1])
    const program = (x: Storage): Program => ({
      ...programOf([act('w', wait(slotOf(x.id, s)))]),
      storage: [x],
    })
    expect(storagesAfter(program(single), 'ALLOC').map((t) => t.split(':')[1])).toEqual([
      ' ALLOC a slot more, more',
    ])
    const less = declarations(program({ ...barriers('two', [2]), offset: 8, alias })).find(
      (c) => c.manner === 'less',
    )!
    expect(less.apply(program(barriers('two', [2]))).storage[0]).toMatchObject({ offset: 8, alias })
    expect(storagesAfter(program({ ...single, space: 'gmem' }), 'ALLOC')).toEqual([])
  })

  it('barriers that order the tensor core do not', () => {
    const flags = declarations(programOf([])).filter((c) => c.operator === 'FLAG')
    expect(flags.map((c) => c.label)).toEqual(['four', 'two', 'one', 'other rules'])
    const after = flags[0]!.apply(programOf([])).storage.find((x) => x.id === 'four')!
    expect(after.contents).toEqual({ ...barriers('four', [4]).contents, ordersTensorCore: false })
  })

  it('what one agent does all do; not where all come, where something else is done instead, or nothing is done', () => {
    const who = eq(place('warp'), i32(0))
    const predicates = (x: Stmt): ReadonlyArray<Change> =>
      declarations(programOf([x])).filter((c) => c.instruction === 'predicate')
    const one = branch(who, [act('w', wait(slotOf('two', s))), bind('q', i32(0)), write('x')])
    const [change, ...more] = predicates(one)
    expect(more).toEqual([])
    expect([told(change!), change!.barriers, change!.statements.map((d) => d.site.label)]).toEqual([
      'FLAG executed by every agent',
      ['two'],
      ['w', 'x'],
    ])
    expect(change!.apply(programOf([one])).entry.body).toEqual([{ ...one, cond: truth(1) }])
    expect(predicates(branch(eq(place('ctaRank'), i32(0)), [write('x')]))).toHaveLength(1)
    expect(predicates(branch(eq(s, i32(0)), [write('x')]))).toEqual([])
    expect(predicates(branch(who, [write('x')], [write('y')]))).toEqual([])
    expect(predicates(branch(who, [bind('q', i32(0))]))).toEqual([])
  })
})

// ---------------------------------------------------------------- what it should be called

describe('what a mutant should be called', () => {
  const copies = programOf([
    act('load', copy()),
    act('w', wait(of('one'))),
    act('v', wait(of('two'))),
    act('r', arrive(of('two'), 1)),
    act('i', { _tag: 'mbarrier.init', barrier: of('one'), count: 1 }),
  ])
  const mutant = (label: string, manner: 'absent' | 'other'): Mutant => {
    const d = effectsOf(copies.entry.body).find((x) => x.site.label === label)!
    return {
      operator: manner === 'absent' ? 'DROP' : 'COUNT',
      class: 'synchronisation',
      instruction: d.instruction._tag,
      path: [],
      label,
      change: '',
      manner,
      statements: [d],
      own: 1,
      passes: [],
      barriers: barriersOf(copies, d.instruction),
      previous: null,
      next: null,
      site: label,
      key: label,
      program: copies,
    }
  }
  test.each([
    // a wait for what copies bring, and one for what is free again
    ['w', 'absent', 'R1', true],
    ['w', 'absent', 'W4', false],
    ['w', 'absent', 'W1', true],
    ['v', 'absent', 'W4', true],
    ['v', 'absent', 'V1', true],
    ['v', 'absent', 'P1', false],
    // an arrival that is not there does not run ahead; one too many does
    ['r', 'absent', 'B2', false],
    ['r', 'other', 'B2', true],
    ['r', 'absent', 'W1', true],
    ['r', 'other', 'P1', false],
    ['i', 'absent', 'B7', true],
    ['i', 'absent', 'B2', false],
    ['i', 'other', 'B2', true],
    ['load', 'absent', 'I1', true],
    ['load', 'absent', 'P1', false],
  ] as const)('%s, %s: %s is %s', (label, manner, id, expected) => {
    expect(isExpected(copies, mutant(label, manner), [id], 'hazard')).toBe(expected)
  })
  it('one of several ids will do; and of data a wrong result', () => {
    const m = mutant('load', 'absent')
    expect(isExpected(copies, m, ['P1', 'I1'], 'hazard')).toBe(true)
    expect(isExpected(copies, m, [], 'hazard')).toBe(false)
    expect(isExpected(copies, m, [], 'wrong-result')).toBe(false)
    expect(isExpected(copies, { ...m, class: 'data' }, [], 'wrong-result')).toBe(true)
    expect(isExpected(copies, { ...m, class: 'data' }, [], 'hazard')).toBe(false)
  })
  it('another barrier, or another slot, may not be there at all', () => {
    const m = mutant('load', 'other')
    for (const operator of ['RETARGET', 'SLOT'] as const)
      expect(isExpected(copies, { ...m, operator }, ['B7'], 'hazard')).toBe(true)
    expect(isExpected(copies, m, ['B7'], 'hazard')).toBe(false)
  })
  it('a declaration and a predicate by themselves', () => {
    const m = mutant('load', 'other')
    expect(isExpected(copies, { ...m, instruction: 'declaration' }, ['M5'], 'invalid')).toBe(true)
    expect(isExpected(copies, { ...m, instruction: 'declaration' }, ['U2'], 'hazard')).toBe(false)
    expect(isExpected(copies, { ...m, instruction: 'predicate' }, ['U2'], 'hazard')).toBe(true)
    expect(isExpected(copies, { ...m, instruction: 'predicate' }, ['A1'], 'hazard')).toBe(false)
  })
})
