/**
 * Products: what an mma adds to its accumulator, from the coordinates of its operands.
 *
 * If the elements of A depend on (row, k) alone, those of B on (k, column) alone, and the k's agree one by one, the element (i, j) of the
 * accumulator gets the products of row i and column j for those k's added. Anything else is `other`, and says which element is where.
 *
 * The coordinates of a box are found once and moved with its origin: as long as it stays within a line of its tensor (a row, or a column of a
 * column-major one), the box somewhere else has the same coordinates, shifted.
 *
 * Where a box leaves its tensor its elements are zero. A row of A that is nowhere, or a column of B, is that of accumulators which belong to no
 * output; a k that is nowhere in both operands adds nothing. A k that is nowhere in one of them is refused: zero times what the other holds is zero
 * only if that is finite.
 *
 *     a (72, 48), box (64, 64) at [64, 0]     rows 64 .. 71, -1 ..; ks 0 .. 47, -1 ..
 *
 * Products commute: where A is taken from the factor that the program names second, and B from the first, the mma makes the transpose of what is asked, as for an output that
 * lies column-major, and what its accumulator has at (i, j) is the sum for row j and column i.
 *
 * Where a claim has an epilogue, an accumulator may begin with elements of a tensor, or with what was made of them, and all elements of an operand may have been
 * multiplied by one power of two before: then what the accumulator has is no sum alone (`sums.ts`).
 *
 * Laws
 * 1. `separate` at an origin equals `separate` from scratch there.
 * 2. A matrix that lies column-major has the coordinates of its transpose, exchanged.
 */
import * as E from 'fp-ts/lib/Either.js'
import { scaleAtom, scaleOffset } from '../../../layouts/shared-memory/scale-factors.js'
import { bitsOf } from '../../../numerics/dtype.js'
import type { Spec } from '../../language/program.js'
import type { Header, LoggedTensor } from '../../log/events.js'
import { andThen, intervals, shifted, type Intervals } from './intervals.js'
import { remembered, table, type Table, type Tables } from './tables.js'
import { addElements, timesNumbers, withoutNumbers } from './sums.js'
import {
  addressOf,
  columnOf,
  elementOf,
  input,
  leavesTensor,
  nowhere,
  other,
  rowOf,
  sum,
  zero,
  type Element,
  type InputTerms,
  type SumTerms,
  type Terms,
} from './terms.js'

// ---------------------------------------------------------------- model

/** The coordinates of a box relative to its first element, and how far they reach along a line of the tensor. */
interface Box {
  readonly first: Table
  readonly second: Table
  readonly least: number
  readonly most: number
}

/** What is remembered of tables; `boxes` by shape and by how the tensor lies, then by table. */
export interface Coordinates {
  readonly boxes: Map<string, Map<number, Box>>
  readonly outer: Map<number, Map<number, Table>>
  readonly inner: Map<number, Map<number, Table>>
  readonly slices: Map<number, Intervals>
}

export const coordinates = (): Coordinates => ({
  boxes: new Map(),
  outer: new Map(),
  inner: new Map(),
  slices: new Map(),
})

export interface Products {
  readonly tables: Tables
  readonly header: Header
  readonly known: Coordinates
}

export const products = (header: Header, tables: Tables, known: Coordinates = coordinates()): Products => ({
  tables,
  header,
  known,
})

/** An operand: its terms and the shape under which the mma reads them. */
export interface Operand {
  readonly terms: Terms
  readonly shape: ReadonlyArray<number>
}

// ---------------------------------------------------------------- coordinates

const tensorOf = (header: Header, plane: number): LoggedTensor | undefined =>
  header.tensors.find((t) => t.plane === plane)

export const transposeOf = (t: LoggedTensor): LoggedTensor => ({
  name: `${t.name}.T`,
  plane: t.plane,
  dtype: t.dtype,
  shape: [...t.shape].reverse(),
  strides: [...t.strides].reverse(),
})

const isTransposed = (spec: Spec | null, which: 'a' | 'b'): boolean =>
  spec?._tag === 'matmul' && (spec.transposed === which || spec.transposed === 'both')

/** The tensor of a factor, as the product is said to take it. */
export const factorOf = (spec: Spec | null, which: 'a' | 'b', t: LoggedTensor): LoggedTensor =>
  isTransposed(spec, which) ? transposeOf(t) : t

