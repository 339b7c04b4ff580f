/** Effort: what each kind of work costs is the table of `effort.ts`; what is beyond the limit is not done. */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Expr, ExprNode } from '../../../src/semantics/language/expression.js'
import { mostElements } from '../../../src/semantics/language/limits.js'
import {
  effort,
  endless,
  fuelTicks,
  launching,
  outOfFuel,
  spend,
  within,
} from '../../../src/semantics/machine/effort.js'
import { evaluate } from '../../../src/semantics/machine/evaluate.js'
import { prepare } from '../../../src/semantics/core/prepare.js'
import { environment } from '../../../src/semantics/machine/environment.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import type { Value } from '../../../src/semantics/machine/value.js'
import type { World } from '../../../src/semantics/machine/world.js'
import { ofTransforms } from '../../../src/transforms/ref.js'
import { launched } from './machine-samples.js'
import { right } from '../../either.js'

const program = right(
  B.draft({ name: 'effort', arch: 'sm90a', agents: [B.warpgroup('wg', 0)] }, function* () {
    yield* B.sharedMemory('x', 'i32', [64, 4])
    yield* B.sharedMemory('y', 'i32', [64, 4])
    yield* B.tensorParam('t', 'i32', [256], { role: 'in' })
  }),
)
const worldOf = (algebra = bits('hopper')): World => launched(program, algebra).world
const here = { agent: 0, cta: 0, place: 0, cluster: 0 }
const tree = (e: Expr): ExprNode => e as unknown as ExprNode
const value = (world: World, e: Expr): Value => evaluate(world, here, [], tree(e))
const costOf = (world: World, work: () => unknown): number => {
  const before = world.effort.spent
  work()
  return world.effort.spent - before
}
const view = (storage: string): never => ({ _tag: 'storage', storage }) as unknown as never

describe('an account', () => {
  test('spending up to the limit, and not beyond', () => {
    const e = effort()
    expect(e).toEqual({ spent: 0, limit: Infinity })
    e.limit = 10
    expect([spend(e, 4), spend(e, 6), spend(e, 1)]).toEqual([true, true, false])
    expect(e.spent).toBe(11)
  })
  test('a limit within a limit: the smaller holds, and the outer comes back', () => {
    const e = effort()
    e.limit = 100
    spend(e, 10)
    expect(within(e, 20, () => e.limit)).toBe(30)
    expect(e.limit).toBe(100)
    expect(within(e, 200, () => e.limit)).toBe(100)
    expect(within(e, 5, () => [spend(e, 5), spend(e, 1)])).toEqual([true, false])
  })
  test('of a run with fuel, of an agent, of a launch', () => {
    expect([0, 1, 1000].map(fuelTicks)).toEqual([262_144, 262_208, 326_144])
    expect([endless, launching]).toEqual([2_097_152, 4_194_304])
    expect(outOfFuel.code).toBe('fuel')
  })
})

describe('expressions', () => {
  const n = 1600
  const row = X.iota<1>([n], 0)
  test.each<readonly [string, Expr, number]>([
    ['scalars are free', X.add(X.i32(1), X.i32(2)), 0],
    ['a tile: a sixteenth of its elements', row, 100],
    ['two of them, and their sum', X.add(row, row), 300],
    ['a scalar made a tile', X.splat(X.i32(1), [n]), 100],
    ['less than sixteen are free', X.iota<1>([15], 0), 0],
    ['a reduction: four for each, with the tile', X.reduce(row, 0, X.add), 100 + 4 * n],
  ])('%s', (_, e, cost) => {
    const world = worldOf()
    expect(costOf(world, () => value(world, e))).toBe(cost)
  })
  test('what has no data costs nothing', () => {
    const world = worldOf(unit)
    const floats = X.splat<'f32', 1>(X.float('f32', 1), [n])
    expect(costOf(world, () => value(world, X.reduce(floats, 0, X.add)))).toBe(0)
  })
  test('beyond the limit there is no value', () => {
    for (const [e, cost] of [
      [row, 100],
      [X.reduce(row, 0, X.add), 6500],
    ] as const)
      for (const over of [0, 1]) {
        const world = worldOf()
        world.effort.limit = world.effort.spent + cost - over
        const v = value(world, e as Expr)
        expect(isFault(v) ? v.code : null).toBe(over === 0 ? null : 'fuel')
      }
  })
})

describe('accesses', () => {
  const load = (world: World, storage: string): unknown =>
    prepare(environment(world, here, []), { _tag: 'smem.load', source: view(storage) })
  test('a quarter of the elements when their footprint is new, a sixteenth when it is not', () => {
    const world = worldOf()
    const costs = ['x', 'x', 'y', 'x'].map((s) => costOf(world, () => load(world, s)))
    expect(costs).toEqual([64, 16, 64, 16])
  })
  test('through pointers: a quarter, with the tiles that name them', () => {
    const world = worldOf()
    const pointers = X.addptr(
      X.splat<never, 1>({ _tag: 'paramPtr', param: 't' } as unknown as never, [256]) as unknown as X.Tile<
        never,
        1
      >,
      X.iota<1>([256], 0),
    ) as unknown as never
    // two tiles of 256 numbers, and 256 / 4; sums of pointers and numbers are free
    expect(
      costOf(world, () => prepare(environment(world, here, []), { _tag: 'gmem.loadPtr', source: pointers })),
    ).toBe(32 + 64)
  })
  test('beyond the limit it is a fault', () => {
    for (const [times, cost] of [
      [1, 64],
      [2, 80],
    ] as const)
      for (const over of [0, 1]) {
        const world = worldOf()
        world.effort.limit = world.effort.spent + cost - over
        const all = Array.from({ length: times }, () => load(world, 'x'))
        const last = all[times - 1] as Value
        expect(isFault(last) ? last.code : null).toBe(over === 0 ? null : 'fuel')
      }
  })
  test('at most so many elements, whether they are there or not', () => {
    const world = worldOf()
    const huge = (count: number): string | null => {
      const p = prepare(environment(world, here, []), {
        _tag: 'smem.load',
        source: X.reinterpret(view('x'), 'u8', right(ofTransforms([count], 8, []))) as never,
      })
      return isFault(p) ? p.code : null
    }
    expect([1024, mostElements, mostElements + 1].map(huge)).toEqual([null, 'I2', 'access.size'])
  })
})
