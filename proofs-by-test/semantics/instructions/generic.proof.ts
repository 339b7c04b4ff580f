/**
 * Loads and stores of the agent itself: what a register holds of what memory has, and the other way round.
 *
 * Tables by hand, in CTA 1 of a pair.
 */
import { describe, expect, test } from 'vitest'
import type { Algebra } from '../../../src/numerics/algebra.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { bits, real64, unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import type { ExprNode } from '../../../src/semantics/language/expression.js'
import * as X from '../../../src/semantics/language/expression.js'
import { executeLoad, executeStore, pointedElements } from '../../../src/semantics/instructions/generic.js'
import type { Executing } from '../../../src/semantics/machine/effect.js'
import * as Footprint from '../../../src/semantics/machine/footprint.js'
import type { Elements } from '../../../src/semantics/machine/operation.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { prepare } from '../../../src/semantics/core/prepare.js'
import { environment } from '../../../src/semantics/machine/environment.js'
import { countValue, withPlane, type Machine } from '../../../src/semantics/machine/state.js'
import * as V from '../../../src/semantics/machine/value.js'
import { isFault, type FaultValue, type TileValue } from '../../../src/semantics/machine/value.js'
import { launched } from '../machine/machine-samples.js'
import { declarations, view } from '../language/operands.js'
import { right } from '../../either.js'

const program = right(
  B.draft(
    { name: 'generic', arch: 'sm100a', grid: [2], cluster: [2], agents: [B.warpgroup('wg', 0)] },
    declarations,
  ),
)
const hopper = bits('hopper')
const samples = new Map([hopper, real64, unit].map((a) => [a.name, launched(program, a)]))
const of = (algebra: Algebra) => samples.get(algebra.name)!
const stamp = { agent: 1, at: 7, site: 0, iteration: [] }
const executing = (algebra: Algebra): Executing => ({ world: of(algebra).world, agent: 1, stamp })
const shared = of(hopper).world.header.planes.findIndex((p) => p.space === 'smem' && p.cta === 1)
/** Elements of shared memory of CTA 1; none at a negative address. */
const places = (algebra: Algebra, dtype: Dtype, addresses: ReadonlyArray<number>): Elements =>
  Footprint.ofAddresses(
    of(algebra).world.footprints,
    shared,
    dtype,
    [addresses.length],
    Int32Array.from(addresses),
  )
const holding = (algebra: Algebra, e: Elements, data: ReadonlyArray<number>): Machine => {
  const { machine } = of(algebra)
  return withPlane(
    machine,
    shared,
    Plane.write(machine.planes[shared]!, e, Float64Array.from(data), machine.edit),
  )
}

