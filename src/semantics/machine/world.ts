/**
 * The world of a run: everything that does not change while it runs, and two stores that grow and that nothing depends on: the footprints that were
 * listed, and the effort that was spent.
 *
 * The front with the program, the algebra, the launch, and the tables that turn a name into a plane: parameters in global
 * memory, storages in the shared memory of a CTA or the registers of an agent. The machine state holds none of it.
 */
import { unreachable } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import type { Dtype } from '../../numerics/dtype.js'
import type { TransformedRef } from '../../transforms/ref.js'
import type { Header } from '../log/events.js'
import type { Contract, Space } from '../language/types.js'
import type { Effort } from './effort.js'
import type { Footprints } from './footprint.js'
import type { Front } from './front.js'
import type { Pace } from './pace.js'
import type { DescriptorValue, Value } from './value.js'

/** A storage as the machine sees it; planes and barriers are per CTA (and agent), found by adding to the first. */
export interface PlacedStorage {
  readonly id: string
  readonly space: Space
  readonly contents:
    | { readonly _tag: 'elements'; readonly dtype: Dtype; readonly layout: TransformedRef }
    | {
        readonly _tag: 'barriers'
        readonly contract: Contract
        readonly ordersTensorCore: boolean
        readonly shape: ReadonlyArray<number>
        /** index of its first barrier among the barriers of one CTA */
        readonly first: number
      }
  /** byte offset in its plane */
  readonly offset: number
  /** plane of the first resident CTA; CTA c has `plane + c * planesPerCta` */
  readonly plane: number
}

/** A barrier of one CTA, in its shared memory. */
export interface PlacedBarrier {
  readonly name: string
  /** what it belongs to: barriers of one storage are alike in what is said about them */
  readonly storage: string
  readonly address: number
  readonly contract: Contract
  readonly ordersTensorCore: boolean
}

export interface TensorPlace {
  readonly name: string
  readonly dtype: Dtype
  readonly plane: number
  readonly layout: TransformedRef
  readonly shape: ReadonlyArray<number>
  readonly strides: ReadonlyArray<number>
}

/**
 * The order of the tensor queue of one agent: that of issue, as every kernel that reuses the columns of another accumulator relies on, or the
 * pairs that PTX lists alone (`instructions/tcgen05-queue.ts`). Commits cover all that is before them in both.
 */
export type TensorPipe = 'issueOrder' | 'documented'

export interface World {
  readonly front: Front<World>
  readonly algebra: Algebra
  readonly header: Header
  readonly grid: ReadonlyArray<number>
  readonly cluster: ReadonlyArray<number>
  /** clusters along each grid axis, and their product */
  readonly clusters: ReadonlyArray<number>
  readonly clusterCount: number
  /** those that run, ascending, where not all do; null: all */
  readonly visits: ReadonlyArray<number> | null
  /** CTAs of a cluster */
  readonly ctas: number
  /** clusters that run together */
  readonly resident: number
  /** how many requests to cancel a cluster succeed, as long as one is left */
  readonly grants: number
  readonly agentsPerCta: number
  readonly storages: ReadonlyMap<string, PlacedStorage>
  readonly tensors: ReadonlyMap<string, TensorPlace>
  readonly scalars: ReadonlyMap<string, Value>
  readonly descriptors: ReadonlyMap<string, DescriptorValue>
  readonly planesPerCta: number
  readonly barriersPerCta: number
  /** of one CTA, in their order */
  readonly barriers: ReadonlyArray<PlacedBarrier>
  /** index of a barrier among those of one CTA, by its address in shared memory */
  readonly barrierAt: ReadonlyMap<number, number>
  /** byte size of each plane */
  readonly planeBytes: ReadonlyArray<number>
  readonly footprints: Footprints
  readonly effort: Effort
  readonly tensorPipe: TensorPipe
  /** who is told what agents compute between two effects; absent: that is not asked */
  readonly pace?: Pace
}

// ---------------------------------------------------------------- barriers and their storages

/** The storage that a barrier of the header belongs to. */
export const storageOfBarrier = ({ barriers, barriersPerCta }: World, barrier: number): string =>
  barriers[barrier % barriersPerCta]?.storage ??
  unreachable(`barrier ${String(barrier)} does not belong to a storage`)

/** The barrier of the header at an address of the shared memory of a resident CTA; -1: none is known there. */
export const barrierAtAddress = (
  { barrierAt, barriersPerCta }: World,
  cta: number,
  address: number,
): number => {
  const at = barrierAt.get(address)
  return at === undefined ? -1 : cta * barriersPerCta + at
}

// ---------------------------------------------------------------- the same place in another CTA

/** The rank in its cluster of the CTA that holds a plane of shared or tensor memory. */
export const rankOfPlane = (world: World, plane: number): number =>
  (world.header.planes[plane]?.cta ?? 0) % world.ctas

/** The rank in its cluster of the CTA that holds a barrier. */
export const rankOfBarrier = (world: World, barrier: number): number =>
  Math.floor(barrier / world.barriersPerCta) % world.ctas

/** The plane at the same place in the CTA of rank `rank` of the same cluster: `planeIn(w, planeIn(w, p, r), s)` is `planeIn(w, p, s)`. */
export const planeIn = (world: World, plane: number, rank: number): number =>
  plane + (rank - rankOfPlane(world, plane)) * world.planesPerCta

/** The barrier at the same place in the CTA of rank `rank` of the same cluster, with the same law. */
export const barrierIn = (world: World, barrier: number, rank: number): number =>
  barrier + (rank - rankOfBarrier(world, barrier)) * world.barriersPerCta
