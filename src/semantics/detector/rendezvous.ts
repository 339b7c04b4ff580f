/**
 * Named barriers (bar.sync, bar.arrive) and the cluster barrier.
 *
 * A generation is complete when `count` threads have arrived, whoever they are. An arrive publishes what the agent knows,
 * like a release arrive; a leave receives the generation that its own arrive joined. Condition C3 holds for them as for an mbarrier.
 *
 *     bar.sync 1, 256 by two warpgroups:  arrive w0 (128 threads)   arrive w1 (128)   leave w0   leave w1
 *     generation 0                        {w0}                      {w0, w1} complete  both know both
 *
 * Ids 0 to 15 are the CTA's, larger ones the cluster's.
 *
 * Law 1. After its leave an agent knows every event of its generation.
 *
 * Source: PTX ISA, bar and barrier.cluster.
 */
import type { Rendezvous } from '../log.js'
import type { Context } from './context.js'
import { publish, receive, tick } from './context.js'
import type { Generation } from './generation.js'
import { contribute, generation, unknownEvent } from './generation.js'
import { joinVector, programOf } from './knowledge.js'
import { actor, draft, fail, file, keyOf, where } from './report.js'

// ---------------------------------------------------------------- model

export interface NamedBarrier {
  readonly label: string
  number: number
  threads: number
  current: Generation
  last: Generation | undefined
  /** per agent, the generation that its last arrive joined */
  readonly joined: Array<Generation | undefined>
  readonly arrivers: Uint8Array
}
export type NamedBarriers = Map<number, NamedBarrier>

// ---------------------------------------------------------------- combinators

const clusterBarriers = 16

const keyOfBarrier = (c: Context, e: Rendezvous): number =>
  e.id >= clusterBarriers ? -e.id : (c.header.agents[e.stamp.agent]?.cta ?? 0) * clusterBarriers + e.id

export const namedBarrier = (c: Context, all: NamedBarriers, e: Rendezvous): NamedBarrier => {
  const key = keyOfBarrier(c, e)
  const found = all.get(key)
  if (found !== undefined) return found
  const made: NamedBarrier = {
    label:
      e.id >= clusterBarriers
        ? 'cluster barrier'
        : `named barrier ${String(e.id)}@${String(c.header.agents[e.stamp.agent]?.cta ?? 0)}`,
    number: 0,
    threads: 0,
    current: generation(c.extent),
    last: undefined,
    joined: Array.from({ length: c.extent.agents }, () => undefined),
    arrivers: new Uint8Array(c.extent.agents),
  }
  all.set(key, made)
  return made
}

/** Returns the generation joined or left. */
export const rendezvous = (c: Context, all: NamedBarriers, e: Rendezvous): number => {
  const b = namedBarrier(c, all, e)
  const a = tick(c, e.stamp)
  switch (e.kind) {
    case 'arrive': {
      const order = a.knowledge.order
      const missing = b.last === undefined ? undefined : unknownEvent(b.last, b.number - 1, order, -1, false)
      if (missing !== undefined)
        fail(c.report, 'C3', keyOf(b.label, missing.stamp, e.stamp), () => {
          const text = `${b.label}: ${where(c.header, missing.stamp)} (generation ${String(b.number - 1)}) and ${where(c.header, e.stamp)} (generation ${String(b.number)}) can change places`
          return {
            text: `B3: ${text}`,
            draft: draft('B3', 'E', text, actor(missing.stamp, missing.does), actor(e.stamp, 'arrives')),
          }
        })
      const event = {
        clock: programOf(e.stamp.agent),
        at: e.stamp.at,
        counted: true,
        stamp: e.stamp,
        does: 'arrives',
      }
      contribute(b.current, event, order)
      if (e.relaxed === true) joinVector(b.current.message.order, order)
      else publish(b.current.message, a, e.tensor === true)
      b.joined[e.stamp.agent] = b.current
      b.arrivers[e.stamp.agent] = 1
      b.threads += e.threads
      const joined = b.number
      if (b.threads > e.count)
        file(c.report, keyOf(`B2|${b.label}`, e.stamp, undefined), () =>
          draft(
            'B2',
            'E',
            `${b.label}: ${String(b.threads)} threads arrive where ${String(e.count)} are counted`,
            actor(b.current.events[0]?.stamp ?? e.stamp, 'arrives'),
            actor(e.stamp, 'arrives'),
          ),
        )
      if (b.threads >= e.count) {
        b.last = b.current
        b.current = generation(c.extent)
        b.number++
        b.threads = 0
      }
      return joined
    }
    case 'leave': {
      const joined = b.joined[e.stamp.agent]
      if (joined !== undefined) receive(a, joined.message, e.relaxed !== true, e.tensor === true)
      b.joined[e.stamp.agent] = undefined
      return b.number - 1
    }
    case 'blocked':
      return b.number
  }
}
