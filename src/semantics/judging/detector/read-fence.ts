/**
 * Whether a generic read needs a proxy fence before an asynchronous write replaces what it read.
 *
 *     consumer: read slot; arrive empty                   producer: wait empty; issue a TMA load of the slot
 *
 * The arrive and the wait order the two accesses. By the manual that is not enough: order across proxies takes a proxy fence, and no exception is made for a read
 * that comes first (PTX ISA, proxy-preserved base causality order). What is made of that depends on the chip, because evidence differs:
 *
 * | of                              | shared memory | global memory | because                                                                       |
 * |---------------------------------|---------------|---------------|-------------------------------------------------------------------------------|
 * | sm_90a                          | noted         | not asked     | main loops that ship do without; 4,752,000 trials on an H100 saw nothing (`silicon.ts`) |
 * | sm_100a                         | demanded      | not asked     | three public libraries had wrong results on GB200, and a fence in this place mended them |
 * | what a compiler has fenced      | noted         | not asked     | Triton writes none between the read of an address of tensor memory and the copy over it: no author can add it |
 * | any, under `strictProxies`      | demanded      | demanded      | the wording of the manual                                                     |
 *
 * The fence may be any agent's that knows the read: a reader's, before it releases the slot, or the producer's, after its wait.
 *
 * Law 1. `strictProxies` demands wherever anything is asked without it.
 *
 * Source: PTX ISA 8.9.5; DeepEP #621 and #642, TransformerEngine #2695, nccl-extensions #8 (public reports).
 */
import { isCompilers, type Header } from '../../log/events.js'
import type { Space } from '../../language/types.js'
import type { Options } from './rules.js'

/** Asked of a pair: nothing; a fence, where its absence is a note; or a fence. */
export type ReadFence = 'not asked' | 'noted' | 'demanded'

export const readFence = (
  { arch, fences }: Pick<Header, 'arch' | 'fences'>,
  space: Space,
  { strictProxies }: Pick<Options, 'strictProxies'>,
): ReadFence => {
  if (space === 'regs') return 'not asked'
  if (strictProxies) return 'demanded'
  if (space !== 'smem') return 'not asked'
  return arch === 'sm100a' && !isCompilers(fences) ? 'demanded' : 'noted'
}
