/**
 * Where the parts of a warp wait for one another: instructions that the lanes of a warp execute together.
 *
 * A part that comes to such an instruction without the others waits there. When all lanes that have not ended are there, they go on together.
 *
 *     if (lane == 0) { red; bar.sync 0 } else bar.sync 0       two places, one barrier: all lanes meet
 *     if (lane < 16) bar.sync 0; ret                           lanes 16..31 end, and are not waited for
 *     if (lane < 16) mma; st                                   lanes 16..31 wait behind the branch: refused
 *
 * | instruction                                 | two parts are at one meeting if                                |
 * |---------------------------------------------|----------------------------------------------------------------|
 * | bar, barrier (each form), barrier.cluster.aligned | it is the same instruction, with the same operands       |
 * | ldmatrix, mma, wgmma, tcgen05, setmaxnreg .aligned | they are at one place                                   |
 *
 * A barrier waits for all threads of its warp that have not ended, `.aligned` or not: PTX says so of both. Parts that wait behind a branch for lanes that wait
 * at a barrier which is not `.aligned` go on without them (`apart`): nothing in PTX holds them there. With `.aligned` they are lanes that do not
 * execute the instruction, and it is refused.
 *
 * Instructions that name their lanes (`bar.warp.sync`, `shfl.sync`, ...) wait for the lanes of their mask alone, those that have ended excepted. PTX asks that all of
 * them execute a `bar.warp.sync` with the same mask, and not that it is the same one. Those that also exchange data must stand at one place here, which is stricter than
 * PTX.
 *
 *     if (x) { st; bar.warp.sync -1; ld } else { st; bar.warp.sync -1; ld }       two places, one meeting
 *
 * Lanes that come to the end of the program do not wait for others before they end.
 *
 * Laws
 * 1. The order in which parts come to a meeting does not change what follows.
 * 2. `apart` takes lanes out of one frame, and leaves every other lane where it was.
 * 3. Lanes that name one mask go on when the last of them has come, or has ended; and each of them has executed the instruction once.
 *
 * Source: PTX ISA, barrier{.cta}, barrier.cluster, exit, .aligned.
 */
import type { Loose } from '../log/events.js'
import type { Prepared } from '../machine/operation.js'
import { frame, part, type Frame, type Part } from '../machine/warp-stand.js'
import type { LinkedInstruction } from './launched.js'
import { lanesOfWarp, type Here } from './memory.js'
import type { Operation } from './program.js'
import { lowest, wordAt, type Rows } from './rows.js'

// ---------------------------------------------------------------- which instructions

/** How lanes meet: at a barrier, which may stand at several places, or at one place. */
export type Gathering = 'barrier' | 'place'

const gatherings: Readonly<Record<Operation['_tag'], Gathering | null>> = {
  scalar: null,
  move: null,
  part: null,
  pack: null,
  predicate: null,
  setPredicate: null,
  branch: null,
  branchIndexed: null,
  call: null,
  return: null,
  exit: null,
  trap: null,
  turn: null,
  nothing: null,
  print: null,
  shuffle: null,
  vote: null,
  match: null,
  reduce: null,
  elect: null,
  activeLanes: null,
  meetLanes: null,
  load: null,
  store: null,
  atomic: null,
  copyAsync: null,
  copyBulk: null,
  sendAsync: null,
  zeroBulk: null,
  commitBulk: null,
  waitBulk: null,
  commitAsync: null,
  waitAsync: null,
  loadMatrices: 'place',
  storeMatrices: 'place',
  transposeMatrix: 'place',
  multiply: 'place',
  wholeWarp: 'place',
  tensorCopy: null,
  tensormapReplace: null,
  tensormapPublish: null,
  tensormapAcquire: null,
  wgmma: 'place',
  wgmmaFence: 'place',
  wgmmaCommit: 'place',
  wgmmaWait: 'place',
  tcgen05Alloc: 'place',
  tcgen05Dealloc: 'place',
  tcgen05Relinquish: 'place',
  tcgen05Load: 'place',
  tcgen05Store: 'place',
  tcgen05Wait: 'place',
  tcgen05Copy: null,
  tcgen05Shift: null,
  tcgen05Mma: null,
  tcgen05Commit: null,
  setRegisters: 'place',
  gridDependency: null,
  bar: 'barrier',
  barReduce: 'barrier',
  clusterArrive: 'barrier',
  clusterWait: 'barrier',
  fence: null,
  mbarrierInit: null,
  mbarrierInval: null,
  mbarrierArrive: null,
  mbarrierWait: null,
  mbarrierPending: null,
  mbarrierCpAsync: null,
}

/** How the lanes of a warp meet at this instruction; null: each part executes it for itself. */
export const gatheringOf = (o: Operation): Gathering | null =>
  (o._tag === 'clusterArrive' || o._tag === 'clusterWait') && !o.aligned ? null : gatherings[o._tag]

