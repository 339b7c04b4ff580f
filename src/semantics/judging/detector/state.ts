/**
 * The detector's state: everything that is remembered of a log, and nothing of its length.
 *
 * | part        | remembers                                                              | bounded by              |
 * |-------------|------------------------------------------------------------------------|-------------------------|
 * | context     | per agent: four knowledge vectors, counters of what it issued           | agents x clocks         |
 * | planes      | per atom of memory: the last write, the reads since                     | atoms                   |
 * | readOnly    | the reads of a plane that was not written                               | a constant a plane      |
 * | writtenOnce | the writes of an output of which no byte was touched twice              | its writes, its bytes   |
 * | regions     | a footprint seen before: its atoms, its hash, the barrier objects in it | distinct footprints     |
 * | operations  | what is in flight                                                       | what is in flight       |
 * | barriers, named | the generation under way and the two before it                      | barriers                |
 * | obligations | effects that no agent of the CTA knows yet                              | (swept when it doubles) |
 * | semaphores  | per agent, its last signal and wait, and what it told                  | counters x agents       |
 * | strong      | per word, what was told through it and left there since; per agent, what it knew at its fences | words x agents |
 * | responses   | answers of cluster launch control in memory                           | their places            |
 * | allocations | what is allocated of tensor memory                                     | allocations             |
 * | registers   | per agent, the counts of its setmaxnreg                                | those executed          |
 * | blocked, ahead | waits that stand at the end, and what stands behind them             | agents, their pairs     |
 *
 * Every event module takes this state and one event and updates it in place: one owner, one pass, no copy.
 *
 * Law 1. `start(header, options)` knows nothing: every clock is 0, no atom exists, no barrier lives.
 */
import type { Ahead, Footprint, Header, Plane, Stamp } from '../../log/events.js'
import type { Atom, Partition } from './atoms.js'
import { partition } from './atoms.js'
import type { BarrierState } from './barriers.js'
import { barrierState } from './barriers.js'
import type { Cell, Conflicts } from './cell.js'
import { cell, duplicate } from './cell.js'
import { conflictsOf } from './conflicts.js'
import type { Context } from './context.js'
import { context } from './context.js'
import type { Blockage } from './deadlock.js'
import type { Obligations } from './obligations.js'
import { obligations } from './obligations.js'
import type { Operation } from './operation.js'
import type { ReadOnly } from './read-only.js'
import { readOnly } from './read-only.js'
import type { NamedBarriers } from './rendezvous.js'
import type { Responses } from './responses.js'
import { responses } from './responses.js'
import type { Semaphores } from './semaphore-state.js'
import { strongState, type Strong } from './strong-state.js'
import type { RegisterCounts } from './register-groups.js'
import { fail } from './report.js'
import type { Allocations } from './tensor-memory.js'
import { allocations } from './tensor-memory.js'
import type { Options } from './rules.js'
import { writtenOnce, type WrittenOnce } from './written-once.js'

// ---------------------------------------------------------------- model

/** A footprint that has been seen: its atoms (null as long as its plane has only been read), the barrier objects under it, its hash. */
export interface Region {
  atoms: ReadonlyArray<Atom<Cell>> | null
  readonly barriers: ReadonlyArray<number>
  readonly hash: number
}

export interface Detector {
  readonly context: Context
  readonly planes: ReadonlyArray<Partition<Cell>>
  readonly readOnly: ReadonlyArray<ReadOnly>
  readonly writtenOnce: ReadonlyArray<WrittenOnce>
  readonly regions: Map<number, Region>
  readonly operations: Map<number, Operation>
  readonly instances: Int32Array
  readonly barriers: ReadonlyArray<BarrierState>
  readonly named: NamedBarriers
  readonly semaphores: Semaphores
  /** words that strong accesses touch, and what agents have fenced */
  readonly strong: Strong
  /** answers of cluster launch control */
  readonly responses: Responses
  readonly obligations: Obligations
  readonly blocked: Array<Blockage>
  readonly ahead: Array<Ahead>
  readonly conflicts: Conflicts
  /** by agent, the register counts that it has set in this cluster */
  readonly registers: RegisterCounts
  /** agents that have touched memory, more than their registers, or issued anything (to tell B6 from B5) */
  readonly worked: Uint8Array
  /** tensor memory that is allocated, and that was freed */
  readonly allocations: Allocations
  /** tensor maps in memory, and who wrote each last */
  readonly maps: Array<{ readonly footprint: Footprint; readonly stamp: Stamp }>
  anyEvent: boolean
  /** the operation that performs and owes no signal, -1 for none */
  over: number
}

// ---------------------------------------------------------------- constructors

/** It is there before the kernel, and the kernel's to read. */
export const isThere = ({ initialised, output }: Plane): boolean => initialised && output !== true

export const start = (header: Header, options: Options): Detector => {
  const c = context(header, options)
  const strong = strongState()
  return {
    context: c,
    planes: header.planes.map((p) => partition<Cell>(p.bytes, () => cell(c.cluster, isThere(p)), duplicate)),
    readOnly: header.planes.map((p) => readOnly(isThere(p) && p.space === 'gmem')),
    writtenOnce: header.planes.map((p) => writtenOnce(p.space === 'gmem' && p.output === true, p.bytes)),
    regions: new Map(),
    operations: new Map(),
    instances: new Int32Array(header.agents.length),
    barriers: header.barriers.map((_, i) => barrierState(c.extent, i)),
    named: new Map(),
    semaphores: new Map(),
    strong,
    responses: responses(),
    obligations: obligations(),
    blocked: [],
    ahead: [],
    conflicts: conflictsOf(c, strong),
    registers: new Map(),
    worked: new Uint8Array(header.agents.length),
    allocations: allocations(),
    maps: [],
    anyEvent: false,
    over: -1,
  }
}

// ---------------------------------------------------------------- combinators

/** The log contradicts itself; what follows is judged as far as it goes. */
export const malformed = (d: Detector, text: string): void =>
  fail(d.context.report, 'C2', text, () => ({
    text: `the log is not well formed: ${text}`,
    draft: undefined,
  }))
