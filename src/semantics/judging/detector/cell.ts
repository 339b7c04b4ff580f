/**
 * What is remembered about one atom of memory: the last write, the atomics and the reads since, and of earlier clusters one write and one read of each kind.
 *
 * Judging an access against a cell is the whole race check. For an access w (write) or r (read) with knowledge K:
 *
 * Known in order is known over whatever edges, and where only a relaxed one orders the two that is told (N2). Under `strict` it is known
 * over others alone.
 *
 * | remembered            | asked                                                         | else                  |
 * |-----------------------|---------------------------------------------------------------|-----------------------|
 * | last write            | known in order                                                | race                  |
 * | last write            | seen through the access's proxy                               | visibility hazard     |
 * | last write, under w   | or: some sound read since shows that it has landed            | visibility hazard     |
 * | reads since, under w  | known in order                                                | race                  |
 * | generic reads since, under an asynchronous w | fenced (`readFence`)                   | P3, or a note         |
 * | nothing, under r      | the plane was initialised                                     | read of nothing (I1), at the end; a race with the first write, if that is not ordered |
 * | another cluster's     | neither of the two writes                                     | race across clusters, or as two atomics that nothing orders |
 *
 * Atomic accesses since the last plain write stand side by side: an atomic access is asked about the plain ones before it, a plain one
 * about every atomic. Worked, with integer reductions a1, a2 of two CTAs into one tile: a2 finds a1, both atomic for one another, nothing
 * to say; a plain read that knows a2 alone races with a1. Of floats, a1 and a2 unordered are the note N1.
 *
 * | remembered            | asked                                                         | else                  |
 * |-----------------------|---------------------------------------------------------------|-----------------------|
 * | atomic, under atomic  | each in the other's scope, one proxy, one width               | as if both were plain |
 * | atomic write, under atomic write | ordered, or they commute                           | N1                    |
 * | atomic read that decides, and atomic write | ordered                                  | C1: control may depend on timing |
 * | atomics, under plain  | known and seen, as a last write; or found by an earlier read of the same word | race, hazard |
 *
 * A read that a later read of the same kind subsumes (what knows the later one knows it) is forgotten, so a cell stays small
 * however often it is read.
 *
 * Laws
 * 1. Forgetting subsumed reads changes no judgement.
 * 2. Two accesses of one operation, or of one in-order unit, never conflict.
 */
import type { AccessRecord } from './access-record.js'
import {
  atomicTogether,
  commutes,
  coveredNear,
  fencedClock,
  ofLanes,
  isUsed,
  known,
  ofMore,
  seen,
  storeAlike,
  unsound,
} from './access-record.js'
import { allLanes } from './activity.js'
import type { Knowledge } from './knowledge.js'
import { inOrderByLanes, isWithin, seenByLanes } from './lanes.js'
import { alike, assumed, follows as inQueue } from './queue.js'
import type { ReadFence } from './read-fence.js'
import type { Options } from './rules.js'
import { valueAt } from './sparse.js'

// ---------------------------------------------------------------- model

export interface Cell {
  /** the cluster whose accesses `write` and `reads` are */
  cluster: number
  /** the last plain write, and the atomic accesses since, in no order */
  write: AccessRecord | undefined
  /** plain writes that are in no order with it, nor with one another, and have left the same */
  beside: ReadonlyArray<AccessRecord>
  /** other accesses of their agents before them: who may stand beside the writes races with these */
  under: ReadonlyArray<AccessRecord>
  atomics: Array<AccessRecord>
  /** the write before the last, and which agents had read it (a bit each) */
  before: AccessRecord | undefined
  readersBefore: number
  reads: Array<AccessRecord>
  /** number of reads at which subsumed ones are looked for */
  limit: number
  written: boolean
  /** reads of bytes that had no write yet, the first of each agent and site */
  early: Array<AccessRecord>
  /** of a write that lanes make as one, if they know different things: what was there before it (`isPartOfAct`) */
  ahead: Cell | undefined
  foreignWrite: AccessRecord | undefined
  foreignRead: AccessRecord | undefined
  foreignAtomic: AccessRecord | undefined
  /** an atomic read whose value may decide something */
  foreignDecision: AccessRecord | undefined
}

