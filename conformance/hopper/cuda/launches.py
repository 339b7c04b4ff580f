"""Writes launch.json and the inputs (seeded) of every kernel here; argv: names of kernels (all if none). What the chip leaves, run.py writes."""
import json, os, sys, zlib
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"f16": "<f2", "bf16": "<u2", "f32": "<f4", "f64": "<f8", "u8": "<u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "s8": "<i1", "s16": "<i2", "s32": "<i4", "s64": "<i8"}

class Launch:
    def __init__(self, name, grid, block, shared=0):
        self.name, self.files, self.random = name, {}, np.random.default_rng(zlib.crc32(name.encode()))
        self.document = {"schema": "tcspec.launch/1", "name": name, "kernel": name, "arch": "sm_90a", "grid": grid, "block": block, "shared": shared, "args": [], "outputs": []}
        self.args = self.document["args"]
    def tensor(self, name, dtype, shape, role):
        return {"kind": "pointer", "tensor": name, "dtype": dtype, "shape": list(shape), "role": role}
    def taken(self, name, dtype, values):
        values = np.asarray(values)
        self.files[name + ".npy"] = values.astype(KINDS[dtype])
        return self.tensor(name, dtype, values.shape, "in")
    def left(self, name, dtype, shape):
        self.document["outputs"].append(name)
        return self.tensor(name, dtype, shape, "out")
    def changed(self, name, dtype, values):
        values = np.asarray(values)
        self.files[name + ".before.npy"] = values.astype(KINDS[dtype])
        self.document["outputs"].append(name)
        return {**self.tensor(name, dtype, values.shape, "inout"), "file": name + ".before.npy"}
    def scalar(self, name, kind, value):
        return {"kind": "scalar", "name": name, "type": kind, "value": value}
    def i(self, name, *shape):
        """an input of f32, normal, of several magnitudes"""
        r = self.random
        return self.taken(name, "f32", r.standard_normal(shape) * np.exp2(r.integers(-6, 7, shape)))
    def whole(self, name, dtype, low, high, *shape):
        return self.taken(name, dtype, self.random.integers(low, high, shape))
    def n(self, name, value):
        return self.scalar(name, "s32", value)
    def put(self):
        folder = os.path.join(HERE, self.name)
        for file, values in self.files.items():
            np.save(os.path.join(folder, file), values)
        with open(os.path.join(folder, "launch.json"), "w") as f:
            f.write(written(self.document) + "\n")

def written(document):
    """JSON with an argument a line"""
    out = []
    for key, value in document.items():
        if key in ("args", "globals"):
            out.append(f' "{key}": [\n  ' + ",\n  ".join(field(v) for v in value) + "\n ]")
        else:
            out.append(f' "{key}": {json.dumps(value)}')
    return "{\n" + ",\n".join(out) + "\n}"

def field(v):
    if "fields" not in v:
        return json.dumps(v)
    head = json.dumps({k: x for k, x in v.items() if k != "fields"})[:-1]
    return head + ', "fields": [\n    ' + ",\n    ".join(json.dumps(x) for x in v["fields"]) + "\n  ]}"

LAUNCHES = {}
def launch(grid, block, shared=0):
    def of(make):
        def made():
            k = Launch(make.__name__, grid, block, shared)
            make(k, k.args, k.random)
            return k
        LAUNCHES[make.__name__] = made
        return make
    return of

@launch([4], [256])
def block_reduce(k, args, r):
    args += [k.i("x", 3000), k.left("y", "f32", [4]), k.n("n", 3000)]

@launch([2], [128])
def warp_reduce(k, args, r):
    args += [k.i("x", 8, 97), k.left("sums", "f32", [8]), k.left("greatest", "f32", [8]), k.left("total", "f32", [2]), k.n("columns", 97)]

@launch([4], [256])
def scan_block(k, args, r):
    args += [k.whole("x", "s32", -2**31, 2**31, 1024), k.left("y", "s32", [1024])]

