/**
 * Loops over grids: `planar_snake`, `nd_loop`, and the swizzles and transforms of `transforms.ts`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { addResidues, bits, elementOf, field, mulResidues, unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { emptyState } from '../../../src/semantics/writing/builder/state.js'
import {
  add,
  cast,
  i32,
  mul,
  reshapeView,
  slice,
  slot,
  splat,
  sub,
  type Int,
  type View,
} from '../../../src/semantics/language/expression.js'
import { launch, noArguments, readTensor } from '../../../src/semantics/execution/launch.js'
import { evaluate } from '../../../src/semantics/machine/evaluate.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { physicalShape, transpose } from '../../../src/transforms/transform.js'
import { checked } from './programs.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

const upTo = (n: number, from: number = 1): ReadonlyArray<number> =>
  Array.from({ length: n - from + 1 }, (_, i) => i + from)

// ---------------------------------------------------------------- planar_snake

type Shape = readonly [number, number]

/** The walk as a walk: tile after tile, along and back. Which step comes to which place. */
const walked = ([m, n]: Shape, minorDim: 0 | 1, width: number): ReadonlyArray<Shape> => {
  const [minor, major] = minorDim === 0 ? [m, n] : [n, m]
  const places: Shape[] = []
  for (let start = 0, tile = 0; start < minor; start += width, tile++) {
    const along = upTo(major - 1, 0)
    for (const q of tile % 2 === 0 ? along : [...along].reverse())
      for (let w = start; w < Math.min(minor, start + width); w++)
        places.push(minorDim === 0 ? [w, q] : [q, w])
  }
  return places
}
const steps = ([m, n]: Shape): ReadonlyArray<number> => upTo(m * n - 1, 0)
const snake = (shape: Shape, minorDim: 0 | 1, width: number): ReadonlyArray<Shape> =>
  steps(shape).map((s) => right(Pallas.planarSnakeOf(s, shape, minorDim, width)))
/** The step that comes to each place, row by row. */
const table = ([m, n]: Shape, places: ReadonlyArray<Shape>): ReadonlyArray<ReadonlyArray<number>> =>
  upTo(m - 1, 0).map((i) => upTo(n - 1, 0).map((j) => places.findIndex(([a, b]) => a === i && b === j)))

const shapes: ReadonlyArray<readonly [Shape, 0 | 1, number]> = upTo(5).flatMap((m) =>
  upTo(5).flatMap((n) =>
    ([0, 1] as const).flatMap((minor) => upTo(6).map((width) => [[m, n] as const, minor, width] as const)),
  ),
)

describe('planar_snake', () => {
  test('the tables of the reference', () => {
    const of = (shape: Shape, minor: 0 | 1, width: number): unknown =>
      table(shape, snake(shape, minor, width))
    expect(of([5, 5], 0, 3)).toEqual([
      [0, 3, 6, 9, 12],
      [1, 4, 7, 10, 13],
      [2, 5, 8, 11, 14],
      [23, 21, 19, 17, 15],
      [24, 22, 20, 18, 16],
    ])
    expect(of([5, 5], 1, 3)).toEqual([
      [0, 1, 2, 23, 24],
      [3, 4, 5, 21, 22],
      [6, 7, 8, 19, 20],
      [9, 10, 11, 17, 18],
      [12, 13, 14, 15, 16],
    ])
    const down = (from: number): ReadonlyArray<number> => upTo(7, 0).map((i) => from - 2 * i)
    const rows = of([8, 8], 0, 2)
    expect(rows).toEqual([
      ...[0, 1].map((r) => upTo(7, 0).map((i) => r + 2 * i)),
      ...[30, 31].map(down),
      ...[32, 33].map((r) => upTo(7, 0).map((i) => r + 2 * i)),
      ...[62, 63].map(down),
    ])
  })
  test('laws 1 and 3: the walk itself, for all shapes up to 5 x 5, both dimensions and all widths', () => {
    for (const [shape, minor, width] of shapes) {
      const places = snake(shape, minor, width)
      expect(places).toEqual(walked(shape, minor, width))
      expect(new Set(places.map(String)).size).toBe(shape[0] * shape[1])
      for (const [k, [i, j]] of places.slice(1).entries()) {
        const [a, b] = places[k]!
        const [alongMinor, alongMajor] = minor === 0 ? [i - a, j - b] : [j - b, i - a]
        expect(Math.abs(alongMajor)).toBeLessThanOrEqual(1)
        expect(Math.abs(alongMinor)).toBeLessThanOrEqual(Math.max(1, width))
      }
    }
  })
  test('law 2: the expression has the value of the number, for the same shapes', () => {
    const { world } = right(launch(nothing, unit, noArguments))
    const value = (e: Int): unknown => evaluate(world, { agent: 0, cta: 0, place: 0, cluster: 0 }, [], e)
    for (const [shape, minor, width] of shapes)
      for (const [s, place] of walked(shape, minor, width).entries()) {
        const [[i, j]] = right(Pallas.planarSnake(i32(s), shape, minor, width).run(emptyState))
        expect([value(i), value(j)]).toEqual(place)
      }
  })
})

