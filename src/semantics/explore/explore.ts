/**
 * Explore: every schedule of a program, by a search of the machine's states.
 *
 * Depth first over the real machine, under the algebra with one value: what a program does to barriers, groups, queues and fences does not
 * depend on data, unless its control does, and then the search is refused. Two states with equal keys are one (`key.ts`), and of the
 * events on offer only as many are followed as are enough (`reduction.ts`). Each finding carries the schedule that leads to it.
 *
 *     t0: arrive b; wait b 0          start -> arrive -> wait (t0)   end
 *     t1: wait b 0                              |
 *                                               -> wait (t1) ...     the waits commute: one of them is enough
 *
 * | kind       | found when                                                                                     | ids        |
 * |------------|------------------------------------------------------------------------------------------------|------------|
 * | deadlock   | nothing is offered and somebody is not at the end                                                | B5, B6, B4 |
 * | fault      | an event faults: what a check of the instruction refuses                                         | T2, T3, I2 ... |
 * | overrun    | an mbarrier is reached by an arrival that it does not count                                      | B2         |
 * | lifecycle  | an mbarrier is used before its initialisation or after it was given up, or its bytes are         | B7         |
 * | race       | one state offers two conflicting accesses, or a use of an mbarrier and its init or inval          | D, R, W, M1-M3 |
 * | visibility | an access whose view does not show the last write                                                | P, M4, M8, V1 |
 * | unwritten  | a read of what nobody has written                                                                | I1, M6     |
 * | exit       | a CTA has ended and an operation on its memory or barriers is open (U2), or is arrived at (K1); columns are left (T1); a barrier's bytes are used again with completions unobserved (U1) | U2, K1, T1, U1 |
 *
 * Why views and not the detector along each path: what a detector knows is a history, and hardly two schedules have the same one; and
 * what it infers from missing order is only a candidate where generations are ambiguous, which is where a search is asked for. Bits
 * are part of the state. They say what the smallest reading of the model says, and `naive/explore.ts` says the same on skeletons.
 *
 * Ends of CTAs. "The CTA can end before the operation has" is about leaving an event out for as long as possible, which a reduced
 * search does not try. So where one event is enough and it is owed to a CTA, the search also goes on without it (*frozen*) until
 * nothing else can move, and looks whether the CTA has ended.
 *
 * What is left to the one run: contracts (B8, M5), outputs that nobody writes (O1), what one cluster does to another (D3), and results. None of
 * them depends on the schedule. Waves of clusters are searched one after another.
 *
 * Laws
 * 1. `reduced: false` finds the same kinds.
 * 2. The schedule of a finding replays to it.
 * 3. A search that says complete has followed every schedule; one that does not says which bound it has reached.
 * 4. On the programs of skeletons the kinds are those of `naive/explore.ts`.
 *
 * Names: explicit-state model checking with partial-order reduction; Tier B.
 * Source: PTX ISA, memory consistency model; docs/hazards.md, the theorem.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { unit } from '../../numerics/unit.js'
import { launch, nextWave, type Arguments, type Launched } from '../launch.js'
import type { Machine } from '../machine/state.js'
import type { World } from '../machine/world.js'
import type { Program } from '../program.js'
import { finished, offered, sameKey, showKey, take, type EventKey, type Offered } from '../step.js'
import { ctasOf } from '../touches.js'
import { claim, future, mapFuture, noteAll, touchesOf, type Claim, type Future } from './claims.js'
import { keySet, names, stateKey, type KeySet } from './key.js'
import { places, type Places, type Seen } from './places.js'
import { conflict, reduction, type Reduce } from './reduction.js'
import { follow, start, type ViewFault, type Views } from './views.js'

// ---------------------------------------------------------------- model

export interface ExploreOptions {
  readonly arguments: Arguments
  /** most states, of all clusters together */
  readonly states: number
  /** longest schedule of a cluster */
  readonly depth: number
  /** follow only events that are enough */
  readonly reduced: boolean
  /** end at the first finding; what else there is stays unknown */
  readonly stop: boolean
}

export type Kind =
  'deadlock' | 'fault' | 'overrun' | 'lifecycle' | 'race' | 'visibility' | 'unwritten' | 'exit'
export const kinds: ReadonlyArray<Kind> = [
  'deadlock',
  'fault',
  'overrun',
  'lifecycle',
  'race',
  'visibility',
  'unwritten',
  'exit',
]

export interface Found {
  readonly kind: Kind
  /** one line: which events */
  readonly text: string
  /** the events at fault: two of a race, none of a deadlock */
  readonly events: ReadonlyArray<EventKey>
  /** replays to it, under `recorded` */
  readonly schedule: ReadonlyArray<EventKey>
}

export type Bound = 'states' | 'depth'

export interface Exploration {
  /** the first of each kind and events */
  readonly found: ReadonlyArray<Found>
  readonly clean: boolean
  /** every schedule has been followed */
  readonly complete: boolean
  readonly bound: Bound | null
  readonly states: number
  readonly transitions: number
  readonly waves: number
}

export type ExploreError = Failure<'explore.data'>

// ---------------------------------------------------------------- one cluster

