"""A warp asks whether a copy has arrived, and waits if it has not. A test without a wait behind it reads too early."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, out_gmem, tile, arrived, seen):
        @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
        def _warps():
            @pl.when(lax.axis_index("warp") == 0)
            def _ask():
                plgpu.copy_gmem_to_smem(x_gmem, tile, arrived)  #: named
                there = plgpu.barrier_test(arrived)
                if right:
                    lax.cond(there, lambda: None, lambda: plgpu.barrier_wait(arrived))
                plgpu.barrier_arrive(seen)

        plgpu.barrier_wait(seen)
        out_gmem[...] = tile[...] + 2  #: named

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((2, 256), jnp.float32),
        scratch_types=[plgpu.SMEM((2, 256), jnp.float32), plgpu.Barrier(num_barriers=1), plgpu.Barrier(num_barriers=1)],
    )


PAIR = Pair(make, [("float32", (2, 256))], lambda x: x + 2, "a test without the wait", "R1", "hopper", explore=True)
