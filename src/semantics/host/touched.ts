/**
 * What a launch has done to the memory that it shares with other launches: a fold over its log.
 *
 * Accesses of global memory are kept by the statement that makes them: which bytes, whether it reads or writes, whether it is atomic for all of the device, and whether it
 * is *early*: not after any wait for the grid before (`griddepcontrol.wait`). In place of such a wait the program of the run has a fence at the same site (`following`), so
 * the log says when it happens, and the clocks of the detector say what comes after it.
 *
 *     st.global [x]; griddepcontrol.wait; ld.global [y]        x: written early; y: read
 *
 * A read of a byte that nothing has ever written is kept apart, with the first statement that makes it.
 *
 * Laws
 * 1. The bytes of a statement are exactly those of its accesses.
 * 2. In a program without waits every access is early; in a run that is not asked about waits, none is.
 *
 * Source: PTX ISA, griddepcontrol, memory consistency model (scopes).
 */
import { bitsOf } from '../../numerics/dtype.js'
import { detector, defaults, knows, type Detector, type Happened } from '../judging/detector/index.js'
import { spansOf, type Access, type Fold, type Header, type LogEvent } from '../log/events.js'
import { reachOf } from '../log/reach.js'
import type { Instruction, WarpProgram } from '../warps/program.js'
import { united } from './spans.js'

// ---------------------------------------------------------------- model

/** Bytes of a plane that a statement touches. */
export interface Touch {
  readonly plane: number
  readonly site: number
  readonly rw: 'r' | 'w'
  /** bits of its elements, where each is atomic for the whole device; 0: it is not */
  readonly atomic: number
  /** nothing has told those who make it that the grid before is over */
  readonly early: boolean
  /** start, end, start, end ..., ascending and disjoint */
  readonly spans: Int32Array
}

/** A read of bytes that nothing has written. */
export interface Unwritten {
  readonly plane: number
  readonly site: number
  readonly start: number
  readonly end: number
}

export interface Touched {
  readonly touches: ReadonlyArray<Touch>
  readonly unwritten: ReadonlyArray<Unwritten>
  /** some thread has waited for the grid before */
  readonly waited: boolean
}

export interface Asking {
  /** sites of the waits for the grid before; null: it is not asked, because the launch depends on none */
  readonly waits: ReadonlySet<number> | null
  /** by plane: a byte for each, 1 where it was written. It is kept up to date in place; null: all were */
  readonly written: ReadonlyArray<Uint8Array | null>
}

interface Gathering {
  readonly key: Omit<Touch, 'spans'>
  readonly known: Set<number>
  list: number[]
  compactAt: number
}

interface State {
  readonly planes: number
  readonly all: Map<string, Gathering>
  readonly unwritten: Map<string, Unwritten>
  detector: Detector | null
  waits: Happened[]
  waited: boolean
}

// ---------------------------------------------------------------- programs

/** The program, with a fence in place of each wait for the grid before. */
export const following = (p: WarpProgram): WarpProgram =>
  sitesOfWaits(p).size === 0
    ? p
    : Object.assign({}, p, {
        code: p.code.map((i): Instruction =>
          isWait(i)
            ? {
                site: i.site,
                guard: i.guard,
                operation: { _tag: 'fence', kind: 'memory', scope: 'global', half: 'acquire' },
              }
            : i,
        ),
      })

const isWait = ({ operation: o }: Instruction): boolean => o._tag === 'gridDependency' && o.action === 'wait'

export const sitesOfWaits = (p: WarpProgram): ReadonlySet<number> =>
  new Set(p.code.flatMap((i) => (isWait(i) ? [i.site] : [])))

/** May grids that depend on this one begin before it is over? */
export const triggers = (p: WarpProgram): boolean =>
  p.code.some(({ operation: o }) => o._tag === 'gridDependency' && o.action === 'launchDependents')

// ---------------------------------------------------------------- the fold

const clocks = detector(defaults)

const widthIfAtomic = ({ atomic, scope, footprint, words = 1 }: Access): number =>
  atomic && reachOf(scope) === 3 ? words * bitsOf(footprint.dtype) : 0

const startOver = (s: State, header: Header): State => {
  s.detector = clocks.init(header)
  return s
}

