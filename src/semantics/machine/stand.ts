/**
 * Stands: where an agent stands in its program, and how it goes on from there.
 *
 * The machine carries a stand along and never looks into it; the front that the agent runs on does (`front.ts`). Each front has a member of
 * both unions here, told apart by its tag.
 *
 * | front          | stand                                                    | how an agent goes on with results    |
 * |----------------|----------------------------------------------------------|--------------------------------------|
 * | core programs  | a frame of values, and a stack of regions, innermost first | the linked statement: its result slots |
 * | warps          | rows of registers, and where the parts of its lanes are  | the rows that take the result         |
 */
import type {
  LinkedDo,
  LinkedFor,
  LinkedFork,
  LinkedIf,
  LinkedRegion,
  LinkedWhile,
} from '../language/link.js'
import type { Fellowship } from './fellowship.js'
import type { WarpResume, WarpStand } from './warp-stand.js'
import type { Value } from './value.js'

// ---------------------------------------------------------------- core programs

/** What happens when a region has run to its end. */
export type After =
  | { readonly _tag: 'end' }
  | {
      readonly _tag: 'for'
      readonly stmt: LinkedFor
      readonly index: number
      readonly to: number
      readonly step: number
    }
  | { readonly _tag: 'before'; readonly stmt: LinkedWhile; readonly turn: number }
  | { readonly _tag: 'after'; readonly stmt: LinkedWhile; readonly turn: number }
  | { readonly _tag: 'if'; readonly stmt: LinkedIf }
  | {
      readonly _tag: 'branch'
      readonly stmt: LinkedFork
      readonly frame: ReadonlyArray<Value | undefined>
      readonly fellows: CoreFellows | null
    }

/** A stack of regions, innermost first. */
export interface Control {
  readonly region: LinkedRegion
  readonly pc: number
  readonly after: After
  readonly iteration: ReadonlyArray<number>
  readonly next: Control | null
}

/** A tile that is the agent's own, with a number added to each element. */
export interface Shifted {
  readonly _tag: 'shifted'
  readonly by: number
}
/** What a value is in each cluster that is followed. */
export type Held = ReadonlyArray<Value | Shifted | undefined>

/** What the frame of an agent holds in the clusters that are followed beside its own (`core/fellows.ts`). */
export interface CoreFellows {
  readonly of: Fellowship
  /** by slot; nothing: what the agent holds */
  readonly slots: ReadonlyArray<Held | null | undefined>
}

export interface CoreStand {
  readonly _tag: 'core'
  readonly frame: ReadonlyArray<Value | undefined>
  /** null at the end */
  readonly control: Control | null
  /** null: it is not asked */
  readonly fellows: CoreFellows | null
}

export const control = (
  region: LinkedRegion,
  pc: number,
  after: After,
  iteration: ReadonlyArray<number>,
  next: Control | null,
): Control => ({ region, pc, after, iteration, next })

export const coreStand = (
  frame: ReadonlyArray<Value | undefined>,
  at: Control | null,
  fellows: CoreFellows | null = null,
): CoreStand => ({
  _tag: 'core',
  frame,
  control: at,
  fellows,
})

// ---------------------------------------------------------------- of every front

export type Stand = CoreStand | WarpStand

/** What takes the results of an effect. */
export type Resume = LinkedDo | WarpResume
