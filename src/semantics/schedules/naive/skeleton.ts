/**
 * Skeletons: programs of which only the synchronisation is left.
 *
 * A skeleton is a straight line of operations per agent. There are no values, no loops and no addresses: memory is a
 * set of named *atoms*, disjoint by name, and bytes are counted in *units*. It is the language in which the whole space of
 * schedules of a small program can be searched (`explore.ts`), in which programs are drawn at random (`random.ts`) and
 * from which a real program is made (`embed.ts`).
 *
 *     t0@0: load > s0.x:#0:1; arrive.expect #0 1; wait #1 0; load > s0.x:#0:1        two agents of CTA 0,
 *     t1@0: wait #0 0; read s0.x; arrive #1                                          barriers #0 and #1
 *
 * | here                     | PTX                                  | agent's proxy | completion                        |
 * |--------------------------|--------------------------------------|---------------|-----------------------------------|
 * | read, write              | ld, st                               | generic       | at once                           |
 * | load                     | cp.async.bulk.tensor to shared       | async         | units on a barrier, per destination |
 * | store                    | cp.async.bulk.tensor to global       | async         | bulk group, read and full side    |
 * | copy                     | cp.async                             | generic       | group, or `copyArrive` on a barrier |
 * | wgmma                    | wgmma.mma_async                      | async         | wgmma group                       |
 * | mma, commit              | tcgen05.mma, tcgen05.commit          | async, tensor | one queue per agent               |
 * | tensorLoad, tensorStore  | tcgen05.ld, tcgen05.st               | tensor        | waitLoads, waitStores             |
 * | alloc, free, relinquish  | tcgen05.alloc, dealloc, relinquish   | -             | at once                           |
 * | namedArrive, namedSync   | bar.arrive, bar.sync, by count       | -             | at once; when so many have come   |
 * | clusterArrive, clusterWait | barrier.cluster                    | -             | at once; when all have come or ended |
 * | tell, hear               | st, red; ld in a loop: strong, of a word | generic   | at once                           |
 * | fenceMemory              | fence.acq_rel                        | -             | at once                           |
 *
 * A `wait` blocks while the number of completions of its barrier has parity `parity`. A `peek` does not: it remembers, under a name, whether a wait would have passed,
 * and then it has acquired what the wait would have. A later wait `after` that name does nothing if the agent's last peek of that name was true. A barrier operation with
 * `tensor` also carries tensor-core order (before/after thread sync implied). `on: false` is a predicated-off
 * operation: it takes its turn and does nothing. A group operation with `pending: n` leaves at most the n newest groups open.
 *
 * Tensor memory is there from the start, and `dealloc` ends it, unless the skeleton allocates: then atom k, in the order of their names' first mention,
 * has the columns from 32 k, and is there while an allocation of its CTA holds them.
 *
 * Names: a *sync skeleton* in the Mojo and Triton literature is a warp-specialised loop with its payload removed; Weft's programs of
 * named barriers are the special case of `rendezvous`.
 *
 * Laws
 * 1. `groups` numbers the groups of one family of an agent from 1 in the order of its commits; a wait covers all groups
 *    up to the number it is given.
 * 2. `parse(show(s)) = s` (notation.ts).
 */

// ---------------------------------------------------------------- model

/** A piece of memory with one name. Two atoms are disjoint unless they are equal. */
export type Atom =
  | { readonly _tag: 'smem'; readonly cta: number; readonly name: string }
  | { readonly _tag: 'tmem'; readonly cta: number; readonly name: string }
  | { readonly _tag: 'gmem'; readonly name: string }
  | { readonly _tag: 'regs'; readonly agent: number; readonly name: string }

export type Atoms = ReadonlyArray<Atom>

/** Index into `Skeleton.barriers`. */
export type BarrierIndex = number

/** Where one CTA's part of a load goes, and the units that it signals there. */
export interface Destination {
  readonly atoms: Atoms
  readonly barrier: BarrierIndex
  readonly units: number
}

