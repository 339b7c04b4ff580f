"""Arithmetic, shared memory, barriers, copies, stores and products of a GPU; argv: an output folder."""
import statistics, sys
import torch
from device import Device, function, here, i32, launch, module, tensormap, u64

d = Device(sys.argv[1], 'first.jsonl')
first = module(f'{here}/first.cubin')
emit, section, timed, big, outs, SMS = d.emit, d.section, d.timed, d.big, d.outs, d.sms
once = lambda name, *args, **how: d.run(first, name, *args, by=lambda r: r[0], **how)
emit(what='clock', mhz=d.clock(first))


@section
def launches():
    f = function(first, 'empty')
    for g in (1, 132, 1320, 13200, 132000):
        for t in (32, 128, 256, 512):
            one = timed(lambda: launch(f, [g], t, 0, [u64(0)]))
            ten = timed(lambda: [launch(f, [g], t, 0, [u64(0)]) for _ in range(20)])
            emit(what='launch', grid=g, threads=t, us=one, us20=ten)
    f = function(first, 'empty_smem', 227 * 1024)
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
        m = tensormap(big.data_ptr(), rows, cols, w, h, sw)
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


emit(what='end', clock=d.clock(first), seconds=d.seconds())
