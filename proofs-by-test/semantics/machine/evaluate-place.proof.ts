/**
 * Places by hand: the coordinates of an agent in a grid of clusters, pointers that move by elements, and where a view or a barrier lies after
 * it was indexed, cut, turned, or looked up in another CTA. What has no value at all is in `faults.proof.ts`.
 *
 * The kernel of the tables: a grid of 4 x 6 CTAs in clusters of 2 x 3, two clusters resident; two agents a CTA; planes t and u in global memory,
 * then shared memory and registers of each CTA; one barrier, then 2 x 3 of them.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import * as B from '../../../src/semantics/writing/builder.js'
import type { ExprNode, PlaceName } from '../../../src/semantics/language/expression.js'
import { evaluate } from '../../../src/semantics/machine/evaluate.js'
import { isFault, ptr, type TileValue, type Value } from '../../../src/semantics/machine/value.js'
import type { Standpoint } from '../../../src/semantics/machine/front.js'
import { barrierIn, planeIn, type World } from '../../../src/semantics/machine/world.js'
import { byteOffsets, ofTransforms } from '../../../src/transforms/ref.js'
import { swizzle, tile } from '../../../src/transforms/transform.js'
import { launched } from './machine-samples.js'
import { right } from '../../either.js'

const worldOf = (grid: ReadonlyArray<number>, cluster: ReadonlyArray<number>): World =>
  launched(
    right(
      B.draft(
        {
          name: 'places',
          arch: 'sm90a',
          grid,
          cluster,
          agents: [B.warpgroup('wg', 0), B.warp('single', 4)],
        },
        function* () {
          const t = yield* B.tensorParam('t', 'f16', [3, 5], { role: 'in' })
          yield* B.tensorParam('u', 'i32', [7], { role: 'in' })
          yield* B.descriptorParam('d', t, [3, 5])
          yield* B.sharedMemory('before', 'i32', [4])
          yield* B.sharedMemory('x', 'i32', [2, 4])
          yield* B.sharedMemory('ring', 'f16', [2, 64, 64], [right(tile([8, 64])), right(swizzle(128))])
          yield* B.sharedMemory('flat', 'f16', [2, 64], [right(swizzle(128))])
          yield* B.sharedMemory('one', 'i32', [])
          yield* B.registers('r', 'wg', 'f32', [8])
          yield* B.barriers('single barrier', [], { contract: 'pallas' })
          yield* B.barriers('barriers', [2, 3], { ordersTensorCore: true })
        },
      ),
    ),
    bits('hopper'),
    { resident: 2 },
  ).world
const world = worldOf([4, 6], [2, 3])
/** The second resident place, rank 4, agent 1: CTA 10 of the resident ones. */
const here: Standpoint = { agent: 21, cta: 4, place: 1, cluster: 3 }
const value = (e: ExprNode, frame: ReadonlyArray<Value> = [], at: Standpoint = here): Value =>
  evaluate(world, at, frame, e)
const code = (e: ExprNode): string => {
  const v = value(e)
  return isFault(v) ? v.code : 'no fault'
}

const int = (x: number): ExprNode => ({ _tag: 'const', dtype: 'i32', value: x })
const place = (of: PlaceName, axis = 0): ExprNode => ({ _tag: 'place', of, axis })
const storage = (id: string): ExprNode => ({ _tag: 'storage', storage: id })
const slot = (of: ExprNode, index: number): ExprNode => ({ _tag: 'slot', of, index: int(index) })
const slice = (of: ExprNode, starts: ReadonlyArray<number>, sizes: ReadonlyArray<number>): ExprNode => ({
  _tag: 'slice',
  of,
  starts: starts.map(int),
  sizes,
})
const remote = (of: ExprNode, rank: number): ExprNode => ({ _tag: 'remote', of, rank: int(rank) })
const turned = (of: ExprNode, perm: ReadonlyArray<number>): ExprNode => ({ _tag: 'transposeView', of, perm })
const reshaped = (of: ExprNode, shape: ReadonlyArray<number>): ExprNode => ({
  _tag: 'reshapeView',
  of,
  shape,
})
const [x, ring, flat] = [storage('x'), storage('ring'), storage('flat')]
/** Byte of x in the shared memory of its CTA: behind another storage, on the next line of 128 bytes. */
const base = world.storages.get('x')!.offset

