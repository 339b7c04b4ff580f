import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Ref from '../../src/transforms/ref.js'
import type { TransformedRef } from '../../src/transforms/ref.js'
import * as T from '../../src/transforms/transform.js'
import { indices, range } from './captured.js'
import { code, right } from '../either.js'
import { nightly } from '../extent.js'

const tile = (...levels: readonly (readonly number[])[]): T.Transform => right(T.tile(...levels))
const swizzle = (bytes: number): T.Transform => right(T.swizzle(bytes))
const transpose = (...p: readonly number[]): T.Transform => right(T.transpose(p))
const ref = (shape: readonly number[], bits: number, ...transforms: readonly T.Transform[]): TransformedRef =>
  right(Ref.ofTransforms(shape, bits, transforms))
const offsets = (r: TransformedRef): readonly number[] => [...Ref.byteOffsets(r)]

/** An array as a shape and its row-major elements: transforms move the elements, one by one. */
interface Arr {
  readonly shape: readonly number[]
  readonly data: readonly number[]
}
const position = (shape: readonly number[], index: readonly number[]): number =>
  index.reduce((p, i, k) => p * shape[k]! + i, 0)
const build = (shape: readonly number[], element: (index: readonly number[]) => number): Arr => ({
  shape,
  data: indices(shape).map(element),
})
const moved = (a: Arr, t: T.Transform): Arr => {
  switch (t._tag) {
    case 'Swizzle':
      return a
    case 'Transpose': {
      const p = t.permutation
      return build(
        p.map((k) => a.shape[k]!),
        (j) => {
          const i: number[] = []
          p.forEach((k, n) => (i[k] = j[n]!))
          return a.data[position(a.shape, i)]!
        },
      )
    }
    case 'Tile':
      return t.tiling.reduce((b: Arr, level) => {
        const [head, r] = [b.shape.length - level.length, level.length]
        const outer = level.map((n, k) => b.shape[head + k]! / n)
        return build(
          [...b.shape.slice(0, head), ...outer, ...level],
          (j) =>
            b.data[
              position(b.shape, [
                ...j.slice(0, head),
                ...level.map((n, k) => j[head + k]! * n + j[head + r + k]!),
              ])
            ]!,
        )
      }, a)
  }
}
/** Offset in elements of every logical element: where it stands in the physical row-major array. */
const bruteOffsets = (shape: readonly number[], transforms: readonly T.Transform[]): readonly number[] => {
  const physical = transforms.reduce(
    moved,
    build(shape, (i) => position(shape, i)),
  )
  const result: number[] = []
  physical.data.forEach((element, offset) => (result[element] = offset))
  return result
}
/** Triton's chunk form of the swizzle, on rows of S bytes. */
const chunkForm = (span: number, address: number): number => {
  const row = Math.floor(address / span)
  const chunk = Math.floor((address % span) / 16)
  return row * span + (chunk ^ (Math.floor(row / (128 / span)) % (span / 16))) * 16 + (address % 16)
}

