/**
 * Run: the fold of steps, under a policy, into folds of its log.
 *
 * What a run is, is said in one line, in the state monad: the steps of its schedule, one after the other (`stepsOf`). How it is made is a loop,
 * because a chain of a million steps has no stack; law 2 holds the two together.
 *
 * A run owns its machine: it holds the edit token under which the pages that it makes may be overwritten, and gives it back at the
 * end. What it yields is a machine that anybody may keep. The log is handed to a fold, a page of events at a time; nothing older than
 * a page is retained that the fold does not retain.
 *
 * Laws
 * 1. run with the token equals run without it, event for event and byte for byte.
 * 2. The log and the machine of a run of one wave are those of `stepsOf` of the schedule that it took.
 * 3. what `both(f, g)` finds is what f finds and what g finds, each alone.
 * 4. what `heard` says of the log of a run is what the run with that fold is.
 */
import { aheadOf } from './ahead.js'
import { nextWave } from '../machine/launch.js'
import { conclusion, observeAll, type Fold, type Header, type LogEvent } from '../log/events.js'
import { fuelTicks, outOfFuel, spend } from '../machine/effort.js'
import { withEdit, type Machine } from '../machine/state.js'
import type { World } from '../machine/world.js'
import { beforeItAsks, isLivelock, leaving, marked, took, vain } from './livelock.js'
import type { AnyPolicy } from './policy.js'
import * as StateEither from './state-either.js'
import {
  as,
  blockedEvents,
  exitOf,
  finished,
  offered,
  step,
  take,
  type EventKey,
  type Fault,
  type Offered,
  type Step,
} from './step.js'

// ---------------------------------------------------------------- model

export type Outcome =
  | { readonly _tag: 'completed' }
  | { readonly _tag: 'stuck' }
  | { readonly _tag: 'outOfFuel' }
  /** by the policy: `key`, if it asks for one event, is not on offer, but these are */
  | {
      readonly _tag: 'refused'
      readonly key: EventKey | null
      readonly offered: ReadonlyArray<EventKey>
    }
  | { readonly _tag: 'fault'; readonly fault: Fault }

export interface Ran<R> {
  readonly outcome: Outcome
  readonly machine: Machine
  readonly steps: number
  readonly clusters: number
  /** the schedule, when it was asked for */
  readonly schedule: ReadonlyArray<EventKey>
  readonly result: R
}

export interface Settings {
  readonly policy: AnyPolicy
  /** most events of a run, and clusters; what is computed between events is limited with it (`machine/effort.ts`) */
  readonly fuel: number
  readonly keepSchedule: boolean
  /** false: every step copies the pages it writes, as for a machine that is kept */
  readonly transient: boolean
  /** told after every wave how many clusters are done, of how many */
  readonly progress?: Progress
  /** told of every step */
  readonly watch?: Watch
  /** false: of a run that got stuck nothing asks what stands behind its waits (`ahead.ts`); default true */
  readonly ahead?: boolean
}

/** What sees the machine between the steps of a run; its pages may be written over by the next step. */
export interface Watch {
  /** clusters begin, and say so */
  readonly begun: (m: Machine, events: ReadonlyArray<LogEvent>) => void
  /** an event has happened, and this is the machine after it */
  readonly stepped: (m: Machine, key: EventKey, events: ReadonlyArray<LogEvent>) => void
  /** no further step is possible: what is blocked says so */
  readonly ended: (events: ReadonlyArray<LogEvent>) => void
}

export type Progress = (done: number, of: number) => void

/** Half a minute of events, and half a gigabyte of a schedule. */
export const standardFuel = 10_000_000

export const settings = (policy: AnyPolicy, keepSchedule: boolean = false): Settings => ({
  policy,
  fuel: standardFuel,
  keepSchedule,
  transient: true,
})

// ---------------------------------------------------------------- folds

