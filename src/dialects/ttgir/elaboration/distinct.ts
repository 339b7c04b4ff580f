/**
 * One name for one value.
 *
 * In a text a name holds to the end of its region, and regions that stand one after the other may use it again, each for a value of its own:
 *
 *     scf.for ... { %4 = tt.atomic_rmw ... }      nothing reads this %4
 *     scf.for ... { %4 = tt.splat %3 ... }        another %4
 *
 * To follow a value by its name from one operation to the next would be to follow both. So what follows values reads the region with distinct names: the
 * first value of a name keeps it, each later one has a number behind it. No text has such a name, since `%` begins one.
 *
 * Laws
 * 1. In what is given back no two values have one name, and each operand is the value that it was.
 * 2. A name that only one value has stays as it is.
 */
import { remembered } from '../../../remembered.js'
import { namesRead } from './regions.js'
import type { Block, Operation, Region, Value } from '../text/syntax.js'

export interface Distinct {
  readonly region: Region
  /** the operation with distinct names, of one as it stands in the text */
  readonly now: ReadonlyMap<Operation, Operation>
  /** the distinct names of values that an operation takes */
  readonly read: ReadonlySet<string>
}

type Names = ReadonlyMap<string, string>

export const distinct: (region: Region) => Distinct = remembered((region: Region): Distinct => {
  const times = new Map<string, number>()
  const now = new Map<Operation, Operation>()
  const named = (name: string): string => {
    const before = times.get(name) ?? 0
    times.set(name, before + 1)
    return before === 0 ? name : `${name}%${String(before)}`
  }
  const valuesIn =
    (names: Names) =>
    (values: ReadonlyArray<Value>): ReadonlyArray<Value> =>
      values.map(({ name, index, type }) => ({ name: names.get(name) ?? name, index, type }))
  const operationIn = (op: Operation, names: Names): Operation => {
    const given = valuesIn(names)
    const operands = Object.fromEntries(
      Object.entries(op.operands).map(([name, values]) => [name, given(values)]),
    )
    const successors = op.successors.map(({ block, values }) => ({ block, values: given(values) }))
    const regions = op.regions.map((inside) => regionIn(inside, names))
    const results = op.names.map(({ name, count }) => ({ name: names.get(name)!, count }))
    const made = Object.assign({}, op, { operands, successors, regions, names: results })
    now.set(op, made)
    return made
  }
  // the blocks of a region may use the values of each other
  const regionIn = (inside: Region, outer: Names): Region => {
    const names = new Map(outer)
    const parameters = inside.blocks.map((block) =>
      block.parameters.map((p) => {
        names.set(p.name, named(p.name))
        return Object.assign({}, p, { name: names.get(p.name)! })
      }),
    )
    for (const { operations } of inside.blocks)
      for (const { name } of operations.flatMap((op) => op.names)) names.set(name, named(name))
    return {
      name: inside.name,
      blocks: inside.blocks.map(({ label, operations }, k): Block => ({
        label,
        parameters: parameters[k]!,
        operations: operations.map((op) => operationIn(op, names)),
      })),
    }
  }
  const made = regionIn(region, new Map())
  return { region: made, now, read: namesRead([...now.values()]) }
})

/** Does an operation of the region take a result of this one? */
export const isReadIn = (region: Region | undefined, op: Operation): boolean => {
  if (region === undefined) return false
  const { now, read } = distinct(region)
  return (now.get(op) ?? op).names.some(({ name }) => read.has(name))
}
