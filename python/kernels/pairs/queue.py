"""Two threads and a queue of two slots: one copies rows in, the other consumes them. A slot is filled again when it has been consumed."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

STEPS, SLOTS = 5, 2


def make(right):
    def body(x_gmem, out_gmem, queue, filled, consumed):
        thread = lax.axis_index("thread")

        @pl.when(thread == 0)
        def _produce():
            for step in range(STEPS):
                slot = step % SLOTS
                if step >= SLOTS and right:
                    plgpu.barrier_wait(consumed.at[slot])
                plgpu.copy_gmem_to_smem(x_gmem.at[step], queue.at[slot], filled.at[slot])  #: named
            for step in range(STEPS, STEPS + SLOTS):
                if right:
                    plgpu.barrier_wait(consumed.at[step % SLOTS])

        @pl.when(thread == 1)
        def _consume():
            for step in range(STEPS):
                slot = step % SLOTS
                plgpu.barrier_wait(filled.at[slot])  #: named
                out_gmem[step] = queue[slot] * 2
                plgpu.commit_smem()  # what was read here is overwritten by the copy's proxy
                plgpu.barrier_arrive(consumed.at[slot])

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


PAIR = Pair(make, [("float32", (STEPS, 256))], lambda x: x * 2, "no wait for consumed", "B1", "hopper")