/** Two folds over one log. */
export const both = <S, R, T, Q>(f: Fold<S, R>, g: Fold<T, Q>): Fold<readonly [S, T], readonly [R, Q]> => ({
  init: (header) => [f.init(header), g.init(header)],
  observe: (state, event) => {
    const s = f.observe(state[0], event)
    const t = g.observe(state[1], event)
    // most folds keep the state that they fill
    return s === state[0] && t === state[1] ? state : [s, t]
  },
  observeAll: (state, events) => [observeAll(f, state[0], events), observeAll(g, state[1], events)],
  finish: ([s, t]) => [f.finish(s), g.finish(t)],
  stopped: ([s, t]) => [conclusion(f, s, false), conclusion(g, t, false)],
  exhausted: ([s, t]) => f.exhausted?.(s) === true || g.exhausted?.(t) === true,
})

/** The log itself. */
export const collect: Fold<LogEvent[], ReadonlyArray<LogEvent>> = {
  init: () => [],
  observe: (events, event) => {
    events.push(event)
    return events
  },
  finish: (events) => events,
}

/** The log itself, if it is no longer than this; null: it is. */
export const collectUpTo = (most: number): Fold<LogEvent[] | null, ReadonlyArray<LogEvent> | null> => ({
  init: () => [],
  observe: (events, event) => {
    if (events === null || events.length === most) return null
    events.push(event)
    return events
  },
  finish: (events) => events,
})

/** Nothing. */
export const ignore: Fold<null, null> = { init: () => null, observe: (s) => s, finish: (s) => s }

// ---------------------------------------------------------------- the definition

/** A run by definition: the events of a schedule, as far as each is offered when its turn comes. */
export const stepsOf =
  (world: World) =>
  (schedule: ReadonlyArray<EventKey>): Step =>
    schedule.reduce<Step>(
      (before, key) =>
        StateEither.chain<Machine, Fault, ReadonlyArray<LogEvent>, ReadonlyArray<LogEvent>>((events) =>
          StateEither.chain<Machine, Fault, ReadonlyArray<LogEvent>, ReadonlyArray<LogEvent>>((more) =>
            StateEither.of([...events, ...more]),
          )(step(world)(key)),
        )(before),
      StateEither.of([]),
    )

// ---------------------------------------------------------------- the loop

/** A wave begins: the agents that have nothing to do are at their end. */
const beginnings = (m: Machine): ReadonlyArray<LogEvent> => [
  { _tag: 'cluster', id: m.wave.clusters[0]! },
  ...m.agents.flatMap((a, agent): ReadonlyArray<LogEvent> => (a.status === 'done' ? [exitOf(agent, a)] : [])),
]

/**
 * Steps whose events are a page. Machine and folds are each more than the nearest cache holds: taking turns event by event, each would
 * find the other's data in it.
 */
const pageSteps = 64
/** Steps after which a fold is asked whether it can hear more: what an event adds to it is bounded. */
const patience = 4 * pageSteps

