/**
 * What an instruction is to the machine: all that is asked of it, in one record.
 *
 * A family of instructions (`instructions/<family>.ts`) gives such a record for each case of `Prepared` and of `InFlight` that is its own, and
 * `instructions/families.ts` has them all: of a new case tsc names the record that is missing, and of a new question each family that does not answer it.
 *
 * | question  | who asks                                                                                   |
 * |-----------|--------------------------------------------------------------------------------------------|
 * | `execute` | a step of the agent (`execution/step.ts`)                                                  |
 * | `waits`   | what is on offer; what is said of an agent where nothing can move                          |
 * | `touches` | the search of all schedules, and the watch for races: may two events change places?        |
 * | `does`    | runs that turn in circles (`execution/livelock.ts`), warps that have parted                |
 * | `strong`  | the search of outcomes: which words it reads and writes as the memory model's strong operations |
 * | `next`    | a step of an operation in flight                                                           |
 * | `held`    | what is on offer                                                                           |
 * | `ctas`    | may a CTA end before the operation is done?                                                |
 */
import type { RegisterLayout } from '../../layouts/register-layout.js'
import type { Scope } from '../language/instruction.js'
import type { LogEvent } from '../log/events.js'
import type { Effect, Executing } from './effect.js'
import type { Elements, InFlight, Prepared } from './operation.js'
import type { Plane } from './plane.js'
import type { Machine } from './state.js'
import { none, type Touches } from './touches.js'
import type { FaultValue } from './value.js'
import type { World } from './world.js'

// ---------------------------------------------------------------- instructions of an agent

/** Elements of a load that find memory otherwise than it is. */
export interface Apart {
  readonly from: number
  readonly to: number
  readonly plane: Plane
}

/** What an agent gives an instruction beside its operands. */
export interface Manner {
  /** register layout of each result that is a tile */
  readonly layouts: ReadonlyArray<RegisterLayout | 'any'>
  readonly apart: ReadonlyArray<Apart>
  /** an instruction that is known only now: what the map of a copy describes */
  readonly execute: (p: Prepared) => Effect | FaultValue
}

/** Another agent may have to do something first. */
export interface Waits<P extends Prepared> {
  /** what it waits for */
  readonly of: 'mbarrier' | 'barrier' | 'cluster' | 'group' | 'word' | 'registers'
  readonly blocked: (world: World, agent: number, m: Machine, p: P) => boolean
  /** what stands in the log where nothing can move */
  readonly stands: (x: Executing, m: Machine, p: P) => ReadonlyArray<LogEvent>
}

/** Which columns a dealloc frees depends on the machine: this one, any (all columns that it may free), or it is not asked (none). */
export type When = Machine | 'any' | null

/** The agent that stands ready. */
export interface Standing {
  readonly world: World
  readonly agent: number
  readonly when: When
}

/**
 * What an instruction may leave as it is: `asks`, it asks for what another may do, and may find nothing and change nothing; `reads`, it changes nothing, and
 * does not wait for anybody; `changes`, all else.
 */
export type Does = 'asks' | 'reads' | 'changes'

/** The words that an instruction names strongly: of so many elements each; an atomic reads and writes them. */
export interface Strongly {
  readonly elements: Elements
  readonly words: number
  readonly reads: boolean
  /** it finds this word, or waits for it; null, absent: it finds what is there */
  readonly finds?: number | null
  /** null: it writes nothing */
  readonly writes: Landing | null
}

/** What a strong write has besides its place: whether it leaves what it finds, whatever that is, and whom it tells. */
export interface Landing {
  readonly leaves: boolean
  readonly scope: Scope
  readonly releases: boolean
}

export interface Acts<P extends Prepared> {
  readonly execute: (x: Executing, m: Machine, p: P, how: Manner) => Effect | FaultValue
  readonly waits: Waits<P> | null
  readonly touches: (at: Standing, p: P) => Touches
  readonly does: (p: P) => Does
  readonly strong: (p: P) => Strongly | null
}

export type Family<K extends Prepared['_tag']> = {
  readonly [T in K]: Acts<Extract<Prepared, { readonly _tag: T }>>
}

/** Answers that many give. */
export const untouched = (): Touches => none
export const changes = (): Does => 'changes'
export const weak = (): null => null

// ---------------------------------------------------------------- operations in flight

/** An event that puts an operation in flight touches nothing by that: the operation's own events do. */
export interface Flies<F extends InFlight> {
  readonly next: (world: World, m: Machine, f: F) => Effect | FaultValue
  /** Is its next event held back by what is before it? */
  readonly held: (world: World, m: Machine, f: F) => boolean
  /** of its next event */
  readonly touches: (f: F) => Touches
  /**
   * CTAs that must not have ended before its next events: those whose shared memory, tensor memory or barriers it uses. A tcgen05.ld or .st is its agent's own
   * affair.
   */
  readonly ctas: (world: World, f: F) => ReadonlyArray<number>
}

export type Flights<K extends InFlight['_tag']> = {
  readonly [T in K]: Flies<Extract<InFlight, { readonly _tag: T }>>
}

export const free = (): boolean => false
export const noCtas = (): ReadonlyArray<number> => []

/** The CTAs in whose memory elements lie; global memory and registers are of none. */
export const ctasOfElements = (world: World, es: ReadonlyArray<Elements>): ReadonlyArray<number> =>
  es.flatMap((e) => {
    const { space, cta } = world.header.planes[e.plane]!
    return cta === undefined || space === 'gmem' || space === 'regs' ? [] : [cta]
  })
export const ctaOfBarrier = (world: World, barrier: number): number => world.header.barriers[barrier]!.cta