describe('a load', () => {
  const loaded = (
    algebra: Algebra,
    m: Machine,
    source: Elements,
    other: ReadonlyArray<number> | null = null,
  ): TileValue | FaultValue => {
    const p = {
      _tag: 'load',
      source,
      mask: null,
      other: other === null ? null : Float64Array.from(other),
      outside: other === null ? 'zero' : 'other',
    } as const
    const done = executeLoad(executing(algebra), m, p, 'any', [])
    expect(done.machine.values).toBe(m.values + 1)
    const [result] = done.results
    if (typeof result !== 'object' || (result._tag !== 'tile' && result._tag !== 'fault'))
      throw new Error('no tile')
    return result
  }
  const dataOf = (v: TileValue | FaultValue): ReadonlyArray<number> | string | null =>
    isFault(v) ? v.message : v.data === null ? null : [...v.data]
  const big = 2 ** 31

  test.each<readonly [Dtype, stored: ReadonlyArray<number>, element: string, ReadonlyArray<number>]>([
    ['i32', [5, -big], 'i32', [5, -big]],
    ['u32', [5, 2 * big - 1, big], 'i32', [5, -1, -big]],
    ['u16', [65535], 'i32', [65535]],
    ['u8', [255], 'i32', [255]],
    ['i8', [-128, 127], 'i32', [-128, 127]],
    ['f16', [0x3c00], 'f16', [0x3c00]],
    ['i64', [-5, 2 ** 53 - 1], 'i64', [-5, 2 ** 53 - 1]],
  ])('%s %j: a tile of %s, %j', (dtype, stored, element, found) => {
    const e = places(
      hopper,
      dtype,
      stored.map((_, i) => 64 + 8 * i),
    )
    const tile = loaded(hopper, countValue(holding(hopper, e, stored)), e)
    expect(tile).toEqual(
      V.tile([stored.length], element as 'i32', 'any', Float64Array.from(found), { _tag: 'value', id: 1 }),
    )
  })
  test('where the mask has taken an element out: the other value, or nothing', () => {
    const e = places(hopper, 'i32', [-1, 64, -1, 68])
    const m = holding(hopper, e, [0, 11, 0, 12])
    expect(dataOf(loaded(hopper, m, e, [1, 2, 3, 4]))).toEqual([1, 11, 3, 12])
    expect(dataOf(loaded(hopper, m, e))).toEqual([0, 11, 0, 12])
    const words = places(hopper, 'u32', [-1, 64])
    expect(dataOf(loaded(hopper, holding(hopper, words, [0, 3]), words, [2 * big - 2, 0]))).toEqual([-2, 3])
    // the first address there is
    const first = places(hopper, 'i32', [0])
    expect(dataOf(loaded(hopper, holding(hopper, first, [9]), first, [1]))).toEqual([9])
  })
  test('64 bits beyond 2^53 are refused, not rounded, and the access stands in the log', () => {
    // two words each: 3, 2^53, -2^53
    const words = places(hopper, 'u32', [64, 68, 72, 76, 80, 84])
    const m = holding(hopper, words, [3, 0, 0, 2 ** 21, 0, 2 ** 32 - 2 ** 21])
    for (const dtype of ['i64', 'u64'] as const) {
      const at = places(hopper, dtype, [64, 72])
      expect(loaded(hopper, m, at)).toMatchObject({
        code: 'i64.range',
        message: 'load: element 1 is beyond 2^53',
      })
      expect(dataOf(loaded(hopper, m, places(hopper, dtype, [64])))).toEqual([3])
    }
    expect(loaded(hopper, m, places(hopper, 'i64', [80]))).toMatchObject({ code: 'i64.range' })
    // two floats of 32 bits are no integer
    expect(dataOf(loaded(hopper, m, places(hopper, 'f32', [76])))).toEqual([2 ** 21])
  })
  test('an algebra without data', () => {
    const e = places(unit, 'u32', [-1, 64])
    expect(dataOf(loaded(unit, of(unit).machine, e, [1, 2]))).toBeNull()
    const long = places(unit, 'i64', [64])
    expect(dataOf(loaded(unit, of(unit).machine, long))).toBeNull()
  })
})

describe('a store', () => {
  const remains = (dtype: Dtype, data: ReadonlyArray<number>): ReadonlyArray<number> => {
    const e = places(
      real64,
      dtype,
      data.map((_, i) => 64 + 8 * i),
    )
    const p = { _tag: 'store', destination: e, data: Float64Array.from(data), origin: V.otherOrigin } as const
    const { machine } = executeStore(executing(real64), of(real64).machine, p)
    return [...Plane.read(machine.planes[shared]!, e).data!]
  }
  test.each<readonly [Dtype, register: ReadonlyArray<number>, memory: ReadonlyArray<number>]>([
    ['i8', [127, 128, 300, -129], [127, -128, 44, 127]],
    ['u8', [255, 256, -1], [255, 0, 255]],
    ['i16', [32768, -32769, 5], [-32768, 32767, 5]],
    ['u16', [65536, -1], [0, 65535]],
    ['i32', [-5, 2 ** 31 - 1], [-5, 2 ** 31 - 1]],
    ['i64', [2 ** 40, -(2 ** 40)], [2 ** 40, -(2 ** 40)]],
    ['f16', [1.5, 300.25], [1.5, 300.25]],
    ['e4m3', [0.5], [0.5]],
  ])('%s: %j in a register is %j in memory', (dtype, register, memory) => {
    expect(remains(dtype, register)).toEqual(memory)
  })
  test('an algebra without data', () => {
    const e = places(unit, 'i8', [64])
    const p = { _tag: 'store', destination: e, data: null, origin: V.zeroOrigin } as const
    const { machine, events } = executeStore(executing(unit), of(unit).machine, p)
    expect(machine.planes).toEqual(of(unit).machine.planes)
    expect(events).toMatchObject([{ rw: 'w', origin: { _tag: 'zero' } }])
  })
})

