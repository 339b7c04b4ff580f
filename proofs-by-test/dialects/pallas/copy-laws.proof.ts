/**
 * Laws of single copies: what arrives where (against indexing of arrays in plain TypeScript), bounds, predicates, rows, reductions, groups,
 * asynchronous stores; and which casts between layouts are legal (against the reference's list).
 */
import * as E from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orRefused, seenBy, type Seen } from '../../../src/dialects/pallas/copy/map.js'
import { reductionDtypes, type ReductionOp } from '../../../src/dialects/pallas/copy/store.js'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import type { Failure } from '../../../src/failure.js'
import { families, nameOf, parseName } from '../../../src/layouts/named.js'
import { TMA_INDICES_4 } from '../../../src/layouts/tiled.js'
import { bits } from '../../../src/numerics/bits.js'
import { dtypes, isFloat, type Dtype } from '../../../src/numerics/dtype.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { emptyState } from '../../../src/semantics/writing/builder/state.js'
import {
  add,
  float,
  i1,
  i32,
  mod,
  mul,
  place,
  slice,
  splat,
  sub,
  type Condition,
  type Int,
  type Tile,
} from '../../../src/semantics/language/expression.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { constantOf } from '../../../src/semantics/language/typecheck.js'
import * as Ref from '../../../src/transforms/ref.js'
import * as Transform from '../../../src/transforms/transform.js'
import { checked, labels } from './programs.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

type Shape = ReadonlyArray<number>
const sizeOf = (shape: Shape): number => shape.reduce((n, e) => n * e, 1)
const coordinates = (shape: Shape, linear: number): Shape =>
  shape.map((_, d) => Math.floor(linear / sizeOf(shape.slice(d + 1))) % shape[d]!)
const linearIn = (shape: Shape, at: Shape): number => at.reduce((sum, i, d) => sum * shape[d]! + i, 0)
const upTo = (n: number, from = 0): ReadonlyArray<number> => Array.from({ length: n }, (_, i) => i + from)

interface Ran {
  readonly verdict: string
  readonly ids: ReadonlyArray<string>
  readonly read: (name: string) => ReadonlyArray<number>
}
const ran = (p: Program, tensors: Readonly<Record<string, ReadonlyArray<number>>>, seed = 0): Ran => {
  const algebra = bits(p.arch === 'sm90a' ? 'hopper' : 'blackwell')
  const { verdict, world, machine } = checked(
    p,
    { policy: seed === 0 ? Policy.eager : Policy.seeded(seed), strict: false },
    algebra,
    new Map(Object.entries(tensors).map(([k, v]) => [k, Float64Array.from(v)])),
  )
  return {
    verdict:
      verdict.verdict === 'ok' || verdict.verdict === 'hazard'
        ? verdict.verdict
        : `${verdict.verdict}: ${verdict.reason}`,
    ids: [...new Set(verdict.findings.map((f) => f.id))],
    read: (name) => [...readTensor(world, machine, name)!],
  }
}

const one = <R>(
  declare: () => B.Steps<R>,
  body: (r: R) => B.Steps<void>,
  arch: 'sm90a' | 'sm100a' = 'sm90a',
): E.Either<Failure, Program> => Pallas.kernel({ name: 'one', arch }, declare, body)

// ---------------------------------------------------------------- round trips

interface Trip {
  readonly x: Shape
  readonly starts: Shape
  readonly sizes: ReadonlyArray<number | null>
  readonly transforms: ReadonlyArray<Transform.Transform>
}
const tile = (...t: number[]): Transform.Transform => right(Transform.tile(t))
const swizzle = (n: number): Transform.Transform => right(Transform.swizzle(n))
const transpose = (...p: number[]): Transform.Transform => right(Transform.transpose(p))

/** x is 1, 2, 3, ...; the slice goes to SMEM, is read from there, and goes back to the same place of `back`. */
const trip = (t: Trip): E.Either<Failure, Program> =>
  one(
    function* () {
      const shape = t.sizes.flatMap((n) => (n === null ? [] : [n]))
      const x = yield* B.tensorParam('x', 'u16', t.x, { role: 'in' })
      const held = yield* B.tensorParam('held', 'u16', shape, { role: 'out' })
      const back = yield* B.tensorParam('back', 'u16', t.x, { role: 'inout' })
      const s = yield* B.sharedMemory('s', 'u16', shape, t.transforms)
      const full = yield* Pallas.Barrier('full')
      return { x, held, back, s, full }
    },
    function* ({ x, held, back, s, full }) {
      // starts that are not known when the kernel is written
      const zero = place('ctaRank')
      const starts = t.starts.map((n): Int => add(i32(n), zero))
      yield* Pallas.copyGmemToSmem('copy', Pallas.at(x, starts, t.sizes), s, full, null)
      yield* Pallas.barrierWait('wait', full, null, Pallas.freshParities)
      yield* Pallas.store('write', held.view, yield* Pallas.load('read', s))
      yield* Pallas.copySmemToGmem('copy back', s, Pallas.at(back, starts, t.sizes))
      yield* Pallas.waitSmemToGmem('wait back', 0)
    },
  )

