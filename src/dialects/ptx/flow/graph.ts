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
 *
 * Source: Cooper, Harvey and Kennedy, A simple, fast dominance algorithm.
 */
import { remembered } from '../../../remembered.js'
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
  readonly dominators: ReadonlyArray<number>
  readonly loops: ReadonlyArray<Loop>
}

/** A natural loop: all from which control comes back to its header without leaving it. */
export interface Loop {
  readonly header: number
  readonly blocks: ReadonlySet<number>
}

// ---------------------------------------------------------------- where control goes

const neverReturns = (i: Resolved): boolean => {
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

// ---------------------------------------------------------------- dominators

/** The immediate dominators of a graph of `n` nodes from its root; -1 of a node that is not reached, and the root is its own. */
export const immediateDominators = (
  n: number,
  root: number,
  successors: (node: number) => ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const order: number[] = []
  const number = new Int32Array(n).fill(-1)
  const predecessors: number[][] = Array.from({ length: n }, () => [])
  // depth first, with a stack of its own: functions may have many blocks
  const seen = new Uint8Array(n)
  const path: [node: number, next: number][] = [[root, 0]]
  seen[root] = 1
  while (path.length > 0) {
    const top = path[path.length - 1]!
    const [node, next] = top
    const to = successors(node)[next]
    if (to === undefined) {
      number[node] = order.length
      order.push(node)
      path.pop()
      continue
    }
    top[1] += 1
    predecessors[to]!.push(node)
    if (seen[to] === 0) {
      seen[to] = 1
      path.push([to, 0])
    }
  }
  const dominator: number[] = Array.from({ length: n }, () => -1)
  dominator[root] = root
  const meet = (a: number, b: number): number => {
    let x = a
    let y = b
    while (x !== y) {
      while (number[x]! < number[y]!) x = dominator[x]!
      while (number[y]! < number[x]!) y = dominator[y]!
    }
    return x
  }
  for (let changed = true; changed;) {
    changed = false
    for (let k = order.length - 2; k >= 0; k--) {
      const node = order[k]!
      let found = -1
      for (const p of predecessors[node]!) if (dominator[p] !== -1) found = found === -1 ? p : meet(found, p)
      if (found !== dominator[node]) {
        dominator[node] = found
        changed = true
      }
    }
  }
  return dominator
}

/** Immediate post-dominators of blocks whose successors may be `blocks.length`, the exit. */
export const postDominatorsOf = (successors: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => {
  const exit = successors.length
  const back: number[][] = Array.from({ length: exit + 1 }, () => [])
  successors.forEach((to, from) => {
    for (const node of to) back[node]!.push(from)
  })
  return immediateDominators(exit + 1, exit, (node) => back[node]!)
    .slice(0, exit)
    .map((node) => (node === -1 ? exit : node))
}

const loopsOf = (blocks: ReadonlyArray<Block>, dominators: ReadonlyArray<number>): ReadonlyArray<Loop> => {
  const dominates = (a: number, b: number): boolean => {
    for (let x = b; ; x = dominators[x]!) {
      if (x === a) return true
      if (x === -1 || dominators[x] === x) return false
    }
  }
  const bodies = new Map<number, Set<number>>()
  blocks.forEach((block, from) => {
    for (const header of block.successors) {
      if (header >= blocks.length || dominators[from] === -1 || !dominates(header, from)) continue
      const body = bodies.get(header) ?? new Set([header])
      bodies.set(header, body)
      const pending = [from]
      while (pending.length > 0) {
        const node = pending.pop()!
        if (body.has(node)) continue
        body.add(node)
        for (const p of blocks[node]!.predecessors) pending.push(p)
      }
    }
  })
  return [...bodies].map(([header, body]) => ({ header, blocks: body }))
}

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
  const dominators =
    exit === 0 ? [] : immediateDominators(exit + 1, 0, (b) => successors[b] ?? []).slice(0, exit)
  return {
    code,
    blocks,
    blockOf,
    postDominators: postDominatorsOf(successors),
    dominators,
    loops: loopsOf(blocks, dominators),
  }
})
