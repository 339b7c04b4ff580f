/**
 * Findings: what is wrong, between which two operations, over which bytes, and which edge is missing.
 *
 * | kind of outcome | meaning |
 * |---|---|
 * | invalid      | refused before it ran |
 * | deadlock     | a run got stuck; the wait-for cycle is shown |
 * | hazard       | two operations conflict and nothing orders them, or a rule of the machine is broken |
 * | wrong-result | an output tile is not what the kernel says it computes |
 * | undecided    | one schedule does not stand for all and nothing bad was found in it |
 *
 * Ids are the taxonomy (`hazards.ts`, docs/hazards.md).
 *
 * A `Finding` is what a verdict says and what is published. Until then it is a `Diagnosis`, its missing edge a `Remedy`: with what they are about
 * (`subject.ts`) and what each side does (`deed.ts`), as data, beside their words.
 */
import type { Stamp } from '../log/events.js'
import type { HazardId, Severity } from './hazards.js'
import type { Deed } from './deed.js'
import type { Family } from '../log/units.js'
import type { Concerning, FenceName } from './subject.js'

export type { HazardId, Severity } from './hazards.js'

/** Whose a statement is (`ownership.ts`). */
export type Whose = 'author' | 'library' | 'compiler'

/** One of the two operations of a finding. */
export interface Operation {
  /** index of the agent in the log's header */
  readonly index: number
  /** its name with its CTA: `wg0@0` */
  readonly agent: string
  readonly site: string
  readonly path: ReadonlyArray<string>
  readonly loc?: string
  readonly iteration: ReadonlyArray<number>
  /** program-order index in its agent */
  readonly at: number
  /** what it does to the bytes: `reads`, `writes`, `arrives`, `waits` ..., and through which proxy or unit */
  readonly does: string
  /** id of the asynchronous operation in the log; absent for what the agent does itself */
  readonly operation?: number
  /** the tensor of global memory that the asynchronous operation reads or writes, where its statement does not name it (`copied.ts`) */
  readonly tensor?: string
  /** the source line of the author, and what the compiler made of it, if the text is available (`details.ts`) */
  readonly source?: string
}

/** A statement that is neither side of a finding. */
export interface Statement {
  readonly site: string
  readonly loc?: string
  /** what the author wrote there, where there is a text (`details.ts`) */
  readonly source?: string
}