export interface Read {
  readonly _tag: 'read'
  readonly atoms: Atoms
}
export interface Write {
  readonly _tag: 'write'
  readonly atoms: Atoms
}
/** `narrow`: its scope is its CTA, and what it tells or hears goes no farther. */
interface Narrow {
  readonly narrow?: true
}
/** One arrival on each barrier of one instruction. */
export interface Arrive extends Narrow {
  readonly _tag: 'arrive'
  readonly barriers: ReadonlyArray<BarrierIndex>
  readonly relaxed: boolean
  readonly tensor: boolean
  readonly on: boolean
}
/** One arrival that also announces `units`. */
export interface ArriveExpect extends Narrow {
  readonly _tag: 'arriveExpect'
  readonly barrier: BarrierIndex
  readonly units: number
  readonly relaxed: boolean
  readonly tensor: boolean
  readonly on: boolean
}
/** Announces `units` without an arrival. */
export interface Expect {
  readonly _tag: 'expect'
  readonly barrier: BarrierIndex
  readonly units: number
  readonly on: boolean
}
export interface Wait extends Narrow {
  readonly _tag: 'wait'
  readonly barrier: BarrierIndex
  readonly parity: 0 | 1
  readonly relaxed: boolean
  readonly tensor: boolean
  readonly on: boolean
  /** name of the peek that may spare it */
  readonly after?: string
}
export interface Peek extends Narrow {
  readonly _tag: 'peek'
  readonly barrier: BarrierIndex
  readonly parity: 0 | 1
  readonly relaxed: boolean
  readonly tensor: boolean
  readonly name: string
}
export interface Load {
  readonly _tag: 'load'
  readonly reads: Atoms
  readonly destinations: ReadonlyArray<Destination>
  readonly on: boolean
}
export interface Store {
  readonly _tag: 'store'
  readonly reads: Atoms
  readonly writes: Atoms
  readonly on: boolean
}
export interface BulkCommit {
  readonly _tag: 'bulkCommit'
}
export interface BulkWait {
  readonly _tag: 'bulkWait'
  readonly pending: number
  readonly side: 'read' | 'full'
}
export interface Copy {
  readonly _tag: 'copy'
  readonly reads: Atoms
  readonly writes: Atoms
  readonly on: boolean
}
export interface CopyCommit {
  readonly _tag: 'copyCommit'
}
export interface CopyWait {
  readonly _tag: 'copyWait'
  readonly pending: number
}
/** An arrival that happens once all earlier copies of this agent have written (`.noinc`). */
export interface CopyArrive {
  readonly _tag: 'copyArrive'
  readonly barrier: BarrierIndex
}
export interface Wgmma {
  readonly _tag: 'wgmma'
  readonly reads: Atoms
  readonly writes: Atoms
}
export interface WgmmaCommit {
  readonly _tag: 'wgmmaCommit'
}
export interface WgmmaWait {
  readonly _tag: 'wgmmaWait'
  readonly pending: number
}
/** `cta`: generic accesses of shared memory become visible to the async proxy; `global`: those of global memory. */
export interface Fence {
  readonly _tag: 'fence'
  readonly scope: 'cta' | 'global'
}
/** bar.sync or the cluster barrier: all `members` (agents, ascending) pass it together. */
export interface Rendezvous {
  readonly _tag: 'rendezvous'
  readonly id: string
  readonly members: ReadonlyArray<number>
  readonly relaxed: boolean
  readonly tensor: boolean
}
/** `reads` through the async proxy (operands in SMEM), `tensorReads` and `writes` in TMEM. */
export interface Mma {
  readonly _tag: 'mma'
  readonly reads: Atoms
  readonly tensorReads: Atoms
  readonly writes: Atoms
}
export interface Commit {
  readonly _tag: 'commit'
  readonly barriers: ReadonlyArray<BarrierIndex>
}
export interface TensorLoad {
  readonly _tag: 'tensorLoad'
  readonly atoms: Atoms
}
export interface TensorStore {
  readonly _tag: 'tensorStore'
  readonly atoms: Atoms
}
export interface WaitLoads {
  readonly _tag: 'waitLoads'
}
export interface WaitStores {
  readonly _tag: 'waitStores'
}
export interface FenceBefore {
  readonly _tag: 'fenceBefore'
}
export interface FenceAfter {
  readonly _tag: 'fenceAfter'
}
/** Frees tensor memory. */
export interface Dealloc {
  readonly _tag: 'dealloc'
  readonly atoms: Atoms
}

