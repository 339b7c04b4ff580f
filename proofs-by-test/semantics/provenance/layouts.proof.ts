/** L1: what agrees and what does not. The table is worked by hand: which element of the write lies under which element of the read. */
import { describe, expect, it } from 'vitest'
import { footprints, ofLayout } from '../../../src/semantics/machine/footprint.js'
import { disagreement } from '../../../src/semantics/provenance/layouts.js'
import * as Ref from '../../../src/transforms/ref.js'
import { swizzle, tile, transpose, type Transform } from '../../../src/transforms/transform.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { bitsOf } from '../../../src/numerics/dtype.js'
import type { Footprint } from '../../../src/semantics/log.js'
import { right } from '../samples.js'

const store = footprints()
const of = (
  shape: ReadonlyArray<number>,
  transforms: ReadonlyArray<Transform>,
  dtype: Dtype = 'f16',
): Footprint =>
  ofLayout(store, 0, dtype, right(Ref.ofTransforms(shape, bitsOf(dtype), transforms)), 0).footprint
const laid = (layout: Ref.TransformedRef, dtype: Dtype = 'f16'): Footprint =>
  ofLayout(store, 0, dtype, layout, 0).footprint

const tiled = [right(tile([8, 64]))]
const swizzled = [...tiled, right(swizzle(128))]
const plain = right(Ref.ofTransforms([16, 128], 16, []))

describe('layouts agree', () => {
  it.each([
    ['the same', of([16, 128], swizzled), of([16, 128], swizzled)],
    [
      'a transposition',
      of([16, 128], [right(transpose([1, 0]))]),
      laid(right(Ref.ofTransforms([128, 16], 16, []))),
    ],
    ['a reshaping', of([16, 128], []), of([2048], [])],
    ['rows of it', of([16, 128], []), of([4, 128], [])],
    ['columns of it', laid(plain), laid(right(Ref.ofStrides([16, 32], 16, [128, 1])))],
    ['every other row', laid(plain), laid(right(Ref.ofStrides([8, 128], 16, [256, 1])))],
    ['another shape of the same tiles', of([16, 128], tiled), of([16, 128], tiled)],
  ])('%s', (_, w, r) => {
    expect(disagreement(r, w)).toBe(null)
  })
})

describe('layouts do not agree', () => {
  it.each([
    // element [0, 64] of the read is the first of the second tile, at 1024 bytes: element [4, 0] of the write
    ['tiled and plain', of([16, 128], []), of([16, 128], tiled)],
    ['plain and tiled', of([16, 128], tiled), of([16, 128], [])],
    // row 1 of a swizzled tile has its 16-byte units exchanged by pairs
    ['swizzled and not', of([16, 128], swizzled), of([16, 128], tiled)],
    ['another element', of([16, 128], []), of([16, 128], [], 'bf16')],
    ['a wider element', of([16, 128], []), of([16, 64], [], 'f32')],
  ])('%s', (_, w, r) => {
    expect(disagreement(r, w)).toMatch(/^written as .*; read as /)
  })
})
