/**
 * The matrix products of one warp, `mma.sync` and `wmma.mma`, as a Hopper chip makes them.
 *
 * Hopper has these instructions for what was written for older chips. Some it has in hardware; others the assembler makes of those, and of ordinary
 * arithmetic, and that is where the results differ from what one would expect of the names.
 *
 * | inputs          | instruction   | is                                                                                              |
 * |-----------------|---------------|-------------------------------------------------------------------------------------------------|
 * | f16, bf16       | mma, wmma     | one block of all k (8 or 16), by the rules of wgmma (`tensor-core.ts`)                           |
 * | tf32            | mma           | one block of all k (4 or 8)                                                                     |
 * | tf32            | wmma          | two blocks of 4, one after the other                                                            |
 * | f16             | mma m8n8k4    | no tensor core: f32 multiply-adds, see below                                                    |
 * | e4m3, e5m2      | mma           | inputs become f16; two blocks of k / 2 of these from zero, then c is added (f32 or f16, rounded to nearest) |
 * | f64             | mma, wmma     | a chain of fused multiply-adds, k ascending, from c                                             |
 * | 8, 4 bits       | mma, wmma     | the exact sum, which wraps or is clamped once                                                   |
 * | 1 bit           | mma, wmma     | the count of ones in a and b, or a xor b, which wraps                                           |
 *
 * The two blocks of 8-bit floats are not the halves of k: a register holds four neighbours, the first block takes the first two of each four, the second
 * the others. Since c is not aligned with the products, nothing of a small c is lost, and little of small products under a large one.
 *
 * wmma of f16 with a c of f16 and a d of f32 widens c first; with a c of f32 and a d of f16 it computes in f32 and rounds the result, twice in all.
 *
 * m8n8k4 of f16 is four products at once, of a quarter of the lanes each. In f32: p = fma(a3, b3, fma(a2, b2, fma(a1, b1, fma(a0, b0, 0)))), d = c + p. With a d of
 * f16: d = f16((c + fma(a1, b1, a0 b0)) + fma(a3, b3, a2 b2)), each operation rounded to f32.
 *
 * By hand, e4m3 into f32: c = 1, one product 2^-25 and the rest zero. The blocks give 2^-25, and 1 + 2^-25 rounds to 1; of c = 2^-2 nothing is lost, where
 * wgmma, which counts in units of 2^-15, loses all of the product.
 *
 * With structured sparsity (`mma.sp`) half of a row of a is stored, and is multiplied by those rows of b that its metadata name: a row of d is the product
 * above of k / 2, of the stored row and the chosen rows of b, in their order. So f16 of k = 32 is one block of 16.
 *
 * Laws
 * 1. Every product equals an H100's, bit for bit, NaNs included.
 * 2. Where nothing is rounded, a product is c + a b.
 * 3. A sparse product equals an H100's, bit for bit.
 *
 * Source: own measurements on an H100 (`conformance/hopper/mma`), and what ptxas of CUDA 13.0 makes of each form; PTX ISA, "mma", "wmma.mma".
 *
 * @fidelity silicon (Hopper)
 */
import * as O from 'fp-ts/lib/Option.js'
import type { MmaShape } from './algebra.js'
import { decoder, encoder } from './float-format.js'
import { roundedFma } from './rounded-arithmetic.js'
import type { Direction } from './scalar/binary32.js'
import { rest } from './scalar/operation.js'
import { scalarOperation } from './scalar/table.js'
import { hopperRules, tensorCoreMma } from './tensor-core.js'

export const warpInputs = [
  'f16',
  'bf16',
  'tf32',
  'e4m3',
  'e5m2',
  'f64',
  's8',
  'u8',
  's4',
  'u4',
  'b1',
] as const
export type WarpInput = (typeof warpInputs)[number]
export const warpAccumulators = ['f16', 'f32', 'f64', 's32'] as const
export type WarpAccumulator = (typeof warpAccumulators)[number]

export interface WarpProduct {
  readonly instruction: 'mma' | 'wmma'
  readonly shape: MmaShape
  /** products of that shape, side by side */
  readonly products: 1 | 4
  readonly a: WarpInput
  readonly b: WarpInput
  readonly c: WarpAccumulator
  readonly d: WarpAccumulator
  readonly saturate: boolean
  /** of bits: what is counted */
  readonly counts: 'xor' | 'and' | null
  /** of f64 */
  readonly rounding: Direction
}

