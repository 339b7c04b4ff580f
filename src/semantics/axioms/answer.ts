/**
 * The answer to a question about the final states of a program: whether it holds, an execution that shows it, or what forbids every candidate that would.
 *
 * | question    | what is sought                              | holds where it is |
 * |-------------|---------------------------------------------|-------------------|
 * | `exists`    | a state that satisfies the condition        | found             |
 * | `notExists` | a state that satisfies the condition        | not found         |
 * | `forall`    | a state that does not                       | not found         |
 *
 * Law 1. `undecided` is answered only where the search ended before it had looked at every candidate, and had not found what is sought.
 */
import * as E from 'fp-ts/lib/Either.js'
import {
  behaviours,
  refusals,
  type AxiomsFailure,
  type AxiomsOptions,
  type Outcome,
  type Refusal,
} from './behaviours.js'
import { askedIn, satisfies, type FinalState, type Question, type StateCondition } from './condition.js'
import type { Program } from './program.js'

/** What is answered. */
export interface AxiomsAnswer {
  /** whether the question holds; nothing if it is undecided */
  readonly holds: boolean | undefined
  /** what is sought: the condition, or what contradicts a `forall` */
  readonly sought: 'condition' | 'counterexample'
  readonly witness: Outcome | undefined
  /** why there is none, if there is none */
  readonly refusals: ReadonlyArray<Refusal>
  readonly outcomes: ReadonlyArray<Outcome>
  readonly complete: boolean
  readonly cut: boolean
  readonly candidates: number
}

const isSought =
  ({ quantifier, condition, filter }: Question) =>
  (state: FinalState): boolean =>
    (filter === undefined || satisfies(state, filter)) &&
    satisfies(state, condition) === (quantifier !== 'forall')

/** The numbers that a condition says: what a value out of thin air would have to be. */
const numbersIn = (c: StateCondition): ReadonlyArray<number> => {
  switch (c._tag) {
    case 'compare':
      return [c.a, c.b].flatMap((a) => (a._tag === 'number' ? [a.value] : []))
    case 'and':
    case 'or':
      return [...numbersIn(c.a), ...numbersIn(c.b)]
    case 'not':
      return numbersIn(c.of)
  }
}

/** The answer to a question. */
export const answerTo = (
  program: Program,
  question: Question,
  options: AxiomsOptions = {},
): E.Either<AxiomsFailure, AxiomsAnswer> => {
  const sought = isSought(question)
  return E.Monad.chain(behaviours(program, options), ({ outcomes, complete, cut, candidates }) => {
    const witness = outcomes.find(({ state }) => sought(state))
    const found = witness !== undefined
    const holds = found || complete ? found === (question.quantifier === 'exists') : undefined
    const why: E.Either<AxiomsFailure, ReadonlyArray<Refusal>> = found || !complete
      ? E.right([])
      : refusals(program, sought, options, numbersIn(question.condition))
    return E.Functor.map(why, (refused): AxiomsAnswer => ({
      holds,
      sought: question.quantifier === 'forall' ? 'counterexample' : 'condition',
      witness,
      refusals: refused,
      outcomes,
      complete,
      cut,
      candidates,
    }))
  })
}

/** What a question names, each once: what a table of states shows. */
export const askedOf = ({ condition, filter }: Question): ReturnType<typeof askedIn> =>
  askedIn(filter === undefined ? condition : { _tag: 'and', a: condition, b: filter })
