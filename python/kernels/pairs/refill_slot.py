"""The same ring, and its index: what is refilled is the slot of the product before, and not the one that this product reads."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

STEPS, SLOTS = 4, 2


def make(right):
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, arrived):
        def fetch(i, slot):
            depth = pl.ds(i * 64, 64)
            plgpu.copy_gmem_to_smem(a_gmem.at[:, depth], a_smem.at[slot], arrived.at[slot])  #: named
            plgpu.copy_gmem_to_smem(b_gmem.at[depth], b_smem.at[slot], arrived.at[slot])

        def multiply(acc):
            for i in range(STEPS):
                slot = i % SLOTS
                plgpu.barrier_wait(arrived.at[slot])
                plgpu.wgmma(acc, a_smem.at[slot], b_smem.at[slot])  #: named
                plgpu.wgmma_wait(1)
                refill = i + SLOTS - 1
                if SLOTS <= refill < STEPS:
                    fetch(refill, refill % SLOTS if right else slot)
            return acc[...]

        for slot in range(SLOTS):
            fetch(slot, slot)
        out_gmem[...] = pl.run_scoped(multiply, plgpu.ACC((64, 64), jnp.float32))

    operand = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32),
        scratch_types=[
            plgpu.SMEM((SLOTS, 64, 64), jnp.float16, transforms=operand),
            plgpu.SMEM((SLOTS, 64, 64), jnp.float16, transforms=operand),
            plgpu.Barrier(num_arrivals=2, num_barriers=SLOTS),
        ],
    )


def expected(a, b):
    return a.astype("float32") @ b.astype("float32")


PAIR = Pair(
    make,
    [("float16", (64, 64 * STEPS)), ("float16", (64 * STEPS, 64))],
    expected,
    "refills the slot in use",
    "W3",
    "hopper",
)
