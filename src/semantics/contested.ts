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

interface Touches {
  readonly key: string
  readonly reads: ReadonlyArray<Elements>
  readonly writes: ReadonlyArray<Elements>
}

const ofOperation = (f: InFlight): readonly [ReadonlyArray<Elements>, ReadonlyArray<Elements>] => {
  switch (f._tag) {
    case 'tmaLoad':
      return f.stage === 'write' ? [[f.source], [f.destination]] : [[], []]
    case 'tmaStore':
      return f.stage === 'read' ? [[f.source], []] : [[], [f.destination]]
    case 'cpAsync':
      return [[f.source], [f.destination]]
    case 'cpAsyncArrive':
      return [[], []]
    case 'tcgen05':
      return [
        [...f.mma.b, ...f.mma.shares.flatMap((share) => share.a)],
        f.mma.shares.map((share) => share.accumulator),
      ]
    case 'tcgen05Copy':
      return [f.copy.moves.map((move) => move.source), f.copy.moves.map((move) => move.destination)]
    case 'wgmma':
      return [[f.mma.a, f.mma.b], [f.mma.accumulator]]
    case 'tcgen05Commit':
      return [[], []]
    case 'tcgen05Ld':
      return [[f.source], [f.destination]]
    case 'tcgen05St':
      return [[], [f.destination]]
  }
}

const ofAgent = (r: Ready | null): readonly [ReadonlyArray<Elements>, ReadonlyArray<Elements>] => {
  if (r === null || r._tag !== 'do') return [[], []]
  switch (r.prepared._tag) {
    case 'load':
      return [[r.prepared.source], []]
    case 'store':
      return [[], [r.prepared.destination]]
    default:
      return [[], []]
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

const conflict = (x: Touches, y: Touches): boolean =>
  x.writes.some((w) => y.writes.some((v) => overlaps(w, v)) || y.reads.some((r) => overlaps(w, r))) ||
  x.reads.some((r) => y.writes.some((w) => overlaps(w, r)))

const touches = (o: Offered): Touches => {
  const [reads, writes] = o.operation === null ? ofAgent(o.ready) : ofOperation(o.operation)
  return { key: showKey(o.key), reads, writes }
}

/** The first two offered events that conflict: their keys. */
export const contestedPair = (offered: ReadonlyArray<Offered>): string | null => {
  const all = offered.map(touches).filter((t) => t.reads.length + t.writes.length > 0)
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
