/**
 * Two judgements of one log: the detector's and the model's, and where they differ.
 *
 * The detector forgets what a later access says as well (an earlier read of the same agent, unit and proxy; all but the last wait of an agent), and files a finding
 * once per pair of sites. So what it says must be said by the model event for event; and what the model says must be said by the detector of that pair, or of one
 * with the same second side whose first side is of the same agent and unit, and later; a race there is graver than what an earlier one is not told of.
 */
import type { AccessRecord } from '../../../src/semantics/judging/detector/access-record.js'
import type { Conflicts } from '../../../src/semantics/judging/detector/cell.js'
import { conclude } from '../../../src/semantics/judging/detector/end.js'
import { observe } from '../../../src/semantics/judging/detector/detector.js'
import { defaults, type Options } from '../../../src/semantics/judging/detector/index.js'
import { start, type Detector } from '../../../src/semantics/judging/detector/state.js'
import type { ConditionName, Finding, Judgement, Operation } from '../../../src/semantics/judging/finding.js'
import {
  conclusion,
  observeAll,
  type Fold,
  type Header,
  type LogEvent,
  type Stamp,
} from '../../../src/semantics/log/events.js'
import { model, type Modelled } from '../../../src/semantics/model/index.js'
import type { Touch } from '../../../src/semantics/model/reading.js'

/** One side of a pair. */
interface Side {
  readonly agent: number
  readonly at: number
  readonly site: number
  readonly operation: number
  readonly rw: string
  readonly plane: number
  readonly unit: string
  readonly proxy: string
}
interface Said {
  readonly kind: string
  readonly a: Side
  readonly b: Side
}

const ofRecord = (r: AccessRecord): Side => ({
  agent: r.stamp.agent,
  at: r.stamp.at,
  site: r.stamp.site,
  operation: r.operation,
  rw: r.rw,
  plane: r.footprint.plane,
  unit: r.unit,
  proxy: r.proxy,
})
const ofTouch = ({ access, operation }: Touch): Side => ({
  agent: access.stamp.agent,
  at: access.stamp.at,
  site: access.stamp.site,
  operation: operation?.issue.operation ?? -1,
  rw: access.rw,
  plane: access.footprint.plane,
  unit: operation?.issue.unit ?? 'agent',
  proxy: access.proxy,
})
const showSide = (s: Side): string =>
  `${String(s.agent)}.${String(s.at)}${s.operation < 0 ? '' : `#${String(s.operation)}`} ${s.rw} ${s.unit} plane ${String(s.plane)}`
const show = (s: Said): string => `${s.kind}: ${showSide(s.a)} / ${showSide(s.b)}`

export interface Detected {
  readonly judgement: Judgement
  readonly pairs: ReadonlyArray<Said>
  readonly nothing: ReadonlyArray<Side>
  /** what the verdict rests on */
  readonly leaning: ReadonlyArray<Said>
}

interface Recording {
  readonly detector: Detector
  readonly pairs: Said[]
  readonly nothing: Side[]
  readonly leaning: Said[]
}

/** The detector, that also keeps what it says pair by pair, before findings of the same sites become one. */
export const recording = (options: Options): Fold<Recording, Detected> => {
  const ended =
    (whole: boolean) =>
    ({ detector, pairs, nothing, leaning }: Recording): Detected => ({
      judgement: conclude(detector, whole),
      pairs,
      nothing,
      leaning,
    })
  return {
    init: (header) => {
      const pairs: Said[] = []
      const nothing: Side[] = []
      const leaning: Said[] = []
      const plain = start(header, options)
      const tell = plain.conflicts
      const say = (to: Said[], kind: string, a: AccessRecord, b: AccessRecord): void => {
        to.push({ kind, a: ofRecord(a), b: ofRecord(b) })
      }
      const conflicts: Conflicts = {
        race: (a, b, c, k) => {
          say(pairs, 'race', a, b)
          tell.race(a, b, c, k)
        },
        twice: tell.twice,
        invisible: (a, b, k) => {
          say(pairs, 'visibility', a, b)
          tell.invisible(a, b, k)
        },
        readFence: tell.readFence,
        unfencedRead: (a, b, k) => {
          say(pairs, 'unfenced', a, b)
          tell.unfencedRead(a, b, k)
        },
        anyOrder: (a, b, k) => {
          say(pairs, 'anyOrder', a, b)
          tell.anyOrder(a, b, k)
        },
        decided: (a, b) => {
          tell.decided(a, b)
        },
        shown: tell.shown,
        mapped: tell.mapped,
        foreign: (a, b) => {
          say(pairs, 'foreign', a, b)
          tell.foreign(a, b)
        },
        restsOn: (what, a, b) => {
          say(leaning, what, a, b)
          tell.restsOn(what, a, b)
        },
        early: tell.early,
        nothingThere: (r) => {
          nothing.push(ofRecord(r))
          tell.nothingThere(r)
        },
      }
      return { detector: { ...plain, conflicts }, pairs, nothing, leaning }
    },
    observe: (state, e) => {
      observe(state.detector, e)
      return state
    },
    finish: ended(true),
    stopped: ended(false),
  }
}

