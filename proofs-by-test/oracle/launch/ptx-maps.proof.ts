/** Maps, against what a driver is told, by hand: as a launch says them, and as Triton's host makes them of descriptors. */
import { describe, expect, it } from 'vitest'
import {
  dtypeOf,
  fieldsOf,
  mapOfDescriptor,
  swizzleOf,
  tensorOf,
} from '../../../src/oracle/launch/ptx-maps.js'
import type { PtxDescriptor, PtxTensorMap } from '../../../src/oracle/launch/ptx-file.js'

const bytes: PtxDescriptor = {
  kind: 'tensordesc',
  tensor: 'b',
  dtype: 'i8',
  shape: [256, 96],
  block: [128, 64],
}

describe('a descriptor of bytes', () => {
  it('has rows as wide as a block', () => {
    expect(mapOfDescriptor(bytes)).toMatchObject({
      dims: [96, 256],
      strides: [96],
      box: [64, 128],
      swizzle: 64,
    })
  })
  it('with two numbers of 4 bits each has twice as many, of which 16 are copied to 16 bytes', () => {
    expect(mapOfDescriptor({ ...bytes, fp4Padded: true })).toMatchObject({
      dtype: 'u8',
      elements: 'b4x16_p64',
      dims: [192, 256],
      strides: [96],
      box: [128, 128],
      swizzle: 128,
      shape: [256, 96],
    })
  })
  it('is of bytes where it has numbers of 4 bits', () => {
    expect(mapOfDescriptor({ ...bytes, dtype: 'f16', fp4Padded: true })).toMatchObject({
      code: 'launch.parameter',
    })
  })
})

describe('a descriptor of Triton', () => {
  const made = (more: Partial<PtxDescriptor>) =>
    mapOfDescriptor({
      kind: 'tensordesc',
      tensor: 'x',
      dtype: 'f16',
      shape: [4, 300, 128],
      block: [1, 300, 64],
      ...more,
    })
  it('is turned round; a row is cut to the swizzle, and others to 256', () => {
    expect(made({})).toEqual({
      kind: 'tensormap',
      tensor: 'x',
      dtype: 'f16',
      dims: [128, 300, 4],
      strides: [256, 76800],
      box: [64, 256, 1],
      swizzle: 128,
      shape: [4, 300, 128],
    })
    expect(made({ block: [1, 8, 128] })).toMatchObject({ box: [64, 8, 1], swizzle: 128 })
    expect(made({ block: [1, 8, 128], swizzle: 0 })).toMatchObject({ box: [128, 8, 1], swizzle: 0 })
    expect(made({ block: [1, 8, 16] })).toMatchObject({ box: [16, 8, 1], swizzle: 32 })
  })
  it('has the strides that it says, in elements', () => {
    expect(made({ strides: [100, 10, 1] })).toMatchObject({ strides: [20, 200] })
  })
  it('keeps what else is said of it, and says nothing that is not', () => {
    expect(made({ padding: 'nan', role: 'out', file: null })).toMatchObject({
      fill: 'nan',
      role: 'out',
      file: null,
    })
    expect(Object.keys(made({}))).not.toContain('fill')
    expect(Object.keys(made({}))).not.toContain('role')
  })
  it.each([
    ['no type', { dtype: 'pear' }],
    ['another block', { block: [1, 8] }],
    ['other strides', { strides: [1] }],
    ['nothing', { shape: [], block: [] }],
  ])('with %s is refused', (_, more) => {
    expect(made(more)).toMatchObject({ code: 'launch.parameter' })
  })
  it('the widest swizzle that a row fills', () => {
    expect([16, 32, 48, 64, 96, 128, 192, 256].map(swizzleOf)).toEqual([0, 32, 0, 64, 32, 128, 64, 128])
  })
})

