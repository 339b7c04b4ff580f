"""y = 2 x by TMA. It looks right: the copy is waited for, and so is the store."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))


@gluon.jit
def row_scale(dx, dy, MENDED: gl.constexpr):
    tile = gl.allocate_shared_memory(dx.dtype, dx.block_type.shape, dx.layout)
    full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    row = gl.program_id(0) * dx.block_type.shape[0]
    mbarrier.init(full, count=1)
    mbarrier.expect(full, dx.block_type.nbytes)
    tma.async_copy_global_to_shared(dx, [row, 0], full, tile)
    mbarrier.wait(full, 0)
    x = tile.load(ROWS)
    tile.store(x * 2)
    if MENDED:
        fence_async_shared()
    tma.async_copy_shared_to_global(dy, [row, 0], tile)
    tma.store_wait(0)
