"""A product on Hopper through a ring of slots: the slot of the product before is refilled while this one runs, so that one has to be over."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

STEPS, SLOTS = 6, 3


def make(right):
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, arrived):
        def fetch(i, slot):
            depth = pl.ds(i * 64, 64)
            plgpu.copy_gmem_to_smem(a_gmem.at[:, depth], a_smem.at[slot], arrived.at[slot])  #: named
            plgpu.copy_gmem_to_smem(b_gmem.at[depth], b_smem.at[slot], arrived.at[slot])

        def multiply(acc):
            def step(i, _):
                slot = lax.rem(i, SLOTS)
                plgpu.barrier_wait(arrived.at[slot])
                plgpu.wgmma(acc, a_smem.at[slot], b_smem.at[slot])  #: named
                if right:
                    plgpu.wgmma_wait(1)
                refill = i + SLOTS - 1

                @pl.when(jnp.logical_and(refill >= SLOTS, refill < STEPS))
                def _():
                    fetch(refill, lax.rem(refill, SLOTS))

            lax.fori_loop(0, STEPS, step, None)
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
    make, [("float16", (64, 64 * STEPS)), ("float16", (64 * STEPS, 64))], expected, "no wgmma_wait(1)", "W3", "hopper"
)
