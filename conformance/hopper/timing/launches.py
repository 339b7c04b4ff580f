"""Times of launches on a GPU: argv: an output folder, and folders of kernels (NAME.cubin, launches.json), as `kernels.py` makes one.

*Cold*: with L2 flushed before, the median of 9, between two events; *warm*: the mean of 8 in a row, by the clock of a multiprocessor, after 4 others. Frequencies are those
of a multiprocessor meanwhile. The device is kept busy until the host is ahead, so none of it is the host's time.
"""
import ctypes as C, json, statistics, sys, time
import torch
from device import Device, function, here, i32, launch, module, u64

out, *folders = sys.argv[1:]
d = Device(out, 'device.jsonl')
third = module(f'{here}/third.cubin')
spin, stamp = function(third, 'spin'), function(third, 'stamp')
scratch = torch.zeros(64 << 20, dtype=torch.uint8, device='cuda')
torch.manual_seed(1)
pool = torch.randn(1 << 26, device='cuda', dtype=torch.float32).half()
tensors = [torch.zeros(1 << 26, device='cuda', dtype=torch.float16) for _ in range(4)]
before, after = d.outs[:2 * d.sms], d.outs[1024:1024 + 2 * d.sms]


def ahead(cycles): launch(spin, [1], 1, 0, [u64(0), i32(cycles)])
def stamped(at): launch(stamp, [d.sms], 32, 0, [u64(at.data_ptr())])


def passed():
    """Cycles and nanoseconds between the two stamps."""
    x, y = before.tolist(), after.tolist()
    return y[0] - x[0], y[1] - x[1]


def measure(j, path):
    f = function(module(path), j['entry'], j['shared'])
    args, k = [], 0
    for a in j['args']:
        if len(a) == 2:
            tensors[k][:a[1]].copy_(pool[:a[1]])
            args.append(u64(tensors[k].data_ptr()))
            k += 1
        else: args.append(i32(a[2]) if a[1] == 'i' else C.c_float(a[2]))
    args += [u64(scratch.data_ptr()), u64(scratch.data_ptr())]
    go = lambda: launch(f, j['grid'], j['threads'], j['shared'], args)
    go()
    cold, mhz = [], []
    for _ in range(9):
        time.sleep(0.004)
        d.flushed.zero_()
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        stamped(before)
        a.record()
        go()
        b.record()
        stamped(after)
        torch.cuda.synchronize()
        cold.append(a.elapsed_time(b) * 1e3)
        cycles, ns = passed()
        mhz.append(cycles / ns * 1e3)
    time.sleep(0.02)
    ahead(1000000)
    for _ in range(4): go()
    stamped(before)
    for _ in range(8): go()
    stamped(after)
    torch.cuda.synchronize()
    cycles, ns = passed()
    return dict(cold=statistics.median(cold), cold_least=min(cold), cold_mhz=statistics.median(mhz), warm=ns / 8e3, warm_mhz=cycles / ns * 1e3)


with open(f'{out}/launches.jsonl', 'w') as o:
    for folder in folders:
        for j in json.load(open(f'{folder}/launches.json')):
            try:
                r = measure(j, f"{folder}/{j['kernel']}.cubin")
            except RuntimeError as e:
                r = dict(failed=str(e))
            o.write(json.dumps(dict(folder=folder, name=j['name'], **r)) + '\n')
            o.flush()
d.emit(what='end', seconds=d.seconds())