describe('where an agent stands', () => {
  // cluster 3 of 2 x 2 clusters is (1, 1); rank 4 of 2 x 3 CTAs is (1, 1) inside it
  test.each<readonly [PlaceName, number, number]>([
    ['agent', 0, 1],
    ['warp', 0, 4],
    ['ctaRank', 0, 4],
    ['clusterId', 0, 3],
    ['gridDim', 0, 4],
    ['gridDim', 1, 6],
    ['gridDim', 2, 1],
    ['programId', 0, 2 * 1 + 1],
    ['programId', 1, 3 * 1 + 1],
    ['programId', 2, 0],
  ])('%s %i', (of, axis, expected) => {
    expect(value(place(of, axis))).toBe(expected)
  })
  test('the other agent of the same CTA', () => {
    const beside = { ...here, agent: 20 }
    expect([value(place('agent'), [], beside), value(place('warp'), [], beside)]).toEqual([0, 0])
  })
  test('ranks are row-major in their cluster, clusters in the grid; every program is one CTA', () => {
    const idsOf = (w: World, cluster: number, cta: number): ReadonlyArray<Value> =>
      [0, 1].map((axis) => evaluate(w, { agent: 0, cta, place: 0, cluster }, [], place('programId', axis)))
    expect([0, 1, 2, 3, 4, 5].map((cta) => idsOf(world, 0, cta))).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
      [1, 0],
      [1, 1],
      [1, 2],
    ])
    expect([0, 1, 2, 3].map((cluster) => idsOf(world, cluster, 0))).toEqual([
      [0, 0],
      [0, 3],
      [2, 0],
      [2, 3],
    ])
    // a cluster that names fewer axes than the grid has one CTA along the others
    const rows = worldOf([4, 2], [2])
    expect([0, 1, 2, 3].flatMap((cluster) => [0, 1].map((cta) => idsOf(rows, cluster, cta)))).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
      [2, 0],
      [3, 0],
      [2, 1],
      [3, 1],
    ])
  })
  test('extents of a parameter', () => {
    const dim = (param: string, axis: number): Value => value({ _tag: 'dim', param, axis })
    expect([dim('t', 0), dim('t', 1), dim('u', 0)]).toEqual([3, 5, 7])
  })
})

describe('pointers', () => {
  const add = (p: Value, o: Value): Value =>
    value({ _tag: 'addptr', ptr: { _tag: 'local', slot: 0 }, offset: { _tag: 'local', slot: 1 } }, [p, o])
  const pointers = (data: ReadonlyArray<number> | null): TileValue => ({
    _tag: 'tile',
    shape: [2],
    element: 'ptr',
    pointee: 'f16',
    plane: 6,
    layout: 'any',
    data: data === null ? null : Float64Array.from(data),
    origin: { _tag: 'other' },
  })
  const offsets = (data: ReadonlyArray<number> | null): TileValue => ({
    ...pointers(data),
    element: 'i32',
    pointee: 'i8',
    plane: -1,
  })
  test('a pointer under another element type is the same address; further offsets count those', () => {
    const cast = (p: Value): Value =>
      value({ _tag: 'castPtr', ptr: { _tag: 'local', slot: 0 }, dtype: 'u8' }, [p])
    expect(cast(ptr('f16', 0, 10))).toEqual(ptr('u8', 0, 10))
    expect(add(cast(ptr('f16', 0, 10)), 3)).toEqual(ptr('u8', 0, 13))
    expect(cast(pointers([2, 6]))).toEqual({ ...pointers([2, 6]), pointee: 'u8' })
    expect(cast(3)).toMatchObject({ _tag: 'fault', code: 'type.mismatch' })
  })
  test('the first element of a parameter', () => {
    expect(value({ _tag: 'paramPtr', param: 'u' })).toEqual(ptr('i32', 1, 0))
  })
  test('offsets count elements: of two bytes, of eight, of half a byte', () => {
    expect(add(ptr('f16', 0, 10), 3)).toEqual(ptr('f16', 0, 16))
    expect(add(ptr('f16', 0, 10), -3)).toEqual(ptr('f16', 0, 4))
    expect(add(ptr('i64', 2, 8), 5n)).toEqual(ptr('i64', 2, 48))
    expect(add(ptr('e2m1', 2, 8), 6)).toEqual(ptr('e2m1', 2, 11))
  })
  test('an i64 that no number holds moves no pointer', () => {
    const v = add(ptr('f16', 0, 0), 2n ** 53n)
    expect(isFault(v) && v.code).toBe('i64.range')
  })
  test('tiles element by element; unknown if either is', () => {
    expect(add(pointers([0, 100]), offsets([3, -4]))).toEqual(pointers([6, 92]))
    expect(add(pointers(null), offsets([3, -4]))).toEqual(pointers(null))
    expect(add(pointers([0, 100]), offsets(null))).toEqual(pointers(null))
  })
})