/** Run every cluster of the grid from `start` (the machine of the first wave), as far as it goes. */
export const run = <S, R>(world: World, start: Machine, how: Settings, fold: Fold<S, R>): Ran<R> =>
  how.policy((policy) => {
    const edit = how.transient ? { run: Symbol('run') } : null
    const schedule: EventKey[] = []
    let state = fold.init(world.header)
    let choice = policy.init
    let m = withEdit(start, edit)
    let steps = 0
    let clusters = 0
    let outcome: Outcome = { _tag: 'completed' }
    let page: LogEvent[] = []
    const handOver = (): void => {
      state = observeAll(fold, state, page)
      page = []
    }
    const { effort } = world
    const outer = effort.limit
    effort.limit = Math.min(outer, effort.spent + fuelTicks(how.fuel))
    for (let more = true; more;) {
      const begun = beginnings(m)
      for (const e of begun) page.push(e)
      how.watch?.begun(m, begun)
      const asked = vain()
      let options: ReadonlyArray<Offered> = []
      let last: Offered | null = null
      for (;;) {
        options = offered(world, m, options, last)
        const isVain = options.length > 0 && isLivelock(asked, world, options)
        const forced = isVain ? beforeItAsks(options) : null
        if (options.length === 0 || (isVain && forced === null)) break
        if (steps + clusters >= how.fuel || effort.spent > effort.limit) {
          outcome = { _tag: 'outOfFuel' }
          break
        }
        const choosing =
          forced === null
            ? policy.choose(choice, marked(asked, world, options))
            : ([options.indexOf(forced), choice] as const)
        const chosen = choosing[0]
        choice = choosing[1]
        if (typeof chosen !== 'number' && (chosen === null || !('event' in chosen))) {
          outcome = { _tag: 'refused', key: chosen, offered: options.map(({ key }) => key) }
          break
        }
        const event = typeof chosen === 'number' ? options[chosen]! : as(options[chosen.event]!, chosen.key)
        if (how.keepSchedule) schedule.push(event.key)
        spend(effort, event.bytes / 16 + event.macs / 256)
        const left = leaving(world, m, event)
        const done = take(world, m, event)
        steps++
        if ('kind' in done) {
          outcome = done.code === outOfFuel.code ? { _tag: 'outOfFuel' } : { _tag: 'fault', fault: done }
          break
        }
        for (let i = 0; i < done.events.length; i++) page.push(done.events[i]!)
        m = done.machine
        last = event
        took(asked, world, m, event, left)
        how.watch?.stepped(m, event.key, done.events)
        if (steps % pageSteps !== 0) continue
        handOver()
        if (steps % patience === 0 && fold.exhausted?.(state) === true) {
          outcome = { _tag: 'outOfFuel' }
          break
        }
      }
      clusters += m.wave.clusters.filter((cluster) => cluster >= 0).length
      how.progress?.(m.wave.next, world.clusterCount)
      if (outcome._tag === 'completed' && !finished(m)) {
        const waits = blockedEvents(world, m)
        const last = how.ahead === false ? waits : [...waits, ...aheadOf(world, m, waits)]
        for (const e of last) page.push(e)
        how.watch?.ended(last)
        outcome = { _tag: 'stuck' }
      }
      spend(effort, (world.header.agents.length + world.header.barriers.length) ** 2 * 2)
      if (outcome._tag === 'completed' && clusters < world.clusterCount && steps + clusters >= how.fuel)
        outcome = { _tag: 'outOfFuel' }
      const following = outcome._tag === 'completed' ? nextWave(world, m) : null
      if (following === null) more = false
      else m = withEdit(following, edit)
    }
    handOver()
    effort.limit = outer
    return {
      outcome,
      machine: withEdit(m, null),
      steps,
      clusters,
      schedule,
      result: conclusion(fold, state, outcome._tag === 'completed' || outcome._tag === 'stuck'),
    }
  })

// ---------------------------------------------------------------- a log that is there

/** A run that came to its end, and its log. */
export interface Logged extends Omit<Ran<ReadonlyArray<LogEvent>>, 'outcome'> {
  /** what it spent, by `machine/effort.ts` */
  readonly spent: number
}

/** What a run with this fold would have been, from the log of one without it; null: the fold hears no more, and the run would have stopped. */
export const heard = <S, R>(
  { machine, steps, clusters, schedule, result: events }: Logged,
  header: Header,
  fold: Fold<S, R>,
): Ran<R> | null => {
  let state = fold.init(header)
  for (let from = 0; from < events.length; from += patience) {
    state = observeAll(fold, state, events.slice(from, from + patience))
    if (fold.exhausted?.(state) === true) return null
  }
  return {
    outcome: { _tag: 'completed' },
    machine,
    steps,
    clusters,
    schedule,
    result: conclusion(fold, state, true),
  }
}