const trips: Readonly<Record<string, Trip>> = {
  plain: { x: [16, 64], starts: [4, 0], sizes: [8, 64], transforms: [] },
  'a column': { x: [16, 128], starts: [0, 64], sizes: [16, 64], transforms: [] },
  'one dimension': { x: [512], starts: [128], sizes: [256], transforms: [] },
  'tiled and swizzled 128': {
    x: [32, 128],
    starts: [8, 64],
    sizes: [16, 64],
    transforms: [tile(8, 64), swizzle(128)],
  },
  'tiled and swizzled 64': {
    x: [32, 128],
    starts: [8, 32],
    sizes: [16, 64],
    transforms: [tile(8, 32), swizzle(64)],
  },
  'tiled and swizzled 32': {
    x: [32, 128],
    starts: [16, 16],
    sizes: [16, 32],
    transforms: [tile(8, 16), swizzle(32)],
  },
  'tiled alone': { x: [32, 64], starts: [16, 0], sizes: [16, 64], transforms: [tile(8, 16)] },
  'swizzled alone': { x: [32, 128], starts: [3, 64], sizes: [16, 64], transforms: [swizzle(128)] },
  'tiles in columns': {
    x: [32, 128],
    starts: [8, 0],
    sizes: [16, 128],
    transforms: [tile(8, 64), transpose(1, 0, 2, 3), swizzle(128)],
  },
  'leading dimensions': {
    x: [3, 16, 64],
    starts: [1, 8, 0],
    sizes: [2, 8, 64],
    transforms: [tile(8, 64), swizzle(128)],
  },
  'an integer index': {
    x: [4, 16, 64],
    starts: [3, 8, 0],
    sizes: [null, 8, 64],
    transforms: [tile(8, 64), swizzle(128)],
  },
  'an integer index inside': {
    x: [16, 4, 64],
    starts: [8, 2, 0],
    sizes: [8, null, 64],
    transforms: [tile(8, 64), swizzle(128)],
  },
  'an integer index last': { x: [64, 64, 2], starts: [0, 0, 1], sizes: [8, 64, null], transforms: [] },
  'two integer indices': {
    x: [2, 3, 16, 64],
    starts: [1, 2, 8, 0],
    sizes: [null, null, 8, 64],
    transforms: [tile(8, 64), swizzle(128)],
  },
  'more than five dimensions': {
    x: [2, 2, 2, 16, 64],
    starts: [1, 0, 1, 8, 0],
    sizes: [null, null, null, 8, 64],
    transforms: [tile(8, 64), swizzle(128)],
  },
  'six dimensions: a batch and a head, with the rows between them': {
    x: [2, 16, 3, 128],
    starts: [1, 8, 2, 0],
    sizes: [null, 8, null, 128],
    transforms: [tile(8, 64), swizzle(128)],
  },
  'six dimensions: a unit dimension and three integers': {
    x: [2, 3, 2, 1, 2, 16, 64],
    starts: [1, 0, 1, 0, 1, 8, 0],
    sizes: [null, 2, null, 1, null, 8, 64],
    transforms: [tile(8, 64), swizzle(128)],
  },
  'unit dimensions': {
    x: [1, 2, 1, 8, 64],
    starts: [0, 1, 0, 0, 0],
    sizes: [1, 1, 1, 8, 64],
    transforms: [],
  },
  'smaller than its tile': {
    x: [5, 64],
    starts: [0, 0],
    sizes: [8, 64],
    transforms: [tile(8, 64), swizzle(128)],
  },
  'beyond the end': { x: [20, 64], starts: [16, 0], sizes: [8, 64], transforms: [] },
  'beyond both ends': { x: [20, 72], starts: [-4, 64], sizes: [8, 64], transforms: [] },
  'tiles beyond the end': {
    x: [24, 64],
    starts: [16, 0],
    sizes: [16, 64],
    transforms: [tile(8, 64), swizzle(128)],
  },
}

describe('the element at index i of the slice arrives at index i of the ref, and goes back', () => {
  test.each(Object.entries(trips))('%s', (name, t) => {
    const made = trip(t)
    if (name === 'an integer index last') {
      // a column of integers would have to be gathered: its neighbours lie apart
      expect(E.isLeft(made) ? made.left.code : 'accepted').toBe('pallas.copy.last-stride')
      return
    }
    const shape = t.sizes.flatMap((n) => (n === null ? [] : [n]))
    const sources = upTo(sizeOf(shape)).map((k) => {
      const at = [...coordinates(shape, k)]
      const there = t.starts.map((start, d) => start + (t.sizes[d] === null ? 0 : at.shift()!))
      return there.every((i, d) => i >= 0 && i < t.x[d]!) ? linearIn(t.x, there) : -1
    })
    const { verdict, read } = ran(right(made), {
      x: upTo(sizeOf(t.x), 1),
      back: upTo(sizeOf(t.x)).map(() => 0),
    })
    const negative = t.starts.some((s) => s < 0)
    // a store does not start below zero
    if (negative) expect(verdict).toMatch(/^(fault|invalid)/)
    else expect(verdict).toBe('ok')
    expect(read('held')).toEqual(sources.map((p) => (p < 0 ? 0 : p + 1)))
    if (negative) return
    const reached = new Set(sources)
    expect(read('back')).toEqual(upTo(sizeOf(t.x)).map((p) => (reached.has(p) ? p + 1 : 0)))
  })
})

