/**
 * What is lowered inside a warp map.
 *
 * Mosaic GPU lowers fewer operations for a warp of `core_map` than for a warpgroup; one that it has no rule for is refused by name, as it is there:
 *
 * | operations                                                    | lowered in a warp by                                            |
 * |---------------------------------------------------------------|-----------------------------------------------------------------|
 * | sums, products, quotients, order, bits, shifts, conversions   | both lowerings                                                  |
 * | `neg`, `not`                                                  | that of lanes                                                   |
 * | `select_n`, calls                                             | both; JAX 0.10.2: that of lanes                                 |
 * | `sign`, `optimization_barrier`, `griddepcontrol_*`            | both; JAX 0.10.2: neither                                       |
 * | scales into tensor memory                                     | both; JAX 0.10.2: that of lanes                                 |
 * | loops, branches, loads and stores, copies, barriers, products of tensor memory, semaphores | both                               |
 *
 * Source: the rules that JAX 0.10.2 and 0.11.2 register for warps.
 */
import type { Here } from './here.js'

const words = (text: string): ReadonlyArray<string> => text.split(' ')

const always: ReadonlySet<string> = new Set([
  ...words('add sub mul div rem max min and or xor shift_left shift_right_logical shift_right_arithmetic'),
  ...words('eq ne lt le gt ge convert_element_type axis_index cond scan while get swap debug_print'),
  ...words('copy_gmem_to_smem copy_smem_to_gmem commit_group wait_smem_to_gmem async_prefetch'),
  ...words(
    'inline_mgpu inline_ptx warpgroup_barrier barrier_arrive barrier_test barrier_wait semaphore_signal semaphore_wait',
  ),
  ...words('tcgen05_mma tcgen05_commit_arrive async_copy_smem_to_tmem async_copy_sparse_metadata_to_tmem'),
])
const ofLanes: ReadonlySet<string> = new Set(words('neg not'))
const ofLanesAtFirst: ReadonlySet<string> = new Set(words('select_n call async_copy_scales_to_tmem'))
const later: ReadonlySet<string> = new Set(
  words('sign optimization_barrier griddepcontrol_launch_dependents griddepcontrol_wait'),
)

/** Is there a rule for it in a warp? */
export const isLoweredInWarps = (op: string, h: Pick<Here, 'document' | 'lowering'>): boolean => {
  const first = h.document.producer?.['jax'] === '0.10.2'
  const lanes = h.lowering === 'lane'
  return (
    always.has(op) ||
    (ofLanes.has(op) && lanes) ||
    (ofLanesAtFirst.has(op) && (lanes || !first)) ||
    (later.has(op) && !first)
  )
}
