import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as A from '../../src/arbitraries/index.js'
import * as Cute from '../../src/layouts/cute/layout.js'
import { depth, isTuple, leaves } from '../../src/layouts/cute/tree.js'
import * as Linear from '../../src/layouts/linear/linear-layout.js'
import * as RL from '../../src/layouts/register-layout.js'
import { isStridedLayout } from '../../src/layouts/strided.js'
import * as Tiled from '../../src/layouts/tiled.js'
import * as Ref from '../../src/transforms/ref.js'
import { sizeOf } from '../../src/transforms/shape.js'
import { isTiling } from '../../src/transforms/tile.js'
import { physicalShape } from '../../src/transforms/transform.js'

const sample = <T>(arbitrary: fc.Arbitrary<T>, count = 1_000): readonly T[] =>
  fc.sample(arbitrary, { numRuns: count, seed: 20 })
const kinds = (values: readonly unknown[]): ReadonlySet<string> =>
  new Set(values.map((value) => JSON.stringify(value)))
const divides = (tile: readonly number[], shape: readonly number[]): boolean =>
  tile.length <= shape.length && tile.every((t, k) => shape[shape.length - tile.length + k]! % t === 0)
/** What a failing property shrinks to. */
const shrunk = <T>(arbitrary: fc.Arbitrary<T>, fails: (value: T) => boolean): T => {
  const { counterexample } = fc.check(
    fc.property(arbitrary, (value) => !fails(value)),
    { seed: 7, numRuns: 1_000 },
  )
  return counterexample![0]
}

describe('shapes', () => {
  test('law 1: positive, bounded, every rank', () => {
    const shapes = sample(A.shape())
    expect(shapes.every((s) => s.every((n) => Number.isInteger(n) && n > 0) && sizeOf(s) <= 4096)).toBe(true)
    expect(kinds(shapes.map((s) => s.length))).toEqual(new Set(['1', '2', '3', '4']))
    expect(shapes.some((s) => s.some((n) => n % 2 === 1 && n > 1))).toBe(true)
    expect(kinds(sample(A.shape({ minRank: 0, maxRank: 1, maxSize: 3 })))).toEqual(
      new Set(['[]', '[1]', '[2]', '[3]']),
    )
    expect(shrunk(A.shape(), () => true)).toEqual([1])
    expect(shrunk(A.shape(), (s) => s.length >= 2 && s[0]! >= 3)).toEqual([3, 1])
  })

  test('law 2: indices are inside, and all occur', () => {
    expect(kinds(sample(A.index([2, 3]))).size).toBe(6)
    expect(sample(A.index([2, 3])).every(([i, j]) => i! < 2 && j! < 3)).toBe(true)
    expect(shrunk(A.index([4, 9]), ([, j]) => j! >= 5)).toEqual([0, 5])
  })

  test('law 3: all permutations', () => {
    expect(kinds(sample(A.permutation(4)))).toEqual(
      new Set(
        fc
          .sample(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), { numRuns: 2_000, seed: 3 })
          .map((p) => JSON.stringify(p)),
      ),
    )
    expect(kinds(sample(A.permutation(4))).size).toBe(24)
    expect(shrunk(A.permutation(4), () => true)).toEqual([0, 1, 2, 3])
    expect(sample(A.permutation(0), 3)).toEqual([[], [], []])
  })
})

describe('transforms', () => {
  const shape = [6, 16, 64]

  test('law 1: tiles and tilings divide', () => {
    const tiles = sample(A.tile(shape))
    expect(tiles.every((t) => divides(t, shape))).toBe(true)
    expect(kinds(tiles.map((t) => t.length)).size).toBe(3)
    expect(kinds(tiles.filter((t) => t.length === 1)).size).toBe(7)
    const tilings = sample(A.tiling(shape))
    expect(tilings.every(isTiling)).toBe(true)
    expect(tilings.every((ls) => ls.every((l, k) => divides(l, ls[k - 1] ?? shape)))).toBe(true)
    expect(kinds(tilings.map((ls) => ls.length)).size).toBe(3)
    expect(shrunk(A.tiling(shape), () => true)).toEqual([[1, 1, 1]])
  })

  test('law 2: transforms have a physical shape; every kind occurs', () => {
    const drawn = sample(A.allocation())
    expect(drawn.every((a) => E.isRight(physicalShape(a.bits, a.transforms)(a.shape)))).toBe(true)
    const spans = drawn.flatMap((a) => a.transforms.flatMap((t) => (t._tag === 'Swizzle' ? [t.swizzle] : [])))
    for (const span of [16, 32, 64, 128]) expect(spans.filter((s) => s === span).length).toBeGreaterThan(20)
    expect(kinds(drawn.map((a) => a.transforms.map((t) => t._tag))).size).toBeGreaterThanOrEqual(11)
    expect(kinds(drawn.map((a) => a.bits)).size).toBe(4)
    expect(kinds(sample(A.swizzle, 100)).size).toBe(4)
    expect(
      shrunk(A.allocation(), (a) => a.transforms.some((t) => t._tag === 'Swizzle')).transforms.length,
    ).toBeLessThanOrEqual(2)
    expect(shrunk(A.allocation(), () => true)).toEqual({ shape: [1], bits: 16, transforms: [] })
  })
})

