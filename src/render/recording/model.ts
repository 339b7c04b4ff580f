/**
 * A recording: one run as one document that a player steps through.
 *
 * It holds the program as it is listed, the picture of the run in causal time (the bars and arrows of `timeline-svg.ts`, as data), the state before the
 * first step, and of each step what it changed. The state after `i` steps is the start with the first `i` changes (`state.ts` does that, and the
 * player with it); so a step costs as many bytes as it changes, and ten thousand of them are a few megabytes.
 *
 *     step   key          does                          changed
 *     0      0:1          init 1                        agent 0 goes on; barrier full[0] is there
 *     ...
 *     12     1:4          issue #0 tmaLoad 8192 B       agent 1 goes on; slot a[0] is being written by 12; an operation is in flight
 *     13     1:4/write.0  perform #0 write              slot a[0] holds what 12 wrote; the operation has its signal to make
 *     14     1:4/signal.0 signal #0 8192 B              barrier full[0]: generation 1; agent 2 is ready; the operation is gone
 *
 * | number                        | counts                                                                                      |
 * |-------------------------------|---------------------------------------------------------------------------------------------|
 * | of a step                     | steps before it: step `i` leads from state `i` to state `i + 1`                             |
 * | of an agent, a barrier        | place in `agents`, in `barriers`; findings of the verdict name agents by the same `index`   |
 * | of a site                     | place in `sites`                                                                            |
 * | of a writer, a reader         | the step of the statement that writes or reads, or that issued the operation which does     |
 *
 * An event is named by its key (`semantics/execution/step.ts`): `3:17` is event 17 of agent 3, `3:17/write.0` what the operation that it issued does
 * next. What can happen in a state are the next events of the agents that are `ready`, in their order, then those of `flights` that nothing holds.
 *
 * Recorded are the clusters that run first, as pictures show them, and of those no more steps than a limit; `clusters` and `count` say of how many.
 *
 * Types alone, so that what plays a recording loads nothing of the library.
 */
import type { Header } from '../../semantics/log/events.js'
import type { Unit } from '../../semantics/log/units.js'
import type { Verdict } from '../../semantics/judging/verdict.js'

// ---------------------------------------------------------------- the document

export interface Recording {
  readonly schema: 'tcspec.recording/1'
  /** name of the program */
  readonly kernel: string
  readonly arch: Header['arch']
  readonly settings: Readonly<Record<string, string | number | boolean>>
  /** labels of the statements that were left out */
  readonly without: ReadonlyArray<string>
  /** the words that make this run again: the name of a policy, with detours or without, or event keys; null of a trace, which has its own order */
  readonly schedule: string | null
  readonly outcome: 'completed' | 'stuck' | 'out-of-fuel' | 'fault'
  /** what stopped it, in words; empty if nothing did */
  readonly reason: string
  /** steps of the whole run; `steps` may be fewer */
  readonly count: number
  /** clusters that are recorded, of those of the grid */
  readonly clusters: { readonly shown: number; readonly of: number }
  readonly agents: ReadonlyArray<RecordedAgent>
  readonly barriers: ReadonlyArray<RecordedBarrier>
  readonly buffers: ReadonlyArray<RecordedBuffer>
  readonly sites: ReadonlyArray<RecordedSite>
  readonly listing: ReadonlyArray<Line>
  readonly picture: Picture
  readonly start: State
  readonly steps: ReadonlyArray<Step>
  readonly verdict: Verdict | null
}

// ---------------------------------------------------------------- what there is

export interface RecordedAgent {
  readonly name: string
  /** counted through all clusters that run together */
  readonly cta: number
  readonly warps: number
}

export interface RecordedBarrier {
  /** storage and index in it: `full[1]` */
  readonly name: string
  readonly cta: number
}

/** An array in shared or tensor memory, and the slots of a ring that it is made of; one where it is none. */
export interface RecordedBuffer {
  readonly name: string
  readonly cta: number
  readonly space: 'smem' | 'tmem'
  /** shared memory: a byte of the CTA's; tensor memory: a byte of every lane's (4 a column) */
  readonly start: number
  readonly bytes: number
  readonly slots: number
  /** from the start of a slot to that of the next one */
  readonly slotBytes: number
  /** elements, and the shape of one slot: `bf16 64x64` */
  readonly holds: string
}

/** A statement of the program. */
export interface RecordedSite {
  readonly name: string
  /** enclosing scopes, outermost first */
  readonly path: ReadonlyArray<string>
  /** line of the listing, counted from 0; -1 where it has none */
  readonly line: number
  /** where an author wrote it: `file:line`, and what stands there if that is known */
  readonly source?: { readonly place: string; readonly text: string }
}

/** A line of the program, as `print` writes it without its indentation and its site. */
export interface Line {
  readonly text: string
  readonly depth: number
  readonly site: number | null
}

// ---------------------------------------------------------------- the picture

