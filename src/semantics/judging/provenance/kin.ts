/**
 * Kin: what clusters write that were not run, because they do what another does at other places (`verdict/classes.ts`).
 *
 * A fold over the log knows terms by where elements lie. Who reads A so many whole rows further down, and B so many columns further on, has the same sums of other rows and
 * columns; if it writes them so many bytes further on, what it leaves is the write of the cluster that was run, moved.
 *
 *     c (256, 256), tiles of 128 x 128     cluster 0     writes c from byte 0 on         sums from row 0 and column 0 on
 *                                          cluster 1     reads B 128 columns further on, writes c 512 bytes further on: sums from column 128 on
 *
 * | it is not known of                                            | because                                           |
 * |---------------------------------------------------------------|---------------------------------------------------|
 * | a tensor that one cluster touches in places moved differently | the parts of a sum may come from other tiles      |
 * | A moved by no whole number of rows, B of columns              | other elements meet                               |
 * | rows or columns that are nowhere, and are moved               | nowhere is not further on                         |
 * | elements of an epilogue, and scaled sums                      | they are of more tensors than these               |
 *
 * Law 1. `withKin` of a log of one cluster of each class has at the end what the log of all clusters has, but for which write came last; or it is null.
 */
import { bitsOf } from '../../../numerics/dtype.js'
import type { Spec } from '../../language/program.js'
import type { Footprint, LoggedTensor } from '../../log/events.js'
import { isPacked } from '../../machine/cells.js'
import type { Memory, Written } from './memory.js'
import { factorOf } from './product.js'
import { input, sum, type Terms } from './terms.js'

/** By plane of global memory, how many bytes further on each of those like a cluster touches it; absent: not all of it is moved alike. */
export type Moves = ReadonlyMap<number, Float64Array>

/** By the cluster that was run. */
export type Kin = ReadonlyMap<number, Moves>

const movedFootprint = (f: Footprint, by: number, id: number): Footprint | null =>
  isPacked(f.dtype)
    ? null
    : {
        id,
        plane: f.plane,
        spans: { list: f.spans.list, by: f.spans.by + by },
        dtype: f.dtype,
        map:
          f.map._tag === 'scatter'
            ? { _tag: 'scatter', shape: f.map.shape, offsets: f.map.offsets, by: f.map.by + by }
            : { _tag: 'view', layout: f.map.layout, base: f.map.base + by },
      }

/** How many rows, or columns, so many bytes of a tensor are; null: no whole number of them. */
const stepsOf = (t: LoggedTensor, dimension: 0 | 1, by: number): number | null => {
  const stride = (t.strides[dimension]! * bitsOf(t.dtype)) / 8
  return stride === 0 || by % stride !== 0 ? null : by / stride
}

/** Terms of a cluster like this one, the `fellow`th of its class. */
const movedTerms = (m: Memory, spec: Spec, terms: Terms, moves: Moves, fellow: number): Terms | null => {
  switch (terms._tag) {
    case 'zero':
      return terms
    case 'input': {
      const by = moves.get(terms.plane)?.[fellow]
      if (by === undefined || (by !== 0 && terms.origin + terms.offsets.least < 0)) return null
      return input(terms.plane, terms.offsets, terms.origin + by)
    }
    case 'sum': {
      if (spec._tag !== 'matmul' || terms.scaled) return null
      const named = (plane: number): LoggedTensor | undefined =>
        m.header.tensors.find((t) => t.plane === plane)
      const [a, b] = [named(terms.a), named(terms.b)]
      const [byA, byB] = [moves.get(terms.a)?.[fellow], moves.get(terms.b)?.[fellow]]
      if (a === undefined || b === undefined || byA === undefined || byB === undefined) return null
      if (a.name !== spec.a || b.name !== spec.b || a.plane === b.plane) return null
      const rows = stepsOf(factorOf(spec, 'a', a), 0, byA)
      const columns = stepsOf(factorOf(spec, 'b', b), 1, byB)
      if (rows === null || columns === null) return null
      if (rows !== 0 && terms.row + terms.rows.least < 0) return null
      if (columns !== 0 && terms.column + terms.columns.least < 0) return null
      return sum(
        terms.a,
        terms.b,
        terms.rows,
        terms.row + rows,
        terms.columns,
        terms.column + columns,
        terms.ks,
        terms.scaled,
      )
    }
    case 'each':
    case 'other':
      return null
  }
}

/** Memory with what those like the clusters that were run have written to the plane of the output; null: that is not known. `writer` says who has made a write. */
export const withKin = (
  m: Memory,
  spec: Spec,
  out: number,
  kin: Kin,
  writer: (footprint: number) => number | undefined,
): Memory | null => {
  const all = new Map<number, Written>(m.writes[out])
  let number = 0
  for (const { footprint, terms, site } of m.writes[out]!.values()) {
    const moves = kin.get(writer(footprint.id) ?? -1)
    const by = moves?.get(out)
    if (moves === undefined || by === undefined) return null
    for (let fellow = 0; fellow < by.length; fellow++) {
      // footprints of the run are numbered from 0 on
      const id = --number
      const [theirs, place] = [
        movedTerms(m, spec, terms, moves, fellow),
        movedFootprint(footprint, by[fellow]!, id),
      ]
      if (theirs === null || place === null) return null
      all.set(id, { footprint: place, terms: theirs, site })
    }
  }
  return Object.assign({}, m, { writes: m.writes.map((writes, plane) => (plane === out ? all : writes)) })
}
