/**
 * What an elected lane does with data: would another lane have done it with others?
 *
 * Where data are not brought, two runs that elect different lanes hold the same unknown bytes, whichever lane they come from. So it is asked of the text which instructions
 * may make a difference, and a verdict leaves these out (`verdict/who-runs.ts`).
 *
 *     ld.global %r4, [x + 4 * tid]      each lane has data of its own
 *     elect.sync _|%p1, -1;
 *     @%p1 st.global [y], %r4           told: which of them y holds is the election's
 *     @%p1 ld.global %r5, [x];
 *     @%p1 st.global [y], %r5           not told: any lane would have stored that
 *
 * Lanes have data of their own in what is loaded where they differ in the address, in what a product or a load of a matrix brings, and in what is computed from such. What an atomic
 * finds is data where data were joined to it: else it counts.
 *
 * Told is a store of such data under an election, a shuffle of them from the lane that is elected, and a sum of what an election has left of them.
 *
 * Law 1. Without an election nothing is told.
 */
import { remembered } from '../../remembered.js'
import { postDominators, type Graph } from './flow.js'
import { successorsOf } from './live.js'
import {
  ofPredicate,
  type Given,
  type Instruction,
  type Operation,
  type Place,
  type WarpProgram,
} from './program.js'
import { usesOf } from './uses.js'

const isOfLane = ({ _tag }: Given): boolean => _tag === 'thread' || _tag === 'lane' || _tag === 'lanes'

/** One value for all lanes that do it together. */
const isOfAll = (o: Operation, differing: ReadonlySet<Place>): boolean =>
  o._tag === 'vote' ||
  o._tag === 'reduce' ||
  o._tag === 'elect' ||
  (o._tag === 'shuffle' && o.mode === 'idx' && !differing.has(o.lane))

/** Instructions on some way of a branch, up to where all of its ways meet. */
const waysOf = (g: Graph, joins: ReadonlyArray<number | null>, branch: number): ReadonlySet<number> => {
  const out = new Set<number>()
  const stack = [...g[branch]!]
  while (stack.length > 0) {
    const k = stack.pop()!
    if (k === joins[branch] || out.has(k)) continue
    out.add(k)
    for (const to of g[k]!) stack.push(to)
  }
  return out
}

const guardOf = ({ guard }: Instruction): ReadonlyArray<Place> =>
  guard === null ? [] : [ofPredicate(guard.predicate)]

/** Sites at which data of one lane, which an election has chosen, go on. */
export const electedData: (p: WarpProgram) => ReadonlyArray<number> = remembered(({ code, givens }) => {
  if (!code.some(({ operation: o }) => o._tag === 'elect')) return []
  const g: Graph = code.map((one, k) => successorsOf(one, k).filter((to) => to < code.length))
  const joins = postDominators(g)
  const elected = new Set<Place>()
  const differing = new Set<Place>(givens.flatMap(({ row, given }) => (isOfLane(given) ? [row] : [])))
  const data = new Set<Place>()
  const meets = (places: ReadonlyArray<Place>, some: ReadonlySet<Place>): boolean =>
    places.some((place) => some.has(place))
  /** Under a branch or a guard that asks for one of these places. */
  const under = (some: ReadonlySet<Place>): ReadonlySet<number> =>
    new Set(
      code.flatMap((one, k) =>
        !meets(guardOf(one), some) ? [] : one.operation._tag === 'branch' ? [...waysOf(g, joins, k)] : [k],
      ),
    )
  let parted: ReadonlySet<number> = new Set()
  for (let size = -1; size !== elected.size + differing.size + data.size;) {
    size = elected.size + differing.size + data.size
    parted = under(new Set([...differing].filter((place) => !elected.has(place))))
    code.forEach(({ operation: o }, k) => {
      const { reads, writes, computes, flight } = usesOf(o)
      const brings = flight === null ? writes : [...writes, ...flight.brings]
      const isOwn = computes ? o._tag === 'multiply' || o._tag === 'match' : o._tag !== 'load'
      const differs = isOwn || meets(reads, differing) || parted.has(k)
      const isData = (!computes && o._tag !== 'atomic') || o._tag === 'multiply' || meets(reads, data)
      for (const place of brings) {
        if (o._tag === 'elect' || (computes && meets(reads, elected))) elected.add(place)
        if (differs && !isOfAll(o, differing)) differing.add(place)
        if (isData) data.add(place)
      }
    })
  }
  const own = new Set([...data].filter((place) => differing.has(place)))
  const chosen = under(elected)
  const isExchanged = (o: Operation): boolean =>
    o._tag === 'shuffle'
      ? elected.has(o.lane) && own.has(o.value)
      : o._tag === 'reduce' && elected.has(o.value) && own.has(o.value)
  return [
    ...new Set(
      code.flatMap(({ operation: o, site }, k) => {
        const { kept, computes } = usesOf(o)
        const isLocal = o._tag === 'store' && o.into.space === 'local'
        const tells = isExchanged(o) || (!computes && !isLocal && chosen.has(k) && meets(kept, own))
        return tells ? [site] : []
      }),
    ),
  ]
})
