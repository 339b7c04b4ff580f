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
export const textsAt = (m: Members, name: string): ReadonlyArray<string> =>
  listAt(m, name).filter((one) => typeof one === 'string')
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

// ---------------------------------------------------------------- shared memory

const lineBytes = 128
const chunkBytes = 16

/** A hue for each of the eight chunks of a line: the eighth is the first one, paler. */
const chunkColour = (byte: number): number => Math.floor((byte % lineBytes) / chunkBytes)

/** Lines of 128 bytes: a cell is as wide as an element, where elements divide a line, else a byte. */
const memorySide = (
  bits: number,
  addresses: ReadonlyArray<number>,
  partners: (cell: number) => ReadonlyArray<number>,
  first: number,
  lines: number,
  unit: number,
  more: Pick<Side, 'label' | 'longest' | 'colour'>,
): Side => ({
  name: bits < 8 ? 'place' : 'byte',
  rows: lines,
  columns: (8 * lineBytes) / unit,
  rowTitle: 'byte',
  columnTitle: 'bank',
  rowLabel: (row) => String((first + row) * lineBytes),
  columnLabel: (column) => String(Math.floor((column * unit) / 32)),
  ...more,
  says: (cell) => {
    const bit = cell * unit + first * lineBytes * 8
    const byte = Math.floor(bit / 8)
    const [element] = partners(cell)
    const at = element === undefined ? byte : (addresses[element] ?? byte)
    return `byte ${String(at)}${bits < 8 ? ` bit ${String(bit % 8)}` : ''}, line ${String(Math.floor(at / lineBytes))}, bank ${String(Math.floor(at / 4) % 32)}`
  },
})

interface Stored {
  readonly shape: ReadonlyArray<number>
  readonly bits: number
  readonly addresses: ReadonlyArray<number>
  readonly unswizzled: ReadonlyArray<number>
  readonly bitOffsets: ReadonlyArray<number>
  /** the element of the array in words, and in few characters */
  readonly says: (position: number) => string
  readonly label: (position: number) => string
  readonly longest: number
  readonly isThere: (position: number) => boolean
}

const storedPair = (s: Stored): Pair => {
  const grid = gridOf(s.shape)
  const size = sizeOf(s.shape)
  const unit = s.bits <= 1024 && 1024 % s.bits === 0 ? s.bits : 8
  let [low, high] = [Infinity, 0]
  for (const address of s.addresses) {
    low = Math.min(low, address)
    high = Math.max(high, address)
  }
  const first = Math.floor(low / lineBytes)
  const lines = Math.floor(high / lineBytes) - first + 1
  const cells = s.addresses.map((address, p) =>
    Math.floor((8 * (address - first * lineBytes) + (s.bitOffsets[p] ?? 0)) / unit),
  )
  const joined = relation(
    cells.map((_, p) => p),
    cells,
  )
  const colour = (p: number): number => chunkColour(s.unswizzled[p] ?? s.addresses[p] ?? 0)
  const byteOf = (p: number): string => String(s.addresses[p] ?? '')
  return {
    relation: joined,
    left: arraySide(grid, {
      name: 'element',
      label: (cell) => (cell < size ? s.label(cell) || byteOf(cell) : ''),
      longest: s.longest === 0 ? String(high).length : s.longest,
      colour: (cell) => (cell < size && s.isThere(cell) ? colour(cell) : null),
      says: (cell) => (cell < size ? s.says(cell) : 'no element'),
    }),
    right: memorySide(s.bits, s.addresses, joined.toLeft, first, lines, unit, {
      label: (cell) => {
        const [p] = joined.toLeft(cell)
        return p === undefined || !s.isThere(p) ? '' : s.label(p) || indexOf(s.shape, p).join(',')
      },
      longest: Math.max(s.longest, s.shape.map((extent) => String(extent - 1)).join(',').length),
      colour: (cell) => {
        const [p] = joined.toLeft(cell)
        return p === undefined || !s.isThere(p) ? null : colour(p)
      },
    }),
  }
}

export const memoryOf = (document: Members): Pair => {
  const shape = numbersAt(document, 'shape')
  return storedPair({
    shape,
    bits: numberAt(document, 'bits'),
    addresses: numbersAt(document, 'addresses'),
    unswizzled: numbersAt(document, 'unswizzled'),
    bitOffsets: numbersAt(document, 'bitOffsets'),
    says: (p) => elementWords(indexOf(shape, p)),
    label: () => '',
    longest: 0,
    isThere: () => true,
  })
}

