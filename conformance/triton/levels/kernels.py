"""Two mistakes that TTGIR has no words for, and the same kernels without them: there the warps of a program act as one."""
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, warpgroup_mma, warpgroup_mma_wait


@triton.jit
def shifted(x, scratch, out, SIZE: tl.constexpr, BY: tl.constexpr, JOINED: tl.constexpr):
    """Through global memory: what a warp reads back, another has stored."""
    at = tl.arange(0, SIZE)
    tl.store(scratch + at, tl.load(x + at) * 2)
    if JOINED:
        tl.debug_barrier()
    tl.store(out + at, tl.load(scratch + (at + BY) % SIZE))


@gluon.jit
def fill(tile, source, first, rows: gl.constexpr):
    """Rows of a matrix as wide as the tile, by all threads."""
    r = gl.arange(0, tile.shape[0], gl.SliceLayout(1, rows))
    c = gl.arange(0, tile.shape[1], gl.SliceLayout(0, rows))
    async_copy.async_copy_global_to_shared(tile, source + (first + r)[:, None] * tile.shape[1] + c[None, :])
    async_copy.commit_group()


@gluon.jit
def summed(a, b, c, SIZE: gl.constexpr, JOINED: gl.constexpr):
    """a @ (b[0] + b[1] + b[2]): the third tile is filled in where the product with the first has read, by warps of which each has waited for its own products."""
    warps: gl.constexpr = gl.num_warps()
    ROWS: gl.constexpr = 16 * warps
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [warps, 1], [1, 0])
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [warps, 1], [16, SIZE, 16])
    left = gl.allocate_shared_memory(gl.float16, [ROWS, SIZE], gl.NVMMASharedLayout.get_default_for([ROWS, SIZE], gl.float16))
    square: gl.constexpr = gl.NVMMASharedLayout.get_default_for([SIZE, SIZE], gl.float16)
    even = gl.allocate_shared_memory(gl.float16, [SIZE, SIZE], square)
    odd = gl.allocate_shared_memory(gl.float16, [SIZE, SIZE], square)
    fill(left, a, 0, rows)
    fill(even, b, 0, rows)
    fill(odd, b, SIZE, rows)
    acc = gl.zeros([ROWS, SIZE], gl.float32, sums)
    async_copy.wait_group(1)
    fence_async_shared()
    acc = warpgroup_mma(left, even, acc, is_async=True)
    async_copy.wait_group(0)
    fence_async_shared()
    acc = warpgroup_mma(left, odd, acc, is_async=True)
    acc = warpgroup_mma_wait(0, deps=(acc,))
    if JOINED:
        gl.thread_barrier()
    fill(even, b, 2 * SIZE, rows)
    async_copy.wait_group(0)
    fence_async_shared()
    acc = warpgroup_mma(left, even, acc, is_async=True)
    acc = warpgroup_mma_wait(0, deps=(acc,))
    r = gl.arange(0, ROWS, gl.SliceLayout(1, sums))
    k = gl.arange(0, SIZE, gl.SliceLayout(0, sums))
    gl.store(c + r[:, None] * SIZE + k[None, :], acc)


@triton.jit
def assembled(x, out, BLOCK: tl.constexpr):
    """What TTGIR has as a text of PTX."""
    at = tl.arange(0, BLOCK)
    twice = tl.inline_asm_elementwise('add.f32 $0, $1, $1;', '=f,f', [tl.load(x + at)], tl.float32, True, 1)
    tl.store(out + at, twice)
