/**
 * Acts: what an instruction does to others, a column of the table of opcodes.
 *
 * Who changes a text (a mutant leaves a fence out, or lets two instructions change places) has to know which instructions order, which reach memory, and
 * which only compute. A list of names beside the table forgets the row that is new, without a word. Here the rows of a chapter say it: a chapter is read with
 * the act of all of its rows, or with one act for each of their names.
 *
 * | act      | is                                                                                                     |
 * |----------|--------------------------------------------------------------------------------------------------------|
 * | computes | registers from registers; advice to a cache, too, for it moves nothing                                 |
 * | steers   | what runs next, or which lanes do, or how many registers there are: nothing may pass it                |
 * | accesses | loads, stores, copies, products: it reaches a place by an address or by a descriptor                   |
 * | orders   | a fence, an arrival, a wait, a commit, an allocation; of which kind, of which group, with which fences |
 *
 * Laws
 * 1. Every row has an act, and every act of a chapter has a row.
 * 2. What accesses has an address or is `wgmma.mma_async`; what computes or steers has none, but for advice.
 *
 * Source: PTX ISA, parallel synchronization and communication; asynchronous copies; wgmma; tcgen05.
 */
import type { FenceName } from '../../../semantics/judging/subject.js'
import type { Family } from '../../../semantics/log/units.js'

/** The kinds of instructions that order. */
export type Ordering =
  /** a barrier of threads: bar, barrier */
  | 'bar'
  | 'cluster barrier'
  | 'warp barrier'
  | 'fence'
  | 'mbarrier init'
  | 'mbarrier inval'
  | 'mbarrier expect'
  | 'mbarrier arrive'
  | 'mbarrier wait'
  | 'commit'
  | 'group wait'
  | 'tensor fence'
  | 'tensor allocation'

/**
 * What an access does to the places that it names: all of them alike, or a copy, which reads its source and writes its destination, or a copy that combines
 * with what is there.
 */
export type Moves = 'reads' | 'writes' | 'updates' | 'copies' | 'combines'

export type Act =
  | { readonly _tag: 'computes' }
  | { readonly _tag: 'steers' }
  | { readonly _tag: 'accesses'; readonly moves: Moves }
  | {
      readonly _tag: 'orders'
      readonly kind: Ordering
      /** whose group it closes or waits for */
      readonly family: Family | null
      /** the fences that it is, as findings name them */
      readonly fences: ReadonlyArray<FenceName>
    }

/** One act for all rows of a chapter, or one for each name. */
export type Acts = Act | Readonly<Record<string, Act>>

export const computes: Act = { _tag: 'computes' }
export const steers: Act = { _tag: 'steers' }
const accessing = (moves: Moves): Act => ({ _tag: 'accesses', moves })

export const reads: Act = accessing('reads')
export const writes: Act = accessing('writes')
export const updates: Act = accessing('updates')
export const copies: Act = accessing('copies')
export const combines: Act = accessing('combines')

export const orders = (kind: Ordering): Act => ({ _tag: 'orders', kind, family: null, fences: [] })

/** Closes a group of a family, or waits for some. */
export const groups = (kind: 'commit' | 'group wait', family: Family): Act => ({
  _tag: 'orders',
  kind,
  family,
  fences: [],
})

export const fencing = (kind: 'fence' | 'tensor fence', ...fences: ReadonlyArray<FenceName>): Act => ({
  _tag: 'orders',
  kind,
  family: null,
  fences,
})

/** All that share an act. */
export const each = (act: Act, ...names: ReadonlyArray<string>): Readonly<Record<string, Act>> =>
  Object.fromEntries(names.map((name) => [name, act]))

const isOne = (acts: Acts): acts is Act => typeof acts['_tag'] === 'string'

/** The act of each name of a chapter; null if the chapter has a name without an act, or an act without a name. */
export const actsOf = (acts: Acts, names: ReadonlySet<string>): ((name: string) => Act) | null => {
  if (isOne(acts)) return () => acts
  const told = new Map(Object.entries(acts))
  return told.size === names.size && [...names].every((name) => told.has(name))
    ? (name) => told.get(name)!
    : null
}
