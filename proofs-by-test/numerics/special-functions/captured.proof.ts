import { describe, expect, it, test } from 'vitest'
import {
  binaryFunction,
  type SpecialUnary,
  unaryFunction,
} from '../../../src/numerics/special-functions/index.js'
import {
  binarySamples,
  blockSum,
  blockSums,
  octave,
  halfHash,
  halves,
  octaveHash,
  octaves,
  shortSum,
  sumByDefinition,
  unarySamples,
} from './captured.js'
import { nightly } from '../../extent.js'

const hex = (x: number): string => x.toString(16).padStart(8, '0')

describe('the captured samples, bit for bit', () => {
  it.each(unarySamples.map((s) => [s.name, s.inputs.length, s] as const))('%s, %d operands', (_, __, s) => {
    const f = unaryFunction[s.name]
    const wrong = [...s.inputs].flatMap((x, i) =>
      f(x) === s.outputs[i] ? [] : [`${hex(x)}: ${hex(f(x))}, captured ${hex(s.outputs[i]!)}`],
    )
    expect(wrong).toEqual([])
  })

  it.each(binarySamples.map((s) => [s.name, s.a.length, s] as const))('%s, %d pairs', (_, __, s) => {
    const f = binaryFunction[s.name]
    const wrong = [...s.a].flatMap((a, i) => {
      const found = f(a, s.b[i]!)
      return found === s.outputs[i]
        ? []
        : [`${hex(a)}, ${hex(s.b[i]!)}: ${hex(found)}, captured ${hex(s.outputs[i]!)}`]
    })
    expect(wrong).toEqual([])
  })
})

describe('complete functions of half precision', () => {
  it.each(halves.map((h) => [h.name, h] as const))('%s, 65536 operands', (_, { name, sha256 }) => {
    expect(halfHash(unaryFunction[name])).toBe(sha256)
  })
})

// each takes a second: by night
describe.skipIf(!nightly)('complete octaves, 2^23 operands each', () => {
  it.each(octaves.map((o) => [o.name, hex(o.first), o] as const))('%s from %s on', (_, __, o) => {
    expect(octaveHash(unaryFunction[o.name], o.first)).toBe(o.sha256)
  })
})

describe('sums of blocks of 2^23 operands', () => {
  it('the fast sum is the sum by the definition of splitmix64', () => {
    const f = unaryFunction['lg2.approx.f32']
    for (const first of [0, 0x3f7fff80, 0xffffff00])
      expect(BigInt.asUintN(64, shortSum(f, first, 256))).toBe(sumByDefinition(f, first, 256))
  })

  // One block each, where the function does what the others do not: block k holds the operands of biased exponent k, from 256 on the
  // negative ones.
  const blocks: readonly (readonly [SpecialUnary, number, string])[] = [
    ['ex2.approx.ftz.f32', 389, 'down to 2^-128: flushed'],
    ['ex2.approx.f32', 389, 'down to 2^-128: subnormal'],
    ['exp2f', 390, 'down to 2^-256'],
    ['expf', 389, 'down to e^-128'],
    ['__expf', 133, 'up to e^128'],
    ['rcp.approx.ftz.f32', 253, 'results at the smallest normal'],
    ['rcp.approx.f32', 509, 'subnormal results'],
    ['lg2.approx.ftz.f32', 126, 'below 1'],
    ['lg2.approx.f32', 0, 'subnormal operands'],
    ['rsqrt.approx.ftz.f32', 128, 'an odd exponent'],
    ['tanh.approx.f32', 384, 'negative'],
  ]
  // each takes a second; by day one of them
  test.each(nightly ? blocks : blocks.slice(-1))('%s, block %d: %s', (name, k) => {
    const { sums } = blockSums.find((b) => b.name === name)!
    expect(sums.length).toBe(512)
    expect(blockSum(unaryFunction[name], k * octave)).toBe(sums[k])
  })
})
