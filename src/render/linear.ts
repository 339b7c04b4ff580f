/**
 * A linear layout drawn as what it is: a matrix over GF(2).
 *
 * A column is a bit of an input, a row a bit of an output; a filled cell says that the input bit flips the output bit. A column
 * without a filled cell replicates, a row without one is never reached.
 *
 *     WGMMA on (64, 8)      r1 r2  l1 l2 l4 l8 l16  w1 w2
 *             dim0 1                    x
 *             dim0 8           x
 *             dim1 1        x
 *
 * Law 1. The cell of input bit i and output bit o is filled exactly when bit o is set in the value at 2^i.
 */
import type { LinearSpec } from '../layouts/linear/linear-layout.js'
import { cellsSvg, type Cell } from './cells.js'
import { oklch } from './colour.js'
import type { SvgElement } from './svg.js'

interface InputBit {
  readonly input: number
  readonly label: string
  readonly name: string
  readonly value: ReadonlyArray<number>
}

const initials = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = names.map((name) => name.slice(0, 1))
  return new Set(first).size === names.length ? first : names.map((name) => `${name} `)
}

const inputBits = (l: LinearSpec): ReadonlyArray<InputBit> => {
  const short = initials(l.inputs.map(({ name }) => name))
  return l.inputs.flatMap(({ name, bases }, input) =>
    bases.map((value, bit) => ({
      input,
      label: `${short[input]!}${String(2 ** bit)}`,
      name: `${name} ${String(2 ** bit)}`,
      value,
    })),
  )
}

export const linearSvg = (title: string, subtitle: string, l: LinearSpec): SvgElement => {
  const columns = inputBits(l)
  const rows = l.outputs.flatMap(({ name, size }, output) =>
    Array.from({ length: Math.log2(size) }, (_, bit) => ({
      name: `${name} ${String(2 ** bit)}`,
      output,
      bit,
    })),
  )
  const legend = l.inputs
    .map(({ name }, k) => ({ name, short: initials(l.inputs.map((i) => i.name))[k]!.trim() }))
    .filter(({ name, short }) => name !== short)
    .map(({ name, short }) => `${short} is ${name}`)
  return cellsSvg({
    title,
    subtitle,
    note: `A filled cell: the bit of the input above flips the bit of the output at the left.${legend.length === 0 ? '' : ` ${legend.join(', ')}.`}`,
    rowTitle: 'output bit',
    columnTitle: 'input bit',
    rows: rows.map(({ name }) => name),
    columns: columns.map(({ label }) => label),
    cell: (r, c): Cell => {
      const [row, column] = [rows[r]!, columns[c]!]
      const flips = ((column.value[row.output]! >>> row.bit) & 1) === 1
      return {
        label: flips ? '1' : '',
        fill: flips ? oklch(0.82, 0.11, 25 + (330 * column.input) / l.inputs.length) : '#f3f4f6',
        tip: `${column.name} ${flips ? 'flips' : 'leaves'} ${row.name}`,
      }
    },
  })
}
