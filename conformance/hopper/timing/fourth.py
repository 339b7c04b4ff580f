"""Kernels as authors write them on a GPU, and what one part of them costs alone; argv: an output folder, a name for the file, and the sections to run (all: none is named)."""
import ctypes as C, json, os, random, statistics, sys, time
import torch
from device import Device, function, here, i32, launch, module, tensormap, u64, cu, ok
from products import launches

out, name, *wanted = sys.argv[1:]
d = Device(out, f'{name}.jsonl')
fourth = module(f'{here}/fourth.cubin')
spin, stamp = function(fourth, 'spin'), function(fourth, 'stamp')
before, after = d.outs[:2 * d.sms], d.outs[1024:1024 + 2 * d.sms]
limit = float(os.environ.get('LIMIT', '110'))
torch.manual_seed(1)


def section(f):
    if not wanted or f.__name__ in wanted: d.section(f)


def stamped(at): launch(stamp, [d.sms], 32, 0, [u64(at.data_ptr())])


def passed():
    x, y = before.tolist(), after.tolist()
    return y[0] - x[0], y[1] - x[1]


def timed(go, cold=7, row=8):
    """Cold: L2 flushed before, between two events; warm: so many in a row, by the clock of a multiprocessor."""
    go()
    us, mhz = [], []
    for _ in range(cold):
        d.flushed.zero_()
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        stamped(before)
        a.record()
        go()
        b.record()
        stamped(after)
        torch.cuda.synchronize()
        us.append(a.elapsed_time(b) * 1e3)
        cycles, ns = passed()
        mhz.append(cycles / ns * 1e3)
    time.sleep(0.02)
    launch(spin, [1], 1, 0, [u64(0), i32(1000000)])
    for _ in range(3): go()
    stamped(before)
    for _ in range(row): go()
    stamped(after)
    torch.cuda.synchronize()
    cycles, ns = passed()
    return dict(cold=round(statistics.median(us), 2), least=round(min(us), 2), cold_mhz=round(statistics.median(mhz)), warm=round(ns / row / 1e3, 2), warm_mhz=round(cycles / ns * 1e3))


