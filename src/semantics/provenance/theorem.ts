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
import { forEachAddress, nobody, siteName, tail, type Memory } from './memory.js'
import { sameValues } from './tables.js'
import { addressOf, columnOf, rowOf, type Terms } from './terms.js'

const refuted = (text: string): Provenance => ({ proved: false, inOrder: false, text })

/** The write and the element of it that each cell of a tensor holds at the end; null where nothing was written. */
const cellsOf = (
  m: Memory,
  t: LoggedTensor,
): ((
  address: number,
) => { readonly terms: Terms; readonly element: number; readonly site: number } | null) => {
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
  return (address) => {
    const at = address / bytes
    const i = writer[at] ?? nobody
    return i < 0 ? null : { terms: live[i]!.terms, element: element[at]!, site: live[i]!.site }
  }
}

export const matmul = (m: Memory, spec: Extract<Spec, { readonly _tag: 'matmul' }>): Provenance => {
  const named = (name: string): LoggedTensor | undefined => m.header.tensors.find((t) => t.name === name)
  const [a, b, out] = [named(spec.a), named(spec.b), named(spec.out)]
  if (a === undefined || b === undefined || out === undefined)
    return refuted('the program names tensors that it does not have')
  const K = a.shape[1]!
  const whole = [0, K]
  const bytes = bitsOf(out.dtype) / 8
  const cell = cellsOf(m, out)
  const [rows, columns] = [out.shape[0]!, out.shape[1]!]
  const by = (i: number, j: number, site: number): string =>
    `${out.name}[${String(i)}, ${String(j)}], written by ${siteName(m, site)},`
  let inOrder = true
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const found = cell((i * out.strides[0]! + j * out.strides[1]!) * bytes)
      if (found === null) return refuted(`${out.name}[${String(i)}, ${String(j)}] is never written`)
      const { terms, element } = found
      if (terms._tag === 'other') return refuted(`${by(i, j, found.site)} ${terms.why}`)
      if (terms._tag === 'zero') return refuted(`${by(i, j, found.site)} is zero: no product was added`)
      if (terms._tag === 'input')
        return refuted(`${by(i, j, found.site)} is an element of ${m.header.planes[terms.plane]!.name}`)
      if (terms.a !== a.plane || terms.b !== b.plane)
        return refuted(`${by(i, j, found.site)} multiplies other tensors`)
      if (rowOf(terms, element) !== i || columnOf(terms, element) !== j)
        return refuted(
          `${by(i, j, found.site)} is the sum for row ${String(rowOf(terms, element))} and column ${String(columnOf(terms, element))}`,
        )
      if (sameValues(terms.ks, whole)) continue
      const sorted = ascending(terms.ks)
      if (!sameValues(sorted, whole)) return refuted(`${by(i, j, found.site)} has ${against(sorted, K)}`)
      inOrder = false
    }
  return {
    proved: true,
    inOrder,
    text: `${out.name} = ${a.name} @ ${b.name} for all inputs of shape (${a.shape.join(', ')}) x (${b.shape.join(', ')}): each of the ${String(rows * columns)} elements is the sum over its row and column, every k of 0:${String(K)} exactly once${inOrder ? ', added in ascending order' : ''}`,
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
  const cell = cellsOf(m, out)
  for (let e = 0; e < size; e++) {
    const found = cell(byteOf(out, e))
    if (found === null) return refuted(`element ${String(e)} of ${out.name} is never written`)
    const { terms, element } = found
    if (terms._tag !== 'input')
      return refuted(`element ${String(e)} of ${out.name} is not an element of an input`)
    if (terms.plane !== from.plane || addressOf(terms, element) !== byteOf(from, e))
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
