/**
 * The instructions of a program of warps as work (`machine/pace.ts`): what each is called, and what it reads and writes.
 *
 * A guard is read too: what it decides waits for it. What ends no value and takes no slot of its own (the turn of a loop, a label) has no name.
 */
import { remembered } from '../../remembered.js'
import type { Work } from '../machine/pace.js'
import { ofPredicate, type Operation, type WarpProgram } from './program.js'
import { usesOf } from './uses.js'

/** Operations of many names say theirs; each of the others is called by its tag. */
const nameOf = (o: Operation): string => {
  if (o._tag === 'scalar') return o.name
  if (o._tag === 'predicate') return `${o._tag}.${o.op}`
  if (o._tag === 'mbarrierArrive') return `${o._tag}.${o.kind}`
  return o._tag === 'turn' || o._tag === 'nothing' ? '' : o._tag
}

/** Words of descriptors, which a product takes from where all lanes share them. */
const descriptorsOf = (o: Operation): ReadonlyArray<number> =>
  o._tag === 'wgmma' ? [...(o.a._tag === 'registers' ? [] : o.a.descriptor), ...o.b.descriptor] : []

/** By index of `code`. */
export const worksOf: (p: WarpProgram) => ReadonlyArray<Work> = remembered(({ code }) =>
  code.map(({ site, guard, operation }): Work => {
    const { reads, writes } = usesOf(operation)
    return {
      name: nameOf(operation),
      elements: 32,
      reads: guard === null ? reads : [...reads, ofPredicate(guard.predicate)],
      writes,
      shared: descriptorsOf(operation),
      site,
    }
  }),
)
