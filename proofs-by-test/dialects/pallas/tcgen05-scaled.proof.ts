/**
 * Scaled and sparse products of `tcgen05.ts`: every element and scale that the table of scales allows, a pair with 64 rows in each block, and
 * sparse elements of 8 bits; against the product of the dequantised operands in plain loops.
 */
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import {
  bScalesM64Collective,
  scales as scalesLayout,
  sparseMetadata,
} from '../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import { bits } from '../../../src/numerics/bits.js'
import { bitsOf, type FloatDtype } from '../../../src/numerics/dtype.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { i1, i32, slot, transposeView, type View } from '../../../src/semantics/language/expression.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { product } from '../coverage/pallas/wgmma.js'
import { checked } from './programs.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

interface Case {
  readonly dtype: 'e4m3' | 'e2m1'
  readonly scale: 'e8m0' | 'ue4m3' | 'e4m3' | null
  readonly block: 16 | 32
  readonly pair: boolean
  readonly sparse: boolean
  /** rows of a in a block, columns of the accumulator, and what is stored of a row of a */
  readonly m: 64 | 128
  readonly n: number
  readonly stored: number
}

/** Both blocks hold the scales of all columns; each those of its rows. */
const program = (c: Case): Program => {
  const blocks = c.pair ? 2 : 1
  const own = c.n / blocks
  const k = c.sparse ? 2 * c.stored : c.stored
  const factors = c.stored / c.block
  const halves = c.pair && c.m === 64
  const axis = c.pair ? { collectiveAxis: 'pair' } : {}
  return right(
    Pallas.kernel(
      { name: 'scaled', arch: 'sm100a', ...(c.pair ? { cluster: [2], clusterNames: ['pair'] } : {}) },
      function* () {
        const transforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(c.dtype), [c.stored, k]))
        const smem = (name: string, shape: readonly [number, number]): B.Build<View<'smem', FloatDtype, 2>> =>
          Pallas.SMEM(name, c.dtype, shape, { transforms })
        const scale = (name: string, lines: readonly [number, number], rows: number) =>
          B.block(function* () {
            const dtype = c.scale ?? 'e8m0'
            return {
              gmem: yield* B.tensorParam(name, dtype, [blocks, lines[0], factors / 4, lines[1], 16], {
                role: 'in',
              }),
              smem: yield* Pallas.SMEM(`${name}_smem`, dtype, [lines[0], factors / 4, lines[1], 16]),
              tmem: yield* Pallas.TMEM(`${name}_tmem`, dtype, [rows, factors], {
                layout: rows === 256 ? bScalesM64Collective : scalesLayout,
                collective: c.pair,
              }),
            }
          })
        const words = k / (c.dtype === 'e2m1' ? 64 : 32)
        return {
          aGmem: yield* B.tensorParam('a', c.dtype, [blocks, c.m, c.stored], { role: 'in' }),
          bGmem: yield* B.tensorParam('b', c.dtype, [blocks, own, k], { role: 'in' }),
          out: yield* B.tensorParam('out', 'f32', [blocks, c.m, c.n], { role: 'out' }),
          a: yield* smem('a_smem', [c.m, c.stored]),
          b: yield* smem('b_smem', [own, k]),
          acc: yield* Pallas.TMEM('acc', 'f32', [c.m, c.n], { collective: c.pair }),
          sa: c.scale === null ? null : yield* scale('sa', [1, 32], 128),
          sb: c.scale === null ? null : yield* scale('sb', halves ? [1, 64] : [1, 32], halves ? 256 : 128),
          metadata: c.sparse
            ? {
                gmem: yield* B.tensorParam('meta', 'u32', [1, words / 4, 128, 4], { role: 'in' }),
                smem: yield* Pallas.SMEM('meta_smem', 'u32', [1, words / 4, 128, 4]),
                tmem: yield* Pallas.TMEM('meta_tmem', 'u32', [128, words], {
                  layout: sparseMetadata,
                  collective: c.pair,
                }),
              }
            : null,
          ready: c.pair
            ? yield* Pallas.ClusterBarrier('ready', { collectiveAxes: ['pair'] })
            : yield* Pallas.Barrier('ready'),
          done: yield* Pallas.Barrier('done', { ordersTensorCore: true }),
        }
      },
      function* (r) {
        const rank = c.pair ? yield* Pallas.axisIndex('pair') : i32(0)
        yield* B.run('a', {
          _tag: 'smem.store',
          destination: r.a,
          value: yield* B.gmemLoad('a in', slot(r.aGmem.view, rank)),
        })
        yield* B.run('b', {
          _tag: 'smem.store',
          destination: r.b,
          value: yield* B.gmemLoad('b in', slot(r.bGmem.view, rank)),
        })
        for (const [name, s] of [
          ['sa', r.sa],
          ['sb', r.sb],
        ] as const)
          if (s !== null)
            yield* B.run(name, {
              _tag: 'smem.store',
              destination: s.smem,
              value: yield* B.gmemLoad(`${name} in`, slot(s.gmem.view, rank)),
            })
        if (r.metadata !== null)
          yield* B.run('meta', {
            _tag: 'smem.store',
            destination: r.metadata.smem,
            value: yield* B.gmemLoad('meta in', r.metadata.gmem.view),
          })
        yield* B.run('commit', { _tag: 'fence.proxyAsync', scope: c.pair ? 'cluster' : 'cta' })
        yield* Pallas.barrierArrive('arrive ready', r.ready, null)
        yield* Pallas.barrierWait('wait ready', r.ready, null, Pallas.freshParities)
        for (const [name, s] of [
          ['sa', r.sa],
          ['sb', r.sb],
        ] as const)
          if (s !== null) yield* Pallas.asyncCopyScalesToTmem(`copy ${name}`, s.smem, s.tmem, axis)
        if (r.metadata !== null)
          yield* Pallas.asyncCopySparseMetadataToTmem('copy meta', r.metadata.smem, r.metadata.tmem, axis)
        yield* Pallas.tcgen05Mma('mma', r.acc, r.a, transposeView(r.b, [1, 0]), r.done, null, i1(false), {
          ...axis,
          ...(r.sa === null || r.sb === null ? {} : { aScale: r.sa.tmem, bScale: r.sb.tmem }),
          ...(r.metadata === null ? {} : { aSparseMetadata: r.metadata.tmem }),
        })
        yield* Pallas.barrierWait('wait done', r.done, null, Pallas.freshParities)
        const value = yield* Pallas.asyncLoadTmem('load', 'thread', r.acc, [c.m, c.n])
        yield* B.run('out', { _tag: 'gmem.store', destination: slot(r.out.view, rank), value })
      },
    ),
  )
}

