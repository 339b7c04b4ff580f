/**
 * Instructions whose operands are values, and operations in flight.
 *
 * An agent that has evaluated its next instruction stands *ready* with a `Prepared`: places and numbers, nothing left to
 * compute. Executing an asynchronous one puts an `InFlight` into the machine; from then on the machine offers its further
 * events (perform, signal) by itself, and a schedule may delay each.
 */
import type { MmaTypes, ScaledTypes } from '../../numerics/algebra.js'
import type { Dtype } from '../../numerics/dtype.js'
import type { Comparison, Family, Fence, Loose, Stamp, StoredFrom } from '../log/events.js'
import type { AtomicOp, ReduceKind, Scope } from '../language/instruction.js'
import type { Elements } from './elements.js'
import type { DescriptorValue, PeekValue } from './value.js'

export type { Elements } from './elements.js'

// ---------------------------------------------------------------- places

/** What one CTA brings to a product and gets of it. */
export interface Share {
  /** one for all columns, or one for the columns of each B: a left operand that lies twice in tensor memory */
  readonly a: ReadonlyArray<Elements>
  readonly accumulator: Elements
  /** scales of its rows of A and of all columns of B, each with its copies in further lanes; none without block scales */
  readonly scaleA: ReadonlyArray<Elements>
  readonly scaleB: ReadonlyArray<Elements>
  /** which elements of its rows of A are stored */
  readonly sparsity: Elements | null
}

// ---------------------------------------------------------------- prepared instructions

/** What a bulk load brings to one destination, and a bulk store takes from one place. */
export interface LoadPart {
  readonly source: Elements
  readonly destination: Elements
  readonly barrier: number
  readonly bytes: number
}
export interface StorePart {
  readonly source: Elements
  readonly destination: Elements
  readonly bytes: number
}

/** What threads that arrive at a barrier say, and what is asked of all of them: how many say yes, if all do, if one does. */
export interface Ballot {
  readonly op: 'popc' | 'and' | 'or'
  readonly yes: number
  readonly of: number
}

/** How a load or a store is strong: atomic at its scope, and what it orders beside itself. */
export interface Strong {
  readonly scope: Scope
  /** a load acquires, a store releases */
  readonly orders: boolean
  /** what a load finds may decide something */
  readonly decides: boolean
  /** it may decide more than what memory holds: the site of the first branch that depends on it; null: it does not */
  readonly controls: number | null
  /** scalars of a load that does, of which nothing comes but what memory holds */
  readonly shows: ReadonlyArray<number>
  /** some agent may wait for the words that a store leaves */
  readonly watched: boolean
  /** elements that are one scalar */
  readonly words: number
}

/** What one warp brings to a product of its warpgroup. */
export interface WarpPart {
  /** what the tensor core reads of A for it: all rows, where A is in shared memory */
  readonly a: Elements
  /** the first agent of the warpgroup */
  readonly first: number
  /** the product in words: equal for equal ones */
  readonly says: string
}

/** A reduction; `words` names the operation of `numerics/scalar` on the two words of an element that no dtype is (f64). */
export interface Joining {
  readonly kind: ReduceKind
  readonly words: string | null
  /** a sum of f32 that takes and leaves zero for a subnormal number */
  readonly flushes: boolean
}

/** What elements that are nowhere read as: zero, or something else. */
export type Outside = 'zero' | 'other'

/** The least or the greatest word of what each lane loads, by a scalar operation, of the words or of their magnitudes. */
export interface Extreme {
  readonly by: string
  readonly magnitudes: boolean
  /** one word a lane */
  readonly into: Elements
}

/** A tensor, as an address finds it. */
export interface TensorInMemory {
  readonly name: string
  readonly plane: number
  readonly bytes: number
}

