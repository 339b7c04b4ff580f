/**
 * What an operation of lanes reads and writes of their registers, and what it may have to wait for.
 *
 *     add.s32 %r3, %r1, %r2      reads rows of %r1 and %r2, writes that of %r3
 *     st.global [%rd1], %r3      reads the address and the value; what it reads decides something
 *
 * `computes`: what it reads comes to no more than what it writes. Of all else what is read decides: a branch, an address, what memory holds. `kept`: what memory holds alone.
 *
 * | who asks                                     | what                                                    |
 * |----------------------------------------------|---------------------------------------------------------|
 * | liveness, timing, fellows                    | `reads`, `writes`                                       |
 * | what data decides (`origins.ts`)             | `decides`: all that is read but the words that are moved |
 * | registers in flight (`flight.ts`)            | `flight`                                                |
 * | lanes that must be there together (`walk.ts`) | `lanes`                                                 |
 * | a warp that has other effects before it      | `waits`                                                 |
 *
 * To add an operation: its line in `usesOf`, which tsc asks for. Nothing else asks which operations these are.
 */
import { remembered } from '../../remembered.js'
import {
  ofPredicate,
  type Address,
  type Guard,
  type Operation,
  type Place,
  type Row,
  type Silent,
} from './program.js'

/** Registers of an asynchronous instruction: those that its operation reads, reads and writes, only writes. */
export interface InFlight {
  readonly takes: ReadonlyArray<Row>
  readonly updates: ReadonlyArray<Row>
  readonly brings: ReadonlyArray<Row>
}

export interface Uses {
  readonly reads: ReadonlyArray<Place>
  readonly writes: ReadonlyArray<Place>
  readonly computes: boolean
  /** what it reads that only comes into memory: neither where it goes nor whether it does depends on it */
  readonly kept: ReadonlyArray<Place>
  /** what decides where its effect goes and what it does; of what computes, nothing */
  readonly decides: ReadonlyArray<Place>
  /** it is done by lanes together: those that `members` names, or all of the part */
  readonly lanes: { readonly members: Row | null } | null
  /** may another agent have to do something first? */
  readonly waits: boolean
  /** registers that are read or written when it is done, and not when it is issued */
  readonly flight: InFlight | null
}

const guards = (gs: ReadonlyArray<Guard | null>): ReadonlyArray<Place> =>
  gs.flatMap((g) => (g === null ? [] : [ofPredicate(g.predicate)]))
const rows = (...rs: ReadonlyArray<Row | null>): ReadonlyArray<Place> =>
  rs.flatMap((r) => (r === null ? [] : [r]))
const addresses = (...as: ReadonlyArray<Address | null>): ReadonlyArray<Place> =>
  as.flatMap((a) => a?.rows ?? [])
const predicate = (p: number | null): ReadonlyArray<Place> => (p === null ? [] : [ofPredicate(p)])

type Places = ReadonlyArray<Place>

const computing = (reads: Places, writes: Places): Uses => ({
  reads,
  writes,
  computes: true,
  kept: [],
  decides: [],
  lanes: null,
  waits: false,
  flight: null,
})
/** Lanes compute together. */
const together = (members: Row | null, reads: Places, writes: Places): Uses => ({
  reads: [...reads, ...rows(members)],
  writes,
  computes: true,
  kept: [],
  decides: [],
  lanes: { members },
  waits: false,
  flight: null,
})
const deciding = (reads: Places, writes: Places = []): Uses => ({
  reads,
  writes,
  computes: false,
  kept: [],
  decides: reads,
  lanes: null,
  waits: false,
  flight: null,
})
/** The same of lanes that wait for one another. */
const meeting = (members: Row): Uses => ({
  reads: [members],
  writes: [],
  computes: false,
  kept: [],
  decides: [members],
  lanes: { members },
  waits: false,
  flight: null,
})
/** Another agent may have to do something first, if `waits` says so. */
const waiting = (waits: boolean, reads: Places, writes: Places = []): Uses => ({
  reads,
  writes,
  computes: false,
  kept: [],
  decides: reads,
  lanes: null,
  waits,
  flight: null,
})
/** Of registers that go to places of memory. */
const storing = (at: Places, kept: Places, writes: Places = [], waits: boolean = false): Uses => ({
  reads: [...at, ...kept],
  writes,
  computes: false,
  kept,
  decides: at,
  lanes: null,
  waits,
  flight: null,
})
/** `by` decides, and the other registers are in flight until the operation is done. */
const flying = (by: Places, flight: InFlight): Uses => ({
  reads: [...by, ...flight.takes, ...flight.updates],
  writes: [...flight.updates, ...flight.brings],
  computes: false,
  kept: [],
  decides: by,
  lanes: null,
  waits: false,
  flight,
})

