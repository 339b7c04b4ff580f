"""c = a @ b on sm_100, several tiles a program, by three partitions: a warp loads, a warp multiplies into one of two accumulators, and four
warps store the other."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, allocate_tensor_memory,
                                                                 fence_async_shared, get_tmem_reg_layout, mbarrier,
                                                                 tcgen05_commit, tcgen05_mma, tma)

SLOTS = gl.constexpr(3)
ACCUMULATORS = gl.constexpr(2)


@gluon.jit
def produce(da, db, row, tiles, steps, a, b, full, empty, WRONG: gl.constexpr):
    BK: gl.constexpr = da.block_type.shape[1]
    BN: gl.constexpr = db.block_type.shape[1]
    for i in range(tiles * steps):
        slot = i % SLOTS
        k = (i % steps) * BK
        if WRONG == 'phase':
            mbarrier.wait(empty.index(slot), (((i % steps) // SLOTS) & 1) ^ 1)
        else:
            mbarrier.wait(empty.index(slot), ((i // SLOTS) & 1) ^ 1)
        mbarrier.expect(full.index(slot), da.block_type.nbytes + db.block_type.nbytes)
        tma.async_copy_global_to_shared(da, [row, k], full.index(slot), a.index(slot))
        tma.async_copy_global_to_shared(db, [k, (i // steps) * BN], full.index(slot), b.index(slot))


@gluon.jit
def multiply(tiles, steps, a, b, acc, full, empty, ready, free, WRONG: gl.constexpr):
    for t in range(tiles):
        which = t % ACCUMULATORS
        if WRONG != 'overwrite':
            mbarrier.wait(free.index(which), ((t // ACCUMULATORS) & 1) ^ 1)
        for k in range(steps):
            i = t * steps + k
            slot = i % SLOTS
            mbarrier.wait(full.index(slot), (i // SLOTS) & 1)
            if WRONG == 'empty':
                tcgen05_mma(a.index(slot), b.index(slot), acc.index(which), use_acc=k > 0)
                mbarrier.arrive(empty.index(slot), count=1)
            else:
                tcgen05_mma(a.index(slot), b.index(slot), acc.index(which), use_acc=k > 0, mbarriers=[empty.index(slot)])
        if WRONG == 'ready':
            mbarrier.arrive(ready.index(which), count=1)
        else:
            tcgen05_commit(ready.index(which))


@gluon.jit
def store(dc, row, tiles, acc, c, ready, free, WRONG: gl.constexpr):
    BM: gl.constexpr = dc.block_type.shape[0]
    BN: gl.constexpr = dc.block_type.shape[1]
    for t in range(tiles):
        which = t % ACCUMULATORS
        mbarrier.wait(ready.index(which), (t // ACCUMULATORS) & 1)
        if WRONG == 'free':
            mbarrier.arrive(free.index(which), count=1)
        if WRONG == 'other':
            tile = acc.index(which ^ 1)
        else:
            tile = acc.index(which)
        sums = tile.load(get_tmem_reg_layout(gl.float32, (BM, BN), acc.layout, gl.num_warps()))
        if WRONG != 'free':
            mbarrier.arrive(free.index(which), count=1)
        if WRONG != 'stored':
            tma.store_wait(0)
        c.store(sums.to(dc.dtype))
        fence_async_shared()
        tma.async_copy_shared_to_global(dc, [row, t * BN], c)
    tma.store_wait(0)


@gluon.jit
def accumulators_matmul(da, db, dc, N, K, WRONG: gl.constexpr):
    BM: gl.constexpr = da.block_type.shape[0]
    BK: gl.constexpr = da.block_type.shape[1]
    BN: gl.constexpr = db.block_type.shape[1]
    tile: gl.constexpr = TensorMemoryLayout((BM, BN), col_stride=1)
    a = gl.allocate_shared_memory(da.dtype, [SLOTS, BM, BK], da.layout)
    b = gl.allocate_shared_memory(db.dtype, [SLOTS, BK, BN], db.layout)
    c = gl.allocate_shared_memory(dc.dtype, [BM, BN], dc.layout)
    acc = allocate_tensor_memory(gl.float32, [ACCUMULATORS, BM, BN], tile)
    full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    ready = gl.allocate_shared_memory(gl.int64, [ACCUMULATORS, 1], mbarrier.MBarrierLayout())
    free = gl.allocate_shared_memory(gl.int64, [ACCUMULATORS, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(SLOTS):
        mbarrier.init(full.index(s), count=1)
        mbarrier.init(empty.index(s), count=1)
    for s in gl.static_range(ACCUMULATORS):
        mbarrier.init(ready.index(s), count=1)
        mbarrier.init(free.index(s), count=1)
    row = gl.program_id(0) * BM
    tiles = N // BN
    steps = K // BK
    gl.warp_specialize([
        (store, (dc, row, tiles, acc, c, ready, free, WRONG)),
        (produce, (da, db, row, tiles, steps, a, b, full, empty, WRONG)),
        (multiply, (tiles, steps, a, b, acc, full, empty, ready, free, WRONG)),
    ], [1, 1], [24, 24])
    for s in gl.static_range(SLOTS):
        mbarrier.invalidate(full.index(s))
        mbarrier.invalidate(empty.index(s))
    for s in gl.static_range(ACCUMULATORS):
        mbarrier.invalidate(ready.index(s))
        mbarrier.invalidate(free.index(s))


LAUNCH = dict(
    kernel=accumulators_matmul, target=100, warps=4, grid=[1], outputs=['c'], computes=['matmul', 'a', 'b', 'c'],
    tensors=dict(a=('f16', [128, 128]), b=('f16', [128, 192]), c=('f16', [128, 192])),
    args=[dict(tensor='a', block=[128, 32]), dict(tensor='b', block=[32, 64]), dict(tensor='c', block=[128, 64]), 192, 128])

MISTAKES = {
    'phase': 'the phase of a slot begins anew with each tile, and its barrier does not',
    'overwrite': 'the first product of a tile does not wait until its accumulator has been stored',
    'empty': 'a slot is given back when its product is issued, not when it is done',
    'ready': 'an accumulator is handed over when its last product is issued, not when it is done',
    'free': 'an accumulator is given back before it is read',
    'other': 'the tile of the other accumulator is stored',
    'stored': 'the tile in shared memory is written again while its store may read it'}
