/**
 * A log of warps as a log of threads: what its lanes mean.
 *
 * An agent that is a warp says of each event which lanes do it (`Stamp.lanes`). Here every lane that does anything becomes an agent of its own, and what several lanes do
 * becomes an event of each. The log that comes out has no lanes in it, and what judges a log judges it: so it says what a log of warps means without knowing how one
 * is judged.
 *
 *     warp 0, lanes 0 and 1: write x[lane]        thread 0.0: write x[0]      thread 0.1: write x[1]
 *     warp 0, lanes 0 and 1: warpSync             both arrive at a barrier of their own, then both leave it
 *     warp 0, lane 0: arrive b                    thread 0.0: arrive b
 *
 * | event of n lanes               | events of threads                                                          |
 * |--------------------------------|----------------------------------------------------------------------------|
 * | access                         | n accesses, each with the elements of its lane; all of them, if it is whole |
 * | an atomic's read and write     | the read and the write of one lane, then those of the next                 |
 * | arrive, drop, increment, expect | n events, each with an n-th of the count and of the bytes                 |
 * | wait, fence, group, semaphore  | n events                                                                   |
 * | cp.async                       | n operations                                                               |
 * | any other issue                | one operation, of the first of the lanes                                   |
 * | rendezvous                     | n events, each with an n-th of the threads                                 |
 * | warpSync                       | n arrivals, then n leaves, at a barrier that these lanes alone have        |
 *
 * Elements that all lanes name (a word that they wait for) are every lane's, as in an access that is whole.
 *
 * What the whole warp does as one (products, tensor memory, registers in flight) has no reading by threads: it stays one operation of one thread, and the reading is then
 * too narrow. Programs that are held against this one have none.
 *
 * Laws
 * 1. A log without lanes stays as it is, but for the numbers of its agents' events.
 * 2. The bytes that the threads of an event touch are those that the event touches.
 * 3. Of each barrier the arrivals and the bytes are as many as before.
 *
 * Source: PTX ISA, memory consistency model: program order is that of a thread; bar.warp.sync.
 */
import { bitsOf } from '../../numerics/dtype.js'
import {
  addressesIn,
  asSpans,
  scattered,
  type Access,
  type Footprint,
  type Header,
  type LogEvent,
  type Rendezvous,
  type Stamp,
} from './events.js'

// ---------------------------------------------------------------- model

/** A lane of a warp; -1: an agent that acts as one. */
export interface Thread {
  readonly agent: number
  readonly lane: number
}
export interface Threads {
  readonly header: Header
  readonly log: ReadonlyArray<LogEvent>
  /** by agent of the new log */
  readonly threads: ReadonlyArray<Thread>
}

// ---------------------------------------------------------------- lanes

const stampOf = (e: LogEvent): Stamp | undefined => ('stamp' in e ? e.stamp : undefined)

/** The numbers of the bits. */
const lanesIn = (mask: number): ReadonlyArray<number> => {
  const out: number[] = []
  for (let lane = 0; lane < 32; lane++) if (((mask >>> lane) & 1) === 1) out.push(lane)
  return out
}

/** Lanes that do anything, by agent. */
const acting = (header: Header, log: ReadonlyArray<LogEvent>): ReadonlyArray<number> => {
  const out = header.agents.map(() => 0)
  for (const e of log) {
    const stamp = stampOf(e)
    if (stamp?.lanes !== undefined) out[stamp.agent]! |= stamp.lanes
  }
  return out
}

// ---------------------------------------------------------------- bytes

const spansOfElements = (addresses: ReadonlyArray<number>, bytes: number): Int32Array => {
  const out: number[] = []
  for (const at of [...new Set(addresses)].sort((x, y) => x - y)) {
    const end = out.length - 1
    if (end >= 0 && out[end]! >= at) out[end] = Math.max(out[end]!, at + bytes)
    else out.push(at, at + bytes)
  }
  return Int32Array.from(out)
}

/** Part `i` of `n` of the elements. */
const dealt = (id: number, f: Footprint, i: number, n: number): Footprint => {
  if (f.map._tag !== 'scatter') return f
  const all = addressesIn(f.map)
  const each = all.length / n
  const own = [...all.slice(i * each, (i + 1) * each)]
  return {
    id,
    plane: f.plane,
    spans: asSpans(
      spansOfElements(
        own.filter((at) => at >= 0),
        Math.ceil(bitsOf(f.dtype) / 8),
      ),
    ),
    dtype: f.dtype,
    map: scattered([own.length], Int32Array.from(own)),
  }
}

// ---------------------------------------------------------------- the reading

const clusterBarrier = 16
/** Barriers of lanes that meet are none of the CTA's, and none that the log has. */
const firstOfLanes = 1 << 20

const isRead = (e: LogEvent): e is Access =>
  e._tag === 'access' && e.operation === undefined && e.atomic && e.rw === 'r'