export const imageOf = (document: Members): Pair => {
  const shape = numbersAt(document, 'copied')
  const origins = listAt(document, 'origins')
  const box = document['box']
  const load = textAt(document, 'direction') === 'load'
  return storedPair({
    shape,
    bits: isMembers(box) ? numberAt(box, 'bits') : 8,
    addresses: numbersAt(document, 'addresses'),
    unswizzled: numbersAt(document, 'unswizzled'),
    bitOffsets: [],
    says: (p) => {
      const origin = origins[p]
      const where = Array.isArray(origin)
        ? `tensor (${numbersOf(origin).join(', ')})`
        : `outside of the tensor, ${load ? 'filled' : 'left out'}`
      return `box (${indexOf(shape, p).join(', ')}), ${where}`
    },
    label: (p) => (Array.isArray(origins[p]) ? numbersOf(origins[p]).join(',') : '–'),
    longest: origins.reduce<number>((most, origin) => Math.max(most, numbersOf(origin).join(',').length), 1),
    isThere: (p) => Array.isArray(origins[p]),
  })
}

// ---------------------------------------------------------------- tensor memory

const tensorLanes = 128

export const tensorMemoryOf = (document: Members): Pair => {
  const shape = numbersAt(document, 'shape')
  const columns = numberAt(document, 'columns')
  const parts = Math.max(1, numberAt(document, 'elementsPerColumn'))
  const [left, right]: [number[], number[]] = [[], []]
  for (const element of membersAt(document, 'elements'))
    for (const place of membersAt(element, 'places')) {
      left.push(ravelled(shape, numbersAt(element, 'index')))
      right.push(
        (numberAt(place, 'lane') * columns + numberAt(place, 'column')) * parts + numberAt(place, 'part'),
      )
    }
  const joined = relation(left, right)
  const wide = columns * parts
  const row = (p: number): number => indexOf(shape, p)[0] ?? 0
  const colour = (p: number): number => (row(p) % 7) + 7 * (Math.floor(row(p) / 32) % 4)
  const inCell = (cell: number): string => {
    const column = Math.floor((cell % wide) / parts)
    return `${String(Math.floor(cell / wide))}/${String(column)}`
  }
  return {
    relation: joined,
    left: arraySide(gridOf(shape), {
      name: 'element',
      label: (cell) => {
        const [place] = joined.toRight(cell)
        return place === undefined ? '' : inCell(place)
      },
      longest: `127/${String(columns - 1)}`.length,
      colour: (cell) => (joined.toRight(cell).length === 0 ? null : colour(cell)),
      says: (cell) => elementWords(indexOf(shape, cell)),
    }),
    right: {
      name: 'place',
      rows: tensorLanes,
      columns: wide,
      rowTitle: 'lane',
      columnTitle: 'column',
      rowLabel: String,
      columnLabel: (column) => String(Math.floor(column / parts)),
      label: (cell) => {
        const [p] = joined.toLeft(cell)
        return p === undefined ? '' : indexOf(shape, p).join(',')
      },
      longest: shape.map((extent) => String(extent - 1)).join(',').length,
      colour: (cell) => {
        const [p] = joined.toLeft(cell)
        return p === undefined ? null : colour(p)
      },
      says: (cell) =>
        `lane ${String(Math.floor(cell / wide))} column ${String(Math.floor((cell % wide) / parts))}${parts > 1 ? ` part ${String(cell % parts)}` : ''}`,
    },
  }
}

// ---------------------------------------------------------------- bases

