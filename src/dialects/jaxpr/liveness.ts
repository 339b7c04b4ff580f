/**
 * What of a document has an effect, or is read: the rest is not elaborated, as no compiler keeps it.
 *
 * Law 1. An equation that is left out does nothing but compute values that nothing reads.
 */
import type { Document, Eqn, Jaxpr } from './document.js'
import { isVariable } from './document.js'

export interface Liveness {
  readonly isLive: (eqn: Eqn) => boolean
  /** how often a variable is read by equations that are live; twice if by one that runs jaxprs */
  readonly reads: ReadonlyMap<number, number>
}

const regions: ReadonlySet<string> = new Set(['call', 'cond', 'inline_mgpu', 'scan', 'while'])

const jaxprsOf = (eqn: Eqn): ReadonlyArray<number> => Object.values(eqn.jaxprs ?? {}).flat()

/** Variables in values, uses and their indices. */
const readBy = (eqn: Eqn): ReadonlyArray<number> => {
  const found: number[] = []
  const look = (x: unknown): void => {
    if (typeof x !== 'object' || x === null) return
    if (isVariable(x)) found.push(x.v)
    else for (const part of Object.values(x)) look(part)
  }
  look(eqn.in)
  look(eqn.uses)
  return found
}

/** `isPure`: an operation that only computes. */
export const livenessOf = (d: Document, isPure: (op: string) => boolean): Liveness => {
  const effects = new Map<number, boolean>()
  const acts = (eqn: Eqn): boolean => (regions.has(eqn.op) ? jaxprsOf(eqn).some(jaxprActs) : !isPure(eqn.op))
  const jaxprActs = (n: number): boolean => {
    const known = effects.get(n)
    if (known !== undefined) return known
    effects.set(n, false)
    const found = (d.jaxprs[n]?.eqns ?? []).some(acts)
    effects.set(n, found)
    return found
  }
  const live = new Set<Eqn>()
  const reads = new Map<number, number>()
  const read = (v: number, times: number): void => {
    reads.set(v, (reads.get(v) ?? 0) + times)
  }
  const ofJaxpr = ({ eqns = [], out = [] }: Jaxpr): void => {
    for (const value of out) if (isVariable(value)) read(value.v, 1)
    for (const eqn of [...eqns].reverse()) {
      const isRead = (eqn.out ?? []).some((o) => o !== null && reads.has(o.v))
      if (!isRead && !acts(eqn)) continue
      live.add(eqn)
      for (const v of readBy(eqn)) read(v, jaxprsOf(eqn).length > 0 ? 2 : 1)
    }
  }
  d.jaxprs.forEach(ofJaxpr)
  return { isLive: (eqn) => live.has(eqn), reads }
}
