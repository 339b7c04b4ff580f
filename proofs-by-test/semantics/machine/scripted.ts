/**
 * A front for proofs, which is no core program: its agents do what a script says, one effect after another, with no storage and no expression; and a
 * launch of it, by addresses.
 */
import type { Front } from '../../../src/semantics/machine/front.js'
import { covering, type Launch } from '../../../src/semantics/machine/launch.js'
import type { Prepared } from '../../../src/semantics/machine/operation.js'
import type { Resume } from '../../../src/semantics/machine/stand.js'
import { agentState, noGroups, type AgentState } from '../../../src/semantics/machine/state.js'
import type { World } from '../../../src/semantics/machine/world.js'
import { ofStrides } from '../../../src/transforms/ref.js'
import { right } from '../../either.js'

/** What each agent of each resident CTA does. */
export const scripted = (
  script: (world: World, cta: number, agent: number) => ReadonlyArray<Prepared>,
): Front<World> => {
  const standing = (all: ReadonlyArray<Prepared>, at: number): AgentState => {
    const prepared = all[at - 1]
    return prepared === undefined
      ? agentState('done', null, null, at, noGroups)
      : agentState(
          'running',
          null,
          { _tag: 'do', site: 0, iteration: [at], layouts: [], resume: {} as Resume, prepared },
          at,
          noGroups,
        )
  }
  const scriptOf = (world: World, agent: number) =>
    script(world, Math.floor(agent / world.agentsPerCta), agent % world.agentsPerCta)
  return {
    agents: [0, 1].map((warp) => ({ name: `warp ${String(warp)}`, kind: 'warp', firstWarp: warp, warps: 1 })),
    starts: [true, true],
    sites: [{ label: 'here', path: [] }],
    nondeterminism: [],
    fences: null,
    instructions: new Set(),
    storesConstants: null,
    obeysNoWord: false,
    timed: false,
    asksWhoRuns: false,
    elects: false,
    electedData: [],
    hardware: null,
    hasFellows: false,
    draws: null,
    gates: [],
    tellsCtas: true,
    waitsForLocks: false,
    outside: [],
    begin: (world, at) => standing(scriptOf(world, at.agent), 1),
    proceed: (world, at, a, _done, _results, events) => standing(scriptOf(world, at.agent), a.at + events),
    parts: null,
    forks: null,
    where: () => '',
  }
}

export const launchOf = (front: Front<World>, resident = 1): Launch => ({
  name: 'by addresses',
  arch: 'sm90a',
  front,
  coverage: right(covering([4, 1, 1], [2, 1, 1], 2, () => resident)),
  memory: [
    {
      name: 'parameters',
      bytes: 16,
      output: false,
      tensor: null,
      contents: new Uint8Array([1, 2, 3, 4]),
      counted: false,
    },
    {
      name: 'c',
      bytes: 16,
      output: true,
      tensor: { dtype: 'i32', layout: right(ofStrides([4], 32, [1])), shape: [4], strides: [1] },
      contents: null,
      counted: false,
    },
  ],
  cta: [
    { space: 'smem', name: 'smem', agent: null, bytes: 1024 },
    { space: 'regs', name: 'local', agent: 1, bytes: 64 },
  ],
  barriers: [64, 72, 128].map((address) => ({
    name: `bar ${String(address)}`,
    storage: 'bar',
    address,
    contract: 'ptx',
    ordersTensorCore: true,
  })),
  computes: null,
  data: null,
  tensorPipe: 'issueOrder',
  grants: Infinity,
  tensors: new Map(),
  storages: new Map(),
  scalars: new Map(),
  descriptors: new Map(),
})
