"""Each block sends a tile to its peer, which waits on its own barrier before it reads."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(x_gmem, out_gmem, inbox, arrived, gone):
        block = lax.axis_index("block")
        x = plgpu.load(x_gmem.at[block], (), layout=plgpu.Layout.WGMMA, optimized=False)
        peer = dict(cluster_idx=1 - block, cluster_dim="block", optimized=False)
        plgpu.async_store_smem(x * 2, inbox, arrived, **peer)  #: named
        if right:
            plgpu.barrier_wait(arrived)
        out_gmem[block] = plgpu.load(inbox, (), layout=plgpu.Layout.WGMMA)  #: named
        plgpu.barrier_arrive(gone)
        plgpu.barrier_wait(gone)

    tiled = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((2, 64, 64), jnp.float32),
        cluster=(2,),
        cluster_names=("block",),
        scratch_types=[
            plgpu.SMEM((64, 64), jnp.float32, transforms=tiled),
            plgpu.Barrier(num_barriers=1),
            plgpu.ClusterBarrier(collective_axes=("block",), num_barriers=1),
        ],
    )


PAIR = Pair(make, [("float32", (2, 64, 64))], lambda x: x[::-1] * 2, "no barrier_wait", "R1", "hopper")
