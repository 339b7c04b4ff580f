/**
 * Environments: what the names in scope stand for.
 *
 * The typing of an expression reads two tables: the *declarations* of the program (parameters and storages, one flat space of names
 * each) and the *names* bound so far, from an outer region or by an earlier statement. `Names` is a partial function from text
 * to bindings, grown by one name at a time and never changed: a region keeps the names that it began with while its body binds more.
 *
 *     bind(bind(noNames, 'x', i32), 'y', f16)     x: i32, y: f16
 *     bind(that, 'x', f32)                        x: f32, y: f16; the names before are as they were
 *
 * A binding says more than a type where a later check can use it: which descriptor parameter the name certainly is, and where
 * in its plane a view certainly starts (`known-place.ts`).
 *
 * Representation: a list of at most 32 bindings, the latest first, and behind it a list of maps of as many. A bind adds to the list, and makes
 * the next map once in 32; a look-up visits the list, then one map in 32 names.
 *
 * Laws
 * 1. `lookup(bind(ns, n, b), n) = b`.
 * 2. `lookup(bind(ns, n, b), m) = lookup(ns, m)` for m other than n; `lookup(noNames, n)` is nothing.
 */
import type { DescriptorParam, Param, Storage } from '../program.js'
import type { Type } from '../types.js'

// ---------------------------------------------------------------- model

/** What a name stands for. A descriptor remembers which parameter it is, so that copies can be checked against its box. */
export interface Binding {
  readonly type: Type
  readonly descriptor?: DescriptorParam
  /** where a view is known to start */
  readonly base?: Base
  /** a power of two that certainly divides an integer, if it is more than one */
  readonly even?: number
}

/** An address in a CTA's plane: `offset` plus an unknown multiple of `step` bytes. */
export interface Base {
  readonly offset: number
  readonly step: number
}

/** Names in scope: a persistent map that shares what it does not change. */
export interface Names {
  readonly recent: Bound | null
  /** how many are recent */
  readonly count: number
  readonly older: Older | null
}
/** A name, and those that were bound before it. */
interface Bound {
  readonly name: string
  readonly binding: Binding
  readonly before: Bound | null
}
interface Older {
  readonly known: ReadonlyMap<string, Binding>
  readonly before: Older | null
}

/** A parameter and a storage by name. */
export interface Declarations {
  readonly params: ReadonlyMap<string, Param>
  readonly storage: ReadonlyMap<string, Storage>
}

export interface Environment {
  readonly declarations: Declarations
  readonly names: Names
}

// ---------------------------------------------------------------- constructors

export const noNames: Names = { recent: null, count: 0, older: null }

const most = 32
export const bind = (names: Names, name: string, binding: Binding): Names =>
  names.count < most
    ? {
        recent: { name, binding, before: names.recent },
        count: names.count + 1,
        older: names.older,
      }
    : {
        recent: { name, binding, before: null },
        count: 1,
        older: { known: known(names.recent), before: names.older },
      }

/** Of a name that is bound twice the later binding. */
const known = (recent: Bound | null): ReadonlyMap<string, Binding> => {
  const bindings = new Map<string, Binding>()
  for (let at = recent; at !== null; at = at.before)
    if (!bindings.has(at.name)) bindings.set(at.name, at.binding)
  return bindings
}

// ---------------------------------------------------------------- destructors

export const lookup = (names: Names, name: string): Binding | undefined => {
  for (let at = names.recent; at !== null; at = at.before) if (at.name === name) return at.binding
  for (let at = names.older; at !== null; at = at.before) {
    const found = at.known.get(name)
    if (found !== undefined) return found
  }
  return undefined
}
