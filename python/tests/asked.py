"""Exports of ``tcspec.triton``, asked of one process: the documents that ``tcspec serve`` answers."""

import atexit
from typing import Any, Sequence

from tcspec import Client
from tcspec.launches import Launch
from tcspec.triton import export

_client = Client(timeout=300)
atexit.register(_client.close)


def check(kernel: Any, *arguments: Any, **keywords: Any) -> Any:
    (launch,) = export(kernel, *arguments, **keywords).launches
    return _client.request("check", kernel=launch.document, **launch.params, printed=True)


def run(kernel: Any, *arguments: Any, **keywords: Any) -> tuple[Any, Any]:
    """The document, and what the call returns."""
    answers: list[Any] = []

    def perform(launch: Launch, inputs: Sequence[Any]) -> Any:
        held = dict(zip(launch.inputs, inputs))
        answer = _client.request("run", kernel=launch.document, **launch.params, in_=held or None, out=["*"])
        answers.append(answer)
        return {name.removesuffix(".npy"): tensor.numpy() for name, tensor in answer["files"].items()}

    result = export(kernel, *arguments, **keywords).evaluate(perform)
    return answers[0], result


def lines(document: Any) -> Sequence[str]:
    """The rows `source` of the first finding: ``kernel.py:31: text``."""
    printed = document["printed"].split("source")[1].split("\n    bytes")[0]
    return [row.strip() for row in printed.splitlines() if row.strip()]
