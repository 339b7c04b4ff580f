/** Captured wgmma results of an H100 (`conformance/hopper/wgmma`) as matrices of carriers: bit patterns of floats, values of integers. */
import { readFileSync } from 'node:fs'
import type { FloatMmaTypes, IntegerMmaTypes, MmaTypes } from '../../src/numerics/algebra.js'
import { isFloat, type FloatDtype } from '../../src/numerics/dtype.js'

const folder = new URL('../../conformance/hopper/wgmma/', import.meta.url)

interface Entry {
  readonly file: string
  readonly a_type: string
  readonly b_type: string
  readonly d_type: string
  readonly satfinite: boolean
  readonly tiles: number
  readonly m: number
  readonly n: number
  readonly k_total: number
  readonly k_per_instruction: number
  readonly offset_a: number
  readonly offset_b: number
  readonly offset_c: number
  readonly offset_d: number
  readonly tile_kinds: readonly string[]
}

export interface Tile {
  readonly kind: string
  /** m x k, k x n, m x n, m x n, row-major. */
  readonly a: Float64Array
  readonly b: Float64Array
  readonly c: Float64Array
  readonly d: Float64Array
}

export interface CapturedCase<T extends MmaTypes = FloatMmaTypes> {
  readonly file: string
  readonly types: T
  readonly m: number
  readonly n: number
  readonly k: number
  readonly instructionK: number
  readonly tiles: readonly Tile[]
}

const elementBytes: Readonly<Record<string, number>> = {
  f32: 4,
  tf32: 4,
  f16: 2,
  bf16: 2,
  e4m3: 1,
  e5m2: 1,
  s8: 1,
  u8: 1,
  s32: 4,
}

const carriers = (bytes: Buffer, type: string, offset: number, count: number): Float64Array => {
  const width = elementBytes[type]!
  const at = (i: number): number => offset + i * width
  return Float64Array.from({ length: count }, (_, i) =>
    type === 's8' || type === 's32' ? bytes.readIntLE(at(i), width) : bytes.readUIntLE(at(i), width),
  )
}

const float = (name: string): FloatDtype => {
  if (!isFloat(name)) throw new Error(name)
  return name
}
const byte = (name: string): 'i8' | 'u8' => (name === 's8' ? 'i8' : 'u8')

const load =
  <T extends MmaTypes>(typesOf: (entry: Entry) => T) =>
  (entry: Entry): CapturedCase<T> => {
    const { m, n, k_total: k, tiles } = entry
    const bytes = readFileSync(new URL(entry.file, folder))
    const a = carriers(bytes, entry.a_type, entry.offset_a, tiles * m * k)
    const bColumns = carriers(bytes, entry.b_type, entry.offset_b, tiles * n * k)
    const c = carriers(bytes, entry.d_type, entry.offset_c, tiles * m * n)
    const d = carriers(bytes, entry.d_type, entry.offset_d, tiles * m * n)
    return {
      file: entry.file,
      types: typesOf(entry),
      m,
      n,
      k,
      instructionK: entry.k_per_instruction,
      tiles: entry.tile_kinds.map((kind, t) => ({
        kind,
        a: a.subarray(t * m * k, (t + 1) * m * k),
        b: Float64Array.from(
          { length: k * n },
          (_, i) => bColumns[(t * n + (i % n)) * k + Math.floor(i / n)]!,
        ),
        c: c.subarray(t * m * n, (t + 1) * m * n),
        d: d.subarray(t * m * n, (t + 1) * m * n),
      })),
    }
  }

const entries = (
  JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as { cases: readonly Entry[] }
).cases

/** Every captured case whose operands are floats. */
export const capturedCases: readonly CapturedCase[] = entries
  .filter((entry) => isFloat(entry.a_type))
  .map(load((entry) => ({ a: float(entry.a_type), b: float(entry.b_type), acc: float(entry.d_type) })))

/** And every other: s8 and u8 into s32. */
export const capturedIntegers: readonly CapturedCase<IntegerMmaTypes>[] = entries
  .filter((entry) => entry.d_type === 's32')
  .map(
    load((entry) => ({
      a: byte(entry.a_type),
      b: byte(entry.b_type),
      acc: 'i32',
      saturate: entry.satfinite,
    })),
  )

/** Dot products of cases. */
export const dotProducts = (cases: readonly CapturedCase<MmaTypes>[]): number =>
  cases.reduce((sum, { tiles, m, n }) => sum + tiles.length * m * n, 0)

/** How many elements differ. */
export const mismatches = (x: Float64Array, y: Float64Array): number =>
  x.length === y.length
    ? x.reduce((count, value, i) => (Object.is(value, y[i]) ? count : count + 1), 0)
    : Infinity
