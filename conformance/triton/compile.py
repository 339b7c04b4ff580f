"""Does Triton's compiler take these modules? argv: `ptx` or `cubin` (how far), then .ttgir files, or folders of them.

Each is compiled in a process of its own, for a compiler may end its process. A line for each that is refused, then the counts; status 1 if one is.
"""
import os, pathlib, re, sys, tempfile
from triton.backends.compiler import GPUTarget
from triton.compiler import make_backend
from triton.compiler.compiler import IRSource
from triton._C.libtriton import ir

until, *paths = sys.argv[1:]
files = [f for p in map(pathlib.Path, paths) for f in (sorted(p.rglob('*.ttgir')) if p.is_dir() else [p])]

def compile_one(path):
    """As `triton.compile` does, from the text up to a stage."""
    backend = make_backend(GPUTarget('cuda', int(re.search(r'ttg\.target = "cuda:(\d+)"', path.read_text())[1]), 32))
    context = ir.context()
    source = IRSource(str(path), context, backend)
    options = backend.parse_options(source.parse_options())
    stages, metadata = {}, dict(options.__dict__)
    module = source.make_ir(backend.target, options, {}, {}, context)
    backend.add_stages(stages, options, source.language)
    names = list(stages)
    for name in names[names.index('ttgir') + 1:names.index(until) + 1]:
        module = stages[name](module, metadata)

def refusal(path):
    """What the compiler says against it; None if it takes it."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            try:
                compile_one(path)
                os._exit(0)
            except BaseException as e:
                print(type(e).__name__, e, file=sys.stderr, flush=True)
                os._exit(1)
        status = os.waitpid(child, 0)[1]
        said.seek(0)
        return None if status == 0 else said.read().decode(errors='replace') or f'it ended with status {status}'

refused = 0
for path in files:
    why = refusal(path)
    if why is not None:
        refused += 1
        lines = why.splitlines()
        print(f'{path}: {next((l for l in lines if "error:" in l), lines[-1])[:300]}', flush=True)
print(f'{len(files) - refused} of {len(files)} accepted, up to {until}')
sys.exit(1 if refused else 0)
