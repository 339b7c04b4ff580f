/**
 * Reduction: the events that are enough.
 *
 * A set T of the events on offer is *enough* if nothing that the others can do before one of T happens depends on T. Then every schedule has
 * an equivalent one that begins with an event of T, and the rest need not be tried here. The sets are found by closing a set P of
 * processes (agents, operations in flight), beginning with one that can move:
 *
 *     p in P can move         what can, without P, come to do something that depends on p's event joins P
 *     p in P cannot move      what can, without P, come to let it move joins P
 *
 * and T is what P can do now. What the others can come to do is their *reach*: their lists of events (`claims.ts`) up to a wait that
 * cannot pass as long as P stands still, because arrivals or bytes are missing that only P has. It is the least fixpoint, and it errs
 * upwards: a phase that could end counts as one that could end any number of times.
 *
 *     producer     issue load x -> full        load      write x; signal full -16
 *     consumer     wait full 0; read x
 *
 *     load: the write of x.  P = {load}.  The consumer's next wait asks for bytes that only the load has, so it reaches nothing: T = {write x}
 *     without the wait the consumer reaches `read x`, joins P, and T = {write x, read x}: both orders are tried
 *
 * | two events                     | depend on one another unless                                                   |
 * |--------------------------------|--------------------------------------------------------------------------------|
 * | accesses                       | both read, or their places are disjoint                                        |
 * | counts of an mbarrier          | all that are in reach fit into the phase under way, and cannot end it by themselves |
 * | a count and a wait             | the count cannot end the phase, or the wait waits for its end                  |
 * | arrivals at a named barrier    | all that are in reach fit into the generation under way                        |
 * | allocations, uses of columns, tensor maps | both are uses, or of another CTA                                    |
 * | init, inval, drop              | another barrier                                                                |
 *
 * Laws
 * 1. A search that follows only T finds a deadlock, a fault, a contested state or a hazard of visibility iff the full search does.
 *    (That an operation outlives its CTA is found by leaving its event out: `explore.ts`.)
 *
 * Names: persistent sets (Godefroid), stubborn sets (Valmari); the reach is the conditional part.
 */
import type { Mbarrier } from '../../machine/mbarrier.js'
import type { Prepared } from '../../machine/operation.js'
import { withInFlight, type Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import { blocked, held, partOf, sameKey, stageOf, type EventKey, type Offered } from '../../execution/step.js'
import { isClusterPlace } from '../../instructions/rendezvous.js'
import { placeOf } from '../../machine/touches.js'
import { remaining, type Claim, type Count, type Future } from './claims.js'
import { meet } from './places.js'

// ---------------------------------------------------------------- model

/** What has a next event: an agent (its number) or an operation (agents + its index in flight). */
interface Process {
  readonly agent: number
  /** index in `inFlight`, -1 for an agent */
  readonly flight: number
  /** index in `offered`, -1 if it cannot move */
  readonly offered: number
  readonly next: Claim | null
}

/** What the processes outside of P can come to do. */
interface Reach {
  /** per process: its claims, or null if they can be anything */
  readonly of: ReadonlyArray<ReadonlyArray<Claim> | null>
  readonly arrivals: Int32Array
  readonly plus: Int32Array
  readonly minus: Int32Array
  readonly lives: Uint8Array
  readonly threads: Map<number, number>
}

export type Reduce = (
  m: Machine,
  offered: ReadonlyArray<Offered>,
  claims: ReadonlyArray<Claim>,
  frozen: EventKey | null,
) => ReadonlyArray<number>

// ---------------------------------------------------------------- independence

const named = (m: Machine, place: number): number =>
  m.named.find((n) => placeOf(n.cta, n.id) === place)?.arrived ?? 0

const barrierOf = (m: Machine, b: number): Mbarrier | null => m.barriers[b] ?? null

/** Can the phase under way end by what is in reach? */
const mayEnd = (m: Machine, r: Reach, b: number): boolean => {
  const s = barrierOf(m, b)
  if (r.lives[b] === 1) return true
  if (s === null) return false
  return r.arrivals[b]! >= s.pending && s.tx - r.minus[b]! <= 0 && s.tx + r.plus[b]! >= 0
}

/** Does a count of `b` meet others that are in reach? */
const countsMeet = (m: Machine, r: Reach, c: Count): boolean => {
  const s = barrierOf(m, c.barrier)
  if (s === null) return true
  const arrivals = r.arrivals[c.barrier]! + c.arrivals
  const bytes = r.plus[c.barrier]! > 0 || r.minus[c.barrier]! > 0
  return arrivals > s.pending || (arrivals === s.pending && bytes) || mayEnd(m, r, c.barrier)
}

/** Can this count, with what is in reach, end the phase under way? */
const endsWith = (m: Machine, r: Reach, c: Count): boolean => {
  const s = barrierOf(m, c.barrier)
  if (s === null) return true
  const tx = s.tx + c.bytes
  return (
    r.arrivals[c.barrier]! + c.arrivals >= s.pending &&
    tx - r.minus[c.barrier]! <= 0 &&
    tx + r.plus[c.barrier]! >= 0
  )
}

const passes = (m: Machine, barrier: number, parity: number): boolean => {
  const s = barrierOf(m, barrier)
  return s !== null && (s.completed & 1) !== parity
}

const touchesBarrier = (c: Claim, b: number): boolean =>
  c.counts.some((x) => x.barrier === b) ||
  c.asks.some((x) => x.barrier === b) ||
  c.lives.includes(b) ||
  c.under.includes(b)

/** Two claims of memory: one of them writes what the other touches. */
export const conflict = (a: Claim, b: Claim): boolean =>
  meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes)

