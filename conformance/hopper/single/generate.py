"""Writes the PTX module of the capture from forms.txt: one kernel a form, a thread a tuple of three words. Usage: generate.py FOLDER"""
import pathlib
import sys

COUNT = 1024


def kernel(index, line):
    return [f'.visible .entry form{index}(.param .u64 in, .param .u64 out)', '{',
            '.reg .b64 %in, %out, %o; .reg .b32 %i, %t, %a, %b, %c, %d;',
            'ld.param.u64 %in, [in];', 'ld.param.u64 %out, [out];', 'cvta.to.global.u64 %in, %in;', 'cvta.to.global.u64 %out, %out;',
            'mov.u32 %i, %ctaid.x;', 'mov.u32 %t, %tid.x;', 'mad.lo.u32 %i, %i, 128, %t;', 'mul.wide.u32 %o, %i, 4;',
            'add.u64 %in, %in, %o;', 'add.u64 %out, %out, %o;',
            'ld.global.b32 %a, [%in];', f'ld.global.b32 %b, [%in+{4 * COUNT}];', f'ld.global.b32 %c, [%in+{8 * COUNT}];',
            f'{line};', 'st.global.b32 [%out], %d;', 'ret;', '}']


def module(lines):
    return '\n'.join(['.version 9.0', '.target sm_90a', '.address_size 64'] + [x for i, line in enumerate(lines) for x in kernel(i, line)]) + '\n'


if __name__ == '__main__':
    here = pathlib.Path(__file__).parent
    out = pathlib.Path(sys.argv[1])
    forms = [line for line in (here / 'forms.txt').read_text().split('\n') if line]
    (out / 'forms.ptx').write_text(module(forms))
    (out / 'count.txt').write_text(f'{COUNT} {len(forms)}\n')