// ---------------------------------------------------------------- the product by another definition

/** Exact in four bits. */
const small = (count: number, width: number, seed: number): ReadonlyArray<number> =>
  Array.from(
    { length: count },
    (_, at) => [0, 1, -1, 2, 0.5, -2, 3][(7 * Math.floor(at / width) + 3 * at + seed) % 7]!,
  )
const scaleOf = (row: number, factor: number, seed: number): number => 2 ** ((row + 2 * factor + seed) % 3)
const pairs = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
] as const

const comesOut = (c: Case): void => {
  const blocks = c.pair ? 2 : 1
  const k = c.sparse ? 2 * c.stored : c.stored
  const factors = c.stored / c.block
  const halves = c.pair && c.m === 64
  const rows = blocks * c.m
  const a = small(rows * c.stored, c.stored, 0)
  const b = small(c.n * k, k, 1)
  // groups of four, or of eight in pairs
  const unit = c.dtype === 'e2m1' ? 2 : 1
  const groups = k / (4 * unit)
  const chosen = (row: number, group: number): readonly [number, number] => pairs[(row + 5 * group) % 6]!
  const numbers = Array.from(
    { length: 128 * groups * 2 },
    (_, at) => chosen(Math.floor(at / (groups * 2)), Math.floor((at % (groups * 2)) / 2))[at % 2]!,
  )
  const factorOf = (stored: number): number => Math.floor(stored / c.block)
  const left = Array.from({ length: rows * k }, (_, at) => {
    const [row, x] = [Math.floor(at / k), at % k]
    const sa = (stored: number): number => (c.scale === null ? 1 : scaleOf(row, factorOf(stored), 0))
    if (!c.sparse) return a[row * c.stored + x]! * sa(x)
    const [group, inside] = [Math.floor(x / (4 * unit)), x % (4 * unit)]
    const which = chosen(row % c.m, group).indexOf(Math.floor(inside / unit))
    const stored = (2 * group + which) * unit + (inside % unit)
    return which < 0 ? 0 : a[row * c.stored + stored]! * sa(stored)
  })
  // a scale of b stands for twice as many of k where a is sparse
  const weighted = Array.from({ length: k * c.n }, (_, at) => {
    const [x, column] = [Math.floor(at / c.n), at % c.n]
    return b[column * k + x]! * (c.scale === null ? 1 : scaleOf(column, Math.floor(x / (k / factors)), 1))
  })
  const scalesFor = (
    seed: number,
    of: (block: number, row: number) => number,
    lines: number,
  ): ReadonlyArray<number> =>
    Array.from({ length: blocks * (factors / 4) * lines * 16 }, (_, at) => {
      const [byte, line] = [at % 16, Math.floor(at / 16) % lines]
      const [quad, block] = [
        Math.floor(at / (16 * lines)) % (factors / 4),
        Math.floor(at / (4 * lines * factors)),
      ]
      const row = 128 * Math.floor(line / 32) + (line % 32) + 32 * Math.floor(byte / 4)
      return scaleOf(of(block, row), 4 * quad + (byte % 4), seed)
    })
  const algebra = bits('blackwell')
  const given = (dtype: FloatDtype, x: ReadonlyArray<number>): Float64Array =>
    Float64Array.from(x, (v) => algebra.constant(dtype, v))
  const scale = c.scale ?? 'e8m0'
  const { verdict, world, machine } = checked(
    program(c),
    { provenance: false, explore: false, strict: false },
    algebra,
    new Map([
      ['a', given(c.dtype, a)],
      ['b', given(c.dtype, b)],
      ...(c.scale === null
        ? []
        : [
            [
              'sa',
              given(
                scale,
                scalesFor(0, (v, row) => v * c.m + row, 32),
              ),
            ] as const,
            // columns of the accumulator; of a pair with 64 rows each, the halves
            [
              'sb',
              given(
                scale,
                scalesFor(
                  1,
                  (_, row) => (halves ? (Math.floor(row / 128) * c.n) / 2 + (row % 128) : row),
                  halves ? 64 : 32,
                ),
              ),
            ] as const,
          ]),
      ...(c.sparse
        ? [
            [
              'meta',
              Float64Array.from(
                right(Pallas.formatTcgen05SparseMetadata(numbers, [128, groups, 2], c.dtype)),
              ),
            ] as const,
          ]
        : []),
    ]),
  )
  expect([c, verdict.verdict, verdict.reason]).toEqual([c, 'ok', expect.anything()])
  expect(readTensor(world, machine, 'out')).toEqual(given('f32', product(left, weighted, [rows, c.n, k])))
}

