"""A pipeline as `pl.pallas_call` makes it: a block is released when the body returns, so no product that reads it may be left running.

JAX 0.10.2 drops a `delay_release` of a `BlockSpec` that is given to `pallas_call`, and 0.11.2 has no `pallas_call` for Mosaic GPU.
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

STEPS = 4


def make(right):
    def body(a_smem, b_smem, out_smem, acc):
        plgpu.wgmma(acc, a_smem, b_smem)  #: named
        plgpu.wgmma_wait(0 if right else 1)

        @pl.when(pl.program_id(0) == STEPS - 1)
        def _give():
            out_smem[...] = acc[...]

    operand = dict(transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)))
    return pl.pallas_call(
        body,
        out_shape=jax.ShapeDtypeStruct((64, 64), jnp.float32),
        in_specs=[
            plgpu.BlockSpec((64, 64), lambda k: (0, k), **operand),
            plgpu.BlockSpec((64, 64), lambda k: (k, 0), **operand),
        ],
        out_specs=plgpu.BlockSpec((64, 64), lambda k: (0, 0)),
        scratch_shapes=[plgpu.ACC((64, 64), jnp.float32)],
        grid=(STEPS,),
        compiler_params=plgpu.CompilerParams(dimension_semantics=["sequential"], max_concurrent_steps=2),
    )


def expected(a, b):
    return a.astype("float32") @ b.astype("float32")


PAIR = Pair(
    make,
    [("float16", (64, 64 * STEPS)), ("float16", (64 * STEPS, 64))],
    expected,
    "wgmma_wait(1), not 0",
    "W3",
    "hopper",
    until="0.11",
)
