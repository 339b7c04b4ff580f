/**
 * What the missing edge can be, by hand: of small programs and a finding of each kind, the edges in the order in which they are tried, as the table of `candidates.ts` has them.
 */
import { describe, expect, test } from 'vitest'
import { eq, i32, place, type ExprNode } from '../../../src/semantics/language/expression.js'
import type { Program, Stmt, Storage } from '../../../src/semantics/language/program.js'
import type { Diagnosis, MissingEdge } from '../../../src/semantics/judging/finding.js'
import { ofBarrier, ofFence, ofGroup, type Subject } from '../../../src/semantics/judging/subject.js'
import { candidates, type NamedBarrier, type Sides } from '../../../src/semantics/mending/candidates.js'
import type { Addition, Edge } from '../../../src/semantics/mending/edge.js'
import { placesIn } from '../../../src/semantics/mending/where.js'
import { act, bind, branch, fork, int, loop, params, programOf, shown } from '../mutation/by-hand.js'

// ---------------------------------------------------------------- programs

const barriers = (id: string, shape: ReadonlyArray<number>, ordersTensorCore = false): Storage => ({
  id,
  space: 'smem',
  owner: 'cta',
  contents: { _tag: 'barriers', contract: 'ptx', ordersTensorCore, shape },
  bits: 64,
  align: 8,
})
const of = (id: string): ExprNode => ({ _tag: 'storage', storage: id })
const slotOf = (id: string, index: ExprNode): ExprNode => ({ _tag: 'slot', of: of(id), index })
const wait = (barrier: ExprNode, parity: ExprNode): object => ({
  _tag: 'mbarrier.wait',
  barrier,
  parity,
  acquire: true,
  scope: 'cta',
})
const arrive = (barrier: ExprNode, release = true): object => ({
  _tag: 'mbarrier.arrive',
  barrier,
  count: 1,
  release,
  scope: 'cta',
})
const init = (barrier: ExprNode, count = 1): object => ({ _tag: 'mbarrier.init', barrier, count })
const expects = (barrier: ExprNode, bytes: number): object => ({
  _tag: 'mbarrier.arriveExpectTx',
  barrier,
  bytes: i32(bytes),
  release: true,
  scope: 'cta',
})
const load = (barrier: ExprNode, ctaGroup = 1): object => ({
  _tag: 'tma.load',
  descriptor: { _tag: 'descriptor', param: 'map' },
  coords: [i32(0), i32(0)],
  destination: of('s'),
  barrier,
  ctaGroup,
})
const read = { _tag: 'smem.load', source: of('s') }
const write = { _tag: 'smem.store', destination: of('s'), value: int('v') }

// ---------------------------------------------------------------- edges in words

const added = ({ instruction, when }: Addition): string => {
  const i = instruction as Readonly<Record<string, unknown>>
  const said = Object.entries(i).flatMap(([k, v]) => {
    if (
      k === '_tag' ||
      v === 'cta' ||
      v === true ||
      (k === 'count' && v === 1) ||
      (k === 'ctaGroup' && v === 1)
    )
      return []
    if (typeof v === 'object' && v !== null)
      return [(k === 'parity' ? 'p=' : k === 'bytes' ? 'bytes=' : '') + shown(v as ExprNode)]
    return [k === 'scope' ? String(v) : `${k}=${String(v)}`]
  })
  return [
    String(i['_tag']).replace('mbarrier.', ''),
    ...said,
    ...(when === undefined ? [] : [`when ${shown(when)}`]),
  ].join(' ')
}
const told = ({ insertions, storage }: Edge): string =>
  [
    ...storage.map((s) => `new ${s.id}`),
    ...insertions.map(({ place: at, anchor, add, where }) =>
      add.length === 0
        ? `less ${anchor.site.label}`
        : `${add.map(added).join(', ')} ${at === 'instead' ? 'for' : at} ${anchor.site.label}${where.includes('at the end') ? ' at its end' : ''}`,
    ),
  ].join('; ')

