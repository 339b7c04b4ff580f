"""c = a @ b by pointers: cp.async fills a ring of three slots, and what lanes have copied passes a proxy fence before wgmma reads it."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (async_copy, fence_async_shared, warpgroup_mma,
                                                              warpgroup_mma_wait)

SLOTS = gl.constexpr(3)
ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))


@gluon.jit
def at(pointer, row, col, stride, HEIGHT: gl.constexpr, WIDTH: gl.constexpr):
    rows = row + gl.arange(0, HEIGHT, gl.SliceLayout(1, ROWS))
    cols = col + gl.arange(0, WIDTH, gl.SliceLayout(0, ROWS))
    return pointer + rows[:, None] * stride + cols[None, :]


@gluon.jit
def copy(a, b, row, col, k, slot, N, K, a_ring, b_ring, WRONG: gl.constexpr):
    BM: gl.constexpr = a_ring.shape[1]
    BK: gl.constexpr = a_ring.shape[2]
    BN: gl.constexpr = b_ring.shape[2]
    async_copy.async_copy_global_to_shared(a_ring.index(slot), at(a, row, k, K, BM, BK))
    if WRONG == 'late':
        async_copy.commit_group()
        async_copy.async_copy_global_to_shared(b_ring.index(slot), at(b, k, col, N, BK, BN))
    else:
        async_copy.async_copy_global_to_shared(b_ring.index(slot), at(b, k, col, N, BK, BN))
        if WRONG != 'commit':
            async_copy.commit_group()


@gluon.jit
def async_copy_matmul(a, b, c, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, WRONG: gl.constexpr):
    product: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BN, 16])
    a_tile: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BM, BK], gl.float16)
    b_tile: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BK, BN], gl.float16)
    a_ring = gl.allocate_shared_memory(gl.float16, [SLOTS, BM, BK], a_tile)
    b_ring = gl.allocate_shared_memory(gl.float16, [SLOTS, BK, BN], b_tile)
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    for s in gl.static_range(SLOTS - 1):
        copy(a, b, row, col, s * BK, s, N, K, a_ring, b_ring, WRONG)
    acc = gl.zeros([BM, BN], gl.float32, product)
    for k in range(0, K, BK):
        slot = (k // BK) % SLOTS
        if WRONG == 'wait':
            async_copy.wait_group(SLOTS - 1)
        else:
            async_copy.wait_group(SLOTS - 2)
        if WRONG != 'fence':
            fence_async_shared()
        acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc, is_async=True)
        if WRONG == 'pendings':
            acc = warpgroup_mma_wait(2, deps=[acc])
        else:
            acc = warpgroup_mma_wait(1, deps=[acc])
        ahead = k + (SLOTS - 1) * BK
        if ahead < K:
            copy(a, b, row, col, ahead, (ahead // BK) % SLOTS, N, K, a_ring, b_ring, WRONG)
        else:
            async_copy.commit_group()
    acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(at(c, row, col, N, BM, BN), gl.convert_layout(acc.to(gl.float16), ROWS))


LAUNCH = dict(
    kernel=async_copy_matmul, target=90, warps=4, grid=[1, 2], outputs=['c'], computes=['matmul', 'a', 'b', 'c'], constants=dict(BM=64, BN=64, BK=32),
    tensors=dict(a=('f16', [64, 192]), b=('f16', [192, 128]), c=('f16', [64, 128])), args=['a', 'b', 'c', 128, 192])

MISTAKES = dict(
    wait='the group of this slot is still among those that may be under way',
    commit='what is copied in a step is in no group of its own',
    late='a group is committed before its second copy is issued',
    fence='no proxy fence between cp.async and wgmma',
    pendings='a slot is filled while its product may still be under way')
