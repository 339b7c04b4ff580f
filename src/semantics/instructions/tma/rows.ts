/**
 * The rows of a gather or a scatter, four a message.
 *
 * The list is a tile of i32: 4k rows make k messages, each an operation's part of its own, with its own bytes. A row number is an
 * address, so an algebra that keeps no data refuses one that came from memory.
 *
 *     rows 7 1 0 3 | 2 2 9 5      two messages; of a load both count four rows, row 9 of an (8, n) tensor as well as the others
 *
 * | rule                                                       | else         |
 * |------------------------------------------------------------|--------------|
 * | a multiple of four rows, at least four                     | tile.shape   |
 * | a matrix, boxes of one row                                 | A4           |
 * | the column at a multiple of 16 bytes                       | A4           |
 * | of a scatter: no negative row, no negative column          | A4           |
 * | the image of each message at a multiple of 128 bytes       | A4           |
 *
 * Source: PTX ISA, tensor copies in the modes tile::gather4 and tile::scatter4.
 */
import type { ExprNode } from '../../language/expression.js'
import { intOperand, tileOperand } from '../../machine/effect.js'
import type { Environment } from '../../machine/environment.js'
import * as V from '../../machine/value.js'
import { isFault, type DescriptorValue, type FaultValue } from '../../machine/value.js'
import { checkCoords, checkRowMap, rowsOfMessage } from './box.js'

export interface Rows {
  readonly column: number
  /** of each message, its rows */
  readonly messages: ReadonlyArray<ReadonlyArray<number>>
}

export const rowsOperand = (
  o: Environment,
  d: DescriptorValue,
  rows: ExprNode,
  column: ExprNode,
  direction: 'load' | 'store',
): Rows | FaultValue => {
  const map = checkRowMap(d)
  if (map !== null) return map
  const at = intOperand(o, 'column', column)
  if (typeof at !== 'number') return at
  const tile = tileOperand(o, 'rows', rows)
  if (isFault(tile)) return tile
  const count = tile.shape.reduce((n, e) => n * e, 1)
  if (count === 0 || count % rowsOfMessage !== 0)
    return V.fault('tile.shape', `rows: expected a multiple of four rows, found ${String(count)}`)
  const data = tile.data
  if (data === null)
    return V.fault('algebra.control', 'rows: addresses depend on data, which this algebra does not keep')
  for (const row of data) {
    const bad = checkCoords(d, [row, at], direction)
    if (bad !== null) return bad
  }
  const messages: ReadonlyArray<number>[] = []
  for (let k = 0; k < count; k += rowsOfMessage) messages.push([...data.subarray(k, k + rowsOfMessage)])
  return { column: at, messages }
}
