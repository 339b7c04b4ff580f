/**
 * Tensor-core products in vectors: `tensorCoreMma`, bit for bit.
 *
 * The formula is that of `numerics/tensor-core.ts`, all of it in f64: a product is exact, scaled by 2^(F - E) it is cut by one
 * instruction, and a sum of such integers, below 2^(F + 2) each, is exact whatever its order. The result's rounding toward zero is a mask
 * over the f64's fraction; to nearest even it is an addition before the mask.
 *
 * | by hand: f16 -> f32, c = 1, products 2^-25, 2^-26      | F = 25, E = 0                       |
 * |--------------------------------------------------------|-------------------------------------|
 * | exponents: 0 of c, -25 and -26 of the products         | scale 2^25                          |
 * | terms 2^25, 1, 0.5 -> 0                                | sum 2^25 + 1                        |
 * | times 2^-25, 29 bits of the f64's fraction masked away | 1 + 2^-25 -> 1                      |
 *
 * Where the vectors do not hold (an infinity or a NaN among the terms, a result beyond the accumulator's range or below its least normal
 * number) the module answers NaN, and `tensorCoreMma` is asked for that element.
 *
 * A chain of products leaves its accumulator in vectors from its first link to its last, and a matrix b that several chains multiply, as the warps of
 * a group do, is decoded once: where it is in memory is kept as long as there is room. So block sums have an engine of their own.
 *
 * Laws
 * 1. For all patterns this is `tensorCoreMma`.
 * 2. A chain is its links one after another, whatever was multiplied before.
 */
import type { Link, Mma, MmaShape } from '../numerics/algebra.js'
import { formatOf, maxExponent, minExponent } from '../numerics/float-format.js'
import { tensorCoreMma, type ArithmeticRules } from '../numerics/tensor-core.js'
import { firstPlace, ownEngine, placedFrom, reserve, words, type Engine } from './engine.js'
import { decoded, encoded, widthOf } from './operand.js'

const lanes = 8

// ---------------------------------------------------------------- what is kept

/** Room for the matrices that are kept: more than those of 64 instructions of 256 columns. */
const keptBytes = 2 ** 22
const keptEnd = firstPlace + keptBytes

/** A matrix b in memory, decoded as one of so many columns. */
interface Place {
  readonly values: number
  readonly exponents: number
  readonly dtype: ArithmeticRules['types']['b']
  readonly columns: number
}

interface Kept {
  readonly engine: Engine
  /** of matrices that nothing changes; anew when there is no more room */
  places: WeakMap<Float64Array, Place>
  end: number
}

let made: Kept | null | undefined
/** The engine of block sums, the same every time; null where there is none. */
const keeping = (): Kept | null => {
  if (made === undefined) {
    const engine = ownEngine()
    made = engine === null ? null : { engine, places: new WeakMap(), end: firstPlace }
  }
  return made
}

// ---------------------------------------------------------------- products

/** The product by the rules, in vectors; null where they do not apply or the engine has none. */
export const fastBlockSum = (rules: ArithmeticRules, { m, n, k }: MmaShape): Mma | null => {
  const { a: aType, b: bType, acc } = rules.types
  const kept = keeping()
  if (kept === null || (acc !== 'f32' && acc !== 'f16') || m * n * k === 0) return null
  const { engine } = kept
  const format = formatOf(acc)
  const least = minExponent(format)
  const [rowsOfA, columnsOfB] = [
    { rows: m, columns: k, lanes: k },
    { rows: k, columns: n, lanes },
  ]
  const columnsOfD = { rows: m, columns: n, lanes }
  const width = widthOf(columnsOfB)
  const sizesOfB = [8 * k * width, 2 * k * width] as const
  // patterns come and go in one place
  const [P, A, AE, B, BE, D, end] = placedFrom(
    keptEnd,
    8 * Math.max(m * k, k * n, m * n),
    8 * m * k,
    2 * m * k,
    ...sizesOfB,
    8 * m * width,
  )
  if (!reserve(engine, end!)) return null

  const decodedB = (b: Float64Array, values: number, exponents: number): void => {
    words(engine).set(b, P! / 8)
    decoded(engine, bType, P!, columnsOfB, 'f64', values, exponents)
  }
  /** Where a matrix is that nothing changes; null: there is no room for one. */
  const placeOf = (b: Float64Array): Place | null => {
    const before = kept.places.get(b)
    if (before?.dtype === bType && before.columns === n) return before
    if (placedFrom(kept.end, ...sizesOfB)[2]! > keptEnd) {
      kept.places = new WeakMap()
      kept.end = firstPlace
    }
    const [values, exponents, after] = placedFrom(kept.end, ...sizesOfB)
    if (after! > keptEnd) return null
    const place: Place = { values: values!, exponents: exponents!, dtype: bType, columns: n }
    decodedB(b, place.values, place.exponents)
    kept.places.set(b, place)
    kept.end = after!
    return place
  }

  /** c and the products of all links; `isFixed`: nothing changes their matrices any more. */
  const summed = (links: ReadonlyArray<Link>, c: Float64Array, isFixed: boolean): Float64Array => {
    const memory = words(engine)
    memory.set(c, P! / 8)
    decoded(engine, acc, P!, columnsOfD, 'f64', D!, 0)
    for (const { a, b } of links) {
      memory.set(a, P! / 8)
      decoded(engine, aType, P!, rowsOfA, 'f64', A!, AE!)
      const place = isFixed ? placeOf(b) : null
      if (place === null) decodedB(b, B!, BE!)
      engine.blockSum(
        m,
        width / lanes,
        k,
        rules.blockK,
        A!,
        AE!,
        place?.values ?? B!,
        place?.exponents ?? BE!,
        D!,
        rules.alignmentBits,
        rules.exponentFloor,
        rules.resultFractionBits,
        rules.rounding === 'rn' ? 1 : 0,
        least,
        maxExponent(format) - least,
      )
    }
    const left = encoded(engine, D!, columnsOfD, acc === 'f32' ? 'f64AsF32' : 'f64AsF16', P!)
    const d = memory.slice(P! / 8, P! / 8 + m * n)
    if (left > 0) {
      const one = tensorCoreMma(rules, { m: 1, n: 1, k })
      const column = new Float64Array(k)
      for (let at = 0; at < d.length; at++) {
        if (d[at] === d[at]) continue
        const [i, j] = [Math.floor(at / n), at % n]
        let sum: Float64Array = c.subarray(at, at + 1)
        for (const { a, b } of links) {
          for (let p = 0; p < k; p++) column[p] = b[p * n + j]!
          sum = one(a.subarray(i * k, (i + 1) * k), column, sum)
        }
        d[at] = sum[0]!
      }
    }
    return d
  }

  const product: Mma = (a, b, c) => summed([{ a, b }], c, false)
  return Object.assign(product, {
    chain: (links: ReadonlyArray<Link>, c: Float64Array) => summed(links, c, true),
  })
}
