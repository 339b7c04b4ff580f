/**
 * Integer arithmetic of 16 and 32 bits, and two of 16 in a word.
 *
 * | form                | result                                              | by hand, s32                              |
 * |---------------------|-----------------------------------------------------|-------------------------------------------|
 * | add sub mul.lo mad.lo | modulo 2^bits                                     | 0x7FFFFFFF + 1 = 0x80000000               |
 * | add.sat sub.sat     | clamped (s32)                                       | 0x7FFFFFFF + 1 = 0x7FFFFFFF               |
 * | mul.hi              | the upper half of the product                       | -1 * 1 -> -1                              |
 * | div rem             | toward zero; the remainder has the sign of a        | -7 / 2 = -3, remainder -1                 |
 * | abs neg             | modulo 2^bits                                       | abs 0x80000000 = 0x80000000               |
 * | sad                 | c + |a - b|, the difference without overflow        |                                           |
 * | mul24.lo, mul24.hi  | bits 31..0, 47..16 of the product of the low 24 bits | mul24.hi 0x800000, 1 = -128 (signed)     |
 * | dp4a, dp2a          | c + the products of bytes with bytes, halves with bytes |                                       |
 *
 * Division by zero is not specified. Measured: `div` and `rem` give all ones.
 *
 * Laws
 * 1. a = div(a, b) b + rem(a, b) modulo 2^bits, for b not 0.
 * 2. add, mul, min, max commute; sub(a, b) = add(a, neg(b)).
 * 3. A pair is its halves.
 *
 * Source: PTX ISA, "Integer Arithmetic Instructions"; measured on an H100 (`conformance/hopper/ptx`).
 */
import { operation, rest, type Compute, type ScalarOperation } from './operation.js'
import { integerOf, narrow, productHigh, productHighSigned } from './words.js'

type Narrow = 'u16' | 's16' | 'u32' | 's32'
const narrowTypes: readonly Narrow[] = ['u16', 's16', 'u32', 's32']

const clampS32 = (x: number): number => (x > 2147483647 ? 2147483647 : x < -2147483648 ? -2147483648 : x)

/** The bits of a type above 32 or 16: of 32 bits, all ones for the quotient by zero. */
const quotient = (type: Narrow): Compute => {
  const value = integerOf[type]
  const word = narrow[type]
  return (a, b) => (value(b) === 0 ? word(-1) : word(Math.trunc(value(a) / value(b))))
}

const remainder = (type: Narrow): Compute => {
  const value = integerOf[type]
  const word = narrow[type]
  return (a, b) => (value(b) === 0 ? word(-1) : word(value(a) % value(b)))
}

/** The upper half of a product. */
const upper = (type: Narrow): ((a: number, b: number) => number) => {
  switch (type) {
    case 'u16':
      return (a, b) => ((a & 0xffff) * (b & 0xffff)) >>> 16
    case 's16':
      return (a, b) => (narrow.s16(a) * narrow.s16(b)) >> 16
    case 'u32':
      return productHigh
    case 's32':
      return productHighSigned
  }
}

const wider = { u16: 'u32', s16: 's32', u32: 'u64', s32: 's64' } as const

/** The whole product, of 32 or 64 bits. */
const wide = (type: Narrow): Compute => {
  const value = integerOf[type]
  const high = upper(type)
  if (type === 'u16' || type === 's16') return (a, b) => Math.imul(value(a), value(b))
  return (a, b) => {
    rest[0] = high(a, b)
    return Math.imul(a, b)
  }
}

/** The whole product and an addend of its width. */
const wideAndAdd = (type: Narrow): Compute => {
  const value = integerOf[type]
  const high = upper(type)
  if (type === 'u16' || type === 's16') return (a, b, c) => (Math.imul(value(a), value(b)) + c) | 0
  return (a, b, cLow, cHigh) => {
    const sum = (Math.imul(a, b) >>> 0) + (cLow >>> 0)
    rest[0] = high(a, b) + cHigh + (sum > 0xffffffff ? 1 : 0)
    return sum | 0
  }
}

const arithmetic = (type: Narrow): readonly ScalarOperation[] => {
  const value = integerOf[type]
  const word = narrow[type]
  const high = upper(type)
  const row = (name: string, arity: number, compute: Compute): ScalarOperation =>
    operation(
      'integer',
      `${name}.${type}`,
      Array.from({ length: arity }, () => type),
      [type],
      compute,
    )
  return [
    row('add', 2, (a, b) => word(a + b)),
    row('sub', 2, (a, b) => word(a - b)),
    row('mul.lo', 2, (a, b) => word(Math.imul(a, b))),
    row('mul.hi', 2, (a, b) => word(high(a, b))),
    operation('integer', `mul.wide.${type}`, [type, type], [wider[type]], wide(type)),
    row('mad.lo', 3, (a, b, c) => word(Math.imul(a, b) + c)),
    row('mad.hi', 3, (a, b, c) => word(high(a, b) + c)),
    operation('integer', `mad.wide.${type}`, [type, type, wider[type]], [wider[type]], wideAndAdd(type)),
    row('sad', 3, (a, b, c) => word(Math.abs(value(a) - value(b)) + c)),
    row('div', 2, quotient(type)),
    row('rem', 2, remainder(type)),
    row('min', 2, (a, b) => (value(a) < value(b) ? word(a) : word(b))),
    row('max', 2, (a, b) => (value(a) > value(b) ? word(a) : word(b))),
    ...(type === 's16' || type === 's32'
      ? [row('abs', 1, (a) => word(Math.abs(value(a)))), row('neg', 1, (a) => word(-value(a)))]
      : []),
  ]
}