const detected = (
  header: Header,
  log: ReadonlyArray<LogEvent>,
  options: Options,
  whole: boolean,
): Detected => {
  const fold = recording(options)
  return conclusion(fold, observeAll(fold, fold.init(header), log), whole)
}

const conditions: ReadonlyArray<ConditionName> = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6']
const ends = ['U1', 'U2', 'K1', 'K2', 'K4', 'O1', 'B2', 'B4', 'B7', 'B8', 'B9', 'P6', 'T1', 'T2', 'T4', 'T5']

/** A use or a dealloc that is not ordered after the allocation; or a load that is not waited for. */
const isOfAllocation = (f: Finding): boolean =>
  (f.id === 'D4' && f.a.does === 'allocates') || (f.id === 'M3' && f.b?.does === 'deallocates')

const offender = (f: Finding): Operation =>
  ['U1', 'U2', 'K1', 'K4', 'M3', 'T5'].includes(f.id) ? f.a : (f.b ?? f.a)

/** An end, with the agent that it is about; some are about a barrier, a tensor or a pair of CTAs. */
const named = (id: string, agent: number): string =>
  ['O1', 'U1', 'T4', 'T5'].includes(id) ? id : `${id} ${String(agent)}`

/** Where the two differ, in words; nothing if they agree. */
export const differences = (
  header: Header,
  log: ReadonlyArray<LogEvent>,
  options: Partial<Options> = {},
  leftOut: ReadonlyArray<string> = [],
  whole: boolean = true,
): ReadonlyArray<string> => {
  const all = { ...defaults, ...options }
  return differ(detected(header, log, all, whole), model(header, log, all, leftOut, whole))
}

/** One set of pairs held against another; `graver`: what the detector says of them that is more. */
const compared = (
  theirs: ReadonlyArray<Said>,
  mine: ReadonlyArray<Said>,
  graver: ReadonlyArray<Said> = [],
): ReadonlyArray<string> => {
  const [a, b] = [new Set(theirs.map(show)), new Set(mine.map(show))]
  const covers = (d: Said, s: Said): boolean =>
    (d.kind === s.kind || d.kind === 'race') &&
    showSide(d.b) === showSide(s.b) &&
    (s.kind === 'foreign' ||
      (d.a.agent === s.a.agent && d.a.site === s.a.site) ||
      (d.a.agent === s.a.agent && d.a.unit === s.a.unit && d.a.proxy === s.a.proxy && d.a.at >= s.a.at))
  return [
    ...[...a].filter((d) => !b.has(d)).map((d) => `the detector alone: ${d}`),
    ...mine
      .filter(
        (s) =>
          !a.has(show(s)) &&
          !theirs.some((d) => covers(d, s)) &&
          !graver.some((d) => covers({ kind: s.kind, a: d.a, b: d.b }, s)),
      )
      .map((s) => `the model alone: ${show(s)}`),
  ]
}

/** Which other values the reads may take, and the stores that may be the later ones, said by both. */
const otherwiseDiffer = ({ otherwise: o }: Judgement, m: Modelled): ReadonlyArray<string> => {
  const mine = m.clusters.flatMap((s) => s.otherwise)
  const stampOf = (s: { readonly agent: number; readonly at: number }): string =>
    `${String(s.agent)}.${String(s.at)}`
  const read = (by: string, plane: number, byte: number, back: number): string =>
    `${by} of plane ${String(plane)}+${String(byte)} takes ${String(back)} before the last`
  const theirReads = new Set(
    o.reads.flat().flatMap((r) => (r.back < 0 ? [] : [read(stampOf(r.read), r.plane, r.byte, r.back)])),
  )
  const myReads = new Set(
    mine.flatMap((r) =>
      r._tag === 'older'
        ? [read(stampOf(r.read.access.stamp), r.read.access.footprint.plane, r.byte, r.back)]
        : [],
    ),
  )
  const theirStores = o.stores.flat()
  const myStores = mine.flatMap((r) =>
    r._tag === 'order' ? [{ first: r.first.access.stamp, second: r.second.access.stamp }] : [],
  )
  const isOf = (
    a: { readonly first: Stamp; readonly second: Stamp },
    b: { readonly first: Stamp; readonly second: Stamp },
  ): boolean =>
    stampOf(a.second) === stampOf(b.second) && a.first.agent === b.first.agent && a.first.at <= b.first.at
  const stale = mine.some((r) => r._tag === 'stale')
  const both = (s: { readonly first: Stamp; readonly second: Stamp }): string =>
    `${stampOf(s.first)} may be later than ${stampOf(s.second)}`
  return [
    ...[...theirReads].filter((r) => !myReads.has(r)).map((r) => `the detector alone: ${r}`),
    ...[...myReads].filter((r) => !theirReads.has(r)).map((r) => `the model alone: ${r}`),
    ...theirStores
      .filter((t) => !myStores.some((s) => isOf(s, t) && s.first.at === t.first.at))
      .map((t) => `the detector alone: ${both(t)}`),
    ...myStores.filter((s) => !theirStores.some((t) => isOf(s, t))).map((s) => `the model alone: ${both(s)}`),
    ...((o.stale !== null) === stale ? [] : [`stale: ${String(stale)} in the model`]),
  ]
}

