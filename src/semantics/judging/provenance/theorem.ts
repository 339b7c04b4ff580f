/**
 * The theorems: what the terms of the outputs prove.
 *
 * A write is asked as a whole, if it can be: whether each of its sums lies at its own row and column depends on three tables that the writes of
 * all tiles share. If all writes that are left are right and no byte of the output is without one, so is the output, whichever of them came
 * last where two meet. Otherwise it is asked element by element, which names the first that is wrong.
 *
 *     c (256, 256) f32 row-major, tile (128, 128) at [0, 128]
 *     element e of the write: offset 1024 (e div 128) + 4 (e mod 128), row e div 128, column e mod 128: in place, 0 apart
 *     the write: byte 512 on, sums from row 0 and column 128 on: 512 = 1024 * 0 + 4 * 128, so every element is where it should be
 *
 * Laws
 * 1. `matmul` proves iff every output element is the sum over its row and its column of every k once; the text of a refusal names the first
 *    element that is not, who wrote it, and what it is instead.
 * 2. Asked by writes and asked by elements, the answer is the same.
 */
import * as E from 'fp-ts/lib/Either.js'
import { bitsOf } from '../../../numerics/dtype.js'
import { mergeSpans, type Span } from '../../../transforms/ref.js'
import type { Footprint, LoggedTensor } from '../../log/events.js'
import { bytesIn, spansOf } from '../../log/events.js'
import type { Spec } from '../../language/program.js'
import type { Provenance } from '../verdict.js'
import { forEachAddress } from '../../machine/footprint.js'
import { against, ascending, sameIntervals } from './intervals.js'
import type { Intervals } from './intervals.js'
import { formulaWith, showFormula, type Asking, type Formula } from './epilogue.js'
import { unwritten, placeOf, siteName, tail, type InPlace, type Memory, type Written } from './memory.js'
import { factorOf, transposeOf } from './product.js'
import type { Table } from './tables.js'
import { addressOf, columnOf, elementOf, rowOf, type Element, type SumTerms } from './terms.js'

/** It is not proved, and this is why. */
export const refuted = (text: string): Provenance => ({ proved: false, inOrder: false, text })

const bytesOf = (t: LoggedTensor): number => bitsOf(t.dtype) / 8

/** What a tensor holds at the end, by cells of its elements' size. */
interface Contents {
  readonly live: ReadonlyArray<Written>
  /** which of them wrote the cell; negative where nothing did, or not all of it */
  readonly writer: Int32Array
  /** and the element of the write that it holds */
  readonly element: Int32Array
}

const contentsOf = (m: Memory, t: LoggedTensor): Contents => {
  const live = [...m.writes[t.plane]!.values()]
  const bytes = bytesOf(t)
  const size = m.header.planes[t.plane]!.bytes / bytes
  const writer = new Int32Array(size).fill(unwritten)
  const element = new Int32Array(size)
  live.forEach((w, i) => {
    // of what cannot be said it is no matter in which type
    const whole = w.footprint.dtype === t.dtype || w.terms._tag === 'other'
    forEachAddress(w.footprint, (a, e) => {
      writer[Math.floor(a / bytes)] = whole && a % bytes === 0 ? i : tail
      element[Math.floor(a / bytes)] = e
    })
  })
  return { live, writer, element }
}

// ---------------------------------------------------------------- by writes

/** Bytes under at least one of the footprints. */
const covered = (all: ReadonlyArray<Footprint>): number =>
  mergeSpans(all.flatMap(pairsOf)).reduce((sum, [, length]) => sum + length, 0)

const pairsOf = (f: Footprint): ReadonlyArray<Span> => {
  const spans = spansOf(f)
  const out: Span[] = []
  for (let i = 0; i < spans.length; i += 2) out.push([spans[i]!, spans[i + 1]! - spans[i]!])
  return out
}

/** Whether elements at `offsets` with these rows and columns lie like the matrix's, and then how far apart from where it has them. */
const inPlaceOf = (t: LoggedTensor, offsets: Table, rows: Table, columns: Table): InPlace | null => {
  const apart = commonDistance(
    offsets.values,
    rows.values,
    columns.values,
    t.strides[0]! * bytesOf(t),
    t.strides[1]! * bytesOf(t),
  )
  return apart === null ? null : { apart, rows: rangeOf(rows.values), columns: rangeOf(columns.values) }
}

/** How far every offset lies from row times `down` plus column times `along`; null if not all lie as far, or there is none. */
const commonDistance = (
  offsets: Int32Array,
  rows: Int32Array,
  columns: Int32Array,
  down: number,
  along: number,
): number | null => {
  const count = offsets.length
  if (count === 0) return null
  const apart = offsets[0]! - rows[0]! * down - columns[0]! * along
  for (let e = 1; e < count; e++)
    if (offsets[e]! - rows[e]! * down - columns[e]! * along !== apart) return null
  return apart
}

