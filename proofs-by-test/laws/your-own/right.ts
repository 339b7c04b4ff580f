import { checkLaws, showReport, swizzleLaws } from '../../../src/laws/index.js'

/** Your code: a row of a tile has eight chunks of 16 bytes; chunk j of row r goes to chunk j xor (r mod 8). */
const mySwizzle = (byte: number): number => {
  const row = Math.floor(byte / 128)
  const chunk = Math.floor((byte % 128) / 16)
  return row * 128 + (chunk ^ (row % 8)) * 16 + (byte % 16)
}

console.log(showReport(checkLaws(swizzleLaws(128))({ apply: mySwizzle, invert: mySwizzle })))
