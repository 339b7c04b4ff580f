"""Writes dense.ptx and dense.txt: functions without a model, on many operands. Usage: dense.py FOLDER

`at`: 32-bit results for the operands first + i step. Of f64 functions the operand is the upper word and so is the result.
`sum`: over all 2^32 operands, block b the operands b 2^20 .. : the sum of (2 i + 1) (r xor i 0x9E3779B1 + 0x7F4A7C15) modulo 2^64, i the
operand and r the result, unsigned.
"""
import pathlib, sys
out = pathlib.Path(sys.argv[1])
F32 = ['sin.approx.ftz.f32', 'cos.approx.ftz.f32', 'sqrt.approx.ftz.f32', 'sin.approx.f32', 'cos.approx.f32', 'sqrt.approx.f32']
F64 = ['rcp.approx.ftz.f64', 'rsqrt.approx.ftz.f64', 'rsqrt.approx.f64']


def apply(name):
    if name.endswith('f32'):
        return f'{name} %r, %x;'
    return f'mov.b64 %da, {{%z, %x}}; {name} %db, %da; mov.b64 {{%z, %r}}, %db; mov.u32 %z, 0;'


def label(name):
    return name.replace('.', '_')


text = ['.version 9.0\n.target sm_90a\n.address_size 64']
for name in F32 + F64:
    text.append(f'''.visible .entry at_{label(name)}(.param .u64 out, .param .u32 first, .param .u32 step, .param .u32 n)
{{
.reg .b64 %o, %w, %da, %db; .reg .b32 %i, %c, %t, %f, %s, %n, %x, %r, %z; .reg .pred %q;
ld.param.u64 %o, [out]; cvta.to.global.u64 %o, %o; ld.param.u32 %f, [first]; ld.param.u32 %s, [step]; ld.param.u32 %n, [n];
mov.u32 %c, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %c, 256, %t; setp.ge.u32 %q, %i, %n; @%q ret;
mov.u32 %z, 0; mad.lo.u32 %x, %i, %s, %f;
{apply(name)}
mul.wide.u32 %w, %i, 4; add.u64 %o, %o, %w; st.global.u32 [%o], %r;
ret;
}}
.visible .entry sum_{label(name)}(.param .u64 out, .param .u32 first, .param .u32 step, .param .u32 n)
{{
.reg .b64 %o, %w, %a, %v, %da, %db; .reg .b32 %j, %c, %t, %x, %r, %z, %m, %u; .reg .pred %q;
ld.param.u64 %o, [out]; cvta.to.global.u64 %o, %o;
mov.u32 %c, %ctaid.x; mov.u32 %t, %tid.x; mov.u32 %z, 0; mov.u64 %a, 0; mov.u32 %j, 0;
LOOP:
shl.b32 %x, %c, 20; add.u32 %x, %x, %j; add.u32 %x, %x, %t;
{apply(name)}
mad.lo.u32 %m, %x, 0x9E3779B1, 0x7F4A7C15; xor.b32 %m, %m, %r;
cvt.u64.u32 %v, %x; shl.b64 %v, %v, 1; add.u64 %v, %v, 1; cvt.u64.u32 %w, %m; mad.lo.u64 %a, %v, %w, %a;
add.u32 %j, %j, 256; setp.lt.u32 %q, %j, 1048576; @%q bra LOOP;
mul.wide.u32 %w, %c, 8; add.u64 %o, %o, %w; red.global.add.u64 [%o], %a;
ret;
}}''')
(out / 'dense.ptx').write_text('\n'.join(text) + '\n')
plan = []
for name in F32[:2]:
    # Angles from 2^-14 to 2 pi and beyond, one operand in 73; and whole neighbourhoods.
    plan.append(f'at_{label(name)} at {0x38800000} 73 {(0x41000000 - 0x38800000) // 73}')
    plan.append(f'at_{label(name)} at {0x3f800000} 1 262144')
    plan.append(f'at_{label(name)} at {0x41000000} 4099 {(0x7f800000 - 0x41000000) // 4099}')
plan.append(f'at_sqrt_approx_ftz_f32 at {0x3f800000} 13 {0x1000000 // 13}')
plan.append(f'at_sqrt_approx_ftz_f32 at {0x3f800000} 1 262144')
plan.append(f'at_rcp_approx_ftz_f64 at {0x3ff00000} 1 {0x100000}')
plan.append(f'at_rcp_approx_ftz_f64 at 0 1048573 4096')
plan.append(f'at_rsqrt_approx_ftz_f64 at {0x3ff00000} 1 {0x200000}')
plan.append(f'at_rsqrt_approx_ftz_f64 at 0 1048573 4096')
plan.append(f'at_rsqrt_approx_f64 at {0x3ff00000} 4 {0x80000}')
for name in F32 + F64[:2]:
    plan.append(f'sum_{label(name)} sum 0 0 0')
(out / 'dense.txt').write_text('\n'.join(plan) + '\n')
