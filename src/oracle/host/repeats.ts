/**
 * Launches that are repeated on what they have left as it was: they are not executed again.
 *
 *     for (i < 300) matmul<<<...>>>(c, a, b)        the first writes c, the second writes the same bytes, the others are known
 *
 * A launch is a function of its kernel, its shape, its parameters and memory. So what it does is known if all of that is what it was when it ran: memory is compared by what holds it,
 * which `settled` keeps where a launch has written what was there.
 *
 * Laws
 * 1. A program comes to the same with and without this.
 * 2. A launch that fails, or reads what nothing has written, is executed each time.
 */
import * as Plane from '../../semantics/machine/plane.js'
import type { Access, Grid } from '../../semantics/host/index.js'
import type { Printed } from '../../semantics/swift/index.js'
import { changed, isOfKernels, type Memory } from './memory.js'

// ---------------------------------------------------------------- model

/** What a launch has done, and on which memory. */
interface Repeated {
  readonly before: ReadonlyArray<Memory>
  readonly after: ReadonlyArray<Memory>
  readonly accesses: ReadonlyArray<Access>
  readonly sites: ReadonlyMap<string, string>
  readonly grid: Grid
  readonly printed: ReadonlyArray<Printed>
}

export type Repeats = Map<string, Repeated>

/** So many are kept: each holds memory. */
const mostKept = 64

// ---------------------------------------------------------------- memory

/** After a launch: where it has written what was there, what held it before. */
export const settled = (before: Memory, holds: Plane.Plane, written: Uint8Array | null): Memory => {
  const all = written === null || !written.includes(0)
  const isWritten =
    before.written === null
      ? all
      : written !== null && before.written.every((byte, at) => byte === written[at])
  return Plane.isSame(before.holds, holds) && isWritten
    ? before
    : changed(before, { holds, written: all ? null : written })
}

// ---------------------------------------------------------------- launches

/** What is known of a launch on this memory; null: it must be executed. */
export const repeated = (
  all: Repeats,
  key: string,
  memories: ReadonlyMap<string, Memory>,
): Repeated | null => {
  const known = all.get(key)
  return known?.before.every(({ name, holds, written }) => {
    const now = memories.get(name)
    return now?.freed === null && now.holds === holds && now.written === written
  }) === true
    ? known
    : null
}

/** Remembers a launch that has been executed to its end. */
export const remember = (
  all: Repeats,
  key: string,
  before: ReadonlyMap<string, Memory>,
  after: ReadonlyMap<string, Memory>,
  did: Pick<Repeated, 'accesses' | 'sites' | 'grid' | 'printed'>,
): void => {
  const [oldest] = all.keys()
  if (all.size >= mostKept && oldest !== undefined) all.delete(oldest)
  const ofKernels = [...before.values()].filter((m) => m.freed === null && isOfKernels(m))
  all.set(key, {
    before: ofKernels,
    after: ofKernels.flatMap((m) => {
      const then = after.get(m.name)
      return then === undefined || then === m ? [] : [then]
    }),
    accesses: did.accesses,
    sites: did.sites,
    grid: did.grid,
    printed: did.printed,
  })
}
