/**
 * What an agent does to an mbarrier: the events, as contributions to its generations.
 *
 * | event          | arrivals | bytes | publishes                      |
 * |----------------|----------|-------|--------------------------------|
 * | init, inval    | -        | -     | begin and end a life           |
 * | expect         | 0        | + n (completeTx: - n) | nothing        |
 * | arrive         | count    | + n (arriveExpectTx) | what the agent knows, if it is a release; else what it knew at its last fence of memory |
 * | increment      | one more is asked for | 0 | nothing                 |
 * | drop           | count, and the barrier counts fewer from now on | 0 | the same |
 * | wait, passed   | -        | -     | receives the generation before the one under way |
 * | wait, blocked  | -        | -     | stands at the end: a deadlock |
 * | wait, tested or skipped | - | -    | nothing: it proves nothing      |
 * | peek, and a wait that one may spare | - | - | as `peeks.ts` says     |
 *
 * The rules (C3, C4, C6, B, U1) are `barriers.ts`'s. An arrive on another CTA's barrier is also an effect on that CTA (K1).
 *
 * Worked: count 2 and one arrive: the log says that a wait with parity 0 passed. No generation is complete, so parity 0 is the one
 * that blocks: the log contradicts itself, C2 fails.
 *
 * Law 1. A passed wait gives exactly one generation's message to exactly one agent.
 *
 * Source: PTX ISA, mbarrier.
 */
import type { BarrierEvent, Wait } from '../../log/events.js'
import { limit } from '../../machine/mbarrier.js'
import { ofBarrier } from '../subject.js'
import type { BarrierState } from './barriers.js'
import { barrierEvent, checkLive, initialise, invalidate, observeWait, withLatest } from './barriers.js'
import type { AgentState, Context } from './context.js'
import { publish, tick } from './context.js'
import * as Digest from './digest.js'
import { unknownEvent } from './generation.js'
import { join, nothing, programOf, publishInitialisations } from './knowledge.js'
import { oweRemote } from './obligations.js'
import { peeked, spared } from './peeks.js'
import { lookedAt, neverQuiet } from './quiet.js'
import { actor, barrierName, draft, file, keyOf, where } from './report.js'
import { told } from './strands.js'
import type { Detector } from './state.js'
import { came } from './strong-found.js'
import { fencedWithin } from './strong-fences.js'
import { keepForFence } from './strong-heard.js'
import { malformed } from './state.js'

const publishesNothing = (): void => undefined

export const barrier = (d: Detector, e: BarrierEvent): void => {
  const c = d.context
  const a = tick(c, e.stamp)
  const b = d.barriers[e.barrier]!
  const x = e.stamp.agent
  const cta = c.header.barriers[e.barrier]!.cta
  const near = cta === c.header.agents[x]!.cta
  if (!near)
    oweRemote(c, d.obligations, cta, e.stamp, `${e.kind} on ${barrierName(c.header, e.barrier)}`, [
      ofBarrier(e.barrier),
    ])
  Digest.ofAgent(
    c.digest,
    x,
    5 + e.barrier * 8,
    e.stamp.at,
    b.number - b.base,
    Digest.ofName(e.kind) ^ e.bytes,
  )
  if (e.kind === 'arrive' || e.kind === 'drop') came(d, e.stamp)
  switch (e.kind) {
    case 'init':
      initialise(c, b, e.stamp, e.count)
      return
    case 'inval':
      invalidate(c, b, e.stamp, a.knowledge)
      return
    case 'expect':
      // a completion may come after the last arrival, for the phase waits for it: C6 asks about what is announced
      if (e.bytes >= 0) b.expects[x] = withLatest(b.expects[x]!, e.stamp)
      barrierEvent(c, b, {
        clock: programOf(x),
        at: e.stamp.at,
        counted: 0,
        offset: false,
        bytes: e.bytes,
        knowledge: told(a),
        firm: false,
        stamp: e.stamp,
        does: `${e.bytes < 0 ? 'completes' : 'expects'} ${String(Math.abs(e.bytes))} bytes`,
        publish: publishesNothing,
      })
      return
    case 'increment':
      ask(c, b, e)
      return
    case 'arrive':
    case 'drop':
      a.fences = 0
      if (e.kind === 'drop' && b.quiet !== null) neverQuiet(b.quiet)
      if (e.kind === 'drop') b.count = Math.max(0, b.count - e.count)
      barrierEvent(c, b, {
        clock: programOf(x),
        at: e.stamp.at,
        counted: e.count,
        offset: false,
        bytes: e.bytes,
        knowledge: told(a),
        firm: e.release && near,
        stamp: e.stamp,
        does: e.bytes === 0 ? 'arrives' : `arrives and expects ${String(e.bytes)} bytes`,
        publish:
          !near && (c.options.rules.noRemoteRelease || (e.scope === 'cta' && !c.options.rules.anyScope))
            ? publishesNothing
            : (m) => {
                const into = near ? m : (b.current.far ??= nothing())
                if (e.release) publish(into, a, e.tensor)
                else {
                  publishInitialisations(into, a.knowledge, x)
                  const fenced = fencedWithin(d, x, near ? 1 : 2)
                  if (fenced !== undefined) join(into, fenced)
                }
              },
      })
      return
  }
}

