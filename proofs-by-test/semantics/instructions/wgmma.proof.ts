/**
 * wgmma: what a product of a warpgroup leaves in its accumulator.
 *
 * Oracle: the sum over k written out, over small whole numbers; every combination of the signs and of what it adds to.
 */
import { describe, expect, test } from 'vitest'
import { real64, unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { performMma } from '../../../src/semantics/instructions/wgmma.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { bitsOf } from '../../../src/numerics/dtype.js'
import type { MmaTypes } from '../../../src/numerics/algebra.js'
import * as Footprint from '../../../src/semantics/machine/footprint.js'
import type { Elements, WgmmaInFlight } from '../../../src/semantics/machine/operation.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { withInFlight, withPlane, type Machine } from '../../../src/semantics/machine/state.js'
import * as Ref from '../../../src/transforms/ref.js'
import { launched } from '../machine/machine-samples.js'
import { right } from '../../either.js'

const program = right(
  B.draft({ name: 'wgmma', arch: 'sm90a', agents: [B.warpgroup('wg', 0)] }, function* () {
    yield* B.registers('acc', 'wg', 'f32', [64, 8])
  }),
)
const { world, machine } = launched(program, real64)
const planes = ['smem', 'acc'].map((name) => world.header.planes.findIndex((p) => p.name === name))
const [m, n, k] = [3, 2, 4] as const
const lay = (plane: number, at: number, dtype: Dtype, shape: readonly [number, number]): Elements =>
  Footprint.ofLayout(
    world.footprints,
    plane,
    dtype,
    right(Ref.ofStrides(shape, bitsOf(dtype), [shape[1], 1])),
    at,
  )
const value = (of: number, i: number): number => ((i * 13 + of * 7) % 11) - 5
const flight = (
  types: MmaTypes,
  accumulates: boolean,
  negateA: boolean,
  negateB: boolean,
): WgmmaInFlight => ({
  _tag: 'wgmma',
  id: 2,
  agent: 0,
  at: 4,
  stamp: { agent: 0, at: 4, site: 0, iteration: [] },
  group: 1,
  mma: {
    _tag: 'wgmma.mma',
    a: lay(planes[0]!, 0, types.a, [m, k]),
    b: lay(planes[0]!, 1024, types.b, [k, n]),
    accumulator: lay(planes[1]!, 0, types.acc, [m, n]),
    types,
    m,
    n,
    k,
    accumulates,
    negateA,
    negateB,
  },
})
const floats = { a: 'f16', b: 'bf16', acc: 'f32' } as const

describe('D = [D +] (+-A) (+-B)', () => {
  const cases = [false, true].flatMap((adds) =>
    [false, true].flatMap((negateA) => [false, true].map((negateB) => [adds, negateA, negateB] as const)),
  )
  test.each(cases)('adds %s, negates A %s, negates B %s', (adds, negateA, negateB) => {
    const f = flight(floats, adds, negateA, negateB)
    const other = { ...f, id: 3 }
    const { a, b, accumulator } = f.mma
    const before = [a, b, accumulator].reduce<Machine>(
      (now, e, of) =>
        withPlane(
          now,
          e.plane,
          Plane.write(
            now.planes[e.plane]!,
            e,
            Float64Array.from(e.offsets, (_, i) => value(of, i)),
            null,
          ),
        ),
      withInFlight(machine, [f, other]),
    )
    const done = performMma(world, before, f)
    const found = Plane.read(done.machine.planes[planes[1]!]!, accumulator).data!
    const sign = negateA === negateB ? 1 : -1
    const wanted = Array.from({ length: m * n }, (_, i) => {
      const [row, column] = [Math.floor(i / n), i % n]
      let sum = adds ? value(2, i) : 0
      for (let s = 0; s < k; s++) sum += sign * value(0, row * k + s) * value(1, s * n + column)
      return sum
    })
    expect([...found].map((x) => x + 0)).toEqual(wanted.map((x) => x + 0))
    expect(done.machine.inFlight).toEqual([other])
    // what it reads stays as it is
    expect(done.machine.planes[planes[0]!]).toBe(before.planes[planes[0]!])
    expect(done.events.flatMap((e) => (e._tag === 'access' ? [`${e.rw} ${e.role}`] : []))).toEqual([
      'r a',
      'r b',
      ...(adds ? ['r accumulator'] : []),
      'w accumulator',
    ])
  })
  test('an algebra without data: the planes stay as they are', () => {
    const empty = launched(program, unit)
    const f = flight(floats, true, true, true)
    const done = performMma(empty.world, withInFlight(empty.machine, [f]), f)
    expect(done.machine.planes).toEqual(empty.machine.planes)
    expect(done.machine.inFlight).toEqual([])
  })
})
