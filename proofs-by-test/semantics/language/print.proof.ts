/** Listings, by hand: an expression of every kind, and one program with a statement and a declaration of every kind. */
import { describe, expect, test } from 'vitest'
import { WGMMA } from '../../../src/layouts/tiled.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { ExprNode } from '../../../src/semantics/language/expression.js'
import { print, printExpr } from '../../../src/semantics/language/print.js'
import * as P from '../../../src/semantics/language/program.js'
import type { Binder, Program, Region, Stmt } from '../../../src/semantics/language/program.js'
import * as Ref from '../../../src/transforms/ref.js'
import { swizzle, tile } from '../../../src/transforms/transform.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { right } from '../../either.js'

const [a, b, c] = [X.name<'i32'>('a'), X.name<'i32'>('b'), X.name<'i32'>('c')]
const [f, g] = [X.name<'f32'>('f'), X.name<'f32'>('g')]
const t = X.name<never>('t') as X.Tile<'f32', 2>
const truth = X.name<never>('truth') as X.Tile<'i1', 1>
const view = X.storage<never>('buffer') as X.View<'smem', 'f16', 2>
const barrier = X.storage<never>('full') as X.Barrier<'ptx', false, 1>
const flat = right(Ref.ofStrides([4], 16, [1]))

const expressions: ReadonlyArray<readonly [ExprNode, string]> = [
  [X.i32(-3), '-3'],
  [X.i1(true), '1:i1'],
  [X.i64(5n), '"5":i64'],
  [{ _tag: 'const', dtype: 'f32', value: 'nan' }, '"nan":f32'],
  [a, 'a'],
  [X.name('a.b-c_1'), 'a.b-c_1'],
  [X.name('1a'), '%"1a"'],
  [X.name('a b'), '%"a b"'],
  [X.name(''), '%""'],
  [{ _tag: 'local', slot: 3 }, '$3'],
  [{ _tag: 'place', of: 'programId', axis: 1 }, 'programId(1)'],
  [{ _tag: 'dim', param: 'a', axis: 2 }, 'dim(a, 2)'],
  [{ _tag: 'unary', op: 'exp2', mode: 'rn', x: f }, 'exp2(f)'],
  [{ _tag: 'unary', op: 'exp2', mode: 'approx', x: f }, 'exp2.approx(f)'],
  [X.add(a, X.mul(b, c)), 'add(a, mul(b, c))'],
  [X.shrU(a, b), 'shrU(a, b)'],
  [X.not(X.name<'i1'>('p')), 'xor(p, 1:i1)'],
  [X.fma(f, g, f), 'fma(f, g, f)'],
  [X.lt(a, b), 'lt(a, b)'],
  [X.ltU(a, b), 'ltU(a, b)'],
  [X.select(X.lt(a, b), b, c), 'select(lt(a, b), b, c)'],
  [{ _tag: 'convert', op: 'cast', to: 'f16', rounding: 'rn', saturate: false, x: f }, 'cast.f16(f)'],
  [{ _tag: 'convert', op: 'cast', to: 'f16', rounding: 'rz', saturate: false, x: f }, 'cast.f16.rz(f)'],
  [{ _tag: 'convert', op: 'cast', to: 'e4m3', rounding: 'rn', saturate: true, x: f }, 'cast.e4m3.sat(f)'],
  [{ _tag: 'convert', op: 'cast', to: 'e4m3', rounding: 'rz', saturate: true, x: f }, 'cast.e4m3.rz.sat(f)'],
  [X.pack('i32', [f, g]), 'pack.i32(f, g)'],
  [X.unpack('f16', 1, a), 'unpack.f16(a, 1)'],
  [X.iota([4, 8], 1), 'iota([4, 8], 1, 0)'],
  [X.iota([4], 0, 'any', 7), 'iota([4], 0, 7)'],
  [X.splat(f, [4, 8]), 'splat(f, [4, 8])'],
  [X.broadcast(t, [4, 8]), 'broadcast(t, [4, 8])'],
  [X.expandDims(t, 1), 'expandDims(t, 1)'],
  [X.reshape(t, [32]), 'reshape(t, [32])'],
  [X.transpose(t, [1, 0]), 'transpose(t, [1, 0])'],
  [
    {
      _tag: 'reduce',
      x: t,
      axis: 1,
      combine: { params: ['x', 'y'], body: [], result: X.add(X.name<'f32'>('x'), X.name<'f32'>('y')) },
      layout: 'any',
    },
    'reduce(t, 1, (x, y) => add(x, y))',
  ],
  [
    {
      _tag: 'reduce',
      x: t,
      axis: 0,
      combine: {
        params: ['x', 'y'],
        body: [
          { name: 'p', value: X.add(a, b) },
          { name: 'q', value: X.name('p') },
        ],
        result: X.name('q'),
      },
      layout: 'any',
    },
    'reduce(t, 0, (x, y) => let p = add(a, b); let q = p; q)',
  ],
  // with a layout of registers: its number among those of the listing
  [X.iota([4], 0, WGMMA, 7), 'iota([4], 0, 7, L0)'],
  [X.splat(f, [4], WGMMA), 'splat(f, [4], L0)'],
  [X.broadcast(t, [4, 8], WGMMA), 'broadcast(t, [4, 8], L0)'],
  [X.expandDims(t, 1, WGMMA), 'expandDims(t, 1, L0)'],
  [X.reshape(t, [32], WGMMA), 'reshape(t, [32], L0)'],
  [X.transpose(t, [1, 0], WGMMA), 'transpose(t, [1, 0], L0)'],
  [X.gather(t, X.iota([4, 8], 1), 1), 'gather(t, iota([4, 8], 1, 0), 1)'],
  [X.gather(t, X.iota([4, 8], 1), 1, WGMMA), 'gather(t, iota([4, 8], 1, 0), 1, L0)'],
  [X.convertLayout(t, WGMMA), 'convertLayout(t, L0)'],
  [X.reduce(t, 1, (x, y) => X.add(x, y), WGMMA), 'reduce(t, 1, (lhs, rhs) => add(lhs, rhs), L0)'],
  [X.any(truth), 'vote.any(truth)'],
  [X.all(truth), 'vote.all(truth)'],
  [X.item(X.name<never>('t') as X.Tile<'f32', 0>), 'item(t)'],
  [X.paramPtr('x'), 'ptr(x)'],
  [X.addptr(X.paramPtr<'f32'>('x'), a), 'addptr(ptr(x), a)'],
  [view, '@buffer'],
  [X.tensor('x'), 'tensor(x)'],
  [X.descriptor('map'), 'descriptor(map)'],
  [X.slot(barrier, X.rem(a, X.i32(2))), '@full[rem(a, 2)]'],
  [X.slice(view, [X.i32(0), a], [8, 16]), 'slice(@buffer, [0, a], [8, 16])'],
  [X.transposeView(view, [1, 0]), 'transposeView(@buffer, [1, 0])'],
  [X.reshapeView(view, [64]), 'reshapeView(@buffer, [64])'],
  [X.reinterpret(view, 'bf16', flat), 'reinterpret(@buffer, bf16, R0)'],
  [X.remote(view, X.i32(1)), 'remote(@buffer, 1)'],
]

