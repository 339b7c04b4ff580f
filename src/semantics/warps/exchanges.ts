/**
 * Exchanges: what lanes give to one another through registers, and the loads that it comes from.
 *
 *     ld.shared %r1, [m];   clz %r2, %r1;   shfl.sync %r3, %r4, %r2      the load of %r1 went into the shuffle
 *     @leader st.shared [m], 0                                          no lane is still to load: each has given what it loaded
 *
 * A shuffle orders no memory, so what one lane wrote another need not find behind it. But a lane cannot give what it does not have: a load whose value goes into an exchange
 * is over when the others have what they were given, and so comes before what they write afterwards.
 *
 * The answer is the text's: registers backwards from the operands, to a fixpoint, whatever the order in which they are written.
 *
 * Law 1. A load that is named has a path of registers to an operand of the exchange.
 *
 * Source: PTX ISA, shfl.sync, vote.sync, match.sync, redux.sync: the executing thread waits for the others of the mask.
 */
import { remembered } from '../../remembered.js'
import type { Operation, Place, WarpProgram } from './program.js'
import { usesOf } from './uses.js'

/** By exchange: the sites of the loads that go into it; none that has none. */
export type Exchanges = ReadonlyMap<Operation, ReadonlyArray<number>>

const isExchange = (o: Operation): boolean =>
  o._tag === 'shuffle' || o._tag === 'vote' || o._tag === 'match' || o._tag === 'reduce'

export const exchangesIn: (p: WarpProgram) => Exchanges = remembered(({ code }): Exchanges => {
  const writers = new Map<Place, number[]>()
  code.forEach(({ operation }, i) => {
    for (const place of usesOf(operation).writes) {
      const known = writers.get(place)
      if (known === undefined) writers.set(place, [i])
      else known.push(i)
    }
  })
  const lists = new Map<string, ReadonlyArray<number>>()
  const loadsOf = (o: Operation): ReadonlyArray<number> => {
    const seen = new Set<Place>(usesOf(o).reads)
    const sites = new Set<number>()
    for (const place of seen)
      for (const i of writers.get(place) ?? []) {
        const { operation, site } = code[i]!
        if (operation._tag === 'load' || operation._tag === 'loadMatrices') sites.add(site)
        else if (usesOf(operation).computes) for (const from of usesOf(operation).reads) seen.add(from)
      }
    const sorted = [...sites].sort((x, y) => x - y)
    // equal lists are one, so that an exchange that says nothing new is seen at once
    const key = sorted.join()
    const known = lists.get(key) ?? sorted
    lists.set(key, known)
    return known
  }
  return new Map(
    code.flatMap(({ operation }) => {
      const sites = isExchange(operation) ? loadsOf(operation) : []
      return sites.length === 0 ? [] : [[operation, sites] as const]
    }),
  )
})