const nothing: Program = right(
  B.kernel({ name: 'nothing', arch: 'sm90a', agents: [B.warpgroup('t', 0)] }, function* () {}),
)

// ---------------------------------------------------------------- nd_loop

interface Loop {
  readonly grid: ReadonlyArray<number>
  readonly axes: ReadonlyArray<number>
  readonly tiling?: ReadonlyArray<number>
  readonly snake?: number
}

const lanes = 32

/**
 * Every program walks its part of the grid: out[place] = x[place] + c, and c is carried on as c * z + x[place]; last[program] = c.
 * count[program] holds the steps as they are counted and as they are foretold.
 */
const looping = ({ grid, axes, tiling, snake: width }: Loop): Program =>
  right(
    Pallas.kernel(
      {
        name: 'looping',
        arch: 'sm90a',
        grid: axes,
        gridNames: axes.map((_, d) => `p${String(d)}`),
      },
      function* () {
        const x = yield* B.tensorParam('x', 'f32', [...grid, lanes], { role: 'in' })
        const z = yield* B.tensorParam('z', 'f32', [lanes], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f32', [...grid, lanes], { role: 'out' })
        const last = yield* B.tensorParam('last', 'f32', [...axes, lanes], { role: 'out' })
        const count = yield* B.tensorParam('count', 'i32', [...axes, 2], { role: 'out' })
        return { x, z, out, last, count }
      },
      function* ({ x, z, out, last, count }) {
        const names = axes.map((_, d) => `p${String(d)}`)
        const place: Int[] = []
        for (const n of names) place.push(yield* Pallas.axisIndex(n))
        const at = <D extends 'f32' | 'i32'>(t: B.Tensor<D>, index: ReadonlyArray<Int>): View<'gmem', D, 1> =>
          reshapeView<1, 'gmem', D>(
            index.reduce<View<'gmem', D>>((v, i) => slot(v, i), t.view),
            [t === count ? 2 : lanes],
          )
        const zs = yield* B.gmemLoad('z', z.view)
        const { c, n } = yield* Pallas.ndLoop(
          'loop',
          {
            grid: width === undefined ? grid : [grid[0]! * grid[1]!],
            collectiveAxes: names,
            ...(tiling === undefined ? {} : { tiling }),
          },
          { c: splat<'f32', 1>(cast(i32(1), 'f32'), [lanes]), n: i32(0) },
          function* ({ index, localIndex, numLocalSteps }, carried) {
            const where =
              width === undefined
                ? index
                : yield* Pallas.planarSnake(index[0]!, [grid[0]!, grid[1]!], 0, width)
            const v = yield* B.gmemLoad('v', at(x, where))
            yield* B.run('out', { _tag: 'gmem.store', destination: at(out, where), value: add(v, carried.c) })
            yield* B.run('foretold', {
              _tag: 'gmem.store',
              destination: slice(at(count, place), [i32(1)], [1]),
              value: splat<'i32', 1>(sub(numLocalSteps!, localIndex), [1]),
            })
            return { c: add(mul(carried.c, zs), v), n: add(carried.n, i32(1)) }
          },
        )
        yield* B.run('last', { _tag: 'gmem.store', destination: at(last, place), value: c })
        yield* B.run('count', {
          _tag: 'gmem.store',
          destination: slice(at(count, place), [i32(0)], [1]),
          value: splat<'i32', 1>(n, [1]),
        })
      },
    ),
  )

/** The places of a grid in the order of the loop: tile after tile, row by row. */
const ordered = (grid: ReadonlyArray<number>, tiling: ReadonlyArray<number> | undefined): number[][] => {
  const rows = (shape: ReadonlyArray<number>): number[][] =>
    shape.reduce<number[][]>((all, n) => all.flatMap((p) => upTo(n - 1, 0).map((i) => [...p, i])), [[]])
  if (tiling === undefined) return rows(grid)
  return rows(grid.map((n, d) => n / tiling[d]!)).flatMap((tile) =>
    rows(tiling).map((within) => within.map((i, d) => tile[d]! * tiling[d]! + i)),
  )
}

const seed = 7
const input = (number: number, count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => elementOf(seed, number, i))

/** The same as a plain loop, and what the machine gives. */
const compared = (l: Loop): void => {
  const size = (shape: ReadonlyArray<number>): number => shape.reduce((n, e) => n * e, 1)
  const [G, P] = [size(l.grid), size(l.axes)]
  const [x, z] = [input(0, G * lanes), input(1, lanes)]
  const out = new Float64Array(G * lanes)
  const last = new Float64Array(P * lanes)
  const count: number[] = []
  const places =
    l.snake === undefined ? ordered(l.grid, l.tiling) : walked([l.grid[0]!, l.grid[1]!], 0, l.snake)
  for (let p = 0; p < P; p++) {
    let c = new Float64Array(lanes).fill(1)
    const own = places.filter((_, k) => k % P === p)
    for (const place of own) {
      const from = place.reduce((k, i, d) => k * l.grid[d]! + i, 0) * lanes
      for (let e = 0; e < lanes; e++) out[from + e] = addResidues(x[from + e]!, c[e]!)
      c = c.map((v, e) => addResidues(mulResidues(v, z[e]!), x[from + e]!))
    }
    last.set(c, p * lanes)
    // at the last step one step is left; without any nothing is written
    count.push(own.length, own.length === 0 ? NaN : 1)
  }
  const tensors = new Map([
    ['x', x],
    ['z', z],
  ])
  const run = checked(looping(l), { explain: false }, field(seed), tensors)
  expect([l, run.verdict.findings.filter((f) => f.id !== 'O1')]).toEqual([l, []])
  const read = (name: string): unknown => readTensor(run.world, run.machine, name)
  expect([l, read('out')]).toEqual([l, out])
  expect([l, read('last')]).toEqual([l, last])
  expect([l, [...(readTensor(run.world, run.machine, 'count') ?? [])]]).toEqual([l, count])
  if (P <= G) expect([l, run.verdict.verdict, run.verdict.decidedBy]).toEqual([l, 'ok', 'one-schedule'])
}

const divisors = (n: number): ReadonlyArray<number> => upTo(n).filter((d) => n % d === 0)
const grids = upTo(5).flatMap((a) => upTo(5).flatMap((b) => upTo(3).map((c) => [a, b, c] as const)))
const sweep: ReadonlyArray<Loop> = grids.flatMap((grid): ReadonlyArray<Loop> => [
  ...upTo(4).map((P) => ({ grid, axes: [P] })),
  { grid, axes: [2, 3] },
  ...divisors(grid[0]).flatMap((s) =>
    divisors(grid[1]).flatMap((t) => divisors(grid[2]).map((u) => ({ grid, axes: [3], tiling: [s, t, u] }))),
  ),
  ...(grid[2] === 1
    ? upTo(3).map((snakeWidth) => ({ grid: [grid[0], grid[1]], axes: [2], snake: snakeWidth }))
    : []),
])
const slim: ReadonlyArray<Loop> = [
  { grid: [2, 3], axes: [4] },
  { grid: [5, 5, 3], axes: [1] },
  { grid: [3, 2, 2], axes: [2, 3] },
  { grid: [4, 4, 1], axes: [3], tiling: [2, 2, 1] },
  { grid: [4, 3, 2], axes: [2], tiling: [2, 3, 1] },
  { grid: [1], axes: [3] },
  { grid: [5, 4], axes: [3], snake: 2 },
]

describe('nd_loop', () => {
  test('the table of the reference: grid (2, 3), four programs', () => {
    const of = (p: number): unknown => ordered([2, 3], undefined).filter((_, k) => k % 4 === p)
    expect([0, 1, 2, 3].map(of)).toEqual([
      [
        [0, 0],
        [1, 1],
      ],
      [
        [0, 1],
        [1, 2],
      ],
      [[0, 2]],
      [[1, 0]],
    ])
    compared({ grid: [2, 3], axes: [4] })
  })
  test('laws 1 to 3: its plain loop, over the field', () => {
    for (const l of slim) compared(l)
  })
  test.runIf(nightly)(
    'the same for all grids up to (5, 5, 3), 1 to 4 programs, two axes, all tilings, snakes',
    () => {
      for (const l of sweep) compared(l)
    },
    3_600_000,
  )
})

// ---------------------------------------------------------------- dynamic_scheduling_loop

interface Dynamic {
  readonly grid: ReadonlyArray<number>
  readonly cluster: ReadonlyArray<number>
  readonly threads: number
  /** each axis of the cluster a dimension of its own (default: all are one) */
  readonly apart?: boolean
}
const gridNames = (d: Dynamic): ReadonlyArray<string> => d.grid.map((_, k) => `g${String(k)}`)
const clusterNames = (d: Dynamic): ReadonlyArray<string> => d.cluster.map((_, k) => `c${String(k)}`)

/** Every thread adds 1 to its part of its block's part of the place; sum[block] counts the places of its cluster. */
const dynamic = (d: Dynamic): Program =>
  right(
    Pallas.kernel(
      {
        name: 'dynamic',
        arch: 'sm100a',
        grid: d.grid,
        gridNames: gridNames(d),
        cluster: d.cluster,
        clusterNames: clusterNames(d),
        numThreads: d.threads,
        threadName: 'wg',
      },
      function* () {
        const shape = [...d.grid, ...d.cluster, d.threads, lanes]
        const x = yield* B.tensorParam('x', 'i32', shape, { role: 'in' })
        const out = yield* B.tensorParam('out', 'i32', shape, { role: 'out' })
        return { x, out }
      },
      function* ({ x, out }) {
        const own: Int[] = []
        for (const n of [...clusterNames(d), 'wg']) own.push(yield* Pallas.axisIndex(n))
        const row = (t: B.Tensor<'i32'>, place: ReadonlyArray<Int>): View<'gmem', 'i32', 1> =>
          reshapeView<1, 'gmem', 'i32'>(
            [...place, ...own].reduce<View<'gmem', 'i32'>>((v, i) => slot(v, i), t.view),
            [lanes],
          )
        yield* Pallas.dynamicSchedulingLoop(
          'loop',
          {
            gridNames: gridNames(d),
            threadAxis: 'wg',
            ...(d.cluster.length === 0
              ? {}
              : { clusterAxes: d.apart === true ? clusterNames(d) : [clusterNames(d)] }),
          },
          { turn: i32(0) },
          function* ({ index, localIndex }, { turn }) {
            const v = yield* B.gmemLoad('v', row(x, index))
            // what is carried counts as the loop does
            const value = add(v, splat<'i32', 1>(add(i32(1), sub(turn, localIndex)), [lanes]))
            yield* B.run('out', { _tag: 'gmem.store', destination: row(out, index), value })
            return { turn: add(turn, i32(1)) }
          },
        )
      },
    ),
  )

describe('dynamic_scheduling_loop', () => {
  const cases: ReadonlyArray<Dynamic> = [
    { grid: [5], cluster: [], threads: 1 },
    { grid: [2, 3], cluster: [], threads: 2 },
    { grid: [1], cluster: [2], threads: 1 },
    { grid: [4], cluster: [2], threads: 2 },
    { grid: [2, 1, 2, 2], cluster: [2], threads: 1 },
  ]
  test.each(cases)('laws 1 and 2: every place once, whatever is granted: %j', (d) => {
    const program = dynamic(d)
    const count = [...d.grid, ...d.cluster, d.threads, lanes].reduce((n, e) => n * e, 1)
    const x = Float64Array.from({ length: count }, (_, i) => (i * 7919) % 1013)
    const clusters = d.grid.reduce((n, e) => n * e, 1)
    for (const grants of new Set([0, 1, 2, clusters]))
      for (const policy of [Policy.lazy, Policy.seeded(3)]) {
        const { verdict, world, machine } = checked(
          program,
          {
            policy,
            explain: false,
            explore: false,
            strictProxies: true,
            arguments: { scalars: new Map(), tensors: new Map([['x', x]]), grants },
          },
          bits('blackwell'),
        )
        expect([grants, verdict.verdict, verdict.findings, verdict.notes]).toEqual([grants, 'ok', [], []])
        expect(readTensor(world, machine, 'out')).toEqual(x.map((v) => v + 1))
      }
  })
  const verdictOf = (d: Dynamic, explore: boolean): Verdict => {
    const x = new Float64Array([...d.grid, ...d.cluster, d.threads, lanes].reduce((n, e) => n * e, 1))
    const given = { scalars: new Map(), tensors: new Map([['x', x]]) }
    return checked(dynamic(d), { explain: false, explore, arguments: given }, bits('blackwell')).verdict
  }
  test('with three blocks an arrival can overtake one of the step before (B3); all schedules end well', () => {
    const three: Dynamic = { grid: [3], cluster: [3], threads: 1 }
    const alone = verdictOf(three, false)
    expect([alone.verdict, [...new Set(alone.findings.map((f) => f.id))]]).toEqual(['undecided', ['B3']])
    if (!nightly) return
    expect(verdictOf(three, true)).toMatchObject({ verdict: 'ok', decidedBy: 'exploration', findings: [] })
  })
  test('axes of the cluster that are dimensions apart: who asks does not hear of the block across, and the loop deadlocks', () => {
    const apart: Dynamic = { grid: [3], cluster: [2, 2], threads: 1, apart: true }
    expect(verdictOf(apart, false).verdict).toBe('deadlock')
  })
})

// ---------------------------------------------------------------- transforms

describe('find_swizzle and batches', () => {
  test('law 2: the widest of 128, 64, 32, 16 bytes that divides the row, for every row up to 4096 bits', () => {
    for (let bits = 1; bits <= 4096; bits++) {
      const widest = [128, 64, 32, 16].find((s) => bits % (8 * s) === 0)
      const found = Pallas.findSwizzle(bits, 'a')
      if (widest === undefined)
        expect(found).toEqual(
          E.left({
            code: 'pallas.find_swizzle.bits',
            message: `No valid swizzle for a: the minor dimension has ${String(bits)} bits, which is not a multiple of 128 (16 bytes)`,
          }),
        )
      else expect(found).toEqual(E.right(widest))
    }
  })
  test('law 3: a batched transform does to every slot what it does to a block', () => {
    const permutations = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]
    for (const p of permutations)
      for (const leading of [1, 2]) {
        const t = right(transpose(p))
        const batched = right(Pallas.batchTransform(leading)(t))
        const slots = [7, 5].slice(0, leading)
        expect(right(physicalShape(16, [batched])([...slots, 2, 3, 4]))).toEqual([
          ...slots,
          ...right(physicalShape(16, [t])([2, 3, 4])),
        ])
      }
    for (const t of right(Pallas.mmaTransforms(16, [64])))
      expect(right(Pallas.batchTransform(1)(t))).toEqual(t)
  })
})
