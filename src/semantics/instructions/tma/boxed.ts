/**
 * A copy of a box, before its tensor map is known: what the instruction says by itself, as data.
 *
 * Where a kernel makes its maps, the map is read when the copy is issued, long after the operands were evaluated. What waits in between is part of the machine's state, so
 * it is the operands and no function of them: a machine can be copied, compared and sent to another thread while a copy stands ready.
 *
 *     tile      one box, at its coordinates
 *     rows      four rows anywhere: a column, and a row of each message
 *     im2col    columns of pixels, at coordinates and offsets
 *
 * Law 1. With its map known, it is the copy that the same operands name through a map of the launch.
 */
import type { Boxed, Prepared } from '../../machine/operation.js'
import * as V from '../../machine/value.js'
import type { DescriptorValue, FaultValue } from '../../machine/value.js'
import type { World } from '../../machine/world.js'
import { checkColumn, checkCoords, checkRowMap, columnElements, rowsOfMessage } from './box.js'
import { gatherOf, loadOf } from './load.js'
import { scatterOf, storeOf } from './store.js'

/** Why the map cannot be taken for such a copy. */
const refusedFor = (d: DescriptorValue, { mode, at, offsets, to }: Boxed): FaultValue | null => {
  const direction = to._tag
  switch (mode) {
    case 'tile':
      return checkCoords(d, at, direction)
    case 'im2col':
      return checkColumn(d, at, offsets, direction)
    case 'rows': {
      const map = checkRowMap(d)
      if (map !== null) return map
      const { column, rows } = messageOf(at)
      if (rows.length !== rowsOfMessage)
        return V.fault('A4', `expected a column and four rows, found ${String(at.length)} coordinates`)
      for (const row of rows) {
        const bad = checkCoords(d, [row, column], direction)
        if (bad !== null) return bad
      }
      return null
    }
  }
}

/** Coordinates are outermost first, and those of rows end with the column. */
const messageOf = (
  at: ReadonlyArray<number>,
): { readonly column: number; readonly rows: ReadonlyArray<number> } => {
  const [column = 0, ...rows] = [...at].reverse()
  return { column, rows }
}

/** The copy through this map; or why there is none. */
export const throughMap = (world: World, d: DescriptorValue, copy: Boxed): Prepared | FaultValue => {
  const refused = refusedFor(d, copy)
  if (refused !== null) return refused
  const { mode, at, offsets, to } = copy
  const { column, rows } = messageOf(at)
  switch (to._tag) {
    case 'store':
      return mode === 'rows'
        ? scatterOf(world, d, { column, messages: [rows] }, to.from)
        : storeOf(world, d, columnElements(world, d, at, offsets), to.from, to.combine)
    case 'load':
      return mode === 'rows'
        ? gatherOf(world, d, { column, messages: [rows] }, to.into)
        : loadOf(world, d, columnElements(world, d, at, offsets), to.into)
  }
}
