/**
 * Cost: how many events a run takes at least, known before it starts.
 *
 * Read off the text: an instruction that is not skipped is an event, a loop of known extents repeats its body, an `If` takes the cheaper side, and what depends
 * on values of the run counts nothing. A cluster itself counts one, as for the fuel (`run.ts`).
 *
 *     grid 2 x 2, one agent, for k < 9 { wait; wgmma; arrive when k > 0 }; store      4 clusters x (1 + 9 x 2 + 1) = 80
 *
 * So a run that cannot come to its end within its fuel is refused, instead of being made for a minute and thrown away.
 *
 * Laws
 * 1. A run that completes has at least so many events and clusters.
 * 2. It is computed in a time that the text's length bounds, whatever numbers stand in it.
 */
import type { ExprNode } from './expression.js'
import { statementsOf, type For, type Launch, type Program, type Region, type Stmt } from './program.js'
import { constantOf, constantsOf } from './typecheck/constant.js'

type Agents = Launch['agents']

/** Who runs the text, and the names that stand for a number wherever they are in scope: names are bound once. */
interface Known {
  readonly agent: number
  readonly names: Map<string, number>
}

const valueOf = ({ agent, names }: Known, e: ExprNode): number | undefined =>
  e._tag === 'name' ? names.get(e.name) : e._tag === 'place' && e.of === 'agent' ? agent : constantOf(e)

/** Whether a condition holds; null where that depends on the run. */
const holds = (known: Known, e: ExprNode): boolean | null => {
  if (e._tag !== 'compare' || e.op !== 'eq') return null
  const [x, y] = [valueOf(known, e.x), valueOf(known, e.y)]
  return x === undefined || y === undefined ? null : x === y
}

const turnsOf = (known: Known, s: For): number => {
  const [from, to, step] = [s.from, s.to, s.step].map((e) => valueOf(known, e))
  return from === undefined || to === undefined || step === undefined || step < 1
    ? 0
    : Math.max(0, Math.ceil((to - from) / step))
}

const leastOf = (agents: Agents, known: Known, s: Stmt): number => {
  switch (s._tag) {
    case 'Let': {
      const value = valueOf(known, s.expr)
      if (value !== undefined) known.names.set(s.binder.name, value)
      return 0
    }
    case 'Do':
      return s.when === undefined ? 1 : 0
    case 'For':
      return turnsOf(known, s) * leastIn(agents, known, s.body)
    case 'While':
      return leastIn(agents, known, s.before)
    case 'If': {
      const taken = holds(known, s.cond)
      return taken === null
        ? Math.min(leastIn(agents, known, s.then), leastIn(agents, known, s.else))
        : leastIn(agents, known, taken ? s.then : s.else)
    }
    case 'Fork':
      return s.branches.reduce((sum, { agent, body }) => {
        const inside: Known = { agent: agents.findIndex(({ name }) => name === agent), names: known.names }
        return sum + leastIn(agents, inside, body)
      }, 0)
  }
}

const leastIn = (agents: Agents, known: Known, { body }: Region): number =>
  body.reduce((sum, s) => sum + leastOf(agents, known, s), 0)

/** What of the whole text the bound depends on. */
interface Text {
  /** agents that a fork starts; all others begin with the text */
  readonly forked: ReadonlySet<string>
  /** a cluster may be cancelled before it runs */
  readonly cancels: boolean
}

const textOf = (entry: Region): Text => {
  const forked = new Set<string>()
  let cancels = false
  for (const s of statementsOf(entry.body)) {
    // the first branch is the parent's
    if (s._tag === 'Fork') for (const { agent } of s.branches.slice(1)) forked.add(agent)
    if (s._tag === 'Do' && s.instruction._tag === 'clc.tryCancel') cancels = true
  }
  return { forked, cancels }
}

const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

/** Events and clusters of a run that completes, at least. A cluster that may be cancelled need not run. */
export const leastEvents = ({ launch, entry }: Program): number => {
  const { forked, cancels } = textOf(entry)
  const grid = constantsOf(launch.grid)
  const ctas = product(launch.cluster)
  const clusters = grid === undefined || cancels ? 1 : product(grid) / ctas
  const inCta = launch.agents.reduce(
    (sum, { name }, agent) =>
      forked.has(name) ? sum : sum + leastIn(launch.agents, { agent, names: new Map() }, entry),
    0,
  )
  return clusters * (1 + ctas * inCta)
}
