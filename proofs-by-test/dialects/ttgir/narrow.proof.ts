/**
 * Integers of 8 and 16 bits. Oracle: the same operations on integers of any size, taken modulo 2^n; and the bits of floats by their encoders.
 */
import { describe, expect, it } from 'vitest'
import { elaborate } from '../../../src/dialects/ttgir/elaboration/elaborate.js'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { decode, encode, encoder } from '../../../src/numerics/float-format.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { right } from '../../either.js'

const size = 128
const text = (from: string, to: string, body: string): string => `
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<${from}>, %q: !tt.ptr<${from}>, %o: !tt.ptr<${to}>) {
    %i = tt.make_range {end = ${String(size)} : i32, start = 0 : i32} : tensor<${String(size)}xi32, #b>
    %ps = tt.splat %p : !tt.ptr<${from}> -> tensor<${String(size)}x!tt.ptr<${from}>, #b>
    %pi = tt.addptr %ps, %i : tensor<${String(size)}x!tt.ptr<${from}>, #b>, tensor<${String(size)}xi32, #b>
    %x = tt.load %pi : tensor<${String(size)}x!tt.ptr<${from}>, #b>
    %qs = tt.splat %q : !tt.ptr<${from}> -> tensor<${String(size)}x!tt.ptr<${from}>, #b>
    %qi = tt.addptr %qs, %i : tensor<${String(size)}x!tt.ptr<${from}>, #b>, tensor<${String(size)}xi32, #b>
    %y = tt.load %qi : tensor<${String(size)}x!tt.ptr<${from}>, #b>
    ${body}
    %os = tt.splat %o : !tt.ptr<${to}> -> tensor<${String(size)}x!tt.ptr<${to}>, #b>
    %oi = tt.addptr %os, %i : tensor<${String(size)}x!tt.ptr<${to}>, #b>, tensor<${String(size)}xi32, #b>
    tt.store %oi, %z : tensor<${String(size)}x!tt.ptr<${to}>, #b>
    tt.return
  }
}
`
const tensorOf = (element: string): string => `tensor<${String(size)}x${element}, #b>`

/** What a body leaves in %z. */
const computed = (
  from: string,
  to: string,
  body: string,
  x: Float64Array,
  y: Float64Array,
): ReadonlyArray<number> => {
  const given = (tensor: string, role: 'in' | 'out') =>
    [tensor, { tensor, shape: [size], strides: [1], role }] as const
  const program = right(
    elaborate(right(readModule(text(from, to, body))), {
      grid: [1],
      tensors: new Map([given('p', 'in'), given('q', 'in'), given('o', 'out')]),
    }),
  )
  const { world, machine } = right(
    launch(program, bits('hopper', 'triton'), {
      scalars: new Map(),
      tensors: new Map([
        ['p', x],
        ['q', y],
      ]),
    }),
  )
  const ran = run(world, machine, settings(eager), collect)
  expect(ran.outcome).toEqual({ _tag: 'completed' })
  return [...readTensor(world, ran.machine, 'o')!]
}

it.each<readonly [string, (a: number, b: number) => number]>([
  ['muli', (a, b) => a * b],
  ['addi', (a, b) => (a + b) % 2],
  ['subi', (a, b) => Math.abs(a - b)],
])('arith.%s of truths, as of a mask times a mask', (name, of) => {
  const xs = Float64Array.from({ length: size }, (_, k) => k % 2)
  const ys = Float64Array.from({ length: size }, (_, k) => (k >> 1) % 2)
  const body = `%a = arith.trunci %x : ${tensorOf('i32')} to ${tensorOf('i1')}
    %b = arith.trunci %y : ${tensorOf('i32')} to ${tensorOf('i1')}
    %w = arith.${name} %a, %b : ${tensorOf('i1')}
    %z = arith.extui %w : ${tensorOf('i1')} to ${tensorOf('i32')}`
  expect(computed('i32', 'i32', body, xs, ys)).toEqual([...xs].map((a, k) => of(a, ys[k]!)))
})

