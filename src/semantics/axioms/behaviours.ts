/**
 * What a program may do: every final state that the axioms allow, each with an execution that leads there; and, of a state that is not allowed, the axioms that forbid it.
 *
 *     const allowed = behaviours(program)            // Either: Right of { states, complete, cut }
 *     const why = refusals(program, (state) => ...)  // the candidates that would lead there, and the contradictions of each
 *
 * The final value of a location is that of a write which no other follows in coherence order. Writes in a race may be unordered (8.9.6): any of them is then the last.
 *
 * Bounds: an execution has at most 32 events (`axioms.long`); a label is jumped back to at most `passes` times on each way, and a thread has at most 1,000 ways, else `cut`;
 * and at most `most` candidates and choices that are given up are looked at, else `complete` is false.
 *
 * Laws
 * 1. The states of every sequential interleaving are among the states.
 * 2. To strengthen an access, a fence or a scope, or to add a fence, adds no state.
 * 3. Without an axiom there are the same states or more.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { everyAxiom, type Axiom } from './axiom.js'
import { contradictions, isAllowed, type Contradiction } from './axioms.js'
import { candidatesOf, type Candidate } from './candidates.js'
import type { FinalState } from './condition.js'
import { isWrite } from './events.js'
import { pathsOf, valueOf, type Path } from './paths.js'
import type { Program } from './program.js'
import { has, mostEvents } from './relation.js'

/** What may be asked beside the program. */
export interface AxiomsOptions {
  /** axioms that are left out */
  readonly without?: ReadonlyArray<Axiom>
  /** how often a label may be jumped back to on one way; default: 2 */
  readonly passes?: number
  /** candidates that are looked at, at most; default: 50,000 */
  readonly most?: number
  /** is told of every execution that is allowed, and where it leads */
  readonly each?: (execution: Candidate, state: FinalState) => void
  /** ends the search at the first state that satisfies this */
  readonly until?: (state: FinalState) => boolean
}

/** Why a program is not judged: it has too many events. */
export type AxiomsFailure = Failure<'axioms.long'>

/** A state, and an execution that leads there. */
export interface Outcome {
  readonly state: FinalState
  readonly execution: Candidate
}

/** Every state that the axioms allow. */
export interface Behaviours {
  readonly outcomes: ReadonlyArray<Outcome>
  /** every candidate was looked at */
  readonly complete: boolean
  /** a loop was left before its end */
  readonly cut: boolean
  readonly candidates: number
}

/** A candidate that would lead to a state, and what forbids it. */
export interface Refusal {
  readonly state: FinalState
  readonly candidate: Candidate
  readonly contradictions: ReadonlyArray<Contradiction>
}

const defaultPasses = 2
const defaultMost = 50_000
/** Candidates that are looked at for each set of axioms left out, at most, and the size of such a set. */
const mostRefused = 5_000
const mostLeftOut = 3

// ---------------------------------------------------------------- final states

/** What a candidate may leave: one state, or one for each choice among last writes in a race. */
export const finalStates = (program: Program, c: Candidate): ReadonlyArray<FinalState> => {
  const { events, paths, starts } = c.shape
  const registers = new Map(
    program.threads.flatMap((thread, t) => {
      const path = paths[t]!
      return [
        ...[...path.registers].map(([name, term]): readonly [string, number | undefined] => [
          `${thread.name}:${name}`,
          valueOf(term, (local) => c.found[starts[t]! + local]),
        ]),
        ...path.unsettled.map((name) => [`${thread.name}:${name}`, undefined] as const),
      ]
    }),
  )
  const waiting = program.threads.flatMap(({ name }, t) => (paths[t]!.waits ? [name] : []))
  const lasts = [...program.memory.keys()].map((location) => ({
    location,
    values: [
      ...new Set(
        events.flatMap((e, k) => {
          const value = c.wrote[k]
          const { does } = e
          return isWrite(e) &&
            (does._tag === 'access' || does._tag === 'start') &&
            does.to.location === location &&
            value !== undefined &&
            !events.some((_, later) => has(c.coherence, k, later))
            ? [value]
            : []
        }),
      ),
    ],
  }))
  return lasts
    .reduce<ReadonlyArray<ReadonlyMap<string, number>>>(
      (all, { location, values }) =>
        all.flatMap((memory) => values.map((value) => new Map([...memory, [location, value]]))),
      [new Map()],
    )
    .map((memory) => ({ registers, memory, waiting }))
}

/** A state as one text: equal states have equal texts. */
const keyOf = ({ registers, memory, waiting }: FinalState): string =>
  JSON.stringify([[...registers].map(([name, v]) => [name, v ?? null]), [...memory], waiting])

// ---------------------------------------------------------------- every way of every thread

interface Ways {
  readonly of: ReadonlyArray<ReadonlyArray<Path>>
  readonly cut: boolean
}