/** A copy of a box whose tensor map is not known yet (`instructions/tma/boxed.ts`). */
export interface Boxed {
  readonly mode: 'tile' | 'rows' | 'im2col'
  /** coordinates, outermost first */
  readonly at: ReadonlyArray<number>
  readonly offsets: ReadonlyArray<number>
  readonly to:
    | {
        readonly _tag: 'store'
        /** the image in shared memory */
        readonly from: { readonly plane: number; readonly at: number }
        readonly combine: ReduceKind | null
      }
    | {
        readonly _tag: 'load'
        readonly into: ReadonlyArray<{
          readonly start: { readonly plane: number; readonly at: number }
          readonly barrier: number
        }>
      }
}

export type Prepared =
  | { readonly _tag: 'mbarrier.init'; readonly barrier: number; readonly count: number }
  | { readonly _tag: 'mbarrier.inval'; readonly barrier: number }
  | {
      readonly _tag: 'mbarrier.arrive'
      readonly kind: 'arrive' | 'expect' | 'drop'
      readonly barrier: number
      readonly count: number
      readonly bytes: number
      readonly release: boolean
      readonly scope: Scope
      readonly tensor: boolean
      /** the state of the barrier before it is wanted */
      readonly token?: true
    }
  | {
      readonly _tag: 'mbarrier.wait'
      readonly blocks: boolean
      /** it is a peek; or the outcome of the peek that may spare this wait */
      readonly peek?: 'makes' | PeekValue
      readonly barrier: number
      readonly parity: 0 | 1
      readonly acquire: boolean
      readonly scope: Scope
      readonly tensor: boolean
    }
  | { readonly _tag: 'mbarrier.cpAsyncArrive'; readonly barrier: number; readonly increment: boolean }
  | {
      readonly _tag: 'bar'
      readonly id: number
      readonly count: number
      readonly waits: boolean
      /** that arrive; absent: those of the agent */
      readonly threads?: number
      readonly ballot?: Ballot
      /** it is for all threads of the CTA: those that have ended are not waited for */
      readonly all?: true
      readonly loose?: Loose
    }
  | {
      readonly _tag: 'bar.leave'
      readonly id: number
      readonly count: number
      readonly generation: number
      readonly ballot?: Ballot
      readonly all?: true
    }
  | { readonly _tag: 'cluster.arrive'; readonly relaxed: boolean; readonly loose?: Loose }
  | { readonly _tag: 'cluster.wait' }
  | {
      readonly _tag: 'load'
      readonly source: Elements
      readonly mask: Float64Array | null
      readonly other: Float64Array | null
      readonly outside: Outside
      /** absent: it is a plain one */
      readonly strong?: Strong
      /** by the read-only path */
      readonly readOnly?: true
    }
  | {
      readonly _tag: 'store'
      readonly destination: Elements
      readonly data: Float64Array | null
      readonly origin: StoredFrom
      readonly strong?: Strong
      /** several lanes write one place, and all that do write the same there */
      readonly agrees?: true
    }
  | {
      readonly _tag: 'atomic'
      readonly op: AtomicOp
      readonly destination: Elements
      readonly data: Float64Array | null
      readonly compare: Float64Array | null
      readonly scope: Scope
    }
  | {
      /** elements of one word, or of `words` that follow one another; `joins` names the operation of `numerics/scalar`, where it is one */
      readonly _tag: 'atomic.words'
      readonly op: 'add' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exch' | 'cas' | 'inc' | 'dec'
      readonly joins: string | null
      /** what the log calls it */
      readonly combine: AtomicOp
      /** it is a sum of floats */
      readonly rounds: boolean
      readonly words: number
      readonly destination: Elements
      readonly data: Float64Array | null
      readonly compare: Float64Array | null
      readonly origin: StoredFrom
      readonly scope: Scope
      readonly acquires: boolean
      readonly releases: boolean
      /** what it finds may decide something */
      readonly decides: boolean
      /** it may decide more than what memory holds: the site of the first branch that depends on it; null: it does not */
      readonly controls: number | null
      /** of what it finds the sign is used, by waits that compare it with that of a word, and nothing else; then it decides nothing */
      readonly signs: boolean
      /** some agent may wait for the words that it leaves */
      readonly watched: boolean
      /** it is done when it finds what it compares with */
      readonly awaits?: true
      /** other lanes have done theirs of the same instruction: each is an event, and events of others may come between them */
      readonly behind?: true
    }
  | {
      readonly _tag: 'semaphore'
      readonly kind: 'signal' | 'wait'
      readonly counter: Elements
      readonly value: number
      readonly decrement: boolean
      readonly scope: Scope
      /** of a wait: on a word, until it compares so, whatever is written there (`log/events.ts`); the word is its result */
      readonly until?: Comparison
      /** nothing comes of the word but that the wait is over */
      readonly unheeded?: true
      readonly relaxed?: true
    }
  | {
      readonly _tag: 'clc.tryCancel'
      readonly parts: ReadonlyArray<{ readonly response: Elements; readonly barrier: number }>
    }
  | { readonly _tag: 'clc.query'; readonly response: Elements }
  | {
      readonly _tag: 'setMaxRegisters'
      readonly count: number
      readonly action: 'increase' | 'decrease'
    }
  | {
      readonly _tag: 'tma.load'
      readonly parts: ReadonlyArray<LoadPart>
      readonly fill: number
      readonly outside: Outside
      readonly bytes: number
      /** how it joins what is there */
      readonly combine: Joining | null
      /** f32 is rounded to tf32 */
      readonly rounds: boolean
      readonly map: Elements | null
    }
  | {
      readonly _tag: 'tma.store'
      readonly parts: ReadonlyArray<StorePart>
      readonly bytes: number
      readonly combine: Joining | null
      readonly map: Elements | null
    }
  | {
      readonly _tag: 'tensormap.create'
      readonly object: Elements
      readonly descriptor: DescriptorValue
    }
  | {
      readonly _tag: 'tensormap.acquire'
      readonly object: Elements
      readonly dtype: Dtype
      readonly rank: number
    }
  | {
      /** a copy through an object that is read when it is issued */
      readonly _tag: 'tensormap.through'
      readonly map: Elements
      /** where the object lies, in words */
      readonly name: string
      /** tensors that the map may name, by the upper words of their addresses */
      readonly tensors: ReadonlyMap<number, TensorInMemory>
      readonly copy: Boxed
    }
  | {
      readonly _tag: 'tensormap.replace'
      readonly object: Elements
      readonly field: Elements
      readonly data: Float64Array
    }
  | {
      readonly _tag: 'tensormap.publish'
      readonly source: Elements
      readonly object: Elements
      readonly scope: Fence['scope']
    }
  | {
      readonly _tag: 'stAsync'
      readonly destination: Elements
      readonly data: Float64Array | null
      /** of a reduction (red.async): how it joins what is there */
      readonly combine: Joining | null
      readonly origin: StoredFrom
      readonly barrier: number
      readonly bytes: number
    }
  | {
      readonly _tag: 'group.commit'
      readonly family: 'bulk' | 'wgmma' | 'cpAsync'
      /** of a warp: the first agent of its warpgroup, whose warps must do alike */
      readonly alike?: number
    }
  | {
      readonly _tag: 'group.wait'
      readonly family: Family
      readonly pending: number
      readonly read: boolean
      /** agents whose groups of the same numbers must be done, too: the other warps of a warpgroup */
      readonly with?: ReadonlyArray<number>
    }
  | {
      readonly _tag: 'cpAsync.copy'
      readonly source: Elements
      readonly destination: Elements
      readonly bytes: number
      /** in a run that follows terms: what has led each element to be copied (`StoredFrom`); null: nothing has */
      readonly ways: Float64Array | null
    }
  | {
      readonly _tag: 'fence'
      readonly kind: Fence['kind']
      readonly scope: Fence['scope']
      readonly sequential?: true
      readonly half?: 'acquire' | 'release'
      /** of `tensormapAcquire`: the bytes of the tensor maps that it takes */
      readonly over?: Elements
    }
  | {
      readonly _tag: 'wgmma.mma'
      readonly a: Elements
      readonly b: Elements
      readonly accumulator: Elements
      readonly types: MmaTypes
      readonly m: number
      readonly n: number
      readonly k: number
      readonly accumulates: boolean
      readonly negateA: boolean
      readonly negateB: boolean
      /** of a sparse A: the k of every stored element, row by row */
      readonly selected?: Int32Array
      /** bytes are eight bits each, and what is summed is how many a and b have in common */
      readonly counts?: true
      /** of a warp: it computes 16 rows of a product of its warpgroup */
      readonly part?: WarpPart
    }
  | {
      readonly _tag: 'tcgen05.alloc'
      readonly columns: number
      readonly ctaGroup: 1 | 2
      /** the word of shared memory that the address of the columns comes to; absent: it is not asked for */
      readonly into?: Elements
    }
  | {
      readonly _tag: 'tcgen05.dealloc'
      readonly columns: number
      readonly ctaGroup: 1 | 2
      /** the first of the columns; absent: those that the agent has allocated last, of so many */
      readonly start?: number
    }
  | { readonly _tag: 'tcgen05.relinquish' }
  | {
      readonly _tag: 'tcgen05.mma'
      /** one for each CTA, the even one first */
      readonly shares: ReadonlyArray<Share>
      /** the columns that each CTA holds, which follow one another */
      readonly b: ReadonlyArray<Elements>
      readonly types: MmaTypes
      readonly scaling: {
        readonly dtype: 'e8m0' | 'ue4m3'
        readonly block: 16 | 32
        readonly kind?: ScaledTypes['kind']
      } | null
      /** rows of one share */
      readonly m: number
      /** columns of all of B */
      readonly n: number
      readonly k: number
      readonly accumulates: boolean
      /** the old accumulator enters the sum divided by 2 to this power; absent: as it is */
      readonly shift?: number
      /** A, or B, is taken with the other sign */
      readonly negates?: { readonly a: boolean; readonly b: boolean }
      readonly ctaGroup: 1 | 2
      /** equal for products with one accumulator, shape and kind */
      readonly pipe: number
      /** one commit each, with the barriers that it arrives on */
      readonly completions: ReadonlyArray<ReadonlyArray<number>>
    }
  | { readonly _tag: 'tcgen05.commit'; readonly barriers: ReadonlyArray<number>; readonly ctaGroup: 1 | 2 }
  | {
      /** tcgen05.cp and shift: what lies in each source goes to its destination */
      readonly _tag: 'tcgen05.copy'
      readonly entry: 'cp' | 'cp.4x256b' | 'shift'
      readonly moves: ReadonlyArray<{ readonly source: Elements; readonly destination: Elements }>
      readonly bytes: number
      readonly ctaGroup: 1 | 2
    }
  | {
      readonly _tag: 'tcgen05.ld'
      readonly source: Elements
      readonly destination: Elements
      readonly extreme?: Extreme
    }
  | {
      readonly _tag: 'tcgen05.st'
      readonly destination: Elements
      readonly data: Float64Array | null
      readonly origin: StoredFrom
    }
  | { readonly _tag: 'nothing'; readonly results: ReadonlyArray<boolean> }
  | { readonly _tag: 'trap'; readonly why: string }

