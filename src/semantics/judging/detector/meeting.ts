/**
 * Where agents meet: named barriers, the cluster barrier, fork and join.
 *
 * All of them let each side know what the other did before. A join orders control and nothing else: what a child has in flight
 * goes on, and the parent knows of its issue only.
 *
 *     parent: write x; fork -> child: read x; issue load #0 -> join       the child sees x; the parent knows the issue of #0, not its writes
 *
 * | event                  | tells                                       | whom                        |
 * |------------------------|---------------------------------------------|-----------------------------|
 * | fork                   | what the parent knows                       | each child, which starts    |
 * | join                   | what each child knows                       | the parent                  |
 * | rendezvous arrive, leave | what those of the generation know         | all of them (`rendezvous.ts`) |
 * | warpSync               | what each of its lanes knows and has done   | all of them (`strands.ts`)  |
 *
 * A meeting leaves the count of an agent's fences in vain (`fences.ts`) as it is, unlike an arrive on an mbarrier and an issue. Those hand on what a
 * fence before them was for; a meeting hands nothing to an asynchronous unit, and those who leave it go on with what they were at. Pallas puts one
 * in front of every store and every copy, where its warps only wait for one another:
 *
 *     commit_smem;  bar.sync;  write x;  bar.sync;  issue store of x        P2: the fence stands on the wrong side, and the meetings
 *                                                                          neither use it up nor make it a fence of x
 *
 * An agent whose fence did cover a write before such a meeting has none in vain, and what it writes behind the meeting is P1.
 *
 * Law 1. fork then join of children that do nothing changes nothing that the parent knows.
 *
 * Source: PTX ISA, bar and barrier.cluster.
 */
import type { Exit, ForkEvent, RegistersEvent, Rendezvous, WarpSync } from '../../log/events.js'
import { allLanes } from './activity.js'
import { publish, receive, tick } from './context.js'
import * as Digest from './digest.js'
import { nothing } from './knowledge.js'
import { setsRegisters } from './register-groups.js'
import { rendezvous } from './rendezvous.js'
import type { Detector } from './state.js'
import { act, exchange, meetLanes } from './strands.js'
import { came } from './strong-found.js'
import { fencedWithin } from './strong-fences.js'
import { handOn, meetStrong, takeOn } from './strong-meeting.js'

/** Named barriers of a CTA. */
const lastOfCta = 15

export const meet = (d: Detector, e: Rendezvous): void => {
  const c = d.context
  const generation = rendezvous(c, d.named, e, () => fencedWithin(d, e.stamp.agent, 2))
  if (e.kind === 'blocked')
    d.blocked.push({
      stamp: e.stamp,
      barrier: -1,
      parity: 0,
      named: e,
      family: undefined,
      lacking: undefined,
    })
  // what a CTA meets at, and not what its cluster does: there a fence may be of another scope than the one who hands it on
  if (e.id <= lastOfCta && e.relaxed !== true) {
    const meeting = `${String(c.header.agents[e.stamp.agent]!.cta)} ${String(e.id)} ${String(generation)}`
    if (e.kind === 'arrive') handOn(d, e.stamp.agent, meeting)
    if (e.kind === 'leave') takeOn(d, e.stamp.agent, meeting)
  }
  if (e.kind === 'arrive') came(d, e.stamp)
  // lanes that have waited for one another at a barrier have met; where they came to it relaxed, they know no more of memory than a shuffle tells
  const a = c.agents[e.stamp.agent]!
  const ofCluster = e.id > lastOfCta
  if (e.kind === 'arrive' && ofCluster) a.relaxed = e.relaxed === true
  const { lanes } = e.stamp
  if (e.kind === 'leave' && e.relaxed !== true && lanes !== undefined)
    if (ofCluster && a.relaxed) exchange(a, e.stamp.agent, { lanes, before: e.stamp.at, loads: new Set() })
    else meetAll(d, e.stamp.agent, lanes, e.stamp.at)
  if (e.kind === 'arrive') Digest.ofAgent(c.digest, e.stamp.agent, 9, e.stamp.at, e.id, generation)
}

/** Lanes of a warp meet. Nothing is counted by it: it joins what came before the next event of the warp. */
export const warpSync = (d: Detector, { stamp, how, loads }: WarpSync): void => {
  const a = d.context.agents[stamp.agent]!
  if (how === 'exchanges') {
    exchange(a, stamp.agent, {
      lanes: stamp.lanes ?? allLanes,
      before: stamp.at,
      loads: new Set(loads),
    })
    return
  }
  if (how === 'arrives') {
    act(a, stamp.agent, stamp.lanes ?? allLanes, stamp.at - 1)
    publish((a.arrived ??= nothing()), a, false)
    return
  }
  const lanes = d.context.options.rules.partialMeets ? allLanes : (stamp.lanes ?? allLanes)
  meetAll(d, stamp.agent, lanes, stamp.at - 1)
}

/** These lanes know from now on what each of them knew, and did up to that event of their warp. */
export const meetAll = (d: Detector, agent: number, lanes: number, before: number): void => {
  meetLanes(d.context.agents[agent]!, agent, lanes, before)
  meetStrong(d.strong, agent, lanes)
}

export const fork = (d: Detector, e: ForkEvent): void => {
  const c = d.context
  const parent = tick(c, e.stamp)
  Digest.ofAgent(c.digest, e.stamp.agent, 10, e.stamp.at, Digest.ofName(e._tag), e.children.length)
  parent.forked = e._tag === 'fork' ? { stamp: e.stamp, children: e.children } : undefined
  const message = nothing()
  if (e._tag === 'fork') publish(message, parent, false)
  for (const child of e.children) {
    if (child === e.stamp.agent) continue
    const a = c.agents[child]!
    if (e._tag === 'fork') {
      a.started = true
      a.exited = false
      a.parent = e.stamp.agent
      receive(a, message, true, false)
    } else publish(message, a, false)
  }
  if (e._tag === 'join') receive(parent, message, true, false)
}

/** Registers given back or taken: nothing is told by it. */
export const registers = (d: Detector, e: RegistersEvent): void => {
  tick(d.context, e.stamp)
  if (e.blocked)
    d.blocked.push({
      stamp: e.stamp,
      barrier: -1,
      parity: 0,
      named: undefined,
      family: undefined,
      lacking: {
        label: 'the register file of its CTA',
        before: e.free,
        value: e.needs,
        until: null,
        signallers: [],
      },
    })
  else {
    setsRegisters(d.registers, e)
    Digest.ofAgent(d.context.digest, e.stamp.agent, 12, e.stamp.at, e.count, 0)
  }
}

/** The agent ends. What it has in flight goes on. */
export const exit = (d: Detector, e: Exit): void => {
  d.context.agents[e.agent]!.exited = true
}
