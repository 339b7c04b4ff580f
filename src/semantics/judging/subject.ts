/**
 * Subjects: what a finding, a missing edge, a blocked wait or a fault is about, as data.
 *
 * A text is for people. A program that has to know which barrier a finding speaks of, or which fence is missing, asks the subjects, which stand beside the
 * text from where both are made. They number barriers and planes as the header of the log does, and they are in no document: a verdict is published
 * without them (`verdict.ts`), and `check` gives them beside it.
 *
 * | subject    | of a finding                                    | of a missing edge           | of a wait that is blocked |
 * |------------|-------------------------------------------------|-----------------------------|---------------------------|
 * | barrier    | whose generations, life or bytes are at stake   | to arrive on, to wait for   | waited for                |
 * | rendezvous | a named barrier, or that of the cluster         |                             | the same                  |
 * | columns    | tensor memory is allocated, freed or given up   |                             |                           |
 * | plane      | whose bytes are at stake                        |                             |                           |
 * | unit       | one of its two accesses, or what is left over   |                             |                           |
 * | fence      |                                                 | one of this kind            |                           |
 * | group      |                                                 | a commit of, a wait for it  | waited for                |
 *
 *     produced[0]@0 is used before it is initialised      barrier 0
 *     a proxy fence after `queue[slot] = value` of ...    fence shared
 *
 * Laws
 * 1. What is a subject stands in the text, or, of a plane, in the place. The barriers of a missing edge and of a blocked wait are those of its text.
 * 2. No verdict has subjects.
 */
import type { Family, Unit } from '../log/units.js'

export type FenceName =
  | 'shared'
  | 'cluster'
  | 'global'
  | 'wgmma'
  | 'tensorBefore'
  | 'tensorAfter'
  | 'mapRelease'
  | 'mapAcquire'
  | 'mbarrierInit'

export type Subject =
  | { readonly _tag: 'barrier'; readonly barrier: number }
  | { readonly _tag: 'rendezvous'; readonly id: number | 'cluster' }
  | { readonly _tag: 'columns' }
  | { readonly _tag: 'plane'; readonly plane: number }
  | { readonly _tag: 'unit'; readonly unit: Unit; readonly side: 'a' | 'b' }
  | { readonly _tag: 'fence'; readonly fence: FenceName }
  | { readonly _tag: 'group'; readonly family: Family }

/** What it is about, besides its words. */
export interface Concerning {
  readonly about: ReadonlyArray<Subject>
}

// ---------------------------------------------------------------- constructors

export const ofBarrier = (barrier: number): Subject => ({ _tag: 'barrier', barrier })
export const ofRendezvous = (id: number | 'cluster'): Subject => ({ _tag: 'rendezvous', id })
export const ofColumns: Subject = { _tag: 'columns' }
export const ofPlane = (plane: number): Subject => ({ _tag: 'plane', plane })
export const ofFence = (fence: FenceName): Subject => ({ _tag: 'fence', fence })
export const ofGroup = (family: Family): Subject => ({ _tag: 'group', family })
