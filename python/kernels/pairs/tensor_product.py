"""A product on Blackwell: operands by two copies, the result out of tensor memory when the tensor core says so."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, acc, arrived, done):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
        plgpu.barrier_wait(arrived)
        plgpu.tcgen05_mma(acc, a_smem, b_smem, done, accumulate=False)  #: named
        if right:
            plgpu.barrier_wait(done)
        out_gmem[...] = plgpu.async_load_tmem(acc)  #: named
        plgpu.wait_load_tmem()

    operand = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((128, 128), jnp.float32),
        scratch_types=[
            plgpu.SMEM((128, 64), jnp.float16, transforms=operand),
            plgpu.SMEM((64, 128), jnp.float16, transforms=operand),
            plgpu.TMEM((128, 128), jnp.float32),
            plgpu.Barrier(num_arrivals=2, num_barriers=1),
            plgpu.Barrier(num_barriers=1, orders_tensor_core=True),
        ],
    )


def expected(a, b):
    return a.astype("float32") @ b.astype("float32")


PAIR = Pair(
    make, [("float16", (128, 64)), ("float16", (64, 128))], expected, "no wait for the product", "M2", "blackwell"
)
