/**
 * The relations of a log as data: which arrows there are, which of them are needed, and by which of them one event is known to another.
 *
 * `model.ts` answers yes or no; here stands why. Worked, of `T0: write x #0; arrive b #1` and `T1: wait b 0 #2; read x #3`:
 *
 *     needed     program: 0 enters 0, 0 -> 1, 2 -> 3    release: 1 -> 2    complete: phase 0 of b enters 2       (0 -> 3 would be no news to 3)
 *     chain      of 0 in (3, order): enters 0 by program, 0 -> 1 by program, 1 -> 2 by release, 2 -> 3 by program
 *
 * Laws
 * 1. The arrows that are needed have the same solution as all.
 * 2. None of them can go: without it some view of some event knows less.
 * 3. There is a chain iff the fact is known; each of its arrows begins where the one before it ends.
 */
import type { Drawn } from './clauses.js'
import { doneFact } from './order.js'
import type { Asked } from './race.js'
import type { Phase, Reading, Touch } from './reading.js'
import { common } from './bytes.js'
import { flows, solution, views, type Arrow, type View } from './views.js'
import { sees, window } from './visible.js'

// ---------------------------------------------------------------- arrows that are needed

const target = (a: Arrow): number => (a._tag === 'enters' ? a.at : a.to)
/** How far it comes; the completion of a phase comes from nowhere else. */
const far = (a: Arrow): number => (a._tag === 'flows' ? a.to - a.from : Math.max(0, a.at - a.fact))

/** What an arrow brings to one view of its event. */
interface Brought {
  readonly arrow: number
  readonly facts: bigint
}

/** The arrows without those that bring nothing new: of two that bring the same, the one that comes from farther goes. */
export const needed = (events: number, all: ReadonlyArray<Drawn>): ReadonlyArray<Drawn> => {
  const known = solution(
    events,
    all.map(({ arrow }) => arrow),
  )
  const places = new Map<string, Set<Brought>>()
  const brings = all.map(({ arrow: a }, k) =>
    (a._tag === 'enters'
      ? a.into.map((view) => [view, 1n << BigInt(a.fact)] as const)
      : a.by.map(([of, view]) => [view, known(a.from, of)] as const)
    ).map(([view, facts]) => {
      const key = `${String(target(a))} ${view}`
      const at = places.get(key) ?? new Set<Brought>()
      places.set(key, at)
      const brought: Brought = { arrow: k, facts }
      at.add(brought)
      return { at, brought }
    }),
  )
  const isNews = ({ at, brought }: (typeof brings)[number][number]): boolean => {
    let left = brought.facts
    for (const other of at) {
      if (left === 0n) return false
      if (other.arrow !== brought.arrow) left &= ~other.facts
    }
    return left !== 0n
  }
  const gone = new Set<number>()
  const farthest = [...all.keys()].sort((x, y) => far(all[y]!.arrow) - far(all[x]!.arrow) || y - x)
  for (const k of farthest) {
    if (brings[k]!.some(isNews)) continue
    gone.add(k)
    for (const { at, brought } of brings[k]!) at.delete(brought)
  }
  // a view of which nothing is known flows for nothing
  const bare = ({ clause, arrow: a }: Drawn): Drawn => ({
    clause,
    arrow:
      a._tag === 'enters'
        ? a
        : flows(
            a.from,
            a.to,
            a.by.filter(([of]) => known(a.from, of) !== 0n),
          ),
  })
  return all.filter((_, k) => !gone.has(k)).map(bare)
}

// ---------------------------------------------------------------- chains

/** The shortest way of a fact into a view of an event: places in a list of arrows; undefined if it is not known there. */
export type Chains = (fact: number, at: number, view: View) => ReadonlyArray<number> | undefined

export const chainsOf = (events: number, arrows: ReadonlyArray<Drawn>): Chains => {
  const known = solution(
    events,
    arrows.map(({ arrow }) => arrow),
  )
  const place = (at: number, view: View): number => at * views.length + views.indexOf(view)
  const into = new Map<number, Array<{ readonly arrow: number; readonly from: number; readonly of: View }>>()
  const enter = new Map<number, number[]>()
  arrows.forEach(({ arrow: a }, k) => {
    if (a._tag === 'enters')
      for (const view of a.into) {
        const p = place(a.at, view)
        enter.set(p, [...(enter.get(p) ?? []), k])
      }
    else
      for (const [of, view] of a.by) {
        const p = place(a.to, view)
        into.set(p, [...(into.get(p) ?? []), { arrow: k, from: a.from, of }])
      }
  })
  const has = (at: number, view: View, fact: number): boolean =>
    ((known(at, view) >> BigInt(fact)) & 1n) === 1n
  return (fact, at, view) => {
    if (fact < 0 || !has(at, view, fact)) return undefined
    // backwards, breadth first: where each place goes on to
    const next = new Map<number, { readonly arrow: number; readonly to: number }>()
    const queue: Array<{ readonly at: number; readonly view: View }> = [{ at, view }]
    const start = place(at, view)
    const seen = new Set([start])
    for (const here of queue) {
      const p = place(here.at, here.view)
      const first = enter.get(p)?.find((k) => {
        const { arrow } = arrows[k]!
        return arrow._tag === 'enters' && arrow.fact === fact
      })
      if (first !== undefined) {
        const chain = [first]
        for (let q = p; q !== start; q = next.get(q)!.to) chain.push(next.get(q)!.arrow)
        return chain
      }
      for (const { arrow, from, of } of into.get(p) ?? []) {
        const q = place(from, of)
        if (seen.has(q) || !has(from, of, fact)) continue
        seen.add(q)
        next.set(q, { arrow, to: p })
        queue.push({ at: from, view: of })
      }
    }
    return undefined
  }
}

// ---------------------------------------------------------------- accesses

/** Two accesses of two events of one cluster that share bytes, of which one writes. */
export interface Conflict {
  /** in the order of the log */
  readonly a: Touch
  readonly b: Touch
  readonly before: boolean
  /** of a write: whether it is found, and in which view that is asked; of a read undefined */
  readonly seen: boolean | undefined
  readonly window: View | undefined
}

export const conflicts = ({ r, knows, ordered }: Asked): ReadonlyArray<Conflict> =>
  r.touches.flatMap((b, k) =>
    r.touches.slice(0, k).flatMap((a): ReadonlyArray<Conflict> => {
      const writes = a.access.rw === 'w'
      if ((!writes && b.access.rw === 'r') || a.at === b.at) return []
      if (a.access.footprint.plane !== b.access.footprint.plane) return []
      if (common(a.bytes, b.bytes).length === 0) return []
      return [
        {
          a,
          b,
          before: ordered(a, b),
          seen: writes ? sees(r, knows, a, b) : undefined,
          window: writes ? window(r, a, b) : undefined,
        },
      ]
    }),
  )

/** What has to be known for an access to be done, as a fact and as the phase that it is, if it is one. */
export const doneBy = (
  r: Reading,
  t: Touch,
): { readonly fact: number; readonly phase: Phase | undefined } => {
  const fact = doneFact(t)
  return { fact, phase: phaseOf(r, fact) }
}

export const phaseOf = (r: Reading, fact: number): Phase | undefined =>
  fact < r.log.length ? undefined : r.histories.flatMap((h) => h.phases).find((p) => p.fact === fact)
