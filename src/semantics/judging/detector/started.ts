/**
 * CTAs of a cluster start together on the chip, but no thread may count on it: until something tells it that a peer has started, the peer's memory is not there.
 *
 * An agent that reaches into another CTA must know an event of that CTA. Any event will do, for its first one says that it runs. The cluster barrier
 * tells it of every CTA, a relaxed one too, because only order is asked for; so does a wait for what the peer has signalled or stored.
 *
 *     CTA 0  st.shared::cluster -> s@1                              K4: nothing tells CTA 0 that CTA 1 runs
 *     CTA 0  cluster barrier; st.shared::cluster -> s@1             fine
 *     CTA 0  wait b@0 (CTA 1 arrives there); st.async -> s@1        fine
 *
 * | reaches into a CTA                                                         | asked of                    |
 * |----------------------------------------------------------------------------|-----------------------------|
 * | a load, a store or an atomic in its shared memory                          | the agent                   |
 * | an asynchronous operation that reads or writes its shared or tensor memory | its issuer, at the issue    |
 * | a tcgen05.alloc for the pair                                               | the agent                   |
 *
 * An arrival at a peer's barrier is not asked again: it must know more, the barrier's initialisation (B7). A dealloc for the pair must know the peer's
 * allocation, and says so under the same id (`tensor-memory.ts`).
 *
 * Laws
 * 1. Nothing is asked of a program whose cluster is one CTA.
 * 2. In a program without other findings, K4 is found exactly if some schedule makes the access before any agent of the CTA has done anything.
 *
 * Source: PTX ISA, “Cluster of Cooperative Thread Arrays”, “barrier.cluster”, tcgen05.alloc (cta_group::2); the CUDA C++ Programming Guide, distributed shared
 * memory: all blocks must have started before one reaches into another.
 */
import { actor, ctaName, draft, file, keyOf, whoActs, type Actor } from './report.js'
import type { Context } from './context.js'
import { programOf, type Vector } from './knowledge.js'
import type { Stamp } from '../../log/events.js'
import { valueAt } from './sparse.js'

/** Does this vector know an event of the CTA? */
const hasStarted = (c: Context, cta: number, order: Vector): boolean =>
  c.header.agents.some((a, x) => a.cta === cta && valueAt(order, programOf(x)) > 0)

const unstarted = (c: Context, cta: number, by: Actor): void => {
  file(c.report, keyOf(`start|${String(cta)}`, by.stamp, undefined), () =>
    draft(
      'K4',
      'E',
      `${whoActs(c.header, by.stamp, by.unit, by.does)} before anything tells it that CTA ${ctaName(c.header, cta)} has started`,
      [],
      by,
    ),
  )
}

/** An access by an agent, or by an operation with what its issuer knew. */
export const reachesInto = (c: Context, cta: number, by: () => Actor, order: Vector, stamp: Stamp): void => {
  if (cta !== c.header.agents[stamp.agent]!.cta && !hasStarted(c, cta, order)) unstarted(c, cta, by())
}

/** The agent takes a step that the other CTA of the pair must take, too. */
export const takesStepWith = (c: Context, cta: number, stamp: Stamp, does: string, order: Vector): void => {
  reachesInto(c, cta, () => actor(stamp, does), order, stamp)
}
