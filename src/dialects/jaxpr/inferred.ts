/** What the text leaves open, once it is chosen (`inference.ts`). */
import type { RegisterLayout } from '../../layouts/register-layout.js'
import type { Transform } from './document.js'

export interface Inferred {
  /** of arrays, by the number of the variable */
  readonly layouts: ReadonlyMap<number, RegisterLayout>
  /** of allocations in shared memory that have none, by the number of the variable */
  readonly transforms: ReadonlyMap<number, ReadonlyArray<Transform>>
}
