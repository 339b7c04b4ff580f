"""The asynchronous kernels, exported by every version of JAX that is known: what the proofs hold (conformance/jaxpr/async) is what is exported today."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

jax = pytest.importorskip("jax")
pytest.importorskip("jax.experimental.pallas.mosaic_gpu")

import export_async  # noqa: E402
import kernels_async  # noqa: E402

HELD = HERE.parent.parent / "conformance" / "jaxpr" / "async"
VERSION = tuple(int(part) for part in jax.__version__.split("."))
CASES = {
    case.name: case for case in kernels_async.cases() if VERSION >= tuple(int(part) for part in case.since.split("."))
}


@pytest.mark.parametrize("name", CASES)
def test_exports(name: str) -> None:
    today = export_async.written(CASES[name])
    held = json.loads((HELD / f"{name}.json").read_text())
    assert (today["inputs"], today["outputs"]) == (held["inputs"], held["outputs"])
    assert today["document"]["kernel"]["operands"] == held["document"]["kernel"]["operands"]
    if jax.__version__ == held["document"]["producer"]["jax"]:
        producer = held["document"]["producer"]
        assert {**today["document"], "producer": producer} == held["document"]


def test_every_case_is_held() -> None:
    assert {case.name for case in kernels_async.cases()} == {file.stem for file in HELD.glob("*.json")}