/** What an order can rest on that the manual does not grant. */
export type Assumption = 'relaxed' | 'issueOrder' | 'unfencedRead'

/** Told of what is wrong. `earlier` and `later` are in log order. */
export interface Conflicts {
  readonly race: (earlier: AccessRecord, later: AccessRecord, cell: Cell, k: Knowledge) => void
  readonly invisible: (earlier: AccessRecord, later: AccessRecord, k: Knowledge) => void
  readonly unfencedRead: (earlier: AccessRecord, later: AccessRecord, k: Knowledge) => void
  /** asked of an asynchronous write: what a generic read before it needs */
  readonly readFence: (write: AccessRecord) => ReadFence
  /** the two are in no order, and memory is the same in both */
  readonly twice: (earlier: AccessRecord, later: AccessRecord, k: Knowledge | undefined) => void
  /** the two are in order over relaxed edges alone, or because products are taken to be in order of issue */
  readonly restsOn: (what: Assumption, earlier: AccessRecord, later: AccessRecord) => void
  /** two atomic writes that nothing orders and that do not commute */
  readonly anyOrder: (earlier: AccessRecord, later: AccessRecord, k: Knowledge | undefined) => void
  /** a write, and a read whose value may decide something, in no order; both are atomic */
  readonly decided: (earlier: AccessRecord, later: AccessRecord) => void
  readonly foreign: (earlier: AccessRecord, later: AccessRecord) => void
  /** asked of a strong access and a plain one: has something that comes before the second found the first? */
  readonly shown: (earlier: AccessRecord, later: AccessRecord, k: Knowledge) => boolean
  /** asked of what an agent wrote and the read of a tensor map: has an acquire of these bytes, which the reader knows of, taken it? */
  readonly mapped: (write: AccessRecord, read: AccessRecord, k: Knowledge) => boolean
  /** nothing is there yet: a write that comes later and is not ordered makes it a race, else `nothingThere` is told at the end */
  readonly early: (read: AccessRecord) => void
  readonly nothingThere: (read: AccessRecord) => void
}

// ---------------------------------------------------------------- constructors

const none: ReadonlyArray<AccessRecord> = []

export const cell = (cluster: number, written: boolean): Cell => ({
  cluster,
  write: undefined,
  beside: none,
  under: none,
  atomics: [],
  before: undefined,
  readersBefore: 0,
  reads: [],
  limit: 12,
  written,
  early: [],
  ahead: undefined,
  foreignWrite: undefined,
  foreignRead: undefined,
  foreignAtomic: undefined,
  foreignDecision: undefined,
})

export const duplicate = (c: Cell): Cell => ({
  cluster: c.cluster,
  write: c.write,
  beside: c.beside,
  under: c.under,
  atomics: c.atomics.slice(),
  before: c.before,
  readersBefore: c.readersBefore,
  reads: c.reads.slice(),
  limit: c.limit,
  written: c.written,
  early: c.early.slice(),
  ahead: undefined,
  foreignWrite: c.foreignWrite,
  foreignRead: c.foreignRead,
  foreignAtomic: c.foreignAtomic,
  foreignDecision: c.foreignDecision,
})

// ---------------------------------------------------------------- combinators

/** A cell last used by an earlier cluster: private memory starts anew, global memory remembers that others were here. */
const enter = (c: Cell, cluster: number, global: boolean, initialised: boolean): void => {
  if (global) {
    c.foreignWrite = c.write ?? c.foreignWrite
    // what came before the write is behind it, unless the write may stand beside another
    c.foreignRead = c.reads[0] ?? c.under.find((x) => x.rw === 'r' && x.reach === 0) ?? c.foreignRead
    // a write is more than a read that came after it
    const earlier = c.foreignAtomic
    const atomics = c.atomics.length > 0 ? c.atomics : c.under.filter((x) => x.reach > 0)
    c.foreignAtomic =
      atomics.reduce<AccessRecord | undefined>((w, x) => (x.rw === 'w' ? x : w), undefined) ??
      (earlier?.rw === 'w' ? earlier : (atomics[0] ?? earlier))
    c.foreignDecision ??= atomics.find((x) => x.decides)
  } else c.written = initialised
  c.cluster = cluster
  c.write = undefined
  c.beside = none
  c.under = none
  c.atomics = []
  c.before = undefined
  c.readersBefore = 0
  c.reads = []
  c.early = []
}

