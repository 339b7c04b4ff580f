/**
 * Races, and writes that are not seen.
 *
 * Two accesses *conflict* if they share bytes and one of them writes, unless both are atomic for one another, or both belong to one operation or follow one
 * another in one in-order unit. A conflicting pair that is not ordered is a race; a write that is ordered before an access and not visible to it is a
 * visibility hazard.
 *
 * It is enough to ask of pairs that *meet*: a stands before b in the log, and no plain write stands between them on the bytes that they share.
 * Order is transitive, so if every pair that meets is ordered, then every pair that conflicts is. In the words of herd: of co, rf and fr their immediate parts.
 *
 *     log: w1 x, r1 x, w2 x, r2 x       meet: (w1, r1) (w1, w2) (r1, w2) (w2, r2)         (w1, r2) is theirs to order
 *
 * | what meets               | asked                                                                                       | else       |
 * |--------------------------|---------------------------------------------------------------------------------------------|------------|
 * | write, read              | ordered and visible                                                                         | race, visibility |
 * | write, write             | ordered and visible, or *landed*: each shared byte was read in between by a read that saw the first and is ordered before the second | race, visibility |
 * | read, write              | ordered; an ordinary read before an asynchronous write fenced, too (`visible.ts`)           | race, unfenced |
 * | two atomic writes        | ordered, or they commute                                                                    | any order  |
 * | nothing, read            | the bytes were written before the launch; or a write that comes later is not ordered        | nothing    |
 * | two clusters, one after the other | nothing orders them                                                                | foreign    |
 *
 * A plain access behind atomic writes meets those and not the plain write below them, for each of them meets it.
 *
 * Law 1. There is a race among pairs that meet iff there is one among all that conflict.
 *
 * Source: PTX ISA 8.7.1 (data race: conflicting, not ordered by causality, not morally strong), 8.9.5 (proxy-preserved causality order).
 */
import type { Scope } from '../language/instruction.js'
import { isFloat } from '../../numerics/dtype.js'
import { clusterOf, type Plane } from '../log/events.js'
import type { Bytes } from './bytes.js'
import { common, without } from './bytes.js'
import type { Judging } from './judging.js'
import { doneFact, pipelined } from './order.js'
import type { Reading, Touch } from './reading.js'
import { foundBefore, widthOf, type Has } from './strong.js'
import type { Knows, View } from './views.js'
import { fenced, readFence, sees } from './visible.js'

// ---------------------------------------------------------------- model

export type PairKind = 'race' | 'visibility' | 'unfenced' | 'foreign' | 'anyOrder'
export interface Pair {
  readonly kind: PairKind
  /** in the order of the log */
  readonly a: Touch
  readonly b: Touch
}
/** Why nothing is wrong with two accesses that meet; `notAsked`: the clause that would ask is left out. */
export type Ground = 'unit' | 'atomic' | 'order' | 'seen' | 'landed' | 'found' | 'notAsked'
/** Two accesses that meet, or that earlier clusters and reads of nothing bring together, and what is said of them. */
export interface Judged {
  readonly a: Touch
  readonly b: Touch
  readonly is: PairKind | Ground
}
/** A pair that is ordered by an assumption that the manual does not make. */
export interface Leaning {
  readonly on: 'relaxed' | 'issueOrder' | 'unfencedRead'
  readonly a: Touch
  readonly b: Touch
}
export interface Found {
  readonly pairs: ReadonlyArray<Pair>
  /** those, and the pairs with which nothing is wrong */
  readonly judged: ReadonlyArray<Judged>
  /** reads of bytes that no write explains */
  readonly nothing: ReadonlyArray<Touch>
  readonly leaning: ReadonlyArray<Leaning>
}

// ---------------------------------------------------------------- conflict

const reach: Readonly<Record<Scope, number>> = { cta: 1, cluster: 2, gpu: 3, sys: 3 }
/** What it acquires is known after it: it is judged by what its agent knew before. */
export const comesFirst = (t: Touch): boolean => t.access.atomic && t.operation === undefined
const ctaOf = (r: Reading, t: Touch): number => r.header.agents[t.access.stamp.agent]!.cta
const reachOf = (t: Touch): number => (t.access.atomic ? reach[t.access.scope ?? 'gpu'] : 0)

