"""Kernels whose times are captured: compiled here without a GPU; argv: an output folder."""
import json, os, sys
import triton, triton.language as tl
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget


@triton.jit
def mm_ptr(a, b, c, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * sam + rk[None, :]
    pb = b + rk[:, None] * sbk + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(pa)
        y = tl.load(pb)
        acc = tl.dot(x, y, acc)
        pa += BK
        pb += BK * sbk
    tl.store(c + rm[:, None] * scm + rn[None, :], acc.to(tl.float16))


@triton.jit
def mm_tma(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=WS):
        x = da.load([pm * BM, k])
        y = db.load([k, pn * BN])
        acc = tl.dot(x, y, acc)
    dc.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def mm_group(a, b, c, M, N, K, sam, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr):
    """Row-major A, column-major B (its columns are contiguous), tiles in groups of G rows."""
    p = tl.program_id(0)
    nm = tl.cdiv(M, BM)
    nn = tl.cdiv(N, BN)
    g = p // (G * nn)
    size = min(nm - g * G, G)
    pm = g * G + (p % (G * nn)) % size
    pn = (p % (G * nn)) // size
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * sam + rk[None, :]
    pb = b + rk[:, None] + rn[None, :] * sbn
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK
    tl.store(c + rm[:, None] * scm + rn[None, :], acc.to(tl.float16))


@triton.jit
def mm_pers(a, b, c, M, N, K, NSM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """One CTA a multiprocessor walks over the tiles."""
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    nm = tl.cdiv(M, BM)
    nn = tl.cdiv(N, BN)
    for t in range(tl.program_id(0), nm * nn, NSM):
        pm = t % nm
        pn = t // nm
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(da.load([pm * BM, k]), db.load([k, pn * BN]), acc)
        dc.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def attn(q, k, v, o, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """Attention of one head a column of the grid, without a mask."""
    pm = tl.program_id(0)
    head = tl.program_id(1) * N
    rows = N * tl.num_programs(1)
    dq = tl.make_tensor_descriptor(q, [rows, D], [D, 1], [BM, D])
    dk = tl.make_tensor_descriptor(k, [rows, D], [D, 1], [BN, D])
    dv = tl.make_tensor_descriptor(v, [rows, D], [D, 1], [BN, D])
    do = tl.make_tensor_descriptor(o, [rows, D], [D, 1], [BM, D])
    x = dq.load([head + pm * BM, 0])
    m = tl.full((BM,), float('-inf'), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n in range(0, N, BN):
        y = dk.load([head + n, 0])
        s = tl.dot(x, y.T) * scale
        top = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - top[:, None])
        al = tl.exp2(m - top)
        l = l * al + tl.sum(p, 1)
        acc = acc * al[:, None]
        z = dv.load([head + n, 0])
        acc = tl.dot(p.to(tl.float16), z, acc)
        m = top
    do.store([head + pm * BM, 0], (acc / l[:, None]).to(tl.float16))


@triton.jit
def attn_ptr(q, k, v, o, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    pm = tl.program_id(0)
    head = tl.program_id(1) * N * D
    rm = pm * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rd = tl.arange(0, D)
    x = tl.load(q + head + rm[:, None] * D + rd[None, :])
    pk = k + head + rn[None, :] * D + rd[:, None]
    pv = v + head + rn[:, None] * D + rd[None, :]
    m = tl.full((BM,), float('-inf'), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n in range(0, N, BN):
        s = tl.dot(x, tl.load(pk)) * scale
        top = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - top[:, None])
        al = tl.exp2(m - top)
        l = l * al + tl.sum(p, 1)
        acc = acc * al[:, None]
        acc = tl.dot(p.to(tl.float16), tl.load(pv), acc)
        m = top
        pk += BN * D
        pv += BN * D
    tl.store(o + head + rm[:, None] * D + rd[None, :], (acc / l[:, None]).to(tl.float16))


@triton.jit
def add(a, b, c, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(c + i, tl.load(a + i) + tl.load(b + i))


@triton.jit
def softmax(a, c, cols, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    x = tl.load(a + r * cols + i).to(tl.float32)
    x = tl.exp2((x - tl.max(x, 0)) * 1.4426950408889634)
    tl.store(c + r * cols + i, (x / tl.sum(x, 0)).to(tl.float16))


@triton.jit
def rowsum(a, c, cols, B: tl.constexpr):
    r = tl.program_id(0)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, cols, B):
        acc += tl.load(a + r * cols + k + tl.arange(0, B)).to(tl.float32)
    tl.store(c + r, tl.sum(acc, 0).to(tl.float16))


P = '*fp16'
shapes = [(4096, 8192, 4096), (2048, 2048, 2048), (8192, 4096, 1024), (1024, 4096, 8192), (4096, 4096, 4096), (512, 512, 16384)]
tiles = [(128, 128, 64, 3, 4), (128, 128, 64, 4, 8), (128, 256, 64, 3, 8), (64, 128, 64, 3, 4), (64, 64, 32, 4, 4), (128, 128, 32, 5, 8),
         (64, 256, 64, 3, 4), (128, 64, 64, 4, 4), (256, 128, 64, 3, 8), (128, 256, 64, 4, 8), (64, 64, 64, 2, 4), (64, 64, 128, 3, 4)]
jobs = []


def job(name, fn, grid, args, consts, warps, stages, **more):
    jobs.append(dict(name=name, fn=fn, grid=grid, args=args, consts=consts, warps=warps, stages=stages, more=more))


for si, (M, N, K) in enumerate(shapes):
    for ti, (BM, BN, BK, st, w) in enumerate(tiles):
        if si == 0 and ti < 6: continue  # the golden ones
        if si > 1 and (ti + si) % 3 != 0 and not (si == 4 and ti % 2 == 0): continue
        tag = f'{BM}x{BN}x{BK}_s{st}_w{w}_{M}x{N}x{K}'
        c = dict(BM=BM, BN=BN, BK=BK)
        g = [M // BM, N // BN, 1]
        mats = [['a', M * K], ['b', K * N], ['c', M * N]]
        job(f'mm_ptr_{tag}', mm_ptr, g, mats + [['M', 'i', M], ['N', 'i', N], ['K', 'i', K], ['sam', 'i', K], ['sbk', 'i', N], ['scm', 'i', N]], c, w, st, macs=M * N * K)
        job(f'mm_tma_nows_{tag}', mm_tma, g, mats + [['M', 'i', M], ['N', 'i', N], ['K', 'i', K]], dict(c, WS=False), w, st, macs=M * N * K)
        if ti % 2 == 1 and si < 2:
            job(f'mm_tma_ws_{tag}', mm_tma, g, mats + [['M', 'i', M], ['N', 'i', N], ['K', 'i', K]], dict(c, WS=True), w, st, macs=M * N * K)
        if (ti in (1, 2, 6) and si in (0, 4)):
            for G in (1, 8):
                job(f'mm_group{G}_{tag}', mm_group, [M // BM * N // BN, 1, 1], mats + [['M', 'i', M], ['N', 'i', N], ['K', 'i', K], ['sam', 'i', K], ['sbn', 'i', K], ['scm', 'i', N]], dict(c, G=G), w, st, macs=M * N * K)
        if ti in (1, 2, 3, 8) and si in (1, 4):
            job(f'mm_pers_{tag}', mm_pers, [min(132, M // BM * N // BN), 1, 1], mats + [['M', 'i', M], ['N', 'i', N], ['K', 'i', K]], dict(c, NSM=132), w, st, macs=M * N * K)
for BM, BN, D, w, st in [(128, 64, 64, 4, 3), (128, 128, 64, 8, 3), (128, 128, 128, 8, 2), (64, 64, 64, 4, 3), (128, 64, 128, 8, 3), (64, 128, 128, 4, 2)]:
    for N, heads in [(2048, 64), (8192, 8), (1024, 16)]:
        n = N * heads * D
        a = [['q', n], ['k', n], ['v', n], ['o', n], ['scale', 'f', 0.125], ['N', 'i', N]]
        tag = f'{BM}x{BN}x{D}_s{st}_w{w}_{N}x{heads}'
        job(f'attn_{tag}', attn, [N // BM, heads, 1], a, dict(BM=BM, BN=BN, D=D), w, st, macs=2 * N * N * heads * D)
        if N < 8192: job(f'attn_ptr_{tag}', attn_ptr, [N // BM, heads, 1], a, dict(BM=BM, BN=BN, D=D), w, st, macs=2 * N * N * heads * D)
for n, B, w in [(1 << 26, 1024, 4), (1 << 22, 1024, 4), (1 << 26, 4096, 8), (1 << 20, 512, 4)]:
    job(f'add_{n}_{B}_w{w}', add, [n // B, 1, 1], [['a', n], ['b', n], ['c', n], ['n', 'i', n]], dict(B=B), w, 1)
for rows, cols, w in [(8192, 4096, 8), (65536, 1024, 4), (4096, 8192, 16), (1024, 2048, 4)]:
    job(f'softmax_{rows}x{cols}_w{w}', softmax, [rows, 1, 1], [['a', rows * cols], ['c', rows * cols], ['cols', 'i', cols]], dict(B=cols), w, 1)
    job(f'rowsum_{rows}x{cols}_w{w}', rowsum, [rows, 1, 1], [['a', rows * cols], ['c', rows], ['cols', 'i', cols]], dict(B=1024), w, 1)

if __name__ == '__main__':
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    table = []
    seen = {}
    for j in jobs:
        key = (j['fn'].__name__, tuple(sorted(j['consts'].items())), j['warps'], j['stages'])
        kernel = '_'.join([j['fn'].__name__] + [f'{a}{b}' for a, b in sorted(j['consts'].items())] + [f"w{j['warps']}", f"s{j['stages']}"])
        sig = {}
        for a in j['args']: sig[a[0]] = P if len(a) == 2 else 'i32' if a[1] == 'i' else 'fp32'
        if key not in seen:
            full = dict(sig)
            full.update({k: 'constexpr' for k in j['consts']})
            attrs = {(i,): [['tt.divisibility', 16]] for i, (k, v) in enumerate(sig.items()) if v != 'fp32'}
            try:
                k = triton.compile(ASTSource(j['fn'], full, j['consts'], attrs), target=GPUTarget('cuda', 90, 32), options=dict(num_warps=j['warps'], num_stages=j['stages']))
                open(f'{out}/{kernel}.cubin', 'wb').write(k.asm['cubin'])
                open(f'{out}/{kernel}.ptx', 'w').write(k.asm['ptx'])
                m = k.metadata
                import re
                threads = int(re.search(r'reqntid (\d+)', k.asm['ptx']).group(1))
                seen[key] = dict(entry=m.name, shared=m.shared, scratch=getattr(m, 'global_scratch_size', 0), threads=threads)
            except Exception as e:
                seen[key] = None
                print('FAIL', kernel, type(e).__name__, str(e)[:100].replace('\n', ' '))
        if seen[key] is None: continue
        if seen[key]['shared'] > 232448: continue
        table.append(dict(name=j['name'], kernel=kernel, grid=j['grid'], args=j['args'], **seen[key], **j['more']))
    json.dump(table, open(f'{out}/launches.json', 'w'), indent=0)
    print(len(table), 'launches', len(seen), 'kernels')