/** Does the event `e`, which can happen now, depend on `f`, which is in reach? */
const depends = (m: Machine, r: Reach, e: Claim, f: Claim): boolean => {
  if (conflict(e, f)) return true
  if (e.lives.some((b) => touchesBarrier(f, b)) || f.lives.some((b) => touchesBarrier(e, b))) return true
  for (const c of e.counts) {
    if (f.counts.some((x) => x.barrier === c.barrier) && countsMeet(m, r, c)) return true
    if (
      f.asks.some((w) => w.barrier === c.barrier && (!w.blocks || passes(m, w.barrier, w.parity))) &&
      endsWith(m, r, c)
    )
      return true
  }
  for (const w of e.asks)
    if (f.counts.some((x) => x.barrier === w.barrier) && mayEnd(m, r, w.barrier)) return true
  for (const a of e.meets)
    if (
      f.meets.some((x) => x.place === a.place) &&
      (r.threads.get(a.place) ?? 0) + a.threads > a.count - named(m, a.place)
    )
      return true
  return (e.changesTables || f.changesTables) && e.tables.some((t) => f.tables.includes(t))
}

// ---------------------------------------------------------------- reach

const noted = (r: Reach, c: Claim): void => {
  for (const x of c.counts) {
    r.arrivals[x.barrier]! += x.arrivals
    if (x.bytes > 0) r.plus[x.barrier]! += x.bytes
    else r.minus[x.barrier]! -= x.bytes
  }
  for (const b of c.lives) r.lives[b] = 1
  for (const x of c.meets) r.threads.set(x.place, (r.threads.get(x.place) ?? 0) + x.threads)
}

type Blocking = Extract<Prepared, { readonly _tag: 'group.wait' }>
const groupWait = (p: Prepared): p is Blocking => p._tag === 'group.wait'