/** The phase asks for one arrival more, by cp.async's arrive: that one is on its way. */
const ask = (c: Context, b: BarrierState, e: BarrierEvent): void => {
  if (b.pending + e.count > limit) {
    file(c.report, keyOf(`B2|${String(e.barrier)}`, e.stamp, undefined), () =>
      draft(
        'B2',
        'E',
        `${barrierName(c.header, e.barrier)}: ${String(b.pending)} arrivals are pending and ${String(e.count)} more were added: a phase has at most ${String(limit)}`,
        [ofBarrier(e.barrier)],
        actor(e.stamp, 'asks for an arrival'),
      ),
    )
    return
  }
  b.pending += e.count
  c.agents[e.stamp.agent]!.increment = e.stamp.at
  b.increments[e.stamp.agent] = e.stamp
  barrierEvent(c, b, {
    clock: programOf(e.stamp.agent),
    at: e.stamp.at,
    counted: 0,
    offset: false,
    bytes: 0,
    knowledge: told(c.agents[e.stamp.agent]!),
    firm: false,
    stamp: e.stamp,
    does: 'asks for an arrival',
    publish: publishesNothing,
  })
}

export const wait = (d: Detector, e: Wait): void => {
  const c = d.context
  const b = d.barriers[e.barrier]!
  const a = c.agents[e.stamp.agent]!
  const isClosed = ((b.number - b.base) & 1) === e.parity
  if (b.quiet !== null)
    lookedAt(
      b.quiet,
      e.stamp,
      b.number,
      unknownEvent(b.current, b.number, a.knowledge, e.stamp, -1, false) === undefined,
    )
  if (e.peek !== undefined && e.outcome !== 'blocked') {
    const isPeek = e.peek === e.stamp.at
    if (isPeek && e.outcome === 'passed' && b.live && isClosed)
      malformed(d, `${where(c.header, e.stamp)} is true of a parity that blocks`)
    if ((isPeek ? peeked(c, b, a, e) : spared(c, b, e)) === 'observes') observed(d, b, a, e)
    else tick(c, e.stamp)
    return
  }
  switch (e.outcome) {
    case 'skipped':
    case 'tested':
      tick(c, e.stamp)
      return
    case 'blocked':
      tick(c, e.stamp)
      d.blocked.push({
        stamp: e.stamp,
        barrier: e.barrier,
        parity: e.parity,
        named: undefined,
        family: undefined,
        lacking: undefined,
      })
      if (b.live && !isClosed) malformed(d, `${where(c.header, e.stamp)} is blocked on a parity that passes`)
      return
    case 'passed':
      observed(d, b, a, e)
      return
  }
}

/** A wait that passes, or a peek that is judged as one. */
const observed = (d: Detector, b: BarrierState, a: AgentState, e: Wait): void => {
  const c = d.context
  const live = checkLive(c, b, e.stamp, a.knowledge, `waits for ${barrierName(c.header, e.barrier)}`)
  if (live && ((b.number - b.base) & 1) === e.parity)
    malformed(d, `${where(c.header, e.stamp)} passes on a parity that blocks`)
  const generation = observeWait(c, b, a, e.stamp, e.acquire, e.scope, e.tensor)
  if (!e.acquire && b.last !== undefined) {
    keepForFence(d, e.stamp.agent, 1, b.last.message)
    if (b.last.far !== null && e.scope !== 'cta') keepForFence(d, e.stamp.agent, 2, b.last.far)
  }
  a.lastWait = e.barrier
  a.lastObserved = generation - b.base
  Digest.ofAgent(c.digest, e.stamp.agent, 6 + e.barrier * 8, e.stamp.at, generation, e.acquire ? 1 : 0)
}
