"""
What a pair is: a kernel that is right, and the same source with one statement left out or one argument changed.

A module of this folder has one function `make(right)`. `make(True)` is the kernel, `make(False)` its broken twin; what differs stands under `if right:`
or in a `... if right else ...`. The lines that the finding has to name end in the comment `#: named`, so that nothing counts lines by hand.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

NAMED = "#: named"


@dataclass(frozen=True)
class Pair:
    """A kernel, its twin, and what is expected of both."""

    make: Callable[[bool], Callable[..., Any]]
    #: shapes and dtypes of the operands, by the names that the kernel gives them
    operands: Sequence[tuple[str, tuple[int, ...]]]
    #: what the right kernel computes, in numpy
    expected: Callable[..., Any]
    #: what the twin has otherwise, in a few words
    changed: str
    #: the id of the finding that the twin has to get, or "deadlock"
    finding: str
    #: "hopper" or "blackwell"
    chip: str
    #: whether one schedule does not decide, and others have to be tried
    explore: bool = False
    #: the first version of JAX that does not know what it uses
    until: str | None = None

    @property
    def name(self) -> str:
        return self.make.__module__.rsplit(".", 1)[-1]

    @property
    def file(self) -> str:
        return inspect.getfile(self.make)

    @property
    def named(self) -> list[int]:
        """The lines of the file that the twin's finding names."""
        with open(self.file, encoding="utf-8") as source:
            return [number for number, line in enumerate(source, 1) if line.rstrip().endswith(NAMED)]

    def inputs(self, seed: int = 0) -> list[Any]:
        """Small integers: every sum of them is exact, whatever its order. Scales are powers of two, metadata names two of every four, each group its own."""
        import ml_dtypes
        import numpy

        draw = numpy.random.default_rng(seed)

        def one(dtype: str, shape: tuple[int, ...]) -> Any:
            if dtype == "float8_e8m0fnu":
                return (2.0 ** draw.integers(0, 3, shape)).astype(ml_dtypes.float8_e8m0fnu)
            if dtype == "uint2":
                choices = numpy.array([(i, j) for j in range(4) for i in range(j)])
                return choices[draw.integers(0, len(choices), shape[:-1])].astype(ml_dtypes.uint2)
            return draw.integers(-3, 4, shape).astype(getattr(ml_dtypes, dtype, dtype))

        return [one(dtype, shape) for dtype, shape in self.operands]
