/**
 * Tiles: what all matmuls of Hopper are told, what none of them takes, and how a finished tile leaves.
 *
 * A (m, n) output is cut into tiles of (tileM, tileN), a sum over k into steps of tileK; `stages` slots of shared memory hold the operands
 * of as many steps. By hand, m 256, n 256, k 576, tiles of 128 x 128 x 64, 4 stages:
 *
 *     4 tiles, 9 steps each      slot     0 1 2 3     a slot has 128 x 64 of a and 64 x 128 of b: 32 KiB in f16
 *                                steps    0 1 2 3
 *                                         4 5 6 7
 *                                         8
 *
 * A finished tile is rounded, stored to shared memory, and copied from there: the store is the thread's, the copy is not, so a proxy fence
 * (`commit_smem`) stands between the two. Who waits for the copy, and when, is the kernel's business.
 *
 * Laws
 * 1. `illegalTiles` is null iff the tiles divide the sizes and are whole instructions.
 *
 * Source: JAX docs, Pallas:MGPU reference, wgmma (shapes) and asynchronous copies.
 */
import * as Pallas from '../../dialects/pallas/index.js'
import type { Dtype } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import { cast, i32, mul, type Int, type Tile, type View } from '../../semantics/language/expression.js'
import type { AnyTile } from '../../semantics/language/instruction.js'
import type { Spec } from '../../semantics/language/program.js'

/** What every matmul here is told. */
export interface HopperTiles {
  readonly dtype: 'f16' | 'bf16'
  readonly m: number
  readonly n: number
  readonly k: number
  readonly tileM: number
  readonly tileN: number
  readonly tileK: number
  /** slots of the ring */
  readonly stages: number
}

/** Of what the tiles are multiples, and how many slots there must be. */
export interface Units {
  readonly m: readonly [unit: number, because: string]
  readonly n: readonly [unit: number, because: string]
  readonly k: readonly [unit: number, because: string]
  readonly stages: readonly [least: number, most: number, because: string]
}

/** One warpgroup, operands of 16 bits, slots that are given back one step late. */
export const wgmmaUnits: Units = {
  m: [64, 'the rows of one wgmma'],
  n: [16, 'a row of the narrowest swizzle'],
  k: [16, 'the k of one wgmma'],
  stages: [2, 32, 'since a slot is released one step after it is read'],
}

/** Columns of one wgmma. */
export const mostColumns = 256

/** Why these tiles are no kernel, or null. */
export const illegalTiles = (c: Omit<HopperTiles, 'dtype'>, units: Units = wgmmaUnits): string | null => {
  const positive = (['m', 'n', 'k', 'tileM', 'tileN', 'tileK', 'stages'] as const).find(
    (name) => !Number.isInteger(c[name]) || c[name] < 1,
  )
  if (positive !== undefined) return `${positive} is ${String(c[positive])}: expected a positive integer`
  for (const [tile, t, [unit, because]] of [
    ['tileM', c.tileM, units.m],
    ['tileN', c.tileN, units.n],
    ['tileK', c.tileK, units.k],
  ] as const)
    if (t % unit !== 0) return `${tile} is ${String(t)}: expected a multiple of ${String(unit)}, ${because}`
  const [least, most, because] = units.stages
  if (c.stages < least || c.stages > most)
    return `stages is ${String(c.stages)}: expected ${String(least)} to ${String(most)}, ${because}`
  for (const [size, tile, s, t] of [
    ['m', 'tileM', c.m, c.tileM],
    ['n', 'tileN', c.n, c.tileN],
    ['k', 'tileK', c.k, c.tileK],
  ] as const)
    if (s % t !== 0) return `${size} is ${String(s)}: expected a multiple of ${tile}, which is ${String(t)}`
  return null
}

// ---------------------------------------------------------------- tiles that two warpgroups share

export interface HalvedTiles extends HopperTiles {
  /** what of a tile each of the two has half of */
  readonly split: 'rows' | 'columns'
}

/** Threads that multiply; the next one copies. */
export const computeThreads = 2
/** Registers of a lane of the thread that copies; the others share the rest. */
export const memoryRegisters = 40

/** Why such tiles are no kernel, or null. */
export const illegalHalves = (c: HalvedTiles): string | null =>
  (c.split === 'rows'
    ? illegalTiles(c, { ...wgmmaUnits, m: [128, 'the rows of one wgmma for each of two warpgroups'] })
    : illegalTiles(c, { ...wgmmaUnits, n: [32, 'a row of the narrowest swizzle for each of two'] })) ??
  tooWide(partOf(c)[1])

/** Rows and columns of a half. */
export const partOf = (c: HalvedTiles): readonly [number, number] =>
  c.split === 'rows' ? [c.tileM / 2, c.tileN] : [c.tileM, c.tileN / 2]

/** Where the half of a thread begins in the tile. */
export const partStart = (c: HalvedTiles, wg: Int): readonly [Int, Int] => {
  const [partM, partN] = partOf(c)
  return c.split === 'rows' ? [mul(wg, i32(partM)), i32(0)] : [i32(0), mul(wg, i32(partN))]
}

// ---------------------------------------------------------------- limits

/** Why a warpgroup cannot multiply so many columns at once, or null. */
export const tooWide = (columns: number): string | null =>
  columns > mostColumns
    ? `a warpgroup multiplies ${String(columns)} columns at once: expected at most ${String(mostColumns)}`
    : null

// ---------------------------------------------------------------- what is computed, and how it leaves

/** out = a @ b, summed up in f32, or in i32. */
export const matmulSpec = (
  blockK: number = 16,
  accumulator: 'f32' | 'i32' = 'f32',
): Extract<Spec, { readonly _tag: 'matmul' }> => ({
  _tag: 'matmul',
  a: 'a',
  b: 'b',
  out: 'out',
  accumulator,
  blockK,
})

/** What sums are rounded to; f32 stays as it is. */
export type OutDtype = 'f16' | 'bf16' | 'f32'

/** Stores a tile to shared memory and starts its copy. Nothing waits for the copy yet. */
export const leave = <D extends Dtype>(
  value: AnyTile,
  outSmem: View<'smem', D, 2>,
  out: Pallas.GmemSlice<D, 2>,
): B.Build<void> =>
  B.block(function* () {
    yield* B.run('out_smem[...] = acc', { _tag: 'smem.store', destination: outSmem, value })
    yield* Pallas.commitSmem('commit_smem')
    yield* Pallas.copySmemToGmem('copy out', outSmem, out)
  })

/** The same of a tile of sums, which is rounded first. */
export const storeTile = (
  sum: Tile<'f32', 2>,
  dtype: OutDtype,
  outSmem: View<'smem', OutDtype, 2>,
  out: Pallas.GmemSlice<OutDtype, 2>,
): B.Build<void> =>
  B.block(function* () {
    const value = dtype === 'f32' ? sum : yield* B.letIn('rounded', cast(sum, dtype))
    yield* leave(value, outSmem, out)
  })
