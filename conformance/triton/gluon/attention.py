"""o = softmax(q k^T) v, rows of 64: two products a step, the weights between them in registers; K and V come through rings of their own."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared, mbarrier, tma, warpgroup_mma,
                                                              warpgroup_mma_wait)

SLOTS = gl.constexpr(2)


@gluon.jit
def load(desc, row, pred, bar, slot):
    mbarrier.expect(bar, desc.block_type.nbytes, pred)
    tma.async_copy_global_to_shared(desc, [row, 0], bar, slot, pred)


@gluon.jit
def attention(dq, dk, dv, do, N, WRONG: gl.constexpr):
    BM: gl.constexpr = dq.block_type.shape[0]
    BN: gl.constexpr = dk.block_type.shape[0]
    D: gl.constexpr = dq.block_type.shape[1]
    scores: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BN, 16])
    output: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, D, 16])
    weights: gl.constexpr = gl.DotOperandLayout(0, output, 2)
    rows: gl.constexpr = gl.SliceLayout(1, scores)
    q = gl.allocate_shared_memory(dq.dtype, [BM, D], dq.layout)
    k = gl.allocate_shared_memory(dk.dtype, [SLOTS, BN, D], dk.layout)
    v = gl.allocate_shared_memory(dv.dtype, [SLOTS, BN, D], dv.layout)
    q_full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    k_full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    v_full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    mbarrier.init(q_full, count=1)
    for i in gl.static_range(SLOTS):
        mbarrier.init(k_full.index(i), count=1)
        mbarrier.init(v_full.index(i), count=1)
    row = gl.program_id(0) * BM
    load(dq, row, True, q_full, q)
    for i in gl.static_range(SLOTS):
        load(dk, i * BN, i * BN < N, k_full.index(i), k.index(i))
        load(dv, i * BN, i * BN < N, v_full.index(i), v.index(i))
    if WRONG != 'q':
        mbarrier.wait(q_full, 0)
    most = gl.full([BM], -float('inf'), gl.float32, rows)
    total = gl.zeros([BM], gl.float32, rows)
    acc = gl.zeros([BM, D], gl.float32, output)
    for n in range(0, N, BN):
        step = n // BN
        slot = step % SLOTS
        phase = (step // SLOTS) & 1
        ahead = n + SLOTS * BN
        mbarrier.wait(k_full.index(slot), phase)
        s = warpgroup_mma(q, k.index(slot).permute([1, 0]), gl.zeros([BM, BN], gl.float32, scores), use_acc=False,
                          is_async=True)
        if WRONG == 'refill':
            load(dk, ahead, ahead < N, k_full.index(slot), k.index(slot))
        if WRONG == 'scores':
            s = warpgroup_mma_wait(1, deps=[s])
        else:
            s = warpgroup_mma_wait(0, deps=[s])
        if WRONG != 'refill':
            load(dk, ahead, ahead < N, k_full.index(slot), k.index(slot))
        larger = gl.maximum(most, gl.max(s, 1))
        p = gl.exp2(s - larger[:, None])
        shrink = gl.exp2(most - larger)
        total = total * shrink + gl.sum(p, 1)
        acc = acc * gl.convert_layout(shrink, gl.SliceLayout(1, output))[:, None]
        if WRONG == 'barrier':
            mbarrier.wait(k_full.index(slot), phase)
        else:
            mbarrier.wait(v_full.index(slot), phase)
        acc = warpgroup_mma(gl.convert_layout(p.to(gl.float16), weights), v.index(slot), acc, is_async=True)
        if WRONG == 'accumulator':
            acc = warpgroup_mma_wait(1, deps=[acc])
        else:
            acc = warpgroup_mma_wait(0, deps=[acc])
        load(dv, ahead, ahead < N, v_full.index(slot), v.index(slot))
        most = larger
    acc = acc / gl.convert_layout(total, gl.SliceLayout(1, output))[:, None]
    o = gl.allocate_shared_memory(do.dtype, [BM, D], do.layout)
    o.store(acc.to(do.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(do, [row, 0], o)
    tma.store_wait(0)
    mbarrier.invalidate(q_full)
    for i in gl.static_range(SLOTS):
        mbarrier.invalidate(k_full.index(i))
        mbarrier.invalidate(v_full.index(i))


LAUNCH = dict(
    kernel=attention, target=90, warps=4, grid=[2], outputs=['o'],
    tensors=dict(q=('f16', [128, 64]), k=('f16', [256, 64]), v=('f16', [256, 64]), o=('f16', [128, 64])),
    args=[dict(tensor='q', block=[64, 64]), dict(tensor='k', block=[64, 64]), dict(tensor='v', block=[64, 64]),
          dict(tensor='o', block=[64, 64]), 256])

MISTAKES = dict(
    q='no wait for q',
    refill='the slot of K is filled while the product that reads it may be under way',
    scores='the scores are read while their product may be under way',
    barrier="V is waited for at K's barrier",
    accumulator='the sums are divided while the last product may be under way')
