/**
 * The theorems: what the terms of the outputs prove.
 *
 * Laws
 * 1. `matmul` proves iff every output element is the sum over its row and its column of every k once; the text of a refusal names the first
 *    element that is not, who wrote it, and what it is instead.
 */
import { bitsOf } from '../../numerics/dtype.js'
import type { LoggedTensor } from '../log.js'
import type { Spec } from '../program.js'
import type { Provenance } from '../verdict.js'
import { against, ascending } from './intervals.js'
import { forEachAddress, nobody, siteName, tail, type Memory, type Written } from './memory.js'
import { sameValues } from './tables.js'
import { addressOf, columnOf, rowOf } from './terms.js'

const refuted = (text: string): Provenance => ({ proved: false, inOrder: false, text })

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
  const bytes = bitsOf(t.dtype) / 8
  const size = m.header.planes[t.plane]!.bytes / bytes
  const writer = new Int32Array(size).fill(nobody)
  const element = new Int32Array(size)
  live.forEach((w, i) => {
    const whole = w.footprint.dtype === t.dtype
    forEachAddress(w.footprint, (a, e) => {
      writer[Math.floor(a / bytes)] = whole && a % bytes === 0 ? i : tail
      element[Math.floor(a / bytes)] = e
    })
  })
  return { live, writer, element }
}

export const matmul = (m: Memory, spec: Extract<Spec, { readonly _tag: 'matmul' }>): Provenance => {
  const named = (name: string): LoggedTensor | undefined => m.header.tensors.find((t) => t.name === name)
  const [a, b, out] = [named(spec.a), named(spec.b), named(spec.out)]
  if (a === undefined || b === undefined || out === undefined)
    return refuted('the program names tensors that it does not have')
  const K = a.shape[1]!
  const whole = [0, K]
  const { live, writer, element } = contentsOf(m, out)
  const [rows, columns] = [out.shape[0]!, out.shape[1]!]
  const at = (i: number, j: number): string => `${out.name}[${String(i)}, ${String(j)}]`
  const by = (i: number, j: number, w: Written): string => `${at(i, j)}, written by ${siteName(m, w.site)},`
  let inOrder = true
  // what is the same for all elements of one write is asked once
  let asked = nobody
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const cell = i * out.strides[0]! + j * out.strides[1]!
      const who = writer[cell] ?? nobody
      if (who < 0) return refuted(`${at(i, j)} is never written`)
      const write = live[who]!
      const { terms } = write
      if (terms._tag === 'other') return refuted(`${by(i, j, write)} ${terms.why}`)
      if (terms._tag === 'zero') return refuted(`${by(i, j, write)} is zero: no product was added`)
      if (terms._tag === 'input')
        return refuted(`${by(i, j, write)} is an element of ${m.header.planes[terms.plane]!.name}`)
      if (terms.a !== a.plane || terms.b !== b.plane)
        return refuted(`${by(i, j, write)} multiplies other tensors`)
      if (terms.scaled !== (spec.scales !== undefined))
        return refuted(`${by(i, j, write)} is ${terms.scaled ? '' : 'not '}a sum of scaled elements`)
      const e = element[cell]!
      if (rowOf(terms, e) !== i || columnOf(terms, e) !== j)
        return refuted(
          `${by(i, j, write)} is the sum for row ${String(rowOf(terms, e))} and column ${String(columnOf(terms, e))}`,
        )
      if (who === asked) continue
      asked = who
      if (sameValues(terms.ks, whole)) continue
      const sorted = ascending(terms.ks)
      if (!sameValues(sorted, whole)) return refuted(`${by(i, j, write)} has ${against(sorted, K)}`)
      inOrder = false
    }
  return {
    proved: true,
    inOrder,
    text: `${out.name} = ${a.name} @ ${b.name}${spec.scales === undefined ? '' : `, scaled by ${spec.scales.a} and ${spec.scales.b} every ${String(spec.scales.block)} of k,`} for all inputs of shape (${a.shape.join(', ')}) x (${b.shape.join(', ')}): each of the ${String(rows * columns)} elements is the sum over its row and column, every k of 0:${String(K)} exactly once${inOrder ? ', added in ascending order' : ''}`,
  }
}

export const copy = (m: Memory, spec: Extract<Spec, { readonly _tag: 'copy' }>): Provenance => {
  const from = m.header.tensors.find((t) => t.name === spec.from)
  const out = m.header.tensors.find((t) => t.name === spec.out)
  if (from === undefined || out === undefined)
    return refuted('the program names tensors that it does not have')
  const size = out.shape.reduce((n, d) => n * d, 1)
  const bytes = bitsOf(out.dtype) / 8
  const byteOf = (t: LoggedTensor, flat: number): number => {
    let rest = flat
    let at = 0
    for (let d = t.shape.length - 1; d >= 0; d--) {
      at += (rest % t.shape[d]!) * t.strides[d]!
      rest = Math.floor(rest / t.shape[d]!)
    }
    return at * bytes
  }
  const { live, writer, element } = contentsOf(m, out)
  for (let e = 0; e < size; e++) {
    const cell = byteOf(out, e) / bytes
    const who = writer[cell] ?? nobody
    if (who < 0) return refuted(`element ${String(e)} of ${out.name} is never written`)
    const { terms } = live[who]!
    if (terms._tag !== 'input')
      return refuted(`element ${String(e)} of ${out.name} is not an element of an input`)
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
