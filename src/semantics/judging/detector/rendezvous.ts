/**
 * Named barriers (bar.sync, bar.arrive) and the cluster barrier.
 *
 * A generation of a named barrier is complete when `count` threads have arrived, whichever they are. An arrive publishes what the agent knows,
 * like a release arrive; a leave receives the generation that its own arrive joined. Condition C3 holds for them as for an mbarrier.
 *
 *     bar.sync 1, 256 by two warpgroups:  arrive w0 (128 threads)   arrive w1 (128)   leave w0   leave w1
 *     generation 0                        {w0}                      {w0, w1} complete  both know both
 *
 * The cluster barrier counts the agents of a cluster that have not ended. So a leave can come when fewer have arrived than the cluster has
 * threads: the others have ended. If no agent of a whole CTA has arrived, the barrier did not do what it is for: K2, with the agents that are missing.
 *
 *     two CTAs, `if rank = 0: cluster arrive, cluster wait`    CTA 1 ends at once; CTA 0 arrives and leaves: K2, wg@1 is missing
 *
 * | rule                                                 | else |
 * |------------------------------------------------------|------|
 * | arrivals of g know those of g - 1 (C3)               | B3   |
 * | the threads that arrive are as many as are counted, and all count alike | B2 |
 * | an agent waits at the cluster barrier before it arrives again, and has arrived before it waits | B2 |
 * | of every CTA of the cluster an agent arrives          | K2   |
 * | a leave of a named barrier comes after its generation | C2  |
 *
 * Ids 0 to 15 are the CTA's, larger ones the cluster's. A barrier for all threads of a CTA does not wait for those that have ended, and hears nothing from them.
 *
 * Law 1. After its leave an agent knows every event of its generation.
 *
 * Source: PTX ISA, bar and barrier.cluster.
 */
import type { Header, Loose, Rendezvous } from '../../log/events.js'
import { clusterOf } from '../../log/events.js'
import { ofRendezvous, type Subject } from '../subject.js'
import type { Context } from './context.js'
import { publish, receive, tick } from './context.js'
import type { Generation } from './generation.js'
import { contribute, generation, unknownEvent } from './generation.js'
import { eachActing, told } from './strands.js'
import { join, joinOrder, programOf, publishInitialisations, type Knowledge } from './knowledge.js'
import { actor, agentName, ctaName, draft, fail, file, held, keyOf, restsOn, where } from './report.js'

// ---------------------------------------------------------------- model

export interface NamedBarrier {
  readonly label: string
  readonly subject: Subject
  /** the cluster whose barrier it is, -1 for a CTA's */
  readonly place: number
  number: number
  threads: number
  /** threads that the generation under way counts, as its first arrive says */
  count: number
  current: Generation
  last: Generation | undefined
  /** per agent, the generation that its last arrive joined */
  readonly joined: Array<Generation | undefined>
  readonly arrivers: Uint8Array
}
export type NamedBarriers = Map<number, NamedBarrier>

// ---------------------------------------------------------------- combinators

const clusterBarriers = 16

const ctaOf = (header: Header, agent: number): number => header.agents[agent]?.cta ?? 0

const keyOfBarrier = (c: Context, e: Rendezvous): number => {
  const cta = ctaOf(c.header, e.stamp.agent)
  return e.id < clusterBarriers
    ? cta * clusterBarriers + e.id
    : -(e.id * (c.header.resident ?? 1) + clusterOf(c.header, cta))
}