type Case = readonly [
  name: string,
  shape: readonly number[],
  bits: number,
  transforms: readonly T.Transform[],
]
const cases: readonly Case[] = [
  ['plain', [3, 4, 2], 32, []],
  ['a scalar', [], 16, []],
  ['tiled', [4, 8], 16, [tile([2, 4])]],
  ['tiled with slots', [3, 4, 8], 16, [tile([2, 4])]],
  ['tiled by rank 1', [4, 6], 16, [tile([3])]],
  ['unit tile on a leading dimension', [4, 2, 6], 32, [tile([1, 2, 3])]],
  ['a tile as large as the array', [4, 8], 16, [tile([4, 8])]],
  ['two levels', [8, 8], 8, [tile([4, 8], [2, 4])]],
  ['levels of falling rank', [4, 8], 8, [tile([4, 4], [2])]],
  ['transposed', [2, 3, 4], 32, [transpose(2, 0, 1)]],
  ['transposed, then tiled', [8, 4], 16, [transpose(1, 0), tile([2, 4])]],
  ['tiled, then transposed', [4, 8], 16, [tile([2, 4]), transpose(1, 0, 3, 2)]],
  ['tiled, transposed, tiled', [4, 8], 16, [tile([4]), transpose(1, 0, 2), tile([2, 2])]],
  ['swizzled rows', [6, 64], 16, [swizzle(128)]],
  ['swizzled rows of 32 bytes, slots', [3, 8, 8], 32, [swizzle(32)]],
  ['tiled and swizzled', [16, 128], 16, [tile([8, 64]), swizzle(128)]],
  ['tiled and swizzled, slots', [2, 16, 32], 32, [tile([8, 16]), swizzle(64)]],
  ['8-bit, 32', [16, 64], 8, [tile([8, 32]), swizzle(32)]],
  ['4-bit', [8, 64], 4, [tile([8, 32]), swizzle(16)]],
]

const orders = (items: readonly number[]): readonly (readonly number[])[] =>
  items.length === 0
    ? [[]]
    : items.flatMap((first) => orders(items.filter((x) => x !== first)).map((rest) => [first, ...rest]))

/** All ways to write a shape with neighbours merged. */
const folds = (shape: readonly number[]): readonly (readonly number[])[] =>
  shape.length <= 1
    ? [shape]
    : [
        ...folds(shape.slice(1)).map((rest) => [shape[0]!, ...rest]),
        ...folds([shape[0]! * shape[1]!, ...shape.slice(2)]),
      ]