/** What an earlier cluster did here and nothing orders. */
const judgeForeign = (c: Cell, r: AccessRecord, out: Conflicts): void => {
  const a = c.foreignAtomic
  if (a !== undefined && (a.rw === 'w' || r.rw === 'w')) {
    if (!atomicTogether(a, r, false)) out.foreign(a, r)
    else if (a.rw === 'w' && r.rw === 'w' && !commutes(a, r)) out.anyOrder(a, r, undefined)
    else if (a.rw === 'w' && r.decides) out.decided(a, r)
  }
  const x = c.foreignDecision
  if (x !== undefined && r.rw === 'w' && atomicTogether(x, r, false)) out.decided(x, r)
  const w = c.foreignWrite
  const isSame = w !== undefined && r.rw === 'w' && storeAlike(w, r)
  if (isSame) out.twice(w, r, undefined)
  if (w !== undefined && !isSame) out.foreign(w, r)
  else if (r.rw === 'w' && c.foreignRead !== undefined) out.foreign(c.foreignRead, r)
}

const sameKind = (a: AccessRecord, b: AccessRecord, { rules }: Options): boolean =>
  a.completion.clock >= 0 &&
  a.completion.clock === b.completion.clock &&
  a.proxy === b.proxy &&
  a.sound === b.sound &&
  alike(a.queue, b.queue) &&
  (rules.anyLaneReads || sameLanes(a, b))

/** Does who knows the threads of the later one know those of the earlier one, too? */
const sameLanes = (a: AccessRecord, b: AccessRecord): boolean => {
  if (a.lanes === 0 && b.lanes === 0) return true
  const [first, last] = a.when <= b.when ? [a, b] : [b, a]
  return first.stamp.at <= last.met || isWithin(first, last)
}

const remember = (c: Cell, r: AccessRecord, options: Options): void => {
  const last = c.reads.length - 1
  const newest = c.reads[last]
  if (
    newest !== undefined &&
    newest.stamp.site === r.stamp.site &&
    sameKind(newest, r, options) &&
    newest.completion.at <= r.completion.at
  ) {
    c.reads[last] = r
    return
  }
  c.reads.push(r)
  if (c.reads.length < c.limit) return
  const kept: Array<AccessRecord> = []
  for (const x of c.reads) {
    const i = kept.findIndex((y) => sameKind(x, y, options))
    if (i < 0) kept.push(x)
    else if (x.completion.at >= kept[i]!.completion.at) kept[i] = x
  }
  c.reads = kept
  c.limit = Math.max(12, 2 * kept.length)
}

/** What knows a later atomic of one kind knows the earlier; a write says all that a read does. */
const rememberAtomic = (c: Cell, r: AccessRecord, options: Options): void => {
  const i = c.atomics.findIndex(
    (x) =>
      sameKind(x, r, options) &&
      x.completion.at <= r.completion.at &&
      x.reach === r.reach &&
      x.combine === r.combine &&
      x.footprint.dtype === r.footprint.dtype &&
      x.words === r.words &&
      (!x.decides || r.decides) &&
      (x.rw === 'r' ? !x.decides || r.rw === 'r' : r.rw === 'w'),
  )
  if (i < 0) c.atomics.push(r)
  else c.atomics[i] = r
}

const readersOf = (c: Cell): number => {
  let mask = 0
  for (const r of c.reads) mask |= 1 << (r.stamp.agent & 31)
  return mask
}

const landed = (c: Cell, w: AccessRecord, proxy: AccessRecord['proxy']): boolean => {
  for (const r of c.reads) {
    if (r.sound && r.when > w.when && (w.proxy !== 'generic' || r.proxy === proxy)) return true
  }
  return false
}

/** Is the access done before `r`, which knows this? Where warps are in order their threads are asked for. */
const isOrdered = (x: AccessRecord, r: AccessRecord, k: Knowledge, options: Options): boolean =>
  known(options.strict ? k.firm : k.order, x.completion) &&
  (isAsExecuted(x, r, options) || inOrderByLanes(x, r, k))

/** Under a weakening: lanes of one warp are in the order of their warp. */
const isAsExecuted = (x: AccessRecord, r: AccessRecord, { rules }: Options): boolean =>
  rules.lanesInOrder && x.stamp.agent === r.stamp.agent

