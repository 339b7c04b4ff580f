/**
 * The free algebra: an element is the term that computes it.
 *
 * Nothing is calculated. 2 x + y is neither a number nor a polynomial, it is "the sum, in f32, of the product of the constant 2 and input x, and
 * input y". Two programs whose outputs are equal here do the same operations to the same inputs in the same order: so they agree for all inputs, and
 * whatever the operations mean, rounding and special functions included. Those whose outputs differ may still be the same function: a free algebra
 * knows no law, not even that a sum commutes.
 *
 * A carrier is no term but its hash, 52 bits of it. By hand, with h for the hash:
 *
 *     x, y                          h(input 0, 5), h(input 1, 5)
 *     add(mul(2, x), y)             h('add f32', h('mul f32', h('f32', 2), x), y)
 *     mma over k = 2                h('mma', h('mma', c, a[0], b[0]), a[1], b[1])          a chain: two steps, each of them a step of the next
 *
 * A hash is as good as a function drawn at random from all: among n different terms two get one carrier with a probability of about n^2 / 2^53. A run
 * of ten million operations that should differ in one output is taken for the same with one of 2^-52, and confuses two terms anywhere with 1 in 100.
 *
 * Integers are values, here as everywhere. A comparison of floats has to be true or false, and no term says which: it is that of the hashes, in which a
 * term equals itself and no other. So where a select asks for one, only the side that this order picks is followed.
 *
 * `uses` reads the same operations otherwise: a carrier says how often inputs that were marked occur in the term, written out as a tree. Equal terms
 * use every input equally often; of unequal ones it tells what one has too little, or too often.
 *
 * Laws: 1, 2, 3, 7 of `algebra.ts` (3 for every k: a chain has no blocks), 6 as it stands; and
 * 1. two elements are equal iff their terms, written out, are.
 * 2. `uses` of a term is the number of its leaves that are marked.
 * 3. `inputTerm` is a function of (tensor, index).
 *
 * Source: Green, Karvounarakis and Tannen, provenance semirings (a free algebra for what data movement does); term models of universal algebra.
 */
import * as O from 'fp-ts/lib/Option.js'
import type { Algebra, Binary, Compare, CompareOp, Mma, MmaShape, Ternary, Unary } from './algebra.js'
import { compareValues } from './bits.js'
import { dequantised, dequantisedColumns } from './scales.js'
import { isFloat, type Dtype } from './dtype.js'
import { decoder } from './float-format.js'
import { integerCast } from './integer.js'
import { integerMma } from './integer-product.js'

// ---------------------------------------------------------------- any reading of the operations

/** What becomes of a constant, and of an operation with its name. */
interface Reading {
  readonly name: 'terms' | 'uses'
  readonly description: string
  readonly constant: (dtype: Dtype, x: number) => number
  readonly one: (operation: string) => Unary
  readonly two: (operation: string) => Binary
  readonly three: (operation: string) => Ternary
  readonly product: (operation: string, shape: MmaShape) => Mma
  readonly compare: (op: CompareOp) => Compare
}

const algebraOf = (r: Reading): Algebra => ({
  name: r.name,
  description: r.description,
  memory: 'slots',
  constant: r.constant,
  fromBits: (dtype, pattern) => r.constant(dtype, decoder(dtype)(pattern)),
  unary: (op, mode, dtype) => O.some(r.one(`${op} ${mode} ${dtype}`)),
  binary: (op, dtype) => O.some(r.two(`${op} ${dtype}`)),
  fma: (dtype) => O.some(r.three(`fma ${dtype}`)),
  compare: (op) => O.some(r.compare(op)),
  cast: (from, to, rounding, saturate) => {
    if (isFloat(to))
      return O.some(
        isFloat(from)
          ? r.one(`cast ${from} ${to} ${rounding} ${String(saturate)}`)
          : (x) => r.constant(to, x),
      )
    // which integer a term is, is not known
    return isFloat(from) ? O.none : integerCast(from, to, saturate)
  },
  mma: (types, shape) =>
    types.acc === 'i32'
      ? integerMma(types, shape)
      : O.some(r.product(`mma ${types.a} ${types.b} ${types.acc}`, shape)),
  scaledMma: ({ a: left, b: right, acc, scale, block }, shape) => {
    const product = r.product(`mma ${left} ${right} ${acc}`, shape)
    const [ofA, ofB] = [r.two(`times ${left} ${scale}`), r.two(`times ${right} ${scale}`)]
    return O.some((a, b, sa, sb, c) =>
      product(
        dequantised(a, shape.k, block, sa, ofA),
        dequantisedColumns(b, shape.n, shape.k, block, sb, ofB),
        c,
      ),
    )
  },
})

