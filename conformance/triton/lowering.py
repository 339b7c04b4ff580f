"""What Triton's lowering makes of modules/: where it lays the buffers of shared memory, and which instructions of synchronisation its PTX has.

Triton 3.6.0; no GPU is needed. Run from this folder: python lowering.py > lowering.json
"""
import glob, json, os, re
import triton
from triton._C.libtriton import ir, nvidia, passes
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend

counted = {
    'fence.proxy.async': r'fence\.proxy\.async',
    'tcgen05.fence': r'tcgen05\.fence',
    'tcgen05.wait': r'tcgen05\.wait',
    'tcgen05.mma': r'tcgen05\.mma\.',
    'tcgen05.st': r'tcgen05\.st\.',
    'tcgen05.ld': r'tcgen05\.ld\.',
    'tcgen05.cp': r'tcgen05\.cp\.',
    'tcgen05.commit': r'tcgen05\.commit',
    'wgmma.mma_async': r'wgmma\.mma_async',
    'wgmma.fence': r'wgmma\.fence',
    'cp.async': r'cp\.async\.(ca|cg)\.',
    'cp.async.bulk.tensor': r'cp\.async\.bulk\.tensor',
    'mbarrier.init': r'mbarrier\.init',
    'mbarrier.inval': r'mbarrier\.inval',
    'mbarrier.try_wait': r'mbarrier\.try_wait',
    'bar.sync': r'bar\.sync',
    'barrier.sync': r'barrier\.sync',
}


def target_of(text):
    return int(re.search(r'ttg\.target = "cuda:(\d+)"', text).group(1))


def lines_of(text, operation):
    return [n + 1 for n, line in enumerate(text.split('\n')) if re.search(operation, line)]


def placed(path, text):
    """The offset of each local_alloc, by its line, and how many proxy fences the text has once those that the placement asks for are in it."""
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    module = ir.parse_mlir_module(path, context)
    manager = ir.pass_manager(context)
    passes.ttgpuir.add_combine_tensor_select_and_if(manager)
    passes.ttgpuir.add_allocate_warp_groups(manager)
    passes.convert.add_scf_to_cf(manager)
    passes.gluon.add_inliner(manager)
    nvidia.passes.ttgpuir.add_allocate_shared_memory_nv(manager, target_of(text), 86)
    nvidia.passes.ttnvgpuir.add_allocate_tensor_memory(manager)
    nvidia.passes.ttnvgpuir.add_proxy_fence_insertion(manager, target_of(text))
    manager.run(module, 'placed')
    after = module.str_nodebug()
    offsets = re.findall(r'ttg\.local_alloc .*?allocation\.offset = (\d+)', after)
    lines = lines_of(text, r'= ttg\.local_alloc ')
    assert len(offsets) == len(lines), path
    return dict(zip(map(str, lines), map(int, offsets))), after.count('ttng.fence_async_shared')


def facts(path):
    text = open(path).read()
    offsets, fences = placed(path, text)
    warps = int(re.search(r'"ttg\.num-warps" = (\d+)', text).group(1))
    kernel = triton.compile(path, target=GPUTarget('cuda', target_of(text), 32), options={'num_warps': warps})
    instructions = [re.sub(r'//.*', '', line) for line in kernel.asm['ptx'].split('\n')]
    counts = {name: sum(bool(re.search(pattern, line)) for line in instructions) for name, pattern in counted.items()}
    return {
        'sharedBytes': kernel.metadata.shared,
        'offsets': offsets,
        'fencesWritten': text.count('ttng.fence_async_shared'),
        'fencesPlaced': fences,
        'ptx': {name: n for name, n in counts.items() if n > 0},
    }


modules = sorted(glob.glob('modules/*.ttgir'))
print(json.dumps({os.path.basename(path): facts(path) for path in modules}, indent=1))