describe('a map as the driver takes it', () => {
  const map: PtxTensorMap = {
    kind: 'tensormap',
    tensor: 'x',
    dtype: 'f16',
    dims: [64, 32, 4],
    box: [64, 8, 1],
  }
  const window = { lower: [-1], upper: [1] }
  it('without strides is row-major', () => {
    expect(fieldsOf('x', map)).toEqual({
      elements: 'f16',
      dims: [64, 32, 4],
      strides: [128, 4096],
      box: [64, 8, 1],
      elementStrides: [1, 1, 1],
      window: null,
      swizzle: 0,
      fill: 'zero',
    })
    expect(fieldsOf('x', { ...map, dtype: 'u8', elements: 'b4x16' })).toMatchObject({
      strides: [32, 1024],
      elements: 'b4x16',
    })
    expect(fieldsOf('x', { ...map, dtype: 'u8', elements: 'b6x16_p32' })).toMatchObject({
      strides: [48, 1536],
    })
    expect(fieldsOf('x', { ...map, dtype: 'f32', elements: 'tf32' })).toMatchObject({
      strides: [256, 8192],
      elements: 'tf32',
    })
  })
  it('has what it says', () => {
    const said = { strides: [200, 8000], elementStrides: [1, 2, 1], swizzle: 64, fill: 'nan' } as const
    expect(fieldsOf('x', { ...map, ...said })).toMatchObject(said)
    expect(fieldsOf('x', { ...map, box: [64, 8], window })).toMatchObject({ window, box: [64, 8] })
  })
  it.each<readonly [string, Partial<PtxTensorMap>, string]>([
    ['no type', { dtype: 'pear' }, "x: expected an element type of a tensor map, found 'pear'"],
    [
      'floats where it is said to hold four bits',
      { elements: 'b4x16' },
      'x, elements: expected a tensor of u8 where the map says b4x16, found f16',
    ],
    [
      'halves where f32 are said to be rounded',
      { elements: 'tf32' },
      'x, elements: expected a tensor of f32 where the map says tf32, found f16',
    ],
    ['no dims', { dims: [], box: [] }, 'x: expected 1 to 5 dims, found 0'],
    ['six', { dims: [1, 1, 1, 1, 1, 1] }, 'x: expected 1 to 5 dims, found 6'],
    ['a smaller box', { box: [64, 8] }, 'x, box: expected 3 for 3 dims, found 2'],
    ['a box of pixels that has three', { window }, 'x, box: expected 2 for 3 dims, found 3'],
    ['strides of all', { strides: [1, 2, 3] }, 'x, strides: expected 2 for 3 dims, found 3'],
    ['too few steps', { elementStrides: [1] }, 'x, elementStrides: expected 3 for 3 dims, found 1'],
    [
      'corners of too few',
      { box: [1, 1], window: { lower: [], upper: [1] } },
      'x, window.lower: expected 1 for 3 dims, found 0',
    ],
    [
      'other corners of too many',
      { box: [1, 1], window: { lower: [1], upper: [1, 2] } },
      'x, window.upper: expected 1 for 3 dims, found 2',
    ],
    [
      'slices',
      { interleave: 16 },
      'x, interleave: expected no interleaved slices, which are not described here, found 16',
    ],
    [
      'a corner too low',
      { box: [1, 1], window: { lower: [-32769], upper: [0] } },
      'x, window: expected corners from -32768 to 32767, found -32769',
    ],
    [
      'a corner too high',
      { box: [1, 1], window: { lower: [0], upper: [32768] } },
      'x, window: expected corners from -32768 to 32767, found 32768',
    ],
    ['too many', { dims: [64, 32, 2 ** 32] }, 'x: expected extents up to 4294967295, found 4294967296'],
    ['another swizzle', { swizzle: 48 as 32 }, 'x, swizzle: expected 0, 32, 64 or 128, found 48'],
  ])('with %s is refused', (_, more, message) => {
    expect(fieldsOf('x', { ...map, ...more })).toMatchObject({ code: 'launch.parameter', message })
  })
  it('the outermost that it can be', () => {
    const corners = { lower: [-32768], upper: [32767] }
    expect(fieldsOf('x', { ...map, box: [1, 1], window: corners })).toMatchObject({ window: corners })
    expect(fieldsOf('x', { ...map, dims: [64, 32, 2 ** 32 - 1] })).toMatchObject({
      dims: [64, 32, 2 ** 32 - 1],
    })
    expect(fieldsOf('x', { ...map, interleave: 0 })).toMatchObject({ swizzle: 0 })
  })
  it('has a tensor under it, outermost first, in bytes where elements are packed', () => {
    expect(tensorOf(map)).toEqual({ tensor: 'x', dtype: 'f16', shape: [4, 32, 64] })
    expect(tensorOf({ ...map, dtype: 'u8', elements: 'b4x16', dims: [65, 2] })).toEqual({
      tensor: 'x',
      dtype: 'u8',
      shape: [2, 33],
    })
    expect(tensorOf({ ...map, dtype: 'u8', elements: 'b6x16_p32', dims: [64, 2] })).toMatchObject({
      shape: [2, 48],
    })
    expect(tensorOf({ ...map, dtype: 'tf32', shape: [7], role: 'out', file: 'x.npy' })).toEqual({
      tensor: 'x',
      dtype: 'f32',
      shape: [7],
      role: 'out',
      file: 'x.npy',
    })
  })
  it.each([
    ['f16', 'f16'],
    ['b16', 'u16'],
    ['s16', 'i16'],
    ['s32', 'i32'],
    ['b8', 'u8'],
    ['s8', 'u8'],
    ['f64', 'u64'],
    ['xs16', null],
    ['s160', null],
    ['pear', null],
  ] as const)('elements of %s are %s', (name, dtype) => {
    expect(dtypeOf(name)).toBe(dtype)
  })
})