/** Takes the first free columns of its CTA. `ctaGroup` 2: a part of the same step of both CTAs of a pair. */
export interface Alloc {
  readonly _tag: 'alloc'
  readonly columns: number
  readonly ctaGroup: 1 | 2
}
/** Gives back the agent's own newest allocation of so many columns, else the newest of the CTA. */
export interface Free {
  readonly _tag: 'free'
  readonly columns: number
  readonly ctaGroup: 1 | 2
}
/** Its CTA allocates no more. */
export interface Relinquish {
  readonly _tag: 'relinquish'
  readonly ctaGroup: 1 | 2
}
/** bar.arrive: one of `count` agents of its CTA at named barrier `id`; it goes on. */
export interface NamedArrive {
  readonly _tag: 'namedArrive'
  readonly id: number
  readonly count: number
}
/** bar.sync: the same, and it waits until so many have come. */
export interface NamedSync {
  readonly _tag: 'namedSync'
  readonly id: number
  readonly count: number
}
/** barrier.cluster.arrive, of all agents that have not ended. */
export interface ClusterArrive {
  readonly _tag: 'clusterArrive'
  readonly relaxed: boolean
}
export interface ClusterWait {
  readonly _tag: 'clusterWait'
}
/** A strong write of a word: a store of a value, or an addition. `wide`: its scope is the cluster, else its CTA. */
export interface Tell {
  readonly _tag: 'tell'
  readonly word: Atom
  readonly how: 'store' | 'add'
  readonly value: number
  readonly releases: boolean
  readonly wide: boolean
}
/** A strong read of a word, again and again until it is the value (`eq`) or at least that (`ge`); or once, whatever it is. */
export interface Hear {
  readonly _tag: 'hear'
  readonly word: Atom
  readonly until: 'eq' | 'ge' | 'any'
  readonly value: number
  readonly acquires: boolean
  readonly wide: boolean
}
/** fence.acq_rel. */
export interface FenceMemory {
  readonly _tag: 'fenceMemory'
  readonly wide: boolean
}

export type Op =
  | NamedArrive
  | NamedSync
  | ClusterArrive
  | ClusterWait
  | Tell
  | Hear
  | FenceMemory
  | Read
  | Write
  | Arrive
  | ArriveExpect
  | Expect
  | Wait
  | Peek
  | Load
  | Store
  | BulkCommit
  | BulkWait
  | Copy
  | CopyCommit
  | CopyWait
  | CopyArrive
  | Wgmma
  | WgmmaCommit
  | WgmmaWait
  | Fence
  | Rendezvous
  | Mma
  | Commit
  | TensorLoad
  | TensorStore
  | WaitLoads
  | WaitStores
  | FenceBefore
  | FenceAfter
  | Dealloc
  | Alloc
  | Free
  | Relinquish
export type OpName = Op['_tag']

export interface SkeletonAgent {
  readonly name: string
  readonly cta: number
  readonly ops: ReadonlyArray<Op>
}
export interface SkeletonBarrier {
  readonly name: string
  readonly cta: number
  /** arrivals per generation, one per `arrive` */
  readonly count: number
  /** initialised by the first agent of its CTA, and ordered before all agents without being published to other CTAs */
  readonly unpublished?: true
}
export interface Skeleton {
  readonly agents: ReadonlyArray<SkeletonAgent>
  readonly barriers: ReadonlyArray<SkeletonBarrier>
}

/**
 * One step of a schedule. `agent`: its next operation. `operation`: the next stage of the asynchronous operation that `agent`
 * issued at `op` (`part` is the destination of a load). `queue`: the head of the agent's tcgen05 queue.
 * `wgmma`: the head of its wgmma queue.
 */
