/**
 * Cluster launch control: a running cluster takes over a cluster of the grid that has not been launched.
 *
 * `tryCancel` is asynchronous. Its answer, an opaque object of 16 bytes, comes into shared memory (with `multicast` at the same place of every
 * CTA of the cluster) and completes 16 bytes on the barrier there. A cluster that is granted will never be launched; the one that asked does its work.
 * `query` reads an answer: granted or not, and the coordinates of the first CTA of the cluster granted.
 *
 *     grid of 3, one resident:  cluster 0 runs     tryCancel -> 1     tryCancel -> 2     tryCancel -> failure, the end
 *
 * Which request is granted is an input of the program, not its affair: the run's plan (`grants` of the launch) says how many requests succeed before one
 * fails, and the lowest cluster that is left is granted. Who asks first must be in order (C1); that is asked by the detector.
 *
 * After an agent has read that a request failed, another request of its cluster is undefined: a fault. Coordinates of a request that failed are a
 * fault where they are used.
 *
 * Laws
 * 1. Whatever the plan, every cluster of the grid is launched or granted exactly once.
 * 2. All CTAs of a cluster read the same answer.
 *
 * Source: PTX ISA, clusterlaunchcontrol.try_cancel and query_cancel.
 */
import type { InstructionOf } from '../language/instruction.js'
import type { Access, LogEvent } from '../log/events.js'
import { addressesIn, spansOf, startOf } from '../log/events.js'
import {
  barrierOperand,
  effect,
  elementsOperand,
  placeOf,
  type Effect,
  type Executing,
} from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import * as Footprint from '../machine/footprint.js'
import type { ClcInFlight, Elements, Prepared } from '../machine/operation.js'
import { issuing, withInFlight, withResponses, withWave, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue, type Value } from '../machine/value.js'
import { barrierIn, planeIn } from '../machine/world.js'
import type { World } from '../machine/world.js'
import { reach } from './mbarrier.js'
import {
  changes,
  ctaOfBarrier,
  ctasOfElements,
  free,
  weak,
  type Family,
  type Flights,
} from '../machine/family.js'
import { count, grantTable, read, table, write } from '../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

export const responseBytes = 16

// ---------------------------------------------------------------- reads and checks

const responseOperand = (
  o: Environment,
  e: InstructionOf<'clc.query'>['response'],
): Elements | FaultValue => {
  const r = elementsOperand(o, 'response', e)
  if (isFault(r)) return r
  const spans = spansOf(r.footprint)
  return spans.length === 2 && spans[1]! - spans[0]! === responseBytes && spans[0]! % responseBytes === 0
    ? r
    : V.fault(
        'clc.response',
        `response: expected ${String(responseBytes)} bytes at a multiple of ${String(responseBytes)}, found ${[...spans].join(', ')}`,
      )
}

/** The same bytes of another plane. */
const elsewhere = (o: Environment, r: Elements, plane: number): Elements => {
  const { map } = r.footprint
  return map._tag === 'view'
    ? Footprint.ofLayout(o.world.footprints, plane, r.dtype, map.layout, map.base)
    : Footprint.ofAddresses(o.world.footprints, plane, r.dtype, map.shape, addressesIn(map))
}

export const prepareTryCancel = (
  o: Environment,
  i: InstructionOf<'clc.tryCancel'>,
): Prepared | FaultValue => {
  const response = responseOperand(o, i.response)
  if (isFault(response)) return response
  const b = barrierOperand(o, 'barrier', i.barrier)
  if (isFault(b)) return b
  const everyRank = Array.from({ length: o.world.ctas }, (_, rank) => rank)
  return {
    _tag: 'clc.tryCancel',
    parts: i.multicast
      ? everyRank.map((rank) => ({
          response: elsewhere(o, response, planeIn(o.world, response.plane, rank)),
          barrier: barrierIn(o.world, b.first, rank),
        }))
      : [{ response, barrier: b.first }],
  }
}

export const prepareQuery = (o: Environment, i: InstructionOf<'clc.query'>): Prepared | FaultValue => {
  const response = responseOperand(o, i.response)
  return isFault(response) ? response : { _tag: 'clc.query', response }
}

// ---------------------------------------------------------------- a request

/** The answer is settled here; when it arrives is the schedule's affair. */
export const executeTryCancel = (x: Executing, m: Machine, p: Of<'clc.tryCancel'>): Effect | FaultValue => {
  const { wave } = m
  if (wave.refused[placeOf(x.world, x.agent)] === true)
    return V.fault(
      'clc.refused',
      'another request after one of this cluster was seen to fail: that is undefined',
    )
  const granted = wave.requests < x.world.grants && wave.next < x.world.clusterCount
  const cluster = granted ? wave.next : -1
  const issue: LogEvent = {
    _tag: 'issue',
    stamp: x.stamp,
    operation: m.issued,
    unit: 'clc',
    bytes: responseBytes,
    macs: 0,
    accumulates: false,
    signals: p.parts.length,
  }
  const parts = p.parts.map((part, k) =>
    inFlight(m.issued, x.agent, x.stamp, k, 'write', part.response, part.barrier, cluster),
  )
  const asked = withWave(m, {
    clusters: wave.clusters,
    next: granted ? wave.next + 1 : wave.next,
    requests: wave.requests + 1,
    refused: wave.refused,
  })
  return effect(issuing(asked, parts), [issue])
}