const rangeOf = (xs: Int32Array): readonly [least: number, greatest: number] => {
  const count = xs.length
  let least = xs[0]!
  let greatest = least
  for (let i = 1; i < count; i++) {
    const x = xs[i]!
    if (x < least) least = x
    if (x > greatest) greatest = x
  }
  return [least, greatest]
}

/** Is each element of a write the sum of its own row and column of the matrix? */
const isInPlace = (m: Memory, t: LoggedTensor, w: Written, terms: SumTerms): boolean => {
  const [offsets, origin] = placeOf(m, w.footprint)
  const key = `${t.dtype}:${t.strides.join()}:${String(offsets.id)}:${String(terms.rows.id)}:${String(terms.columns.id)}`
  const known = m.found.inPlace.get(key)
  const how = known === undefined ? inPlaceOf(t, offsets, terms.rows, terms.columns) : known
  m.found.inPlace.set(key, how)
  return (
    how !== null &&
    origin + how.apart === (terms.row * t.strides[0]! + terms.column * t.strides[1]!) * bytesOf(t) &&
    terms.row + how.rows[0] >= 0 &&
    terms.row + how.rows[1] < t.shape[0]! &&
    terms.column + how.columns[0] >= 0 &&
    terms.column + how.columns[1] < t.shape[1]!
  )
}

/** What all writes together prove, if they are all right and leave nothing out: whether every k was added in ascending order. */
const byWrites = (
  m: Memory,
  out: LoggedTensor,
  isProduct: (terms: SumTerms) => boolean,
  whole: Intervals,
): { readonly inOrder: boolean } | null => {
  const live = [...m.writes[out.plane]!.values()]
  let inOrder = true
  for (const w of live) {
    const { terms, footprint } = w
    if (footprint.dtype !== out.dtype || terms._tag !== 'sum' || !isProduct(terms)) return null
    if (!sameIntervals(terms.ks, whole)) {
      if (!sameIntervals(ascending(terms.ks), whole)) return null
      inOrder = false
    }
    if (!isInPlace(m, out, w, terms)) return null
  }
  const bytes = out.shape[0]! * out.shape[1]! * bytesOf(out)
  if (covered(live.map((w) => w.footprint)) !== bytes) return null
  // the order of sums that others lie on altogether is not that of the output
  const written = live.reduce((sum, w) => sum + bytesIn(w.footprint.spans), 0)
  return inOrder || written === bytes ? { inOrder } : null
}

// ---------------------------------------------------------------- the theorems

/** What leaves of an epilogue are. */
const epilogueOf = (
  m: Memory,
  product: string,
  isProduct: (terms: SumTerms | Extract<Element, { readonly _tag: 'sum' }>) => boolean,
  whole: Intervals,
): Asking => ({
  tensors: m.header.tensors,
  sumAt: (sum, i, j) => {
    if (!isProduct(sum)) return E.left('multiplies other tensors')
    if (sum.row !== i || sum.column !== j)
      return E.left(`has the sum for row ${String(sum.row)} and column ${String(sum.column)} in it`)
    const sorted = ascending(sum.ks)
    return sameIntervals(sorted, whole) ? E.right(product) : E.left(`has ${against(sorted, whole[1]!)}`)
  },
})