@launch([3], [256])
def scan_warp(k, args, r):
    args += [k.whole("x", "u32", 0, 2**32, 3, 600), k.left("y", "u32", [3, 600]), k.n("n", 600)]

@launch([2, 3], [32, 8])
def transpose(k, args, r):
    args += [k.i("x", 70, 50), k.left("y", "f32", [50, 70]), k.n("rows", 70), k.n("columns", 50)]

@launch([4], [128])
def histogram(k, args, r):
    x = np.where(r.random(5000) < 0.3, 77, r.integers(0, 256, 5000))
    args += [k.taken("x", "u8", x), k.changed("h", "u32", r.integers(0, 100, 64)), k.n("n", 5000)]

@launch([4], [128])
def collatz(k, args, r):
    args += [k.whole("x", "u32", 1, 20000, 500), k.left("steps", "u32", [500]), k.left("longest", "u32", [4]), k.n("n", 500)]

@launch([4], [128])
def softmax(k, args, r):
    x = r.standard_normal((4, 300)) * 5
    x[1, ::7] = -120
    x[2] += 60
    x[3, 5] = 90
    args += [k.taken("x", "f32", x), k.left("fast", "f32", [4, 300]), k.left("exact", "f32", [4, 300]), k.n("columns", 300)]

@launch([4], [256])
def cpasync_double(k, args, r):
    args += [k.i("x", 4, 5, 256), k.left("y", "f32", [4, 256]), k.n("stages", 5)]

@launch([3], [128])
def cpasync_stages(k, args, r):
    args += [k.whole("x", "u32", 0, 2**32, 6233), k.left("y", "u32", [3, 128]), k.n("n", 6233)]

@launch([3], [128])
def cpasync_mbarrier(k, args, r):
    args += [k.i("x", 3, 5, 256), k.left("y", "f32", [3, 64]), k.n("stages", 5)]

@launch([2, 2], [16, 16])
def matmul_f32(k, args, r):
    args += [k.i("a", 25, 40), k.i("b", 40, 30), k.left("c", "f32", [25, 30]), k.n("m", 25), k.n("n", 30), k.n("k", 40)]

@launch([2, 2], [64])
def mma_ldmatrix(k, args, r):
    args += [k.taken("a", "f16", r.standard_normal((64, 80)) * np.exp2(r.integers(-6, 4, (64, 80)))), k.taken("b", "f16", r.standard_normal((80, 64)) * np.exp2(r.integers(-6, 4, (80, 64)))),
             k.left("c", "f32", [64, 64]), k.n("n", 64), k.n("k", 80)]

@launch([2, 2], [128])
def wmma_tile(k, args, r):
    args += [k.taken("a", "f16", r.standard_normal((50, 48)) * np.exp2(r.integers(-6, 4, (50, 48)))), k.taken("b", "f16", r.standard_normal((44, 48)) * np.exp2(r.integers(-6, 4, (44, 48)))),
             k.i("c", 50, 44), k.left("d", "f16", [50, 44]), k.whole("p", "s8", -128, 128, 4, 16, 16), k.whole("q", "s8", -128, 128, 4, 16, 16), k.left("r", "s32", [4, 16, 16]),
             k.n("m", 50), k.n("n", 44), k.n("k", 48)]

def halves(r, shape):
    """f16: any bits in a quarter, else normal of several magnitudes"""
    plain = (r.standard_normal(shape) * np.exp2(r.integers(-10, 8, shape))).astype("<f2").view("<u2")
    return np.where(r.random(shape) < 0.25, r.integers(0, 65536, shape), plain).astype("<u2").view("<f2")

def brains(r, shape):
    """bf16 as its bits, likewise"""
    plain = (r.standard_normal(shape) * np.exp2(r.integers(-10, 8, shape))).astype("<f4").view("<u4") >> 16
    return np.where(r.random(shape) < 0.25, r.integers(0, 65536, shape), plain).astype("<u2")

