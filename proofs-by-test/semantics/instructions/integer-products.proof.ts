/** wgmma and tcgen05.mma of integers in the machine: all mixes, both modes, near the limits; what is refused; one accumulator of two kinds. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { integerRange } from '../../../src/numerics/integer.js'
import { bits } from '../../../src/numerics/bits.js'
import { field } from '../../../src/numerics/field.js'
import { real64 } from '../../../src/numerics/real64.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { decodeProgram } from '../../../src/semantics/files/codec.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import { print } from '../../../src/semantics/language/print.js'
import type { Program } from '../../../src/semantics/language/program.js'
import * as Transform from '../../../src/transforms/transform.js'
import { checked } from '../../dialects/pallas/programs.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

type Byte = 'i8' | 'u8'
interface Form {
  readonly unit: 'wgmma' | 'tcgen05'
  readonly a: Byte
  readonly b: Byte
  /** undefined: the program does not say */
  readonly saturate?: boolean
  /** what the accumulator holds before */
  readonly start: number
  /** b runs along n in memory */
  readonly across?: boolean
  readonly n?: number
  readonly negate?: boolean
}

const k = 64
const rows = ({ unit }: Form): number => (unit === 'wgmma' ? 64 : 128)

/** acc = start; acc += a b; out = acc. */
const program = (f: Form): E.Either<{ readonly message: string; readonly code: string }, Program> => {
  const m = rows(f)
  const n = f.n ?? 32
  const hopper = f.unit === 'wgmma'
  const mode = f.saturate === undefined ? {} : { saturate: f.saturate }
  return B.kernel(
    {
      name: 'integers',
      arch: hopper ? 'sm90a' : 'sm100a',
      grid: [1],
      agents: [B.warpgroup('wg', 0)],
      computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'out', accumulator: 'i32', blockK: 32, ...mode },
    },
    function* () {
      const transforms = (span: 32 | 64): ReadonlyArray<Transform.Transform> => [
        right(Transform.tile([8, span])),
        right(Transform.swizzle(span)),
      ]
      const a = yield* B.tensorParam('a', f.a, [m, k], { role: 'in' })
      const b = yield* B.tensorParam('b', f.b, f.across === true ? [k, n] : [n, k], { role: 'in' })
      const out = yield* B.tensorParam('out', 'i32', [m, n], { role: 'out' })
      const aSmem = yield* B.sharedMemory('a_smem', f.a, [m, k], transforms(64))
      const bSmem =
        f.across === true
          ? yield* B.sharedMemory('b_smem', f.b, [k, n], transforms(32))
          : yield* B.sharedMemory('b_smem', f.b, [n, k], transforms(64))
      const right_ = f.across === true ? bSmem : X.transposeView(bSmem, [1, 0])
      const sums = yield* B.registers('sums', 'wg', 'i32', [m, n])
      const start = X.splat<'i32', 2>(X.i32(f.start), [m, n])
      yield* B.run('a', { _tag: 'smem.store', destination: aSmem, value: yield* B.gmemLoad('a', a.view) })
      yield* B.run('b', { _tag: 'smem.store', destination: bSmem, value: yield* B.gmemLoad('b', b.view) })
      yield* B.run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
      if (hopper) {
        yield* B.run('start', { _tag: 'regs.write', destination: sums, value: start })
        yield* B.run('wgmma.fence', { _tag: 'wgmma.fence' })
        yield* B.run('mma', {
          _tag: 'wgmma.mma',
          accumulator: sums,
          a: aSmem,
          b: right_,
          scaleD: X.i1(true),
          negateA: f.negate === true,
          negateB: false,
          ...mode,
        })
        yield* B.run('commit', { _tag: 'wgmma.commitGroup' })
        yield* B.run('wait', { _tag: 'wgmma.waitGroup', pending: 0 })
      } else {
        const acc = yield* B.tensorMemory('acc', 'i32', [m, n])
        const done = yield* B.barriers('done', [], { ordersTensorCore: true })
        yield* B.run('init', { _tag: 'mbarrier.init', barrier: done, count: 1 })
        yield* B.run('alloc', { _tag: 'tcgen05.alloc', columns: 64, ctaGroup: 1 })
        yield* B.run('start', { _tag: 'tcgen05.st', destination: acc, value: start })
        yield* B.run('waitSt', { _tag: 'tcgen05.waitSt' })
        yield* B.run('mma', {
          _tag: 'tcgen05.mma',
          accumulator: acc,
          a: aSmem,
          b: right_,
          accumulate: X.i1(true),
          ctaGroup: 1,
          ...mode,
          completions: [{ barrier: done, when: X.i1(true) }],
        })
        yield* B.run('wait', {
          _tag: 'mbarrier.wait',
          barrier: done,
          parity: X.i32(0),
          acquire: true,
          scope: 'cta',
        })
        yield* B.run('ld', { _tag: 'tcgen05.ld', source: acc, destination: sums })
        yield* B.run('waitLd', { _tag: 'tcgen05.waitLd' })
        yield* B.run('dealloc', { _tag: 'tcgen05.dealloc', columns: 64, ctaGroup: 1 })
      }
      yield* B.run('out', {
        _tag: 'gmem.store',
        destination: out.view,
        value: yield* B.regsRead('sums', sums),
      })
    },
  )
}

/** Elements that reach both ends of the dtype. */
const elements = (dtype: Byte, count: number, by: number): Float64Array => {
  const { least, greatest } = integerRange(dtype)
  return Float64Array.from({ length: count }, (_, i) =>
    i % 5 === 0 ? least : i % 7 === 0 ? greatest : least + ((i * by) % 256),
  )
}

