/**
 * Atomics: the table against integers of unbounded size, elements that meet in one address, a histogram of several clusters under every schedule
 * tried, and what makes control depend on timing (C1).
 */
import { fc, test as prop } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { bits } from '../../src/numerics/bits.js'
import type { Algebra } from '../../src/numerics/algebra.js'
import type { Dtype } from '../../src/numerics/dtype.js'
import { real64 } from '../../src/numerics/real64.js'
import { unit } from '../../src/numerics/unit.js'
import * as B from '../../src/semantics/builder.js'
import { check } from '../../src/semantics/check.js'
import * as X from '../../src/semantics/expression.js'
import type { AtomicOp, Scope } from '../../src/semantics/instruction.js'
import { isAtomic } from '../../src/semantics/instructions/atomic.js'
import { readTensor } from '../../src/semantics/launch.js'
import * as Policy from '../../src/semantics/policy.js'
import type { Program } from '../../src/semantics/program.js'
import type { PtrIndex } from '../../src/semantics/types.js'
import type { Verdict } from '../../src/semantics/verdict.js'
import { launched, logged, right } from './machine-samples.js'

const hopper = bits('hopper')

/** One atomic on n elements of global memory; gives what was there and what is there now. */
const once = (
  op: AtomicOp,
  dtype: 'i32' | 'u32',
  at: ReadonlyArray<number>,
  old: ReadonlyArray<number>,
  by: ReadonlyArray<number>,
  compare: ReadonlyArray<number> = [],
): readonly [result: ReadonlyArray<number>, memory: ReadonlyArray<number>] => {
  const n = at.length
  const program = right(
    B.kernel({ name: 'once', arch: 'sm90a', agents: [B.warp('w', 0)] }, function* () {
      const x = yield* B.tensorParam('x', dtype, [old.length], { role: 'inout' })
      const p = yield* B.tensorParam('p', 'i32', [n], { role: 'in' })
      const v = yield* B.tensorParam('v', 'i32', [n], { role: 'in' })
      const c = yield* B.tensorParam('c', 'i32', [n], { role: 'in' })
      const out = yield* B.tensorParam('out', 'i32', [n], { role: 'out' })
      const offsets = yield* B.gmemLoad('offsets', p.view)
      const value = yield* B.gmemLoad('value', v.view)
      const expected = yield* B.gmemLoad('expected', c.view)
      const pointers = X.addptr(X.splat(x.ptr, [n]), offsets)
      const [found] = yield* B.runFor(
        ['found'],
        op === 'cas'
          ? { _tag: 'gmem.atomicPtr', op, destination: pointers, value, compare: expected, scope: 'gpu' }
          : { _tag: 'gmem.atomicPtr', op, destination: pointers, value, scope: 'gpu' },
      )
      yield* B.run('write', {
        _tag: 'gmem.store',
        destination: out.view,
        value: found as unknown as X.Tile<'i32', 1>,
      })
    }),
  )
  const l = launched(program, hopper, {
    tensors: new Map([
      ['x', Float64Array.from(old)],
      ['p', Float64Array.from(at)],
      ['v', Float64Array.from(by)],
      ['c', Float64Array.from(compare.length === 0 ? at.map(() => 0) : compare)],
    ]),
  })
  const { machine } = logged(l, Policy.eager)
  return [[...readTensor(l.world, machine, 'out')!], [...readTensor(l.world, machine, 'x')!]]
}

