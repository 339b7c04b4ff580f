"""An accumulator that is read without a wait has whatever the product has written so far."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, arrived):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
        plgpu.barrier_wait(arrived)

        def multiply(acc):
            plgpu.wgmma(acc, a_smem, b_smem)  #: named
            return plgpu.wgmma_accumulator_load(acc, wait_n=0 if right else None)  #: named

        out_gmem[...] = pl.run_scoped(multiply, plgpu.ACC((64, 128), jnp.float32))

    operand = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((64, 128), jnp.float32),
        scratch_types=[
            plgpu.SMEM((64, 64), jnp.float16, transforms=operand),
            plgpu.SMEM((64, 128), jnp.float16, transforms=operand),
            plgpu.Barrier(num_arrivals=2, num_barriers=1),
        ],
    )


def expected(a, b):
    return a.astype("float32") @ b.astype("float32")


PAIR = Pair(make, [("float16", (64, 64)), ("float16", (64, 128))], expected, "wait_n=None, not 0", "M1", "hopper")
