"""Video instructions of one value, and of two and four lanes: every type with every operation, and with other parts of their operands by turns; those that
ptxas takes stand in forms.txt, a line each. Usage: forms.py > forms.txt

%d is the result, %a, %b and %c are words.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

TYPES = ('u32', 's32')
PARTS = ('b0', 'b1', 'b2', 'b3', 'h0', 'h1')
SECOND = ('add', 'min', 'max')


def candidates():
    rows = []
    turn = 0

    def part(given=None):
        nonlocal turn
        turn = (5 * turn + 7) % 4099
        return '' if given is None and turn % 7 == 0 else '.' + (given or PARTS[turn % 6])

    def scalar(opcode, tail):
        """An instruction, with its second operations, with parts of its operands, and with a part of its result."""
        full = f'{opcode}{tail}'
        rows.append(f'{full} %d, %a, %b')
        for op in SECOND:
            rows.append(f'{full}.{op} %d, %a{part()}, %b{part()}, %c')
        rows.append(f'{full} %d, %a{part()}, %b{part()}')
        rows.append(f'{full} %d.{PARTS[turn % 6]}, %a{part()}, %b{part()}, %c')

    for op in ('vadd', 'vsub', 'vabsdiff', 'vmin', 'vmax'):
        for d in TYPES:
            for a in TYPES:
                for b in TYPES:
                    for sat in ('', '.sat'):
                        scalar(f'{op}.{d}.{a}.{b}', sat)
    for op in ('vshl', 'vshr'):
        for d in TYPES:
            for a in TYPES:
                for sat in ('', '.sat'):
                    for mode in ('clamp', 'wrap'):
                        scalar(f'{op}.{d}.{a}.u32', f'{sat}.{mode}')
    for a in TYPES:
        for b in TYPES:
            for cmp in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
                scalar(f'vset.{a}.{b}', f'.{cmp}')
    for d in TYPES:
        for a in TYPES:
            for b in TYPES:
                for po in ('', '.po'):
                    for sat in ('', '.sat'):
                        for scale in ('', '.shr7', '.shr15'):
                            for signs in (('', '', ''), ('-', '', ''), ('', '-', ''), ('', '', '-')):
                                x, y, z = signs
                                rows.append(f'vmad.{d}.{a}.{b}{po}{sat}{scale} %d, {x}%a{part()}, {y}%b{part()}, {z}%c')

    def lanes(n):
        nonlocal turn
        turn = (5 * turn + 7) % 4099
        letter = 'h' if n == 2 else 'b'
        return letter + ''.join(str((turn >> (3 * i)) % (2 * n)) for i in range(n))

    def mask(n):
        nonlocal turn
        turn = (5 * turn + 7) % 4099
        chosen = [i for i in range(n - 1, -1, -1) if (turn >> i) & 1] or [0]
        return ('h' if n == 2 else 'b') + ''.join(map(str, chosen))

    for n in (2, 4):
        for op in ('vadd', 'vsub', 'vavrg', 'vabsdiff', 'vmin', 'vmax'):
            for d in TYPES:
                for a in TYPES:
                    for b in TYPES:
                        for then in ('', '.sat', '.add', '.sat.add'):
                            full = f'{op}{n}.{d}.{a}.{b}{then}'
                            rows.append(f'{full} %d, %a, %b, %c')
                            rows.append(f'{full} %d.{mask(n)}, %a.{lanes(n)}, %b.{lanes(n)}, %c')
        for a in TYPES:
            for b in TYPES:
                for cmp in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
                    for then in ('', '.add'):
                        full = f'vset{n}.{a}.{b}.{cmp}{then}'
                        rows.append(f'{full} %d, %a, %b, %c')
                        rows.append(f'{full} %d.{mask(n)}, %a.{lanes(n)}, %b.{lanes(n)}, %c')
    return rows


def taken(rows):
    from generate import module
    while True:
        text = module(rows)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'all.ptx'
            path.write_text(text)
            done = subprocess.run(['ptxas', '-arch=sm_90a', '-O0', str(path), '-o', str(path) + '.cubin'], capture_output=True, text=True)
        if done.returncode == 0:
            return rows
        lines = text.split('\n')
        bad = set()
        for at in re.findall(r'line (\d+)[;,] (?:error|fatal)', done.stderr):
            i = int(at) - 1
            while '.entry form' not in lines[i]:
                i -= 1
            bad.add(int(re.search(r'form(\d+)', lines[i]).group(1)))
        if not bad:
            raise SystemExit(done.stderr[:2000])
        for b in sorted(bad):
            print('refused:', rows[b], file=sys.stderr)
        rows = [r for i, r in enumerate(rows) if i not in bad]


if __name__ == '__main__':
    print('\n'.join(taken(candidates())))
