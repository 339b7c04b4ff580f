/**
 * Dice: the same numbers from the same seed, on every platform; and the draft of a skeleton that is drawn with them.
 *
 * Law 1. Equal seeds give equal sequences.
 */
import type { Op, SkeletonBarrier } from './skeleton.js'

// ---------------------------------------------------------------- model

export interface Families {
  /** tcgen05: queues, tensor memory, thread-sync fences */
  readonly tensor: boolean
  /** cp.async and its groups */
  readonly copies: boolean
  /** two CTAs: remote arrivals and loads, the cluster barrier */
  readonly cluster: boolean
}
export const allFamilies: Families = { tensor: true, copies: true, cluster: true }
export const hopperFamilies: Families = { tensor: false, copies: true, cluster: true }

/** A random source that is used up as it is asked; one per drawn skeleton. */
export interface Dice {
  /** 0 .. n-1 */
  readonly below: (n: number) => number
  readonly chance: (p: number) => boolean
  readonly pick: <A>(from: ReadonlyArray<A>) => A
}

/** A skeleton under construction. */
export interface Draft {
  readonly ctas: ReadonlyArray<number>
  readonly names: ReadonlyArray<string>
  readonly barriers: ReadonlyArray<SkeletonBarrier>
  /** tensor-core order belongs to a barrier: all its arrives and waits carry it, or none */
  readonly tensor: ReadonlyArray<boolean>
  readonly bodies: ReadonlyArray<ReadonlyArray<Op>>
}

// ---------------------------------------------------------------- dice

/** Counts up by an odd constant and scrambles the count. */
export const dice = (seed: number): Dice => {
  let count = seed | 0
  const word = (): number => {
    count = (count + 0x9e3779b9) | 0
    let z = count
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }
  const below = (n: number): number => Math.floor((word() / 4294967296) * n)
  return { below, chance: (p) => word() / 4294967296 < p, pick: (from) => from[below(from.length)]! }
}

export const parityOf = (n: number): 0 | 1 => ((n & 1) === 1 ? 1 : 0)