// ---------------------------------------------------------------- hashes

/** A carrier is two lanes of 26 bits. */
const lane = 0x4000000

const upper = (x: number): number => Math.floor(x / lane)

/** 32 bits of which every one depends on every one of x. */
const mix = (x: number): number => {
  const y = Math.imul(x ^ (x >>> 16), 0x21f0aaad)
  const z = Math.imul(y ^ (y >>> 15), 0x735a2d97)
  return z ^ (z >>> 15)
}

/** Two words that a name starts with. */
const seedOf = (name: string): readonly [number, number] => {
  let [p, q] = [0x9e3779b9, 0x7f4a7c15]
  for (let i = 0; i < name.length; i++) {
    p = mix(p ^ name.charCodeAt(i))
    q = mix(q + p)
  }
  return [p, q]
}

/** Absorbs words two at a time: a bijection of the state for given words, and of the words for a given state. */
const hashOf = (start: readonly [number, number], words: ReadonlyArray<number>): number => {
  let [p, q] = start
  for (let i = 0; i < words.length; i += 2) {
    p = mix(p ^ words[i]!)
    q = mix(q ^ words[i + 1]! ^ p)
    p = mix(p + q)
  }
  return (p >>> 6) * lane + (q >>> 6)
}

const wordsOf = (x: number): readonly [number, number] => [upper(x), x % lane]

/** An element of an input: `tensor` is its number, `index` the element's row-major index. */
export const inputTerm = (tensor: number, index: number): number =>
  hashOf(inputs, [tensor, 0, index >>> 0, Math.floor(index / 4294967296)])

const inputs = seedOf('input')

/** Terms one after another, absorbed as `hashOf` absorbs their words. */
const absorbing = (
  [s, t]: readonly [number, number],
  of: ArrayLike<number>,
  more: ArrayLike<number>,
): number => {
  let [p, q] = [s, t]
  for (let i = 0; i < of.length; i++) {
    const x = of[i]!
    p = mix(p ^ upper(x))
    q = mix(q ^ (x % lane) ^ p)
    p = mix(p + q)
  }
  for (let i = 0; i < more.length; i++) {
    const x = more[i]!
    p = mix(p ^ upper(x))
    q = mix(q ^ (x % lane) ^ p)
    p = mix(p + q)
  }
  return (p >>> 6) * lane + (q >>> 6)
}

/** An operation of any number of terms, and of more after them; its name is a seed of the hash. */
export const applied = (
  operation: string,
): ((terms: ArrayLike<number>, more?: ArrayLike<number>) => number) => {
  const start = seedOf(operation)
  return (of, more = []) => absorbing(start, of, more)
}

/** `applied` of one term and each of many others in turn: what the first does to the state is done once. */
export const appliedWith = (operation: string): ((term: number) => (other: number) => number) => {
  const [s, t] = seedOf(operation)
  return (term) => {
    const a = mix(s ^ upper(term))
    const b = mix(t ^ (term % lane) ^ a)
    const c = mix(a + b)
    return (other) => {
      const x = mix(c ^ upper(other))
      const y = mix(b ^ (other % lane) ^ x)
      return (mix(x + y) >>> 6) * lane + (y >>> 6)
    }
  }
}

/** The bits of an f64, NaNs all alike. */
const bitsOfDouble = (x: number): readonly [number, number] => {
  const words = new Uint32Array(new Float64Array([x === x ? x : NaN]).buffer)
  return [words[0]!, words[1]!]
}

