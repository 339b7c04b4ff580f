/** Types of expressions against tables written by hand, and against the layout algebra. */
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { WGMMA, WGMMA_ROW } from '../../../src/layouts/tiled.js'
import { stridedLayout } from '../../../src/layouts/strided.js'
import { splatLayout } from '../../../src/layouts/splat.js'
import { unaryOps } from '../../../src/numerics/algebra.js'
import { bitsOf } from '../../../src/numerics/dtype.js'
import { specialBinaryNames, specialUnaryNames } from '../../../src/numerics/special-functions/index.js'
import * as X from '../../../src/semantics/language/expression.js'
import type {
  BinaryName,
  CompareName,
  ConvertName,
  ExprNode,
} from '../../../src/semantics/language/expression.js'
import { unit } from '../../../src/numerics/unit.js'
import { evaluate } from '../../../src/semantics/machine/evaluate.js'
import {
  accepts,
  baseOf,
  bind,
  bindingOf,
  checkType,
  constantOf,
  lookup,
  mismatch,
  noNames,
  showType,
  typeOf,
  type Environment,
} from '../../../src/semantics/language/typecheck.js'
import { launched, solo } from '../machine/machine-samples.js'
import type { ScalarName, Type } from '../../../src/semantics/language/types.js'
import { barrier, ptr, scalar, tile, view } from '../../../src/semantics/language/types.js'
import * as Ref from '../../../src/transforms/ref.js'
import { swizzle, tile as tiling } from '../../../src/transforms/transform.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

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
  strided: tile([64, 64], scalar('f32'), right(stridedLayout([64, 64], 1))),
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