export const linearOf = (document: Members): Side => {
  const { layout } = document
  const bases = isMembers(layout) && isMembers(layout['bases']) ? layout['bases'] : {}
  const outputs = isMembers(layout) ? membersAt(layout, 'outputs') : []
  const columns = Object.entries(bases).flatMap(([name, rows], input) =>
    listsOf(rows).map((basis, bit) => ({ name, input, bit, basis: numbersOf(basis) })),
  )
  const rows = outputs.flatMap((output, at) =>
    Array.from({ length: Math.log2(numberAt(output, 'size')) }, (_, bit) => ({
      name: textAt(output, 'name'),
      at,
      bit,
    })),
  )
  const flips = (cell: number): boolean => {
    const [row, column] = [rows[Math.floor(cell / columns.length)], columns[cell % columns.length]]
    if (row === undefined || column === undefined) return false
    return ((column.basis[row.at] ?? 0) >>> row.bit) % 2 === 1
  }
  return {
    name: 'bit',
    rows: rows.length,
    columns: columns.length,
    rowTitle: 'output',
    columnTitle: 'input',
    rowLabel: (row) => `${rows[row]?.name ?? ''} ${String(2 ** (rows[row]?.bit ?? 0))}`,
    columnLabel: (column) => `${columns[column]?.name ?? ''} ${String(2 ** (columns[column]?.bit ?? 0))}`,
    label: (cell) => (flips(cell) ? '1' : ''),
    longest: 1,
    colour: (cell) => (flips(cell) ? (columns[cell % columns.length]?.input ?? 0) % 7 : null),
    says: (cell) => {
      const [row, column] = [rows[Math.floor(cell / columns.length)], columns[cell % columns.length]]
      return row === undefined || column === undefined
        ? 'no bit'
        : `${column.name} ${String(2 ** column.bit)} ${flips(cell) ? 'flips' : 'leaves'} ${row.name} ${String(2 ** row.bit)}`
    },
  }
}

// ---------------------------------------------------------------- CuTe

/** Extents of the modes of a shape, however they nest. */
const sizeOfNested = (u: unknown): number =>
  typeof u === 'number' ? u : listsOf(u).reduce<number>((product, one) => product * sizeOfNested(one), 1)

/** Offsets that are drawn in a row of the right board. */
const perRow = 32

export const cuteOf = (
  result: Members,
): { left: Side; right: Side | null; relation: Relation | null } | null => {
  const values = listAt(result, 'values')
  if (textAt(result, 'kind') === 'value' || values.length === 0) return null
  const modes = listAt(result, 'shape')
  const matrix = modes.length === 2
  const rows = matrix ? sizeOfNested(modes[0]) : Math.ceil(values.length / 16)
  const columns = matrix ? Math.ceil(values.length / rows) : Math.min(16, values.length)
  // an index counts the first mode fastest
  const index = (cell: number): number =>
    matrix ? Math.floor(cell / columns) + (cell % columns) * rows : cell
  const cellOf = (at: number): number => (matrix ? (at % rows) * columns + Math.floor(at / rows) : at)
  const shown = (at: number): string => {
    const value = values[at]
    return value === undefined ? '' : typeof value === 'number' ? String(value) : JSON.stringify(value)
  }
  const offsets = values.filter((value) => typeof value === 'number')
  const plain = offsets.length === values.length && offsets.every((value) => value >= 0)
  let last = 0
  for (const value of offsets) last = Math.max(last, value)
  const joined =
    plain && last < 2 ** 20
      ? relation(
          offsets.map((_, at) => cellOf(at)),
          offsets,
        )
      : null
  const colour = (value: unknown): number => (typeof value === 'number' ? ((value % 8) + 8) % 8 : 0)
  let longest = 1
  for (let at = 0; at < values.length; at++) longest = Math.max(longest, shown(at).length)
  const left: Side = {
    name: 'coordinate',
    rows,
    columns,
    rowTitle: matrix ? 'mode 0' : 'index',
    columnTitle: matrix ? 'mode 1' : '+',
    rowLabel: (row) => String(matrix ? row : 16 * row),
    columnLabel: String,
    label: (cell) => shown(index(cell)),
    longest,
    colour: (cell) => (index(cell) < values.length ? colour(values[index(cell)]) : null),
    says: (cell) =>
      index(cell) >= values.length
        ? 'no coordinate'
        : matrix
          ? `coordinate (${String(Math.floor(cell / columns))}, ${String(cell % columns)}), index ${String(index(cell))}${joined === null ? `: ${shown(index(cell))}` : ''}`
          : `index ${String(cell)}${joined === null ? `: ${shown(cell)}` : ''}`,
  }
  if (joined === null) return { left, right: null, relation: null }
  return {
    left,
    relation: joined,
    right: {
      name: 'offset',
      rows: Math.ceil((last + 1) / perRow),
      columns: Math.min(perRow, last + 1),
      rowTitle: 'offset',
      columnTitle: '+',
      rowLabel: (row) => String(row * perRow),
      columnLabel: String,
      label: (cell) => {
        const [at] = joined.toLeft(cell)
        return at === undefined ? '' : String(index(at))
      },
      longest: String(values.length - 1).length,
      colour: (cell) => (joined.toLeft(cell).length === 0 ? null : colour(cell)),
      says: (cell) => `offset ${String(cell)}`,
    },
  }
}

