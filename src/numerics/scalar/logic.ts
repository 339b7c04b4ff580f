/**
 * Bits: logic, shifts, fields, counts and permutations of bytes.
 *
 * | form                | result                                                                | by hand                               |
 * |---------------------|-----------------------------------------------------------------------|---------------------------------------|
 * | lop3                | bit by bit, entry 4a + 2b + c of a table of 8 bits                    | 0x96: a ^ b ^ c                       |
 * | shl shr             | shift counts above the width count as the width                       | shr.s32 -1, 40 = -1                   |
 * | shf.l, shf.r        | the upper, lower word of b:a shifted; count clamped to 32 or mod 32   | shf.l.wrap 0x80000000, 0, 1 = 1       |
 * | bfe                 | c bits of a from bit b on; s: sign extended                           | bfe.s32 0xF0, 4, 4 = -1               |
 * | bfi                 | b with d bits of a put in at bit c                                    | bfi 0xF, 0, 4, 4 = 0xF0               |
 * | bfind               | place of the highest bit that is not the sign; all ones if none       | bfind.s32 -1 = -1                     |
 * | fns                 | place of the n-th set bit from a base on, upwards or downwards        | fns 0b1010, 0, 2 = 3                  |
 * | prmt                | four of the eight bytes of b:a, each by 4 bits of c                   | prmt x, 0, 0x0123: bytes reversed     |
 * | szext, bmsk         | extension from a bit on, a run of ones                                | bmsk 4, 4 = 0xF0                      |
 *
 * Positions and lengths of 32-bit fields are their low 8 bits. Those of 64-bit fields should be (PTX ISA); measured, all 32 bits count.
 * Not specified, and measured: `fns` by -2^31 is 0, from a base above 31 all ones.
 *
 * Laws
 * 1. lop3 with the table f(0xF0, 0xCC, 0xAA) is f, bit by bit.
 * 2. shf.l and shf.r with complementary counts (32 together) give the same word, for counts of 1 to 31.
 * 3. bfe.u of bfi is the field, where it fits.
 * 4. brev is an involution; popc is invariant under it; clz(x) = bfind.shiftamt(x) for x not 0.
 *
 * Source: PTX ISA, "Logic and Shift Instructions", "Integer Arithmetic Instructions".
 */
import { operation, rest, type Compute, type ScalarOperation, type ScalarType } from './operation.js'
import { narrow, signBit } from './words.js'

const pair = (low: number, high: number): number => {
  rest[0] = high
  return low
}

const row = (
  name: string,
  operands: readonly ScalarType[],
  result: ScalarType,
  compute: Compute,
): ScalarOperation => operation('logic', name, operands, [result], compute)

const bitwise: readonly ScalarOperation[] = (
  [
    ['and', (a, b) => a & b],
    ['or', (a, b) => a | b],
    ['xor', (a, b) => a ^ b],
  ] satisfies readonly (readonly [string, (a: number, b: number) => number])[]
).flatMap(([name, f]) => [
  row(`${name}.pred`, ['pred', 'pred'], 'pred', f),
  row(`${name}.b16`, ['b16', 'b16'], 'b16', (a, b) => f(a, b) & 0xffff),
  row(`${name}.b32`, ['b32', 'b32'], 'b32', f),
  row(`${name}.b64`, ['b64', 'b64'], 'b64', (al, ah, bl, bh) => pair(f(al, bl), f(ah, bh))),
])

const complements: readonly ScalarOperation[] = [
  row('not.pred', ['pred'], 'pred', (a) => a ^ 1),
  row('not.b16', ['b16'], 'b16', (a) => ~a & 0xffff),
  row('not.b32', ['b32'], 'b32', (a) => ~a),
  row('not.b64', ['b64'], 'b64', (l, h) => pair(~l, ~h)),
  row('cnot.b16', ['b16'], 'b16', (a) => ((a & 0xffff) === 0 ? 1 : 0)),
  row('cnot.b32', ['b32'], 'b32', (a) => (a === 0 ? 1 : 0)),
  row('cnot.b64', ['b64'], 'b64', (l, h) => pair((l | h) === 0 ? 1 : 0, 0)),
]

