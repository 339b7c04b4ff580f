/**
 * Functions of libdevice. Oracles: what an H100 left of 512 operands, half of them any bits (`conformance/triton/beyond/captures/library`); and the functions themselves
 * in f64.
 */
import { readFileSync } from 'node:fs'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as libdevice from '../../../src/numerics/special-functions/libdevice.js'
import { unaryFunction } from '../../../src/numerics/special-functions/functions.js'
import { real64 } from '../../../src/numerics/real64.js'

const captures = new URL('../../../conformance/triton/beyond/captures/library/', import.meta.url)
/** The words behind the header of a file of numpy's. */
const wordsOf = (name: string): Uint32Array => {
  const bytes = readFileSync(new URL(`${name}.npy`, captures))
  return new Uint32Array(
    bytes.buffer.slice(bytes.byteOffset + 10 + bytes.readUInt16LE(8), bytes.byteOffset + bytes.length),
  )
}

const view = new DataView(new ArrayBuffer(4))
const valueOf = (pattern: number): number => {
  view.setUint32(0, pattern)
  return view.getFloat32(0)
}
const patternOf = (x: number): number => {
  view.setFloat32(0, x)
  return view.getUint32(0)
}

/** By the row of the kernel. */
const rows: ReadonlyArray<readonly [row: number, of: (x: number) => number]> = [
  [0, unaryFunction['sqrt.approx.ftz.f32']],
  [1, libdevice.flushed.log2f],
  [2, libdevice.flushed.logf],
  [3, libdevice.sinf],
  [4, libdevice.cosf],
  [5, libdevice.erff],
  [6, libdevice.flushed.tanhf],
  [7, libdevice.expf],
  [8, libdevice.expm1f],
  [9, libdevice.log1pf],
]

/** The function, and operands: below, above. */
const meant = [
  ['log2', libdevice.flushed.log2f, Math.log2, 1e-30, 1e30],
  ['log', libdevice.flushed.logf, Math.log, 1e-30, 1e30],
  ['log1p', libdevice.log1pf, Math.log1p, -0.999, 1e20],
  ['exp', libdevice.expf, Math.exp, -87, 88],
  ['expm1', libdevice.expm1f, Math.expm1, -80, 88],
  ['sin', libdevice.sinf, Math.sin, -1e6, 1e6],
  ['cos', libdevice.cosf, Math.cos, -1e6, 1e6],
  ['tanh', libdevice.flushed.tanhf, Math.tanh, -12, 12],
  ['erf', libdevice.erff, O.getOrElse(() => Math.abs)(real64.unary('__nv_erff', 'rn', 'f32')), -5, 5],
] as const

describe('libdevice.ts', () => {
  const x = wordsOf('x')
  const left = wordsOf('out')
  it.each(rows)('law 1: row %i is what the chip left', (row, of) => {
    const expected = left.subarray(row * x.length, (row + 1) * x.length)
    expect([...x].map(of)).toEqual([...expected])
  })
  it.each(meant)('law 2: %s', (_, of, exact, low, high) => {
    let most = 0
    for (let k = 0; k <= 300; k++) {
      const share = k / 300
      const at = low > 0 ? low * (high / low) ** share : low + (high - low) * share ** (k % 2 === 0 ? 1 : 3)
      const operand = Math.fround(at)
      const value = exact(operand)
      const off = Math.abs(valueOf(of(patternOf(operand))) - value)
      most = Math.max(
        most,
        off / Math.max(Math.abs(value), of === libdevice.sinf || of === libdevice.cosf ? 1 : 0, 2 ** -100),
      )
    }
    expect(most).toBeLessThan(2 ** -21)
  })
  it.each([
    ['logf', Math.log],
    ['log2f', Math.log2],
    ['tanhf', Math.tanh],
  ] as const)('law 3: %s keeps subnormals, and is the same on what is far from them', (name, exact) => {
    for (const operand of x) {
      const size = Math.abs(valueOf(operand))
      if (size > 2 ** -40) expect(libdevice.kept[name](operand)).toBe(libdevice.flushed[name](operand))
    }
    for (let k = 0; k < 23; k++) {
      const value = exact(valueOf(2 ** k))
      expect(Math.abs(valueOf(libdevice.kept[name](2 ** k)) - value)).toBeLessThanOrEqual(
        Math.abs(value) * 2 ** -22,
      )
    }
    expect(libdevice.flushed.tanhf(5)).not.toBe(5)
  })
  it('by hand', () => {
    expect(libdevice.flushed.log2f(0x41000000)).toBe(0x40400000)
    expect(libdevice.sinf(0x40490fdb)).toBe(0xb3bbbd2e)
    expect([
      libdevice.sinf(0x80000000),
      libdevice.erff(0x80000000),
      libdevice.flushed.tanhf(0xff800000),
    ]).toEqual([0x80000000, 0x80000000, 0xbf800000])
  })
})
