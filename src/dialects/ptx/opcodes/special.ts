/**
 * Special registers: what a thread can ask about itself and its launch, each with its type.
 *
 * Source: PTX ISA 9.0, special registers.
 */
import type { TypeName } from '../text/module.js'

const vectors: ReadonlyArray<string> = [
  'tid',
  'ntid',
  'ctaid',
  'nctaid',
  'clusterid',
  'nclusterid',
  'cluster_ctaid',
  'cluster_nctaid',
]
const words: ReadonlyArray<string> = [
  'laneid',
  'warpid',
  'nwarpid',
  'smid',
  'nsmid',
  'cluster_ctarank',
  'cluster_nctarank',
  'lanemask_eq',
  'lanemask_le',
  'lanemask_lt',
  'lanemask_ge',
  'lanemask_gt',
  'clock',
  'clock_hi',
  'globaltimer_lo',
  'globaltimer_hi',
  'reserved_smem_offset_begin',
  'reserved_smem_offset_end',
  'reserved_smem_offset_cap',
  'total_smem_size',
  'aggr_smem_size',
  'dynamic_smem_size',
  ...Array.from({ length: 2 }, (_, k) => `reserved_smem_offset_${String(k)}`),
  ...Array.from({ length: 8 }, (_, k) => `pm${String(k)}`),
  ...Array.from({ length: 32 }, (_, k) => `envreg${String(k)}`),
]
const doubles: ReadonlyArray<string> = [
  'gridid',
  'clock64',
  'globaltimer',
  'current_graph_exec',
  ...Array.from({ length: 8 }, (_, k) => `pm${String(k)}_64`),
]

export const specialRegisters: ReadonlyMap<string, TypeName> = new Map<string, TypeName>([
  ...vectors.flatMap((name) =>
    ['x', 'y', 'z', 'w'].map((axis): [string, TypeName] => [`%${name}.${axis}`, 'u32']),
  ),
  ...words.map((name): [string, TypeName] => [`%${name}`, 'u32']),
  ...doubles.map((name): [string, TypeName] => [`%${name}`, 'u64']),
  ['%is_explicit_cluster', 'pred'],
])
