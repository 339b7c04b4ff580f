/**
 * Graphs of a running program: nodes that streams come to while they are captured, and nodes that the program adds itself.
 *
 *     capture s; launch A on s; launch B on s        A, B after A
 *     add A; add B after A; depend C on A            the same, node by node
 *
 * A node that takes several operations (a copy of rows) is a chain of them. A graph that is instantiated is a list of nodes, each behind those that it comes after, and no
 * longer changes with the graph that it was made of.
 *
 * Laws
 * 1. In the nodes of an instantiated graph each stands behind those that it comes after, whatever the order in which edges were added; a circle is no graph.
 * 2. A graph inside another begins when the node that it is begins, and is over when all of its nodes are.
 */
import type { GraphOperation, Node } from '../host/file.js'

// ---------------------------------------------------------------- model

interface Draft {
  readonly name: string
  after: ReadonlyArray<string>
  operation: GraphOperation
}

/** A graph that is made. */
export interface Plan {
  readonly drafts: Draft[]
}

/** A node as the program knows it: the operations of a chain. */
export interface Piece {
  readonly plan: Plan
  readonly names: string[]
}

export const newPlan = (): Plan => ({ drafts: [] })

// ---------------------------------------------------------------- making

const endOf = ({ names }: Piece): ReadonlyArray<string> => names.slice(-1)

/** Adds an operation behind others; its name. */
export const added = (plan: Plan, after: ReadonlyArray<string>, operation: GraphOperation): string => {
  const name = `n${String(plan.drafts.length)}`
  plan.drafts.push({ name, after, operation })
  return name
}

/** The names that stand for nodes, for what comes after them. */
export const endsOf = (pieces: ReadonlyArray<Piece>): ReadonlyArray<string> => [
  ...new Set(pieces.flatMap(endOf)),
]

/** Adds all of another graph; the name of what comes when it is over. */
export const withChild = (plan: Plan, after: ReadonlyArray<string>, child: Plan): string => {
  const names = new Map<string, string>()
  const drafts = [...child.drafts]
  const followed = new Set(drafts.flatMap((d) => d.after))
  for (const d of drafts) names.set(d.name, `n${String(plan.drafts.length + names.size)}`)
  for (const d of drafts)
    plan.drafts.push({
      name: names.get(d.name)!,
      after: d.after.length === 0 ? after : d.after.map((a) => names.get(a)!),
      operation: d.operation,
    })
  const leaves = drafts.filter((d) => !followed.has(d.name)).map((d) => names.get(d.name)!)
  return added(plan, leaves.length === 0 ? after : leaves, { op: 'callback' })
}

export const withEdge = (from: Piece, to: Piece): void => {
  const draft = to.plan.drafts.find(({ name }) => name === to.names[0])
  if (draft !== undefined) draft.after = [...new Set([...draft.after, ...endOf(from)])]
}

export const withoutEdge = (from: Piece, to: Piece): void => {
  const draft = to.plan.drafts.find(({ name }) => name === to.names[0])
  if (draft !== undefined) draft.after = draft.after.filter((a) => !endOf(from).includes(a))
}

/** The node does something else from now on. */
export const replaced = (plan: Plan, name: string, operation: GraphOperation): void => {
  const draft = plan.drafts.find((d) => d.name === name)
  if (draft !== undefined) draft.operation = operation
}

export const copyOf = (plan: Plan): Plan => ({
  drafts: plan.drafts.map(({ name, after, operation }) => ({ name, after, operation })),
})

// ---------------------------------------------------------------- destructors

export const isRoot = ({ plan, names }: Piece): boolean =>
  plan.drafts.find(({ name }) => name === names[0])?.after.length === 0

/** Do these come after all nodes that are named so? */
export const areBehind = (plan: Plan, ends: ReadonlyArray<string>, names: ReadonlyArray<string>): boolean => {
  const behind = new Set<string>()
  const todo = [...ends]
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (behind.has(name)) continue
    behind.add(name)
    for (const before of plan.drafts.find((d) => d.name === name)?.after ?? []) todo.push(before)
  }
  return names.every((name) => behind.has(name))
}

/** Each behind those that it comes after; null: there is a circle. */
export const nodesOf = (plan: Plan): ReadonlyArray<Node> | null => {
  const out: Node[] = []
  const done = new Set<string>()
  let left: ReadonlyArray<Draft> = plan.drafts
  while (left.length > 0) {
    const next: Draft[] = []
    for (const d of left)
      if (d.after.every((a) => done.has(a))) {
        done.add(d.name)
        out.push({ name: d.name, after: d.after, operation: d.operation })
      } else next.push(d)
    if (next.length === left.length) return null
    left = next
  }
  return out
}
