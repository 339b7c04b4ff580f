/**
 * Ends: what is left when a wave of clusters is over.
 *
 * Two programs that do the same to their barriers end alike, whatever they did between. What is kept is what could still be asked: the phase
 * of every mbarrier that is initialised, the arrivals and bytes it still expects, who stands at a named barrier, which columns are allocated.
 * Barriers are called by their names, so that a program with one more of them can be compared.
 *
 *     full[0]@0 0:1/1+0  full[1]@0 1:1/1+0        parity : pending / expected + bytes
 *
 * Each of them stands with the storage of its barrier, so that ends can be compared but for some storages.
 *
 * What memory holds at the end is not here: where no schedule shows a race or a missing edge every schedule leaves the same, and provenance
 * says what.
 */
import type { Machine } from '../../machine/state.js'
import { storageOfBarrier, type World } from '../../machine/world.js'

/** One thing that is left, in text; `storage`: of the barrier that it is. */
export interface Remnant {
  readonly storage: string | null
  readonly text: string
}

export interface End {
  /** of which wave of clusters, from 0 */
  readonly wave: number
  readonly left: ReadonlyArray<Remnant>
}

export const showLeft = (left: ReadonlyArray<Remnant>): string => left.map(({ text }) => text).join('  ')

export const showEnd = ({ wave, left }: End): string => `${String(wave)}: ${showLeft(left)}`

/** But for the barriers of these storages. */
export const withoutStorages = ({ wave, left }: End, storages: ReadonlyArray<string>): End => ({
  wave,
  left: left.filter(({ storage }) => storage === null || !storages.includes(storage)),
})

export const inOrder = (ends: ReadonlyArray<End>): ReadonlyArray<End> =>
  [...ends].sort((x, y) => (showEnd(x) < showEnd(y) ? -1 : 1))

/** Ends in text, each once, sorted. */
export const showEnds = (ends: ReadonlyArray<End>): ReadonlyArray<string> =>
  [...new Set(ends.map(showEnd))].sort()

export const leftIn = (world: World, m: Machine): ReadonlyArray<Remnant> => {
  const barriers = m.barriers.flatMap((b, k): ReadonlyArray<Remnant> => {
    const { name, cta } = world.header.barriers[k]!
    return b === null
      ? []
      : [
          {
            storage: storageOfBarrier(world, k),
            text: `${name}@${String(cta)} ${String(b.completed & 1)}:${String(b.pending)}/${String(b.expected)}+${String(b.tx)}`,
          },
        ]
  })
  const named = m.named.flatMap((n) =>
    n.arrived === 0 ? [] : [`barrier ${String(n.id)}@${String(n.cta)} ${String(n.arrived)}`],
  )
  const columns = m.tensorMemory.flatMap((t, cta) =>
    t.allocated.map((c) => `columns@${String(cta)} ${String(c.start)}+${String(c.columns)}`),
  )
  const others = [...named.sort(), ...columns.sort()]
  return [...barriers, ...others.map((text): Remnant => ({ storage: null, text }))]
}
