/**
 * Copied: the tensors of global memory that asynchronous operations read or write, which an instruction of PTX does not name.
 *
 *     cp.async.bulk.tensor.2d ... [tile], [map, {x, y}], [full]        its map is of A: the operation is of A
 *     cp.async.bulk.shared::cluster.shared::cta ...                    of none
 *
 * An operation is known by its agent and the event that issued it. Clusters that run one after the other have the same agents: what is copied there in one cluster and
 * what in the next is said of both.
 *
 * Laws
 * 1. It names just the tensors that the accesses of the operation lie in; a tensor map that lies in global memory is none of them.
 */
import type { Fold } from '../log/events.js'
import type { Operation } from './finding.js'

interface Copying {
  readonly names: ReadonlyArray<string | null>
  /** by its number who has issued an operation, and at which event */
  readonly issued: Map<number, string>
  readonly tensors: Map<string, ReadonlyArray<string>>
}

/** By agent and event the tensors, in the order in which they are come to. */
export type Copied = ReadonlyMap<string, ReadonlyArray<string>>

const keyOf = (agent: number, at: number): string => `${String(agent)} ${String(at)}`

/** The tensor of an operation of a finding, or those that it may be of; null: none is known. */
export const tensorOf = (copied: Copied, { index, at }: Operation): string | null =>
  copied.get(keyOf(index, at))?.join(' or ') ?? null

export const copied: Fold<Copying, Copied> = {
  init: (header) => ({
    names: header.planes.map(({ space, name }) => (space === 'gmem' ? name : null)),
    issued: new Map(),
    tensors: new Map(),
  }),
  observe: (s, e) => {
    if (e._tag === 'issue') s.issued.set(e.operation, keyOf(e.stamp.agent, e.stamp.at))
    else if (e._tag === 'access' && e.operation !== undefined && e.role !== 'map') {
      const name = s.names[e.footprint.plane] ?? null
      const key = s.issued.get(e.operation)
      const before = key === undefined ? undefined : (s.tensors.get(key) ?? [])
      if (name !== null && key !== undefined && before?.includes(name) === false)
        s.tensors.set(key, [...before, name])
    }
    return s
  },
  finish: ({ tensors }) => tensors,
}