const inFlight = (
  id: number,
  agent: number,
  stamp: ClcInFlight['stamp'],
  part: number,
  stage: ClcInFlight['stage'],
  response: Elements,
  barrier: number,
  cluster: number,
): ClcInFlight => ({
  _tag: 'clc',
  id,
  agent,
  at: stamp.at,
  stamp,
  part,
  stage,
  response,
  barrier,
  cluster,
  bytes: responseBytes,
})

const responseAccess = (stamp: ClcInFlight['stamp'], operation: number | null, e: Elements): Access =>
  operation === null
    ? {
        _tag: 'access',
        stamp,
        rw: 'r',
        proxy: 'generic',
        footprint: e.footprint,
        role: 'response',
        atomic: false,
      }
    : {
        _tag: 'access',
        stamp,
        operation,
        rw: 'w',
        proxy: 'async',
        footprint: e.footprint,
        role: 'response',
        atomic: false,
      }

/** The answer arrives in one CTA's shared memory. */
export const perform = (m: Machine, f: ClcInFlight): Effect => {
  const { plane } = f.response
  const address = startOf(f.response.footprint.spans)
  const others = m.responses.filter((r) => r.plane !== plane || r.address !== address)
  const there = withResponses(m, [...others, { plane, address, cluster: f.cluster }])
  const next = inFlight(f.id, f.agent, f.stamp, f.part, 'signal', f.response, f.barrier, f.cluster)
  return effect(
    withInFlight(
      there,
      there.inFlight.map((g) => (g === f ? next : g)),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'write', part: f.part },
      responseAccess(f.stamp, f.id, f.response),
    ],
  )
}

export const signal = (m: Machine, f: ClcInFlight): Effect =>
  effect(
    withInFlight(
      reach(m, f.barrier, 0, -responseBytes, 0),
      m.inFlight.filter((g) => g !== f),
    ),
    [
      {
        _tag: 'signal',
        operation: f.id,
        part: f.part,
        to: 'barrier',
        barrier: f.barrier,
        bytes: responseBytes,
      },
    ],
  )

// ---------------------------------------------------------------- an answer

/** The program id of the first CTA of a cluster, along the axes of the grid. */
export const firstCta = (world: World, cluster: number): ReadonlyArray<number> => {
  let rest = cluster
  const origin = [0, 0, 0]
  for (let d = world.grid.length - 1; d >= 0; d--) {
    origin[d] = (rest % world.clusters[d]!) * (world.cluster[d] ?? 1)
    rest = Math.floor(rest / world.clusters[d]!)
  }
  return origin
}

/** Where no answer has come yet, none is granted: that it was read too early stands in the log. */
export const executeQuery = (x: Executing, m: Machine, p: Of<'clc.query'>): Effect => {
  const { plane, footprint } = p.response
  const found = m.responses.find((r) => r.plane === plane && r.address === startOf(footprint.spans))
  const cluster = found?.cluster ?? -1
  const events = [responseAccess(x.stamp, null, p.response)]
  if (cluster >= 0) return effect(m, events, [true, ...firstCta(x.world, cluster)])
  const none: Value = V.fault('clc.refused', 'the coordinates of a request that failed')
  const { wave } = m
  const place = placeOf(x.world, x.agent)
  const told =
    found === undefined
      ? m
      : withWave(m, {
          clusters: wave.clusters,
          next: wave.next,
          requests: wave.requests,
          refused: wave.refused.map((r, k) => r || k === place),
        })
  return effect(told, events, [false, none, none, none])
}

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'clc.tryCancel' | 'clc.query'> = {
  'clc.tryCancel': {
    execute: executeTryCancel,
    waits: null,
    touches: () => [table(grantTable, true)],
    does: changes,
    strong: weak,
  },
  'clc.query': {
    execute: executeQuery,
    waits: null,
    // a failure that has been read forbids the next request
    touches: (_, p) => [read(p.response), table(grantTable, true)],
    does: changes,
    strong: weak,
  },
}

export const flights: Flights<'clc'> = {
  clc: {
    next: (_, m, f) => (f.stage === 'write' ? perform(m, f) : signal(m, f)),
    held: free,
    touches: (f) => (f.stage === 'write' ? [write(f.response)] : [count(f.barrier, 0, -f.bytes)]),
    ctas: (world, f) => [...ctasOfElements(world, [f.response]), ctaOfBarrier(world, f.barrier)],
  },
}
