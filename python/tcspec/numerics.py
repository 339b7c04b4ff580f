"""The arithmetic of the tensor cores on numpy arrays, and comparisons of results."""

from __future__ import annotations

from typing import Any, Mapping

from . import warm
from .tensors import Tensor, dtype_name

__all__ = ["Comparison", "compare", "mma"]


def mma(
    a: Any,
    b: Any,
    c: Any = None,
    *,
    acc: Any = None,
    arithmetic: str | None = None,
    saturate: bool = False,
    fast: bool = True,
    timeout: float | None = None,
) -> Any:
    """``c + a @ b`` as the tensor cores of a chip compute it, bit for bit; a numpy array.

    ``acc``: f32 or f16, or i32 for integers. ``arithmetic``: ``hopper`` (measured), ``blackwell`` (documented) or ``ieee32``. Types of ml_dtypes keep
    their meaning: bfloat16, float8_e4m3fn, float8_e5m2.
    """
    given = {"a": a, "b": b} if c is None else {"a": a, "b": b, "c": c}
    answer = warm.client().request(
        "mma",
        in_=given,
        out=["d"],
        acc=None if acc is None else dtype_name(acc),
        arithmetic=arithmetic,
        saturate=saturate or None,
        fast=None if fast else False,
        timeout=timeout,
    )
    made: Tensor = answer["files"]["d.npy"]
    return made.numpy()


class Comparison:
    """A comparison of two arrays, bit for bit. It is true if they are equal."""

    def __init__(self, document: Mapping[str, Any], printed: str) -> None:
        #: the document of ``tcspec compare --json``
        self.document = document
        self.text = printed

    @property
    def equal(self) -> bool:
        return bool(self.document["equal"])

    @property
    def different(self) -> int:
        """Number of elements with different bits."""
        return int(self.document["different"])

    @property
    def max_ulp(self) -> float:
        """The largest distance in units in the last place."""
        return float(self.document["maxUlp"])

    @property
    def first(self) -> list[Mapping[str, Any]]:
        """The first elements that differ: ``index``, ``got``, ``expected``, ``gotBits``, ``expectedBits``, ``ulp``."""
        return list(self.document["first"])

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<tcspec comparison: {self.text.strip().splitlines()[0]}>"


def compare(got: Any, expected: Any, *, timeout: float | None = None) -> Comparison:
    """Compares two arrays: whether their bits are equal, and if not, how far apart they are."""
    document = warm.client().request("compare", got=got, expected=expected, printed=True, timeout=timeout)
    return Comparison({k: v for k, v in document.items() if k != "printed"}, document["printed"])
