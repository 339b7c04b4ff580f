/**
 * Linking: names become slots in the order in which they are bound, in a frame for each body; what it refuses; and what it collects.
 *
 * Oracle of an expression: the same data with every name replaced, by a walk that knows no kind of node.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { WGMMA } from '../../../src/layouts/tiled.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Expr, ExprNode } from '../../../src/semantics/language/expression.js'
import { link, type Linked, type LinkedStmt } from '../../../src/semantics/language/link.js'
import {
  region,
  site,
  type Binder,
  type Do,
  type Program,
  type Stmt,
} from '../../../src/semantics/language/program.js'
import { everyNode } from '../samples.js'
import { code, right } from '../../either.js'

const empty = right(
  B.draft(
    {
      name: 'linked',
      arch: 'sm90a',
      agents: [B.warpgroup('wg', 0), B.warp('second', 4), B.warp('third', 5)],
    },
    function* () {
      yield* B.scalarParam('n', 'i32')
      yield* B.tensorParam('t', 'f32', [4], { role: 'in' })
    },
  ),
)
const program = (body: ReadonlyArray<Stmt>): Program => ({ ...empty, entry: region(body) })
const linked = (body: ReadonlyArray<Stmt>): Linked => right(link(program(body)))
const expr = (e: ExprNode): Expr => e as unknown as Expr
const name = (text: string): X.Int => X.name<'i32'>(text)
const local = (slot: number): ExprNode => ({ _tag: 'local', slot })
const int = (text: string): Binder => ({ name: text, type: { _tag: 'scalar', dtype: 'i32' } })
const bound = (text: string, value: Expr = X.i32(0)): Stmt => ({
  _tag: 'Let',
  binder: int(text),
  expr: value,
  site: site(text),
})
const mark = (when?: X.Condition): Do => ({
  _tag: 'Do',
  results: [],
  instruction: { _tag: 'fence.proxyAsync', scope: 'cta' },
  ...(when === undefined ? {} : { when }),
  site: site('mark'),
})
const fork = (
  ...branches: ReadonlyArray<{ readonly agent: string; readonly body?: ReadonlyArray<Stmt> }>
): Stmt => ({
  _tag: 'Fork',
  branches: branches.map(({ agent, body }) => ({ agent, captures: [], body: region(body ?? []) })),
  results: [],
  site: site('fork'),
})

describe('expressions', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const slots = new Map(names.map((text, slot) => [text, slot]))
  const replaced = (x: unknown): unknown => {
    if (Array.isArray(x)) return x.map(replaced)
    if (typeof x !== 'object' || x === null) return x
    if ('_tag' in x && x._tag === 'name' && 'name' in x && typeof x.name === 'string') {
      const slot = slots.get(x.name)
      return slot === undefined ? x : local(slot)
    }
    return Object.fromEntries(Object.entries(x).map(([key, value]) => [key, replaced(value)]))
  }
  test.each(everyNode.map((e) => [e._tag, e] as const))('%s: the same with its names replaced', (_, e) => {
    const { entry } = linked([...names.map((text) => bound(text)), bound('it', expr(e))])
    const last = entry.body[names.length] as Extract<LinkedStmt, { readonly _tag: 'Let' }>
    expect(last.expr).toEqual(replaced(e))
  })
  test('a combine keeps its own names, also where the body has bound the same outside', () => {
    const combine = {
      params: ['a', 'r'],
      body: [{ name: 's', value: X.add(name('a'), name('b')) }],
      result: X.add(name('s'), name('r')),
    } as const
    const e: ExprNode = { _tag: 'reduce', x: name('a'), axis: 0, combine, layout: 'any' }
    const { entry } = linked([bound('a'), bound('b'), bound('it', expr(e))])
    expect(entry.body[2]).toMatchObject({
      expr: {
        x: local(0),
        combine: {
          params: ['a', 'r'],
          body: [{ name: 's', value: { x: { _tag: 'name', name: 'a' }, y: local(1) } }],
          result: { x: { _tag: 'name', name: 's' }, y: { _tag: 'name', name: 'r' } },
        },
      },
    })
  })
  test('scalar parameters stay names, in branches too', () => {
    const { entry } = linked([bound('it', name('n')), fork({ agent: 'wg', body: [bound('own', name('n'))] })])
    expect(entry.body[0]).toMatchObject({ expr: { _tag: 'name', name: 'n' } })
    expect(entry.body[1]).toMatchObject({ branches: [{ body: { body: [{ expr: name('n') }] } }] })
  })
})

describe('slots', () => {
  test('a loop: its index, its carried values, the names of its body, its results', () => {
    const loop: Stmt = {
      _tag: 'For',
      index: int('i'),
      from: name('first'),
      to: X.i32(8),
      step: X.i32(2),
      carried: [
        { binder: int('x'), init: name('first') },
        { binder: int('y'), init: X.i32(1) },
      ],
      body: region([bound('inner', X.add(name('i'), name('x')))], [name('y'), name('inner')]),
      results: [int('p'), int('q')],
      site: site('loop'),
    }
    const { entry, frameSize } = linked([bound('first'), loop, bound('last', X.sub(name('p'), name('q')))])
    expect(entry.body[1]).toEqual({
      _tag: 'For',
      index: 1,
      from: local(0),
      to: X.i32(8),
      step: X.i32(2),
      carried: [
        { slot: 2, init: local(0) },
        { slot: 3, init: X.i32(1) },
      ],
      body: {
        params: [],
        body: [
          { _tag: 'Let', slot: 4, expr: X.add(expr(local(1)) as X.Int, expr(local(2)) as X.Int), site: 2 },
        ],
        yields: [local(3), local(4)],
      },
      results: [5, 6],
      site: 1,
    })
    expect(entry.body[2]).toMatchObject({ slot: 7, expr: { x: local(5), y: local(6) }, site: 3 })
    expect(frameSize).toBe(8)
  })
  test('a while: carried values, then what its second region takes', () => {
    const loop: Stmt = {
      _tag: 'While',
      carried: [{ binder: int('c'), init: name('n') }],
      before: region([], [X.lt(name('c'), X.i32(3)), name('c')]),
      after: region([], [name('p')], [int('p')]),
      results: [int('r')],
      site: site('while'),
    }
    expect(linked([loop]).entry.body[0]).toEqual({
      _tag: 'While',
      carried: [{ slot: 0, init: name('n') }],
      before: { params: [], body: [], yields: [X.lt(expr(local(0)) as X.Int, X.i32(3)), local(0)] },
      after: { params: [1], body: [], yields: [local(1)] },
      results: [2],
      site: 0,
    })
  })
  test('a branch on a condition: one side, then the other, then the results', () => {
    const choice: Stmt = {
      _tag: 'If',
      cond: X.eq(name('a'), X.i32(0)),
      then: region([bound('t')], [name('t')]),
      else: region([bound('e')], [name('e')]),
      results: [int('r')],
      site: site('if'),
    }
    expect(linked([bound('a'), choice]).entry.body[1]).toMatchObject({
      _tag: 'If',
      cond: { x: local(0) },
      then: { body: [{ slot: 1 }], yields: [local(1)] },
      else: { body: [{ slot: 2 }], yields: [local(2)] },
      results: [3],
      site: 1,
    })
  })
  test('each branch of a fork has a frame of its own, its captures first; the results are the parent’s', () => {
    const forked: Stmt = {
      _tag: 'Fork',
      branches: [
        {
          agent: 'wg',
          captures: [{ binder: int('x'), value: name('outer') }],
          body: region([bound('y', name('x'))], [name('y')]),
        },
        {
          agent: 'third',
          captures: [
            { binder: int('y'), value: X.i32(5) },
            { binder: int('outer'), value: name('outer') },
          ],
          body: region([bound('x', name('outer')), bound('z')]),
        },
      ],
      results: [int('r')],
      site: site('fork'),
    }
    const { entry, frameSize, starts } = linked([bound('before'), bound('outer'), forked])
    expect(entry.body[2]).toMatchObject({
      branches: [
        {
          agent: 0,
          captures: [{ slot: 0, value: local(1) }],
          body: { body: [{ slot: 1, expr: local(0) }], yields: [local(1)] },
          frameSize: 2,
        },
        {
          agent: 2,
          captures: [
            { slot: 0, value: X.i32(5) },
            { slot: 1, value: local(1) },
          ],
          body: { body: [{ slot: 2, expr: local(1) }, { slot: 3 }] },
          frameSize: 4,
        },
      ],
      results: [2],
    })
    expect(frameSize).toBe(3)
    expect(starts).toEqual([true, true, false])
  })
  test('an effect: its operands and its condition, before its results; a result that is a tile has the layout of its binder', () => {
    const load: Do = {
      _tag: 'Do',
      results: [
        {
          name: 'x',
          type: { _tag: 'tile', shape: [64, 8], element: { _tag: 'scalar', dtype: 'f32' }, layout: WGMMA },
        },
        int('y'),
      ],
      instruction: {
        _tag: 'smem.load',
        source: X.slot(X.storage<never>('s') as X.View<'smem', 'f32', 2>, name('a')),
      },
      when: X.eq(name('a'), X.i32(0)),
      site: site('load'),
    }
    expect(linked([bound('a'), load, mark()]).entry.body.slice(1)).toEqual([
      {
        _tag: 'Do',
        results: [1, 2],
        layouts: [WGMMA, 'any'],
        instruction: { _tag: 'smem.load', source: { _tag: 'slot', of: X.storage('s'), index: local(0) } },
        when: { _tag: 'compare', op: 'eq', signed: true, x: local(0), y: X.i32(0) },
        site: 1,
      },
      {
        _tag: 'Do',
        results: [],
        layouts: [],
        instruction: { _tag: 'fence.proxyAsync', scope: 'cta' },
        when: null,
        site: 2,
      },
    ])
  })
})

describe('refused', () => {
  const refusal = (...body: ReadonlyArray<Stmt>): string | null => code(link(program(body)))
  test.each<readonly [string, ReadonlyArray<Stmt>, string | null]>([
    ['a name that nobody binds', [bound('x', name('ghost'))], 'name.unbound'],
    ['a tensor by its bare name', [bound('x', name('t'))], 'name.unbound'],
    ['a name before it is bound', [bound('x', name('y')), bound('y')], 'name.unbound'],
    ['its own name', [bound('x', name('x'))], 'name.unbound'],
    ['a name bound twice', [bound('x'), bound('x')], 'name.rebound'],
    [
      'a name of the parent that was not captured',
      [bound('x'), fork({ agent: 'wg', body: [bound('y', name('x'))] })],
      'name.unbound',
    ],
    ['the same name in parent and child', [bound('x'), fork({ agent: 'wg', body: [bound('x')] })], null],
    [
      'a fork of an agent that is not declared',
      [fork({ agent: 'wg' }, { agent: 'nobody' })],
      'agent.unknown',
    ],
    ['a condition on nobody', [mark(X.name<'i1'>('ghost'))], 'name.unbound'],
    ['nothing', [bound('x'), bound('y', name('x')), mark()], null],
  ])('%s', (_, body, expected) => {
    expect(refusal(...body)).toBe(expected)
  })
  test('the first error is the one that is named', () => {
    const result = link(program([bound('x'), bound('x', name('ghost'))]))
    expect(E.isLeft(result) && result.left.message).toBe('the name ghost is not bound here')
    expect(refusal(bound('x'), bound('x'), bound('y', name('ghost')))).toBe('name.rebound')
  })
})

describe('what it collects', () => {
  test('sites in the order of the listing, one number for one object', () => {
    const shared = site('shared')
    const at = (s: Stmt): Stmt => ({ ...s, site: shared })
    const { sites, entry } = linked([bound('a'), at(bound('b')), at(mark()), mark()])
    expect(sites.map((s) => s.label)).toEqual(['a', 'shared', 'mark'])
    expect(entry.body.map((s) => s.site)).toEqual([0, 1, 1, 2])
  })
  test('who starts: everybody but those whom a fork starts; the parent’s own branch starts nobody', () => {
    expect(linked([]).starts).toEqual([true, true, true])
    expect(linked([fork({ agent: 'wg' })]).starts).toEqual([true, true, true])
    expect(linked([fork({ agent: 'wg' }, { agent: 'second' })]).starts).toEqual([true, false, true])
  })
  test('the instructions that occur', () => {
    const nested: Stmt = {
      _tag: 'If',
      cond: X.i1(true),
      then: region([mark()]),
      else: region([{ ...mark(), instruction: { _tag: 'trap' } }]),
      results: [],
      site: site('if'),
    }
    expect([...linked([nested]).instructions].sort()).toEqual(['fence.proxyAsync', 'trap'])
    expect(linked([]).instructions.size).toBe(0)
  })
  test('law 1: other names link to the same data', () => {
    const bodyOf = (x: string, y: string): ReadonlyArray<Stmt> => [
      { ...bound(x), site: site('first') },
      { ...bound(y, X.add(name(x), name('n'))), site: site('second') },
    ]
    expect(linked(bodyOf('x', 'y')).entry).toEqual(linked(bodyOf('left', 'right')).entry)
    expect(linked(bodyOf('x', 'y')).sites).toEqual(linked(bodyOf('left', 'right')).sites)
  })
})