export interface Choice {
  readonly _tag: 'agent' | 'operation' | 'queue' | 'wgmma'
  readonly agent: number
  readonly op: number
  readonly part: number
}

// ---------------------------------------------------------------- constructors

export const smem = (cta: number, name: string): Atom => ({ _tag: 'smem', cta, name })
export const tmem = (cta: number, name: string): Atom => ({ _tag: 'tmem', cta, name })
export const gmem = (name: string): Atom => ({ _tag: 'gmem', name })
export const regs = (agent: number, name: string): Atom => ({ _tag: 'regs', agent, name })

export const read = (atoms: Atoms): Op => ({ _tag: 'read', atoms })
export const write = (atoms: Atoms): Op => ({ _tag: 'write', atoms })
export const arrive = (
  barriers: ReadonlyArray<BarrierIndex>,
  relaxed: boolean = false,
  tensor: boolean = false,
  on: boolean = true,
): Op => ({ _tag: 'arrive', barriers, relaxed, tensor, on })
export const arriveExpect = (
  barrier: BarrierIndex,
  units: number,
  relaxed: boolean = false,
  tensor: boolean = false,
  on: boolean = true,
): Op => ({ _tag: 'arriveExpect', barrier, units, relaxed, tensor, on })
export const expect = (barrier: BarrierIndex, units: number, on: boolean = true): Op => ({
  _tag: 'expect',
  barrier,
  units,
  on,
})
export const wait = (
  barrier: BarrierIndex,
  parity: 0 | 1,
  relaxed: boolean = false,
  tensor: boolean = false,
  on: boolean = true,
): Op => ({ _tag: 'wait', barrier, parity, relaxed, tensor, on })
/** A wait that a peek of this name may spare. */
export const waitAfter = (
  name: string,
  barrier: BarrierIndex,
  parity: 0 | 1,
  relaxed: boolean,
  tensor: boolean,
): Op => ({
  _tag: 'wait',
  barrier,
  parity,
  relaxed,
  tensor,
  on: true,
  after: name,
})
export const peek = (
  name: string,
  barrier: BarrierIndex,
  parity: 0 | 1,
  relaxed: boolean = false,
  tensor: boolean = false,
): Op => ({ _tag: 'peek', barrier, parity, relaxed, tensor, name })
export const load = (reads: Atoms, destinations: ReadonlyArray<Destination>, on: boolean = true): Op => ({
  _tag: 'load',
  reads,
  destinations,
  on,
})
export const store = (reads: Atoms, writes: Atoms, on: boolean = true): Op => ({
  _tag: 'store',
  reads,
  writes,
  on,
})
export const bulkCommit: Op = { _tag: 'bulkCommit' }
export const bulkWait = (pending: number, side: 'read' | 'full'): Op => ({ _tag: 'bulkWait', pending, side })
export const copy = (reads: Atoms, writes: Atoms, on: boolean = true): Op => ({
  _tag: 'copy',
  reads,
  writes,
  on,
})
export const copyCommit: Op = { _tag: 'copyCommit' }
export const copyWait = (pending: number): Op => ({ _tag: 'copyWait', pending })
export const copyArrive = (barrier: BarrierIndex): Op => ({ _tag: 'copyArrive', barrier })
export const wgmma = (reads: Atoms, writes: Atoms): Op => ({ _tag: 'wgmma', reads, writes })
export const wgmmaCommit: Op = { _tag: 'wgmmaCommit' }
export const wgmmaWait = (pending: number): Op => ({ _tag: 'wgmmaWait', pending })
export const fence = (scope: 'cta' | 'global'): Op => ({ _tag: 'fence', scope })
export const rendezvous = (
  id: string,
  members: ReadonlyArray<number>,
  relaxed: boolean = false,
  tensor: boolean = false,
): Op => ({ _tag: 'rendezvous', id, members, relaxed, tensor })
export const mma = (reads: Atoms, tensorReads: Atoms, writes: Atoms): Op => ({
  _tag: 'mma',
  reads,
  tensorReads,
  writes,
})
export const commit = (barriers: ReadonlyArray<BarrierIndex>): Op => ({ _tag: 'commit', barriers })
export const tensorLoad = (atoms: Atoms): Op => ({ _tag: 'tensorLoad', atoms })
export const tensorStore = (atoms: Atoms): Op => ({ _tag: 'tensorStore', atoms })
export const waitLoads: Op = { _tag: 'waitLoads' }
export const waitStores: Op = { _tag: 'waitStores' }
export const fenceBefore: Op = { _tag: 'fenceBefore' }
export const fenceAfter: Op = { _tag: 'fenceAfter' }
export const dealloc = (atoms: Atoms): Op => ({ _tag: 'dealloc', atoms })
export const alloc = (columns: number, ctaGroup: 1 | 2 = 1): Op => ({ _tag: 'alloc', columns, ctaGroup })
export const free = (columns: number, ctaGroup: 1 | 2 = 1): Op => ({ _tag: 'free', columns, ctaGroup })
export const relinquish = (ctaGroup: 1 | 2 = 1): Op => ({ _tag: 'relinquish', ctaGroup })

