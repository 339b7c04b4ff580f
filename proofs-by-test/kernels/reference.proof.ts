import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { naiveMatmul, referenceOf, shapeOf, tensorsOf } from '../../src/kernels/reference.js'
import { randomPatterns } from '../../src/kernels/reference-inputs.js'
import { bits } from '../../src/numerics/bits.js'
import { decode, encode } from '../../src/numerics/float-format.js'
import { field, prime } from '../../src/numerics/field.js'
import { real64 } from '../../src/numerics/real64.js'
import { blockSum, hopperRules } from '../../src/numerics/tensor-core.js'
import { unit } from '../../src/numerics/unit.js'
import { right } from '../either.js'

const program = right(instanceOf(right(kernelNamed('hopper-matmul')), { m: 64, n: 32, k: 48 }, [])).program
const types = { operand: 'f16', accumulator: 'f32', out: 'f16' } as const

/** Payload of an npy file that was written by NumPy: u16 after a 128-byte header. */
const golden = (name: string): Float64Array => {
  const file = readFileSync(
    new URL(`../../conformance/kernels/matmul_f16_256x256x256_${name}.npy`, import.meta.url),
  )
  return Float64Array.from({ length: 65536 }, (_, i) => file.readUInt16LE(128 + 2 * i))
}

describe('the reference', () => {
  it('is what an H100 computed, bit for bit', () => {
    const out = right(
      naiveMatmul(bits('hopper'), types, { m: 256, n: 256, k: 256 }, golden('a'), golden('b')),
    )
    expect(Buffer.from(out.buffer).equals(Buffer.from(golden('out').buffer))).toBe(true)
  })
  it('of transposed factors is that of their transposes', () => {
    const square = right(instanceOf(right(kernelNamed('hopper-matmul')), { m: 64, n: 64, k: 64 }, [])).program
    const computes = square.computes!
    if (computes._tag !== 'matmul') throw new Error('no product')
    const values = new Map(['a', 'b'].map((name, i) => [name, randomPatterns('f16', 3, i, 64 * 64)] as const))
    const turned = (v: Float64Array): Float64Array => {
      const out = new Float64Array(v.length)
      for (let i = 0; i < 64; i++) for (let j = 0; j < 64; j++) out[64 * j + i] = v[64 * i + j]!
      return out
    }
    const said = right(referenceOf(square, bits('hopper'), values)).values
    for (const transposed of ['a', 'b', 'both'] as const) {
      const given = new Map(
        [...values].map(([name, v]) => [name, transposed === 'both' || transposed === name ? turned(v) : v]),
      )
      const of = Object.assign({}, square, { computes: Object.assign({}, computes, { transposed }) })
      expect(right(referenceOf(of, bits('hopper'), given)).values).toEqual(said)
    }
  })
  it('is the chain of instructions from zero, then one rounding (by the definition of one element)', () => {
    const [m, n, k] = [64, 32, 48]
    const [a, b] = [randomPatterns('f16', 7, 0, m * k), randomPatterns('f16', 7, 1, k * n)]
    const rules = hopperRules({ a: 'f16', b: 'f16', acc: 'f32' })
    if (O.isNone(rules)) throw new Error('no rules')
    const instruction = blockSum(rules.value)
    const expected = Float64Array.from({ length: m * n }, (_, i) => {
      const [r, c] = [Math.floor(i / n), i % n]
      let sum = 0
      for (let at = 0; at < k; at += 16) {
        const ks = Array.from({ length: 16 }, (_x, j) => at + j)
        sum = instruction(
          ks.map((p) => a[r * k + p]!),
          ks.map((p) => b[p * n + c]!),
          sum,
        )
      }
      return encode('f16', decode('f32', sum))
    })
    const got = right(
      referenceOf(
        program,
        bits('hopper'),
        new Map([
          ['a', a],
          ['b', b],
        ]),
      ),
    )
    expect(got.tensor).toBe('out')
    expect(got.values).toEqual(expected)
  })
  it('law 1: the triple loop, in f64 and in a field', () => {
    const [m, n, k] = [3, 4, 5]
    const a = Float64Array.from({ length: m * k }, (_, i) => (i * 7) % 11)
    const b = Float64Array.from({ length: k * n }, (_, i) => (i * 5) % 13)
    const loop = Float64Array.from({ length: m * n }, (_, i) =>
      Array.from({ length: k }, (_x, p) => a[Math.floor(i / n) * k + p]! * b[p * n + (i % n)]!).reduce(
        (x, y) => x + y,
      ),
    )
    expect(right(naiveMatmul(real64, types, { m, n, k }, a, b))).toEqual(loop)
    expect(right(naiveMatmul(field(0), types, { m, n, k }, a, b))).toEqual(loop.map((x) => x % prime))
    expect(right(naiveMatmul(unit, types, { m, n, k }, a, b))).toEqual(new Float64Array(m * n))
  })
  it('a copy is its input', () => {
    const copy = { ...program, computes: { _tag: 'copy', from: 'a', out: 'out' } } as const
    const a = randomPatterns('f16', 1, 0, 64 * 48)
    expect(right(referenceOf(copy, bits('hopper'), new Map([['a', a]]))).values).toBe(a)
  })
  it('refuses what it cannot do', () => {
    const none = new Map<string, Float64Array>()
    expect(referenceOf(program, real64, none)).toMatchObject(E.left({ code: 'reference.missing' }))
    expect(referenceOf(program, real64, new Map([['a', new Float64Array(3)]]))).toMatchObject(
      E.left({ message: 'hopper-matmul: no values for input a' }),
    )
    const { schema, name, arch, params, launch, storage, entry } = program
    expect(referenceOf({ schema, name, arch, params, launch, storage, entry }, real64, none)).toMatchObject(
      E.left({ code: 'reference.missing' }),
    )
    expect(
      naiveMatmul(bits('hopper'), types, { m: 1, n: 1, k: 8 }, new Float64Array(8), new Float64Array(8)),
    ).toMatchObject(E.left({ code: 'reference.algebra' }))
  })
  it('knows shapes and tensors of a program', () => {
    expect(tensorsOf(program).map((p) => [p.name, p.role, shapeOf(p)])).toEqual([
      ['a', 'in', [64, 48]],
      ['b', 'in', [48, 32]],
      ['out', 'out', [64, 32]],
    ])
  })
})

describe('seeded inputs', () => {
  it('law 1: nearly normal; the same every time; different for every tensor and seed', () => {
    const x = randomPatterns('f16', 3, 1, 20000).map((p) => decode('f16', p))
    const mean = x.reduce((s, v) => s + v, 0) / x.length
    const variance = x.reduce((s, v) => s + (v - mean) ** 2, 0) / x.length
    expect(Math.abs(mean)).toBeLessThan(0.03)
    expect(Math.abs(variance - 1)).toBeLessThan(0.03)
    expect(Math.max(...x.map(Math.abs))).toBeLessThan(3.5)
    expect(randomPatterns('f16', 3, 1, 50)).toEqual(randomPatterns('f16', 3, 1, 100).subarray(0, 50))
    expect(randomPatterns('f16', 3, 2, 50)).not.toEqual(randomPatterns('f16', 3, 1, 50))
    expect(randomPatterns('f16', 4, 1, 50)).not.toEqual(randomPatterns('f16', 3, 1, 50))
  })
})
