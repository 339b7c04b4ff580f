/**
 * The control-flow graph of a function, and where diverged lanes meet again.
 *
 * A block is a run of instructions that is entered at its first and left behind its last. The exit of a function is one more node, behind all blocks: `blocks.length`.
 *
 *     0  setp p            block 0: 0, 1      successors 2, 1
 *     1  @p bra over
 *     2  add               block 1: 2         successor 2
 *     3  over: ret         block 2: 3         successor 3, the exit
 *
 * Laws
 * 1. Every instruction is in one block; a branch, a return and what never returns are last in theirs, a label first.
 * 2. The immediate post-dominator of a block is the first node that every path from it to the exit meets; of a block from which no path leads there it is the exit.
 */
import { remembered } from '../../../remembered.js'
import { loopsOf, postDominators, type Loop } from '../../../semantics/warps/flow.js'
import type { Code, Resolved } from '../opcodes/resolve.js'

export interface Block {
  /** the number of its first instruction, and the one behind its last */
  readonly first: number
  readonly end: number
  readonly successors: ReadonlyArray<number>
  readonly predecessors: ReadonlyArray<number>
}

export interface Graph {
  readonly code: Code
  readonly blocks: ReadonlyArray<Block>
  /** the block of each instruction */
  readonly blockOf: ReadonlyArray<number>
  /** of each block; the exit is `blocks.length` */
  readonly postDominators: ReadonlyArray<number>
  readonly loops: ReadonlyArray<Loop>
}

// ---------------------------------------------------------------- where control goes

/** Does it call what does not return? */
export const neverReturns = (i: Resolved): boolean => {
  const called = i.operands['function']
  return (
    i.form.base === 'call' &&
    called?._tag === 'symbol' &&
    called.symbol._tag === 'function' &&
    called.symbol.function.directives.some((d) => d.name === 'noreturn')
  )
}
const leaves = (i: Resolved): boolean =>
  i.form.base === 'ret' || i.form.base === 'exit' || i.form.base === 'trap' || neverReturns(i)

/** The instructions that a branch names; null where it is none. */
const targetsOf = (i: Resolved): ReadonlyArray<number> | null => {
  const label = i.operands['target']
  if (label?._tag === 'label') return [label.target]
  const targets = i.operands['targets']
  return targets?._tag === 'targets' ? targets.labels.map((l) => l.target) : null
}

const endsBlock = (i: Resolved): boolean => leaves(i) || targetsOf(i) !== null

// ---------------------------------------------------------------- graphs

/** The graph of a function; once for each. */
export const graphOf: (code: Code) => Graph = remembered((code) => {
  const n = code.instructions.length
  const leader = new Uint8Array(n + 1)
  leader[0] = 1
  for (const k of code.labels.keys()) leader[k] = 1
  code.instructions.forEach((i, k) => {
    if (!endsBlock(i)) return
    leader[k + 1] = 1
    for (const t of targetsOf(i) ?? []) leader[t] = 1
  })
  const firsts: number[] = []
  const blockOf: number[] = []
  for (let k = 0; k < n; k++) {
    if (leader[k] === 1) firsts.push(k)
    blockOf.push(firsts.length - 1)
  }
  const exit = firsts.length
  const at = (k: number): number => (k >= n ? exit : blockOf[k]!)
  const ends = firsts.map((_, b) => firsts[b + 1] ?? n)
  const successors = ends.map((end): ReadonlyArray<number> => {
    const last = code.instructions[end - 1]!
    const onward = last.guard === null ? [] : [at(end)]
    const targets = targetsOf(last)
    if (targets !== null) return [...new Set([...targets.map(at), ...onward])]
    if (leaves(last)) return [...new Set([exit, ...onward])]
    return [at(end)]
  })
  const predecessors: number[][] = firsts.map(() => [])
  successors.forEach((to, from) => {
    for (const b of to) predecessors[b]?.push(from)
  })
  const blocks = firsts.map((first, b): Block => ({
    first,
    end: ends[b]!,
    successors: successors[b]!,
    predecessors: predecessors[b]!,
  }))
  const nodes = [...successors, []]
  return {
    code,
    blocks,
    blockOf,
    postDominators: postDominators(nodes)
      .slice(0, exit)
      .map((node) => node ?? exit),
    loops: exit === 0 ? [] : loopsOf(nodes, 0),
  }
})
