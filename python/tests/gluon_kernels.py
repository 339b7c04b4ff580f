"""Gluon kernels for the tests of ``tcspec.triton``: a matmul by two partitions, and the same with one statement left out."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import blackwell
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)

SLOTS = gl.constexpr(2)


@gluon.jit
def load(da, db, row, column, steps, a, b, full, empty, LEFT_OUT: gl.constexpr):
    BK: gl.constexpr = da.block_type.shape[1]
    for k in range(steps):
        slot = k % SLOTS
        if LEFT_OUT != "wait empty":
            mbarrier.wait(empty.index(slot), ((k // SLOTS) & 1) ^ 1)
        mbarrier.expect(full.index(slot), da.block_type.nbytes + db.block_type.nbytes)
        tma.async_copy_global_to_shared(da, [row, k * BK], full.index(slot), a.index(slot))
        tma.async_copy_global_to_shared(db, [k * BK, column], full.index(slot), b.index(slot))


@gluon.jit
def multiply(dc, row, column, steps, a, b, full, empty, c, LEFT_OUT: gl.constexpr):
    BM: gl.constexpr = a.shape[1]
    BN: gl.constexpr = b.shape[2]
    product: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BN, 16])
    total = gl.zeros([BM, BN], gl.float32, product)
    for k in range(steps):
        slot = k % SLOTS
        if LEFT_OUT != "wait full":
            mbarrier.wait(full.index(slot), (k // SLOTS) & 1)
        total = warpgroup_mma(a.index(slot), b.index(slot), total, is_async=True)
        total = warpgroup_mma_wait(0, deps=[total])
        if LEFT_OUT != "arrive":
            mbarrier.arrive(empty.index(slot), count=1)
    c.store(total.to(dc.dtype))
    if LEFT_OUT != "fence":
        fence_async_shared()
    tma.async_copy_shared_to_global(dc, [row, column], c)
    tma.store_wait(0)


@gluon.jit
def matmul(da, db, dc, K, LEFT_OUT: gl.constexpr = ""):
    BM: gl.constexpr = da.block_type.shape[0]
    BK: gl.constexpr = da.block_type.shape[1]
    BN: gl.constexpr = db.block_type.shape[1]
    a = gl.allocate_shared_memory(da.dtype, [SLOTS, BM, BK], da.layout)
    b = gl.allocate_shared_memory(db.dtype, [SLOTS, BK, BN], db.layout)
    c = gl.allocate_shared_memory(dc.dtype, [BM, BN], dc.layout)
    full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(SLOTS):
        mbarrier.init(full.index(s), count=1)
        mbarrier.init(empty.index(s), count=1)
    row = gl.program_id(0) * BM
    column = gl.program_id(1) * BN
    steps = K // BK
    gl.warp_specialize(
        [
            (multiply, (dc, row, column, steps, a, b, full, empty, c, LEFT_OUT)),
            (load, (da, db, row, column, steps, a, b, full, empty, LEFT_OUT)),
        ],
        [1],
        [24],
    )


@gluon.jit
def matmul_blackwell(da, db, dc, LEFT_OUT: gl.constexpr = ""):
    """One product of tcgen05, for sm_100."""
    a = gl.allocate_shared_memory(da.dtype, da.block_type.shape, da.layout)
    b = gl.allocate_shared_memory(db.dtype, db.block_type.shape, db.layout)
    c = gl.allocate_shared_memory(dc.dtype, dc.block_type.shape, dc.layout)
    full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(full, count=1)
    mbarrier.init(done, count=1)
    mbarrier.expect(full, da.block_type.nbytes + db.block_type.nbytes)
    tma.async_copy_global_to_shared(da, [0, 0], full, a)
    tma.async_copy_global_to_shared(db, [0, 0], full, b)
    mbarrier.wait(full, 0)
    BM: gl.constexpr = dc.block_type.shape[0]
    BN: gl.constexpr = dc.block_type.shape[1]
    place: gl.constexpr = blackwell.TensorMemoryLayout([BM, BN], col_stride=1)
    total = blackwell.allocate_tensor_memory(gl.float32, [BM, BN], place)
    blackwell.tcgen05_mma(a, b, total, use_acc=False)
    blackwell.tcgen05_commit(done)
    if LEFT_OUT != "wait done":
        mbarrier.wait(done, 0)
    registers: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [BM, BN], place, gl.num_warps())
    c.store(total.load(registers).to(dc.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(dc, [0, 0], c)
    tma.store_wait(0)


@gluon.jit
def fill(tile, source, first, rows: gl.constexpr):
    """Rows of a matrix as wide as the tile, by all threads."""
    r = gl.arange(0, tile.shape[0], gl.SliceLayout(1, rows))
    c = gl.arange(0, tile.shape[1], gl.SliceLayout(0, rows))
    async_copy.async_copy_global_to_shared(tile, source + (first + r)[:, None] * tile.shape[1] + c[None, :])
    async_copy.commit_group()


@gluon.jit
def summed(a, b, c, SIZE: gl.constexpr, JOINED: gl.constexpr):
    """a @ (b[0] + b[1] + b[2]), whose tiles take turns in two buffers: the third is filled in where the product with the first has read."""
    warps: gl.constexpr = gl.num_warps()
    ROWS: gl.constexpr = 16 * warps
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [warps, 1], [1, 0])
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [warps, 1], [16, SIZE, 16])
    left = gl.allocate_shared_memory(gl.float16, [ROWS, SIZE], gl.NVMMASharedLayout.get_default_for([ROWS, SIZE], gl.float16))
    square: gl.constexpr = gl.NVMMASharedLayout.get_default_for([SIZE, SIZE], gl.float16)
    even = gl.allocate_shared_memory(gl.float16, [SIZE, SIZE], square)
    odd = gl.allocate_shared_memory(gl.float16, [SIZE, SIZE], square)
    fill(left, a, 0, rows)
    fill(even, b, 0, rows)
    fill(odd, b, SIZE, rows)
    acc = gl.zeros([ROWS, SIZE], gl.float32, sums)
    async_copy.wait_group(1)
    fence_async_shared()
    acc = warpgroup_mma(left, even, acc, is_async=True)
    async_copy.wait_group(0)
    fence_async_shared()
    acc = warpgroup_mma(left, odd, acc, is_async=True)
    acc = warpgroup_mma_wait(0, deps=(acc,))
    if JOINED:
        # each warpgroup has waited for its own products
        gl.thread_barrier()
    fill(even, b, 2 * SIZE, rows)
    async_copy.wait_group(0)
    fence_async_shared()
    acc = warpgroup_mma(left, even, acc, is_async=True)
    acc = warpgroup_mma_wait(0, deps=(acc,))
    r = gl.arange(0, ROWS, gl.SliceLayout(1, sums))
    k = gl.arange(0, SIZE, gl.SliceLayout(0, sums))
    gl.store(c + r[:, None] * SIZE + k[None, :], acc)
