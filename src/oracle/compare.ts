/**
 * Comparing two tensors of one dtype and one shape.
 *
 * Equal means equal bits. So 0 and -0 are different, and so are two NaNs with different payloads: a reference
 * that promises bits must say when they differ. How *far* apart two elements are is another question, answered
 * in units in the last place (ulp): the number of steps between them on the line of the dtype's values
 * (`tensor-files/element.ts`). Of integers it is the absolute difference.
 *
 * f16, by hand:
 *
 * | got            | expected       | different | ulp  | counted in  |
 * |----------------|----------------|-----------|------|-------------|
 * | 0x3c00 (1)     | 0x3c00 (1)     | no        | 0    |             |
 * | 0x3c01         | 0x3c00 (1)     | yes       | 1    |             |
 * | 0x0001         | 0x8001         | yes       | 2    |             |
 * | 0x8000 (-0)    | 0x0000 (0)     | yes       | 0    | zeroSign    |
 * | 0x7c00 (inf)   | 0x7bff (65504) | yes       | 1    |             |
 * | 0x7e00 (NaN)   | 0x3c00 (1)     | yes       | none | nanMismatch |
 * | 0x7e00 (NaN)   | 0x7e01 (NaN)   | yes       | none | nanPayload  |
 *
 * The histogram counts elements by distance in buckets that double: `0`, `1`, `2`, `3-4`, `5-8`, `9-16`, ...;
 * empty buckets are left out.
 *
 * Laws
 *  1. equal if and only if different = 0 if and only if the patterns are the same
 *  2. the histogram's counts, nanMismatch and nanPayload add up to elements
 *  3. swapping got and expected changes nothing but the two columns of `first`
 *  4. `first` lists the first mismatches in C order, at most `limit` of them
 *  5. maxUlp is the largest distance there is; 0 if no element has one
 */
import * as E from 'fp-ts/lib/Either.js'
import { greatest } from '../greatest.js'
import { refuse, type Failure } from '../failure.js'
import type { Mismatch } from '../semantics/judging/verdict.js'
import { hexOfPattern, jsonOfValue, positionOf, valueOf } from './tensor-files/element.js'
import { shapeText } from './tensor-files/npy.js'
import { indexOfFlat, type Tensor, type TensorDtype } from './tensor-files/tensor.js'

// ---------------------------------------------------------------- model

export interface Comparison {
  readonly equal: boolean
  readonly dtype: TensorDtype
  readonly shape: ReadonlyArray<number>
  readonly elements: number
  readonly different: number
  readonly maxUlp: number
  readonly ulpHistogram: Readonly<Record<string, number>>
  /** One of the two is a NaN and the other is not. */
  readonly nanMismatch: number
  /** Both are NaN, with different patterns. */
  readonly nanPayload: number
  /** Zeros of different sign. */
  readonly zeroSign: number
  readonly first: ReadonlyArray<Mismatch>
}

export type CompareFailure = Failure<'compare-dtype' | 'compare-shape'>

/** Mismatches listed when it is not said how many. */
export const defaultLimit = 10

// ---------------------------------------------------------------- buckets

/** 0 -> 0, 1 -> 1, 2 -> 2, 3..4 -> 3, 5..8 -> 4: the bit length of distance - 1, and one. */
const bucketOf = (distance: number | bigint): number =>
  distance < 1
    ? 0
    : typeof distance === 'bigint'
      ? distance === 1n
        ? 1
        : 1 + (distance - 1n).toString(2).length
      : 1 + (32 - Math.clz32(distance - 1))

const bucketCount = 66

const bucketName = (bucket: number): string => {
  if (bucket < 3) return String(bucket)
  const top = 1n << BigInt(bucket - 1)
  return `${String(top / 2n + 1n)}-${String(top)}`
}

// ---------------------------------------------------------------- comparison

const distanceOf = (
  dtype: TensorDtype,
): ((a: number | bigint, b: number | bigint) => number | bigint | undefined) => {
  const position = positionOf(dtype)
  return (a, b) => {
    const p = position(a)
    const q = position(b)
    if (p === undefined || q === undefined) return undefined
    if (typeof p === 'number' && typeof q === 'number') return Math.abs(p - q)
    const d = BigInt(p) - BigInt(q)
    return d < 0n ? -d : d
  }
}