// ---------------------------------------------------------------- maps

describe('the address of a box is the address of its slice', () => {
  /** The slice as the copy engine takes it, from a tensor that is declared, to a ref of its shape. */
  const seen = (
    x: Shape,
    starts: Shape,
    sizes: ReadonlyArray<number | null>,
    tiling: Shape,
  ): E.Either<Failure, Seen> => {
    const shape = sizes.flatMap((n) => (n === null ? [] : [n]))
    const layout = right(Ref.ofTransforms(shape, 16, [tile(...tiling), swizzle(128)]))
    const map = B.block(function* () {
      const tensor = yield* B.tensorParam('x', 'u16', x, { role: 'in' })
      const slice = Pallas.at(tensor, starts.map(i32), sizes)
      return yield* orRefused(seenBy('copy', slice, { name: 's', dtype: 'u16', layout }))
    })
    return E.map(([a]: readonly [Seen, unknown]) => a)(map.run(emptyState))
  }
  const elements = ({ dims }: Seen): number =>
    dims.reduce((sum, { start, stride }) => sum + constantOf(start)! * stride, 0)
  /** What is left of leading dimensions, a row of tiles and a tile: all that are not of one element, the integers once. */
  const rank = (x: Shape, sizes: ReadonlyArray<number | null>): number =>
    x.slice(0, -2).filter((n, d) => n > 1 && sizes[d] !== null).length +
    Math.min(1, x.filter((n, d) => n > 1 && sizes[d] === null).length) +
    (x.at(-2)! > 8 ? 1 : 0) +
    (x.at(-1)! > 64 ? 1 : 0) +
    2
  const agree = (
    leading: ReadonlyArray<readonly [extent: number, integer: boolean]>,
    last: readonly [number, number],
  ): void => {
    const x = [...leading.map(([n]) => n), ...last]
    const sizes = [...leading.map(([, integer]) => (integer ? null : 1)), 8, 64]
    const units = [...leading.map(() => 1), 8, 64]
    const tiles = x.map((n, d) => n / units[d]!)
    for (const cell of upTo(sizeOf(tiles))) {
      const starts = coordinates(tiles, cell).map((i, d) => i * units[d]!)
      const found = seen(x, starts, sizes, [8, 64])
      const plain = x.filter((n) => n > 1).length + [last[0] > 8, last[1] > 64].filter(Boolean).length
      if (plain > 5 && rank(x, sizes) > 5) {
        expect(E.isLeft(found) ? found.left.code : 'taken').toBe('pallas.copy.rank')
        continue
      }
      const { dims } = right(found)
      expect(elements({ dims, swizzle: 128 })).toBe(linearIn(x, starts))
      // no box begins or ends outside, of no dimension more can be named than the tensor has
      expect(dims.length).toBeLessThanOrEqual(5)
      for (const { start, box, extent } of dims)
        expect(constantOf(start)! + box <= extent && constantOf(start)! >= 0).toBe(true)
      expect(dims.reduce((sum, { extent, stride }) => sum + (extent - 1) * stride, 1)).toBe(sizeOf(x))
    }
  }

  test('law 2: every index of every tensor of up to two leading dimensions of 1 to 3 (by night four)', () => {
    const all: (readonly (readonly [number, boolean])[])[] = [[]]
    const most = nightly ? 4 : 2
    for (const leading of all)
      if (leading.length < most)
        for (const n of [1, 2, 3])
          for (const integer of [true, false]) all.push([...leading, [n, integer] as const])
    for (const leading of all)
      for (const last of [
        [8, 64],
        [16, 64],
        [16, 128],
      ] as const)
        agree(leading, last)
  })

  test('law 2: larger ones, drawn', () => {
    const leading = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean()), { maxLength: 6 })
    const last = fc.tuple(fc.constantFrom(8, 16, 24), fc.constantFrom(64, 128, 192))
    fc.assert(
      fc.property(leading, last, (some, ends) => {
        fc.pre(some.reduce((n, [extent]) => n * extent, 1) <= 256)
        agree(some, ends)
      }),
      { numRuns: nightly ? 300 : 10 },
    )
  })
})

// ---------------------------------------------------------------- predicates and promises

