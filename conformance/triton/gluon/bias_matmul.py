"""c = a @ b + d on sm_100: tcgen05.cp brings d from shared memory to the accumulator, and the products add to it."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, allocate_tensor_memory,
                                                                 fence_async_shared, get_tmem_reg_layout, mbarrier,
                                                                 tcgen05_commit, tcgen05_copy, tcgen05_mma, tma)

ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))


@gluon.jit
def bias_matmul(da, db, dc, d, K, WRONG: gl.constexpr):
    BM: gl.constexpr = da.block_type.shape[0]
    BK: gl.constexpr = da.block_type.shape[1]
    BN: gl.constexpr = db.block_type.shape[1]
    tile: gl.constexpr = TensorMemoryLayout((BM, BN), col_stride=1)
    a = gl.allocate_shared_memory(da.dtype, [BM, BK], da.layout)
    b = gl.allocate_shared_memory(db.dtype, [BK, BN], db.layout)
    c = gl.allocate_shared_memory(dc.dtype, [BM, BN], dc.layout)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], tile)
    full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(full, count=1)
    mbarrier.init(done, count=1)
    rows = gl.arange(0, BM, gl.SliceLayout(1, ROWS))
    cols = gl.arange(0, BN, gl.SliceLayout(0, ROWS))
    c.store(gl.load(d + rows[:, None] * 0 + cols[None, :]))
    if WRONG != 'fence':
        fence_async_shared()
    if WRONG != 'copy':
        tcgen05_copy(c, acc)
    for k in range(0, K, BK):
        phase = (k // BK) & 1
        if WRONG == 'bytes':
            mbarrier.expect(full, da.block_type.nbytes)
        else:
            mbarrier.expect(full, da.block_type.nbytes + db.block_type.nbytes)
        tma.async_copy_global_to_shared(da, [0, k], full, a)
        tma.async_copy_global_to_shared(db, [k, 0], full, b)
        if WRONG != 'full':
            mbarrier.wait(full, phase)
        tcgen05_mma(a, b, acc)
        if WRONG != 'done':
            tcgen05_commit(done)
            mbarrier.wait(done, phase)
    if WRONG == 'done':
        tcgen05_commit(done)
        mbarrier.wait(done, 0)
    c.store(acc.load(get_tmem_reg_layout(gl.float32, (BM, BN), tile, gl.num_warps())))
    if WRONG != 'store':
        fence_async_shared()
    tma.async_copy_shared_to_global(dc, [0, 0], c)
    tma.store_wait(0)
    mbarrier.invalidate(full)
    mbarrier.invalidate(done)


LAUNCH = dict(
    kernel=bias_matmul, target=100, warps=4, grid=[1], outputs=['c'],
    tensors=dict(a=('f16', [128, 192]), b=('f16', [192, 64]), c=('f32', [128, 64]), d=('f32', [64])),
    args=[dict(tensor='a', block=[128, 64]), dict(tensor='b', block=[64, 64]), dict(tensor='c', block=[128, 64]), 'd', 192])

MISTAKES = dict(
    fence='no proxy fence between the tile in shared memory and tcgen05.cp',
    copy='nothing brings d to the accumulator',
    full='no wait for the copies',
    bytes='the bytes of one operand are expected, and two come',
    done='the operands are overwritten while their product may read them',
    store='no proxy fence between the tile in shared memory and its TMA store')
