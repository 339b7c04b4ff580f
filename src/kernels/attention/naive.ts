/**
 * Naive attention: what every attention kernel is compared with.
 *
 * For a query row q and the keys it sees,
 *
 *     s_k = scale (q . k)      m = max s_k      l = sum e^(s_k - m)      out = sum e^(s_k - m) v_k / l      lse = m + ln l
 *
 * row by row, all keys at once, in the f32 operations of an algebra: in `real64` this is the definition, with nothing rounded. Tensors are those
 * of the kernels: q and out (batch, q, heads, headDim), k and v (batch, kv, kvHeads, headDim), lse (batch, heads, q). Heads share keys in groups: head h has
 * the keys of head h div (heads / kvHeads).
 *
 * By hand, one head, headDim 2, scale 1, q = (1, 0), k = (0, 0), (ln 3, 5), v = (4, 0), (8, 1):
 *
 *     s = 0, ln 3      m = ln 3      e^(s - m) = 1/3, 1      l = 4/3      out = (1/4)(4, 0) + (3/4)(8, 1) = (7, 3/4)      lse = ln 4
 *
 * What a key that is not seen counts is not the same everywhere. `minus-infinity`: nothing. A finite sentinel: its score is that number, which
 * differs only where all keys of a row are hidden: then the row is the mean of all v. A row without keys is 0 with lse -infinity (`zero`), or
 * NaN, which is what a division by l = 0 gives.
 *
 * Laws
 * 1. The four equations, in `real64` to the last bits of f64.
 * 2. With the keys of a row in any order the result is the same up to rounding; a constant added to all scores changes lse alone.
 * 3. `decodedAttention` of bit patterns is `naiveAttention` over `real64` of the values that they stand for.
 *
 * Source: Vaswani et al. 2017; Dao et al. 2022 for lse; Mojo's kernels (finite sentinel), FlashAttention (rows without keys).
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import type { FloatDtype } from '../../numerics/dtype.js'
import { decoder } from '../../numerics/float-format.js'
import { real64 } from '../../numerics/real64.js'
import { bandOf, keysOf, noMask, type Mask } from './mask.js'

// ---------------------------------------------------------------- model

export interface AttentionShape {
  readonly batch: number
  /** rows of q */
  readonly q: number
  /** rows of k and v */
  readonly kv: number
  readonly heads: number
  /** divides `heads` */
  readonly kvHeads: number
  readonly headDim: number
}

/** What a hidden key counts, and what a row is that sees none. */
export type Hidden =
  | { readonly _tag: 'minus-infinity'; readonly empty: 'zero' | 'nan' }
  | { readonly _tag: 'sentinel'; readonly score: number }

export interface Attention extends AttentionShape {
  readonly mask: Mask
  /** of the scores; null: 1 */
  readonly scale: number | null
  readonly hidden: Hidden
}

/** Row-major carriers of the algebra. */
export interface Attended {
  readonly out: Float64Array
  /** natural logarithm */
  readonly lse: Float64Array
}

export interface Operands {
  readonly q: Float64Array
  readonly k: Float64Array
  readonly v: Float64Array
}

export type AttentionFailure = Failure<'attention.shape' | 'attention.algebra'>

/** log2(e): kernels keep scores and lse in base two. */
export const log2e: number = Math.LOG2E

// ---------------------------------------------------------------- constructors

export const attention = (
  shape: AttentionShape,
  rest: Partial<Pick<Attention, 'mask' | 'scale' | 'hidden'>> = {},
): Attention => ({
  ...shape,
  mask: noMask,
  scale: null,
  hidden: { _tag: 'minus-infinity', empty: 'zero' },
  ...rest,
})

/** How many elements each tensor has. */
export const sizesOf = (a: AttentionShape): Readonly<Record<'q' | 'k' | 'v' | 'out' | 'lse', number>> => {
  const q = a.batch * a.q * a.heads * a.headDim
  const kv = a.batch * a.kv * a.kvHeads * a.headDim
  return { q, k: kv, v: kv, out: q, lse: a.batch * a.heads * a.q }
}

/** The head of k and v that a head of q uses. */
export const kvHeadOf = (a: AttentionShape, head: number): number => Math.floor(head / (a.heads / a.kvHeads))

/** Where a row of a (batch, length, heads, headDim) tensor begins. */
const rowStart = (
  b: number,
  row: number,
  head: number,
  length: number,
  heads: number,
  headDim: number,
): number => ((b * length + row) * heads + head) * headDim

// ---------------------------------------------------------------- the arithmetic

const f32Of = (algebra: Algebra) =>
  sequenceS(O.Apply)({
    fma: algebra.fma('f32'),
    add: algebra.binary('add', 'f32'),
    sub: algebra.binary('sub', 'f32'),
    mul: algebra.binary('mul', 'f32'),
    max: algebra.binary('max', 'f32'),
    div: algebra.binary('div', 'f32'),
    exp: algebra.unary('expf', 'rn', 'f32'),
    log2: algebra.unary('lg2.approx.f32', 'rn', 'f32'),
    same: algebra.compare('eq', 'f32'),
  })