describe('refs', () => {
  const refs = sample(A.transformedRef())

  test('law 1: legal', () => {
    const illegal = refs.filter((r) => E.isLeft(Ref.check(r)))
    expect(illegal).toEqual([])
    expect(refs.every((r) => Ref.extentBytes(r) < 2 ** 20)).toBe(true)
  })

  test('law 2: coverage', () => {
    for (const span of [16, 32, 64, 128])
      expect(refs.filter((r) => r.swizzle === span).length).toBeGreaterThan(20)
    for (const rank of [1, 2, 3, 4])
      expect(refs.filter((r) => r.shape.length === rank).length).toBeGreaterThan(20)
    expect(refs.filter((r) => r.byteOffset > 0).length).toBeGreaterThan(50)
    expect(refs.filter((r) => r.tiling.length === 0).length).toBeGreaterThan(50)
    expect(refs.filter((r) => r.tiling.length === 1 && r.swizzle > 16).length).toBeGreaterThan(50)
    expect(refs.filter((r) => r.tiling.length > 1).length).toBeGreaterThan(50)
    const last = (r: Ref.TransformedRef): number => r.strides[r.strides.length - 1]!
    expect(refs.filter((r) => last(r) > 1).length).toBeGreaterThan(50)
    expect(shrunk(A.transformedRef(), () => true)).toMatchObject({ shape: [1], byteOffset: 0, tiling: [] })
    expect(shrunk(A.transformedRef(), (r) => r.byteOffset > 0).tiling).toEqual([])
  })
})

describe('register layouts', () => {
  const tiled = sample(A.tiledLayout())

  test('law 1: legal, canonical, of every kind', () => {
    expect(tiled.every(Tiled.isTiledLayout)).toBe(true)
    expect(kinds(tiled.map((l) => Tiled.baseTileShape(l).length)).size).toBe(3)
    expect(kinds(tiled.map(Tiled.vectorLength))).toEqual(new Set(['1', '2', '4', '8']))
    expect(tiled.filter((l) => Tiled.replication(l) > 1).length).toBeGreaterThan(100)
    expect(tiled.filter((l) => Tiled.replication(l) === 1).length).toBeGreaterThan(50)
    expect(tiled.filter((l) => RL.nameOf(l) === null).length).toBeGreaterThan(800)
    expect(tiled.filter((l) => l.laneDims.length > 2).length).toBeGreaterThan(100)
    expect(kinds(tiled).size).toBeGreaterThan(800)
    // Vectors that are not the minor part of their axis.
    const scattered = tiled.filter(
      (l) =>
        Tiled.baseTileShape(l).length === 1 &&
        Tiled.vectorLength(l) > 1 &&
        l.laneDims.some((d) => typeof d === 'number' && d > l.vectorDim),
    )
    expect(scattered.length).toBeGreaterThan(20)
    expect(Tiled.baseTileShape(shrunk(A.tiledLayout(), () => true))).toEqual([128])
    expect(kinds(sample(A.namedTiledLayout(), 400)).size).toBe(kinds(Object.values(Tiled.named)).size)
  })

  test('law 1: by another road: 128 lanes times registers are the elements times the replication', () => {
    for (const { layout, shape } of sample(A.tiledSample(), 40)) {
      const table = RL.elementTable(layout, shape)
      const held = new Uint16Array(sizeOf(shape))
      for (const position of table) held[position]!++
      expect(held.every((count) => count === Tiled.replication(layout))).toBe(true)
    }
  })

  test('law 2: the shape is one that the layout describes', () => {
    const samples = sample(A.registerLayout())
    expect(samples.filter(({ layout, shape }) => E.isLeft(RL.checkShape(layout, shape)))).toEqual([])
    expect(kinds(samples.map(({ layout }) => layout._tag)).size).toBe(3)
    const strided = sample(A.strided())
    expect(strided.every(isStridedLayout)).toBe(true)
    expect(kinds(strided).size).toBe(64)
    expect(kinds(sample(A.splat()).map((l) => l.shape.length)).size).toBe(4)
  })
})

