import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { Ref } from '../../docs/typed/index.js'
import {
  physicalShape,
  ref,
  slice,
  slot,
  swizzle,
  tcgen05,
  tile,
  tmaLoad,
  tmaStore,
  transpose,
  view,
  wgmma,
} from '../../docs/typed/index.js'
import * as R from '../../src/transforms/ref.js'
import { mmaOperand } from '../../src/transforms/mma-operand.js'
import * as T from '../../src/transforms/transform.js'
import { bitsOf, dtypes } from '../../src/numerics/dtype.js'
import { swizzleElements, swizzles } from '../../src/transforms/swizzle.js'
import { code, right } from '../either.js'

describe('law 1: the layout is what the core makes', () => {
  const cut = right(T.tile([8, 64]))
  const x128 = right(T.swizzle(128))
  const core = right(R.ofTransforms([4, 128, 64], 16, [cut, x128]))
  const ring = swizzle(tile(ref([4, 128, 64], 'f16', 'smem'), [8, 64]), 128)

  test('allocations', () => {
    expect(ref([4, 6], 'f32', 'gmem')).toEqual({
      shape: [4, 6],
      dtype: 'f32',
      space: 'gmem',
      tile: [],
      swizzle: 16,
      stage: 'allocation',
      layout: R.ofTransforms([4, 6], 32, []),
    })
    expect(tile(ref([128, 64], 'f16', 'smem'), [8, 64]).layout).toEqual(R.ofTransforms([128, 64], 16, [cut]))
    expect(ring).toEqual({
      shape: [4, 128, 64],
      dtype: 'f16',
      space: 'smem',
      tile: [8, 64],
      swizzle: 128,
      stage: 'allocation',
      layout: E.right(core),
    })
    expect(swizzle(ref([8, 16], 'f16', 'smem'), 32).layout).toEqual(
      R.ofTransforms([8, 16], 16, [right(T.swizzle(32))]),
    )
    expect(right(view(ring))).toEqual({ _tag: 'view', space: 'smem', dtype: 'f16', layout: core })
  })

  test('tensor memory: row i is lane i, 2048 bytes after the one before', () => {
    expect(right(ref([128, 256], 'f32', 'tmem').layout).strides).toEqual([512, 1])
    expect(right(ref([128, 256], 'f16', 'tmem').layout).strides).toEqual([1024, 1])
    expect(code(ref([2, 128, 256], 'f16', 'tmem').layout)).toBe('typed.tensor-memory')
  })

  test('views', () => {
    const second = slot(ring, 1)
    expect([second.shape, second.tile, second.swizzle, second.stage, second.space, second.dtype]).toEqual([
      [128, 64],
      [8, 64],
      128,
      'view',
      'smem',
      'f16',
    ])
    const buffer = right(R.slot(1)(core))
    expect(second.layout).toEqual(E.right(buffer))

    const rows = slice(second, [64, 0], [64, 64])
    expect([rows.shape, rows.tile, rows.swizzle, rows.stage, rows.space, rows.dtype]).toEqual([
      [64, 64],
      [8, 64],
      128,
      'view',
      'smem',
      'f16',
    ])
    expect(rows.layout).toEqual(R.slice([64, 0], [64, 64])(buffer))

    const flipped = transpose(rows, [1, 0])
    expect([
      flipped.shape,
      flipped.tile,
      flipped.swizzle,
      flipped.stage,
      flipped.space,
      flipped.dtype,
    ]).toEqual([[64, 64], [64, 8], 128, 'view', 'smem', 'f16'])
    expect(flipped.layout).toEqual(R.transpose([1, 0])(right(rows.layout)))
    const swapped = transpose(ring, [0, 2, 1])
    expect([swapped.shape, swapped.tile]).toEqual([
      [4, 64, 128],
      [64, 8],
    ])
    expect(right(swapped.layout).shape).toEqual([4, 64, 128])
    expect(transpose(ref([2, 3, 5], 'f32', 'gmem'), [1, 2, 0]).shape).toEqual([3, 5, 2])
  })

  test('the first fault stays, and computed extents are judged at run time', () => {
    const extent: number = 48
    const faulty = tile(ref([128, 128], 'f16', 'smem'), [extent, 64])
    expect(code(faulty.layout)).toBe('tile.not-divisible')
    expect(code(swizzle(faulty, 128).layout)).toBe('tile.not-divisible')
    expect(code(transpose(faulty, [1, 0]).layout)).toBe('tile.not-divisible')
    expect(code(slice(faulty, [0, 0], [64, 64]).layout)).toBe('tile.not-divisible')
    expect(code(slot(faulty, 0).layout)).toBe('tile.not-divisible')
    expect(code(physicalShape(faulty))).toBe('tile.not-divisible')
    expect(code(view(faulty))).toBe('tile.not-divisible')
    expect(code(ref([extent - 48, 1], 'f16', 'smem').layout)).toBe('ref.shape')
    expect(code(tile(ref([extent - 48, 1], 'f16', 'smem'), [1]).layout)).toBe('ref.shape')
  })
})

