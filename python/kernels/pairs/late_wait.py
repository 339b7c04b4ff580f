"""The producer of a queue waits from the first refill on. One step too late, and every wait stands for the generation before the one it means."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

STEPS, SLOTS = 6, 2


def make(right):
    first = SLOTS if right else SLOTS + 1

    def body(x_gmem, out_gmem, queue, filled, consumed):
        thread = lax.axis_index("thread")

        @pl.when(thread == 0)
        def _produce():
            def step(i, _):
                slot = lax.rem(i, SLOTS)

                @pl.when(i >= first)
                def _():
                    plgpu.barrier_wait(consumed.at[slot])

                plgpu.copy_gmem_to_smem(x_gmem.at[i], queue.at[slot], filled.at[slot])  #: named

            lax.fori_loop(0, STEPS, step, None)
            for slot in range(SLOTS):
                plgpu.barrier_wait(consumed.at[slot])

        @pl.when(thread == 1)
        def _consume():
            def step(i, _):
                slot = lax.rem(i, SLOTS)
                plgpu.barrier_wait(filled.at[slot])  #: named
                out_gmem[i] = queue[slot] - 1
                plgpu.commit_smem()
                plgpu.barrier_arrive(consumed.at[slot])

            lax.fori_loop(0, STEPS, step, None)

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((STEPS, 256), jnp.float32),
        num_threads=2,
        thread_name="thread",
        scratch_types=[
            plgpu.SMEM((SLOTS, 256), jnp.float32),
            plgpu.Barrier(num_barriers=SLOTS),
            plgpu.Barrier(num_barriers=SLOTS),
        ],
    )


PAIR = Pair(make, [("float32", (STEPS, 256))], lambda x: x - 1, "waits begin one step late", "B1", "hopper")