/** The planes of the factors, as the product is said to take them; null: nothing says which they are. */
export const factors = (s: Products): readonly [a: number, b: number] | null => {
  const spec = s.header.computes
  const planeOf = (name: string): number | undefined => s.header.tensors.find((t) => t.name === name)?.plane
  const [a, b] = spec?._tag === 'matmul' ? [planeOf(spec.a), planeOf(spec.b)] : []
  return a === undefined || b === undefined ? null : [a, b]
}

/** Is the left operand of an mma one of the right factor, or the right one of the left factor? Then the mma makes the transpose: (A B)' = B' A'. */
const isExchanged = (s: Products, which: 'a' | 'b', plane: number): boolean => {
  const planes = factors(s)
  if (planes === null) return false
  const [own, others] = which === 'a' ? planes : [planes[1], planes[0]]
  return own !== plane && others === plane
}

/** The other factor, as the mma has it that makes the transpose. */
const exchangedOf = (spec: Spec | null, which: 'a' | 'b', t: LoggedTensor): LoggedTensor =>
  isTransposed(spec, which === 'a' ? 'b' : 'a') ? t : transposeOf(t)

/** The dimension with the larger stride: its lines lie behind each other. */
const majorOf = (t: LoggedTensor): 0 | 1 => (t.strides[0]! >= t.strides[1]! ? 0 : 1)
const lineAt = (t: LoggedTensor, address: number): number =>
  Math.floor(address / (bitsOf(t.dtype) / 8) / t.strides[majorOf(t)]!)
const alongAt = (t: LoggedTensor, address: number): number => {
  const major = majorOf(t)
  return (address / (bitsOf(t.dtype) / 8) - lineAt(t, address) * t.strides[major]!) / t.strides[1 - major]!
}
const rowAt = (t: LoggedTensor, address: number): number =>
  majorOf(t) === 0 ? lineAt(t, address) : alongAt(t, address)
const columnAt = (t: LoggedTensor, address: number): number =>
  majorOf(t) === 0 ? alongAt(t, address) : lineAt(t, address)

/** The row and the column of the element at an address, of a factor; null: no element begins there. */
export const coordinatesAt = (
  s: Products,
  which: 'a' | 'b',
  plane: number,
  address: number,
): readonly [row: number, column: number] | null => {
  const held = tensorOf(s.header, plane)
  if (held?.shape.length !== 2) return null
  const t = factorOf(s.header.computes, which, held)
  const [row, column] = [rowAt(t, address), columnAt(t, address)]
  return row < t.shape[0]! &&
    column < t.shape[1]! &&
    address === ((row * t.strides[0]! + column * t.strides[1]!) * bitsOf(t.dtype)) / 8
    ? [row, column]
    : null
}

/** The coordinates along the two dimensions: `first + firstAt`, `second + secondAt`. */
interface Separated {
  readonly plane: number
  /** it is of the factor on the other side, transposed */
  readonly exchanged: boolean
  readonly first: Table
  readonly firstAt: number
  readonly second: Table
  readonly secondAt: number
}

const separate = (s: Products, operand: Operand, which: 'a' | 'b'): Separated | string => {
  const { terms, shape } = operand
  const what = which === 'a' ? 'operand A' : 'operand B'
  if (terms._tag === 'other') return `${what}: ${terms.why}`
  if (terms._tag !== 'input') return `${what} is not a box of an input`
  const held = tensorOf(s.header, terms.plane)
  if (held?.shape.length !== 2)
    return `${what} comes from ${s.header.planes[terms.plane]!.name}, which is not a matrix`
  const spec = s.header.computes
  const exchanged = isExchanged(s, which, terms.plane)
    ? separateIn(s, exchangedOf(spec, which, held), true, terms, shape, what)
    : null
  return exchanged === null || typeof exchanged === 'string'
    ? separateIn(s, factorOf(spec, which, held), false, terms, shape, what)
    : exchanged
}

