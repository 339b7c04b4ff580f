/** Launching: what is refused, in its words, and tensors of any size that come out as they went in. Oracle: by hand. */
import { describe, expect, it, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { bits } from '../../src/numerics/bits.js'
import { real64 } from '../../src/numerics/real64.js'
import { unit } from '../../src/numerics/unit.js'
import type { Algebra } from '../../src/numerics/algebra.js'
import * as B from '../../src/semantics/builder.js'
import * as X from '../../src/semantics/expression.js'
import { launch, noArguments, readTensor, type Arguments } from '../../src/semantics/launch.js'
import { mostPlaneBytes } from '../../src/semantics/limits.js'
import type { Dtype } from '../../src/numerics/dtype.js'
import type { Program } from '../../src/semantics/program.js'
import { right } from './machine-samples.js'

type Shape = Parameters<typeof B.draft>[0]
/** A program that does nothing, with parameters. */
type Body = Generator<B.Step, void, B.State>
const idle = (parameters: () => Body, head: Partial<Shape> = {}): Program =>
  right(
    B.draft({ name: 'idle', arch: 'sm90a', agents: [B.warp('w', 0)], ...head }, function* () {
      yield* parameters()
    }),
  )
const told = (program: Program, more: Partial<Arguments> = {}, algebra: Algebra = unit): string => {
  const said = launch(program, algebra, { ...noArguments, ...more })
  return E.isLeft(said) ? `${said.left.code}: ${said.left.message}` : 'launched'
}
const nothing = function* (): Body {
  yield* []
}

describe('a grid', () => {
  const of = (grid: ReadonlyArray<number>, cluster: ReadonlyArray<number> = []): string =>
    told(idle(nothing, { grid, cluster }))
  test('is made of whole clusters, in every dimension', () => {
    expect(of([4, 6], [2, 3])).toBe('launched')
    expect(of([4, 6], [2])).toBe('launched')
    expect(of([3], [2])).toBe(
      "launch.grid: grid dimension 0 is 3: expected a positive multiple of the cluster's 2",
    )
    expect(of([4, 4], [2, 3])).toBe(
      "launch.grid: grid dimension 1 is 4: expected a positive multiple of the cluster's 3",
    )
    expect(of([4, 0], [2])).toBe(
      "launch.grid: grid dimension 1 is 0: expected a positive multiple of the cluster's 1",
    )
    expect(of([-4], [2])).toBe(
      "launch.grid: grid dimension 0 is -4: expected a positive multiple of the cluster's 2",
    )
  })
})

test('a grid is so many clusters, of which at most those run together', () => {
  const of = (
    grid: ReadonlyArray<number>,
    cluster: ReadonlyArray<number>,
    resident?: number,
  ): ReadonlyArray<number> => {
    const { world } = right(
      launch(idle(nothing, { grid, cluster }), unit, {
        ...noArguments,
        ...(resident === undefined ? {} : { resident }),
      }),
    )
    return [world.clusterCount, world.ctas, world.resident]
  }
  expect(of([4, 6], [2, 3])).toEqual([4, 6, 1])
  expect(of([4, 6], [2])).toEqual([12, 2, 1])
  expect(of([4, 6], [])).toEqual([24, 1, 1])
  expect(of([4, 6], [2, 3], 3)).toEqual([4, 6, 3])
  expect(of([4, 6], [2, 3], 9)).toEqual([4, 6, 4])
})

describe('parameters', () => {
  const tensor = (
    dtype: Dtype,
    shape: ReadonlyArray<number | X.Int>,
    strides?: ReadonlyArray<number | X.Int>,
    role: 'in' | 'out' = 'in',
  ) =>
    function* (): Body {
      yield* B.tensorParam('t', dtype, shape, strides === undefined ? { role } : { role, strides })
    }
  const of = (dtype: Dtype, shape: ReadonlyArray<number | X.Int>, strides?: ReadonlyArray<number>): string =>
    told(idle(tensor(dtype, shape, strides)))

  test('a scalar has a value', () => {
    const scalar = idle(function* (): Body {
      yield* B.scalarParam('n', 'i32')
    })
    expect(told(scalar)).toBe('launch.scalar: scalar parameter n (i32) has no value')
    expect(told(scalar, { scalars: new Map([['n', 3]]) })).toBe('launched')
  })
  test('a shape is of integers, and of bytes that a plane can have', () => {
    expect(of('f16', [4, 4])).toBe('launched')
    expect(of('f16', [4, X.i1(true) as never])).toBe('launch.shape: shape of t: expected an i32, found i1')
    expect(of('f16', [4, 4], [4, X.i1(true) as never])).toBe(
      'launch.shape: strides of t: expected an i32, found i1',
    )
    expect(of('f16', [4, X.name<'i32'>('n')])).toMatch(/^launch\.shape: shape of t: expected an i32, found /)
    expect(of('f16', [0, 4])).toMatch(/^launch\.shape: tensor t: /)
    expect(of('f16', [4, 4], [4, -1])).toMatch(/^launch\.shape: tensor t: /)
    expect(of('f16', [2 ** 15, 2 ** 15])).toBe(
      `launch.shape: tensor t: expected at most ${String(mostPlaneBytes)} bytes, found ${String(2 ** 31)}`,
    )
    // the last element counts, wherever the strides put it
    expect(of('e4m3', [2, 2], [mostPlaneBytes - 2, 1])).toBe('launched')
    expect(of('e4m3', [2, 2], [mostPlaneBytes - 1, 1])).toBe(
      `launch.shape: tensor t: expected at most ${String(mostPlaneBytes)} bytes, found ${String(mostPlaneBytes + 1)}`,
    )
  })
  test('contents are of a tensor that is there, and of as many elements', () => {
    const program = idle(tensor('f16', [3, 4]))
    const given = (name: string, count: number): string =>
      told(program, { tensors: new Map([[name, new Float64Array(count)]]) }, real64)
    expect(given('t', 12)).toBe('launched')
    expect(given('u', 12)).toBe('launch.tensor: there is no tensor parameter u')
    for (const count of [11, 13, 0])
      expect(given('t', count)).toBe(
        `launch.tensor: tensor t: expected 12 elements for shape (3, 4), found ${String(count)}`,
      )
  })

  interface Seen {
    readonly dtype?: Dtype
    readonly dims?: ReadonlyArray<number>
    readonly strides?: ReadonlyArray<number>
    readonly fill?: 'zero' | 'nan'
    readonly of?: string
  }
  const seen = ({ dtype = 'f16', of: name, ...options }: Seen): string => {
    const program = idle(function* (): Body {
      const t = yield* B.tensorParam('t', dtype, [64, 64], { role: 'in' })
      yield* B.descriptorParam('map', t, [8, 8], options)
    })
    return told({
      ...program,
      params: program.params.map((p) =>
        p._tag === 'descriptor' && name !== undefined ? { ...p, tensor: name } : p,
      ),
    })
  }
  test('a descriptor sees a tensor that is there, and no more of it than there is', () => {
    expect(seen({})).toBe('launched')
    expect(seen({ of: 'u' })).toBe('launch.descriptor: descriptor map: no tensor parameter u')
    expect(seen({ dims: [64, 64], strides: [64, 1] })).toBe('launched')
    expect(seen({ dims: [65, 64], strides: [64, 1] })).toBe(
      'launch.descriptor: descriptor map sees 8320 bytes of t, which has 8192',
    )
    expect(seen({ dims: [64, 65], strides: [64, 1] })).toBe(
      'launch.descriptor: descriptor map sees 8194 bytes of t, which has 8192',
    )
    expect(seen({ dtype: 'e4m3', dims: [64, 65], strides: [64, 1] })).toBe(
      'launch.descriptor: descriptor map sees 4097 bytes of t, which has 4096',
    )
  })
  test('NaN is there for floats of 16 or 32 bits', () => {
    for (const dtype of ['f16', 'bf16', 'f32', 'tf32'] as const)
      expect(seen({ dtype, fill: 'nan' })).toBe('launched')
    for (const dtype of ['e4m3', 'e5m2', 'i8', 'u8', 'i32', 'u16'] as const) {
      expect(seen({ dtype, fill: 'nan' })).toBe(
        `launch.descriptor: descriptor map: a tensor map fills floats of 16 or 32 bits with NaN, found ${dtype}`,
      )
      expect(seen({ dtype })).toBe('launched')
    }
  })
})

describe('a tensor comes out as it went in', () => {
  // below and above what is written at once, in rows that divide it and that do not, one long row, wide and narrow elements, any strides
  const cases: ReadonlyArray<readonly [Dtype, ReadonlyArray<number>, ReadonlyArray<number>?]> = [
    ['f16', [7, 5]],
    ['f16', [5, 7], [1, 5]],
    ['f16', [1024, 600]],
    ['f16', [600, 1024], [1030, 1]],
    ['f16', [600, 1024], [1, 600]],
    ['f32', [2 ** 19 + 3]],
    ['e4m3', [3, 2 ** 18 + 8]],
    ['e2m1', [1030, 512]],
    ['e2m1', [1030, 513]],
    ['f16', [5, 300, 301]],
    ['f16', [2 ** 18 + 1, 1]],
    ['f16', [2 ** 18, 1]],
    ['f16', [2 ** 9, 2 ** 9 + 1]],
  ]
  it.each(
    cases.map(
      (c) => [`${c[0]} of ${c[1].join(' x ')}, strides ${c[2]?.join(', ') ?? 'its own'}`, c] as const,
    ),
  )('%s', (_, [dtype, shape, strides]) => {
    const algebra = bits('hopper')
    const program = idle(function* (): Body {
      yield* B.tensorParam('before', 'f16', [3], { role: 'in' })
      yield* B.tensorParam(
        't',
        dtype,
        shape,
        strides === undefined ? { role: 'in' } : { role: 'in', strides },
      )
    })
    const count = shape.reduce((n, d) => n * d, 1)
    const most = { f16: 0x7bff, f32: 0x7f7fffff, e4m3: 0x7e, e2m1: 7 }[dtype as 'f16']
    const data = Float64Array.from({ length: count }, (_, i) => (i * 40503 + (i >> 7)) % (most + 1))
    const l = right(launch(program, algebra, { ...noArguments, tensors: new Map([['t', data]]) }))
    const out = readTensor(l.world, l.machine, 't')!
    expect(out.length).toBe(count)
    expect(out.findIndex((x, i) => x !== data[i])).toBe(-1)
    expect(readTensor(l.world, l.machine, 'nobody')).toBeNull()
    expect([...readTensor(l.world, l.machine, 'before')!]).toEqual([0xffff, 0xffff, 0xffff])
  })
  test('an algebra that keeps no data gives none', () => {
    const program = idle(function* (): Body {
      yield* B.tensorParam('t', 'f16', [3], { role: 'in' })
    })
    const l = right(launch(program, unit, noArguments))
    expect(readTensor(l.world, l.machine, 't')).toBeNull()
  })
})
