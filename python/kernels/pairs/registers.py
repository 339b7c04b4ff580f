"""Registers move from the thread that copies to those that compute. A thread that takes more waits until they have been given back."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, out_gmem, tile, ready, arrived):
        thread = lax.axis_index("thread")

        @pl.when(thread == 2)
        def _copy():
            if right:
                plgpu.set_max_registers(40, action="decrease")
            plgpu.barrier_wait(ready)
            if not right:
                plgpu.set_max_registers(40, action="decrease")
            plgpu.async_prefetch(x_gmem)
            plgpu.copy_gmem_to_smem(x_gmem, tile, arrived)

        @pl.when(thread < 2)
        def _compute():
            plgpu.set_max_registers(232, action="increase")  #: named
            plgpu.barrier_arrive(ready)
            plgpu.barrier_wait(arrived)
            out_gmem[thread] = tile[thread] * 4

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((2, 256), jnp.float32),
        num_threads=3,
        thread_name="thread",
        scratch_types=[
            plgpu.SMEM((2, 256), jnp.float32),
            plgpu.Barrier(num_arrivals=2, num_barriers=1),
            plgpu.Barrier(num_barriers=1),
        ],
    )


PAIR = Pair(
    make, [("float32", (2, 256))], lambda x: x * 4, "decreases after the wait for those that increase", "B5", "hopper"
)
