"""Writes the kernels of ``kernels_async`` as documents, with what they are given and what they must leave.

    python export_async.py FOLDER [NAME ...]      FOLDER/NAME.json for each case: {"document", "inputs", "outputs"}

Arrays stand as their bytes, deflated, in base64. Paths in a document are base names, so that it says the same wherever it was written.
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from pathlib import Path
from typing import Any

import jax
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tcspec import pallas  # noqa: E402

import kernels_async  # noqa: E402


def packed(array: Any) -> str:
    """Numbers of 2 bits lie four to a byte, the first lowest."""
    if str(array.dtype) == "uint2":
        four = array.reshape(-1, 4).astype(np.uint8)
        array = four[:, 0] | four[:, 1] << 2 | four[:, 2] << 4 | four[:, 3] << 6
    return base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 9)).decode()


def neutral(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "files": [Path(file).name for file in document["files"]]}


def written(case: kernels_async.Case) -> dict[str, Any]:
    """The document of a case, what its kernel is given and what it must leave."""
    given: list[Any] = []

    def on_kernel(export: Any, inputs: Any) -> Any:
        given.append((export, inputs))
        return case.expected

    traced = pallas.trace(case.function, *case.arguments)
    pallas.evaluate(traced, tuple(case.arguments), on_kernel)
    ((export, inputs),) = given
    return {
        "document": neutral(json.loads(export.text())),
        "inputs": {operand.name: packed(array) for operand, array in zip(export.inputs, inputs)},
        "outputs": {operand.name: packed(array) for operand, array in zip(export.outputs, case.expected)},
    }


def main(folder: str, *names: str) -> None:
    version = tuple(int(part) for part in jax.__version__.split("."))
    into = Path(folder)
    into.mkdir(parents=True, exist_ok=True)
    for case in kernels_async.cases():
        if (names and case.name not in names) or version < tuple(int(part) for part in case.since.split(".")):
            continue
        text = json.dumps(written(case), separators=(",", ":"))
        (into / f"{case.name}.json").write_text(text + "\n")
        print(f"{case.name}: {len(text)} characters")


if __name__ == "__main__":
    main(*sys.argv[1:])
