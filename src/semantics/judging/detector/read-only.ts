/**
 * Planes that have only been read: most inputs, from beginning to end.
 *
 * Reads do not conflict with each other. As long as an initialised plane was not written, all that there is to know of it is who has
 * read what, and no atom need be cut. With the first write (or atomic) the plane becomes like any other: the reads are judged then, in
 * their order, as if they came just before it.
 *
 *     load A[0:128, 0:64]     kept
 *     load A[0:128, 64:128]   kept
 *     store A[0:8, 0:8]       both loads are put on their atoms; the store finds them there
 *
 * Laws
 * 1. A log is judged as it would be without this module.
 */
import type { AccessRecord } from './access-record.js'

/** A read that waits to be put on its atoms, and the cluster that it was made in. */
export interface Deferred {
  readonly record: AccessRecord
  readonly cluster: number
}

/** The reads of one plane in their order; null once it is like any other. */
export interface ReadOnly {
  reads: Array<Deferred> | null
}

/** Reads of a plane that are kept; more than this and its atoms are cheaper. */
const most = 1 << 16

export const readOnly = (initialised: boolean): ReadOnly => ({ reads: initialised ? [] : null })

/** Keeps a plain read; false if it has to be judged. */
export const defer = (p: ReadOnly, record: AccessRecord, cluster: number): boolean => {
  if (p.reads === null || record.rw === 'w' || record.reach > 0 || p.reads.length >= most) return false
  p.reads.push({ record, cluster })
  return true
}

/** Gives back what was kept: from now on every access is judged. */
export const giveBack = (p: ReadOnly): ReadonlyArray<Deferred> => {
  const reads = p.reads ?? []
  p.reads = null
  return reads
}