describe.each([...cases])('%s', (_, shape, bits, transforms) => {
  const r = ref(shape, bits, ...transforms)
  const elements = bruteOffsets(shape, transforms)
  const bytes = elements.map((e) => Math.floor((e * bits) / 8))
  const span = transforms.find((t) => t._tag === 'Swizzle')?.swizzle ?? 16

  test('law 2: the offsets of the transformed array, element by element', () => {
    expect([...Ref.elementOffsets(r)]).toEqual(elements)
    expect(offsets(r)).toEqual(bytes)
    expect(Ref.sizeBits(r)).toBe(elements.length * bits)
    expect(Ref.extentBytes(r)).toBe(Math.ceil((elements.length * bits) / 8))
    expect(E.isRight(Ref.check(r))).toBe(true)
    expect(JSON.parse(JSON.stringify(r))).toEqual(r)
  })

  test('law 2: the swizzle acts on the absolute address', () => {
    for (const base of [0, 128, 1024, 1408, 4096 + 16]) {
      const expected = bytes.map((b) => chunkForm(span, base + b))
      expect([...Ref.swizzledAddresses(r, base)]).toEqual(expected)
      expect(indices(shape).map((i) => Ref.addressOf(r, base, i))).toEqual(expected)
    }
  })

  test('law 3: all slices', () => {
    if (elements.length > 400) return
    const extents = shape.map((n) =>
      range(n).flatMap((start) => range(n - start).map((k) => [start, k + 1] as const)),
    )
    const units = Ref.startUnits(r).map((u) => u.multipleOf)
    const tiledRank = r.tiling[0]?.length ?? 0
    let legal = 0
    // by day every seventh, of few every one
    const picks = indices(extents.map((e) => e.length))
    for (const pick of nightly || picks.length < 700 ? picks : picks.filter((_, i) => i % 7 === 0)) {
      const starts = pick.map((k, d) => extents[d]![k]![0])
      const sizes = pick.map((k, d) => extents[d]![k]![1])
      const result = Ref.slice(starts, sizes)(r)
      const whole = span === 16 || tiledRank > 0 || sizes[shape.length - 1] === shape[shape.length - 1]
      const fits = starts.every((s, d) => s % units[d]! === 0 && sizes[d]! % units[d]! === 0)
      const subByte = fits && Number.isInteger((elements[position(shape, starts)]! * bits) / 8)
      expect(E.isRight(result)).toBe(whole && fits && subByte)
      if (E.isLeft(result)) continue
      legal++
      const expected = indices(sizes).map(
        (i) =>
          bytes[
            position(
              shape,
              i.map((k, d) => k + starts[d]!),
            )
          ]!,
      )
      expect(offsets(result.right)).toEqual(expected)
      const moved = right(Ref.sliceOffsetBytes(r, starts))
      const still = right(Ref.sliceShape(sizes)(r))
      expect(result.right).toEqual({ ...still, byteOffset: still.byteOffset + moved })
      expect(E.isRight(Ref.check(result.right))).toBe(true)
    }
    expect(legal).toBeGreaterThan(0)
  })

  test('law 4: all transposes', () => {
    const rank = shape.length
    const cut = r.tiling[0]?.length ?? 0
    for (const p of orders(range(rank))) {
      const result = Ref.transpose(p)(r)
      const keepsTiles = p.slice(rank - cut).every((d) => d >= rank - cut)
      const keepsMinor = span === 16 || cut > 0 || p[rank - 1] === rank - 1
      expect(code(result)).toBe(
        !keepsTiles ? 'ref.transpose-tiled' : !keepsMinor ? 'ref.transpose-swizzled' : null,
      )
      if (E.isLeft(result)) continue
      const seen = offsets(result.right)
      const permuted = p.map((k) => shape[k]!)
      indices(shape).forEach((i, at) =>
        expect(
          seen[
            position(
              permuted,
              p.map((k) => i[k]!),
            )
          ],
        ).toBe(bytes[at]),
      )
    }
  })

  test('law 5: all folds', () => {
    for (const folded of folds(shape)) {
      const result = Ref.reshape(folded)(r)
      if (E.isRight(result)) {
        expect(result.right.shape).toEqual(folded)
        expect(offsets(result.right)).toEqual(bytes)
      } else if (transforms.length === 0) expect.unreachable(`plain arrays fold: ${folded.join()}`)
    }
    expect(Ref.reshape(shape)(r)).toEqual(E.right(r))
  })

  test('law 6: slots of a batch', () => {
    if (bits < 8) return
    const apart = bytes.length === 0 ? 0 : Ref.extentBytes(r)
    for (const [count, stride] of [[1], [3], [2, apart + (64 * bits) / 8]] as const) {
      const b = right(Ref.batch(count, stride)(r))
      expect(b.shape).toEqual([count, ...shape])
      for (const k of range(count)) {
        expect(offsets(b).slice(k * bytes.length, (k + 1) * bytes.length)).toEqual(
          bytes.map((x) => x + k * (stride ?? apart)),
        )
        if (count > 1) expect(Ref.slotStrideBytes(b)).toBe(stride ?? apart)
        const one = Ref.slot(k)(b)
        if (E.isRight(one)) expect(one.right).toEqual({ ...r, byteOffset: k * (stride ?? apart) })
        else expect(one.left.code).toBe('ref.index-swizzled')
        if (E.isRight(one)) expect(right(Ref.slotShape(b))).toEqual(r)
      }
    }
  })

  test('law 7: spans are the maximal runs of the bytes touched', () => {
    for (const base of [0, 1024, 1040, 1152, 2048 + 96])
      expect(Ref.spans(r, base)).toEqual(bruteSpans(r, base))
  })
})

const bruteSpans = (r: TransformedRef, base: number): readonly (readonly [number, number])[] => {
  const touched = new Set<number>()
  const elements = Ref.elementOffsets(r)
  for (const e of elements)
    for (let bit = 0; bit < r.bits; bit += 4)
      touched.add(chunkForm(r.swizzle, base + r.byteOffset + Math.floor((e * r.bits + bit) / 8)))
  const runs: [number, number][] = []
  for (const b of [...touched].sort((x, y) => x - y)) {
    const last = runs[runs.length - 1]
    if (last !== undefined && last[0] + last[1] === b) last[1]++
    else runs.push([b, 1])
  }
  return runs
}