@launch([2], [128])
def packed_f16(k, args, r):
    args += [k.taken("a", "f16", halves(r, (256, 2))), k.taken("b", "f16", halves(r, (256, 2))), k.left("out", "f16", [16, 256, 2]), k.left("widened", "f32", [256]), k.n("n", 256)]

@launch([2], [128])
def packed_bf16(k, args, r):
    args += [k.taken("a", "bf16", brains(r, (256, 2))), k.taken("b", "bf16", brains(r, (256, 2))), k.left("out", "bf16", [14, 256, 2]), k.left("widened", "f32", [256]), k.n("n", 256)]

@launch([2], [128])
def series_f64(k, args, r):
    args += [k.taken("x", "f64", r.standard_normal(256) * 3), k.taken("coefficients", "f64", r.standard_normal(7)), k.left("values", "f64", [256, 4]), k.left("sums", "f64", [2]), k.n("degree", 6)]

@launch([2], [128])
def integers(k, args, r):
    def edged(bits, shape):
        edges = np.array([0, 1, 2, 31, 32, 2 ** (bits - 1) - 1, 2 ** (bits - 1), 2**bits - 1, 2**bits - 2], dtype=np.uint64)
        any_ = r.integers(0, 2**bits, shape, dtype=np.uint64) >> r.integers(0, bits, shape).astype(np.uint64)
        return np.where(r.random(shape) < 0.2, edges[r.integers(0, len(edges), shape)], any_)
    args += [k.taken("a", "u32", edged(32, 256)), k.taken("b", "u32", edged(32, 256)), k.taken("wide", "u64", edged(64, 256)), k.left("out", "u32", [20, 256]), k.left("out64", "u64", [6, 256]), k.n("n", 256)]

@launch([2], [128])
def votes(k, args, r):
    args += [k.whole("x", "s32", -100, 100, 256), k.left("out", "u32", [5, 256]), k.left("whole", "u32", [2, 4]), k.n("n", 256)]

@launch([2], [128])
def dispatch(k, args, r):
    args += [k.whole("code", "u8", 0, 18, 16, 64), k.whole("x", "s32", -2**31, 2**31, 256), k.left("y", "s32", [256]), k.n("length", 64)]

@launch([2], [64])
def calls(k, args, r):
    args += [k.whole("x", "s32", 0, 1000, 512), k.left("sums", "s64", [128]), k.left("greatest", "s32", [128]), k.left("medians", "s32", [128]), k.left("met", "s32", [128])]

@launch([2], [128], 2816)
def dynamic_shared(k, args, r):
    args += [k.i("x", 256), k.left("y", "f64", [256]), k.left("where", "s32", [2]), k.n("n", 256)]

@launch([2], [64])
def constants(k, args, r):
    args += [k.i("x", 128), k.left("y", "f32", [128]), k.left("z", "s32", [128])]
    weights, counter = k.taken("weights", "f32", [0.75, -3.5, 1.125, 100.0]), k.left("counter", "u32", [1])
    k.document["globals"] = [{"symbol": "weights", **weights}, {"symbol": "counter", **counter}]

