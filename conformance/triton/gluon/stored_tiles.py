"""y = 2 x, tile by tile: TMA loads into two slots, TMA stores from two others; a store has been read before its buffer is written again."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma

SLOTS = gl.constexpr(2)
ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))


@gluon.jit
def stored_tiles(dx, dy, N, WRONG: gl.constexpr):
    BM: gl.constexpr = dx.block_type.shape[0]
    BN: gl.constexpr = dx.block_type.shape[1]
    x = gl.allocate_shared_memory(dx.dtype, [SLOTS, BM, BN], dx.layout)
    y = gl.allocate_shared_memory(dy.dtype, [SLOTS, BM, BN], dy.layout)
    full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(SLOTS):
        mbarrier.init(full.index(s), count=1)
    row = gl.program_id(0) * BM
    tiles = N // BN
    for s in gl.static_range(SLOTS):
        mbarrier.expect(full.index(s), dx.block_type.nbytes, s < tiles)
        tma.async_copy_global_to_shared(dx, [row, s * BN], full.index(s), x.index(s), s < tiles)
    for t in range(tiles):
        slot = t % SLOTS
        mbarrier.wait(full.index(slot), (t // SLOTS) & 1)
        twice = x.index(slot).load(ROWS) * 2.0
        if WRONG == 'reuse':
            pass
        elif WRONG == 'pendings':
            tma.store_wait(SLOTS)
        else:
            tma.store_wait(SLOTS - 1)
        if WRONG == 'slot':
            y.index(0).store(twice.to(dy.dtype))
        else:
            y.index(slot).store(twice.to(dy.dtype))
        if WRONG == 'order':
            if WRONG == 'slot':
                tma.async_copy_shared_to_global(dy, [row, t * BN], y.index(0))
            else:
                tma.async_copy_shared_to_global(dy, [row, t * BN], y.index(slot))
            fence_async_shared()
        else:
            if WRONG != 'fence':
                fence_async_shared()
            if WRONG == 'slot':
                tma.async_copy_shared_to_global(dy, [row, t * BN], y.index(0))
            else:
                tma.async_copy_shared_to_global(dy, [row, t * BN], y.index(slot))
        mbarrier.expect(full.index(slot), dx.block_type.nbytes, t + SLOTS < tiles)
        tma.async_copy_global_to_shared(dx, [row, (t + SLOTS) * BN], full.index(slot), x.index(slot), t + SLOTS < tiles)
    if WRONG != 'drain':
        tma.store_wait(0)
    for s in gl.static_range(SLOTS):
        mbarrier.invalidate(full.index(s))


LAUNCH = dict(
    kernel=stored_tiles, target=90, warps=4, grid=[2], outputs=['y'],
    tensors=dict(x=('f16', [128, 320]), y=('f16', [128, 320])),
    args=[dict(tensor='x', block=[64, 64]), dict(tensor='y', block=[64, 64]), 320])

MISTAKES = dict(
    reuse='no wait until the store before the last one has read its buffer',
    pendings='the wait leaves as many stores under way as there are buffers',
    slot='all tiles go through one of the two buffers',
    fence='no proxy fence between the tile in shared memory and its TMA store',
    order='the proxy fence comes after the store',
    drain='the kernel ends while stores may still read shared memory')
