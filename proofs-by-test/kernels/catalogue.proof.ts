import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  instanceOf,
  kernelNamed,
  kernels,
  settingsOf,
  type Input,
  type Settings,
} from '../../src/kernels/catalogue/index.js'
import { place, usedOf } from '../../src/semantics/language/place.js'
import { print } from '../../src/semantics/language/print.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'

const named = (name: string) => right(kernelNamed(name))
const hopper = named('hopper-matmul')
const made = (given: Settings, inputs: ReadonlyArray<Input> = []) => instanceOf(hopper, given, inputs)
const settings = (given: Settings, inputs: ReadonlyArray<Input> = []): Settings | string => {
  const r = made(given, inputs)
  return E.isLeft(r) ? r.left.message : r.right.settings
}
const upTo = (unit: number, most: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor(most / unit) }, (_, i) => (i + 1) * unit)

/** The largest t up to `most` with unit | t and t | n, by trying them all. */
const largest = (n: number, unit: number, most: number): number =>
  upTo(1, most).reduce((best, t) => (t % unit === 0 && n % t === 0 ? t : best), 0)

describe('every shape in multiples of 16 up to 256', () => {
  it('laws 1 and 3: a valid program with the largest legal tiles, or a refusal that is right', () => {
    let right = 0
    for (const m of upTo(16, 256))
      for (const n of upTo(16, 256))
        for (const k of upTo(16, 256)) {
          // by day every sixteenth of the programs is made; an eighth of what is refused is asked
          if (!nightly && (4 * (m / 64) + n / 16 + k / 16) % 16 !== 0 && m % 64 === 0) continue
          if (!nightly && (n / 16 + k / 16) % 8 !== 0 && m % 64 !== 0) continue
          const r = made({ m, n, k })
          const legal = m % 64 === 0
          if (E.isRight(r) !== legal)
            expect.fail(`m=${String(m)} n=${String(n)} k=${String(k)}: ${JSON.stringify(r)}`)
          if (E.isLeft(r)) {
            expect(r.left.message).toContain(`m is ${String(m)}: expected a multiple of 64`)
            continue
          }
          right++
          expect(r.right.settings).toEqual({
            m,
            n,
            k,
            tileM: largest(m, 64, 128),
            tileN: largest(n, 16, 128),
            tileK: largest(k, 16, 64),
            stages: 4,
            dtype: 'f16',
          })
          const placed = place(r.right.program)
          expect(E.isRight(placed) && usedOf(placed.right.storage, 'smem') <= 232448).toBe(true)
        }
    expect(right).toBe((nightly ? 4 : 0.25) * 16 * 16)
  })
  it('n and k must be multiples of 16, every other extent is refused by name', () => {
    for (let x = 1; x <= 64; x++) {
      expect(E.isRight(settingsOf(hopper, { n: x, k: x }, []))).toBe(true)
      expect(E.isRight(made({ m: 64, n: x, k: 64 }))).toBe(x % 16 === 0)
      expect(E.isRight(made({ m: 64, n: 64, k: x }))).toBe(x % 16 === 0)
    }
  })
})

