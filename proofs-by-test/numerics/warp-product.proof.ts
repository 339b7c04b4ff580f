/**
 * Products of one warp against an H100: every form of the capture, by day some tuples of each, by night all.
 *
 * The second law is held against whole numbers that no format rounds, summed as integers.
 */
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { decoder, encoder } from '../../src/numerics/index.js'
import { warpElementBits, warpMma, type WarpProduct } from '../../src/numerics/warp-product.js'
import { nightly } from '../extent.js'
import { capturedForms, hashOf, type CapturedForm } from './mma/captured.js'
import { isFloat, Random } from './mma/operands.js'
import { productLeft, productOf } from './mma/replay.js'

/** Some tuples of a form: of other kinds for every form. */
const tuplesOf = (f: CapturedForm, index: number): ReadonlyArray<number> =>
  nightly
    ? Array.from(f.hashes, (_, t) => t)
    : (f.kind === 'mma' ? [index, index + 7] : [index]).map((t) => (37 * t) % f.hashes.length)

describe('law 1: bit for bit an H100', () => {
  const forms = capturedForms.filter((f) => f.kind === 'mma' || f.kind === 'wmma')
  it('has every form', () => {
    expect(forms.length).toBe(232)
  })
  for (const type of new Set(forms.map((f) => f.types[0])))
    it(type, { timeout: 600_000 }, () => {
      const wrong = forms.flatMap((f, index) => {
        if (f.types[0] !== type) return []
        const left = productLeft(f)
        return tuplesOf(f, index)
          .filter((t) => hashOf(left(t)) !== f.hashes[t])
          .map((t) => `${f.opcode} tuple ${String(t)}`)
      })
      expect(wrong).toEqual([])
    })
})

describe('law 2: where nothing is rounded, c + a b', () => {
  const products = new Map(
    capturedForms
      .filter((f) => f.kind === 'mma' || f.kind === 'wmma')
      .map((f): [string, WarpProduct] => [JSON.stringify(productOf(f)), productOf(f)]),
  )
  /** A whole number as a pattern of a type, and back; of f64 two words. */
  const patternOf = (type: WarpProduct['a'] | WarpProduct['c'], x: number): ReadonlyArray<number> => {
    if (type === 'f64') {
      const words = new Uint32Array(new Float64Array([x]).buffer)
      return [words[0]!, words[1]!]
    }
    if (isFloat(type)) return [encoder(type as 'f16')(x)]
    return [(x & (2 ** warpElementBits(type) - 1 || -1)) >>> 0]
  }
  const valueOf = (type: WarpProduct['c'], d: Float64Array, at: number): number =>
    type === 'f64'
      ? new Float64Array(new Uint32Array([d[2 * at]!, d[2 * at + 1]!]).buffer)[0]!
      : type === 's32'
        ? d[at]! | 0
        : decoder(type)(d[at]!)
  it('for every product', () => {
    for (const p of products.values()) {
      const mma = warpMma(p)
      if (O.isNone(mma)) throw new Error(p.a)
      const { m, n, k } = p.shape
      const r = new Random(JSON.stringify(p))
      const signed = !/^[ub]/u.test(p.a) || p.a === 'bf16'
      const draw = (type: string): number =>
        type === 'b1'
          ? r.pick(2)
          : /^u/u.test(type)
            ? r.pick(3)
            : isFloat(type) || signed || /^s/u.test(type)
              ? r.pick(4) - 2
              : r.pick(3)
      const a = Array.from({ length: p.products * m * k }, () => draw(p.a))
      const b = Array.from({ length: p.products * k * n }, () => draw(p.b))
      const c = Array.from({ length: p.products * m * n }, () => r.pick(64) - 32)
      const d = mma.value(
        Float64Array.from(a.flatMap((x) => patternOf(p.a, x))),
        Float64Array.from(b.flatMap((x) => patternOf(p.b, x))),
        Float64Array.from(c.flatMap((x) => patternOf(p.c, x))),
      )
      c.forEach((start, at) => {
        const q = Math.floor(at / (m * n))
        const i = Math.floor(at / n) % m
        const j = at % n
        let sum = start
        for (let s = 0; s < k; s++) {
          const x = a[(q * m + i) * k + s]!
          const y = b[(q * k + s) * n + j]!
          sum += p.counts === 'xor' ? Number(x !== y) : x * y
        }
        expect(valueOf(p.d, d, at)).toBe(sum)
      })
    }
  })
})
