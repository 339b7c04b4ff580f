"""A sparse left operand: of four numbers two are stored, and metadata in tensor memory says which. It has to be there before the product."""

import jax
import jax.numpy as jnp
import numpy
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

    def formatted(a, b, meta):
        return product(a, b, plgpu.format_tcgen05_sparse_metadata(meta, jnp.dtype(jnp.float16)))

    operand = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    product = plgpu.kernel(
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
    return formatted


def expected(a, b, meta):
    dense = numpy.zeros((128, 32, 4), numpy.float32)
    stored = a.astype(numpy.float32).reshape(128, 32, 2)
    numpy.put_along_axis(dense, meta.astype(numpy.int64), stored, axis=2)
    return dense.reshape(128, 128) @ b.astype(numpy.float32)


PAIR = Pair(
    make,
    [("float16", (128, 64)), ("float16", (128, 128)), ("uint2", (128, 32, 2))],
    expected,
    "no wait for the metadata",
    "R1",
    "blackwell",
)