// ---------------------------------------------------------------- operations in flight

interface Issued {
  /** number of the operation, in order of issue */
  readonly id: number
  /** issuing agent and its program-order index at issue: the schedule-independent name */
  readonly agent: number
  readonly at: number
  readonly stamp: Stamp
}

export interface TmaLoadInFlight extends Issued {
  readonly _tag: 'tmaLoad'
  readonly part: number
  readonly stage: 'write' | 'signal'
  readonly source: Elements
  readonly destination: Elements
  readonly barrier: number
  readonly fill: number
  readonly outside: Outside
  readonly bytes: number
  readonly combine: Joining | null
  readonly rounds: boolean
  /** the object in memory that the descriptor was read from */
  readonly map: Elements | null
}
export interface TmaStoreInFlight extends Issued {
  readonly _tag: 'tmaStore'
  /** which message of a scatter */
  readonly part: number
  readonly stage: 'read' | 'write'
  readonly source: Elements
  readonly destination: Elements
  readonly data: Float64Array | null
  readonly group: number
  readonly bytes: number
  /** a reduction: how it joins what is there */
  readonly combine: Joining | null
  readonly map: Elements | null
}
/** Stores of registers into a CTA's shared memory, and their bytes on its barrier. */
export interface StAsyncInFlight extends Issued {
  readonly _tag: 'stAsync'
  readonly stage: 'write' | 'signal'
  readonly destination: Elements
  readonly data: Float64Array | null
  readonly combine: Joining | null
  readonly origin: StoredFrom
  readonly barrier: number
  readonly bytes: number
}
export interface CpAsyncInFlight extends Issued {
  readonly _tag: 'cpAsync'
  readonly source: Elements
  readonly destination: Elements
  readonly group: number
  readonly bytes: number
  readonly ways: Float64Array | null
}
/** Arrives once every earlier cp.async of its agent is done. */
export interface CpAsyncArriveInFlight extends Issued {
  readonly _tag: 'cpAsyncArrive'
  readonly barrier: number
}
export interface WgmmaInFlight extends Issued {
  readonly _tag: 'wgmma'
  readonly mma: Extract<Prepared, { readonly _tag: 'wgmma.mma' }>
  readonly group: number
}