const separateIn = (
  s: Products,
  t: LoggedTensor,
  exchanged: boolean,
  terms: InputTerms,
  shape: ReadonlyArray<number>,
  what: string,
): Separated | string => {
  if (leavesTensor(terms)) return separateAtEdge(s, t, exchanged, terms, shape, what)
  const key = `${t.dtype}:${String(t.strides[0])}:${String(t.strides[1])}:${String(shape[0])}:${String(shape[1])}`
  const boxes = s.known.boxes.get(key) ?? new Map<number, Box>()
  s.known.boxes.set(key, boxes)
  const start = addressOf(terms, 0)
  const firstAt = rowAt(t, start)
  const secondAt = columnAt(t, start)
  const known = boxes.get(terms.offsets.id)
  const major = majorOf(t)
  const alongAtStart = major === 0 ? secondAt : firstAt
  const stays =
    known !== undefined &&
    alongAtStart + known.least >= 0 &&
    (alongAtStart + known.most) * t.strides[1 - major]! < t.strides[major]!
  const box = stays ? known : boxOf(s, t, terms, shape, what)
  if (typeof box === 'string') return box
  boxes.set(terms.offsets.id, box)
  return { plane: terms.plane, exchanged, first: box.first, firstAt, second: box.second, secondAt }
}

/** `first[i]` is the row of the elements (i, j) for all j, `second[j]` the column of the elements (i, j) for all i. */
const boxOf = (
  s: Products,
  t: LoggedTensor,
  terms: InputTerms,
  shape: ReadonlyArray<number>,
  what: string,
): Box | string => {
  const [p, q] = [shape[0]!, shape[1]!]
  const first = new Int32Array(p)
  const second = new Int32Array(q)
  for (let i = 0; i < p; i++) first[i] = rowAt(t, addressOf(terms, i * q))
  for (let j = 0; j < q; j++) second[j] = columnAt(t, addressOf(terms, j))
  const bytes = bitsOf(t.dtype) / 8
  const [down, along] = [t.strides[0]! * bytes, t.strides[1]! * bytes]
  for (let i = 0; i < p; i++)
    for (let j = 0; j < q; j++) {
      const address = addressOf(terms, i * q + j)
      if (address !== first[i]! * down + second[j]! * along)
        return scrambled(what, t, [i, j], address, [first[i]!, second[j]!])
    }
  const [row, column] = [first[0]!, second[0]!]
  const rows = first.map((x) => x - row)
  const columns = second.map((x) => x - column)
  const minor = majorOf(t) === 0 ? columns : rows
  return {
    first: table(s.tables, rows),
    second: table(s.tables, columns),
    least: minor.reduce((m, x) => Math.min(m, x), 0),
    most: minor.reduce((m, x) => Math.max(m, x), 0),
  }
}

/**
 * Of a box that leaves its tensor. A line is nowhere if all of its elements are; an element is nowhere exactly where its row or its column is. The
 * coordinates count from 0.
 */
const separateAtEdge = (
  s: Products,
  t: LoggedTensor,
  exchanged: boolean,
  terms: InputTerms,
  shape: ReadonlyArray<number>,
  what: string,
): Separated | string => {
  const [p, q] = [shape[0]!, shape[1]!]
  const first = new Int32Array(p).fill(nowhere)
  const second = new Int32Array(q).fill(nowhere)
  for (let i = 0; i < p; i++)
    for (let j = 0; j < q; j++) {
      const address = addressOf(terms, i * q + j)
      if (address < 0) continue
      if (first[i] === nowhere) first[i] = rowAt(t, address)
      if (second[j] === nowhere) second[j] = columnAt(t, address)
    }
  const bytes = bitsOf(t.dtype) / 8
  const [down, along] = [t.strides[0]! * bytes, t.strides[1]! * bytes]
  for (let i = 0; i < p; i++)
    for (let j = 0; j < q; j++) {
      const address = addressOf(terms, i * q + j)
      const isNowhere = first[i] === nowhere || second[j] === nowhere
      if (address !== (isNowhere ? nowhere : first[i]! * down + second[j]! * along))
        return scrambled(what, t, [i, j], address, [first[i]!, second[j]!])
    }
  return {
    plane: terms.plane,
    exchanged,
    first: table(s.tables, first),
    firstAt: 0,
    second: table(s.tables, second),
    secondAt: 0,
  }
}

