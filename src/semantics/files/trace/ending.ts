/**
 * How a trace ends: as the log of a whole run, or somewhere before.
 *
 * A trace from elsewhere may have been cut by a full disk, a crash, a limit. It needs no record that says so, for a run that has ended shows it: every
 * agent of the header that starts has exited in every cluster, or something stands blocked because nothing can move. What has neither was stopped.
 *
 * | at the beginning of the next clusters, and at the last line                         | the run       |
 * |--------------------------------------------------------------------------------------|---------------|
 * | a wait, a meeting, a semaphore or a change of registers stands blocked               | is stuck      |
 * | an agent that starts has not exited                                                  | was stopped   |
 * | an operation has done nothing since its issue; a store has read and not written      | was stopped   |
 * | no cluster has begun, or fewer than the header's `clusters` and none was taken away  | was stopped   |
 * | else                                                                                 | completed     |
 *
 * Worked, with agents p and c, and a header of two clusters:
 *
 *     cluster 0; p writes; p exits; c exits                    stopped: 1 of 2 clusters has begun
 *     cluster 0; p writes; p exits; cluster 1                  stopped: c of the cluster before has not exited
 *     ...; cluster 1; p exits; c waits, blocked                stuck
 *     ...; cluster 1; p exits; c exits                         completed
 *
 * Clusters that run together begin together; of the last ones of a grid there may be fewer, as `clusters` says or, without it, as those
 * show of which an agent does anything. A cluster that launch control has taken away never begins: each request may have taken one.
 *
 * Laws
 * 1. The trace of a run that ended by itself is whole.
 * 2. No beginning of it is, shorter than its last exit, write or cluster.
 */
import { unreachable } from '../../../failure.js'
import { clusterOf, type Fold, type Header, type LogEvent } from '../../log/events.js'

// ---------------------------------------------------------------- model

export type Ending =
  | { readonly _tag: 'completed' }
  | { readonly _tag: 'stuck' }
  | { readonly _tag: 'stopped'; readonly why: string }

/** Where the reader of a trace is. */
export interface Reading {
  readonly header: Header
  /** of the clusters under way: agents that have exited, and places whose agents have done anything */
  readonly exited: Uint8Array
  readonly seen: Set<number>
  /** operations that have yet to do something, or stores to write */
  readonly idle: Set<number>
  readonly stores: Set<number>
  /** why it cannot be whole: what was missing where clusters began */
  missing: string | null
  blocked: boolean
  /** beginnings of clusters that run together; the clusters themselves, and those that may have been taken away */
  waves: number
  begun: number
  requests: number
  /** the first of the clusters under way */
  first: number
}

// ---------------------------------------------------------------- events

const isBlocked = (e: LogEvent): boolean =>
  (e._tag === 'wait' && e.outcome === 'blocked') ||
  (e._tag === 'group' && e.blocked) ||
  (e._tag === 'rendezvous' && e.kind === 'blocked') ||
  (e._tag === 'semaphore' && e.outcome === 'blocked') ||
  (e._tag === 'registers' && e.blocked)

/** Does this place of the clusters under way hold a cluster of the grid? */
const isThere = (r: Reading, place: number): boolean =>
  r.header.clusters === undefined ? r.waves === 1 || r.seen.has(place) : r.first + place < r.header.clusters

/** What the clusters under way still owe. */
const owed = (r: Reading): string | null => {
  const { agents } = r.header
  const running = agents.flatMap((a, x) =>
    a.starts && r.exited[x] === 0 && isThere(r, clusterOf(r.header, a.cta)) ? [a] : [],
  )
  const [agent] = running
  if (agent !== undefined) {
    const others = running.length > 1 ? `, like ${String(running.length - 1)} more` : ''
    return `${agent.name} of CTA ${String(agent.cta)} has neither exited nor blocked${others}`
  }
  const [idle] = r.idle
  if (idle !== undefined) return `operation ${String(idle)} was issued and has done nothing`
  const [store] = r.stores
  return store === undefined ? null : `operation ${String(store)} has read and not yet written`
}

const close = (r: Reading): void => {
  if (!r.blocked && r.waves > 0) r.missing ??= owed(r)
}

const begin = (r: Reading, id: number): void => {
  const { clusters, resident = 1 } = r.header
  close(r)
  r.exited.fill(0)
  r.seen.clear()
  r.idle.clear()
  r.stores.clear()
  r.waves++
  r.first = id
  r.begun += clusters === undefined ? resident : Math.max(0, Math.min(resident, clusters - id))
}

// ---------------------------------------------------------------- the fold

/** Where it stands after the last line. */
export const ending: Fold<Reading, Reading> = {
  init: (header) => ({
    header,
    exited: new Uint8Array(header.agents.length),
    seen: new Set(),
    idle: new Set(),
    stores: new Set(),
    missing: null,
    blocked: false,
    waves: 0,
    begun: 0,
    requests: 0,
    first: 0,
  }),
  observe: (r, e) => {
    const agent = e._tag === 'exit' ? e.agent : 'stamp' in e ? e.stamp.agent : -1
    if (agent >= 0) r.seen.add(clusterOf(r.header, r.header.agents[agent]!.cta))
    r.blocked ||= isBlocked(e)
    switch (e._tag) {
      case 'cluster':
        begin(r, e.id)
        break
      case 'exit':
        r.exited[e.agent] = 1
        break
      case 'issue':
        r.idle.add(e.operation)
        if (e.unit === 'clc') r.requests++
        break
      case 'perform':
        r.idle.delete(e.operation)
        if (e.stage === 'read') r.stores.add(e.operation)
        else r.stores.delete(e.operation)
        break
      case 'signal':
        r.idle.delete(e.operation)
        break
      case 'barrier':
      case 'semaphore':
      case 'fence':
      case 'group':
      case 'access':
      case 'wait':
      case 'rendezvous':
      case 'warpSync':
      case 'registers':
      case 'fork':
      case 'join':
      case 'alloc':
      case 'dealloc':
      case 'relinquish':
      case 'ahead':
        break
      default:
        unreachable(e)
    }
    return r
  },
  finish: (r) => {
    close(r)
    return r
  },
}

/** How the run of the trace ended, as far as the trace shows. */
export const endingOf = ({ header, waves, begun, requests, blocked, missing }: Reading): Ending => {
  const { clusters } = header
  if (blocked) return { _tag: 'stuck' }
  if (missing !== null) return { _tag: 'stopped', why: missing }
  if (waves === 0) return { _tag: 'stopped', why: 'no cluster has begun' }
  return clusters === undefined || begun + requests >= clusters
    ? { _tag: 'completed' }
    : { _tag: 'stopped', why: `${String(begun)} of ${String(clusters)} clusters have begun` }
}
