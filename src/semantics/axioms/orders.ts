/**
 * The relations of the PTX memory consistency model, each as the manual defines it: one name, one section.
 *
 * | relation                          | PTX ISA | depends on                                    |
 * |-----------------------------------|---------|-----------------------------------------------|
 * | `overlap`, `sameAddress`          | 8.2.1   | the events                                    |
 * | `morallyStrong`                   | 8.7     | the events                                    |
 * | `releasePatterns`, `acquirePatterns` | 8.8  | the events                                    |
 * | `programOrder`                    | 8.9.1   | the events                                    |
 * | `observation`                     | 8.9.2   | who reads from whom                           |
 * | Fence-SC order                    | 8.9.3   | a choice of the execution (`candidates.ts`)   |
 * | `synchronizes`                    | 8.9.4   | observation, Fence-SC order, phases of barriers |
 * | `baseCausality`                   | 8.9.5   | synchronizes                                  |
 * | `proxyPreserved`                  | 8.9.5   | base causality, proxy fences                  |
 * | `causality`                       | 8.9.5   | the two before                                |
 * | coherence order                   | 8.9.6   | a choice of the execution (`candidates.ts`)   |
 * | `readsBefore` (of communication)  | 8.9.7   | who reads from whom, coherence                |
 * | `dataRaces`                       | 8.7.1   | causality                                     |
 *
 * Where the manual leaves a word open
 * - Overlap needs one virtual address by its letter (8.2.1), and aliases could then not communicate at all. Here accesses of one memory location overlap; morally strong
 *   ones, and the two accesses of a pattern, are also of one virtual address.
 * - A proxy fence has no clause of its own in 8.9.5 but for aliases. Here a fence of proxy P, along base causality and in the CTA of the access by P, leads from P to the
 *   generic proxy and back; an alias fence leads from one virtual address to its aliases, in the generic proxy (8.6, "a proxy fence is required to synchronize across
 *   proxies"; 8.9.5 for "by the same thread block").
 * - What sets memory up comes before everything, in every proxy (8.2.6, and 8.9.4 on the start of a kernel).
 */
import { addressOf, isRead, isWrite, type Event } from './events.js'
import type { Place, Proxy, Scope } from './program.js'
import { closure, compose, from, has, meet, none, relation, union, type Relation } from './relation.js'

type Events = ReadonlyArray<Event>

// ---------------------------------------------------------------- 8.2 to 8.7: two events

/** Accesses of the same memory (8.2.1, 8.2.2). */
export const overlap = (events: Events): Relation =>
  relation(events.length, (a, b) => {
    const [x, y] = [addressOf(events[a]!), addressOf(events[b]!)]
    return a !== b && x !== undefined && y !== undefined && x.location === y.location
  })

/** Accesses by the same virtual address (8.2.1). */
export const sameAddress = (events: Events): Relation =>
  relation(events.length, (a, b) => {
    const [x, y] = [addressOf(events[a]!), addressOf(events[b]!)]
    return x !== undefined && y !== undefined && x.location === y.location && x.address === y.address
  })

/** Whether two places are in one CTA. */
export const sameCta = (a: Place, b: Place): boolean =>
  a.gpu === b.gpu && a.cluster === b.cluster && a.cta === b.cta

/** Whether a scope of a thread includes another thread (8.5). */
const includes = (scope: Scope, a: Place, b: Place): boolean => {
  switch (scope) {
    case 'cta':
      return sameCta(a, b)
    case 'cluster':
      return a.gpu === b.gpu && a.cluster === b.cluster
    case 'gpu':
      return a.gpu === b.gpu
    case 'sys':
      return true
  }
}

/** The scope of a strong operation (8.4); nothing if it is weak, or none. */
export const scopeOf = ({ does }: Event): Scope | undefined => {
  switch (does._tag) {
    case 'access':
      return does.how.sem === 'weak' ? undefined : does.how.scope
    case 'fence':
      return does.scope
    case 'proxyFence':
    case 'barrier':
    case 'start':
      return undefined
  }
}

/** The proxy of an access or a memory fence (8.6). */
const proxyOf = ({ does }: Event): Proxy | undefined => {
  switch (does._tag) {
    case 'access':
      return does.proxy
    case 'fence':
    case 'start':
      return 'generic'
    case 'proxyFence':
    case 'barrier':
      return undefined
  }
}

/** Program order (8.9.1). */
export const programOrder = (events: Events): Relation =>
  relation(
    events.length,
    (a, b) => events[a]!.thread >= 0 && events[a]!.thread === events[b]!.thread && a < b,
  )

