/**
 * Expressions as trees: what the constructors write where nothing else is said, and the immediate parts of a node of every kind, read off its
 * data without knowing the kind. Nodes of every kind are also those that `link` rebuilds (`link.proof.ts`).
 */
import { describe, expect, test } from 'vitest'
import * as X from '../../../src/semantics/language/expression.js'
import type { ExprNode } from '../../../src/semantics/language/expression.js'
import { nodeRows, nodes } from '../../../src/semantics/language/nodes.js'
import { literalType } from '../../../src/semantics/language/typecheck/constant.js'
import * as T from '../../../src/semantics/language/types.js'
import { WGMMA } from '../../../src/layouts/tiled.js'
import { ofStrides } from '../../../src/transforms/ref.js'
import { everyNode } from '../samples.js'
import { right } from '../../either.js'

describe('children', () => {
  const isNode = (x: unknown): x is ExprNode => typeof x === 'object' && x !== null && '_tag' in x
  test.each(everyNode.map((e) => [e._tag, e] as const))('%s: its operands, left to right', (_, e) => {
    const parts = Object.entries(e).flatMap(([field, x]: readonly [string, unknown]) =>
      // layouts are data; a combine has names of its own
      field === 'layout' || field === 'combine'
        ? []
        : Array.isArray(x)
          ? x.filter(isNode)
          : isNode(x)
            ? [x]
            : [],
    )
    expect(X.children(e)).toEqual(parts)
  })
  test('the list has every kind', () => {
    expect(new Set(everyNode.map((e) => e._tag)).size).toBe(37)
  })
})

describe('rows', () => {
  test('there is a row for every kind of node, its parts in the order in which the constructors write them', () => {
    expect([...nodeRows.keys()].sort()).toEqual([...new Set(everyNode.map((e) => e._tag))].sort())
    for (const e of everyNode)
      expect([e._tag, X.partsOf(e).map(({ value }) => value)]).toEqual([e._tag, Object.values(e).slice(1)])
  })
  test('a node is of one kind', () => {
    const kinds = Object.keys(nodes) as ReadonlyArray<keyof typeof nodes>
    for (const e of everyNode) expect(kinds.filter((kind) => X.isOf(kind, e))).toHaveLength(1)
    expect(kinds.some((kind) => X.isOf(kind, { _tag: 'toString' } as unknown as ExprNode))).toBe(false)
  })
})

describe('mapChildren', () => {
  test.each(everyNode.map((e) => [e._tag, e] as const))('%s: the identity changes nothing', (_, e) => {
    const seen: ExprNode[] = []
    const same = X.mapChildren(e, (x) => {
      seen.push(x)
      return x
    })
    expect(same).toEqual(e)
    expect(Object.keys(same)).toEqual(Object.keys(e))
    expect(seen).toEqual(X.children(e))
  })
  test.each(everyNode.map((e) => [e._tag, e] as const))('%s: operands alone are changed', (_, e) => {
    const before = JSON.stringify(e)
    const other = X.mapChildren(e, () => X.name('other'))
    expect(JSON.stringify(e)).toBe(before)
    expect(X.children(other)).toEqual(X.children(e).map(() => X.name('other')))
    const data = (of: ExprNode) => X.partsOf(of).filter(({ word }) => word !== 'expr' && word !== 'expr ...')
    expect(data(other)).toEqual(data(e))
  })
})

describe('literals', () => {
  const valueOf = (e: unknown): unknown => (e as { readonly value: unknown }).value
  test.each<readonly [number, number | string]>([
    [1.5, 1.5],
    [0, 0],
    [-0, '-0'],
    [Infinity, 'Infinity'],
    [-Infinity, '-Infinity'],
    [NaN, 'NaN'],
  ])('a float %d is written %s', (x, text) => {
    expect(Object.is(valueOf(X.float('f32', x)), text)).toBe(true)
  })
  test('integers at their width; 64 bits as text', () => {
    expect([X.i32(-(2 ** 31)), X.i32(-1), X.i32(-0), X.i1(true), X.i1(false)].map(valueOf)).toEqual([
      -(2 ** 31),
      -1,
      0,
      1,
      0,
    ])
    expect(X.i64(-(2n ** 63n))).toEqual({ _tag: 'const', dtype: 'i64', value: '-9223372036854775808' })
  })
  test.each([2 ** 31, -(2 ** 31) - 1, 1.5, NaN])('%d is no other integer: it stays, and is refused', (x) => {
    expect(valueOf(X.i32(x))).toBe(x)
    expect(literalType('i32', x)).toMatchObject({
      left: { message: `A constant of i32 cannot be ${String(x)}` },
    })
  })
})

