/**
 * What a search of schedules is asked, and what it answers.
 *
 * The kinds are what can be seen in states: they need no history. Which ids of the taxonomy they answer is said in `explore.ts`.
 */
import type { Failure } from '../../../failure.js'
import type { Arguments } from '../../execution/launch.js'
import type { EventKey } from '../../execution/step.js'
import type { End } from './ends.js'

// ---------------------------------------------------------------- questions

export interface ExploreOptions {
  readonly arguments: Arguments
  /** most states, of all waves together */
  readonly states: number
  /** longest schedule of a wave */
  readonly depth: number
  /** follow only a sufficient set of events */
  readonly reduced: boolean
  /** end at the first finding; others remain unknown */
  readonly stop: boolean
}

export type Kind =
  'deadlock' | 'fault' | 'overrun' | 'lifecycle' | 'race' | 'visibility' | 'unwritten' | 'exit'
export const kinds: ReadonlyArray<Kind> = [
  'deadlock',
  'fault',
  'overrun',
  'lifecycle',
  'race',
  'visibility',
  'unwritten',
  'exit',
]

export interface Found {
  readonly kind: Kind
  /** one line: which events */
  readonly text: string
  /** the events at fault: two of a race, none of a deadlock */
  readonly events: ReadonlyArray<EventKey>
  /** replays to it, under `recorded` */
  readonly schedule: ReadonlyArray<EventKey>
}

export type Bound = 'states' | 'depth'

export interface Exploration {
  /** the first of each kind and events */
  readonly found: ReadonlyArray<Found>
  readonly clean: boolean
  /** every schedule has been followed */
  readonly complete: boolean
  readonly bound: Bound | null
  readonly states: number
  readonly transitions: number
  readonly waves: number
  /** lanes could have gone ahead of others of their warp, and were not followed so (`ahead.ts`) */
  readonly ahead: boolean
  /** how its waves can end, each once, in the order of their texts */
  readonly ends: ReadonlyArray<End>
}

export type ExploreError = Failure<'explore.data' | 'explore.words'>

export const defaultExplore: Omit<ExploreOptions, 'arguments'> = {
  states: 200_000,
  depth: 100_000,
  reduced: true,
  stop: true,
}
