/**
 * Plain stores to the tensor of an atomic operation.
 *
 *     %p = tt.addptr %count, %i        made of %count
 *     %old = tt.atomic_rmw add, relaxed, gpu, %p, ...
 *     tt.store %count, %zero           stores beside it
 *
 * A pointer is made of the parameter of the function that its operation has as an operand, or that another pointer among them is made of. A pointer that a region is given may be each
 * of its parameters that are pointers, and each such result of the operation around it.
 *
 * Laws
 * 1. A store whose pointer is made of the same parameter is found, and none whose pointer is made of others alone.
 */
import type { Operation, Region, Type } from '../text/syntax.js'

const isPointer = (t: Type): boolean =>
  t._tag === 'pointer' || (t._tag === 'tensor' && t.element._tag === 'pointer')

const operationsIn = (region: Region | undefined): ReadonlyArray<Operation> =>
  (region?.blocks ?? []).flatMap((block) =>
    block.operations.flatMap((op) => [op, ...op.regions.flatMap(operationsIn)]),
  )

/** Names that are made of a pointer. */
const madeOf = (operations: ReadonlyArray<Operation>, pointer: string): ReadonlySet<string> => {
  const made = new Set([pointer])
  for (let size = 0; size < made.size;) {
    size = made.size
    for (const op of operations) {
      if (!Object.values(op.operands).some((values) => values.some(({ name }) => made.has(name)))) continue
      op.names.forEach(({ name }, k) => {
        const type = op.results[k]
        if (type !== undefined && isPointer(type)) made.add(name)
      })
      for (const region of op.regions)
        for (const { parameters } of region.blocks)
          for (const { name, type } of parameters) if (isPointer(type)) made.add(name)
    }
  }
  return made
}

/** The first plain store to the tensor of this atomic operation; null: there is none. */
export const storesBeside = (body: Region | undefined, atomic: Operation): Operation | null => {
  const operations = operationsIn(body)
  const stores = operations.filter((op) => op.name === 'tt.store')
  if (stores.length === 0) return null
  const given = (body?.blocks ?? []).slice(0, 1).flatMap((block) => block.parameters.map(({ name }) => name))
  const names = (op: Operation): ReadonlyArray<string> => (op.operands['ptr'] ?? []).map(({ name }) => name)
  for (const parameter of given) {
    const made = madeOf(operations, parameter)
    if (!names(atomic).some((name) => made.has(name))) continue
    const found = stores.find((op) => names(op).some((name) => made.has(name)))
    if (found !== undefined) return found
  }
  return null
}
