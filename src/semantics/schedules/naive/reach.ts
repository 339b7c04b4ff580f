/**
 * Effects in the memory of another CTA, which may be gone.
 *
 * Laws
 * 1. An access of shared memory of a CTA all of whose agents have ended is reported as `gone`.
 * 2. Where words keep order, an effect that no agent of that CTA knew of when it ended is reported as `gone`, too. `wrong.ts` does so; here the effect is noted.
 */
import type { Layout } from './layout.js'
import type { Atoms } from './skeleton.js'
import { named, type Turn } from './turn.js'
import type { Views } from './views.js'

export interface Reach {
  /** Says what is wrong with touching these atoms now. */
  readonly reaches: (turn: Turn, touched: Atoms) => void
  /** They have been touched, in `next`. */
  readonly reached: (turn: Turn, touched: Atoms) => void
}

export const reachOf = ({ agents, ordering, effectBit }: Layout, { ctaDone, happens }: Views): Reach => ({
  reaches: ({ state, x, i, report }, touched) => {
    for (const atom of touched)
      if (atom._tag === 'smem' && atom.cta !== agents[x]!.cta && ctaDone(state, atom.cta))
        report('gone', named(x, i))
  },
  reached: ({ next, x }, touched) => {
    if (!ordering) return
    for (const atom of touched)
      if (atom._tag === 'smem' && atom.cta !== agents[x]!.cta) happens(next, x, effectBit(x, atom.cta))
  },
})
