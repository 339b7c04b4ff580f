/** Strides of a tensor map, as the driver takes them: a dimension of extent 1 is never stepped along, so its stride may be 0. */
import { describe, expect, it } from 'vitest'
import { refusedMap } from '../../../../src/semantics/instructions/tma/object.js'

/** Innermost first, as the call of the driver has them; strides in bytes. */
const refused = (dims: ReadonlyArray<number>, bytes: ReadonlyArray<number>): string | null =>
  refusedMap(
    {
      base: 0,
      dtype: 'f16',
      dims: [...dims].reverse(),
      strides: [...bytes.map((n) => n / 2)].reverse().concat(1),
      box: dims.map((n, k) => (k === 0 ? Math.min(n, 64) : 1)).reverse(),
      elementStrides: dims.map(() => 1),
      swizzle: 128,
      fill: 'zero',
      padded: false,
      window: null,
    },
    2 ** 20,
  )?.message ?? null

describe('the stride of a dimension', () => {
  it('may be 0 where its extent is 1, wherever that dimension stands', () => {
    expect(refused([64, 64, 1, 1, 1], [128, 0, 0, 0])).toBeNull()
    expect(refused([64, 1, 64], [0, 128])).toBeNull()
    expect(refused([64, 1], [0])).toBeNull()
    expect(refused([64, 1, 64, 1, 2], [0, 128, 0, 8192])).toBeNull()
  })
  it('is named by its own place where it is wrong', () => {
    expect(refused([64, 64, 1, 2, 1], [128, 0, 0, 0])).toMatch(
      /^strides\[2\], of dimension 3 \(the innermost is 0\) of extent 2: .*, found 0$/,
    )
    expect(refused([64, 64, 1, 1, 1], [128, 24, 0, 0])).toMatch(
      /^strides\[1\], of dimension 2 .*, or 0, found 24$/,
    )
    expect(refused([64, 2, 2], [0, 256])).toMatch(/^strides\[0\], of dimension 1 .*, found 0$/)
    expect(refused([64, 2, 2], [128, 2 ** 40])).toMatch(/^strides\[1\], of dimension 2 /)
    expect(refused([64, 1, 2], [-16, 128])).toMatch(/^strides\[0\], of dimension 1 /)
  })
})
