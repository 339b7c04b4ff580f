/**
 * Stores into the shared memory of a CTA of the cluster, told to a barrier there: `async_shared_store`.
 *
 *     ttng.async_shared_store %src, %dst, %mbarrier       st.async, 4 bytes of each element or 8, off the transaction count of %mbarrier
 *
 * Who waits for the barrier sees what was stored, and nothing else of the sender's. It is a generic access: a unit of the async proxy that reads
 * it needs a fence.
 *
 * In Triton the layout of `dst` deals a tensor of the whole cluster to the CTAs. Here a memdesc is the share of one CTA, so the CTA is
 * named: `rank`, this one if not given; the barrier is the one of that CTA.
 *
 * Not here: elements of less than 32 bits, of which the compiler stores several as one word.
 *
 * Source: Triton, TritonNvidiaGPU dialect (Gluon: `async_store`); PTX ISA, st.async.
 */
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import { block, run, type Build, type ElementIndex } from '../../semantics/writing/builder.js'
import { remote, type Int } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { elementOf } from '../../semantics/language/signature.js'
import type { ScalarName } from '../../semantics/language/types.js'
import { resolve, type BarrierOptions } from './barrier.js'
import { refused } from './codes.js'
import { numCtas, on } from './issue.js'
import { sameShapes, shown } from './tensor.js'
import { memDescHere, tensorHere, type BarrierDesc, type MemDesc, type Tensor } from './types.js'

export interface AsyncSharedStoreOptions extends BarrierOptions {
  /** the CTA of the cluster that is written; this one if not given */
  readonly rank?: Int
}

/** `ttng.async_shared_store %src, %dst, %mbarrier`. */
export const asyncSharedStore = <D extends Dtype, R extends number>(
  label: string,
  src: Tensor<ElementIndex<D>, R>,
  dst: MemDesc<'smem', D, R>,
  mbarrier: BarrierDesc,
  options: AsyncSharedStoreOptions = {},
): Build<void> =>
  block(function* () {
    const { from, when, rank } = options
    if (numCtas(from) < 2)
      return yield* refused(
        'ttng.async_shared_store.num_ctas',
        `${label}: async_shared_store requires at least two CTAs in the cluster, found ${String(numCtas(from))}`,
      )
    const tensor = yield* tensorHere(label, 'src', src)
    const to = yield* memDescHere(label, 'dst', dst)
    if (to.space !== 'smem')
      return yield* refused(
        'ttng.async_shared_store.memory',
        `${label}: dst must be a memdesc of shared memory, found ${shown(to)}`,
      )
    if (tensor.element._tag !== 'scalar' || tensor.element.dtype !== elementOf(to.dtype).dtype)
      return yield* refused(
        'ttng.async_shared_store.element_type',
        `${label}: the elements of src must be those of dst, expected ${elementOf(to.dtype).dtype}, found ${shown(tensor)}`,
      )
    yield* sameShapes(
      label,
      'ttng.async_shared_store.shape',
      'src must have the shape of dst',
      to.layout.shape,
      tensor.shape,
    )
    if (bitsOf(to.dtype) < 32)
      return yield* refused(
        'ttng.async_shared_store.unsupported',
        `${label}: elements of 32 or 64 bits are stored one by one, found ${to.dtype}, which has several in a word`,
      )
    const { own } = yield* resolve(label, mbarrier, options)
    yield* run(
      label,
      {
        _tag: 'stAsync.store',
        destination: rank === undefined ? dst : remote(dst, rank),
        value: checked<Tensor<ScalarName>, Tensor>(src),
        barrier: rank === undefined ? own : remote(own, rank),
      },
      on(when),
    )
  })
