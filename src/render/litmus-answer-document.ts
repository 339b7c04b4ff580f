/**
 * The answer to a litmus test of PTX as a document: the question, whether it holds, an execution that shows it or what forbids each that would, and the final states.
 *
 * Laws
 * 1. An arrow, a pair and a read name events by their places in `events` of the same execution.
 * 2. The states are those of the search, shown for what the question names (and `locations`); equal ones are shown once.
 */
import type { PtxLitmus } from '../dialects/litmus/index.js'
import {
  addressOf,
  askedOf,
  axioms,
  contradictions,
  dataRaces,
  isWrite,
  nameOf,
  satisfies,
  stepsOf,
  type Arrow,
  type Axiom,
  type AxiomsAnswer,
  type Candidate,
  type Event,
  type FinalState,
  type Refusal,
} from '../semantics/axioms/index.js'

// ---------------------------------------------------------------- model

/** One event of an execution. */
export interface AnswerEvent {
  /** its thread; null: it sets memory up */
  readonly thread: string | null
  readonly line: number | null
  readonly text: string
  readonly reads: number | null
  readonly writes: number | null
}

/** One event before another. */
export interface AnswerPair {
  readonly from: number
  readonly to: number
}

/** One event before another, and what makes it so. */
export interface AnswerStep {
  readonly from: number
  readonly to: number
  readonly is: string
}

/** What a run chose. */
export interface AnswerExecution {
  readonly events: ReadonlyArray<AnswerEvent>
  /** from a write to a read */
  readonly readsFrom: ReadonlyArray<AnswerPair>
  /** neighbours in coherence order */
  readonly coherence: ReadonlyArray<AnswerPair>
  /** neighbours in Fence-SC order */
  readonly fences: ReadonlyArray<AnswerPair>
  readonly synchronizes: ReadonlyArray<AnswerPair>
  readonly races: ReadonlyArray<AnswerPair>
}

/** One arrow of a contradiction, and the steps of its way in causality order. */
export interface AnswerArrow {
  readonly from: number
  readonly to: number
  readonly is: string
  readonly steps: ReadonlyArray<AnswerStep>
}

/** An axiom that an execution contradicts. */
export interface AnswerContradiction {
  readonly axiom: string
  readonly section: string
  readonly says: string
  readonly arrows: ReadonlyArray<AnswerArrow>
}

/** A final state: what it holds under each name that is asked for; null: nothing, its thread waits for ever. */
export interface AnswerState {
  readonly values: Readonly<Record<string, number | null>>
  readonly waiting: ReadonlyArray<string>
  readonly satisfies: boolean
}

/** An execution that would satisfy what is sought, and what forbids it. */
export interface AnswerRefusal {
  readonly state: AnswerState
  readonly execution: AnswerExecution
  readonly contradictions: ReadonlyArray<AnswerContradiction>
}

/** The whole answer. */
export interface LitmusAnswerDocument {
  readonly schema: 'tcspec.litmus-answer/1'
  readonly name: string
  readonly test: string
  readonly question: string
  readonly quantifier: 'exists' | 'notExists' | 'forall'
  readonly answer: 'allowed' | 'never' | 'always' | 'not always' | 'undecided'
  readonly holds: boolean | null
  readonly leftOut: ReadonlyArray<string>
  readonly threads: ReadonlyArray<{
    readonly name: string
    readonly cta: number
    readonly cluster: number
    readonly gpu: number
    readonly lines: ReadonlyArray<{ readonly line: number; readonly text: string }>
  }>
  readonly witness: AnswerExecution | null
  readonly refusals: ReadonlyArray<AnswerRefusal>
  /** how many refusals were found; the first of them are shown */
  readonly refused: number
  readonly states: ReadonlyArray<AnswerState>
  readonly complete: boolean
  readonly cut: boolean
  readonly candidates: number
}

/** Refusals in a document, at most. */
export const mostShown = 20

// ---------------------------------------------------------------- an execution

const startText = (e: Event, value: number | undefined): string =>
  `${addressOf(e)?.location ?? ''} = ${String(value ?? 0)} at the start`

/** Pairs of a transitive relation without those that follow from others. */
const neighbours = (n: number, has: (a: number, b: number) => boolean): ReadonlyArray<AnswerPair> => {
  const all = Array.from({ length: n }, (_, k) => k)
  return all.flatMap((from) =>
    all.flatMap((to) =>
      has(from, to) && !all.some((k) => has(from, k) && has(k, to)) ? [{ from, to }] : [],
    ),
  )
}

