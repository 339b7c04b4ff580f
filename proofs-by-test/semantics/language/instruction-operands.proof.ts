/**
 * Instructions and their operands: what each is prepared to, what each refuses.
 *
 * The table is by hand: one instance of every instruction with operands, issued by CTA 1 of a pair, and the figures that it comes to.
 *
 * Law 1. The fault of any operand is the instruction's.
 * Law 2. An operand of another kind than the signature says is `type.mismatch`.
 * Law 3. What does not fit together is refused, each condition by itself, with the code of the second table.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { ExprNode } from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import type { Prepared } from '../../../src/semantics/machine/operation.js'
import { prepare } from '../../../src/semantics/core/prepare.js'
import { environment } from '../../../src/semantics/machine/environment.js'
import { isFault, type FaultValue } from '../../../src/semantics/machine/value.js'
import type { OperandKind } from '../../../src/semantics/language/field.js'
import { instructionNames, mapOperands, operandsOf } from '../../../src/semantics/language/signature.js'
import { launched } from '../machine/machine-samples.js'
import {
  barrier,
  declarations,
  eights,
  expr,
  fours,
  map,
  one,
  pointer,
  pointers,
  view,
  yes,
} from './operands.js'
import { right } from '../../either.js'

const program = right(
  B.draft(
    { name: 'operands', arch: 'sm100a', grid: [2], cluster: [2], agents: [B.warpgroup('wg', 0)] },
    declarations,
  ),
)
const { world } = launched(program, bits('blackwell'))
const prepared = (i: Instruction, frame: ReadonlyArray<undefined> = []): Prepared | FaultValue =>
  prepare(environment(world, { agent: 1, cta: 1, place: 0, cluster: 0 }, frame), i)

const ofThree = (x: number): X.Expr<'i1'> => X.lt(X.i32(x), X.i32(3))

type Case = readonly [Instruction, figures: object]
const cases: ReadonlyArray<Case> = [
  [
    { _tag: 'mbarrier.init', barrier: barrier(1), count: 7 },
    { barrier: 4, count: 7 },
  ],
  [{ _tag: 'mbarrier.inval', barrier: one }, { barrier: 5 }],
  [
    { _tag: 'mbarrier.arrive', barrier: barrier(0), count: 3, release: true, scope: 'cluster' },
    { kind: 'arrive', barrier: 3, count: 3, bytes: 0, release: true, scope: 'cluster', tensor: true },
  ],
  [
    { _tag: 'mbarrier.arriveExpectTx', barrier: one, bytes: X.i32(48), release: true, scope: 'cluster' },
    { kind: 'arrive', barrier: 5, count: 1, bytes: 48, release: true, scope: 'cluster', tensor: true },
  ],
  [
    { _tag: 'mbarrier.arriveExpectTx', barrier: one, bytes: X.i32(48), release: false, scope: 'cta' },
    { kind: 'arrive', release: false, scope: 'cta' },
  ],
  [
    { _tag: 'mbarrier.expectTx', barrier: one, bytes: X.i32(48) },
    { kind: 'expect', barrier: 5, count: 0, bytes: 48, release: false, scope: 'cta', tensor: true },
  ],
  [
    { _tag: 'mbarrier.completeTx', barrier: one, bytes: X.i32(48) },
    { kind: 'expect', barrier: 5, count: 0, bytes: -48, release: false, scope: 'cta', tensor: true },
  ],
  [
    { _tag: 'mbarrier.arriveDrop', barrier: one, count: 2, release: true, scope: 'cluster' },
    { kind: 'drop', barrier: 5, count: 2, bytes: 0, release: true, scope: 'cluster' },
  ],
  [
    { _tag: 'mbarrier.wait', barrier: one, parity: X.i32(3), acquire: true, scope: 'cluster' },
    { blocks: true, barrier: 5, parity: 1, acquire: true, scope: 'cluster', tensor: true },
  ],
  [
    { _tag: 'mbarrier.test', barrier: one, parity: X.i32(2), acquire: false, scope: 'cta' },
    { blocks: false, barrier: 5, parity: 0, acquire: false, scope: 'cta' },
  ],
  [
    { _tag: 'mbarrier.cpAsyncArrive', barrier: one, noIncrement: true },
    { barrier: 5, increment: false },
  ],
  [
    { _tag: 'mbarrier.cpAsyncArrive', barrier: one, noIncrement: false },
    { barrier: 5, increment: true },
  ],
  // 8 rows of 64 elements of 2 bytes
  [
    {
      _tag: 'tma.load',
      descriptor: map('map'),
      coords: [X.i32(0), X.i32(0)],
      destination: view('box'),
      barrier: one,
      ctaGroup: 1,
    },
    { _tag: 'tma.load', bytes: 1024, parts: [{ bytes: 1024, barrier: 5 }], map: null },
  ],
  [
    {
      _tag: 'tma.load',
      descriptor: map('map'),
      coords: [X.i32(0), X.i32(0)],
      destination: view('box'),
      barrier: one,
      multicast: X.i32(3),
      ctaGroup: 1,
    },
    { bytes: 1024, parts: [{ barrier: 2 }, { barrier: 5 }] },
  ],
  // of a pair, the leader's barrier hears
  [
    {
      _tag: 'tma.load',
      descriptor: map('map'),
      coords: [X.i32(0), X.i32(0)],
      destination: view('box'),
      barrier: X.remote(one, X.i32(0)) as never,
      multicast: X.i32(3),
      ctaGroup: 2,
    },
    { parts: [{ barrier: 2 }, { barrier: 2 }] },
  ],
  // two messages of four rows
  [
    {
      _tag: 'tma.gather',
      descriptor: map('line'),
      rows: eights,
      column: X.i32(0),
      destination: view('lines'),
      barrier: one,
      ctaGroup: 1,
    },
    {
      _tag: 'tma.load',
      bytes: 1024,
      parts: [
        { bytes: 512, barrier: 5 },
        { bytes: 512, barrier: 5 },
      ],
    },
  ],
  [
    {
      _tag: 'tma.gather',
      descriptor: map('line'),
      rows: fours,
      column: X.i32(0),
      destination: view('lines'),
      barrier: one,
      multicast: X.i32(1),
      ctaGroup: 1,
    },
    { bytes: 512, parts: [{ bytes: 512, barrier: 2 }] },
  ],
  [
    { _tag: 'tma.store', descriptor: map('map'), coords: [X.i32(8), X.i32(0)], source: view('box') },
    { _tag: 'tma.store', bytes: 1024, parts: [{ bytes: 1024 }], combine: null, map: null },
  ],
  [
    {
      _tag: 'tma.reduce',
      kind: 'add',
      descriptor: map('words'),
      coords: [X.i32(0)],
      source: view('wide'),
    },
    { _tag: 'tma.store', bytes: 64, parts: [{ bytes: 64 }], combine: { kind: 'add', words: null } },
  ],
  [
    { _tag: 'tma.scatter', descriptor: map('line'), rows: eights, column: X.i32(0), source: view('lines') },
    { _tag: 'tma.store', bytes: 1024, parts: [{ bytes: 512 }, { bytes: 512 }], combine: null },
  ],
  [
    { _tag: 'tma.prefetch', descriptor: map('map'), coords: [X.i32(0), X.i32(0)] },
    { _tag: 'nothing', results: [] },
  ],
  [
    {
      _tag: 'tensormap.create',
      at: pointer('maps'),
      tensor: pointer('t'),
      dims: [X.i32(16), X.i32(64)],
      strides: [X.i64(64n), X.i64(1n)],
      box: [8, 64],
      dtype: 'u16',
      swizzle: 128,
      fill: 'zero',
    },
    {
      object: { dtype: 'u8' },
      descriptor: { dims: [16, 64], strides: [64, 1], box: [8, 64], dtype: 'u16', swizzle: 128, base: 0 },
    },
  ],
  [
    { _tag: 'tensormap.acquire', at: pointer('maps'), dtype: 'u16', rank: 2 },
    { dtype: 'u16', rank: 2 },
  ],
  [
    { _tag: 'fence.tensormap', at: pointer('maps') },
    { _tag: 'fence', kind: 'tensormap' },
  ],
  [
    { _tag: 'smem.load', source: view('x') },
    { _tag: 'load', mask: null, other: null },
  ],
  [{ _tag: 'regs.read', source: view('r4') }, { _tag: 'load' }],
  [{ _tag: 'gmem.load', source: expr<never>({ _tag: 'tensor', param: 'n' }) }, { _tag: 'load' }],
  [
    { _tag: 'smem.store', destination: view('x'), value: fours },
    { _tag: 'store', data: Float64Array.of(0, 1, 2, 3) },
  ],
  [
    { _tag: 'regs.write', destination: view('r4'), value: fours },
    { _tag: 'store', data: Float64Array.of(0, 1, 2, 3) },
  ],
  [
    {
      _tag: 'gmem.store',
      destination: expr<never>({ _tag: 'tensor', param: 'n' }),
      value: X.iota<1>([16], 0),
    },
    { _tag: 'store' },
  ],
  [
    { _tag: 'gmem.loadPtr', source: pointers, mask: yes, other: fours },
    { mask: Float64Array.of(1, 1, 1, 1), other: Float64Array.of(0, 1, 2, 3) },
  ],
  [
    { _tag: 'gmem.storePtr', destination: pointers, value: fours, mask: yes },
    { data: Float64Array.of(0, 1, 2, 3) },
  ],
  [
    { _tag: 'smem.atomic', op: 'add', destination: view('x'), value: fours, scope: 'cluster' },
    { op: 'add', data: Float64Array.of(0, 1, 2, 3), compare: null, scope: 'cluster' },
  ],
  [
    { _tag: 'smem.atomic', op: 'cas', destination: view('x'), value: fours, compare: fours, scope: 'cta' },
    { op: 'cas', compare: Float64Array.of(0, 1, 2, 3), scope: 'cta' },
  ],
  [
    { _tag: 'gmem.atomicPtr', op: 'add', destination: pointers, value: fours, mask: yes, scope: 'gpu' },
    { op: 'add', compare: null, scope: 'gpu' },
  ],
  [
    { _tag: 'gmem.atomicPtr', op: 'cas', destination: pointers, value: fours, compare: fours, scope: 'gpu' },
    { op: 'cas', compare: Float64Array.of(0, 1, 2, 3) },
  ],
  // four elements of 4 bytes
  [{ _tag: 'cpAsync.copy', source: pointers, mask: yes, destination: view('x') }, { bytes: 16 }],
  [
    { _tag: 'stAsync.store', destination: view('x'), value: fours, barrier: one },
    { bytes: 16, barrier: 5, data: Float64Array.of(0, 1, 2, 3) },
  ],
  [
    { _tag: 'stAsync.reduce', kind: 'max', destination: view('x'), value: fours, barrier: one },
    { bytes: 16, barrier: 5, data: Float64Array.of(0, 1, 2, 3) },
  ],
  [
    {
      _tag: 'wgmma.mma',
      accumulator: view('wacc'),
      a: view('wa'),
      b: view('wb'),
      scaleD: ofThree(2),
      negateA: false,
      negateB: true,
    },
    { m: 64, n: 32, k: 64, accumulates: true, negateA: false, negateB: true },
  ],
  [
    {
      _tag: 'tcgen05.mma',
      accumulator: view('d'),
      a: view('ta'),
      b: view('tb'),
      accumulate: ofThree(3),
      ctaGroup: 1,
      completions: [
        { barrier: one, when: ofThree(2) },
        { barrier: barrier(0), when: ofThree(4) },
        { barrier: barrier(1), when: ofThree(1), multicast: X.i32(3) },
      ],
    },
    {
      m: 128,
      n: 64,
      k: 64,
      accumulates: false,
      ctaGroup: 1,
      scaling: null,
      completions: [[5], [1, 4]],
      shares: [{ scaleA: [], scaleB: [], sparsity: null }],
    },
  ],
  [
    { _tag: 'tcgen05.commit', barrier: one, ctaGroup: 1 },
    { barriers: [5], ctaGroup: 1 },
  ],
  [
    { _tag: 'tcgen05.commit', barrier: one, multicast: X.i32(3), ctaGroup: 2 },
    { barriers: [2, 5], ctaGroup: 2 },
  ],
  // 128 rows of 8 words
  [
    {
      _tag: 'tcgen05.cp',
      source: view('rows of copies'),
      destination: view('c'),
      shape: '128x256b',
      ctaGroup: 1,
    },
    { entry: 'cp', bytes: 4096, ctaGroup: 1 },
  ],
  [
    {
      _tag: 'tcgen05.cp',
      source: view('rows of copies'),
      destination: view('c'),
      shape: '128x256b',
      ctaGroup: 2,
    },
    { entry: 'cp', bytes: 8192, ctaGroup: 2 },
  ],
  // 127 of the 128 rows move
  [
    { _tag: 'tcgen05.shift', destination: view('c'), ctaGroup: 1 },
    { entry: 'shift', bytes: 4064 },
  ],
  [
    { _tag: 'tcgen05.shift', destination: view('c'), ctaGroup: 2 },
    { entry: 'shift', bytes: 8128 },
  ],
  [{ _tag: 'tcgen05.ld', source: view('c'), destination: view('r') }, { _tag: 'tcgen05.ld' }],
  [
    { _tag: 'tcgen05.st', destination: view('c'), value: X.splat(X.i32(5), [128, 8]) },
    { data: new Float64Array(1024).fill(5) },
  ],
  [
    { _tag: 'semaphore.signal', at: pointer('n'), value: X.i32(2), scope: 'gpu' },
    { kind: 'signal', value: 2, decrement: false, scope: 'gpu' },
  ],
  [
    { _tag: 'semaphore.wait', at: pointer('n'), value: X.i32(2), decrement: true, scope: 'cluster' },
    { kind: 'wait', value: 2, decrement: true, scope: 'cluster' },
  ],
  [
    { _tag: 'clc.tryCancel', response: view('answer'), barrier: one, multicast: false },
    { parts: [{ barrier: 5 }] },
  ],
  [
    { _tag: 'clc.tryCancel', response: view('answer'), barrier: one, multicast: true },
    { parts: [{ barrier: 2 }, { barrier: 5 }] },
  ],
  [{ _tag: 'clc.query', response: view('answer') }, { _tag: 'clc.query' }],
  [{ _tag: 'trap' }, { why: 'the program traps here' }],
  [
    { _tag: 'trap', why: 'n is {left}, not {right} {n}', left: X.i64(-17n), right: X.i64(16n) },
    { why: 'n is -17, not 16 {n}' },
  ],
  [{ _tag: 'trap', why: 'n is {left}, {right}', left: X.i64(3n) }, { why: 'n is 3, {right}' }],
]

// ---------------------------------------------------------------- operands of every kind

const kinds: Readonly<Record<string, ExprNode>> = {
  i1: X.i1(true) as unknown as ExprNode,
  i32: X.i32(1) as unknown as ExprNode,
  i64: X.i64(1n) as unknown as ExprNode,
  f32: X.float('f32', 1) as unknown as ExprNode,
  ptr: { _tag: 'paramPtr', param: 'n' },
  view: { _tag: 'storage', storage: 'x' },
  barrier: { _tag: 'storage', storage: 'one' },
  descriptor: { _tag: 'descriptor', param: 'map' },
  tile: fours as unknown as ExprNode,
}
const kindOf = (k: OperandKind): string => (k._tag === 'scalar' ? k.dtype : k._tag)

describe('the table', () => {
  test('has every instruction that has operands', () => {
    const without = [
      'bar.sync',
      'bar.arrive',
      'cluster.arrive',
      'cluster.wait',
      'bulk.commitGroup',
      'bulk.waitGroup',
      'cpAsync.commitGroup',
      'cpAsync.waitGroup',
      'fence.proxyAsync',
      'fence.mbarrierInit',
      'wgmma.fence',
      'wgmma.commitGroup',
      'wgmma.waitGroup',
      'tcgen05.alloc',
      'tcgen05.dealloc',
      'tcgen05.relinquish',
      'tcgen05.waitLd',
      'tcgen05.useLd',
      'tcgen05.waitSt',
      'tcgen05.fenceBefore',
      'tcgen05.fenceAfter',
      'elect',
      'setMaxRegisters',
    ]
    expect([...new Set(cases.map(([i]) => i._tag)), ...without].sort()).toEqual([...instructionNames].sort())
  })
  for (const [n, [instruction, figures]] of cases.entries()) {
    const operands = operandsOf(instruction)
    test(`${String(n)} ${instruction._tag}: what it comes to`, () => {
      expect(prepared(instruction)).toMatchObject(figures)
    })
    test(`${String(n)} ${instruction._tag}: law 1, a fault of each operand`, () => {
      for (const { field } of operands) {
        const faulty = mapOperands((e, f) =>
          f === field ? { _tag: 'local', slot: 900 } : (e as unknown as ExprNode),
        )(instruction)
        // what is not asked for is not evaluated
        if (field === 'completions[1].barrier') expect(isFault(prepared(faulty))).toBe(false)
        else expect([field, prepared(faulty)]).toMatchObject([field, { _tag: 'fault', code: 'name.unset' }])
      }
    })
    test(`${String(n)} ${instruction._tag}: law 2, operands of other kinds`, () => {
      for (const { field, kind } of operands)
        for (const [name, other] of Object.entries(kinds)) {
          if (name === kindOf(kind) || field === 'completions[1].barrier') continue
          const wrong = mapOperands((e, f) => (f === field ? other : (e as unknown as ExprNode)))(instruction)
          expect([field, name, prepared(wrong)]).toMatchObject([
            field,
            name,
            { _tag: 'fault', code: 'type.mismatch' },
          ])
        }
    })
  }
})

// ---------------------------------------------------------------- what does not fit together

describe('law 3', () => {
  const away = (v: never): never =>
    expr<never>({ _tag: 'remote', of: v, rank: X.i32(0) as unknown as ExprNode })
  const part = (id: string, starts: ReadonlyArray<number>, sizes: ReadonlyArray<number>): never =>
    expr<never>({
      _tag: 'slice',
      of: { _tag: 'storage', storage: id },
      starts: starts.map((x) => X.i32(x) as unknown as ExprNode),
      sizes,
    })
  /** Four pointers to elements of `n`, from element `first` on. */
  const from = (first: number, param = 'n'): never =>
    X.addptr(
      X.splat<never, 1>(pointer(param), [4]) as unknown as X.Tile<never, 1>,
      X.add(fours, X.splat(X.i32(first), [4])),
    ) as unknown as never
  const threes = X.iota<1>([3], 0)
  const product = {
    _tag: 'tcgen05.mma',
    accumulator: view('d'),
    a: view('ta'),
    b: view('tb'),
    accumulate: X.i1(true),
    ctaGroup: 1,
    completions: [],
  } as const
  const warpgroup = {
    _tag: 'wgmma.mma',
    accumulator: view('wacc'),
    a: view('wa'),
    b: view('wb'),
    scaleD: X.i1(true),
    negateA: false,
    negateB: false,
  } as const
  const whole = { accumulator: view('whole'), a: view('ints'), b: view('ints') } as const
  const narrow = { ...product, a: view('narrow a'), b: view('narrow b') } as const
  const loading = {
    _tag: 'tma.load',
    descriptor: map('map'),
    coords: [X.i32(0), X.i32(0)],
    destination: view('box'),
    barrier: one,
    ctaGroup: 1,
  } as const
  const gathering = {
    _tag: 'tma.gather',
    descriptor: map('line'),
    rows: fours,
    column: X.i32(0),
    destination: view('lines'),
    barrier: one,
    ctaGroup: 1,
  } as const
  const creating = {
    _tag: 'tensormap.create',
    at: pointer('maps'),
    tensor: pointer('t'),
    dims: [X.i32(16), X.i32(64)],
    strides: [X.i64(64n), X.i64(1n)],
    box: [8, 64],
    dtype: 'u16',
    swizzle: 128,
    fill: 'zero',
  } as const
  const behind = (param: string, elements: number): never =>
    X.addptr(pointer(param) as X.Ptr, X.i32(elements)) as never
  const copying = {
    _tag: 'tcgen05.cp',
    source: view('rows of copies'),
    destination: view('c'),
    shape: '128x256b',
    ctaGroup: 1,
  } as const
  const refusals: ReadonlyArray<readonly [string, Instruction, code: string | null]> = [
    ['barriers for one', { _tag: 'mbarrier.inval', barrier: view('b') }, 'type.mismatch'],
    // pointers: the 16 elements of n
    ['pointers to the first', { _tag: 'gmem.loadPtr', source: from(0) }, null],
    ['pointers to the last', { _tag: 'gmem.loadPtr', source: from(12) }, null],
    ['a pointer before the first', { _tag: 'gmem.loadPtr', source: from(-1) }, 'I2'],
    ['a pointer behind the last', { _tag: 'gmem.loadPtr', source: from(13) }, 'I2'],
    [
      'one that the mask takes out',
      { _tag: 'gmem.loadPtr', source: from(13), mask: X.lt(fours, X.splat(X.i32(3), [4])) },
      null,
    ],
    [
      'one before the first that the mask takes out',
      {
        _tag: 'gmem.storePtr',
        destination: from(-1),
        value: fours,
        mask: X.lt(X.splat(X.i32(0), [4]), fours),
      },
      null,
    ],
    [
      'one that it leaves',
      { _tag: 'gmem.loadPtr', source: from(13), mask: X.lt(fours, X.splat(X.i32(4), [4])) },
      'I2',
    ],
    ['a tile of numbers for pointers', { _tag: 'gmem.loadPtr', source: fours as never }, 'type.mismatch'],
    ['a store of too few', { _tag: 'smem.store', destination: view('x'), value: threes }, 'tile.shape'],
    ['a store of too many', { _tag: 'regs.write', destination: view('r4'), value: eights }, 'tile.shape'],
    [
      'a store by pointers of too few',
      { _tag: 'gmem.storePtr', destination: from(0), value: threes },
      'tile.shape',
    ],
    // copies and messages
    [
      'cp.async into too few',
      { _tag: 'cpAsync.copy', source: from(0), destination: view('wide') },
      'tile.shape',
    ],
    [
      'st.async of halves',
      { _tag: 'stAsync.store', destination: view('halves'), value: fours, barrier: one },
      'type.mismatch',
    ],
    [
      'st.async of too few',
      { _tag: 'stAsync.store', destination: view('x'), value: threes, barrier: one },
      'tile.shape',
    ],
    [
      'st.async into another CTA',
      { _tag: 'stAsync.store', destination: away(view('x')), value: fours, barrier: one },
      'A4',
    ],
    [
      'st.async into another CTA, with its barrier',
      { _tag: 'stAsync.store', destination: away(view('x')), value: fours, barrier: away(one) },
      null,
    ],
    // atomics
    [
      'an atomic of halves that there is not',
      { _tag: 'smem.atomic', op: 'xor', destination: view('halves'), value: fours, scope: 'cta' },
      'atomic.dtype',
    ],
    [
      'an atomic of too few',
      { _tag: 'smem.atomic', op: 'add', destination: view('x'), value: threes, scope: 'cta' },
      'tile.shape',
    ],
    [
      'compared with too few',
      { _tag: 'smem.atomic', op: 'cas', destination: view('x'), value: fours, compare: threes, scope: 'cta' },
      'tile.shape',
    ],
    // counters
    [
      'a counter of halves',
      { _tag: 'semaphore.signal', at: pointer('t'), value: X.i32(1), scope: 'gpu' },
      'semaphore.counter',
    ],
    [
      'the last counter',
      { _tag: 'semaphore.signal', at: behind('n', 15), value: X.i32(1), scope: 'gpu' },
      null,
    ],
    [
      'a counter behind the last',
      { _tag: 'semaphore.signal', at: behind('n', 16), value: X.i32(1), scope: 'gpu' },
      'I2',
    ],
    [
      'a counter before the first',
      { _tag: 'semaphore.wait', at: behind('n', -1), value: X.i32(1), decrement: false, scope: 'gpu' },
      'I2',
    ],
    [
      'a signal of nothing',
      { _tag: 'semaphore.signal', at: pointer('n'), value: X.i32(0), scope: 'gpu' },
      'semaphore.value',
    ],
    [
      'a wait for nothing',
      { _tag: 'semaphore.wait', at: pointer('n'), value: X.i32(0), decrement: false, scope: 'gpu' },
      null,
    ],
    // answers: 16 bytes at a multiple of 16
    ['an answer of 16 bytes', { _tag: 'clc.query', response: part('bytes', [16], [16]) }, null],
    ['at an odd place', { _tag: 'clc.query', response: part('bytes', [8], [16]) }, 'clc.response'],
    ['of 8 bytes', { _tag: 'clc.query', response: part('bytes', [16], [8]) }, 'clc.response'],
    ['of 32 bytes', { _tag: 'clc.query', response: part('bytes', [0], [32]) }, 'clc.response'],
    [
      'in two pieces',
      { _tag: 'clc.query', response: part('rows of copies', [0, 0], [2, 2]) },
      'clc.response',
    ],
    [
      'in two pieces of 16 bytes',
      { _tag: 'clc.query', response: part('rows of copies', [0, 0], [2, 4]) },
      'clc.response',
    ],
    ['of 24 bytes', { _tag: 'clc.query', response: part('bytes', [16], [24]) }, 'clc.response'],
    ['at the last place', { _tag: 'clc.query', response: part('bytes', [48], [16]) }, null],
    [
      'asked for at an odd place',
      { _tag: 'clc.tryCancel', response: part('bytes', [8], [16]), barrier: one, multicast: false },
      'clc.response',
    ],
    // bulk copies
    ['a load into another CTA', { ...loading, destination: away(view('box')) }, 'A4'],
    ['a load for the barrier of another CTA', { ...loading, barrier: away(one) }, 'A4'],
    ['both in another CTA', { ...loading, destination: away(view('box')), barrier: away(one) }, null],
    ['a load for the barrier of the pair', { ...loading, barrier: away(one), ctaGroup: 2 }, null],
    ['every CTA there is', { ...loading, multicast: X.i32(3) }, null],
    ['a CTA that is not there', { ...loading, multicast: X.i32(4) }, 'I2'],
    ['one coordinate', { ...loading, coords: [X.i32(0)] }, 'type.mismatch'],
    ['rows through a box of eight', { ...gathering, descriptor: map('map') }, 'A4'],
    ['rows of an array', { ...gathering, descriptor: map('words') }, 'A4'],
    ['three rows', { ...gathering, rows: threes }, 'tile.shape'],
    ['no rows', { ...gathering, rows: X.iota<1>([0], 0) }, 'tile.shape'],
    [
      'a reduction of words of 16 bits',
      {
        _tag: 'tma.reduce',
        kind: 'add',
        descriptor: map('map'),
        coords: [X.i32(0), X.i32(0)],
        source: view('box'),
      },
      'A4',
    ],
    // tensor maps
    ['at an odd place', { ...creating, at: behind('maps', 32) }, 'A4'],
    ['at the last place', { ...creating, at: behind('maps', 128) }, null],
    ['behind the last place', { ...creating, at: behind('maps', 192) }, 'I2'],
    ['before the first', { ...creating, at: behind('maps', -64) }, 'I2'],
    ['fewer dimensions than the box', { ...creating, dims: [X.i32(16)] }, 'type.mismatch'],
    ['fewer strides than the box', { ...creating, strides: [X.i64(1n)] }, 'type.mismatch'],
    ['a box that is too wide for its swizzle', { ...creating, swizzle: 64 }, 'A4'],
    ['a tensor at an odd place', { ...creating, tensor: behind('t', 4), dims: [X.i32(8), X.i32(64)] }, 'A4'],
    [
      'a tensor at a multiple of 16 bytes',
      { ...creating, tensor: behind('t', 8), dims: [X.i32(8), X.i32(64)] },
      null,
    ],
    ['an empty dimension', { ...creating, dims: [X.i32(0), X.i32(64)] }, 'A4'],
    ['a dimension of one', { ...creating, dims: [X.i32(1), X.i32(64)] }, null],
    ['elements apart', { ...creating, strides: [X.i64(64n), X.i64(2n)] }, 'A4'],
    ['rows at an odd stride', { ...creating, strides: [X.i64(12n), X.i64(1n)] }, 'A4'],
    ['rows on one another', { ...creating, strides: [X.i64(0n), X.i64(1n)] }, 'A4'],
    [
      'rows too far apart',
      { ...creating, dims: [X.i32(1), X.i32(64)], strides: [X.i64(2n ** 39n), X.i64(1n)] },
      'A4',
    ],
    [
      'rows as far apart as may be',
      { ...creating, dims: [X.i32(1), X.i32(64)], strides: [X.i64(2n ** 39n - 8n), X.i64(1n)] },
      null,
    ],
    ['NaN for integers', { ...creating, fill: 'nan' }, 'A4'],
    ['NaN for halves', { ...creating, fill: 'nan', dtype: 'f16' }, null],
    ['NaN for bytes', { ...creating, fill: 'nan', dtype: 'e4m3' }, 'A4'],
    ['zero for bytes', { ...creating, dtype: 'e4m3' }, null],
    [
      'a tensor before the first',
      { ...creating, tensor: behind('t', -8), dims: [X.i32(8), X.i32(64)] },
      'I2',
    ],
    ['rows in the other direction', { ...creating, strides: [X.i64(-64n), X.i64(1n)] }, 'A4'],
    ['more rows than there are', { ...creating, dims: [X.i32(17), X.i32(64)] }, 'I2'],
    [
      'the last element of the last row missing',
      { ...creating, dims: [X.i32(17), X.i32(1)], strides: [X.i64(64n), X.i64(1n)] },
      'I2',
    ],
    // products
    ['wgmma: A of three dimensions', { ...warpgroup, a: view('cube') }, 'mma.shape'],
    ['wgmma: B of three dimensions', { ...warpgroup, b: view('cube') }, 'mma.shape'],
    ['wgmma: k of A is not that of B', { ...warpgroup, b: part('wb', [0, 0], [32, 32]) }, 'mma.shape'],
    [
      'wgmma: rows of the accumulator',
      { ...warpgroup, accumulator: part('wacc', [0, 0], [32, 32]) },
      'mma.shape',
    ],
    [
      'wgmma: columns of the accumulator',
      { ...warpgroup, accumulator: part('wacc', [0, 0], [64, 16]) },
      'mma.shape',
    ],
    ['wgmma: integers', { ...warpgroup, a: view('ints') }, 'instruction.unsupported'],
    ['wgmma: integers into integers', { ...warpgroup, ...whole }, null],
    ['wgmma: A of integers negated', { ...warpgroup, ...whole, negateA: true }, 'algebra.lacks'],
    ['wgmma: B of integers negated', { ...warpgroup, ...whole, negateB: true }, 'algebra.lacks'],
    ['wgmma: both of floats negated', { ...warpgroup, negateA: true, negateB: true }, null],
    ['tcgen05: integers into integers', { ...product, ...whole, accumulator: view('whole d') }, null],
    [
      'tcgen05: integers with scales',
      {
        ...product,
        ...whole,
        accumulator: view('whole d'),
        scaleA: view('scales of 64'),
        scaleB: view('scales of 64'),
      },
      'algebra.lacks',
    ],
    [
      'tcgen05: half of A is stored, and said to be',
      { ...product, a: view('stored'), sparsity: view('metadata') },
      null,
    ],
    ['tcgen05: half of A is stored', { ...product, a: view('stored') }, 'mma.shape'],
    ['tcgen05: all of A is stored', { ...product, sparsity: view('metadata') }, 'mma.shape'],
    ['tcgen05: A of another CTA', { ...product, a: away(view('ta')) }, 'mma.remote'],
    ['tcgen05: B of another CTA', { ...product, b: away(view('tb')) }, 'mma.remote'],
    ['tcgen05: the accumulator of another CTA', { ...product, accumulator: away(view('d')) }, 'mma.remote'],
    ['tcgen05: of a pair, half the columns in each', { ...product, b: view('half of b'), ctaGroup: 2 }, null],
    ['tcgen05: of a pair, all the columns in each', { ...product, ctaGroup: 2 }, 'mma.shape'],
    ['tcgen05: of one CTA, half the columns', { ...product, b: view('half of b') }, 'mma.shape'],
    ['scales of A alone', { ...product, scaleA: view('scales') }, 'mma.scales'],
    ['scales of B alone', { ...product, scaleB: view('scales of 64') }, 'mma.scales'],
    [
      'scales of two dtypes',
      { ...product, scaleA: view('scales'), scaleB: view('other scales') },
      'mma.scales',
    ],
    [
      'scales of two blocks',
      { ...product, scaleA: view('scales'), scaleB: view('wrong scales') },
      'mma.scales',
    ],
    ['scales of 32 elements', { ...narrow, scaleA: view('scales'), scaleB: view('scales of 64') }, null],
    [
      'scales of 64 elements',
      { ...narrow, scaleA: view('wrong scales'), scaleB: view('wrong scales') },
      'mma.scales',
    ],
    [
      'scales of 8 elements',
      { ...narrow, scaleA: view('many scales'), scaleB: view('many scales') },
      'mma.scales',
    ],
    [
      'scales that are none',
      { ...product, scaleA: view('no scales'), scaleB: view('no scales') },
      'mma.scales',
    ],
    [
      'scales of halves',
      { ...product, scaleA: view('scales'), scaleB: view('scales of 64') },
      'algebra.lacks',
    ],
    // tensor memory
    [
      'a commit for a CTA that is not there',
      { _tag: 'tcgen05.commit', barrier: one, multicast: X.i32(4), ctaGroup: 1 },
      'I2',
    ],
    ['cp from another CTA', { ...copying, source: away(view('rows of copies')) }, 'mma.remote'],
    ['cp into another CTA', { ...copying, destination: away(view('c')) }, 'mma.remote'],
    ['cp of fewer', { ...copying, source: view('one row') }, 'tile.shape'],
    [
      'cp of another dtype',
      { ...copying, source: view('rows of copies'), destination: part('d', [0, 0], [128, 8]) },
      'tile.shape',
    ],
    [
      'a shift in another CTA',
      { _tag: 'tcgen05.shift', destination: away(view('c')), ctaGroup: 1 },
      'mma.remote',
    ],
    [
      'a shift of one row',
      { _tag: 'tcgen05.shift', destination: part('c', [0, 0], [1, 8]), ctaGroup: 1 },
      'tile.shape',
    ],
    ['ld into fewer', { _tag: 'tcgen05.ld', source: view('c'), destination: view('long') }, 'tile.shape'],
    [
      'ld into another dtype',
      { _tag: 'tcgen05.ld', source: view('c'), destination: view('r of floats') },
      'tile.shape',
    ],
    ['st of fewer', { _tag: 'tcgen05.st', destination: view('c'), value: fours }, 'tile.shape'],
  ]
  for (const [n, [what, instruction, refused]] of refusals.entries())
    test(`${String(n)} ${instruction._tag}, ${what}: ${refused ?? 'fits'}`, () => {
      const p = prepared(instruction)
      expect(isFault(p) ? p.code : null).toBe(refused)
    })
  test('a product of a pair: a share for each CTA, the columns of both', () => {
    expect(prepared({ ...product, b: view('half of b'), ctaGroup: 2 })).toMatchObject({
      m: 128,
      n: 64,
      k: 64,
      ctaGroup: 2,
      shares: [{ a: [{}] }, { a: [{}] }],
      b: [{}, {}],
    })
  })
})