@launch([4], [128])
def struct_param(k, args, r):
    at = lambda offset, value: {"offset": offset, **value}
    fields = [at(4 * i, k.scalar(f"problem[{i}]", "s32", v)) for i, v in enumerate([4, 100, 0])]
    fields += [at(16, k.i("a", 4, 128)), at(24, k.scalar("a.strides[0]", "s64", 128)), at(32, k.scalar("a.strides[1]", "s64", 1)), at(40, k.n("a.extents[0]", 4)), at(44, k.n("a.extents[1]", 128))]
    fields += [at(48, k.i("b", 3, 100)), at(56, k.scalar("b.strides[0]", "s64", 100)), at(64, k.scalar("b.strides[1]", "s64", 1)), at(72, k.n("b.extents[0]", 3)), at(76, k.n("b.extents[1]", 100))]
    fields += [at(80, k.left("out", "f32", [4, 104])), at(88, k.scalar("out_stride", "s64", 104))]
    fields += [at(96, k.scalar("epilogue.alpha", "f32", 1.5)), at(100, k.scalar("epilogue.beta", "f32", -0.75)), at(104, k.scalar("epilogue.clip", "f64", 40.125)), at(112, k.scalar("epilogue.relu", "u8", 1))]
    fields += [at(114 + 2 * i, k.scalar(f"epilogue.bias[{i}]", "s16", v)) for i, v in enumerate([-2, 3, 0, 7, -300])]
    fields += [at(128, k.scalar("mode", "u8", 7)), at(136, k.taken("shifts", "s32", [0, 2, 1, 4])), at(144, k.scalar("count", "u64", str((3 << 40) + 12345)))]
    fields += [at(152 + 4 * i, k.n(f"spare[{i}]", 2**i - 50)) for i in range(13)]
    args += [{"kind": "struct", "name": "p", "bytes": 208, "fields": fields}]

@launch([3], [128])
def named_barriers(k, args, r):
    args += [k.whole("x", "s32", -2**31, 2**31, 3, 7, 64), k.left("y", "s32", [3, 64]), k.n("steps", 7)]

@launch([4], [128])
def asserts(k, args, r):
    args += [k.whole("x", "s32", 0, 1000, 512), k.left("y", "s32", [512]), k.n("n", 512)]

@launch([6], [128])
def last_block(k, args, r):
    args += [k.whole("x", "s32", -2**31, 2**31, 3000), k.left("partial", "s32", [6]), k.changed("counter", "u32", [0]), k.left("sum", "s32", [1]), k.n("n", 3000)]

@launch([2], [128])
def vectors(k, args, r):
    args += [k.i("f", 256, 4), k.taken("u", "u64", r.integers(0, 2**64, (256, 2), dtype=np.uint64)), k.whole("c", "u8", 0, 256, 256, 4), k.whole("s", "u16", 0, 65536, 256, 4)]
    args += [k.left("f_out", "f32", [256, 4]), k.left("u_out", "u64", [256, 2]), k.left("c_out", "u8", [256, 4]), k.left("s_out", "u16", [256, 2]), k.left("d_out", "f64", [256, 2])]

@launch([2], [128])
def float8(k, args, r):
    x = r.standard_normal(512) * np.exp2(r.integers(-20, 20, 512))
    x[:12] = [0, -0.0, np.inf, -np.inf, np.nan, 448, 464, 480, 57344, 61440, 2**-10, 3 * 2**-18]
    pairs = halves(r, (256, 2)).view("<u4").reshape(256)
    args += [k.taken("x", "f32", x), k.taken("halves", "u32", pairs), k.left("codes", "u16", [4, 256]), k.left("decoded", "u32", [4, 256]), k.n("n", 256)]

@launch([4], [64])
def generic_address(k, args, r):
    args += [k.whole("x", "s32", -10000, 10000, 256), k.whole("choice", "s32", 0, 3, 256), k.left("y", "s32", [512]), k.changed("bins", "s32", r.integers(0, 100, 8))]

@launch([2], [128])
def peek_pipeline(k, args, r):
    args += [k.i("x", 2, 8, 96), k.left("y", "f32", [2, 96]), k.n("tiles", 8)]

@launch([2], [96])
def carried_peeks(k, args, r):
    args += [k.whole("x", "u32", 0, 2**32, 2, 8, 64), k.left("y", "u32", [2, 64]), k.n("tiles", 8)]

@launch([2], [64])
def cxx_barrier(k, args, r):
    args += [k.whole("x", "u32", 0, 2**32, 2, 5, 64), k.whole("factors", "u32", 0, 2**32, 64), k.left("y", "u32", [2, 64]), k.n("tiles", 5)]

