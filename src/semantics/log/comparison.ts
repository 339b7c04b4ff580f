/**
 * Comparisons of 32-bit words, by the names that PTX has for them; and of their highest bits alone, as barriers of a grid have it, whose word turns that bit when all have come.
 *
 * And whether they have a bit in common, as barriers of parts of a CTA have it, each of which has a bit of a word.
 *
 *     lt -1 1    true: signed        lo -1 1    false: -1 is the greatest word        os -1 1    true: one of the two is negative        sc 6 3    true: bit 1
 *
 * Law 1. `ne`, `ge`, `gt`, `hs`, `hi`, `os`, `sc` hold where `eq`, `lt`, `le`, `lo`, `ls`, `ss`, `nc` do not.
 *
 * Source: PTX ISA, setp.
 */
import type { Comparison } from './events.js'

/** What a wait is for: `it is at least 4`. */
export const waitedFor = (c: Comparison, value: number): string => {
  const v = String(value)
  switch (c) {
    case 'eq':
      return `it is ${v}`
    case 'ne':
      return `it is not ${v}`
    case 'lt':
    case 'lo':
      return `it is less than ${v}`
    case 'le':
    case 'ls':
      return `it is at most ${v}`
    case 'gt':
    case 'hi':
      return `it is more than ${v}`
    case 'ge':
    case 'hs':
      return `it is at least ${v}`
    case 'os':
      return `its sign differs from that of ${v}`
    case 'ss':
      return `its sign is that of ${v}`
    case 'sc':
      return `it has a bit of ${v}`
    case 'nc':
      return `it has no bit of ${v}`
  }
}

export const holds = (c: Comparison, x: number, y: number): boolean => {
  switch (c) {
    case 'eq':
      return (x | 0) === (y | 0)
    case 'ne':
      return (x | 0) !== (y | 0)
    case 'lt':
      return (x | 0) < (y | 0)
    case 'le':
      return (x | 0) <= (y | 0)
    case 'gt':
      return (x | 0) > (y | 0)
    case 'ge':
      return (x | 0) >= (y | 0)
    case 'lo':
      return x >>> 0 < y >>> 0
    case 'ls':
      return x >>> 0 <= y >>> 0
    case 'hi':
      return x >>> 0 > y >>> 0
    case 'hs':
      return x >>> 0 >= y >>> 0
    case 'os':
      return (x ^ y) < 0
    case 'ss':
      return (x ^ y) >= 0
    case 'sc':
      return (x & y) !== 0
    case 'nc':
      return (x & y) === 0
  }
}

export const opposite = (c: Comparison): Comparison => {
  switch (c) {
    case 'eq':
      return 'ne'
    case 'ne':
      return 'eq'
    case 'lt':
      return 'ge'
    case 'ge':
      return 'lt'
    case 'le':
      return 'gt'
    case 'gt':
      return 'le'
    case 'lo':
      return 'hs'
    case 'hs':
      return 'lo'
    case 'ls':
      return 'hi'
    case 'hi':
      return 'ls'
    case 'os':
      return 'ss'
    case 'ss':
      return 'os'
    case 'sc':
      return 'nc'
    case 'nc':
      return 'sc'
  }
}
