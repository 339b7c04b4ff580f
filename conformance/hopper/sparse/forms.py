"""Forms of wgmma.mma_async.sp, and of wgmma.mma_async on single bits, one a line. Usage: forms.py > forms.txt

    OPCODE | KIND n k | A B C D | where A stands | selector | what follows scale-d | tuples

KIND: numbers (two ascending indices of every four elements, or what stands for one of two); any (two different indices, in whatever order);
layout (images of shared memory at random, read through descriptors at random); bits. A stands in memory or in registers.
"""

FP8 = ('e4m3', 'e5m2')


def rows():
    out = []

    def row(opcode, kind, n, k, types, source, selector, tail, tuples):
        out.append(' | '.join([opcode, f'{kind} {n} {k}', ' '.join(types), source, str(selector), ' '.join(map(str, tail)) or '-', str(tuples)]))

    def sparse(kind, n, k, d, a, b, source, selector, tail, tuples, more=''):
        row(f'wgmma.mma_async.sp.sync.aligned.m64n{n}k{k}.{d}.{a}.{b}{more}', kind, n, k, (a, b, d, d), source, selector, tail, tuples)

    halves = [('f32', 'f16'), ('f16', 'f16'), ('f32', 'bf16')]
    for source in ('memory', 'registers'):
        turned = (0, 0) if source == 'memory' else (0,)
        for selector in (0, 1):
            tuples = 60 if source == 'memory' and selector == 0 else 20
            for d, a in halves:
                sparse('numbers', 8, 32, d, a, a, source, selector, (1, 1, *turned), tuples)
            sparse('numbers', 8, 16, 'f32', 'tf32', 'tf32', source, selector, (1, 1), tuples)
        tuples = 60 if source == 'memory' else 20
        for d in ('f32', 'f16'):
            for a in FP8:
                for b in FP8:
                    sparse('numbers', 8, 64, d, a, b, source, 0, (1, 1), tuples)
        for a in ('s8', 'u8'):
            for b in ('s8', 'u8'):
                for more in ('', '.satfinite'):
                    sparse('numbers', 8, 64, 's32', a, b, source, 0, (), 16, more)
    for signs in ((-1, 1), (1, -1), (-1, -1)):
        sparse('numbers', 8, 32, 'f32', 'f16', 'f16', 'memory', 0, (*signs, 0, 0), 20)
    sparse('numbers', 256, 32, 'f32', 'f16', 'f16', 'memory', 0, (1, 1, 0, 0), 2)
    for source in ('memory', 'registers'):
        turned = (0, 0) if source == 'memory' else (0,)
        sparse('any', 8, 32, 'f32', 'f16', 'f16', source, 1, (1, 1, *turned), 20)
        sparse('any', 8, 64, 'f32', 'e4m3', 'e4m3', source, 0, (1, 1), 20)
        sparse('any', 8, 64, 's32', 's8', 's8', source, 0, (), 16)
    for a in (0, 1):
        for b in (0, 1):
            sparse('layout', 32, 32, 'f32', 'f16', 'f16', 'memory', 0, (1, 1, a, b), 60)
    sparse('layout', 32, 32, 'f32', 'f16', 'f16', 'registers', 1, (1, 1, 1), 20)
    sparse('layout', 32, 16, 'f32', 'tf32', 'tf32', 'memory', 1, (1, 1), 60)
    sparse('layout', 32, 64, 's32', 's8', 's8', 'memory', 0, (), 60)
    for source in ('memory', 'registers'):
        row('wgmma.mma_async.sync.aligned.m64n16k256.s32.b1.b1.and.popc', 'bits', 16, 256, ('b1', 'b1', 's32', 's32'), source, 0, (), 20)
    row('wgmma.mma_async.sync.aligned.m64n32k256.s32.b1.b1.and.popc', 'layout', 32, 256, ('b1', 'b1', 's32', 's32'), 'memory', 0, (), 60)
    return out


if __name__ == '__main__':
    print('\n'.join(rows()))
