import jax
from jax.experimental.pallas import mosaic_gpu as plgpu


def double(x):
    def double_tile(x_gmem, y_gmem, tile, arrived):
        plgpu.copy_gmem_to_smem(x_gmem, tile, arrived)
        plgpu.barrier_wait(arrived)
        tile[...] = tile[...] * 2
        plgpu.copy_smem_to_gmem(tile, y_gmem)
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        double_tile,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        scratch_types=[plgpu.SMEM(x.shape, x.dtype), plgpu.Barrier()],
    )(x)
