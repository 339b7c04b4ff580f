/** Operations of regions, what they take from around them, and values by name, as loops and partitions hand them on. */
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import type { Operation, Region } from '../text/syntax.js'

/** Of a region of one block. */
export const operationsOf = (region: Region | undefined): ReadonlyArray<Operation> =>
  region?.blocks[0]?.operations ?? []

/** Operations of regions, those in partitions too. */
export const everyOperation = (operations: ReadonlyArray<Operation>): ReadonlyArray<Operation> => {
  const found: Operation[] = []
  const walk = (all: ReadonlyArray<Operation>): void => {
    for (const op of all) {
      found.push(op)
      for (const { blocks } of op.regions) for (const block of blocks) walk(block.operations)
    }
  }
  walk(operations)
  return found
}

/** Names that operations take. */
export const namesRead = (operations: ReadonlyArray<Operation>): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const { operands, successors } of operations) {
    for (const values of Object.values(operands)) for (const { name } of values) names.add(name)
    for (const { values } of successors) for (const { name } of values) names.add(name)
  }
  return names
}

/** Names that a region takes from around it. */
export const usedFromOutside = (region: Region | undefined): ReadonlySet<string> => {
  const inside = everyOperation(operationsOf(region))
  const made = new Set(inside.flatMap((op) => op.names.map(({ name }) => name)))
  return new Set(
    inside.flatMap((op) =>
      Object.values(op.operands).flatMap((values) =>
        values.flatMap(({ name }) => (made.has(name) ? [] : [name])),
      ),
    ),
  )
}

/** Exprs by name. */
export type Named = Readonly<Record<string, Expr>>
export const named = (names: ReadonlyArray<string>, values: ReadonlyArray<Expr>): Named =>
  Object.fromEntries(names.map((name, k) => [name, values[k]!]))

/** Exprs by name, as what a call takes; it looks at each of them. */
export const untyped = (values: Named): never => checked<never, Named>(values)