/** Bits of an element as registers hold it. */
export const warpElementBits = (type: WarpInput | WarpAccumulator): 1 | 4 | 8 | 16 | 32 | 64 => {
  switch (type) {
    case 'b1':
      return 1
    case 's4':
    case 'u4':
      return 4
    case 'e4m3':
    case 'e5m2':
    case 's8':
    case 'u8':
      return 8
    case 'f16':
    case 'bf16':
      return 16
    case 'tf32':
    case 'f32':
    case 's32':
      return 32
    case 'f64':
      return 64
  }
}

/**
 * d = c + a b on patterns of bits (not negative), matrices by rows, the products one behind the other. An element of f64 is two words, the low one first.
 */
export type WarpMma = (a: Float64Array, b: Float64Array, c: Float64Array) => Float64Array

// ---------------------------------------------------------------- floats

/** A block of products of f16, bf16 or tf32, by the rules of Hopper's wgmma, and the blocks behind it. */
const blocks = (
  input: 'f16' | 'bf16' | 'tf32',
  acc: 'f16' | 'f32',
  shape: MmaShape,
  blockK: number,
): O.Option<WarpMma> =>
  O.map((rules: Parameters<typeof tensorCoreMma>[0]) => tensorCoreMma({ ...rules, blockK }, shape))(
    hopperRules({ a: input, b: input, acc }),
  )

/** Between f16 and f32 before and behind. */
const converted = (p: WarpProduct, inside: 'f16' | 'f32', mma: WarpMma): WarpMma => {
  const before = p.c === inside ? null : p.c === 'f16' ? decoder('f16') : null
  const widen = encoder('f32')
  const behind = p.d === inside ? null : decoder('f32')
  const narrow = encoder('f16')
  return (a, b, c) => {
    const d = mma(a, b, before === null ? c : c.map((x) => widen(before(x))))
    return behind === null ? d : d.map((x) => narrow(behind(x)))
  }
}

const isHalf = (type: WarpAccumulator): type is 'f16' | 'f32' => type === 'f16' || type === 'f32'

/** Which of k each of two blocks takes, one behind the other. */
const byPairs = (k: number): ReadonlyArray<number> =>
  [0, 2].flatMap((first) => Array.from({ length: k }, (_, p) => p).filter((p) => (p & 2) === first))

/** 8-bit floats: as f16, in two blocks from zero, and c added last. */
const ofBytes = (p: WarpProduct, a: 'e4m3' | 'e5m2', b: 'e4m3' | 'e5m2'): O.Option<WarpMma> => {
  const { m, n, k } = p.shape
  const acc = p.d
  if (!isHalf(acc) || p.c !== acc) return O.none
  const order = byPairs(k)
  const half = encoder('f16')
  const [ofA, ofB, value, pattern] = [decoder(a), decoder(b), decoder(acc), encoder(acc)]
  return O.map((mma: WarpMma): WarpMma => {
    return (as, bs, cs) => {
      const wideA = new Float64Array(m * k)
      const wideB = new Float64Array(k * n)
      for (let q = 0; q < k; q++) {
        const from = order[q]!
        for (let i = 0; i < m; i++) wideA[i * k + q] = half(ofA(as[i * k + from]!))
        for (let j = 0; j < n; j++) wideB[q * n + j] = half(ofB(bs[from * n + j]!))
      }
      const sums = mma(wideA, wideB, new Float64Array(m * n))
      return sums.map((sum, at) => pattern(value(sum) + value(cs[at]!)))
    }
  })(blocks('f16', acc, p.shape, k / 2))
}

const fma32 = roundedFma('f32')

/** m8n8k4 of f16: multiply-adds of f32. */
const ofQuads = (p: WarpProduct): WarpMma => {
  const { m, n, k } = p.shape
  const half = decoder('f16')
  const c32 = decoder(p.c === 'f16' ? 'f16' : 'f32')
  const into = encoder(p.d === 'f16' ? 'f16' : 'f32')
  const short = p.d === 'f16'
  return (as, bs, cs) =>
    cs.map((c, at) => {
      const q = Math.floor(at / (m * n))
      const i = Math.floor(at / n) % m
      const j = at % n
      const a = (r: number): number => half(as[(q * m + i) * k + r]!)
      const b = (r: number): number => half(bs[(q * k + r) * n + j]!)
      if (!short) {
        let sum = 0
        for (let r = 0; r < k; r++) sum = fma32(a(r), b(r), sum)
        return into(c32(c) + sum)
      }
      const low = fma32(a(1), b(1), Math.fround(a(0) * b(0)))
      const high = fma32(a(3), b(3), Math.fround(a(2) * b(2)))
      return into(Math.fround(Math.fround(c32(c) + low) + high))
    })
}

// ---------------------------------------------------------------- f64

