"""Writes launch.json and the inputs (seeded) of every kernel here, and makes their PTX and faults.json, with the programs beside; argv: names of kernels (all if none)."""
import os, sys
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cuda"))
import launches, ptx

launches.HERE = ptx.HERE = HERE
launches.LAUNCHES.clear()

def tile(k, name, rows, columns, box):
    values = (k.random.standard_normal((rows, columns)) * np.exp2(k.random.integers(-3, 3, (rows, columns)))).astype("<f2")
    k.files[name + ".npy"] = values
    return {"kind": "tensormap", "tensor": name, "dtype": "f16", "dims": [columns, rows], "strides": [2 * columns], "box": box, "swizzle": 128, "shape": [rows, columns], "role": "in"}

@launches.launch([2, 1], [384], 98304 + 48)
def ring(k, args, r):
    args += [tile(k, "a", 128, 320, [64, 128]), tile(k, "b", 256, 320, [64, 128]), k.left("c", "f32", [128, 256]), k.n("columns", 256), k.n("steps", 5)]

def box(k, name, dtype, values, box, role="in", swizzle=128):
    """a matrix of its own behind a tensor map"""
    rows, columns = values.shape
    k.files[name + ".npy"] = values
    return {"kind": "tensormap", "tensor": name, "dtype": dtype, "dims": [columns, rows], "strides": [columns * values.dtype.itemsize], "box": box, "swizzle": swizzle, "shape": [rows, columns], "role": role}

def stored(k, name, dtype, rows, columns, bytes, box):
    k.document["outputs"].append(name)
    return {"kind": "tensormap", "tensor": name, "dtype": dtype, "dims": [columns, rows], "strides": [columns * bytes], "box": box, "swizzle": 0, "shape": [rows, columns], "role": "out"}

@launches.launch([2], [384], 107520)
def pingpong_matmul(k, args, r):
    args += [tile(k, "a", 256, 192, [64, 64]), tile(k, "b", 256, 192, [64, 128]), stored(k, "c", "f16", 256, 256, 2, [64, 64]), k.n("across", 2), k.n("tiles", 8), k.n("steps", 3)]

@launches.launch([2], [384], 49152 + 1024)
def attention(k, args, r):
    for name, rows in (("q", 256), ("k", 256), ("v", 256)):
        args.append(box(k, name, "f16", (r.standard_normal((rows, 64)) * 1.5).astype("<f2"), [64, 64]))
    args += [k.left("o", "f32", [256, 64]), k.n("blocks", 4), k.scalar("scale", "f32", 0.125 * 1.4426950408889634)]

@launches.launch([2, 2], [160], 32768 + 4096 + 1024)
def fp8_matmul(k, args, r):
    # e4m3 as bytes; 0x7f and 0xff are NaN
    bytes = lambda: (lambda x: np.where((x & 0x7f) == 0x7f, x & 0xf7, x))(r.integers(0, 256, (128, 512))).astype("<u1")
    scales = lambda: np.exp2(r.integers(-4, 5, (4, 128))) * (1 + r.random((4, 128)))
    args += [box(k, "a", "u8", bytes(), [128, 64]), box(k, "b", "u8", bytes(), [128, 64]), k.taken("sa", "f32", scales()), k.taken("sb", "f32", scales()), k.left("c", "f32", [128, 128]), k.n("rows", 128), k.n("columns", 128), k.n("steps", 4)]

@launches.launch([1, 3], [128], 16384 + 1024)
def split_k(k, args, r):
    args += [tile(k, "a", 64, 384, [64, 64]), tile(k, "b", 64, 384, [64, 64]), k.changed("c", "f32", np.zeros((64, 64))), k.changed("turns", "u32", np.zeros(1)), k.n("columns", 64), k.n("steps", 2)]

@launches.launch([3], [128], 16384 + 1024)
def stream_k(k, args, r):
    whole = lambda rows: r.integers(-128, 128, (rows, 384)).astype("<i1").view("<u1")
    args += [box(k, "a", "u8", whole(128), [128, 64]), box(k, "b", "u8", whole(128), [128, 64]), k.changed("c", "s32", np.zeros((128, 128))), k.n("columns", 128), k.n("across", 2), k.n("steps", 3), k.n("each", 4)]

@launches.launch([2], [160], 49152 + 1024)
def convolution(k, args, r):
    # two images of 7 x 6 pixels of 64 channels, a filter of 3 x 3 places with a pixel of padding
    x = (r.standard_normal((2, 7, 6, 64)) * np.exp2(r.integers(-2, 3, (2, 7, 6, 64)))).astype("<f2")
    k.files["x.npy"] = x
    window = {"lower": [-1, -1], "upper": [-1, -1]}
    args.append({"kind": "tensormap", "tensor": "x", "dtype": "f16", "dims": [64, 6, 7, 2], "box": [64, 64], "window": window, "swizzle": 128, "shape": [2, 7, 6, 64], "role": "in"})
    args += [tile(k, "filter", 64, 576, [64, 64]), k.left("y", "f32", [84, 64]), k.n("pixels", 84)]

@launches.launch([2, 4], [160], 49152 + 1024)
def cluster_matmul(k, args, r):
    args += [tile(k, "a", 256, 320, [64, 64]), tile(k, "b", 256, 320, [64, 64]), k.left("c", "f32", [256, 256]), k.n("columns", 256), k.n("steps", 5)]

if __name__ == "__main__":
    launches.main(sys.argv[1:])
    ptx.main(sys.argv[1:])
