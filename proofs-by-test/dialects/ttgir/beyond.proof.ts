/**
 * Triton's operations beyond products and attention, from their text. Oracle: each kernel of `conformance/triton/beyond.py` once more in plain
 * loops: integers exactly, f32 by a definition of its own (`float32.ts`) in the order of the PTX that Triton made of the same text, thread by thread.
 */
import { describe, expect, it } from 'vitest'
import { readModule, showModule } from '../../../src/dialects/ttgir/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import {
  beyond,
  beyondFiles,
  beyondText,
  computed,
  f32Bits,
  f32Of,
  floats,
  integers,
  out,
  type Given,
} from './beyond.js'
import { add, fma, mul, sub } from './float32.js'

const f32 = (of: Float64Array): ReadonlyArray<number> => Array.from(of, f32Of)
const rows = (data: ReadonlyArray<number>, columns: number): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: data.length / columns }, (_, r) => data.slice(r * columns, (r + 1) * columns))
const range = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, i) => i)
const column = (of: ReadonlyArray<ReadonlyArray<number>>, c: number): ReadonlyArray<number> =>
  of.map((r) => r[c]!)

// ---------------------------------------------------------------- what threads do

/** Neighbours of a thread, lanes of a warp, warps. */
interface Dealt {
  readonly each: number
  readonly lanes: number
  readonly warps: number
}

/** A scan, thread by thread: registers, `shfl.up`, totals through shared memory. `terms`: the factors of each, where it is a product. */
const scanned = (
  values: ReadonlyArray<number>,
  { each, lanes, warps }: Dealt,
  terms: ReadonlyArray<readonly [number, number]> | null = null,
): ReadonlyArray<number> => {
  /** a sum whose right operand is input i, which may be a product */
  const plus = (x: number, i: number): number =>
    terms === null ? add(x, values[i]!) : fma(terms[i]![0], terms[i]![1], x)
  const result = [...values]
  const blocks = values.length / (each * lanes * warps)
  let before: number | null = null
  for (let block = 0; block < blocks; block++)
    for (let warp = 0; warp < warps; warp++) {
      const first = (block * warps + warp) * each * lanes
      const at = (lane: number, e: number): number => first + lane * each + e
      for (let lane = 0; lane < lanes; lane++)
        for (let e = 1; e < each; e++) result[at(lane, e)] = plus(result[at(lane, e - 1)]!, at(lane, e))
      let last = range(lanes).map((lane) => result[at(lane, each - 1)]!)
      for (let d = 1; d < lanes; d *= 2) {
        const now = last
        last = now.map((x, lane) =>
          lane < d ? x : d === 1 && each === 1 ? plus(now[lane - d]!, at(lane, 0)) : add(now[lane - d]!, x),
        )
      }
      const total = last[lanes - 1]!
      if (before !== null) last = last.map((x) => add(before!, x))
      for (let lane = 0; lane < lanes; lane++) {
        const carry = lane === 0 ? before : last[lane - 1]!
        for (let e = 0; e < each - 1; e++)
          if (carry !== null)
            result[at(lane, e)] = e === 0 ? plus(carry, at(lane, e)) : add(carry, result[at(lane, e)]!)
        result[at(lane, each - 1)] = last[lane]!
      }
      before = before === null ? total : add(before, total)
    }
  return result
}

/** A sum, thread by thread: registers, then lanes 16, 8, ... apart, then warps. */
const summed = (
  values: ReadonlyArray<number>,
  { each, lanes, warps }: Dealt,
  terms: ReadonlyArray<readonly [number, number]> | null = null,
): number => {
  const fused = (i: number, x: number): number =>
    terms === null ? add(values[i]!, x) : fma(terms[i]![0], terms[i]![1], x)
  const perWarp = range(warps).map((warp) => {
    let held = range(lanes).map((lane) => {
      const at = (warp * lanes + lane) * each
      if (each === 1) return values[at]!
      let sum = fused(at, values[at + 1]!)
      for (let e = 2; e < each; e++) sum = fused(at + e, sum)
      return sum
    })
    for (let d = lanes / 2; d >= 1; d /= 2) {
      const now = held
      held = now.map((x, lane) =>
        each === 1 && d === lanes / 2 ? fused(warp * lanes + lane, now[lane ^ d]!) : add(x, now[lane ^ d]!),
      )
    }
    return held[0]!
  })
  let held = perWarp
  for (let d = warps / 2; d >= 1; d /= 2) {
    const now = held
    held = now.map((x, w) => add(x, now[w ^ d] ?? 0))
  }
  return held[0]!
}

// ---------------------------------------------------------------- texts

describe('texts', () => {
  it.each(beyondFiles)('%s is printed as it was', (file) => {
    const text = beyondText(file.replace('.ttgir', ''))
    expect(showModule(right(readModule(text)))).toBe(text.replace(/ {2}\/\/ .*/g, ''))
  })
})