const ofDoubles = (p: WarpProduct): O.Option<WarpMma> => {
  const { m, n, k } = p.shape
  const fma = scalarOperation(`fma.${p.rounding}.f64`)?.compute
  if (fma === undefined) return O.none
  return O.some((a, b, c) => {
    const d = new Float64Array(2 * m * n)
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        const at = 2 * (i * n + j)
        let low = c[at]! | 0
        let high = c[at + 1]! | 0
        for (let r = 0; r < k; r++) {
          const x = 2 * (i * k + r)
          const y = 2 * (r * n + j)
          low = fma(a[x]! | 0, a[x + 1]! | 0, b[y]! | 0, b[y + 1]! | 0, low, high)
          high = rest[0]!
        }
        d[at] = low >>> 0
        d[at + 1] = high >>> 0
      }
    return d
  })
}

// ---------------------------------------------------------------- integers

const least = -(2 ** 31)
const greatest = 2 ** 31 - 1

/** The number that a pattern of an integer type is. */
const integerOf = (type: WarpInput): ((pattern: number) => number) =>
  type === 's8' ? (x) => (x << 24) >> 24 : type === 's4' ? (x) => (x << 28) >> 28 : (x) => x

const ofIntegers = (p: WarpProduct): WarpMma => {
  const { n, k } = p.shape
  const [ofA, ofB] = [integerOf(p.a), integerOf(p.b)]
  return (as, bs, cs) => {
    const a = as.map(ofA)
    const b = bs.map(ofB)
    return cs.map((c, at) => {
      const i = Math.floor(at / n)
      const j = at % n
      // below 2^8 2^16: exact
      let sum = c | 0
      if (p.counts === 'xor') for (let r = 0; r < k; r++) sum += a[i * k + r]! === b[r * n + j]! ? 0 : 1
      else for (let r = 0; r < k; r++) sum += a[i * k + r]! * b[r * n + j]!
      return (p.saturate ? Math.min(Math.max(sum, least), greatest) : sum | 0) >>> 0
    })
  }
}

// ---------------------------------------------------------------- all of them

/** The product, or none: no chip has it. */
export const warpMma = (p: WarpProduct): O.Option<WarpMma> => {
  const { k } = p.shape
  switch (p.a) {
    case 'f16':
    case 'bf16':
    case 'tf32': {
      if (p.b !== p.a || !isHalf(p.c) || !isHalf(p.d)) return O.none
      if (p.products === 4) return p.a === 'f16' ? O.some(ofQuads(p)) : O.none
      const inside = p.c === 'f16' && p.d === 'f16' ? 'f16' : 'f32'
      const blockK = p.a === 'tf32' && p.instruction === 'wmma' ? 4 : k
      return O.map((mma: WarpMma) => converted(p, inside, mma))(blocks(p.a, inside, p.shape, blockK))
    }
    case 'e4m3':
    case 'e5m2':
      return p.b === 'e4m3' || p.b === 'e5m2' ? ofBytes(p, p.a, p.b) : O.none
    case 'f64':
      return p.b === 'f64' && p.c === 'f64' && p.d === 'f64' ? ofDoubles(p) : O.none
    case 's8':
    case 'u8':
    case 's4':
    case 'u4':
    case 'b1':
      return p.c === 's32' && p.d === 's32' && warpElementBits(p.a) === warpElementBits(p.b)
        ? O.some(ofIntegers(p))
        : O.none
  }
}

// ---------------------------------------------------------------- sparse

/** The same of a sparse a: its stored elements (m x k / 2), and the k of each of them. */
export type SparseWarpMma = (
  a: Float64Array,
  at: Int32Array,
  b: Float64Array,
  c: Float64Array,
) => Float64Array

/** The sparse product, or none: no chip has it. */
export const warpSparse = (p: WarpProduct): O.Option<SparseWarpMma> => {
  const { m, n, k } = p.shape
  const stored = k / 2
  if (p.instruction !== 'mma' || p.a === 'f64' || p.a === 'b1') return O.none
  return O.map((row: WarpMma): SparseWarpMma => {
    return (a, at, b, c) => {
      const out = new Float64Array(m * n)
      const chosen = new Float64Array(stored * n)
      for (let i = 0; i < m; i++) {
        for (let q = 0; q < stored; q++) {
          const from = at[i * stored + q]! * n
          chosen.set(b.subarray(from, from + n), q * n)
        }
        out.set(row(a.subarray(i * stored, (i + 1) * stored), chosen, c.subarray(i * n, (i + 1) * n)), i * n)
      }
      return out
    }
  })(warpMma({ ...p, shape: { m: 1, n, k: stored } }))
}
