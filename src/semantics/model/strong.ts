/**
 * Strong accesses: who synchronises with whom through a word of memory.
 *
 * A load, a store or an atomic is *strong* if it is relaxed, acquire, release or volatile. Two operations are *morally strong* if each has a scope that includes the
 * other's thread, and, if both are accesses, they go through one proxy and touch exactly the same bytes. Everything here is made of these four notions:
 *
 *     observed      the read takes the value of the write, and the two are morally strong; or the write is observed by an atomic, whose own write is observed
 *     release end   a release access of the word;  or one that a later strong write of the word follows;  or a fence that a strong write follows
 *     acquire end   an acquire access of the word; or one that comes after a strong read of the word;     or a fence after a strong read
 *     synchronises  a release end and an acquire end, morally strong, if the write of the one is observed by the read of the other
 *
 * Worked. T0: write x #0; fence #1; store s #2. T1: atomic s #3, #4. T2: load s #5; fence #6; read x #7. The write 4 takes over what 3 finds, so the load observes
 * 2 through the atomic: the fence 1 is a release end, the fence 6 an acquire end, and 0 is in (7, generic). T1 learns nothing: it has no acquire end.
 *
 * A read of the log takes the last write before it; which other write it may take is asked in `readings.ts`. So no Fence-SC order is drawn between any two `fence.sc`: another
 * run may have another. What is drawn is what every run with these reads has: the fence that a write comes after precedes the fence that comes after its read. The
 * other way round the read would come before the write that it takes.
 *
 *     T0: fence sc    T0, T1: bar    T1: store s         T2: load s    T2, T3: bar    T3: fence sc       T0's fence is before T3's
 *
 * Laws
 * 1. Nothing synchronises with an agent that neither acquires nor fences.
 * 2. Whatever is left out of scopes and widths, what synchronises grows.
 *
 * Source: PTX 8.7 (morally strong), 8.8 (patterns), 8.9.2 (observation), 8.9.3 (Fence-SC), 8.9.4 (synchronises).
 */
import { bitsOf } from '../../numerics/dtype.js'
import type { Fence, LogEvent } from '../log/events.js'
import { clusterOf } from '../log/events.js'
import type { Scope } from '../language/instruction.js'
import type { Bytes } from './bytes.js'
import { wordsOf } from './bytes.js'
import { clusterBarriers, type Meeting, type Reading, type Touch } from './reading.js'
import type { Knows } from './views.js'

// ---------------------------------------------------------------- model

/** Which clauses stand. */
export type Has = (clause: string) => boolean

/** One end of a pattern: an access or a fence, of an agent, as far as its scope. */
export interface End {
  readonly at: number
  readonly agent: number
  readonly reach: number
}

/** A release end and the acquire end that synchronises with it. */
export interface Synchronised {
  readonly from: number
  readonly to: number
  /** the read was of a loop that waits for the word: when it passes is asked elsewhere */
  readonly awaited: boolean
}

// ---------------------------------------------------------------- morally strong

export const reachOf: Readonly<Record<Scope | 'global', number>> = {
  cta: 1,
  cluster: 2,
  gpu: 3,
  sys: 3,
  global: 3,
}

/** How far a scope has to reach from one agent to include another: its CTA, its cluster, the grid. */
export const distance = ({ header }: Reading, a: number, b: number): number => {
  const [x, y] = [header.agents[a]!.cta, header.agents[b]!.cta]
  return x === y ? 1 : clusterOf(header, x) === clusterOf(header, y) ? 2 : 3
}

const included = (r: Reading, has: Has, a: Omit<End, 'at'>, b: Omit<End, 'at'>): boolean =>
  !has('scope') || Math.min(a.reach, b.reach) >= distance(r, a.agent, b.agent)

/** Bits of one scalar of an access. */
export const widthOf = ({ access: { footprint, words = 1 } }: Touch): number =>
  words * bitsOf(footprint.dtype)

const agentOf = (t: Touch): number => t.access.stamp.agent
const endOf = (t: Touch): End => ({ at: t.at, agent: agentOf(t), reach: reachOf[t.access.scope ?? 'gpu'] })

/** An access of an agent that is strong. */
export const isStrong = (t: Touch): boolean =>
  t.access.atomic && t.operation === undefined && t.access.proxy === 'generic'

/** Two strong accesses of one word, each in the other's scope. */
export const morallyStrong = (r: Reading, has: Has, a: Touch, b: Touch): boolean =>
  isStrong(a) &&
  isStrong(b) &&
  (!has('width') || widthOf(a) === widthOf(b)) &&
  included(r, has, endOf(a), endOf(b))

// ---------------------------------------------------------------- observation

/** The accesses of a word, in the order of the log. */
export interface Word {
  readonly plane: number
  readonly byte: number
  readonly touches: ReadonlyArray<Touch>
}

