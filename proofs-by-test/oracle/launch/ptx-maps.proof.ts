/** Maps of Triton's descriptors, against what its host tells the driver, by hand. */
import { describe, expect, it } from 'vitest'
import { mapOfDescriptor } from '../../../src/oracle/launch/ptx-maps.js'
import type { PtxDescriptor } from '../../../src/oracle/launch/ptx-file.js'

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
