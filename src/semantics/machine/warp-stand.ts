/**
 * Where a warp stands: its rows, and the parts that its lanes have come to.
 *
 * Lanes that are together are a *split*: a program counter and a mask. A branch whose lanes disagree parts a split in two; the two meet again at the
 * immediate post-dominator of the branch (`join`). There a part waits, *parked*, until every lane of its *frame* (the lanes that were parted) is there
 * or has ended. A call is a frame as well, whose lanes meet behind the call.
 *
 *     if (lane < 8) A else B; C       lanes 0..7 do A and park at C, lanes 8..31 do B and park at C, all do C
 *
 * PTX leaves open in which order parts go on. Here the part with the lowest lane goes first, as far as it can without waiting for another agent: to an
 * effect, its end, its join, or a wait. A part that stands at a wait lets the others go on, and waits when none of them can. Where several parts stand at waits the warp
 * is ready for what the first of them waits for; as long as that is blocked, for what the first waits for that is not (`turns`, `machine/front.ts`).
 *
 * A part may ask memory again and again for what a part that is parked, or comes later, would write. So one that has done nothing else in a turn of its loop yields:
 * others go on, and if all are parked one of them does so before it is joined. So does one that is parked where the others wait and nothing else in the machine can move. A
 * thread that can go on goes on at last; an H100 keeps that promise, too.
 *
 *     if (lane < 16) wait A, arrive B      lanes 0..15 are blocked at A: lanes 16..31 arrive at it, and wait for B
 *     else arrive A, wait B
 *
 * Laws
 * 1. the masks of all splits are disjoint; together with the lanes that have ended they are all lanes.
 * 2. a parked split stands at the join of its frame.
 * 3. a split that is merged has the lanes of its parts, and no others.
 *
 * Source: PTX ISA, control constructs; CUDA programming guide, independent thread scheduling.
 */
import type { Prepared } from './operation.js'
import type { Computed } from '../log/computed.js'
import type { Ledger } from './ledger.js'
import type { Meeting } from '../log/events.js'
import type { Edit } from './plane.js'
import type { Fellowship, Kinds } from './fellowship.js'
export type { Fellowship, Fellowships } from './fellowship.js'

// ---------------------------------------------------------------- registers

/** Number of a row of words. */
export type Row = number
/** Number of a predicate. */
export type Predicate = number

/** The registers of a warp (`warps/rows.ts`). */
export interface Rows {
  readonly words: Int32Array
  /** 1: lane 0 holds the word of all lanes */
  readonly uniform: Uint8Array
  readonly unknown: Int32Array
  readonly predicates: Int32Array
  readonly unknownPredicates: Int32Array
  /** by place: lanes of which another lane was to give the word, and was not there (`warps/absent.ts`) */
  readonly absent: Map<number, number>
  readonly flight: RowsInFlight | null
  /** of which values their bytes are; null: it is not asked */
  readonly origins: Origins | null
  /** which of their bytes are known; null: all that is written is */
  readonly shadow: Shadow | null
  /** what they hold in other clusters; null: it is not asked */
  readonly fellows: FellowRows | null
  /** what words lack that have wrapped round, lane by lane (`warps/wraps.ts`); null: it is not asked */
  readonly wraps: Map<number, bigint> | null
  /** who may write in place */
  readonly edit: Edit | null
}

/** What the rows of a warp hold in those clusters. */
export interface FellowRows {
  readonly of: Fellowship
  /** by row; null: what the warp holds */
  readonly words: (FellowWords | null)[]
  /** by predicate: its lanes */
  readonly predicates: (FellowWords | null)[]
}

/** What one of them holds: a word, or 32, for each kind of fellows. */
export interface FellowWords {
  readonly by: Kinds
  readonly words: Int32Array
}

/**
 * Rows that asynchronous instructions read or write, and where their words are (`warps/flight.ts`). All by the place of the row among them.
 * Null of a program that has no such instruction.
 */
