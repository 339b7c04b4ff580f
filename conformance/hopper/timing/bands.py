"""Further launches of products: which bands of tiles they take decides how much comes from DRAM; argv: an output folder. Beside it lie fifth.cubin and the cubins of the two kernels of `ptx/`."""
import sys, time
import torch
from device import Device, function, here, i32, launch, module, tensormap, u64
from products import launch as named

d = Device(sys.argv[1], 'bands.jsonl')
fifth = module(f'{here}/fifth.cubin')
spin, stamp = function(fifth, 'freq'), function(fifth, 'stamp')
before, after = d.outs[:2 * d.sms], d.outs[1024:1024 + 2 * d.sms]
torch.manual_seed(1)


def stamped(at): launch(stamp, [d.sms], 32, 0, [u64(at.data_ptr())])


def warm(go, row=8):
    """So many in a row, by the clock of a multiprocessor: microseconds of one, megahertz."""
    time.sleep(0.02)
    launch(spin, [1], 1, 0, [u64(d.outs[4096:].data_ptr()), i32(1000000)])
    for _ in range(3): go()
    stamped(before)
    for _ in range(row): go()
    stamped(after)
    torch.cuda.synchronize()
    x, y = before.tolist(), after.tolist()
    cycles, ns = y[0] - x[0], y[1] - x[1]
    return round(ns / row / 1e3, 2), round(cycles / ns * 1e3)


todo = [named(n, 2, 1, 2, s, w, 'each') for n, w, s in ((128, 32, 4), (128, 16, 6), (128, 32, 6), (128, 64, 6), (128, 64, 3), (128, 64, 2), (256, 32, 3), (256, 16, 3), (256, 2, 4), (256, 2, 3))]
todo += [named(128, 2, 1, 2, 5, w, 'each', shape=shape) for shape, w in (((8192, 8192, 2048), 64), ((8192, 4096, 4096), 32), ((4096, 8192, 8192), 8), ((16384, 4096, 2048), 8), ((2048, 8192, 8192), 64))]
todo += [named(256, 2, 1, 2, 4, w, 'each', shape=shape) for shape, w in (((8192, 8192, 2048), 32), ((8192, 4096, 4096), 16), ((4096, 8192, 8192), 8), ((4096, 8192, 8192), 32))]
kernels = {k: module(f'{here}/{k}.cubin') for k in {j['kernel'] for j in todo}}
pool = torch.empty(2, 64 << 20, dtype=torch.float16, device='cuda').normal_()
c = torch.zeros(96 << 20, dtype=torch.float16, device='cuda')
for run in (1, 2):
    for j in todo:
        a, b = pool[0][:j['M'] * j['K']], pool[1][:j['N'] * j['K']]
        ma, mb = tensormap(a.data_ptr(), j['M'], j['K'], 64, min(128, j['bm']), 3), tensormap(b.data_ptr(), j['N'], j['K'], 64, j['n'], 3)
        mc = tensormap(c.data_ptr(), j['M'], j['N'], 64, 64, 3)
        f = function(kernels[j['kernel']], j['kernel'], j['shared'])
        us, mhz = warm(lambda: launch(f, [j['grid']], j['threads'], j['shared'], [ma, mb, mc, u64(c.data_ptr()), *(i32(j[x]) for x in ('rows', 'columns', 'steps', 'stages', 'wide'))]))
        d.emit(what='product', run=run, warm=us, mhz=mhz, **j)
