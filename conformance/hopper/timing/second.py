"""Single copies, rings of copies, lines that multiprocessors share, and products of a GPU; argv: an output folder."""
import statistics, sys
import torch
from device import Device, here, i32, module, tensormap, u64

d = Device(sys.argv[1], 'second.jsonl')
second = module(f'{here}/second.cubin')
emit, section, big, SMS = d.emit, d.section, d.big, d.sms


def run2(name, *args, first=False, **how): return d.run(second, name, *args, by=(lambda r: 0) if first else sum, **how)


@section
def products():
    for N in (64, 128, 256):
        for per in (1, 4, 8):
            for ahead in (0, 1):
                for wgs in (1, 2, 3, 4):
                    if wgs > 2 and N > 128: continue
                    r = run2(f'mma_{N}_{per}_{ahead}', 1, 128 * wgs, 100 * 1024, i32(64), take=4)
                    emit(what='wgmma', n=N, per=per, ahead=ahead, warpgroups=wgs, cycles=r[0] / (64 * per))


@section
def copies():
    for b in (16, 128, 1024, 4096, 8192, 16384, 32768):
        r = run2('tma_one', 1, 32, 60 * 1024, u64(big.data_ptr()), i32(b), i32(32), u64(0), take=2)
        emit(what='tma_one', where='l2', bytes=b, cycles=r[0] / 32, issue=r[1] / 32)
        d.flushed.zero_()
        r = run2('tma_one', 1, 32, 60 * 1024, u64(big.data_ptr()), i32(b), i32(32), u64(1 << 20), take=2, runs=1)
        emit(what='tma_one', where='dram', bytes=b, cycles=r[0] / 32, issue=r[1] / 32)
    for w, h, sw in ((64, 1, 3), (64, 8, 3), (64, 32, 3), (64, 64, 3), (64, 128, 3), (64, 256, 3), (32, 64, 2), (32, 128, 2), (16, 128, 1), (16, 256, 1)):
        m = tensormap(big.data_ptr(), 4096, 4096, w, h, sw)
        r = run2('tma_one_2d', 1, 32, 60 * 1024, m, i32(w * h * 2), i32(32), i32(0), i32(0), i32(4096), take=3)
        emit(what='tma_one_2d', where='l2', w=w, h=h, bytes=w * h * 2, cycles=r[0] / 32, issue=r[1] / 32)
        d.flushed.zero_()
        r = run2('tma_one_2d', 1, 32, 60 * 1024, m, i32(w * h * 2), i32(15), i32(0), i32(256), i32(0), take=3, runs=1)
        emit(what='tma_one_2d', where='dram', w=w, h=h, bytes=w * h * 2, cycles=r[0] / 15, first=r[2])
    for ring in (1, 2, 3):
        for b in (128, 512, 1024, 2048, 4096, 8192, 16384, 32768):
            if b << ring > 200 * 1024: continue
            for ctas, mask, apart, share, mod in ((1, (1 << 20) - 1, 0, 1, 0), (SMS, (1 << 24) - 1, 126976, 1, 0), (SMS, (1 << 30) - 1, 7 << 20, 1, 0)):
                n = 256
                r = run2(f'ring{ring}', ctas, 32, 226 * 1024, u64(big.data_ptr()), i32(b), i32(n), u64(mask), u64(apart), i32(share), i32(mod), take=ctas)
                emit(what='ring', ctas=ctas, depth=1 << ring, bytes=b, mask=mask, cycles=statistics.mean(r) / n, worst=max(r) / n)
    for share in (1, 2, 4, 8, 16, 33, 66, 132):
        for mod in (0, 1):
            for b in (8192, 16384):
                n = 512
                g = share if not mod else max(1, SMS // share)
                r = run2('ring3', SMS, 32, 226 * 1024, u64(big.data_ptr()), i32(b), i32(n), u64((1 << 25) - 1), u64(245760), i32(g), i32(mod), take=SMS)
                emit(what='shared', by=share, interleaved=mod, bytes=b, cycles=statistics.mean(r) / n, worst=max(r) / n, per_cycle=b * n / statistics.mean(r))
    for bm, bn, bk, sw in ((128, 128, 64, 3), (128, 256, 64, 3), (64, 128, 64, 3), (64, 64, 64, 3), (64, 64, 32, 3), (128, 128, 32, 3), (256, 128, 64, 3)):
        M, N, K = 4096, 8192, 4096
        ma = tensormap(big.data_ptr(), M, K, bk, bm, 3 if bk == 64 else 2)
        mb = tensormap(big.data_ptr() + (64 << 20), K, N, 64, bk, 3)
        for d in (1, 2):
            ba, bb = bm * bk * 2, bn * bk * 2
            if (ba + bb) << d > 200 * 1024: continue
            for per in (1, 2):
                if per * ((ba + bb) << d) > 210 * 1024: continue
                n = K // bk
                d.flushed.zero_()
                for cold in (1, 0):
                    r = run2(f'tiles{d}', SMS * per, 32, ((ba + bb) << d) + 2048, ma, mb, i32(ba), i32(bb), i32(n), i32(bm), i32(bn), i32(bk), i32(M // bm), take=SMS * per, runs=1)
                    emit(what='tiles', bm=bm, bn=bn, bk=bk, depth=1 << d, per_sm=per, cold=cold, cycles=statistics.mean(r) / n, worst=max(r) / n, per_cycle=per * (ba + bb) * n / statistics.mean(r))
    idx = (torch.arange(1 << 27, dtype=torch.int64, device='cuda') + 65536 + 16) % (1 << 27)
    d.flushed.zero_()
    r = run2('chase', 1, 1, 0, u64(idx.data_ptr()), i32(512), u64(0), take=1, runs=1)
    emit(what='chase', where='dram', cycles=r[0] / 512)
    r = run2('chase', 1, 1, 0, u64(idx.data_ptr()), i32(512), u64(0), take=1, runs=1)
    emit(what='chase', where='l2', cycles=r[0] / 512)


emit(what='end', seconds=d.seconds())
