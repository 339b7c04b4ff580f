"""Copies by threads, and short products of several CTAs of a multiprocessor; argv: an output folder."""
import random, statistics, sys
import torch
from device import Device, function, here, i32, launch, module, u64

d = Device(sys.argv[1], 'seventh.jsonl')
seventh = module(f'{here}/seventh.cubin')
gate = torch.zeros(1, dtype=torch.int32, device='cuda')
S, MB = d.sms, 1 << 20
rng = random.Random(7)


def steps(what, per, k, threads, ctas, start, later, n=256, mask=(1 << 25) - 1, **more):
    """The mean cycles of a step of a CTA, and bytes a cycle of a multiprocessor; start: where each CTA begins."""
    grid = S * ctas
    frm = torch.tensor(start, dtype=torch.int64, device='cuda')
    lat = torch.tensor(later, dtype=torch.int32, device='cuda')
    size = threads * 16 * per
    shared = max(4 * size, 32768) + 2048
    f = function(seventh, f'steps_{per}_{k}', shared)
    best = None
    for _ in range(3):
        gate.zero_()
        d.outs[:2 * grid].zero_()
        launch(f, [grid], threads, shared, [u64(d.outs.data_ptr()), u64(d.big.data_ptr()), u64(frm.data_ptr()), u64(lat.data_ptr()), u64(gate.data_ptr()), i32(n), u64(mask)])
        torch.cuda.synchronize()
        c = [x[0] for x in d.outs[:2 * grid].view(grid, 2).tolist()]
        if best is None or statistics.mean(c) < best: best = statistics.mean(c)
    d.emit(what='steps', tag=what, per=per, k=k, threads=threads, ctas=ctas, step=round(best / n, 2), rate=round(size * n * ctas / best, 2), **more)


one = [0] * S * 6
# all multiprocessors read the same few lines: what a multiprocessor takes
for threads in (128, 256, 512):
    for ctas in (1, 2, 3, 4):
        for per in (4, 8, 16):
            if ctas * max(4 * threads * 16 * per + 2048, 34816) > 220000: continue
            steps('same', per, 0, threads, ctas, [0] * S * ctas, [0] * S * ctas, mask=(1 << 20) - 1)
# each its own, and neighbours the same; begun at once, or not
for threads, ctas, per in ((256, 1, 8), (128, 3, 8), (256, 2, 4), (128, 6, 4)):
    n = S * ctas
    for by in (1, 2, 4, 8, 16, 33):
        for how in ('near', 'shuffled'):
            for late in (0, 1000, 4000, 16000):
                if by == 1 and (late or how != 'near'): continue
                ids = list(range(n))
                if how == 'shuffled': rng.shuffle(ids)
                steps('shared', per, 0, threads, ctas, [i // by * (24 * MB // max(1, n // by) // 16384 * 16384) for i in ids], [rng.randrange(late) if late else 0 for _ in range(n)], by=by, how=how, late=late)
# short products
for per, k in ((0, 2), (0, 4), (4, 2), (8, 4)):
    for ctas in (1, 2, 3, 4, 5, 6):
        if ctas * max(4 * 128 * 16 * per + 2048, 34816) > 220000: continue
        steps('products', per, k, 128, ctas, [0] * S * ctas, [0] * S * ctas, mask=(1 << 20) - 1)