const once = (
  options: (no: Condition) => Pallas.CopyOptions,
  rows = 0,
  known = false,
): E.Either<Failure, Program> =>
  one(
    function* () {
      const x = yield* B.tensorParam('x', 'i32', [8, 32], { role: 'in' })
      const s = yield* B.sharedMemory('s', 'i32', [4, 32])
      const full = yield* Pallas.Barrier('full')
      return { x, s, full }
    },
    function* ({ x, s, full }) {
      const start = known ? i32(rows) : add(i32(rows), place('ctaRank'))
      yield* Pallas.copyGmemToSmem(
        'copy',
        Pallas.at(x, [start, i32(0)], [4, 32]),
        s,
        full,
        null,
        options(i1(false)),
      )
      yield* Pallas.barrierWait('wait', full, null, Pallas.freshParities)
    },
  )

describe('whether a copy happens', () => {
  const verdict = (options: (no: Condition) => Pallas.CopyOptions, rows = 0): string =>
    ran(right(once(options, rows)), {}).verdict
  test('a predicate arrives all the same; a pl.when does not', () => {
    expect(verdict((no) => ({ predicate: no }))).toBe('ok')
    expect(verdict((no) => ({ when: no }))).toMatch(/^deadlock/)
  })
  test('a promise is kept, or the program traps; no promise, no trap; nothing is promised of what is not copied', () => {
    for (const rows of [-1, 0, 4, 5]) {
      const inside = rows >= 0 && rows + 4 <= 8
      const found = verdict(() => ({ oobMode: 'PROMISE_IN_BOUNDS' }), rows)
      if (inside) expect([rows, found]).toEqual([rows, 'ok'])
      else expect([rows, found]).not.toEqual([rows, 'ok'])
      expect(verdict(() => ({ oobMode: 'ZEROS' }), rows)).toBe('ok')
      expect(verdict(() => ({ oobMode: 'UNDEFINED' }), rows)).toBe('ok')
      expect(verdict((no) => ({ oobMode: 'PROMISE_IN_BOUNDS', predicate: no }), rows)).toBe('ok')
    }
  })
})

describe('a promise about a start that is known', () => {
  test('is checked at once: refused, or no trap', () => {
    for (const rows of [-1, 0, 4, 5]) {
      const made = once(() => ({ oobMode: 'PROMISE_IN_BOUNDS' }), rows, true)
      const inside = rows >= 0 && rows + 4 <= 8
      expect([rows, E.isLeft(made) ? made.left.code : 'accepted']).toEqual([
        rows,
        inside ? 'accepted' : 'pallas.copy.promise',
      ])
      if (E.isRight(made)) expect(labels(made.right)).not.toContain('copy.promise')
    }
    expect(labels(right(once(() => ({ oobMode: 'PROMISE_IN_BOUNDS' }))))).toContain('copy.promise')
  })
})

// ---------------------------------------------------------------- rows

describe('rows', () => {
  const gathered = (
    rows: ReadonlyArray<number>,
    columns: number,
    transforms: ReadonlyArray<Transform.Transform>,
    start: number,
    direction: 'gather' | 'scatter',
  ): Program =>
    right(
      one(
        function* () {
          const idx = yield* B.tensorParam('rows', 'u32', [rows.length], { role: 'in' })
          const x = yield* B.tensorParam(
            'x',
            'u16',
            direction === 'gather' ? [40, 256] : [rows.length, columns],
            {
              role: 'in',
            },
          )
          const out = yield* B.tensorParam(
            'out',
            'u16',
            direction === 'gather' ? [rows.length, columns] : [40, 256],
            {
              role: 'inout',
            },
          )
          const s = yield* B.sharedMemory('s', 'u16', [rows.length, columns], transforms)
          const full = yield* Pallas.Barrier('full')
          return { idx, x, out, s, full }
        },
        function* ({ idx, x, out, s, full }) {
          const named = yield* Pallas.load('rows', idx.view, { layout: TMA_INDICES_4 })
          const plain = (t: B.Tensor<'u16', 2>): Pallas.GmemSlice<'u16', 2> =>
            Pallas.at(t, [i32(0), i32(0)], [rows.length, columns])
          const from = direction === 'gather' ? Pallas.rowsAt(x, named, i32(start), columns) : plain(x)
          yield* Pallas.copyGmemToSmem('copy', from, s, full, null)
          yield* Pallas.barrierWait('wait', full, null, Pallas.freshParities)
          const to = direction === 'gather' ? plain(out) : Pallas.rowsAt(out, named, i32(start), columns)
          yield* Pallas.copySmemToGmem('copy out', s, to)
          yield* Pallas.waitSmemToGmem('wait out', 0)
        },
        'sm100a',
      ),
    )
  const kinds: ReadonlyArray<readonly [number, ReadonlyArray<Transform.Transform>]> = [
    [64, []],
    [64, [tile(8, 64), swizzle(128)]],
    [128, [tile(8, 64), swizzle(128)]],
    [128, [tile(8, 32), swizzle(64)]],
    [64, [swizzle(128)]],
  ]
  test('gathered rows are the rows that are named, zeros for those that there are not', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc
          .integer({ min: 1, max: 3 })
          .chain((k) => fc.array(fc.nat(44), { minLength: 8 * k, maxLength: 8 * k })),
        fc.constantFrom(0, 64),
        ([columns, transforms], rows, start) => {
          const { verdict, read } = ran(gathered(rows, columns, transforms, start, 'gather'), {
            rows,
            x: upTo(40 * 256, 1),
            out: upTo(rows.length * columns).map(() => 0),
          })
          expect(verdict).toBe('ok')
          expect(read('out')).toEqual(
            rows.flatMap((r) => upTo(columns).map((c) => (r < 40 ? 1 + r * 256 + start + c : 0))),
          )
        },
      ),
      { numRuns: nightly ? 100 : 6 },
    )
  })
  test('scattered rows go to the rows that are named, and nowhere for those that there are not', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.uniqueArray(fc.nat(44), { minLength: 16, maxLength: 16 }),
        ([columns, transforms], rows) => {
          const { verdict, read } = ran(gathered(rows, columns, transforms, 64, 'scatter'), {
            rows,
            x: upTo(16 * columns, 1),
            out: upTo(40 * 256).map(() => 0),
          })
          expect(verdict).toBe('ok')
          const expected = upTo(40 * 256).map(() => 0)
          rows.forEach((r, k) => {
            if (r < 40) for (let c = 0; c < columns; c++) expected[r * 256 + 64 + c] = 1 + k * columns + c
          })
          expect(read('out')).toEqual(expected)
        },
      ),
      { numRuns: nightly ? 100 : 4 },
    )
  })
})