export interface RowsInFlight {
  /** 0: in the row and in the plane; 1: the row is newer; 2: the plane is; 3: as 0, and an operation reads the plane until a wait */
  readonly state: Uint8Array
  /** of 1 the instruction that wrote it last (-1: none), of 2 a number for all that came with it, of 3 the group to wait for */
  readonly since: Int32Array
  /** columns of the product that it is an accumulator of; 0: none since the last fence */
  readonly columns: Int32Array
  /** one number: groups closed so far */
  readonly closed: Int32Array
}

/** What the registers hold, beside their words: which bytes of which values, or which terms. */
export type Origins = ByteOrigins | WordTerms

/** What each word has been computed from, lane by lane (`warps/word-terms.ts`); 0: it is the same for all inputs. */
export interface WordTerms {
  readonly _tag: 'terms'
  readonly words: Float64Array
  /** by row: the lanes whose word has a term */
  readonly lanes: Int32Array
  /** lane by lane, as words are */
  readonly predicates: Float64Array
  /** by lane: what data has decided so far; 0: nothing */
  readonly path: Float64Array
  /** by lane: what of data has led to the access that it makes now; 0: nothing */
  readonly way: Float64Array
  /** rows that hold one word of the text whenever they hold anything */
  readonly constants: ReadonlySet<number>
  readonly ledger: Ledger
}

/** Of which value which byte each byte of a row is, lane by lane (`warps/origins.ts`). */
export interface ByteOrigins {
  readonly _tag: 'bytes'
  readonly values: Int32Array
  readonly bytes: Int32Array
  /** by predicate: the lanes whose truth comes from data */
  readonly predicates: Int32Array
  /** 1 + the site where data first decided what the warp does; 0: nowhere */
  readonly decided: Int32Array
  readonly computed: Computing
}

/** The sums and products that a warp has made, written in place as rows are: how many, and those that it has not yet said. */
export interface Computing {
  count: number
  unsaid: Computed[]
}

/** Bytes that are not known, lane by lane, and the datum that they are of (`warps/shadows.ts`). */
export interface Shadow {
  /** by row: lanes with a byte that is not known; of the others the mark means nothing */
  readonly lanes: Int32Array
  readonly marks: Uint16Array
  /** by predicate: lanes whose truth is not known, and the datum of each */
  readonly predicates: Int32Array
  readonly data: Uint8Array
}

// ---------------------------------------------------------------- effects of one instruction

/*
 * An instruction of a warp is one effect of its agent where the machine has one for all its lanes (a load from one tensor, an arrival of n lanes
 * on one barrier), and else several parts, one behind the other, in the order of the lanes.
 */
/** What becomes of the result of an effect. */
export type Receive =
  | { readonly _tag: 'nothing' }
  /**
   * words: the i-th element of the result goes to lane `lanes[i / perLane]`, row `to[i % perLane]`, an element of `bytes` at `shift` of its word
   * (extended by its sign, if `signed`)
   */
  | {
      readonly _tag: 'words'
      readonly lanes: ReadonlyArray<number>
      readonly to: ReadonlyArray<Row | null>
      readonly bits: 8 | 16 | 32
      readonly signed: boolean
      /** they come from no data */
      readonly plain?: true
    }
  /** bytes, four of which make a word: a run whose memory knows bytes one by one */
  | {
      readonly _tag: 'bytes'
      readonly lanes: ReadonlyArray<number>
      readonly to: ReadonlyArray<Row | null>
      readonly bits: 8 | 16 | 32
      readonly signed: boolean
    }
  /** words, row by row, one for each of 32 lanes */
  | { readonly _tag: 'rows'; readonly to: ReadonlyArray<Row> }
  /** fields of 4 or 6 bits, each as a byte of its word: of each two bytes are read, and it begins at a bit of the first */
  | {
      readonly _tag: 'fields'
      readonly lanes: ReadonlyArray<number>
      readonly to: ReadonlyArray<Row>
      readonly bits: 4 | 6
      readonly shifts: ReadonlyArray<number>
    }
  /** one word, for all these lanes */
  | { readonly _tag: 'broadcast'; readonly to: Row | null; readonly lanes: ReadonlyArray<number> }
  /** a number, for all lanes of `mask` */
  | { readonly _tag: 'number'; readonly to: Row; readonly mask: number }
  /** a truth, for all lanes of `mask` */
  | {
      readonly _tag: 'truth'
      readonly to: Predicate | null
      readonly mask: number
      /** of a peek: where the number of its event goes */
      readonly tag?: Row
    }

