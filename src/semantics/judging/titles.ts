/**
 * Titles: what a finding is called.
 *
 * An id has one title (`hazards.ts`). One id has two: a write that an asynchronous access does not see lacks `fence.proxy.async` in memory and `wgmma.fence` in
 * registers. It is one rule of the model (a fence of the writer stands between the two), so it is one id; but who reads "missing proxy fence" at a wgmma whose
 * accumulator is at stake looks at shared memory, and finds nothing wrong there.
 *
 * Law 1. Only P1 of a register has another title than its id.
 */
import type { Header } from '../log/events.js'
import { hazards, type HazardId } from './hazards.js'
import type { Concerning } from './subject.js'

/** Is it a register that the product does not see? */
export const lacksProductFence = (
  { planes }: Pick<Header, 'planes'>,
  { id, about }: Concerning & { readonly id: HazardId },
): boolean => id === 'P1' && about.some((s) => s._tag === 'plane' && planes[s.plane]?.space === 'regs')

export const productFenceTitle =
  'missing wgmma.fence between a register write and the wgmma that uses the register'

export const titleOf = (header: Pick<Header, 'planes'>, f: Concerning & { readonly id: HazardId }): string =>
  lacksProductFence(header, f) ? productFenceTitle : hazards[f.id].title
