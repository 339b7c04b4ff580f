/**
 * Core programs as a front (`machine/front.ts`): agents walk linked regions, with a frame of values each.
 */
import { unreachable } from '../../failure.js'
import type { Linked } from '../language/link.js'
import { environment } from '../machine/environment.js'
import { evaluate } from '../machine/evaluate.js'
import type { Fellowships } from '../machine/fellowship.js'
import { agentsActAsOne, type Forks, type Front } from '../machine/front.js'
import { control, type CoreFellows, type CoreStand, type Resume } from '../machine/stand.js'
import { idle, type AgentState } from '../machine/state.js'
import type { Value } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { iterationOf, past, start, walk, type Slots } from './advance.js'
import { beginning, beside, bound, given, heldOf } from './fellows.js'
import { where } from './where.js'

const coreOf = ({ stand }: AgentState): CoreStand =>
  stand?._tag === 'core' ? stand : unreachable('an agent that has not started executes')

/** The frame of an agent with these slots bound. */
const binding = (stand: CoreStand, slots: ReadonlyArray<number>, values: ReadonlyArray<Value>): Slots => {
  const frame = stand.frame.slice()
  for (let i = 0; i < slots.length; i++) frame[slots[i]!] = values[i]
  return frame
}

const resultsOf = (resume: Resume): ReadonlyArray<number> =>
  resume._tag === 'Do' ? resume.results : unreachable('the result of a warp')

const proceed: Front<World>['proceed'] = (world, at, a, done, results, events) => {
  const stand = coreOf(a)
  const c = stand.control
  const slots = resultsOf(done.resume)
  const frame = binding(stand, slots, results)
  const fellows = bound(stand.fellows, slots, null)
  return walk(world, at, frame, c === null ? null : past(c), a.at + events, a.groups, fellows)
}

const fork: Forks<World>['fork'] = (world, at, agents, { stmt, children }) => {
  const a = agents[at.agent]!
  const stand = coreOf(a)
  const captured = stmt.branches.map((b) =>
    b.captures.map((c) => {
      const value = evaluate(world, at, stand.frame, c.value)
      const held = heldOf(beside(stand.fellows), environment(world, at, stand.frame), c.value, value)
      return { slot: c.slot, value, held }
    }),
  )
  const fellowsOf = (i: number): CoreFellows | null =>
    stand.fellows === null ? null : given(stand.fellows.of, captured[i]!)
  const frameOf = (i: number): Slots => {
    const frame: Slots = []
    for (const c of captured[i]!) frame[c.slot] = c.value
    return frame
  }
  const begun = children.map((child, i) =>
    start(
      world,
      { agent: child, cta: at.cta, place: at.place, cluster: at.cluster },
      agents[child]!,
      stmt.branches[i + 1]!.body,
      frameOf(i + 1),
      fellowsOf(i + 1),
    ),
  )
  const own = stmt.branches[0]
  if (own === undefined) return null
  const c = stand.control
  const branch = control(
    own.body,
    0,
    { _tag: 'branch', stmt, frame: stand.frame, fellows: stand.fellows },
    iterationOf(c),
    c === null ? null : past(c),
  )
  return { own: walk(world, at, frameOf(0), branch, a.at + 1, a.groups, fellowsOf(0)), children: begun }
}

/** The parent already stands past the fork: its control was restored at the end of its branch. */
const join: Forks<World>['join'] = (world, at, a, { stmt, values, held }) => {
  const stand = coreOf(a)
  const fellows = bound(stand.fellows, stmt.results, held)
  return walk(world, at, binding(stand, stmt.results, values), stand.control, a.at + 1, a.groups, fellows)
}

const forks: Forks<World> = { fork, join }

/** The front of a core program; `fellows`: other clusters that are followed beside those that run. */
export const coreFront = (linked: Linked, fellows: Fellowships | null = null): Front<World> => ({
  agents: linked.agents,
  starts: linked.starts,
  sites: linked.sites,
  nondeterminism: linked.nondeterminism,
  fences: linked.program.fences ?? null,
  instructions: linked.instructions,
  storesConstants: null,
  obeysNoWord: false,
  timed: linked.timed,
  asksWhoRuns: false,
  elects: false,
  electedData: [],
  hardware: null,
  hasFellows: true,
  draws: null,
  gates: [],
  tellsCtas: true,
  waitsForLocks: false,
  outside: agentsActAsOne,
  begin: (world, at) => {
    const own = fellows?.get(at.cluster)
    return start(world, at, idle, linked.entry, [], own === undefined ? null : beginning(world, own))
  },
  proceed,
  parts: null,
  forks,
  where,
})
