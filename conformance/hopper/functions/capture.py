"""Operands for capture.cu (`capture.py inputs OUT`), and its answers as small files (`capture.py pack OUT`): differences to what is exact, compressed."""
import lzma
import sys
from pathlib import Path

import numpy as np


def inputs(out):
    rng = np.random.default_rng(30)
    strided = np.arange(0x3C800000, 0x41000000, 29, dtype=np.uint32)
    runs = [np.arange(0x3F800000, 0x3F800000 + 2**19), np.arange(0x40100000, 0x40100000 + 2**19)]
    runs += [np.arange(e << 23, (e << 23) + 2048) for e in range(96, 160)]
    anything = rng.integers(0, 2**32, 65536)
    edges = [s | m for s in (0, 1 << 31) for m in (0, 1, 2, 0x7FFFFF, 0x800000, 0x800001, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF)]
    octaves = np.arange(0x3F800000, 0x40800000, 5, dtype=np.uint32)
    in32 = np.concatenate([np.asarray(a, np.uint32) for a in (octaves, strided, *runs, anything, edges)])
    in32.tofile(out / "in32")
    upper = np.arange(0x3FF00000, 0x40100000, dtype=np.uint64) << np.uint64(32)
    low = rng.integers(0, 2**32, 65536, dtype=np.uint64)
    anything = rng.integers(0, 2**64, 65536, dtype=np.uint64)
    high = rng.integers(0, 2**20, 65536, dtype=np.uint64)
    exponents = (np.arange(2048, dtype=np.uint64) << np.uint64(52))[:, None] | np.asarray([0, 1, 0x10000000000, 2**51, 2**52 - 1], np.uint64)[None, :]
    exponents = exponents.ravel()
    with_low = (high << np.uint64(32)) | low | np.uint64(0x3FF0000000000000)
    np.concatenate([upper, with_low, anything, exponents, exponents | np.uint64(1 << 63)]).astype(np.uint64).tofile(out / "in64")


def packed(path, values):
    """Differences as bytes where they are small."""
    path.write_bytes(lzma.compress(values.tobytes(), preset=6))
    print(path.name, path.stat().st_size)


def pack(raw, out):
    x = np.fromfile(raw / "in32", np.uint32)
    with np.errstate(all="ignore"):
        f = x.view(np.float32).astype(np.float64)
        turn = f * np.float64(np.float32(0.15915494))
        near = [np.sqrt(f)] * 2 + [np.sin(turn * 2 * np.pi)] * 2 + [np.cos(turn * 2 * np.pi)] * 2
        for k, n in enumerate(near):
            y = np.fromfile(raw / f"out32.{k}", np.uint32)
            if k % 2 == 0:
                base = n.astype(np.float32).view(np.uint32)
            else:
                base = np.fromfile(raw / f"out32.{k - 1}", np.uint32)
            packed(out / f"f32.{k}.xz", (y - base).view(np.int32))
        for k in range(3):
            y = np.fromfile(raw / f"out64.{k}", np.uint64)
            x64 = np.fromfile(raw / "in64", np.uint64).view(np.float64)
            n = (1 / x64 if k == 0 else 1 / np.sqrt(x64)).view(np.uint64)
            if k < 2:
                # what the unit answers is the upper word
                n &= np.uint64(0xFFFFFFFF00000000)
                print("low words", np.unique(y & np.uint64(0xFFFFFFFF))[:4])
                packed(out / f"f64.{k}.xz", ((y - n) >> np.uint64(32)).astype(np.uint32))
            else:
                packed(out / f"f64.{k}.xz", y - n)
    for name in [f"sums.{k}" for k in range(6)] + ["registers.plain", "registers.cooperative"]:
        (out / name).write_bytes((raw / name).read_bytes())


if __name__ == "__main__":
    if sys.argv[1] == "inputs":
        inputs(Path(sys.argv[2]))
    else:
        pack(Path(sys.argv[2]), Path(sys.argv[3]))
