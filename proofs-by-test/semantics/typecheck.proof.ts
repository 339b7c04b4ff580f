/** Types of expressions against tables written by hand, and against the layout algebra. */
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { WGMMA, WGMMA_ROW } from '../../src/layouts/tiled.js'
import { splatLayout } from '../../src/layouts/splat.js'
import { bitsOf } from '../../src/numerics/dtype.js'
import * as X from '../../src/semantics/expression.js'
import type { BinaryName, CompareName, ConvertName, ExprNode } from '../../src/semantics/expression.js'
import { accepts, bind, noNames, showType, typeOf, type Environment } from '../../src/semantics/typecheck.js'
import type { ScalarName, Type } from '../../src/semantics/types.js'
import { barrier, ptr, scalar, tile, view } from '../../src/semantics/types.js'
import * as Ref from '../../src/transforms/ref.js'
import { swizzle, tile as tiling } from '../../src/transforms/transform.js'
import { right } from './samples.js'

const scalars: ReadonlyArray<ScalarName> = ['i1', 'i32', 'i64', 'f32', 'f16', 'bf16', 'e4m3']
const ringRef = right(Ref.ofTransforms([4, 64, 64], 16, [right(tiling([8, 64])), right(swizzle(128))]))
const types: Readonly<Record<string, Type>> = {
  ...Object.fromEntries(scalars.map((dtype) => [dtype, scalar(dtype)])),
  p: ptr('f16'),
  ring: view('smem', 'f16', ringRef),
  bars: barrier('ptx', false, [4]),
  bar: barrier('ptx', true, []),
  t: tile([64, 64], scalar('f32'), 'any'),
  w: tile([64, 64], scalar('f32'), WGMMA),
  row: tile([64], scalar('f32'), WGMMA_ROW),
  s: tile([64, 64], scalar('f32'), splatLayout([])),
  half: tile([64, 64], scalar('f16'), 'any'),
  ti: tile([64, 64], scalar('i32'), 'any'),
  tb: tile([64, 64], scalar('i1'), WGMMA),
  tp: tile([64, 64], ptr('f16'), 'any'),
}
const env: Environment = {
  declarations: { params: new Map(), storage: new Map() },
  names: Object.entries(types).reduce((names, [name, type]) => bind(names, name, { type }), noNames),
}
const v = (name: string): ExprNode => ({ _tag: 'name', name })
const show = (expr: ExprNode): string => {
  const type = typeOf(env)(expr)
  return E.isLeft(type) ? type.left.code : showType(type.right)
}

describe('scalars', () => {
  const integers = ['i1', 'i32', 'i64']
  test('binary operations, exhausted over operations and pairs of dtypes', () => {
    const ops: ReadonlyArray<BinaryName> = [
      'add',
      'sub',
      'mul',
      'min',
      'max',
      'quo',
      'rem',
      'div',
      'mod',
      'and',
      'or',
      'xor',
      'shl',
      'shrS',
      'shrU',
      'fdiv',
    ]
    for (const op of ops)
      for (const x of scalars)
        for (const y of scalars) {
          const legal =
            x === y &&
            (op === 'fdiv'
              ? !integers.includes(x)
              : ['add', 'sub', 'mul', 'min', 'max'].includes(op)
                ? x !== 'i1'
                : integers.includes(x))
          expect(show({ _tag: 'binary', op, x: v(x), y: v(y) }), `${op} ${x} ${y}`).toBe(
            legal ? x : 'type.mismatch',
          )
        }
  })

  test('comparisons give i1', () => {
    const ops: ReadonlyArray<CompareName> = ['eq', 'ne', 'lt', 'le', 'gt', 'ge']
    for (const op of ops)
      for (const x of scalars)
        for (const y of scalars)
          expect(show({ _tag: 'compare', op, signed: true, x: v(x), y: v(y) })).toBe(
            x === y ? 'i1' : 'type.mismatch',
          )
  })

  test('conversions, exhausted', () => {
    const bits = (dtype: ScalarName): number => bitsOf(dtype)
    const both = (x: string, y: string): boolean => integers.includes(x) && integers.includes(y)
    const legal: Readonly<Record<ConvertName, (x: ScalarName, y: ScalarName) => boolean>> = {
      trunc: (x, y) => both(x, y) && bits(x) > bits(y),
      extS: (x, y) => both(x, y) && bits(x) < bits(y),
      extU: (x, y) => both(x, y) && bits(x) < bits(y),
      cast: (x, y) => !both(x, y),
      bitcast: (x, y) => bits(x) === bits(y),
    }
    for (const op of ['trunc', 'extS', 'extU', 'cast', 'bitcast'] as const)
      for (const x of scalars)
        for (const to of scalars)
          expect(
            show({ _tag: 'convert', op, to, rounding: 'rn', saturate: false, x: v(x) }),
            `${op} ${x} ${to}`,
          ).toBe(legal[op](x, to) ? to : 'type.mismatch')
  })

  test.each([
    ['i32', 2 ** 31, 'type.constant'],
    ['i32', -(2 ** 31), 'i32'],
    ['i32', 1.5, 'type.constant'],
    ['i1', 2, 'type.constant'],
    ['i64', '-9223372036854775808', 'i64'],
    ['i64', 5, 'type.constant'],
    ['f32', 'NaN', 'f32'],
    ['f32', 'nan', 'type.constant'],
  ] as const)('constants: %s %s is %s', (dtype, value, expected) => {
    expect(show({ _tag: 'const', dtype, value })).toBe(expected)
  })

  test('packing', () => {
    expect(show({ _tag: 'pack', to: 'i32', parts: [v('f16'), v('f16')] })).toBe('i32')
    expect(show({ _tag: 'pack', to: 'i32', parts: [v('f16')] })).toBe('type.mismatch')
    expect(show({ _tag: 'pack', to: 'i32', parts: [v('f16'), v('bf16')] })).toBe('type.mismatch')
    expect(show({ _tag: 'unpack', to: 'f16', part: 1, x: v('i32') })).toBe('f16')
    expect(show({ _tag: 'unpack', to: 'f16', part: 2, x: v('i32') })).toBe('type.mismatch')
  })
})

