/** Conversions between bytes and bf16, which no kernel of the capture has: through wider types, whose conversions an H100 was asked for. */
import { describe, expect, it } from 'vitest'
import { scalarOperation } from '../../../src/numerics/scalar/index.js'
import { sampled } from '../../extent.js'

const of = (name: string): ((word: number) => number) => {
  const { compute } = scalarOperation(name)!
  return (word) => compute(word)
}
const halves = sampled(
  7,
  Array.from({ length: 65536 }, (_, word) => word),
)

describe('bytes and bf16', () => {
  it.each(['s8', 'u8'])('a bf16 becomes %s as the f32 of the same value does', (byte) => {
    for (const rounding of ['rni', 'rzi', 'rmi', 'rpi']) {
      const [direct, wide] = [of(`cvt.${rounding}.${byte}.bf16`), of(`cvt.${rounding}.${byte}.f32`)]
      expect(halves.filter((word) => direct(word) !== wide(word << 16))).toEqual([])
    }
  })

  it.each([
    ['s8', 's16', -128],
    ['u8', 'u16', 0],
  ])('a %s becomes bf16 as the %s of the same value does', (byte, wider, least) => {
    for (const rounding of ['rn', 'rz', 'rm', 'rp']) {
      const [direct, wide] = [of(`cvt.${rounding}.bf16.${byte}`), of(`cvt.${rounding}.bf16.${wider}`)]
      const values = Array.from({ length: 256 }, (_, i) => i + least)
      expect(values.filter((value) => direct(value) !== wide(value))).toEqual([])
    }
  })
})
