/**
 * What a loop counts: carried values that need not be carried.
 *
 * JAX carries the index of a loop like any other value. Of what a body is given and gives:
 *
 *     in[k] -> in[k]              the same all the time: it stays what it was before the loop
 *     in[k] -> in[k] + 1          counts: what it was before, and the index of the loop
 *
 * A `while` is a counted loop if it goes on while one that counts is less than one that stays the same, as `lax.fori_loop` writes it.
 */
import type { Document, Eqn, Jaxpr, Value } from './document.js'
import { isVariable } from './document.js'

export type Carried = 'same' | 'counts' | 'carried'

const isOne = (value: Value | undefined): boolean =>
  value !== undefined && 'k' in value && (value.k === 1 || value.k === '1')

const producer = ({ eqns = [] }: Jaxpr, v: number): Eqn | undefined =>
  eqns.find((eqn) => (eqn.out ?? []).some((out) => out?.v === v))

/** How the results of a body follow from what is carried in: in `jaxpr.in` from `from` on. */
export const carriedBy = (jaxpr: Jaxpr, from: number): ReadonlyArray<Carried> =>
  (jaxpr.in ?? []).slice(from).map(({ v }, k): Carried => {
    const value = jaxpr.out?.[k]
    if (!isVariable(value)) return 'carried'
    if (value.v === v) return 'same'
    const eqn = producer(jaxpr, value.v)
    const [x, y] = eqn?.in ?? []
    return eqn?.op === 'add' && isVariable(x) && x.v === v && isOne(y) ? 'counts' : 'carried'
  })

/** What a `while` counts: the number of the carried value that counts, and of the one that it stays below. */
export interface Counted {
  readonly index: number
  readonly below: number
}

/** Null: it is no counted loop. */
export const countedWhile = (
  { jaxprs }: Document,
  test: number,
  body: number,
  condConsts: number,
  bodyConsts: number,
): Counted | null => {
  const [condition, loop] = [jaxprs[test], jaxprs[body]]
  if (condition === undefined || loop === undefined || condConsts !== 0 || condition.eqns?.length !== 1)
    return null
  const [less] = condition.eqns
  const [x, y] = less?.in ?? []
  const [result] = condition.out ?? []
  if (less?.op !== 'lt' || !isVariable(x) || !isVariable(y)) return null
  if (!isVariable(result) || result.v !== less.out?.[0]?.v) return null
  const place = (v: number): number => (condition.in ?? []).findIndex((one) => one.v === v)
  const [index, below] = [place(x.v), place(y.v)]
  const how = carriedBy(loop, bodyConsts)
  return how[index] === 'counts' && how[below] === 'same' ? { index, below } : null
}
