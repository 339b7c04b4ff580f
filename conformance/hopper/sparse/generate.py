"""Writes the PTX modules of the capture from forms.txt: one kernel a form, a warpgroup a tuple. Usage: generate.py FOLDER

A tuple is an image of shared memory, the registers of A (four words a thread), of C, a word of metadata a thread, and the two descriptors, whose
addresses count from the image. Registers stand one behind the other, thread by thread, and so does what is left: D.
"""
import pathlib
import sys

LAYOUT = 16384


def fields(line):
    opcode, what, types, source, selector, tail, tuples = line.split(' | ')
    kind, n, k = what.split(' ')
    return opcode, kind, int(n), int(k), types.split(' '), source, selector, [] if tail == '-' else tail.split(' '), int(tuples)


def sizes(line):
    opcode, kind, n, k, types, source, selector, tail, tuples = fields(line)
    registers = n // 4 if types[3] == 'f16' else n // 2
    image = LAYOUT if kind == 'layout' else 2048 + n * (32 if types[0] == 'b1' else 64)
    return registers, image


def kernel(index, line):
    opcode, kind, n, k, types, source, selector, tail, tuples = fields(line)
    registers, image = sizes(line)
    given = image + 2048 + 512 * registers + 512 + 16
    left = 512 * registers
    out = [f'.visible .entry form{index}(.param .u64 in, .param .u64 out)', '{',
           '.reg .pred %y; .reg .b32 %t<4>; .reg .b64 %p<6>; .reg .b64 %x<2>; .reg .b32 %e; .reg .b32 %a<4>;',
           f'.reg .b32 %d<{registers}>; .shared .align 1024 .b8 image[{image}];',
           'ld.param.u64 %p0, [in];', 'ld.param.u64 %p1, [out];', 'mov.u32 %t0, %tid.x;', 'mov.u32 %t1, %ctaid.x;',
           'cvta.to.global.u64 %p0, %p0;', 'cvta.to.global.u64 %p1, %p1;',
           f'mul.wide.u32 %p2, %t1, {given};', 'add.u64 %p0, %p0, %p2;', f'mul.wide.u32 %p2, %t1, {left};', 'add.u64 %p1, %p1, %p2;',
           'mul.wide.u32 %p3, %t0, 4;', 'add.u64 %p4, %p0, %p3;', 'add.u64 %p5, %p1, %p3;',
           'mov.u32 %t2, image;', 'shl.b32 %t3, %t0, 2;', 'add.u32 %t3, %t2, %t3;']
    for at in range(0, image, 512):
        out += [f'ld.global.b32 %e, [%p4+{at}];', f'st.shared.b32 [%t3+{at}], %e;']
    at = image
    for i in range(4):
        out.append(f'ld.global.b32 %a{i}, [%p4+{at}];')
        at += 512
    for i in range(registers):
        out.append(f'ld.global.b32 %d{i}, [%p4+{at}];')
        at += 512
    out.append(f'ld.global.b32 %e, [%p4+{at}];')
    at += 512
    out += [f'ld.global.b64 %x0, [%p0+{at}];', f'ld.global.b64 %x1, [%p0+{at + 8}];',
            'shr.u32 %t2, %t2, 4;', 'cvt.u64.u32 %p3, %t2;', 'add.u64 %x0, %x0, %p3;', 'add.u64 %x1, %x1, %p3;',
            'setp.eq.u32 %y, 0, 0;', 'fence.proxy.async;', 'bar.sync 0;', 'wgmma.fence.sync.aligned;']
    d = '{' + ', '.join(f'%d{i}' for i in range(registers)) + '}'
    a = '%x0' if source == 'memory' else '{%a0, %a1, %a2, %a3}'
    operands = [d, a, '%x1'] + ([] if types[0] == 'b1' else ['%e', selector]) + ['%y'] + tail
    out += [f'{opcode} {", ".join(operands)};', 'wgmma.commit_group.sync.aligned;', 'wgmma.wait_group.sync.aligned 0;']
    for i in range(registers):
        out.append(f'st.global.b32 [%p5+{512 * i}], %d{i};')
    return out + ['ret;', '}'], given, left


def module(lines, start=0):
    text = ['.version 9.0', '.target sm_90a', '.address_size 64']
    for i, line in enumerate(lines):
        text += kernel(start + i, line)[0]
    return '\n'.join(text) + '\n'


if __name__ == '__main__':
    here = pathlib.Path(__file__).parent
    out = pathlib.Path(sys.argv[1])
    forms = [line for line in (here / 'forms.txt').read_text().split('\n') if line]
    (out / 'forms.ptx').write_text(module(forms))
    with (out / 'plan.txt').open('w') as plan:
        for i, line in enumerate(forms):
            opcode, kind, n, k, types, source, selector, tail, tuples = fields(line)
            registers, image = sizes(line)
            _, given, left = kernel(i, line)
            print(i, kind, n, k, *types, registers, image, given, left, tuples, f'{opcode}#{source}#{selector}#{",".join(tail)}#{kind}', file=plan)
