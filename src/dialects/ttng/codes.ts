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
} as const

export type Code = keyof typeof table
export const codes: Readonly<Record<Code, Says>> = table

/** Refuses, as an `Either`. */
export const refuse = (code: Code, message: string): E.Either<Failure<Code>, never> =>
  refuseAny(code, message)
/** Refuses, inside a program. */
export const refused = (code: Code, message: string): Build<never> => fail(failure(code, message))
