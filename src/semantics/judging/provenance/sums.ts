/**
 * Sums of elements: what becomes of them where they are added.
 *
 *     {A[2, 0:5] B[0:5, 7]} + {A[2, 5] B[5, 7]}           {A[2, 0:6] B[0:6, 7]}: one chain
 *     c[2, 7] + {A[2, 0:8] B[0:8, 7]}                     kept as it was made: an epilogue
 *     (2 a[2, 0]) b[0, 7] + (2 a[2, 1]) b[1, 7]           2 {A[2, 0:2] B[0:2, 7]}: a power of two may be taken out of a sum
 *     (0.3 a[2, 0]) b[0, 7]                               said: each product is rounded
 *
 * Laws
 * 1. `addElements` is commutative and associative as of multisets, with zero neutral.
 * 2. `timesNumbers` of what `withoutNumbers` leaves is the element.
 */
import { isFloat } from '../../../numerics/dtype.js'
import { decoder } from '../../../numerics/float-format.js'
import { showNumber } from './epilogue.js'
import { andThen } from './intervals.js'
import { zeroElement, type Element } from './terms.js'

export const otherElement = (why: string): Element => ({ _tag: 'other', why })

type Sum = Extract<Element, { readonly _tag: 'sum' }>

/** Is it a zero that no data has made? An element that is nowhere is one. */
export const isZero = (x: Element): boolean => x._tag === 'zero' || (x._tag === 'input' && x.address < 0)

const isOneProduct = ({ ks }: Sum): boolean => ks.length === 2 && ks[1]! - ks[0]! === 1

/** A product joins the chain of those before it, and of two products either is the first; two sums are two lists. */
const ksOf = (x: Sum, y: Sum): Sum['ks'] => {
  if (isOneProduct(y) && !(isOneProduct(x) && y.ks[0]! < x.ks[0]!)) return andThen(x.ks, y.ks)
  return isOneProduct(x) ? andThen(y.ks, x.ks) : [...x.ks, ...y.ks]
}

export const addElements = (x: Element, y: Element): Element => {
  if (x._tag === 'other') return x
  if (y._tag === 'other') return y
  if (isZero(x)) return isZero(y) ? zeroElement : y
  if (isZero(y)) return x
  return x._tag === 'sum' && y._tag === 'sum' ? addSums(x, y) : addMade(x, y)
}

const addSums = (x: Sum, y: Sum): Element => {
  if (x.a !== y.a || x.b !== y.b || x.scaled !== y.scaled)
    return otherElement('products of two pairs of tensors are added')
  return x.row === y.row && x.column === y.column
    ? {
        _tag: 'sum',
        a: x.a,
        b: x.b,
        row: x.row,
        column: x.column,
        ks: ksOf(x, y),
        scaled: x.scaled,
      }
    : otherElement(
        `the sum for row ${String(y.row)} and column ${String(y.column)} is added to that for row ${String(x.row)} and column ${String(x.column)}`,
      )
}

/** An epilogue has no more operands in one place: what has is not one. */
const mostOperands = 8

export const operandsOf = (how: 'add' | 'multiply', x: Element): ReadonlyArray<Element> =>
  x._tag === 'made' && x.how === how ? x.of : [x]

export const made = (how: 'add' | 'multiply', of: ReadonlyArray<Element>): Element =>
  of.length > mostOperands
    ? otherElement(
        `more than ${String(mostOperands)} values other than products of the two tensors are ${how === 'add' ? 'added' : 'multiplied'}`,
      )
    : { _tag: 'made', how, of }

/** A sum times numbers; null: it is no such. */
interface Scaled {
  readonly sum: Sum
  readonly numbers: ReadonlyArray<Numeral>
}
type Numeral = Extract<Element, { readonly _tag: 'number' }>

const scaledOf = (x: Element): Scaled | null => {
  if (x._tag === 'sum') return { sum: x, numbers: [] }
  if (x._tag !== 'made' || x.how !== 'multiply') return null
  const sums = x.of.flatMap((e) => (e._tag === 'sum' ? [e] : []))
  const numbers = x.of.flatMap((e) => (e._tag === 'number' ? [e] : []))
  return sums.length === 1 && numbers.length === x.of.length - 1 ? { sum: sums[0]!, numbers } : null
}

/** Have they the same numbers, in whatever order? */
const areAlike = (x: Scaled, y: Scaled): boolean => {
  const said = ({ numbers }: Scaled): string =>
    numbers
      .map(({ dtype, word }) => `${dtype} ${String(word)}`)
      .sort()
      .join()
  return said(x) === said(y)
}

/** Products of one chain go on in it, whatever was added in between, and so do those of which each was multiplied by the same numbers. */
const addMade = (x: Element, y: Element): Element => {
  const out = [...operandsOf('add', x)]
  for (const one of operandsOf('add', y)) {
    const scaled = scaledOf(one)
    const at =
      scaled === null
        ? -1
        : out.findIndex((e) => {
            const there = scaledOf(e)
            return there !== null && areAlike(there, scaled)
          })
    if (at < 0 || scaled === null) out.push(one)
    else out[at] = timesNumbers(addElements(scaledOf(out[at]!)!.sum, scaled.sum), scaled.numbers)
  }
  if (out.length === 1) return out[0]!
  return out.find(({ _tag }) => _tag === 'other') ?? made('add', out)
}

/** An element times numbers. */
export const timesNumbers = (x: Element, numbers: ReadonlyArray<Numeral>): Element =>
  numbers.length === 0 || x._tag === 'other' || isZero(x)
    ? x
    : made('multiply', [...numbers, ...operandsOf('multiply', x)])

// ---------------------------------------------------------------- numbers inside of a sum

/** Is a product with this number exact, but where it leaves the range of the type? */
const isPowerOfTwo = ({ dtype, word }: Numeral): boolean => {
  if (!isFloat(dtype)) return false
  const value = Math.abs(decoder(dtype)(word >>> 0))
  return value > 0 && globalThis.Number.isFinite(value) && Math.log2(value) % 1 === 0
}

const two: Numeral = { _tag: 'number', dtype: 'f32', word: 0x40000000 }
/** What was added to itself, as compilers double; null: another. */
const doubled = (x: Element): Element | null => {
  const [one, other] = x._tag === 'made' && x.how === 'add' && x.of.length === 2 ? x.of : []
  return one?._tag === 'input' &&
    other?._tag === 'input' &&
    one.plane === other.plane &&
    one.address === other.address
    ? one
    : null
}

/** An element that was multiplied by numbers before products are made of it: it, and the numbers; a sentence where that is not the sum times the numbers. */
export const withoutNumbers = (
  x: Element,
): { readonly of: Element; readonly numbers: ReadonlyArray<Numeral> } | string => {
  const twice = doubled(x)
  if (twice !== null) return { of: twice, numbers: [two] }
  if (x._tag !== 'made' || x.how !== 'multiply') return { of: x, numbers: [] }
  const numbers = x.of.flatMap((e) => (e._tag === 'number' ? [e] : []))
  const others = x.of.filter(({ _tag }) => _tag !== 'number')
  const rounds = numbers.find((n) => !isPowerOfTwo(n))
  if (others.length !== 1) return 'is a product of several elements'
  return rounds === undefined
    ? { of: others[0]!, numbers }
    : `is multiplied by ${showNumber(rounds.dtype, rounds.word)} before the products are made, which rounds each of them (a power of two does not)`
}