/**
 * Compares element by element. Refuses tensors of different dtypes or shapes: they have no elements in common.
 *
 * @example
 * ```ts
 * import { comparison, tensor } from 'tensorcore-spec/oracle'
 * import * as E from 'fp-ts/lib/Either.js'
 * import { pipe } from 'fp-ts/lib/function.js'
 *
 * const compared = pipe(
 *   E.Do,
 *   E.bind('got', () => tensor.tensor('f16', [2], Uint16Array.of(0x3c00, 0x3c01))),
 *   E.bindW('expected', () => tensor.tensor('f16', [2], Uint16Array.of(0x3c00, 0x3c00))),
 *   E.chainW(({ got, expected }) => comparison.compare(got, expected)),
 * )
 * console.log(E.isRight(compared) ? `${compared.right.different} differ by ${compared.right.maxUlp} ulp` : compared.left.message) // 1 differ by 1 ulp
 * ```
 */
export const compare = (
  got: Tensor,
  expected: Tensor,
  limit: number = defaultLimit,
): E.Either<CompareFailure, Comparison> => {
  if (got.dtype !== expected.dtype) {
    return refuse('compare-dtype', `expected dtype ${expected.dtype}, found ${got.dtype}`)
  }
  if (shapeText(got.shape) !== shapeText(expected.shape)) {
    return refuse(
      'compare-shape',
      `expected shape ${shapeText(expected.shape)}, found ${shapeText(got.shape)}`,
    )
  }
  const dtype = got.dtype
  const elements = got.bits.length
  const distance = distanceOf(dtype)
  const value = valueOf(dtype)
  const counts = new Float64Array(bucketCount)
  const first: Mismatch[] = []
  let different = 0
  let maxUlp: number | bigint = 0
  let nanMismatch = 0
  let nanPayload = 0
  let zeroSign = 0
  for (let i = 0; i < elements; i++) {
    const g = got.bits[i]!
    const e = expected.bits[i]!
    if (g === e) continue
    different++
    const ulp = distance(g, e)
    if (ulp === undefined) {
      if (Number.isNaN(value(g)) && Number.isNaN(value(e))) nanPayload++
      else nanMismatch++
    } else {
      counts[bucketOf(ulp)]! += 1
      if (ulp > maxUlp) maxUlp = ulp
      // No distance, yet different bits: the two zeros, or bits that the dtype ignores (tf32).
      if (ulp === 0 || ulp === 0n) zeroSign += Object.is(value(g), value(e)) ? 0 : 1
    }
    if (first.length < limit) {
      first.push({
        index: indexOfFlat(got.shape, i),
        got: jsonOfValue(value(g)),
        expected: jsonOfValue(value(e)),
        gotBits: hexOfPattern(dtype, g),
        expectedBits: hexOfPattern(dtype, e),
        ulp: ulp === undefined ? null : Number(ulp),
      })
    }
  }
  counts[0]! += elements - different
  return E.right({
    equal: different === 0,
    dtype,
    shape: got.shape,
    elements,
    different,
    maxUlp: Number(maxUlp),
    ulpHistogram: Object.fromEntries(
      Array.from(counts, (n, bucket) => [bucketName(bucket), n] as const).filter(([, n]) => n > 0),
    ),
    nanMismatch,
    nanPayload,
    zeroSign,
    first,
  })
}

// ---------------------------------------------------------------- printing

const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, c) => greatest(0)(rows.map((r) => r[c]!.length)))
  return rows.map((r) => `  ${r.map((cell, c) => cell.padEnd(widths[c]!)).join('  ')}`.trimEnd()).join('\n')
}

/** For people: the verdict on the first line, then the kinds, the histogram and the first mismatches. */
export const printComparison = (c: Comparison): string => {
  const what = `${String(c.elements)} elements of ${c.dtype} ${shapeText(c.shape)}`
  if (c.equal) return `equal: ${what}, bit for bit\n`
  const kinds: ReadonlyArray<readonly [number, string]> = [
    [c.nanMismatch, 'a NaN on one side only'],
    [c.nanPayload, 'NaNs with different payloads'],
    [c.zeroSign, 'zeros of different sign'],
  ]
  return [
    `different: ${String(c.different)} of ${what}; at most ${String(c.maxUlp)} ulp apart`,
    ...kinds.filter(([n]) => n > 0).map(([n, kind]) => `  ${String(n)}: ${kind}`),
    '',
    columns([['ulp', 'elements'], ...Object.entries(c.ulpHistogram).map(([k, n]) => [k, String(n)])]),
    '',
    columns([
      ['index', 'got', '', 'expected', '', 'ulp'],
      ...c.first.map((m) => [
        shapeText(m.index),
        String(m.got),
        m.gotBits,
        String(m.expected),
        m.expectedBits,
        m.ulp === null ? '-' : String(m.ulp),
      ]),
    ]),
    '',
  ].join('\n')
}
