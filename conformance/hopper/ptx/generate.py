"""Writes the PTX modules of the capture, and their inputs, from forms.txt and edges.json. Usage: generate.py FOLDER

One kernel holds at most 24 forms with the same operands. Every thread loads one tuple of operands, applies each form to it and stores the
results: words[form][word of the results][thread].
"""
import json, pathlib, sys

here = pathlib.Path(__file__).parent
out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
edges = {k: [int(x, 16) for x in v] for k, v in json.loads((here / 'edges.json').read_text()).items()}
KIND = {'pred': 'pred', 'u8': 'b8', 's8': 'b8', 'b16': 'b16', 'u16': 'b16', 's16': 'b16', 'f16': 'f16', 'bf16': 'bf16', 'e4m3x2': '2b8', 'e5m2x2': '2b8',
        'b32': 'b32', 'u32': 'b32', 's32': 'b32', 'f32': 'f32', 'tf32': 'f32', 'f16x2': '2f16', 'bf16x2': '2bf16', 'u16x2': '2b16', 's16x2': '2b16',
        'b64': 'b64', 'u64': 'b64', 's64': 'b64', 'f64': 'f64'}
BITS = {'pred': 1, 'b8': 8, 'b16': 16, 'f16': 16, 'bf16': 16, '2b8': 16, 'b32': 32, 'f32': 32, '2f16': 32, '2bf16': 32, '2b16': 32, 'b64': 64, 'f64': 64}
EXPONENT = {'f16': (10, 15), 'bf16': (7, 127), 'f32': (23, 127), 'f64': (52, 1023)}
M = 0xffffffff
COUNT = 1536


class Random:
    """xorshift32 with the multiplication of xorshift*: 32 bits at a time."""

    def __init__(self, text):
        h = 2166136261
        for c in text.encode():
            h = ((h ^ c) * 16777619) & M
        self.state = h | 1

    def next(self):
        x = self.state
        x ^= (x << 13) & M
        x ^= x >> 17
        x ^= (x << 5) & M
        self.state = x
        return (x * 0x9e3779b1 & M) ^ (x >> 15)

    def wide(self):
        low = self.next()
        return low | self.next() << 32


def draw(kind, random, before):
    """One operand: any bits, an edge, a moderate number, or the operand before it changed a little."""
    bits = BITS[kind]
    if kind == 'pred':
        return random.next() >> 7 & 1
    if kind[0] == '2':
        half = kind[1:]
        size = bits // 2
        low = draw(half, random, None if before is None else before & (1 << size) - 1)
        return low | draw(half, random, None if before is None else before >> size) << size
    way = random.next() >> 5 & 3
    mask = (1 << bits) - 1
    if way == 1:
        return edge(kind, random)
    raw = random.wide()
    if way == 2:
        if kind in EXPONENT:
            fraction, bias = EXPONENT[kind]
            spread = 8 if bias == 15 else 32
            exponent = bias - spread // 2 + random.next() % spread
            return (raw >> 63) << bits - 1 | exponent << fraction | raw & (1 << fraction) - 1
        small = raw & 0x7f
        return -small & mask if raw >> 63 else small
    if way == 3 and before is not None:
        return (before ^ raw & 7 ^ (raw >> 32 & 1) << bits - 1) & mask
    return raw & mask


def edge(kind, random):
    if kind == 'pred':
        return random.next() >> 7 & 1
    if kind[0] == '2':
        return edge(kind[1:], random) | edge(kind[1:], random) << BITS[kind] // 2
    return edges[kind][random.next() % len(edges[kind])]


def tuples(operands, count):
    """All edges of one operand; of more, one half of the tuples edges alone. The others as they are drawn."""
    kinds = [KIND[t] for t in operands]
    random = Random(','.join(operands))
    rows = []
    first = edges.get(kinds[0], [0, 1])
    if len(kinds) == 1:
        rows = [[x] for x in first]
    while len(rows) < count:
        row = []
        if len(kinds) > 1 and len(rows) < count // 2:
            rows.append([edge(kind, random) for kind in kinds])
            continue
        for i, kind in enumerate(kinds):
            same = row[i - 1] if i > 0 and kinds[i - 1] == kind else None
            row.append(draw(kind, random, same))
        rows.append(row)
    return rows[:count]


forms = [line.split(' ') for line in (here / 'forms.txt').read_text().split('\n') if line]
chosen = None
if len(sys.argv) > 2:
    bad = set(pathlib.Path(sys.argv[2]).read_text().split())
    forms = [f for f in forms if f[0] not in bad]


def register(kind):
    return {'pred': 'p', 'b8': 'r', 'b16': 'h', 'f16': 'h', 'bf16': 'h', '2b8': 'h', 'b64': 'd', 'f64': 'd'}.get(kind, 'r')


TABLES = [i for i in range(256)]


