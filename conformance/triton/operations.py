"""The operations that Triton knows, asked of Triton itself: names that stand in its library, each given to its parser, which says which are registered.
argv: the file to write."""
import json, os, re, sys, tempfile
import triton
from triton._C import libtriton
from triton._C.libtriton import ir, nvidia

dialects = ['tt', 'ttg', 'ttng', 'nvws', 'gluon', 'gpu', 'scf', 'arith', 'math', 'cf', 'ub']
context = ir.context()
ir.load_dialects(context)
nvidia.load_dialects(context)


def said(text):
    """what the parser says of a text"""
    with tempfile.NamedTemporaryFile('w', suffix='.mlir', delete=False) as f:
        f.write(text)
    kept, heard = os.dup(2), tempfile.TemporaryFile()
    os.dup2(heard.fileno(), 2)
    try:
        ir.parse_mlir_module(f.name, context)
    except RuntimeError:
        pass
    os.dup2(kept, 2)
    os.close(kept)
    os.unlink(f.name)
    heard.seek(0)
    return heard.read().decode()


with open(libtriton.__file__, 'rb') as f:
    library = f.read()
words = re.findall(rb'(?:' + '|'.join(dialects).encode() + rb')\.[a-z_0-9]+(?:\.[a-z_0-9]+)*', library)
# a name may be the end of a longer one, and a longer one may begin with it
candidates = set()
for word in set(words):
    parts = word.decode().split('.')
    for end in range(2, len(parts) + 1):
        candidates.add('.'.join(parts[:end]))
known = sorted(name for name in candidates if 'unregistered' not in said(f'"{name}"() : () -> ()\n'))
with open(sys.argv[1], 'w') as f:
    json.dump(dict(triton=triton.__version__, operations=known), f, indent=1)
    f.write('\n')
print(len(known))
