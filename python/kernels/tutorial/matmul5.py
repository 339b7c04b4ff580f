"""matmul5: an epilogue warpgroup of its own. While it stores one tile, the other warpgroup computes the next."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .setup import TuningConfig, cut


def matmul5(a, b, config: TuningConfig):
    problem = cut(a, b, config, blocks=2)
    tile_m, tile_n, tile_k = config.tile_m, config.tile_n, config.tile_k
    cluster_tile_m, cluster_tile_n = 2 * tile_m, 2 * tile_n
    dtype, k_iters, transforms = problem.dtype, problem.k_iters, problem.transforms
    slots, epilogue_tile_n = config.max_concurrent_steps, config.epilogue_tile_n

    def kernel(
        a_gmem,
        b_gmem,
        out_gmem,
        a_smem,
        b_smem,
        acc_tmem_slots,
        acc_smem,
        load_barriers,
        consumed_barriers,
        mma_done_barrier,
        store_done_barrier,
    ):
        wg = lax.axis_index("wg")
        is_lead_block = lax.axis_index("cluster") == 0

        @plgpu.nd_loop((problem.m_iters, problem.n_iters), collective_axes="cluster_grid")
        def _tiles(loop_info: plgpu.NDLoopInfo):
            mi, ni = loop_info.index
            rows = pl.ds(mi * cluster_tile_m, cluster_tile_m)
            columns = pl.ds(ni * cluster_tile_n, cluster_tile_n)
            acc_slot = lax.rem(loop_info.local_index, jnp.int32(2))
            acc_tmem = acc_tmem_slots.at[:, pl.ds(acc_slot * cluster_tile_n, cluster_tile_n)]

            @pl.when(wg == 0)
            def _compute_wg():
                @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
                def _warps():
                    warp = lax.axis_index("warp")

                    @pl.when(warp == 0)
                    def _memory():
                        def step(ki, _):
                            slot = lax.rem(ki, slots)

                            @pl.when(jnp.logical_or(ki >= slots, loop_info.local_index > 0))
                            def _():  # the slot is in use until the product that reads it is done
                                plgpu.barrier_wait(consumed_barriers.at[slot])

                            depth = pl.ds(ki * tile_k, tile_k)
                            plgpu.copy_gmem_to_smem(
                                a_gmem.at[rows, depth],
                                a_smem.at[slot],
                                load_barriers.at[slot],
                                collective_axes="cluster",
                                leader_tracked=plgpu.CopyPartition.PARTITIONED(0),
                            )
                            plgpu.copy_gmem_to_smem(
                                b_gmem.at[depth, columns],
                                b_smem.at[slot],
                                load_barriers.at[slot],
                                collective_axes="cluster",
                                leader_tracked=plgpu.CopyPartition.PARTITIONED(1),
                            )

                        lax.fori_loop(0, k_iters, step, None)

                    # The columns were read two tiles ago; both blocks wait, since a barrier may not complete twice without a wait.
                    @pl.when(jnp.logical_and(warp == 1, loop_info.local_index >= 2))
                    def _wait_store():
                        plgpu.barrier_wait(store_done_barrier.at[acc_slot])

                    @pl.when(jnp.logical_and(warp == 1, is_lead_block))
                    def _compute():
                        def step(ki, _):
                            slot = lax.rem(ki, slots)
                            plgpu.barrier_wait(load_barriers.at[slot])
                            plgpu.tcgen05_mma(
                                acc_tmem,
                                a_smem.at[slot],
                                b_smem.at[slot],
                                consumed_barriers.at[slot],
                                accumulate=(ki > 0),
                                collective_axis="cluster",
                            )

                        lax.fori_loop(0, k_iters, step, None)
                        plgpu.tcgen05_commit_arrive(mma_done_barrier.at[acc_slot], collective_axis="cluster")

            @pl.when(wg == 1)
            def _store_wg():
                plgpu.wait_smem_to_gmem(0, wait_read_only=True)  # the pieces of the tile before have left acc_smem
                plgpu.barrier_wait(mma_done_barrier.at[acc_slot])
                out_mi = mi * 2 + lax.axis_index("cluster")
                out_window = out_gmem.at[pl.ds(out_mi * tile_m, tile_m), columns]
                for piece in range(cluster_tile_n // epilogue_tile_n):
                    acc_smem_slot = acc_smem.at[piece % 2]
                    part = pl.ds(piece * epilogue_tile_n, epilogue_tile_n)
                    plgpu.wait_smem_to_gmem(1, wait_read_only=True)  # the copy before the last has left this slot
                    acc_smem_slot[...] = plgpu.async_load_tmem(acc_tmem.at[:, part]).astype(dtype)
                    plgpu.commit_smem()
                    plgpu.copy_smem_to_gmem(acc_smem_slot, out_window.at[:, part])
                plgpu.wait_load_tmem()  # the columns are given back only when they have been read
                plgpu.barrier_arrive(store_done_barrier.at[acc_slot])

        plgpu.wait_smem_to_gmem(0, wait_read_only=True)

    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((problem.m, problem.n), dtype),
        grid=(config.clusters,),
        grid_names=("cluster_grid",),
        cluster=(2,),
        cluster_names=("cluster",),
        num_threads=2,
        thread_name="wg",
        scratch_types=dict(
            a_smem=plgpu.SMEM((slots, tile_m, tile_k), dtype, transforms=transforms),
            b_smem=plgpu.SMEM((slots, tile_k, tile_n), dtype, transforms=transforms),
            acc_tmem_slots=plgpu.TMEM((tile_m, 2 * cluster_tile_n), jnp.float32, collective=True),
            acc_smem=plgpu.SMEM((2, tile_m, epilogue_tile_n), dtype, transforms=transforms),
            load_barriers=plgpu.Barrier(num_arrivals=2, num_barriers=slots),
            consumed_barriers=plgpu.Barrier(num_arrivals=1, num_barriers=slots, orders_tensor_core=True),
            mma_done_barrier=plgpu.Barrier(num_arrivals=1, num_barriers=2, orders_tensor_core=True),
            store_done_barrier=plgpu.ClusterBarrier(
                collective_axes=("cluster",), num_arrivals=1, num_barriers=2, orders_tensor_core=True
            ),
        ),
    )(a, b)
