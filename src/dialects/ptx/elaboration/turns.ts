/**
 * Where control goes: branches with their targets resolved, where the lanes that they part meet again, and the turns of loops told.
 *
 * What a branch parts meets at its immediate post-dominator. A `turn` stands before each header of a loop, and what goes to the header goes there.
 */
import { loopsOf, postDominators, type Loop } from '../../../semantics/warps/flow.js'
import { successorsOf } from '../../../semantics/warps/live.js'
import type { Instruction, Operation } from '../../../semantics/warps/program.js'

/** The code with its branches resolved, its joins found, and the turns of its loops told. */
export interface Flowing {
  readonly code: ReadonlyArray<Instruction>
  readonly loops: ReadonlyArray<ReadonlyArray<number>>
  readonly loopCount: number
}

/** Where an exit, a return or a trap leads to: one place behind the code. */
const leaves: ReadonlySet<Operation['_tag']> = new Set<Operation['_tag']>(['exit', 'return', 'trap'])

const successors = (code: ReadonlyArray<Instruction>): ReadonlyArray<ReadonlyArray<number>> => [
  ...code.map((i, pc): ReadonlyArray<number> => {
    if (!leaves.has(i.operation._tag)) return successorsOf(i, pc)
    return i.guard === null ? [code.length] : [code.length, pc + 1]
  }),
  [],
]

export const flowing = (raw: ReadonlyArray<Instruction>, entries: ReadonlyArray<number>): Flowing => {
  const graph = successors(raw)
  const joins = postDominators(graph)
  const all: Loop[] = []
  for (const entry of entries) for (const loop of loopsOf(graph, entry)) all.push(loop)
  const byHeader = [...all].sort((a, b) => b.body.size - a.body.size)
  const headers = new Map(byHeader.map((loop, i) => [loop.header, i]))
  // a turn stands before each header, and what goes to the header goes there
  const moved: number[] = []
  let shift = 0
  for (let pc = 0; pc <= raw.length; pc++) {
    moved.push(pc + shift)
    if (headers.has(pc)) shift++
  }
  const nestOf = (pc: number): ReadonlyArray<number> =>
    byHeader.flatMap((loop, i) => (loop.body.has(pc) ? [i] : []))
  const code: Instruction[] = []
  const loops: ReadonlyArray<number>[] = []
  const to = (pc: number): number => moved[pc]!
  const end = raw.length
  raw.forEach((one, pc) => {
    const nest = nestOf(pc)
    const header = headers.get(pc)
    if (header !== undefined) {
      const inner = byHeader.flatMap((loop, i) =>
        i !== header && byHeader[header]!.body.has(loop.header) ? [i] : [],
      )
      code.push({ site: one.site, guard: null, operation: { _tag: 'turn', loop: header, inner } })
      loops.push(nest)
    }
    const join = joins[pc]
    const met = join === null || join === undefined || join === end ? null : to(join)
    const o = one.operation
    const operation: Operation =
      o._tag === 'branch'
        ? { _tag: 'branch', target: to(o.target), join: met }
        : o._tag === 'branchIndexed'
          ? { _tag: 'branchIndexed', index: o.index, targets: o.targets.map(to), join: met }
          : o._tag === 'call'
            ? { _tag: 'call', target: to(o.target) }
            : o
    code.push({ site: one.site, guard: one.guard, operation })
    loops.push(nest)
  })
  return { code, loops, loopCount: byHeader.length }
}
