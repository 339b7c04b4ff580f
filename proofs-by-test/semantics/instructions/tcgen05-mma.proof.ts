/**
 * tcgen05.mma: what a product of one CTA or of a pair takes from where, which products are one behind the other, and what comes out.
 *
 * Oracles: the sum over k written out, over whole numbers that a double holds exactly; lanes of tensor memory by hand.
 */
import { describe, expect, test } from 'vitest'
import { metadataOf } from '../../../src/layouts/tensor-memory/sparsity.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { bitsOf } from '../../../src/numerics/dtype.js'
import { real64, unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { executeMma, performMma } from '../../../src/semantics/instructions/tcgen05-mma.js'
import { executeCommit } from '../../../src/semantics/instructions/tcgen05-queue.js'
import * as Footprint from '../../../src/semantics/machine/footprint.js'
import type { Elements, Prepared, Share, Tcgen05InFlight } from '../../../src/semantics/machine/operation.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { prepare } from '../../../src/semantics/core/prepare.js'
import { environment } from '../../../src/semantics/machine/environment.js'
import {
  withInFlight,
  withPlane,
  withTensorMemory,
  type Machine,
} from '../../../src/semantics/machine/state.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import * as Ref from '../../../src/transforms/ref.js'
import { launched } from '../machine/machine-samples.js'
import { expr, view } from '../language/operands.js'
import { right } from '../../either.js'

type Product = Extract<Prepared, { readonly _tag: 'tcgen05.mma' }>

const [k, columnsOfPair] = [64, 32] as const
const program = right(
  B.draft(
    { name: 'products', arch: 'sm100a', grid: [2], cluster: [2], agents: [B.warpgroup('wg', 0)] },
    function* () {
      for (const rows of [64, 128] as const) {
        const of = (name: string): string => `${name} of ${String(rows)}`
        yield* B.sharedMemory(of('a'), 'e4m3', [rows, k])
        yield* B.tensorMemory(of('left'), 'e4m3', [rows, k])
        yield* B.tensorMemory(of('d'), 'f32', [rows, 2 * columnsOfPair])
        yield* B.tensorMemory(of('scales'), 'e8m0', [rows, 2])
      }
      yield* B.sharedMemory('half of b', 'e4m3', [k, columnsOfPair])
      for (const dtype of ['i8', 'tf32', 'f16', 'bf16', 'e4m3', 'e5m2', 'e2m1'] as const) {
        yield* B.sharedMemory(`${dtype} a`, dtype, [16, k])
        yield* B.sharedMemory(`${dtype} stored`, dtype, [16, k / 2])
        yield* B.sharedMemory(`${dtype} b`, dtype, [k, 8])
      }
      for (const dtype of ['e8m0', 'ue4m3'] as const)
        for (const blocks of [1, 2, 4] as const)
          for (const rows of [8, 16] as const)
            yield* B.tensorMemory(`${dtype} ${String(blocks)} of ${String(rows)}`, dtype, [rows, blocks])
      yield* B.tensorMemory('metadata', 'u32', [16, 2])
      yield* B.tensorMemory('sums', 'f32', [16, 64])
      yield* B.tensorMemory('whole sums', 'i32', [16, 64])
    },
  ),
)
const { world, machine } = launched(program, real64)
const planeOf = (space: 'smem' | 'tmem', cta: number): number =>
  world.header.planes.findIndex((p) => p.space === space && p.cta === cta)
const from = (cta: number) => ({ agent: cta, cta, place: 0, cluster: 0 })
const part = (id: string, starts: ReadonlyArray<number>, sizes: ReadonlyArray<number>): never =>
  expr<never>({
    _tag: 'slice',
    of: { _tag: 'storage', storage: id },
    starts: starts.map((s) => X.i32(s) as never),
    sizes,
  })
const prepared = (cta: number, operands: Readonly<Record<string, never>>, ctaGroup: 1 | 2): Product => {
  const p = prepare(environment(world, from(cta), []), {
    _tag: 'tcgen05.mma',
    accumulate: X.i1(true),
    ctaGroup,
    completions: [],
    ...operands,
  } as never)
  if (isFault(p) || p._tag !== 'tcgen05.mma') throw new Error(JSON.stringify(p))
  return p
}

// ---------------------------------------------------------------- where

describe('where the operands of a pair lie', () => {
  const lane = 2048
  /** CTA and lane of each place, from the first lane of the storage. */
  const lanes = (id: string, places: ReadonlyArray<Elements>): ReadonlyArray<string> =>
    places.map((e) => {
      const p = world.header.planes[e.plane]!
      const first = Footprint.firstOf(e) - world.storages.get(id)!.offset
      return `${p.space}@${String(p.cta)} ${p.space === 'tmem' ? String(first / lane) : String(first)}`
    })
  const shown = (rows: 64 | 128, left: 'a' | 'left', cta: number, ctaGroup: 1 | 2) => {
    const of = (name: string): string => `${name} of ${String(rows)}`
    const b = 'half of b'
    // the scales of B: one for each of its columns
    const columns = ctaGroup === 2 ? 'scales of 64' : 'scales of 32'
    const p = prepared(
      cta,
      {
        accumulator: ctaGroup === 2 ? view(of('d')) : part(of('d'), [0, 0], [rows, columnsOfPair]),
        a: view(of(left)),
        b: view(b),
        scaleA: view(of('scales')),
        scaleB: columns === 'scales of 64' ? view(columns) : part('scales of 64', [0, 0], [32, 2]),
      },
      ctaGroup,
    )
    return {
      shares: p.shares.map((s) => ({
        a: lanes(of(left), s.a),
        accumulator: lanes(of('d'), [s.accumulator]),
        scaleA: lanes(of('scales'), s.scaleA),
        scaleB: lanes('scales of 64', s.scaleB),
        sparsity: s.sparsity,
      })),
      b: lanes(b, p.b),
    }
  }
  const inLanes = (cta: number, ...ls: ReadonlyArray<number>): ReadonlyArray<string> =>
    ls.map((l) => `tmem@${String(cta)} ${String(l)}`)
  test.each([0, 1])('CTA %i issues: the rows of each CTA, the even one first', (cta) => {
    for (const rows of [64, 128] as const)
      for (const left of ['a', 'left'] as const) {
        // 64 rows in each: the columns of D are in two halves of the lanes
        const halves = rows === 64
        expect(shown(rows, left, cta, 2)).toEqual({
          shares: [0, 1].map((v) => ({
            a: left === 'a' ? [`smem@${String(v)} 0`] : halves ? inLanes(v, 0, 64) : inLanes(v, 0),
            accumulator: inLanes(v, 0),
            scaleA: inLanes(v, 0, 32, 64, 96),
            scaleB: halves ? inLanes(v, 0, 32) : inLanes(v, 0, 32, 64, 96),
            sparsity: null,
          })),
          b: ['smem@0 0', 'smem@1 0'],
        })
      }
  })
  test.each([0, 1])('CTA %i alone: its own, once', (cta) => {
    for (const rows of [64, 128] as const)
      for (const left of ['a', 'left'] as const)
        expect(shown(rows, left, cta, 1)).toEqual({
          shares: [
            {
              a: left === 'a' ? [`smem@${String(cta)} 0`] : inLanes(cta, 0),
              accumulator: inLanes(cta, 0),
              scaleA: inLanes(cta, 0, 32, 64, 96),
              scaleB: inLanes(cta, 0, 32, 64, 96),
              sparsity: null,
            },
          ],
          b: [`smem@${String(cta)} 0`],
        })
  })
})

// ---------------------------------------------------------------- one pipe

describe('one accumulator and kind: one pipe', () => {
  type Scaling = readonly ['e8m0' | 'ue4m3', blocks: 1 | 2 | 4] | null
  const kinds: ReadonlyArray<readonly [kind: string, dtype: Dtype, scaling: Scaling]> = [
    ['i8', 'i8', null],
    ['tf32', 'tf32', null],
    ['f16', 'f16', null],
    ['f16', 'bf16', null],
    ['f8f6f4', 'e4m3', null],
    ['f8f6f4', 'e5m2', null],
    ['f8f6f4', 'e2m1', null],
    ['mxf8f6f4', 'e4m3', ['e8m0', 2]],
    ['mxf4', 'e2m1', ['e8m0', 2]],
    ['mxf4nvf4', 'e2m1', ['ue4m3', 4]],
  ]
  const columns = Array.from({ length: 18 }, (_, j) => j)
  const pipeOf = (dtype: Dtype, scaling: Scaling, column: number, sparse: boolean): number => {
    // a sparse A stores half of k
    const blocks = scaling === null ? 0 : scaling[1] / (sparse ? 2 : 1)
    const scales = (rows: number): never => view(`${scaling![0]} ${String(blocks)} of ${String(rows)}`)
    return prepared(
      1,
      {
        accumulator: part(dtype === 'i8' ? 'whole sums' : 'sums', [0, column], [16, 8]),
        a: view(sparse ? `${dtype} stored` : `${dtype} a`),
        b: view(`${dtype} b`),
        ...(scaling === null ? {} : { scaleA: scales(16), scaleB: scales(8) }),
        ...(sparse ? { sparsity: view('metadata') } : {}),
      },
      1,
    ).pipe
  }
  test('equal where accumulator, kind and sparsity are equal, and there alone', () => {
    const what = new Map<number, string>()
    for (const [kind, dtype, scaling] of kinds)
      for (const column of columns)
        for (const sparse of [false, true]) {
          const name = `${kind} ${dtype === 'i8' ? 'whole' : ''} ${String(column)} ${String(sparse)}`
          const pipe = pipeOf(dtype, scaling, column, sparse)
          expect([name, what.get(pipe) ?? name]).toEqual([name, name])
          what.set(pipe, name)
        }
    // eight kinds, one of them of other accumulators: dtypes of one kind share a pipe
    expect(what.size).toBe(7 * columns.length * 2)
  })
})

// ---------------------------------------------------------------- what comes out

interface Case {
  readonly ctas: 1 | 2
  /** A in tensor memory, with a copy for each B */
  readonly twice: boolean
  readonly accumulates: boolean
  readonly scaled: boolean
  readonly sparse: boolean
}
const yesAndNo = [false, true]
const cases: ReadonlyArray<Case> = ([1, 2] as const).flatMap((ctas) =>
  (ctas === 1 ? [false] : yesAndNo).flatMap((twice) =>
    yesAndNo.flatMap((accumulates) =>
      yesAndNo.flatMap((scaled) =>
        yesAndNo.map((sparse): Case => ({ ctas, twice, accumulates, scaled, sparse })),
      ),
    ),
  ),
)
const nameOf = (c: Case): string =>
  [
    c.ctas === 1 ? 'one CTA' : 'a pair',
    ...(c.twice ? ['A twice'] : []),
    ...(c.accumulates ? ['adds'] : []),
    ...(c.scaled ? ['scaled'] : []),
    ...(c.sparse ? ['sparse'] : []),
  ].join(', ')

const [rows, stored, block] = [4, 32, 16] as const
const types = { a: 'e4m3', b: 'e4m3', acc: 'f32' } as const
const lay = (
  space: 'smem' | 'tmem',
  cta: number,
  at: number,
  dtype: Dtype,
  shape: readonly [number, number],
) =>
  Footprint.ofLayout(
    world.footprints,
    planeOf(space, cta),
    dtype,
    right(Ref.ofStrides(shape, bitsOf(dtype), [shape[1], 1])),
    at,
  )
/** Small whole numbers that differ from place to place. */
const value = (of: number, i: number): number => ((i * 13 + of * 7) % 11) - 5
const contents = (of: number, count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => value(of, i))
/** Which k the stored elements of a row are: two of each four. */
const choices: ReadonlyArray<readonly [number, number]> = [
  [0, 1],
  [0, 3],
  [1, 2],
  [2, 3],
]
const chosen = (row: number): ReadonlyArray<number> =>
  Array.from({ length: stored / 2 }, (_, g) => choices[(row + g) % 4]!.map((i) => 4 * g + i)).flat()

describe('what comes out', () => {
  test.each(cases.map((c) => [nameOf(c), c] as const))('%s', (_name, c) => {
    const depth = c.sparse ? 2 * stored : stored
    const columns = 3
    const n = columns * c.ctas
    let m: Machine = machine
    const put = (e: Elements, data: Float64Array): Elements => {
      m = withPlane(m, e.plane, Plane.write(m.planes[e.plane]!, e, data, null))
      return e
    }
    const ctas = c.ctas === 1 ? [1] : [0, 1]
    // each place has contents of its own: a number of the CTA and of the operand
    const bs = ctas.map((v) =>
      put(lay('smem', v, 8192, 'e4m3', [depth, columns]), contents(v, depth * columns)),
    )
    const shares = ctas.map((v): Share => {
      const space = c.twice ? 'tmem' : 'smem'
      const lefts = c.twice ? [0, 1] : [0]
      const scales = (at: number, of: number, count: number): ReadonlyArray<Elements> =>
        // a second copy of the scales holds something else: the first one counts
        c.scaled
          ? [0, 1].map((copy) =>
              put(lay('tmem', v, at + 1024 * copy, 'e8m0', [count, 2]), contents(of + 50 * copy, 2 * count)),
            )
          : []
      return {
        a: lefts.map((copy) =>
          put(
            lay(space, v, 4096 + 1024 * copy, 'e4m3', [rows, stored]),
            contents(10 + v + 5 * copy, rows * stored),
          ),
        ),
        accumulator: put(lay('tmem', v, 0, 'f32', [rows, n]), contents(20 + v, rows * n)),
        scaleA: scales(16384, 30 + v, rows),
        scaleB: scales(24576, 40 + v, n),
        sparsity: c.sparse
          ? put(
              lay('tmem', v, 32768, 'u32', [rows, 2]),
              Float64Array.from(
                Array.from({ length: rows }, (_, r) => metadataOf('e4m3', chosen(r + v))).flat(),
              ),
            )
          : null,
      }
    })
    const mma: Product = {
      _tag: 'tcgen05.mma',
      shares,
      b: bs,
      types,
      scaling: c.scaled ? { dtype: 'e8m0', block } : null,
      m: rows,
      n,
      k: depth,
      accumulates: c.accumulates,
      ctaGroup: c.ctas,
      pipe: 0,
      completions: [],
    }
    const stamp = { agent: 1, at: 5, site: 0, iteration: [] }
    const f: Tcgen05InFlight = { _tag: 'tcgen05', id: 3, agent: 1, at: 5, stamp, mma }
    const other: Tcgen05InFlight = { ...f, id: 4 }
    const done = performMma(world, withInFlight(m, [other, f]), f)
    if (isFault(done)) throw new Error(done.message)

    ctas.forEach((v, share) => {
      const found = Plane.read(done.machine.planes[planeOf('tmem', v)]!, shares[share]!.accumulator).data!
      const wanted = Array.from({ length: rows * n }, (_, i) => {
        const [r, column] = [Math.floor(i / n), i % n]
        const [half, j] = [Math.floor(column / columns), column % columns]
        let sum = c.accumulates ? value(20 + v, i) : 0
        for (let s = 0; s < stored; s++) {
          const a = value(10 + v + (c.twice ? 5 * half : 0), r * stored + s)
          const at = c.sparse ? chosen(r + v)[s]! : s
          const b = value(ctas[half]!, at * columns + j)
          const group = Math.floor(s / block)
          const scale = c.scaled ? value(30 + v, 2 * r + group) * value(40 + v, 2 * column + group) : 1
          sum += a * b * scale
        }
        return sum
      })
      expect([...found].map((y) => y + 0)).toEqual(wanted.map((y) => y + 0))
    })
    expect(done.machine.inFlight).toEqual([other])

    // in the log: everything that it reads, before anything that it writes
    const read = (role: string, proxy: string, places: ReadonlyArray<Elements>): ReadonlyArray<unknown> =>
      places.map((e) => ['r', role, proxy, e.footprint.id])
    const accesses = done.events.flatMap((e) =>
      e._tag === 'access' ? [[e.rw, e.role, e.proxy, e.footprint.id]] : [],
    )
    expect(done.events[0]).toEqual({ _tag: 'perform', operation: 3, stage: 'all', part: 0 })
    expect(done.events).toHaveLength(1 + accesses.length)
    const reads = [
      ...shares.flatMap((s) => [
        ...read('a', c.twice ? 'tensor' : 'async', s.a),
        ...read('scaleA', 'tensor', s.scaleA),
        ...read('scaleB', 'tensor', s.scaleB),
        ...read('sparsity', 'tensor', s.sparsity === null ? [] : [s.sparsity]),
        ...read('accumulator', 'tensor', c.accumulates ? [s.accumulator] : []),
      ]),
      ...read('b', 'async', bs),
    ]
    expect(accesses.slice(0, reads.length).map(String).sort()).toEqual(reads.map(String).sort())
    expect(accesses.slice(reads.length)).toEqual(
      shares.map((s) => ['w', 'accumulator', 'tensor', s.accumulator.footprint.id]),
    )
  })
})

// ---------------------------------------------------------------- before it stands in the queue

describe('a product in the queue', () => {
  const x = { world, agent: 1, stamp: { agent: 1, at: 5, site: 0, iteration: [] } }
  const operands = { accumulator: view('d of 128'), a: view('left of 128'), b: view('half of b') }
  const allocated = (m: Machine, cta: number, columns: number): Machine =>
    withTensorMemory(m, cta, {
      allocated: [{ start: 0, columns, agent: 0 }],
      largest: 512,
      relinquished: false,
      ahead: [],
      outOfStep: false,
    })
  const both = allocated(allocated(machine, 0, 512), 1, 512)
  test('macs of a pair: those of both CTAs', () => {
    const macs = (ctaGroup: 1 | 2): ReadonlyArray<number> => {
      const p = prepared(
        1,
        ctaGroup === 2
          ? operands
          : { ...operands, accumulator: part('d of 128', [0, 0], [128, columnsOfPair]) },
        ctaGroup,
      )
      const done = executeMma(x, both, p)
      if (isFault(done)) throw new Error(done.message)
      return done.events.flatMap((e) => (e._tag === 'issue' ? [e.macs, e.ctaGroup ?? 0] : []))
    }
    expect(macs(1)).toEqual([128 * columnsOfPair * k, 1])
    expect(macs(2)).toEqual([2 * 128 * (2 * columnsOfPair) * k, 2])
  })
  test('behind it a commit for each completion, numbered from 0; a commit of its own is alone', () => {
    const p = { ...prepared(1, operands, 2), completions: [[4], [1, 2]] }
    const m = { ...both, issued: 6 }
    const done = executeMma(x, m, p)
    if (isFault(done)) throw new Error(done.message)
    const common = { agent: 1, at: 5, stamp: x.stamp }
    const commit = { ...common, _tag: 'tcgen05Commit' }
    expect(done.machine.inFlight).toEqual([
      { ...common, _tag: 'tcgen05', id: 6, mma: p },
      { ...commit, id: 7, alone: false, part: 0, barriers: [4] },
      { ...commit, id: 8, alone: false, part: 1, barriers: [1, 2] },
    ])
    expect(done.machine.issued).toBe(9)
    expect(
      done.events.flatMap((e) => (e._tag === 'issue' ? [[e.operation, e.tensor, e.ctaGroup]] : [])),
    ).toEqual([
      [6, 'mma', 2],
      [7, 'commit', 2],
      [8, 'commit', 2],
    ])
    expect(
      executeCommit(x, m, { _tag: 'tcgen05.commit', barriers: [3], ctaGroup: 1 }).machine.inFlight,
    ).toEqual([{ ...commit, id: 6, alone: true, part: 0, barriers: [3] }])
  })
  test('every place in tensor memory is allocated, in both CTAs', () => {
    const scaled = { ...operands, scaleA: view('scales of 128'), scaleB: view('scales of 64') }
    const wrong = (m: Machine, p: Product): string | null => {
      const done = executeMma(x, m, p)
      return isFault(done) ? `${done.code} ${done.message.split(':').at(-2)!.trim()}` : null
    }
    const p = prepared(1, scaled, 2)
    expect(wrong(both, p)).toBeNull()
    expect(wrong(allocated(machine, 0, 512), p)).toBe('M7 accumulator')
    const nowhere = lay('tmem', 1, 4 * 500, 'u32', [1, 1])
    const less = allocated(both, 1, 256)
    // all else lies in the first 256 columns
    expect(wrong(less, p)).toBeNull()
    const [first, second] = p.shares
    const places: ReadonlyArray<readonly [string, Partial<Share>]> = [
      ['accumulator', { accumulator: nowhere }],
      ['a', { a: [second!.a[0]!, nowhere] }],
      ['scaleA', { scaleA: [second!.scaleA[0]!, nowhere] }],
      ['scaleB', { scaleB: [second!.scaleB[0]!, nowhere] }],
      ['sparsity', { sparsity: nowhere }],
    ]
    for (const [field, place] of places)
      expect(wrong(less, { ...p, shares: [first!, { ...second!, ...place }] })).toBe(`I2 ${field}`)
  })
  test('an algebra without data writes nothing, and the log is the same', () => {
    const empty = launched(program, unit)
    const of = (w: typeof world, m: Machine) => {
      const p = prepare(environment(w, from(1), []), {
        _tag: 'tcgen05.mma',
        accumulate: X.i1(true),
        ctaGroup: 2,
        completions: [],
        accumulator: view('d of 128'),
        a: view('left of 128'),
        b: view('half of b'),
      })
      if (isFault(p) || p._tag !== 'tcgen05.mma') throw new Error('refused')
      const f: Tcgen05InFlight = { _tag: 'tcgen05', id: 0, agent: 1, at: 5, stamp: x.stamp, mma: p }
      const done = performMma(w, withInFlight(m, [f]), f)
      if (isFault(done)) throw new Error(done.message)
      return done
    }
    const without = of(empty.world, empty.machine)
    expect(without.machine.planes).toEqual(empty.machine.planes)
    expect(without.events.length).toBe(of(world, machine).events.length)
  })
})
