/**
 * A program of warps: instructions on rows of 32 lanes, with a program counter.
 *
 * It is what PTX says once names are numbers: registers are rows, labels are indices of `code`, every branch knows where the lanes that it parts
 * meet again. Beside the core language it is the second form in which a kernel can be given to the machine; nothing here knows of text.
 *
 * | of PTX                        | here                                                                                        |
 * |-------------------------------|---------------------------------------------------------------------------------------------|
 * | a register of up to 32 bits   | a row: one word a lane; of 8 and 16 bits the low ones of the word, the others zero           |
 * | a register of 64, 128 bits    | two or four rows that follow one another, the low word first                                 |
 * | a predicate                   | a mask: bit l is that of lane l                                                             |
 * | an immediate                  | a row that is never written (`constants`)                                                   |
 * | `%tid.x`, the address of a symbol | a row that is filled when a warp begins (`givens`)                                     |
 * | a label                       | an index of `code`                                                                          |
 * | `@!%p`                        | `guard`                                                                                     |
 *
 * A guarded instruction is done by the lanes whose predicate says so; a guarded `branch` parts the lanes.
 *
 * Source: PTX ISA, state spaces, types and variables; instruction operands.
 */
import type { Scope } from '../language/instruction.js'
import type { Comparison, Fencing } from '../log/events.js'
import type { Site } from '../language/program.js'
import type { Predicate, Row } from '../machine/warp-stand.js'
import type { Address, Space } from './operations/address.js'
import type { Tcgen05Operation } from './operations/tcgen05.js'
import type { BulkOperation } from './operations/bulk.js'
import type { MatricesOperation } from './operations/matrices.js'
import type { ProductsOperation } from './operations/products.js'
import type { TensorsOperation } from './operations/tensors.js'
import type { WgmmaOperation } from './operations/wgmma.js'

// ---------------------------------------------------------------- operands

export type { Address, Predicate, Row, Space }

/** A row, or a predicate p as -1 - p: a word of 0 or 1. */
export type Place = number
export const ofPredicate = (p: Predicate): Place => -1 - p

export interface Guard {
  readonly predicate: Predicate
  readonly negated: boolean
}

/** What a warp is given when it begins: who it is, and where things lie. */
export type Given =
  | { readonly _tag: 'thread'; readonly axis: 0 | 1 | 2 }
  | { readonly _tag: 'threads'; readonly axis: 0 | 1 | 2 }
  | { readonly _tag: 'cta'; readonly axis: 0 | 1 | 2 }
  | { readonly _tag: 'ctas'; readonly axis: 0 | 1 | 2 }
  | { readonly _tag: 'cluster'; readonly axis: 0 | 1 | 2 }
  | { readonly _tag: 'clusters'; readonly axis: 0 | 1 | 2 }
  | { readonly _tag: 'ctaInCluster'; readonly axis: 0 | 1 | 2 }
  | { readonly _tag: 'ctasInCluster'; readonly axis: 0 | 1 | 2 }
  | { readonly _tag: 'ctaRank' }
  | { readonly _tag: 'ctaRanks' }
  | { readonly _tag: 'explicitCluster' }
  | { readonly _tag: 'lane' }
  | { readonly _tag: 'warps' }
  /** lanes that are equal to, below, at most, above, at least this one */
  | { readonly _tag: 'lanes'; readonly which: 'eq' | 'lt' | 'le' | 'gt' | 'ge' }
  /** the multiprocessor, a clock, a timer: nothing that a kernel may rely on */
  | { readonly _tag: 'unspecified'; readonly name: string; readonly word: 0 | 1 }
  /** the upper word of generic addresses of its local memory */
  | { readonly _tag: 'localWindow' }
  /** bytes of dynamic, and of all shared memory */
  | { readonly _tag: 'sharedBytes'; readonly which: 'dynamic' | 'all' }
  /** address in shared memory of a byte of the CTA's variables, said by the one that begins at `of` */
  | { readonly _tag: 'sharedAddress'; readonly offset: number; readonly of: number }
  /** the same of its dynamic memory, which lies behind them */
  | { readonly _tag: 'dynamicAddress'; readonly offset: number }
  /** a word of the address in global memory of a byte of a variable of the module; of a byte of local memory; of constant memory */
  | { readonly _tag: 'globalAddress'; readonly symbol: string; readonly offset: number; readonly word: 0 | 1 }