// ---------------------------------------------------------------- reductions

/** The reference's table, with the sign that each name gives its integers. */
const table: Readonly<Record<ReductionOp, ReadonlyArray<Dtype>>> = {
  add: ['f16', 'bf16', 'f32', 'i32', 'u32', 'u64'],
  min: ['f16', 'bf16'],
  max: ['f16', 'bf16'],
  umin: ['u32', 'u64'],
  umax: ['u32', 'u64'],
  smin: ['i32', 'i64'],
  smax: ['i32', 'i64'],
  and: ['i32', 'u32', 'i64', 'u64'],
  or: ['i32', 'u32', 'i64', 'u64'],
  xor: ['i32', 'u32', 'i64', 'u64'],
  inc: ['u32'],
  dec: ['u32'],
}
const meaning: Readonly<Record<ReductionOp, (old: number, by: number) => number>> = {
  add: (x, y) => x + y,
  min: Math.min,
  max: Math.max,
  umin: Math.min,
  umax: Math.max,
  smin: Math.min,
  smax: Math.max,
  and: (x, y) => Number(BigInt(x) & BigInt(y)),
  or: (x, y) => Number(BigInt(x) | BigInt(y)),
  xor: (x, y) => Number(BigInt(x) ^ BigInt(y)),
  inc: (x, y) => (x >= y ? 0 : x + 1),
  dec: (x, y) => (x === 0 || x > y ? y : x - 1),
}
const reducing = (op: ReductionOp, dtype: Dtype): E.Either<Failure, Program> =>
  one(
    function* () {
      const x = yield* B.tensorParam<Dtype, Shape>('x', dtype, [2, 32], { role: 'in' })
      const out = yield* B.tensorParam<Dtype, Shape>('out', dtype, [2, 32], { role: 'inout' })
      const s = yield* B.sharedMemory<Dtype, Shape>('s', dtype, [2, 32])
      const full = yield* Pallas.Barrier('full')
      return { x, out, s, full }
    },
    function* ({ x, out, s, full }) {
      yield* Pallas.copyGmemToSmem('copy', Pallas.at(x, [i32(0), i32(0)], [2, 32]), s, full, null)
      yield* Pallas.barrierWait('wait', full, null, Pallas.freshParities)
      yield* Pallas.copySmemToGmem('copy out', s, Pallas.at(out, [i32(0), i32(0)], [2, 32]), {
        reductionOp: op,
      })
      yield* Pallas.waitSmemToGmem('wait out', 0)
    },
  )

describe('reductions', () => {
  const ops = Object.keys(table).filter((op): op is ReductionOp => op in table)
  test.each(ops)('%s: of the dtypes of the table and no others, and what it says', (op) => {
    for (const dtype of dtypes) {
      const made = reducing(op, dtype)
      expect(reductionDtypes(op).includes(dtype)).toBe(table[op].includes(dtype))
      if (!table[op].includes(dtype)) {
        // narrow ones are refused for their bytes first
        expect(E.isLeft(made) ? made.left.code : dtype).toMatch(
          /^pallas\.copy\.(reduction|last-dim|stride|bytes|sub-byte)$/,
        )
        continue
      }
      const by = upTo(64).map((i) => (i * 7) % 50)
      const old = upTo(64).map((i) => (i * 11) % 40)
      const algebra = bits('hopper')
      const carrier = (n: number): number => (isFloat(dtype) ? algebra.constant(dtype, n) : n)
      const { verdict, read } = ran(right(made), { x: by.map(carrier), out: old.map(carrier) })
      expect([dtype, verdict]).toEqual([dtype, 'ok'])
      expect([dtype, read('out')]).toEqual([dtype, old.map((x, i) => carrier(meaning[op](x, by[i]!)))])
    }
  })
})