/** The same, and it is told if the order is no firm one. */
const comesBefore = (
  x: AccessRecord,
  r: AccessRecord,
  k: Knowledge,
  options: Options,
  out: Conflicts,
): boolean => {
  if (!isOrdered(x, r, k, options)) return false
  if (known(k.firm, x.completion)) return true
  out.restsOn('relaxed', x, r)
  return true
}

/** What a warp does as one (`whole`) is one access, also where its lanes know different things. */
const isOneAct = (earlier: AccessRecord, later: AccessRecord): boolean =>
  earlier.whole &&
  later.whole &&
  earlier.operation < 0 &&
  later.operation < 0 &&
  earlier.stamp.agent === later.stamp.agent &&
  earlier.stamp.at === later.stamp.at

/** Some lanes of a warp write as one with others, which know something else: of them all it is asked whether they come after what was there before the first. */
const isPartOfAct = (r: AccessRecord): boolean =>
  r.whole && r.operation < 0 && r.rw === 'w' && r.lanes !== 0 && r.lanes !== allLanes

/** One operation's accesses, or those of an in-order unit of which one comes after the other. */
const sameUnit = (
  earlier: AccessRecord,
  later: AccessRecord,
  k: Knowledge,
  options: Options,
  out: Conflicts,
): boolean => {
  if (earlier.operation >= 0 && earlier.operation === later.operation) return true
  const a = earlier.queue
  const b = later.queue
  if (a === undefined || b === undefined) return false
  if (inQueue(a, b) || inQueue(b, a)) return true
  if (options.tensorPipe === 'documented' || !(assumed(a, b) || assumed(b, a))) return false
  if (!isOrdered(earlier, later, k, options)) out.restsOn('issueOrder', earlier, later)
  return true
}

/** Whether `r`, which comes after the write `w`, finds what it wrote; by the read-only path nothing is sure to be found that the kernel has written. */
const finds = (w: AccessRecord, r: AccessRecord, k: Knowledge, options: Options, out: Conflicts): boolean =>
  r.proxy === 'readOnly'
    ? false
    : r.proxy === 'tensormap' && w.operation < 0
      ? out.mapped(w, r, k)
      : seen(w, r.proxy, k, options.rules.maxGenerations) &&
        (isAsExecuted(w, r, options) || seenByThreads(w, r, k))

/** Has a proxy fence covered what each thread of a generic access did, for units that the threads of `r` start? */
const isCoveredByThreads = (x: AccessRecord, r: AccessRecord, k: Knowledge): boolean => {
  const near = coveredNear(x, k)
  const clock = fencedClock(x)
  const isFar = (y: AccessRecord): boolean =>
    valueAt(k.async.counters, clock) >= y.completion.at && seenByLanes(y, r, k, 'async', clock)
  if (near === 0 || x.lanes === 0) return near !== 0 || isFar(x)
  const rest = x.lanes & ~near
  return rest === 0 || isFar(ofLanes(x, rest))
}

/** The same of the threads that make the two. */
const seenByThreads = (w: AccessRecord, r: AccessRecord, k: Knowledge): boolean => {
  if (w.lanes === 0 || w.proxy === 'tensor') return true
  const byUnit = r.proxy === 'async' || r.proxy === 'tensormap'
  return w.proxy === 'generic' && byUnit
    ? isCoveredByThreads(w, r, k)
    : seenByLanes(w, r, k, byUnit ? 'async' : 'visible', w.completion.clock)
}

/** Whether `r` comes after the write `w` and finds what it wrote; tells what is wrong. */
const follows = (
  c: Cell,
  w: AccessRecord,
  r: AccessRecord,
  k: Knowledge,
  options: Options,
  out: Conflicts,
): boolean => {
  if (sameUnit(w, r, k, options, out)) return true
  if (!isOrdered(w, r, k, options)) {
    if (!out.shown(w, r, k)) out.race(w, r, c, k)
  } else if (!finds(w, r, k, options, out)) {
    // what was found, or was there when it was read, need not be told
    if (out.shown(w, r, k)) return true
    const shown = r.rw === 'w' && !options.rules.noWriteWriteException && landed(c, w, r.proxy)
    if (!shown) {
      out.invisible(w, r, k)
      return false
    }
    comesBefore(w, r, k, options, out)
  }
  return true
}

