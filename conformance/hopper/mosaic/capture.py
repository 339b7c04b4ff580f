"""On an H100 with JAX: runs the kernels of kernels.py and the Hopper pairs of python/kernels, and keeps what jaxlib made of them.

    python capture.py OUT            every kernel, each in a process of its own; of a pair's broken twin the text alone, it is not run
    python capture.py OUT NAME       one; NAME.broken is a pair's twin

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


if __name__ == "__main__":
    import types

    package = types.ModuleType("kernels_of_pairs")
    package.__path__ = [str(HERE.parents[2] / "python" / "kernels" / "pairs")]  # `kernels` is the file beside this one
    sys.modules["kernels_of_pairs"] = package
    one(Path(sys.argv[1]) / sys.argv[2], sys.argv[2]) if len(sys.argv) > 2 else every(Path(sys.argv[1]))