export const matmul = (m: Memory, spec: Extract<Spec, { readonly _tag: 'matmul' }>): Provenance => {
  const named = (name: string): LoggedTensor | undefined => m.header.tensors.find((t) => t.name === name)
  const [heldA, heldB, heldOut] = [named(spec.a), named(spec.b), named(spec.out)]
  if (heldA === undefined || heldB === undefined || heldOut === undefined)
    return refuted('the program names tensors that it does not have')
  const out = spec.transposedOut === true ? transposeOf(heldOut) : heldOut
  const [a, b] = [factorOf(spec, 'a', heldA), factorOf(spec, 'b', heldB)]
  const K = a.shape[1]!
  const whole = [0, K]
  const [rows, columns] = [out.shape[0]!, out.shape[1]!]
  const proved = (inOrder: boolean): Provenance => ({
    proved: true,
    inOrder,
    text: `${out.name} = ${a.name} @ ${b.name}${spec.scales === undefined ? '' : `, scaled by ${spec.scales.a} and ${spec.scales.b} every ${String(spec.scales.block)} of k,`} for all inputs of shape (${a.shape.join(', ')}) x (${b.shape.join(', ')}): each of the ${String(rows * columns)} elements is the sum over its row and column, every k of 0:${String(K)} exactly once${inOrder ? ', added in ascending order' : ''}${m.header.planes[out.plane]!.zeros === true ? `, where ${out.name} holds zeros before the launch` : ''}`,
  })
  const scaled = spec.scales !== undefined
  const isProduct = (terms: { readonly a: number; readonly b: number; readonly scaled: boolean }): boolean =>
    terms.a === a.plane && terms.b === b.plane && terms.scaled === scaled
  const together = byWrites(m, out, isProduct, whole)
  if (together !== null) return proved(together.inOrder)
  const asking = epilogueOf(m, `${a.name} @ ${b.name}`, isProduct, whole)
  const { live, writer, element } = contentsOf(m, out)
  const at = (i: number, j: number): string => `${out.name}[${String(i)}, ${String(j)}]`
  const by = (i: number, j: number, w: Written): string => `${at(i, j)}, written by ${siteName(m, w.site)},`
  let inOrder = true
  if (spec.epilogue === true) {
    let formula: Formula | null = null
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) {
        const cell = i * out.strides[0]! + j * out.strides[1]!
        const who = writer[cell] ?? unwritten
        if (who < 0) return refuted(`${at(i, j)} is never written`)
        const next = formulaWith(asking, formula, elementOf(live[who]!.terms, element[cell]!), i, j)
        if (E.isLeft(next)) return refuted(`${by(i, j, live[who]!)} ${next.left}`)
        formula = next.right
      }
    return formula === null
      ? refuted(`${out.name} has no elements`)
      : {
          proved: true,
          inOrder: false,
          text: `${out.name} = ${showFormula(formula)} for all inputs, ${a.name} @ ${b.name} of shape (${a.shape.join(', ')}) x (${b.shape.join(', ')}): each of the ${String(rows * columns)} elements, every k of 0:${String(K)} exactly once`,
        }
  }
  // what is the same for all elements of one write is asked once
  let asked = unwritten
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const cell = i * out.strides[0]! + j * out.strides[1]!
      const who = writer[cell] ?? unwritten
      if (who < 0) return refuted(`${at(i, j)} is never written`)
      const write = live[who]!
      const { terms } = write
      if (terms._tag === 'other') return refuted(`${by(i, j, write)} ${terms.why}`)
      if (terms._tag === 'each') {
        const said = formulaWith(asking, null, elementOf(terms, element[cell]!), i, j)
        return refuted(
          `${by(i, j, write)} ${E.isLeft(said) ? said.left : `is of ${showFormula(said.right)}, which is not only a product (a claim of gemm asks what all elements are)`}`,
        )
      }
      if (terms._tag === 'zero') return refuted(`${by(i, j, write)} is zero: no product was added`)
      if (terms._tag === 'input')
        return refuted(`${by(i, j, write)} is an element of ${m.header.planes[terms.plane]!.name}`)
      if (terms.a !== a.plane || terms.b !== b.plane)
        return refuted(`${by(i, j, write)} multiplies other tensors`)
      if (terms.scaled !== scaled)
        return refuted(`${by(i, j, write)} is ${terms.scaled ? '' : 'not '}a sum of scaled elements`)
      const e = element[cell]!
      if (rowOf(terms, e) !== i || columnOf(terms, e) !== j)
        return refuted(
          `${by(i, j, write)} is the sum for row ${String(rowOf(terms, e))} and column ${String(columnOf(terms, e))}`,
        )
      if (who === asked) continue
      asked = who
      if (sameIntervals(terms.ks, whole)) continue
      const sorted = ascending(terms.ks)
      if (!sameIntervals(sorted, whole)) return refuted(`${by(i, j, write)} has ${against(sorted, K)}`)
      inOrder = false
    }
  return proved(inOrder)
}

export const copy = (m: Memory, spec: Extract<Spec, { readonly _tag: 'copy' }>): Provenance => {
  const from = m.header.tensors.find((t) => t.name === spec.from)
  const out = m.header.tensors.find((t) => t.name === spec.out)
  if (from === undefined || out === undefined)
    return refuted('the program names tensors that it does not have')
  const size = out.shape.reduce((n, d) => n * d, 1)
  const bytes = bytesOf(out)
  const byteOf = (t: LoggedTensor, flat: number): number => {
    let rest = flat
    let at = 0
    for (let d = t.shape.length - 1; d >= 0; d--) {
      at += (rest % t.shape[d]!) * t.strides[d]!
      rest = Math.floor(rest / t.shape[d]!)
    }
    return at * bytesOf(t)
  }
  const { live, writer, element } = contentsOf(m, out)
  for (let e = 0; e < size; e++) {
    const cell = byteOf(out, e) / bytes
    const who = writer[cell] ?? unwritten
    if (who < 0) return refuted(`element ${String(e)} of ${out.name} is never written`)
    const { terms } = live[who]!
    if (terms._tag !== 'input')
      return refuted(
        `element ${String(e)} of ${out.name} is not an element of an input${terms._tag === 'other' ? `: ${terms.why}` : ''}`,
      )
    if (terms.plane !== from.plane || addressOf(terms, element[cell]!) !== byteOf(from, e))
      return refuted(
        `element ${String(e)} of ${out.name} is another element of ${m.header.planes[terms.plane]!.name}`,
      )
  }
  return {
    proved: true,
    inOrder: true,
    text: `${out.name} = ${from.name} for all inputs: each of the ${String(size)} elements is copied once`,
  }
}
