/**
 * What an operation of lanes reads and writes of their registers.
 *
 *     add.s32 %r3, %r1, %r2      reads rows of %r1 and %r2, writes that of %r3
 *     st.global [%rd1], %r3      reads the address and the value; what it reads decides something
 *
 * `computes`: what it reads comes to no more than what it writes. Of all else what is read decides: a branch, an address, what memory holds. `kept`: what memory holds alone.
 *
 * To add an operation: its line in `usesOf`.
 */
import { remembered } from '../../remembered.js'
import { ofPredicate, type Address, type Guard, type Operation, type Place, type Row } from './program.js'

export interface Uses {
  readonly reads: ReadonlyArray<Place>
  readonly writes: ReadonlyArray<Place>
  readonly computes: boolean
  /** what it reads that only comes into memory: neither where it goes nor whether it does depends on it */
  readonly kept: ReadonlyArray<Place>
}

const guards = (gs: ReadonlyArray<Guard | null>): ReadonlyArray<Place> =>
  gs.flatMap((g) => (g === null ? [] : [ofPredicate(g.predicate)]))
const rows = (...rs: ReadonlyArray<Row | null>): ReadonlyArray<Place> =>
  rs.flatMap((r) => (r === null ? [] : [r]))
const addresses = (...as: ReadonlyArray<Address | null>): ReadonlyArray<Place> =>
  as.flatMap((a) => a?.rows ?? [])
const predicate = (p: number | null): ReadonlyArray<Place> => (p === null ? [] : [ofPredicate(p)])

const computing = (reads: ReadonlyArray<Place>, writes: ReadonlyArray<Place>): Uses => ({
  reads,
  writes,
  computes: true,
  kept: [],
})
const deciding = (reads: ReadonlyArray<Place>, writes: ReadonlyArray<Place> = []): Uses => ({
  reads,
  writes,
  computes: false,
  kept: [],
})
/** Of registers that go to places of memory. */
const storing = (
  at: ReadonlyArray<Place>,
  kept: ReadonlyArray<Place>,
  writes: ReadonlyArray<Place> = [],
): Uses => ({ reads: [...at, ...kept], writes, computes: false, kept })

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
      return computing(rows(o.value, o.lane, o.clamp, o.members), [...rows(o.to), ...predicate(o.inRange)])
    case 'vote':
      return computing([...guards([o.by]), ...rows(o.members)], [...rows(o.to), ...predicate(o.toPredicate)])
    case 'match':
      return computing([...o.value, o.members], [o.to, ...predicate(o.all)])
    case 'reduce':
      return computing([o.value, o.members], [o.to])
    case 'elect':
      return computing([o.members], [...rows(o.to), ...predicate(o.elected)])
    case 'activeLanes':
      return computing([], [o.to])
    case 'meetLanes':
      return deciding([o.members])
    case 'load':
      return deciding(
        [...addresses(o.from), ...rows(o.until?.value ?? null)],
        o.to.flatMap((to) => to ?? []),
      )
    case 'store':
      return storing(addresses(o.into), o.value.flat())
    case 'atomic':
      return storing(addresses(o.at), [...o.value, ...o.compare], o.to ?? [])
    case 'copyAsync':
      return deciding([...addresses(o.into, o.from), ...rows(o.sourceBytes), ...guards([o.ignore])])
    case 'copyBulk':
      return deciding([...addresses(o.into, o.from, o.barrier), o.bytes, ...rows(o.multicast, o.byteMask)])
    case 'zeroBulk':
      return deciding([...addresses(o.into), ...o.bytes])
    case 'sendAsync':
      return storing(addresses(o.into, o.barrier), o.value.flat())
    case 'wgmma':
      return deciding(
        [
          ...(o.a._tag === 'registers' ? o.a.rows : o.a.descriptor),
          ...o.b.descriptor,
          ...o.d,
          ...(o.sparsity === null ? [] : [o.sparsity.row]),
          ofPredicate(o.accumulates.predicate),
        ],
        o.d,
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
      return deciding([o.at.row], o.to)
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
      return deciding(rows(o.id, o.count))
    case 'barReduce':
      return deciding(
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
      return deciding(
        [
          ...addresses(o.at),
          ...(o.parity === null ? (o.state ?? []) : [o.parity]),
          ...(o.spared === undefined ? [] : [ofPredicate(o.spared.ready), o.spared.tag]),
        ],
        [...predicate(o.passed), ...rows(o.makes ?? null)],
      )
    case 'mbarrierPending':
      return computing(o.state, [o.to])
    case 'branch':
    case 'call':
    case 'return':
    case 'exit':
    case 'trap':
    case 'turn':
    case 'nothing':
    case 'wgmmaFence':
    case 'wgmmaCommit':
    case 'wgmmaWait':
    case 'tcgen05Relinquish':
    case 'tcgen05Wait':
    case 'setRegisters':
    case 'gridDependency':
    case 'commitBulk':
    case 'waitBulk':
    case 'commitAsync':
    case 'waitAsync':
    case 'clusterArrive':
    case 'clusterWait':
    case 'fence':
      return deciding([])
  }
})