// ---------------------------------------------------------------- two layouts

/** Position of an index, row-major. */
export const placeOf = ravelled

/** The elements of one under those of the other: each lights up itself. */
export const comparedOf = (one: Registers, other: Registers): Pair => {
  const size = sizeOf(one.grid.shape)
  const all = Array.from({ length: size }, (_, p) => p)
  const where = ({ lanes, registers, pair }: Registers): Side => ({
    ...pair.left,
    says: (cell) => {
      const places = cell < size ? pair.relation.toRight(cell) : []
      const some = places.slice(0, 3).map((place) => placeWords(lanes, registers, place))
      return `${pair.left.says(cell)} ${places.length === 0 ? 'in no register' : some.join(', ')}${places.length > 3 ? ` and ${String(places.length - 3)} more` : ''}`
    },
  })
  return { left: where(one), right: where(other), relation: relation(all, all) }
}

// ---------------------------------------------------------------- banks

const bankCount = 32

export interface DrawnTurns {
  readonly side: Side
  /** lanes and banks that a turn serves */
  readonly cellsOf: (turn: number) => ReadonlyArray<number>
  /** what one bank makes wait in a turn, in words */
  readonly waiting: (turn: number) => string
}

interface Wanted {
  readonly bank: number
  readonly byte: number
  readonly lanes: ReadonlyArray<number>
}

export const turnsOf = (document: Members): DrawnTurns => {
  const turns = membersAt(document, 'turns').map((turn) => ({
    phase: numberAt(turn, 'phase'),
    words: membersAt(turn, 'words').map((word): Wanted => ({
      bank: numberAt(word, 'bank'),
      byte: numberAt(word, 'byte'),
      lanes: numbersAt(word, 'lanes'),
    })),
  }))
  const wanted = new Map<number, { readonly turn: number; readonly inPhase: number; readonly byte: number }>()
  let rows = 0
  turns.forEach(({ phase, words }, turn) => {
    const inPhase = turn - turns.findIndex((other) => other.phase === phase)
    for (const { bank, byte, lanes } of words)
      for (const lane of lanes) {
        rows = Math.max(rows, lane + 1)
        wanted.set(lane * bankCount + bank, { turn, inPhase, byte })
      }
  })
  const matrices = textAt(document, 'access').includes('matrix')
  const who = matrices ? 'row' : 'lane'
  return {
    side: {
      name: 'word',
      rows: Math.max(rows, matrices ? 8 : 32),
      columns: bankCount,
      rowTitle: who,
      columnTitle: 'bank',
      rowLabel: String,
      columnLabel: String,
      label: (cell) => {
        const word = wanted.get(cell)
        return word === undefined ? '' : String(Math.floor(word.byte / lineBytes))
      },
      longest: 3,
      colour: (cell) => {
        const word = wanted.get(cell)
        return word === undefined ? null : word.inPhase % 28
      },
      says: (cell) => {
        const word = wanted.get(cell)
        const where = `${who} ${String(Math.floor(cell / bankCount))}, bank ${String(cell % bankCount)}`
        return word === undefined
          ? `${where}: nothing`
          : `${where}: the word at byte ${String(word.byte)}, in turn ${String(word.turn + 1)}`
      },
    },
    cellsOf: (turn) =>
      turns[turn]?.words.flatMap(({ bank, lanes }) => lanes.map((lane) => lane * bankCount + bank)) ?? [],
    waiting: (turn) => {
      const now = turns[turn]
      if (now === undefined) return ''
      const later = turns.slice(turn + 1).filter(({ phase }) => phase === now.phase)
      const [first] = later[0]?.words ?? []
      if (first === undefined) return 'No access waits for another.'
      const lanes = [
        ...new Set(
          later
            .flatMap(({ words }) => words)
            .filter(({ bank }) => bank === first.bank)
            .flatMap((w) => w.lanes),
        ),
      ]
      const served = now.words.find(({ bank }) => bank === first.bank)?.lanes ?? []
      const some = (list: ReadonlyArray<number>): string =>
        `${list.length === 1 ? who : `${who}s`} ${list.slice(0, 12).join(', ')}${list.length > 12 ? ` and ${String(list.length - 12)} more` : ''}`
      return `Bank ${String(first.bank)} serves ${some(served)} now; ${some(lanes)} ${lanes.length === 1 ? 'collides and waits' : 'collide and wait'}.`
    },
  }
}