// ---------------------------------------------------------------- groups

describe('groups', () => {
  /** Three copies of three refs; which commit; then a wait; then ref `k` is overwritten. */
  const grouped = (commits: ReadonlyArray<boolean>, n: number, readOnly: boolean, k: number): Program =>
    right(
      one(
        function* () {
          const s = yield* B.sequence(
            [0, 1, 2].map((i) => B.sharedMemory(`s${String(i)}`, 'i32', [1, 32] as const)),
          )
          const out = yield* B.tensorParam('out', 'i32', [3, 32], { role: 'inout' })
          return { s, out }
        },
        function* ({ s, out }) {
          const all = (x: number): Tile<'i32', 2> => splat<'i32', 2>(i32(x), [1, 32])
          for (const [i, ref] of s.entries()) yield* Pallas.store(`fill ${String(i)}`, ref, all(i))
          yield* Pallas.commitSmem('commit')
          for (const [i, ref] of s.entries())
            yield* Pallas.copySmemToGmem(
              `copy ${String(i)}`,
              ref,
              Pallas.at(out, [i32(i), i32(0)], [1, 32]),
              {
                commitGroup: commits[i]!,
              },
            )
          yield* Pallas.waitSmemToGmem('wait', n, readOnly)
          yield* Pallas.store('overwrite', s[k]!, all(9))
          yield* Pallas.commitSmemToGmemGroup('rest')
          yield* Pallas.waitSmemToGmem('end', 0)
        },
      ),
    )
  test('a ref may be overwritten iff its group is closed and none of the n newest', () => {
    for (let mask = 0; mask < 8; mask += nightly ? 1 : 3) {
      const commits = [0, 1, 2].map((i) => ((mask >> i) & 1) === 1)
      const closed = commits.filter(Boolean).length
      // the group of copy i: how many were closed before it
      const groupOf = (i: number): number => commits.slice(0, i).filter(Boolean).length
      for (let n = 0; n < 3; n++)
        for (let k = 0; k < 3; k++)
          for (const readOnly of nightly ? [false, true] : [(mask + n + k) % 2 === 0]) {
            const safe = groupOf(k) < closed - n
            const { verdict } = ran(grouped(commits, n, readOnly, k), { out: upTo(96).map(() => 0) })
            expect([commits, n, k, verdict]).toEqual([commits, n, k, safe ? 'ok' : 'hazard'])
          }
    }
  })
})

describe('commit_smem', () => {
  /** Every warp stores its rows; then warp 0 copies the whole. There are no automatic barriers. */
  const committed = (commit: B.Build<void>): Program =>
    right(
      B.kernel(
        { name: 'committed', arch: 'sm90a', agents: Pallas.threadAgents('t', 0, 'its warps') },
        function* () {
          const x = yield* B.tensorParam('x', 'f16', [64, 64], { role: 'in' })
          const out = yield* B.tensorParam('out', 'f16', [64, 64], { role: 'out' })
          const s = yield* B.sharedMemory('s', 'f16', [64, 64])
          const body = function* (thread: Pallas.Thread): B.Steps<void> {
            const rows = [mul(mod(place('agent'), i32(4)), i32(16)), i32(0)]
            const v = yield* Pallas.load('v', slice(x.view, rows, [16, 64]))
            yield* Pallas.store('store', slice(s, rows, [16, 64]), v)
            yield* commit
            yield* Pallas.warpMap('copy', thread, {}, function* (w) {
              if (w !== 0) return
              yield* Pallas.copySmemToGmem('copy out', s, Pallas.at(out, [i32(0), i32(0)], [64, 64]))
              yield* Pallas.waitSmemToGmem('wait out', 0)
            })
          }
          yield* Pallas.threads([], [{ name: 't', body }], { warps: 'agents', unsafeNoAutoBarriers: true })
        },
      ),
    )
  /** The thread stores, its first warp copies; what stands before the store and behind it. */
  const around = (
    warps: Pallas.Warps,
    auto: boolean,
    before: B.Build<void> | null,
    behind: B.Build<void> | null,
  ): Program =>
    right(
      B.kernel(
        {
          name: 'around',
          arch: 'sm90a',
          agents: Pallas.threadAgents('t', 0, warps === 'agents' ? 'its warps' : 'one and its warps'),
        },
        function* () {
          const x = yield* B.tensorParam('x', 'f16', [64, 64], { role: 'in' })
          const out = yield* B.tensorParam('out', 'f16', [64, 64], { role: 'out' })
          const s = yield* B.sharedMemory('s', 'f16', [64, 64])
          const body = function* (thread: Pallas.Thread): B.Steps<void> {
            const first = warps === 'agents' ? mul(mod(place('agent'), i32(4)), i32(16)) : i32(0)
            const mine = [warps === 'agents' ? 16 : 64, 64]
            const v = yield* Pallas.load('v', slice(x.view, [first, i32(0)], mine))
            if (before !== null) yield* before
            yield* Pallas.store('store', slice(s, [first, i32(0)], mine), v)
            if (behind !== null) yield* behind
            yield* Pallas.warpMap('copy', thread, {}, function* (w) {
              if (w !== 0) return
              yield* Pallas.copySmemToGmem('copy out', s, Pallas.at(out, [i32(0), i32(0)], [64, 64]))
              yield* Pallas.waitSmemToGmem('wait out', 0)
            })
          }
          yield* Pallas.threads([], [{ name: 't', body }], { warps, unsafeNoAutoBarriers: !auto })
        },
      ),
    )
  const commit = Pallas.commitSmem('commit')
  const meet = B.run('meet', { _tag: 'bar.sync', id: 1, count: 128 })
  test.each<readonly [Pallas.Warps, boolean]>([
    ['together', true],
    ['together', false],
    ['agents', true],
  ])(
    'before the store is the wrong side (P2), without one there is none (P1): %s, barriers %s',
    (warps, auto) => {
      const ids = (before: B.Build<void> | null, behind: B.Build<void> | null): ReadonlyArray<string> => {
        const v = ran(around(warps, auto, before, behind), { x: upTo(4096) })
        return [v.verdict, ...v.ids]
      }
      expect(ids(null, commit)).toEqual(['ok'])
      expect(ids(commit, null)).toEqual(['hazard', 'P2'])
      expect(ids(commit, meet)).toEqual(['hazard', 'P2'])
      expect(ids(null, meet)).toEqual(['hazard', 'P1'])
    },
  )
  test('holds the warps of a thread together: a fence alone does not', () => {
    const x = { x: upTo(4096) }
    expect(ran(committed(Pallas.commitSmem('commit')), x).verdict).toBe('ok')
    expect(ran(committed(B.run('commit', { _tag: 'fence.proxyAsync', scope: 'cta' })), x).verdict).toBe(
      'hazard',
    )
  })
})

