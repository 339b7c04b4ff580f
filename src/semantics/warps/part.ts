/**
 * Parts: the effects of one instruction of a warp, each with what becomes of its result.
 *
 * An instruction of a warp is one effect of its agent where the machine has one for all its lanes (a load from one tensor, an arrival of n lanes
 * on one barrier), and else several, one behind the other, in the order of the lanes.
 */
import type { Prepared } from '../machine/operation.js'
import type { Predicate, Row } from './program.js'

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
    }
  /** bytes, four of which make a word: a run whose memory knows bytes one by one */
  | {
      readonly _tag: 'bytes'
      readonly lanes: ReadonlyArray<number>
      readonly to: ReadonlyArray<Row | null>
      readonly bits: 8 | 16 | 32
      readonly signed: boolean
    }
  /** a number, for all lanes of `mask` */
  | { readonly _tag: 'number'; readonly to: Row; readonly mask: number }
  /** a truth, for all lanes of `mask` */
  | { readonly _tag: 'truth'; readonly to: Predicate | null; readonly mask: number }

export interface Part {
  readonly prepared: Prepared
  readonly receive: Receive
}

export const part = (prepared: Prepared, receive: Receive): Part => ({ prepared, receive })
export const nothing: Receive = { _tag: 'nothing' }