describe('storages', () => {
  test('a view of the CTA that asks: the planes of CTA 10 come after t, u and two planes of each CTA before it', () => {
    expect(base).toBe(128)
    expect(value(x)).toMatchObject({ _tag: 'view', space: 'smem', dtype: 'i32', plane: 2 + 2 * 10, base })
    expect(value(storage('r'))).toMatchObject({ space: 'regs', dtype: 'f32', plane: 3 + 2 * 10, base: 0 })
    expect(value(x, [], { agent: 0, cta: 1, place: 0, cluster: 0 })).toMatchObject({ plane: 2 + 2 * 1 })
  })
  test('barriers: seven a CTA', () => {
    expect(value(storage('single barrier'))).toEqual({
      _tag: 'barrier',
      first: 70,
      shape: [],
      contract: 'pallas',
      ordersTensorCore: false,
    })
    expect(value(storage('barriers'))).toEqual({
      _tag: 'barrier',
      first: 71,
      shape: [2, 3],
      contract: 'ptx',
      ordersTensorCore: true,
    })
  })
  test('a tensor is a view of all of it, wherever one stands; a descriptor is the one of the launch', () => {
    expect(value({ _tag: 'tensor', param: 'u' })).toMatchObject({
      _tag: 'view',
      space: 'gmem',
      dtype: 'i32',
      plane: 1,
      base: 0,
      layout: { shape: [7] },
    })
    expect(value({ _tag: 'descriptor', param: 'd' })).toBe(world.descriptors.get('d'))
  })
})

describe('parts of a view', () => {
  test.each<readonly [string, ExprNode, number, ReadonlyArray<number>]>([
    ['slot 1 of two rows of four i32', slot(x, 1), base + 16, [4]],
    ['element 3 of slot 1', slot(slot(x, 1), 3), base + 16 + 12, []],
    ['a part of both dimensions', slice(x, [1, 1], [1, 3]), base + 16 + 4, [1, 3]],
    ['a part that ends where the view ends', slice(x, [0, 2], [2, 2]), base + 8, [2, 2]],
    ['a part of a part', slice(slice(x, [0, 1], [2, 3]), [1, 2], [1, 1]), base + 16 + 12, [1, 1]],
    ['another part of the same size', slice(x, [0, 0], [1, 3]), base, [1, 3]],
    ['turned', turned(x, [1, 0]), base, [4, 2]],
    ['turned, then a slot: a column', slot(turned(x, [1, 0]), 3), base + 12, [2]],
    ['in another shape', reshaped(x, [8]), base, [8]],
    ['a slot of tiles', slot(ring, 1), world.storages.get('ring')!.offset + 8192, [64, 64]],
    [
      'a part of tiles',
      slice(ring, [1, 16, 0], [1, 8, 64]),
      world.storages.get('ring')!.offset + 8192 + 2048,
      [1, 8, 64],
    ],
  ])('%s', (_, e, at, shape) => {
    expect(value(e)).toMatchObject({ _tag: 'view', base: at, layout: { shape } })
  })
  test('the elements of a turned view are those of the view', () => {
    const [plain, other] = [value(x), value(turned(x, [1, 0]))]
    if (typeof plain !== 'object' || plain._tag !== 'view') throw new Error('no view')
    if (typeof other !== 'object' || other._tag !== 'view') throw new Error('no view')
    const at = [...byteOffsets(plain.layout)]
    expect([...byteOffsets(other.layout)]).toEqual([0, 4, 1, 5, 2, 6, 3, 7].map((e) => at[e]))
  })
  test('one layout for one part, however often it is taken', () => {
    const layoutOf = (e: ExprNode): unknown => {
      const v = value(e)
      return typeof v === 'object' && v._tag === 'view' ? v.layout : null
    }
    const parts = [slot(x, 1), slice(x, [0, 1], [2, 2]), turned(x, [1, 0]), reshaped(x, [8])]
    for (const e of parts) expect(layoutOf(e)).toBe(layoutOf(e))
    expect(layoutOf(slot(x, 0))).toBe(layoutOf(slot(x, 1)))
    expect(layoutOf(slice(x, [0, 1], [2, 2]))).toBe(layoutOf(slice(x, [0, 2], [2, 2])))
  })
  test('the same bytes as another dtype, where they are', () => {
    const layout = right(ofTransforms([8, 2], 8, []))
    const e: ExprNode = { _tag: 'reinterpret', of: slot(x, 1), dtype: 'u8', layout }
    expect(value(e)).toEqual({
      _tag: 'view',
      space: 'smem',
      dtype: 'u8',
      plane: 22,
      layout,
      base: base + 16,
    })
  })
  test.each<readonly [string, ExprNode, string]>([
    ['a start inside a tile', slice(ring, [0, 4, 0], [1, 8, 64]), 'ref.tile-start'],
    ['a part of a tile', slice(ring, [0, 0, 0], [1, 4, 64]), 'ref.tile-size'],
    ['a row of a swizzled view', slot(flat, 1), 'ref.index-swizzled'],
    ['turned against the swizzle', turned(flat, [1, 0]), 'ref.transpose-swizzled'],
    ['a shape of more elements', reshaped(x, [9]), 'ref.reshape-unfold'],
    ['a slot of one element', slot(storage('one'), 0), 'I2'],
  ])('%s: refused by the layout', (_, e, refusal) => {
    expect(code(e)).toBe(refusal)
  })
})

