"""Runs the microbenchmarks and the launches on a GPU; argv: an output folder."""
import ctypes as C, json, math, os, statistics, subprocess, sys, time
import torch

out = sys.argv[1]
T0 = time.time()
cu = C.CDLL('libcuda.so.1')
torch.zeros(1, device='cuda')
here = os.path.dirname(os.path.abspath(__file__))


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


def u64(x): return C.c_uint64(x)
def i32(x): return C.c_int(x)


def launch(f, grid, threads, shared, args):
    a = (C.c_void_p * len(args))(*[C.cast(C.pointer(x), C.c_void_p) for x in args])
    s = C.c_void_p(torch.cuda.current_stream().cuda_stream)
    g = list(grid) + [1] * (3 - len(grid))
    ok(cu.cuLaunchKernel(f, *[C.c_uint(x) for x in g], C.c_uint(threads), C.c_uint(1), C.c_uint(1), C.c_uint(shared), s, a, None), 'launch')


results = {}
log = open(f'{out}/micro.jsonl', 'w')


def emit(**r):
    log.write(json.dumps(r) + '\n')
    log.flush()


outs = torch.zeros(1 << 16, dtype=torch.int64, device='cuda')
big = torch.zeros(1 << 30, dtype=torch.uint8, device='cuda')
micro = module(f'{here}/first.cubin')


def once(name, grid, threads, shared, *args, take=8, runs=3):
    f = function(micro, name, shared)
    best = None
    for _ in range(runs):
        outs[:take].zero_()
        launch(f, [grid], threads, shared, [u64(outs.data_ptr()), *args])
        torch.cuda.synchronize()
        r = outs[:take].tolist()
        best = r if best is None or sum(r[:1]) < sum(best[:1]) else best
    return best


def clock(spin=200000):
    r = once('freq', 1, 1, 0, i32(spin), take=2, runs=1)
    return r[0] / r[1] * 1e3


props = torch.cuda.get_device_properties(0)
SMS = props.multi_processor_count
emit(what='device', name=props.name, sms=SMS, l2=props.L2_cache_size, smi=subprocess.run(['nvidia-smi', '--query-gpu=name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit', '--format=csv,noheader'], capture_output=True, text=True).stdout.strip(), clock=clock())


def section(f):
    try:
        f()
    except Exception as e:
        emit(what='failed', section=f.__name__, why=str(e))
        print('FAILED', f.__name__, e)
    print(f.__name__, round(time.time() - T0, 1))


def timed(go, reps=10, flush=None):
    ts = []
    for _ in range(reps):
        if flush is not None: flush()
        a = torch.cuda.Event(enable_timing=True)
        b = torch.cuda.Event(enable_timing=True)
        a.record()
        go()
        b.record()
        torch.cuda.synchronize()
        ts.append(a.elapsed_time(b) * 1e3)
    return statistics.median(ts)


@section
def launches():
    f = function(micro, 'empty')
    for g in (1, 132, 1320, 13200, 132000):
        for t in (32, 128, 256, 512):
            one = timed(lambda: launch(f, [g], t, 0, [u64(0)]))
            ten = timed(lambda: [launch(f, [g], t, 0, [u64(0)]) for _ in range(20)])
            emit(what='launch', grid=g, threads=t, us=one, us20=ten)
    f = function(micro, 'empty_smem', 227 * 1024)
    for g in (132, 1320, 13200):
        emit(what='launch', grid=g, threads=256, shared=227 * 1024, us=timed(lambda: launch(f, [g], 256, 227 * 1024, [u64(outs.data_ptr())])))
    for spin in (1000, 3000):
        for sm, th in ((0, 128), (100 * 1024, 128), (200 * 1024, 256), (200 * 1024, 384)):
            n = 132 * 6
            r = once('cta_times', n, th, sm, i32(spin), take=3 * n, runs=2)
            by = {}
            for i in range(n): by.setdefault(r[3 * i + 2], []).append((r[3 * i], r[3 * i + 1]))
            gaps = []
            for s in by.values():
                s.sort()
                gaps += [b[0] - a[1] for a, b in zip(s, s[1:]) if sm == 200 * 1024]
            st = sorted(x[0] for s in by.values() for x in s)
            en = sorted(x[1] for s in by.values() for x in s)
            emit(what='cta_times', spin=spin, shared=sm, threads=th, per_sm=sorted(len(s) for s in by.values())[::40], gaps=[min(gaps), statistics.median(gaps), max(gaps)] if gaps else None, spread=st[131] - st[0], all=en[-1] - st[0])