interface Asked {
  readonly program: Program
  readonly id: Diagnosis['id']
  readonly kind: MissingEdge['kind'] | undefined
  readonly about?: ReadonlyArray<Subject>
  /** of the finding itself */
  readonly concerns?: ReadonlyArray<Subject>
  readonly a: string
  readonly b?: string
  readonly barriers?: ReadonlyArray<NamedBarrier>
  readonly starting?: ReadonlyArray<string>
  readonly agents?: readonly [string, string]
}
const edges = ({
  program,
  id,
  kind,
  about = [],
  concerns = [],
  a,
  b,
  barriers: named = [],
  starting = ['one'],
  agents = ['one@0', 'two@0'],
}: Asked): ReadonlyArray<string> => {
  const places = placesIn(program)
  const at = (label: string | undefined) => places.effects.filter((s) => s.statement.site.label === label)
  const operation = (label: string, agent: string) => ({ op: 0, site: label, path: [], agent })
  const finding = {
    id,
    a: operation(a, agents[0]),
    ...(b === undefined ? {} : { b: operation(b, agents[1]) }),
    about: concerns,
    ...(kind === undefined ? {} : { missing: { kind, text: '', about } }),
  } as unknown as Diagnosis
  const sides: Sides = { finding, places, a: at(a), b: at(b), barrier: (n) => named[n] ?? null, starting }
  return [...candidates(sides)].map(told)
}

const [full, order]: readonly [NamedBarrier, Subject] = [{ storage: 'full', index: 0 }, ofBarrier(0)]

// ---------------------------------------------------------------- fences

describe('a fence', () => {
  const program = (cluster = 1): Program =>
    programOf(
      [
        fork({
          one: [act('write', write), act('tell', arrive(of('full'))), act('tell again', arrive(of('full')))],
          two: [act('wait', wait(of('full'), i32(0))), act('read', read)],
        }),
      ],
      { storage: [barriers('full', [])], cluster },
    )
  const one = { id: 'P1', kind: 'fence', a: 'write', b: 'read' } as const
  test('behind the first, before what tells of it, before the second', () => {
    expect(edges({ ...one, program: program(), about: [ofFence('shared')] })).toEqual([
      'fence.proxyAsync behind write',
      'fence.proxyAsync before tell',
      'fence.proxyAsync before tell again',
      'fence.proxyAsync before read',
    ])
  })
  test('of what the program says twice: behind both, and before what tells of the first', () => {
    const twice = programOf(
      [act('write', write), act('write', write), act('tell', arrive(of('full'))), act('read', read)],
      {
        storage: [barriers('full', [])],
      },
    )
    expect(edges({ ...one, program: twice, about: [ofFence('shared')] })).toEqual([
      'fence.proxyAsync behind write; fence.proxyAsync behind write',
      'fence.proxyAsync before tell',
      'fence.proxyAsync before read',
    ])
  })
  test('of a cluster, first of the CTA alone', () => {
    const found = edges({ ...one, program: program(2), about: [ofFence('shared')] })
    expect(found.length).toBe(8)
    expect(found.slice(3, 5)).toEqual([
      'fence.proxyAsync before read',
      'fence.proxyAsync cluster behind write',
    ])
  })
  test('of both sides: each place of the first with the second', () => {
    expect(
      edges({ ...one, program: program(), about: [ofFence('tensorBefore'), ofFence('tensorAfter')] }),
    ).toEqual([
      'tcgen05.fenceBefore behind write; tcgen05.fenceAfter before read',
      'tcgen05.fenceBefore before tell; tcgen05.fenceAfter before read',
      'tcgen05.fenceBefore before tell again; tcgen05.fenceAfter before read',
    ])
  })
  test('of the second alone: before it', () => {
    expect(edges({ ...one, program: program(), about: [ofFence('tensorAfter')] })).toEqual([
      'tcgen05.fenceAfter before read',
    ])
  })
  test.each([
    ['global', 'fence.proxyAsync global behind write'],
    ['wgmma', 'wgmma.fence behind write'],
    ['mbarrierInit', 'fence.mbarrierInit behind write'],
  ] as const)('%s', (name, first) => {
    expect(edges({ ...one, program: program(), about: [ofFence(name)] })[0]).toBe(first)
  })
  test('of a tensor map: where one is made; none is added where its result would be needed', () => {
    expect(edges({ ...one, program: program(), about: [ofFence('mapRelease')] })).toEqual([])
    expect(edges({ ...one, program: program(), about: [ofFence('mapAcquire')] })).toEqual([])
    const made = programOf([act('make', { _tag: 'tensormap.create', at: int('p') }), act('read', read)])
    expect(edges({ ...one, program: made, a: 'make', about: [ofFence('mapRelease')] })).toEqual([
      'fence.tensormap p behind make',
      'fence.tensormap p before read',
    ])
  })
  test('no fence is asked for', () => {
    expect(edges({ ...one, program: program() })).toEqual([])
  })
})

