"""c = a @ b on sm_100 by one partition: TMA, tcgen05.mma into tensor memory, and a commit for each slot says when it may be filled again."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, allocate_tensor_memory,
                                                                 fence_async_shared, get_tmem_reg_layout, mbarrier,
                                                                 tcgen05_commit, tcgen05_mma, tma)

SLOTS = gl.constexpr(2)


@gluon.jit
def load(da, db, row, col, k, pred, a, b, full, WRONG: gl.constexpr):
    slot = k % SLOTS
    BK: gl.constexpr = da.block_type.shape[1]
    mbarrier.expect(full.index(slot), da.block_type.nbytes + db.block_type.nbytes, pred)
    tma.async_copy_global_to_shared(da, [row, k * BK], full.index(slot), a.index(slot), pred)
    tma.async_copy_global_to_shared(db, [k * BK, col], full.index(slot), b.index(slot), pred)


@gluon.jit
def tensor_core_matmul(da, db, dc, K, WRONG: gl.constexpr):
    BM: gl.constexpr = da.block_type.shape[0]
    BK: gl.constexpr = da.block_type.shape[1]
    BN: gl.constexpr = db.block_type.shape[1]
    tile: gl.constexpr = TensorMemoryLayout((BM, BN), col_stride=1)
    a = gl.allocate_shared_memory(da.dtype, [SLOTS, BM, BK], da.layout)
    b = gl.allocate_shared_memory(db.dtype, [SLOTS, BK, BN], db.layout)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], tile)
    full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(SLOTS):
        mbarrier.init(full.index(s), count=1)
        mbarrier.init(done.index(s), count=1)
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    steps = K // BK
    for s in gl.static_range(SLOTS):
        load(da, db, row, col, s, s < steps, a, b, full, WRONG)
    for k in range(steps):
        slot = k % SLOTS
        phase = (k // SLOTS) & 1
        mbarrier.wait(full.index(slot), phase)
        if WRONG == 'accumulate':
            tcgen05_mma(a.index(slot), b.index(slot), acc)
        else:
            tcgen05_mma(a.index(slot), b.index(slot), acc, use_acc=k > 0)
        if WRONG != 'commit':
            tcgen05_commit(done.index(slot))
        if WRONG == 'phase':
            mbarrier.wait(done.index(slot), phase ^ 1)
        elif WRONG != 'reuse':
            mbarrier.wait(done.index(slot), phase)
        load(da, db, row, col, k + SLOTS, k + SLOTS < steps, a, b, full, WRONG)
    if WRONG == 'reuse':
        mbarrier.wait(done.index((steps - 1) % SLOTS), ((steps - 1) // SLOTS) & 1)
    c = gl.allocate_shared_memory(dc.dtype, [BM, BN], dc.layout)
    c.store(acc.load(get_tmem_reg_layout(gl.float32, (BM, BN), tile, gl.num_warps())).to(dc.dtype))
    if WRONG != 'fence':
        fence_async_shared()
    tma.async_copy_shared_to_global(dc, [row, col], c)
    tma.store_wait(0)
    for s in gl.static_range(SLOTS):
        mbarrier.invalidate(full.index(s))
        mbarrier.invalidate(done.index(s))


LAUNCH = dict(
    kernel=tensor_core_matmul, target=100, warps=4, grid=[1, 2], outputs=['c'], computes=['matmul', 'a', 'b', 'c'],
    tensors=dict(a=('f16', [128, 320]), b=('f16', [320, 128]), c=('f16', [128, 128])),
    args=[dict(tensor='a', block=[128, 64]), dict(tensor='b', block=[64, 64]), dict(tensor='c', block=[128, 64]), 320])

MISTAKES = dict(
    accumulate='the first product adds to what is in tensor memory',
    commit='no commit after a product',
    phase="the wait for a product passes on its barrier's other phase",
    reuse='a slot is filled while its product may be under way, for only the last one is waited for',
    fence='no proxy fence between the tile in shared memory and its TMA store')