/** Searches that go on until nothing changes ask again and again. */
export const usesOf: (o: Operation) => Uses = remembered((o: Operation): Uses => {
  switch (o._tag) {
    case 'scalar':
      return computing(
        o.from,
        o.to.flatMap((t) => (t === null ? [] : [t])),
      )
    case 'move':
      return computing(o.from, o.to)
    case 'part':
      return computing([o.from], [o.to])
    case 'pack':
      return computing(o.from, [o.to])
    case 'predicate':
      return computing(guards(o.from), predicate(o.to))
    case 'setPredicate':
      return computing([], predicate(o.to))
    case 'branchIndexed':
      return deciding([o.index])
    case 'shuffle':
      return together(o.members, rows(o.value, o.lane, o.clamp), [...rows(o.to), ...predicate(o.inRange)])
    case 'vote':
      return together(o.members, guards([o.by]), [...rows(o.to), ...predicate(o.toPredicate)])
    case 'match':
      return together(o.members, o.value, [o.to, ...predicate(o.all)])
    case 'reduce':
      return together(o.members, [o.value], [o.to])
    case 'elect':
      return together(o.members, [], [...rows(o.to), ...predicate(o.elected)])
    case 'activeLanes':
      return computing([], [o.to])
    case 'meetLanes':
      return meeting(o.members)
    case 'load':
      return waiting(
        o.until !== undefined,
        [...addresses(o.from), ...rows(o.until?.value ?? null)],
        o.to.flatMap((to) => to ?? []),
      )
    case 'store':
      return storing(addresses(o.into), o.value.flat())
    case 'atomic':
      return storing(addresses(o.at), [...o.value, ...o.compare], o.to ?? [], o.awaits === true)
    case 'copyAsync':
      return deciding([...addresses(o.into, o.from), ...rows(o.sourceBytes), ...guards([o.ignore])])
    case 'copyBulk':
      return deciding([...addresses(o.into, o.from, o.barrier), o.bytes, ...rows(o.multicast, o.byteMask)])
    case 'zeroBulk':
      return deciding([...addresses(o.into), ...o.bytes])
    case 'sendAsync':
      return storing(addresses(o.into, o.barrier), o.value.flat())
    case 'wgmma':
      return flying(
        [
          ...(o.a._tag === 'registers' ? [] : o.a.descriptor),
          ...o.b.descriptor,
          ofPredicate(o.accumulates.predicate),
          ...(o.sparsity === null ? [] : [o.sparsity.row]),
        ],
        {
          takes: o.a._tag === 'registers' ? o.a.rows : [],
          updates: o.d,
          brings: [],
        },
      )
    case 'loadMatrices':
      return deciding(addresses(o.from), o.to)
    case 'storeMatrices':
      return storing(addresses(o.into), o.value)
    case 'multiply':
      return computing([...o.a, ...o.b, ...o.c, ...(o.sparsity === null ? [] : [o.sparsity.row])], o.d)
    case 'wholeWarp':
      return deciding(o.alike.map(({ row }) => row))
    case 'transposeMatrix':
      return computing([o.from], [o.to])
    case 'tensorCopy':
      return deciding([
        ...addresses(o.map, o.shared, o.barrier),
        ...o.coordinates,
        ...o.offsets,
        ...rows(o.multicast),
      ])
    case 'tcgen05Alloc':
      return deciding([...addresses(o.into), o.columns])
    case 'tcgen05Dealloc':
      return deciding([o.at, o.columns])
    case 'tcgen05Load':
      return flying([o.at.row], {
        takes: [],
        updates: [],
        brings: o.extreme === undefined ? o.to : [...o.to, o.extreme.to],
      })
    case 'tcgen05Store':
      return storing([o.at.row], o.value)
    case 'tcgen05Copy':
      return deciding([o.into.row, ...o.from])
    case 'tcgen05Shift':
      return deciding([o.at.row])
    case 'tcgen05Mma':
      return deciding([
        o.d.row,
        ...('row' in o.a ? [o.a.row] : o.a),
        ...o.b,
        o.descriptor,
        ...(o.sparsity === null ? [] : [o.sparsity.row]),
        ofPredicate(o.accumulates.predicate),
        ...(o.disabled ?? []),
        ...(o.columnMask ?? []),
        ...(o.scales === null ? [] : [o.scales.a.row, o.scales.b.row]),
      ])
    case 'tcgen05Commit':
      return deciding([...addresses(o.barrier), ...rows(o.multicast)])
    case 'tensormapReplace':
      return deciding([...addresses(o.map), ...o.value])
    case 'tensormapAcquire':
      return deciding(addresses(o.map))
    case 'tensormapPublish':
      return deciding(addresses(o.into, o.from))
    case 'bar':
      return waiting(o.mode === 'sync', rows(o.id, o.count))
    case 'barReduce':
      return waiting(
        true,
        [...rows(o.id, o.count), ...guards([o.by])],
        [...rows(o.to), ...predicate(o.toPredicate)],
      )
    case 'mbarrierInit':
      return deciding([...addresses(o.at), o.count])
    case 'mbarrierInval':
    case 'mbarrierCpAsync':
      return deciding(addresses(o.at))
    case 'mbarrierArrive':
      return deciding([...addresses(o.at), ...rows(o.count, o.bytes)], o.state ?? [])
    case 'mbarrierWait':
      return waiting(
        o.blocks,
        [
          ...addresses(o.at),
          ...(o.parity === null ? (o.state ?? []) : [o.parity]),
          ...(o.spared === undefined ? [] : [ofPredicate(o.spared.ready), o.spared.tag]),
        ],
        [...predicate(o.passed), ...rows(o.makes ?? null)],
      )
    case 'mbarrierPending':
      return computing(o.state, [o.to])
    case 'print':
      return computing(o.from, [])
    case 'branch':
    case 'call':
    case 'return':
    case 'exit':
    case 'trap':
    case 'turn':
    case 'nothing':
    case 'wgmmaFence':
    case 'wgmmaCommit':
    case 'tcgen05Relinquish':
    case 'tcgen05Wait':
    case 'setRegisters':
    case 'gridDependency':
    case 'commitBulk':
    case 'waitBulk':
    case 'commitAsync':
    case 'waitAsync':
    case 'clusterArrive':
    case 'fence':
      return deciding([])
    case 'wgmmaWait':
    case 'clusterWait':
      return waiting(true, [])
  }
})

/** Is it done by lanes together? */
export const isOfLanes = (o: Operation): boolean => usesOf(o).lanes !== null

/** Does it come to no more than what it writes? Then no event tells of it. What is printed is seen outside, although no event tells of it. */
export const isComputing = (o: Operation): o is Silent => usesOf(o).computes && o._tag !== 'print'
