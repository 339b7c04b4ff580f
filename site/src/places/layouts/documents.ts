/** What the documents of the methods say, as boards show it. Nothing is worked out here: cells are numbered, and numbers are put into words. */
import { gridOf, type Grid } from '../../../../src/render/grid.js'
import { sizeOf } from '../../../../src/transforms/shape.js'
import { isMembers, listAt, textAt, type Members } from '../../machine/members.js'
import { relation, type Relation } from './relation.js'
import { arraySide, type Side } from './side.js'

export interface Pair {
  readonly left: Side
  readonly right: Side
  readonly relation: Relation
}

export const numberAt = (m: Members, name: string): number => {
  const value = m[name]
  return typeof value === 'number' ? value : 0
}
export const numbersOf = (u: unknown): ReadonlyArray<number> =>
  Array.isArray(u) ? u.filter((n) => typeof n === 'number') : []
export const numbersAt = (m: Members, name: string): ReadonlyArray<number> => numbersOf(m[name])
export const membersAt = (m: Members, name: string): ReadonlyArray<Members> =>
  listAt(m, name).filter(isMembers)

const listsOf = (u: unknown): ReadonlyArray<unknown> => (Array.isArray(u) ? u : [])
const ravelled = (shape: ReadonlyArray<number>, index: ReadonlyArray<number>): number =>
  shape.reduce((position, extent, k) => position * extent + (index[k] ?? 0), 0)
export const indexOf = (shape: ReadonlyArray<number>, position: number): ReadonlyArray<number> => {
  const index = new Array<number>(shape.length).fill(0)
  let rest = position
  for (let k = shape.length - 1; k >= 0; k--) {
    index[k] = rest % (shape[k] ?? 1)
    rest = Math.floor(rest / (shape[k] ?? 1))
  }
  return index
}
/** `(3, 17)` */
export const elementWords = (index: ReadonlyArray<number>): string => `element (${index.join(', ')})`

// ---------------------------------------------------------------- registers

export interface Registers {
  readonly grid: Grid
  readonly name: string
  readonly warps: number
  readonly lanes: number
  readonly registers: number
  readonly splat: boolean
  readonly pair: Pair
}

/** Number of the place: by warp, then lane, then register, as the rows of its board. */
export const placeWords = (lanes: number, registers: number, place: number): string => {
  const register = place % registers
  const thread = Math.floor(place / registers)
  return `warp ${String(Math.floor(thread / lanes))} lane ${String(thread % lanes)} register ${String(register)}`
}

/** A hue of its own for each of seven lanes that follow each other, paler for each warp. */
const laneColour = (lanes: number, thread: number): number =>
  ((thread % lanes) % 7) + 7 * (Math.floor(thread / lanes) % 4)

export const registersOf = (document: Members): Registers => {
  const shape = numbersAt(document, 'shape')
  const grid = gridOf(shape)
  const splat = textAt(document, 'kind') === 'splat'
  const warpsSaid = listAt(document, 'elements')
  const warps = splat ? 4 : warpsSaid.length
  const lanes = splat ? 32 : listsOf(warpsSaid[0]).length
  const registers = splat ? 1 : listsOf(listsOf(warpsSaid[0])[0]).length
  const places = warps * lanes * registers
  const [elements, at]: [number[], number[]] = [[], []]
  if (splat)
    for (let p = 0; p < sizeOf(shape); p++)
      for (let place = 0; place < places; place++) {
        // a splat is drawn small: every register is every element
        if (elements.length >= 2 ** 20) break
        elements.push(p)
        at.push(place)
      }
  else {
    let place = 0
    for (const warp of warpsSaid)
      for (const lane of listsOf(warp))
        for (const index of listsOf(lane)) {
          elements.push(ravelled(shape, numbersOf(index)))
          at.push(place++)
        }
  }
  const joined = relation(elements, at)
  const one = (place: number): string => {
    const thread = Math.floor(place / registers)
    return `${String(Math.floor(thread / lanes))}/${String(thread % lanes)}/${String(place % registers)}`
  }
  const left = arraySide(grid, {
    name: 'element',
    label: (cell) => {
      const [first, ...more] = cell < sizeOf(shape) ? joined.toRight(cell) : []
      return first === undefined ? '' : `${one(first)}${more.length > 0 ? `×${String(more.length + 1)}` : ''}`
    },
    longest:
      one(places - 1).length + (splat || elements.length > sizeOf(shape) ? 1 + String(places).length / 2 : 0),
    colour: (cell) => {
      const [first] = cell < sizeOf(shape) ? joined.toRight(cell) : []
      return first === undefined ? null : laneColour(lanes, Math.floor(first / registers))
    },
    says: (cell) => (cell < sizeOf(shape) ? elementWords(indexOf(shape, cell)) : 'no element'),
  })
  const right: Side = {
    name: 'register',
    rows: warps * lanes,
    columns: registers,
    rowTitle: 'lane',
    columnTitle: 'register',
    rowLabel: (row) => `w${String(Math.floor(row / lanes))} ${String(row % lanes)}`,
    columnLabel: String,
    label: (cell) => {
      const [first] = splat ? [] : joined.toLeft(cell)
      return first === undefined ? '' : indexOf(shape, first).join(',')
    },
    longest: shape.map((extent) => String(extent - 1)).join(',').length,
    colour: (cell) => laneColour(lanes, Math.floor(cell / registers)),
    says: (cell) => placeWords(lanes, registers, cell),
  }
  return {
    grid,
    name: textAt(document, 'name'),
    warps,
    lanes,
    registers,
    splat,
    pair: { left, right, relation: joined },
  }
}
