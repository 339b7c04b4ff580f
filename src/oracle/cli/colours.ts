/** The palette of a terminal: picocolors behind the names that rendering uses, and the terminal's width. */
import pc from 'picocolors'
import { columns, type Palette } from '../../render/palette.js'
import type { World } from './command.js'

export const paletteOf = (world: Pick<World, 'colours' | 'columns'>): Palette => {
  const c = pc.createColors(world.colours)
  return {
    bold: c.bold,
    dim: c.dim,
    good: c.green,
    bad: c.red,
    doubtful: c.yellow,
    name: c.cyan,
    columns: world.columns ?? columns,
  }
}
