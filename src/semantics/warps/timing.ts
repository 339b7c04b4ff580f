/**
 * What of a program of warps may depend on how fast agents are (C1), by the text alone.
 *
 * Control depends on the values that a warp is given. Those are the same in every schedule, but for what looks at the progress of others: an mbarrier that
 * is asked and not waited for, what an atomic finds, a load that is ordered with other agents' stores, a clock. Whether such a value decides anything is
 * not asked: that it is read at all is the reason.
 *
 * Order between agents that comes of atomics, fences and ordered loads is not judged; so it is a reason, too.
 */
import type { Operation, WarpProgram } from './program.js'

/** Rows that an operation reads. */
const rowsRead = (o: Operation): ReadonlyArray<number> => {
  switch (o._tag) {
    case 'scalar':
    case 'move':
      return o.from
    case 'part':
      return [o.from]
    case 'pack':
      return o.from
    case 'branchIndexed':
      return [o.index]
    case 'shuffle':
      return [o.value, o.lane, o.clamp]
    case 'match':
      return o.value
    case 'reduce':
      return [o.value]
    case 'load':
      return o.from.rows
    case 'store':
      return [...o.into.rows, ...o.value.flat()]
    case 'atomic':
      return [...o.at.rows, ...o.value, ...o.compare]
    case 'copyAsync':
      return [...o.into.rows, ...o.from.rows, ...(o.sourceBytes === null ? [] : [o.sourceBytes])]
    case 'copyBulk':
      return [...o.into.rows, ...o.from.rows, o.bytes, ...(o.barrier?.rows ?? [])]
    case 'bar':
    case 'barReduce':
      return [o.id, ...(o.count === null ? [] : [o.count])]
    case 'mbarrierInit':
      return [...o.at.rows, o.count]
    case 'mbarrierInval':
    case 'mbarrierCpAsync':
      return o.at.rows
    case 'mbarrierArrive':
      return [...o.at.rows, ...[o.count, o.bytes].flatMap((row) => (row === null ? [] : [row]))]
    case 'mbarrierWait':
      return [...o.at.rows, ...(o.parity === null ? (o.state ?? []) : [o.parity])]
    case 'mbarrierPending':
      return o.state
    default:
      return []
  }
}

/** Why control may depend on timing, each with its line; none: it does not. */
export const timingOf = (p: WarpProgram): ReadonlyArray<string> => {
  const read = new Set<number>()
  for (const { operation } of p.code) for (const row of rowsRead(operation)) read.add(row)
  const reasons = new Map<string, string>()
  for (const { operation: o, site } of p.code) {
    const label = p.sites[site]?.label ?? ''
    const because = (why: string): void => {
      reasons.set(`${label}${why}`, `\`${label}\` ${why}`)
    }
    switch (o._tag) {
      case 'mbarrierWait':
        if (!o.blocks) because('asks an mbarrier and goes on whatever it says')
        break
      case 'atomic':
        if (o.to?.some((row) => read.has(row)) === true) because('is an atomic whose result is read')
        if (o.ordering !== 'weak' && o.ordering !== 'relaxed') because('orders other accesses by an atomic')
        break
      case 'load':
        if (o.ordering !== 'weak' && o.from.space !== 'local' && o.from.space !== 'param')
          because('is a load that is ordered with the stores of others')
        break
      case 'fence':
        if (o.kind === 'memory') because('orders accesses by a fence')
        break
      default:
        break
    }
  }
  for (const { row, given } of p.givens)
    if (given._tag === 'unspecified' && read.has(row))
      reasons.set(given.name, `${given.name} is read, which a launch does not say`)
  return [...reasons.values()]
}
