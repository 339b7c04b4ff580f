/**
 * The events of one execution: a write that sets up each location, then what each thread does, thread by thread.
 *
 * Why an atomic operation is one event: the manual's operation is one (8.4), which reads and writes. It then needs no relation that ties its halves together.
 *
 * Law 1. The events of a thread stand together and in program order; those that set memory up stand first.
 */
import type { Path, PathEvent } from './paths.js'
import type { Address, Place, Program } from './program.js'

/** One event. */
export interface Event {
  /** the thread, counted from 0; -1: it sets memory up (8.2.6) */
  readonly thread: number
  /** which of its thread's events, counted from 0 */
  readonly local: number
  readonly place: Place
  readonly does: PathEvent | { readonly _tag: 'start'; readonly to: Address; readonly value: number }
}

const nowhere: Place = { cta: -1, cluster: -1, gpu: -1 }

/** The events of one way for each thread. */
export const eventsOf = (program: Program, paths: ReadonlyArray<Path>): ReadonlyArray<Event> => [
  ...[...program.memory].map(([location, value], local): Event => ({
    thread: -1,
    local,
    place: nowhere,
    does: { _tag: 'start', to: { location, address: location }, value },
  })),
  ...paths.flatMap(({ events }, thread) =>
    events.map((does, local): Event => ({ thread, local, place: program.threads[thread]!.place, does })),
  ),
]

/** Whether it reads memory. */
export const isRead = ({ does }: Event): boolean => does._tag === 'access' && does.reads

/** Whether it writes memory. */
export const isWrite = ({ does }: Event): boolean =>
  does._tag === 'start' || (does._tag === 'access' && does.writes !== undefined)

/** Where it accesses memory; nothing if it does not. */
export const addressOf = ({ does }: Event): Address | undefined =>
  does._tag === 'access' || does._tag === 'start' ? does.to : undefined

/** The events that a predicate has, as bits. */
export const bits = (events: ReadonlyArray<Event>, holds: (e: Event) => boolean): number =>
  events.reduce((all, e, k) => (holds(e) ? all | (1 << k) : all), 0)