const reachOf = (
  world: World,
  m: Machine,
  future: Future<Claim>,
  counts: ReadonlyMap<number, number>,
  processes: ReadonlyArray<Process>,
  inside: Uint8Array,
): Reach => {
  const n = world.header.barriers.length
  const claims: (Claim[] | null)[] = processes.map(() => [])
  const r: Reach = {
    of: claims,
    arrivals: new Int32Array(n),
    plus: new Int32Array(n),
    minus: new Int32Array(n),
    lives: new Uint8Array(n),
    threads: new Map(),
  }
  // the machine in which nothing but P's operations is in flight: what is held or blocked there is so until P moves
  const still = m.inFlight.filter((_, i) => inside[m.agents.length + i] === 1)
  const only = withInFlight(m, still)
  let anything = false
  processes.forEach((p, i) => {
    if (p.flight < 0 || inside[i] === 1) return
    const f = m.inFlight[p.flight]!
    if (p.offered < 0) {
      const others = m.inFlight.filter((g, k) => g === f || inside[m.agents.length + k] === 1)
      if (held(world, withInFlight(m, others), f)) return
    }
    const left = remaining(future, f)
    if (left === null) {
      claims[i] = null
      anything = true
      return
    }
    claims[i] = [...left]
    for (const c of left) noted(r, c)
  })
  const at = m.agents.map((a) => a.at)
  const started = new Uint8Array(m.agents.length)
  // arrivals at cluster barriers so far, and who may have ended
  const arrived = m.agents.map((a) => a.groups.cluster)
  const ended = m.agents.map((a) => a.status !== 'running')
  /** Everybody of its cluster who has not ended may have arrived as often as `x`. */
  const mayGather = (x: number): boolean => {
    const members = world.ctas * world.agentsPerCta
    const first = x - (x % members)
    for (let y = first; y < first + members; y++)
      if (!ended[y]! && arrived[y]! < arrived[x]! && world.front.starts[y % world.agentsPerCta] === true)
        return false
    return true
  }
  const mayMeet = (place: number, x: number): boolean => {
    if (isClusterPlace(place)) return mayGather(x)
    const count = counts.get(place)
    return count === undefined || (r.threads.get(place) ?? 0) + named(m, place) >= count
  }
  /** Can agent `x`, which stands before its event `c`, go on as long as P does not? */
  const passable = (p: Process, x: number, c: Claim): boolean => {
    const now = at[x] === m.agents[x]!.at && started[x] === 0
    if (now) {
      if (p.offered >= 0) return true
      const ready = m.agents[x]!.ready
      if (ready === null) return false
      if (ready._tag === 'join' || ready._tag === 'fork')
        return !ready.children.some((child) => inside[child] === 1 && m.agents[child]!.status === 'running')
      if (ready._tag === 'do' && groupWait(ready.prepared)) return !blocked(world, only, x, ready)
    }
    return (
      c.asks.every((w) => !w.blocks || passes(m, w.barrier, w.parity) || mayEnd(m, r, w.barrier)) &&
      c.leaves.every((place) => mayMeet(place, x))
    )
  }
  for (let more = !anything; more;) {
    more = false
    for (let i = 0; i < processes.length; i++) {
      const p = processes[i]!
      if (p.flight >= 0 || inside[i] === 1 || claims[i] === null) continue
      const x = p.agent
      if (m.agents[x]!.status !== 'running' && started[x] === 0) continue
      for (;;) {
        const entry = future.events[x]![at[x]!]
        if (entry === undefined) {
          if (future.open[x] === true) {
            claims[i] = null
            anything = true
          } else if (!ended[x]) {
            ended[x] = true
            more = true
          }
          break
        }
        if (!passable(p, x, entry.own)) break
        claims[i]!.push(entry.own)
        noted(r, entry.own)
        for (const s of entry.operations) {
          claims[i]!.push(s.what)
          noted(r, s.what)
        }
        for (const child of entry.own.starts) started[child] = 1
        if (entry.own.meets.some((a) => isClusterPlace(a.place))) arrived[x]! += 1
        at[x]!++
        more = true
      }
    }
    if (anything) more = false
  }
  // one whose list is open can do anything, and so can in effect all the others
  if (anything) claims.fill(null)
  return r
}

// ---------------------------------------------------------------- closing a set

/** Without whose next steps an agent does not get past the barrier of its cluster: one of those is enough. */
const lagging = (world: World, m: Machine, x: number): number => {
  const members = world.ctas * world.agentsPerCta
  const first = x - (x % members)
  const mine = m.agents[x]!.groups.cluster
  for (let y = first; y < first + members; y++) {
    const a = m.agents[y]!
    if (
      a.status === 'running' &&
      a.groups.cluster < mine &&
      world.front.starts[y % world.agentsPerCta] === true
    )
      return y
  }
  return x
}

