"""Two threads add to one buffer. What is read and written back without atomicity loses one of the sums."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, out_gmem, total, cleared, added):
        thread = lax.axis_index("thread")

        @pl.when(thread == 0)
        def _clear():
            total[...] = jnp.zeros((256,), jnp.float32)
            plgpu.barrier_arrive(cleared)

        plgpu.barrier_wait(cleared)
        if right:
            plgpu.atomic_add(total, x_gmem[thread])
        else:
            total[...] = total[...] + x_gmem[thread]  #: named
        plgpu.barrier_arrive(added)

        @pl.when(thread == 1)
        def _give():
            plgpu.barrier_wait(added)
            out_gmem[...] = total[...]

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((256,), jnp.float32),
        num_threads=2,
        thread_name="thread",
        scratch_types=[
            plgpu.SMEM((256,), jnp.float32),
            plgpu.Barrier(num_barriers=1),
            plgpu.Barrier(num_arrivals=2, num_barriers=1),
        ],
    )


PAIR = Pair(make, [("float32", (2, 256))], lambda x: x[0] + x[1], "read, add, write for atomic_add", "D1", "hopper")
