/**
 * Barriers on which no tensor core arrives.
 *
 * A commit carries the order of the tensor core to every wait for it. An arrive of threads does not: there is no `tcgen05.fence` in what Triton makes of a text. So
 * where tensor memory passes from one partition to another over an arrive alone, the verdict asks for those fences (M8).
 *
 *     tmem_store %p, %weights            M8: written by one partition, read by the product of another
 *     arrive_barrier %stored, 1          wait_barrier %stored, %phase
 *                                        tc_gen5_mma %weights, %v, %sums
 *
 * A barrier on which both arrive counts as one of the tensor core, and so does one that is not followed: what a called function is given.
 *
 * Source: Triton 3.6, its lowering to PTX; PTX ISA, tcgen05, memory consistency.
 */
import { everyOperation } from './regions.js'
import type { Operation, Value } from '../text/syntax.js'
import { own } from '../../../own.js'

/** What the tensor core arrives on, by operation and operand. */
const signalled: Readonly<Record<string, string>> = {
  'ttng.tc_gen5_commit': 'barrier',
  'ttng.tc_gen5_mma': 'barriers',
  'ttng.tc_gen5_mma_scaled': 'barriers',
  'ttng.tmem_copy': 'barrier',
}

/** Names that stand for one buffer, or for parts of one: sets that only grow together. */
interface Together {
  readonly join: (x: string, y: string) => void
  readonly of: (x: string) => string
}
const together = (): Together => {
  const parents = new Map<string, string>()
  const of = (x: string): string => {
    const parent = parents.get(x)
    return parent === undefined ? x : of(parent)
  }
  const join = (x: string, y: string): void => {
    const [a, b] = [of(x), of(y)]
    if (a !== b) parents.set(a, b)
  }
  return { join, of }
}

const isBuffer = ({ type }: Value): boolean => type._tag === 'memdesc'

/** A value by its name; of several that one name stands for, by its number too. */
const nameOf = ({ name, index }: Pick<Value, 'name' | 'index'>): string =>
  index === null ? name : `${name}#${String(index)}`

const resultsOf = ({ names }: Operation): ReadonlyArray<string> =>
  names.flatMap(({ name, count }) =>
    count === 1 ? [name] : Array.from({ length: count }, (_, index) => nameOf({ name, index })),
  )

/** Does it give, in their order, what its regions hand on (and what it begins with)? */
const isInOrder = ({ name }: Operation): boolean => name === 'scf.for' || name === 'scf.if'

/** The values that a region begins with, and what it is given for them. */
const entered = (op: Operation): ReadonlyArray<readonly [string, Value]> =>
  op.regions.flatMap((region) => {
    const parameters = region.blocks[0]?.parameters ?? []
    const given =
      op.name === 'ttg.warp_specialize'
        ? (op.operands['explicitCaptures'] ?? [])
        : (op.operands['initArgs'] ?? [])
    const from = parameters.length - given.length
    return given.flatMap((value, k) => {
      const p = parameters[from + k]
      return p === undefined ? [] : [[p.name, value] as const]
    })
  })

/** The allocations of barriers, of a function, on which threads and bytes alone arrive. */
export const plainBarriers = (op: Operation): ReadonlySet<Operation> => {
  const operations = everyOperation([op])
  const allocations = operations.filter((one) => one.name === 'ttg.local_alloc')
  const isSignal = ({ name }: Operation): boolean => Object.hasOwn(signalled, name) || name === 'tt.call'
  if (!operations.some(isSignal)) return new Set(allocations)
  const { join, of } = together()
  for (const one of operations) {
    for (const [name, value] of entered(one)) join(name, nameOf(value))
    if (!one.results.some((type) => type._tag === 'memdesc')) continue
    const gives = resultsOf(one)
    // at the ends of its regions
    const handed = one.regions.flatMap((region) =>
      region.blocks.map((block) =>
        Object.values(block.operations[block.operations.length - 1]?.operands ?? {}).flat(),
      ),
    )
    if (isInOrder(one)) {
      for (const values of [...handed, own(one.operands, 'initArgs') ?? []])
        values.forEach((value, k) => {
          if (isBuffer(value)) join(gives[k]!, nameOf(value))
        })
      continue
    }
    // what gives a buffer gives one of those that it takes, itself or at the ends of its regions
    const taken = [...Object.values(one.operands), ...handed].flat().filter(isBuffer)
    for (const name of gives) for (const value of taken) join(name, nameOf(value))
  }
  const taken = new Set(
    operations.flatMap((one) =>
      (one.name === 'tt.call'
        ? Object.values(one.operands).flat()
        : (own(one.operands, own(signalled, one.name) ?? '') ?? [])
      ).map((value) => of(nameOf(value))),
    ),
  )
  return new Set(allocations.filter((one) => one.names.every(({ name }) => !taken.has(of(name)))))
}
