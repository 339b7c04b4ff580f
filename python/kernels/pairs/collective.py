"""Two blocks, one product: the leader's instruction reads the operands of both, so both halves must have arrived."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, acc, arrived, halves, done):
        block = lax.axis_index("block")
        plgpu.copy_gmem_to_smem(a_gmem.at[pl.ds(block * 128, 128)], a_smem, arrived)
        plgpu.copy_gmem_to_smem(b_gmem.at[:, pl.ds(block * 64, 64)], b_smem, arrived)  #: named
        plgpu.barrier_wait(arrived)
        plgpu.barrier_arrive(halves)
        if right:
            plgpu.barrier_wait(halves)
        plgpu.tcgen05_mma(acc, a_smem, b_smem, done, accumulate=False, collective_axis="block")  #: named
        plgpu.barrier_wait(done)
        out_gmem[pl.ds(block * 128, 128)] = plgpu.async_load_tmem(acc)
        plgpu.wait_load_tmem()

    operand = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((256, 128), jnp.float32),
        cluster=(2,),
        cluster_names=("block",),
        scratch_types=[
            plgpu.SMEM((128, 64), jnp.float16, transforms=operand),
            plgpu.SMEM((64, 64), jnp.float16, transforms=operand),
            plgpu.TMEM((128, 128), jnp.float32, collective=True),
            plgpu.Barrier(num_arrivals=2, num_barriers=1),
            plgpu.ClusterBarrier(collective_axes=("block",), num_barriers=1),
            plgpu.Barrier(num_barriers=1, orders_tensor_core=True),
        ],
    )


def expected(a, b):
    return a.astype("float32") @ b.astype("float32")


PAIR = Pair(
    make,
    [("float16", (256, 64)), ("float16", (64, 128))],
    expected,
    "no wait for the other half",
    "R1",
    "blackwell",
    explore=True,
)
