"""c = a @ b by one partition: TMA fills a ring of three slots ahead of wgmma; a slot is filled again once its product is done."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared, mbarrier, tma, warpgroup_mma,
                                                              warpgroup_mma_wait)

SLOTS = gl.constexpr(3)


@gluon.jit
def load(da, db, row, col, k, pred, a, b, full, WRONG: gl.constexpr):
    slot = k % SLOTS
    bar = full.index(slot)
    if WRONG == 'bytes':
        mbarrier.expect(bar, da.block_type.nbytes, pred)
    else:
        mbarrier.expect(bar, da.block_type.nbytes + db.block_type.nbytes, pred)
    tma.async_copy_global_to_shared(da, [row, k * da.block_type.shape[1]], bar, a.index(slot), pred)
    tma.async_copy_global_to_shared(db, [k * da.block_type.shape[1], col], bar, b.index(slot), pred)


@gluon.jit
def ring_matmul(da, db, dc, K, WRONG: gl.constexpr):
    BM: gl.constexpr = da.block_type.shape[0]
    BK: gl.constexpr = da.block_type.shape[1]
    BN: gl.constexpr = db.block_type.shape[1]
    product: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BN, 16])
    a = gl.allocate_shared_memory(da.dtype, [SLOTS, BM, BK], da.layout)
    b = gl.allocate_shared_memory(db.dtype, [SLOTS, BK, BN], db.layout)
    full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(SLOTS):
        if WRONG == 'count':
            mbarrier.init(full.index(s), count=2)
        else:
            mbarrier.init(full.index(s), count=1)
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    steps = K // BK
    for k in gl.static_range(SLOTS - 1):
        load(da, db, row, col, k, k < steps, a, b, full, WRONG)
    acc = gl.zeros([BM, BN], gl.float32, product)
    for k in range(steps):
        slot = k % SLOTS
        if WRONG == 'phase':
            mbarrier.wait(full.index(slot), k & 1)
        elif WRONG == 'slot':
            mbarrier.wait(full.index((k + 1) % SLOTS), (k // SLOTS) & 1)
        elif WRONG != 'wait':
            mbarrier.wait(full.index(slot), (k // SLOTS) & 1)
        acc = warpgroup_mma(a.index(slot), b.index(slot), acc, is_async=True)
        if WRONG == 'pendings':
            acc = warpgroup_mma_wait(2, deps=[acc])
        else:
            acc = warpgroup_mma_wait(1, deps=[acc])
        load(da, db, row, col, k + SLOTS - 1, k + SLOTS - 1 < steps, a, b, full, WRONG)
    acc = warpgroup_mma_wait(0, deps=[acc])
    c = gl.allocate_shared_memory(dc.dtype, [BM, BN], dc.layout)
    c.store(acc.to(dc.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(dc, [row, col], c)
    tma.store_wait(0)
    for s in gl.static_range(SLOTS):
        mbarrier.invalidate(full.index(s))


LAUNCH = dict(
    kernel=ring_matmul, target=90, warps=4, grid=[1, 2], outputs=['c'], computes=['matmul', 'a', 'b', 'c'],
    tensors=dict(a=('f16', [64, 448]), b=('f16', [448, 128]), c=('f16', [64, 128])),
    args=[dict(tensor='a', block=[64, 64]), dict(tensor='b', block=[64, 64]), dict(tensor='c', block=[64, 64]), 448])

MISTAKES = dict(
    phase='the phase of the wait changes every step, not every round of the ring',
    wait='no wait for the copies',
    bytes='the bytes of one operand are expected, and two come',
    count='the barrier counts one arrival for each copy, but there is one for both',
    slot="the wait is for the next slot's barrier",
    pendings='a slot is filled while its product may still be under way')
