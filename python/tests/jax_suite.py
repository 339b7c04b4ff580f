"""JAX's own tests of Mosaic GPU (``tests/pallas/mosaic_gpu_test.py`` of its source) with the chip's place taken: each kernel that a test launches is run here.

    python jax_suite.py mosaic_gpu_test.py [--only REGEX] [--part 0/2] [--trace]

writes a line of JSON for every case: its name, how it ended (``passed``, ``failed``, ``skipped``), on which chip, what the kernels' verdicts were, and why it
did not pass. The bodies of the tests are not touched. What they ask of a GPU is answered for an H100, and where a case is skipped there, for a B200; what JAX
computes around the kernels, it computes on the CPU. ``asks_compiler`` says of a case that it is about JAX's own compiler: exceptions, printed or dumped text,
files that it writes, calls of its functions.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import json
import os
import pathlib
import re
import sys
import types
import unittest
from dataclasses import dataclass
from typing import Any, Iterator

os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import jax
import numpy
import tcspec
from jax._src import test_util, xla_bridge
from jax._src.interpreters import mlir


@dataclass(frozen=True)
class Chip:
    """What a test asks of a device."""

    target: str
    capability: str
    multiprocessors: int


CHIPS = (Chip("sm_90", "9.0", 132), Chip("sm_100", "10.0", 148))
SHARED_BYTES = 232_448

_chip = CHIPS[0]
_verdicts: list[str] = []


# ---------------------------------------------------------------- kernels


def _lowering(primitive: Any) -> Any:
    """A rule of JAX for the CPU: the kernel is run by ``tcspec.run`` when the program comes to it."""

    def rule(context: Any, *operands: Any, **params: Any) -> Any:
        results = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in context.avals_out]

        def launch(*arrays: Any) -> Any:
            run = tcspec.run(lambda *xs: primitive.bind(*xs, **params), *map(numpy.asarray, arrays), target=_chip.target)
            _verdicts.append(run.verdict)
            if run.result is None:
                raise AssertionError(str(run))
            return [numpy.asarray(array) for array in run.result]

        return mlir.lower_fun(lambda *xs: jax.pure_callback(launch, results, *xs), multiple_results=True)(context, *operands)

    return rule


def _take_the_place_of_a_gpu() -> None:
    # callbacks of kernels that run in the background would wait for each other
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    from jax._src.pallas import pallas_call

    primitives = [pallas_call.pallas_call_p]
    try:
        from jax._src.pallas import mpmd

        primitives.append(mpmd.mpmd_map_p)
    except ImportError:
        pass
    for primitive in primitives:
        mlir.register_lowering(primitive, _lowering(primitive), platform="cpu")
    test_util.is_device_cuda = lambda: True
    test_util.is_device_rocm = lambda: False
    test_util.get_cuda_nonportable_max_cluster_size = lambda: 16
    test_util.xla_bridge = _Bridge()
    device: Any = jax.Device
    device.core_count = property(lambda _: _chip.multiprocessors)
    device.compute_capability = property(lambda _: _chip.capability)
    device.shared_memory_per_block_optin = property(lambda _: SHARED_BYTES)


class _Bridge:
    """JAX's backends, and one GPU."""

    def __getattr__(self, name: str) -> Any:
        return getattr(xla_bridge, name)

    def local_devices(self, *arguments: Any, backend: Any = None, **keywords: Any) -> Any:
        if backend == "gpu":
            return [types.SimpleNamespace(compute_capability=_chip.capability)]
        return xla_bridge.local_devices(*arguments, backend=backend, **keywords)


# ---------------------------------------------------------------- cases

_OF_COMPILER = re.compile(
    r"assertRaises|self\.fail\(|capture_stdout|as_text\(|MOSAIC_GPU_DUMP|profile_dir|export\.export|mock\.patch|\.lower\("
)


def asks_compiler(case: unittest.TestCase) -> bool:
    method = getattr(type(case), case._testMethodName)
    return _OF_COMPILER.search(inspect.getsource(inspect.unwrap(getattr(method, "__wrapped__", method)))) is not None


def cases(path: str) -> Iterator[unittest.TestCase]:
    spec = importlib.util.spec_from_file_location("mosaic_gpu_test", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mosaic_gpu_test"] = module
    spec.loader.exec_module(module)

    def within(suite: Any) -> Iterator[unittest.TestCase]:
        for one in suite:
            if isinstance(one, unittest.TestSuite):
                yield from within(one)
            else:
                yield one

    return within(unittest.defaultTestLoader.loadTestsFromModule(module))


def outcome(case: unittest.TestCase) -> dict[str, Any]:
    """How a case ends on the first chip on which it is not skipped."""
    global _chip
    for _chip in CHIPS:
        _verdicts.clear()
        result = unittest.TestResult()
        case.run(result)
        if not result.skipped:
            break
    why = [text for _, text in (*result.errors, *result.failures)] or [text for _, text in result.skipped]
    ended = "failed" if result.errors or result.failures else "skipped" if result.skipped else "passed"
    name = case.id().removeprefix("mosaic_gpu_test.").split(" ")[0]
    return {"name": name, "ended": ended, "chip": _chip.target, "verdicts": list(_verdicts), "compiler": asks_compiler(case), "why": "\n".join(why)}


def main() -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("path")
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--trace", action="store_true", help="why, at length")
    said = parser.parse_args()
    del sys.argv[1:]
    part, parts = map(int, said.part.split("/"))
    wanted = re.compile(said.only)
    _take_the_place_of_a_gpu()
    for number, case in enumerate(cases(said.path)):
        if number % parts == part and wanted.search(case.id().removeprefix("mosaic_gpu_test.")):
            ended = outcome(case)
            if not said.trace:
                ended["why"] = (ended["why"].strip().splitlines() or [""])[-1]
            print(json.dumps(ended), flush=True)
    tcspec.close()


if __name__ == "__main__":
    main()
