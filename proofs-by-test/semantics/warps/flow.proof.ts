/** Flow against its definitions, which follow every way: post-dominators and natural loops of random graphs. */
import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import { loopsOf, postDominators, type Graph } from '../../../src/semantics/warps/flow.js'
import { prop } from '../../prop.js'
import { nightly } from '../../extent.js'

const graphs: fc.Arbitrary<Graph> = fc.integer({ min: 1, max: 12 }).chain((n) =>
  fc.array(fc.uniqueArray(fc.nat(n - 1), { maxLength: 3 }), {
    minLength: n,
    maxLength: n,
  }),
)

/** What is reached from a node on ways that do not enter `without`. */
const reached = (g: Graph, from: number, without: number): ReadonlySet<number> => {
  const seen = new Set<number>()
  const visit = (node: number): void => {
    if (node === without || seen.has(node)) return
    seen.add(node)
    g[node]!.forEach(visit)
  }
  visit(from)
  return seen
}
const nodes = (g: Graph): ReadonlyArray<number> => g.map((_, n) => n)
const ends = (g: Graph, from: number, without: number): boolean =>
  [...reached(g, from, without)].some((n) => g[n]!.length === 0)

describe('law 1', () => {
  prop([graphs], { numRuns: nightly ? 300 : 60 })(
    'a post-dominator is the first that every way to an end meets',
    (g) => {
      expect(postDominators(g)).toEqual(
        nodes(g).map((n) => {
          if (!ends(g, n, -1)) return null
          const all = nodes(g).filter((m) => m !== n && !ends(g, n, m))
          return all.find((m) => all.every((other) => other === m || !ends(g, m, other))) ?? null
        }),
      )
      return true
    },
  )
})

describe('law 2', () => {
  prop([graphs], { numRuns: nightly ? 300 : 60 })(
    'a loop is what comes back to its header without leaving through it',
    (g) => {
      const here = reached(g, 0, -1)
      // an edge back: every way from the root to its start goes through its end
      const back = [...here].flatMap((from) =>
        g[from]!.filter((to) => to === from || to === 0 || !reached(g, 0, to).has(from)).map((to) => ({
          from,
          to,
        })),
      )
      const headers = [...new Set(back.map(({ to }) => to))].sort((a, b) => a - b)
      const found = loopsOf(g, 0)
      expect(found.map(({ header, body }) => [header, [...body].sort((a, b) => a - b)])).toEqual(
        headers.map((header) => [
          header,
          nodes(g).filter(
            (n) =>
              n === header ||
              (here.has(n) && back.some(({ from, to }) => to === header && reached(g, n, header).has(from))),
          ),
        ]),
      )
      return found.every(({ body: a }, i) =>
        found.slice(i + 1).every(({ body: b }) => {
          const shared = [...a].filter((n) => b.has(n)).length
          return shared === 0 || shared === a.size || shared === b.size
        }),
      )
    },
  )
})