// ---------------------------------------------------------------- groups

describe('a wait for a group', () => {
  const two = (body: ReadonlyArray<Stmt>): Program =>
    programOf([fork({ one: body, two: [act('read', read)] })], { storage: [barriers('full', [])] })
  test('before the second, behind what is committed, and with a commit; stores first as far as they are read', () => {
    const program = programOf([
      act('store', { _tag: 'wgmma.fence' }),
      act('commit', { _tag: 'bulk.commitGroup' }),
      act('again', write),
    ])
    expect(
      edges({ program, id: 'W4', kind: 'group-wait', about: [ofGroup('bulk')], a: 'store', b: 'again' }),
    ).toEqual([
      'bulk.waitGroup pending=0 before again',
      'bulk.waitGroup pending=0 behind commit',
      'bulk.commitGroup, bulk.waitGroup pending=0 before again',
      'bulk.commitGroup, bulk.waitGroup pending=0 behind store',
      'bulk.waitGroup pending=0 read=false before again',
      'bulk.waitGroup pending=0 read=false behind commit',
      'bulk.commitGroup, bulk.waitGroup pending=0 read=false before again',
      'bulk.commitGroup, bulk.waitGroup pending=0 read=false behind store',
    ])
  })
  test('and before the last fence behind the first', () => {
    const fence = { _tag: 'fence.proxyAsync', scope: 'cta' }
    const program = programOf([act('copy', write), act('f1', fence), act('f2', fence), act('read', read)])
    expect(
      edges({ program, id: 'W3', kind: 'group-wait', about: [ofGroup('cpAsync')], a: 'copy', b: 'read' }),
    ).toEqual([
      'cpAsync.waitGroup pending=0 before read',
      'cpAsync.waitGroup pending=0 before f2',
      'cpAsync.waitGroup pending=0 behind copy',
      'cpAsync.commitGroup, cpAsync.waitGroup pending=0 before read',
      'cpAsync.commitGroup, cpAsync.waitGroup pending=0 before f2',
      'cpAsync.commitGroup, cpAsync.waitGroup pending=0 behind copy',
    ])
  })
  test('of another agent: before what tells it', () => {
    const fence = { _tag: 'tcgen05.fenceBefore' }
    const program = two([act('load', read), act('fence', fence), act('tell', arrive(of('full')))])
    expect(
      edges({ program, id: 'M3', kind: 'group-wait', about: [ofGroup('tcgen05Ld')], a: 'load', b: 'read' }),
    ).toEqual([
      'tcgen05.waitLd before fence',
      'tcgen05.waitLd before tell',
      'tcgen05.waitLd behind load',
      'tcgen05.waitLd before fence',
      'tcgen05.waitLd before tell',
      'tcgen05.waitLd behind load',
    ])
  })
  test('of one that is left over: where its agent ends', () => {
    const program = two([act('mma', write), loop('k', [act('more', write)])])
    expect(edges({ program, id: 'U2', kind: 'group-wait', about: [ofGroup('wgmma')], a: 'mma' })).toEqual([
      'wgmma.waitGroup pending=0 behind k at its end',
      'wgmma.waitGroup pending=0 behind mma',
      'wgmma.commitGroup, wgmma.waitGroup pending=0 behind k at its end',
      'wgmma.commitGroup, wgmma.waitGroup pending=0 behind mma',
    ])
  })
  test('stores to tensor memory', () => {
    const program = programOf([act('store', write), act('read', read)])
    expect(
      edges({
        program,
        id: 'M4',
        kind: 'group-wait',
        about: [ofGroup('tcgen05St')],
        a: 'store',
        b: 'read',
      })[0],
    ).toBe('tcgen05.waitSt before read')
  })
  test('no group is asked for', () => {
    expect(
      edges({ program: two([act('load', read)]), id: 'M3', kind: 'group-wait', a: 'load', b: 'read' }),
    ).toEqual([])
  })
})

// ---------------------------------------------------------------- waits

