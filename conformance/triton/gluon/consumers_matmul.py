"""c = a @ b by three partitions: a warp loads, and two groups of four warps multiply, each its half of the rows, from the same slots."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared, mbarrier, tma, warpgroup_mma,
                                                              warpgroup_mma_wait)

SLOTS = gl.constexpr(2)


@gluon.jit
def produce(da, db, row, col, steps, a, b, full, empty, WRONG: gl.constexpr):
    HALF: gl.constexpr = da.block_type.shape[0]
    BK: gl.constexpr = da.block_type.shape[1]
    for k in range(steps):
        slot = k % SLOTS
        bar = full.index(slot)
        mbarrier.wait(empty.index(slot), ((k // SLOTS) & 1) ^ 1)
        if WRONG == 'bytes':
            mbarrier.expect(bar, da.block_type.nbytes + db.block_type.nbytes)
        elif WRONG == 'more':
            mbarrier.expect(bar, 2 * (da.block_type.nbytes + db.block_type.nbytes))
        else:
            mbarrier.expect(bar, 2 * da.block_type.nbytes + db.block_type.nbytes)
        tma.async_copy_global_to_shared(da, [row, k * BK], bar, a.index(2 * slot))
        tma.async_copy_global_to_shared(da, [row + HALF, k * BK], bar, a.index(2 * slot + 1))
        tma.async_copy_global_to_shared(db, [k * BK, col], bar, b.index(slot))


@gluon.jit
def consume(dc, half: gl.constexpr, row, col, steps, a, b, full, empty, c, WRONG: gl.constexpr):
    HALF: gl.constexpr = a.shape[1]
    BN: gl.constexpr = b.shape[2]
    product: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BN, 16])
    acc = gl.zeros([HALF, BN], gl.float32, product)
    for k in range(steps):
        slot = k % SLOTS
        mbarrier.wait(full.index(slot), (k // SLOTS) & 1)
        acc = warpgroup_mma(a.index(2 * slot + half), b.index(slot), acc, is_async=True)
        if WRONG == 'lag':
            acc = warpgroup_mma_wait(1, deps=[acc])
        else:
            acc = warpgroup_mma_wait(0, deps=[acc])
        mbarrier.arrive(empty.index(slot), count=1)
    if WRONG == 'lag':
        acc = warpgroup_mma_wait(0, deps=[acc])
    if WRONG == 'tile':
        out = c.index(0)
    else:
        out = c.index(half)
    out.store(acc.to(dc.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(dc, [row + half * HALF, col], out)
    tma.store_wait(0)


@gluon.jit
def consumers_matmul(da, db, dc, K, WRONG: gl.constexpr):
    HALF: gl.constexpr = da.block_type.shape[0]
    BK: gl.constexpr = da.block_type.shape[1]
    BN: gl.constexpr = db.block_type.shape[1]
    a = gl.allocate_shared_memory(da.dtype, [2 * SLOTS, HALF, BK], da.layout)
    b = gl.allocate_shared_memory(db.dtype, [SLOTS, BK, BN], db.layout)
    c = gl.allocate_shared_memory(dc.dtype, [2, HALF, BN], dc.layout)
    full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(SLOTS):
        mbarrier.init(full.index(s), count=1)
        if WRONG == 'one':
            mbarrier.init(empty.index(s), count=1)
        elif WRONG == 'three':
            mbarrier.init(empty.index(s), count=3)
        else:
            mbarrier.init(empty.index(s), count=2)
    row = gl.program_id(0) * (2 * HALF)
    col = gl.program_id(1) * BN
    steps = K // BK
    gl.warp_specialize([
        (consume, (dc, 0, row, col, steps, a, b, full, empty, c, WRONG)),
        (consume, (dc, 1, row, col, steps, a, b, full, empty, c, WRONG)),
        (produce, (da, db, row, col, steps, a, b, full, empty, WRONG)),
    ], [4, 1], [160, 24])
    for s in gl.static_range(SLOTS):
        mbarrier.invalidate(full.index(s))
        mbarrier.invalidate(empty.index(s))


LAUNCH = dict(
    kernel=consumers_matmul, target=90, warps=4, grid=[1, 2], outputs=['c'], computes=['matmul', 'a', 'b', 'c'],
    tensors=dict(a=('f16', [128, 320]), b=('f16', [320, 128]), c=('f16', [128, 128])),
    args=[dict(tensor='a', block=[64, 64]), dict(tensor='b', block=[64, 64]), dict(tensor='c', block=[64, 64]), 320])

MISTAKES = dict(
    one='an empty slot counts one consumer of two',
    three='an empty slot counts an arrival more than there are consumers',
    lag='a slot is given back while its product may still be under way',
    bytes='the bytes of one half of the rows are not expected',
    more='the bytes of b are expected twice',
    tile='both consumers put their half into the same tile')
