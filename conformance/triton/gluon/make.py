"""The Gluon kernels beside this file, as text and as launches.

    python make.py texts [KERNEL...]            texts/KERNEL.ttgir, texts/KERNEL.MISTAKE.ttgir, launches/KERNEL/launch.json, and kernels.json,
                                                which says tensors and mistakes of all; no GPU
    python make.py capture OUT [KERNEL...]      runs the right kernels that this GPU can run: OUT/gluon_KERNEL/launch.json, the text, inputs
                                                and the outputs as the chip computed them, .npy; needs torch. The folders are as in ../captures

A kernel file says at its end how it is launched (`LAUNCH`) and which mistakes its flag `WRONG` makes (`MISTAKES`).
"""
import importlib
import json
import os
import sys
import zlib

sys.dont_write_bytecode = True

import triton
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon.language import NVMMASharedLayout
import triton.experimental.gluon.language as gl

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = sorted(f[:-3] for f in os.listdir(HERE) if f.endswith('.py') and f != 'make.py')
ELEMENT = {'f16': (gl.float16, 'fp16'), 'f32': (gl.float32, 'fp32')}


def layout_of(arg, tensors):
    """The layout of a descriptor's blocks; one of single rows is that of the many that it gathers."""
    height, width = arg['block']
    return NVMMASharedLayout.get_default_for([max(height, 32), width], ELEMENT[tensors[arg['tensor']][0]][0])


def signature_of(arg, tensors):
    if isinstance(arg, int):
        return 'i32'
    name = ELEMENT[tensors[arg['tensor'] if isinstance(arg, dict) else arg][0]][1]
    if isinstance(arg, str):
        return '*' + name
    block = ','.join(str(n) for n in arg['block'])
    return f'tensordesc<{name}[{block}],{layout_of(arg, tensors)!r}>'


def row_major(shape):
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent)
    return strides


def compiled(kernel, wrong):
    launch, tensors = kernel.LAUNCH, kernel.LAUNCH['tensors']
    function = launch['kernel']
    constants = {**launch.get('constants', {}), 'WRONG': wrong}
    parameters = [p for p in function.arg_names if p not in constants]
    signature = {p: signature_of(a, tensors) for p, a in zip(parameters, launch['args'])}
    aligned = {(i, ): [['tt.divisibility', 16]] for i, a in enumerate(launch['args'])
               if isinstance(a, str) or isinstance(a, int) and a % 16 == 0}
    source = GluonASTSource(function, {**signature, **{c: 'constexpr' for c in constants}}, constants, aligned)
    return triton.compile(source, target=GPUTarget('cuda', launch['target'], 32), options=dict(num_warps=launch['warps']))


def text_of(made):
    return made.asm['ttgir'].replace(HERE + '/', '').replace(os.path.dirname(triton.__file__), 'triton')


def launch_file(name, kernel, made):
    launch = kernel.LAUNCH

    def argument(a):
        if not isinstance(a, dict):
            return a
        dtype, shape = launch['tensors'][a['tensor']]
        return dict(kind='tensordesc', tensor=a['tensor'], shape=shape, strides=row_major(shape), block=a['block'],
                    dtype='torch.' + {'f16': 'float16', 'f32': 'float32'}[dtype])

    meta = made.metadata
    return dict(name=name, kernel=launch['kernel'].__name__, grid=launch['grid'], num_warps=meta.num_warps, num_ctas=1,
                shared=meta.shared, args=[argument(a) for a in launch['args']], arch=f"sm_{launch['target']}a",
                triton=triton.__version__,
                extra=dict(global_scratch_size=meta.global_scratch_size, tmem_size=meta.tmem_size, maxnreg=meta.maxnreg),
                outputs=launch['outputs'])


def described(kernel):
    launch = kernel.LAUNCH
    return dict(arch=launch['target'], warps=launch['warps'], grid=launch['grid'], args=launch['args'], outputs=launch['outputs'],
                tensors={name: dict(dtype=dtype, shape=shape) for name, (dtype, shape) in launch['tensors'].items()},
                computes=launch.get('computes'), byManual=launch.get('by_manual'), mistakes=kernel.MISTAKES)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        file.write(text)


def texts(names):
    for name in names:
        kernel = importlib.import_module(name)
        for wrong in ['', *kernel.MISTAKES]:
            made = compiled(kernel, wrong)
            write(f'{HERE}/texts/{name}{"." if wrong else ""}{wrong}.ttgir', text_of(made))
            if wrong == '':
                write(f'{HERE}/launches/{name}/launch.json', json.dumps(launch_file(name, kernel, made), indent=1) + '\n')
            print(name, wrong or 'right')
    known = {name: described(importlib.import_module(name)) for name in KERNELS}
    write(f'{HERE}/kernels.json', json.dumps(known, indent=1) + '\n')


def capture(out, names):
    import numpy
    import torch
    from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
    here = 10 * torch.cuda.get_device_capability()[0]
    for name in KERNELS:
        kernel = importlib.import_module(name)
        launch = kernel.LAUNCH
        if name not in names or launch['target'] != here:
            continue
        random = torch.Generator().manual_seed(zlib.crc32(name.encode()))
        tensors = {}
        for tensor, (dtype, shape) in launch['tensors'].items():
            of = {'f16': torch.float16, 'f32': torch.float32}[dtype]
            given = torch.zeros(shape) if tensor in launch['outputs'] else torch.randn(shape, generator=random)
            tensors[tensor] = given.to(of).cuda()

        def argument(a):
            if isinstance(a, dict):
                return TensorDescriptor.from_tensor(tensors[a['tensor']], a['block'], layout_of(a, launch['tensors']))
            return tensors[a] if isinstance(a, str) else a

        made = launch['kernel'][tuple(launch['grid'])](*[argument(a) for a in launch['args']], WRONG='',
                                                       num_warps=launch['warps'], **launch.get('constants', {}))
        torch.cuda.synchronize()
        called = f'gluon_{name}'
        write(f'{out}/{called}/launch.json', json.dumps(launch_file(called, kernel, made), indent=1) + '\n')
        write(f'{out}/{called}/{called}.ttgir', text_of(made))
        for tensor, values in tensors.items():
            numpy.save(f'{out}/{called}/{tensor}.npy', values.cpu().numpy())
        with open(f'{HERE}/texts/{name}.ttgir') as file:
            print('ran', name, 'as its text says' if file.read() == text_of(made) else 'FROM ANOTHER TEXT')


if __name__ == '__main__':
    what, *rest = sys.argv[1:]
    if what == 'texts':
        texts(rest or KERNELS)
    else:
        capture(rest[0], rest[1:] or KERNELS)
