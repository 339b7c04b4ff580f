"""Columns of tensor memory are given back to the thread that fills them when they have been read: a load is under way until it is waited for."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

STEPS = 3


def make(right):
    def body(x_gmem, out_gmem, tmem, stored, loaded):
        thread = lax.axis_index("thread")

        @pl.when(thread == 0)
        def _store():
            for step in range(STEPS):
                if step > 0:
                    plgpu.barrier_wait(loaded)
                x = plgpu.load(x_gmem.at[step], (), layout=plgpu.Layout.TCGEN05, optimized=False)
                plgpu.async_store_tmem(tmem, x + step)  #: named
                plgpu.commit_tmem()
                plgpu.barrier_arrive(stored)
            plgpu.barrier_wait(loaded)

        @pl.when(thread == 1)
        def _load():
            for step in range(STEPS):
                plgpu.barrier_wait(stored)
                values = plgpu.async_load_tmem(tmem)  #: named
                if right:
                    plgpu.wait_load_tmem()
                plgpu.barrier_arrive(loaded)
                out_gmem[step] = values
            plgpu.wait_load_tmem()

    ordered = plgpu.Barrier(num_barriers=1, orders_tensor_core=True)
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((STEPS, 128, 32), jnp.float32),
        num_threads=2,
        thread_name="thread",
        scratch_types=[plgpu.TMEM((128, 32), jnp.float32), ordered, ordered],
    )


def expected(x):
    return x + [[[step]] for step in range(STEPS)]


PAIR = Pair(make, [("float32", (STEPS, 128, 32))], expected, "no wait_load_tmem before the arrival", "M3", "blackwell")