describe('a wait', () => {
  const ask = (program: Program, more: Partial<Asked> = {}): ReadonlyArray<string> =>
    edges({
      program,
      id: 'R1',
      kind: 'wait',
      about: [order],
      a: 'load',
      b: 'read',
      barriers: [full],
      ...more,
    })
  test('before the second, with either parity; behind what completes it, at the end; then the wait that is there, with the other', () => {
    const program = programOf(
      [
        fork({
          one: [act('load', load(of('full'))), act('tell', arrive(of('full')))],
          two: [act('seen', wait(of('full'), i32(0))), act('first', write), act('read', read)],
        }),
      ],
      { storage: [barriers('full', [])], params },
    )
    expect(ask(program)).toEqual([
      // before the second, and before the first, in turn
      'wait @full p=0 before read',
      'wait @full p=0 before load',
      'wait @full p=1 before read',
      'wait @full p=1 before load',
      // where the round of the second begins
      'wait @full p=0 before seen',
      'wait @full p=1 before seen',
      'wait @full p=0 behind tell',
      'wait @full p=0 behind tell at its end',
      'wait @full p=1 behind tell',
      'wait @full p=1 behind tell at its end',
      'wait @full p=1 for seen',
    ])
  })
  test('of a ring in a loop: the slot that is said beside it, that of the step, the one of the finding; parities of the step first, then what is nearest', () => {
    const ring = programOf(
      [
        loop(
          'k',
          [bind('s', int('k')), act('use', arrive(slotOf('full', int('s')))), act('read', read)],
          [0, 8, 1],
        ),
      ],
      { storage: [barriers('full', [2])] },
    )
    const found = ask(ring, { a: 'use', barriers: [{ storage: 'full', index: 1 }] }).filter((e) =>
      e.endsWith('before read'),
    )
    expect(found.slice(0, 12)).toEqual([
      'wait @full[s] p=and(quo(k, 2), 1) before read',
      'wait @full[s] p=xor(and(quo(k, 2), 1), 1) before read',
      'wait @full[s] p=s before read',
      'wait @full[s] p=xor(s, 1) before read',
      'wait @full[mod(k, 2)] p=and(quo(k, 2), 1) before read',
      'wait @full[mod(k, 2)] p=xor(and(quo(k, 2), 1), 1) before read',
      'wait @full[mod(k, 2)] p=s before read',
      'wait @full[mod(k, 2)] p=xor(s, 1) before read',
      'wait @full[1] p=and(quo(k, 2), 1) before read',
      'wait @full[1] p=xor(and(quo(k, 2), 1), 1) before read',
      'wait @full[1] p=s before read',
      'wait @full[1] p=xor(s, 1) before read',
    ])
    // what is not known there is not said
    expect(
      ask(ring, { a: 'use', barriers: [{ storage: 'full', index: 1 }] }).some((e) =>
        /\[s\].*before use/.test(e),
      ),
    ).toBe(true)
    expect(ask(ring, { a: 'use' }).some((e) => e.includes('[0] p=0 before use'))).toBe(true)
  })
  test.each(['mbarrier.wait', 'mbarrier.test'])(
    'the parity of a %s of its agent comes before that of the step',
    (_tag) => {
      const seen = { ...wait(slotOf('empty', int('k')), int('k carried')), _tag }
      const ring = programOf([loop('k', [act('seen', seen), act('read', read)], [0, 8, 1])], {
        storage: [barriers('full', [2]), barriers('empty', [2])],
      })
      const found = ask(ring, { a: 'nothing' }).filter(
        (e) => e.endsWith('before read') && e.includes('@full'),
      )
      expect(found.slice(0, 4)).toEqual([
        'wait @full[k] p=k carried before read',
        'wait @full[k] p=xor(k carried, 1) before read',
        'wait @full[k] p=and(quo(k, 2), 1) before read',
        'wait @full[k] p=xor(and(quo(k, 2), 1), 1) before read',
      ])
    },
  )
  test('before what announces a copy, and guarded as the copy is or not', () => {
    const when = eq(int('n'), i32(0))
    const program = programOf(
      [
        act('start', write),
        act('expect', expects(of('full'), 8)),
        act('again', load(of('full')), [], when),
        act('end', write),
      ],
      { storage: [barriers('full', []), barriers('empty', [])], params },
    )
    const found = edges({
      program,
      id: 'W1',
      kind: 'wait',
      about: [order],
      a: 'nothing',
      b: 'again',
      barriers: [{ storage: 'empty', index: 0 }],
    })
    expect(
      found.filter((e) => !e.includes('@full') && e.includes('before') && !e.includes('before end')),
    ).toEqual([
      'wait @empty p=0 before again',
      'wait @empty p=1 before again',
      'wait @empty p=0 when compare before again',
      'wait @empty p=1 when compare before again',
      'wait @empty p=0 before expect',
      'wait @empty p=1 before expect',
      'wait @empty p=0 when compare before expect',
      'wait @empty p=1 when compare before expect',
      'wait @empty p=0 before start',
      'wait @empty p=1 before start',
      'wait @empty p=0 when compare before start',
      'wait @empty p=1 when compare before start',
    ])
    // on full something arrives, and nothing waits for it
    expect(found[1]).toBe('wait @full p=0 before again')
  })
  test('of no barrier that is known, of a table of two dimensions: none', () => {
    const program = programOf([act('load', load(of('full'))), act('read', read)], {
      storage: [barriers('full', [2, 2])],
    })
    expect(ask(program)).toEqual([])
    expect(ask(program, { barriers: [] })).toEqual([])
    expect(ask(program, { barriers: [{ storage: 's', index: 0 }] })).toEqual([])
  })
  test('in a cluster it is of the cluster', () => {
    const program = programOf([act('load', load(of('full'))), act('read', read)], {
      storage: [barriers('full', [1])],
      cluster: 2,
      params,
    })
    expect(ask(program)[0]).toBe('wait @full[0] p=0 cluster before read')
  })
})

