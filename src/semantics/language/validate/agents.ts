/**
 * Agents: which of them a launch may have, who runs what, and who may start whom.
 *
 * An agent is a range of a CTA's 32 warps. Ranges are disjoint or nested: a warpgroup may have a name, and one of its warps another.
 *
 *     consumer: warps 0 to 3    producer: warp 4       disjoint
 *     all: warps 0 to 7         consumer: warps 0 to 3  nested
 *     x: warps 0 to 3           y: warps 3 to 4         refused
 *
 * A warp runs one program at a time, so agents that share a warp must be known never to run at the same time. Agents that no fork starts all
 * do. So do the branches of a fork, with whatever they start in turn. The one exception is the parent, whose branch stands first: where
 * that has no effect its warps are free, and the agents that the others are may be parts of it. Forks of one agent follow one another.
 *
 *     start a (warps 0 to 3) and b (warps 0 to 3)                        refused: both begin
 *     start a;  a forks [a: -, b: ...], then [a: -, c: ...]              b and c may have the same warps, also a's
 *     start a;  a forks [a: stores, b: ...]                              b must have others than a
 *     start a, b;  a forks c, b forks d                                  c and d, a and d, b and c share none
 *
 * Registers are what each thread of the agent has after `setmaxnreg`; where nothing is said nothing is asked. 65536 are an SM's:
 *
 *     3 x 128 x 160 = 61440    fits        3 x 128 x 232 = 89088    A2
 *
 * Laws
 * 1. Names are distinct; at most 64; warps are 1, 2, 4, 8, 16 or 32 of 32; a warpgroup is 4 from a multiple of 4, a warp is 1.
 * 2. Two agents are disjoint or nested. Those that may run at the same time are disjoint.
 * 3. The first branch of a fork is its parent's; the others start agents that do not run.
 * 4. `startingAgents` are those that no fork starts.
 * 5. Agents that share no warp take at most 65536 registers together, a thread at most 256 (A2).
 * 6. A grid has 1 to 3 axes, a cluster up to 3 and at most 16 CTAs.
 *
 * Source: CUDA C++ programming guide, thread hierarchy and clusters; PTX ISA 9, wgmma (warpgroups).
 */
import { showShape, sizeOf } from '../../../transforms/shape.js'
import { mostAgents, mostRegisters, registerFile } from '../limits.js'
import { regionsOf, statementsOf, type Agent, type Fork, type Program, type Region } from '../program.js'
import { type Checked, each, first, isNat, no } from './problem.js'
import type { Here, Scene } from './scope.js'

// ---------------------------------------------------------------- warps

const lastWarp = (agent: Agent): number => agent.firstWarp + agent.warps
const disjoint = (a: Agent, b: Agent): boolean => lastWarp(a) <= b.firstWarp || lastWarp(b) <= a.firstWarp
const inside = (a: Agent, b: Agent): boolean => a.firstWarp >= b.firstWarp && lastWarp(a) <= lastWarp(b)

// ---------------------------------------------------------------- registers

/** A2: what the agents that share no warp take together. */
const registerRules = (agents: ReadonlyArray<Agent>): Checked => {
  const taken = (agent: Agent): number => 32 * agent.warps * (agent.registers ?? 0)
  const outermost = agents.filter((a) => !agents.some((b) => b !== a && inside(a, b) && !inside(b, a)))
  const sum = outermost.reduce((n, a) => n + taken(a), 0)
  return first([
    () =>
      each(agents, ({ name, registers }) =>
        registers === undefined || (isNat(registers) && registers >= 1 && registers <= mostRegisters)
          ? null
          : no(
              'A2',
              `agent ${name}: a thread has 1 to ${String(mostRegisters)} registers, found ${String(registers)}`,
            ),
      ),
    () =>
      sum <= registerFile
        ? null
        : no(
            'A2',
            `the agents take ${outermost.map((a) => `${String(taken(a))} (${a.name})`).join(' + ')} = ${String(sum)} registers, and an SM has ${String(registerFile)}`,
          ),
  ])
}

// ---------------------------------------------------------------- launch

/** The agents, the grid and the cluster. */
export const agentRules = ({ program }: Scene): Checked => {
  const { agents, grid, cluster } = program.launch
  return first([
    () => (agents.length > 0 ? null : no('agent.unknown', 'a program needs at least one agent')),
    () =>
      agents.length <= mostAgents
        ? null
        : no('agent.warps', `a CTA has at most ${String(mostAgents)} agents, found ${String(agents.length)}`),
    () =>
      each(agents, (agent, k) =>
        first([
          () =>
            agents.slice(0, k).some(({ name }) => name === agent.name)
              ? no('agent.duplicate', `there are two agents ${agent.name}`)
              : null,
          () =>
            [1, 2, 4, 8, 16, 32].includes(agent.warps) && isNat(agent.firstWarp) && lastWarp(agent) <= 32
              ? null
              : no(
                  'agent.warps',
                  `agent ${agent.name}: expected 1, 2, 4, 8, 16 or 32 of the 32 warps, found warps ${String(agent.firstWarp)} to ${String(lastWarp(agent) - 1)}`,
                ),
          () =>
            agent.kind !== 'warpgroup' || (agent.warps === 4 && agent.firstWarp % 4 === 0)
              ? null
              : no(
                  'agent.warps',
                  `agent ${agent.name}: a warpgroup is 4 warps from a multiple of 4, found ${String(agent.warps)} from ${String(agent.firstWarp)}`,
                ),
          () =>
            agent.kind !== 'warp' || agent.warps === 1
              ? null
              : no('agent.warps', `agent ${agent.name}: a warp is one warp, found ${String(agent.warps)}`),
          () =>
            each(agents.slice(0, k), (other) =>
              disjoint(agent, other) || inside(agent, other) || inside(other, agent)
                ? null
                : no(
                    'agent.warps',
                    `agents ${other.name} and ${agent.name} overlap without one containing the other`,
                  ),
            ),
        ]),
      ),
    () => registerRules(agents),
    () =>
      grid.length >= 1 && grid.length <= 3
        ? null
        : no('launch.grid', `a grid has one to three axes, found ${String(grid.length)}`),
    () =>
      cluster.length <= 3 && cluster.every((n) => Number.isSafeInteger(n) && n >= 1) && sizeOf(cluster) <= 16
        ? null
        : no('launch.grid', `a cluster has up to three axes and 16 CTAs, found ${showShape(cluster)}`),
  ])
}

