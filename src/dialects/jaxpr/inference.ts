/** Layouts and transforms that the text leaves open. */
import type { RegisterLayout } from '../../layouts/register-layout.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { Document, Transform } from './document.js'
import type { Liveness } from './liveness.js'

export interface Inferred {
  /** of arrays, by the number of the variable */
  readonly layouts: ReadonlyMap<number, RegisterLayout>
  /** of allocations in shared memory that have none, by the number of the variable */
  readonly transforms: ReadonlyMap<number, ReadonlyArray<Transform>>
}

export const inferredIn = (
  _d: Document,
  _liveness: Liveness,
  _lowering: 'lane' | 'warpgroup',
): E.Either<Failure, Inferred> => E.right({ layouts: new Map(), transforms: new Map() })
