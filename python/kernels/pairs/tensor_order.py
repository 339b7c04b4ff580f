"""A barrier between two threads that use tensor memory has to order it: `orders_tensor_core=True`."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, out_gmem, tmem, stored):
        thread = lax.axis_index("thread")

        @pl.when(thread == 0)
        def _store():
            x = plgpu.load(x_gmem, (), layout=plgpu.Layout.TCGEN05, optimized=False)
            plgpu.async_store_tmem(tmem, x - 3)  #: named
            plgpu.commit_tmem()
            plgpu.barrier_arrive(stored)

        @pl.when(thread == 1)
        def _load():
            plgpu.barrier_wait(stored)
            out_gmem[...] = plgpu.async_load_tmem(tmem)  #: named
            plgpu.wait_load_tmem()

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((128, 32), jnp.float32),
        num_threads=2,
        thread_name="thread",
        scratch_types=[
            plgpu.TMEM((128, 32), jnp.float32),
            plgpu.Barrier(num_barriers=1, orders_tensor_core=right),
        ],
    )


PAIR = Pair(make, [("float32", (128, 32))], lambda x: x - 3, "orders_tensor_core=False", "M8", "blackwell")
