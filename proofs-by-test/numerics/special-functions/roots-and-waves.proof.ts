/** Square roots, sines and cosines of f32, and the first steps of reciprocals and roots of f64, as an H100 answered. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { rest, scalarOperation } from '../../../src/numerics/scalar/index.js'
import { nightly, sampled } from '../../extent.js'
import { blockSum, octave } from './captured.js'

const read = (name: string): unknown =>
  JSON.parse(
    readFileSync(new URL(`../../../conformance/hopper/functions/${name}.json`, import.meta.url), 'utf8'),
  )

const singles = read('roots-and-waves') as {
  readonly inputs: string
  readonly outputs: Readonly<Record<string, string>>
  readonly blocks: Readonly<Record<string, string>>
}
const doubles = read('doubles') as {
  readonly inputs: string
  readonly outputs: Readonly<Record<string, string>>
  readonly sha256: Readonly<Record<string, string>>
}

const words = (text: string): Uint32Array =>
  Uint32Array.from({ length: text.length / 8 }, (_, i) => parseInt(text.slice(8 * i, 8 * (i + 1)), 16))

const named = (name: string): ((x: number) => number) => {
  const { compute } = scalarOperation(name)!
  return (x) => compute(x | 0) >>> 0
}

describe('of f32', () => {
  it.each(Object.keys(singles.outputs))('%s, samples', (name) => {
    const [inputs, outputs] = [words(singles.inputs), words(singles.outputs[name]!)]
    const f = named(name)
    const wrong = [...inputs].filter((x, i) => f(x) !== outputs[i])
    expect([inputs.length > 2000, wrong]).toEqual([true, []])
  })

  // by day the octave of 2, and angles near a quarter of a turn
  const some: readonly (readonly [string, number])[] = [
    ['sqrt.approx.ftz.f32', 128],
    ['sin.approx.ftz.f32', 127],
  ]
  const all = Object.keys(singles.blocks).flatMap((name) =>
    Array.from({ length: 512 }, (_, k): readonly [string, number] => [name, k]),
  )
  it.each(nightly ? [] : some)('%s, all operands of block %i', (name, k) => {
    const expected = BigInt(`0x${singles.blocks[name]!.slice(16 * k, 16 * (k + 1))}`)
    expect(blockSum(named(name), k * octave)).toBe(expected)
  })
  it.skipIf(!nightly)('all 2^32 operands of each', () => {
    const wrong = all.filter(
      ([name, k]) =>
        blockSum(named(name), k * octave) !==
        BigInt(`0x${singles.blocks[name]!.slice(16 * k, 16 * (k + 1))}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('of f64', () => {
  const answered = (name: string, high: number, low: number): readonly [number, number] => {
    const first = scalarOperation(name)!.compute(low | 0, high | 0)
    return [rest[0]! >>> 0, first >>> 0]
  }
  it.each(Object.keys(doubles.outputs))('%s, samples', (name) => {
    const inputs = words(doubles.inputs)
    const outputs = words(doubles.outputs[name]!)
    const wide = outputs.length === inputs.length
    const wrong: string[] = []
    for (let i = 0; 2 * i < inputs.length; i++) {
      const found = answered(name, inputs[2 * i]!, inputs[2 * i + 1]!)
      const expected = wide ? [outputs[2 * i], outputs[2 * i + 1]] : [outputs[i], 0]
      if (found[0] !== expected[0] || found[1] !== expected[1])
        wrong.push(
          [inputs[2 * i]!, inputs[2 * i + 1]!, ...found, ...expected].map((w) => w!.toString(16)).join(' '),
        )
    }
    expect(wrong).toEqual([])
  })
  it.each(
    sampled(2, [
      ['rcp.approx.ftz.f64', 20],
      ['rsqrt.approx.ftz.f64', 21],
    ] as const),
  )('%s, all 2^%i significands', (name, power) => {
    const out = Uint32Array.from({ length: 2 ** power }, (_, k) => answered(name, 0x3ff00000 + k, 0)[0])
    expect(createHash('sha256').update(out).digest('hex')).toBe(doubles.sha256[name])
  })
})