const scrambled = (
  what: string,
  t: LoggedTensor,
  [i, j]: readonly [number, number],
  address: number,
  [row, column]: readonly [number, number],
): string =>
  `${what} is scrambled: its element [${String(i)}, ${String(j)}] is ${address < 0 ? `outside ${t.name}` : `${t.name}[${String(rowAt(t, address))}, ${String(columnAt(t, address))}]`}, where ${t.name}[${String(row)}, ${String(column)}] was expected: the bytes were written under one layout and read under another`

/** Are all elements nowhere? */
const isNowhere = (x: Separated): boolean => greatest(x.first) + x.firstAt < 0

const greatest = (t: Table): number => t.values.reduce((m, x) => Math.max(m, x), nowhere)

/** The coordinates of the rows, and of the columns, at every element of a p x q accumulator. */
const everyRow = (s: Products, rows: Table, q: number): Table =>
  remembered(s.known.outer, rows.id, q, () => {
    const out = new Int32Array(rows.values.length * q)
    rows.values.forEach((row, i) => out.fill(row, i * q, (i + 1) * q))
    return table(s.tables, out)
  })
const everyColumn = (s: Products, columns: Table, p: number): Table =>
  remembered(s.known.inner, columns.id, p, () => {
    const q = columns.values.length
    const out = new Int32Array(p * q)
    for (let i = 0; i < p; i++) out.set(columns.values, i * q)
    return table(s.tables, out)
  })

/** The k's of a table that are somewhere. */
const slicesOf = (s: Products, ks: Table, from: number): Intervals => {
  if (from + ks.least < 0) return intervals(ks.values.map((k) => k + from).filter((k) => k >= 0))
  const known = s.known.slices.get(ks.id)
  if (known !== undefined) return shifted(known, from)
  const made = intervals(ks.values)
  s.known.slices.set(ks.id, made)
  return shifted(made, from)
}

// ---------------------------------------------------------------- scales

/** The scales that an mma reads: all copies of those of A's rows, and of B's columns. */
export interface Scaling {
  readonly a: ReadonlyArray<Operand>
  readonly b: ReadonlyArray<Operand>
}

/** The scale at (i, j) must be that of line `lines[i]` and of the block in which `ks[j * size]` and the next `size` k's lie. */
const whyScale = (
  s: Products,
  what: string,
  operand: Operand,
  name: string,
  block: number,
  lines: ReadonlyArray<number>,
  ks: ReadonlyArray<number>,
): string | null => {
  const { terms, shape } = operand
  if (terms._tag === 'other') return `${what}: ${terms.why}`
  const t = s.header.tensors.find((one) => one.name === name)
  if (terms._tag !== 'input' || t === undefined || terms.plane !== t.plane)
    return `${what} are not a box of ${name}`
  const offset = scaleOffset(t.shape[0]! * scaleAtom[0], (t.shape[1] ?? 0) * scaleAtom[1])
  if (t.shape.length !== 4 || E.isLeft(offset)) return `${name} is not a tensor of atoms of scales`
  const [count, blocks] = [shape[0]!, shape[1]!]
  const size = ks.length / blocks
  if (size !== block || count !== lines.length)
    return `${what} are ${String(count)} by ${String(blocks)} for ${String(lines.length)} lines and ${String(ks.length)} of k, where a scale is that of ${String(block)}`
  for (let j = 0; j < blocks; j++) {
    const first = ks[j * size]!
    if (first % block !== 0 || ks.some((k, at) => Math.floor(at / size) === j && k !== first + (at % size)))
      return `${what}: block ${String(j)} of the operand is not one block of k`
    for (let i = 0; i < count; i++)
      if (addressOf(terms, i * blocks + j) !== offset.right(lines[i]!, first / block))
        return `${what}: line ${String(lines[i])} meets another scale than that of its k-slice ${String(first)}:${String(first + block)}`
  }
  return null
}

