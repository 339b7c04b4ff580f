/** Integer operations against big integers, and tables and selectors walked whole. */
import { describe, expect, it, test } from 'vitest'
import {
  rest,
  scalarOperation,
  scalarOperations,
  widthOf,
  type ScalarType,
} from '../../../src/numerics/scalar/index.js'
import { nightly } from '../../extent.js'
import { generator } from '../exact.js'

const trials = nightly ? 20_000 : 150
const next = generator(7)

const edges = [
  0n,
  1n,
  2n,
  7n,
  8n,
  15n,
  16n,
  17n,
  31n,
  32n,
  63n,
  64n,
  255n,
  256n,
  -1n,
  -2n,
  1n << 15n,
  1n << 31n,
  1n << 63n,
  (1n << 31n) - 1n,
  (1n << 63n) - 1n,
]
const draw = (): bigint => {
  const raw = (BigInt(next()) << 32n) | BigInt(next())
  return next() % 3 === 0 ? edges[next() % edges.length]! : next() % 3 === 0 ? raw % 100n : raw
}

const compute = (name: string, operands: readonly bigint[]): bigint => {
  const row = scalarOperation(name)
  if (row === undefined) return expect.fail(`no row ${name}`)
  const words = row.operands.flatMap((type, i) =>
    widthOf(type) === 64
      ? [Number(BigInt.asIntN(32, operands[i]!)), Number(BigInt.asIntN(32, operands[i]! >> 32n))]
      : [Number(BigInt.asIntN(32, operands[i]!))],
  )
  const low = BigInt.asUintN(32, BigInt(row.compute(...words)))
  const width = widthOf(row.results[0]!)
  return width === 64 ? low | (BigInt.asUintN(32, BigInt(rest[0]!)) << 32n) : BigInt.asUintN(width, low)
}

const read = (type: ScalarType, x: bigint): bigint => {
  const width = widthOf(type)
  return type.startsWith('s') ? BigInt.asIntN(width, x) : BigInt.asUintN(width, x)
}
const size = (x: bigint): bigint => (x < 0n ? -x : x)

/** By the definition, on the integers themselves; n is the width of the operands. */
const definitions: Readonly<Record<string, (x: readonly bigint[], n: bigint, signed: boolean) => bigint>> = {
  add: ([a, b]) => a! + b!,
  sub: ([a, b]) => a! - b!,
  'mul.lo': ([a, b]) => a! * b!,
  'mul.hi': ([a, b], n) => (a! * b!) >> n,
  'mul.wide': ([a, b]) => a! * b!,
  'mad.lo': ([a, b, c]) => a! * b! + c!,
  'mad.hi': ([a, b, c], n) => ((a! * b!) >> n) + c!,
  'mad.wide': ([a, b, c]) => a! * b! + c!,
  sad: ([a, b, c]) => size(a! - b!) + c!,
  div: ([a, b]) => (b === 0n ? -1n : a! / b!),
  rem: ([a, b]) => (b === 0n ? -1n : a! % b!),
  min: ([a, b]) => (a! < b! ? a! : b!),
  max: ([a, b]) => (a! > b! ? a! : b!),
  abs: ([a]) => size(a!),
  neg: ([a]) => -a!,
  shl: ([a, b], n) => (b! > n ? 0n : a! << b!),
  shr: ([a, b], n) => a! >> (b! > n ? n : b!),
  bfe: ([a, b, c], n, signed) => {
    // Of 64 bits all of a position and a length count: a chip's, not the manual's.
    const count = (x: bigint): bigint => (n === 64n ? (x > 64n ? 64n : x) : x & 255n)
    const at = count(b!)
    const length = count(c!)
    // An integer continues above its word with its sign, or with zeros: the field is cut out of that.
    const field = (a! >> at) & ((1n << length) - 1n)
    if (!signed || length === 0n) return BigInt.asUintN(Number(n), field)
    const top = at + length - 1n > n - 1n ? n - 1n : at + length - 1n
    return (a! >> top) & 1n ? field - (1n << length) : field
  },
  popc: ([a], n) => BigInt([...BigInt.asUintN(Number(n), a!).toString(2)].filter((c) => c === '1').length),
  clz: ([a], n) => n - (a === 0n ? 0n : BigInt(a!.toString(2).length)),
}
const rows = scalarOperations.flatMap(({ name, operands }) => {
  const parts = name.split('.')
  const key = parts.slice(0, -1).join('.')
  return key in definitions && /^[usb](16|32|64)$/.test(parts.at(-1)!) ? [{ name, key, operands }] : []
})

