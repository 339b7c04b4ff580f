/** The palette of a terminal: picocolors behind the names that rendering uses. */
import pc from 'picocolors'
import type { Palette } from '../../render/palette.js'

export const paletteOf = (colours: boolean): Palette => {
  const c = pc.createColors(colours)
  return { bold: c.bold, dim: c.dim, good: c.green, bad: c.red, doubtful: c.yellow, name: c.cyan }
}
