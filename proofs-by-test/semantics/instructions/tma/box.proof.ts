/**
 * The two sides of a bulk copy: which elements of the tensor, and where their image lies.
 *
 * Oracle: the definition, element by element: the box at its coordinates, outside of the tensor nothing. Images by hand.
 */
import { describe, expect, test } from 'vitest'
import { bitsOf, type Dtype } from '../../../../src/numerics/dtype.js'
import { bits, real64 } from '../../../../src/numerics/index.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import {
  boxElements,
  boxImage,
  checkCoords,
  checkRowMap,
  fillOf,
  messageImage,
  rowElements,
  startOf,
} from '../../../../src/semantics/instructions/tma/box.js'
import { carried, inWords } from '../../../../src/semantics/instructions/tma/words.js'
import * as Footprint from '../../../../src/semantics/machine/footprint.js'
import type { Elements } from '../../../../src/semantics/machine/operation.js'
import * as Plane from '../../../../src/semantics/machine/plane.js'
import * as V from '../../../../src/semantics/machine/value.js'
import { isFault, type DescriptorValue, type FaultValue } from '../../../../src/semantics/machine/value.js'
import * as Ref from '../../../../src/transforms/ref.js'
import { launched } from '../../machine/machine-samples.js'
import { right } from '../../../either.js'

const { world } = launched(
  right(
    B.draft({ name: 'boxes', arch: 'sm100a', grid: [1], agents: [B.warpgroup('wg', 0)] }, function* () {
      yield* B.tensorParam('bytes', 'u8', [1 << 16], { role: 'in' })
    }),
  ),
  bits('blackwell'),
)
const plane = world.header.planes.findIndex((p) => p.name === 'bytes')
const smem = world.header.planes.findIndex((p) => p.space === 'smem')

/** A tensor (8, 64) of u16 in a wider one, from byte 256 on; boxes (4, 16). */
const descriptor = (more: Partial<DescriptorValue> = {}): DescriptorValue => ({
  _tag: 'descriptor',
  name: 'map',
  plane,
  base: 256,
  dtype: 'u16',
  dims: [8, 64],
  strides: [96, 1],
  box: [4, 16],
  elementStrides: [1, 1],
  swizzle: 16,
  fill: 'zero',
  padded: false,
  window: null,
  rounds: false,
  flushes: false,
  map: null,
  ...more,
})
/** Of each element the byte, or the half of one, -1 for none. */
const addressesOf = (d: DescriptorValue, coords: ReadonlyArray<number>): ReadonlyArray<number> => {
  const steps = d.elementStrides.map((s, i) => (i === d.box.length - 1 ? 1 : s))
  const shape = d.box.map((n, i) => Math.ceil(n / steps[i]!))
  const indices = shape.reduce<ReadonlyArray<ReadonlyArray<number>>>(
    (all, n) => all.flatMap((index) => Array.from({ length: n }, (_, i) => [...index, i])),
    [[]],
  )
  const width = bitsOf(d.dtype)
  return indices.map((index) => {
    const at = index.map((i, axis) => coords[axis]! + i * steps[axis]!)
    if (at.some((c, axis) => c < 0 || c >= d.dims[axis]!)) return -1
    const bit = 8 * d.base + width * at.reduce((sum, c, axis) => sum + c * d.strides[axis]!, 0)
    return width === 4 ? bit / 4 : bit / 8
  })
}
const listed = (e: Elements | FaultValue): ReadonlyArray<number> => {
  if (isFault(e)) throw new Error(e.message)
  return [...Footprint.addressesOf(e)].map((a) => Math.max(a, -1))
}

