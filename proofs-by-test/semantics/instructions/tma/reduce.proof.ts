/**
 * Reductions. Oracles: the table in integers of unbounded size over the bytes, the naive sum over a prime field, a matrix product.
 */
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import { naiveMatmul } from '../../../../src/kernels/reference.js'
import { bitsOf, type Dtype } from '../../../../src/numerics/dtype.js'
import { field, unit } from '../../../../src/numerics/index.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import type { ReduceKind } from '../../../../src/semantics/language/instruction.js'
import { readTensor } from '../../../../src/semantics/execution/launch.js'
import * as Plane from '../../../../src/semantics/machine/plane.js'
import * as Policy from '../../../../src/semantics/execution/policy.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import * as Transform from '../../../../src/transforms/transform.js'
import {
  blackwell,
  expecting,
  fence,
  idsOf,
  init,
  judged,
  notesOf,
  program,
  running,
  stored,
  waiting,
} from './steps.js'
import { right } from '../../../either.js'

const kinds: ReadonlyArray<ReduceKind> = ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor']
const dtypes = ['u32', 'i32', 'u64', 'i64', 'f32', 'f16', 'bf16', 'u8', 'u16'] as const

/** A load of `a` into shared memory, and reductions of it into `out`, `times` times. */
const reducing = (kind: ReduceKind, dtype: Dtype, n: number, times = 1, draft = false): Program =>
  program(
    'reduce',
    function* () {
      const a = yield* B.tensorParam('a', dtype, [n], { role: 'in' })
      const out = yield* B.tensorParam('out', dtype, [n], { role: 'inout' })
      const from = yield* B.descriptorParam('from', a, [n])
      const into = yield* B.descriptorParam('into', out, [n])
      const image = yield* B.sharedMemory('image', dtype, [n], [], { align: 128 })
      const full = yield* B.barriers('full', [])
      yield* init(full)
      yield* expecting(full, (n * bitsOf(dtype)) / 8)
      yield* B.run('load', {
        _tag: 'tma.load',
        descriptor: from,
        coords: [X.i32(0)],
        destination: image,
        barrier: full,
        ctaGroup: 1,
      })
      yield* waiting(full)
      for (let k = 0; k < times; k++)
        yield* B.run('reduce', {
          _tag: 'tma.reduce',
          kind,
          descriptor: into,
          coords: [X.i32(0)],
          source: image,
        })
      yield* stored()
    },
    { draft },
  )