export const namedBarrier = (c: Context, all: NamedBarriers, e: Rendezvous): NamedBarrier => {
  const key = keyOfBarrier(c, e)
  const found = all.get(key)
  if (found !== undefined) return found
  const cta = ctaOf(c.header, e.stamp.agent)
  const place = e.id < clusterBarriers ? -1 : clusterOf(c.header, cta)
  const made: NamedBarrier = {
    label:
      place < 0
        ? `named barrier ${String(e.id)}@${ctaName(c.header, cta)}`
        : (c.header.resident ?? 1) === 1
          ? 'cluster barrier'
          : `cluster barrier of cluster ${String(place)}`,
    subject: ofRendezvous(place < 0 ? e.id : 'cluster'),
    place,
    number: 0,
    threads: 0,
    count: 0,
    current: generation(c.extent),
    last: undefined,
    joined: Array.from({ length: c.extent.agents }, () => undefined),
    arrivers: new Uint8Array(c.extent.agents),
  }
  all.set(key, made)
  return made
}

/** Agents that the generation under way lacks: of the cluster, those that run from the start and have not arrived. */
export const missingMembers = (c: Context, b: NamedBarrier): ReadonlyArray<number> =>
  c.header.agents.flatMap((a, x) =>
    a.starts && b.joined[x] !== b.current && clusterOf(c.header, a.cta) === b.place ? [x] : [],
  )

const complete = (c: Context, b: NamedBarrier): void => {
  b.last = b.current
  b.current = generation(c.extent)
  b.number++
  b.threads = 0
}

/** K2: a leave although threads are missing. They have ended; whole CTAs of them are an error. */
const withoutMembers = (c: Context, b: NamedBarrier): void => {
  const missing = missingMembers(c, b)
  const came = new Set(c.header.agents.flatMap((a, x) => (b.joined[x] === b.current ? [a.cta] : [])))
  const absent = missing.filter((x) => !came.has(ctaOf(c.header, x)))
  const first = b.current.events[0]
  if (absent.length > 0 && first !== undefined)
    file(c.report, keyOf(`K2|${b.label}`, first.stamp, undefined), () =>
      draft(
        'K2',
        'E',
        `${b.label}: ${absent.map((x) => agentName(c.header, x)).join(', ')} ${absent.length === 1 ? 'ends' : 'end'} without arriving in generation ${String(b.number)}`,
        [b.subject],
        actor(first.stamp, 'arrives'),
      ),
    )
}

/** Threads of its CTA that have ended: a barrier for all threads does not wait for them. */
const endedWith = (c: Context, agent: number): number =>
  c.header.agents.reduce(
    (n, a, x) => (a.cta === ctaOf(c.header, agent) && c.agents[x]!.exited ? n + 32 * a.warps : n),
    0,
  )

/** N5: an arrive that PTX promises nothing of, once a verdict. */
const rests = (c: Context, b: NamedBarrier, e: Rendezvous, loose: Loose): void => {
  restsOn(c.report, 'N5', (id) =>
    draft(
      id,
      'L',
      loose === 'ended'
        ? `${b.label}: ${where(c.header, e.stamp)} is .aligned, and threads of the warp have ended; PTX requires that all threads of the warp execute it, but on Hopper it runs, because a barrier does not wait for threads that have ended`
        : `${b.label}: ${where(c.header, e.stamp)} is .aligned, and threads of the warp execute it at another place; PTX requires that all threads of the warp execute the same instruction. It runs because a barrier waits for the threads of a warp, wherever they reach one`,
      [b.subject],
      actor(e.stamp, 'arrives'),
    ),
  )
}

