"""Asks a process of ``tcspec serve`` through the client, and prints what it found as JSON; with a word behind it also what takes long."""

import json
import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
from tcspec.client import Cancelled, Client, Refused, Tensor  # noqa: E402

found = {}
with Client(timeout=100) as tcspec:
    found["layout"] = tcspec.layout("WGMMA", shape=[64, 8])
    found["suite"] = "addresses" in tcspec.ask(
        "swizzle", {"dtype": "f16", "shape": [8, 64], "tile": None, "swizzle": 128, "base": 0}
    )
    try:
        tcspec.kernels("no-such-kernel")
    except Refused as refused:
        found["refused"] = refused.code
    if len(sys.argv) > 1:
        found["verdict"] = tcspec.check("zoo/R1")["verdict"]
        one = Tensor.of_bits("bf16", [2, 2], [0x3F80, 0, 0, 0x3F80])
        found["product"] = tcspec.mma(one, one).bits
        told = threading.Event()

        def progress(at):
            found["progress"] = at
            told.set()

        pending = tcspec.send("mutate", kernel="hopper-matmul", progress=progress)
        told.wait(60)
        pending.cancel()
        try:
            pending.result(60)
        except Cancelled as cancelled:
            found["cancelled"] = cancelled.code
    pid = tcspec.pid
try:
    os.kill(pid, 0)
    found["left"] = True
except ProcessLookupError:
    found["left"] = False
print(json.dumps(found))
