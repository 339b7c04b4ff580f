"""row_scale.ttgir and mended.ttgir of row_scale.py: compiled for an H100, without one."""
import os
import sys

sys.dont_write_bytecode = True

import triton
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

from row_scale import row_scale

layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
block = f'tensordesc<fp16[64,64],{layout!r}>'
for name, mended in [('row_scale', False), ('mended', True)]:
    source = GluonASTSource(row_scale, {'dx': block, 'dy': block, 'MENDED': 'constexpr'}, {'MENDED': mended})
    text = triton.compile(source, target=GPUTarget('cuda', 90, 32), options={'num_warps': 4}).asm['ttgir']
    here = os.path.dirname(os.path.abspath(__file__))
    text = text.replace(here + os.sep, '')
    with open(os.path.join(here, name + '.ttgir'), 'w') as file:
        file.write(text)
