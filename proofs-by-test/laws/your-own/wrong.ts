import { checkLaws, showReport, swizzleLaws } from '../../../src/laws/index.js'

/** The row is taken from the wrong bits: shifted by 8 where a row has 2^7 bytes. */
const wrongSwizzle = (byte: number): number => byte ^ (((byte >> 8) & 7) << 4)

console.log(showReport(checkLaws(swizzleLaws(128))({ apply: wrongSwizzle, invert: wrongSwizzle })))