const strided = fc
  .record({
    modes: fc.array(
      fc.record({ size: fc.integer({ min: 1, max: 5 }), stride: fc.integer({ min: 0, max: 70 }) }),
      { minLength: 1, maxLength: 4 },
    ),
    bits: fc.constantFrom(8, 16, 32),
    swizzle: fc.constantFrom(16 as const, 32 as const, 64 as const, 128 as const),
    base: fc.integer({ min: 0, max: 64 }).map((n) => 16 * n),
  })
  .map(({ modes, bits, swizzle: span, base }) => ({
    r: right(
      Ref.ofStrides(
        modes.map((m) => m.size),
        bits,
        modes.map((m) => m.stride),
        span,
      ),
    ),
    modes,
    base,
  }))

test('law 7: spans of random strides, swizzles and bases', () => {
  fc.assert(
    fc.property(strided, ({ r, base }) => {
      expect(Ref.spans(r, base)).toEqual(bruteSpans(r, base))
    }),
    { numRuns: nightly ? 1500 : 60 },
  )
})

test('law 7: slices of a swizzled buffer', () => {
  const r = ref([4, 16, 128], 16, tile([8, 64]), swizzle(128))
  for (const s of range(4))
    for (const i of [0, 8])
      for (const j of [0, 64]) {
        const part = right(Ref.slice([s, i, j], [1, 8, 64])(r))
        expect(Ref.spans(part, 2048)).toEqual([[2048 + s * 4096 + i * 256 + (j / 64) * 1024, 1024]])
      }
  const rows = ref([6, 64], 16, swizzle(128))
  expect(Ref.spans(right(Ref.slice([1, 0], [2, 64])(rows)), 0)).toEqual([[128, 256]])
})

test('law 1: canonical data, and ofStrides means its strides', () => {
  fc.assert(
    fc.property(strided, ({ r, modes }) => {
      indices(r.shape).forEach((i, at) =>
        expect(Ref.elementOffsets(r)[at]).toBe(i.reduce((sum, k, d) => sum + k * modes[d]!.stride, 0)),
      )
      r.strides.forEach((s, k) => expect(r.shape[k] === 1 ? s === 0 : s === modes[k]!.stride).toBe(true))
    }),
    { numRuns: nightly ? 200 : 20 },
  )
  const one = right(Ref.slice([0, 3], [1, 2])(ref([4, 8], 16)))
  expect(one.strides).toEqual([0, 1])
  expect(Ref.sameRef(one, right(Ref.slice([0, 3], [1, 2])(ref([9, 8], 16))))).toBe(true)
  expect(Ref.sameRef(one, right(Ref.slice([0, 4], [1, 2])(ref([9, 8], 16))))).toBe(false)
  for (const other of [
    ref([4, 8], 16),
    ref([4, 8], 8),
    ref([4, 4], 16),
    ref([4, 8], 16, tile([2, 4])),
    right(Ref.ofStrides([4, 8], 16, [16, 1])),
    right(Ref.ofStrides([4, 8], 16, [8, 1], 32)),
  ])
    expect(Ref.sameRef(ref([4, 8], 16), other)).toBe(
      JSON.stringify(other) === JSON.stringify(ref([4, 8], 16)),
    )
})