/** What can let `p` move, which cannot now. */
const suppliers = (
  world: World,
  m: Machine,
  r: Reach,
  processes: ReadonlyArray<Process>,
  p: Process,
): ReadonlyArray<number> => {
  const those = (wanted: (q: Process, claims: ReadonlyArray<Claim> | null) => boolean): number[] =>
    processes.flatMap((q, i) => (wanted(q, r.of[i]!) ? [i] : []))
  const ofAgent = (x: number): ReadonlyArray<number> => those((q) => q.flight >= 0 && q.agent === x)
  // the operations before it
  if (p.flight >= 0) return those((q) => q.flight >= 0 && q.flight < p.flight && q.agent === p.agent)
  const ready = m.agents[p.agent]!.ready
  if (ready === null)
    return those((q, of) => q.flight < 0 && (of === null || of.some((c) => c.starts.includes(p.agent))))
  if (ready._tag === 'join' || ready._tag === 'fork') {
    const { children } = ready
    return those((q) => q.flight < 0 && children.includes(q.agent))
  }
  if (ready._tag === 'do') {
    const claim = p.next
    if (ready.prepared._tag === 'cluster.wait') return [lagging(world, m, p.agent)]
    if (groupWait(ready.prepared)) {
      const others = ready.prepared.with ?? []
      return others.length === 0
        ? ofAgent(p.agent)
        : those((q) => (q.flight >= 0 && q.agent === p.agent) || others.includes(q.agent))
    }
    if (claim !== null && (claim.asks.length > 0 || claim.leaves.length > 0))
      return those(
        (_, of) =>
          of === null ||
          of.some(
            (c) =>
              claim.asks.some(
                (w) => c.counts.some((x) => x.barrier === w.barrier) || c.lives.includes(w.barrier),
              ) || claim.leaves.some((place) => c.meets.some((x) => x.place === place)),
          ),
      )
  }
  return processes.map((_, i) => i)
}

/** How many threads make a generation, by place, as those say who arrive. */
const smallest = (future: Future<Claim>): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>()
  for (const of of future.events)
    for (const e of of)
      for (const x of e?.own.meets ?? [])
        counts.set(x.place, Math.min(x.count, counts.get(x.place) ?? x.count))
  return counts
}

/** Some of the events on offer that are enough, by index: as few as the search for them finds. */
export const reduction = (world: World, future: Future<Claim>): Reduce => {
  const counts = smallest(future)
  return (m, offered, claims, frozen) => {
    const all = offered.map((_, i) => i)
    if (offered.length <= 1) return all
    // what touches nothing at all commutes with everything (where it faults, the search follows the others, too)
    const free = claims.findIndex((c) => c.empty)
    if (free >= 0) return [free]
    const agents = m.agents.length
    const indexOf = (agent: number, flight: number): number =>
      offered.findIndex((o) =>
        flight < 0 ? o.operation === null && o.key.agent === agent : o.operation === m.inFlight[flight],
      )
    const processes: Process[] = []
    for (let x = 0; x < agents; x++) {
      const i = indexOf(x, -1)
      const entry = future.events[x]![m.agents[x]!.at]
      processes.push({ agent: x, flight: -1, offered: i, next: i >= 0 ? claims[i]! : (entry?.own ?? null) })
    }
    m.inFlight.forEach((f, k) => {
      const i = indexOf(f.agent, k)
      processes.push({ agent: f.agent, flight: k, offered: i, next: i >= 0 ? claims[i]! : null })
    })
    const isFrozen = (p: Process): boolean => {
      if (frozen === null || p.agent !== frozen.agent) return false
      if (p.flight < 0) return frozen.stage === 'agent'
      const f = m.inFlight[p.flight]!
      return (
        frozen.stage !== 'agent' &&
        sameKey({ agent: f.agent, at: f.at, stage: stageOf(f), part: partOf(f) }, frozen)
      )
    }
    let best = all
    for (let i = 0; i < processes.length && best.length > 1; i++) {
      if (processes[i]!.offered < 0) continue
      const inside = new Uint8Array(processes.length)
      processes.forEach((p, k) => {
        if (isFrozen(p)) inside[k] = 1
      })
      inside[i] = 1
      const members = [i]
      for (let closed = false; !closed;) {
        closed = true
        const r = reachOf(world, m, future, counts, processes, inside)
        const join = (k: number): void => {
          if (inside[k] === 1) return
          inside[k] = 1
          members.push(k)
          closed = false
        }
        for (const k of [...members]) {
          const p = processes[k]!
          if (p.offered < 0) suppliers(world, m, r, processes, p).forEach(join)
          else
            processes.forEach((_, q) => {
              const of = r.of[q]!
              if (of === null || of.some((f) => depends(m, r, p.next!, f))) join(q)
            })
        }
        if (members.filter((k) => processes[k]!.offered >= 0).length >= best.length) break
      }
      const chosen = members.flatMap((k) => (processes[k]!.offered >= 0 ? [processes[k]!.offered] : []))
      if (chosen.length < best.length) best = chosen
    }
    return best
  }
}
