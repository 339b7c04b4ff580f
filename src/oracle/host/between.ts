/**
 * An operation that has been executed takes its place in the order, and what it has touched is held against all that may still run.
 *
 *     issued into its stream  ->  place in the order  ->  races with the past (H1, H2; of the host H3)  ->  part of the past
 *
 * Law 1. A race is found once for each pair of places, however often it happens.
 */
import {
  type Access,
  allClauses,
  forgotten,
  issue,
  type Issued,
  kept,
  type Order,
  racesOf,
  racesOfHost,
} from '../../semantics/host/index.js'
import type { Memory } from './memory.js'
import { findingOfRace, type HostFinding, type Named } from './findings.js'
import { type Done, type Host, host } from './state.js'

/** The statement of an allocation in the order of a stream. */
export const allocation = 'alloc'

export const whole = (m: Memory, rw: 'r' | 'w', site: string): Access => ({
  memory: m.name,
  rw,
  atomic: 0,
  ofSystem: false,
  early: false,
  spans: Int32Array.of(0, m.bytes),
  site,
})

export const part = (m: Memory, rw: 'r' | 'w', at: number, bytes: number, site: string): Access => ({
  memory: m.name,
  rw,
  atomic: 0,
  ofSystem: false,
  early: false,
  spans: Int32Array.of(at, at + bytes),
  site,
})

/** One finding of each pair of places. */
export const added = (h: Host, found: ReadonlyArray<HostFinding>): Host => {
  const keyOf = (f: HostFinding): string =>
    [f.id, f.a.what, f.a.where, f.b?.what, f.b?.where, f.memory, f.a.does, f.b?.does].join('|')
  const known = new Set(h.findings.map(keyOf))
  const fresh = found.filter((f) => {
    const key = keyOf(f)
    if (known.has(key)) return false
    known.add(key)
    return true
  })
  return fresh.length === 0 ? h : host(h, { findings: [...h.findings, ...fresh] })
}

/** So many operations are remembered before those that nothing can race with any more are forgotten. */
const mostNamed = 256

const mayRace = (h: Host): ReadonlyMap<number, Named> => {
  const numbers = new Set([...h.past.values()].flatMap((all) => all.map(({ operation }) => operation)))
  return new Map([...h.named].filter(([number]) => numbers.has(number)))
}

/** An operation has touched these: judged, and remembered. */
export const touching = (h: Host, issued: Issued, what: Named, accesses: ReadonlyArray<Access>): Host => {
  const number = h.issued
  const named = new Map([...(h.named.size < mostNamed ? h.named : mayRace(h)), [number, what]])
  const all = racesOf(h.past, number, issued, accesses)
  // who races with an access to memory races with its allocation, too: that is not said
  const races = all.filter(
    ({ first: { access }, second }) =>
      access.site !== allocation ||
      !all.some((r) => r.first.access.site !== allocation && r.second.access.memory === second.access.memory),
  )
  return added(
    host(h, { issued: number + 1, named, past: kept(h.past, number, issued, accesses) }),
    races.map((r) => findingOfRace(named, what.operation, r)),
  )
}

export const byHost = (h: Host, now: number, accesses: ReadonlyArray<Access>): Host =>
  added(
    h,
    racesOfHost(h.past, h.order.host, accesses).map((r) => findingOfRace(h.named, now, r)),
  )

/** The host has waited: what is over is forgotten. */
export const waitedFor = (h: Host, order: Order): Host =>
  host(h, { order, past: forgotten(h.past, order.host) })

export const issuedNow = (now: number, d: Done, stream: string, returns: boolean): Host => {
  const [issued, order] = issue(allClauses, d.host.order, stream, d.grid, returns)
  const next = touching(
    host(d.host, { order }),
    issued,
    {
      operation: now,
      what: d.what,
      stream,
      staged: d.staged === true,
      node: null,
      grid: d.grid,
      sites: d.sites,
    },
    d.accesses,
  )
  return returns ? waitedFor(next, order) : next
}
