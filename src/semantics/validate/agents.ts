/**
 * Agents: which of them a launch may have, who runs what, and who may start whom.
 *
 * An agent is a range of a CTA's 32 warps. Ranges are disjoint or nested: a warpgroup may have a name, and one of its warps another,
 * but a fork runs only agents side by side that share no warp. The one exception is the parent, whose branch stands first: it may be
 * a larger agent, and the agents that it starts parts of it.
 *
 *     consumer: warps 0 to 3    producer: warp 4       disjoint
 *     all: warps 0 to 7         consumer: warps 0 to 3  nested
 *     x: warps 0 to 3           y: warps 3 to 4         refused
 *
 * Registers are what each thread of the agent has after `setmaxnreg`; where nothing is said nothing is asked. 65536 are an SM's:
 *
 *     3 x 128 x 160 = 61440    fits        3 x 128 x 232 = 89088    A2
 *
 * Laws
 * 1. Names are distinct; at most 64; warps are 1, 2, 4 or 8 of 32; a warpgroup is 4 from a multiple of 4, a warp is 1.
 * 2. Two agents are disjoint or nested.
 * 3. The first branch of a fork is its parent's; the others start agents that do not run; branches share no warp.
 * 4. `startingAgents` are those that no fork starts.
 * 5. Agents that share no warp take at most 65536 registers together, a thread at most 256 (A2).
 * 6. A grid has 1 to 3 axes, a cluster up to 3 and at most 16 CTAs.
 *
 * Source: CUDA C++ programming guide, thread hierarchy and clusters; PTX ISA 9, wgmma (warpgroups).
 */
import { showShape, sizeOf } from '../../transforms/shape.js'
import { mostAgents } from '../limits.js'
import { mostRegisters, registerFile } from '../machine/registers.js'
import { type Agent, type Fork, type Program, type Region } from '../program.js'
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
            [1, 2, 4, 8].includes(agent.warps) && isNat(agent.firstWarp) && lastWarp(agent) <= 32
              ? null
              : no(
                  'agent.warps',
                  `agent ${agent.name}: expected 1, 2, 4 or 8 of the 32 warps, found warps ${String(agent.firstWarp)} to ${String(lastWarp(agent) - 1)}`,
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
  region.body.flatMap((stmt): ReadonlyArray<string> => {
    switch (stmt._tag) {
      case 'Let':
      case 'Do':
        return []
      case 'For':
        return forkedAgents(stmt.body)
      case 'While':
        return [...forkedAgents(stmt.before), ...forkedAgents(stmt.after)]
      case 'If':
        return [...forkedAgents(stmt.then), ...forkedAgents(stmt.else)]
      case 'Fork':
        return stmt.branches.flatMap(({ agent, body }, k) => [
          ...(k === 0 ? [] : [agent]),
          ...forkedAgents(body),
        ])
    }
  })

/** The agents that no fork starts: they run the entry. */
export const startingAgents = (program: Program): ReadonlyArray<Agent> => {
  const forked = new Set(forkedAgents(program.entry))
  return program.launch.agents.filter(({ name }) => !forked.has(name))
}

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
      each(stmt.branches, ({ agent }, k) => {
        const mine = agents.get(agent)!
        return each(stmt.branches.slice(0, k), (other, j) => {
          const theirs = agents.get(other.agent)!
          return (agent !== other.agent && disjoint(mine, theirs)) ||
            (j === 0 && agent !== other.agent && inside(mine, theirs))
            ? null
            : no('agent.fork', `${agent} and ${other.agent} share warps, so they cannot run side by side`)
        })
      }),
  ])
}
