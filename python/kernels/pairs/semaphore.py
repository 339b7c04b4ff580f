"""Two blocks of a grid: one leaves its part in global memory and signals, the other waits and adds it to its own."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, part_gmem, out_gmem):
        ready = pl.get_global(plgpu.SemaphoreType.REGULAR)  # one of the grid: those of scratch_types are one a block
        block = lax.axis_index("part")

        @pl.when(block == 0)
        def _give():
            part_gmem[...] = x_gmem[0] * 2  #: named
            plgpu.semaphore_signal(ready, memory_scope="gpu")

        @pl.when(block == 1)
        def _take():
            if right:
                plgpu.semaphore_wait(ready, memory_scope="gpu")
            out_gmem[...] = part_gmem[...] + x_gmem[1]  #: named

    row = jax.ShapeDtypeStruct((256,), jnp.float32)
    return plgpu.kernel(
        body,
        out_type=[row, row],
        grid=(2,),
        grid_names=("part",),
    )


def expected(x):
    return [x[0] * 2, x[0] * 2 + x[1]]


PAIR = Pair(make, [("float32", (2, 256))], expected, "no semaphore_wait", "D3", "hopper")
