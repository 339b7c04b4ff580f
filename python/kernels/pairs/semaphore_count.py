"""Two blocks signal, the third waits for both signals."""

import jax
import jax.numpy as jnp
import numpy
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, parts_gmem, out_gmem):
        low = pl.get_global(plgpu.SemaphoreType.REGULAR)
        high = pl.get_global(plgpu.SemaphoreType.REGULAR)
        block = lax.axis_index("part")

        @pl.when(block < 2)
        def _give():
            parts_gmem[block] = x_gmem[block] - 1  #: named
            plgpu.semaphore_signal_parallel(
                plgpu.SemaphoreSignal(low, device_id=None), plgpu.SemaphoreSignal(high, device_id=None, inc=2)
            )

        @pl.when(block == 2)
        def _take():
            plgpu.semaphore_wait(low, 2 if right else 1)
            out_gmem[0] = parts_gmem[0] + parts_gmem[1]  #: named
            plgpu.semaphore_wait(high, 4)
            out_gmem[1] = parts_gmem[0] - parts_gmem[1]

    rows = jax.ShapeDtypeStruct((2, 256), jnp.float32)
    return plgpu.kernel(body, out_type=[rows, rows], grid=(3,), grid_names=("part",))


def expected(x):
    parts = x - 1
    return [parts, numpy.stack([parts[0] + parts[1], parts[0] - parts[1]])]


PAIR = Pair(make, [("float32", (2, 256))], expected, "waits for one signal of two", "D3", "hopper", explore=True)
