"""Triton kernels for the tests of ``tcspec.triton``: our own, small, each in another way of writing them."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@triton.jit
def scaled(x, out, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * factor)


@triton.jit
def in_place(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * 2)


@triton.jit
def copied(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))


@triton.jit
def assembled(x, out, BLOCK: tl.constexpr):
    """What TTGIR has as a text of PTX."""
    at = tl.arange(0, BLOCK)
    twice = tl.inline_asm_elementwise("add.f32 $0, $1, $1;", "=f,f", [tl.load(x + at)], tl.float32, True, 1)
    tl.store(out + at, twice)


@triton.jit
def doubled_through(addresses, BLOCK: tl.constexpr):
    tensor = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    offsets = tl.arange(0, BLOCK)
    tl.store(tensor + offsets, tl.load(tensor + offsets) * 2)


@triton.jit
def shifted(x, scratch, out, SIZE: tl.constexpr, BY: tl.constexpr, JOINED: tl.constexpr):
    """Through global memory: what a thread reads back, another has stored."""
    at = tl.arange(0, SIZE)
    tl.store(scratch + at, tl.load(x + at) * 2)
    if JOINED:
        tl.debug_barrier()
    tl.store(out + at, tl.load(scratch + (at + BY) % SIZE))


@triton.jit
def biased(x, bias, out, BLOCK: tl.constexpr, HAS_BIAS: tl.constexpr):
    at = tl.arange(0, BLOCK)
    y = tl.load(x + at)
    if HAS_BIAS:
        y += tl.load(bias + at)
    tl.store(out + at, y)


@triton.jit
def gathered(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Every second row of a tensor, by a descriptor that the kernel makes."""
    rows = tl.make_tensor_descriptor(x, (2 * ROWS, COLUMNS), (COLUMNS, 1), (1, COLUMNS))
    there = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out + there, rows.gather(2 * tl.arange(0, ROWS), 0))


@triton.jit
def last(out):
    """Every program stores its number in one place."""
    tl.store(out, tl.program_id(0))


@triton.jit
def transposed(x, out, down, right, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i[:, None] * SIZE + i[None, :], tl.load(x + i[:, None] * down + i[None, :] * right))


@triton.jit
def picked(x, rows, out, SIZE: tl.constexpr):
    """Rows of x in an order that is data."""
    row = tl.load(rows + tl.program_id(0))
    at = tl.arange(0, SIZE)
    tl.store(out + tl.program_id(0) * SIZE + at, tl.load(x + row * SIZE + at))


@triton.jit
def pair(x, numbers, SIZE: tl.constexpr):
    """A tuple of a number, a tensor and nothing."""
    at = tl.arange(0, SIZE)
    tl.store(numbers[1] + at, tl.load(x + at) + numbers[0])