// ---------------------------------------------------------------- arrivals

describe('an arrival', () => {
  const ask = (program: Program, more: Partial<Asked>): ReadonlyArray<string> =>
    edges({
      program,
      id: 'W3',
      kind: 'arrive',
      about: [order],
      a: 'use',
      b: 'write',
      barriers: [full],
      ...more,
    })
  test('that comes too early: as a release, and behind the waits that stand behind the first', () => {
    const program = programOf(
      [
        fork({
          one: [
            act('early', arrive(of('full'), false)),
            act('use', write),
            act('nobody knows', arrive(int('n'))),
            act('other', arrive(of('empty'))),
            act('group', { _tag: 'wgmma.waitGroup', pending: 0 }),
          ],
          two: [act('theirs', arrive(of('full'))), act('write', write)],
        }),
      ],
      { storage: [barriers('full', []), barriers('empty', [])] },
    )
    expect(ask(program, {})).toEqual([
      'arrive @full for early',
      'less early; arrive @full release=false behind use',
      'less early; arrive @full release=false behind group',
    ])
  })
  test('of the tensor core: as a commit, of as many CTAs', () => {
    const mma = { _tag: 'tcgen05.shift', ctaGroup: 2 }
    const program = programOf([act('use', mma), act('tell', arrive(of('full'))), act('write', write)], {
      storage: [barriers('full', [])],
    })
    expect(ask(program, {})[0]).toBe('tcgen05.commit @full ctaGroup=2 for tell')
    const load_ = { _tag: 'tcgen05.waitLd' }
    expect(
      ask(
        programOf([act('use', load_), act('tell', arrive(of('full'))), act('write', write)], {
          storage: [barriers('full', [])],
        }),
        {},
      )[0],
    ).toBe('tcgen05.commit @full for tell')
  })
  test('one more: what a copy brings announced; behind statements of others, the last first, those in loops before all; where the barrier is made', () => {
    const program = (ordersTensorCore: boolean): Program =>
      programOf(
        [
          act('make', init(of('full'))),
          fork({
            one: [act('use', wait(of('full'), i32(0)))],
            two: [act('load', load(of('full'))), loop('k', [act('turn', write)]), act('late', write)],
          }),
        ],
        { storage: [barriers('full', [], ordersTensorCore)], params },
      )
    expect(ask(program(false), { id: 'B5' })).toEqual([
      'arriveExpectTx @full bytes=256 before load',
      'arrive @full behind turn',
      'arrive @full behind late',
      'arrive @full behind load',
      'arrive @full behind make',
    ])
    expect(ask(program(true), { id: 'B6' }).slice(1, 3)).toEqual([
      'arrive @full behind turn',
      'tcgen05.commit @full behind turn',
    ])
  })
  test('of a pair the bytes of one, and of both', () => {
    const program = programOf(
      [fork({ one: [act('use', wait(of('full'), i32(0)))], two: [act('load', load(of('full'), 2))] })],
      {
        storage: [barriers('full', [])],
        params,
      },
    )
    expect(ask(program, { id: 'B5' }).slice(0, 2)).toEqual([
      'arriveExpectTx @full bytes=256 before load',
      'arriveExpectTx @full bytes=512 before load',
    ])
  })
  test('behind a product, when it is done', () => {
    const mma = { _tag: 'wgmma.mma' }
    const program = programOf(
      [fork({ one: [act('use', wait(of('full'), i32(0)))], two: [act('mma', mma)] })],
      { storage: [barriers('full', [])] },
    )
    expect(ask(program, { id: 'B5' })).toEqual([
      'arrive @full behind mma',
      'wgmma.waitGroup pending=0, arrive @full behind mma',
    ])
  })
  test('at the meeting of the cluster: of the CTAs that do not come', () => {
    const rank = eq(place('ctaRank'), i32(0))
    const program = programOf([branch(rank, [act('use', { _tag: 'cluster.arrive', relaxed: false })])], {
      cluster: 2,
    })
    expect(ask(program, { id: 'K2' })).toEqual([
      'cluster.arrive relaxed=false when select behind if',
      'cluster.arrive relaxed=false when select, cluster.wait when select behind if',
    ])
    expect(ask(programOf([act('use', write)]), { id: 'K2' })).toEqual([])
  })
})

