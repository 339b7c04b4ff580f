/** Rendering: pure text. See README.md. */
export * as finding from './finding.js'
export * as palette from './palette.js'
export * as swizzle from './swizzle.js'
export * as table from './table.js'
export * as verdict from './verdict.js'
export type { Palette } from './palette.js'