export const namedArrive = (id: number, count: number): Op => ({ _tag: 'namedArrive', id, count })
export const namedSync = (id: number, count: number): Op => ({ _tag: 'namedSync', id, count })
export const clusterArrive = (relaxed: boolean = false): Op => ({ _tag: 'clusterArrive', relaxed })
export const clusterWait: Op = { _tag: 'clusterWait' }
export const tell = (
  word: Atom,
  how: 'store' | 'add',
  value: number,
  releases: boolean = true,
  wide: boolean = true,
): Op => ({ _tag: 'tell', word, how, value, releases, wide })
export const hear = (
  word: Atom,
  until: 'eq' | 'ge' | 'any',
  value: number,
  acquires: boolean = true,
  wide: boolean = true,
): Op => ({ _tag: 'hear', word, until, value, acquires, wide })
export const fenceMemory = (wide: boolean = true): Op => ({ _tag: 'fenceMemory', wide })

/** The same, at the scope of its CTA; operations on mbarriers alone have one here. */
export const narrow = (op: Op): Op => {
  switch (op._tag) {
    case 'arrive':
    case 'arriveExpect':
    case 'wait':
    case 'peek':
      return Object.assign({ narrow: true as const }, op)
    default:
      return op
  }
}

/** The same operation, predicated off; operations without a predicate stay as they are. */
export const off = (op: Op): Op => {
  switch (op._tag) {
    case 'arrive':
      return arrive(op.barriers, op.relaxed, op.tensor, false)
    case 'arriveExpect':
      return arriveExpect(op.barrier, op.units, op.relaxed, op.tensor, false)
    case 'expect':
      return expect(op.barrier, op.units, false)
    case 'wait':
      return wait(op.barrier, op.parity, op.relaxed, op.tensor, false)
    case 'load':
      return load(op.reads, op.destinations, false)
    case 'store':
      return store(op.reads, op.writes, false)
    case 'copy':
      return copy(op.reads, op.writes, false)
    default:
      return op
  }
}

// ---------------------------------------------------------------- destructors

/** Is the operation executed? */
export const isOn = (op: Op): boolean => !('on' in op) || op.on

/** The name by which an atom is told from the others: `s0.x`, `t0.y`, `g.z`, `r1.acc`. */
export const showAtom = (atom: Atom): string => {
  switch (atom._tag) {
    case 'smem':
      return `s${String(atom.cta)}.${atom.name}`
    case 'tmem':
      return `t${String(atom.cta)}.${atom.name}`
    case 'gmem':
      return `g.${atom.name}`
    case 'regs':
      return `r${String(atom.agent)}.${atom.name}`
  }
}

/** What an operation reads and writes, apart from barriers. */
export const footprint = (op: Op): { readonly reads: Atoms; readonly writes: Atoms } => {
  switch (op._tag) {
    case 'read':
    case 'tensorLoad':
      return { reads: op.atoms, writes: [] }
    case 'write':
    case 'tensorStore':
    case 'dealloc':
      return { reads: [], writes: op.atoms }
    case 'load':
      return { reads: op.reads, writes: op.destinations.flatMap((d) => d.atoms) }
    case 'store':
    case 'copy':
    case 'wgmma':
      return { reads: op.reads, writes: op.writes }
    case 'mma':
      return { reads: [...op.reads, ...op.tensorReads], writes: op.writes }
    default:
      return { reads: [], writes: [] }
  }
}

