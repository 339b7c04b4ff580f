/**
 * `async_prefetch`: a hint to have a slice of GMEM in the L2 cache.
 *
 * There is no cache here, and nothing waits for a prefetch: it changes nothing that a program computes. It is checked like a copy. The blocks
 * of a collective prefetch a part each, as they would copy it; with `PARTITIONED` each its half.
 *
 *     async_prefetch(x.at[pl.ds(0, 64)], collective_axes="c")     C = 4: block i prefetches rows 16 i to 16 i + 15
 *
 * Source: JAX docs, Pallas:MGPU reference; PTX ISA, cp.async.bulk.prefetch.tensor.
 */
import type { Dtype } from '../../../numerics/dtype.js'
import { block, run, type Build } from '../../../semantics/writing/builder.js'
import type { Condition } from '../../../semantics/language/expression.js'
import { refused } from '../codes.js'
import { onceInThread } from '../core-map.js'
import { togetherOf, type CollectiveOptions } from './collective.js'
import { partOf } from './load.js'
import { orRefused, seenPlain, tensorMap } from './map.js'
import { isRows, shapeOf, type GmemRows, type GmemSlice } from './slice.js'

export interface PrefetchOptions extends CollectiveOptions {
  /** a `pl.when` around it */
  readonly when?: Condition | undefined
}

/** `async_prefetch(ref, collective_axes, leader_tracked)`. */
export const asyncPrefetch = <D extends Dtype, R extends number>(
  label: string,
  source: GmemSlice<D, R> | GmemRows<D>,
  options: PrefetchOptions = {},
): Build<void> =>
  block(function* () {
    if (isRows(source))
      return yield* refused('pallas.copy.prefetch', `${label}: prefetches of gathered rows are not supported`)
    const together = yield* togetherOf(label, shapeOf(source).length, options)
    const seen = yield* orRefused(seenPlain(label, source))
    // two halves of a dimension are two equal parts: the first that is cut need not be the partitioned one for a hint
    const mine =
      together === null ? seen : (yield* partOf(label, seen, source.tensor.param.name, together)).seen
    const { descriptor, coords } = yield* tensorMap(label, source.tensor, mine)
    const once = yield* onceInThread(label, options.when)
    yield* run(label, { _tag: 'tma.prefetch', descriptor, coords }, once === null ? {} : { when: once })
  })