describe('elements of the tensor', () => {
  const cube = { dims: [3, 4, 32], strides: [200, 48, 1], box: [2, 3, 16], elementStrides: [1, 1, 1] }
  const rows: ReadonlyArray<
    readonly [what: string, more: Partial<DescriptorValue>, coords: ReadonlyArray<number>]
  > = [
    ['at the start', {}, [0, 0]],
    ['inside', {}, [3, 24]],
    ['in the last corner', {}, [4, 48]],
    ['one row over the end', {}, [5, 8]],
    ['over the last column', {}, [2, 56]],
    ['before the first row', {}, [-1, 8]],
    ['before the first column', {}, [2, -8]],
    ['all of it outside', {}, [8, 0]],
    ['every second row', { elementStrides: [2, 1] }, [1, 16]],
    ['every third row, two of them outside', { elementStrides: [3, 1], box: [7, 16] }, [4, 16]],
    ['an element stride innermost is ignored', { elementStrides: [1, 2] }, [0, 8]],
    ['three dimensions', cube, [1, 1, 8]],
    ['three dimensions, outside of each', cube, [2, 2, 24]],
    ['words', { dtype: 'f32' }, [4, 8]],
    ['words over the end', { dtype: 'f32' }, [6, 60]],
    ['bytes', { dtype: 'u8' }, [1, 16]],
    ['bytes over the end', { dtype: 'u8' }, [7, 56]],
    ['halves of bytes', { dtype: 'e2m1', box: [4, 32] }, [2, 32]],
    ['halves of bytes over the end', { dtype: 'e2m1', box: [4, 32] }, [6, 32]],
    ['one dimension', { dims: [64], strides: [1], box: [16], elementStrides: [1] }, [56]],
  ]
  test.each(rows)('%s', (_what, more, coords) => {
    const d = descriptor(more)
    const e = boxElements(world, d, coords)
    expect(listed(e)).toEqual(addressesOf(d, coords))
    expect(e).toMatchObject({ plane, dtype: d.dtype })
    // a second box of the descriptor, elsewhere
    const next = coords.map((c, i) => (i === 0 ? c - 1 : c))
    expect(listed(boxElements(world, d, next))).toEqual(addressesOf(d, next))
  })
  test('a box that leaves the memory of its tensor', () => {
    const d = descriptor({ base: (1 << 16) - 96 * 2 * 4 })
    expect(isFault(boxElements(world, d, [0, 0]))).toBe(false)
    expect(boxElements(world, d, [4, 0])).toMatchObject({ code: 'I2' })
  })
  test('a box that is partly outside costs a tick for four elements', () => {
    const limited = (limit: number) => ({ ...world, effort: { spent: 0, limit } })
    const d = descriptor()
    expect(isFault(boxElements(limited(16), d, [7, 0]))).toBe(false)
    expect(boxElements(limited(15), d, [7, 0])).toMatchObject({ code: 'fuel' })
  })

  test.each<readonly [string, Partial<DescriptorValue>, ReadonlyArray<number>, number]>([
    ['rows in any order, one twice', {}, [5, 0, 7, 5], 16],
    ['rows outside of both ends', {}, [-1, 8, 3, 9], 0],
    ['over the last column', {}, [1, 2, 3, 4], 56],
    ['before the first column', {}, [1, 2, 3, 4], -8],
    ['words of columns apart', { dtype: 'u32', strides: [200, 3] }, [7, 0, 1, 8], 8],
    ['bytes', { dtype: 'u8' }, [6, 8, 0, 1], 48],
    ['halves of bytes', { dtype: 'e2m1' }, [5, 0, 7, 8], 32],
    ['halves of bytes, over the last column', { dtype: 'e2m1' }, [1, 2, -1, 4], 56],
  ])('rows: %s', (_what, more, rows, column) => {
    const d = descriptor({ box: [1, 16], ...more })
    const wanted = rows.flatMap((row) => addressesOf(d, [row, column]))
    const e = rowElements(world, d, rows, column)
    expect(listed(e)).toEqual(wanted)
    expect(e).toMatchObject({ plane, dtype: d.dtype, shape: [4, 16] })
  })

  test('what fills the elements outside', () => {
    const fills = (dtype: Dtype, fill: 'zero' | 'nan', algebra = world) =>
      fillOf(algebra, descriptor({ dtype, fill }))
    // the NaN that was captured, in 16 bits and in 32
    expect((['f16', 'bf16', 'f32'] as const).map((t) => fills(t, 'nan'))).toEqual([
      0x7ff7, 0x7ff7, 0x7ff77ff7,
    ])
    expect((['f16', 'f32', 'u16', 'i32'] as const).map((t) => fills(t, 'zero'))).toEqual([0, 0, 0, 0])
    expect(fills('i32', 'nan')).toBe(0)
    const reals = { ...world, algebra: real64 }
    expect([fills('f32', 'nan', reals), fills('f16', 'zero', reals)]).toEqual([NaN, 0])
  })
})

describe('what is refused', () => {
  test('coordinates', () => {
    const found = (coords: ReadonlyArray<number>, direction: 'load' | 'store', more = {}): string | null =>
      checkCoords(descriptor(more), coords, direction)?.code ?? null
    expect(found([0], 'load')).toBe('type.mismatch')
    expect(found([0, 0, 0], 'load')).toBe('type.mismatch')
    // eight elements of two bytes, four of four
    expect([0, 4, 8, -8].map((c) => found([0, c], 'load'))).toEqual([null, 'A4', null, null])
    expect([0, 2, 4].map((c) => found([0, c], 'load', { dtype: 'f32' }))).toEqual([null, 'A4', null])
    expect([found([-1, 0], 'load'), found([-1, 0], 'store'), found([0, -8], 'store')]).toEqual([
      null,
      'A4',
      'A4',
    ])
  })
  test('maps of rows: a matrix, boxes of one row', () => {
    const found = (box: ReadonlyArray<number>): string | null =>
      checkRowMap(descriptor({ box }))?.code ?? null
    expect([[1, 16], [2, 16], [16], [1, 1, 16], [1]].map(found)).toEqual([null, 'A4', 'A4', 'A4', 'A4'])
  })
})