/** The write of the atomic of which this is the read. */
const writeOf = (read: Access, next: LogEvent | undefined): Access | undefined =>
  next?._tag === 'access' &&
  next.operation === undefined &&
  next.atomic &&
  next.rw === 'w' &&
  next.combine !== undefined &&
  next.stamp.agent === read.stamp.agent &&
  next.stamp.at === read.stamp.at &&
  next.stamp.lanes === read.stamp.lanes &&
  next.footprint === read.footprint
    ? next
    : undefined

export const threadsOf = (header: Header, log: ReadonlyArray<LogEvent>): Threads => {
  const masks = acting(header, log)
  const threads: Thread[] = []
  const numbers = masks.map((mask, agent) => {
    const own = new Map<number, number>()
    for (const lane of mask === 0 ? [-1] : lanesIn(mask)) {
      own.set(lane, threads.length)
      threads.push({ agent, lane })
    }
    return own
  })
  const out: LogEvent[] = []

  // by thread: its last event, and where its agent stood then
  const last = threads.map(() => ({ at: 0, of: -1 }))
  const stamped = (thread: number, { site, iteration, at }: Stamp, alone: boolean): Stamp => {
    const l = last[thread]!
    if (alone || l.of !== at) last[thread] = { at: l.at + 1, of: alone ? -1 : at }
    return { agent: thread, at: last[thread]!.at, site, iteration }
  }
  const lanesOf = ({ agent, lanes }: Stamp): ReadonlyArray<number> =>
    lanes === undefined ? [...numbers[agent]!.keys()] : lanesIn(lanes)
  const ofLanes = (stamp: Stamp): ReadonlyArray<number> =>
    lanesOf(stamp).map((lane) => numbers[stamp.agent]!.get(lane)!)

  const pieces = new Map<string, Footprint>()
  const own = (f: Footprint, { lanes, whole }: Stamp, i: number, n: number): Footprint => {
    if (lanes === undefined || whole === true || n === 1) return f
    if (f.map._tag !== 'scatter' || f.map.offsets.length % n !== 0) return f
    const key = `${String(f.id)} ${String(i)}/${String(n)}`
    const known = pieces.get(key)
    if (known !== undefined) return known
    const made = dealt((1 << 24) + pieces.size, f, i, n)
    pieces.set(key, made)
    return made
  }
  const share = <A>(
    list: ReadonlyArray<A> | undefined,
    i: number,
    n: number,
  ): ReadonlyArray<A> | undefined =>
    list === undefined || list.length % n !== 0
      ? list
      : list.slice((i * list.length) / n, ((i + 1) * list.length) / n)

  const accessBy = (
    e: Access,
    by: Stamp,
    stamp: Stamp,
    i: number,
    n: number,
    operation: number | undefined,
  ): Access => {
    const made: { -readonly [K in keyof Access]: Access[K] } = Object.assign({}, e, {
      stamp,
      footprint: own(e.footprint, by, i, n),
    })
    if (operation !== undefined) made.operation = operation
    if (n > 1) delete made.origin
    const [found, left] = [share(e.found, i, n), share(e.left, i, n)]
    if (found !== undefined) made.found = found
    if (left !== undefined) made.left = left
    return made
  }

  // barriers of lanes that meet
  const meetings = new Map<string, number>()
  const meet = (stamp: Stamp): void => {
    const lanes = lanesOf(stamp)
    const key = `${String(stamp.agent)} ${lanes.join(' ')}`
    const id = meetings.get(key) ?? firstOfLanes + meetings.size
    meetings.set(key, id)
    for (const kind of ['arrive', 'leave'] as const)
      for (const thread of ofLanes(stamp))
        out.push({
          _tag: 'rendezvous',
          stamp: stamped(thread, stamp, true),
          kind,
          id,
          count: lanes.length,
          threads: 1,
        })
  }

  /** Of lanes that come to the barrier of the cluster before their warp arrives there: that arrival. */
  const arrivalAfter = (at: number, agent: number): Rendezvous | undefined =>
    log
      .slice(at)
      .find(
        (e): e is Rendezvous =>
          e._tag === 'rendezvous' && e.kind === 'arrive' && e.id >= clusterBarrier && e.stamp.agent === agent,
      )
  /** by agent: of how many threads lanes have come so */
  const come = header.agents.map(() => 0)
  const meeting = (e: Rendezvous, stamp: Stamp): void => {
    const those = ofLanes(stamp)
    const early = e.kind === 'arrive' && e.id >= clusterBarrier ? come[stamp.agent]! : 0
    if (e.kind === 'arrive' && e.id >= clusterBarrier) come[stamp.agent] = 0
    const each = Math.floor((e.threads - early) / those.length)
    those.forEach((thread, i) => {
      out.push(
        Object.assign({}, e, {
          stamp: stamped(thread, stamp, false),
          // threads that have ended are counted with the first
          threads: i === 0 ? e.threads - early - each * (those.length - 1) : each,
        }),
      )
    })
  }

  // operations
  let issued = 0
  const operations = new Map<number, ReadonlyArray<number>>()
  const issuers = new Map<number, { readonly by: Stamp; readonly stamps: ReadonlyArray<Stamp> }>()

  const exits = (agent: number): ReadonlyArray<number> => [...numbers[agent]!.values()]

  for (let at = 0; at < log.length; at++) {
    const e = log[at]!
    switch (e._tag) {
      case 'cluster':
        out.push(e)
        break
      case 'exit':
        for (const agent of exits(e.agent)) out.push(Object.assign({}, e, { agent }))
        break
      case 'ahead': {
        const [behind] = numbers[e.behind]!.values()
        const [helps] = numbers[e.helps]!.values()
        const [agent] = ofLanes(e.stamp)
        out.push(
          Object.assign({}, e, {
            behind: behind!,
            helps: helps!,
            stamp: {
              agent: agent!,
              at: last[agent!]!.at + 1,
              site: e.stamp.site,
              iteration: e.stamp.iteration,
            },
          }),
        )
        break
      }
      case 'warpSync': {
        if (e.how === undefined) meet(e.stamp)
        // what lanes exchange says of order less than a log of threads can say: it is left out, and asks for more
        if (e.how !== 'arrives') break
        const arrival = arrivalAfter(at, e.stamp.agent)
        if (arrival === undefined) break
        for (const thread of ofLanes(e.stamp)) {
          come[e.stamp.agent]!++
          out.push(Object.assign({}, arrival, { stamp: stamped(thread, e.stamp, true), threads: 1 }))
        }
        break
      }
      case 'rendezvous':
        meeting(e, e.stamp)
        break
      case 'issue': {
        const all = ofLanes(e.stamp)
        const by = e.unit === 'cpAsync' ? all : all.slice(0, 1)
        const stamps = by.map((thread) => stamped(thread, e.stamp, false))
        const ids = stamps.map((stamp) => {
          out.push(Object.assign({}, e, { stamp, operation: issued, bytes: e.bytes / by.length }))
          return issued++
        })
        operations.set(e.operation, ids)
        issuers.set(e.operation, { by: e.stamp, stamps })
        break
      }
      case 'perform': {
        const ids = operations.get(e.operation) ?? []
        const touches: Access[] = []
        for (
          let next = log[at + 1];
          next?._tag === 'access' && next.operation === e.operation;
          next = log[at + 1]
        ) {
          touches.push(next)
          at++
        }
        ids.forEach((operation, i) => {
          out.push(Object.assign({}, e, { operation }))
          for (const a of touches) {
            const { by, stamps } = issuers.get(e.operation)!
            out.push(accessBy(a, by, stamps[i]!, i, ids.length, operation))
          }
        })
        break
      }
      case 'signal':
        for (const operation of operations.get(e.operation) ?? [])
          out.push(Object.assign({}, e, { operation }))
        break
      case 'access': {
        const write = isRead(e) ? writeOf(e, log[at + 1]) : undefined
        const those = ofLanes(e.stamp)
        those.forEach((thread, i) => {
          const stamp = stamped(thread, e.stamp, false)
          out.push(accessBy(e, e.stamp, stamp, i, those.length, undefined))
          if (write !== undefined) out.push(accessBy(write, e.stamp, stamp, i, those.length, undefined))
        })
        if (write !== undefined) at++
        break
      }
      case 'barrier': {
        const those =
          e.kind === 'init' || e.kind === 'inval' ? ofLanes(e.stamp).slice(0, 1) : ofLanes(e.stamp)
        for (const thread of those)
          out.push(
            Object.assign({}, e, {
              stamp: stamped(thread, e.stamp, false),
              count: e.count / those.length,
              bytes: e.bytes / those.length,
            }),
          )
        break
      }
      case 'semaphore': {
        const those = ofLanes(e.stamp)
        those.forEach((thread, i) => {
          out.push(
            Object.assign({}, e, {
              stamp: stamped(thread, e.stamp, false),
              footprint: own(e.footprint, e.stamp, i, those.length),
            }),
          )
        })
        break
      }
      case 'wait':
      case 'group':
      case 'fence':
      case 'registers':
      case 'fork':
      case 'join':
      case 'alloc':
      case 'dealloc':
      case 'relinquish':
        for (const thread of ofLanes(e.stamp))
          out.push(Object.assign({}, e, { stamp: stamped(thread, e.stamp, false) }))
        break
    }
  }

  const nameOf = ({ agent, lane }: Thread): string => {
    const { name } = header.agents[agent]!
    return lane < 0 ? name : `${name}.${String(lane)}`
  }
  return {
    header: Object.assign({}, header, {
      agents: threads.map((t) => {
        const a = header.agents[t.agent]!
        return t.lane < 0 ? a : { name: nameOf(t), cta: a.cta, warps: 1 / 32, starts: a.starts }
      }),
      planes: header.planes.map((p) =>
        p.agent === undefined ? p : Object.assign({}, p, { agent: [...numbers[p.agent]!.values()][0]! }),
      ),
    }),
    log: out,
    threads,
  }
}