const illegal = (a: Attention, { q, k, v }: Operands): string | null => {
  const entries = Object.entries({
    batch: a.batch,
    q: a.q,
    kv: a.kv,
    heads: a.heads,
    kvHeads: a.kvHeads,
    headDim: a.headDim,
  })
  const odd = entries.find(([, n]) => !Number.isInteger(n) || n < 1)
  if (odd !== undefined) return `${odd[0]} is ${String(odd[1])}: expected a positive integer`
  if (a.heads % a.kvHeads !== 0)
    return `heads is ${String(a.heads)}: expected a multiple of kvHeads, which is ${String(a.kvHeads)}`
  const sizes = sizesOf(a)
  for (const [name, found] of [
    ['q', q.length],
    ['k', k.length],
    ['v', v.length],
  ] as const)
    if (found !== sizes[name]) return `${name} has ${String(found)} elements: expected ${String(sizes[name])}`
  return null
}

/** Attention of operands of one dtype, everything else in f32. */
export const naiveAttention = (
  algebra: Algebra,
  dtype: FloatDtype,
  a: Attention,
  operands: Operands,
): E.Either<AttentionFailure, Attended> => {
  const wrong = illegal(a, operands)
  if (wrong !== null) return refuse('attention.shape', `naive attention: ${wrong}`)
  const arithmetic = f32Of(algebra)
  const widen = algebra.cast(dtype, 'f32', 'rn', false)
  const narrow = algebra.cast('f32', dtype, 'rn', false)
  if (O.isNone(arithmetic) || O.isNone(widen) || O.isNone(narrow))
    return refuse(
      'attention.algebra',
      `${algebra.name}: attention needs exp and a logarithm of f32, and casts of ${dtype}`,
    )
  const { fma, add, sub, mul, max, div, exp, log2, same } = arithmetic.value
  const real = (x: number): number => algebra.constant('f32', x)
  const [zero, least, ln2] = [real(0), real(-Infinity), real(Math.LN2)]
  const scale = a.scale === null ? null : real(a.scale)
  const hiddenScore = a.hidden._tag === 'sentinel' ? real(a.hidden.score) : null
  const emptyIsZero = a.hidden._tag === 'minus-infinity' && a.hidden.empty === 'zero'
  const q = operands.q.map(widen.value)
  const k = operands.k.map(widen.value)
  const v = operands.v.map(widen.value)
  const sizes = sizesOf(a)
  const out = new Float64Array(sizes.out)
  const lse = new Float64Array(sizes.lse)
  const band = bandOf(a.mask, a)
  const scores = new Float64Array(a.kv)
  const sum = new Float64Array(a.headDim)
  for (let b = 0; b < a.batch; b++)
    for (let h = 0; h < a.heads; h++) {
      const hk = kvHeadOf(a, h)
      for (let row = 0; row < a.q; row++) {
        const qAt = rowStart(b, row, h, a.q, a.heads, a.headDim)
        const [first, end] = keysOf(band, a, row)
        // a sentinel is a score like any other, so then every key counts
        const [from, to] = hiddenScore === null ? [first, end] : [0, a.kv]
        let m = least
        for (let j = from; j < to; j++) {
          let s = zero
          if (j < first || j >= end) s = hiddenScore ?? least
          else {
            const kAt = rowStart(b, j, hk, a.kv, a.kvHeads, a.headDim)
            for (let d = 0; d < a.headDim; d++) s = fma(q[qAt + d]!, k[kAt + d]!, s)
            if (scale !== null) s = mul(s, scale)
          }
          scores[j] = s
          m = max(m, s)
        }
        let l = zero
        sum.fill(zero)
        const safe = same(m, least) ? zero : m
        for (let j = from; j < to; j++) {
          const p = exp(sub(scores[j]!, safe))
          l = add(l, p)
          const vAt = rowStart(b, j, hk, a.kv, a.kvHeads, a.headDim)
          for (let d = 0; d < a.headDim; d++) sum[d] = fma(p, v[vAt + d]!, sum[d]!)
        }
        const empty = same(l, zero)
        for (let d = 0; d < a.headDim; d++)
          out[qAt + d] = narrow.value(empty && emptyIsZero ? zero : div(sum[d]!, l))
        lse[(b * a.heads + h) * a.q + row] = empty ? least : fma(log2(l), ln2, safe)
      }
    }
  return E.right({ out, lse })
}

/** Attention of bit patterns in f64: nothing is rounded, not even the result. */
export const decodedAttention = (
  dtype: FloatDtype,
  a: Attention,
  { q, k, v }: Operands,
): E.Either<AttentionFailure, Attended> => {
  const value = decoder(dtype)
  return pipe({ q: q.map(value), k: k.map(value), v: v.map(value) }, (operands) =>
    naiveAttention(real64, dtype, a, operands),
  )
}
