/**
 * What is asked aside: of an agent as it would be behind an event that the log has not come to, and may never.
 *
 *     what could lane 3 find now?        its lanes have met since their last event, and this lane would act: so much is told to the detector, and taken back
 *
 * Law 1. Behind `aside` the detector goes on as if it had not been asked.
 */
import { copy } from './knowledge.js'
import { copyOf } from './sparse.js'
import type { Detector } from './state.js'
import { strandsOf, type Strand } from './strands.js'

/** Reaches of a fence. */
const reaches = [1, 2, 3] as const

/** What `ask` finds, whatever it tells of this agent: where its lanes meet, and that they act. */
export const aside = <A>(d: Detector, agent: number, ask: () => A): A => {
  const a = d.context.agents[agent]!
  const { knowledge, published, received, strands, acting, arrived } = a
  const { shown, fenced, pending, awaited } = d.strong
  const kept = [fenced, pending, awaited].map((all) => reaches.map((r) => all.get(agent * 4 + r)))
  const shownBefore = shown.get(agent)
  const twin = (s: Strand): Strand => ({
    lanes: s.lanes,
    knowledge: copy(s.knowledge),
    published: copyOf(s.published),
    received: copyOf(s.received),
  })
  const twins = strandsOf(a).map(twin)
  const acts = strands?.findIndex((s) => s.knowledge === knowledge) ?? 0
  // those who act may know together what no strand is alone
  const own = twins[acts] ?? twin({ lanes: acting, knowledge, published, received })
  a.strands = strands === null ? null : twins
  a.knowledge = own.knowledge
  a.published = own.published
  a.received = own.received
  a.arrived = arrived === null ? null : copy(arrived)
  try {
    return ask()
  } finally {
    a.strands = strands
    a.knowledge = knowledge
    a.published = published
    a.received = received
    a.acting = acting
    a.arrived = arrived
    putBack(shown, agent, shownBefore)
    for (const [i, all] of [fenced, pending, awaited].entries())
      for (const [k, r] of reaches.entries()) putBack<unknown>(all, agent * 4 + r, kept[i]![k])
  }
}

const putBack = <V>(all: Map<number, V>, key: number, before: V | undefined): void => {
  if (before === undefined) all.delete(key)
  else all.set(key, before)
}