const covers = (t: Touch, byte: number): boolean => t.bytes.some(([from, end]) => from <= byte && byte < end)

/** Every word that a strong access touches. */
export const wordsIn = (r: Reading): ReadonlyArray<Word> => {
  const all = new Map<string, Word>()
  for (const t of r.touches.filter(isStrong))
    for (const byte of wordsOf(t.access.footprint)) {
      const { plane } = t.access.footprint
      const key = `${String(plane)} ${String(byte)}`
      if (!all.has(key))
        all.set(key, {
          plane,
          byte,
          touches: r.touches.filter((x) => x.access.footprint.plane === plane && covers(x, byte)),
        })
    }
  return [...all.values()]
}

const isWrite = (t: Touch): boolean => t.access.rw === 'w'
/** The write of an atomic: it joins what its read has found. */
const joins = (t: Touch): boolean => isWrite(t) && t.access.combine !== undefined

/** The writes that a read observes: the one that it takes, and through atomics those that they have taken. */
export const observed = (r: Reading, has: Has, { touches }: Word, read: Touch): ReadonlyArray<Touch> => {
  const before = (t: Touch): ReadonlyArray<Touch> => touches.slice(0, touches.indexOf(t)).filter(isWrite)
  // without `store-hides` a read observes every earlier write
  if (!has('store-hides')) return before(read).filter((w) => morallyStrong(r, has, w, read))
  const out: Touch[] = []
  for (let by = read; ;) {
    // an atomic is a read and a write, one right after the other
    const taken = before(by).at(-1)
    if (taken === undefined || !morallyStrong(r, has, taken, by)) return out
    out.push(taken)
    if (!joins(taken) || !has('observation')) return out
    by = taken
  }
}

// ---------------------------------------------------------------- patterns

const fenceOf = (e: LogEvent): Fence | undefined =>
  e._tag === 'fence' && e.kind === 'memory' ? e : undefined

const fenceEnd = (r: Reading, at: number): End => {
  const e = fenceOf(r.log[at]!)!
  return { at, agent: e.stamp.agent, reach: reachOf[e.scope] }
}

/** Fences of an agent that release, before an event of its; those that acquire, after it. */
export const releasingFences = (r: Reading, has: Has, agent: number, at: number): ReadonlyArray<End> =>
  !has('fence-release')
    ? []
    : r.programs[agent]!.filter((i) => {
        const f = fenceOf(r.log[i]!)
        return i < at && f !== undefined && (f.half !== 'acquire' || !has('half-fence'))
      }).map((i) => fenceEnd(r, i))
export const acquiringFences = (r: Reading, has: Has, agent: number, at: number): ReadonlyArray<End> =>
  !has('fence-acquire')
    ? []
    : r.programs[agent]!.filter((i) => {
        const f = fenceOf(r.log[i]!)
        return i > at && f !== undefined && (f.half !== 'release' || !has('half-fence'))
      }).map((i) => fenceEnd(r, i))

/** Accesses of the same word and width by the same agent. */
const ofSame = ({ touches }: Word, t: Touch): ReadonlyArray<Touch> =>
  touches.filter((x) => isStrong(x) && agentOf(x) === agentOf(t) && widthOf(x) === widthOf(t))

/** Where the release patterns begin that end in this write. */
const releaseEnds = (r: Reading, has: Has, word: Word, write: Touch): ReadonlyArray<End> => [
  ...ofSame(word, write)
    .filter((x) => x.access.releases === true && (x === write || (x.at < write.at && has('release-again'))))
    .map(endOf),
  ...releasingFences(r, has, agentOf(write), write.at),
]

const isWait = (r: Reading, at: number): boolean => {
  const e = r.log[at]!
  return e._tag === 'semaphore' && e.until !== undefined
}

/** What an access acquires it acquires at this event: an atomic at its write. */
const acquires = (r: Reading, t: Touch): boolean => {
  const e = r.log[t.at]!
  return e._tag === 'semaphore' ? isWait(r, t.at) && e.relaxed !== true : t.access.acquires === true
}

/** Where the acquire patterns end that begin with this read; of an atomic its write stands for both. */
const acquireEnds = (r: Reading, has: Has, word: Word, read: Touch): ReadonlyArray<End> => [
  ...ofSame(word, read)
    .filter((x) => acquires(r, x) && (x === read || (x.at > read.at && has('acquire-again'))))
    .map(endOf),
  ...acquiringFences(r, has, agentOf(read), read.at),
]

// ---------------------------------------------------------------- synchronises

/** The read of a load or a wait, or the write of an atomic in the place of its read. */
const finds = (t: Touch): boolean => isStrong(t) && (!isWrite(t) || joins(t))

