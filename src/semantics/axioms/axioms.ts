/**
 * The six axioms of the PTX memory consistency model (8.10), each a question to a candidate execution.
 *
 * | axiom             | PTX ISA | forbids                                                                                                     |
 * |-------------------|---------|-------------------------------------------------------------------------------------------------------------|
 * | `coherence`       | 8.10.1  | a write before an overlapping write in causality, but not in coherence                                      |
 * | `fence-sc`        | 8.10.2  | a `fence.sc` before another in causality, but after it in Fence-SC order                                    |
 * | `atomicity`       | 8.10.3  | a write, in coherence, between what an atomic operation reads and what it writes, if the two are morally strong |
 * | `no-thin-air`     | 8.10.4  | a value that depends on itself                                                                              |
 * | `sc-per-location` | 8.10.5  | a circle of program order and morally strong communication, of one location                                 |
 * | `causality`       | 8.10.6  | a read of what follows it in causality, or of a write that a causally earlier write has overwritten         |
 *
 * Where the manual leaves a word open
 * - `fence-sc`: since proxies came in (PTX 7.5), causality order relates memory operations alone. Fences are asked in base causality, as before.
 * - `sc-per-location` is the concatenation that the manual's "i.e." names; program order counts between morally strong accesses, which are of one proxy.
 * - `causality`: what an atomic operation reads is before a write only in proxy-preserved base causality, because observation order begins at what it writes. A model with
 *   two events for an atomic operation says the same.
 * - `coherence`: a write that is before itself in causality is before a write that it cannot precede.
 *
 * Laws
 * 1. Each axiom but `fence-sc` is needed: left out, a named test has another answer (`proofs-by-test/semantics/axioms`).
 * 2. `fence-sc` forbids executions, but no state. Where a Fence-SC order contradicts causality, the fences of the circle all precede each other in base causality; to order
 *    them as program order and the other synchronization do takes arrows away and adds none, so the same state stays allowed.
 */
import type { Axiom } from './axiom.js'
import { isWrite } from './events.js'
import { dependence, readsFromRelation, type Candidate } from './candidates.js'
import { cycle, has, isAcyclic, meet, pairs, path, relation, union, type Relation } from './relation.js'

/** What leads from one event of a contradiction to the next. */
export type ArrowKind =
  | 'program order'
  | 'reads from'
  | 'coherence'
  | 'reads before'
  | 'causality'
  | 'base causality'
  | 'Fence-SC order'
  | 'dependency'

/** One arrow of a contradiction. */
export interface Arrow {
  readonly from: number
  readonly to: number
  readonly is: ArrowKind
}

/** An axiom: its section, what it says, and how it is contradicted; nothing if it is not. */
export interface AxiomRow {
  readonly id: Axiom
  readonly section: string
  readonly says: string
  readonly contradicted: (c: Candidate) => ReadonlyArray<Arrow> | undefined
}

const arrow = (from: number, to: number, is: ArrowKind): Arrow => ({ from, to, is })

/** The first pair of events that a question has an answer for. */
const firstPair = (
  n: number,
  ask: (a: number, b: number) => ReadonlyArray<Arrow> | undefined,
): ReadonlyArray<Arrow> | undefined => {
  for (let a = 0; a < n; a++)
    for (let b = 0; b < n; b++) {
      const found = ask(a, b)
      if (found !== undefined) return found
    }
  return undefined
}

const coherence: AxiomRow = {
  id: 'coherence',
  section: '8.10.1',
  says: 'a write that precedes an overlapping write in causality order precedes it in coherence order',
  contradicted: ({ shape: { events, overlap }, causality: caused, coherence: co }) =>
    firstPair(events.length, (a, b) =>
      isWrite(events[a]!) &&
      isWrite(events[b]!) &&
      has(caused, a, b) &&
      (a === b || (has(overlap, a, b) && !has(co, a, b)))
        ? [arrow(a, b, 'causality'), ...(a === b ? [] : [arrow(b, a, 'coherence')])]
        : undefined,
    ),
}

