"""On an H100 with JAX: runs the kernels of kernels.py and the Hopper pairs of python/kernels, and keeps what jaxlib made of them.

    python capture.py OUT            every kernel, each in a process of its own; of a pair's broken twin the text alone, it is not run
    python capture.py OUT NAME       one; NAME.broken is a pair's twin
    python capture.py pack OUT       anywhere: the folders beside this file from what was kept

OUT/NAME/: every text that MOSAIC_GPU_DUMP_TO gives, the MLIR of the host's side as JAX lowered it, and operands and results as .npy.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]


def one(out: Path, name: str) -> None:
    import jax
    import numpy as np
    from jax.experimental.mosaic.gpu import core

    import kernels as ours

    kept: list[tuple[str, bytes]] = []
    serde = core._run_serde_pass

    def watched(module: Any, **keywords: Any) -> Any:
        text = str(module)
        made = serde(module, **keywords)
        import io

        buffer = io.BytesIO()
        made.operation.write_bytecode(buffer, desired_version=0)
        kept.append((text, buffer.getvalue()))
        return made

    core._run_serde_pass = watched
    base, _, broken = name.partition(".")
    if base in ours.CASES:
        function, arguments = ours.CASES[base]()
    else:
        pair = importlib.import_module(f"kernels_of_pairs.{base}").PAIR
        function, arguments = pair.make(not broken), pair.inputs()
        draw = np.random.default_rng(11)
        arguments = [draw.standard_normal(a.shape).astype(a.dtype) if a.dtype.kind == "f" else a for a in arguments]
    lowered = jax.jit(function).trace(*arguments).lower(lowering_platforms=("cuda",)) if os.environ.get("LOWER_ONLY") else jax.jit(function).lower(*arguments)
    for i, (text, _) in enumerate(kept):
        (out / f"module{i}.mlir").write_text(text)
    if os.environ.get("LOWER_ONLY"):
        return
    if broken:
        import jax_plugins.xla_cuda13 as plugin

        library = ctypes.CDLL(plugin._get_library_path())
        library.MosaicGpuCompile.restype = ctypes.c_void_p
        for _, code in kept:
            print("compiled", library.MosaicGpuCompile(ctypes.c_char_p(code), ctypes.c_int(len(code))))
        return
    returned = lowered.compile()(*map(jax.numpy.asarray, arguments))
    for i, array in enumerate(arguments):
        np.save(out / f"in{i}.npy", array)
    for i, array in enumerate(jax.tree.leaves(returned)):
        np.save(out / f"out{i}.npy", np.asarray(array))
    print("ran")


def names() -> list[str]:
    pairs = HERE.parents[2] / "python" / "kernels" / "pairs"
    hopper = sorted(p.stem for p in pairs.glob("*.py") if '"hopper"' in p.read_text() and p.stem != "pair")
    import ast

    cases = [f.name for f in ast.parse((HERE / "kernels.py").read_text()).body if isinstance(f, ast.FunctionDef) and f.name != "normal"]
    return [*cases, *hopper, *(f"{name}.broken" for name in hopper)]


def every(out: Path) -> None:
    def run(name: str) -> None:
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        dump = {"MOSAIC_GPU_DUMP_TO": str(folder), "MOSAIC_GPU_DUMP_PTX": "1", "MOSAIC_GPU_LINE_INFO": "1"}
        with open(folder / "log", "w") as log:
            environment = {**os.environ, **dump, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
            try:
                code = subprocess.run([sys.executable, __file__, str(out), name], stdout=log, stderr=subprocess.STDOUT, env=environment, timeout=100).returncode
            except subprocess.TimeoutExpired:
                code = -1
        print(name, code, sorted(p.name for p in folder.iterdir())[:12], flush=True)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(run, names()))


def pack(out: Path) -> None:
    """Of each kernel its PTX, which calls its source by name alone; its launch, read from the host's side; and what went in and came out."""
    import json
    import re
    import shutil

    import numpy as np

    sys.path.insert(0, str(HERE.parents[2] / "python"))
    from tcspec.pallas.mosaic import launch_of

    for kept in sorted(p for p in out.iterdir() if "." not in p.name and list(p.glob("*.ptx"))):
        name, into = kept.name, HERE / kept.name
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir()
        for text, called in ((kept, name), (out / f"{name}.broken", "broken")):
            for ptx in text.glob("*.ptx"):
                (into / f"{called}.ptx").write_text(re.sub(r'(\.file\s+\d+ )"[^"]*/', r'\1"', ptx.read_text()))
        arrays = {f"{way}{i}": np.load(kept / f"{way}{i}.npy") for way in ("in", "out") for i in range(9) if (kept / f"{way}{i}.npy").exists()}
        launch, buffers = launch_of((kept / "module0.mlir").read_text(), sum(a.startswith("in") for a in arrays), sum(a.startswith("out") for a in arrays))
        for argument in [field for argument in launch["args"] for field in argument.get("fields", [argument])]:
            if argument["role"] == "inout":
                argument["file"] = f"{argument['tensor']}.before.npy"
                np.save(into / argument["file"], np.zeros(argument["shape"], np.int32))
        for key, array in arrays.items():
            np.save(into / f"{key}.npy", array)
        (into / "launch.json").write_text(json.dumps({**launch, "name": name}, indent=1) + "\n")


if __name__ == "__main__":
    import types

    package = types.ModuleType("kernels_of_pairs")
    package.__path__ = [str(HERE.parents[2] / "python" / "kernels" / "pairs")]  # `kernels` is the file beside this one
    sys.modules["kernels_of_pairs"] = package
    if sys.argv[1] == "pack":
        pack(Path(sys.argv[2]))
    elif len(sys.argv) > 2:
        one(Path(sys.argv[1]) / sys.argv[2], sys.argv[2])
    else:
        every(Path(sys.argv[1]))
