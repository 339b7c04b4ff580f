"""c = (2 a) @ b on sm_100: what is doubled in registers goes to tensor memory, and from there tcgen05.mma takes it as its operand A."""
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
    if WRONG == 'uncounted':
        tma.async_copy_global_to_shared(db, [k * BK, col], full.index((k + 1) % SLOTS), b.index(slot), pred)
    else:
        tma.async_copy_global_to_shared(db, [k * BK, col], full.index(slot), b.index(slot), pred)


@gluon.jit
def weighted_matmul(da, db, dc, K, WRONG: gl.constexpr):
    BM: gl.constexpr = da.block_type.shape[0]
    BK: gl.constexpr = da.block_type.shape[1]
    BN: gl.constexpr = db.block_type.shape[1]
    sums: gl.constexpr = TensorMemoryLayout((BM, BN), col_stride=1)
    operand: gl.constexpr = TensorMemoryLayout((BM, BK), col_stride=1)
    doubled: gl.constexpr = get_tmem_reg_layout(gl.float16, (BM, BK), operand, gl.num_warps())
    a = gl.allocate_shared_memory(da.dtype, [SLOTS, BM, BK], da.layout)
    b = gl.allocate_shared_memory(db.dtype, [SLOTS, BK, BN], db.layout)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], sums)
    left = allocate_tensor_memory(gl.float16, [BM, BK], operand)
    full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    for s in gl.static_range(SLOTS):
        mbarrier.init(full.index(s), count=1)
    mbarrier.init(done, count=1)
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    steps = K // BK
    for s in gl.static_range(SLOTS):
        load(da, db, row, col, s, s < steps, a, b, full, WRONG)
    for k in range(steps):
        slot = k % SLOTS
        mbarrier.wait(full.index(slot), (k // SLOTS) & 1)
        twice = a.index(slot).load(doubled) * 2.0
        if WRONG != 'operand':
            mbarrier.wait(done, (k & 1) ^ 1)
        if WRONG != 'refill':
            fence_async_shared()
            load(da, db, row, col, k + SLOTS - 1, (k > 0) & (k + SLOTS - 1 < steps), a, b, full, WRONG)
        left.store(twice.to(gl.float16))
        tcgen05_mma(left, b.index(slot), acc, use_acc=k > 0)
        if WRONG != 'commit':
            tcgen05_commit(done)
        if WRONG == 'refill':
            fence_async_shared()
            load(da, db, row, col, k + SLOTS, k + SLOTS < steps, a, b, full, WRONG)
    if WRONG == 'last':
        mbarrier.wait(done, steps & 1)
    elif WRONG != 'sums':
        mbarrier.wait(done, (steps - 1) & 1)
    c = gl.allocate_shared_memory(dc.dtype, [BM, BN], dc.layout)
    c.store(acc.load(get_tmem_reg_layout(gl.float32, (BM, BN), sums, gl.num_warps())).to(dc.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(dc, [row, col], c)
    tma.store_wait(0)
    for s in gl.static_range(SLOTS):
        mbarrier.invalidate(full.index(s))
    mbarrier.invalidate(done)


LAUNCH = dict(
    kernel=weighted_matmul, target=100, warps=4, grid=[1, 2], outputs=['c'],
    tensors=dict(a=('f16', [128, 320]), b=('f16', [320, 128]), c=('f16', [128, 128])),
    args=[dict(tensor='a', block=[128, 64]), dict(tensor='b', block=[64, 64]), dict(tensor='c', block=[128, 64]), 320])

MISTAKES = dict(
    operand='the operand in tensor memory is written again while the product before may read it',
    commit='no commit after a product',
    refill='a slot is filled while the product that reads b from it may be under way',
    sums='the sums are read without a wait for the last product',
    last='the wait for the last product passes on the phase before it',
    uncounted="b's copies signal the next slot's barrier")