/** Morally strong operations (8.7). */
export const morallyStrong = (events: Events): Relation =>
  relation(events.length, (i, j) => {
    const [a, b] = [events[i]!, events[j]!]
    if (i === j || a.thread < 0 || b.thread < 0) return false
    const [scopeA, scopeB] = [scopeOf(a), scopeOf(b)]
    const near =
      a.thread === b.thread ||
      (scopeA !== undefined &&
        scopeB !== undefined &&
        includes(scopeA, a.place, b.place) &&
        includes(scopeB, b.place, a.place))
    const [proxyA, proxyB] = [proxyOf(a), proxyOf(b)]
    const [toA, toB] = [addressOf(a), addressOf(b)]
    return (
      near &&
      proxyA !== undefined &&
      proxyA === proxyB &&
      (toA === undefined ||
        toB === undefined ||
        (toA.location === toB.location && toA.address === toB.address))
    )
  })

// ---------------------------------------------------------------- 8.8: patterns

/** A pattern: the operation at its outer end, and the access of M that observation order is asked of. */
export interface Pattern {
  /** the first operation of a release pattern, the last of an acquire pattern */
  readonly end: number
  readonly access: number
}

const sem = ({ does }: Event): string =>
  does._tag === 'access' ? does.how.sem : does._tag === 'fence' ? `fence.${does.sem}` : ''
const isStrongWrite = (e: Event): boolean => e.thread >= 0 && isWrite(e) && scopeOf(e) !== undefined
/** A strong read that may be of an acquire pattern: that of a reduction is of none (8.8). */
const isPatternRead = (e: Event): boolean =>
  isRead(e) && scopeOf(e) !== undefined && !(e.does._tag === 'access' && e.does.reduction)

/** Release patterns (8.8): a release operation, alone or before a strong write of the same address; a fence before a strong write. */
export const releasePatterns = (events: Events): ReadonlyArray<Pattern> => {
  const [po, same] = [programOrder(events), sameAddress(events)]
  return events.flatMap((first, end) => {
    const releases = ['release', 'acq_rel'].includes(sem(first))
    const fences = ['fence.release', 'fence.acq_rel', 'fence.sc'].includes(sem(first))
    return events.flatMap((write, access): ReadonlyArray<Pattern> =>
      isStrongWrite(write) &&
      ((releases && end === access) ||
        (releases && has(po, end, access) && has(same, end, access)) ||
        (fences && has(po, end, access)))
        ? [{ end, access }]
        : [],
    )
  })
}

/** Acquire patterns (8.8): an acquire operation, alone or after a strong read of the same address; a fence after a strong read. */
export const acquirePatterns = (events: Events): ReadonlyArray<Pattern> => {
  const [po, same] = [programOrder(events), sameAddress(events)]
  return events.flatMap((last, end) => {
    const acquires = ['acquire', 'acq_rel'].includes(sem(last)) && isPatternRead(last)
    const fences = ['fence.acquire', 'fence.acq_rel', 'fence.sc'].includes(sem(last))
    return events.flatMap((read, access): ReadonlyArray<Pattern> =>
      isPatternRead(read) &&
      ((acquires && end === access) ||
        (acquires && has(po, access, end) && has(same, access, end)) ||
        (fences && has(po, access, end)))
        ? [{ end, access }]
        : [],
    )
  })
}

// ---------------------------------------------------------------- 8.9: orders

/** Observation order (8.9.2): a write before a read that takes its value, directly or through atomic operations. */
export const observation = (events: Events, strong: Relation, readsFrom: Relation): Relation => {
  const direct = meet(strong, readsFrom)
  const atomics = events.reduce(
    (all, e, k) => (e.does._tag === 'access' && e.does.atomic && isWrite(e) ? all | (1 << k) : all),
    0,
  )
  return union(direct, compose(direct, closure(from(atomics, direct))))
}

/** What synchronizes with what (8.9.4): patterns, `fence.sc`s in Fence-SC order, barriers. Each is told, because a reason names it. */
export interface Synchronizes {
  readonly patterns: Relation
  readonly fences: Relation
  readonly barriers: Relation
}

/** A release pattern synchronizes with an acquire pattern that observes it, if their outer ends are morally strong (8.9.4). */
export const patternsSynchronize = (
  events: Events,
  strong: Relation,
  observed: Relation,
  releases: ReadonlyArray<Pattern>,
  acquires: ReadonlyArray<Pattern>,
): Relation => {
  const rows = [...none(events.length)]
  for (const x of releases)
    for (const y of acquires)
      if (
        events[x.end]!.thread !== events[y.end]!.thread &&
        has(observed, x.access, y.access) &&
        has(strong, x.end, y.end)
      )
        rows[x.end]! |= 1 << y.end
  return rows
}