test('law 1: the worked example of the header', () => {
  const r = ref([128, 128], 16, tile([8, 64]), swizzle(128))
  expect(r).toEqual({
    _tag: 'TransformedRef',
    shape: [128, 128],
    bits: 16,
    tiling: [[8, 64]],
    strides: [1024, 512, 64, 1],
    byteOffset: 0,
    swizzle: 128,
  })
  expect(Ref.tiledShape(r)).toEqual([16, 2, 8, 64])
  expect(Ref.byteOffsets(r)[9 * 128 + 70]).toBe(3212)
  // A slice keeps its distance from the base.
  const part = right(Ref.slice([8, 64], [8, 64])(r))
  expect(part.byteOffset).toBe(3072)
  expect(Ref.addressOf(part, 4096, [1, 6])).toBe(Ref.addressOf(r, 4096, [9, 70]))
  expect(Ref.addressOf(r, 0, [9, 70])).toBe(3228)
})

test('law 8: transposing a cut: p ++ p + rank on the physical side, all p of rank 2 and 3', () => {
  for (const [shape, t] of [
    [
      [16, 128],
      [8, 64],
    ],
    [
      [4, 6, 8],
      [2, 3, 4],
    ],
  ] as const) {
    const r = ref(shape, 16, tile(t))
    const rank = shape.length
    for (const p of orders(range(rank))) {
      const seen = right(Ref.transpose(p)(r))
      const physical = [...p, ...p.map((k) => k + rank)]
      expect(seen.tiling).toEqual([p.map((k) => t[k]!)])
      expect(Ref.tiledShape(seen)).toEqual(physical.map((k) => Ref.tiledShape(r)[k]))
      expect(seen.strides).toEqual(physical.map((k) => r.strides[k]))
    }
  }
})

test('law 9: a tile-aligned slice of a swizzled buffer is a swizzled buffer: 3 spans x 3 widths', () => {
  for (const span of [32, 64, 128])
    for (const bits of [8, 16, 32]) {
      const minor = (8 * span) / bits
      const big = ref([32, 4 * minor], bits, tile([8, minor]), swizzle(span))
      const all = Ref.swizzledAddresses(big, 4096)
      for (const [i, j] of indices([4, 4])) {
        const part = right(Ref.slice([8 * i!, minor * j!], [8, minor])(big))
        const alone = ref([8, minor], bits, tile([8, minor]), swizzle(span))
        expect({ ...part, byteOffset: 0 }).toEqual(alone)
        expect([...Ref.swizzledAddresses(part, 4096)]).toEqual(
          indices([8, minor]).map(([a, b]) => all[(8 * i! + a!) * 4 * minor + minor * j! + b!]),
        )
      }
    }
})

test('reading a fold: what may be folded', () => {
  const fold = (r: TransformedRef, shape: readonly number[]): string | null => code(Ref.reshape(shape)(r))
  expect(fold(ref([3, 4, 8], 16, tile([2, 4])), [12, 8])).toBeNull()
  expect(fold(ref([3, 4, 8], 16, tile([2, 4])), [3, 32])).toBe('ref.reshape-tiled')
  expect(fold(ref([2, 3, 8], 16, tile([1, 1, 4])), [48])).toBe(null)
  expect(fold(ref([3, 8], 16), [3, 2, 4])).toBe('ref.reshape-unfold')
  expect(fold(ref([3, 8], 16), [8, 3])).toBe('ref.reshape-unfold')
  expect(fold(ref([3, 8], 16), [3, 8, 1])).toBe('ref.reshape-unfold')
  expect(fold(ref([3, 8], 16), [3])).toBe('ref.reshape-unfold')
  expect(fold(ref([3, 8, 1], 16), [24])).toBeNull()
  expect(fold(ref([3, 8], 16), [12])).toBe('ref.reshape-unfold')
  expect(fold(right(Ref.slice([0, 0], [3, 4])(ref([3, 8], 16))), [12])).toBe('ref.reshape-strided')
  expect(fold(ref([2, 8, 64], 16, swizzle(128)), [16, 64])).toBeNull()
  expect(fold(ref([2, 8, 64], 16, swizzle(128)), [2, 512])).toBe('ref.reshape-swizzled')
  expect(fold(ref([1, 64], 16, swizzle(128)), [64])).toBeNull()
})

