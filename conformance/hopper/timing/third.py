"""Whole loops of products on a GPU, launches, and the frequency under load; argv: an output folder."""
import json, statistics, sys, time
import torch
from device import Device, function, here, i32, launch, module, tensormap, u64

out = sys.argv[1]
d = Device(out, 'third.jsonl')
third = module(f'{here}/third.cubin')
M, N, K = 4096, 8192, 4096
base = d.big.data_ptr()
STEPS = 64


def loop(n, g, s, stages, ctas, doing, left, wide=1, per=1, steps=STEPS):
    bm = 64 * g * s
    size = (bm + n) * 128
    shared = max(size * stages + 2048, (227 * 1024) // per - 2048 if per > 1 else 0)
    if size * stages + 2048 > 227 * 1024 // per - 1024 * (per > 1): return
    # so that no more CTAs fit than are asked for
    shared = 227 * 1024 // per - 1024
    ma, mb = tensormap(base, M, K, 64, min(bm, 128), 3), tensormap(base + (64 << 20), N, K, 64, n, 3)
    f = function(third, f'loop_{n}_{g}_{s}', shared)
    grid = ctas if ctas == 1 else ctas * per
    try:
        r = d.best(f, grid, 128 * (g + 1), shared, ma, mb, i32(steps), i32(stages), i32(M // bm), i32(doing), i32(left), i32(wide), i32(63), take=2 * grid)
    except RuntimeError as e:
        return d.emit(what="failed", n=n, warpgroups=g, rows=bm, why=str(e))
    each = [max(r[2 * c], r[2 * c + 1]) for c in range(grid)]
    d.emit(what='loop', n=n, warpgroups=g, rows=bm, stages=stages, ctas=ctas, per=per, doing={1: 'products', 2: 'copies', 3: 'both'}[doing], left=left, wide=wide, cycles=statistics.mean(each) / steps, worst=max(each) / steps)


SHAPES = ((64, 1, 1), (64, 2, 1), (128, 1, 1), (128, 2, 1), (256, 1, 1), (256, 2, 1), (64, 2, 2), (128, 2, 2))


@d.section
def alone():
    for n, g, s in SHAPES:
        for doing in (1, 2, 3):
            for stages in (2, 3, 4):
                for left in ((1, 0) if doing & 1 else (1,)): loop(n, g, s, stages, 1, doing, left, steps=256)


@d.section
def all_at_once():
    for n, g, s in SHAPES:
        for per in (1, 2, 3):
            for doing in (2, 3):
                for stages in (2, 3, 4):
                    for wide in (1, 8): loop(n, g, s, stages, d.sms, doing, 1, wide, per)


@d.section
def launches():
    spin, nothing = function(third, 'spin'), function(third, 'nothing')
    busy = lambda: launch(spin, [1], 1, 0, [u64(0), i32(200000)])
    for grid in (1, 132, 264, 528, 1056, 4224, 16896, 65536):
        for threads in (128, 256, 384):
            d.emit(what='nothing', grid=grid, threads=threads, us=d.timed(lambda: launch(nothing, [grid], threads, 0, [u64(0)]), before=busy))
    for grid in (132, 264, 1056): d.emit(what='nothing', grid=grid, threads=384, shared=200000, us=d.timed(lambda f=function(third, 'nothing', 200000): launch(f, [grid], 384, 200000, [u64(0)]), before=busy))
    d.emit(what='events', us=d.timed(lambda: None, before=busy))


@d.section
def frequency():
    golden = json.load(open(f'{here}/golden.json'))
    pool = torch.randn(1 << 26, device='cuda', dtype=torch.float32).half()
    stamp = function(third, 'stamp')
    scratch = torch.zeros(64 << 20, dtype=torch.uint8, device='cuda')
    for name, data in (('mm_tma_nows_128x256x64_s3_w8', 'normal'), ('mm_tma_nows_128x256x64_s3_w8', 'uniform'), ('mm_tma_nows_128x256x64_s3_w8', 'zeros'), ('mm_ptr_nows_128x128x64_s4_w8', 'normal'), ('mm_tma_nows_64x64x32_s4_w4', 'normal')):
        j = next(x for x in golden if x['name'].startswith(name))
        f = function(module(f"{here}/golden/{j['kernel']}.cubin"), j['entry'], j['shared'])
        args, tensors = [], []
        for a in j['args']:
            if len(a) == 2:
                t = pool[:a[1]].clone()
                if data == 'uniform': t.uniform_(0, 1)
                if data == 'zeros': t.zero_()
                tensors.append(t)
                args.append(u64(t.data_ptr()))
            else: args.append(i32(a[2]))
        args += [u64(scratch.data_ptr()), u64(scratch.data_ptr())]
        go = lambda: launch(f, j['grid'], j['threads'], j['shared'], args)
        for count, pause in ((1, 0.1), (10, 0.1), (400, 0.5)):
            time.sleep(pause)
            at = [d.outs[2048 * (i % 30):2048 * (i % 30) + 2 * d.sms] for i in range(min(count, 24) + 1)]
            marks = sorted({int(count * i / min(count, 24)) for i in range(min(count, 24) + 1)})
            seen = []
            for i in range(count + 1):
                if i in marks:
                    launch(stamp, [d.sms], 32, 0, [u64(at[len(seen)].data_ptr())])
                    seen.append(i)
                if i < count: go()
            torch.cuda.synchronize()
            t = [x.tolist() for x in at[:len(seen)]]
            d.emit(what='frequency', name=j['name'], data=data, launches=count, marks=seen, us=[(y[1] - x[1]) / 1e3 / (b - a) for x, y, a, b in zip(t, t[1:], seen, seen[1:])], mhz=[round((y[0] - x[0]) / max(1, y[1] - x[1]) * 1e3) for x, y in zip(t, t[1:])])


d.emit(what='end', seconds=d.seconds())
