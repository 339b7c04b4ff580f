/**
 * Sources: what is run and judged, whatever it is written in.
 *
 * `check`, its search and its replays launch one thing more than once: with the data that was brought, without any, with the free algebra in place of
 * numbers, each time afresh. All else that they ask stands in the world of a launch, so a source is a name and a way to launch.
 *
 * | asked                                             | answered by                                                        |
 * |---------------------------------------------------|--------------------------------------------------------------------|
 * | what it is called, in a verdict                   | `name`                                                             |
 * | its architecture, what it computes, its tensors, planes, barriers with their contracts, sites | the header of the world (`headerOf` of a `Launch`) |
 * | its agents, instructions, why control may depend on timing | the front of the world                                    |
 * | clusters that run together                        | the coverage of the launch; `given.resident` goes before           |
 * | its outputs                                       | `readTensor` of the machine                                        |
 * | the same without data (`unit`), for the search    | `launch(unit, no tensors)`: refused, and nothing is searched       |
 * | whether two stores store one value, in terms      | `launch(terms, symbols)`: refused, and a race stays a race         |
 *
 * A source refuses an algebra that it cannot run over; nothing that is judged falls back on another. What is a matter of core programs alone
 * (printing, mutation, mending, sketches) takes a `Program` and no source.
 *
 * Laws
 * 1. `launch` is a function: equal arguments give worlds with equal headers and machines that run alike.
 * 2. Two launches share no effort and no memory.
 */
import type * as E from 'fp-ts/lib/Either.js'
import type { Algebra } from '../../numerics/algebra.js'
import type { Refusal } from '../language/refusal.js'
import type { Launched } from './launch.js'
import type { Ledger } from './ledger.js'
import type { Value } from './value.js'
import type { Fellowships } from './fellowship.js'
import type { Election } from './election.js'
import type { Grouping } from './grouping.js'
import type { TensorPipe } from './world.js'

/** What a caller brings: scalars by name, and the contents of the input tensors as carriers of the algebra, row-major. */
export interface Arguments {
  readonly scalars: ReadonlyMap<string, Value>
  readonly tensors: ReadonlyMap<string, Float64Array>
  /** outputs that hold what their caller gave: bytes that nothing writes keep it, and O1 is a note */
  readonly kept?: ReadonlySet<string>
  /** how tcgen05.mma of one agent follow one another; `issueOrder` if it is not said */
  readonly tensorPipe?: TensorPipe
  /** clusters that run together; if it is not said, one, or all when they meet (`residency.ts`) */
  readonly resident?: number
  /** how many requests to cancel a cluster are granted before one fails; if it is not said, as long as there is one to cancel */
  readonly grants?: number
  /** what bytes are computed from is entered here (`ledger.ts`); if it is not said, it is not followed */
  readonly ledger?: Ledger
  /** other clusters that are followed beside those that run (`warps/fellows.ts`), which programs of warps can; if it is not said, none */
  readonly fellows?: Fellowships
  /** which lanes `activemask` finds together, of those that come to it; if it is not said, all of them */
  readonly grouping?: Grouping
  /** which of its members `elect.sync` takes; if it is not said, the lowest */
  readonly election?: Election
  /** each thread is an agent of its own, of a grid of so many at most; refused where threads of a warp do something together (`warps/lone-threads.ts`). If it is not said, a warp is an agent */
  readonly alone?: number
  /** clusters that run together stand for all: what is looked for before a run is looked for in the first of them */
  readonly oneWave?: true
  /** reading what nothing writes is an event as well, since it takes time; if it is not said, a program of warps reads it silently */
  readonly aloud?: true
}

export const noArguments: Arguments = { scalars: new Map(), tensors: new Map() }

export interface Source {
  readonly name: string
  readonly launch: (algebra: Algebra, given: Arguments) => E.Either<Refusal, Launched>
}
