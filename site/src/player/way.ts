/**
 * The way of an element through memory, in words: from its index to its tile, its byte, the swizzle, and the bank or the lane that holds it.
 *
 * Law 1. The byte after the swizzle is the one that the document has; what is said of it is arithmetic on that number.
 */

/** `tcspec.values/1`, as `src/render/recording/values.ts` makes it. */
export type { Values } from '../../../src/render/recording/values.js'
import type { Values } from '../../../src/render/recording/values.js'

export type Way = ReadonlyArray<readonly [what: string, text: string]>

/** Index of an element of the window, of all dimensions. */
export const indexOf = (v: Values, element: number): ReadonlyArray<number> => {
  const column = v.window.column + (element % v.window.columns)
  let row = v.window.row + Math.floor(element / v.window.columns)
  const index = [column]
  for (const extent of v.shape.slice(0, -1).reverse()) {
    index.unshift(row % extent)
    row = Math.floor(row / extent)
  }
  return index
}

const list = (numbers: ReadonlyArray<number>): string => `[${numbers.join(', ')}]`

/** The tile of an index and the place in it: of the innermost dimensions, which are tiled. */
const tileWords = (index: ReadonlyArray<number>, tile: ReadonlyArray<number>): string => {
  const inner = index.slice(index.length - tile.length)
  const which = inner.map((i, d) => Math.floor(i / (tile[d] ?? 1)))
  const within = inner.map((i, d) => i % (tile[d] ?? 1))
  return `tile ${list(which)} of ${tile.join(' x ')}, element ${list(within)} in it`
}

const banks = 32
const bankBytes = 4
const laneBytes = 2048

export const wayOf = (v: Values, element: number): Way => {
  const index = indexOf(v, element)
  const byte = v.bytes[element] ?? 0
  const plain = v.unswizzled?.[element] ?? byte
  const [tile] = v.tiles
  const common: Way = [
    ['index', list(index)],
    ...(tile === undefined ? [] : [['transform', tileWords(index, tile)] as const]),
  ]
  switch (v.space) {
    case 'smem':
      return [
        ...common,
        ['address', `byte ${plain.toLocaleString('en')} of shared memory, before the swizzle`],
        [
          'swizzle',
          v.unswizzled === null
            ? 'none'
            : `${String(v.swizzle)} bytes: 16-byte chunk ${String((plain >> 4) & 7)} goes to ${String((byte >> 4) & 7)}, byte ${byte.toLocaleString('en')}`,
        ],
        [
          'bank',
          `${String(Math.floor(byte / bankBytes) % banks)}, in row ${String(Math.floor(byte / (banks * bankBytes)))} of 128 bytes`,
        ],
      ]
    case 'tmem':
      return [
        ...common,
        ['lane', String(Math.floor(byte / laneBytes))],
        [
          'column',
          `${String(Math.floor((byte % laneBytes) / bankBytes))}, byte ${String(byte % bankBytes)} of it`,
        ],
      ]
    case 'gmem':
      return [...common, ['address', `byte ${byte.toLocaleString('en')} of ${v.name}`]]
    case 'regs':
      return [...common, ['place', `byte ${byte.toLocaleString('en')} of the registers of the agent`]]
  }
}

/** Numbers with as many digits as a cell has room for. */
export const shortNumber = (x: number | string): string =>
  typeof x === 'string'
    ? x === 'NaN'
      ? 'NaN'
      : x.replace('Infinity', 'inf')
    : x === 0 || (Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5)
      ? String(Number(x.toPrecision(4)))
      : x.toExponential(1)

/** The largest finite size; 0 where there is none. */
export const largest = (values: ReadonlyArray<number | string>): number =>
  values.reduce<number>((most, x) => (typeof x === 'number' ? Math.max(most, Math.abs(x)) : most), 0)
