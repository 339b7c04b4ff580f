"""A pipeline with a thread for the copies. The body says itself when a block is consumed: behind the product that reads it."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental import pallas as pl

from .pair import Pair

STEPS = 5


def make(right):
    def body(a_gmem, b_gmem, out_gmem):
        operand = dict(transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)))

        def context(pipeline):
            acc = pipeline(plgpu.layout_cast(jnp.zeros((64, 64), jnp.float32), plgpu.Layout.WGMMA))
            out_gmem[...] = acc

        def step(_, a_smem, b_smem, a_consumed, b_consumed, carry):
            def multiply(acc):
                plgpu.wgmma(acc, a_smem, b_smem)  #: named
                if right:
                    plgpu.wgmma_wait(0)
                plgpu.barrier_arrive(a_consumed)
                plgpu.barrier_arrive(b_consumed)

            return pl.run_state(multiply)(plgpu.ACC.init(carry))

        plgpu.emit_pipeline_warp_specialized(  #: named
            step,
            grid=(STEPS,),
            memory_registers=40,
            in_specs=[
                plgpu.BlockSpec((64, 64), lambda k: (0, k), **operand),
                plgpu.BlockSpec((64, 64), lambda k: (k, 0), **operand),
            ],
            max_concurrent_steps=2,
            wg_axis="thread",
            num_compute_wgs=1,
            manual_consumed_barriers=True,
            compute_context=context,
        )(a_gmem, b_gmem)

    return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32), num_threads=2, thread_name="thread")


def expected(a, b):
    return a.astype("float32") @ b.astype("float32")


PAIR = Pair(
    make,
    [("float16", (64, 64 * STEPS)), ("float16", (64 * STEPS, 64))],
    expected,
    "arrives before the product is done",
    "W3",
    "hopper",
)
