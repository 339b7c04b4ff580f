"""Products without a barrier of their own: one commit behind the last of them makes the arrival that the thread waits for."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, acc, arrived, done):
        for half in range(2):
            depth = pl.ds(half * 64, 64)
            plgpu.copy_gmem_to_smem(a_gmem.at[:, depth], a_smem.at[half], arrived.at[half])
            plgpu.copy_gmem_to_smem(b_gmem.at[depth], b_smem.at[half], arrived.at[half])
        for half in range(2):
            plgpu.barrier_wait(arrived.at[half])
            plgpu.tcgen05_mma(acc, a_smem.at[half], b_smem.at[half], accumulate=half > 0)  #: named
        if right:
            plgpu.tcgen05_commit_arrive(done)
        plgpu.barrier_wait(done)  #: named
        out_gmem[...] = plgpu.async_load_tmem(acc)
        plgpu.wait_load_tmem()

    operand = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((128, 64), jnp.float32),
        scratch_types=[
            plgpu.SMEM((2, 128, 64), jnp.float16, transforms=operand),
            plgpu.SMEM((2, 64, 64), jnp.float16, transforms=operand),
            plgpu.TMEM((128, 64), jnp.float32),
            plgpu.Barrier(num_arrivals=2, num_barriers=2),
            plgpu.Barrier(num_barriers=1, orders_tensor_core=True),
        ],
    )


def expected(a, b):
    return a.astype("float32") @ b.astype("float32")


PAIR = Pair(
    make,
    [("float16", (128, 128)), ("float16", (128, 64))],
    expected,
    "no tcgen05_commit_arrive",
    "B5",
    "blackwell",
)