describe.each([8, 16])('of %i bits', (n) => {
  const element = `i${String(n)}`
  const die = dice(n)
  const whole = (draw: () => number): Float64Array => Float64Array.from({ length: size }, draw)
  const edges = [0, 1, -1, 2 ** (n - 1) - 1, -(2 ** (n - 1)), 85, -86]
  const any = (): number =>
    die.below(3) === 0 ? edges[die.below(edges.length)]! : die.below(2 ** n) - 2 ** (n - 1)
  const above = (x: bigint): bigint => BigInt.asUintN(n, x)
  const [x, y] = [whole(any), whole(any)]
  const floor = (a: bigint, b: bigint): bigint => a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n)

  it.each<readonly [string, (a: bigint, b: bigint) => bigint, (() => number) | null]>([
    ['addi', (a, b) => a + b, null],
    ['subi', (a, b) => a - b, null],
    ['muli', (a, b) => a * b, null],
    ['divsi', (a, b) => a / b, () => any() || 7],
    ['remsi', (a, b) => a % b, () => any() || 7],
    ['divui', (a, b) => above(a) / above(b), () => any() || 7],
    ['remui', (a, b) => above(a) % above(b), () => any() || 7],
    ['minsi', (a, b) => (a < b ? a : b), null],
    ['maxsi', (a, b) => (a > b ? a : b), null],
    ['andi', (a, b) => a & b, null],
    ['ori', (a, b) => a | b, null],
    ['xori', (a, b) => a ^ b, null],
    ['shli', (a, b) => a << b, () => die.below(n)],
    ['shrsi', (a, b) => a >> b, () => die.below(n)],
    ['shrui', (a, b) => above(a) >> b, () => die.below(n)],
    ['ceildivsi', (a, b) => -floor(-a, b), () => any() || 7],
    ['floordivsi', floor, () => any() || 7],
    ['ceildivui', (a, b) => -floor(-above(a), above(b)), () => any() || 7],
    ['minui', (a, b) => (above(a) < above(b) ? a : b), null],
    ['maxui', (a, b) => (above(a) > above(b) ? a : b), null],
  ])('arith.%s', (name, of, second) => {
    const other = second === null ? y : whole(second)
    // one result more on top of it, so that an upper bit that is wrong comes to light
    const body = `%w = arith.${name} %x, %y : ${tensorOf(element)}
    %z = arith.extui %w : ${tensorOf(element)} to ${tensorOf('i32')}`
    expect(computed(element, 'i32', body, x, other)).toEqual(
      [...x].map((a, k) => Number(above(of(BigInt(a), BigInt(other[k]!))))),
    )
  })
  it.each<readonly [string, (a: bigint, b: bigint) => boolean]>([
    ['slt', (a, b) => a < b],
    ['ult', (a, b) => above(a) < above(b)],
    ['uge', (a, b) => above(a) >= above(b)],
    ['eq', (a, b) => a === b],
  ])('arith.cmpi %s, and a choice by it', (name, of) => {
    const body = `%c = arith.cmpi ${name}, %x, %y : ${tensorOf(element)}
    %z = arith.select %c, %x, %y : ${tensorOf('i1')}, ${tensorOf(element)}`
    expect(computed(element, element, body, x, y)).toEqual(
      [...x].map((a, k) => (of(BigInt(a), BigInt(y[k]!)) ? a : y[k]!)),
    )
  })
  it.each<readonly [string, string, (a: number) => number]>([
    ['extsi', 'i32', (a) => a],
    ['extui', 'i32', (a) => Number(above(BigInt(a)))],
    ['extsi', 'i64', (a) => a],
    ['extui', 'i64', (a) => Number(above(BigInt(a)))],
    ['sitofp', 'f32', (a) => encode('f32', a)],
    ['uitofp', 'f32', (a) => encode('f32', Number(above(BigInt(a))))],
  ])('arith.%s to %s', (name, to, of) => {
    const body = `%z = arith.${name} %x : ${tensorOf(element)} to ${tensorOf(to)}`
    expect(computed(element, to, body, x, y)).toEqual([...x].map(of))
  })
  it.each<readonly [string, (a: bigint) => bigint]>([
    ['mulsi_extended', (a) => a],
    ['mului_extended', above],
  ])('arith.%s: both halves', (name, taken) => {
    const body = (half: number): string => `%w:2 = arith.${name} %x, %y : ${tensorOf(element)}
    %z = arith.extsi %w#${String(half)} : ${tensorOf(element)} to ${tensorOf('i32')}`
    const product = [...x].map((a, k) => taken(BigInt(a)) * taken(BigInt(y[k]!)))
    expect(computed(element, 'i32', body(0), x, y)).toEqual(product.map((p) => Number(BigInt.asIntN(n, p))))
    expect(computed(element, 'i32', body(1), x, y)).toEqual(
      product.map((p) => Number(BigInt.asIntN(n, p >> BigInt(n)))),
    )
  })
  it('math.absi, whose least number stays', () => {
    const body = `%z = math.absi %x : ${tensorOf(element)}`
    expect(computed(element, element, body, x, y)).toEqual(
      [...x].map((a) => Number(BigInt.asIntN(n, BigInt(Math.abs(a))))),
    )
  })
  it.each(['fptosi', 'fptoui'])('arith.%s rounds towards zero', (name) => {
    const byHalves = Float64Array.from({ length: size }, (_, k) => encode('f32', k / 2))
    const body = `%z = arith.${name} %x : ${tensorOf('f32')} to ${tensorOf(element)}`
    expect(computed('f32', element, body, byHalves, byHalves)).toEqual(
      [...byHalves].map((_, k) => Math.floor(k / 2)),
    )
  })
  it('arith.trunci to i1 leaves the lowest bit', () => {
    const body = `%w = arith.trunci %x : ${tensorOf(element)} to ${tensorOf('i1')}
    %z = arith.extui %w : ${tensorOf('i1')} to ${tensorOf(element)}`
    expect(computed(element, element, body, x, y)).toEqual([...x].map((a) => Math.abs(a) % 2))
  })
  it('arith.trunci from i32 and i64, and what is computed from it', () => {
    const wide = whole(() => die.below(2 ** 31) - 2 ** 30)
    const body = `%w = arith.trunci %x : ${tensorOf('i32')} to ${tensorOf(element)}
    %s = arith.extsi %x : ${tensorOf('i32')} to ${tensorOf('i64')}
    %v = arith.trunci %s : ${tensorOf('i64')} to ${tensorOf(element)}
    %d = arith.subi %w, %v : ${tensorOf(element)}
    %e = arith.addi %d, %w : ${tensorOf(element)}
    %z = arith.extsi %e : ${tensorOf(element)} to ${tensorOf('i32')}`
    expect(computed('i32', 'i32', body, wide, wide)).toEqual(
      [...wide].map((a) => Number(BigInt.asIntN(n, BigInt(a)))),
    )
  })
  it.each(n === 8 ? (['f8E4M3FN', 'f8E5M2'] as const) : (['f16', 'bf16'] as const))(
    'tt.bitcast to %s and back are the same bits',
    (float) => {
      const there = `%z = tt.bitcast %x : ${tensorOf(element)} -> ${tensorOf(float)}`
      const pattern = (a: number): number => Number(above(BigInt(a)))
      expect(computed(element, float, there, x, y)).toEqual([...x].map(pattern))
      const back = `%w = tt.bitcast %x : ${tensorOf(float)} -> ${tensorOf(element)}
    %z = arith.extsi %w : ${tensorOf(element)} to ${tensorOf('i32')}`
      const patterns = Float64Array.from(x, pattern)
      expect(computed(float, 'i32', back, patterns, patterns)).toEqual([...x])
    },
  )
})

