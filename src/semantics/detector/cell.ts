/**
 * What is remembered about one atom of memory: the last write, the reads since, and of earlier clusters one write and one read.
 *
 * Judging an access against a cell is the whole race check. For an access w (write) or r (read) with knowledge K:
 *
 * | remembered            | asked                                                         | else                  |
 * |-----------------------|---------------------------------------------------------------|-----------------------|
 * | last write            | known in order                                                | race                  |
 * | last write            | seen through the access's proxy                               | visibility hazard     |
 * | last write, under w   | or: some sound read since shows that it has landed            | visibility hazard     |
 * | reads since, under w  | known in order (and fenced, under `strictProxies`)            | race                  |
 * | nothing, under r      | the plane was initialised                                     | read of nothing (I1), at the end; a race with the first write, if that is not ordered |
 * | another cluster's     | neither of the two writes                                     | race across clusters  |
 *
 * A read that a later read of the same kind subsumes (whoever knows the later one knows it) is forgotten, so a cell stays small
 * however often it is read.
 *
 * Laws
 * 1. Forgetting subsumed reads changes no judgement.
 * 2. Two accesses of one operation, or of one in-order unit, never conflict.
 */
import type { AccessRecord } from './access-record.js'
import { fencedClock, known, seen, unsound } from './access-record.js'
import type { Knowledge } from './knowledge.js'
import type { Options } from './rules.js'

// ---------------------------------------------------------------- model

export interface Cell {
  /** the cluster whose accesses `write` and `reads` are */
  cluster: number
  write: AccessRecord | undefined
  /** the write before the last, and which agents had read it (a bit each) */
  before: AccessRecord | undefined
  readersBefore: number
  reads: Array<AccessRecord>
  /** number of reads at which subsumed ones are looked for */
  limit: number
  written: boolean
  /** reads of bytes that had no write yet, the first of each agent and site */
  early: Array<AccessRecord>
  foreignWrite: AccessRecord | undefined
  foreignRead: AccessRecord | undefined
}

/** Told of what is wrong. `earlier` and `later` are in log order. */
export interface Conflicts {
  readonly race: (earlier: AccessRecord, later: AccessRecord, cell: Cell, k: Knowledge) => void
  readonly invisible: (earlier: AccessRecord, later: AccessRecord, k: Knowledge) => void
  readonly unfencedRead: (earlier: AccessRecord, later: AccessRecord, k: Knowledge) => void
  readonly foreign: (earlier: AccessRecord, later: AccessRecord) => void
  /** nothing is there yet: a write that comes later and is not ordered makes it a race, else `nothingThere` is told at the end */
  readonly early: (read: AccessRecord) => void
  readonly nothingThere: (read: AccessRecord) => void
}

// ---------------------------------------------------------------- constructors

export const cell = (cluster: number, written: boolean): Cell => ({
  cluster,
  write: undefined,
  before: undefined,
  readersBefore: 0,
  reads: [],
  limit: 12,
  written,
  early: [],
  foreignWrite: undefined,
  foreignRead: undefined,
})

export const duplicate = (c: Cell): Cell => ({
  cluster: c.cluster,
  write: c.write,
  before: c.before,
  readersBefore: c.readersBefore,
  reads: c.reads.slice(),
  limit: c.limit,
  written: c.written,
  early: c.early.slice(),
  foreignWrite: c.foreignWrite,
  foreignRead: c.foreignRead,
})

// ---------------------------------------------------------------- combinators

/** A cell last used by an earlier cluster: private memory starts anew, global memory remembers that others were here. */
const enter = (c: Cell, cluster: number, global: boolean, initialised: boolean): void => {
  if (global) {
    c.foreignWrite = c.write ?? c.foreignWrite
    c.foreignRead = c.reads[0] ?? c.foreignRead
  } else c.written = initialised
  c.cluster = cluster
  c.write = undefined
  c.before = undefined
  c.readersBefore = 0
  c.reads = []
  c.early = []
}

const sameKind = (a: AccessRecord, b: AccessRecord): boolean =>
  a.completion.clock >= 0 &&
  a.completion.clock === b.completion.clock &&
  a.completion.alternative === b.completion.alternative &&
  a.proxy === b.proxy &&
  a.sound === b.sound &&
  a.queue === b.queue

