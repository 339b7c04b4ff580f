/**
 * Groups: bulk copies, cp.async and wgmma complete in numbered groups; loads and stores of tensor memory without numbers.
 *
 * Each agent has a queue of groups per family. An operation belongs to the group that is open when it is issued; `commitGroup`
 * closes that group, empty or not. `waitGroup n` waits until at most the n newest closed groups are incomplete; for bulk stores
 * `read` asks for the reads of their sources only.
 *
 * The products of a warpgroup are four warps' where warps are agents: each commits its own, and a wait of one is for the groups of the same numbers of all four
 * (`with`). It goes on when all four have closed them and they are done.
 *
 * A tcgen05.ld or .st is a group of its own, and `wait::ld`, `wait::st` wait for all of the agent's.
 *
 * Source: PTX ISA, cp.async.commit_group, cp.async.bulk.commit_group, wgmma.commit_group and the waits.
 */
import type { Family, Group, Unit } from '../log/events.js'
import { families } from '../log/units.js'
import { effect, type Effect, type Executing } from '../machine/effect.js'
import type { InFlight, Prepared } from '../machine/operation.js'
import { closeGroup, withAgent, withGroups, type Machine } from '../machine/state.js'
import type { FaultValue } from '../machine/value.js'
import { saying } from './warpgroup.js'
import { changes, untouched, weak, type Family as Acted } from '../machine/family.js'

/** The families whose groups an agent closes by hand. */
type Counted = 'bulk' | 'wgmma' | 'cpAsync'
type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

export const prepareCommit = (family: Counted): Prepared => ({ _tag: 'group.commit', family })
export const prepareWait = (family: Family, pending: number, read: boolean): Prepared => ({
  _tag: 'group.wait',
  family,
  pending,
  read,
})

/** Is this operation of the unit still what a wait, up to group `upTo`, waits for? */
const holds = (f: InFlight, unit: Unit, upTo: number, read: boolean): boolean =>
  f._tag === unit && (!('group' in f) || f.group <= upTo) && (!read || !('stage' in f) || f.stage === 'read')

export const waitBlocked = (agent: number, m: Machine, p: Of<'group.wait'>): boolean => {
  const { family } = p
  // every tcgen05.ld and .st is a group of its own, and their waits leave none
  const closed = family === 'tcgen05Ld' || family === 'tcgen05St' ? 0 : m.agents[agent]!.groups[family]
  const upTo = closed - p.pending
  const { unit } = families[family]
  const others = p.with ?? []
  for (const x of others) if (m.agents[x]!.groups.wgmma < upTo) return true
  // asked of every agent that waits, at every step
  for (let i = 0; i < m.inFlight.length; i++) {
    const f = m.inFlight[i]!
    if ((f.agent === agent || others.includes(f.agent)) && holds(f, unit, upTo, p.read)) return true
  }
  return false
}

export const groupEvent = (x: Executing, p: Of<'group.wait'>, blocked: boolean): Group => {
  const own: Group = {
    _tag: 'group',
    stamp: x.stamp,
    kind: 'wait',
    family: p.family,
    pending: p.pending,
    read: p.read,
    blocked,
  }
  return p.with === undefined ? own : Object.assign({ with: p.with }, own)
}

export const executeCommit = (x: Executing, m: Machine, p: Of<'group.commit'>): Effect | FaultValue => {
  const alike = p.alike === undefined ? m : saying(x.world, m, x.agent, p.alike, 'a commit')
  if ('code' in alike) return alike
  const a = alike.agents[x.agent]!
  return effect(withAgent(alike, x.agent, withGroups(a, closeGroup(a.groups, p.family))), [
    {
      _tag: 'group',
      stamp: x.stamp,
      kind: 'commit',
      family: p.family,
      pending: 0,
      read: false,
      blocked: false,
    },
  ])
}

export const executeWait = (x: Executing, m: Machine, p: Of<'group.wait'>): Effect =>
  effect(m, [groupEvent(x, p, false)])

// ---------------------------------------------------------------- all that is asked

export const acts: Acted<'group.commit' | 'group.wait'> = {
  'group.commit': { execute: executeCommit, waits: null, touches: untouched, does: changes, strong: weak },
  'group.wait': {
    execute: executeWait,
    waits: {
      of: 'group',
      blocked: (_, agent, m, p) => waitBlocked(agent, m, p),
      stands: (x, _, p) => [groupEvent(x, p, true)],
    },
    touches: untouched,
    does: changes,
    strong: weak,
  },
}