// ---------------------------------------------------------------- kernels

interface Case {
  readonly grid?: ReadonlyArray<number>
  readonly args: Readonly<Record<string, Given | number>>
  /** what each output holds, floats as numbers */
  readonly leaves: Readonly<Record<string, ReadonlyArray<number>>>
  readonly isFloat?: boolean
  readonly verdict?: string
  /** control or what is stored once for all threads depends on data, so it is judged on these inputs */
  readonly isSteered?: boolean
}

const numbersOf = (of: Given | number | undefined): ReadonlyArray<number> =>
  typeof of === 'object' ? of.data : []

const cases: Readonly<Record<string, () => Case>> = {
  scan_rows_f32: () => {
    const x = floats([16, 128], 1)
    return {
      args: { x, y: out('f32', [16, 128]) },
      leaves: { y: rows(x.data, 128).flatMap((r) => scanned(r, { each: 4, lanes: 32, warps: 1 })) },
      isFloat: true,
    }
  },
  scan_rows_back: () => {
    const x = floats([16, 128], 2)
    const back = (r: ReadonlyArray<number>): ReadonlyArray<number> => [...r].reverse()
    return {
      args: { x, y: out('f32', [16, 128]) },
      leaves: {
        y: rows(x.data, 128).flatMap((r) => back(scanned(back(r), { each: 4, lanes: 32, warps: 1 }))),
      },
      isFloat: true,
    }
  },
  scan_columns: () => {
    const x = floats([128, 16], 3)
    const table = rows(x.data, 16)
    const done = range(16).map((c) => scanned(column(table, c), { each: 1, lanes: 8, warps: 4 }))
    return {
      args: { x, y: out('f32', [128, 16]) },
      leaves: { y: range(128).flatMap((r) => range(16).map((c) => done[c]![r]!)) },
      isFloat: true,
    }
  },
  scan_vector: () => {
    const x = floats([2048], 4)
    return {
      args: { x, y: out('f32', [2048]) },
      leaves: { y: scanned(x.data, { each: 4, lanes: 32, warps: 4 }) },
      isFloat: true,
    }
  },
  scan_blocks: () => {
    const x = floats([512], 5)
    return {
      args: { x, y: out('f32', [512]) },
      leaves: { y: scanned(x.data, { each: 4, lanes: 32, warps: 1 }) },
      isFloat: true,
    }
  },
  scan_short: () => {
    const x = floats([64], 6)
    return {
      args: { x, y: out('f32', [64]) },
      leaves: { y: scanned(x.data, { each: 1, lanes: 32, warps: 2 }) },
      isFloat: true,
    }
  },
  scan_rows_i32: () => {
    const x = integers([16, 128], 7, -(2 ** 31), 2 ** 31)
    return {
      args: { x, y: out('i32', [16, 128]) },
      leaves: {
        y: rows(x.data, 128).flatMap((r) => {
          let sum = 0
          return r.map((v) => (sum = (sum + v) | 0))
        }),
      },
    }
  },
  arg_rows: () => {
    const x = floats([16, 128], 8, -8, 8)
    const whole: Given = { dtype: 'f32', shape: x.shape, data: x.data.map(Math.round), role: 'in' }
    return {
      args: { x: whole, most: out('i32', [16]), least: out('i32', [16]) },
      leaves: {
        most: rows(whole.data, 128).map((r) => r.indexOf(Math.max(...r))),
        least: rows(whole.data, 128).map((r) => r.indexOf(Math.min(...r))),
      },
    }
  },
  softmax: () => {
    const x = floats([8, 256], 9)
    return {
      grid: [8],
      args: { x, y: out('f32', [8, 256], 'inout'), C: 200, stride: 256 },
      leaves: {},
      isFloat: true,
    }
  },
  sums: () => {
    const x = integers([32, 64], 10, -(2 ** 31), 2 ** 31)
    const table = rows(x.data, 64)
    const total = (of: ReadonlyArray<number>): number => of.reduce((n, v) => (n + v) | 0, 0)
    return {
      args: { x, whole: out('i32', [1]), rows: out('i32', [32]), bits: out('i32', [64]) },
      leaves: {
        whole: [total(x.data)],
        rows: table.map(total),
        bits: range(64).map((c) => column(table, c).reduce((n, v) => n ^ v, 0)),
      },
      isSteered: true,
    }
  },
  inner_product: () => {
    const [x, y] = [floats([512], 11), floats([512], 12)]
    const terms = x.data.map((v, i) => [v, y.data[i]!] as const)
    const products = terms.map(([a, b]) => mul(a, b))
    return {
      args: { x, y, whole: out('f32', [1]), part: out('f32', [1]), running: out('f32', [512]) },
      leaves: {
        whole: [summed(products, { each: 4, lanes: 32, warps: 4 }, terms)],
        part: [summed(products.slice(0, 128), { each: 1, lanes: 32, warps: 4 }, terms)],
        running: scanned(products, { each: 4, lanes: 32, warps: 4 }, terms),
      },
      isFloat: true,
    }
  },
  gather_rows: () => {
    const [x, index] = [floats([16, 64], 13), integers([16, 64], 14, 0, 64)]
    return {
      args: { x, index, y: out('f32', [16, 64]) },
      leaves: { y: index.data.map((k, i) => x.data[Math.floor(i / 64) * 64 + k]!) },
      isFloat: true,
    }
  },
  histogram: () => {
    const x = integers([512], 15, 0, 32)
    return {
      args: { x, y: out('i32', [32]) },
      leaves: { y: range(32).map((b) => x.data.filter((v) => v === b).length) },
    }
  },
  atomic_bins: () => {
    const x = integers([1000], 16, 0, 32)
    return {
      grid: [8],
      args: { x, bins: out('i32', [32], 'inout'), N: 1000 },
      leaves: { bins: range(32).map((b) => x.data.filter((v) => v === b).length) },
    }
  },
  atomic_extremes: () => {
    const x = integers([1024], 17, -1000, 1000)
    return {
      grid: [8],
      args: { x, out: out('i32', [4], 'inout') },
      leaves: {
        out: [
          Math.max(0, ...x.data),
          Math.min(0, ...x.data),
          x.data.reduce((n, v) => n | v, 0),
          x.data.reduce((n, v) => n ^ v, 0),
        ],
      },
    }
  },
  steps: () => {
    const x = integers([16], 18, 1, 200)
    const count = (v: number): number => (v === 1 ? 0 : 1 + count(v % 2 === 0 ? v / 2 : 3 * v + 1))
    return { grid: [16], args: { x, y: out('i32', [16]) }, leaves: { y: x.data.map(count) }, isSteered: true }
  },
  calls: () => {
    const x = floats([16], 19)
    const clamped = (v: number, low: number, high: number): number => Math.min(Math.max(v, low), high)
    const y = x.data.flatMap((v) => {
      const w = clamped(v, -0.25, 0.75)
      return [w, clamped(add(w, w), -1, 1)]
    })
    return {
      grid: [16],
      args: { x, y: out('f32', [32]), low: -0.25, high: 0.75 },
      leaves: { y },
      isFloat: true,
    }
  },
  early: () => {
    const x = integers([512], 20, -100, 100)
    return {
      grid: [4],
      args: { x, y: out('i32', [512], 'inout'), n: 3 },
      leaves: { y: x.data.map((v, i) => (i < 384 ? v + Math.floor(i / 128) : 0)) },
    }
  },
  product_fma: () => {
    const [a, b] = [floats([32, 16], 21), floats([16, 32], 22)]
    return {
      args: { a, b, c: out('f32', [32, 32]) },
      leaves: {
        c: range(32).flatMap((m) =>
          range(32).map((n) =>
            range(16).reduce((sum, k) => fma(a.data[m * 16 + k]!, b.data[k * 32 + n]!, sum), 0),
          ),
        ),
      },
      isFloat: true,
    }
  },
  pairs: () => {
    const [x, y] = [integers([128], 23, -1000, 1000), integers([128], 24, -1000, 1000)]
    return {
      args: { x, y, z: out('i32', [5, 128]) },
      leaves: {
        z: [
          ...x.data.flatMap((v, i) => [v, y.data[i]!]),
          ...x.data.map((v, i) => v - y.data[i]!),
          ...[...x.data].reverse(),
          ...[...x.data].sort((p, q) => p - q),
        ],
      },
    }
  },
}