describe('law 1: the table', () => {
  /** PTX, once more: which types each kind has. */
  const table: Readonly<Record<ReduceKind, string>> = {
    add: 'u32 i32 u64 f32 f16 bf16',
    min: 'u32 i32 u64 i64 f16 bf16',
    max: 'u32 i32 u64 i64 f16 bf16',
    inc: 'u32',
    dec: 'u32',
    and: 'u32 i32 u64 i64',
    or: 'u32 i32 u64 i64',
    xor: 'u32 i32 u64 i64',
  }
  test('every other pair is refused, before the run and in it', () => {
    for (const kind of kinds)
      for (const dtype of dtypes) {
        const lawful = table[kind].split(' ').includes(dtype)
        const n = 1024 / bitsOf(dtype)
        const given = { a: new Float64Array(n), out: new Float64Array(n) }
        const r = running(reducing(kind, dtype, n, 1, true), given)
        expect(r.outcome._tag, `${kind} ${dtype}`).toBe(lawful ? 'completed' : 'fault')
        if (r.outcome._tag === 'fault') expect(r.outcome.fault.code).toBe('A4')
      }
    expect(() => reducing('inc', 'i32', 32)).toThrow(/A4/)
    expect(() => reducing('add', 'i64', 16)).toThrow(/A4/)
  })

  const mask = (bits: number, x: bigint): bigint =>
    ((x % (1n << BigInt(bits))) + (1n << BigInt(bits))) % (1n << BigInt(bits))
  const signed = (bits: number, x: bigint): bigint =>
    x >= 1n << BigInt(bits - 1) ? x - (1n << BigInt(bits)) : x
  const defined = (kind: ReduceKind, dtype: string, old: bigint, by: bigint): bigint => {
    const bits = Number(dtype.slice(1))
    const value = (x: bigint): bigint => (dtype.startsWith('i') ? signed(bits, x) : x)
    switch (kind) {
      case 'add':
        return mask(bits, old + by)
      case 'min':
        return value(old) <= value(by) ? old : by
      case 'max':
        return value(old) >= value(by) ? old : by
      case 'inc':
        return old >= by ? 0n : old + 1n
      case 'dec':
        return old === 0n || old > by ? by : old - 1n
      case 'and':
        return old & by
      case 'or':
        return old | by
      case 'xor':
        return old ^ by
    }
  }

  test('integers: each kind equals its definition, to the last of 64 bits', () => {
    const corner = [
      0n,
      1n,
      2n,
      7n,
      (1n << 31n) - 1n,
      1n << 31n,
      (1n << 32n) - 1n,
      (1n << 53n) - 1n,
      1n << 20n,
    ]
    for (const kind of kinds)
      for (const dtype of table[kind].split(' ').filter((d) => /^[iu]/.test(d)) as ReadonlyArray<Dtype>) {
        const bits = bitsOf(dtype)
        const values = corner.filter((x) => x < 1n << BigInt(Math.min(bits, 53)))
        const olds: bigint[] = []
        const bys: bigint[] = []
        for (const x of values)
          for (const y of values) {
            olds.push(x)
            bys.push(y)
          }
        while ((olds.length * bits) % 128 !== 0) {
          olds.push(0n)
          bys.push(0n)
        }
        const carrier = (x: bigint): number => (dtype === 'i32' ? Number(signed(32, x)) : Number(x))
        // three times: sums and complements leave the range of a double
        const r = running(reducing(kind, dtype, olds.length, 3), {
          a: Float64Array.from(bys, carrier),
          out: Float64Array.from(olds, carrier),
        })
        expect(r.outcome, `${kind} ${dtype}`).toEqual({ _tag: 'completed' })
        const plane = r.machine.planes[r.launched.world.tensors.get('out')!.plane]!
        const words = Plane.read(
          plane,
          Plane.cells(
            'u32',
            Int32Array.from({ length: (olds.length * bits) / 32 }, (_, i) => 4 * i),
          ),
        ).data!
        olds.forEach((old, i) => {
          let want = old
          for (let k = 0; k < 3; k++) want = defined(kind, dtype, want, bys[i]!)
          const got =
            bits === 32 ? BigInt(words[i]!) : BigInt(words[2 * i]!) + (BigInt(words[2 * i + 1]!) << 32n)
          expect(got, `${kind} ${dtype} ${String(old)} ${String(bys[i])}`).toBe(want)
        })
      }
  })

  test('negative 64-bit integers: the lesser by sign', () => {
    const r = running(reducing('min', 'i64', 2), { a: Float64Array.of(-5, 5), out: Float64Array.of(3, -9) })
    expect([...readTensor(r.launched.world, r.machine, 'out')!]).toEqual([-5, -9])
  })

  test('floats: one rounding of the sum; the lesser and the greater', () => {
    const x = [1, 2048, 0.5, -3]
    const y = [2, 1, 0.25, 7]
    const pad = (xs: ReadonlyArray<number>): Float64Array =>
      Float64Array.from({ length: 8 }, (_, i) => blackwell.constant('f16', xs[i] ?? 0))
    const out = (kind: ReduceKind): ReadonlyArray<number> => {
      const r = running(reducing(kind, 'f16', 8), { a: pad(y), out: pad(x) })
      return [...readTensor(r.launched.world, r.machine, 'out')!].slice(0, 4)
    }
    const as = (xs: ReadonlyArray<number>): ReadonlyArray<number> => [...pad(xs)].slice(0, 4)
    // 2049 is half way between 2048 and 2050: to even
    expect(out('add')).toEqual(as([3, 2048, 0.75, 4]))
    expect(out('min')).toEqual(as([1, 1, 0.25, -3]))
    expect(out('max')).toEqual(as([2, 2048, 0.5, 7]))
  })

  test('what an algebra lacks is a fault, and what it has none of data for runs', () => {
    const f = field(3)
    const given = { a: new Float64Array(8), out: new Float64Array(8) }
    const r = running(reducing('min', 'f16', 8), given, Policy.eager, f)
    expect(r.outcome._tag === 'fault' ? r.outcome.fault.code : '').toBe('algebra.lacks')
    expect(running(reducing('add', 'f16', 8), given, Policy.eager, f).outcome._tag).toBe('completed')
    expect(running(reducing('max', 'i32', 8), given, Policy.eager, f).outcome._tag).toBe('completed')
    expect(running(reducing('add', 'f16', 8), {}, Policy.eager, unit).outcome._tag).toBe('completed')
  })
})

