"""matmul2: matmul1 with an epilogue in pieces, so that a piece leaves while the next is read out of tensor memory."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .setup import TuningConfig, cut


def matmul2(a, b, config: TuningConfig):
    problem = cut(a, b, config)
    tile_m, tile_n, tile_k = config.tile_m, config.tile_n, config.tile_k
    dtype, k_iters, transforms = problem.dtype, problem.k_iters, problem.transforms
    slots, epilogue_tile_n = config.max_concurrent_steps, config.epilogue_tile_n

    def kernel(
        a_gmem, b_gmem, out_gmem, a_smem, b_smem, acc_tmem, acc_smem, load_barriers, consumed_barriers, mma_done_barrier
    ):
        mi = lax.axis_index("m")
        ni = lax.axis_index("n")
        rows = pl.ds(mi * tile_m, tile_m)
        columns = pl.ds(ni * tile_n, tile_n)

        @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
        def _warps():
            warp = lax.axis_index("warp")

            @pl.when(warp == 0)
            def _memory():
                def step(ki, _):
                    slot = lax.rem(ki, slots)

                    @pl.when(ki >= slots)
                    def _():  # the slot is in use until the product that reads it is done
                        plgpu.barrier_wait(consumed_barriers.at[slot])

                    depth = pl.ds(ki * tile_k, tile_k)
                    plgpu.copy_gmem_to_smem(a_gmem.at[rows, depth], a_smem.at[slot], load_barriers.at[slot])
                    plgpu.copy_gmem_to_smem(b_gmem.at[depth, columns], b_smem.at[slot], load_barriers.at[slot])

                lax.fori_loop(0, k_iters, step, None)

            @pl.when(warp == 1)
            def _compute():
                def step(ki, _):
                    slot = lax.rem(ki, slots)
                    plgpu.barrier_wait(load_barriers.at[slot])
                    plgpu.tcgen05_mma(
                        acc_tmem, a_smem.at[slot], b_smem.at[slot], consumed_barriers.at[slot], accumulate=(ki > 0)
                    )

                lax.fori_loop(0, k_iters, step, None)
                plgpu.tcgen05_commit_arrive(mma_done_barrier)

        plgpu.barrier_wait(mma_done_barrier)
        out_window = out_gmem.at[rows, columns]
        for piece in range(tile_n // epilogue_tile_n):
            acc_smem_slot = acc_smem.at[piece % 2]
            part = pl.ds(piece * epilogue_tile_n, epilogue_tile_n)
            plgpu.wait_smem_to_gmem(1, wait_read_only=True)  # the copy before the last has left this slot
            acc_smem_slot[...] = plgpu.async_load_tmem(acc_tmem.at[:, part]).astype(dtype)
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(acc_smem_slot, out_window.at[:, part])
        plgpu.wait_smem_to_gmem(0, wait_read_only=True)

    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((problem.m, problem.n), dtype),
        grid=(problem.m_iters, problem.n_iters),
        grid_names=("m", "n"),
        scratch_types=dict(
            a_smem=plgpu.SMEM((slots, tile_m, tile_k), dtype, transforms=transforms),
            b_smem=plgpu.SMEM((slots, tile_k, tile_n), dtype, transforms=transforms),
            acc_tmem=plgpu.TMEM((tile_m, tile_n), jnp.float32),
            acc_smem=plgpu.SMEM((2, tile_m, epilogue_tile_n), dtype, transforms=transforms),
            load_barriers=plgpu.Barrier(num_arrivals=2, num_barriers=slots),
            consumed_barriers=plgpu.Barrier(num_arrivals=1, num_barriers=slots, orders_tensor_core=True),
            mma_done_barrier=plgpu.Barrier(num_arrivals=1, num_barriers=1, orders_tensor_core=True),
        ),
    )(a, b)