describe('scalars.ts', () => {
  const integers = ['i1', 'i32', 'i64']
  test('law 1: binary operations, exhausted over operations and pairs of dtypes', () => {
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
      ...specialBinaryNames,
    ]
    for (const op of ops)
      for (const x of scalars)
        for (const y of scalars) {
          const legal =
            x === y &&
            (op === 'fdiv'
              ? !integers.includes(x)
              : specialBinaryNames.some((name) => name === op)
                ? x === 'f32'
                : ['add', 'sub', 'mul', 'min', 'max'].includes(op)
                  ? x !== 'i1'
                  : integers.includes(x))
          expect(show({ _tag: 'binary', op, x: v(x), y: v(y) }), `${op} ${x} ${y}`).toBe(
            legal ? x : 'type.mismatch',
          )
        }
  })

  test('law 1: unary operations are of floats, a special function of its own dtype', () => {
    for (const op of [...unaryOps, ...specialUnaryNames])
      for (const x of scalars) {
        const own = op.endsWith('.bf16') ? 'bf16' : op.endsWith('.f16') ? 'f16' : 'f32'
        const legal = specialUnaryNames.some((name) => name === op) ? x === own : !integers.includes(x)
        expect(show({ _tag: 'unary', op, mode: 'approx', x: v(x) }), `${op} ${x}`).toBe(
          legal ? x : 'type.mismatch',
        )
      }
    const ex2: ExprNode = { _tag: 'unary', op: 'ex2.approx.f16', mode: 'approx', x: v('half') }
    expect(show(ex2)).toBe('tile f16 (64, 64)')
    expect(show({ _tag: 'unary', op: 'ex2.approx.f16', mode: 'approx', x: v('t') })).toBe('type.mismatch')
  })

  test('law 1: comparisons give i1', () => {
    const ops: ReadonlyArray<CompareName> = ['eq', 'ne', 'lt', 'le', 'gt', 'ge']
    for (const op of ops)
      for (const x of scalars)
        for (const y of scalars)
          expect(show({ _tag: 'compare', op, signed: true, x: v(x), y: v(y) })).toBe(
            x === y ? 'i1' : 'type.mismatch',
          )
  })

  test('law 2: conversions, exhausted', () => {
    const bits = (dtype: ScalarName): number => bitsOf(dtype)
    const both = (x: string, y: string): boolean => integers.includes(x) && integers.includes(y)
    const legal: Readonly<Record<ConvertName, (x: ScalarName, y: ScalarName) => boolean>> = {
      trunc: (x, y) => both(x, y) && bits(x) > bits(y),
      extS: (x, y) => both(x, y) && bits(x) < bits(y),
      extU: (x, y) => both(x, y) && bits(x) < bits(y),
      cast: (x, y) => !both(x, y),
      // narrow integers are i32 in registers, so narrow floats are their bits
      bitcast: (x, y) =>
        bits(x) === bits(y) ||
        [
          [x, y],
          [y, x],
        ].some(([p, q]) => p === 'i32' && !integers.includes(q!) && bits(q!) < 32),
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
  ] as const)('constant.ts law 1: %s %s is %s', (dtype, value, expected) => {
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

describe('operand.ts and tiles.ts', () => {
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
    ['t', 's', 'tile f32 (64, 64) splat'],
    ['w', 'strided', 'L2'],
  ])('operand.ts law 2: %s + %s: %s', (x, y, expected) => {
    expect(joined(x, y)).toBe(expected)
  })

  test('operand.ts law 1: joining is idempotent and symmetric, over all pairs', () => {
    for (const x of Object.keys(types)) {
      const type = types[x]!
      const number =
        (type._tag === 'scalar' && type.dtype !== 'i1') ||
        (type._tag === 'tile' && type.element._tag === 'scalar' && type.element.dtype !== 'i1')
      expect(joined(x, x), x).toBe(number ? showType(type) : 'type.mismatch')
      for (const y of Object.keys(types)) expect(joined(x, y), `${x} ${y}`).toBe(joined(y, x))
    }
  })

  test('scalars.ts law 3: on tiles an operation has the element type that it has on scalars', () => {
    const ops: ReadonlyArray<BinaryName> = ['add', 'rem', 'and', 'shl', 'fdiv', 'max']
    for (const op of ops)
      for (const [dtype, name] of [
        ['f32', 't'],
        ['f16', 'half'],
        ['i32', 'ti'],
      ] as const) {
        const scalarOf = show({ _tag: 'binary', op, x: v(dtype), y: v(dtype) })
        expect(show({ _tag: 'binary', op, x: v(name), y: v(name) })).toBe(
          scalarOf === dtype ? `tile ${dtype} (64, 64)` : scalarOf,
        )
      }
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
    [
      'dot',
      { _tag: 'dot', x: v('t'), y: v('t'), z: v('w'), as: 'tf32', saturate: false },
      'tile f32 (64, 64) WGMMA',
    ],
    [
      'dot of bytes',
      { _tag: 'dot', x: v('ti'), y: v('ti'), z: v('ti'), as: 'i8', saturate: true },
      'tile i32 (64, 64)',
    ],
    [
      'dot of floats as bytes',
      { _tag: 'dot', x: v('t'), y: v('t'), z: v('t'), as: 'i8', saturate: false },
      'type.mismatch',
    ],
    [
      'dot as f32',
      { _tag: 'dot', x: v('t'), y: v('t'), z: v('t'), as: 'f32', saturate: false },
      'type.mismatch',
    ],
    [
      'dot of floats that saturates',
      { _tag: 'dot', x: v('t'), y: v('t'), z: v('t'), as: 'tf32', saturate: true },
      'type.mismatch',
    ],
    [
      'dot of other extents',
      {
        _tag: 'dot',
        x: v('t'),
        y: { _tag: 'reshape', x: v('t'), shape: [32, 128], layout: 'any' },
        z: v('t'),
        as: 'tf32',
        saturate: false,
      },
      'type.shape',
    ],
    ['gather', { _tag: 'gather', x: v('t'), index: v('ti'), axis: 1, layout: 'any' }, 'tile f32 (64, 64)'],
    [
      'gather of fewer columns',
      {
        _tag: 'gather',
        x: v('t'),
        index: { _tag: 'iota', shape: [64, 8], axis: 1, start: 0, layout: 'any' },
        axis: 1,
        layout: 'any',
      },
      'tile f32 (64, 8)',
    ],
    [
      'gather of fewer rows along the columns',
      {
        _tag: 'gather',
        x: v('t'),
        index: { _tag: 'iota', shape: [8, 64], axis: 1, start: 0, layout: 'any' },
        axis: 1,
        layout: 'any',
      },
      'type.shape',
    ],
    [
      'gather by floats',
      { _tag: 'gather', x: v('t'), index: v('t'), axis: 1, layout: 'any' },
      'type.mismatch',
    ],
    [
      'gather along no dimension',
      { _tag: 'gather', x: v('t'), index: v('ti'), axis: 2, layout: 'any' },
      'type.shape',
    ],
    ['any', { _tag: 'vote', of: 'any', x: v('tb') }, 'i1'],
    ['any of numbers', { _tag: 'vote', of: 'any', x: v('t') }, 'type.mismatch'],
    ['addptr', { _tag: 'addptr', ptr: v('tp'), offset: v('ti') }, 'tile ptr f16 (64, 64)'],
    ['castPtr of one', { _tag: 'castPtr', ptr: v('p'), dtype: 'i32' }, 'ptr i32'],
    ['castPtr of a tile', { _tag: 'castPtr', ptr: v('tp'), dtype: 'u8' }, 'tile ptr u8 (64, 64)'],
    ['castPtr of a number', { _tag: 'castPtr', ptr: v('t'), dtype: 'u8' }, 'type.mismatch'],
    ['addptr with a float', { _tag: 'addptr', ptr: v('tp'), offset: v('t') }, 'type.mismatch'],
    [
      'addptr with a tile of offsets to one pointer',
      { _tag: 'addptr', ptr: v('p'), offset: v('ti') },
      'type.mismatch',
    ],
    ['item', { _tag: 'item', x: v('row') }, 'type.shape'],
    ['exp2 of an integer', { _tag: 'unary', op: 'exp2', mode: 'rn', x: v('i32') }, 'type.mismatch'],
    ['a frame slot', { _tag: 'local', slot: 0 }, 'ir.linked'],
  ] as ReadonlyArray<readonly [string, ExprNode, string]>)(
    'tiles.ts laws 1 to 3: %s',
    (_name, expr, expected) => {
      expect(show(expr)).toBe(expected)
    },
  )
})

describe('places.ts', () => {
  const layoutOf = (expr: ExprNode): Ref.TransformedRef | string => {
    const type = typeOf(env)(expr)
    return E.isLeft(type) ? type.left.code : type.right._tag === 'view' ? type.right.layout : 'not a view'
  }

  test('law 1: slots and slices have the layouts of the algebra, wherever they start', () => {
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

  test('law 2: a view that swaps its dimensions twice is the view', () => {
    const of: ExprNode = { _tag: 'slot', of: v('ring'), index: v('i32') }
    const swap = (x: ExprNode): ExprNode => ({ _tag: 'transposeView', of: x, perm: [1, 0] })
    expect(layoutOf(swap(swap(of)))).toEqual(layoutOf(of))
  })

  test('law 3: reinterpretation must fit and match its dtype', () => {
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

describe('typing.ts', () => {
  test('law 1: accepts is reflexive, and without tiles it is equality', () => {
    for (const [a, x] of Object.entries(types))
      for (const [b, y] of Object.entries(types))
        if (x._tag !== 'tile' || y._tag !== 'tile' || a === b)
          expect(accepts(x, y), `${a} ${b}`).toBe(a === b)
  })

  test('law 2: L2 exactly for tiles that differ in their layout alone', () => {
    const alike = ['t', 'w', 's', 'strided']
    for (const [a, x] of Object.entries(types))
      for (const [b, y] of Object.entries(types)) {
        const layoutAlone = (alike.includes(a) && alike.includes(b)) || (a === b && x._tag === 'tile')
        expect(mismatch('it', x, y).code, `${a} ${b}`).toBe(layoutAlone ? 'L2' : 'type.mismatch')
      }
  })

  test('law 3: a type that is checked is itself', () => {
    for (const type of Object.values(types)) expect(right(checkType(type))).toEqual(type)
    expect(E.isLeft(checkType(tile([60, 8], scalar('f32'), WGMMA)))).toBe(true)
    expect(E.isLeft(checkType(view('smem', 'f32', ringRef)))).toBe(true)
  })
})

test('show-type.ts law 1: types that are told apart read differently', () => {
  for (const x of Object.values(types))
    for (const y of Object.values(types)) if (!accepts(x, y)) expect(showType(x)).not.toBe(showType(y))
})

test('environment.ts laws 1 and 2: a bind is seen under its name and under no other, however many there are', () => {
  const step = fc.tuple(
    fc.nat(60).map((k) => `n${String(k)}`),
    fc.constantFrom(...Object.values(types)),
  )
  fc.assert(
    fc.property(fc.array(step, { minLength: 80, maxLength: 120 }), (steps) => {
      let names = noNames
      const model = new Map<string, Type>()
      for (const [name, type] of steps) {
        const before = names
        const old = model.get(name)
        names = bind(names, name, { type })
        model.set(name, type)
        expect(lookup(before, name)?.type).toBe(old)
      }
      for (let k = 0; k <= 60; k++)
        expect(lookup(names, `n${String(k)}`)?.type).toBe(model.get(`n${String(k)}`))
    }),
    { numRuns: 20 },
  )
})

test('constant.ts law 2: what is constant is what the machine computes', () => {
  const { world } = launched(
    solo(function* () {
      yield* []
    }),
    unit,
  )
  const leaf = fc.integer({ min: -10, max: 10 }).map((n): ExprNode => X.i32(n))
  const { expr } = fc.letrec<{ readonly expr: ExprNode }>((tie) => ({
    expr: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc
        .tuple(fc.constantFrom<BinaryName>('add', 'sub', 'mul', 'quo', 'div'), tie('expr'), tie('expr'))
        .map(([op, x, y]): ExprNode => ({ _tag: 'binary', op, x, y })),
    ),
  }))
  fc.assert(
    fc.property(expr, (e) => {
      const known = constantOf(e)
      fc.pre(known !== undefined)
      expect(evaluate(world, { agent: 0, cta: 0, place: 0, cluster: 0 }, [], e)).toBe(known! + 0)
    }),
    { numRuns: nightly ? 300 : 60 },
  )
})

describe('type-of.ts', () => {
  test('law 1: names that an expression does not contain do not matter', () => {
    const expr: ExprNode = { _tag: 'slot', of: v('ring'), index: v('i32') }
    const only: Environment = {
      declarations: env.declarations,
      names: ['ring', 'i32'].reduce((names, name) => bind(names, name, { type: types[name]! }), noNames),
    }
    expect(typeOf(only)(expr)).toEqual(typeOf(env)(expr))
  })

  test('law 2: a name is what it is bound to, and else a scalar parameter', () => {
    const param: Environment = {
      declarations: {
        params: new Map([['n', { _tag: 'scalar', name: 'n', dtype: 'i64' }]]),
        storage: new Map(),
      },
      names: noNames,
    }
    expect(typeOf(param)(v('n'))).toEqual(E.right(scalar('i64')))
    const hidden = { declarations: param.declarations, names: bind(noNames, 'n', { type: types['p']! }) }
    expect(typeOf(hidden)(v('n'))).toEqual(E.right(types['p']))
    expect(show(v('n'))).toBe('name.unbound')
  })
})

describe('known-place.ts', () => {
  const placed: Environment = {
    declarations: {
      params: new Map(),
      storage: new Map([
        [
          'buffer',
          {
            id: 'buffer',
            space: 'smem',
            owner: 'cta',
            contents: { _tag: 'elements', dtype: 'f16', layout: ringRef },
            bits: 4 * 64 * 64 * 16,
            align: 1024,
            offset: 2048,
          },
        ],
      ]),
    },
    names: bind(bind(noNames, 'k', { type: scalar('i32') }), 'start', { type: scalar('i32') }),
  }
  const buffer: ExprNode = { _tag: 'storage', storage: 'buffer' }
  const slot = (index: ExprNode): ExprNode => ({ _tag: 'slot', of: buffer, index })
  const rows = (of: ExprNode, start: ExprNode): ExprNode => ({
    _tag: 'slice',
    of,
    starts: [start, X.i32(0)],
    sizes: [8, 64],
  })

  test('law 1: every slot and slice starts where its base says, in bytes counted by hand', () => {
    // 64 x 64 f16 are 8192 bytes; a row of tiles, 8 x 64, is 1024.
    for (let k = 0; k < 4; k++)
      for (let start = 0; start < 64; start += 8) {
        const address = 2048 + 8192 * k + 128 * start
        expect(baseOf(placed)(rows(slot(X.i32(k)), X.i32(start)))).toEqual({ offset: address, step: 0 })
        const unknown = baseOf(placed)(rows(slot(v('k')), v('start')))!
        expect(unknown).toEqual({ offset: 2048, step: 1024 })
        expect((address - unknown.offset) % unknown.step).toBe(0)
      }
    expect(baseOf(placed)(slot(v('k')))).toEqual({ offset: 2048, step: 8192 })
    // what is certainly a multiple of a power of two, also where it leaves 32 bits
    const binary = (op: 'add' | 'mul', x: ExprNode, y: ExprNode): ExprNode => ({ _tag: 'binary', op, x, y })
    const times = (name: string, by: number): ExprNode => binary('mul', v(name), X.i32(by))
    expect(baseOf(placed)(slot(times('k', 4)))).toEqual({ offset: 2048, step: 4 * 8192 })
    expect(baseOf(placed)(slot(times('k', 3)))).toEqual({ offset: 2048, step: 8192 })
    expect(baseOf(placed)(slot(binary('add', times('k', 12), times('start', 2))))).toEqual({
      offset: 2048,
      step: 2 * 8192,
    })
    expect(baseOf(placed)(rows(slot(X.i32(0)), times('start', 16)))).toEqual({ offset: 2048, step: 2048 })
    const even = bind(placed.names, 'even', bindingOf(placed)(times('k', 4), scalar('i32')))
    expect(baseOf({ declarations: placed.declarations, names: even })(slot(v('even')))).toEqual({
      offset: 2048,
      step: 4 * 8192,
    })
    expect(baseOf(placed)(v('elsewhere'))).toBeUndefined()
  })

  test('law 2: a name stands for what its expression stood for', () => {
    const expr = slot(X.i32(3))
    const binding = bindingOf(placed)(expr, right(typeOf(placed)(expr)))
    const named: Environment = {
      declarations: placed.declarations,
      names: bind(placed.names, 'it', binding),
    }
    expect(baseOf(named)(v('it'))).toEqual({ offset: 2048 + 3 * 8192, step: 0 })
    expect(baseOf(named)(rows(v('it'), X.i32(8)))).toEqual({ offset: 2048 + 3 * 8192 + 1024, step: 0 })
  })
})
