/**
 * Block-scaled and sparse products in the machine, their scales brought by copies.
 *
 * Oracles: the product of the dequantised, expanded operands, by a triple loop, in a prime field and over small integers.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { accumulator, accumulatorRef } from '../../../src/layouts/tensor-memory/accumulator.js'
import { kOfWord, metadataOf, sparsityOf, storedAt } from '../../../src/layouts/tensor-memory/sparsity.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { bitsOf, type FloatDtype } from '../../../src/numerics/dtype.js'
import { bits, decode, encoder, field, mulResidues, addResidues, unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { defaults, detector } from '../../../src/semantics/judging/detector/index.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { place } from '../../../src/semantics/language/place.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import * as Run from '../../../src/semantics/execution/run.js'
import { validate } from '../../../src/semantics/language/validate.js'
import type { TransformedRef } from '../../../src/transforms/ref.js'
import * as Transform from '../../../src/transforms/transform.js'
import { cuteLines } from '../../layouts/tensor-memory/sparse-lines.js'
import { nightly, sampled } from '../../extent.js'
import { right } from '../../either.js'

interface Case {
  readonly a: FloatDtype
  readonly b: FloatDtype
  readonly scale?: 'e8m0' | 'ue4m3'
  readonly block?: 16 | 32
  readonly sparse?: boolean
  /** leave out the proxy fence before the copy */
  readonly unfenced?: boolean
}
const [m, n] = [128, 128] as const
/** Four scales of a row; without scales, two words of metadata. */
const depth = (c: Case): number =>
  c.scale === undefined ? 2 * kOfWord(c.a) : 4 * (c.block ?? 32) * (c.sparse === true ? 2 : 1)
const storedOf = (c: Case): number => (c.sparse === true ? depth(c) / 2 : depth(c))

const refOf = (
  shape: ReadonlyArray<number>,
  width: number,
  tiling: ReadonlyArray<ReadonlyArray<number>>,
  strides: ReadonlyArray<number>,
): TransformedRef => ({
  _tag: 'TransformedRef',
  shape,
  bits: width,
  tiling,
  strides,
  byteOffset: 0,
  swizzle: 16,
})
/** Row x, factor j of an atom: byte 16 (x mod 32) + 4 (x div 32) + j. */
const scalesInShared = refOf([128, 4], 8, [[32, 4]], [4, 0, 16, 1])
/** Row x, factor j: lane x mod 32, column x div 32, byte j. */
const scalesInTensor = refOf([128, 4], 8, [[32, 4]], [4, 0, 2048, 1])
/** Line i in lane i; word w in column w. */
const metadata = (words: number): TransformedRef => refOf([128, words], 32, [], [512, words > 1 ? 1 : 0])

