/**
 * Meetings of lanes and of agents, for fence.sc: what one of them knew at such a fence, or has read, the others hand on.
 *
 *     lane 0: fence.sc     bar.warp.sync     lane 1: store c (relaxed)      lane 1 tells what lane 0 knew at its fence, to a fence.sc only
 *
 * Causality passes through a barrier, and a fence.sc before the barrier is in the one order of all fence.sc. Without this module a run would be allowed in which the
 * fence of the reader comes first, and what it reads comes after its reading. Programs without fence.sc pay nothing: `sequential` is false, and each function returns.
 *
 * Laws
 * 1. Only fence.sc takes over what was handed on.
 * 2. Who has not come to the meeting hands on nothing and is handed nothing.
 */
import type { Reach } from '../../log/reach.js'
import { copy, join, nothing, type Knowledge } from './knowledge.js'
import type { Detector } from './state.js'
import { handed, type Fenced, type Strong } from './strong-state.js'
import { show, fencedWithin, knownTo } from './strong-fences.js'
import { slot, keep } from './strong-heard.js'

/**
 * Lanes have met: what one of them knew at a fence.sc the others hand on, and so they do what one has read. Two fences that are fence.sc are in one order: that of the reader
 * cannot be the first of the two, or what is read would come after its reading.
 */
export const meetStrong = (s: Strong, agent: number, lanes: number): void => {
  if (!s.sequential) return
  const known = s.shown.get(agent)?.filter((one) => (one.lanes & lanes) !== 0) ?? []
  if (known.some((one) => (lanes & ~one.lanes) !== 0))
    show(
      s,
      agent,
      lanes,
      known.reduce((k, one) => (join(k, one.knowledge), k), copy(known[0]!.knowledge)),
    )
  for (let r = 1; r <= 3; r++) {
    const key = slot(agent, r)
    for (const kept of [s.pending, s.awaited]) {
      const all = kept.get(key)
      if (all !== undefined)
        kept.set(
          key,
          all.map((one) =>
            one.sequential && (one.lanes & lanes) !== 0
              ? { lanes: one.lanes | lanes, knowledge: one.knowledge, sequential: true }
              : one,
          ),
        )
    }
    const fenced = s.fenced.get(key)
    if (fenced !== undefined)
      s.fenced.set(key, joined(fenced.flatMap((f) => (f.sequential ? metIn(agent, f, lanes) : [f]))))
  }
}

/** Of what the same lanes hand on one entry. */
const joined = (all: ReadonlyArray<Fenced>): ReadonlyArray<Fenced> => {
  const out: Fenced[] = []
  for (const f of all) {
    const same = out.findIndex((x) => isHandedOn(x) && isHandedOn(f) && x.lanes === f.lanes)
    if (same < 0) {
      out.push(f)
      continue
    }
    const knowledge = copy(out[same]!.knowledge)
    join(knowledge, f.knowledge)
    out[same] = { lanes: f.lanes, knowledge, together: null, sequential: true }
  }
  return out
}
const isHandedOn = (f: Fenced): boolean => f.sequential && f.together === null

// ---------------------------------------------------------------- what a barrier of the CTA hands on

/** What lanes hand on to all who leave a barrier. */
export const handOn = (d: Detector, agent: number, meeting: string): void => {
  const s = d.strong
  if (!s.sequential) return
  const { acting } = d.context.agents[agent]!
  const to = s.handed.get(meeting) ?? handed()
  s.handed.set(meeting, to)
  for (const r of [1, 2, 3] as const) {
    const key = slot(agent, r)
    const known = fencedWithin(d, agent, r, true)
    if (known !== undefined) add(to.fenced, r, known)
    for (const [kept, into] of [
      [s.pending, to.pending],
      [s.awaited, to.awaited],
    ] as const)
      for (const one of kept.get(key) ?? [])
        if (one.sequential && (one.lanes & acting) !== 0) add(into, r, one.knowledge)
  }
  for (const one of s.shown.get(agent) ?? [])
    if ((one.lanes & acting) !== 0) join((to.shown ??= nothing()), one.knowledge)
}

const add = (into: Map<Reach, Knowledge>, reach: Reach, message: Knowledge): void => {
  const k = into.get(reach) ?? nothing()
  join(k, message)
  into.set(reach, k)
}

/** What those who have come to it have handed on. */
export const takeOn = (d: Detector, agent: number, meeting: string): void => {
  const s = d.strong
  const from = s.handed.get(meeting)
  if (from === undefined) return
  const { acting } = d.context.agents[agent]!
  if (from.shown !== null) show(s, agent, acting, copy(from.shown))
  for (const [r, knowledge] of from.fenced) {
    const key = slot(agent, r)
    s.fenced.set(
      key,
      joined([
        ...(s.fenced.get(key) ?? []),
        { lanes: acting, knowledge: copy(knowledge), together: null, sequential: true },
      ]),
    )
  }
  for (const [r, message] of from.pending) keep(s.pending, slot(agent, r), acting, message, true)
  for (const [r, message] of from.awaited) keep(s.awaited, slot(agent, r), acting, message, true)
}

/** The same once these lanes have met: they tell what each of them fenced, and nothing of those that have not come. */
const metIn = (agent: number, f: Fenced, lanes: number): ReadonlyArray<Fenced> => {
  const [came, others] = [f.lanes & lanes, f.lanes & ~lanes]
  if (came === 0) return [f]
  if (f.together === null)
    return [{ lanes: f.lanes | lanes, knowledge: f.knowledge, together: null, sequential: true }]
  const met: Fenced = { lanes, knowledge: knownTo(agent, f, others), together: null, sequential: true }
  return others === 0
    ? [met]
    : [met, { lanes: others, knowledge: knownTo(agent, f, came), together: f.together, sequential: true }]
}