describe('arrays of barriers', () => {
  test.each<readonly [string, ExprNode, number, ReadonlyArray<number>]>([
    ['the first row', slot(storage('barriers'), 0), 71, [3]],
    ['the second row', slot(storage('barriers'), 1), 74, [3]],
    ['one of the second row', slot(slot(storage('barriers'), 1), 2), 76, []],
  ])('%s', (_, e, first, shape) => {
    expect(value(e)).toMatchObject({ _tag: 'barrier', first, shape, contract: 'ptx', ordersTensorCore: true })
  })
})

describe('the same place in another CTA of the cluster', () => {
  test('a view: its plane, and nothing else, changes', () => {
    // rank 2 of the second resident cluster is CTA 8
    expect(value(remote(slot(x, 1), 2))).toEqual({ ...(value(slot(x, 1)) as object), plane: 2 + 2 * 8 })
    expect(value(remote(x, 0))).toMatchObject({ plane: 2 + 2 * 6 })
    expect(value(remote(x, 5))).toMatchObject({ plane: 2 + 2 * 11 })
    expect(value(remote(x, 4))).toEqual(value(x))
  })
  test('a barrier', () => {
    const b = slot(storage('barriers'), 1)
    expect(value(remote(b, 2))).toEqual({ ...(value(b) as object), first: 7 * 8 + 4 })
    expect(value(remote(b, 4))).toEqual(value(b))
  })
  test('of another CTA: as if asked for at once', () => {
    for (const p of [2, 3, 14, 15, 24, 25])
      for (const r of [0, 3, 5])
        for (const s of [0, 1, 5]) expect(planeIn(world, planeIn(world, p, r), s)).toBe(planeIn(world, p, s))
    for (const b of [0, 6, 7, 41, 42, 83])
      for (const r of [0, 3, 5])
        for (const s of [0, 1, 5])
          expect(barrierIn(world, barrierIn(world, b, r), s)).toBe(barrierIn(world, b, s))
    // CTA 0 and CTA 6 have rank 0: planes 2 and 14, barriers 0 to 6 and 42 to 48
    expect([planeIn(world, 2, 1), planeIn(world, 14, 1), planeIn(world, 25, 0)]).toEqual([4, 16, 15])
    expect([barrierIn(world, 6, 1), barrierIn(world, 42, 1), barrierIn(world, 83, 0)]).toEqual([13, 49, 48])
  })
  test('ranks that the cluster has, and no others', () => {
    expect([-1, 0, 5, 6].map((rank) => code(remote(x, rank)))).toEqual(['I2', 'no fault', 'no fault', 'I2'])
  })
})
