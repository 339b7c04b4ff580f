from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
TILE = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)


@gluon.jit
def double(x, y):
    tile = gl.allocate_shared_memory(x.dtype, x.block_type.shape, x.layout)
    full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(full, count=1)
    mbarrier.expect(full, x.block_type.nbytes)
    tma.async_copy_global_to_shared(x, [gl.program_id(0) * 64, 0], full, tile)
    mbarrier.wait(full, 0)
    tile.store(tile.load(ROWS) * 2)
    fence_async_shared()
    tma.async_copy_shared_to_global(y, [gl.program_id(0) * 64, 0], tile)
    tma.store_wait(0)
