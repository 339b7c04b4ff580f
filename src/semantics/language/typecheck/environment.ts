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
 * Representation: a list of maps of at most 32 names. A bind copies at most 32 entries, and a look-up visits one map
 * in 32 names.
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
}

/** An address in a CTA's plane: `offset` plus an unknown multiple of `step` bytes. */
export interface Base {
  readonly offset: number
  readonly step: number
}

/** Names in scope: a persistent map that shares what it does not change. */
export interface Names {
  readonly recent: ReadonlyMap<string, Binding>
  readonly older: Names | null
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

export const noNames: Names = { recent: new Map(), older: null }

const chunk = 32
export const bind = (names: Names, name: string, binding: Binding): Names =>
  names.recent.size < chunk
    ? { recent: new Map([...names.recent, [name, binding]]), older: names.older }
    : { recent: new Map([[name, binding]]), older: names }

// ---------------------------------------------------------------- destructors

export const lookup = (names: Names, name: string): Binding | undefined => {
  for (let at: Names | null = names; at !== null; at = at.older) {
    const found = at.recent.get(name)
    if (found !== undefined) return found
  }
  return undefined
}