/** Base causality order (8.9.5), the start of the program before all. */
export const baseCausality = (events: Events, po: Relation, s: Synchronizes): Relation =>
  closure(
    relation(
      events.length,
      (a, b) =>
        (events[a]!.thread < 0 && events[b]!.thread >= 0) ||
        has(po, a, b) ||
        has(s.patterns, a, b) ||
        has(s.fences, a, b) ||
        has(s.barriers, a, b),
    ),
  )

/** How far a value has come along base causality: by which proxy it may be found, of which CTA, and by which addresses. */
interface Carried {
  readonly at: number
  readonly proxy: Proxy
  /** an event of the CTA, for a proxy other than the generic one */
  readonly near: number
  /** nothing: by every alias */
  readonly address: string | undefined
}

/** Proxy-preserved base causality order (8.9.5): base causality of accesses that overlap, where no proxy or alias is between them that a fence does not bridge. */
export const proxyPreserved = (events: Events, overlapping: Relation, base: Relation): Relation => {
  const fences = events.flatMap(({ does }, k) => (does._tag === 'proxyFence' ? [k] : []))
  const near = (a: number, b: number): boolean => sameCta(events[a]!.place, events[b]!.place)
  const carry = (c: Carried, k: number): ReadonlyArray<Carried> => {
    const { does } = events[k]!
    if (does._tag !== 'proxyFence' || !has(base, c.at, k)) return []
    if (does.of === 'alias')
      return c.proxy === 'generic' ? [{ at: k, proxy: 'generic', near: k, address: undefined }] : []
    if (c.proxy === 'generic') return [{ at: k, proxy: does.of, near: k, address: c.address }]
    return c.proxy === does.of && near(c.near, k)
      ? [{ at: k, proxy: 'generic', near: k, address: c.address }]
      : []
  }
  const carriedFrom = (a: number): ReadonlyArray<Carried> => {
    const address = addressOf(events[a]!)?.address
    const all: Carried[] = [{ at: a, proxy: proxyOf(events[a]!) ?? 'generic', near: a, address }]
    const isNew = (c: Carried): boolean =>
      !all.some(
        (d) => d.at === c.at && d.proxy === c.proxy && d.address === c.address && near(d.near, c.near),
      )
    for (let k = 0; k < all.length; k++)
      for (const f of fences) for (const c of carry(all[k]!, f)) if (isNew(c)) all.push(c)
    return all
  }
  const finds = (c: Carried, b: number): boolean =>
    has(base, c.at, b) &&
    proxyOf(events[b]!) === c.proxy &&
    (c.proxy === 'generic' || near(c.near, b)) &&
    (c.address === undefined || addressOf(events[b]!)?.address === c.address)
  const carried = events.map((e, a) => (addressOf(e) === undefined || e.thread < 0 ? [] : carriedFrom(a)))
  return relation(
    events.length,
    (a, b) =>
      has(overlapping, a, b) &&
      has(base, a, b) &&
      (events[a]!.thread < 0 || carried[a]!.some((c) => finds(c, b))),
  )
}

/** Causality order (8.9.5): proxy-preserved base causality, or observation and then that. */
export const causality = (preserved: Relation, observed: Relation): Relation =>
  union(preserved, compose(observed, preserved))

/** From a read to the writes that come in coherence order after the one that it reads from: the third clause of communication order (8.9.7). */
export const readsBefore = (readsFrom: ReadonlyArray<number>, coherence: Relation): Relation =>
  readsFrom.map((w, r) => (w < 0 ? 0 : coherence[w]! & ~(1 << r)))

/** Data races (8.7.1): two accesses that conflict, are not morally strong, and are unordered in causality. */
export const dataRaces = (
  events: Events,
  overlapping: Relation,
  strong: Relation,
  caused: Relation,
): ReadonlyArray<readonly [number, number]> =>
  events.flatMap((x, a) =>
    events.flatMap((y, b): ReadonlyArray<readonly [number, number]> =>
      a < b &&
      has(overlapping, a, b) &&
      (isWrite(x) || isWrite(y)) &&
      !has(strong, a, b) &&
      !has(caused, a, b) &&
      !has(caused, b, a)
        ? [[a, b]]
        : [],
    ),
  )
