/**
 * A picture of shared memory: where the elements of a ref lie, line by line, bank by bank.
 *
 * A row of the picture is a line of 128 bytes, which is all 32 banks once; a column is one chunk of 16 bytes, four banks wide.
 * The number in a cell, and its hue, say which chunk of its line it was before the swizzle; below stand the elements that it
 * holds. So without a swizzle the columns are stripes of one colour, and a read down one stripe meets four banks only; with
 * one of 128 bytes eight lines show eight colours in every column.
 *
 *     f16 (8, 64), Tile (8, 64), Swizzle 128     line 0     0         1         2       ...
 *                                                        0, 0..7   0, 8..15  0, 16..23
 *                                                line 1     1         0         3
 *                                                        1, 8..15  1, 0..7   1, 24..31
 *
 * Laws
 * 1. Every element of the ref is in exactly one chunk: the one of its address.
 * 2. `before` is the chunk's number under the inverse of the swizzle.
 * 3. Lines are those between the first and the last byte, without gaps.
 */
import { greatest } from '../greatest.js'
import type { Index } from '../transforms/shape.js'
import * as Ref from '../transforms/ref.js'
import type { TransformedRef } from '../transforms/ref.js'
import { swizzleAddress } from '../transforms/swizzle.js'
import { oklch } from './colour.js'
import type { Palette } from './palette.js'
import type { SvgElement } from './svg.js'
import { element, group, line, mono, picture, rect, words } from './svg.js'
import { table } from './table.js'

export const lineBytes = 128
const chunkBytes = 16
const chunks = lineBytes / chunkBytes
const banksPerChunk = 4

export interface Chunk {
  /** Its number in its line before the swizzle, 0 to 7. */
  readonly before: number
  /** Row-major positions of the elements that begin in it, by address. */
  readonly positions: ReadonlyArray<number>
}

export interface Line {
  /** A multiple of 128. */
  readonly address: number
  readonly chunks: ReadonlyArray<Chunk>
}

export interface MemoryPicture {
  readonly title: string
  readonly subtitle: string
  readonly ref: TransformedRef
  /** What an element is called, by its row-major position; null for one that is no element of the array, such as a fill. */
  readonly indexOf: (position: number) => Index | null
  readonly lines: ReadonlyArray<Line>
  /** How many lines there are in all. */
  readonly of: number
}

/** The lines that a ref at this base touches. */
export const memoryLines = (ref: TransformedRef, base: number): ReadonlyArray<Line> => {
  const addresses = Ref.swizzledAddresses(ref, base)
  const offsets = Ref.elementOffsets(ref)
  const bit = (p: number): number => 8 * addresses[p]! + ((offsets[p]! * Ref.strideBits(ref.bits)) % 8)
  const order = Array.from(addresses, (_, p) => p).sort((a, b) => bit(a) - bit(b))
  const first = Math.floor(addresses[order[0]!]! / lineBytes)
  const last = Math.floor(addresses[order[order.length - 1]!]! / lineBytes)
  const held: number[][] = Array.from({ length: (last - first + 1) * chunks }, () => [])
  for (const p of order) held[Math.floor(addresses[p]! / chunkBytes) - first * chunks]!.push(p)
  const undo = swizzleAddress(ref.swizzle)
  return Array.from({ length: last - first + 1 }, (_, l) => {
    const address = (first + l) * lineBytes
    return {
      address,
      chunks: Array.from({ length: chunks }, (__, c) => ({
        before: Math.floor(undo(address + c * chunkBytes) / chunkBytes) % chunks,
        positions: held[l * chunks + c]!,
      })),
    }
  })
}

/** `3, 8..15`: the elements of a chunk; one coordinate may run, others stand. What is no element is `fill`. */
export const chunkLabel = (indexOf: (position: number) => Index | null, { positions }: Chunk): string => {
  const all = positions.map(indexOf)
  const indices = all.filter((index) => index !== null)
  const [first, last] = [indices[0], indices[indices.length - 1]]
  if (first === undefined || last === undefined) return all.length === 0 ? '' : 'fill'
  const part = indices.length < all.length ? ' + fill' : ''
  const running = first.flatMap((i, d) => (indices.some((index) => index[d] !== i) ? [d] : []))
  const steps = (d: number): boolean => indices.every((index, k) => index[d] === first[d]! + k)
  if (running.length > 1 || !running.every(steps)) return `${first.join(', ')} ...${part}`
  return `${first
    .map((i, d) => (running.includes(d) ? `${String(i)}..${String(last[d])}` : String(i)))
    .join(', ')}${part}`
}