describe('integers', () => {
  it('the forms are all there', () => {
    expect(rows.length).toBe(100)
  })

  it.each(rows)('$name', ({ name, key, operands }) => {
    const n = BigInt(widthOf(operands[0]!))
    for (let trial = 0; trial < trials; trial++) {
      const x = operands.map(() => draw())
      const values = operands.map((type, i) => read(type, x[i]!))
      const signed = operands[0]!.startsWith('s')
      const result = scalarOperation(name)!.results[0]!
      expect(compute(name, x), `${name} ${values.join(' ')}`).toBe(
        BigInt.asUintN(widthOf(result), definitions[key]!(values, n, signed)),
      )
    }
  })

  it.each(['u32', 's32', 'u64', 's64'] as const)('a chain of carries in %s is wide arithmetic', (type) => {
    const n = BigInt(widthOf(type))
    const words = (x: bigint): number[] =>
      n === 64n
        ? [Number(BigInt.asIntN(32, x)), Number(BigInt.asIntN(32, x >> 32n))]
        : [Number(BigInt.asIntN(32, x))]
    const step = (name: string, operands: readonly bigint[], carry: number[]): readonly [bigint, number] => {
      const low = scalarOperation(`${name}.${type}`)!.compute(...operands.flatMap(words), ...carry)
      const value =
        BigInt.asUintN(32, BigInt(low)) | (n === 64n ? BigInt.asUintN(32, BigInt(rest[0]!)) << 32n : 0n)
      return [value, rest[n === 64n ? 1 : 0]!]
    }
    for (let trial = 0; trial < trials; trial++) {
      const [al, ah, bl, bh] = [draw(), draw(), draw(), draw()].map((x) => BigInt.asUintN(Number(n), x))
      const whole = (l: bigint, h: bigint): bigint => (h << n) + l
      for (const [first, then, sum, unborrowed] of [
        ['add.cc', 'addc', whole(al!, ah!) + whole(bl!, bh!), 0],
        // the carry of a difference is the one of a sum with the complement
        ['sub.cc', 'subc', whole(al!, ah!) - whole(bl!, bh!), 1],
      ] as const) {
        const [low, carry] = step(first, [al!, bl!], [])
        const [high] = step(then, [ah!, bh!], [carry])
        expect(whole(low, high)).toBe(BigInt.asUintN(Number(2n * n), sum))
        expect(step(`${then}.cc`, [ah!, bh!], [carry])[1]).toBe(
          sum >> (2n * n) === 0n ? unborrowed : 1 - unborrowed,
        )
      }
      const product = read(type, al!) * read(type, bl!) + whole(ah!, bh!)
      const [low, carry] = step('mad.lo.cc', [al!, bl!, ah!], [])
      const [high] = step('madc.hi', [al!, bl!, bh!], [carry])
      expect(whole(low, high)).toBe(BigInt.asUintN(Number(2n * n), product))
    }
  })
})

/** Forms with a rule of their own, by the definition: on the integers that the operands are. */
const clamped = (x: bigint, bits: number, signed = true): bigint => {
  const [low, high] = signed
    ? [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n]
    : [0n, (1n << BigInt(bits)) - 1n]
  return x < low ? low : x > high ? high : x
}
const part = (x: bigint, at: number, bits: number, signed: boolean): bigint =>
  (signed ? BigInt.asIntN : BigInt.asUintN)(bits, x >> BigInt(at))
