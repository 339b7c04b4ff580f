/**
 * Operands: matrices of carriers, and the panels that the vectors take.
 *
 * A panel holds `lanes` columns: for each row in turn their elements, one next to the other, so that a vector of one row is one load.
 * With two lanes, b of 3 columns and k = 2 is two panels, the last filled with zeros:
 *
 *     b   10 11 12        panel 0   10 11 | 20 21
 *         20 21 22        panel 1   12  0 | 22  0
 *
 * As many lanes as columns leave the matrix as it is. Beside its value an element of a or b has an alignment exponent: that of the value, at
 * least the format's least; -2000 of a zero and 8000 of a special, so that in a sum of two the first is never the largest and the
 * second always is.
 *
 * Laws
 * 1. What is decoded is `decoder`, element by element, and stands at (panel, row, lane).
 * 2. `encoded` after `decoded` gives the carriers back, if no value is lost in between.
 */
import type { FloatDtype } from '../numerics/dtype.js'
import { formatOf, type FloatFormat } from '../numerics/float-format.js'
import type { Engine } from './engine.js'

/** How an element stands in a panel. */
const stored = { f64: 0, f32: 1, u32: 2, u64: 3 } as const
/** What is read from a panel. */
const read = { f64AsF32: 0, f64AsF16: 1, f32: 2, u64: 3 } as const

/** Extents of a matrix and of its panels. */
export interface Extents {
  readonly rows: number
  readonly columns: number
  readonly lanes: number
}

/** Columns in whole panels. */
export const widthOf = ({ columns, lanes }: Pick<Extents, 'columns' | 'lanes'>): number =>
  Math.ceil(columns / lanes) * lanes

/** The first magnitude that is no number, and that of infinity. */
const specials = (f: FloatFormat): readonly [number, number] => {
  const all = 2 ** (f.exponentBits + f.fractionBits)
  switch (f.specials) {
    case 'ieee':
      return [all - 2 ** f.fractionBits, all - 2 ** f.fractionBits]
    case 'nanOnly':
      return [all - 1, -1]
    case 'none':
      return [all, -1]
  }
}

/** Patterns at `from` decoded into panels; alignment exponents too, unless `exponents` is 0. */
export const decoded = (
  e: Engine,
  dtype: FloatDtype,
  from: number,
  { rows, columns, lanes }: Extents,
  as: 'f64' | 'f32',
  into: number,
  exponents: number,
): void => {
  const f = formatOf(dtype)
  e.decode(
    from,
    rows,
    columns,
    lanes,
    into,
    exponents,
    stored[as],
    f.paddingBits,
    f.fractionBits,
    f.exponentBits + f.fractionBits,
    ...specials(f),
    f.bias,
  )
}

/** Residues at `from` into panels. */
export const residues = (
  e: Engine,
  from: number,
  { rows, columns, lanes }: Extents,
  as: 'u32' | 'u64',
  into: number,
): void => {
  e.decode(from, rows, columns, lanes, into, 0, stored[as], 0, 0, 0, 0, 0, 0)
}

/** Panels as a matrix of carriers; how many NaNs were left as they are. */
export const encoded = (
  e: Engine,
  from: number,
  { rows, columns, lanes }: Extents,
  as: keyof typeof read,
  into: number,
): number => e.encode(from, rows, columns, lanes, into, read[as])
