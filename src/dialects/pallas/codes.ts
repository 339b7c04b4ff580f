/**
 * Everything that the Pallas surface refuses, by a stable code.
 *
 * A code says which precondition failed; the message says it in Pallas's words, and names the ref, the dimension, the value and the rule. What
 * Pallas raises for it stands beside.
 *
 * Law 1. Every code has an example of its message, and every refusal of this folder has one of these codes.
 *
 * Source: JAX docs, Pallas:MGPU reference; what its primitives raise.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, refuse as refuseAny, type Failure } from '../../failure.js'
import { fail, type Build } from '../../semantics/builder.js'

/** What Pallas raises. */
export type Raises =
  'NameError' | 'ValueError' | 'TypeError' | 'NotImplementedError' | 'LoweringError' | 'nothing'

const table = {
  // memory spaces and refs
  'pallas.memory.shape': 'ValueError',
  'pallas.memory.transforms': 'ValueError',
  'pallas.memory.tmem-only': 'ValueError',
  'pallas.memory.space': 'NotImplementedError',
  'pallas.tmem.packed-unsaid': 'ValueError',
  'pallas.tmem.packed-and-layout': 'ValueError',
  'pallas.tmem.rank': 'ValueError',
  'pallas.tmem.rows': 'ValueError',
  'pallas.tmem.packing': 'ValueError',
  'pallas.tmem.layout': 'ValueError',
  'pallas.tmem.columns': 'ValueError',
  'pallas.tmem.collective-mixed': 'ValueError',
  'pallas.acc.shape': 'ValueError',
  'pallas.acc.init': 'ValueError',
  'pallas.union.spaces': 'NotImplementedError',
  'pallas.union.collective': 'ValueError',
  'pallas.union.bytes': 'ValueError',
  'pallas.union.rows': 'ValueError',
  'pallas.union.empty': 'ValueError',
  'pallas.ref.tiling': 'ValueError',
  'pallas.ref.swizzle': 'ValueError',
  'pallas.ref.after-swizzle': 'NotImplementedError',
  'pallas.ref.permutation': 'ValueError',

  // frames, grids, scopes
  'pallas.mesh.cluster-rank': 'ValueError',
  'pallas.mesh.names': 'ValueError',
  'pallas.mesh.size': 'ValueError',
  'pallas.mesh.thread-name': 'ValueError',
  'pallas.mesh.num-threads': 'ValueError',
  'pallas.mesh.block': 'nothing',
  'pallas.mesh.cluster-size': 'nothing',
  'pallas.mesh.duplicate': 'ValueError',
  'pallas.params.profile': 'ValueError',
  'pallas.params.steps': 'nothing',
  'pallas.kernel.outside': 'LoweringError',
  'pallas.axis.unbound': 'NameError',
  'pallas.axis.duplicate': 'ValueError',
  'pallas.axis.not-cluster': 'ValueError',
  'pallas.core-map.nested': 'LoweringError',
  'pallas.core-map.capture': 'LoweringError',
  'pallas.core-map.load': 'LoweringError',
  'pallas.core-map.axis': 'nothing',
  'pallas.call.dimension-semantics': 'ValueError',
  'pallas.call.collective-axes': 'ValueError',
  'pallas.inline.arity': 'ValueError',
  'pallas.inline.argument': 'ValueError',
  'pallas.inline.result': 'ValueError',
  'pallas.inline.warp': 'NotImplementedError',
  'pallas.cluster-cancel.result': 'TypeError',
  'pallas.cluster-cancel.warp': 'LoweringError',
  'pallas.cluster-cancel.arrivals': 'nothing',
  'pallas.cluster-cancel.axis': 'ValueError',
  'pallas.device.remote': 'nothing',
  'pallas.device.multicast': 'nothing',
  'pallas.device.signal': 'nothing',
  'pallas.registers.warp': 'LoweringError',
  'pallas.registers.multiple': 'ValueError',
  'pallas.registers.range': 'nothing',
  'pallas.registers.action': 'nothing',
  'pallas.registers.budget': 'nothing',

  // copies
  'pallas.copy.axis': 'ValueError',
  'pallas.copy.peer': 'ValueError',
  'pallas.copy': 'TypeError',
  'pallas.copy.shape': 'ValueError',
  'pallas.copy.dtype': 'ValueError',
  'pallas.copy.transforms': 'NotImplementedError',
  'pallas.copy.tile': 'ValueError',
  'pallas.copy.slice': 'nothing',
  'pallas.copy.sub-byte': 'ValueError',
  'pallas.copy.bytes': 'NotImplementedError',
  'pallas.copy.barrier': 'ValueError',
  'pallas.copy.promise': 'nothing',
  'pallas.copy.contiguous': 'ValueError',
  'pallas.copy.stride': 'ValueError',
  'pallas.copy.last-stride': 'ValueError',
  'pallas.copy.rank': 'ValueError',
  'pallas.copy.box': 'ValueError',
  'pallas.copy.last-dim': 'ValueError',
  'pallas.copy.swizzle': 'ValueError',
  'pallas.copy.share': 'ValueError',
  'pallas.copy.leader': 'ValueError',
  'pallas.copy.leader.size': 'NotImplementedError',
  'pallas.copy.leader.pair': 'NotImplementedError',
  'pallas.copy.leader.axis': 'ValueError',
  'pallas.copy.leader.divisible': 'ValueError',
  'pallas.copy.leader.shape': 'ValueError',
  'pallas.copy.gather': 'NotImplementedError',
  'pallas.copy.gather.indices': 'ValueError',
  'pallas.copy.gather.rows': 'ValueError',
  'pallas.copy.reduction': 'ValueError',
  'pallas.copy.groups': 'ValueError',
  'pallas.copy.wait-gmem': 'ValueError',
  'pallas.copy.prefetch': 'NotImplementedError',
  'pallas.async-store': 'ValueError',
  'pallas.async-store.bytes': 'NotImplementedError',
  'pallas.async-store.element': 'NotImplementedError',
  'pallas.async-store.atomic': 'NotImplementedError',
  // loads, stores and layouts
  'pallas.load': 'TypeError',
  'pallas.load.layout': 'ValueError',
  'pallas.load.optimized': 'NotImplementedError',
  'pallas.store': 'ValueError',
  'pallas.layout-cast': 'NotImplementedError',
  'pallas.iota': 'ValueError',
  // barriers and semaphores
  'pallas.barrier.arrivals': 'ValueError',
  'pallas.barrier.shape': 'ValueError',
  'pallas.barrier.many': 'NotImplementedError',
  'pallas.barrier.single': 'ValueError',
  'pallas.barrier.index': 'ValueError',
  'pallas.barrier.slice': 'ValueError',
  'pallas.barrier.remote-wait': 'ValueError',
  'pallas.barrier.test': 'NotImplementedError',
  'pallas.semaphore.shape': 'ValueError',
  'pallas.semaphore.single': 'ValueError',
  'pallas.semaphore.index': 'ValueError',
  'pallas.semaphore.value': 'nothing',
  'pallas.atomic.ref': 'ValueError',
  'pallas.atomic.dtype': 'NotImplementedError',
  'pallas.atomic.value': 'ValueError',
  'pallas.cluster-barrier.warp': 'NotImplementedError',
  'pallas.cluster-barrier.leader': 'NotImplementedError',

  // matrix units
  'pallas.transforms': 'ValueError',
  'pallas.wgmma.shape': 'ValueError',
  'pallas.wgmma.dtype': 'ValueError',
  'pallas.wgmma.integers': 'nothing',
  'pallas.wgmma.transforms': 'ValueError',
  'pallas.wgmma.swizzle': 'ValueError',
  'pallas.wgmma.transposed': 'ValueError',
  'pallas.wgmma.registers': 'ValueError',
  'pallas.wgmma.slice': 'NotImplementedError',
  'pallas.wgmma.wait': 'ValueError',
  'pallas.mma': 'nothing',
  // tensor memory
  'pallas.tcgen05.shape': 'ValueError',
  'pallas.tcgen05.dtype': 'ValueError',
  'pallas.tcgen05.integers': 'nothing',
  'pallas.tcgen05.transforms': 'ValueError',
  'pallas.tcgen05.swizzle': 'ValueError',
  'pallas.tcgen05.tmem': 'ValueError',
  'pallas.tcgen05.accumulator': 'ValueError',
  'pallas.tcgen05.scales': 'ValueError',
  'pallas.tcgen05.scales-view': 'nothing',
  'pallas.tcgen05.sparse': 'ValueError',
  'pallas.tcgen05.barrier': 'ValueError',
  'pallas.tcgen05.axis': 'ValueError',
  'pallas.tcgen05.cluster': 'NotImplementedError',
  'pallas.tcgen05.collective': 'ValueError',
  'pallas.tmem.transfer': 'ValueError',
  'pallas.tmem.shape': 'ValueError',
  'pallas.tmem.reduce': 'ValueError',
  'pallas.tmem.copy': 'ValueError',
  'pallas.tmem.scales': 'ValueError',
  'pallas.tmem.metadata': 'ValueError',
  'pallas.sparse.metadata': 'ValueError',

  // pipelines and loops
  'pallas.find_swizzle.bits': 'ValueError',
  'pallas.planar_snake.shape': 'nothing',
  'pallas.nd_loop.grid': 'nothing',
  'pallas.nd_loop.tiling-rank': 'ValueError',
  'pallas.nd_loop.tiling': 'ValueError',
  'pallas.emit_pipeline.grid': 'ValueError',
  'pallas.emit_pipeline.concurrent-steps': 'ValueError',
  'pallas.emit_pipeline.slots': 'NotImplementedError',
  'pallas.emit_pipeline.delay': 'nothing',
  'pallas.emit_pipeline.block': 'ValueError',
  'pallas.emit_pipeline.index-map': 'ValueError',
  'pallas.emit_pipeline.mode': 'NotImplementedError',
  'pallas.emit_pipeline.collective-input': 'NotImplementedError',
  'pallas.emit_pipeline.collective-output': 'ValueError',
} as const

export type Code = keyof typeof table
export const codes: Readonly<Record<Code, Raises>> = table

/** Refuses, as an `Either`. */
export const refuse = (code: Code, message: string): E.Either<Failure<Code>, never> =>
  refuseAny(code, message)
/** Refuses, inside a kernel. */
export const refused = (code: Code, message: string): Build<never> => fail(failure(code, message))
