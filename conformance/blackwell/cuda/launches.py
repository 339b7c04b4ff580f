"""Writes launch.json, the seeded inputs and the outputs of every kernel here; argv: names of kernels (all if none).

No such chip was at hand: an output is what its kernel is written to compute, of numbers so small that no sum is rounded."""
import importlib.util, os, sys
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("hopper_launches", os.path.join(HERE, "../../hopper/cuda/launches.py"))
hopper = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hopper)
hopper.HERE = HERE

class Launch(hopper.Launch):
    def __init__(self, name, grid, block, shared=0, cluster=None):
        super().__init__(name, grid, block, shared)
        self.document["arch"] = "sm_100a"
        if cluster:
            self.document["cluster"] = cluster
    def map_of(self, name, dtype, values, box, swizzle, role="in"):
        """a tensor map of a matrix that is given or, without values but a shape, left; the box innermost first"""
        shape = values if role == "out" else values.shape
        if role == "out":
            self.document["outputs"].append(name)
        else:
            self.files[name + ".npy"] = np.asarray(values).astype(hopper.KINDS[dtype])
        return {"kind": "tensormap", "tensor": name, "dtype": dtype, "dims": [int(n) for n in shape[::-1]], "box": box, "swizzle": swizzle, "role": role}
    def expect(self, name, dtype, values):
        self.files[name + ".npy"] = np.asarray(values).astype(hopper.KINDS[dtype])
    def halves(self, *shape):
        """small whole numbers"""
        return self.random.integers(-4, 5, shape)

LAUNCHES = {}
def launch(f):
    LAUNCHES[f.__name__] = f
    return f

@launch
def tcgen_matmul():
    rows, columns, steps = 256, 128, 5
    o = Launch("tcgen_matmul", [columns // 64, rows // 128], [128], 2 * (128 + 64) * 128)
    a, b = o.halves(rows, 64 * steps), o.halves(columns, 64 * steps)
    o.args += [o.map_of("a", "f16", a, [64, 128], 128), o.map_of("b", "f16", b, [64, 64], 128), o.left("c", "f32", (rows, columns)), o.n("steps", steps), o.n("width", columns)]
    o.expect("c", "f32", a @ b.T)
    return o

@launch
def tcgen_pair():
    columns, steps = 128, 5
    o = Launch("tcgen_pair", [2 * columns // 64], [128], 2 * (128 + 32) * 128, [2])
    a, b = o.halves(256, 64 * steps), o.halves(columns, 64 * steps)
    o.args += [o.map_of("a", "f16", a, [64, 128], 128), o.map_of("b", "f16", b, [64, 32], 128), o.left("c", "f32", (256, columns)), o.n("steps", steps), o.n("width", columns)]
    o.expect("c", "f32", a @ b.T)
    return o

@launch
def gather_rows():
    o = Launch("gather_rows", [1], [64])
    x = o.random.integers(-9, 10, (24, 32)).astype(np.float32)
    rows, to = o.random.integers(0, 24, 24), o.random.permutation(24)
    o.args += [o.map_of("x", "f32", x, [32, 1], 0), o.map_of("y", "f32", (24, 32), [32, 1], 0, "out"), o.taken("rows", "s32", rows), o.taken("to", "s32", to), o.n("fours", 6)]
    y = np.zeros((24, 32), np.float32)
    y[to] = 2 * x[rows]
    o.expect("y", "f32", y)
    return o

@launch
def pair_copy():
    o = Launch("pair_copy", [2], [32], 0, [2])
    x = o.random.integers(-9, 10, (32, 32)).astype(np.float32)
    o.args += [o.map_of("x", "f32", x, [32, 16], 0), o.left("y", "f32", (2, 32))]
    o.expect("y", "f32", x.reshape(2, 16, 32).sum(1))
    return o

def main(names):
    for name in names or LAUNCHES:
        LAUNCHES[name]().put()
    print(len(names or LAUNCHES), "launches")

if __name__ == "__main__":
    main(sys.argv[1:])
