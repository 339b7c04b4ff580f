/**
 * Cut-down instances: the same mutant of a kernel so small that every schedule can be followed.
 *
 * A mutant that is found ok and that no rule covers is looked for, by its key, in smaller instances of its kernel: one output tile, two slots, 1 to 4
 * steps. It is equivalent when in each instance that has it
 *
 * 1. every schedule of the original and of the mutant is followed to the end, and shows nothing;
 * 2. the ways to end are the same (`explore/ends.ts`): phases, arrivals and bytes of all barriers, columns of tensor memory;
 * 3. provenance proves both, and both in order or neither: the outputs are the same function of the inputs, in the same order. Where the program does
 *    not say what it computes: the outputs of both are the same terms of the inputs (`sameness.ts`).
 *
 * Where no schedule shows a race or a missing edge, all leave the same memory; so (2) and (3) are the set of terminal states.
 *
 * | instance        | original          | mutant with one parity more | says        |
 * |-----------------|-------------------|-----------------------------|-------------|
 * | k = 1           | empty[0] phase 1  | empty[0] phase 1            | equal       |
 * | k = 3           | empty[0] phase 0  | empty[0] phase 1            | a generation that is not observed |
 *
 * Where only the changed barriers' phases differ in the end, the mutant has completed one generation more, or less, which no agent waits for: every
 * schedule of it has been followed, to the end, and is clean. That is a certificate of its own.
 *
 * A small instance may not come to the change (a tile after the first, say), so the run that was judged has to end like the original's as well (`kill.ts`).
 *
 * Laws
 * 1. The original is equivalent to itself; what differs in one instance is not equivalent.
 */
import * as E from 'fp-ts/lib/Either.js'
import { check, type CheckOptions } from '../verdict/check.js'
import { explore, showEnds, withoutStorages, type End } from '../schedules/explore/index.js'
import type { Program } from '../language/program.js'
import type { Provenance } from '../judging/verdict.js'
import type { Mutant } from './model.js'
import { mutantsOf } from './mutants.js'
import { sameAs, termsOf, type Sameness } from './sameness.js'

// ---------------------------------------------------------------- model

/** What a small instance comes to: all its ends, and what its outputs are; null where a search did not finish or found something. */
interface Outcome {
  readonly ends: ReadonlyArray<End>
  readonly outputs: string
}

/** A small instance and its mutants; made when it is asked for, kept for the next question. */
export interface CutDown {
  readonly program: Program
  readonly options: CheckOptions
  /** the mutant of this key, if there is one here */
  readonly find: (key: string) => Mutant | undefined
  readonly outcome: () => Outcome | null
  /** what of a mutant is the same as here; null where provenance says it */
  readonly sameness: (() => (of: Program) => Sameness) | null
}

/** `unobserved`: all the same but phases of the changed barriers, at the end. */
export type Answer = 'equal' | 'unobserved' | 'different' | 'unknown'

/** Made once, when it is asked for. */
const kept = <A>(make: () => A): (() => A) => {
  const held: Array<A> = []
  return () => {
    if (held.length === 0) held.push(make())
    return held[0]!
  }
}

// ---------------------------------------------------------------- one instance

const outcomeOf = (program: Program, options: CheckOptions): Outcome | null => {
  const bounds = options.bounds
  const all = explore(program, {
    arguments: options.arguments,
    states: bounds?.states ?? mostStates,
    depth: bounds?.depth ?? mostStates,
    reduced: true,
    stop: true,
  })
  if (E.isLeft(all) || !all.right.complete || !all.right.clean) return null
  const one = check(program, Object.assign({}, options, { explain: false, explore: false }))
  if (E.isLeft(one)) return null
  if (one.right.verdict.verdict === 'hazard') return null
  const outputs = outputsOf(program, one.right.verdict.provenance, options)
  return outputs === null ? null : { ends: all.right.ends, outputs }
}

const outputsOf = (program: Program, proof: Provenance | null, options: CheckOptions): string | null => {
  if (program.computes === undefined) return termsOf(program, options)
  return proof?.proved === true ? String(proof.inOrder) : null
}

/** Most states of one search. */
export const mostStates = 5_000_000

const finding = (program: Program): CutDown['find'] => {
  const all = kept(() => new Map(mutantsOf(program).map((m) => [m.key, m])))
  return (key) => all().get(key)
}

/** An instance; its mutants are those of the program, unless they are found elsewhere. */
export const cutDown = (
  program: Program,
  options: CheckOptions,
  find: CutDown['find'] = finding(program),
): CutDown => ({
  program,
  options,
  find,
  outcome: kept(() => outcomeOf(program, options)),
  sameness: program.computes === undefined ? kept(() => sameAs(program, options)) : null,
})

// ---------------------------------------------------------------- all

/** Whether two programs end alike: but for these barriers, if need be. */
export const compareEnds = (
  x: ReadonlyArray<End>,
  y: ReadonlyArray<End>,
  barriers: ReadonlyArray<string>,
): Answer => {
  const same = (p: ReadonlyArray<End>, q: ReadonlyArray<End>): boolean =>
    showEnds(p).join('\n') === showEnds(q).join('\n')
  const without = (ends: ReadonlyArray<End>): ReadonlyArray<End> =>
    ends.map((end) => withoutStorages(end, barriers))
  if (same(x, y)) return 'equal'
  return same(without(x), without(y)) ? 'unobserved' : 'different'
}

/** Does the mutant end as the original does, in every instance that has it? */
export const comparedWith = (instances: ReadonlyArray<CutDown>, of: Mutant): Answer => {
  let asked = 0
  let unobserved = false
  for (const instance of instances) {
    const m = instance.find(of.key)
    if (m === undefined) continue
    const [mine, its] = [instance.outcome(), outcomeOf(m.program, instance.options)]
    if (mine === null || its === null) return 'unknown'
    if (mine.outputs !== its.outputs) return 'different'
    const ends = compareEnds(mine.ends, its.ends, m.barriers)
    if (ends === 'different') return 'different'
    unobserved ||= ends === 'unobserved'
    asked++
  }
  return asked === 0 ? 'unknown' : unobserved ? 'unobserved' : 'equal'
}
