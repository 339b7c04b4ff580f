/**
 * Contents: memory of two states that are taken for one, and what is read of it before it is written again.
 *
 *     a block has fetched tile 3, or tile 2: the word in shared memory that told its warps differs, and the next tile overwrites it
 *
 * Law 1. Where no byte that differs is read ahead, before all ways to the read have written it, both memories go on alike.
 */
import { spansOf, type Footprint, type LogEvent } from '../../log/events.js'
import { bytesApart, type Plane } from '../../machine/plane.js'

// ---------------------------------------------------------------- bytes

/** Bytes by plane. */
export type Bytes = Map<number, Set<number>>

/** Adds the bytes that differ. */
export const addDiffering = (into: Bytes, one: ReadonlyArray<Plane>, other: ReadonlyArray<Plane>): void => {
  one.forEach((p, plane) => {
    const differing = bytesApart(p, other[plane]!)
    if (differing.length === 0) return
    const bytes = into.get(plane) ?? new Set()
    into.set(plane, bytes)
    for (const byte of differing) bytes.add(byte)
  })
}

// ---------------------------------------------------------------- what is read

type Ways = ReadonlyArray<{
  readonly to: ReadonlyArray<{
    readonly state: number
    readonly events: ReadonlyArray<ReadonlyArray<LogEvent>>
  }>
}>

/** Of each state, which of these bytes a way from it reads before it writes them. */
export const readAhead = (
  states: Ways,
  bytes: Bytes,
): ((state: number, plane: number, byte: number) => boolean) => {
  const numbers = new Map<number, ReadonlyMap<number, number>>()
  let count = 0
  for (const [plane, some] of bytes)
    numbers.set(plane, new Map([...some].sort((a, b) => a - b).map((byte) => [byte, count++])))
  const seen = new Map<number, ReadonlyArray<number>>()
  const among = (f: Footprint): ReadonlyArray<number> => {
    const known = seen.get(f.id)
    if (known !== undefined) return known
    const here = numbers.get(f.plane)
    const out: number[] = []
    if (here !== undefined) {
      const spans = spansOf(f)
      for (const [byte, n] of here)
        for (let k = 0; k < spans.length; k += 2) if (byte >= spans[k]! && byte < spans[k + 1]!) out.push(n)
    }
    seen.set(f.id, out)
    return out
  }
  const live = states.map(() => new Uint8Array(count))
  const edges = states.map(({ to }) =>
    to.map(({ state, events }) => {
      const reads = new Uint8Array(count)
      const writes = new Uint8Array(count)
      for (const es of events)
        for (const e of es) {
          if (e._tag !== 'access' && e._tag !== 'semaphore') continue
          const isWrite = e._tag === 'access' && e.rw === 'w' && e.combine === undefined
          for (const n of among(e.footprint))
            if (isWrite) writes[n] = 1
            else if (writes[n] === 0) reads[n] = 1
        }
      return { state, reads, writes }
    }),
  )
  for (let changed = true; changed;) {
    changed = false
    for (let k = states.length - 1; k >= 0; k--)
      for (const { state, reads, writes } of edges[k]!)
        for (let n = 0; n < count; n++)
          if (live[k]![n] === 0 && (reads[n] === 1 || (live[state]![n] === 1 && writes[n] === 0))) {
            live[k]![n] = 1
            changed = true
          }
  }
  return (state, plane, byte) => {
    const n = numbers.get(plane)?.get(byte)
    return n !== undefined && live[state]![n] === 1
  }
}