describe('tiles', () => {
  const joined = (x: string, y: string): string => show({ _tag: 'binary', op: 'add', x: v(x), y: v(y) })
  test.each([
    ['t', 't', 'tile f32 (64, 64)'],
    ['t', 'w', 'tile f32 (64, 64) WGMMA'],
    ['w', 't', 'tile f32 (64, 64) WGMMA'],
    ['s', 'w', 'tile f32 (64, 64) WGMMA'],
    ['w', 's', 'tile f32 (64, 64) WGMMA'],
    ['w', 'f32', 'tile f32 (64, 64) WGMMA'],
    ['w', 'i32', 'type.mismatch'],
    ['w', 'half', 'type.mismatch'],
    ['w', 'row', 'type.mismatch'],
    ['tb', 'tb', 'type.mismatch'],
    ['tp', 'tp', 'type.mismatch'],
  ])('%s + %s: %s', (x, y, expected) => {
    expect(joined(x, y)).toBe(expected)
  })

  test.each([
    ['expandDims', { _tag: 'expandDims', x: v('row'), axis: 1, layout: 'any' }, 'tile f32 (64, 1)'],
    ['expandDims out of range', { _tag: 'expandDims', x: v('row'), axis: 2, layout: 'any' }, 'type.shape'],
    [
      'broadcast',
      {
        _tag: 'broadcast',
        x: { _tag: 'expandDims', x: v('row'), axis: 1, layout: 'any' },
        shape: [64, 8],
        layout: WGMMA,
      },
      'tile f32 (64, 8) WGMMA',
    ],
    [
      'broadcast of a real extent',
      { _tag: 'broadcast', x: v('t'), shape: [128, 64], layout: 'any' },
      'type.shape',
    ],
    ['a layout that does not fit', { _tag: 'splat', x: v('f32'), shape: [60, 8], layout: WGMMA }, 'L2'],
    [
      'reduce',
      {
        _tag: 'reduce',
        x: v('w'),
        axis: 1,
        combine: {
          params: ['a', 'b'],
          body: [],
          result: { _tag: 'binary', op: 'max', x: v('a'), y: v('b') },
        },
        layout: WGMMA_ROW,
      },
      'tile f32 (64,) WGMMA_ROW',
    ],
    [
      'reduce with an outer name',
      {
        _tag: 'reduce',
        x: v('w'),
        axis: 1,
        combine: { params: ['a', 'b'], body: [], result: v('f32') },
        layout: 'any',
      },
      'name.unbound',
    ],
    [
      'reduce to another type',
      {
        _tag: 'reduce',
        x: v('w'),
        axis: 1,
        combine: {
          params: ['a', 'b'],
          body: [],
          result: { _tag: 'compare', op: 'lt', signed: true, x: v('a'), y: v('b') },
        },
        layout: 'any',
      },
      'type.mismatch',
    ],
    ['reshape', { _tag: 'reshape', x: v('t'), shape: [4096], layout: 'any' }, 'tile f32 (4096,)'],
    ['reshape to another size', { _tag: 'reshape', x: v('t'), shape: [4095], layout: 'any' }, 'type.shape'],
    ['select by tile', { _tag: 'select', cond: v('tb'), x: v('t'), y: v('t') }, 'tile f32 (64, 64) WGMMA'],
    ['select by i32', { _tag: 'select', cond: v('i32'), x: v('t'), y: v('t') }, 'type.mismatch'],
    ['compare', { _tag: 'compare', op: 'lt', signed: true, x: v('w'), y: v('w') }, 'tile i1 (64, 64) WGMMA'],
    ['any', { _tag: 'vote', of: 'any', x: v('tb') }, 'i1'],
    ['any of numbers', { _tag: 'vote', of: 'any', x: v('t') }, 'type.mismatch'],
    ['addptr', { _tag: 'addptr', ptr: v('tp'), offset: v('ti') }, 'tile ptr f16 (64, 64)'],
    ['addptr with a float', { _tag: 'addptr', ptr: v('tp'), offset: v('t') }, 'type.mismatch'],
    [
      'addptr with a tile of offsets to one pointer',
      { _tag: 'addptr', ptr: v('p'), offset: v('ti') },
      'type.mismatch',
    ],
    ['item', { _tag: 'item', x: v('row') }, 'type.shape'],
    ['exp2 of an integer', { _tag: 'unary', op: 'exp2', mode: 'rn', x: v('i32') }, 'type.mismatch'],
    ['a frame slot', { _tag: 'local', slot: 0 }, 'ir.linked'],
  ] as ReadonlyArray<readonly [string, ExprNode, string]>)('%s', (_name, expr, expected) => {
    expect(show(expr)).toBe(expected)
  })
})

