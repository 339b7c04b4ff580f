"""A partitioned copy: each block fetches its half, and the leader's barrier alone counts both. It expects two copies, of two blocks each."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, acc, arrived, done):
        block = lax.axis_index("block")
        for source, target, axis in ((a_gmem, a_smem, 0), (b_gmem, b_smem, 1)):
            plgpu.copy_gmem_to_smem(  #: named
                source,
                target,
                arrived,
                collective_axes="block",
                leader_tracked=plgpu.CopyPartition.PARTITIONED(axis),
            )

        @pl.when(block == 0)
        def _multiply():
            if right:
                plgpu.barrier_wait(arrived)
            plgpu.tcgen05_mma(acc, a_smem, b_smem, accumulate=False, collective_axis="block")  #: named
            plgpu.tcgen05_commit_arrive(done, collective_axis="block")

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
            plgpu.Barrier(num_barriers=1, orders_tensor_core=True),
        ],
    )


def expected(a, b):
    return a.astype("float32") @ b.astype("float32")


PAIR = Pair(
    make,
    [("float16", (256, 64)), ("float16", (64, 128))],
    expected,
    "the leader does not wait",
    "R1",
    "blackwell",
    explore=True,
)
