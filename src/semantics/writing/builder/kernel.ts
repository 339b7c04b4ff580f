/**
 * Kernels: a header and a body become a program.
 *
 * The body is run once, from the empty state; `draft` gives what it wrote. `kernel` goes on: storages get their addresses (`place`), and
 * validation decides whether the program has a meaning.
 *
 *     draft     header, body -> Program              as written; a build that was made and never run is refused (`monad.ts`)
 *     kernel    header, body -> Program              placed and valid
 *
 * Laws
 * 1. What `kernel` returns is valid, its names are bound once, and it links.
 * 2. The same header and body give equal data.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import type { Int } from '../../language/expression.js'
import { place } from '../../language/place.js'
import { type Agent, type Program, type Spec, programSchema, region } from '../../language/program.js'
import { validate } from '../../language/validate.js'
import { type Steps, idleFailure, runSteps } from './monad.js'
import { asInt } from './parameters.js'
import { emptyState, statements } from './state.js'

// ---------------------------------------------------------------- agents

/** Warps 4 `index` to 4 `index` + 3. */
export const warpgroup = (name: string, index: number, registersEach?: number): Agent =>
  registersEach === undefined
    ? { name, kind: 'warpgroup', firstWarp: 4 * index, warps: 4 }
    : { name, kind: 'warpgroup', firstWarp: 4 * index, warps: 4, registers: registersEach }
export const warp = (name: string, firstWarp: number): Agent => ({ name, kind: 'warp', firstWarp, warps: 1 })
export const partition = (name: string, firstWarp: number, warps: number): Agent => ({
  name,
  kind: 'partition',
  firstWarp,
  warps,
})

// ---------------------------------------------------------------- kernels

export interface KernelHeader {
  readonly name: string
  readonly arch: 'sm90a' | 'sm100a'
  /** CTAs (clusters times their size) per axis; scalar parameters may occur in it by name */
  readonly grid?: ReadonlyArray<number | Int>
  readonly cluster?: ReadonlyArray<number>
  readonly agents: ReadonlyArray<Agent>
  readonly computes?: Spec
}

/** The program as written: neither placed nor validated. */
export const draft = (header: KernelHeader, body: () => Steps<void>): E.Either<Failure, Program> =>
  pipe(
    runSteps(body(), emptyState),
    E.chain(([, state]) => {
      const idle = idleFailure(state)
      return idle === null ? E.right(state) : E.left(idle)
    }),
    E.map((state) => {
      const launch = {
        grid: (header.grid ?? [1]).map(asInt),
        cluster: header.cluster ?? [1],
        agents: header.agents,
      }
      const params = [...state.params.values()]
      const storage = [...state.storage.values()]
      const entry = region(statements(state.body))
      const { name, arch } = header
      return header.computes === undefined
        ? { schema: programSchema, name, arch, params, launch, storage, entry }
        : { schema: programSchema, name, arch, params, launch, storage, entry, computes: header.computes }
    }),
  )

/**
 * A finished kernel: placed and valid.
 *
 * @example
 * ```ts
 * import { builder, check, standardOptions } from 'tensorcore-spec/semantics'
 *
 * const header = { name: 'nothing', arch: 'sm90a' as const, agents: [builder.warpgroup('block', 0)] }
 * const made = builder.kernel(header, function* () {
 *   yield* builder.tensorParam('y', 'f32', [8, 32], { role: 'out' })
 * })
 * const checked = made._tag === 'Right' ? check(made.right, standardOptions) : made
 * console.log(checked._tag === 'Right' ? checked.right.verdict.findings.map((f) => f.id).join() : checked.left.message) // O1
 * ```
 */
export const kernel = (header: KernelHeader, body: () => Steps<void>): E.Either<Failure, Program> =>
  pipe(draft(header, body), E.chainW(place), E.chainW(validate))