/** Each in the other's scope, through one proxy, scalars equally wide. */
export const together = (r: Reading, has: Has, a: Touch, b: Touch, resident: boolean): boolean => {
  if (!a.access.atomic || !b.access.atomic || a.access.proxy !== b.access.proxy) return false
  if (has('width') && widthOf(a) !== widthOf(b)) return false
  if (!has('scope')) return true
  const [x, y] = [ctaOf(r, a), ctaOf(r, b)]
  const needed = !resident || clusterOf(r.header, x) !== clusterOf(r.header, y) ? 3 : x === y ? 1 : 2
  return Math.min(reachOf(a), reachOf(b)) >= needed
}

/** It adds, and rounds. */
export const rounds = (a: Touch['access']): boolean =>
  a.combine === 'add' && (a.rounds === true || isFloat(a.footprint.dtype))

/** Memory is the same after two atomic writes in either order. */
export const commute = ({ access: a }: Touch, { access: b }: Touch): boolean => {
  if (a.combine !== b.combine) return false
  switch (a.combine) {
    case 'add':
      return !rounds(a) && !rounds(b)
    case 'min':
    case 'max':
      return a.footprint.dtype === b.footprint.dtype
    case 'and':
    case 'or':
    case 'xor':
      return true
    default:
      return false
  }
}

const isWrite = (t: Touch): boolean => t.access.rw === 'w'
const planeOf = (t: Touch): number => t.access.footprint.plane

// ---------------------------------------------------------------- meeting

export interface Met {
  readonly touch: Touch
  readonly bytes: Bytes
}

/** What meets the accesses before it: an access, or the dealloc of the bytes, which is like a write. */
export interface Meeting {
  readonly bytes: Bytes
  readonly isWrite: boolean
  readonly atomic: boolean
}

/**
 * The accesses that are met, newest first, and the bytes for which no write is. `before` is of one plane, in log order.
 */
export const meets = (
  before: ReadonlyArray<Touch>,
  by: Meeting,
): { readonly met: ReadonlyArray<Met>; readonly fresh: Bytes } => {
  const met: Met[] = []
  let open = by.bytes
  let bare = open
  for (let i = before.length - 1; i >= 0 && open.length > 0; i--) {
    const a = before[i]!
    if (!isWrite(a) && !by.isWrite) continue
    const plain = isWrite(a) && !a.access.atomic
    const bytes = common(a.bytes, plain && !by.atomic ? bare : open)
    if (bytes.length > 0) met.push({ touch: a, bytes })
    if (!isWrite(a)) continue
    bare = without(bare, a.bytes)
    if (plain) open = without(open, a.bytes)
  }
  return { met, fresh: bare }
}

// ---------------------------------------------------------------- what is asked

export interface Asked {
  readonly r: Reading
  readonly knows: Knows
  readonly how: Judging
  readonly ordered: (a: Touch, b: Touch) => boolean
  readonly oneUnit: (a: Touch, b: Touch) => boolean
  /** of one unit, and not by the pairs of the ISA */
  readonly assumed: (a: Touch, b: Touch) => boolean
}

export const asked = (r: Reading, knows: Knows, how: Judging): Asked => {
  const inUnit = (order: ReturnType<typeof pipelined>) => (a: Touch, b: Touch) =>
    a.operation !== undefined &&
    b.operation !== undefined &&
    (a.operation === b.operation ||
      (how.has('pipe') && (order(a.operation, b.operation) || order(b.operation, a.operation))))
  const listed = inUnit(pipelined(r, 'documented', how))
  const oneUnit = how.options.tensorPipe === 'documented' ? listed : inUnit(pipelined(r, 'issueOrder', how))
  const view = (b: Touch): View => {
    if (how.options.strict) return comesFirst(b) ? 'firmBefore' : 'firm'
    return comesFirst(b) ? 'before' : 'order'
  }
  return {
    r,
    knows,
    how,
    ordered: (a, b) => {
      const fact = doneFact(a)
      return fact >= 0 && knows(b.at, view(b), fact)
    },
    oneUnit,
    assumed: (a, b) => oneUnit(a, b) && !listed(a, b),
  }
}