/** A function of halves on both halves of words. */
const pairwise =
  (f: (a: number, b: number) => number): Compute =>
  (a, b) =>
    (f(a >>> 16, b >>> 16) << 16) | (f(a & 0xffff, b & 0xffff) & 0xffff)

const s16 = narrow.s16

const pairs: readonly ScalarOperation[] = (
  [
    ['add.u16x2', (a, b) => a + b],
    ['add.s16x2', (a, b) => a + b],
    ['min.u16x2', (a, b) => Math.min(a, b)],
    ['max.u16x2', (a, b) => Math.max(a, b)],
    ['min.s16x2', (a, b) => Math.min(s16(a), s16(b))],
    ['max.s16x2', (a, b) => Math.max(s16(a), s16(b))],
    ['min.relu.s16x2', (a, b) => Math.max(0, Math.min(s16(a), s16(b)))],
    ['max.relu.s16x2', (a, b) => Math.max(0, s16(a), s16(b))],
  ] satisfies readonly (readonly [string, (a: number, b: number) => number])[]
).map(([name, f]) => {
  const type = name.endsWith('u16x2') ? 'u16x2' : 's16x2'
  return operation('integer', name, [type, type], [type], pairwise(f))
})

const saturating: readonly ScalarOperation[] = [
  operation('integer', 'add.sat.s32', ['s32', 's32'], ['s32'], (a, b) => clampS32(a + b)),
  operation('integer', 'sub.sat.s32', ['s32', 's32'], ['s32'], (a, b) => clampS32(a - b)),
  operation('integer', 'mad.hi.sat.s32', ['s32', 's32', 's32'], ['s32'], (a, b, c) =>
    clampS32(productHighSigned(a, b) + c),
  ),
  operation('integer', 'min.relu.s32', ['s32', 's32'], ['s32'], (a, b) => Math.max(0, Math.min(a, b))),
  operation('integer', 'max.relu.s32', ['s32', 's32'], ['s32'], (a, b) => Math.max(0, a, b)),
]

const low24 = { u32: (x: number): number => x & 0xffffff, s32: (x: number): number => (x << 8) >> 8 } as const

const products24: readonly ScalarOperation[] = (['u32', 's32'] as const).flatMap((type) => {
  const value = low24[type]
  // The product has 48 bits: exact in f64.
  const high = (a: number, b: number): number => Math.floor((value(a) * value(b)) / 65536) | 0
  const low = (a: number, b: number): number => Math.imul(value(a), value(b))
  return [
    operation('integer', `mul24.lo.${type}`, [type, type], [type], low),
    operation('integer', `mul24.hi.${type}`, [type, type], [type], high),
    operation('integer', `mad24.lo.${type}`, [type, type, type], [type], (a, b, c) => (low(a, b) + c) | 0),
    operation('integer', `mad24.hi.${type}`, [type, type, type], [type], (a, b, c) => (high(a, b) + c) | 0),
    ...(type === 's32'
      ? [
          operation('integer', 'mad24.hi.sat.s32', [type, type, type], [type], (a, b, c) =>
            clampS32(high(a, b) + c),
          ),
        ]
      : []),
  ]
})

const byteOf = { u32: narrow.u8, s32: narrow.s8 } as const
const halfOf = { u32: narrow.u16, s32: narrow.s16 } as const

const dotProducts: readonly ScalarOperation[] = (['u32', 's32'] as const).flatMap((x) =>
  (['u32', 's32'] as const).flatMap((y) => {
    const result = x === 'u32' && y === 'u32' ? 'u32' : 's32'
    const bytes = byteOf[y]
    const dp2a =
      (at: number): Compute =>
      (a, b, c) =>
        (c + halfOf[x](a) * bytes(b >>> at) + halfOf[x](a >>> 16) * bytes(b >>> (at + 8))) | 0
    return [
      operation('integer', `dp4a.${x}.${y}`, ['b32', 'b32', result], [result], (a, b, c) => {
        let sum = c
        for (let at = 0; at < 32; at += 8) sum += byteOf[x](a >>> at) * bytes(b >>> at)
        return sum | 0
      }),
      operation('integer', `dp2a.lo.${x}.${y}`, ['b32', 'b32', result], [result], dp2a(0)),
      operation('integer', `dp2a.hi.${x}.${y}`, ['b32', 'b32', result], [result], dp2a(16)),
    ]
  }),
)

export const integerRows: readonly ScalarOperation[] = [
  ...narrowTypes.flatMap(arithmetic),
  ...pairs,
  ...saturating,
  ...products24,
  ...dotProducts,
]
