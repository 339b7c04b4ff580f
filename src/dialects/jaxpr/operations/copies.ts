/**
 * Copies between global and shared memory, stores into other blocks, prefetches.
 *
 * | operation                                           | becomes                                                                    |
 * |-----------------------------------------------------|----------------------------------------------------------------------------|
 * | `copy_gmem_to_smem`                                  | a slice, a part of one for each block, or rows; the barrier hears of it      |
 * | `copy_smem_to_gmem`, `commit_group`, `wait_smem_to_gmem` | a store and its group; the wait for groups                               |
 * | `async_prefetch`                                     | the hint                                                                   |
 * | `async_store_smem`                                   | `stAsync.store` in another block, and its barrier                           |
 * | `wait_gmem_to_smem`                                  | a refusal: of machines before Hopper                                         |
 *
 * Source: JAX, lowering of Mosaic GPU.
 */
import type { Dtype } from '../../../numerics/dtype.js'
import type { Steps } from '../../../semantics/writing/builder.js'
import type { View } from '../../../semantics/language/expression.js'
import * as Pallas from '../../pallas/index.js'
import { isObject, type Json } from '../../../wire.js'
import type { Eqn } from '../document.js'
import { refusedAt, type Here, type Rows } from '../here.js'
import {
  arrayOperand,
  barrierUse,
  flag,
  gmemUse,
  intOperand,
  isUsed,
  param,
  smemUse,
  words,
} from '../operands.js'
import { copySide } from '../refs.js'
import { countOperand } from './counts.js'
import { predicateOf, whenOf } from './predicates.js'
import { own } from '../../../own.js'

// ---------------------------------------------------------------- parameters

const partition = (found: Json | undefined): Pallas.CopyPartition | null => {
  if (found === 'replicated') return Pallas.CopyPartition.REPLICATED
  return isObject(found) && 'partitioned' in found && typeof found.partitioned === 'number'
    ? Pallas.CopyPartition.PARTITIONED(found.partitioned)
    : null
}

/** The blocks that act together, and which of them hears of it. */
const together = function* (h: Here, eqn: Eqn): Steps<Pallas.CollectiveOptions> {
  const collectiveAxes = yield* words(h, eqn, 'collectiveAxes')
  const found = param(eqn, 'leaderTracked')
  const leaderTracked = partition(found)
  if (found != null && leaderTracked === null)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.param',
      'leaderTracked = {"partitioned": an axis} or "replicated"',
      JSON.stringify(found),
    )
  return {
    ...(collectiveAxes.length === 0 ? {} : { collectiveAxes }),
    ...(leaderTracked === null ? {} : { leaderTracked }),
  }
}

const modes: Readonly<Record<string, Pallas.OOBFillMode>> = {
  zeros: 'ZEROS',
  undefined: 'UNDEFINED',
  promise_in_bounds: 'PROMISE_IN_BOUNDS',
}
const oobMode = function* (h: Here, eqn: Eqn): Steps<{ readonly oobMode?: Pallas.OOBFillMode }> {
  const found = param(eqn, 'oobMode')
  if (found == null) return {}
  const mode = typeof found === 'string' ? own(modes, found.toLowerCase()) : undefined
  return mode === undefined
    ? yield* refusedAt(
        h,
        eqn,
        'jaxpr.param',
        `oobMode = ${Object.keys(modes).join(', ')}`,
        JSON.stringify(found),
      )
    : { oobMode: mode }
}

const isReduction = (x: string): x is Pallas.ReductionOp => Pallas.reductionOps.some((op) => op === x)
const reductionOf = function* (h: Here, eqn: Eqn): Steps<{ readonly reductionOp?: Pallas.ReductionOp }> {
  const found = param(eqn, 'reductionOp')
  if (found == null) return {}
  return typeof found === 'string' && isReduction(found)
    ? { reductionOp: found }
    : yield* refusedAt(
        h,
        eqn,
        'jaxpr.param',
        `reductionOp = ${Pallas.reductionOps.join(', ')}`,
        JSON.stringify(found),
      )
}

// ---------------------------------------------------------------- rows

export const copyRows: Rows = {
  *copy_gmem_to_smem(h, eqn, label) {
    const source = yield* copySide(h, eqn, yield* gmemUse(h, eqn, 'src'))
    const { view } = yield* smemUse(h, eqn, 'dst')
    const barrier = isUsed(eqn, 'barrier') ? yield* barrierUse(h, eqn, 'barrier') : null
    yield* Pallas.copyGmemToSmem<Dtype, number>(label, source, view, barrier, null, {
      ...(yield* together(h, eqn)),
      ...(yield* oobMode(h, eqn)),
      ...(yield* predicateOf(h, eqn)),
    })
    return []
  },
  *copy_smem_to_gmem(h, eqn, label) {
    const { view } = yield* smemUse(h, eqn, 'src')
    const destination = yield* copySide(h, eqn, yield* gmemUse(h, eqn, 'dst'))
    yield* Pallas.copySmemToGmem<Dtype, number>(label, view, destination, {
      commitGroup: param(eqn, 'commitGroup') !== false,
      ...(yield* reductionOf(h, eqn)),
      ...(yield* predicateOf(h, eqn)),
    })
    return []
  },
  *commit_group(_, __, label) {
    yield* Pallas.commitSmemToGmemGroup(label)
    return []
  },
  *wait_smem_to_gmem(h, eqn, label) {
    yield* Pallas.waitSmemToGmem(label, yield* countOperand(h, eqn, 0), flag(eqn, 'readOnly'))
    return []
  },
  *wait_gmem_to_smem(h, eqn, label) {
    yield* Pallas.waitGmemToSmem(label, yield* countOperand(h, eqn, 0))
    return []
  },
  *async_prefetch(h, eqn, label) {
    const source = yield* copySide(h, eqn, yield* gmemUse(h, eqn, 'ref'))
    yield* Pallas.asyncPrefetch<Dtype, number>(label, source, {
      ...(yield* together(h, eqn)),
      ...(yield* whenOf(h, eqn)),
    })
    return []
  },
  *async_store_smem(h, eqn, label) {
    const value = yield* arrayOperand(h, eqn, 0)
    const clusterIdx = yield* intOperand(h, eqn, 1)
    const { view } = yield* smemUse(h, eqn, 'ref')
    const barrier = yield* barrierUse(h, eqn, 'barrier')
    const clusterDim = param(eqn, 'clusterDim')
    if (typeof clusterDim !== 'string' && typeof clusterDim !== 'number')
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.param',
        'clusterDim = an axis of the cluster',
        JSON.stringify(clusterDim) ?? 'none',
      )
    const said = param(eqn, 'atomic')
    const atomic = Pallas.asyncReductions.find((kind) => kind === said)
    if (atomic === undefined && said != null)
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.param',
        `atomic = ${Pallas.asyncReductions.join(', ')}`,
        JSON.stringify(said),
      )
    const into: View<'smem'> = view
    yield* Pallas.asyncStoreSmem(label, value.tile, into, barrier, null, {
      clusterDim,
      clusterIdx,
      optimized: param(eqn, 'optimized') !== false,
      ...(atomic === undefined ? {} : { atomic }),
    })
    return []
  },
}
