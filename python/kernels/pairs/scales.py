"""A product of eight-bit numbers with scales: the scales go through shared memory into tensor memory, and have to be there first."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair


def make(right):
    def body(
        a_gmem, b_gmem, sa_gmem, sb_gmem, out_gmem, a_smem, b_smem, sa_smem, sb_smem, sa, sb, acc, arrived, scaled, done
    ):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
        plgpu.copy_gmem_to_smem(sa_gmem, sa_smem, scaled)  #: named
        plgpu.copy_gmem_to_smem(sb_gmem, sb_smem, scaled)
        if right:
            plgpu.barrier_wait(scaled)
        plgpu.async_copy_scales_to_tmem(sa_smem, sa)  #: named
        plgpu.async_copy_scales_to_tmem(sb_smem, sb)
        plgpu.barrier_wait(arrived)
        plgpu.tcgen05_mma(acc, a_smem, b_smem, done, a_scale=sa, b_scale=sb, accumulate=False)
        plgpu.barrier_wait(done)
        out_gmem[...] = plgpu.async_load_tmem(acc)
        plgpu.wait_load_tmem()

    e4m3, e8m0 = jnp.float8_e4m3fn, jnp.float8_e8m0fnu
    operand = (plgpu.TilingTransform((8, 128)), plgpu.SwizzleTransform(128))
    scale = plgpu.TMEM((128, 4), e8m0, layout=plgpu.TMEMLayout.SCALES_LAYOUT)
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((128, 128), jnp.float32),
        scratch_types=[
            plgpu.SMEM((128, 128), e4m3, transforms=operand),
            plgpu.SMEM((128, 128), e4m3, transforms=operand),
            plgpu.SMEM((1, 1, 32, 16), e8m0),
            plgpu.SMEM((1, 1, 32, 16), e8m0),
            scale,
            scale,
            plgpu.TMEM((128, 128), jnp.float32),
            plgpu.Barrier(num_arrivals=2, num_barriers=1),
            plgpu.Barrier(num_arrivals=2, num_barriers=1),
            plgpu.Barrier(num_barriers=1, orders_tensor_core=True),
        ],
    )


def expected(a, b, sa, sb):
    def every(scale):  # one factor for each row and each 32 of k
        return scale.reshape(32, 4, 4).transpose(1, 0, 2).reshape(128, 4).astype("float32").repeat(32, axis=1)

    return (a.astype("float32") * every(sa)) @ (b.astype("float32") * every(sb).T)


PAIR = Pair(
    make,
    [("float8_e4m3fn", (128, 128))] * 2 + [("float8_e8m0fnu", (1, 1, 32, 16))] * 2,
    expected,
    "no wait for the scales",
    "R1",
    "blackwell",
)
