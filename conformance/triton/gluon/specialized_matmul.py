"""c = a @ b by two partitions: a warp loads by TMA, four warps multiply; barriers hand the slots of a ring to and fro."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared, mbarrier, tma, warpgroup_mma,
                                                              warpgroup_mma_wait)

SLOTS = gl.constexpr(2)


@gluon.jit
def produce(da, db, row, col, steps, a, b, full, empty, WRONG: gl.constexpr):
    BK: gl.constexpr = da.block_type.shape[1]
    for k in range(steps):
        slot = k % SLOTS
        if WRONG == 'prime':
            mbarrier.wait(empty.index(slot), (k // SLOTS) & 1)
        elif WRONG != 'reuse':
            mbarrier.wait(empty.index(slot), ((k // SLOTS) & 1) ^ 1)
        mbarrier.expect(full.index(slot), da.block_type.nbytes + db.block_type.nbytes)
        tma.async_copy_global_to_shared(da, [row, k * BK], full.index(slot), a.index(slot))
        if WRONG == 'slot':
            tma.async_copy_global_to_shared(db, [k * BK, col], full.index(slot), b.index((k + 1) % SLOTS))
        else:
            tma.async_copy_global_to_shared(db, [k * BK, col], full.index(slot), b.index(slot))


@gluon.jit
def consume(dc, row, col, steps, a, b, full, empty, c, WRONG: gl.constexpr):
    BM: gl.constexpr = a.shape[1]
    BN: gl.constexpr = b.shape[2]
    product: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BN, 16])
    acc = gl.zeros([BM, BN], gl.float32, product)
    for k in range(steps):
        slot = k % SLOTS
        mbarrier.wait(full.index(slot), (k // SLOTS) & 1)
        acc = warpgroup_mma(a.index(slot), b.index(slot), acc, is_async=True)
        if WRONG == 'early':
            mbarrier.arrive(empty.index(slot), count=1)
            acc = warpgroup_mma_wait(0, deps=[acc])
        else:
            acc = warpgroup_mma_wait(0, deps=[acc])
            if WRONG == 'twice':
                mbarrier.arrive(empty.index(slot), count=2)
            else:
                mbarrier.arrive(empty.index(slot), count=1)
    c.store(acc.to(dc.dtype))
    if WRONG != 'fence':
        fence_async_shared()
    tma.async_copy_shared_to_global(dc, [row, col], c)
    tma.store_wait(0)


@gluon.jit
def specialized_matmul(da, db, dc, K, WRONG: gl.constexpr):
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
    col = gl.program_id(1) * BN
    steps = K // BK
    gl.warp_specialize([
        (consume, (dc, row, col, steps, a, b, full, empty, c, WRONG)),
        (produce, (da, db, row, col, steps, a, b, full, empty, WRONG)),
    ], [1], [24])
    for s in gl.static_range(SLOTS):
        mbarrier.invalidate(full.index(s))
        mbarrier.invalidate(empty.index(s))


LAUNCH = dict(
    kernel=specialized_matmul, target=90, warps=4, grid=[1, 2], outputs=['c'], computes=['matmul', 'a', 'b', 'c'],
    tensors=dict(a=('f16', [64, 320]), b=('f16', [320, 128]), c=('f16', [64, 128])),
    args=[dict(tensor='a', block=[64, 64]), dict(tensor='b', block=[64, 64]), dict(tensor='c', block=[64, 64]), 320])

MISTAKES = dict(
    prime='the loader waits for phase 0 of an empty slot that has never been full',
    reuse='the loader does not wait until a slot is empty',
    slot="one operand goes to the next slot",
    early='a slot is given back before its product is done',
    twice='a slot is given back with two arrivals where one is counted',
    fence='no proxy fence between the tile in shared memory and its TMA store')
