/** L1: what agrees and what does not. The table is worked by hand: which element of the write lies under which element of the read. */
import { describe, expect, it } from 'vitest'
import { footprints, ofAddresses, ofLayout } from '../../../../src/semantics/machine/footprint.js'
import {
  disagreement,
  layoutMismatch,
  showLayout,
} from '../../../../src/semantics/judging/provenance/layouts.js'
import * as Ref from '../../../../src/transforms/ref.js'
import { swizzle, tile, transpose, type Transform } from '../../../../src/transforms/transform.js'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import { bitsOf } from '../../../../src/numerics/dtype.js'
import type { Access, Footprint, LogEvent } from '../../../../src/semantics/log/events.js'
import { header, smemPlane } from './terms.js'
import { right } from '../../../either.js'

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
    ['a reshaping whose rows begin inside of rows', of([6, 4], []), of([4, 6], [])],
    ['part of one', of([6, 4], []), of([2, 6], [])],
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

describe('scattered elements', () => {
  const at = (shape: ReadonlyArray<number>, ...addresses: ReadonlyArray<number>): Footprint =>
    ofAddresses(store, 0, 'f16', shape, Int32Array.from(addresses)).footprint
  const four = of([2, 2], [])
  it.each<readonly [string, Footprint, Footprint, boolean]>([
    ['one behind the other', at([4], 0, 2, 4, 6), four, true],
    ['one behind the other from the second on', at([3], 2, 4, 6), four, true],
    ['a column', at([2], 2, 6), four, true],
    ['columns exchanged', at([2, 2], 2, 0, 6, 4), four, true],
    ['backwards along one line: all depends on the one coordinate there is', at([4], 6, 4, 2, 0), four, true],
    ['the diagonals', at([2, 2], 0, 6, 4, 2), four, false],
    ['what lies elsewhere', at([2], 100, 102), four, true],
    ['in part elsewhere', at([2, 2], 0, 6, 4, 100), four, true],
    ['what is nowhere', at([2], -1, -1), four, true],
  ])('%s', (_, r, w, agrees) => {
    expect(disagreement(r, w) === null).toBe(agrees)
  })
  it('another dtype of the same width agrees only where it does not meet', () => {
    const bf = ofAddresses(store, 0, 'bf16', [2], Int32Array.of(0, 2)).footprint
    const far = ofAddresses(store, 0, 'bf16', [2], Int32Array.of(100, 102)).footprint
    expect(disagreement(bf, four)).toBe(
      'written as f16 (2, 2), untiled, strides (2, 1), no swizzle; read as bf16 (2,) element by element',
    )
    expect(disagreement(far, four)).toBeNull()
  })
  it('in words', () => {
    expect(showLayout(of([16, 128], swizzled))).toBe(
      'f16 (16, 128), tiles (8, 64), strides (1024, 512, 64, 1), swizzle 128',
    )
    expect(showLayout(laid(plain))).toBe('f16 (16, 128), untiled, strides (128, 1), no swizzle')
    expect(showLayout(at([2, 2], 0, 6, 4, 2))).toBe('f16 (2, 2) element by element')
  })
})

describe('the first read of a log that disagrees', () => {
  const smem = (shape: ReadonlyArray<number>, transforms: ReadonlyArray<Transform>, base = 0): Footprint =>
    ofLayout(store, smemPlane, 'f16', right(Ref.ofTransforms(shape, 16, transforms)), base).footprint
  const access = (rw: 'r' | 'w', footprint: Footprint, site: number, operation?: number): Access => {
    const core = {
      _tag: 'access',
      stamp: { agent: 0, at: 1 + site, site, iteration: [] },
      rw,
      proxy: 'generic',
      footprint,
      role: 'source',
      atomic: false,
    } as const
    return operation === undefined ? core : { ...core, operation }
  }
  const issue = (operation: number, unit: 'tmaLoad' | 'wgmma'): LogEvent => ({
    _tag: 'issue',
    stamp: { agent: 0, at: 1, site: 0, iteration: [] },
    operation,
    unit,
    bytes: 0,
    macs: 0,
    accumulates: false,
  })
  const small = [right(tile([8, 8]))]
  const [flat, cut] = [smem([8, 16], []), smem([8, 16], small)]
  const found = (...events: ReadonlyArray<LogEvent>): unknown => {
    const f = layoutMismatch(header, events)
    return f === null ? null : [f.id, f.a.site, f.a.does, f.b?.site, f.b?.does]
  }
  it('names who wrote and who reads, where, and under which layouts', () => {
    expect(found(access('w', flat, 0), access('r', flat, 1))).toBeNull()
    expect(found(access('w', flat, 0), access('r', cut, 1))).toEqual([
      'L1',
      'here',
      'writes',
      'there',
      'reads',
    ])
    expect(
      found(issue(1, 'tmaLoad'), issue(2, 'wgmma'), access('w', flat, 0, 1), access('r', cut, 1, 2)),
    ).toEqual(['L1', 'here', 'tmaLoad writes', 'there', 'wgmma reads'])
    expect(layoutMismatch(header, [access('w', flat, 0), access('r', cut, 1)])).toMatchObject({
      severity: 'E',
      text: 'smem@0: written as f16 (8, 16), untiled, strides (16, 1), no swizzle; read as f16 (8, 16), tiles (8, 8), strides (0, 64, 8, 1), no swizzle',
      place: { plane: 'smem@0', spans: [[0, 256]] },
    })
  })
  it('compares with the newest write of those bytes', () => {
    expect(found(access('w', cut, 0), access('w', flat, 0), access('r', flat, 1))).toBeNull()
    expect(found(access('w', flat, 0), access('w', cut, 0), access('r', flat, 1))).not.toBeNull()
    // the first one again is the newest
    expect(
      found(access('w', flat, 0), access('w', cut, 0), access('w', flat, 0), access('r', flat, 1)),
    ).toBeNull()
    expect(
      found(access('w', flat, 0), access('w', smem([8, 16], small, 256), 0), access('r', flat, 1)),
    ).toBeNull()
  })
  it('asks nothing of what was not written, of global memory, of other clusters, of planes that are not there', () => {
    expect(found(access('r', cut, 1), access('w', flat, 0))).toBeNull()
    expect(found(access('w', of([8, 16], []), 0), access('r', of([8, 16], small), 1))).toBeNull()
    expect(found(access('w', flat, 0), { _tag: 'cluster', id: 1 }, access('r', cut, 1))).toBeNull()
    const nowhere = { ...cut, plane: header.planes.length }
    expect(found(access('w', flat, 0), access('r', nowhere, 1))).toBeNull()
  })
  it('goes on past reads that agree, and stops at the first that does not', () => {
    expect(
      found(access('w', flat, 0), access('r', flat, 0), access('r', cut, 1), access('r', cut, 0)),
    ).toEqual(['L1', 'here', 'writes', 'there', 'reads'])
  })
})