@section
def latencies():
    n = 1 << 27
    for bytes_, what in ((16 << 10, 'l1'), (1 << 20, 'l2'), (16 << 20, 'l2'), (40 << 20, 'l2'), (1 << 30, 'dram')):
        words = bytes_ // 8
        step = 128 // 8 * 37
        idx = (torch.arange(words, dtype=torch.int64, device='cuda') + step) % words
        for f in ('chase', 'chase_l1'):
            r = once(f, 1, 1, 0, u64(idx.data_ptr()), i32(2048), take=1)
            emit(what=f, bytes=bytes_, cycles=r[0] / 2048)
    r = once('chase_smem', 1, 32, 4096, i32(1024), take=1)
    emit(what='chase_smem', cycles=r[0] / 1024)


@section
def operations():
    for op in 'ffma fadd fmul fmax ex2 rcp iadd imad lop shl cvt_f16x2 cvt_f16 hfma2 shfl lds32 lds128 sts32 sts128 stsm ldsm bar syncwarp fence_proxy fence_gpu elect mma'.split():
        n = 128
        chain = once('op_' + op + '_chain', 1, 32, 16384, i32(n), take=2)[0] / (8 * n)
        r = {}
        for th in (32, 128, 256, 384, 512, 1024):
            r[th] = round(once('op_' + op, 1, th, 16384, i32(n), take=2)[1] / (8 * n), 3)
        emit(what='op', op=op, chain=chain, per_round=r)


@section
def barriers():
    n = 512
    r = once('mbar_self', 1, 64, 0, i32(n), take=2)
    emit(what='mbar_self', arrive_wait=r[0] / n, wait_passed=r[1] / n)
    r = once('mbar_ping', 1, 64, 0, i32(n), take=1)
    emit(what='mbar_ping', round_trip=r[0] / n)
    r = once('map_fence', 1, 32, 8192, u64(big.data_ptr()), i32(20), take=2)
    emit(what='map_fence', cycles=r[0] / 20, replace=r[1] / 20)
    r = once('map_fence', SMS, 32, 8192, u64(big.data_ptr()), i32(20), take=2)
    emit(what='map_fence', ctas=SMS, cycles=r[0] / 20, replace=r[1] / 20)


