"""The first verdict of a process and its repeats: a small Triton kernel, both levels, from Python. Milliseconds, on the clock and of the processors.

    PYTHONPATH=python python bench/first_verdict.py

Triton has to be installed, and the library to be built. Times on the clock mean something on an idle machine; those of the processors mean something anyway.
"""

import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parents[1]
rounds, repeats = 5, 20


def used():
    """Milliseconds of the processors, of this process and of those of its children that have ended."""
    own, others = (resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return 1000 * (own.ru_utime + own.ru_stime), 1000 * (others.ru_utime + others.ru_stime)


def one(count):
    """A process: it imports Triton, asks for a verdict, and then ``count`` times more."""
    sys.path[:0] = [str(root / "python"), str(root / "python" / "examples")]
    start = time.perf_counter()
    import triton  # noqa: F401

    imported = time.perf_counter()
    before = used()[0]
    import tcspec
    from tcspec import warm
    from triton_scale import scale

    x, y = tcspec.Array("f32", (1024,)), tcspec.Array("f32", (1024,))

    def check():
        asked = time.perf_counter()
        assert tcspec.check(scale, x, y, 2.0, 1024, BLOCK=256, grid=(4,)).verdict == "ok"
        return 1000 * (time.perf_counter() - asked)

    check()
    first = 1000 * (time.perf_counter() - imported)
    later = [check() for _ in range(count)]
    warm.close()
    own, others = used()
    found = {"import": 1000 * (imported - start), "first": first, "processors": own - before + others}
    return {**found, "repeat": statistics.median(later) if later else 0.0}


def of(count):
    words = [sys.executable, "-B", __file__, str(count)]
    made = [json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout) for _ in range(rounds)]
    return {name: statistics.median(m[name] for m in made) for name in made[0]}


if len(sys.argv) > 1:
    print(json.dumps(one(int(sys.argv[1]))))
else:
    alone, more = of(0), of(repeats)
    each = (more["processors"] - alone["processors"]) / repeats
    print(f"import triton   {alone['import']:8.0f} ms")
    print(f"first verdict   {alone['first']:8.0f} ms on the clock, {alone['processors']:6.0f} ms of the processors, {alone['first'] / alone['import']:.1f} x import triton")
    print(f"a repeat        {more['repeat']:8.1f} ms on the clock, {each:6.1f} ms of the processors")