interface Twin {
  readonly dtype: 'i32' | 'f32'
  readonly kinds: readonly [ReduceKind | 'store', ReduceKind | 'store']
  readonly out?: 'inout' | 'out'
  readonly boxes?: readonly [number, number]
}
/** Each CTA takes its own row of `a` into `out`. `grid` 2, `cluster` 1 or 2. */
const twins = (t: Twin, cluster: 1 | 2): Program =>
  program(
    'twins',
    function* () {
      const a = yield* B.tensorParam('a', t.dtype, [2, 32], { role: 'in' })
      const out = yield* B.tensorParam('out', t.dtype, [64], { role: t.out ?? 'inout' })
      const from = yield* B.descriptorParam('from', a, [1, 32])
      const into = yield* B.descriptorParam('into', out, [32])
      const image = yield* B.sharedMemory('image', t.dtype, [32], [], { align: 128 })
      const full = yield* B.barriers('full', [])
      const id = X.place('programId')
      yield* init(full)
      yield* expecting(full, 128)
      yield* B.run('load', {
        _tag: 'tma.load',
        descriptor: from,
        coords: [id, X.i32(0)],
        destination: image,
        barrier: full,
        ctaGroup: 1,
      })
      yield* waiting(full)
      for (const k of [0, 1]) {
        const kind = t.kinds[k]!
        const coords = [X.i32(32 * (t.boxes?.[k] ?? 0))]
        const when = X.eq(id, X.i32(k))
        yield* B.run(
          `${kind} ${String(k)}`,
          kind === 'store'
            ? { _tag: 'tma.store', descriptor: into, coords, source: image }
            : { _tag: 'tma.reduce', kind, descriptor: into, coords, source: image },
          { when },
        )
      }
      yield* stored()
    },
    { grid: 2, cluster },
  )
const given = { a: Float64Array.from({ length: 64 }, (_, i) => i), out: new Float64Array(64) }

describe('two CTAs reduce into one output', () => {
  const said = (t: Twin, cluster: 1 | 2): readonly [string, ReadonlyArray<string>, ReadonlyArray<string>] => {
    const v = judged(twins(t, cluster), given)
    return [v.verdict, idsOf(v), notesOf(v)]
  }
  test('table by hand: clean, a note, or a race', () => {
    expect(said({ dtype: 'i32', kinds: ['add', 'add'] }, 2)).toEqual(['ok', [], []])
    expect(said({ dtype: 'i32', kinds: ['max', 'max'] }, 2)).toEqual(['ok', [], []])
    expect(said({ dtype: 'f32', kinds: ['add', 'add'] }, 2)).toEqual(['ok', [], ['N1']])
    expect(said({ dtype: 'i32', kinds: ['add', 'max'] }, 2)).toEqual(['ok', [], ['N1']])
    expect(said({ dtype: 'f32', kinds: ['add', 'add'], boxes: [0, 1] }, 2)).toEqual(['ok', [], []])
    expect(said({ dtype: 'i32', kinds: ['add', 'store'] }, 2)).toEqual(['hazard', ['D2'], []])
    expect(said({ dtype: 'i32', kinds: ['store', 'store'] }, 2)).toEqual(['hazard', ['D2'], []])
    expect(said({ dtype: 'i32', kinds: ['add', 'store'], boxes: [0, 1] }, 2)).toEqual(['ok', [], []])
  })
  test('and two clusters', () => {
    expect(said({ dtype: 'i32', kinds: ['add', 'add'] }, 1)).toEqual(['ok', [], []])
    expect(said({ dtype: 'f32', kinds: ['add', 'add'] }, 1)).toEqual(['ok', [], ['N1']])
    expect(said({ dtype: 'i32', kinds: ['add', 'store'] }, 1)).toEqual(['hazard', ['D3'], []])
  })
  test('N1 is severity L, names both, and says so once', () => {
    const v = judged(twins({ dtype: 'f32', kinds: ['add', 'add'] }, 2), given)
    expect(v.notes.map((f) => [f.id, f.severity, f.a.site, f.b!.site])).toEqual([
      ['N1', 'L', 'add 0', 'add 1'],
    ])
  })
  test('a reduction into an output that nothing has initialised', () => {
    const v = judged(twins({ dtype: 'i32', kinds: ['add', 'add'], out: 'out', boxes: [0, 1] }, 2), {
      a: given.a,
    })
    expect(idsOf(v)).toEqual(['I1'])
  })
})

