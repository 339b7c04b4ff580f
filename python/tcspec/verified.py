"""``@tcspec.verified(...)``: a kernel that says with which arguments it is to be checked. pytest collects it as a test (``pytest_plugin``).

    @tcspec.verified(A, A, A, 128, grid=(4,), BLOCK=64)
    @triton.jit
    def scale(x, y, out, n, BLOCK: tl.constexpr): ...

    @tcspec.verified(A, B)
    def test_matmul(a, b):            # a function of JAX that launches kernels
        return matmul(a, b)

The kernel stays what it is: nothing stands between it and its launches. Decorated several times, it is checked with each of the arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, TypeVar

from .asking import check
from .verdict import Verdict

__all__ = ["Request", "requests_of", "verified"]

Kernel = TypeVar("Kernel")

#: where a kernel keeps its requests
_NAME = "__tcspec_verified__"


@dataclass(frozen=True)
class Request:
    """A check that was asked for."""

    kernel: Any
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]

    def check(self, strict: bool = False) -> Verdict:
        keywords = {**self.keywords, "strict": True} if strict else self.keywords
        return check(self.kernel, *self.arguments, **keywords)


def verified(*arguments: Any, **keywords: Any) -> Callable[[Kernel], Kernel]:
    """The arguments and options of ``tcspec.check``, for the kernel below it."""

    def keep(kernel: Kernel) -> Kernel:
        request = Request(kernel, arguments, keywords)
        # the decorator that stands nearest comes first
        setattr(kernel, _NAME, (*requests_of(kernel), request))
        return kernel

    return keep


def requests_of(thing: Any) -> tuple[Request, ...]:
    """What was asked for, in the order in which it was."""
    # an object that has every attribute has none of ours
    found = getattr(thing, "__dict__", {}).get(_NAME, ()) if not isinstance(thing, type) else ()
    return found if isinstance(found, tuple) else ()