/** By hand, in two instructions of 32. */
const expected = (f: Form, a: Float64Array, b: Float64Array): Float64Array => {
  const [m, n] = [rows(f), f.n ?? 32]
  return Float64Array.from({ length: m * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n]
    let sum = f.start
    for (const from of [0, 32]) {
      for (let p = from; p < from + 32; p++)
        sum += a[i * k + p]! * b[f.across === true ? p * n + j : j * k + p]!
      sum = f.saturate === true ? Math.min(2 ** 31 - 1, Math.max(-(2 ** 31), sum)) : sum | 0
    }
    return sum
  })
}

const mixes: ReadonlyArray<readonly [Byte, Byte]> = [
  ['i8', 'i8'],
  ['i8', 'u8'],
  ['u8', 'i8'],
  ['u8', 'u8'],
]
const forms: ReadonlyArray<Form> = (['wgmma', 'tcgen05'] as const).flatMap((unit) =>
  mixes.flatMap(([a, b]) =>
    ([undefined, true] as const).flatMap((saturate) =>
      [0, 2 ** 31 - 1 - 4000, -(2 ** 31) + 4000].map((start) => ({
        unit,
        a,
        b,
        start,
        ...(saturate === undefined ? {} : { saturate }),
      })),
    ),
  ),
)

const ran = (f: Form, algebra = bits(f.unit === 'wgmma' ? 'hopper' : 'blackwell')): Float64Array | null => {
  const p = right(program(f))
  const n = f.n ?? 32
  const [a, b] = [elements(f.a, rows(f) * k, 37), elements(f.b, n * k, 101)]
  const { verdict, world, machine } = checked(
    p,
    { explore: false },
    algebra,
    new Map([
      ['a', a],
      ['b', b],
    ]),
  )
  expect(verdict.findings).toEqual([])
  // what starts from zero is the matmul for all inputs; what starts elsewhere is not
  expect(verdict.provenance?.proved).toBe(f.start === 0 && f.across === true)
  expect(readTensor(world, machine, 'out')).toEqual(expected(f, a, b))
  return readTensor(world, machine, 'out')
}

describe('products', () => {
  // by day every fifth
  test.each(sampled(5, forms))('$unit of $a and $b, saturate $saturate, from $start', (f) => {
    ran(f)
  })
  test('the limits are reached, and the two modes differ there', () => {
    for (const unit of sampled(2, ['wgmma', 'tcgen05'] as const)) {
      const near: Form = { unit, a: 'u8', b: 'u8', start: 2 ** 31 - 1 - 4000 }
      const [wrapped, stopped] = [ran(near), ran({ ...near, saturate: true })]
      expect(stopped?.some((x) => x === 2 ** 31 - 1)).toBe(true)
      expect(wrapped?.some((x) => x < 0)).toBe(true)
    }
  })
  test('tcgen05: b along n in memory; a matmul for all inputs', () => {
    for (const [a, b] of mixes) ran({ unit: 'tcgen05', a, b, start: 0, across: true })
  })
  test('integers are the same in every algebra', () => {
    for (const algebra of [real64, field(1)])
      for (const unit of ['wgmma', 'tcgen05'] as const)
        ran({ unit, a: 'i8', b: 'u8', start: 2 ** 31 - 1 - 4000, saturate: true }, algebra)
  })
})

describe('as JSON and as text', () => {
  test('saturate is kept, false too, and is not there if it was not said', () => {
    for (const unit of ['wgmma', 'tcgen05'] as const)
      for (const saturate of [undefined, false, true]) {
        const p = right(
          program({ unit, a: 'i8', b: 'i8', start: 0, ...(saturate === undefined ? {} : { saturate }) }),
        )
        expect(right(decodeProgram(JSON.parse(JSON.stringify(p))))).toEqual(p)
        expect(/saturate=(\w+)/.exec(print(p))?.[1]).toBe(
          saturate === undefined ? undefined : String(saturate),
        )
      }
  })
})

describe('refusals', () => {
  const base: Form = { unit: 'wgmma', a: 'i8', b: 'i8', start: 0 }
  test.each<readonly [string, Form, string, RegExp]>([
    ['negated', { ...base, negate: true }, 'mma.dtype', /operands of integers cannot be negated/],
    ['b along n', { ...base, across: true }, 'mma.unsupported-transforms', /cannot be MN-major/],
    [
      '40 columns',
      { ...base, n: 40 },
      'mma.shape',
      /N must be a multiple of 8 up to 256 \(of 16, or 8 or 24, for integers\), found 40/,
    ],
    [
      '40 columns, tcgen05',
      { ...base, unit: 'tcgen05', n: 40 },
      'mma.shape',
      /N must be one of 8, 24, 16, 32/,
    ],
  ])('%s', (_, f, code, message) => {
    expect(program(f)).toMatchObject(E.left({ code, message: expect.stringMatching(message) }))
  })
  test('only integers saturate', () => {
    const float = (unit: 'wgmma' | 'tcgen05'): unknown => {
      const p = right(program({ ...base, unit, saturate: true }))
      const text = JSON.stringify(p).replaceAll('"dtype":"i8"', '"dtype":"e4m3"')
      return decodeProgram(JSON.parse(text))
    }
    for (const unit of ['wgmma', 'tcgen05'] as const) expect(float(unit)).toMatchObject({ _tag: 'Left' })
  })
})
