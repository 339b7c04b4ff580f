/**
 * hopper-matmul, beyond the laws of every matmul (`matmul-laws/`).
 *
 * T1  tile provenance proves `out = a @ b`, added in ascending order of k, for every legal setting of a shape (exhaustive)
 * T2  on small integers bits, real64 and the field give the values of the textbook's triple loop
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { hopperMatmul, type HopperMatmul } from '../../src/kernels/hopper/hopper-matmul.js'
import { decode, field, real64, unit, type Algebra } from '../../src/numerics/index.js'
import { check, standardOptions, type Checked, type CheckOptions } from '../../src/semantics/verdict/check.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import type { Program } from '../../src/semantics/language/program.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'
import { bits } from '../arithmetic.js'

const options = (
  algebra: Algebra,
  policy: Policy.AnyPolicy,
  tensors: ReadonlyMap<string, Float64Array> = new Map(),
): CheckOptions => ({
  ...standardOptions,
  algebra,
  arguments: { scalars: new Map(), tensors },
  policy,
  strict: true,
  fuel: 1_000_000,
})

const checked = (p: Program, o: CheckOptions): Checked => right(check(p, o))

/** Every setting of a shape that the kernel accepts. */
const settingsOf = (
  m: number,
  n: number,
  k: number,
  stages: ReadonlyArray<number>,
): ReadonlyArray<HopperMatmul> => {
  const divisors = (size: number, step: number): ReadonlyArray<number> =>
    Array.from({ length: size / step }, (_, i) => (i + 1) * step).filter((t) => size % t === 0)
  return divisors(m, 64).flatMap((tileM) =>
    divisors(n, 16).flatMap((tileN) =>
      divisors(k, 16).flatMap((tileK) =>
        stages.flatMap((s): ReadonlyArray<HopperMatmul> => {
          const c: HopperMatmul = { dtype: 'f16', m, n, k, tileM, tileN, tileK, stages: s }
          return E.isRight(hopperMatmul(c)) ? [c] : []
        }),
      ),
    ),
  )
}

const pseudo =
  (seed: number) =>
  (i: number): number => {
    let x = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b)
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d)
    return ((x ^ (x >>> 13)) >>> 0) / 2 ** 32
  }
describe('T1 every legal setting', () => {
  const [m, n, k] = nightly ? [256, 256, 256] : [128, 32, 128]
  const all = settingsOf(m, n, k, nightly ? [2, 3, 4, 5, 6, 7, 8] : [2, 3])
  test(`${String(all.length)} settings of ${String(m)} x ${String(n)} x ${String(k)} prove the matmul in ascending order`, () => {
    expect(all.length).toBeGreaterThan(nightly ? 300 : 20)
    for (const c of all) {
      const { verdict } = checked(right(hopperMatmul(c)), options(unit, Policy.lazy))
      expect([
        JSON.stringify(c),
        verdict.verdict,
        verdict.provenance?.proved,
        verdict.provenance?.inOrder,
      ]).toEqual([JSON.stringify(c), 'ok', true, true])
    }
  })
})

const small: HopperMatmul = {
  dtype: 'f16',
  m: 128,
  n: 32,
  k: 112,
  tileM: 64,
  tileN: 16,
  tileK: 16,
  stages: 3,
}

describe('T2 four algebras', () => {
  const r = pseudo(3)
  const integers = (size: number, from: number): ReadonlyArray<number> =>
    Array.from({ length: size }, (_, i) => Math.floor(r(i + from) * 3) - 1)
  const a = integers(small.m * small.k, 0)
  const b = integers(small.k * small.n, 100_000)
  const run = (algebra: Algebra): Checked =>
    checked(
      right(hopperMatmul(small)),
      options(
        algebra,
        Policy.seeded(7),
        new Map([
          ['a', Float64Array.from(a, (x) => algebra.constant('f16', x))],
          ['b', Float64Array.from(b, (x) => algebra.constant('f16', x))],
        ]),
      ),
    )
  const all = { bits: run(bits('hopper')), real64: run(real64), field: run(field(1)), unit: run(unit) }
  test('on small integers, the same values: exact in f16, in f64 and modulo p', () => {
    const expected = Array.from({ length: small.m * small.n }, (_, e) => {
      const [i, j] = [Math.floor(e / small.n), e % small.n]
      let sum = 0
      for (let k = 0; k < small.k; k++) sum += a[i * small.k + k]! * b[k * small.n + j]!
      return sum
    })
    const out = ({ world, machine }: Checked): Float64Array => readTensor(world, machine, 'out')!
    expect(Array.from(out(all.bits), (x) => decode('f16', x) + 0)).toEqual(expected)
    expect(Array.from(out(all.real64), (x) => x + 0)).toEqual(expected)
    expect(Array.from(out(all.field))).toEqual(expected.map((x) => field(1).constant('f32', x)))
    expect(readTensor(all.unit.world, all.unit.machine, 'out')).toBeNull()
  })
})