@section
def copies():
    N = 256
    for ctas, region, apart, where in ((1, 1 << 20, 0, 'l2'), (SMS, 8 << 20, 0, 'l2 same'), (SMS, 16 << 20, 128 << 10, 'l2 apart'), (SMS, 30 << 20, 240 << 10, 'l2 apart 30M'), (SMS, 1 << 30, 4 << 20, 'dram')):
        for b in (128, 512, 1024, 2048, 4096, 8192, 16384, 32768):
            for depth in (1, 2, 4, 8):
                if b * depth > 200 * 1024: continue
                r = once('tma_bulk', ctas, 32, 226 * 1024, u64(big.data_ptr()), i32(b), i32(depth), i32(N), u64(region), u64(apart), take=2 * ctas)
                emit(what='tma_bulk', ctas=ctas, where=where, bytes=b, depth=depth, cycles=statistics.mean(r[0::2]) / N, worst=max(r[0::2]) / N, issue=statistics.mean(r[1::2]) / N)
    rows, cols = 4096, 4096
    for w, h, sw in ((64, 64, 3), (64, 128, 3), (64, 256, 3), (32, 128, 2), (64, 8, 3), (64, 32, 3), (16, 128, 1)):
        tm = (C.c_uint64 * 16)()
        buf = C.create_string_buffer(128 + 64)
        addr = (C.addressof(buf) + 63) & ~63
        r = cu.cuTensorMapEncodeTiled(C.c_void_p(addr), C.c_int(6), C.c_uint(2), C.c_void_p(big.data_ptr()), (C.c_uint64 * 2)(cols, rows), (C.c_uint64 * 1)(cols * 2), (C.c_uint32 * 2)(w, h), (C.c_uint32 * 2)(1, 1), C.c_int(0), C.c_int(sw), C.c_int(2), C.c_int(0))
        ok(r, 'encode')
        f = function(micro, 'tma_2d', 226 * 1024)
        class Map(C.Structure): _fields_ = [('x', C.c_byte * 128)]
        m = Map.from_address(addr)
        b = w * h * 2
        for ctas, apart in ((1, 0), (SMS, 0), (SMS, 61), (SMS, 13)):
            for depth in (1, 2, 4, 6):
                if b * depth > 200 * 1024: continue
                n = 192
                r = once('tma_2d', ctas, 32, 226 * 1024, m, i32(b), i32(w), i32(h), i32(depth), i32(n), i32(cols // w), i32(rows), i32(apart), take=2 * ctas)
                emit(what='tma_2d', ctas=ctas, apart=apart, w=w, h=h, bytes=b, depth=depth, cycles=statistics.mean(r[0::2]) / n, worst=max(r[0::2]) / n)
    for b in (1024, 4096, 16384, 32768):
        for ctas in (1, SMS):
            r = once('tma_store', ctas, 32, 66 * 1024, u64(big.data_ptr()), i32(b), i32(32), take=3 * ctas)
            emit(what='tma_store', ctas=ctas, bytes=b, read=statistics.mean(r[1::3]) / 32, done=statistics.mean(r[2::3]) / 32)
            for region in (16 << 20, 1 << 30):
                r = once('tma_store_flow', ctas, 32, 226 * 1024, u64(big.data_ptr()), i32(b), i32(128), u64(region), take=ctas)
                emit(what='tma_store_flow', ctas=ctas, bytes=b, region=region, cycles=statistics.mean(r) / 128, worst=max(r) / 128)


@section
def threads():
    for what in ('ldg', 'stg'):
        for ctas, count, apart, where in ((1, 1 << 16, 0, 'l2'), (SMS, 1 << 20, 0, 'l2 same'), (SMS, 1 << 20, 7919, 'l2 apart'), (SMS, 1 << 26, 1 << 18, 'dram'), (4 * SMS, 1 << 26, 1 << 16, 'dram')):
            for th in (128, 512, 1024):
                if th == 1024 and ctas > SMS: continue
                n = 512
                r = once(what, ctas, th, 0, u64(big.data_ptr()), u64(count), u64(apart), i32(n), take=ctas)
                emit(what=what, ctas=ctas, threads=th, where=where, bytes_per_cycle=th * 16 * n / statistics.mean(r), worst=th * 16 * n / max(r))
    for ctas, bytes_, apart, where in ((1, 1 << 20, 0, 'l2'), (SMS, 16 << 20, 0, 'l2 same'), (SMS, 16 << 20, 126704, 'l2 apart'), (SMS, 1 << 30, 4 << 20, 'dram')):
        for th in (128, 256, 512):
            for depth in (1, 2, 8):
                n = 128
                r = once('ldgsts', ctas, th, 64 * 1024, u64(big.data_ptr()), u64(bytes_), u64(apart), i32(n), i32(depth), take=ctas)
                emit(what='ldgsts', ctas=ctas, threads=th, depth=depth, where=where, bytes_per_cycle=th * 64 * n / statistics.mean(r), cycles=statistics.mean(r) / n)


@section
def products():
    for src in ('ss', 'rs'):
        for N in (8, 64, 96, 128, 192, 256):
            for ctas in (1, SMS):
                for wgs in (1, 2, 3):
                    if ctas > 1 and wgs == 3: continue
                    for per, ahead in ((1, 0), (4, 0), (4, 1), (8, 1)):
                        n = 64
                        r = once(f'wgmma_{src}_{N}', ctas, 128 * wgs, 60 * 1024, i32(n), i32(per), i32(ahead), take=4 * ctas)
                        emit(what='wgmma', src=src, n=N, ctas=ctas, warpgroups=wgs, per=per, ahead=ahead, cycles=r[0] / (n * per))


flushed = torch.zeros(256 << 20, dtype=torch.uint8, device='cuda')
scratch = torch.zeros(64 << 20, dtype=torch.uint8, device='cuda')
rows = []
torch.manual_seed(1)
pool = torch.randn(1 << 26, device='cuda', dtype=torch.float32).half()
tensors = [torch.zeros(1 << 26, device='cuda', dtype=torch.float16) for _ in range(4)]


def measure(j, path):
    f = function(module(path), j['entry'], j['shared'])
    args = []
    k = 0
    for a in j['args']:
        if len(a) == 2:
            assert a[1] <= 1 << 26
            tensors[k][:a[1]].copy_(pool[:a[1]])
            args.append(u64(tensors[k].data_ptr()))
            k += 1
        else: args.append(i32(a[2]) if a[1] == 'i' else C.c_float(a[2]))
    args += [u64(scratch.data_ptr()), u64(scratch.data_ptr())]
    go = lambda: launch(f, j['grid'], j['threads'], j['shared'], args)
    go()
    torch.cuda.synchronize()
    us = timed(go, 15, lambda: flushed.zero_())
    warm = timed(go, 10)
    go()
    c = clock(100000)
    for _ in range(10): go()
    c2 = clock(100000)
    return dict(us=us, us_warm=warm, clock=c, clock_busy=c2)


for which, table in (('k', json.load(open(f'{here}/k/launches.json'))),):
    with open(f'{out}/{which}.jsonl', 'w') as o:
        for j in table:
            try:
                r = measure(j, f"{here}/{which}/{j['kernel']}.cubin")
            except Exception as e:
                r = dict(failed=str(e))
            o.write(json.dumps(dict(name=j['name'], **r)) + '\n')
            o.flush()
            if time.time() - T0 > 280: break
    print(which, time.time() - T0)
emit(what='end', clock=clock(), seconds=time.time() - T0)
