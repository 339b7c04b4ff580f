/**
 * Check: a program, run and judged.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import type { Algebra } from '../numerics/algebra.js'
import type { Arguments } from './launch.js'
import type { Machine } from './machine/state.js'
import type { World } from './machine/world.js'
import type { AnyPolicy } from './policy.js'
import type { Program } from './program.js'
import type { EventKey } from './step.js'
import type { Verdict } from './verdict.js'

export interface CheckOptions {
  readonly settings: Readonly<Record<string, string | number | boolean>>
  readonly algebra: Algebra
  readonly arguments: Arguments
  /** the schedule of the run that decides or is explored from */
  readonly policy: AnyPolicy
  /** contract notes become errors */
  readonly strict: boolean
  /** a proxy fence is demanded between a generic read and an async overwrite, too */
  readonly strictProxies: boolean
  /** judge the log (otherwise the run only computes) */
  readonly hazards: boolean
  /** fold tile provenance over the log, when the program says what it computes */
  readonly provenance: boolean
  /** explore further schedules where one does not decide */
  readonly explore: boolean
  readonly fuel: number
}

export interface Checked {
  readonly verdict: Verdict
  readonly world: World
  /** after the first run */
  readonly machine: Machine
  /** of the first run */
  readonly schedule: ReadonlyArray<EventKey>
}

/** Run and judge. Refuses what cannot be launched; everything else is in the verdict. */
export type Check = (program: Program, options: CheckOptions) => E.Either<Failure, Checked>
