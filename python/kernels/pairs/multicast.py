"""Two blocks fetch one tile for both. A copy writes the peer's slot too, so both must have consumed it: a cluster barrier."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

STEPS = 3


def make(right):
    def body(x_gmem, out_gmem, tile, arrived, consumed):
        block = lax.axis_index("block")
        for step in range(STEPS):
            if step > 0 and right:
                plgpu.barrier_wait(consumed)
            plgpu.copy_gmem_to_smem(x_gmem.at[step], tile, arrived, collective_axes="block")  #: named
            plgpu.barrier_wait(arrived)
            out_gmem[block, step] = tile[...] + 1  #: named
            plgpu.commit_smem()
            plgpu.barrier_arrive(consumed)
        plgpu.barrier_wait(consumed)

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((2, STEPS, 2, 256), jnp.float32),
        cluster=(2,),
        cluster_names=("block",),
        scratch_types=[
            plgpu.SMEM((2, 256), jnp.float32),
            plgpu.Barrier(num_barriers=1),
            plgpu.ClusterBarrier(collective_axes=("block",), num_barriers=1),
        ],
    )


def expected(x):
    return x[None].repeat(2, axis=0) + 1


PAIR = Pair(
    make, [("float32", (STEPS, 2, 256))], expected, "no wait on the cluster barrier", "W1", "hopper", explore=True
)