/** Is it the same for all threads of a CTA? */
export const isOfCta = (g: Given): boolean => {
  switch (g._tag) {
    case 'threads':
    case 'cta':
    case 'ctas':
    case 'cluster':
    case 'clusters':
    case 'ctaInCluster':
    case 'ctasInCluster':
    case 'ctaRank':
    case 'ctaRanks':
    case 'explicitCluster':
    case 'warps':
    case 'sharedBytes':
    case 'sharedAddress':
    case 'dynamicAddress':
    case 'globalAddress':
      return true
    case 'thread':
    case 'lane':
    case 'lanes':
    case 'unspecified':
    case 'localWindow':
      return false
  }
}

/** How an access is ordered: plainly, or as the memory model's strong operations. */
export type Ordering = 'weak' | 'volatile' | 'relaxed' | 'acquire' | 'release' | 'acq_rel'

/** `count` elements of `bytes` each that follow one another; `words` of each in a register. */
export interface Width {
  /** of one element in memory: 1, 2, 4, 8 or 16 */
  readonly bytes: 1 | 2 | 4 | 8 | 16
  readonly count: 1 | 2 | 4 | 8
  /** an element of 1 or 2 bytes is extended by its sign */
  readonly signed: boolean
}

export type AtomicName = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exch' | 'cas' | 'inc' | 'dec'
export type AtomicType =
  | 'u32'
  | 's32'
  | 'u64'
  | 's64'
  | 'b16'
  | 'b32'
  | 'b64'
  | 'b128'
  | 'f32'
  | 'f64'
  | 'f16'
  | 'bf16'
  | 'f16x2'
  | 'bf16x2'

// ---------------------------------------------------------------- operations

/** What a wait for a word is for: that it compares so with what a row holds. */
export interface Until {
  readonly comparison: Comparison
  readonly value: Row
  /** nothing comes of what it finds but that it goes on */
  readonly unheeded?: true
}