const kernel = (c: Case): Program => {
  const k = depth(c)
  const stored = storedOf(c)
  const words = k / kOfWord(c.a)
  return right(
    B.draft({ name: 'scaled', arch: 'sm100a', grid: [1], agents: [B.warpgroup('wg', 0)] }, function* () {
      const tiled = (dtype: FloatDtype): ReadonlyArray<Transform.Transform> => [
        right(Transform.tile([8, (8 * 32) / bitsOf(dtype)])),
        right(Transform.swizzle(32)),
      ]
      const run = (label: string, instruction: Instruction): B.Build<void> => B.run(label, instruction)
      const load = (name: string, dtype: FloatDtype | 'u32', shape: readonly [number, number]) =>
        B.block(function* () {
          yield* B.tensorParam(name, dtype, shape, { role: 'in' })
          return yield* B.gmemLoad(name, X.tensor<FloatDtype, 2>(name))
        })
      yield* B.tensorParam('out', 'f32', [m, n], { role: 'out' })
      const aSmem = yield* B.sharedMemory('a_smem', c.a, [m, stored], tiled(c.a))
      const bSmem = yield* B.sharedMemory('b_smem', c.b, [n, k], tiled(c.b))
      const acc = yield* B.tensorMemory('acc', 'f32', [m, n], {
        layout: accumulatorRef(right(accumulator('D', n)), 32),
      })
      const regs = yield* B.registers('sum', 'wg', 'f32', [m, n])
      const done = yield* B.barriers('done', [], { ordersTensorCore: true })
      yield* run('init', { _tag: 'mbarrier.init', barrier: done, count: 1 })
      yield* run('alloc', { _tag: 'tcgen05.alloc', columns: 256, ctaGroup: 1 })
      const a = yield* load('a', c.a, [m, stored])
      yield* run('a', { _tag: 'smem.store', destination: aSmem, value: a })
      const b = yield* load('b', c.b, [n, k])
      yield* run('b', { _tag: 'smem.store', destination: bSmem, value: b })
      const scales: X.View<'tmem'>[] = []
      const copies: Instruction[] = []
      if (c.scale !== undefined)
        for (const name of ['sa', 'sb']) {
          const shared = yield* B.sharedMemory(`${name}_smem`, c.scale, [128, 4], [], {
            layout: scalesInShared,
          })
          const tensor = yield* B.tensorMemory(`${name}_tmem`, c.scale, [128, 4], { layout: scalesInTensor })
          const value = yield* load(name, c.scale, [128, 4])
          yield* run(name, { _tag: 'smem.store', destination: shared, value })
          scales.push(tensor)
          copies.push({
            _tag: 'tcgen05.cp',
            source: shared,
            destination: tensor,
            shape: '32x128b.warpx4',
            ctaGroup: 1,
          })
        }
      const sparsity = yield* B.tensorMemory('metadata', 'u32', [m, words], { layout: metadata(words) })
      if (c.sparse === true) {
        const value = yield* load('meta', 'u32', [m, words])
        yield* run('meta', { _tag: 'tcgen05.st', destination: sparsity, value })
        yield* run('waitSt', { _tag: 'tcgen05.waitSt' })
      }
      if (c.unfenced !== true) yield* run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
      for (const copy of copies) yield* run('cp', copy)
      yield* run(
        'mma',
        Object.assign(
          {
            _tag: 'tcgen05.mma',
            accumulator: acc,
            a: aSmem,
            b: X.transposeView(bSmem, [1, 0]),
            accumulate: X.i1(false),
            ctaGroup: 1,
            completions: [{ barrier: done, when: X.i1(true) }],
          } as const,
          c.scale === undefined ? {} : { scaleA: scales[0]!, scaleB: scales[1]! },
          c.sparse === true ? { sparsity } : {},
        ),
      )
      yield* run('wait', {
        _tag: 'mbarrier.wait',
        barrier: done,
        parity: X.i32(0),
        acquire: true,
        scope: 'cta',
      })
      yield* run('after', { _tag: 'tcgen05.fenceAfter' })
      yield* run('ld', { _tag: 'tcgen05.ld', source: acc, destination: regs })
      yield* run('waitLd', { _tag: 'tcgen05.waitLd' })
      const sum = yield* B.regsRead('sum', regs)
      yield* run('out', { _tag: 'gmem.store', destination: X.tensor<'f32', 2>('out'), value: sum })
      yield* run('dealloc', { _tag: 'tcgen05.dealloc', columns: 256, ctaGroup: 1 })
    }),
  )
}

/** Which k each stored element of a row is, chosen by a rule that uses every choice. */
const chosen = (c: Case, row: number): ReadonlyArray<number> => {
  const { group, stored, unit: together } = sparsityOf(c.a)
  const units = group / together
  return Array.from({ length: depth(c) / group }, (_, g) => {
    const first = (row + g) % units
    const second = (first + 1 + ((row * 3 + g) % (units - 1))) % units
    const kept = (stored / together === 1 ? [first] : [first, second]).sort((x, y) => x - y)
    return kept.flatMap((u) => Array.from({ length: together }, (__, i) => g * group + u * together + i))
  }).flat()
}