test.each(expressions.map(([e, text]) => [text, e] as const))('%s', (text, e) => {
  expect(printExpr(e)).toBe(text)
})

describe('a whole program', () => {
  const int = (name: string): Binder => ({ name, type: { _tag: 'scalar', dtype: 'i32' } })
  const of = (name: string, type: Binder['type']): Binder => ({ name, type })
  const at = (label: string, path: ReadonlyArray<string> = [], loc?: string) => P.site(label, path, loc)
  const region = (body: ReadonlyArray<Stmt>, yields: ReadonlyArray<X.Expr> = []): Region =>
    P.region(body, yields)
  const wait = (label: string): Stmt => ({
    _tag: 'Do',
    results: [],
    instruction: {
      _tag: 'mbarrier.wait',
      barrier: X.slot(barrier, X.i32(0)),
      parity: a,
      acquire: true,
      scope: 'cta',
    } as never,
    site: at(label),
  })
  const base = right(
    B.draft({ name: 'listing', arch: 'sm90a', agents: [B.warp('w', 0)] }, function* () {
      yield* B.sharedMemory('buffer', 'f16', [8, 64], [right(tile([8, 64])), right(swizzle(128))])
      yield* B.barriers('full', [2], { ordersTensorCore: true })
    }),
  )
  const [buffer, full] = base.storage
  const program: Program = {
    ...base,
    params: [
      {
        _tag: 'tensor',
        name: 'x',
        dtype: 'f16',
        shape: [X.i32(8), a],
        strides: [X.i32(64), X.i32(1)],
        role: 'in',
      },
      { _tag: 'scalar', name: 'a', dtype: 'i32' },
      {
        _tag: 'descriptor',
        name: 'map',
        tensor: 'x',
        dims: [X.i32(8), X.i32(64)],
        strides: [X.i32(64), X.i32(1)],
        box: [8, 64],
        elementStrides: [1, 2],
        swizzle: 128,
        fill: 'nan',
      },
    ],
    launch: {
      grid: [X.i32(4), a],
      cluster: [2, 1],
      agents: [
        { name: 'w', kind: 'warp', firstWarp: 0, warps: 1 },
        { name: 'wg', kind: 'warpgroup', firstWarp: 4, warps: 4, registers: 40 },
      ],
    },
    storage: [
      { ...buffer!, offset: 1024, alias: { union: 'u', member: 1 } },
      full!,
      { ...buffer!, id: 'acc', space: 'regs', owner: { agent: 'wg' } },
      {
        ...full!,
        id: 'plain',
        contents: { _tag: 'barriers', contract: 'ptx', ordersTensorCore: false, shape: [] },
      },
    ],
    computes: { _tag: 'copy', from: 'x', out: 'x' },
    entry: region(
      [
        { _tag: 'Let', binder: int('b'), expr: X.add(a, X.i32(1)), site: at('b', ['outer', 'in ner']) },
        {
          _tag: 'Let',
          binder: of('v', {
            _tag: 'view',
            space: 'smem',
            dtype: 'f16',
            layout: (buffer!.contents as { readonly layout: Ref.TransformedRef }).layout,
          }),
          expr: view,
          site: at('a "quoted" one', [], 'file.mlir:3:1'),
        },
        {
          _tag: 'Let',
          binder: of('many', {
            _tag: 'tile',
            element: { _tag: 'ptr', dtype: 'f32' },
            shape: [4, 8],
            layout: 'any',
          }),
          expr: X.name('v'),
          site: at('many'),
        },
        {
          _tag: 'Let',
          binder: of('d', { _tag: 'descriptor', dtype: 'f16', rank: 2 }),
          expr: X.descriptor('map'),
          site: at('d'),
        },
        { ...(wait('wait') as P.Do), results: [of('token', { _tag: 'token' })], when: X.lt(a, b) },
        {
          _tag: 'For',
          index: int('i'),
          from: X.i32(0),
          to: a,
          step: X.i32(2),
          carried: [
            { binder: int('n'), init: X.i32(5) },
            { binder: int('m'), init: a },
          ],
          body: region([wait('inner')], [a, X.name<'i32'>('n')]),
          results: [int('p'), int('q')],
          site: at('loop'),
        },
        {
          _tag: 'For',
          index: int('i'),
          from: X.i32(0),
          to: a,
          step: X.i32(1),
          carried: [],
          body: region([]),
          results: [],
          site: at('idle'),
        },
        {
          _tag: 'While',
          carried: [{ binder: int('n'), init: X.i32(0) }],
          before: P.region([wait('first')], [X.lt(a, b), a], [int('n')]),
          after: P.region([wait('then')], [b], [int('k')]),
          results: [int('r')],
          site: at('until'),
        },
        {
          _tag: 'If',
          cond: X.lt(a, b),
          then: region([wait('yes')]),
          else: region([]),
          results: [],
          site: at('alone'),
        },
        {
          _tag: 'If',
          cond: X.lt(a, b),
          then: region([], [a]),
          else: region([wait('no')], [b]),
          results: [int('s')],
          site: at('either'),
        },
        {
          _tag: 'If',
          cond: X.lt(a, b),
          then: region([], [a]),
          else: region([], [b]),
          results: [int('s')],
          site: at('yields'),
        },
        {
          _tag: 'Fork',
          branches: [
            { agent: 'w', captures: [], body: region([wait('one')], [a]) },
            {
              agent: 'wg',
              captures: [
                { binder: int('n'), value: a },
                { binder: int('m'), value: b },
              ],
              body: region([wait('two')]),
            },
          ],
          results: [int('z')],
          site: at('roles'),
        },
      ],
      [X.name<'i32'>('z')],
    ),
  }

  test('line by line', () => {
    const listing = print(program).split('\n')
    const lines = listing.map((l) => l.replace(/ {2,}#/, ' #'))
    expect(lines).toEqual([
      'kernel listing on sm90a',
      'layout R0 = (8, 64) 16 bits tiles (8, 64) strides (0, 0, 64, 1) swizzle 128',
      'in tensor x: f16 [8, a] strides [64, 1]',
      'scalar a: i32',
      'descriptor map of x: [8, 64] strides [64, 1] box [8, 64] by [1, 2] swizzle 128 fill nan',
      'grid [4, a] cluster [2, 1]',
      'agent w: warp, warps 0 to 0',
      'agent wg: warpgroup, warps 4 to 7, 40 registers',
      'smem buffer: f16 R0, 8192 bits align 1024 at 1024 member 1 of "u"',
      'smem full: barrier ptx tensor-core [2], 128 bits align 8',
      'regs of wg acc: f16 R0, 8192 bits align 1024',
      'smem plain: barrier ptx [], 128 bits align 8',
      'computes {"_tag":"copy","from":"x","out":"x"}',
      'entry',
      '  let b: i32 = add(a, 1) # outer / in ner / b',
      '  let v: view smem f16 R0 = @buffer # "a \\"quoted\\" one" at "file.mlir:3:1"',
      '  let many: tile ptr f32 (4, 8) any = v # many',
      '  let d: descriptor f16 rank 2 = descriptor(map) # d',
      '  token: token = mbarrier.wait barrier=@full[0] parity=a acquire=true scope="cta" when lt(a, b) # wait',
      '  p: i32, q: i32 = for i: i32 from 0 to a step 2 carry n: i32 = 5, m: i32 = a # loop',
      '    mbarrier.wait barrier=@full[0] parity=a acquire=true scope="cta" # inner',
      '    yield a, n',
      '  for i: i32 from 0 to a step 1 # idle',
      '  r: i32 = while carry n: i32 = 0 # until',
      '    given n: i32',
      '    mbarrier.wait barrier=@full[0] parity=a acquire=true scope="cta" # first',
      '    yield lt(a, b), a',
      '  do',
      '    given k: i32',
      '    mbarrier.wait barrier=@full[0] parity=a acquire=true scope="cta" # then',
      '    yield b',
      '  if lt(a, b) # alone',
      '    mbarrier.wait barrier=@full[0] parity=a acquire=true scope="cta" # yes',
      '  s: i32 = if lt(a, b) # either',
      '    yield a',
      '  else',
      '    mbarrier.wait barrier=@full[0] parity=a acquire=true scope="cta" # no',
      '    yield b',
      '  s: i32 = if lt(a, b) # yields',
      '    yield a',
      '  else',
      '    yield b',
      '  z: i32 = fork # roles',
      '    branch w',
      '      mbarrier.wait barrier=@full[0] parity=a acquire=true scope="cta" # one',
      '      yield a',
      '    branch wg captures n: i32 = a, m: i32 = b',
      '      mbarrier.wait barrier=@full[0] parity=a acquire=true scope="cta" # two',
      '  yield z',
      '',
    ])
    // sites stand in one column, as far as there is room
    expect(
      new Set(listing.filter((l) => l.includes(' # ') && l.indexOf('#') < 80).map((l) => l.indexOf('#'))),
    ).toEqual(new Set([79]))
  })

  const listed = (body: ReadonlyArray<Stmt>): ReadonlyArray<string> =>
    print({ ...base, storage: [], entry: region(body) })
      .split('\n')
      .map((l) => l.replace(/ {2,}#/, ' #'))
  const let1 = (value: X.Expr, label = 'x', path: ReadonlyArray<string> = [], name = 'x'): Stmt => ({
    _tag: 'Let',
    binder: int(name),
    expr: value,
    site: at(label, path),
  })
  test('layouts are numbered as they are met, each kind by itself, equal ones once', () => {
    const rows = right(Ref.ofStrides([4, 2], 16, [2, 1]))
    const moved = right(Ref.slice([1, 0], [2, 2])(rows))
    const unnamed = { _tag: 'splat', shape: [4] } as const
    const lines = listed([
      let1(X.reinterpret(view, 'bf16', rows)),
      let1(X.splat(f, [4], unnamed)),
      let1(X.reinterpret(view, 'f16', moved)),
      let1(X.splat(f, [64, 8], WGMMA)),
      let1(X.reinterpret(view, 'f16', right(Ref.ofStrides([4, 2], 16, [2, 1])))),
      let1(X.splat(g, [4], { _tag: 'splat', shape: [4] })),
    ])
    expect(lines.slice(1, 5)).toEqual([
      'layout R0 = (4, 2) 16 bits strides (2, 1)',
      'layout R1 = (2, 2) 16 bits strides (2, 1) offset 4',
      'layout L0 = {"_tag":"splat","shape":[4]}',
      `layout L1 = WGMMA ${JSON.stringify(WGMMA)}`,
    ])
    expect(lines.filter((l) => l.startsWith('  let')).map((l) => l.replace(/ #.*/, ''))).toEqual([
      '  let x: i32 = reinterpret(@buffer, bf16, R0)',
      '  let x: i32 = splat(f, [4], L0)',
      '  let x: i32 = reinterpret(@buffer, f16, R1)',
      '  let x: i32 = splat(f, [64, 8], L1)',
      '  let x: i32 = reinterpret(@buffer, f16, R0)',
      '  let x: i32 = splat(g, [4], L0)',
    ])
  })
  test.each([
    ['plain', 'plain'],
    ['two words', 'two words'],
    ['three short words', 'three short words'],
    [' before', '" before"'],
    ['after ', '"after "'],
    ['two  spaces', '"two  spaces"'],
    ['a/b', '"a/b"'],
    ['a#b', '"a#b"'],
    ['a"b', '"a\\"b"'],
    ['a\tb', '"a\\tb"'],
    ['one a/b', '"one a/b"'],
    ['a#b two', '"a#b two"'],
    ['', '""'],
  ])('a label that could be read as more is quoted: %j', (label, text) => {
    const line = listed([let1(a, label, [label])]).find((l) => l.startsWith('  let'))
    expect(line).toBe(`  let x: i32 = a # ${text} / ${text}`)
  })
  test.each([
    ['x', 'x'],
    ['_x', '_x'],
    ['X9.a-b', 'X9.a-b'],
    ['9x', '%"9x"'],
    ['.x', '%".x"'],
    ['-x', '%"-x"'],
    ['x y', '%"x y"'],
    ['x:', '%"x:"'],
    ['ä', '%"ä"'],
  ])('so is a name: %s', (name, text) => {
    const line = listed([let1(X.name('a'), 'l', [], name)]).find((l) => l.startsWith('  let'))
    expect(line).toBe(`  let ${text}: i32 = a # l`)
    expect(printExpr(X.name(name))).toBe(text)
  })
})