export type Operation =
  /** words to words, by an operation of `numerics/scalar`; comparisons, choices and carries too */
  | {
      readonly _tag: 'scalar'
      readonly name: string
      readonly to: ReadonlyArray<Place | null>
      readonly from: ReadonlyArray<Place>
    }
  | { readonly _tag: 'move'; readonly to: ReadonlyArray<Row>; readonly from: ReadonlyArray<Row> }
  /** bits `at` and on of one word, as wide as `bits`, into a word whose other bits are zero */
  | {
      readonly _tag: 'part'
      readonly to: Row
      readonly from: Row
      readonly at: number
      readonly bits: 8 | 16
    }
  /** narrow words side by side, the lowest first */
  | { readonly _tag: 'pack'; readonly to: Row; readonly from: ReadonlyArray<Row>; readonly bits: 8 | 16 }
  | {
      readonly _tag: 'predicate'
      readonly op: 'and' | 'or' | 'xor' | 'not' | 'mov'
      readonly to: Predicate
      readonly from: ReadonlyArray<Guard>
    }
  | { readonly _tag: 'setPredicate'; readonly to: Predicate; readonly value: boolean }
  // ---- control
  | { readonly _tag: 'branch'; readonly target: number; readonly join: number | null }
  | {
      readonly _tag: 'branchIndexed'
      readonly index: Row
      readonly targets: ReadonlyArray<number>
      readonly join: number | null
    }
  | { readonly _tag: 'call'; readonly target: number }
  | { readonly _tag: 'return' }
  | { readonly _tag: 'exit' }
  /** `asserted`: an assertion of the program fails here */
  | { readonly _tag: 'trap'; readonly why: string; readonly asserted: boolean }
  /** the turn of a loop begins */
  | { readonly _tag: 'turn'; readonly loop: number; readonly inner: ReadonlyArray<number> }
  /** `drops`: a line of memory loses what it holds */
  | { readonly _tag: 'nothing'; readonly drops?: true }
  /**
   * Text for who launches, and nothing else comes of it. `formatted`: the addresses of a format and of its values; `asserted`: those of what has failed, its file, its line (one row) and
   * its function
   */
  | { readonly _tag: 'print'; readonly text: 'formatted' | 'asserted'; readonly from: ReadonlyArray<Row> }
  // ---- the lanes of a warp
  | {
      readonly _tag: 'shuffle'
      readonly mode: 'up' | 'down' | 'bfly' | 'idx'
      readonly to: Row | null
      readonly inRange: Predicate | null
      readonly value: Row
      readonly lane: Row
      readonly clamp: Row
      readonly members: Row | null
    }
  | {
      readonly _tag: 'vote'
      readonly mode: 'all' | 'any' | 'uni' | 'ballot'
      readonly to: Row | null
      readonly toPredicate: Predicate | null
      readonly by: Guard
      readonly members: Row | null
    }
  | {
      readonly _tag: 'match'
      readonly mode: 'any' | 'all'
      readonly to: Row
      readonly all: Predicate | null
      readonly value: ReadonlyArray<Row>
      readonly members: Row
    }
  | {
      readonly _tag: 'reduce'
      readonly op: 'add' | 'min' | 'max' | 'and' | 'or' | 'xor'
      /** how the words are taken: of f32, a minimum or a maximum, of magnitudes or of numbers, and whether a NaN goes on */
      readonly signed: boolean
      readonly float?: { readonly magnitudes: boolean; readonly propagates: boolean }
      readonly to: Row
      readonly value: Row
      readonly members: Row
    }
  | { readonly _tag: 'elect'; readonly to: Row | null; readonly elected: Predicate; readonly members: Row }
  | { readonly _tag: 'activeLanes'; readonly to: Row }
  | { readonly _tag: 'meetLanes'; readonly members: Row }
  // ---- memory
  | {
      readonly _tag: 'load'
      readonly from: Address
      readonly width: Width
      readonly to: ReadonlyArray<ReadonlyArray<Row> | null>
      readonly ordering: Ordering
      readonly scope: Scope
      /** of memory that the kernel does not write: by the path that need not find what it writes; absent: it does */
      readonly readOnly?: true
      /** a loop that does nothing else, until the word compares so with the value: it waits */
      readonly until?: Until
    }
  | {
      readonly _tag: 'store'
      readonly into: Address
      readonly width: Width
      readonly value: ReadonlyArray<ReadonlyArray<Row>>
      readonly ordering: Ordering
      readonly scope: Scope
    }
  | {
      readonly _tag: 'atomic'
      readonly op: AtomicName
      readonly type: AtomicType
      readonly at: Address
      readonly value: ReadonlyArray<Row>
      readonly compare: ReadonlyArray<Row>
      readonly to: ReadonlyArray<Row> | null
      readonly ordering: Ordering
      readonly scope: Scope
      /** of a `cas`: it is tried again until it finds what it compares with (`locks.ts`) */
      readonly awaits?: true
    }
  | {
      readonly _tag: 'copyAsync'
      readonly into: Address
      readonly from: Address
      readonly bytes: 4 | 8 | 16
      readonly sourceBytes: Row | null
      readonly ignore: Guard | null
    }
  | BulkOperation
  | { readonly _tag: 'commitBulk' }
  | { readonly _tag: 'waitBulk'; readonly pending: number; readonly read: boolean }
  | { readonly _tag: 'commitAsync' }
  | { readonly _tag: 'waitAsync'; readonly pending: number }
  | MatricesOperation
  | ProductsOperation
  | TensorsOperation
  | WgmmaOperation
  | Tcgen05Operation
  /** the threads of the warp give registers back, or take more */
  | { readonly _tag: 'setRegisters'; readonly count: number; readonly action: 'increase' | 'decrease' }
  /** dependent grids may begin, or grids before this one are waited for: a run has one grid, so it does nothing; between grids see `host/` */
  | { readonly _tag: 'gridDependency'; readonly action: 'launchDependents' | 'wait' }
  // ---- barriers and fences
  | {
      readonly _tag: 'bar'
      readonly mode: 'sync' | 'arrive'
      readonly id: Row
      readonly count: Row | null
      readonly aligned: boolean
    }
  | {
      readonly _tag: 'barReduce'
      readonly op: 'popc' | 'and' | 'or'
      readonly id: Row
      readonly count: Row | null
      readonly by: Guard
      readonly to: Row | null
      readonly toPredicate: Predicate | null
      readonly aligned: boolean
    }
  | { readonly _tag: 'clusterArrive'; readonly relaxed: boolean; readonly aligned: boolean }
  | { readonly _tag: 'clusterWait'; readonly acquire: boolean; readonly aligned: boolean }
  | {
      readonly _tag: 'fence'
      readonly kind: 'memory' | 'proxyAsync' | 'mbarrierInit' | 'tensormap' | 'tensorBefore' | 'tensorAfter'
      readonly scope: 'cta' | 'cluster' | 'global'
      readonly sequential?: true
      readonly half?: 'acquire' | 'release'
    }
  | { readonly _tag: 'mbarrierInit'; readonly at: Address; readonly count: Row }
  | { readonly _tag: 'mbarrierInval'; readonly at: Address }
  | {
      readonly _tag: 'mbarrierArrive'
      readonly kind: 'arrive' | 'expect' | 'drop' | 'complete'
      readonly at: Address
      readonly count: Row | null
      readonly bytes: Row | null
      readonly state: ReadonlyArray<Row> | null
      readonly noComplete: boolean
      readonly release: boolean
      readonly scope: Scope
    }
  /** `blocks`: a loop that does nothing else, until it passes */
  | {
      readonly _tag: 'mbarrierWait'
      readonly at: Address
      readonly parity: Row | null
      readonly state: ReadonlyArray<Row> | null
      readonly passed: Predicate | null
      readonly blocks: boolean
      readonly acquire: boolean
      readonly scope: Scope
      /** of a test that is a peek (`peeks.ts`): the row that the number of its event comes to */
      readonly makes?: Row
      /** of a wait that a peek may spare: what the peek said, and the number of its event, 0 where there is none */
      readonly spared?: { readonly ready: Predicate; readonly tag: Row }
    }
  | { readonly _tag: 'mbarrierPending'; readonly to: Row; readonly state: ReadonlyArray<Row> }
  | { readonly _tag: 'mbarrierCpAsync'; readonly at: Address; readonly increment: boolean }