describe('between all widths', () => {
  const widths = [1, 8, 16, 32, 64]
  const name = (n: number): string => `i${String(n)}`
  const die = dice(5)
  // of every width the ends, and numbers at random
  const values = Float64Array.from({ length: size }, (_, k) =>
    k < 64
      ? die.below(2 ** 32) - 2 ** 31
      : [0, 1, -1, 127, 128, -128, -129, 255, 32767, 32768, -32769][k % 11]!,
  )
  it.each(widths.flatMap((from) => widths.filter((to) => to !== from).map((to) => [from, to] as const)))(
    'from %i bits to %i, and back to 64 either way',
    (from, to) => {
      for (const signed of [true, false]) {
        const ext = signed ? 'extsi' : 'extui'
        const step = (x: string, y: string, a: number, b: number): string =>
          a === b
            ? ''
            : `%${y} = arith.${b < a ? 'trunci' : ext} %${x} : ${tensorOf(name(a))} to ${tensorOf(name(b))}\n`
        const [first, last] = [from === 32 ? 'x' : 'v', to === 64 ? 'w' : 'z']
        const body = `${step('x', 'v', 32, from)}${step(first, 'w', from, to)}${step('w', 'z', to, 64)}`
        const as = (n: number, a: bigint): bigint => (signed ? BigInt.asIntN(n, a) : BigInt.asUintN(n, a))
        // what is loaded is an i32, and widened as it is asked
        const expected = [...values].map((x) => {
          const there = from > 32 ? as(32, BigInt(x)) : as(from, BigInt(x))
          return Number(BigInt.asIntN(64, as(to, there)))
        })
        expect(computed('i32', 'i64', body.replaceAll(`%${last} = `, '%z = '), values, values)).toEqual(
          expected,
        )
      }
    },
  )
  it.each(['i1', 'i32', 'i64'])('a value of %s that is none is zero', (type) => {
    const shown = type === 'i64' ? '%z = arith.addi %p0, %p0' : `%z = arith.extui %p0`
    const body = `%p0 = ub.poison : ${tensorOf(type)}
    ${shown} : ${tensorOf(type)}${type === 'i64' ? '' : ` to ${tensorOf('i64')}`}`
    expect(computed('i32', 'i64', body, values, values)).toEqual([...values].map(() => 0))
  })
})

