/**
 * Contraction: where the compiler rounds `x * y + z` once.
 *
 * Wherever a product of the same block is an operand of a sum or of a difference, also a product that is used elsewhere. Where both operands are
 * products, that with fewer uses goes into the sum; of as many, the left one. The compiler looks at the sums of a block from the last to the first, and
 * a sum that has taken a product uses it no more. `optimization_barrier` ends a block for what goes through it.
 *
 * Source: LLVM, combination of floating-point additions; confirmed by row sums of an H100 (`conformance/kernels`).
 */
import type { Document, Eqn, Jaxpr } from './document.js'
import { isVariable } from './document.js'

const readsIn = ({ eqns = [], out = [] }: Jaxpr): Map<number, number> => {
  const reads = new Map<number, number>()
  for (const value of [...eqns.flatMap((eqn) => eqn.in ?? []), ...out])
    if (isVariable(value)) reads.set(value.v, (reads.get(value.v) ?? 0) + 1)
  return reads
}

const inJaxpr = (jaxpr: Jaxpr, taken: Map<Eqn, 'lhs' | 'rhs'>): void => {
  const products = new Set<number>()
  for (const eqn of jaxpr.eqns ?? []) {
    const out = eqn.out?.[0]
    if (eqn.op === 'mul' && out != null) products.add(out.v)
  }
  const reads = readsIn(jaxpr)
  for (const eqn of [...(jaxpr.eqns ?? [])].reverse()) {
    if (eqn.op !== 'add' && eqn.op !== 'sub') continue
    const [x, y] = eqn.in ?? []
    const [left, right] = [x, y].map((value) => (isVariable(value) && products.has(value.v) ? value.v : null))
    if (left == null && right == null) continue
    const uses = (v: number): number => reads.get(v) ?? 0
    const side = left == null || (right != null && uses(right) < uses(left)) ? 'rhs' : 'lhs'
    taken.set(eqn, side)
    const v = side === 'lhs' ? left : right
    if (v != null) reads.set(v, uses(v) - 1)
  }
}

/** Of a sum of two products: which it takes into one rounding. */
export const contractedIn = ({ jaxprs }: Document): ReadonlyMap<Eqn, 'lhs' | 'rhs'> => {
  const taken = new Map<Eqn, 'lhs' | 'rhs'>()
  for (const jaxpr of jaxprs) inJaxpr(jaxpr, taken)
  return taken
}
