"""What a warpgroup does between its products, on a GPU; argv: an output folder."""
import sys
from device import Device, function, here, i32, module, u64

out = sys.argv[1]
d = Device(out, 'fifth.jsonl')
fifth = module(f'{here}/fifth.cubin')


@d.section
def issued():
    for n in (8, 64, 128, 256):
        for groups in (1, 2):
            r = d.best(function(fifth, f'issue_{n}', 100000), 1, 128 * groups, 100000, take=14 * groups)
            for g in range(groups): d.emit(what='issue', n=n, groups=groups, group=g, after=r[14 * g:14 * g + 14])


@d.section
def turns():
    for n in (8, 64, 128, 256):
        for left in (0, 1):
            for moved in (0, 1):
                for groups in (1, 2):
                    r = d.best(function(fifth, f'turns_{n}_{left}_{moved}', 100000), 1, 128 * groups, 100000, i32(256), u64(0), take=groups)
                    d.emit(what='turns', n=n, left=left, moved=moved, groups=groups, cycles=round(max(r) / 256, 2))


@d.section
def waits():
    for warps in (1, 4, 8): d.emit(what='passed', warps=warps, cycles=d.best(function(fifth, 'passed'), 1, 32 * warps, 0, i32(64), take=1)[0] / 512)
    for taken in (0, 99): d.emit(what='branches', taken=taken, cycles=d.best(function(fifth, 'branches'), 1, 32, 0, i32(64), i32(taken), take=1)[0] / 1024)
    d.emit(what='chained', cycles=d.best(function(fifth, 'chained'), 1, 32, 0, i32(64), i32(5), take=2)[0] / 1024)