describe('what is given', () => {
  it('law 2: an explicit tile is used or refused, over all of them', () => {
    for (const tileM of upTo(16, 448)) {
      const r = settings({ m: 384, n: 64, k: 64, tileM, stages: 2 })
      const legal = tileM % 64 === 0 && 384 % tileM === 0
      if (legal) expect(r).toMatchObject({ tileM })
      else
        expect(r).toMatch(
          /^hopper-matmul: tileM is \d+: expected a multiple of 64 .* that divides m, which is 384: 64, 128, 192, 384$/,
        )
    }
    for (const tileN of upTo(8, 512)) {
      const r = settings({ m: 64, n: 480, k: 64, tileN, stages: 2 })
      if (tileN % 16 === 0 && tileN <= 256 && 480 % tileN === 0) expect(r).toMatchObject({ tileN })
      else expect(r).toMatch(/^hopper-matmul: tileN is \d+: .* which is 480: 16, 32, 48, 80, 96, 160, 240$/)
    }
  })
  it('law 1: the settings of an instance make the same program again', () => {
    for (const given of [
      {},
      { m: 192, n: 80, k: 192 },
      { tileM: 256, tileN: 256 },
      { dtype: 'bf16', k: 64 },
    ]) {
      const once = right(made(given))
      const twice = right(made(once.settings))
      expect(Object.keys(once.settings)).toEqual(hopper.parameters.map((p) => p.name))
      expect(print(twice.program)).toBe(print(once.program))
    }
  })
  it('the defaults of the parameters are what nothing given means', () => {
    for (const k of kernels) {
      const r = right(instanceOf(k, {}, []))
      expect(r.settings).toEqual(Object.fromEntries(k.parameters.map((p) => [p.name, p.default])))
    }
  })
  it('large tiles take fewer and shallower slots, and only if nobody set them', () => {
    expect(settings({ tileM: 256, tileN: 256 })).toMatchObject({ tileK: 48, stages: 2 })
    expect(settings({ tileM: 256, tileN: 128 })).toMatchObject({ tileK: 64, stages: 3 })
    expect(settings({ tileM: 256, tileN: 256, tileK: 64 })).toMatch(/bytes of shared memory/)
    expect(settings({ tileM: 256, tileN: 256, stages: 6 })).toMatchObject({ tileK: 16, stages: 6 })
    expect(settings({ tileM: 256, tileN: 256, stages: 7 })).toMatch(/bytes of shared memory/)
  })
  it.each<readonly [Settings, string]>([
    [
      { m: 100 },
      'hopper-matmul: m is 100: expected a multiple of 64 (the rows of one wgmma); no legal tileM divides it',
    ],
    [{ m: 0 }, 'hopper-matmul: m is 0: expected a positive integer, at least 1'],
    [{ m: -64 }, 'hopper-matmul: m is -64: expected a positive integer, at least 1'],
    [{ m: 1.5 }, "hopper-matmul: m: expected an integer, found '1.5'"],
    [{ m: true }, "hopper-matmul: m: expected an integer, found 'true'"],
    [{ stages: 'many' }, "hopper-matmul: stages: expected an integer, found 'many'"],
    [{ dtype: 'f32' }, "hopper-matmul: dtype: expected f16|bf16, found 'f32'"],
    [
      { tilem: 64 },
      "hopper-matmul: unknown setting 'tilem'; known settings: m, n, k, tileM, tileN, tileK, stages, dtype; did you mean tileM?",
    ],
    [
      { stages: 1 },
      'hopper-matmul: stages is 1: expected 2 to 32, since a slot is released one step after it is read',
    ],
  ])('law 4: refuses %j', (given, message) => {
    expect(settings(given)).toBe(message)
  })
  it('law 4: an unknown kernel', () => {
    expect(kernelNamed('matmul')).toMatchObject(
      E.left({
        message:
          "no kernel named 'matmul'; did you mean matmul0, matmul1 or matmul2? `tcspec kernels` lists all names.",
      }),
    )
  })
})

describe('shapes of inputs', () => {
  const input = (name: string, shape: ReadonlyArray<number>, dtype = 'f16'): Input => ({
    name,
    source: `${name}.npy`,
    dtype,
    shape,
  })
  it('give the sizes and the dtype', () => {
    expect(settings({}, [input('a', [64, 96], 'bf16')])).toMatchObject({
      m: 64,
      k: 96,
      n: 256,
      tileK: 48,
      dtype: 'bf16',
    })
    expect(settings({ m: 64 }, [input('b', [32, 48])])).toMatchObject({ m: 64, k: 32, n: 48 })
    expect(settings({ k: 96 }, [input('a', [64, 96]), input('b', [96, 16])])).toMatchObject({
      m: 64,
      n: 16,
      k: 96,
    })
  })
  it.each<readonly [Settings, ReadonlyArray<Input>, string]>([
    [
      {},
      [input('a', [64, 32]), input('b', [48, 64])],
      'hopper-matmul: k is 32 by a.npy of shape (64, 32), but 48 by b.npy of shape (48, 64)',
    ],
    [
      { m: 128 },
      [input('a', [64, 32])],
      'hopper-matmul: m is 128 by the setting, but 64 by a.npy of shape (64, 32)',
    ],
    [
      {},
      [input('a', [64, 32]), input('b', [32, 64], 'bf16')],
      'hopper-matmul: dtype is f16 by a.npy of dtype f16, but bf16 by b.npy of dtype bf16',
    ],
    [{}, [input('a', [64, 32], 'f32')], 'hopper-matmul: a.npy: expected elements of f16 or bf16, found f32'],
    [{}, [input('a', [64])], 'hopper-matmul: a.npy: expected a of shape (m, k), found shape (64,)'],
    [{}, [input('c', [64, 64])], "hopper-matmul: no input 'c' (c.npy); inputs: a, b"],
    [{}, [input('out', [64, 64])], "hopper-matmul: no input 'out' (out.npy); inputs: a, b"],
    [
      {},
      [input('a', [100, 64])],
      'hopper-matmul: m is 100: expected a multiple of 64 (the rows of one wgmma); no legal tileM divides it',
    ],
  ])('or are refused: %j %j', (given, inputs, message) => {
    expect(settings(given, inputs)).toBe(message)
  })
})
