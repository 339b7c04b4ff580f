/** Layouts and transforms that the text leaves open. */
import type { RegisterLayout } from '../../layouts/register-layout.js'
import type { Transform } from './document.js'

export interface Inferred {
  /** of arrays, by the number of the variable */
  readonly layouts: ReadonlyMap<number, RegisterLayout>
  /** of allocations in shared memory that have none, by the number of the variable */
  readonly transforms: ReadonlyMap<number, ReadonlyArray<Transform>>
}

/** Nothing is left open. */
export const noneInferred: Inferred = { layouts: new Map(), transforms: new Map() }