@launch([2], [64])
def cxx_pipeline(k, args, r):
    args += [k.whole("x", "u32", 0, 2**32, 2, 6, 64), k.left("y", "u32", [2, 32]), k.n("tiles", 6)]

@launch([2], [128])
def aggregate(k, args, r):
    args += [k.whole("x", "s32", -50, 300, 700), k.changed("counts", "u32", [5, 6, 7]), k.n("n", 700)]

@launch([2], [64])
def prints(k, args, r):
    args += [k.whole("x", "s32", 0, 200, 128), k.left("y", "s32", [128]), k.n("n", 128)]

@launch([3], [256])
def own_cpasync(k, args, r):
    k.document["kernel"] = "_Z7cpasyncPKfPfiPi"
    x = np.where(r.random((3, 5, 256)) < 0.4, r.random((3, 5, 256)) - 0.5, r.standard_normal((3, 5, 256)) * 3)
    # the first stage writes the element of the local array that the later ones may read
    x[:, 0] = np.arange(256) % 8 + 8 * r.integers(1, 3, (3, 256)) + 0.75 * r.random((3, 256))
    args += [k.taken("x", "f32", x.reshape(3, 1280)), k.left("y", "f32", [3]), k.n("n", 1280), k.changed("hist", "s32", r.integers(0, 9, 16))]

@launch([8], [128])
def cluster_reduce(k, args, r):
    args += [k.i("x", 8, 5, 128), k.left("y", "f32", [2, 128]), k.n("rows", 5)]

@launch([4], [32])
def cluster_pingpong(k, args, r):
    args += [k.i("x", 4, 32), k.left("y", "f32", [4, 32]), k.n("rounds", 9)]

@launch([8], [128])
def cluster_copy(k, args, r):
    args += [k.whole("x", "u32", 0, 2**32, 8, 256), k.left("y", "u32", [8, 256])]

@launch([8], [64])
def cluster_ring(k, args, r):
    args += [k.whole("x", "u32", 0, 2**32, 8, 128), k.left("y", "u32", [8, 64])]

@launch([4], [128])
def cluster_bins(k, args, r):
    args += [k.whole("x", "u8", 0, 256, 3000), k.left("bins", "u32", [256]), k.left("total", "u32", [1]), k.n("n", 3000)]

@launch([3], [64])
def bulk_gather(k, args, r):
    index = r.integers(0, 40, (3, 5, 8))
    index[1, 2, 3], index[2, 0, 0] = -7, 45
    args += [k.i("table", 40, 64), k.taken("index", "s32", index), k.left("y", "f32", [3, 64]), k.n("rows", 40), k.n("turns", 5)]

def tensormap(tensor, dims, box, **more):
    """a tensor as a tensor map has it: dims and box innermost first"""
    return {**tensor, "kind": "tensormap", "dims": dims, "box": box, **more}

@launch([3], [128])
def tma_reduce(k, args, r):
    # the box of 16 x 32 at (8, 0) and (8, 4) hangs over the last columns and rows
    args += [tensormap(k.changed("counts", "u32", r.integers(0, 2**32, (18, 36))), [36, 18], [32, 16]), tensormap(k.changed("sums", "f32", r.integers(0, 1000, (18, 36))), [36, 18], [32, 16]), k.whole("x", "u32", 0, 2**32, 3, 512)]

@launch([3], [64])
def device_tensormap(k, args, r):
    args += [tensormap(k.i("given", 12, 32), [32, 12], [32, 8]), k.i("x", 3, 12, 32), k.left("y", "f32", [3, 8, 32]), k.n("rows", 12)]

def main(names):
    for name in names or LAUNCHES:
        LAUNCHES[name]().put()
    print(len(names or LAUNCHES), "launches")

if __name__ == "__main__":
    main(sys.argv[1:])