describe('linear layouts', () => {
  const two = {
    inputs: [{ name: 'x', bits: 2 }],
    outputs: [
      { name: 'p', bits: 1 },
      { name: 'q', bits: 1 },
    ],
  }

  test('law 1: legal, of the sizes asked for', () => {
    const drawn = sample(
      A.linearSizes().chain((sizes) => A.linearLayout(sizes).map((l) => [sizes, l] as const)),
    )
    for (const [sizes, l] of drawn) {
      expect(Linear.isLinearLayout(l)).toBe(true)
      expect(l.inputs.map(({ name, bases }) => ({ name, bits: bases.length }))).toEqual(sizes.inputs)
      expect(l.outputs).toEqual(sizes.outputs.map(({ name, bits }) => ({ name, size: 2 ** bits })))
    }
    expect(kinds(drawn.map(([sizes]) => sizes.outputs.length)).size).toBe(3)
  })

  test('law 2: full rank', () => {
    const sizes = A.linearSizes()
    const drawn = sample(sizes.chain((s) => A.fullRankLinearLayout(s)))
    const bits = (dims: readonly { readonly size: number }[]): number =>
      dims.reduce((sum, { size }) => sum + Math.log2(size), 0)
    const seen = { more: 0, fewer: 0, equal: 0 }
    for (const l of drawn) {
      expect(Linear.isLinearLayout(l)).toBe(true)
      const inputs = l.inputs.reduce((sum, { bases }) => sum + bases.length, 0)
      const outputs = bits(l.outputs)
      expect(Linear.rank(l)).toBe(Math.min(inputs, outputs))
      seen[inputs === outputs ? 'equal' : inputs > outputs ? 'more' : 'fewer']++
    }
    expect(Math.min(seen.more, seen.fewer, seen.equal)).toBeGreaterThan(30)
  })

  test('law 3: every 2 x 2 matrix, and every invertible one', () => {
    expect(kinds(sample(A.linearLayout(two)).map((l) => l.inputs[0]!.bases)).size).toBe(16)
    expect(kinds(sample(A.fullRankLinearLayout(two)).map((l) => l.inputs[0]!.bases)).size).toBe(6)
    expect(shrunk(A.fullRankLinearLayout(two), () => true).inputs[0]!.bases).toEqual([
      [0, 1],
      [1, 0],
    ])
  })
})

describe('CuTe layouts', () => {
  test('law 1: accepted, of every kind', () => {
    const drawn = sample(A.cuteLayout())
    expect(drawn.every((l) => E.isRight(Cute.layout(l.shape, l.stride)) && Cute.size(l) <= 256)).toBe(true)
    expect(kinds(drawn.map((l) => depth(l.shape))).size).toBe(4)
    expect(drawn.filter((l) => !isTuple(l.shape)).length).toBeGreaterThan(50)
    expect(drawn.filter((l) => leaves(l.stride).includes(0)).length).toBeGreaterThan(50)
    expect(
      drawn.filter((l) => leaves(l.stride).some((d) => typeof d === 'number' && d > 32)).length,
    ).toBeGreaterThan(50)
    const small = sample(A.cuteLayout({ maxSize: 4, maxStride: 2 }))
    expect(small.every((l) => Cute.size(l) <= 4)).toBe(true)
    expect(small.every((l) => leaves(l.stride).every((d) => typeof d === 'number' && d <= 2))).toBe(true)
    expect(shrunk(A.cuteLayout(), () => true)).toMatchObject({ shape: 1, stride: 0 })
  })

  test('law 2: compact ones are bijections', () => {
    const drawn = sample(A.compactCuteLayout(), 300)
    for (const l of drawn)
      expect(new Set(Cute.table(l))).toEqual(new Set(Array.from({ length: Cute.size(l) }, (_, i) => i)))
    const columnMajor = drawn.filter((l) => {
      const made = Cute.layout(l.shape)
      return E.isRight(made) && Cute.equals(made.right, l)
    })
    expect(columnMajor.length).toBeGreaterThan(20)
    expect(columnMajor.length).toBeLessThan(280)
  })
})
