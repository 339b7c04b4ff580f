/**
 * Two half-words or four bytes at once, as integers that do not run over: vadd2, vadd4 and their kin.
 *
 * Each lane of a and b is extended by the sign or by zeros of its type, so that what comes out is exact; then it is cut to the lane, clamped to the
 * lane of the type of d (`.sat`), or all lanes are summed onto c (`.add`).
 *
 * | operation  | of a lane                                                |
 * |------------|----------------------------------------------------------|
 * | vadd vsub  | a + b, a - b                                             |
 * | vavrg      | (a + b + 1) >> 1 where a + b >= 0, else (a + b) >> 1     |
 * | vabsdiff   | |a - b|                                                  |
 * | vmin vmax  | the smaller, the larger                                  |
 * | vset       | 1 where a compares so with b, else 0; it never saturates |
 *
 * By hand: vabsdiff4.u32.u32.u32 of 0x01020304 and 0x04030201 is 0x03010103, and with `.add` 8 + c.
 *
 * Laws
 * 1. Where no lane leaves its range, `.sat` changes nothing.
 * 2. Every word is an H100's (`conformance/hopper/single`).
 *
 * Source: PTX ISA, "SIMD Video Instructions".
 */
import { operation, type Compute, type ScalarOperation } from './operation.js'

const types = ['u32', 's32'] as const
type Type = (typeof types)[number]

const ofLanes = {
  vadd: (a, b) => a + b,
  vsub: (a, b) => a - b,
  vavrg: (a, b) => (a + b >= 0 ? a + b + 1 : a + b) >> 1,
  vabsdiff: (a, b) => Math.abs(a - b),
  vmin: (a, b) => Math.min(a, b),
  vmax: (a, b) => Math.max(a, b),
} as const satisfies Readonly<Record<string, (a: number, b: number) => number>>

/** The lane of a word that begins at a bit. */
const lane =
  (type: Type, bits: number) =>
  (word: number, at: number): number => {
    const top = word << (32 - bits - at)
    return type === 's32' ? top >> (32 - bits) : top >>> (32 - bits)
  }

const rowsOf = (name: keyof typeof ofLanes, lanes: 2 | 4): readonly ScalarOperation[] => {
  const bits = 32 / lanes
  const mask = 2 ** bits - 1
  const f = ofLanes[name]
  return types.flatMap((d) =>
    types.flatMap((a) =>
      types.flatMap((b) => {
        const [ofA, ofB] = [lane(a, bits), lane(b, bits)]
        const [least, most] = d === 's32' ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, mask]
        const merged =
          (cut: (x: number) => number): Compute =>
          (x, y) => {
            let word = 0
            for (let at = 0; at < 32; at += bits) word |= (cut(f(ofA(x, at), ofB(y, at))) & mask) << at
            return word
          }
        const summed: Compute = (x, y, c) => {
          let sum = c
          for (let at = 0; at < 32; at += bits) sum = (sum + f(ofA(x, at), ofB(y, at))) | 0
          return sum
        }
        const row = (mark: string, compute: Compute): ScalarOperation =>
          operation('integer', `${name}${String(lanes)}.${d}.${a}.${b}${mark}`, [a, b, d], [d], compute)
        return [
          row(
            '',
            merged((x) => x),
          ),
          row(
            '.sat',
            merged((x) => Math.min(Math.max(x, least), most)),
          ),
          row('.add', summed),
        ]
      }),
    ),
  )
}

const comparisons = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
} as const satisfies Readonly<Record<string, (a: number, b: number) => boolean>>

const comparedRows = (lanes: 2 | 4): readonly ScalarOperation[] => {
  const bits = 32 / lanes
  return types.flatMap((a) =>
    types.flatMap((b) =>
      Object.entries(comparisons).flatMap(([name, holds]) => {
        const [ofA, ofB] = [lane(a, bits), lane(b, bits)]
        const each = (
          x: number,
          y: number,
          start: number,
          put: (word: number, at: number) => number,
        ): number => {
          let word = start
          for (let at = 0; at < 32; at += bits) if (holds(ofA(x, at), ofB(y, at))) word = put(word, at)
          return word
        }
        const row = (mark: string, compute: Compute): ScalarOperation =>
          operation(
            'integer',
            `vset${String(lanes)}.${a}.${b}.${name}${mark}`,
            [a, b, 'u32'],
            ['u32'],
            compute,
          )
        return [
          row('', (x, y) => each(x, y, 0, (word, at) => word | (1 << at))),
          row('.add', (x, y, c) => each(x, y, c, (word) => (word + 1) | 0)),
        ]
      }),
    ),
  )
}

export const videoRows: readonly ScalarOperation[] = [
  ...(['vadd', 'vsub', 'vavrg', 'vabsdiff', 'vmin', 'vmax'] as const).flatMap((name) => [
    ...rowsOf(name, 2),
    ...rowsOf(name, 4),
  ]),
  ...comparedRows(2),
  ...comparedRows(4),
]
