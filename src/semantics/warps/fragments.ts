/**
 * Fragments: which element of a matrix stands where in the registers of a warp.
 *
 * Every layout of `mma` and `wmma` is linear in the bits of the lane, of the position in a register (low bits first), and of the number of the register: each
 * bit that is set moves by so many rows and columns. So a layout is a list of steps.
 *
 *     a of m16n8k16, f16      lane      +2 k, +4 k, +1 row, +2 rows, +4 rows
 *                             position  +1 k
 *                             register  +8 rows, +8 k
 *     lane 9 (binary 01001), register 3, position 1: row 2 + 8 = 10, k 2 + 8 + 1 = 11
 *
 * | matrix          | two low bits of the lane   | three high bits | registers, in this order                                   |
 * |-----------------|----------------------------|-----------------|------------------------------------------------------------|
 * | a               | k, by a register           | rows            | +8 rows where m > 8; k; +16 rows where m = 32               |
 * | b               | k, by a register           | columns         | k; +8 columns where n = 16                                 |
 * | c, d            | columns, by two            | rows            | +1 column (the other half of a register of f16); +8 rows; +8 columns; +16 rows |
 *
 * With n = 32 the product is the transposed one: a is laid out as b would be, b as a, c and d with rows and columns exchanged. m8n8k4 of f16 is four
 * products; a quarter of the lanes, four low ones and the four 16 above, has each.
 *
 * PTX says the layouts of `mma`. Those of `wmma` it leaves open; these are an H100's, of which a program that relies on them is wrong. Of f16 the fragments of a and b
 * have registers that hold elements for the second time: they are written, and not read.
 *
 * Laws
 * 1. every element of a matrix stands somewhere in its fragment; of c and d once.
 * 2. what `wmma.load` and `wmma.store` move on an H100 is what these say, for every shape, type and layout.
 *
 * Source: PTX ISA, matrix fragments of mma; measured (`conformance/hopper/mma`).
 */
import { warpElementBits, type WarpProduct } from '../../numerics/warp-product.js'
import type { Row } from '../machine/warp-stand.js'
import { wordAt, type Rows } from './rows.js'

/** What a bit that is set adds to row and column. */
export type Step = readonly [rows: number, columns: number]

export interface Fragment {
  readonly rows: number
  readonly columns: number
  readonly bits: 1 | 4 | 8 | 16 | 32 | 64
  /** of the five bits of a lane */
  readonly lanes: ReadonlyArray<Step>
  /** of a position in a register */
  readonly positions: ReadonlyArray<Step>
  readonly registers: ReadonlyArray<Step>
}

export type Operand = 'a' | 'b' | 'c' | 'd'

const turned = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => steps.map(([r, c]): Step => [c, r])

const doubling = (from: number, below: number, step: (by: number) => Step): ReadonlyArray<Step> => {
  const out: Step[] = []
  for (let by = from; by < below; by *= 2) out.push(step(by))
  return out
}

const outer: ReadonlyArray<Step> = [
  [1, 0],
  [2, 0],
  [4, 0],
]

/** Elements in a register: one of 64 bits, else as many as fit in 32. */
const perRegister = (bits: number): number => Math.max(1, 32 / bits)

/** a of so many rows, or b with rows and columns exchanged. */
const tall = (m: number, k: number, bits: Fragment['bits']): Omit<Fragment, 'bits'> => {
  const per = perRegister(bits)
  return {
    rows: m,
    columns: k,
    lanes: [...doubling(per, 4 * per, (by) => [0, by]), ...outer],
    positions: doubling(1, per, (by) => [0, by]),
    registers: [
      ...(m > 8 ? [[8, 0] as const] : []),
      ...doubling(4 * per, k, (by) => [0, by]),
      ...(m > 16 ? [[16, 0] as const] : []),
    ],
  }
}

/** b of so many columns, with rows and columns exchanged; or a that stands in its place. */
const wide = (n: number, k: number, bits: Fragment['bits']): Omit<Fragment, 'bits'> => {
  const per = perRegister(bits)
  return {
    rows: n,
    columns: k,
    lanes: [...doubling(per, 4 * per, (by) => [0, by]), ...outer],
    positions: doubling(1, per, (by) => [0, by]),
    registers: [...doubling(4 * per, k, (by) => [0, by]), ...(n > 8 ? [[8, 0] as const] : [])],
  }
}

const accumulator = (m: number, n: number, bits: Fragment['bits']): Omit<Fragment, 'bits'> => ({
  rows: m,
  columns: n,
  lanes: [[0, 2], [0, 4], ...outer],
  positions: bits === 16 ? [[0, 1]] : [],
  registers: [
    ...(bits === 16 ? [] : [[0, 1] as const]),
    ...(m > 8 ? [[8, 0] as const] : []),
    ...(n > 8 ? [[0, 8] as const] : []),
    ...(m > 16 ? [[16, 0] as const] : []),
  ],
})

const exchanged = (f: Omit<Fragment, 'bits'>): Omit<Fragment, 'bits'> => ({
  rows: f.columns,
  columns: f.rows,
  lanes: turned(f.lanes),
  positions: turned(f.positions),
  registers: turned(f.registers),
})

