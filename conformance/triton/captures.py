"""The Triton kernels as they ran on an H100; the texts of captures/ name the lines of this file. `capture.py` runs them."""
import triton, triton.language as tl






@triton.jit
def mm_ptr(a, b, c, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0); pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM); rn = pn * BN + tl.arange(0, BN); rk = tl.arange(0, BK)
    pa = a + rm[:, None] * sam + rk[None, :]
    pb = b + rk[:, None] * sbk + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(pa); y = tl.load(pb)
        acc = tl.dot(x, y, acc)
        pa += BK; pb += BK * sbk
    tl.store(c + rm[:, None] * scm + rn[None, :], acc.to(tl.float16))

@triton.jit
def mm_tma(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr):
    pm = tl.program_id(0); pn = tl.program_id(1)
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=WS):
        x = da.load([pm * BM, k]); y = db.load([k, pn * BN])
        acc = tl.dot(x, y, acc)
    dc.store([pm * BM, pn * BN], acc.to(tl.float16))

@triton.jit
def mm_host_tma(da, db, dc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr):
    pm = tl.program_id(0); pn = tl.program_id(1)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=WS):
        x = da.load([pm * BM, k]); y = db.load([k, pn * BN])
        acc = tl.dot(x, y, acc)
    dc.store([pm * BM, pn * BN], acc.to(tl.float16))

@triton.jit
def mm_persistent(da, db, dc, M, N, K, NSM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr):
    nm = tl.cdiv(M, BM); nn = tl.cdiv(N, BN)
    for t in tl.range(tl.program_id(0), nm * nn, NSM, warp_specialize=WS):
        pm = t // nn; pn = t % nn
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            x = da.load([pm * BM, k]); y = db.load([k, pn * BN])
            acc = tl.dot(x, y, acc)
        dc.store([pm * BM, pn * BN], acc.to(tl.float16))

@triton.jit
def attn_fwd(dq, dk, dv, do, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, WS: tl.constexpr):
    pm = tl.program_id(0)
    q = dq.load([pm * BM, 0])
    m = tl.full((BM,), float('-inf'), tl.float32); l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n in tl.range(0, N, BN, warp_specialize=WS):
        k = dk.load([n, 0])
        s = tl.dot(q, k.T) * scale
        m2 = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - m2[:, None]); al = tl.exp2(m - m2)
        l = l * al + tl.sum(p, 1); acc = acc * al[:, None]
        v = dv.load([n, 0])
        acc = tl.dot(p.to(tl.float16), v, acc); m = m2
    do.store([pm * BM, 0], (acc / l[:, None]).to(tl.float16))

@triton.jit
def mm_scaled(a, b, sa, sb, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.arange(0, BM); rn = tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * K + rk[None, :]); y = tl.load(b + rk[:, None] * BN + rn[None, :])
        rs = k // 32 + tl.arange(0, BK // 32)
        xs = tl.load(sa + rm[:, None] * (K // 32) + rs[None, :]); ys = tl.load(sb + rn[:, None] * (K // 32) + rs[None, :])
        acc = tl.dot_scaled(x, xs, "e4m3", y, ys, "e4m3", acc)
    tl.store(c + rm[:, None] * BN + rn[None, :], acc)