type Rule = (...x: ReadonlyArray<bigint>) => bigint
const ruled: ReadonlyArray<readonly [name: string, Rule]> = [
  ['add.sat.s32', (a, b) => clamped(a! + b!, 32)],
  ['sub.sat.s32', (a, b) => clamped(a! - b!, 32)],
  ['mad.hi.sat.s32', (a, b, c) => clamped(((a! * b!) >> 32n) + c!, 32)],
  ['min.relu.s32', (a, b) => (a! < 0n || b! < 0n ? 0n : a! < b! ? a! : b!)],
  ['max.relu.s32', (a, b) => [a!, b!, 0n].reduce((x, y) => (x > y ? x : y))],
  ...(['u32', 's32'] as const).flatMap((type): ReadonlyArray<readonly [string, Rule]> => {
    const signed = type === 's32'
    const product: Rule = (a, b) => part(a!, 0, 24, signed) * part(b!, 0, 24, signed)
    return [
      [`mul24.lo.${type}`, product],
      [`mul24.hi.${type}`, (a, b) => product(a!, b!) >> 16n],
      [`mad24.lo.${type}`, (a, b, c) => product(a!, b!) + c!],
      [`mad24.hi.${type}`, (a, b, c) => (product(a!, b!) >> 16n) + c!],
      ...(signed
        ? [
            [
              `mad24.hi.sat.s32`,
              (a, b, c) => clamped((product(a!, b!) >> 16n) + c!, 32),
            ] as const satisfies readonly [string, Rule],
          ]
        : []),
      ...(['u32', 's32'] as const).flatMap((other): ReadonlyArray<readonly [string, Rule]> => {
        const by = other === 's32'
        const halves = (a: bigint, b: bigint, from: number): bigint =>
          [0, 1].reduce((n, i) => n + part(a, 16 * i, 16, signed) * part(b, from + 8 * i, 8, by), 0n)
        return [
          [
            `dp4a.${type}.${other}`,
            (a, b, c) =>
              [0, 8, 16, 24].reduce((n, at) => n + part(a!, at, 8, signed) * part(b!, at, 8, by), c!),
          ],
          [`dp2a.lo.${type}.${other}`, (a, b, c) => halves(a!, b!, 0) + c!],
          [`dp2a.hi.${type}.${other}`, (a, b, c) => halves(a!, b!, 16) + c!],
        ]
      }),
    ]
  }),
  ...[16, 8, 4, 2].flatMap((bits) =>
    [false, true].map((signed): readonly [string, Rule] => [
      `cvt.pack.sat.${signed ? 's' : 'u'}${String(bits)}.s32${bits === 16 ? '' : '.b32'}`,
      (a, b, c = 0n) => {
        const [high, low] = [a!, b!].map((x) => BigInt.asUintN(bits, clamped(x, bits, signed)))
        return (c << BigInt(2 * bits)) | (high! << BigInt(bits)) | low!
      },
    ]),
  ),
  ...(['clamp', 'wrap'] as const).flatMap((mode): ReadonlyArray<readonly [string, Rule]> => {
    const count = (x: bigint): bigint => (mode === 'wrap' ? x & 31n : x > 32n ? 32n : x)
    return [
      [`bmsk.${mode}.b32`, (a, b) => ((1n << count(b!)) - 1n) << count(a!)],
      [`szext.${mode}.u32`, (a, b) => BigInt.asUintN(Number(count(b!)), a!)],
      [`szext.${mode}.s32`, (a, b) => BigInt.asIntN(Number(count(b!)), a!)],
    ]
  }),
  [
    'fns.b32',
    (mask, base, offset) => {
      if (offset === -(1n << 31n)) return 0n
      const set = Array.from({ length: 32 }, (_, i) => i).filter((i) => (mask! >> BigInt(i)) & 1n)
      if (offset === 0n) return set.includes(Number(base!)) ? base! : -1n
      if (base! > 31n) return -1n
      const found =
        offset! > 0n ? set.filter((i) => i >= Number(base!)) : set.filter((i) => i <= Number(base!)).reverse()
      return BigInt(found[Number(size(offset!)) - 1] ?? -1)
    },
  ],
]