/** Why the scales are not those that the program names, for these elements; null: they are. */
const whyScales = (
  s: Products,
  scales: Scaling,
  a: Separated,
  bs: ReadonlyArray<Separated>,
): string | null => {
  const spec = s.header.computes
  if (spec?._tag !== 'matmul' || spec.scales === undefined)
    return 'the program does not say that its product is block-scaled'
  const { block } = spec.scales
  const [nameA, nameB] = a.exchanged ? [spec.scales.b, spec.scales.a] : [spec.scales.a, spec.scales.b]
  const rows = [...a.first.values].map((x) => x + a.firstAt)
  const columns = bs.flatMap((b) => [...b.second.values].map((x) => x + b.secondAt))
  const ks = [...a.second.values].map((x) => x + a.secondAt)
  for (const one of scales.a) {
    const wrong = whyScale(s, 'the scales of A', one, nameA, block, rows, ks)
    if (wrong !== null) return wrong
  }
  for (const one of scales.b) {
    const wrong = whyScale(s, 'the scales of B', one, nameB, block, columns, ks)
    if (wrong !== null) return wrong
  }
  return null
}

// ---------------------------------------------------------------- the product

/** A left operand with the k's of a right one, and the reverse. */
const withSecond = (a: Separated, b: Separated): Separated => ({
  plane: a.plane,
  exchanged: a.exchanged,
  first: a.first,
  firstAt: a.firstAt,
  second: b.first,
  secondAt: b.firstAt,
})
const withFirst = (b: Separated, a: Separated): Separated => ({
  plane: b.plane,
  exchanged: b.exchanged,
  first: a.second,
  firstAt: a.secondAt,
  second: b.second,
  secondAt: b.secondAt,
})

/** The right operands side by side: the columns of both CTAs of a pair, counted from the first of the first. */
const sideBySide = (s: Products, bs: ReadonlyArray<Separated>): Table => {
  const start = bs[0]!.secondAt
  return bs.length === 1
    ? bs[0]!.second
    : table(
        s.tables,
        Int32Array.from(bs.flatMap((b) => [...b.second.values].map((x) => x + b.secondAt - start))),
      )
}

const showSlice = (k: number, of: string): string =>
  k < 0 ? `the part outside of ${of}` : `k-slice ${String(k)} of ${of}`

/** K of A and of B, one by one. */
const apart = (a: Separated, b: Separated): string | null => {
  if (a.second === b.first && a.secondAt === b.firstAt) return null
  const at = a.second.values.findIndex((k, i) => a.secondAt + k !== b.firstAt + b.first.values[i]!)
  return at < 0
    ? null
    : `the operands do not match: ${showSlice(a.secondAt + a.second.values[at]!, 'A')} with ${showSlice(b.firstAt + b.first.values[at]!, 'B')}`
}

const isEpilogue = (s: Products): boolean =>
  s.header.computes?._tag === 'matmul' && s.header.computes.epilogue === true

type Numeral = Extract<Element, { readonly _tag: 'number' }>

/** Operands without the numbers that all of their elements were multiplied by, and these. */
const bareOperands = (
  s: Products,
  what: string,
  operands: ReadonlyArray<Operand>,
): { readonly operands: ReadonlyArray<Operand>; readonly numbers: ReadonlyArray<Numeral> } | Terms => {
  const plain = { operands, numbers: [] }
  if (!isEpilogue(s)) return plain
  const bare: Operand[] = []
  let numbers: ReadonlyArray<Numeral> | null = null
  const key = (of: ReadonlyArray<Numeral>): string => JSON.stringify(of)
  for (const { terms, shape } of operands) {
    if (terms._tag !== 'each') return plain
    const places: number[] = []
    let plane: number | null = null
    for (const element of terms.elements) {
      const found = withoutNumbers(element)
      if (typeof found === 'string') return other(`${what} ${found}`)
      const { of } = found
      if (of._tag !== 'input' || (plane !== null && plane !== of.plane)) return plain
      if (numbers !== null && key(numbers) !== key(found.numbers)) return plain
      numbers = found.numbers
      plane = of.plane
      places.push(of.address)
    }
    if (plane === null) return plain
    bare.push({ terms: input(plane, table(s.tables, Int32Array.from(places)), 0), shape })
  }
  return { operands: bare, numbers: numbers ?? [] }
}

/**
 * The terms of an accumulator of `shape` after A * B, added to `old` unless that is null. A may lie more than once (all copies must be the
 * same), and B in parts, whose columns follow one another.
 */