describe.each(Object.keys(cases))('%s', (name) => {
  const { grid = [1], args, leaves, isFloat = false, verdict = 'ok', isSteered = false } = cases[name]!()
  it('computes what the loops compute', () => {
    const { outcome, tensors } = computed(beyond(name, grid, args), Object.keys(leaves))
    expect(outcome).toEqual({ _tag: 'completed' })
    for (const [tensor, expected] of Object.entries(leaves)) {
      const found = tensors[tensor]!
      expect(found.length).toBe(expected.length)
      const wrong = Array.from(found).flatMap((x, k) =>
        Object.is(x, isFloat ? f32Bits(expected[k]!) : expected[k]! + 0)
          ? []
          : [
              `${tensor}[${String(k)}]: expected ${String(expected[k])}, found ${String(isFloat ? f32Of(x) : x)}`,
            ],
      )
      expect(wrong.slice(0, 3)).toEqual([])
    }
  })
  it('is judged', () => {
    const of = beyond(name, grid, args)
    const judged = right(
      check(right(of.program), {
        ...standardOptions,
        arguments: of.arguments,
        provenance: false,
        ...(isSteered ? { algebra: bits('hopper', 'triton') } : {}),
      }),
    ).verdict
    expect(`${judged.verdict} ${[...new Set(judged.findings.map((f) => f.id))].join(' ')}`.trim()).toBe(
      verdict,
    )
  })
})