describe('tt.fp_to_fp', () => {
  it.each(['f16', 'bf16'] as const)(
    'to %s, to nearest or towards zero, and beyond the largest to infinity',
    (to) => {
      const wide = Float64Array.from({ length: size }, (_, k) =>
        encode('f32', (k % 2 === 0 ? 1 : -1) * 1.00390625 ** k * 2 ** (k - 20)),
      )
      const expected = {
        rtne: [...wide].map((x) => encode(to, decode('f32', x))),
        rtz: [...wide].map((x) => encoder(to, 'rz')(decode('f32', x))),
      }
      for (const rounding of ['rtne', 'rtz'] as const) {
        const body = `%z = tt.fp_to_fp %x, rounding = ${rounding} : ${tensorOf('f32')} -> ${tensorOf(to)}`
        expect(computed('f32', to, body, wide, wide)).toEqual(expected[rounding])
      }
      expect(expected.rtne).not.toEqual(expected.rtz)
    },
  )
  const all = Float64Array.from({ length: size }, (_, k) => k)
  it.each(['bf16', 'f16', 'f32'] as const)('of an 8-bit float to %s is exact', (to) => {
    const body = `%z = tt.fp_to_fp %x : ${tensorOf('f8E4M3FN')} -> ${tensorOf(to)}`
    const found = computed('f8E4M3FN', to, body, all, all).map((pattern) => decode(to, pattern))
    expect(found).toEqual([...all].map((pattern) => decode('e4m3', pattern)))
  })
  it('to an 8-bit float is to the nearest finite one', () => {
    const wide = Float64Array.from({ length: size }, (_, k) => encode('f32', k < 64 ? 16.5 + k / 2 : 100 * k))
    const body = `%z = tt.fp_to_fp %x, rounding = rtne : ${tensorOf('f32')} -> ${tensorOf('f8E4M3FN')}`
    const found = computed('f32', 'f8E4M3FN', body, wide, wide).map((pattern) => decode('e4m3', pattern))
    // 448 is the largest; from 16 they are 2 apart, from 32 4
    expect(found.slice(64).every((v) => v === 448)).toBe(true)
    expect([found[0], found[1], found[3], found[31], found[33]]).toEqual([16, 16, 18, 32, 32])
  })
})

describe('tt.clampf', () => {
  const f32 = (x: number): number => encode('f32', x)
  const nan = 0x7fffffff
  const patterns = Float64Array.from(
    { length: size },
    (_, k) =>
      [
        f32(-8),
        f32(-2),
        f32(-0.5),
        0x80000000,
        0,
        f32(0.5),
        f32(2),
        f32(8),
        0x7f800000,
        0xff800000,
        nan,
        0xffc00000,
      ][k % 12]!,
  )
  // only what is clamped between -c and c, where a NaN is lost, gives a NaN its sign
  it.each([
    ['none', -2, 2],
    ['none', -2, 3],
    ['none', 1, 2],
    ['all', -2, 2],
    ['all', 1, 2],
  ] as const)('propagateNan = %s, from %d to %d', (how, low, high) => {
    const body = `%l = arith.constant dense<${low.toFixed(1)}> : ${tensorOf('f32')}
    %h = arith.constant dense<${high.toFixed(1)}> : ${tensorOf('f32')}
    %z = tt.clampf %x, %l, %h, propagateNan = ${how} : ${tensorOf('f32')}`
    const of = (pattern: number): number => {
      const x = decode('f32', pattern)
      if (!Number.isNaN(x)) return f32(Math.min(Math.max(x, low), high))
      if (how === 'all') return nan
      return f32(low === -high && pattern < 2 ** 31 ? high : low)
    }
    expect(computed('f32', 'f32', body, patterns, patterns)).toEqual([...patterns].map(of))
  })
})
