"""matmul0: one warpgroup, an emitted pipeline, a tensor core that runs one step behind."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .setup import TuningConfig, cut


def matmul0(a, b, config: TuningConfig):
    problem = cut(a, b, config)
    tile_m, tile_n, tile_k = config.tile_m, config.tile_n, config.tile_k
    dtype, k_iters, transforms = problem.dtype, problem.k_iters, problem.transforms

    def kernel(a_gmem, b_gmem, out_gmem, acc_tmem, acc_smem, consumed_barriers):
        mi = lax.axis_index("m")
        ni = lax.axis_index("n")
        rows = pl.ds(mi * tile_m, tile_m)
        columns = pl.ds(ni * tile_n, tile_n)

        def multiply(indices, a_smem, b_smem):
            (ki,) = indices
            arrives = ki % 2
            awaited = 1 - arrives
            plgpu.tcgen05_mma(acc_tmem, a_smem, b_smem, barrier=consumed_barriers.at[arrives], accumulate=(ki > 0))
            plgpu.barrier_wait(consumed_barriers.at[awaited])

        plgpu.barrier_arrive(consumed_barriers.at[1])  # the first step waits for no product
        late = dict(transforms=transforms, delay_release=1)
        plgpu.emit_pipeline(
            multiply,
            in_specs=[
                plgpu.BlockSpec((tile_m, tile_k), lambda ki: (mi, ki), **late),
                plgpu.BlockSpec((tile_k, tile_n), lambda ki: (ki, ni), **late),
            ],
            grid=(k_iters,),
            max_concurrent_steps=config.max_concurrent_steps,
        )(a_gmem, b_gmem)

        plgpu.barrier_wait(consumed_barriers.at[1 - (k_iters % 2)])
        acc_smem[...] = plgpu.async_load_tmem(acc_tmem).astype(dtype)
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(acc_smem, out_gmem.at[rows, columns])
        plgpu.wait_smem_to_gmem(0, wait_read_only=True)

    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((problem.m, problem.n), dtype),
        grid=(problem.m_iters, problem.n_iters),
        grid_names=("m", "n"),
        scratch_types=dict(
            acc_tmem=plgpu.TMEM((tile_m, tile_n), jnp.float32),
            acc_smem=plgpu.SMEM((tile_m, tile_n), dtype, transforms=transforms),
            consumed_barriers=plgpu.Barrier(num_arrivals=1, num_barriers=2, orders_tensor_core=True),
        ),
    )(a, b)
