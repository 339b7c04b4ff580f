/**
 * Liveness: which registers are read before they are written again.
 *
 *     setp p, a, b          a and b are live here, p is not
 *     @p add a, a, 1        what a guard may leave undone ends no life
 *
 * Law 1. A register is live at a block just where a way from it comes to an instruction that reads it, and to none before that writes it whatever its guard.
 */
import { remembered } from '../../../remembered.js'
import type { Graph } from './graph.js'

/** Of each block the registers that it reads before it writes them, and those that it writes for certain. */
interface Summary {
  readonly reads: ReadonlySet<number>
  readonly writes: ReadonlySet<number>
}

const summaries: (graph: Graph) => ReadonlyArray<Summary> = remembered((graph) =>
  graph.blocks.map(({ first, end }): Summary => {
    const reads = new Set<number>()
    const writes = new Set<number>()
    for (let k = first; k < end; k++) {
      const i = graph.code.instructions[k]!
      for (const { index } of i.reads) if (!writes.has(index)) reads.add(index)
      if (i.guard === null) for (const { index } of i.writes) writes.add(index)
    }
    return { reads, writes }
  }),
)

/** Is a register live where a block begins? */
export const isLive = (graph: Graph, register: number, block: number): boolean => {
  const all = summaries(graph)
  const seen = new Set<number>()
  const stack = [block]
  while (stack.length > 0) {
    const b = stack.pop()!
    const here = all[b]
    if (here === undefined || seen.has(b)) continue
    seen.add(b)
    if (here.reads.has(register)) return true
    if (!here.writes.has(register)) for (const s of graph.blocks[b]!.successors) stack.push(s)
  }
  return false
}
