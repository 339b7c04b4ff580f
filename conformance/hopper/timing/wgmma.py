"""Writes wgmma.cuh: products of 64 rows by N columns, 16 deep; B from shared memory, A from there or from registers."""
def one(n, regs):
    d = n // 2
    acc = ', '.join(f'%{i}' for i in range(d))
    at = d
    if regs:
        a = '{' + ', '.join(f'%{at + i}' for i in range(4)) + '}'; at += 4
    else:
        a = f'%{at}'; at += 1
    tail = f'%{at}, 1, 1, 1' + (', 0' if regs else ', 0, 0')
    outs = ', '.join(f'"+f"(d[{i}])' for i in range(d))
    ins = ', '.join([f'"r"(a[{i}])' for i in range(4)] if regs else ['"l"(a)']) + ', "l"(b)'
    ty = 'const uint32_t (&a)[4]' if regs else 'u64 a'
    return f'''  static __device__ __forceinline__ void {'held' if regs else 'go'}(float (&d)[{d}], {ty}, u64 b) {{ asm volatile("{{wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16 {{{acc}}}, {a}, {tail};}}" : {outs} : {ins}); }}\n'''
print('// Products of 64 rows by N columns, 16 deep; B from shared memory, A from there or from registers. Written by wgmma.py.\n#pragma once\n#include "device.cuh"\ntemplate <int N> struct P;')
for n in (8, 16, 32, 64, 96, 128, 192, 256):
    print(f'template <> struct P<{n}> {{\n' + one(n, False) + one(n, True) + '};')
