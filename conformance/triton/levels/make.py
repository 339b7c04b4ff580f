"""The kernels of kernels.py as Triton's cache has them, for an H100 and without one: X.ttgir, X.ptx, and X.json with what the compiler says of a launch."""
import json
import os
import sys

sys.dont_write_bytecode = True

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental.gluon._runtime import GluonASTSource

from kernels import assembled, shifted, summed

here = os.path.dirname(os.path.abspath(__file__)) + os.sep
aligned = [['tt.divisibility', 16]]


def kept(name, source, warps):
    made = triton.compile(source, target=GPUTarget('cuda', 90, 32), options={'num_warps': warps})
    for level in ('ttgir', 'ptx'):
        # the author's file by its name alone, and no section of debug information
        text = made.asm[level].replace(here, '').split('\t.section\t.debug_abbrev')[0]
        with open(f'{here}{name}.{level}', 'w') as file:
            file.write(text.replace(here[:-1], '.'))
    said = {key: getattr(made.metadata, key) for key in ('name', 'num_warps', 'num_ctas', 'shared', 'global_scratch_size')}
    with open(f'{here}{name}.json', 'w') as file:
        file.write(json.dumps(said, indent=2) + '\n')


for name, joined in (('shifted', False), ('shifted_joined', True)):
    types = {'x': '*fp32', 'scratch': '*fp32', 'out': '*fp32', 'SIZE': 'constexpr', 'BY': 'constexpr', 'JOINED': 'constexpr'}
    kept(name, ASTSource(shifted, types, {(3,): 512, (4,): 96, (5,): joined}, {(k,): aligned for k in range(3)}), 4)
for name, joined in (('summed', False), ('summed_joined', True)):
    types = {'a': '*fp16', 'b': '*fp16', 'c': '*fp32', 'SIZE': 'constexpr', 'JOINED': 'constexpr'}
    kept(name, GluonASTSource(summed, types, {(3,): 64, (4,): joined}, {(k,): aligned for k in range(3)}), 8)
kept('assembled', ASTSource(assembled, {'x': '*fp32', 'out': '*fp32', 'BLOCK': 'constexpr'}, {(2,): 256}, {(k,): aligned for k in range(2)}), 4)
