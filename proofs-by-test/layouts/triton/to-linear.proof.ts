/** The captured conversions, and those of encodings drawn at random; the oracle is the compiler. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { isEncoding } from '../../../src/layouts/triton/encoding.js'
import { onShape, toLinear } from '../../../src/layouts/triton/to-linear.js'
import { basesByInput, computed, golden, linearOf, mmaV3, nvmma, specOf, tmem } from './readers.js'
import { code } from '../../either.js'

describe('conversions of the compiler', () => {
  test.each(golden('conversion').map((one) => [one.name, one] as const))('%s', (_, one) => {
    const layout = linearOf(specOf(one.inputs.encoding), one.inputs.shape)
    expect(JSON.stringify(basesByInput(layout))).toBe(JSON.stringify(one.expectedBases))
    expect(layout.outputs).toEqual(one.expectedOutDims)
  })

  const { conversion } = computed()
  test(`${String(conversion.length)}: drawn at random, of every kind, and all scales`, () => {
    expect(conversion.length).toBeGreaterThan(200)
    for (const { encoding, shape, bases } of conversion) {
      const layout = linearOf(specOf(encoding), shape)
      const mine = layout.inputs.filter(({ name }) => name in bases)
      expect(
        Object.fromEntries(mine.map(({ name, bases: found }) => [name, found])),
        JSON.stringify({ encoding, shape }),
      ).toEqual(bases)
      expect(layout.outputs.map(({ size }) => size)).toEqual(shape)
    }
  })
})

test('law 1: inputs by the kind of memory, outputs by the shape', () => {
  const names = (layout: ReturnType<typeof linearOf>): string =>
    `${layout.inputs.map(({ name }) => name).join(' ')} -> ${layout.outputs.map(({ name }) => name).join(' ')}`
  expect(names(linearOf(mmaV3(8), [64, 8]))).toBe('register lane warp block -> dim0 dim1')
  expect(names(linearOf({ _tag: 'slice', dim: 0, parent: mmaV3(8) }, [8]))).toBe(
    'register lane warp block -> dim0',
  )
  expect(names(linearOf(nvmma(32, 16), [2, 8, 16]))).toBe('offset block -> dim0 dim1 dim2')
  expect(names(linearOf(nvmma(64, 8, true), [64, 8]))).toBe('offset block -> dim0 dim1')
  for (const more of [{}, { colStride: 2 }, { twoCTAs: true }])
    expect(names(linearOf(tmem(64, 16, more), [64, 16]))).toBe('row col block -> dim0 dim1')
  expect(names(linearOf({ _tag: 'tensor_memory_scales' }, [128, 4]))).toBe('row col block -> dim0 dim1')
})

test('law 2: `onShape` checks the encoding, then the shape', () => {
  const spec = mmaV3(8)
  expect(isEncoding(spec) && toLinear(spec, [64, 8])).toEqual(onShape(spec)([64, 8]))
  expect(code(onShape(mmaV3(12))([64, 12]))).toBe('triton.power-of-two')
})

test.each([
  ['another rank', [64], 'Expected a shape of rank 2, as the encoding, found (64,)'],
  ['more dimensions', [1, 64, 8], 'Expected a shape of rank 2, as the encoding, found (1, 64, 8)'],
  ['no power of two', [64, 24], 'Extents must be powers of two, found 24 in dimension 1 of (64, 24)'],
  ['an empty dimension', [0, 8], 'Extents must be powers of two, found 0 in dimension 0 of (0, 8)'],
])('a shape with %s is refused', (_, shape, message) => {
  expect(onShape(mmaV3(8))(shape)).toEqual(E.left({ code: 'triton.shape', message }))
})
