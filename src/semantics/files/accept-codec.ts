/**
 * Baselines as JSON, schema `tcspec.accept/1`: the findings that a check may pass with (`judging/accept.ts`).
 *
 *     {"schema": "tcspec.accept/1",
 *      "accepted": [{"kernel": "mm", "launch": "grid 4 x 1 x 1, block 128 x 1 x 1", "id": "P1", "a": {"file": "mm.py", "statement": "a = tl.load(p)", "nth": 0, "does": "cpAsync writes"},
 *                    "b": {...}, "memory": "smem x", "reason": "Triton's lowering writes no fence there"}]}
 *
 * Laws
 * 1. What is written is read back.
 * 2. An error is one line: JSON path, what was expected, what was found.
 */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { acceptSchema, type AcceptedRow, type Baseline } from '../judging/accept.js'
import { hazardIds, type HazardId } from '../judging/hazards.js'
import type { AcceptedPlace } from '../judging/verdict.js'
import {
  decode,
  define,
  described,
  either,
  list,
  nat,
  nothing,
  oneOf,
  record,
  text,
  type Wire,
} from '../../wire.js'

export const acceptedPlace: Wire<AcceptedPlace> = define('AcceptedPlace', () =>
  record<AcceptedPlace>()(
    'a statement of a finding',
    {
      statement: described(text, 'the text of its line in the source; without a source its label'),
      nth: described(nat, 'its index among the equal lines of its file, from 0'),
      does: described(text, 'its access; `other` if it is not an access'),
    },
    { file: described(text, 'the file of the source') },
  ),
)

/** In words. */
export const acceptedLaunch: Wire<string> = described(
  text,
  'the launch that it was found in: grid, block, sizes and numbers; empty where a kernel has one',
)

/** What names a mistake, and why it may stand. */
export const acceptedFields: {
  readonly [K in 'id' | 'a' | 'b' | 'memory' | 'reason']: Wire<AcceptedRow[K]>
} = {
  id: described(oneOf<HazardId>(...hazardIds), 'its id in the list of hazards'),
  a: described(acceptedPlace, 'one statement'),
  b: described(
    either('null or a statement', nothing, acceptedPlace),
    'the other one; null where one operation breaks a rule',
  ),
  memory: described(
    either('null or a name', nothing, text),
    'the memory that is at stake, and the array in it',
  ),
  reason: described(text, 'why it is accepted: free text'),
}

const row: Wire<AcceptedRow> = define('AcceptedRow', () =>
  record<AcceptedRow>()(
    'an accepted finding',
    Object.assign({ kernel: described(text, 'the name of the kernel') }, acceptedFields),
    {
      launch: described(
        acceptedLaunch,
        'the launch in which it is accepted; absent: every launch of the kernel',
      ),
    },
  ),
)

export const baselineWire: Wire<Baseline> = define('Baseline', () =>
  record<Baseline>()(
    'a baseline of accepted findings',
    {
      schema: described(oneOf<typeof acceptSchema>(acceptSchema), 'the form of this document'),
      accepted: described(list(row), 'the findings that a check may pass with'),
    },
    {},
  ),
)

export const decodeBaseline = (json: unknown): E.Either<Failure<'json.form'>, Baseline> =>
  decode(baselineWire, 'json.form')(json)