/** Every release end with every acquire end that synchronises with it. */
export const synchronised = (r: Reading, has: Has): ReadonlyArray<Synchronised> =>
  wordsIn(r).flatMap((word) =>
    word.touches.filter(finds).flatMap((read) =>
      observed(r, has, word, read).flatMap((write) =>
        releaseEnds(r, has, word, write).flatMap((from) =>
          acquireEnds(r, has, word, read)
            .filter((to) => from.agent !== to.agent && included(r, has, from, to))
            .map((to) => ({ from: from.at, to: to.at, awaited: isWait(r, read.at) })),
        ),
      ),
    ),
  )

// ---------------------------------------------------------------- found

/** Its value is the same wherever the run comes here: all orders of a read that decides are followed, and a wait passes on one value. */
const isFirm = (r: Reading, t: Touch): boolean => t.access.decides === true || isWait(r, t.at)

/**
 * Is a strong access before a weak one because what comes before that has found it? Observation leads from a write to its read, and order from the read to the weak
 * access. The accesses of the word that the writer made before its write are before it, too.
 */
export const foundBefore = (
  r: Reading,
  has: Has,
  knows: Knows,
  a: Touch,
  b: Touch,
  bytes: Bytes,
): boolean => {
  if (!has('found') || !isStrong(a) || b.operation !== undefined || b.access.proxy !== 'generic') return false
  const { plane } = a.access.footprint
  const shared = wordsIn(r).filter(
    (w) => w.plane === plane && bytes.some(([from, end]) => from <= w.byte && w.byte < end),
  )
  const isFound = (word: Word): boolean =>
    word.touches.some(
      (read) =>
        isStrong(read) &&
        !isWrite(read) &&
        isFirm(r, read) &&
        agentOf(read) !== agentOf(a) &&
        knows(b.at, b.access.atomic ? 'before' : 'order', read.at) &&
        observed(r, has, word, read).some((w) => agentOf(w) === agentOf(a) && w.at >= a.at),
    )
  return shared.length > 0 && shared.every(isFound)
}

// ---------------------------------------------------------------- Fence-SC order

/** A barrier of a CTA, and not of its cluster. */
export const isOfCta = (r: Reading, { arrivals }: Meeting): boolean =>
  arrivals.every((i) => {
    const e = r.log[i]!
    return e._tag === 'rendezvous' && e.id < clusterBarriers && e.relaxed !== true
  })

/** Whether an event comes before another by program order and the barriers of one CTA. */
const handed = (r: Reading): ((a: number, b: number) => boolean) => {
  const next = new Map<number, number[]>()
  const draw = (a: number, b: number): void => {
    next.set(a, [...(next.get(a) ?? []), b])
  }
  for (const events of r.programs)
    events.forEach((e, k) => {
      if (k > 0) draw(events[k - 1]!, e)
    })
  for (const m of r.meetings)
    if (isOfCta(r, m)) for (const a of m.arrivals) for (const b of m.leaves) if (a < b) draw(a, b)
  const from = new Map<number, ReadonlySet<number>>()
  const reached = (a: number): ReadonlySet<number> => {
    const known = from.get(a)
    if (known !== undefined) return known
    const all = new Set([a])
    for (const x of all) for (const y of next.get(x) ?? []) all.add(y)
    from.set(a, all)
    return all
  }
  return (a, b) => reached(a).has(b)
}

const sequential = (r: Reading): ReadonlyArray<End> =>
  r.log.flatMap((e, at) => (fenceOf(e)?.sequential === true ? [fenceEnd(r, at)] : []))

/** Pairs of `fence.sc` whose order every run with these reads has. */
export const forced = (r: Reading, has: Has): ReadonlyArray<Synchronised> => {
  const fences = sequential(r)
  if (fences.length < 2) return []
  const before = handed(r)
  return wordsIn(r).flatMap((word) =>
    word.touches
      .filter(finds)
      .flatMap((read) =>
        observed(r, has, word, read).flatMap((write) =>
          fences
            .filter((f) => before(f.at, write.at))
            .flatMap((from) =>
              fences
                .filter((f) => before(read.at, f.at) && f.agent !== from.agent && included(r, has, from, f))
                .map((to) => ({ from: from.at, to: to.at, awaited: isWait(r, read.at) })),
            ),
        ),
      ),
  )
}

/** Whether a later `fence.sc` of the log is in one order with an earlier one. */
export const fencesInOrder = (r: Reading, has: Has): ReadonlyArray<readonly [first: number, then: number]> =>
  sequential(r).flatMap((then) =>
    sequential(r)
      .filter((first) => first.at < then.at && first.agent !== then.agent && included(r, has, first, then))
      .map((first) => [first.at, then.at] as const),
  )
