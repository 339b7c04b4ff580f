"""Two copies make one group. A wait counts groups that were committed: what was not committed is not waited for."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, out_gmem, low, high):
        for step in range(2):
            low[...] = x_gmem[step, 0]  #: named
            high[...] = x_gmem[step, 1]
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(low, out_gmem.at[step, 1], commit_group=False)  #: named
            plgpu.copy_smem_to_gmem(high, out_gmem.at[step, 0], commit_group=False)
            if right or step == 1:
                plgpu.commit_smem_to_gmem_group()
            plgpu.wait_smem_to_gmem(0)

    shape = jax.ShapeDtypeStruct((2, 2, 256), jnp.float32)
    return plgpu.kernel(
        body, out_type=shape, scratch_types=[plgpu.SMEM((256,), jnp.float32), plgpu.SMEM((256,), jnp.float32)]
    )


PAIR = Pair(make, [("float32", (2, 2, 256))], lambda x: x[:, ::-1], "no commit_smem_to_gmem_group", "W4", "hopper")
