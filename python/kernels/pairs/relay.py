"""Two threads pass values through one buffer, both ways. Without its answer the first waits for ever."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

STEPS = 3


def make(right):
    def body(x_gmem, out_gmem, cell, produced, consumed):
        thread = lax.axis_index("thread")

        @pl.when(thread == 0)
        def _produce():
            for step in range(STEPS):
                cell[...] = x_gmem[step] + step
                plgpu.barrier_arrive(produced)
                plgpu.barrier_wait(consumed)  #: named

        @pl.when(thread == 1)
        def _consume():
            for step in range(STEPS):
                plgpu.barrier_wait(produced)
                out_gmem[step] = cell[...] * 3
                if right or step < STEPS - 2:
                    plgpu.barrier_arrive(consumed)

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((STEPS, 256), jnp.float32),
        num_threads=2,
        thread_name="thread",
        scratch_types=[plgpu.SMEM((256,), jnp.float32), plgpu.Barrier(num_barriers=1), plgpu.Barrier(num_barriers=1)],
    )


def expected(x):
    return (x + [[step] for step in range(STEPS)]).astype(x.dtype) * 3


PAIR = Pair(make, [("float32", (STEPS, 256))], expected, "an arrival is left out", "B5", "hopper")
