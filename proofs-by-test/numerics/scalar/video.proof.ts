/** Half-words and bytes side by side: against the definition of the ISA, in integers of any length. */
import { expect, it } from 'vitest'
import { scalarOperation } from '../../../src/numerics/scalar/index.js'
import { generator } from '../exact.js'

type Type = 'u32' | 's32'
const next = generator(17)

const lanesOf = (word: number, type: Type, bits: number): readonly bigint[] =>
  Array.from({ length: 32 / bits }, (_, k) => {
    const lane = (BigInt.asUintN(32, BigInt(word)) >> BigInt(k * bits)) & ((1n << BigInt(bits)) - 1n)
    return type === 's32' ? BigInt.asIntN(bits, lane) : lane
  })

const between = (x: bigint, y: bigint): bigint => (x > y ? x - y : y - x)
/** Division by two, downwards. */
const halved = (x: bigint): bigint => (x % 2n === 0n ? x / 2n : x > 0n ? x / 2n : x / 2n - 1n)
const definitions: Readonly<Record<string, (x: bigint, y: bigint) => bigint>> = {
  vadd: (x, y) => x + y,
  vsub: (x, y) => x - y,
  vavrg: (x, y) => halved(x + y >= 0n ? x + y + 1n : x + y),
  vabsdiff: between,
  vmin: (x, y) => (x < y ? x : y),
  vmax: (x, y) => (x > y ? x : y),
}

const types = ['u32', 's32'] as const

it.each(Object.entries(definitions))('%s', (name, of) => {
  for (const lanes of [2, 4])
    for (const d of types)
      for (const a of types)
        for (const b of types)
          for (let trial = 0; trial < 20; trial++) {
            const bits = 32 / lanes
            const [x, y, c] = [next() | 0, trial % 4 === 0 ? 0x80ff7f01 | 0 : next() | 0, next() | 0]
            const right = lanesOf(y, b, bits)
            const exact = lanesOf(x, a, bits).map((l, k) => of(l, right[k]!))
            const merged = (values: readonly bigint[]): number =>
              Number(
                BigInt.asIntN(
                  32,
                  values.reduce((w, v, k) => w | (BigInt.asUintN(bits, v) << BigInt(k * bits)), 0n),
                ),
              )
            const [least, most] =
              d === 's32'
                ? [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n]
                : [0n, (1n << BigInt(bits)) - 1n]
            const expected = {
              '': merged(exact),
              '.sat': merged(exact.map((v) => (v < least ? least : v > most ? most : v))),
              '.add': Number(
                BigInt.asIntN(
                  32,
                  exact.reduce((sum, v) => sum + v, BigInt(c)),
                ),
              ),
            }
            for (const [mark, word] of Object.entries(expected)) {
              const opcode = `${name}${String(lanes)}.${d}.${a}.${b}${mark}`
              expect([opcode, x, y, c, scalarOperation(opcode)?.compute(x, y, c)]).toEqual([
                opcode,
                x,
                y,
                c,
                word,
              ])
            }
          }
})