/**
 * Each shared byte was read between the two writes by a read that saw what was there, the first among it (or races with it, and is told of). `before`: accesses before
 * the second write.
 */
const landed = (q: Asked, before: ReadonlyArray<Touch>, w: Met, b: Touch): boolean => {
  const saw = (a: Touch, x: Touch): boolean =>
    q.oneUnit(a, x) ||
    !q.ordered(a, x) ||
    sees(q.r, q.knows, a, x) ||
    foundBefore(q.r, q.how.has, q.knows, a, x, common(a.bytes, x.bytes))
  const shows = (x: Touch, i: number): boolean =>
    i > before.indexOf(w.touch) &&
    !isWrite(x) &&
    !x.access.atomic &&
    (w.touch.access.proxy !== 'generic' || x.access.proxy === b.access.proxy) &&
    saw(w.touch, x) &&
    meets(before.slice(0, i), { bytes: common(x.bytes, w.bytes), isWrite: false, atomic: false }).met.every(
      ({ touch }) => saw(touch, x),
    )
  const left = before.filter(shows).reduce<Bytes>((bytes, x) => without(bytes, x.bytes), w.bytes)
  return left.length === 0
}

const isWrong = (is: PairKind | Ground): is is PairKind =>
  is === 'race' || is === 'visibility' || is === 'unfenced' || is === 'foreign' || is === 'anyOrder'

const isUnfenced = (q: Asked, a: Touch, b: Touch, asked: 'demanded' | 'noted'): boolean =>
  q.how.has('fenced-read') && readFence(q.r, a, b, q.how) === asked && !fenced(q.r, q.knows, a, b)

const judge = (q: Asked, before: ReadonlyArray<Touch>, m: Met, b: Touch): PairKind | Ground => {
  const a = m.touch
  if (q.oneUnit(a, b)) return 'unit'
  if (q.how.has('atomic') && together(q.r, q.how.has, a, b, true))
    return isWrite(a) && isWrite(b) && q.how.has('coherence') && !q.ordered(a, b) && !commute(a, b)
      ? 'anyOrder'
      : 'atomic'
  const isFound = (): boolean => foundBefore(q.r, q.how.has, q.knows, a, b, m.bytes)
  if (!q.ordered(a, b)) return isFound() ? 'found' : q.how.has('race') ? 'race' : 'notAsked'
  if (!isWrite(a)) return isUnfenced(q, a, b, 'demanded') ? 'unfenced' : 'order'
  if (sees(q.r, q.knows, a, b)) return 'seen'
  if (!q.how.has('visibility')) return 'notAsked'
  if (isFound()) return 'found'
  return isWrite(b) && q.how.has('landed') && landed(q, before, m, b) ? 'landed' : 'visibility'
}

// ---------------------------------------------------------------- a cluster

/** The read of an exchange whose result nothing uses: its own write comes in place of whatever was there. */
const isReplaced = (read: Touch, after: ReadonlyArray<Touch>): boolean =>
  read.access.joins === true &&
  read.access.decides !== true &&
  after.some(
    ({ access: { combine, stamp } }) =>
      combine === 'exchange' && stamp.agent === read.access.stamp.agent && stamp.at === read.access.stamp.at,
  )

/** A read of nothing: the first writes behind it that are not ordered after it, and whether bytes are left that have none. */
const early = (
  q: Asked,
  read: Touch,
  after: ReadonlyArray<Touch>,
  fresh: Bytes,
): { readonly pairs: ReadonlyArray<Pair>; readonly left: boolean } => {
  const pairs: Pair[] = []
  let left = fresh
  for (const b of after) {
    if (!isWrite(b) || q.oneUnit(read, b) || together(q.r, q.how.has, read, b, true) || q.ordered(read, b))
      continue
    const bytes = common(left, b.bytes)
    if (bytes.length === 0) continue
    if (!read.access.atomic) pairs.push({ kind: 'race', a: read, b })
    left = without(left, bytes)
  }
  return { pairs, left: left.length > 0 }
}