export const differ = (
  { judgement, pairs, nothing, leaning }: Detected,
  m: Modelled,
): ReadonlyArray<string> => {
  const said: ReadonlyArray<Said> = m.clusters.flatMap((s) =>
    s.found.pairs.map((p) => ({ kind: p.kind, a: ofTouch(p.a), b: ofTouch(p.b) })),
  )
  const leans: ReadonlyArray<Said> = m.clusters.flatMap((s) => [
    ...s.found.leaning.map((p) => ({ kind: p.on, a: ofTouch(p.a), b: ofTouch(p.b) })),
    ...s.misused.leaning.map(({ a, dealloc: { stamp, footprint } }) => ({
      kind: 'relaxed',
      a: ofTouch(a),
      b: {
        agent: stamp.agent,
        at: stamp.at,
        site: stamp.site,
        operation: -1,
        rw: 'w',
        plane: footprint.plane,
        unit: 'agent',
        proxy: 'tensor',
      },
    })),
  ])
  const out: string[] = [...compared(pairs, said), ...compared(leaning, leans, pairs)]
  const empty = (s: Side): string => `${String(s.agent)} site ${String(s.site)} plane ${String(s.plane)}`
  const [a, b] = [
    new Set(nothing.map(empty)),
    new Set(m.clusters.flatMap((s) => s.found.nothing.map((t) => empty(ofTouch(t))))),
  ]
  for (const x of a) if (!b.has(x)) out.push(`the detector alone: nothing there, ${x}`)
  for (const x of b) if (!a.has(x)) out.push(`the model alone: nothing there, ${x}`)
  for (const c of conditions)
    if (judgement.conditions[c].holds === m.fails(c))
      out.push(
        `${c} ${m.fails(c) ? 'fails' : 'holds'} in the model alone${judgement.conditions[c].holds ? '' : `: ${judgement.conditions[c].failures.join('; ')}`}${m.fails(c) ? `: ${JSON.stringify(m.clusters.flatMap((s) => s.failing.filter((f) => f.condition === c)))} ${JSON.stringify(m.clusters.flatMap((s) => s.left))}` : ''}`,
      )
  const stuck = judgement.deadlock.length > 0
  if (stuck !== m.clusters.some((s) => s.stuck)) out.push(`deadlock: ${String(stuck)} in the detector`)
  const findings = [...judgement.findings, ...judgement.notes].filter(
    (f) =>
      (ends.includes(f.id) || isOfAllocation(f)) &&
      !(stuck && (f.a.does === 'waits' || f.b?.does === 'waits')) &&
      !(stuck && f.id === 'B4'),
  )
  const theirEnds = new Set(
    findings.map((f) => named(f.id === 'M3' && f.severity === 'L' ? 'M3 noted' : f.id, offender(f).index)),
  )
  const myEnds = new Set([
    ...m.clusters.flatMap((s) =>
      s.left.filter((l) => !(stuck && l.id === 'B4')).map((l) => named(l.id, l.stamp?.agent ?? -1)),
    ),
    ...m.clusters.flatMap((s) => s.misused.misuses.map((x) => named(x.id, x.stamp.agent))),
    ...(m.unwritten.length > 0 ? ['O1'] : []),
  ])
  out.push(...otherwiseDiffer(judgement, m))
  for (const x of theirEnds) if (!myEnds.has(x)) out.push(`the detector alone: ${x}`)
  for (const x of myEnds) if (!theirEnds.has(x)) out.push(`the model alone: ${x}`)
  return out
}
