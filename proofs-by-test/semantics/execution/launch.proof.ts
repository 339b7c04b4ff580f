/**
 * Launching: what is refused, in its words; what the header, the world and the first machine say of a program with one of everything, and the machine of the
 * next wave; tensors of any size that come out as they went in. Oracle: by hand.
 */
import { describe, expect, it, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { bits } from '../../../src/numerics/bits.js'
import { real64 } from '../../../src/numerics/real64.js'
import { unit } from '../../../src/numerics/unit.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import {
  launch,
  nextWave,
  noArguments,
  readTensor,
  smemBytes,
  tmemBytes,
  type Arguments,
  type Launched,
} from '../../../src/semantics/execution/launch.js'
import { mostBarriers, mostPlaneBytes } from '../../../src/semantics/language/limits.js'
import { withTensormaps, withWave } from '../../../src/semantics/machine/state.js'
import type { DescriptorValue } from '../../../src/semantics/machine/value.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { boxElements } from '../../../src/semantics/instructions/tma/box.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import { instanceOf, kernelNamed } from '../../../src/kernels/index.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

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
      `launch.bytes: tensor t: expected at most ${String(mostPlaneBytes)} bytes, found ${String(2 ** 31)}`,
    )
    // the last element counts, wherever the strides put it
    expect(of('e4m3', [2, 2], [mostPlaneBytes - 2, 1])).toBe('launched')
    expect(of('e4m3', [2, 2], [mostPlaneBytes - 1, 1])).toBe(
      `launch.bytes: tensor t: expected at most ${String(mostPlaneBytes)} bytes, found ${String(mostPlaneBytes + 1)}`,
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
    sampled(5, cases).map(
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

describe('barriers and shared memory', () => {
  const of = (
    counts: ReadonlyArray<number>,
    head: Partial<Shape> = {},
    more: Partial<Arguments> = {},
  ): string =>
    told(
      idle(function* (): Body {
        for (const [k, count] of counts.entries()) yield* B.barriers(`b${String(k)}`, [count])
      }, head),
      more,
    )
  test('there are so many barriers, of one storage and of all that are resident', () => {
    expect(mostBarriers).toBe(4096)
    expect(of([4096])).toBe('launched')
    expect(of([4097])).toBe('launch.barriers: storage b0: expected at most 4096 barriers, found 4097')
    expect(of([4000, 96])).toBe('launched')
    expect(of([4000, 97])).toBe(
      'launch.barriers: expected at most 4096 barriers in the clusters that are resident together, found 4097',
    )
    expect(of([512], { grid: [8], cluster: [2] }, { resident: 4 })).toBe('launched')
    expect(of([513], { grid: [8], cluster: [2] }, { resident: 4 })).toBe(
      'launch.barriers: expected at most 4096 barriers in the clusters that are resident together, found 4104',
    )
    expect(of([513], { grid: [8], cluster: [2] })).toBe('launched')
  })
  test('what has no place is refused', () => {
    const wide = idle(function* (): Body {
      yield* B.sharedMemory('x', 'u8', [smemBytes + 1])
    })
    expect(told(wide)).toMatch(/^launch\.place: idle: a CTA has 232448 bytes of shared memory/)
  })
})

describe('a program with one of everything, three clusters of two CTAs', () => {
  const program = right(
    B.kernel(
      {
        name: 'all',
        arch: 'sm100a',
        grid: [6],
        cluster: [2],
        agents: [{ ...B.warpgroup('a', 0), registers: 64 }, B.warp('b', 4)],
      },
      function* () {
        const given = yield* B.tensorParam('given', 'f16', [4, 8], { role: 'in' })
        yield* B.tensorParam('made', 'f32', [2, 3], { role: 'out' })
        yield* B.scalarParam('n', 'i32')
        yield* B.descriptorParam('map', given, [2, 8], { fill: 'nan' })
        yield* B.sharedMemory('x', 'i32', [4])
        yield* B.barriers('one', [], { contract: 'pallas' })
        yield* B.barriers('two', [2], { ordersTensorCore: true })
        yield* B.registers('acc', 'a', 'f32', [64, 64])
        yield* B.registers('other', 'b', 'f32', [1, 64])
        yield* B.tensorMemory('d', 'f32', [128, 64])
        yield* B.run('a fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
        yield* B.fork('fork', { agent: 'a', captures: {}, body: () => B.of(undefined) }, [
          B.branch('b', {}, function* () {
            yield* B.run('another', { _tag: 'fence.proxyAsync', scope: 'cta' })
          }),
        ])
      },
    ),
  )
  const at = (resident: number, more: Partial<Arguments> = {}): Launched =>
    right(
      launch(program, real64, {
        scalars: new Map([['n', 5]]),
        tensors: new Map([['given', Float64Array.from({ length: 32 }, (_, k) => k)]]),
        resident,
        ...more,
      }),
    )
  test('planes: global memory, then those of each CTA', () => {
    const l = at(2)
    const { header } = l.world
    const plane = (space: string, name: string, bytes: number, more: object = {}): object => ({
      space,
      name,
      bytes,
      initialised: false,
      ...more,
    })
    expect(header.planes).toEqual([
      plane('gmem', 'given', 64, { initialised: true, output: false }),
      plane('gmem', 'made', 24, { output: true }),
      ...[0, 1, 2, 3].flatMap((cta) => [
        plane('smem', 'smem', 227 * 1024, { cta }),
        plane('tmem', 'tmem', 128 * 512 * 4, { cta }),
        plane('regs', 'acc', 64 * 64 * 4, { cta, agent: 2 * cta }),
        plane('regs', 'other', 64 * 4, { cta, agent: 2 * cta + 1 }),
      ]),
    ])
    expect([smemBytes, tmemBytes]).toEqual([227 * 1024, 128 * 512 * 4])
    expect(l.world.planeBytes).toEqual(header.planes.map((p) => p.bytes))
    expect(l.machine.planes.map((p) => p.size)).toEqual(header.planes.map((p) => p.bytes))
    expect([l.world.planesPerCta, l.world.barriersPerCta]).toEqual([4, 3])
  })
  test('agents and barriers, of each CTA; a barrier alone has no number', () => {
    const { header } = at(2).world
    expect(header.agents).toEqual(
      [0, 1, 2, 3].flatMap((cta) => [
        { name: 'a', cta, warps: 4, firstWarp: 0, starts: true },
        { name: 'b', cta, warps: 1, firstWarp: 4, starts: false },
      ]),
    )
    const barrier = (name: string, cta: number, address: number): object => ({
      name,
      cta,
      contract: name === 'one' ? 'pallas' : 'ptx',
      ordersTensorCore: name !== 'one',
      plane: 2 + 4 * cta,
      address,
    })
    // behind the 16 bytes of x
    expect(header.barriers).toEqual(
      [0, 1, 2, 3].flatMap((cta) => [
        barrier('one', cta, 16),
        barrier('two[0]', cta, 24),
        barrier('two[1]', cta, 32),
      ]),
    )
  })
  test('the rest of the header, and of the world', () => {
    const l = at(2)
    const { header } = l.world
    expect(header).toMatchObject({ arch: 'sm100a', program: 'all', ctas: 4, resident: 2, computes: null })
    expect(header.tensors).toEqual([
      { name: 'given', plane: 0, dtype: 'f16', shape: [4, 8], strides: [8, 1] },
      { name: 'made', plane: 1, dtype: 'f32', shape: [2, 3], strides: [3, 1] },
    ])
    expect(l.world).toMatchObject({
      grid: [6],
      cluster: [2],
      clusters: [3],
      clusterCount: 3,
      ctas: 2,
      resident: 2,
      agentsPerCta: 2,
      grants: Infinity,
      tensorPipe: 'issueOrder',
    })
    expect(at(2, { grants: 3, tensorPipe: 'documented' }).world).toMatchObject({
      grants: 3,
      tensorPipe: 'documented',
    })
    expect(
      right(
        launch({ ...program, computes: { _tag: 'copy', from: 'given', out: 'made' } }, unit, {
          ...noArguments,
          scalars: new Map([['n', 5]]),
        }),
      ).world.header.computes,
    ).toEqual({ _tag: 'copy', from: 'given', out: 'made' })
  })
  test('storages: the planes of the first CTA, offsets, the first of their barriers', () => {
    const l = at(2)
    const where = [...l.world.storages.values()].map((s) => [
      s.id,
      s.space,
      s.plane,
      s.offset,
      s.contents._tag === 'barriers' ? s.contents.first : s.contents.dtype,
    ])
    expect(where).toEqual([
      ['x', 'smem', 2, 0, 'i32'],
      ['one', 'smem', 2, 16, 0],
      ['two', 'smem', 2, 24, 1],
      ['acc', 'regs', 4, 0, 'f32'],
      ['other', 'regs', 5, 0, 'f32'],
      ['d', 'tmem', 3, 0, 'f32'],
    ])
    expect(l.world.descriptors.get('map')).toMatchObject({
      plane: 0,
      base: 0,
      dtype: 'f16',
      dims: [4, 8],
      strides: [8, 1],
      box: [2, 8],
      fill: 'nan',
      map: null,
    })
  })
  test('the first machine: two clusters, who starts stands before its first effect, nothing else has happened', () => {
    const l = at(2)
    const { machine: m } = l
    expect(m.wave).toEqual({ clusters: [0, 1], next: 2, requests: 0, refused: [false, false] })
    expect(m.agents.map((a) => [a.status, a.at, a.ready?._tag ?? null])).toEqual(
      [0, 1, 2, 3].flatMap(() => [
        ['running', 1, 'do'],
        ['idle', 1, null],
      ]),
    )
    expect(m.barriers).toEqual(new Array(12).fill(null))
    expect(m.tensorMemory).toEqual(
      new Array(4).fill({ allocated: [], largest: 512, relinquished: false, ahead: [], outOfStep: false }),
    )
    expect([m.named, m.responses, m.tensormaps, m.inFlight, m.issued, m.values, m.edit]).toEqual([
      [],
      [],
      [],
      [],
      0,
      0,
      null,
    ])
    // 64 for the four warps that ask for it; the fifth shares what is left with nobody, and no thread has more than 256
    const share = [64, 64, 64, 64, 256, ...new Array<number>(27).fill(0)]
    expect(m.registers).toEqual([0, 1, 2, 3].flatMap(() => share))
    expect([...readTensor(l.world, m, 'given')!]).toEqual(Array.from({ length: 32 }, (_, k) => k))
  })
  test('the next wave: the cluster that is left, global memory handed on, all else fresh; then none', () => {
    const l = at(2)
    const { header } = l.world
    const map = l.world.descriptors.get('map') as DescriptorValue
    const before = withTensormaps(
      withWave(l.machine, { ...l.machine.wave, requests: 7, refused: [true, false] }),
      [map],
    )
    const next = nextWave(l.world, before)!
    expect(next.wave).toEqual({ clusters: [2, -1], next: 3, requests: 7, refused: [false, false] })
    expect(next.agents.map((a) => a.status)).toEqual([
      ...['running', 'idle', 'running', 'idle'],
      ...['idle', 'idle', 'idle', 'idle'],
    ])
    expect(next.planes.map((p, k) => p === before.planes[k])).toEqual(header.planes.map((_, k) => k < 2))
    expect(next.planes.map((p) => p.size)).toEqual(header.planes.map((p) => p.bytes))
    expect(next.tensormaps).toEqual([map])
    expect(nextWave(l.world, next)).toBeNull()
    // one after another
    const one = at(1)
    const second = nextWave(one.world, one.machine)!
    const third = nextWave(one.world, second)!
    expect([one.machine, second, third].map((m) => m.wave.clusters)).toEqual([[0], [1], [2]])
    expect(nextWave(one.world, third)).toBeNull()
    // all together
    const all = at(3)
    expect(all.machine.wave).toMatchObject({ clusters: [0, 1, 2], next: 3 })
    expect(nextWave(all.world, all.machine)).toBeNull()
  })
})

test('a chip without tensor memory has no plane of it', () => {
  const { world } = right(launch(idle(nothing), unit, noArguments))
  expect(world.header.planes.map((p) => p.space)).toEqual(['smem'])
  const newer = right(launch(idle(nothing, { arch: 'sm100a' }), unit, noArguments))
  expect(newer.world.header.planes.map((p) => p.space)).toEqual(['smem', 'tmem'])
})

test('an algebra that keeps no data keeps the tensors that count: zeros, but what is an output has nothing', () => {
  const of = (signals: boolean): ReadonlyArray<unknown> => {
    const program = right(
      B.kernel({ name: 'counts', arch: 'sm90a', agents: [B.warp('w', 0)] }, function* () {
        const c = yield* B.tensorParam('c', 'i32', [3], { role: 'inout' })
        yield* B.tensorParam('d', 'u32', [2], { role: 'out' })
        yield* B.tensorParam('e', 'f32', [2], { role: 'inout' })
        if (signals)
          yield* B.run('signal', { _tag: 'semaphore.signal', at: c.ptr, value: X.i32(1), scope: 'gpu' })
      }),
    )
    const l = right(launch(program, unit, noArguments))
    return ['c', 'd', 'e'].map((name) => {
      const plane = l.machine.planes[l.world.tensors.get(name)!.plane]!
      return plane._tag === 'none' ? null : [...(readTensor(l.world, l.machine, name) ?? [])]
    })
  }
  expect(of(false)).toEqual([null, null, null])
  const [c, d, e] = of(true)
  expect([c, e]).toEqual([[0, 0, 0], null])
  // nothing is not zero
  expect(d).not.toEqual([0, 0])
})

describe('a second launch of one program', () => {
  const made = (): Program => {
    const kernel = right(kernelNamed('hopper-matmul'))
    return right(instanceOf(kernel, { m: 64, n: 32, k: 48 }, [])).program
  }
  const launched = (program: Program): Launched => right(launch(program, unit, noArguments))
  const sides = ({ world }: Launched) =>
    ['a', 'b'].map((name) => {
      const box = boxElements(
        world,
        [...world.descriptors.values()].find((d) => d.plane === world.tensors.get(name)!.plane)!,
        [0, 0],
      )
      if (isFault(box)) throw new Error(box.message)
      return box.offsets
    })
  test('has what the first has listed, and stores and effort of its own', () => {
    const program = made()
    const [first, second] = [launched(program), launched(program)]
    expect(second.world.front).toBe(first.world.front)
    for (const [name, t] of first.world.tensors) expect(second.world.tensors.get(name)!.layout).toBe(t.layout)
    sides(first).forEach((offsets, i) => expect(sides(second)[i]).toBe(offsets))
    expect(second.world.footprints).not.toBe(first.world.footprints)
    expect(second.world.effort).not.toBe(first.world.effort)
    const other = launched(made())
    expect(other.world.front).not.toBe(first.world.front)
    expect(other.world.front.sites).toEqual(first.world.front.sites)
  })
})