/** What a bar is: the unit that works, a wait, an arrival or a signal at a barrier, or anything else that an agent does. */
export type Kind = Unit | 'wait' | 'arrive' | 'other'

/** The run in causal time (`causal-time.ts`): lanes from top to bottom, bars in them, arrows from what signals to what waited. */
export interface Picture {
  readonly lanes: ReadonlyArray<PictureLane>
  readonly bars: ReadonlyArray<PictureBar>
  readonly arrows: ReadonlyArray<PictureArrow>
  /** the kinds that there are, with their titles, in the order of a legend */
  readonly kinds: ReadonlyArray<{ readonly kind: Kind; readonly title: string }>
  /** the last time that something is drawn at */
  readonly end: number
}

export interface PictureLane {
  readonly name: string
  readonly cta: number
  readonly kind: 'agent' | 'unit'
  /** bars that lie over one another at most */
  readonly rows: number
}

export interface PictureBar {
  /** place in `lanes`, and row of it */
  readonly lane: number
  readonly row: number
  readonly from: number
  readonly to: number
  readonly kind: Kind
  readonly label: string
  readonly tip: string
  /** it is never over */
  readonly isOpen: boolean
  /** the statement, or the one that issued the operation: what a finding names too */
  readonly agent: number
  readonly at: number
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  /** steps in which it begins (its statement, its issue) and ends; null where no step that is recorded does */
  readonly first: number | null
  readonly last: number | null
}

export interface PictureArrow {
  /** place in `lanes`, and row of it */
  readonly fromLane: number
  readonly fromRow: number
  readonly from: number
  readonly toLane: number
  readonly to: number
  readonly kind: Kind
  /** the step that signals, and the one that waited; null where none does (a wait for ever) */
  readonly fromStep: number | null
  readonly toStep: number | null
}

// ---------------------------------------------------------------- states

export interface State {
  readonly agents: ReadonlyArray<AgentState>
  /** null: it is not initialised, or no longer */
  readonly barriers: ReadonlyArray<BarrierState | null>
  /** by buffer, by slot */
  readonly slots: ReadonlyArray<ReadonlyArray<SlotState>>
  /** operations in flight, in the order of their issue */
  readonly flights: ReadonlyArray<Flight>
}

/**
 * Where an agent stands.
 *
 * | status    | it                                                                         |
 * |-----------|----------------------------------------------------------------------------|
 * | `idle`    | has not been forked yet                                                    |
 * | `ready`   | can do its next event now: `does`, at `site`; its key is `agent:at`        |
 * | `waits`   | cannot, until something else happens: `does` says for what                 |
 * | `done`    | is at its end                                                              |
 */
export interface AgentState {
  readonly status: 'idle' | 'ready' | 'waits' | 'done'
  /** number of its next event, from 1 */
  readonly at: number
  /** of the statement that it stands before; -1: none */
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  /** what it does next, in words; empty where that is nothing */
  readonly does: string
  /** the barrier that this is about; -1: none */
  readonly barrier: number
}

/** An mbarrier in its open phase. */
export interface BarrierState {
  /** phases that are over; its parity is the bit that waits look at */
  readonly generation: number
  /** arrivals that the open phase still wants, of how many */
  readonly pending: number
  readonly expected: number
  /** bytes that it still wants; negative: they came before they were expected */
  readonly bytes: number
}

/**
 * What is going on in a slot, each time by the steps of the statements. It is empty where there is nothing in any of the three lists. Several operations may
 * be at it at once: written while it is read is a state, and mostly a race.
 */
export interface SlotState {
  /** operations in flight that have still to write to it */
  readonly writing: ReadonlyArray<number>
  /** what wrote the bytes that it holds, in the order in which it did; what others have overwritten whole is not there */
  readonly holds: ReadonlyArray<number>
  /** operations in flight that have still to read it */
  readonly reading: ReadonlyArray<number>
  /** some of what it holds has been read */
  readonly wasRead: boolean
}

/** An operation in flight. */
export interface Flight {
  /** its next event */
  readonly key: string
  readonly unit: string
  /** the step that issued it */
  readonly issued: number
  /** what it does next, in words */
  readonly does: string
  /** something that was issued before it has to happen first */
  readonly isHeld: boolean
}

// ---------------------------------------------------------------- steps

export interface Step {
  readonly key: string
  readonly agent: number
  /** number of the statement's event in its agent */
  readonly at: number
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  /** in the words of `tcspec trace` */
  readonly does: string
  /** causal time */
  readonly time: number
  readonly changed: Change
}

/** What is another after the step: each by its place, whole. */
export interface Change {
  readonly agents?: ReadonlyArray<readonly [agent: number, AgentState]>
  readonly barriers?: ReadonlyArray<readonly [barrier: number, BarrierState | null]>
  readonly slots?: ReadonlyArray<readonly [buffer: number, slot: number, SlotState]>
  /** by the key that an operation had: what it is now, null if it is over; new ones, by their own keys, stand last */
  readonly flights?: ReadonlyArray<readonly [key: string, Flight | null]>
}
