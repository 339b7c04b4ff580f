/** The copies of one tensor. */
import { describe, expect, test } from 'vitest'
import { apply, inputSize } from '../../../src/layouts/linear/linear-layout.js'
import type { NvmmaShared } from '../../../src/layouts/triton/encoding.js'
import { encoding } from '../../../src/layouts/triton/encoding.js'
import type { Messages } from '../../../src/layouts/triton/tma-message.js'
import { messages } from '../../../src/layouts/triton/tma-message.js'
import { sizeOf } from '../../../src/transforms/shape.js'
import type { Shape } from '../../../src/transforms/shape.js'
import { linearOf, nvmma, range } from './readers.js'
import { code, right } from '../../either.js'

const of = (spec: NvmmaShared, shape: Shape): Messages => right(messages(right(encoding(spec)), shape))

const table = ({ corner, offset }: Messages, block = 0): readonly (readonly [Shape, number])[] =>
  range(inputSize(corner, 'msg')).map((msg) => [
    apply(corner)({ msg, block }),
    apply(offset)({ msg, block })[0]!,
  ])

const cases: readonly (readonly [NvmmaShared, Shape])[] = [
  [nvmma(128, 16), [512, 128]],
  [nvmma(64, 8, true), [128, 512]],
  [nvmma(0, 32), [512, 512]],
  [nvmma(0, 16, true), [512, 8]],
  [nvmma(32, 16), [2, 16, 32]],
  [
    {
      ...nvmma(128, 16),
      cgaBases: [
        [1, 0],
        [0, 0],
      ],
    },
    [32, 128],
  ],
]

describe('law 1', () => {
  test.each(cases)('boxes tile the share: %j on %j', (spec, shape) => {
    const { box, corner } = of(spec, shape)
    const blocks = range(2 ** (spec.cgaBases?.length ?? 0))
    const seen = blocks.flatMap((block) =>
      range(inputSize(corner, 'msg')).map((msg) => apply(corner)({ msg, block })),
    )
    for (const at of seen) at.forEach((v, d) => expect(v % box[d]!).toBe(0))
    const distinct = new Set(seen.map((at) => at.join()))
    expect(distinct.size * sizeOf(box)).toBe(sizeOf(shape))
  })

  test('dimension 0 first', () => {
    const found = of(nvmma(128, 16), [512, 128])
    expect(found.box).toEqual([256, 64])
    expect(table(found)).toEqual([
      [[0, 0], 0],
      [[256, 0], 16384],
      [[0, 64], 32768],
      [[256, 64], 49152],
    ])
    expect(table(of(nvmma(0, 32), [512, 512])).map(([, offset]) => offset)).toEqual([
      0, 131072, 65536, 196608,
    ])
  })
})

describe('law 2', () => {
  test.each(cases)('the box fills the offsets from there: %j on %j', (spec, shape) => {
    const found = of(spec, shape)
    const at = apply(linearOf(spec, shape))
    const inBox = sizeOf(found.box)
    for (const [start, offset] of table(found)) {
      expect(at({ offset })).toEqual(start)
      for (const k of [1, 2, 3, 100, inBox - 1].filter((one) => one < inBox)) {
        const element = at({ offset: offset + k })
        expect(element.every((v, d) => v >= start[d]! && v < start[d]! + found.box[d]!)).toBe(true)
      }
    }
  })

  test('blocks copy their own share', () => {
    const found = of({ ...nvmma(128, 16), cgaBases: [[1, 0]] }, [32, 128])
    expect(table(found, 1)).toEqual([
      [[16, 0], 0],
      [[16, 64], 1024],
    ])
    expect(apply(found.offset)({ msg: 0, block: 1 })).toEqual([0, 1])
  })
})

test('padded: the copy counts 4-bit elements', () => {
  const plain = of(nvmma(128, 8, false, true), [256, 128])
  expect(plain.box).toEqual([256, 128])
  expect(plain.corner.outputs.map(({ size }) => size)).toEqual([256, 256])
  expect(table(plain)).toEqual([
    [[0, 0], 0],
    [[0, 128], 32768],
  ])
  const transposed = of(nvmma(128, 8, true, true), [128, 8])
  expect(transposed.box).toEqual([128, 8])
  expect(table(transposed)).toEqual([
    [[0, 0], 0],
    [[128, 0], 1024],
  ])
})

test('shapes without a layout have no messages', () => {
  expect(code(messages(right(encoding(nvmma(128, 16))), [64, 32]))).toBe('triton.too-small')
})
