"""Launches of the products of `fourth.cu`: what is launched, and which of them are kept back."""
import hashlib, json, sys


def held(name): return hashlib.sha256(name.encode()).digest()[0] % 2 == 1


def launch(n, g, s, e, stages, wide, grid, per=1, pair=1, shape=(4096, 8192, 4096), data='normal', extra=0):
    M, N, K = shape
    bm = 64 * g * s
    rows, columns = M // bm, N // n
    size = (bm + n) * 128
    shared = size * stages + (g * s * n * 128 if e == 1 else g * s * 16384 if e == 2 else 0) + 1024
    if per > 1: shared = max(shared, 1024)
    assert shared <= 232448, (n, g, s, e, stages, shared)
    assert columns % wide == 0 and M % bm == 0 and N % n == 0
    kernel = f"{'paired' if pair == 2 else 'product'}_{n}_{g}_{s}_{e}"
    name = f"{kernel}_s{stages}_w{wide}_{grid}{per}_{M}x{N}x{K}_{data}"
    if grid == 'alone': ctas = 1
    elif grid == 'all': ctas = rows * columns
    else: ctas = 132 * per
    return dict(name=name, kernel=kernel, n=n, bm=bm, pair=pair, threads=128 * (g + 1), shared=shared, grid=ctas, M=M, N=N, K=K, rows=rows, columns=columns, steps=K // 64, stages=stages, wide=wide, data=data, held=held(name))


def launches():
    out = {}
    def add(*a, **k):
        j = launch(*a, **k)
        out[j['name']] = j
    P, A = 'each', 'all'
    for st in (2, 3, 4, 5, 6): add(128, 2, 1, 2, st, 8, P)
    for w in (1, 2, 4, 16, 64): add(128, 2, 1, 2, 4, w, P)
    for e in (0, 1): add(128, 2, 1, e, 4, 8, P)
    for st in (3, 4): add(128, 2, 1, 2, st, 8, A)
    add(128, 2, 1, 0, 3, 8, A, per=2)
    add(128, 2, 1, 0, 3, 8, P, per=2)
    add(128, 2, 1, 0, 2, 8, A, per=2)
    add(128, 2, 1, 0, 3, 1, A, per=2)
    add(128, 2, 1, 0, 3, 64, A, per=2)
    for st in (3, 4): add(128, 2, 1, 2, st, 8, P, pair=2)
    for st in (3, 4): add(128, 2, 1, 2, st, 8, A, pair=2)
    for st in (2, 3, 4): add(256, 2, 1, 2, st, 8, P)
    for st in (3, 4): add(256, 2, 1, 0, st, 8, P)
    for w in (1, 4, 16, 32): add(256, 2, 1, 2, 4, w, P)
    add(256, 2, 1, 2, 4, 8, A)
    add(256, 2, 1, 0, 4, 8, A)
    for st in (3, 4): add(256, 2, 1, 2, st, 8, P, pair=2)
    for st in (2, 4, 6): add(64, 1, 1, 2, st, 8, P)
    for per in (2, 3): add(64, 1, 1, 0, 4, 8, A, per=per) if per == 3 else add(64, 1, 1, 2, 4, 8, P, per=2)
    add(64, 1, 1, 0, 4, 1, A, per=3)
    add(64, 1, 1, 0, 2, 8, A, per=6)
    add(64, 1, 1, 0, 2, 1, A, per=6)
    add(64, 1, 1, 2, 4, 8, P, pair=2)
    add(64, 1, 1, 2, 4, 8, P, pair=2, per=2)
    for st in (3, 4): add(128, 1, 1, 2, st, 8, P)
    add(128, 1, 1, 0, 4, 8, A, per=2)
    add(128, 1, 1, 0, 3, 8, A, per=3)
    add(128, 1, 1, 0, 3, 1, A, per=3)
    for st in (3, 4): add(64, 2, 1, 2, st, 8, P)
    add(64, 2, 1, 0, 4, 8, A, per=2)
    add(64, 2, 1, 0, 3, 8, A, per=3)
    add(64, 2, 1, 2, 4, 8, P, pair=2)
    for st in (3, 4): add(256, 1, 1, 2, st, 8, P)
    for st in (2, 3): add(128, 2, 2, 2, st, 8, P)
    add(128, 2, 2, 2, 3, 1, P)
    add(192, 2, 1, 2, 4, 8, P, shape=(4096, 6144, 4096))
    for shape in ((2048, 2048, 2048), (8192, 8192, 2048), (1024, 4096, 8192), (4096, 4096, 1024)):
        add(128, 2, 1, 2, 4, 8, P, shape=shape)
        add(256, 2, 1, 2, 4, 8, P, shape=shape)
        add(64, 2, 1, 0, 4, 8, A, per=2, shape=shape)
        add(128, 1, 1, 0, 3, 8, A, per=3, shape=shape)
    # the last wave: 132 tiles, one more, two waves, one more
    for columns in (4, 5, 8, 9): add(128, 2, 1, 2, 4, 1, A, shape=(33 * 128, 128 * columns, 4096))
    # all of it in L2, one wave
    for st in (2, 3, 4, 5, 6):
        for w in (1, 11): add(128, 2, 1, 2, st, w, P, shape=(1536, 1408, 4096))
    for st in (2, 4): add(64, 1, 1, 2, st, 1, P, shape=(768, 704, 4096))
    for st in (2, 4): add(256, 2, 1, 2, st, 1, P, shape=(1536, 2816, 2048))
    for pair in (1, 2): add(128, 2, 1, 2, 4, 4, P, pair=pair, shape=(1408, 1536, 4096))
    for data in ('uniform', 'zeros'):
        add(256, 2, 1, 2, 4, 8, P, data=data)
        add(128, 2, 1, 0, 3, 8, A, per=2, data=data)
        add(64, 1, 1, 0, 4, 8, A, per=3, data=data)
    return list(out.values())


if __name__ == '__main__':
    json.dump(launches(), sys.stdout, indent=0)
