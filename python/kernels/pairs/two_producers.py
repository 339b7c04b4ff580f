"""Two threads write the halves of a buffer, a third reads both: the barrier has to count two arrivals."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, out_gmem, halves, written):
        thread = lax.axis_index("thread")

        for half in range(2):

            @pl.when(thread == half)
            def _write():
                halves[half] = x_gmem[half] * 2
                plgpu.barrier_arrive(written)  #: named

        @pl.when(thread == 2)
        def _read():
            plgpu.barrier_wait(written)  #: named
            out_gmem[...] = halves[0] + halves[1]

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((512,), jnp.float32),
        num_threads=3,
        thread_name="thread",
        scratch_types=[
            plgpu.SMEM((2, 512), jnp.float32),
            plgpu.Barrier(num_arrivals=2 if right else 1, num_barriers=1),
        ],
    )


PAIR = Pair(make, [("float32", (2, 512))], lambda x: 2 * (x[0] + x[1]), "num_arrivals=1, not 2", "B1", "hopper")