/**
 * The writes that stand side by side have left one value. A read finds it if it comes after one of them; a write that leaves it again is in order with all of
 * them, or beside them.
 */
const besideOthers = (
  c: Cell,
  w: AccessRecord,
  r: AccessRecord,
  k: Knowledge,
  options: Options,
  out: Conflicts,
): boolean => {
  const group = [...c.beside, w]
  const isAfter = (x: AccessRecord): boolean => sameUnit(x, r, k, options, out) || isOrdered(x, r, k, options)
  const isFound = r.rw === 'r' ? group.some(isAfter) : storeAlike(w, r)
  let sound = true
  for (const x of group)
    if (isFound && !isAfter(x)) {
      out.twice(x, r, k)
      if (r.rw === 'w')
        for (const y of c.under) if (y.stamp.agent === x.stamp.agent && !isAfter(y)) out.race(y, r, c, k)
    } else sound = follows(c, x, r, k, options, out) && sound
  return sound
}

/**
 * Lanes that store strongly to one word by one instruction, and in this run the same: it is one event, and whether it is the same in every run is not asked of the result. Lanes that
 * store different values are an event each, and which is the last is asked (`readings.ts`).
 */
const isLeftOpen = (a: AccessRecord, r: AccessRecord): boolean =>
  a.stamp.agent === r.stamp.agent &&
  a.stamp.at === r.stamp.at &&
  a.lanes !== 0 &&
  r.lanes !== 0 &&
  a.rw === 'w' &&
  r.rw === 'w' &&
  !a.joins &&
  !r.joins &&
  !storeAlike(a, r)

/** A generic read of an agent before an asynchronous write of the same bytes, in order: who knows the read has executed a proxy fence since, for the unit that overwrites. */
const judgeFence = (x: AccessRecord, r: AccessRecord, k: Knowledge, out: Conflicts): void => {
  if (x.proxy !== 'generic' || x.unit !== 'agent' || r.proxy !== 'async' || x.fence === 'registers') return
  const asked = out.readFence(r)
  if (asked === 'not asked' || isCoveredByThreads(x, r, k)) return
  if (asked === 'demanded') out.unfencedRead(x, r, k)
  else out.restsOn('unfencedRead', x, r)
}

/** Against the atomic accesses since the last plain write. Gives whether what they wrote is found. */
const judgeAtomics = (c: Cell, r: AccessRecord, k: Knowledge, options: Options, out: Conflicts): boolean => {
  let sound = true
  for (const a of c.atomics) {
    if (a.rw === 'r' && r.rw === 'r') continue
    if (atomicTogether(a, r, a.place === r.place)) {
      if (
        a.rw === 'w' &&
        r.rw === 'w' &&
        !commutes(a, r) &&
        !sameUnit(a, r, k, options, out) &&
        !comesBefore(a, r, k, options, out)
      )
        out.anyOrder(a, r, k)
      if (isLeftOpen(a, r) && !isOrdered(a, r, k, options)) out.race(a, r, c, k)
      else if (
        ((a.decides && r.rw === 'w') || (r.decides && a.rw === 'w')) &&
        !sameUnit(a, r, k, options, out) &&
        !isOrdered(a, r, k, options)
      )
        out.decided(a, r)
    } else if (a.rw === 'w') sound = follows(c, a, r, k, options, out) && sound
    else if (!sameUnit(a, r, k, options, out)) {
      if (comesBefore(a, r, k, options, out)) judgeFence(a, r, k, out)
      else if (!out.shown(a, r, k)) out.race(a, r, c, k)
    }
  }
  return sound
}

/** An exchange whose result nothing uses: its write comes in place of whatever its read has found. */
const isReplaced = (read: AccessRecord, write: AccessRecord): boolean =>
  write.combine === 'exchange' &&
  read.joins &&
  !read.decides &&
  read.stamp.agent === write.stamp.agent &&
  read.stamp.at === write.stamp.at

