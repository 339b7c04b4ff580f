/** Law 1 of `arithmetic.ts`: on every value the value that lax gives, folded or run by the machine. */
import { describe, expect, test } from 'vitest'
import { sampled } from '../../extent.js'
import type { IntegerBinary } from '../../../src/dialects/jaxpr/arithmetic.js'
import { lax } from './lax.js'
import { array, document, get, k, ran, scalar, swap, v } from './documents.js'

const widths = { i8: 8, u8: 8, i16: 16, u16: 16, i32: 32, u32: 32 } as const
type Type = keyof typeof widths
const types = Object.keys(widths) as ReadonlyArray<Type>
const isSigned = (type: Type): boolean => type.startsWith('i')
const wrap = (type: Type, x: bigint): bigint =>
  isSigned(type) ? BigInt.asIntN(widths[type], x) : BigInt.asUintN(widths[type], x)

const comparisons: Readonly<Record<string, (x: bigint, y: bigint) => boolean>> = {
  eq: (x, y) => x === y,
  ne: (x, y) => x !== y,
  lt: (x, y) => x < y,
  le: (x, y) => x <= y,
  gt: (x, y) => x > y,
  ge: (x, y) => x >= y,
}

/** Ends of the range, neighbours of zero, and others, in pairs: 128. */
const pairs = (type: Type, op: string): ReadonlyArray<readonly [bigint, bigint]> => {
  const bits = BigInt(widths[type])
  const some = [
    0n,
    1n,
    -1n,
    2n,
    3n,
    -7n,
    100n,
    1n << (bits - 1n),
    (1n << (bits - 1n)) - 1n,
    -(1n << (bits - 1n)),
    77n,
    12345n,
  ]
  return Array.from({ length: 128 }, (_, i) => {
    const x = wrap(type, some[i % some.length]! + BigInt(i >> 5))
    const y = wrap(type, some[(5 * i + (i >> 3)) % some.length]!)
    if (op.startsWith('shift')) return [x, BigInt(i) % bits] as const
    return [x, y] as const
  })
}

const bitsOf = (type: Type, x: bigint): number => Number(isSigned(type) ? BigInt.asIntN(widths[type], x) : x)

const all = [...Object.keys(lax), ...Object.keys(comparisons)].flatMap((op) =>
  types.map((type) => [op, type] as const),
)

describe('law 1: as lax', () => {
  test.each(sampled(5, all))('%s of %s', (op, type) => {
    const given = pairs(type, op)
    const compares = comparisons[op]
    const wanted = given.map(([x, y]) =>
      compares === undefined
        ? bitsOf(type, wrap(type, lax[op as IntegerBinary](x, y, widths[type])))
        : Number(compares(x, y)),
    )
    const out = compares === undefined ? type : 'i32'
    const vector = { shape: [128] } as const
    const d = document(
      [
        { name: 'x', role: 'in', dtype: type, ...vector },
        { name: 'y', role: 'in', dtype: type, ...vector },
        { name: 'z', role: 'out', dtype: out, ...vector },
      ],
      [
        get(3, array(type, [128]), 0),
        get(4, array(type, [128]), 1),
        { op, in: [v(3), v(4)], out: [{ v: 5, type: array(compares === undefined ? type : 'i1', [128]) }] },
        ...(compares === undefined
          ? [swap(2, v(5))]
          : [
              {
                op: 'convert_element_type',
                in: [v(5)],
                params: { dtype: 'i32' },
                out: [{ v: 6, type: array('i32', [128]) }],
              },
              swap(2, v(6)),
            ]),
      ],
    )
    const inputs = {
      x: given.map(([x]) => bitsOf(type, x)),
      y: given.map(([, y]) => bitsOf(type, y)),
    }
    expect(ran(d, inputs)).toEqual({ z: wanted })
  })

  test.each(sampled(5, all))('%s of %s, folded', (op, type) => {
    const given = pairs(type, op).filter((_, i) => i % 16 === 3)
    const compares = comparisons[op]
    const d = document(
      given.map((_, i) => ({
        name: `z${String(i)}`,
        role: 'out',
        dtype: compares === undefined ? type : 'i32',
        shape: [1],
      })),
      given.flatMap(([x, y], i) => [
        {
          op,
          in: [k(Number(x), type), k(Number(y), type)],
          out: [{ v: 100 + i, type: scalar(compares === undefined ? type : 'i1') }],
        },
        {
          op: 'convert_element_type',
          in: [v(100 + i)],
          params: { dtype: compares === undefined ? type : 'i32' },
          out: [{ v: 200 + i, type: scalar(compares === undefined ? type : 'i32') }],
        },
        swap(i, v(200 + i)),
      ]),
    )
    expect(Object.values(ran(d)).map(([z]) => z)).toEqual(
      given.map(([x, y]) =>
        compares === undefined
          ? bitsOf(type, wrap(type, lax[op as IntegerBinary](x, y, widths[type])))
          : Number(compares(x, y)),
      ),
    )
  })
})

test.each(types)('zeros before the first bit of %s', (type) => {
  const bits = BigInt(widths[type])
  const given = Array.from({ length: 128 }, (_, i) =>
    wrap(type, i < 4 ? BigInt(i) - 1n : (1n << (BigInt(i) % bits)) + BigInt(i * i)),
  )
  const wanted = given.map((x) => {
    const word = BigInt.asUintN(Number(bits), x)
    return word === 0n ? Number(bits) : Number(bits) - word.toString(2).length
  })
  const d = document(
    [
      { name: 'x', role: 'in', dtype: type, shape: [128] },
      { name: 'z', role: 'out', dtype: type, shape: [128] },
    ],
    [
      get(3, array(type, [128]), 0),
      { op: 'clz', in: [v(3)], out: [{ v: 4, type: array(type, [128]) }] },
      swap(1, v(4)),
    ],
  )
  expect(ran(d, { x: given.map((x) => bitsOf(type, x)) })).toEqual({ z: wanted })
})
