"""Two operands, two barriers: each is read behind its own wait."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    second = 1 if right else 0

    def body(x_gmem, y_gmem, out_gmem, x_smem, y_smem, arrived):
        plgpu.copy_gmem_to_smem(x_gmem, x_smem, arrived.at[0])
        plgpu.copy_gmem_to_smem(y_gmem, y_smem, arrived.at[second])  #: named
        plgpu.barrier_wait(arrived.at[0])  #: named
        x = x_smem[...]
        plgpu.barrier_wait(arrived.at[1])
        out_gmem[...] = x * y_smem[...]

    shape = jax.ShapeDtypeStruct((32, 64), jnp.float32)
    return plgpu.kernel(
        body,
        out_type=shape,
        scratch_types=[
            plgpu.SMEM((32, 64), jnp.float32),
            plgpu.SMEM((32, 64), jnp.float32),
            plgpu.Barrier(num_barriers=2),
        ],
    )


PAIR = Pair(make, [("float32", (32, 64))] * 2, lambda x, y: x * y, "both copies on one barrier", "B1", "hopper")