/** Judges an access by an actor with knowledge `k` and remembers it. */
export const judge = (
  c: Cell,
  r: AccessRecord,
  k: Knowledge,
  cluster: number,
  global: boolean,
  initialised: boolean,
  options: Options,
  out: Conflicts,
): void => {
  if (c.cluster !== cluster) enter(c, cluster, global, initialised)
  if (c.ahead !== undefined) {
    if (c.write !== undefined && isOneAct(c.write, r)) {
      judge(duplicate(c.ahead), r, k, cluster, global, initialised, options, out)
      c.write = ofMore(c.write, r)
      return
    }
    c.ahead = undefined
  }
  if (isPartOfAct(r)) c.ahead = duplicate(c)
  // whatever it finds, nothing comes of it
  if (r.rw === 'r' && r.idle) return
  judgeForeign(c, r, out)
  let sound = c.atomics.length === 0 || judgeAtomics(c, r, k, options, out)
  const w = c.write
  if (r.reach > 0 || !c.atomics.some((a) => a.rw === 'w')) {
    // atomic writes since have followed the plain one; what follows them all follows it
    if (w !== undefined)
      sound =
        (r.stored === undefined && c.beside.length === 0
          ? follows(c, w, r, k, options, out)
          : besideOthers(c, w, r, k, options, out)) && sound
    else if (r.rw === 'r' && !c.written) {
      if (!c.early.some((x) => x.stamp.agent === r.stamp.agent && x.stamp.site === r.stamp.site))
        c.early.push(r)
      out.early(r)
    }
  }
  const record = sound ? r : unsound(r)
  if (r.rw === 'r') {
    if (r.reach > 0) rememberAtomic(c, record, options)
    else remember(c, record, options)
    return
  }
  if (c.early.length > 0) {
    // a read of nothing that this write should have come before: the race says it, with both sides
    const apart = (x: AccessRecord): boolean =>
      !sameUnit(x, r, k, options, out) &&
      !atomicTogether(x, r, x.place === r.place) &&
      !isOrdered(x, r, k, options)
    for (const x of c.early) if (apart(x) && !c.reads.includes(x) && x.reach === 0) out.race(x, r, c, k)
    c.early = c.early.filter((x) => !apart(x) && !isReplaced(x, r))
  }
  // who has read what is written again has read the same
  const leaves = w !== undefined && r.stored !== undefined && storeAlike(w, r)
  const isOpen = (x: AccessRecord): boolean => !isOrdered(x, r, k, options)
  for (const x of c.reads) {
    if (sameUnit(x, r, k, options, out)) continue
    if (leaves && isOpen(x)) out.twice(x, r, k)
    else if (!comesBefore(x, r, k, options, out)) out.race(x, r, c, k)
    else judgeFence(x, r, k, out)
  }
  c.written = true
  if (r.reach > 0) {
    rememberAtomic(c, record, options)
    return
  }
  c.before = c.write
  c.readersBefore = readersOf(c)
  c.beside = leaves ? [...c.beside, w].filter(isOpen) : none
  c.write = record
  // of one value alone a write may be left beside another
  c.under =
    r.stored === undefined
      ? none
      : [
          ...(leaves ? c.under : none),
          ...[...c.reads, ...c.atomics].filter((x) => x.stamp.agent === r.stamp.agent),
        ]
  if (c.atomics.length > 0) c.atomics = []
  c.reads = leaves ? c.reads.filter(isOpen) : []
  c.limit = 12
}

/** At the end of its cluster: reads that found nothing, and that no later write explains. */
export const settle = (c: Cell, cluster: number, out: Pick<Conflicts, 'nothingThere'>): void => {
  if (c.cluster !== cluster) return
  c.early.forEach(out.nothingThere)
  c.early = []
}

/**
 * A dealloc of the bytes: ordered like a write, by order alone. A tensor-memory load counts as done where a use of its registers is
 * known, unless `strict`; `note` is then told.
 */
export const judgeDealloc = (
  c: Cell,
  r: AccessRecord,
  k: Knowledge,
  cluster: number,
  options: Options,
  out: Conflicts,
  note: (load: AccessRecord, dealloc: AccessRecord) => void,
): void => {
  if (c.cluster !== cluster) return
  const one = (x: AccessRecord): void => {
    if (comesBefore(x, r, k, options, out)) return
    if (!options.strict && isUsed(k.order, x)) note(x, r)
    else out.race(x, r, c, k)
  }
  if (c.write !== undefined) one(c.write)
  c.atomics.forEach(one)
  c.reads.forEach(one)
}
