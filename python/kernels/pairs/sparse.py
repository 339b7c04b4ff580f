"""A sparse left operand: of four numbers two are stored, and metadata in tensor memory says which. It has to be there before the product."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(a_gmem, b_gmem, meta_gmem, out_gmem, a_smem, b_smem, meta_smem, meta, acc, arrived, told, done):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
        plgpu.copy_gmem_to_smem(meta_gmem, meta_smem, told)  #: named
        if right:
            plgpu.barrier_wait(told)
        plgpu.async_copy_sparse_metadata_to_tmem(meta_smem, meta)  #: named
        plgpu.barrier_wait(arrived)
        plgpu.tcgen05_mma(acc, a_smem, b_smem, done, a_sparse_metadata=meta, accumulate=False)
        plgpu.barrier_wait(done)
        out_gmem[...] = plgpu.async_load_tmem(acc)
        plgpu.wait_load_tmem()

    operand = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((128, 128), jnp.float32),
        scratch_types=[
            plgpu.SMEM((128, 64), jnp.float16, transforms=operand),
            plgpu.SMEM((128, 128), jnp.float16, transforms=operand),
            plgpu.SMEM((1, 1, 128, 64), jnp.uint2),
            plgpu.TMEM((128, 64), jnp.uint2, layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT),
            plgpu.TMEM((128, 128), jnp.float32),
            plgpu.Barrier(num_arrivals=2, num_barriers=1),
            plgpu.Barrier(num_barriers=1),
            plgpu.Barrier(num_barriers=1, orders_tensor_core=True),
        ],
    )


def expected(a, b, meta):
    first, second = (int(x) for x in meta.reshape(-1)[:2])  # the same two of every four
    dense = a.astype("float32").reshape(128, 32, 2)
    rows = b.astype("float32").reshape(32, 4, 128)[:, [first, second]]
    return dense.reshape(128, 64) @ rows.reshape(64, 128)


PAIR = Pair(
    make,
    [("float16", (128, 64)), ("float16", (128, 128)), ("uint2", (1, 1, 128, 64))],
    expected,
    "no wait for the metadata",
    "R1",
    "blackwell",
)
