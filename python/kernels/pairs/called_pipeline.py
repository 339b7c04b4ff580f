"""The same as `pl.pallas_call`: the pipeline over the grid is made by the call, and a block is released as its `BlockSpec` says."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

STEPS = 4


def make(right):
    def body(a_smem, b_smem, out_smem, acc):
        plgpu.wgmma(acc, a_smem, b_smem)  #: named
        plgpu.wgmma_wait(1)

        @pl.when(pl.program_id(0) == STEPS - 1)
        def _give():
            out_smem[...] = acc[...]

    operand = dict(
        transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)), delay_release=1 if right else 0
    )
    return pl.pallas_call(  #: named
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
    make, [("float16", (64, 64 * STEPS)), ("float16", (64 * STEPS, 64))], expected, "delay_release=0", "W3", "hopper"
)