/** Operations that come to registers alone, and that lanes do by themselves or as a whole warp. */
export type Computed = Extract<
  Operation,
  {
    readonly _tag:
      | 'scalar'
      | 'move'
      | 'part'
      | 'pack'
      | 'predicate'
      | 'setPredicate'
      | 'activeLanes'
      | 'mbarrierPending'
      | 'transposeMatrix'
      | 'multiply'
      | 'wholeWarp'
  }
>
/** Operations that lanes do together. */
export type OfLanes = Extract<
  Operation,
  { readonly _tag: 'shuffle' | 'vote' | 'match' | 'reduce' | 'elect' | 'meetLanes' }
>
/** What comes to registers alone: no event tells of it. */
export type Silent = Computed | OfLanes
/** What says where lanes go on, or nothing. */
type Control = Extract<
  Operation,
  {
    readonly _tag:
      | 'branch'
      | 'branchIndexed'
      | 'call'
      | 'return'
      | 'exit'
      | 'turn'
      | 'nothing'
      | 'print'
      | 'gridDependency'
  }
>
/** All else: an operation that is new is one of these, and `effectsOf` asks for it, until it is named above. */
export type Effect = Exclude<Operation, Silent | Control>

/** The operation where its places in the code are called otherwise. */
export const retargeted = (o: Operation, to: (at: number) => number): Operation => {
  const join = 'join' in o && o.join !== null ? to(o.join) : null
  if ('targets' in o) return { _tag: o._tag, index: o.index, targets: o.targets.map(to), join }
  if (!('target' in o)) return o
  return 'join' in o ? { _tag: o._tag, target: to(o.target), join } : { _tag: o._tag, target: to(o.target) }
}

export interface Instruction {
  readonly site: number
  readonly guard: Guard | null
  readonly operation: Operation
}

// ---------------------------------------------------------------- programs

/** A variable of the module in global or constant memory. */
export interface Variable {
  readonly symbol: string
  readonly space: 'global' | 'const'
  /** the host sees it, too */
  readonly managed: boolean
  readonly bytes: number
  readonly align: number
  readonly initial: Uint8Array
  /** places that hold the 64-bit address of a variable, and bytes behind it */
  readonly addresses: ReadonlyArray<{ readonly at: number; readonly symbol: string; readonly offset: number }>
}

/** A variable in the shared memory of a CTA, as its author called it. */
export interface SharedVariable {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly elementBytes: number
  /** outermost first; of one that is no array, none */
  readonly extents: ReadonlyArray<number>
}

export interface WarpProgram {
  readonly name: string
  readonly arch: 'sm90a' | 'sm100a'
  readonly code: ReadonlyArray<Instruction>
  /** rows that hold one word and are never written */
  readonly constants: ReadonlyArray<{ readonly row: Row; readonly word: number }>
  /** rows that are filled when a warp begins, and never written */
  readonly givens: ReadonlyArray<{ readonly row: Row; readonly given: Given }>
  /** rows in all */
  readonly rows: number
  readonly predicates: number
  /** loops around an instruction, by its index in `code`, outermost first */
  readonly loops: ReadonlyArray<ReadonlyArray<number>>
  readonly loopCount: number
  readonly sites: ReadonlyArray<Site>
  /** who has written its fences */
  readonly fences: Fencing
  readonly parameterBytes: number
  /** bytes of the CTA's own variables in shared memory; dynamic memory lies behind them */
  readonly sharedBytes: number
  /** it uses the shared memory that the chip keeps for itself */
  readonly reserved?: true
  /** those of them that have names, in the order in which they lie */
  readonly shared: ReadonlyArray<SharedVariable>
  /** dynamic memory begins at a multiple of this */
  readonly sharedAlign: number
  readonly localBytes: number
  readonly variables: ReadonlyArray<Variable>
  /** threads of a CTA that the text demands, if it does */
  readonly threads: ReadonlyArray<number> | null
  readonly cluster: ReadonlyArray<number> | null
  /** registers of a thread when it begins; null: the text does not say, and `setRegisters` does nothing */
  readonly registers: number | null
}