/** The barriers that an operation names. */
export const barriersOf = (op: Op): ReadonlyArray<BarrierIndex> => {
  switch (op._tag) {
    case 'arrive':
    case 'commit':
      return op.barriers
    case 'arriveExpect':
    case 'expect':
    case 'wait':
    case 'peek':
    case 'copyArrive':
      return [op.barrier]
    case 'load':
      return op.destinations.map((d) => d.barrier)
    default:
      return []
  }
}

/** All atoms, each once, in order of first mention. */
export const atomsOf = (skeleton: Skeleton): Atoms => {
  const found = new Map<string, Atom>()
  for (const agent of skeleton.agents)
    for (const op of agent.ops) {
      const { reads, writes } = footprint(op)
      for (const atom of [...reads, ...writes]) {
        const key = showAtom(atom)
        if (!found.has(key)) found.set(key, atom)
      }
    }
  return [...found.values()]
}

/** All words, each once, in order of first mention. They are no atoms: what is strong has no footprint. */
export const wordsOf = (skeleton: Skeleton): Atoms => {
  const found = new Map<string, Atom>()
  for (const agent of skeleton.agents)
    for (const op of agent.ops)
      if ((op._tag === 'tell' || op._tag === 'hear') && !found.has(showAtom(op.word)))
        found.set(showAtom(op.word), op.word)
  return [...found.values()]
}

/** Does tensor memory come and go? */
export const allocates = (skeleton: Skeleton): boolean =>
  skeleton.agents.some((agent) => agent.ops.some((op) => op._tag === 'alloc'))

/** The columns of an atom, where the skeleton allocates. */
export const atomColumns = 32

/** The first column of every name in tensor memory, where the skeleton allocates. */
export const columnOf = (skeleton: Skeleton): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const atom of atomsOf(skeleton))
    if (atom._tag === 'tmem' && !found.has(atom.name)) found.set(atom.name, atomColumns * found.size)
  return found
}

/** The peek that a wait of an agent is after: the last of its name before it; -1 of any other operation, and where there is none. */
export const peekOf = (ops: ReadonlyArray<Op>, i: number): number => {
  const op = ops[i]
  if (op?._tag !== 'wait' || op.after === undefined) return -1
  for (let k = i - 1; k >= 0; k--) {
    const other = ops[k]!
    if (other._tag === 'peek' && other.name === op.after) return k
  }
  return -1
}

export const size = (skeleton: Skeleton): number =>
  skeleton.agents.reduce((sum, agent) => sum + agent.ops.length, 0)

/**
 * Group numbers of one agent: for an operation of a family the group that it will be in, for a commit the group that
 * it closes, for a wait the last group that it covers; 0 for everything else.
 */
export const groups = (ops: ReadonlyArray<Op>): ReadonlyArray<number> => {
  let bulk = 0
  let matrix = 0
  let copies = 0
  return ops.map((op) => {
    switch (op._tag) {
      case 'store':
        return bulk + 1
      case 'bulkCommit':
        bulk += 1
        return bulk
      case 'bulkWait':
        return bulk - op.pending
      case 'wgmma':
        return matrix + 1
      case 'wgmmaCommit':
        matrix += 1
        return matrix
      case 'wgmmaWait':
        return matrix - op.pending
      case 'copy':
        return copies + 1
      case 'copyCommit':
        copies += 1
        return copies
      case 'copyWait':
        return copies - op.pending
      default:
        return 0
    }
  })
}

/** The barrier with an initialisation that other CTAs do not see. */
export const unpublished = (b: SkeletonBarrier): SkeletonBarrier => ({
  name: b.name,
  cta: b.cta,
  count: b.count,
  unpublished: true,
})
