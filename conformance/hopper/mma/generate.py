"""Writes the PTX module of the capture from forms.txt: one kernel a form, a warp a tuple. Usage: generate.py FOLDER

Registers of a fragment come from memory, register by register, lane by lane, and go back so; matrices of wmma stand one behind the other, A, B, C,
with no bytes between, A and B as their layouts say, C and D by rows. `run.cu` makes the operands.
"""
import pathlib
import sys

BITS = {'b1': 1, 'u4': 4, 's4': 4, 'u8': 8, 's8': 8, 'e4m3': 8, 'e5m2': 8, 'f16': 16, 'bf16': 16, 'tf32': 32, 'f32': 32, 's32': 32, 'f64': 64}


def fields(line):
    opcode, what, types, layouts, counts, selector = line.split(' | ')
    kind, m, n, k, times = what.split(' ')
    return opcode, kind, int(m), int(n), int(k), int(times), types.split(' '), layouts.split(' '), [int(c) for c in counts.split(' ')], selector


def braces(letter, count):
    return '{' + ', '.join(f'%{letter}{i}' for i in range(count)) + '}'


def kernel(index, line):
    opcode, kind, m, n, k, times, types, layouts, counts, selector = fields(line)
    sizes = [8 if t == 'f64' else 4 for t in types]
    out = [f'.visible .entry form{index}(.param .u64 in, .param .u64 out)', '{',
           '.reg .b32 %t<4>; .reg .b64 %p<6>; .reg .b32 %e;']
    for letter, count, size in zip('abcd', counts, sizes):
        if count:
            out.append(f'.reg .b{8 * size} %{letter}<{count}>;')
    out += ['ld.param.u64 %p0, [in];', 'ld.param.u64 %p1, [out];', 'mov.u32 %t0, %tid.x;', 'mov.u32 %t1, %ctaid.x;',
            'cvta.to.global.u64 %p0, %p0;', 'cvta.to.global.u64 %p1, %p1;']
    elements = [m * k, k * n, m * n, m * n]
    matrix = [e * BITS[t] // 8 if t != '-' else 0 for e, t in zip(elements, types)]
    fragment = [32 * c * s for c, s in zip(counts, sizes)]
    if kind == 'wmma':
        given, left = sum(matrix[:3]), matrix[3]
    elif kind == 'load':
        given, left = sum(matrix[:3]), sum(fragment[:3])
    elif kind == 'store':
        given, left = fragment[3], matrix[3]
    else:
        given, left = sum(fragment[:3]) + (128 if kind in ('sp', 'any') else 0), fragment[3]
    out += [f'mul.wide.u32 %p2, %t1, {given};', 'add.u64 %p0, %p0, %p2;', f'mul.wide.u32 %p2, %t1, {left};', 'add.u64 %p1, %p1, %p2;',
            'mul.wide.u32 %p3, %t0, 4;', 'add.u64 %p4, %p0, %p3;', 'add.u64 %p5, %p1, %p3;',
            'mul.wide.u32 %p3, %t0, 8;', 'add.u64 %p2, %p0, %p3;', 'add.u64 %p3, %p1, %p3;']

    def move(word, letter, count, size, at):
        for i in range(count):
            place = f'[%p{(4 if word == "ld" else 5) if size == 4 else (2 if word == "ld" else 3)}+{at + i * 32 * size}]'
            register = f'%{letter}{i}'
            out.append(f'{word}.global.b{8 * size} ' + (f'{register}, {place};' if word == 'ld' else f'{place}, {register};'))

    a, b, c, d = (braces(letter, count) for letter, count in zip('abcd', counts))
    shape = f'm{m}n{n}k{k}'
    if kind in ('mma', 'sp', 'any', 'raw'):
        at = 0
        for letter, count, size, bytes_ in zip('abc', counts, sizes, fragment):
            move('ld', letter, count, size, at)
            at += bytes_
        if kind in ('sp', 'any'):
            move('ld', 'e', 0, 4, at)
            out.append(f'ld.global.b32 %e, [%p4+{at}];')
            out.append(f'{opcode} {d}, {a}, {b}, {c}, %e, {selector};')
        else:
            out.append(f'{opcode} {d}, {a}, {b}, {c};')
        move('st', 'd', counts[3], sizes[3], 0)
    elif kind == 'wmma':
        strides = [k if layouts[0] == 'row' else m, n if layouts[1] == 'row' else k, n]
        at = 0
        for which, layout, stride, bytes_, registers, t in zip('abc', layouts + ['row'], strides, matrix, (a, b, c), types):
            out.append(f'add.u64 %p2, %p0, {at};')
            out.append(f'wmma.load.{which}.sync.aligned.{layout}.{shape}.global.{t} {registers}, [%p2], {stride};')
            at += bytes_
        out.append(f'{opcode} {d}, {a}, {b}, {c};')
        out.append(f'wmma.store.d.sync.aligned.row.{shape}.global.{types[3]} [%p1], {d}, {n};')
    elif kind == 'load':
        which = next(i for i in range(3) if counts[i])
        rows, columns = ((m, k), (k, n), (m, n))[which]
        out.append(f'{opcode} {(a, b, c)[which]}, [%p0], {columns if layouts[0] == "row" else rows};')
        move('st', 'abc'[which], counts[which], sizes[which], 0)
    else:
        move('ld', 'd', counts[3], sizes[3], 0)
        out.append(f'{opcode} [%p1], {d}, {n if layouts[0] == "row" else m};')
    return out + ['ret;', '}'], given, left


def module(lines):
    text = ['.version 9.0', '.target sm_90a', '.address_size 64']
    for i, line in enumerate(lines):
        text += kernel(i, line)[0]
    return '\n'.join(text) + '\n'


if __name__ == '__main__':
    here = pathlib.Path(__file__).parent
    out = pathlib.Path(sys.argv[1])
    forms = [line for line in (here / 'forms.txt').read_text().split('\n') if line]
    parts = 4
    with (out / 'plan.txt').open('w') as plan:
        for i, line in enumerate(forms):
            opcode, kind, m, n, k, times, types, layouts, counts, selector = fields(line)
            _, given, left = kernel(i, line)
            print(i, i * parts // len(forms), kind, m, n, k, times, *types, *layouts, *counts, given, left, f'{opcode}#{selector}#{kind}', file=plan)
    for part in range(parts):
        text = ['.version 9.0', '.target sm_90a', '.address_size 64']
        for i, line in enumerate(forms):
            if i * parts // len(forms) == part:
                text += kernel(i, line)[0]
        (out / f'forms{part}.ptx').write_text('\n'.join(text) + '\n')
