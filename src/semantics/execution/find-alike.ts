/**
 * Do fellows find what the cluster finds that runs?
 *
 * A fellow is taken to do what its cluster does as long as its effects are the same. What it loads it is not asked: where it reads at another place, or what another cluster has
 * stored, data that steer may send it another way (a table of tiles, a length of a row). So code that runs one cluster for others asks this afterwards, about all that was read.
 *
 * | a load of a fellow                                    | finds what the cluster finds                                   |
 * |-------------------------------------------------------|----------------------------------------------------------------|
 * | at the same place, of what no cluster stores          | yes                                                            |
 * | at another place                                      | if nothing of the plane is known, or all of its bytes are one  |
 * | of a plane into which fellows store something else    | no                                                             |
 *
 * Law 1. Where it says yes, a run of the fellow has the events of the cluster's run, moved in global memory.
 */
import type { Footprint } from '../log/events.js'
import type { Fellowship } from '../machine/fellowship.js'
import * as Plane from '../machine/plane.js'
import type { Launched } from './launch.js'

/** A footprint of global memory that is touched. */
interface Found {
  readonly footprint: Pick<Footprint, 'id' | 'plane'>
  readonly reads: boolean
}

/** Is nothing known of the plane, or does it hold one byte everywhere? */
const isOneToRead = ({ machine }: Launched): ((plane: number) => boolean) => {
  const known = new Map<number, boolean>()
  return (plane) => {
    const before = known.get(plane)
    if (before !== undefined) return before
    const isOne = Plane.isOfOneKind(machine.planes[plane]!)
    known.set(plane, isOne)
    return isOne
  }
}

/** Does each of these fellows find what the cluster finds, wherever it reads? Else it may go another way, and nothing that is known of it holds. */
export const findAlike = (
  launched: Launched,
  found: ReadonlyArray<Found>,
  { moves, ways, unlike }: Fellowship,
  fellows: ReadonlyArray<number>,
): boolean => {
  const isOne = isOneToRead(launched)
  const isMoved = (way: number): boolean => fellows.some((fellow) => ways[way]![fellow] !== 0)
  return found.every(
    ({ reads, footprint: { id, plane } }) =>
      !reads || (!unlike.has(plane) && (!(moves.get(id) ?? []).some(isMoved) || isOne(plane))),
  )
}
