/**
 * Columns of tensor memory, in a state: which atoms they hold, and what the allocator of a CTA has come to.
 *
 * Law 1. An atom is there exactly while all its columns are held by its CTA.
 */
import { after, type Allocator, type Taken } from './allocator.js'
import type { Layout } from './layout.js'
import { atomColumns, columnOf } from './skeleton.js'

export interface Columns {
  /** The atoms of a CTA, or of both of its pair, in these columns. */
  readonly atomsIn: (cta: number, both: boolean, start: number, count: number) => number
  readonly allocatorOf: (state: Int32Array, cta: number) => Allocator
  /** Are all columns of these atoms of the agent's CTA held? */
  readonly there: (state: Int32Array, x: number, m: number) => boolean
}

export const columnsOf = ({
  skeleton,
  agents,
  atoms,
  mask,
  inTensorMemory,
  historyAt,
  longest,
}: Layout): Columns => {
  const columns = columnOf(skeleton)
  /** The atoms of a CTA, or of both of its pair, in these columns. */
  const atomsIn = (cta: number, both: boolean, start: number, count: number): number =>
    mask(
      atoms.filter(
        (atom) =>
          atom._tag === 'tmem' &&
          (atom.cta === cta || (both && atom.cta === (cta ^ 1))) &&
          start < columns.get(atom.name)! + atomColumns &&
          columns.get(atom.name)! < start + count,
      ),
    )
  const allocatorOf = (state: Int32Array, cta: number): Allocator => {
    const at = historyAt(cta)
    const history: Taken[] = []
    for (let k = at; k < at + longest && state[k] !== 0; k++) {
      const agent = (state[k]! - 1) >> 10
      history.push({ agent, op: agents[agent]!.ops[(state[k]! - 1) & 1023]! })
    }
    return after(history)
  }
  /** Are all columns of these atoms of the CTA held? */
  const there = (state: Int32Array, x: number, m: number): boolean => {
    const { cta } = agents[x]!
    const { held } = allocatorOf(state, cta)
    const all = held.reduce((sum, h) => sum | atomsIn(cta, false, h.start, h.columns), 0)
    return (m & inTensorMemory & ~all) === 0
  }

  return { atomsIn, allocatorOf, there }
}
