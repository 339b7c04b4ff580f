"""When each step of a product's copies is issued and there, on which multiprocessor, and how far apart neighbours ask for the same; argv: an output folder."""
import ctypes as C, sys, time
import numpy as np
import torch
from device import Device, cu, function, here, i32, launch, module, ok, tensormap, u64
from products import launch as named

d = Device(sys.argv[1], 'sixth.jsonl')
sixth = module(f'{here}/sixth.cubin')
windows = (250, 500, 1000, 2000, 4000, 1 << 40)
torch.manual_seed(1)
pool = torch.empty(2, 64 << 20, dtype=torch.float16, device='cuda').normal_()
c = torch.zeros(64 << 20, dtype=torch.float16, device='cuda')
steps_at = torch.zeros(8192 * 64 * 2 + 64, dtype=torch.int32, device='cuda')
tiles_at = torch.zeros(8192 * 5, dtype=torch.int64, device='cuda')
launch(function(sixth, 'into'), [1], 1, 0, [u64(steps_at.data_ptr()), u64(tiles_at.data_ptr())])
torch.cuda.synchronize()


def order(j, f, args):
    """Multiprocessors in the order in which the first CTAs are given to them, and how many of them are next to one another: sixteen or so."""
    tiles_at.zero_()
    launch(f, [d.sms], j['threads'], 220000, args)
    torch.cuda.synchronize()
    return tiles_at.view(-1, 5)[:d.sms, 0].cpu().numpy()


def opened(key, at, size, window):
    """Bytes for which nothing with the same key has been asked in so many cycles before, since it was last asked anew."""
    by = np.lexsort((at, key))
    key, at = key[by], at[by]
    total, last, since = 0, None, 0.0
    if window >= 1 << 40: return len(np.unique(key)) * size
    for k, t in zip(key.tolist(), at.tolist()):
        if k != last or t - since > window: total, last, since = total + 1, k, t
    return total * size


where = None
todo = [(64, 1, 1, 2, 2, 8, 'each'), (64, 1, 1, 2, 4, 8, 'each'), (64, 1, 1, 2, 6, 8, 'each'), (64, 1, 1, 2, 4, 8, 'each', 2), (64, 2, 1, 2, 3, 8, 'each'), (64, 2, 1, 2, 4, 8, 'each'), (128, 1, 1, 2, 3, 8, 'each'),
        (128, 1, 1, 2, 4, 8, 'each'), (128, 2, 1, 2, 2, 8, 'each'), (128, 2, 1, 2, 3, 8, 'each'), (128, 2, 1, 2, 4, 8, 'each'), (128, 2, 1, 2, 4, 1, 'each'), (128, 2, 1, 2, 4, 64, 'each'), (128, 2, 1, 2, 3, 8, 'all'), (128, 2, 1, 2, 4, 8, 'all'),
        (64, 1, 1, 0, 4, 8, 'all', 3), (64, 1, 1, 0, 4, 1, 'all', 3), (64, 1, 1, 0, 2, 8, 'all', 6), (64, 2, 1, 0, 3, 8, 'all', 3), (128, 1, 1, 0, 3, 8, 'all', 3), (128, 1, 1, 0, 3, 1, 'all', 3), (128, 2, 1, 0, 3, 8, 'all', 2),
        (128, 2, 1, 0, 3, 1, 'all', 2), (128, 2, 1, 0, 3, 64, 'all', 2), (128, 2, 1, 0, 2, 8, 'all', 2), (128, 2, 2, 2, 2, 8, 'each'), (128, 2, 2, 2, 3, 1, 'each'), (256, 1, 1, 2, 3, 8, 'each'), (256, 1, 1, 2, 4, 8, 'each'), (256, 2, 1, 2, 2, 8, 'each'),
        (256, 2, 1, 2, 4, 8, 'each'), (256, 2, 1, 0, 4, 8, 'each')]