/** The products one after another, for every element of the result: the state of its hash absorbs a and b, step by step. */
const hashProduct = (operation: string, { m, n, k }: MmaShape): Mma => {
  const [s, t] = seedOf(operation)
  const lanes = (from: Float64Array): readonly [Int32Array, Int32Array] => {
    const [uppers, lowers] = [new Int32Array(from.length), new Int32Array(from.length)]
    for (let i = 0; i < from.length; i++) {
      uppers[i] = upper(from[i]!)
      lowers[i] = from[i]! % lane
    }
    return [uppers, lowers]
  }
  return (a, b, c) => {
    const d = c.slice()
    const [aUpper, aLower] = lanes(a)
    const [bUpper, bLower] = lanes(b)
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        const x = c[i * n + j]!
        let p = upper(x)
        let q = x % lane
        for (let step = 0; step < k; step++) {
          const at = i * k + step
          const from = step * n + j
          // first apart from a: the sum and a factor may not change places
          p = Math.imul(p ^ s, 0x21f0aaad)
          p = Math.imul(p ^ (p >>> 15) ^ aUpper[at]!, 0x735a2d97)
          p ^= p >>> 15
          q = Math.imul(q ^ t ^ p, 0x21f0aaad)
          q = Math.imul(q ^ (q >>> 15) ^ aLower[at]!, 0x735a2d97)
          q ^= q >>> 15
          p = Math.imul((p + q) ^ bUpper[from]!, 0x21f0aaad)
          p ^= p >>> 15
          q = Math.imul(q ^ bLower[from]! ^ p, 0x735a2d97)
          q ^= q >>> 15
          // both lanes depend on all four words, and are cut, so that a chain may be taken up anywhere
          p = Math.imul(p + q, 0x21f0aaad) >>> 6
          q >>>= 6
        }
        d[i * n + j] = p * lane + q
      }
    return d
  }
}

/** The free algebra. */
export const terms: Algebra = algebraOf({
  name: 'terms',
  description: 'terms: which operations on which inputs, as hashes of 52 bits',
  constant: (dtype, x) => hashOf(seedOf(`constant ${dtype}`), bitsOfDouble(x)),
  one: (operation) => {
    const start = seedOf(operation)
    return (x) => hashOf(start, wordsOf(x))
  },
  two: (operation) => {
    const [s, t] = seedOf(operation)
    // hashOf of four words, without making them
    return (x, y) => {
      let p = mix(s ^ upper(x))
      let q = mix(t ^ (x % lane) ^ p)
      p = mix(p + q)
      p = mix(p ^ upper(y))
      q = mix(q ^ (y % lane) ^ p)
      p = mix(p + q)
      return (p >>> 6) * lane + (q >>> 6)
    }
  },
  three: (operation) => {
    const start = seedOf(operation)
    return (x, y, z) => hashOf(start, [...wordsOf(x), ...wordsOf(y), ...wordsOf(z)])
  },
  product: hashProduct,
  compare: compareValues,
})

// ---------------------------------------------------------------- how often

/** Rows of a and columns of b, each added up once: the chain adds all of them to c. */
const countProduct =
  ({ m, n, k }: MmaShape): Mma =>
  (a, b, c) => {
    const rows = new Float64Array(m)
    const columns = new Float64Array(n)
    for (let i = 0; i < m; i++) for (let step = 0; step < k; step++) rows[i]! += a[i * k + step]!
    for (let step = 0; step < k; step++) for (let j = 0; j < n; j++) columns[j]! += b[step * n + j]!
    return c.map((x, at) => x + rows[Math.floor(at / n)]! + columns[at % n]!)
  }

/** How often marked inputs occur: an input is 1 if it is marked, else 0. Floats are taken for different wherever they are compared. */
export const uses: Algebra = algebraOf({
  name: 'uses',
  description: 'uses: how often marked inputs occur in the term',
  constant: () => 0,
  one: () => (x) => x,
  two: () => (x, y) => x + y,
  three: () => (x, y, z) => x + y + z,
  product: (_operation, shape) => countProduct(shape),
  compare: (op) => () => op === 'ne',
})