describe('what is not said', () => {
  const [x, y] = [X.name<'f32'>('x'), X.name<'f32'>('y')]
  test('rounding: correct where it is defined, approximate where the compiler decides; either can be asked for', () => {
    const modes = (mode?: 'rn' | 'approx'): ReadonlyArray<unknown> =>
      [X.neg, X.abs, X.rcp, X.sqrt, X.exp2, X.log2, X.exp, X.log, X.rsqrt, X.tanh].map((f) => {
        const e = (mode === undefined ? f(x) : f(x, mode)) as unknown as {
          readonly op: string
          readonly mode: string
        }
        return `${e.op} ${e.mode}`
      })
    expect(modes()).toEqual([
      'neg rn',
      'abs rn',
      'rcp rn',
      'sqrt rn',
      'exp2 approx',
      'log2 approx',
      'exp approx',
      'log approx',
      'rsqrt approx',
      'tanh approx',
    ])
    expect(modes('approx').every((m) => String(m).endsWith('approx'))).toBe(true)
    expect(modes('rn').every((m) => String(m).endsWith('rn'))).toBe(true)
    expect(X.special('ex2.approx.ftz.f32', x)).toMatchObject({ op: 'ex2.approx.ftz.f32', mode: 'rn' })
    expect(X.specialQuotient('div.full.f32', x, y)).toEqual({ _tag: 'binary', op: 'div.full.f32', x, y })
  })
  test('comparisons are signed but for those that say so', () => {
    const signs = [X.eq, X.ne, X.lt, X.le, X.gt, X.ge, X.ltU, X.leU].map((f) => {
      const e = f(x, y) as unknown as { readonly op: string; readonly signed: boolean }
      return [e.op, e.signed]
    })
    expect(signs).toEqual([
      ['eq', true],
      ['ne', true],
      ['lt', true],
      ['le', true],
      ['gt', true],
      ['ge', true],
      ['lt', false],
      ['le', false],
    ])
  })
  test('conversions round to nearest and do not saturate', () => {
    for (const f of [X.trunc, X.extS, X.extU, X.cast, X.bitcast]) {
      expect(f(x, 'f16')).toMatchObject({ to: 'f16', rounding: 'rn', saturate: false, x })
      expect(f(x, 'f16', 'rz', true)).toMatchObject({ rounding: 'rz', saturate: true })
    }
  })
  test('tiles have any layout, an iota begins at 0, a place is along axis 0', () => {
    const t = X.name<never>('t') as X.Tile<'f32', 2>
    expect(X.iota([4], 0)).toEqual({ _tag: 'iota', shape: [4], axis: 0, start: 0, layout: 'any' })
    const laid = (layout?: typeof WGMMA): ReadonlyArray<unknown> =>
      [
        X.iota([4], 0, layout),
        X.splat(x, [4], layout),
        X.broadcast(t, [4, 4], layout),
        X.expandDims(t, 0, layout),
        X.reshape(t, [4], layout),
        X.transpose(t, [1, 0], layout),
        X.reduce(t, 0, X.add, layout),
      ].map((e) => (e as unknown as { readonly layout: unknown }).layout)
    expect(laid()).toEqual(new Array(7).fill('any'))
    expect(laid(WGMMA)).toEqual(new Array(7).fill(WGMMA))
    expect(X.place('programId')).toEqual({ _tag: 'place', of: 'programId', axis: 0 })
  })
  test('not is the exclusive or with true; a combine names its operands', () => {
    expect(X.not(X.name<'i1'>('p'))).toEqual({
      _tag: 'binary',
      op: 'xor',
      x: X.name('p'),
      y: { _tag: 'const', dtype: 'i1', value: 1 },
    })
    const t = X.name<never>('t') as X.Tile<'f32', 1>
    expect(X.reduce(t, 0, (l, r) => X.sub(l, r))).toMatchObject({
      combine: {
        params: ['lhs', 'rhs'],
        body: [],
        result: { op: 'sub', x: X.name('lhs'), y: X.name('rhs') },
      },
    })
  })
})

test('types, as they travel', () => {
  const layout = right(ofStrides([4], 16, [1]))
  expect([
    T.scalar('f16'),
    T.i1,
    T.i32,
    T.i64,
    T.ptr('u8'),
    T.view('tmem', 'f16', layout),
    T.barrier('pallas', true, [2, 3]),
    T.barrier('ptx', false, []),
    T.descriptor('f16', 3),
    T.tile([4], T.ptr('f32'), 'any'),
    T.token,
  ]).toEqual([
    { _tag: 'scalar', dtype: 'f16' },
    { _tag: 'scalar', dtype: 'i1' },
    { _tag: 'scalar', dtype: 'i32' },
    { _tag: 'scalar', dtype: 'i64' },
    { _tag: 'ptr', dtype: 'u8' },
    { _tag: 'view', space: 'tmem', dtype: 'f16', layout },
    { _tag: 'barrier', contract: 'pallas', ordersTensorCore: true, shape: [2, 3] },
    { _tag: 'barrier', contract: 'ptx', ordersTensorCore: false, shape: [] },
    { _tag: 'descriptor', dtype: 'f16', rank: 3 },
    { _tag: 'tile', shape: [4], element: { _tag: 'ptr', dtype: 'f32' }, layout: 'any' },
    { _tag: 'token' },
  ])
})
test('which scalars are integers', () => {
  const names = ['i1', 'i32', 'i64', 'f32', 'f16', 'e2m1', 'e8m0'] as const
  expect(names.map(T.isInteger)).toEqual([true, true, true, false, false, false, false])
})