describe('views', () => {
  const layoutOf = (expr: ExprNode): Ref.TransformedRef | string => {
    const type = typeOf(env)(expr)
    return E.isLeft(type) ? type.left.code : type.right._tag === 'view' ? type.right.layout : 'not a view'
  }

  test('law 2: slots and slices have the layouts of the algebra, wherever they start', () => {
    fc.assert(
      fc.property(fc.nat(7), fc.nat(7), fc.integer({ min: 1, max: 8 }), (at, start, size) => {
        const slot: ExprNode = { _tag: 'slot', of: v('ring'), index: X.i32(at) }
        expect(layoutOf(slot)).toEqual(at < 4 ? right(Ref.slotShape(ringRef)) : 'ref.bounds')
        const of: ExprNode = { _tag: 'slot', of: v('ring'), index: v('i32') }
        const sliced = layoutOf({
          _tag: 'slice',
          of,
          starts: [X.i32(8 * start), X.i32(0)],
          sizes: [8 * size, 64],
        })
        const whole = right(Ref.slotShape(ringRef))
        expect(sliced).toEqual(
          start + size <= 8 ? right(Ref.slice([0, 0], [8 * size, 64])(whole)) : 'ref.bounds',
        )
      }),
      { numRuns: 60 },
    )
  })

  test('a view that swaps its dimensions twice is the view', () => {
    const of: ExprNode = { _tag: 'slot', of: v('ring'), index: v('i32') }
    const swap = (x: ExprNode): ExprNode => ({ _tag: 'transposeView', of: x, perm: [1, 0] })
    expect(layoutOf(swap(swap(of)))).toEqual(layoutOf(of))
  })

  test('reinterpretation must fit and match its dtype', () => {
    const whole = right(Ref.ofTransforms([4 * 64 * 64 * 2], 8, []))
    const more = right(Ref.ofTransforms([4 * 64 * 64 * 2 + 1], 8, []))
    expect(layoutOf({ _tag: 'reinterpret', of: v('ring'), dtype: 'u8', layout: whole })).toEqual(whole)
    expect(layoutOf({ _tag: 'reinterpret', of: v('ring'), dtype: 'u8', layout: more })).toBe('type.shape')
    expect(layoutOf({ _tag: 'reinterpret', of: v('ring'), dtype: 'f32', layout: whole })).toBe(
      'type.mismatch',
    )
  })

  test('barriers: slots, bounds, remote', () => {
    expect(show({ _tag: 'slot', of: v('bars'), index: v('i32') })).toBe('barrier ptx')
    expect(show({ _tag: 'slot', of: v('bars'), index: X.i32(4) })).toBe('ref.bounds')
    expect(show({ _tag: 'slot', of: v('bar'), index: X.i32(0) })).toBe('type.mismatch')
    expect(show({ _tag: 'remote', of: v('bar'), rank: v('i32') })).toBe('barrier ptx tensor-core')
    expect(show({ _tag: 'remote', of: v('p'), rank: v('i32') })).toBe('type.mismatch')
  })
})

test('law 3: accepts is reflexive, and without tiles it is equality', () => {
  for (const [a, x] of Object.entries(types))
    for (const [b, y] of Object.entries(types))
      if (x._tag !== 'tile' || y._tag !== 'tile' || a === b) expect(accepts(x, y), `${a} ${b}`).toBe(a === b)
})