const colourOf = (before: number): string => oklch(0.88, 0.085, 25 + (360 * before) / chunks)

// ---------------------------------------------------------------- svg

const muted = '#6b7280'
const margin = 28
const gutter = 64
const cellHeight = 38

export const memorySvg = (p: MemoryPicture): SvgElement => {
  const labels = p.lines.map(({ chunks: cells }) => cells.map((c) => chunkLabel(p.indexOf, c)))
  const longest = greatest(0)(labels.flat().map((label) => label.length))
  const cellWidth = Math.max(88, Math.ceil(longest * 5.6) + 14)
  const x0 = margin + gutter
  const y0 = 142
  const width = Math.max(
    x0 + chunks * cellWidth + margin,
    Math.ceil(2 * margin + 6.4 * p.subtitle.length),
    Math.ceil(2 * margin + 10 * p.title.length),
  )
  const note = `A row is a line of 128 bytes, a cell 16 bytes: its number is the chunk of the line before the swizzle, below it the elements.`
  const shown = p.lines.length < p.of ? ` The first ${String(p.lines.length)} of ${String(p.of)} lines.` : ''
  const banks = Array.from({ length: chunks * banksPerChunk }, (_, b) =>
    words(x0 + ((b + 0.5) * cellWidth) / banksPerChunk, y0 - 10, String(b), { 'text-anchor': 'middle' }),
  )
  const rows = p.lines.flatMap(({ address, chunks: cells }, l) => {
    const y = y0 + l * cellHeight
    return [
      words(x0 - 10, y + cellHeight / 2 + 3, String(address), {
        'text-anchor': 'end',
        'font-size': 10,
        fill: muted,
      }),
      ...cells.map((c, k) => {
        const x = x0 + k * cellWidth
        const empty = c.positions.length === 0
        const middle = x + cellWidth / 2 - 1
        const box = rect(
          {
            x,
            y,
            width: cellWidth - 2,
            height: cellHeight - 2,
            rx: 3,
            fill: empty ? '#f9fafb' : labels[l]![k] === 'fill' ? '#e5e7eb' : colourOf(c.before),
          },
          `bytes ${String(address + k * chunkBytes)} to ${String(address + (k + 1) * chunkBytes - 1)}: ${empty ? 'nothing' : labels[l]![k]!}`,
        )
        return empty
          ? box
          : group({ 'text-anchor': 'middle' }, [
              box,
              words(middle, y + 16, String(c.before), { 'font-size': 13, 'font-weight': 600 }),
              words(middle, y + 30, labels[l]![k]!, { 'font-size': 9, 'font-family': mono }),
            ])
      }),
    ]
  })
  const bottom = y0 + p.lines.length * cellHeight
  return picture(
    Math.max(width, Math.ceil(margin * 2 + 5.6 * (note.length + shown.length))),
    bottom + margin,
    [
      words(margin, 38, p.title, { 'font-size': 18, 'font-weight': 600 }),
      words(margin, 58, p.subtitle, { fill: muted }),
      words(margin, 78, `${note}${shown}`, { fill: muted, 'font-size': 11 }),
      group({ 'font-size': 9, fill: muted, class: 'banks' }, [
        words(x0 - 10, y0 - 10, 'byte', { 'text-anchor': 'end', 'font-style': 'italic' }),
        words(x0, y0 - 28, 'bank \u2192', { 'font-style': 'italic' }),
        ...banks,
        ...Array.from({ length: chunks + 1 }, (_, c) =>
          line(x0 + c * cellWidth - 1, y0 - 20, x0 + c * cellWidth - 1, y0 - 4, { stroke: '#d1d5db' }),
        ),
      ]),
      element('g', { class: 'chunks' }, rows),
    ],
  )
}

// ---------------------------------------------------------------- text

/** One line of text for each line of memory: address, then chunk number and elements of each chunk. */
export const memoryText = (palette: Palette, p: MemoryPicture): string =>
  table([
    [
      'byte',
      ...Array.from(
        { length: chunks },
        (_, c) => `banks ${String(banksPerChunk * c)}-${String(banksPerChunk * (c + 1) - 1)}`,
      ),
    ],
    ...p.lines.map(({ address, chunks: cells }) => [
      String(address),
      ...cells.map((c) =>
        c.positions.length === 0 ? '-' : `${String(c.before)}: ${chunkLabel(p.indexOf, c)}`,
      ),
    ]),
  ])
    .split('\n')
    .map((text, i) => (i === 0 ? palette.dim(text) : text))
    .join('\n')
