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

if __name__ == "__main__":
    launches.main(sys.argv[1:])
    ptx.main(sys.argv[1:])
