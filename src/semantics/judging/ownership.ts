/**
 * Whose a finding is: its author's, a library's or a compiler's.
 *
 * A finding names two statements. In CUDA, Pallas and Gluon the author wrote both, and the fence that is missing between them is the author's. Triton's
 * language has no shared memory and no barriers: its compiler turns one `tl.load` into copies, groups and waits, and one `tl.dot` into stores to tensor memory, a
 * product and loads. What is missing between those no author can add, so a finding that says "add a fence" to him is of no use. It says whose it is instead.
 *
 * | fences are (`Fencing`)    | barriers in the language | finding                                     | whose    |
 * |---------------------------|--------------------------|---------------------------------------------|----------|
 * | the author's              |                          | all                                         | author   |
 * | a library's               |                          | P6, B9: an initialisation without its fence | library  |
 * | a compiler's              | no                       | in global memory; of the launch (`launches`)| author   |
 * | a compiler's              | no                       | all others: P1 of pipelined loads, M8, B7   | compiler |
 * | a compiler's              | yes                      | M8, P6, B9: fences that no language has     | compiler |
 *
 * All others are the author's. Bytes that do not add up (B4) without barriers in the language come from a descriptor of the launch; what follows from them in
 * the same verdict is no compiler's either.
 *
 * Triton and Gluon come out of the same back end, as the same operations. They differ in where these say that they come from: an author who writes a group's
 * commit, the initialisation of a barrier or a load of tensor memory writes each in a place of its own, while a lowering gives it the place of the statement
 * that it lowers, that of the loop around it, or that of the whole function (column 0 of a Python file, where no statement of a function stands).
 *
 *     captures.py:17:20   cp.async, cp.async.commit_group      one tl.load: no barriers in the language
 *     ring.py:23:56       cp.async
 *     ring.py:30:12       cp.async.commit_group                Gluon: its author wrote both
 *
 * Laws
 * 1. What is said changes no verdict.
 * 2. Of a text without places, or not of Python, the author has written its barriers.
 *
 * Source: modules of Triton 3.5 and Gluon (`conformance/triton`)
 */
import { isCompilers, type Fencing } from '../log/events.js'
import type { Finding, Whose } from './finding.js'
import type { HazardId } from './hazards.js'
import { isGlobalByName } from './plane-name.js'

// ---------------------------------------------------------------- model

/** What an operation is, as far as it tells who has written it. */
export type Role = 'copy' | 'commit' | 'init' | 'product' | 'tensor memory' | 'loop'

/** An operation and the statement of Python that it says it comes from: `kernel.py:31:12`, or the function itself; null: none. */
export interface Placed {
  readonly role: Role
  readonly place: string | null
  readonly ofFunction: boolean
}

// ---------------------------------------------------------------- the language

/** Roles that a lowering gives the place of another statement, and of which. */
const lowered: ReadonlyArray<readonly [role: Role, others: ReadonlyArray<Role>]> = [
  ['commit', ['copy']],
  ['init', ['copy', 'product', 'loop']],
  ['tensor memory', ['product']],
]

/** Does the author of these operations write barriers and groups? */
export const writesBarriers = (operations: ReadonlyArray<Placed>): boolean => {
  const places = new Map<Role, Set<string>>()
  for (const { role, place } of operations) {
    if (place === null) continue
    const known = places.get(role) ?? new Set()
    places.set(role, known.add(place))
  }
  const of = (role: Role): ReadonlyArray<string> => [...(places.get(role) ?? [])]
  const isLowered = lowered.some(([role, others]) =>
    of(role).some((place) => others.some((other) => places.get(other)?.has(place) === true)),
  )
  return !isLowered && !operations.some(({ role, ofFunction }) => role === 'init' && ofFunction)
}

/** Operations that an author of Gluon writes and one of Triton does not. */
const telling: ReadonlySet<Role> = new Set(['commit', 'init', 'tensor memory'])

/** The language of Triton's that the author of these operations wrote: a text in which nothing tells is taken for one of `tl`. */
export const languageOf = (operations: ReadonlyArray<Placed>): 'triton' | 'gluon' =>
  operations.some(({ role }) => telling.has(role)) && writesBarriers(operations) ? 'gluon' : 'triton'

// ---------------------------------------------------------------- whose it is

/** What is a matter of the launch, or of what the kernel says that it computes. */
const launches: ReadonlySet<HazardId> = new Set(['A1', 'A2', 'A3', 'A4', 'B4', 'I2', 'L1', 'L2', 'O1'])
const initialisations: ReadonlySet<HazardId> = new Set(['B9', 'P6'])
const withoutWords: ReadonlySet<HazardId> = new Set(['M8', 'B9', 'P6'])

/** Who has written the kernel, and what else its verdict found. */
export interface Written {
  readonly fences: Fencing | undefined
  /** whether the language of the author has barriers */
  readonly barriers: boolean
  readonly beside: ReadonlyArray<Pick<Finding, 'id'>>
}

export const whoseOf = (
  { fences, barriers, beside }: Written,
  { id, place }: Pick<Finding, 'id' | 'place'>,
): Whose => {
  if (fences === 'library') return initialisations.has(id) ? 'library' : 'author'
  if (!isCompilers(fences)) return 'author'
  if (barriers) return withoutWords.has(id) ? 'compiler' : 'author'
  return launches.has(id) ||
    (place !== undefined && isGlobalByName(place.plane)) ||
    beside.some((f) => f.id === 'B4')
    ? 'author'
    : 'compiler'
}
