/**
 * Code that is written anew: instructions are put before and behind others, and branches go where they went.
 *
 * Law 1. A branch to an instruction goes to what stands before it now.
 */
import { retargeted, type Instruction, type Predicate, type Row } from './program.js'

/** Code whose branches name indices, and what makes places that nothing else uses. */
export interface Rewriting {
  readonly code: ReadonlyArray<Instruction>
  /** rows that hold one word */
  readonly constants: ReadonlyMap<Row, number>
  readonly zero: Row
  readonly newRow: () => Row
  readonly newPredicate: () => Predicate
}

export interface Anew {
  readonly code: ReadonlyArray<Instruction>
  /** where an instruction is now, with what stands before it */
  readonly moved: (index: number) => number
}

export const placed = (
  before: ReadonlyArray<ReadonlyArray<Instruction>>,
  now: ReadonlyArray<Instruction>,
  behind: ReadonlyArray<ReadonlyArray<Instruction>>,
): Anew => {
  const starts: number[] = []
  let at = 0
  now.forEach((_, k) => {
    starts.push(at)
    at += before[k]!.length + 1 + behind[k]!.length
  })
  starts.push(at)
  const to = (k: number): number => starts[k] ?? at
  const moved = ({ site, guard, operation }: Instruction): Instruction => ({
    site,
    guard,
    operation: retargeted(operation, to),
  })
  return { code: now.flatMap((one, k) => [...before[k]!, moved(one), ...behind[k]!]), moved: to }
}
