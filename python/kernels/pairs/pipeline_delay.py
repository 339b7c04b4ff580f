"""A pipeline whose body leaves its last product running: the blocks of a step are released one step late."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

STEPS = 5


def make(right):
    def body(a_gmem, b_gmem, out_gmem):
        operand = dict(
            transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)), delay_release=1 if right else 0
        )

        def multiply(acc):
            def step(_, a_smem, b_smem):
                plgpu.wgmma(acc, a_smem, b_smem)  #: named
                plgpu.wgmma_wait(1)

            plgpu.emit_pipeline(  #: named
                step,
                grid=(STEPS,),
                in_specs=[
                    plgpu.BlockSpec((64, 64), lambda k: (0, k), **operand),
                    plgpu.BlockSpec((64, 64), lambda k: (k, 0), **operand),
                ],
                max_concurrent_steps=2,
            )(a_gmem, b_gmem)
            return acc[...]

        out_gmem[...] = pl.run_scoped(multiply, plgpu.ACC((64, 64), jnp.float32))

    return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32))


def expected(a, b):
    return a.astype("float32") @ b.astype("float32")


PAIR = Pair(
    make, [("float16", (64, 64 * STEPS)), ("float16", (64 * STEPS, 64))], expected, "delay_release=0", "W3", "hopper"
)
