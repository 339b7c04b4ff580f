"""o = softmax(q k^T) v on sm_100, rows of 128: scores, weights and sums lie in tensor memory, and one partition takes them through registers."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, allocate_tensor_memory,
                                                                 fence_async_shared, get_tmem_reg_layout, mbarrier,
                                                                 tcgen05_mma, tma)


@gluon.jit
def tensor_memory_attention(dq, dk, dv, do, N, WRONG: gl.constexpr):
    BM: gl.constexpr = dq.block_type.shape[0]
    BN: gl.constexpr = dk.block_type.shape[0]
    D: gl.constexpr = dq.block_type.shape[1]
    of_scores: gl.constexpr = TensorMemoryLayout((BM, BN), col_stride=1)
    of_sums: gl.constexpr = TensorMemoryLayout((BM, D), col_stride=1)
    score: gl.constexpr = get_tmem_reg_layout(gl.float32, (BM, BN), of_scores, gl.num_warps())
    weight: gl.constexpr = get_tmem_reg_layout(gl.float16, (BM, BN), of_scores, gl.num_warps())
    total: gl.constexpr = get_tmem_reg_layout(gl.float32, (BM, D), of_sums, gl.num_warps())
    rows: gl.constexpr = gl.SliceLayout(1, score)
    q = gl.allocate_shared_memory(dq.dtype, [BM, D], dq.layout)
    k = gl.allocate_shared_memory(dk.dtype, [BN, D], dk.layout)
    v = gl.allocate_shared_memory(dv.dtype, [BN, D], dv.layout)
    o = gl.allocate_shared_memory(do.dtype, [BM, D], do.layout)
    scores = allocate_tensor_memory(gl.float32, [BM, BN], of_scores)
    weights = allocate_tensor_memory(gl.float16, [BM, BN], of_scores)
    sums = allocate_tensor_memory(gl.float32, [BM, D], of_sums)
    q_full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    k_full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    v_full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    scored = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    summed = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(q_full, count=1)
    mbarrier.init(k_full, count=1)
    mbarrier.init(v_full, count=1)
    mbarrier.init(scored, count=1)
    mbarrier.init(summed, count=1)
    row = gl.program_id(0) * BM
    mbarrier.expect(q_full, dq.block_type.nbytes)
    tma.async_copy_global_to_shared(dq, [row, 0], q_full, q)
    mbarrier.expect(k_full, dk.block_type.nbytes)
    tma.async_copy_global_to_shared(dk, [0, 0], k_full, k)
    mbarrier.wait(q_full, 0)
    most = gl.full([BM], -float('inf'), gl.float32, rows)
    all = gl.zeros([BM], gl.float32, rows)
    for n in range(0, N, BN):
        phase = (n // BN) & 1
        if WRONG == 'values':
            mbarrier.expect(v_full, dv.block_type.nbytes)
            tma.async_copy_global_to_shared(dv, [n, 0], v_full, v)
        mbarrier.wait(k_full, phase)
        tcgen05_mma(q, k.permute([1, 0]), scores, use_acc=False, mbarriers=[scored])
        if WRONG == 'keys':
            mbarrier.expect(k_full, dk.block_type.nbytes, n + BN < N)
            tma.async_copy_global_to_shared(dk, [n + BN, 0], k_full, k, n + BN < N)
        if WRONG != 'scores':
            mbarrier.wait(scored, phase)
        s = scores.load(score)
        if WRONG == 'scores':
            mbarrier.wait(scored, phase)
        if WRONG != 'keys':
            mbarrier.expect(k_full, dk.block_type.nbytes, n + BN < N)
            tma.async_copy_global_to_shared(dk, [n + BN, 0], k_full, k, n + BN < N)
        larger = gl.maximum(most, gl.max(s, 1))
        p = gl.exp2(s - larger[:, None])
        shrink = gl.exp2(most - larger)
        all = all * shrink + gl.sum(p, 1)
        if WRONG == 'phase':
            mbarrier.wait(summed, phase)
        else:
            mbarrier.wait(summed, phase ^ 1)
        weights.store(gl.convert_layout(p.to(gl.float16), weight))
        if WRONG != 'values':
            mbarrier.expect(v_full, dv.block_type.nbytes)
            tma.async_copy_global_to_shared(dv, [n, 0], v_full, v)
        if n > 0:
            sums.store(sums.load(total) * gl.convert_layout(shrink, gl.SliceLayout(1, total))[:, None])
        mbarrier.wait(v_full, phase)
        if WRONG == 'accumulate':
            tcgen05_mma(weights, v, sums, mbarriers=[summed])
        else:
            tcgen05_mma(weights, v, sums, use_acc=n > 0, mbarriers=[summed])
        most = larger
    if WRONG != 'sums':
        mbarrier.wait(summed, (N // BN - 1) & 1)
    o.store((sums.load(total) / gl.convert_layout(all, gl.SliceLayout(1, total))[:, None]).to(do.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(do, [row, 0], o)
    tma.store_wait(0)
    mbarrier.invalidate(q_full)
    mbarrier.invalidate(k_full)
    mbarrier.invalidate(v_full)
    mbarrier.invalidate(scored)
    mbarrier.invalidate(summed)


LAUNCH = dict(
    kernel=tensor_memory_attention, target=100, warps=4, grid=[1], outputs=['o'],
    tensors=dict(q=('f16', [128, 64]), k=('f16', [256, 64]), v=('f16', [256, 64]), o=('f16', [128, 64])),
    args=[dict(tensor='q', block=[128, 64]), dict(tensor='k', block=[64, 64]), dict(tensor='v', block=[64, 64]),
          dict(tensor='o', block=[128, 64]), 256])

MISTAKES = dict(
    scores='the scores are read before their product is waited for',
    keys='K is loaded again while the product of the scores may read it',
    values='V is loaded again while the product before may read it',
    phase='the wait for the sums is for this step, not for the one before',
    accumulate='the first product adds to what is in tensor memory',
    sums='the sums are read without a wait for the last product')
