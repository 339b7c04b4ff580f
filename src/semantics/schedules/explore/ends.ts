/**
 * Ends: what is left when a wave of clusters is over, as text.
 *
 * Two programs that do the same to their barriers end alike, whatever they did between. What is kept is what could still be asked: the phase
 * of every mbarrier that is initialised, the arrivals and bytes it still expects, who stands at a named barrier, which columns are allocated.
 * Barriers are called by their names, so that a program with one more of them can be compared.
 *
 *     full[0]@0 0:1/1+0  full[1]@0 1:1/1+0        parity : pending / expected + bytes
 *
 * What memory holds at the end is not here: where no schedule shows a race or a missing edge every schedule leaves the same, and provenance
 * says what.
 */
import type { Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'

export const endOf = (world: World, m: Machine): string => {
  const barriers = m.barriers.flatMap((b, k) => {
    const { name, cta } = world.header.barriers[k]!
    return b === null
      ? []
      : [
          `${name}@${String(cta)} ${String(b.completed & 1)}:${String(b.pending)}/${String(b.expected)}+${String(b.tx)}`,
        ]
  })
  const named = m.named.flatMap((n) =>
    n.arrived === 0 ? [] : [`barrier ${String(n.id)}@${String(n.cta)} ${String(n.arrived)}`],
  )
  const columns = m.tensorMemory.flatMap((t, cta) =>
    t.allocated.map((c) => `columns@${String(cta)} ${String(c.start)}+${String(c.columns)}`),
  )
  return [...barriers, ...named.sort(), ...columns.sort()].join('  ')
}