/** A named interval of memory. */
export interface NamedBytes {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The bytes at stake: plane name (`smem@0`, `acc@wg0`, `gmem a`) and byte intervals [start, end). */
export interface Place {
  readonly plane: string
  readonly spans: ReadonlyArray<readonly [number, number]>
  /** intervals that are not listed */
  readonly more?: number
  /** storages that they lie in, where a program says it (`details.ts`) */
  readonly within?: ReadonlyArray<NamedBytes>
}

/** The smallest addition that makes the finding disappear. */
export interface MissingEdge {
  readonly kind:
    'fence' | 'warp-sync' | 'group-wait' | 'wait' | 'arrive' | 'arrive-wait' | 'bytes' | 'none-found'
  /** one sentence in the reader's words: what to add, where */
  readonly text: string
  /** the same as data, as far as it is known: what a language has a word for (`fix.ts`) */
  readonly fence?: FenceName | 'threads'
  /** the fence is there, and the compiler has moved the write of a register behind it */
  readonly moved?: true
  readonly family?: Family
  /** of a group: the commit that closes it is missing, alone or with the wait; absent: the wait alone */
  readonly lacks?: 'commit' | 'both'
  readonly barrier?: { readonly name: string; readonly phase?: number }
  /** the sides after and before which it stands, where that is known */
  readonly after?: 'a' | 'b'
  readonly before?: 'a' | 'b'
  /** the statement that it stands before, where that is neither side */
  readonly ahead?: string
  /** the statement that is there, in the wrong place */
  readonly moves?: Statement
  /** the distance between the two sides, if the first is an access by an agent itself */
  readonly distance?: Distance
  /** the second side comes first in the program */
  readonly reversed?: true
}

export type Distance = 'warp' | 'cta' | 'cluster' | 'grid'

export interface Finding {
  readonly id: HazardId
  /** the title of its id, in a published document */
  readonly title?: string
  readonly severity: Severity
  /** one line: what is wrong */
  readonly text: string
  /** the earlier operation in the run, then the later one; a rule broken by one operation has no second */
  readonly a: Operation
  readonly b?: Operation
  readonly place?: Place
  /** how far the later agent had synchronised with the earlier one, in words */
  readonly knew?: string
  /** the last event of the earlier one's agent that another agent knew of; 0: none */
  readonly knows?: number
  readonly missing?: MissingEdge
  /** what a chip did with a kernel that has this mistake between such accesses (`silicon.ts`), where it is published */
  readonly silicon?: string
  /** the missing edge in the words of the author's language (`fix.ts`) */
  readonly fix?: string
  /** who wrote the wrong code, if not the author of the kernel (`ownership.ts`) */
  readonly whose?: Exclude<Whose, 'author'>
}

/** A missing edge with what it is about. */
export interface Remedy extends MissingEdge, Concerning {
  /** the generation that is waited for */
  readonly generation?: number
}

/** Of a wait that nothing ends: what would end it, and who could bring that about. */
export interface Supply {
  /** `arrive on full@0`, `commit its bulk group` */
  readonly act: string
  /** agents that have signalled it before */
  readonly suppliers: ReadonlyArray<string>
  /** statements that would signal it, after a wait that is blocked */
  readonly ahead: ReadonlyArray<string>
  /** bytes that its barrier still lacks; less than 0: that have come too many */
  readonly bytes: number
  /** the other waits of the cycle that it is in, if they never end for the same reason */
  readonly round: ReadonlyArray<string>
}

export interface Deeds {
  readonly a: Deed
  readonly b: Deed | null
}

/** A finding with what it is about and what its sides do. */
export interface Diagnosis extends Finding, Concerning {
  /** what `a` and `b` do, as data (`deed.ts`) */
  readonly deeds: Deeds
  /** of a race, the lanes of each side that touch what the other touches; absent: it is no race of warps */
  readonly lanes?: Readonly<Record<'a' | 'b', number>>
  readonly missing?: Remedy
  readonly supply?: Supply
}

export type ConditionName = 'C1' | 'C2' | 'C3' | 'C4' | 'C5' | 'C6'

/** A condition of the single-schedule theorem: whether it holds in this run, and where not (`findings` says it with ids: B1, B3, B4). */
export interface Condition<F extends Finding = Finding> {
  readonly holds: boolean
  readonly failures: ReadonlyArray<string>
  readonly findings: ReadonlyArray<F>
}
export type Conditions<F extends Finding = Finding> = Readonly<Record<ConditionName, Condition<F>>>

/** One blocked agent of a deadlock and what it waits for. */
export interface Blocked extends Concerning {
  readonly agent: string
  /** a warp that is an agent of its own: its number, and that of its CTA; null: the agent has a name */
  readonly warp: { readonly number: number; readonly cta: number } | null
  readonly operation: Operation
  /** barrier or group, generation awaited, arrivals and bytes still missing */
  readonly waitsFor: string
  /** agents whose next steps could supply it */
  readonly suppliers: ReadonlyArray<string>
  /** statements that would supply it and stand behind waits that are blocked, of the first of `suppliers` */
  readonly ahead: ReadonlyArray<string>
}

/** A strong read whose value comes only into memory, and a write of its word that it may take as well. */
export interface OtherReading {
  readonly read: Stamp
  readonly plane: number
  readonly byte: number
  readonly bytes: number
  /** how many writes before the last, for the read; -1: one that comes after it in the log */
  readonly back: number
  /** the word holds it behind this write, or before that one, which is the first */
  readonly source: { readonly behind: Stamp } | { readonly before: Stamp }
  /** the write that is in no order with the read */
  readonly beside: Stamp
  /** both are sums of words, and so is what is between them: memory is the same in either order */
  readonly sums?: true
}
/** Two strong stores of one word that nothing orders: the first may be the later one. */
export interface LaterStore {
  readonly first: Stamp
  /** the first adds to what it finds */
  readonly adds: boolean
  readonly second: Stamp
  readonly plane: number
  readonly byte: number
  readonly bytes: number
  /** the second comes behind the first in every execution: had it come first, someone would have taken it over before something that its thread has found */
  readonly settled?: true
}
/**
 * A strong read that decides what its thread does, and a write that comes later, by a thread that has found what the first one wrote after it: no schedule has the write
 * first. The read may take it if what was found does not depend on the read. `until`: the last event of the reader that was found.
 */
export interface Ahead {
  readonly read: Stamp
  readonly write: Stamp
  readonly plane: number
  readonly byte: number
  readonly bytes: number
  readonly until: number
}
/** What a run could have found otherwise, and still done the same; by pairs of places. `controlled`: words whose order is meant. */
export interface Otherwise {
  readonly reads: ReadonlyArray<ReadonlyArray<OtherReading>>
  readonly stores: ReadonlyArray<ReadonlyArray<LaterStore>>
  readonly ahead: ReadonlyArray<ReadonlyArray<Ahead>>
  readonly controlled: ReadonlySet<string>
  /** a read has taken a write that was over for it, by what others had found before: no execution is like that */
  readonly over: boolean
  /** a write that may come before an atomic, which it comes behind in every schedule that is followed */
  readonly behind: Operation | null
  /** a strong read that decides, and that a write is in no order with: in some schedule it may take an older value */
  readonly stale: Operation | null
}

/** The findings and facts of one log. */
export interface Judgement {
  readonly findings: ReadonlyArray<Diagnosis>
  readonly notes: ReadonlyArray<Diagnosis>
  readonly conditions: Conditions<Diagnosis>
  /** blocked agents; those of the wait-for cycle come first, in its order */
  readonly deadlock: ReadonlyArray<Blocked>
  /** C3, C6 or the lower half of C4 fails: findings other than faults and deadlocks need a schedule that confirms them */
  readonly candidates: boolean
  /** of the findings, those that every schedule has in order if relaxed edges order: `strict` alone finds them, and no schedule shows them */
  readonly byManual: ReadonlyArray<Diagnosis>
  /** strong accesses of lanes of a warp that nothing orders: other orders of them are other schedules of the threads, and the same one of the warps */
  readonly lanesInTurn: boolean
  /** if C3 fails, then of generations alone that no agent looks at any more (`detector/quiet.ts`); false where that was not asked */
  readonly quiet: boolean
  readonly otherwise: Otherwise
  /** digest over (agent, program-order index, instance), independent of the order of the log */
  readonly digest: string
  readonly events: number
  /** number of pieces of memory that its accesses examined: the cost of judging again */
  readonly looked: number
}

/** The first finding of each id, then the others: a reader who looks at a few sees all kinds. */
export const foremost = <F extends Finding>(findings: ReadonlyArray<F>): ReadonlyArray<F> => {
  const isFirst = (f: F, i: number): boolean => findings.findIndex((g) => g.id === f.id) === i
  return [...findings.filter(isFirst), ...findings.filter((f, i) => !isFirst(f, i))]
}
