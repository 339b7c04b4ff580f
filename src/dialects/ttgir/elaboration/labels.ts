/**
 * Labels: a name for each operation that no other has. It is that of its result, or its own and its line. Where several statements come of one operation
 * their labels begin with that.
 *
 *     %x_43 = ttg.async_wait ...      x_43
 *     ttng.wait_barrier ...           wait_barrier 84
 *
 * A region that is elaborated several times (a called function, what a reduction combines with) has other labels each time: behind that of the
 * operation that asks for it, `3.tie`. An operation of a module that was changed keeps the label that it had (`called`).
 */
import type { Operation } from '../text/syntax.js'
import type { Here } from './here.js'

/** `taken` grows. */
export const labelsOf = (
  operations: ReadonlyArray<Operation>,
  taken: Set<string>,
  { within, called }: { readonly within?: string; readonly called?: Called } = {},
): ReadonlyMap<Operation, string> => {
  const labels = new Map<Operation, string>()
  for (const op of operations) {
    const loop = op.name === 'scf.for' ? op.regions[0]?.blocks[0]?.parameters[0]?.name : undefined
    const own =
      loop ?? op.names[0]?.name ?? `${op.name.slice(op.name.indexOf('.') + 1)} ${String(op.at.line)}`
    const base = within === undefined ? own : `${within}.${own}`
    const known = called?.(op)
    let label = known ?? base
    if (known === undefined) for (let k = 2; taken.has(label); k++) label = `${base}.${String(k)}`
    taken.add(label)
    labels.set(op, label)
  }
  return labels
}

/** What an operation is called already. */
export type Called = (op: Operation) => string | undefined

export const relabelled = (h: Here, operations: ReadonlyArray<Operation>, within: string): Here => ({
  ...h,
  labels: labelsOf(operations, h.taken, { within }),
})