describe('scales', () => {
  const base: Case = {
    dtype: 'e4m3',
    scale: 'e8m0',
    block: 32,
    pair: false,
    sparse: false,
    m: 128,
    n: 32,
    stored: 128,
  }
  const cases: ReadonlyArray<readonly [string, Case]> = [
    ['fp8, e8m0 for 32', base],
    ['n of 16, below a word of lanes', { ...base, n: 16 }],
    ['fp4, e8m0 for 32', { ...base, dtype: 'e2m1' }],
    ['fp4, ue4m3 for 16', { ...base, dtype: 'e2m1', scale: 'ue4m3', block: 16, stored: 64 }],
    ['fp4, e4m3 for 16', { ...base, dtype: 'e2m1', scale: 'e4m3', block: 16, stored: 64 }],
    ['fp4, e8m0 for 16', { ...base, dtype: 'e2m1', block: 16, stored: 64 }],
    ['sparse fp4', { ...base, dtype: 'e2m1', sparse: true }],
    ['a pair', { ...base, pair: true }],
    ['a pair, 64 rows each', { ...base, pair: true, m: 64 }],
    ['sparse fp8', { ...base, scale: null, sparse: true, stored: 64 }],
    ['a sparse pair', { ...base, scale: null, sparse: true, pair: true, stored: 64 }],
    ['sparse and scaled', { ...base, sparse: true }],
  ]
  test.each(sampled(2, cases))('%s', (_, c) => {
    comesOut(c)
  })
})