/** The search of one cluster. */
interface Search {
  readonly world: World
  readonly options: ExploreOptions
  readonly places: Places
  readonly future: Future<Claim>
  readonly reduce: Reduce
  readonly seen: Seen
  readonly keys: KeySet
  readonly names: ReturnType<typeof names>
  readonly timed: boolean
  /** of the clusters before */
  readonly prefix: ReadonlyArray<EventKey>
  readonly known: Set<string>
  readonly found: Found[]
  transitions: number
  bound: Bound | null
  /** a footprint that has no mask: the search begins again with more places */
  news: boolean
  /** a machine at the end of the cluster, and the schedule that leads to it */
  end: Machine | null
  endPath: ReadonlyArray<EventKey> | null
  /** control depends on data */
  data: string | null
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
    if (t._tag === 'memory') {
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

const together = (a: Claim, b: Claim): boolean => {
  // two atomics, and nothing else, on what both touch
  for (let k = 0; k < a.reads.length; k++) {
    const both = (a.reads[k]! | a.writes[k]!) & (b.reads[k]! | b.writes[k]!)
    if ((both & ~(a.atomics[k]! & b.atomics[k]!)) !== 0) return false
  }
  return true
}

const contests = (a: Claim, b: Claim): boolean => {
  if ((a.frees && b.loads) || (a.loads && b.frees)) return false
  if (conflict(a, b) && !together(a, b)) return true
  const uses = (c: Claim, barrier: number): boolean =>
    c.counts.some((x) => x.barrier === barrier) ||
    c.asks.some((x) => x.barrier === barrier) ||
    c.lives.includes(barrier) ||
    c.under.includes(barrier)
  return a.lives.some((x) => uses(b, x)) || b.lives.some((x) => uses(a, x))
}

const races = (
  s: Search,
  path: ReadonlyArray<EventKey>,
  events: ReadonlyArray<Offered>,
  claims: ReadonlyArray<Claim>,
): void => {
  for (let i = 0; i < events.length; i++)
    for (let j = 0; j < i; j++)
      if (!claims[i]!.empty && !claims[j]!.empty && contests(claims[i]!, claims[j]!))
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
  if (s.end === null) {
    s.end = m
    s.endPath = [...path]
  }
  m.tensorMemory.forEach((t, cta) => {
    if (t.allocated.length > 0)
      report(s, path, 'exit', `T1: CTA ${String(cta)} has not freed its tensor memory`, [])
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
  if (!s.keys.add(stateKey(s.names, s.timed, m, v, frozen))) return null
  const all = offered(s.world, m)
  const events = frozen === null ? all : all.filter((o) => !sameKey(o.key, frozen))
  const claims = claimsOf(s, m, events)
  if (claims === null) return null
  if (frozen === null) {
    races(s, path, events, claims)
    exits(s, m, path, events, claims)
  } else if (events.length === 0) {
    const rest = claimsOf(s, m, all)
    if (rest !== null) exits(s, m, path, all, rest)
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
    if (s.news || s.data !== null || (s.options.stop && s.found.length > 0)) return
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
    s.transitions++
    const done = take(s.world, here.machine, o)
    path.push(o.key)
    let ended = false
    if ('kind' in done) {
      if (done.code.startsWith('algebra.')) s.data = done.message
      report(s, path, 'fault', `${done.code}: ${done.message}`, [o.key])
      ended = true
      here.moved = true
    } else {
      const after = follow(s.world, s.places, here.views, here.machine, done.machine, done.events)
      for (const f of after.faults) {
        report(s, path, kindOf(f), `${f} at ${showKey(o.key)}`, [o.key])
        if (f === 'overrun' || f === 'lifecycle') ended = true
      }
      if (!ended) {
        here.moved = true
        if (path.length > s.options.depth) s.bound = 'depth'
        else if (open(done.machine, after.views, here.frozen)) continue
      }
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

/** How often a search may begin again because it has met new places. */
const mostRestarts = 1000

const searchCluster = (
  launched: Launched,
  options: ExploreOptions,
  prefix: ReadonlyArray<EventKey>,
): Search => {
  const { world, machine } = launched
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
      timed: world.header.nondeterminism.length > 0,
      prefix,
      known: new Set(),
      found: [],
      transitions: 0,
      bound: null,
      news: false,
      end: null,
      endPath: null,
      data: null,
    }
    search(s, machine)
    if (!s.news || k >= mostRestarts) return s
  }
}

// ---------------------------------------------------------------- the grid

export const defaultExplore: Omit<ExploreOptions, 'arguments'> = {
  states: 200_000,
  depth: 100_000,
  reduced: true,
  stop: true,
}

/** All schedules of what is launched; it must have been launched under `unit`. */
export const exploreLaunched = (
  launched: Launched,
  options: ExploreOptions,
): E.Either<ExploreError, Exploration> => {
  const found: Found[] = []
  let states = 0
  let transitions = 0
  let waves = 0
  let bound: Bound | null = null
  let prefix: ReadonlyArray<EventKey> = []
  for (let next: Machine | null = launched.machine; next !== null;) {
    const s = searchCluster(
      { world: launched.world, machine: next },
      {
        arguments: options.arguments,
        states: options.states - states,
        depth: options.depth,
        reduced: options.reduced,
        stop: options.stop,
      },
      prefix,
    )
    if (s.data !== null)
      return refuse(
        'explore.data',
        `control depends on data, which a search of schedules does not keep: ${s.data}`,
      )
    found.push(...s.found)
    states += s.keys.size()
    transitions += s.transitions
    waves++
    bound = s.bound
    next =
      s.end === null || bound !== null || (options.stop && found.length > 0)
        ? null
        : nextWave(launched.world, s.end)
    prefix = s.endPath === null ? prefix : [...prefix, ...s.endPath]
  }
  const clean = found.length === 0
  return E.right({
    found,
    clean,
    complete: bound === null && (clean || !options.stop),
    bound,
    states,
    transitions,
    waves,
  })
}

/** All schedules of a program. Refuses what cannot be launched, and control that depends on data. */
export const explore = (program: Program, options: ExploreOptions): E.Either<Failure, Exploration> => {
  const launched = launch(program, unit, options.arguments)
  return E.isLeft(launched) ? launched : exploreLaunched(launched.right, options)
}