/** Three words by a table of 8 bits. */
export const lop3 = (a: number, b: number, c: number, table: number): number => {
  let d = 0
  if (table & 0x01) d |= ~a & ~b & ~c
  if (table & 0x02) d |= ~a & ~b & c
  if (table & 0x04) d |= ~a & b & ~c
  if (table & 0x08) d |= ~a & b & c
  if (table & 0x10) d |= a & ~b & ~c
  if (table & 0x20) d |= a & ~b & c
  if (table & 0x40) d |= a & b & ~c
  if (table & 0x80) d |= a & b & c
  return d
}

const lop3Rows: readonly ScalarOperation[] = [
  row('lop3.b32', ['b32', 'b32', 'b32', 'b32'], 'b32', lop3),
  ...(['or', 'and'] as const).map((bool) =>
    operation(
      'logic',
      `lop3.${bool}.b32`,
      ['b32', 'b32', 'b32', 'b32', 'pred'],
      ['b32', 'pred'],
      (a, b, c, table, q) => {
        const d = lop3(a, b, c, table)
        rest[0] = bool === 'or' ? (d !== 0 ? 1 : 0) | q : d !== 0 ? q : 0
        return d
      },
    ),
  ),
]

/** Shift of a pair to the left by 0 to 64. */
const shiftLeft64 = (l: number, h: number, n: number): number => {
  if (n === 0) return pair(l, h)
  if (n < 32) return pair(l << n, (h << n) | (l >>> (32 - n)))
  return pair(0, n > 63 ? 0 : l << (n - 32))
}

/** Shift of a pair to the right by 0 to 64; zeros, or the sign, come in. */
const shiftRight64 = (l: number, h: number, n: number, fill: number): number => {
  if (n === 0) return pair(l, h)
  if (n < 32) return pair((l >>> n) | (h << (32 - n)), (h >>> n) | (fill << (32 - n)))
  if (n === 32) return pair(h, fill)
  return pair(n > 63 ? fill : (h >>> (n - 32)) | (fill << (64 - n)), fill)
}

const atMost = (n: number, limit: number): number => (n >>> 0 > limit ? limit : n)

const shifts: readonly ScalarOperation[] = [
  row('shl.b16', ['b16', 'u32'], 'b16', (a, n) => (n >>> 0 > 15 ? 0 : (a << n) & 0xffff)),
  row('shl.b32', ['b32', 'u32'], 'b32', (a, n) => (n >>> 0 > 31 ? 0 : a << n)),
  row('shl.b64', ['b64', 'u32'], 'b64', (l, h, n) => shiftLeft64(l, h, atMost(n, 64))),
  ...(['b', 'u'] as const).flatMap((t) => [
    row(`shr.${t}16`, [`${t}16`, 'u32'], `${t}16`, (a, n) => (n >>> 0 > 15 ? 0 : (a & 0xffff) >>> n)),
    row(`shr.${t}32`, [`${t}32`, 'u32'], `${t}32`, (a, n) => (n >>> 0 > 31 ? 0 : (a >>> n) | 0)),
    row(`shr.${t}64`, [`${t}64`, 'u32'], `${t}64`, (l, h, n) => shiftRight64(l, h, atMost(n, 64), 0)),
  ]),
  row('shr.s16', ['s16', 'u32'], 's16', (a, n) => narrow.s16(a) >> atMost(n, 31)),
  row('shr.s32', ['s32', 'u32'], 's32', (a, n) => a >> atMost(n, 31)),
  row('shr.s64', ['s64', 'u32'], 's64', (l, h, n) => shiftRight64(l, h, atMost(n, 64), h >> 31)),
]

const funnel: readonly ScalarOperation[] = (['clamp', 'wrap'] as const).flatMap((mode) => {
  const count = mode === 'clamp' ? (n: number) => atMost(n, 32) : (n: number) => n & 31
  return [
    row(`shf.l.${mode}.b32`, ['b32', 'b32', 'u32'], 'b32', (a, b, c) => {
      const n = count(c)
      return n === 0 ? b : n === 32 ? a : (b << n) | (a >>> (32 - n))
    }),
    row(`shf.r.${mode}.b32`, ['b32', 'b32', 'u32'], 'b32', (a, b, c) => {
      const n = count(c)
      return n === 0 ? a : n === 32 ? b : (b << (32 - n)) | (a >>> n)
    }),
  ]
})