const fenceSc: AxiomRow = {
  id: 'fence-sc',
  section: '8.10.2',
  says: 'Fence-SC order does not contradict causality order',
  contradicted: ({ shape: { events }, synchronizes: { fences }, baseCausality: base }) =>
    firstPair(events.length, (a, b) =>
      has(fences, b, a) && has(base, a, b)
        ? [arrow(a, b, 'base causality'), arrow(b, a, 'Fence-SC order')]
        : undefined,
    ),
}

const atomicity: AxiomRow = {
  id: 'atomicity',
  section: '8.10.3',
  says: 'no morally strong write comes between the read and the write of an atomic operation',
  contradicted: ({ shape: { events, strong }, coherence: co, readsBefore: before }) =>
    firstPair(events.length, (a, w) => {
      const { does } = events[a]!
      return does._tag === 'access' &&
        does.atomic &&
        does.writes !== undefined &&
        has(strong, a, w) &&
        has(before, a, w) &&
        has(co, w, a)
        ? [arrow(a, w, 'reads before'), arrow(w, a, 'coherence')]
        : undefined
    }),
}

const noThinAir: AxiomRow = {
  id: 'no-thin-air',
  section: '8.10.4',
  says: 'no value depends on itself through instructions and communication',
  contradicted: ({ shape, readsFrom }) => {
    const way = cycle(dependence(shape, readsFrom))
    return way?.slice(1).flatMap((r, k) => {
      const w = readsFrom[r]!
      const depends = w === way[k]! ? [] : [arrow(way[k]!, w, 'dependency')]
      return [...depends, arrow(w, r, 'reads from')]
    })
  },
}

/**
 * A shortest circle of arrows in which an atomic operation is what it reads, and after that what it writes: nothing comes back from its write to its read. As one event it
 * would be a circle wherever a write comes between the two, which is Atomicity's to forbid.
 */
const circleOfParts = (
  n: number,
  isAtomic: (event: number) => boolean,
  arrows: ReadonlyArray<Arrow>,
): ReadonlyArray<Arrow> | undefined => {
  // node e is an event, or what it reads; node e + n is what an atomic operation writes
  const written = (e: number): number => (isAtomic(e) ? e + n : e)
  const ends = ({ from, to, is }: Arrow): readonly [number, number] => {
    switch (is) {
      case 'reads from':
      case 'program order':
        return [written(from), to]
      case 'coherence':
        return [written(from), written(to)]
      case 'reads before':
        return [from, written(to)]
      case 'causality':
      case 'base causality':
      case 'Fence-SC order':
      case 'dependency':
        return [from, to]
    }
  }
  const edges = arrows.map((a) => ({ a, ends: ends(a) }))
  const next = (node: number): ReadonlyArray<{ readonly to: number; readonly by: Arrow | undefined }> => [
    ...edges.filter(({ ends: [from] }) => from === node).map(({ a, ends: [, to] }) => ({ to, by: a })),
    ...(node < n && isAtomic(node) ? [{ to: node + n, by: undefined }] : []),
  ]
  const from = (start: number): ReadonlyArray<Arrow> | undefined => {
    const ways = new Map<number, ReadonlyArray<Arrow>>([[start, []]])
    for (const [node, way] of ways)
      for (const { to, by } of next(node)) {
        const longer = by === undefined ? way : [...way, by]
        if (to === start) return longer
        if (!ways.has(to)) ways.set(to, longer)
      }
    return undefined
  }
  let best: ReadonlyArray<Arrow> | undefined
  for (let e = 0; e < 2 * n; e++) {
    const way = from(e)
    if (way !== undefined && (best === undefined || way.length < best.length)) best = way
  }
  return best
}

const scPerLocation: AxiomRow = {
  id: 'sc-per-location',
  section: '8.10.5',
  says: 'for each location, morally strong communication does not contradict program order',
  contradicted: ({
    shape: { events, overlap, strong, programOrder },
    readsFrom,
    coherence: co,
    readsBefore: before,
  }) => {
    const rf = readsFromRelation(readsFrom)
    const one = meet(strong, overlap)
    // most executions have no circle even where an atomic operation is one event
    if (isAcyclic(meet(one, union(programOrder, union(rf, union(co, before)))))) return undefined
    const arrows = [
      ...pairs(meet(one, rf)).map(([a, b]) => arrow(a, b, 'reads from')),
      ...pairs(meet(one, co)).map(([a, b]) => arrow(a, b, 'coherence')),
      ...pairs(meet(one, before)).map(([a, b]) => arrow(a, b, 'reads before')),
      ...pairs(meet(one, programOrder)).map(([a, b]) => arrow(a, b, 'program order')),
    ]
    const isAtomic = (e: number): boolean => {
      const { does } = events[e]!
      return does._tag === 'access' && does.atomic && does.writes !== undefined
    }
    return circleOfParts(events.length, isAtomic, arrows)
  },
}