/** Returns the generation joined or left. `fenced`: what the agent knew at its last fence of memory that reaches the cluster, which a relaxed arrival tells. */
export const rendezvous = (
  c: Context,
  all: NamedBarriers,
  e: Rendezvous,
  fenced: () => Knowledge | undefined,
): number => {
  const b = namedBarrier(c, all, e)
  const a = tick(c, e.stamp)
  switch (e.kind) {
    case 'arrive': {
      if (e.loose !== undefined) rests(c, b, e, e.loose)
      const order = a.knowledge.order
      const missing =
        b.last === undefined || c.options.rules.unpairedMeetings
          ? undefined
          : unknownEvent(b.last, b.number - 1, a.knowledge, e.stamp, -1, false)
      if (missing !== undefined) c.restless = true
      if (missing !== undefined)
        fail(c.report, 'C3', keyOf(b.label, missing.stamp, e.stamp), () => {
          const text = `${b.label}: ${where(c.header, missing.stamp)} (generation ${String(b.number - 1)}) and ${where(c.header, e.stamp)} (generation ${String(b.number)}) can change places`
          return {
            text: `B3: ${text}`,
            draft: draft(
              'B3',
              'E',
              text,
              [b.subject],
              actor(missing.stamp, missing.does),
              actor(e.stamp, 'arrives'),
            ),
          }
        })
      const event = {
        clock: programOf(e.stamp.agent),
        at: e.stamp.at,
        counted: true,
        offset: false,
        announces: false,
        stamp: e.stamp,
        does: 'arrives',
      }
      if (b.place >= 0 && b.joined[e.stamp.agent] !== undefined)
        file(c.report, keyOf(`B2|${b.label}`, e.stamp, undefined), () =>
          draft(
            'B2',
            'E',
            `${b.label}: ${agentName(c.header, e.stamp.agent)} arrives again without having waited`,
            [b.subject],
            actor(
              b.joined[e.stamp.agent]?.events.find((x) => x.stamp.agent === e.stamp.agent)?.stamp ?? e.stamp,
              'arrives',
            ),
            actor(e.stamp, 'arrives'),
          ),
        )
      if (b.threads === 0) b.count = e.count
      else if (b.count !== e.count && !c.options.rules.anyCount)
        file(c.report, keyOf(`B2|${b.label}|count`, e.stamp, undefined), () =>
          draft(
            'B2',
            'E',
            `${b.label}: ${String(e.count)} threads are counted here and ${String(b.count)} by the first arrival of generation ${String(b.number)}`,
            [b.subject],
            actor(b.current.events[0]?.stamp ?? e.stamp, 'arrives'),
            actor(e.stamp, 'arrives'),
          ),
        )
      contribute(b.current, event, order)
      if (b.place >= 0 && c.options.rules.silentMeetings) joinOrder(b.current.message, told(a), true)
      else if (e.relaxed === true && !c.options.rules.firmMeetings) {
        joinOrder(b.current.message, told(a), false)
        const known = fenced()
        if (known !== undefined) join(b.current.message, known)
        eachActing(a, () => {
          publishInitialisations(b.current.message, a.knowledge, e.stamp.agent)
        })
      } else publish(b.current.message, a, e.tensor === true)
      if (b.place >= 0 && a.arrived !== null) {
        join(b.current.message, a.arrived)
        a.arrived = null
      }
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
            [b.subject],
            actor(b.current.events[0]?.stamp ?? e.stamp, 'arrives'),
            actor(e.stamp, 'arrives'),
          ),
        )
      if (b.threads >= e.count) complete(c, b)
      return joined
    }
    case 'leave': {
      const joined = b.joined[e.stamp.agent]
      if (joined === b.current) {
        if (b.place < 0 && b.threads + endedWith(c, e.stamp.agent) < e.count)
          fail(c.report, 'C2', keyOf(`leave|${b.label}`, e.stamp, undefined), () => ({
            text: `the log is not well formed: ${where(c.header, e.stamp)} leaves ${b.label} before its generation is complete`,
            draft: undefined,
          }))
        else if (b.place >= 0 && !c.options.rules.anyMembers) withoutMembers(c, b)
        complete(c, b)
      }
      if (joined === undefined && b.place >= 0 && !c.options.rules.anyMembers)
        file(c.report, keyOf(`B2|${b.label}|leave`, e.stamp, undefined), () =>
          draft(
            'B2',
            'E',
            `${b.label}: ${agentName(c.header, e.stamp.agent)} waits without having arrived`,
            [b.subject],
            held(e.stamp),
          ),
        )
      if (joined !== undefined) receive(a, joined.message, e.relaxed !== true, e.tensor === true)
      b.joined[e.stamp.agent] = undefined
      return b.number - 1
    }
    case 'blocked':
      return b.number
  }
}
