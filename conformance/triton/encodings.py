"""The linear layouts that Triton has for the encodings of tensors in modules/ and every-operation.ttgir, with the shapes that they stand with there, and for some more.

Triton 3.6.0; no GPU is needed. Run from this folder: python encodings.py > encodings.json
"""
import glob, json, os, re, tempfile
from triton._C.libtriton import gluon_ir, ir, nvidia

tensor = re.compile(r'tensor<((?:\d+x)+).*?, (#ttg\..*)>$')


# what does not stand in them: an older product, clusters, orders, more warps than rows
blocked = '#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = {}{}}}>'
older = '#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>'
pair = '#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0]], instrShape = [16, 64, 16]}>'
others = [
    (1, 4, '64x32', blocked.format([2, 2], [4, 8], [2, 2], [0, 1], '')),
    (1, 4, '64x32', blocked.format([1, 4], [8, 4], [4, 1], [1, 0], '')),
    (1, 4, '16x16x16', blocked.format([1, 2, 4], [4, 4, 2], [1, 2, 2], [2, 0, 1], '')),
    (1, 4, '16', blocked.format([1], [32], [4], [0], '')),
    (1, 4, '8x8', blocked.format([1, 1], [32, 1], [4, 1], [1, 0], '')),
    (2, 4, '128x64', blocked.format([1, 8], [4, 8], [4, 1], [1, 0], ', CGALayout = [[0, 1]]')),
    (2, 4, '128x64', blocked.format([1, 8], [4, 8], [4, 1], [1, 0], ', CGALayout = [[1, 0]]')),
    (2, 4, '64', f"#ttg.slice<{{dim = 0, parent = {blocked.format([1, 8], [4, 8], [4, 1], [1, 0], ', CGALayout = [[0, 1]]')}}}>"),
    (1, 4, '64x64', older),
    (1, 4, '64x64', f'#ttg.dot_op<{{opIdx = 0, parent = {older}, kWidth = 2}}>'),
    (1, 4, '64x64', f'#ttg.dot_op<{{opIdx = 1, parent = {older}, kWidth = 4}}>'),
    (1, 4, '64', f'#ttg.slice<{{dim = 1, parent = {older}}}>'),
    (2, 4, '128x64', pair),
    (1, 4, '32x16', f"#ttg.dot_op<{{opIdx = 0, parent = {blocked.format([2, 2], [4, 8], [2, 2], [1, 0], '')}}}>"),
]


def constants():
    for ctas, warps, shape, encoding in others:
        yield f'''module attributes {{"ttg.num-ctas" = {ctas} : i32, "ttg.num-warps" = {warps} : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @f() {{
    %0 = arith.constant dense<0> : tensor<{shape}xi32, {encoding}>
    tt.return
  }}
}}
'''


def encodings(path):
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    module = ir.parse_mlir_module(path, context)
    found = {}

    def look(operation):
        for k in range(operation.get_num_results()):
            value = operation.get_result(k)
            match = tensor.match(str(value.get_type()))
            if match is None:
                continue
            shape = [int(n) for n in match.group(1).split('x')[:-1]]
            layout = builder.get_gluon_layout_from_tensor(value)._to_ir(builder)
            linear = builder.to_linear_layout(layout, shape)
            found[f'{match.group(2)} {shape}'] = {
                'encoding': match.group(2),
                'shape': shape,
                'register': linear.reg_bases,
                'lane': linear.lane_bases,
                'warp': linear.warp_bases,
                'block': linear.block_bases,
            }

    module.walk(look)
    return found


together = {}
for path in sorted(glob.glob('modules/*.ttgir')) + ['every-operation.ttgir']:
    together.update(encodings(path))
with tempfile.TemporaryDirectory() as folder:
    for text in constants():
        path = os.path.join(folder, 'constant.ttgir')
        open(path, 'w').write(text)
        together.update(encodings(path))
print('[\n' + ',\n'.join(json.dumps(together[key]) for key in sorted(together)) + '\n]')