/** A product in the tensor queue of its agent. */
export interface Tcgen05InFlight extends Issued {
  readonly _tag: 'tcgen05'
  readonly mma: Extract<Prepared, { readonly _tag: 'tcgen05.mma' }>
}
/** A copy into tensor memory, or a shift inside it, in the same queue. */
export interface Tcgen05CopyInFlight extends Issued {
  readonly _tag: 'tcgen05Copy'
  readonly copy: Extract<Prepared, { readonly _tag: 'tcgen05.copy' }>
  readonly bytes: number
}
/** A commit, alone or one that a product names: an operation of its own, in the same queue. `part` tells those of one product apart. */
export interface Tcgen05CommitInFlight extends Issued {
  readonly _tag: 'tcgen05Commit'
  readonly alone: boolean
  readonly part: number
  readonly barriers: ReadonlyArray<number>
}
export interface Tcgen05LdInFlight extends Issued {
  readonly _tag: 'tcgen05Ld'
  readonly source: Elements
  readonly destination: Elements
  readonly extreme?: Extreme
  readonly bytes: number
}
export interface Tcgen05StInFlight extends Issued {
  readonly _tag: 'tcgen05St'
  readonly destination: Elements
  readonly data: Float64Array | null
  readonly origin: StoredFrom
  readonly bytes: number
}

/** A request to cancel a cluster, on its way to one CTA. */
export interface ClcInFlight extends Issued {
  readonly _tag: 'clc'
  readonly part: number
  readonly stage: 'write' | 'signal'
  readonly response: Elements
  readonly barrier: number
  /** the cluster granted, -1 for none */
  readonly cluster: number
  readonly bytes: number
}

export type InFlight =
  | ClcInFlight
  | TmaLoadInFlight
  | TmaStoreInFlight
  | StAsyncInFlight
  | CpAsyncInFlight
  | CpAsyncArriveInFlight
  | WgmmaInFlight
  | Tcgen05InFlight
  | Tcgen05CopyInFlight
  | Tcgen05CommitInFlight
  | Tcgen05LdInFlight
  | Tcgen05StInFlight