// ---------------------------------------------------------------- an order of its own

describe('an arrival and a wait', () => {
  const ask = (program: Program, more: Partial<Asked> = {}): ReadonlyArray<string> =>
    edges({ program, id: 'D2', kind: 'arrive-wait', a: 'first', b: 'second', ...more })
  const pair = (
    first: object,
    second: object,
    storage: ReadonlyArray<Storage> = [],
    arch: 'sm90a' | 'sm100a' = 'sm90a',
  ): Program =>
    programOf([act('top', write), fork({ one: [act('first', first)], two: [act('second', second)] })], {
      storage,
      arch,
    })

  test('by a barrier of its own, one way and the other, and with a proxy fence', () => {
    expect(ask(pair(write, write))).toEqual([
      'new order; init @order before top; arrive @order behind first; wait @order p=0 before second',
      'new order; init @order before top; fence.proxyAsync, arrive @order behind first; wait @order p=0 before second',
      'new order; init @order before top; arrive @order behind second; wait @order p=0 before first',
      'new order; init @order before top; fence.proxyAsync, arrive @order behind second; wait @order p=0 before first',
    ])
  })
  test('with a name that no storage has, made behind the barriers that are made; none where several agents begin', () => {
    const made = programOf(
      [act('make', init(of('order'))), fork({ one: [act('first', write)], two: [act('second', write)] })],
      {
        storage: [barriers('order', []), barriers('order2', [])],
      },
    )
    const found = ask(made)
    expect(found.filter((e) => e.startsWith('new'))[0]).toBe(
      'new order3; init @order3 behind make; arrive @order3 behind first; wait @order3 p=0 before second',
    )
    expect(ask(pair(write, write), { starting: ['one', 'two'] })).toEqual([])
  })
  test.each([
    [{ _tag: 'tma.store' }, 'bulk.commitGroup, bulk.waitGroup pending=0 read=false, arrive @order'],
    [{ _tag: 'tma.reduce' }, 'bulk.commitGroup, bulk.waitGroup pending=0 read=false, arrive @order'],
    [{ _tag: 'tma.scatter' }, 'bulk.commitGroup, bulk.waitGroup pending=0 read=false, arrive @order'],
    [{ _tag: 'cpAsync.copy' }, 'cpAsync.commitGroup, cpAsync.waitGroup pending=0, arrive @order'],
    [{ _tag: 'wgmma.mma' }, 'wgmma.commitGroup, wgmma.waitGroup pending=0, arrive @order'],
    [{ _tag: 'tcgen05.shift', ctaGroup: 2 }, 'tcgen05.commit @order ctaGroup=2'],
    [{ _tag: 'tcgen05.ld' }, 'tcgen05.waitLd, tcgen05.fenceBefore, arrive @order'],
    [{ _tag: 'tcgen05.st' }, 'tcgen05.waitSt, tcgen05.fenceBefore, arrive @order'],
  ])('what tells that %j is done', (first, does) => {
    expect(ask(pair(first, write))[0]).toBe(
      `new order; init @order before top; ${does} behind first; wait @order p=0 before second`,
    )
  })
  test.each(['tma.load', 'tma.gather', 'stAsync.store', 'clc.tryCancel'])(
    '%s tells by itself: only the other way round',
    (_tag) => {
      const found = ask(pair({ _tag }, write))
      expect(found.map((e) => e.includes('behind second'))).toEqual([true, true])
    },
  )
  test('between two of the tensor core a fence stands behind the wait, and the barrier orders it', () => {
    const tensor = { _tag: 'tcgen05.shift', ctaGroup: 1 }
    expect(ask(pair(tensor, tensor, [], 'sm100a'))[0]).toBe(
      'new order; init @order before top; tcgen05.commit @order behind first; wait @order p=0, tcgen05.fenceAfter before second',
    )
    const orders = (first: object, arch: 'sm90a' | 'sm100a'): unknown => {
      const places = placesIn(pair(first, write, [], arch))
      const at = (label: string) => places.effects.filter((s) => s.statement.site.label === label)
      const finding = {
        id: 'D2',
        a: { agent: 'one@0' },
        b: { agent: 'two@0' },
        about: [],
        missing: { kind: 'arrive-wait', about: [] },
      } as unknown as Diagnosis
      const [edge] = candidates({
        finding,
        places,
        a: at('first'),
        b: at('second'),
        barrier: () => null,
        starting: ['one'],
      })
      return edge?.storage[0]?.contents
    }
    expect(orders(tensor, 'sm100a')).toMatchObject({ ordersTensorCore: true, shape: [] })
    expect(orders(tensor, 'sm90a')).toMatchObject({ ordersTensorCore: false })
    expect(orders(write, 'sm100a')).toMatchObject({ ordersTensorCore: false })
  })
  test('in a loop the parity is that of the round', () => {
    const looped = programOf([
      act('top', write),
      fork({ one: [act('first', write)], two: [loop('k', [act('second', write)], [0, 4, 1])] }),
    ])
    expect(ask(looped)[0]).toBe(
      'new order; init @order before top; arrive @order behind first; wait @order p=and(k, 1) before second',
    )
  })
  test('first by a barrier that is named, then by those for which nothing waits', () => {
    const unheard = pair(write, write, [barriers('full', []), barriers('heard', []), barriers('quiet', [])])
    const listening = programOf([...unheard.entry.body, act('w', wait(of('heard'), i32(0)))], {
      storage: unheard.storage,
    })
    const found = ask(listening, { about: [order], barriers: [{ storage: 'heard', index: 0 }] })
    expect(found.slice(0, 6)).toEqual([
      'wait @heard p=0 before second',
      'wait @heard p=1 before second',
      'wait @full p=0 before second',
      'wait @full p=1 before second',
      'wait @quiet p=0 before second',
      'wait @quiet p=1 before second',
    ])
  })
  test('between CTAs: the cluster meets', () => {
    const program = programOf(
      [
        act('make', init(of('full'))),
        act('meet', { _tag: 'cluster.arrive', relaxed: true }),
        branch(eq(place('ctaRank'), i32(0)), [act('first', write)]),
        act('second', write),
        act('last', write),
      ],
      { cluster: 2, storage: [] },
    )
    const meets = 'cluster.arrive relaxed=false, cluster.wait'
    const expected = (before: string): ReadonlyArray<string> => [
      'cluster.arrive relaxed=false for meet',
      `${meets} behind make`,
      `${meets} before ${before}`,
      `${meets} behind if`,
      `${meets} behind last at its end`,
    ]
    expect(ask(program, { agents: ['one@0', 'one@1'] })).toEqual(expected('second'))
    expect(ask(program, { id: 'K4' })).toEqual(expected('if'))
    expect(ask(program, { id: 'K1' })).toEqual(expected('second'))
    expect(ask(programOf(program.entry.body), { id: 'K1' })).toEqual([])
  })
  test('B7: all agents meet behind the statement, by a number that is free', () => {
    const program = (body: ReadonlyArray<Stmt>): Program => ({
      ...programOf(body),
      launch: {
        grid: [i32(1)],
        cluster: [1],
        agents: [
          { name: 'one', kind: 'warpgroup', firstWarp: 0, warps: 4 },
          { name: 'two', kind: 'warp', firstWarp: 4, warps: 1 },
          { name: 'idle', kind: 'warp', firstWarp: 5, warps: 1 },
        ],
      },
    })
    const starting = ['one', 'two']
    const body = [
      act('first', write),
      act('sync', { _tag: 'bar.sync', id: 1, count: 64 }),
      act('come', { _tag: 'bar.arrive', id: 2, count: 64 }),
      act('second', write),
    ]
    expect(ask(program(body), { id: 'B7', starting })).toEqual(['bar.sync id=3 count=160 behind first'])
    const inside = [branch(eq(int('n'), i32(0)), [act('first', write)]), act('second', write)]
    expect(ask(program(inside), { id: 'B7', starting })).toEqual(['bar.sync id=1 count=160 behind if'])
    const all = Array.from({ length: 15 }, (_, k) =>
      act(`sync ${String(k)}`, { _tag: 'bar.sync', id: k + 1, count: 64 }),
    )
    expect(ask(program([act('first', write), ...all]), { id: 'B7', starting })).toEqual([])
  })
})

