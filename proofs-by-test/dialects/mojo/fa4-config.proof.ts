/** FA4Config: the table of the sources row by row, and the formulas for every depth. */
import { expect, test } from 'vitest'
import {
  fa4Config,
  smemCarveout,
  supported,
  tmemColumns,
  unsupported,
  type FA4Config,
} from '../../../src/dialects/mojo/index.js'
import { range } from '../../layouts/captured.js'

const config = (depth: number, dtypeSize: number, pageSize?: number): FA4Config =>
  fa4Config(
    pageSize === undefined
      ? { numQHeads: 8, group: 2, depth, dtypeSize }
      : { numQHeads: 8, group: 2, depth, dtypeSize, pageSize },
  )

/** S1 C0 C1 O0 O1 used of tensor memory */
const tmemOf = ({ tmem, tmemUsed }: FA4Config): ReadonlyArray<number> | null =>
  tmem === null ? null : [tmem.s1, tmem.c0, tmem.c1, tmem.o0, tmem.o1, tmemUsed]

interface Row {
  readonly of: ReadonlyArray<readonly [depth: number, size: number, page?: number]>
  readonly padded: number
  readonly bn: number
  readonly tmem: ReadonlyArray<number> | null
  readonly fixed: number
  readonly perKv: number
  readonly stages: number
  readonly used: number | null
}
const narrow = [128, 64, 192, 256, 384, 512]
const table: ReadonlyArray<Row> = [
  {
    of: [[64, 2]],
    padded: 64,
    bn: 192,
    tmem: [192, 96, 288, 384, 448, 512],
    fixed: 32892,
    perKv: 24592,
    stages: 8,
    used: 229628,
  },
  {
    of: [
      [64, 2, 128],
      [64, 2, 256],
      [64, 2, 512],
    ],
    padded: 64,
    bn: 128,
    tmem: [128, 64, 192, 256, 320, 384],
    fixed: 32892,
    perKv: 16400,
    stages: 12,
    used: 229692,
  },
  {
    of: [72, 80, 88, 96, 104, 112, 120, 128].map((d) => [d, 2] as const),
    padded: 128,
    bn: 128,
    tmem: narrow,
    fixed: 65660,
    perKv: 32784,
    stages: 5,
    used: 229580,
  },
  {
    of: [
      [64, 1],
      [128, 1],
    ],
    padded: 128,
    bn: 128,
    tmem: narrow,
    fixed: 32892,
    perKv: 16400,
    stages: 12,
    used: 229692,
  },
  { of: [[192, 2]], padded: 192, bn: 256, tmem: null, fixed: 49276, perKv: 98320, stages: 1, used: null },
  { of: [[256, 2]], padded: 256, bn: 256, tmem: null, fixed: 65660, perKv: 131088, stages: 1, used: null },
]

test('law 1: the table of the sources', () => {
  for (const row of table)
    for (const [depth, size, page] of row.of) {
      const c = config(depth, size, page)
      expect([c.paddedDepth, c.bn]).toEqual([row.padded, row.bn])
      expect(tmemOf(c)).toEqual(row.tmem)
      expect([c.smemFixed, c.smemPerKv, c.numKvStages]).toEqual([row.fixed, row.perKv, row.stages])
      if (row.used === null) expect(supported(c)).toBe(false)
      else {
        expect(c.smemUsed).toBe(row.used)
        expect(unsupported(c)).toEqual([])
      }
    }
})

test('laws 2 and 3, and the formulas, for every depth and element', () => {
  for (const depth of range(257).slice(1))
    for (const size of [1, 2, 4]) {
      const swizzle = 128 / size
      // the least multiple of the swizzle's elements that holds the depth
      const padded =
        range(9)
          .map((k) => k * swizzle)
          .find((d) => d >= depth) ?? NaN
      const room = depth > 128 ? 512 - depth : 256 - padded
      const widest =
        [...range(17)]
          .reverse()
          .map((k) => 16 * k)
          .find((bn) => bn <= room) ?? 0
      for (const page of [undefined, 64, 128, 192]) {
        const c = config(depth, size, page)
        const bn =
          page === undefined || widest === 0 || page % widest === 0
            ? widest
            : ([256, 128, 64, 32, 16].find((p) => p <= widest) ?? 0)
        const bm = depth > 128 ? 128 : 256
        const fixed = 4 + 15 * 8 + bm * padded * size
        const slot = bn * padded * size + 16
        // as many slots as fit, one after the other
        let stages = 0
        while (fixed + (stages + 1) * slot <= smemCarveout && stages < 20000) stages++
        const used = fixed + stages * slot
        const columns = 2 * bn + 2 * padded
        const found = [c.paddedDepth, c.bn, c.bm, c.bk0, c.bk1, c.numMmaStages, c.smemFixed, c.smemPerKv]
        expect([found, c.numKvStages, c.smemUsed, c.tmemUsed, supported(c), tmemOf(c)]).toEqual([
          [padded, bn, bm, padded, bn, 1, fixed, slot],
          stages,
          used,
          columns,
          depth >= 64 && bn >= 64 && stages >= 2 && columns <= tmemColumns,
          // S0 S1 O0 O1, one behind the other; C inside S, behind P of two-byte elements
          depth > 128 ? null : [bn, bn / 2, bn + bn / 2, 2 * bn, 2 * bn + padded, columns],
        ])
      }
    }
})

test('the reasons are named, each by itself', () => {
  expect(unsupported(config(48, 2))).toEqual(['depth is 48: expected at least 64'])
  expect(unsupported(config(128, 2, 32))).toEqual([])
  expect(unsupported(config(192, 2))).toEqual([
    'the number of slots is 1: expected at least 2',
    'the number of columns of tensor memory is 896: expected at most 512',
  ])
  expect(unsupported(config(128, 4))).toEqual(['the number of slots is 1: expected at least 2'])
})