describe('law 2: any order', () => {
  test('two CTAs, three reductions each, in 20 schedules: the naive sum over a prime field', () => {
    const f = field(11)
    const n = 32
    const rows = 6
    const p = program(
      'sum',
      function* () {
        const a = yield* B.tensorParam('a', 'f32', [rows, n], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f32', [n], { role: 'inout' })
        const from = yield* B.descriptorParam('from', a, [1, n])
        const into = yield* B.descriptorParam('into', out, [n])
        const image = yield* B.sharedMemory('image', 'f32', [3, n], [], { align: 128 })
        const full = yield* B.barriers('full', [3])
        for (let k = 0; k < 3; k++) {
          const b = X.slot(full, X.i32(k))
          const slot = X.slot(image, X.i32(k))
          yield* init(b)
          yield* expecting(b, 4 * n)
          yield* B.run('load', {
            _tag: 'tma.load',
            descriptor: from,
            coords: [X.add(X.mul(X.place('ctaRank'), X.i32(3)), X.i32(k)), X.i32(0)],
            destination: slot,
            barrier: b,
            ctaGroup: 1,
          })
        }
        for (let k = 0; k < 3; k++) {
          yield* waiting(X.slot(full, X.i32(k)))
          yield* B.run('reduce', {
            _tag: 'tma.reduce',
            kind: 'add',
            descriptor: into,
            coords: [X.i32(0)],
            source: X.slot(image, X.i32(k)),
          })
        }
        yield* stored()
      },
      { cluster: 2 },
    )
    const a = Float64Array.from({ length: rows * n }, (_, i) => f.element(0, i))
    const out = Float64Array.from({ length: n }, (_, i) => f.element(1, i))
    const prime = 2 ** 26 - 5
    const naive = Float64Array.from(out, (x, j) => {
      let s = x
      for (let r = 0; r < rows; r++) s = (s + a[r * n + j]!) % prime
      return s
    })
    const orders = new Set<string>()
    for (let seed = 0; seed < 20; seed++) {
      const r = running(p, { a, out }, Policy.seeded(seed), f)
      expect(r.outcome).toEqual({ _tag: 'completed' })
      expect([...readTensor(r.launched.world, r.machine, 'out')!]).toEqual([...naive])
      orders.add(
        r.result
          .flatMap((e) => (e._tag === 'access' && e.atomic && e.rw === 'w' ? [e.operation] : []))
          .join(),
      )
    }
    expect(orders.size).toBeGreaterThan(10)
  })
})

describe('provenance', () => {
  const [m, n, k, tileK] = [64, 32, 128, 32] as const
  const transforms = [right(Transform.tile([8, 32])), right(Transform.swizzle(64))]
  /** A matmul whose halves of k are reduced into the output one after the other. */
  const splitK = (halves: ReadonlyArray<number>, kind: ReduceKind, zeroes = true): Program =>
    right(
      B.kernel(
        {
          name: 'split k',
          arch: 'sm90a',
          agents: [B.warpgroup('wg', 0)],
          computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'out', accumulator: 'f32', blockK: 16 },
        },
        function* () {
          const a = yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
          const b = yield* B.tensorParam('b', 'f16', [k, n], { role: 'in' })
          const out = yield* B.tensorParam('out', 'f32', [m, n], { role: 'out' })
          const into = yield* B.descriptorParam('into', out, [m, n])
          const aSmem = yield* B.sharedMemory('a_smem', 'f16', [m, tileK], transforms)
          const bSmem = yield* B.sharedMemory('b_smem', 'f16', [tileK, n], transforms)
          const outSmem = yield* B.sharedMemory('out_smem', 'f32', [m, n], [], { align: 128 })
          const acc = yield* Pallas.ACC('acc', 'wg', 'f32', [m, n])
          const loaded = yield* Pallas.Barrier('loaded', { numArrivals: 2, numBarriers: 1 })
          yield* Pallas.threads(
            [loaded],
            [
              {
                name: 'wg',
                body: function* () {
                  if (zeroes) {
                    yield* B.run('zero', {
                      _tag: 'smem.store',
                      destination: outSmem,
                      value: X.splat<'f32', 2>(X.float('f32', 0), [m, n]),
                    })
                    yield* fence()
                    yield* B.run('clear', {
                      _tag: 'tma.store',
                      descriptor: into,
                      coords: [X.i32(0), X.i32(0)],
                      source: outSmem,
                    })
                    yield* stored()
                  }
                  let parities = Pallas.freshParities
                  for (const [turn, half] of halves.entries()) {
                    yield* Pallas.initAccumulator('zero acc', acc)
                    for (let i = 0; i < 2; i++) {
                      const at = X.i32(tileK * (2 * half + i))
                      yield* Pallas.copyGmemToSmem(
                        `copy a ${String(turn)} ${String(i)}`,
                        Pallas.at(a, [X.i32(0), at], [m, tileK]),
                        aSmem,
                        loaded,
                        X.i32(0),
                      )
                      yield* Pallas.copyGmemToSmem(
                        `copy b ${String(turn)} ${String(i)}`,
                        Pallas.at(b, [at, X.i32(0)], [tileK, n]),
                        bSmem,
                        loaded,
                        X.i32(0),
                      )
                      parities = yield* Pallas.barrierWait('wait', loaded, X.i32(0), parities)
                      yield* Pallas.wgmma('wgmma', acc, aSmem, bSmem)
                      yield* Pallas.wgmmaWait('wgmma_wait', 0)
                    }
                    const sum = yield* Pallas.readAccumulator('read', acc)
                    yield* B.run('stage', { _tag: 'smem.store', destination: outSmem, value: sum })
                    yield* fence()
                    yield* B.run('reduce', {
                      _tag: 'tma.reduce',
                      kind,
                      descriptor: into,
                      coords: [X.i32(0), X.i32(0)],
                      source: outSmem,
                    })
                    yield* stored()
                  }
                },
              },
            ],
          )
        },
      ),
    )
  const proved = (p: Program): readonly [boolean | undefined, boolean | undefined, string] => {
    const v = judged(p, {}, { algebra: unit, provenance: true })
    return [v.provenance?.proved, v.provenance?.inOrder, v.provenance?.text ?? '']
  }
  test('halves that are added are the product, in no chain; a half missing, repeated, or joined otherwise is not', () => {
    const [whole, inOrder] = proved(splitK([0, 1], 'add'))
    expect([whole, inOrder]).toEqual([true, false])
    expect(proved(splitK([1, 0], 'add')).slice(0, 2)).toEqual([true, false])
    expect(proved(splitK([0], 'add'))[2]).toMatch(/k-slices 64:128 missing/)
    expect(proved(splitK([0, 1, 1], 'add'))[2]).toMatch(/k-slices 64:128 repeated/)
    expect(proved(splitK([0, 1], 'add', false))[0]).toBe(false)
  })
  test('and over a prime field', () => {
    const f = field(7)
    const a = Float64Array.from({ length: m * k }, (_, i) => f.element(0, i))
    const b = Float64Array.from({ length: k * n }, (_, i) => f.element(1, i))
    const r = running(splitK([1, 0], 'add'), { a, b }, Policy.eager, f)
    const naive = right(naiveMatmul(f, { operand: 'f16', accumulator: 'f32', out: 'f32' }, { m, n, k }, a, b))
    expect([...readTensor(r.launched.world, r.machine, 'out')!]).toEqual([...naive])
  })
})