/** m8n8k4 of f16: the four products one below the other. */
const quads = (
  operand: Operand,
  p: WarpProduct,
  layouts: readonly ['row' | 'col', 'row' | 'col'],
): Omit<Fragment, 'bits'> => {
  const inLanes = (low: Step, quarter: Step, high: Step): ReadonlyArray<Step> => [
    low,
    [2 * low[0], 2 * low[1]],
    quarter,
    [2 * quarter[0], 2 * quarter[1]],
    high,
  ]
  switch (operand) {
    case 'a':
      return {
        rows: 32,
        columns: 4,
        lanes: inLanes(layouts[0] === 'row' ? [1, 0] : [0, 1], [8, 0], [4, 0]),
        positions: layouts[0] === 'row' ? [[0, 1]] : [[1, 0]],
        registers: layouts[0] === 'row' ? [[0, 2]] : [[2, 0]],
      }
    case 'b':
      return {
        rows: 16,
        columns: 8,
        lanes: inLanes(layouts[1] === 'row' ? [1, 0] : [0, 1], [4, 0], [0, 4]),
        positions: layouts[1] === 'row' ? [[0, 1]] : [[1, 0]],
        registers: layouts[1] === 'row' ? [[0, 2]] : [[2, 0]],
      }
    case 'c':
    case 'd':
      return p[operand] === 'f16'
        ? {
            rows: 32,
            columns: 8,
            lanes: inLanes([1, 0], [8, 0], [4, 0]),
            positions: [[0, 1]],
            registers: [
              [0, 2],
              [0, 4],
            ],
          }
        : {
            rows: 32,
            columns: 8,
            lanes: [
              [1, 0],
              [0, 2],
              [8, 0],
              [16, 0],
              [4, 0],
            ],
            positions: [],
            registers: [
              [0, 1],
              [2, 0],
              [0, 4],
            ],
          }
  }
}

const shapeOf = (
  operand: Operand,
  p: WarpProduct,
  layouts: readonly ['row' | 'col', 'row' | 'col'],
): Omit<Fragment, 'bits'> => {
  const { m, n, k } = p.shape
  const bits = warpElementBits(p[operand])
  if (p.products === 4) return quads(operand, p, layouts)
  const across = n > 16
  switch (operand) {
    case 'a':
      return across ? wide(m, k, bits) : tall(m, k, bits)
    case 'b':
      return exchanged(across ? tall(n, k, bits) : wide(n, k, bits))
    case 'c':
    case 'd':
      return across ? exchanged(accumulator(n, m, bits)) : accumulator(m, n, bits)
  }
}

/** The fragment of an operand in so many registers; those that the layout does not need hold what others hold. */
export const fragmentOf = (
  operand: Operand,
  p: WarpProduct,
  layouts: readonly ['row' | 'col', 'row' | 'col'],
  registers: number,
): Fragment => {
  const f = shapeOf(operand, p, layouts)
  const more = Math.max(0, Math.round(Math.log2(registers)) - f.registers.length)
  return {
    rows: f.rows,
    columns: f.columns,
    bits: warpElementBits(p[operand]),
    lanes: f.lanes,
    positions: f.positions,
    registers: [...f.registers, ...Array.from({ length: more }, (): Step => [0, 0])],
  }
}

// ---------------------------------------------------------------- places

/** Row and column that the bits of a number add up to. */
export const along = (steps: ReadonlyArray<Step>, number: number): Step => {
  let rows = 0
  let columns = 0
  steps.forEach(([r, c], bit) => {
    if ((number >> bit) & 1) {
      rows += r
      columns += c
    }
  })
  return [rows, columns]
}

/** By element, row by row: its register, lane, and the bit at which it begins. Of an element that stands twice, the first. */
export interface Places {
  readonly registers: Uint8Array
  readonly lanes: Uint8Array
  readonly shifts: Uint8Array
}

export const placesOf = (f: Fragment): Places => {
  const count = f.rows * f.columns
  const places: Places = {
    registers: new Uint8Array(count),
    lanes: new Uint8Array(count),
    shifts: new Uint8Array(count),
  }
  for (let register = (1 << f.registers.length) - 1; register >= 0; register--)
    for (let lane = 0; lane < 32; lane++)
      for (let position = 0; position < 1 << f.positions.length; position++) {
        const [r0, c0] = along(f.registers, register)
        const [r1, c1] = along(f.lanes, lane)
        const [r2, c2] = along(f.positions, position)
        const at = (r0 + r1 + r2) * f.columns + c0 + c1 + c2
        places.registers[at] = register
        places.lanes[at] = lane
        places.shifts[at] = f.bits === 64 ? 0 : position * f.bits
      }
  return places
}

const maskOf = (bits: Fragment['bits']): number => (bits >= 32 ? -1 : (1 << bits) - 1)

/** The matrix that rows hold, as patterns; of f64 two words an element. `unknown`: 1 where nothing has said what it is. */
export const gathered = (
  r: Rows,
  f: Fragment,
  places: Places,
  rows: ReadonlyArray<Row>,
  unknown: Uint8Array,
): Float64Array => {
  const count = f.rows * f.columns
  const words = f.bits === 64 ? 2 : 1
  const mask = maskOf(f.bits)
  const out = new Float64Array(count * words)
  for (let i = 0; i < count; i++) {
    const lane = places.lanes[i]!
    for (let w = 0; w < words; w++) {
      const row = rows[places.registers[i]! * words + w]!
      out[i * words + w] = ((wordAt(r, row, lane) >>> places.shifts[i]!) & mask) >>> 0
      if ((r.unknown[row]! & (1 << lane)) !== 0) unknown[i] = 1
    }
  }
  return out
}