def products(pair):
    M = 64 << 20
    pools = {}
    def operand(data, size, which):
        if data not in pools:
            pools.clear()
            a = torch.empty(2, M, dtype=torch.float16, device='cuda')
            if data == 'normal': a.normal_()
            elif data == 'uniform': a.uniform_(0, 1)
            else: a.zero_()
            pools[data] = a
        return pools[data][which][:size]
    c = torch.zeros(M + (M >> 1), dtype=torch.float16, device='cuda')
    todo = [j for j in launches() if j['pair'] == pair]
    random.Random(1).shuffle(todo)
    todo.sort(key=lambda j: j['data'] != 'normal')
    seen = set()
    for j in todo:
        if d.seconds() > limit: d.emit(what='cut', name=j['name']); continue
        a, b = operand(j['data'], j['M'] * j['K'], 0), operand(j['data'], j['N'] * j['K'], 1)
        ma = tensormap(a.data_ptr(), j['M'], j['K'], 64, min(128, j['bm']) // j['pair'], 3)
        mb = tensormap(b.data_ptr(), j['N'], j['K'], 64, j['n'], 3)
        mc = tensormap(c.data_ptr(), j['M'], j['N'], 64, 64, 3)
        try:
            f = function(fourth, j['kernel'], j['shared'])
            args = [ma, mb, mc, u64(c.data_ptr()), *(i32(j[x]) for x in ('rows', 'columns', 'steps', 'stages', 'wide'))]
            go = lambda: launch(f, [j['grid']], j['threads'], j['shared'], args)
            error = None
            if j['kernel'] not in seen and j['data'] == 'normal':
                seen.add(j['kernel'])
                c.zero_()
                go()
                want = torch.matmul(a.view(j['M'], j['K'])[:256], b.view(j['N'], j['K']).T)
                error = float((c[:j['M'] * j['N']].view(j['M'], j['N'])[:256] - want).abs().max())
                want = torch.matmul(a.view(j['M'], j['K'])[-256:], b.view(j['N'], j['K']).T)
                error = max(error, float((c[:j['M'] * j['N']].view(j['M'], j['N'])[-256:] - want).abs().max()))
            ctas = C.c_int()
            cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(C.byref(ctas), f, C.c_int(j['threads']), C.c_size_t(j['shared']))
            d.emit(what='product', name=j['name'], held=j['held'], error=error, resident=ctas.value, **timed(go))
        except RuntimeError as e:
            d.emit(what='failed', name=j['name'], why=str(e))
            if 'launch' not in str(e): raise


@section
def singles(): products(1)


@section
def pairs(): products(2)


gate = torch.zeros(1, dtype=torch.int32, device='cuda')


def streams(tag, start, later, kind, size, deep, n, mask=(1 << 24) - 1, per=1, span=1 << 40, **more):
    """Cycles of each CTA that has something to do; start: a list of where each begins."""
    grid = d.sms * per
    frm = torch.tensor(start, dtype=torch.int64, device='cuda')
    lat = torch.tensor(later, dtype=torch.int32, device='cuda')
    rows = size // (64 if kind == 2 else 128)
    m = tensormap(d.big.data_ptr(), (1 << 30) // (64 if kind == 2 else 128), 32 if kind == 2 else 64, 32 if kind == 2 else 64, min(rows, 256), 2 if kind == 2 else 3)
    shared = size * deep + 1024 if per > 1 else 200000
    f = function(fourth, 'streams', shared)
    best = None
    for _ in range(3):
        gate.zero_()
        d.outs[:4 * grid].zero_()
        launch(f, [grid], 128 if kind == 3 else 32, shared, [u64(d.outs.data_ptr()), m, u64(d.big.data_ptr()), u64(frm.data_ptr()), u64(lat.data_ptr()), u64(gate.data_ptr()), i32(kind), i32(size), i32(deep), i32(n), u64(mask), u64(span)])
        torch.cuda.synchronize()
        r = d.outs[:4 * grid].view(grid, 4).tolist()
        c = [x[0] for x in r if x[0] > 0]
        if best is None or statistics.mean(c) < best[0]: best = (statistics.mean(c), max(c), min(c), [x[1] for x in r])
    d.emit(what='streams', tag=tag, kind=kind, bytes=size, deep=deep, n=n, per=per, active=len(c), rate=round(size * n / best[0], 2), least=round(size * n / best[1], 2), most=round(size * n / best[2], 2), **more)
    return best[3]


S = d.sms
MB = 1 << 20


@section
def where():
    ids = streams('own', [i * MB // 8 for i in range(S)], [0] * S, 0, 16384, 8, 128)
    d.emit(what='where', sm=ids)


@section
def own():
    for kind in (0, 1, 3):
        for count, step in ((1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (33, 1), (66, 1), (132, 1), (66, 2), (33, 4), (16, 8), (8, 16)):
            chosen = {i * step for i in range(count)}
            streams('some', [i * MB // 8 for i in range(S)], [0 if i in chosen else -1 for i in range(S)], kind, 16384, 4 if kind == 3 else 8, 128, count=count, step=step)
    for size in (2048, 4096, 8192, 16384, 32768):
        for kind in (1, 2): streams('box', [i * MB // 8 for i in range(S)], [0] * S, kind, min(size, 16384 if kind == 2 else 32768), 6, 128)
    # how much memory is gone through
    for log in (20, 22, 24, 25, 26, 27, 28): streams('span', [i * (1 << log) // S // 16384 * 16384 for i in range(S)], [0] * S, 0, 16384, 8, 256, mask=(1 << log) - 1, log=log)


@section
def shared():
    rng = random.Random(7)
    for kind in (0, 1, 3):
        for by in (2, 4, 8, 16, 33, 66):
            for how in ('near', 'far', 'shuffled'):
                ids = list(range(S))
                if how == 'shuffled': rng.shuffle(ids)
                group = [i // by if how != 'far' else i % (S // by) for i in ids]
                for late in (0, 200, 1000, 4000, 16000):
                    if late and (how == 'far' or kind == 0): continue
                    streams('shared', [g * MB for g in group], [rng.randrange(late) if late else 0 for _ in range(S)], kind, 16384, 4 if kind == 3 else 8, 192, mask=(1 << 25) - 1 if by > 4 else (1 << 26) - 1, by=by, how=how, late=late)
    # two streams a CTA: rows and columns of a grid, several CTAs to a multiprocessor
    for per in (2, 3, 6):
        for by in (1, 8, 33):
            for late in (0, 4000):
                n = S * per
                streams('several', [i // by * MB // 4 for i in range(n)], [rng.randrange(late) if late else 0 for _ in range(n)], 1, 8192, 4, 192, mask=(1 << 26) - 1, per=per, by=by, late=late)


@section
def capacity():
    # so many bytes of memory, gone through again and again, each by one multiprocessor, or by one of each half of the chip, or by several of all
    for total in (8, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64, 96, 192):
        for by in (1, 2, 4):
            parts = S // by
            span = total * MB // parts // 16384 * 16384
            for how in ('near', 'far') if by > 1 else ('near',):
                group = [i // by if how == 'near' else i % parts for i in range(S)]
                streams('capacity', [g * span for g in group], [0] * S, 0, 16384, 8, max(256, span // 16384 * 3), mask=(1 << 30) - 1, span=span, total=total, by=by, how=how)


@section
def latency():
    # so many copies on their way: from L2 or from DRAM, of one multiprocessor and of all
    for kind in (0, 1):
        for size in (8192, 16384, 32768):
            for deep in (1, 2, 3, 4, 6):
                for count in (1, 132):
                    for where in ('l2', 'dram'):
                        span = 1 << 18 if where == 'l2' else 1 << 40
                        streams('latency', [i * (MB // 4 if where == 'l2' else 6 * MB) for i in range(S)], [0 if i < count else -1 for i in range(S)], kind, size, deep, 96 if where == 'dram' else 160, mask=(1 << 30) - 1, span=span, where=where, count=count)


@section
def paired():
    for by in (1, 4, 16):
        for box in (32, 64, 128):
            frm = torch.tensor([i // by * MB // 2 for i in range(S // 2)], dtype=torch.int64, device='cuda')
            m = tensormap(d.big.data_ptr(), (1 << 30) >> 7, 64, 64, box, 3)
            f = function(fourth, 'streams_paired', 200000)
            deep = min(6, 196608 // (box * 256))
            r = d.best(f, S, 64, 200000, m, u64(frm.data_ptr()), i32(box), i32(deep), i32(192), u64((1 << 25) - 1), take=S)
            d.emit(what='paired', by=by, box=box, deep=deep, rate=round(box * 256 * 192 / statistics.mean(r), 2), worst=round(box * 256 * 192 / max(r), 2))


@section
def chains():
    for n in (8, 16, 32, 64, 96, 128, 192, 256):
        for held in (0, 1):
            for left in (0, 1):
                for groups in (1, 2, 3):
                    if n == 256 and groups == 3: continue
                    f = function(fourth, f'chain_{n}_{held}_{left}', 100000)
                    r = d.best(f, 1, 128 * groups, 100000, i32(256), take=4)
                    d.emit(what='chain', n=n, registers=held, left=left, groups=groups, cycles=round(max(r) / 256, 2))


@section
def storing():
    c = torch.zeros(64 << 20, dtype=torch.float16, device='cuda')
    m = tensormap(c.data_ptr(), S * 64, 4096, 64, 64, 3)
    f = function(fourth, 'stores', 100000)
    for how in (0, 1, 2):
        for grid in (1, 16, 66, S):
            for n in (2, 32):
                r = d.best(f, grid, 128, 100000, m, u64(c.data_ptr()), i32(how), i32(n), i32(8192), take=grid)
                d.emit(what='stores', how=how, ctas=grid, tiles=n, rate=round(n * 16384 / statistics.mean(r), 2), cycles=round(statistics.mean(r)))


@section
def lines():
    f = function(fourth, 'lines')
    n = 512
    d.big[:n * 4096].zero_()
    o = torch.zeros(S * n, dtype=torch.int64, device='cuda')
    for _ in range(2): launch(f, [S], 1, 0, [u64(o.data_ptr()), u64(d.big.data_ptr()), i32(n), u64(4096)])
    torch.cuda.synchronize()
    r = (o.view(S, n) & 0xffffffff)
    for i in (0, 1, 2, 16, 17, 40, 66, 100): d.emit(what='lines', sm=int(o.view(S, n)[i, 0] >> 32), latency=r[i, :256].tolist())
    d.emit(what='lines_mean', mean=[round(x, 1) for x in r.float().mean(1).tolist()], sm=(o.view(S, n)[:, 0] >> 32).tolist())
    x = (r.float() - r.float().mean()).T
    d.emit(what='halves', like=[round(float(torch.corrcoef(torch.stack([r[0].float(), r[i].float()]))[0, 1]), 2) for i in range(S)])


d.emit(what='end', seconds=d.seconds())
