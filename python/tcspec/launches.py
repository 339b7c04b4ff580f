"""The seam to the front ends: kernels with their launches, as a front end takes them from what its users write.

A front end is a function ``export(kernel, *arguments, **keywords) -> Export``: ``tcspec.pallas`` for functions of JAX, ``tcspec.triton`` for those of
Triton and Gluon. It is imported when a kernel of its own is asked about, and imports its compiler when it is called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Protocol, Sequence

__all__ = ["Export", "Launch", "Perform"]


@dataclass(frozen=True)
class Launch:
    """One launch of one kernel, as a request says it."""

    #: of the kernel, as its author wrote it
    name: str
    #: what stands for the kernel in a request: a name of the catalogue, a document, or ``{"ttgir": text}``
    document: Mapping[str, Any] | str
    #: what else a request says of it, under the names of a request: ``grid``, ``launch``, ``arg``, ``files``
    params: Mapping[str, Any] = field(default_factory=dict)
    #: tensors that a run is given, in the order in which ``Perform`` has them
    inputs: Sequence[str] = ()
    #: tensors that a run gives back; None for all that the kernel writes
    outputs: Sequence[str] | None = None
    #: what its caller gave of its inputs, by name, for a check that cannot do without; None: nothing, or it is in ``params``
    data: Callable[[], Mapping[str, Any]] | None = None


#: runs a kernel on numpy arrays, and gives its outputs by their names
Perform = Callable[[Launch, Sequence[Any]], Mapping[str, Any]]


class Export(Protocol):
    """What a call of a function consists of."""

    @property
    def launches(self) -> Sequence[Launch]:
        """Of each kernel, in the order in which they are performed; one that stands in a loop stands here once."""
        ...

    def evaluate(self, perform: Perform) -> Any:
        """What the call returns: what stands around the kernels is evaluated on the CPU by the front end, the kernels by ``perform``."""
        ...
