/**
 * A layout as comma-separated values: one row for each place, in any order.
 *
 *     warp,lane,register,dim0,dim1
 *     0,0,0,0,0
 *     0,0,1,0,1
 *
 * Laws
 *  1. `rowsOf` of a listing is read back as its table
 *  2. a place that is missing or there twice, and a cell that is no number, are refused with the line
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { TableDescription } from '../../layouts/description.js'
import type { Listing } from '../../layouts/listing.js'
import { placeAt } from '../../layouts/listing.js'
import type { Shape } from '../../transforms/shape.js'
import { unravel } from '../../transforms/shape.js'
import type { CsvRow } from './answer.js'

const placeColumns = ['warp', 'lane', 'register']

const dimensions = (rank: number): ReadonlyArray<string> =>
  Array.from({ length: rank }, (_, d) => `dim${String(d)}`)

/** A header, then every place: by warp, lane, register. For a splat, register 0 of every lane holds the first element. */
export const rowsOf = (listed: Listing): ReadonlyArray<CsvRow> => {
  const place = placeAt(listed)
  const index = unravel(listed.shape)
  return [
    [...placeColumns, ...dimensions(listed.shape.length)],
    ...Array.from(listed.positions, (position, at): CsvRow => {
      const { warp, lane, register } = place(at)
      return [warp, lane, register, ...index(position)]
    }),
  ]
}

const wrong = (line: number, expected: string, found: string): E.Either<Failure, never> =>
  refuse('layout-csv', `line ${String(line)}: expected ${expected}, found ${found}`)

/** Warps, lanes and registers are numbered below this, so that three of them are one key. */
const most = 2 ** 16
const keyOf = (warp: number, lane: number, register: number): number => (warp * most + lane) * most + register

/** The table of a file's text. Without a shape, the array is as large as the largest index. */
export const readRows = (text: string, shape: Shape | null): E.Either<Failure, TableDescription> => {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const header = lines[0]!.split(',').map((name) => name.trim())
  const rank = header.length - placeColumns.length
  const columns = [...placeColumns, ...dimensions(Math.max(1, rank))]
  if (header.join() !== columns.join()) return wrong(1, columns.join(), `'${lines[0]!.slice(0, 60)}'`)
  const elements = new Map<number, ReadonlyArray<number>>()
  const counts = new Array<number>(placeColumns.length).fill(1)
  const extents = new Array<number>(rank).fill(1)
  for (const [n, line] of lines.entries()) {
    if (n === 0 || line.trim() === '') continue
    const cells = line.split(',').map((cell) => cell.trim())
    if (cells.length !== columns.length || !cells.every((cell) => /^\d{1,9}$/.test(cell)))
      return wrong(n + 1, `${String(columns.length)} numbers`, `'${line.slice(0, 60)}'`)
    const numbers = cells.map(Number)
    const place = numbers.slice(0, placeColumns.length)
    const index = numbers.slice(placeColumns.length)
    const far = place.findIndex((p) => p >= most)
    if (far >= 0) return wrong(n + 1, `a ${placeColumns[far]!} below ${String(most)}`, String(place[far]))
    const [warp, lane, register] = place
    const key = keyOf(warp!, lane!, register!)
    if (elements.has(key))
      return wrong(
        n + 1,
        'each place once',
        `warp ${String(warp)} lane ${String(lane)} register ${String(register)} again`,
      )
    elements.set(key, index)
    place.forEach((p, d) => {
      counts[d] = Math.max(counts[d]!, p + 1)
    })
    index.forEach((i, d) => {
      extents[d] = Math.max(extents[d]!, i + 1)
    })
  }
  const [warps, lanes, registers] = counts
  const whole: (readonly number[])[][][] = []
  // a place without a row ends it, so no more places are asked for than there are rows
  for (let w = 0; w < warps!; w++) {
    const warp: (readonly number[])[][] = []
    for (let l = 0; l < lanes!; l++) {
      const lane: (readonly number[])[] = []
      for (let r = 0; r < registers!; r++) {
        const index = elements.get(keyOf(w, l, r))
        if (index === undefined)
          return refuse(
            'layout-csv',
            `expected a row for warp ${String(w)}, lane ${String(l)}, register ${String(r)}, found none`,
          )
        lane.push(index)
      }
      warp.push(lane)
    }
    whole.push(warp)
  }
  return E.right({ kind: 'table', shape: shape ?? extents, elements: whole })
}
