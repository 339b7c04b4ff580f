/**
 * Accesses: what a read must see, and who sees a write.
 *
 * An operation sees what its agent saw when it was issued; from then on only writes change that. A write takes its bits from all views, and gives them to the one where
 * its result can be seen first: the agent for its own stores, the flight for a copy, the queue for tcgen05 (`log/units.ts` says which).
 *
 * Law 1. After a write its bits are set only where it is published.
 */
import { unreachable } from '../../../failure.js'
import type { Access } from '../../log/events.js'
import { reachOf } from '../../log/reach.js'
import { units, type UnitRow } from '../../log/units.js'
import type { InFlight } from '../../machine/operation.js'
import type { Mask } from './places.js'
import {
  agentAt,
  GENERIC,
  ASYNC,
  TENSOR,
  compared,
  copyOf,
  MAPS,
  COPIED,
  within,
  sharedAt,
  LANDED,
  LANDED_OTHER,
  BY_GENERIC,
  BY_ATOMIC,
  WRITTEN,
  flight,
  without,
  meeting,
  addMask,
  replace,
  plus,
  QUEUE,
  STORED,
  LOADED,
  fault,
  flightOf,
  type Draft,
  type Flight,
} from './view-bits.js'

// ---------------------------------------------------------------- issue

/** What an operation sees, it sees when it is issued. */
export const issue = (d: Draft, f: InFlight): void => {
  const x = f.agent
  const { none } = d.places
  const generic = agentAt(d, x, GENERIC)
  const async = agentAt(d, x, ASYNC)
  const tensor = agentAt(d, x, TENSOR)
  const put = (part: number, group: number, mask: Mask, ofTensor: Mask, own: Mask): void => {
    const made: Flight = {
      id: f.id,
      agent: x,
      at: f.at,
      part,
      tag: f._tag,
      group,
      landed: false,
      mask,
      tensor: ofTensor,
      own,
    }
    d.flights = [...d.flights, made].sort(compared)
  }
  switch (f._tag) {
    case 'tmaLoad':
      put(f.part, 0, copyOf(d, async), copyOf(d, agentAt(d, x, MAPS)), none)
      return
    case 'clc':
      put(f.part, 0, copyOf(d, async), none, none)
      return
    case 'tmaStore':
      put(f.part, f.group, copyOf(d, async), copyOf(d, agentAt(d, x, MAPS)), none)
      return
    case 'stAsync':
      put(0, 0, copyOf(d, generic), none, none)
      return
    case 'cpAsync':
      put(0, f.group, copyOf(d, generic), none, none)
      return
    case 'cpAsyncArrive': {
      const own = copyOf(d, agentAt(d, x, COPIED))
      for (const g of d.flights)
        if (g.agent === x && g.tag === 'cpAsync') for (let k = 0; k < own.length; k++) own[k]! |= g.own[k]!
      put(0, 0, none, none, own)
      return
    }
    case 'wgmma':
      put(0, f.group, copyOf(d, async), none, none)
      return
    case 'tcgen05':
    case 'tcgen05Copy':
      put(0, 0, copyOf(d, async), copyOf(d, tensor), none)
      return
    case 'tcgen05Commit':
      put(f.part, 0, within(copyOf(d, async), d.places.initialisations), none, none)
      return
    case 'tcgen05Ld':
    case 'tcgen05St':
      put(0, 0, copyOf(d, generic), copyOf(d, tensor), none)
      return
    default:
      unreachable(f)
  }
}

// ---------------------------------------------------------------- accesses

/** A read that sees places shows that they have landed. */
const saw = (d: Draft, mask: Mask, generic: boolean): void => {
  const any = sharedAt(d, LANDED)
  const other = sharedAt(d, LANDED_OTHER)
  const by = sharedAt(d, BY_GENERIC)
  for (let k = 0; k < mask.length; k++) {
    const anyone = mask[k]! & ~d.words[by + k]!
    d.words[any + k]! |= anyone | (generic ? mask[k]! : 0)
    d.words[other + k]! |= anyone | (generic ? 0 : mask[k]!)
  }
}

export const wrote = (d: Draft, mask: Mask, generic: boolean, reach: number): void => {
  const { width, common } = d.layout
  const views = common / width
  for (let k = 0; k < width; k++) {
    const gone = mask[k]!
    if (gone === 0) continue
    for (let v = 0; v < views; v++) d.words[v * width + k]! &= ~gone
    d.words[sharedAt(d, LANDED) + k]! &= ~gone
    d.words[sharedAt(d, LANDED_OTHER) + k]! &= ~gone
    if (generic) d.words[sharedAt(d, BY_GENERIC) + k]! |= gone
    else d.words[sharedAt(d, BY_GENERIC) + k]! &= ~gone
    for (let r = 0; r < 3; r++)
      if (r < reach) d.words[sharedAt(d, BY_ATOMIC + r) + k]! |= gone
      else d.words[sharedAt(d, BY_ATOMIC + r) + k]! &= ~gone
    d.words[sharedAt(d, WRITTEN) + k]! |= gone
  }
  d.flights = d.flights.map((f) =>
    flight(f, f.landed, without(f.mask, mask), without(f.tensor, mask), without(f.own, mask)),
  )
  d.meetings = d.meetings.map((m) =>
    meeting(
      m.place,
      m.turn,
      m.joined,
      m.message.map((told) => without(told, mask)),
    ),
  )
}

