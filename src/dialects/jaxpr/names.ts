/**
 * Names of what is allocated: those of its author, where JAX knows them; else its kind and a number.
 *
 * All threads run one text, so an allocation has one name in all of them; where a text is run from two places, each has its own. An accumulator is of a
 * thread, and says of which.
 */
import type { Type, Var } from './document.js'

export interface Names {
  /** of the variable, where the calls that led there are `chain` */
  readonly of: (variable: Var, chain: string) => string
}

const kindOf = (type: Type): string => {
  if ('barrier' in type) return 'barrier'
  if ('semaphore' in type) return 'semaphore'
  if ('union' in type) return 'union'
  if ('ref' in type) return type.accumulator === true ? 'acc' : type.ref
  return 'value'
}

/** `allocs['in'][0]` is `allocs.in.0`. */
const plain = (name: string): string =>
  name
    .replace(/\[['"]?([^'"\]]*)['"]?\]/g, '.$1')
    .replace(/[^\w.]+/g, '_')
    .replace(/^[._]+|[._]+$/g, '')

/** `taken`: names that are not free, those of operands. */
export const namesFor = (taken: Iterable<string>): Names => {
  const used = new Set(taken)
  const known = new Map<string, string>()
  return {
    of: ({ v, type, name }, chain) => {
      const key = `${String(v)} ${chain}`
      const found = known.get(key)
      if (found !== undefined) return found
      const said = plain(name ?? '')
      const base = said === '' ? kindOf(type) : said
      let free = base
      for (let k = 2; used.has(free); k++) free = `${base}_${String(k)}`
      used.add(free)
      known.set(key, free)
      return free
    },
  }
}
