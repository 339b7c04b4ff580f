/**
 * Everything that the Triton surface refuses, by a stable code.
 *
 * A code says which rule of an operation's verifier failed, or which of its lowering (Triton itself says so later, or not at all). The
 * message names the operation, the operand, what was expected and what was found.
 *
 * Law 1. Every code has an example of its message, and every refusal of this folder has one of these codes.
 *
 * Source: Triton, verifiers of the TritonGPU and TritonNvidiaGPU dialects.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, refuse as refuseAny, type Failure } from '../../failure.js'
import { fail, type Build } from '../../semantics/builder.js'

/** Who says so in Triton. */
export type Says = 'verifier' | 'lowering' | 'nobody'

const table = {
  // barriers and copies
  'ttng.barrier': 'verifier',
  'ttng.barrier.shape': 'verifier',
  'ttng.barrier.layout': 'verifier',
  'ttng.init_barrier.count': 'verifier',
  'ttng.init_barrier.warp_specialize': 'verifier',
  'ttng.barrier_expect.size': 'verifier',
  'ttng.arrive_barrier.count': 'verifier',
  'ttng.arrive_barrier.cta_mask': 'verifier',
  'ttng.cluster.num_ctas': 'verifier',
  'ttng.cluster.warp_specialize': 'verifier',
  'ttng.memdesc': 'verifier',
  'ttng.tensor': 'verifier',
  'ttng.partition': 'nobody',
  'ttng.nvmma_shared': 'verifier',
  'ttng.async_tma.descriptor': 'verifier',
  'ttng.async_tma.coords': 'verifier',
  'ttng.async_tma.element_type': 'verifier',
  'ttng.async_tma.shape': 'verifier',
  'ttng.async_tma.layout': 'verifier',
  'ttng.async_tma.cga': 'verifier',
  'ttng.async_tma.barrier': 'verifier',
  'ttng.async_tma.multicast': 'verifier',
  'ttng.async_tma.mode': 'nobody',
  'ttng.async_tma.offsets': 'verifier',
  'ttng.async_tma.cache_modifier': 'lowering',
  'ttng.async_tma.eviction_policy': 'verifier',
  'ttng.async_tma.volatile': 'lowering',
  'ttng.async_tma_reduce.kind': 'verifier',
  'ttng.async_tma_reduce.element_type': 'verifier',
  'ttng.async_tma_rows.block': 'verifier',
  'ttng.async_tma_rows.shape': 'verifier',
  'ttng.async_tma_rows.offsets': 'verifier',
  'ttng.async_tma_rows.element_type': 'verifier',
  'ttng.async_tma_rows.layout': 'verifier',
  'ttng.async_tma_store_wait.pendings': 'verifier',
  // tensor cores and tensor memory
  'ttng.warp_group_dot.num_warps': 'lowering',
  'ttng.warp_group_dot.rank': 'verifier',
  'ttng.warp_group_dot.shape': 'verifier',
  'ttng.warp_group_dot.operand_space': 'verifier',
  'ttng.warp_group_dot.element_type': 'verifier',
  'ttng.warp_group_dot.layout': 'verifier',
  'ttng.warp_group_dot.input_precision': 'nobody',
  'ttng.warp_group_dot.max_num_imprecise_acc': 'verifier',
  'ttng.warp_group_dot_wait.inputs': 'verifier',
  'ttng.warp_group_dot_wait.pendings': 'verifier',
  // the surroundings: memdescs, tensors, partitions
  'ttng.encoding': 'verifier',
  'ttng.arith.element_type': 'verifier',
  'ttng.arith.operands': 'verifier',
  'ttng.arith.cast': 'verifier',
  'ttng.constant.value': 'verifier',
  'ttng.make_range.range': 'verifier',
  'ttng.splat.operand': 'verifier',
  'ttng.expand_dims.axis': 'verifier',
  'ttng.expand_dims.encoding': 'verifier',
  'ttng.broadcast.shape': 'verifier',
  'ttng.broadcast.encoding': 'verifier',
  'ttng.reshape.shape': 'verifier',
  'ttng.trans.order': 'verifier',
  'ttng.reduce.axis': 'verifier',
  'ttng.pointers': 'verifier',
  'ttng.addptr.operands': 'verifier',
  'ttng.addptr.shape': 'verifier',
  'ttng.load.other': 'verifier',
  'ttng.load.shape': 'verifier',
  'ttng.store.shape': 'verifier',
  'ttng.global_scratch_alloc.size': 'lowering',
  'ttng.async_copy.element_type': 'verifier',
  'ttng.async_copy.shape': 'verifier',
  'ttng.async_copy.contiguity': 'lowering',
  'ttng.async_token': 'verifier',
  'ttng.async_wait.num': 'verifier',
  'ttng.local_alloc.mutable': 'verifier',
  'ttng.local_alloc.encoding': 'verifier',
  'ttng.local_alloc.shape': 'verifier',
  'ttng.local_dealloc.allocation': 'lowering',
  'ttng.memdesc_index.rank': 'verifier',
  'ttng.memdesc_index.bounds': 'nobody',
  'ttng.memdesc_subslice.rank': 'verifier',
  'ttng.memdesc_subslice.bounds': 'verifier',
  'ttng.memdesc_subslice.tile': 'verifier',
  'ttng.memdesc_trans.order': 'verifier',
  'ttng.local_load.space': 'verifier',
  'ttng.local_store.space': 'verifier',
  'ttng.local_store.shape': 'verifier',
  'ttng.scf_for.step': 'nobody',
  'ttng.scf_for.yield': 'verifier',
  'ttng.scf_if.condition': 'verifier',
  'ttng.scf_if.yield': 'verifier',
  'ttng.warp_specialize.nested': 'verifier',
  'ttng.warp_specialize.partitions': 'verifier',
  'ttng.warp_specialize.capture': 'lowering',
  'ttng.warp_specialize.requested_registers': 'lowering',
  'ttng.module.num_warps': 'verifier',
  'ttng.module.most_warps': 'nobody',
  'ttng.module.num_ctas': 'verifier',
  'ttng.tensordesc.encoding': 'lowering',
  'ttng.tensordesc.names': 'verifier',
} as const

export type Code = keyof typeof table
export const codes: Readonly<Record<Code, Says>> = table

/** Refuses, as an `Either`. */
export const refuse = (code: Code, message: string): E.Either<Failure<Code>, never> =>
  refuseAny(code, message)
/** Refuses, inside a program. */
export const refused = (code: Code, message: string): Build<never> => fail(failure(code, message))
