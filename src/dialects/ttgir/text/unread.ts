/**
 * Operations that Triton knows and that are not read here, and why: no text that Triton writes as `.ttgir` has them, or no kernel of Triton asks for them.
 *
 * Law 1. Of every operation that Triton knows (`conformance/triton/operations.json`) either its text has a row in `formats.ts` or a reader of its own, or its
 * name stands here, and not both.
 */
const table: ReadonlyArray<readonly [why: string, names: string]> = [
  // of pipelines and partitions
  [
    'part of a compiler pass, and never left in a .ttgir',
    `
    gluon.set_auto_layout nvws.aref.buffer nvws.aref.create nvws.aref.get.enter nvws.aref.get.exit nvws.aref.put.enter
    nvws.aref.put.exit nvws.consumer_release nvws.consumer_wait nvws.create_token nvws.descriptor_gather
    nvws.descriptor_load nvws.producer_acquire nvws.producer_commit nvws.warp_group nvws.warp_group.return
    nvws.warp_group.yield ttg.mask ttg.mask.return ttg.predicate_stage ttg.warp_specialize.partitions
    `,
  ],
  // of texts before their layouts
  [
    'part of a text before its layouts, and never left in a .ttgir',
    `
    tt.advance tt.descriptor_gather tt.descriptor_load tt.descriptor_reduce tt.descriptor_scatter tt.descriptor_store
    tt.make_tensor_ptr
    `,
  ],
  // of MLIR
  [
    'used by no kernel of Triton',
    `
    arith.addui_extended arith.scaling_extf arith.scaling_truncf cf.assert cf.switch math.acos math.acosh math.asin
    math.asinh math.atan math.atan2 math.atanh math.cbrt math.clampf math.copysign math.cosh math.ctlz math.ctpop
    math.cttz math.erfc math.expm1 math.fpowi math.ipowi math.isfinite math.isinf math.isnan math.isnormal math.log10
    math.log1p math.powf math.round math.roundeven math.sinh math.tan math.trunc scf.execute_region scf.forall
    scf.forall.in_parallel scf.index_switch scf.parallel scf.reduce scf.reduce.return
    `,
  ],
  // of MLIR, for hosts and other frontends
  [
    'part of a host program or of another frontend',
    `
    gpu.all_reduce gpu.alloc gpu.binary gpu.block_dim gpu.block_id gpu.cluster_block_id gpu.cluster_dim
    gpu.cluster_dim_blocks gpu.cluster_id gpu.create_2to4_spmat gpu.create_bsr gpu.create_coo gpu.create_coo_aos
    gpu.create_csc gpu.create_csr gpu.create_dn_tensor gpu.dealloc gpu.destroy_dn_tensor gpu.destroy_sp_mat
    gpu.dynamic_shared_memory gpu.func gpu.global_id gpu.grid_dim gpu.host_register gpu.host_unregister gpu.lane_id
    gpu.launch gpu.launch_func gpu.memcpy gpu.memset gpu.module gpu.num_subgroups gpu.printf gpu.return gpu.rotate
    gpu.sddmm gpu.sddmm_buffer_size gpu.set_csr_pointers gpu.set_default_device gpu.shuffle gpu.spgemm_copy
    gpu.spgemm_create_descr gpu.spgemm_destroy_descr gpu.spgemm_work_estimation_or_compute gpu.spmat_get_size gpu.spmm
    gpu.spmm_buffer_size gpu.spmv gpu.spmv_buffer_size gpu.subgroup_broadcast gpu.subgroup_id gpu.subgroup_mma_compute
    gpu.subgroup_mma_constant_matrix gpu.subgroup_mma_elementwise gpu.subgroup_mma_extract_thread_local
    gpu.subgroup_mma_insert_thread_local gpu.subgroup_mma_load_matrix gpu.subgroup_mma_store_matrix gpu.subgroup_reduce
    gpu.subgroup_size gpu.terminator gpu.thread_id gpu.wait gpu.warp_execute_on_lane_0 gpu.yield
    `,
  ],
]

/** Why an operation is not read, by its name. */
export const unread: ReadonlyMap<string, string> = new Map(
  table.flatMap(([why, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, why] as const),
  ),
)
