/** Every function of libdevice that a module may call, and every one of the dialect of mathematics, is the one of its name: against the functions of the host's mathematics, on numbers where all differ. */
import { expect, test } from 'vitest'
import { encoder, decoder } from '../../../src/numerics/float-format.js'
import { running, worldOf } from '../../oracle/world.js'
import { inMemory } from '../../oracle/disk.js'

/** erf by its series. */
const erf = (x: number): number => {
  let term = x
  let sum = x
  for (let n = 1; n < 60; n++) {
    term *= (-x * x) / n
    sum += term / (2 * n + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * sum
}

const functions: ReadonlyArray<readonly [string, (x: number) => number]> = [
  ['__nv_expf', Math.exp],
  ['__nv_exp2f', (x) => 2 ** x],
  ['__nv_expm1f', Math.expm1],
  ['__nv_logf', Math.log],
  ['__nv_log2f', Math.log2],
  ['__nv_log1pf', Math.log1p],
  ['__nv_sinf', Math.sin],
  ['__nv_cosf', Math.cos],
  ['__nv_tanhf', Math.tanh],
  ['__nv_erff', erf],
  ['__nv_truncf', Math.trunc],
  ['__nv_roundf', Math.round],
  ['__nv_sqrtf', Math.sqrt],
  ['__nv_rsqrtf', (x) => 1 / Math.sqrt(x)],
  ['__nv_fast_log2f', Math.log2],
  ['__nv_fast_sinf', Math.sin],
  ['__nv_fast_cosf', Math.cos],
]

const operations: ReadonlyArray<readonly [string, (x: number) => number]> = [
  ['math.absf', Math.abs],
  ['math.ceil', Math.ceil],
  ['math.cos', Math.cos],
  ['math.erf', erf],
  ['math.exp', Math.exp],
  ['math.exp2', (x) => 2 ** x],
  ['math.floor', Math.floor],
  ['math.log', Math.log],
  ['math.log2', Math.log2],
  ['math.rsqrt', (x) => 1 / Math.sqrt(x)],
  ['math.sin', Math.sin],
  ['math.sqrt', Math.sqrt],
  ['math.tanh', Math.tanh],
  ['tt.precise_sqrt', Math.sqrt],
]

const count = 32
const xs = Float64Array.from({ length: count }, (_, i) => 0.3125 + i / 16)

const called = (symbol: string): string =>
  `tt.extern_elementwise %c {libname = "", libpath = "", pure = true, symbol = "${symbol}"} : (tensor<32xf32, #l>) -> tensor<32xf32, #l>`

const module = (operation: string): string => `
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #l>
    %a = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #l>
    %b = tt.addptr %a, %r : tensor<32x!tt.ptr<f32>, #l>, tensor<32xi32, #l>
    %c = tt.load %b : tensor<32x!tt.ptr<f32>, #l>
    %d = ${operation}
    %e = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #l>
    %g = tt.addptr %e, %r : tensor<32x!tt.ptr<f32>, #l>, tensor<32xi32, #l>
    tt.store %g, %d : tensor<32x!tt.ptr<f32>, #l>
    tt.return
  }
}
`

const npy = (values: Float64Array): Uint8Array => {
  const says = `{'descr': '<f4', 'fortran_order': False, 'shape': (${String(values.length)},), }`
  const header = says.padEnd(117) + '\n'
  const bytes = new Uint8Array(10 + header.length + 4 * values.length)
  bytes.set([0x93, 78, 85, 77, 80, 89, 1, 0, header.length, 0])
  bytes.set(new TextEncoder().encode(header), 10)
  const view = new DataView(bytes.buffer)
  values.forEach((x, i) => {
    view.setUint32(10 + header.length + 4 * i, encoder('f32')(x), true)
  })
  return bytes
}

const results = async (operation: string, given: Float64Array): Promise<ReadonlyArray<number>> => {
  const files = new Map([
    ['f.ttgir', new TextEncoder().encode(module(operation))],
    ['x.npy', npy(given)],
  ])
  const disk = inMemory(files)
  const ran = await running(worldOf(disk))(
    ...['run', 'f.ttgir', '--grid', '1', '--arg', 'x=x.npy', 'y=f32[32]:out', '--out', 'y=y.npy'],
  )
  expect([ran.status, ran.stderr]).toEqual([0, ''])
  const bytes = files.get('y.npy')!
  const view = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4 * count)
  return [...given].map((_, i) => decoder('f32')(view.getUint32(4 * i, true)))
}

const computes = async (operation: string, exactly: (x: number) => number): Promise<void> => {
  const got = await results(operation, xs)
  xs.forEach((x, i) => {
    expect(Math.abs(got[i]! - exactly(x)), `of ${String(x)}`).toBeLessThan(2e-6 + 2e-6 * Math.abs(exactly(x)))
  })
}

test.each(functions)('%s', (symbol, exactly) => computes(called(symbol), exactly))

test.each(operations)('%s', (name, exactly) => computes(`${name} %c : tensor<32xf32, #l>`, exactly))

/** Zeros, halves, the neighbours of a half, where halves end, where all numbers are whole, and the infinities. */
const positive = [
  ...[0, 2 ** -140, 0.25, 0.5 - 2 ** -25, 0.5, 0.5 + 2 ** -24, 1, 1.5, 2.5],
  ...[2 ** 22 - 0.5, 2 ** 22 + 0.5, 2 ** 23 - 1, 2 ** 23 - 0.5, 2 ** 23, 2 ** 23 + 1, Infinity],
]
/** Of two whole numbers as near the one further from zero, by the number behind the point. */
const roundedAway = (x: number): number => {
  const magnitude = Math.abs(x)
  const whole = Math.floor(magnitude)
  const nearest = magnitude - whole >= 0.5 ? whole + 1 : whole
  return x < 0 || Object.is(x, -0) ? -nearest : nearest
}

test.each<readonly [string, (x: number) => number]>([
  ['__nv_truncf', Math.trunc],
  ['__nv_roundf', (x) => (Number.isFinite(x) ? roundedAway(x) : x)],
])('%s is exact, signs of zeros included', async (symbol, exactly) => {
  const given = Float64Array.from([...positive, ...positive.map((x) => -x)], Math.fround)
  expect(await results(called(symbol), given)).toEqual([...given].map(exactly))
})
