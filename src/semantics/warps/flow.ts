/**
 * Flow: where the ways of a program of indices part, meet and turn.
 *
 * A graph is the successors of every node; a node without any is an end. The immediate post-dominator of a node is the first node, after it, that every way
 * from it to an end goes through; a natural loop is what can come back to its header without leaving through it.
 *
 *     0 -> 1 2;  1 -> 3;  2 -> 3;  3 -> end        the post-dominator of 0 is 3
 *     0 -> 1;  1 -> 2 3;  2 -> 1;  3 -> end        a loop with the header 1 and the body 1 2
 *
 * Laws
 * 1. `postDominators` against the definition: n is passed by every way to an end, and what is behind n is not.
 * 2. loops of one graph are nested or apart, but for those that share a header, which are one.
 *
 * Source: Cooper, Harvey and Kennedy, a simple, fast dominance algorithm.
 */
export type Graph = ReadonlyArray<ReadonlyArray<number>>

export interface Loop {
  readonly header: number
  readonly body: ReadonlySet<number>
}

/** Nodes that are reached from `roots`, each after all that are reached first from it. */
const postorder = (next: Graph, roots: ReadonlyArray<number>): ReadonlyArray<number> => {
  const seen = new Uint8Array(next.length)
  const out: number[] = []
  for (const root of roots) {
    if (seen[root] === 1) continue
    seen[root] = 1
    const stack: { node: number; at: number }[] = [{ node: root, at: 0 }]
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!
      const to = next[top.node]![top.at++]
      if (to === undefined) {
        out.push(top.node)
        stack.pop()
      } else if (seen[to] === 0) {
        seen[to] = 1
        stack.push({ node: to, at: 0 })
      }
    }
  }
  return out
}

export const reversed = (g: Graph): Graph => {
  const out: number[][] = g.map(() => [])
  g.forEach((to, from) => {
    for (const t of to) out[t]!.push(from)
  })
  return out
}

/** Immediate dominators from one root; -1 of the root and of what is not reached. */
const dominators = (g: Graph, root: number): Int32Array => {
  const before = reversed(g)
  const order = [...postorder(g, [root])].reverse()
  const number = new Int32Array(g.length).fill(-1)
  order.forEach((node, i) => (number[node] = i))
  const idom = new Int32Array(g.length).fill(-1)
  idom[root] = root
  const common = (a: number, b: number): number => {
    let [x, y] = [a, b]
    while (x !== y) {
      while (number[x]! > number[y]!) x = idom[x]!
      while (number[y]! > number[x]!) y = idom[y]!
    }
    return x
  }
  for (let again = true; again;) {
    again = false
    for (const node of order) {
      if (node === root) continue
      let now = -1
      for (const p of before[node]!) if (idom[p]! >= 0) now = now < 0 ? p : common(p, now)
      if (now !== idom[node]) {
        idom[node] = now
        again = true
      }
    }
  }
  idom[root] = -1
  return idom
}

/** Of every node the first that all ways to an end go through; null where they share none, or never end. */
export const postDominators = (g: Graph): ReadonlyArray<number | null> => {
  const end = g.length
  const before = reversed([...g.map((to) => (to.length === 0 ? [end] : to)), []])
  const idom = dominators(before, end)
  return g.map((_, node) => (idom[node]! < 0 || idom[node] === end ? null : idom[node]!))
}

/** The natural loops of what is reached from `root`, by header. */
export const loopsOf = (g: Graph, root: number): ReadonlyArray<Loop> => {
  const idom = dominators(g, root)
  const reached = new Set(postorder(g, [root]))
  const dominates = (a: number, b: number): boolean => {
    for (let n = b; n >= 0; n = idom[n]!) if (n === a) return true
    return false
  }
  const before = reversed(g)
  const bodies = new Map<number, Set<number>>()
  for (const from of reached)
    for (const to of g[from]!) {
      if (!dominates(to, from)) continue
      const body = bodies.get(to) ?? new Set([to])
      bodies.set(to, body)
      const stack = [from]
      while (stack.length > 0) {
        const node = stack.pop()!
        if (body.has(node)) continue
        body.add(node)
        for (const p of before[node]!) if (reached.has(p)) stack.push(p)
      }
    }
  return [...bodies].sort(([a], [b]) => a - b).map(([header, body]) => ({ header, body }))
}
