/**
 * Contested states: two conflicting accesses on offer at once.
 *
 * A race that a detector infers from missing order may be an artefact of a run whose barriers are ambiguous (C3, C4 or C6 fails). A state
 * that offers both accesses, at least one of them a write, to overlapping bytes is beyond argument: either may come first.
 *
 * The watch wraps a policy: it looks at what is offered before the policy chooses, and changes nothing.
 */
import type { InFlight, Elements } from './machine/operation.js'
import type { AnyPolicy, Policy } from './policy.js'
import { showKey, type Offered } from './step.js'
import type { Ready } from './machine/state.js'

/** `joins`: atomic reads and writes at once, which contend with plain accesses and not with one another. */
interface Places {
  readonly reads: ReadonlyArray<Elements>
  readonly writes: ReadonlyArray<Elements>
  readonly joins: ReadonlyArray<Elements>
}
interface Touches extends Places {
  readonly key: string
}

const touching = (
  reads: ReadonlyArray<Elements>,
  writes: ReadonlyArray<Elements>,
  joins: ReadonlyArray<Elements> = [],
): Places => ({ reads, writes, joins })
const nothing: Places = touching([], [])

const withMap = (source: Elements, map: Elements | null): ReadonlyArray<Elements> =>
  map === null ? [source] : [source, map]

const ofOperation = (f: InFlight): Places => {
  switch (f._tag) {
    case 'tmaLoad':
      return f.stage === 'write' ? touching(withMap(f.source, f.map), [f.destination]) : nothing
    case 'tmaStore':
      return f.stage === 'read'
        ? touching(withMap(f.source, f.map), [])
        : f.combine === null
          ? touching([], [f.destination])
          : touching([], [], [f.destination])
    case 'stAsync':
      return f.stage === 'write' ? touching([], [f.destination]) : nothing
    case 'cpAsync':
      return touching([f.source], [f.destination])
    case 'cpAsyncArrive':
      return nothing
    case 'tcgen05':
      return touching(
        [...f.mma.b, ...f.mma.shares.flatMap((share) => share.a)],
        f.mma.shares.map((share) => share.accumulator),
      )
    case 'tcgen05Copy':
      return touching(
        f.copy.moves.map((move) => move.source),
        f.copy.moves.map((move) => move.destination),
      )
    case 'wgmma':
      return touching([f.mma.a, f.mma.b], [f.mma.accumulator])
    case 'tcgen05Commit':
      return nothing
    case 'tcgen05Ld':
      return touching([f.source], [f.destination])
    case 'tcgen05St':
      return touching([], [f.destination])
  }
}

const ofAgent = (r: Ready | null): Places => {
  if (r === null || r._tag !== 'do') return nothing
  switch (r.prepared._tag) {
    case 'load':
      return touching([r.prepared.source], [])
    case 'store':
      return touching([], [r.prepared.destination])
    case 'tensormap.create':
      return touching([], [r.prepared.object])
    default:
      return nothing
  }
}

const overlaps = (x: Elements, y: Elements): boolean => {
  if (x.plane !== y.plane) return false
  const a = x.footprint.spans
  const b = y.footprint.spans
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if (a[i]! < b[j + 1]! && b[j]! < a[i + 1]!) return true
    if (a[i + 1]! <= b[j + 1]!) i += 2
    else j += 2
  }
  return false
}

const meet = (xs: ReadonlyArray<Elements>, ys: ReadonlyArray<Elements>): boolean =>
  xs.some((x) => ys.some((y) => overlaps(x, y)))

const conflict = (x: Touches, y: Touches): boolean =>
  meet(x.writes, y.writes) ||
  meet(x.writes, y.reads) ||
  meet(x.reads, y.writes) ||
  meet(x.joins, y.writes) ||
  meet(x.joins, y.reads) ||
  meet(x.writes, y.joins) ||
  meet(x.reads, y.joins)

const touches = (o: Offered): Touches => {
  const p = o.operation === null ? ofAgent(o.ready) : ofOperation(o.operation)
  return { key: showKey(o.key), reads: p.reads, writes: p.writes, joins: p.joins }
}

/** The first two offered events that conflict: their keys. */
export const contestedPair = (offered: ReadonlyArray<Offered>): string | null => {
  const all = offered.map(touches).filter((t) => t.reads.length + t.writes.length + t.joins.length > 0)
  for (let i = 0; i < all.length; i++)
    for (let j = 0; j < i; j++) if (conflict(all[i]!, all[j]!)) return `${all[j]!.key} and ${all[i]!.key}`
  return null
}

export interface Watch {
  /** the same policy, watched */
  readonly policy: (inner: AnyPolicy) => AnyPolicy
  /** the first contested pair seen so far */
  readonly seen: () => string | null
}

/** A watch remembers across the run that it watches; use one for each run. */
export const contested = (): Watch => {
  let pair: string | null = null
  return {
    policy:
      (inner) =>
      <R>(k: <S>(policy: Policy<S>) => R): R =>
        inner((policy) =>
          k({
            name: policy.name,
            init: policy.init,
            choose: (state, offered) => {
              pair ??= contestedPair(offered)
              return policy.choose(state, offered)
            },
          }),
        ),
    seen: () => pair,
  }
}