// ---------------------------------------------------------------- forks

const forkedAgents = (region: Region): ReadonlyArray<string> =>
  region.body.flatMap((stmt) =>
    stmt._tag === 'Fork' ? forkedBy(stmt) : regionsOf(stmt).flatMap(forkedAgents),
  )

/** The agents that a fork starts, each with those that it starts in turn. */
const forkedBy = ({ branches }: Fork): ReadonlyArray<string> =>
  branches.flatMap(({ agent, body }, k) => [...(k === 0 ? [] : [agent]), ...forkedAgents(body)])

/** The agents that no fork starts: they run the entry. */
export const startingAgents = (program: Program): ReadonlyArray<Agent> => {
  const forked = new Set(forkedAgents(program.entry))
  return program.launch.agents.filter(({ name }) => !forked.has(name))
}

// ---------------------------------------------------------------- who may run at the same time

/** Does the region anything but compute? */
const hasEffects = (region: Region): boolean =>
  statementsOf(region.body).some(({ _tag }) => _tag === 'Do' || _tag === 'Fork')

const shareWarps = (
  agents: ReadonlyMap<string, Agent>,
  some: ReadonlyArray<string>,
  others: ReadonlyArray<string>,
): readonly [string, string] | null => {
  for (const one of some)
    for (const other of others) {
      const [a, b] = [agents.get(one), agents.get(other)]
      if (a !== undefined && b !== undefined && !disjoint(a, b)) return [one, other]
    }
  return null
}

/** Of these groups of agents, each of which runs beside the others, two agents with the same warps. */
const sideBySide = (
  agents: ReadonlyMap<string, Agent>,
  groups: ReadonlyArray<ReadonlyArray<string>>,
): Checked =>
  each(groups, (group, k) =>
    each(groups.slice(0, k), (before) => {
      const both = shareWarps(agents, group, before)
      return both === null
        ? null
        : no('agent.fork', `${both[0]} and ${both[1]} share warps, so they cannot run side by side`)
    }),
  )

/** The agents that forks of `parent` in this region start, with all that those start. */
const startedBy = (region: Region, parent: string): ReadonlyArray<string> =>
  region.body.flatMap((stmt) =>
    stmt._tag !== 'Fork'
      ? regionsOf(stmt).flatMap((r) => startedBy(r, parent))
      : stmt.branches[0]?.agent === parent
        ? forkedBy(stmt)
        : [],
  )

/** The agents that begin together, with all that they start. */
export const startingRules = ({ program, agents }: Scene): Checked =>
  sideBySide(
    agents,
    startingAgents(program).map(({ name }) => [...new Set([name, ...startedBy(program.entry, name)])]),
  )

/** Who a fork may start. */
export const forkRules = (here: Here, stmt: Fork): Checked => {
  const { agents } = here.scene
  const parent = stmt.branches[0]
  if (parent === undefined) return no('agent.fork', 'a fork has at least the branch of its parent')
  return first([
    () =>
      each(stmt.branches, ({ agent }) =>
        agents.has(agent) ? null : no('agent.unknown', `no agent ${agent} is declared`),
      ),
    () =>
      here.runners.some(({ name }) => name === parent.agent)
        ? null
        : no(
            'agent.fork',
            `branch 0 is the parent's own: expected ${here.runners.map(({ name }) => name).join(' or ')}, found ${parent.agent}`,
          ),
    () =>
      each(stmt.branches.slice(1), ({ agent }) =>
        here.busy.includes(agent) || here.runners.some(({ name }) => name === agent)
          ? no('agent.fork', `${agent} runs already and cannot be started`)
          : null,
      ),
    () =>
      each(stmt.branches, ({ agent }, k) =>
        stmt.branches.slice(0, k).some((before) => before.agent === agent)
          ? no('agent.fork', `${agent} is started twice`)
          : null,
      ),
    () =>
      sideBySide(
        agents,
        stmt.branches.map(({ agent, body }, k) => [
          // a parent without effect leaves its warps to the others
          ...(k === 0 && !hasEffects(body) ? [] : [agent]),
          ...forkedAgents(body),
        ]),
      ),
    // ... as long as they are parts of it, and no others'
    () =>
      each(stmt.branches.slice(1), ({ agent }) => {
        const [mine, theirs] = [agents.get(agent)!, agents.get(parent.agent)!]
        return disjoint(mine, theirs) || inside(mine, theirs)
          ? null
          : no('agent.fork', `${agent} and ${parent.agent} share warps, so they cannot run side by side`)
      }),
  ])
}
