/**
 * The search of one wave: depth first, a state at a time.
 *
 * A state is a machine and its views. Opening it asks what is wrong in it (two conflicting accesses on offer, a CTA that has ended too early) and
 * which of its events are to be followed; following one asks what is wrong with the event (`views.ts`). The path is the witness.
 *
 * | in a state                                  | then                                                              |
 * |---------------------------------------------|-------------------------------------------------------------------|
 * | its key is known                            | back                                                              |
 * | an access has no place yet                  | the search ends: it begins again with more places                  |
 * | one event is enough and is owed to a CTA    | it is followed; then the state once more, with that event frozen  |
 * | an event ends the path (a fault, an arrival too many) | all others of the state are followed too                |
 *
 * What is frozen is never taken. In that part only one question is asked: have CTAs ended? Once they have they stay so, and to find that out fewer
 * events are enough.
 */
import type { LogEvent } from '../../log/events.js'
import { nextWave } from '../../machine/launch.js'
import type { Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import {
  finished,
  offered,
  together,
  sameKey,
  showKey,
  take,
  type EventKey,
  type Offered,
} from '../../execution/step.js'
import { atomicTogether, ctasOf } from '../../execution/event-effects.js'
import { lanesGoAhead } from './ahead.js'
import { claim, future, mapFuture, noteAll, touchesOf, type Claim, type Future } from './claims.js'
import { leftIn, showLeft, type Remnant } from './ends.js'
import { keySet, names, stateKey, type KeySet, type Names, type Where } from './key.js'
import type { Bound, ExploreOptions, Found, Kind } from './model.js'
import { meet, places, type Places, type Seen } from './places.js'
import { conflict, reduction, type Reduce } from './reduction.js'
import { follow, start, type ViewFault, type Views } from './views.js'

// ---------------------------------------------------------------- model

/** One search, under way. */
export interface Search {
  readonly world: World
  readonly options: ExploreOptions
  readonly places: Places
  readonly future: Future<Claim>
  readonly reduce: Reduce
  readonly seen: Seen
  readonly keys: KeySet
  readonly names: Names
  readonly where: Where
  /** of the waves before */
  readonly prefix: ReadonlyArray<EventKey>
  readonly known: Set<string>
  readonly found: Found[]
  /** ways to end */
  /** by their text */
  readonly ends: Map<string, ReadonlyArray<Remnant>>
  transitions: number
  bound: Bound | null
  /** a footprint that has no mask: the search begins again with more places */
  news: boolean
  /** a machine at the end of the wave, and the schedule that leads to it */
  end: Machine | null
  endPath: ReadonlyArray<EventKey> | null
  /** lanes could have gone ahead of others of their warp, and were not followed so (`ahead.ts`) */
  ahead: boolean
  /** control depends on data */
  data: string | null
  /** who releases or acquires by a word of memory: no other warp hears of one that is alone (`tellsByWords`) */
  readonly tellers: Set<number>
  /** words of memory tell what was done before: an event that views know nothing of */
  words: boolean
}

/** A state on the path, and what of it is still to be followed. */
interface Visit {
  readonly machine: Machine
  readonly views: Views
  readonly events: ReadonlyArray<Offered>
  /** indices of events, and those to be followed without (an event frozen) after them */
  todo: ReadonlyArray<number>
  next: number
  readonly frozen: EventKey | null
  freezes: EventKey | null
  /** an event of it was taken and did not end the path */
  moved: boolean
}

const report = (
  s: Search,
  path: ReadonlyArray<EventKey>,
  kind: Kind,
  text: string,
  events: ReadonlyArray<EventKey>,
): void => {
  const name = `${kind} ${events.map(showKey).sort().join(' ')}`
  if (s.known.has(name)) return
  s.known.add(name)
  s.found.push({ kind, text, events, schedule: [...s.prefix, ...path] })
}

const hasEnded = (m: Machine, cta: number, perCta: number): boolean => {
  for (let x = cta * perCta; x < (cta + 1) * perCta; x++) if (m.agents[x]!.status === 'running') return false
  return true
}

const barrierCta = (s: Search, b: number): number => s.world.header.barriers[b]!.cta
const planeCta = (s: Search, plane: number): number | null => {
  const { space, cta } = s.world.header.planes[plane]!
  return cta === undefined || space === 'gmem' || space === 'regs' ? null : cta
}

/** CTAs that must be there for the event: all that an operation acts on, others than its own for an agent. */
const owedTo = (s: Search, o: Offered, c: Claim): ReadonlyArray<number> => {
  if (o.operation !== null) return ctasOf(s.world, o.operation)
  const own = Math.floor(o.key.agent / s.world.agentsPerCta)
  const ctas: number[] = []
  for (const x of c.counts) ctas.push(barrierCta(s, x.barrier))
  for (const t of c.touches)
    // a CTA of a pair may end when it has freed its own part
    if (t._tag === 'memory' && t.role !== 'frees') {
      const cta = planeCta(s, t.footprint.plane)
      if (cta !== null) ctas.push(cta)
    }
  return ctas.filter((cta) => cta !== own)
}

/** Operations and agents that act on a CTA which is not there any more. */
const exits = (
  s: Search,
  m: Machine,
  path: ReadonlyArray<EventKey>,
  events: ReadonlyArray<Offered>,
  claims: ReadonlyArray<Claim>,
): void => {
  const perCta = s.world.agentsPerCta
  let any = false
  for (let cta = 0; cta < s.world.header.ctas && !any; cta++) any = hasEnded(m, cta, perCta)
  if (!any) return
  for (const f of m.inFlight)
    for (const cta of ctasOf(s.world, f))
      if (hasEnded(m, cta, perCta)) {
        const key: EventKey = { agent: f.agent, at: f.at, stage: 'all', part: 0 }
        report(
          s,
          path,
          'exit',
          `U2: ${f._tag} of ${showKey(key)} is open when CTA ${String(cta)} has ended`,
          [key],
        )
      }
  events.forEach((o, i) => {
    if (o.operation !== null) return
    for (const cta of owedTo(s, o, claims[i]!))
      if (hasEnded(m, cta, perCta))
        report(s, path, 'exit', `K1: ${showKey(o.key)} reaches CTA ${String(cta)}, which has ended`, [o.key])
  })
}

/** A conflict that is left when atomic accesses are taken as what they are. */
const plainly = (s: Search, a: Claim, agentA: number, b: Claim, agentB: number): boolean =>
  a.touches.some(
    (x) =>
      x._tag === 'memory' &&
      b.touches.some((y) => {
        if (y._tag !== 'memory' || (x.rw === 'r' && y.rw === 'r')) return false
        const [p, q] = [s.places.masks.get(x.footprint.id), s.places.masks.get(y.footprint.id)]
        return (
          p !== undefined && q !== undefined && meet(p, q) && !atomicTogether(s.world, x, agentA, y, agentB)
        )
      }),
  )

const contests = (s: Search, a: Claim, agentA: number, b: Claim, agentB: number): boolean => {
  // of two that free columns the second is refused, if they are the same
  if (a.frees && b.frees) return false
  if (conflict(a, b) && (!meet(a.atomics, b.atomics) || plainly(s, a, agentA, b, agentB))) return true
  const uses = (c: Claim, barrier: number): boolean =>
    c.counts.some((x) => x.barrier === barrier) ||
    c.asks.some((x) => x.barrier === barrier) ||
    c.lives.includes(barrier) ||
    c.under.includes(barrier)
  return a.ends.some((x) => uses(b, x)) || b.ends.some((x) => uses(a, x))
}

const races = (
  s: Search,
  path: ReadonlyArray<EventKey>,
  events: ReadonlyArray<Offered>,
  claims: ReadonlyArray<Claim>,
): void => {
  for (let i = 0; i < events.length; i++)
    for (let j = 0; j < i; j++)
      if (
        !claims[i]!.empty &&
        !claims[j]!.empty &&
        contests(s, claims[i]!, events[i]!.key.agent, claims[j]!, events[j]!.key.agent)
      )
        report(
          s,
          path,
          'race',
          `one state offers ${showKey(events[j]!.key)} and ${showKey(events[i]!.key)}`,
          [events[j]!.key, events[i]!.key],
        )
}

const isWaiting = (m: Machine): boolean => m.agents.some((a) => a.status === 'running')

/** Nothing is on offer, or nothing but arrivals that no barrier counts. */
const stuck = (s: Search, m: Machine, path: ReadonlyArray<EventKey>): void => {
  const waiting = m.agents.flatMap((a, agent): ReadonlyArray<EventKey> =>
    a.status === 'running' ? [{ agent, at: a.at, stage: 'agent', part: 0 }] : [],
  )
  report(s, path, 'deadlock', `nothing can move: ${waiting.map(showKey).join(', ')}`, waiting)
}

const terminal = (s: Search, m: Machine, path: ReadonlyArray<EventKey>): void => {
  if (!finished(m)) {
    stuck(s, m, path)
    return
  }
  const left = leftIn(s.world, m)
  s.ends.set(showLeft(left), left)
  if (s.end === null) {
    s.end = m
    s.endPath = [...path]
  }
  m.tensorMemory.forEach((t, cta) => {
    if (t.allocated.length > 0)
      report(s, path, 'exit', `T1: CTA ${String(cta)} has not freed its tensor memory`, [])
    if (t.outOfStep || t.ahead.length > 0)
      report(
        s,
        path,
        'exit',
        `T4: CTA ${String(cta)} and the other of its pair have taken different steps`,
        [],
      )
  })
}

/** The claims of what is offered; null if a footprint among them has no place. */
const claimsOf = (s: Search, m: Machine, events: ReadonlyArray<Offered>): ReadonlyArray<Claim> | null => {
  const out: Claim[] = []
  for (const o of events) {
    const entry = s.future.events[o.key.agent]![o.key.at]
    const listed =
      o.operation === null
        ? entry?.own
        : entry?.operations.find((x) => x.stage === o.key.stage && x.part === o.key.part)?.what
    // which columns a dealloc frees is known only now
    const known = listed?.changesTables === true ? undefined : listed
    if (known !== undefined) {
      out.push(known)
      continue
    }
    const touches = touchesOf(s.world, m, o)
    if (noteAll(s.seen, touches)) {
      s.news = true
      return null
    }
    out.push(claim(s.places, touches))
  }
  return out
}

const kindOf = (f: ViewFault): Kind => {
  switch (f) {
    case 'visibility':
    case 'unwritten':
    case 'lifecycle':
    case 'overrun':
      return f
    case 'unobserved':
      return 'exit'
  }
}

/** Opens a state: what is wrong in it, and what is to be followed. Null if it is known, or nothing more is to be done there. */
const visit = (
  s: Search,
  m: Machine,
  v: Views,
  path: ReadonlyArray<EventKey>,
  frozen: EventKey | null,
): Visit | null => {
  if (!s.keys.add(stateKey(s.names, s.where, m, v, frozen))) return null
  const all = together(offered(s.world, m))
  const events = frozen === null ? all : all.filter((o) => !sameKey(o.key, frozen))
  const claims = claimsOf(s, m, events)
  if (claims === null) return null
  if (frozen === null) {
    races(s, path, events, claims)
    exits(s, m, path, events, claims)
    s.ahead ||= lanesGoAhead(s.world, m, (touches) => {
      s.news ||= noteAll(s.seen, touches)
      return claim(s.places, touches)
    })
    if (s.news) return null
  } else {
    const withFrozen = claimsOf(s, m, all)
    if (withFrozen !== null) exits(s, m, path, all, withFrozen)
  }
  if (events.length === 0) {
    if (frozen === null) terminal(s, m, path)
    return null
  }
  const todo = s.options.reduced ? s.reduce(m, events, claims, frozen) : events.map((_, i) => i)
  const only = todo.length === 1 && todo.length < events.length ? todo[0]! : -1
  const freezes =
    frozen === null && only >= 0 && owedTo(s, events[only]!, claims[only]!).length > 0
      ? events[only]!.key
      : null
  return { machine: m, views: v, events, todo, next: 0, frozen, freezes, moved: false }
}

interface Next {
  readonly machine: Machine
  readonly views: Views
}

/**
 * Releases, acquires and fences of memory, as programs of warps have them: orders of what they decide are followed elsewhere (`outcomes/`), by the detector. By accesses one agent tells
 * another only if the one releases and the other acquires; so while a single agent does either, its accesses are strong ones and no more. Bits do not say who has released a
 * tensor map: of a fence of maps that does not reach all agents the orders are followed there, too.
 */
const tellsByWords = (s: Search, e: LogEvent): boolean => {
  if (e._tag === 'fence' && (e.kind === 'tensormap' || e.kind === 'tensormapAcquire')) {
    const { ctas, resident } = s.world.header
    return (e.scope === 'cta' && ctas > 1) || (e.scope === 'cluster' && (resident ?? 1) > 1)
  }
  if (e._tag !== 'access') return e._tag === 'fence' && e.kind === 'memory'
  if (e.acquires === true || e.releases === true) s.tellers.add(e.stamp.agent)
  return s.tellers.size > 1
}

/** An event that ends its path: the machine refuses it, or goes on from it as if it had not been. */
type Ending = 'fault' | 'trap'

/** Takes an event, the last of the path, and says what is wrong with it. */
const takeEvent = (
  s: Search,
  path: ReadonlyArray<EventKey>,
  machine: Machine,
  views: Views,
  o: Offered,
): Next | Ending => {
  s.transitions++
  const done = take(s.world, machine, o)
  if ('kind' in done) {
    // a clock decides, or data that this algebra does not have: it may go on in any way
    if (done.code.startsWith('algebra.') || done.code === 'warp.unspecified') s.data = done.message
    report(s, path, 'fault', `${done.code}: ${done.message}`, [o.key])
    return 'fault'
  }
  if (done.events.some((e) => tellsByWords(s, e))) {
    s.words = true
    return 'trap'
  }
  const after = follow(s.world, s.places, views, machine, done.machine, done.events)
  let ends = false
  for (const f of after.faults) {
    report(s, path, kindOf(f), `${f} at ${showKey(o.key)}`, [o.key])
    ends ||= f === 'overrun' || f === 'lifecycle'
  }
  return ends ? 'trap' : { machine: done.machine, views: after.views }
}

const search = (s: Search, first: Machine): void => {
  const path: EventKey[] = []
  const stack: Visit[] = []
  const open = (m: Machine, v: Views, frozen: EventKey | null): boolean => {
    const made = visit(s, m, v, path, frozen)
    if (made === null) return false
    stack.push(made)
    return true
  }
  open(first, start(s.world, s.places), null)
  while (stack.length > 0) {
    if (s.news || s.words || s.data !== null || (s.options.stop && s.found.length > 0)) return
    if (s.keys.size() > s.options.states) {
      s.bound = 'states'
      return
    }
    const here = stack[stack.length - 1]!
    const i = here.todo[here.next]
    if (i === undefined) {
      const { freezes } = here
      if (!here.moved && here.frozen === null && isWaiting(here.machine)) stuck(s, here.machine, path)
      // the same state once more, without the event; it takes the place of this one
      stack.pop()
      if (freezes !== null && open(here.machine, here.views, freezes)) continue
      path.pop()
      continue
    }
    here.next++
    const o = here.events[i]!
    path.push(o.key)
    const next = takeEvent(s, path, here.machine, here.views, o)
    const ended = typeof next === 'string'
    here.moved ||= next !== 'trap'
    if (!ended) {
      if (path.length > s.options.depth) s.bound = 'depth'
      else if (open(next.machine, next.views, here.frozen)) continue
    }
    path.pop()
    // where the path ends nothing else has been shown to be superfluous
    if (ended && here.todo.length < here.events.length) {
      const rest = here.events.flatMap((_, k) => (here.todo.includes(k) ? [] : [k]))
      here.todo = [...here.todo, ...rest]
      here.freezes = null
    }
  }
}

/** The schedule, and no other, as far as it goes: what is wrong in its states and with its events. */
const trail = (s: Search, first: Machine, schedule: ReadonlyArray<EventKey>): void => {
  const path: EventKey[] = []
  let m = first
  let v = start(s.world, s.places)
  for (;;) {
    const events = offered(s.world, m)
    const claims = claimsOf(s, m, events)
    if (claims === null) return
    races(s, path, events, claims)
    exits(s, m, path, events, claims)
    if (events.length === 0) {
      terminal(s, m, path)
      return
    }
    const key = schedule[path.length]
    const o = key === undefined ? undefined : events.find((e) => sameKey(e.key, key))
    if (o === undefined) return
    const next = takeEvent(s, path, m, v, o)
    path.push(o.key)
    if (typeof next === 'string') return
    m = next.machine
    v = next.views
  }
}

// ---------------------------------------------------------------- begin, and begin again

/** How often a search may begin again because it has met new places. */
const mostRestarts = 1000

const searching = (
  world: World,
  machine: Machine,
  options: ExploreOptions,
  prefix: ReadonlyArray<EventKey>,
  how: (s: Search, first: Machine) => void,
): Search => {
  const touched = future(world, machine)
  const seen: Seen = new Map()
  mapFuture(touched, (t) => noteAll(seen, t))
  for (let k = 0; ; k++) {
    const where = places(world.header, seen)
    const claims = mapFuture(touched, (t) => claim(where, t))
    const s: Search = {
      world,
      options,
      places: where,
      future: claims,
      reduce: reduction(world, claims),
      seen,
      keys: keySet(),
      names: names(),
      where: world.front.timed ? world.front.where : null,
      prefix,
      known: new Set(),
      found: [],
      ends: new Map(),
      transitions: 0,
      bound: null,
      news: false,
      end: null,
      endPath: null,
      ahead: false,
      data: null,
      tellers: new Set(),
      words: false,
    }
    how(s, machine)
    if (!s.news || k >= mostRestarts) return s
  }
}

/** All schedules of a wave. */
export const searchWave = (
  world: World,
  machine: Machine,
  options: ExploreOptions,
  prefix: ReadonlyArray<EventKey>,
): Search => searching(world, machine, options, prefix, search)

/** One schedule of a wave. */
export const followWave = (
  world: World,
  machine: Machine,
  options: ExploreOptions,
  prefix: ReadonlyArray<EventKey>,
  schedule: ReadonlyArray<EventKey>,
): Search =>
  searching(world, machine, options, prefix, (s, first) => {
    trail(s, first, schedule)
  })

/** The next wave, if this one has come to its end. */
export const following = (s: Search): Machine | null => (s.end === null ? null : nextWave(s.world, s.end))
