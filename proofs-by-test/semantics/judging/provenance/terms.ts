/** A header of a few tensors, boxes of them, and what terms say written out element by element. */
import {
  traceSchema,
  type Header,
  type LoggedTensor,
  type Plane,
} from '../../../../src/semantics/log/events.js'
import { table, type Tables } from '../../../../src/semantics/judging/provenance/tables.js'
import {
  columnOf,
  input,
  addressOf,
  rowOf,
  type InputTerms,
  type Terms,
} from '../../../../src/semantics/judging/provenance/terms.js'

/** `a`, `b`, `c` 16 x 16 in f16, `d` column by column, `v` a vector, and shared memory `smem` that holds nothing yet. */
export const names = ['a', 'b', 'c', 'd', 'v'] as const
export const extent = 16
const strides = { a: [extent, 1], b: [extent, 1], c: [extent, 1], d: [1, extent], v: [1] } as const

const tensors: ReadonlyArray<LoggedTensor> = names.map((name, plane) => ({
  name,
  plane,
  dtype: 'f16',
  shape: name === 'v' ? [extent * extent] : [extent, extent],
  strides: strides[name],
}))
const gmem: ReadonlyArray<Plane> = names.map((name) => ({
  space: 'gmem',
  name,
  bytes: 2 * extent * extent,
  initialised: true,
}))
const smem: Plane = { space: 'smem', name: 'smem', cta: 0, bytes: 1024, initialised: false }
export const smemPlane: number = gmem.length

export const header: Header = {
  schema: traceSchema,
  arch: 'sm90a',
  program: 'by hand',
  agents: [{ name: 'w', cta: 0, warps: 1, starts: true }],
  ctas: 1,
  planes: [...gmem, smem],
  tensors,
  computes: null,
  barriers: [],
  sites: ['here', 'there'].map((label) => ({ label, path: [] })),
  nondeterminism: [],
}

/** The elements (rows[i], columns[j]) of a tensor, as a box of rows.length x columns.length. */
export const box = (
  s: Tables,
  plane: number,
  rows: ReadonlyArray<number>,
  columns: ReadonlyArray<number>,
): InputTerms => {
  const [down, across] = plane === 3 ? [1, extent] : [extent, 1]
  const at = rows.flatMap((r) => columns.map((c) => 2 * (r * down + c * across)))
  return input(
    plane,
    table(
      s,
      Int32Array.from(at, (x) => x - at[0]!),
    ),
    at[0]!,
  )
}

/** One text an element. */
export const texts = (t: Terms, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, e) => {
    switch (t._tag) {
      case 'zero':
        return '0'
      case 'each':
        return t.elements[e]!._tag
      case 'input':
        return `${names[t.plane]!}+${String(addressOf(t, e))}`
      case 'sum': {
        const ks: number[] = []
        for (let i = 0; i < t.ks.length; i += 2) for (let k = t.ks[i]!; k < t.ks[i + 1]!; k++) ks.push(k)
        return `${names[t.a]!}[${String(rowOf(t, e))}] ${names[t.b]!}[${String(columnOf(t, e))}] ${ks.join()}`
      }
      case 'other':
        return t.why
    }
  })