describe('a thread whose warps are agents', () => {
  test('copies once: one arrival, one copy, and all of its warps know', () => {
    for (const unsafeNoAutoBarriers of [false, true]) {
      const p = right(
        B.kernel(
          { name: 'warps', arch: 'sm90a', agents: Pallas.threadAgents('t', 0, 'its warps') },
          function* () {
            const x = yield* B.tensorParam('x', 'i32', [8, 32], { role: 'in' })
            const out = yield* B.tensorParam('out', 'i32', [8, 32], { role: 'inout' })
            const s = yield* B.sharedMemory('s', 'i32', [8, 32])
            const full = yield* Pallas.Barrier('full')
            const whole = (t: B.Tensor<'i32', 2>): Pallas.GmemSlice<'i32', 2> =>
              Pallas.at(t, [i32(0), i32(0)], [8, 32])
            const body = function* (): B.Steps<void> {
              const rows = [mul(mod(place('agent'), i32(4)), i32(2)), i32(0)]
              yield* Pallas.copyGmemToSmem('copy', whole(x), s, full, null)
              yield* Pallas.barrierWait('wait', full, null, Pallas.freshParities)
              // every warp adds 1 to its rows
              const v = yield* Pallas.load('v', slice(s, rows, [2, 32]))
              yield* Pallas.store('store', slice(s, rows, [2, 32]), add(v, splat(i32(1), [2, 32])))
              yield* Pallas.commitSmem('commit')
              yield* Pallas.copySmemToGmem('copy out', s, whole(out), { reductionOp: 'add' })
              yield* Pallas.waitSmemToGmem('wait out', 0)
              yield* Pallas.store('again', slice(s, rows, [2, 32]), v)
            }
            yield* Pallas.threads([full], [{ name: 't', body }], { warps: 'agents', unsafeNoAutoBarriers })
          },
        ),
      )
      const { verdict, ids, read } = ran(p, { x: upTo(256), out: upTo(256).map(() => 1000) })
      expect([verdict, ids]).toEqual(['ok', []])
      expect(read('out')).toEqual(upTo(256, 1001))
    }
  })
})

// ---------------------------------------------------------------- prefetches

describe('prefetches', () => {
  test('blocks prefetch a part each; alone, the whole', () => {
    for (const [blocks, box] of [
      [1, [8, 32]],
      [2, [4, 32]],
      [4, [2, 32]],
    ] as const) {
      const p = right(
        Pallas.kernel(
          { name: 'prefetch', arch: 'sm90a', cluster: [blocks], clusterNames: ['c'] },
          () => B.tensorParam('x', 'f32', [8, 32], { role: 'in' }),
          function* (x) {
            const whole = Pallas.at(x, [i32(0), i32(0)], [8, 32])
            yield* Pallas.asyncPrefetch('prefetch', whole, { collectiveAxes: 'c' })
          },
        ),
      )
      expect(p.params.flatMap((q) => (q._tag === 'descriptor' ? [q.box] : []))).toEqual([box])
      expect(ran(p, {}).verdict).toBe('ok')
    }
  })
})

