"""Tiles of fewer elements than the program has threads: several warps compute one part, and store it.

    python small.py            writes the texts, the launches and the inputs, and what numpy says of the exact ones

Triton 3.6.0, for sm_90; no GPU is asked for.
"""
import json
import re
from pathlib import Path

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

here = Path(__file__).parent


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BK: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, K, BK):
        kk = k + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * K + kk[None, :])
        y = tl.load(b + kk[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * N + j[None, :], acc.to(tl.float16))


@triton.jit
def row_sums(x, y, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    tl.store(y + i, tl.sum(tl.load(x + i[:, None] * N + j[None, :]), axis=1))


@triton.jit
def greatest(x, y, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    tl.store(y + i, tl.argmax(tl.load(x + i[:, None] * N + j[None, :]), axis=1))


@triton.jit
def attention(q, k, v, o, S: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, S)
    d = tl.arange(0, D)
    at = i[:, None] * D + d[None, :]
    s = tl.dot(tl.load(q + at), tl.trans(tl.load(k + at)))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    r = tl.dot(p.to(tl.float16), tl.load(v + at))
    tl.store(o + at, r / tl.sum(p, axis=1)[:, None])


def whole(shape, dtype, seed):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def some(shape, dtype, seed):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


f16, f32, i32 = np.float16, np.float32, np.int32
a, b = whole((16, 32), f16, 1), whole((32, 16), f16, 2)
x = whole((4, 256), f32, 3)
z = some((4, 16), f32, 4)
q, k, v = (some((32, 32), f16, s) for s in (5, 6, 7))

# name, kernel, warps, constants, inputs, the output and what it is (None: exponentials, which are not exact)
kernels = [
    ('product', product, 4, dict(M=16, N=16, K=32, BK=16), dict(a=a, b=b), 'c', (16, 16), f16, (a.astype(f32) @ b.astype(f32)).astype(f16)),
    ('row_sums', row_sums, 4, dict(M=4, N=256), dict(x=x), 'y', (4,), f32, x.sum(axis=1)),
    ('greatest', greatest, 4, dict(M=4, N=16), dict(x=z), 'y', (4,), i32, z.argmax(axis=1).astype(i32)),
    ('attention', attention, 8, dict(S=32, D=32), dict(q=q, k=k, v=v), 'o', (32, 32), f32, None),
]
names = {np.dtype(f16): 'f16', np.dtype(f32): 'f32', np.dtype(i32): 'i32'}
types = {'f16': '*fp16', 'f32': '*fp32', 'i32': '*i32'}

for name, kernel, warps, constants, inputs, output, shape, dtype, expected in kernels:
    dtypes = {n: names[t.dtype] for n, t in inputs.items()} | {output: names[np.dtype(dtype)]}
    signature = {n: types[d] for n, d in dtypes.items()} | {c: 'constexpr' for c in constants}
    at = {n: i for i, n in enumerate(kernel.arg_names)}
    source = ASTSource(
        kernel,
        signature,
        constexprs={(at[c],): value for c, value in constants.items()},
        attrs={(at[n],): [['tt.divisibility', 16]] for n in dtypes},
    )
    made = triton.compile(source, target=GPUTarget('cuda', 90, 32), options=dict(num_warps=warps))
    folder = here / name
    folder.mkdir(exist_ok=True)
    # the place where the maker has Triton stands in the debug information
    text = re.sub(r'"[^"]*/(\w+\.py)"', r'"\1"', made.asm['ptx'])
    (folder / f'{name}.ptx').write_text(text)
    for n, t in inputs.items():
        np.save(folder / f'{n}.npy', t)
    if expected is not None:
        np.save(folder / f'{output}.npy', expected)
    tensor = lambda n, s, role: {'kind': 'pointer', 'tensor': n, 'dtype': dtypes[n], 'shape': list(s), 'role': role}
    args = [tensor(n, t.shape, 'in') for n, t in inputs.items()] + [tensor(output, shape, 'out')]
    scratch = [{'kind': 'scalar', 'name': n, 'type': 'u64', 'value': 0} for n in ('scratch', 'profile')]
    launch = {'grid': [1], 'block': [32 * warps], 'shared': made.metadata.shared, 'args': args + scratch, 'outputs': [output]}
    (folder / 'launch.json').write_text(json.dumps(launch) + '\n')
