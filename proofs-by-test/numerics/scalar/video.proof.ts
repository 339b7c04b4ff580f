/** Half-words and bytes side by side, and products out of bounds: against an H100, and of half-words and bytes against the definition of the ISA, in integers of any length. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { scalarOperation } from '../../../src/numerics/scalar/index.js'
import { sampled } from '../../extent.js'
import { generator } from '../exact.js'
import { hashOf } from '../mma/captured.js'
import { Random } from '../mma/operands.js'

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

const folder = new URL('../../../conformance/hopper/single/', import.meta.url)

/** As `run.cu` draws them: any bits, small numbers, ends of ranges, and bytes that are each an end. */
const ends = [
  0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x7fff8000, 0x80007fff, 0xffff0001, 0x7f80ff01, 0x0180807f,
]
const drawn = (r: Random): number => {
  const way = r.pick(4)
  if (way === 0) return r.next() | 0
  if (way === 1) return r.pick(80) - 40
  if (way === 2) return ends[r.pick(10)]! | 0
  let bytes = 0
  for (let i = 0; i < 4; i++)
    bytes = (bytes << 8) | ((r.pick(2) === 1 ? 0x7f + r.pick(3) : 0xff + r.pick(3)) & 255)
  return bytes
}

it('law 2: every word that an H100 left of whole words', () => {
  const r = new Random('single')
  const words = Array.from({ length: 3 * 1024 }, () => drawn(r))
  const hashes = readFileSync(new URL('hashes.bin', folder))
  const captured = readFileSync(new URL('forms.txt', folder), 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      const name = /^(\S+) %d, %a, %b, %c$/u.exec(line)?.[1] ?? ''
      return /^v[a-z]+[24]\./u.test(name) ? [{ name, hash: hashes.readUInt32LE(4 * i) }] : []
    })
  expect(captured.length).toBe(384)
  for (const { name, hash } of sampled(3, captured)) {
    const f = scalarOperation(name)!.compute
    const left = Array.from({ length: 1024 }, (_, i) => f(words[i]!, words[1024 + i]!, words[2048 + i]!))
    expect(hashOf(left.map((x) => x >>> 0)), name).toBe(hash)
  }
})

it('fma.oob of every pattern of one operand is what an H100 left', () => {
  const captured = JSON.parse(readFileSync(new URL('oob.json', folder), 'utf8')) as Readonly<
    Record<string, number>
  >
  for (const [key, hash] of sampled(1, Object.entries(captured))) {
    const [name = '', which = ''] = key.split(' ')
    const f = scalarOperation(name)!.compute
    const one = name.endsWith('bf16') ? 0x3f80 : 0x3c00
    const result = (x: number): number => {
      const given = [one, one, 0x4000]
      given['abc'.indexOf(which)] = x
      return f(...given) & 0xffff
    }
    const words = Array.from({ length: 32768 }, (_, i) => (result(2 * i) | (result(2 * i + 1) << 16)) >>> 0)
    expect(hashOf(words), key).toBe(hash)
  }
})
