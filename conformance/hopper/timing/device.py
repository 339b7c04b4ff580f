"""A GPU through the driver's library: modules, launches, clocks. What the programs beside this one share.

    d = Device('OUT', 'first.jsonl')
    d.emit(what='ring', cycles=...)                          a line of OUT/first.jsonl
    d.run(module('first.cubin'), 'chase', 1, 1, 0, ...)      what a kernel writes to its first argument

It needs PyTorch for memory and events. An argument of a kernel is a ctypes value.
"""
import ctypes as C, json, os, statistics, subprocess, time
import torch

cu = C.CDLL('libcuda.so.1')
here = os.path.dirname(os.path.abspath(__file__))


def u64(x): return C.c_uint64(x)
def i32(x): return C.c_int(x)


def ok(r, what):
    if r != 0: raise RuntimeError(f'{what}: {r}')


def module(path):
    m = C.c_void_p()
    ok(cu.cuModuleLoadData(C.byref(m), open(path, 'rb').read()), path)
    return m


def function(m, name, shared=0):
    f = C.c_void_p()
    ok(cu.cuModuleGetFunction(C.byref(f), m, name.encode()), name)
    if shared > 48000: ok(cu.cuFuncSetAttribute(f, 8, C.c_int(shared)), 'shared')
    return f


def launch(f, grid, threads, shared, args):
    a = (C.c_void_p * len(args))(*[C.cast(C.pointer(x), C.c_void_p) for x in args])
    s = C.c_void_p(torch.cuda.current_stream().cuda_stream)
    g = list(grid) + [1] * (3 - len(grid))
    ok(cu.cuLaunchKernel(f, *[C.c_uint(x) for x in g], C.c_uint(threads), C.c_uint(1), C.c_uint(1), C.c_uint(shared), s, a, None), 'launch')


def tensormap(ptr, rows, cols, w, h, swizzle, element=6, size=2):
    """Of a matrix of f16, row by row; boxes of h rows of w. swizzle: 0 none, 1, 2, 3 for 32, 64, 128 bytes."""
    buf = C.create_string_buffer(128 + 64)
    at = (C.addressof(buf) + 63) & ~63
    ok(cu.cuTensorMapEncodeTiled(C.c_void_p(at), C.c_int(element), C.c_uint(2), C.c_void_p(ptr), (C.c_uint64 * 2)(cols, rows), (C.c_uint64 * 1)(cols * size), (C.c_uint32 * 2)(w, h), (C.c_uint32 * 2)(1, 1), C.c_int(0), C.c_int(swizzle), C.c_int(2), C.c_int(0)), 'encode')
    class Map(C.Structure): _fields_ = [('x', C.c_byte * 128)]
    m = Map.from_address(at)
    m.keep = buf
    return m


class Device:
    """One GPU, memory to measure in, and a file of what was found."""

    def __init__(self, folder, file):
        torch.zeros(1, device='cuda')
        self.begun = time.time()
        self.log = open(f'{folder}/{file}', 'w')
        self.outs = torch.zeros(1 << 16, dtype=torch.int64, device='cuda')
        self.big = torch.zeros(1 << 30, dtype=torch.uint8, device='cuda')
        self.flushed = torch.zeros(256 << 20, dtype=torch.uint8, device='cuda')
        props = torch.cuda.get_device_properties(0)
        self.sms = props.multi_processor_count
        smi = subprocess.run(['nvidia-smi', '--query-gpu=name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit', '--format=csv,noheader'], capture_output=True, text=True).stdout.strip()
        self.emit(what='device', name=props.name, sms=self.sms, l2=props.L2_cache_size, smi=smi)

    def emit(self, **row):
        self.log.write(json.dumps(row) + '\n')
        self.log.flush()

    def seconds(self): return time.time() - self.begun

    def section(self, f):
        try:
            f()
        except Exception as e:
            self.emit(what='failed', section=f.__name__, why=str(e))
            print('FAILED', f.__name__, e)
        print(f.__name__, round(self.seconds(), 1))

    def run(self, m, name, grid, threads, shared, *args, **how): return self.best(function(m, name, shared), grid, threads, shared, *args, **how)

    def clock(self, m, spin=200000):
        """Megahertz of a multiprocessor, by a kernel `freq` that waits for so many cycles."""
        r = self.run(m, 'freq', 1, 1, 0, i32(spin), take=2, runs=1)
        return r[0] / r[1] * 1e3

    def best(self, f, grid, threads, shared, *args, take=8, runs=3, by=sum):
        """What a kernel writes to its first argument, of the run for which `by` of it is least."""
        got = []
        for _ in range(runs):
            self.outs[:take].zero_()
            launch(f, [grid], threads, shared, [u64(self.outs.data_ptr()), *args])
            torch.cuda.synchronize()
            got.append(self.outs[:take].tolist())
        return min(got, key=by)

    def timed(self, go, reps=10, before=None):
        """Microseconds between events, the median; the device is kept busy until the host is ahead."""
        ts = []
        for _ in range(reps):
            if before is not None: before()
            a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            a.record()
            go()
            b.record()
            torch.cuda.synchronize()
            ts.append(a.elapsed_time(b) * 1e3)
        return statistics.median(ts)
