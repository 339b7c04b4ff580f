import triton
import triton.language as tl


@triton.jit
def shift(x, scratch, out, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(scratch + at, tl.load(x + at) * 2)
    tl.store(out + at, tl.load(scratch + (at + 128) % SIZE))
