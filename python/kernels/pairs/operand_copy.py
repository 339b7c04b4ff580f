"""A left operand that goes on into tensor memory: the tensor core copies it out of shared memory, which the thread has written."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, a_tmem, acc, arrived, done):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
        plgpu.barrier_wait(arrived)
        a_smem[...] = jnp.maximum(a_smem[...], 0)  #: named
        if right:
            plgpu.commit_smem()
        plgpu.async_copy_smem_to_tmem(a_smem, a_tmem)  #: named
        plgpu.tcgen05_mma(acc, a_tmem, b_smem, done, accumulate=False)
        plgpu.barrier_wait(done)
        out_gmem[...] = plgpu.async_load_tmem(acc)
        plgpu.wait_load_tmem()

    operand = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((128, 64), jnp.float32),
        scratch_types=[
            plgpu.SMEM((128, 64), jnp.float16, transforms=operand),
            plgpu.SMEM((64, 64), jnp.float16, transforms=operand),
            plgpu.TMEM((128, 64), jnp.float16, packed=True),
            plgpu.TMEM((128, 64), jnp.float32),
            plgpu.Barrier(num_arrivals=2, num_barriers=1),
            plgpu.Barrier(num_barriers=1, orders_tensor_core=True),
        ],
    )


def expected(a, b):
    return a.clip(0).astype("float32") @ b.astype("float32")


PAIR = Pair(make, [("float16", (128, 64)), ("float16", (64, 64))], expected, "no commit_smem", "P1", "blackwell")