for n, g, s, e, stages, wide, grid, *per in todo:
    j = named(n, g, s, e, stages, wide, grid, per=per[0] if per else 1)
    if j['bm'] * n > 32768 or d.seconds() > 150: continue
    a, b = pool[0][:j['M'] * j['K']], pool[1][:j['N'] * j['K']]
    args = [tensormap(a.data_ptr(), j['M'], j['K'], 64, min(128, j['bm']), 3), tensormap(b.data_ptr(), j['N'], j['K'], 64, n, 3), tensormap(c.data_ptr(), j['M'], j['N'], 64, 64, 3), u64(c.data_ptr()), *(i32(j[x]) for x in ('rows', 'columns', 'steps', 'stages', 'wide'))]
    if where is None:
        where = order(j, function(sixth, j['kernel'], 220000), args)
        d.emit(what='where', sm=where.tolist())
    f = function(sixth, j['kernel'], j['shared'])
    for _ in range(4): launch(f, [j['grid']], j['threads'], j['shared'], args)
    torch.cuda.synchronize()
    tiles, steps = j['rows'] * j['columns'], j['steps']
    t = tiles_at.view(-1, 5)[:tiles].cpu().numpy()
    st = steps_at[:tiles * steps * 2].view(tiles, steps, 2).cpu().numpy().view(np.uint32).astype(np.int64)
    sm, begun, ns, done, written = t.T
    # one clock for all multiprocessors: each one's own, moved to where its nanoseconds are
    mhz = np.median([(begun[sm == x].max() - begun[sm == x].min()) / max(1, ns[sm == x].max() - ns[sm == x].min()) for x in np.unique(sm)]) * 1e3
    base = ns.min()
    move = np.zeros(sm.max() + 1)
    for x in np.unique(sm): move[x] = np.median((ns[sm == x] - base) * mhz / 1e3 - begun[sm == x])
    begin = begun + move[sm]
    low = begun & 0xffffffff
    issued = begin[:, None] + ((st[:, :, 0] - low[:, None]) & 0xffffffff)
    there = begin[:, None] + ((st[:, :, 1] - low[:, None]) & 0xffffffff)
    late = there - issued
    # tiles of the middle of the launch
    length = there.max() - begin.min()
    mid = (begin > 0.2 * length) & (begin < 0.75 * length)
    x = late[mid]
    per_tile = (there[mid, -1] - there[mid, 0]) / (steps - 1)
    index = np.arange(tiles)
    band, rest = index // (j['rows'] * wide), index % (j['rows'] * wide)
    row, column = rest // wide, band * wide + rest % wide
    place = np.zeros(sm.max() + 1, dtype=np.int64)
    place[where] = np.arange(len(where)) * 8 // len(where)
    near = place[sm]
    asked = {}
    k = np.arange(steps)[None, :] + 0 * index[:, None]
    m2 = mid[:, None] & (k % 8 == 5)
    for what, which, count in (('a', row, j['rows']), ('b', column, j['columns'])):
        key = ((near[:, None] * count + which[:, None]) * steps + k)[m2]
        chip = (which[:, None] * steps + k)[m2]
        at = issued[m2]
        asked[what] = [round(opened(key, at, 1, w) / key.size, 4) for w in windows]
        asked[what + '_chip'] = [round(opened(chip, at, 1, w) / key.size, 4) for w in (1000, 4000)]
        # how far apart neighbours ask for the same
        by = np.lexsort((at, key)); kk, tt = key[by], at[by]
        gap = (tt[1:] - tt[:-1])[kk[1:] == kk[:-1]]
        asked[what + '_gap'] = [round(float(q)) for q in np.percentile(gap, (10, 25, 50, 75, 90))] if gap.size else []
    hist = np.bincount(np.clip(x.astype(int) // 100, 0, 59).ravel(), minlength=60).tolist()
    d.emit(what='steps', name=j['name'], cycles=round(float(length)), mhz=round(float(mhz)), us=round(float(length / mhz), 1), step=[round(float(q)) for q in np.percentile(per_tile, (10, 50, 90))], mean=round(float(per_tile.mean()), 1),
           late=[round(float(q)) for q in np.percentile(x, (1, 10, 25, 50, 75, 90, 99))], mean_late=round(float(x.mean()), 1), hist=hist, asked=asked, windows=windows[:-1],
           first=[round(float(q)) for q in np.percentile((there[:, 0] - begin)[mid], (10, 50, 90))], output=[round(float(q)) for q in np.percentile((written - done)[mid], (10, 50, 90))],
           together=round(float((near[1:] == near[:-1])[mid[1:]].mean()), 3), sm=sm[:1056].tolist() if grid == 'all' and n == 128 and g == 2 else None)
d.emit(what='end', seconds=d.seconds())
