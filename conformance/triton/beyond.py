"""Triton kernels of our own, of what products and attention do not use: scans, reductions of several tensors, atomics, calls, loops that wait for a
condition, gathers, histograms, 8-bit products, clusters of two CTAs.

    beyond.py OUT              compiles each for sm_90 (no GPU is needed) and writes OUT/NAME.ttgir and OUT/NAME.ptx
    beyond.py OUT --run        launches each on the GPU that is there, and writes OUT/NAME/: the text, launch.json, inputs and outputs (.npy)

`--only NAME` takes one of them. An input is drawn from a seed that its kernel's name gives; outputs hold zeros before a launch."""
import json, os, sys, traceback, zlib
import numpy as np
import triton, triton.language as tl
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget

# ---------------------------------------------------------------- scans


@triton.jit
def scan_rows(x, y, R: tl.constexpr, C: tl.constexpr, REVERSE: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    at = r[:, None] * C + c[None, :]
    tl.store(y + at, tl.cumsum(tl.load(x + at), 1, reverse=REVERSE))


@triton.jit
def scan_columns(x, y, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    at = r[:, None] * C + c[None, :]
    tl.store(y + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def scan_vector(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.cumsum(tl.load(x + i), 0))


@triton.jit
def then(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence(a, b, y, N: tl.constexpr):
    """y[i] = a[i] * y[i - 1] + b[i], as a scan of two tensors"""
    i = tl.arange(0, N)
    _, h = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, then)
    tl.store(y + i, h)


# ---------------------------------------------------------------- reductions


@triton.jit
def arg_rows(x, most, least, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    v = tl.load(x + r[:, None] * C + c[None, :])
    tl.store(most + r, tl.argmax(v, 1))
    tl.store(least + r, tl.argmin(v, 1))


@triton.jit
def max_rows(x, most, where, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    m, at = tl.max(tl.load(x + r[:, None] * C + c[None, :]), 1, return_indices=True)
    tl.store(most + r, m)
    tl.store(where + r, at)


@triton.jit
def softmax(x, y, C, stride, BC: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BC)
    v = tl.load(x + row * stride + c, mask=c < C, other=float('-inf'))
    p = tl.exp2((v - tl.max(v, 0)) * 1.4426950408889634)
    tl.store(y + row * stride + c, p / tl.sum(p, 0), mask=c < C)


@triton.jit
def layer_norm(x, w, b, y, mean, C, eps, BC: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BC)
    v = tl.load(x + row * C + c, mask=c < C, other=0.)
    mu = tl.sum(v, 0) / C
    d = tl.where(c < C, v - mu, 0.)
    var = tl.sum(d * d, 0) / C
    n = d * tl.rsqrt(var + eps)
    tl.store(y + row * C + c, n * tl.load(w + c, mask=c < C) + tl.load(b + c, mask=c < C), mask=c < C)
    tl.store(mean + row, mu)


@triton.jit
def sums(x, whole, rows, bits, R: tl.constexpr, C: tl.constexpr):
    """a scalar of a tensor, and rows of integers"""
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    v = tl.load(x + r[:, None] * C + c[None, :])
    tl.store(whole, tl.sum(v))
    tl.store(rows + r, tl.sum(v, 1))
    tl.store(bits + c, tl.xor_sum(v, 0))


@triton.jit
def inner_product(x, y, whole, part, running, N: tl.constexpr):
    """products that are summed up: in a thread, across threads, one behind another"""
    i = tl.arange(0, N)
    p = tl.load(x + i) * tl.load(y + i)
    tl.store(whole, tl.sum(p, 0))
    j = tl.arange(0, 128)
    tl.store(part, tl.sum(tl.load(x + j) * tl.load(y + j), 0))
    q = tl.load(x + i) * tl.load(y + i)
    tl.store(running + i, tl.cumsum(q, 0))


# ---------------------------------------------------------------- gathers, histograms, atomics


@triton.jit
def gather_rows(x, index, y, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    at = r[:, None] * C + c[None, :]
    tl.store(y + at, tl.gather(tl.load(x + at), tl.load(index + at), 1))


@triton.jit
def histogram(x, y, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(y + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, N)), BINS))


@triton.jit
def atomic_bins(x, bins, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < N
    v = tl.load(x + i, mask=inside, other=0)
    tl.atomic_add(bins + v, 1, mask=inside)


@triton.jit
def atomic_extremes(x, out, BLOCK: tl.constexpr):
    v = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_max(out, tl.max(v, 0))
    tl.atomic_min(out + 1, tl.min(v, 0))
    tl.atomic_or(out + 2, tl.reduce_or(v, 0))
    tl.atomic_xor(out + 3, tl.xor_sum(v, 0))


@triton.jit
def numbered(x, count, y, BLOCK: tl.constexpr):
    """each program takes a number, in the order in which they come"""
    at = tl.atomic_add(count, 1, sem='relaxed')
    i = tl.arange(0, BLOCK)
    tl.store(y + at * BLOCK + i, tl.load(x + i))


@triton.jit
def last_one(x, partial, count, y, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    """the program that comes last adds what all have left"""
    p = tl.program_id(0)
    tl.store(partial + p, tl.sum(tl.load(x + p * BLOCK + tl.arange(0, BLOCK)), 0))
    before = tl.atomic_add(count, 1)
    if before == PROGRAMS - 1:
        tl.store(y, tl.sum(tl.load(partial + tl.arange(0, PROGRAMS)), 0))


@triton.jit
def locked(x, lock, total, BLOCK: tl.constexpr):
    """a lock of compare and swap around a sum"""
    p = tl.program_id(0)
    v = tl.sum(tl.load(x + p * BLOCK + tl.arange(0, BLOCK)), 0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + v)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


# ---------------------------------------------------------------- control


@triton.jit
def steps(x, y, N: tl.constexpr):
    """how often it is halved, or tripled and one added, until it is one"""
    i = tl.program_id(0)
    v = tl.load(x + i)
    n = 0
    while v != 1:
        v = tl.where(v % 2 == 0, v // 2, 3 * v + 1)
        n += 1
    tl.store(y + i, n)


@triton.jit
def newton(x, y, N: tl.constexpr):
    """a loop that carries tensors and ends on their sum"""
    i = tl.arange(0, N)
    a = tl.load(x + i)
    r = tl.full((N,), 1.0, tl.float32)
    left = 1
    rounds = 0
    while left > 0:
        n = (r + tl.div_rn(a, r)) * 0.5
        left = tl.sum((n != r).to(tl.int32), 0)
        left = tl.where(rounds >= 20, 0, left)
        r = n
        rounds += 1
    tl.store(y + i, r)


@triton.jit(noinline=True)
def clamped(v, low, high):
    return tl.minimum(tl.maximum(v, low), high)


@triton.jit(noinline=True)
def kept(p, i, v):
    """stores, calls another, gives two"""
    tl.store(p + i, v)
    return clamped(v + v, -1.0, 1.0), i + 1


@triton.jit
def calls(x, y, low, high, N: tl.constexpr):
    i = tl.program_id(0)
    w, j = kept(y, 2 * i, clamped(tl.load(x + i), low, high))
    tl.store(y + j, w)


@triton.jit
def early(x, y, n, N: tl.constexpr):
    p = tl.program_id(0)
    if p >= n:
        return
    i = p * N + tl.arange(0, N)
    tl.store(y + i, tl.load(x + i) + p)


# ---------------------------------------------------------------- numbers


@triton.jit
def integers(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    u = a.to(tl.uint32, bitcast=True)
    v = b.to(tl.uint32, bitcast=True)
    tl.store(out + i, tl.umulhi(u, v).to(tl.int32, bitcast=True))
    tl.store(out + N + i, (u // v).to(tl.int32, bitcast=True))
    tl.store(out + 2 * N + i, (u % v).to(tl.int32, bitcast=True))
    tl.store(out + 3 * N + i, a // b)
    tl.store(out + 4 * N + i, a % b)
    tl.store(out + 5 * N + i, tl.maximum(u, v).to(tl.int32, bitcast=True))
    tl.store(out + 6 * N + i, tl.minimum(a, b))
    tl.store(out + 7 * N + i, tl.abs(a))
    tl.store(out + 8 * N + i, ((a >> 12).to(tl.int64) * (b >> 12).to(tl.int64) >> 10).to(tl.int32))
    tl.store(out + 9 * N + i, tl.cdiv(a, b))
    tl.store(out + 10 * N + i, (u >> 3).to(tl.int32, bitcast=True) ^ (a << 2))


@triton.jit
def floats(x, y, z, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    c = tl.load(z + i)
    tl.store(out + i, tl.floor(a))
    tl.store(out + N + i, tl.ceil(a))
    tl.store(out + 2 * N + i, tl.abs(a))
    tl.store(out + 3 * N + i, tl.fma(a, b, c))
    tl.store(out + 4 * N + i, tl.sqrt_rn(tl.abs(a)))
    tl.store(out + 5 * N + i, tl.div_rn(a, b))
    tl.store(out + 6 * N + i, tl.maximum(a, b))
    tl.store(out + 7 * N + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 8 * N + i, tl.clamp(a, -1.0, 1.0))
    tl.store(out + 9 * N + i, tl.clamp(a, b, c, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 10 * N + i, a.to(tl.int32).to(tl.float32))
    tl.store(out + 11 * N + i, tl.abs(a).to(tl.uint32).to(tl.float32))
    tl.store(out + 12 * N + i, tl.where(a != b, a - b, c))
    tl.store(out + 13 * N + i, tl.where(a < b, 1.0, tl.where(a >= c, 2.0, 3.0)))
    tl.store(out + 14 * N + i, tl.where(a == b, 1.0, tl.where(a > c, 2.0, -a)))


@triton.jit
def special(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, tl.exp(a))
    tl.store(out + N + i, tl.exp2(a))
    tl.store(out + 2 * N + i, tl.rsqrt(tl.abs(a)))
    tl.store(out + 3 * N + i, tl.sigmoid(a))


@triton.jit
def contractions(x, y, z, w, r, out, N: tl.constexpr):
    """which product a sum takes into its rounding"""
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    c = tl.load(z + i)
    d = tl.load(w + i)
    e = tl.load(r + i)
    p = a * b
    q = c * d
    tl.store(out + i, p + q)
    tl.store(out + N + i, p + e)
    s = b * c
    t = d * e
    tl.store(out + 2 * N + i, s + a)
    tl.store(out + 3 * N + i, s - t)
    u = a * c
    v = b * d
    tl.store(out + 4 * N + i, u - v)
    tl.store(out + 5 * N + i, u)
    k = tl.load(x) * tl.load(y)
    tl.store(out + 6 * N + i, k + e)
    tl.store(out + 7 * N + i, k + a * e)
    tl.store(out + 8 * N + i, (c * e + a) + c * e)
    tl.store(out + 9 * N + i, a - b * e)


@triton.jit
def pairs(x, y, z, N: tl.constexpr):
    """joined, split, turned around, sorted"""
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    both = tl.interleave(a, b)
    even, odd = tl.split(tl.reshape(both, (N, 2)))
    tl.store(z + tl.arange(0, 2 * N), both)
    tl.store(z + 2 * N + i, even - odd)
    tl.store(z + 3 * N + i, tl.flip(a, 0))
    tl.store(z + 4 * N + i, tl.sort(a))


@triton.jit
def dropout(x, y, seed, p, N: tl.constexpr):
    i = tl.arange(0, N)
    keep = tl.rand(seed, i) > p
    tl.store(y + i, tl.where(keep, tl.load(x + i) / (1 - p), 0.))


# ---------------------------------------------------------------- products


@triton.jit
def grouped(a, b, c, sizes, starts, K, N, GROUPS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """several products behind one another, each of rows of its own; one program takes every gridDim-th tile"""
    tile = tl.program_id(0)
    first = 0
    for g in range(GROUPS):
        m = tl.load(sizes + g)
        at = tl.load(starts + g)
        nm = tl.cdiv(m, BM)
        nn = tl.cdiv(N, BN)
        while tile >= first and tile < first + nm * nn:
            k = tile - first
            pm = k // nn
            pn = k % nn
            rm = at + pm * BM + tl.arange(0, BM)
            rn = pn * BN + tl.arange(0, BN)
            acc = tl.zeros((BM, BN), tl.float32)
            for kk in range(0, K, BK):
                rk = kk + tl.arange(0, BK)
                x = tl.load(a + rm[:, None] * K + rk[None, :])
                w = tl.load(b + g * K * N + rk[:, None] * N + rn[None, :])
                acc = tl.dot(x, w, acc)
            tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.float16))
            tile += tl.num_programs(0)
        first += nm * nn


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr):
    """b lies as n rows of k"""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), ACC)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * K + rk[None, :])
        y = tl.load(b + rn[None, :] * K + rk[:, None])
        acc = tl.dot(x, y, acc, out_dtype=ACC)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def product_tma(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(da.load([pm * BM, k]), db.load([k, pn * BN]), acc)
    dc.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def product_fma(a, b, c, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """multiplied and added by the threads: f32, exactly"""
    rm = tl.arange(0, M)
    rn = tl.arange(0, N)
    rk = tl.arange(0, K)
    x = tl.load(a + rm[:, None] * K + rk[None, :])
    y = tl.load(b + rk[:, None] * N + rn[None, :])
    tl.store(c + rm[:, None] * N + rn[None, :], tl.dot(x, y, input_precision='ieee'))


@triton.jit
def product_warp(a, b, c, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """one instruction of a warp"""
    rm = tl.arange(0, M)
    rn = tl.arange(0, N)
    rk = tl.arange(0, K)
    x = tl.load(a + rm[:, None] * K + rk[None, :])
    y = tl.load(b + rk[:, None] * N + rn[None, :])
    tl.store(c + rm[:, None] * N + rn[None, :], tl.dot(x, y))


@triton.jit
def product_mma(a, b, z, c, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr, ACC: tl.constexpr):
    """one instruction of a warp after another, from what is in z"""
    rm = tl.arange(0, M)
    rn = tl.arange(0, N)
    rk = tl.arange(0, K)
    at = rm[:, None] * N + rn[None, :]
    x = tl.load(a + rm[:, None] * K + rk[None, :])
    y = tl.load(b + rk[:, None] * N + rn[None, :])
    tl.store(c + at, tl.dot(x, y, tl.load(z + at), out_dtype=ACC))


@triton.jit
def product_registers(a, b, c, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """a warpgroup's, of bytes that are made in registers; b lies as n rows of k"""
    rm = tl.arange(0, M)
    rn = tl.arange(0, N)
    rk = tl.arange(0, K)
    x = tl.load(a + rm[:, None] * K + rk[None, :])
    y = tl.load(b + rn[None, :] * K + rk[:, None])
    tl.store(c + rm[:, None] * N + rn[None, :], tl.dot((x + x).to(tl.int8), y, out_dtype=tl.int32))


# ---------------------------------------------------------------- functions of a library, quotients

from triton.language.extra import libdevice


@triton.jit
def library(x, y, out, N: tl.constexpr):
    """functions of CUDA's library, which are inlined"""
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, tl.sqrt(a))
    tl.store(out + N + i, tl.log2(a))
    tl.store(out + 2 * N + i, tl.log(a))
    tl.store(out + 3 * N + i, tl.sin(a))
    tl.store(out + 4 * N + i, tl.cos(a))
    tl.store(out + 5 * N + i, tl.erf(a))
    tl.store(out + 6 * N + i, libdevice.tanh(a))
    tl.store(out + 7 * N + i, libdevice.exp(a))
    tl.store(out + 8 * N + i, libdevice.expm1(a))
    tl.store(out + 9 * N + i, libdevice.log1p(a))
    tl.store(out + 10 * N + i, libdevice.fast_sinf(a))
    tl.store(out + 11 * N + i, libdevice.fast_cosf(a))
    tl.store(out + 12 * N + i, libdevice.fast_expf(a))
    tl.store(out + 13 * N + i, libdevice.fast_log2f(a))
    tl.store(out + 14 * N + i, libdevice.fast_logf(a))
    tl.store(out + 15 * N + i, libdevice.fast_logf(a) + b)
    tl.store(out + 16 * N + i, libdevice.fast_dividef(a, b))


@triton.jit
def quotients(x, y, z, out, N: tl.constexpr):
    """which quotient a sum takes into its rounding, if any"""
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    c = tl.load(z + i)
    tl.store(out + i, a / b + c)
    p = b / c
    tl.store(out + N + i, p)
    tl.store(out + 2 * N + i, p + a)
    tl.store(out + 3 * N + i, b - c / a)
    tl.store(out + 4 * N + i, a / c - b)
    tl.store(out + 5 * N + i, c / b + b / a)
    tl.store(out + 6 * N + i, a * b + a / (b + 3))
    tl.store(out + 7 * N + i, tl.div_rn(a, c) + b)
    tl.store(out + 8 * N + i, libdevice.fast_dividef(b, a) + c)
    tl.store(out + 9 * N + i, tl.sum(a, 0) / tl.load(y) + c)


# ---------------------------------------------------------------- launches


class In:
    def __init__(self, dtype, shape, low=None, high=None):
        self.dtype, self.shape, self.low, self.high = dtype, shape, low, high


class Out:
    """zeros before the launch; `kept`: the kernel reads them, or leaves some as they are"""
    def __init__(self, dtype, shape, kept=False):
        self.dtype, self.shape, self.kept = dtype, shape, kept


pointers = {'f32': '*fp32', 'f16': '*fp16', 'bf16': '*bf16', 'i32': '*i32', 'i64': '*i64', 'e4m3': '*fp8e4nv', 'e5m2': '*fp8e5', 'i8': '*i8'}
arrays = {'f32': np.float32, 'f16': np.float16, 'bf16': np.uint16, 'i32': np.int32, 'i64': np.int64, 'e4m3': np.uint8, 'e5m2': np.uint8, 'i8': np.int8}


def case(kernel, grid, args, constants, **options):
    return dict(kernel=kernel, grid=grid, args=args, constants=constants, options=options)


f32, f16, i32 = 'f32', 'f16', 'i32'
wide = (-2**31, 2**31)
cases = {
    'scan_rows_f32': case(scan_rows, [1], dict(x=In(f32, [16, 128]), y=Out(f32, [16, 128])), dict(R=16, C=128, REVERSE=False)),
    'scan_rows_i32': case(scan_rows, [1], dict(x=In(i32, [16, 128]), y=Out(i32, [16, 128])), dict(R=16, C=128, REVERSE=False)),
    'scan_rows_back': case(scan_rows, [1], dict(x=In(f32, [16, 128]), y=Out(f32, [16, 128])), dict(R=16, C=128, REVERSE=True)),
    'scan_columns': case(scan_columns, [1], dict(x=In(f32, [128, 16]), y=Out(f32, [128, 16])), dict(R=128, C=16)),
    'scan_vector': case(scan_vector, [1], dict(x=In(f32, [2048]), y=Out(f32, [2048])), dict(N=2048)),
    'scan_blocks': case(scan_vector, [1], dict(x=In(f32, [512]), y=Out(f32, [512])), dict(N=512), num_warps=1),
    'scan_short': case(scan_vector, [1], dict(x=In(f32, [64]), y=Out(f32, [64])), dict(N=64)),
    'recurrence': case(recurrence, [1], dict(a=In(f32, [1024]), b=In(f32, [1024]), y=Out(f32, [1024])), dict(N=1024)),
    'arg_rows': case(arg_rows, [1], dict(x=In(f32, [16, 128], -8, 8), most=Out(i32, [16]), least=Out(i32, [16])), dict(R=16, C=128)),
    'max_rows': case(max_rows, [1], dict(x=In(f32, [16, 128], -8, 8), most=Out(f32, [16]), where=Out(i32, [16])), dict(R=16, C=128)),
    'softmax': case(softmax, [8], dict(x=In(f32, [8, 256]), y=Out(f32, [8, 256], True), C=200, stride=256), dict(BC=256)),
    'layer_norm': case(layer_norm, [8], dict(x=In(f32, [8, 200]), w=In(f32, [200]), b=In(f32, [200]), y=Out(f32, [8, 200]), mean=Out(f32, [8]), C=200, eps=1e-5), dict(BC=256)),
    'sums': case(sums, [1], dict(x=In(i32, [32, 64]), whole=Out(i32, [1]), rows=Out(i32, [32]), bits=Out(i32, [64])), dict(R=32, C=64)),
    'inner_product': case(inner_product, [1], dict(x=In(f32, [512]), y=In(f32, [512]), whole=Out(f32, [1]), part=Out(f32, [1]), running=Out(f32, [512])), dict(N=512)),
    'gather_rows': case(gather_rows, [1], dict(x=In(f32, [16, 64]), index=In(i32, [16, 64], 0, 64), y=Out(f32, [16, 64])), dict(R=16, C=64)),
    'histogram': case(histogram, [1], dict(x=In(i32, [512], 0, 32), y=Out(i32, [32])), dict(N=512, BINS=32)),
    'atomic_bins': case(atomic_bins, [8], dict(x=In(i32, [1000], 0, 32), bins=Out(i32, [32], True), N=1000), dict(BLOCK=128)),
    'atomic_extremes': case(atomic_extremes, [8], dict(x=In(i32, [1024]), out=Out(i32, [4], True)), dict(BLOCK=128)),
    'numbered': case(numbered, [4], dict(x=In(i32, [128]), count=Out(i32, [1], True), y=Out(i32, [4, 128])), dict(BLOCK=128)),
    'last_one': case(last_one, [8], dict(x=In(i32, [1024]), partial=Out(i32, [8]), count=Out(i32, [1], True), y=Out(i32, [1])), dict(BLOCK=128, PROGRAMS=8)),
    'locked': case(locked, [8], dict(x=In(i32, [1024]), lock=Out(i32, [1], True), total=Out(i32, [1], True)), dict(BLOCK=128)),
    'steps': case(steps, [16], dict(x=In(i32, [16], 1, 200), y=Out(i32, [16])), dict(N=16)),
    'newton': case(newton, [1], dict(x=In(f32, [128], 1, 100), y=Out(f32, [128])), dict(N=128)),
    'calls': case(calls, [16], dict(x=In(f32, [16]), y=Out(f32, [32]), low=-0.25, high=0.75), dict(N=16)),
    'early': case(early, [4], dict(x=In(i32, [512]), y=Out(i32, [512], True), n=3), dict(N=128)),
    'integers': case(integers, [1], dict(x=In(i32, [256], *wide), y=In(i32, [256], *wide), out=Out(i32, [11, 256])), dict(N=256)),
    'floats': case(floats, [1], dict(x=In(f32, [256], -4, 4), y=In(f32, [256], -4, 4), z=In(f32, [256]), out=Out(f32, [15, 256])), dict(N=256)),
    'special': case(special, [1], dict(x=In(f32, [256], -8, 8), out=Out(f32, [4, 256])), dict(N=256)),
    'library': case(library, [1], dict(x=In(f32, [512], 'any'), y=In(f32, [512], 'any'), out=Out(f32, [17, 512])), dict(N=512)),
    'quotients': case(quotients, [1], dict(x=In(f32, [512], -8, 8), y=In(f32, [512], -8, 8), z=In(f32, [512], -8, 8), out=Out(f32, [10, 512])), dict(N=512)),
    'contractions': case(contractions, [1], dict(x=In(f32, [256]), y=In(f32, [256]), z=In(f32, [256]), w=In(f32, [256]), r=In(f32, [256]), out=Out(f32, [10, 256])), dict(N=256)),
    'pairs': case(pairs, [1], dict(x=In(i32, [128]), y=In(i32, [128]), z=Out(i32, [5, 128])), dict(N=128)),
    'dropout': case(dropout, [1], dict(x=In(f32, [512]), y=Out(f32, [512]), seed=1234, p=0.25), dict(N=512)),
    'grouped': case(grouped, [3], dict(a=In(f16, [256, 64]), b=In(f16, [3, 64, 128]), c=Out(f16, [256, 128]), sizes=In(i32, [3], [64, 128, 64], None), starts=In(i32, [3], [0, 64, 192], None), K=64, N=128), dict(GROUPS=3, BM=64, BN=64, BK=32)),
    'product_e4m3': case(product, [2, 2], dict(a=In('e4m3', [128, 128]), b=In('e4m3', [128, 128]), c=Out(f32, [128, 128]), M=128, N=128, K=128), dict(BM=64, BN=64, BK=64, ACC=tl.float32)),
    'product_e5m2': case(product, [2, 2], dict(a=In('e5m2', [128, 128]), b=In('e5m2', [128, 128]), c=Out(f32, [128, 128]), M=128, N=128, K=128), dict(BM=64, BN=64, BK=64, ACC=tl.float32)),
    'product_i8': case(product, [2, 2], dict(a=In('i8', [128, 128]), b=In('i8', [128, 128]), c=Out(i32, [128, 128]), M=128, N=128, K=128), dict(BM=64, BN=64, BK=64, ACC=tl.int32)),
    'product_fma': case(product_fma, [1], dict(a=In(f32, [32, 16]), b=In(f32, [16, 32]), c=Out(f32, [32, 32])), dict(K=16, M=32, N=32)),
    'product_warp': case(product_warp, [1], dict(a=In(f16, [16, 16]), b=In(f16, [16, 16]), c=Out(f32, [16, 16])), dict(K=16, M=16, N=16), num_warps=1),
    'mma_f16': case(product_mma, [1], dict(a=In(f16, [32, 64]), b=In(f16, [64, 32]), z=In(f32, [32, 32]), c=Out(f32, [32, 32])), dict(K=64, M=32, N=32, ACC=tl.float32)),
    'mma_f16_sums': case(product_mma, [1], dict(a=In(f16, [32, 64]), b=In(f16, [64, 16]), z=In(f16, [32, 16]), c=Out(f16, [32, 16])), dict(K=64, M=32, N=16, ACC=tl.float16), num_warps=2),
    'mma_bf16': case(product_mma, [1], dict(a=In('bf16', [32, 64]), b=In('bf16', [64, 16]), z=In(f32, [32, 16]), c=Out(f32, [32, 16])), dict(K=64, M=32, N=16, ACC=tl.float32), num_warps=2),
    'mma_tf32': case(product_mma, [1], dict(a=In(f32, [32, 32]), b=In(f32, [32, 16]), z=In(f32, [32, 16]), c=Out(f32, [32, 16])), dict(K=32, M=32, N=16, ACC=tl.float32), num_warps=2),
    'mma_i8': case(product_mma, [1], dict(a=In('i8', [32, 64]), b=In('i8', [64, 16]), z=In(i32, [32, 16], 2**31 - 200000, 2**31), c=Out(i32, [32, 16])), dict(K=64, M=32, N=16, ACC=tl.int32), num_warps=2),
    'mma_e4m3': case(product_mma, [1], dict(a=In('e4m3', [32, 64]), b=In('e4m3', [64, 16]), z=In(f32, [32, 16]), c=Out(f32, [32, 16])), dict(K=64, M=32, N=16, ACC=tl.float32), num_warps=2),
    'product_registers': case(product_registers, [1], dict(a=In('i8', [64, 64]), b=In('i8', [32, 64]), c=Out(i32, [64, 32])), dict(K=64, M=64, N=32)),
    'cluster_pointers': case(product, [1, 2], dict(a=In(f16, [128, 128]), b=In(f16, [128, 128]), c=Out(f32, [128, 128]), M=128, N=128, K=128), dict(BM=128, BN=64, BK=64, ACC=tl.float32), num_ctas=2),
    'cluster_tma': case(product_tma, [1, 2], dict(a=In(f16, [128, 128]), b=In(f16, [128, 128]), c=Out(f16, [128, 128]), M=128, N=128, K=128), dict(BM=128, BN=64, BK=64), num_ctas=2),
}


def typed(a):
    return pointers[a.dtype] if isinstance(a, (In, Out)) else 'fp32' if isinstance(a, float) else 'i32'


def compiled(of):
    args = of['args']
    signature = {name: typed(a) for name, a in args.items()}
    signature.update({name: 'constexpr' for name in of['constants']})
    attrs = {(i,): [['tt.divisibility', 16]] for i, a in enumerate(args.values()) if isinstance(a, (In, Out)) or (isinstance(a, int) and a % 16 == 0)}
    return triton.compile(ASTSource(of['kernel'], signature, of['constants'], attrs), target=GPUTarget('cuda', 90, 32), options=of['options'])


def drawn(a, random):
    if isinstance(a, Out):
        return np.zeros(a.shape, arrays[a.dtype])
    if isinstance(a.low, list):
        return np.array(a.low, arrays[a.dtype])
    if a.low == 'any':
        # any bits of f32, every other one of a number between -8 and 8
        bits = random.integers(0, 2**32, a.shape, dtype=np.uint64).astype(np.uint32).view(np.float32)
        return np.where(np.arange(bits.size).reshape(a.shape) % 2 == 0, bits, random.uniform(-8, 8, a.shape).astype(np.float32))
    if a.dtype == 'bf16':
        return (random.uniform(-1, 1, a.shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if a.dtype in ('f32', 'f16'):
        low, high = (-1, 1) if a.low is None else (a.low, a.high)
        return random.uniform(low, high, a.shape).astype(arrays[a.dtype])
    if a.dtype in ('e4m3', 'e5m2'):
        # exponents around zero, any sign, any fraction
        fraction, middle = (3, 7) if a.dtype == 'e4m3' else (2, 15)
        exponent = random.integers(middle - 4, middle + 2, a.shape)
        return (random.integers(0, 2, a.shape) << 7 | exponent << fraction | random.integers(0, 1 << fraction, a.shape)).astype(np.uint8)
    low, high = ((-128, 128) if a.dtype == 'i8' else (-1000, 1000)) if a.low is None else (a.low, a.high)
    return random.integers(low, high, a.shape).astype(arrays[a.dtype])


def plain(text):
    """locations without the folder"""
    here, library = os.path.abspath(__file__), os.path.dirname(os.path.abspath(triton.__file__))
    return text.replace(here, 'beyond.py').replace(__file__, 'beyond.py').replace(library, 'triton')


def launch(name, of, out):
    import torch
    views = {'e4m3': torch.float8_e4m3fn, 'e5m2': torch.float8_e5m2, 'bf16': torch.bfloat16}
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device='cuda'))
    random = np.random.default_rng(zlib.crc32(name.encode()))
    where = os.path.join(out, name)
    os.makedirs(where, exist_ok=True)
    given, said, held = [], [], {}
    for called, a in of['args'].items():
        if isinstance(a, (In, Out)):
            array = drawn(a, random)
            if isinstance(a, In):
                np.save(os.path.join(where, called + '.npy'), array)
            held[called] = torch.from_numpy(array).cuda()
            given.append(held[called].view(views[a.dtype]) if a.dtype in views else held[called])
            if isinstance(a, Out) and a.kept:
                np.save(os.path.join(where, called + '_before.npy'), array)
                said.append(dict(tensor=called, role='inout', file=called + '_before.npy'))
            else:
                said.append(called)
        else:
            given.append(a)
            said.append(a)
    kernel = of['kernel'][tuple(of['grid'])](*given, **of['constants'], **of['options'])
    torch.cuda.synchronize()
    outputs = [called for called, a in of['args'].items() if isinstance(a, Out)]
    for called in outputs:
        np.save(os.path.join(where, called + '.npy'), held[called].cpu().numpy())
    meta = kernel.metadata
    with open(os.path.join(where, 'launch.json'), 'w') as f:
        json.dump(dict(name=name, kernel=of['kernel'].__name__, grid=of['grid'], num_warps=meta.num_warps, num_ctas=meta.num_ctas, shared=meta.shared, args=said,
                       arch='sm_90a', triton=triton.__version__, extra=dict(global_scratch_size=meta.global_scratch_size), outputs=outputs), f, indent=1)
    for suffix in ('ttgir', 'ptx'):
        with open(os.path.join(where, name + '.' + suffix), 'w') as f:
            f.write(plain(kernel.asm[suffix]))


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    runs = '--run' in sys.argv
    only = sys.argv[sys.argv.index('--only') + 1] if '--only' in sys.argv else None
    for name, of in cases.items():
        if only is not None and name != only:
            continue
        try:
            if runs:
                launch(name, of, out)
            else:
                kernel = compiled(of)
                for suffix in ('ttgir', 'ptx'):
                    with open(os.path.join(out, name + '.' + suffix), 'w') as f:
                        f.write(plain(kernel.asm[suffix]))
            print('ok', name)
        except Exception as e:
            print('FAIL', name, type(e).__name__, (str(e).strip().splitlines() or [''])[-1][:200])
            if only is not None:
                traceback.print_exc()


if __name__ == '__main__':
    main()