test('refusals of indexing by code', () => {
  const tiled = ref([3, 16, 128], 16, tile([8, 64]), swizzle(128))
  const rows = ref([2, 8, 64], 16, swizzle(128))
  const at = (
    r: TransformedRef,
    ...indexers: readonly (number | readonly [number, number, number?])[]
  ): string | null =>
    code(
      Ref.at(
        indexers.map((x): Ref.Indexer =>
          typeof x === 'number'
            ? { _tag: 'at', index: x }
            : x[2] === undefined
              ? { _tag: 'slice', start: x[0], size: x[1] }
              : { _tag: 'slice', start: x[0], size: x[1], step: x[2] },
        ),
      )(r),
    )
  expect(at(tiled, 2, [8, 8], [64, 64])).toBeNull()
  expect(at(tiled, [1, 2, 1], [0, 16], [0, 128])).toBeNull()
  expect(at(tiled, 2, [8, 8])).toBe('ref.rank')
  expect(at(tiled, 3, [8, 8], [64, 64])).toBe('ref.bounds')
  expect(at(tiled, -1, [8, 8], [64, 64])).toBe('ref.bounds')
  expect(at(tiled, 0.5, [8, 8], [64, 64])).toBe('ref.bounds')
  expect(at(tiled, 0, [8, 16], [64, 64])).toBe('ref.bounds')
  expect(at(tiled, 0, [8, 0], [64, 64])).toBe('ref.bounds')
  expect(at(tiled, 0, [-8, 8], [64, 64])).toBe('ref.bounds')
  expect(at(tiled, 0, [0, 16, 2], [64, 64])).toBe('ref.step')
  expect(at(tiled, 0, 3, [64, 64])).toBe('ref.index-tiled')
  expect(at(tiled, 0, [4, 8], [64, 64])).toBe('ref.tile-start')
  expect(at(tiled, 0, [8, 4], [64, 64])).toBe('ref.tile-size')
  expect(at(rows, 1, [3, 2], [0, 64])).toBeNull()
  expect(at(rows, 1, 3, [0, 64])).toBe('ref.index-swizzled')
  expect(at(rows, 1, [0, 8], 5)).toBe('ref.index-swizzled')
  expect(at(rows, 1, [0, 8], [0, 32])).toBe('ref.slice-swizzled')
  expect(at(ref([8, 64], 4), 1, [1, 4])).toBe('ref.sub-byte')
  expect(at(ref([8, 64], 4), 1, [2, 4])).toBeNull()
  expect(code(Ref.slice([0], [1, 1])(ref([2, 2], 8)))).toBe('ref.rank')
  expect(code(Ref.slot(0)(ref([], 8)))).toBe('ref.rank')
  expect(code(Ref.sliceOffsetBytes(tiled, [0, 8]))).toBe('ref.rank')
  expect(code(Ref.sliceOffsetBytes(tiled, [0, 8, 32]))).toBe('ref.tile-start')
  expect(code(Ref.sliceOffsetBytes(ref([8, 64], 4), [1, 1]))).toBe('ref.sub-byte')
  expect(right(Ref.sliceOffsetBytes(tiled, [2, 8, 64]))).toBe(2 * 4096 + 2048 + 1024)
  expect(Ref.startUnits(tiled)).toEqual([
    { multipleOf: 1, strideBytes: 4096 },
    { multipleOf: 8, strideBytes: 2048 },
    { multipleOf: 64, strideBytes: 1024 },
  ])
  expect(Ref.slotStrideBytes(tiled)).toBe(4096)
  expect(Ref.slotStrideBytes(ref([], 8))).toBe(0)
  expect(code(Ref.transpose([0, 0])(ref([2, 2], 8)))).toBe('ref.not-a-permutation')
  expect(code(Ref.transpose([0])(ref([2, 2], 8)))).toBe('ref.not-a-permutation')
  expect(code(Ref.batch(0)(tiled))).toBe('ref.shape')
  expect(code(Ref.batch(2, 3)(tiled))).toBe('ref.sub-byte')
  expect(code(Ref.batch(2, -4)(tiled))).toBe('ref.sub-byte')
})

