"""Asks NVIDIA's assembler about instructions: does ptxas take this line?

    python3 opcodes.py LINES.json > opcodes.json

LINES.json is a list of [line, target, module]; the answer is a list of [line, target, taken].
"""
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def asked(row):
    line, target, module = row
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "line.ptx"
        path.write_text(module)
        command = ["ptxas", f"-arch={target}", "-O0", str(path), "-o", str(Path(folder) / "line.cubin")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            said = (done.stdout + done.stderr).splitlines() or [f"it ended with {done.returncode}"]
            print(line, "::", said[0], file=sys.stderr)
        return [line, target, done.returncode == 0]


def main():
    rows = json.loads(Path(sys.argv[1]).read_text())
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(asked, rows))
    print("[\n" + ",\n".join(json.dumps(answer) for answer in answers) + "\n]")


main()