/** The definition, one element after another, on big integers. */
const defined = (
  op: AtomicOp,
  signed: boolean,
  at: ReadonlyArray<number>,
  old: ReadonlyArray<number>,
  by: ReadonlyArray<number>,
  compare: ReadonlyArray<number>,
): readonly [ReadonlyArray<number>, ReadonlyArray<number>] => {
  const as = (x: bigint): bigint => (signed ? BigInt.asIntN(32, x) : BigInt.asUintN(32, x))
  const memory = old.map((x) => as(BigInt(x)))
  const result = at.map((a, i) => {
    const was = memory[a]!
    const v = as(BigInt(by[i]!))
    const table: Readonly<Record<AtomicOp, bigint>> = {
      add: was + v,
      min: was < v ? was : v,
      max: was > v ? was : v,
      and: was & v,
      or: was | v,
      xor: was ^ v,
      exchange: v,
      cas: was === as(BigInt(compare[i]!)) ? v : was,
    }
    memory[a] = as(table[op])
    return Number(BigInt.asIntN(32, was))
  })
  return [result, memory.map(Number)]
}

const ops: ReadonlyArray<AtomicOp> = ['add', 'min', 'max', 'and', 'or', 'xor', 'exchange', 'cas']
const word = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31)))

describe('laws 1 and 3', () => {
  prop.prop(
    [
      fc.constantFrom(...ops),
      fc.boolean(),
      fc.array(fc.tuple(fc.nat(2), word, word), { minLength: 4, maxLength: 4 }),
      fc.array(word, { minLength: 3, maxLength: 3 }),
    ],
    { numRuns: 60 },
  )('the table on i32 and u32, with addresses that come more than once', (op, signed, rows, old) => {
    const at = rows.map(([a]) => a)
    const by = rows.map(([, v]) => v)
    const memory = old.map((x) => (signed ? x : x >>> 0))
    // a compare that often holds
    const compare = rows.map(([a, , c], i) => (i % 2 === 0 ? old[a]! : c))
    expect(once(op, signed ? 'i32' : 'u32', at, memory, by, compare)).toEqual(
      defined(op, signed, at, memory, by, compare),
    )
  })

  test('by hand: a histogram of (3, 1, 3)', () => {
    expect(once('add', 'i32', [3, 1, 3, 0], [0, 0, 0, 0], [1, 1, 1, 0])).toEqual([
      [0, 0, 1, 0],
      [0, 1, 0, 2],
    ])
    expect(once('add', 'u32', [0, 0, 0, 0], [2 ** 32 - 1], [1, 0, 0, 0])[1]).toEqual([0])
    expect(once('min', 'u32', [0, 0, 0, 0], [2 ** 32 - 1], [5, 7, 9, 11])[1]).toEqual([5])
  })

  test('floats come back as they were, in every algebra that keeps them; sums of i32 wrap there, too', () => {
    const added = <D extends 'f32' | 'i32'>(dtype: D, algebra: Algebra, old: number, by: number) => {
      const program = right(
        B.kernel({ name: 'added', arch: 'sm90a', agents: [B.warp('w', 0)] }, function* () {
          const x = yield* B.tensorParam('x', dtype, [1], { role: 'inout' })
          const v = yield* B.tensorParam('v', dtype, [1], { role: 'in' })
          const out = yield* B.tensorParam('out', dtype, [1], { role: 'out' })
          const value = yield* B.gmemLoad('value', v.view)
          const pointers = X.addptr(X.splat<PtrIndex<D>, 1>(x.ptr, [1]), X.splat<'i32', 1>(X.i32(0), [1]))
          const found = yield* B.atomicPtr('add', 'add', pointers, value)
          yield* B.run('write', { _tag: 'gmem.store', destination: out.view, value: found })
        }),
      )
      const l = launched(program, algebra, {
        tensors: new Map([
          ['x', Float64Array.of(old)],
          ['v', Float64Array.of(by)],
        ]),
      })
      const { machine } = logged(l, Policy.eager)
      return ['out', 'x'].map((name) => readTensor(l.world, machine, name)![0])
    }
    expect(added('f32', real64, 1.5, 0.25)).toEqual([1.5, 1.75])
    expect(added('f32', real64, -2.5e10, 0.5)).toEqual([-2.5e10, -2.5e10 + 0.5])
    // 1.5 and 0.25 in f32, and their sum 1.75
    expect(added('f32', hopper, 0x3fc00000, 0x3e800000)).toEqual([0x3fc00000, 0x3fe00000])
    expect(added('f32', hopper, 0xbfc00000, 0x3e800000)).toEqual([0xbfc00000, 0xbfa00000])
    for (const algebra of [hopper, real64])
      expect(added('i32', algebra, 2 ** 31 - 1, 2)).toEqual([2 ** 31 - 1, -(2 ** 31) + 1])
  })

  test('dtypes of PTX', () => {
    const of = (op: AtomicOp): ReadonlyArray<Dtype> =>
      (['f32', 'f16', 'bf16', 'e4m3', 'i8', 'i32', 'u32', 'i64', 'u64'] as const).filter((d) =>
        isAtomic(op, d),
      )
    expect(of('add')).toEqual(['f32', 'f16', 'bf16', 'i32', 'u32', 'i64', 'u64'])
    expect(of('max')).toEqual(['f16', 'bf16', 'i32', 'u32', 'i64', 'u64'])
    expect(of('xor')).toEqual(['i32', 'u32', 'i64', 'u64'])
    expect(of('exchange')).toEqual(['f32', 'i32', 'u32', 'i64', 'u64'])
    expect(of('cas')).toEqual(['f32', 'f16', 'bf16', 'i32', 'u32', 'i64', 'u64'])
  })
})

