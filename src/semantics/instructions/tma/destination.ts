/**
 * Where a load delivers: into which CTAs, and whose barrier hears of it.
 *
 * Without a mask the data goes where the destination says, one CTA. With one it goes to the same place in every CTA of the mask. A load of
 * `ctaGroup` 1 signals the barrier of the CTA that it writes; one of `ctaGroup` 2 may signal that of the other CTA of the pair (ranks 2i
 * and 2i + 1): of destination and peer the one whose rank has the parity of the CTA that holds the barrier given.
 *
 * | ctaGroup | mask   | barrier given in | signals                                  |
 * |----------|--------|------------------|------------------------------------------|
 * | 1        | -      | 1 (writes 1)     | 1                                        |
 * | 1        | -      | 0 (writes 1)     | refused                                  |
 * | 1        | 0b1011 | 0                | 0, 1, 3: each its own                    |
 * | 2        | -      | 0 (writes 1)     | 0                                        |
 * | 2        | -      | 0 (writes 2)     | refused: not of the pair                 |
 * | 2        | 0b1011 | 0                | 0 (for 0), 0 (for 1), 2 (for 3)          |
 * | 2        | 0b1011 | 3                | 1 (for 0), 1 (for 1), 3 (for 3)          |
 *
 * So a leader's barrier hears of both halves and expects the bytes of both.
 *
 * Law 1. The table.
 *
 * Source: PTX ISA, cp.async.bulk.tensor, .multicast::cluster and .cta_group.
 */
import type { ExprNode } from '../../language/expression.js'
import { barrierOperand, intOperand, viewOperand } from '../../machine/effect.js'
import type { Environment } from '../../machine/environment.js'
import * as V from '../../machine/value.js'
import { isFault, type FaultValue } from '../../machine/value.js'
import { barrierIn, planeIn, rankOfBarrier, rankOfPlane, type World } from '../../machine/world.js'
import { startOf, type Start } from './box.js'

export interface Destination {
  readonly start: Start
  readonly barrier: number
}

const signalled = (group: 1 | 2, destination: number, holder: number): number =>
  group === 1 ? destination : destination - (destination % 2) + (holder % 2)

export const destinations = (
  o: Environment,
  destination: ExprNode,
  barrier: ExprNode,
  multicast: ExprNode | undefined,
  group: 1 | 2,
): ReadonlyArray<Destination> | FaultValue => {
  const v = viewOperand(o, 'destination', destination)
  if (isFault(v)) return v
  const b = barrierOperand(o, 'barrier', barrier)
  if (isFault(b)) return b
  const mask = multicast === undefined ? null : intOperand(o, 'multicast', multicast)
  if (mask !== null && typeof mask !== 'number') return mask
  return deliveries(o.world, startOf(v), b.first, mask, group)
}

/** The same of places that are known: by mask, or where the destination is. */
export const deliveries = (
  world: World,
  start: Start,
  barrier: number,
  mask: number | null,
  group: 1 | 2,
): ReadonlyArray<Destination> | FaultValue => {
  if (mask !== null && mask >>> world.ctas !== 0)
    return V.fault(
      'I2',
      `multicast: mask ${String(mask)} names a CTA outside of a cluster of ${String(world.ctas)}`,
    )
  if (group === 2 && world.ctas % 2 !== 0)
    return V.fault(
      'cta.pair',
      `ctaGroup: CTAs pair up in a cluster of an even number, found ${String(world.ctas)}`,
    )
  const into = rankOfPlane(world, start.plane)
  const holder = rankOfBarrier(world, barrier)
  const hears = signalled(group, into, holder)
  if (mask === null) {
    return hears === holder
      ? [{ start, barrier }]
      : V.fault(
          'A4',
          `barrier: a load into CTA ${String(into)} signals a barrier of ${group === 1 ? 'that CTA' : 'its pair'}, found one of CTA ${String(holder)}`,
        )
  }
  const out: Destination[] = []
  for (let rank = 0; rank < world.ctas; rank++) {
    if ((mask & (1 << rank)) === 0) continue
    // the same place in every CTA of the mask
    out.push({
      start: { plane: planeIn(world, start.plane, rank), at: start.at },
      barrier: barrierIn(world, barrier, signalled(group, rank, holder)),
    })
  }
  return out
}
