/**
 * Reach: how far an atomic access, a release, an acquire or a fence is heard.
 *
 * | scope                                  | reach | to the agents of      |
 * |----------------------------------------|-------|-----------------------|
 * | (not atomic)                           | 0     | none                  |
 * | `cta`                                  | 1     | its CTA               |
 * | `cluster`                              | 2     | its cluster           |
 * | `gpu`, `sys`, and of a fence `global`  | 3     | the grid              |
 *
 * Two atomic accesses are *atomic together* if each reaches the agent of the other, through one proxy, at elements equally wide. Such a pair is no
 * conflict, whatever its order.
 *
 * Law 1. `atomicTogether` is symmetric, and holds for no access that is not atomic.
 *
 * Source: PTX ISA 9, memory consistency model: scope, morally strong operations. The memory model (`model/race.ts`) says the same for itself.
 */
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import type { Scope } from '../language/instruction.js'
import type { Fence } from './events.js'

export type Reach = 0 | 1 | 2 | 3

/** How far what is atomic at this scope reaches, or a fence of it. An access without one is at that of the grid. */
export const reachOf = (scope: Scope | Fence['scope'] = 'gpu'): 1 | 2 | 3 => {
  switch (scope) {
    case 'cta':
      return 1
    case 'cluster':
      return 2
    case 'gpu':
    case 'sys':
    case 'global':
      return 3
  }
}

/** How far it is from one agent to another: in one CTA, in one cluster, in the grid. */
export const between = (sameCta: boolean, sameCluster: boolean): 1 | 2 | 3 =>
  sameCta ? 1 : sameCluster ? 2 : 3

interface Atomic {
  readonly reach: Reach
  readonly proxy: string
  readonly footprint: { readonly dtype: Dtype }
  /** elements that are one scalar, as the two words of one of 64 bits; absent: each is one */
  readonly words?: number | undefined
}
const widthOf = ({ footprint, words = 1 }: Atomic): number => words * bitsOf(footprint.dtype)
/** `distance`: `between` their agents. */
export const atomicTogether = (x: Atomic, y: Atomic, distance: 1 | 2 | 3): boolean =>
  x.reach >= distance && y.reach >= distance && x.proxy === y.proxy && widthOf(x) === widthOf(y)