const verdictOf = (program: Program, policy: Policy.AnyPolicy, resident?: number): Verdict =>
  right(
    check(program, {
      settings: {},
      algebra: unit,
      arguments:
        resident === undefined
          ? { scalars: new Map(), tensors: new Map() }
          : { scalars: new Map(), tensors: new Map(), resident },
      policy,
      strict: false,
      strictProxies: false,
      hazards: true,
      provenance: false,
      explore: false,
      explain: false,
      fuel: 1e5,
    }),
  ).verdict

/** Four clusters of two warps; each counts its row of x into four bins. */
const histogram = (scope: Scope = 'gpu', reads = false): Program =>
  right(
    B.kernel(
      { name: 'histogram', arch: 'sm90a', grid: [4], agents: [B.warp('a', 0), B.warp('b', 1)] },
      function* () {
        const x = yield* B.tensorParam('x', 'i32', [8, 4], { role: 'in' })
        const bins = yield* B.tensorParam('bins', 'i32', [4], { role: 'inout' })
        const row = X.add(X.mul(X.place('programId', 0), X.i32(2)), X.place('warp'))
        const seen = yield* B.gmemLoad('row', X.slot(x.view, row))
        yield* B.run('count', {
          _tag: 'gmem.atomicPtr',
          op: 'add',
          destination: X.addptr(X.splat(bins.ptr, [4]), seen),
          value: X.splat(X.i32(1), [4]),
          scope,
        })
        if (reads) yield* B.gmemLoad('read', bins.view)
      },
    ),
  )

const rows = [3, 1, 3, 0, 0, 0, 2, 1, 3, 3, 3, 3, 1, 2, 1, 2, 0, 1, 2, 3, 3, 2, 1, 0, 0, 0, 0, 0, 1, 1, 3, 2]

