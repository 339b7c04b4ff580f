"""Every form of mma.sync, mma.sp and wmma that could be, one a line; those that ptxas takes stand in forms.txt. Usage: forms.py > forms.txt

    OPCODE | KIND m n k times | A B C D | alayout blayout | registers of A, B, C, D | selector

A, B, C, D are types of elements; `times` is how many products of that shape one instruction makes. KIND: mma; sp (with metadata, indices ascending);
any (with metadata, two different indices in whatever order); wmma (from memory to memory, as it is used); raw (wmma.mma of registers as they are); load and store (of fragments, where the lanes and registers of elements are asked).
"""
import pathlib
import re
import subprocess
import tempfile

BITS = {'b1': 1, 'u4': 4, 's4': 4, 'u8': 8, 's8': 8, 'e4m3': 8, 'e5m2': 8, 'f16': 16, 'bf16': 16, 'tf32': 32, 'f32': 32, 's32': 32, 'f64': 64}


def registers(elements, kind):
    return elements // 32 if kind == 'f64' else elements * BITS[kind] // 1024


def candidates():
    def row(opcode, kind, shape, types, layouts=('row', 'col'), counts=None, selector='-', times=1):
        m, n, k = shape
        a, b, c, d = types
        if counts is None:
            depth = k // 2 if kind in ('sp', 'any') else k
            counts = [registers(times * m * depth, a), registers(times * k * n, b), registers(times * m * n, c), registers(times * m * n, d)]
        rows.append(' | '.join([opcode, f'{kind} {m} {n} {k} {times}', ' '.join(types), ' '.join(layouts), ' '.join(map(str, counts)), selector]))

    def name(shape):
        return 'm%dn%dk%d' % shape

    rows = []
    half = ('f16', 'f32')
    both = ('row', 'col')
    fp8 = ('e4m3', 'e5m2')

    def dense(shape, d, a, b, c, more='', tail='', **rest):
        layouts = rest.get('layouts', both)
        row(f'mma.sync.aligned.{name(shape)}.{layouts[0]}.{layouts[1]}{more}.{d}.{a}.{b}.{c}{tail}', 'mma', shape, (a, b, c, d), **rest)

    for shape in ((16, 8, 8), (16, 8, 16)):
        for d in half:
            for c in half:
                dense(shape, d, 'f16', 'f16', c)
        dense(shape, 'f32', 'bf16', 'bf16', 'f32')
    for al in both:
        for bl in both:
            for d in half:
                for c in half:
                    dense((8, 8, 4), d, 'f16', 'f16', c, layouts=(al, bl), times=4)
    for shape in ((16, 8, 4), (16, 8, 8)):
        dense(shape, 'f32', 'tf32', 'tf32', 'f32')
    for shape in ((16, 8, 16), (16, 8, 32)):
        for a in fp8:
            for b in fp8:
                for d in half:
                    for c in half:
                        dense(shape, d, a, b, c)
    for shape in ((8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)):
        dense(shape, 'f64', 'f64', 'f64', 'f64')
    for shapes, kinds in ((((8, 8, 16), (16, 8, 16), (16, 8, 32)), ('u8', 's8')), (((8, 8, 32), (16, 8, 32), (16, 8, 64)), ('u4', 's4'))):
        for shape in shapes:
            for sat in ('', '.satfinite'):
                for a in kinds:
                    for b in kinds:
                        dense(shape, 's32', a, b, 's32', more=sat)
    for shape in ((8, 8, 128), (16, 8, 128), (16, 8, 256)):
        for op in ('xor', 'and'):
            dense(shape, 's32', 'b1', 'b1', 's32', tail=f'.{op}.popc')

    def sparse(shape, d, a, b, c, selectors, more=''):
        for word in ('sp', 'sp::ordered_metadata'):
            for s in range(selectors):
                row(f'mma.{word}.sync.aligned.{name(shape)}.row.col{more}.{d}.{a}.{b}.{c}', 'sp', shape, (a, b, c, d), selector=str(s))

    for shape, selectors in (((16, 8, 16), 4), ((16, 8, 32), 2)):
        for d in half:
            for c in half:
                sparse(shape, d, 'f16', 'f16', c, selectors)
        sparse(shape, 'f32', 'bf16', 'bf16', 'f32', selectors)
    for shape, selectors in (((16, 8, 8), 4), ((16, 8, 16), 2)):
        sparse(shape, 'f32', 'tf32', 'tf32', 'f32', selectors)
    for a in fp8:
        for b in fp8:
            for d in half:
                for c in half:
                    sparse((16, 8, 64), d, a, b, c, 1)
    for shapes, kinds in (((((16, 8, 32), 2), ((16, 8, 64), 1)), ('u8', 's8')), ((((16, 8, 64), 2), ((16, 8, 128), 1)), ('u4', 's4'))):
        for shape, selectors in shapes:
            for sat in ('', '.satfinite'):
                for a in kinds:
                    for b in kinds:
                        sparse(shape, 's32', a, b, 's32', selectors, sat)

    tall = ((16, 16, 16), (8, 32, 16), (32, 8, 16))

    def counts(shape, a, c, d):
        m, n, k = shape
        if a == 'f16':
            return [8, 8, 4 if c == 'f16' else 8, 4 if d == 'f16' else 8]
        return [registers(m * k, a), registers(k * n, a), registers(m * n, c), registers(m * n, d)]

    def wmma(shape, d, a, c, layouts, opcode):
        types = (a, a, c, d)
        row(opcode, 'wmma', shape, types, layouts, counts(shape, a, c, d))
        row(opcode, 'raw', shape, types, layouts, counts(shape, a, c, d))

    for al in both:
        for bl in both:
            for shape in tall:
                head = f'wmma.mma.sync.aligned.{al}.{bl}.{name(shape)}'
                for d in half:
                    for c in half:
                        wmma(shape, d, 'f16', c, (al, bl), f'{head}.{d}.{c}')
                wmma(shape, 'f32', 'bf16', 'f32', (al, bl), f'{head}.f32.bf16.bf16.f32')
                for a in ('u8', 's8'):
                    for sat in ('', '.satfinite'):
                        wmma(shape, 's32', a, 's32', (al, bl), f'{head}.s32.{a}.{a}.s32{sat}')
            wmma((16, 16, 8), 'f32', 'tf32', 'f32', (al, bl), f'wmma.mma.sync.aligned.{al}.{bl}.m16n16k8.f32.tf32.tf32.f32')
            for rounding in ('', '.rn', '.rz', '.rm', '.rp'):
                wmma((8, 8, 4), 'f64', 'f64', 'f64', (al, bl), f'wmma.mma.sync.aligned.{al}.{bl}.m8n8k4{rounding}.f64.f64.f64.f64')
    for a in ('u4', 's4'):
        for sat in ('', '.satfinite'):
            wmma((8, 8, 32), 's32', a, 's32', both, f'wmma.mma.sync.aligned.row.col.m8n8k32.s32.{a}.{a}.s32{sat}')
    for op in ('xor', 'and'):
        wmma((8, 8, 128), 's32', 'b1', 's32', both, f'wmma.mma.{op}.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32')

    def fragment(which, shape, kind, layout, count):
        m, n, k = shape
        if which == 'd':
            row(f'wmma.store.d.sync.aligned.{layout}.{name(shape)}.global.{kind}', 'store', shape, ('-', '-', '-', kind), (layout, '-'), [0, 0, 0, count])
        else:
            types = tuple(kind if which == w else '-' for w in 'abcd')
            row(f'wmma.load.{which}.sync.aligned.{layout}.{name(shape)}.global.{kind}', 'load', shape, types, (layout, '-'), [count if which == w else 0 for w in 'abcd'])

    for shape, inputs, outputs in (
        (tall, ('f16', 'bf16', 'u8', 's8'), ('f16', 'f32', 's32')),
        (((16, 16, 8),), ('tf32',), ('f32',)),
        (((8, 8, 4),), ('f64',), ('f64',)),
        (((8, 8, 32),), ('u4', 's4'), ('s32',)),
        (((8, 8, 128),), ('b1',), ('s32',)),
    ):
        for s in shape:
            m, n, k = s
            for layout in both:
                for kind in inputs:
                    fragment('a', s, kind, layout, 8 if kind == 'f16' else registers(m * k, kind))
                    fragment('b', s, kind, layout, 8 if kind == 'f16' else registers(k * n, kind))
                for kind in outputs:
                    fragment('c', s, kind, layout, registers(m * n, kind))
                    fragment('d', s, kind, layout, registers(m * n, kind))

    for shape, d, a, selector in (((16, 8, 16), 'f32', 'f16', 3), ((16, 8, 32), 'f32', 'f16', 1), ((16, 8, 32), 'f16', 'f16', 0), ((16, 8, 32), 'f32', 'bf16', 0),
                                  ((16, 8, 64), 'f32', 'e4m3', 0), ((16, 8, 32), 's32', 's8', 1), ((16, 8, 64), 's32', 'u8', 0),
                                  ((16, 8, 64), 's32', 'u4', 1), ((16, 8, 128), 's32', 's4', 0)):
        row(f'mma.sp.sync.aligned.{name(shape)}.row.col.{d}.{a}.{a}.{d}', 'any', shape, (a, a, d, d), selector=str(selector))
    return rows


def taken(rows):
    """Those that the assembler takes: the whole module is given, and what it names is left out."""
    from generate import module
    while True:
        text = module(rows)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'all.ptx'
            path.write_text(text)
            done = subprocess.run(['ptxas', '-arch=sm_90a', '-O0', str(path), '-o', str(path) + '.cubin'], capture_output=True, text=True)
        if done.returncode == 0:
            return rows
        lines = text.split('\n')
        bad = set()
        for at in re.findall(r'line (\d+)[;,] (?:error|fatal)', done.stderr):
            i = int(at) - 1
            while '.entry form' not in lines[i]:
                i -= 1
            bad.add(int(re.search(r'form(\d+)', lines[i]).group(1)))
        if not bad:
            raise SystemExit(done.stderr[:2000])
        import sys
        for b in sorted(bad):
            print('refused:', rows[b], file=sys.stderr)
        rows = [r for i, r in enumerate(rows) if i not in bad]


if __name__ == '__main__':
    print('\n'.join(taken(candidates())))