const access = (s: State, a: Asking, e: Access): void => {
  const { plane } = e.footprint
  if (plane >= s.planes) return
  const early = a.waits !== null && (s.detector === null || !knows(s.detector, e, s.waits))
  const spans = spansOf(e.footprint)
  const there = a.written[plane] ?? null
  if (there !== null)
    for (let i = 0; i < spans.length; i += 2) {
      const [start, end] = [spans[i]!, spans[i + 1]!]
      if (e.rw === 'w') there.fill(1, start, end)
      else if (e.idle !== true) readOf(s, e, there, start, end)
    }
  const atomic = widthIfAtomic(e)
  const { site } = e.stamp
  const key = `${String(plane)} ${String(site)} ${e.rw} ${String(atomic)} ${String(early)}`
  let g = s.all.get(key)
  if (g === undefined) {
    g = { key: { plane, site, rw: e.rw, atomic, early }, known: new Set(), list: [], compactAt: 4096 }
    s.all.set(key, g)
  }
  if (g.known.has(e.footprint.id)) return
  g.known.add(e.footprint.id)
  for (const x of spans) g.list.push(x)
  if (g.list.length > g.compactAt) {
    g.list = [...united(g.list)]
    g.compactAt = Math.max(4096, 2 * g.list.length)
  }
}

const readOf = (s: State, e: Access, there: Uint8Array, start: number, end: number): void => {
  for (let b = start; b < end; b++)
    if (there[b] === 0) {
      const key = `${String(e.footprint.plane)} ${String(e.stamp.site)}`
      if (!s.unwritten.has(key)) {
        let to = b
        while (to < end && there[to] === 0) to++
        s.unwritten.set(key, { plane: e.footprint.plane, site: e.stamp.site, start: b, end: to })
      }
      return
    }
}

/** What a launch touches. */
export const touched = (a: Asking): Fold<State, Touched> => {
  const listens = a.waits !== null && a.waits.size > 0
  const observe = (s: State, e: LogEvent): State => {
    if (s.detector !== null) s.detector = clocks.observe(s.detector, e)
    if (e._tag === 'cluster') s.waits = []
    else if (e._tag === 'access') access(s, a, e)
    else if (listens && e._tag === 'fence' && a.waits.has(e.stamp.site)) {
      const { agent, at, lanes = -1 } = e.stamp
      s.waits.push({ agent, at, lanes })
      s.waited = true
    }
    return s
  }
  return {
    init: (header) => {
      const s: State = {
        planes: header.planes.filter(({ space }) => space === 'gmem').length,
        all: new Map(),
        unwritten: new Map(),
        detector: null,
        waits: [],
        waited: false,
      }
      return listens ? startOver(s, header) : s
    },
    observe,
    finish: ({ all, unwritten, waited }) => ({
      touches: [...all.values()].map(({ key, list }): Touch => ({
        plane: key.plane,
        site: key.site,
        rw: key.rw,
        atomic: key.atomic,
        early: key.early,
        spans: united(list),
      })),
      unwritten: [...unwritten.values()],
      waited,
    }),
  }
}

/**
 * The same by what an author wrote: instructions of one place are one statement, the first of them (a loop that is unrolled is still one line).
 *
 * Law: every byte that a memory gives up or takes is in it, as before.
 */
export const atPlaces = (
  { touches, unwritten, waited }: Touched,
  placeOf: (site: number) => string | undefined,
): Touched => {
  const first = new Map<string, number>()
  const siteOf = (site: number, does: string): number => {
    const place = placeOf(site)
    if (place === undefined) return site
    const known = first.get(`${does} ${place}`)
    if (known === undefined) first.set(`${does} ${place}`, site)
    return known ?? site
  }
  const all = new Map<string, Touch[]>()
  for (const { plane, site, rw, atomic, early, spans } of touches) {
    const at = siteOf(site, rw)
    const key = `${String(plane)} ${String(at)} ${rw} ${String(atomic)} ${String(early)}`
    all.set(key, [...(all.get(key) ?? []), { plane, site: at, rw, atomic, early, spans }])
  }
  const reads = new Map<string, Unwritten>()
  for (const { plane, site, start, end } of unwritten) {
    const at = siteOf(site, 'r')
    const key = `${String(plane)} ${String(at)}`
    if (!reads.has(key)) reads.set(key, { plane, site: at, start, end })
  }
  return {
    touches: [...all.values()].map((same): Touch => {
      const { plane, site, rw, atomic, early, spans } = same[0]!
      return {
        plane,
        site,
        rw,
        atomic,
        early,
        spans: same.length === 1 ? spans : united(same.flatMap((t) => [...t.spans])),
      }
    }),
    unwritten: [...reads.values()],
    waited,
  }
}