interface Data {
  readonly a: Float64Array
  readonly b: Float64Array
  readonly sa: Float64Array
  readonly sb: Float64Array
}
/** The product of what the operands mean. */
const expected = (
  c: Case,
  d: Data,
  add: (x: number, y: number) => number,
  mul: (x: number, y: number) => number,
): Float64Array => {
  const [k, stored] = [depth(c), storedOf(c)]
  const blocks = c.scale === undefined ? 0 : 4
  const out = new Float64Array(m * n)
  for (let i = 0; i < m; i++) {
    const at = c.sparse === true ? chosen(c, i) : Array.from({ length: k }, (_, p) => p)
    for (let j = 0; j < n; j++) {
      let sum = 0
      for (let s = 0; s < stored; s++) {
        const product = mul(d.a[i * stored + s]!, d.b[j * k + at[s]!]!)
        const block = Math.floor((s * blocks) / stored)
        sum = add(
          sum,
          blocks === 0 ? product : mul(product, mul(d.sa[i * blocks + block]!, d.sb[j * blocks + block]!)),
        )
      }
      out[i * n + j] = sum
    }
  }
  return out
}

const data = (c: Case, value: (tensor: number, i: number) => number): Data => {
  const fill = (tensor: number, count: number): Float64Array =>
    Float64Array.from({ length: count }, (_, i) => value(tensor, i))
  return {
    a: fill(1, m * storedOf(c)),
    b: fill(2, n * depth(c)),
    sa: fill(3, m * 4),
    sb: fill(4, n * 4),
  }
}

const computed = (c: Case, algebra: Algebra, d: Data): Float64Array => {
  const tensors = new Map([
    ['a', d.a],
    ['b', d.b],
  ])
  if (c.scale !== undefined) tensors.set('sa', d.sa).set('sb', d.sb)
  if (c.sparse === true)
    tensors.set(
      'meta',
      Float64Array.from(
        cuteLines(c.a, m, 8 * (depth(c) / kOfWord(c.a)), (row, g) => {
          const words = metadataOf(c.a, chosen(c, row))
          return (words[g >> 3]! >>> (4 * (g % 8))) & 0xf
        }),
      ),
    )
  const l = right(launch(kernel(c), algebra, { scalars: new Map(), tensors }))
  const { machine, outcome } = Run.run(l.world, l.machine, Run.settings(Policy.lazy), Run.ignore)
  expect(outcome).toEqual({ _tag: 'completed' })
  return readTensor(l.world, machine, 'out')!
}

/** The first few elements that differ. */
const differences = (got: Float64Array, wanted: Float64Array): ReadonlyArray<unknown> =>
  [...wanted.keys()]
    .filter((i) => !Object.is(got[i], wanted[i]))
    .slice(0, 3)
    .map((i) => [i, got[i], wanted[i]])

const cases: ReadonlyArray<Case> = [
  { a: 'e4m3', b: 'e5m2', scale: 'e8m0', block: 32 },
  { a: 'e2m1', b: 'e2m1', scale: 'e8m0', block: 32 },
  { a: 'e2m1', b: 'e2m1', scale: 'ue4m3', block: 16 },
  { a: 'f16', b: 'f16', sparse: true },
  { a: 'e4m3', b: 'e4m3', sparse: true },
  { a: 'tf32', b: 'tf32', sparse: true },
  { a: 'e4m3', b: 'e4m3', scale: 'e8m0', block: 32, sparse: true },
  { a: 'e2m1', b: 'e2m1', scale: 'ue4m3', block: 16, sparse: true },
]
const nameOf = (c: Case): string =>
  `${c.a} x ${c.b}${c.scale === undefined ? '' : `, ${c.scale} every ${String(c.block)}`}${c.sparse === true ? ', sparse' : ''}`

