/**
 * Instructions and their operands: what each is prepared to, what each refuses.
 *
 * The table is by hand: one instance of every instruction with operands, issued by CTA 1 of a pair, and the figures that it comes to.
 *
 * Law 1. The fault of any operand is the instruction's.
 * Law 2. An operand of another kind than the signature says is `type.mismatch`.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../src/numerics/bits.js'
import * as B from '../../src/semantics/builder.js'
import * as X from '../../src/semantics/expression.js'
import type { Expr, ExprNode } from '../../src/semantics/expression.js'
import type { Instruction } from '../../src/semantics/instruction.js'
import type { Prepared } from '../../src/semantics/machine/operation.js'
import { prepare } from '../../src/semantics/machine/prepare.js'
import { isFault, type FaultValue } from '../../src/semantics/machine/value.js'
import { instructionNames, mapOperands, operandsOf, type OperandKind } from '../../src/semantics/signature.js'
import { swizzle, tile } from '../../src/transforms/transform.js'
import { launched, right } from './machine-samples.js'

const program = right(
  B.draft(
    { name: 'operands', arch: 'sm100a', grid: [2], cluster: [2], agents: [B.warpgroup('wg', 0)] },
    function* () {
      const transforms = [right(tile([8, 64])), right(swizzle(128))]
      yield* B.barriers('b', [2], { contract: 'ptx', ordersTensorCore: true })
      yield* B.barriers('one', [], { contract: 'ptx', ordersTensorCore: true })
      yield* B.sharedMemory('x', 'i32', [4])
      yield* B.sharedMemory('wide', 'i32', [16])
      yield* B.sharedMemory('box', 'u16', [8, 64], [], { align: 1024 })
      yield* B.sharedMemory('lines', 'u16', [8, 64], [], { align: 1024 })
      yield* B.sharedMemory('answer', 'i32', [4], [], { align: 16 })
      yield* B.sharedMemory('wa', 'f16', [64, 64], transforms)
      yield* B.sharedMemory('wb', 'f16', [64, 32], [])
      yield* B.sharedMemory('ta', 'f16', [128, 64], transforms)
      yield* B.sharedMemory('tb', 'f16', [64, 64], [])
      yield* B.sharedMemory('rows of copies', 'u32', [128, 8])
      yield* B.registers('wacc', 'wg', 'f32', [64, 32])
      yield* B.registers('r', 'wg', 'u32', [128, 8])
      yield* B.registers('r4', 'wg', 'i32', [4])
      yield* B.tensorMemory('d', 'f32', [128, 64])
      yield* B.tensorMemory('c', 'u32', [128, 8])
      const t = yield* B.tensorParam('t', 'u16', [16, 64], { role: 'inout' })
      const n = yield* B.tensorParam('n', 'i32', [16], { role: 'inout' })
      yield* B.tensorParam('maps', 'u8', [256], { role: 'inout' })
      yield* B.descriptorParam('map', t, [8, 64])
      yield* B.descriptorParam('line', t, [1, 64])
      yield* B.descriptorParam('words', n, [16])
    },
  ),
)
const { world } = launched(program, bits('blackwell'))
const prepared = (i: Instruction, frame: ReadonlyArray<undefined> = []): Prepared | FaultValue =>
  prepare(world, { agent: 1, cta: 1, place: 0, cluster: 0 }, frame, i)

// ---------------------------------------------------------------- operands by name

const expr = <T extends Expr>(tree: ExprNode): T => tree as unknown as T
const view = (id: string): never => expr<never>({ _tag: 'storage', storage: id })
const barrier = (k: number): never =>
  expr<never>({ _tag: 'slot', of: { _tag: 'storage', storage: 'b' }, index: X.i32(k) as unknown as ExprNode })
const one = view('one')
const pointer = (param: string): never => expr<never>({ _tag: 'paramPtr', param })
const map = (param: string): never => expr<never>({ _tag: 'descriptor', param })
const fours = X.iota<1>([4], 0)
const eights = X.iota<1>([8], 0)
const pointers = X.addptr(
  X.splat<never, 1>(pointer('n'), [4]) as unknown as X.Tile<never, 1>,
  fours,
) as unknown as never
const yes = X.splat(X.i1(true), [4])
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
    { _tag: 'tma.store', bytes: 64, parts: [{ bytes: 64 }], combine: 'add' },
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
      'trap',
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
