/**
 * Races between operations: accesses of the same bytes, one of them a write, by operations that nothing orders.
 *
 * Kept of the past is what may still run at the same time as a later operation: of each memory the accesses of operations whose end the host does not know, by operation and statement.
 * An access is held against them with what its operation knows: when it begins if the access is early, behind its wait otherwise. Accesses of the host are held against them
 * with what the host knows, and are not kept: whatever is issued later comes after them.
 *
 * | of two accesses                                        | is said                                                                                  |
 * |--------------------------------------------------------|------------------------------------------------------------------------------------------|
 * | the later one's operation knows that the other is over | nothing                                                                                  |
 * | both are atomic for the device, of equal width         | nothing                                                                                  |
 * | a read, and an early write of a dependent launch, where all threads of the reader have ended before (it triggers nothing) | nothing: only order is asked for |
 * | an access of the host, and atomic ones of the system's scope | *shared words*: a race unless those of the host are atomic, which cannot be seen          |
 * | any other                                              | a race                                                                                   |
 *
 * Laws
 * 1. Races are those of all pairs: what is forgotten races with nothing that comes.
 * 2. The number of accesses that are kept does not grow with operations that do the same in one stream.
 *
 * Source: PTX ISA, memory consistency model (race); CUDA C++ Programming Guide, concurrent execution.
 */
import { isOver, type Issued, type Known, type Place } from './order.js'
import { common, covers } from './spans.js'

// ---------------------------------------------------------------- model

/** What a statement of an operation does to a memory. */
export interface Access {
  readonly memory: string
  readonly rw: 'r' | 'w'
  /** bits of its elements, where each is atomic for the whole device; 0: it is not */
  readonly atomic: number
  /** it is atomic for the host, too */
  readonly ofSystem: boolean
  readonly early: boolean
  readonly spans: Int32Array
  /** which statement, for a reader; one operation may have many */
  readonly site: string
}

/** Who: an operation by its number, or the host. */
export interface Side {
  readonly operation: number | null
  readonly access: Access
}

export interface Race {
  readonly first: Side
  readonly second: Side
  readonly spans: Int32Array
  /** the second is a dependent launch, and behind its wait it would not race */
  readonly early: boolean
  /** the second is the host, and no race if it accesses the words as atomics */
  readonly sharesWords: boolean
}

interface Kept {
  readonly operation: number
  readonly place: Place
  readonly access: Access
}

export type Past = ReadonlyMap<string, ReadonlyArray<Kept>>
export const nothingYet: Past = new Map()

// ---------------------------------------------------------------- judging

const areTogether = (a: Access, b: Access): boolean => a.atomic > 0 && a.atomic === b.atomic

const racing = (
  past: Past,
  access: Access,
  operation: number | null,
  known: Known,
  behind: Place | null,
  waited: Known,
): ReadonlyArray<Race> =>
  (past.get(access.memory) ?? []).flatMap((k): ReadonlyArray<Race> => {
    if (access.rw === 'r' && k.access.rw === 'r') return []
    if (isOver(known, k.place) || areTogether(access, k.access)) return []
    const hasEnded = behind !== null && behind.timeline === k.place.timeline && behind.index >= k.place.index
    if (hasEnded && k.access.rw === 'r') return []
    const spans = common(access.spans, k.access.spans)
    return spans.length === 0
      ? []
      : [
          {
            first: { operation: k.operation, access: k.access },
            second: { operation, access },
            spans,
            early: access.early && isOver(waited, k.place),
            sharesWords: operation === null && k.access.ofSystem,
          },
        ]
  })

/** What an operation races with. */
export const racesOf = (
  past: Past,
  operation: number,
  { begins, waited, behind }: Issued,
  accesses: ReadonlyArray<Access>,
): ReadonlyArray<Race> =>
  accesses.flatMap((a) =>
    a.early
      ? racing(past, a, operation, begins, behind, waited)
      : racing(past, a, operation, waited, null, waited),
  )

/** What the host races with when it touches memory itself. */
export const racesOfHost = (past: Past, host: Known, accesses: ReadonlyArray<Access>): ReadonlyArray<Race> =>
  accesses.flatMap((a) => racing(past, a, null, host, null, host))

/** Of one statement, in one timeline: who knows the later knows the earlier. */
const replaces = (later: Kept, { place, access }: Kept): boolean =>
  later.place.timeline === place.timeline &&
  later.access.site === access.site &&
  later.access.rw === access.rw &&
  later.access.atomic === access.atomic &&
  later.access.ofSystem === access.ofSystem &&
  covers(later.access.spans, access.spans)

/** With what an operation has touched. */
export const kept = (
  past: Past,
  operation: number,
  { place }: Issued,
  accesses: ReadonlyArray<Access>,
): Past => {
  const out = new Map(past)
  for (const access of accesses) {
    const own: Kept = { operation, place, access }
    out.set(access.memory, [...(out.get(access.memory) ?? []).filter((k) => !replaces(own, k)), own])
  }
  return out
}

/** Without what the host knows to be over. */
export const forgotten = (past: Past, host: Known): Past =>
  new Map(
    [...past].flatMap(([memory, all]) => {
      const left = all.filter(({ place }) => !isOver(host, place))
      return left.length === 0 ? [] : [[memory, left] as const]
    }),
  )