def statement(name, operands, results, extra):
    """The lines of one form on %a0, %a1 ... into %x0, %x1."""
    base = name.split('.')
    kinds = [KIND[t] for t in operands]
    a = ['%a' + str(i) for i in range(len(operands))]
    if base[0] in ('addc', 'subc', 'madc'):
        carry = a.pop()
        set_carry = (f'selp.u32 %t0, 1, 0, {carry};' +
                     (' sub.cc.u32 %t1, 0, %t0;' if base[0] == 'subc' else ' add.cc.u32 %t1, %t0, 0xffffffff;'))
    else:
        set_carry = ''
    carries = base[0] in ('add', 'addc', 'sub', 'subc', 'mad', 'madc') and 'cc' in base
    if name.startswith('lop3'):
        a[3] = str(extra)
    if carries:
        reader = 'subc.u32 %x1, 0, 0; and.b32 %x1, %x1, 1;' if base[0] in ('sub', 'subc') else 'addc.u32 %x1, 0, 0;'
        if extra == 'mixed':
            reader = 'addc.u32 %x1, 0, 0;' if base[0] in ('sub', 'subc') else 'subc.u32 %x1, 0, 0; and.b32 %x1, %x1, 1;'
        return f'{set_carry} {name} %x0, {", ".join(a)}; {reader}'
    if len(results) == 2:
        return f'{name} %x0|%x1, {", ".join(a)};'
    return f'{set_carry} {name} %x0, {", ".join(a)};'


instances = []
for name, operands, results in forms:
    operands, results = operands.split(','), results.split(',')
    if name == 'lop3.b32':
        for t in TABLES:
            instances.append((name, operands, results, t))
    elif name.startswith('lop3'):
        for t in (0x00, 0x80, 0x96, 0xca, 0xe8, 0xff):
            instances.append((name, operands, results, t))
    else:
        instances.append((name, operands, results, None))
    if '.cc' in name and name.split('.')[0] in ('add', 'sub'):
        instances.append((name, operands, results, 'mixed'))

groups = {}
for instance in instances:
    groups.setdefault(','.join(instance[1]), []).append(instance)

manifest = []
modules = []
inputs = bytearray()
for signature, members in groups.items():
    operands = signature.split(',')
    kinds = [KIND[t] for t in operands]
    rows = tuples(operands, COUNT)
    at = len(inputs)
    for i, kind in enumerate(kinds):
        for row in rows:
            inputs += (row[i]).to_bytes(8, 'little')
    for start in range(0, len(members), 24):
        part = members[start:start + 24]
        number = len(manifest)
        lines = [f'.visible .entry k{number}(.param .u64 in, .param .u64 out)', '{',
                 '.reg .u64 %in, %out, %o; .reg .u32 %i, %w; .reg .pred %q;',
                 'ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; cvta.to.global.u64 %in, %in; cvta.to.global.u64 %out, %out;',
                 f'mov.u32 %i, %ctaid.x; mad.lo.u32 %i, %i, 128, 0; mov.u32 %w, %tid.x; add.u32 %i, %i, %w; setp.ge.u32 %q, %i, {COUNT}; @%q ret;',
                 'mul.wide.u32 %o, %i, 8; add.u64 %in, %in, %o; mul.wide.u32 %o, %i, 4; add.u64 %out, %out, %o;']
        for i, kind in enumerate(kinds):
            r = register(kind)
            where = f'[%in+{i * COUNT * 8}]'
            if r == 'p':
                lines.append(f'.reg .pred %a{i}; ld.global.u32 %w, {where}; setp.ne.u32 %a{i}, %w, 0;')
            else:
                width = {'h': 16, 'r': 32, 'd': 64}[r]
                lines.append(f'.reg .b{width} %a{i}; ld.global.b{width} %a{i}, {where};')
        word = 0
        made = []
        for name, _, results, extra in part:
            result_kinds = [KIND[t] for t in results]
            lines.append('{')
            lines.append('.reg .u32 %t0, %t1;')
            for j, kind in enumerate(result_kinds):
                r = register(kind)
                # A carry is read as a number.
                if r == 'p' and '.cc' in name:
                    r = 'r'
                lines.append('.reg .%s %%x%d;' % ({'p': 'pred', 'h': 'b16', 'r': 'b32', 'd': 'b64'}[r], j))
            lines.append(statement(name, operands, results, extra) + f' // FORM {name}')
            words = 0
            for j, kind in enumerate(result_kinds):
                r = register(kind)
                to = (word + words) * COUNT * 4
                if r == 'p' and '.cc' not in name:
                    lines.append(f'selp.u32 %t0, 1, 0, %x{j}; st.global.u32 [%out+{to}], %t0;')
                elif r == 'h':
                    lines.append(f'cvt.u32.u16 %t0, %x{j}; st.global.u32 [%out+{to}], %t0;')
                elif r == 'd':
                    lines.append(f'mov.b64 {{%t0, %t1}}, %x{j}; st.global.u32 [%out+{to}], %t0; st.global.u32 [%out+{to + COUNT * 4}], %t1;')
                    words += 1
                else:
                    lines.append(f'st.global.b32 [%out+{to}], %x{j};')
                words += 1
            lines.append('}')
            made.append({'name': name, 'extra': extra, 'word': word, 'words': words})
            word += words
        lines += ['ret;', '}']
        manifest.append({'kernel': f'k{number}', 'operands': operands, 'inputs': at, 'words': word, 'forms': made})
        modules.append('\n'.join(lines))

header = '.version 9.0\n.target sm_90a\n.address_size 64\n'
(out / 'inputs.bin').write_bytes(inputs)
(out / 'manifest.json').write_text(json.dumps({'count': COUNT, 'kernels': manifest}))
(out / 'plan.txt').write_text(f'{COUNT} {len(manifest)}\n' + ''.join(f"{m['kernel']} {m['inputs']} {m['words']}\n" for m in manifest))
size = 40
for i in range(0, len(modules), size):
    (out / f'forms{i // size:02d}.ptx').write_text(header + '\n'.join(modules[i:i + size]) + '\n')
print(len(instances), 'instances', len(manifest), 'kernels', len(inputs), 'bytes of inputs')
