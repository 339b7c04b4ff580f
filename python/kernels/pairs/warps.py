"""The warps of a thread with roles of their own: one copies, another waits; the thread goes on when all four are back."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, out_gmem, tiles, arrived, seen):
        @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
        def _warps():
            warp = lax.axis_index("warp")

            @pl.when(warp == 0)
            def _copy():
                for half in range(2):
                    plgpu.copy_gmem_to_smem(x_gmem.at[half], tiles.at[half], arrived.at[half])  #: named

            @pl.when(warp == 1)
            def _watch():
                for half in range(2 if right else 1):
                    plgpu.barrier_wait(arrived.at[half])
                plgpu.barrier_arrive(seen)

        plgpu.barrier_wait(seen)
        out_gmem[...] = tiles[0] - tiles[1]  #: named

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((256,), jnp.float32),
        scratch_types=[
            plgpu.SMEM((2, 256), jnp.float32),
            plgpu.Barrier(num_barriers=2),
            plgpu.Barrier(num_barriers=1),
        ],
    )


PAIR = Pair(make, [("float32", (2, 256))], lambda x: x[0] - x[1], "a warp waits for one copy of two", "R1", "hopper")
