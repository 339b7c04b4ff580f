/**
 * Bounds: parameters that an entry compares with and uses for nothing else. `i < n` is a question about any n, whereas a number that goes into an address is a stride, or
 * an extent, and not every value of it is one.
 *
 *     if (i < n) y[i] = x[i];                n is a bound
 *     y[row * pitch + i] = x[n - 1 - i];     pitch and n are none
 *
 * Registers are followed without regard to order, through whatever computes. A comparison ends the way: what it decides is control.
 *
 * Law 1. The value of a bound reaches no address, no memory, and nothing that a barrier, a copy or a call takes.
 */
import type { Code, Resolved } from '../opcodes/resolve.js'

/** Families of instructions that compute values of values. */
const computes: ReadonlySet<string> = new Set([
  'integer',
  'extended precision',
  'floating point',
  'logic',
  'conversion',
])
const isMove = ({ form: { base } }: Resolved): boolean => base === 'mov' || base === 'cvt' || base === 'selp'
const isComparison = ({ form: { base } }: Resolved): boolean => base === 'set' || base === 'setp'

/** Numbers of the parameters that are loaded as they are and are bounds. */
export const boundsOf = (code: Code): ReadonlySet<number> => {
  const names = (code.function.parameters ?? []).filter((p) => p.space === 'param')
  const held = new Map<number, Set<number>>()
  const give = (index: number, all: Iterable<number>): boolean => {
    const before = held.get(index) ?? new Set<number>()
    const { size } = before
    for (const one of all) before.add(one)
    held.set(index, before)
    return before.size > size
  }
  const loaded = new Set<number>()
  const used = new Set<number>()
  const loads = new Set<Resolved>()
  for (const i of code.instructions)
    for (const v of Object.values(i.operands)) {
      const base = v._tag === 'address' ? v.base : v._tag === 'symbol' ? v.symbol : v
      if (base?._tag !== 'parameter') continue
      const parameter = names.indexOf(base.parameter)
      const isWhole = v._tag === 'address' && i.form.base === 'ld' && v.offset === 0 && i.writes.length === 1
      if (!isWhole) {
        used.add(parameter)
        continue
      }
      loaded.add(parameter)
      loads.add(i)
      give(i.writes[0]!.index, [parameter])
    }
  const takenBy = (i: Resolved): ReadonlyArray<number> =>
    i.reads.flatMap((r) => [...(held.get(r.index) ?? [])])
  const goesOn = (i: Resolved): boolean => isMove(i) || (computes.has(i.form.family) && !isComparison(i))
  for (let changed = true; changed;) {
    changed = false
    for (const i of code.instructions)
      if (goesOn(i)) for (const r of i.writes) changed = give(r.index, takenBy(i)) || changed
  }
  for (const i of code.instructions)
    if (!goesOn(i) && !isComparison(i) && !loads.has(i)) for (const one of takenBy(i)) used.add(one)
  return new Set([...loaded].filter((one) => !used.has(one)))
}