const popc = (x: number): number => {
  const two = x - ((x >>> 1) & 0x55555555)
  const four = (two & 0x33333333) + ((two >>> 2) & 0x33333333)
  return Math.imul((four + (four >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

const reverse = (x: number): number => {
  let y = ((x >>> 1) & 0x55555555) | ((x & 0x55555555) << 1)
  y = ((y >>> 2) & 0x33333333) | ((y & 0x33333333) << 2)
  y = ((y >>> 4) & 0x0f0f0f0f) | ((y & 0x0f0f0f0f) << 4)
  y = ((y >>> 8) & 0x00ff00ff) | ((y & 0x00ff00ff) << 8)
  return (y >>> 16) | (y << 16)
}

const clz64 = (l: number, h: number): number => (h === 0 ? 32 + Math.clz32(l) : Math.clz32(h))

/** The highest set bit counted from the bottom, or from the top (`shiftamt`); all ones of zero. */
const find32 = (x: number, shiftamt: boolean): number =>
  x === 0 ? -1 : shiftamt ? Math.clz32(x) : 31 - Math.clz32(x)
const find64 = (l: number, h: number, shiftamt: boolean): number =>
  (l | h) === 0 ? -1 : shiftamt ? clz64(l, h) : 63 - clz64(l, h)

const counts: readonly ScalarOperation[] = [
  row('popc.b32', ['b32'], 'u32', popc),
  row('popc.b64', ['b64'], 'u32', (l, h) => popc(l) + popc(h)),
  row('clz.b32', ['b32'], 'u32', Math.clz32),
  row('clz.b64', ['b64'], 'u32', clz64),
  row('brev.b32', ['b32'], 'b32', reverse),
  row('brev.b64', ['b64'], 'b64', (l, h) => pair(reverse(h), reverse(l))),
  ...[false, true].flatMap((shiftamt) => {
    const name = shiftamt ? 'bfind.shiftamt' : 'bfind'
    return [
      row(`${name}.u32`, ['u32'], 'u32', (a) => find32(a, shiftamt)),
      row(`${name}.s32`, ['s32'], 'u32', (a) => find32(a ^ (a >> 31), shiftamt)),
      row(`${name}.u64`, ['u64'], 'u32', (l, h) => find64(l, h, shiftamt)),
      row(`${name}.s64`, ['s64'], 'u32', (l, h) => find64(l ^ (h >> 31), h ^ (h >> 31), shiftamt)),
    ]
  }),
  row('fns.b32', ['b32', 'b32', 's32'], 'b32', (mask, base, offset) => {
    // Measured: the one offset without a magnitude.
    if (offset === signBit) return 0
    const start = base >>> 0
    if (start > 31) return -1
    if (offset === 0) return (mask >>> start) & 1 ? start : -1
    const step = offset > 0 ? 1 : -1
    let left = Math.abs(offset)
    for (let at = start; at >= 0 && at < 32; at += step) if ((mask >>> at) & 1 && --left === 0) return at
    return -1
  }),
]

/** Ones in the low n bits, n of 0 to 32 and more. */
const ones = (n: number): number => (n > 31 ? -1 : (1 << n) - 1)

const bfe32 =
  (signed: boolean): Compute =>
  (a, b, c) => {
    const at = b & 0xff
    const length = c & 0xff
    if (length === 0) return 0
    // What lies above the word is the sign, or zeros.
    const beyond = signed ? a >> 31 : 0
    const shifted = at > 31 ? beyond : signed ? a >> at : a >>> at
    if (length > 31) return shifted | 0
    return signed ? (shifted << (32 - length)) >> (32 - length) : shifted & ones(length)
  }

const bfe64 =
  (signed: boolean): Compute =>
  (l, h, b, c) => {
    const at = atMost(b, 64)
    const length = atMost(c, 64)
    if (length === 0) return pair(0, 0)
    const low = shiftRight64(l, h, at, signed ? h >> 31 : 0)
    const high = rest[0]!
    if (length > 63) return pair(low, high)
    const up = shiftLeft64(low, high, 64 - length)
    const top = rest[0]!
    return shiftRight64(up, top, 64 - length, signed ? top >> 31 : 0)
  }

const fields: readonly ScalarOperation[] = [
  row('bfe.u32', ['u32', 'u32', 'u32'], 'u32', bfe32(false)),
  row('bfe.s32', ['s32', 'u32', 'u32'], 's32', bfe32(true)),
  row('bfe.u64', ['u64', 'u32', 'u32'], 'u64', bfe64(false)),
  row('bfe.s64', ['s64', 'u32', 'u32'], 's64', bfe64(true)),
  row('bfi.b32', ['b32', 'b32', 'u32', 'u32'], 'b32', (a, b, c, d) => {
    const at = c & 0xff
    if (at > 31) return b
    const mask = ones(d & 0xff) << at
    return ((a << at) & mask) | (b & ~mask)
  }),
  row('bfi.b64', ['b64', 'b64', 'u32', 'u32'], 'b64', (al, ah, bl, bh, c, d) => {
    const at = atMost(c, 64)
    const length = atMost(d, 64)
    const maskLow = shiftLeft64(ones(length), length > 32 ? ones(length - 32) : 0, at)
    const maskHigh = rest[0]!
    const low = shiftLeft64(al, ah, at)
    return pair((low & maskLow) | (bl & ~maskLow), (rest[0]! & maskHigh) | (bh & ~maskHigh))
  }),
  ...(['clamp', 'wrap'] as const).flatMap((mode) => {
    const beyond = (x: number): boolean => mode === 'clamp' && x >>> 0 > 31
    const szext =
      (signed: boolean): Compute =>
      (a, b) => {
        const bits = b & 31
        const mask = beyond(b) ? 0 : -1 << bits
        const sign = signed && bits !== 0 && !beyond(b) && ((a >>> (bits - 1)) & 1) === 1
        return (a & ~mask) | (sign ? mask : 0)
      }
    return [
      row(`bmsk.${mode}.b32`, ['b32', 'b32'], 'b32', (a, b) => {
        if (beyond(a)) return 0
        const from = -1 << (a & 31)
        const end = (a & 31) + (b & 31)
        const above = end > 31 || beyond(b) ? 0 : -1 << end
        return from & ~above
      }),
      row(`szext.${mode}.u32`, ['u32', 'u32'], 'u32', szext(false)),
      row(`szext.${mode}.s32`, ['s32', 'u32'], 's32', szext(true)),
    ]
  }),
]

/** Four selectors of bytes in nibbles to a word; bit 3 of a nibble asks for the sign of the byte. */
const permute = (a: number, b: number, selectors: number): number => {
  let d = 0
  for (let i = 0; i < 4; i++) {
    const nibble = (selectors >>> (4 * i)) & 15
    const at = nibble & 3
    const byte = ((nibble & 4 ? b : a) >>> (8 * at)) & 0xff
    d |= (nibble & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << (8 * i)
  }
  return d
}

/** The selectors of each mode, for the four values of the low bits of c. */
const modes = {
  f4e: [0x3210, 0x4321, 0x5432, 0x6543],
  b4e: [0x5670, 0x6701, 0x7012, 0x0123],
  rc8: [0x0000, 0x1111, 0x2222, 0x3333],
  ecl: [0x3210, 0x3211, 0x3222, 0x3333],
  ecr: [0x0000, 0x1110, 0x2210, 0x3210],
  rc16: [0x1010, 0x3232, 0x1010, 0x3232],
} as const

const permutations: readonly ScalarOperation[] = [
  row('prmt.b32', ['b32', 'b32', 'b32'], 'b32', permute),
  ...(['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'] as const).map((mode) =>
    row(`prmt.b32.${mode}`, ['b32', 'b32', 'b32'], 'b32', (a, b, c) => permute(a, b, modes[mode][c & 3]!)),
  ),
]

const moves: readonly ScalarOperation[] = [
  row('mov.pred', ['pred'], 'pred', (a) => a),
  ...(['b16', 'u16', 's16'] as const).map((t) =>
    row(`mov.${t}`, [t], t, t === 's16' ? narrow.s16 : narrow.u16),
  ),
  ...(['b32', 'u32', 's32', 'f32'] as const).map((t) => row(`mov.${t}`, [t], t, (a) => a)),
  ...(['b64', 'u64', 's64', 'f64'] as const).map((t) => row(`mov.${t}`, [t], t, pair)),
]

export const logicRows: readonly ScalarOperation[] = [
  ...bitwise,
  ...complements,
  ...lop3Rows,
  ...shifts,
  ...funnel,
  ...counts,
  ...fields,
  ...permutations,
  ...moves,
]
