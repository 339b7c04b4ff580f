"""A copy into shared memory is over when its barrier says so, and not when the call returns."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, out_gmem, tile, arrived):
        plgpu.copy_gmem_to_smem(x_gmem, tile, arrived)  #: named
        if right:
            plgpu.barrier_wait(arrived)
        out_gmem[...] = tile[...] + 1  #: named

    shape = jax.ShapeDtypeStruct((64, 64), jnp.float32)
    return plgpu.kernel(
        body, out_type=shape, scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier(num_barriers=1)]
    )


PAIR = Pair(make, [("float32", (64, 64))], lambda x: x + 1, "no barrier_wait", "P4", "hopper")
