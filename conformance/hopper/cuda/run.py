"""Runs the committed PTX here on a GPU by the driver's API alone and keeps what it left; argv: an output folder, then names of kernels (all if none).

cuModuleLoadData takes the very text that is committed. A launch is made twice, each time from a module loaded afresh: both must leave the same bytes
(and where `conformance/cuda` has a text of the same kernel, so must that). A tensor map is what the driver's cuTensorMapEncodeTiled makes of it. Around every tensor lie
guards, which must be as they were. What the kernels left goes into one archive, OUT/cuda.tar.gz: KERNEL/TENSOR.npy; OUT/log.txt says of each kernel how it went."""
import ctypes, io, json, os, re, subprocess, sys, tarfile, tempfile
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"f16": "<f2", "bf16": "<u2", "f32": "<f4", "f64": "<f8", "u8": "<u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "s8": "<i1", "s16": "<i2", "s32": "<i4", "s64": "<i8"}
# CUtensorMapDataType
MAP_TYPES = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9}
GUARD = 4096

class Driver:
    def __init__(self):
        self.cu = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(100)
        self("cuDeviceGetName", name, 100, device)
        self.device = name.value.decode()
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)
    def __call__(self, name, *args):
        rc = getattr(self.cu, name)(*args)
        if rc:
            text = ctypes.c_char_p()
            self.cu.cuGetErrorString(rc, ctypes.byref(text))
            raise RuntimeError(f"{name}: {rc} {(text.value or b'').decode()}")
    def place(self, data):
        """the bytes on the device, guards around them"""
        at = ctypes.c_uint64()
        whole = b"\xa5" * GUARD + data + b"\xa5" * GUARD
        self("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(len(whole)))
        self("cuMemcpyHtoD_v2", at, whole, ctypes.c_size_t(len(whole)))
        return at.value + GUARD
    def fetch(self, at, size):
        out = ctypes.create_string_buffer(max(size, 1))
        self("cuMemcpyDtoH_v2", out, ctypes.c_uint64(at), ctypes.c_size_t(size))
        return out.raw[:size]

def dtype_of(arg):
    return np.dtype(KINDS[arg["dtype"]])

def size_of(arg):
    return dtype_of(arg).itemsize * int(np.prod(arg["shape"], dtype=np.int64))

def params(text, entry):
    """bytes of each parameter of the entry, in order"""
    head = re.search(r"\.entry\s+" + re.escape(entry) + r"\s*\((.*?)\)", text, re.S)[1]
    found = re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.(?:b|u|s|f)(\d+)(?:\s+\.ptr[^,\[]*)?\s+\S+?(?:\[(\d+)\])?(?:,|\s*$)", head.strip())
    return [int(bits) // 8 * int(count or 1) for bits, count in found]

def once(cu, folder, launch, text):
    """what the launch leaves: the bytes of each output"""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    log = ctypes.create_string_buffer(8192)
    options, values = (ctypes.c_int * 2)(5, 6), (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), 8192)
    try:
        cu("cuModuleLoadDataEx", ctypes.byref(module), text.encode() + b"\0", 2, options, values)
    except RuntimeError as e:
        raise RuntimeError(f"{e} {log.value.decode()}")
    cu("cuModuleGetFunction", ctypes.byref(function), module, launch["kernel"].encode())
    placed = {}
    def pointer(arg):
        if arg["role"] == "out":
            data = bytes(size_of(arg))
        else:
            values = np.load(os.path.join(folder, arg.get("file") or arg["tensor"] + ".npy"))
            assert values.dtype == dtype_of(arg) and list(values.shape) == arg["shape"], arg
            data = values.tobytes()
        placed[arg["tensor"]] = (cu.place(data), arg)
        return placed[arg["tensor"]][0].to_bytes(8, "little")
    def tensormap(arg):
        """the 128 bytes that the driver makes"""
        at = int.from_bytes(pointer(arg), "little")
        rank = len(arg["dims"])
        strides = arg.get("strides") or [dtype_of(arg).itemsize * int(np.prod(arg["dims"][: d + 1])) for d in range(rank - 1)]
        words = lambda kind, xs: (kind * max(1, len(xs)))(*xs)
        held = ctypes.create_string_buffer(128 + 64)
        start = (ctypes.addressof(held) + 63) // 64 * 64
        if "window" in arg:
            # columns of pixels: the box is channels and pixels
            cu("cuTensorMapEncodeIm2col", ctypes.c_void_p(start), ctypes.c_int(MAP_TYPES[arg["dtype"]]), ctypes.c_uint32(rank), ctypes.c_void_p(at), words(ctypes.c_uint64, arg["dims"]), words(ctypes.c_uint64, strides), words(ctypes.c_int, arg["window"]["lower"]), words(ctypes.c_int, arg["window"]["upper"]), ctypes.c_uint32(arg["box"][0]), ctypes.c_uint32(arg["box"][1]), words(ctypes.c_uint32, arg.get("elementStrides") or [1] * rank), ctypes.c_int(0), ctypes.c_int({0: 0, 32: 1, 64: 2, 128: 3}[arg.get("swizzle", 0)]), ctypes.c_int(arg.get("l2", 0)), ctypes.c_int({"zero": 0, "nan": 1}[arg.get("fill", "zero")]))
            return ctypes.string_at(start, 128)
        cu("cuTensorMapEncodeTiled", ctypes.c_void_p(start), ctypes.c_int(MAP_TYPES[arg["dtype"]]), ctypes.c_uint32(rank), ctypes.c_void_p(at), words(ctypes.c_uint64, arg["dims"]), words(ctypes.c_uint64, strides), words(ctypes.c_uint32, arg["box"]), words(ctypes.c_uint32, arg.get("elementStrides") or [1] * rank), ctypes.c_int({0: 0, 16: 1, 32: 2}[arg.get("interleave", 0)]), ctypes.c_int({0: 0, 32: 1, 64: 2, 128: 3}[arg.get("swizzle", 0)]), ctypes.c_int(arg.get("l2", 0)), ctypes.c_int({"zero": 0, "nan": 1}[arg.get("fill", "zero")]))
        return ctypes.string_at(start, 128)
    def packed(arg, size):
        if arg["kind"] == "pointer":
            return pointer(arg)
        if arg["kind"] == "struct":
            assert arg["bytes"] == size, (arg["bytes"], size)
            whole = bytearray(size)
            for f in arg["fields"]:
                b = packed(f, None)
                whole[f["offset"] : f["offset"] + len(b)] = b
            return bytes(whole)
        if arg["kind"] == "tensormap":
            return tensormap(arg)
        kind = np.dtype(KINDS[arg["type"]])
        assert size is None or kind.itemsize == size, (arg, size)
        return np.array(int(arg["value"]) if kind.kind in "iu" else float(arg["value"]), dtype=kind).tobytes()
    sizes = params(text, launch["kernel"])
    assert len(sizes) == len(launch["args"]), (sizes, len(launch["args"]))
    buffers = [ctypes.create_string_buffer(packed(a, s), s) for a, s in zip(launch["args"], sizes)]
    pointers = (ctypes.c_void_p * len(buffers))(*[ctypes.cast(b, ctypes.c_void_p) for b in buffers])
    symbols = {}
    for g in launch.get("globals", []):
        at, size = ctypes.c_uint64(), ctypes.c_size_t()
        cu("cuModuleGetGlobal_v2", ctypes.byref(at), ctypes.byref(size), module, g["symbol"].encode())
        assert size.value == size_of(g), (g, size.value)
        if g["role"] != "out":
            data = np.load(os.path.join(folder, g.get("file") or g["tensor"] + ".npy")).tobytes()
            cu("cuMemcpyHtoD_v2", at, data, ctypes.c_size_t(len(data)))
        symbols[g["tensor"]] = (at.value, g)
    dims = lambda xs: [ctypes.c_uint(x) for x in (list(xs) + [1, 1, 1])[:3]]
    cu("cuFuncSetAttribute", function, 8, launch["shared"])
    cu("cuLaunchKernel", function, *dims(launch["grid"]), *dims(launch["block"]), ctypes.c_uint(launch["shared"]), None, pointers, None)
    cu("cuCtxSynchronize")
    for name, (at, arg) in placed.items():
        size = size_of(arg)
        guards = cu.fetch(at - GUARD, GUARD) + cu.fetch(at + size, GUARD)
        assert guards == b"\xa5" * (2 * GUARD), f"the guards of {name} were written"
    outputs = {name: cu.fetch(at, size_of(arg)) for name, (at, arg) in {**placed, **symbols}.items() if name in launch["outputs"]}
    for at, _ in placed.values():
        cu("cuMemFree_v2", ctypes.c_uint64(at - GUARD))
    cu("cuModuleUnload", module)
    return outputs

def one(kernel, out):
    folder = os.path.join(HERE, kernel)
    launch = json.load(open(os.path.join(folder, "launch.json")))
    twin = os.environ.get("TWIN")
    text = open(os.path.join(folder, f"broken{twin}.ptx" if twin else kernel + ".ptx")).read()
    cu = Driver()
    first, second = (once(cu, folder, launch, text) for _ in range(2))
    other = os.path.join(HERE, "..", "..", "cuda", kernel + ".ptx")
    if os.path.exists(other) and not twin:
        second = once(cu, folder, launch, open(other).read())
    where = {a["tensor"]: a for arg in launch["args"] + launch.get("globals", []) for a in (arg.get("fields", [arg])) if a["kind"] in ("pointer", "tensormap")}
    for name, data in first.items():
        np.save(os.path.join(out, name + ".npy"), np.frombuffer(data, dtype=dtype_of(where[name])).reshape(where[name]["shape"]))
    different = [name for name in first if first[name] != second[name]]
    print(("DIFFERENT from launch to launch: " + ", ".join(different)) if different else "ok", "on", cu.device, flush=True)

def main(out, names):
    os.makedirs(out, exist_ok=True)
    kernels = names or sorted(d for d in os.listdir(HERE) if os.path.exists(os.path.join(HERE, d, "launch.json")))
    good = 0
    with tarfile.open(os.path.join(out, "cuda.tar.gz"), "w:gz") as tar, open(os.path.join(out, "log.txt"), "w") as log:
        for kernel in kernels:
            with tempfile.TemporaryDirectory() as left:
                try:
                    # a process each: a kernel that hangs or faults takes no other with it
                    done = subprocess.run([sys.executable, os.path.abspath(__file__), "--one", kernel, left], capture_output=True, text=True, timeout=60)
                    said = (done.stdout + done.stderr[-1500:]).strip()
                    good += done.returncode == 0 and "\nok on" in "\n" + done.stdout
                except subprocess.TimeoutExpired:
                    said = "HANGS"
                for file in sorted(os.listdir(left)):
                    data = open(os.path.join(left, file), "rb").read()
                    info = tarfile.TarInfo(f"{kernel}/{file}")
                    info.size = len(data)
                    tar.addfile(info, io.BytesIO(data))
            line = f"{kernel}: {said}"
            print(line, flush=True)
            log.write(line + "\n")
    print(good, "of", len(kernels), "kernels ran and left the same bytes twice")

if __name__ == "__main__":
    if sys.argv[1] == "--one":
        one(sys.argv[2], sys.argv[3])
    else:
        main(sys.argv[1], sys.argv[2:])