const remember = (c: Cell, r: AccessRecord): void => {
  const last = c.reads.length - 1
  const newest = c.reads[last]
  if (
    newest !== undefined &&
    newest.stamp.site === r.stamp.site &&
    sameKind(newest, r) &&
    newest.completion.at <= r.completion.at
  ) {
    c.reads[last] = r
    return
  }
  c.reads.push(r)
  if (c.reads.length < c.limit) return
  const kept: Array<AccessRecord> = []
  for (const x of c.reads) {
    const i = kept.findIndex((y) => sameKind(x, y))
    if (i < 0) kept.push(x)
    else if (x.completion.at >= kept[i]!.completion.at) kept[i] = x
  }
  c.reads = kept
  c.limit = Math.max(12, 2 * kept.length)
}

const readersOf = (c: Cell): number => {
  let mask = 0
  for (const r of c.reads) mask |= 1 << (r.stamp.agent & 31)
  return mask
}

const landed = (c: Cell, w: AccessRecord, proxy: AccessRecord['proxy']): boolean => {
  for (const r of c.reads) {
    if (r.sound && (w.proxy !== 'generic' || r.proxy === proxy)) return true
  }
  return false
}

const sameUnit = (a: AccessRecord, b: AccessRecord): boolean =>
  (a.queue >= 0 && a.queue === b.queue) || (a.operation >= 0 && a.operation === b.operation)

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
  if (global) {
    if (c.foreignWrite !== undefined) out.foreign(c.foreignWrite, r)
    else if (r.rw === 'w' && c.foreignRead !== undefined) out.foreign(c.foreignRead, r)
  }
  let sound = true
  const w = c.write
  if (w !== undefined) {
    if (!sameUnit(w, r)) {
      if (!known(k.order, w.completion)) out.race(w, r, c, k)
      else if (!seen(w, r.proxy, k, options.rules.maxGenerations)) {
        const shown = r.rw === 'w' && !options.rules.noWriteWriteException && landed(c, w, r.proxy)
        if (!shown) {
          sound = false
          out.invisible(w, r, k)
        }
      }
    }
  } else if (r.rw === 'r' && !c.written) {
    if (!c.early.some((x) => x.stamp.agent === r.stamp.agent && x.stamp.site === r.stamp.site))
      c.early.push(r)
    out.early(r)
  }
  const record = sound ? r : unsound(r)
  if (r.rw === 'r') {
    remember(c, record)
    return
  }
  if (c.early.length > 0) {
    // a read of nothing that this write should have come before: the race says it, with both sides
    const apart = (x: AccessRecord): boolean => !sameUnit(x, r) && !known(k.order, x.completion)
    for (const x of c.early) if (apart(x) && !c.reads.includes(x)) out.race(x, r, c, k)
    c.early = c.early.filter((x) => !apart(x))
  }
  for (const x of c.reads) {
    if (sameUnit(x, r)) continue
    if (!known(k.order, x.completion)) out.race(x, r, c, k)
    else if (
      options.strictProxies &&
      x.proxy === 'generic' &&
      x.unit === 'agent' &&
      r.proxy === 'async' &&
      x.fence !== 'registers' &&
      k.async.counters[fencedClock(x)]! < x.completion.at
    )
      out.unfencedRead(x, r, k)
  }
  c.before = c.write
  c.readersBefore = readersOf(c)
  c.write = record
  c.reads = []
  c.limit = 12
  c.written = true
}

/** At the end of its cluster: reads that found nothing, and that no later write explains. */
export const settle = (c: Cell, cluster: number, out: Conflicts): void => {
  if (c.cluster !== cluster) return
  c.early.forEach(out.nothingThere)
  c.early = []
}

/**
 * A dealloc of the bytes: ordered like a write, by order alone. A tensor-memory load of an agent of which a later event
 * is known counts as done (its registers were needed), unless `strict`; `note` is then told.
 */
export const judgeDealloc = (
  c: Cell,
  r: AccessRecord,
  k: Knowledge,
  cluster: number,
  programClock: (agent: number) => number,
  strict: boolean,
  out: Conflicts,
  note: (load: AccessRecord, dealloc: AccessRecord) => void,
): void => {
  if (c.cluster !== cluster) return
  const one = (x: AccessRecord): void => {
    if (known(k.order, x.completion)) return
    if (!strict && x.unit === 'tcgen05Ld' && k.order[programClock(x.stamp.agent)]! > x.stamp.at) note(x, r)
    else out.race(x, r, c, k)
  }
  if (c.write !== undefined) one(c.write)
  c.reads.forEach(one)
}