test('the swizzled dimension is minor until it is transposed away', () => {
  const tiled = ref([16, 128], 16, tile([8, 64]), swizzle(128))
  expect(Ref.hasSwizzledMinor(tiled)).toBe(true)
  expect(Ref.hasSwizzledMinor(right(Ref.transpose([1, 0])(tiled)))).toBe(false)
  expect(Ref.hasSwizzledMinor(right(Ref.transpose([1, 0])(ref([16, 128], 16))))).toBe(true)
  expect(Ref.hasSwizzledMinor(right(Ref.ofStrides([8, 32], 16, [64, 1], 128)))).toBe(false)
})

test('refusals of constructors and of data from outside', () => {
  expect(code(Ref.ofTransforms([0, 2], 8, []))).toBe('ref.shape')
  expect(code(Ref.ofTransforms([2], 0, []))).toBe('ref.bits')
  expect(code(Ref.ofTransforms([12, 64], 16, [tile([8, 64])]))).toBe('tile.not-divisible')
  expect(code(Ref.ofStrides([2, 2], 8, [1]))).toBe('ref.strides')
  expect(code(Ref.ofStrides([2, 2], 8, [-1, 1]))).toBe('ref.strides')
  expect(code(Ref.ofStrides([2, 2.5], 8, [1, 1]))).toBe('ref.shape')
  const r = ref([16, 128], 16, tile([8, 64]), swizzle(128))
  const changed = (part: Partial<TransformedRef>): string | null => code(Ref.check({ ...r, ...part }))
  expect(changed({})).toBeNull()
  expect(changed({ shape: [16, 0] })).toBe('ref.shape')
  expect(changed({ shape: [16, 100] })).toBe('ref.tiling')
  expect(changed({ shape: [64] })).toBe('ref.tiling')
  expect(changed({ bits: 0.5 })).toBe('ref.bits')
  expect(changed({ tiling: [[8, 64], []] })).toBe('ref.tiling')
  expect(changed({ tiling: [[8], [8, 8]] })).toBe('ref.tiling')
  expect(changed({ strides: [1024, 512, 64] })).toBe('ref.strides')
  expect(changed({ strides: [1024, 512, 64, 0.5] })).toBe('ref.strides')
  expect(code(Ref.check({ ...ref([1, 4], 8), strides: [4, 1] }))).toBe('ref.strides')
  expect(changed({ byteOffset: -2 })).toBe('ref.offset')
  expect(changed({ swizzle: JSON.parse('48') })).toBe('ref.swizzle')
})

test('law 5: extents of 1 stay where they are asked for, and are taken in at the end', () => {
  const of = (shape: readonly number[]): TransformedRef => right(Ref.ofTransforms(shape, 16, []))
  const shapes: readonly (readonly [from: readonly number[], to: readonly number[]])[] = [
    [
      [2, 1, 3],
      [2, 1, 3],
    ],
    [
      [2, 1, 3],
      [2, 3],
    ],
    [
      [1, 3],
      [1, 3],
    ],
    [[1, 3], [3]],
    [[4, 1], [4]],
    [
      [4, 1, 1],
      [4, 1],
    ],
    [[2, 1, 3, 1], [6]],
  ]
  for (const [from, to] of shapes)
    expect(Ref.reshape(to)(of(from)), `${from.join()} to ${to.join()}`).toEqual(E.right(of(to)))
  expect(code(Ref.reshape([8])(of([2, 2])))).toBe('ref.reshape-unfold')
  expect(code(Ref.reshape([2, 1])(of([2, 3])))).toBe('ref.reshape-unfold')
})