// ---------------------------------------------------------------- bytes, columns, nothing

describe('the rest', () => {
  test('bytes: those of the copies, in place of what is announced', () => {
    const program = (bytes: number): Program =>
      programOf(
        [
          act('expect', expects(of('full'), bytes)),
          act('load', load(of('full'))),
          act('load again', load(of('full'))),
          act('other', load(of('empty'))),
        ],
        {
          storage: [barriers('full', []), barriers('empty', [])],
          params,
        },
      )
    const ask = (bytes: number): ReadonlyArray<string> =>
      edges({ program: program(bytes), id: 'B4', kind: 'bytes', a: 'expect', starting: ['one', 'two'] })
    expect(ask(256)).toEqual(['arriveExpectTx @full bytes=512 for expect'])
    expect(ask(512)).toEqual([])
  })
  test('a barrier of a ring that is not made is made as the others are', () => {
    const program = programOf([act('make', init(slotOf('full', i32(0)), 3))], {
      storage: [barriers('full', [2])],
    })
    const one = { program, id: 'B7', kind: 'none-found', a: 'make' } as const
    const ring = [{ storage: 'full', index: 1 }]
    expect(edges({ ...one, concerns: [order], barriers: ring })).toEqual([
      'init @full[1] count=3 behind make',
    ])
    // of two statements the order is missing, and no barrier
    expect(edges({ ...one, concerns: [order], barriers: ring, b: 'make' })).toEqual([])
    expect(edges(one)).toEqual([])
  })
  test('columns are given back where their agent ends', () => {
    const alloc = { _tag: 'tcgen05.alloc', columns: 64, ctaGroup: 1 }
    const one = { id: 'T1', kind: 'none-found', a: 'allocate' } as const
    expect(edges({ ...one, program: programOf([act('allocate', alloc), act('last', write)]) })).toEqual([
      'tcgen05.dealloc columns=64 behind last at its end',
    ])
    // where one agent of several allocates: at the end of all, by that one
    const first = eq(int('n'), i32(0))
    expect(
      edges({ ...one, program: programOf([branch(first, [act('allocate', alloc)]), act('last', write)]) }),
    ).toEqual([
      'tcgen05.dealloc columns=64 when compare behind last at its end',
      'tcgen05.dealloc columns=64 behind last at its end',
    ])
    const deep = programOf([branch(first, [branch(first, [act('allocate', alloc)])]), act('last', write)])
    expect(edges({ ...one, program: deep })).toEqual(['tcgen05.dealloc columns=64 behind last at its end'])
    expect(edges({ ...one, program: programOf([act('allocate', write)]) })).toEqual([])
    expect(edges({ ...one, id: 'T2', program: programOf([act('allocate', alloc)]) })).toEqual([])
  })
  test('nothing is tried where no edge is missing, and between lanes, which a core program does not have', () => {
    const program = programOf([act('a', write), act('b', write)])
    expect(edges({ program, id: 'D2', kind: undefined, a: 'a', b: 'b' })).toEqual([])
    expect(edges({ program, id: 'D2', kind: 'warp-sync', a: 'a', b: 'b' })).toEqual([])
  })
})