describe('pointers', () => {
  const n = of(hopper).world.header.planes.findIndex((p) => p.name === 'n')
  const at = { agent: 1, cta: 1, place: 0, cluster: 0 }
  const pointing = (
    dtype: Dtype,
    data: ReadonlyArray<number> | null,
    mask: ReadonlyArray<number> | 'unknown' | null,
    limit = Infinity,
  ): ReadonlyArray<number> | string => {
    const world = { ...of(hopper).world, effort: { spent: 0, limit } }
    const count = data?.length ?? 4
    const tile = V.tile(
      [count],
      'i1',
      'any',
      mask === null || mask === 'unknown' ? null : Float64Array.from(mask),
      V.otherOrigin,
    )
    const e = pointedElements(
      environment(world, at, []),
      'source',
      V.ptrTile([count], dtype, n, 'any', data === null ? null : Float64Array.from(data)),
      mask === null ? null : tile,
    )
    return isFault(e) ? e.code : [...Footprint.addressesOf(e)]
  }
  // sixteen words: 64 bytes
  test.each<
    readonly [
      string,
      Dtype,
      ReadonlyArray<number> | null,
      ReadonlyArray<number> | 'unknown' | null,
      ReadonlyArray<number> | string,
    ]
  >([
    ['the ends', 'i32', [0, 60], null, [0, 60]],
    ['before the first', 'i32', [-4, 0], null, 'I2'],
    ['the end of an element behind the last', 'i64', [0, 60], null, 'I2'],
    ['the last that fits', 'i64', [56], null, [56]],
    ['halves', 'f16', [62], null, [62]],
    ['halves behind the last', 'f16', [63], null, 'I2'],
    ['all taken out', 'i32', [-4, 64], [0, 0], [-1, -1]],
    ['the wrong one taken out', 'i32', [-4, 0], [1, 0], 'I2'],
    ['the right one taken out', 'i32', [0, 64], [1, 0], [0, -1]],
    ['addresses that nobody knows', 'i32', null, null, 'algebra.control'],
    ['a mask that nobody knows', 'i32', [0, 4], 'unknown', 'algebra.control'],
  ])('%s', (_what, dtype, data, mask, found) => {
    expect(pointing(dtype, data, mask)).toEqual(found)
  })
  test('a tick for four of them', () => {
    const eight = [0, 4, 8, 12, 16, 20, 24, 28]
    expect([pointing('i32', eight, null, 2), pointing('i32', eight, null, 1)]).toEqual([eight, 'fuel'])
  })
})

test('a store keeps the shape of what it fills: as many elements, whatever the shape', () => {
  const { world } = of(hopper)
  const at = { agent: 1, cta: 1, place: 0, cluster: 0 }
  const value = X.reshape(X.iota<1>([4], 0), [2, 2]) as unknown as ExprNode
  expect(
    prepare(environment(world, at, []), {
      _tag: 'smem.store',
      destination: view('x'),
      value: value as never,
    }),
  ).toMatchObject({ _tag: 'store', data: Float64Array.of(0, 1, 2, 3) })
})