const executionOf = (test: PtxLitmus, c: Candidate): AnswerExecution => {
  const { events } = c.shape
  const n = events.length
  const related =
    (r: ReadonlyArray<number>) =>
    (a: number, b: number): boolean =>
      ((r[a]! >>> b) & 1) === 1
  const pairsOf = (holds: (a: number, b: number) => boolean): ReadonlyArray<AnswerPair> =>
    events.flatMap((_, from) => events.flatMap((__, to) => (holds(from, to) ? [{ from, to }] : [])))
  return {
    events: events.map((e, k): AnswerEvent => {
      const source = e.does._tag === 'start' ? undefined : test.sources[e.thread]?.[e.does.at]
      return {
        thread: test.program.threads[e.thread]?.name ?? null,
        line: source?.line ?? null,
        text: source?.text ?? startText(e, c.wrote[k]),
        reads: c.found[k] ?? null,
        writes: c.wrote[k] ?? null,
      }
    }),
    readsFrom: c.readsFrom.flatMap((from, to) => (from < 0 ? [] : [{ from, to }])),
    coherence: neighbours(n, related(c.coherence)).filter(
      ({ from, to }) => isWrite(events[from]!) && isWrite(events[to]!),
    ),
    fences: neighbours(n, related(c.synchronizes.fences)),
    synchronizes: pairsOf(related(c.synchronizes.patterns)),
    races: dataRaces(events, c.shape.overlap, c.shape.strong, c.causality).map(([from, to]) => ({
      from,
      to,
    })),
  }
}

const arrowOf =
  (c: Candidate) =>
  ({ from, to, is }: Arrow): AnswerArrow => ({
    from,
    to,
    is,
    steps: is === 'causality' || is === 'base causality' ? stepsOf(c, from, to) : [],
  })

// ---------------------------------------------------------------- the document

const answerWord = (
  quantifier: LitmusAnswerDocument['quantifier'],
  holds: boolean | undefined,
): LitmusAnswerDocument['answer'] => {
  if (holds === undefined) return 'undecided'
  switch (quantifier) {
    case 'exists':
      return holds ? 'allowed' : 'never'
    case 'notExists':
      return holds ? 'never' : 'allowed'
    case 'forall':
      return holds ? 'always' : 'not always'
  }
}

/** The answer to a test as a document. `name`: the file; `leftOut`: axioms that were left out. */
export const litmusAnswerDocument = (
  name: string,
  test: PtxLitmus,
  answer: AxiomsAnswer,
  leftOut: ReadonlyArray<Axiom>,
): LitmusAnswerDocument => {
  const { question, program } = test
  const asked = [...askedOf(question), ...test.shown].flatMap((a) => {
    const called = nameOf(a)
    return called === undefined ? [] : [called]
  })
  const names = [...new Set(asked)]
  const stateOf = (s: FinalState): AnswerState => {
    const shown = names.length > 0 ? names : [...s.registers.keys(), ...s.memory.keys()]
    return {
      values: Object.fromEntries(
        shown.map((n) => [n, s.memory.get(n) ?? (s.registers.has(n) ? (s.registers.get(n) ?? null) : 0)]),
      ),
      waiting: s.waiting,
      satisfies: satisfies(s, question.condition),
    }
  }
  const admitted = answer.outcomes
    .map(({ state }) => state)
    .filter((s) => question.filter === undefined || satisfies(s, question.filter))
    .map(stateOf)
  const states = [...new Map(admitted.map((s) => [JSON.stringify(s), s])).values()]
  return {
    schema: 'tcspec.litmus-answer/1',
    name,
    test: test.name,
    question: test.questionText,
    quantifier: question.quantifier,
    answer: answerWord(question.quantifier, answer.holds),
    holds: answer.holds ?? null,
    leftOut,
    threads: program.threads.map(({ name: called, place }, t) => ({
      name: called,
      cta: place.cta,
      cluster: place.cluster,
      gpu: place.gpu,
      lines: test.sources[t] ?? [],
    })),
    witness: answer.witness === undefined ? null : executionOf(test, answer.witness.execution),
    refusals: answer.refusals.slice(0, mostShown).map(({ state, candidate }: Refusal): AnswerRefusal => ({
      state: stateOf(state),
      execution: executionOf(test, candidate),
      contradictions: contradictions(candidate).map(({ axiom, arrows }) => {
        const row = axioms.find(({ id }) => id === axiom)
        return {
          axiom,
          section: row?.section ?? '',
          says: row?.says ?? '',
          arrows: arrows.map(arrowOf(candidate)),
        }
      }),
    })),
    refused: answer.refusals.length,
    states,
    complete: answer.complete,
    cut: answer.cut,
    candidates: answer.candidates,
  }
}
