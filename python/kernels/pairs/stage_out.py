"""A thread writes shared memory and copies it out. The copy goes by another proxy: it needs `commit_smem` between."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, out_gmem, stage):
        stage[...] = x_gmem[...] * 2  #: named
        if right:
            plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(stage, out_gmem)  #: named
        plgpu.wait_smem_to_gmem(0)

    shape = jax.ShapeDtypeStruct((64, 64), jnp.float32)
    return plgpu.kernel(body, out_type=shape, scratch_types=[plgpu.SMEM((64, 64), jnp.float32)])


PAIR = Pair(make, [("float32", (64, 64))], lambda x: x * 2, "no commit_smem", "P1", "hopper")
