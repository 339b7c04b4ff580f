/**
 * What `run_state` keeps, around loops and out of branches.
 *
 * A ref of `run_state` is a cell: its value is known where an equation stands (`values.ts`). A region that writes one takes and gives its value:
 *
 *     scan, while        the value is carried around; behind the loop the cell holds what was carried last
 *     cond               either side begins with the value before; behind the branch the cell holds what the side that ran left
 *
 * A region that only reads a cell finds the value before it. Which refs a jaxpr writes is read off the document: a `swap` in it, or in what it runs.
 *
 * Law 1. Behind a region a cell holds what it would hold had the turns that ran been written one behind the other.
 */
import type { Expr } from '../../semantics/language/expression.js'
import type { Document, Eqn, Use, Value } from './document.js'
import { isVariable } from './document.js'
import type { Here } from './here.js'
import { links } from './inference.js'
import { exprOf, withExpr, type CellRef, type Elaborated } from './values.js'

// ---------------------------------------------------------------- what is written

const refsHanded = (eqn: Eqn): ReadonlyArray<Use> => [eqn.uses?.['refs'] ?? []].flat()

/** The refs that are written, by the variables that they are in each jaxpr. */
export const writtenIn = (d: Document): ReadonlySet<number> => {
  const written = new Set<number>()
  /** a ref outside, and the same inside */
  const same: (readonly [number, number])[] = []
  const alike = (outside: Value | null | undefined, inside: Value | null | undefined): void => {
    if (isVariable(outside) && isVariable(inside)) same.push([outside.v, inside.v])
  }
  for (const { eqns = [] } of d.jaxprs)
    for (const eqn of eqns) {
      if (eqn.op === 'swap')
        for (const { ref } of [eqn.uses?.['ref'] ?? []].flat()) if (isVariable(ref)) written.add(ref.v)
      if (eqn.jaxprs === undefined) continue
      for (const [outside, inside] of links(d, eqn)) alike(outside, inside)
      for (const n of Object.values(eqn.jaxprs).flat())
        refsHanded(eqn).forEach(({ ref }, k) => {
          const inside = d.jaxprs[n]?.in?.[k]
          if (inside !== undefined) alike(ref, { v: inside.v })
        })
    }
  for (let before = -1; before !== written.size;) {
    before = written.size
    for (const [outside, inside] of same) if (written.has(inside)) written.add(outside)
  }
  return written
}

// ---------------------------------------------------------------- around a region

type Cell = CellRef['cell']

const cellOf = (x: Elaborated | null | undefined): Cell | null =>
  x?._tag === 'cell' ? x.cell : x?._tag === 'bound' ? cellOf(x.of) : null

/** The cells among the arguments that a jaxpr writes. */
export const cellsWritten = (
  h: Here,
  jaxpr: number,
  args: ReadonlyArray<Elaborated>,
): ReadonlyArray<Cell> => {
  const parameters = h.document.jaxprs[jaxpr]?.in ?? []
  const found = args.flatMap((x, k) => {
    const [cell, parameter] = [cellOf(x), parameters[k]]
    return cell !== null && parameter !== undefined && h.written.has(parameter.v) ? [cell] : []
  })
  return [...new Set(found)]
}

type Values = Readonly<Record<string, Expr>>

/** Cells that a region takes and gives, under names. */
export interface Kept {
  /** what they hold now */
  readonly held: () => Values
  /** they hold this, from here on */
  readonly hold: (values: Values) => void
}

export const keptIn = (label: string, cells: ReadonlyArray<Cell>): Kept => {
  const key = (k: number): string => `${label}.state.${String(k)}`
  return {
    held: () => Object.fromEntries(cells.map(({ value }, k) => [key(k), exprOf(value)])),
    hold: (values) => {
      for (const [k, cell] of cells.entries()) cell.value = withExpr(cell.value, values[key(k)]!)
    },
  }
}