test('forms with a rule of their own', () => {
  const wrong: string[] = []
  for (const [name, rule] of ruled) {
    const { operands, results } = scalarOperation(name) ?? expect.fail(`no row ${name}`)
    for (let trial = 0; trial < 2 * trials; trial++) {
      const x = operands.map(() => (next() % 4 === 0 ? BigInt(next() % 40) - 4n : draw()))
      const expected = BigInt.asUintN(
        widthOf(results[0]!),
        rule(...operands.map((type, i) => read(type, x[i]!))),
      )
      const found = compute(name, x)
      if (found !== expected)
        wrong.push(`${name}(${x.join(' ')}) = ${String(found)}, not ${String(expected)}`)
    }
  }
  expect(wrong.slice(0, 9)).toEqual([])
})

describe('bits', () => {
  it('lop3 is its table, for all 256 tables', () => {
    const lop3 = scalarOperation('lop3.b32')!
    for (let table = 0; table < 256; table++)
      for (let entry = 0; entry < 8; entry++)
        // Entry 4a + 2b + c, in every place of a word.
        expect(lop3.compute(entry & 4 ? -1 : 0, entry & 2 ? -1 : 0, entry & 1 ? -1 : 0, table)).toBe(
          (table >> entry) & 1 ? -1 : 0,
        )
  })

  it('prmt is its bytes, for all selectors of the first byte and samples of the others', () => {
    const prmt = scalarOperation('prmt.b32')!
    const bytes = [0x80, 0x01, 0xff, 0x7f, 0x10, 0x92, 0x00, 0xe3]
    const [a, b] = [0x7fff0180, 0xe3009210 | 0]
    const byte = (nibble: number): number =>
      nibble & 8 ? (bytes[nibble & 7]! & 0x80 ? 0xff : 0) : bytes[nibble & 7]!
    for (let c = 0; c < 65536; c += nightly ? 1 : 13)
      expect(prmt.compute(a, b, c)).toBe(
        byte(c & 15) | (byte((c >> 4) & 15) << 8) | (byte((c >> 8) & 15) << 16) | (byte(c >> 12) << 24),
      )
  })

  it('funnel shifts are shifts of the pair', () => {
    for (let trial = 0; trial < trials; trial++) {
      const [a, b, c] = [draw(), draw(), draw()].map((x) => BigInt.asUintN(32, x))
      const pair = (b! << 32n) | a!
      for (const mode of ['clamp', 'wrap']) {
        const n = mode === 'wrap' ? c! % 32n : c! > 32n ? 32n : c!
        expect(compute(`shf.l.${mode}.b32`, [a!, b!, c!])).toBe(BigInt.asUintN(32, (pair << n) >> 32n))
        expect(compute(`shf.r.${mode}.b32`, [a!, b!, c!])).toBe(BigInt.asUintN(32, pair >> n))
      }
    }
  })

  it.each([32, 64])('bfi of %i bits puts in what bfe takes out', (n) => {
    for (let trial = 0; trial < trials; trial++) {
      const [a, b] = [draw(), draw()].map((x) => BigInt.asUintN(n, x))
      const at = BigInt(next() % n)
      const length = BigInt(next() % (n + 4))
      const mask = BigInt.asUintN(n, ((1n << length) - 1n) << at)
      expect(compute(`bfi.b${String(n)}`, [a!, b!, at, length])).toBe(
        BigInt.asUintN(n, (a! << at) & mask) | (b! & ~mask),
      )
    }
  })

  it('brev is an involution, popc and bfind agree with it', () => {
    for (let trial = 0; trial < trials; trial++) {
      const x = BigInt.asUintN(64, draw())
      const turned = compute('brev.b64', [x])
      expect(compute('brev.b64', [turned])).toBe(x)
      expect(compute('popc.b64', [turned])).toBe(compute('popc.b64', [x]))
      if (x !== 0n) expect(compute('bfind.shiftamt.u64', [x])).toBe(compute('clz.b64', [x]))
    }
  })
})