// by day every second case
describe.each(sampled(2, cases).map((c) => [nameOf(c), c] as const))('%s', (_name, c) => {
  test('is valid, and nothing is wrong with it', () => {
    expect(validate(right(place(kernel(c))))).toMatchObject({ _tag: 'Right' })
    for (const policy of [Policy.eager, Policy.lazy, Policy.seeded(1)]) {
      const l = right(launch(kernel(c), unit, { scalars: new Map(), tensors: new Map() }))
      const { outcome, result } = Run.run(l.world, l.machine, Run.settings(policy), detector(defaults))
      expect(outcome).toEqual({ _tag: 'completed' })
      expect(result.findings).toEqual([])
    }
  })
  test('laws 3 and 4, in a field: the product of the dequantised, expanded operands', () => {
    const f = field(9)
    const d = data(c, f.element)
    expect(differences(computed(c, f, d), expected(c, d, addResidues, mulResidues))).toEqual([])
  })
  // the sparse scaled ones are the slow ones, and their parts are here already
  const slow = c.sparse === true && c.scale !== undefined && !nightly
  test.skipIf(slow)('laws 3 and 4, bit for bit over small integers and powers of two', () => {
    const small = (tensor: number, i: number): number =>
      tensor < 3 ? ((i * 7919 + tensor * 31) % 5) - 2 : 2 ** (((i * 104729) % 3) - 1)
    const d = data(c, small)
    const pattern = (dtype: FloatDtype, x: Float64Array): Float64Array => x.map(encoder(dtype))
    const scale = c.scale ?? 'e8m0'
    const got = computed(c, bits('blackwell'), {
      a: pattern(c.a, d.a),
      b: pattern(c.b, d.b),
      sa: pattern(scale, d.sa),
      sb: pattern(scale, d.sb),
    })
    const wanted = expected(
      c,
      d,
      (x, y) => x + y,
      (x, y) => x * y,
    )
    expect(
      differences(
        got.map((x) => decode('f32', x)),
        wanted,
      ),
    ).toEqual([])
  })
})

describe('mistakes', () => {
  test('metadata that name no choice are refused', () => {
    const c: Case = { a: 'f16', b: 'f16', sparse: true }
    const d = data(c, (_t, i) => i % 3)
    const l = right(
      launch(kernel(c), field(1), {
        scalars: new Map(),
        tensors: new Map([
          ['a', d.a],
          ['b', d.b],
          ['meta', new Float64Array(m * 2)],
        ]),
      }),
    )
    const { outcome } = Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.ignore)
    expect(outcome).toMatchObject({ _tag: 'fault', fault: { code: 'mma.sparsity' } })
  })
  test('P1: scales that are stored and copied without a fence', () => {
    const c: Case = { a: 'e4m3', b: 'e5m2', scale: 'e8m0', block: 32, unfenced: true }
    const l = right(launch(kernel(c), unit, { scalars: new Map(), tensors: new Map() }))
    const { result } = Run.run(l.world, l.machine, Run.settings(Policy.eager), detector(defaults))
    expect([...new Set(result.findings.map((f) => f.id))]).toEqual(['P1'])
    expect(result.findings.some((f) => f.b?.site === 'cp')).toBe(true)
  })
  test('a type whose arithmetic nobody has published is refused by name', () => {
    const l = right(
      launch(kernel({ a: 'e4m3', b: 'e5m2', scale: 'ue4m3', block: 16 }), bits('blackwell'), {
        scalars: new Map(),
        tensors: new Map(),
      }),
    )
    const { outcome } = Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.ignore)
    expect(outcome).toMatchObject({ _tag: 'fault', fault: { code: 'algebra.lacks' } })
  })
})

describe('sparsity', () => {
  test('laws 1 and 2', () => {
    for (const dtype of ['tf32', 'f16', 'e4m3', 'e2m1'] as const)
      for (let row = 0; row < 12; row++) {
        const c: Case = { a: dtype, b: dtype, sparse: true }
        const at = chosen(c, row)
        const words = metadataOf(dtype, at)
        expect(words.length).toBe(2)
        expect(storedAt(dtype, words, depth(c))).toEqual(E.right(Int32Array.from(at)))
        expect(at.every((k, s) => s === 0 || at[s - 1]! < k)).toBe(true)
      }
  })
  test('by hand: f16, 1000 0100 is elements 0, 2 and 4, 5', () => {
    expect(storedAt('f16', [0b0100_1000], 8)).toEqual(E.right(Int32Array.of(0, 2, 4, 5)))
    expect(storedAt('tf32', [0b1110_0100], 4)).toEqual(E.right(Int32Array.of(0, 3)))
    expect(storedAt('e2m1', [0b1101], 8)).toEqual(E.right(Int32Array.of(2, 3, 6, 7)))
  })
})