/** Where what an operation writes is kept until an agent may see it. */
const homeOf = (tag: InFlight['_tag']): UnitRow['home'] | 'none' => {
  switch (tag) {
    case 'tcgen05Copy':
      return units.tcgen05.home
    case 'cpAsyncArrive':
    case 'tcgen05Commit':
      return 'none'
    case 'stAsync':
    case 'cpAsync':
    case 'wgmma':
    case 'tcgen05Ld':
    case 'tcgen05St':
    case 'tmaLoad':
    case 'tmaStore':
    case 'tcgen05':
    case 'clc':
      return units[tag].home
  }
}

/** Where a write is seen from the first. */
const publish = (d: Draft, x: number, f: Flight | undefined, mask: Mask): void => {
  if (f === undefined) {
    addMask(d, agentAt(d, x, GENERIC), mask)
    return
  }
  switch (homeOf(f.tag)) {
    case 'flight':
      replace(d, f, flight(f, f.landed, f.mask, f.tensor, plus(f.own, mask)))
      return
    case 'copies':
      // and arrivals that wait for this copy
      d.flights = d.flights.map((g) =>
        g === f || (g.tag === 'cpAsyncArrive' && g.agent === x && g.at > f.at)
          ? flight(g, g.landed, g.mask, g.tensor, plus(g.own, mask))
          : g,
      )
      return
    case 'products':
      addMask(d, agentAt(d, x, GENERIC), mask)
      addMask(d, agentAt(d, x, ASYNC), mask)
      // registers are of one agent, so no other's products look there
      d.flights = d.flights.map((g) =>
        g.tag === 'wgmma' ? flight(g, g.landed, plus(g.mask, mask), g.tensor, g.own) : g,
      )
      return
    case 'queue':
      addMask(d, agentAt(d, x, QUEUE), mask)
      return
    case 'stored':
      addMask(d, agentAt(d, x, STORED), mask)
      return
    case 'loaded':
      addMask(d, agentAt(d, x, LOADED), mask)
      return
    case 'none':
      return
  }
}

export const access = (d: Draft, e: Access): void => {
  const mask = d.places.masks.get(e.footprint.id)
  for (const b of d.places.under.get(e.footprint.id) ?? []) {
    if (d.before.barriers[b] !== null) fault(d, 'lifecycle')
    else if (d.words[d.layout.flags + b] === 2) fault(d, 'unobserved')
  }
  if (mask === undefined) return
  const x = e.stamp.agent
  const flying = (): Flight | undefined =>
    e.operation === undefined ? undefined : flightOf(d, e.operation, d.part)
  const f = flying()
  const generic = e.proxy === 'generic'
  const own = agentAt(d, x, GENERIC)
  const queue = agentAt(d, x, QUEUE)
  const queued = f?.tag === 'tcgen05' || f?.tag === 'tcgen05Copy'
  const landed = sharedAt(d, generic ? LANDED : LANDED_OTHER)
  const reach = e.atomic ? reachOf(e.scope) : 0
  // with one cluster, with one CTA, a narrower reach is as good
  const needed = d.world.resident > 1 ? 3 : d.world.header.ctas > 1 ? 2 : 1
  const atomically = sharedAt(d, BY_ATOMIC + Math.min(reach, needed) - 1)
  const byGeneric = sharedAt(d, BY_GENERIC)
  const written = sharedAt(d, WRITTEN)
  const found = new Int32Array(mask.length)
  let hidden = false
  let nothing = false
  for (let k = 0; k < mask.length; k++) {
    const view =
      f === undefined
        ? d.words[own + k]!
        : e.proxy === 'tensor'
          ? f.tensor[k]! | (queued ? d.words[queue + k]! : 0)
          : e.proxy === 'tensormap'
            ? (f.tensor[k]! & d.words[byGeneric + k]!) | (f.mask[k]! & ~d.words[byGeneric + k]!)
            : f.mask[k]!
    // an atomic access finds what another has left, if they go through one proxy
    const same = generic ? d.words[byGeneric + k]! : ~d.words[byGeneric + k]!
    const seen = view | (reach > 0 ? d.words[atomically + k]! & same : 0)
    found[k] = mask[k]! & seen
    const missing = mask[k]! & ~seen
    if ((e.rw === 'r' ? missing : missing & ~d.words[landed + k]!) !== 0) hidden = true
    if (e.rw === 'r' && (mask[k]! & ~d.words[written + k]!) !== 0) nothing = true
  }
  if (nothing) fault(d, 'unwritten')
  else if (hidden) fault(d, 'visibility')
  if (e.rw === 'r') saw(d, found, generic)
  else {
    wrote(d, mask, generic, reach)
    publish(d, x, flying(), mask)
  }
}
