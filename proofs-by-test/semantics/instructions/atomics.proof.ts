/**
 * Atomics: the table against integers of unbounded size, elements that meet in one address, a histogram of several clusters under every schedule
 * tried, and what makes control depend on timing (C1).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { dtypes, type Dtype } from '../../../src/numerics/dtype.js'
import { field } from '../../../src/numerics/field.js'
import { real64 } from '../../../src/numerics/real64.js'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { AtomicOp, Scope } from '../../../src/semantics/language/instruction.js'
import { execute, isAtomic } from '../../../src/semantics/instructions/atomic.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import * as Footprint from '../../../src/semantics/machine/footprint.js'
import type { Elements } from '../../../src/semantics/machine/operation.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { prepare } from '../../../src/semantics/core/prepare.js'
import { environment } from '../../../src/semantics/machine/environment.js'
import { withPlane } from '../../../src/semantics/machine/state.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import type { PtrIndex } from '../../../src/semantics/language/types.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { launched, logged } from '../machine/machine-samples.js'
import { right } from '../../either.js'
import { prop } from '../../prop.js'

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
  prop(
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

// ---------------------------------------------------------------- one atomic by itself

describe('one atomic by itself', () => {
  const program = right(
    B.draft({ name: 'one', arch: 'sm90a', grid: [2], cluster: [2], agents: [B.warp('w', 0)] }, () =>
      B.of(undefined),
    ),
  )
  const samples = new Map([hopper, real64, unit].map((a) => [a.name, launched(program, a)]))
  const big = 2 ** 53 - 1
  interface Given {
    readonly algebra?: Algebra
    readonly at?: ReadonlyArray<number>
    readonly compare?: ReadonlyArray<number>
    /** memory that nobody has written */
    readonly unwritten?: boolean
  }
  /** Elements of CTA 1's shared memory: what was found, what is there, or the code of a fault. */
  const done = (
    op: AtomicOp,
    dtype: Dtype,
    old: ReadonlyArray<number>,
    by: ReadonlyArray<number>,
    g: Given = {},
  ): readonly [found: ReadonlyArray<number> | null, memory: ReadonlyArray<number> | null] | string => {
    const { world, machine } = samples.get((g.algebra ?? hopper).name)!
    const plane = world.header.planes.findIndex((p) => p.space === 'smem' && p.cta === 1)
    const cellsOf = (at: ReadonlyArray<number>): Elements =>
      Footprint.ofAddresses(world.footprints, plane, dtype, [at.length], Int32Array.from(at))
    const all = cellsOf(old.map((_, i) => 64 + 8 * i))
    const before =
      g.unwritten === true
        ? machine
        : withPlane(machine, plane, Plane.write(machine.planes[plane]!, all, Float64Array.from(old), null))
    const destination = cellsOf(g.at ?? by.map((_, i) => 64 + 8 * i))
    const made = execute(
      { world, agent: 1, stamp: { agent: 1, at: 3, site: 0, iteration: [] } },
      before,
      {
        _tag: 'atomic',
        op,
        destination,
        data: g.algebra === unit ? null : Float64Array.from(by),
        compare: g.compare === undefined ? null : Float64Array.from(g.compare),
        scope: 'cta',
      },
      'any',
    )
    if (isFault(made)) return `${made.code} ${/element \d+/.exec(made.message)?.[0] ?? ''}`
    expect(made.machine.values).toBe(before.values + 1)
    const [result] = made.results
    if (typeof result !== 'object' || result._tag !== 'tile') throw new Error('no tile')
    expect([result.origin, result.shape, result.layout]).toEqual([
      { _tag: 'value', id: before.values },
      [by.length],
      'any',
    ])
    const { data } = Plane.read(made.machine.planes[plane]!, all)
    return [result.data === null ? null : [...result.data], data === null ? null : [...data]]
  }
  // 1.5, 2, -1, +0 and -0 in 16 bits
  const [x15, x2, xm1, p0, m0] = [0x3e00, 0x4000, 0xbc00, 0, 0x8000]
  type Row = readonly [
    what: string,
    op: AtomicOp,
    dtype: Dtype,
    old: ReadonlyArray<number>,
    by: ReadonlyArray<number>,
    g: Given,
    expected: readonly [ReadonlyArray<number> | null, ReadonlyArray<number> | null] | string,
  ]
  test.each<Row>([
    [
      'the element that the mask takes out',
      'add',
      'i32',
      [5, 6],
      [1, 2],
      { at: [-1, 72] },
      [
        [0, 6],
        [5, 8],
      ],
    ],
    ['the first address there is', 'add', 'i32', [5], [1], { at: [64] }, [[5], [6]]],
    ['a word that is signed in a register', 'add', 'u32', [2 ** 32 - 1], [2], {}, [[-1], [1]]],
    ['the register of a word, taken as unsigned', 'max', 'u32', [7], [-1], {}, [[7], [2 ** 32 - 1]]],
    ['the lesser of words', 'min', 'u32', [7], [-1], {}, [[7], [7]]],
    ['the lesser of signed words', 'min', 'i32', [7], [-1], {}, [[7], [-1]]],
    ['the greater of signed words', 'max', 'i32', [7], [-1], {}, [[7], [7]]],
    ['all bits', 'or', 'u32', [1], [-1], {}, [[1], [2 ** 32 - 1]]],
    ['exchanged words', 'exchange', 'u32', [5], [-1], {}, [[5], [2 ** 32 - 1]]],
    ['exchanged floats', 'exchange', 'f32', [5], [9], {}, [[5], [9]]],
    [
      'the greater of halves',
      'max',
      'f16',
      [x15, x15],
      [x2, xm1],
      {},
      [
        [x15, x15],
        [x2, x15],
      ],
    ],
    [
      'the lesser of halves',
      'min',
      'f16',
      [x15, x15],
      [x2, xm1],
      {},
      [
        [x15, x15],
        [x15, xm1],
      ],
    ],
    [
      'swapped where equal',
      'cas',
      'i32',
      [5, 6],
      [1, 2],
      { compare: [5, 5] },
      [
        [5, 6],
        [1, 6],
      ],
    ],
    [
      'swapped words: what a register compares with',
      'cas',
      'u32',
      [2 ** 32 - 1],
      [-2],
      { compare: [-1] },
      [[-1], [2 ** 32 - 2]],
    ],
    [
      'swapped halves: bits, not values',
      'cas',
      'f16',
      [p0, m0],
      [x2, x2],
      { compare: [m0, m0] },
      [
        [p0, m0],
        [p0, x2],
      ],
    ],
    ['swapped once', 'cas', 'i32', [5], [6, 7], { at: [64, 64], compare: [5, 5] }, [[5, 6], [6]]],
    ['swapped twice', 'cas', 'i32', [5], [6, 7], { at: [64, 64], compare: [5, 6] }, [[5, 6], [7]]],
    ['swapped with nothing to compare with', 'cas', 'i32', [5], [6], {}, [[5], [5]]],
    [
      '64 bits',
      'add',
      'i64',
      [2 ** 40, -5],
      [1, 2],
      {},
      [
        [2 ** 40, -5],
        [2 ** 40 + 1, -3],
      ],
    ],
    ['64 bits, unsigned', 'max', 'u64', [3], [2 ** 40], {}, [[3], [2 ** 40]]],
    ['up to 2^53', 'add', 'i64', [big - 1], [1], {}, [[big - 1], [big]]],
    ['beyond 2^53', 'add', 'i64', [1, big], [1, 1], {}, 'i64.range element 1'],
    ['below -2^53', 'add', 'i64', [-big], [-1], {}, 'i64.range element 0'],
    ['what is there is beyond 2^53', 'exchange', 'i64', [2 ** 60], [1], {}, 'i64.range element 0'],
    ['32 bits are never beyond', 'exchange', 'f32', [2 ** 31], [2 ** 31 + 1], {}, [[2 ** 31], [2 ** 31 + 1]]],
    ['reals', 'add', 'f32', [0.25], [2 ** 60], { algebra: real64 }, [[0.25], [2 ** 60 + 0.25]]],
    [
      'a slot that holds no element stays what it is',
      'add',
      'i32',
      [1],
      [2],
      { algebra: real64, unwritten: true },
      [[NaN], [NaN]],
    ],
    [
      'nor is one swapped in',
      'cas',
      'i32',
      [1],
      [2],
      { algebra: real64, unwritten: true, compare: [NaN] },
      [[NaN], [NaN]],
    ],
    ['nor put there', 'exchange', 'i32', [1], [2], { algebra: real64, unwritten: true }, [[NaN], [NaN]]],
    ['no data', 'add', 'f32', [1], [2], { algebra: unit, unwritten: true }, [null, null]],
  ])('%s: %s of %s', (_what, op, dtype, old, by, g, expected) => {
    expect(done(op, dtype, old, by, g)).toEqual(expected)
  })

  test('what is refused before it is done', () => {
    const refused = (op: AtomicOp, dtype: 'f16' | 'f32' | 'i32', algebra: Algebra): string | null => {
      const { world } = launched(
        right(
          B.draft({ name: 'p', arch: 'sm90a', agents: [B.warp('w', 0)] }, function* () {
            yield* B.sharedMemory('x', dtype, [4])
          }),
        ),
        algebra,
      )
      const value = dtype === 'i32' ? X.iota<1>([4], 0) : X.splat(X.float(dtype, 1), [4])
      const p = prepare(environment(world, { agent: 0, cta: 0, place: 0, cluster: 0 }, []), {
        _tag: 'smem.atomic',
        op,
        destination: { _tag: 'storage', storage: 'x' } as never,
        value: value as never,
        scope: 'cta',
        ...(op === 'cas' ? { compare: value as never } : {}),
      })
      return isFault(p) ? p.code : null
    }
    // only bits compare floats bit for bit; of what keeps no data nothing is asked
    expect([hopper, real64, unit].map((a) => refused('cas', 'f32', a))).toEqual([null, 'algebra.lacks', null])
    expect([hopper, real64, unit].map((a) => refused('cas', 'i32', a))).toEqual([null, null, null])
    expect([hopper, real64, unit].map((a) => refused('add', 'f32', a))).toEqual([null, null, null])
    expect([hopper, field(1)].map((a) => refused('max', 'f16', a))).toEqual([null, 'algebra.lacks'])
    expect(refused('max', 'f32', hopper)).toBe('atomic.dtype')
  })

  test('the table of dtypes, whole', () => {
    const words: ReadonlyArray<Dtype> = ['i32', 'u32', 'i64', 'u64']
    const halves: ReadonlyArray<Dtype> = ['f16', 'bf16']
    const table: Readonly<Record<AtomicOp, ReadonlyArray<Dtype>>> = {
      add: [...words, ...halves, 'f32'],
      min: [...words, ...halves],
      max: [...words, ...halves],
      and: words,
      or: words,
      xor: words,
      // tf32 is a word in memory
      exchange: [...words, 'f32', 'tf32'],
      cas: [...words, ...halves, 'f32', 'tf32', 'i16', 'u16'],
    }
    for (const op of ops)
      expect([op, dtypes.filter((d) => isAtomic(op, d)).sort()]).toEqual([op, [...table[op]].sort()])
  })
})

const verdictOf = (program: Program, policy: Policy.AnyPolicy, resident?: number): Verdict =>
  right(
    check(program, {
      ...standardOptions,
      arguments:
        resident === undefined
          ? { scalars: new Map(), tensors: new Map() }
          : { scalars: new Map(), tensors: new Map(), resident },
      policy,
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
        ...standardOptions,
        algebra: hopper,
        arguments: { scalars: new Map(), tensors: zeros, resident },
        policy: Policy.seeded(resident),
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
