"""y[M - 1 - i] = x[5 i mod N] on sm_100, rows of one block of columns a program: a TMA gather, and a TMA scatter of the same rows elsewhere."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import fence_async_shared, mbarrier, tma

SLOTS = gl.constexpr(2)
ROWS = gl.constexpr(gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0])))
TILE = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))


@gluon.jit
def gather(dx, N, column, k, x, full, WRONG: gl.constexpr):
    TAKEN: gl.constexpr = x.shape[1]
    WIDTH: gl.constexpr = x.shape[2]
    slot = k % SLOTS
    rows = 5 * (k * TAKEN + gl.arange(0, TAKEN, ROWS)) % N
    if WRONG == 'bytes':
        mbarrier.expect(full.index(slot), dx.block_type.nbytes)
    else:
        mbarrier.expect(full.index(slot), TAKEN * WIDTH * 2)
    tma.async_gather(dx, rows, column, full.index(slot), x.index(slot))


@gluon.jit
def gathered_rows(dx, dy, N, M, TAKEN: gl.constexpr, WRONG: gl.constexpr):
    WIDTH: gl.constexpr = dx.block_type.shape[1]
    x = gl.allocate_shared_memory(dx.dtype, [SLOTS, TAKEN, WIDTH], dx.layout)
    y = gl.allocate_shared_memory(dy.dtype, [TAKEN, WIDTH], dy.layout)
    full = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(SLOTS):
        mbarrier.init(full.index(s), count=1)
    tiles = M // TAKEN
    column = gl.program_id(0) * WIDTH
    gather(dx, N, column, 0, x, full, WRONG)
    for k in range(tiles):
        slot = k % SLOTS
        if k + 1 < tiles:
            gather(dx, N, column, k + 1, x, full, WRONG)
        if WRONG == 'phase':
            mbarrier.wait(full.index(slot), ((k // SLOTS) & 1) ^ 1)
        elif WRONG == 'slot':
            mbarrier.wait(full.index(slot ^ 1), (k // SLOTS) & 1)
        else:
            mbarrier.wait(full.index(slot), (k // SLOTS) & 1)
        found = x.index(slot).load(TILE)
        if WRONG != 'stored':
            tma.store_wait(0)
        y.store(found)
        if WRONG != 'fence':
            fence_async_shared()
        rows = M - 1 - (k * TAKEN + gl.arange(0, TAKEN, ROWS))
        tma.async_scatter(dy, rows, column, y)
    tma.store_wait(0)
    for s in gl.static_range(SLOTS):
        mbarrier.invalidate(full.index(s))


LAUNCH = dict(
    kernel=gathered_rows, target=100, warps=4, grid=[2], outputs=['y'], constants=dict(TAKEN=32),
    tensors=dict(x=('f16', [128, 128]), y=('f16', [96, 128])),
    args=[dict(tensor='x', block=[1, 64]), dict(tensor='y', block=[1, 64]), 128, 96])

MISTAKES = dict(
    bytes='the bytes of one row are expected, and those of all come',
    phase='the wait passes on the phase before',
    slot="the wait is for the other slot's barrier",
    stored='the tile in shared memory is written again while its scatter may read it',
    fence='no proxy fence between the tile in shared memory and its scatter')
