/**
 * Operations of lanes on bytes that lie together, and on words of a peer: each is told to an mbarrier, or stands in a bulk group.
 *
 * `st.bulk` has no completion mechanism: it is a store of zeros by the thread itself, done where it stands in the program.
 *
 * Every lane of the mask makes a copy of its own. Words that lanes send to one CTA, told to one barrier, are one operation.
 */
import type { Dtype } from '../../../numerics/dtype.js'
import type { Joining } from '../../machine/operation.js'
import type { Row } from '../../machine/warp-stand.js'
import type { Address } from './address.js'

/** How elements of a type join those that are there. */
export interface Reduction {
  readonly joining: Joining
  readonly dtype: Dtype
}

export type BulkOperation =
  | {
      readonly _tag: 'copyBulk'
      readonly into: Address
      readonly from: Address
      readonly bytes: Row
      /** into shared memory, with its bytes on a barrier; null: out of it, in a group of copies */
      readonly barrier: Address | null
      /** CTAs of the cluster */
      readonly multicast: Row | null
      /** which of every 16 bytes are copied */
      readonly byteMask: Row | null
      readonly reduction: Reduction | null
    }
  /** st.bulk: zeros */
  | {
      readonly _tag: 'zeroBulk'
      readonly into: Address
      /** how many bytes, in two words */
      readonly bytes: readonly [low: Row, high: Row]
    }
  /** st.async and red.async */
  | {
      readonly _tag: 'sendAsync'
      readonly into: Address
      readonly barrier: Address
      /** of one element in memory */
      readonly bytes: 4 | 8
      readonly value: ReadonlyArray<ReadonlyArray<Row>>
      readonly reduction: Reduction | null
    }
