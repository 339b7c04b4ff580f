import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/failure.js'
import { linearOfRef } from '../../../src/layouts/conversion/shared.js'
import { invert } from '../../../src/layouts/linear/inverse.js'
import { apply } from '../../../src/layouts/linear/linear-layout.js'
import type { TransformedRef } from '../../../src/transforms/ref.js'
import * as Ref from '../../../src/transforms/ref.js'
import { swizzleElements, swizzles } from '../../../src/transforms/swizzle.js'
import * as Transform from '../../../src/transforms/transform.js'
import { indices } from '../captured.js'
import { code, right } from '../../either.js'

const refOf = (
  shape: ReadonlyArray<number>,
  bits: number,
  ...transforms: ReadonlyArray<E.Either<Failure, Transform.Transform>>
): TransformedRef =>
  right(
    Ref.ofTransforms(
      shape,
      bits,
      transforms.map((t) => right(t)),
    ),
  )

/** Law 1, at every index, for elements of whole bytes. */
const agrees = (ref: TransformedRef): void => {
  const f = apply(right(linearOfRef(ref)))
  const wrong = indices(ref.shape).filter((index) => {
    const coordinates = Object.fromEntries(index.map((i, d) => [`dim${String(d)}`, i]))
    return f(coordinates)[0]! * ref.bits !== 8 * Ref.addressOf(ref, 0, index)
  })
  expect(wrong).toEqual([])
}

describe('transformed refs as linear layouts', () => {
  const forms = swizzles.flatMap((span) => [8, 16, 32].map((bits) => [span, bits] as const))

  test.each(forms)('Law 1: tiled and swizzled by %i bytes, %i bits, two panels', (span, bits) => {
    const row = swizzleElements(span, bits)
    agrees(refOf([16, 2 * row], bits, Transform.tile([8, row]), Transform.swizzle(span)))
    agrees(
      refOf(
        [2 * row, 16],
        bits,
        Transform.transpose([1, 0]),
        Transform.tile([8, row]),
        Transform.swizzle(span),
      ),
    )
  })

  test('Law 1: a transposed view, a plain array, a cut of two levels, extents of one', () => {
    const ref = refOf([16, 128], 16, Transform.tile([8, 64]), Transform.swizzle(128))
    agrees(right(Ref.transpose([1, 0])(ref)))
    agrees(refOf([4, 1, 8], 32))
    agrees(refOf([16, 16], 8, Transform.tile([8, 8], [2, 2])))
    agrees(refOf([1, 1], 16))
  })

  test('Law 2: the essay, inverted', () => {
    const linear = right(linearOfRef(refOf([8, 64], 16, Transform.tile([8, 64]), Transform.swizzle(128))))
    expect(linear.inputs).toEqual([
      { name: 'dim0', bases: [[64 + 8], [128 + 16], [256 + 32]] },
      { name: 'dim1', bases: [[1], [2], [4], [8], [16], [32]] },
    ])
    expect(right(invert(linear)).inputs).toEqual([
      {
        name: 'offset',
        bases: [
          [0, 1],
          [0, 2],
          [0, 4],
          [0, 8],
          [0, 16],
          [0, 32],
          [1, 8],
          [2, 16],
          [4, 32],
        ],
      },
    ])
  })

  test('refusals: an offset, an extent, strides that carry, data that is no ref', () => {
    const ref = refOf([16, 64], 16, Transform.tile([8, 64]), Transform.swizzle(128))
    expect(linearOfRef(right(Ref.slice([8, 0], [8, 64])(ref)))).toMatchObject({
      left: { code: 'conversion.offset', message: expect.stringContaining('starts 1024 bytes after') },
    })
    expect(linearOfRef(refOf([4, 6], 16))).toMatchObject({
      left: { code: 'conversion.extent', message: expect.stringContaining('dimension 1 has extent 6') },
    })
    expect(code(linearOfRef(right(Ref.ofStrides([4, 4], 16, [3, 1], 16))))).toBe('conversion.carry')
    expect(code(linearOfRef({ ...ref, bits: 0 }))).toBe('ref.bits')
  })
})
