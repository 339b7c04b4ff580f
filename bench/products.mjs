/**
 * Matrix products on one core: multiply-adds a second of processor time, of each arithmetic by its definition and in vectors, beside the naive
 * triple loop in JavaScript.
 */
import { randomPatterns } from '../dist/kernels/reference-inputs.js'
import * as fast from '../dist/fast/index.js'
import { engine, placed, reserve } from '../dist/fast/engine.js'
import { bits } from '../dist/numerics/bits.js'
import { elementOf, field } from '../dist/numerics/field.js'
import { inTurns, table } from './measure.mjs'

const cube = (n) => ({ m: n, n, k: n })
const size = ({ m, n, k }) => m * n * k
/** For definitions, which take some milliseconds for it. */
const small = { m: 64, n: 64, k: 128 }
const large = cube(512)

/** c += a b, as everybody writes it first. */
export const naive = ({ m, n, k }) => {
  const a = Float64Array.from({ length: m * k }, (_, i) => (i % 17) - 8)
  const b = Float64Array.from({ length: k * n }, (_, i) => (i % 13) - 6)
  const c = new Float64Array(m * n)
  return () => {
    for (let i = 0; i < m; i++)
      for (let p = 0; p < k; p++) {
        const x = a[i * k + p]
        for (let j = 0; j < n; j++) c[i * n + j] += x * b[p * n + j]
      }
    return c
  }
}

const product = (algebra, types, shape, element) => {
  const mma = algebra.mma(types, shape)
  if (mma._tag === 'None') throw new Error(`no product of ${types.a}`)
  const a = element(types.a, 0, shape.m * shape.k)
  const b = element(types.b, 1, shape.k * shape.n)
  const c = new Float64Array(shape.m * shape.n)
  return () => mma.value(a, b, c)
}
const patterns = (dtype, tensor, count) => randomPatterns(dtype, 0, tensor, count)
const integers = (_, tensor, count) =>
  Float64Array.from({ length: count }, (_x, i) => (elementOf(0, tensor, i) % 256) - 128)
const residues = (_, tensor, count) =>
  Float64Array.from({ length: count }, (_x, i) => elementOf(0, tensor, i))

/** The f32 kernel alone: its operands stand where it wants them. */
const kernelOfF32 = ({ m, n, k }) => {
  const e = engine()
  const [A, B, D, end] = placed(4 * m * k, 4 * k * n, 4 * m * n)
  reserve(e, end)
  new Float32Array(e.memory.buffer, A, (end - A) / 4).fill(0.5)
  return () => e.orderedSum(m, n / 16, k, A, B, D)
}

const matrix = (name, types, plain, vectors, element, asked) => ({
  name,
  types,
  plain,
  vectors,
  element,
  asked,
})
const f32 = (type) => ({ a: type, b: type, acc: 'f32' })
const kinds = [
  matrix('f16', f32('f16'), bits('hopper'), fast.bits('hopper'), patterns, 800),
  matrix('bf16', f32('bf16'), bits('hopper'), fast.bits('hopper'), patterns, 600),
  matrix('tf32', f32('tf32'), bits('hopper'), fast.bits('hopper'), patterns, 600),
  matrix('fp8 (e4m3)', f32('e4m3'), bits('hopper'), fast.bits('hopper'), patterns, 600),
  matrix('fp8 (e4m3), Blackwell', f32('e4m3'), bits('blackwell'), fast.bits('blackwell'), patterns, 600),
  matrix('f32 in order', f32('f32'), bits('ieee32'), fast.bits('ieee32'), patterns, 2500),
  matrix('i8', { a: 'i8', b: 'i8', acc: 'i32' }, bits('hopper'), fast.bits('hopper'), integers, null),
  matrix('field', f32('f16'), field(0), fast.field(0), residues, 500),
]
const has = ({ plain, types }) => plain.mma(types, small)._tag === 'Some'

const rate = (macs, ms) => macs / ms / 1000
const show = (x) => (x >= 100 ? x.toFixed(0) : x.toFixed(1))

/** Prints the table; each figure as `[name, speed relative to the naive loop]`, and the naive loop's multiply-adds a millisecond. */
export const products = async (rounds) => {
  const known = kinds.filter(has)
  const loop = cube(256)
  const contenders = [
    { name: 'naive JS', macs: size(loop), act: naive(loop) },
    { name: 'f32 kernel alone', macs: size(large), act: kernelOfF32(large) },
    ...known.flatMap((k) => [
      {
        name: `${k.name} by definition`,
        macs: size(small),
        act: product(k.plain, k.types, small, k.element),
      },
      { name: k.name, macs: size(large), act: product(k.vectors, k.types, large, k.element) },
    ]),
  ]
  const times = await inTurns(contenders, rounds)
  const rates = contenders.map(({ macs }, i) => rate(macs, times[i].cpu))
  const [js, kernel] = rates
  const line = (name, r, definition, asked) => [
    name,
    show(r),
    asked === null ? '' : String(asked),
    definition === null ? '' : `${show(r / definition)} x`,
    `${(r / js).toFixed(2)} x`,
  ]
  table('matrix products on one core, millions of multiply-adds a second of processor time', [
    ['512 x 512 x 512, operands packed', 'rate', 'asked', 'of the definition', 'of naive JS'],
    line('naive JS, f64, 256 x 256 x 256', js, null, null),
    ...known.flatMap(({ name, asked }, i) => {
      const [definition, vectors] = [rates[2 + 2 * i], rates[3 + 2 * i]]
      return [
        line(name, vectors, definition, asked),
        line(`  by definition, 64 x 64 x 128`, definition, null, name === 'f16' ? 10 : null),
        ...(name === 'f32 in order' ? [line('  the kernel alone', kernel, definition, 4000)] : []),
      ]
    }),
  ])
  return {
    figures: [
      ['f32 kernel alone', kernel / js],
      ...known.flatMap(({ name }, i) => [
        [`${name} by definition`, rates[2 + 2 * i] / js],
        [name, rates[3 + 2 * i] / js],
      ]),
    ],
    naive: js,
    definition: rates[2],
  }
}