describe('histogram of four clusters', () => {
  test('law 2: every schedule, clusters together or not, counts what a loop counts', () => {
    const counted = [0, 1, 2, 3].map((bin) => rows.filter((x) => x === bin).length)
    for (const resident of [1, 4])
      for (const policy of [
        Policy.eager,
        Policy.lazy,
        Policy.roundRobin,
        ...Array.from({ length: 30 }, (_, seed) => Policy.seeded(seed)),
      ]) {
        const l = launched(histogram(), hopper, {
          tensors: new Map([
            ['x', Float64Array.from(rows)],
            ['bins', new Float64Array(4)],
          ]),
          resident,
        })
        const { machine } = logged(l, policy)
        expect([...readTensor(l.world, machine, 'bins')!]).toEqual(counted)
      }
  })

  const zeros: ReadonlyMap<string, Float64Array> = new Map([
    ['x', new Float64Array(32)],
    ['bins', new Float64Array(4)],
  ])
  const inBits = (program: Program, resident: number): Verdict =>
    right(
      check(program, {
        settings: {},
        algebra: hopper,
        arguments: { scalars: new Map(), tensors: zeros, resident },
        policy: Policy.seeded(resident),
        strict: false,
        strictProxies: false,
        hazards: true,
        provenance: false,
        explore: false,
        explain: false,
        fuel: 1e5,
      }),
    ).verdict
  test('at gpu scope there is no race; at CTA scope clusters race (D3); a plain read beside it races', () => {
    for (const resident of [1, 4]) {
      expect(inBits(histogram(), resident)).toMatchObject({ verdict: 'ok', findings: [] })
      const narrow = inBits(histogram('cta'), resident)
      expect([narrow.verdict, [...new Set(narrow.findings.map((f) => f.id))]]).toEqual(['hazard', ['D3']])
      const read = inBits(histogram('gpu', true), resident)
      expect(read.verdict).toBe('hazard')
      expect(new Set(read.findings.map((f) => f.id))).toEqual(new Set(['D2', 'D3']))
    }
  })
})

describe('C1: an atomic’s return order', () => {
  const ticket = (use: 'nothing' | 'store' | 'branch' | 'loop'): Program =>
    right(
      B.kernel({ name: 'ticket', arch: 'sm90a', grid: [2], agents: [B.warp('a', 0)] }, function* () {
        const counter = yield* B.tensorParam('counter', 'i32', [1], { role: 'inout' })
        const out = yield* B.tensorParam('out', 'i32', [2, 1], { role: 'inout' })
        const found = yield* B.atomicPtr('take', 'add', X.splat(counter.ptr, [1]), X.splat(X.i32(1), [1]))
        const mine = X.slot(out.view, X.place('programId', 0))
        if (use === 'store') yield* B.run('store', { _tag: 'gmem.store', destination: mine, value: found })
        if (use === 'branch')
          yield* B.ifThen('first', X.eq(X.item(X.reshape(found, [])), X.i32(0)), function* () {
            yield* B.run('store', { _tag: 'gmem.store', destination: mine, value: X.iota<1>([1], 0) })
          })
        if (use === 'loop')
          yield* B.forRange(
            { label: 'turns', from: X.i32(0), to: X.item(X.reshape(found, [])) },
            function* () {
              yield* B.run('store', { _tag: 'gmem.store', destination: mine, value: X.iota<1>([1], 0) })
            },
          )
      }),
    )
  test('a result that nobody reads is none of it; one that is stored, branched on or looped to is', () => {
    expect(verdictOf(ticket('nothing'), Policy.eager)).toMatchObject({ verdict: 'ok' })
    for (const use of ['store', 'branch', 'loop'] as const) {
      const v = verdictOf(ticket(use), Policy.eager)
      expect([v.verdict, v.conditions.C1.holds]).toEqual(['undecided', false])
      expect(v.conditions.C1.failures[0]).toContain('atomic')
    }
  })

  test('atomics that do not commute leave what memory holds to timing', () => {
    const two = (op: 'exchange' | 'add'): Program =>
      right(
        B.kernel({ name: 'two', arch: 'sm90a', agents: [B.warp('a', 0), B.warp('b', 1)] }, function* () {
          const x = yield* B.tensorParam('x', 'i32', [1], { role: 'inout' })
          yield* B.run('put', {
            _tag: 'gmem.atomicPtr',
            op,
            destination: X.splat(x.ptr, [1]),
            value: X.splat(X.place('warp'), [1]),
            scope: 'cta',
          })
        }),
      )
    expect(verdictOf(two('add'), Policy.eager)).toMatchObject({ verdict: 'ok', notes: [] })
    const v = verdictOf(two('exchange'), Policy.eager)
    expect([v.verdict, v.notes.map((n) => n.id)]).toEqual(['undecided', ['N1']])
  })
})