const causality: AxiomRow = {
  id: 'causality',
  section: '8.10.6',
  says: 'communication order does not contradict causality order',
  contradicted: ({ shape: { events }, readsFrom, proxyPreserved, causality: caused, readsBefore: before }) =>
    firstPair(events.length, (a, b) => {
      if (!has(caused, a, b)) return undefined
      if (readsFrom[a] === b && has(proxyPreserved, a, b))
        return [arrow(a, b, 'causality'), arrow(b, a, 'reads from')]
      return has(before, b, a) ? [arrow(a, b, 'causality'), arrow(b, a, 'reads before')] : undefined
    }),
}

/** The axioms, in the manual's order. */
export const axioms: ReadonlyArray<AxiomRow> = [
  coherence,
  fenceSc,
  atomicity,
  noThinAir,
  scPerLocation,
  causality,
]

/** An axiom that a candidate contradicts, and how. */
export interface Contradiction {
  readonly axiom: Axiom
  readonly arrows: ReadonlyArray<Arrow>
}

/** Every axiom that a candidate contradicts. */
export const contradictions = (c: Candidate): ReadonlyArray<Contradiction> =>
  axioms.flatMap(({ id, contradicted }) => {
    const arrows = contradicted(c)
    return arrows === undefined ? [] : [{ axiom: id, arrows }]
  })

/** Whether no axiom of a set is contradicted. */
export const isAllowed = (c: Candidate, enforced: ReadonlySet<Axiom>): boolean =>
  axioms.every(({ id, contradicted }) => !enforced.has(id) || contradicted(c) === undefined)

/** A way in base causality, step by step: what makes each step. */
export type StepKind =
  'program order' | 'synchronizes' | 'Fence-SC order' | 'barrier' | 'start' | 'observation'

/** One step of a way in causality. */
export interface Step {
  readonly from: number
  readonly to: number
  readonly is: StepKind
}

const stepped = (
  way: ReadonlyArray<number> | undefined,
  kinds: ReadonlyArray<readonly [Relation, StepKind]>,
): ReadonlyArray<Step> | undefined =>
  way?.slice(1).map((to, k) => {
    const at = way[k]!
    return { from: at, to, is: kinds.find(([r]) => has(r, at, to))?.[1] ?? 'program order' }
  })

/** A shortest way that makes one event precede another in causality order, or in base causality order. */
export const stepsOf = (c: Candidate, a: number, b: number): ReadonlyArray<Step> => {
  const { shape, synchronizes: s, observation: observed, baseCausality: base } = c
  const n = shape.events.length
  const kinds: ReadonlyArray<readonly [Relation, StepKind]> = [
    [shape.programOrder, 'program order'],
    [s.patterns, 'synchronizes'],
    [s.fences, 'Fence-SC order'],
    [s.barriers, 'barrier'],
    [relation(n, (x, y) => shape.events[x]!.thread < 0 && shape.events[y]!.thread >= 0), 'start'],
  ]
  const one = kinds.reduce<Relation>(
    (all, [r]) => union(all, r),
    relation(n, () => false),
  )
  const inBase = (x: number): ReadonlyArray<Step> | undefined => stepped(path(one, x, b), kinds)
  if (has(base, a, b)) {
    const steps = inBase(a)
    if (steps !== undefined) return steps
  }
  for (let z = 0; z < n; z++)
    if (has(observed, a, z) && has(base, z, b)) {
      const steps = inBase(z)
      if (steps !== undefined) return [{ from: a, to: z, is: 'observation' }, ...steps]
    }
  return []
}
