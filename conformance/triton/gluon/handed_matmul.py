"""c = (2 a) @ b on sm_100 by two partitions: four warps put the doubled operand into tensor memory, and a warp multiplies. By the manual the
operand passes from the ones to the other across `tcgen05.fence` alone, for which Gluon has no word."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, allocate_tensor_memory,
                                                                 fence_async_shared, get_tmem_reg_layout, mbarrier,
                                                                 tcgen05_mma, tma)


@gluon.jit
def double(dc, steps, a, left, acc, c, full, stored, used, WRONG: gl.constexpr):
    BM: gl.constexpr = a.shape[1]
    BK: gl.constexpr = a.shape[2]
    BN: gl.constexpr = c.shape[1]
    doubled: gl.constexpr = get_tmem_reg_layout(gl.float16, (BM, BK), left.layout, gl.num_warps())
    for k in range(steps):
        mbarrier.wait(full.index(k), 0)
        twice = a.index(k).load(doubled) * 2.0
        if WRONG != 'used':
            mbarrier.wait(used, (k & 1) ^ 1)
        if WRONG == 'early':
            mbarrier.arrive(stored, count=1)
        left.store(twice.to(gl.float16))
        if WRONG != 'early':
            mbarrier.arrive(stored, count=1)
    if WRONG != 'sums':
        mbarrier.wait(used, (steps - 1) & 1)
    c.store(acc.load(get_tmem_reg_layout(gl.float32, (BM, BN), acc.layout, gl.num_warps())).to(gl.float16))
    fence_async_shared()
    tma.async_copy_shared_to_global(dc, [0, 0], c)
    tma.store_wait(0)


@gluon.jit
def multiply(steps, left, b, acc, stored, used, WRONG: gl.constexpr):
    for k in range(steps):
        if WRONG == 'phase':
            mbarrier.wait(stored, (k & 1) ^ 1)
        else:
            mbarrier.wait(stored, k & 1)
        tcgen05_mma(left, b.index(k), acc, use_acc=k > 0, mbarriers=[used])


@gluon.jit
def handed_matmul(da, db, dc, K, WRONG: gl.constexpr):
    BM: gl.constexpr = da.block_type.shape[0]
    BK: gl.constexpr = da.block_type.shape[1]
    BN: gl.constexpr = db.block_type.shape[1]
    a = gl.allocate_shared_memory(da.dtype, [2, BM, BK], da.layout)
    b = gl.allocate_shared_memory(db.dtype, [2, BK, BN], db.layout)
    c = gl.allocate_shared_memory(dc.dtype, [BM, BN], dc.layout)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], TensorMemoryLayout((BM, BN), col_stride=1))
    left = allocate_tensor_memory(gl.float16, [BM, BK], TensorMemoryLayout((BM, BK), col_stride=1))
    full = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    stored = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    used = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(stored, count=1)
    mbarrier.init(used, count=1)
    for k in gl.static_range(2):
        mbarrier.init(full.index(k), count=1)
        mbarrier.expect(full.index(k), da.block_type.nbytes + db.block_type.nbytes)
        tma.async_copy_global_to_shared(da, [0, k * BK], full.index(k), a.index(k))
        tma.async_copy_global_to_shared(db, [k * BK, 0], full.index(k), b.index(k))
        mbarrier.wait(full.index(k), 0)
    gl.warp_specialize([
        (double, (dc, K // BK, a, left, acc, c, full, stored, used, WRONG)),
        (multiply, (K // BK, left, b, acc, stored, used, WRONG)),
    ], [1], [24])


LAUNCH = dict(
    kernel=handed_matmul, target=100, warps=4, grid=[1], outputs=['c'], by_manual='M8',
    tensors=dict(a=('f16', [128, 128]), b=('f16', [128, 64]), c=('f16', [128, 64])),
    args=[dict(tensor='a', block=[128, 64]), dict(tensor='b', block=[64, 64]), dict(tensor='c', block=[128, 64]), 128])

MISTAKES = dict(
    used='the operand is written again while the product before may read it',
    early='the operand is handed over before it is written',
    phase='the product does not wait for its operand',
    sums='the sums are read without a wait for the last product')