describe('the image', () => {
  const rowsOf = (e: Elements | FaultValue, width: number): ReadonlyArray<number> =>
    listed(e).filter((_, i) => i % width === 0)
  const at = (base: number, byteOffset: number, offset = 0): V.ViewValue => {
    const layout = right(Ref.ofStrides([64], 8, [1]))
    return V.view('smem', 'u8', smem, { ...layout, byteOffset }, base + offset)
  }
  test.each([
    [1024, 0, 1024],
    [1024, 128, 1152],
    [1088, 64, 1152],
    [1024, 64, null],
    [1088, 0, null],
  ])('a view at %i with %i bytes before its first element: from byte %s', (base, byteOffset, first) => {
    const e = boxImage(world, descriptor(), startOf(at(base, byteOffset)), 'image')
    if (first === null) expect(e).toMatchObject({ code: 'A4' })
    else {
      // rows of 16 elements of 2 bytes
      expect(rowsOf(e, 16)).toEqual([0, 1, 2, 3].map((r) => first + 32 * r))
      expect(e).toMatchObject({ plane: smem, dtype: 'u16' })
    }
  })
  test('the dtype is that of the map', () => {
    const e = boxImage(world, descriptor({ dtype: 'f32', box: [2, 4] }), startOf(at(1024, 0)), 'image')
    expect(listed(e)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((i) => 1024 + 4 * i))
    expect(e).toMatchObject({ dtype: 'f32' })
  })
  test('an image that leaves shared memory', () => {
    const size = world.planeBytes[smem]!
    expect(isFault(boxImage(world, descriptor(), startOf(at(size - 128, 0)), 'image'))).toBe(false)
    expect(boxImage(world, descriptor({ box: [8, 16] }), startOf(at(size - 128, 0)), 'image')).toMatchObject({
      code: 'I2',
    })
  })
  test.each<readonly [string, Partial<DescriptorValue>, number, pitch: number]>([
    ['rows of 32 bytes lie together', { box: [1, 16] }, 16, 32],
    ['rows of 64 bytes', { box: [1, 16], dtype: 'f32' }, 16, 64],
    ['a swizzle of 64 keeps 64 bytes for each', { box: [1, 16], swizzle: 64 }, 16, 64],
    ['a swizzle of 128 keeps 128', { box: [1, 16], swizzle: 128 }, 16, 128],
  ])('messages: %s', (_what, more, width, pitch) => {
    const d = descriptor(more)
    for (const k of [0, 1, 2, 5]) {
      const e = messageImage(world, d, startOf(at(2048, 128, 896)), 'image', k)
      // a swizzle moves 16 bytes inside of a row
      expect(rowsOf(e, width).map((a) => Math.floor(a / pitch))).toEqual(
        [0, 1, 2, 3].map((r) => 3072 / pitch + 4 * k + r),
      )
      expect(e).toMatchObject({ shape: [4, width], dtype: d.dtype })
    }
  })
  test('the second message of rows of 16 bytes is at an odd place', () => {
    const d = descriptor({ box: [1, 8] })
    expect([0, 1, 2].map((k) => isFault(messageImage(world, d, startOf(at(1024, 0)), 'image', k)))).toEqual([
      false,
      true,
      false,
    ])
  })
})

describe('carried as words', () => {
  const bytes = Plane.empty('bytes', 64)
  const slots = Plane.empty('slots', 64)
  const elements = (dtype: Dtype, addresses: ReadonlyArray<number>, origin = 0): Elements => ({
    ...Footprint.ofAddresses(world.footprints, plane, dtype, [addresses.length], Int32Array.from(addresses)),
    origin,
  })
  test('elements of 64 bits where memory holds bytes: the low word, then the high one', () => {
    expect([
      inWords(bytes, 'i64'),
      inWords(bytes, 'u64'),
      inWords(bytes, 'i32'),
      inWords(slots, 'i64'),
    ]).toEqual([true, true, false, false])
    expect(carried(bytes, elements('i64', [8, 0], 16))).toEqual({
      dtype: 'u32',
      offsets: Int32Array.of(24, 28, 16, 20),
      origin: 0,
    })
    expect(carried(bytes, elements('i64', [0, -1]))).toEqual({
      dtype: 'u32',
      offsets: Int32Array.of(0, 4, -1, -1),
      origin: 0,
    })
    const words = elements('u32', [8, -1])
    expect(carried(bytes, words)).toBe(words)
    const long = elements('u64', [8])
    expect(carried(slots, long)).toBe(long)
  })
})