export interface Part {
  readonly prepared: Prepared
  readonly receive: Receive
  /** the lanes that do it; null: all that execute the instruction */
  readonly lanes: number | null
  /** they do it as one (`log/events.ts`) */
  readonly whole: boolean
}

export const part = (prepared: Prepared, receive: Receive, lanes: number | null = null): Part => ({
  prepared,
  receive,
  lanes,
  whole: false,
})

/** The same part, with the lanes that do it. */
export const partBy = (p: Part, lanes: number, whole: boolean): Part => ({
  prepared: p.prepared,
  receive: p.receive,
  lanes: p.lanes ?? lanes,
  whole,
})
export const nothing: Receive = { _tag: 'nothing' }

// ---------------------------------------------------------------- lanes

/** Lanes that were parted, and where they meet. */
export interface Frame {
  readonly join: number
  readonly mask: number
  readonly next: Frame | null
  /** a call, which `return` goes back from */
  readonly called: boolean
}

export interface Split {
  readonly pc: number
  readonly mask: number
  readonly frame: Frame | null
  /** by loop: the turn it is in, -1 before the first */
  readonly turns: ReadonlyArray<number>
  /**
   * `waiting`: before something that another agent must do first; `yielding`: it has asked in vain for so long that others go first; `held`: it is asked what others of the
   * warp would do without it
   */
  readonly now: 'running' | 'waiting' | 'parked' | 'yielding' | 'held'
  /** of the turn of its loop, while there are other parts: 1, it has asked memory and done nothing else; -1, it has done something else; 0, neither */
  readonly asked: number
}

export interface WarpStand {
  readonly _tag: 'warp'
  readonly rows: Rows
  /** by lowest lane */
  readonly splits: ReadonlyArray<Split>
  /** lanes that have ended, or that the block does not have */
  readonly ended: number
  /** lanes that have come to the barrier of the cluster, while others of the warp have not */
  readonly atCluster: number
  /** lanes that have waited there since the warp last came: the wait of one part is the warp's */
  readonly fromCluster: number
  /** lanes that have waited in memory or arrived at an mbarrier since all lanes of the warp last executed an instruction that is `.sync` */
  readonly attended: number
  /** bytes of local memory, lane by lane; those that were written */
  readonly local: Uint8Array
  readonly localWritten: Uint8Array
  /** what is left of the instruction that the warp is at: it is more than one effect */
  readonly rest: ReadonlyArray<Part>
  /** bar.warp.sync since the last effect: their lanes have met */
  readonly synced: ReadonlyArray<Synced>
  /** several parts wait, each may go on before the others, and this is the stand of the one that the warp is ready for; null: there is one that can */
  readonly turns: Turns | null
}

/** Parts of a warp that wait, and any of which may be the next. */
export interface Turns {
  /** all of them wait: its rows are not written in place */
  readonly before: WarpStand
  /** the lanes of each, by lowest lane */
  readonly ways: ReadonlyArray<number>
}

/** A bar.warp.sync that has been executed, by these lanes. */
export interface Synced {
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  readonly lanes: number
  readonly how: Meeting
  /** of an exchange: the loads whose values went into it */
  readonly loads: ReadonlyArray<number>
}

/** How a warp goes on when an effect is done. */
export interface WarpResume {
  readonly _tag: 'warp'
  readonly receive: Receive
}

export const split = (
  pc: number,
  mask: number,
  frame: Frame | null,
  turns: ReadonlyArray<number>,
  now: Split['now'],
  asked: number,
): Split => ({ pc, mask, frame, turns, now, asked })

export const frame = (join: number, mask: number, next: Frame | null, called: boolean): Frame => ({
  join,
  mask,
  next,
  called,
})
