/**
 * The palette of a terminal behind the names that rendering uses, and the terminal's width.
 *
 * A colour is a *mark* (`printable.ts`), which becomes an escape sequence when it is printed: a text that a file held stands between the marks of ours, and what it holds
 * itself is none. A colour that ends inside another one begins that one again.
 */
import { columns, type Palette } from '../../render/palette.js'
import type { World } from './command.js'
import { mark } from './printable.js'

/** Codes of ECMA-48, SGR: what begins it, and what ends it. */
const painted =
  (from: number, to: number): ((text: string) => string) =>
  (text) => {
    const [begin, end] = [mark(from), mark(to)]
    return `${begin}${text.replaceAll(end, `${end}${begin}`)}${end}`
  }
const unpainted = (text: string): string => text

export const paletteOf = (world: Pick<World, 'colours' | 'columns'>): Palette => {
  const paint = world.colours ? painted : () => unpainted
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    good: paint(32, 39),
    bad: paint(31, 39),
    doubtful: paint(33, 39),
    name: paint(36, 39),
    columns: world.columns ?? columns,
  }
}