/** Does the pair stand by an assumption alone: an order that is not firm, the issue order of products, or a read that needs no fence? */
const leans = (q: Asked, a: Touch, b: Touch): ReadonlyArray<Leaning> => {
  const fact = doneFact(a)
  if (q.oneUnit(a, b)) return q.assumed(a, b) && !q.ordered(a, b) ? [{ on: 'issueOrder', a, b }] : []
  // atomics that commute need no order
  if (together(q.r, q.how.has, a, b, true) && !(isWrite(a) && isWrite(b) && !commute(a, b))) return []
  const [order, firm] = comesFirst(b) ? (['before', 'firmBefore'] as const) : (['order', 'firm'] as const)
  const isRelaxed = fact >= 0 && q.knows(b.at, order, fact) && !q.knows(b.at, firm, fact)
  const isBare = !isWrite(a) && isWrite(b) && q.ordered(a, b) && isUnfenced(q, a, b, 'noted')
  return [
    ...(isRelaxed ? [{ on: 'relaxed' as const, a, b }] : []),
    ...(isBare ? [{ on: 'unfencedRead' as const, a, b }] : []),
  ]
}

/** Something lies there before the kernel, and the kernel may read it: an output is for it to write. */
const isFilled = ({ initialised, output }: Plane): boolean => initialised && output !== true

/** What is said of one access. `before` and `after` are of its plane and cluster, `past` of its plane and earlier clusters. */
const ofAccess = (
  q: Asked,
  b: Touch,
  before: ReadonlyArray<Touch>,
  after: ReadonlyArray<Touch>,
  past: ReadonlyArray<Touch>,
): Found => {
  const { met, fresh } = meets(before, { bytes: b.bytes, isWrite: isWrite(b), atomic: b.access.atomic })
  const judged = met.map((m): Judged => ({ a: m.touch, b, is: judge(q, before, m, b) }))
  const unwritten = past.filter(isWrite).reduce<Bytes>((left, a) => without(left, a.bytes), fresh)
  const isEarly =
    q.how.has('nothing') && !isWrite(b) && unwritten.length > 0 && !isFilled(q.r.header.planes[planeOf(b)]!)
  const missed =
    isEarly && !(q.how.has('replaced') && isReplaced(b, after))
      ? early(q, b, after, unwritten)
      : { pairs: [], left: false }
  const foreign = past
    .filter((a) => q.how.has('foreign') && (isWrite(a) || isWrite(b)) && common(a.bytes, b.bytes).length > 0)
    .map((a): Judged => {
      if (!together(q.r, q.how.has, a, b, false)) return { a, b, is: 'foreign' }
      return {
        a,
        b,
        is: isWrite(a) && isWrite(b) && q.how.has('coherence') && !commute(a, b) ? 'anyOrder' : 'atomic',
      }
    })
  const all = [
    ...judged,
    ...missed.pairs.map(({ a, b: c, kind }): Judged => ({ a, b: c, is: kind })),
    ...foreign,
  ]
  return {
    pairs: all.flatMap(({ a, b: c, is }) => (isWrong(is) ? [{ kind: is, a, b: c }] : [])),
    judged: all,
    nothing: missed.left ? [b] : [],
    leaning: judged.flatMap(({ a, is }) =>
      (!isWrong(is) && is !== 'found') || is === 'unfenced' ? leans(q, a, b) : [],
    ),
  }
}

/** `past`: what earlier clusters did to global memory. */
export const races = (q: Asked, past: ReadonlyArray<Touch>): Found => {
  const found = q.r.header.planes.flatMap((plane, p) => {
    const all = q.r.touches.filter((t) => planeOf(t) === p)
    const earlier = past.filter((t) => planeOf(t) === p)
    const isRead = isFilled(plane) && ![...all, ...earlier].some(isWrite)
    return isRead ? [] : all.map((b, i) => ofAccess(q, b, all.slice(0, i), all.slice(i + 1), earlier))
  })
  const pairs = found.flatMap((f) => f.pairs)
  return {
    // a read of nothing and the write behind it say the same
    pairs: pairs.filter(
      (x, i) => pairs.findIndex((y) => y.kind === x.kind && y.a === x.a && y.b === x.b) === i,
    ),
    judged: found.flatMap((f) => f.judged),
    nothing: found.flatMap((f) => f.nothing),
    leaning: found.flatMap((f) => f.leaning),
  }
}