@triton.jit
def matmul(a, b, c, M, N, K, down_a, down_b, down_c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    deep = tl.arange(0, BK)
    at_a = a + rows[:, None] * down_a + deep[None, :]
    at_b = b + deep[:, None] * down_b + columns[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(at_a), tl.load(at_b), total)
        at_a += BK
        at_b += BK * down_b
    tl.store(c + rows[:, None] * down_c + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def matmul_host(da, db, dc, K, WS: tl.constexpr):
    BM: tl.constexpr = da.block_shape[0]
    BK: tl.constexpr = da.block_shape[1]
    BN: tl.constexpr = db.block_shape[1]
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=WS):
        total = tl.dot(da.load([row, k]), db.load([k, column]), total)
    dc.store([row, column], total.to(tl.float16))


@triton.jit
def matmul_device(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(da.load([row, k]), db.load([k, column]), total)
    dc.store([row, column], total.to(tl.float16))


@triton.jit
def matmul_persistent(da, db, dc, M, N, K, PROGRAMS: tl.constexpr):
    BM: tl.constexpr = da.block_shape[0]
    BK: tl.constexpr = da.block_shape[1]
    BN: tl.constexpr = db.block_shape[1]
    across = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * across, PROGRAMS):
        row = tile // across * BM
        column = tile % across * BN
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(da.load([row, k]), db.load([k, column]), total)
        dc.store([row, column], total.to(tl.float16))


@triton.jit
def attention(dq, dk, dv, do, scale, N, WS: tl.constexpr):
    BM: tl.constexpr = dq.block_shape[0]
    BN: tl.constexpr = dk.block_shape[0]
    D: tl.constexpr = dq.block_shape[1]
    row = tl.program_id(0) * BM
    q = dq.load([row, 0])
    most = tl.full((BM,), float("-inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for n in tl.range(0, N, BN, warp_specialize=WS):
        scores = tl.dot(q, dk.load([n, 0]).T) * scale
        now = tl.maximum(most, tl.max(scores, 1))
        weights = tl.exp2(scores - now[:, None])
        kept = tl.exp2(most - now)
        weight = weight * kept + tl.sum(weights, 1)
        total = tl.dot(weights.to(tl.float16), dv.load([n, 0]), total * kept[:, None])
        most = now
    do.store([row, 0], (total / weight[:, None]).to(tl.float16))


def _blocks(arguments):
    arguments["da"].block_shape = [arguments["BM"], arguments["BK"]]
    arguments["db"].block_shape = [arguments["BK"], arguments["BN"]]
    arguments["dc"].block_shape = [arguments["BM"], arguments["BN"]]


def _config(BM, BN, BK, warps):
    return triton.Config({"BM": BM, "BN": BN, "BK": BK}, num_warps=warps, num_stages=3, pre_hook=_blocks)


@triton.autotune([_config(64, 64, 32, 4), _config(128, 64, 64, 4), _config(64, 128, 32, 8)], key=["K"])
@triton.jit
def tuned(da, db, dc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK):
        total = tl.dot(da.load([row, k]), db.load([k, column]), total)
    dc.store([row, column], total.to(tl.float16))


@triton.heuristics({"BLOCK": lambda arguments: min(1024, triton.next_power_of_2(arguments["n"]))})
@triton.jit
def guessed(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + 1, at < n)


@triton.jit
def asks_its_chip(out):
    if tl.target_info.cuda_capability_geq(10, 0):
        tl.store(out, 100)
    else:
        tl.store(out, 90)


@triton.jit
def does_not_compile(x, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 3, "BLOCK is to be three")
    tl.store(x + tl.arange(0, BLOCK), 0)


@triton.jit
def flattened(da, db, dc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr):
    """Every program computes several tiles; the loop over tiles and the one over K are one, so a sum begins anew where the last one is still in registers."""
    across = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * across
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=True):
        row = tile // across * BM
        column = tile % across * BN
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(da.load([row, k]), db.load([k, column]), total)
        dc.store([row, column], total.to(tl.float16))


@triton.jit
def product(a, b, c, SIZE: tl.constexpr, FACTOR: tl.constexpr):
    rows, columns = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    x = tl.load(a + rows * SIZE + columns) * FACTOR
    y = tl.load(b + rows * SIZE + columns)
    tl.store(c + rows * SIZE + columns, tl.dot(x, y, input_precision="tf32"))


@triton.jit
def cut_off(a, b, c, K, SIZE: tl.constexpr):
    rows, columns = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for step in tl.range(0, tl.cdiv(K, SIZE), num_stages=3):
        k = step * SIZE
        x = tl.load(a + rows * K + (k + columns), mask=k + columns < K, other=0.0)
        y = tl.load(b + (k + rows) * SIZE + columns, mask=k + rows < K, other=1.0)
        total = tl.dot(x, y, total)
    tl.store(c + rows * SIZE + columns, total)


@triton.jit
def doubles(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * 1.5)


@triton.jit
def block_scaled(
    da, dsa, db, dsb, dc, STEPS: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, VECTOR: tl.constexpr,
    LEFT: tl.constexpr, RIGHT: tl.constexpr,
):
    """A product of blocks with a scale each. The scales come in chunks of 128 rows by 4, as the chip has them, and are only seen as rows."""
    of_left: tl.constexpr = BK // (2 if LEFT == "e2m1" else 1)
    of_right: tl.constexpr = BK // (2 if RIGHT == "e2m1" else 1)
    chunks: tl.constexpr = BK // VECTOR // 4
    total = tl.zeros((128, BN), tl.float32)
    for k in tl.range(STEPS, num_stages=2):
        a, b = da.load([0, k * of_left]), db.load([0, k * of_right])
        sa = dsa.load([0, 0, k * chunks, 0, 0]).reshape(1, chunks, 32, 4, 4).trans(0, 3, 2, 1, 4).reshape(128, 4 * chunks)
        sb = dsb.load([0, 0, k * chunks, 0, 0]).reshape(BN // 128, chunks, 32, 4, 4).trans(0, 3, 2, 1, 4).reshape(BN, 4 * chunks)
        total = tl.dot_scaled(a, sa, LEFT, b.T, sb, RIGHT, total)
    dc.store([0, 0], total)


@triton.jit
def at_least(x, out, least, step, one, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """TTGIR is refused: it has constants of f64."""
    i, j = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    wide = tl.load(x + i * COLUMNS + j).to(tl.float64)
    found = tl.maximum(wide, tl.full((), 7.0, tl.float64))
    tl.store(out + i * step + j * one, tl.maximum(found.to(tl.float32), least))