const waysOf = (program: Program, passes: number): E.Either<AxiomsFailure, Ways> => {
  const all = program.threads.map((t) => pathsOf(t, passes))
  const room = mostEvents - program.memory.size
  const least = all.reduce((sum, { paths }) => sum + (paths[0]?.events.length ?? 0), 0)
  return least > room || all.some(({ paths, long }) => paths.length === 0 && long)
    ? refuse(
        'axioms.long',
        `the program has more than ${String(mostEvents)} events (one for each location, then accesses, fences and barriers)`,
      )
    : E.right({ of: all.map(({ paths }) => paths), cut: all.some(({ cut }) => cut) })
}

/** One way for each thread, in every combination; those with too many events are told as `undefined`. */
function* combinations(
  of: ReadonlyArray<ReadonlyArray<Path>>,
  room: number,
): Generator<ReadonlyArray<Path> | undefined, void, undefined> {
  const [first, ...rest] = of
  if (first === undefined) {
    yield []
    return
  }
  for (const path of first) {
    if (path.events.length > room) {
      yield undefined
      continue
    }
    for (const others of combinations(rest, room - path.events.length))
      yield others === undefined ? undefined : [path, ...others]
  }
}

// ---------------------------------------------------------------- what is asked

/** Every final state that the axioms allow. */
export const behaviours = (
  program: Program,
  options: AxiomsOptions = {},
): E.Either<AxiomsFailure, Behaviours> => {
  const without = options.without ?? []
  const enforced = new Set(everyAxiom.filter((a) => !without.includes(a)))
  const most = options.most ?? defaultMost
  return E.Functor.map(waysOf(program, options.passes ?? defaultPasses), ({ of, cut }): Behaviours => {
    const outcomes = new Map<string, Outcome>()
    let candidates = 0
    let long = cut
    for (const paths of combinations(of, mostEvents - program.memory.size)) {
      candidates++
      if (paths === undefined) {
        long = true
        continue
      }
      for (const candidate of candidatesOf(program, paths, enforced)) {
        candidates++
        if (candidate !== undefined && isAllowed(candidate, enforced))
          for (const state of finalStates(program, candidate)) {
            options.each?.(candidate, state)
            const key = keyOf(state)
            if (!outcomes.has(key)) outcomes.set(key, { state, execution: candidate })
            if (options.until?.(state) === true)
              return { outcomes: [...outcomes.values()], complete: false, cut: long, candidates }
          }
        if (candidates >= most)
          return { outcomes: [...outcomes.values()], complete: false, cut: long, candidates }
      }
    }
    return { outcomes: [...outcomes.values()], complete: true, cut: long, candidates }
  })
}

/** The sets of so many axioms. */
const axiomsLeftOut = (count: number, of: ReadonlyArray<Axiom>): ReadonlyArray<ReadonlyArray<Axiom>> =>
  count === 0
    ? [[]]
    : of.flatMap((a, k) => axiomsLeftOut(count - 1, of.slice(k + 1)).map((rest) => [a, ...rest]))

/** The refusals of candidates that contradict no axiom but those of a set. */
const refusedBy = (
  program: Program,
  { of }: Ways,
  asked: (state: FinalState) => boolean,
  leftOut: ReadonlyArray<Axiom>,
  most: number,
  pool: ReadonlyArray<number>,
): ReadonlyArray<Refusal> => {
  const enforced = new Set(everyAxiom.filter((a) => !leftOut.includes(a)))
  const found = new Map<string, Refusal>()
  let looked = 0
  for (const paths of combinations(of, mostEvents - program.memory.size)) {
    if (paths === undefined) continue
    for (const candidate of candidatesOf(program, paths, enforced, pool)) {
      const state = candidate === undefined ? undefined : finalStates(program, candidate).find(asked)
      if (candidate !== undefined && state !== undefined && isAllowed(candidate, enforced)) {
        const against = contradictions(candidate)
        const key = JSON.stringify([
          candidate.shape.events.map(({ thread, does }) => [thread, 'at' in does ? does.at : -1]),
          candidate.readsFrom,
          candidate.found.map((v) => v ?? null),
        ])
        if (against.length === leftOut.length && !found.has(key))
          found.set(key, { state, candidate, contradictions: against })
      }
      if (++looked >= most) return [...found.values()]
    }
  }
  return [...found.values()]
}

/**
 * The candidates that would lead to a state that is asked for, and what forbids each: those that contradict one axiom alone, or if there are none those that contradict
 * two, and so on; one for each choice of writes to read from. `pool`: further numbers that a value out of thin air may be.
 */
export const refusals = (
  program: Program,
  asked: (state: FinalState) => boolean,
  options: AxiomsOptions = {},
  pool: ReadonlyArray<number> = [],
): E.Either<AxiomsFailure, ReadonlyArray<Refusal>> =>
  E.Functor.map(waysOf(program, options.passes ?? defaultPasses), (ways) => {
    for (let count = 1; count <= mostLeftOut; count++) {
      const found = axiomsLeftOut(count, everyAxiom).flatMap((leftOut) =>
        refusedBy(program, ways, asked, leftOut, options.most ?? mostRefused, pool),
      )
      if (found.length > 0) return found
    }
    return []
  })