/** PTX says that all lanes of the warp must execute it, and not only those that have not ended. */
export const isAligned = (o: Operation): boolean =>
  o._tag === 'bar' || o._tag === 'barReduce' || o._tag === 'clusterArrive' || o._tag === 'clusterWait'
    ? o.aligned
    : gatherings[o._tag] === 'place'

// ---------------------------------------------------------------- one meeting

/** Lanes that are about to execute an instruction. */
export interface Standing {
  readonly pc: number
  readonly mask: number
}

/** Rows that hold the same words for the one part and the other. */
const alike = (r: Rows, own: number | null, mine: number, other: number | null, theirs: number): boolean =>
  own === null || other === null
    ? own === other
    : wordAt(r, own, lowest(mine)) === wordAt(r, other, lowest(theirs))

/** Do both parts stand before the same meeting? */
export const isOneMeeting = (
  r: Rows,
  code: ReadonlyArray<LinkedInstruction>,
  a: Standing,
  b: Standing,
): boolean => {
  const o = code[a.pc]?.instruction.operation
  const p = code[b.pc]?.instruction.operation
  if (o === undefined || p === undefined) return false
  if (gatheringOf(o) === null) return false
  if (o._tag === 'bar' && p._tag === 'bar')
    return (
      o.mode === p.mode && alike(r, o.id, a.mask, p.id, b.mask) && alike(r, o.count, a.mask, p.count, b.mask)
    )
  if (o._tag === 'barReduce' && p._tag === 'barReduce')
    return (
      o.op === p.op &&
      o.to === p.to &&
      o.toPredicate === p.toPredicate &&
      o.by.predicate === p.by.predicate &&
      o.by.negated === p.by.negated &&
      alike(r, o.id, a.mask, p.id, b.mask) &&
      alike(r, o.count, a.mask, p.count, b.mask)
    )
  if (o._tag === 'clusterArrive' && p._tag === 'clusterArrive')
    return gatheringOf(p) === 'barrier' && o.relaxed === p.relaxed
  if (o._tag === 'clusterWait' && p._tag === 'clusterWait')
    return gatheringOf(p) === 'barrier' && o.acquire === p.acquire
  return a.pc === b.pc
}

/** May lanes of one mask execute these, which stand at two places, as one? */
export const isOneMeetingOfLanes = (a: Operation, b: Operation): boolean =>
  a._tag === 'meetLanes' && b._tag === 'meetLanes'

/** What PTX does not promise of this meeting; null: it is as PTX says. */
export const looseness = (h: Here, o: Operation, mask: number, samePlace: boolean): Loose | null =>
  !isAligned(o) ? null : mask !== lanesOfWarp(h) ? 'ended' : samePlace ? null : 'places'

const looselyPrepared = (p: Prepared, loose: Loose): Prepared =>
  p._tag === 'bar' || p._tag === 'cluster.arrive' ? Object.assign({ loose }, p) : p

/** The arrivals among these parts say what PTX does not promise of them. */
export const loosely = (parts: ReadonlyArray<Part>, loose: Loose | null): ReadonlyArray<Part> =>
  loose === null ? parts : parts.map((p) => part(looselyPrepared(p.prepared, loose), p.receive, p.lanes))

// ---------------------------------------------------------------- ends

/** Instructions that are looked through for an end. */
const shortWay = 8

/** Do lanes that come here end, whatever they hold? */
export const endsAt = (code: ReadonlyArray<LinkedInstruction>, pc: number): boolean => {
  let at = pc
  for (let i = 0; i < shortWay; i++) {
    const one = code[at]?.instruction
    // behind the last instruction
    if (one === undefined) return true
    const { operation: o, guard } = one
    if (o._tag === 'nothing' || o._tag === 'turn') at++
    else if (o._tag === 'branch' && guard === null) at = o.target
    else return o._tag === 'exit' && guard === null
  }
  return false
}

// ---------------------------------------------------------------- frames

/** `whole` without these lanes, wherever it is among the frames; what was one frame stays one. */
const without = (f: Frame | null, whole: Frame, lanes: number, made: Map<Frame, Frame>): Frame | null => {
  if (f === null) return null
  const known = made.get(f)
  if (known !== undefined) return known
  const next = without(f.next, whole, lanes, made)
  const mask = f === whole ? f.mask & ~lanes : f.mask
  if (next === f.next && mask === f.mask) return f
  const out = frame(f.join, mask, next, f.called)
  made.set(f, out)
  return out
}

interface Framed {
  readonly mask: number
  frame: Frame | null
}

/** A parked part leaves its frame: it goes on without the others, which meet without it. */
export const apart = (parts: ReadonlyArray<Framed>, leaving: Framed): void => {
  const whole = leaving.frame
  if (whole === null) return
  const made = new Map<Frame, Frame>()
  for (const p of parts) p.frame = p === leaving ? whole.next : without(p.frame, whole, leaving.mask, made)
}
