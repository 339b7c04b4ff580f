/**
 * Warpgroups: four warps that make one product.
 *
 * A warpgroup is four warps that follow one another, the first at a multiple of four. Each of them issues its own part of a product (16 of the 64 rows) and
 * goes on; what they issue, and where they commit, must be alike, warp by warp:
 *
 *     warp 0   m64n128k16 (a, b)   m64n128k16 (a + 2, b + 2)   commit
 *     warp 1   m64n128k16 (a, b)   m64n128k16 (a + 2, b + 4)                 not alike: the second
 *     warp 2   m64n128k16 (a, b)                                             behind, as yet
 *
 * The first to come says what the others have to say. What all four have said is forgotten.
 *
 * Laws
 * 1. Whether the four are alike does not depend on which of them goes first.
 * 2. `said` has as many entries as the first of them is ahead of the last.
 *
 * Source: PTX ISA, wgmma.mma_async: all threads in the warpgroup must execute the same instruction; matrix-desc must be the same for all warps.
 */
import type { Asked, Machine } from '../machine/state.js'
import { withAsked } from '../machine/state.js'
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import type { World } from '../machine/world.js'

/** Warps of a warpgroup. */
export const warpsOfGroup = 4

const fresh = (first: number): Asked => ({ first, from: 0, said: [], counts: [0, 0, 0, 0] })

const nameOf = (world: World, agent: number): string => world.header.agents[agent]!.name

/** The agent says its next word; a fault if another warp of its warpgroup has said another one there. */
export const saying = (
  world: World,
  m: Machine,
  agent: number,
  first: number,
  says: string,
): Machine | FaultValue => {
  const at = m.asked.findIndex((a) => a.first === first)
  const before = m.asked[at] ?? fresh(first)
  const own = agent - first
  const place = before.counts[own]! - before.from
  const there = before.said[place]
  if (there !== undefined && there.says !== says)
    return V.fault(
      'wgmma.warpgroup',
      `the warps of a warpgroup must do the same: ${nameOf(world, agent)} has ${says} where ${nameOf(world, there.agent)} has ${there.says}`,
    )
  const counts = before.counts.map((n, warp) => (warp === own ? n + 1 : n))
  const said = there === undefined ? [...before.said, { agent, says }] : before.said
  const all = counts.reduce((least, n) => Math.min(least, n))
  const after: Asked = { first, from: all, said: said.slice(all - before.from), counts }
  return withAsked(m, at < 0 ? [...m.asked, after] : m.asked.map((a, i) => (i === at ? after : a)))
}
