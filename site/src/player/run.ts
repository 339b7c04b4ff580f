/**
 * A recording, made ready for a player: what belongs to what, found once, so that a step costs no search.
 *
 * Laws
 *  1. a step has a bar where the picture has one: that of its statement, or that of the operation which it is an event of
 *  2. `next(run, of, at, 1)` is the first of these steps that is not before state `at`, `next(run, of, at, -1)` the last that is before the step that led to it
 *  3. the phases of a barrier follow one another, without a gap, from its initialisation to its end or that of the picture
 */
import type {
  PictureBar,
  Recording,
  RecordedAgent,
  State,
  Step,
} from '../../../src/render/recording/model.js'
import { after, statesOf } from '../../../src/render/recording/state.js'
import { ofSchema } from '../machine/members.js'

/** A generation of a barrier, in causal time. */
export interface Phase {
  readonly generation: number
  readonly from: number
  readonly to: number
}

export interface Run {
  readonly recording: Recording
  /** the state after so many steps */
  readonly stateAt: (count: number) => State
  /** by step: place in `picture.bars` of the statement or operation that it is an event of, or -1 */
  readonly barOf: Int32Array
  /** by step: that of the operation which it issued, or -1 */
  readonly issuedBarOf: Int32Array
  /** by agent, by site: steps, in their order */
  readonly ofAgent: ReadonlyArray<ReadonlyArray<number>>
  readonly ofSite: ReadonlyArray<ReadonlyArray<number>>
  /** by barrier */
  readonly phases: ReadonlyArray<ReadonlyArray<Phase>>
}

const isRecording = (u: unknown): u is Recording => ofSchema('tcspec.recording/1')(u) !== null

/** The document, if it is a recording. */
export const readRecording = (u: unknown): Recording | null => (isRecording(u) ? u : null)

const isEventOfOperation = ({ key }: Step): boolean => key.includes('/')

const barsOf = ({ picture, steps }: Recording): Pick<Run, 'barOf' | 'issuedBarOf'> => {
  const statements = new Map<string, number>()
  const operations = new Map<string, number>()
  picture.bars.forEach(({ lane, agent, at }, i) => {
    const key = `${String(agent)}:${String(at)}`
    const places = picture.lanes[lane]?.kind === 'unit' ? operations : statements
    if (!places.has(key)) places.set(key, i)
  })
  const key = ({ agent, at }: Step): string => `${String(agent)}:${String(at)}`
  return {
    barOf: Int32Array.from(
      steps,
      (step) => (isEventOfOperation(step) ? operations : statements).get(key(step)) ?? -1,
    ),
    issuedBarOf: Int32Array.from(steps, (step) =>
      isEventOfOperation(step) ? -1 : (operations.get(key(step)) ?? -1),
    ),
  }
}

const phasesOf = ({ barriers, start, steps, picture }: Recording): ReadonlyArray<ReadonlyArray<Phase>> => {
  const all: Phase[][] = barriers.map(() => [])
  const open = start.barriers.map((b) => (b === null ? null : { generation: b.generation, from: 0 }))
  const close = (barrier: number, time: number): number => {
    const phase = open[barrier]
    if (phase === null || phase === undefined) return time
    // the order of the run need not be that of causal time
    const to = Math.max(time, phase.from)
    all[barrier]?.push({ generation: phase.generation, from: phase.from, to })
    return to
  }
  for (const { time, changed } of steps)
    for (const [barrier, now] of changed.barriers ?? []) {
      const before = open[barrier] ?? null
      if (before?.generation === now?.generation) continue
      const from = close(barrier, time + 1)
      open[barrier] = now === null ? null : { generation: now.generation, from }
    }
  open.forEach((_, barrier) => close(barrier, picture.end))
  return all
}

/** States, of which the last is kept: a step on from it costs what the step changes. */
const stepping = (recording: Recording): Run['stateAt'] => {
  const far = statesOf(recording)
  let [at, state] = [0, recording.start]
  return (count) => {
    const step = recording.steps[at]
    if (count === at + 1 && step !== undefined) state = after(state, step)
    else if (count !== at) state = far(count)
    at = count
    return state
  }
}

export const runOf = (recording: Recording): Run => {
  const ofAgent: number[][] = recording.agents.map(() => [])
  const ofSite: number[][] = recording.sites.map(() => [])
  recording.steps.forEach(({ agent, site }, i) => {
    ofAgent[agent]?.push(i)
    ofSite[site]?.push(i)
  })
  return {
    recording,
    stateAt: stepping(recording),
    ...barsOf(recording),
    ofAgent,
    ofSite,
    phases: phasesOf(recording),
  }
}

// ---------------------------------------------------------------- places in the schedule

/** How many of an ascending list are below a number. */
export const below = (list: ReadonlyArray<number>, n: number): number => {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle] ?? Infinity) < n) low = middle + 1
    else high = middle
  }
  return low
}

/** The position after the next one of these steps, or after the one before; null where there is none. */
export const next = (steps: ReadonlyArray<number>, at: number, way: 1 | -1): number | null => {
  const k = way === 1 ? below(steps, at) : below(steps, at - 1) - 1
  const step = steps[k]
  return step === undefined ? null : step + 1
}

export const clamp = ({ recording: { steps } }: Run, at: number): number =>
  Math.max(0, Math.min(steps.length, Number.isFinite(at) ? Math.round(at) : 0))

/** The position after the first step that touches a slot or sets an operation off: what is before it sets up. 0: there is none. */
export const interestingIn = ({ steps }: Recording): number =>
  steps.findIndex(({ changed }) => (changed.slots ?? []).length > 0 || (changed.flights ?? []).length > 0) + 1

// ---------------------------------------------------------------- words

export const iterationWords = (iteration: ReadonlyArray<number>): string =>
  iteration.length === 0 ? '' : ` [${iteration.join(', ')}]`

export const agentWords = ({ name, cta }: RecordedAgent): string => `${name}@${String(cta)}`

/** A statement of one iteration, as findings and bars name it: `copy a [4]`. */
export const siteWords = (
  { sites }: Recording,
  { site, iteration }: { readonly site: number; readonly iteration: ReadonlyArray<number> },
): string => {
  const name = sites[site]?.name
  return name === undefined ? '' : `${name}${iterationWords(iteration)}`
}

export const stepWords = (recording: Recording, i: number): string => {
  const step = recording.steps[i]
  if (step === undefined) return ''
  const agent = recording.agents[step.agent]
  return `${agent === undefined ? '' : agentWords(agent)} · ${siteWords(recording, step)}: ${step.does}`
}

/** The step that led to a position, in one line. */
export const positionWords = (recording: Recording, at: number): string =>
  at === 0 ? 'before the first step' : stepWords(recording, at - 1)

// ---------------------------------------------------------------- bars

/** The position at which a bar has begun: just after its first step. */
export const beginOf = ({ first, last }: PictureBar): number | null => {
  const step = first ?? last
  return step === null ? null : step + 1
}
