/**
 * What an access asks of memory: turns of the port of shared memory, and sectors of global memory.
 *
 * Shared memory has 32 banks of 4 bytes. One turn gives one word of each; an access that needs several words of one bank takes as many turns. Global memory comes in
 * sectors of 32 bytes. A sector that is written in part costs as much as two.
 *
 *     32 lanes, 4 bytes each, side by side        1 turn     4 sectors
 *     32 lanes, 4 bytes each, 128 bytes apart     32 turns   32 sectors    written: as 64
 */
import { bitsOf } from '../../numerics/dtype.js'
import { greatest } from '../../greatest.js'
import { remembered } from '../../remembered.js'
import type { Elements } from '../machine/elements.js'

interface Counted {
  readonly turns: number
  readonly sectors: number
  /** of them, those of which it has some bytes and not all */
  readonly parts: number
}

/** Of offsets of elements of so many bits; where a plane begins is taken to be a whole sector. */
const counted = (offsets: Int32Array, bits: number): Counted => {
  const words = new Set<number>()
  const sectors = new Map<number, number>()
  for (let i = 0; i < offsets.length; i++) {
    const at = offsets[i]!
    if (at < 0) continue
    const byte = bits < 8 ? (at * bits) >> 3 : at
    for (let b = byte & ~3; b < byte + bits / 8; b += 4) {
      words.add(b >> 2)
    }
  }
  for (const w of words) sectors.set(w >> 3, (sectors.get(w >> 3) ?? 0) + 1)
  const banks = new Int32Array(32)
  for (const w of words) banks[w & 31]!++
  return {
    turns: greatest(1)(banks),
    sectors: Math.max(1, sectors.size),
    parts: [...sectors.values()].filter((count) => count < 8).length,
  }
}

const ofBits = new Map<number, (offsets: Int32Array) => Counted>()
const of = (e: Elements): Counted => {
  const bits = bitsOf(e.dtype)
  const known = ofBits.get(bits) ?? remembered((offsets: Int32Array) => counted(offsets, bits))
  ofBits.set(bits, known)
  return known(e.offsets)
}

/** Turns of the port of shared memory. */
export const wavefrontsOf = (e: Elements): number => of(e).turns
/** Sectors of 32 bytes. */
export const sectorsOf = (e: Elements): number => of(e).sectors
/** As many sectors as it costs to write them. */
export const writesOf = (e: Elements): number => of(e).sectors + of(e).parts
