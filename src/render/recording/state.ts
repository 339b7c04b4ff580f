/**
 * States of a recording: the start, with the changes of the steps before.
 *
 * Laws
 * 1. `stateAfter(recording, i)` is `after` of `stateAfter(recording, i - 1)` and step `i - 1`; after no step it is the start.
 * 2. What a step does not name is the same object before and after.
 *
 * Nothing here needs more than the document, so that what plays a recording need not load the library.
 */
import type { AgentState, Flight, Recording, State, Step } from './model.js'

const replaced = <A>(
  xs: ReadonlyArray<A>,
  changes: ReadonlyArray<readonly [number, A]> | undefined,
): ReadonlyArray<A> => {
  if (changes === undefined) return xs
  const out = xs.slice()
  for (const [i, x] of changes) out[i] = x
  return out
}

const flown = (
  flights: ReadonlyArray<Flight>,
  changes: Step['changed']['flights'],
): ReadonlyArray<Flight> => {
  if (changes === undefined) return flights
  const now = new Map(changes)
  const known = new Set(flights.map(({ key }) => key))
  return [
    ...flights.flatMap((f) => {
      const one = now.get(f.key)
      return one === undefined ? [f] : one === null ? [] : [one]
    }),
    ...changes.flatMap(([key, one]) => (one === null || known.has(key) ? [] : [one])),
  ]
}

/** The state after a step. */
export const after = (state: State, { changed }: Step): State => {
  const slots = new Map<number, (readonly [number, State['slots'][number][number]])[]>()
  for (const [buffer, slot, s] of changed.slots ?? [])
    slots.set(buffer, [...(slots.get(buffer) ?? []), [slot, s]])
  return {
    agents: replaced(state.agents, changed.agents),
    barriers: replaced(state.barriers, changed.barriers),
    slots: replaced(
      state.slots,
      changed.slots === undefined
        ? undefined
        : [...slots].map(([buffer, some]) => [buffer, replaced(state.slots[buffer]!, some)] as const),
    ),
    flights: flown(state.flights, changed.flights),
  }
}

/** The state after the first `count` steps. */
export const stateAfter = ({ start, steps }: Recording, count: number): State =>
  steps.slice(0, count).reduce(after, start)

/** Steps between two states that are kept. */
const apart = 64

/** The states of one recording; one of each few that it comes by is kept, so that going back is as quick as going on. */
export const statesOf = ({ start, steps }: Recording): ((count: number) => State) => {
  const kept: State[] = [start]
  return (count) => {
    const to = Math.max(0, Math.min(count, steps.length))
    let k = Math.min(kept.length - 1, Math.floor(to / apart))
    let state = kept[k]!
    for (let i = k * apart; i < to; i++) {
      state = after(state, steps[i]!)
      if ((i + 1) % apart === 0) kept[++k] = state
    }
    return state
  }
}

// ---------------------------------------------------------------- what can happen

/** An event that can happen in a state. */
export interface Offer {
  readonly key: string
  readonly does: string
  readonly agent: number
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  /** the step that issued the operation; null: the agent does it itself */
  readonly issued: number | null
}

const offerOfAgent = (a: AgentState, agent: number): ReadonlyArray<Offer> =>
  a.status !== 'ready'
    ? []
    : [
        {
          key: `${String(agent)}:${String(a.at)}`,
          does: a.does,
          agent,
          site: a.site,
          iteration: a.iteration,
          issued: null,
        },
      ]

/** The events that can happen: agents in their order, then operations in the order of their issue. */
export const offeredIn = ({ steps }: Recording, state: State): ReadonlyArray<Offer> => [
  ...state.agents.flatMap(offerOfAgent),
  ...state.flights.flatMap(({ key, does, issued, isHeld }): ReadonlyArray<Offer> => {
    const { agent, site, iteration } = steps[issued]!
    return isHeld ? [] : [{ key, does, agent, site, iteration, issued }]
  }),
]

/** The agents that wait at a barrier. */
export const waitingAt = (state: State, barrier: number): ReadonlyArray<number> =>
  state.agents.flatMap((a, agent) => (a.status === 'waits' && a.barrier === barrier ? [agent] : []))