// ---------------------------------------------------------------- peers

describe('asynchronous stores', () => {
  test('are stores into the cluster ref, for whoever waited; who did not wait reads what may not be there', () => {
    const sent = (how: 'async' | 'plain' | 'nobody waits'): Ran => {
      const p = right(
        Pallas.kernel(
          { name: 'sent', arch: 'sm90a', cluster: [2, 2], clusterNames: ['x', 'y'] },
          function* () {
            const out = yield* B.tensorParam('out', 'f32', [16, 32], { role: 'out' })
            const s = yield* B.sharedMemory('s', 'f32', [4, 32])
            const full = yield* Pallas.Barrier('full')
            return { out, s, full }
          },
          function* ({ out, s, full }) {
            const x = yield* Pallas.axisIndex('x')
            const y = yield* Pallas.axisIndex('y')
            const i = yield* Pallas.broadcastedIota<'f32', 2>('i', 'f32', [4, 32], 0)
            const to = sub(i32(1), x)
            if (how === 'plain') {
              yield* Pallas.store('send', yield* Pallas.clusterRef('peer', s, { x: to, y }), i)
              yield* B.run('sent.arrive', { _tag: 'cluster.arrive', relaxed: false })
              yield* B.run('sent', { _tag: 'cluster.wait' })
            } else {
              yield* Pallas.asyncStoreSmem('send', i, s, full, null, { clusterDim: 'x', clusterIdx: to })
              if (how === 'async') yield* Pallas.barrierWait('wait', full, null, Pallas.freshParities)
            }
            const v = yield* Pallas.load('read', s)
            yield* Pallas.store('write', slice(out.view, [mul(place('ctaRank'), i32(4)), i32(0)], [4, 32]), v)
            yield* B.run('end.arrive', { _tag: 'cluster.arrive', relaxed: false })
            yield* B.run('end', { _tag: 'cluster.wait' })
          },
        ),
      )
      return ran(p, {})
    }
    const [a, b] = [sent('async'), sent('plain')]
    expect([a.verdict, b.verdict]).toEqual(['ok', 'ok'])
    expect(a.read('out')).toEqual(b.read('out'))
    expect(a.read('out')).toEqual(
      upTo(512).map((p) => bits('hopper').constant('f32', Math.floor(p / 32) % 4)),
    )
    expect(sent('nobody waits').verdict).not.toBe('ok')
  })
})

// ---------------------------------------------------------------- layouts

/** The reference's list of casts: from, to, for elements of so many bits; both ways unless said. */
const casts: ReadonlyArray<readonly [from: string, to: string, bits: ReadonlyArray<number>, both: boolean]> =
  [
    ['WGMMA', 'WGMMA_TRANSPOSED', [16, 32], true],
    ['TCGEN05', 'TCGEN05_TRANSPOSED', [16, 32], true],
    ['WGMMA_UPCAST_4X', 'WGMMA_UPCAST_2X', [4], false],
    ['WGMMA_UPCAST_2X', 'WGMMA', [4, 8, 16], false],
    ['WGMMA_UPCAST_4X', 'WGMMA', [4], false],
    ['WGMMA', 'WGMMA_ACC_32BIT', [4, 8, 16, 32], true],
    ['TMEM_NATIVE(2)', 'TMEM_NATIVE(4)', [4, 8, 16, 32], true],
  ]

describe('layout_cast', () => {
  test('every pair of named layouts of an array (128, 64): legal as the reference lists, and no element changes', () => {
    const named = [...families.map((f) => f.example), 'TMEM_NATIVE'].flatMap((text) => {
      const l = parseName(text)
      return E.isRight(l) &&
        l.right._tag === 'tiled' &&
        l.right.tiling[0]!.length === 2 &&
        128 % l.right.tiling[0]![0]! === 0
        ? [l.right]
        : []
    })
    expect(named.length).toBeGreaterThan(12)
    const lists = (a: string, b: string, width: number): boolean =>
      a === b ||
      casts.some(
        ([from, to, widths, both]) =>
          widths.includes(width) && ((from === a && to === b) || (both && from === b && to === a)),
      )
    const element = { 32: 'f32', 16: 'f16', 8: 'e4m3', 4: 'e2m1' } as const
    const widths = [4, 8, 16, 32] as const
    let turn = 0
    for (const from of named)
      for (const to of named)
        // by day one width of a pair, each in turn
        for (const width of nightly ? widths : [widths[turn++ % 4]!]) {
          const made = B.draft({ name: 'cast', arch: 'sm90a', agents: [B.warpgroup('t', 0)] }, function* () {
            const x = splat(float(element[width], 1), [128, 64], from)
            yield* Pallas.layoutCast('cast', x, to)
          })
          const [a, b] = [nameOf(from) ?? '?', nameOf(to) ?? '?']
          expect([a, b, width, E.isRight(made)]).toEqual([a, b, width, lists(a, b, width)])
        }
  })
})