test('law 2: the physical shape has its type', () => {
  const t = tile(ref([4, 128, 128], 'f16', 'smem'), [8, 64])
  const shape = right(physicalShape(t))
  expectTypeOf(shape).toEqualTypeOf<readonly [4, 16, 2, 8, 64]>()
  expect(shape).toEqual([4, 16, 2, 8, 64])
  const v = right(physicalShape(transpose(slice(t, [0, 8, 0], [4, 64, 128]), [0, 2, 1])))
  expectTypeOf(v).toEqualTypeOf<readonly number[]>()
  expect(v).toEqual([4, 2, 8, 64, 8])
})

test('operands: what the core recognises, for a descriptor', () => {
  const acc = ref([128, 256], 'f32', 'regs')
  const a = swizzle(tile(ref([128, 64], 'f16', 'smem'), [8, 64]), 128)
  const b = transpose(swizzle(tile(ref([256, 64], 'f16', 'smem'), [8, 64]), 128), [1, 0])
  expect(right(wgmma(acc, a, b))).toEqual({
    unit: 'wgmma',
    a: right(mmaOperand('a')(right(a.layout))),
    b: right(mmaOperand('b')(right(b.layout))),
    m: 128,
    n: 256,
    k: 64,
  })
  expect(right(wgmma(acc, ref([128, 64], 'f16', 'regs'), b)).a).toBe('regs')
  const cols = ref([128, 256], 'f32', 'tmem')
  expect(right(tcgen05(cols, ref([128, 64], 'f16', 'tmem'), b))).toMatchObject({ unit: 'tcgen05', a: 'tmem' })

  const some: Ref<readonly [number, number], 'f16', 'smem', readonly number[], 128> = a
  const free = ref([128 as number, 256 as number], 'f32', 'regs')
  expect(code(wgmma(free, some, a))).toBe('typed.shape')
  expect(right(wgmma(free, some, b)).k).toBe(64)
  const none: number = 0
  expect(code(wgmma(ref([none, 256], 'f32', 'regs'), a, b))).toBe('ref.shape')
})

test('copies: the types of both ends', () => {
  const gmem = ref([128, 64], 'f16', 'gmem')
  const smem = swizzle(tile(ref([128, 64], 'f16', 'smem'), [8, 64]), 128)
  expect(right(tmaLoad(gmem, smem))).toEqual({ source: right(view(gmem)), destination: right(view(smem)) })
  expect(right(tmaStore(smem, gmem))).toEqual({ source: right(view(smem)), destination: right(view(gmem)) })
  const rows: number = 64
  expect(code(tmaLoad(ref([rows, 64], 'f16', 'gmem'), smem))).toBe('typed.shape')
  expect(code(tmaLoad(gmem, tile(ref([128, 64], 'f16', 'smem'), [rows, 48 as number])))).toBe(
    'tile.not-divisible',
  )
})

test('quotients, law 2: elements of a swizzle', () => {
  // The type of the table cannot be listed at run time; the generator writes it from its own widths, so those are held against the core here.
  const widths = dtypes.map((dtype) => bitsOf(dtype))
  expect(widths).toEqual([32, 32, 16, 16, 8, 8, 8, 8, 6, 6, 4, 1, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64])
  expectTypeOf<import('../../docs/typed/index.js').SwizzleElements[128]>().toMatchTypeOf<{
    readonly f32: 32
    readonly f16: 64
    readonly e4m3: 128
    readonly e2m1: 256
    readonly i64: 16
  }>()
  expect(swizzles.map((s) => swizzleElements(s, 16))).toEqual([8, 16, 32, 64])
})