export const product = (
  s: Products,
  givenLefts: ReadonlyArray<Operand>,
  givenRights: ReadonlyArray<Operand>,
  scales: Scaling,
  old: Terms | null,
  shape: ReadonlyArray<number>,
): Terms => {
  // the first thing that went wrong is the one to name
  if (old !== null && old._tag === 'other') return old
  const leftFound = bareOperands(s, 'operand A', givenLefts)
  if ('_tag' in leftFound) return leftFound
  const rightFound = bareOperands(s, 'operand B', givenRights)
  if ('_tag' in rightFound) return rightFound
  const [lefts, rights] = [leftFound.operands, rightFound.operands]
  const inside = [...leftFound.numbers, ...rightFound.numbers]
  const [first] = lefts
  if (first === undefined || rights.length === 0) return other('an mma without operands')
  const found = separate(s, first, 'a')
  if (typeof found === 'string') return other(found)
  for (const again of lefts.slice(1)) {
    const copy = separate(s, again, 'a')
    if (typeof copy === 'string') return other(copy)
    if (
      copy.plane !== found.plane ||
      copy.first !== found.first ||
      copy.firstAt !== found.firstAt ||
      copy.second !== found.second ||
      copy.secondAt !== found.secondAt
    )
      return other('the two copies of operand A are not the same')
  }
  const parts: Separated[] = []
  for (const right of rights) {
    const part = separate(s, right, 'b')
    if (typeof part === 'string') return other(part)
    if (parts.length > 0 && parts[0]!.plane !== part.plane)
      return other('the two CTAs have columns of different inputs as operand B')
    parts.push(part)
  }
  const somewhere = parts.find((part) => !isNowhere(part))
  if (isNowhere(found) && somewhere === undefined) return old ?? zero
  // of an operand that is nowhere, nothing says which k's it would have been
  const a = isNowhere(found) && somewhere !== undefined ? withSecond(found, somewhere) : found
  const bs = parts.map((part) => (isNowhere(part) ? withFirst(part, a) : part))
  for (const part of bs) {
    const wrong = apart(a, part)
    if (wrong !== null) return other(wrong)
  }
  const b = bs[0]!
  const [p, q] = [shape[0]!, shape[1]!]
  const ofRows = everyRow(s, a.first, q)
  const ofColumns = everyColumn(s, sideBySide(s, bs), p)
  const ks = slicesOf(s, a.second, a.secondAt)
  const scaled = scales.a.length + scales.b.length > 0
  const unlike = scaled ? whyScales(s, scales, a, bs) : null
  if (unlike !== null) return other(unlike)
  // products commute
  const isExchange = a.exchanged && bs.every((part) => part.exchanged)
  const [left, right] = isExchange ? [b.plane, a.plane] : [a.plane, b.plane]
  const [rows, row] = isExchange ? [ofColumns, b.secondAt] : [ofRows, a.firstAt]
  const [columns, column] = isExchange ? [ofRows, a.firstAt] : [ofColumns, b.secondAt]
  const ofKs = (slices: Intervals): SumTerms => sum(left, right, rows, row, columns, column, slices, scaled)
  const fresh = ofKs(ks)
  if (inside.length > 0 || (isEpilogue(s) && (old?._tag === 'input' || old?._tag === 'each'))) {
    // an accumulator that something was in before, or products of what numbers have multiplied
    const elements = Array.from(rows.values, (_, e) => {
      const made = timesNumbers(elementOf(fresh, e), inside)
      return old === null || old._tag === 'zero' ? made : addElements(elementOf(old, e), made)
    })
    return elements.find((e) => e._tag === 'other') ?? { _tag: 'each', elements }
  }
  if (old === null || old._tag === 'zero') return fresh
  if (old._tag !== 'sum' || old.a !== left || old.b !== right || old.scaled !== scaled)
    return other('an mma adds to an accumulator that holds something else')
  const aligned = old.rows === rows && old.row === row && old.columns === columns && old.column === column
  const moved = aligned
    ? -1
    : rows.values.findIndex(
        (_, e) => rowOf(fresh, e) !== rowOf(old, e) || columnOf(fresh, e) !== columnOf(old, e),
      )
  if (moved >= 0)
    return other(
      `an mma adds the product of row ${String(rowOf(fresh, moved))} and column ${String(columnOf(fresh, moved))} to an accumulator of row ${String(rowOf(old, moved))} and column ${String(columnOf(old, moved))}`,
    )
  return ofKs(andThen(old.ks, ks))
}
